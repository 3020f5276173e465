"""What a slid board promises: the mean over the next draws of the best that a slide can then make of it.

Owns the tables that make this fast: rows and columns as numbers, what a push makes of each, and what one more tile
would change in that. They are for every size but 3×3, which has its own in three.py. Refuses to know how far ahead one
looks. Read on in solver.py; heuristic.py says what a board is worth, lines.py how tiles merge.

A line is a number of seven bits a cell, the first cell lowest; in the sum of a board's rows, each shifted to its place
in the columns, are the columns. A new tile changes one line, and so after a push along that line it changes some cells
of the lines across and nothing else: everything but that is added up once for all draws. Tiles in neighbouring gaps
mostly come to the same and are looked at together.

All tables are bounded, and emptied when they are full; what they hold depends on nothing but the line.
"""

from functools import cache
from typing import Final, Protocol, TypeAlias

from .board import Board
from .heuristic import SCALE, WEIGHTS, Heuristic
from .lines import line_of

BITS: Final = 7
_CELL: Final = (1 << BITS) - 1
_WORTHS_MAX: Final = 131_072
_PUSHES_CELLS_MAX: Final = 65_536  # of a table of pushes: lines by cells by cells, since a line takes so much
STUCK: Final = 0

Codes: TypeAlias = tuple[int, ...]  # the rows or the columns of a board
# Tiles in one line that come to the same board: their places, what the line gains in worth, and how the lines across
# change, number and change.
Change: TypeAlias = tuple[tuple[int, ...], int, tuple[tuple[int, int], ...]]
# A push one way: whether the line moves, its worth and its code after it, its cells as parts of the lines across, the
# changes that all tiles make, and those of the tiles that let the line itself move.
Push: TypeAlias = tuple[bool, int, int, Codes, tuple[Change, ...], tuple[Change, ...]]
Pushes: TypeAlias = tuple[Push, Push, Codes]  # to the start, to the end, and the places of the gaps


class _WorthStore(dict[int, int]):
    """The worth of the i-th line, by i·2^(7n) + its code."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._heuristic = Heuristic(size)

    def __missing__(self, code: int) -> int:
        if len(self) >= _WORTHS_MAX:
            self.clear()
        cells = bytes([code >> BITS * j & _CELL for j in range(self._size)])
        worth = self[code] = self._heuristic.worth(cells, code >> BITS * self._size)
        return worth


class _PushStore(dict[int, Pushes]):
    """What pushes make of the i-th line, by its code."""

    def __init__(self, size: int, i: int, worths: _WorthStore) -> None:
        super().__init__()
        self._size = size
        self._i = i
        self._worths = worths
        self._lines_max = _PUSHES_CELLS_MAX // size**2
        # The first line brings the numbers of the lines across, for their worths.
        self._numbers = [0 if i else j << BITS * size for j in range(size)]

    def __missing__(self, code: int) -> Pushes:
        if len(self) >= self._lines_max:
            self.clear()
        cells = bytes([code >> BITS * j & _CELL for j in range(self._size)])
        gaps = tuple([self._size * self._i + j for j, cell in enumerate(cells) if not cell])
        pushes = self[code] = (self._push(cells, 0), self._push(cells, 1), gaps)
        return pushes

    def _push(self, cells: bytes, way: int) -> Push:
        pushed = _pushed(cells, way)
        worth = self._worth(pushed)
        across = tuple([(cell << BITS * self._i) + number for cell, number in zip(pushed, self._numbers, strict=True)])
        every: dict[tuple[int, bytes], list[int]] = {}
        moving: dict[tuple[int, bytes], list[int]] = {}
        for exponent in (1, 2):
            for j in [j for j, cell in enumerate(cells) if not cell]:
                grown = cells[:j] + bytes([exponent]) + cells[j + 1 :]
                after = _pushed(grown, way)
                place = self._size**2 * (exponent - 1) + self._size * self._i + j
                every.setdefault((exponent, after), []).append(place)
                if after != grown:
                    moving.setdefault((exponent, after), []).append(place)
        return (
            pushed != cells,
            worth,
            code_of(pushed),
            across,
            tuple([self._change(places, pushed, worth, after) for (_, after), places in every.items()]),
            tuple([self._change(places, pushed, worth, after) for (_, after), places in moving.items()]),
        )

    def _change(self, places: list[int], before: bytes, worth_before: int, after: bytes) -> Change:
        pairs = enumerate(zip(before, after, strict=True))
        across = tuple([(j, new - old << BITS * self._i) for j, (old, new) in pairs if old != new])
        return tuple(places), self._worth(after) - worth_before, across

    def _worth(self, cells: bytes) -> int:
        return self._worths[code_of(cells) + (self._i << BITS * self._size)]


def _pushed(cells: bytes, way: int) -> bytes:
    line = line_of(cells)
    after = (line.to_end or line.push_to_end()) if way else (line.to_start or line.push_to_start())
    return after.cells


def grown(lines: Codes, i: int, j: int, exponent: int) -> Codes:
    """The lines with one more tile in cell j of line i."""
    return (*lines[:i], lines[i] + (exponent << BITS * j), *lines[i + 1 :])


def code_of(cells: bytes) -> int:
    """The code of a line of these exponents."""
    return sum([cell << BITS * j for j, cell in enumerate(cells)])


def codes_of(board: Board) -> tuple[Codes, Codes]:
    """The rows and the columns of a board."""
    cells, size = board.cells, board.size
    rows = tuple([code_of(cells[i : i + size]) for i in range(0, size * size, size)])
    return rows, tuple([code_of(cells[j::size]) for j in range(size)])


class Prospect(Protocol):
    """What the solver asks of the tables for boards of one size.

    Attributes:
        move_worth: what a move is worth for itself, beside the board that it makes.
        cell_worth: how much more a board is worth with one more empty cell, roughly: a unit for what persons are told.
        game_worth: how much it is worth, roughly, that the game goes on.
    """

    move_worth: int
    cell_worth: float
    game_worth: float

    @property
    def lines_kept(self) -> int:
        """How many entries all its tables have."""

    def slides(self, rows: Codes, columns: Codes) -> list[tuple[int, Codes, Codes]]:
        """The legal moves: direction, and rows and columns after the slide."""

    def gaps(self, rows: Codes) -> list[tuple[int, int]]:
        """Row and column of every empty cell."""

    def worth(self, rows: Codes, columns: Codes) -> float:
        """What a slid board is worth as it is, 0 or more."""

    def mean(self, rows: Codes, columns: Codes) -> float:
        """What a slid board promises."""


class ProspectOfLines:
    """The tables for boards whose worth is the sum over their lines (heuristic.py)."""

    def __init__(self, size: int) -> None:
        self.move_worth = 0
        self.cell_worth = SCALE * 2 * (2 * WEIGHTS.edge.empty + (size - 2) * WEIGHTS.inside.empty) / size
        self.game_worth = SCALE * WEIGHTS.alive
        self._size = size
        self._worths = _WorthStore(size)
        self._stores = [_PushStore(size, i, self._worths) for i in range(size)]
        self._code = (1 << BITS * size) - 1
        self._nothing = [STUCK] * (2 * size * size)
        cross = [size * (place % size) + place // size for place in range(size * size)]
        self._cross = cross + [size * size + place for place in cross]
        self._fours = size * size

    @property
    def lines_kept(self) -> int:
        """How many entries all its tables have."""
        return len(self._worths) + sum(map(len, self._stores))

    def slides(self, rows: Codes, columns: Codes) -> list[tuple[int, Codes, Codes]]:
        """The legal moves: direction, and rows and columns after the slide."""
        found = []
        code = self._code
        above = [store[line] for store, line in zip(self._stores, columns, strict=True)]
        beside = [store[line] for store, line in zip(self._stores, rows, strict=True)]
        for direction, pushes in (
            (0, [start for start, _, _ in above]),
            (1, [end for _, end, _ in beside]),
            (2, [end for _, end, _ in above]),
            (3, [start for start, _, _ in beside]),
        ):
            for push in pushes:
                if push[0]:
                    break
            else:
                continue
            along = tuple([push[2] for push in pushes])
            across = tuple([sum(parts) & code for parts in zip(*[push[3] for push in pushes], strict=True)])
            found.append((direction, along, across) if direction & 1 else (direction, across, along))
        return found

    def gaps(self, rows: Codes) -> list[tuple[int, int]]:
        """Row and column of every empty cell."""
        size = self._size
        pushes = zip(self._stores, rows, strict=True)
        return [divmod(gap, size) for store, row in pushes for gap in store[row][2]]

    def worth(self, rows: Codes, columns: Codes) -> float:
        """What a board is worth as it is."""
        shift = BITS * self._size
        return float(
            sum([self._worths[line + (i << shift)] for lines in (rows, columns) for i, line in enumerate(lines)])
        )

    def mean(self, rows: Codes, columns: Codes) -> float:
        """What a slid board promises."""
        best = self._nothing.copy()
        self._raise_along(columns, best)
        best = [best[place] for place in self._cross]
        gaps = self._raise_along(rows, best)
        fours = self._fours
        total = 9 * sum([best[gap] for gap in gaps]) + sum([best[gap + fours] for gap in gaps])
        return total / (10 * len(gaps))

    def _raise_along(self, lines: Codes, best: list[int]) -> list[int]:
        """Raises `best` to what the two pushes along these lines make of each draw; returns where the gaps are."""
        worths = self._worths
        pushes = [store[line] for store, line in zip(self._stores, lines, strict=True)]
        for chosen in ([start for start, _, _ in pushes], [end for _, end, _ in pushes]):
            across = [sum(parts) for parts in zip(*[push[3] for push in chosen], strict=True)]
            before = [worths[line] for line in across]
            without = sum(before)
            moving = 0
            for moves, worth, _, _, _, _ in chosen:
                without += worth
                moving += moves
            for moves, _, _, _, every, moved in chosen:
                for places, gain, changes in every if moving > moves else moved:
                    value = without + gain
                    for j, change in changes:
                        value += worths[across[j] + change] - before[j]
                    for place in places:
                        if value > best[place]:
                            best[place] = value
        return [gap for _, _, gaps in pushes for gap in gaps]


@cache  # one for each size
def prospect_of(size: int) -> Prospect:
    """The tables for boards of this size, the same ones every time."""
    if size == 3:
        from .three import ProspectOfThree  # its table is read by who plays on 3×3

        return ProspectOfThree()
    return ProspectOfLines(size)
