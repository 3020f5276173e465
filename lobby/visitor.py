"""Connections on their way to a table: how far the handshake of each is, and who must be there by when.

lobby.py has them all, and says what comes of one.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from itertools import takewhile

from lobby.table import Table
from protocol import limits
from protocol.messages import Role


@dataclass(slots=True)
class Visitor:
    """A connection, and at which table it is."""

    connection: int
    address: str
    came_ms: int
    due_ms: int  # when it must be at a table
    nonce: bytes | None = None  # the lobby's challenge; None before the Hello
    key: bytes | None = None  # proved; None before the Proof
    role: Role = Role.PLAYER
    table: Table | None = None
    only_watches: bool = False


class Waiting:
    """Those who are at no table yet, the one first whose time is up first."""

    def __init__(self) -> None:
        self._visitors: dict[int, Visitor] = {}  # by connection

    def __len__(self) -> int:
        return len(self._visitors)

    @property
    def deadline(self) -> int | None:
        """When the first one's time is up."""
        first = next(iter(self._visitors.values()), None)
        return None if first is None else first.due_ms

    def add(self, visitor: Visitor) -> None:
        """Somebody has come, now."""
        self._visitors[visitor.connection] = visitor

    def remove(self, connection: int) -> None:
        """A connection is at a table, or gone."""
        self._visitors.pop(connection, None)

    def late(self, now_ms: int) -> list[Visitor]:
        """Returns those whose time is up."""
        return list(takewhile(lambda visitor: visitor.due_ms <= now_ms, self._visitors.values()))

    def excuse(self, unheard: Set[int], now_ms: int) -> None:
        """Late ones of these connections get more time, but not for ever: we have not read what they said.

        Else a crowd that comes at once, as after a restart, would be closed, and come again, and be closed again.
        """
        for visitor in self.late(now_ms):
            due_ms = now_ms + limits.HANDSHAKE_MS
            if visitor.connection in unheard and due_ms <= visitor.came_ms + limits.HANDSHAKE_LATE_MS:
                visitor.due_ms = due_ms
                self._visitors[visitor.connection] = self._visitors.pop(visitor.connection)  # the last to be due
