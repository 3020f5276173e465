"""What the server needs of the lobby's state machine (architecture.md 3). lobby.py is one; tests have others."""

from __future__ import annotations

from typing import Protocol

from lobby import events
from lobby.room import Census


class Core(Protocol):
    """A lobby without sockets, files and clocks."""

    def handle(self, event: events.Event, now_ms: int) -> list[events.Effect]:
        """Returns the effects of an event, in order."""

    @property
    def deadline(self) -> int | None:
        """When the core next wants a Woke."""

    @property
    def busy(self) -> bool:
        """Whether a race is running or somebody is connected."""

    def census(self) -> Census:
        """Returns how many of everything there are now."""
