"""A record written out: as JSON, complete, for programs (docs/replay-json.md), and as text, for people.

Both are the same to the last byte for the same record. The third form, the asciicast, is tui/cast.py's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from heapq import merge

from client.course import Course, MadeMove
from client.directions import DIRECTIONS
from client.happenings import Happened, Happening
from client.reading import Reading
from client.retelling import end_words, happening_words, moment_words
from client.timeline import Timeline
from client.view import SeatPicture, SessionView
from client.words import all_settings_words, number, say, state_words
from engine.board import Board
from engine.race import Kind, SeatState
from protocol.messages import TableSettings

from .figures import outcome_json, tile

FORM_VERSION = 1
_CELL_COLUMNS = 6


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def replay_json(reading: Reading, timeline: Timeline) -> dict[str, object]:
    """Returns everything that is in a record, derived again: see docs/replay-json.md."""
    verdict, deal = reading.verdict, timeline.deal
    end = timeline.at(timeline.end_ms)
    return {
        "form": "race2048-replay",
        "version": FORM_VERSION,
        "sha256": hashlib.sha256(reading.data).hexdigest(),
        "ok": verdict.ok,
        "reason": verdict.reason,
        "trusts": [str(trust) for trust in verdict.trusts],
        "lobby_key": deal.lobby_key.hex(),
        "table_id": deal.table_id.hex(),
        "race_number": deal.race_number,
        "seeded": deal.seeded,
        "settings": settings_json(timeline.settings),
        "outcome": None if timeline.outcome is None else outcome_json(timeline.outcome),
        "end_ms": timeline.end_ms,
        "gaps": [{"from_ms": gap.from_ms, "to_ms": gap.to_ms} for gap in timeline.gaps],
        "leads": [{"t_ms": lead.t_ms, "seat": lead.seat} for lead in timeline.leads],
        "events": [_event_json(happening) for happening in timeline.happenings],
        "seats": [_seat_json(timeline.courses[seat.seat], seat) for seat in end.seats if seat is not None],
    }


def settings_json(settings: TableSettings) -> dict[str, object]:
    """Returns what was raced for; null where the kind has no such thing."""
    return {
        "seats": settings.seats,
        "size": settings.size,
        "kind": Kind(settings.kind).name.lower(),
        "target": tile(settings.target_exponent) or None,
        "time_ms": settings.time_ms or None,
        "lead": settings.lead,
        "idle_ms": settings.idle_ms or None,
    }


def _event_json(happening: Happening) -> dict[str, object]:
    event: dict[str, object] = {"t_ms": happening.t_ms, "event": str(happening.kind)}
    if happening.seat >= 0:
        event["seat"] = happening.seat
    if happening.kind is Happened.MADE:
        event["tile"] = tile(happening.exponent)
    if happening.kind is Happened.GAP:
        event["until_ms"] = happening.until_ms
    return event


def _seat_json(course: Course, seat: SeatPicture) -> dict[str, object]:
    assert seat.board is not None, "a timeline knows every board"
    return {
        "seat": seat.seat,
        "name": seat.name,
        "key": course.player.key.hex(),
        "computer": seat.computer,
        "place": seat.place,
        "won": seat.won,
        "state": seat.state.name.lower(),
        "score": seat.score,
        "max_tile": tile(seat.max_exponent),
        "moves": seat.moves,
        "start": course.board_after(0).faces(),
        "board": seat.board.faces(),
        "log": [_move_json(move) for move in course.played()],
    }


def _move_json(move: MadeMove) -> dict[str, object]:
    return {
        "move": move.number,
        "t_ms": move.t_ms,
        "direction": move.direction.name.lower(),
        "points": move.points,
        "score": move.score,
        "tile": tile(move.exponent),
        "cell": move.cell,
    }


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def replay_text(reading: Reading, timeline: Timeline) -> Iterator[str]:
    """Yields the lines of a whole race: every move in words with the board after it, and all that happened."""
    yield from heading_lines(reading, timeline)
    yield ""
    yield say("The start, for everybody:")
    yield from board_lines(timeline.courses[0].board_after(0))
    streams = [_told_moves(timeline, course) for course in timeline.courses]
    happened = ((each.t_ms, 1, [_told(timeline, each)]) for each in timeline.happenings)
    for _, _, lines in merge(*streams, happened, key=lambda told: told[:2]):
        yield ""
        yield from lines
    yield ""
    yield from standing_lines(timeline.at(timeline.end_ms))


def heading_lines(reading: Reading, timeline: Timeline) -> Iterator[str]:
    """Yields what was raced for, by whom, and whether the record is true."""
    yield say("{settings}.", settings=all_settings_words(timeline.settings))
    if reading.verdict.ok:
        yield say("The record is true.")
    else:
        yield say("THE RECORD IS FALSE: {reason}. What follows is what it says.", reason=reading.verdict.reason)
    for player in timeline.players:
        name = say("{name} (computer)", name=player.name) if player.computer else player.name
        yield say("Player {number}: {name}", number=player.seat + 1, name=name)


def standing_lines(view: SessionView) -> Iterator[str]:
    """Yields how a race ended, and everyone in the order of their places."""
    yield say("{outcome}.", outcome=end_words(view))
    for seat in sorted((seat for seat in view.seats if seat is not None), key=lambda seat: seat.place or 0):
        yield place_line(seat)


def place_line(seat: SeatPicture) -> str:
    """Returns a player's place and figures: "1. fox 20,412 (2048), 490 moves", and the state of one who has stopped."""
    told = say(
        "{place}. {name} {score} ({tile}), {moves} moves",
        place=seat.place,
        name=seat.name,
        score=number(seat.score),
        tile=tile(seat.max_exponent),
        moves=number(seat.moves),
    )
    return told if seat.state is SeatState.MOVING else say("{told}, {state}", told=told, state=state_words(seat))


def board_lines(board: Board) -> list[str]:
    """Returns a board as text, its columns as wide as its longest tile, a dot for an empty cell."""
    rows = [[str(face) if face else "·" for face in row] for row in board.faces()]
    width = max(_CELL_COLUMNS, *(len(shown) + 1 for row in rows for shown in row))
    return ["".join(f"{shown:>{width}}" for shown in row) for row in rows]


def _told_moves(timeline: Timeline, course: Course) -> Iterator[tuple[int, int, list[str]]]:
    for move in course.played():
        if move.number > timeline.counted(course.player.seat):
            return
        row, column = divmod(move.cell, timeline.settings.size)
        text = say(
            "{time}  {name}, move {move}: {direction}, {points} points, {score} in all; "
            "a {tile} in row {row}, column {column}",
            time=moment_words(move.t_ms),
            name=course.player.name,
            move=number(move.number),
            direction=say(DIRECTIONS[move.direction]),
            points=number(move.points),
            score=number(move.score),
            tile=tile(move.exponent),
            row=row + 1,
            column=column + 1,
        )
        yield move.t_ms, 0, [text, *board_lines(move.board)]


def _told(timeline: Timeline, happening: Happening) -> str:
    words = happening_words(timeline, happening)
    return say("{time}  * {happening}", time=moment_words(happening.t_ms), happening=words)
