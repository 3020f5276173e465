"""How strong a computer player is, and its thinking: the solver's search in slices, so that it holds nothing up.

Owns the named levels. Refuses to know when a move is due and everything else about a race; that is bot.py's.

All boards of a race get the same tiles, so two who choose alike would have boards alike: each seat opens in its own
way, takes another one of moves that are worth nearly the same, and slips at other moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from engine.board import Board, Direction
from engine.solver import QUICK_NODES, Search

SLICE_NODES = 8  # a millisecond on 4×4, some more on 8×8: many players share one thread
NEARLY = 200.0  # of worth, in which an empty cell is about 900

OPENING_TILES = 3  # with so few a board is as good as another


@dataclass(frozen=True, slots=True)
class Level:
    """A strength: how many nodes the solver looks at for a move, and how many of a hundred moves are slips.

    Who slips makes the second best move. With 0 nodes the player looks at the boards after its moves, not at draws.
    """

    name: str
    nodes: int
    slips: int


LEVELS = (Level("beginner", 0, 50), Level("casual", 0, 15), Level("skilled", 0, 0), Level("master", QUICK_NODES, 0))
LEVELS_BY_NAME = {level.name: level for level in LEVELS}


class Thought:
    """What a player of a level makes of one board, thought out bit by bit."""

    def __init__(self, board: Board, level: Level, seat: int) -> None:
        self.board = board
        self._level = level
        self._seat = seat
        self._search = Search(board, level.nodes)

    def go_on(self) -> bool:
        """Thinks for a moment; returns whether the move is found."""
        return self._search.step(SLICE_NODES)

    @property
    def move(self) -> Direction | None:
        """The move, once it is found; None if there is no legal one."""
        values = self._search.values
        ranked = sorted(values, key=values.__getitem__, reverse=True)
        if len(ranked) < 2:
            return ranked[0] if ranked else None
        lot = crc32(self.board.cells, self._seat)
        if lot % 100 < self._level.slips:
            return ranked[1]
        opening = len(self.board.cells) - self.board.empties <= OPENING_TILES
        near = [way for way in ranked if opening or values[way] >= values[ranked[0]] - NEARLY]
        return near[lot // 100 % len(near)]
