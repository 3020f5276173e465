"""What every screen that is measured plays and shows: the same games, and tiles of the same colours."""

from collections.abc import Iterator

from client.tui.palette import CLASSIC, Depth
from client.tui.tiles import face
from engine.board import Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game

BESIDE = "#a89a8b"  # between tiles


class Play:
    """A game in which every key is a legal move; it starts anew when it is stuck."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.games = 0
        self.game = self._deal()

    def _deal(self) -> Game:
        self.games += 1
        return Game(self.size, SoloDeck(seed_of_text(f"bench/screen/{self.size}/{self.games}")))

    def push(self, direction: Direction) -> None:
        if self.game.move(direction) is None:
            self.game.move(self.game.board.legal_directions()[0])
        if self.game.stuck:
            self.game = self._deal()


def cells_of_tiles(board: Board) -> Iterator[list[tuple[str, str, str]]]:
    """The rows of a board as text, its colour and its ground, tiles as large as on our screen."""
    palette = CLASSIC[Depth.TRUE]
    width, height = (8, 3) if board.size <= 4 else (5, 2)
    for row in range(board.size):
        cells = board.cells[row * board.size : (row + 1) * board.size]
        for line in range(height):
            shown: list[tuple[str, str, str]] = []
            for exponent in cells:
                ink = palette.tile(exponent).face
                text = face(exponent, width) if exponent and line == (height - 1) // 2 else ""
                shown += [(text.center(width), ink.text, ink.ground), ("  ", BESIDE, BESIDE)]
            yield shown
