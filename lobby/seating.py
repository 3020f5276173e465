"""The seats of a table between races: who sits, who is host, who may (rules §3).

Owns the seats, the host's role, the lock, the list of those put out and the tally. Says why somebody may not, as a
Refusal; sends nothing and knows no phase: table.py asks only when it is the time for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from engine.race import Outcome
from lobby import bounds
from lobby.people import Member, Seat, Tally
from protocol.messages import Role, SeatView, TableSettings, TallyView
from protocol.refusals import Refusal
from protocol.text import distinct_name, judge_name

NOBODY = bytes(32)


class Seating:
    """The seats of one table. `seats` has as many places as the settings say; a free one is None."""

    def __init__(self, settings: TableSettings, host: bytes) -> None:
        self.settings = settings
        self.host = host
        self.host_left = False  # the host has gone for good, and nobody could take over yet
        self.host_lost_ms: int | None = None
        self.seats: list[Seat | None] = [None] * settings.seats
        self.locked = False
        self.kicked: deque[bytes] = deque(maxlen=bounds.KICKED_MAX)
        self.tally: dict[bytes, Tally] = {}  # who has raced last stands last

    def __iter__(self) -> Iterator[Seat]:
        return (seat for seat in self.seats if seat is not None)

    def __len__(self) -> int:
        return sum(seat is not None for seat in self.seats)

    def place_of(self, key: bytes) -> int | None:
        """Returns the number of the seat of this key, or None."""
        return next((n for n, seat in enumerate(self.seats) if seat is not None and seat.key == key), None)

    def places(self) -> dict[bytes, int]:
        """Returns the number of the seat of each key that has one."""
        return {seat.key: n for n, seat in enumerate(self.seats) if seat is not None}

    def seat_of(self, key: bytes) -> Seat | None:
        """Returns the seat of this key, or None."""
        return next((seat for seat in self if seat.key == key), None)

    def sit_fault(self, member: Member) -> Refusal | None:
        """Returns why this member may not take a free seat now, or None (rules 3.3, 3.4)."""
        if not member.may_sit or member.role is Role.WATCHER:
            return Refusal.WATCH_CODE
        if member.key in self.kicked:
            return Refusal.KICKED
        if self.locked and member.key != self.host:
            return Refusal.LOCKED
        if judge_name(member.raw_name) is None:
            return Refusal.NAME
        return None if None in self.seats else Refusal.FULL

    def sit(self, member: Member, now_ms: int) -> Seat:
        """Seats a member in the first free seat. Ask `sit_fault` first."""
        name = judge_name(member.raw_name)
        assert name is not None, "sit_fault lets only usable names through"
        name = distinct_name(name, (seat.name for seat in self))
        seat = Seat(member.key, name, member.role is Role.COMPUTER, now_ms, member.connection)
        self.seats[self.seats.index(None)] = seat
        self.returned(member.key)
        return seat

    def free(self, key: bytes) -> None:
        """Frees the seat of this key, if it has one."""
        place = self.place_of(key)
        if place is not None:
            self.seats[place] = None

    def resize(self, settings: TableSettings) -> None:
        """Takes new settings, which have a seat for everyone who sits; they close up."""
        seated = list(self)
        self.settings = settings
        self.seats = [*seated, *[None] * (settings.seats - len(seated))]

    def rotate(self) -> None:
        """Moves everyone one seat on, over the occupied seats in order, the last to the first (rules 3.7)."""
        places = [n for n, seat in enumerate(self.seats) if seat is not None]
        moved = [self.seats[n] for n in places]
        for place, seat in zip(places, moved[-1:] + moved[:-1], strict=True):
            self.seats[place] = seat

    def close_up(self) -> None:
        """Drops the free seats for a race: its seats are those occupied, in order."""
        self.seats = list(self)

    def reopen(self) -> None:
        """Gives the table its free seats back after a race."""
        self.seats += [None] * (self.settings.seats - len(self.seats))

    def clear_ready(self) -> None:
        """Takes back every Ready, nonce and wish for another race (rules 3.4)."""
        for seat in self:
            seat.ready = seat.nonce = None
            seat.wants_again = False

    def start_fault(self) -> Refusal | None:
        """Returns why the host cannot start now, or None (rules 3.4)."""
        if len(self) < 2 or any(seat.connection is None or seat.ready is None for seat in self):
            return Refusal.NOT_READY
        return None

    def move(self, gap_ms: int) -> None:
        """The lobby was away: that counts against no host who was lost before (rules 5.6)."""
        if self.host_lost_ms is not None:
            self.host_lost_ms += gap_ms

    def resume(self, gap_ms: int) -> None:
        """The lobby was restarted: that counts against no seat and no host that was lost before (rules 5.6)."""
        self.move(gap_ms)
        for seat in self:
            seat.lost_ms += gap_ms

    def deadline(self, away_ms: int, *, keep: bool) -> int | None:
        """Returns when `wake` next has something to do; `keep`: a race runs, and nobody loses a seat here."""
        lost = [] if keep else [seat.lost_ms for seat in self if seat.connection is None]
        if self.host_lost_ms is not None:
            lost.append(self.host_lost_ms)
        return min(lost) + away_ms if lost else None

    def wake(self, lost_before_ms: int, *, keep: bool) -> list[bytes]:
        """Hands the table over if its host was lost before then; returns the keys that have lost their seat (3.10)."""
        if self.host_lost_ms is not None and self.host_lost_ms <= lost_before_ms:
            self.host_lost_ms = None
            self.hand_over()
        if keep:
            return []
        return [seat.key for seat in self if seat.connection is None and seat.lost_ms <= lost_before_ms]

    def hand_over(self) -> None:
        """Gives the host's role to the longest-seated connected person, now or as soon as there is one (rules 3.10)."""
        persons = [s for s in self if not s.computer and s.connection is not None and s.key != self.host]
        self.host_left = not persons
        if persons:
            self.host = min(persons, key=lambda seat: seat.since_ms).key
            self.host_lost_ms = None

    def returned(self, key: bytes) -> None:
        """Somebody is there (again): the host, or one who takes over where the host has gone and nobody could."""
        if key == self.host:
            self.host_lost_ms, self.host_left = None, False
        elif self.host_left:
            self.hand_over()

    def finish(self, outcome: Outcome, now_ms: int) -> None:
        """A race is over: it is counted, every Ready is taken back, and who is lost has the full time to come back."""
        self._count(outcome)
        self.clear_ready()
        for seat in self:
            seat.lost_ms = now_ms

    def _count(self, outcome: Outcome) -> None:
        """Enters the outcome of a race into the tally; a void one is not (rules 3.8).

        At a table of very many players those are forgotten who have not raced for longest.
        """
        if not outcome.winners:
            return
        for number, seat in enumerate(self):
            tally = self.tally[seat.key] = self.tally.pop(seat.key, Tally(seat.name))
            tally.name = seat.name
            if number not in outcome.winners:
                tally.losses += 1
            elif len(outcome.winners) > 1:
                tally.draws += 1
            else:
                tally.wins += 1
        for key in list(self.tally)[: -bounds.TALLY_MAX]:
            del self.tally[key]

    def view(self) -> tuple[SeatView | None, ...]:
        """Returns the seats as everyone may see them."""
        return tuple(None if seat is None else _seat_view(seat) for seat in self.seats)

    def tally_view(self) -> tuple[TallyView, ...]:
        """Returns the tally, most wins first."""
        rows = sorted(self.tally.items(), key=lambda row: (-row[1].wins, -row[1].draws, row[0]))
        return tuple(
            TallyView(key=key, name=tally.name, wins=tally.wins, draws=tally.draws, losses=tally.losses)
            for key, tally in rows
        )


def _seat_view(seat: Seat) -> SeatView:
    return SeatView(
        key=seat.key,
        name=seat.name,
        computer=seat.computer,
        connected=seat.connection is not None,
        ready=seat.ready is not None,
        wants_again=seat.wants_again,
    )
