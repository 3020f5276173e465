"""A connection on its way to a table: how far its handshake is. lobby.py has them all, and says what comes of one."""

from __future__ import annotations

from dataclasses import dataclass

from lobby.table import Table
from protocol.messages import Role


@dataclass(slots=True)
class Visitor:
    """A connection, and at which table it is."""

    connection: int
    address: str
    since_ms: int
    nonce: bytes | None = None  # the lobby's challenge; None before the Hello
    key: bytes | None = None  # proved; None before the Proof
    role: Role = Role.PLAYER
    table: Table | None = None
    only_watches: bool = False
