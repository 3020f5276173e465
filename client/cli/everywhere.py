"""The options that every command takes, before its name or after it, and the manner of every parser.

Owns which they are and what they are called; what a value means is config.py's, what comes of it defaults.py's.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from gettext import gettext
from typing import Any

from client.config import BY_NAME, SETTINGS, Setting, Sort, allowed_words, judged
from client.language import say

from . import EVERYWHERE, PROGRAM, _

HELP_COLUMNS = 80
_HELP_POSITION = 23
_LANG = BY_NAME["lang"]
_USUAL_HEADINGS = (gettext("options"), gettext("positional arguments"))  # in argparse's own words
_FLAGS = ("color", "palette", "motion")  # settings with a flag of the same name that takes one of a few words


class Formatter(argparse.HelpFormatter):
    """Help that is as wide as a usual terminal at most, and gives the explanations most of it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_HELP_POSITION, width=min(_columns(), HELP_COLUMNS) - 1)

    def start_section(self, heading: str | None) -> None:
        """Begins a group of arguments. The usual two need no heading: one sees what they are."""
        super().start_section(None if heading in _USUAL_HEADINGS else heading)


def _columns() -> int:
    """Returns how wide the terminal is; what shutil has for it takes long to import."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ is not None else HELP_COLUMNS
    except (OSError, ValueError):
        return HELP_COLUMNS


def made_parser(program: str, about: str) -> argparse.ArgumentParser:
    """Returns a parser without arguments yet."""
    return argparse.ArgumentParser(prog=program, description=about, formatter_class=Formatter, add_help=False)


def add_everywhere(parser: argparse.ArgumentParser, *, shown: bool = False) -> None:
    """Adds what every command takes; what a command has of its own goes before. Its help names them in one line."""
    for flags, keywords in _options():
        with suppress(argparse.ArgumentError):  # the command has it
            parser.add_argument(*flags, **(keywords if shown else keywords | {"help": argparse.SUPPRESS}))
    if parser.usage is None:
        positionals = [_usage_word(action) for action in own_actions(parser) if not action.option_strings]
        parser.usage = " ".join(["%(prog)s", say("[OPTION]…"), *positionals])
    if not shown:
        parser.epilog = "\n\n".join(filter(None, [parser.epilog, _(EVERYWHERE)]))


def _usage_word(action: argparse.Action) -> str:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    return {"?": f"[{name}]", "*": f"[{name}…]", "+": f"{name}…"}.get(str(action.nargs), name)


def own_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Returns the arguments of a parser; argparse has no public way to ask, and shtab does the same."""
    return list(parser._actions)  # noqa: SLF001


def _options() -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Returns what add_argument is given for each."""
    chosen = [_choice(setting) for setting in SETTINGS if setting.name in _FLAGS]
    language = {"metavar": "CODE", "type": lambda text: _value(_LANG, text), "help": say(_LANG.help)}
    return [
        (("--lang",), language),
        *chosen,
        (("--plain",), {"action": "store_true", "help": say("no screen: a line for each thing that happens")}),
        (("--no-mouse",), {"dest": "mouse", "action": "store_false", "default": None,
                           "help": say("leave the mouse to the terminal")}),
        (("--config",), {"metavar": "FILE", "help": say("the file of your settings (race2048 config path)")}),
        (("-v", "--verbose"), {"action": "store_true", "help": say("after a bug, say where it happened")}),
        (("-q", "--quiet"), {"action": "store_true", "help": say("leave out remarks that need no answer")}),
        (("--version",), {"action": "version", "version": PROGRAM, "help": say("print the version")}),
        (("-h", "--help"), {"action": "help", "help": say("print this help")}),
    ]  # fmt: skip


def _choice(setting: Setting) -> tuple[tuple[str, ...], dict[str, Any]]:
    words = [str(word) for word in setting.allowed]
    return (f"--{setting.name}",), {
        "metavar": "|".join(words),
        "choices": words,
        "type": lambda text: _value(setting, text),
        "help": say(setting.help),
    }


def _value(setting: Setting, text: str) -> str:
    value = judged(setting, text)
    if value is None:
        message = say("it cannot be “{text}”. It can be {allowed}", text=text, allowed=allowed_words(setting))
        raise argparse.ArgumentTypeError(message)
    return str(value)


def split(words: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """Returns the options before the command, the command ("" if there is none), and what follows it."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 1 + (words[place] in _TAKING)
    rest = list(words[place:])
    return list(words[:place]), rest[0] if rest else "", rest[1:]


_TAKING = frozenset({"--lang", "--config", *(f"--{name}" for name in _FLAGS)})
assert all(BY_NAME[name].sort is Sort.CHOICE for name in _FLAGS), "each has a few words to choose from"


def leading(words: Sequence[str]) -> argparse.Namespace:
    """Returns the options before the command: only those that are there, so that the command has its own defaults."""
    parser = argparse.ArgumentParser(
        prog="race2048",
        usage=say("race2048 [COMMAND …]"),
        formatter_class=Formatter,
        add_help=False,
        argument_default=argparse.SUPPRESS,
    )
    for flags, keywords in _options():
        given: dict[str, Any] = {"action": _TopHelp, "nargs": 0} if "--help" in flags else keywords
        parser.add_argument(*flags, **{key: value for key, value in given.items() if key != "default"})
    return parser.parse_args(words)


class _TopHelp(argparse.Action):
    """Prints the help of the whole program."""

    def __call__(self, parser: argparse.ArgumentParser, *_rest: object) -> None:
        from . import top_help

        print(top_help())
        parser.exit()
