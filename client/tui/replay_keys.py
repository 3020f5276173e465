"""The state of a replay's screen, and what a key does to it: pure functions, as commands.py has them for a race.

A digit or a colon begins to type where to go: "120" is a move of the chosen player, "1:23" a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from client.replay import Replay, parse_spot

from .keys import keyboard_of, latin, looked_up

_SKIP_MS = 10_000
_JUMP_MOVES = 10
_TYPED_MAX = 10


class Do(StrEnum):
    """What a person can ask of a replay."""

    PAUSE = "pause"
    FASTER = "faster"
    SLOWER = "slower"
    NEXT_MOVE = "next-move"
    MOVE_BEFORE = "move-before"
    TEN_ON = "ten-on"
    TEN_BACK = "ten-back"
    SKIP_ON = "skip-on"
    SKIP_BACK = "skip-back"
    START = "start"
    END = "end"
    NEXT_HAPPENING = "next-happening"
    HAPPENING_BEFORE = "happening-before"
    NEXT_PLAYER = "next-player"
    PLAYER_BEFORE = "player-before"
    HELP = "help"
    LEAVE = "leave"


# Pairs, not a dict: a test sees that no key stands twice. Cyrillic letters that are no letters on a Latin keyboard.
KEYS: tuple[tuple[str, Do], ...] = (
    (" ", Do.PAUSE), ("enter", Do.PAUSE),
    ("+", Do.FASTER), ("=", Do.FASTER), ("up", Do.FASTER), ("k", Do.FASTER),
    ("-", Do.SLOWER), ("_", Do.SLOWER), ("down", Do.SLOWER), ("j", Do.SLOWER),
    ("right", Do.NEXT_MOVE), ("l", Do.NEXT_MOVE), ("left", Do.MOVE_BEFORE), ("h", Do.MOVE_BEFORE),
    ("shift-right", Do.TEN_ON), ("]", Do.TEN_ON), ("L", Do.TEN_ON), ("ї", Do.TEN_ON), ("ъ", Do.TEN_ON),
    ("shift-left", Do.TEN_BACK), ("[", Do.TEN_BACK), ("H", Do.TEN_BACK), ("х", Do.TEN_BACK),
    ("page-down", Do.SKIP_ON), (".", Do.SKIP_ON), ("ю", Do.SKIP_ON),
    ("page-up", Do.SKIP_BACK), (",", Do.SKIP_BACK), ("б", Do.SKIP_BACK),
    ("home", Do.START), ("g", Do.START), ("end", Do.END), ("G", Do.END),
    ("n", Do.NEXT_HAPPENING), ("p", Do.HAPPENING_BEFORE), ("N", Do.HAPPENING_BEFORE),
    ("tab", Do.NEXT_PLAYER), ("back-tab", Do.PLAYER_BEFORE),
    ("?", Do.HELP), ("q", Do.LEAVE), ("escape", Do.LEAVE),
)  # fmt: skip
_TABLE = dict(KEYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """A replay on a screen.

    `title` names the file, `reason` says why the record is false (empty: it is true); such a record is shown once the
    person has taken note (`noted`). `typed`: what has been typed of a place to go to; `amiss`: it was none.
    """

    replay: Replay
    title: str = ""
    reason: str = ""
    noted: bool = False
    help: bool = False
    typed: str | None = None
    amiss: str = ""
    keyboard: str = "latin"
    left: bool = False


def press_replay(show: Show, key: str, now_ms: int) -> Show:
    """Returns the screen after a key: its name ("up", "enter", "tab", "interrupt") or the character it made."""
    if key == "interrupt":
        return replace(show, left=True)
    show = replace(show, amiss="")
    if show.reason and not show.noted:
        return _noted(show, key, now_ms)
    if len(key) == 1:
        show = replace(show, keyboard=keyboard_of(key) or show.keyboard)
    if show.typed is not None:
        return _typing(show, show.typed, key, now_ms)
    if show.help:
        show = replace(show, help=False)
        if key in ("escape", "enter", "?"):
            return show
    if key == ":" or key.isdecimal():
        return replace(show, typed=latin(key))
    do = meaning_of(key)
    if do is Do.HELP:
        return replace(show, help=True)
    if do is Do.LEAVE:
        return replace(show, left=True)
    return show if do is None else replace(show, replay=done(show.replay, do, now_ms))


def meaning_of(key: str) -> Do | None:
    """Returns what a key means, by the position of a letter on any keyboard."""
    return looked_up(_TABLE, key)


def done(replay: Replay, do: Do, now_ms: int) -> Replay:
    """Returns the replay after something was asked of it; what is the screen's business alone changes nothing."""
    match do:
        case Do.PAUSE:
            return replay.toggled(now_ms)
        case Do.FASTER | Do.SLOWER:
            return replay.faster(now_ms, 1 if do is Do.FASTER else -1)
        case Do.NEXT_MOVE | Do.MOVE_BEFORE:
            return replay.stepped(1 if do is Do.NEXT_MOVE else -1, now_ms)
        case Do.TEN_ON | Do.TEN_BACK:
            return replay.stepped(_JUMP_MOVES if do is Do.TEN_ON else -_JUMP_MOVES, now_ms)
        case Do.SKIP_ON | Do.SKIP_BACK:
            return replay.skipped(_SKIP_MS if do is Do.SKIP_ON else -_SKIP_MS, now_ms)
        case Do.START | Do.END:
            return replay.sought(0 if do is Do.START else replay.timeline.end_ms, now_ms)
        case Do.NEXT_HAPPENING | Do.HAPPENING_BEFORE:
            return replay.to_happening(1 if do is Do.NEXT_HAPPENING else -1, now_ms)
        case Do.NEXT_PLAYER | Do.PLAYER_BEFORE:
            return replay.next_seat(1 if do is Do.NEXT_PLAYER else -1)
        case _:
            return replay


def _noted(show: Show, key: str, now_ms: int) -> Show:
    """A false record is shown only to one who has said that its being false is understood."""
    do = meaning_of(key)
    if do is Do.PAUSE:
        return replace(show, noted=True, replay=show.replay.toggled(now_ms))
    return replace(show, left=do is Do.LEAVE)


def _typing(show: Show, typed: str, key: str, now_ms: int) -> Show:
    if key == "escape":
        return replace(show, typed=None)
    if key == "enter":
        spot = parse_spot(typed)
        if spot is None:
            return replace(show, typed=None, amiss=typed)
        return replace(show, typed=None, replay=show.replay.at_spot(spot, now_ms))
    if key == "backspace":
        return replace(show, typed=typed[:-1] or None)
    character = latin(key) if len(key) == 1 else ""
    if character in (":", ".") or character.isdecimal():
        return replace(show, typed=(typed + character)[:_TYPED_MAX])
    return show
