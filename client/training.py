"""A training game: who plays, what every move was worth, and practice from any position (rules 2; issue 6, point 5).

A pure state machine beside solo.py, whose games it plays without keeping them: training changes no bests and leaves no
record. The time is handed in; the solver thinks in slices (`think`), so that nothing waits for it. coaching.py judges,
training_words.py says it, tui/train_screen.py and training_plain.py show it.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board import Direction
from engine.deck import seed_of_text
from engine.solo import Act, SoloKind, act_of
from protocol.limits import KEY_BYTES
from protocol.solo import Opening, Origin

from .coaching import Verdict, judged
from .hinting import Thought
from .solo import SoloGame, SoloView

PACES_MS = (4_000, 2_000, 1_000, 500, 250)  # of the computer, for each move
_USUAL_PACE = 1
COSTLY_MAX = 3


def training_opening(size: int, text: str, entropy: bytes) -> Opening:
    """Returns the opening of a game that is not kept: dealt from a text if there is one, else from entropy."""
    return Opening(
        size=size,
        kind=SoloKind.ENDLESS,
        target_exponent=0,
        origin=Origin.TEXT if text else Origin.CHANCE,
        deck=seed_of_text(text) if text else entropy,
        key=bytes(KEY_BYTES),
        name="",
        text=text,
        begun_ms=0,
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """A move that stands: which one of its game, its verdict, and how many acts lead to the board before it."""

    move: int
    verdict: Verdict
    acts: int


@dataclass(slots=True)
class _Made:
    """A move that has been made; `judged` once the solver has come to it, and then `thought` is let go: it is large."""

    move: int
    direction: Direction
    thought: Thought | None
    think_ms: int
    acts: int
    by_computer: bool
    judged: Judged | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingView:
    """Everything a screen needs. `hint`: the thought about this board that was asked for, done or not.

    `last`: the verdict on the last move, None while the solver is at it; `by_computer`: whose move that was.
    `practice`: from before which move this is practice, 0 for a game from its start.
    """

    game: SoloView
    computer: bool
    running: bool
    pace_ms: int
    hint: Thought | None
    hints: int
    last: Judged | None
    by_computer: bool
    judging: bool
    costliest: tuple[Judged, ...]
    practice: int


class Training:
    """A training game; its attributes are to be read."""

    def __init__(self, opening: Opening, now_ms: int, *, computer: bool = False) -> None:
        self._pace = _USUAL_PACE
        self.begin(opening, now_ms, computer=computer)

    def begin(self, opening: Opening, now_ms: int, *, computer: bool = False) -> None:
        """Begins a new game."""
        self.opening = opening
        self.computer = computer
        self.running = computer
        self.practice = 0
        self.hints = 0
        self._main: tuple[Judged, ...] = ()  # the costliest moves of the game that practice has begun from
        self._main_acts: tuple[Act, ...] = ()
        self._start((), now_ms)

    def _start(self, acts: tuple[Act, ...], now_ms: int) -> None:
        self.game = SoloGame(self.opening)
        for act in acts:
            self.game.do(act, now_ms)
        self._acts = list(acts)
        self._line: list[_Made] = []  # the moves that stand
        self._unjudged: list[_Made] = []
        self._came(now_ms)

    def _came(self, now_ms: int) -> None:
        """There is another board."""
        self._steps = False
        self.hint: Thought | None = None
        self._since_ms = now_ms
        self.thought = Thought(self.game.solo.game.board)

    # ── what is done ─────────────────────────────────────────────────────────────────────────────────────────────

    def push(self, direction: Direction, now_ms: int) -> bool:
        """Makes the player's move; returns whether it was one. It is the computer's that waits while that plays."""
        return not self.computer and self._push(direction, now_ms)

    def _push(self, direction: Direction, now_ms: int) -> bool:
        before = len(self._acts)
        if not self.game.push(direction, now_ms):
            return False
        think_ms = max(now_ms - self._since_ms, 0)
        made = _Made(self.game.solo.game.moves, direction, self.thought, think_ms, before, self.computer)
        self._acts.append(act_of(direction))
        self._line.append(made)
        self._unjudged.append(made)
        self._came(now_ms)
        return True

    def undo(self, now_ms: int) -> bool:
        """Takes a move back, with what was said of it; returns whether there was one."""
        if not self.game.do(Act.UNDO, now_ms):
            return False
        self._acts.append(Act.UNDO)
        if self._line:
            taken_back = self._line.pop()
            if taken_back in self._unjudged:
                self._unjudged.remove(taken_back)
        self._came(now_ms)
        return True

    def ask(self) -> None:
        """The player wants a hint for this board."""
        if self.hint is None and not self.computer and not self.game.solo.game.stuck:
            self.hint = self.thought
            self.hints += 1

    def practise(self, judged: Judged, now_ms: int) -> None:
        """Plays on from before this move, on the same deck; the game that it is from stays as it was."""
        if not self.practice:
            self._main, self._main_acts = self.costliest, tuple(self._acts)
        self.practice = judged.move
        self.computer = self.running = False
        self._start(self._main_acts[: judged.acts], now_ms)

    def hand_over(self, now_ms: int) -> None:
        """The computer plays on, or the player does."""
        self.computer = not self.computer
        self.running = self.computer
        self.hint = None
        self._steps = False
        self._since_ms = now_ms

    def pause(self, now_ms: int) -> None:
        """The computer stops playing, or goes on."""
        self.running = self.computer and not self.running
        self._since_ms = now_ms

    def hurry(self, step: int) -> None:
        """Makes the computer play faster, or slower."""
        self._pace = min(max(self._pace + step, 0), len(PACES_MS) - 1)

    def step(self) -> None:
        """Lets the computer make one move as soon as it is found, whether it is due or not."""
        self._steps = self.computer

    # ── the loop ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def due_ms(self) -> int | None:
        """When the computer is to make its move; None if it is not to."""
        if not self.running or self.game.solo.game.stuck:
            return None
        return self._since_ms + PACES_MS[self._pace]

    def think(self) -> bool:
        """Thinks for a moment; returns whether something is left.

        A hint comes first, then the moves that were made, the last one before those that are not seen any more, then
        this board.
        """
        if self.hint is not None and not self.hint.done:
            self.hint.go_on()
            return True
        if self._unjudged:
            self._judge(self._unjudged[-1])
            return True
        return not self.thought.go_on()

    def _judge(self, made: _Made) -> None:
        thought = made.thought
        assert thought is not None, "it is not judged"
        if thought.go_on():
            self._unjudged.pop()
            think_ms = None if made.by_computer else made.think_ms
            made.judged = Judged(made.move, judged(thought.board, made.direction, thought.search, think_ms), made.acts)
            made.thought = None

    def play(self, now_ms: int) -> bool:
        """Lets the computer make its move if it is due and found; returns whether it did."""
        due_ms = self.due_ms
        is_due = self._steps or (due_ms is not None and now_ms >= due_ms)
        move = self.thought.move
        return self.computer and is_due and move is not None and self._push(move, now_ms)

    @property
    def costliest(self) -> tuple[Judged, ...]:
        """The player's moves that were clearly worse, the worst first; in practice those of the game it is from."""
        if self.practice:
            return self._main
        mine = [made.judged for made in self._line if made.judged is not None and not made.by_computer]
        clear = [each for each in mine if each.verdict.clear]
        return tuple(sorted(clear, key=lambda each: (-each.verdict.cells, each.move))[:COSTLY_MAX])

    def view(self, now_ms: int) -> TrainingView:
        """Returns the picture of this moment."""
        last = self._line[-1] if self._line else None
        return TrainingView(
            game=self.game.view(now_ms),
            computer=self.computer,
            running=self.running,
            pace_ms=PACES_MS[self._pace],
            hint=self.hint,
            hints=self.hints,
            last=None if last is None else last.judged,
            by_computer=last is not None and last.by_computer,
            judging=bool(self._unjudged),
            costliest=self.costliest,
            practice=self.practice,
        )
