"""How a person wants the screen: palette, motion, mouse, and by what they are called to it (ux.md §2-4).

`look_of` turns what was chosen, in words, into what the screens need; where nothing was chosen the environment tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from .palette import CLASSIC, PALETTES, Depth, Palette, depth_of

COLORS: Mapping[str, Depth | None] = {
    "auto": None,
    "true": Depth.TRUE,
    "256": Depth.INDEXED,
    "16": Depth.ANSI,
    "mono": Depth.MONO,
    "never": Depth.MONO,
}
PALETTE_NAMES = tuple(PALETTES)


class Motion(StrEnum):
    """How much moves: tiles slide; or only what is new is marked; or nothing."""

    FULL = "full"
    REDUCED = "reduced"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the screens need to know of a person's wishes."""

    palette: Palette = CLASSIC[Depth.INDEXED]
    motion: Motion = Motion.FULL
    mouse: bool = True
    bell: bool = True
    title: bool = True
    notify: bool = True


class Wishes(Protocol):
    """What was chosen, each of these by a word of `PALETTE_NAMES`, `COLORS`, `Motion`."""

    @property
    def palette(self) -> str: ...  # noqa: D102 - see Look
    @property
    def color(self) -> str: ...  # noqa: D102
    @property
    def motion(self) -> str: ...  # noqa: D102
    @property
    def mouse(self) -> bool: ...  # noqa: D102
    @property
    def bell(self) -> bool: ...  # noqa: D102
    @property
    def title(self) -> bool: ...  # noqa: D102
    @property
    def notify(self) -> bool: ...  # noqa: D102


def look_of(environment: Mapping[str, str], wishes: Wishes | None = None) -> Look:
    """Returns the look that was wished for; a depth that was named is taken, even against NO_COLOR."""
    if wishes is None:
        return Look(palette=CLASSIC[depth_of(environment)])
    wished = COLORS[wishes.color]
    depth = depth_of(environment) if wished is None else wished
    return Look(
        palette=PALETTES[wishes.palette][depth],
        motion=Motion(wishes.motion),
        mouse=wishes.mouse,
        bell=wishes.bell,
        title=wishes.title,
        notify=wishes.notify,
    )
