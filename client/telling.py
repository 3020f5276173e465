"""What happened between two pictures of a session, in lines: `told` is all that `--plain` shows by itself.

Pure. Which lines are worth telling is decided here, for ears as much as for eyes: what changes every second
(rivals' scores) is told only when asked for, by `score_lines`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from client.tui.panel import my_score, others
from client.tui.result import by_place
from client.tui.seating import hint_words
from client.view import Line, SeatPicture, SessionView
from client.words import (
    advice,
    check_words,
    clock_left,
    clock_words,
    code_in_groups,
    number,
    offer_words,
    outcome_words,
    place_words,
    ready_words,
    say,
    settings_words,
    signed,
    state_words,
    tally_words,
)
from engine.board import Board
from engine.race import Kind, SeatState
from protocol.messages import Phase

CLOCK_MARKS_S = (300, 60, 30, 10)
TILE_TOLD_MIN = 64  # smaller ones come too fast


def told(before: SessionView | None, now: SessionView) -> list[str]:
    """Returns what happened between two pictures, a line each."""
    lines = _line_changes(before, now)
    if now.phase is not None:
        if before is None or before.phase is None:
            lines.append(table_words(now))
        lines += _seat_changes(before, now)
        lines += _phase_changes(before, now)
        lines += _race_changes(before, now)
    if now.notice and (before is None or now.notice != before.notice):
        lines.append(str(advice(now.notice)))
    if now.ending and (before is None or now.ending != before.ending):
        lines.append(str(advice(now.ending)))
    return lines


def table_words(view: SessionView) -> str:
    """Returns which table this is and what is played."""
    code = code_in_groups(view.code or view.watch_code)
    return say("Table {code}: {settings}.", code=code, settings=settings_words(view.settings))


def board_lines(board: Board) -> list[str]:
    """Returns a board as lines of numbers, a dot for an empty cell."""
    faces = board.faces()
    width = max(len(str(value)) for row in faces for value in row)
    return [" ".join(str(value or ".").rjust(width) for value in row) for row in faces]


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


def name_words(seat: SeatPicture) -> str:
    """Returns a name; a computer player is marked everywhere (rules 3.10)."""
    return say("{name} (computer)", name=seat.name) if seat.computer else str(seat.name)


def _line_changes(before: SessionView | None, now: SessionView) -> list[str]:
    old = Line.CONNECTING if before is None else before.line
    if now.line is old:
        return []
    if now.line is Line.LOST:
        return [say("Connection lost, trying again.")]
    return [say("Connected again.")] if now.line is Line.ONLINE and old is Line.LOST else []


def _seat_changes(before: SessionView | None, now: SessionView) -> list[str]:
    lines = []
    old_seats = before.seats if before is not None else ()
    for index, seat in enumerate(now.seats):
        old = old_seats[index] if index < len(old_seats) else None
        if old is not None and (seat is None or seat.name != old.name):
            lines.append(say("{name} has left.", name=name_words(old)))
            old = None
        if seat is None:
            continue
        if old is None:
            lines.append(say("You have a seat.") if seat.you else say("{name} sits down.", name=name_words(seat)))
        elif now.phase is Phase.SEATING and ready_words(replace(seat, away_ms=None)) != ready_words(
            replace(old, away_ms=None)
        ):
            lines.append(say("{name}: {state}.", name=name_words(seat), state=ready_words(seat)))
    return lines


def _phase_changes(before: SessionView | None, now: SessionView) -> list[str]:
    lines: list[str] = []
    old = before.phase if before is not None else None
    if now.phase is Phase.SEATING:
        hint = hint_words(now)
        if before is None or old is not Phase.SEATING or hint != hint_words(before):
            lines.append(hint)
    if now.phase is Phase.COUNTDOWN and now.countdown_ms is not None:
        count = -(-now.countdown_ms // 1_000)
        if before is None or before.countdown_ms is None or count != -(-before.countdown_ms // 1_000):
            lines.append(str(count))
    if now.phase is old:
        return lines
    if now.phase is Phase.OPENING:
        lines.append(say("Dealing."))
    elif now.phase is Phase.RACING:
        lines.append(say("Go!") if old is Phase.COUNTDOWN else say("The race is on."))
        lines += board_lines(now.game.board) if now.game is not None else []
    elif now.phase is Phase.SETTLING:
        lines.append(say("Deciding."))
    elif now.phase is Phase.FINISHED:
        lines += _result_lines(now)
    return lines


def _result_lines(view: SessionView) -> list[str]:
    lines = [say("The race is over.")]
    if view.outcome is not None:
        lines = [outcome_words(view.outcome, view.seats, view.settings) + ".", place_words(view)]
    for seat in by_place(view):
        place = seat.place if seat.place is not None else "–"
        line = say("{place}. {name} {score}", place=place, name=name_words(seat), score=number(seat.score))
        left = seat.state in (SeatState.RESIGNED, SeatState.FORFEITED)
        lines.append(f"{line}, {state_words(seat)}" if left else line)
    return [line for line in (*lines, tally_words(view.tally)) if line]


def _race_changes(before: SessionView | None, now: SessionView) -> list[str]:
    if before is None:
        return []
    lines = []
    if now.phase is Phase.RACING and before.phase is Phase.RACING:
        for seat in others(now):
            lines += _rival_changes(next((old for old in others(before) if old.seat == seat.seat), seat), seat)
        lines += _clock_changes(before, now)
        if now.offer is not None and (
            before.offer is None or (now.offer.by_seat, now.offer.agreed) != (before.offer.by_seat, before.offer.agreed)
        ):
            lines.append(offer_words(now.offer))
        if now.offer is None and before.offer is not None:
            lines.append(say("The draw offer is gone."))
        if now.game is not None and now.game.stuck and before.game is not None and not before.game.stuck:
            lines.append(say("You are stuck; your score stands while the others play on."))
    if now.check is not None and before.check is None:
        lines.append(check_words(now))
    if now.record_path and not before.record_path:
        lines.append(say("Saved: {path}. Check it with race2048 verify.", path=now.record_path))
    return lines


def _rival_changes(old: SeatPicture, seat: SeatPicture) -> list[str]:
    """Tells a new max tile and a new state; scores only when asked for, they change every second."""
    if state_words(replace(seat, away_ms=None)) != state_words(replace(old, away_ms=None)):
        return [
            say("{name}: {state}, {score}.", name=name_words(seat), state=state_words(seat), score=number(seat.score))
        ]
    if seat.max_exponent > old.max_exponent and 1 << seat.max_exponent >= TILE_TOLD_MIN:
        tile = 1 << seat.max_exponent
        return [say("{name} has made {tile}, {score}.", name=name_words(seat), tile=tile, score=number(seat.score))]
    return []


def _clock_changes(before: SessionView, now: SessionView) -> Iterator[str]:
    if now.settings.kind == Kind.TIMED and now.clock_ms is not None and before.clock_ms is not None:
        for mark in CLOCK_MARKS_S:
            if now.clock_ms <= mark * 1_000 < before.clock_ms:
                yield say("{time} left.", time=clock_left(now.clock_ms))
