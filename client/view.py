"""What a person can see of a session: immutable pictures, made by session.py, drawn by tui/ and plain.py.

A picture decides nothing and knows no clock: durations are what was left, in milliseconds, when it was taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engine.board import Board
from engine.race import Outcome, SeatState
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText


class Line(StrEnum):
    """How the connection to the lobby stands."""

    CONNECTING = "connecting"
    ONLINE = "online"
    LOST = "lost"  # trying again by itself
    OVER = "over"  # ended for good; the session's `ending` says why


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPicture:
    """One seat as everyone may know it. `away_ms`: what an absent player has left to come back, else None.

    `place` is the place in the result, counted from 1, once there is one; `won` whether the seat is among the winners.
    """

    seat: int
    name: SafeText
    you: bool
    host: bool
    computer: bool
    connected: bool
    ready: bool
    wants_again: bool = False
    state: SeatState = SeatState.MOVING
    score: int = 0
    max_exponent: int = 0
    moves: int = 0
    deck_used_up: bool = False
    away_ms: int | None = None
    place: int | None = None
    won: bool = False
    done: bool = False  # a recording that has come to its end
    board: Board | None = None  # known for every seat once the race is over, never before
    luck: int | None = None  # in thousandths, some time after the record was checked (docs/luck.md)


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePicture:
    """Your own game. `unconfirmed` moves are made but not yet known to be with the lobby."""

    board: Board
    score: int
    moves: int
    max_exponent: int
    stuck: bool
    deck_used_up: bool
    unconfirmed: int
    waiting: bool  # the deck is not known any further: moves wait for the lobby


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPicture:
    """The draw offer that stands. `agreed_seats` have agreed to it, its maker among them."""

    by_seat: int
    by_name: SafeText
    by_you: bool
    agreed: bool  # you have agreed
    lapse_ms: int
    agreed_seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyPicture:
    """A player's wins, draws and losses at this table."""

    name: SafeText
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What the client found when it compared the finished record with what it had seen (deal.md 5.6)."""

    ok: bool
    reason: str  # a code of words.py, empty when ok
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """Everything a screen needs. `phase` is None until the lobby has said Welcome.

    `alarm` is a code like `notice`, of what does not pass: the key of the lobby is not the one that was known.
    `clock_ms`: time left in a timed race, else time since the start. `idle_warning_ms`: once you are warned that you
    do not move (rules 4.9), what is left until you count as away. `notice` is the last thing the person should be
    told: a code that words.py turns into words. `ending` is the code of why the session is over for good.
    """

    line: Line
    phase: Phase | None = None
    code: str = ""
    watch_code: str = ""
    settings: TableSettings = field(default_factory=TableSettings)
    seeded: bool = False  # the deck is dealt from a seed: a demo or a test, no fair race (deal.md 2.1)
    unusual: bool = False  # the Deal has other windows than the rules say, or a shorter deck
    seats: tuple[SeatPicture | None, ...] = ()
    my_seat: int | None = None
    may_sit: bool = True  # you have not come only to watch
    i_am_host: bool = False
    wants_ready: bool = False  # you have said Ready and not taken it back, whatever the lobby has shown of it
    can_start: bool = False  # you are the host, and Start would be taken
    locked: bool = False
    watchers: int = 0
    tally: tuple[TallyPicture, ...] = ()
    countdown_ms: int | None = None
    clock_ms: int | None = None
    idle_warning_ms: int | None = None
    game: GamePicture | None = None
    offer: OfferPicture | None = None
    outcome: Outcome | None = None
    check: Check | None = None  # once the record is here
    record_path: str = ""  # where it was saved
    checking: bool = False  # whether a record is being checked
    dispute: Check | None = None  # the last check that failed, of this race or of one before
    dispute_path: str = ""
    notice: str = ""
    ending: str = ""
    alarm: str = ""
    fingerprint: str = ""  # of the lobby's key, once it has proved it
    lobby_program: str = ""  # the lobby's program and protocol versions, for who meets another version
    lobby_protocol: int = 0
