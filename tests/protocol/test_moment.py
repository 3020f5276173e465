"""protocol/moment.py: at which moment a move counts, and what the lobby's absences move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.race import Kind, RaceTerms
from protocol.limits import WINDOWS
from protocol.moment import back_ms_max, flushed_at_once, moment, moved_by_gaps, void_gap
from protocol.record import Gap

times = st.integers(0, 100_000)
TERMS = RaceTerms(2, Kind.TIMED, bell_ms=60_000)


@pytest.mark.parametrize(
    ("claimed_ms", "expected_ms"),
    [(1_000, 1_000), (900, 900), (899, 900), (0, 900), (1_001, 1_000), (5_000, 1_000)],
)
def test_a_claim_counts_as_far_as_the_line_explains_it(claimed_ms, expected_ms):
    assert moment(claimed_ms, 1_000, 100, 0) == expected_ms


@given(times, times, times, times)
def test_no_move_counts_before_the_event_before_it(claimed_ms, arrival_ms, back_ms, before_ms):
    assert moment(claimed_ms, arrival_ms, back_ms, before_ms) >= before_ms


@given(times, times, times, times)
def test_no_move_counts_after_its_arrival_but_for_the_event_before_it(claimed_ms, arrival_ms, back_ms, before_ms):
    assert moment(claimed_ms, arrival_ms, back_ms, before_ms) <= max(arrival_ms, before_ms)


def test_what_decides_is_flushed_at_once():
    assert flushed_at_once(0, True, 0, WINDOWS)


@pytest.mark.parametrize(("claimed_ms", "at_once"), [(58_999, False), (59_000, True), (60_100, True)])
def test_near_the_bell_every_move_is_flushed_at_once(claimed_ms, at_once):
    assert flushed_at_once(claimed_ms, False, 60_000, WINDOWS) is at_once


def test_without_a_bell_nothing_is_near_it():
    assert not flushed_at_once(60_000, False, 0, WINDOWS)


def test_a_move_that_may_wait_is_believed_for_longer():
    assert back_ms_max(30, True, WINDOWS) == 30
    assert back_ms_max(30, False, WINDOWS) == 280


def test_without_gaps_the_terms_stay():
    assert moved_by_gaps(TERMS, []) == TERMS


def test_a_gap_moves_the_bell_and_draw_offers():
    moved = moved_by_gaps(TERMS, [Gap(10_000, 15_000)])
    assert (moved.bell_ms, moved.offer_lapse_ms) == (65_000, 35_000)


def test_a_gap_that_begins_before_the_moved_bell_moves_it_again():
    assert moved_by_gaps(TERMS, [Gap(59_000, 64_000), Gap(64_500, 67_500)]).bell_ms == 68_000


def test_a_gap_after_the_bell_does_not_move_it():
    assert moved_by_gaps(TERMS, [Gap(60_000, 65_000)]).bell_ms == 60_000


def test_a_race_without_a_bell_gets_none():
    assert moved_by_gaps(RaceTerms(2, Kind.ENDLESS), [Gap(0, 5_000)]).bell_ms == 0


def test_ten_minutes_of_gaps_are_not_too_many():
    assert void_gap([Gap(0, 300_000), Gap(400_000, 700_000)]) is None


def test_the_gap_that_is_too_much_makes_the_race_void():
    assert void_gap([Gap(0, 300_000), Gap(400_000, 700_001), Gap(800_000, 900_000)]) == Gap(400_000, 700_001)
