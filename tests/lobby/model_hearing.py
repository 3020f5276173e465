"""What the model is told, and which of all that is said in a race is let in (rules 5.2, 5.3, 6.1, 6.2, deal.md §5).

A `Race` keeps the list of what was let in; whatever it must know to decide it asks a `Judge` of the whole list.
Like model.py and model_race.py it imports nothing of the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.lobby.model_race import MOVING, NEVER, STUCK, After, Judge, Law, Said, Verdict

CANCEL_MS = 150  # rules 3.5


@dataclass(frozen=True)
class House:
    """The windows of a table, which rules.md gives in plain numbers."""

    countdown_ms: int = 3_000
    cancel_ms: int = 150
    nonce_ms: int = 5_000
    silent_ms: int = 15_000
    away_ms: int = 60_000
    closing_ms: int = 5_000


@dataclass(frozen=True)
class Rules:
    """The settings of a table (3.2), as far as its life depends on them."""

    seats: int
    law: Law  # how a race of these settings is judged; how many are dealt in is filled in at its start


@dataclass(frozen=True)
class Happened:
    """One thing a person did, or that befell a connection. An empty `who`: the table was told the time."""

    at_ms: int
    who: str
    what: str
    value: object = None  # set: Rules; put_out: a seat; lock: a bool; arrived: by the watch code; ponged: a round trip
    said: Said | None = None  # moved, acted: its arrival, seat and line are filled in
    computer: bool = False


@dataclass
class Race:
    """A race from its countdown on. `looked_ms`: what fell due up to then has happened already."""

    number: int
    players: list[str]
    law: Law
    start_ms: int
    memo: dict[tuple[int, int], Judge]  # by race and by the length of the list
    said: list[Said] = field(default_factory=list)
    opened_ms: int = NEVER  # when the settling opened
    opened_by: str = ""  # the clause that opened it
    verdict: Verdict | None = None
    dropping: set[int] = field(default_factory=set)  # seats of which a slice was refused (deal.md 5.1)
    resyncs: dict[int, int] = field(default_factory=dict)  # when a seat last took up its slices again

    def judge(self) -> Judge:
        """The judge of all that was let in."""
        key = (self.number, len(self.said))
        if key not in self.memo:
            self.memo[key] = Judge(self.law, After(0, 0, full=False), list(self.said))
        return self.memo[key]

    def over(self, race_ms: int) -> bool:
        """5.3: whether something has ended the race; the first time, that opens the settling."""
        verdict = self.judge().verdict(race_ms)
        if verdict is not None:
            self.opened_ms, self.opened_by = race_ms, verdict.clause
        return verdict is not None

    def unsealed(self) -> list[str]:
        """deal.md 5.2: whose closing seals are missing."""
        seats = zip(self.players, self.judge().seats, strict=True)
        return [who for who, seat in seats if seat.sealed < len(seat.moves)]

    def lost(self, who: str, now_ms: int) -> None:
        """Open: a window to come back does not begin before the last moment of the countdown."""
        self.said.append(Said(max(now_ms - self.start_ms, -CANCEL_MS), self.players.index(who), "lost"))

    def back(self, who: str, now_ms: int, looked_ms: int, *, lost: bool) -> None:
        """Somebody has a connection again (`lost`), or another one."""
        seat, at_ms = self.players.index(who), max(now_ms - self.start_ms, -CANCEL_MS)
        self.dropping.discard(seat)
        self.resyncs.pop(seat, None)
        if lost:
            since_ms = [said.arrival_ms for said in self.said if (said.seat, said.what) == (seat, "lost")][-1]
            late = since_ms + self.law.away_ms == at_ms and looked_ms == now_ms
            self.said.append(Said(at_ms + late, seat, "back"))  # late: its window was over in this millisecond

    def moved(self, who: str, said: Said, now_ms: int, looked_ms: int) -> bool:
        """A slice. Returns whether its connection is closed: it was refused again soon after a resync."""
        seat = self.players.index(who)
        if seat in self.dropping:
            return False
        said = said._replace(arrival_ms=now_ms - self.start_ms, seat=seat)
        if self.judge().admits(said, self._looked(looked_ms)):
            self.said.append(said)
            return False
        self.dropping.add(seat)
        return now_ms - self.resyncs.get(seat, -NEVER) < self.law.resync_ms

    def resynced(self, who: str, now_ms: int) -> None:
        """The player goes on where the lobby has the log."""
        self.dropping.discard(self.players.index(who))
        self.resyncs[self.players.index(who)] = now_ms

    def acted(self, who: str, said: Said, now_ms: int, looked_ms: int) -> None:
        """A seal: it vouches for all moves before it, and what it says counts if it may."""
        seat = self.players.index(who)
        if seat in self.dropping:
            return
        said, looked_ms = said._replace(arrival_ms=now_ms - self.start_ms, seat=seat), self._looked(looked_ms)
        counts = self._in_time(said)
        if said.what == "resign":
            counts = counts and self.judge().seats[seat].state(said.arrival_ms, looked_ms) in (MOVING, STUCK)
        else:
            counts = counts and self.judge().hears(said, looked_ms)
        self.said.append(said if counts else said._replace(what="seal"))

    def _looked(self, looked_ms: int) -> int:
        """Up to when windows have run out: those that would end after the race do not exist."""
        return min(looked_ms - self.start_ms, self.opened_ms)

    def _in_time(self, said: Said) -> bool:
        """What comes in the very millisecond of the end counts. Open: but for taking back an agreement."""
        if self.opened_ms == NEVER:
            return True
        at_once = said.arrival_ms == self.opened_ms and self.verdict is None
        return at_once and self.opened_by != "agreed" and said.what in ("agree", "resign")
