"""How a terminal is left, whatever ends or stops us (ux.md 4.1): real processes on real pseudo-terminals."""

import fcntl
import os
import pty
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.system.terminals import Terminal

PATIENCE_S = 20
TOP = Path(__file__).parents[2]
INTERRUPTS = 200 if os.environ.get("RACE2048_LONG") else 20
# What a terminal is like when a program begins: alternate screen, mouse in all its forms, pastes marked, application
# keys off; lines wrap, and the cursor is there.
AS_BEFORE = {"1049": "l", "1000": "l", "1002": "l", "1003": "l", "1006": "l", "1015": "l", "2004": "l", "1": "l"} | {
    "7": "h",
    "25": "h",
}


class Tty:
    """A terminal: what a program has written on it, and what it has made of it."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(80, 24)
        self.name = os.ttyname(self.slave)
        self.before = termios.tcgetattr(self.slave)
        self.written = b""

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.written += os.read(self.master, 65_536)
        return True

    def expect(self, text: bytes, since: int = 0) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while text not in self.written[since:]:
            assert time.monotonic() < until_s, f"no {text!r} in {self.written[since:]!r}"
            self.read(0.1)

    def modes(self) -> dict[str, str]:
        """Every mode that was ever set or reset, as it was last."""
        while self.read(0):
            pass
        return {number.decode(): last.decode() for number, last in re.findall(rb"\x1b\[\?(\d+)([hl])", self.written)}

    def assert_as_before(self) -> None:
        modes = self.modes()
        assert {number: modes.get(number, as_it_was) for number, as_it_was in AS_BEFORE.items()} == AS_BEFORE
        assert termios.tcgetattr(self.slave) == self.before, "the terminal is not cooked any more"

    def close(self) -> None:
        for end in (self.master, self.slave):
            os.close(end)


class Stage:
    """Where programs are played (stage.py)."""

    def __init__(self, data: Path) -> None:
        ours, theirs = socket.socketpair()
        environment = os.environ | {"RACE2048_DATA": str(data), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.system.stage", str(theirs.fileno())],
            cwd=TOP,
            env=environment,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._lines = ours.makefile("rw")
        ours.close()
        self._playing = 0

    def begin(self, play: str, tty: Tty) -> int:
        """Begins a play on a terminal; returns its process. One that a failed test has left is ended first."""
        if self._playing:
            os.kill(self._playing, signal.SIGKILL)
            self.end()
        print(play, tty.name, file=self._lines, flush=True)
        self._playing = int(self._lines.readline())
        tty.expect(b"begin")
        return self._playing

    def end(self) -> int:
        """Returns the exit code of the play, once it has ended."""
        self._playing = 0
        return int(self._lines.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._lines.close()


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    made = Stage(tmp_path_factory.mktemp("data"))
    yield made
    made.close()


@pytest.fixture
def tty():
    made = Tty()
    yield made
    made.close()


@pytest.fixture
def silent_lobby():
    """The address of something that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield "{}:{}".format(*server.getsockname())


def begun(stage: Stage, tty: Tty) -> int:
    """Returns the process of a race that is on its terminal, with the mouse captured."""
    process = stage.begin("race", tty)
    tty.expect(b"offer a draw")
    modes = tty.modes()
    assert (modes["1049"], modes["1000"], modes["7"], modes["25"]) == ("h", "h", "l", "l")
    assert termios.tcgetattr(tty.slave) != tty.before
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_terminal_as_it_was(stage, tty, number):
    os.kill(begun(stage, tty), number)
    assert stage.end() == 128 + number
    tty.assert_as_before()


def test_ctrl_c_twice_leaves_the_terminal_as_it_was(stage, tty):
    begun(stage, tty)
    tty.type("\x03")
    tty.expect(b"Leave?")
    tty.type("\x03")
    assert stage.end() == 0
    tty.assert_as_before()


def test_a_bug_leaves_the_terminal_as_it_was(stage, tty):
    begun(stage, tty)
    tty.type("o")
    assert stage.end() == 70
    tty.assert_as_before()


def test_a_program_that_was_stopped_from_outside_draws_everything_again(stage, tty):
    process = begun(stage, tty)
    os.kill(process, signal.SIGSTOP)
    since = len(tty.written)
    os.kill(process, signal.SIGCONT)
    tty.expect(b"offer a draw", since)
    assert tty.modes()["1049"] == "h"
    os.kill(process, signal.SIGTERM)
    stage.end()
    tty.assert_as_before()


def test_a_terminal_that_changes_its_size_is_drawn_anew(stage, tty):
    process = begun(stage, tty)
    for columns, rows, shown in ((40, 20, b"offer a draw"), (20, 5, b"20,412"), (120, 40, b"leave")):
        since = len(tty.written)
        tty.resize(columns, rows)
        os.kill(process, signal.SIGWINCH)
        tty.expect(shown, since)
    os.kill(process, signal.SIGTERM)
    stage.end()
    tty.assert_as_before()


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(tty):
    """With a shell that knows jobs: whoever is stopped has to be a job of one."""
    program = f"{sys.executable} -c 'from tests.system.stage import race; raise SystemExit(race())'"
    shell = subprocess.Popen(
        ["/bin/bash", "--norc", "--noprofile", "-i"],
        cwd=TOP,
        stdin=tty.slave,
        stdout=tty.slave,
        stderr=tty.slave,
        env=os.environ | {"TERM": "xterm-256color", "PS1": "ready$ ", "LANG": "C.UTF-8"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    try:
        tty.expect(b"ready$ ")
        tty.type(f"{program}\n")
        tty.expect(b"offer a draw")
        since = len(tty.written)
        tty.type("\x1a")
        tty.expect(b"Stopped", since)
        modes = tty.modes() | {"2004": "l"}  # which the shell has for itself
        assert {number: modes.get(number, as_it_was) for number, as_it_was in AS_BEFORE.items()} == AS_BEFORE
        since = len(tty.written)
        tty.type("fg\n")
        tty.expect(b"offer a draw", since)
        assert tty.modes()["1049"] == "h"
        since = len(tty.written)
        tty.type("\x03\x03")
        tty.expect(b"ready$ ", since)
        assert tty.modes()["1049"] == "l"
        assert tty.written.count(b"\x1b[22;2t") == tty.written.count(b"\x1b[23;2t") == 2  # the window's own title
        tty.type("echo code $?\n")
        tty.expect(b"code 0", since)
    finally:
        shell.kill()
        shell.wait()


def test_an_interrupt_at_any_moment_leaves_the_terminal_as_it_was(stage, silent_lobby):
    moments = random.Random(2048)
    shown = 0
    for number in range(INTERRUPTS):
        tty = Tty()
        try:
            process = stage.begin(f"join {silent_lobby}", tty)
            if number % 2:  # half of them near the moment at which the terminal is taken
                tty.expect(b"\x1b[?1049h")
            time.sleep(moments.uniform(0, 0.1))
            os.kill(process, signal.SIGINT)
            assert stage.end() == 128 + signal.SIGINT, tty.written
            tty.assert_as_before()
            assert b"Traceback" not in tty.written
            shown += b"Connecting" in tty.written
        finally:
            tty.close()
    assert shown > INTERRUPTS / 4, "most of them came before there was anything on the terminal"


@pytest.mark.parametrize("play", ["table RACING", "deaf RACING"])
def test_a_terminal_that_is_closed_ends_us_with_or_without_a_signal(stage, play):
    tty = Tty()
    stage.begin(play, tty)
    tty.expect(b"offer a draw")
    tty.close()
    assert stage.end() == 128 + signal.SIGHUP


def test_where_there_is_nothing_to_show_the_first_picture_goes_before_that_is_said(stage, tty):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "{}:{}".format(*server.getsockname())
    stage.begin(f"join {address}", tty)
    assert stage.end() == 3
    tty.assert_as_before()
    picture, _, said = tty.written.partition(b"\x1b[?1049l")
    assert b"Connecting" in picture
    assert b"cannot be reached" in said
    assert tty.written.count(b"\x1b[?1049l") == 1  # a second one would put the cursor back over what was said


def test_what_is_wrong_with_a_name_is_said_on_the_terminal_as_it_was(stage, tty):
    stage.begin("program join http://127.0.0.1:9/t/482913 --name a-name-that-is-far-too-long", tty)
    assert stage.end() == 2
    tty.assert_as_before()
    assert b"Choose another with --name" in tty.written.partition(b"\x1b[?1049l")[2]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("later_s", [0.0, 0.05, 0.2])
def test_a_signal_while_join_is_still_loading_is_not_lost(silent_lobby, tmp_path, number, later_s):
    screen = Terminal(["join", f"http://{silent_lobby}/t/482913"], tmp_path)
    modes = termios.tcgetattr(screen._master)  # python itself takes longer to start than this
    try:
        until_s = time.monotonic() + PATIENCE_S
        while b"\x1b[?1049h" not in screen.written and time.monotonic() < until_s:
            screen.read(0.05)
        at_s = time.monotonic() + later_s
        while time.monotonic() < at_s:
            screen.read(at_s - time.monotonic())
        screen.process.send_signal(number)
        assert screen.end() == 128 + number
        assert screen.written.rfind(b"\x1b[?1049l") > screen.written.rfind(b"\x1b[?1049h") >= 0
        assert screen.written.rfind(b"\x1b[?25h") > screen.written.rfind(b"\x1b[?25l")
        assert termios.tcgetattr(screen._master) == modes
        assert b"Traceback" not in screen.written
    finally:
        screen.close()
