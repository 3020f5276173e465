"""`race2048 lobby`: becomes `python -m lobby`, since client and lobby do not import each other (architecture.md §1)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence


def hand_over(words: Sequence[str]) -> int:
    """Turns this process into a lobby with these arguments, so that signals reach it; returns only on Windows."""
    command = [sys.executable, "-P", "-m", "lobby", *words]
    if os.name == "posix":
        os.execv(sys.executable, command)  # noqa: S606 - no shell is what we want
    return subprocess.call(command)  # noqa: S603 - our own interpreter
