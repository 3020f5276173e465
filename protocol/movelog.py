"""The log of a seat: a hash chain over its moves, the slices that carry it and the seals that vouch for it.

deal.md §5.1–5.2. A `MoveLog` only knows that heads follow one another; whether a move is legal is engine/game.py's
business, and whether it may be made now lobby/racing.py's.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

from engine.digest import digest, tag_prefix, u8, u32, u64
from protocol.layout import LayoutError, Reader, pack_directions, unpack_directions, varint
from protocol.limits import SLICE_MOVES_MAX
from protocol.messages import Signed
from protocol.signing import Signer, verify

SEAL_BYTES = 51  # the body of a seal
_MOVE_PREFIX = tag_prefix("move")


class Act(IntEnum):
    """What a seal says beside vouching for the log (deal.md 5.2)."""

    NONE = 0
    TARGET = 1
    STUCK = 2
    OFFER = 3
    AGREE = 4
    REFUSE = 5
    WITHDRAW = 6
    RESIGN = 7
    END = 8
    RESUME = 9


_ON_OFFERS = frozenset({Act.OFFER, Act.AGREE, Act.REFUSE, Act.WITHDRAW})  # their argument is the offer's number


def first_head(mix: bytes, seat: int, key: bytes) -> bytes:
    """Returns head 0 of a seat's log."""
    return digest("log", mix, u8(seat), key)


def next_head(head: bytes, direction: int, t_ms: int) -> bytes:
    """Returns the head after a move in `direction`, claimed for `t_ms` after the start.

    It is H("move", head, u8 direction, u32 t_ms), written out: a record is verified with one for every move.
    """
    return sha256(_MOVE_PREFIX + head + u8(direction) + u32(t_ms)).digest()


class MoveLog:
    """The moves of one seat with their claimed times, and the head after the last."""

    __slots__ = ("directions", "head", "times")

    def __init__(self, mix: bytes, seat: int, key: bytes) -> None:
        self.directions = bytearray()
        self.times = array("I")
        self.head = first_head(mix, seat, key)

    def __len__(self) -> int:
        return len(self.directions)

    @property
    def last_ms(self) -> int:
        """The claimed time of the last move, 0 before the first."""
        return self.times[-1] if self.times else 0

    def append(self, direction: int, t_ms: int) -> None:
        """Adds a move. `t_ms` must not be before the last move's."""
        if t_ms < self.last_ms:
            raise ValueError(f"move {len(self) + 1} at {t_ms} ms is before the one at {self.last_ms} ms")
        self.head = next_head(self.head, direction, t_ms)
        self.directions.append(direction)
        self.times.append(t_ms)

    def move(self, place: int) -> tuple[int, int]:
        """Returns direction and claimed time of the move at `place`, counted from 0."""
        return self.directions[place], self.times[place]

    def slice(self, first: int, tick_seen: int) -> MoveSlice:
        """Returns the slice of up to 64 moves that begins with move `first`, counted from 0."""
        last = min(first + SLICE_MOVES_MAX, len(self))
        return MoveSlice(first, tick_seen, bytes(self.directions[first:last]), tuple(self.times[first:last]))


@dataclass(frozen=True, slots=True)
class MoveSlice:
    """Moves on their way to the lobby: the index of the first (from 0), the last tick seen, moves and times."""

    first: int
    tick_seen: int
    directions: bytes
    times: tuple[int, ...]

    def encode(self, before_ms: int) -> bytes:
        """Returns the slice's bytes; `before_ms` is the time of the move before its first (0: none)."""
        head = u32(self.first) + u64(self.tick_seen) + u8(len(self.directions))
        return head + pack_directions(self.directions) + pack_times(self.times, before_ms)

    @classmethod
    def decode(cls, body: bytes, before_ms: int) -> MoveSlice:
        """Reads a slice whose first move follows one made at `before_ms`; raises LayoutError."""
        reader = Reader(body)
        first, tick_seen, count = reader.uint(4), reader.uint(8), reader.uint(1)
        if not 1 <= count <= SLICE_MOVES_MAX:
            raise LayoutError(12, f"{count} moves")
        directions = unpack_directions(reader, count)
        times = unpack_times(reader, count, before_ms)
        reader.end()
        return cls(first, tick_seen, directions, times)


def pack_times(times: Sequence[int], before_ms: int) -> bytes:
    """Returns rising times as varints of their differences, the first to `before_ms`."""
    out = bytearray()
    for t_ms in times:
        out += varint(t_ms - before_ms)
        before_ms = t_ms
    return bytes(out)


def unpack_times(reader: Reader, count: int, before_ms: int) -> tuple[int, ...]:
    """Returns `count` times read as differences; raises LayoutError if one does not fit 32 bits."""
    times = []
    for _ in range(count):
        before_ms += reader.varint()
        times.append(before_ms)
    if before_ms >= 1 << 32:
        raise LayoutError(reader.offset, "a time beyond 49 days")
    return tuple(times)


@dataclass(frozen=True, slots=True)
class SealBody:
    """A player's word: at seal `number` (from 1) the log of `seat` has `moves` moves and this head; and an act."""

    seat: int
    number: int
    moves: int
    head: bytes
    tick_seen: int
    act: Act
    argument: int = 0

    def encode(self) -> bytes:
        """Returns the body of the seal."""
        start = u8(self.seat) + u32(self.number) + u32(self.moves) + self.head
        return start + u64(self.tick_seen) + u8(self.act) + u8(self.argument)

    @classmethod
    def decode(cls, body: bytes) -> SealBody:
        """Reads the body of a seal; raises LayoutError."""
        reader = Reader(body)
        seat, number, moves = reader.uint(1), reader.uint(4), reader.uint(4)
        head, tick_seen, act, argument = reader.take(32), reader.uint(8), reader.uint(1), reader.uint(1)
        reader.end()
        if act not in Act.__members__.values():
            raise LayoutError(49, f"no act {act}")
        if argument and act not in _ON_OFFERS:
            raise LayoutError(50, f"an argument to act {act}")
        return cls(seat, number, moves, head, tick_seen, Act(act), argument)

    def sign(self, signer: Signer, mix: bytes) -> Signed:
        """Returns this seal signed by its player."""
        body = self.encode()
        return Signed(body, signer.sign("seal", mix, body))


def open_seal(signed: Signed, key: bytes, mix: bytes) -> SealBody:
    """Returns the content of a seal by `key` in the race of `mix`; raises LayoutError, also for a false signature."""
    if not verify(key, "seal", mix, signed.body, signed.signature):
        raise LayoutError(0, "the signature of the seal is false")
    return SealBody.decode(signed.body)
