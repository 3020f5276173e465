"""The options that every command takes, and what settings fill in where no flag is given."""

import argparse

import pytest

from client import cli
from client.cli import defaults, table
from client.cli.bot import LEVEL, PACE
from client.cli.everywhere import leading, split
from client.config import Preferences
from engine.race import Kind

EVERYWHERE = ["--lang", "--color", "--palette", "--plain", "--motion", "--no-mouse", "--config", "-v", "-q"]


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    """Settings of one's own, none of which is set."""
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path / "config.toml"


def options_of(command, *words):
    """Returns the options as the command gets them."""
    before, _, rest = split([command, *words])
    parser = cli.parser_of(command)
    options = parser.parse_intermixed_args(rest, leading(before))
    return defaults.with_defaults(command, parser, rest, options)


# ── the same options everywhere ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("command", sorted(cli.COMMANDS.keys() - {"lobby"}))
def test_every_command_takes_them(command):
    strings = cli.parser_of(command)._option_string_actions
    assert set(EVERYWHERE) | {"--version", "-h", "--help"} <= strings.keys()


@pytest.mark.parametrize("command", sorted(cli.COMMANDS.keys() - {"lobby"}))
def test_every_help_names_them_in_one_line(command):
    (line,) = [line for line in cli.parser_of(command).format_help().splitlines() if line.startswith("also:")]
    assert all(option in line for option in EVERYWHERE)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["host"], ([], "host", [])),
        (["--plain", "host", "--size", "5"], (["--plain"], "host", ["--size", "5"])),
        (["--palette", "mono", "host"], (["--palette", "mono"], "host", [])),
        (["--palette=mono", "host"], (["--palette=mono"], "host", [])),
        (["--config", "host", "watch", "x"], (["--config", "host"], "watch", ["x"])),
        (["--palette"], (["--palette"], "", [])),
        (["-q", "--motion", "off"], (["-q", "--motion", "off"], "", [])),
    ],
)
def test_the_command_is_the_first_word_that_is_not_the_value_of_an_option(words, found):
    assert split(words) == found


def test_an_option_counts_before_the_command_and_after_it():
    for words in (["--palette", "mono", "host"], ["host", "--palette", "mono"]):
        before, command, rest = split(words)
        options = cli.parser_of(command).parse_args(rest, leading(before))
        assert options.palette == "mono"


def test_the_nearer_option_counts_more():
    before, command, rest = split(["--palette", "mono", "host", "--palette", "classic"])
    assert cli.parser_of(command).parse_args(rest, leading(before)).palette == "classic"


def test_a_word_for_colour_blind_in_either_spelling_is_taken():
    assert options_of("host", "--palette", "color-blind").preferences.palette == "colour-blind"


@pytest.mark.parametrize("option", ["--palette", "--color", "--motion", "--lang"])
@pytest.mark.parametrize("before", [True, False])
def test_a_value_that_is_not_allowed_is_usage_and_told_with_what_is(option, before, capsys):
    words = [option, "n e o n"]
    with pytest.raises(SystemExit) as ended:
        cli.main([*words, "verify", "x"] if before else ["verify", "x", *words])
    assert ended.value.code == 2
    assert "It can be" in capsys.readouterr().err


def test_an_option_that_does_not_exist_is_usage_before_a_command_too(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--fast", "host"])
    assert ended.value.code == 2
    assert "--fast" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["-v", "--help"], ["--palette", "mono", "-h"], ["--help", "host"]])
def test_help_before_a_command_is_that_of_the_program(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{cli.top_help()}\n"


def test_options_may_stand_between_the_words_of_a_command():
    options = options_of("join", "482-913", "--name", "fox", "lobby.example")
    assert (options.table, options.name) == (["482-913", "lobby.example"], "fox")


def test_options_alone_without_a_terminal_are_usage(capsys):
    assert cli.main(["--palette", "mono"]) == 2
    assert capsys.readouterr().err == f"{cli.top_help()}\n"


# ── settings in the place of defaults ────────────────────────────────────────────────────────────────────────────


def test_preferences_come_from_flags_before_the_environment_before_the_file(path, monkeypatch):
    path.write_text('palette = "mono"\ncolor = "16"\nmotion = "off"\nbell = false\n')
    monkeypatch.setenv("RACE2048_COLOR", "256")
    monkeypatch.setenv("RACE2048_MOTION", "reduced")
    options = options_of("watch", "x", "--motion", "full", "--no-mouse")
    assert options.preferences == Preferences(palette="mono", color="256", motion="full", bell=False, mouse=False)


def test_plain_may_be_set_once_for_all(path):
    path.write_text("plain = true\n")
    assert options_of("join", "x").plain is True
    assert options_of("host").preferences.plain is True


def test_lines_of_json_are_not_made_plain_by_a_setting(path):
    path.write_text("plain = true\n")
    assert options_of("watch", "x", "--json").plain is False


@pytest.mark.parametrize("command", [("host",), ("join", "x")])
def test_the_name_is_the_one_that_is_set_unless_a_flag_says_another(command, path):
    path.write_text('name = "fox"\n')
    assert options_of(*command).name == "fox"
    assert options_of(*command, "--name", "owl").name == "owl"


def test_a_usual_table_is_opened_as_it_is_set(path):
    path.write_text('[host]\nsize = 5\nplayers = 2\ntarget = 1024\nidle = "1m"\n')
    settings = table.settings_of(options_of("host"))
    assert (settings.size, settings.seats, settings.target_exponent, settings.idle_ms) == (5, 2, 10, 60_000)


def test_flags_count_more_than_the_usual_table(path):
    path.write_text("[host]\nsize = 5\nplayers = 2\ntarget = 1024\n")
    settings = table.settings_of(options_of("host", "--size", "4", "--players", "3", "--target", "512"))
    assert (settings.size, settings.seats, settings.target_exponent) == (4, 3, 9)


def test_a_target_is_meant_for_the_usual_board_and_for_no_other(path):
    path.write_text("[host]\ntarget = 4096\n")
    assert table.settings_of(options_of("host", "--size", "3")).target_exponent == 8
    assert table.settings_of(options_of("host")).target_exponent == 12


def test_a_usual_kind_gives_way_to_what_the_flags_mean(path):
    path.write_text('[host]\nkind = "endless"\ntarget = 512\ntime = "5m"\nidle = "1m"\n')
    for words, kind in [((), Kind.ENDLESS), (("--time", "1m"), Kind.TIMED), (("--target", "64"), Kind.TARGET),
                        (("--kind", "timed"), Kind.TIMED), (("--kind", "target"), Kind.TARGET)]:  # fmt: skip
        options = options_of("host", *words)
        table.need_sense(options)
        assert table.settings_of(options).kind == kind
    assert table.settings_of(options_of("host", "--kind", "timed")).time_ms == 300_000
    assert table.settings_of(options_of("host", "--kind", "target")).target_exponent == 9


def test_a_timed_race_has_no_idle_limit_whatever_is_usual(path):
    path.write_text('[host]\nkind = "timed"\nidle = "1m"\ntarget = 512\n')
    options = options_of("host")
    table.need_sense(options)
    assert table.settings_of(options).idle_ms == 0


def test_a_usual_lobby_is_used_unless_a_flag_is_for_one_of_ones_own(path):
    path.write_text('lobby = "lobby.example"\n[host]\nport = 4096\n')
    assert (options_of("host").lobby, options_of("host").port) == ("lobby.example", None)
    assert (options_of("host", "--port", "5000").lobby, options_of("host", "--port", "5000").port) == (None, 5000)
    assert options_of("host", "--bind", "127.0.0.1").lobby is None
    own = options_of("host", "--lobby", "")
    assert (own.lobby, own.port) == (None, 4096)


def test_what_is_wrong_is_told_once_on_stderr_and_the_command_goes_on(path, capsys):
    path.write_text('pallete = "mono"\n[host]\nsize = 7\n')
    assert options_of("host").size == 4
    assert capsys.readouterr().err.splitlines() == [
        "race2048: There is no setting pallete. Did you mean palette?",
        "race2048: host.size cannot be 7. It can be 3, 4, 5, 6 or 8.",
    ]
    options_of("host", "--quiet")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", [["host"], ["join", "x"], ["watch", "x"]])
def test_a_damaged_file_stops_whoever_would_act_on_it(command, path, capsys):
    path.write_text("name =\n")
    assert cli.main(command) == 6
    said = capsys.readouterr().err
    assert str(path) in said
    assert "--config" in said


def test_another_file_can_be_named_for_once(path, tmp_path):
    path.write_text("name =\n")
    other = tmp_path / "other.toml"
    other.write_text('name = "owl"\n')
    assert options_of("host", "--config", str(other)).name == "owl"


@pytest.mark.parametrize("command", [["host"], ["config", "list"], ["id", "show"], []])
def test_a_file_that_is_named_and_not_there_is_usage(command, tmp_path, capsys):
    assert cli.main(["--config", str(tmp_path / "typo.toml"), *command]) == 2
    assert f"There is no file {tmp_path / 'typo.toml'}" in capsys.readouterr().err


def test_every_option_that_settings_fill_in_is_one_of_the_command():
    for command, fills in defaults._FILLS.items():
        known = vars(cli.parser_of(command).parse_args(["x"] if command == "join" else []))
        assert fills.keys() <= known.keys()


def test_commands_that_need_no_settings_do_not_read_them(path, capsys):
    path.write_text("name =\n")
    assert cli.main(["rules"]) == 0
    assert isinstance(cli.parser_of("verify").parse_args(["x"]), argparse.Namespace)
    assert capsys.readouterr().err == ""


def test_computer_players_are_as_strong_and_as_quick_as_the_settings_say_unless_a_flag_says_otherwise(path):
    path.write_text('[host]\nlevel = "master"\npace = 2.5\n')
    options = options_of("host", "--bots", "1")
    assert (options.level, options.pace) == ("master", 2.5)
    options = options_of("host", "--bots", "1", "--level", "beginner", "--pace", "9")
    assert (options.level, options.pace) == ("beginner", 9.0)
    path.write_text("")
    options = options_of("host", "--bots", "1")
    assert (options.level, options.pace) == (LEVEL, PACE)
