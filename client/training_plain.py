"""A training game in lines, for screen readers and scripts (ux.md 2.7): a word is typed, what is to be said is printed.

An adapter of its own small clock. Here the solver is waited for: nothing else goes on meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TextIO

from client.language import number, say
from client.milestones import pace_of
from client.solo_plain import board_rows
from client.solo_words import end_words
from client.training import Training, TrainingView
from client.training_words import costly_words, hint_words, pace_words, verdict_words
from engine.board import Direction
from protocol.solo import Opening

_MOVES = {
    "up": Direction.UP, "u": Direction.UP, "right": Direction.RIGHT, "r": Direction.RIGHT,
    "down": Direction.DOWN, "d": Direction.DOWN, "left": Direction.LEFT, "l": Direction.LEFT,
}  # fmt: skip
_QUIT = frozenset({"quit", "q", "leave", "exit"})
_NEXT_MAX = 10_000
_PACE_MOVES = 25  # the pace is told about so often


class TrainingPlain:
    """A training game whose words come from lines. With `computer` an empty line is its next move."""

    def __init__(self, another: Callable[[], Opening], out: TextIO, *, computer: bool = False) -> None:
        self._another = another
        self._out = out
        self._computer = computer
        self._training = Training(another(), _now_ms())

    def run(self, lines: Iterable[str]) -> int:
        """Plays until a word or the end of the lines says that it is enough; returns 0."""
        self._begin()
        for line in lines:
            words = line.split()
            if words and words[0].lower() in _QUIT:
                break
            self._take([word.lower() for word in words])
        return 0

    def _begin(self) -> None:
        if self._computer:
            self._say(say("The computer plays and says why. Training changes no bests."))
        else:
            self._say(say("You play, and are told when a move was clearly worse. Training changes no bests."))
        self._show()
        self._help()

    def _help(self) -> None:
        self._say(say("Words: up, down, left, right, undo, hint, next or next 10 (moves of the computer), review, "
                      "practise 1, board, new, quit."))  # fmt: skip
        if self._computer:
            self._say(say("An empty line is the computer's next move."))

    def _take(self, words: list[str]) -> None:
        match words:
            case []:
                if self._computer:
                    self._next(1)
            case [word] if word in _MOVES:
                self._move(_MOVES[word])
            case ["next"]:
                self._next(1)
            case ["next", count] if count.isdecimal() and len(count) <= len(str(_NEXT_MAX)):
                self._next(min(int(count), _NEXT_MAX))
            case ["practise" | "practice", place] if place.isdecimal() and len(place) == 1:
                self._practise(int(place))
            case [word] if word in self._others():
                self._others()[word]()
            case _:
                self._help()

    def _others(self) -> dict[str, Callable[[], None]]:
        return {"undo": self._undo, "hint": self._hint, "review": self._review, "board": self._show, "new": self._new}

    def _move(self, direction: Direction) -> None:
        if not self._training.push(direction, _now_ms()):
            self._say(self._end_or(say("Nothing moves that way.")))
            return
        self._show()
        self._coach()

    def _next(self, count: int) -> None:
        training = self._training
        if training.game.solo.game.stuck:
            self._say(self._end_or(""))
            return
        training.hand_over(_now_ms())
        for _ in range(count):
            training.step()
            while not training.play(_now_ms()):
                training.think()
            self._coach()
            if training.view(0).game.stuck:
                break
        training.hand_over(_now_ms())
        self._show()

    def _coach(self) -> None:
        """Says what there is to say of the last move."""
        view = self._judged()
        if view.last is not None:
            for text in verdict_words(view.last.verdict, by_computer=view.by_computer):
                self._say(text)
        game = view.game
        pace = pace_of(game.choice.size, game.max_exponent, game.moves, game.score)
        if pace is not None and game.moves % _PACE_MOVES == 0:
            self._say(say("{told}.", told=pace_words(pace, computer=view.by_computer)))
        if game.stuck:
            self._say(end_words(game))
            self._review()

    def _judged(self) -> TrainingView:
        training = self._training
        while training.view(0).judging:
            training.think()
        return training.view(_now_ms())

    def _undo(self) -> None:
        if self._training.undo(_now_ms()):
            self._show()
        else:
            self._say(say("There is nothing to take back."))

    def _hint(self) -> None:
        self._training.ask()
        thought = self._training.hint
        if thought is None:
            self._say(self._end_or(""))
            return
        while not thought.go_on():
            pass
        self._say(hint_words(thought, self._training.hints))

    def _review(self) -> None:
        costliest = self._judged().costliest
        if not costliest:
            self._say(say("No move of yours was clearly worse."))
            return
        self._say(say("Your costliest moves; practise and a number plays on from there:"))
        for place, each in enumerate(costliest, 1):
            self._say(say("{number}. {entry}", number=place, entry=costly_words(each)))

    def _practise(self, place: int) -> None:
        costliest = self._judged().costliest
        if not 0 < place <= len(costliest):
            self._review()
            return
        self._training.practise(costliest[place - 1], _now_ms())
        self._say(say("Practice from move {move}.", move=number(costliest[place - 1].move)))
        self._show()

    def _new(self) -> None:
        self._training.begin(self._another(), _now_ms())
        self._begin()

    def _end_or(self, otherwise: str) -> str:
        view = self._training.view(_now_ms())
        return end_words(view.game) if view.game.stuck else otherwise

    def _show(self) -> None:
        view = self._training.view(_now_ms()).game
        for row in board_rows(view.board):
            self._say(row)
        self._say(say("{score} points, move {move}.", score=number(view.score), move=number(view.moves)))

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
