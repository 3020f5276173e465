"""Exit codes, and how a command says that it cannot do what was asked (ux.md §1)."""

from __future__ import annotations

import os
import sys

DONE = 0
NO = 1
USAGE = 2
UNREACHED = 3
REFUSED = 4
VERSIONS = 5
DAMAGED = 6
BUG = 70
HANGUP = 129
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143


def mute() -> None:
    """Sends what is still said nowhere: the terminal is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


class Failure(Exception):  # noqa: N818 - what happened and what to do, for a person
    """Why a command ends without having done its work; main prints it and returns the code."""

    def __init__(self, exit_code: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code
