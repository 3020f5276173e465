"""Luck as it comes to a result screen: a moment later, from a process that does not outlive the screen."""

import time
from pathlib import Path

import pytest

from tests.system.terminals import PATIENCE_S, Terminal, end_lobbies


@pytest.fixture
def result(tmp_path):
    """The result screen of a host who has made 256, in more than 100 moves, against a computer player."""
    host = Terminal(
        ["host", "--port", "0", "--bots", "1", "--size", "5", "--target", "256", "--name", "fox"], tmp_path / "data"
    )
    host.expect("Everyone is ready")
    host.press("s")
    host.expect("0:0")
    host.play_until("You made 256 first", "2 logs replayed", "Deciding")
    host.expect("2 logs replayed")
    yield host
    host.close()
    end_lobbies(tmp_path)


def weighing(parent: int) -> list[Path]:
    """The children of this process that work out luck."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "stat").read_text().rpartition(")")[2].split()
            command = (process / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if int(told[1]) == parent and b"client.weighing" in command:
            found.append(process)
    return found


def test_luck_appears_on_the_result_screen_by_itself(result):
    result.expect("Luck: fox")
    assert weighing(result.process.pid) == []
    result.press("\x03")
    assert result.end() == 0


def test_who_leaves_meanwhile_waits_for_nothing_and_leaves_nothing_running(result):
    until_s = time.monotonic() + PATIENCE_S
    while not (children := weighing(result.process.pid)) and "Luck: fox" not in result.text:
        assert time.monotonic() < until_s
        result.read(0.01)
    result.press("\x03")
    assert result.end() == 0
    assert not [child for child in children if child.exists()]
