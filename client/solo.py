"""A game alone while it is played: what can be done, on which clock, and what there is to see (rules 2).

A pure state machine beside engine/solo.py, which has the rules: here are the clock, which stands until the first move
and again after every time the program was left, and the bytes that each act adds to the save. Knows no files and no
screen; the time is handed in. Read on in solo_play.py, which keeps the save, and tui/solo_screen.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board import Board, Direction, largest_exponent
from engine.solo import USUAL_TARGETS, Act, Made, Solo, SoloKind, act_of
from protocol.solo import Opening, Origin, encode_act

TIME_MS_MAX = (1 << 32) - 1  # a record has no later time


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants to play; an endless game has the target 0."""

    size: int = 4
    kind: SoloKind = SoloKind.CLASSIC
    target_exponent: int = USUAL_TARGETS[4]


def choice_of(opening: Opening) -> Choice:
    """Returns what a game is about."""
    return Choice(opening.size, opening.kind, opening.target_exponent)


def usual_choice(size: int, kind: SoloKind) -> Choice:
    """Returns a game of this size and kind with its usual target (rules 2.2)."""
    return Choice(size, kind, USUAL_TARGETS[size] if kind is SoloKind.CLASSIC else 0)


def targets_of(size: int) -> range:
    """Returns the exponents of the targets that a game of this size can have."""
    return range(3, largest_exponent(size) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloView:
    """Everything a screen needs of a game. `banner`: the target is made, and the player has not yet gone on."""

    choice: Choice
    origin: Origin
    text: str
    name: str
    board: Board
    score: int
    max_exponent: int
    moves: int
    undos: int
    undos_left: int
    may_undo: bool
    t_ms: int
    running: bool  # the clock
    stuck: bool
    deck_used_up: bool
    made: Made | None
    banner: bool


class SoloGame:
    """A game as it is played. `do` and `push` return what is to be added to the save, nothing if nothing was done.

    `acts`: how many have been done in it.
    """

    def __init__(self, opening: Opening, solo: Solo | None = None, acts: int = 0) -> None:
        self.opening = opening
        self.acts = acts
        self.solo = opening.start() if solo is None else solo
        self._since_ms: int | None = None  # when the clock was at the time of the last act; None: it stands

    @property
    def is_unfinished(self) -> bool:
        """Whether giving it up loses something: it has begun, and can go on."""
        return self.solo.game.moves > 0 and not self.solo.game.stuck and not self.solo.ended

    @property
    def banner(self) -> bool:
        """Whether the player is to be told that the target is made (once a game, rules 2.1)."""
        return self.solo.made is not None and not self.solo.went_on

    def t_ms(self, now_ms: int) -> int:
        """Returns the time on the game's clock."""
        passed_ms = 0 if self._since_ms is None else max(now_ms - self._since_ms, 0)
        return min(self.solo.t_ms + passed_ms, TIME_MS_MAX)

    def wait_ms(self, now_ms: int) -> int | None:
        """Returns in how many milliseconds the clock shows another second; None: it stands."""
        return None if self._since_ms is None else 1_000 - self.t_ms(now_ms) % 1_000

    def push(self, direction: Direction, now_ms: int) -> bytes:
        """Makes a move. A game whose target is made and that was not answered goes on with it."""
        went_on = self.do(Act.WENT_ON, now_ms) if self.banner and self._moves(direction) else b""
        return went_on + self.do(act_of(direction), now_ms)

    def do(self, act: Act, now_ms: int) -> bytes:
        """Does something, if it can be done now."""
        before_ms, t_ms = self.solo.t_ms, self.t_ms(now_ms)
        if not self.solo.apply(act, t_ms):
            return b""
        self.acts += 1
        stands = act in (Act.LEFT_OFF, Act.ENDED) or self.solo.game.stuck
        if stands:
            self._since_ms = None
        elif act <= Act.LEFT or self._since_ms is not None:
            self._since_ms = now_ms
        return encode_act(act, t_ms, before_ms)

    def view(self, now_ms: int) -> SoloView:
        """Returns the picture of this moment."""
        solo, opening = self.solo, self.opening
        game = solo.game
        return SoloView(
            choice=choice_of(opening),
            origin=opening.origin,
            text=opening.text,
            name=opening.name,
            board=game.board,
            score=game.score,
            max_exponent=game.max_exponent,
            moves=game.moves,
            undos=solo.undos,
            undos_left=solo.undos_left,
            may_undo=solo.undo_depth > 0,
            t_ms=self.t_ms(now_ms),
            running=self._since_ms is not None,
            stuck=game.stuck,
            deck_used_up=game.deck_used_up,
            made=solo.made,
            banner=self.banner,
        )

    def _moves(self, direction: Direction) -> bool:
        return self.solo.game.board.slide(direction) is not None
