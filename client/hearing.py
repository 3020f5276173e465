"""What each message of a lobby does to a session (protocol/SPEC.md says in which order they come).

`hear` is one function by type of message. The handshake is session.py's; here a table is known.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from client.events import SaveRecord
from client.fetching import Fetching, check_record
from client.play import OwnRace
from client.race import Race
from client.trust import Cheat
from protocol import limits, messages
from protocol.deal import Start
from protocol.layout import LayoutError
from protocol.messages import FromLobby, Phase, Signed
from protocol.signing import verify
from protocol.tick import Tick

if TYPE_CHECKING:
    from client.session import Session


@singledispatch
def hear(message: FromLobby, session: Session, now_ms: int) -> None:
    """Takes in a message; those that mean nothing to a client at a table are passed over."""


@hear.register(messages.Ping)
def _ping(message: messages.Ping, session: Session, now_ms: int) -> None:
    session.send(messages.Pong(message.stamp_ms, now_ms))


@hear.register(messages.Pong)
def _pong(message: messages.Pong, session: Session, now_ms: int) -> None:
    session.clock.sample(message.stamp_ms, message.clock_ms, now_ms)


@hear.register(messages.Welcome)
def _welcome(message: messages.Welcome, session: Session, now_ms: int) -> None:
    session.table, session.seat = message.table, message.seat
    trust = session.trust
    assert trust is not None, "a lobby proves its key before it says Welcome"
    trust.dealt(message.deal)
    if message.race.seats is not None and not trust.players:
        trust.closed(message.race.seats)
    if message.race.start is None:
        session.race = None
        _answer(session)
    else:
        _resume(message, message.race.start, session, now_ms)
    if message.ended is not None:
        hear(message.ended, session, now_ms)
    if message.record is not None:
        hear(message.record, session, now_ms)


def _resume(message: messages.Welcome, start: Signed, session: Session, now_ms: int) -> None:
    """Takes up a race that runs already, with the own game where the lobby has it."""
    if session.race is None or session.race.deal != message.deal:
        _begin(session, start, seat=message.seat if message.own is not None else None)
    race = session.race
    assert race is not None, "just begun, or still known"
    if message.race.tick is not None:
        _take_tick(race, message.race.tick, session)
    if message.own is None or race.own is None:
        return
    own = message.own
    if own.link_number:
        race.own.extend(own.link_number, own.link)
    if own.moves > len(race.own.log):
        session.pending = own
        session.send(messages.AskLog(len(race.own.log)))
    else:
        session.send(*race.own.resume(own, max(0, session.race_ms(now_ms))))


@hear.register(messages.LogPiece)
def _log_piece(message: messages.LogPiece, session: Session, now_ms: int) -> None:
    race, pending = session.race, session.pending
    if race is None or race.own is None or pending is None or message.first != len(race.own.log):
        return
    race.own.restore(message.directions, message.times)
    if len(race.own.log) < pending.moves and message.directions:
        session.send(messages.AskLog(len(race.own.log)))
    else:
        session.pending = None
        session.send(*race.own.resume(pending, max(0, session.race_ms(now_ms))))


@hear.register(messages.TableChanged)
def _table_changed(message: messages.TableChanged, session: Session, now_ms: int) -> None:
    before = session.table
    session.table, session.seat = message.table, message.seat
    if before is not None and before.settings != message.table.settings:
        session.wants_ready = False
        session.burns = 0
    if message.table.phase in (Phase.SEATING, Phase.OPENING) and session.race is not None:
        session.race = None
    if message.seat is None:
        session.wants_ready = False
    _answer(session)


@hear.register(messages.Dealt)
def _dealt(message: messages.Dealt, session: Session, now_ms: int) -> None:
    assert session.trust is not None, "a lobby proves its key before it deals"
    session.trust.dealt(message.deal)
    _answer(session)


@hear.register(messages.Burnt)
def _burnt(message: messages.Burnt, session: Session, now_ms: int) -> None:
    assert session.trust is not None, "a lobby proves its key before it deals"
    session.trust.burnt(message.last_link)
    session.race = None
    session.burns += 1
    if session.burns >= limits.BURNS_MAX:
        session.wants_ready = False


def _answer(session: Session) -> None:
    """Answers a Deal by itself where the person has said so before: Ready stands, we are host, or it is Again."""
    table, trust = session.table, session.trust
    if table is None or trust is None or session.seat is None:
        return
    seat = table.seats[session.seat]
    if seat is None or seat.ready:
        return
    seating = table.phase is Phase.SEATING and (session.wants_ready or table.host == session.signer.key)
    if (seating or table.phase is Phase.OPENING) and not trust.answered:
        session.say_ready()


@hear.register(messages.SeatsClosed)
def _seats_closed(message: messages.SeatsClosed, session: Session, now_ms: int) -> None:
    assert session.trust is not None, "a lobby proves its key before it deals"
    nonce = session.trust.closed(message.seats)
    if nonce:
        session.send(messages.OpenNonce(nonce))


@hear.register(messages.Started)
def _started(message: messages.Started, session: Session, now_ms: int) -> None:
    keys = [player.key for player in session.trust.players] if session.trust is not None else []
    _begin(session, message.start, seat=keys.index(session.signer.key) if session.signer.key in keys else None)
    session.burns = 0
    session.ping_often(now_ms)


def _begin(session: Session, signed: Signed, seat: int | None) -> None:
    trust = session.trust
    assert trust is not None, "a lobby proves its key before it deals"
    if trust.deal is None or trust.signed is None:
        raise Cheat("start-without-deal")
    start: Start = trust.started(signed)
    own = None if seat is None else OwnRace(trust.deal, start.mix, seat, session.signer)
    size = trust.deal.settings.size
    session.race = Race(start=start, deal=trust.signed, own=own, players=trust.players, size=size)


@hear.register(messages.Link)
def _link(message: messages.Link, session: Session, now_ms: int) -> None:
    if session.race is not None and session.race.own is not None:
        session.race.own.extend(message.number, message.link)


@hear.register(messages.Ack)
def _ack(message: messages.Ack, session: Session, now_ms: int) -> None:
    if session.race is not None and session.race.own is not None:
        session.race.own.acknowledge(message.moves)
        if message.link_number:
            session.race.own.extend(message.link_number, message.link)


@hear.register(messages.Ticked)
def _ticked(message: messages.Ticked, session: Session, now_ms: int) -> None:
    if session.race is not None:
        own = session.race.own
        if own is not None:
            # What was moved before a draw offer could be seen must not be taken for an answer to it (rules 6.4).
            session.send(*own.flush(session.race_ms(now_ms)))
        _take_tick(session.race, message.tick, session)


def _take_tick(race: Race, signed: Signed, session: Session) -> None:
    key = session.lobby_key
    if key is None or not verify(key, "tick", race.start.mix, signed.body, signed.signature):
        raise Cheat("tick-signature")
    try:
        tick = Tick.decode(signed.body)
    except LayoutError:
        raise Cheat("tick-layout") from None
    if race.tick is not None and tick.number < race.tick.number:
        raise Cheat("tick-order")
    if race.tick is None or tick.number > race.tick.number:
        race.ticks.append(signed.body + signed.signature)
    race.tick = tick
    if race.own is not None:
        race.own.tick_seen = tick.number


@hear.register(messages.Ended)
def _ended(message: messages.Ended, session: Session, now_ms: int) -> None:
    race = session.race
    if race is not None and race.ended is None:
        race.ended = message
        if race.own is not None:
            session.send(*race.own.closing_seal())


@hear.register(messages.RecordReady)
def _record_ready(message: messages.RecordReady, session: Session, now_ms: int) -> None:
    if session.race is not None and session.race.check is None:
        session.race.fetching = Fetching(message)
        session.send(session.race.fetching.ask())


@hear.register(messages.RecordPiece)
def _record_piece(message: messages.RecordPiece, session: Session, now_ms: int) -> None:
    race = session.race
    if race is None or race.fetching is None or race.check is not None or session.table is None:
        return
    data = race.fetching.take(message)
    if data is None:
        session.send(race.fetching.ask())
        return
    race.check = check_record(data, race.deal, race.own)
    code = session.table.code or session.table.watch_code
    session.add(SaveRecord(code, data, race.check.ok, () if race.check.ok else tuple(race.ticks)))


@hear.register(messages.Refused)
def _refused(message: messages.Refused, session: Session, now_ms: int) -> None:
    own = session.race.own if session.race is not None else None
    if message.code in ("slice", "flood", "seal") and own is not None:
        session.send(*own.refused(message.moves, message.seals))
    else:
        session.notice = message.code


@hear.register(messages.Drain)
def _drain(message: messages.Drain, session: Session, now_ms: int) -> None:
    session.notice = "draining"
