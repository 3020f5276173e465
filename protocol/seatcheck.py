"""What one seat did in a race, derived again from its log (deal.md 5.5): its part of a verdict.

A `SeatCheck` replays the log on the deck, opens the seals, holds the times against the windows of the Deal, and turns
it all into the seat's stream of events for engine/race.py. It knows nothing of the other seats and decides nothing:
verdict.py asks, in the order of its methods. Whatever is false is a `FalseRecordError` that names seat and move.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from engine.board import Board, Direction
from engine.deck import Deck
from engine.game import Game
from engine.race import Absent, Kind, Left, Moved, RaceEvent, RaceTerms, SeatState, Vote, Voted
from protocol.deal import Deal
from protocol.faults import FalseRecordError, Fault
from protocol.layout import LayoutError
from protocol.messages import Signed
from protocol.moment import back_ms_max, flushed_at_once, moment
from protocol.movelog import Act, SealBody, first_head, next_head
from protocol.pace import paced
from protocol.record import Correction, EventKind, Gap, RecordEvent, SeatLog
from protocol.signing import verify

VOTES = {Act.OFFER: Vote.OFFER, Act.AGREE: Vote.AGREE, Act.REFUSE: Vote.REFUSE, Act.WITHDRAW: Vote.WITHDRAW}
_DIRECTIONS = tuple(Direction)
_STRIDE = 64  # the race is over some moves before the last of a log, seldom more than that
_LEAVING = {EventKind.RESIGNED: SeatState.RESIGNED, EventKind.FORFEITED: SeatState.FORFEITED}
_SEALED = {
    EventKind.VOTE: tuple(VOTES),
    EventKind.SAID: tuple(VOTES),
    EventKind.RESIGNED: (Act.RESIGN,),
}  # what must be said by the player


class SeatCheck:
    """One seat of a record, checked step by step: `times`, `replay`, `seals`, then `stream`.

    `moves` holds the moves as results with their t*, `sealed` how many of them the player has signed.
    """

    def __init__(
        self, number: int, key: bytes, log: SeatLog, events: Sequence[RecordEvent], deal: Deal, mix: bytes
    ) -> None:
        self.number = number
        self.log = log
        self.events = events
        self.moves: list[Moved] = []
        self.sealed = 0
        self.votes: list[SealBody | None] = []  # for each event the seal that says it
        self._key = key
        self._deal = deal
        self._mix = mix
        self._moments = list(log.times)
        self._heads = [first_head(mix, number, key)]
        self._last_signed: Signed | None = None
        self._games: list[Game] = []  # after every `_STRIDE`-th move

    @property
    def unsealed(self) -> int:
        """How many moves at the end of the log the player has not signed."""
        return len(self.log.directions) - self.sealed

    def times(self, gaps: Sequence[Gap]) -> None:
        """Derives t* of every move (rules 5.2), and holds it against the events and gaps of the record."""
        waiting = list(reversed(self.events))
        event_ms = 0
        for correction in self.log.corrections:
            index = correction.move - 1
            while waiting and waiting[-1].moves <= index:
                event_ms = waiting.pop().t_ms
            before_ms = max(event_ms, self._moments[index - 1] if index else 0)
            if correction.arrival_ms < before_ms:
                what = f"arrived at {correction.arrival_ms} ms, before what came before it"
                raise self._false_move(Fault.TIMES, index, what)
            self._moments[index] = self._corrected(correction, before_ms)
        for index, (earlier, later) in enumerate(pairwise(self._moments), 1):
            if later < earlier:
                what = f"counts at {later} ms, before the move before it at {earlier} ms"
                raise self._false_move(Fault.TIMES, index, what)
        self._check_events()
        self._check_gaps(gaps)

    def replay(self, deck: Deck, terms: RaceTerms) -> None:
        """Plays the log again (rules §1, 6.1); every move must be legal, in time and not too fast."""
        game, head, full_ms = Game(self._deal.settings.size, deck), self._heads[0], 0
        windows, number = self._deal.windows, self.number
        played = zip(self.log.directions, self.log.times, self._moments, strict=True)
        for count, (direction, claimed_ms, t_ms) in enumerate(played, 1):
            pace = paced(full_ms, claimed_ms, windows)
            if pace is None:
                what = f"at {claimed_ms} ms is faster than {windows.moves_per_s} moves a second"
                raise self._false_move(Fault.PACE, count - 1, what)
            full_ms = pace
            if game.stuck or game.move(_DIRECTIONS[direction]) is None:
                raise self._false_move(Fault.ILLEGAL, count - 1, f"is not legal on the board {game.board}")
            if count % _STRIDE == 0:
                self._games.append(game.copy())
            head = next_head(head, direction, claimed_ms)
            self._heads.append(head)
            self.moves.append(Moved(t_ms, number, game.score, count, game.max_exponent, game.stuck))
        self._board = game.board
        self._check_corrections(terms)
        self._check_leaving()

    def seals(self) -> None:
        """Opens every seal of the seat: by its player, in this race, on this log, rising; and looks at the tail."""
        last: SealBody | None = None
        for event in self.events:
            name = event.kind.name.lower()
            if (event.seal is None) is (event.kind in _SEALED):
                raise self._false(Fault.SEAL_PRESENCE, f"its {name} has {'no' if event.seal is None else 'a'} seal")
            seal = None if event.seal is None else self._open(event.seal, last)
            if seal is not None and (seal.act not in _SEALED[event.kind] or seal.moves != event.moves):
                said = f"a {name} after {event.moves} moves whose seal says {seal.act.name.lower()} after {seal.moves}"
                raise self._false(Fault.SEAL_ACT, said)
            if event.tick and not _announced_after(event, seal):
                raise self._false(Fault.SEAL_ACT, f"its {name} at {event.t_ms} ms cannot be told in tick {event.tick}")
            self.votes.append(seal)
            last = seal or last
        if self.log.seal is not None:
            self.sealed = self._open(self.log.seal, last, closing=True).moves
        self._check_tail()

    def stream(self) -> list[RaceEvent]:
        """Returns what the seat did as events of the race, in order."""
        stream: list[RaceEvent] = []
        done = 0
        for event, seal in zip(self.events, self.votes, strict=True):
            stream += self.moves[done : event.moves]
            done = event.moves
            if event.kind is not EventKind.SAID:
                stream.append(self._event(event, seal))
        return stream + self.moves[done:]

    def board_after(self, moves: int, deck: Deck) -> Board:
        """Returns the board after this many moves."""
        if moves == len(self.moves):
            return self._board
        done = moves // _STRIDE
        game = self._games[done - 1].copy() if done else Game(self._deal.settings.size, deck)
        for direction in self.log.directions[done * _STRIDE : moves]:
            game.move(_DIRECTIONS[direction])
        return game.board

    def _false(self, fault: Fault, what: str) -> FalseRecordError:
        return FalseRecordError(fault, f"seat {self.number}: {what}")

    def _false_move(self, fault: Fault, index: int, what: str) -> FalseRecordError:
        direction = Direction(self.log.directions[index]).name.lower()
        return FalseRecordError(fault, f"seat {self.number}, move {index + 1}, {direction}: {what}")

    def _corrected(self, correction: Correction, before_ms: int) -> int:
        """Returns t* of a move that is listed with its arrival, which must be in order."""
        index, arrival_ms = correction.move - 1, correction.arrival_ms
        claimed_ms = self.log.times[index]
        if claimed_ms > arrival_ms + self._deal.windows.claim_ahead_ms:
            what = f"arrived at {arrival_ms} ms, but is claimed for {claimed_ms} ms"
            raise self._false_move(Fault.TIMES, index, what)
        t_ms = moment(claimed_ms, arrival_ms, correction.back_ms, before_ms)
        if t_ms == claimed_ms:
            what = "is listed with its arrival, but counts at its claimed time"
            raise self._false_move(Fault.TIMES, index, what)
        return t_ms

    def _check_events(self) -> None:
        """Checks that events and moves stand in one order of time."""
        moves = t_ms = 0
        for event in self.events:
            what = f"its {event.kind.name.lower()} at {event.t_ms} ms"
            if not moves <= event.moves <= len(self._moments) or event.t_ms < t_ms:
                raise self._false(Fault.TIMES, f"{what} after {event.moves} moves is out of order")
            moves, t_ms = event.moves, event.t_ms
            if moves and self._moments[moves - 1] > t_ms:
                said = f"counts at {self._moments[moves - 1]} ms; {what} came after it"
                raise self._false_move(Fault.TIMES, moves - 1, said)
            if moves < len(self._moments) and self._moments[moves] < t_ms:
                said = f"counts at {self._moments[moves]} ms; {what} came before it"
                raise self._false_move(Fault.TIMES, moves, said)

    def _check_gaps(self, gaps: Sequence[Gap]) -> None:
        """Checks that nothing came while the lobby was away (rules 5.6)."""
        for event in self.events:
            if _within(event.t_ms, gaps):
                what = f"its {event.kind.name.lower()} at {event.t_ms} ms came while the lobby was away"
                raise self._false(Fault.GAP, what)
        for correction in self.log.corrections:
            if _within(correction.arrival_ms, gaps):
                raise self._false_move(Fault.GAP, correction.move - 1, "arrived while the lobby was away")

    def _check_corrections(self, terms: RaceTerms) -> None:
        """Checks that no claim was believed for longer than the Deal allows (rules 5.2)."""
        windows = self._deal.windows
        target = terms.target_exponent if terms.kind is Kind.TARGET else 0
        for correction in self.log.corrections:
            index = correction.move - 1
            move, largest = self.moves[index], self.moves[index - 1].max_exponent if index else 0
            decides = move.stuck or (0 < target <= move.max_exponent and largest < target)
            at_once = flushed_at_once(self.log.times[index], decides, terms.bell_ms, windows)
            if correction.back_ms > back_ms_max(windows.claim_back_ms, at_once, windows):
                what = f"was believed {correction.back_ms} ms before its arrival, which is too long"
                raise self._false_move(Fault.BACK, index, what)

    def _check_leaving(self) -> None:
        """Checks that nothing follows a seat's leaving, that nobody forfeits too soon, nor who is stuck (rules 4.6)."""
        windows, absent = self._deal.windows, False
        for place, event in enumerate(self.events):
            what = f"its {event.kind.name.lower()} at {event.t_ms} ms"
            last_ms = self._moments[event.moves - 1] if event.moves else -windows.cancel_ms
            stuck = event.moves > 0 and self.moves[event.moves - 1].stuck
            if event.kind in _LEAVING and (place + 1 < len(self.events) or event.moves < len(self.moves)):
                raise self._false(Fault.LEAVING, f"{what}, after which it went on")
            if event.kind in (EventKind.FORFEITED, EventKind.ABSENT):
                if event.t_ms < last_ms + windows.away_ms:
                    said = f"{what}, less than {windows.away_ms} ms after a move at {last_ms} ms"
                    raise self._false(Fault.LEAVING, said)
                if stuck is (event.kind is EventKind.FORFEITED):
                    said = f"{what}, though it was {'stuck' if stuck else 'not stuck'}"
                    raise self._false(Fault.LEAVING, said)
            if event.kind in (EventKind.ABSENT, EventKind.RETURNED):
                if absent is (event.kind is EventKind.ABSENT):
                    raise self._false(Fault.LEAVING, f"{what}, though it was {'absent' if absent else 'not absent'}")
                absent = not absent

    def _open(self, signed: Signed, last: SealBody | None, *, closing: bool = False) -> SealBody:
        """Returns a seal that fits the log and comes after `last`; the closing one may be `last` itself."""
        if not verify(self._key, "seal", self._mix, signed.body, signed.signature):
            raise self._false(Fault.PLAYER_SIGNATURE, "a seal is no word of its player in this race")
        try:
            seal = SealBody.decode(signed.body)
        except LayoutError as error:
            raise self._false(Fault.UNREADABLE, f"a seal cannot be read: {error}") from None
        where = f"its seal {seal.number} after move {seal.moves}"
        if seal.seat != self.number:
            raise self._false(Fault.SEAL_SEAT, f"{where} is of seat {seal.seat}")
        if seal.moves >= len(self._heads) or self._heads[seal.moves] != seal.head:
            what = f"{where} does not fit the log: a move up to there was changed, added or dropped"
            raise self._false(Fault.SEAL_HEAD, what)
        if not seal.number:
            raise self._false(Fault.SEAL_ORDER, f"{where}: seals are numbered from 1")
        repeated = closing and signed == self._last_signed
        self._last_signed = signed
        if last is not None and not repeated:
            rising = seal.number > last.number and seal.moves >= last.moves and seal.tick_seen >= last.tick_seen
            if not rising:
                what = f"{where} is not later than its seal {last.number} after move {last.moves}"
                raise self._false(Fault.SEAL_ORDER, what)
        return seal

    def _check_tail(self) -> None:
        windows, times = self._deal.windows, self.log.times
        if not self.unsealed:
            return
        span_ms = times[-1] - times[self.sealed]  # by their claims, as the lobby takes it
        if span_ms > windows.unsealed_ms:
            what = f"and all after it, {span_ms} ms of moves, are not sealed"
            raise self._false_move(Fault.UNSEALED, self.sealed, what)

    def _event(self, event: RecordEvent, seal: SealBody | None) -> RaceEvent:
        if event.kind in _LEAVING:
            return Left(event.t_ms, self.number, _LEAVING[event.kind])
        if seal is None:
            return Absent(event.t_ms, self.number, absent=event.kind is EventKind.ABSENT)
        return Voted(event.t_ms, self.number, VOTES[seal.act], seal.argument, event.tick)


def _announced_after(event: RecordEvent, seal: SealBody | None) -> bool:
    """Returns whether a tick can have told of this event: only offers are told, after all their player had seen."""
    is_offer = event.kind is EventKind.VOTE and seal is not None and seal.act is Act.OFFER
    return is_offer and seal is not None and event.tick > seal.tick_seen


def check_agreements(events: Sequence[RecordEvent], checks: Sequence[SeatCheck]) -> None:
    """Checks that nobody agreed to a draw offer before having seen the tick that told of it (rules 6.4).

    An agreement means the last offer of that number before it, in the order of the record.
    """
    seals = [iter(check.votes) for check in checks]
    ticks: dict[int, int] = {}
    for event in events:
        seal = next(seals[event.seat])
        if seal is None or event.kind is EventKind.SAID:
            continue
        if seal.act is Act.OFFER:
            ticks[seal.argument] = event.tick
        elif seal.act is Act.AGREE and seal.tick_seen < ticks.get(seal.argument, 0):
            what = f"seat {event.seat}: it agreed at {event.t_ms} ms to an offer it could not know of"
            raise FalseRecordError(Fault.UNSEEN_OFFER, what)


def _within(t_ms: int, gaps: Sequence[Gap]) -> bool:
    """Returns whether one of these gaps, which are in order, contains a moment."""
    place = bisect_left(gaps, t_ms, key=lambda gap: gap.from_ms) - 1
    return place >= 0 and t_ms < gaps[place].to_ms
