"""The screen of a session on a real terminal: prompt_toolkit's input and output around `press` and `paint`.

Owns the terminal, and that it is as it was when we leave, whatever ends us (ux.md 4.1). Decides nothing: keys go to
commands.press, pictures come from paint.paint. This is the only module that imports prompt_toolkit.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout as ScreenLayout
from prompt_toolkit.layout import Window
from prompt_toolkit.layout.controls import DummyControl
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from client.actions import Action
from client.view import Line, SessionView

from .canvas import BLANK, Canvas, Cell
from .commands import Links, Ui, is_on_board, kept, press
from .paint import changes_in_ms, paint
from .palette import CLASSIC, PLAIN, Depth, Ink, depth_of
from .plan import plan

__all__ = ["REFRESH_S", "Links", "RaceApp"]

REFRESH_S = 1 / 30  # the lobby's news are drawn no more often; a key's redraw never waits
ESCAPE_S = 0.05  # a terminal sends the rest of an arrow sooner than this
RESULT_S = 0.5  # a key pressed so soon after the board has gone was meant for the race
_CHARS_MAX = 4_096
_NAMED_KEYS = {
    Keys.Up: "up", Keys.Right: "right", Keys.Down: "down", Keys.Left: "left",
    Keys.ShiftUp: "up", Keys.ShiftRight: "right", Keys.ShiftDown: "down", Keys.ShiftLeft: "left",
    Keys.ControlUp: "up", Keys.ControlRight: "right", Keys.ControlDown: "down", Keys.ControlLeft: "left",
    Keys.ControlM: "enter", Keys.ControlJ: "enter", Keys.ControlI: "tab", Keys.Escape: "escape",
    Keys.ControlC: "interrupt",
}  # fmt: skip
_DEPTHS = {
    Depth.MONO: ColorDepth.DEPTH_1_BIT,
    Depth.ANSI: ColorDepth.DEPTH_4_BIT,
    Depth.INDEXED: ColorDepth.DEPTH_8_BIT,
    Depth.TRUE: ColorDepth.DEPTH_24_BIT,
}


class RaceApp:
    """A session on a terminal. `view` gives its picture, `act` takes what the person does."""

    def __init__(
        self,
        *,
        view: Callable[[], SessionView],
        act: Callable[[Action], None],
        links: Links,
        input: Input | None = None,  # noqa: A002  prompt_toolkit's own name for it
        output: Output | None = None,
    ) -> None:
        self._view = view
        self._act = act
        self._ui = Ui(join=links.join, watch=links.watch)
        self._palette = CLASSIC[depth_of(os.environ)]
        self._input = input
        self._output = output
        self._app: Application[int] | None = None
        self._stale = False  # there are news that no redraw has shown
        self._drawn_s = 0.0
        self._on_board = False  # as it was drawn last
        self._settled_s = 0.0  # when keys are no longer taken for ones that were meant for the board
        self._refresh_timer: asyncio.TimerHandle | None = None
        self._second_timer: asyncio.TimerHandle | None = None

    async def run(self) -> int:
        """Shows the session until the person has left or it is over; returns 0, or 128 + n for signal n.

        What nobody caught, in the screen or elsewhere in the loop, is raised here, on a restored terminal.
        """
        if self._is_pointless():
            return 0
        loop = asyncio.get_running_loop()
        app = self._app = self._make_app()
        before = loop.get_exception_handler()
        loop.set_exception_handler(self._fail)
        caught = self._catch_signals(loop)
        try:
            return await app.run_async(set_exception_handler=False)
        except EOFError:
            return 128 + signal.SIGHUP  # the terminal is gone
        except OSError as error:
            if error.errno not in (errno.EIO, errno.EPIPE, errno.EBADF):
                raise
            return 128 + signal.SIGHUP
        finally:
            for number in caught:
                loop.remove_signal_handler(number)
            loop.set_exception_handler(before)
            self._stop_timers()
            self._restore(app.output)
            self._app = None

    def refresh(self) -> None:
        """Tells that the session has changed. Cheap; the screen follows at most 30 times a second."""
        app = self._app
        if app is None or app.loop is None:
            return
        if self._is_pointless():
            self._exit(0)
            return
        self._stale = True
        if self._refresh_timer is not None:
            return
        wait_s = self._drawn_s + REFRESH_S - app.loop.time()
        if wait_s <= 0:
            app.invalidate()
        else:
            self._refresh_timer = app.loop.call_later(wait_s, self._refresh_late)

    def _refresh_late(self) -> None:
        self._refresh_timer = None
        if self._stale and self._app is not None:
            self._app.invalidate()

    def _is_pointless(self) -> bool:
        """Tells whether the session ended before there was a table to show: the caller says why."""
        view = self._view()
        return view.line is Line.OVER and view.phase is None

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for key, name in _NAMED_KEYS.items():
            bindings.add(key, eager=True)(self._presser(name))
        bindings.add(Keys.Any)(self._press_any)
        bindings.add(Keys.SIGINT)(lambda _event: self._exit(128 + signal.SIGINT))
        bindings.add(Keys.ControlZ, eager=True)(lambda event: event.app.suspend_to_background())
        return bindings

    def _presser(self, name: str) -> Callable[[KeyPressEvent], None]:
        return lambda _event: self._press(name)

    def _press_any(self, event: KeyPressEvent) -> None:
        key = event.key_sequence[0].key
        if not isinstance(key, Keys):  # a character; a Keys without a binding of its own means nothing
            self._press(key)

    def _press(self, key: str) -> None:
        view = self._view()
        step = press(view, kept(view, self._ui), key, fresh=self._is_fresh(view))
        self._ui = step.ui
        for action in step.actions:
            self._act(action)
        if step.copied:
            self._copy(self._ui.join)
        if step.left:
            self._exit(0)

    def _is_fresh(self, view: SessionView) -> bool:
        assert self._app is not None, "keys come only while the app runs"
        if is_on_board(view) or self._app.loop is None:
            return False
        return self._on_board or self._app.loop.time() < self._settled_s

    def _copy(self, text: str) -> None:
        """Puts a text of ours on the clipboard (OSC 52); as base64 nothing in it can end the sequence."""
        assert self._app is not None, "keys come only while the app runs"
        encoded = base64.b64encode(text.encode()).decode("ascii")
        self._app.output.write_raw(f"\x1b]52;c;{encoded}\x07")
        self._app.output.flush()

    # ── the terminal ─────────────────────────────────────────────────────────────────────────────────────────────

    def _make_app(self) -> Application[int]:
        app: Application[int] = Application(
            layout=ScreenLayout(_CellWindow(self._draw, self._last_screen)),
            key_bindings=self._bindings(),
            style=Style([]),
            include_default_pygments_style=False,
            full_screen=True,
            color_depth=_DEPTHS[self._palette.depth],
            max_render_postpone_time=None,
            input=self._input,
            output=self._output,
        )
        app.ttimeoutlen = app.timeoutlen = ESCAPE_S
        return app

    def _draw(self, columns: int, rows: int) -> Canvas:
        """Returns the screen as it is now, and arms the timer for what counts down."""
        view = self._view()
        self._ui = kept(view, self._ui)
        self._stale = False
        loop = asyncio.get_running_loop()
        self._drawn_s = loop.time()
        if self._on_board and not is_on_board(view):
            self._settled_s = self._drawn_s + RESULT_S
        self._on_board = is_on_board(view)
        if self._second_timer is not None:
            self._second_timer.cancel()
        wait_ms = changes_in_ms(view)
        self._second_timer = None if wait_ms is None else loop.call_later(wait_ms / 1_000, self._tick)
        players = sum(seat is not None for seat in view.seats)
        layout = plan(columns, rows, view.settings.size, max(players, 2))
        return paint(view, layout, self._palette, self._ui)

    def _last_screen(self) -> Screen | None:
        return self._app.renderer.last_rendered_screen if self._app is not None else None

    def _tick(self) -> None:
        if self._app is not None:
            self._app.invalidate()

    def _stop_timers(self) -> None:
        for timer in (self._refresh_timer, self._second_timer):
            if timer is not None:
                timer.cancel()
        self._refresh_timer = self._second_timer = None

    def _exit(self, code: int) -> None:
        if self._is_running():
            assert self._app is not None
            self._app.exit(result=code)

    def _is_running(self) -> bool:
        app = self._app
        return app is not None and app.future is not None and not app.future.done()

    def _fail(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The loop's exception handler: prompt_toolkit's own would go on; an error that nobody caught ends us."""
        error = context.get("exception")
        if isinstance(error, Exception) and self._is_running():
            assert self._app is not None
            self._app.exit(exception=error)
        else:
            loop.default_exception_handler(context)

    def _catch_signals(self, loop: asyncio.AbstractEventLoop) -> list[signal.Signals]:
        caught = []
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            with suppress(NotImplementedError, RuntimeError, ValueError):
                if number is not None:
                    loop.add_signal_handler(number, self._exit, 128 + number)
                    caught.append(number)
        return caught

    @staticmethod
    def _restore(output: Output) -> None:
        """Brings the terminal back. prompt_toolkit does so only if its last redraw went well."""
        with suppress(OSError, ValueError):
            output.reset_attributes()
            output.disable_mouse_support()
            output.disable_bracketed_paste()
            output.enable_autowrap()
            output.quit_alternate_screen()
            output.show_cursor()
            output.flush()


class _CellWindow(Window):
    """A window that puts the cells of a canvas on the screen.

    prompt_toolkit compares every cell of a screen with the screen before and writes them one by one, which is most of
    what a redraw costs. So it is given only what has changed, as runs of cells of one ink: a run is one `Char` as wide
    as it is long. What is between them is one `Char` in both screens, and so quickly found to be equal.
    """

    def __init__(self, draw: Callable[[int, int], Canvas], last_screen: Callable[[], Screen | None]) -> None:
        super().__init__(DummyControl(), always_hide_cursor=True)
        self._draw = draw
        self._last_screen = last_screen
        self._chars: dict[Cell, Char] = {}
        self._lines: list[list[Cell]] = []  # as they were written last
        self._written: tuple[Screen, WritePosition] | None = None

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Writes the canvas; its cells have all their looks, and the mouse is not ours yet."""
        del mouse_handlers, parent_style, erase_bg, z_index
        before, old_lines = self._before(write_position)
        self._lines = self._draw(write_position.width, write_position.height).lines
        for y, (line, old) in enumerate(zip(self._lines, old_lines, strict=True), write_position.ypos):
            old_row = before.data_buffer[y]
            old_row.clear()
            if line != old:
                self._write_row(line, old, screen.data_buffer[y], old_row)
        screen.width = max(screen.width, write_position.xpos + write_position.width)
        screen.height = max(screen.height, write_position.ypos + write_position.height)
        screen.show_cursor = False
        screen.visible_windows_to_write_positions[self] = write_position
        self._written = screen, write_position

    def _before(self, position: WritePosition) -> tuple[Screen, Sequence[Sequence[Cell] | None]]:
        """Returns the screen that this one will be compared with, and the lines that the terminal shows.

        None for a line of which nobody knows what is there.
        """
        last = self._last_screen()
        if last is None:  # the terminal is erased first
            return Screen(), [[BLANK] * position.width] * position.height
        if self._written is not None:
            screen, old = self._written
            if screen is last and _place(old) == _place(position):
                return last, self._lines
        return last, [None] * position.height

    def _write_row(
        self, line: list[Cell], old: Sequence[Cell] | None, row: dict[int, Char], old_row: dict[int, Char]
    ) -> None:
        end = 0
        for start, stop, text, ink in _changed_runs(line, old):
            if start > end:
                row[end] = old_row[end] = self._char((" " * (start - end), PLAIN))
            row[start], old_row[start] = self._char((text, ink)), _OTHER
            end = stop

    def _char(self, cell: Cell) -> Char:
        char = self._chars.get(cell)
        if char is None:
            if len(self._chars) >= _CHARS_MAX:
                self._chars.clear()
            char = self._chars[cell] = Char(cell[0], _style(cell[1]))
        return char


# Equal to no run, and not counted as the end of a row: prompt_toolkit must never erase what it has not been given.
_OTHER = Char(" ", "class:other")


def _changed_runs(line: list[Cell], old: Sequence[Cell] | None) -> Iterator[tuple[int, int, str, Ink]]:
    """Yields first column, column after, text and ink of each run of cells of one ink that are not as they were."""
    column, columns = 0, len(line)
    while column < columns:
        if old is not None and line[column] == old[column]:
            column += 1
            continue
        start, ink, texts = column, line[column][1], []
        while column < columns:
            shown, its_ink = line[column]
            # The second half of a wide grapheme goes with the first, even if there was a second half before.
            if shown and (its_ink is not ink or (old is not None and line[column] == old[column])):
                break
            texts.append(shown)
            column += 1
        yield start, column, "".join(texts), ink


def _place(position: WritePosition) -> tuple[int, int, int, int]:
    return position.xpos, position.ypos, position.width, position.height


def _style(ink: Ink) -> str:
    """Returns prompt_toolkit's text for an ink. It is never empty: blanks without a style would not be written."""
    parts = [f"fg:{ink.text or 'ansidefault'}", f"bg:{ink.ground}" if ink.ground else ""]
    parts += [word for word in ("bold", "reverse", "underline") if getattr(ink, word)]
    return " ".join(part for part in parts if part)
