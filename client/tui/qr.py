"""A link as a QR code in half blocks, for a canvas and for the shell. segno makes the modules, we draw them.

A scanner wants dark modules on a light ground with a light margin around them, whatever the terminal's theme is. So
both colours are set, and a dark module is always the foreground of a block. Without colours the cells are reversed:
dark on light where the terminal shows light text on a dark ground, as most do; where it is the other way round the
code comes out inverted, which phones read as well.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache

from client.link import LinkError, parse_link

from .canvas import Canvas
from .palette import Depth, Ink

QUIETS = (4, 2)  # modules of margin: what the standard asks for, and what scanners make do with
TEXT_BYTES_MAX = 200  # a link to a name of 100 characters; a larger code would not fit a screen

INKS: Mapping[Depth, Ink] = {
    Depth.MONO: Ink(reverse=True),
    Depth.ANSI: Ink("ansiblack", "ansigray"),  # terminals of eight colours have no brighter ground
    Depth.INDEXED: Ink("#000000", "#ffffff"),
    Depth.TRUE: Ink("#000000", "#ffffff"),
}
_SGR: Mapping[Depth, str] = {
    Depth.MONO: "7",
    Depth.ANSI: "30;47",
    Depth.INDEXED: "38;5;16;48;5;231",
    Depth.TRUE: "38;2;0;0;0;48;2;255;255;255",
}
_BLOCKS = " ▄▀█"  # by the upper module times two plus the lower one; 1 is dark


@lru_cache(maxsize=16)
def blocks(text: str, quiet: int) -> tuple[str, ...]:
    """Returns the rows of the code for `text` with so many modules of margin; none if there is no code for it."""
    if not 0 < len(text.encode(errors="surrogatepass")) <= TEXT_BYTES_MAX or not text.isprintable():
        return ()
    import segno  # takes as long to import as the rest of a screen

    modules = segno.make(text, error="l", micro=False).matrix
    side = len(modules) + 2 * quiet
    margin = bytes(quiet)
    rows = (
        [bytes(side)] * quiet + [margin + bytes(row) + margin for row in modules] + [bytes(side)] * (quiet + side % 2)
    )
    return tuple(
        "".join(_BLOCKS[2 * upper + lower] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )


@lru_cache(maxsize=4)
def link_to_scan(link: str) -> str:
    """Returns a link if a phone beside this computer could follow it, else nothing."""
    try:
        lobby = parse_link(link).lobby
    except LinkError:
        return ""
    return "" if lobby is None or lobby.this_computer else link


def largest_blocks(text: str, columns: int, rows: int) -> tuple[str, ...]:
    """Returns the code with as wide a margin as fits, or nothing if it does not fit."""
    for quiet in QUIETS:
        found = blocks(text, quiet)
        if found and len(found[0]) <= columns and len(found) <= rows:
            return found
    return ()


def draw_qr(canvas: Canvas, x: int, y: int, rows: tuple[str, ...], depth: Depth) -> None:
    """Draws a code with its upper left corner there."""
    for step, row in enumerate(rows):
        canvas.text(x, y + step, row, INKS[depth])


def shell_lines(rows: tuple[str, ...], depth: Depth) -> list[str]:
    """Returns a code as lines for a terminal without a screen of ours."""
    return [f"\x1b[{_SGR[depth]}m{row}\x1b[0m" for row in rows]


def can_show(out: object, environment: Mapping[str, str]) -> bool:
    """Tells whether this stream is a terminal that has colours or reverse, and half blocks."""
    if not isinstance(out, io.TextIOBase) or not out.isatty() or environment.get("TERM", "dumb") in ("dumb", "unknown"):
        return False
    try:
        _BLOCKS.encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
