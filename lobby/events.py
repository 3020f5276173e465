"""What goes into the lobby's cores and what comes out (architecture.md §3).

Events are what happened; effects are orders to the adapter, mandatory and in order. A connection is known by a number
that server.py gives it and never gives again.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from msgspec import Struct

from protocol.messages import FromClient, FromLobby, Refused, Role
from protocol.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection was accepted from this address."""

    connection: int
    address: str


@dataclass(frozen=True, slots=True)
class Received:
    """A message came in."""

    connection: int
    message: FromClient


@dataclass(frozen=True, slots=True)
class BadFrame:
    """A frame came in that is not a message (codec.FrameError)."""

    connection: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """A connection is gone, by whatever cause; also told after a `Close`."""

    connection: int


@dataclass(frozen=True, slots=True)
class Unheard:
    """These have said something that the adapter has not yet come to hand in: nobody may call them silent."""

    connections: Set[int]


class Woke(Struct, frozen=True, array_like=True, tag="woke"):
    """The deadline has come (or the adapter wants to be sure)."""


@dataclass(frozen=True, slots=True)
class Drained:
    """The process was asked to stop. `forever`: nobody needs its tables any more."""

    forever: bool = False


@dataclass(frozen=True, slots=True)
class SavedTable:
    """What the journal has of a table: the picture it was last kept as after `place` rows, and the rows since."""

    number: int
    place: int
    picture: bytes
    rows: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """The process has begun, and this is what the one before it left behind; the first event, if it comes at all.

    `alive_ms`: when that one was last known to be there, on the lobby's clock. `last_number`: of all tables so far.
    """

    tables: tuple[SavedTable, ...]
    alive_ms: int
    last_number: int


@dataclass(frozen=True, slots=True)
class SpaceChanged:
    """The disk has become nearly full, or is not any more."""

    scarce: bool


@dataclass(frozen=True, slots=True)
class DiskFailed:
    """The journal cannot be written any more: what was not announced yet never happened."""


Event = Connected | Received | BadFrame | Disconnected | Unheard | Woke | Drained | Restored | SpaceChanged | DiskFailed


@dataclass(frozen=True, slots=True)
class Send:
    """Send one message, encoded once, to these connections.

    `newest_only`: an earlier message of this type that still waits in a connection's queue is dropped for this one.
    """

    connections: tuple[int, ...]
    message: FromLobby
    newest_only: bool = False


@dataclass(frozen=True, slots=True)
class Close:
    """Close a connection after what was sent to it before; `code` is a `Refusal` and the reason the peer reads."""

    connection: int
    code: str


@dataclass(frozen=True, slots=True)
class Archive:
    """Keep the finished record of a race."""

    code: str
    race_number: int
    record: bytes


@dataclass(frozen=True, slots=True)
class Persist:
    """Add a row to a table's journal: its number `place` from 1. What follows in the list waits until it is on disk."""

    table: int
    place: int
    row: bytes


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a table as it stands after row `place`; the rows up to there are not needed any more."""

    table: int
    place: int
    picture: bytes


@dataclass(frozen=True, slots=True)
class Forget:
    """The table is closed: its journal is not needed any more."""

    table: int


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A table made the core raise: its journal is kept for whoever looks for our bug, and never loaded again."""

    table: int
    error: Exception


Durable = Persist | Keep | Forget | Quarantine | Archive
Effect = Send | Close | Durable


# ── into a table ─────────────────────────────────────────────────────────────────────────────────────────────────────


class _TableEvent(Struct, frozen=True, array_like=True, tag=str.lower):
    """What happens to a table; these are also the rows of its journal (journal.py)."""


class Arrived(_TableEvent, frozen=True):
    """Somebody who has proved a key comes to the table."""

    connection: int
    key: bytes
    role: Role
    raw_name: str
    may_sit: bool


class Gone(_TableEvent, frozen=True):
    """A connection of the table is gone."""

    connection: int


class Said(_TableEvent, frozen=True):
    """Somebody at the table said something."""

    connection: int
    message: FromClient


class Resumed(_TableEvent, frozen=True):
    """The lobby is back after it was last there at `alive_ms`, and all connections are lost (rules 5.6).

    `epoch` stands in front of the numbers of ticks from now on.
    """

    alive_ms: int
    epoch: int


TableEvent = Arrived | Gone | Said | Woke | Resumed


class Outbox(list[Effect]):
    """The effects of one event, collected in order by the parts of a core."""

    def send(self, connections: Iterable[int], message: FromLobby, *, newest_only: bool = False) -> None:
        """Adds a Send to those connections, if there are any."""
        targets = tuple(connections)
        if targets:
            self.append(Send(targets, message, newest_only))

    def refuse(self, connection: int, code: Refusal, moves: int = 0, seals: int = 0) -> None:
        """Adds a Refused to one connection."""
        self.append(Send((connection,), Refused(code, moves, seals)))

    def close(self, connection: int, code: Refusal) -> None:
        """Adds a Close that says why, in a message and in the closing frame."""
        self.refuse(connection, code)
        self.append(Close(connection, code))
