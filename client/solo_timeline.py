"""The record of a game alone as a course of time, for the same replay as a race's (timeline.py, story.py).

An undo is a step of its own: the board goes back, and so do score and moves. So "move 120" of a replay is the 120th
step. Judges nothing; of a false record it shows what can be played.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection

from client.course import Player
from client.happenings import TOLD_EXPONENT_MIN, Happened, Happening, Lead
from client.view import Line, SeatPicture, SessionView
from engine.board import Board
from engine.race import Kind, SeatState
from engine.solo import Act, SoloKind
from protocol.messages import Phase, TableSettings
from protocol.solo import Opening, SoloRecord
from protocol.text import SafeText

STEPS = frozenset({Act.UP, Act.RIGHT, Act.DOWN, Act.LEFT, Act.UNDO})


def settings_of(opening: Opening) -> TableSettings:
    """Returns what is played, as a table for one (words.settings_words says it so)."""
    kind = Kind.TARGET if opening.kind is SoloKind.CLASSIC else Kind.ENDLESS
    return TableSettings(seats=1, size=opening.size, kind=kind, target_exponent=opening.target_exponent, idle_ms=0)


class SoloTimeline:
    """A whole game alone, step by step; step 0 is the start. `solo` is the game at its end."""

    def __init__(self, record: SoloRecord, mine: Collection[bytes] = ()) -> None:
        opening = record.opening
        self.opening = opening
        self.settings = settings_of(opening)
        name = SafeText.shown(opening.name) or SafeText("player")
        self.players = (Player(0, name, opening.key, computer=False, you=opening.key in mine),)
        self.leads = (Lead(0, None),)
        self.solo = opening.start()
        game = self.solo.game
        self.acts = bytearray()  # of the steps
        self.times = array("Q")
        self.scores, self.exponents, self.moves = [0], [game.max_exponent], [0]
        self._boards = [game.board.cells]
        self._undos = [0]
        self._told = TOLD_EXPONENT_MIN - 1  # the largest tile that was told
        happenings: list[Happening] = []
        for code, t_ms in zip(record.acts, record.times, strict=True):
            if not self.solo.apply(Act(code), t_ms):
                break
            if code in STEPS:
                self._step(Act(code), t_ms, happenings)
        self.end_ms = self.solo.t_ms
        self.happenings = (*happenings, Happening(self.end_ms, Happened.ENDED))
        self._beats = sorted({0, self.end_ms, *self.times})

    def _step(self, act: Act, t_ms: int, happenings: list[Happening]) -> None:
        game = self.solo.game
        self.acts.append(act)
        self.times.append(t_ms)
        self.scores.append(game.score)
        self.exponents.append(game.max_exponent)
        self.moves.append(game.moves)
        self._boards.append(game.board.cells)
        self._undos.append(self.solo.undos)
        if act is Act.UNDO:
            happenings.append(Happening(t_ms, Happened.UNDONE, 0, game.moves))
        elif game.max_exponent > self._told:
            self._told = game.max_exponent
            happenings.append(Happening(t_ms, Happened.MADE, 0, game.moves, game.max_exponent))
        if game.stuck:
            happenings.append(Happening(t_ms, Happened.STUCK, 0, game.moves))

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.times)

    def board_after(self, step: int) -> Board:
        """Returns the board after so many steps."""
        return Board.of_cells(self.opening.size, self._boards[step])

    def moves_at(self, seat: int, t_ms: int) -> int:  # noqa: ARG002 - there is one
        """Returns how many steps were made up to this moment."""
        return bisect_right(self.times, t_ms)

    def counted(self, seat: int) -> int:  # noqa: ARG002
        """Returns how many steps there are."""
        return self.steps

    def time_of(self, seat: int, move: int) -> int:  # noqa: ARG002
        """Returns when a step was made, counted from 1; 0 for the start."""
        return self.times[move - 1] if move else 0

    def time_before(self, seat: int, t_ms: int) -> int:
        """Returns when the last step before this moment was made, 0 if there was none."""
        return self.time_of(seat, bisect_left(self.times, t_ms))

    def leader_at(self, t_ms: int) -> int | None:  # noqa: ARG002
        """Returns None: nobody leads who is alone."""
        return None

    def beat_after(self, t_ms: int) -> int | None:
        """Returns the next moment at which something changes, None behind the last."""
        place = bisect_right(self._beats, t_ms)
        return self._beats[place] if place < len(self._beats) else None

    def told_until(self, t_ms: int) -> tuple[Happening, ...]:
        """Returns what has happened up to this moment, in order."""
        return self.happenings[: bisect_right(self.happenings, t_ms, key=lambda each: each.t_ms)]

    def at(self, t_ms: int) -> SessionView:
        """Returns the game as it stood at this moment."""
        over = t_ms >= self.end_ms
        picture = self.picture(self.moves_at(0, t_ms), over=over)
        return SessionView(
            line=Line.ONLINE,
            phase=Phase.FINISHED if over else Phase.RACING,
            settings=self.settings,
            seats=(picture,),
            may_sit=False,
            clock_ms=min(t_ms, self.end_ms),
        )

    def picture(self, step: int, *, over: bool) -> SeatPicture:
        """Returns the player after so many steps."""
        last = step == self.steps and self.solo.game.stuck
        player = self.players[0]
        return SeatPicture(
            seat=0,
            name=player.name,
            you=player.you,
            host=False,
            computer=False,
            connected=True,
            ready=True,
            state=SeatState.STUCK if last else SeatState.MOVING,
            score=self.scores[step],
            max_exponent=self.exponents[step],
            moves=self.moves[step],
            deck_used_up=last and self.solo.game.deck_used_up,
            place=1 if over else None,
            board=self.board_after(step),
        )

    def undos_after(self, step: int) -> int:
        """Returns how many of the first steps were undos."""
        return self._undos[step]
