"""client/milestones.py: how far ahead or behind a published table a game is."""

import pytest

from client.milestones import MILESTONES, MOVES_MIN, Pace, pace_of, usual_moves


@pytest.mark.parametrize("row", MILESTONES, ids=lambda row: str(1 << row.exponent))
def test_at_a_row_of_the_table_a_game_is_just_on_pace(row):
    assert usual_moves(row.score) == row.moves
    pace = pace_of(4, row.exponent - 1, row.moves, row.score)
    assert pace == Pace(row.exponent, row.moves, 0)


def test_the_table_is_the_published_one():
    assert [(1 << row.exponent, row.moves, row.score) for row in MILESTONES] == [
        (128, 69, 784),
        (256, 133, 1_816),
        (512, 253, 4_104),
        (1_024, 507, 9_400),
        (2_048, 989, 20_588),
    ]


def test_forty_moves_fewer_for_the_same_points_are_forty_moves_ahead():
    assert pace_of(4, 10, 949, 20_588) == Pace(11, 989, 40)
    assert pace_of(4, 10, 1_029, 20_588) == Pace(11, 989, -40)


def test_between_two_rows_points_count_in_proportion():
    assert usual_moves((9_400 + 20_588) // 2) == (507 + 989) // 2
    assert usual_moves(392) == round(69 / 2)


def test_beyond_the_table_it_goes_on_as_in_its_last_row():
    assert usual_moves(20_588 + 11_188) == 989 + 482


def test_the_next_tile_is_the_one_after_the_largest():
    assert [pace.exponent for exponent in range(1, 11) if (pace := pace_of(4, exponent, 50, 600))] == [
        *([7] * 6), 8, 9, 10, 11,
    ]  # fmt: skip


@pytest.mark.parametrize("size", [3, 5, 6, 8])
def test_on_other_sizes_there_is_no_pace(size):
    assert pace_of(size, 6, 50, 600) is None


def test_there_is_none_after_the_last_tile_and_before_the_first_moves():
    assert pace_of(4, 11, 1_000, 21_000) is None
    assert pace_of(4, 2, MOVES_MIN - 1, 8) is None
