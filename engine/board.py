"""Boards: cells, slides and spawns (rules 1; deal.md 1.3).

Owns what a board is and says, which slides are legal, and when a board is stuck. Refuses to know which tile is
drawn, who plays and what the score is. Read on in deck.py, then game.py; grid.py and lines.py are what makes it fast.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from .grid import GRIDS, nothing_moves
from .lines import NO_LINES, Lines, line_of

SIZES: Final = tuple(GRIDS)


class Direction(IntEnum):
    """Where a slide moves the tiles (rules 1.2)."""

    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3


def largest_exponent(size: int) -> int:
    """The exponent of the largest tile that can be made on a board of this size (rules 1.1)."""
    return size * size + 1


_EXPONENT_MAX: Final = largest_exponent(SIZES[-1])  # on any board: tests set up what no game reaches
_EXPONENTS: Final = {".": 0} | {str(1 << exponent): exponent for exponent in range(1, 256)}


class Board:
    """A board that never changes: n × n exponents, 0 in an empty cell.

    It is made by `empty`, `of_cells`, `of_faces` or `parse`. Boards are equal when their cells are.
    Its text is its face values with a dot for an empty cell, row by row: "2 4 . . / . . . . / …".
    """

    __slots__ = ("_columns", "_rows")

    def __init__(self, rows: Lines, columns: Lines) -> None:
        self._rows = rows  # one of the two may be NO_LINES
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
        if max(cells) > _EXPONENT_MAX:
            i, exponent = next((i, exponent) for i, exponent in enumerate(cells) if exponent > _EXPONENT_MAX)
            raise ValueError(f"row {i // size + 1}, column {i % size + 1}: exponent {exponent} is too large")
        return cls(_rows_of(size, bytes(cells)), NO_LINES)

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
    def rows(self) -> Lines:
        """The rows as lines (lines.py), from the top."""
        return self._rows or self._make_rows()

    @property
    def cells(self) -> bytes:
        """The exponents, row by row from the top left."""
        return b"".join([row.cells for row in self.rows])

    @property
    def max_exponent(self) -> int:
        """The exponent of the max tile, 0 on an empty board."""
        return max([max(line.cells) for line in self._rows or self._columns])

    @property
    def empties(self) -> int:
        """How many cells are empty."""
        return sum([line.empties for line in self._rows or self._columns])

    def faces(self) -> tuple[tuple[int, ...], ...]:
        """The face values, a row at a time, 0 for an empty cell."""
        return tuple([tuple([1 << exponent if exponent else 0 for exponent in row.cells]) for row in self.rows])

    def slide(self, direction: Direction) -> "tuple[Board, int] | None":
        """The board after the slide, before the spawn, and the points; None if it is illegal (rules 1.4)."""
        if direction & 1:
            rows = self._rows or self._make_rows()
            slid = GRIDS[len(rows)].pushes[direction](rows)
            return slid and (Board(slid[0], NO_LINES), slid[1])
        columns = self._columns or self._make_columns()
        slid = GRIDS[len(columns)].pushes[direction](columns)
        return slid and (Board(NO_LINES, slid[0]), slid[1])

    def spawn(self, exponent: int, lot: int) -> "Board":
        """The board with one more tile, in the empty cell that the 64-bit lot picks (deal.md 1.3).

        Raises:
            ValueError: the board is full.
        """
        if exponent not in (1, 2):  # no deck deals such a tile
            grown = self.spawn(1, lot).cells
            cells = bytes([exponent if one != cell else cell for cell, one in zip(self.cells, grown, strict=True)])
            return Board(_rows_of(self.size, cells), NO_LINES)
        empties = self.empties
        if not empties:
            raise ValueError("no empty cell for a tile to spawn in")
        if self._rows:
            rows = self._rows.copy()
            GRIDS[len(rows)].spawn_in_rows(rows, empties, exponent, lot)
            return Board(rows, NO_LINES)
        columns = self._columns.copy()
        GRIDS[len(columns)].spawn_in_columns(columns, empties, exponent, lot)
        return Board(NO_LINES, columns)

    @property
    def stuck(self) -> bool:
        """Whether no direction is a legal move: the board is full and no two equal tiles touch (rules 1.7).

        So is the empty board, which has nothing to move; no game comes to it.
        """
        for line in self._rows or self._columns:
            if line.gaps and any(line.cells):
                return False  # a tile beside a gap can move; this decides nearly always
        return nothing_moves(self._rows or self._make_rows()) and nothing_moves(self._columns or self._make_columns())

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

    def _make_rows(self) -> Lines:
        self._rows = rows = GRIDS[len(self._columns)].crossed(self._columns)
        return rows

    def _make_columns(self) -> Lines:
        self._columns = columns = GRIDS[len(self._rows)].crossed(self._rows)
        return columns


def _rows_of(size: int, cells: bytes) -> Lines:
    return [line_of(cells[i : i + size]) for i in range(0, size * size, size)]
