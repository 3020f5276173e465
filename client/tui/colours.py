"""The colours of every palette at every depth, chosen by hand (ux.md 2.5). Nothing but data; palette.py uses it.

A colour is "#rrggbb" or one of the sixteen "ansi…" names; with 256 colours only such as a terminal has. What is
promised of them (contrast, neighbours that differ) is in tests/client/test_palette.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """What a coloured palette is made from; each pair is text on ground."""

    dark: str  # the text of a tile that has no text colour of its own
    board: str
    empty: str
    tiles: Sequence[str | tuple[str, str]]  # a ground, or (text, ground), for 2, 4, 8, …
    digit: str
    title: tuple[str, str]
    key: tuple[str, str]
    primary: tuple[str, str]
    good: tuple[str, str]
    warn: tuple[str, str]
    card: tuple[str, str]
    bold_tiles: bool = True


# ── classic: warm to gold, as everyone knows it ──────────────────────────────────────────────────────────────────

CLASSIC_TRUE = Colours(
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

CLASSIC_INDEXED = Colours(
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

# The Linux console has sixteen colours of text and only eight of ground: it shows the bright grounds as the dark
# ones. So text must be legible on both, and six hues in a row must differ without their brightness.
_BLACK, _WHITE, _YELLOW = "ansiblack", "ansiwhite", "ansibrightyellow"
CLASSIC_ANSI = Colours(
    dark=_BLACK,
    board="ansibrightblack",
    empty=_BLACK,
    tiles=(
        "ansiwhite", "ansibrightcyan", "ansibrightgreen", (_WHITE, "ansired"), (_WHITE, "ansimagenta"),
        (_WHITE, "ansibrightblue"), "ansigray", "ansicyan", "ansigreen", (_YELLOW, "ansired"),
        (_YELLOW, "ansiblue"), ("ansiblue", "ansigray"), ("ansiblue", "ansibrightcyan"), (_WHITE, "ansimagenta"),
    ),
    digit="ansiwhite",
    title=(_WHITE, "ansiblue"),
    key=(_BLACK, "ansigray"),
    primary=(_BLACK, "ansibrightgreen"),
    good=(_BLACK, "ansibrightcyan"),
    warn=(_WHITE, "ansired"),
    card=(_WHITE, "ansiblue"),
    bold_tiles=False,  # many terminals draw bold black as grey
)  # fmt: skip

# ── colour-blind: cividis, from blue over grey to yellow, then from white back to blue ───────────────────────────

_PALE = "#ffffff"
BLIND_TRUE = Colours(
    dark="#06090d",
    board="#0d1117",
    empty="#22272e",
    tiles=(
        (_PALE, "#14376f"), (_PALE, "#34486d"), (_PALE, "#4d576c"), (_PALE, "#63686f"),
        "#7d7c78", "#918d78", "#a69d75", "#bcae6c", "#d3c164", "#ead357", "#ffea46",
        "#ffffff", "#cfdcff", "#9fbcff", "#6f9bff", (_PALE, "#3a66e0"), (_PALE, "#2846b0"), (_PALE, "#3a2a78"),
    ),
    digit="#ffea46",
    title=(_PALE, "#34486d"),
    key=("#06090d", "#c4c4c4"),
    primary=("#06090d", "#ffea46"),
    good=("#06090d", "#9fbcff"),
    warn=("#06090d", "#ffffff"),
    card=(_PALE, "#22325a"),
)  # fmt: skip

BLIND_INDEXED = Colours(
    dark="#121212",
    board="#1c1c1c",
    empty="#303030",
    tiles=(
        (_PALE, "#00005f"), (_PALE, "#005f87"), (_PALE, "#4e4e4e"), (_PALE, "#5f5f87"),
        "#808080", "#87875f", "#afaf87", "#afaf5f", "#d7d787", "#d7d75f", "#ffff5f",
        "#ffffff", "#d7d7ff", "#afafff", "#87afff", (_PALE, "#005fd7"), (_PALE, "#0000af"), (_PALE, "#5f00af"),
    ),
    digit="#ffff5f",
    title=(_PALE, "#00005f"),
    key=("#121212", "#c6c6c6"),
    primary=("#121212", "#ffff5f"),
    good=("#121212", "#afafff"),
    warn=("#121212", "#ffffff"),
    card=(_PALE, "#00005f"),
)  # fmt: skip

BLIND_ANSI = Colours(
    dark=_BLACK,
    board="ansibrightblack",
    empty=_BLACK,
    tiles=(
        (_WHITE, "ansiblue"), "ansicyan", "ansigray", (_WHITE, "ansibrightblue"), "ansibrightcyan", "ansiwhite",
        (_YELLOW, "ansiblue"), ("ansiblue", "ansicyan"), ("ansiblue", "ansigray"),
    ),
    digit="ansiwhite",
    title=(_WHITE, "ansiblue"),
    key=(_BLACK, "ansigray"),
    primary=(_BLACK, "ansiwhite"),
    good=(_BLACK, "ansicyan"),
    warn=(_YELLOW, "ansiblue"),
    card=(_WHITE, "ansiblue"),
    bold_tiles=False,
)  # fmt: skip

# ── high-contrast: black on bright, and no two neighbours of one hue ─────────────────────────────────────────────

LOUD_TRUE = Colours(
    dark="#000000",
    board="#000000",
    empty="#2e2e2e",
    tiles=(
        "#ffffff", "#ffe14d", "#4ddcff", "#ffa24d", "#8dff7a", "#ff9df2", "#c8b6ff", "#fff59e", "#5fffd0",
        "#ff8f8f", "#ffd400", "#9ecbff", "#d9ff4d", "#ffc4a3", "#7affff", "#e9a8ff", "#c4c4c4", "#ffb3c6",
    ),
    digit="#ffffff",
    title=("#000000", "#ffffff"),
    key=("#000000", "#ffffff"),
    primary=("#000000", "#ffe14d"),
    good=("#000000", "#8dff7a"),
    warn=("#000000", "#ff9d8f"),
    card=("#ffffff", "#262626"),
)  # fmt: skip

LOUD_INDEXED = Colours(
    dark="#000000",
    board="#000000",
    empty="#303030",
    tiles=(
        "#ffffff", "#ffd75f", "#5fd7ff", "#ffaf5f", "#87ff87", "#ff87ff", "#d7afff", "#ffffaf", "#5fffd7",
        "#ff8787", "#ffd700", "#87d7ff", "#d7ff5f", "#ffd7af", "#5fffff", "#ffafff", "#c6c6c6", "#ffafaf",
    ),
    digit="#ffffff",
    title=("#000000", "#ffffff"),
    key=("#000000", "#ffffff"),
    primary=("#000000", "#ffd75f"),
    good=("#000000", "#87ff87"),
    warn=("#000000", "#ffaf87"),
    card=("#ffffff", "#262626"),
)  # fmt: skip

LOUD_ANSI = Colours(
    dark=_BLACK,
    board="ansibrightblack",
    empty=_BLACK,
    tiles=(
        "ansiwhite", "ansibrightcyan", (_WHITE, "ansiblue"), "ansibrightgreen", "ansigray", "ansicyan",
        (_YELLOW, "ansiblue"), "ansigreen", ("ansiblue", "ansigray"), ("ansiblue", "ansibrightcyan"),
        (_WHITE, "ansired"), (_WHITE, "ansimagenta"),
    ),
    digit="ansiwhite",
    title=(_BLACK, "ansiwhite"),
    key=(_BLACK, "ansiwhite"),
    primary=(_BLACK, "ansibrightgreen"),
    good=(_BLACK, "ansibrightcyan"),
    warn=(_YELLOW, "ansiblue"),
    card=(_WHITE, "ansiblue"),
    bold_tiles=False,
)  # fmt: skip
