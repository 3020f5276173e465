"""One player's game: a board, a deck and the moves made (rules 1, 4.10).

Owns score, moves, and when a game is stuck. Refuses to know time, other players, targets and undo.
Read on in race.py; board.py and deck.py are what this stands on.
"""

from collections.abc import Iterable
from typing import Final

from .board import Board, Direction
from .deck import Deck


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

    __slots__ = ("_deck", "board", "deck_used_up", "fours", "moves", "score", "stuck")

    def __init__(self, size: int, deck: Deck) -> None:
        first, second = deck.draw(0), deck.draw(1)
        self._deck = deck
        self.board = Board.empty(size).spawn(*first).spawn(*second)
        self.score = 0
        self.moves = 0
        self.fours = (first.exponent == 2) + (second.exponent == 2)
        self.stuck = False  # two tiles never fill a board
        self.deck_used_up = False  # the reason for stuck in rules 4.10

    @property
    def size(self) -> int:
        """The number of rows and of columns."""
        return self.board.size

    @property
    def max_exponent(self) -> int:
        """The exponent of the max tile."""
        return self.board.max_exponent

    def move(self, direction: Direction) -> int | None:
        """Makes a move and returns its points; None, and nothing has changed, if it is illegal (rules 1.4).

        Raises:
            LinkMissing: the move is legal, but the draw after it is not known yet; nothing has changed.
        """
        slid = None if self.stuck else self.board.slide(direction)
        if slid is None:
            return None
        board, points = slid
        exponent, lot = self._deck.draw(self.moves + 2)
        self.board = board = board.spawn(exponent, lot)
        self.score += points
        self.moves += 1
        self.fours += exponent == 2
        self.deck_used_up = self.moves + 2 == self._deck.draw_count
        self.stuck = self.deck_used_up or board.stuck
        return points


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
