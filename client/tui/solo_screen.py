"""A game alone on a terminal: keys go to solo_keys.press, pictures come from solo_paint, what is done is solo_play's.

Shown by first_frame.py: the first picture is on the screen before asyncio and prompt_toolkit are loaded, and `prepare`
does what needs them even less. Knows a clock; asks it in one place.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from client.solo import SoloView
from client.solo_play import SoloPlay
from client.solo_words import told_words

from .canvas import Canvas
from .look import Look
from .palette import Depth
from .plan import plan
from .sliding import FRAME_S, Slide, Slides
from .solo_keys import SoloUi, press
from .solo_paint import SoloPicture, paint_solo

if TYPE_CHECKING:
    from client.ghost import Ghost
    from client.hinting import Thought
    from client.view import SeatPicture

    from .sliding import Fresh
    from .terminal import Frame

RESULT_S = 0.5  # a key pressed so soon after a game has ended was meant for the board
SYNC_S = 1.0  # what was played is made to last through a power failure about so often


class SoloScreen:
    """The screen of a game alone. `leave` ends it."""

    def __init__(self, play: SoloPlay, look: Look, ghosts: Sequence[Ghost] = ()) -> None:
        self.play = play
        self._look = look
        self._ghosts = ghosts
        self._slides = Slides(look)
        self._ui = SoloUi(asking=play.offered, mouse=look.mouse)
        self._notices: list[str] = []
        self._held_s = 0.0  # until when keys do nothing that cannot be undone
        self._hint: Thought | None = None  # about the board that is shown
        self._keyed = False  # a key waits for its picture
        self._syncing: threading.Timer | None = None
        self.leave: Callable[[], None] = lambda: None

    @property
    def depth(self) -> Depth:
        """How many colours are drawn with."""
        return self._look.palette.depth

    def prepare(self) -> None:
        """Does what could wait until the first picture was there."""
        self.play.prepare()
        from . import solo_overlay, solo_rivals  # noqa: F401 - so that no key waits for them

    def picture(self, columns: int, rows: int) -> Canvas:
        """Returns the screen as it is now."""
        return self._drawn(columns, rows)[0]

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the picture for a terminal; a hint is thought about in turns of the loop that no key waits for."""
        from .terminal import Frame

        thinks = self._thinks()
        canvas, moving = self._drawn(columns, rows)
        wait_ms = self.play.game.wait_ms(_now_ms())
        waits_s = [None if wait_ms is None else wait_ms / 1_000, FRAME_S if isinstance(moving, Slide) else None]
        waits_s.append(0.0 if thinks else None)
        again_s = min((wait_s for wait_s in waits_s if wait_s is not None), default=None)
        over = self._ui.menu is not None or self._ui.form is not None or self._ui.help
        return Frame(canvas, again_s, self._ui.mouse and not over)

    def press(self, key: str) -> None:
        """Does what a key does; Shift makes no difference here."""
        now_ms, now_s = _now_ms(), time.monotonic()
        self._keyed = True
        view = self.play.game.view(now_ms)
        step = press(view, self._ui, key.removeprefix("shift-"), fresh=now_s < self._held_s)
        self._ui, self._notices = step.ui, []
        if step.declined:
            self.play.go_on()
        if step.begins is not None:
            self.play.begin(step.begins, now_ms)
        if step.act is not None:
            self.play.do(step.act, now_ms)
        if step.move is not None and self.play.push(step.move, now_ms):
            self._moved(now_s)
        if step.hint:
            self._ask()
        if step.left:
            self.leave()

    def close(self) -> None:
        """The screen is gone: the game stands where it is."""
        if self._syncing is not None:
            self._syncing.cancel()
        self.play.leave(_now_ms())

    def _ask(self) -> None:
        """A hint for this board is wanted; asking twice is one hint."""
        from client.hinting import Thought

        board = self.play.game.solo.game.board
        if self._hint is None or self._hint.board != board:
            self._hint = Thought(board)
            self.play.take_hint()

    def _thinks(self) -> bool:
        """Thinks for a moment about the hint; returns whether there is more to think. Another board ends it."""
        keyed, self._keyed = self._keyed, False
        if self._hint is not None and self._hint.board != self.play.game.solo.game.board:
            self._hint = None
        if self._hint is None or self._hint.done:
            return False
        if keyed:
            return True
        from .thinking import think_for_a_turn

        hint = self._hint
        return think_for_a_turn(lambda: not hint.go_on())

    def _hint_words(self) -> str:
        if self._hint is None:
            return ""
        from client.training_words import hint_words

        return hint_words(self._hint, self.play.hints)

    def _moved(self, now_s: float) -> None:
        game = self.play.game
        if game.banner or game.solo.game.stuck:
            self._held_s = now_s + RESULT_S
        if self._syncing is None or not self._syncing.is_alive():
            self._syncing = threading.Timer(SYNC_S, self.play.sync)
            self._syncing.daemon = True
            self._syncing.start()

    def _drawn(self, columns: int, rows: int) -> tuple[Canvas, Slide | Fresh | None]:
        self._notices += [told_words(told) for told in self.play.told]
        self.play.told.clear()
        now_ms = _now_ms()
        view = self.play.game.view(now_ms)
        rivals = self._rivals(view)
        layout = plan(columns, rows, view.choice.size, 2 + len(rivals) if rivals else 2)
        moving = self._slides.look(view.board, time.monotonic())
        picture = SoloPicture(
            view=view,
            best=self.play.best(),
            notices=tuple(self._notices),
            rivals=rivals,
            verdict=self._verdict(view) if rivals else "",
            hint=self._hint_words(),
            hints=self.play.hints,
            offered=self.play.offered is not None,
        )
        return paint_solo(picture, layout, self._look.palette, self._ui, moving), moving

    def _rivals(self, view: SoloView) -> tuple[SeatPicture, ...]:
        if not self._ghosts or not self.play.is_on_wanted_deck:
            return ()
        from client.ghost import race_ms

        return tuple(ghost.picture(seat, race_ms(view)) for seat, ghost in enumerate(self._ghosts, 1))

    def _verdict(self, view: SoloView) -> str:
        from client.ghost_words import verdict_words

        return verdict_words(view, self._ghosts)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
