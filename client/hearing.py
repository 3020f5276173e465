"""What each message of a lobby does to a session (protocol/SPEC.md says in which order they come).

`hear` is one function by type of message. The handshake is session.py's; here a table is known.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from client.afterwards import announced, fetch_late, took
from client.ending import ended_fits
from client.events import Recall, Recalled
from client.play import OwnRace
from client.race import Race
from client.trust import Cheat
from engine.deck import DRAWS_PER_LINK
from engine.race import offer_number
from protocol import limits, messages
from protocol.deal import Start, settings_fault
from protocol.layout import LayoutError
from protocol.messages import FromLobby, OwnGame, Phase, Signed, TableView
from protocol.record import Gap
from protocol.signing import verify
from protocol.tick import Tick

if TYPE_CHECKING:
    from client.session import Session

_DIGITS = frozenset("0123456789")


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
    _show(session, message.table, message.seat)
    session.notice, session.pending = "", None
    trust = session.trust
    assert trust is not None, "a lobby proves its key before it says Welcome"
    before = trust.signed
    trust.dealt(message.deal, missed=True)
    if before is not None and trust.signed != before and message.ended is None:
        session.count_burn()  # whatever became of it: a lobby must not get rid of Deals by cutting lines
    nonce = b"" if message.race.seats is None else trust.closed(message.race.seats)
    trust.shown(message.table, ready=session.shown_ready)
    if message.race.start is not None:
        _resume(message, message.race.start, session, now_ms)
    elif message.table.phase is Phase.OPENING and nonce:
        session.send(messages.OpenNonce(nonce))
    elif message.race.seats is None:
        _answer(session, once=False)
    if message.ended is not None:
        hear(message.ended, session, now_ms)
    if message.record is not None and message.table.phase is Phase.FINISHED:
        hear(message.record, session, now_ms)
    elif message.record is not None:
        fetch_late(message.record, session)


def _show(session: Session, table: TableView, seat: int | None) -> None:
    """Takes in the picture of the table. A Ready was meant for what was shown when it was said (rules 3.4)."""
    own = None if seat is None or seat >= len(table.seats) else table.seats[seat]
    # Codes are printed in links and given to other programs: they are digits, or no lobby of ours has made them.
    coded = _DIGITS.issuperset(table.code + table.watch_code)
    if settings_fault(table.settings) is not None or (seat is not None and own is None) or not coded:
        raise Cheat("table")
    before = session.table
    if seat is None or (before is not None and before.settings != table.settings):
        session.wants_ready = False
        session.burns = 0
    if seat is None and session.trust is not None:
        session.trust.unseated()
    session.table, session.seat = table, seat
    if table.phase in (Phase.SEATING, Phase.OPENING):
        session.race = None


def _resume(message: messages.Welcome, start: Signed, session: Session, now_ms: int) -> None:
    """Takes up a race that runs already, with the own game where the lobby has it."""
    trust = session.trust
    assert trust is not None, "a lobby proves its key before it says Welcome"
    told_start = trust.started(start, again=True)
    if session.race is None or session.race.deal != message.deal:
        _begin(session, start, told_start, seat=message.seat if message.own is not None else None)
    race = session.race
    assert race is not None, "just begun, or still known"
    if message.race.tick is not None:
        _take_tick(race, message.race.tick, session)
    for gap in message.race.gaps:
        _take_gap(race, gap, session)
    own, told = race.own, message.own
    if told is None or own is None:
        return
    race.offers = told.offers  # the ticks that told of some may be lost with a connection
    if message.ended is not None:
        own.leave()
    if told.link_number:
        _extend(session, own, told.link_number, told.link, told.moves)
    if len(own.log) == 0:
        session.pending = told
        session.add(Recall(race.start.mix))
    else:
        _take_up(session, own, told, now_ms)


def recalled(event: Recalled, session: Session, now_ms: int) -> None:
    """A program that was started again has read what it wrote down before it was killed (rules 6.3)."""
    race, told = session.race, session.pending
    if race is None or race.own is None or told is None or event.race != race.start.mix:
        return
    own = race.own
    whole = not event.directions or own.restore(event.directions, event.times)
    if not whole or (len(own.log) >= told.moves and not own.fits(told)):
        # What was kept is damaged, or not what the lobby has: then the lobby's log is the one that counts.
        race.own = own = _new_game(session, race.start, own.seat)
        own.extend(told.link_number, told.link)
    own.kept = len(own.log)
    _take_up(session, own, told, now_ms)


def _take_up(session: Session, own: OwnRace, told: OwnGame, now_ms: int) -> None:
    """Goes on where the lobby is, or gets from it first what this program has lost."""
    if told.moves > len(own.log):
        session.pending = told
        session.send(messages.AskLog(len(own.log)))
        return
    session.pending = None
    if not own.fits(told):
        raise Cheat("log")
    session.send(*own.resume(told, max(0, session.race_ms(now_ms))))


@hear.register(messages.LogPiece)
def _log_piece(message: messages.LogPiece, session: Session, now_ms: int) -> None:
    race, pending = session.race, session.pending
    if race is None or race.own is None or pending is None or message.first != len(race.own.log):
        return
    if not race.own.restore(message.directions, message.times) or len(race.own.log) > pending.moves:
        raise Cheat("log")
    _take_up(session, race.own, pending, now_ms)


@hear.register(messages.TableChanged)
def _table_changed(message: messages.TableChanged, session: Session, now_ms: int) -> None:
    _show(session, message.table, message.seat)
    if session.trust is not None:
        session.trust.settings_fit(message.table)
        session.trust.shown(message.table, ready=session.shown_ready)
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
    session.count_burn()


def _answer(session: Session, *, once: bool = True) -> None:
    """Answers a Deal by itself where the person has said so before: Ready stands, we are host, or it is Again.

    `once` unless the answer before may have been lost with its connection.
    """
    table, trust = session.table, session.trust
    seat = None if table is None or session.seat is None else table.seats[session.seat]
    if table is None or trust is None or seat is None:
        return
    seated_guest = table.phase is Phase.SEATING and table.host != session.signer.key  # a host is always ready there
    if seat.ready and seated_guest and session.took_back and not (once or session.wants_ready):
        session.withdraw(messages.Unready())  # the one before was lost with its connection
    if seat.ready or (once and trust.answered):
        return
    if table.phase is Phase.OPENING:
        session.wants_ready = True  # for the Deal after this one, too, if it is burnt
    seating = table.phase is Phase.SEATING and (session.wants_ready or table.host == session.signer.key)
    if seating or table.phase is Phase.OPENING:
        session.say_ready()


@hear.register(messages.SeatsClosed)
def _seats_closed(message: messages.SeatsClosed, session: Session, now_ms: int) -> None:
    assert session.trust is not None, "a lobby proves its key before it deals"
    nonce = session.trust.closed(message.seats)
    if nonce:
        session.send(messages.OpenNonce(nonce))


@hear.register(messages.Started)
def _started(message: messages.Started, session: Session, now_ms: int) -> None:
    assert session.trust is not None, "a lobby proves its key before it starts a race"
    keys = [player.key for player in session.trust.players]
    seat = keys.index(session.signer.key) if session.signer.key in keys else None
    _begin(session, message.start, session.trust.started(message.start), seat)
    session.ping_often(now_ms)


def _begin(session: Session, signed: Signed, start: Start, seat: int | None) -> None:
    trust = session.trust
    assert trust is not None, "a lobby proves its key before it deals"
    assert trust.deal is not None, "trust takes no Start without one"
    assert trust.signed is not None, "it is the signed Deal"
    if seat is not None and session.signer.key not in [player.key for player in trust.players[seat : seat + 1]]:
        raise Cheat("table")
    own = None if seat is None else _new_game(session, start, seat)
    session.race = Race(
        start=start,
        start_signed=signed,
        deal=trust.signed,
        own=own,
        players=trust.players,
        size=trust.deal.settings.size,
        moves_max=DRAWS_PER_LINK * trust.deal.chain_length - 2,
    )
    session.pending = None


def _new_game(session: Session, start: Start, seat: int) -> OwnRace:
    deal = session.trust.deal if session.trust is not None else None
    assert deal is not None, "a race has been dealt"
    return OwnRace(deal, start.mix, seat, session.signer, session.beat_ms)


@hear.register(messages.Link)
def _link(message: messages.Link, session: Session, now_ms: int) -> None:
    if session.race is not None and session.race.own is not None:
        _extend(session, session.race.own, message.number, message.link)


def _extend(session: Session, own: OwnRace, number: int, link: bytes, moves: int = 0) -> None:
    """Takes in a link. One that no lobby gives for the moves we have made is a deck shown too far (deal.md 4.1).

    The gate of time is not held against the lobby: who is to say that its clock is not right?
    """
    own.extend(number, link)
    pending = 0 if session.pending is None else session.pending.moves
    deal = session.trust.deal if session.trust is not None else None
    lead = 0 if deal is None else deal.settings.lead
    if DRAWS_PER_LINK * (number - 1) > max(len(own.log), moves, pending) + 1 + lead:
        raise Cheat("link-early")


@hear.register(messages.Ack)
def _ack(message: messages.Ack, session: Session, now_ms: int) -> None:
    own = None if session.race is None else session.race.own
    if own is None:
        return
    if message.moves > len(own.log):
        raise Cheat("ack")
    own.acknowledge(message.moves)
    if message.link_number:
        _extend(session, own, message.link_number, message.link)


@hear.register(messages.Ticked)
def _ticked(message: messages.Ticked, session: Session, now_ms: int) -> None:
    if session.race is not None:
        own = session.own
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
    if len(tick.seats) != len(race.players):
        raise Cheat("tick-layout")
    before = race.tick
    if before is not None and (tick.number < before.number or (tick.number == before.number and tick != before)):
        raise Cheat("tick-order")
    if before is None or tick.number > before.number:
        race.ticks.append(signed.body + signed.signature)
    race.tick = tick
    own = race.own
    if own is None:
        return
    own.tick_seen = tick.number
    if not tick.seats[own.seat].state.in_race:
        own.leave()
    if tick.offer is not None and tick.offer.seat == own.seat:
        race.offers = tick.offer.number - offer_number(own.seat, 0)


@hear.register(messages.Gapped)
def _gapped(message: messages.Gapped, session: Session, now_ms: int) -> None:
    if session.race is not None:
        _take_gap(session.race, message.gap, session)


def _take_gap(race: Race, signed: Signed, session: Session) -> None:
    """The lobby says that it was away; it cannot have been while it told something (rules 5.6)."""
    key = session.lobby_key
    if key is None or not verify(key, "gap", race.start.mix, signed.body, signed.signature):
        raise Cheat("gap-signature")
    try:
        gap = Gap.decode(signed.body)
    except LayoutError:
        raise Cheat("gap-layout") from None
    if gap in race.gaps:
        return
    told_ms = [Tick.decode(tick[: -limits.SIGNATURE_BYTES]).lobby_ms - race.start.start_ms for tick in race.ticks]
    after = race.gaps[-1].to_ms if race.gaps else 0
    if gap.from_ms < after or any(gap.from_ms < t_ms < gap.to_ms for t_ms in told_ms):
        raise Cheat("gap-told")
    race.gaps.append(gap)
    race.gaps_signed.append(signed)
    if race.own is not None and race.own.bell_ms:
        race.own.bell_ms = race.bell_ms(session.table.settings.time_ms if session.table else 0)


@hear.register(messages.Ended)
def _ended(message: messages.Ended, session: Session, now_ms: int) -> None:
    race = session.race
    if race is not None and race.ended is None:
        if not ended_fits(message, len(race.players), race.size):
            raise Cheat("ended")
        race.ended, session.fetched = message, race
        if session.trust is not None:
            session.trust.played()
        session.wants_ready, session.burns = False, 0  # they were for this race
        if race.own is not None:
            session.send(*race.own.closing_seal())


@hear.register(messages.RecordReady)
def _record_ready(message: messages.RecordReady, session: Session, now_ms: int) -> None:
    announced(message, session)


@hear.register(messages.RecordPiece)
def _record_piece(message: messages.RecordPiece, session: Session, now_ms: int) -> None:
    took(message, session)


@hear.register(messages.Refused)
def _refused(message: messages.Refused, session: Session, now_ms: int) -> None:
    own = session.race.own if session.race is not None else None
    if message.code in ("slice", "flood", "seal") and own is not None:
        if message.code == "slice":
            session.clock.doubt()
        session.send(*own.refused(message.moves, message.seals, session.race_ms(now_ms)))
    else:
        session.notice = message.code
        if message.code == "kicked" and session.trust is not None:
            session.trust.take_back()


@hear.register(messages.Drain)
def _drain(message: messages.Drain, session: Session, now_ms: int) -> None:
    session.notice = "draining"
