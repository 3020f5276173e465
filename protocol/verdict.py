"""Whether a record is true: everything in it is derived again from what was signed (deal.md 5.5).

`verify_record` is the whole of it: bytes in, a verdict out, whatever the bytes are. It needs no lobby, no network and
no clock. What cannot be derived again is listed in the verdict as resting on the lobby's word (`Trust`). The rules
are engine/'s, the layouts record.py's and movelog.py's, when a move counts moment.py's; here is only the order in
which they are asked. What one seat did is checked in seatcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from engine.board import Board
from engine.deck import Chain, DealtDeck, Deck, seeded_chain_id
from engine.race import Outcome, Race, RaceEvent, RaceTerms, SeatState, Termination
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.faults import FalseRecordError, Fault
from protocol.layout import LayoutError
from protocol.messages import Signed
from protocol.moment import GAP_MS_MIN, fold_with_gaps, moved_by_gaps, void_gap
from protocol.record import EventKind, Gap, Record, RecordError, Result, SeatResult
from protocol.seatcheck import SeatCheck, check_agreements
from protocol.signing import NO_CONTEXT, verify
from protocol.text import SafeText

T = TypeVar("T")


class Trust(StrEnum):
    """What in a record that is true rests on the lobby's word all the same (deal.md 5.5, 4.3)."""

    TIMES = "times"  # when moves arrived, and so which of two came first
    LOGS = "logs"  # lobby and player together could have replaced that player's log
    CORRECTIONS = "corrections"  # some moves do not count at the time their player claimed
    ABSENCES = "absences"  # somebody was away
    VOTES = "votes"  # draw offers: their order, and that no move or refusal cancelled them
    UNSEALED = "unsealed"  # the last moves of a seat, which its player has not signed
    GAPS = "gaps"  # the lobby itself was away
    SEEDED = "seeded"  # the deck was chosen, and could be known before the race


@dataclass(frozen=True, slots=True)
class SeatVerdict:
    """One seat at the moment of the outcome, derived again. `unsealed` counts moves that the player has not signed."""

    seat: int
    name: SafeText
    computer: bool
    score: int
    max_exponent: int
    moves: int
    state: SeatState
    unsealed: int
    board: Board


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of checking a record.

    `damaged`: it is no record, cut off, or unlike its own digest, so nothing can be said of the race. `reason` is
    empty when the record is true; else it says what is false, of which seat and which move (counted from 1), and
    `fault` says it in the one word that every verifier must find (SPEC.md).
    """

    ok: bool
    damaged: bool = False
    fault: Fault | None = None
    reason: str = ""
    outcome: Outcome | None = None
    seats: tuple[SeatVerdict, ...] = ()
    seeded: bool = False
    lobby_key: bytes = b""
    trusts: tuple[Trust, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with what it was derived from: the record, unless it is damaged, and its seats if it is true."""

    verdict: Verdict
    record: Record | None = None
    checks: tuple[SeatCheck, ...] = ()


def verify_record(data: bytes) -> Verdict:
    """Returns the verdict on the bytes of a record. Raises nothing, whatever they are."""
    return judge_record(data).verdict


def judge_record(data: bytes) -> Judgement:
    """Returns the verdict on the bytes of a record, for those who ask more of it. Raises nothing, whatever they are."""
    try:
        record = Record.parse(data)
    except RecordError as error:
        return Judgement(Verdict(ok=False, damaged=True, fault=error.fault, reason=str(error)))
    try:
        verdict, checks = _judge(record)
    except FalseRecordError as error:
        return Judgement(Verdict(ok=False, fault=error.fault, reason=str(error)), record)
    return Judgement(verdict, record, tuple(checks))


@dataclass(frozen=True, slots=True)
class _Papers:
    """What a race was opened with, as the lobby signed it."""

    deal: Deal
    deal_hash: bytes
    seats_hash: bytes
    seats: Seats
    start: Start


def _judge(record: Record) -> tuple[Verdict, list[SeatCheck]]:
    """Returns the verdict on a record that is true, and its seats; raises FalseRecordError if it is not."""
    papers = _open_papers(record)
    result = _open(record.result, Result.decode, "result", papers.deal.lobby_key, papers.start.mix)
    deck = _open_deck(record.last_link, papers)
    players = _open_players(papers, papers.deal.settings.seats)
    _check_commitments(papers, players)
    _check_counts(record, result, len(players))
    gaps = _open_gaps(record, papers)
    terms = moved_by_gaps(papers.deal.terms(len(players)), gaps)
    checks = []
    for seat, (player, log) in enumerate(zip(players, record.logs, strict=True)):
        events = [event for event in record.events if event.seat == seat]
        check = SeatCheck(seat, player.key, log, events, papers.deal, papers.start.mix)
        check.times(gaps)
        check.replay(deck, terms)
        check.seals()
        checks.append(check)
    check_agreements(record.events, checks)
    outcome, race = _outcome(terms, [check.stream() for check in checks], gaps)
    seats = tuple(_seat_verdict(check, player, race, deck) for check, player in zip(checks, players, strict=True))
    _compare(result, outcome, seats)
    _check_target_sealed(outcome, race, checks)
    verdict = Verdict(
        ok=True,
        outcome=outcome,
        seats=seats,
        seeded=papers.deal.seeded,
        lobby_key=papers.deal.lobby_key,
        trusts=_trusts(record, papers.deal, seats),
    )
    return verdict, checks


def _open(signed: Signed, decode: Callable[[bytes], T], kind: str, key: bytes, context: bytes) -> T:
    """Returns the content of a document whose signature by `key` is right; raises FalseRecordError."""
    if not verify(key, kind, context, signed.body, signed.signature):
        raise FalseRecordError(Fault.LOBBY_SIGNATURE, f"the lobby's signature of the {kind.capitalize()} is false")
    return _decode(signed, decode, kind)


def _decode(signed: Signed, decode: Callable[[bytes], T], kind: str) -> T:
    try:
        return decode(signed.body)
    except LayoutError as error:
        raise FalseRecordError(Fault.UNREADABLE, f"the {kind.capitalize()} cannot be read: {error}") from None


def _open_papers(record: Record) -> _Papers:
    """Returns the Deal, Seats and Start, each signed by the lobby that the Deal names."""
    deal = _decode(record.deal, Deal.decode, "deal")
    _open(record.deal, Deal.decode, "deal", deal.lobby_key, NO_CONTEXT)
    deal_hash = document_hash("deal", record.deal)
    seats = _open(record.seats, Seats.decode, "seats", deal.lobby_key, deal_hash)
    start = _decode(record.start, Start.decode, "start")
    _open(record.start, Start.decode, "start", deal.lobby_key, start.mix)
    return _Papers(deal, deal_hash, document_hash("seats", record.seats), seats, start)


def _open_deck(last_link: bytes, papers: _Papers) -> Deck:
    """Returns the deck, its last link hashed down to the anchor (deal.md 2.1, 2.2)."""
    deal = papers.deal
    if deal.seeded and (last_link != deal.seed or deal.chain_id != seeded_chain_id(deal.seed)):
        raise FalseRecordError(Fault.SEED, "the deck is not the one of the seed in the Deal")
    chain = Chain(deal.chain_id, last_link, deal.chain_length)
    if chain.anchor != deal.anchor:
        raise FalseRecordError(Fault.ANCHOR, "the last link of the chain does not hash down to the anchor in the Deal")
    return DealtDeck(chain, deal.deck_mix(papers.start.mix))


def _open_players(papers: _Papers, seats: int) -> tuple[Ready, ...]:
    """Returns who was dealt in: at most as many as the table has seats, each by a signed Ready of its own key."""
    players: list[Ready] = []
    for seat, signed in enumerate(papers.seats.readies):
        ready = _decode(signed, Ready.decode, "ready")
        if not verify(ready.key, "ready", papers.deal_hash, signed.body, signed.signature):
            raise FalseRecordError(Fault.PLAYER_SIGNATURE, f"seat {seat}: the signature of its Ready is false")
        players.append(ready)
    if len(players) > seats:
        raise FalseRecordError(Fault.SEATS, f"{len(players)} seats at a table of {seats}")
    if len({player.key for player in players}) < len(players):
        raise FalseRecordError(Fault.SEATS, "one key has two seats")
    return tuple(players)


def _check_commitments(papers: _Papers, players: Sequence[Ready]) -> None:
    """Checks that each nonce is the one its Ready committed to, and the mix made of all (deal.md §3)."""
    nonces = papers.start.nonces
    if len(nonces) != len(players):
        raise FalseRecordError(Fault.COMMITMENT, f"the Start has {len(nonces)} nonces for {len(players)} seats")
    for seat, (player, nonce) in enumerate(zip(players, nonces, strict=True)):
        if player.commitment != commitment(papers.deal_hash, player.key, nonce):
            raise FalseRecordError(Fault.COMMITMENT, f"seat {seat}: its nonce is not the one it committed to")
    if papers.start.mix != mix(papers.deal_hash, papers.seats_hash, nonces):
        raise FalseRecordError(Fault.MIX, "the mix in the Start is not made of the Deal, the Seats and the nonces")


def _check_counts(record: Record, result: Result, seats: int) -> None:
    if len(record.logs) != seats or len(result.seats) != seats:
        what = f"{seats} seats, but {len(record.logs)} logs and {len(result.seats)} results"
        raise FalseRecordError(Fault.SEATS, what)
    for event in record.events:
        if event.seat >= seats:
            raise FalseRecordError(Fault.SEATS, f"an event of seat {event.seat}, of {seats} seats")


def _open_gaps(record: Record, papers: _Papers) -> tuple[Gap, ...]:
    """Returns the gaps: signed by the lobby, long enough to be some, one after another (rules 5.6)."""
    gaps = []
    end_ms = 0
    for signed in record.gaps:
        gap = _open(signed, Gap.decode, "gap", papers.deal.lobby_key, papers.start.mix)
        if gap.from_ms < end_ms or gap.to_ms - gap.from_ms <= GAP_MS_MIN:
            what = f"a gap from {gap.from_ms} to {gap.to_ms} ms is out of order or too short"
            raise FalseRecordError(Fault.GAP, what)
        end_ms = gap.to_ms
        gaps.append(gap)
    return tuple(gaps)


def _outcome(terms: RaceTerms, streams: Sequence[Sequence[RaceEvent]], gaps: Sequence[Gap]) -> tuple[Outcome, Race]:
    outcome, race = fold_with_gaps(terms, streams, void_gap(gaps))
    if outcome is None:
        raise FalseRecordError(Fault.NOT_OVER, "the race is not over: nothing in the record ends it")
    return outcome, race


def _seat_verdict(check: SeatCheck, player: Ready, race: Race, deck: Deck) -> SeatVerdict:
    seat = race.seats[check.number]
    board = check.board_after(seat.moves, deck)
    return SeatVerdict(
        seat=check.number,
        name=SafeText.shown(player.name),
        computer=player.computer,
        score=seat.score,
        max_exponent=board.max_exponent,
        moves=seat.moves,
        state=seat.state,
        unsealed=check.unsealed,
        board=board,
    )


def _compare(result: Result, outcome: Outcome, seats: Sequence[SeatVerdict]) -> None:
    """Raises FalseRecordError if the lobby's Result says anything else than what was derived."""
    if result.outcome != outcome:
        what = f"the Result says {_say(result.outcome)}, but the race ended {_say(outcome)}"
        raise FalseRecordError(Fault.OUTCOME, what)
    for said, seat in zip(result.seats, seats, strict=True):
        for field in SeatResult.__slots__:
            claimed, derived = getattr(said, field), getattr(seat, field)
            if claimed != derived:
                what = f"seat {seat.seat}: the Result says {field} {_word(claimed)}, but it is {_word(derived)}"
                raise FalseRecordError(Fault.FIGURES, what)


def _check_target_sealed(outcome: Outcome, race: Race, checks: Sequence[SeatCheck]) -> None:
    """Checks that who won by the target has signed it (deal.md 5.2)."""
    if outcome.termination is not Termination.TARGET:
        return
    for winner in outcome.winners:
        made = race.seats[winner].target_moves
        if made > checks[winner].sealed:
            what = f"seat {winner}, move {made}: it made the target, but no seal says so"
            raise FalseRecordError(Fault.TARGET_UNSEALED, what)


def _word(figure: int) -> str:
    return figure.name.lower() if isinstance(figure, SeatState) else str(figure)


def _say(outcome: Outcome) -> str:
    won = " and ".join(str(seat) for seat in outcome.winners) or "nobody"
    return f"by {outcome.termination.name.lower()} at {outcome.t_ms} ms, won by {won}"


def _trusts(record: Record, deal: Deal, seats: Sequence[SeatVerdict]) -> tuple[Trust, ...]:
    kinds = {event.kind for event in record.events}
    rests = {
        Trust.TIMES: True,
        Trust.LOGS: True,
        Trust.CORRECTIONS: any(log.corrections for log in record.logs),
        Trust.ABSENCES: not kinds.isdisjoint((EventKind.FORFEITED, EventKind.ABSENT, EventKind.RETURNED)),
        Trust.VOTES: not kinds.isdisjoint((EventKind.VOTE, EventKind.SAID)),
        Trust.UNSEALED: any(seat.unsealed for seat in seats),
        Trust.GAPS: bool(record.gaps),
        Trust.SEEDED: deal.seeded,
    }
    return tuple(trust for trust, there in rests.items() if there)
