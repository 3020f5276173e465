"""What is fuzzed: each decoder with the one error it may raise, and what must hold of whatever it takes.

Imported under atheris' instrumentation (__main__.py), so that a branch which was never taken before is noticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from protocol import limits
from protocol.codec import FrameError, decode_from_client, decode_from_lobby, encode
from protocol.layout import LayoutError
from protocol.movelog import MoveSlice
from protocol.record import DIGEST_BYTES, HEAD, SECTION_HEAD_BYTES, Record, RecordError, Section
from protocol.tick import OfferFigures, Tick
from protocol.verdict import verify_record
from tests.protocol import test_codec, test_tick

RECORDS = Path(__file__).parents[1] / "vectors" / "records"


@dataclass(frozen=True)
class Decoder:
    """`take` is given each input and raises what must not be raised; the inputs begin with the `seeds`."""

    take: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    share: int  # of all inputs, in thousandths: slower ones have fewer
    bytes_max: int


def _frame(data: bytes) -> None:
    for decode in (decode_from_client, decode_from_lobby):
        with suppress(FrameError):
            message = decode(data)
            assert decode(encode(message)) == message, "a message is read as it was written"


def _slice(data: bytes) -> None:
    with suppress(LayoutError):
        before_ms = int.from_bytes(data[:4], "big")
        part = MoveSlice.decode(data[4:], before_ms)
        assert part.encode(before_ms) == data[4:], "a slice has one form"


def _tick(data: bytes) -> None:
    with suppress(LayoutError):
        assert Tick.decode(data).encode() == data, "a tick has one form"


def _record(data: bytes) -> None:
    data = _with_digest(data)
    with suppress(RecordError):
        record = Record.parse(data)
        for log in record.logs:
            assert log.decode(log.encode()) == log, "a log has one form"
    assert verify_record(data).ok == (data in _true()), "only what the lobby signed is true"


def _with_digest(data: bytes) -> bytes:
    """Returns the record with the digest that it should have: without it nothing behind it is ever read."""
    offset = len(HEAD)
    while offset + SECTION_HEAD_BYTES <= len(data):
        start = offset + SECTION_HEAD_BYTES
        if data[offset] == Section.RESULT:
            return data[:start] + hashlib.sha256(data[:offset]).digest() + data[start + DIGEST_BYTES :]
        offset = start + int.from_bytes(data[offset + 1 : start], "big")
    return data


_TRUE: set[bytes] = set()


def _true() -> set[bytes]:
    _TRUE.update(() if _TRUE else [path.read_bytes() for path in (RECORDS / "true").glob("*.r2048")])
    return _TRUE


def _frames() -> list[bytes]:
    kinds = {*test_codec.FROM_CLIENT, *test_codec.FROM_LOBBY}
    made = [encode(test_codec.example(kind)) for kind in sorted(kinds, key=str)]
    return [frame for frame in made if len(frame) <= limits.CLIENT_FRAME_BYTES_MAX]


def _slices() -> list[bytes]:
    parts = [
        MoveSlice(3, 9, bytes(n % 4 for n in range(count)), tuple(range(0, 300 * count, 300))) for count in (1, 64)
    ]
    return [before_ms.to_bytes(4, "big") + part.encode(0) for part in parts for before_ms in (0, 1 << 31)]


def _ticks() -> list[bytes]:
    offers = (None, OfferFigures(9, 1, (0, 1), 42_000))
    return [Tick(7, 8, test_tick.FIGURES[:1] * seats, offer).encode() for seats in (2, 4) for offer in offers]


def _records() -> list[bytes]:
    return sorted(_true()) + [path.read_bytes() for path in sorted((RECORDS / "broken").glob("*.r2048"))]


DECODERS = {
    "frame": Decoder(_frame, _frames, share=290, bytes_max=limits.CLIENT_FRAME_BYTES_MAX + 4),
    "slice": Decoder(_slice, _slices, share=350, bytes_max=400),
    "tick": Decoder(_tick, _ticks, share=350, bytes_max=120),
    "record": Decoder(_record, _records, share=10, bytes_max=4_096),
}
