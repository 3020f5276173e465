"""What each message does to a table that accepts it (rules §3, §6).

`hear` is one function by type of message. It decides nothing about time or phases: table.py has asked `ACCEPTS`
already, and owns what follows.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from lobby.coming import leave, lose
from lobby.events import Close
from lobby.handing_out import answer
from lobby.people import Member, Seat
from lobby.racing import RaceRun
from lobby.track import Track
from protocol import limits, messages
from protocol.deal import settings_fault
from protocol.messages import FromClient, Phase
from protocol.refusals import Refusal

if TYPE_CHECKING:
    from lobby.table import Table


@singledispatch
def hear(message: FromClient, table: Table, member: Member, now_ms: int) -> None:
    """Does what `message` asks for, or refuses it."""
    raise AssertionError(f"a table that accepts {type(message).__name__} must know what it does")


@hear.register(messages.Ping)
def _ping(message: messages.Ping, table: Table, member: Member, now_ms: int) -> None:
    table.out.send((member.connection,), messages.Pong(message.stamp_ms, now_ms))


@hear.register(messages.Pong)
def _pong(message: messages.Pong, table: Table, member: Member, now_ms: int) -> None:
    table.presence.pong(member, message, now_ms)


@hear.register(messages.Leave)
def _leave(message: messages.Leave, table: Table, member: Member, now_ms: int) -> None:
    leave(table, member, now_ms)


@hear.register(messages.AskRecord)
def _ask_record(message: messages.AskRecord, table: Table, member: Member, now_ms: int) -> None:
    table.out.send((member.connection,), answer(message, table.record))


@hear.register(messages.Sit)
def _sit(message: messages.Sit, table: Table, member: Member, now_ms: int) -> None:
    if table.seating.seat_of(member.key) is not None:
        return
    fault = table.seating.sit_fault(member)
    if fault is not None:
        table.out.refuse(member.connection, fault)
        return
    table.seating.sit(member, now_ms)
    table.changed()


@hear.register(messages.Stand)
def _stand(message: messages.Stand, table: Table, member: Member, now_ms: int) -> None:
    table.free(member.key)


@hear.register(messages.ChangeSettings)
def _change_settings(message: messages.ChangeSettings, table: Table, member: Member, now_ms: int) -> None:
    if not _is_host(table, member):
        return
    settings = message.settings
    if settings_fault(settings) is not None or len(table.seating) > settings.seats:
        table.out.refuse(member.connection, Refusal.SETTINGS)
        return
    if table.phase is Phase.SEATING and settings == table.seating.settings:
        return  # nothing changes, so every Ready and the Deal stand (rules 3.4)
    table.settle_down(settings, now_ms)


@hear.register(messages.SayReady)
def _say_ready(message: messages.SayReady, table: Table, member: Member, now_ms: int) -> None:
    seat = _seat(table, member)
    if seat is None or not table.dealing.stands or table.dealing.opening.seats_signed is not None:
        return
    if not table.dealing.opening.ready_holds(message.ready, seat):
        if not table.dealing.opening.ready_crossed(message.ready, seat.key):
            table.out.refuse(member.connection, Refusal.SIGNATURE)
        return
    seat.ready = message.ready
    table.dealing.answered(member.key)
    table.changed()
    if table.gathering:
        table.look_at_gathering(now_ms)


@hear.register(messages.Unready)
def _unready(message: messages.Unready, table: Table, member: Member, now_ms: int) -> None:
    seat = _seat(table, member)
    if seat is not None:
        seat.ready = None
        table.dealing.answered(member.key)
        table.changed()


@hear.register(messages.Kick)
def _kick(message: messages.Kick, table: Table, member: Member, now_ms: int) -> None:
    if not _is_host(table, member) or message.seat >= len(table.seating.seats):
        return
    seat = table.seating.seats[message.seat]
    if seat is None or seat.key == member.key:
        return
    table.seating.kicked.append(seat.key)
    table.free(seat.key)
    if seat.connection is not None:
        table.out.refuse(seat.connection, Refusal.KICKED)


@hear.register(messages.Allow)
def _allow(message: messages.Allow, table: Table, member: Member, now_ms: int) -> None:
    if _is_host(table, member):
        table.seating.kicked.clear()


@hear.register(messages.Lock)
def _lock(message: messages.Lock, table: Table, member: Member, now_ms: int) -> None:
    if _is_host(table, member):
        table.seating.locked = message.locked
        table.changed()


@hear.register(messages.Begin)
def _begin(message: messages.Begin, table: Table, member: Member, now_ms: int) -> None:
    if not _is_host(table, member):
        return
    if not table.dealing.stands or table.seating.start_fault() is not None:
        table.out.refuse(member.connection, Refusal.NOT_READY)
        return
    table.close_seats(now_ms)


@hear.register(messages.Cancel)
def _cancel(message: messages.Cancel, table: Table, member: Member, now_ms: int) -> None:
    if not _is_host(table, member):
        return
    if table.leaving_frees(now_ms):
        table.burn(now_ms)
    else:
        table.out.refuse(member.connection, Refusal.TOO_LATE)


@hear.register(messages.OpenNonce)
def _open_nonce(message: messages.OpenNonce, table: Table, member: Member, now_ms: int) -> None:
    seat = _seat(table, member)
    if seat is None or table.gathering:
        return
    if not table.dealing.opening.nonce_holds(seat, message.nonce):
        table.out.refuse(member.connection, Refusal.SIGNATURE)
        return
    seat.nonce = message.nonce
    if all(seat.nonce is not None for seat in table.seating):
        table.start_race(now_ms)


@hear.register(messages.Slice)
def _slice(message: messages.Slice, table: Table, member: Member, now_ms: int) -> None:
    place = _place(table, member)
    if place is not None:
        run, track = place
        if run.take_slice(track, message, now_ms, member.line):
            # Why was said already, with how far the lobby has the log: a second word without that would mislead.
            lose(table, member.connection, now_ms)
            table.out.append(Close(member.connection, Refusal.SLICE))


@hear.register(messages.Seal)
def _seal(message: messages.Seal, table: Table, member: Member, now_ms: int) -> None:
    place = _place(table, member)
    if place is not None:
        run, track = place
        run.take_seal(track, message, now_ms)


@hear.register(messages.Resync)
def _resync(message: messages.Resync, table: Table, member: Member, now_ms: int) -> None:
    place = _place(table, member)
    if place is not None:
        run, track = place
        run.resync(track, message.moves, now_ms)


@hear.register(messages.AskLog)
def _ask_log(message: messages.AskLog, table: Table, member: Member, now_ms: int) -> None:
    place = _place(table, member)
    if place is not None:
        run, track = place
        table.out.send((member.connection,), run.log_piece(track, message.first))


@hear.register(messages.Again)
def _again(message: messages.Again, table: Table, member: Member, now_ms: int) -> None:
    if member.key == table.seating.host:
        if len(table.seating) < limits.SEATS_MIN:
            table.out.refuse(member.connection, Refusal.NOT_READY)
        else:
            table.again(now_ms)
        return
    seat = _seat(table, member)
    if seat is not None:
        seat.wants_again = True
        table.changed()


def _is_host(table: Table, member: Member) -> bool:
    if member.key != table.seating.host:
        table.out.refuse(member.connection, Refusal.NOT_HOST)
        return False
    return True


def _seat(table: Table, member: Member) -> Seat | None:
    seat = table.seating.seat_of(member.key)
    if seat is None:
        table.out.refuse(member.connection, Refusal.NOT_SEATED)
    return seat


def _place(table: Table, member: Member) -> tuple[RaceRun, Track] | None:
    track = table.track_of(member.key)
    if track is None or table.run is None:
        table.out.refuse(member.connection, Refusal.NOT_SEATED)
        return None
    return table.run, track
