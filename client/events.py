"""What goes into a session and what comes out (architecture.md §3): events happened, effects are orders, in order."""

from __future__ import annotations

from dataclasses import dataclass

from client.actions import Action
from client.race import Seen
from client.view import Check
from protocol.messages import FromClient, FromLobby


@dataclass(frozen=True, slots=True)
class Connected:
    """The connection that `Connect` asked for stands."""


@dataclass(frozen=True, slots=True)
class Received:
    """A message came in."""

    message: FromLobby


@dataclass(frozen=True, slots=True)
class Dropped:
    """The connection could not be made or is gone.

    `reason`: a code of protocol.refusals if the lobby closed it with one, else one of "unreachable", "not-a-lobby",
    "frame" (it sent what is no message), "lost".
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Acted:
    """The person did something."""

    action: Action


@dataclass(frozen=True, slots=True)
class Woke:
    """The deadline has come."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was kept of the moves of a race: the answer to `Recall`."""

    race: bytes
    directions: bytes
    times: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of `CheckRecord`."""

    asked: CheckRecord
    check: Check


Event = Connected | Received | Dropped | Acted | Woke | Recalled | Checked


@dataclass(frozen=True, slots=True)
class Connect:
    """Make a connection after this time; answer with Connected or Dropped."""

    after_ms: int


@dataclass(frozen=True, slots=True)
class Send:
    """Send a message."""

    message: FromClient


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Close the connection after what was sent before; a Dropped may follow and is ignored."""


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """Hold a complete record against what this client saw (ending.check_record), and answer with Checked.

    Of a long race that takes many seconds: whoever does it lets the session go on meanwhile. `told` is what the lobby
    has signed of the race, to be kept beside a record that does not agree with it.
    """

    code: str
    record: bytes
    seen: Seen
    told: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SaveRecord:
    """Keep a complete record; the adapter answers by calling `Session.saved`.

    `ok` False: it does not agree with what this client saw; it is kept all the same, with what was told beside it.
    """

    code: str
    record: bytes
    ok: bool
    told: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class KeepMove:
    """Write a move down before it is sent (rules 6.3); `race` is the mix, `number` counts from 1."""

    race: bytes
    number: int
    direction: int
    t_ms: int


@dataclass(frozen=True, slots=True)
class Recall:
    """Read what was kept of a race, and answer with Recalled before anything else."""

    race: bytes


Effect = Connect | Send | Disconnect | CheckRecord | SaveRecord | KeepMove | Recall
