"""Which screen a table is shown on: the full one, or plain lines for pipes and screen readers (ux.md 2.7).

Imports nothing that takes long before it has to: `join` shows its first picture before (architecture.md 4.4).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from client.config import Preferences
from client.language import say

from .exits import USAGE, Failure

if TYPE_CHECKING:
    from client.runner import Runner

    from .visit import Screen


def screen_for(
    runner: Runner,
    *,
    join: str,
    watch: str,
    preferences: Preferences,
    lan: bool = False,
    shown: Callable[[], None] = lambda: None,
) -> Screen:
    """Returns the screen; `join`, `watch` and `lan` are what it can show of links (client.tui.commands.Links).

    `shown` is called when a full screen takes the terminal.
    """
    from client.tui.commands import Links

    links = Links(join, watch, lan)
    if preferences.plain:
        from client.plain import PlainRace, stdin_lines

        return PlainRace(runner.view, runner.act, links, sys.stdout, stdin_lines())
    from client.tui.app import RaceApp
    from client.tui.look import look_of

    return RaceApp(view=runner.view, act=runner.act, links=links, look=look_of(os.environ, preferences), shown=shown)


def need_terminal(command: str) -> None:
    """Raises Failure if there is no terminal to draw on and to read keys from (ux.md 4.4)."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        message = say(
            "this is not a terminal, so there is nothing to draw on or to read keys from. "
            "Run it in a terminal, or without a screen: race2048 {command} --plain",
            command=command,
        )
        raise Failure(USAGE, message)
    if os.environ.get("TERM") == "dumb":
        message = say(
            "this terminal says that it can only write line after line (TERM=dumb). "
            "Use another one, or go without a screen: race2048 {command} --plain",
            command=command,
        )
        raise Failure(USAGE, message)
