"""`race2048 join`: takes a seat at a friend's table and plays."""

from __future__ import annotations

import argparse
import sys

from client.config import Preferences
from client.link import Place, table_link, watch_link
from client.session import JoinTable
from client.words import say
from protocol.messages import Role

from .exits import DONE
from .screen import screen_for
from .table import add_place, need_terminal, table_of
from .visit import Visit, farewell, meet, person_session, run_loop


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
    lobby, place = table
    role = Role.PLAYER
    if place.watch:
        print(say("This is for watching only."), file=sys.stderr)
        role = Role.WATCHER
    meeting = meet(lobby)
    session = person_session(JoinTable(place.code), role, options.name, place.pin, meeting.expected)
    return run_loop(visit_table(Visit(session, lobby, meeting=meeting), place, options.preferences))


async def visit_table(visit: Visit, place: Place, preferences: Preferences) -> int:
    """Shows a table until the person leaves it; returns the exit code."""
    lobby = visit.lobby
    join = "" if place.watch else table_link(lobby, place.code, place.pin)
    watch = watch_link(lobby, place.code) if place.watch else ""
    async with visit.running():
        shown = await visit.show(screen_for(visit.runner, join=join, watch=watch, preferences=preferences))
    return farewell(visit, shown)
