"""Where things go on a screen of a given size (ux.md 2.1, 2.2). A pure function of four numbers.

The board has priority: the players stand beside it only where that does not make its tiles much smaller. From
40×20 up everything fits, below that the board alone, below 24×9 one line of text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from client.tui.canvas import Rect

PANEL_COLUMNS_MIN, PANEL_COLUMNS_MAX = 22, 30
SIDE_ROWS_MIN = 12  # below that a panel beside the board has no room for four players
BELOW_COLUMNS_MIN = 38
ALL_COLUMNS_MIN, ALL_ROWS_MIN = 40, 20
BOARD_COLUMNS_MIN, BOARD_ROWS_MIN = 24, 9
_PANEL_ROWS = 18  # what four players take when there is room
_NOWHERE = Rect(0, 0, 0, 0)


class Gap(Enum):
    """What is between two rows of tiles."""

    ROW = auto()
    HALF = auto()  # the lower half of a tile's last row
    NOTHING = auto()


class Shape(NamedTuple):
    """A tile in cells, with its half-row gap if it has one, and what is between tiles and around them."""

    width: int
    height: int
    between: int  # columns between two tiles
    gap: Gap
    framed: bool = True  # the gap goes round the board as well

    def columns(self, size: int) -> int:
        """Returns how wide a board is."""
        gaps = size + 1 if self.framed else size - 1
        return size * self.width + gaps * self.between

    def rows(self, size: int) -> int:
        """Returns how high a board is."""
        gaps = {Gap.ROW: size + 1, Gap.HALF: int(self.framed), Gap.NOTHING: 0}[self.gap]
        return size * self.height + gaps

    def fits(self, size: int, columns: int, rows: int) -> bool:
        """Tells whether a board fits in so many columns and rows."""
        return self.columns(size) <= columns and self.rows(size) <= rows


# Best first. A cell is twice as high as wide, so a gap of one row goes with two columns, half a row with one.
SHAPES = (
    Shape(20, 9, 2, Gap.ROW),
    Shape(16, 7, 2, Gap.ROW),
    Shape(12, 5, 2, Gap.ROW),
    Shape(11, 5, 1, Gap.HALF),
    Shape(8, 3, 2, Gap.ROW),
    Shape(7, 3, 1, Gap.HALF),
    Shape(6, 2, 1, Gap.HALF),
    Shape(5, 2, 1, Gap.HALF),
    Shape(4, 2, 1, Gap.HALF),
    Shape(4, 2, 1, Gap.HALF, framed=False),
    Shape(6, 1, 1, Gap.NOTHING),
    Shape(5, 1, 1, Gap.NOTHING),
    Shape(4, 1, 1, Gap.NOTHING),
    Shape(4, 1, 1, Gap.NOTHING, framed=False),
    Shape(3, 1, 1, Gap.NOTHING, framed=False),
    Shape(3, 1, 0, Gap.NOTHING, framed=False),
)


class Arrangement(Enum):
    """How a race screen is laid out."""

    SIDE = auto()  # the players beside the board
    BELOW = auto()  # a line for each player below the board
    ALONE = auto()  # the board and one line
    LINE = auto()  # one line of text


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of a screen are. A part that has no place is a region without cells."""

    columns: int
    rows: int
    size: int
    arrangement: Arrangement
    shape: Shape | None
    board: Rect
    panel: Rect  # the players
    messages: Rect  # what is to be told at the moment
    footer: int  # its row; -1: none

    @property
    def body(self) -> Rect:
        """Everything between the header and the footer, for screens that are text."""
        if self.arrangement is Arrangement.LINE:
            return Rect(0, 0, self.columns, self.rows)
        return Rect(0, 1, self.columns, max(self.rows - 2, 0))


@lru_cache(maxsize=64)
def plan(columns: int, rows: int, size: int, players: int) -> Layout:
    """Returns the layout of a screen of columns × rows for boards of size × size and so many players."""
    if columns < BOARD_COLUMNS_MIN or rows < BOARD_ROWS_MIN:
        row = Rect(0, 0, max(columns, 0), min(max(rows, 0), 1))
        return Layout(columns, rows, size, Arrangement.LINE, None, _NOWHERE, _NOWHERE, row, -1)
    candidates = [_beside(columns, rows, size), _below(columns, rows, size, players)]
    if columns < ALL_COLUMNS_MIN or rows < ALL_ROWS_MIN:
        candidates.append(_alone(columns, rows, size))
    found = [layout for layout in candidates if layout is not None]
    assert found, "from 40×20 up there is room for the players below the board"
    best = found[0]
    for layout in found[1:]:
        if _tile_cells(layout) > 1.5 * _tile_cells(best):
            best = layout
    return best


def _tile_cells(layout: Layout) -> int:
    return layout.shape.width * layout.shape.height if layout.shape else 0


@lru_cache(maxsize=256)
def largest_shape(size: int, columns: int, rows: int) -> Shape | None:
    """Returns the best shape whose board fits, or None."""
    return next((shape for shape in SHAPES if shape.fits(size, columns, rows)), None)


def _beside(columns: int, rows: int, size: int) -> Layout | None:
    # header, body, up to three rows for messages, footer
    message_rows = 2 if rows >= 23 else 1
    body_rows = rows - 2 - message_rows
    if rows < SIDE_ROWS_MIN:
        return None
    shape = largest_shape(size, columns - PANEL_COLUMNS_MIN - 4, body_rows)
    if shape is None:
        return None
    width, height = shape.columns(size), shape.rows(size)
    panel_width = min(columns - width - 4, PANEL_COLUMNS_MAX)
    spare = columns - 2 - width - 2 - panel_width
    x, between = (1, 2 + spare) if spare < 6 else (1 + spare // 3, 2 + spare // 3)
    y = 1 + (body_rows - height) // 2
    panel_y = min(y, max(1 + body_rows - _PANEL_ROWS, 1))
    return Layout(
        columns,
        rows,
        size,
        Arrangement.SIDE,
        shape,
        Rect(x, y, width, height),
        Rect(x + width + between, panel_y, panel_width, 1 + body_rows - panel_y),
        Rect(x, 1 + body_rows, columns - x - 1, message_rows),
        rows - 1,
    )


def _below(columns: int, rows: int, size: int, players: int) -> Layout | None:
    if columns < BELOW_COLUMNS_MIN or rows < ALL_ROWS_MIN:
        return None
    own_row = largest_shape(size, columns, rows - 3 - players)
    shape = largest_shape(size, columns, rows - 2 - players)
    if shape is None:
        return None
    width, height = shape.columns(size), shape.rows(size)
    spare = rows - 2 - players - height - int(own_row == shape)
    y = 1 + min(spare // 3, 2)
    panel_y = y + height + min(spare // 3, 2)
    panel_width = min(columns, 60)
    # A message that has no row of its own takes the footer's: it says which keys answer it.
    message_y = rows - 2 if own_row == shape else rows - 1
    return Layout(
        columns,
        rows,
        size,
        Arrangement.BELOW,
        shape,
        Rect((columns - width) // 2, y, width, height),
        Rect((columns - panel_width) // 2, panel_y, panel_width, players),
        Rect(0, message_y, columns, 1),
        rows - 1,
    )


def _alone(columns: int, rows: int, size: int) -> Layout:
    shape = largest_shape(size, columns, rows - 1)
    assert shape is not None, "the smallest board fits in 24×8"
    width, height = shape.columns(size), shape.rows(size)
    x, y = (columns - width) // 2, (rows - 1 - height) // 2
    status = Rect(0, rows - 1, columns, 1)
    return Layout(columns, rows, size, Arrangement.ALONE, shape, Rect(x, y, width, height), status, status, rows - 1)


@dataclass(frozen=True, slots=True)
class Row:
    """Boards side by side: how many, their shape, and where each has its columns."""

    shape: Shape
    places: tuple[Rect, ...]


def side_by_side(region: Rect, size: int, boards: int) -> Row | None:
    """Returns how up to `boards` boards fit side by side in a region: as many as possible, then as large."""
    for count, between in ((count, between) for count in range(boards, 0, -1) for between in (4, 2, 1)):
        columns = (region.width - (count - 1) * between) // count
        shape = next(
            (s for s in SHAPES if s.gap is not Gap.NOTHING and s.fits(size, columns, region.height)),
            None if count > 1 or between > 1 else largest_shape(size, columns, region.height),
        )
        if shape is None:
            continue
        width = max(shape.columns(size), min(columns, 18))
        left = region.x + (region.width - count * width - (count - 1) * between) // 2
        places = tuple(
            Rect(left + number * (width + between), region.y, width, shape.rows(size)) for number in range(count)
        )
        return Row(shape, places)
    return None
