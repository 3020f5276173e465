"""Who is still there: pings, round trips and silence on the connections of one table (rules 4.6, 5.2).

Owns the members of a table. Losing one is told to the table, which knows what it means.
"""

from __future__ import annotations

from collections.abc import Iterator

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
        self.hurried = False  # a countdown runs: the lines must be known before it is over

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members.values())

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: Member) -> None:
        """Takes a new member in."""
        self._members[member.connection] = member

    def remove(self, connection: int) -> Member | None:
        """Takes a member out and returns it; None if it was not here (any more)."""
        return self._members.pop(connection, None)

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
        self.hurried = False
        self._empty_since_ms = None if self._empty_since_ms is None else self._empty_since_ms + gap_ms

    def deadline(self, *, racing: bool) -> int | None:
        """Returns when the next ping is due, somebody has been silent for too long, or the table has been empty."""
        times = [min(self._ping_ms(m), m.line.heard_ms + self._windows.silent_ms) for m in self]
        if self._empty_since_ms is not None and not racing:
            times.append(self._empty_since_ms + EMPTY_TABLE_MS)
        return min(times, default=None)

    def wake(self, now_ms: int, out: Outbox) -> list[Member]:
        """Pings whom it is time to ping; returns those who have been silent for too long."""
        due = [member for member in self if now_ms >= self._ping_ms(member)]
        for member in due:
            member.line.pinged_ms = now_ms
        out.send((member.connection for member in due), Ping(now_ms))
        return [member for member in self if now_ms >= member.line.heard_ms + self._windows.silent_ms]

    def deserted(self, now_ms: int, *, racing: bool) -> bool:
        """Returns whether no person has been here for so long that the table closes (rules 3.10)."""
        if any(member.role is not Role.COMPUTER for member in self):
            self._empty_since_ms = None
        elif self._empty_since_ms is None:
            self._empty_since_ms = now_ms
        return not racing and self._empty_since_ms is not None and now_ms >= self._empty_since_ms + EMPTY_TABLE_MS

    def _ping_ms(self, member: Member) -> int:
        interval_ms = self._windows.countdown_ms // (COUNTDOWN_PINGS + 1) if self.hurried else PING_INTERVAL_MS
        return member.line.pinged_ms + interval_ms
