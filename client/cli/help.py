"""`race2048 help`: what a command is for, or a page on one topic. A topic is one row of TOPICS.

Owns the texts of the topics, each of which fits a screen of 80×24; rules.py has the rules of the game.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from client.config import SETTINGS, shown
from client.language import later, say

from . import COMMANDS, exits, parser_of, top_help
from .everywhere import add_everywhere, made_parser

WIDTH = 78


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `help` takes."""
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=say("a command, or one of the topics it lists"))


def run(options: argparse.Namespace) -> int:
    """Prints the help that was asked for; returns the exit code."""
    print(text_about(options.topic) if options.topic is not None else overview())
    return exits.DONE


def text_about(topic: str) -> str:
    """Returns the help on a topic or a command; raises Failure if it is neither."""
    if topic in TOPICS:
        return TOPICS[topic][1]()
    if topic in COMMANDS:
        return parser_of(topic).format_help().rstrip()
    near = get_close_matches(topic, [*TOPICS, *COMMANDS], 1)
    if near:
        message = say("There is no help on {topic}. Did you mean {near}?", topic=repr(topic), near=near[0])
    else:
        message = say("There is no help on {topic}. race2048 help lists what there is.", topic=repr(topic))
    raise exits.Failure(exits.USAGE, message)


def overview() -> str:
    """Returns which topics and commands there is help on."""
    lines = [say("race2048 help TOPIC"), ""]
    lines += [f"  {name:11} {say(purpose)}" for name, (purpose, _) in TOPICS.items()]
    lines += ["", say("race2048 help COMMAND"), ""]
    return "\n".join([*lines, *_columns(list(COMMANDS))])


def _columns(words: list[str]) -> list[str]:
    """Returns words in lines of six."""
    return [
        "  " + "".join(f"{word:12}" for word in words[start : start + 6]).rstrip() for start in range(0, len(words), 6)
    ]


# ── the topics ───────────────────────────────────────────────────────────────────────────────────────────────────


def keys_text() -> str:
    """Returns which keys there are."""
    return say("""\
On a board, all of these at once, and by their place on any keyboard:
  arrows     WASD     ZQSD     HJKL     8 4 6 2     a drag of the mouse

  o          offer a draw, or agree to one      x    refuse it
  R, then y  resign                             t    show the link
  ?          these keys                         Esc  a menu with everything
  Tab        the next board                     Ctrl-C  leave (asks in a race)

Before a race and after it:
  Enter      what is highlighted                s    start (host)
  r          ready, or not yet                  e    settings (host)
  g          race again                         l    lock the table (host)
  p          take a seat                        1-4  free that seat (host)
  w          give it up and watch               c    copy the link

On the home screen: arrows and Enter, a letter or a number; q quits.
With --plain everything is a word: help lists what can be done now.""")


def exit_codes_text() -> str:
    """Returns every exit code and what it means."""
    meanings = {
        exits.DONE: say("done; losing a race is not an error"),
        exits.NO: say("checked, and the answer is no: a record is false, doctor found a fault"),
        exits.USAGE: say("wrong usage, or this is not a terminal"),
        exits.UNREACHED: say("could not connect, or not listen on the port that was asked for"),
        exits.REFUSED: say("the table said no: it is full, locked or closed"),
        exits.VERSIONS: say("the versions of the two programs do not match"),
        exits.DAMAGED: say("a file is damaged, or cannot be read or written"),
        exits.BUG: say("a bug in race2048: please report it"),
        exits.HANGUP: say("the terminal was closed"),
        exits.INTERRUPTED: say("interrupted with Ctrl-C"),
        exits.PIPE_CLOSED: say("nobody reads the output any more"),
        exits.TERMINATED: say("asked to end by a signal"),
    }
    lines = [f"{code:5}  {meaning}" for code, meaning in meanings.items()]
    return "\n".join([say("What race2048 ends with. These codes never change."), "", *lines])


def options_text() -> str:
    """Returns the options that every command takes."""
    parser = made_parser("race2048", say("Before a command or after it:"))
    add_everywhere(parser, shown=True)
    parser.usage = say("race2048 [OPTION]… [COMMAND …]")
    return parser.format_help().rstrip()


def settings_text() -> str:
    """Returns every setting."""
    lines = [say("race2048 config set NAME VALUE, or RACE2048_NAME=VALUE; a flag counts more."), ""]
    lines += [f"  {each.name:13} {shown(each.default):8} {say(each.help)}" for each in SETTINGS]
    return "\n".join(lines)


def commands_text() -> str:
    """Returns the commands, as `race2048 --help` has them."""
    return top_help()


TOPICS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "commands": (later("what there is to do, and the exit codes in short"), commands_text),
    "keys": (later("the keys of every screen"), keys_text),
    "options": (later("what every command takes"), options_text),
    "settings": (later("what can be chosen once for all"), settings_text),
    "exit-codes": (later("what race2048 ends with, for scripts"), exit_codes_text),
}
