"""Fetching the record of a race in pieces (deal.md 5.6)."""

from __future__ import annotations

from protocol.messages import AskRecord, RecordPiece, RecordReady


class Fetching:
    """A record on its way."""

    def __init__(self, ready: RecordReady) -> None:
        self.sha256 = ready.sha256
        self._length = ready.length
        self._data = bytearray()

    @property
    def data(self) -> bytes:
        """What is here of it."""
        return bytes(self._data)

    @property
    def whole(self) -> bool:
        """Whether every byte is here."""
        return len(self._data) == self._length

    def ask(self) -> AskRecord:
        """Returns the message that asks for the next piece."""
        return AskRecord(self.sha256, len(self._data))

    def take(self, piece: RecordPiece) -> bool:
        """Takes in the piece that was asked for; returns False if it is another, empty, or more than was announced."""
        if piece.offset != len(self._data) or not 0 < len(piece.data) <= self._length - len(self._data):
            return False
        self._data += piece.data
        return True
