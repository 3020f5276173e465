"""client/cli/demo.py: when the host of a demo asks for the race, and for leave to stand up."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from client.actions import Action, Stand
from client.bot import RETRY_MS
from client.cli import demo
from client.cli.demo import Asking
from client.cli.visit import Visit
from client.view import Line, SessionView
from protocol.messages import Phase

from .pictures_of import view, watching

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


class Losing:
    """A visit to a lobby that loses the first word, and draws a picture a minute."""

    def __init__(self) -> None:
        self.runner = self
        self.said: list[Action] = []

    def act(self, action: Action) -> None:
        self.said.append(action)

    async def until(self, seen: Callable[[SessionView], bool]) -> SessionView:
        for _ in range(10):
            picture = watching(Phase.SEATING) if len(self.said) > 1 else SEATING
            if seen(picture):
                return picture
        raise AssertionError("nobody stands up")


async def test_a_word_that_was_lost_is_said_again(monkeypatch):
    minutes = itertools.count(0, 60_000)
    monkeypatch.setattr(demo, "now_ms", lambda: next(minutes))
    visit = Losing()
    await demo._stood_up(cast("Visit", visit), patient=True)
    assert visit.said == [Stand(), Stand()]
