"""What happens in a race beside its moves, and who leads: one pass over its events, with notes.

`Notes` runs engine/race.py as its `fold` does and writes down what that does not keep. It decides nothing. Read on
in timeline.py, which stands on it. Times are milliseconds since the start.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from heapq import merge
from itertools import groupby

from engine.race import Absent, Left, Moved, Offer, Race, RaceEvent, RaceTerms, SeatState, Vote, Voted

TOLD_EXPONENT_MIN = 7  # a new max tile is told from 128 on


class Happened(StrEnum):
    """What can be told of a race beside its moves."""

    OFFERED = "offered"
    AGREED = "agreed"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    DROPPED = "dropped"  # an offer, by a move of who has not agreed, or by its maker's leaving
    SAID = "said"  # about a draw, which came to nothing
    RESIGNED = "resigned"
    FORFEITED = "forfeited"
    AWAY = "away"  # a stuck player for so long that nobody asks about draws any more
    BACK = "back"
    STUCK = "stuck"
    MADE = "made"  # a new max tile
    UNDONE = "undone"  # a move, in a game alone
    GAP = "gap"  # the lobby itself was away
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that is told at its time. `seat` is -1 where it is of nobody; `until_ms` is the end of a gap."""

    t_ms: int
    kind: Happened
    seat: int = -1
    moves: int = 0
    exponent: int = 0
    until_ms: int = 0


@dataclass(frozen=True, slots=True)
class Lead:
    """Who leads from a moment on: the highest score in the race, with fewer moves where two have it; None: nobody."""

    t_ms: int
    seat: int | None


@dataclass(frozen=True, slots=True)
class Stand:
    """What is not a board, from a moment on."""

    t_ms: int
    states: tuple[SeatState, ...]
    left_ms: tuple[int, ...]
    absent: tuple[bool, ...]
    offer: Offer | None


_VOTED = {
    Vote.OFFER: Happened.OFFERED,
    Vote.AGREE: Happened.AGREED,
    Vote.REFUSE: Happened.REFUSED,
    Vote.WITHDRAW: Happened.WITHDRAWN,
}


class Notes:
    """Runs a race once and notes whatever changes that is no board."""

    def __init__(self, terms: RaceTerms) -> None:
        self._race = Race(terms)
        self.happenings: list[Happening] = []
        self.leads = [Lead(0, None)]
        self.stands: list[Stand] = []

    def take(self, streams: Iterable[Iterable[RaceEvent]], end_ms: int) -> None:
        """Applies everything up to `end_ms`, as engine/race.py's `fold` does."""
        self._note_stand(0)
        for t_ms, group in groupby(merge(*streams, key=moment_of), key=moment_of):
            if t_ms > end_ms:
                break
            self._lapse(t_ms)
            for event in group:
                self._apply(event)
            self._note_stand(t_ms)
            leader = self._leader()
            if leader != self.leads[-1].seat:
                self.leads.append(Lead(t_ms, leader))
        self._lapse(end_ms)

    def _lapse(self, t_ms: int) -> None:
        offer = self._race.offer
        self._race.lapse(t_ms)
        if offer is not None and self._race.offer is None:
            lapsed_ms = offer.t_ms + self._race.terms.offer_lapse_ms
            self.happenings.append(Happening(lapsed_ms, Happened.LAPSED, offer.seat))
            self._note_stand(lapsed_ms)

    def _apply(self, event: RaceEvent) -> None:
        race, seat = self._race, event.seat
        before, offer = race.seats[seat], race.offer
        state, largest = before.state, before.max_exponent
        counts = not isinstance(event, Voted) or race.vote_fault(seat, event.vote, event.offer, event.t_ms) is None
        race.apply(event)
        match event:
            case Moved():
                if state is SeatState.MOVING and event.max_exponent > max(largest, TOLD_EXPONENT_MIN - 1):
                    self._tell(event, Happened.MADE, exponent=event.max_exponent)
                if state is SeatState.MOVING and event.stuck:
                    self._tell(event, Happened.STUCK)
            case Left() if state.in_race:
                self._tell(event, Happened.RESIGNED if event.state is SeatState.RESIGNED else Happened.FORFEITED)
            case Voted() if counts:
                self._tell(event, _VOTED[event.vote])
            case Absent():
                self._tell(event, Happened.AWAY if event.absent else Happened.BACK)
        if offer is not None and race.offer is None and not isinstance(event, Voted):
            self.happenings.append(Happening(event.t_ms, Happened.DROPPED, offer.seat))

    def _tell(self, event: RaceEvent, kind: Happened, exponent: int = 0) -> None:
        moves = self._race.seats[event.seat].moves
        self.happenings.append(Happening(event.t_ms, kind, event.seat, moves, exponent))

    def _note_stand(self, t_ms: int) -> None:
        seats = self._race.seats
        stand = Stand(
            t_ms,
            tuple(seat.state for seat in seats),
            tuple(seat.left_ms for seat in seats),
            tuple(seat.absent for seat in seats),
            self._race.offer,
        )
        last = self.stands[-1] if self.stands else None
        if last is None or (last.states, last.absent, last.offer) != (stand.states, stand.absent, stand.offer):
            self.stands.append(stand)

    def _leader(self) -> int | None:
        in_race = [
            (seat.score, -seat.moves, number) for number, seat in enumerate(self._race.seats) if seat.state.in_race
        ]
        best = sorted(in_race, reverse=True)[:2]
        if not best or best[0][0] == 0 or (len(best) > 1 and best[0][:2] == best[1][:2]):
            return None
        return best[0][2]


def moment_of(event: RaceEvent) -> int:
    """Returns t* of an event."""
    return event.t_ms
