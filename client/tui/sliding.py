"""Tiles on their way: what a board looks like between two moves (ux.md 2.6).

The move has been made before anything here is asked: `Slides` only remembers which board was shown last, and how
far the tiles have come by a time that is handed in. So no key waits for a picture, and the next one cuts it short.
Pictures have half a row of precision, by `▄`. Knows boards and time, neither sessions nor terminals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.board import Board, Direction
from engine.motion import Motion as Way
from engine.motion import motions

from .canvas import Canvas, Cell, Rect
from .look import Look, Motion
from .palette import Ink, Palette, halves
from .plan import Gap, Layout, Shape
from .tiles import HALF, draw_board, face, place

SLIDE_S = 0.1
FRAME_S = 1 / 30


@dataclass(frozen=True, slots=True)
class Slide:
    """Tiles on their way. `part`: how much of it lies behind them, above 0 and below 1."""

    ways: tuple[Way, ...]
    part: float


@dataclass(frozen=True, slots=True)
class Fresh:
    """The cells whose tile has only just come to be, by a spawn or a merge."""

    cells: frozenset[int]


class Slides:
    """Which picture of the own board comes next. Where there are no colours nothing slides: what is new is marked."""

    def __init__(self, look: Look) -> None:
        still = look.palette.lines and look.motion is Motion.FULL
        self._motion = Motion.REDUCED if still else look.motion
        self._shown: Board | None = None
        self._ways: tuple[Way, ...] = ()
        self._fresh = Fresh(frozenset())
        self._began_s = 0.0

    def look(self, board: Board | None, now_s: float) -> Slide | Fresh | None:
        """Returns how the tiles of `board` are shown now; None: as they are."""
        before, self._shown = self._shown, board
        if self._motion is Motion.OFF or board is None:
            return None
        if board != before:
            self._ways, spawned = move_between(before, board)
            self._began_s = now_s
            merged = {way.end for way in self._ways if way.merged}
            self._fresh = Fresh(frozenset(merged | spawned))
        if self._motion is Motion.REDUCED:
            return self._fresh
        part = (now_s - self._began_s + FRAME_S) / (SLIDE_S + FRAME_S)
        if not self._ways or part > 0.999:
            self._ways = ()
            return None
        return Slide(self._ways, 1 - (1 - part) ** 2)  # quick at first, then slower


def move_between(before: Board | None, after: Board) -> tuple[tuple[Way, ...], frozenset[int]]:
    """Returns the ways of one move, and the cell of its spawn; nothing if it was not exactly one move."""
    if before is None or before.size != after.size:
        return (), frozenset()
    for direction in Direction:
        slid = before.slide(direction)
        if slid is None:
            continue
        cells = slid[0].cells
        different = frozenset(cell for cell in range(len(cells)) if cells[cell] != after.cells[cell])
        if len(different) == 1 and not any(cells[cell] for cell in different):
            return motions(before, direction), different
    return (), frozenset()


# ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────


def draw_moving(
    canvas: Canvas, layout: Layout, board: Board | None, palette: Palette, moving: Slide | Fresh | None
) -> None:
    """Draws a board of a layout that has room for one; `moving`: how its tiles are on their way."""
    assert layout.shape is not None, "only a layout of one line has no board"
    if isinstance(moving, Slide):
        draw_slide(canvas, layout.board, layout.shape, layout.size, moving, palette)
    else:
        fresh = moving.cells if moving is not None else frozenset()
        draw_board(canvas, layout.board, layout.shape, layout.size, board, palette, fresh)


def draw_slide(canvas: Canvas, region: Rect, shape: Shape, size: int, slide: Slide, palette: Palette) -> None:
    """Draws a board whose tiles are on their way; where there are no colours they stand still (tiles.py)."""
    raster = _Raster(region, shape, size, palette)
    for way in sorted(slide.ways, key=lambda way: way.start != way.end):  # what moves passes over what stands
        raster.tile(way, slide.part)
    raster.paste(canvas)


class _Raster:
    """A board as half rows of inks, whose grounds are what is seen, and the faces of the tiles upon it."""

    def __init__(self, region: Rect, shape: Shape, size: int, palette: Palette) -> None:
        self._region, self._shape, self._size, self._palette = region, shape, size, palette
        self._halves: list[list[Ink]] = [[palette.board] * region.width for _ in range(2 * region.height)]
        self._texts: list[tuple[int, int, str, Ink]] = []
        solid = shape.height - 1 if shape.gap is Gap.HALF else shape.height
        self._half_rows = 2 * solid + (1 if shape.gap is Gap.HALF else 0)
        for cell in range(size * size):
            self._fill(*self._place(cell), palette.tile(0).face)

    def tile(self, way: Way, part: float) -> None:
        """Draws a tile so far on its way."""
        (x, y), (end_x, end_y) = self._place(way.start), self._place(way.end)
        x, y = x + round((end_x - x) * part), y + round((end_y - y) * part)
        ink = self._palette.tile(way.exponent).face
        self._fill(x, y, ink)
        # Faces that lie under this tile must not shine through.
        self._texts = [text for text in self._texts if not self._covers(x, y, *text[:3])]
        row = (y + 1) // 2 + (self._shape.height - 1) // 2
        if 2 * row + 2 <= y + self._half_rows:
            shown = face(way.exponent, self._shape.width)
            self._texts.append((x + (self._shape.width - len(shown)) // 2, row, shown, ink))

    def _covers(self, x: int, y: int, text_x: int, text_row: int, text: str) -> bool:
        """Tells whether a tile at this column and half row lies over any of a text."""
        across = x < text_x + len(text) and text_x < x + self._shape.width
        return across and y < 2 * text_row + 2 and 2 * text_row < y + self._half_rows

    def paste(self, canvas: Canvas) -> None:
        """Puts the picture on a canvas."""
        framed = self._shape.gap is Gap.HALF and self._shape.framed
        for y in range(self._region.height):
            upper, lower = self._halves[2 * y], self._halves[2 * y + 1]
            if framed and y == 0:
                cells: Sequence[Cell] = [(HALF, self._palette.rim)] * self._region.width
            else:
                cells = [(" ", above) if above is below else (HALF, halves(above.ground, below.ground))
                         for above, below in zip(upper, lower, strict=True)]  # fmt: skip
            canvas.paste(self._region.x, self._region.y + y, cells)
        for x, y, shown, ink in self._texts:
            canvas.text(self._region.x + x, self._region.y + y, shown, ink)

    def _place(self, cell: int) -> tuple[int, int]:
        """Returns the column and the half row of the upper left corner of a cell."""
        x, y = place(self._shape, *divmod(cell, self._size))
        return x, 2 * y

    def _fill(self, x: int, y: int, ink: Ink) -> None:
        for half in self._halves[y : y + self._half_rows]:
            half[x : x + self._shape.width] = [ink] * self._shape.width
