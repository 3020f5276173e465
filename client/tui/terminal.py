"""A screen on a real terminal: prompt_toolkit's input and output, with nothing of its application between them.

Owns the terminal, and that it is as it was when we leave or are stopped, whatever the reason (ux.md 4.1). Knows
nothing of what is shown: a `Screen` draws canvases and is told of keys. This is the only module that imports
prompt_toolkit. What is sent for a canvas is writing.py's, what a mouse or a paste means is gestures.py's.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output, create_output

from .canvas import Canvas
from .gestures import Swipes, clicked, pasted_arrows
from .palette import Depth
from .stdout import screen_stdout
from .writing import Writing

REFRESH_S = 1 / 30  # news are drawn no more often; a key's redraw never waits
ESCAPE_S = 0.05  # a terminal sends the rest of an arrow sooner than this
SIZE_POLL_S = 0.5  # where no signal tells that the size has changed (Windows)
HANGUP = 128 + 1

_KEYS = {
    Keys.Up: "up", Keys.Right: "right", Keys.Down: "down", Keys.Left: "left",
    Keys.ShiftUp: "shift-up", Keys.ShiftRight: "shift-right",
    Keys.ShiftDown: "shift-down", Keys.ShiftLeft: "shift-left",
    Keys.ControlUp: "up", Keys.ControlRight: "right", Keys.ControlDown: "down", Keys.ControlLeft: "left",
    Keys.ControlM: "enter", Keys.ControlJ: "enter", Keys.ControlI: "tab", Keys.BackTab: "back-tab",
    Keys.Escape: "escape", Keys.ControlC: "interrupt", Keys.ControlH: "backspace", Keys.Delete: "delete",
    Keys.Home: "home", Keys.End: "end", Keys.PageUp: "page-up", Keys.PageDown: "page-down",
}  # fmt: skip

# Alternate screen, arrows and numeric pad as in a text, pastes marked, no wrapping, no cursor; and all of it back.
_ENTER = "\x1b[?1049h\x1b[?1l\x1b>\x1b[?2004h\x1b[?7l\x1b[?25l"
_MOUSE_ON = "\x1b[?1000h\x1b[?1006h"
_MOUSE_OFF = "\x1b[?1006l\x1b[?1000l"
_TITLE_KEPT, _TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
_LEAVE = f"\x1b[m{_MOUSE_OFF}\x1b[?2004l\x1b[?7h\x1b[?1049l\x1b[?25h"


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture, in how many seconds it will look different if nothing happens, and whether swipes mean anything."""

    canvas: Canvas
    again_s: float | None = None
    mouse: bool = False


class Screen(Protocol):
    """What is shown on a terminal."""

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the picture of this moment."""

    def press(self, key: str) -> None:
        """A key was pressed: a name of `_KEYS`, or the character that it made. A swipe is the arrow that way."""


@runtime_checkable
class TextScreen(Screen, Protocol):
    """A screen that takes clicks and pasted text as they are, as one with a line to type in does."""

    def paste(self, text: str) -> None:
        """A text was pasted."""

    def click(self, column: int, row: int) -> None:
        """The left button was pressed in this cell, counted from 0."""


class Terminal:
    """A terminal that shows a screen. `input` and `output` are for tests; otherwise it is the one we run on."""

    def __init__(
        self,
        screen: Screen,
        depth: Depth,
        *,
        input: Input | None = None,  # noqa: A002  prompt_toolkit's own name for it
        output: Output | None = None,
    ) -> None:
        self._screen = screen
        self._input = create_input() if input is None else input
        self._output = create_output(screen_stdout()) if output is None else output
        self._writing = Writing(depth)
        self._swipes = Swipes()
        self._mouse = False
        self._title = ""  # the sequence that sets it; nothing: it is not ours
        self._size = (0, 0)
        self._drawn_s = 0.0
        self._result: asyncio.Future[int] | None = None  # while it is shown
        self._refresh_timer: asyncio.TimerHandle | None = None
        self._again_timer: asyncio.TimerHandle | None = None
        self._escape_timer: asyncio.TimerHandle | None = None
        self._size_timer: asyncio.TimerHandle | None = None
        self._raw: AbstractContextManager[None] = nullcontext()

    async def run(self) -> int:
        """Shows the screen until `exit`; returns its code, or 128 + n for signal n.

        What nobody caught, in the screen or elsewhere in the loop, is raised here, on a restored terminal.
        """
        loop = asyncio.get_running_loop()
        self._result = loop.create_future()
        self._raw = self._input.raw_mode()  # only now: it notes what the terminal is like
        before = loop.get_exception_handler()
        loop.set_exception_handler(self._fail)
        interrupted = signal.getsignal(signal.SIGINT)
        taken = self._take_signals(loop)
        try:
            with self._input.attach(self._read):
                self._enter()
                return await self._result
        except EOFError:
            return HANGUP
        except OSError as error:
            if error.errno not in (errno.EIO, errno.EPIPE, errno.EBADF):
                raise
            return HANGUP
        finally:
            self._stop_timers()
            self._leave()
            self._result = None
            for number in taken:
                loop.remove_signal_handler(number)
            if signal.SIGINT in taken:  # what the loop puts in its place is not what was there
                signal.signal(signal.SIGINT, interrupted)
            loop.set_exception_handler(before)

    def refresh(self) -> None:
        """Tells that the picture has changed. Cheap; the terminal follows at most 30 times a second."""
        if not self._is_shown() or self._refresh_timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait_s = max(self._drawn_s + REFRESH_S - loop.time(), 0)
        self._refresh_timer = loop.call_later(wait_s, self._draw)

    def exit(self, code: int) -> None:
        """Ends `run`, which returns this code."""
        if self._result is not None and not self._result.done():
            self._result.set_result(code)

    def copy(self, text: str) -> None:
        """Puts a text on the clipboard (OSC 52); as base64 nothing in it can end the sequence."""
        self.send(f"\x1b]52;c;{base64.b64encode(text.encode()).decode('ascii')}\x07")

    def entitle(self, sequence: str) -> None:
        """Sends what gives the window a title; its own comes back when we leave."""
        if sequence != self._title:
            self.send(sequence if self._title else _TITLE_KEPT + sequence)
            self._title = sequence

    def send(self, sequence: str) -> None:
        """Sends a sequence of ours as it is."""
        if self._is_shown():
            self._output.write_raw(sequence)
            self._output.flush()

    def _is_shown(self) -> bool:
        return self._result is not None and not self._result.done()

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        if not self._is_shown():
            return
        loop = asyncio.get_running_loop()
        for timer in (self._refresh_timer, self._again_timer):
            if timer is not None:
                timer.cancel()
        self._refresh_timer = self._again_timer = None
        self._drawn_s = loop.time()
        found = self._output.get_size()
        size = (found.columns, found.rows)
        if size != self._size:
            self._size = size
            self._writing.forget()
        frame = self._screen.draw(*size)
        if not self._is_shown():  # it has nothing more to show
            return
        if frame.again_s is not None:
            self._again_timer = loop.call_later(frame.again_s, self._draw)
        sequence = self._mouse_switch(frame.mouse) + self._writing.update(frame.canvas.lines)
        if sequence:
            self._output.write_raw(sequence)
            self._output.flush()

    def _mouse_switch(self, wanted: bool) -> str:
        if wanted is self._mouse:
            return ""
        self._mouse = wanted
        self._swipes.forget()
        return _MOUSE_ON if wanted else _MOUSE_OFF

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> None:
        """Something was typed: all of it is taken in, then drawn once."""
        if self._escape_timer is not None:
            self._escape_timer.cancel()
        self._take(self._input.read_keys())
        if self._input.closed:
            self.exit(HANGUP)
        else:
            self._escape_timer = asyncio.get_running_loop().call_later(ESCAPE_S, self._flush)

    def _flush(self) -> None:
        """Nothing has followed: an escape that was pending is the key of that name."""
        self._take(self._input.flush_keys())

    def _take(self, presses: list[KeyPress]) -> None:
        if not self._is_shown():
            return
        for press in presses:
            for key in self._keys_of(press):
                self._screen.press(key)
                if not self._is_shown():
                    return
        if presses:
            self._draw()

    def _keys_of(self, press: KeyPress) -> list[str]:
        """Returns the keys that a key press stands for: mostly one, none if it means nothing to us."""
        if not isinstance(press.key, Keys):
            return [press.key]
        match press.key:
            case Keys.ControlZ:
                self._suspend()
            case Keys.BracketedPaste:
                return self._pasted(press.data)
            case Keys.Vt100MouseEvent if isinstance(self._screen, TextScreen):
                place = clicked(press.data) if self._mouse else None
                if place is not None:
                    self._screen.click(*place)
            case Keys.Vt100MouseEvent:
                return self._swipes.hear(press.data) if self._mouse else []
            case named if named in _KEYS:
                return [_KEYS[named]]
        return []

    def _pasted(self, text: str) -> list[str]:
        """Gives a screen that takes text what was pasted; returns the keys that it stands for elsewhere."""
        if not isinstance(self._screen, TextScreen):
            return pasted_arrows(text)
        self._screen.paste(text)
        return []

    # ── entering and leaving ─────────────────────────────────────────────────────────────────────────────────────

    def _enter(self) -> None:
        kept = _TITLE_KEPT + self._title if self._title else ""
        self._take_terminal(_ENTER + kept)

    def _go_on(self) -> None:
        """We were stopped without a word, in the middle of our screen, and others may have written on it since."""
        if self._is_shown():
            self._take_terminal(_ENTER.replace("1049h", "1047h") + self._title)  # what was there before is still kept

    def _take_terminal(self, sequence: str) -> None:
        self._raw.__enter__()
        self._output.write_raw(sequence)
        self._mouse = False
        self._writing.forget()
        self._draw()

    def _leave(self) -> None:
        """Brings the terminal back; twice does no harm."""
        with suppress(OSError, ValueError):
            self._output.write_raw(_LEAVE + (_TITLE_BACK if self._title else ""))
            self._output.flush()
        self._raw.__exit__(None, None, None)

    def _suspend(self) -> None:
        """Gives the terminal back and stops, as a shell expects it of its jobs; goes on when it is told to."""
        stop, go_on = getattr(signal, "SIGTSTP", None), getattr(signal, "SIGCONT", None)  # Windows has neither
        if stop is None or go_on is None or not self._is_shown():
            return
        loop = asyncio.get_running_loop()
        self._leave()
        for number in (stop, go_on):
            loop.remove_signal_handler(number)
        os.kill(0, stop)  # all of the job, as the terminal itself would
        loop.add_signal_handler(stop, self._suspend)
        loop.add_signal_handler(go_on, self._go_on)
        self._enter()

    def _stop_timers(self) -> None:
        for timer in (self._refresh_timer, self._again_timer, self._escape_timer, self._size_timer):
            if timer is not None:
                timer.cancel()
        self._refresh_timer = self._again_timer = self._escape_timer = self._size_timer = None

    def _fail(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The loop's exception handler: an error that nobody caught ends us."""
        error = context.get("exception")
        if isinstance(error, Exception) and self._result is not None and not self._result.done():
            self._result.set_exception(error)
        else:
            loop.default_exception_handler(context)

    def _take_signals(self, loop: asyncio.AbstractEventLoop) -> list[int]:
        """Takes the signals that concern a terminal; returns which."""
        wanted: dict[str, Callable[[], None]] = {
            "SIGINT": lambda: self.exit(128 + signal.SIGINT),
            "SIGTERM": lambda: self.exit(128 + signal.SIGTERM),
            "SIGHUP": lambda: self.exit(HANGUP),
            "SIGTSTP": self._suspend,
            "SIGCONT": self._go_on,
            "SIGWINCH": self._draw,
        }
        taken: list[int] = []
        for name, act in wanted.items():
            number = getattr(signal, name, None)  # Windows has only the first two
            with suppress(NotImplementedError, RuntimeError, ValueError):
                if number is not None:
                    loop.add_signal_handler(number, act)
                    taken.append(number)
        if not hasattr(signal, "SIGWINCH"):
            self._size_timer = loop.call_later(SIZE_POLL_S, self._poll_size)
        return taken

    def _poll_size(self) -> None:
        size = self._output.get_size()
        if self._is_shown() and (size.columns, size.rows) != self._size:
            self._draw()
        self._size_timer = asyncio.get_running_loop().call_later(SIZE_POLL_S, self._poll_size)
