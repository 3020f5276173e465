"""A game alone in lines, for screen readers and scripts (ux.md 2.7): a word is typed, what came of it is printed.

An adapter of its own small clock. What the words do is solo_play.py's business.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TextIO

from client.ghost import Ghost, race_ms
from client.ghost_words import verdict_words
from client.language import clock, number, printable, say
from client.solo_play import SoloPlay
from client.solo_words import about_words, end_words, game_words, made_words, told_words
from engine.board import Board, Direction
from engine.solo import Act
from protocol.solo import Origin

_MOVES = {
    "up": Direction.UP, "u": Direction.UP, "right": Direction.RIGHT, "r": Direction.RIGHT,
    "down": Direction.DOWN, "d": Direction.DOWN, "left": Direction.LEFT, "l": Direction.LEFT,
}  # fmt: skip
_QUIT = frozenset({"quit", "q", "leave", "exit"})


class SoloPlain:
    """A game alone whose words come from lines."""

    def __init__(self, play: SoloPlay, ghosts: Sequence[Ghost], out: TextIO) -> None:
        self._play = play
        self._ghosts = ghosts
        self._out = out
        self._asking = play.offered
        self._told_made = play.game.solo.made is not None
        self._verdict = ""

    def run(self, lines: Iterable[str]) -> int:
        """Plays until a word or the end of the lines says that it is enough; returns 0."""
        self._play.prepare()
        self._begin()
        for line in lines:
            word = line.strip().lower()
            if word in _QUIT:
                break
            if word:
                self._take(word)
        return 0

    def _begin(self) -> None:
        view = self._play.game.view(_now_ms())
        self._say(say("{game}.", game=game_words(view.choice, view.origin, printable(view.text))))
        self._tell()
        if self._asking is not None:
            self._ask()
        self._show()
        self._say(say("Words: up, down, left, right, undo, hint, board, new, quit."))

    def _take(self, word: str) -> None:
        if self._asking is not None:
            choice, self._asking = self._asking, None
            if word in ("y", "yes"):
                self._play.begin(choice, _now_ms())
                self._told_made = False
                self._begin()
                return
            self._play.go_on()
            if word in ("n", "no"):
                return
        if word in _MOVES:
            self._move(_MOVES[word])
        elif word == "undo":
            self._undo()
        elif word == "hint":
            self._hint()
        elif word == "board":
            self._show()
        elif word == "new":
            self._new()
        else:
            self._say(say("Words: up, down, left, right, undo, hint, board, new, quit."))

    def _move(self, direction: Direction) -> None:
        before = self._play.game.solo.game.score
        if not self._play.push(direction, _now_ms()):
            view = self._play.game.view(_now_ms())
            self._say(end_words(view) if view.stuck else say("Nothing moves that way."))
            return
        self._show(self._play.game.solo.game.score - before)
        view = self._play.game.view(_now_ms())
        if view.made is not None and not self._told_made:
            self._told_made = True
            self._say(say("You have made {made}. Play on, or say new.", made=made_words(view.choice, view.made)))
        if view.stuck:
            self._say(end_words(view))
        self._tell()

    def _undo(self) -> None:
        if self._play.do(Act.UNDO, _now_ms()):
            self._show()
        elif self._play.game.solo.undo_depth:
            self._say(say("There is nothing to take back."))
        else:
            self._say(say("There is no undo in a race."))

    def _hint(self) -> None:
        from client.hinting import Thought
        from client.training_words import hint_words

        game = self._play.game
        if game.opening.origin is Origin.GHOST:
            self._say(say("There is no hint in a race."))
        elif game.solo.game.stuck:
            self._say(end_words(game.view(_now_ms())))
        else:
            thought = Thought(game.solo.game.board)
            while not thought.go_on():
                pass
            self._play.take_hint()
            self._say(hint_words(thought, self._play.hints))

    def _new(self) -> None:
        view = self._play.game.view(_now_ms())
        self._asking = view.choice
        if self._play.game.is_unfinished:
            self._ask()
        else:
            self._take("yes")

    def _ask(self) -> None:
        assert self._asking is not None, "there is a question"
        game = self._play.game.view(_now_ms())
        self._say(say("There is an unfinished game: {game}, {score} points. Give it up for {other}? Say yes or no.",
                      game=about_words(game.choice), score=number(game.score),
                      other=about_words(self._asking)))  # fmt: skip

    def _show(self, points: int = 0) -> None:
        view = self._play.game.view(_now_ms())
        for row in board_rows(view.board):
            self._say(row)
        told = say("{score} points, move {move}, {time}",
                   score=number(view.score), move=number(view.moves), time=clock(view.t_ms))  # fmt: skip
        self._say(say("+{points}: {told}.", points=number(points), told=told) if points else say("{told}.", told=told))

    def _tell(self) -> None:
        for told in self._play.told:
            self._say(told_words(told))
        self._play.told.clear()
        if self._ghosts and self._play.is_on_wanted_deck:
            view = self._play.game.view(_now_ms())
            for seat, ghost in enumerate(self._ghosts, 1):
                rival = ghost.picture(seat, race_ms(view))
                self._say(say("{name} {score}", name=rival.name, score=number(rival.score)))
            verdict = verdict_words(view, self._ghosts)
            if verdict and verdict != self._verdict:
                self._say(verdict)
            self._verdict = verdict

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


def board_rows(board: Board) -> list[str]:
    """Returns the rows of a board, a dot for an empty cell."""
    return ["  ".join(str(face or ".") for face in row) for row in board.faces()]


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
