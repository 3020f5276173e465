"""Which colours go where, by hand for each colour depth, and which depth a terminal has (ux.md 2.5).

An `Ink` is what a cell is drawn with. Text that lies on one of our own backgrounds has its own foreground, with a
contrast of at least 4.5 (tests/client/test_palette.py); everything else is in the terminal's own colours, so that
it suits light and dark ones alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


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


@dataclass(frozen=True, eq=False, slots=True)
class TileInk:
    """The inks of a tile (or of an empty cell): its face, and its lower edge, half tile and half board."""

    face: Ink
    edge: Ink


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


@dataclass(frozen=True, slots=True)
class _Colours:
    """The colours that a coloured palette is made from, each pair as text on ground."""

    dark: str
    board: str
    empty: str
    tiles: Sequence[str | tuple[str, str]]  # a ground under dark text, or (text, ground)
    digit: str
    title: tuple[str, str]
    key: tuple[str, str]
    primary: tuple[str, str]
    good: tuple[str, str]
    warn: tuple[str, str]
    card: tuple[str, str]
    bold_tiles: bool = True


def _coloured(depth: Depth, colours: _Colours) -> Palette:
    def tile(colour: str | tuple[str, str]) -> TileInk:
        text, ground = (colours.dark, colour) if isinstance(colour, str) else colour
        return TileInk(Ink(text, ground, bold=colours.bold_tiles), Ink(colours.board, ground))

    def chip(pair: tuple[str, str], *, bold: bool = False) -> Ink:
        return Ink(*pair, bold=bold and colours.bold_tiles)

    tiles = (tile((colours.dark, colours.empty)), *(tile(colour) for colour in colours.tiles))
    return Palette(
        depth=depth,
        lines=False,
        board=Ink(ground=colours.board),
        rim=Ink(colours.board),
        tiles=tiles,
        largest=tiles[1],
        digit=Ink(ground=colours.digit),
        strong=Ink(bold=True),
        title=chip(colours.title, bold=True),
        key=chip(colours.key),
        primary=chip(colours.primary, bold=True),
        good=chip(colours.good),
        warn=chip(colours.warn),
        card=chip(colours.card),
        card_strong=chip(colours.card, bold=True),
    )


_TRUE = _Colours(
    dark="#241f1a",
    board="#a89a8b",
    empty="#beb1a3",
    tiles=(
        "#f2ebe0", "#efdcb4", "#f4b377", "#f5935c", "#f67d60", "#f7654a",
        "#f0dd94", "#eed167", "#ecc53f", "#e6b61c", "#ffd400",
        "#a5d987", "#63c9a0", "#5fc3d6", "#7cb3f2", "#ab9ff5", "#d99cf0", "#f59ac3",
    ),
    digit="#3c342c",
    title=("#ffffff", "#7a6655"),
    key=("#241f1a", "#cfc4b6"),
    primary=("#241f1a", "#ecc53f"),
    good=("#241f1a", "#a5d987"),
    warn=("#241f1a", "#f7836a"),
    card=("#ffffff", "#6b5c4f"),
)  # fmt: skip

_INDEXED = _Colours(
    dark="#121212",
    board="#949494",
    empty="#b2b2b2",
    tiles=(
        "#eeeeee", "#ffd7af", "#ffaf5f", "#ff875f", "#ff5f5f", "#ff5f00",
        "#ffffaf", "#ffff5f", "#ffd75f", "#ffaf00", "#ffd700",
        "#87d75f", "#5fd7af", "#5fd7ff", "#87afff", "#af87ff", "#d787ff", "#ff87d7",
    ),
    digit="#303030",
    title=("#ffffff", "#5f5f5f"),
    key=("#121212", "#d0d0d0"),
    primary=("#121212", "#ffd75f"),
    good=("#121212", "#87d75f"),
    warn=("#121212", "#ff875f"),
    card=("#ffffff", "#585858"),
)  # fmt: skip

_ON_LIGHT, _ON_DARK = "ansiblack", "ansiwhite"
_ANSI = _Colours(
    dark="ansiblack",
    board="ansibrightblack",
    empty="ansiblack",
    tiles=(
        (_ON_LIGHT, "ansiwhite"), (_ON_LIGHT, "ansigray"), (_ON_LIGHT, "ansibrightyellow"),
        (_ON_LIGHT, "ansibrightred"), (_ON_DARK, "ansired"), (_ON_LIGHT, "ansibrightmagenta"),
        (_ON_DARK, "ansimagenta"), (_ON_LIGHT, "ansibrightcyan"), (_ON_LIGHT, "ansicyan"),
        (_ON_LIGHT, "ansigreen"), (_ON_LIGHT, "ansibrightgreen"), (_ON_DARK, "ansibrightblue"),
        (_ON_DARK, "ansiblue"),
    ),
    digit="ansiwhite",
    title=(_ON_DARK, "ansiblue"),
    key=(_ON_LIGHT, "ansigray"),
    primary=(_ON_LIGHT, "ansibrightyellow"),
    good=(_ON_LIGHT, "ansibrightgreen"),
    warn=(_ON_DARK, "ansired"),
    card=(_ON_DARK, "ansiblue"),
    bold_tiles=False,  # many terminals draw bold black as grey
)  # fmt: skip


def _mono() -> Palette:
    bold, reverse = Ink(bold=True), Ink(reverse=True, bold=True)
    small, large, largest = TileInk(PLAIN, PLAIN), TileInk(bold, PLAIN), TileInk(reverse, PLAIN)
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


CLASSIC: Mapping[Depth, Palette] = {
    Depth.TRUE: _coloured(Depth.TRUE, _TRUE),
    Depth.INDEXED: _coloured(Depth.INDEXED, _INDEXED),
    Depth.ANSI: _coloured(Depth.ANSI, _ANSI),
    Depth.MONO: _mono(),
}


def depth_of(environment: Mapping[str, str]) -> Depth:
    """Returns what a terminal with this environment can show; NO_COLOR (no-color.org) has the last word."""
    term = environment.get("TERM", "").lower()
    if environment.get("NO_COLOR") or term in ("dumb", "unknown") or term.startswith("vt"):
        return Depth.MONO
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or term.endswith("-direct"):
        return Depth.TRUE
    if term in ("linux", "ansi", "cons25", "eterm-color") or term.endswith("-16color"):
        return Depth.ANSI
    return Depth.INDEXED
