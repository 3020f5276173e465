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

    def place_of(self, key: bytes) -> int | None:
        """Returns the seat of a player, or None for a watcher."""
        return next((seat for seat, player in enumerate(self.players) if player.key == key), None)

    def bell_ms(self, time_ms: int) -> int:
        """Returns when the bell of a race of `time_ms` rings, since the start, the lobby's absences counted in."""
        return moved_by_gaps(RaceTerms(len(self.players), Kind.TIMED, bell_ms=time_ms), self.gaps).bell_ms
