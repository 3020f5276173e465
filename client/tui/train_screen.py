"""A training game on a terminal: train_keys.press says what keys mean, train_paint draws, training.py has the game.

Shown by first_frame.py, as solo_screen.py is. Knows a clock; asks it in one place. The solver thinks in the turns of
the loop that no key waits for, a slice each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from client.training import Training
from protocol.solo import Opening

from .canvas import Canvas
from .look import Look
from .palette import Depth
from .sliding import FRAME_S, Slide, Slides
from .thinking import think_for_a_turn
from .train_keys import Do, TrainUi, press
from .train_paint import paint_train, plan_train

if TYPE_CHECKING:
    from .sliding import Fresh
    from .terminal import Frame

RESULT_S = 0.5  # a key pressed so soon after a game has ended was meant for the board


class TrainScreen:
    """The screen of a training game. `another` gives the opening of a new game; `leave` ends the screen."""

    def __init__(self, another: Callable[[], Opening], look: Look, *, computer: bool = False) -> None:
        self.training = Training(another(), _now_ms(), computer=computer)
        self._another = another
        self._look = look
        self._slides = Slides(look)
        self._ui = TrainUi(mouse=look.mouse)
        self._held_s = 0.0  # until when keys do nothing that cannot be undone
        self._keyed = False  # a key waits for its picture
        self.leave: Callable[[], None] = lambda: None

    @property
    def depth(self) -> Depth:
        """How many colours are drawn with."""
        return self._look.palette.depth

    def prepare(self) -> None:
        """Does what could wait until the first picture was there."""
        from client import training_words  # noqa: F401 - so that no key waits for it

    def picture(self, columns: int, rows: int) -> Canvas:
        """Returns the screen as it is now."""
        return self._drawn(columns, rows)[0]

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the picture for a terminal; thinks a little before, if no key waits for it."""
        from .terminal import Frame

        keyed, self._keyed = self._keyed, False
        thinks = keyed or think_for_a_turn(self.training.think)
        if self.training.play(_now_ms()):
            self._moved()
            thinks = True
        canvas, moving = self._drawn(columns, rows)
        waits_s = [0.0] if thinks else []
        due_ms = self.training.due_ms
        if due_ms is not None:
            waits_s.append(max(due_ms - _now_ms(), 0) / 1_000)
        if isinstance(moving, Slide):
            waits_s.append(FRAME_S)
        over = self._ui.menu is not None or self._ui.review is not None or self._ui.help
        return Frame(canvas, min(waits_s, default=None), self._ui.mouse and not over)

    def press(self, key: str) -> None:
        """Does what a key does; Shift makes no difference here."""
        now_ms = _now_ms()
        self._keyed = True
        fresh = time.monotonic() < self._held_s
        step = press(self.training.view(now_ms), self._ui, key.removeprefix("shift-"), fresh=fresh)
        self._ui = step.ui
        if step.move is not None and self.training.push(step.move, now_ms):
            self._moved()
        if step.practise is not None:
            self.training.practise(step.practise, now_ms)
        if step.do is not None:
            self._do(step.do, now_ms)
        if step.left:
            self.leave()

    def _do(self, do: Do, now_ms: int) -> None:
        training = self.training
        match do:
            case Do.AGAIN:
                training.begin(self._another(), now_ms, computer=training.computer)
            case Do.UNDO:
                training.undo(now_ms)
            case Do.HINT:
                training.ask()
            case Do.COMPUTER:
                training.hand_over(now_ms)
            case Do.PAUSE:
                training.pause(now_ms)
            case Do.STEP:
                training.step()
            case Do.FASTER | Do.SLOWER:
                training.hurry(1 if do is Do.FASTER else -1)
            case _:
                raise AssertionError(f"{do} is the screen's own")

    def _moved(self) -> None:
        if self.training.game.solo.game.stuck:
            self._held_s = time.monotonic() + RESULT_S

    def _drawn(self, columns: int, rows: int) -> tuple[Canvas, Slide | Fresh | None]:
        view = self.training.view(_now_ms())
        layout = plan_train(columns, rows, view.game.choice.size)
        moving = self._slides.look(view.game.board, time.monotonic())
        return paint_train(view, layout, self._look.palette, self._ui, moving), moving


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
