"""Shows a screen at once, and only then loads what is needed to read keys (architecture.md 4.4).

Loading prompt_toolkit takes longer than a person likes to wait for a picture, so the first one is written without it.
Owns the terminal until terminal.py has taken over, and that it is left in order if that never happens.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from .writing import Writing

if TYPE_CHECKING:
    from .home_screen import HomeScreen

HANGUP = 128 + 1
_ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l"
_LEAVE = "\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h"


def _shown(screen: HomeScreen) -> int:
    with _signals_noted() as noted:
        with _first_picture(screen), _quiet_keys():
            import asyncio

            from .terminal import Terminal
        # Now the terminal is as we found it, but for the picture: what Terminal brings back is what was there.
        terminal = Terminal(screen, screen.depth)
        screen.leave = lambda: terminal.exit(0)

        async def show() -> int:
            running = asyncio.ensure_future(terminal.run())
            await asyncio.sleep(0)  # from here on signals are the terminal's
            if noted:
                terminal.exit(128 + noted[0])
            return await running

        code = asyncio.run(show())
        return code or (128 + noted[0] if noted else 0)


def shown_at_once(screen: HomeScreen) -> int:
    """Shows a screen until it is left; returns 0, or 128 + n for signal n."""
    try:
        return _shown(screen)
    except _TERMINAL_ERRORS:
        if _is_gone():
            return HANGUP
        raise


def _is_gone() -> bool:
    """Tells whether the terminal has been closed."""
    try:
        os.get_terminal_size(sys.stdin.fileno())
    except OSError:
        return True
    return False


@contextmanager
def _first_picture(screen: HomeScreen) -> Iterator[None]:
    """Writes the first picture; takes it away again only if something goes wrong."""
    size = os.get_terminal_size(sys.stdout.fileno())
    picture = screen.picture(size.columns, size.lines)
    _write(_ENTER + Writing(screen.depth).update(picture.lines))
    try:
        yield
    except BaseException:
        _write(_LEAVE)
        raise


def _write(text: str) -> None:
    with suppress(OSError):
        sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def _signals_noted() -> Iterator[list[int]]:
    """Notes the signals that are to end us. Raised in the middle of an import, some would be swallowed there."""
    noted: list[int] = []
    numbers = [n for name in ("SIGINT", "SIGTERM", "SIGHUP") if (n := getattr(signal, name, None)) is not None]
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        for number, handler in handlers.items():
            if handler is not signal.SIG_IGN:  # nohup
                signal.signal(number, lambda number, _frame: noted.append(number))
        yield noted
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


if sys.platform == "win32":
    _TERMINAL_ERRORS: tuple[type[Exception], ...] = (OSError,)

    @contextmanager
    def _quiet_keys() -> Iterator[None]:
        """Changes nothing: a console of Windows is read from when prompt_toolkit is there."""
        yield

else:
    import termios

    _TERMINAL_ERRORS = (OSError, termios.error)

    @contextmanager
    def _quiet_keys() -> Iterator[None]:
        """Keeps what is typed meanwhile, Ctrl-C and Ctrl-Z too, for whoever reads keys later."""
        handle = sys.stdin.fileno()
        before = termios.tcgetattr(handle)
        quiet = termios.tcgetattr(handle)
        quiet[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
        try:
            termios.tcsetattr(handle, termios.TCSANOW, quiet)
            yield
        finally:
            termios.tcsetattr(handle, termios.TCSANOW, before)
