"""A recorded game to race against: what its player had reached at each moment, and on which deck (ux.md, `--ghost`).

A ghost is a seat of a race's record or a game alone. It shows what a rival in a race shows, no more and as rarely:
score, max tile and moves once a second, and that it has stopped when it stops. Pure; files are read by cli/ghosts.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from client.solo import Choice, SoloView
from client.solo_timeline import SoloTimeline
from client.timeline import Timeline
from client.view import SeatPicture
from engine.race import Kind, SeatState
from engine.solo import SoloKind
from protocol.limits import TICK_INTERVAL_MS
from protocol.record import Record
from protocol.solo import RaceDeckPapers, SoloRecord
from protocol.text import SafeText

GHOSTS_MAX = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """What a ghost had reached at a moment."""

    t_ms: int
    score: int
    max_exponent: int
    moves: int


@dataclass(frozen=True, slots=True)
class Ghost:
    """One recorded player.

    `steps` are its figures in the order of time, the first at the start; `end_ms` is when it stopped, in `state`;
    `made_ms` when it made the target, None if it did not.
    """

    name: SafeText
    computer: bool
    steps: Sequence[Figures]
    end_ms: int
    state: SeatState
    made_ms: int | None

    def at(self, t_ms: int) -> Figures:
        """Returns its figures at a moment, to the millisecond."""
        return self.steps[max(bisect_right(self.steps, t_ms, key=lambda step: step.t_ms) - 1, 0)]

    def picture(self, seat: int, t_ms: int) -> SeatPicture:
        """Returns it as a rival is shown at this moment: figures of the last whole second, or its last ones."""
        over = t_ms >= self.end_ms
        figures = self.at(t_ms if over else t_ms // TICK_INTERVAL_MS * TICK_INTERVAL_MS)
        return SeatPicture(
            seat=seat,
            name=self.name,
            you=False,
            host=False,
            computer=self.computer,
            connected=True,
            ready=True,
            state=self.state if over else SeatState.MOVING,
            done=over,
            score=figures.score,
            max_exponent=figures.max_exponent,
            moves=figures.moves,
        )


def race_ms(view: SoloView) -> int:
    """Returns the time that ghosts run by: that of the game, and before its first move a moment before the start.

    The clock begins with the first move, and so a recording may have made its own in the very first millisecond.
    """
    return view.t_ms if view.running or view.moves or view.t_ms else -1


@dataclass(frozen=True, slots=True)
class Course:
    """What is raced on: a deck, and what for."""

    choice: Choice
    deck: bytes | RaceDeckPapers


def solo_course(record: SoloRecord) -> Course:
    """Returns what a game alone was played on."""
    opening = record.opening
    return Course(Choice(opening.size, opening.kind, opening.target_exponent), opening.deck)


def solo_ghost(timeline: SoloTimeline) -> Ghost:
    """Returns the player of a game alone."""
    solo, player = timeline.solo, timeline.players[0]
    times = (0, *timeline.times)
    steps = tuple(map(Figures, times, timeline.scores, timeline.exponents, timeline.moves))
    state = SeatState.STUCK if solo.game.stuck else SeatState.MOVING
    made_ms = None if solo.made is None else solo.made.t_ms
    return Ghost(player.name, player.computer, steps, times[-1], state, made_ms)


def race_course(record: Record, timeline: Timeline) -> Course:
    """Returns what a race was played on. One against the clock is played without end (rules 2.1)."""
    deal, settings = timeline.deal, timeline.settings
    papers = RaceDeckPapers(deal.chain_id, deal.chain_length, record.last_link, deal.deck_mix(timeline.start.mix))
    kind = SoloKind.CLASSIC if settings.kind == Kind.TARGET else SoloKind.ENDLESS
    return Course(Choice(settings.size, kind, settings.target_exponent), papers)


def race_ghost(timeline: Timeline, seat: int) -> Ghost:
    """Returns a seat of a race, with the moves that counted."""
    course, player = timeline.courses[seat], timeline.players[seat]
    counted = timeline.counted(seat)
    steps = [Figures(0, 0, course.max_exponent_after(0), 0)]
    steps += [Figures(each.t_ms, each.score, each.max_exponent, each.moves) for each in course.results[:counted]]
    last = timeline.at(timeline.end_ms).seats[seat]
    state = SeatState.MOVING if last is None else last.state
    target = timeline.settings.target_exponent
    made = next((step.t_ms for step in steps if 0 < target <= step.max_exponent), None)
    end_ms = steps[-1].t_ms if state is not SeatState.MOVING else timeline.end_ms
    return Ghost(player.name, player.computer, tuple(steps), end_ms, state, made)


def usual_seat(timeline: Timeline) -> int:
    """Returns the seat that is raced against if none is named: the winner's, else the first in the result."""
    seats = [seat for seat in timeline.at(timeline.end_ms).seats if seat is not None]
    best = min(seats, key=lambda seat: (not seat.won, seat.place or len(seats)))
    return best.seat
