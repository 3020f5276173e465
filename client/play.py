"""The own game in a race: keys become moves, moves become slices, slices are sealed (rules 6.1-6.4, deal.md §5).

Owns the deck as far as it is known, the log, and what the lobby has of it. All times are milliseconds since the start
of the race on the lobby's clock; the session knows what that is. What the messages are sent over is not known here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from engine.board import Direction
from engine.deck import LinkMissing, RaceDeck
from engine.game import Game
from engine.race import Kind
from protocol import limits
from protocol.deal import Deal
from protocol.messages import FromClient, OwnGame, Resync, Seal, Signed, Slice
from protocol.movelog import Act, MoveLog, SealBody
from protocol.pace import free_ms, paced
from protocol.signing import Signer

_DIRECTIONS = frozenset(Direction)
_KEYS_MAX = 2_000  # keys that wait for the pace or for the deck: a minute of a held key
_SAID_AGAIN = (Act.OFFER, Act.AGREE, Act.REFUSE, Act.WITHDRAW, Act.RESIGN)  # what a person said, not the log


@dataclass(frozen=True, slots=True)
class _Said:
    """What one seal said: that it vouches for so many moves, and an act."""

    moves: int
    act: Act
    argument: int


class OwnRace:
    """A seat in a race, from its owner's side. Methods that send return the messages, in order."""

    def __init__(self, deal: Deal, mix: bytes, seat: int, signer: Signer, beat_ms: int = 0) -> None:
        self.seat = seat
        self.deck = RaceDeck(deal.chain_id, deal.anchor, deal.deck_mix(mix), deal.chain_length)
        self.log = MoveLog(mix, seat, signer.key)
        self.game: Game | None = None
        self.keys: deque[Direction] = deque()
        self.acked = 0
        self.tick_seen = 0
        self.over = False
        self.bell_ms = deal.settings.time_ms
        self.kept = 0  # how many moves have been written down
        self._deal = deal
        self._mix = mix
        self._signer = signer
        self._beat_ms = beat_ms  # for demos: move k is made and claimed at k times that; 0: when its key is pressed
        self._heads = [self.log.head]
        self._sent = 0
        self._said: list[_Said] = []  # by the number of the seal, from 1
        self._flush_by_ms: int | None = None
        self._hold: tuple[int, int] | None = None  # until when nothing is sent, and the tick seen when that began
        self._to_say: list[tuple[Act, int]] = []  # acts and their arguments that wait for the moves before them
        self._full_ms = 0
        self._starved = False
        self._resume = False
        self._resigned = False
        self._target_move = 0  # the number of the move that made the target; 0: not made

    @property
    def race(self) -> bytes:
        """The mix of the race: no other race has it."""
        return self._mix

    @property
    def done(self) -> bool:
        """Whether there is nothing more to move for: the target is made, the board is stuck, or it is over for us."""
        return self.over or self._resigned or self._target_move > 0 or (self.game is not None and self.game.stuck)

    @property
    def unconfirmed(self) -> int:
        """How many moves are not yet known to be with the lobby."""
        return len(self.log) - self.acked

    @property
    def waiting(self) -> bool:
        """Whether a move waits because the deck is not known any further."""
        return self._starved

    def extend(self, number: int, link: bytes) -> None:
        """Takes in a link; raises engine.deck.ChainBroken if it does not belong to the chain that was dealt."""
        self.deck.extend(number, link)
        self._starved = False
        if self.game is None and self.deck.known_draws:
            self.game = Game(self._deal.settings.size, self.deck)

    def press(self, direction: Direction) -> None:
        """A key was pressed; `play` makes the move when it may be made."""
        if len(self.keys) < _KEYS_MAX and not self.done:
            self.keys.append(direction)

    def play(self, t_ms: int, *, online: bool) -> list[FromClient]:
        """Makes the moves whose time has come; returns what is to be sent at once."""
        out: list[FromClient] = []
        while self.keys and self.game is not None and not self.done:
            moment_ms, beat_ms = max(t_ms, self.log.last_ms, 0), self._beat_ms * (len(self.log) + 1)
            if max(beat_ms, free_ms(self._full_ms, self._deal.windows)) > moment_ms:
                break
            if not self._move(self.keys[0], beat_ms or moment_ms):
                break
            self.keys.popleft()
        if self.done:
            self.keys.clear()
        if online and self._flush_by_ms is not None and t_ms >= self._flush_by_ms:
            out += self.flush(t_ms)
        return out

    def deadline(self, *, online: bool) -> int | None:
        """Returns when `play` next has something to do."""
        times = []
        if online and self._flush_by_ms is not None:
            times.append(self._flush_by_ms)
        if self.keys and self.game is not None and not self._starved:
            beat_ms = self._beat_ms * (len(self.log) + 1)
            times.append(max(beat_ms, free_ms(self._full_ms, self._deal.windows), 0))
        return min(times, default=None)

    def flush(self, t_ms: int, act: Act = Act.NONE, argument: int = 0) -> list[FromClient]:
        """Returns every move that was not sent yet, and a seal if one is due or `act` asks for it.

        While moves wait because they were claimed too early (`refused`), all this waits with them.
        """
        if act is not Act.NONE:
            self._to_say.append((act, argument))
        self._resigned = self._resigned or act is Act.RESIGN
        tick_seen = self.tick_seen
        if self._hold is not None:
            until_ms, tick_seen = self._hold
            if t_ms < until_ms:
                self._flush_by_ms = until_ms
                return []
            self._hold = None
        out: list[FromClient] = []
        while self._sent < len(self.log) and not self.over:
            first = self._sent
            part = self.log.slice(first, tick_seen)
            self._sent += len(part.directions)
            body = part.encode(self.log.times[first - 1] if first else 0)
            out.append(Slice(body, self._due_seal(first, t_ms)))
        self._flush_by_ms = None
        out += [Seal(self._seal(self._sent, *said)) for said in self._to_say]
        self._to_say.clear()
        return out

    def leave(self) -> None:
        """The seat is out of the race, or the race is over: nothing more is played."""
        self.over = True
        self.keys.clear()
        self._to_say.clear()
        self._hold = self._flush_by_ms = None

    def closing_seal(self) -> list[FromClient]:
        """Returns the seal over exactly the moves that the lobby has: the race is over (rules 5.3).

        A seal over more moves than that came too late, and vouches for nothing.
        """
        self.leave()
        if self.acked == max((said.moves for said in self._said if said.moves <= self.acked), default=0):
            return []
        return [Seal(self._seal(self.acked, Act.END))]

    def acknowledge(self, moves: int) -> None:
        """The lobby has this many moves for good."""
        self.acked = max(self.acked, moves)

    def refused(self, moves: int, seals: int, t_ms: int) -> list[FromClient]:
        """The lobby refused something and drops what follows: takes up again where the lobby is.

        By a clock that was ahead the moves were claimed too early: they wait until the lobby cannot find them so again.
        """
        self._back_to(min(moves, len(self.log)), seals)
        if self.over:
            return [Resync(self._sent), *self._resumed(), *self.closing_seal()]
        if self._sent < len(self.log):
            self._hold = self.log.last_ms - self._deal.windows.claim_ahead_ms, self.tick_seen
        return [Resync(self._sent), *self._resumed(), *self.flush(t_ms)]

    def resume(self, own: OwnGame, t_ms: int) -> list[FromClient]:
        """A new connection: sends what the lobby does not have. Call it once the log is at least as long as its own."""
        self._back_to(own.moves, own.seals)
        self.acked = own.moves
        self._resume = own.seals > 0
        out = self._resumed()
        if self.over:
            return out + self.closing_seal()
        return out + self.flush(t_ms)

    def fits(self, told: OwnGame) -> bool:
        """Returns whether the lobby's log is the beginning of this one."""
        return told.moves <= len(self.log) and self._heads[told.moves] == told.head

    def restore(self, directions: bytes, times: tuple[int, ...]) -> bool:
        """Takes back moves that the lobby has and this program lost; returns False if they cannot have been made."""
        if self.game is None or not directions or len(directions) != len(times):
            return False
        for direction, t_ms in zip(directions, times, strict=True):
            if direction not in _DIRECTIONS or t_ms < self.log.last_ms:
                return False
            try:
                if self.game.move(Direction(direction)) is None:
                    return False
            except LinkMissing:
                return False
            self._full_ms = paced(self._full_ms, t_ms, self._deal.windows) or self._full_ms
            self._note(direction, t_ms)
        return True

    def _back_to(self, moves: int, seals: int) -> None:
        """Goes back to what the lobby has: what it has not heard and a person has said is to be said again."""
        self._sent = moves
        unheard = self._said[seals:]
        lost = [(said.act, said.argument) for said in unheard if said.act in _SAID_AGAIN]
        self._to_say = [] if self.over else [*lost, *self._to_say]
        self._resume = self._resume or any(said.act is Act.RESUME for said in unheard)
        # A program that was started again does not know what its first seals vouched for.
        self._said = self._said[:seals] + [_Said(0, Act.NONE, 0)] * (seals - len(self._said))

    def _resumed(self) -> list[FromClient]:
        """Returns the seal that must come first on a new connection, if the lobby has not had it (deal.md 5.2)."""
        return [Seal(self._seal(self._sent, Act.RESUME))] if self._resume else []

    def _move(self, direction: Direction, t_ms: int) -> bool:
        """Makes one move if it is legal; returns False if the deck is not known far enough."""
        assert self.game is not None, "only a game that has begun is played"
        try:
            points = self.game.move(direction)
        except LinkMissing:
            self._starved = True
            return False
        if points is None:
            return True
        self._full_ms = paced(self._full_ms, t_ms, self._deal.windows) or self._full_ms
        self._note(direction, t_ms)
        urgent = self.done or self._near_bell(t_ms)
        due_ms = t_ms if urgent else t_ms + limits.SLICE_INTERVAL_MS
        self._flush_by_ms = due_ms if self._flush_by_ms is None else min(self._flush_by_ms, due_ms)
        return True

    def _note(self, direction: int, t_ms: int) -> None:
        assert self.game is not None, "only a game that has begun has moves"
        self.log.append(direction, t_ms)
        self._heads.append(self.log.head)
        settings = self._deal.settings
        made = settings.kind == Kind.TARGET and self.game.max_exponent >= settings.target_exponent
        if made and not self._target_move:
            self._target_move = len(self.log)

    def _near_bell(self, t_ms: int) -> bool:
        settings = self._deal.settings
        return settings.kind == Kind.TIMED and t_ms >= self.bell_ms - self._deal.windows.bell_flush_ms

    def _due_seal(self, first: int, t_ms: int) -> Signed | None:
        """Returns the seal that must come with the slice of the moves from `first` on, or None."""
        if first < self._target_move <= self._sent:
            return self._seal(self._sent, Act.TARGET)
        if self.game is not None and self.game.stuck and self._sent == len(self.log):
            return self._seal(self._sent, Act.STUCK)
        sealed = self._said[-1].moves if self._said else 0
        # A lobby may say that it has a seal without having the moves under it: then these are sealed already.
        if sealed < self._sent and self.log.times[sealed] <= t_ms - limits.SEAL_INTERVAL_MS:
            return self._seal(self._sent, Act.NONE)
        return None

    def _seal(self, moves: int, act: Act, argument: int = 0) -> Signed:
        if self._resume:
            self._resume, act = False, Act.RESUME
        self._said.append(_Said(moves, act, argument))
        body = SealBody(self.seat, len(self._said), moves, self._heads[moves], self.tick_seen, act, argument)
        return body.sign(self._signer, self._mix)
