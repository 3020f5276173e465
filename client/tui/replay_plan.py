"""Where things go on the screen of a replay, as plan.py says it for a race. A pure function of a few numbers.

All boards where they fit well, else as many as do, with a line for each of the others: at 40×20 mostly one board.
Below 40×20 the chosen player's board alone, below 24×9 one line of text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .canvas import Rect
from .plan import (
    ALL_COLUMNS_MIN,
    ALL_ROWS_MIN,
    BOARD_COLUMNS_MIN,
    BOARD_ROWS_MIN,
    Gap,
    Shape,
    largest_shape,
)

SOME_COLUMNS_MIN = 60  # a narrower screen shows all boards or one
_FLAT_COLUMNS_MIN = 5  # tiles of one row are only good when they are so wide
_PLACE_COLUMNS_MIN = 18  # what a caption needs
_WIDE_COLUMNS_MIN = 26  # what a caption of one row needs
_BETWEEN = (6, 4, 2, 1)
_TOLD_ROWS_MAX = 3
_NOWHERE = Rect(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the parts of the screen are. A part that has no place is a region without cells.

    `places` are the boards with their captions above them, `caption_rows` each; `lines` has a row for each player
    without a board. `chart` has a row for each player, or one for all.
    """

    columns: int
    rows: int
    size: int
    shape: Shape | None
    places: tuple[Rect, ...]
    caption_rows: int
    lines: Rect
    chart: Rect
    bar: int  # its row, -1: none
    told: Rect
    notice: int  # the row that says what is wrong with the record, -1: nothing is

    @property
    def is_line(self) -> bool:
        """Whether there is room for a line of text only."""
        return self.shape is None

    @property
    def is_alone(self) -> bool:
        """Whether there is room for a board and a line only."""
        return self.shape is not None and self.bar < 0


@dataclass(frozen=True, slots=True)
class _Grid:
    """Boards in rows and columns."""

    shape: Shape
    boards: int
    across: int
    between: int
    width: int  # of a board with its caption
    caption_rows: int

    @property
    def down(self) -> int:
        return -(-self.boards // self.across)

    def rows(self, size: int) -> int:
        return self.down * (self.caption_rows + self.shape.rows(size))

    def worth(self) -> tuple[int, int, int]:
        return self.shape.width * self.shape.height, self.caption_rows, self.between


@lru_cache(maxsize=64)
def plan_replay(columns: int, rows: int, size: int, players: int, *, notice: bool = False) -> Stage:
    """Returns the stage of a screen of columns × rows; `notice`: a row says that something is wrong."""
    top = 1 + notice
    if columns < BOARD_COLUMNS_MIN or rows < BOARD_ROWS_MIN:
        row = Rect(0, 0, max(columns, 0), min(max(rows, 0), 1))
        return Stage(columns, rows, size, None, (), 0, _NOWHERE, _NOWHERE, -1, row, -1)
    if columns < ALL_COLUMNS_MIN or rows < ALL_ROWS_MIN:
        return _alone(columns, rows, size, notice=notice)
    # Footer, bar, a row of the chart, and one for what is told: on a narrow screen two, or it would be cut off.
    fixed = top + (4 if columns >= SOME_COLUMNS_MIN else 5)
    grid = _best_grid(columns, rows - fixed, size, players)
    return _arranged(columns, rows, size, players, grid, fixed, notice=notice)


def _alone(columns: int, rows: int, size: int, *, notice: bool) -> Stage:
    top = int(notice)
    shape = largest_shape(size, columns, rows - 1 - top) or largest_shape(size, columns, rows - 1)
    assert shape is not None, "the smallest board fits in 24×8"
    width, height = shape.columns(size), shape.rows(size)
    top = top if height + 1 + top <= rows else 0
    place = Rect((columns - width) // 2, top + (rows - 1 - top - height) // 2, width, height)
    told = Rect(0, rows - 1, columns, 1)
    return Stage(columns, rows, size, shape, (place,), 0, _NOWHERE, _NOWHERE, -1, told, top - 1)


def _best_grid(columns: int, body_rows: int, size: int, players: int) -> _Grid:
    """Returns the grid with the most boards that is good, and of those the one with the largest tiles.

    Room for what is below the boards comes before larger tiles, but not before a gap between them.
    """
    for boards in range(players, 0, -1):
        if 1 < boards < players and columns < SOME_COLUMNS_MIN:
            continue
        tight = body_rows - (players - boards)
        for room in (tight - (players - 1) - 1, tight):
            grids = [grid for grid in _grids(columns, room, size, boards) if grid.shape.gap is not Gap.NOTHING]
            if grids:
                return max(grids, key=_Grid.worth)
        flat = [grid for grid in _grids(columns, tight, size, boards) if boards == 1 or _is_good_flat(grid, columns)]
        if flat:
            return max(flat, key=_Grid.worth)
    raise AssertionError("one board fits on 40×20")


def _is_good_flat(grid: _Grid, columns: int) -> bool:
    """Tells whether so many boards are worth tiles that are a row high."""
    return columns >= SOME_COLUMNS_MIN and grid.shape.width >= _FLAT_COLUMNS_MIN


def _grids(columns: int, rows: int, size: int, boards: int) -> Iterator[_Grid]:
    for across in range(boards, 0, -1):
        down = -(-boards // across)
        if across * down - boards > 1:  # three and one below look like a mistake
            continue
        for between in _BETWEEN:
            room = (columns - (across - 1) * between) // across
            for caption_rows in (2, 1):
                shape = largest_shape(size, room, rows // down - caption_rows)
                least = _PLACE_COLUMNS_MIN if caption_rows == 2 else _WIDE_COLUMNS_MIN
                if shape is None or room < least:
                    continue
                yield _Grid(shape, boards, across, between, max(shape.columns(size), least), caption_rows)


def _arranged(columns: int, rows: int, size: int, players: int, grid: _Grid, fixed: int, *, notice: bool) -> Stage:
    """Returns the stage with its spare rows given to the chart, to what is told, and to the spaces between."""
    top, others, height = 1 + notice, players - grid.boards, grid.rows(size)
    spare = rows - fixed - others - height
    spread = grid.down - 1 if spare >= grid.down - 1 else 0  # a row between the rows of boards, or none
    spare -= spread
    chart_rows = players if spare >= players - 1 else 1
    spare -= chart_rows - 1
    space = min(spare, 1)
    told_rows = min(fixed - top - 3 + spare - space, _TOLD_ROWS_MAX)
    told = Rect(1, rows - 1 - told_rows, columns - 2, told_rows)
    chart = Rect(1, told.y - 1 - chart_rows, columns - 2, chart_rows)
    lines = Rect(max((columns - 60) // 2, 0), chart.y - space - others, min(columns, 60), others)
    y = top + (lines.y - top - height - spread) // 2
    x = (columns - grid.across * grid.width - (grid.across - 1) * grid.between) // 2
    step_x, step_y = grid.width + grid.between, grid.caption_rows + grid.shape.rows(size) + int(spread > 0)
    places = tuple(
        Rect(
            x + number % grid.across * step_x,
            y + number // grid.across * step_y,
            grid.width,
            grid.caption_rows + grid.shape.rows(size),
        )
        for number in range(grid.boards)
    )
    return Stage(
        columns,
        rows,
        size,
        grid.shape,
        places,
        grid.caption_rows,
        lines,
        chart,
        told.y - 1,
        told,
        1 if notice else -1,
    )
