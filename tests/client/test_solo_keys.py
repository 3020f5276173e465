"""client/tui/solo_keys.py: what a key does while one plays alone (field-reports A09, A17, A18)."""

from dataclasses import replace

import pytest

from client.solo import Choice, SoloView
from client.tui.keys import KEYBOARDS
from client.tui.solo_keys import KEYS, Do, Form, Row, SoloUi, Step, available, menu_items, press, rows
from engine.board import Direction
from engine.solo import Act, Made, SoloKind
from protocol.solo import Origin
from tests.client.alone import SMALL, Played

VIEW = Played(SMALL, 9).game.view(0)
UI = SoloUi()
FRESH_GAME = replace(VIEW, moves=0, undos_left=0)
WON = replace(VIEW, banner=True, made=Made(0, 9, 0))
STUCK = replace(VIEW, stuck=True)
GHOST = replace(VIEW, origin=Origin.GHOST, may_undo=False, undos_left=0)


def after(view: SoloView, *keys: str, ui: SoloUi = UI, fresh: bool = False) -> Step:
    """The last step of these keys, whose screen is kept from one to the next."""
    step = Step(ui)
    for key in keys:
        step = press(view, step.ui, key, fresh=fresh)
    return step


def test_no_key_stands_twice():
    assert len(dict(KEYS)) == len(KEYS)


@pytest.mark.parametrize(
    ("keys", "direction"),
    [("wz8k", Direction.UP), ("d6l", Direction.RIGHT), ("s2j", Direction.DOWN), ("aq4h", Direction.LEFT)],
)
def test_letters_and_digits_move_the_tiles(keys, direction):
    assert all(press(VIEW, UI, key).move is direction for key in keys)
    assert press(VIEW, UI, direction.name.lower()).move is direction


@pytest.mark.parametrize("keyboard", KEYBOARDS)
def test_undo_and_new_count_by_their_place_on_any_keyboard(keyboard):
    letters = dict(zip("qwertyuiopasdfghjklzxcvbnm", KEYBOARDS[keyboard], strict=True))
    assert press(VIEW, UI, letters["u"]).act is Act.UNDO
    assert press(VIEW, UI, letters["n"]).ui.form is not None


def test_undo_with_nothing_to_take_back_says_so():
    assert press(FRESH_GAME, UI, "u") == Step(replace(UI, remark=Do.UNDO))


def test_against_a_ghost_undo_says_that_there_is_none():
    assert press(GHOST, UI, "u") == Step(replace(UI, remark=Do.UNDO))
    assert Do.UNDO not in [command.do for command in available(GHOST, UI)]


def test_a_hint_is_asked_for_by_its_key_and_by_the_menu():
    assert press(VIEW, UI, "i") == Step(UI, hint=True)
    place = [command.do for command in menu_items(VIEW, UI)].index(Do.HINT)
    assert press(VIEW, SoloUi(menu=place), "enter").hint


def test_against_a_ghost_there_is_no_hint_and_at_the_end_nothing_to_hint_at():
    assert press(GHOST, UI, "i") == Step(replace(UI, remark=Do.HINT))
    assert press(STUCK, UI, "i") == Step(UI)
    assert Do.HINT not in [command.do for command in (*available(GHOST, UI), *available(STUCK, UI))]


def test_a_new_game_is_chosen_then_asked_about_then_begun():
    step = after(VIEW, "n", "enter")
    assert (step.begins, step.ui.asking) == (None, SMALL)
    assert press(VIEW, step.ui, "y").begins == SMALL


def test_nobody_is_asked_about_a_game_that_has_not_begun():
    assert after(FRESH_GAME, "n", "enter").begins == SMALL


@pytest.mark.parametrize("key", ["n", "escape", "enter", "N"])
def test_a_no_is_a_no_and_nothing_else(key):
    step = after(VIEW, "n", "enter", key)
    assert step == Step(replace(step.ui, asking=None), declined=True)


def test_a_key_of_the_board_is_a_no_and_still_a_move():
    step = after(VIEW, "n", "enter", "a")
    assert (step.declined, step.move, step.begins) == (True, Direction.LEFT, None)


def test_no_held_key_gives_up_a_game():
    for key in [*"wasdzqhjkl8462unm?xR ", "up", "enter", "escape"]:
        ui = UI
        for _ in range(50):
            step = press(VIEW, ui, key)
            assert step.begins is None
            ui = step.ui


def test_the_form_goes_through_sizes_kinds_and_targets():
    assert after(VIEW, "n", "right").ui.form == Form(Choice(4, SoloKind.CLASSIC, 11), Row.SIZE)
    assert after(VIEW, "n", "left").ui.form == Form(Choice(8, SoloKind.CLASSIC, 13), Row.SIZE)
    assert after(VIEW, "n", "down", "right").ui.form == Form(Choice(3, SoloKind.ENDLESS, 0), Row.KIND)
    assert after(VIEW, "n", "down", "right", "right").ui.form == Form(Choice(3, SoloKind.CLASSIC, 8), Row.KIND)
    assert after(VIEW, "n", "up", "d").ui.form == Form(Choice(3, SoloKind.CLASSIC, 5), Row.TARGET)


def test_a_target_stops_at_the_ends():
    form = after(VIEW, "n", "up", *["left"] * 9).ui.form
    assert form is not None
    assert form.choice.target_exponent == 3
    form = after(VIEW, "n", "up", *["right"] * 20).ui.form
    assert form is not None
    assert form.choice.target_exponent == 10


def test_an_endless_game_has_no_line_for_a_target():
    assert rows(Choice(3, SoloKind.ENDLESS, 0)) == (Row.SIZE, Row.KIND)


def test_the_line_of_a_target_that_is_gone_is_the_first():
    form = Form(Choice(3, SoloKind.ENDLESS, 0), Row.TARGET)
    assert press(VIEW, replace(UI, form=form), "right").ui.form == Form(Choice(4, SoloKind.ENDLESS, 0), Row.SIZE)


def test_escape_closes_the_form_and_other_keys_do_nothing_in_it():
    assert after(VIEW, "n", "escape").ui.form is None
    assert after(VIEW, "n", "x") == Step(after(VIEW, "n").ui)


def test_the_banner_waits_for_an_answer_and_no_move_sweeps_it_away():
    assert press(WON, UI, "left").move is None
    assert press(WON, UI, "enter").act is Act.WENT_ON
    assert after(WON, "n", "enter", "y").begins == SMALL


def test_a_key_too_many_after_the_end_starts_nothing():
    assert press(STUCK, UI, "enter", fresh=True) == Step(UI)
    assert press(STUCK, UI, "left") == Step(UI)
    assert press(STUCK, UI, "enter").begins == SMALL
    assert press(STUCK, UI, "u", fresh=True).act is Act.UNDO


def test_against_a_ghost_a_new_game_is_the_same_again_after_a_yes():
    step = press(GHOST, UI, "n")
    assert (step.ui.form, step.ui.asking) == (None, SMALL)
    assert press(GHOST, step.ui, "y").begins == SMALL


def test_the_menu_does_what_is_chosen_in_it():
    labels = [item.do for item in menu_items(VIEW, UI)]
    assert labels[:2] == [Do.UNDO, Do.NEW]
    assert after(VIEW, "escape", "enter").act is Act.UNDO
    assert after(VIEW, "escape", "down", "enter").ui.form is not None
    assert after(VIEW, "escape", "up", "enter").left
    assert after(VIEW, "escape", "x") == after(VIEW, "escape")
    assert after(VIEW, "escape", "escape") == Step(UI)


def test_help_is_closed_by_any_key_and_a_move_is_made_with_it():
    assert after(VIEW, "?").ui.help
    assert after(VIEW, "?", "escape") == Step(UI)
    step = after(VIEW, "?", "left")
    assert (step.ui.help, step.move) == (False, Direction.LEFT)


def test_the_mouse_is_switched_and_that_is_told():
    assert press(VIEW, UI, "m") == Step(replace(UI, mouse=False, remark=Do.MOUSE))


def test_ctrl_c_leaves_at_any_time():
    for ui in (UI, replace(UI, menu=0), replace(UI, asking=SMALL), replace(UI, form=Form(SMALL))):
        assert press(VIEW, ui, "interrupt").left


@pytest.mark.parametrize("view", [VIEW, WON, STUCK, GHOST, FRESH_GAME, replace(GHOST, stuck=True)])
def test_at_most_one_command_is_done_by_enter(view):
    assert sum(command.primary for command in available(view, UI)) <= 1
