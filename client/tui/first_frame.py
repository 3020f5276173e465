"""Shows a screen at once, and only then loads what is needed to read keys (architecture.md 4.4).

Loading prompt_toolkit takes longer than a person likes to wait for a picture, so the first one is written without it.
Owns the terminal until terminal.py has taken over, and that it is left in order if that never happens. The home screen
is `shown_at_once`; `Opening` is for a command that has more to do before its screen can run.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from client.signals import hold, let_go

from .stdout import screen_stdout
from .writing import Writing

if TYPE_CHECKING:
    from .canvas import Canvas
    from .palette import Depth
    from .terminal import Frame

HANGUP = 128 + 1
_ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l"
_LEAVE = "\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h"


class FirstScreen(Protocol):
    """A screen that can be drawn before anything else is loaded. `leave` is given to it."""

    leave: Callable[[], None]

    @property
    def depth(self) -> Depth: ...  # noqa: D102 - how many colours it is drawn with

    def picture(self, columns: int, rows: int) -> Canvas:
        """Returns the screen as it is now."""

    def prepare(self) -> None:
        """The first picture is there: does what takes longer, before the first key is read."""

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the picture of this moment (terminal.Screen)."""

    def press(self, key: str) -> None:
        """A key was pressed (terminal.Screen)."""


def _shown(screen: FirstScreen) -> int:
    with _signals_noted() as noted:
        with _first_picture(screen), _quiet_keys():
            import asyncio

            from .terminal import Terminal

            screen.prepare()
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


def shown_at_once(screen: FirstScreen) -> int:
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


class Opening:
    """A first picture that stands inside a `with`, until a screen takes the terminal over (`hand_over`).

    Signals that are to end us are held back inside until whoever runs a loop lets them go (client/signals.py), and
    what is typed is kept for the screen. If none takes over, the terminal is as it was before anything is said.
    """

    def __init__(self, picture: Callable[[int, int], Canvas], depth: Depth) -> None:
        self._picture = picture
        self._depth = depth
        self._keys = ExitStack()
        self._stands = False

    def __enter__(self) -> Opening:
        hold()
        with suppress(*_TERMINAL_ERRORS):  # it has just been closed, which the screen will find, too
            self._keys.enter_context(_quiet_keys())
            _show(self._picture, self._depth)
            self._stands = True
        return self

    def __exit__(self, *_: object) -> None:
        self.take_away()
        let_go()

    def take_away(self) -> None:
        """Makes the terminal as it was, so that something can be said on it; later a screen may still take it over."""
        stands = self._stands
        self.hand_over()
        if stands:
            _write(_LEAVE)

    def hand_over(self) -> None:
        """Makes the terminal as it was but for the picture: from here on a screen sees to it."""
        self._stands = False
        with suppress(*_TERMINAL_ERRORS):
            self._keys.close()


def _show(picture: Callable[[int, int], Canvas], depth: Depth) -> None:
    size = os.get_terminal_size(sys.stdout.fileno())
    _write(_ENTER + Writing(depth).update(picture(size.columns, size.lines).lines))


@contextmanager
def _first_picture(screen: FirstScreen) -> Iterator[None]:
    """Writes the first picture; takes it away again only if something goes wrong."""
    _show(screen.picture, screen.depth)
    try:
        yield
    except BaseException:
        _write(_LEAVE)
        raise


def _write(text: str) -> None:
    with suppress(OSError):
        stdout = screen_stdout()
        stdout.write(text)
        stdout.flush()


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
