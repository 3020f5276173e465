from dataclasses import dataclass

import pytest

from client.tui.look import COLORS, PALETTE_NAMES, Look, Motion, look_of
from client.tui.palette import PALETTES, Depth

TRUE_TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


@dataclass(frozen=True)
class Chosen:
    palette: str = "classic"
    color: str = "auto"
    motion: str = "full"
    mouse: bool = True
    bell: bool = True
    title: bool = True
    notify: bool = True


def test_where_nothing_was_chosen_the_environment_tells() -> None:
    assert look_of(TRUE_TERMINAL) == Look(palette=PALETTES["classic"][Depth.TRUE])
    assert look_of(TRUE_TERMINAL, Chosen()) == look_of(TRUE_TERMINAL)


@pytest.mark.parametrize(
    ("color", "depth"),
    [
        ("auto", Depth.TRUE),
        ("true", Depth.TRUE),
        ("256", Depth.INDEXED),
        ("16", Depth.ANSI),
        ("mono", Depth.MONO),
        ("never", Depth.MONO),
    ],
)
def test_a_depth_that_was_named_is_taken(color: str, depth: Depth) -> None:
    assert look_of(TRUE_TERMINAL, Chosen(color=color)).palette.depth is depth


def test_a_depth_that_was_named_is_taken_even_against_no_color() -> None:
    environment = TRUE_TERMINAL | {"NO_COLOR": "1"}
    assert look_of(environment, Chosen()).palette.depth is Depth.MONO
    assert look_of(environment, Chosen(color="256")).palette.depth is Depth.INDEXED


@pytest.mark.parametrize("name", PALETTE_NAMES)
@pytest.mark.parametrize("color", COLORS)
def test_there_is_a_look_for_every_palette_and_depth(name: str, color: str) -> None:
    depth = COLORS[color] or Depth.TRUE
    assert look_of(TRUE_TERMINAL, Chosen(palette=name, color=color)).palette is PALETTES[name][depth]


def test_the_other_wishes_are_kept() -> None:
    look = look_of({}, Chosen(motion="reduced", mouse=False, bell=False, title=False, notify=False))
    assert look.motion is Motion.REDUCED
    assert [look.mouse, look.bell, look.title, look.notify] == [False] * 4
