"""What a restart of the lobby does to a table that was rebuilt from its journal (rules 5.6, deal.md 3.4).

Everything that waits for the clock moves by the time the lobby was away, everyone is disconnected from now on, and a
deck that was being opened is burnt. Sends nothing that anybody could get: nobody is connected. How a table is rebuilt
is journal.py's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lobby.coming import lose
from lobby.events import Resumed
from protocol.messages import Phase

if TYPE_CHECKING:
    from lobby.table import Table


def resume(table: Table, event: Resumed, now_ms: int) -> None:
    """Takes up a table where the lobby before this one left it."""
    gap_ms = now_ms - event.alive_ms
    table.epoch = event.epoch
    table.seating.resume(gap_ms)
    table.dealing.resume(gap_ms)
    table.presence.resume(gap_ms)
    if table.run is not None:
        table.run.resumed(event.epoch, event.alive_ms, now_ms)
    for member in list(table.presence):
        lose(table, member.connection, now_ms)
    match table.phase:
        case Phase.OPENING | Phase.COUNTDOWN:
            _put_away(table, now_ms)
        case Phase.SETTLING:
            assert table.phase_ends_ms is not None, "a settling ends by itself"
            table.phase_ends_ms += gap_ms
        case Phase.CLOSING:
            assert table.closing is not None, "only a decided race is closing"
            table.closing.patient = True
            table.phase_ends_ms = now_ms + table.windows.closing_ms


def _put_away(table: Table, now_ms: int) -> None:
    """Burns the deck that was being opened. Nobody has broken it off, so nobody owes the next Deal an answer."""
    table.run = None
    table.seating.reopen()
    table.enter(Phase.SEATING, None)
    table.seating.clear_ready()
    table.dealing.anew(now_ms, table.presence.connections(), table.out)
