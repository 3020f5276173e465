"""Wrong codes by address: who tries too many is not answered for a while (ux.md §1). Knows no tables."""

from __future__ import annotations

from collections import deque

from protocol.limits import GUESS_WINDOW_MS, GUESSES_MAX


class Guesses:
    """The wrong codes of the last minute; addresses that have stopped are forgotten."""

    def __init__(self) -> None:
        self._times_ms: dict[str, deque[int]] = {}  # by address; the one that guessed last stands last

    def note(self, address: str, now_ms: int) -> None:
        """A wrong code came from this address."""
        times_ms = self._times_ms.pop(address, deque(maxlen=GUESSES_MAX))
        times_ms.append(now_ms)
        self._times_ms[address] = times_ms
        while next(iter(self._times_ms.values()))[-1] <= now_ms - GUESS_WINDOW_MS:
            del self._times_ms[next(iter(self._times_ms))]

    def too_many(self, address: str, now_ms: int) -> bool:
        """Returns whether so many came from this address that no further one is looked at now."""
        times_ms = self._times_ms.get(address)
        if times_ms is None or len(times_ms) < GUESSES_MAX:
            return False
        return times_ms[0] > now_ms - GUESS_WINDOW_MS
