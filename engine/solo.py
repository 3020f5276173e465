"""One player's game alone: target, undo, and what of it may count as a best (rules 2).

Owns when the target is made, how far back an undo goes, and which figures a game has reached. Whatever is done in a
game is an `Act` with its time on the game's own clock, which is handed in. Refuses to know files, keys and other games'
bests. Stands on game.py.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from .board import Direction, largest_exponent
from .deck import Deck
from .game import Game

UNDO_DEPTH: Final = 5  # rules 2.4
TARGET_EXPONENT_MIN: Final = 3  # rules 2.2
USUAL_TARGETS: Final[Mapping[int, int]] = {3: 8, 4: 11, 5: 12, 6: 12, 8: 13}  # exponents (rules 2.2)


class SoloKind(IntEnum):
    """What a game alone is about (rules 2.1)."""

    CLASSIC = 1
    ENDLESS = 2


class Act(IntEnum):
    """What can be done in a game. The first four are moves: a direction and 1."""

    UP = 1
    RIGHT = 2
    DOWN = 3
    LEFT = 4
    UNDO = 5
    LEFT_OFF = 6  # the program was left: the clock stands until the next move
    WENT_ON = 7  # the player has seen that the target is made, and plays for more
    ENDED = 8  # by its player: nothing may follow


def act_of(direction: Direction) -> Act:
    """Returns the act that a move in this direction is."""
    return Act(direction + 1)


def target_fault(size: int, kind: SoloKind, exponent: int) -> bool:
    """Returns whether a game of this kind cannot have this target; an endless one has none, 0 (rules 2.2)."""
    if kind is SoloKind.ENDLESS:
        return exponent != 0
    return not TARGET_EXPONENT_MIN <= exponent <= largest_exponent(size)


@dataclass(frozen=True, slots=True)
class Made:
    """When the target was made for the first time, after how many moves and undos."""

    t_ms: int
    moves: int
    undos: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest score and the exponent of the largest tile that a game has reached, undone or not."""

    score: int = 0
    max_exponent: int = 0


class Solo:
    """A game alone. Its attributes are to be read; `apply` alone changes them.

    `target_exponent` is 0 in an endless game; with `undo_depth` 0 nothing can be taken back. `peak` is over the whole
    game, `clean_peak` over what was played before the first undo.
    """

    __slots__ = (
        "_before",
        "clean_peak",
        "ended",
        "game",
        "made",
        "peak",
        "t_ms",
        "target_exponent",
        "undo_depth",
        "undos",
        "went_on",
    )

    def __init__(self, size: int, deck: Deck, target_exponent: int = 0, undo_depth: int = UNDO_DEPTH) -> None:
        self.game = Game(size, deck)
        self.target_exponent = target_exponent
        self.undo_depth = undo_depth
        self.undos = 0
        self.t_ms = 0  # of the last act
        self.made: Made | None = None
        self.went_on = False
        self.ended = False
        self.peak = self.clean_peak = Peak(0, self.game.max_exponent)
        self._before: deque[Game] = deque(maxlen=undo_depth)

    @property
    def undos_left(self) -> int:
        """How many moves can be taken back now."""
        return len(self._before)

    def apply(self, act: Act, t_ms: int) -> bool:
        """Does something at a time; returns False, and nothing has changed, if it cannot be done now."""
        if self.ended or t_ms < self.t_ms or not self._done(act, t_ms):
            return False
        self.t_ms = t_ms
        return True

    def _done(self, act: Act, t_ms: int) -> bool:
        if act <= Act.LEFT:
            return self._move(Direction(act - 1), t_ms)
        if act is Act.UNDO:
            return self._undo()
        if act is Act.WENT_ON:
            if self.made is None or self.went_on:
                return False
            self.went_on = True
        self.ended = act is Act.ENDED
        return True

    def _move(self, direction: Direction, t_ms: int) -> bool:
        before = self.game.copy()
        if self.game.move(direction) is None:
            return False
        self._before.append(before)
        game = self.game
        self.peak = _higher(self.peak, game)
        if not self.undos:
            self.clean_peak = self.peak
        if self.made is None and 0 < self.target_exponent <= game.max_exponent:
            self.made = Made(t_ms, game.moves, self.undos)
        return True

    def _undo(self) -> bool:
        if not self._before:
            return False
        self.game = self._before.pop()  # its draw number is its moves' (rules 2.4)
        self.undos += 1
        return True


def _higher(peak: Peak, game: Game) -> Peak:
    if game.score <= peak.score and game.max_exponent <= peak.max_exponent:
        return peak
    return Peak(max(peak.score, game.score), max(peak.max_exponent, game.max_exponent))
