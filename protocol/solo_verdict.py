"""Whether the record of a game alone is true: its moves can be made, and its player has signed them.

`verify_solo` is complete: it needs the file alone. How long somebody thought, and that a deck was not chosen among
many, is the player's own word (SPEC.md). The layout is solo.py's, the rules are engine/solo.py's.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from engine.solo import Solo
from protocol.layout import LayoutError
from protocol.replaying import FalseSoloError, played
from protocol.signing import NO_CONTEXT, Signer, verify
from protocol.solo import HEAD, MAGIC, SOLO_BYTES_MAX, Opening, SoloRecord, parse_solo


class SoloFault(StrEnum):
    """What is wrong with the record of a game alone; the first three mean a damaged file, not a lie."""

    NOT_A_RECORD = "not-a-record"
    VERSION = "version"
    LAYOUT = "layout"

    ACT = "act"  # something done that could not be done
    SEAL = "seal"


@dataclass(frozen=True, slots=True)
class SoloVerdict:
    """What came of checking a record.

    `solo` is the game as it stands at its end, `unsigned` the acts after the last signature; neither means anything
    unless the record is ok.
    """

    ok: bool
    fault: SoloFault | None = None
    reason: str = ""
    record: SoloRecord | None = None
    solo: Solo | None = None
    unsigned: int = 0

    @property
    def damaged(self) -> bool:
        """Whether the file is no whole record, which says nothing of anybody."""
        return self.fault in (SoloFault.NOT_A_RECORD, SoloFault.VERSION, SoloFault.LAYOUT)


def sign_solo(signer: Signer, before: bytes) -> bytes:
    """Returns the signature that goes behind these bytes of a file; `before` is their SHA-256."""
    return signer.sign("solo", NO_CONTEXT, before)


def verify_solo(data: bytes) -> SoloVerdict:
    """Returns whether a record is whole and true, and if not, why not."""
    if len(data) > SOLO_BYTES_MAX or not data.startswith(MAGIC):
        return SoloVerdict(ok=False, fault=SoloFault.NOT_A_RECORD, reason="not the record of a game alone")
    if len(data) > len(MAGIC) and not data.startswith(HEAD):
        reason = f"format version {data[len(MAGIC)]}, which this program does not know"
        return SoloVerdict(ok=False, fault=SoloFault.VERSION, reason=reason)
    try:
        record = parse_solo(data)
        if record.torn is not None:
            raise record.torn
    except LayoutError as error:
        return SoloVerdict(ok=False, fault=SoloFault.LAYOUT, reason=str(error))
    try:
        solo = played(record)
    except FalseSoloError as error:
        return SoloVerdict(ok=False, fault=SoloFault.ACT, reason=str(error), record=record)
    return _seal_verdict(data, record, solo)


def _seal_verdict(data: bytes, record: SoloRecord, solo: Solo) -> SoloVerdict:
    """Looks at the last signature, which vouches for everything before it, those before it included."""
    if not record.seals:
        return SoloVerdict(ok=True, record=record, solo=solo, unsigned=len(record.acts))
    last = record.seals[-1]
    if not is_signed(record.opening, data[: last.offset], last.signature):
        reason = f"the signature at byte {last.offset} is not its player's"
        return SoloVerdict(ok=False, fault=SoloFault.SEAL, reason=reason, record=record, solo=solo)
    return SoloVerdict(ok=True, record=record, solo=solo, unsigned=len(record.acts) - last.acts)


def is_signed(opening: Opening, before: bytes, signature: bytes) -> bool:
    """Returns whether the player of this game has signed these bytes."""
    return verify(opening.key, "solo", NO_CONTEXT, hashlib.sha256(before).digest(), signature)
