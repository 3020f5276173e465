"""The clock of a replay on a terminal: it runs, stands, and waits for a program that was stopped."""

import asyncio
import io

import pyte
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from client.tui import replay_app
from client.tui.palette import CLASSIC, Depth
from client.tui.replay_app import ReplayApp

from .replays_of import busy_timeline, replay_screen, show_of

PATIENCE_S = 20


class Written(io.StringIO):
    """What a program writes on a terminal; every flush is an event."""

    def __init__(self):
        super().__init__()
        self.flushed = asyncio.Event()

    def flush(self):
        self.flushed.set()


class Shown:
    """A replay on a terminal in memory."""

    def __init__(self, keyboard, show, **options):
        self.written = Written()
        output = Vt100_Output(self.written, lambda: Size(rows=24, columns=80), term="xterm")
        self.app = ReplayApp(show, CLASSIC[Depth.INDEXED], input=keyboard, output=output, **options)

    def text(self):
        screen = pyte.Screen(80, 24)
        written = self.written.getvalue()
        pyte.Stream(screen).feed(written.replace("\x1b[?2026h", "").replace("\x1b[?2026l", ""))
        return "\n".join(line.rstrip() for line in screen.display)

    async def until_shown(self, words):
        async with asyncio.timeout(PATIENCE_S):
            while words not in self.text():
                self.written.flushed.clear()
                await self.written.flushed.wait()


async def test_what_runs_comes_to_the_end_by_itself():
    with create_pipe_input() as keyboard:
        shown = Shown(keyboard, show_of(busy_timeline(), 0, speed=32.0), running=True)
        running = asyncio.ensure_future(shown.app.run())
        await shown.until_shown("the end")
        assert shown.text() == replay_screen(show_of(busy_timeline(), 5_000, speed=32.0, paused=False))
        keyboard.send_text("q")
        assert await running == 0


async def test_what_is_paused_is_not_drawn_again_by_itself():
    with create_pipe_input() as keyboard:
        assert Shown(keyboard, show_of(busy_timeline())).app.draw(80, 24).again_s is None
        assert Shown(keyboard, show_of(busy_timeline()), running=True).app.draw(80, 24).again_s is not None


async def test_keys_change_what_is_shown():
    with create_pipe_input() as keyboard:
        shown = Shown(keyboard, show_of(busy_timeline(), 0))
        running = asyncio.ensure_future(shown.app.run())
        await shown.until_shown("0 moves")
        keyboard.send_text("\x1b[C\x1b[C")
        await shown.until_shown("2 moves")
        keyboard.send_text("\x1b[1;2C")
        await shown.until_shown("12 moves")
        keyboard.send_text("\t")
        await shown.until_shown("›owl")
        keyboard.send_text("q")
        assert await running == 0


def test_the_race_waits_for_a_program_that_was_stopped(monkeypatch):
    now_ms = 1_000
    monkeypatch.setattr(replay_app, "_now_ms", lambda: now_ms)
    with create_pipe_input() as keyboard:
        shown = Shown(keyboard, show_of(busy_timeline(), 0), running=True)
        shown.app.draw(80, 24)
        now_ms += 50
        due = shown.app.draw(80, 24).again_s
        assert due is not None
        now_ms += 60_000
        shown.app.draw(80, 24)
        assert shown.app.show.replay.t_ms(now_ms) == 50 + round(1_000 * due)
