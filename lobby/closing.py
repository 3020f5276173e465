"""From an outcome to the record: what is told at the end, which seals are awaited, and the lobby's signed Result.

Rules 5.3 and deal.md §5.2, 5.5. When this happens is table.py's business; the layout of the record is record.py's.
"""

from __future__ import annotations

from engine.board import Board, Direction
from engine.deck import DealtDeck
from engine.game import Game
from engine.race import Outcome, Race, SeatState, standing
from lobby.racing import RaceRun
from lobby.track import Track
from protocol.messages import Ended
from protocol.record import SeatLog, SeatResult, build_record
from protocol.signing import Signer


class Closing:
    """A race that is decided: the seats as they stood at the outcome."""

    def __init__(self, run: RaceRun, outcome: Outcome, race: Race) -> None:
        self.outcome = outcome
        self._run = run
        self._race = race
        self.ended = self._ended()
        self.patient = False  # the lobby was restarted: who is not there may be on the way back

    @property
    def race_number(self) -> int:
        """The number of the race at its table."""
        return self._run.opened.deal.race_number

    def awaited(self) -> list[Track]:
        """Returns the tracks whose closing seal could still come: unsealed moves, and somebody there to seal them."""
        unsealed = [track for track in self._run.tracks if track.unsealed_moves]
        return [track for track in unsealed if self.patient or track.seat.connection is not None]

    def record(self, signer: Signer) -> bytes:
        """Returns the complete record, signed."""
        run = self._run
        logs = [
            SeatLog(bytes(track.log.directions), tuple(track.log.times), tuple(track.corrections), track.seal)
            for track in run.tracks
        ]
        return build_record(
            deal=run.opened.deal_signed,
            seats=run.opened.seats_signed,
            start=run.opened.start_signed,
            logs=logs,
            gaps=run.gaps,
            events=run.recorded(),
            last_link=run.opened.chain.link(run.opened.deal.chain_length),
            outcome=self.outcome,
            results=self._results(),
            signer=signer,
        )

    def _results(self) -> list[SeatResult]:
        ended = self.ended
        return [
            SeatResult(
                SeatState(ended.states[track.number]),
                ended.scores[track.number],
                ended.max_exponents[track.number],
                ended.moves[track.number],
                track.unsealed_moves,
            )
            for track in self._run.tracks
        ]

    def _ended(self) -> Ended:
        seats = self._race.seats
        boards = [self._board(track, seats[track.number].moves) for track in self._run.tracks]
        return Ended(
            termination=self.outcome.termination,
            winners=self.outcome.winners,
            t_ms=self.outcome.t_ms,
            standing=standing(seats, self.outcome.winners),
            states=tuple(seat.state for seat in seats),
            scores=tuple(seat.score for seat in seats),
            max_exponents=tuple(board.max_exponent for board in boards),
            moves=tuple(seat.moves for seat in seats),
            boards=tuple(board.cells for board in boards),
        )

    def _board(self, track: Track, moves: int) -> Board:
        """Returns the board of a seat after `moves` moves: what was played after the outcome does not count."""
        if moves == len(track.log):
            return track.game.board
        opened = self._run.opened
        game = Game(opened.deal.settings.size, DealtDeck(opened.chain, opened.deal.deck_mix(self._run.mix)))
        for direction in track.log.directions[:moves]:
            game.move(Direction(direction))
        return game.board
