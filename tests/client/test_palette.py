import math
from collections.abc import Callable

import pytest

from client.tui.palette import PALETTES, PLAIN, Depth, Ink, Palette, depth_of

Rgb = tuple[float, float, float]

# What terminals make of the sixteen names: xterm's colours, and those of the VGA text mode.
XTERM = {
    "ansiblack": "#000000", "ansired": "#cd0000", "ansigreen": "#00cd00", "ansiyellow": "#cdcd00",
    "ansiblue": "#0000ee", "ansimagenta": "#cd00cd", "ansicyan": "#00cdcd", "ansigray": "#e5e5e5",
    "ansibrightblack": "#7f7f7f", "ansibrightred": "#ff0000", "ansibrightgreen": "#00ff00",
    "ansibrightyellow": "#ffff00", "ansibrightblue": "#5c5cff", "ansibrightmagenta": "#ff00ff",
    "ansibrightcyan": "#00ffff", "ansiwhite": "#ffffff",
}  # fmt: skip
VGA = {
    "ansiblack": "#000000", "ansired": "#aa0000", "ansigreen": "#00aa00", "ansiyellow": "#aa5500",
    "ansiblue": "#0000aa", "ansimagenta": "#aa00aa", "ansicyan": "#00aaaa", "ansigray": "#aaaaaa",
    "ansibrightblack": "#555555", "ansibrightred": "#ff5555", "ansibrightgreen": "#55ff55",
    "ansibrightyellow": "#ffff55", "ansibrightblue": "#5555ff", "ansibrightmagenta": "#ff55ff",
    "ansibrightcyan": "#55ffff", "ansiwhite": "#ffffff",
}  # fmt: skip
NAMES = ("classic", "colour-blind", "high-contrast")
COLOURED = (Depth.TRUE, Depth.INDEXED, Depth.ANSI)
TERMINALS = {"xterm": XTERM, "vga": VGA, "console": VGA}
ALL = [
    pytest.param(PALETTES[name][depth], terminal, id=f"{name}-{depth.name.lower()}-{terminal}")
    for name in NAMES
    for depth in COLOURED
    for terminal in (TERMINALS if depth is Depth.ANSI else ["xterm"])
]
TOLD_APART = {Depth.TRUE: 8.5, Depth.INDEXED: 9.0, Depth.ANSI: 15.0}  # distances in CIE L*a*b*; 2.3 is just noticeable
BLIND_APART = 4.0


def text_of(ink: Ink, terminal: str) -> str:
    return TERMINALS[terminal].get(ink.text, ink.text)


def ground_of(ink: Ink, terminal: str) -> str:
    """The Linux console has eight grounds: it shows the bright ones as the others."""
    name = ink.ground
    if terminal == "console":
        name = {"ansiwhite": "ansigray"}.get(name, name.replace("bright", ""))
    return TERMINALS[terminal].get(name, name)


def linear(colour: str) -> tuple[float, float, float]:
    def part(start: int) -> float:
        value = int(colour[start : start + 2], 16) / 255
        return float(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)

    return part(1), part(3), part(5)


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    red, green, blue = rgb
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0890

    def root(value: float) -> float:
        return value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116

    return 116 * root(y) - 16, 500 * (root(x) - root(y)), 200 * (root(y) - root(z))


def as_deuteranopes_see(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """What is left where red and green are one (Viénot, Brettel, Mollon 1999), for linear parts of sRGB."""
    red, green, blue = rgb
    yellow = 0.29275 * red + 0.70725 * green
    return yellow, yellow, max(-0.02234 * red + 0.02234 * green + blue, 0.0)


def distance(one: str, other: str, seen: Callable[[Rgb], Rgb] = lambda rgb: rgb) -> float:
    return math.dist(lab(seen(linear(one))), lab(seen(linear(other))))


def chips(palette: Palette) -> list[Ink]:
    return [palette.title, palette.key, palette.primary, palette.good, palette.warn, palette.card, palette.card_strong]


@pytest.mark.parametrize(("palette", "terminal"), ALL)
def test_every_tile_up_to_the_largest_has_a_contrast_of_4_5(palette: Palette, terminal: str) -> None:
    for exponent in range(1, 66):
        for face in (palette.tile(exponent).face, palette.tile(exponent).new):
            found = contrast(text_of(face, terminal), ground_of(face, terminal))
            assert found >= 4.5, f"tile 2^{exponent}: {face}"


@pytest.mark.parametrize(("palette", "terminal"), ALL)
def test_every_chip_has_a_contrast_of_4_5(palette: Palette, terminal: str) -> None:
    for chip in chips(palette):
        assert contrast(text_of(chip, terminal), ground_of(chip, terminal)) >= 4.5, chip


@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.INDEXED])
def test_high_contrast_means_7_and_more(depth: Depth) -> None:
    palette = PALETTES["high-contrast"][depth]
    for exponent in range(1, 66):
        face = palette.tile(exponent).face
        assert contrast(face.text, face.ground) >= 7


@pytest.mark.parametrize(("palette", "terminal"), ALL)
def test_tiles_that_differ_by_one_step_or_two_are_told_apart_by_their_colour(palette: Palette, terminal: str) -> None:
    for exponent in range(1, 18):
        here = ground_of(palette.tile(exponent).face, terminal)
        for step in (1, 2):
            there = ground_of(palette.tile(exponent + step).face, terminal)
            assert distance(here, there) >= TOLD_APART[palette.depth], f"2^{exponent}, 2^{exponent + step}"


@pytest.mark.parametrize("terminal", [pytest.param(terminal, id=terminal) for terminal in TERMINALS])
@pytest.mark.parametrize("depth", COLOURED)
def test_who_cannot_tell_red_from_green_can_tell_the_colour_blind_tiles_apart(depth: Depth, terminal: str) -> None:
    palette = PALETTES["colour-blind"][depth]
    for exponent in range(1, 18):
        here = ground_of(palette.tile(exponent).face, terminal)
        for step in (1, 2):
            there = ground_of(palette.tile(exponent + step).face, terminal)
            found = distance(here, there, as_deuteranopes_see)
            assert found >= BLIND_APART, f"2^{exponent}, 2^{exponent + step}"


@pytest.mark.parametrize(("palette", "terminal"), ALL)
def test_no_tile_looks_like_an_empty_cell_or_like_the_board(palette: Palette, terminal: str) -> None:
    for hidden in (ground_of(palette.tile(0).face, terminal), ground_of(palette.board, terminal)):
        for exponent in range(1, 66):
            assert distance(ground_of(palette.tile(exponent).face, terminal), hidden) >= TOLD_APART[palette.depth]


@pytest.mark.parametrize("name", NAMES)
def test_the_256_colours_are_ones_that_a_terminal_of_256_colours_has(name: str) -> None:
    cube, greys = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF), range(8, 239, 10)
    palette = PALETTES[name][Depth.INDEXED]
    inks = [*(palette.tile(exponent).face for exponent in range(19)), *chips(palette), palette.board, palette.digit]
    for colour in {colour for ink in inks for colour in (ink.text, ink.ground) if colour}:
        parts = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
        assert all(part in cube for part in parts) or (len(set(parts)) == 1 and parts[0] in greys), colour


@pytest.mark.parametrize("name", NAMES)
def test_the_sixteen_colours_are_named_and_never_bold(name: str) -> None:
    """Many terminals draw bold black as grey."""
    palette = PALETTES[name][Depth.ANSI]
    for ink in [*(palette.tile(exponent).face for exponent in range(19)), *chips(palette)]:
        assert not ink.bold
        assert {ink.text, ink.ground} <= XTERM.keys()


@pytest.mark.parametrize("palette", [PALETTES["mono"][Depth.TRUE], *(PALETTES[name][Depth.MONO] for name in NAMES)])
def test_mono_uses_no_colour_at_all(palette: Palette) -> None:
    inks = [*(palette.tile(exponent).face for exponent in range(66)), *chips(palette), palette.board, palette.digit]
    assert all(ink.text == "" and ink.ground == "" for ink in inks)


def test_mono_is_bold_from_128_and_reverse_for_the_largest() -> None:
    palette = PALETTES["mono"][Depth.TRUE]
    assert [palette.tile(exponent).face.bold for exponent in (6, 7)] == [False, True]
    assert palette.largest.face.reverse


def test_text_without_a_ground_of_ours_has_the_terminals_own_colour() -> None:
    for palettes in PALETTES.values():
        assert all(palette.strong.text == PLAIN.text == "" for palette in palettes.values())


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color"}, Depth.INDEXED),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Depth.TRUE),
        ({"TERM": "screen", "COLORTERM": "24bit"}, Depth.TRUE),
        ({"TERM": "xterm-direct"}, Depth.TRUE),
        ({"TERM": "screen.xterm-256color", "COLORTERM": "truecolor", "STY": "4711.pts-0.fox"}, Depth.INDEXED),
        ({"WT_SESSION": "5c2d5d7f"}, Depth.TRUE),
        ({"TERM": "linux"}, Depth.ANSI),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, Depth.ANSI),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, Depth.MONO),
        ({"TERM": "vt100"}, Depth.MONO),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, Depth.MONO),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Depth.INDEXED),
    ],
)
def test_the_environment_tells_the_depth(environment: dict[str, str], depth: Depth) -> None:
    assert depth_of(environment) is depth
