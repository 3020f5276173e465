"""Motions: where a slide takes every tile, for a screen that animates it.

Knows no rule of its own: it reads the motions off the boards before and after the slide. Read on in board.py.
"""

from dataclasses import dataclass

from .board import Board, Direction


@dataclass(frozen=True, slots=True)
class Motion:
    """A tile's way from one cell to another, maybe the same; cells count row by row from the top left."""

    start: int
    end: int
    exponent: int  # before a merge
    merged: bool


def motions(board: Board, direction: Direction) -> tuple[Motion, ...]:
    """A motion for every tile on the board, those in front first; none when the move is illegal."""
    slid = board.slide(direction)
    if slid is None:
        return ()
    before, after = board.cells, slid[0].cells
    return tuple([motion for lane in _lanes(board.size, direction) for motion in _motions_in_lane(before, after, lane)])


def _lanes(size: int, direction: Direction) -> list[range]:
    """The cells of each line, from the edge pushed to."""
    if direction in (Direction.LEFT, Direction.RIGHT):
        lanes = [range(size * i, size * i + size) for i in range(size)]
    else:
        lanes = [range(i, size * size, size) for i in range(size)]
    return [lane[::-1] for lane in lanes] if direction in (Direction.RIGHT, Direction.DOWN) else lanes


def _motions_in_lane(before: bytes, after: bytes, lane: range) -> list[Motion]:
    """What is on a cell afterwards is the next tile, or else was made of the next two."""
    tiles = iter([cell for cell in lane if before[cell]])
    found = []
    for end in lane:
        if not after[end]:
            break
        start = next(tiles)
        merged = after[end] != before[start]
        found.append(Motion(start, end, before[start], merged))
        if merged:
            found.append(Motion(next(tiles), end, before[start], merged))
    return found
