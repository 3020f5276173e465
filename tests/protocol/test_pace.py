"""protocol/pace.py: forty moves a second, ten in a burst (rules 6.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.limits import WINDOWS, Windows
from protocol.pace import free_ms, paced


def taken(times, windows=WINDOWS):
    """How many of these moves are taken, one after another, until one is refused."""
    full_ms = 0
    for count, t_ms in enumerate(times):
        pace = paced(full_ms, t_ms, windows)
        if pace is None:
            return count
        full_ms = pace
    return len(times)


def test_a_burst_of_ten_is_taken():
    assert taken([0] * 11) == 10


def test_forty_a_second_go_on_for_ever():
    assert taken(range(0, 100_000, 25)) == 4_000


def test_a_little_faster_than_forty_a_second_ends_soon():
    assert taken(range(0, 100_000, 24)) < 250


def test_after_a_burst_the_next_move_is_free_25_ms_later():
    assert taken([0] * 10 + [24]) == 10
    assert taken([0] * 10 + [25]) == 11


def test_a_pause_fills_the_bucket_but_no_further():
    assert taken([0] * 10 + [60_000] * 11) == 20


@pytest.mark.parametrize("windows", [WINDOWS, Windows(moves_per_s=20, moves_burst=3)])
@given(steps=st.lists(st.integers(0, 60), max_size=60))
def test_a_move_is_free_when_the_pace_says_so(windows, steps):
    full_ms = now_ms = 0
    for step_ms in steps:
        now_ms = max(now_ms + step_ms, free_ms(full_ms, windows))
        pace = paced(full_ms, now_ms, windows)
        assert pace is not None
        full_ms = pace
        if free_ms(full_ms, windows) > now_ms:
            assert paced(full_ms, free_ms(full_ms, windows) - 1, windows) is None


@given(st.lists(st.integers(0, 60), max_size=60))
def test_the_pace_is_a_bucket_of_tokens(steps):
    """An independent bucket, filled by the millisecond in fortieths of a token."""
    level, full_ms, now_ms = 10 * 1_000, 0, 0
    for step_ms in steps:
        now_ms += step_ms
        level = min(10 * 1_000, level + 40 * step_ms)
        pace = paced(full_ms, now_ms, WINDOWS)
        assert (pace is not None) is (level >= 1_000)
        if pace is not None:
            full_ms, level = pace, level - 1_000
