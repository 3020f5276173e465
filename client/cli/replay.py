"""`race2048 replay`: shows a race again from its record, or writes it out."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from pathlib import Path

from client.reading import Reading, RecordFault, is_solo_file, read_record, shown_path
from client.replay import SPEED_MAX, SPEED_MIN, Replay, Spot, parse_spot
from client.retelling import happening_words
from client.timeline import Timeline, open_timeline
from client.tui.look import Look, look_of
from client.words import clock, say
from protocol.layout import LayoutError

from .exits import DAMAGED, DONE, NO, USAGE, Failure
from .export import board_lines, heading_lines, place_line, replay_json, replay_text, standing_lines
from .screen import need_terminal

SCREEN_DEFAULT = (80, 24)
SCREEN_MIN, SCREEN_MAX = (24, 9), (400, 200)
_SCREEN = re.compile(r"(\d{1,3})[x×](\d{1,3})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `replay` takes."""
    parser.add_argument("file", type=Path, metavar="FILE", help=say("a record: a file that ends in .r2048"))
    parser.add_argument(
        "--player", metavar="SEAT|NAME", help=say("whose moves are stepped through (you, else player 1)")
    )
    parser.add_argument(
        "--at", type=_spot, metavar="MOVE|M:SS", help=say("begin at a move of that player, or at a time")
    )
    parser.add_argument("--speed", type=_speed, metavar="X", help=say("how fast, from 0.25 to 64 (1)"))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--plain", action="store_true", help=say("no screen: a line for each thing that happened"))
    form.add_argument(
        "--export",
        choices=("json", "txt", "cast"),
        help=say("print the whole race: for programs, for reading, or as an asciicast for asciinema"),
    )
    parser.add_argument(
        "--screen", type=_screen, metavar="80x24", help=say("the size of the screen that an asciicast shows")
    )


def _spot(text: str) -> Spot:
    spot = parse_spot(text)
    if spot is None:
        raise argparse.ArgumentTypeError(say("{text} is neither a move (120) nor a time (1:23)", text=ascii(text)))
    return spot


def _speed(text: str) -> float:
    try:
        speed = float(text.removeprefix("×"))
    except ValueError:
        speed = 0.0
    if not SPEED_MIN <= speed <= SPEED_MAX:
        raise argparse.ArgumentTypeError(say("a speed is from 0.25 to 64"))
    return speed


def _screen(text: str) -> tuple[int, int]:
    found = _SCREEN.fullmatch(text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(least <= given <= most for least, given, most in zip(SCREEN_MIN, size, SCREEN_MAX, strict=True)):
        raise argparse.ArgumentTypeError(say("a screen is from 24x9 to 400x200, written as columns x rows: 80x24"))
    return size


def run(options: argparse.Namespace) -> int:
    """Shows or prints a race; returns 0, 1 if the record is false, or 128 + n for signal n."""
    _need_sense(options)
    if not (options.plain or options.export):
        need_terminal("replay FILE")
    if is_solo_file(options.file):
        from .solo_replay import run_alone

        return run_alone(options)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    reading = opened(options.file)
    warning = false_words(reading)
    if warning:
        print(f"race2048: {warning}", file=sys.stderr)
    try:
        timeline = open_timeline(reading.record, _own_keys())
    except LayoutError as error:
        raise Failure(NO, say("There is nothing to see in it: {reason}.", reason=error)) from error
    replay = _replay(options, timeline)
    if options.export and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # the same bytes on every computer
    if options.export in ("json", "txt"):
        _print_all(options.export, reading, timeline)
    elif options.export:
        _print_cast(options, reading, replay)
    elif options.plain:
        _print_lines(reading, timeline, replay, from_start=options.at is None)
    else:
        look = look_of(os.environ, options.preferences)
        code = _show(reading, replay, look, running=options.at is None)
        if warning:  # what was said before is behind the screen
            print(f"race2048: {warning}", file=sys.stderr)
        if code != DONE:
            return code
    return NO if warning else DONE


def opened(path: Path) -> Reading:
    """Returns the verified record in a file; raises Failure if there is none."""
    try:
        return read_record(path)
    except RecordFault as fault:
        raise Failure(DAMAGED, str(fault)) from fault


def false_words(reading: Reading) -> str:
    """Returns that a record is false and why; nothing of a true one."""
    if reading.verdict.ok:
        return ""
    path, reason = shown_path(reading.path), reading.verdict.reason
    return say("THIS RECORD IS FALSE: {path}: {reason}. What it shows proves nothing.", path=path, reason=reason)


def _need_sense(options: argparse.Namespace) -> None:
    """Raises Failure if something was asked for that does not go with the form."""
    whole = options.export in ("json", "txt")
    useless = {
        "--at": options.at is not None and whole,
        "--player": options.player is not None and whole,
        "--speed": options.speed is not None and (whole or options.plain),
        "--screen": options.screen is not None and options.export != "cast",
    }
    option = next((name for name, given in useless.items() if given), None)
    if option is not None:
        form = f"--export {options.export}" if options.export else "--plain" if options.plain else say("a screen")
        raise Failure(USAGE, say("{option} means nothing with {form}. Leave it out.", option=option, form=form))


def _own_keys() -> frozenset[bytes]:
    from client.archive import own_keys
    from client.store import data_directory

    return own_keys(data_directory())


def _replay(options: argparse.Namespace, timeline: Timeline) -> Replay:
    """Returns the replay as it was asked for: at a place, at a speed, with a player chosen."""
    seat = _usual_seat(timeline) if options.player is None else _named_seat(options.player, timeline)
    replay = Replay(timeline=timeline, seat=seat, speed=1.0 if options.speed is None else options.speed)
    return replay if options.at is None else replay.at_spot(options.at, 0)


def _usual_seat(timeline: Timeline) -> int:
    """Returns your seat, else the first: the winner's would tell the end of the story."""
    return next((player.seat for player in timeline.players if player.you), 0)


def _named_seat(named: str, timeline: Timeline) -> int:
    """Returns the seat of this number, counted from 1, or of the player whose name this is or begins with."""
    players = timeline.players
    if named.isdecimal() and 1 <= int(named) <= len(players):
        return int(named) - 1
    wanted = named.casefold()
    found = [player.seat for player in players if player.name.casefold() == wanted]
    found = found or [player.seat for player in players if player.name.casefold().startswith(wanted)]
    if len(found) != 1 or not wanted:
        names = say(", ").join(f"{player.seat + 1} {player.name}" for player in players)
        raise Failure(USAGE, say("--player {name}: say which of {names}.", name=ascii(named), names=names))
    return found[0]


def _print_all(form: str, reading: Reading, timeline: Timeline) -> None:
    if form == "json":
        print(json.dumps(replay_json(reading, timeline), ensure_ascii=False))
        return
    for line in replay_text(reading, timeline):
        print(line)


def _print_cast(options: argparse.Namespace, reading: Reading, replay: Replay) -> None:
    from client.tui.cast import cast
    from client.tui.palette import PALETTES, Depth
    from client.tui.replay_cast import frames
    from client.tui.replay_keys import Show

    columns, rows = options.screen or SCREEN_DEFAULT
    show = Show(replay=replay, reason=reading.verdict.reason)
    title = say("race2048: {names}", names=say(", ").join(player.name for player in replay.timeline.players))
    palette = PALETTES[options.preferences.palette][Depth.TRUE]
    for line in cast(frames(show, columns, rows, palette), columns, rows, title):
        print(line)


def _print_lines(reading: Reading, timeline: Timeline, replay: Replay, *, from_start: bool) -> None:
    """Prints what happened; from a place on, if one was named, with the boards there."""
    here_ms = replay.from_ms
    for line in heading_lines(reading, timeline):
        print(line)
    if not from_start:
        view = timeline.at(here_ms)
        print(say("At {time}:", time=clock(here_ms)))
        for seat in sorted((seat for seat in view.seats if seat is not None), key=lambda seat: seat.place or 0):
            print(place_line(seat))
            print("\n".join(board_lines(seat.board)) if seat.board is not None else "")
    told = [each for each in timeline.happenings[:-1] if from_start or each.t_ms > here_ms]
    for happening in told:
        print(say("{time}  {words}", time=clock(happening.t_ms), words=happening_words(timeline, happening)))
    for line in standing_lines(timeline.at(timeline.end_ms)):
        print(line)


def _show(reading: Reading, replay: Replay, look: Look, *, running: bool) -> int:
    import asyncio

    from client.tui.replay_app import ReplayApp
    from client.tui.replay_keys import Show

    show = Show(replay=replay, title=shown_path(Path(reading.path.name)), reason=reading.verdict.reason)
    app = ReplayApp(show, look.palette, running=running and reading.verdict.ok)
    return asyncio.run(app.run())
