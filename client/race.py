"""The race that runs or has ended, as one client knows it: state for session.py and its parts, without rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from client.fetching import Fetching
from client.play import OwnRace
from client.view import Check
from engine.race import Kind, RaceTerms
from protocol import messages
from protocol.deal import Ready, Start
from protocol.moment import moved_by_gaps
from protocol.record import Gap
from protocol.tick import Tick


@dataclass(frozen=True, slots=True)
class OwnMoves:
    """The moves of this player; the lobby has acknowledged the first `acked` of them."""

    seat: int
    directions: bytes
    times: tuple[int, ...]
    acked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that a client has seen of a race, to hold the record against (deal.md 5.6).

    `ticks` are bodies with their signatures; `record_sha256` is what the lobby announced the record by.
    """

    deal: messages.Signed
    start_signed: messages.Signed
    start: Start
    players: tuple[Ready, ...]
    ended: messages.Ended | None
    record_sha256: bytes | None
    ticks: tuple[bytes, ...]
    gaps: tuple[Gap, ...]
    own: OwnMoves | None


@dataclass(slots=True)
class Race:
    """The race that runs or has ended, as this client knows it."""

    start: Start
    start_signed: messages.Signed
    deal: messages.Signed
    own: OwnRace | None
    players: tuple[Ready, ...]
    size: int
    moves_max: int  # after so many the deck is used up (rules 4.10)
    tick: Tick | None = None
    ended: messages.Ended | None = None
    fetching: Fetching | None = None
    check: Check | None = None
    ticks: list[bytes] = field(default_factory=list)
    record_path: str = ""
    luck: tuple[int | None, ...] = ()  # of every seat, in thousandths, once it is known
    gaps: list[Gap] = field(default_factory=list)  # times in which the lobby was away
    gaps_signed: list[messages.Signed] = field(default_factory=list)
    offers: int = 0  # how many of this player's the lobby has told of

    def told(self) -> tuple[bytes, ...]:
        """Returns what the lobby has signed of this race: Deal, Start, gaps and ticks, each with its signature."""
        papers = (self.deal, self.start_signed, *self.gaps_signed)
        return (*(signed.body + signed.signature for signed in papers), *self.ticks)

    def seen(self) -> Seen:
        """Returns what this client has seen of the race, for good: whatever becomes of the race, it stays as it is."""
        own = self.own
        return Seen(
            deal=self.deal,
            start_signed=self.start_signed,
            start=self.start,
            players=self.players,
            ended=self.ended,
            record_sha256=None if self.fetching is None else self.fetching.sha256,
            ticks=tuple(self.ticks),
            gaps=tuple(self.gaps),
            own=None if own is None else OwnMoves(own.seat, bytes(own.log.directions), tuple(own.log.times), own.acked),
        )

    def place_of(self, key: bytes) -> int | None:
        """Returns the seat of a player, or None for a watcher."""
        return next((seat for seat, player in enumerate(self.players) if player.key == key), None)

    def bell_ms(self, time_ms: int) -> int:
        """Returns when the bell of a race of `time_ms` rings, since the start, the lobby's absences counted in."""
        return moved_by_gaps(RaceTerms(len(self.players), Kind.TIMED, bell_ms=time_ms), self.gaps).bell_ms
