"""A game alone from its record: what was done in it, done again (rules 2). It judges legality, not signatures.

Layouts are solo.py's, signatures solo_verdict.py's.
"""

from __future__ import annotations

from engine.solo import Act, Solo
from protocol.solo import SoloRecord


class FalseSoloError(ValueError):
    """Something is done in a game that cannot be done there; the message says what, and as the how manieth."""


def played(record: SoloRecord) -> Solo:
    """Returns the game as it stands after all that was done.

    Raises:
        FalseSoloError: something of it cannot be done.
    """
    solo = record.opening.start()
    for number, (code, t_ms) in enumerate(zip(record.acts, record.times, strict=True), 1):
        if not solo.apply(Act(code), t_ms):
            raise FalseSoloError(f"entry {number}, {Act(code).name.lower().replace('_', ' ')}, cannot be here")
    return solo
