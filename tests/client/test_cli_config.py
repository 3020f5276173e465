"""`race2048 config`: every action, every message, every exit code."""

import json
import sys

import pytest

from client import cli
from client.cli.config import template
from client.config import BY_NAME, SETTINGS, resolve
from client.toml_lines import parsed, with_entry


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    """A file of one's own, which is not there yet."""
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path / "config.toml"


def test_the_list_has_every_setting_with_its_value_and_where_it_comes_from(path, monkeypatch, capsys):
    path.write_text('palette = "mono"\n[host]\nsize = 5\n')
    monkeypatch.setenv("RACE2048_BELL", "off")
    assert cli.main(["config", "--motion", "off"]) == 0
    shown = {line.split()[0]: " ".join(line.split()[1:]) for line in capsys.readouterr().out.splitlines()}
    assert list(shown) == [setting.name for setting in SETTINGS]
    assert shown["palette"] == "mono by your file"
    assert shown["host.size"] == "5 by your file"
    assert shown["bell"] == "false by RACE2048_BELL"
    assert shown["motion"] == "off by a flag"
    assert shown["mouse"] == "true"
    assert shown["name"] == "(not set)"


def test_the_list_in_json_has_values_sources_and_problems(path, capsys):
    path.write_text('palette = "mono"\npallete = 1\n')
    assert cli.main(["config", "list", "--json", "-q"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["path"] == str(path)
    assert said["settings"]["palette"] == {"value": "mono", "source": "file"}
    assert said["settings"]["name"] == {"value": None, "source": "default"}
    assert said["problems"] == ["There is no setting pallete. Did you mean palette?"]


@pytest.mark.parametrize(
    ("name", "typed", "line"),
    [
        ("palette", "Color-Blind", 'palette = "colour-blind"\n'),
        ("mouse", "off", "mouse = false\n"),
        ("host.players", "3", "[host]\nplayers = 3\n"),
        ("name", "Лис", 'name = "Лис"\n'),
    ],
)
def test_a_setting_is_written_as_what_it_is_and_told(name, typed, line, path, capsys):
    assert cli.main(["config", "set", name, typed]) == 0
    assert path.read_text() == line
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{name} is ")
    assert str(path) in said.err


def test_what_was_set_is_what_is_got(capsys):
    cli.main(["config", "set", "-q", "host.time", "90s"])
    assert cli.main(["config", "get", "host.time"]) == 0
    assert capsys.readouterr() == ("90s\n", "")


def test_what_is_not_set_prints_nothing_and_the_answer_is_no(capsys):
    assert cli.main(["config", "get", "name"]) == 1
    assert capsys.readouterr().out == ""


def test_a_setting_is_taken_out_again(path, capsys):
    path.write_text('# mine\npalette = "mono"\n')
    assert cli.main(["config", "unset", "palette"]) == 0
    assert path.read_text() == "# mine\n"
    assert cli.main(["config", "unset", "palette"]) == 0
    assert "palette was not set" in capsys.readouterr().err


def test_a_slip_of_the_pen_can_be_taken_out_too(path):
    path.write_text('pallete = "mono"\n')
    assert cli.main(["config", "unset", "pallete"]) == 0
    assert path.read_text() == ""


@pytest.mark.parametrize("action", [["get", "pallete"], ["set", "pallete", "mono"], ["unset", "pallete"]])
def test_an_unknown_setting_is_refused_with_the_nearest_name(action, path, capsys):
    assert cli.main(["config", *action]) == 2
    assert "There is no setting pallete. Did you mean palette?" in capsys.readouterr().err
    assert not path.exists()


def test_a_value_that_is_not_allowed_is_refused_with_what_is(path, capsys):
    assert cli.main(["config", "set", "palette", "neon"]) == 2
    assert (
        "palette cannot be “neon”. It can be classic, colour-blind, high-contrast or mono." in capsys.readouterr().err
    )
    assert not path.exists()


def test_a_variable_that_counts_more_is_told(monkeypatch, capsys):
    monkeypatch.setenv("RACE2048_PALETTE", "classic")
    cli.main(["config", "set", "palette", "mono"])
    assert "RACE2048_PALETTE is set as well, and counts more." in capsys.readouterr().err


@pytest.mark.parametrize("action", [["list"], ["get", "palette"], ["set", "palette", "mono"], ["unset", "palette"]])
def test_a_damaged_file_is_said_where_and_left_as_it_is(action, path, capsys):
    path.write_text("palette =\n")
    assert cli.main(["config", *action]) == 6
    said = capsys.readouterr().err
    assert str(path) in said
    assert "line 1, column 10" in said
    assert path.read_text() == "palette =\n"


@pytest.mark.parametrize("words", [["set", "palette"], ["get"], ["path", "x"], ["list", "palette"], ["unset"]])
def test_too_few_or_too_many_words_are_usage(words, capsys):
    assert cli.main(["config", *words]) == 2
    assert "set NAME VALUE" in capsys.readouterr().err


def test_the_path_is_printed_and_a_flag_names_another(path, tmp_path, capsys):
    assert cli.main(["config", "path"]) == 0
    assert cli.main(["config", "path", "--config", str(tmp_path / "other.toml")]) == 0
    assert cli.main(["--config", str(tmp_path / "third.toml"), "config", "path"]) == 0
    assert capsys.readouterr().out.split() == [str(path), str(tmp_path / "other.toml"), str(tmp_path / "third.toml")]


# ── edit ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def editor(monkeypatch, program):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} -c '{program}'")


def test_an_editor_is_given_a_file_with_every_setting_none_of_them_set(path, monkeypatch):
    editor(monkeypatch, "import sys; sys.exit(0)")
    assert cli.main(["config", "edit"]) == 0
    assert path.read_text() == template()
    assert resolve({}, {}, parsed(template())).problems == ()
    assert all(f"# {setting.name.rpartition('.')[2]} = " in template() for setting in SETTINGS)


def test_an_entry_that_is_set_in_that_file_stands_below_what_it_is_about():
    text = with_entry(template(), "palette", "mono")
    lines = text.splitlines()
    assert lines[lines.index('palette = "mono"') - 1] == '# palette = "classic"'
    assert with_entry(text, "host.size", 5).count("[host]") == 1


def test_what_is_wrong_after_editing_is_told(path, monkeypatch, capfd):
    path.write_text("")
    editor(monkeypatch, 'import sys; open(sys.argv[1], "w").write("pallete = 1")')
    assert cli.main(["config", "edit"]) == 0
    assert "Did you mean palette?" in capfd.readouterr().err


def test_a_file_that_is_damaged_by_editing_is_told(path, monkeypatch, capfd):
    editor(monkeypatch, 'import sys; open(sys.argv[1], "w").write("palette =")')
    assert cli.main(["config", "edit"]) == 6
    assert "cannot be understood: invalid value" in capfd.readouterr().err


def test_a_damaged_file_can_be_mended_by_editing(path, monkeypatch):
    path.write_text("palette =\n")
    editor(monkeypatch, 'import sys; open(sys.argv[1], "w").write("mouse = false")')
    assert cli.main(["config", "edit"]) == 0


def test_an_editor_that_fails_is_told(monkeypatch, capfd):
    editor(monkeypatch, "import sys; sys.exit(3)")
    assert cli.main(["config", "edit"]) == 1
    assert "ended with code 3" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["no-such-editor-anywhere", "'unclosed"])
def test_an_editor_that_cannot_be_started_is_told(name, monkeypatch, capfd):
    monkeypatch.setenv("VISUAL", name)
    assert cli.main(["config", "edit"]) == 2
    assert "Set EDITOR" in capfd.readouterr().err


def test_the_settings_have_names_that_the_shell_and_toml_take_as_they_are():
    assert all(name.replace(".", "").isalpha() and name.islower() for name in BY_NAME)
