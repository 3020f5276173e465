"""What each action of a person does in a session (rules §3, §4; client/actions.py says what there is).

`do` is one function by type of action. What has no meaning now does nothing: the screens only offer what is possible,
and a key may be pressed a moment too late.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from client import actions
from client.actions import Action
from engine.race import offer_number
from protocol import messages
from protocol.messages import Phase
from protocol.movelog import Act

if TYPE_CHECKING:
    from client.play import OwnRace
    from client.session import Session


@singledispatch
def do(action: Action, session: Session, now_ms: int) -> None:
    """Does what the person asks for."""
    raise AssertionError(f"nobody knows how to do {type(action).__name__}")


@do.register(actions.Move)
def _move(action: actions.Move, session: Session, now_ms: int) -> None:
    own = session.own
    if own is not None and own.game is not None and session.race_ms(now_ms) >= 0:
        own.press(action.direction)


@do.register(actions.SetReady)
def _set_ready(action: actions.SetReady, session: Session, now_ms: int) -> None:
    if session.table is None or session.seat is None or session.table.phase is not Phase.SEATING:
        return
    session.wants_ready = action.ready
    session.burns = 0
    session.took_back = not action.ready
    if action.ready:
        session.say_ready()
    else:
        session.withdraw(messages.Unready())


@do.register(actions.Start)
def _start(action: actions.Start, session: Session, now_ms: int) -> None:
    session.send(messages.Begin())


@do.register(actions.Cancel)
def _cancel(action: actions.Cancel, session: Session, now_ms: int) -> None:
    session.send(messages.Cancel())


@do.register(actions.Again)
def _again(action: actions.Again, session: Session, now_ms: int) -> None:
    session.send(messages.Again())


@do.register(actions.Change)
def _change(action: actions.Change, session: Session, now_ms: int) -> None:
    session.send(messages.ChangeSettings(action.settings))


@do.register(actions.Sit)
def _sit(action: actions.Sit, session: Session, now_ms: int) -> None:
    session.send(messages.Sit())


@do.register(actions.Stand)
def _stand(action: actions.Stand, session: Session, now_ms: int) -> None:
    session.withdraw(messages.Stand())


@do.register(actions.Kick)
def _kick(action: actions.Kick, session: Session, now_ms: int) -> None:
    session.send(messages.Kick(action.seat))


@do.register(actions.Allow)
def _allow(action: actions.Allow, session: Session, now_ms: int) -> None:
    session.send(messages.Allow())


@do.register(actions.ToggleLock)
def _toggle_lock(action: actions.ToggleLock, session: Session, now_ms: int) -> None:
    if session.table is not None:
        session.send(messages.Lock(not session.table.locked))


@do.register(actions.Agree)
def _agree(action: actions.Agree, session: Session, now_ms: int) -> None:
    own, race = session.own, session.race
    if own is None or race is None:
        return
    offer = race.tick.offer if race.tick is not None else None
    if offer is None:
        _seal(session, own, now_ms, Act.OFFER, offer_number(own.seat, race.offers + 1))
    elif own.seat not in offer.agreed:
        _seal(session, own, now_ms, Act.AGREE, offer.number)


@do.register(actions.Refuse)
def _refuse(action: actions.Refuse, session: Session, now_ms: int) -> None:
    own, race = session.own, session.race
    offer = race.tick.offer if race is not None and race.tick is not None else None
    if own is None or offer is None:
        return
    _seal(session, own, now_ms, Act.WITHDRAW if offer.seat == own.seat else Act.REFUSE, offer.number)


@do.register(actions.Resign)
def _resign(action: actions.Resign, session: Session, now_ms: int) -> None:
    own = session.own
    if own is not None:
        _seal(session, own, now_ms, Act.RESIGN)


@do.register(actions.Leave)
def _leave(action: actions.Leave, session: Session, now_ms: int) -> None:
    session.send(messages.Leave())
    session.end("left")


def _seal(session: Session, own: OwnRace, now_ms: int, act: Act, argument: int = 0) -> None:
    session.send(*own.flush(max(0, session.race_ms(now_ms)), act, argument))
