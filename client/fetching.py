"""Fetching the record of a race in pieces, and comparing it with what this client saw (deal.md 5.6)."""

from __future__ import annotations

import hashlib

from client.play import OwnRace
from client.view import Check
from protocol import limits
from protocol.layout import LayoutError
from protocol.messages import AskRecord, RecordPiece, RecordReady, Signed
from protocol.record import Record
from protocol.verdict import verify_record


class Fetching:
    """A record on its way."""

    def __init__(self, ready: RecordReady) -> None:
        self._ready = ready
        self._data = bytearray()

    def ask(self) -> AskRecord:
        """Returns the message that asks for the next piece."""
        return AskRecord(len(self._data))

    def take(self, piece: RecordPiece) -> bytes | None:
        """Takes a piece in; returns the record when it is whole, else None."""
        if piece.offset == len(self._data) and len(self._data) + len(piece.data) <= self._ready.length:
            self._data += piece.data
        return bytes(self._data) if self.whole else None

    @property
    def whole(self) -> bool:
        """Whether every byte is here."""
        return len(self._data) == min(self._ready.length, limits.RECORD_BYTES_MAX)

    def digest_holds(self) -> bool:
        """Returns whether the bytes are those that were announced."""
        return hashlib.sha256(self._data).digest() == self._ready.sha256


def check_record(data: bytes, deal: Signed, own: OwnRace | None) -> Check:
    """Returns whether a record holds, is of this race, and has our own moves exactly as the lobby took them."""
    verdict = verify_record(data)
    if not verdict.ok:
        return Check(ok=False, reason=verdict.reason)
    try:
        record = Record.parse(data)
    except LayoutError as error:  # cannot be after a good verdict; said rather than raised all the same
        return Check(ok=False, reason=str(error))
    if record.deal != deal:
        return Check(ok=False, reason="the record is of another race")
    if own is not None:
        log = record.logs[own.seat]
        mine = (bytes(own.log.directions[: len(log.directions)]), tuple(own.log.times[: len(log.times)]))
        if (log.directions, tuple(log.times)) != mine or len(log.directions) < own.acked:
            return Check(ok=False, reason="the record does not hold the moves that this program made")
    return Check(ok=True, reason="")
