"""The record of a race as a file: who was dealt what, what everyone did, and how it ended (deal.md 5.5).

Owns the byte layout, nothing else: `build_record` writes one, `Record.parse` reads one and refuses what is not
whole. Whether what a record says is true is verdict.py's business. SPEC.md has the layout in words.

A record is a head and sections, each a byte of type, a length and its bytes, in the one order of `_FOLLOWS`. The last
is the lobby's Result, whose body begins with the SHA-256 of everything before that section.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from engine.digest import u8, u32, u64
from engine.race import Outcome, SeatState, Termination
from protocol.deal import FORMAT_VERSION, Start
from protocol.faults import Fault
from protocol.layout import LayoutError, Reader, pack_directions, unpack_directions, unzigzag, varint, zigzag
from protocol.limits import RECORD_BYTES_MAX, SEATS_MAX, SEATS_MIN, SIGNATURE_BYTES
from protocol.messages import Signed
from protocol.movelog import SEAL_BYTES, pack_times, unpack_times
from protocol.signing import Signer

MAGIC = b"race2048"
HEAD = MAGIC + bytes([FORMAT_VERSION])
SECTION_HEAD_BYTES = 5
DIGEST_BYTES = 32
SECTIONS_MAX = 1_024  # events and gaps: far more than a race can have, and a second's work to check

T = TypeVar("T")


class RecordError(LayoutError):
    """A file that is no record, or not a whole one; the message says at which byte, `fault` in one word what."""

    def __init__(self, offset: int, what: str, fault: Fault = Fault.LAYOUT) -> None:
        super().__init__(offset, what)
        self.fault = fault


class Section(IntEnum):
    """The types of sections."""

    DEAL = 1
    SEATS = 2
    START = 3
    LOG = 4
    EVENT = 5
    GAP = 6
    CHAIN = 7
    RESULT = 8


_FOLLOWS: dict[Section | None, tuple[Section, ...]] = {
    None: (Section.DEAL,),
    Section.DEAL: (Section.SEATS,),
    Section.SEATS: (Section.START,),
    Section.START: (Section.LOG,),
    Section.LOG: (Section.LOG, Section.EVENT, Section.GAP, Section.CHAIN),
    Section.EVENT: (Section.EVENT, Section.GAP, Section.CHAIN),
    Section.GAP: (Section.GAP, Section.CHAIN),
    Section.CHAIN: (Section.RESULT,),
    Section.RESULT: (),
}


class EventKind(IntEnum):
    """What happened to a seat beside its moves. What a vote says is in its seal."""

    VOTE = 1
    RESIGNED = 2
    FORFEITED = 3
    ABSENT = 4
    RETURNED = 5
    SAID = 6  # a vote that came to nothing: no more than its moment counts, for the moves after it (rules 5.2)


@dataclass(frozen=True, slots=True)
class Correction:
    """The arrival of a move whose t* is not its claimed time, and how far before that its claim was believed.

    `move` counts the moves of the seat from 1. Arrivals never fall.
    """

    move: int
    arrival_ms: int
    back_ms: int

    def encode(self, before: Correction) -> bytes:
        """Returns what this is more than the correction before it: on an uneven line there are many of them."""
        parts = (self.move - before.move, self.arrival_ms - before.arrival_ms, zigzag(self.back_ms - before.back_ms))
        return b"".join(map(varint, parts))

    @classmethod
    def read(cls, reader: Reader, before: Correction, moves: int) -> Correction:
        """Reads the correction after `before` in a log of so many moves; raises LayoutError."""
        move, arrival_ms = before.move + reader.varint(), before.arrival_ms + reader.varint()
        back_ms = before.back_ms + unzigzag(reader.varint())
        if not before.move < move <= moves:
            raise LayoutError(reader.offset, f"a correction of move {move} of {moves}")
        if arrival_ms >> 32 or not 0 <= back_ms < 1 << 16:
            raise LayoutError(reader.offset, f"an arrival at {arrival_ms} ms, believed {back_ms} ms before")
        return cls(move, arrival_ms, back_ms)


@dataclass(frozen=True, slots=True)
class SeatLog:
    """All moves of one seat with their claimed times, what was corrected about them, and the seat's last seal."""

    directions: bytes
    times: Sequence[int]
    corrections: tuple[Correction, ...] = ()
    seal: Signed | None = None

    def encode(self) -> bytes:
        """Returns the section of the log."""
        parts = [u32(len(self.directions)), pack_directions(self.directions), pack_times(self.times, 0)]
        parts.append(u32(len(self.corrections)))
        before = Correction(0, 0, 0)
        for correction in self.corrections:
            parts.append(correction.encode(before))
            before = correction
        return b"".join(parts) + _encode_seal(self.seal)

    @classmethod
    def decode(cls, body: bytes) -> SeatLog:
        """Reads the section of a log; raises LayoutError."""
        reader = Reader(body)
        count = reader.uint(4)
        directions = unpack_directions(reader, count)
        times = unpack_times(reader, count, 0)
        corrections, before = [], Correction(0, 0, 0)
        for _ in range(reader.uint(4)):
            before = Correction.read(reader, before, count)
            corrections.append(before)
        seal = _read_seal(reader)
        reader.end()
        return cls(directions, times, tuple(corrections), seal)


@dataclass(frozen=True, slots=True)
class RecordEvent:
    """Something that decided the race and is no move: when it arrived, and after how many moves of its seat.

    `tick` is the number of the tick that announced it, if it is a draw offer; else 0. Votes and
    resignations carry the seal that says them; the rest is the lobby's word.
    """

    kind: EventKind
    seat: int
    t_ms: int
    moves: int
    tick: int = 0
    seal: Signed | None = None

    def encode(self) -> bytes:
        """Returns the section of the event."""
        head = u8(self.kind) + u8(self.seat) + u32(self.t_ms) + u64(self.tick) + u32(self.moves)
        return head + _encode_seal(self.seal)

    @classmethod
    def decode(cls, body: bytes) -> RecordEvent:
        """Reads the section of an event; raises LayoutError."""
        reader = Reader(body)
        kind, seat, t_ms = reader.uint(1), reader.uint(1), reader.uint(4)
        tick, moves, seal = reader.uint(8), reader.uint(4), _read_seal(reader)
        reader.end()
        if kind not in EventKind.__members__.values():
            raise LayoutError(0, f"no event {kind}")
        return cls(EventKind(kind), seat, t_ms, moves, tick, seal)


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which the lobby itself was away (rules 5.6), from its last durable row to the first event after."""

    from_ms: int
    to_ms: int

    def encode(self) -> bytes:
        """Returns the body of the gap; it is signed as kind "gap" in the context of the mix."""
        return u32(self.from_ms) + u32(self.to_ms)

    @classmethod
    def decode(cls, body: bytes) -> Gap:
        """Reads the body of a gap; raises LayoutError."""
        reader = Reader(body)
        gap = cls(reader.uint(4), reader.uint(4))
        reader.end()
        return gap


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One seat at the moment of the outcome. `unsealed` counts the moves of its log behind its last seal.

    `max_exponent` is that of its board, two tiles of the start included.
    """

    state: SeatState
    score: int
    max_exponent: int
    moves: int
    unsealed: int


@dataclass(frozen=True, slots=True)
class Result:
    """The lobby's last word: the digest of the record before it, the outcome, and every seat at that moment."""

    digest: bytes
    outcome: Outcome
    seats: tuple[SeatResult, ...]

    def encode(self) -> bytes:
        """Returns the body of the Result; it is signed as kind "result" in the context of the mix."""
        outcome = self.outcome
        winners = sum(1 << seat for seat in outcome.winners)
        parts = [self.digest, u8(outcome.termination), u8(winners), u32(outcome.t_ms), u8(len(self.seats))]
        for seat in self.seats:
            parts += [
                u8(seat.state),
                u32(seat.score),
                u8(seat.max_exponent),
                u32(seat.moves),
                u32(seat.unsealed),
            ]
        return b"".join(parts)

    @classmethod
    def decode(cls, body: bytes) -> Result:
        """Reads the body of a Result; raises LayoutError."""
        reader = Reader(body)
        digest, termination, winners, t_ms = reader.take(32), reader.uint(1), reader.uint(1), reader.uint(4)
        count = reader.uint(1)
        if termination not in Termination.__members__.values():
            raise LayoutError(32, f"no termination {termination}")
        if not SEATS_MIN <= count <= SEATS_MAX or winners >> count:
            raise LayoutError(33, f"winners {winners:#b} of {count} seats")
        seats = tuple(_read_seat(reader) for _ in range(count))
        reader.end()
        won = tuple(seat for seat in range(count) if winners >> seat & 1)
        return cls(digest, Outcome(Termination(termination), won, t_ms), seats)


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record, unlike anything else but not yet believed: `verdict.verify_record` judges it."""

    deal: Signed
    seats: Signed
    start: Signed
    logs: tuple[SeatLog, ...]
    events: tuple[RecordEvent, ...]
    gaps: tuple[Signed, ...]
    last_link: bytes
    result: Signed

    @classmethod
    def parse(cls, data: bytes) -> Record:
        """Reads a record; raises RecordError if it is none, is cut off, or is unlike its own digest."""
        parts = _split(data)
        result = parts[Section.RESULT][0]
        signed = result.read(_read_result)
        if hashlib.sha256(data[: result.offset]).digest() != signed.body[:DIGEST_BYTES]:
            what = "the record is unlike its own digest: a byte before this was changed"
            raise RecordError(result.offset, what, Fault.DIGEST)
        return cls(
            deal=parts[Section.DEAL][0].read(_read_signed),
            seats=parts[Section.SEATS][0].read(_read_signed),
            start=parts[Section.START][0].read(_read_signed),
            logs=tuple(part.read(SeatLog.decode) for part in parts[Section.LOG]),
            events=tuple(part.read(RecordEvent.decode) for part in parts[Section.EVENT]),
            gaps=tuple(part.read(_read_signed) for part in parts[Section.GAP]),
            last_link=parts[Section.CHAIN][0].read(_read_link),
            result=signed,
        )


def build_record(
    *,
    deal: Signed,
    seats: Signed,
    start: Signed,
    logs: Sequence[SeatLog],
    last_link: bytes,
    outcome: Outcome,
    results: Sequence[SeatResult],
    signer: Signer,
    events: Sequence[RecordEvent] = (),
    gaps: Sequence[Signed] = (),
) -> bytes:
    """Returns the bytes of a record, its Result signed by the lobby. Logs and results stand in seat order."""
    parts = [HEAD]
    for section, signed in ((Section.DEAL, deal), (Section.SEATS, seats), (Section.START, start)):
        parts.append(_section(section, signed.body + signed.signature))
    parts += [_section(Section.LOG, log.encode()) for log in logs]
    parts += [_section(Section.EVENT, event.encode()) for event in events]
    parts += [_section(Section.GAP, gap.body + gap.signature) for gap in gaps]
    parts.append(_section(Section.CHAIN, last_link))
    before = b"".join(parts)
    body = Result(hashlib.sha256(before).digest(), outcome, tuple(results)).encode()
    mix = Start.decode(start.body).mix
    return before + _section(Section.RESULT, body + signer.sign("result", mix, body))


@dataclass(frozen=True, slots=True)
class _Part:
    """A section where it stands in the file."""

    offset: int
    body: bytes

    def read(self, decode: Callable[[bytes], T]) -> T:
        """Returns the section's content; a LayoutError becomes a RecordError at the byte of the file."""
        try:
            return decode(self.body)
        except LayoutError as error:
            raise RecordError(self.offset + SECTION_HEAD_BYTES + error.offset, error.what) from None


def _split(data: bytes) -> dict[Section, list[_Part]]:
    """Returns the sections of a whole record by type, in order; raises RecordError."""
    _check_head(data)
    parts: dict[Section, list[_Part]] = {section: [] for section in Section}
    last: Section | None = None
    offset = len(HEAD)
    while offset < len(data):
        start = offset + SECTION_HEAD_BYTES
        section = next((following for following in _FOLLOWS[last] if following == data[offset]), None)
        if section is None:
            raise RecordError(offset, f"no section {data[offset]} can stand here")
        offset = start + int.from_bytes(data[offset + 1 : start], "big")
        if len(data) < max(start, offset):
            raise RecordError(len(data), f"cut off: {max(start, offset) - len(data)} bytes missing")
        parts[section].append(_Part(start - SECTION_HEAD_BYTES, data[start:offset]))
        last = section
    if last is not Section.RESULT:
        raise RecordError(len(data), "cut off before its end")
    if max(len(parts[Section.EVENT]), len(parts[Section.GAP])) > SECTIONS_MAX:
        raise RecordError(offset, f"more than {SECTIONS_MAX} events or gaps")
    return parts


def _check_head(data: bytes) -> None:
    if len(data) > RECORD_BYTES_MAX:
        raise RecordError(RECORD_BYTES_MAX, "not a record: too long", Fault.NOT_A_RECORD)
    if len(data) < len(HEAD) and HEAD.startswith(data):
        raise RecordError(len(data), "cut off before its end")
    if not data.startswith(MAGIC):
        raise RecordError(0, "not a record", Fault.NOT_A_RECORD)
    if not data.startswith(HEAD):
        what = f"a record of format version {data[len(MAGIC)]}, which this program does not know"
        raise RecordError(len(MAGIC), what, Fault.VERSION)


def _section(section: Section, body: bytes) -> bytes:
    return u8(section) + u32(len(body)) + body


def _encode_seal(seal: Signed | None) -> bytes:
    return u8(0) if seal is None else u8(1) + seal.body + seal.signature


def _read_seal(reader: Reader) -> Signed | None:
    has_seal = reader.uint(1)
    if has_seal > 1:
        raise LayoutError(reader.offset - 1, f"{has_seal} in the place of 0 or 1")
    return Signed(reader.take(SEAL_BYTES), reader.take(SIGNATURE_BYTES)) if has_seal else None


def _read_signed(body: bytes) -> Signed:
    reader = Reader(body)
    return Signed(reader.take(max(0, len(body) - SIGNATURE_BYTES)), reader.take(SIGNATURE_BYTES))


def _read_result(body: bytes) -> Signed:
    if len(body) < DIGEST_BYTES + SIGNATURE_BYTES:
        raise LayoutError(len(body), "cut off: no digest and signature")
    return _read_signed(body)


def _read_link(body: bytes) -> bytes:
    reader = Reader(body)
    link = reader.take(32)
    reader.end()
    return link


def _read_seat(reader: Reader) -> SeatResult:
    state, score, exponent = reader.uint(1), reader.uint(4), reader.uint(1)
    if state not in SeatState.__members__.values():
        raise LayoutError(reader.offset, f"no seat state {state}")
    return SeatResult(SeatState(state), score, exponent, reader.uint(4), reader.uint(4))
