"""What `race2048 replay` does with the record of a game alone: the same screen and film, exports of its own."""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from client.directions import DIRECTIONS
from client.reading import RecordFault, SoloReading, read_solo, shown_path
from client.replay import Replay
from client.retelling import happening_words, moment_words, solo_end_words
from client.solo import choice_of
from client.solo_facts import alone_of
from client.solo_timeline import SoloTimeline
from client.solo_words import game_words, made_words
from client.tui.look import look_of
from client.words import clock, number, printable, say
from engine.board import Direction
from engine.solo import Act

from .exits import DAMAGED, DONE, NO, USAGE, Failure
from .export import board_lines
from .figures import json_line, tile
from .solo_verify import alone_json

FORM_VERSION = 1
_SCREEN_DEFAULT = (80, 24)


def run_alone(options: argparse.Namespace) -> int:
    """Shows or prints a game; returns 0, 1 if the record is false, or 128 + n for signal n."""
    if options.player is not None:
        raise Failure(USAGE, say("--player means nothing in a game alone. Leave it out."))
    try:
        reading = read_solo(options.file)
    except RecordFault as fault:
        raise Failure(DAMAGED, str(fault)) from fault
    warning = _false_words(reading)
    if warning:
        print(f"race2048: {warning}", file=sys.stderr)
    timeline = SoloTimeline(reading.record, _own_keys())
    replay = Replay(timeline=timeline, speed=1.0 if options.speed is None else options.speed)
    replay = replay if options.at is None else replay.at_spot(options.at, 0)
    if options.export and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # the same bytes on every computer
    code = _shown(options, reading, timeline, replay)
    if warning and not (options.export or options.plain):  # what was said before is behind the screen
        print(f"race2048: {warning}", file=sys.stderr)
    return code or (NO if warning else DONE)


def _shown(options: argparse.Namespace, reading: SoloReading, timeline: SoloTimeline, replay: Replay) -> int:
    if options.export == "json":
        print(json_line(solo_json(reading, timeline)))
    elif options.export == "txt":
        print("\n".join(solo_text(reading, timeline)))
    elif options.export:
        _print_cast(options, reading, replay)
    elif options.plain:
        print("\n".join(_lines(reading, timeline, replay, from_start=options.at is None)))
    else:
        return _show(options, reading, replay)
    return DONE


def _false_words(reading: SoloReading) -> str:
    if reading.verdict.ok:
        return ""
    path, reason = shown_path(reading.path), reading.verdict.reason
    return say("THIS RECORD IS FALSE: {path}: {reason}. What it shows proves nothing.", path=path, reason=reason)


def _own_keys() -> frozenset[bytes]:
    from client.archive import own_keys
    from client.store import data_directory

    return own_keys(data_directory())


def _show(options: argparse.Namespace, reading: SoloReading, replay: Replay) -> int:
    import asyncio

    from client.tui.replay_app import ReplayApp
    from client.tui.replay_keys import Show

    show = Show(replay=replay, title=shown_path(Path(reading.path.name)), reason=reading.verdict.reason)
    palette = look_of(os.environ, options.preferences).palette
    return asyncio.run(ReplayApp(show, palette, running=options.at is None and reading.verdict.ok).run())


def _print_cast(options: argparse.Namespace, reading: SoloReading, replay: Replay) -> None:
    from client.tui.cast import cast
    from client.tui.palette import PALETTES, Depth
    from client.tui.replay_cast import frames
    from client.tui.replay_keys import Show

    columns, rows = options.screen or _SCREEN_DEFAULT
    show = Show(replay=replay, reason=reading.verdict.reason)
    title = say("race2048: {names}", names=replay.timeline.players[0].name)
    palette = PALETTES[options.preferences.palette][Depth.TRUE]
    for line in cast(frames(show, columns, rows, palette), columns, rows, title):
        print(line)


# ── JSON and text ────────────────────────────────────────────────────────────────────────────────────────────────


def solo_json(reading: SoloReading, timeline: SoloTimeline) -> dict[str, object]:
    """Returns everything that is in a record, derived again: see docs/replay-json.md."""
    return {
        "form": "race2048-solo",
        "version": FORM_VERSION,
        "sha256": hashlib.sha256(reading.data).hexdigest(),
        "ok": reading.verdict.ok,
        "reason": reading.verdict.reason,
        "game": alone_json(alone_of(timeline.opening, timeline.solo, reading.verdict.unsigned)),
        "start": timeline.board_after(0).faces(),
        "board": timeline.board_after(timeline.steps).faces(),
        "log": [_step_json(timeline, step) for step in range(1, timeline.steps + 1)],
    }


def _step_json(timeline: SoloTimeline, step: int) -> dict[str, object]:
    act = Act(timeline.acts[step - 1])
    told: dict[str, object] = {
        "t_ms": timeline.time_of(0, step),
        "act": "undo" if act is Act.UNDO else "move",
        "moves": timeline.moves[step],
        "score": timeline.scores[step],
    }
    if act is Act.UNDO:
        return told
    cell, exponent = _spawn(timeline, step)
    points = timeline.scores[step] - timeline.scores[step - 1]
    direction = Direction(act - 1).name.lower()
    return told | {"direction": direction, "points": points, "tile": tile(exponent), "cell": cell}


def _spawn(timeline: SoloTimeline, step: int) -> tuple[int, int]:
    """Returns the cell and the exponent of the tile that spawned after a move."""
    slid = timeline.board_after(step - 1).slide(Direction(timeline.acts[step - 1] - 1))
    assert slid is not None, "only legal moves are steps"
    before, after = slid[0].cells, timeline.board_after(step).cells
    cell = next(place for place, exponent in enumerate(after) if before[place] != exponent)
    return cell, after[cell]


def _heading(reading: SoloReading, timeline: SoloTimeline) -> Iterator[str]:
    opening = timeline.opening
    game = game_words(choice_of(opening), opening.origin, printable(opening.text))
    yield say("A game alone: {game}.", game=game)
    if reading.verdict.ok:
        yield say("The record is true.")
    else:
        yield say("THE RECORD IS FALSE: {reason}. What follows is what it says.", reason=reading.verdict.reason)
    yield say("Player {number}: {name}", number=1, name=timeline.players[0].name)


def _ending(timeline: SoloTimeline) -> Iterator[str]:
    yield say("{outcome}.", outcome=solo_end_words(timeline.at(timeline.end_ms)))
    if timeline.solo.made is not None:
        yield say("{outcome}.", outcome=made_words(choice_of(timeline.opening), timeline.solo.made))


def solo_text(reading: SoloReading, timeline: SoloTimeline) -> Iterator[str]:
    """Yields the lines of a whole game: every step in words with the board after it."""
    yield from _heading(reading, timeline)
    yield ""
    yield from board_lines(timeline.board_after(0))
    for step in range(1, timeline.steps + 1):
        yield ""
        yield _step_words(timeline, step)
        yield from board_lines(timeline.board_after(step))
    yield ""
    yield from _ending(timeline)


def _step_words(timeline: SoloTimeline, step: int) -> str:
    time, act = moment_words(timeline.time_of(0, step)), Act(timeline.acts[step - 1])
    if act is Act.UNDO:
        return say("{time}  undo: back to move {move}", time=time, move=number(timeline.moves[step]))
    cell, exponent = _spawn(timeline, step)
    row, column = divmod(cell, timeline.opening.size)
    return say(
        "{time}  {name}, move {move}: {direction}, {points} points, {score} in all; "
        "a {tile} in row {row}, column {column}",
        time=time,
        name=timeline.players[0].name,
        move=number(timeline.moves[step]),
        direction=say(DIRECTIONS[Direction(act - 1)]),
        points=number(timeline.scores[step] - timeline.scores[step - 1]),
        score=number(timeline.scores[step]),
        tile=tile(exponent),
        row=row + 1,
        column=column + 1,
    )


def _lines(reading: SoloReading, timeline: SoloTimeline, replay: Replay, *, from_start: bool) -> Iterator[str]:
    """Yields what happened; from a place on, if one was named, with the board there."""
    here_ms = replay.from_ms
    yield from _heading(reading, timeline)
    if not from_start:
        yield say("At {time}:", time=clock(here_ms))
        yield from board_lines(timeline.board_after(timeline.moves_at(0, here_ms)))
    told = [each for each in timeline.happenings[:-1] if from_start or each.t_ms > here_ms]
    for happening in told:
        yield say("{time}  {words}", time=clock(happening.t_ms), words=happening_words(timeline, happening))
    yield from _ending(timeline)
