"""client/cli/demo.py: when the host of a demo asks for the race."""

from __future__ import annotations

from dataclasses import replace

from client.bot import RETRY_MS
from client.cli.demo import Starter
from client.view import Line
from protocol.messages import Phase

from .pictures_of import view

CAN_START = view(Phase.SEATING, can_start=True)


def test_the_race_is_asked_for_once_while_the_answer_is_on_its_way():
    starter = Starter()
    assert [starter.asks(CAN_START, now_ms) for now_ms in (0, 1, RETRY_MS - 1)] == [True, False, False]


def test_a_race_that_was_refused_or_broken_off_between_two_pictures_is_asked_for_again():
    starter = Starter()
    starter.asks(CAN_START, 0)
    assert starter.asks(CAN_START, RETRY_MS)


def test_after_a_lost_line_the_race_is_asked_for_at_once():
    starter = Starter()
    starter.asks(CAN_START, 0)
    assert not starter.asks(replace(CAN_START, line=Line.LOST), 1)
    assert starter.asks(CAN_START, 2)


def test_a_race_that_cannot_be_started_is_not_asked_for():
    assert not Starter().asks(view(Phase.SEATING, can_start=False), 0)
