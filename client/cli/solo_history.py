"""What `history` and `show` say of games alone. They are found and judged by client/archive.py, as races are."""

from __future__ import annotations

import argparse
from pathlib import Path

from client.archive import Saved
from client.language import clock, number, printable, say, say_n
from client.reading import RecordFault, SoloReading, read_solo, shown_path
from client.retelling import solo_end_words
from client.solo_facts import Alone, alone_of
from client.solo_timeline import SoloTimeline
from client.solo_words import COMMANDS, game_words, made_words
from engine.solo import Made

from .exits import DAMAGED, DONE, NO, Failure
from .export import board_lines
from .figures import json_line, tile
from .solo_verify import alone_json


def alone_entry(saved: Saved, game: Alone, mine: frozenset[bytes]) -> dict[str, object]:
    """Returns what stands in JSON of a game alone besides what a race has."""
    return {"solo": alone_json(game) | {"you": game.key in mine, "over": not saved.open}}


def alone_lines(head: str, saved: Saved, game: Alone, mine: frozenset[bytes]) -> list[str]:
    """Returns a game in two lines: when, what and how it ended; then how far it came."""
    about = game_words(game.choice, game.origin, printable(game.text))
    parts = [head, say("alone, {game}, {time}", game=about, time=clock(game.t_ms)), _end_words(saved, game)]
    who = say("you") if game.key in mine else game.name
    line = say_n(
        "{name} {score} ({tile}), {count} move",
        "{name} {score} ({tile}), {count} moves",
        game.moves,
        name=who,
        score=number(game.score),
        tile=tile(game.max_exponent),
    )
    if game.undos:
        line = say("{line}, {undos}", line=line, undos=say_n("{count} undo", "{count} undos", game.undos))
    return ["  ".join([*parts, say("verified")]), f"     {line}"]


def _end_words(saved: Saved, game: Alone) -> str:
    if saved.open:
        return say("not over")
    if game.made is not None:
        return say("won")
    return say("stuck") if game.stuck else say("given up")


def show_alone(meant: Saved, entry: dict[str, object], mine: frozenset[bytes], options: argparse.Namespace) -> int:
    """Shows a game with its board; returns 0, 1 if the record is false; raises Failure if it is damaged."""
    try:
        reading = read_solo(meant.path)
    except RecordFault as fault:
        raise Failure(DAMAGED, str(fault)) from fault
    timeline = SoloTimeline(reading.record, mine)
    board = timeline.board_after(timeline.steps)
    if options.json:
        print(json_line(entry | {"boards": [board.faces()]}))
    else:
        print("\n".join(_shown_lines(meant, reading, timeline)))
    return DONE if reading.verdict.ok else NO


def _shown_lines(meant: Saved, reading: SoloReading, timeline: SoloTimeline) -> list[str]:
    from shlex import quote

    game = alone_of(timeline.opening, timeline.solo)
    path = shown_path(Path(meant.path))
    lines = [say("A game alone: {game}.", game=game_words(game.choice, game.origin, printable(game.text)))]
    if reading.verdict.ok:
        lines.append(say("The record is true."))
    else:
        reason = reading.verdict.reason
        lines.append(say("THE RECORD IS FALSE: {reason}. What follows is what it says.", reason=reason))
    ended = solo_end_words(timeline.at(timeline.end_ms))
    lines += ["", say("{date}, after {time}: {outcome}", date=meant.date, time=clock(game.t_ms), outcome=ended)]
    if game.made is not None:
        made = Made(game.made.t_ms, game.made.moves, game.made.undos)
        lines.append(say("{outcome}.", outcome=made_words(game.choice, made)))
    told = say_n("{name}: {count} move", "{name}: {count} moves", game.moves, name=timeline.players[0].name)
    undos = say_n("{count} undo", "{count} undos", game.undos)
    lines += ["", say("{line}, {undos}", line=told, undos=undos) if game.undos else told]
    lines += [*board_lines(timeline.board_after(timeline.steps)), "", path]
    if meant.open:
        lines.append(f"  {COMMANDS[game.origin]}")
    return [*lines, f"  race2048 replay {quote(path)}", f"  race2048 verify {quote(path)}"]
