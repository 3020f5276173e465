"""The list of broken records: its name, the fault that every verifier must find, and how it is made."""

from __future__ import annotations

from collections.abc import Callable

from engine.race import Termination
from protocol.faults import Fault
from protocol.limits import Windows
from protocol.record import HEAD, MAGIC, Correction, EventKind, Section
from tests.protocol import frozen_special as special
from tests.protocol.frozen_broken import (
    OTHER,
    altered,
    corrections_of,
    deal_changed,
    event_changed,
    figures_changed,
    flipped,
    joined,
    late,
    outcome_changed,
    put,
    ready_changed,
    rebuilt,
    restarted,
    seal_changed,
    seats_changed,
    split,
    with_gaps,
)
from tests.protocol.frozen_true import absent_draw
from tests.protocol.races import (
    OFFER_TICK,
    TIMED,
    drawn_race,
    forfeited_race,
    resigned_race,
    secret,
    stuck_race,
    target_race,
    timed_race,
)

DATA = target_race().record()
Maker = Callable[[], bytes]


def _damaged_head() -> dict[str, tuple[Fault, Maker]]:
    return {
        "empty": (Fault.LAYOUT, lambda: b""),
        "half-a-head": (Fault.LAYOUT, lambda: MAGIC[:5]),
        "another-file": (Fault.NOT_A_RECORD, lambda: b"PK\x03\x04 this is no record"),
        "version-0": (Fault.VERSION, lambda: MAGIC + b"\0" + DATA[len(HEAD) :]),
        "version-2": (Fault.VERSION, lambda: MAGIC + b"\2" + DATA[len(HEAD) :]),
        "head-alone": (Fault.LAYOUT, lambda: HEAD),
        "cut-off": (Fault.LAYOUT, lambda: DATA[:-1]),
        "cut-off-in-a-log": (Fault.LAYOUT, lambda: DATA[:900]),
        "byte-behind-the-end": (Fault.LAYOUT, lambda: DATA + b"\0"),
        "two-results": (Fault.LAYOUT, lambda: joined([*split(DATA), split(DATA)[-1]])),
        "unknown-section": (Fault.LAYOUT, lambda: joined([*split(DATA)[:-1], (9, b""), split(DATA)[-1]])),
        "gap-before-event": (Fault.LAYOUT, lambda: rebuilt(special.gapped_draw(), special.gaps_first)),
        "short-result": (Fault.LAYOUT, lambda: joined([*split(DATA)[:-1], (Section.RESULT, bytes(95))])),
        "byte-of-the-deal-changed": (Fault.DIGEST, lambda: flipped(DATA, 60)),
        "byte-of-a-move-changed": (Fault.DIGEST, lambda: flipped(DATA, DATA.index(b"\4\0\0") + 12)),
        "byte-of-the-digest-changed": (Fault.DIGEST, lambda: flipped(DATA, DATA.rindex(b"\x08\0\0\0") + 7)),
    }


def _damaged_inside() -> dict[str, tuple[Fault, Maker]]:
    return {
        "unused-direction-bits": (
            Fault.LAYOUT,
            lambda: altered(resigned_race(), Section.LOG, special.unused_bits),
        ),
        "long-varint": (
            Fault.LAYOUT,
            lambda: altered(resigned_race(), Section.LOG, special.LONG_VARINT),
        ),
        "varint-of-33-bits": (
            Fault.LAYOUT,
            lambda: altered(resigned_race(), Section.LOG, special.HUGE_VARINT),
        ),
        "correction-of-no-move": (Fault.LAYOUT, lambda: corrections_of(Correction(300, 31_000, 0))),
        "correction-believed-less-than-nothing": (Fault.LAYOUT, lambda: corrections_of(Correction(3, 900, -1))),
        "correction-believed-for-a-minute": (Fault.LAYOUT, lambda: corrections_of(Correction(3, 900, 65_536))),
        "correction-arrives-in-50-days": (
            Fault.LAYOUT,
            lambda: corrections_of(Correction(3, 1 << 31, 400), Correction(4, 1 << 32, 400)),
        ),
        "correction-twice": (Fault.LAYOUT, lambda: corrections_of(Correction(3, 900, 400), Correction(3, 900, 400))),
        "log-with-more-behind": (
            Fault.LAYOUT,
            lambda: altered(target_race(), Section.LOG, lambda b: b + b"\0"),
        ),
        "event-of-no-kind": (
            Fault.LAYOUT,
            lambda: altered(drawn_race(), Section.EVENT, put(0, 7)),
        ),
        "seal-present-2": (
            Fault.LAYOUT,
            lambda: altered(forfeited_race(), Section.EVENT, lambda b: b[:-1] + b"\2"),
        ),
        "link-of-31-bytes": (
            Fault.LAYOUT,
            lambda: altered(target_race(), Section.CHAIN, lambda b: b[:-1]),
        ),
        "deal-of-63-bytes": (Fault.LAYOUT, lambda: altered(target_race(), Section.DEAL, lambda b: b[:63])),
    }


def _papers() -> dict[str, tuple[Fault, Maker]]:
    return {
        "deal-of-rules-2": (Fault.UNREADABLE, lambda: deal_changed(1, 2)),
        "deal-with-unknown-flag": (Fault.UNREADABLE, lambda: deal_changed(-1, 2)),
        "deal-of-size-7": (Fault.UNREADABLE, lambda: deal_changed(107, 7)),
        "deal-of-target-11-on-3x3": (Fault.UNREADABLE, lambda: deal_changed(109, 11)),
        "deal-of-lead-7": (Fault.UNREADABLE, lambda: deal_changed(117, 7)),
        "deal-of-8-offers": (Fault.UNREADABLE, lambda: special.deal_with(windows=Windows(offers_max=8))),
        "deal-of-no-moves": (Fault.UNREADABLE, lambda: special.deal_with(windows=Windows(moves_per_s=0))),
        "deal-by-another-key": (Fault.LOBBY_SIGNATURE, special.deal_by_another_key),
        "seats-of-another-deal": (
            Fault.LOBBY_SIGNATURE,
            lambda: target_race().record(seats=drawn_race().seats_signed),
        ),
        "seats-for-one": (Fault.UNREADABLE, lambda: seats_changed(lambda body: b"\1" + body[1:138])),
        "seats-with-more-behind": (Fault.UNREADABLE, lambda: seats_changed(lambda body: body + b"\0")),
        "start-by-another-key": (
            Fault.LOBBY_SIGNATURE,
            lambda: altered(target_race(), Section.START, lambda b: flipped(b, len(b) - 1)),
        ),
        "start-with-more-behind": (Fault.UNREADABLE, special.long_start),
        "result-by-another-key": (Fault.LOBBY_SIGNATURE, lambda: target_race().record(signer=OTHER)),
        "result-of-another-race": (Fault.LOBBY_SIGNATURE, special.result_of_another_race),
        "result-of-no-termination": (Fault.UNREADABLE, lambda: outcome_changed(target_race(), termination=7)),
        "result-for-an-empty-seat": (Fault.UNREADABLE, lambda: outcome_changed(target_race(), winners=(2,))),
        "seed-of-another-deck": (
            Fault.SEED,
            lambda: target_race(seed=secret("seed")).record(last_link=secret("another")),
        ),
        "seed-with-another-chain-id": (Fault.SEED, special.seed_with_another_chain),
        "another-last-link": (Fault.ANCHOR, lambda: target_race().record(last_link=secret("another"))),
        "another-anchor": (Fault.ANCHOR, lambda: special.deal_with(anchor=secret("anchor"))),
        "ready-with-unknown-flag": (
            Fault.UNREADABLE,
            lambda: ready_changed(put(64, 2)),
        ),
        "ready-with-a-name-that-is-no-text": (
            Fault.UNREADABLE,
            lambda: ready_changed(put(66, 255)),
        ),
        "ready-by-another-key": (Fault.PLAYER_SIGNATURE, lambda: ready_changed(bytes, OTHER)),
        "more-seats-than-the-table": (Fault.SEATS, special.too_many_seats),
        "one-key-on-two-seats": (Fault.SEATS, special.one_key_twice),
        "a-log-missing": (Fault.SEATS, special.log_missing),
        "a-log-too-many": (Fault.SEATS, special.log_too_many),
        "a-result-too-many": (Fault.SEATS, special.result_too_many),
        "event-of-an-empty-seat": (Fault.SEATS, lambda: event_changed(resigned_race(), 0, seat=2)),
        "another-nonce": (Fault.COMMITMENT, lambda: restarted(nonces=(secret("nonce", 0), secret("another")))),
        "a-nonce-missing": (Fault.COMMITMENT, lambda: restarted(nonces=(secret("nonce", 0),))),
        "nonces-changed-about": (Fault.COMMITMENT, lambda: restarted(nonces=(secret("nonce", 1), secret("nonce", 0)))),
        "another-mix": (Fault.MIX, special.another_mix),
    }


def _times() -> dict[str, tuple[Fault, Maker]]:
    return {
        "gap-too-short": (Fault.GAP, lambda: with_gaps(resigned_race(), (1_000, 3_000))),
        "gap-backwards": (Fault.GAP, lambda: with_gaps(resigned_race(), (3_000, 900))),
        "gaps-overlap": (Fault.GAP, lambda: with_gaps(resigned_race(), (1_000, 4_000), (3_999, 7_000))),
        "gap-around-an-event": (Fault.GAP, lambda: with_gaps(resigned_race(), (899, 3_000))),
        "gap-around-an-arrival": (Fault.GAP, lambda: with_gaps(late(500, 2_000, 400), (1_999, 5_000))),
        "gap-by-another-key": (
            Fault.LOBBY_SIGNATURE,
            lambda: altered(special.gapped_draw(), Section.GAP, lambda b: flipped(b, 7)),
        ),
        "claim-from-the-future": (Fault.TIMES, lambda: late(601, 500, 400).record()),
        "correction-of-nothing": (Fault.TIMES, lambda: corrections_of(Correction(3, 310, 400))),
        "correction-before-a-later-move": (Fault.TIMES, lambda: corrections_of(Correction(3, 900, 400))),
        "event-after-moves-not-made": (Fault.TIMES, lambda: event_changed(resigned_race(), 0, moves=8)),
        "event-before-its-moves": (Fault.TIMES, lambda: event_changed(resigned_race(), 0, t_ms=499)),
        "move-dated-back-behind-a-vote": (Fault.TIMES, special.move_before_vote),
        "too-fast": (Fault.PACE, special.too_fast),
        "illegal-move": (Fault.ILLEGAL, special.illegal),
        "move-when-stuck": (Fault.ILLEGAL, special.move_when_stuck),
        "believed-too-long": (Fault.BACK, lambda: late(500, 2_000, 401).record()),
        "believed-too-long-near-the-bell": (Fault.BACK, lambda: late(4_100, 4_300, 151, TIMED).record()),
        "believed-too-long-at-the-target": (Fault.BACK, special.late_target),
    }


def _events() -> dict[str, tuple[Fault, Maker]]:
    return {
        "move-after-resigning": (Fault.LEAVING, special.move_after_resigning),
        "event-after-resigning": (Fault.LEAVING, special.event_after_resigning),
        "forfeited-too-soon": (Fault.LEAVING, lambda: event_changed(forfeited_race(), 0, t_ms=60_399)),
        "forfeited-too-soon-without-a-move": (Fault.LEAVING, special.forfeited_without_a_move),
        "forfeited-though-stuck": (Fault.LEAVING, special.stuck_forfeits),
        "absent-though-not-stuck": (Fault.LEAVING, special.mover_absent),
        "resigned-without-a-seal": (Fault.SEAL_PRESENCE, lambda: event_changed(resigned_race(), 0, seal=None)),
        "forfeited-with-a-seal": (Fault.SEAL_PRESENCE, special.forfeited_with_a_seal),
        "vote-without-a-seal": (Fault.SEAL_PRESENCE, lambda: event_changed(drawn_race(), 1, seal=None)),
        "resigned-by-a-seal-that-says-nothing": (Fault.SEAL_ACT, special.resigned_by_none),
        "resigned-later-than-its-seal": (Fault.SEAL_ACT, special.resigned_later),
        "absent-twice": (Fault.LEAVING, lambda: event_changed(absent_draw(), 1, kind=EventKind.ABSENT, t_ms=130_000)),
        "returned-though-there": (Fault.LEAVING, lambda: event_changed(absent_draw(), 0, kind=EventKind.RETURNED)),
        "agreement-told-in-a-tick": (Fault.SEAL_ACT, lambda: event_changed(drawn_race(), 1, tick=OFFER_TICK)),
        "resigned-told-in-a-tick": (Fault.SEAL_ACT, lambda: event_changed(resigned_race(), 0, tick=1)),
        "forfeited-told-in-a-tick": (Fault.SEAL_ACT, lambda: event_changed(forfeited_race(), 0, tick=1)),
        "offer-told-before-it-was-made": (Fault.SEAL_ACT, special.offer_told_too_soon),
        "vote-unseen": (Fault.UNSEEN_OFFER, special.vote_unseen),
    }


def _seals() -> dict[str, tuple[Fault, Maker]]:
    return {
        "seal-of-another-race": (Fault.PLAYER_SIGNATURE, special.seal_of_another_race),
        "seal-of-another-seat": (
            Fault.PLAYER_SIGNATURE,
            special.seal_of_another_seat,
        ),
        "seal-by-another-key": (Fault.PLAYER_SIGNATURE, lambda: seal_changed(OTHER)),
        "seal-of-no-act": (Fault.UNREADABLE, lambda: seal_changed(act=10)),
        "seal-with-an-argument": (Fault.UNREADABLE, lambda: seal_changed(argument=9)),
        "seal-for-another-seat": (Fault.SEAL_SEAT, lambda: seal_changed(seat=0)),
        "seal-over-moves-not-there": (Fault.SEAL_HEAD, lambda: seal_changed(moves=99)),
        "moves-dropped": (Fault.SEAL_HEAD, special.moves_dropped),
        "moves-swapped": (Fault.SEAL_HEAD, special.moves_swapped),
        "moves-retimed": (Fault.SEAL_HEAD, special.moves_retimed),
        "seal-number-again": (Fault.SEAL_ORDER, lambda: special.closing(number=1)),
        "seal-number-0": (Fault.SEAL_ORDER, lambda: special.closing(number=0)),
        "seal-that-has-seen-less": (Fault.SEAL_ORDER, lambda: special.closing(number=9, tick_seen=3)),
        "tail-too-long": (Fault.UNSEALED, special.long_tail),
        "no-seal-at-all": (Fault.UNSEALED, special.no_seal_at_all),
    }


def _results() -> dict[str, tuple[Fault, Maker]]:
    return {
        "not-over": (Fault.NOT_OVER, special.not_over),
        "draw-by-an-offer-used-twice": (Fault.NOT_OVER, lambda: special.drawn_by(2, 1)),
        "offer-replayed": (Fault.SEAL_ORDER, special.replayed_event),
        "draw-by-a-sixth-offer": (Fault.NOT_OVER, lambda: special.drawn_by(6)),
        "another-winner": (Fault.OUTCOME, lambda: outcome_changed(target_race(), winners=(1,))),
        "two-winners": (Fault.OUTCOME, lambda: outcome_changed(target_race(), winners=(0, 1))),
        "another-moment": (Fault.OUTCOME, lambda: outcome_changed(target_race(), t_ms=5_000)),
        "another-clause": (Fault.OUTCOME, lambda: outcome_changed(stuck_race(), termination=Termination.ALL_STUCK)),
        "void-though-won": (
            Fault.OUTCOME,
            special.void_though_won,
        ),
        "bell-that-ignores-a-gap": (Fault.OUTCOME, lambda: with_gaps(timed_race(), (2_000, 4_100))),
        "another-score": (Fault.FIGURES, lambda: figures_changed(target_race(), score=8)),
        "another-tile": (Fault.FIGURES, lambda: figures_changed(target_race(), max_exponent=5)),
        "another-number-of-moves": (Fault.FIGURES, lambda: figures_changed(target_race(), moves=4)),
        "another-state": (Fault.FIGURES, lambda: figures_changed(target_race(), state=2)),
        "another-number-unsealed": (Fault.FIGURES, lambda: figures_changed(target_race(), unsealed=1)),
        "target-without-its-seal": (Fault.TARGET_UNSEALED, special.target_unsealed),
    }


BROKEN: dict[str, tuple[Fault, Maker]] = {
    **_damaged_head(),
    **_damaged_inside(),
    **_papers(),
    **_times(),
    **_events(),
    **_seals(),
    **_results(),
}
