"""The tick: what everyone may know of a running race (rules 3.6, deal.md 5.3).

One encoding, signed once, goes to all. A tick holds no board and nothing that depends on who reads it. The lobby
decides when one is due; this module only knows how it is laid out.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.digest import u8, u32, u64
from engine.race import SeatState
from protocol.layout import LayoutError, Reader
from protocol.limits import SEATS_MAX, SEATS_MIN

NO_SEAT = 255
EPOCH_SHIFT = 32  # a tick's number is the lobby's epoch, then a count: none is used twice after a restart


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """One seat's public figures. `away_until_ms` is on the lobby's clock, 0 for a seat that is here."""

    state: SeatState
    score: int
    max_exponent: int
    moves: int
    deck_used_up: bool = False
    away_until_ms: int = 0


@dataclass(frozen=True, slots=True)
class OfferFigures:
    """The draw offer that stands: its number, its maker and who has agreed (rules 4.8)."""

    number: int
    seat: int
    agreed: tuple[int, ...]
    lapses_ms: int


@dataclass(frozen=True, slots=True)
class Tick:
    """The public figures of a race at one moment of the lobby's clock."""

    number: int
    lobby_ms: int
    seats: tuple[SeatFigures, ...]
    offer: OfferFigures | None = None

    def encode(self) -> bytes:
        """Returns the body of the tick."""
        parts = [u64(self.number), u64(self.lobby_ms), u8(len(self.seats))]
        for seat in self.seats:
            parts += [u8(seat.state), u32(seat.score), u8(seat.max_exponent), u32(seat.moves)]
            parts += [u8(seat.deck_used_up), u64(seat.away_until_ms)]
        offer = self.offer
        if offer is None:
            parts.append(u8(NO_SEAT))
        else:
            agreed = sum(1 << seat for seat in offer.agreed)
            parts += [u8(offer.seat), u8(offer.number), u8(agreed), u64(offer.lapses_ms)]
        return b"".join(parts)

    @classmethod
    def decode(cls, body: bytes) -> Tick:
        """Reads the body of a tick; raises LayoutError."""
        reader = Reader(body)
        number, lobby_ms, count = reader.uint(8), reader.uint(8), reader.uint(1)
        if not SEATS_MIN <= count <= SEATS_MAX:
            raise LayoutError(16, f"{count} seats")
        seats = tuple(_read_figures(reader) for _ in range(count))
        offer = _read_offer(reader, count)
        reader.end()
        return cls(number, lobby_ms, seats, offer)


def _read_figures(reader: Reader) -> SeatFigures:
    state = reader.uint(1)
    if state not in SeatState.__members__.values():
        raise LayoutError(reader.offset, f"no seat state {state}")
    score, exponent, moves, used_up = reader.uint(4), reader.uint(1), reader.uint(4), reader.uint(1)
    if used_up > 1:
        raise LayoutError(reader.offset - 1, f"{used_up} in the place of 0 or 1")
    return SeatFigures(SeatState(state), score, exponent, moves, bool(used_up), reader.uint(8))


def _read_offer(reader: Reader, count: int) -> OfferFigures | None:
    seat = reader.uint(1)
    if seat == NO_SEAT:
        return None
    number, agreed, lapses_ms = reader.uint(1), reader.uint(1), reader.uint(8)
    if seat >= count or agreed >> count:
        raise LayoutError(reader.offset, f"an offer of seat {seat}, agreed {agreed:#b}, of {count} seats")
    return OfferFigures(number, seat, tuple(n for n in range(count) if agreed >> n & 1), lapses_ms)
