import pytest

from client.tui.palette import CLASSIC, PLAIN, Depth, Ink, Palette, depth_of

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
COLOURED = (Depth.TRUE, Depth.INDEXED, Depth.ANSI)


def luminance(colour: str) -> float:
    def linear(part: int) -> float:
        value = part / 255
        return float(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(int(colour[start : start + 2], 16)) for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def chips(palette: Palette) -> list[Ink]:
    return [palette.title, palette.key, palette.primary, palette.good, palette.warn, palette.card, palette.card_strong]


@pytest.mark.parametrize("depth", COLOURED)
@pytest.mark.parametrize("names", [XTERM, VGA])
def test_every_tile_up_to_the_largest_has_a_contrast_of_4_5(depth: Depth, names: dict[str, str]) -> None:
    for exponent in range(1, 66):
        face = CLASSIC[depth].tile(exponent).face
        text, ground = names.get(face.text, face.text), names.get(face.ground, face.ground)
        assert contrast(text, ground) >= 4.5, f"tile 2^{exponent}: {face}"


@pytest.mark.parametrize("depth", COLOURED)
@pytest.mark.parametrize("names", [XTERM, VGA])
def test_every_chip_has_a_contrast_of_4_5(depth: Depth, names: dict[str, str]) -> None:
    for chip in chips(CLASSIC[depth]):
        text, ground = names.get(chip.text, chip.text), names.get(chip.ground, chip.ground)
        assert contrast(text, ground) >= 4.5, chip


@pytest.mark.parametrize("depth", COLOURED)
def test_tiles_that_differ_by_one_step_or_two_differ_in_colour(depth: Depth) -> None:
    palette = CLASSIC[depth]
    for exponent in range(1, 18):
        later = {palette.tile(exponent + 1).face.ground, palette.tile(exponent + 2).face.ground}
        assert palette.tile(exponent).face.ground not in later


@pytest.mark.parametrize("depth", COLOURED)
def test_no_tile_looks_like_an_empty_cell_or_like_the_board(depth: Depth) -> None:
    palette = CLASSIC[depth]
    hidden = {palette.tile(0).face.ground, palette.board.ground}
    assert not hidden & {palette.tile(exponent).face.ground for exponent in range(1, 66)}


def test_the_256_colours_are_ones_that_a_terminal_of_256_colours_has() -> None:
    cube, greys = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF), range(8, 239, 10)
    palette = CLASSIC[Depth.INDEXED]
    inks = [*(palette.tile(exponent).face for exponent in range(19)), *chips(palette), palette.board, palette.digit]
    for colour in {colour for ink in inks for colour in (ink.text, ink.ground) if colour}:
        parts = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
        assert all(part in cube for part in parts) or (len(set(parts)) == 1 and parts[0] in greys), colour


def test_mono_uses_no_colour_at_all() -> None:
    palette = CLASSIC[Depth.MONO]
    inks = [*(palette.tile(exponent).face for exponent in range(66)), *chips(palette), palette.board, palette.digit]
    assert all(ink.text == "" and ink.ground == "" for ink in inks)


def test_mono_is_bold_from_128_and_reverse_for_the_largest() -> None:
    palette = CLASSIC[Depth.MONO]
    assert [palette.tile(exponent).face.bold for exponent in (6, 7)] == [False, True]
    assert palette.largest.face.reverse


def test_text_without_a_ground_of_ours_has_the_terminals_own_colour() -> None:
    for palette in CLASSIC.values():
        assert palette.strong.text == PLAIN.text == ""


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color"}, Depth.INDEXED),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Depth.TRUE),
        ({"TERM": "screen", "COLORTERM": "24bit"}, Depth.TRUE),
        ({"TERM": "xterm-direct"}, Depth.TRUE),
        ({"TERM": "linux"}, Depth.ANSI),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, Depth.MONO),
        ({"TERM": "vt100"}, Depth.MONO),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, Depth.MONO),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Depth.INDEXED),
    ],
)
def test_the_environment_tells_the_depth(environment: dict[str, str], depth: Depth) -> None:
    assert depth_of(environment) is depth
