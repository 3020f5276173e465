"""Which screen a table is shown on: the full one, or plain lines for pipes and screen readers (ux.md 2.7)."""

from __future__ import annotations

import sys

from client.runner import Runner

from .visit import Screen


def screen_for(runner: Runner, *, join: str, watch: str, plain: bool) -> Screen:
    """Returns the screen; `join` and `watch` are the links that it can show, empty where there is none."""
    from client.tui.commands import Links

    links = Links(join, watch)
    if plain:
        from client.plain import PlainRace, stdin_lines

        return PlainRace(runner.view, runner.act, links, sys.stdout, stdin_lines())
    from client.tui.app import RaceApp

    return RaceApp(view=runner.view, act=runner.act, links=links)
