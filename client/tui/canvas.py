"""A screen as cells, and the only ways to write on it.

Owns widths and clipping: whatever is written, each cell holds one printable grapheme, a wide one covers two cells,
and nothing leaves its region. Knows neither sessions nor terminals; app.py and docs/pictures.py read the cells.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from client.tui.palette import PLAIN, Ink

Cell: TypeAlias = tuple[str, Ink]  # the text is "" in a cell that a wide grapheme before it covers

BLANK: Cell = (" ", PLAIN)
_UNSHOWN = "\N{REPLACEMENT CHARACTER}"
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS_MAX = 2  # on one letter, as in protocol/text.py
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)  # terminals do not agree how wide two of them are
# Latin and Cyrillic letters, dashes and quotes, arrows, lines and blocks: one column each, which wcwidth says too.
_NARROW = (range(0xC0, 0x250), range(0x2500, 0x25A0), range(0x400, 0x483), range(0x2190, 0x2200), range(0x2010, 0x2028))
_SKIN_TONES = range(0x1F3FB, 0x1F400)


class Rect(NamedTuple):
    """A region of the screen, in cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column after it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row after it."""
        return self.y + self.height


def graphemes(text: str) -> Iterator[tuple[str, int]]:
    """Yields what `text` looks like, cell by cell: a printable grapheme and its width, 1 or 2.

    Control characters become �; variation selectors, skin tones and surplus marks are left out, since terminals
    disagree about them and a row would shift.
    """
    pending, pending_width, marks = "", 0, 0
    for character in text:
        shown, width = _shown(character)
        if width > 0:
            if pending:
                yield pending, pending_width
            pending, pending_width, marks = shown, width, 0
        elif shown and pending and marks < _MARKS_MAX:
            pending, marks = pending + shown, marks + 1
    if pending:
        yield pending, pending_width


def _shown(character: str) -> tuple[str, int]:
    if " " <= character <= "~":
        return character, 1
    number = ord(character)
    if any(number in narrow for narrow in _NARROW):
        return character, 1
    if unicodedata.category(character) in _HIDDEN:
        return _UNSHOWN, 1
    if number in _FLAG_LETTERS:
        return chr(number - _FLAG_LETTERS.start + ord("A")), 1
    if number in _SKIN_TONES or 0xFE00 <= number <= 0xFE0F:
        return "", 0
    from wcwidth import wcwidth  # it takes long to import, and most screens do without

    width = wcwidth(character)
    return (_UNSHOWN, 1) if width < 0 else (character, width)


def columns_of(text: str) -> int:
    """Returns how many columns `text` takes on a canvas."""
    if text.isascii() and text.isprintable():
        return len(text)
    return len(cells_of(text, PLAIN))


def clipped(text: str, columns: int) -> str:
    """Returns `text`, or its longest beginning and "…", in at most `columns` columns."""
    if columns_of(text) <= columns:
        return text
    kept, room = [], columns - 1
    for shown, width in graphemes(text):
        if width > room:
            break
        kept.append(shown)
        room -= width
    return "".join(kept).rstrip() + "…" if columns > 0 else ""


def clipped_left(text: str, columns: int) -> str:
    """Returns `text`, or "…" and its longest end, in at most `columns` columns: of a path the end tells most."""
    if columns_of(text) <= columns:
        return text
    shown = list(graphemes(text))
    room, start = columns - 1, len(shown)
    while start and shown[start - 1][1] <= room:
        start -= 1
        room -= shown[start][1]
    return "…" + "".join(grapheme for grapheme, _ in shown[start:]) if columns > 0 else ""


def wrapped(text: str, columns: int) -> list[str]:
    """Returns `text` as lines of at most `columns` columns, broken between words; a longer word is clipped."""
    lines: list[str] = []
    for word in text.split():
        if lines and columns_of(lines[-1]) + 1 + columns_of(word) <= columns:
            lines[-1] += f" {word}"
        else:
            lines.append(clipped(word, columns))
    return lines


@lru_cache(maxsize=2_048)
def cells_of(text: str, ink: Ink) -> tuple[Cell, ...]:
    """Returns a text as the cells it takes, remembered."""
    cells: list[Cell] = []
    for shown, width in graphemes(text):
        cells.append((shown, ink))
        if width == 2:
            cells.append(("", ink))
    return tuple(cells)


class Canvas:
    """Columns × rows of cells, blank at first. What lies outside is not drawn, so no size can make it fail."""

    __slots__ = ("columns", "lines", "rows")

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
        self.lines: list[list[Cell]] = [[BLANK] * self.columns for _ in range(self.rows)]

    def paste(self, x: int, y: int, cells: Sequence[Cell]) -> None:
        """Puts ready cells from column x on."""
        end = min(x + len(cells), self.columns)
        if not 0 <= y < self.rows or end <= max(x, 0):
            return
        line = self.lines[y]
        if line[max(x, 0)][0] == "":
            _split(line, x)
        if end < self.columns and line[end][0] == "":
            _split(line, end)
        if x < 0 or end - x < len(cells):
            cut = list(cells)
            _split(cut, -x)
            _split(cut, end - x)
            cells, x = cut[max(-x, 0) : end - x], max(x, 0)
        line[x:end] = cells

    def text(self, x: int, y: int, text: str, ink: Ink = PLAIN, columns: int | None = None) -> int:
        """Writes `text` from column x on, clipped to `columns`, and returns the column after it."""
        room = self.columns - x if columns is None else min(columns, self.columns - x)
        if room <= 0:
            return x
        cells = cells_of(text, ink)
        if len(cells) > room:
            cells = cells_of(clipped(text, room), ink)
        self.paste(x, y, cells)
        return x + len(cells)

    def right(self, end: int, y: int, text: str, ink: Ink = PLAIN, columns: int | None = None) -> int:
        """Writes `text` so that it ends before column `end`, and returns the column it begins at."""
        text = clipped(text, end if columns is None else columns)
        start = end - columns_of(text)
        self.text(start, y, text, ink)
        return start

    def middle(self, x: int, y: int, columns: int, text: str, ink: Ink = PLAIN) -> None:
        """Writes `text` in the middle of `columns` columns."""
        text = clipped(text, columns)
        self.text(x + (columns - columns_of(text)) // 2, y, text, ink)

    def fill(self, region: Rect, ink: Ink, shown: str = " ") -> None:
        """Fills a region with one grapheme of width 1."""
        row = [(shown, ink)] * region.width
        for y in range(max(region.y, 0), min(region.bottom, self.rows)):
            self.paste(region.x, y, row)


def _split(line: list[Cell], x: int) -> None:
    """Blanks a wide grapheme that has one half before column x and one behind."""
    if 0 < x < len(line) and line[x][0] == "":
        line[x - 1] = (" ", line[x - 1][1])
        line[x] = (" ", line[x][1])


def text_of(canvas: Canvas) -> list[str]:
    """Returns the rows of a canvas as text without colours, for tests and for looking."""
    return ["".join(shown for shown, _ in line).rstrip() for line in canvas.lines]
