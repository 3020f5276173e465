"""What a person, or a computer player, can do in a session: events into session.py, each a plain value.

An action that has no meaning at the moment (Ready without a seat, a move that changes nothing) is ignored or gives a
notice; it never raises.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board import Direction
from protocol.messages import TableSettings


@dataclass(frozen=True, slots=True)
class Move:
    """Push the tiles."""

    direction: Direction


@dataclass(frozen=True, slots=True)
class SetReady:
    """Ready, or not any more. Not a switch: what is meant may be on its way already, said by the session itself."""

    ready: bool = True


@dataclass(frozen=True, slots=True)
class Start:
    """The host starts the race."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """The host stops the countdown."""


@dataclass(frozen=True, slots=True)
class Again:
    """Another race with the same players: the host deals it, a guest says so."""


@dataclass(frozen=True, slots=True)
class Change:
    """The host changes the settings."""

    settings: TableSettings


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a free seat."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Give the seat up and watch."""


@dataclass(frozen=True, slots=True)
class Kick:
    """The host frees a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Allow:
    """The host lets those who were put out sit again."""


@dataclass(frozen=True, slots=True)
class ToggleLock:
    """The host locks or unlocks the table."""


@dataclass(frozen=True, slots=True)
class Agree:
    """Offer a draw, or agree to the one that stands."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Refuse the draw offer that stands, or withdraw one's own."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Give the race up. Whoever builds a screen asks for a confirmation first (rules 4.7)."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table."""


Action = (
    Move | SetReady | Start | Cancel | Again | Change | Sit | Stand | Kick | Allow | ToggleLock | Agree | Refuse
    | Resign | Leave
)  # fmt: skip
