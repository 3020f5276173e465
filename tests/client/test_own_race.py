"""Moves that were claimed too early wait until the lobby cannot find them so again, whatever happens meanwhile."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from client.play import OwnRace
from engine.board import Direction
from protocol import messages
from protocol.limits import WINDOWS
from protocol.messages import FromClient, TableSettings
from protocol.movelog import Act, MoveSlice, SealBody
from tests.world import World

AHEAD_MS = 900  # of the lobby's clock


class Held(NamedTuple):
    """A player whose last moves were claimed too early and refused; the time, and when it is right for them."""

    own: OwnRace
    t_ms: int
    right_ms: int
    said: list[FromClient]


@pytest.fixture
def held() -> Held:
    world = World()
    host = world.host(TableSettings(kind=3, target_exponent=0))
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(guest, 200, times=5)
    world.run(1_500)
    own, t_ms = guest.session.own, 1_500
    assert own is not None
    assert own.game is not None
    moves = len(own.log)
    while len(own.log) == moves:
        for direction in Direction:
            own.press(direction)
        own.play(t_ms + AHEAD_MS, online=False)
    said = own.refused(moves, len(own._said), t_ms)
    return Held(own, t_ms, own.log.last_ms - WINDOWS.claim_ahead_ms, said)


def kinds(said: list[FromClient]) -> list[type]:
    return [type(message) for message in said]


def test_after_a_refusal_only_where_the_lobby_is_is_said(held):
    assert kinds(held.said) == [messages.Resync]
    assert held.own.deadline(online=True) == held.right_ms


def test_a_tick_does_not_send_them_earlier(held):
    """World 11000109: it did, and the line of an honest player was cut."""
    assert held.own.flush(held.t_ms) == []
    assert held.own.flush(held.right_ms - 1) == []
    assert kinds(held.own.play(held.right_ms, online=True)) == [messages.Slice]


def test_they_say_which_tick_had_been_seen_when_they_were_made(held):
    seen = held.own.tick_seen
    held.own.tick_seen = seen + 1
    (said,) = held.own.flush(held.right_ms)
    assert isinstance(said, messages.Slice)
    assert MoveSlice.decode(said.moves, 0).tick_seen == seen


def test_what_is_said_meanwhile_is_said_after_them(held):
    assert held.own.flush(held.t_ms, Act.RESIGN) == []
    assert held.own.done
    said = held.own.flush(held.right_ms)
    assert kinds(said) == [messages.Slice, messages.Seal]
    assert isinstance(said[1], messages.Seal)
    seal = SealBody.decode(said[1].seal.body)
    assert (seal.act, seal.moves) == (Act.RESIGN, len(held.own.log))


def test_what_was_said_before_and_refused_too_is_said_after_them(held):
    held.own.flush(held.right_ms, Act.OFFER)
    moves, seals = held.own.acked, len(held.own._said) - 1
    assert kinds(held.own.refused(moves, seals, held.t_ms)) == [messages.Resync]
    assert kinds(held.own.flush(held.right_ms)) == [messages.Slice, messages.Seal]


def test_when_the_race_is_over_nothing_waits_any_more(held):
    held.own.flush(held.t_ms, Act.OFFER)
    held.own.leave()
    assert held.own.deadline(online=True) is None
    assert held.own.flush(held.right_ms) == []
