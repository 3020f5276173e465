"""What goes into the lobby's cores and what comes out (architecture.md §3).

Events are what happened; effects are orders to the adapter, mandatory and in order. A connection is known by a number
that server.py gives it and never gives again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
class Woke:
    """The deadline has come (or the adapter wants to be sure)."""


@dataclass(frozen=True, slots=True)
class Drained:
    """The process was asked to stop."""


Event = Connected | Received | BadFrame | Disconnected | Woke | Drained


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


Effect = Send | Close | Archive


# ── into a table ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Arrived:
    """Somebody who has proved a key comes to the table."""

    connection: int
    key: bytes
    role: Role
    raw_name: str
    may_sit: bool


@dataclass(frozen=True, slots=True)
class Gone:
    """A connection of the table is gone."""

    connection: int


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody at the table said something."""

    connection: int
    message: FromClient


TableEvent = Arrived | Gone | Said | Woke


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
