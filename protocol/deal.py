"""The documents that open a race: Deal, Ready, Seats and Start (deal.md §3), in fixed byte layouts.

Each is signed and hashed as its bytes stand; these classes only write a new one (`encode`) or read a received one
(`decode`). In what order they are exchanged is lobby/table.py's and client/session.py's business; whether they
belong together is checked by the reader of a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.board import SIZES, largest_exponent
from engine.deck import CHAIN_LENGTH
from engine.digest import digest, u8, u32, u64
from engine.race import Kind, RaceTerms
from protocol import limits
from protocol.layout import LayoutError, Reader
from protocol.messages import Signed, TableSettings
from protocol.signing import verify

FORMAT_VERSION = 1  # of Deal and record; whatever comes later, these stay readable
FLAG_SEEDED = 1  # the deck can be dealt again from the seed in L[N]: a demo or a test (deal.md 2.1)
FLAG_COMPUTER = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """The lobby's commitment: the deck's anchor and everything the race will be judged by (deal.md 3.1)."""

    lobby_key: bytes
    table_id: bytes
    race_number: int
    chain_id: bytes
    anchor: bytes
    settings: TableSettings
    chain_length: int = CHAIN_LENGTH
    windows: limits.Windows = limits.WINDOWS
    previous_record: bytes = bytes(32)
    previous_deal: bytes = bytes(32)
    burnt: int = 0
    seed: bytes = b""  # 32 bytes in a seeded Deal: whoever plays such a deck may know all of it

    @property
    def seeded(self) -> bool:
        """Whether the deck was dealt from a seed: a demo or a test, not a fair race (deal.md 2.1)."""
        return bool(self.seed)

    def deck_mix(self, mix: bytes) -> bytes:
        """Returns what stands in the deck's keys: M, or the seed in a seeded Deal (deal.md 2.1, 2.2)."""
        return self.seed or mix

    def encode(self) -> bytes:
        """Returns the body of the Deal."""
        settings = self.settings
        parts = [u8(FORMAT_VERSION), u8(limits.RULES_VERSION), self.lobby_key, self.table_id]
        parts += [u32(self.race_number), self.chain_id, self.anchor, u32(self.chain_length)]
        parts += [u8(settings.seats), u8(settings.size), u8(settings.kind), u8(settings.target_exponent)]
        parts += [u32(settings.time_ms), u32(settings.lead), u32(settings.idle_ms)]
        parts += [u32(getattr(self.windows, name)) for name in limits.Windows.__struct_fields__]
        parts += [self.previous_record, self.previous_deal, u32(self.burnt)]
        parts += [u8(FLAG_SEEDED if self.seeded else 0), self.seed]
        return b"".join(parts)

    @classmethod
    def decode(cls, body: bytes) -> Deal:
        """Reads the body of a Deal; raises LayoutError."""
        reader = Reader(body)
        if reader.uint(1) != FORMAT_VERSION or reader.uint(1) != limits.RULES_VERSION:
            raise LayoutError(0, "a format or rules version this program does not know")
        opening = (reader.take(32), reader.take(16), reader.uint(4), reader.take(16), reader.take(32))
        lobby_key, table_id, race_number, chain_id, anchor = opening
        chain_length = reader.uint(4)
        settings = _read_settings(reader)
        windows = _read_windows(reader)
        previous_record, previous_deal, burnt = reader.take(32), reader.take(32), reader.uint(4)
        flags = reader.uint(1)
        seed = reader.take(32) if flags & FLAG_SEEDED else b""
        reader.end()
        if flags > FLAG_SEEDED or not 1 <= chain_length <= CHAIN_LENGTH:
            raise LayoutError(0, "a flag or a chain length this program does not know")
        return cls(
            lobby_key=lobby_key,
            table_id=table_id,
            race_number=race_number,
            chain_id=chain_id,
            anchor=anchor,
            chain_length=chain_length,
            settings=settings,
            windows=windows,
            previous_record=previous_record,
            previous_deal=previous_deal,
            burnt=burnt,
            seed=seed,
        )

    def terms(self, seats: int) -> RaceTerms:
        """Returns what a race of `seats` seats dealt this way is judged by."""
        return RaceTerms(
            seats=seats,
            kind=Kind(self.settings.kind),
            target_exponent=self.settings.target_exponent,
            bell_ms=self.settings.time_ms,
            offer_lapse_ms=self.windows.offer_lapse_ms,
            offer_wait_ms=self.windows.offer_wait_ms,
            offers_max=self.windows.offers_max,
        )


def _read_settings(reader: Reader) -> TableSettings:
    settings = TableSettings(
        seats=reader.uint(1),
        size=reader.uint(1),
        kind=reader.uint(1),
        target_exponent=reader.uint(1),
        time_ms=reader.uint(4),
        lead=reader.uint(4),
        idle_ms=reader.uint(4),
    )
    if settings_fault(settings) is not None:
        raise LayoutError(reader.offset, f"settings no table can have: {settings_fault(settings)}")
    return settings


def _read_windows(reader: Reader) -> limits.Windows:
    windows = limits.Windows(**{name: reader.uint(4) for name in limits.Windows.__struct_fields__})
    # An offer's number has three bits for the count (deal.md 5.2); a move costs at least a millisecond.
    if windows.offers_max > 7 or not 1 <= windows.moves_per_s <= 1_000:
        raise LayoutError(reader.offset, "windows no race can have")
    return windows


def settings_fault(settings: TableSettings) -> str | None:
    """Returns the name of the first setting that no table can have (rules 3.2), or None."""
    largest = largest_exponent(settings.size) if settings.size in SIZES else 0
    timed, target = settings.kind == Kind.TIMED, settings.kind == Kind.TARGET
    checks = {
        "seats": limits.SEATS_MIN <= settings.seats <= limits.SEATS_MAX,
        "size": settings.size in SIZES,
        "kind": settings.kind in Kind.__members__.values(),
        "target": 3 <= settings.target_exponent <= largest if target else settings.target_exponent == 0,
        "time": limits.TIME_MS_MIN <= settings.time_ms <= limits.TIME_MS_MAX if timed else settings.time_ms == 0,
        "lead": 8 <= settings.lead <= 1_024,
        "idle": settings.idle_ms == 0 or (not timed and 1_000 <= settings.idle_ms <= limits.TIME_MS_MAX),
    }
    return next((name for name, right in checks.items() if not right), None)


def document_hash(tag: str, document: Signed) -> bytes:
    """Returns the hash of a signed document: H(tag, u32 length ‖ body ‖ signature)."""
    return digest(tag, u32(len(document.body)), document.body, document.signature)


def commitment(deal_hash: bytes, key: bytes, nonce: bytes) -> bytes:
    """Returns a player's commitment to a nonce (deal.md 3.2)."""
    return digest("nonce", deal_hash, key, nonce)


def mix(deal_hash: bytes, seats_hash: bytes, nonces: Sequence[bytes]) -> bytes:
    """Returns M, to which the lobby and every player have contributed (deal.md 3.6)."""
    return digest("mix", deal_hash, seats_hash, *nonces)


@dataclass(frozen=True, slots=True)
class Ready:
    """A player's readiness for one Deal, with the commitment to a nonce (deal.md 3.2)."""

    key: bytes
    commitment: bytes
    name: str
    computer: bool = False

    def encode(self) -> bytes:
        """Returns the body of the Ready."""
        name = self.name.encode()
        return self.key + self.commitment + u8(FLAG_COMPUTER if self.computer else 0) + u8(len(name)) + name

    @classmethod
    def decode(cls, body: bytes) -> Ready:
        """Reads the body of a Ready; raises LayoutError."""
        reader = Reader(body)
        key, promise, flags, length = reader.take(32), reader.take(32), reader.uint(1), reader.uint(1)
        raw = reader.take(length)
        reader.end()
        if flags > FLAG_COMPUTER:
            raise LayoutError(64, "an unknown flag")
        try:
            name = raw.decode()
        except UnicodeDecodeError:
            raise LayoutError(66, "a name that is not UTF-8") from None
        return cls(key, promise, name, bool(flags & FLAG_COMPUTER))


@dataclass(frozen=True, slots=True)
class Seats:
    """The closed list of who is dealt in: every seat's Ready as received, in seat order (deal.md 3.3)."""

    readies: tuple[Signed, ...]

    def encode(self) -> bytes:
        """Returns the body of the Seats."""
        parts = [u8(len(self.readies))]
        for ready in self.readies:
            parts += [u32(len(ready.body)), ready.body, ready.signature]
        return b"".join(parts)

    @classmethod
    def decode(cls, body: bytes) -> Seats:
        """Reads the body of the Seats; raises LayoutError. The Readies inside are not looked at."""
        reader = Reader(body)
        count = reader.uint(1)
        if not limits.SEATS_MIN <= count <= limits.SEATS_MAX:
            raise LayoutError(0, f"{count} seats")
        readies = []
        for _ in range(count):
            length = reader.uint(4)
            readies.append(Signed(reader.take(length), reader.take(limits.SIGNATURE_BYTES)))
        reader.end()
        return cls(tuple(readies))

    def players(self, deal_hash: bytes) -> tuple[Ready, ...]:
        """Returns the Readies in seat order, their signatures checked; raises LayoutError if one is not right."""
        players = []
        for seat, signed in enumerate(self.readies):
            ready = Ready.decode(signed.body)
            if not verify(ready.key, "ready", deal_hash, signed.body, signed.signature):
                raise LayoutError(0, f"seat {seat}: the signature of its Ready is false")
            players.append(ready)
        return tuple(players)


@dataclass(frozen=True, slots=True)
class Start:
    """The mix, the nonces it is made of, and the moment the boards come alive, on the lobby's clock (deal.md 3.6)."""

    mix: bytes
    nonces: tuple[bytes, ...]
    start_ms: int

    def encode(self) -> bytes:
        """Returns the body of the Start."""
        return self.mix + u8(len(self.nonces)) + b"".join(self.nonces) + u64(self.start_ms)

    @classmethod
    def decode(cls, body: bytes) -> Start:
        """Reads the body of a Start; raises LayoutError."""
        reader = Reader(body)
        value, count = reader.take(32), reader.uint(1)
        nonces = tuple(reader.take(limits.NONCE_BYTES) for _ in range(count))
        start_ms = reader.uint(8)
        reader.end()
        return cls(value, nonces, start_ms)
