"""All commands in one parser, for what is made from it: completion and the manual page. Slow, so never for running."""

from __future__ import annotations

import argparse
from importlib import import_module

from client.config import BY_NAME
from client.language import say

from . import ABOUT, COMMANDS, _, about
from .everywhere import Formatter, add_everywhere, made_parser, own_actions
from .help import TOPICS


def whole_parser() -> argparse.ArgumentParser:
    """Returns a parser that knows every command, every argument, and every word that can be completed."""
    whole = made_parser("race2048", _(ABOUT))
    add_everywhere(whole, shown=True)
    commands = whole.add_subparsers(metavar="COMMAND", title=say("commands"))
    for command in COMMANDS:
        parser = commands.add_parser(
            command, help=about(command), description=about(command), formatter_class=Formatter, add_help=False
        )
        import_module(f"client.cli.{command}").add_arguments(parser)
        for action in own_actions(parser):
            _offer_words(command, action)
        if command != "lobby":  # has a parser of its own
            add_everywhere(parser, shown=True)
    return whole


def _offer_words(command: str, action: argparse.Action) -> None:
    """Makes words known that argparse does not refuse by itself, since a slip gets a better answer from us."""
    words = {("help", "topic"): [*TOPICS, *COMMANDS], ("config", "name"): list(BY_NAME)}.get((command, action.dest))
    if words is not None:
        action.choices = words


def commands_of(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Returns the parsers of the commands by their names."""
    found = next(action.choices for action in own_actions(whole) if action.nargs == argparse.PARSER)
    assert isinstance(found, dict), "argparse keeps the parsers of commands so"
    return found
