"""Asks the terminal that we run on about itself, and brings it back to order after a program that did not.

Owns the questions and the sequences; what an answer is worth is checkup.py's. A terminal that does not answer is
waited for no longer than a moment, and whatever is asked leaves no trace on the screen.
"""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from client.checkup import SAMPLES, TerminalFacts
from client.tui.palette import depth_of

ANSWER_S = 0.5  # over the slowest lines a terminal needs a quarter of that
_SGR_MOUSE = b"\x1b[?1006$p"
_WHERE = b"\x1b[6n"
_PLACE = re.compile(rb"\x1b\[\??(\d+);(\d+)R")
_MODE = re.compile(rb"\x1b\[\?1006;(\d)\$y")

# The cursor is put where it is before the alternate screen is left, which would else move it on some terminals.
RESET = (
    "\x1b7\x1b[?1049l"  # the usual screen
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l"  # no mouse
    "\x1b[?2004l\x1b[?1004l\x1b[?2026l"  # pastes unmarked, focus untold, drawing as it comes
    "\x1b[?1l\x1b>\x1b[4l"  # arrows and number pad as usual, no insert mode
    "\x1b[?7h\x1b[?25h"  # lines wrap, the cursor is seen
    "\x1b[m\x1b(B\x0f"  # no colours, the usual characters
)


def terminal_facts(environment: Mapping[str, str]) -> TerminalFacts:
    """Returns what is known of the terminal on stdin and stdout."""
    is_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    columns, rows = _size() if is_terminal else (0, 0)
    term = environment.get("TERM", "")
    answers = asked(sys.stdin.fileno(), sys.stdout.fileno()) if is_terminal and term != "dumb" else b""
    widths, mouse = understood(answers)
    return TerminalFacts(
        is_terminal=is_terminal,
        columns=columns,
        rows=rows,
        term=term,
        colorterm=environment.get("COLORTERM", ""),
        depth=depth_of(environment),
        encoding=getattr(sys.stdout, "encoding", None) or "ascii",
        widths=widths,
        mouse=mouse,
    )


def _size() -> tuple[int, int]:
    size = os.get_terminal_size(sys.stdout.fileno())
    return size.columns, size.lines


def questions(samples: Sequence[str]) -> bytes:
    """Returns what asks a terminal whether it knows the mouse, and where the cursor is after each sample."""
    asks = b"".join(b"\r" + sample.encode() + _WHERE + b"\r\x1b[K" for sample in samples)
    return _SGR_MOUSE + asks


def understood(answers: bytes) -> tuple[dict[str, int] | None, bool | None]:
    """Returns the widths of SAMPLES (None if not all were told) and whether the mouse is known (None: untold)."""
    columns = [int(column) - 1 for _, column in _PLACE.findall(answers)]
    widths = dict(zip(SAMPLES, columns, strict=False)) if len(columns) == len(SAMPLES) else None
    mode = _MODE.search(answers)
    return widths, None if mode is None else mode[1] not in (b"0", b"4")


if sys.platform == "win32":

    def asked(source: int, target: int) -> bytes:
        """Returns nothing: a console of Windows is not asked."""
        del source, target
        return b""

    def cook(handle: int) -> None:
        """Does nothing: a console of Windows is not left raw."""
        del handle

else:
    import termios
    import tty

    def asked(source: int, target: int) -> bytes:
        """Returns what the terminal answers within a moment; b"" if it does not."""
        answers = b""
        with _uncooked(source):
            os.write(target, questions(list(SAMPLES)))
            until_s = time.monotonic() + ANSWER_S
            while len(_PLACE.findall(answers)) < len(SAMPLES):
                ready, _, _ = select.select([source], [], [], max(until_s - time.monotonic(), 0))
                if not ready:
                    break
                answers += os.read(source, 1_024)
        return answers

    @contextmanager
    def _uncooked(handle: int) -> Iterator[None]:
        """Lets answers come at once and unseen meanwhile."""
        before = termios.tcgetattr(handle)
        tty.setcbreak(handle)
        try:
            yield
        finally:
            termios.tcsetattr(handle, termios.TCSAFLUSH, before)

    def cook(handle: int) -> None:
        """Makes a terminal take lines, echo them, and turn Ctrl-C into a signal, as `stty sane` does."""
        inputs, outputs, controls, locals_, ispeed, ospeed, characters = termios.tcgetattr(handle)
        inputs |= termios.BRKINT | termios.ICRNL | termios.IXON | termios.IMAXBEL
        inputs &= ~(termios.IGNBRK | termios.INLCR | termios.IGNCR | termios.ISTRIP)
        outputs |= termios.OPOST | termios.ONLCR
        locals_ |= termios.ISIG | termios.ICANON | termios.ECHO | termios.ECHOE | termios.ECHOK | termios.IEXTEN
        settings = [inputs, outputs, controls, locals_, ispeed, ospeed, characters]
        termios.tcsetattr(handle, termios.TCSADRAIN, settings)
