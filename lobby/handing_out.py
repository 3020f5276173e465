"""The record of a race that is over, as it is handed out to whoever fetches it (deal.md 5.6)."""

from __future__ import annotations

import hashlib

from protocol.limits import RECORD_PIECE_BYTES
from protocol.messages import AskRecord, RecordPiece, RecordReady, Refused
from protocol.refusals import Refusal


class FinishedRecord:
    """A signed record and its digest."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.sha256 = hashlib.sha256(data).digest()

    def ready(self) -> RecordReady:
        """Returns what tells that it can be fetched."""
        return RecordReady(len(self.data), self.sha256)

    def piece(self, offset: int) -> RecordPiece:
        """Returns the piece that begins there."""
        return RecordPiece(self.sha256, offset, self.data[offset : offset + RECORD_PIECE_BYTES])


def answer(asked: AskRecord, record: FinishedRecord | None) -> RecordPiece | Refused:
    """Returns the piece that was asked for, or a refusal: there is no record, another one by now, or no such piece."""
    if record is None or record.sha256 != asked.sha256 or asked.offset >= len(record.data):
        return Refused(Refusal.NO_RECORD)
    return record.piece(asked.offset)
