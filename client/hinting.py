"""The solver's word on the board that is shown, thought out in slices so that no key waits for it.

Pure. Who shows a screen calls `go_on` once a turn of its loop, and drops the thought when the board has changed.
"""

from __future__ import annotations

from engine.board import Board, Direction
from engine.solver import HINT_NODES, Search

from .coaching import Why, reasons

SLICE_NODES = 1  # and what comes with it, eight at first and then four at most: some ms on 8×8


class Thought:
    """What the solver makes of one board, as `race2048 hint` would, bit by bit."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.search = Search(board, HINT_NODES)

    @property
    def done(self) -> bool:
        """Whether all is known that will be."""
        return self.search.done

    def go_on(self) -> bool:
        """Thinks for a moment; returns whether it is done."""
        return self.search.step(SLICE_NODES)

    @property
    def move(self) -> Direction | None:
        """The best move, once it is found; None if there is no legal one."""
        return self.search.best if self.done else None

    @property
    def why(self) -> tuple[Why, ...]:
        """What speaks for it, once it is found."""
        move = self.move
        return () if move is None else reasons(self.board, move, self.search.values, self.search.depth)
