"""Which screen a table is shown on: the full one, or plain lines for pipes and screen readers (ux.md 2.7)."""

from __future__ import annotations

import os
import sys

from client.config import Preferences
from client.runner import Runner

from .visit import Screen


def screen_for(runner: Runner, *, join: str, watch: str, preferences: Preferences, lan: bool = False) -> Screen:
    """Returns the screen; `join`, `watch` and `lan` are what it can show of links (client.tui.commands.Links)."""
    from client.tui.commands import Links

    links = Links(join, watch, lan)
    if preferences.plain:
        from client.plain import PlainRace, stdin_lines

        return PlainRace(runner.view, runner.act, links, sys.stdout, stdin_lines())
    from client.tui.app import RaceApp
    from client.tui.look import look_of

    return RaceApp(view=runner.view, act=runner.act, links=links, look=look_of(os.environ, preferences))
