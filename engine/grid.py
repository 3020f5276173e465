"""Grids: what a push, a spawn and a change between rows and columns make of the n lines of a board (deal.md 1.3).

Owns where a tile spawns. Refuses to know boards, moves and directions. Read on in board.py; lines.py is below it.

A slide leaves a board of rows or of columns, whichever it ran along; the other ones are made when they are wanted,
which is the dearest part of a move. `Grid` is for every size; `GridOfThree` and `GridOfFour` are the same written out
where that gains most: so few lines cost less than a loop over them, and four are the size most played.
"""

from operator import itemgetter
from typing import Final, TypeAlias

from .lines import TREE, Lines, line_of, plant

PICKS_MAX: Final = 16_384
Slid: TypeAlias = tuple[Lines, int, int]  # a list of its own of the lines, the points, and how many cells are empty


class Grid:
    """The lines of a board of one size, rows or columns."""

    def __init__(self, size: int) -> None:
        self._strides = itemgetter(*(slice(i, None, size) for i in range(size)))
        # by direction: up, right, down, left
        self.pushes: Final = (self.push_to_start, self.push_to_end, self.push_to_end, self.push_to_start)

    def crossed(self, lines: Lines) -> Lines:
        """The columns when lines are rows, the rows when they are columns."""
        cells = b""
        for line in lines:
            cells += line.cells  # so few that it is faster than join
        return list(map(line_of, self._strides(cells)))

    def push_to_start(self, lines: Lines) -> Slid | None:
        """What a push to their first cells makes of the lines; None if nothing moves."""
        pushed = []
        points = empties = 0
        for line in lines:
            after = line.to_start or line.push_to_start()
            pushed.append(after)
            points += line.start_points
            empties += after.empties
        return None if pushed == lines else (pushed, points, empties)

    def push_to_end(self, lines: Lines) -> Slid | None:
        """What a push to their last cells makes of the lines; None if nothing moves."""
        pushed = []
        points = empties = 0
        for line in lines:
            after = line.to_end or line.push_to_end()
            pushed.append(after)
            points += line.end_points
            empties += after.empties
        return None if pushed == lines else (pushed, points, empties)

    def spawn_in_rows(self, rows: Lines, empties: int, exponent: int, lot: int) -> None:
        """Puts a tile where the lot says, which is in one of so many empty cells; at least one there must be."""
        gap = lot * empties >> 64
        i = 0
        row = rows[0]
        while gap >= row.empties:
            gap -= row.empties
            i += 1
            row = rows[i]
        tile = 2 * row.gaps[gap] + exponent - 1
        rows[i] = row.grown[tile] or row.grow(tile)

    def spawn_in_columns(self, columns: Lines, empties: int, exponent: int, lot: int) -> None:
        """The same, of columns; the empty cells are still counted row by row."""
        gap = lot * empties >> 64
        counts = 0  # of the empty cells in each row, a hexadecimal digit each
        for column in columns:
            counts += column.shape
        i = 0
        while gap >= counts & 15:
            gap -= counts & 15
            counts >>= 4
            i += 1
        j = 0
        column = columns[0]
        while gap or column.cells[i]:
            if not column.cells[i]:
                gap -= 1
            j += 1
            column = columns[j]
        tile = 2 * i + exponent - 1
        columns[j] = column.grown[tile] or column.grow(tile)


class GridOfThree(Grid):
    """The same for three lines, written out."""

    def crossed(self, lines: Lines) -> Lines:
        """The columns when lines are rows, the rows when they are columns."""
        a, b, c = lines
        cells = a.cells + b.cells + c.cells
        return [line_of(cells[::3]), line_of(cells[1::3]), line_of(cells[2::3])]

    def push_to_start(self, lines: Lines) -> Slid | None:
        """What a push to their first cells makes of the lines; None if nothing moves."""
        a, b, c = lines
        x = a.to_start or a.push_to_start()
        y = b.to_start or b.push_to_start()
        z = c.to_start or c.push_to_start()
        if x is a and y is b and z is c:
            return None
        points = a.start_points + b.start_points + c.start_points
        return [x, y, z], points, x.empties + y.empties + z.empties

    def push_to_end(self, lines: Lines) -> Slid | None:
        """What a push to their last cells makes of the lines; None if nothing moves."""
        a, b, c = lines
        x = a.to_end or a.push_to_end()
        y = b.to_end or b.push_to_end()
        z = c.to_end or c.push_to_end()
        if x is a and y is b and z is c:
            return None
        points = a.end_points + b.end_points + c.end_points
        return [x, y, z], points, x.empties + y.empties + z.empties


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
            return [
                TREE[a0][b0][c0][d0] or plant(a0, b0, c0, d0),
                TREE[a1][b1][c1][d1] or plant(a1, b1, c1, d1),
                TREE[a2][b2][c2][d2] or plant(a2, b2, c2, d2),
                TREE[a3][b3][c3][d3] or plant(a3, b3, c3, d3),
            ]
        except IndexError:  # a tile that no game on this size makes
            return super().crossed(lines)

    def push_to_start(self, lines: Lines) -> Slid | None:
        """What a push to their first cells makes of the lines; None if nothing moves."""
        a, b, c, d = lines
        w = a.to_start or a.push_to_start()
        x = b.to_start or b.push_to_start()
        y = c.to_start or c.push_to_start()
        z = d.to_start or d.push_to_start()
        if w is a and x is b and y is c and z is d:
            return None
        points = a.start_points + b.start_points + c.start_points + d.start_points
        return [w, x, y, z], points, w.empties + x.empties + y.empties + z.empties

    def push_to_end(self, lines: Lines) -> Slid | None:
        """What a push to their last cells makes of the lines; None if nothing moves."""
        a, b, c, d = lines
        w = a.to_end or a.push_to_end()
        x = b.to_end or b.push_to_end()
        y = c.to_end or c.push_to_end()
        z = d.to_end or d.push_to_end()
        if w is a and x is b and y is c and z is d:
            return None
        points = a.end_points + b.end_points + c.end_points + d.end_points
        return [w, x, y, z], points, w.empties + x.empties + y.empties + z.empties

    def spawn_in_columns(self, columns: Lines, empties: int, exponent: int, lot: int) -> None:
        """Puts a tile where the lot says; the empty cells are counted row by row."""
        a, b, c, d = columns
        i, j = _PICKS[a.shape, b.shape, c.shape, d.shape][lot * empties >> 64]
        tile = 2 * i + exponent - 1
        columns[j] = columns[j].grown[tile] or columns[j].grow(tile)


class _PickStore(dict[tuple[int, int, int, int], tuple[tuple[int, int], ...]]):
    """The row and the column of each empty cell of four columns, row by row, by the columns' `shape`."""

    def __missing__(self, shapes: tuple[int, int, int, int]) -> tuple[tuple[int, int], ...]:
        if len(self) >= PICKS_MAX:
            self.clear()
        picks = self[shapes] = tuple([(i, j) for i in range(4) for j in range(4) if shapes[j] >> 4 * i & 1])
        return picks


_PICKS: Final = _PickStore()
GRIDS: Final = {3: GridOfThree(3), 4: GridOfFour(4), 5: Grid(5), 6: Grid(6), 8: Grid(8)}


def nothing_moves(lines: Lines) -> bool:
    """Whether no push along the lines moves or merges a tile."""
    for line in lines:
        if (line.to_start or line.push_to_start()) is not line or (line.to_end or line.push_to_end()) is not line:
            return False
    return True
