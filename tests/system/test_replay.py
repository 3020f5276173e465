"""A replay on a terminal of its own, as a person sees it (a real process, a pty)."""

import signal

import pytest

from client.cli.exits import DONE, INTERRUPTED, NO, TERMINATED
from tests.client.replays_of import busy_race, eventful_race
from tests.protocol.races import resigned_race
from tests.system.terminals import Terminal


@pytest.fixture
def replay(tmp_path):
    """Returns a function that replays a record on a new terminal."""
    terminals = []

    def start(content, *arguments, columns=80, rows=24):
        path = tmp_path / "2026-11-30-482913.r2048"
        path.write_bytes(content)
        terminals.append(Terminal(["replay", str(path), *arguments], tmp_path, columns, rows))
        return terminals[-1]

    yield start
    for each in terminals:
        each.close()


def assert_restored(terminal):
    written = terminal.written
    assert written.rfind(b"\x1b[?1049h") < written.rfind(b"\x1b[?1049l")
    assert written.rfind(b"\x1b[?25l") < written.rfind(b"\x1b[?25h")


def test_a_race_is_shown_from_start_to_end_and_left(replay):
    terminal = replay(busy_race().record(), "--speed", "16")
    terminal.expect("Time is up:")
    terminal.expect("the end")
    for name in ("fox", "owl computer", "hare", "carp"):
        assert name in terminal.text
    terminal.press("q")
    assert terminal.end() == DONE
    assert_restored(terminal)


def test_keys_go_to_moves_and_times(replay):
    terminal = replay(busy_race().record(), "--at", "0")
    terminal.expect("paused ×1")
    assert "0 moves" in terminal.text
    terminal.press("\x1b[C\x1b[C\x1b[C")
    terminal.expect("3 moves")
    terminal.press("]")
    terminal.expect("13 moves")
    terminal.press("40\r")
    terminal.expect("40 moves")
    terminal.press("0:01\r")
    terminal.expect("0:01 ")
    terminal.press("\x1b[F")
    terminal.expect("the end")
    terminal.press("\x1b[H")
    terminal.expect("0 moves")
    terminal.press("++ ")
    terminal.expect("×4")
    terminal.expect("the end")
    terminal.press("\x1b")
    assert terminal.end() == DONE


def test_where_one_board_fits_tab_shows_the_next(replay):
    terminal = replay(busy_race().record(), "--at", "10", columns=40, rows=20)
    terminal.expect("›fox")
    terminal.press("\t")
    terminal.expect("›owl")
    terminal.press("\x03")
    assert terminal.end() == DONE


def test_it_begins_at_the_place_and_with_the_player_asked_for(replay):
    terminal = replay(eventful_race().record(), "--at", "0:40", "--player", "hare")
    terminal.expect("owl resigns.")
    assert "›hare" in terminal.text
    terminal.press("q")
    assert terminal.end() == DONE


def test_a_false_record_is_shown_after_a_warning_and_ends_with_1(replay):
    race = resigned_race()
    results = race.results(race.outcome())
    terminal = replay(race.record(results=[results[1], results[0]]))
    terminal.expect("This record is false")
    assert "THIS RECORD IS FALSE" in terminal.written.decode(errors="replace").partition("\x1b[?1049h")[0]
    terminal.press("\x1b[F ")  # End means nothing yet
    terminal.expect("the end")
    terminal.expect("FALSE RECORD: seat 0: the Result says")
    terminal.press("q")
    assert terminal.end() == NO
    assert "THIS RECORD IS FALSE" in terminal.written.decode(errors="replace").rpartition("\x1b[?1049l")[2]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, TERMINATED), (signal.SIGINT, INTERRUPTED)])
def test_a_signal_ends_it_on_a_restored_terminal(replay, number, code):
    terminal = replay(busy_race().record())
    terminal.expect("race2048")
    terminal.process.send_signal(number)
    assert terminal.end() == code
    assert_restored(terminal)
