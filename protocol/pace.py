"""How fast moves may be made: the token bucket of rules 6.1, shared by client, lobby and verifier.

Kept as one number, the moment from which a full bucket would be there again (a "theoretical arrival time"), so
that it is exact in whole milliseconds and costs a comparison a move.
"""

from __future__ import annotations

from protocol.limits import Windows


def paced(full_ms: int, t_ms: int, windows: Windows) -> int | None:
    """Returns the new `full_ms` after a move claimed for `t_ms`, or None if the move is faster than the rate allows.

    `full_ms` is 0 before the first move.
    """
    cost_ms = 1_000 // windows.moves_per_s
    full_ms = max(full_ms, t_ms) + cost_ms
    return full_ms if full_ms - t_ms <= cost_ms * windows.moves_burst else None


def free_ms(full_ms: int, windows: Windows) -> int:
    """Returns the first moment at which the next move may be made."""
    cost_ms = 1_000 // windows.moves_per_s
    return full_ms + cost_ms - cost_ms * windows.moves_burst
