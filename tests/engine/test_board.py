"""Tests of engine/board.py: golden slides first, then pictures, then properties."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import grid, lines
from engine.board import SIZES, Board, Direction, largest_exponent
from engine.deck import SoloDeck

UP, RIGHT, DOWN, LEFT = Direction
GOLDEN = json.loads((Path(__file__).parents[1] / "vectors" / "slides.json").read_text())
WHOLE_LOT = 1 << 64


@st.composite
def boards(draw) -> Board:
    size = draw(st.sampled_from(SIZES))
    exponent = st.one_of(st.just(0), st.integers(1, 3), st.integers(1, largest_exponent(size) - 1))
    return Board.of_cells(size, bytes(draw(st.lists(exponent, min_size=size**2, max_size=size**2))))


directions = st.sampled_from(Direction)
lots = st.integers(0, WHOLE_LOT - 1)


def turned(board: Board) -> Board:
    """A quarter turn to the right."""
    return Board.of_faces([row[::-1] for row in zip(*board.faces(), strict=True)])


def face_sum(board: Board) -> int:
    return sum(map(sum, board.faces()))


def worth(board: Board) -> int:
    """Σ (log2 v − 1)·v (rules 1.5)."""
    return sum((exponent - 1) << exponent for exponent in board.cells if exponent)


@pytest.mark.parametrize("direction", Direction)
def test_slides_are_as_in_the_golden_cases(direction) -> None:
    for case in GOLDEN:
        wanted = case[direction.name.lower()]
        assert Board.of_faces(case["board"]).size == case["size"]
        slid = Board.of_faces(case["board"]).slide(direction)
        found = (Board.of_faces(case["board"]), 0, False) if slid is None else (*slid, True)
        assert found == (Board.of_faces(wanted["board"]), wanted["points"], wanted["legal"]), case["board"]


def test_stuck_boards_are_as_in_the_golden_cases() -> None:
    assert all(Board.of_faces(case["board"]).stuck == case["stuck"] for case in GOLDEN)


@pytest.mark.parametrize(
    ("before", "after", "points"),
    [
        ("2 2 2 2", "4 4 . .", 8),
        ("4 4 4 .", "8 4 . .", 8),
        ("2 2 4 .", "4 4 . .", 4),
        ("8 8 16 .", "16 16 . .", 16),
        ("2 . . 2", "4 . . .", 4),
        ("4 2 2 .", "4 4 . .", 4),
    ],
)
@pytest.mark.parametrize("direction", Direction)
def test_a_tile_merges_once_a_move_from_the_edge_pushed_to(before, after, points, direction) -> None:
    rest = "/ . . . . / . . . . / . . . ."
    board, wanted = Board.parse(before + rest), Board.parse(after + rest)
    for _ in range((direction - LEFT) % 4):
        board, wanted = turned(board), turned(wanted)
    assert board.slide(direction) == (wanted, points)


def test_a_slide_that_moves_nothing_is_illegal() -> None:
    board = Board.parse("""
        2 4 . .
        4 . . .
        . . . .
        . . . .
    """)
    assert board.slide(LEFT) is None
    assert board.slide(UP) is None
    assert board.legal_directions() == (RIGHT, DOWN)


def test_a_full_board_without_equal_neighbours_is_stuck() -> None:
    assert Board.parse("2 4 2 / 4 2 4 / 2 4 2").stuck


@pytest.mark.parametrize("text", ["2 4 2 / 4 2 4 / 2 8 8", "2 4 2 / 4 2 8 / 2 4 8", "2 4 2 / 4 2 4 / 2 4 ."])
def test_a_board_with_a_merge_or_a_gap_left_is_not_stuck(text) -> None:
    assert not Board.parse(text).stuck


def test_full_rows_above_a_gap_are_not_stuck() -> None:
    assert not Board.parse("2 4 2 / . . . / . . .").stuck


@given(boards())
def test_stuck_means_no_legal_direction(board) -> None:
    assert board.stuck == (board.legal_directions() == ())


@given(boards(), directions)
def test_slides_look_the_same_from_every_side(board, direction) -> None:
    slid = board.slide(direction)
    wanted = slid and (turned(slid[0]), slid[1])
    assert turned(board).slide(Direction((direction + 1) % 4)) == wanted


@given(boards(), directions)
def test_a_slide_keeps_the_sum_and_scores_what_it_merges(board, direction) -> None:
    slid, points = board.slide(direction) or (board, 0)
    assert face_sum(slid) == face_sum(board)
    assert worth(slid) - worth(board) == points


@given(boards(), directions)
def test_a_slide_leaves_the_board_it_was_made_of_as_it_was(board, direction) -> None:
    cells = board.cells
    board.slide(direction)
    assert board.cells == cells


@given(boards(), directions, st.integers(1, 65), lots)
def test_a_tile_spawns_in_the_empty_cell_the_lot_picks(board, direction, exponent, lot) -> None:
    if direction in board.legal_directions():
        board = board.slide(direction)[0]  # of rows or of columns
    gaps = [i for i, cell in enumerate(board.cells) if cell == 0]
    if not gaps:
        return
    cells = bytearray(board.cells)
    cells[gaps[lot * len(gaps) // WHOLE_LOT]] = exponent
    assert board.spawn(exponent, lot) == Board.of_cells(board.size, bytes(cells))


@pytest.mark.parametrize("size", SIZES)
def test_a_full_board_has_no_room_for_a_tile(size) -> None:
    with pytest.raises(ValueError, match="no empty cell"):
        Board.of_cells(size, bytes([1] * size**2)).spawn(1, 0)


@pytest.mark.parametrize("size", SIZES)
def test_a_board_that_a_slide_up_and_a_spawn_made_full_has_no_room_either(size) -> None:
    cells = bytearray(1 + (i // size + i % size) % 2 for i in range(size**2))
    cells[0] = 0
    slid = Board.of_cells(size, bytes(cells)).slide(UP)
    assert slid is not None
    full = slid[0].spawn(2, 0)
    with pytest.raises(ValueError, match="no empty cell"):
        full.spawn(1, 0)


@pytest.mark.parametrize("size", SIZES)
def test_cells_are_picked_uniformly(size) -> None:
    """χ² over 100 draws a cell; at 0.9999 by Wilson and Hilferty's approximation."""
    deck = SoloDeck(b"cells of a board, chi squared...")
    board = Board.empty(size)
    picks = Counter(board.spawn(*deck.draw(d)).cells.index(deck.draw(d).exponent) for d in range(100 * size**2))
    freedom = size**2 - 1
    chi_square = sum((picks[cell] - 100) ** 2 / 100 for cell in range(size**2))
    assert chi_square < freedom * (1 - 2 / (9 * freedom) + 3.719 * (2 / (9 * freedom)) ** 0.5) ** 3


@given(boards())
def test_boards_come_back_from_their_text(board) -> None:
    assert Board.parse(str(board)) == board
    assert eval(repr(board)) == board


@given(boards(), directions)
def test_equal_boards_are_equal_however_they_were_made(board, direction) -> None:
    slid = board.slide(direction)
    if slid:
        again = Board.of_cells(board.size, slid[0].cells)
        assert (slid[0], hash(slid[0])) == (again, hash(again))


def test_boards_of_two_sizes_differ() -> None:
    assert Board.empty(3) != Board.empty(4)


def test_a_board_is_no_text() -> None:
    assert Board.empty(3) != str(Board.empty(3))


def test_a_board_tells_what_is_on_it() -> None:
    board = Board.parse("2 . 8 / . 4 . / . . 1024")
    assert board.size == 3
    assert board.cells == bytes([1, 0, 3, 0, 2, 0, 0, 0, 10])
    assert board.max_exponent == 10
    assert board.empties == 5
    assert board.faces() == ((2, 0, 8), (0, 4, 0), (0, 0, 1024))


def test_an_empty_board_has_max_exponent_0() -> None:
    assert Board.empty(8).max_exponent == 0


@given(boards(), directions)
def test_figures_do_not_depend_on_rows_or_columns(board, direction) -> None:
    slid = board.slide(direction)
    if slid:
        again = Board.of_cells(board.size, slid[0].cells)
        assert (slid[0].max_exponent, slid[0].empties) == (again.max_exponent, again.empties)


def test_the_largest_tile_of_8_by_8_fits() -> None:
    cells = bytes([largest_exponent(8)] + [0] * 63)
    assert Board.of_cells(8, cells).faces()[0][0] == 2**65


@pytest.mark.parametrize(
    ("size", "cells", "message"),
    [
        (7, bytes(49), "a board of size 7: sizes are 3, 4, 5, 6, 8"),
        (3, bytes(8), "8 cells: a 3×3 board has 9"),
        (3, bytes([0, 0, 0, 0, 0, 66, 0, 0, 0]), "row 2, column 3: exponent 66 is too large"),
    ],
)
def test_bad_cells_are_refused_with_their_position(size, cells, message) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Board.of_cells(size, cells)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a board of size 0: .*"),
        ("2 . . / . . / . . .", "row 2: 2 cells on a board of 3 rows"),
        ("2 . . / . . 6 / . . .", "row 2, column 3: '6' is neither a tile nor a dot"),
    ],
)
def test_a_bad_text_is_refused_with_the_position(text, message) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Board.parse(text)


def test_a_bad_face_is_refused_with_its_position() -> None:
    with pytest.raises(ValueError, match="row 1, column 2: '3' is neither a tile nor a dot"):
        Board.of_faces([[2, 3, 0], [0, 0, 0], [0, 0, 0]])


def played(size: int, seed: bytes, moves: int) -> Board:
    """A board after so many moves, the first legal direction of a turning list each time."""
    deck = SoloDeck(seed)
    board = Board.empty(size).spawn(*deck.draw(0)).spawn(*deck.draw(1))
    for k in range(1, moves + 1):
        turn = (Direction((k + i) % 4) for i in range(4))
        slid = next((slid for slid in map(board.slide, turn) if slid), None)
        if slid is None:
            break
        board = slid[0].spawn(*deck.draw(k + 1))
    return board


@pytest.mark.parametrize("size", SIZES)
def test_full_stores_are_emptied_and_nothing_changes(monkeypatch, size) -> None:
    wanted = [played(size, bytes([i]) * 32, 300).cells for i in range(5)]
    monkeypatch.setattr(lines, "LINES_MAX", 5)
    monkeypatch.setattr(lines, "MERGES_MAX", 5)
    monkeypatch.setattr(grid, "PICKS_MAX", 5)
    lines.LINES.clear()
    lines._MERGES.clear()
    grid._PICKS.clear()
    assert [played(size, bytes([i]) * 32, 300).cells for i in range(5)] == wanted
    assert len(lines.LINES) <= 5
    assert len(lines._MERGES) <= 5
    assert len(grid._PICKS) <= 5
    assert sum(1 for a in lines.TREE for b in a for c in b for line in c if line) <= 5


def test_a_line_dropped_from_the_store_lets_go_of_what_it_leads_to(monkeypatch) -> None:
    board = Board.parse("2 2 . . / . . . . / . . . . / . . . .")
    board.slide(LEFT)
    board.slide(RIGHT)
    board.spawn(1, 0)
    line = board.rows[0]
    monkeypatch.setattr(lines, "LINES_MAX", 1)
    Board.parse("2 4 8 16 / . . . . / . . . . / . . . .")
    assert (line.to_start, line.to_end, line.grown) == (None, None, (None,) * 8)


def test_a_line_that_grows_while_the_store_is_emptied_keeps_its_growth_to_itself(monkeypatch) -> None:
    board = Board.parse("4096 2 . . / . . . . / . . . . / . . . .")
    monkeypatch.setattr(lines, "LINES_MAX", 1)
    line, other = board.rows[:2]
    grown = board.spawn(1, 0).rows[0]
    assert line.grown == (None,) * 4 + (grown,) + (None,) * 3
    assert other.grown == (None,) * 8


@pytest.mark.parametrize("size", SIZES)
def test_a_spawn_leaves_the_board_it_was_made_of_as_it_was(size) -> None:
    rows = Board.of_cells(size, bytes([1] + [0] * (size**2 - 1)))
    slid = rows.slide(DOWN)
    assert slid is not None
    for board in (rows, slid[0]):  # of rows, and of columns
        cells = board.cells
        assert board.spawn(1, 0).cells != cells
        assert board.cells == cells


def test_tiles_too_large_for_a_game_of_4_by_4_slide_like_others() -> None:
    board = Board.parse("2 262144 . . / 4 262144 . . / 2 2 . . / 4 2 . .")
    assert board.slide(UP) == (Board.parse("2 524288 . . / 4 4 . . / 2 . . . / 4 . . ."), 524292)


@pytest.mark.parametrize("size", SIZES)
def test_equal_lines_are_one(size) -> None:
    board = played(size, b"l" * 32, 40)
    again = Board.of_cells(size, board.cells)
    assert all(line is other for line, other in zip(board.rows, again.rows, strict=True))
