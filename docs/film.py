"""Makes the README's film: docs/race.cast, an asciicast of a race shown again, and docs/race.gif, drawn from the cast.

The race is docs/race.r2048, a true record of `race2048 demo`; its frames are those of `race2048 replay --export cast`.
The GIF says in its comment of which cast it is: tests/client/test_film.py fails when the cast is no longer what the
program shows, or the GIF not of this cast. Owns how cells become pixels; the letters are lettering.py's.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from pathlib import Path

import pyte
from PIL import Image, ImageDraw

from client.reading import read_record
from client.replay import Replay
from client.timeline import open_timeline
from client.tui.canvas import Canvas
from client.tui.cast import cast
from client.tui.palette import CLASSIC, Depth
from client.tui.replay_cast import frames
from client.tui.replay_keys import Show

from .lettering import HEIGHT, LEVELS, WIDTH, letter

FOLDER = Path(__file__).parent
RECORD, CAST, GIF = FOLDER / "race.r2048", FOLDER / "race.cast", FOLDER / "race.gif"
COLUMNS, ROWS = 80, 24
TITLE = "race2048: four computer players, the same tiles"

_MARGIN, _BAR = 14, 28
_TEXT, _GROUND, _DOT = "e8e2d9", "1d1b19", "57514a"
_STEP_MS = 80  # for each of these there is one picture at most
_TICK_MS = 10  # in these a GIF counts
_SHADES = {"░": 1, "▒": 2, "▓": 3}  # in quarters
_COLOURS_MAX = 256

Look = tuple[str, str, str, bool]  # of a cell: what is written, its colour, the ground's, bold


def film() -> str:
    """Returns the cast as it is to stand in docs/."""
    timeline = open_timeline(read_record(RECORD).record)
    show = Show(replay=Replay(timeline=timeline))
    pictures = frames(show, COLUMNS, ROWS, CLASSIC[Depth.TRUE])
    return "".join(f"{line}\n" for line in cast(_thinned(pictures), COLUMNS, ROWS, TITLE))


def _thinned(pictures: Iterable[tuple[int, Canvas]]) -> Iterator[tuple[int, Canvas]]:
    """Yields the last picture of each step."""
    for step, those in groupby(pictures, key=lambda picture: picture[0] // _STEP_MS):
        yield step * _STEP_MS, list(those)[-1][1]


def digest(cast_text: str) -> str:
    """Returns the SHA-256 of a cast, in hexadecimal."""
    return hashlib.sha256(cast_text.encode()).hexdigest()


def comment(cast_text: str) -> str:
    """Returns what a GIF of this cast says of itself."""
    return f"race2048, of race.cast with SHA-256 {digest(cast_text)}"


# ── from the cast to cells ───────────────────────────────────────────────────────────────────────────────────────


def shots(cast_text: str) -> Iterator[tuple[int, list[list[Look]]]]:
    """Yields what a terminal shows that is fed with a cast: how long, in milliseconds, and every row's cells."""
    header, *events = map(json.loads, cast_text.splitlines())
    screen = pyte.Screen(header["width"], header["height"])
    stream = pyte.Stream(screen)
    for (shown_s, _, sent), (next_s, _, _) in pairwise(events):
        stream.feed(sent)
        rows = [[_look(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]
        yield round((next_s - shown_s) * 1_000 / _TICK_MS) * _TICK_MS, rows


def _look(cell: pyte.screens.Char) -> Look:
    text = _TEXT if cell.fg == "default" else cell.fg
    ground = _GROUND if cell.bg == "default" else cell.bg
    return (cell.data, ground, text, cell.bold) if cell.reverse else (cell.data, text, ground, cell.bold)


# ── from cells to pixels ─────────────────────────────────────────────────────────────────────────────────────────


class Brush:
    """Draws cells in colours of one table for the whole film, so no picture of the GIF needs its own."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._cells: dict[Look, Image.Image] = {}

    def window(self) -> Image.Image:
        """Returns a window with nothing in it."""
        width, height = COLUMNS * WIDTH + 2 * _MARGIN, ROWS * HEIGHT + _MARGIN + _BAR
        image = Image.new("P", (width, height), self._number(_GROUND))
        pen = ImageDraw.Draw(image)
        for dot in range(3):
            pen.ellipse((13 + 16 * dot, 10, 23 + 16 * dot, 20), fill=self._number(_DOT))
        return image

    def cell(self, look: Look) -> Image.Image:
        """Returns a cell, drawn once."""
        if look not in self._cells:
            self._cells[look] = self._drawn(*look)
        return self._cells[look]

    def table(self) -> bytes:
        """Returns the colours used so far, three bytes each."""
        assert len(self._numbers) <= _COLOURS_MAX, f"{len(self._numbers)} colours are too many for a GIF"
        return b"".join(map(bytes.fromhex, self._numbers))

    def _number(self, colour: str) -> int:
        return self._numbers.setdefault(colour, len(self._numbers))

    def _drawn(self, sign: str, text: str, ground: str, bold: bool) -> Image.Image:
        image = Image.new("P", (WIDTH, HEIGHT), self._number(ground))
        pen = ImageDraw.Draw(image)
        middle = HEIGHT // 2
        if sign in _SHADES:
            pen.rectangle((0, 0, WIDTH, HEIGHT), fill=self._number(_mixed(text, ground, _SHADES[sign], 4)))
        elif sign in _SOLID:
            for left, top, right, bottom in _SOLID[sign]:
                pen.rectangle((left, top, right - 1, bottom - 1), fill=self._number(text))
        elif sign == "●":
            pen.ellipse((0, middle - 5, WIDTH - 1, middle + 4), fill=self._number(text))
        elif sign == "◆":
            pen.polygon([(5, middle - 5), (9, middle), (5, middle + 5), (0, middle)], fill=self._number(text))
        elif sign != " ":
            for x, y, level in letter(sign, bold=bold):
                image.putpixel((x, y), self._number(_mixed(text, ground, level, LEVELS)))
        return image


_MIDDLE = HEIGHT // 2
_SOLID = {  # left, top, the column after, the row after
    "▄": [(0, _MIDDLE, WIDTH, HEIGHT)],
    "▀": [(0, 0, WIDTH, _MIDDLE)],
    "█": [(0, 0, WIDTH, HEIGHT)],
    "━": [(0, _MIDDLE - 1, WIDTH, _MIDDLE + 1)],
    "─": [(0, _MIDDLE, WIDTH, _MIDDLE + 1)],
    "│": [(WIDTH // 2, 0, WIDTH // 2 + 1, HEIGHT)],
}


def _mixed(one: str, other: str, part: int, whole: int) -> str:
    """Returns so many parts of one colour, and the rest of another."""
    pairs = zip(bytes.fromhex(one), bytes.fromhex(other), strict=True)
    return bytes((part * a + (whole - part) * b) // whole for a, b in pairs).hex()


def gif(cast_text: str) -> bytes:
    """Returns the film as a GIF, which is played again and again; only what changes is in its pictures."""
    brush, images, waits = Brush(), [], []
    image = brush.window()
    before: list[list[Look]] = [[("", "", "", False)] * COLUMNS for _ in range(ROWS)]
    for wait_ms, rows in shots(cast_text):
        image = image.copy()
        for y, (row, old) in enumerate(zip(rows, before, strict=True)):
            for x, look in enumerate(row):
                if look != old[x]:
                    image.paste(brush.cell(look), (_MARGIN + x * WIDTH, _BAR + y * HEIGHT))
        before = rows
        images.append(image)
        waits.append(wait_ms)
    for each in images:
        each.putpalette(brush.table())
    file = io.BytesIO()
    images[0].save(
        file, "GIF", save_all=True, append_images=images[1:], duration=waits, loop=0, comment=comment(cast_text)
    )
    return file.getvalue()


def make() -> None:
    """Writes the cast and the GIF."""
    cast_text = film()
    CAST.write_text(cast_text, encoding="utf-8", newline="\n")
    GIF.write_bytes(gif(cast_text))
