"""client/tui/train_*.py: a training game on a screen: keys, pictures, and a solver that no key waits for."""

import subprocess
import sys
from dataclasses import replace

import pytest

from client.hinting import SLICE_NODES
from client.training import TrainingView, training_opening
from client.tui import thinking, train_screen
from client.tui.canvas import text_of
from client.tui.keys import KEYBOARDS
from client.tui.look import Look, Motion
from client.tui.palette import PALETTES, Depth
from client.tui.train_keys import KEYS, Do, Step, TrainUi, available, menu_items, press
from client.tui.train_paint import paint_train, plan_train
from client.tui.train_screen import TrainScreen
from engine.board import Direction
from tests.client.test_solo_screen import Clock

SIZES = [(40, 20), (80, 24), (120, 40)]
LOOK = Look(motion=Motion.OFF)
KEYS_PLAYED = ("left", "down", "right", "up")


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(train_screen, "time", clock)
    return clock


def screen_of(size=4, *, computer=False):
    screen = TrainScreen(lambda: training_opening(size, "abc", b""), LOOK, computer=computer)
    screen.prepare()
    return screen


def text(screen, columns=80, rows=24):
    return "\n".join(text_of(screen.picture(columns, rows)))


def flat(screen, columns=80, rows=24):
    """What stands on the right, without line ends."""
    return " ".join(line[49:] for line in text(screen, columns, rows).splitlines()[1:]).split()


def idle(screen):
    """Draws until the solver has nothing left."""
    while screen.draw(80, 24).again_s == 0:
        pass


@pytest.fixture
def played(clock):
    """A game of 60 hasty moves, judged."""
    screen = screen_of()
    for number in range(60):
        clock.s += 0.1
        screen.press(KEYS_PLAYED[number * 7 % 4])
    while screen.training.think():
        pass
    assert len(screen.training.costliest) == 3
    return screen


def view_of(screen: TrainScreen) -> TrainingView:
    return screen.training.view(0)


def test_no_key_stands_twice():
    assert len(dict(KEYS)) == len(KEYS)


@pytest.mark.parametrize("keyboard", KEYBOARDS)
def test_letters_count_by_their_place_on_any_keyboard(view, keyboard):
    letters = dict(zip("qwertyuiopasdfghjklzxcvbnm", KEYBOARDS[keyboard], strict=True))
    assert press(view, TrainUi(), letters["i"]).do is Do.HINT
    assert press(view, TrainUi(), letters["j"]).move is Direction.DOWN
    assert press(view, TrainUi(), letters["v"]).ui.review == 0


def test_every_command_of_the_menu_has_its_key(played):
    for computer in (False, True):
        if computer:
            played.press("c")
        view = view_of(played)
        for place, command in enumerate(menu_items(view, TrainUi())):
            by_menu = press(view, TrainUi(menu=place), "enter")
            key = {"Ctrl-C": "interrupt"}.get(command.key, command.key)
            assert by_menu == press(view, TrainUi(), key), command


def test_a_bad_move_is_told_with_how_much_worse_it_was(played):
    worst = played.training.costliest[0]
    played.press("v")
    played.press("enter")
    played.press(worst.verdict.made.name.lower())
    idle(played)
    said = " ".join(flat(played))
    assert "was clearly worse than" in said
    assert "cells less room" in said
    assert f"For {worst.verdict.best.name.lower()} speaks: " in said


def test_the_costliest_moves_are_shown_and_one_is_played_on_from(played):
    worst = played.training.costliest[1]
    played.press("v")
    shown = text(played)
    assert "Your costliest moves" in shown
    assert all(f"{place}. move {each.move}:" in shown for place, each in enumerate(played.training.costliest, 1))
    played.press("down")
    played.press("enter")
    assert played.training.game.solo.game.board == worst.verdict.board
    assert f"practice from move {worst.move}" in text(played)


def test_a_digit_chooses_one_of_the_costliest_moves_and_escape_none(view):
    assert press(view, TrainUi(review=0), "3").practise == view.costliest[2]
    assert press(view, TrainUi(review=0), "4").practise is None
    assert press(view, TrainUi(review=1), "escape") == Step(TrainUi())
    assert press(view, TrainUi(review=0), "up").ui.review == 2


def test_without_a_bad_move_the_review_says_so(clock):
    screen = screen_of()
    screen.press("v")
    assert "No move of yours was clearly worse" in text(screen)


def test_it_says_that_bests_do_not_change(clock):
    assert "Training changes no bests." in " ".join(flat(screen_of()))
    assert "Training changes no bests." in " ".join(flat(screen_of(computer=True)))


def test_the_pace_is_told(played):
    said = " ".join(flat(played))
    assert "at about move 69; you are" in said


def test_undo_takes_back_and_says_when_there_is_nothing(clock):
    screen = screen_of()
    screen.press("left")
    screen.press("u")
    assert view_of(screen).game.moves == 0
    screen.press("u")
    assert "nothing to take back" in text(screen)


def test_a_new_game_asks_once_and_only_if_there_is_something_to_lose(played):
    played.press("n")
    assert "Begin a new training game?" in text(played)
    played.press("a")
    assert view_of(played).game.moves
    played.press("n")
    played.press("y")
    assert view_of(played).game.moves == 0
    played.press("n")
    assert "Begin a new" not in text(played)


def test_after_the_end_enter_shows_the_costliest_moves_but_not_at_once(clock):
    screen = screen_of(3)
    while not view_of(screen).game.stuck:
        for key in ("right", "up", "left", "down"):
            screen.press(key)
            idle(screen)
    assert screen.training.costliest
    reviews = []
    for _ in range(2):
        screen.press("enter")
        reviews.append(screen._ui.review)
        clock.s += 0.6
    assert reviews == [None, 0]
    screen.press("escape")
    screen.press("left")
    assert "No move is left" in text(screen)


# ── the computer plays ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_computer_plays_at_its_pace_and_says_why(clock):
    screen = screen_of(computer=True)
    idle(screen)
    frame = screen.draw(80, 24)
    assert frame.again_s == pytest.approx(2)
    for _ in range(30):
        clock.s += 2
        idle(screen)
    assert view_of(screen).game.moves == 30
    said, last = " ".join(flat(screen)), view_of(screen).last
    assert last is not None
    assert f"{last.verdict.made.name.capitalize()}: " in said
    assert "computer, 2 s" in text(screen)


def test_space_stops_it_and_a_full_stop_is_one_move(clock):
    screen = screen_of(computer=True)
    screen.press(" ")
    clock.s += 60
    idle(screen)
    assert view_of(screen).game.moves == 0
    assert "paused" in text(screen)
    screen.press(".")
    idle(screen)
    clock.s += 60
    idle(screen)
    assert view_of(screen).game.moves == 1


def test_a_move_while_the_computer_plays_moves_nothing_and_says_how_to_take_over(clock):
    screen = screen_of(computer=True)
    screen.press("left")
    assert view_of(screen).game.moves == 0
    assert "[c] play yourself" in text(screen)
    screen.press("c")
    screen.press("left")
    assert view_of(screen).game.moves == 1


def test_plus_and_minus_change_its_pace(clock):
    screen = screen_of(computer=True)
    screen.press("+")
    assert "computer, 1 s" in text(screen)
    screen.press("-")
    screen.press("-")
    assert "computer, 4 s" in text(screen)


# ── a key waits for no thought ───────────────────────────────────────────────────────────────────────────────────


def nodes(thoughts):
    return sum(each.search.nodes for each in thoughts)


def test_the_picture_after_a_key_comes_without_a_thought_and_a_turn_without_a_key_thinks_a_slice(clock, monkeypatch):
    monkeypatch.setattr(thinking, "TURN_S", 0.0)
    screen = screen_of(8)
    for number in range(40):
        screen.press(KEYS_PLAYED[number * 7 % 4])
        thoughts = [screen.training.thought, *(made.thought for made in screen.training._unjudged)]
        before = nodes(thoughts)
        assert screen.draw(80, 24).again_s == 0
        assert nodes(thoughts) == before
        screen.draw(80, 24)
        assert 0 < nodes(thoughts) - before <= SLICE_NODES + 7


def test_the_first_picture_is_there_before_anything_heavy_is_imported():
    code = """
import sys
import client.cli.train, client.tui.first_frame
from client.training import training_opening
from client.tui.look import look_of
from client.tui.train_screen import TrainScreen
from client.tui.writing import Writing
screen = TrainScreen(lambda: training_opening(4, "", bytes(32)), look_of({}))
print(len(Writing(screen.depth).update(screen.picture(80, 24).lines)) > 500)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    drawn, modules = done.stdout.splitlines()
    assert drawn == "True"
    heavy = {"aiohttp", "prompt_toolkit", "asyncio", "nacl", "zeroconf", "msgpack"}
    assert {name.partition(".")[0] for name in modules.split()} & heavy == set()


# ── pictures ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("size", [3, 4, 5, 6, 8])
def test_every_board_fits_with_its_figures_the_coach_and_the_footer(clock, size, columns, rows):
    screen = screen_of(size)
    for number in range(4):
        screen.press(KEYS_PLAYED[number * 7 % 4])
    idle(screen)
    shown = text(screen, columns, rows)
    assert f"{size}×{size}" in shown
    assert f"{view_of(screen).game.score}" in shown
    assert "hint" in shown.splitlines()[-1]
    assert screen.training.view(0).last.verdict.made.name.capitalize() in shown
    assert "…" not in shown


@pytest.mark.parametrize("rows", [*range(1, 12), 19, 30])
@pytest.mark.parametrize("columns", [1, 10, 23, 24, 39, 41, 100])
@pytest.mark.parametrize("palette", PALETTES.values(), ids=list(PALETTES))
def test_no_size_is_too_small(view, columns, rows, palette):
    for ui in (TrainUi(), TrainUi(help=True), TrainUi(menu=1), TrainUi(review=2), TrainUi(asking=True)):
        for shown in (view, replace(view, game=replace(view.game, stuck=True))):
            lines = text_of(paint_train(shown, plan_train(columns, rows, 4), palette[Depth.MONO], ui))
            assert len(lines) <= rows
            assert all(len(line) <= columns for line in lines)


@pytest.fixture(scope="module")
def view():
    screen = screen_of()
    for number in range(60):
        screen.press(KEYS_PLAYED[number * 7 % 4])
    idle(screen)
    return screen.training.view(0)


def test_at_40x20_the_end_says_what_enter_does(view):
    stuck = replace(view, game=replace(view.game, stuck=True))
    canvas = paint_train(stuck, plan_train(40, 20, 4), LOOK.palette, TrainUi())
    told = " ".join(" ".join(text_of(canvas)).split())
    assert "No move is left" in told
    assert [command.do for command in available(stuck, TrainUi()) if command.primary] == [Do.REVIEW]
    assert "Enter your costliest moves" in told or "[Enter] your costliest moves" in told


def test_while_the_review_is_open_the_footer_says_what_enter_does_there(view):
    stuck = replace(view, game=replace(view.game, stuck=True))
    canvas = paint_train(stuck, plan_train(40, 20, 4), LOOK.palette, TrainUi(review=0))
    assert "Enter play on from there" in text_of(canvas)[-1]
