"""Which colours go where: every ink of the screen, for each palette at each colour depth (ux.md 2.5).

An `Ink` is what a cell is drawn with. Text that lies on one of our own backgrounds has its own foreground, with a
contrast of at least 4.5 (tests/client/test_palette.py); everything else is in the terminal's own colours, so that
it suits light and dark ones alike. The colours themselves are in colours.py, which palette a person wants in look.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from . import colours
from .colours import Colours


class Depth(IntEnum):
    """How many colours a terminal shows, in bits."""

    MONO = 1
    ANSI = 4
    INDEXED = 8
    TRUE = 24


@dataclass(frozen=True, eq=False, slots=True)
class Ink:
    """How a cell is drawn. Colours are "#rrggbb", an "ansi…" name, or "" for the terminal's own.

    Inks are compared by identity: a palette makes each of its inks once.
    """

    text: str = ""
    ground: str = ""
    bold: bool = False
    reverse: bool = False
    underline: bool = False


PLAIN = Ink()


@cache
def halves(upper: str, lower: str) -> Ink:
    """Returns the ink in which `▄` shows one colour above another; there is only one for each pair."""
    return Ink(lower, upper)


@dataclass(frozen=True, eq=False, slots=True)
class TileInk:
    """The inks of a tile (or of an empty cell): its face, its lower edge (half tile, half board), its face if new."""

    face: Ink
    edge: Ink
    new: Ink


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Palette:
    """Every ink of the screen. `tiles[0]` is the empty cell, `tiles[e]` the tile 2^e; larger tiles go round."""

    depth: Depth
    lines: bool  # tiles are drawn with lines instead of colours
    board: Ink
    rim: Ink  # the upper edge of a board: half board, half terminal
    tiles: tuple[TileInk, ...]
    largest: TileInk  # the largest tile of a board, where lines are drawn
    digit: Ink  # the blocks of the countdown
    strong: Ink
    title: Ink  # the chips: the program's name, a key, the highlighted command, good and bad news
    key: Ink
    primary: Ink
    good: Ink
    warn: Ink
    card: Ink  # the card with one's own figures, and the same in bold
    card_strong: Ink

    def tile(self, exponent: int) -> TileInk:
        """Returns the inks of the tile 2^exponent, or of the empty cell for 0."""
        count = len(self.tiles) - 1
        return self.tiles[1 + (exponent - 1) % count if exponent else 0]


def _coloured(depth: Depth, made_of: Colours) -> Palette:
    def tile(colour: str | tuple[str, str]) -> TileInk:
        text, ground = (made_of.dark, colour) if isinstance(colour, str) else colour
        bold = made_of.bold_tiles
        new = Ink(text, ground, bold=bold, underline=True)
        return TileInk(Ink(text, ground, bold=bold), halves(ground, made_of.board), new)

    def chip(pair: tuple[str, str], *, bold: bool = False) -> Ink:
        return Ink(*pair, bold=bold and made_of.bold_tiles)

    tiles = (tile((made_of.dark, made_of.empty)), *(tile(colour) for colour in made_of.tiles))
    return Palette(
        depth=depth,
        lines=False,
        board=Ink(ground=made_of.board),
        rim=halves("", made_of.board),
        tiles=tiles,
        largest=tiles[1],
        digit=Ink(ground=made_of.digit),
        strong=Ink(bold=True),
        title=chip(made_of.title, bold=True),
        key=chip(made_of.key),
        primary=chip(made_of.primary, bold=True),
        good=chip(made_of.good),
        warn=chip(made_of.warn),
        card=chip(made_of.card),
        card_strong=chip(made_of.card, bold=True),
    )


def _mono() -> Palette:
    bold, reverse = Ink(bold=True), Ink(reverse=True, bold=True)
    small = TileInk(PLAIN, PLAIN, Ink(underline=True))
    large = TileInk(bold, PLAIN, Ink(bold=True, underline=True))
    largest = TileInk(reverse, PLAIN, Ink(reverse=True, bold=True, underline=True))
    return Palette(
        depth=Depth.MONO,
        lines=True,
        board=PLAIN,
        rim=PLAIN,
        tiles=(small, *(small,) * 6, *(large,) * 60),
        largest=largest,
        digit=reverse,
        strong=bold,
        title=reverse,
        key=Ink(reverse=True),
        primary=reverse,
        good=bold,
        warn=reverse,
        card=PLAIN,
        card_strong=bold,
    )


_MONO = _mono()


def _at_every_depth(true: Colours, indexed: Colours, ansi: Colours) -> Mapping[Depth, Palette]:
    return {
        Depth.TRUE: _coloured(Depth.TRUE, true),
        Depth.INDEXED: _coloured(Depth.INDEXED, indexed),
        Depth.ANSI: _coloured(Depth.ANSI, ansi),
        Depth.MONO: _MONO,
    }


PALETTES: Mapping[str, Mapping[Depth, Palette]] = {
    "classic": _at_every_depth(colours.CLASSIC_TRUE, colours.CLASSIC_INDEXED, colours.CLASSIC_ANSI),
    "colour-blind": _at_every_depth(colours.BLIND_TRUE, colours.BLIND_INDEXED, colours.BLIND_ANSI),
    "high-contrast": _at_every_depth(colours.LOUD_TRUE, colours.LOUD_INDEXED, colours.LOUD_ANSI),
    "mono": dict.fromkeys(Depth, _MONO),
}
CLASSIC = PALETTES["classic"]


def depth_of(environment: Mapping[str, str]) -> Depth:
    """Returns what a terminal with this environment can show; NO_COLOR (no-color.org) has the last word."""
    term = environment.get("TERM", "").lower()
    if environment.get("NO_COLOR") or term in ("dumb", "unknown") or term.startswith("vt"):
        return Depth.MONO
    if term in ("linux", "ansi", "cons25", "eterm-color") or term.endswith("-16color"):
        return Depth.ANSI
    # GNU screen hands the variable on from the terminal it runs in, and does not know so many colours itself.
    tells_true = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") and "STY" not in environment
    if tells_true or term.endswith("-direct") or "WT_SESSION" in environment:
        return Depth.TRUE
    return Depth.INDEXED
