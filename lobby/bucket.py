"""How often anything may happen: the one token bucket of the lobby. Pure, and imports nothing.

Moves have one of their own, protocol/pace.py, which client and verifier must share.
"""

from __future__ import annotations


class Bucket:
    """A token bucket of `burst` that fills at `per_s`; kept as the moment at which it is full again, as pace.py does.

    Exact in whole nanoseconds, so that a rate of bytes fits, too.
    """

    __slots__ = ("_burst_ns", "_cost_ns", "_full_ns")

    def __init__(self, per_s: int, burst: int) -> None:
        self._cost_ns = 1_000_000_000 // per_s
        self._burst_ns = burst * self._cost_ns
        self._full_ns = 0

    def take(self, now_ms: int, count: int = 1) -> bool:
        """Returns whether so many tokens were there; if not, none is taken."""
        now_ns = now_ms * 1_000_000
        full_ns = max(self._full_ns, now_ns) + count * self._cost_ns
        if full_ns - now_ns > self._burst_ns:
            return False
        self._full_ns = full_ns
        return True

    def full(self, now_ms: int) -> bool:
        """Returns whether nothing would be lost if this bucket were made anew."""
        return self._full_ns <= now_ms * 1_000_000
