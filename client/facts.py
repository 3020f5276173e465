"""What a list of races and of games alone tells of each: the figures of a record, without its moves and boards.

Pure. `facts_of` judges the bytes of a record; archive.py finds them and remembers what came of it.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from client.reading import RecordFault, open_record, solo_fault
from client.solo_facts import Alone, alone_of
from engine.race import Outcome, RaceSeat, SeatState, Termination, standing
from protocol.deal import Deal, Ready, Seats
from protocol.messages import TableSettings
from protocol.record import EventKind, Record
from protocol.solo import is_solo
from protocol.solo_verdict import verify_solo
from protocol.text import SafeText
from protocol.verdict import Verdict, verify_record

FALSE = "false"
_LEAVING = (EventKind.RESIGNED, EventKind.FORFEITED)


class Finisher(msgspec.Struct, frozen=True, kw_only=True):
    """A player at the end of a race. `last_ms` is the claimed time of the last move that counts."""

    seat: int
    raw_name: str
    key: bytes
    computer: bool
    place: int
    won: bool
    score: int
    max_exponent: int
    moves: int
    state: SeatState
    last_ms: int

    @property
    def name(self) -> SafeText:
        """The name as it can be shown."""
        return SafeText.shown(self.raw_name)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a race, or of a game alone, which has nothing but `alone`.

    `fault` is empty for a true record, else "false" or a `reading.Fault`: nothing is known.
    """

    fault: str = ""
    reason: str = ""
    settings: TableSettings | None = None
    termination: Termination = Termination.VOID
    t_ms: int = 0
    seeded: bool = False
    finishers: tuple[Finisher, ...] = ()
    alone: Alone | None = None

    @property
    def outcome(self) -> Outcome:
        """How the race ended."""
        winners = tuple(each.seat for each in self.finishers if each.won)
        return Outcome(self.termination, winners, self.t_ms)


def facts_of(path: Path, data: bytes) -> Facts:
    """Returns what is to be told of a record, verified; `path` is only named in what is wrong with it."""
    if is_solo(data):
        return _alone_facts(path, data)
    try:
        record = open_record(path, data)
    except RecordFault as fault:
        return Facts(fault=fault.fault.value, reason=fault.reason)
    verdict = verify_record(data)
    if not verdict.ok or verdict.outcome is None:
        return Facts(fault=FALSE, reason=verdict.reason)
    return Facts(
        settings=Deal.decode(record.deal.body).settings,
        termination=verdict.outcome.termination,
        t_ms=verdict.outcome.t_ms,
        seeded=verdict.seeded,
        finishers=_finishers(record, verdict, verdict.outcome),
    )


def _alone_facts(path: Path, data: bytes) -> Facts:
    verdict = verify_solo(data)
    fault = solo_fault(path, verdict)
    if fault is not None:
        return Facts(fault=fault.fault.value, reason=fault.reason)
    if not verdict.ok or verdict.record is None or verdict.solo is None:
        return Facts(fault=FALSE, reason=verdict.reason)
    return Facts(alone=alone_of(verdict.record.opening, verdict.solo, verdict.unsigned))


def _finishers(record: Record, verdict: Verdict, outcome: Outcome) -> tuple[Finisher, ...]:
    """Returns everyone in the order of their places."""
    left_ms = {event.seat: event.t_ms for event in record.events if event.kind in _LEAVING}
    seats = [
        RaceSeat(state=seat.state, score=seat.score, moves=seat.moves, left_ms=left_ms.get(seat.seat, -1))
        for seat in verdict.seats
    ]
    readies = [Ready.decode(signed.body) for signed in Seats.decode(record.seats.body).readies]
    found = []
    for place, number in enumerate(standing(seats, outcome.winners), 1):
        seat, ready, times = verdict.seats[number], readies[number], record.logs[number].times
        finisher = Finisher(
            seat=number,
            raw_name=ready.name,
            key=ready.key,
            computer=seat.computer,
            place=place,
            won=number in outcome.winners,
            score=seat.score,
            max_exponent=seat.max_exponent,
            moves=seat.moves,
            state=seat.state,
            last_ms=times[seat.moves - 1] if seat.moves else 0,
        )
        found.append(finisher)
    return tuple(found)
