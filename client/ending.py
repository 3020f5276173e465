"""Comparing the end of a race, as a lobby tells it, with what this client has seen (deal.md 5.6).

What a lobby has told during a race and at its end, and the record it signs, must all be one story: who moved when,
who left, when the lobby itself was away. Whether the record is true by itself is protocol/verdict.py's business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from client.race import Seen
from client.view import Check
from engine.board import Board
from engine.race import Moved, Outcome, SeatState, Termination
from protocol.limits import SIGNATURE_BYTES
from protocol.messages import Ended
from protocol.record import EventKind, Gap, Record
from protocol.seatcheck import SeatCheck
from protocol.tick import SeatFigures, Tick
from protocol.verdict import Verdict, judge_record

LEAVING = {EventKind.RESIGNED: SeatState.RESIGNED, EventKind.FORFEITED: SeatState.FORFEITED}


def ended_fits(ended: Ended, seats: int, size: int) -> bool:
    """Returns whether what is told at the end can be the end of a race of so many seats at all."""
    lists: tuple[Sequence[object], ...] = (
        ended.states, ended.scores, ended.max_exponents, ended.moves, ended.boards,
    )  # fmt: skip
    if any(len(told) != seats for told in lists) or sorted(ended.standing) != list(range(seats)):
        return False
    if ended.termination not in Termination.__members__.values() or any(seat >= seats for seat in ended.winners):
        return False
    if any(state not in SeatState.__members__.values() for state in ended.states):
        return False
    try:
        return bool([Board.of_cells(size, cells) for cells in ended.boards])
    except ValueError:
        return False


def check_record(data: bytes, race: Seen) -> Check:
    """Returns whether a record holds, and tells of this race what the lobby has told before.

    `reason` is a code of words.py; `detail` what `verify` says, or whose figures they are.
    """
    judgement = judge_record(data)
    verdict, record = judgement.verdict, judgement.record
    if record is None or not verdict.ok:
        return Check(ok=False, reason="false", detail=verdict.reason)
    if record.deal != race.deal or record.start != race.start_signed:
        return Check(ok=False, reason="other-race")
    if race.record_sha256 not in (None, hashlib.sha256(data).digest()):
        return Check(ok=False, reason="other-record")
    if not _has_own_moves(record, race):
        return Check(ok=False, reason="own-moves")
    if not _as_ended(verdict, race):
        return Check(ok=False, reason="end")
    ticks = [Tick.decode(signed[:-SIGNATURE_BYTES]) for signed in race.ticks]
    if not _as_away(record, race, ticks):
        return Check(ok=False, reason="gaps")
    seat = _other_than_told(judgement.checks, race, ticks)
    if seat is not None:
        return Check(ok=False, reason="figures", detail=race.players[seat].name)
    return Check(ok=True, reason="")


def _has_own_moves(record: Record, race: Seen) -> bool:
    """Returns whether our own log begins with what the lobby has of it, which is at least what it acknowledged."""
    own = race.own
    if own is None:
        return True
    log = record.logs[own.seat]
    count = len(log.directions)
    mine = (own.directions[:count], own.times[:count])
    return (log.directions, tuple(log.times)) == mine and count >= own.acked


def _as_ended(verdict: Verdict, race: Seen) -> bool:
    ended = race.ended
    if ended is None:
        return True
    if verdict.outcome != Outcome(Termination(ended.termination), ended.winners, ended.t_ms):
        return False
    told = zip(ended.states, ended.scores, ended.moves, ended.boards, strict=True)
    return [(seat.state, seat.score, seat.moves, seat.board.cells) for seat in verdict.seats] == list(told)


def _as_away(record: Record, race: Seen, ticks: Sequence[Tick]) -> bool:
    """Returns whether every absence that the lobby told of is in the record, and none in which it told something."""
    gaps = _gaps(record)
    told_ms = [tick.lobby_ms - race.start.start_ms for tick in ticks]
    silent = all(not gap.from_ms < t_ms < gap.to_ms for gap in gaps for t_ms in told_ms)
    return silent and all(gap in gaps for gap in race.gaps)


def _other_than_told(checks: Sequence[SeatCheck], race: Seen, ticks: Sequence[Tick]) -> int | None:
    """Returns the seat of which a tick told what its log never had, or not yet at that time; None if there is none."""
    for seat, check in enumerate(checks):
        told = [(tick.lobby_ms - race.start.start_ms, tick.seats[seat]) for tick in ticks]
        figures = [(each.moves, each.score, each.max_exponent) for _, each in told]
        if figures != sorted(figures) or not all(_had(check, t_ms, each) for t_ms, each in told):
            return seat
    return None


def _had(check: SeatCheck, t_ms: int, told: SeatFigures) -> bool:
    """Returns whether a seat can have had these figures at this time: nothing counts after it was told."""
    made = check.moves[: told.moves]
    if len(made) != told.moves or (told.score, told.max_exponent) != _figures_after(made):
        return False
    if made and made[-1].t_ms > t_ms:
        return False
    left = [event for event in check.events if event.kind in LEAVING and event.t_ms <= t_ms]
    if not told.state.in_race:
        return any(LEAVING[event.kind] is told.state for event in left)
    stuck = told.state is SeatState.STUCK
    if stuck and not any(move.stuck and move.t_ms <= t_ms for move in check.moves[-1:]):
        return False
    gone = any(event.t_ms < t_ms for event in left)  # in the same millisecond either may have been first
    return not gone and (stuck or not (made and made[-1].stuck))


def _figures_after(made: Sequence[Moved]) -> tuple[int, int]:
    return (made[-1].score, made[-1].max_exponent) if made else (0, 0)


def _gaps(record: Record) -> tuple[Gap, ...]:
    return tuple(Gap.decode(signed.body) for signed in record.gaps)
