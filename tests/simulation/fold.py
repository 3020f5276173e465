"""A record judged slowly and from nothing but its bytes: boards, deck and clauses are worked out here anew.

Written from rules.md §1, §4, §5 and deal.md §1, §2 with hashlib alone; of the program only the parser of records and
documents is used. Everything is played again for the whole race, and the clauses are asked in every millisecond in
which anything happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise

from protocol.deal import Deal, Ready, Seats, Start
from protocol.movelog import Act, SealBody
from protocol.record import EventKind, Gap, Record, RecordEvent, Result

FOUR_BELOW = 1844674407370955162
NEVER = 1 << 60
VOID_MS = 600_000
MOVING, STUCK, RESIGNED, FORFEITED = range(4)
ALONE, TARGET, LAST_MOVER, ALL_STUCK, BELL, DRAW, VOID = 1, 2, 3, 4, 5, 8, 15


class Deck:
    """The deck of a race, from its last link (deal.md 2.2)."""

    def __init__(self, deal: Deal, mix: bytes, last_link: bytes) -> None:
        self.links = {deal.chain_length: last_link}
        for number in range(deal.chain_length, 0, -1):
            data = b"race2048/1/link\0" + deal.chain_id + number.to_bytes(4, "big") + self.links[number]
            self.links[number - 1] = sha256(data).digest()
        self.mix = mix
        self._keys: dict[int, bytes] = {}

    def tile(self, draw: int, empty: int) -> tuple[int, int]:
        """The exponent of draw number `draw`, and which of so many empty cells it goes to (deal.md 1.2, 1.3)."""
        number = 1 + draw // 8
        if number not in self._keys:
            data = b"race2048/1/draw\0" + self.mix + number.to_bytes(4, "big") + self.links[number]
            self._keys[number] = sha256(data).digest()
        drawn = sha256(self._keys[number] + draw.to_bytes(4, "big")).digest()
        value = 2 if int.from_bytes(drawn[:8], "big") < FOUR_BELOW else 1
        return value, int.from_bytes(drawn[8:16], "big") * empty >> 64


class Board:
    """A board as a list of exponents (rules §1)."""

    def __init__(self, size: int, deck: Deck) -> None:
        self.size, self.deck = size, deck
        self.cells = [0] * (size * size)
        self.score = self.moves = 0
        span = range(size)
        rows = [[row * size + column for column in span] for row in span]
        columns = [[row * size + column for row in span] for column in span]
        self._lines = [columns, [line[::-1] for line in rows], [line[::-1] for line in columns], rows]
        self._spawn(0)
        self._spawn(1)

    def _spawn(self, draw: int) -> None:
        empty = [place for place, cell in enumerate(self.cells) if not cell]
        value, lot = self.deck.tile(draw, len(empty))
        self.cells[empty[lot]] = value

    def move(self, direction: int) -> bool:
        """Makes a move; returns whether it was a legal one."""
        before, points = list(self.cells), 0
        for line in self._lines[direction]:
            tiles = [self.cells[place] for place in line if self.cells[place]]
            done: list[int] = []
            while tiles:
                tile = tiles.pop(0)
                if tiles and tiles[0] == tile:
                    tiles.pop(0)
                    tile += 1
                    points += 1 << tile
                done.append(tile)
            for place, tile in zip(line, done + [0] * (self.size - len(done)), strict=True):
                self.cells[place] = tile
        if self.cells == before:
            return False
        self.score += points
        self.moves += 1
        self._spawn(self.moves + 1)
        return True

    @property
    def dead(self) -> bool:
        """Whether no move is left."""
        if 0 in self.cells:
            return False
        rows = [line for way in self._lines[2:] for line in way]
        return all(self.cells[a] != self.cells[b] for line in rows for a, b in pairwise(line))


@dataclass
class SeatFold:
    """What a seat did: (t*, score, exponent, stuck) after each move, and when it left or agreed."""

    moves: list[tuple[int, int, int, bool]] = field(default_factory=list)
    board: Board | None = None
    left: tuple[int, int] = (NEVER, MOVING)
    absences: list[tuple[int, bool]] = field(default_factory=list)
    agreed_ms: int = NEVER

    def at(self, t_ms: int) -> tuple[int, int, int, int]:
        """State, score, number of moves and number of the move at the top, after everything up to then."""
        made = [move for move in self.moves if move[0] <= min(t_ms, self.left[0])]
        state = self.left[1] if self.left[0] <= t_ms else MOVING
        if state == MOVING and made and made[-1][3]:
            state = STUCK
        score, exponent = (made[-1][1], made[-1][2]) if made else (0, 0)
        return state, score, len(made), exponent

    def absent(self, t_ms: int) -> bool:
        """Whether it is one of the stuck that has been away for too long."""
        past = [gone for at_ms, gone in self.absences if at_ms <= t_ms]
        return bool(past) and past[-1]


@dataclass(frozen=True)
class Folded:
    """How the race ended, and the seats at that moment: (state, score, moves)."""

    termination: int
    winners: tuple[int, ...]
    t_ms: int
    seats: tuple[tuple[int, int, int], ...]


class SlowFold:
    """A record, judged. Raises AssertionError where it contradicts itself."""

    def __init__(self, data: bytes) -> None:
        self.record = Record.parse(data)
        self.deal = Deal.decode(self.record.deal.body)
        self.start = Start.decode(self.record.start.body)
        self.keys = tuple(Ready.decode(ready.body).key for ready in Seats.decode(self.record.seats.body).readies)
        deck = Deck(self.deal, self.start.mix, self.record.last_link)
        assert deck.links[0] == self.deal.anchor, "the last link does not lead to the anchor"
        self.gaps = [Gap.decode(signed.body) for signed in self.record.gaps]
        self.seats = [self._seat(place, deck) for place in range(len(self.record.logs))]
        self.result = Result.decode(self.record.result.body)

    def _seat(self, place: int, deck: Deck) -> SeatFold:
        log, found = self.record.logs[place], SeatFold()
        corrected = {each.move: each for each in log.corrections}
        board, before = Board(self.deal.settings.size, deck), 0
        moments = self._moments(place)
        for number, (direction, claimed) in enumerate(zip(log.directions, log.times, strict=True), 1):
            t_ms = claimed
            if number in corrected:
                arrival_ms, back_ms = corrected[number].arrival_ms, corrected[number].back_ms
                floor_ms = max([t for t, after in moments if after < number], default=0)
                t_ms = max(before, floor_ms, min(max(claimed, arrival_ms - back_ms), arrival_ms))
            assert t_ms >= before, f"seat {place}: t* falls at move {number}"
            before = t_ms
            assert board.move(direction), f"seat {place}: move {number} changes nothing"
            stuck = board.dead or number >= 8 * self.deal.chain_length - 2
            found.moves.append((t_ms, board.score, max(board.cells), stuck))
        found.board = board
        self._others(place, found)
        return found

    def _moments(self, place: int) -> list[tuple[int, int]]:
        return [(event.t_ms, event.moves) for event in self.record.events if event.seat == place]

    def _others(self, place: int, found: SeatFold) -> None:
        for event in self.record.events:
            if event.seat != place:
                continue
            if event.kind in (EventKind.RESIGNED, EventKind.FORFEITED):
                state = RESIGNED if event.kind is EventKind.RESIGNED else FORFEITED
                found.left = min(found.left, (event.t_ms, state))
            elif event.kind in (EventKind.ABSENT, EventKind.RETURNED):
                found.absences.append((event.t_ms, event.kind is EventKind.ABSENT))
            elif _act(event) in (Act.OFFER, Act.AGREE):
                found.agreed_ms = event.t_ms

    # ── the end (rules §4) ───────────────────────────────────────────────────────────────────────────────────────

    def outcome(self) -> Folded:
        """Returns how the race ended; fails if by all that stands in the record it did not."""
        bell_ms = self._bell_ms()
        moments = {move[0] for seat in self.seats for move in seat.moves}
        moments |= {event.t_ms for event in self.record.events} | {bell_ms}
        void_from_ms, void_to_ms = self._void()
        for t_ms in sorted(moment for moment in moments if moment < NEVER):
            if t_ms > void_from_ms:
                break
            if (found := self._clause(t_ms, bell_ms)) is not None:
                return self._at(*found, t_ms)
        if void_from_ms < NEVER:
            return Folded(VOID, (), void_to_ms, self._at(VOID, (), void_from_ms).seats)
        raise AssertionError("by its record the race did not end")

    def _bell_ms(self) -> int:
        bell_ms = self.deal.settings.time_ms or NEVER
        for gap in self.gaps:
            if gap.from_ms < bell_ms < NEVER:
                bell_ms += gap.to_ms - gap.from_ms
        return bell_ms

    def _void(self) -> tuple[int, int]:
        away_ms = 0
        for gap in self.gaps:
            away_ms += gap.to_ms - gap.from_ms
            if away_ms > VOID_MS:
                return gap.from_ms, gap.to_ms
        return NEVER, NEVER

    def _clause(self, t_ms: int, bell_ms: int) -> tuple[int, tuple[int, ...]] | None:
        at = [seat.at(t_ms) for seat in self.seats]
        target = self.deal.settings.target_exponent or NEVER
        made = {place: self._target_move(place) for place, each in enumerate(at) if each[3] >= target}
        if made:
            return TARGET, tuple(place for place, move in made.items() if move == min(made.values()))
        racing = [place for place, each in enumerate(at) if each[0] in (MOVING, STUCK)]
        agreed = [place for place in racing if self.seats[place].agreed_ms <= t_ms]
        asked = [place for place in racing if not self.seats[place].absent(t_ms)]
        if len(agreed) >= 2 and set(asked) <= set(agreed) and self._offer_stands(t_ms):
            return DRAW, tuple(racing)
        if len(racing) < 2:
            return (ALONE if racing else VOID), tuple(racing)
        movers = [place for place in racing if at[place][0] == MOVING]
        rest = [at[place][1] for place in racing if place not in movers]
        if len(movers) == 1 and at[movers[0]][1] > max(rest):
            return LAST_MOVER, tuple(movers)
        best = max(at[place][1] for place in racing)
        highest = tuple(place for place in racing if at[place][1] == best)
        if not movers:
            return ALL_STUCK, highest
        return (BELL, highest) if t_ms >= bell_ms else None

    def _target_move(self, place: int) -> int:
        target = self.deal.settings.target_exponent
        return next(number for number, move in enumerate(self.seats[place].moves, 1) if move[2] >= target)

    def _offer_stands(self, t_ms: int) -> bool:
        """The record holds only the offer that stood at the end; its maker must not have left (4.8)."""
        makers = [event.seat for event in self.record.events if _act(event) is Act.OFFER]
        return bool(makers) and self.seats[makers[-1]].left[0] > t_ms

    def _at(self, termination: int, winners: tuple[int, ...], t_ms: int) -> Folded:
        seats = tuple(seat.at(t_ms)[:3] for seat in self.seats)
        return Folded(termination, winners, t_ms, seats)


def _act(event: RecordEvent) -> Act | None:
    """What a word about the race says."""
    if event.kind is not EventKind.VOTE or event.seal is None:
        return None
    return SealBody.decode(event.seal.body).act
