"""A client that is killed and started again, as real processes: in time, and too late (rules 4.6, 6.3)."""

import json
import re
import subprocess
import sys
import time

import pytest

from tests.system.terminals import Terminal

AWAY_S = 12  # instead of 60; a program takes up to four to be back on a busy machine
DEAL = json.dumps({"windows": {"away_ms": 1_000 * AWAY_S}})


@pytest.fixture
def lobby(tmp_path):
    """Returns the address of a lobby with a shorter window, which ends with the test."""
    command = [sys.executable, "-P", "-m", "lobby", "--json", "--bind", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--data-dir", str(tmp_path / "lobby"), "--deal", DEAL], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["url"]
    process.terminate()
    process.wait(10)
    process.stdout.close()


def figures(terminal):
    """Everything that stands under `moves` on the own screen: board, score, moves."""
    return [line[:70] for line in terminal.text.splitlines()[2:-1] if re.search(r"\d", line)]


@pytest.mark.parametrize("late", [False, True], ids=["in-time", "too-late"])
def test_a_killed_client_is_back_where_it_was_or_has_forfeited(lobby, tmp_path, late):
    terminals = []

    def start(*arguments, data):
        terminals.append(Terminal(arguments, tmp_path / data))
        return terminals[-1]

    try:
        host = start("host", "--lobby", lobby, "--players", "2", "--kind", "endless", "--name", "fox", data="fox")
        host.expect("Give your friends")
        link = re.findall(r"join (http://\S+)", host.written.decode(errors="replace"))[0]
        guest = start("join", link, "--name", "hare", data="hare")
        guest.expect("fox")
        guest.press("r")
        host.expect("Everyone is ready")
        host.press("s")
        guest.expect("0:0")
        for key in "adadsdawadsads":
            guest.press(key)
            guest.read(0.05)
        guest.settle(0.6)
        before = figures(guest)
        assert len(before) > 3
        guest.process.kill()
        guest.process.wait()
        host.expect("away")
        if late:
            host.expect("hare forfeited")
        else:
            time.sleep(AWAY_S / 3)
        again = start("join", link, "--name", "hare", data="hare")
        if late:
            again.expect("hare forfeited")
            return
        again.expect("moves")
        for _ in range(100):
            if figures(again) == before:
                break
            again.read(0.1)
        assert figures(again) == before
        host.expect("racing")
    finally:
        for terminal in terminals:
            terminal.close()
