from dataclasses import replace

import pytest

from client.tui.alerts import BELL, call, called, entitle, title_words
from client.tui.look import Look
from protocol.messages import Phase
from protocol.text import SafeText

from .pictures_of import SEATS, view, watching

WAITING = view(Phase.SEATING, seats=(SEATS[0], None, None))
HOSTILE = SafeText("\x1b]0;x\x07\x9c\u202efox")


def test_a_guest_who_sits_down_is_worth_a_call() -> None:
    assert called(WAITING, view(Phase.SEATING, seats=(SEATS[0], SEATS[1], None))) == "hare sits down."


def test_the_countdown_is_worth_a_call() -> None:
    assert called(view(Phase.OPENING), view(Phase.COUNTDOWN)) == "The race starts."


def test_the_countdown_calls_nobody_twice() -> None:
    assert called(view(Phase.COUNTDOWN, countdown_ms=3_000), view(Phase.COUNTDOWN, countdown_ms=2_000)) == ""


def test_a_watcher_is_not_called_for_a_race_that_others_have() -> None:
    assert called(watching(Phase.OPENING), watching(Phase.COUNTDOWN)) == ""


def test_the_own_seat_and_what_was_there_at_first_are_not_worth_a_call() -> None:
    assert called(None, view(Phase.SEATING)) == ""
    assert called(view(None), view(Phase.SEATING)) == ""
    assert called(view(Phase.SEATING, seats=(None, SEATS[1])), view(Phase.SEATING, seats=SEATS[:2])) == ""


def test_a_computer_player_calls_nobody() -> None:
    assert called(WAITING, view(Phase.SEATING, seats=(SEATS[0], None, SEATS[2]))) == ""


def test_who_moves_up_a_seat_has_not_sat_down() -> None:
    gap = view(Phase.SEATING, seats=(SEATS[0], None, replace(SEATS[1], seat=2)))
    assert called(gap, view(Phase.SEATING, seats=(SEATS[0], SEATS[1], None))) == ""


def test_a_call_rings() -> None:
    assert call("hare sits down.", Look(), {"TERM": "xterm-256color"}) == BELL


@pytest.mark.parametrize(
    ("environment", "sequence"),
    [
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "xterm-256color"}, "\x1b]9;race2048: hare sits down.\x07"),
        ({"TERM": "xterm-kitty"}, "\x1b]9;race2048: hare sits down.\x07"),
        ({"TERM": "foot"}, "\x1b]777;notify;race2048;hare sits down.\x07"),
        ({"TERM": "rxvt-unicode-256color"}, "\x1b]777;notify;race2048;hare sits down.\x07"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"}, ""),
        ({}, ""),
    ],
)
def test_a_notification_is_sent_where_the_terminal_is_known_to_have_them(
    environment: dict[str, str], sequence: str
) -> None:
    assert call("hare sits down.", Look(bell=False), environment) == sequence


def test_bell_and_notification_can_be_switched_off() -> None:
    assert call("hare sits down.", Look(bell=False, notify=False), {"TERM": "foot"}) == ""


def test_the_title_tells_what_goes_on() -> None:
    assert title_words(WAITING) == "race2048: table 482-913, 1 player"
    assert title_words(view(Phase.RACING)) == "race2048: racing at table 482-913"
    assert title_words(view(None)) == "race2048"
    assert entitle("race2048", {"TERM": "xterm"}) == "\x1b]2;race2048\x07"


@pytest.mark.parametrize("environment", [{"TERM": "linux"}, {"TERM": "dumb"}, {"TERM": "vt220"}, {}])
def test_a_terminal_without_a_title_is_sent_none(environment: dict[str, str]) -> None:
    assert entitle("race2048", environment) == ""


@pytest.mark.parametrize("environment", [{"TERM": "foot"}, {"TERM": "xterm-kitty"}])
def test_nothing_in_a_name_ends_a_sequence_or_begins_one(environment: dict[str, str]) -> None:
    seats = (SEATS[0], replace(SEATS[1], name=HOSTILE))
    words = called(WAITING, view(Phase.SEATING, seats=seats, code="\x1b]0;x\x07"))
    for sent in (call(words, Look(bell=False), environment), entitle(f"table {HOSTILE}", environment)):
        assert sent.startswith("\x1b]")
        assert sent.endswith("\x07")
        assert not any(character < " " or "\x7f" <= character < "\xa0" for character in sent[1:-1])
        assert "\u202e" not in sent
