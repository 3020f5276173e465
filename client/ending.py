"""Comparing the end of a race, as a lobby tells it, with what this client has seen (deal.md 5.6).

What a lobby has told during a race and at its end, and the record it signs, must all be one story. Whether the
record is true by itself is protocol/verdict.py's business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from client.race import Race
from client.view import Check
from engine.board import Board, Direction
from engine.deck import Chain, DealtDeck
from engine.game import Game
from engine.race import Outcome, SeatState, Termination
from protocol.deal import Deal
from protocol.messages import Ended
from protocol.record import Record
from protocol.tick import Tick
from protocol.verdict import Verdict, verify_record


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


def check_record(data: bytes, race: Race) -> Check:
    """Returns whether a record holds, and tells of this race what the lobby has told before."""
    verdict = verify_record(data)
    if not verdict.ok:
        return Check(ok=False, reason=verdict.reason)
    record = Record.parse(data)
    if record.deal != race.deal or record.start != race.start_signed:
        return Check(ok=False, reason="the record is of another race")
    if race.fetching is not None and hashlib.sha256(data).digest() != race.fetching.sha256:
        return Check(ok=False, reason="the record is not the one that was announced")
    if not _has_own_moves(record, race):
        return Check(ok=False, reason="the record does not hold the moves that this program made")
    if not _as_ended(verdict, race):
        return Check(ok=False, reason="the record tells another end than the lobby told before")
    seat = _other_than_told(record, race)
    if seat is not None:
        return Check(ok=False, reason=f"the record tells other figures of seat {seat} than the ticks told")
    return Check(ok=True, reason="")


def _has_own_moves(record: Record, race: Race) -> bool:
    """Returns whether our own log begins with what the lobby has of it, which is at least what it acknowledged."""
    own = race.own
    if own is None:
        return True
    log = record.logs[own.seat]
    count = len(log.directions)
    mine = (bytes(own.log.directions[:count]), tuple(own.log.times[:count]))
    return (log.directions, tuple(log.times)) == mine and count >= own.acked


def _as_ended(verdict: Verdict, race: Race) -> bool:
    ended = race.ended
    if ended is None:
        return True
    if verdict.outcome != Outcome(Termination(ended.termination), ended.winners, ended.t_ms):
        return False
    told = zip(ended.states, ended.scores, ended.moves, ended.boards, strict=True)
    return [(seat.state, seat.score, seat.moves, seat.board.cells) for seat in verdict.seats] == list(told)


def _other_than_told(record: Record, race: Race) -> int | None:
    """Returns the seat of which a tick told figures that its log never had, or None."""
    ticks = [Tick.decode(signed[:-64]) for signed in race.ticks]
    deal = Deal.decode(record.deal.body)
    chain = Chain(deal.chain_id, record.last_link, deal.chain_length)
    for seat, log in enumerate(record.logs):
        told = [(tick.seats[seat].moves, tick.seats[seat].score, tick.seats[seat].max_exponent) for tick in ticks]
        game = Game(deal.settings.size, DealtDeck(chain, deal.deck_mix(race.start.mix)))
        had = {(0, 0, 0)}
        for direction in log.directions:
            game.move(Direction(direction))
            had.add((game.moves, game.score, game.max_exponent))
        if told != sorted(told) or not had.issuperset(told):
            return seat
    return None
