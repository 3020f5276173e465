"""The types that messages are made of: bounds for fields, what is signed, settings, and the pictures of a table.

messages.py gives them on, so that nobody needs to know this module. A picture is always whole: it is told again
whenever something in it changes.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from protocol import limits
from protocol.text import SafeText

Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32)]
Bytes64 = Annotated[bytes, Meta(min_length=64, max_length=64)]
Body = Annotated[bytes, Meta(max_length=2_048)]
SeatNumber = Annotated[int, Meta(ge=0, lt=limits.SEATS_MAX)]
Count = Annotated[int, Meta(ge=0, lt=1 << 32)]
Milliseconds = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
RawName = Annotated[str, Meta(max_length=limits.NAME_CHARACTERS_MAX)]
Code = Annotated[str, Meta(max_length=limits.CODE_CHARACTERS_MAX)]
Program = SafeText
Text = Annotated[str, Meta(max_length=32)]


class Phase(StrEnum):
    """The phases of a table's life (architecture.md 3.4); lobby/table.py has the table of what leads where."""

    SEATING = "seating"
    OPENING = "opening"
    COUNTDOWN = "countdown"
    RACING = "racing"
    SETTLING = "settling"
    CLOSING = "closing"
    FINISHED = "finished"
    CLOSED = "closed"


class Role(IntEnum):
    """What a connection is (the role of a Proof)."""

    PLAYER = 1
    WATCHER = 2
    COMPUTER = 3


class Signed(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A body in its fixed layout and the signature over it, both exactly as the signer made them."""

    body: Body
    signature: Bytes64


class TableSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the host chooses (rules 3.2). `kind` is an `engine.race.Kind`; figures a kind has no use for are 0."""

    seats: Annotated[int, Meta(ge=2, le=4)] = 4
    size: Annotated[int, Meta(ge=3, le=8)] = 4
    kind: Annotated[int, Meta(ge=1, le=3)] = 1
    target_exponent: Annotated[int, Meta(ge=0, le=65)] = 11
    time_ms: Annotated[int, Meta(ge=0, le=limits.TIME_MS_MAX)] = 0
    lead: Annotated[int, Meta(ge=0, le=1_024)] = limits.LEAD_DEFAULT
    idle_ms: Annotated[int, Meta(ge=0, le=limits.TIME_MS_MAX)] = limits.IDLE_MS_DEFAULT


class SeatView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who sits on a seat. Figures of a race are not here but in ticks."""

    key: Bytes32
    name: SafeText
    computer: bool
    connected: bool
    ready: bool
    wants_again: bool = False


class TallyView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The wins, draws and losses of one player at this table (rules 3.8)."""

    key: Bytes32
    name: SafeText
    wins: Count
    draws: Count
    losses: Count


class TableView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole public picture of a table. `code` is empty for one who came by the watch code.

    `seats` has an entry, or None, for each seat of the settings (in a race, of the race).
    """

    code: Code
    watch_code: Code
    phase: Phase
    settings: TableSettings
    seats: tuple[SeatView | None, ...]
    host: Bytes32
    locked: bool
    watchers: Count
    tally: tuple[TallyView, ...] = ()


class RaceView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What someone who comes in the middle needs of the running or finished race."""

    seats: Signed | None = None
    start: Signed | None = None
    tick: Signed | None = None
    gaps: tuple[Signed, ...] = ()


class OwnGame(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For the owner of a seat who comes back: how far the lobby has the log, and its head there; seals, link, offers.

    A client that lost its log asks for it (AskLog); one that has more sends the rest.
    """

    moves: Count
    head: Bytes32
    seals: Count
    link_number: Count
    link: bytes
    offers: Count = 0
