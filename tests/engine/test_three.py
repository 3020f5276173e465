"""The taught table of 3×3: what stands where in it, that it is the one that was taught, and what it makes of boards."""

import subprocess
import sys
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from bench.teach import GAMES, Teacher, module
from engine import solver, taught, three
from engine.board import SIZES, Board, Direction
from engine.parts import TABLE_LENGTH, line_place, packed, square_place, taught_table, unpacked
from engine.prospect import codes_of, prospect_of
from engine.solver import HINT_NODES, search
from engine.three import ProspectOfThree

from .test_solver import mirrored, some_board, turned

MOVES = 3_414_990  # of the teacher's 20,000 games
TAUGHT = "a8ab8c893aad176645a5a9a007e95183c279731dd7c3155f9e2c053b48713699"
AFTER_300_GAMES = "3b30a1c9b4246ff96de506acf491466aaa8e577742782ee988922b8e4d26c0f5"


def boards(count):
    return [some_board(3, seed, (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) for seed in range(count)]


# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_table_is_the_one_that_the_teacher_made():
    assert sha256(packed(taught_table())).hexdigest() == TAUGHT
    assert Path(taught.__file__).read_text() == module(list(taught_table()), GAMES, MOVES)


def test_the_teacher_still_teaches_the_same():
    teacher = Teacher(300)
    teacher.teach()
    assert sha256(packed(teacher.table())).hexdigest() == AFTER_300_GAMES


def test_every_place_of_the_table_is_of_some_part():
    exponents = range(11)
    lines = {line_place(cells, inside=inside) for cells in product(exponents, repeat=3) for inside in (False, True)}
    squares = {square_place(*cells) for cells in product(exponents, repeat=4)}
    assert not lines & squares
    assert lines | squares == set(range(TABLE_LENGTH))


def test_parts_that_a_mirrored_board_swaps_share_a_place():
    for a, b, c, d in product((0, 1, 4, 9), repeat=4):
        assert line_place((a, b, c), inside=False) == line_place((c, b, a), inside=False)
        assert line_place((a, b, c), inside=True) == line_place((c, b, a), inside=True)
        assert square_place(a, b, c, d) == square_place(a, c, b, d)


def test_what_no_game_makes_counts_as_the_largest_tile():
    assert line_place((11, 3, 65), inside=True) == line_place((10, 3, 10), inside=True)
    assert square_place(65, 11, 12, 1) == square_place(10, 10, 10, 1)


def test_a_packed_table_unpacks_to_itself():
    table = (0, 1, -1, 32_767, -32_768)
    assert packed(table) == bytes.fromhex("00000100ffffff7f0080")
    assert tuple(unpacked(packed(table))) == table


def test_who_plays_on_a_larger_board_does_not_read_the_table():
    code = (
        "import sys; from engine.board import Board; from engine.solver import search; "
        "search(Board.parse('2 . . 2 / . . . . / . . . . / . . . .'), 4); sys.exit('engine.taught' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


# ── worths ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_turned_and_mirrored_boards_are_worth_exactly_the_same():
    prospect = prospect_of(3)
    for board in boards(200):
        worth = prospect.worth(*codes_of(board))
        assert prospect.worth(*codes_of(turned(board))) == worth
        assert prospect.worth(*codes_of(mirrored(board))) == worth


def test_no_board_is_worth_less_than_a_stuck_one():
    worths = [prospect_of(3).worth(*codes_of(board)) for board in boards(500)]
    assert min(worths) == 0
    assert max(worths) > 50_000


def test_a_value_is_the_moves_to_be_expected():
    """On an empty board some two hundred; on one where only a 2 lets play go on, 0.9 of what it then brings."""
    begin = search(Board.parse(". . . / . 2 . / . . 2"), 0)
    assert 100_000 < max(begin.values.values()) < 400_000
    last = search(Board.parse("512 256 128 / 64 32 16 / 2 8 ."), 1).values
    assert last[Direction.DOWN] == 0
    assert last[Direction.RIGHT] >= 0.9 * 1_000


def test_tables_are_emptied_when_they_are_full_and_find_the_same(monkeypatch):
    wanted = [search(board, 40).values for board in boards(10)]
    for name in ("_LINES_MAX", "_HALVES_MAX", "_BOARDS_MAX"):
        monkeypatch.setattr(three, name, 16)
    small = ProspectOfThree()
    monkeypatch.setattr(solver, "prospect_of", lambda size: small)
    for board, values in zip(boards(10), wanted, strict=True):
        assert search(board, 40).values == values
        assert small.lines_kept <= 7 * 16


@pytest.mark.parametrize("size", SIZES)
def test_of_the_units_for_persons_a_game_is_many_cells(size):
    prospect = prospect_of(size)
    assert 0 < 10 * prospect.cell_worth < prospect.game_worth


# ── moves that nobody disputes ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("nodes", [1, HINT_NODES])
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("512 256 128 / 64 32 16 / 2 8 .", Direction.RIGHT),  # down is the end whatever comes
        ("512 128 64 / 8 16 32 / . . 4", Direction.LEFT),  # down takes the 512 out of its corner
        ("256 256 2 / 4 8 16 / 2 4 8", Direction.LEFT),  # right puts the 512 between two edges
        ("256 128 64 / 4 8 64 / 16 2 4", Direction.UP),  # and then left twice for a 512
        ("256 128 . / 64 32 16 / 8 4 2", Direction.UP),  # right takes the 256 out of its corner
    ],
)
def test_it_finds_the_move(text, best, nodes):
    board = Board.parse(text)
    assert search(board, nodes).best == best
    assert search(turned(board), nodes).best == (best + 1) % 4
