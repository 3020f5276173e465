"""The command line: which command is meant, and what its end looks like from outside.

Knows the names of the commands and nothing else of them: each is a module with `add_arguments` and `run`, imported
only when it is called, so that `--help` and `--version` answer at once (performance.md, Start-up): they come from
the tables here, and not even argparse is imported for them. everywhere.py has the options that every command takes.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from importlib import import_module

from .exits import BUG, DAMAGED, DONE, INTERRUPTED, PIPE_CLOSED, USAGE, Failure

TYPE_CHECKING = False  # typing itself would take longer to import than the version to print
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

VERSION = "0.1.0"  # reading it from the installed package would take longer than all the rest of --version
PROGRAM = f"race2048 {VERSION}"

# The commands, by what they are for. A new one is one row: its module of the same name is found by itself.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "play": {
        "play": "play alone, or against the ghost of a recorded game",
        "train": "play with a coach, or watch the computer explain",
        "host": "open a table for your friends and play",
        "join": "take a seat at a table and play",
        "watch": "watch a race",
        "tables": "list the tables on this network",
    },
    "afterwards": {
        "verify": "check that the record of a race is true",
        "replay": "show a race again from its record, or write it out",
        "history": "list the races and games saved on this computer",
        "show": "show how one of them ended, with everyone's board",
        "stats": "count what you have won and lost, and against whom",
    },
    "yourself": {
        "config": "show and change what you have chosen once for all",
        "id": "show the keys by which lobbies know you, and your name",
        "doctor": "check this terminal and this computer, and mend the terminal",
        "completion": "make your shell complete the words of race2048",
        "man": "print the manual page",
        "hint": "say which move is best on a board",
        "rules": "print the rules of the game and of a race",
        "help": "say more about a command, the keys, the exit codes and so on",
    },
    "servers, tests": {
        "lobby": "run a lobby on its own, for servers",
        "bot": "seat a computer player",
        "demo": "let computer players race here, and verify the record",
    },
}
COMMANDS = {name: purpose for commands in GROUPS.values() for name, purpose in commands.items()}
NAMED_ONLY = frozenset({"yourself", "servers, tests"})  # groups of which the first help says no more than names
# Commands that show a screen, or act in a person's name: they are given what `config` has (defaults.py).
CONFIGURED = frozenset({"play", "train", "host", "join", "watch", "replay", "tables"})

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
ABOUT = "Race your friends at 2048, fairly, from a terminal."
EVERYWHERE = "also: -h -v -q --plain --lang --color --palette --motion --no-mouse --config"
EXIT_CODES = """\
exit codes: 0 done (losing too)  1 the answer is no  2 usage, or no terminal
    3 not connected  4 the table said no  5 versions differ  6 a damaged file
    70 our bug  129 hung up  130 interrupted  141 nobody reads  143 terminated"""


def _(message: str) -> str:
    """Returns a message of the command line in the person's language; client.words would take too long to import."""
    from gettext import dgettext  # which --version has no need of

    return dgettext("race2048", message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _write_what_can_be_written()
    try:
        return _run_and_write(words)
    except Failure as failure:
        print(f"race2048: {failure}", file=sys.stderr)
        return failure.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its exit
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the last one to see it: a person is told what it means
        if isinstance(error, OSError) and error.errno in _FULL:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            message = _("race2048: cannot write: {error}. Make room there, or write somewhere else.")
            print(message.format(error=error.strerror), file=sys.stderr)
            return DAMAGED
        _own_up(error, verbose=not {"-v", "--verbose"}.isdisjoint(words))
        return BUG


def _run_and_write(words: list[str]) -> int:
    """Runs one command; what it prints is written before it ends, or that it cannot be would be known only after us."""
    code = _run(words)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _write_what_can_be_written() -> None:
    """Lets a terminal that has no × or … show something alike in its place."""
    if not isinstance(sys.stdout, io.TextIOWrapper) or sys.stdout.errors != "strict":
        return
    if sys.stdout.encoding.lower() == "utf-8":
        sys.stdout.reconfigure(errors="replace")  # it lacks halves of pairs alone
        return
    from client.lettering import write_alike

    write_alike(sys.stdout)


def _run(words: list[str]) -> int:
    if words == ["--version"]:
        print(PROGRAM)
        return DONE
    from .tongue import choose_language

    choose_language(words)
    if words in (["--help"], ["-h"]):
        print(top_help())
        return DONE
    if not words and not _at_a_terminal():
        print(top_help(), file=sys.stderr)
        return USAGE
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        raise Failure(USAGE, unknown(words[0]))
    from .everywhere import leading, split

    before, command, rest = split(words)
    options = leading(before)
    if not command:
        return int(import_module("client.cli.home").run(options))
    if command not in COMMANDS:
        raise Failure(USAGE, unknown(command))
    if command == "lobby":  # has a parser of its own
        return int(import_module("client.cli.lobby").hand_over(rest))
    parser = parser_of(command)
    options = parser.parse_intermixed_args(rest, options)  # options may stand between words
    if command in CONFIGURED:
        from .defaults import with_defaults

        options = with_defaults(command, parser, rest, options)
    return int(import_module(f"client.cli.{command}").run(options))


def _at_a_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def parser_of(command: str) -> argparse.ArgumentParser:
    """Returns the parser of one command."""
    from .everywhere import made_parser

    parser = made_parser(f"race2048 {command}", about(command))
    import_module(f"client.cli.{command}").add_arguments(parser)
    from .everywhere import add_everywhere

    add_everywhere(parser)
    return parser


def about(command: str) -> str:
    """Returns what a command is for, as a sentence."""
    text = _(COMMANDS[command])
    return f"{text[:1].upper()}{text[1:]}."


def top_help() -> str:
    """Returns what `race2048 --help` prints: it fits a screen of 80×24."""
    lines = [_("usage: race2048 [COMMAND …]     without one: the home screen"), "", _(ABOUT), ""]
    for group, commands in GROUPS.items():
        if group in NAMED_ONLY:
            lines.append(f"{_(group):15} {'  '.join(commands)}")
            continue
        labels = [_(group)] + [""] * (len(commands) - 1)
        lines += [f"{label:15} {name:9} {_(COMMANDS[name])}" for label, name in zip(labels, commands, strict=True)]
    lines += ["", _("race2048 help COMMAND says more; race2048 help lists what else there is."), _(EVERYWHERE)]
    return "\n".join([*lines, "", _(EXIT_CODES)])


def unknown(command: str) -> str:
    """Returns that there is no such command, and which one was probably meant."""
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
