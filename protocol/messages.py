"""The messages between a client and a lobby, each a frozen type whose bounds stand in its annotations.

What is signed travels as `Signed`: the bytes of a fixed layout (deal.py, movelog.py, tick.py) beside their
signature. Everything else is told again in whole whenever it changes, so that nobody has to add up differences.
SPEC.md says in which order messages come; codec.py turns them into frames and back.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from protocol import limits
from protocol.fields import (
    Body as Body,
)
from protocol.fields import (
    Bytes32 as Bytes32,
)
from protocol.fields import (
    Bytes64 as Bytes64,
)
from protocol.fields import (
    Code as Code,
)
from protocol.fields import (
    Count as Count,
)
from protocol.fields import (
    Milliseconds as Milliseconds,
)
from protocol.fields import (
    OwnGame as OwnGame,
)
from protocol.fields import (
    Phase as Phase,
)
from protocol.fields import (
    Program as Program,
)
from protocol.fields import (
    RaceView as RaceView,
)
from protocol.fields import (
    RawName as RawName,
)
from protocol.fields import (
    Role as Role,
)
from protocol.fields import (
    SeatNumber as SeatNumber,
)
from protocol.fields import (
    SeatView as SeatView,
)
from protocol.fields import (
    Signed as Signed,
)
from protocol.fields import (
    TableSettings as TableSettings,
)
from protocol.fields import (
    TableView as TableView,
)
from protocol.fields import (
    TallyView as TallyView,
)
from protocol.fields import (
    Text as Text,
)


class _Message(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower):
    """A message; on the wire its type is the class name in lower case."""


# ── both ways ────────────────────────────────────────────────────────────────────────────────────────────────────


class Ping(_Message, frozen=True):
    """Asks for a Pong. `stamp_ms` is the asker's own clock and means nothing to the other side."""

    stamp_ms: Milliseconds


class Pong(_Message, frozen=True):
    """Answers a Ping: its stamp, and the answerer's clock."""

    stamp_ms: Milliseconds
    clock_ms: Milliseconds


# ── from the client ──────────────────────────────────────────────────────────────────────────────────────────────


class Hello(_Message, frozen=True):
    """The first message: a fresh nonce that the lobby must sign, and which protocol and program speak."""

    nonce: Bytes32
    protocol: Count
    program: Program


class Proof(_Message, frozen=True):
    """Proves a key: a signature of kind "proof" over lobby key ‖ challenge nonce ‖ own key ‖ role ‖ protocol."""

    key: Bytes32
    role: Role
    signature: Bytes64


class Open(_Message, frozen=True):
    """Opens a table; the sender becomes its host and sits."""

    name: RawName
    settings: TableSettings


class Join(_Message, frozen=True):
    """Comes to the table with this code, or to watch with its watch code. A player in a race finds the old seat."""

    code: Code
    name: RawName


class Sit(_Message, frozen=True):
    """Takes a free seat (a watcher who came by the table code, in seating)."""


class Stand(_Message, frozen=True):
    """Gives up the seat and watches."""


class Leave(_Message, frozen=True):
    """Leaves the table for good. In a race this is the same as vanishing (rules 4.7)."""


class ChangeSettings(_Message, frozen=True):
    """The host's new settings; after a race this leads back to seating (rules 3.9)."""

    settings: TableSettings


class SayReady(_Message, frozen=True):
    """A Ready with its commitment for the Deal that stands (deal.md 3.2). The host signs one too, to be dealt in."""

    ready: Signed


class Unready(_Message, frozen=True):
    """Takes Ready back."""


class Kick(_Message, frozen=True):
    """The host frees a seat; that key may not sit again until allowed (rules 3.4)."""

    seat: SeatNumber


class Allow(_Message, frozen=True):
    """The host lets everyone who was put out sit again."""


class Lock(_Message, frozen=True):
    """The host locks or unlocks the table: a locked one seats nobody new."""

    locked: bool


class Begin(_Message, frozen=True):
    """The host's Start."""


class Cancel(_Message, frozen=True):
    """The host's Cancel during the countdown."""


class OpenNonce(_Message, frozen=True):
    """Opens the nonce that this player's Ready committed to."""

    nonce: Bytes32


class Slice(_Message, frozen=True):
    """Moves (movelog.Slice), and the seal that must come with them when they decide something."""

    moves: Body
    seal: Signed | None = None


class Seal(_Message, frozen=True):
    """A seal on its own (movelog.Seal): an act, or a vouching for moves that were sent before."""

    seal: Signed


class Resync(_Message, frozen=True):
    """After a refused slice: the client goes back to its move number `moves` and sends again from there."""

    moves: Count


class AskLog(_Message, frozen=True):
    """The owner of a seat asks for the moves of the own log from move number `first` (from 0) on."""

    first: Count


class Again(_Message, frozen=True):
    """After a race: the host deals another one to the same players; a guest says that he would like it."""


class AskRecord(_Message, frozen=True):
    """Asks for the piece of the record with this digest that begins at `offset`."""

    sha256: Bytes32
    offset: Count


# ── from the lobby ───────────────────────────────────────────────────────────────────────────────────────────────


class Challenge(_Message, frozen=True):
    """Proves the lobby's key: a signature of kind "challenge" over the Hello's nonce ‖ own nonce ‖ protocol."""

    nonce: Bytes32
    key: Bytes32
    signature: Bytes64
    protocol: Count
    program: Program


class Ended(_Message, frozen=True):
    """The race is over: the outcome and all boards (cells as exponents, row by row), in seat order.

    `termination` is an `engine.race.Termination`; `states` are `SeatState`s.
    """

    termination: Count
    winners: tuple[SeatNumber, ...]
    t_ms: Count
    standing: tuple[SeatNumber, ...]
    states: tuple[Count, ...]
    scores: tuple[Count, ...]
    max_exponents: tuple[Count, ...]
    moves: tuple[Count, ...]
    boards: tuple[Body, ...]


class Gapped(_Message, frozen=True):
    """The lobby was away (record.Gap, signed as "gap"): bell, windows and link times move by it (rules 5.6)."""

    gap: Signed


class RecordReady(_Message, frozen=True):
    """The signed record is complete and can be fetched: its length in bytes and its SHA-256."""

    length: Count
    sha256: Bytes32


class Welcome(_Message, frozen=True):
    """The complete picture of a table for one who has just come, in whatever phase it is."""

    table: TableView
    seat: SeatNumber | None
    lobby_ms: Milliseconds
    deal: Signed
    race: RaceView
    own: OwnGame | None = None
    ended: Ended | None = None
    record: RecordReady | None = None


class TableChanged(_Message, frozen=True):
    """The new picture of the table, and the seat of the one it is sent to."""

    table: TableView
    seat: SeatNumber | None


class Dealt(_Message, frozen=True):
    """A new Deal stands (deal.md 3.1)."""

    deal: Signed


class Burnt(_Message, frozen=True):
    """A deck that will not be played: the last link of its chain, which everyone can check (deal.md 3.4)."""

    last_link: Bytes32


class SeatsClosed(_Message, frozen=True):
    """The list of who is dealt in (deal.md 3.3); each seat answers with its nonce."""

    seats: Signed


class Started(_Message, frozen=True):
    """The mix and the start time (deal.md 3.6): the countdown runs."""

    start: Signed


class Link(_Message, frozen=True):
    """A link of the deck, for its owner's board alone (deal.md 4.1)."""

    number: Count
    link: Bytes32


class Ack(_Message, frozen=True):
    """The lobby has this many of the owner's moves for good; with the next link, if a gate has opened."""

    moves: Count
    link_number: Count = 0
    link: bytes = b""


class Ticked(_Message, frozen=True):
    """A tick (tick.Tick)."""

    tick: Signed


class LogPiece(_Message, frozen=True):
    """Moves of the receiver's own log from `first` on: a direction a byte, and the claimed times."""

    first: Count
    directions: Annotated[bytes, Meta(max_length=limits.LOG_PIECE_MOVES)]
    times: Annotated[tuple[Count, ...], Meta(max_length=limits.LOG_PIECE_MOVES)]


class RecordPiece(_Message, frozen=True):
    """A piece of the record with this digest: another one may be ready before the answer to an AskRecord is here."""

    sha256: Bytes32
    offset: Count
    data: Annotated[bytes, Meta(max_length=limits.RECORD_PIECE_BYTES)]


class Drain(_Message, frozen=True):
    """The lobby is going down; come back a little later."""


class Refused(_Message, frozen=True):
    """A peer's request was refused: a `Refusal`'s value, and for a slice or seal how many of each the lobby has."""

    code: Text
    moves: Count = 0
    seals: Count = 0


FromClient = (
    Ping | Pong | Hello | Proof | Open | Join | Sit | Stand | Leave | ChangeSettings | SayReady | Unready | Kick
    | Allow | Lock | Begin | Cancel | OpenNonce | Slice | Seal | Resync | AskLog | Again | AskRecord
)  # fmt: skip
FromLobby = (
    Ping | Pong | Challenge | Welcome | TableChanged | Dealt | Burnt | SeatsClosed | Started | Link | Ack | Ticked
    | Gapped | Ended | RecordReady | LogPiece | RecordPiece | Drain | Refused
)  # fmt: skip
