"""The home screen as a person has it: on a terminal, there and back again, and the terminal as it was afterwards."""

import re
import shutil
import signal
import subprocess
import sys
import termios
import time

import pytest

from tests.system.terminals import Terminal, end_lobbies

PATIENCE_S = 40
ON_AND_OFF = ("1049", "1000", "1006", "2004")
MENU = "host a table"


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    """Settings of one's own, and a lobby's port that nobody else has."""
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path / "config.toml"


@pytest.fixture
def data(tmp_path):
    yield tmp_path / "data"
    end_lobbies(tmp_path)


@pytest.fixture
def terminal(data):
    """Returns a function that starts race2048 alone on a terminal; its modes are those from before at the end."""
    made = []

    def start(*words, columns=80, rows=24):
        made.append(Terminal(words, data, columns, rows))
        return made[-1]

    yield start
    for each in made:
        each.close()


def assert_restored(written):
    for mode in ON_AND_OFF:
        on, off = written.rfind(b"\x1b[?%sh" % mode.encode()), written.rfind(b"\x1b[?%sl" % mode.encode())
        assert on == off == -1 or off > on, mode
    assert written.rfind(b"\x1b[?25h") > written.rfind(b"\x1b[?25l")
    assert written.rfind(b"\x1b[?7h") > written.rfind(b"\x1b[?7l")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_it_is_there_whole_and_q_leaves_the_terminal_as_it_was(terminal, columns, rows):
    screen = terminal(columns=columns, rows=rows)
    modes = termios.tcgetattr(screen._master)
    screen.expect("quit", MENU)
    screen.expect("Enter")
    screen.press("q")
    assert screen.end() == 0
    assert_restored(screen.written)
    assert termios.tcgetattr(screen._master) == modes


def test_keys_typed_before_it_is_there_are_not_lost_and_not_echoed(terminal):
    screen = terminal()
    screen.press("\x1b[B\x1b[B\x1b[B")
    screen.press("?")
    screen.expect("On a board, all of these at once")
    assert b"^[[B" not in screen.written.partition(b"\x1b[?1049h")[2]
    screen.press("\x1b")
    screen.expect(MENU)
    screen.press("\x03")
    assert screen.end() == 0


def test_a_link_is_pasted_the_lobby_is_not_there_and_one_is_back_home(terminal):
    screen = terminal()
    screen.expect(MENU)
    screen.press("j")
    screen.expect("The code or the link")
    screen.press("\x1b[200~race2048 join http://127.0.0.1:9/t/482913\r\n\x1b[201~")
    screen.expect("join http://127.0.0.1:9/t/482913")
    screen.press("\r")
    screen.expect("[Enter] back to the home screen")
    assert "cannot be reached" in screen.text
    screen.press("\r")
    screen.expect(MENU)
    screen.press("q")
    assert screen.end() == 0
    assert_restored(screen.written)


def test_a_race_against_the_computer_and_home_again_with_the_same_key(terminal, data):
    screen = terminal("--config", str(data.parent / "own.toml"))
    (data.parent / "own.toml").write_text("[host]\nsize = 3\ntarget = 8\n")
    for race in range(2):
        screen.expect(MENU)
        screen.press("h")
        screen.expect("computer players sit down")
        screen.press("b")
        screen.expect("1 computer player sits down")
        screen.press("\r")
        screen.expect("start the race")
        screen.press("\r")
        screen.play_until("race again")
        screen.press("\x03")
        screen.expect("[Enter] back to the home screen")
        assert b"Race over." in screen.written  # where it stands on pyte's screen, which has no second one, is chance
        screen.press("q\r" if race else "\r")
    assert screen.end() == 0
    assert sorted(path.name for path in (data / "keys").iterdir()) == ["1.key"]
    assert_restored(screen.written)


def test_a_game_alone_and_home_again(terminal, data):
    screen = terminal()
    screen.expect(MENU)
    screen.press("p")
    screen.expect("undos")
    screen.press("asdw\x03")
    screen.expect("[Enter] back to the home screen")
    screen.press("\r")
    screen.expect(MENU)
    screen.press("q")
    assert screen.end() == 0
    assert (data / "solo" / "game.r2048").exists()
    assert_restored(screen.written)


def test_a_setting_is_changed_with_a_click_and_kept(terminal, config):
    screen = terminal()
    screen.expect(MENU)
    screen.press("s")
    screen.expect("palette")
    row = next(y for y, line in enumerate(screen.text.splitlines()) if "palette" in line)
    screen.press(f"\x1b[<0;20;{row + 1}M\x1b[<0;20;{row + 1}m")
    screen.expect("colour-blind")
    screen.press("\x1b")
    screen.expect(MENU)
    screen.press("q")
    assert screen.end() == 0
    assert config.read_text() == 'palette = "colour-blind"\n'


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("page", ["", "j", "s"])
def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(terminal, number, page):
    screen = terminal()
    modes = termios.tcgetattr(screen._master)
    screen.expect(MENU)
    if page:
        screen.press(page)
        screen.expect("back")
    screen.process.send_signal(number)
    assert screen.end() == 128 + number
    assert_restored(screen.written)
    assert termios.tcgetattr(screen._master) == modes


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("later_s", [0.0, 0.05, 0.2])
def test_a_signal_while_it_is_still_loading_is_not_lost_and_leaves_the_terminal_as_it_was(terminal, number, later_s):
    screen = terminal()
    modes = termios.tcgetattr(screen._master)
    until_s = time.monotonic() + PATIENCE_S
    while b"\x1b[?1049h" not in screen.written and time.monotonic() < until_s:
        screen.read(0.05)
    at_s = time.monotonic() + later_s
    while time.monotonic() < at_s:
        screen.read(at_s - time.monotonic())
    screen.process.send_signal(number)
    assert screen.end() == 128 + number
    assert_restored(screen.written)
    assert termios.tcgetattr(screen._master) == modes


def test_a_closed_terminal_ends_it(terminal):
    screen = terminal()
    screen.expect(MENU)
    screen.hang_up()
    assert screen.process.wait(PATIENCE_S) == 128 + signal.SIGHUP


def test_the_menu_of_lines_for_who_wants_no_screen(terminal):
    screen = terminal("--plain")
    screen.expect("Which? A number")
    assert "2. host a table" in screen.text
    screen.press("3\r")
    screen.expect("The code or the link")
    screen.press("\r")
    screen.expect("Which? A number")
    screen.press("q\r")
    assert screen.end() == 0
    assert b"\x1b[?1049h" not in screen.written


def test_a_damaged_settings_file_is_said_before_any_screen(terminal, config):
    config.write_text("palette =\n")
    screen = terminal()
    assert screen.end() == 6
    assert b"\x1b[?1049h" not in screen.written
    assert "cannot be understood" in screen.text


# ── doctor on a terminal ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_terminal_that_does_not_answer_is_not_waited_for(data):
    screen = Terminal(["doctor"], data)
    try:
        assert screen.end() in (0, 1)
        assert "does not say how wide it draws" in screen.text
    finally:
        screen.close()


ASK = """
import os
from client.checkup import terminal_findings
from client.terminal_facts import terminal_facts
print(", ".join(f"{each.name} {each.status}" for each in terminal_findings(terminal_facts(os.environ))))
"""


class Tmux:
    """A real terminal with a shell in it."""

    def __init__(self, tmp_path):
        self.socket = str(tmp_path / "tmux")
        self.run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "bash --norc --noprofile")

    def run(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, check=True).stdout

    def modes(self):
        names = ("alternate_on", "cursor_flag", "mouse_any_flag", "wrap_flag", "keypad_cursor_flag")
        return self.run("display-message", "-p", ",".join(f"#{{{name}}}" for name in names)).strip()

    def type(self, line):
        self.run("send-keys", "-l", line)
        self.run("send-keys", "Enter")

    def expect(self, text):
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            shown = self.run("capture-pane", "-p")
            if re.search(text, shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"no {text} in\n{shown}")


if shutil.which("tmux"):

    def test_doctor_brings_a_terminal_back_to_order_and_understands_what_it_answers(tmp_path):
        tmux = Tmux(tmp_path)
        try:
            python = f"{sys.executable} -P -m client.cli"
            tmux.type("PS1='$ '; cd /; clear; echo kept on the screen; stty -a | md5sum; echo be''fore")
            tmux.expect("(?m)^before")
            before = tmux.modes()
            tmux.type(
                r"printf '\033[?1049h\033[?1003h\033[?1006h\033[?25l\033[?7l\033[?1h'; stty raw -echo; echo spoilt"
            )
            tmux.expect("spoilt")
            assert tmux.modes() != before
            tmux.run("send-keys", "-l", f"RACE2048_DATA={tmp_path} {python} doctor --reset-terminal")
            tmux.run("send-keys", "C-j")
            shown = tmux.expect("as it should be")
            assert tmux.modes() == before
            assert "kept on the screen" in shown
            tmux.type("stty -a | tr ' ' '\\n' | grep -c -E '^(icanon|echo|isig|icrnl|opost);?$'")
            tmux.expect("(?m)^5$")
        finally:
            tmux.run("kill-server")

    def test_doctor_understands_what_a_real_terminal_answers_and_leaves_no_trace(tmp_path):
        tmux = Tmux(tmp_path)
        (tmp_path / "ask.py").write_text(ASK)
        try:
            tmux.type("PS1='$ '; cd /; export LANG=C.UTF-8; clear")
            tmux.type(f"{sys.executable} -P {tmp_path / 'ask.py'}; echo do''ne")
            shown = tmux.expect("(?m)^done")  # typed in two parts: a long command may be cut anywhere on the screen
            assert "size ok, TERM ok, colours ok, characters ok, widths ok, mouse ok" in shown
            assert "▄" not in shown
        finally:
            tmux.run("kill-server")

    def test_stopped_and_continued_it_is_there_again_and_the_shell_is_as_it_was(tmp_path):
        tmux = Tmux(tmp_path)
        try:
            tmux.type(f"PS1='$ '; cd /; export RACE2048_DATA={tmp_path} RACE2048_CONFIG=/dev/null; clear; echo ke''pt")
            tmux.expect("(?m)^kept")
            before = tmux.modes()
            tmux.type(f"{sys.executable} -P -m client.cli")
            tmux.expect(MENU)
            tmux.run("send-keys", "C-z")
            assert "kept" in tmux.expect("Stopped")
            assert tmux.modes() == before
            tmux.type("fg")
            tmux.expect(MENU)
            tmux.run("send-keys", "q")
            tmux.expect(r"(?m)^\$ ?$")  # what is typed before that is ours, not the shell's
            tmux.type("echo after")
            shown = tmux.expect("(?m)^after").split("\n")
            assert shown[0] == "kept"
            assert tmux.modes() == before
        finally:
            tmux.run("kill-server")
