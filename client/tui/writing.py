"""What a terminal must be sent so that it shows a canvas: the difference to what it shows, in few bytes.

Pure: cells in, text out; terminal.py sends it. Cells that have changed are written as runs, and the runs of one ink
one after the other, since naming a colour takes more bytes than going to a place. Everything that is written is
either a grapheme of a canvas, which holds no control characters (canvas.py), or a sequence made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import ne

from .canvas import BLANK, Cell
from .palette import PLAIN, Depth, Ink

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"  # a terminal that knows these shows everything between them at once
ERASE = "\x1b[0m\x1b[H\x1b[2J"

_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "gray")
_BRIGHT_NAMES = ("brightblack", "brightred", "brightgreen", "brightyellow", "brightblue", "brightmagenta",
                 "brightcyan", "white")  # fmt: skip
_CUBE = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF)
_BRIDGE = 3  # cells; a sequence that goes over them has as many bytes
_NOWHERE = (-1, -1)
_TEXT, _GROUND = 30, 40  # the first colours of text and of ground; 60 more are the bright ones


class Writing:
    """What a terminal of this depth shows, as far as it was told by us."""

    def __init__(self, depth: Depth) -> None:
        self._depth = depth
        self._lines: Sequence[Sequence[Cell]] | None = None  # None: nobody knows
        self._changes: dict[tuple[Ink, Ink], str] = {}

    def forget(self) -> None:
        """Somebody else has written on the terminal, or it has another size: the next picture is sent whole."""
        self._lines = None

    def update(self, lines: Sequence[Sequence[Cell]]) -> str:
        """Returns what shows these lines; they are remembered, so they must not be changed afterwards."""
        before, start = self._lines, ""
        if before is None or len(before) != len(lines) or any(map(_differ_in_length, before, lines)):
            before, start = [[BLANK] * len(line) for line in lines], ERASE
        self._lines = lines
        runs: dict[Ink, list[tuple[int, int, int, str]]] = {}
        for y, (line, old) in enumerate(zip(lines, before, strict=True)):
            if line != old:
                for start_x, stop_x, text, ink in changed_runs(line, old):
                    runs.setdefault(ink, []).append((y, start_x, stop_x, text))
        if not runs:
            return start
        return f"{BEGIN}{start}{''.join(self._written(runs, len(lines[0])))}\x1b[m{END}"

    def _written(self, runs: dict[Ink, list[tuple[int, int, int, str]]], columns: int) -> Iterator[str]:
        now, here = PLAIN, _NOWHERE
        for ink, places in runs.items():
            if ink is not now:
                yield self._change(now, ink)
                now = ink
            for y, x, stop, text in places:
                yield _way(here, y, x)
                yield text
                # Terminals do not agree how wide everything is, nor where they are behind their last column.
                here = (y, stop) if text.isascii() and stop < columns else _NOWHERE

    def _change(self, before: Ink, after: Ink) -> str:
        known = self._changes.get((before, after))
        if known is None:
            known = self._changes[before, after] = change(before, after, self._depth)
        return known


def _differ_in_length(one: Sequence[Cell], other: Sequence[Cell]) -> bool:
    return len(one) != len(other)


def changed_runs(line: Sequence[Cell], old: Sequence[Cell]) -> Iterator[tuple[int, int, str, Ink]]:
    """Yields first column, column after, text and ink of each run of cells of one ink that are not as they were.

    A few cells of the same ink that have not changed are written again: that is shorter than to leave them out.
    """
    changed = list(map(ne, line, old))
    changed.append(True)  # a column after the last, so that looking for the next one always finds it
    column, columns = changed.index(True), len(line)
    while column < columns:
        start, ink, end = column, line[column][1], column + 1
        while column < columns and column - end < _BRIDGE:
            shown, its_ink = line[column]
            if shown and its_ink is not ink:
                break
            column += 1
            # The second half of a wide grapheme goes with the first, even if there was a second half before.
            if not shown or changed[column - 1]:
                end = column
        yield start, end, "".join([shown for shown, _ in line[start:end]]), ink
        column = changed.index(True, end)


def _way(here: tuple[int, int], y: int, x: int) -> str:
    """Returns the shortest way to a cell from where the cursor is."""
    if here == (y, x):
        return ""
    if x == 0:
        return f"\x1b[{y + 1}H"
    if here[0] == y and x > here[1]:
        return "\x1b[C" if x == here[1] + 1 else f"\x1b[{x - here[1]}C"
    return f"\x1b[{y + 1};{x + 1}H"


# ── colours ──────────────────────────────────────────────────────────────────────────────────────────────────────


def change(before: Ink, after: Ink, depth: Depth) -> str:
    """Returns what turns one ink into another: all anew, or only what is different, whichever is shorter."""
    anew = ";".join(["", *_parameters(PLAIN, after, depth)])
    changed = ";".join(_parameters(before, after, depth))
    shorter = changed if len(changed) <= len(anew) else anew
    return f"\x1b[{shorter}m" if before is not after and (changed or anew) else ""


def _parameters(before: Ink, after: Ink, depth: Depth) -> list[str]:
    switches = ((before.bold, after.bold, "1", "22"), (before.underline, after.underline, "4", "24"),
                (before.reverse, after.reverse, "7", "27"))  # fmt: skip
    found = [on if now else off for was, now, on, off in switches if was != now]
    if before.text != after.text:
        found.append(colour(after.text, _TEXT, depth))
    if before.ground != after.ground:
        found.append(colour(after.ground, _GROUND, depth))
    return found


def colour(name: str, first: int, depth: Depth) -> str:
    """Returns the parameters of a colour; `first` is 30 for text and 40 for ground."""
    if not name or depth is Depth.MONO:
        return str(first + 9)
    if name.startswith("ansi"):
        bright = name.removeprefix("ansi") in _BRIGHT_NAMES
        names = _BRIGHT_NAMES if bright else _NAMES
        return str(first + names.index(name.removeprefix("ansi")) + (60 if bright else 0))
    red, green, blue = (int(name[start : start + 2], 16) for start in (1, 3, 5))
    if depth is Depth.TRUE:
        return f"{first + 8};2;{red};{green};{blue}"
    return f"{first + 8};5;{_index(red, green, blue)}"


def _index(red: int, green: int, blue: int) -> int:
    """Returns which of the 256 colours this is; a palette for them uses no other (palette.py)."""
    if red == green == blue and red not in _CUBE:
        return 232 + (red - 8) // 10
    return 16 + 36 * _CUBE.index(red) + 6 * _CUBE.index(green) + _CUBE.index(blue)
