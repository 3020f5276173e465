"""A simple computer player: what it does at each picture of its session. Pure, and the same every time.

Owns the choosing of moves and the manners at the table. Where it stands in the race it learns from the view, as a
person does; sockets and timers are players.py's. level.py has players of a named strength, who use the solver.

All boards of a race get the same tiles, so players who choose alike have boards alike: each seat has its own style.
For demos and tests a player can be given a `Part`: to resign, to vanish, to keep to a beat, and the like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from client.actions import Action, Again, Agree, Leave, Move, Refuse, Resign, SetReady
from client.level import Level, Thought
from client.view import GamePicture, Line, OfferPicture, SeatPicture, SessionView
from engine.board import Board, Direction
from engine.race import Kind
from protocol.messages import Phase

UP, RIGHT, DOWN, LEFT = Direction
RETRY_MS = 2_000  # the lobby has answered by then, or the line is down
ANSWER_MS = 1_500  # people should see that an offer was made and answered
AGAIN_MS = 1_000  # let them look at the result first
ALONE_MS = 60_000  # without a person at the table, or without a line to it, there is nothing to wait for
SPAWNS_MAX = 6  # of the empty cells looked at, so that a large board takes no longer
STUCK_WORTH = -1_000_000
_IN_RACE = (Phase.RACING, Phase.SETTLING, Phase.CLOSING)
NAMES = ("heron", "lynx", "otter", "vole", "raven", "moth", "pike", "adder")


@dataclass(frozen=True, slots=True)
class Style:
    """A way of choosing: the directions in the order preferred, and what a board is worth after a slide."""

    name: str
    order: tuple[Direction, ...]
    worth: Callable[[Board, int], int]

    def choose(self, board: Board) -> Direction | None:
        """Returns the direction to push in, None if there is no legal one; the first of equals is taken."""
        best, chosen = 0, None
        for direction in self.order:
            slid = board.slide(direction)
            if slid is None:
                continue
            worth = self._ahead(*slid)
            if chosen is None or worth > best:
                best, chosen = worth, direction
        return chosen

    def _ahead(self, board: Board, points: int) -> int:
        """Returns what a slid board is worth after one more slide, on average over where a 2 may spawn."""
        empties = board.empties
        lots = min(empties, SPAWNS_MAX)
        total = 0
        for number in range(lots):
            cell = number * empties // lots
            spawned = board.spawn(1, -(-(cell << 64) // empties))  # the least lot that picks this cell
            slides = [slid for direction in self.order if (slid := spawned.slide(direction))]
            total += max([self.worth(after, points + more) for after, more in slides], default=STUCK_WORTH)
        return total // lots


def _hoard(board: Board, points: int) -> int:
    """Points now, and room for later."""
    return points + 24 * board.empties


def _pour(board: Board, _points: int) -> int:
    """Large tiles along a snake that begins at the top left."""
    return sum(map(int.__mul__, _snake(board.size), _faces(board.cells)))


def _smooth(board: Board, points: int) -> int:
    """Neighbours of like size, and room."""
    cells, size = board.cells, board.size
    steps = sum(abs(a - b) for i, a in enumerate(cells) if (i + 1) % size and a and (b := cells[i + 1]))
    steps += sum(abs(a - b) for a, b in zip(cells, cells[size:], strict=False) if a and b)
    return 32 * board.empties - 8 * steps + points


def _corner(board: Board, points: int) -> int:
    """The largest tile in the bottom right corner, then room, then points."""
    cells = board.cells
    return (4_096 if cells[-1] == max(cells) else 0) + 48 * board.empties + points


def _clutter(board: Board, _points: int) -> int:
    """A board as full as it can be: bad play, which is soon stuck."""
    return -board.empties


@lru_cache(maxsize=8)
def _snake(size: int) -> tuple[int, ...]:
    """The weight of each cell, halved from one to the next along the snake, down to 1."""
    rows = [range(row * size, row * size + size) for row in range(size)]
    path = [cell for row, cells in enumerate(rows) for cell in (reversed(cells) if row % 2 else cells)]
    weights = {cell: 1 << max(0, 15 - step) for step, cell in enumerate(path)}
    return tuple(weights[cell] for cell in range(size * size))


def _faces(cells: bytes) -> list[int]:
    return [1 << exponent if exponent else 0 for exponent in cells]


STYLES = (
    Style("smooth", (DOWN, LEFT, RIGHT, UP), _smooth),
    Style("snake", (LEFT, UP, RIGHT, DOWN), _pour),
    Style("corner", (RIGHT, DOWN, UP, LEFT), _corner),
    Style("hoard", (UP, RIGHT, LEFT, DOWN), _hoard),
)
CLUMSY = Style("clumsy", (UP, DOWN, RIGHT, LEFT), _clutter)  # nobody plays like that unless told to
STYLES_BY_NAME = {style.name: style for style in (*STYLES, CLUMSY)}


class Answer(StrEnum):
    """What to say to every draw offer."""

    AGREE = "agree"
    REFUSE = "refuse"
    NOTHING = "nothing"  # nor move, so that the offer stands until it lapses


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a computer player is told to do in a race: for demos and tests, each a flag of `race2048 bot`.

    `…_after` is a number of its moves, None for never. With `beat_ms` its k-th move is made, and claimed, at k times
    that since the start, whatever its pace: so two who choose alike do it in the same millisecond.
    """

    style: Style | None = None  # None: that of its seat, unless it has a level
    level: Level | None = None
    beat_ms: int = 0
    stop_after: int | None = None
    offer_after: int | None = None
    answer: Answer | None = None  # None: agrees unless it leads
    resign_after: int | None = None
    vanish_after: int | None = None


@dataclass(frozen=True, slots=True)
class Vanish:
    """Cut the connection without a word."""


class Hands:
    """What a computer player does: hand in each picture, do what comes back, and ask again at `deadline`.

    It leaves by itself when there is no seat for it (then `refusal` is the lobby's code for why) or nobody to play.
    """

    def __init__(self, moves_per_s: float, part: Part | None = None) -> None:
        self.deadline: int | None = None
        self.refusal = ""
        self._part = part or Part()
        self._cues = self._cues_of(self._part)
        self._acted: set[Action | Vanish] = set()  # the cues that were taken in this race
        self._interval_ms = 1_000 / moves_per_s
        self._move_ms: float | None = None  # when the next move is due
        self._thought: Thought | None = None
        self._pressed_move: int | None = None  # on a beat: the number of the move that was pressed
        self._pressed_ms: int | None = None
        self._unseated_ms: int | None = None
        self._finished_ms: int | None = None
        self._offer_ms: int | None = None  # when the offer that stands was first seen
        self._answered = False
        self._alone_ms: int | None = None

    def decide(self, view: SessionView, now_ms: int) -> Action | Vanish | None:
        """Returns what to do now, or None; then `deadline` says when to ask at the latest."""
        self.deadline = None
        self._forget(view.phase)
        if view.phase is None or view.line is Line.OVER:
            return None
        seat = None if view.my_seat is None else view.seats[view.my_seat]
        if seat is None:
            return self._unseated(view, now_ms)
        self._unseated_ms = None
        if self._alone(view, now_ms):
            return Leave()
        if view.phase is Phase.SEATING:
            return None if seat.ready else self._press(SetReady(), now_ms)
        if view.phase is Phase.RACING:
            return self._race(view, seat, now_ms)
        if view.phase is Phase.FINISHED:
            return self._after(seat, now_ms)
        if view.countdown_ms is not None:
            self._wait(now_ms + view.countdown_ms, now_ms)
        return None

    def _forget(self, phase: Phase | None) -> None:
        """Forgets what was of the phase before."""
        if phase is not Phase.RACING:
            self._move_ms = self._offer_ms = self._pressed_move = self._thought = None
        if phase is not Phase.FINISHED:
            self._finished_ms = None
        if phase is not None and phase not in _IN_RACE:  # who has vanished comes back to the same race
            self._acted.clear()

    def _unseated(self, view: SessionView, now_ms: int) -> Action | None:
        """Leaves; why there is no seat comes in a message of its own, which is worth a moment."""
        if self._unseated_ms is None:
            self._unseated_ms = now_ms
        if not view.notice and self._wait(self._unseated_ms + RETRY_MS, now_ms):
            return None
        self.refusal = view.notice or "not-seated"
        return Leave()

    def _after(self, seat: SeatPicture, now_ms: int) -> Action | None:
        if self._finished_ms is None:
            self._finished_ms = now_ms
        if seat.wants_again or self._wait(self._finished_ms + AGAIN_MS, now_ms):
            return None
        return self._press(Again(), now_ms)

    def _race(self, view: SessionView, seat: SeatPicture, now_ms: int) -> Action | Vanish | None:
        game = view.game
        if game is None or not seat.state.in_race:
            return None
        cue = self._cue(game.moves, offered=view.offer is not None)
        if cue is not None:
            return cue
        if view.offer is None:
            self._offer_ms = None
        elif not view.offer.agreed and not (self._offer_ms is not None and self._answered):
            return self._answer(view, view.offer, now_ms)
        if game.stuck or game.waiting or _reached(game.moves, self._part.stop_after):
            return None
        if self._part.beat_ms:
            return self._move_on_beat(view, game, seat, now_ms)
        return self._move(game, seat, now_ms)

    def _cue(self, moves: int, *, offered: bool) -> Action | Vanish | None:
        """Returns what the part asks for after so many moves and was not done yet."""
        for after, action in self._cues:
            waits = offered and action == Agree()  # one offer at a time
            if moves >= after and action not in self._acted and not waits:
                self._acted.add(action)
                return action
        return None

    @staticmethod
    def _cues_of(part: Part) -> list[tuple[int, Action | Vanish]]:
        cues = ((part.offer_after, Agree()), (part.resign_after, Resign()), (part.vanish_after, Vanish()))
        return [(after, action) for after, action in cues if after is not None]

    def _move(self, game: GamePicture, seat: SeatPicture, now_ms: int) -> Action | None:
        if self._move_ms is None:
            self._move_ms = now_ms + self._interval_ms
        if self._thinks(game, seat, now_ms) or self._wait(round(self._move_ms), now_ms):
            return None
        # A pace is kept over small delays, but what was missed in a long one is not rushed after.
        self._move_ms = max(self._move_ms + self._interval_ms, now_ms - 2 * self._interval_ms)
        return self._choose(game, seat)

    def _move_on_beat(self, view: SessionView, game: GamePicture, seat: SeatPicture, now_ms: int) -> Action | None:
        """Presses once for each move, so that a beat that comes late does not find two keys."""
        assert view.clock_ms is not None, "a race has a clock"
        timed = view.settings.kind == Kind.TIMED
        since_start_ms = view.settings.time_ms - view.clock_ms if timed else view.clock_ms
        due_ms = now_ms - since_start_ms + (game.moves + 1) * self._part.beat_ms
        if self._pressed_move == game.moves or self._thinks(game, seat, now_ms) or self._wait(due_ms, now_ms):
            return None
        self._pressed_move = game.moves
        return self._choose(game, seat)

    def _thinks(self, game: GamePicture, seat: SeatPicture, now_ms: int) -> bool:
        """Thinks a bit about the next move, before it is due; returns whether to go on with that, and soon."""
        if self._part.level is None or self._part.style is not None:
            return False
        if self._thought is None or self._thought.board != game.board:
            self._thought = Thought(game.board, self._part.level, seat.seat)
        if self._thought.go_on():
            return False
        self.deadline = now_ms  # whatever else there is to do comes first
        return True

    def _choose(self, game: GamePicture, seat: SeatPicture) -> Action | None:
        if self._thought is not None:
            return None if self._thought.move is None else Move(self._thought.move)
        style = self._part.style or STYLES[seat.seat % len(STYLES)]
        direction = style.choose(game.board)
        return None if direction is None else Move(direction)

    def _answer(self, view: SessionView, offer: OfferPicture, now_ms: int) -> Action | None:
        """Thinks first, and does not move while it thinks: a move would be a refusal (rules 4.8)."""
        if self._offer_ms is None:
            self._offer_ms, self._answered = now_ms, False
        until_ms = self._offer_ms + min(ANSWER_MS, offer.lapse_ms // 2)
        if self._part.answer is Answer.NOTHING or self._wait(until_ms, now_ms):
            return None
        self._answered = True
        match self._part.answer:
            case Answer.AGREE:
                return Agree()
            case Answer.REFUSE:
                return Refuse()
            case _:
                return self._own_answer(view)

    @staticmethod
    def _own_answer(view: SessionView) -> Action:
        others = [seat.score for seat in view.seats if seat is not None and seat.state.in_race and not seat.you]
        assert view.game is not None, "only a player is asked"
        return Agree() if view.game.score <= max(others, default=0) else Refuse()

    def _alone(self, view: SessionView, now_ms: int) -> bool:
        """Returns whether no person has been at the table, or nothing heard of it, for a minute.

        A race is played to its end, whoever has left.
        """
        people = view.watchers or any(s is not None and s.connected and not s.computer for s in view.seats)
        if (people or view.phase is Phase.RACING) and view.line is Line.ONLINE:
            self._alone_ms = None
            return False
        if self._alone_ms is None:
            self._alone_ms = now_ms
        return not self._wait(self._alone_ms + ALONE_MS, now_ms)

    def _press(self, action: Action, now_ms: int) -> Action | None:
        """Returns the action, unless it was done a moment ago and the answer is still on its way."""
        if self._pressed_ms is not None and self._wait(self._pressed_ms + RETRY_MS, now_ms):
            return None
        self._pressed_ms = now_ms
        return action

    def _wait(self, until_ms: int, now_ms: int) -> bool:
        """Returns whether it is too early, and then sets the deadline."""
        if now_ms >= until_ms:
            return False
        self.deadline = until_ms if self.deadline is None else min(self.deadline, until_ms)
        return True


def _reached(moves: int, after: int | None) -> bool:
    return after is not None and moves >= after
