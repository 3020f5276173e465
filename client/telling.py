"""What happened between two pictures of a session, in lines: `told` is all that `--plain` shows by itself.

Why a session is over for good is not told here: the command that showed it says so at last (client/cli/visit.py).
Pure. Which lines are worth telling is decided here, for ears as much as for eyes: scores, which change every second,
are told now and then (`figure_lines`) and when they are asked for (`score_lines`); what counts down is told when it
begins and when it is nearly over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client.luck import luck_words
from client.tui.choices import choices_words, rows, typed_words
from client.tui.commands import my_picture
from client.tui.form import consequence
from client.tui.paint import idle_words
from client.tui.panel import my_score, others
from client.tui.result import by_place
from client.tui.seating import hint_words
from client.tui.sliding import move_between
from client.view import Line, OfferPicture, SeatPicture, SessionView
from client.words import (
    advice,
    alarm_words,
    all_settings_words,
    check_words,
    clock_left,
    clock_words,
    code_in_groups,
    dispute_words,
    number,
    offer_words,
    outcome_words,
    place_words,
    ready_words,
    say,
    say_n,
    seconds_left,
    settings_words,
    signed,
    state_words,
    tally_words,
    terms_words,
)
from engine.board import Board
from engine.race import Kind, SeatState
from protocol.messages import Phase

CLOCK_MARKS_S = (300, 60, 30, 10)
AWAY_MARKS_S = (30, 10)
LAPSED_MS = 1_500  # an offer that had no more left has lapsed, whatever crossed on the line
TILE_TOLD_MIN = 64  # smaller ones come too fast
FIGURES_MS, FIGURES_WATCHING_MS = 15_000, 5_000  # who plays has more to listen to than who watches


def told(before: SessionView | None, now: SessionView) -> list[str]:
    """Returns what happened between two pictures, a line each."""
    lines = _line_changes(before, now)
    if now.phase is not None:
        if before is None or before.phase is None:
            lines.append(table_words(now))
        else:
            lines += _table_changes(before, now)
        lines += _seat_changes(before, now)
        lines += _phase_changes(before, now)
        lines += _race_changes(before, now)
    if now.alarm and (before is None or not before.alarm):
        lines.append(alarm_words(now))
    if now.dispute is not None and (before is None or now.dispute != before.dispute):
        lines.append(dispute_words(now))
    if now.notice and (before is None or now.notice != before.notice):
        lines.append(str(advice(now.notice)))
    return [line for line in lines if line]


# ── what can be asked for ────────────────────────────────────────────────────────────────────────────────────────


def table_words(view: SessionView) -> str:
    """Returns which table this is and what is played."""
    code = code_in_groups(view.code or view.watch_code)
    locked = say("It is locked.") if view.locked else ""
    table = say("Table {code}: {settings}.", code=code, settings=settings_words(view.settings))
    terms = terms_words(view)
    also = say("Also: {terms}.", terms=terms) if terms else ""
    return " ".join(part for part in (table, also, locked) if part)


def board_lines(board: Board) -> list[str]:
    """Returns a board as lines of numbers, a dot for an empty cell."""
    faces = board.faces()
    width = max(len(str(value)) for row in faces for value in row)
    return [" ".join(str(value or ".").rjust(width) for value in row) for row in faces]


def move_words(before: Board | None, now: SessionView) -> str:
    """Returns what a move has made of the score, and the new tile with its place, so that nobody has to look for it."""
    assert now.game is not None, "only who has a game moves"
    score = say("Score {score}.", score=number(now.game.score))
    board = now.game.board
    _, spawned = move_between(before, board)
    cell = next(iter(spawned), None)
    if cell is None:
        return score
    row, column = divmod(cell, board.size)
    tile = 1 << board.cells[cell]
    new = say("New: {tile} in row {row}, column {column}.", tile=tile, row=row + 1, column=column + 1)
    return f"{score} {new}"


def score_lines(view: SessionView) -> list[str]:
    """Returns how everyone stands, yourself first."""
    mine = my_score(view)
    lines = []
    if view.game is not None:
        line = say("You: {score}, {moves} moves.", score=number(view.game.score), moves=number(view.game.moves))
        lines.append(line)
    for seat in others(view):
        gap = "" if mine is None else f" ({signed(seat.score - mine)})"
        lines.append(
            say(
                "{name}: {score}{gap}, max tile {tile}, {moves} moves, {state}.",
                name=name_words(seat),
                score=number(seat.score),
                gap=gap,
                tile=1 << seat.max_exponent if seat.max_exponent else 0,
                moves=number(seat.moves),
                state=state_words(seat),
            )
        )
    if view.clock_ms is not None:
        timed = view.settings.kind == Kind.TIMED
        lines.append(say("{time} left.", time=clock_words(view)) if timed else clock_words(view))
    return lines


def figure_lines(before: SessionView | None, now: SessionView) -> list[str]:
    """Returns everyone's scores in a line if they have changed since `before`, which was some seconds ago."""
    if before is None or now.phase is not Phase.RACING or before.phase is not Phase.RACING:
        return []
    if now.clock_ms is None or before.clock_ms is None:
        return []
    every_ms = FIGURES_WATCHING_MS if now.my_seat is None else FIGURES_MS
    rivals = others(now)
    if abs(now.clock_ms - before.clock_ms) < every_ms or _scores(rivals) == _scores(others(before)):
        return []
    scores = [say("{name} {score}", name=seat.name, score=number(seat.score)) for seat in rivals]
    mine = my_score(now)
    own = [] if mine is None else [say("you {score}", score=number(mine))]
    return [say("Scores: {scores}.", scores=say(", ").join([*own, *scores]))]


def settings_lines(view: SessionView) -> list[str]:
    """Returns what the host has chosen, what else there is, and how to say so."""
    seated, settings = sum(seat is not None for seat in view.seats), view.settings
    lines = [
        say(
            "{name} {value}: it can be {choices}.",
            name=row.value,
            value=typed_words(settings, row),
            choices=choices_words(settings, row, seated),
        )
        for row in rows(settings)
    ]
    lines.append(say("Say what you choose, like this: settings size 5 target 512"))
    if view.phase is Phase.FINISHED:
        lines.append(say("settings same: nothing else, but new people can sit."))
    return [*lines, consequence(view)]


def name_words(seat: SeatPicture) -> str:
    """Returns a name; a computer player is marked everywhere (rules 3.10)."""
    return say("{name} (computer)", name=seat.name) if seat.computer else str(seat.name)


# ── what has changed ─────────────────────────────────────────────────────────────────────────────────────────────


def _scores(seats: Sequence[SeatPicture]) -> list[tuple[int, int]]:
    return [(seat.seat, seat.score) for seat in seats]


def _line_changes(before: SessionView | None, now: SessionView) -> list[str]:
    old = Line.CONNECTING if before is None else before.line
    if now.line is old:
        return []
    if now.line is Line.LOST:
        return [say("Connection lost, trying again.")]
    return [say("Connected again.")] if now.line is Line.ONLINE and old is Line.LOST else []


def _table_changes(before: SessionView, now: SessionView) -> Iterator[str]:
    """Tells what the host has changed, and who that is."""
    if now.settings != before.settings:
        yield say("New settings: {settings}.", settings=all_settings_words(now.settings))
    if now.locked != before.locked:
        yield say("The table is locked now.") if now.locked else say("The table is not locked any more.")
    if now.i_am_host and not before.i_am_host:
        yield say("You are the host now.")
    host, was = (next((s for s in view.seats if s is not None and s.host), None) for view in (now, before))
    if host is not None and was is not None and host.name != was.name and not host.you:
        yield say("{name} is the host now.", name=name_words(host))
    if now.watchers != before.watchers and now.phase is Phase.SEATING:
        yield say_n("{count} is watching.", "{count} are watching.", now.watchers)


def _seat_changes(before: SessionView | None, now: SessionView) -> list[str]:
    """Tells who comes and goes, by name: seats close up for a race, and everyone moves on after one."""
    lines = []
    old_seats = {} if before is None else {seat.name: seat for seat in before.seats if seat is not None}
    seats = {seat.name: seat for seat in now.seats if seat is not None}
    for name, old in old_seats.items():
        if name not in seats:
            gone = say("{name} has left.", name=name_words(old))
            lines.append(say("You have no seat any more; you watch.") if old.you else gone)
    for name, seat in seats.items():
        was = old_seats.get(name)
        if was is None:
            lines.append(say("You have a seat.") if seat.you else say("{name} sits down.", name=name_words(seat)))
        elif now.phase is Phase.SEATING and (seat.ready, seat.connected) != (was.ready, was.connected):
            lines.append(say("{name}: {state}.", name=name_words(seat), state=ready_words(seat)))
        elif now.phase is Phase.FINISHED:
            lines += _after_race(was, seat)
    return lines


def _after_race(old: SeatPicture, seat: SeatPicture) -> Iterator[str]:
    if seat.connected != old.connected and not seat.you:
        back, gone = say("{name} is back.", name=name_words(seat)), say("{name} has gone.", name=name_words(seat))
        yield back if seat.connected else gone
    if seat.wants_again and not old.wants_again:
        asked = say("You have asked for another race: the host deals it.")
        yield asked if seat.you else say("{name} asks for another race.", name=name_words(seat))


def _phase_changes(before: SessionView | None, now: SessionView) -> list[str]:
    lines: list[str] = []
    old = before.phase if before is not None else None
    if now.outcome is not None and (before is None or before.outcome is None):
        lines += [outcome_words(now.outcome, now.seats, now.settings) + ".", place_words(now)]
    if now.phase is Phase.SEATING:
        if old in (Phase.OPENING, Phase.COUNTDOWN):
            lines.append(say("The start was broken off."))
        hint = hint_words(now)
        if before is None or old is not Phase.SEATING or hint != hint_words(before):
            lines.append(hint)
    if now.phase is Phase.COUNTDOWN and now.countdown_ms is not None:
        count = -(-now.countdown_ms // 1_000)
        if before is None or before.countdown_ms is None or count != -(-before.countdown_ms // 1_000):
            lines.append(str(count))
    return lines if now.phase is old else lines + _entered(old, now)


def _entered(old: Phase | None, now: SessionView) -> list[str]:
    """Tells the phase that has begun."""
    match now.phase:
        case Phase.OPENING:
            return [say("Dealing.")]
        case Phase.RACING:
            board = board_lines(now.game.board) if now.game is not None else []
            return [say("Go!") if old is Phase.COUNTDOWN else say("The race is on."), *board]
        case Phase.SETTLING:
            return [say("Deciding.")]
        case Phase.FINISHED:
            return _result_lines(now)
        case _:
            return []


def _result_lines(view: SessionView) -> list[str]:
    lines = [say("The race is over.")] if view.outcome is None else []
    for seat in by_place(view):
        place = seat.place if seat.place is not None else "–"
        line = say("{place}. {name} {score}", place=place, name=name_words(seat), score=number(seat.score))
        moving = seat.state is SeatState.MOVING
        lines.append(line if moving else say("{line}, {state}", line=line, state=state_words(seat)))
    lines.append(tally_words(view.tally))
    if view.i_am_host:
        lines.append(say("Say again for another race, settings to change them, or help."))
    elif view.my_seat is not None:
        lines.append(say("Say again to ask for another race, or help."))
    return lines


def _race_changes(before: SessionView | None, now: SessionView) -> Iterator[str]:
    if before is None:
        return
    if now.phase is Phase.RACING and before.phase is Phase.RACING:
        old_seats = {seat.seat: seat for seat in before.seats if seat is not None}
        for seat in others(now):
            yield from _rival_changes(old_seats.get(seat.seat, seat), seat)
        yield from _own_changes(before, now)
        yield from _clock_changes(before, now)
        yield from _offer_changes(before, now)
    if now.check is not None and before.check is None and now.check.ok:
        yield check_words(now)
    if now.record_path and not before.record_path:
        yield say("Saved: {path}. Check it with race2048 verify.", path=now.record_path)
    if now.phase is Phase.FINISHED and not any(seat.luck is not None for seat in by_place(before)):
        for seat in by_place(now):
            if seat.luck is not None:
                yield say("{name}: {luck}.", name=name_words(seat), luck=luck_words(seat.luck))


def _rival_changes(old: SeatPicture, seat: SeatPicture) -> Iterator[str]:
    """Tells a new state, the end of an absence coming near, and a new max tile."""
    if _state_of(seat) != _state_of(old):
        back = seat.state is SeatState.MOVING and seat.connected and seat.away_ms is None
        state = say("back") if back else state_words(seat)
        yield say("{name}: {state}, {score}.", name=name_words(seat), state=state, score=number(seat.score))
    elif _passed(old.away_ms, seat.away_ms, AWAY_MARKS_S):
        yield say("{name}: {state}.", name=name_words(seat), state=state_words(seat))
    elif seat.max_exponent > old.max_exponent and 1 << seat.max_exponent >= TILE_TOLD_MIN:
        tile = 1 << seat.max_exponent
        yield say("{name} has made {tile}, {score}.", name=name_words(seat), tile=tile, score=number(seat.score))


def _state_of(seat: SeatPicture) -> tuple[object, ...]:
    away = seat.state is SeatState.MOVING and (seat.away_ms is not None or not seat.connected)
    return seat.state, seat.deck_used_up, away


def _own_changes(before: SessionView, now: SessionView) -> Iterator[str]:
    mine, was = my_picture(now), my_picture(before)
    if mine is None or was is None:
        return
    if mine.state is not was.state or (mine.away_ms is None) != (was.away_ms is None):
        yield from _own_state(mine)
    elif _passed(was.away_ms, mine.away_ms, AWAY_MARKS_S):
        yield idle_words(now)
    if now.idle_warning_ms is not None and (
        before.idle_warning_ms is None or _passed(before.idle_warning_ms, now.idle_warning_ms, AWAY_MARKS_S)
    ):
        yield idle_words(now)


def _own_state(mine: SeatPicture) -> Iterator[str]:
    if mine.state is SeatState.RESIGNED:
        yield say("You have resigned. The others go on.")
    elif mine.state is SeatState.FORFEITED:
        yield say("You were away too long: your seat is out of this race.")
    elif mine.state is SeatState.STUCK:
        used_up = say("Your deck is used up; your score stands.")
        yield used_up if mine.deck_used_up else say("You are stuck; your score stands while the others play on.")
    elif mine.away_ms is not None:
        yield say("Away: move within {time} or forfeit.", time=seconds_left(mine.away_ms))
    else:
        yield say("You are back in the race.")


def _clock_changes(before: SessionView, now: SessionView) -> Iterator[str]:
    if now.settings.kind == Kind.TIMED and now.clock_ms is not None and _passed(
        before.clock_ms, now.clock_ms, CLOCK_MARKS_S
    ):  # fmt: skip
        yield say("{time} left.", time=clock_left(now.clock_ms))


def _passed(before_ms: int | None, now_ms: int | None, marks_s: Sequence[int]) -> bool:
    """Returns whether what is left has come down to one of these marks."""
    if before_ms is None or now_ms is None:
        return False
    return any(now_ms <= mark * 1_000 < before_ms for mark in marks_s)


def _offer_changes(before: SessionView, now: SessionView) -> Iterator[str]:
    """Tells an offer when it comes, who agrees, and that it is gone."""
    old, offer = before.offer, now.offer
    if old is not None and (offer is None or offer.by_seat != old.by_seat):
        lapsed = old.lapse_ms <= LAPSED_MS
        yield say("The draw offer has lapsed.") if lapsed else say("The draw offer is gone: refused, or played on.")
    if offer is None:
        return
    if old is None or offer.by_seat != old.by_seat:
        yield offer_words(offer)
        old = None
    yield from _agreed(old, offer, now)


def _agreed(old: OfferPicture | None, offer: OfferPicture, now: SessionView) -> Iterator[str]:
    before = (offer.by_seat,) if old is None else old.agreed_seats
    for seat in now.seats:
        if seat is not None and seat.seat in offer.agreed_seats and seat.seat not in before:
            yield say("You agree to the draw.") if seat.you else say("{name} agrees to the draw.", name=seat.name)
