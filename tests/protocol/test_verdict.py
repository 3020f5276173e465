"""protocol/verdict.py and seatcheck.py: only true records are believed.

Falsified records here are signed by the lobby like true ones: a bad lobby can sign whatever it likes.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import Direction
from engine.race import Kind, Left, Outcome, SeatState, Termination
from protocol.deal import Start, document_hash, mix
from protocol.limits import Windows
from protocol.messages import Signed, TableSettings
from protocol.movelog import Act, SealBody
from protocol.record import Correction, EventKind, Gap, RecordEvent, SeatLog, SeatResult
from protocol.signing import NO_CONTEXT, Signer
from protocol.verdict import Trust, Verdict, verify_record
from tests.protocol.races import (
    ENDLESS,
    LOBBY,
    OFFER_TICK,
    TARGET_8,
    TIMED,
    MadeRace,
    all_stuck_race,
    drawn_race,
    forfeited_race,
    resigned_race,
    secret,
    signed,
    stuck_race,
    target_race,
    timed_race,
)

ENDINGS: dict[str, tuple[Callable[[], MadeRace], Termination]] = {
    "target": (target_race, Termination.TARGET),
    "last mover": (stuck_race, Termination.LAST_MOVER),
    "all stuck": (all_stuck_race, Termination.ALL_STUCK),
    "bell": (timed_race, Termination.BELL),
    "alone, resigned": (resigned_race, Termination.ALONE),
    "alone, forfeited": (forfeited_race, Termination.ALONE),
    "drawn": (drawn_race, Termination.DRAW),
}
TARGET_DATA = target_race().record()
BASICS = (Trust.TIMES, Trust.LOGS)


def check(race: MadeRace, **false: object) -> Verdict:
    """The verdict on a race, of which some part is given anew."""
    return verify_record(race.record(**false))  # type: ignore[arg-type]


def refused(race: MadeRace, *reasons: str, **false: object) -> None:
    """Checks that the record is whole, and that the reason it is refused for says all this."""
    verdict = check(race, **false)
    assert (verdict.ok, verdict.damaged) == (False, False)
    for reason in reasons:
        assert reason in verdict.reason


def logs_with(race: MadeRace, seat: int, **changes: object) -> list[SeatLog]:
    """The logs of a race, that of one seat changed."""
    logs = [racer.seat_log() for racer in race.racers]
    logs[seat] = replace(logs[seat], **changes)  # type: ignore[arg-type]
    return logs


def event_with(race: MadeRace, place: int, **changes: object) -> None:
    """Changes an event of the record."""
    event, moment = race.events[place]
    race.events[place] = (replace(event, **changes), moment)  # type: ignore[arg-type]


def swapped(directions: bytes, first: int) -> bytes:
    """These moves, two neighbours swapped."""
    return directions[:first] + directions[first : first + 2][::-1] + directions[first + 2 :]


# ── true records ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("make", "termination"), ENDINGS.values(), ids=ENDINGS)
def test_a_true_record_is_believed_however_the_race_ended(make, termination):
    verdict = check(make())
    assert verdict.reason == ""
    assert verdict.ok
    assert verdict.outcome is not None
    assert verdict.outcome.termination is termination


@pytest.mark.parametrize("make", [stuck_race, all_stuck_race, timed_race])
def test_the_highest_score_has_won(make):
    verdict = check(make())
    scores = [seat.score for seat in verdict.seats]
    assert verdict.outcome is not None
    assert verdict.outcome.winners == (scores.index(max(scores)),)


@pytest.mark.parametrize(
    ("make", "winners"), [(target_race, (0,)), (resigned_race, (0,)), (forfeited_race, (1,)), (drawn_race, (0, 1))]
)
def test_who_did_what_decides_has_won(make, winners):
    verdict = check(make())
    assert verdict.outcome is not None
    assert verdict.outcome.winners == winners


def test_a_verdict_shows_every_seat_at_the_moment_of_the_outcome():
    race = timed_race()
    verdict = check(race)
    for seat, racer in zip(verdict.seats, race.racers, strict=True):
        assert seat.moves == sum(t_ms <= 5_000 for t_ms in racer.moments) < len(racer.log)
        assert seat.score == racer.moves[seat.moves - 1].score
        assert seat.max_exponent == max(seat.board.cells)
        assert (seat.state, seat.unsealed) == (SeatState.MOVING, 0)


def test_a_verdict_says_who_is_a_computer():
    assert [seat.computer for seat in check(target_race(computers=[1])).seats] == [False, True]


def test_the_board_of_a_verdict_is_the_players_own():
    race = resigned_race()
    assert [seat.board for seat in check(race).seats] == [racer.game.board for racer in race.racers]


def test_a_name_is_shown_escaped_and_never_a_reason_to_refuse():
    verdict = check(target_race(names=["\x1b[2J", "x" * 60]))
    assert verdict.ok
    assert [seat.name for seat in verdict.seats] == ["\\u{1b}[2J", "x" * 15 + "…"]


def test_the_verdict_names_the_lobby():
    verdict = check(target_race())
    assert (verdict.lobby_key, verdict.seeded) == (LOBBY.key, False)


def test_a_seeded_race_is_believed_and_said_to_be_seeded():
    verdict = check(target_race(seed=secret("seed"), seats=3))
    assert verdict.ok, verdict.reason
    assert verdict.seeded
    assert Trust.SEEDED in verdict.trusts


def test_a_dead_heat_is_a_draw():
    race = MadeRace(replace_settings(TARGET_8, target_exponent=3), seed=secret("seed"))
    for racer in race.racers:
        racer.order = 0  # both push the same way, on the same deck
        racer.play_to(3)
        racer.sign(Act.TARGET)
    verdict = check(race)
    assert verdict.ok, verdict.reason
    assert verdict.outcome is not None
    assert verdict.outcome.winners == (0, 1)


def test_a_seat_that_never_moved_shows_its_two_tiles():
    race = MadeRace(ENDLESS)
    race.resign(0, 10)
    seat = check(race).seats[1]
    assert (seat.moves, seat.max_exponent, seat.board.empties) == (0, max(seat.board.cells), 7)


def test_an_outcome_by_moves_alone_rests_on_nothing_but_times_and_logs():
    assert check(target_race()).trusts == BASICS


@pytest.mark.parametrize(
    ("make", "trusts"),
    [
        (drawn_race, (Trust.VOTES,)),
        (forfeited_race, (Trust.ABSENCES, Trust.UNSEALED)),
    ],
)
def test_what_rests_on_the_lobby_is_listed(make, trusts):
    assert check(make()).trusts == BASICS + trusts


def test_a_used_up_deck_counts_as_stuck():
    race = stuck_race(links=2)
    verdict = check(race)
    assert verdict.ok, verdict.reason
    assert [(seat.moves, seat.state) for seat in verdict.seats] == [(14, SeatState.STUCK)] * 2


# ── damage ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("data", [b"", b"hello", TARGET_DATA[:-1], TARGET_DATA[:700], TARGET_DATA + b"\0"])
def test_a_damaged_record_is_said_to_be_damaged(data):
    verdict = verify_record(data)
    assert (verdict.ok, verdict.damaged) == (False, True)
    assert verdict.reason.startswith("byte ")


def test_every_changed_bit_of_a_record_is_noticed():
    """Bit by bit, and in a long run with every other value of every byte."""
    values: Iterable[int] = range(1, 256) if os.environ.get("RACE2048_LONG") else [1 << bit for bit in range(8)]
    believed = []
    data = bytearray(TARGET_DATA)
    for place in range(len(data)):
        for value in values:
            data[place] ^= value
            if verify_record(bytes(data)).ok:
                believed.append((place, value))
            data[place] ^= value
    assert believed == []


OTHERS = [make().record() for make, _ in list(ENDINGS.values())[1:]]


@given(st.sampled_from(OTHERS), st.data())
def test_a_changed_byte_of_any_record_is_noticed(data, choice):
    place = choice.draw(st.integers(0, len(data) - 1))
    value = choice.draw(st.integers(0, 255).filter(lambda value: value != data[place]))
    assert not verify_record(data[:place] + bytes([value]) + data[place + 1 :]).ok


@given(st.binary(max_size=300).map(lambda tail: TARGET_DATA[:9] + tail))
def test_any_bytes_get_a_verdict(data):
    assert verify_record(data).damaged


def in_order(corrections):
    """Moves rise and arrivals never fall: the layout cannot say anything else."""
    moves, arrivals = (sorted(map(attrgetter(name), corrections)) for name in ("move", "arrival_ms"))
    told = zip(moves, arrivals, corrections, strict=True)
    return tuple(Correction(move, arrival_ms, it.back_ms) for move, arrival_ms, it in told)


u32s = st.integers(0, 3_000) | st.integers(0, (1 << 32) - 1)
corrections = st.builds(Correction, st.integers(1, 6), u32s, st.integers(0, 500))
logs = st.builds(
    SeatLog,
    st.lists(st.integers(0, 3), min_size=6, max_size=6).map(bytes),
    st.lists(u32s, min_size=6, max_size=6).map(sorted).map(tuple),
    st.lists(corrections, max_size=3, unique_by=lambda it: it.move).map(in_order),
)
events = st.builds(RecordEvent, st.sampled_from(EventKind), st.integers(0, 2), u32s, st.integers(0, 8), u32s)
seals = st.builds(SealBody, st.just(0), st.just(1), st.integers(0, 9), st.just(bytes(32)), u32s, st.sampled_from(Act))
gaps = st.builds(Gap, u32s, u32s)


@given(
    st.lists(logs, min_size=1, max_size=3),
    st.lists(st.tuples(events, st.booleans()), max_size=4),
    seals,
    st.lists(gaps, max_size=2),
    st.sampled_from([TARGET_8, ENDLESS, TIMED]),
    st.data(),
)
def test_nothing_that_a_lobby_can_sign_makes_the_verifier_raise(signed_logs, told, seal, away, settings, data):
    windows = {name: data.draw(st.just(getattr(Windows(), name)) | u32s) for name in WINDOWS_THAT_MATTER}
    race = MadeRace(settings, windows=Windows(**windows), links=data.draw(st.sampled_from([1, 4])))
    body = seal.sign(race.racers[0].signer, race.mix)
    left = Left(0, 0, SeatState.RESIGNED)
    race.events = [(replace(event, seal=body if has_seal else None), left) for event, has_seal in told]
    race.gaps = away
    results = [SeatResult(SeatState.MOVING, 0, 1, 0, 0)] * 2
    verdict = check(race, logs=signed_logs, outcome=Outcome(Termination.ALONE, (0,), 0), results=results)
    assert verdict.ok or verdict.reason


WINDOWS_THAT_MATTER = ("away_ms", "claim_back_ms", "claim_ahead_ms", "unsealed_ms", "bell_flush_ms", "moves_burst")


# ── documents ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_deal_signed_by_somebody_else_is_refused():
    race = target_race()
    other = signed(Signer(secret("other lobby")), "deal", NO_CONTEXT, race.deal.encode())
    refused(race, "the lobby's signature of the Deal is false", deal=other)


def test_a_deal_of_another_version_is_refused():
    race = target_race()
    body = b"\7" + race.deal.encode()[1:]
    refused(race, "the Deal cannot be read", deal=signed(LOBBY, "deal", NO_CONTEXT, body))


def test_seats_of_another_deal_are_refused():
    race = target_race()
    other = signed(LOBBY, "seats", secret("other deal"), race.seats.encode())
    refused(race, "the lobby's signature of the Seats is false", seats=other)


def test_seats_that_cannot_be_read_are_refused():
    race = target_race()
    refused(race, "the Seats cannot be read", seats=signed(LOBBY, "seats", race.deal_hash, b"\5"))


def test_a_result_signed_by_somebody_else_is_refused():
    refused(target_race(), "the lobby's signature of the Result is false", signer=Signer(secret("other lobby")))


def test_a_start_of_another_mix_is_refused():
    race = target_race()
    refused(race, "the mix in the Start is not made of", start=replace(race.start, mix=secret("other mix")))


def test_a_start_without_all_nonces_is_refused():
    race = target_race()
    refused(race, "the Start has 1 nonces for 2 seats", start=replace(race.start, nonces=race.start.nonces[:1]))


def test_a_nonce_that_was_not_committed_to_is_refused_and_its_seat_named():
    race = target_race()
    nonces = (race.start.nonces[0], secret("another nonce"))
    m = mix(race.deal_hash, document_hash("seats", race.seats_signed), nonces)
    refused(race, "seat 1: its nonce is not the one it committed to", start=Start(m, nonces, 5))


def test_a_ready_signed_by_somebody_else_is_refused():
    race = MadeRace()
    race.racers[1].signer = Signer(secret("thief"))
    thief = race.ready(race.racers[1])
    body = Signed(race.seats.readies[1].body, thief.signature)
    seats = replace(race.seats, readies=(race.seats.readies[0], body))
    race.resign(0, 10)
    refused(race, "seat 1: the signature of its Ready is false", seats=signed_seats(race, seats))


def signed_seats(race: MadeRace, seats: object) -> Signed:
    """Seats signed for the Deal of a race."""
    return signed(LOBBY, "seats", race.deal_hash, seats.encode())  # type: ignore[attr-defined]


def test_a_last_link_that_does_not_lead_to_the_anchor_is_refused():
    refused(target_race(), "does not hash down to the anchor", last_link=secret("other link"))


def test_another_anchor_is_refused():
    race = MadeRace()
    race.deal = replace(race.deal, anchor=secret("other anchor"))
    race.open()
    race.resign(0, 10)
    refused(race, "does not hash down to the anchor")


@pytest.mark.parametrize("change", ["seed", "chain id"])
def test_a_seeded_deal_must_be_dealt_from_its_seed(change):
    race = MadeRace(seed=secret("seed"))
    if change == "seed":
        race.deal = replace(race.deal, seed=secret("other seed"))
    else:
        race.deal = replace(race.deal, chain_id=secret("other chain")[:16])
    race.open()
    race.resign(0, 10)
    refused(race, "the deck is not the one of the seed in the Deal")


def test_more_seats_than_the_table_has_are_refused():
    race = MadeRace(replace_settings(ENDLESS, seats=2), 3)
    race.resign(0, 10)
    race.resign(1, 10)
    refused(race, "3 seats at a table of 2")


def replace_settings(settings: TableSettings, **changes: object) -> TableSettings:
    """Settings with some changed."""
    return msgspec.structs.replace(settings, **changes)


def test_a_log_for_every_seat_is_needed():
    race = target_race(seats=3)
    refused(race, "3 seats, but 2 logs", logs=[racer.seat_log() for racer in race.racers[:2]])


def test_a_result_for_every_seat_is_needed():
    race = target_race(seats=3)
    refused(race, "3 seats, but 3 logs and 2 results", results=race.results(race.outcome())[:2])


def test_an_event_of_a_seat_that_is_not_there_is_refused():
    race = resigned_race()
    event_with(race, 0, seat=2)
    refused(race, "an event of seat 2, of 2 seats")


# ── logs and seals ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_dropped_move_is_refused_and_the_seat_and_seal_named():
    race = stuck_race()
    log = race.racers[1].seat_log()
    logs = logs_with(race, 1, directions=log.directions[:-1], times=log.times[:-1])
    refused(race, f"seat 1: its seal 2 after move {len(log.times)} does not fit the log", logs=logs)


def test_a_swapped_move_is_refused_and_the_seat_and_move_named():
    race = stuck_race()
    directions = race.racers[1].log.directions
    first = next(k for k in range(len(directions) - 1) if directions[k] != directions[k + 1])
    refused(race, "seat 1", logs=logs_with(race, 1, directions=swapped(bytes(directions), first)))


def test_an_illegal_move_is_refused_and_shown_with_its_board():
    race = target_race()
    game = MadeRace(TARGET_8).racers[0].game
    illegal = next(direction for direction in Direction if game.board.slide(direction) is None)
    directions = bytes([illegal]) + race.racers[0].log.directions[1:]
    reason = f"seat 0, move 1, {illegal.name.lower()}: is not legal on the board {game.board}"
    refused(race, reason, logs=logs_with(race, 0, directions=directions))


def test_a_move_after_the_player_was_stuck_is_refused():
    race = stuck_race()
    log = race.racers[1].seat_log()
    longer = logs_with(race, 1, directions=log.directions + b"\0", times=(*log.times, log.times[-1] + 100))
    refused(race, f"seat 1, move {len(log.times) + 1}, up: is not legal", logs=longer)


def test_a_retimed_move_is_refused_and_the_seat_named():
    race = stuck_race()
    times = list(race.racers[1].log.times)
    times[4] += 1
    refused(race, "seat 1: its seal 2", "does not fit the log", logs=logs_with(race, 1, times=tuple(times)))


def test_a_seal_of_another_race_is_refused():
    race, other = target_race(), MadeRace(windows=Windows(settle_ms=151))
    other.racers[1].play(2)
    refused(
        race,
        "seat 1: a seal is no word of its player in this race",
        logs=logs_with(race, 1, seal=other.racers[1].sign()),
    )


def test_a_seal_of_another_seat_is_refused():
    race = target_race()
    refused(race, "seat 1: a seal is no word of its player", logs=logs_with(race, 1, seal=race.racers[0].seal))


def test_a_seal_that_says_another_seat_is_refused():
    race = target_race()
    race.racers[1].sign(seat=0)
    refused(race, "seat 1: its seal 2 after move 3 is of seat 0")


def test_a_seal_over_more_moves_than_there_are_is_refused():
    race = target_race()
    race.racers[1].sign(moves=99)
    refused(race, "seat 1: its seal 2 after move 99 does not fit the log")


def test_a_seal_that_cannot_be_read_is_refused():
    race = target_race()
    racer = race.racers[1]
    body = racer.sign().body[:-2] + b"\xff\0"
    refused(race, "no act 255", logs=logs_with(race, 1, seal=signed(racer.signer, "seal", race.mix, body)))


def test_moves_that_are_not_sealed_are_counted():
    race = timed_race()
    for racer in race.racers:
        racer.play(3)
    verdict = check(race)
    assert verdict.ok, verdict.reason
    assert [seat.unsealed for seat in verdict.seats] == [3, 3]
    assert Trust.UNSEALED in verdict.trusts


def test_a_seat_without_any_seal_is_believed_for_a_while():
    race = timed_race()
    for racer in race.racers:
        racer.seal, racer.sealed = None, 0
    assert check(race).ok


@pytest.mark.parametrize(("tail_ms", "ok"), [(8_000, True), (8_001, False)])
def test_an_unsealed_tail_has_a_longest_length(tail_ms, ok):
    race = MadeRace(ENDLESS)
    race.racers[0].play(5)
    race.racers[0].sign()
    race.racers[0].move(1_000)
    race.racers[0].move(1_000 + tail_ms)
    race.resign(1, 20_000)
    verdict = check(race)
    assert verdict.ok is ok
    assert ok or verdict.reason.startswith("seat 0, move 6, ")


def test_a_target_without_its_seal_is_refused():
    race = target_race()
    racer = race.racers[0]
    racer.seal, racer.sealed = None, 0
    refused(race, f"seat 0, move {len(racer.log)}: it made the target, but no seal says so")


@pytest.mark.parametrize("changes", [{"number": 1}, {"tick_seen": 3, "number": 9}], ids=["same", "tick"])
def test_seals_rise(changes):
    race = MadeRace(ENDLESS)
    race.racers[1].tick_seen = 4
    race.racers[1].play(2)
    race.resign(1, 900)
    race.racers[1].sign(Act.END, **changes)
    refused(race, "is not later than its seal 1 after move 2")


def test_seals_are_numbered_from_1():
    race = target_race()
    race.racers[1].sign(number=0)
    refused(race, "seat 1: its seal 0 after move", "numbered from 1")


def test_the_last_seal_may_be_that_of_the_last_event():
    assert check(resigned_race()).ok


# ── times ────────────────────────────────────────────────────────────────────────────────────────────────────────


def corrected(claimed_ms: int, arrival_ms: int, back_ms: int, settings: TableSettings = ENDLESS) -> MadeRace:
    """A race in which move 4 of seat 0 arrived late or early."""
    race = MadeRace(settings)
    racer = race.racers[0]
    racer.play(3)
    racer.move(claimed_ms, arrival_ms, back_ms)
    racer.sign()
    if settings.kind != Kind.TIMED:
        race.resign(1, 9_000)
    return race


@pytest.mark.parametrize(("claimed_ms", "arrival_ms"), [(500, 2_000), (580, 500), (600, 500)])
def test_a_move_counts_at_its_clamped_time(claimed_ms, arrival_ms):
    race = corrected(claimed_ms, arrival_ms, 400)
    assert len(race.racers[0].corrections) == 1
    verdict = check(race)
    assert verdict.ok, verdict.reason
    assert Trust.CORRECTIONS in verdict.trusts


def test_a_claim_from_the_future_is_refused():
    refused(corrected(601, 500, 400), "seat 0, move 4, ", ": arrived at 500 ms, but is claimed for 601 ms")


def test_a_claim_believed_for_too_long_is_refused():
    refused(corrected(500, 2_000, 401), "seat 0, move 4, ", ": was believed 401 ms before its arrival")


def test_near_the_bell_a_claim_is_believed_for_less_long():
    assert check(corrected(4_100, 4_300, 150, TIMED)).ok
    refused(corrected(4_100, 4_300, 151, TIMED), "was believed 151 ms before its arrival")


def test_the_move_that_makes_the_target_is_believed_for_less_long():
    race = MadeRace(TARGET_8)
    racer = race.racers[0]
    while racer.game.max_exponent < 3:
        racer.move(racer.log.last_ms + 100, racer.log.last_ms + 400, 250)
    racer.sign(Act.TARGET)
    refused(race, f"seat 0, move {len(racer.log)}, ", ": was believed 250 ms before its arrival")


def test_a_first_move_can_be_corrected():
    race = MadeRace(ENDLESS)
    race.racers[0].move(100, 900, 400)
    race.resign(1, 9_000)
    race.racers[0].sign()
    assert check(race).ok


def test_a_correction_that_changes_nothing_is_refused():
    race = stuck_race()
    logs = logs_with(race, 0, corrections=(Correction(3, 310, 400),))
    refused(race, "seat 0, move 3, ", ": is listed with its arrival, but counts at its claimed time", logs=logs)


def test_a_correction_that_lets_a_later_move_count_too_early_is_refused():
    race = stuck_race()
    logs = logs_with(race, 0, corrections=(Correction(3, 900, 400),))
    refused(race, "seat 0, move 4, ", ": counts at 400 ms, before the move before it at 500 ms", logs=logs)


def test_a_move_cannot_arrive_before_the_event_before_it():
    race = MadeRace(ENDLESS)
    racer = race.racers[0]
    racer.play(2)
    race.offer(0, 1_000)
    racer.last_ms = 0
    racer.move(300, 950, 400)
    race.resign(1, 9_000)
    refused(race, "seat 0, move 3, ", ": arrived at 950 ms, before what came before it")


def test_a_move_after_an_event_counts_no_earlier():
    race = MadeRace(ENDLESS)
    racer = race.racers[0]
    racer.play(2)
    race.offer(0, 1_000)
    racer.move(900, 1_100, 400)
    assert racer.moments[-1] == 1_000
    race.resign(1, 9_000)
    racer.sign()
    verdict = check(race)
    assert verdict.ok, verdict.reason


def test_moves_faster_than_the_pace_are_refused_and_the_move_named():
    race = MadeRace(ENDLESS)
    race.racers[0].play(11, step_ms=0)
    race.resign(1, 9_000)
    refused(race, "seat 0, move 11, ", ": at 0 ms is faster than 40 moves a second")


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_resignation_needs_its_seal():
    race = resigned_race()
    event_with(race, 0, seal=None)
    refused(race, "seat 1: its resigned has no seal")


def test_a_seal_must_say_what_the_event_is():
    race = resigned_race()
    event_with(race, 0, seal=race.racers[1].sign(Act.NONE))
    refused(race, "seat 1: a resigned after 5 moves whose seal says none after 5")


def test_a_seal_must_be_made_where_the_event_was():
    race = MadeRace(ENDLESS)
    race.racers[1].play(2)
    race.resign(1, 900)
    outcome, results = race.outcome(), race.results(race.outcome())
    race.racers[1].last_ms = 0
    race.racers[1].play(1)
    event_with(race, 0, moves=3)
    reason = "seat 1: a resigned after 3 moves whose seal says resign after 2"
    refused(race, reason, outcome=outcome, results=results)


def test_no_event_follows_a_seats_leaving():
    race = resigned_race()
    race.absent(1, 70_000)
    refused(race, "seat 1: its resigned at 900 ms, after which it went on")


def test_no_move_follows_a_seats_leaving():
    race = resigned_race()
    race.racers[1].play(1)
    refused(race, "seat 1: its resigned at 900 ms, after which it went on")


def test_a_move_counts_no_later_than_the_event_after_it():
    race = resigned_race()
    event_with(race, 0, t_ms=499)
    refused(race, "seat 1, move 5, ", ": counts at 500 ms; its resigned at 499 ms came after it")


def test_a_move_counts_no_earlier_than_the_event_before_it():
    race = drawn_race()
    race.racers[1].play(1)
    race.racers[1].corrections.clear()
    refused(race, "seat 1, move 7, ", ": counts at 700 ms; its vote at 800 ms came before it")


@pytest.mark.parametrize("changes", [{"moves": 8}, {"t_ms": 799}], ids=["moves", "time"])
def test_events_of_a_seat_stand_in_order(changes):
    race = drawn_race()
    outcome = race.outcome()
    race.vote(1, 1_900, Act.REFUSE, 9)
    event_with(race, 2, **changes)
    refused(race, "seat 1: its vote at", "is out of order", outcome=outcome)


def test_a_seat_forfeits_no_sooner_than_its_window_allows():
    race = forfeited_race()
    event_with(race, 0, t_ms=60_399)
    refused(race, "seat 0: its forfeited at 60399 ms, less than 60000 ms after a move at 400 ms")


def test_a_seat_that_never_moved_can_be_lost_in_the_end_of_the_countdown():
    race = MadeRace(ENDLESS)
    race.forfeit(0, 59_850)
    assert check(race).ok
    event_with(race, 0, t_ms=59_849)
    refused(race, "less than 60000 ms after a move at -150 ms")


def test_a_stuck_seat_cannot_forfeit():
    race = MadeRace(ENDLESS, 3)
    race.racers[1].play()
    race.racers[1].sign(Act.STUCK)
    race.forfeit(1, 90_000)
    race.forfeit(0, 90_000)
    refused(race, "seat 1: its forfeited at 90000 ms, though it was stuck")


def test_only_a_stuck_seat_is_absent():
    race = MadeRace(ENDLESS)
    race.absent(1, 90_000)
    race.forfeit(0, 90_000)
    refused(race, "seat 1: its absent at 90000 ms, though it was not stuck")


def test_a_draw_does_not_wait_for_an_absent_stuck_seat():
    race = MadeRace(ENDLESS, 3)
    race.racers[2].play()
    race.racers[2].sign(Act.STUCK)
    race.absent(2, 70_000)
    race.absent(2, 71_000, absent=False)
    race.absent(2, 140_000)
    race.vote(0, 150_000, Act.AGREE, race.offer(1, 149_000))
    verdict = check(race)
    assert verdict.ok, verdict.reason
    assert verdict.outcome == Outcome(Termination.DRAW, (0, 1, 2), 150_000)
    assert {Trust.ABSENCES, Trust.VOTES} <= set(verdict.trusts)


def test_a_draw_by_a_later_offer_does_not_need_the_ones_that_failed():
    race = MadeRace(ENDLESS)
    number = race.offer(1, 50_000, count=3)
    race.vote(0, 51_000, Act.AGREE, number)
    assert check(race).ok


@pytest.mark.parametrize("count", [0, 6])
def test_an_offer_whose_number_no_offer_can_have_draws_nothing(count):
    race = MadeRace(ENDLESS)
    race.vote(0, 51_000, Act.AGREE, race.offer(1, 50_000, count))
    refused(race, "the race is not over", outcome=Outcome(Termination.DRAW, (0, 1), 51_000))


def test_an_offer_whose_number_was_used_before_draws_nothing():
    race = MadeRace(ENDLESS)
    race.vote(1, 900, Act.WITHDRAW, race.offer(1, 800, 2))
    race.vote(0, 31_000, Act.AGREE, race.offer(1, 30_000, 1))
    refused(race, "the race is not over", outcome=Outcome(Termination.DRAW, (0, 1), 31_000))


def test_nobody_agrees_to_an_offer_before_the_tick_that_tells_of_it():
    race = MadeRace(ENDLESS)
    number = race.offer(1, 800)
    race.racers[0].tick_seen = OFFER_TICK - 1
    race.vote(0, 900, Act.AGREE, number)
    refused(race, "seat 0: it agreed at 900 ms to an offer it could not know of")


def test_an_answer_to_an_offer_that_is_not_in_the_record_changes_nothing():
    race = MadeRace(ENDLESS)
    race.vote(0, 900, Act.REFUSE, 9)
    race.resign(0, 1_000)
    assert check(race).ok


# ── gaps ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def gapped(*gaps: tuple[int, int]) -> MadeRace:
    race = resigned_race()
    race.gaps = [Gap(*gap) for gap in gaps]
    return race


def test_a_gap_is_believed_and_listed():
    verdict = check(gapped((900, 3_000), (3_000, 6_000)))
    assert verdict.ok, verdict.reason
    assert Trust.GAPS in verdict.trusts


@pytest.mark.parametrize("gaps", [[(1_000, 3_000)], [(3_000, 900)], [(1_000, 4_000), (3_999, 7_000)]])
def test_gaps_are_long_enough_and_in_order(gaps):
    refused(gapped(*gaps), "is out of order or too short")


def test_a_gap_with_an_event_in_it_is_false():
    refused(gapped((899, 3_000)), "seat 1: its resigned at 900 ms came while the lobby was away")


def test_a_gap_with_an_arrival_in_it_is_false():
    race = corrected(500, 2_000, 400)
    race.gaps = [Gap(1_999, 5_000)]
    refused(race, "seat 0, move 4, ", ": arrived while the lobby was away")


def test_a_gap_signed_by_somebody_else_is_refused():
    race = resigned_race()
    race.gaps = [Gap(900, 3_000)]
    race.mix = secret("other mix")
    refused(race, "the lobby's signature of the Gap is false")


def test_a_gap_moves_the_bell():
    race = timed_race()
    race.gaps = [Gap(2_000, 4_100)]
    outcome = Outcome(Termination.BELL, (0,), 7_100)
    verdict = check(race, outcome=outcome)
    assert verdict.ok, verdict.reason
    assert [seat.moves for seat in verdict.seats] == [24, 20]


def void_race() -> MadeRace:
    race = MadeRace(ENDLESS)
    for racer in race.racers:
        racer.play(3)
    race.gaps = [Gap(10_000, 310_000), Gap(320_000, 620_001)]
    return race


VOID = Outcome(Termination.VOID, (), 620_001)


def test_too_long_a_gap_makes_the_race_void():
    race = void_race()
    race.close()
    verdict = check(race, outcome=VOID)
    assert verdict.ok, verdict.reason
    assert [seat.moves for seat in verdict.seats] == [3, 3]


def test_what_came_after_the_gap_that_was_too_long_does_not_count():
    race = void_race()
    race.resign(1, 630_000)
    race.racers[0].sign()
    verdict = check(race, outcome=VOID, results=replace_state(race, VOID, 1, SeatState.MOVING))
    assert verdict.ok, verdict.reason


def test_a_timed_race_is_void_by_too_long_a_gap_too():
    race = MadeRace(TIMED)
    race.gaps = [Gap(1_000, 601_001)]
    outcome = Outcome(Termination.VOID, (), 601_001)
    verdict = check(race, outcome=outcome)
    assert verdict.ok, verdict.reason


def test_a_race_that_was_over_before_the_gap_stays_decided():
    race = gapped((1_000, 700_000))
    verdict = check(race)
    assert verdict.ok, verdict.reason
    assert verdict.outcome == race.outcome()


def replace_state(race: MadeRace, outcome: Outcome, seat: int, state: SeatState) -> list[object]:
    """The results of a race, one seat in another state."""
    results: list[object] = list(race.results(outcome))
    results[seat] = replace(race.results(outcome)[seat], state=state)
    return results


# ── the Result ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"winners": (1,)}, "won by 1, but"),
        ({"winners": (0, 1)}, "won by 0 and 1, but"),
        ({"t_ms": 5_000}, "the Result says by target at 5000 ms"),
        ({"termination": Termination.VOID, "winners": ()}, "won by nobody, but the race ended by target"),
    ],
)
def test_a_false_outcome_is_refused(changes, said):
    race = target_race()
    true = race.outcome()
    refused(race, said, outcome=replace(true, **changes), results=race.results(true))


@pytest.mark.parametrize("field", ["score", "max_exponent", "moves", "unsealed"])
def test_a_false_figure_is_refused_and_the_seat_named(field):
    race = target_race()
    results = race.results(race.outcome())
    true = getattr(results[1], field)
    results[1] = replace(results[1], **{field: true + 1})
    refused(race, f"seat 1: the Result says {field} {true + 1}, but it is {true}", results=results)


def test_a_false_state_is_refused_and_the_seat_named():
    race = target_race()
    results = replace_state(race, race.outcome(), 1, SeatState.STUCK)
    refused(race, "seat 1: the Result says state stuck, but it is moving", results=results)


def test_a_race_that_is_not_over_is_refused():
    race = MadeRace(ENDLESS)
    race.racers[0].play(3)
    race.close()
    refused(race, "the race is not over", outcome=Outcome(Termination.ALONE, (0,), 300))
