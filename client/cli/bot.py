"""`race2048 bot`: seats a computer player at a table."""

from __future__ import annotations

import argparse
import sys

from client.bot import Hands
from client.link import LobbyAddress, Place
from client.players import computer_session, play
from client.runner import Runner
from client.words import exit_code

from . import PROGRAM
from .exits import REFUSED
from .table import add_pace, add_place, place_of
from .visit import ending_words, run_loop

PACE = 4.0  # a person makes two to five moves a second


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `bot` takes."""
    add_place(parser, "[--pace MOVES]")
    add_pace(parser, PACE)


def run(options: argparse.Namespace) -> int:
    """Plays until the table is closed or nobody is left to play with; returns the exit code."""
    lobby, place = place_of(options.table, "bot")
    return run_loop(_play(lobby, place, options.pace))


async def _play(lobby: LobbyAddress, place: Place, pace: float) -> int:
    hands = Hands(pace)
    view = await play(Runner(computer_session(place.code, place.pin, PROGRAM), lobby.url), hands)
    ending = hands.refusal if view.ending == "left" else view.ending
    if ending:
        print(f"race2048: {ending_words(ending, lobby, view)}", file=sys.stderr)
    return REFUSED if hands.refusal else exit_code(view.ending)
