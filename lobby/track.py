"""One seat of a running race: its game replayed from its log, judged slice by slice (deal.md §5, rules 5.2, §6).

A slice or a seal is looked at completely before anything changes, so what is refused leaves no trace. What a move
means for the race is engine/race.py's business; a `Track` turns accepted moves into `Moved` events and keeps what
the record will need: times, t*, heads and the last seal.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.board import Direction
from engine.game import Game
from engine.race import Kind, Moved
from lobby.people import Seat
from protocol.deal import Deal
from protocol.layout import LayoutError
from protocol.messages import Signed
from protocol.moment import back_ms_max, flushed_at_once, moment
from protocol.movelog import Act, MoveLog, MoveSlice, SealBody, next_head, open_seal
from protocol.pace import paced
from protocol.record import Correction
from protocol.refusals import Refusal


class TrackError(Exception):
    """A slice or seal that is refused whole; `code` says why."""

    def __init__(self, code: Refusal) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Arrival:
    """When something arrived, in ms since the start, and c at that moment (rules 5.2)."""

    at_ms: int
    claim_back_ms: int


class Track:
    """The log, game and seals of one seat in a race."""

    def __init__(self, number: int, seat: Seat, deal: Deal, mix: bytes, game: Game) -> None:
        self.number = number
        self.seat = seat
        self.game = game
        self.log = MoveLog(mix, number, seat.key)
        self.moments = array("I")  # t* of every move
        self.corrections: list[Correction] = []
        self.scores = array("I")  # after every move
        self.exponents = bytearray()  # of the largest tile after every move
        self.seals = 0
        self.sealed_moves = 0
        self.seal: Signed | None = None
        self.last_moment = 0  # t* of the seat's last event of any kind
        self.tick_seen = 0
        self.tick_sent = 0
        self.link_sent = 0
        self.closed = False  # the seat has left the race: it moves no more
        self.dropping = False  # a slice was refused: everything up to the Resync is dropped
        self.resynced_ms: int | None = None
        self.moved_ms = 0  # when the lobby last took a move, since the start (rules 4.9)
        self.lost_until_ms = 0  # on the lobby's clock: the end of the window of a lost connection; 0: connected
        self.idle_until_ms = 0  # the same for a seat that does not move (rules 4.9); 0: it does
        self.gaps_ms = 0  # how long the lobby was away since the start: links wait so much longer (rules 5.6)
        self.bell_ms = deal.settings.time_ms
        self.must_resume = False  # the next seal is the first after a reconnect (deal.md 5.2)
        self._deal = deal
        self._mix = mix
        self._full_ms = 0

    def take_slice(self, body: bytes, signed_seal: Signed | None, arrival: Arrival) -> tuple[list[Moved], Act]:
        """Takes in a slice, and the seal that came with it; returns its moves as events, and the seal's act.

        Raises TrackError, and changes nothing, if any of it is not right.
        """
        moves = self._read(body)
        if signed_seal is None and self._unsealed_ms(moves) > self._deal.windows.unsealed_ms:
            raise TrackError(Refusal.SEAL)
        game, full_ms, results = self._replay(moves, arrival)
        seal = None
        if signed_seal is not None:
            head = self.log.head
            for direction, t_ms in zip(moves.directions, moves.times, strict=True):
                head = next_head(head, direction, t_ms)
            seal = self._open(signed_seal, len(self.log) + len(moves.directions), head, moves.tick_seen)
        elif self._made_target(results):
            raise TrackError(Refusal.SEAL)
        events = self._commit(moves, game, full_ms, results, arrival)
        self._keep(seal, signed_seal)
        return events, Act.NONE if seal is None else seal.act

    def take_seal(self, signed: Signed) -> SealBody:
        """Takes in a seal on its own; raises TrackError, and changes nothing, if it does not fit the log."""
        seal = self._open(signed, len(self.log), self.log.head, self.tick_seen)
        self._keep(seal, signed)
        return seal

    def moved(self, first: int, last: int) -> Iterator[Moved]:
        """Yields the moves from number `first` (from 0) to before `last` as events in the order of the log."""
        stuck_at = len(self.log) - 1 if self.game.stuck else -1
        for place in range(first, last):
            score, exponent = self.scores[place], self.exponents[place]
            yield Moved(self.moments[place], self.number, score, place + 1, exponent, place == stuck_at)

    def stamp(self, arrival_ms: int) -> int:
        """Returns t* of an event that is not a move and arrived now (rules 5.2)."""
        self.last_moment = max(self.last_moment, arrival_ms)
        return self.last_moment

    def link_allowed(self, since_start_ms: int) -> int:
        """Returns the furthest link both gates let this seat have (deal.md 4.1)."""
        lead = self._deal.settings.lead
        by_moves = (len(self.log) + 1 + lead) // 8 + 1
        by_time = (max(0, since_start_ms - self.gaps_ms) // 25 + lead) // 8
        return min(by_moves, by_time, self._deal.chain_length)

    def link_due_ms(self) -> int | None:
        """Returns when, since the start, the next link may go out by time; None if moves hold it back."""
        number, lead = self.link_sent + 1, self._deal.settings.lead
        if number > self._deal.chain_length or 8 * (number - 1) > len(self.log) + 1 + lead:
            return None
        return max(0, 25 * (8 * number - lead)) + self.gaps_ms

    @property
    def made_target(self) -> bool:
        """Whether the seat has made the target of a target race: it is finished."""
        settings = self._deal.settings
        return settings.kind == Kind.TARGET and self.game.max_exponent >= settings.target_exponent

    @property
    def away_until_ms(self) -> int:
        """When the window of a seat that is away ends, on the lobby's clock; 0 for one that is here."""
        if self.lost_until_ms and self.idle_until_ms:
            return min(self.lost_until_ms, self.idle_until_ms)
        return self.lost_until_ms or self.idle_until_ms

    def waited_for(self, moves: int, t_ms: int) -> bool:
        """Returns whether the move after the first `moves` counts at `t_ms` though it was claimed for earlier."""
        return moves < len(self.log) and self.moments[moves] == t_ms > self.log.times[moves]

    def move_windows(self, gap_ms: int) -> None:
        """Moves everything that waits for the clock by the time the lobby was away (rules 5.6)."""
        self.gaps_ms += gap_ms
        self.moved_ms += gap_ms
        self.lost_until_ms += gap_ms if self.lost_until_ms else 0
        self.idle_until_ms += gap_ms if self.idle_until_ms else 0

    @property
    def unsealed_moves(self) -> int:
        """How many moves at the end of the log no seal vouches for."""
        return len(self.log) - self.sealed_moves

    def _read(self, body: bytes) -> MoveSlice:
        try:
            moves = MoveSlice.decode(body, self.log.last_ms)
        except LayoutError:
            raise TrackError(Refusal.SLICE) from None
        if self.closed or moves.first != len(self.log) or not self.tick_seen <= moves.tick_seen <= self.tick_sent:
            raise TrackError(Refusal.SLICE)
        return moves

    def _replay(self, moves: MoveSlice, arrival: Arrival) -> tuple[Game, int, list[tuple[int, int]]]:
        """Returns the game after the slice, the state of the pace, and the result of every move."""
        if moves.times[-1] > arrival.at_ms + self._deal.windows.claim_ahead_ms:
            raise TrackError(Refusal.SLICE)
        # A move is followed by a draw; a client that has not got its link has guessed.
        if len(self.log) + len(moves.directions) + 1 >= 8 * self.link_sent:
            raise TrackError(Refusal.SLICE)
        game, full_ms, results = self.game.copy(), self._full_ms, []
        for direction, t_ms in zip(moves.directions, moves.times, strict=True):
            pace = paced(full_ms, t_ms, self._deal.windows)
            if pace is None:
                raise TrackError(Refusal.FLOOD)
            full_ms = pace
            if game.stuck or game.move(Direction(direction)) is None:
                raise TrackError(Refusal.SLICE)
            results.append((game.score, game.max_exponent))
        return game, full_ms, results

    def _commit(
        self, moves: MoveSlice, game: Game, full_ms: int, results: Sequence[tuple[int, int]], arrival: Arrival
    ) -> list[Moved]:
        events = []
        last = len(results) - 1
        for place, (direction, t_ms) in enumerate(zip(moves.directions, moves.times, strict=True)):
            stuck = game.stuck and place == last
            t_star = self._moment(t_ms, arrival, decides=stuck or self._makes_target(results[place][1]))
            self.log.append(direction, t_ms)
            self.moments.append(t_star)
            score, exponent = results[place]
            self.scores.append(score)
            self.exponents.append(exponent)
            events.append(Moved(t_star, self.number, score, len(self.log), exponent, stuck, moves.tick_seen))
        self.game, self._full_ms = game, full_ms
        self.tick_seen, self.moved_ms = moves.tick_seen, arrival.at_ms
        return events

    def _moment(self, claimed_ms: int, arrival: Arrival, *, decides: bool) -> int:
        """Returns t* of the next move, and notes it where it is not the claimed time."""
        windows = self._deal.windows
        at_once = flushed_at_once(claimed_ms, decides, self.bell_ms, windows)
        back_ms = back_ms_max(arrival.claim_back_ms, at_once, windows)
        t_star = moment(claimed_ms, arrival.at_ms, back_ms, self.last_moment)
        if t_star != claimed_ms:
            self.corrections.append(Correction(len(self.log) + 1, arrival.at_ms, back_ms))
        self.last_moment = t_star
        return t_star

    def _made_target(self, results: Sequence[tuple[int, int]]) -> bool:
        return self._makes_target(results[-1][1])

    def _makes_target(self, exponent: int) -> bool:
        settings = self._deal.settings
        if settings.kind != Kind.TARGET:
            return False
        return exponent >= settings.target_exponent > self.game.max_exponent

    def _unsealed_ms(self, moves: MoveSlice) -> int:
        """Returns how long the unsealed end of the log would be after these, by its claimed times (deal.md 5.2).

        When they arrive does not matter: an outage may hold up for long what was made and sealed in time.
        """
        first_ms = self.log.times[self.sealed_moves] if self.unsealed_moves else moves.times[0]
        return moves.times[-1] - first_ms

    def _open(self, signed: Signed, moves: int, head: bytes, tick_seen: int) -> SealBody:
        try:
            seal = open_seal(signed, self.seat.key, self._mix)
        except LayoutError:
            raise TrackError(Refusal.SEAL) from None
        # Numbers may skip: a seal that came with a slice that was too late for the race is not taken.
        if (seal.seat, seal.moves, seal.head) != (self.number, moves, head) or seal.number <= self.seals:
            raise TrackError(Refusal.SEAL)
        if not tick_seen <= seal.tick_seen <= self.tick_sent:
            raise TrackError(Refusal.SEAL)
        if self.must_resume and seal.act is not Act.RESUME:
            raise TrackError(Refusal.SEAL)
        return seal

    def _keep(self, seal: SealBody | None, signed: Signed | None) -> None:
        if seal is not None:
            self.seals, self.sealed_moves, self.seal = seal.number, seal.moves, signed
            self.tick_seen = seal.tick_seen
            self.must_resume = False
