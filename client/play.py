"""The own game in a race: keys become moves, moves become slices, slices are sealed (rules 6.1-6.4, deal.md §5).

Owns the deck as far as it is known, the log, and what the lobby has of it. All times are milliseconds since the start
of the race on the lobby's clock; the session knows what that is. What the messages are sent over is not known here.
"""

from __future__ import annotations

from collections import deque

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

_KEYS_MAX = 2_000  # keys that wait for the pace or for the deck: a minute of a held key


class OwnRace:
    """A seat in a race, from its owner's side. Methods that send return the messages, in order."""

    def __init__(self, deal: Deal, mix: bytes, seat: int, signer: Signer) -> None:
        self.seat = seat
        self.deck = RaceDeck(deal.chain_id, deal.anchor, deal.deck_mix(mix), deal.chain_length)
        self.log = MoveLog(mix, seat, signer.key)
        self.game: Game | None = None
        self.keys: deque[Direction] = deque()
        self.acked = 0
        self.tick_seen = 0
        self.over = False
        self._deal = deal
        self._mix = mix
        self._signer = signer
        self._heads = [self.log.head]
        self._sent = 0
        self._sealed = 0
        self._seals = 0
        self._flush_by_ms: int | None = None
        self._full_ms = 0
        self._starved = False
        self._resume = False
        self._target_move = 0  # the number of the move that made the target; 0: not made

    @property
    def done(self) -> bool:
        """Whether there is nothing more to move for: the target is made, the board is stuck, or the race is over."""
        return self.over or self._target_move > 0 or (self.game is not None and self.game.stuck)

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
            moment_ms = max(t_ms, self.log.last_ms, 0)
            if free_ms(self._full_ms, self._deal.windows) > moment_ms:
                break
            if not self._move(self.keys[0], moment_ms):
                break
            self.keys.popleft()
        if self.done:
            self.keys.clear()
        if online and self._flush_by_ms is not None and t_ms >= self._flush_by_ms:
            out += self.flush(t_ms)
        return out

    def deadline(self, *, online: bool) -> int | None:
        """Returns when `play` next has something to do."""
        if self.over:
            return None
        times = []
        if online and self._flush_by_ms is not None:
            times.append(self._flush_by_ms)
        if self.keys and self.game is not None and not self._starved and not self.over:
            times.append(max(0, free_ms(self._full_ms, self._deal.windows)))
        return min(times, default=None)

    def flush(self, t_ms: int, act: Act = Act.NONE, argument: int = 0) -> list[FromClient]:
        """Returns every move that was not sent yet, and a seal if one is due or `act` asks for it."""
        out: list[FromClient] = []
        while self._sent < len(self.log):
            first = self._sent
            part = self.log.slice(first, self.tick_seen)
            self._sent += len(part.directions)
            body = part.encode(self.log.times[first - 1] if first else 0)
            out.append(Slice(body, self._due_seal(first, t_ms)))
        self._flush_by_ms = None
        if act is not Act.NONE:
            out.append(Seal(self._seal(self._sent, act, argument)))
        return out

    def closing_seal(self) -> list[FromClient]:
        """Returns the seal over exactly the moves that the lobby has: the race is over (rules 5.3)."""
        self.over = True
        self.keys.clear()
        if self.acked <= self._sealed:
            return []
        return [Seal(self._seal(self.acked, Act.RESUME if self._resume else Act.END))]

    def acknowledge(self, moves: int) -> None:
        """The lobby has this many moves for good."""
        self.acked = max(self.acked, moves)

    def refused(self, moves: int, seals: int) -> list[FromClient]:
        """The lobby refused a slice and drops what follows: takes up again where the lobby is."""
        self._sent, self._seals = min(moves, len(self.log)), seals
        self._sealed = min(self._sealed, self._sent)
        if self._sent < len(self.log):
            self._flush_by_ms = 0
        return [Resync(self._sent)]

    def resume(self, own: OwnGame, t_ms: int) -> list[FromClient]:
        """A new connection: sends what the lobby does not have. Call it once the log is at least as long as its own."""
        self._sent = self.acked = own.moves
        self._seals = own.seals
        self._resume = own.seals > 0
        self._sealed = min(self._sealed, own.moves)
        if own.link_number:
            self.extend(own.link_number, own.link)
        out: list[FromClient] = []
        if self._resume:
            out.append(Seal(self._seal(own.moves, Act.RESUME)))
        return out + self.flush(t_ms)

    def restore(self, directions: bytes, times: tuple[int, ...]) -> None:
        """Takes back moves that the lobby has and this program lost."""
        assert self.game is not None, "links come before the log"
        for direction, t_ms in zip(directions, times, strict=True):
            self._full_ms = paced(self._full_ms, t_ms, self._deal.windows) or self._full_ms
            self.game.move(Direction(direction))
            self._note(direction, t_ms)

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
        return settings.kind == Kind.TIMED and t_ms >= settings.time_ms - self._deal.windows.bell_flush_ms

    def _due_seal(self, first: int, t_ms: int) -> Signed | None:
        """Returns the seal that must come with the slice of the moves from `first` on, or None."""
        if first < self._target_move <= self._sent:
            return self._seal(self._sent, Act.TARGET)
        if self.game is not None and self.game.stuck and self._sent == len(self.log):
            return self._seal(self._sent, Act.STUCK)
        if self.log.times[self._sealed] <= t_ms - limits.SEAL_INTERVAL_MS:
            return self._seal(self._sent, Act.NONE)
        return None

    def _seal(self, moves: int, act: Act, argument: int = 0) -> Signed:
        self._seals += 1
        self._sealed = moves
        if self._resume:
            self._resume, act = False, Act.RESUME
        body = SealBody(self.seat, self._seals, moves, self._heads[moves], self.tick_seen, act, argument)
        return body.sign(self._signer, self._mix)
