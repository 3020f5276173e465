"""Boards: cells, slides and spawns (rules 1; deal.md 1.3).

Owns what a slide makes of a board, which slides are legal, when a board is stuck, and where a tile spawns.
Refuses to know which tile is drawn, who plays and what the score is. Read on in deck.py, then game.py.

Why it is fast: a board is n lines, its rows or its columns. A line remembers what a push to either end makes
of it, and equal lines are one object, so a slide is n look-ups. A slide leaves a board of rows or of columns,
whichever it ran along; the other ones are made when somebody asks. The store of lines is bounded, and emptied
when it is full: nothing here may take two lines for different because they are two objects.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import compress
from math import isqrt
from operator import itemgetter
from typing import Final, TypeAlias

SIZES: Final = (3, 4, 5, 6, 8)
LINES_MAX: Final = 65_536  # 4×4 comes to some thousands, a few games of 8×8 to 20,000
MERGES_MAX: Final = 16_384
GAPS_MAX: Final = 16_384


class Direction(IntEnum):
    """Where a slide moves the tiles (rules 1.2)."""

    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3


def largest_exponent(size: int) -> int:
    """The exponent of the largest tile that can be made on a board of this size (rules 1.1)."""
    return size * size + 1


_GAP_DIGITS: Final = b"1" + b"0" * 255  # cells translated by it are a binary number: 1 for an empty cell
_SHAPE: Final = b"\1" + bytes(255)
_TILES: Final = tuple(bytes([exponent]) for exponent in range(256))
_EXPONENT_MAX: Final = largest_exponent(SIZES[-1])  # on any board: tests set up what no game reaches
_FULL: Final = "no empty cell for a tile to spawn in"
_EXPONENTS: Final = {".": 0} | {str(1 << exponent): exponent for exponent in range(1, 256)}


class _Line:
    """A row or column. Its start is its first cell (left, top), `gaps` has a bit for each empty cell."""

    __slots__ = ("cells", "end_points", "gaps", "grown", "start_points", "to_end", "to_start")

    def __init__(self, cells: bytes) -> None:
        self.cells = cells
        self.gaps = int(cells.translate(_GAP_DIGITS), 2)
        self.forget()

    def forget(self) -> None:
        """Lets go of the lines it leads to, which would keep all that they lead to alive."""
        self.to_start: _Line | None = None
        self.to_end: _Line | None = None
        self.grown: dict[int, _Line] = _NOTHING_GROWN

    def grow(self, tile: int) -> "_Line":
        """Works out `grown[tile]`, once: the line with one more tile, written as cell << 8 | exponent."""
        j = tile >> 8
        line = _line(self.cells[:j] + _TILES[tile & 255] + self.cells[j + 1 :])
        if self.grown is _NOTHING_GROWN:
            self.grown = {}
        self.grown[tile] = line
        return line

    def push_to_start(self) -> "_Line":
        """Works out `to_start` and `start_points`, once; the line is itself when nothing moves."""
        merged, self.start_points = _merged(self.cells.replace(b"\0", b""))
        cells = merged.ljust(len(self.cells), b"\0")
        self.to_start = pushed = self if cells == self.cells else _line(cells)
        return pushed

    def push_to_end(self) -> "_Line":
        """Works out `to_end` and `end_points`, once; the line is itself when nothing moves."""
        merged, self.end_points = _merged(self.cells.replace(b"\0", b"")[::-1])
        cells = merged.ljust(len(self.cells), b"\0")[::-1]
        self.to_end = pushed = self if cells == self.cells else _line(cells)
        return pushed


_NOTHING_GROWN: Final[dict[int, _Line]] = {}  # one for all lines; never written to
_Lines: TypeAlias = tuple[_Line, ...]


class _LineStore(dict[bytes, _Line]):
    """The one line of given cells."""

    def __missing__(self, cells: bytes) -> _Line:
        if len(self) >= LINES_MAX:
            for line in tuple(self.values()):
                line.forget()
            self.clear()
        line = self[cells] = _Line(cells)
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


class _GapStore(dict[bytes, bytes]):
    """The empty cells of some lines in row order, numbered along the lines, by a 1 for each and a 0 for a tile."""

    def __init__(self, *, upright: bool) -> None:
        super().__init__()
        self._upright = upright
        self.of_four = _FourGapStore(self)

    def __missing__(self, shape: bytes) -> bytes:
        if len(self) >= GAPS_MAX:
            self.clear()
        numbers = bytes(range(len(shape)))
        if self._upright:
            strides = _STRIDES[isqrt(len(shape))]
            numbers = b"".join(strides(numbers))
            gaps = bytes(compress(numbers, b"".join(strides(shape))))
        else:
            gaps = bytes(compress(numbers, shape))
        self[shape] = gaps
        return gaps


class _FourGapStore(dict[int, bytes]):
    """The same by the `gaps` of four lines as one number, which is faster."""

    def __init__(self, gaps_of: _GapStore) -> None:
        super().__init__()
        self._gaps_of = gaps_of

    def __missing__(self, number: int) -> bytes:
        if len(self) >= GAPS_MAX:
            self.clear()
        gaps = self[number] = self._gaps_of[bytes([number >> i & 1 for i in range(15, -1, -1)])]
        return gaps


_Cutter: TypeAlias = Callable[[bytes], tuple[bytes, ...]]
_STRIDES: Final[dict[int, _Cutter]] = {n: itemgetter(*(slice(i, None, n) for i in range(n))) for n in SIZES}
_RUNS: Final[dict[int, _Cutter]] = {n: itemgetter(*(slice(n * i, n * i + n) for i in range(n))) for n in SIZES}
_LINES: Final = _LineStore()
_MERGES: Final = _MergeStore()
_GAPS_IN_ROWS: Final = _GapStore(upright=False)
_GAPS_IN_COLUMNS: Final = _GapStore(upright=True)
_line: Final = _LINES.__getitem__
_merged: Final = _MERGES.__getitem__


class Board:
    """A board that never changes: n × n exponents, 0 in an empty cell.

    It is made by `empty`, `of_cells`, `of_faces` or `parse`. Boards are equal when their cells are.
    Its text is its face values with a dot for an empty cell, row by row: "2 4 . . / . . . . / …".
    """

    __slots__ = ("_columns", "_rows")

    def __init__(self, rows: _Lines, columns: _Lines) -> None:
        self._rows = rows  # one of the two may be (), not made yet
        self._columns = columns

    @classmethod
    def empty(cls, size: int) -> "Board":
        """The board without a tile."""
        return cls.of_cells(size, bytes(size * size))

    @classmethod
    def of_cells(cls, size: int, cells: bytes) -> "Board":
        """The board of these exponents, row by row.

        Raises:
            ValueError: no such size, not size² cells, or an exponent over the largest of the largest board.
        """
        if size not in SIZES:
            raise ValueError(f"a board of size {size}: sizes are {', '.join(map(str, SIZES))}")
        if len(cells) != size * size:
            raise ValueError(f"{len(cells)} cells: a {size}×{size} board has {size * size}")
        for i, exponent in enumerate(cells):
            if exponent > _EXPONENT_MAX:
                raise ValueError(f"row {i // size + 1}, column {i % size + 1}: exponent {exponent} is too large")
        return cls(tuple(map(_line, _RUNS[size](bytes(cells)))), ())

    @classmethod
    def of_faces(cls, rows: Sequence[Sequence[int]]) -> "Board":
        """The board of these face values, 0 in an empty cell; ValueError with the position of a bad one."""
        return cls.parse("/".join(" ".join(str(face or ".") for face in row) for row in rows))

    @classmethod
    def parse(cls, text: str) -> "Board":
        """The board of a text, its rows parted by slashes or line ends; ValueError with the position."""
        rows = [row.split() for row in text.strip().replace("/", "\n").splitlines()]
        cells = bytearray()
        for i, row in enumerate(rows, 1):
            if len(row) != len(rows):
                raise ValueError(f"row {i}: {len(row)} cells on a board of {len(rows)} rows")
            for j, face in enumerate(row, 1):
                if face not in _EXPONENTS:
                    raise ValueError(f"row {i}, column {j}: {face!r} is neither a tile nor a dot")
                cells.append(_EXPONENTS[face])
        return cls.of_cells(len(rows), bytes(cells))

    @property
    def size(self) -> int:
        """The number of rows and of columns."""
        return len(self._rows or self._columns)

    @property
    def cells(self) -> bytes:
        """The exponents, row by row from the top left."""
        if self._rows:
            return b"".join([row.cells for row in self._rows])
        return b"".join(_crossed(self._columns))

    @property
    def max_exponent(self) -> int:
        """The exponent of the max tile, 0 on an empty board."""
        return max([max(line.cells) for line in self._rows or self._columns])

    @property
    def empties(self) -> int:
        """How many cells are empty."""
        return sum([line.gaps.bit_count() for line in self._rows or self._columns])

    def faces(self) -> tuple[tuple[int, ...], ...]:
        """The face values, a row at a time, 0 for an empty cell."""
        return tuple(
            tuple([1 << exponent if exponent else 0 for exponent in row]) for row in _RUNS[self.size](self.cells)
        )

    def slide(self, direction: Direction) -> "tuple[Board, int] | None":
        """The board after the slide, before the spawn, and the points; None if it is illegal (rules 1.4)."""
        if direction & 1:
            lines = self._rows or self._make_rows()
            pushed, points = _PUSHES[direction](lines)
            return None if pushed == lines else (Board(pushed, ()), points)
        lines = self._columns or self._make_columns()
        pushed, points = _PUSHES[direction](lines)
        return None if pushed == lines else (Board((), pushed), points)

    def spawn(self, exponent: int, lot: int) -> "Board":
        """The board with one more tile, in the empty cell that the 64-bit lot picks (deal.md 1.3).

        Raises:
            ValueError: the board is full.
        """
        rows = self._rows
        if rows:
            grow = _grow_four if len(rows) == 4 else _grow
            return Board(grow(rows, _GAPS_IN_ROWS, exponent, lot), ())
        columns = self._columns
        grow = _grow_four if len(columns) == 4 else _grow
        return Board((), grow(columns, _GAPS_IN_COLUMNS, exponent, lot))

    @property
    def stuck(self) -> bool:
        """Whether no direction is a legal move: the board is full and no two equal tiles touch (rules 1.7).

        So is the empty board, which has nothing to move; no game comes to it.
        """
        for line in self._rows or self._columns:
            if line.gaps and any(line.cells):
                return False  # a tile beside a gap can move; this decides nearly always
        for line in (self._rows or self._make_rows()) + (self._columns or self._make_columns()):
            if (line.to_start or line.push_to_start()) is not line:
                return False
            if (line.to_end or line.push_to_end()) is not line:
                return False
        return True

    def legal_directions(self) -> tuple[Direction, ...]:
        """The directions that are legal moves (rules 1.4), in their order."""
        return tuple([direction for direction in Direction if self.slide(direction)])

    def __eq__(self, other: object) -> bool:
        return self.cells == other.cells if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.cells)

    def __str__(self) -> str:
        return " / ".join(" ".join(str(face or ".") for face in row) for row in self.faces())

    def __repr__(self) -> str:
        return f"Board.parse({str(self)!r})"

    def _make_rows(self) -> _Lines:
        self._rows = rows = tuple(map(_line, _crossed(self._columns)))
        return rows

    def _make_columns(self) -> _Lines:
        self._columns = columns = tuple(map(_line, _crossed(self._rows)))
        return columns


def _grow_four(lines: _Lines, order: "_GapStore", exponent: int, lot: int) -> _Lines:
    """Four lines with one more tile where the lot puts it: `spawn`, for the size most played."""
    a, b, c, d = lines
    gaps = order.of_four[a.gaps << 12 | b.gaps << 8 | c.gaps << 4 | d.gaps]
    if not gaps:
        raise ValueError(_FULL)
    cell = gaps[lot * len(gaps) >> 64]
    tile = (cell & 3) << 8 | exponent
    if cell < 4:
        return a.grown.get(tile) or a.grow(tile), b, c, d
    if cell < 8:
        return a, b.grown.get(tile) or b.grow(tile), c, d
    if cell < 12:
        return a, b, c.grown.get(tile) or c.grow(tile), d
    return a, b, c, d.grown.get(tile) or d.grow(tile)


def _grow(lines: _Lines, order: _GapStore, exponent: int, lot: int) -> _Lines:
    """The lines with one more tile where the lot puts it."""
    gaps = order[b"".join([line.cells for line in lines]).translate(_SHAPE)]
    if not gaps:
        raise ValueError(_FULL)
    i, j = divmod(gaps[lot * len(gaps) >> 64], len(lines))
    grown = list(lines)
    tile = j << 8 | exponent
    grown[i] = lines[i].grown.get(tile) or lines[i].grow(tile)
    return tuple(grown)


def _crossed(lines: _Lines) -> tuple[bytes, ...]:
    """The cells of the columns when lines are rows, of the rows when they are columns."""
    if len(lines) == 4:
        a, b, c, d = lines
        return _FOUR_STRIDES(a.cells + b.cells + c.cells + d.cells)
    return _STRIDES[len(lines)](b"".join([line.cells for line in lines]))


def _push_to_start(lines: _Lines) -> tuple[_Lines, int]:
    """The lines after a push to their first cells, and the points; unrolled for the size most played."""
    if len(lines) == 4:
        a, b, c, d = lines
        pushed: _Lines = (
            a.to_start or a.push_to_start(),
            b.to_start or b.push_to_start(),
            c.to_start or c.push_to_start(),
            d.to_start or d.push_to_start(),
        )
        return pushed, a.start_points + b.start_points + c.start_points + d.start_points
    pushed = tuple([line.to_start or line.push_to_start() for line in lines])
    points = 0
    for line in lines:
        points += line.start_points
    return pushed, points


def _push_to_end(lines: _Lines) -> tuple[_Lines, int]:
    """The lines after a push to their last cells, and the points; unrolled for the size most played."""
    if len(lines) == 4:
        a, b, c, d = lines
        pushed: _Lines = (
            a.to_end or a.push_to_end(),
            b.to_end or b.push_to_end(),
            c.to_end or c.push_to_end(),
            d.to_end or d.push_to_end(),
        )
        return pushed, a.end_points + b.end_points + c.end_points + d.end_points
    pushed = tuple([line.to_end or line.push_to_end() for line in lines])
    points = 0
    for line in lines:
        points += line.end_points
    return pushed, points


_FOUR_STRIDES: Final = _STRIDES[4]
_PUSHES: Final = (_push_to_start, _push_to_end, _push_to_end, _push_to_start)  # by direction
