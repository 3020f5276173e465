"""The screen of a session: what `paint` makes of its view, on a terminal, and `press` of the keys.

Decides nothing: keys go to commands.press, pictures come from paint.paint; the terminal itself is terminal.py's.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from client.actions import Action
from client.view import Line, SessionView

from .alerts import call, called, entitle, title_words
from .commands import Links, Ui, is_on_board, kept, press
from .look import Look, look_of
from .paint import changes_in_ms, has_board, paint
from .plan import plan
from .sliding import FRAME_S, Slide, Slides
from .terminal import Frame, Terminal

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

__all__ = ["Links", "RaceApp"]

RESULT_S = 0.5  # a key pressed so soon after the board has gone was meant for the race


class RaceApp:
    """A session on a terminal. `view` gives its picture, `act` takes what the person does.

    `shown` is called when the terminal is taken: from then on it is left in order by us.
    """

    def __init__(
        self,
        *,
        view: Callable[[], SessionView],
        act: Callable[[Action], None],
        links: Links,
        look: Look | None = None,
        shown: Callable[[], None] = lambda: None,
        input: Input | None = None,  # noqa: A002  prompt_toolkit's own name for it
        output: Output | None = None,
    ) -> None:
        self._view = view
        self._act = act
        self._shown = shown
        self._look = look_of(os.environ) if look is None else look
        self._ui = Ui(join=links.join, watch=links.watch, lan=links.lan, mouse=self._look.mouse)
        self._told: SessionView | None = None  # as it was when the person was called last, or need not be
        self._slides = Slides(self._look)
        self._terminal = Terminal(self, self._look.palette.depth, input=input, output=output)
        self._on_board = False  # as it was drawn last
        self._settled_s = 0.0  # when keys are no longer taken for ones that were meant for the board

    async def run(self) -> int:
        """Shows the session until the person has left or it is over; returns 0, or 128 + n for signal n.

        What nobody caught, in the screen or elsewhere in the loop, is raised here, on a restored terminal.
        """
        view = self._view()
        if _is_pointless(view):
            return 0
        self._call(view)
        self._shown()
        return await self._terminal.run()

    def refresh(self) -> None:
        """Tells that the session has changed. Cheap; the screen follows at most 30 times a second."""
        self._terminal.refresh()

    def _call(self, view: SessionView) -> None:
        """Calls the person if something has happened that they wait for, and keeps the window's title true."""
        words = called(self._told, view)
        self._told = view
        if words:
            self._terminal.send(call(words, self._look, os.environ))
        if self._look.title:
            self._terminal.entitle(entitle(title_words(view), os.environ))

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the screen as it is now."""
        loop = asyncio.get_running_loop()
        view = self._view()
        if _is_pointless(view):
            self._terminal.exit(0)
        self._call(view)
        self._ui = kept(view, self._ui)
        if self._on_board and not is_on_board(view):
            self._settled_s = loop.time() + RESULT_S
        self._on_board = is_on_board(view)
        players = sum(seat is not None for seat in view.seats)
        layout = plan(columns, rows, view.settings.size, max(players, 2))
        moving = self._slides.look(view.game.board if view.game is not None else None, loop.time())
        waits_ms = [changes_in_ms(view), 1_000 * FRAME_S if isinstance(moving, Slide) else None]
        wait_ms = min((wait for wait in waits_ms if wait is not None), default=None)
        canvas = paint(view, layout, self._look.palette, self._ui, moving)
        over = self._ui.menu is not None or self._ui.overlay is not None  # what is shown there can be selected
        mouse = self._ui.mouse and is_on_board(view) and has_board(view) and not over
        return Frame(canvas, None if wait_ms is None else wait_ms / 1_000, mouse)

    def press(self, key: str) -> None:
        """Does what a key does; Shift makes no difference here."""
        view = self._view()
        step = press(view, kept(view, self._ui), key.removeprefix("shift-"), fresh=self._is_fresh(view))
        self._ui = step.ui
        for action in step.actions:
            self._act(action)
        if step.copied:
            self._terminal.copy(self._ui.join)
        if step.left:
            self._terminal.exit(0)

    def _is_fresh(self, view: SessionView) -> bool:
        if is_on_board(view):
            return False
        return self._on_board or asyncio.get_running_loop().time() < self._settled_s


def _is_pointless(view: SessionView) -> bool:
    """Tells whether the session ended before there was a table to show: the caller says why."""
    return view.line is Line.OVER and view.phase is None
