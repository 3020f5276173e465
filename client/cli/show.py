"""`race2048 show`: how one of the races or games alone of this computer ended, with everyone's board."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from client.archive import Archive, Judged, Saved, found_records, own_keys, saved_games
from client.facts import facts_of
from client.reading import Reading, RecordFault, is_solo_file, read_record, shown_path
from client.store import data_directory
from client.timeline import Timeline, open_timeline
from client.view import SeatPicture
from client.words import clock, say
from protocol.layout import LayoutError

from .exits import DAMAGED, DONE, NO, USAGE, Failure
from .export import board_lines, heading_lines, place_line, standing_lines
from .history import entry_json
from .solo_history import show_alone

_NAMED_MAX = 5  # so many of those that could be meant are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `show` takes."""
    parser.add_argument(
        "id",
        metavar="ID",
        help=say("a number that race2048 history prints (1 is the newest), the beginning of a name, or a table code"),
    )
    parser.add_argument("--json", action="store_true", help=say("print it as JSON, with everyone's board"))


def run(options: argparse.Namespace) -> int:
    """Shows a result; returns 0, 1 if its record is false, 6 if it is damaged."""
    data = data_directory()
    saved = saved_games(data)
    meant = _meant(options.id, saved)
    mine = own_keys(data)
    if meant.alone or is_solo_file(meant.path):
        return show_alone(meant, entry_json(saved.index(meant) + 1, Archive(data).judged(meant), mine), mine, options)
    try:
        reading = read_record(meant.path)
    except RecordFault as fault:
        raise Failure(DAMAGED, str(fault)) from fault
    try:
        timeline = open_timeline(reading.record, mine)
    except LayoutError as error:
        raise Failure(NO, say("{path} is FALSE: {reason}.", path=shown_path(meant.path), reason=error)) from error
    if options.json:
        judged = Judged(meant, facts_of(meant.path, reading.data))
        boards = {"boards": [seat.board.faces() for seat in _by_place(timeline) if seat.board is not None]}
        print(json.dumps(entry_json(saved.index(meant) + 1, judged, mine) | boards, ensure_ascii=False))
    else:
        print("\n".join(_lines(meant, reading, timeline)))
    return DONE if reading.verdict.ok else NO


def _meant(named: str, saved: list[Saved]) -> Saved:
    """Returns the record that was named; raises Failure if that is none, or several."""
    found = found_records(saved, named)
    if len(found) == 1:
        return found[0]
    if not found:
        message = say(
            "There is no race or game {id} here. race2048 history lists those that there are.", id=ascii(named)
        )
        raise Failure(USAGE, message)
    names = say(", ").join(shown_path(Path(each.id)) for each in found[:_NAMED_MAX])
    more = say(" and more") if len(found) > _NAMED_MAX else ""
    raise Failure(USAGE, say("{id} could be {names}{more}. Say more of it.", id=ascii(named), names=names, more=more))


def _by_place(timeline: Timeline) -> list[SeatPicture]:
    view = timeline.at(timeline.end_ms)
    return sorted((seat for seat in view.seats if seat is not None), key=lambda seat: seat.place or 0)


def _lines(meant: Saved, reading: Reading, timeline: Timeline) -> list[str]:
    path = shown_path(meant.path)
    view = timeline.at(timeline.end_ms)
    lines = list(heading_lines(reading, timeline))
    ended, *_ = standing_lines(view)
    lines += ["", say("{date}, after {time}: {outcome}", date=meant.date, time=clock(timeline.end_ms), outcome=ended)]
    for seat in _by_place(timeline):
        lines += ["", place_line(seat), *(board_lines(seat.board) if seat.board is not None else [])]
    lines += ["", path, f"  race2048 replay {_quoted(path)}", f"  race2048 verify {_quoted(path)}"]
    return lines


def _quoted(path: str) -> str:
    """Returns a path as a shell takes it for one word."""
    from shlex import quote

    return quote(path)
