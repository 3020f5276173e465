"""client/tui/solo_screen.py: keys become acts, and pictures show what came of them."""

import subprocess
import sys
from dataclasses import replace

import pytest

from client.ghost import solo_ghost
from client.hinting import SLICE_NODES
from client.solo import Choice
from client.solo_play import SoloPlay, Wanted
from client.solo_store import SoloStore
from client.solo_timeline import SoloTimeline
from client.tui import solo_screen, thinking
from client.tui.canvas import text_of
from client.tui.look import Look, Motion
from client.tui.solo_screen import SoloScreen
from engine.solo import UNDO_DEPTH, SoloKind
from engine.solver import HINT_NODES, search
from protocol.solo import Origin, parse_solo
from tests.client.alone import ENDLESS, SMALL, Played, legal, with_key

LOOK = Look(motion=Motion.OFF)


class Clock:
    """A clock that stands until it is set."""

    def __init__(self):
        self.s = 1_000.0

    def monotonic(self):
        return self.s

    def monotonic_ns(self):
        return round(self.s * 1_000_000_000)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(solo_screen, "time", clock)
    return clock


@pytest.fixture
def _slices(monkeypatch):
    """A turn of the loop is one slice."""
    monkeypatch.setattr(thinking, "TURN_S", 0.0)


@pytest.fixture
def screen(tmp_path, clock):
    """Returns a function that shows what was wanted; what is shown is left at the end."""
    shown = []

    def show(wanted=None, ghosts=(), look=LOOK):
        play = SoloPlay(SoloStore(tmp_path), wanted or Wanted(SMALL, Origin.TEXT, "alone"))
        shown.append(SoloScreen(play, look, ghosts))
        shown[-1].prepare()
        return shown[-1]

    with_key(tmp_path)
    yield show
    for each in shown:
        if each.play.game.solo.t_ms >= 0 and each.play._save is not None:
            each.close()


def text(screen, columns=80, rows=24):
    return "\n".join(text_of(screen.picture(columns, rows)))


def move(screen, count=1):
    for _ in range(count):
        screen.press(legal(screen.play.game).name.lower())


def test_a_key_moves_the_tiles_and_the_picture_shows_it(screen):
    shown = screen()
    move(shown, 3)
    assert shown.play.game.solo.game.moves == 3
    assert str(shown.play.game.solo.game.score) in text(shown)


def test_five_hundred_keys_in_one_go_are_five_hundred_decisions_in_order(screen):
    shown = screen()
    keys = ["left", "up", "right", "down"] * 125
    twin = Played(SMALL, 0)
    for key in keys:
        shown.press(key)
    for key in keys:
        if not twin.game.banner and not twin.game.solo.game.stuck:
            twin.game.push({"up": 0, "right": 1, "down": 2, "left": 3}[key], 0)  # type: ignore[arg-type]
    assert shown.play.game.solo.game.board == twin.game.solo.game.board


def test_shift_makes_no_difference(screen):
    shown = screen()
    shown.press(f"shift-{legal(shown.play.game).name.lower()}")
    assert shown.play.game.solo.game.moves == 1


def test_the_clock_is_drawn_anew_every_second_once_it_runs(screen, clock):
    shown = screen()
    assert shown.draw(80, 24).again_s is None
    move(shown)
    clock.s += 2.25
    frame = shown.draw(80, 24)
    assert frame.again_s == pytest.approx(0.75)
    assert "0:02" in text(shown)


def test_tiles_slide_at_thirty_pictures_a_second(screen, clock):
    shown = screen(look=Look())
    shown.draw(80, 24)
    move(shown)
    assert shown.draw(80, 24).again_s == pytest.approx(1 / 30)
    clock.s += 0.2
    assert shown.draw(80, 24).again_s > 0.5


def test_swipes_count_only_while_nothing_lies_over_the_board(screen):
    shown = screen()
    assert shown.draw(80, 24).mouse
    shown.press("escape")
    assert not shown.draw(80, 24).mouse
    shown.press("escape")
    shown.press("m")
    assert not shown.draw(80, 24).mouse


def test_undo_goes_back_five_moves(screen):
    shown = screen()
    move(shown, 8)
    for _ in range(7):
        shown.press("u")
    assert (shown.play.game.solo.game.moves, shown.play.game.solo.undos) == (8 - UNDO_DEPTH, UNDO_DEPTH)
    assert "nothing to take back" in text(shown)


def test_a_held_key_does_not_answer_the_banner_and_enter_does_after_a_moment(screen, clock):
    shown = screen()
    while not shown.play.game.banner:
        move(shown)
    moves = shown.play.game.solo.game.moves
    for key in ("left", "up", "right", "down", "enter"):
        shown.press(key)
    assert shown.play.game.banner
    assert shown.play.game.solo.game.moves == moves
    clock.s += 0.6
    shown.press("enter")
    assert not shown.play.game.banner
    move(shown)
    assert shown.play.game.solo.game.moves == moves + 1


def test_after_the_end_enter_begins_anew_but_not_at_once(screen, clock):
    shown = screen(Wanted(ENDLESS, Origin.TEXT, "alone"))
    while not shown.play.game.solo.game.stuck:
        move(shown)
    shown.press("enter")
    assert shown.play.game.solo.game.stuck
    clock.s += 0.6
    shown.press("enter")
    assert shown.play.game.solo.game.moves == 0
    assert len(shown.play.finished) == 1


def test_a_notice_is_there_until_the_next_key(screen, tmp_path):
    (tmp_path / "solo").mkdir()
    (tmp_path / "solo" / "game.r2048").write_bytes(b"rubbish")
    shown = screen()
    assert "another program's file" in " ".join(text(shown).split())
    assert "another program's file" in " ".join(text(shown).split())
    move(shown)
    assert "another program's file" not in " ".join(text(shown).split())


def test_the_unfinished_game_is_asked_about_on_its_own_board(screen, tmp_path):
    (tmp_path / "solo").mkdir()
    (tmp_path / "solo" / "game.r2048").write_bytes(Played(SMALL, 9).data)
    shown = screen(Wanted(ENDLESS))
    assert "unfinished game" in text(shown)
    shown.press("n")
    assert "unfinished game" not in text(shown)
    assert (shown.play.game.solo.game.moves, shown.play.offered) == (9, None)


def test_ghosts_run_by_the_clock_of_the_game(screen, clock):
    ghost = solo_ghost(SoloTimeline(parse_solo(Played(SMALL, 60, name="hare").data)))
    deck = Played(SMALL, 0).game.opening.deck
    shown = screen(Wanted(SMALL, Origin.GHOST, deck=deck), (replace(ghost, made_ms=None),))
    clock.s += 60
    assert "0 moves" in text(shown)
    move(shown)
    clock.s += 60
    assert f"{ghost.steps[-1].score}" in text(shown)
    assert "hare" in text(shown)


# ── hints (field-reports A44) ────────────────────────────────────────────────────────────────────────────────────


BIG = Wanted(Choice(8, SoloKind.ENDLESS, 0), Origin.TEXT, "alone")


def thought_out(shown):
    """Lets the loop turn until the hint is there; returns how many turns that took."""
    turns = 0
    while shown.draw(80, 24).again_s == 0:
        turns += 1
    return turns


def test_a_hint_is_what_the_solver_would_do_and_says_why(screen):
    shown = screen(Wanted(ENDLESS, Origin.TEXT, "alone"))
    move(shown, 12)
    shown.press("i")
    assert "the solver is thinking" in text(shown)
    thought_out(shown)
    best = search(shown.play.game.solo.game.board, HINT_NODES).best
    assert best is not None
    assert f"Hint 1: {best.name.lower()}; " in text(shown)
    assert "1 hint" in text(shown)


@pytest.mark.usefixtures("_slices")
def test_on_8x8_a_turn_of_the_loop_thinks_for_a_slice_and_the_picture_of_a_key_for_none(screen):
    shown = screen(BIG)
    move(shown, 40)
    shown.press("i")
    shown.draw(80, 24)
    searching = shown._hint.search
    assert searching.nodes == 0
    seen: list[int] = []
    while not searching.done:
        before = searching.nodes
        if len(seen) % 2:
            shown.press("m")  # a key that leaves the board as it is
            assert shown.draw(80, 24).again_s == 0
            assert searching.nodes == before
        shown.draw(80, 24)
        seen.append(searching.nodes - before)
    assert max(seen) <= SLICE_NODES + 7
    assert len(seen) > 10


@pytest.mark.usefixtures("_slices")
def test_the_next_move_ends_the_hint_and_its_thinking(screen):
    shown = screen(BIG)
    move(shown, 40)
    shown.press("i")
    for _ in range(5):
        shown.draw(80, 24)
    searching = shown._hint.search
    move(shown)
    nodes = searching.nodes
    assert 0 < nodes < HINT_NODES
    assert shown.draw(80, 24).again_s != 0
    assert searching.nodes == nodes
    assert "Hint" not in text(shown)


def test_asking_twice_about_one_board_is_one_hint_and_other_keys_leave_it(screen):
    shown = screen()
    move(shown, 3)
    for key in ("i", "i", "m", "?", "escape"):
        shown.press(key)
        thought_out(shown)
    assert "Hint 1: " in text(shown)
    move(shown)
    shown.press("i")
    assert "Hint 2: " in text(shown)


def test_a_hint_leaves_the_record_as_it_is(screen, tmp_path):
    shown = screen()
    move(shown, 3)
    before = (tmp_path / "solo" / "game.r2048").read_bytes()
    shown.press("i")
    thought_out(shown)
    assert (tmp_path / "solo" / "game.r2048").read_bytes() == before


def test_leaving_ends_the_screen_and_closing_it_signs_the_game(screen, tmp_path):
    shown = screen()
    left = []
    shown.leave = lambda: left.append(True)
    move(shown, 2)
    shown.press("interrupt")
    shown.close()
    assert left == [True]
    assert len(parse_solo((tmp_path / "solo" / "game.r2048").read_bytes()).seals) == 1


def test_the_first_picture_is_there_before_anything_heavy_is_imported(tmp_path):
    code = f"""
import sys
from pathlib import Path
import client.cli.play, client.tui.first_frame
from client.solo_play import SoloPlay, Wanted
from client.solo_store import SoloStore
from client.tui.look import look_of
from client.tui.solo_screen import SoloScreen
from client.tui.writing import Writing
screen = SoloScreen(SoloPlay(SoloStore(Path({str(tmp_path)!r})), Wanted()), look_of({{}}))
print(len(Writing(screen.depth).update(screen.picture(80, 24).lines)) > 500)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    drawn, modules = done.stdout.splitlines()
    assert drawn == "True"
    heavy = {"aiohttp", "prompt_toolkit", "asyncio", "nacl", "zeroconf", "msgpack"}
    assert {name.partition(".")[0] for name in modules.split()} & heavy == set()
