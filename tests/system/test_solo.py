"""A game alone as a person has it: on a terminal, killed at any moment and resumed, twice at once, on a full disk."""

import signal
import time

import pytest

from protocol.replaying import played
from protocol.solo import parse_solo
from protocol.solo_verdict import verify_solo
from tests.client.alone import SMALL, Played, with_key
from tests.system.terminals import Terminal

FOOTER = "new game"
HELP = "Letters count by their place"


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text('motion = "off"\n')


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def terminal(data):
    made = []

    def start(*words, columns=80, rows=24):
        made.append(Terminal(("play", *words), data, columns, rows))
        return made[-1]

    yield start
    for each in made:
        each.close()


def saved(data, name="game"):
    return parse_solo((data / "solo" / f"{name}.r2048").read_bytes())


def entries(data, name="game"):
    path = data / "solo" / f"{name}.r2048"
    return len(saved(data, name).acts) if path.exists() and path.stat().st_size else 0


def play(screen, data, acts, name="game"):
    """Presses keys until so many acts are in the save, none before those before it are answered."""
    for _ in range(acts):
        if entries(data, name) >= acts:
            break
        screen.press("asdw")
        answered(screen)
    assert entries(data, name) >= acts


def answered(screen):
    """Waits until all that was typed has been answered: keys are taken in order, and these two show themselves."""
    screen.press("?")
    screen.expect(HELP)
    screen.press("\r")
    screen.until(lambda: HELP not in screen.text, "the board")


def board_of(screen):
    """The rows of the screen that show a board, without the clock."""
    return [line[:48] for line in screen.text.splitlines()[1:22]]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_it_is_there_and_ctrl_c_leaves_the_terminal_as_it_was(terminal, columns, rows):
    screen = terminal("--seed", "x", columns=columns, rows=rows)
    screen.expect(FOOTER)
    assert "4×4, to 2048" in screen.text
    assert "best" in screen.text
    answered(screen)  # before it takes the terminal over, Ctrl-C is a signal
    screen.press("\x03")
    assert screen.end() == 0
    assert screen.written.rfind(b"\x1b[?1049l") > screen.written.rfind(b"\x1b[?1049h")
    assert screen.written.rfind(b"\x1b[?25h") > screen.written.rfind(b"\x1b[?25l")


def test_killed_and_resumed_it_is_the_very_same_game(terminal, data):
    screen = terminal()
    screen.expect(FOOTER)
    play(screen, data, 12)
    screen.press("u")
    answered(screen)
    assert 5 in saved(data).acts
    there = board_of(screen)
    screen.process.send_signal(signal.SIGKILL)
    screen.process.wait()
    before = played(saved(data))
    again = terminal()
    again.expect(FOOTER)
    again.until(lambda: board_of(again) == there, "the same board")
    play(again, data, len(saved(data).acts) + 2)
    after = saved(data)
    assert played(after).undos == before.undos == 1
    assert verify_solo((data / "solo" / "game.r2048").read_bytes()).ok


def test_a_new_game_asks_once_and_the_old_one_is_kept_as_a_signed_record(terminal, data):
    screen = terminal()
    screen.expect(FOOTER)
    play(screen, data, 5)
    screen.press("n")
    screen.expect("New game")
    screen.press("\r")
    screen.expect("[y]")
    screen.press("w")  # a key that was meant for the board is no yes
    screen.until(lambda: "[y]" not in screen.text, "the board without a question")
    screen.press("n\r")
    screen.expect("[y]")
    screen.press("y")
    screen.until(lambda: bool(list((data / "solo" / "games").iterdir())), "a record")
    answered(screen)
    screen.press("\x03")
    assert screen.end() == 0
    (record,) = (data / "solo" / "games").iterdir()
    verdict = verify_solo(record.read_bytes())
    assert (verdict.ok, verdict.unsigned) == (True, 0), verdict.reason


def test_a_second_terminal_gets_a_game_of_its_own_and_says_so(terminal, data):
    first = terminal()
    first.expect(FOOTER)
    play(first, data, 3)
    answered(first)
    before = saved(data).acts
    second = terminal()
    second.expect("another terminal")
    play(second, data, 3, "game-2")
    assert saved(data).acts == before
    for screen in (first, second):
        screen.press("\x03")
        assert screen.end() == 0


def test_a_terminal_that_is_closed_leaves_a_saved_and_signed_game(terminal, data):
    screen = terminal()
    screen.expect(FOOTER)
    play(screen, data, 4)
    screen.hang_up()
    assert screen.process.wait(10) == 129
    verdict = verify_solo((data / "solo" / "game.r2048").read_bytes())
    assert (verdict.ok, verdict.unsigned) == (True, 0)


def test_a_damaged_save_is_kept_and_a_new_game_begins(terminal, data):
    (data / "solo").mkdir(parents=True)
    (data / "solo" / "game.r2048").write_bytes(b"not a game at all")
    screen = terminal()
    screen.expect("another program's file")
    answered(screen)
    screen.press("\x03")
    assert screen.end() == 0
    assert (data / "solo" / "game.r2048.foreign").read_bytes() == b"not a game at all"


def test_on_a_disk_that_takes_nothing_play_goes_on_and_that_is_told_once(terminal, data):
    (data / "solo").mkdir(parents=True)
    (data / "solo" / "game.r2048").symlink_to("/dev/full")
    screen = terminal()
    screen.expect("cannot be saved")
    screen.press("asdwasdwasdw")
    answered(screen)
    assert "cannot be saved" not in screen.text
    assert "move" in screen.text
    screen.press("\x03")
    assert screen.end() == 0
    assert b"was not saved" in screen.written


def test_a_key_is_answered_by_its_picture_with_the_move_on_the_disk(terminal, data):
    screen = terminal()
    screen.expect(FOOTER)
    play(screen, data, 2)
    answered(screen)
    for _ in range(20):
        before, size = len(screen.written), (data / "solo" / "game.r2048").stat().st_size
        for key in "asdw":
            screen.press(key)
            until_s = time.monotonic() + 2
            while len(screen.written) == before and time.monotonic() < until_s and screen.read(0.05):
                pass
            if len(screen.written) > before:
                break
        if (data / "solo" / "game.r2048").stat().st_size > size:
            return
    raise AssertionError("no move was seen")


def test_a_ghost_runs_beside_it_in_its_own_time(terminal, data):
    ghost = Played(SMALL, 15)
    with_key(data)
    (data / "ghost.r2048").write_bytes(ghost.sealed())
    screen = terminal("--ghost", str(data / "ghost.r2048"))
    screen.expect("ghost race")
    assert "fox" in screen.text
    screen.press("asdw")
    total = f"{ghost.game.solo.game.score:,}"
    screen.expect(total)
    screen.press("\x03")
    assert screen.end() == 0
