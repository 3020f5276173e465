"""`race2048 watch`: shows how the players of a table stand, without a seat."""

from __future__ import annotations

import argparse
import sys

from client.session import JoinTable
from client.view import Line
from client.words import say
from protocol.messages import Role

from .exits import DONE
from .join import visit_table
from .standings import Standings
from .table import add_place, need_terminal, table_of
from .visit import Visit, farewell, meet, person_session, run_loop


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
    lobby, place = table
    meeting = meet(lobby)
    session = person_session(JoinTable(place.code), Role.WATCHER, None, place.pin, meeting.expected)
    visit = Visit(session, lobby, meeting=meeting, keep=not options.json)
    return run_loop(_print_json(visit) if options.json else visit_table(visit, place, options.preferences))


async def _print_json(visit: Visit) -> int:
    """Prints the standings of one race after the other until the table is closed."""
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
