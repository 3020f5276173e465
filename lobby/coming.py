"""Who comes to a table and who goes (rules 3.3, 3.10, 4.6).

Changes the members and seats of a table; what follows from it for a race is racing.py's business, and when a seat
that nobody came back to is freed is seating.py's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lobby.events import Arrived, Close
from lobby.people import Line, Member
from lobby.pictures import welcome
from protocol import limits
from protocol.messages import Phase, Role
from protocol.refusals import Refusal

if TYPE_CHECKING:
    from lobby.table import Table


def arrive(table: Table, event: Arrived, now_ms: int) -> None:
    """Somebody comes: the newest connection of a key wins, and is shown everything there is to know."""
    host = table.seating.host
    for other in [member for member in table.presence if member.key == event.key]:
        table.presence.remove(other.connection)
        table.out.close(other.connection, Refusal.REPLACED)
    line = Line(heard_ms=now_ms, pinged_ms=now_ms - limits.PING_INTERVAL_MS)
    only_watches = table.only_watches(event.key, may_sit=event.may_sit)
    member = Member(event.connection, event.key, event.role, event.raw_name, event.may_sit, line, only_watches)
    fault = _take_place(table, member, now_ms)
    table.seating.returned(member.key)
    table.presence.add(member)
    table.out.send((member.connection,), welcome(table, member, now_ms))
    if table.dealing.burnt is not None:  # the Deal in the Welcome is not to be answered: there is no other yet
        table.out.send((member.connection,), table.dealing.burnt)
    if fault is not None:
        table.out.refuse(member.connection, fault)
    _tell(table, member, host, now_ms)


def _take_place(table: Table, member: Member, now_ms: int) -> Refusal | None:
    """Gives a newcomer the own old seat, or a free one; returns why there is none for one who wanted to play."""
    seat = table.seating.seat_of(member.key)
    if seat is not None:
        seat.connection = member.connection
        track = table.track_of(member.key)
        if track is not None and table.run is not None:
            table.run.back(track, now_ms)
        return None
    if member.role is Role.WATCHER or not member.may_sit:
        return None
    fault = Refusal.RACING if table.phase is not Phase.SEATING else table.seating.sit_fault(member)
    if fault is None:
        table.seating.sit(member, now_ms)
    return fault


def lose(table: Table, connection: int, now_ms: int) -> None:
    """A connection is gone; its seat is kept for a while (rules 3.10, 4.6)."""
    member = table.presence.remove(connection)
    if member is None:
        return
    seat = table.seating.seat_of(member.key)
    if seat is not None:
        seat.connection, seat.lost_ms = None, now_ms
        track = table.track_of(member.key)
        if track is not None and table.run is not None:
            table.run.gone(track, now_ms)
    if member.key == table.seating.host:
        table.seating.host_lost_ms = now_ms
    _tell(table, member, table.seating.host, now_ms)


def expel(table: Table, member: Member, code: Refusal, now_ms: int) -> None:
    """Closes somebody's connection: from here on that is a lost one."""
    lose(table, member.connection, now_ms)
    table.out.close(member.connection, code)


def leave(table: Table, member: Member, now_ms: int) -> None:
    """Somebody leaves for good; in a race that is the same as a lost connection (rules 4.7)."""
    host, seated = table.seating.host, table.seating.seat_of(member.key) is not None
    if not table.leaving_frees(now_ms):
        lose(table, member.connection, now_ms)
        if member.key == host:
            table.seating.hand_over()
    else:
        table.presence.remove(member.connection)
        if seated:
            table.free(member.key)
        if member.key == host:
            table.seating.hand_over()
        if seated and table.gathering:
            table.look_at_gathering(now_ms)
        elif seated and table.phase in (Phase.OPENING, Phase.COUNTDOWN):
            table.burn(now_ms)
    table.out.append(Close(member.connection, Refusal.CLOSED))
    _tell(table, member, host, now_ms)


def _tell(table: Table, member: Member, host: bytes, now_ms: int) -> None:
    """Has everyone told that somebody came or went: at once, unless it was one of the crowd."""
    if table.seating.seat_of(member.key) is None and table.seating.host == host:
        table.telling.crowd_changed(now_ms)
    else:
        table.changed()
