"""What a replay asks of whatever it shows: a race (timeline.py) or a game alone (solo_timeline.py)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

from client.course import Player
from client.happenings import Happening, Lead
from client.view import SessionView
from protocol.messages import TableSettings


class Story(Hashable, Protocol):
    """A course of time. Times are milliseconds since its start."""

    @property
    def settings(self) -> TableSettings: ...  # noqa: D102 - see Timeline
    @property
    def players(self) -> Sequence[Player]: ...  # noqa: D102
    @property
    def end_ms(self) -> int: ...  # noqa: D102
    @property
    def leads(self) -> Sequence[Lead]: ...  # noqa: D102
    @property
    def happenings(self) -> Sequence[Happening]: ...  # noqa: D102

    def at(self, t_ms: int) -> SessionView:
        """Returns everything as it stood at this moment, with every board."""

    def moves_at(self, seat: int, t_ms: int) -> int:
        """Returns how many moves a seat had made up to this moment."""

    def counted(self, seat: int) -> int:
        """Returns how many moves of a seat there are to be stepped through."""

    def time_of(self, seat: int, move: int) -> int:
        """Returns when a seat made a move, counted from 1; 0 for the start."""

    def time_before(self, seat: int, t_ms: int) -> int:
        """Returns when a seat made its last move before this moment, 0 if there was none."""

    def leader_at(self, t_ms: int) -> int | None:
        """Returns the seat that leads at this moment, None if nobody does."""

    def beat_after(self, t_ms: int) -> int | None:
        """Returns the next moment at which something changes, None behind the last."""

    def told_until(self, t_ms: int) -> Sequence[Happening]:
        """Returns what has happened up to this moment, in order."""
