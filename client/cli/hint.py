"""`race2048 hint`: which move is best on a board, and what all legal ones are worth."""

from __future__ import annotations

import argparse
import json
import sys

from client.board_text import TEXT_BYTES_MAX, BoardFault, board_of
from client.data_home import read_file
from client.directions import DIRECTIONS
from client.language import number, printable, say
from engine.solver import HINT_NODES, Search, search

from .exits import DAMAGED, DONE, NO, USAGE, Failure

STDIN = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `hint` takes."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=say("a board, as lines of tiles or as JSON (standard input, as is -)")
    )
    parser.add_argument("--json", action="store_true", help=say("print the move and the values as JSON"))


def run(options: argparse.Namespace) -> int:
    """Prints the best move; returns 1 if there is no legal one; raises Failure if there is no board."""
    try:
        board = board_of(_data(options.file))
    except BoardFault as fault:
        name = say("standard input") if options.file in (None, STDIN) else printable(options.file)
        raise Failure(DAMAGED, f"{name}: {fault}") from None
    found = search(board, HINT_NODES)
    print(_json(found) if options.json else _words(found))
    return DONE if found.values else NO


def _data(path: str | None) -> bytes:
    if path is None and sys.stdin is not None and sys.stdin.isatty():
        raise Failure(USAGE, say("hint needs a board: race2048 hint FILE, or race2048 hint - to write one here."))
    if path in (None, STDIN):
        return b"" if sys.stdin is None else sys.stdin.buffer.read(TEXT_BYTES_MAX + 1)
    assert path is not None, "it is a name"
    try:
        return read_file(path, TEXT_BYTES_MAX + 1)
    except OSError as error:
        reason = error.strerror or error
        raise Failure(DAMAGED, say("{path} cannot be read: {reason}.", path=printable(path), reason=reason)) from None


def _json(found: Search) -> str:
    move = None if found.best is None else found.best.name.lower()
    return json.dumps({"move": move, "values": {way.name.lower(): value for way, value in found.values.items()}})


def _words(found: Search) -> str:
    if found.best is None:
        return say("No move is legal: the board is stuck.")
    ranked = sorted(found.values.items(), key=lambda each: -each[1])
    names = [say(DIRECTIONS[way]) for way, _ in ranked]
    figures = [number(round(value)) for _, value in ranked]
    lines = [
        f"  {name:{max(map(len, names))}}  {figure:>{max(map(len, figures))}}"
        for name, figure in zip(names, figures, strict=True)
    ]
    return "\n".join([say("Best: {move}", move=names[0]), *lines])
