"""`race2048 lobby`: becomes `python -m lobby`, since client and lobby do not import each other (architecture.md §1)."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence

HELP_S = 30.0
_OPTION = re.compile(r"^  (?P<flags>-[-\w, ]*?)(?: (?P<metavar>[A-Z]+))?  +(?P<help>.+)$", re.MULTILINE)


def hand_over(words: Sequence[str]) -> int:
    """Turns this process into a lobby with these arguments, so that signals reach it; returns only on Windows."""
    command = _command(words)
    if os.name == "posix":
        os.execv(sys.executable, command)  # noqa: S606 - no shell is what we want
    return subprocess.call(command)  # noqa: S603 - our own interpreter


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-P", "-m", "lobby", *words]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what a lobby takes, for completion and the manual page: it is asked, so that nothing is kept twice."""
    wide = os.environ | {"COLUMNS": "1000"}
    asked = subprocess.run(  # noqa: S603 - our own interpreter
        _command(["--help"]), env=wide, capture_output=True, text=True, timeout=HELP_S, check=True
    )
    for found in _OPTION.finditer(asked.stdout):
        flags = found["flags"].split(", ")
        help_text = found["help"].replace("%", "%%")
        if "--help" in flags:
            continue
        if found["metavar"]:
            parser.add_argument(flags[-1], metavar=found["metavar"], help=help_text)
        else:
            parser.add_argument(*flags, action="store_true", help=help_text)
