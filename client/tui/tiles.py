"""Boards and big digits, drawn on a canvas.

Coloured tiles are blocks with gaps: a full row, or the last row of a tile drawn as `▄` in the board's colour. Where
there are no colours it is the other way round: lines in the gaps (ux.md 2.2). Knows a board, never a session.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cache, lru_cache

from engine.board import Board

from .canvas import Canvas, Cell, Rect
from .palette import Ink, Palette, TileInk
from .plan import Gap, Shape

HALF = "▄"
_UNITS = " kMGTPEZY"

# Which of up, right, down, left a line goes on to, as a bit each.
_JUNCTIONS = {
    0b0101: "─", 0b1010: "│", 0b0110: "┌", 0b0011: "┐", 0b1100: "└", 0b1001: "┘",
    0b1110: "├", 0b1011: "┤", 0b0111: "┬", 0b1101: "┴", 0b1111: "┼",
}  # fmt: skip

# Digits of 3 × 5 pixels, a row between slashes.
_FONT = {
    "0": "###/# #/# #/# #/###", "1": "## / # / # / # /###", "2": "###/  #/###/#  /###", "3": "###/  #/###/  #/###",
    "4": "# #/# #/###/  #/  #", "5": "###/#  /###/  #/###", "6": "###/#  /###/# #/###", "7": "###/  #/  #/  #/  #",
    "8": "###/# #/###/# #/###", "9": "###/# #/###/  #/###", "-": "   /   /###/   /   ", ",": "   /   /   / # / # ",
}  # fmt: skip
_NO_PIXELS = "   /   /   /   /   /   "


def face(exponent: int, columns: int) -> str:
    """Returns what stands on a tile: 131072 if it fits, else 131k, else the exponent as ^17."""
    full = str(1 << exponent)
    if len(full) <= columns:
        return full
    unit = (len(full) - 1) // 3
    short = full[: len(full) - 3 * unit] + _UNITS[unit]
    return short if len(short) <= columns else f"^{exponent}"


def draw_board(
    canvas: Canvas,
    region: Rect,
    shape: Shape,
    size: int,
    board: Board | None,
    palette: Palette,
    fresh: Set[int] = frozenset(),
) -> None:
    """Draws a board in its region, empty if there is none yet; tiles on `fresh` cells are marked as new."""
    cells = board.cells if board is not None and board.size == size else bytes(size * size)
    lines = [list(row) for row in _ground(shape, size, palette)]
    largest = max(cells) or -1
    for number, exponent in enumerate(cells):
        inks = palette.largest if palette.lines and exponent == largest else palette.tile(exponent)
        x, y = place(shape, *divmod(number, size))
        for row, image in enumerate(_image(shape, exponent, inks, palette.lines, number in fresh), y):
            lines[row][x : x + shape.width] = image
    for y, line in enumerate(lines, region.y):
        canvas.paste(region.x, y, line)


def draw_tile(canvas: Canvas, region: Rect, exponent: int, palette: Palette) -> None:
    """Draws one tile on its own, as a picture of a player's max tile."""
    inks = palette.tile(exponent)
    canvas.fill(region, inks.face)
    if not exponent:
        return
    canvas.middle(region.x, region.y + (region.height - 1) // 2, region.width, face(exponent, region.width), inks.face)


@cache
def place(shape: Shape, row: int, column: int) -> tuple[int, int]:
    """Returns where on its board the upper left corner of a tile is."""
    edge = 1 if shape.framed else 0
    x = edge * shape.between + column * (shape.width + shape.between)
    if shape.gap is Gap.ROW:
        return x, 1 + row * (shape.height + 1)
    top = edge if shape.gap is Gap.HALF else 0
    return x, top + row * shape.height


@lru_cache(maxsize=1_024)
def _image(shape: Shape, exponent: int, inks: TileInk, lines: bool, new: bool) -> tuple[tuple[Cell, ...], ...]:
    """Returns the cells of a tile, or of an empty cell; a move makes few new ones, so they are remembered."""
    solid = shape.height - 1 if shape.gap is Gap.HALF else shape.height
    canvas = Canvas(shape.width, solid if lines else shape.height)
    canvas.fill(Rect(0, 0, shape.width, solid), inks.face)
    canvas.fill(Rect(0, solid, shape.width, shape.height - solid), inks.edge, HALF)
    shown = face(exponent, shape.width) if exponent else "·" if lines else ""
    canvas.middle(0, (shape.height - 1) // 2, shape.width, shown, inks.new if new else inks.face)
    return tuple(tuple(line) for line in canvas.lines)


@lru_cache(maxsize=16)
def _ground(shape: Shape, size: int, palette: Palette) -> tuple[tuple[Cell, ...], ...]:
    """Returns the cells of a board without its tiles."""
    region = Rect(0, 0, shape.columns(size), shape.rows(size))
    canvas = Canvas(region.width, region.height)
    if palette.lines:
        _draw_lines(canvas, region, shape, size, palette)
    else:
        canvas.fill(region, palette.board)
        if shape.gap is Gap.HALF and shape.framed:
            canvas.fill(Rect(0, 0, region.width, 1), palette.rim, HALF)
    return tuple(tuple(line) for line in canvas.lines)


def _draw_lines(canvas: Canvas, region: Rect, shape: Shape, size: int, palette: Palette) -> None:
    inner = range(size + 1) if shape.framed else range(1, size)
    step = shape.width + shape.between
    start = region.x if shape.framed else region.x - 1
    columns = [start + number * step for number in inner] if shape.between else []
    rows = _line_rows(region, shape, size)
    last = columns[-1] if shape.framed and columns else region.right - 1
    for y in range(region.y, region.bottom):
        for x in range(region.x, last + 1):
            if y not in rows and x not in columns:
                continue
            up = y > region.y and x in columns
            down = y < region.bottom - 1 and x in columns
            left = x > region.x and y in rows
            right = x < last and y in rows
            canvas.text(x, y, _JUNCTIONS.get(up << 3 | right << 2 | down << 1 | left, "─"), palette.board)


def _line_rows(region: Rect, shape: Shape, size: int) -> list[int]:
    if shape.gap is Gap.ROW:
        return [region.y + number * (shape.height + 1) for number in range(size + 1)]
    if shape.gap is Gap.NOTHING:
        return []
    top = 1 if shape.framed else 0
    return [region.y + top - 1 + number * shape.height for number in range(1 - top, size + 1)]


# ── digits ───────────────────────────────────────────────────────────────────────────────────────────────────────


def big_columns(text: str) -> int:
    """Returns how wide `draw_big` draws a text."""
    return max(4 * len(text) - 1, 0)


def draw_big(canvas: Canvas, x: int, y: int, text: str, ink: Ink) -> None:
    """Draws digits, "-" and "," three rows high, with half blocks in the ink's text colour."""
    for number, character in enumerate(text):
        for row in range(3):
            upper, lower = _pixels(character, 2 * row), _pixels(character, 2 * row + 1)
            for column in range(3):
                shown = " ▀▄█"[upper[column] + 2 * lower[column]]
                if shown != " ":
                    canvas.text(x + 4 * number + column, y + row, shown, ink)


def draw_blocks(canvas: Canvas, region: Rect, digit: str, ink: Ink) -> None:
    """Draws one digit as large as the region allows, in the middle of it, over what is there."""
    scale = min(region.width // 8, (region.height - 1) // 5, 3)
    if scale < 1:
        canvas.middle(region.x, region.y + region.height // 2, region.width, f" {digit} ", ink)
        return
    x = region.x + (region.width - 6 * scale) // 2
    y = region.y + (region.height - 5 * scale) // 2
    for row in range(5):
        for column, filled in enumerate(_pixels(digit, row)):
            if filled:
                canvas.fill(Rect(x + 2 * scale * column, y + scale * row, 2 * scale, scale), ink)


def _pixels(character: str, row: int) -> tuple[bool, bool, bool]:
    """Returns which pixels of a row are set; there is a sixth row without any."""
    pattern = _FONT.get(character, _NO_PIXELS).ljust(len(_NO_PIXELS))
    return pattern[4 * row] == "#", pattern[4 * row + 1] == "#", pattern[4 * row + 2] == "#"
