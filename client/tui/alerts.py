"""What calls a person to the screen: a bell, the window's title, a notification (ux.md 4.8).

`called` decides what is worth it; the rest makes the sequences that a terminal understands. Pure; app.py sends them.
Names come from others: what is sent has no control characters but our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from client.view import SessionView
from client.words import code_in_groups, say, say_n
from protocol.messages import Phase

from .canvas import clipped, graphemes
from .look import Look

BELL = "\x07"
_TITLE_COLUMNS = 60
# Terminals that show notifications, by how they want to be told: OSC 9, or OSC 777.
_NINE = ("iTerm.app", "WezTerm", "ghostty")
_NINE_TERMS = ("xterm-kitty", "xterm-ghostty", "wezterm")
_SEVENS = ("foot", "rxvt-unicode", "contour")


def called(before: SessionView | None, now: SessionView) -> str:
    """Returns what to call the person for: a guest has sat down, the countdown has begun; mostly nothing."""
    if before is None or before.phase is None:
        return ""
    if now.phase is Phase.COUNTDOWN and before.phase is not Phase.COUNTDOWN and now.my_seat is not None:
        return say("The race starts.")
    if now.phase is Phase.SEATING and before.phase is Phase.SEATING:
        known = {seat.name for seat in before.seats if seat is not None}
        for seat in now.seats:  # a computer player comes because it was called, and calls nobody
            if seat is not None and not seat.you and not seat.computer and seat.name not in known:
                return say("{name} sits down.", name=seat.name)
    return ""


def title_words(view: SessionView) -> str:
    """Returns what the window is called."""
    code = code_in_groups(view.code or view.watch_code)
    match view.phase:
        case Phase.SEATING:
            seated = sum(seat is not None for seat in view.seats)
            here = say_n("{count} player", "{count} players", seated)
            return say("race2048: table {code}, {here}", code=code, here=here)
        case Phase.OPENING | Phase.COUNTDOWN:
            return say("race2048: the race starts")
        case Phase.FINISHED:
            return say("race2048: the race is over")
        case None:
            return say("race2048")
        case _:
            return say("race2048: racing at table {code}", code=code)


def call(words: str, look: Look, environment: Mapping[str, str]) -> str:
    """Returns what rings, and tells these words where a terminal is known to show them."""
    bell = BELL if look.bell else ""
    return bell + (_notification(_inert(words), environment) if look.notify else "")


def entitle(words: str, environment: Mapping[str, str]) -> str:
    """Returns what gives the window this title; nothing where that would be seen as text."""
    term = environment.get("TERM", "") or ("windows" if "WT_SESSION" in environment else "dumb")
    if term in ("dumb", "linux", "eterm-color") or term.startswith("vt"):
        return ""
    return f"\x1b]2;{_inert(words)}\x07"


def _notification(words: str, environment: Mapping[str, str]) -> str:
    term = environment.get("TERM", "")
    if "TMUX" in environment or "STY" in environment:  # they keep such sequences to themselves
        return ""
    if environment.get("TERM_PROGRAM") in _NINE or term.startswith(_NINE_TERMS):
        return f"\x1b]9;race2048: {words}\x07"
    return f"\x1b]777;notify;race2048;{words}\x07" if term.startswith(_SEVENS) else ""


@lru_cache(maxsize=16)  # a title is made for every picture, and is mostly the one before
def _inert(words: str) -> str:
    return clipped("".join(shown for shown, _ in graphemes(words)), _TITLE_COLUMNS)
