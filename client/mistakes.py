"""Which of the four classic mistakes a bad move was.

Pure. That it was a bad move, and which would have been better, is known already (coaching.py asks the solver); here is
only what a player can learn from it. What is seen on a board is board_sights.py's.
"""

from __future__ import annotations

from enum import Enum

from engine.board import Board, Direction

from .board_sights import boxed_in, hold_after, is_nearly_full, points, slid

HURRY_MS = 1_000  # a second look takes longer


class Mistake(Enum):
    """The four mistakes."""

    DIRECTIONS = "directions"  # all four used freely: away from the corner where the largest tile stands
    BOXED = "boxed"  # a small tile shut in among large ones
    MERGES = "merges"  # chasing every merge
    HURRY = "hurry"  # on a nearly full board


def mistake_of(board: Board, made: Direction, best: Direction, think_ms: int | None = None) -> Mistake | None:
    """Returns which mistake it was to push this way and not the best one; None if it was none of them.

    `think_ms`: how long the board was looked at, None if nobody knows. What the board shows counts before haste: haste
    is the mistake where the tiles tell nothing else.
    """
    if hold_after(board, made) > hold_after(board, best):
        return Mistake.DIRECTIONS
    shut_in = len(boxed_in(slid(board, made)))
    if shut_in > max(len(boxed_in(slid(board, best))), len(boxed_in(board))):
        return Mistake.BOXED
    if points(board, made) > points(board, best):
        return Mistake.MERGES
    if think_ms is not None and think_ms < HURRY_MS and is_nearly_full(board):
        return Mistake.HURRY
    return None
