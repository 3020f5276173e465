"""What a slid 3×3 board promises: prospect.py for the one size whose worth is taught, since it is no sum over lines.

Owns the tables that make this fast. Refuses to know how far ahead one looks, and what a board is worth: that is
parts.py. Read on in solver.py.

Lines are numbers as in prospect.py. The cells of three lines come together in one number, in which the lines across
stand one after the other. A board's worth is looked up in six places: two edges, each with the middle row beside it,
which are two squares and a row, and the four other lines.

All tables are bounded, and emptied when they are full; what they hold depends on nothing but the line or board.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from .lines import line_of
from .parts import UNITS_PER_MOVE, line_place, square_place, taught_table
from .prospect import BITS, STUCK, Codes, code_of, grown

_LINE: Final = 3 * BITS
_CODE: Final = (1 << _LINE) - 1
_CELL: Final = (1 << BITS) - 1
_LINES_MAX: Final = 16_384
_HALVES_MAX: Final = 65_536
_BOARDS_MAX: Final = 32_768
_MOVE: Final = 1_000  # in worth
_SCALE: Final = _MOVE // UNITS_PER_MOVE
_DRAWS: Final = ((1, 9), (2, 1))

# A line after a push to its start, its cells apart, the same after a push to its end, and where its gaps are.
_Pushes: TypeAlias = tuple[int, int, int, int, tuple[int, ...]]


def _cells(code: int) -> tuple[int, int, int]:
    return code & _CELL, code >> BITS & _CELL, code >> 2 * BITS


def _apart(code: int) -> int:
    """The line's cells, each as the first of a line across."""
    return sum([cell << _LINE * j for j, cell in enumerate(_cells(code))])


def _edge(code: int) -> int:
    """What a line at the edge adds to the worth of a board."""
    return taught_table()[line_place(_cells(code), inside=False)]


def _inside(code: int) -> int:
    """What a line through the middle adds to it."""
    return taught_table()[line_place(_cells(code), inside=True)]


def _half(codes: int) -> int:
    """What a row at the edge adds, and the two squares that it has with the middle row, whose code is the higher."""
    edge, middle = _cells(codes & _CODE), _cells(codes >> _LINE)
    table = taught_table()
    left = table[square_place(edge[0], edge[1], middle[0], middle[1])]
    right = table[square_place(edge[2], edge[1], middle[2], middle[1])]
    return _edge(codes & _CODE) + left + right


class _Store(dict[int, int]):
    """What a function finds."""

    def __init__(self, find: Callable[[int], int], entries_max: int) -> None:
        super().__init__()
        self._find = find
        self._entries_max = entries_max

    def __missing__(self, code: int) -> int:
        if len(self) >= self._entries_max:
            self.clear()
        found = self[code] = self._find(code)
        return found


class _PushStore(dict[int, _Pushes]):
    """What pushes make of a line, by its code."""

    def __missing__(self, code: int) -> _Pushes:
        if len(self) >= _LINES_MAX:
            self.clear()
        line = line_of(bytes(_cells(code)))
        start, end = code_of(line.push_to_start().cells), code_of(line.push_to_end().cells)
        pushes = self[code] = (start, _apart(start), end, _apart(end), tuple(line.gaps))
        return pushes


class ProspectOfThree:
    """The tables for 3×3 boards."""

    def __init__(self) -> None:
        self.move_worth = _MOVE
        self.cell_worth = 4.5 * _MOVE  # the mean over the choices of 60 games
        self.game_worth = 100.0 * _MOVE  # the mean over their boards
        self._pushes = _PushStore()
        self._edges = _Store(_edge, _LINES_MAX)
        self._insides = _Store(_inside, _LINES_MAX)
        self._halves = _Store(_half, _HALVES_MAX)
        self._best: dict[Codes, int] = {}  # by the rows of boards on which a tile was just dealt

    @property
    def lines_kept(self) -> int:
        """How many entries all its tables have."""
        return len(self._pushes) + len(self._edges) + len(self._insides) + len(self._halves) + len(self._best)

    def slides(self, rows: Codes, columns: Codes) -> list[tuple[int, Codes, Codes]]:
        """The legal moves: direction, and rows and columns after the slide."""
        up, down = self._pushed(columns)
        left, right = self._pushed(rows)
        found = [(0, up[1], up[0])] if up[0] != columns else []
        if right[0] != rows:
            found.append((1, *right))
        if down[0] != columns:
            found.append((2, down[1], down[0]))
        if left[0] != rows:
            found.append((3, *left))
        return found

    def gaps(self, rows: Codes) -> list[tuple[int, int]]:
        """Row and column of every empty cell."""
        return [(i, j) for i, row in enumerate(rows) for j in self._pushes[row][4]]

    def worth(self, rows: Codes, columns: Codes) -> int:
        """What a slid board is worth as it is: 1,000 for every further move that is expected."""
        a, b, c = rows
        p, q, r = columns
        middle = b << _LINE
        halves, edges = self._halves, self._edges
        worth = halves[middle | a] + halves[middle | c] + self._insides[b] + edges[p] + self._insides[q] + edges[r]
        return _SCALE * worth if worth > 0 else 0

    def mean(self, rows: Codes, columns: Codes) -> float:
        """What a slid board promises."""
        gaps = self.gaps(rows)
        known = self._best
        total = 0
        for i, j in gaps:
            for exponent, weight in _DRAWS:
                dealt = grown(rows, i, j, exponent)
                best = known.get(dealt)
                total += weight * (self._find_best(dealt, grown(columns, j, i, exponent)) if best is None else best)
        return total / (10 * len(gaps))

    def _find_best(self, rows: Codes, columns: Codes) -> int:
        """What the best move on this board is worth, together with the board that it makes."""
        if len(self._best) >= _BOARDS_MAX:
            self._best.clear()
        best = STUCK
        for lines in (rows, columns):
            for pushed, across in self._pushed(lines):
                if pushed != lines:
                    worth = _MOVE + self.worth(pushed, across)  # the same if these are the columns and those the rows
                    if worth > best:
                        best = worth
        self._best[rows] = best
        return best

    def _pushed(self, lines: Codes) -> tuple[tuple[Codes, Codes], tuple[Codes, Codes]]:
        """The lines after a push to their starts and the lines across them, and the same after one to their ends."""
        known = self._pushes
        a, b, c = lines
        a_start, a_apart, a_end, a_last, _ = known[a]
        b_start, b_apart, b_end, b_last, _ = known[b]
        c_start, c_apart, c_end, c_last, _ = known[c]
        start = a_apart + (b_apart << BITS) + (c_apart << 2 * BITS)
        end = a_last + (b_last << BITS) + (c_last << 2 * BITS)
        return (
            ((a_start, b_start, c_start), (start & _CODE, start >> _LINE & _CODE, start >> 2 * _LINE)),
            ((a_end, b_end, c_end), (end & _CODE, end >> _LINE & _CODE, end >> 2 * _LINE)),
        )
