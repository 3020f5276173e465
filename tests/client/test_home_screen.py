"""The home screen with what the command line supplies: every choice becomes the words of a command, or a setting."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from client import cli
from client.cli import home as home_command
from client.cli.everywhere import leading
from client.cli.home import host_words, place_words, supplies
from client.tui.canvas import text_of
from client.tui.choices import KIND_NAMES, with_value
from client.tui.choices import Row as FormRow
from client.tui.home import ITEMS, Page
from client.tui.home_screen import HomeScreen
from client.tui.palette import Depth
from protocol.limits import LEAD_STRICT
from protocol.messages import TableSettings

LINK = "http://192.168.1.23:2048/t/482913#7q4k2m9xb3hd5s8t"
HEAVY = {"aiohttp", "prompt_toolkit", "asyncio", "msgspec", "nacl", "zeroconf"}


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    """Settings and data of one's own."""
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORTERM", raising=False)
    return tmp_path / "config.toml"


class Shown:
    """A home screen of a program that has every command, and whether it has been left."""

    def __init__(self, *before: str) -> None:
        everything = {item.command for item in ITEMS}
        self.screen = HomeScreen(replace(supplies(leading(before)), commands=everything))
        self.left = False
        self.screen.leave = self.leave

    def leave(self) -> None:
        self.left = True

    def press(self, *keys: str) -> None:
        for key in keys:
            self.screen.press(key)

    def text(self) -> str:
        return "\n".join(text_of(self.screen.picture(80, 24)))


@pytest.fixture
def shown() -> Shown:
    return Shown()


# ── what becomes of a choice ─────────────────────────────────────────────────────────────────────────────────────


def test_quitting_leaves_without_words(shown):
    shown.press("q")
    assert (shown.left, shown.screen.words) == (True, None)


def test_what_needs_nothing_more_is_run_at_once(shown):
    shown.press("y")
    assert (shown.left, shown.screen.words) == (True, ("history",))


@pytest.mark.parametrize(("key", "command"), [("j", "join"), ("w", "watch")])
def test_a_link_that_is_pasted_is_joined_or_watched(shown, key, command):
    shown.press(key)
    shown.screen.paste(LINK)
    shown.press("enter")
    assert (shown.left, shown.screen.words) == (True, (command, LINK))


def test_what_names_no_table_is_said_and_can_be_mended(shown):
    shown.press("j", *"48291", "enter")
    assert not shown.left
    assert "six digits" in " ".join(shown.text().split())
    shown.press("backspace")
    assert "six digits" not in " ".join(shown.text().split())


def test_nothing_typed_means_the_tables_on_this_network(shown, monkeypatch):
    monkeypatch.setenv("RACE2048_LAN", "on")
    shown.press("j", "enter")
    assert (shown.left, shown.screen.words) == (True, ("join",))


def test_a_table_is_opened_as_it_was_chosen(shown):
    shown.press("h", "right", "b", "enter")
    assert shown.left
    assert shown.screen.words is not None
    options = cli.parser_of("host").parse_args(shown.screen.words[1:])
    assert (options.size, options.bots, options.players, options.kind) == (5, 1, 4, "target")


def test_the_form_begins_with_the_usual_table(config):
    config.write_text('[host]\nsize = 6\nkind = "timed"\ntime = "5m"\n')
    screen = Shown()
    screen.press("h")
    assert "5 min" in screen.text()
    screen.press("enter")
    assert screen.screen.words is not None
    assert list(screen.screen.words[3:7]) == ["--size", "6", "--kind", "timed"]


def test_records_are_listed_the_newest_first_and_replayed(shown, tmp_path):
    races = tmp_path / "data" / "races"
    races.mkdir(parents=True)
    for age, name in enumerate(["new.r2048", "old.r2048", "other.ticks"]):
        (races / name).write_bytes(b"")
        os.utime(races / name, (1_000 - age, 1_000 - age))
    shown.press("v")
    lines = shown.text().splitlines()
    assert [line.strip() for line in lines if ".r2048" in line] == ["new.r2048", "old.r2048"]
    assert "other" not in shown.text()
    shown.press("down", "enter")
    assert shown.screen.words == ("replay", str(races / "old.r2048"))


def test_without_records_that_is_said(shown):
    shown.press("v", "enter")
    assert (shown.left, "No records yet" in shown.text()) == (False, True)


@pytest.mark.parametrize("key", ["j", "w"])
def test_where_one_does_not_look_around_a_link_is_asked_for_and_the_reason_told(shown, key):
    assert os.environ["RACE2048_LAN"] == "off"
    shown.press(key)
    assert "tables on this network" not in shown.text()
    shown.press("enter")
    assert not shown.left
    assert "switched off (RACE2048_LAN=off)" in " ".join(shown.text().split())


@pytest.mark.parametrize(
    ("key", "begins"),
    [
        ("?", ["first to a tile ", "highest score ", "last one moving "]),
        ("?", ["o  ", "x  ", "Ctrl-C  ", "1-4  ", "c  "]),
    ],
)
def test_what_stands_in_columns_stays_apart_where_the_screen_is_narrow(shown, key, begins):
    shown.press(key)
    lines = [line.strip() for line in text_of(shown.screen.picture(40, 200))]
    assert [begin for begin in begins if not any(line.startswith(begin) for line in lines)] == []


@pytest.mark.parametrize(("keys", "text"), [(["?"], "On a board"), (["?", "end"], "The race")])
def test_rules_and_keys_are_read_on_the_screen(shown, keys, text):
    shown.press(*keys)
    assert text in shown.text()
    shown.press("escape")
    assert "host a table" in shown.text()


# ── settings ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_setting_is_written_at_once_and_shows(shown, config):
    shown.press("s", "down", "down", "right")
    assert config.read_text() == 'palette = "colour-blind"\n'
    assert "‹ colour-blind ›" in shown.text()


def test_a_change_of_colours_is_seen_at_once(shown):
    depths = [shown.screen.depth]
    shown.press("s", "down", "down", "left")
    assert [*depths, shown.screen.depth] == [Depth.INDEXED, Depth.MONO]


def test_a_name_is_typed_written_and_taken_out_again(shown, config):
    shown.press("s", "enter", *"fox", "enter")
    assert config.read_text() == 'name = "fox"\n'
    assert "name      ‹ fox ›" in shown.text()
    shown.press("enter", "backspace", "backspace", "backspace", "enter")
    assert config.read_text() == ""
    assert shown.screen.home.page is Page.SETTINGS


def test_a_name_that_cannot_be_used_is_said_and_nothing_is_written(shown, config):
    shown.press("s", "enter", *"a name that is far too long", "enter")
    assert "16 columns" in " ".join(shown.text().split())
    assert shown.screen.home.page is Page.FIELD
    assert not config.exists()


def test_a_damaged_file_is_said_and_left(shown, config):
    shown.press("s")
    config.write_text("palette =\n")
    shown.press("down", "down", "right")
    assert "cannot be understood" in " ".join(shown.text().split())
    assert config.read_text() == "palette =\n"


def test_a_variable_that_counts_more_is_said(shown, monkeypatch):
    monkeypatch.setenv("RACE2048_PALETTE", "classic")
    shown.press("s", "down", "down", "right")
    assert "RACE2048_PALETTE is set as well, and counts more." in " ".join(shown.text().split())


def test_clicks_choose_and_are_left_to_the_terminal_where_one_types(shown):
    shown.screen.picture(80, 24)
    assert shown.screen.draw(80, 24).mouse
    rows = shown.text().splitlines()
    shown.screen.click(20, next(y for y, row in enumerate(rows) if "join a table" in row))
    assert shown.screen.home.page is Page.FIELD
    assert not shown.screen.draw(80, 24).mouse
    shown.screen.click(0, 0)
    assert shown.screen.home.page is Page.FIELD


def test_without_the_mouse_clicks_are_not_asked_for():
    assert not Shown("--no-mouse").screen.draw(80, 24).mouse


def remembering(ran):
    """Returns a stand-in for the program, which remembers what it was told to do."""

    def main(words):
        ran.append(words)
        return 0

    return main


# ── the words of a command ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", KIND_NAMES.values())
@pytest.mark.parametrize("size", [3, 4, 8])
def test_the_words_open_exactly_the_table_that_was_chosen(kind, size):
    from client.cli.table import need_sense, settings_of

    settings = with_value(with_value(TableSettings(), FormRow.KIND, kind), FormRow.SIZE, size)
    for chosen in (settings, with_value(settings, FormRow.LEAD, LEAD_STRICT), with_value(settings, FormRow.SEATS, 2)):
        options = cli.parser_of("host").parse_args(host_words(chosen, 1)[1:])
        need_sense(options)
        assert settings_of(options) == chosen
        assert options.bots == 1


def test_no_idle_limit_stays_none():
    assert "off" in host_words(with_value(TableSettings(), FormRow.IDLE, 0), 0)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (LINK, ("join", LINK)),
        (f"race2048 join {LINK}", ("join", LINK)),
        (f"  race2048   watch {LINK}", ("join", LINK)),
        ("482-913 192.168.1.23", ("join", "482-913", "192.168.1.23")),
    ],
)
def test_what_was_sent_may_be_pasted_whole(typed, words):
    assert place_words("join", typed) == (words, "")


def test_options_before_are_handed_on_to_what_is_chosen(monkeypatch):
    ran: list[list[str]] = []
    monkeypatch.setattr(home_command, "main", remembering(ran))
    options = leading(["--palette", "mono", "--no-mouse", "--config", "/x.toml", "-q", "--plain"])
    assert home_command._carried_out(options, ["history"]) == 0
    assert ran == [["--palette=mono", "--config=/x.toml", "--plain", "--no-mouse", "--quiet", "history"]]


def test_a_command_that_ends_the_program_does_not_end_the_home_screen(monkeypatch):
    def ends(words):
        raise SystemExit(2)

    monkeypatch.setattr(home_command, "main", ends)
    assert home_command._carried_out(leading([]), ["history"]) == 2


# ── in lines ─────────────────────────────────────────────────────────────────────────────────────────────────────


def lines(monkeypatch, *typed):
    """Runs the menu in lines; returns the commands that it ran."""
    ran: list[list[str]] = []
    answers = iter(typed)

    def answer(_):
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr(home_command, "main", remembering(ran))
    assert home_command._in_lines(leading([])) == 0
    return ran


def test_the_menu_in_lines_is_numbered_and_asks_for_what_is_needed(monkeypatch, capsys):
    assert lines(monkeypatch, "2", "3", LINK, "q") == [["host"], ["join", LINK]]
    assert "2. host a table" in capsys.readouterr().out


def test_a_record_in_lines_is_one_of_a_short_list_or_a_file_that_is_typed(monkeypatch, capsys, tmp_path):
    races = tmp_path / "data" / "races"
    races.mkdir(parents=True)
    for age in range(12):
        (races / f"{age}.r2048").write_bytes(b"")
        os.utime(races / f"{age}.r2048", (1_000 - age, 1_000 - age))
    ran = lines(monkeypatch, "7", "2", "7", "elsewhere.r2048", "7", "", "7", "10")
    assert ran == [["replay", str(races / "1.r2048")], ["replay", "elsewhere.r2048"], ["replay", "10"]]
    shown = capsys.readouterr().out
    assert "2. 1.r2048" in shown
    assert "9.r2048" not in shown


def test_without_records_in_lines_a_file_can_be_named_all_the_same(monkeypatch):
    assert lines(monkeypatch, "7", "elsewhere.r2048") == [["replay", "elsewhere.r2048"]]


def test_nothing_typed_in_lines_means_the_tables_on_this_network(monkeypatch):
    monkeypatch.setenv("RACE2048_LAN", "on")
    assert lines(monkeypatch, "3", "") == [["join"]]


@pytest.mark.parametrize("entry", ["2", "3", "4", "7"])
@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_the_end_of_input_leaves_at_every_question(monkeypatch, entry, end):
    answers = iter([entry])

    def answer(_):
        try:
            return next(answers)
        except StopIteration:
            raise end from None

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr(home_command, "main", remembering([]))
    assert home_command._in_lines(leading([])) == 0


def test_mistakes_in_lines_are_told_and_asked_again(monkeypatch, capsys):
    assert lines(monkeypatch, "99", "x", "0", "3", "", "3", "48291") == []
    assert "six digits" in capsys.readouterr().out


# ── how soon it is there ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_first_picture_is_there_before_anything_heavy_is_imported():
    code = """
import sys
from client.cli.everywhere import leading
from client.cli.home import supplies
from client.tui.home_screen import HomeScreen
from client.tui.writing import Writing
screen = HomeScreen(supplies(leading([])))
print(len(Writing(screen.depth).update(screen.picture(80, 24).lines)) > 500)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    drawn, modules = done.stdout.splitlines()
    assert drawn == "True"
    assert {name.partition(".")[0] for name in modules.split()} & HEAVY == set()


def test_without_a_terminal_there_is_the_help_and_code_2():
    done = subprocess.run(
        [sys.executable, "-m", "client.cli"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{cli.top_help()}\n"
