"""client/mistakes.py, board_sights.py, coaching.py: at least five boards for each classic mistake, and five against.

The pictures are boards of games, each with the push that was made. Which push is better, and that the one made was
clearly worse, is the solver's own judgement, as the player is told it.
"""

import pytest

from client.board_sights import (
    Hold,
    anchors,
    boxed_in,
    hold_after,
    is_nearly_full,
    largest_pair,
    lines_in_order,
    merged,
)
from client.coaching import Reason, Why, clearly_cells, judged
from client.mistakes import HURRY_MS, Mistake, mistake_of
from engine.board import SIZES, Board, Direction
from engine.prospect import prospect_of
from engine.solver import HINT_NODES, search

UP, RIGHT, DOWN, LEFT = Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT
LONG_MS = 10 * HURRY_MS


def verdict(picture, made, think_ms=LONG_MS):
    board = Board.parse(picture)
    return judged(board, made, search(board, HINT_NODES), think_ms)


# ── all four directions used freely ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("picture", "made"),
    [
        ("2 4 4 8 / . 2 8 16 / . . 32 128 / 2 . 16 256", LEFT),  # 256 leaves its corner, up keeps it
        ("256 16 4 . / 128 2 4 . / 64 . . . / 2 . . .", RIGHT),
        ("256 128 32 16 / 2 16 16 8 / . . 2 8 / . . . 2", DOWN),
        ("8 32 128 512 / . 4 32 2 / . . 2 . / . . 2 .", DOWN),
        ("256 8 . 2 / 256 16 . . / 128 2 . . / 16 32 2 .", RIGHT),
        ("4 16 128 512 / . 4 8 32 / . 4 2 4 / . . . .", DOWN),
        ("4 . . . / . . . . / 8 8 2 2 / 8 32 128 128", LEFT),
        (". . 4 2 / . 2 8 4 / 2 4 16 8 / 512 128 64 32", UP),  # it stays, but its full row has a gap then
    ],
)
def test_a_push_away_from_the_largest_tiles_corner_is_using_all_directions_freely(picture, made):
    said = verdict(picture, made)
    assert (said.clear, said.mistake) == (True, Mistake.DIRECTIONS)


@pytest.mark.parametrize(
    ("picture", "made", "best"),
    [
        (". . . . / . 512 . . / 4 8 2 2 / 8 32 16 4", UP, LEFT),  # no corner is held
        ("2 . . . / 4 . . . / 8 . . . / 512 . . .", RIGHT, RIGHT),  # nothing else could be pushed
        (". . . . / . . . . / . . . . / 512 . . .", UP, RIGHT),  # the better push leaves the corner as well
        (". . . . / . . . . / 2 4 8 2 / 256 256 . .", RIGHT, LEFT),  # one 512 comes of it, in a corner again
        (". . . . / . . . 2 / . 2 . . / 8 4 2 .", UP, DOWN),  # with 8 as the largest nobody minds
        (". . . . / 2 . . . / 2 8 . . / 64 16 4 4", LEFT, DOWN),  # along the edge: the 64 stays, a gap comes behind it
        ("512 2 . . / 32 4 . 2 / 32 4 2 16 / 16 64 2 .", UP, LEFT),  # towards the corner
    ],
)
def test_a_push_that_keeps_the_corner_or_has_none_to_keep_is_not(picture, made, best):
    assert mistake_of(Board.parse(picture), made, best) is not Mistake.DIRECTIONS


# ── a small tile boxed in ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("picture", "made"),
    [
        ("4 32 64 512 / . 2 8 8 / . . 8 16 / . . . 2", DOWN),  # the 2 in the lower right corner, between 16 and 16
        ("256 128 16 16 / 2 16 8 8 / . . 4 . / . . 4 .", DOWN),
        ("4 8 64 128 / 2 8 16 . / 8 . . . / 256 2 . .", DOWN),
        ("16 16 2 2 / 64 . . . / 128 . . . / 64 . 2 .", RIGHT),  # the 4 that comes of it, between 32 and 64
        ("8 32 128 2 / 4 16 64 . / 4 16 . . / 2 . . .", RIGHT),
        (". . 4 256 / 4 . 32 128 / . . 8 16 / . . 8 2", DOWN),
        ("16 32 256 2 / . . 4 2 / . . . . / 2 . . .", DOWN),
    ],
)
def test_a_push_that_shuts_a_small_tile_in_among_large_ones_is_boxing_it_in(picture, made):
    said = verdict(picture, made)
    assert (said.clear, said.mistake) == (True, Mistake.BOXED)


@pytest.mark.parametrize(
    ("picture", "made", "best"),
    [
        ("4 32 64 512 / . 2 8 8 / . . 8 16 / . . . 2", LEFT, DOWN),  # the better one of a board above
        ("2 128 64 . / 64 32 . . / . . . . / . . . .", DOWN, RIGHT),  # the 2 that is shut in comes out
        ("2 64 8 4 / 64 32 4 2 / 8 4 2 . / 4 2 . .", RIGHT, DOWN),  # it was shut in before, and still is
        (". . . 2 / . . 4 8 / . 2 8 16 / 2 8 16 32", UP, LEFT),  # every tile has one near it that is not much larger
        ("64 4 . . / . 32 . . / . . . . / 2 . . .", UP, LEFT),  # the 2 has room beside it
        (". . 4 4 / . . 2 256 / . 2 . 32 / . . . 16", LEFT, DOWN),
    ],
)
def test_a_push_that_shuts_nothing_in_is_not(picture, made, best):
    assert mistake_of(Board.parse(picture), made, best) is not Mistake.BOXED


# ── chasing every merge ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("picture", "made"),
    [
        ("8 16 128 . / 8 2 2 . / 2 . . . / . . . 2", UP),  # 16, where 2 and 2 would have been enough
        (". 2 2 4 / . 2 4 128 / . . 2 128 / . . 8 16", UP),
        ("2 8 128 512 / 2 4 8 32 / . . . 2 / . . . 2", UP),
        ("128 256 8 8 / 32 16 4 4 / 8 8 2 2 / 2 2 . .", LEFT),  # everything at once
        ("16 32 256 4 / 2 4 2 . / 2 . . . / . 2 . .", DOWN),
        ("8 8 4 2 / 32 2 . . / 128 . . . / . 2 . .", RIGHT),
        ("512 2 . . / 32 4 . 2 / 32 4 2 16 / 16 64 2 .", UP),
    ],
)
def test_a_push_for_more_points_now_and_less_later_is_chasing_merges(picture, made):
    said = verdict(picture, made)
    assert (said.clear, said.mistake) == (True, Mistake.MERGES)


@pytest.mark.parametrize(
    ("picture", "made"),
    [
        (". . . . / 2 . . . / 4 2 2 . / 32 32 64 .", UP),  # the better one merges more
        ("4 4 8 4 / 64 2 . . / 32 32 . . / 8 4 . .", RIGHT),  # as much, but to the wrong side
        ("4 32 512 128 / . . 4 16 / 2 . . 8 / . . . 2", DOWN),  # merges nothing
        (". . 4 128 / . . 4 256 / 2 2 4 32 / . 4 8 4", LEFT),
        (". 32 512 128 / . 4 4 8 / . . . 2 / 4 . . .", DOWN),
    ],
)
def test_a_bad_push_that_merges_no_more_than_the_best_is_not(picture, made):
    said = verdict(picture, made)
    assert (said.clear, said.mistake) == (True, None)


# ── hurrying on a nearly full board ──────────────────────────────────────────────────────────────────────────────

NEARLY_FULL = [
    ("4 4 2 . / 8 16 32 . / 8 16 64 128 / 16 128 256 2", UP),
    ("128 256 2 2 / 32 16 16 4 / 16 8 2 2 / 4 4 . .", RIGHT),
    ("8 2 . 2 / 32 4 2 . / 64 16 4 2 / 256 32 16 4", DOWN),
    ("4 16 128 256 / 4 8 32 128 / . 4 8 64 / 2 2 4 32", LEFT),
    ("4 2 128 256 / 4 8 64 128 / 4 4 8 64 / 2 2 4 32", UP),
    (". 2 4 16 / 4 . 8 128 / 4 8 16 32 / 8 16 32 2", LEFT),
]


@pytest.mark.parametrize(("picture", "made"), NEARLY_FULL)
def test_a_bad_push_at_once_on_a_nearly_full_board_is_hurrying(picture, made):
    said = verdict(picture, made, HURRY_MS - 1)
    assert (said.clear, said.mistake) == (True, Mistake.HURRY)


@pytest.mark.parametrize(("picture", "made"), NEARLY_FULL)
@pytest.mark.parametrize("think_ms", [HURRY_MS, LONG_MS, None])
def test_on_the_same_boards_it_is_not_if_they_were_looked_at_or_nobody_knows(picture, made, think_ms):
    said = verdict(picture, made, think_ms)
    assert (said.clear, said.mistake) == (True, None)


@pytest.mark.parametrize(
    ("picture", "made"),
    [
        (". . . . / 2 . . . / 4 2 2 . / 32 32 64 .", UP),
        ("4 4 8 4 / 64 2 . . / 32 32 . . / 8 4 . .", RIGHT),
        ("4 32 512 128 / . . 4 16 / 2 . . 8 / . . . 2", DOWN),
        (". . 4 128 / . . 4 256 / 2 2 4 32 / . 4 8 4", LEFT),
        (". 32 512 128 / . 4 4 8 / . . . 2 / 4 . . .", DOWN),
    ],
)
def test_a_quick_bad_push_with_room_enough_is_not_hurrying(picture, made):
    said = verdict(picture, made, 1)
    assert (said.clear, said.mistake) == (True, None)


def test_what_the_board_shows_counts_before_haste():
    assert verdict("4 8 16 32 / 2 4 8 64 / 4 2 4 128 / . 2 16 256", LEFT, 1).mistake is Mistake.DIRECTIONS


# ── what is seen on a board ──────────────────────────────────────────────────────────────────────────────────────


def test_an_anchor_is_a_corner_with_the_largest_tile_from_16_on():
    assert anchors(Board.parse("16 . . 16 / . . . . / . 16 . . / 2 . . .")) == {0, 3}
    assert anchors(Board.parse("8 . . . / . . . . / . . . . / 2 . . .")) == frozenset()


@pytest.mark.parametrize(
    ("picture", "way"),
    [
        ("2 4 8 16 / . . . . / . . . 2 / 2 . . .", DOWN),  # its column moves, and it with it
        ("16 8 4 2 / 8 . . . / 4 . . . / 2 . . .", RIGHT),
        ("2 . . . / 4 . . . / 8 . . . / 16 8 4 2", UP),
    ],
)
def test_all_four_edges_can_be_opened_or_left(picture, way):
    assert hold_after(Board.parse(picture), way) is not Hold.KEPT


def test_a_push_merges_the_pairs_of_each_line():
    board = Board.parse("2 2 2 2 / 4 . 4 8 / 8 . . . / . . . 16")
    assert merged(board, LEFT) == (2, 1, 1)
    assert merged(board, UP) == ()
    assert merged(Board.parse("8 . . / 8 . . / 8 . 2"), DOWN) == (3,)


def test_equal_tiles_touch_across_and_beside_and_not_over_the_edge():
    assert largest_pair(Board.parse("2 . 64 / 64 . . / . . 2")) == 0
    assert largest_pair(Board.parse("2 64 64 / 4 . 8 / 4 . 8")) == 6
    assert largest_pair(Board.parse("2 64 . / 4 . 128 / 4 . 128")) == 7


def test_lines_that_only_rise_or_only_fall_are_in_order():
    assert lines_in_order(Board.parse("2 4 8 / 8 . 2 / 4 16 4")) == 3
    assert lines_in_order(Board.parse(". . 2 / . . . / . . .")) == 0
    assert lines_in_order(Board.parse("2 2 4 / . . . / . . .")) == 1


def test_a_tile_is_boxed_in_by_tiles_of_eight_times_its_value_and_by_edges():
    assert boxed_in(Board.parse("2 16 . / 16 . . / . . .")) == {0}
    assert boxed_in(Board.parse("2 8 . / 16 . . / . . .")) == frozenset()
    assert boxed_in(Board.parse("4 16 . / 32 . . / . . .")) == frozenset()


def test_the_last_gap_is_where_the_next_tile_will_be_boxed_in():
    assert boxed_in(Board.parse(". 16 8 / 32 4 2 / 8 2 4")) == {0}
    assert boxed_in(Board.parse(". 16 8 / 32 4 2 / 8 . 4")) == frozenset()


def test_a_board_is_nearly_full_with_an_eighth_of_it_empty():
    assert is_nearly_full(Board.parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 . ."))
    assert not is_nearly_full(Board.parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 . . ."))
    assert is_nearly_full(Board.parse("2 4 8 / 4 8 . / 2 4 8"))


# ── what speaks for a move, and how bad another one was ──────────────────────────────────────────────────────────


def test_nearly_as_good_is_not_clearly_worse():
    said = verdict("2 8 4 2 / 4 2 . . / . . . . / . 2 . .", RIGHT)
    assert 0 < said.cells < clearly_cells(4)
    assert (said.clear, said.mistake) == (False, None)


@pytest.mark.parametrize(("size", "cells"), [(3, 2), (4, 2), (5, 3.125), (6, 4.5), (8, 8)])
def test_what_is_clearly_worse_is_an_eighth_of_a_large_board(size, cells):
    assert clearly_cells(size) == cells


@pytest.mark.parametrize("size", SIZES)
def test_a_move_is_clearly_worse_from_that_loss_on_and_not_before(size):
    board = Board.parse(
        " / ".join([" ".join(["2", "4", "2"] + ["."] * (size - 3))] * 2 + [" ".join("." * size)] * (size - 2))
    )
    found = search(board, 0)
    worth = prospect_of(size).cell_worth
    for cells, clear in ((clearly_cells(size) - 0.01, False), (clearly_cells(size) + 0.01, True)):
        found.values = {UP: 1e6, DOWN: 1e6 - cells * worth}
        assert judged(board, DOWN, found).clear is clear


@pytest.mark.parametrize("size", [5, 6, 8])
def test_on_a_large_board_to_open_the_row_of_large_tiles_is_clearly_worse(size):
    row = " ".join(str(1 << size + 4 - place) for place in range(size))
    rest = [" ".join("." * size)] * (size - 2)
    said = verdict(" / ".join([row, " ".join(["2", ".", "2"] + ["."] * (size - 3)), *rest]), DOWN)
    assert (said.clear, said.mistake) == (True, Mistake.DIRECTIONS)


def test_with_three_tiles_no_move_is_called_bad():
    for way in (UP, RIGHT, DOWN, LEFT):
        assert not verdict("64 . . . / . . . . / . 2 . . / . . . 32", way).clear


def test_a_move_that_may_end_the_game_is_told_as_a_risk():
    said = verdict("4 2 128 256 / 4 8 64 128 / 4 4 8 64 / 2 2 4 32", UP)
    assert said.risk == pytest.approx(0.1, abs=0.05)
    assert verdict("4 4 8 4 / 64 2 . . / 32 32 . . / 8 4 . .", RIGHT).risk == 0


@pytest.mark.parametrize(
    ("picture", "why"),
    [
        ("2 . . . / 4 . . . / 8 . . . / 512 . . .", Why(Reason.ONLY)),
        ("256 128 32 16 / 2 16 16 8 / . . 2 8 / . . . 2", Why(Reason.CORNER, 8)),
        ("4 4 8 4 / 64 2 . . / 32 32 . . / 8 4 . .", Why(Reason.MERGES, 5)),
        ("4 4 8 4 / 64 2 . . / 32 32 . . / 8 4 . .", Why(Reason.PAIR, 6)),
        ("16 16 2 2 / 64 . . . / 128 . . . / 64 . 2 .", Why(Reason.ROOM, 10)),
        ("4 32 512 128 / . . 4 16 / 2 . . 8 / . . . 2", Why(Reason.AHEAD, 2)),
        (". . . . / . 2 2 . / . . . . / . . . .", Why(Reason.EVEN)),
        ("16 8 4 8 / 2 32 . 64 / 16 2 16 8 / 256 4 32 2", Why(Reason.SURVIVES)),
    ],
)
def test_what_speaks_for_the_best_move_is_on_the_board(picture, why):
    board = Board.parse(picture)
    best = search(board, HINT_NODES).best
    assert best is not None
    assert why in verdict(picture, best).why
