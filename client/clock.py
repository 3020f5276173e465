"""The lobby's clock, as a client knows it (rules 5.5).

Every answered ping gives an interval in which the lobby's clock must lie: the shorter the round trip, the surer. The
estimate is taken from the samples with the least delay of the current connection. No clock is read here: the
session hands its own monotonic time in.
"""

from __future__ import annotations

from collections import deque

_SAMPLES_KEPT = 32
_GOOD = 4  # how many of the quickest samples are averaged: one alone carries its own jitter


class LobbyClock:
    """Estimates the difference between the lobby's clock and ours, in ms."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque(maxlen=_SAMPLES_KEPT)  # round trip, twice the offset
        self._told_ms = 0

    def restart(self) -> None:
        """Forgets the samples, since the line is another, but not what the clock was: a race may go on meanwhile."""
        self._told_ms = self.offset_ms
        self._samples.clear()

    def told(self, lobby_ms: int, now_ms: int) -> None:
        """The lobby has said what its clock shows; better than nothing until a ping is answered."""
        self._told_ms = lobby_ms - now_ms

    def sample(self, sent_ms: int, lobby_ms: int, now_ms: int) -> None:
        """A ping sent at `sent_ms` was answered: the lobby's clock showed `lobby_ms` somewhere in between."""
        if sent_ms <= now_ms:
            self._samples.append((now_ms - sent_ms, 2 * lobby_ms - sent_ms - now_ms))

    @property
    def offset_ms(self) -> int:
        """What to add to our time to get the lobby's."""
        if not self._samples:
            return self._told_ms
        least = min(self._samples)[0]
        good = [twice for trip, twice in sorted(self._samples)[:_GOOD] if trip <= least + 2]
        return sum(good) // (2 * len(good))

    @property
    def round_trip_ms(self) -> int | None:
        """The least round trip measured, or None."""
        return min(self._samples)[0] if self._samples else None

    def lobby_ms(self, now_ms: int) -> int:
        """Returns what the lobby's clock shows at our `now_ms`."""
        return now_ms + self.offset_ms

    def local_ms(self, lobby_ms: int) -> int:
        """Returns our time at which the lobby's clock shows `lobby_ms`."""
        return lobby_ms - self.offset_ms
