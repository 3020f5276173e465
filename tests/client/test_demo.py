"""client/cli/demo.py: when the host of a demo asks for the race, and for leave to stand up."""

from __future__ import annotations

from dataclasses import replace

from client.bot import RETRY_MS
from client.cli.demo import Asking
from client.view import Line
from protocol.messages import Phase

from .pictures_of import view

SEATING = view(Phase.SEATING)


def test_it_asks_once_while_the_answer_is_on_its_way():
    asking = Asking()
    assert [asking.due(SEATING, now_ms, wanted=True) for now_ms in (0, 1, RETRY_MS - 1)] == [True, False, False]


def test_what_was_refused_or_broken_off_between_two_pictures_is_asked_for_again():
    asking = Asking()
    asking.due(SEATING, 0, wanted=True)
    assert asking.due(SEATING, RETRY_MS, wanted=True)


def test_after_a_lost_line_it_asks_at_once():
    asking = Asking()
    asking.due(SEATING, 0, wanted=True)
    assert not asking.due(replace(SEATING, line=Line.LOST), 1, wanted=True)
    assert asking.due(SEATING, 2, wanted=True)


def test_what_is_not_wanted_is_not_asked_for():
    assert not Asking().due(SEATING, 0, wanted=False)
