"""Which key means what, by the characters that keyboards produce (ux.md §3).

A letter is first turned into the Latin letter at its position (`latin`), then looked up for where the person is: on
a board letters move the tiles, so there q never quits and d never means draw. Knows neither sessions nor terminals;
what a command does is commands.py's business.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from engine.board import Direction

M = TypeVar("M")


class Verb(StrEnum):
    """What a person can ask for besides a move."""

    READY = "ready"
    START = "start"
    CANCEL = "cancel"
    SIT = "sit"
    STAND = "stand"
    LOCK = "lock"
    KICK = "kick"
    ALLOW = "allow"
    AGREE = "agree"
    REFUSE = "refuse"
    RESIGN = "resign"
    AGAIN = "again"
    SETTINGS = "settings"
    NEXT = "next"
    LINK = "link"
    COPY = "copy"
    HELP = "help"
    MENU = "menu"
    MOUSE = "mouse"
    LEAVE = "leave"


UP, RIGHT, DOWN, LEFT = Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT

# Keys with a name of their own, the same everywhere.
ARROWS: Mapping[str, Direction] = {"up": UP, "right": RIGHT, "down": DOWN, "left": LEFT}

# Pairs, not dicts: a test sees that no key stands twice. Solo will add u and i, which are free on a board.
ON_A_BOARD: tuple[tuple[str, Direction | Verb], ...] = (
    ("w", UP), ("d", RIGHT), ("s", DOWN), ("a", LEFT),  # WASD
    ("z", UP), ("q", LEFT),  # ZQSD
    ("k", UP), ("l", RIGHT), ("j", DOWN), ("h", LEFT),  # HJKL
    ("8", UP), ("6", RIGHT), ("2", DOWN), ("4", LEFT),  # the numeric pad
    ("o", Verb.AGREE), ("x", Verb.REFUSE), ("R", Verb.RESIGN),
    ("t", Verb.LINK), ("m", Verb.MOUSE), ("?", Verb.HELP), ("escape", Verb.MENU), ("tab", Verb.NEXT),
)  # fmt: skip
ELSEWHERE: tuple[tuple[str, Direction | Verb], ...] = (
    ("r", Verb.READY), ("s", Verb.START), ("g", Verb.AGAIN), ("x", Verb.CANCEL),
    ("p", Verb.SIT), ("w", Verb.STAND), ("l", Verb.LOCK), ("c", Verb.COPY), ("e", Verb.SETTINGS),
    ("1", Verb.KICK), ("2", Verb.KICK), ("3", Verb.KICK), ("4", Verb.KICK),  # who sits there
    ("t", Verb.LINK), ("?", Verb.HELP), ("escape", Verb.MENU), ("tab", Verb.NEXT),
)  # fmt: skip

_POSITIONS = "qwertyuiopasdfghjklzxcvbnm"

# The letters of other keyboards at the same positions; a space where there is none of its own.
KEYBOARDS: Mapping[str, str] = {
    "ukrainian": "йцукенгшщзфівапролдячсмить",
    "russian": "йцукенгшщзфывапролдячсмить",
    "greek": " ςερτυθιοπασδφγηξκλζχψωβνμ",
    "hebrew": "  קראטוןםפשדגכעיחלךזסבהנמצ",
    "arabic": "ضصثقفغعهخحشسيبلاتنمئءؤر ىة",
}
# What input methods make of one key or two: Telex, and Arabic with Shift.
COMPOSED: Mapping[str, str] = {"ư": "w", "đ": "d", "â": "a", "ô": "o", "\N{ARABIC DAMMATAN}": "R"}


def _positions() -> dict[str, str]:
    table = dict(COMPOSED)
    for letters in KEYBOARDS.values():
        table.update({letter: here for letter, here in zip(letters, _POSITIONS, strict=True) if letter != " "})
    return table


_LATIN = _positions()


def latin(character: str) -> str:
    """Returns the key that makes `character`, as the Latin letter or digit there; capitals stay capitals."""
    if character in _LATIN:
        return _LATIN[character]
    plain = unicodedata.normalize("NFKC", character)
    if len(plain) != 1:
        return plain
    if plain.isdecimal():
        return str(unicodedata.decimal(plain))
    small = plain.lower()
    if small in _LATIN:
        return _LATIN[small] if small == plain else _LATIN[small].upper()
    return plain


def keyboard_of(character: str) -> str:
    """Returns the keyboard a letter must come from: "latin", one of KEYBOARDS, or "" if it does not tell."""
    small = character.lower()
    if len(small) == 1 and small in _POSITIONS:
        return "latin"
    return next((name for name, letters in KEYBOARDS.items() if small in letters and small.strip()), "")


def shown_key(key: str, keyboard: str) -> str:
    """Returns the character that a keyboard makes at the position of `key`, to name it on the screen."""
    letters = KEYBOARDS.get(keyboard)
    position = _POSITIONS.find(key.lower()) if len(key) == 1 else -1
    if letters is None or position < 0 or letters[position] == " ":
        return key
    return letters[position].upper() if key.isupper() else letters[position]


_BOARD_TABLE = dict(ON_A_BOARD)
_ELSEWHERE_TABLE = dict(ELSEWHERE)


def looked_up(table: Mapping[str, M], key: str) -> M | None:
    """Returns what a table has for a key, by its place on any keyboard.

    Caps Lock must not stop the tiles: a capital counts as its small letter, unless it has a meaning of its own, as R.
    """
    here = key if key in table else latin(key)
    return table.get(here, table.get(here.lower()))


def meaning(key: str, *, on_board: bool) -> Direction | Verb | None:
    """Returns what a key means: a name ("up", "escape", "tab") or the character it made."""
    if key in ARROWS:
        return ARROWS[key] if on_board else None
    return looked_up(_BOARD_TABLE if on_board else _ELSEWHERE_TABLE, key)


def line_after(key: str, chosen: int, lines: int) -> int:
    """Returns the line that "up" or "down" chooses; after the last comes the first."""
    return (chosen + (1 if key == "down" else -1)) % lines
