"""What people at a table are shown of it: the public picture, and the complete one for a newcomer.

Reads a table, changes nothing. Nothing of a board is in here before the end of a race (rules 3.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lobby.people import Member
from protocol.messages import Phase, RaceView, TableChanged, TableView, Welcome

if TYPE_CHECKING:
    from lobby.table import Table


def table_view(table: Table, *, with_code: bool) -> TableView:
    """Returns the public picture; who came by the watch code is not shown the code that seats people."""
    seating = table.seating
    places = seating.places()
    return TableView(
        code=table.code if with_code else "",
        watch_code=table.watch_code,
        phase=Phase.RACING if table.phase is Phase.SETTLING else table.phase,  # rules 5.3
        settings=seating.settings,
        seats=seating.view(),
        host=seating.host,
        locked=seating.locked,
        watchers=sum(member.key not in places for member in table.presence),
        tally=seating.tally_view(),
    )


def welcome(table: Table, member: Member, now_ms: int) -> Welcome:
    """Returns the complete picture for one who has just come, in whatever phase the table is."""
    track, run, opening = table.track_of(member.key), table.run, table.dealing.opening
    return Welcome(
        table=table_view(table, with_code=member.may_sit),
        seat=table.seating.place_of(member.key),
        lobby_ms=now_ms,
        deal=opening.deal_signed if run is None else run.opened.deal_signed,
        race=RaceView(seats=opening.seats_signed) if run is None else run.view(),
        own=None if track is None or run is None else run.own_game(track),
        ended=None if table.closing is None else table.closing.ended,
        record=None if table.record is None else table.record.ready(),
    )


def tell_table(table: Table) -> None:
    """Sends everyone the new picture, with the own seat; who reads slowly needs only the newest."""
    views = {with_code: table_view(table, with_code=with_code) for with_code in (False, True)}
    places = table.seating.places()
    groups: dict[tuple[bool, int | None], list[int]] = {}
    for member in table.presence:
        groups.setdefault((member.may_sit, places.get(member.key)), []).append(member.connection)
    for (with_code, seat), connections in groups.items():
        table.out.send(connections, TableChanged(views[with_code], seat), newest_only=True)
