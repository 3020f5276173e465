"""What a player sees on a board: the anchored corner, what a push merges, room, equal neighbours, small tiles shut in.

Owns what these words mean. Refuses to know what a board is worth, which is the solver's business, and says nothing to
persons. Read on in mistakes.py and coaching.py.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from itertools import groupby, pairwise

from engine.board import Board, Direction

ANCHOR_EXPONENT_MIN = 4  # below 16 nobody minds where the largest tile is
MUCH_LARGER = 3  # exponents: eight times as large, so three merges away


def corners(size: int) -> tuple[int, int, int, int]:
    """Returns the places of the corners, row by row."""
    return 0, size - 1, size * (size - 1), size * size - 1


def anchors(board: Board) -> frozenset[int]:
    """Returns the corners in which a tile stands that is the largest; none while the largest is small."""
    largest = board.max_exponent
    if largest < ANCHOR_EXPONENT_MIN:
        return frozenset()
    cells = board.cells
    return frozenset(corner for corner in corners(board.size) if cells[corner] == largest)


def slid(board: Board, direction: Direction) -> Board:
    """Returns the board after a push that is a legal move, before the new tile."""
    found = board.slide(direction)
    assert found is not None, "the move is legal"
    return found[0]


class Hold(IntEnum):
    """What becomes of the largest tile in its corner when the tiles are pushed; the higher, the worse."""

    KEPT = 0  # or there was none to keep, or two of the largest became one that stands in a corner again
    OPENED = 1  # it stays, but the full edge that it stands at has a gap now
    LOST = 2  # it stands in no corner that it stood in


def hold_after(board: Board, direction: Direction) -> Hold:
    """Returns what a legal push does to the anchored corner."""
    held = anchors(board)
    after = slid(board, direction)
    if not held or (after.max_exponent > board.max_exponent and anchors(after)):
        return Hold.KEPT
    if all(after.cells[corner] < board.max_exponent for corner in held):
        return Hold.LOST
    opened = all(_opens_edge(board, after, corner, direction) for corner in held)
    return Hold.OPENED if opened else Hold.KEPT


def _opens_edge(board: Board, after: Board, corner: int, direction: Direction) -> bool:
    """Returns whether the edge from which this push goes away ran through the corner, was full, and is not any more."""
    size = board.size
    row, column = divmod(corner, size)
    edges = {
        Direction.UP: (row == size - 1, range(size * (size - 1), size * size)),
        Direction.DOWN: (row == 0, range(size)),
        Direction.LEFT: (column == size - 1, range(size - 1, size * size, size)),
        Direction.RIGHT: (column == 0, range(0, size * size, size)),
    }
    runs, edge = edges[direction]
    return runs and all(board.cells[cell] for cell in edge) and not all(after.cells[cell] for cell in edge)


def merged(board: Board, direction: Direction) -> tuple[int, ...]:
    """Returns the exponents of the pairs that a push merges, the largest first."""
    pairs = []
    for line in _lines(board, direction):
        for exponent, run in groupby(cell for cell in line if cell):
            pairs += [exponent] * (len(list(run)) // 2)
    return tuple(sorted(pairs, reverse=True))


def _lines(board: Board, direction: Direction) -> list[bytes]:
    cells, size = board.cells, board.size
    if direction & 1:
        return [cells[start : start + size] for start in range(0, size * size, size)]
    return [cells[column::size] for column in range(size)]


def points(board: Board, direction: Direction) -> int:
    """Returns the points of a push, 0 of one that is no legal move."""
    found = board.slide(direction)
    return 0 if found is None else found[1]


def largest_pair(board: Board) -> int:
    """Returns the exponent of the largest two equal tiles that touch, 0 if there are none."""
    cells, size = board.cells, board.size
    across = zip(cells, cells[size:], strict=False)
    beside = pairwise(cells)
    touching = [*across, *(pair for place, pair in enumerate(beside, 1) if place % size)]
    return max((one for one, other in touching if one == other), default=0)


def lines_in_order(board: Board) -> int:
    """Returns how many rows and columns have two tiles or more that only rise or only fall, gaps or not."""
    lines = [bytes(filter(None, line)) for way in (Direction.LEFT, Direction.UP) for line in _lines(board, way)]
    ordered = (bytes(sorted(line)) in (line, line[::-1]) for line in lines if len(line) > 1)
    return sum(ordered)


@lru_cache(maxsize=512)
def _neighbours(size: int, cell: int) -> tuple[int, ...]:
    row, column = divmod(cell, size)
    places = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
    return tuple(size * y + x for y, x in places if 0 <= y < size and 0 <= x < size)


def boxed_in(board: Board) -> frozenset[int]:
    """Returns where a small tile is shut in: every neighbour is a tile of at least eight times its value.

    The last empty cell counts too if a 2 would be shut in there: that is where the next tile comes.
    """
    cells, size = board.cells, board.size
    last_gap = board.empties == 1
    found = []
    for cell, exponent in enumerate(cells):
        least = (exponent or 1) + MUCH_LARGER
        if (exponent or last_gap) and all(cells[other] >= least for other in _neighbours(size, cell)):
            found.append(cell)
    return frozenset(found)


def is_nearly_full(board: Board) -> bool:
    """Returns whether at most an eighth of the cells is empty: two of sixteen."""
    return 8 * board.empties <= len(board.cells)
