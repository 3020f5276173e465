"""A race judged slowly and plainly, from rules.md §4 with 5.1–5.4, 6.1 and 6.2 alone: the model's half of the judge.

`Judge` reads everything that was let in, in the order of arrival, and works all out from the whole of it each time
it is made: nothing is carried from one event to the next. It imports nothing of the program on purpose (it was
written before the core was read). Times are milliseconds since the boards came alive; `now_ms` is always "up to and
with this millisecond". Where rules.md leaves a choice open, the one made here is marked "open:". model.py is the
table around it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

MOVING, STUCK, RESIGNED, FORFEITED = "moving", "stuck", "resigned", "forfeited"
TARGET, TIMED, ENDLESS = "target", "timed", "endless"
NEVER = 1 << 60
STALE_MS = 30_000  # rules 5.2: only the round trips of the last 30 s count


@dataclass(frozen=True)
class Law:
    """What this race is judged by: its settings, and the windows that rules.md gives in plain numbers."""

    kind: str
    seats: int
    target: int = 0  # an exponent
    bell_ms: int = NEVER
    idle_ms: int = 0
    moves_max: int = NEVER  # 4.10: 8N − 2
    away_ms: int = 60_000
    lapse_ms: int = 30_000
    wait_ms: int = 10_000
    offers_max: int = 5
    settle_ms: int = 150
    flush_ms: int = 1_000  # 5.4: from 1 s before the bell every move is flushed at once
    back_ms: int = 150
    spare_ms: int = 10
    batch_ms: int = 250
    ahead_ms: int = 100
    rate_per_s: int = 40
    burst: int = 10
    unsealed_ms: int = 8_000  # deal.md 5.2
    resync_ms: int = 60_000  # deal.md 5.1


@dataclass(frozen=True)
class After:
    """A board as a move has left it: what can be seen of it without knowing how 2048 is played."""

    score: int
    top: int  # the exponent of the largest tile
    full: bool  # no move is left on it


class Said(NamedTuple):
    """One thing that reached the lobby about one seat: moves, an act, or the fate of its connection."""

    arrival_ms: int
    seat: int
    what: str  # moves, seal (a word that counts for nothing else), offer, agree, refuse, withdraw, resign, lost, back
    claims: tuple[int, ...] = ()
    boards: tuple[After, ...] = ()
    known: frozenset[int] = frozenset()  # the offers its player could see when saying it (6.4)
    line_ms: int = 0  # c of its connection, 0 until measured
    offer: int = 0  # the number of the offer: 8·seat + its count of offers, from 1 (deal.md 5.2)
    sealed: bool = True  # moves: whether a seal came with them
    from_future: bool = False  # it names a tick that was not sent to its player yet (6.2)


@dataclass(frozen=True)
class Verdict:
    """How a race ended: by which clause, for whom, and when."""

    clause: str
    winners: tuple[int, ...]
    t_ms: int


def line_of(trips: list[tuple[int, int]], now_ms: int, law: Law) -> int:
    """c of a connection (5.2): `trips` are (when it was measured, how long it took)."""
    fresh = [took for at, took in trips if now_ms - at <= STALE_MS]
    return min(min(fresh) // 2 + law.spare_ms, law.back_ms) if fresh else 0


class SeatStory:
    """What all that one seat said comes to."""

    def __init__(self, law: Law, start: After, seat: int, said: list[Said]) -> None:
        self.law, self.start, self.seat = law, start, seat
        self.said = [one for one in said if one.seat == seat]
        self.claims = [claim for one in self.said for claim in one.claims]
        self.sealed = 0  # how many of its moves a seal vouches for
        self.moves: list[tuple[int, After, Said]] = []  # (t*, the board after it, the slice it came in)
        self.acts: list[tuple[int, Said]] = []
        self._stamp()
        self.times = [t for t, _, _ in self.moves]
        slices = [one for one in self.said if one.what == "moves"]
        self.moved_ms = slices[-1].arrival_ms if slices else 0
        self.stuck_ms = self._first(lambda count, board: board.full or count >= law.moves_max)
        makes = law.kind == TARGET
        self.target_ms = self._first(lambda count, board: makes and board.top >= law.target)
        self.target_moves = bisect_right([board.top for _, board, _ in self.moves], law.target - 1) + 1
        self.resigned_ms = next((t for t, act in self.acts if act.what == "resign"), NEVER)
        self.absences = self._absences()
        self.idle_from_ms = self._idle_from()
        self.forfeited_ms = self._forfeited()

    def _stamp(self) -> None:
        """5.2: everything it said gets its t*, which never falls."""
        law, before = self.law, -NEVER
        self._top = 0  # the largest tile so far
        for one in self.said:
            if one.what in ("lost", "back"):
                continue
            if one.what not in ("moves", "seal"):
                before = max(before, one.arrival_ms)
                self.acts.append((before, one))
            for claimed, board in zip(one.claims, one.boards, strict=True):
                urgent = self._urgent(claimed, board, len(self.moves) + 1)
                back_ms = one.line_ms + (0 if urgent else law.batch_ms)
                before = max(before, min(max(claimed, one.arrival_ms - back_ms), one.arrival_ms))
                self.moves.append((before, board, one))
                self._top = board.top
            self.sealed = len(self.moves) if one.sealed else self.sealed

    def _urgent(self, claimed: int, board: After, count: int) -> bool:
        """Whether a move had to be flushed at once: a target, stuck, or near the bell (deal.md 5.1, rules 5.4)."""
        law = self.law
        makes = law.kind == TARGET and board.top >= law.target > self._top
        near = law.kind == TIMED and claimed >= law.bell_ms - law.flush_ms
        return makes or near or board.full or count >= law.moves_max

    def _first(self, wanted: Callable[[int, After], bool]) -> int:
        """When a move first left such a board, or NEVER."""
        return next((t for count, (t, board, _) in enumerate(self.moves, 1) if wanted(count, board)), NEVER)

    def _absences(self) -> list[tuple[int, int]]:
        """4.6: the times without a connection, [from, to)."""
        spans: list[tuple[int, int]] = []
        for one in self.said:
            if one.what == "lost":
                spans.append((one.arrival_ms, NEVER))
            elif one.what == "back":
                spans[-1] = (spans[-1][0], one.arrival_ms)
        return spans

    def _idle_from(self) -> int:
        """4.9: since when it is treated as away, or NEVER. Open: from when its last move arrived, not from its t*."""
        due = self.moved_ms + self.law.idle_ms if self.law.idle_ms else NEVER
        return due if due < self.stuck_ms else NEVER

    def _forfeited(self) -> int:
        """4.6, 4.9: when it was forfeited, or NEVER: without a connection for the window, or idle for it."""
        due = min(self.gone_ms, self.idle_from_ms + self.law.away_ms)
        return due if due < min(self.stuck_ms, self.resigned_ms) else NEVER

    @property
    def gone_ms(self) -> int:
        """When its connection had been lost for the whole window, or NEVER."""
        window = self.law.away_ms
        return min([lost + window for lost, back in self.absences if back - lost > window], default=NEVER)

    def away_until(self, now_ms: int) -> int:
        """When the window that runs now is over, or 0 if none does."""
        window = self.law.away_ms
        ends = [lost + window for lost, back in self.absences if lost <= now_ms < back]
        ends += [self.idle_from_ms + window] if self.idle_from_ms <= now_ms else []
        return min([end for end in ends if end > now_ms], default=0) if self.out_ms > now_ms else 0

    @property
    def out_ms(self) -> int:
        """When it left the race, or NEVER."""
        return min(self.resigned_ms, self.forfeited_ms)

    def state(self, now_ms: int, looked_ms: int = NEVER) -> str:
        """Its state after everything of this millisecond; `looked_ms`: which windows are known to have run out."""
        if self.resigned_ms <= now_ms:
            return RESIGNED
        if self.forfeited_ms <= min(now_ms, looked_ms):
            return FORFEITED
        return STUCK if self.stuck_ms <= now_ms else MOVING

    def figures(self, now_ms: int) -> tuple[int, int, int]:
        """Its score, max tile and moves after everything of this millisecond."""
        count = bisect_right(self.times, now_ms)
        board = self.moves[count - 1][1] if count else self.start
        return board.score, board.top, count

    def asked(self, now_ms: int, looked_ms: int = NEVER) -> bool:
        """4.8: whether its vote counts: it is in the race, and not one of the stuck that is away for too long."""
        state, until_ms = self.state(now_ms, looked_ms), min(now_ms, looked_ms)
        long_gone = any(lost + self.law.away_ms <= until_ms < back for lost, back in self.absences)
        return state == MOVING or (state == STUCK and not long_gone)


@dataclass
class Offer:
    """A draw offer: who made it when, who agrees since when, and when it was over (NEVER: it stands)."""

    number: int
    seat: int
    made_ms: int
    agreed: dict[int, int]
    over_ms: int = NEVER


class Judge:
    """Everything rules.md §4 says about the list of what was let in."""

    def __init__(self, law: Law, start: After, said: list[Said]) -> None:
        self.law = law
        self.seats = [SeatStory(law, start, seat, said) for seat in range(law.seats)]
        self._places = {id(one): place for place, one in enumerate(said)}
        self.offers = self._offers()
        self._dues = [law.bell_ms if law.kind == TIMED else NEVER, *(seat.forfeited_ms for seat in self.seats)]
        self._dues += [lost + law.away_ms for seat in self.seats for lost, _ in seat.absences]
        self._verdicts: dict[int, Verdict | None] = {}

    # ── draw offers (4.8) ────────────────────────────────────────────────────────────────────────────────────────

    def _offers(self) -> list[Offer]:
        """All offers of the race, in order. None was let in while another stood."""
        acts = [(t, act) for seat in self.seats for t, act in seat.acts]
        made = sorted(((t, act) for t, act in acts if act.what == "offer"), key=lambda pair: pair[0])
        return [self._offer(act, t, acts) for t, act in made]

    def _offer(self, made: Said, made_ms: int, acts: list[tuple[int, Said]]) -> Offer:
        answers = [(t, act) for t, act in acts if act.offer == made.offer and act.what != "offer"]
        agreed = {act.seat: t for t, act in answers if act.what == "agree"} | {made.seat: made_ms}
        clock = (made_ms + self.law.lapse_ms, self.seats[made.seat].out_ms)
        ends = [(t, -1, t) for t in clock]
        # Open: of several things that end it the first to arrive does, at its own t*.
        heard = [(t, one) for t, one in answers if one.what in ("refuse", "withdraw")]
        for seat in self.seats:
            since = agreed.get(seat.seat, NEVER)
            heard += [(t, one) for t, _, one in seat.moves if made.offer in one.known and t < since]
        ends += [(one.arrival_ms, self._places[id(one)], t) for t, one in heard]
        return Offer(made.offer, made.seat, made_ms, agreed, min(ends)[2])

    def standing(self, now_ms: int) -> Offer | None:
        """The offer that stands after everything of this millisecond."""
        return next((offer for offer in self.offers if offer.made_ms <= now_ms < offer.over_ms), None)

    def agreed(self, now_ms: int) -> tuple[int, tuple[int, ...]]:
        """The number of the offer that stands and who has agreed to it; 0 and nobody if none does."""
        offer = self.standing(now_ms)
        agreed = [] if offer is None else [seat for seat, since in offer.agreed.items() if since <= now_ms]
        return (0 if offer is None else offer.number, tuple(sorted(agreed)))

    def hears(self, said: Said, looked_ms: int) -> bool:
        """Whether a word about a draw counts: one offer at a time, a wait after a failed one, so many a race."""
        now_ms, offer = said.arrival_ms, self.standing(said.arrival_ms)
        if self.seats[said.seat].state(now_ms, looked_ms) not in (MOVING, STUCK):
            return False
        if said.what == "offer":
            mine = [one for one in self.offers if one.seat == said.seat]
            waited = all(now_ms >= one.over_ms + self.law.wait_ms for one in mine)
            # Open: "nobody agrees by absence", so an offer that nobody could answer cannot be made.
            asked = [seat for seat in self.seats if seat.seat != said.seat and seat.asked(now_ms, looked_ms)]
            return offer is None and waited and len(mine) < self.law.offers_max and bool(asked)
        if offer is None or offer.number != said.offer:
            return False
        # Open: who has agreed can refuse no more; the offerer withdraws instead, and nobody else can.
        if said.what == "withdraw":
            return offer.seat == said.seat
        # Open: within a millisecond the seats have no order, so nobody can agree in that of the offer.
        seen = said.what == "refuse" or (said.offer in said.known and now_ms > offer.made_ms)
        return seen and said.seat not in offer.agreed

    def _all_agree(self, now_ms: int) -> bool:
        number, agreed = self.agreed(now_ms)
        in_race = [seat for seat in self.seats if seat.out_ms > now_ms]
        # Open: it takes two to draw ("nobody agrees by absence").
        two = sum(seat.seat in agreed for seat in in_race) >= 2
        return number > 0 and two and all(seat.seat in agreed for seat in in_race if seat.asked(now_ms))

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────

    def verdict(self, now_ms: int) -> Verdict | None:
        """The first clause that ever held up to now, and what it says."""
        if now_ms not in self._verdicts:
            moments = sorted(t for t in self._moments() if t <= now_ms)
            self._verdicts[now_ms] = next((found for t in moments if (found := self._clause(t)) is not None), None)
        return self._verdicts[now_ms]

    def future(self, now_ms: int) -> list[int]:
        """When the clock alone may decide something after now: the bell, a window that runs out."""
        return [t for t in self._dues if t > now_ms]

    def _moments(self) -> set[int]:
        """Every millisecond in which something happened that a clause could ask about."""
        found = {self.law.bell_ms if self.law.kind == TIMED else NEVER}
        for seat in self.seats:
            found |= {seat.stuck_ms, seat.target_ms, seat.out_ms, *seat.times}
            found |= {t for t, _ in seat.acts} | {lost + self.law.away_ms for lost, _ in seat.absences}
        return found

    def _clause(self, t: int) -> Verdict | None:
        """The clauses in the order 4.2, 4.8, 4.1, 4.3, 4.4, 4.5, asked after all events of this millisecond."""
        seats = self.seats
        made = [seat for seat in seats if seat.target_ms <= t]
        in_race = [seat for seat in seats if seat.out_ms > t]
        can_move = [seat for seat in in_race if seat.stuck_ms > t]
        stuck = [seat for seat in in_race if seat.stuck_ms <= t]
        if made:
            fewest = min(seat.target_moves for seat in made)
            return Verdict("target", tuple(seat.seat for seat in made if seat.target_moves == fewest), t)
        if self._all_agree(t):
            return Verdict("agreed", tuple(seat.seat for seat in in_race), t)
        if len(in_race) == 1:
            return Verdict("alone", (in_race[0].seat,), t)
        if not in_race:
            return Verdict("void", (), t)
        if len(can_move) == 1 and stuck and can_move[0].figures(t)[0] > max(seat.figures(t)[0] for seat in stuck):
            return Verdict("last mover", (can_move[0].seat,), t)
        if not can_move:
            return Verdict("all stuck", self._highest(in_race, t), t)
        if self.law.kind == TIMED and t >= self.law.bell_ms:
            return Verdict("bell", self._highest(in_race, t), t)
        return None

    def _highest(self, among: list[SeatStory], t: int) -> tuple[int, ...]:
        best = max(seat.figures(t)[0] for seat in among)
        return tuple(seat.seat for seat in among if seat.figures(t)[0] == best)

    # ── what is let in (6.1, 6.2, 5.2) ───────────────────────────────────────────────────────────────────────────

    def admits(self, said: Said, looked_ms: int) -> bool:
        """Whether a slice is taken: by a seat that can move, in order, not from the future, not a flood."""
        seat, law = self.seats[said.seat], self.law
        claims = seat.claims + list(said.claims)
        if seat.state(said.arrival_ms, looked_ms) != MOVING or said.claims[-1] > said.arrival_ms + law.ahead_ms:
            return False
        if said.from_future or claims != sorted(claims) or self._flood(claims, len(said.claims)):
            return False
        return said.sealed or not self._needs_seal(seat, said)

    def _needs_seal(self, seat: SeatStory, said: Said) -> bool:
        """deal.md 5.2: a target comes with its seal; and no move stays unsealed for long."""
        before = seat.moves[-1][1].top if seat.moves else 0
        makes = self.law.kind == TARGET and said.boards[-1].top >= self.law.target > before
        first = (seat.claims[seat.sealed :] + list(said.claims))[0]
        return makes or first + self.law.unsealed_ms < said.claims[-1]

    def _flood(self, claims: list[int], new: int) -> bool:
        """6.1: a bucket of `burst` that fills by `rate_per_s` overflows if any run of moves is too dense."""
        law = self.law
        ends = range(len(claims) - new, len(claims))
        return any(
            (end - first + 1 - law.burst) * 1000 > law.rate_per_s * (claims[end] - claims[first])
            for end in ends
            for first in range(end + 1)
        )

    def standing_order(self, verdict: Verdict) -> list[int]:
        """4.11: winners, then losers by score and fewer moves; the resigned and forfeited last, latest first."""

        def place(seat: SeatStory) -> tuple[bool, bool, int, int, int]:
            score, _, moves = seat.figures(verdict.t_ms)
            lost = seat.seat not in verdict.winners
            out = lost and seat.out_ms <= verdict.t_ms
            tail = (-seat.out_ms, 0) if out else (-score, moves)
            return (lost, out, *tail, seat.seat)

        return [seat.seat for seat in sorted(self.seats, key=place)]
