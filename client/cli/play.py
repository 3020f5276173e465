"""`race2048 play`: a game alone, resumed or new, on a deck of chance, of a text, of the day or of a recording."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from client.best_store import last_choice
from client.data_home import data_path
from client.language import say
from client.solo import Choice
from client.solo_play import SoloPlay, Wanted, wanted_choice
from client.solo_store import SoloStore
from client.solo_words import COMMANDS, summary_words
from engine.board import SIZES
from engine.solo import SoloKind, target_fault
from protocol.solo import Origin

from .deck_text import checked_text
from .exits import HANGUP, USAGE, Failure, mute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from client.ghost import Ghost

KINDS = {"classic": SoloKind.CLASSIC, "endless": SoloKind.ENDLESS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `play` takes."""
    sizes = [str(size) for size in SIZES]
    parser.add_argument(
        "--size", type=int, choices=SIZES, metavar="|".join(sizes), help=say("the board's size (as last time, else 4)")
    )
    parser.add_argument("--kind", choices=tuple(KINDS), help=say("to a target, or for the score alone (as last time)"))
    parser.add_argument(
        "--target", type=int, metavar="TILE", help=say("the tile to be made (the usual one of the board)")
    )
    parser.add_argument("--new", action="store_true", help=say("a new game, also if there is an unfinished one"))
    deck = parser.add_mutually_exclusive_group()
    deck.add_argument("--seed", metavar="TEXT", help=say("deal from a text: the same tiles for the same text"))
    deck.add_argument("--daily", action="store_true", help=say("the deck of the day, the same for everyone"))
    deck.add_argument(
        "--ghost",
        action="append",
        metavar="FILE[:SEAT]|best",
        help=say("race against a record of a race or of a game alone, or against your best; up to three times"),
    )
    parser.add_argument("--name", help=say("how the record calls you (your login name)"))


def run(options: argparse.Namespace) -> int:
    """Plays; returns 0, or 128 + n for signal n."""
    plain = options.preferences.plain
    if not plain and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure(USAGE, say("race2048 play needs a terminal; with --plain it plays in lines."))
    store = SoloStore(Path(data_path()))
    ghosts: Sequence[Ghost] = ()
    if options.ghost:
        wanted, ghosts = _ghost_race(options)
    else:
        wanted = _wanted(options, store)
    play = SoloPlay(store, wanted, _judged_name(options.name))
    code = _in_lines(play, ghosts) if plain else _on_screen(play, options, ghosts)
    if code == HANGUP:
        mute()
    _tell_end(play)
    return code


def _judged_name(name: str | None) -> str:
    """Returns a name as it may stand in a record; nothing for the login name, which is found later."""
    if name is None:
        return ""
    from protocol.text import judge_name

    judged = judge_name(name)
    if judged is None:
        raise Failure(USAGE, say("{name} cannot be used as a name. Choose another with --name.", name=ascii(name)))
    return judged


def _on_screen(play: SoloPlay, options: argparse.Namespace, ghosts: Sequence[Ghost]) -> int:
    from client.tui.first_frame import shown_at_once
    from client.tui.look import look_of
    from client.tui.solo_screen import SoloScreen

    screen = SoloScreen(play, look_of(os.environ, options.preferences), ghosts)
    try:
        return shown_at_once(screen)
    finally:
        screen.close()


def _in_lines(play: SoloPlay, ghosts: Sequence[Ghost]) -> int:
    from client.solo_plain import SoloPlain

    try:
        return SoloPlain(play, ghosts, sys.stdout).run(sys.stdin)
    finally:
        play.leave(time.monotonic_ns() // 1_000_000)


def _tell_end(play: SoloPlay) -> None:
    """Says in the shell how far it came, and where it is kept."""
    game = play.game
    if game.solo.game.moves or game.solo.undos:
        print(say("{summary}.", summary=summary_words(game.view(0))))
    if play.unsaved:
        print(say("race2048: this game was not saved: {reason}.", reason=play.unsaved), file=sys.stderr)
    elif game.is_unfinished:
        print(say("Saved: {command} goes on with it.", command=COMMANDS[game.opening.origin]))
    if play.finished:
        print(say("The record: {path}", path=play.finished[-1]))


def _ghost_race(options: argparse.Namespace) -> tuple[Wanted, Sequence[Ghost]]:
    from .ghosts import read_ghosts

    given = {"--size": options.size, "--kind": options.kind, "--target": options.target}
    useless = next((name for name, value in given.items() if value is not None), None)
    if useless is not None:
        raise Failure(USAGE, say("{option} comes from the recording with --ghost. Leave it out.", option=useless))
    course, ghosts = read_ghosts(options.ghost)
    return Wanted(course.choice, Origin.GHOST, deck=course.deck, new=options.new), ghosts


def _wanted(options: argparse.Namespace, store: SoloStore) -> Wanted:
    choice = _choice(options, last_choice(store))
    if options.daily:
        return Wanted(choice, Origin.DAILY, time.strftime("%Y-%m-%d", time.gmtime()), new=options.new)
    if options.seed is None:
        return Wanted(choice, new=options.new)
    return Wanted(choice, Origin.TEXT, checked_text(options.seed), new=options.new)


def _choice(options: argparse.Namespace, last: Choice) -> Choice | None:
    kind = KINDS.get(options.kind)
    if options.target is None:
        return wanted_choice(last, options.size, kind, None)
    if kind is SoloKind.ENDLESS:
        raise Failure(USAGE, say("--target means nothing in an endless game. Leave one of them out."))
    exponent = max(options.target, 0).bit_length() - 1
    choice = wanted_choice(last, options.size, kind, exponent)
    assert choice is not None, "a target was asked for"
    if 1 << max(exponent, 0) != options.target or target_fault(choice.size, choice.kind, exponent):
        largest = 1 << choice.size * choice.size + 1
        message = say("--target is a power of two from 8 to {largest} on this board.", largest=largest)
        raise Failure(USAGE, message)
    return choice
