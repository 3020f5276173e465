"""Draws the view of a session: everything a person can see, and nothing else (client/view.py).

Reads a session and changes nothing. Your own figures are live; those of others are what the last tick told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from client.view import GamePicture, OfferPicture, SeatPicture, SessionView, TallyPicture
from engine.board import Board
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.messages import Phase, Role, SeatView, TableView
from protocol.text import SafeText
from protocol.tick import SeatFigures

if TYPE_CHECKING:
    from client.race import Race
    from client.session import Session

_NOTHING = SeatFigures(SeatState.MOVING, 0, 0, 0)
_RACING = (Phase.RACING, Phase.SETTLING, Phase.CLOSING)


def draw(session: Session, now_ms: int) -> SessionView:
    """Returns the view of a session at `now_ms` of this machine's clock."""
    table, race, known = session.table, session.race, _without_table(session)
    if table is None:
        return known
    seats = _seats(session, table, race, now_ms)
    return replace(
        known,
        phase=_phase(session, table, now_ms),
        code=table.code,
        watch_code=table.watch_code,
        settings=table.settings,
        seeded=session.trust is not None and session.trust.seeded,
        unusual=session.trust is not None and session.trust.unusual,
        seats=seats,
        my_seat=_my_seat(session),
        may_sit=session.role is not Role.WATCHER and table.code != "",
        i_am_host=table.host == session.signer.key,
        wants_ready=session.wants_ready,
        can_start=_can_start(session, table),
        locked=table.locked,
        watchers=table.watchers,
        tally=tuple(TallyPicture(name=t.name, wins=t.wins, draws=t.draws, losses=t.losses) for t in table.tally),
        countdown_ms=_countdown_ms(session, table, now_ms),
        clock_ms=_clock_ms(session, table, now_ms),
        idle_warning_ms=_idle_warning_ms(session, now_ms),
        game=_game(session),
        offer=_offer(session, now_ms),
        outcome=_outcome(race),
        check=None if race is None else race.check,
        record_path="" if race is None else race.record_path,
        checking=bool(session.checking),
    )


def _without_table(session: Session) -> SessionView:
    """Returns what there is to see of the lobby alone."""
    lobby, disputed = session.lobby, session.disputed
    return SessionView(
        line=session.line,
        alarm=session.alarm,
        dispute=None if disputed is None else disputed.check,
        dispute_path="" if disputed is None else disputed.record_path,
        fingerprint=session.fingerprint,
        notice=session.notice,
        ending=session.ending,
        lobby_program="" if lobby is None else lobby.program,
        lobby_protocol=0 if lobby is None else lobby.protocol,
    )


def _phase(session: Session, table: TableView, now_ms: int) -> Phase:
    """Returns the phase as this player lives it: the boards come alive by the clock, not by a message."""
    if session.race is not None and session.race.ended is not None and table.phase in _RACING:
        return Phase.CLOSING
    if table.phase is Phase.COUNTDOWN and session.race is not None and session.race_ms(now_ms) >= 0:
        return Phase.RACING
    return table.phase


def _my_seat(session: Session) -> int | None:
    if session.race is not None:
        return session.race.place_of(session.signer.key)
    return session.seat


def _can_start(session: Session, table: TableView) -> bool:
    seated = [seat for seat in table.seats if seat is not None]
    if table.host != session.signer.key or table.phase is not Phase.SEATING or len(seated) < 2:
        return False
    return all(seat.ready and seat.connected for seat in seated)


def _countdown_ms(session: Session, table: TableView, now_ms: int) -> int | None:
    if session.race is None or table.phase is not Phase.COUNTDOWN:
        return None
    left_ms = -session.race_ms(now_ms)
    return left_ms if left_ms > 0 else None


def _clock_ms(session: Session, table: TableView, now_ms: int) -> int | None:
    race = session.race
    if race is None:
        return None
    passed_ms = max(0, session.race_ms(now_ms)) if race.ended is None else race.ended.t_ms
    if table.settings.kind == Kind.TIMED:
        return max(0, race.bell_ms(table.settings.time_ms) - passed_ms)
    return passed_ms


def _idle_warning_ms(session: Session, now_ms: int) -> int | None:
    """Returns what is left until this seat counts as away for not moving, once that is near (rules 4.9)."""
    race, own = session.race, session.own
    if race is None or own is None or own.done or session.trust is None:
        return None
    deal, passed_ms = session.trust.deal, session.race_ms(now_ms)
    told = race.tick.seats[own.seat] if race.tick is not None else _NOTHING
    if deal is None or not deal.settings.idle_ms or passed_ms < 0 or told.away_until_ms:
        return None
    moved_ms = own.log.last_ms
    gap_ms = sum(gap.to_ms - max(gap.from_ms, moved_ms) for gap in race.gaps if gap.to_ms > moved_ms)  # rules 5.6
    left_ms = moved_ms + deal.settings.idle_ms + gap_ms - passed_ms
    return max(left_ms, 0) if left_ms <= deal.windows.idle_warning_ms else None


def _game(session: Session) -> GamePicture | None:
    own = session.race.own if session.race is not None else None
    if own is None or own.game is None:
        return None
    game = own.game
    return GamePicture(
        board=game.board,
        score=game.score,
        moves=game.moves,
        max_exponent=game.max_exponent,
        stuck=game.stuck,
        deck_used_up=game.deck_used_up,
        unconfirmed=own.unconfirmed,
        waiting=own.waiting,
    )


def _offer(session: Session, now_ms: int) -> OfferPicture | None:
    race = session.race
    offer = race.tick.offer if race is not None and race.tick is not None and race.ended is None else None
    if race is None or offer is None:
        return None
    mine = race.place_of(session.signer.key)
    return OfferPicture(
        by_seat=offer.seat,
        by_name=SafeText.shown(race.players[offer.seat].name),
        by_you=offer.seat == mine,
        agreed=mine in offer.agreed,
        lapse_ms=max(0, offer.lapses_ms - session.clock.lobby_ms(now_ms)),
        agreed_seats=offer.agreed,
    )


def _outcome(race: Race | None) -> Outcome | None:
    if race is None or race.ended is None:
        return None
    return Outcome(Termination(race.ended.termination), race.ended.winners, race.ended.t_ms)


def _seats(session: Session, table: TableView, race: Race | None, now_ms: int) -> tuple[SeatPicture | None, ...]:
    if race is None:
        return tuple(
            None if seat is None else _seated(session, table, number, seat) for number, seat in enumerate(table.seats)
        )
    return tuple(_racing(session, table, race, number, now_ms) for number in range(len(race.players)))


def _seated(session: Session, table: TableView, number: int, seat: SeatView) -> SeatPicture:
    return SeatPicture(
        seat=number,
        name=seat.name,
        you=seat.key == session.signer.key,
        host=seat.key == table.host,
        computer=seat.computer,
        connected=seat.connected,
        ready=seat.ready,
        wants_again=seat.wants_again,
    )


def _racing(session: Session, table: TableView, race: Race, number: int, now_ms: int) -> SeatPicture:
    """Returns a seat of a race; who has left the table since is shown as not connected."""
    player = race.players[number]
    here = next((seat for seat in table.seats if seat is not None and seat.key == player.key), None)
    figures = _figures(race, number)
    away_ms = max(0, figures.away_until_ms - session.clock.lobby_ms(now_ms)) if figures.away_until_ms else None
    ended = race.ended
    return SeatPicture(
        seat=number,
        name=SafeText.shown(player.name),
        you=player.key == session.signer.key,
        host=player.key == table.host,
        computer=player.computer,
        connected=here is not None and here.connected,
        ready=True,
        wants_again=here is not None and here.wants_again,
        state=figures.state,
        score=figures.score,
        max_exponent=figures.max_exponent,
        moves=figures.moves,
        deck_used_up=figures.deck_used_up,
        away_ms=away_ms if ended is None else None,
        place=None if ended is None else ended.standing.index(number) + 1,
        won=ended is not None and number in ended.winners,
        board=None if ended is None else Board.of_cells(race.size, ended.boards[number]),
        luck=race.luck[number] if race.luck else None,
    )


def _figures(race: Race, number: int) -> SeatFigures:
    """Returns a seat's figures: of the end once it is known, your own live, else those of the last tick."""
    told = race.tick.seats[number] if race.tick is not None else _NOTHING
    ended = race.ended
    if ended is not None:
        state, used_up = SeatState(ended.states[number]), ended.moves[number] == race.moves_max
        return SeatFigures(state, ended.scores[number], ended.max_exponents[number], ended.moves[number], used_up)
    game = race.own.game if race.own is not None and race.own.seat == number else None
    if game is None:
        return told
    state = SeatState.STUCK if game.stuck and told.state is SeatState.MOVING else told.state
    return SeatFigures(state, game.score, game.max_exponent, game.moves, game.deck_used_up, told.away_until_ms)
