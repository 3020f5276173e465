"""The last row of a screen: what can be done now, each with its key, as far as there is room.

What that is, each screen knows by itself; `Command` is what it says of it where the same list makes footer and menu.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from .canvas import Canvas, columns_of
from .palette import Palette

D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Command(Generic[D]):
    """Something that can be done now. `primary`: Enter does it; `in_footer`: else it is in the menu only."""

    do: D
    key: str
    label: str
    primary: bool = False
    in_footer: bool = True


def draw_footer(canvas: Canvas, entries: Iterable[tuple[str, str, bool]], palette: Palette) -> None:
    """Draws key and label of each entry, the primary one as such; what has no room is left out."""
    x, y = 1, canvas.rows - 1
    for key, label, primary in entries:
        if x + columns_of(key) + columns_of(label) + 3 > canvas.columns:
            continue
        if primary:
            x = canvas.text(x, y, f" {key} {label} ", palette.primary) + 2
        else:
            x = canvas.text(x, y, f" {key} ", palette.key)
            x = canvas.text(x + 1, y, label) + 2
