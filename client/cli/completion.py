"""`race2048 completion`: prints what makes a shell complete commands, options, their values and files."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from client.language import say

from .everywhere import Formatter, own_actions
from .exits import DONE, USAGE, Failure

SHELLS = ("bash", "zsh", "fish")
PLACES = {
    "bash": "race2048 completion bash >~/.local/share/bash-completion/completions/race2048",
    "zsh": "race2048 completion zsh >~/.zfunc/_race2048    (fpath+=~/.zfunc in ~/.zshrc)",
    "fish": "race2048 completion fish >~/.config/fish/completions/race2048.fish",
}
_FILES = frozenset({"FILE", "DIR"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `completion` takes."""
    parser.add_argument(
        "shell", nargs="?", choices=SHELLS, metavar="SHELL", help=say("bash, zsh or fish (the one you use)")
    )
    parser.formatter_class = _Formatter
    parser.epilog = "\n".join([say("Where its output belongs:"), *(f"  {place}" for place in PLACES.values())])


class _Formatter(Formatter, argparse.RawDescriptionHelpFormatter):
    """Leaves the lines at the end as they are."""


def run(options: argparse.Namespace) -> int:
    """Prints the script; returns the exit code."""
    shell = options.shell or Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS:
        message = say(
            "For which shell? race2048 completion bash, zsh or fish; race2048 help completion says where it belongs."
        )
        raise Failure(USAGE, message)
    print(script(shell))
    return DONE


def script(shell: str) -> str:
    """Returns the script for a shell, made from the parsers."""
    import shtab

    from .whole import whole_parser

    parser = whole_parser()
    _complete_files(parser, shtab.FILE, shtab.DIRECTORY)
    return str(shtab.complete(parser, shell=shell))


def _complete_files(parser: argparse.ArgumentParser, files: object, directories: object) -> None:
    """Marks the arguments that name files, by how the parsers call them."""
    for action in own_actions(parser):
        if action.nargs == argparse.PARSER and isinstance(action.choices, dict):  # the commands
            for below in action.choices.values():
                _complete_files(below, files, directories)
        elif action.metavar in _FILES:
            action.complete = directories if action.metavar == "DIR" else files  # type: ignore[attr-defined]
