"""How a deck comes to be: the lobby commits, the players commit, everyone opens (deal.md §3).

Owns the Deal that stands at a table, the chain behind it, and the documents on the way from it to a Start. When the
steps are taken, and what happens when somebody does not take them, is table.py's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.deck import CHAIN_LENGTH, Chain, seeded_chain
from engine.digest import digest, u32
from lobby.entropy import Entropy
from lobby.people import Seat
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.layout import LayoutError
from protocol.limits import TABLE_ID_BYTES, WINDOWS, Windows
from protocol.messages import Signed, TableSettings
from protocol.signing import NO_CONTEXT, Signer, verify

DEALS_REMEMBERED = 3  # one a second at most may come while a Ready is on its way; to look at each costs 60 µs


@dataclass(frozen=True, slots=True, kw_only=True)
class DealOptions:
    """What a demo may deal differently; it all stands in the Deal (issue of the demo scripts, deal.md 2.1)."""

    seed: bytes | None = None
    windows: Windows = WINDOWS
    chain_length: int = CHAIN_LENGTH


@dataclass(frozen=True, slots=True)
class Opened:
    """Everything a race begins with."""

    deal: Deal
    deal_signed: Signed
    seats_signed: Signed
    start_signed: Signed
    start: Start
    chain: Chain


class Opening:
    """The Deal that stands at a table, and the number and hashes that tie each to the one before."""

    def __init__(self, signer: Signer, entropy: Entropy, options: DealOptions, settings: TableSettings) -> None:
        self._signer = signer
        self._entropy = entropy
        self._options = options
        self._table_id = entropy(TABLE_ID_BYTES)
        self._race_number = 1
        self._burnt = 0
        self._previous_record = bytes(32)
        self._previous_deal = bytes(32)
        self.seats_signed: Signed | None = None
        self._gone: tuple[bytes, ...] = ()  # hashes of the last Deals before the one that stands
        self._deal(settings)

    def burn(self) -> bytes:
        """The Deal that stands is broken off; returns its chain's last link, which everyone is told (deal.md 3.4)."""
        self._burnt += 1
        self.seats_signed = None
        return self.chain.link(self.deal.chain_length)

    def played(self, record_hash: bytes) -> None:
        """The race of this Deal was played; `record_hash` is SHA-256 of its record."""
        self._race_number += 1
        self._burnt = 0
        self._previous_record = record_hash

    def deal_next(self, settings: TableSettings) -> None:
        """Makes the Deal after one that was burnt or played."""
        self._gone = (self.deal_hash, *self._gone)[:DEALS_REMEMBERED]
        self._deal(settings)

    def ready_holds(self, signed: Signed, seat: Seat) -> bool:
        """Returns whether this is the Ready of exactly this seat for exactly the Deal that stands."""
        try:
            ready = Ready.decode(signed.body)
        except LayoutError:
            return False
        if (ready.key, ready.name, ready.computer) != (seat.key, seat.name, seat.computer):
            return False
        return verify(seat.key, "ready", self.deal_hash, signed.body, signed.signature)

    def ready_crossed(self, signed: Signed, key: bytes) -> bool:
        """Returns whether this is a Ready by this key for a Deal that is gone: it crossed with the new one."""
        return any(verify(key, "ready", gone, signed.body, signed.signature) for gone in self._gone)

    def close(self, seats: Sequence[Seat]) -> Signed:
        """Returns the signed Seats: nobody can be added any more (deal.md 3.3)."""
        readies = [seat.ready for seat in seats if seat.ready is not None]
        assert len(readies) == len(seats), "only seats that are ready are dealt in"
        body = Seats(tuple(readies)).encode()
        self.seats_signed = Signed(body, self._signer.sign("seats", self.deal_hash, body))
        return self.seats_signed

    def nonce_holds(self, seat: Seat, nonce: bytes) -> bool:
        """Returns whether this nonce is the one the seat's Ready committed to."""
        assert seat.ready is not None, "only seats that are ready open a nonce"
        return Ready.decode(seat.ready.body).commitment == commitment(self.deal_hash, seat.key, nonce)

    def start(self, nonces: Sequence[bytes], start_ms: int) -> Opened:
        """Returns the race as it begins: M is fixed, the Start is signed (deal.md 3.6)."""
        assert self.seats_signed is not None, "the list is closed before the nonces are opened"
        value = mix(self.deal_hash, document_hash("seats", self.seats_signed), nonces)
        start = Start(value, tuple(nonces), start_ms)
        body = start.encode()
        signed = Signed(body, self._signer.sign("start", value, body))
        return Opened(self.deal, self.deal_signed, self.seats_signed, signed, start, self.chain)

    def _deal(self, settings: TableSettings) -> None:
        seed = self._seed()
        length = self._options.chain_length
        self.chain = self._entropy.chain(length) if seed is None else seeded_chain(seed, length)
        self.deal = Deal(
            lobby_key=self._signer.key,
            table_id=self._table_id,
            race_number=self._race_number,
            chain_id=self.chain.chain_id,
            anchor=self.chain.anchor,
            chain_length=length,
            settings=settings,
            windows=self._options.windows,
            previous_record=self._previous_record,
            previous_deal=self._previous_deal,
            burnt=self._burnt,
            seed=seed or b"",
        )
        body = self.deal.encode()
        self.deal_signed = Signed(body, self._signer.sign("deal", NO_CONTEXT, body))
        self.deal_hash = self._previous_deal = document_hash("deal", self.deal_signed)
        self.seats_signed = None

    def _seed(self) -> bytes | None:
        """Returns the seed of this race: the given one, and from the second race on one derived from it."""
        seed = self._options.seed
        if seed is None or self._race_number == 1:
            return seed
        return digest("again", seed, u32(self._race_number))
