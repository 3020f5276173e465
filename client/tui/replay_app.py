"""A replay on a terminal: the clock that it runs by. Pictures come from paint_replay, keys go to press_replay."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from .palette import Palette
from .replay_keys import Show, press_replay
from .replay_paint import paint_replay
from .replay_plan import plan_replay
from .terminal import REFRESH_S, Frame, Terminal

_STOPPED_MS = 1_000  # a picture that comes so late: the program was stopped meanwhile, and the race waits for it


class ReplayApp:
    """A replay on a terminal. `running`: it begins to run at once."""

    def __init__(
        self,
        show: Show,
        palette: Palette,
        *,
        running: bool = False,
        input: Input | None = None,  # noqa: A002  prompt_toolkit's own name for it
        output: Output | None = None,
    ) -> None:
        self.show = show
        self._palette = palette
        self._starts = running
        self._due_ms: int | None = None  # when the next picture was to come by itself
        self._terminal = Terminal(self, palette.depth, input=input, output=output)

    async def run(self) -> int:
        """Shows the replay until the person leaves; returns 0, or 128 + n for signal n."""
        return await self._terminal.run()

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the screen as it is now."""
        now_ms = _now_ms()
        replay = self.show.replay
        if self._starts:
            replay, self._starts = replay.toggled(now_ms), False
        if self._due_ms is not None and now_ms - self._due_ms > _STOPPED_MS:
            replay = replace(replay, since_ms=replay.since_ms + now_ms - self._due_ms)
        self.show = replace(self.show, replay=replay)
        timeline = replay.timeline
        stage = plan_replay(columns, rows, timeline.settings.size, len(timeline.players), notice=bool(self.show.reason))
        canvas = paint_replay(self.show, stage, self._palette, now_ms)
        wait_ms = replay.wait_ms(now_ms)
        again_s = None if wait_ms is None else max(wait_ms / 1_000, REFRESH_S)
        self._due_ms = None if again_s is None else now_ms + round(1_000 * again_s)
        return Frame(canvas, again_s)

    def press(self, key: str) -> None:
        """Does what a key does."""
        self.show = press_replay(self.show, key, _now_ms())
        if self.show.left:
            self._terminal.exit(0)


def _now_ms() -> int:
    return round(1_000 * asyncio.get_running_loop().time())
