"""How a race ends (rules.md §4).

This module owns the end of a race and nothing else: what the seats did goes in, in order of t* (rules 5.2), and
the one outcome comes out. Lobby, client, verifier and computer players all ask here, so a rule has one home. It
knows neither boards nor decks nor clocks: a move arrives as its result, a moment as a number of milliseconds
since the start. How moves become results is game.py's business; who may sit and start is the table's.

Events are named tuples, since a race has thousands: a frozen dataclass takes five times as long to make.

The heart is `Race.decide`, a pure reading of the seats that is asked again after every event. `fold` is the same
question asked of a whole race at once, which is how a settling closes and how a record is verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple


class Kind(IntEnum):
    """What a race is about (rules 3.2)."""

    TARGET = 1
    TIMED = 2
    ENDLESS = 3


class SeatState(IntEnum):
    """What a seat is in a race (rules §4). Moving and stuck seats are in the race."""

    MOVING = 0
    STUCK = 1
    RESIGNED = 2
    FORFEITED = 3

    @property
    def in_race(self) -> bool:
        """Whether a seat in this state is still in the race."""
        return self <= SeatState.STUCK


class Termination(IntEnum):
    """Why a race ended; the number is the clause of rules §4 (void: 4.1, 5.6)."""

    ALONE = 1
    TARGET = 2
    LAST_MOVER = 3
    ALL_STUCK = 4
    BELL = 5
    DRAW = 8
    VOID = 15


class Vote(IntEnum):
    """What a seat can say about a draw (rules 4.8)."""

    OFFER = 1
    AGREE = 2
    REFUSE = 3
    WITHDRAW = 4


class VoteFault(IntEnum):
    """Why a vote is not taken (rules 4.8)."""

    NOT_IN_RACE = 1
    OFFER_STANDS = 2
    TOO_SOON = 3
    OFFERS_USED = 4
    NO_SUCH_OFFER = 5
    ALREADY_AGREED = 6


@dataclass(frozen=True, slots=True)
class RaceTerms:
    """The settings a race is judged by. `target_exponent` and `bell_ms` are 0 where the kind has none."""

    seats: int
    kind: Kind
    target_exponent: int = 0
    bell_ms: int = 0
    offer_lapse_ms: int = 30_000
    offer_wait_ms: int = 10_000
    offers_max: int = 5


class Moved(NamedTuple):
    """A legal move as its result. `tick_seen` is the last tick its player had seen (rules 6.4)."""

    t_ms: int
    seat: int
    score: int
    moves: int
    max_exponent: int
    stuck: bool
    tick_seen: int = 0


class Left(NamedTuple):
    """A seat resigned (4.7) or was forfeited (4.6)."""

    t_ms: int
    seat: int
    state: SeatState


class Voted(NamedTuple):
    """A seat's word on a draw. An offer says which tick announces it, any other vote which offer it means."""

    t_ms: int
    seat: int
    vote: Vote
    offer: int
    tick: int = 0


class Absent(NamedTuple):
    """A stuck seat has been away for the window and is not asked about draws (4.8); `absent` False: it is back."""

    t_ms: int
    seat: int
    absent: bool


RaceEvent = Moved | Left | Voted | Absent
_moment = attrgetter("t_ms")


class Offer(NamedTuple):
    """A draw offer that stands: its number, who made it when, the tick that tells of it, and who has agreed."""

    number: int
    seat: int
    t_ms: int
    tick: int
    agreed: frozenset[int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a race: the clause, the winners (two or more: a draw among them; none: void) and the moment."""

    termination: Termination
    winners: tuple[int, ...]
    t_ms: int


@dataclass(slots=True)
class RaceSeat:
    """What the judge knows of one seat."""

    state: SeatState = SeatState.MOVING
    score: int = 0
    moves: int = 0
    max_exponent: int = 0
    target_moves: int = 0  # the number of the move that made the target; 0: not made
    left_ms: int = -1
    absent: bool = False
    offers: int = 0
    offer_after_ms: int = 0  # no new offer before this moment


def offer_number(seat: int, count: int) -> int:
    """Returns the number of a seat's `count`-th draw offer, counted from 1 (deal.md 5.2)."""
    return 8 * seat + count


class Race:
    """The seats of a race and the draw offer, folded over events in the order they are applied."""

    def __init__(self, terms: RaceTerms) -> None:
        self.terms = terms
        self.seats = [RaceSeat() for _ in range(terms.seats)]
        self.offer: Offer | None = None
        self._stirred = True  # something may have ended the race since `decide` last said no

    def apply(self, event: RaceEvent) -> None:
        """Takes in one event. Events of a seat that left and votes on no standing offer change nothing."""
        self.lapse(event.t_ms)
        if isinstance(event, Moved):  # nearly always
            self._move(event)
            return
        self._stirred = True
        match event:
            case Left():
                self._leave(event)
            case Voted():
                if self.vote_fault(event.seat, event.vote, event.offer, event.t_ms) is None:
                    self._vote(event)
            case _:
                self.seats[event.seat].absent = event.absent

    def lapse(self, t_ms: int) -> None:
        """Drops an offer that has stood for its full time (4.8)."""
        if self.offer is not None and t_ms >= self.offer.t_ms + self.terms.offer_lapse_ms:
            self._drop_offer(self.offer.t_ms + self.terms.offer_lapse_ms)

    def move_offers(self, away_ms: int) -> None:
        """The lobby was away for so long: the offer that stands and the waits for others last as much longer (5.6)."""
        if self.offer is not None:
            self.offer = self.offer._replace(t_ms=self.offer.t_ms + away_ms)
        for seat in self.seats:
            seat.offer_after_ms += away_ms if seat.offer_after_ms else 0

    def vote_fault(self, seat: int, vote: Vote, offer: int, t_ms: int) -> VoteFault | None:
        """Returns why this vote would not be taken now, or None (rules 4.8)."""
        if not self.seats[seat].state.in_race:
            return VoteFault.NOT_IN_RACE
        if vote is Vote.OFFER:
            return self._offer_fault(seat, offer, t_ms)
        standing = self.offer
        if standing is None or standing.number != offer:
            return VoteFault.NO_SUCH_OFFER
        if (vote is Vote.WITHDRAW) != (standing.seat == seat):
            return VoteFault.NO_SUCH_OFFER if vote is Vote.WITHDRAW else VoteFault.ALREADY_AGREED
        if seat in standing.agreed and vote is not Vote.WITHDRAW:
            return VoteFault.ALREADY_AGREED
        return None

    def asks_somebody(self, number: int) -> bool:
        """Returns whether an offer of this seat would be put to anyone (rules 4.8: not to who is absent)."""
        return any(seat.state.in_race and not seat.absent for other, seat in enumerate(self.seats) if other != number)

    def decide(self, t_ms: int) -> Outcome | None:
        """Returns the outcome if the race is over at `t_ms`, asking the clauses in the order of rules §4.

        While two or more can move, a move that makes no target and leaves nobody stuck ends nothing: no clause then
        reads the scores, but at the bell. So most of the time there is nothing to ask.
        """
        rung = self.terms.kind is Kind.TIMED and t_ms >= self.terms.bell_ms
        if not (self._stirred or rung):
            return None
        winners = self._target_winners()
        if winners:
            return Outcome(Termination.TARGET, winners, t_ms)
        in_race = [number for number, seat in enumerate(self.seats) if seat.state.in_race]
        if self._all_agreed(in_race):
            return Outcome(Termination.DRAW, tuple(in_race), t_ms)
        if len(in_race) < 2:
            return Outcome(Termination.ALONE if in_race else Termination.VOID, tuple(in_race), t_ms)
        moving = [number for number in in_race if self.seats[number].state is SeatState.MOVING]
        if len(moving) == 1 and self._leads(moving[0], in_race):
            return Outcome(Termination.LAST_MOVER, (moving[0],), t_ms)
        if not moving:
            return Outcome(Termination.ALL_STUCK, self._highest(in_race), t_ms)
        if rung:
            return Outcome(Termination.BELL, self._highest(in_race), t_ms)
        self._stirred = len(moving) == 1
        return None

    def _move(self, event: Moved) -> None:
        seat = self.seats[event.seat]
        if seat.state is not SeatState.MOVING:
            return
        seat.score, seat.moves, seat.max_exponent = event.score, event.moves, event.max_exponent
        target = self.terms.target_exponent
        if self.terms.kind is Kind.TARGET and not seat.target_moves and event.max_exponent >= target:
            seat.target_moves = event.moves
            self._stirred = True
        if event.stuck:
            seat.state = SeatState.STUCK
            self._stirred = True
        offer = self.offer
        if offer is not None and event.seat not in offer.agreed and event.tick_seen >= offer.tick:
            self._drop_offer(event.t_ms)

    def _leave(self, event: Left) -> None:
        seat = self.seats[event.seat]
        if not seat.state.in_race:
            return
        seat.state, seat.left_ms = event.state, event.t_ms
        if self.offer is not None and self.offer.seat == event.seat:
            self._drop_offer(event.t_ms)

    def _vote(self, event: Voted) -> None:
        seat = self.seats[event.seat]
        if event.vote is Vote.OFFER:
            seat.offers = event.offer - offer_number(event.seat, 0)
            self.offer = Offer(event.offer, event.seat, event.t_ms, event.tick, frozenset((event.seat,)))
        elif event.vote is Vote.AGREE:
            offer = self.offer
            assert offer is not None, "vote_fault lets only votes on a standing offer through"
            agreed = offer.agreed | {event.seat}
            self.offer = Offer(offer.number, offer.seat, offer.t_ms, offer.tick, agreed)
        else:
            self._drop_offer(event.t_ms)

    def _drop_offer(self, t_ms: int) -> None:
        assert self.offer is not None, "only a standing offer can be dropped"
        self.seats[self.offer.seat].offer_after_ms = t_ms + self.terms.offer_wait_ms
        self.offer = None

    def _offer_fault(self, number: int, offer: int, t_ms: int) -> VoteFault | None:
        seat = self.seats[number]
        if self.offer is not None:
            return VoteFault.OFFER_STANDS
        if seat.offers >= self.terms.offers_max:
            return VoteFault.OFFERS_USED
        if t_ms < seat.offer_after_ms:
            return VoteFault.TOO_SOON
        # A record holds only the offer that decided, so counts may skip; they never repeat.
        if not seat.offers < offer - offer_number(number, 0) <= self.terms.offers_max:
            return VoteFault.NO_SUCH_OFFER
        return None

    def _target_winners(self) -> tuple[int, ...]:
        """Returns the seats that made the target in the fewest moves (4.2; all in one millisecond: 5.3)."""
        made = {number: seat.target_moves for number, seat in enumerate(self.seats) if seat.target_moves}
        fewest = min(made.values(), default=0)
        return tuple(number for number, moves in made.items() if moves == fewest)

    def _all_agreed(self, in_race: Sequence[int]) -> bool:
        offer = self.offer
        if offer is None or len(offer.agreed.intersection(in_race)) < 2:
            return False
        return all(number in offer.agreed or self.seats[number].absent for number in in_race)

    def _leads(self, mover: int, in_race: Sequence[int]) -> bool:
        score = self.seats[mover].score
        return all(score > self.seats[number].score for number in in_race if number != mover)

    def _highest(self, in_race: Sequence[int]) -> tuple[int, ...]:
        best = max(self.seats[number].score for number in in_race)
        return tuple(number for number in in_race if self.seats[number].score == best)


def standing(seats: Sequence[RaceSeat], winners: Sequence[int]) -> tuple[int, ...]:
    """Returns the seats from first to last place: winners, then the others in the race, then who left (4.11)."""

    def place(number: int) -> tuple[int, int, int, int]:
        seat = seats[number]
        if number in winners:
            return (0, -seat.score, seat.moves, number)
        if seat.state.in_race:
            return (1, -seat.score, seat.moves, number)
        return (2, -seat.left_ms, 0, number)

    return tuple(sorted(range(len(seats)), key=place))


def fold(terms: RaceTerms, streams: Iterable[Iterable[RaceEvent]]) -> tuple[Outcome | None, Race]:
    """Returns the outcome of a whole race, and the seats as they stood at that moment.

    `streams` holds one iterable a seat, in the order of that seat's log, t* never falling. All events of one
    millisecond are applied before the clauses are asked (rules §4); what came later than the end is not applied.
    A timed race ends at its bell even if nothing happened then.
    """
    race = Race(terms)
    timed = terms.kind is Kind.TIMED
    events = sorted(chain.from_iterable(streams), key=_moment)  # stable: each seat's stay in their order
    for t_ms, group in groupby(events, key=_moment):
        if timed and t_ms > terms.bell_ms:
            break
        for event in group:
            race.apply(event)
        outcome = race.decide(t_ms)
        if outcome is not None:
            return outcome, race
    return (race.decide(terms.bell_ms) if timed else None), race
