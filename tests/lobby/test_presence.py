"""Who is still there: whoever is at a table is pinged and missed in time, however many there are."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from lobby.events import Outbox, Send
from lobby.people import Line, Member
from lobby.presence import Presence
from protocol.limits import COUNTDOWN_PINGS, EMPTY_TABLE_MS, PING_INTERVAL_MS, WINDOWS
from protocol.messages import Role


def member(connection: int, now_ms: int, role: Role = Role.PLAYER) -> Member:
    return Member(connection, bytes([connection % 256]) * 32, role, "x", False, Line(now_ms, now_ms - PING_INTERVAL_MS))


def due_ms(each: Member, interval_ms: int) -> int:
    return min(each.line.pinged_ms + interval_ms, each.line.heard_ms + WINDOWS.silent_ms)


def interval_ms(each: Member, hurried: bool) -> int:
    plays = each.role is not Role.WATCHER
    return WINDOWS.countdown_ms // (COUNTDOWN_PINGS + 1) if hurried and plays else PING_INTERVAL_MS


@pytest.mark.parametrize("seed", range(20))
def test_everyone_is_pinged_and_missed_exactly_when_it_is_time(seed: int) -> None:
    """Against the plain way: to look at everyone at every moment."""
    random, presence, hurried, number = Random(seed), Presence(WINDOWS, 0), False, 0
    for now_ms in range(0, 120_000, 50):
        everyone = list(presence)
        if random.random() < 0.05 and len(everyone) < 30:
            number += 1
            presence.add(member(number, now_ms, Role.WATCHER if number % 4 == 0 else Role.PLAYER))
        if everyone and random.random() < 0.02:
            presence.remove(random.choice(everyone).connection)
        if random.random() < 0.02:
            hurried = not hurried
            presence.hurry(hurried)
        for each in presence:
            if each.connection % 3 and random.random() < 0.01:  # of every third nothing is heard
                each.line.heard_ms = now_ms
        if len(presence):
            assert presence.deadline(racing=True) == min(due_ms(each, interval_ms(each, hurried)) for each in presence)
        to_ping = [each.connection for each in presence if now_ms >= each.line.pinged_ms + interval_ms(each, hurried)]
        silent = [each for each in presence if now_ms >= each.line.heard_ms + WINDOWS.silent_ms]
        out = Outbox()
        assert presence.wake(now_ms, out) == silent
        pinged = [connection for send in out if isinstance(send, Send) for connection in send.connections]
        assert pinged == sorted(to_ping)
        for each in silent:
            presence.remove(each.connection)


def test_nobody_who_only_watches_is_pinged_or_missed() -> None:
    presence = Presence(WINDOWS, 0)
    presence.add(replace(member(1, 0, Role.WATCHER), only_watches=True))
    presence.hurry(True)
    assert presence.deadline(racing=True) is None
    out = Outbox()
    assert presence.wake(10 * WINDOWS.silent_ms, out) == []
    assert not out


def test_a_table_with_computers_alone_is_empty_and_closes_when_its_time_is_up() -> None:
    presence = Presence(WINDOWS, 0)
    presence.add(member(1, 0, Role.COMPUTER))
    presence.look(0)
    assert presence.deadline(racing=False) == 0  # the first ping
    presence.wake(0, Outbox())
    presence.remove(1)
    assert presence.deadline(racing=False) == EMPTY_TABLE_MS
    assert presence.deadline(racing=True) is None
    assert not presence.deserted(EMPTY_TABLE_MS - 1, racing=False)
    assert presence.deserted(EMPTY_TABLE_MS, racing=False)


def test_a_person_who_comes_to_a_table_keeps_it_open() -> None:
    presence = Presence(WINDOWS, 0)
    presence.add(member(1, 0))
    presence.look(EMPTY_TABLE_MS)
    assert not presence.deserted(EMPTY_TABLE_MS, racing=False)
    assert presence.remove(2) is None
    assert not presence.deserted(2 * EMPTY_TABLE_MS, racing=False)
    presence.remove(1)
    assert not presence.deserted(2 * EMPTY_TABLE_MS, racing=False)
    assert presence.deserted(3 * EMPTY_TABLE_MS, racing=False)
