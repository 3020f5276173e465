"""Tests of engine/motion.py."""

from hypothesis import given
from hypothesis import strategies as st

from engine.board import Board, Direction
from engine.motion import Motion, motions
from tests.engine.test_board import boards

UP, RIGHT, DOWN, LEFT = Direction
BOARD = Board.parse("""
    2 . 2 2
    . . . .
    . . . .
    4 . . .
""")


def test_tiles_slide_and_merge_to_the_left() -> None:
    assert motions(BOARD, LEFT) == (
        Motion(0, 0, 1, merged=True),
        Motion(2, 0, 1, merged=True),
        Motion(3, 1, 1, merged=False),
        Motion(12, 12, 2, merged=False),
    )


def test_tiles_slide_and_merge_to_the_right() -> None:
    assert motions(BOARD, RIGHT) == (
        Motion(3, 3, 1, merged=True),
        Motion(2, 3, 1, merged=True),
        Motion(0, 2, 1, merged=False),
        Motion(12, 15, 2, merged=False),
    )


def test_tiles_slide_up() -> None:
    assert Motion(12, 4, 2, merged=False) in motions(BOARD, UP)


def test_tiles_slide_down() -> None:
    assert Motion(0, 8, 1, merged=False) in motions(BOARD, DOWN)


def test_an_illegal_move_has_no_motions() -> None:
    assert motions(Board.parse("2 . . / . . . / . . ."), LEFT) == ()


@given(boards(), st.sampled_from(Direction))
def test_motions_turn_the_board_into_the_board_after_the_slide(board, direction) -> None:
    slid = board.slide(direction)
    found = motions(board, direction)
    if slid is None:
        assert found == ()
        return
    faces = [0] * board.size**2
    for motion in found:
        faces[motion.end] += 1 << motion.exponent
    assert faces == [face for row in slid[0].faces() for face in row]
    assert sorted(motion.start for motion in found) == [i for i, cell in enumerate(board.cells) if cell]


@given(boards(), st.sampled_from(Direction))
def test_two_motions_are_marked_merged_for_each_merge(board, direction) -> None:
    ends = [motion.end for motion in motions(board, direction) if motion.merged]
    assert all(ends.count(end) == 2 for end in ends)
    assert 2 * len(set(ends)) == len(ends)
