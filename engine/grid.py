"""Grids: what a push, a spawn and a change between rows and columns make of the n lines of a board (deal.md 1.3).

Owns where a tile spawns. Refuses to know boards, moves and directions. Read on in board.py; lines.py is below it.

A slide leaves a board of rows or of columns, whichever it ran along; the other ones are made when they are wanted,
which is the dearest part of a move. `Grid` is for every size; `GridOfFour` is the same for the size most played,
written out.
"""

from operator import itemgetter
from typing import Final

from .lines import LINES, TREE, Lines, plant

PICKS_MAX: Final = 16_384
_FULL: Final = "no empty cell for a tile to spawn in"


class Grid:
    """The lines of a board of one size, rows or columns."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._strides = itemgetter(*(slice(i, None, size) for i in range(size)))
        bits = [1 << i for i in reversed(range(size))]
        self._gaps = [bytes([j for j, bit in enumerate(bits) if row & bit]) for row in range(1 << size)]
        # by direction: up, right, down, left
        self.pushes: Final = (self.push_to_start, self.push_to_end, self.push_to_end, self.push_to_start)

    def crossed(self, lines: Lines) -> Lines:
        """The columns when lines are rows, the rows when they are columns."""
        cells = b""
        for line in lines:
            cells += line.cells  # so few that it is faster than join
        crossed: Lines = itemgetter(*self._strides(cells))(LINES)  # faster than asking for one after the other
        return crossed

    def push_to_start(self, lines: Lines) -> tuple[Lines, int] | None:
        """The lines after a push to their first cells, and the points; None if nothing moves."""
        pushed = []
        points = 0
        moved = False
        for line in lines:
            after = line.to_start or line.push_to_start()
            if after is not line:
                moved = True
                points += line.start_points
            pushed.append(after)
        return (tuple(pushed), points) if moved else None

    def push_to_end(self, lines: Lines) -> tuple[Lines, int] | None:
        """The lines after a push to their last cells, and the points; None if nothing moves."""
        pushed = []
        points = 0
        moved = False
        for line in lines:
            after = line.to_end or line.push_to_end()
            if after is not line:
                moved = True
                points += line.end_points
            pushed.append(after)
        return (tuple(pushed), points) if moved else None

    def spawn_in_rows(self, rows: Lines, exponent: int, lot: int) -> tuple[Lines, int]:
        """The rows with one more tile where the lot puts it, and how many cells were empty before.

        Raises:
            ValueError: none was.
        """
        left = 0
        for row in rows:
            left += row.empties
        if not left:
            raise ValueError(_FULL)
        gap = lot * left >> 64
        i = 0
        row = rows[0]
        while gap >= row.empties:
            gap -= row.empties
            i += 1
            row = rows[i]
        tile = 2 * row.gaps[gap] + exponent - 1
        grown = list(rows)
        grown[i] = row.grown[tile] or row.grow(tile)
        return tuple(grown), left

    def spawn_in_columns(self, columns: Lines, exponent: int, lot: int) -> tuple[Lines, int]:
        """The same, of columns; the empty cells are still counted row by row."""
        shape = 0
        for column in columns:
            shape += shape + column.shape  # in the end a byte for each row, with a bit for each empty cell
        left = shape.bit_count()
        if not left:
            raise ValueError(_FULL)
        gap = lot * left >> 64
        rows = shape.to_bytes(self._size, "big")
        i = 0
        gaps = self._gaps[rows[0]]
        while gap >= len(gaps):
            gap -= len(gaps)
            i += 1
            gaps = self._gaps[rows[i]]
        j = gaps[gap]
        tile = 2 * i + exponent - 1
        grown = list(columns)
        grown[j] = columns[j].grown[tile] or columns[j].grow(tile)
        return tuple(grown), left


class GridOfFour(Grid):
    """The same for four lines, written out."""

    def crossed(self, lines: Lines) -> Lines:
        """The columns when lines are rows, the rows when they are columns."""
        a, b, c, d = lines
        a0, a1, a2, a3 = a.four
        b0, b1, b2, b3 = b.four
        c0, c1, c2, c3 = c.four
        d0, d1, d2, d3 = d.four
        try:
            return (
                TREE[a0][b0][c0][d0] or plant(a0, b0, c0, d0),
                TREE[a1][b1][c1][d1] or plant(a1, b1, c1, d1),
                TREE[a2][b2][c2][d2] or plant(a2, b2, c2, d2),
                TREE[a3][b3][c3][d3] or plant(a3, b3, c3, d3),
            )
        except IndexError:  # a tile that no game on this size makes
            return super().crossed(lines)

    def push_to_start(self, lines: Lines) -> tuple[Lines, int] | None:
        """The lines after a push to their first cells, and the points; None if nothing moves."""
        a, b, c, d = lines
        w = a.to_start or a.push_to_start()
        x = b.to_start or b.push_to_start()
        y = c.to_start or c.push_to_start()
        z = d.to_start or d.push_to_start()
        if w is a and x is b and y is c and z is d:
            return None
        return (w, x, y, z), a.start_points + b.start_points + c.start_points + d.start_points

    def push_to_end(self, lines: Lines) -> tuple[Lines, int] | None:
        """The lines after a push to their last cells, and the points; None if nothing moves."""
        a, b, c, d = lines
        w = a.to_end or a.push_to_end()
        x = b.to_end or b.push_to_end()
        y = c.to_end or c.push_to_end()
        z = d.to_end or d.push_to_end()
        if w is a and x is b and y is c and z is d:
            return None
        return (w, x, y, z), a.end_points + b.end_points + c.end_points + d.end_points

    def spawn_in_rows(self, rows: Lines, exponent: int, lot: int) -> tuple[Lines, int]:
        """The rows with one more tile where the lot puts it, and how many cells were empty before.

        Raises:
            ValueError: none was.
        """
        a, b, c, d = rows
        left = a.empties + b.empties + c.empties + d.empties
        if not left:
            raise ValueError(_FULL)
        gap = lot * left >> 64
        if gap < a.empties:
            tile = 2 * a.gaps[gap] + exponent - 1
            return (a.grown[tile] or a.grow(tile), b, c, d), left
        gap -= a.empties
        if gap < b.empties:
            tile = 2 * b.gaps[gap] + exponent - 1
            return (a, b.grown[tile] or b.grow(tile), c, d), left
        gap -= b.empties
        if gap < c.empties:
            tile = 2 * c.gaps[gap] + exponent - 1
            return (a, b, c.grown[tile] or c.grow(tile), d), left
        tile = 2 * d.gaps[gap - c.empties] + exponent - 1
        return (a, b, c, d.grown[tile] or d.grow(tile)), left

    def spawn_in_columns(self, columns: Lines, exponent: int, lot: int) -> tuple[Lines, int]:
        """The same, of columns; the empty cells are still counted row by row."""
        a, b, c, d = columns
        picks = _PICKS[a.gaps, b.gaps, c.gaps, d.gaps]
        left = len(picks)
        if not left:
            raise ValueError(_FULL)
        j, tile = picks[lot * left >> 64]
        tile += exponent - 1
        if j == 0:
            return (a.grown[tile] or a.grow(tile), b, c, d), left
        if j == 1:
            return (a, b.grown[tile] or b.grow(tile), c, d), left
        if j == 2:
            return (a, b, c.grown[tile] or c.grow(tile), d), left
        return (a, b, c, d.grown[tile] or d.grow(tile)), left


class _PickStore(dict[tuple[bytes, bytes, bytes, bytes], tuple[tuple[int, int], ...]]):
    """The empty cells of four columns in row order, by the columns' `gaps`: column, and 2·row."""

    def __missing__(self, gaps: tuple[bytes, bytes, bytes, bytes]) -> tuple[tuple[int, int], ...]:
        if len(self) >= PICKS_MAX:
            self.clear()
        picks = self[gaps] = tuple([(j, 2 * i) for i in range(4) for j in range(4) if i in gaps[j]])
        return picks


_PICKS: Final = _PickStore()
GRIDS: Final = {3: Grid(3), 4: GridOfFour(4), 5: Grid(5), 6: Grid(6), 8: Grid(8)}


def nothing_moves(lines: Lines) -> bool:
    """Whether no push along the lines moves or merges a tile."""
    for line in lines:
        if (line.to_start or line.push_to_start()) is not line or (line.to_end or line.push_to_end()) is not line:
            return False
    return True
