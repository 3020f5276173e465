"""One seat's way through a race: when it made which move, and the board after any of them.

Owns fast random access: the game is kept every `CHECKPOINT_MOVES` moves, a board is played on from the one before.
Believes what it is told; whether a record is true is protocol/verdict.py's business. Read on in timeline.py.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.board import Board, Direction
from engine.deck import Deck
from engine.game import Game
from engine.race import Moved
from protocol.moment import moment
from protocol.record import RecordEvent, SeatLog
from protocol.text import SafeText

CHECKPOINT_MOVES = 64


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits there. `you`: the key is one of this data directory's."""

    seat: int
    name: SafeText
    key: bytes
    computer: bool
    you: bool


@dataclass(frozen=True, slots=True)
class MadeMove:
    """A move, counted from 1, with its t*, its points, the tile that spawned after it, and what it led to."""

    number: int
    t_ms: int
    direction: Direction
    points: int
    cell: int  # row by row from the top left
    exponent: int  # of the tile that spawned
    score: int
    board: Board


class Course:
    """The moves of a seat in the order of time; `moves` counts those there are, 0 stands for the start.

    A log that is not legal as a whole is played as far as it is, which only a false record can need.
    """

    def __init__(self, player: Player, size: int, deck: Deck, directions: bytes, moments: Sequence[int]) -> None:
        self.player = player
        self.times: list[int] = []
        self.results: list[Moved] = []
        self.deck_used_up = False
        self._directions = directions
        game = Game(size, deck)
        self._games = [game.copy()]
        self._latest = game.copy()  # the board asked for last: the next one is mostly a move further
        for direction, t_ms in zip(directions, moments, strict=True):
            if game.move(Direction(direction)) is None:
                break
            self.times.append(t_ms)
            self.results.append(Moved(t_ms, player.seat, game.score, game.moves, game.max_exponent, game.stuck))
            if game.moves % CHECKPOINT_MOVES == 0:
                self._games.append(game.copy())
        self.deck_used_up = game.deck_used_up

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return len(self.times)

    def moves_at(self, t_ms: int) -> int:
        """Returns how many moves were made up to this moment, those of its very millisecond included."""
        return bisect_right(self.times, t_ms)

    def time_of(self, move: int) -> int:
        """Returns t* of a move, counted from 1; 0 for the start."""
        return self.times[move - 1] if move else 0

    def time_before(self, t_ms: int) -> int:
        """Returns t* of the last move before this moment, 0 if there was none."""
        return self.time_of(bisect_left(self.times, t_ms))

    def score_after(self, moves: int) -> int:
        """Returns the score after so many moves."""
        return self.results[moves - 1].score if moves else 0

    def board_after(self, moves: int) -> Board:
        """Returns the board after so many moves."""
        return self._game_after(moves).board

    def max_exponent_after(self, moves: int) -> int:
        """Returns the exponent of the max tile after so many moves."""
        return self.results[moves - 1].max_exponent if moves else self._games[0].max_exponent

    def played(self) -> Iterator[MadeMove]:
        """Yields every move."""
        game = self._games[0].copy()
        for result, direction in zip(self.results, map(Direction, self._directions), strict=False):
            slid = game.board.slide(direction)
            assert slid is not None, "only legal moves are kept"
            points = game.move(direction)
            assert points is not None, "the same move on the same board"
            board = game.board
            before, after = slid[0].cells, board.cells
            cell = next(place for place, exponent in enumerate(after) if before[place] != exponent)
            yield MadeMove(game.moves, result.t_ms, direction, points, cell, after[cell], game.score, board)

    def _game_after(self, moves: int) -> Game:
        """Returns the game after so many moves; it is ours, and must not be moved on."""
        kept = self._games[moves // CHECKPOINT_MOVES]
        game = self._latest
        if not kept.moves <= game.moves <= moves:
            game = kept.copy()
        for direction in self._directions[game.moves : moves]:
            game.move(Direction(direction))
        self._latest = game
        return game


def moments(log: SeatLog, events: Sequence[RecordEvent]) -> list[int]:
    """Returns t* of every move of a log (rules 5.2); `events` are those of the seat.

    It never falls, whatever the record says.
    """
    times = list(log.times)
    waiting = list(reversed(events))
    event_ms = 0
    for correction in log.corrections:
        index = correction.move - 1
        while waiting and waiting[-1].moves <= index:
            event_ms = waiting.pop().t_ms
        before_ms = max(event_ms, times[index - 1] if index else 0)
        times[index] = moment(times[index], correction.arrival_ms, correction.back_ms, before_ms)
    for index in range(1, len(times)):
        times[index] = max(times[index], times[index - 1])
    return times
