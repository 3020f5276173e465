"""A record as a course of time: at every moment what the race itself would have been."""

import random
from dataclasses import replace
from heapq import merge

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from client.course import CHECKPOINT_MOVES, moments
from client.happenings import Happened
from client.timeline import open_timeline
from engine.board import Direction
from engine.game import Game
from engine.race import Outcome, Race, SeatState, Termination
from protocol.layout import LayoutError
from protocol.messages import Phase, Signed
from protocol.moment import moved_by_gaps
from protocol.movelog import Act
from protocol.record import Correction, EventKind, Gap, Record
from protocol.seatcheck import SeatCheck
from protocol.verdict import verify_record
from tests.protocol.races import (
    ENDLESS,
    MadeRace,
    all_stuck_race,
    drawn_race,
    forfeited_race,
    resigned_race,
    stuck_race,
    target_race,
    timed_race,
)

from .replays_of import HOSTILE, busy_race, eventful_race, timeline_of


def corrected_race():
    """Moves that came late, and one too early for its time."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(3)
    race.racers[0].move(500, 2_000, 400)
    race.racers[0].move(520, 2_000, 400)
    race.racers[0].move(2_050, 2_300, 100)
    race.racers[1].play(4)
    race.resign(1, 9_000)
    race.close()
    return race


def gapped_race():
    race = timed_race()
    race.gaps = [Gap(2_000, 4_100)]
    return race


RACES = {
    "target": target_race,
    "stuck": stuck_race,
    "all stuck": all_stuck_race,
    "four stuck": lambda: stuck_race(4),
    "bell": timed_race,
    "resigned": resigned_race,
    "forfeited": forfeited_race,
    "drawn": drawn_race,
    "corrected": corrected_race,
    "busy": busy_race,
    "eventful": eventful_race,
}


def live(race, t_ms):
    """The race as it stood at a moment: what had happened until then, folded as a lobby does."""
    folded = Race(moved_by_gaps(race.deal.terms(len(race.racers)), race.gaps))
    for event in merge(*(race._stream(racer) for racer in race.racers), key=lambda event: event.t_ms):
        if event.t_ms <= t_ms:
            folded.apply(event)
    folded.lapse(t_ms)
    return folded


def board_after(race, racer, moves):
    game = Game(race.deal.settings.size, race.deck)
    for direction in racer.log.directions[:moves]:
        game.move(Direction(direction))
    return game.board


# ── true records ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("make", RACES.values(), ids=RACES)
def test_the_end_is_what_the_verdict_says(make):
    data = make().record()
    verdict, timeline = verify_record(data), open_timeline(Record.parse(data))
    assert verdict.ok, verdict.reason
    assert timeline.outcome == verdict.outcome
    view = timeline.at(timeline.end_ms)
    assert view.outcome == verdict.outcome
    assert view.phase is Phase.FINISHED
    for seat, picture in zip(verdict.seats, view.seats, strict=True):
        assert picture is not None
        figures = (picture.name, picture.computer, picture.state, picture.score, picture.max_exponent, picture.moves)
        assert figures == (seat.name, seat.computer, seat.state, seat.score, seat.max_exponent, seat.moves)
        assert picture.board == seat.board


@pytest.mark.parametrize("make", RACES.values(), ids=RACES)
def test_at_every_moment_states_scores_and_the_offer_are_those_of_the_race(make):
    race = make()
    timeline = timeline_of(race)
    for t_ms in (*timeline.beats, *(beat - 1 for beat in timeline.beats[1:])):
        if t_ms == timeline.end_ms:
            continue  # then there is an outcome instead
        folded, view = live(race, t_ms), timeline.at(t_ms)
        for seat, picture in zip(folded.seats, view.seats, strict=True):
            assert picture is not None
            assert (picture.state, picture.score, picture.moves) == (seat.state, seat.score, seat.moves)
            assert picture.connected is not seat.absent
        assert (view.offer is None) == (folded.offer is None)
        if view.offer is not None and folded.offer is not None:
            assert view.offer.by_seat == folded.offer.seat
            assert view.offer.agreed_seats == tuple(sorted(folded.offer.agreed))


@pytest.mark.parametrize("make", RACES.values(), ids=RACES)
def test_at_every_moment_the_leader_is_who_has_the_highest_score_in_fewest_moves(make):
    race = make()
    timeline = timeline_of(race)
    for t_ms in timeline.beats:
        seats = [seat for seat in live(race, t_ms).seats if seat.state.in_race]
        best = max(((seat.score, -seat.moves) for seat in seats), default=(0, 0))
        leaders = [
            number
            for number, seat in enumerate(live(race, t_ms).seats)
            if seat.state.in_race and (seat.score, -seat.moves) == best and seat.score
        ]
        assert timeline.leader_at(t_ms) == (leaders[0] if len(leaders) == 1 else None)


@pytest.mark.parametrize("make", RACES.values(), ids=RACES)
def test_the_times_of_moves_are_those_that_the_verifier_derives(make):
    race = make()
    record = Record.parse(race.record())
    for racer, log, course in zip(race.racers, record.logs, timeline_of(race).courses, strict=True):
        events = [event for event in record.events if event.seat == racer.number]
        check = SeatCheck(racer.number, racer.signer.key, log, events, race.deal, race.mix)
        check.times(race.gaps)
        check.replay(race.deck, moved_by_gaps(race.deal.terms(len(race.racers)), race.gaps))
        assert moments(log, events) == [move.t_ms for move in check.moves] == racer.moments
        assert course.results == check.moves


@pytest.mark.parametrize("make", [busy_race, stuck_race, gapped_race])
def test_a_board_is_the_same_wherever_one_comes_from(make):
    race = make()
    outcome = None if not race.gaps else Outcome(Termination.BELL, (0,), 7_100)
    timeline = timeline_of(race, outcome=outcome)
    for racer in race.racers:
        course = timeline.courses[racer.number]
        wanted = [board_after(race, racer, moves) for moves in range(course.moves + 1)]
        asked = [*range(course.moves + 1), *range(course.moves, -1, -1)]
        random.Random(1).shuffle(asked)
        for moves in asked:
            assert course.board_after(moves) == wanted[moves]
            assert course.max_exponent_after(moves) == max(wanted[moves].cells)


@given(st.lists(st.integers(0, 1_200), max_size=30))
def test_a_long_log_is_reached_by_its_checkpoints(asked):
    course = LONG.courses[0]
    assert course.moves > 3 * CHECKPOINT_MOVES
    for moves in (min(number, course.moves) for number in asked):
        assert course.board_after(moves) == LONG_BOARDS[moves]


def long_race():
    race = MadeRace(replace_size(ENDLESS, 5), links=256)
    race.racers[0].play(900)
    race.resign(1, 200_000)
    race.racers[0].sign(Act.END)
    return race


def replace_size(settings, size):
    return type(settings)(seats=settings.seats, size=size, kind=settings.kind, target_exponent=settings.target_exponent)


LONG_RACE = long_race()
LONG = timeline_of(LONG_RACE)
LONG_BOARDS = [board_after(LONG_RACE, LONG_RACE.racers[0], moves) for moves in range(LONG.courses[0].moves + 1)]


def test_moves_after_the_end_do_not_count():
    race = busy_race()
    timeline = timeline_of(race)
    late = [course for course in timeline.courses if course.moves > timeline.counted(course.player.seat)]
    assert late
    for course in late:
        seat = course.player.seat
        assert timeline.moves_at(seat, timeline.end_ms + 60_000) == timeline.counted(seat)
        assert timeline.at(99_999).seats == timeline.at(timeline.end_ms).seats


def test_every_move_tells_its_points_and_the_tile_that_spawned():
    for course in timeline_of(stuck_race()).courses:
        score, board = 0, course.board_after(0)
        for move in course.played():
            slid = board.slide(move.direction)
            assert slid is not None
            score += slid[1]
            assert (move.points, move.score) == (slid[1], score)
            cells = bytearray(slid[0].cells)
            assert cells[move.cell] == 0
            cells[move.cell] = move.exponent
            assert move.board.cells == bytes(cells)
            board = move.board
        assert move.number == course.moves


def test_what_happened_is_told_at_its_time():
    race = eventful_race()
    told = [(each.t_ms, each.kind, each.seat) for each in timeline_of(race).happenings]
    assert told == [
        (1_500, Happened.OFFERED, 1),
        (2_000, Happened.REFUSED, 0),
        (3_000, Happened.OFFERED, 2),
        (33_000, Happened.LAPSED, 2),
        (40_000, Happened.RESIGNED, 1),
        (41_000, Happened.OFFERED, 0),
        (42_000, Happened.AGREED, 2),
        (42_000, Happened.ENDED, -1),
    ]


def test_an_offer_is_gone_with_its_maker():
    race = MadeRace(ENDLESS, 3)
    race.offer(0, 500)
    race.resign(0, 900)
    race.resign(1, 950)
    race.racers[2].sign(Act.END)
    told = [(each.t_ms, each.kind, each.seat) for each in timeline_of(race).happenings]
    assert told[1:3] == [(900, Happened.RESIGNED, 0), (900, Happened.DROPPED, 0)]


def test_who_is_stuck_and_away_is_told_and_shown():
    race = MadeRace(ENDLESS, 3)
    race.racers[0].play()
    stuck_ms = race.racers[0].moments[-1]
    race.absent(0, stuck_ms + 60_000)
    race.absent(0, stuck_ms + 70_000, absent=False)
    race.resign(1, stuck_ms + 80_000)
    race.resign(2, stuck_ms + 90_000)
    race.racers[0].sign(Act.STUCK)
    data = race.record()
    assert verify_record(data).ok
    timeline = open_timeline(Record.parse(data))
    told = [(each.t_ms - stuck_ms, each.kind) for each in timeline.happenings if each.seat == 0]
    assert told == [(0, Happened.STUCK), (60_000, Happened.AWAY), (70_000, Happened.BACK)]
    pictures = [timeline.at(stuck_ms + ms).seats[0] for ms in (59_999, 60_000, 69_999, 70_000)]
    connected = [picture.connected for picture in pictures if picture is not None]
    assert connected == [True, False, False, True]


def test_a_vote_that_came_to_nothing_is_told_as_such():
    race = drawn_race()
    event, happened = race.events[0]
    said = replace(event, kind=EventKind.SAID, t_ms=700, tick=0, seat=0, seal=None)
    race.events.insert(0, (said, happened))
    told = timeline_of(race, outcome=race.outcome()).happenings
    assert (told[0].t_ms, told[0].kind, told[0].seat) == (700, Happened.SAID, 0)


def test_new_max_tiles_are_told_from_128_on():
    told = [each for each in LONG.happenings if each.kind is Happened.MADE and each.seat == 0]
    exponents = [each.exponent for each in told]
    assert exponents == list(range(7, LONG.courses[0].max_exponent_after(LONG.counted(0)) + 1))
    for each in told:
        assert each.exponent in LONG.courses[0].board_after(each.moves).cells
        assert each.exponent not in LONG.courses[0].board_after(each.moves - 1).cells


def test_a_gap_of_the_lobby_is_told():
    race = gapped_race()
    timeline = timeline_of(race, outcome=Outcome(Termination.BELL, (0,), 7_100))
    (gap,) = [each for each in timeline.happenings if each.kind is Happened.GAP]
    assert (gap.t_ms, gap.until_ms) == (2_000, 4_100)
    assert timeline.end_ms == 7_100


def test_after_a_gap_that_made_the_race_void_nothing_counts():
    race = MadeRace(ENDLESS)
    for racer in race.racers:
        racer.play(3)
    race.gaps = [Gap(10_000, 310_000), Gap(320_000, 620_001)]
    race.resign(1, 630_000)
    race.racers[0].sign()
    timeline = timeline_of(race, outcome=Outcome(Termination.VOID, (), 620_001))
    assert timeline.outcome == Outcome(Termination.VOID, (), 620_001)
    view = timeline.at(timeline.end_ms)
    assert [seat.state for seat in view.seats if seat] == [SeatState.MOVING, SeatState.MOVING]


def test_keys_of_ones_own_are_known():
    race = drawn_race()
    timeline = open_timeline(Record.parse(race.record()), {race.racers[1].signer.key})
    assert [seat.you for seat in timeline.at(0).seats if seat] == [False, True]


def test_places_follow_the_standing_all_the_time():
    timeline = timeline_of(busy_race())
    for t_ms in (0, 1_000, 3_000, timeline.end_ms):
        seats = [seat for seat in timeline.at(t_ms).seats if seat]
        ranked = sorted(seats, key=lambda seat: seat.place or 0)
        assert [seat.place for seat in ranked] == [1, 2, 3, 4]
        assert [seat.score for seat in ranked] == sorted((seat.score for seat in seats), reverse=True)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_a_record_are_made_harmless(name):
    names = (name.encode()[:255].decode(errors="ignore"), "owl", "hare", "carp")
    for player in timeline_of(busy_race(3, 2, names)).players:
        assert player.name.isprintable()
        assert 0 <= wcswidth(player.name) <= 16


# ── false records ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_log_that_is_not_legal_is_played_as_far_as_it_is():
    race = resigned_race()
    logs = [racer.seat_log() for racer in race.racers]
    bad = bytes([0, 0, 0, 0, 0, 0, 0])
    timeline = timeline_of(race, logs=[replace(logs[0], directions=bad), logs[1]])
    assert timeline.courses[0].moves < 7
    assert timeline.outcome is not None
    timeline.at(timeline.end_ms)


def test_a_race_that_nothing_ends_is_shown_to_its_last_move():
    race = MadeRace(ENDLESS)
    race.racers[0].play(3)
    race.close()
    timeline = timeline_of(race, outcome=Outcome(Termination.ALONE, (0,), 300))
    assert timeline.outcome is None
    assert timeline.end_ms == 300
    assert timeline.at(300).outcome is None


def test_a_record_with_more_players_than_logs_is_shown_as_far_as_it_goes():
    race = stuck_race(3)
    logs = [racer.seat_log() for racer in race.racers]
    timeline = timeline_of(race, logs=logs[:1])
    assert len(timeline.players) == 1
    timeline.at(timeline.end_ms)


def test_papers_that_cannot_be_read_leave_nothing_to_see():
    race = target_race()
    with pytest.raises(LayoutError):
        timeline_of(race, deal=Signed(b"nothing", bytes(64)))


def test_a_vote_whose_seal_cannot_be_read_is_not_told():
    race = drawn_race()
    event, happened = race.events[0]
    assert event.seal is not None
    unread = replace(event, seal=Signed(event.seal.body[:49] + b"\xff\x00", event.seal.signature))
    race.events[0] = (unread, happened)
    kinds = [each.kind for each in timeline_of(race, outcome=race.outcome()).happenings]
    assert Happened.OFFERED not in kinds


def test_events_that_fall_back_in_time_are_shown_in_order():
    race = drawn_race()
    event, happened = race.events[1]
    race.events[1] = (replace(event, t_ms=3, moves=99), happened)
    timeline = timeline_of(race, outcome=Outcome(Termination.DRAW, (0, 1), 1_900))
    times = [each.t_ms for each in timeline.happenings]
    assert times == sorted(times)


u32s = st.integers(0, (1 << 32) - 1)
corrections = st.builds(Correction, st.integers(1, 6), u32s, st.integers(0, 65_535))


@given(
    st.lists(corrections, max_size=4, unique_by=lambda each: each.move),
    st.lists(u32s, min_size=6, max_size=6).map(sorted),
    st.binary(min_size=6, max_size=6).map(lambda raw: bytes(byte & 3 for byte in raw)),
    st.lists(st.tuples(u32s, st.integers(0, 9)), min_size=2, max_size=2),
    st.lists(st.builds(Gap, u32s, u32s), max_size=2),
)
def test_whatever_a_false_record_says_there_is_a_picture_of_every_moment(fixed, times, directions, events, gaps):
    race = drawn_race()
    logs = [racer.seat_log() for racer in race.racers]
    arrivals = sorted(each.arrival_ms for each in fixed)
    by_move = sorted(fixed, key=lambda each: each.move)
    ordered = tuple(replace(each, arrival_ms=t_ms) for each, t_ms in zip(by_move, arrivals, strict=True))
    logs[0] = replace(logs[0], times=tuple(times), corrections=ordered, directions=directions)
    for place, (t_ms, moves) in enumerate(events):
        event, happened = race.events[place]
        race.events[place] = (replace(event, t_ms=t_ms, moves=moves), happened)
    race.gaps = gaps
    timeline = timeline_of(race, logs=logs, outcome=Outcome(Termination.DRAW, (0, 1), 1_900))
    for t_ms in (0, 1, timeline.end_ms // 2, timeline.end_ms, timeline.end_ms + 1):
        timeline.at(t_ms)
        timeline.told_until(t_ms)
        timeline.leader_at(t_ms)
    assert list(timeline.beats) == sorted(set(timeline.beats))
