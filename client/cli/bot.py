"""`race2048 bot`: seats a computer player at a table, and gives it a part to play if it is told one."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields

from client.bot import NAMES, STYLES_BY_NAME, Answer, Part
from client.level import LEVELS_BY_NAME
from client.link import LobbyAddress, Place
from client.players import Player, play
from client.view import Line
from client.words import exit_code, say
from protocol.text import judge_name

from . import PROGRAM
from .exits import DONE, REFUSED, USAGE, Failure
from .places import add_place, table_of
from .table import add_pace
from .visit import ending_words, run_loop

PACE = 4.0  # a person makes two to five moves a second
LEVEL = "casual"
BEAT_MS_MIN, BEAT_MS_MAX = 25, 60_000  # rules 6.1: no more than 40 moves a second


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `bot` takes."""
    add_place(parser)
    add_manner(parser, PACE)
    parser.set_defaults(level=LEVEL)


def add_manner(parser: argparse.ArgumentParser, pace: float) -> None:
    """Adds the options for how a computer player plays; MOVES counts its own."""
    add_pace(parser, pace)
    add_level(parser)
    parser.add_argument("--name", help=say("its name ({first}, {second} and so on)", first=NAMES[0], second=NAMES[1]))
    part = parser.add_argument_group(say("for demos and tests"))
    part.add_argument(
        "--style",
        choices=STYLES_BY_NAME,
        help=say("smooth, snake, corner, hoard, or clumsy: bad on purpose"),
        metavar="STYLE",
    )
    part.add_argument(
        "--beat",
        type=_beat,
        default=0,
        dest="beat_ms",
        metavar="MS",
        help=say("make move k exactly k times this after the start"),
    )
    part.add_argument("--stop-after", type=_moves, metavar="N", help=say("make so many moves, then sit still"))
    part.add_argument("--offer-after", type=_moves, metavar="N", help=say("offer a draw after so many moves"))
    part.add_argument(
        "--answer",
        type=Answer,
        choices=list(Answer),
        metavar="ANSWER",
        help=say("agree, refuse or nothing to draw offers (agree, unless it leads)"),
    )
    part.add_argument("--resign-after", type=_moves, metavar="N", help=say("resign after so many moves"))
    part.add_argument(
        "--vanish-after", type=_moves, metavar="N", help=say("cut its connection without a word after so many")
    )
    part.add_argument(
        "--return-after",
        type=_seconds,
        dest="return_after_s",
        metavar="S",
        help=say("come back so many seconds after it has vanished (never)"),
    )


def add_level(parser: argparse.ArgumentParser) -> None:
    """Adds the option for how strong computer players are."""
    parser.add_argument(
        "--level",
        choices=LEVELS_BY_NAME,
        metavar="LEVEL",
        help=say("of computer players: beginner, casual, skilled, master"),
    )


def player_of(options: argparse.Namespace, lobby: LobbyAddress, place: Place) -> Player:
    """Returns the computer player that was asked for; raises Failure."""
    if options.return_after_s is not None and options.vanish_after is None:
        raise Failure(USAGE, say("--return-after needs a --vanish-after: only who has vanished can come back."))
    told = {field.name: getattr(options, field.name) for field in fields(Part) if field.name not in ("style", "level")}
    player = Player(
        url=lobby.url,
        code=place.code,
        pin=place.pin,
        program=PROGRAM,
        pace=options.pace,
        part=Part(style=STYLES_BY_NAME.get(options.style), level=LEVELS_BY_NAME.get(options.level), **told),
        return_after_s=options.return_after_s,
    )
    return player if options.name is None else player.called(_usable(options.name))


def run(options: argparse.Namespace) -> int:
    """Plays until the table is closed or nobody is left to play with; returns the exit code."""
    table = table_of(options.table, "bot")
    assert table is not None, "a table is chosen only where no words are given"
    lobby, place = table
    return run_loop(_play(player_of(options, lobby, place), lobby))


async def _play(player: Player, lobby: LobbyAddress) -> int:
    view, refusal = await play(player)
    if view.line is not Line.OVER:  # it has vanished, as it was told
        return DONE
    ending = refusal if view.ending == "left" else view.ending
    if ending:
        print(f"race2048: {ending_words(ending, lobby, view)}", file=sys.stderr)
    return REFUSED if refusal else exit_code(view.ending)


def _usable(name: str) -> str:
    judged = judge_name(name)
    if judged is None:
        raise Failure(USAGE, say("{name} cannot be used as a name. Choose another with --name.", name=ascii(name)))
    return judged


def _moves(text: str) -> int:
    moves = int(text)
    if moves < 0:
        raise argparse.ArgumentTypeError(say("a number of moves is 0 or more"))
    return moves


def _beat(text: str) -> int:
    beat_ms = int(text)
    if not BEAT_MS_MIN <= beat_ms <= BEAT_MS_MAX:
        message = say("a beat is from {least} to {most} milliseconds", least=BEAT_MS_MIN, most=BEAT_MS_MAX)
        raise argparse.ArgumentTypeError(message)
    return beat_ms


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(say("seconds are a number of 0 or more"))
    return seconds
