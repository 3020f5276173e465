from dataclasses import replace

import pytest

from client.actions import (
    Action,
    Again,
    Agree,
    Allow,
    Cancel,
    Kick,
    Leave,
    Move,
    Refuse,
    Resign,
    SetReady,
    Sit,
    Stand,
    Start,
    ToggleLock,
)
from client.tui.commands import Ui, available, choose, kept, press
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
    assert pressed(guest, "enter") == [SetReady()]
    assert pressed(view(Phase.SEATING, can_start=True), "enter") == [Start()]
    assert pressed(watching(Phase.SEATING, seats=(SEATS[1], None)), "enter") == [Sit()]
    assert pressed(view(Phase.FINISHED), "enter") == [Again()]


def test_enter_does_nothing_in_a_race() -> None:
    assert pressed(view(Phase.RACING, offer=OFFER), "enter") == []


def test_one_who_is_ready_does_not_take_it_back_with_enter() -> None:
    guests = tuple(replace(each, ready=True) for each in GUEST)
    ready = view(Phase.SEATING, seats=guests, my_seat=1, i_am_host=False)
    assert pressed(ready, "enter") == []
    assert pressed(ready, "r") == [SetReady(False)]


def test_a_ready_on_its_way_can_be_taken_back() -> None:
    guest = view(Phase.SEATING, seats=GUEST, my_seat=1, i_am_host=False, wants_ready=True)
    assert pressed(guest, "r") == [SetReady(False)]


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
    assert pressed(picture, "escape", *["down"] * steps, "enter", "y") == [Kick(1)]


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


# ── the host between races ───────────────────────────────────────────────────────────────────────────────────────


def test_the_number_of_a_seat_asks_whether_to_free_it() -> None:
    picture = view(Phase.SEATING)
    asked = press(picture, UI, "2").ui
    assert (asked.asking, asked.about) == (Verb.KICK, SEATS[1])
    assert pressed(picture, "2", "y") == [Kick(1)]
    for key in ("n", "enter", "escape", "2"):
        assert pressed(picture, "2", key) == []


def test_nobody_frees_a_seat_but_the_host_and_not_ones_own() -> None:
    assert pressed(view(Phase.SEATING, i_am_host=False), "2", "y") == []
    assert pressed(view(Phase.SEATING), "1", "y") == []


def test_a_yes_does_not_put_out_somebody_else_who_sits_there_meanwhile() -> None:
    picture = view(Phase.SEATING)
    asked = press(picture, UI, "2").ui
    assert kept(picture, asked).asking is Verb.KICK
    for seats in ((SEATS[0], replace(SEATS[2], seat=1)), (SEATS[0], None)):
        changed = replace(picture, seats=seats)
        assert kept(changed, asked).asking is None
        assert press(changed, kept(changed, asked), "y").actions == ()
    assert kept(view(Phase.OPENING), asked).asking is None


def test_a_host_without_a_seat_is_a_host_all_the_same() -> None:
    host = watching(Phase.SEATING, seats=(*SEATS[1:3], None), i_am_host=True, can_start=True)
    assert pressed(host, "enter") == [Start()]
    assert pressed(host, "l", "p") == [ToggleLock(), Sit()]
    assert press(host, UI, "e").ui.form is not None


def test_a_locked_table_offers_no_seat_to_a_guest() -> None:
    assert pressed(watching(Phase.SEATING, seats=(SEATS[1], None), locked=True), "p", "enter") == []


def test_who_came_only_to_watch_is_offered_no_seat() -> None:
    assert pressed(watching(Phase.SEATING, seats=(SEATS[1], None), may_sit=False), "p", "enter") == []


def test_what_was_done_and_shows_nowhere_is_remarked_until_the_next_key() -> None:
    picture = view(Phase.SEATING)
    allow = next(command for command in available(picture, UI) if command.verb is Verb.ALLOW)
    step = choose(picture, UI, allow)
    assert (step.actions, step.ui.remark) == ((Allow(),), Verb.ALLOW)
    assert press(picture, UI, "c").ui.remark is Verb.COPY
    assert press(picture, step.ui, "up").ui.remark is None


@pytest.mark.parametrize("key", ["w", "l", "2", "4"])
def test_after_a_race_keys_that_moved_tiles_give_up_and_lock_nothing(key: str) -> None:
    step = press(view(Phase.FINISHED), UI, key)
    assert (step.actions, step.ui) == ((), UI)


def test_after_a_race_the_menu_has_what_a_host_can_do() -> None:
    actions = [command.action for command in available(view(Phase.FINISHED), UI)]
    for action in (Again(), Stand(), ToggleLock(), Kick(1), Allow()):
        assert action in actions
    assert Kick(3) not in actions, "who has gone needs no putting out"


@pytest.mark.parametrize("key", ["e", "s", "w", "l", "p", "r", "enter"])
def test_a_key_pressed_as_a_start_is_broken_off_does_nothing(key: str) -> None:
    picture = view(Phase.SEATING, can_start=True)
    step = press(picture, UI, key, fresh=True)
    assert (step.actions, step.ui) == ((), UI)


def test_one_who_has_asked_for_another_race_need_not_ask_again() -> None:
    seats = tuple(replace(each, wants_again=each.you) for each in SEATS)
    assert pressed(view(Phase.FINISHED, i_am_host=False, seats=seats), "g", "enter") == []


def test_a_host_whom_everyone_has_left_is_led_to_the_settings() -> None:
    seats = (SEATS[0], *(replace(each, connected=False) for each in SEATS[1:]))
    assert press(view(Phase.FINISHED, seats=seats), UI, "enter").ui.form is not None


def test_the_host_stops_a_deal_with_x() -> None:
    assert pressed(view(Phase.OPENING), "x") == [Cancel()]
