"""The record of a game alone as a file, which is also its save: an Opening, and what was done, entry by entry.

Owns the byte layout and which Openings there can be. A file only ever grows, so whatever is on the disk after a crash
is a game up to some moment: `parse_solo` reads as far as it goes and says where and why it stopped. Whether what a
record says is true is solo_verdict.py's business; what the acts mean is engine/solo.py's. SPEC.md has it in words.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from engine.board import SIZES
from engine.deck import CHAIN_ID_BYTES, CHAIN_LENGTH, SECRET_BYTES, Chain, DealtDeck, Deck, SoloDeck, seed_of_text
from engine.digest import u8, u32, u64
from engine.solo import UNDO_DEPTH, Act, Solo, SoloKind, target_fault
from protocol.layout import LayoutError, Reader, varint
from protocol.limits import KEY_BYTES, RULES_VERSION, SIGNATURE_BYTES

MAGIC = b"solo2048"
SOLO_VERSION = 1
HEAD = MAGIC + bytes([SOLO_VERSION])
SOLO_BYTES_MAX = 16_777_216  # five million moves
OPENING_BYTES_MAX = 1_024
TEXT_BYTES_MAX = 255  # of what a deck is made from
SEAL = 9  # the code of a signature among the entries; the others are those of `Act`
_TIME_LIMIT = 1 << 32


class Origin(IntEnum):
    """Where a deck is from: whoever could know it before the game is judged by it (rules 2.6)."""

    CHANCE = 1
    TEXT = 2  # chosen by its player
    DAILY = 3
    GHOST = 4  # of a game that was recorded


@dataclass(frozen=True, slots=True)
class RaceDeckPapers:
    """All that a race's deck is dealt from (deal.md 2.2): `mix` is what stands in its keys."""

    chain_id: bytes
    chain_length: int
    last_link: bytes
    mix: bytes

    def encode(self) -> bytes:
        """Returns the deck as it stands in an Opening."""
        return self.chain_id + u32(self.chain_length) + self.last_link + self.mix


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a game begins with. `deck` is a seed, or what a race's deck is dealt from; `text` is what made the seed.

    `begun_ms` is when it began by the player's own clock, in milliseconds since 1970 (UTC).
    """

    size: int
    kind: SoloKind
    target_exponent: int
    origin: Origin
    deck: bytes | RaceDeckPapers
    key: bytes
    name: str
    text: str = ""
    begun_ms: int = 0

    @property
    def undo_depth(self) -> int:
        """How many moves can be taken back: none in a race, and a ghost is raced against (rules 2.4)."""
        return 0 if self.origin is Origin.GHOST else UNDO_DEPTH

    def dealt(self) -> Deck:
        """Returns the deck."""
        if isinstance(self.deck, bytes):
            return SoloDeck(self.deck)
        papers = self.deck
        return DealtDeck(Chain(papers.chain_id, papers.last_link, papers.chain_length), papers.mix)

    def start(self) -> Solo:
        """Returns the game before its first move."""
        return Solo(self.size, self.dealt(), self.target_exponent, self.undo_depth)

    def encode(self) -> bytes:
        """Returns the head of the file and the Opening."""
        text, name = self.text.encode(), self.name.encode()
        body = u8(RULES_VERSION) + u8(self.size) + u8(self.kind) + u8(self.target_exponent) + u8(self.origin)
        body += u8(0) + self.deck if isinstance(self.deck, bytes) else u8(1) + self.deck.encode()
        body += u8(len(text)) + text + u64(self.begun_ms) + self.key + u8(len(name)) + name
        return HEAD + u32(len(body)) + body

    @classmethod
    def decode(cls, body: bytes) -> Opening:
        """Reads the body of an Opening; raises LayoutError, also for one that no game can have."""
        reader = Reader(body)
        if reader.uint(1) != RULES_VERSION:
            raise LayoutError(0, "a rules version this program does not know")
        size, kind, target, origin = reader.uint(1), reader.uint(1), reader.uint(1), reader.uint(1)
        if size not in SIZES or kind not in SoloKind.__members__.values():
            raise LayoutError(1, f"no game of size {size}, kind {kind}")
        if target_fault(size, SoloKind(kind), target):
            raise LayoutError(3, f"target exponent {target}: none of such a game")
        if origin not in Origin.__members__.values():
            raise LayoutError(4, f"no deck of origin {origin}")
        deck = _read_deck(reader)
        text = _read_text(reader)
        begun_ms, key, name = reader.uint(8), reader.take(KEY_BYTES), _read_text(reader)
        reader.end()
        opening = cls(
            size=size,
            kind=SoloKind(kind),
            target_exponent=target,
            origin=Origin(origin),
            deck=deck,
            key=key,
            name=name,
            text=text,
            begun_ms=begun_ms,
        )
        if not _deck_can_be(opening):
            raise LayoutError(5, "the deck is not what its origin says")
        return opening


@dataclass(frozen=True, slots=True)
class Seal:
    """A signature among the entries: where it stands in the file, and how many acts are before it."""

    offset: int
    acts: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class SoloRecord:
    """A record as far as it can be read. `torn`: why no further, None if it is whole; `good_bytes`: how far.

    Nothing in it is believed yet.
    """

    opening: Opening
    acts: bytes
    times: Sequence[int]
    seals: tuple[Seal, ...]
    good_bytes: int
    torn: LayoutError | None


def encode_act(act: Act, t_ms: int, before_ms: int) -> bytes:
    """Returns an entry of something done at `t_ms`, the act before it at `before_ms`."""
    return u8(act) + varint(t_ms - before_ms)


def encode_seal(signature: bytes) -> bytes:
    """Returns an entry that signs everything before it: see solo_verdict.sign_solo."""
    return u8(SEAL) + signature


def is_solo(data: bytes) -> bool:
    """Returns whether a file wants to be the record of a game alone."""
    return data.startswith(MAGIC)


def parse_solo(data: bytes) -> SoloRecord:
    """Returns what is in a record up to where it is cut off or unreadable.

    Raises:
        LayoutError: not even the Opening can be read.
    """
    if not data.startswith(HEAD):
        raise LayoutError(0, "no record of a game alone in this format")
    reader = Reader(data)
    reader.take(len(HEAD))
    length = reader.uint(4)
    if length > OPENING_BYTES_MAX:
        raise LayoutError(reader.offset, f"an opening of {length} bytes")
    start = reader.offset
    body = reader.take(length)
    try:
        opening = Opening.decode(body)
    except LayoutError as error:
        raise LayoutError(start + error.offset, error.what) from None
    acts, times, seals, torn = bytearray(), array("Q"), list[Seal](), None
    t_ms, good = 0, reader.offset
    while good < len(data) and torn is None:
        try:
            code = reader.uint(1)
            if code == SEAL:
                seals.append(Seal(good, len(acts), reader.take(SIGNATURE_BYTES)))
            else:
                t_ms = _read_act(reader, code, t_ms)
                acts.append(code)
                times.append(t_ms)
            good = reader.offset
        except LayoutError as error:
            torn = error
    return SoloRecord(opening, bytes(acts), times, tuple(seals), good, torn)


def _read_act(reader: Reader, code: int, before_ms: int) -> int:
    if code not in Act.__members__.values():
        raise LayoutError(reader.offset - 1, f"no entry {code}")
    t_ms = before_ms + reader.varint()
    if t_ms >= _TIME_LIMIT:
        raise LayoutError(reader.offset, "a time beyond 49 days")
    return t_ms


def _read_deck(reader: Reader) -> bytes | RaceDeckPapers:
    sort = reader.uint(1)
    if sort == 0:
        return reader.take(SECRET_BYTES)
    if sort > 1:
        raise LayoutError(reader.offset - 1, f"no deck of sort {sort}")
    chain_id, length, last = reader.take(CHAIN_ID_BYTES), reader.uint(4), reader.take(SECRET_BYTES)
    if not 1 <= length <= CHAIN_LENGTH:
        raise LayoutError(reader.offset, f"a chain of {length} links")
    return RaceDeckPapers(chain_id, length, last, reader.take(SECRET_BYTES))


def _read_text(reader: Reader) -> str:
    raw = reader.take(reader.uint(1))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise LayoutError(reader.offset, "a text that is not UTF-8") from None


def _deck_can_be(opening: Opening) -> bool:
    """Returns whether the deck can be of its origin: a text makes its seed, and a daily text is of this size."""
    if opening.origin in (Origin.CHANCE, Origin.GHOST):
        return not opening.text and (isinstance(opening.deck, bytes) or opening.origin is Origin.GHOST)
    if opening.deck != seed_of_text(opening.text):
        return False
    return opening.origin is Origin.TEXT or daily_date(opening.text, opening.size) is not None


def daily_date(text: str, size: int) -> str | None:
    """Returns the date of the text of a daily deck of this size, None if it is none (deal.md 2.1)."""
    parts = text.split("/")
    if len(parts) != 3 or parts[0] != "daily" or parts[2] != str(size):
        return None
    year, _, rest = parts[1].partition("-")
    month, _, day = rest.partition("-")
    digits = (year, month, day)
    if not all(part.isascii() and part.isdecimal() for part in digits) or [len(part) for part in digits] != [4, 2, 2]:
        return None
    return parts[1]
