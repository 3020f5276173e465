"""What is written to a terminal that lacks a character: one that it has, as wide and as like it as can be, else "?".

What is here is signs and lines, not letters of people's names.
"""

from __future__ import annotations

import codecs
import io

_LIKE = {
    **dict.fromkeys("−–─━═▀", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┬┐├┼┤└┴┘┏┳┓┣╋┫┗┻┛╔╦╗╠╬╣╚╩╝", "+"),
    **dict.fromkeys("“”„«»", '"'),
    **dict.fromkeys("·…", "."),
    **dict.fromkeys("●◆", "*"),
    **dict.fromkeys("←‹", "<"),
    **dict.fromkeys("→›", ">"),
    "↑": "^",
    "↓": "v",
    "▾": "v",
    "█": "#",
    "▄": "=",
    "░": ":",
    "×": "x",
    "±": "~",
    "’": "'",
    "\xa0": " ",
}
_TABLE = str.maketrans(_LIKE)


def alike(text: str) -> str:
    """Returns a text in ASCII, character for character."""
    return text.translate(_TABLE).encode("ascii", "replace").decode("ascii")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Handles what an encoding lacks, as codecs.register_error wants it."""
    assert isinstance(error, UnicodeEncodeError), "only what is written is handled so"
    return alike(error.object[error.start : error.end]), error.end


def write_alike(stdout: io.TextIOWrapper) -> None:
    """Lets stdout write something alike for × or … where the terminal has none; what it has stays as it is."""
    codecs.register_error("alike", _replaced)
    stdout.reconfigure(errors="alike")
