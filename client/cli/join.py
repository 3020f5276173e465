"""`race2048 join`: takes a seat at a friend's table and plays; and the way to a table that `watch` goes, too.

The first picture is on the screen before anything is imported that takes long (architecture.md 4.4).
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from client.config import Preferences
from client.language import say
from client.link import LobbyAddress, Place, table_link, watch_link

from .exits import DONE
from .places import add_place, table_of
from .screen import need_terminal, screen_for

if TYPE_CHECKING:
    from client.tui.first_frame import Opening

    from .visit import Visit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `join` takes."""
    add_place(parser, may_choose=True)
    parser.add_argument("--name", help=say("how the others see you (your login name)"))
    parser.add_argument("--plain", action="store_true", help=say("no screen: a line for each thing that happens"))


def run(options: argparse.Namespace) -> int:
    """Plays at a table until the person leaves; returns the exit code."""
    if options.table and not options.plain:
        need_terminal("join")
    table = table_of(options.table, "join")
    if table is None:
        return DONE
    if table[1].watch:
        print(say("This is for watching only."), file=sys.stderr)
    return visit_table(*table, options.preferences, name=options.name, watches=table[1].watch)


def visit_table(
    lobby: LobbyAddress, place: Place, preferences: Preferences, *, name: str | None = None, watches: bool = False
) -> int:
    """Shows a table until the person leaves it; returns the exit code."""
    with nullcontext() if preferences.plain else opening_for(lobby, place, preferences) as opening:
        from client.session import JoinTable
        from protocol.messages import Role

        from .visit import Visit, meet, person_session, run_loop

        if opening is not None:
            import client.tui.app  # noqa: F401 - while the first picture stands
        role = Role.WATCHER if watches else Role.PLAYER
        meeting = meet(lobby, opening=opening)
        session = person_session(JoinTable(place.code), role, name, place.pin, meeting.expected)
        return run_loop(_shown(Visit(session, lobby, meeting=meeting), place, preferences, opening))


def links_to(lobby: LobbyAddress, place: Place) -> tuple[str, str]:
    """Returns the links that the screen of a table shows: to join and to watch, one of which is empty."""
    if place.watch:
        return "", watch_link(lobby, place.code)
    return table_link(lobby, place.code, place.pin), ""


def opening_for(lobby: LobbyAddress, place: Place, preferences: Preferences) -> Opening:
    """Returns the first picture of a table that the lobby has yet to show."""
    from client.tui.connecting import paint_connecting
    from client.tui.first_frame import Opening
    from client.tui.look import look_of

    palette = look_of(os.environ, preferences).palette
    join, _ = links_to(lobby, place)
    return Opening(lambda columns, rows: paint_connecting(columns, rows, join, palette), palette.depth)


async def _shown(visit: Visit, place: Place, preferences: Preferences, opening: Opening | None) -> int:
    from .visit import farewell

    join, watch = links_to(visit.lobby, place)
    taken = (lambda: None) if opening is None else opening.hand_over
    async with visit.running():
        screen = screen_for(visit.runner, join=join, watch=watch, preferences=preferences, shown=taken)
        shown = await visit.show(screen)
    if opening is not None:
        opening.take_away()  # if there was nothing to show
    return farewell(visit, shown)
