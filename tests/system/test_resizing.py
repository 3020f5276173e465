"""A terminal may change its size at any time, in every screen (ux.md 2.1; field report A12): real pseudo-terminals."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest

from tests.system.test_terminal import PATIENCE_S, Stage, Tty

RECORD = Path(__file__).parents[2] / "docs" / "race.r2048"
ERASED, SHOWN = b"\x1b[H\x1b[2J", b"\x1b[?2026l"  # how every whole picture begins and ends (client/tui/writing.py)
WIDE = (80, 24)
ROOMY = ((40, 20), (120, 40), (41, 60), (300, 90))  # where everything is to be there
TIGHT = ((39, 19), (24, 9), (23, 8), (20, 5), (200, 3), (3, 40), (1, 1))
# play, keys that lead to the screen, what is then there at every size from 40×20 up
QUIET_S = 0.3
SCREENS = {
    "home": ("program", "", "quit"),
    "home, a text": ("program", "?", "scroll"),
    "home, a line to type in": ("program", "j482", "› 482"),
    "home, the records": ("program", "v", "No records yet"),
    "home, the settings": ("program", "s", "palette "),
    "home, the form": ("program", "h", "computer players"),
    "connecting": ("join", "", "Connecting"),
    "seating": ("table SEATING", "", "482-913"),
    "seating, the form": ("table SEATING", "e", "take these"),
    "seating, the link": ("table SEATING", "t", "192.168.1.23"),
    "countdown": ("table COUNTDOWN", "", "stop the countdown"),
    "race": ("table RACING", "", "20,412"),
    "race, the keys": ("table RACING", "?", "arrows"),
    "race, the menu": ("table RACING", "\x1b", "do it"),
    "race, a question": ("table RACING", "R", "Resign"),
    "result": ("table FINISHED", "", "first"),
    "replay": (f"program replay {RECORD}", " ", "paused"),
    "replay, the keys": (f"program replay {RECORD}", " ?", "speed, ×0.25"),
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("data"))
    yield made
    made.close()


@pytest.fixture
def tty() -> Iterator[Tty]:
    made = Tty()
    yield made
    made.close()


@pytest.fixture
def silent_lobby() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield "{}:{}".format(*server.getsockname())


def resized(tty: Tty, process: int, size: tuple[int, int]) -> list[str]:
    """Returns the whole picture that comes for this size, as a person sees it."""
    since = len(tty.written)
    tty.resize(*size)
    os.kill(process, signal.SIGWINCH)
    tty.expect(ERASED, since)
    if size in TIGHT:  # where there may be nothing to show
        return []
    tty.expect(SHOWN, since + tty.written[since:].index(ERASED))
    return picture(tty.written[since:], size)


def quieten(tty: Tty) -> None:
    """Takes in what is still drawn for the size before: both the terminal and we have told that it was another."""
    until_s = time.monotonic() + PATIENCE_S
    while tty.read(QUIET_S):
        assert time.monotonic() < until_s, "it draws and draws"


def picture(written: bytes, size: tuple[int, int]) -> list[str]:
    screen = pyte.Screen(*size)
    pyte.ByteStream(screen).feed(written)
    return [line.rstrip() for line in screen.display]


def until(tty: Tty, text: str, since: int) -> None:
    """Waits until this text is on the screen, which was drawn whole in what was written since."""
    until_s = time.monotonic() + PATIENCE_S
    while text not in "\n".join(picture(tty.written[since:], WIDE)):
        assert time.monotonic() < until_s, picture(tty.written[since:], WIDE)
        tty.read(0.1)


def begun(stage: Stage, tty: Tty, name: str, address: str) -> tuple[int, str]:
    """Returns the process of a screen that is on its terminal, and what is to be seen on it."""
    play, keys, seen = SCREENS[name]
    process = stage.begin(f"join {address}" if play == "join" else play, tty)
    tty.expect(b"Connecting" if play == "join" else SHOWN)
    tty.type(keys)
    until(tty, seen, 0)
    return process, seen


@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_follows_the_terminal_to_any_size_and_back(stage, tty, silent_lobby, name) -> None:
    process, seen = begun(stage, tty, name, silent_lobby)
    resized(tty, process, (81, 24))
    quieten(tty)
    before = resized(tty, process, WIDE)
    for size in ROOMY:
        assert seen in "\n".join(resized(tty, process, size)), size
    for size in TIGHT:
        resized(tty, process, size)
    quieten(tty)
    assert resized(tty, process, WIDE) == before
    os.kill(process, signal.SIGTERM)
    assert stage.end() == 128 + signal.SIGTERM
    tty.assert_as_before()


@pytest.mark.parametrize("size", [*TIGHT, *ROOMY])
def test_moves_count_on_a_terminal_of_any_size(stage, tty, size) -> None:
    process = stage.begin("table RACING", tty)
    tty.expect(b"20,412")
    resized(tty, process, size)
    tty.type("\x1b[A\x1b[B\x1b[D")
    since = len(tty.written)
    resized(tty, process, WIDE)
    until(tty, "20,415", since)
    os.kill(process, signal.SIGTERM)
    stage.end()
