"""One player's game: a board, a deck and the moves made (rules 1, 4.10).

Owns score, moves, and when a game is stuck. Refuses to know time, other players, targets and undo.
Read on in race.py; board.py and deck.py are what this stands on.
"""

from collections.abc import Iterable
from typing import Final

from .board import Board, Direction
from .deck import Deck
from .grid import GRIDS, nothing_moves
from .lines import NO_LINES, Lines


class IllegalMove(ValueError):  # noqa: N818  says what is wrong
    """A list of moves holds one that the rules do not allow."""

    def __init__(self, move: int, direction: Direction, board: Board) -> None:
        super().__init__(f"move {move}, {direction.name.lower()}, board {board}")
        self.move: Final = move
        self.direction: Final = direction
        self.board: Final = board


class Game:
    """A game from its two first tiles on. Its attributes are to be read; `move` alone changes them.

    Raises:
        LinkMissing: the deck does not know its first two draws yet.
    """

    __slots__ = (
        "_columns",
        "_deck",
        "_grid",
        "_moves_max",
        "_rows",
        "deck_used_up",
        "fours",
        "max_exponent",
        "moves",
        "score",
        "size",
        "stuck",
    )

    def __init__(self, size: int, deck: Deck) -> None:
        first, second = deck.draw(0), deck.draw(1)
        self.size = size  # the number of rows and of columns
        self.score = 0
        self.moves = 0
        self.fours = (first.exponent == 2) + (second.exponent == 2)
        self.max_exponent = max(first.exponent, second.exponent)  # of the max tile
        self.stuck = False  # two tiles never fill a board
        self.deck_used_up = False  # the reason for stuck in rules 4.10
        self._deck = deck
        self._moves_max = deck.draw_count - 2
        self._rows = Board.empty(size).spawn(*first).spawn(*second).rows
        self._grid = GRIDS[size]
        self._columns: Lines = NO_LINES  # made when they are wanted; one of the two may be NO_LINES

    @classmethod
    def resumed(cls, deck: Deck, board: Board, *, score: int, moves: int, fours: int) -> "Game":
        """The game that a saved one was: with this deck, and `board` after so many moves."""
        game = cls(board.size, deck)
        game.score, game.moves, game.fours, game.max_exponent = score, moves, fours, board.max_exponent
        game._rows, game._columns = board.rows, NO_LINES
        if board.empties == 0 or moves == game._moves_max:
            game._end()
        return game

    def copy(self) -> "Game":
        """A game that stands where this one does, with the same deck; moves in one are not made in the other."""
        twin = object.__new__(Game)
        twin.size, twin.score, twin.moves, twin.fours = self.size, self.score, self.moves, self.fours
        twin.max_exponent, twin.stuck, twin.deck_used_up = self.max_exponent, self.stuck, self.deck_used_up
        twin._deck, twin._moves_max, twin._grid = self._deck, self._moves_max, self._grid
        twin._rows, twin._columns = self._rows, self._columns
        return twin

    @property
    def board(self) -> Board:
        """The board after the last move."""
        return Board(self._rows, self._columns)

    def move(self, direction: Direction) -> int | None:
        """Makes a move and returns its points; None, and nothing has changed, if it is illegal (rules 1.4).

        This is what `Board.slide`, `Board.spawn` and `Board.stuck` do one after the other, without the boards between.

        Raises:
            LinkMissing: the move is legal, but the draw after it is not known yet; nothing has changed.
        """
        if self.stuck:
            return None
        grid = self._grid
        in_rows = direction & 1
        if in_rows:
            lines = self._rows = self._rows or grid.crossed(self._columns)
        else:
            lines = self._columns = self._columns or grid.crossed(self._rows)
        slid = grid.pushes[direction](lines)
        if slid is None:
            return None
        pushed, points, empties = slid
        exponent, lot = self._deck.draw(self.moves + 2)
        if in_rows:
            grid.spawn_in_rows(pushed, empties, exponent, lot)
            self._rows, self._columns = pushed, NO_LINES
        else:
            grid.spawn_in_columns(pushed, empties, exponent, lot)
            self._rows, self._columns = NO_LINES, pushed
        self.moves = moves = self.moves + 1
        if exponent == 2:
            self.fours += 1
            self.max_exponent = max(2, self.max_exponent)
        if points:
            self.score += points
            if points >> self.max_exponent > 1:  # no larger tile is made with less
                self.max_exponent = self.board.max_exponent
        if empties == 1 or moves == self._moves_max:
            self._end()
        return points

    def _end(self) -> None:
        """Looks whether the game, whose board is full or whose deck is used up, is stuck."""
        self.deck_used_up = self.moves == self._moves_max
        lines = self._rows or self._columns
        self.stuck = self.deck_used_up or (nothing_moves(lines) and nothing_moves(self._grid.crossed(lines)))


def replay(size: int, deck: Deck, directions: Iterable[Direction]) -> Game:
    """The game after these moves.

    Raises:
        IllegalMove: one of them is illegal.
        LinkMissing: the deck does not reach so far yet.
    """
    game = Game(size, deck)
    move = game.move
    for direction in directions:
        if move(direction) is None:
            raise IllegalMove(game.moves + 1, Direction(direction), game.board)
    return game
