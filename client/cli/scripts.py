"""The scripts of `race2048 demo --script NAME`: each shows one ending of rules §4 in a few seconds.

A literal table. Bots are told their part by the flags of `race2048 bot`, one line a seat. Where an ending depends on
the tiles the deck is dealt from a seed; where it depends on which of two moves came first, both keep to a beat and the
Deal believes their claims for five seconds, so that a busy computer changes nothing. All of it stands in the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from client.language import later
from engine.deck import CHAIN_LENGTH
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.limits import Windows
from protocol.messages import TableSettings
from protocol.verdict import SeatVerdict

STUCK, RESIGNED, FORFEITED, MOVING = SeatState.STUCK, SeatState.RESIGNED, SeatState.FORFEITED, SeatState.MOVING

_COUNTDOWN_MS = 1_000
_BRISK = Windows(countdown_ms=_COUNTDOWN_MS)
_ON_BEATS = Windows(countdown_ms=_COUNTDOWN_MS, claim_back_ms=5_000, claim_spare_ms=5_000, settle_ms=600)


def _endless(seats: int, size: int = 4, idle_ms: int = 0) -> TableSettings:
    return TableSettings(seats=seats, size=size, kind=Kind.ENDLESS, target_exponent=0, idle_ms=idle_ms)


def _target(seats: int, exponent: int) -> TableSettings:
    return TableSettings(seats=seats, kind=Kind.TARGET, target_exponent=exponent)


def _timed(seats: int, time_ms: int) -> TableSettings:
    return TableSettings(seats=seats, kind=Kind.TIMED, target_exponent=0, time_ms=time_ms, idle_ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A race that ends in one way. `termination`, `winners`, `states` and `moves` are the end that it must have."""

    name: str
    explanation: str
    settings: TableSettings
    bots: tuple[str, ...]
    termination: Termination
    winners: tuple[int, ...]
    states: tuple[SeatState, ...]
    moves: int | None = None  # of every seat, where that is the point
    windows: Windows = _BRISK
    seed: str | None = None
    chain_length: int = CHAIN_LENGTH

    def difference(self, outcome: Outcome, seats: Sequence[SeatVerdict]) -> str:
        """Returns how a race has ended otherwise than it must, empty if it has not."""
        wanted = f"{_said(self.termination)} won by {self.winners}, {_said(*self.states)}"
        ended = f"{_said(outcome.termination)} won by {outcome.winners}, {_said(*(seat.state for seat in seats))}"
        if ended != wanted:
            return f"{ended}; it must be {wanted}"
        moves = {seat.moves for seat in seats}
        if self.moves is not None and moves != {self.moves}:
            return f"after {sorted(moves)} moves; it must be {self.moves} each"
        return ""


def _said(*values: Termination | SeatState) -> str:
    return ", ".join(value.name.lower().replace("_", "-") for value in values)


SCRIPTS = (
    Script(
        name="alone",
        explanation=later("one is stuck, one resigns, one stays away: who is left alone wins, stuck or not"),
        settings=_endless(3, size=3),
        seed="race 5",
        windows=Windows(countdown_ms=_COUNTDOWN_MS, away_ms=2_000),
        bots=(
            "--style clumsy --pace 25",
            "--style snake --pace 10 --resign-after 9",
            "--style corner --pace 10 --vanish-after 6",
        ),
        termination=Termination.ALONE,
        winners=(0,),
        states=(STUCK, RESIGNED, FORFEITED),
    ),
    Script(
        name="target",
        explanation=later("the first to make the tile wins"),
        settings=_target(4, 7),
        seed="race 20",
        windows=_ON_BEATS,
        bots=("--beat 50",) * 4,
        termination=Termination.TARGET,
        winners=(2,),
        states=(MOVING,) * 4,
    ),
    Script(
        name="dead-heat",
        explanation=later("two make the tile in the same millisecond and with as many moves: a draw of those two"),
        settings=_target(3, 6),
        windows=_ON_BEATS,
        bots=("--style snake --beat 50", "--style snake --beat 50", "--style hoard --beat 200"),
        termination=Termination.TARGET,
        winners=(0, 1),
        states=(MOVING,) * 3,
    ),
    Script(
        name="last-mover",
        explanation=later("all others are stuck: the last who can move plays on until it leads, and wins"),
        settings=_endless(2, size=3),
        seed="race 9",
        windows=_ON_BEATS,
        bots=("--style clumsy --beat 40", "--style smooth --beat 60"),
        termination=Termination.LAST_MOVER,
        winners=(1,),
        states=(STUCK, MOVING),
    ),
    Script(
        name="all-stuck",
        explanation=later("all are stuck: the highest score wins"),
        settings=_endless(3, size=3),
        seed="race 27",
        windows=_ON_BEATS,
        bots=("--style smooth --beat 40", "--style clumsy --beat 80", "--style hoard --beat 100"),
        termination=Termination.ALL_STUCK,
        winners=(0,),
        states=(STUCK,) * 3,
    ),
    Script(
        name="all-stuck-tie",
        explanation=later("all are stuck, two of them with the highest score: a draw of those two"),
        settings=_endless(3, size=3),
        seed="race 27",
        windows=_ON_BEATS,
        bots=("--style clumsy --beat 60", "--style hoard --beat 40", "--style clumsy --beat 60"),
        termination=Termination.ALL_STUCK,
        winners=(0, 2),
        states=(STUCK,) * 3,
    ),
    Script(
        name="bell",
        explanation=later("the time is up: the highest score wins"),
        settings=_timed(3, 5_000),
        bots=("--pace 30", "--pace 5", "--pace 4"),
        termination=Termination.BELL,
        winners=(0,),
        states=(MOVING,) * 3,
    ),
    Script(
        name="bell-tie",
        explanation=later("the time is up, two share the highest score: a draw of those two"),
        settings=_timed(3, 5_000),
        windows=_ON_BEATS,
        bots=(
            "--style snake --beat 60 --stop-after 40",
            "--style hoard --beat 400",
            "--style snake --beat 60 --stop-after 40",
        ),
        termination=Termination.BELL,
        winners=(0, 2),
        states=(MOVING,) * 3,
    ),
    Script(
        name="away",
        explanation=later("three vanish in turn: the one who comes back in time plays on, the others forfeit"),
        settings=_endless(3),
        windows=Windows(countdown_ms=_COUNTDOWN_MS, away_ms=2_500),
        bots=(
            "--pace 10 --vanish-after 25",
            "--pace 10 --vanish-after 10 --return-after 0.8",
            "--pace 10 --vanish-after 5",
        ),
        termination=Termination.ALONE,
        winners=(1,),
        states=(FORFEITED, MOVING, FORFEITED),
    ),
    Script(
        name="resign",
        explanation=later("all but one resign: that one wins"),
        settings=_endless(3),
        bots=("--pace 10 --resign-after 20", "--pace 10", "--pace 10 --resign-after 10"),
        termination=Termination.ALONE,
        winners=(1,),
        states=(RESIGNED, MOVING, RESIGNED),
    ),
    Script(
        name="draw",
        explanation=later("one offers a draw, all the others agree"),
        settings=_endless(3),
        windows=Windows(countdown_ms=_COUNTDOWN_MS, offer_lapse_ms=4_000),
        bots=("--pace 10 --offer-after 10", "--pace 10 --answer agree", "--pace 10 --answer agree"),
        termination=Termination.DRAW,
        winners=(0, 1, 2),
        states=(MOVING,) * 3,
    ),
    Script(
        name="idle",
        explanation=later("one sits still for too long: that is like being away, and it forfeits"),
        settings=_endless(2, idle_ms=1_500),
        windows=Windows(countdown_ms=_COUNTDOWN_MS, away_ms=1_500),
        bots=("--pace 10", "--pace 10 --stop-after 5"),
        termination=Termination.ALONE,
        winners=(0,),
        states=(MOVING, FORFEITED),
    ),
    Script(
        name="deck-used-up",
        explanation=later("the deck is used up: everyone counts as stuck after the same move, the highest score wins"),
        settings=_endless(2),
        seed="race 11",
        chain_length=8,
        windows=_ON_BEATS,
        bots=("--style smooth --beat 40", "--style snake --beat 55"),
        termination=Termination.ALL_STUCK,
        winners=(0,),
        states=(STUCK, STUCK),
        moves=62,
    ),
    Script(
        name="void",
        explanation=later("nobody ever moves, and all forfeit in the same millisecond: the race is void"),
        settings=_endless(2, idle_ms=1_000),
        windows=Windows(countdown_ms=_COUNTDOWN_MS, away_ms=1_000),
        bots=("--stop-after 0", "--stop-after 0"),
        termination=Termination.VOID,
        winners=(),
        states=(FORFEITED, FORFEITED),
    ),
)
SCRIPTS_BY_NAME = {script.name: script for script in SCRIPTS}
