"""Why a record is refused: one code for each thing that can be wrong with it (SPEC.md, Verifying a record).

Whoever checks a record says the code of the first step that fails, so that two programs can be held against each other
on broken records too. The codes stand in SPEC.md and are fixed for a format version; the words beside them are not.
"""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """What is wrong with a record; the first four mean a damaged file, which says nothing of anybody."""

    NOT_A_RECORD = "not-a-record"
    VERSION = "version"
    LAYOUT = "layout"
    DIGEST = "digest"

    UNREADABLE = "unreadable"  # a signed body that does not follow its layout
    LOBBY_SIGNATURE = "lobby-signature"
    SEED = "seed"
    ANCHOR = "anchor"
    PLAYER_SIGNATURE = "player-signature"
    SEATS = "seats"
    COMMITMENT = "commitment"
    MIX = "mix"
    GAP = "gap"
    TIMES = "times"
    PACE = "pace"
    ILLEGAL = "illegal"
    BACK = "back"
    LEAVING = "leaving"
    SEAL_PRESENCE = "seal-presence"
    SEAL_SEAT = "seal-seat"
    SEAL_HEAD = "seal-head"
    SEAL_ORDER = "seal-order"
    SEAL_ACT = "seal-act"
    UNSEALED = "unsealed"
    UNSEEN_OFFER = "unseen-offer"
    NOT_OVER = "not-over"
    OUTCOME = "outcome"
    FIGURES = "figures"
    TARGET_UNSEALED = "target-unsealed"


class FalseRecordError(ValueError):
    """A whole record that says something untrue or impossible; the message says what, of whom and where."""

    def __init__(self, fault: Fault, what: str) -> None:
        super().__init__(what)
        self.fault = fault
