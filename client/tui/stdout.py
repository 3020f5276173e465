"""The stdout that screens are written to: all of what is written arrives, whatever signals come meanwhile.

With PYTHONUNBUFFERED, which containers often set, Python writes straight to the terminal and forgets what a write did
not take because a signal came (a resize, for one): a picture would end in the middle of a sequence.
"""

from __future__ import annotations

import io
import sys
from functools import cache
from typing import TextIO


def screen_stdout() -> TextIO:
    """Returns sys.stdout, or what writes through it with patience."""
    return _patient(sys.stdout)


@cache
def _patient(stdout: TextIO) -> TextIO:
    raw = getattr(stdout, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        return stdout
    return io.TextIOWrapper(_Kept(raw), encoding=stdout.encoding, errors=stdout.errors, line_buffering=True)


class _Kept(io.BufferedWriter):
    """Only ever goes on, and does not close what it writes to: that is somebody else's."""

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        if not self.raw.closed:
            self.flush()
