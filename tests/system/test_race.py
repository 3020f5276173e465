"""A race from two terminals, as people see it: opened, joined, played, verified (real processes, real sockets)."""

import json
import os
import re
import signal
import subprocess
from typing import Any

import pytest

from client.cli.exits import HANGUP, TERMINATED
from tests.system.terminals import PATIENCE_S, RACE2048, Terminal, end_lobbies


@pytest.fixture
def terminal(tmp_path):
    """Returns a function that runs race2048 on a new terminal."""
    terminals = []

    def start(*arguments, data="data"):
        terminals.append(Terminal(arguments, tmp_path / data))
        return terminals[-1]

    yield start
    for each in terminals:
        each.close()
    end_lobbies(tmp_path)
    for log in tmp_path.glob("*/lobby.log"):
        assert log.read_text() == "", "the lobby had nothing to complain about"


def hosted(terminal, *options, data="data"):
    """Returns a host's terminal with the waiting screen, and the links that were printed before it."""
    host = terminal("host", "--port", "0", *options, data=data)
    host.expect("Give your friends", "Everyone is ready", "Not everyone", "ready")
    links = re.findall(r"(?:join|watch) (http://\S+)", host.written.decode(errors="replace"))
    return host, links[0], links[1]


def run(*arguments, data):
    done = subprocess.run(
        [*RACE2048, *arguments],
        env=os.environ | {"RACE2048_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def records(data):
    return sorted(data.glob("races/*.r2048"))


@pytest.mark.parametrize("guest_data", ["data", "other"], ids=["one-data-directory", "two-data-directories"])
def test_a_race_from_two_terminals(terminal, tmp_path, guest_data):
    host, join, _ = hosted(terminal, "--target", "32", "--players", "2", "--name", "fox")
    guest = terminal("join", join, "--name", "hare", data=guest_data)
    guest.expect("fox")
    guest.press("r")
    host.expect("Everyone is ready")
    host.press("s")
    host.expect("0:0")
    guest.expect("0:0")
    host.play_until("made 32 first", "Deciding")
    host.expect("You made 32 first")
    guest.expect("fox made 32 first")
    for each in (host, guest):
        each.expect("2 logs replayed")
        each.press("\x03")
        assert each.end() == 0
        assert "Verified and saved:" in each.text
    assert "1. you" in host.text
    assert "1. fox" in guest.text
    for data in {"data", guest_data}:
        (record,) = records(tmp_path / data)
        code, said = run("verify", "--json", str(record), data=tmp_path / data)
        verdict = json.loads(said)
        assert (code, verdict["ok"], verdict["outcome"]["termination"]) == (0, True, "target")
        assert [seat["name"] for seat in verdict["seats"]] == ["fox", "hare"]


def test_a_race_can_be_started_at_once_against_a_computer_player(terminal, tmp_path):
    host, _, _ = hosted(terminal, "--bots", "1", "--target", "32")
    host.expect("Everyone is ready")
    host.press("s")
    host.expect("0:0")
    host.play_until("You have won", "2 logs replayed", "Deciding")
    host.expect("2 logs replayed")
    host.press("\x03")
    assert host.end() == 0
    assert len(records(tmp_path / "data")) == 1


def test_the_link_is_printed_before_the_screen_and_stays_after_it(terminal):
    host, join, watch = hosted(terminal)
    before, _, _ = host.written.partition(b"\x1b[?1049h")
    assert join.encode() in before
    assert watch.encode() in before
    host.press("\x03")
    assert host.end() == 0
    _, _, after = host.written.rpartition(b"\x1b[?1049l")  # back to what was there before
    assert b"\x1b[2J" not in after


def test_a_host_who_leaves_an_empty_table_leaves_nothing_running(terminal, tmp_path):
    host, _, watch = hosted(terminal, "--bots", "2")
    host.press("\x03")
    assert host.end() == 0
    code, _ = run("watch", "--json", watch, data=tmp_path / "other")
    assert code == 3


def test_a_watcher_sees_figures_and_the_end_in_json(terminal, tmp_path):
    host, _, watch = hosted(terminal, "--bots", "1", "--target", "32", "--players", "2")
    watcher = subprocess.Popen([*RACE2048, "watch", "--json", watch], stdout=subprocess.PIPE, text=True)
    assert watcher.stdout is not None
    events: list[dict[str, Any]] = []
    try:
        host.expect("Everyone is ready")
        host.press("s")
        host.expect("0:0")
        host.play_until("You have won", "2 logs replayed", "Deciding")
        while not events or events[-1]["event"] != "ended":
            events.append(json.loads(watcher.stdout.readline()))
    finally:
        watcher.terminate()
        watcher.communicate(timeout=PATIENCE_S)
    assert watcher.returncode == TERMINATED
    assert {event["event"] for event in events[:-1]} == {"standings"}
    assert [set(seat) for seat in events[0]["seats"]] == [{"seat", "name", "score", "max_tile", "moves", "state"}] * 2
    assert events[-1]["outcome"]["termination"] == "target"


def test_a_terminal_that_is_closed_in_a_race_ends_the_program_and_not_the_race(terminal):
    """Field report A19: the process ends by itself, and its seat is away, not resigned."""
    host, join, _ = hosted(terminal, "--players", "2", "--name", "fox")
    guest = terminal("join", join, "--name", "hare", data="other")
    guest.expect("fox")
    guest.press("r")
    host.expect("Everyone is ready")
    host.press("s")
    guest.expect("0:0")
    guest.hang_up()
    assert guest.process.wait(PATIENCE_S) == HANGUP
    host.expect("away")


def test_a_host_whose_terminal_is_closed_leaves_the_lobby_to_the_others(terminal):
    host, join, _ = hosted(terminal, "--players", "2", "--name", "fox")
    guest = terminal("join", join, "--name", "hare", data="other")
    guest.expect("fox")
    host.hang_up()
    assert host.process.wait(PATIENCE_S) == HANGUP
    guest.expect("away")


def test_a_host_who_is_terminated_keeps_the_seat_for_a_while(terminal):
    host, join, _ = hosted(terminal, "--players", "2", "--name", "fox")
    guest = terminal("join", join, "--name", "hare", data="other")
    guest.expect("fox")
    host.process.terminate()
    assert host.end() == TERMINATED
    assert "\x1b[?1049l" in host.written.decode(errors="replace")
    guest.expect("away")


def test_a_guest_who_was_killed_finds_the_same_seat_again(terminal):
    host, join, _ = hosted(terminal, "--players", "2", "--name", "fox")
    guest = terminal("join", join, "--name", "hare", data="other")
    guest.expect("fox")
    guest.press("r")
    host.expect("Everyone is ready")
    host.press("s")
    guest.expect("0:0")
    guest.process.kill()
    guest.process.wait()
    host.expect("away")
    again = terminal("join", join, "--name", "hare", data="other")
    again.expect("0:")
    host.expect("racing")
    again.play_until("moves")


def test_the_lobby_goes_on_for_the_others_when_the_host_is_killed(terminal):
    host, join, _ = hosted(terminal, "--players", "2", "--target", "32", "--name", "fox")
    guest = terminal("join", join, "--name", "hare", data="other")
    guest.expect("fox")
    guest.press("r")
    host.expect("Everyone is ready")
    host.press("s")
    guest.expect("0:0")
    host.process.send_signal(signal.SIGKILL)
    guest.play_until("made 32 first", "Deciding")
    guest.expect("You made 32 first")
    guest.expect("2 logs replayed")
