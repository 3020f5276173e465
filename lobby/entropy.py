"""What a lobby draws by lot: bytes, and the chains that decks are dealt from (deal.md 2.2).

Owns the difference between the two: a chain is made of bytes, but takes ten milliseconds to make, so there may be one
ready (stock.py). Knows no journal; journal.py notes what a table drew and hands it out again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.deck import CHAIN_ID_BYTES, SECRET_BYTES, Chain


class Entropy(Protocol):
    """Where a lobby's, or a table's, lots come from."""

    def __call__(self, size: int, /) -> bytes:
        """So many bytes, never the same ones again."""

    def chain(self, length: int, /) -> Chain:
        """A chain of so many links that nobody has seen."""


class Source:
    """Entropy from a function that returns so many bytes; a chain is made when it is asked for."""

    def __init__(self, draw: Callable[[int], bytes]) -> None:
        self._draw = draw

    def __call__(self, size: int, /) -> bytes:
        """Returns so many bytes."""
        return self._draw(size)

    def chain(self, length: int, /) -> Chain:
        """Returns a new chain."""
        return Chain(self._draw(CHAIN_ID_BYTES), self._draw(SECRET_BYTES), length)
