"""Who is at a table: members (connections) and seats (players, with or without a connection).

Plain state without rules: when somebody may sit is seating.py's business, what a seat does in a race racing.py's.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from protocol.limits import WINDOWS, Windows
from protocol.messages import Role, Signed
from protocol.text import SafeText

_SAMPLE_AGE_MS = 30_000  # rules 5.2: the least round trip of the last 30 s


@dataclass(slots=True)
class Line:
    """What the lobby has measured on one connection: round trips, and when it last heard anything."""

    heard_ms: int
    pinged_ms: int
    samples: deque[tuple[int, int]] = field(default_factory=deque)  # (when, how long): both rise from left to right

    def measured(self, now_ms: int, round_trip_ms: int) -> None:
        """Takes in a round trip that ended now; longer ones before it can never be the least again."""
        trip_ms = max(0, round_trip_ms)
        self._forget(now_ms)
        while self.samples and self.samples[-1][1] >= trip_ms:
            self.samples.pop()
        self.samples.append((now_ms, trip_ms))

    def least_ms(self, now_ms: int) -> int | None:
        """Returns the least round trip of the last 30 s, or None if there is none."""
        self._forget(now_ms)
        return self.samples[0][1] if self.samples else None

    def claim_back_ms(self, now_ms: int, windows: Windows = WINDOWS) -> int:
        """Returns c: how far before its arrival a move may claim to have been made (rules 5.2)."""
        least = self.least_ms(now_ms)
        return 0 if least is None else min(least // 2 + windows.claim_spare_ms, windows.claim_back_ms)

    def early_ms(self, now_ms: int, windows: Windows = WINDOWS) -> int:
        """Returns how long before the start the first link leaves (deal.md 4.1)."""
        return min((self.least_ms(now_ms) or 0) // 2, windows.claim_back_ms)

    def _forget(self, now_ms: int) -> None:
        while self.samples and self.samples[0][0] < now_ms - _SAMPLE_AGE_MS:
            self.samples.popleft()


@dataclass(slots=True)
class Member:
    """One connection to a table: a seated player's, or a watcher's."""

    connection: int
    key: bytes
    role: Role
    raw_name: str
    may_sit: bool  # came by the table code (rules 3.3)
    line: Line
    only_watches: bool = False  # came by the watch code, without a seat: nobody waits for it or measures its line


@dataclass(slots=True)
class Seat:
    """A player at the table, kept while the connection is lost for a while (rules 3.10, 4.6)."""

    key: bytes
    name: SafeText
    computer: bool
    since_ms: int
    connection: int | None
    lost_ms: int = 0  # when the connection was lost; means nothing while there is one
    ready: Signed | None = None
    nonce: bytes | None = None
    wants_again: bool = False


@dataclass(slots=True)
class Tally:
    """What one player won, drew and lost at this table (rules 3.8)."""

    name: SafeText
    wins: int = 0
    draws: int = 0
    losses: int = 0
