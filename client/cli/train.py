"""`race2048 train`: a game with a coach, who says when a move was clearly worse, or plays and explains."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from client.language import say
from client.training import training_opening
from engine.board import SIZES
from engine.deck import SECRET_BYTES
from protocol.solo import Opening

from .deck_text import checked_text
from .exits import HANGUP, USAGE, Failure, mute

_USUAL_SIZE = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `train` takes."""
    sizes = [str(size) for size in SIZES]
    parser.add_argument(
        "--size", type=int, choices=SIZES, metavar="|".join(sizes), default=_USUAL_SIZE,
        help=say("the board's size (4)"),
    )  # fmt: skip
    parser.add_argument("--watch", action="store_true", help=say("the computer plays, and says why"))
    parser.add_argument("--seed", metavar="TEXT", help=say("deal from a text: the same tiles for the same text"))


def run(options: argparse.Namespace) -> int:
    """Trains; returns 0, or 128 + n for signal n."""
    plain = options.preferences.plain
    if not plain and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure(USAGE, say("race2048 train needs a terminal; with --plain it trains in lines."))
    text = "" if options.seed is None else checked_text(options.seed)

    def another() -> Opening:
        return training_opening(options.size, text, os.urandom(SECRET_BYTES))

    code = _in_lines(options, another) if plain else _on_screen(options, another)
    if code == HANGUP:
        mute()
    return code


def _on_screen(options: argparse.Namespace, another: Callable[[], Opening]) -> int:
    from client.tui.first_frame import shown_at_once
    from client.tui.look import look_of
    from client.tui.train_screen import TrainScreen

    return shown_at_once(TrainScreen(another, look_of(os.environ, options.preferences), computer=options.watch))


def _in_lines(options: argparse.Namespace, another: Callable[[], Opening]) -> int:
    from client.training_plain import TrainingPlain

    return TrainingPlain(another, sys.stdout, computer=options.watch).run(sys.stdin)
