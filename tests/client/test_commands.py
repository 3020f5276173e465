from dataclasses import replace

import pytest

from client.actions import (
    Action,
    Again,
    Agree,
    Cancel,
    Kick,
    Leave,
    Move,
    Refuse,
    Resign,
    Sit,
    Start,
    ToggleReady,
)
from client.tui.commands import Ui, available, kept, press
from client.tui.keys import ELSEWHERE, ON_A_BOARD, Verb
from client.view import Line, OfferPicture, SessionView
from engine.board import Direction
from engine.race import SeatState
from protocol.messages import Phase
from protocol.text import SafeText

from .pictures_of import SEATS, UI, view, watching

OFFER = OfferPicture(by_seat=1, by_name=SafeText("hare"), by_you=False, agreed=False, lapse_ms=24_000)
GUEST = tuple(
    replace(each, you=each.seat == 1, ready=each.seat != 1) for each in view(Phase.SEATING).seats if each is not None
)


def pressed(picture: SessionView, *keys: str, ui: Ui = UI, fresh: bool = False) -> list[Action]:
    actions: list[Action] = []
    for key in keys:
        step = press(picture, ui, key, fresh=fresh)
        ui = step.ui
        actions += step.actions
    return actions


@pytest.mark.parametrize("phase", [None, *Phase])
def test_there_is_at_most_one_highlighted_command(phase: Phase | None) -> None:
    for picture in (view(phase), view(phase, line=Line.OVER), view(phase, offer=OFFER, can_start=True)):
        assert sum(command.primary for command in available(picture, UI)) <= 1


@pytest.mark.parametrize("phase", [None, *Phase])
def test_every_command_with_a_letter_is_done_by_that_letter(phase: Phase | None) -> None:
    table = {key for key, _ in (*ON_A_BOARD, *ELSEWHERE)}
    for command in available(view(phase, offer=OFFER, can_start=True), UI):
        assert command.key in table | {"", "Esc", "Tab", "Ctrl-C"}


def test_keys_that_move_give_moves_in_order() -> None:
    moves = pressed(view(Phase.RACING), "up", "d", "ы", "4")
    assert moves == [Move(Direction.UP), Move(Direction.RIGHT), Move(Direction.DOWN), Move(Direction.LEFT)]


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.RACING])
def test_no_key_moves_outside_a_race(phase: Phase) -> None:
    actions = pressed(view(phase), "up", "a", "s", "d", "8")
    assert not any(isinstance(action, Move) for action in actions)


def test_enter_does_the_highlighted_action() -> None:
    guest = view(Phase.SEATING, seats=GUEST, my_seat=1, i_am_host=False)
    assert pressed(guest, "enter") == [ToggleReady()]
    assert pressed(view(Phase.SEATING, can_start=True), "enter") == [Start()]
    assert pressed(watching(Phase.SEATING, seats=(SEATS[1], None)), "enter") == [Sit()]
    assert pressed(view(Phase.FINISHED), "enter") == [Again()]


def test_enter_does_nothing_in_a_race() -> None:
    assert pressed(view(Phase.RACING, offer=OFFER), "enter") == []


def test_one_who_is_ready_does_not_take_it_back_with_enter() -> None:
    guests = tuple(replace(each, ready=True) for each in GUEST)
    ready = view(Phase.SEATING, seats=guests, my_seat=1, i_am_host=False)
    assert pressed(ready, "enter") == []
    assert pressed(ready, "r") == [ToggleReady()]


def test_resigning_takes_a_capital_r_and_a_yes() -> None:
    assert pressed(view(Phase.RACING), "R", "y") == [Resign()]
    assert pressed(view(Phase.RACING), "К", "н") == [Resign()]


@pytest.mark.parametrize("key", ["R", "n", "enter", "escape"])
def test_anything_but_yes_does_not_resign(key: str) -> None:
    assert pressed(view(Phase.RACING), "R", key) == []


def test_a_held_key_never_resigns() -> None:
    for key in ("R", "y", "r"):
        assert pressed(view(Phase.RACING), *[key] * 50) == []


def test_a_move_instead_of_an_answer_is_made_and_is_no_answer() -> None:
    assert pressed(view(Phase.RACING), "R", "up", "y") == [Move(Direction.UP)]


def test_a_question_is_gone_when_the_race_is() -> None:
    asking = replace(UI, asking=Verb.RESIGN)
    assert kept(view(Phase.RACING), asking).asking is Verb.RESIGN
    assert kept(view(Phase.FINISHED), asking).asking is None


def test_ctrl_c_in_a_race_asks_and_leaves_at_the_second() -> None:
    first = press(view(Phase.RACING), UI, "interrupt")
    assert (first.ui.asking, first.left, first.actions) == (Verb.LEAVE, False, ())
    second = press(view(Phase.RACING), first.ui, "interrupt")
    assert (second.left, second.actions) == (True, (Leave(),))


def test_ctrl_c_in_a_race_leaves_after_a_yes() -> None:
    step = press(view(Phase.RACING), replace(UI, asking=Verb.LEAVE), "y")
    assert (step.left, step.actions) == (True, (Leave(),))


@pytest.mark.parametrize("phase", [None, Phase.SEATING, Phase.OPENING, Phase.FINISHED])
def test_ctrl_c_outside_a_race_leaves_at_once(phase: Phase | None) -> None:
    assert press(view(phase), UI, "interrupt").left


def test_ctrl_c_does_not_ask_a_watcher_or_one_who_has_resigned() -> None:
    gone = (replace(SEATS[0], state=SeatState.RESIGNED), *SEATS[1:])
    assert press(watching(Phase.RACING), UI, "interrupt").left
    assert press(view(Phase.RACING, seats=gone), UI, "interrupt").left


def test_o_offers_and_agrees_and_x_refuses() -> None:
    assert pressed(view(Phase.RACING), "o", "x") == [Agree()]
    assert pressed(view(Phase.RACING, offer=OFFER), "o", "x") == [Agree(), Refuse()]
    assert pressed(view(Phase.RACING, offer=replace(OFFER, by_you=True)), "o", "x") == [Refuse()]


def test_the_host_stops_the_countdown_with_x() -> None:
    assert pressed(view(Phase.COUNTDOWN), "x") == [Cancel()]
    assert pressed(view(Phase.COUNTDOWN, i_am_host=False), "x") == []


@pytest.mark.parametrize("key", ["g", "enter", "п"])
def test_a_key_pressed_as_the_result_appears_does_not_start_another_race(key: str) -> None:
    assert pressed(view(Phase.FINISHED), key, fresh=True) == []
    assert pressed(view(Phase.FINISHED), key) == [Again()]


def test_the_menu_does_what_is_chosen() -> None:
    picture = view(Phase.SEATING, can_start=True)
    labels = [command.label for command in available(picture, UI)]
    steps = labels.index("free the seat of hare")
    assert pressed(picture, "escape", *["down"] * steps, "enter") == [Kick(1)]


def test_the_menu_takes_no_moves_and_is_closed_by_escape() -> None:
    open_menu = press(view(Phase.RACING), UI, "escape").ui
    assert open_menu.menu == 0
    assert pressed(view(Phase.RACING), "up", "down", "w", ui=open_menu) == []
    assert press(view(Phase.RACING), open_menu, "escape").ui.menu is None


def test_the_menu_stays_in_bounds_when_the_race_ends_under_it() -> None:
    step = press(view(Phase.FINISHED, line=Line.OVER), replace(UI, menu=9), "enter")
    assert step.left


def test_help_is_closed_by_a_move_which_is_made() -> None:
    shown = press(view(Phase.RACING), UI, "?").ui
    assert shown.overlay is Verb.HELP
    step = press(view(Phase.RACING), shown, "left")
    assert (step.ui.overlay, step.actions) == (None, (Move(Direction.LEFT),))


def test_c_copies_the_link_before_a_race_and_never_on_a_board() -> None:
    assert press(view(Phase.SEATING), UI, "c").copied
    assert not press(view(Phase.RACING), UI, "c").copied


def test_when_the_session_is_over_enter_leaves() -> None:
    step = press(view(Phase.FINISHED, line=Line.OVER), UI, "enter")
    assert (step.left, step.actions) == (True, ())


def test_the_last_letter_tells_the_keyboard() -> None:
    assert press(view(Phase.RACING), UI, "ц").ui.keyboard == "ukrainian"
    assert press(view(Phase.RACING), replace(UI, keyboard="ukrainian"), "up").ui.keyboard == "ukrainian"
    assert press(view(Phase.RACING), replace(UI, keyboard="ukrainian"), "w").ui.keyboard == "latin"
