"""`race2048 watch`: shows how the players of a table stand, without a seat."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from client.language import say
from client.link import LobbyAddress, Place

from .exits import DONE
from .join import visit_table
from .places import add_place, table_of
from .screen import need_terminal

if TYPE_CHECKING:
    from .visit import Visit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `watch` takes."""
    add_place(parser, may_choose=True)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--plain", action="store_true", help=say("no screen: a line for each thing that happens"))
    how.add_argument("--json", action="store_true", help=say("a line of JSON whenever the standings change"))


def run(options: argparse.Namespace) -> int:
    """Watches until the person leaves or the table closes; returns the exit code."""
    if options.table and not (options.plain or options.json):
        need_terminal("watch")
    table = table_of(options.table, "watch")
    if table is None:
        return DONE
    return _in_json(*table) if options.json else visit_table(*table, options.preferences, watches=True)


def _in_json(lobby: LobbyAddress, place: Place) -> int:
    from client.session import JoinTable
    from protocol.messages import Role

    from .visit import Visit, meet, person_session, run_loop

    meeting = meet(lobby)
    session = person_session(JoinTable(place.code), Role.WATCHER, None, place.pin, meeting.expected)
    return run_loop(_print_json(Visit(session, lobby, meeting=meeting, keep=False)))


async def _print_json(visit: Visit) -> int:
    """Prints the standings of one race after the other until the table is closed."""
    from client.view import Line

    from .standings import Standings
    from .visit import farewell

    standings = Standings(sys.stdout, as_json=True)
    async with visit.running():
        view = await visit.until(lambda view: view.phase is not None)
        if view.alarm:
            standings.event("alarm", reason=view.alarm, fingerprint=view.fingerprint)
        while view.line is not Line.OVER:
            standings.show(view)
            view = await visit.next()
    standings.event("over", reason=view.ending)
    return farewell(visit, 0)
