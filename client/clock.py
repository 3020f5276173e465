"""The lobby's clock, as a client knows it (rules 5.5).

Every answered ping gives an interval in which the lobby's clock must lie: the shorter the round trip, the surer. The
estimate is taken from the quickest samples, also those of an earlier connection: the first answers on a new line are
often slow, and half of a round trip is how wrong they can be. Two samples whose intervals have nothing in common show
that a clock was set or stood still (ours does while the computer sleeps); then the later is right, though it may be a
bad one, and the estimate is the earliest that can be: what is claimed too early is refused, too late it is not. No
clock is read here: the session hands its own monotonic time in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

_SAMPLES_KEPT = 32
_GRAIN_MS = 2  # both clocks are read in whole milliseconds
_SURE_MS = 200  # a sample of a longer round trip can be further off than a lobby bears (rules 5.2)
_GOOD = 4  # how many of the quickest samples are averaged: one alone carries its own jitter


class LobbyClock:
    """Estimates the difference between the lobby's clock and ours, in ms."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque(maxlen=_SAMPLES_KEPT)  # round trip, twice the offset
        self._told_ms = 0
        self._trips: deque[int] = deque(maxlen=_SAMPLES_KEPT)  # of this line
        self._doubted = False

    def restart(self) -> None:
        """The line is another; the lobby's clock is the same until it shows otherwise. Slow samples are forgotten."""
        self._told_ms = self.offset_ms
        self._trips.clear()
        self._samples = deque((sample for sample in self._samples if sample[0] <= _SURE_MS), maxlen=_SAMPLES_KEPT)
        self._doubted = False

    def doubt(self) -> None:
        """The lobby found that we were ahead of it: on this line we take it to be no later than it must be."""
        self._doubted = True

    def told(self, lobby_ms: int, now_ms: int) -> None:
        """The lobby has said what its clock showed a moment ago; better than nothing until a ping is answered."""
        self._told_ms = lobby_ms - now_ms
        self._keep(lambda trip, twice: twice + trip >= 2 * (self._told_ms - _GRAIN_MS))

    def sample(self, sent_ms: int, lobby_ms: int, now_ms: int) -> None:
        """A ping sent at `sent_ms` was answered: the lobby's clock showed `lobby_ms` somewhere in between."""
        if sent_ms > now_ms:
            return
        new_trip, new_twice = now_ms - sent_ms, 2 * lobby_ms - sent_ms - now_ms
        self._keep(lambda trip, twice: abs(twice - new_twice) <= trip + new_trip + 2 * _GRAIN_MS)
        self._samples.append((new_trip, new_twice))
        self._trips.append(new_trip)

    def _keep(self, fits: Callable[[int, int], bool]) -> None:
        """Forgets the samples that the clock of now cannot have given."""
        kept = [sample for sample in self._samples if fits(*sample)]
        if len(kept) < len(self._samples):
            self._samples = deque(kept, maxlen=_SAMPLES_KEPT)
            self._doubted = True

    @property
    def offset_ms(self) -> int:
        """What to add to our time to get the lobby's."""
        if not self._samples:
            return self._told_ms
        if self._doubted:
            return max((twice - trip) // 2 for trip, twice in self._samples)
        least = min(self._samples)[0]
        good = [twice for trip, twice in sorted(self._samples)[:_GOOD] if trip <= least + 2]
        return sum(good) // (2 * len(good))

    @property
    def round_trip_ms(self) -> int | None:
        """The least round trip that was measured on this line, or None."""
        return min(self._trips, default=None)

    def lobby_ms(self, now_ms: int) -> int:
        """Returns what the lobby's clock shows at our `now_ms`."""
        return now_ms + self.offset_ms

    def local_ms(self, lobby_ms: int) -> int:
        """Returns our time at which the lobby's clock shows `lobby_ms`."""
        return lobby_ms - self.offset_ms
