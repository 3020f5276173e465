"""What the lobby measures on a line (rules 5.2)."""

from random import Random

import pytest

from lobby.people import Line


def line():
    return Line(heard_ms=0, pinged_ms=0)


@pytest.mark.parametrize("seed", range(20))
def test_the_least_round_trip_is_that_of_the_last_30_s(seed):
    random, measured, trips, now_ms = Random(seed), line(), [], 0
    for _ in range(400):
        now_ms += random.choice([0, 1, 90, 5_000])
        trips.append((now_ms, random.randrange(20)))
        measured.measured(*trips[-1])
        asked_ms = now_ms + random.choice([0, 0, 12_000])
        assert measured.least_ms(asked_ms) == min((t for at, t in trips if at >= asked_ms - 30_000), default=None)
        now_ms = asked_ms


def test_a_line_that_was_not_measured_for_30_s_has_no_round_trip():
    measured = line()
    measured.measured(1_000, 40)
    assert measured.least_ms(31_000) == 40
    assert measured.least_ms(31_001) is None


def test_a_flood_of_pongs_is_not_kept():
    measured = line()
    for _ in range(10_000):  # nobody asks for the least: this is a watcher
        measured.measured(5_000, 3_000)
    assert len(measured.samples) == 1
    for now_ms in range(5_000, 200_000, 10):  # all answer the same ping, each later than the one before
        measured.measured(now_ms, now_ms)
    assert len(measured.samples) <= 3_001
