"""V and V₂ against the definition of docs/luck.md, written down here a second time and as plainly as can be."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import worth
from engine.board import SIZES, Board, Direction
from engine.worth import line_worth, one_ply, two_ply


def plain_line_worth(cells: Sequence[int]) -> int:
    tiles = [cell for cell in cells if cell]
    total = 4 * cells.count(0)
    rise = fall = 0
    for i in range(1, len(tiles)):
        if tiles[i] == tiles[i - 1]:
            total += 3
        total -= abs(tiles[i] - tiles[i - 1])
    for i in range(1, len(cells)):
        if cells[i] > cells[i - 1]:
            rise += cells[i] - cells[i - 1]
        else:
            fall += cells[i - 1] - cells[i]
    return total - 2 * min(rise, fall)


def plain_worth(board: Board) -> int:
    size, cells = board.size, list(board.cells)
    rows = [cells[i * size : i * size + size] for i in range(size)]
    return sum(map(plain_line_worth, rows)) + sum(plain_line_worth([row[j] for row in rows]) for j in range(size))


def slides(board: Board) -> list[Board]:
    return [slid[0] for direction in Direction if (slid := board.slide(direction))]


def draws(slid: Board) -> Iterator[tuple[int, Board]]:
    """The weight of every draw, and the board after it."""
    for cell, exponent in enumerate(slid.cells):
        if not exponent:
            for tile, weight in ((1, 9), (2, 1)):
                cells = bytearray(slid.cells)
                cells[cell] = tile
                yield weight, Board.of_cells(slid.size, bytes(cells))


def plain_v(board: Board) -> int:
    return max(map(plain_worth, slides(board)), default=-100 * board.size**2)


def plain_v2(board: Board) -> int:
    means = []
    for slid in slides(board):
        weighed = [(weight, plain_v(after)) for weight, after in draws(slid)]
        means.append(floor(1000 * Fraction(sum(w * v for w, v in weighed), sum(w for w, _ in weighed))))
    return max(means, default=-100_000 * board.size**2)


def turned(board: Board) -> Board:
    """The board turned by a quarter to the right."""
    size, cells = board.size, board.cells
    return Board.of_cells(size, bytes(cells[size * (size - 1 - j) + i] for i in range(size) for j in range(size)))


def mirrored(board: Board) -> Board:
    size = board.size
    return Board.of_cells(size, b"".join(board.cells[i : i + size][::-1] for i in range(0, size * size, size)))


@st.composite
def slid_boards(draw: st.DrawFn, sizes: Sequence[int] = SIZES, tiles_least: int = 0) -> Board:
    """Boards with at least one empty cell, full ones as likely as empty ones."""
    size = draw(st.sampled_from(sizes))
    tiles = draw(st.integers(tiles_least, size * size - 1))
    exponents = draw(st.lists(st.integers(1, 8), min_size=tiles, max_size=tiles))
    return Board.of_cells(size, bytes(draw(st.permutations(exponents + [0] * (size * size - tiles)))))


@pytest.mark.parametrize(
    ("cells", "worth"),
    [
        ((0, 0, 0), 12),
        ((1, 2, 3), -2),  # only rises
        ((4, 1, 3), -5 - 4),  # falls by 3, rises by 2
        ((1, 1, 1), 6),
        ((2, 0, 2), 4 + 3 - 4),  # equal across a gap, but the gap is a fall and a rise
        ((0, 1, 1, 3), 4 + 3 - 2),
        ((3, 1, 0, 4), 4 - 5 - 6),
    ],
)
def test_the_worth_of_a_line_is_what_is_counted_by_hand(cells: tuple[int, ...], worth: int) -> None:
    assert line_worth(bytes(cells)) == worth
    assert line_worth(bytes(reversed(cells))) == worth


def test_v_of_a_board_counted_by_hand() -> None:
    """A 2 in the last cell sticks; a 4 can be merged, up or down: up is worth -2 - 9 + 1 - 6 - 6 + 7, down 2 less."""
    assert one_ply(Board.parse("2 4 8 / 16 2 4 / 8 16 .")) == [-900, -15]


def test_v2_of_a_board_counted_by_hand() -> None:
    """A 2 sticks again; after the 4 the better push counts, by the mean of a 2 and a 4 in the one cell it empties."""
    slid = Board.parse("2 4 8 / 16 2 4 / 8 16 .")
    up, down = Board.parse("2 4 8 / 16 2 8 / 8 16 ."), Board.parse("2 4 . / 16 2 8 / 8 16 8")
    means = []
    for after in (up, down):
        two, four = one_ply(after)
        means.append((1000 * (9 * two + four)) // 10)
    assert two_ply(slid) == [-900_000, max(means)]


@given(slid_boards())
def test_v_is_the_best_worth_that_a_legal_move_makes(slid: Board) -> None:
    assert one_ply(slid) == [plain_v(after) for _, after in draws(slid)]


@settings(max_examples=20)
@given(slid_boards(sizes=(3, 4), tiles_least=6))
def test_v2_is_the_best_mean_of_v_over_the_next_draws(slid: Board) -> None:
    some = list(enumerate(draws(slid)))[:4]
    values = two_ply(slid)
    assert len(values) == 2 * slid.empties
    assert [values[i] for i, _ in some] == [plain_v2(after) for _, (_, after) in some]


@pytest.mark.parametrize("size", [5, 6, 8])
def test_v2_holds_on_large_boards_too(size: int) -> None:
    cells = bytes((3 * i * i + i) % 5 + 1 for i in range(size * size - 2)) + bytes(2)
    slid = Board.of_cells(size, cells)
    assert two_ply(slid) == [plain_v2(after) for _, after in draws(slid)]


@settings(max_examples=30)
@given(slid_boards(sizes=(3, 4), tiles_least=4))
def test_neither_form_knows_left_from_right_or_up_from_down(slid: Board) -> None:
    for form in (one_ply, two_ply):
        pairs = sorted(zip(form(slid)[::2], form(slid)[1::2], strict=True))
        for board in (turned(slid), mirrored(slid)):
            assert sorted(zip(form(board)[::2], form(board)[1::2], strict=True)) == pairs


def test_a_board_on_which_nothing_can_move_is_worth_less_than_any_that_a_game_reaches() -> None:
    """A deck of 131,072 draws makes no exponent above 18; the lines that are worth least have it beside the least."""
    for size in SIZES:
        largest = min(size * size + 1, 18)
        worst = min(line_worth(bytes(ends[i % 2] for i in range(size))) for ends in ((1, largest), (largest, 1)))
        assert 2 * size * worst > -100 * size * size


def test_full_stores_are_emptied_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [Board.of_cells(4, bytes((7 * i * k) % 6 for i in range(16))) for k in range(1, 30)]
    values = [one_ply(board) for board in boards]
    monkeypatch.setattr(worth, "_WORTHS_MAX", 5)
    monkeypatch.setattr(worth, "_GROWTHS_MAX", 5)
    for store in (worth._WORTHS, worth._WAYS):
        store.clear()
    assert [one_ply(board) for board in boards] == values
