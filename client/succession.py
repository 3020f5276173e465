"""Whether a Deal follows from the one before it at the same table (deal.md 3.1, 3.4).

Owns what a client remembers of the Deals it was told: their decks, their numbers and hashes, and what became of the
last. A lobby that could deal beside that row could try decks until it likes one. trust.py asks, and says why.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto

from engine.deck import CHAIN_LENGTH
from protocol.deal import Deal
from protocol.limits import WINDOWS

_DECKS_KEPT = 1_024  # of a table at which nothing is ever raced: an hour of burnt Deals is not answered by anybody
_NOTHING = bytes(32)


class Fate(Enum):
    """What became of a Deal."""

    STANDS = auto()
    BURNT = auto()
    PLAYED = auto()


class Succession:
    """The row of Deals at one table, as far as this client was told of it."""

    def __init__(self) -> None:
        self._fate = Fate.STANDS
        self._last: Deal | None = None
        self._hash = _NOTHING
        self._record = _NOTHING  # SHA-256 of the record of the last race, once it was announced
        self._open_decks: deque[bytes] = deque(maxlen=_DECKS_KEPT)  # anchors of chains that everybody knows

    def fault(self, deal: Deal, *, missed: bool) -> str:
        """Returns the code of what is wrong with this as the next Deal, or nothing.

        `missed`: there may have been others in between, since we were not connected.
        """
        last = self._last
        if last is None:
            return "" if _may_be_first(deal) else "deal-order"
        if _terms(deal) != _terms(last):
            return "deal-terms"
        if deal.anchor in self._open_decks and not deal.seeded:
            return "deal-again"
        if self._fate is Fate.STANDS and not missed:
            return "deal-unburnt"
        return "" if self._in_order(last, deal, missed=missed) else "deal-order"

    def changes_settings(self, deal: Deal) -> bool:
        """Returns whether this Deal has other settings than the one before it."""
        return self._last is not None and self._last.settings != deal.settings

    def take(self, deal: Deal, deal_hash: bytes) -> None:
        """This Deal stands now."""
        self._last, self._hash = deal, deal_hash
        self._fate, self._record = Fate.STANDS, _NOTHING

    def burn(self) -> None:
        """The last Deal was burnt: its chain is known to all."""
        self._end(Fate.BURNT)

    def play(self, record: bytes = _NOTHING) -> bool:
        """The last Deal was raced on, with a record of this SHA-256; returns False if another was announced before."""
        if record != _NOTHING and self._record not in (record, _NOTHING):
            return False
        self._end(Fate.PLAYED)
        self._record = record
        return True

    def _end(self, fate: Fate) -> None:
        if self._last is not None and self._fate is Fate.STANDS:
            self._open_decks.append(self._last.anchor)
        self._fate = fate

    def _in_order(self, last: Deal, deal: Deal, *, missed: bool) -> bool:
        played = self._fate is Fate.PLAYED
        after = (last.race_number + 1, 0) if played else (last.race_number, last.burnt + 1)
        place = (deal.race_number, deal.burnt)
        if place < after or (place > after and not missed):
            return False
        record = self._record if played else last.previous_record
        told = not played or record != _NOTHING
        if told and deal.race_number == after[0] and deal.previous_record != record:
            return False
        return place > after or deal.previous_deal == self._hash


def unusual(deal: Deal) -> bool:
    """Returns whether the Deal has other windows or fewer links than this version of the program deals with."""
    return deal.windows != WINDOWS or deal.chain_length != CHAIN_LENGTH


def _terms(deal: Deal) -> tuple[object, ...]:
    """Returns what no Deal of a table changes: only people change settings, and they see them (rules 3.2)."""
    return deal.table_id, deal.windows, deal.chain_length, deal.seeded


def _may_be_first(deal: Deal) -> bool:
    """Returns whether a table can have come to this Deal: before its first race there is no record."""
    if deal.race_number == 1 and deal.previous_record != _NOTHING:
        return False
    if (deal.race_number, deal.burnt) == (1, 0):
        return deal.previous_deal == _NOTHING
    return deal.race_number > 0 and deal.previous_deal != _NOTHING
