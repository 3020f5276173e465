"""What a terminal sends besides keys: a drag of the mouse is a swipe, and of a paste only the arrows count.

Pure. A paste must never give orders: the text of a link that lands in a race would resign it.
"""

from __future__ import annotations

import re

_MOUSE = re.compile(r"\x1b\[(?:<(\d+);(\d+);(\d+)([mM])|(\d+);(\d+);(\d+)M|M(.)(.)(.))", re.DOTALL)
_ARROW = re.compile(r"\x1b[\[O](?:1;\d+)?([ABCD])")
_NAMES = {"A": "up", "B": "down", "C": "right", "D": "left"}
_SHORTEST = 3  # columns; a row counts as two, since a cell is twice as high as wide
_LEFT, _RELEASED = 0, 3
_MODIFIERS = 0b0001_1100  # Shift, Alt, Ctrl
_LEGACY_OFFSET = 32


class Swipes:
    """Drags of the left button, as the arrows that they mean."""

    def __init__(self) -> None:
        self._from: tuple[int, int] | None = None  # where the button was pressed

    def forget(self) -> None:
        """Forgets a drag that has begun."""
        self._from = None

    def hear(self, sequence: str) -> list[str]:
        """Takes in what a terminal says of its mouse; returns ["left"], ["up"], … once a drag has ended."""
        told = _told(sequence)
        if told is None:
            return []
        button, x, y = told
        if button == _LEFT:
            self._from = (x, y)
            return []
        began, self._from = self._from, None
        return _swiped(x - began[0], y - began[1]) if began is not None and button == _RELEASED else []


def clicked(sequence: str) -> tuple[int, int] | None:
    """Returns column and row, counted from 0, where the left button was pressed; None for anything else."""
    told = _told(sequence)
    return None if told is None or told[0] != _LEFT else (told[1] - 1, told[2] - 1)


def _told(sequence: str) -> tuple[int, int, int] | None:
    """Returns button (3: released), column and row, in whichever of the three forms a terminal has said it."""
    found = _MOUSE.match(sequence)
    if found is None:
        return None
    if found[1]:
        button, x, y = int(found[1]) & ~_MODIFIERS, int(found[2]), int(found[3])
        return (_RELEASED if found[4] == "m" and button == _LEFT else button), x, y
    if found[5]:
        return (int(found[5]) - _LEGACY_OFFSET) & ~_MODIFIERS, int(found[6]), int(found[7])
    button, x, y = (ord(found[group]) - _LEGACY_OFFSET for group in (8, 9, 10))
    return button & ~_MODIFIERS, x, y


def _swiped(columns: int, rows: int) -> list[str]:
    across, along = abs(columns), 2 * abs(rows)
    if max(across, along) < _SHORTEST:
        return []
    if across >= along:
        return ["right" if columns > 0 else "left"]
    return ["down" if rows > 0 else "up"]


def pasted_arrows(text: str) -> list[str]:
    """Returns the arrows in a text that was pasted."""
    return [_NAMES[letter] for letter in _ARROW.findall(text)]
