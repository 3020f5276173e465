"""Who is still there: pings, round trips and silence on the connections of one table (rules 4.6, 5.2).

Owns the members of a table. Losing one is told to the table, which knows what it means. Those who only watch may be
thousands and are not pinged here: a socket whose other end is gone is noticed by server.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush, heapreplace

from lobby.events import Outbox
from lobby.people import Member
from protocol.limits import COUNTDOWN_PINGS, EMPTY_TABLE_MS, PING_INTERVAL_MS, Windows
from protocol.messages import Ping, Pong, Role


class Presence:
    """The members of a table by connection."""

    def __init__(self, windows: Windows, now_ms: int) -> None:
        self._windows = windows
        self._empty_since_ms: int | None = now_ms
        self._members: dict[int, Member] = {}
        self._persons = 0  # of them
        self._alarms: list[tuple[int, int]] = []  # a heap of (when somebody is due at the earliest, connection)
        self._hurried = False  # a countdown runs: the lines must be known before it is over

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members.values())

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: Member) -> None:
        """Takes a new member in."""
        self._members[member.connection] = member
        self._persons += member.role is not Role.COMPUTER
        if not member.only_watches:
            heappush(self._alarms, (self._due_ms(member), member.connection))

    def remove(self, connection: int) -> Member | None:
        """Takes a member out and returns it; None if it was not here (any more)."""
        member = self._members.pop(connection, None)
        self._persons -= member is not None and member.role is not Role.COMPUTER
        return member

    def get(self, connection: int | None) -> Member | None:
        """Returns the member of a connection."""
        return None if connection is None else self._members.get(connection)

    def connections(self) -> tuple[int, ...]:
        """Returns everyone's connection."""
        return tuple(self._members)

    def pong(self, member: Member, message: Pong, now_ms: int) -> None:
        """Takes in the answer to a ping; the stamp is the lobby's own clock."""
        if message.stamp_ms <= now_ms:
            member.line.measured(now_ms, now_ms - message.stamp_ms)

    def move(self, gap_ms: int) -> None:
        """The lobby was away: in that time nobody could be heard (rules 5.6)."""
        for member in self:
            member.line.heard_ms += gap_ms

    def resume(self, gap_ms: int) -> None:
        """The lobby was restarted: a table that was empty has not been so in between."""
        self.hurry(False)
        self._empty_since_ms = None if self._empty_since_ms is None else self._empty_since_ms + gap_ms

    def hurry(self, hurried: bool) -> None:
        """From now on the lines of all who may play must be known soon: a countdown runs. Or need not be any more."""
        self._hurried = hurried
        measured = [member for member in self if not member.only_watches]
        self._alarms = sorted((self._due_ms(member), member.connection) for member in measured)

    def look(self, now_ms: int) -> None:
        """Notes since when no person has been here."""
        if self._persons:
            self._empty_since_ms = None
        elif self._empty_since_ms is None:
            self._empty_since_ms = now_ms

    def deadline(self, *, racing: bool) -> int | None:
        """Returns when the next ping is due, somebody has been silent for too long, or the table has been empty."""
        due_ms = self._first_ms()
        if self._empty_since_ms is None or racing:
            return due_ms
        closes_ms = self._empty_since_ms + EMPTY_TABLE_MS
        return closes_ms if due_ms is None else min(due_ms, closes_ms)

    def wake(self, now_ms: int, out: Outbox) -> list[Member]:
        """Pings whom it is time to ping; returns those who have been silent for too long."""
        due = []
        while (due_ms := self._first_ms()) is not None and due_ms <= now_ms:
            due.append(self._members[heappop(self._alarms)[1]])
        due.sort(key=lambda member: member.connection)
        pinged = [member for member in due if now_ms >= self._ping_ms(member)]
        for member in pinged:
            member.line.pinged_ms = now_ms
        out.send((member.connection for member in pinged), Ping(now_ms))
        for member in due:
            heappush(self._alarms, (self._due_ms(member), member.connection))
        return [member for member in due if now_ms >= self._silent_ms(member)]

    def deserted(self, now_ms: int, *, racing: bool) -> bool:
        """Returns whether no person has been here for so long that the table closes (rules 3.10)."""
        self.look(now_ms)
        return not racing and self._empty_since_ms is not None and now_ms >= self._empty_since_ms + EMPTY_TABLE_MS

    def _first_ms(self) -> int | None:
        """Returns when the first member is due; forgets alarms of who is gone and puts off those that came too soon."""
        while self._alarms:
            due_ms, connection = self._alarms[0]
            member = self._members.get(connection)
            if member is None:
                heappop(self._alarms)
            elif (later_ms := self._due_ms(member)) > due_ms:  # it never is earlier: who is heard is silent later
                heapreplace(self._alarms, (later_ms, connection))
            else:
                return due_ms
        return None

    def _due_ms(self, member: Member) -> int:
        return min(self._ping_ms(member), self._silent_ms(member))

    def _ping_ms(self, member: Member) -> int:
        hurried = self._hurried and member.role is not Role.WATCHER
        interval_ms = self._windows.countdown_ms // (COUNTDOWN_PINGS + 1) if hurried else PING_INTERVAL_MS
        return member.line.pinged_ms + interval_ms

    def _silent_ms(self, member: Member) -> int:
        return member.line.heard_ms + self._windows.silent_ms
