"""The command line: which command is meant, and what its end looks like from outside.

Knows the names of the commands and nothing else of them: each is a module with `add_arguments` and `run`, imported
only when it is called, so that `--help` and `--version` answer at once (performance.md, Start-up).
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from gettext import dgettext
from importlib import import_module

from .exits import BUG, INTERRUPTED, PIPE_CLOSED, USAGE, Failure

VERSION = "0.1.0"  # reading it from the installed package would take longer than all the rest of --version
PROGRAM = f"race2048 {VERSION}"

COMMANDS = {
    "host": "open a table for your friends and play",
    "join": "take a seat at a table and play",
    "watch": "watch a race",
    "bot": "seat a computer player",
    "lobby": "run a lobby on its own, for servers",
    "demo": "let computer players race on this computer, and verify the record",
    "verify": "check that the record of a race is true",
    "replay": "show a race again from its record, or write it out",
    "history": "list the races that were saved on this computer",
    "show": "show how one of them ended, with everyone's board",
    "stats": "count what you have won and lost, and against whom",
}
EXIT_CODES = """\
exit codes:
    0  done (losing a race is not an error)
    1  checked, and the answer is no
    2  wrong usage, or not a terminal
    3  could not connect
    4  the table said no
    5  the versions do not match
    6  a file cannot be read or is damaged
   70  a bug in race2048
  129  hung up     130  interrupted     141  nobody read the output     143  terminated
"""


def _(message: str) -> str:
    """Returns a message of the command line in the person's language; client.words would take too long to import."""
    return dgettext("race2048", message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _write_what_can_be_written()
    try:
        return _run(words)
    except Failure as failure:
        print(f"race2048: {failure}", file=sys.stderr)
        return failure.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its exit
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the last one to see it: a person is told what it means
        _own_up(error, verbose=not {"-v", "--verbose"}.isdisjoint(words))
        return BUG


def _write_what_can_be_written() -> None:
    """Lets a terminal that has no × or … show ? in its place; what it has stays as it is."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def _run(words: list[str]) -> int:
    place = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
    top = _top_parser()
    top.parse_args(words[:place])
    if place == len(words):
        top.print_help(sys.stderr)
        return USAGE
    command, rest = words[place], words[place + 1 :]
    if command not in COMMANDS:
        top.error(_unknown(command))
    if command == "lobby":  # has a parser of its own
        return int(import_module("client.cli.lobby").hand_over(rest))
    options = parser_of(command).parse_args(rest)
    return int(import_module(f"client.cli.{command}").run(options))


def parser_of(command: str) -> argparse.ArgumentParser:
    """Returns the parser of one command."""
    parser = argparse.ArgumentParser(prog=f"race2048 {command}", description=_about(COMMANDS[command]))
    import_module(f"client.cli.{command}").add_arguments(parser)
    _add_verbose(parser)
    return parser


def _top_parser() -> argparse.ArgumentParser:
    lines = [_("commands (race2048 COMMAND --help says more):")]
    lines += [f"  {name:8} {_(purpose)}" for name, purpose in COMMANDS.items()]
    parser = argparse.ArgumentParser(
        prog="race2048",
        usage=_("race2048 COMMAND …"),
        description=_("Race your friends at 2048, fairly, from a terminal."),
        epilog="\n".join([*lines, "", _(EXIT_CODES)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=PROGRAM, help=_("print the version"))
    _add_verbose(parser)
    return parser


def _add_verbose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help=_("after a bug, say where it happened"))


def _about(purpose: str) -> str:
    text = _(purpose)
    return f"{text[:1].upper()}{text[1:]}."


def _unknown(command: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(command, COMMANDS, 1)
    if near:
        return _("there is no command {command!r}. Did you mean {near}?").format(command=command, near=near[0])
    return _("there is no command {command!r}. race2048 --help lists them.").format(command=command)


def _own_up(error: Exception, *, verbose: bool) -> None:
    """Tells a person that this program has a bug."""
    if verbose:
        from traceback import print_exception

        print_exception(error)
    message = _(
        "race2048: this is a bug: {kind}: {error}\n"
        "Please report it with what you did; race2048 -v … says where it happened. This was {program}."
    )
    print(message.format(kind=type(error).__name__, error=error, program=PROGRAM), file=sys.stderr)
