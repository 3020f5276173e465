"""Lines: the rows and columns that boards are made of, and what a push or a new tile makes of one (rules 1.3, 1.5).

Owns how tiles merge. Refuses to know boards, directions and lots. Read on in grid.py, then board.py.

Equal lines are one object, and a line remembers what it leads to, so that most of a slide is looking up. The store of
lines is bounded, and emptied when it is full: nothing may take two lines for different because they are two objects.
"""

from itertools import compress
from typing import Final, TypeAlias

LINES_MAX: Final = 65_536  # 4×4 comes to some thousands, a few games of 8×8 to 20,000
MERGES_MAX: Final = 16_384
TREE_EXPONENTS: Final = 18  # a game of 4×4 makes no exponent above 17

_GAPS: Final = b"\1" + bytes(255)  # translates cells: 1 for an empty cell


class Line:
    """A row or column. Its start is its first cell: left, top.

    Attributes:
        cells: its exponents.
        four: the same as integers if they are four, else none; the way through `TREE`.
        gaps: where its empty cells are.
        empties: how many they are.
        shape: the same as a number, a hexadecimal digit for each cell, the first cell's the lowest: 1 if it is empty.
        to_start: the line after a push to the start, itself if nothing moves; None until `push_to_start` found it.
        start_points: the points of that push, once it is known; 0 if nothing moves.
        to_end, end_points: the same of a push to the end.
        grown: the line with a tile of exponent e put at j, by 2·j + e − 1, e being 1 or 2; None until `grow` made it.
    """

    __slots__ = (
        "cells",
        "empties",
        "end_points",
        "four",
        "gaps",
        "grown",
        "shape",
        "start_points",
        "to_end",
        "to_start",
    )

    def __init__(self, cells: bytes) -> None:
        self.cells = cells
        self.four: tuple[int, ...] = tuple(cells) if len(cells) == 4 else ()
        self.gaps, self.empties, self.shape = _SHAPES[cells.translate(_GAPS)]
        self.start_points = self.end_points = 0
        self.forget()

    def forget(self) -> None:
        """Lets go of the lines it leads to, which would keep all that they lead to alive."""
        self.to_start: Line | None = None
        self.to_end: Line | None = None
        self.grown: tuple[Line | None, ...] = _NOTHING_GROWN[len(self.cells)]

    def push_to_start(self) -> "Line":
        """Works out `to_start` and `start_points`, once."""
        merged, self.start_points = _merged(self.cells.replace(b"\0", b""))
        cells = merged.ljust(len(self.cells), b"\0")
        self.to_start = pushed = self if cells == self.cells else line_of(cells)
        return pushed

    def push_to_end(self) -> "Line":
        """Works out `to_end` and `end_points`, once."""
        merged, self.end_points = _merged(self.cells.replace(b"\0", b"")[::-1])
        cells = merged.ljust(len(self.cells), b"\0")[::-1]
        self.to_end = pushed = self if cells == self.cells else line_of(cells)
        return pushed

    def grow(self, tile: int) -> "Line":
        """Works out `grown[tile]`, once."""
        j = tile // 2
        line = line_of(self.cells[:j] + (b"\2" if tile % 2 else b"\1") + self.cells[j + 1 :])
        self.grown = (*self.grown[:tile], line, *self.grown[tile + 1 :])
        return line


_NOTHING_GROWN: Final = [(None,) * (2 * cells) for cells in range(9)]  # by the cells of a line
Lines: TypeAlias = list[Line]  # rows or columns; only who made a list changes it, and no more once others have it
NO_LINES: Final[Lines] = []  # stands for rows or columns that are not made yet


class _ShapeStore(dict[bytes, tuple[tuple[int, ...], int, int]]):
    """`gaps`, `empties` and `shape` of a line, by its cells with 1 for an empty one and 0 for a tile."""

    def __missing__(self, shape: bytes) -> tuple[tuple[int, ...], int, int]:
        gaps = tuple(compress(range(len(shape)), shape))
        outcome = self[shape] = (gaps, len(gaps), sum([1 << 4 * j for j in gaps]))
        return outcome


class _LineStore(dict[bytes, Line]):
    """The one line of given cells."""

    def __missing__(self, cells: bytes) -> Line:
        if len(self) >= LINES_MAX:
            for line in tuple(self.values()):
                line.forget()
            self.clear()
            TREE[:] = [_NO_LINES_1] * TREE_EXPONENTS
        line = self[cells] = Line(cells)
        return line


class _MergeStore(dict[bytes, tuple[bytes, int]]):
    """Merged tiles and points, by the tiles of a line from the edge pushed to (rules 1.3, 1.5)."""

    def __missing__(self, tiles: bytes) -> tuple[bytes, int]:
        merged = bytearray()
        points = 0
        may_merge = False
        for exponent in tiles:
            may_merge = may_merge and merged[-1] == exponent
            if may_merge:
                merged[-1] += 1
                points += 2 << exponent
            else:
                merged.append(exponent)
            may_merge = not may_merge
        if len(self) >= MERGES_MAX:
            self.clear()
        outcome = self[tiles] = (bytes(merged), points)
        return outcome


_SHAPES: Final = _ShapeStore()  # some hundreds
LINES: Final = _LineStore()
_MERGES: Final = _MergeStore()
line_of: Final = LINES.__getitem__
_merged: Final = _MERGES.__getitem__

# Lines of four once more, by one cell after the other: lists in lists are looked through much faster than a dict of
# bytes. All branches without lines are one list per level, so that a search ends in None and makes nothing.
_NO_LINES_3: Final[list[Line | None]] = [None] * TREE_EXPONENTS
_NO_LINES_2: Final = [_NO_LINES_3] * TREE_EXPONENTS
_NO_LINES_1: Final = [_NO_LINES_2] * TREE_EXPONENTS
TREE: Final = [_NO_LINES_1] * TREE_EXPONENTS


def plant(a: int, b: int, c: int, d: int) -> Line:
    """The line of these cells, in the tree from now on.

    Raises:
        IndexError: an exponent is too large for the tree.
    """
    line = line_of(bytes((a, b, c, d)))  # first, since it may empty the tree
    if TREE[a] is _NO_LINES_1:
        TREE[a] = _NO_LINES_1.copy()
    if TREE[a][b] is _NO_LINES_2:
        TREE[a][b] = _NO_LINES_2.copy()
    if TREE[a][b][c] is _NO_LINES_3:
        TREE[a][b][c] = _NO_LINES_3.copy()
    TREE[a][b][c][d] = line
    return line
