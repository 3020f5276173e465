"""The solver against a naive expectimax, and what a search promises: the same moves, in whatever slices."""

import json
import random
from hashlib import sha256
from itertools import count, product
from pathlib import Path

import pytest

from engine import prospect, solver
from engine.board import SIZES, Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.heuristic import Heuristic, _added
from engine.parts import line_place, square_place, taught_table
from engine.prospect import ProspectOfLines
from engine.solver import HINT_NODES, QUICK_NODES, Search, search

STUCK = Board.parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 2")
USUAL = Board.parse("2 4 8 64 / . . 2 4 / . . . . / 2 . . .")


def some_board(size, seed, exponents=(0, 0, 1, 1, 2, 3, 4, 5, 9)):
    rng = random.Random(f"{size}/{seed}")
    return Board.of_cells(size, bytes(rng.choice(exponents) for _ in range(size * size)))


def turned(board):
    """The board a quarter to the right: what was pushed up is now pushed right."""
    size, cells = board.size, board.cells
    return Board.of_cells(size, bytes(cells[(size - 1 - j) * size + i] for i in range(size) for j in range(size)))


def mirrored(board):
    size, cells = board.size, board.cells
    return Board.of_cells(size, b"".join(cells[i : i + size][::-1] for i in range(0, size * size, size)))


# ── an expectimax as one would write it down ─────────────────────────────────────────────────────────────────────


def naive_worth(board):
    if board.size == 3:
        return naive_worth_of_three(board)
    heuristic, size, cells = Heuristic(board.size), board.size, board.cells
    rows = sum(heuristic.worth(cells[i * size : i * size + size], i) for i in range(size))
    return rows + sum(heuristic.worth(cells[j::size], j) for j in range(size))


def naive_worth_of_three(board):
    """The sum of ten numbers of the taught table, in thousandths of a move."""
    (a, b, c), (d, e, f), (g, h, i) = (board.cells[j : j + 3] for j in (0, 3, 6))
    table = taught_table()
    edges = [table[line_place(line, inside=False)] for line in ((a, b, c), (g, h, i), (a, d, g), (c, f, i))]
    insides = [table[line_place(line, inside=True)] for line in ((d, e, f), (b, e, h))]
    squares = [table[square_place(*cells)] for cells in ((a, b, d, e), (c, b, f, e), (g, h, d, e), (i, h, f, e))]
    return max(0, 4 * sum(edges + insides + squares))


def naive_promise(slid, depth):
    """The mean over all draws of the best that can be made of them, so many draws ahead."""
    if depth == 0:
        return naive_worth(slid)
    total, cells = 0.0, slid.cells
    gaps = [place for place, cell in enumerate(cells) if not cell]
    for place in gaps:
        for exponent, weight in ((1, 0.9), (2, 0.1)):
            board = Board.of_cells(slid.size, cells[:place] + bytes([exponent]) + cells[place + 1 :])
            move = 1_000 if slid.size == 3 else 0
            total += weight * max([0.0, *(move + value for value in naive_values(board, depth - 1).values())])
    return total / len(gaps)


def naive_values(board, depth):
    slides = {direction: board.slide(direction) for direction in Direction}
    return {direction: naive_promise(slid[0], depth) for direction, slid in slides.items() if slid}


@pytest.mark.parametrize("size", SIZES)
def test_without_a_look_ahead_a_move_is_worth_the_board_after_it(size):
    board = some_board(size, 1)
    assert search(board, 0).values == naive_values(board, 0)


@pytest.mark.parametrize("size", SIZES)
def test_one_draw_ahead_it_finds_what_a_naive_expectimax_finds(size):
    for seed in range(2):
        board = some_board(size, seed)
        found = search(board, 1)
        assert found.depth == 1
        assert found.values == pytest.approx(naive_values(board, 1), rel=1e-12)


@pytest.mark.parametrize("size", [3, 4])
def test_two_draws_ahead_it_finds_what_a_naive_expectimax_finds(size):
    crowded = Board.of_cells(size, bytes([0, 1, *some_board(size, 3, (1, 2, 3, 4, 5)).cells[2:]]))
    found = Search(crowded, 10_000)
    while found.depth < 2:
        found.step(1)
    assert found.values == pytest.approx(naive_values(crowded, 2), rel=1e-12)


# ── what a search promises ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", SIZES)
def test_slices_change_nothing(size):
    board = some_board(size, 5)
    whole = search(board, 60)
    sliced = Search(board, 60)
    for nodes in count(1):
        if sliced.step(nodes):
            break
    assert (sliced.values, sliced.depth, sliced.nodes) == (whole.values, whole.depth, whole.nodes)


def test_what_was_searched_before_changes_nothing():
    first = search(USUAL, HINT_NODES)
    for seed in range(20):
        search(some_board(4, seed), QUICK_NODES)
    again = search(USUAL, HINT_NODES)
    assert (again.values, again.nodes) == (first.values, first.nodes)


def test_a_slice_looks_at_hardly_more_than_it_was_told():
    found = Search(USUAL, HINT_NODES)
    while not found.done:
        before = found.nodes
        found.step(5)
        assert found.nodes - before < 5 + 8


def test_a_search_can_be_asked_before_it_is_done():
    found = Search(USUAL, HINT_NODES)
    assert (found.best, found.depth) == (None, 0)
    assert not found.step(1)
    assert found.depth == 1
    assert found.best in USUAL.legal_directions()


@pytest.mark.parametrize("budget", [1, 10, 100, HINT_NODES])
@pytest.mark.parametrize("size", SIZES)
def test_no_search_looks_at_much_more_than_its_budget(size, budget):
    assert search(some_board(size, 7), budget).nodes <= budget + 4


def test_a_look_ahead_that_the_budget_ends_is_not_believed():
    """On this board the second look-ahead is expected to fit in, and does not."""
    board = some_board(4, 0)
    short = Search(board, 90)
    short.step(1_000)
    first = search(board, 1)
    assert short.nodes >= 90 > 30 > first.nodes
    assert (short.depth, short.values) == (1, first.values)


def test_a_larger_budget_looks_further_ahead():
    assert [search(USUAL, budget).depth for budget in (0, 1, 300, 6_000)] == [0, 1, 2, 3]


def test_a_single_legal_move_needs_no_further_look():
    board = Board.parse("2 4 8 / 4 8 16 / 8 16 .")
    only = Board.parse(". 2 4 / . 4 8 / . 8 4")
    assert search(only, 1_000).depth == 1
    assert list(search(only, 1_000).values) == [Direction.LEFT]
    assert set(search(board, 1_000).values) == {Direction.RIGHT, Direction.DOWN}


@pytest.mark.parametrize("size", SIZES)
def test_the_moves_that_have_a_value_are_the_legal_ones(size):
    for seed in range(8):
        board = some_board(size, seed, (0, 1, 2, 3, 4))
        assert tuple(search(board, 1).values) == board.legal_directions()


@pytest.mark.parametrize("board", [STUCK, Board.empty(3)])
@pytest.mark.parametrize("budget", [0, 1, HINT_NODES])
def test_who_is_stuck_has_no_move(board, budget):
    found = search(board, budget)
    assert (found.best, found.values, found.done) == (None, {}, True)


def test_a_search_ends_where_the_game_does():
    """After the only moves every draw is the last one."""
    board = Board.parse("16 32 64 / 128 256 512 / 16 32 .")
    found = search(board, 10_000)
    assert found.done
    assert (found.nodes, found.depth) == (2, 2)


@pytest.mark.parametrize("size", SIZES)
def test_a_turned_board_has_the_values_of_the_turned_moves(size):
    board = some_board(size, 2)
    values = search(board, 60).values
    assert search(turned(board), 60).values == pytest.approx(
        {Direction((direction + 1) % 4): value for direction, value in values.items()}, rel=1e-12
    )


@pytest.mark.parametrize("size", SIZES)
def test_a_mirrored_board_has_the_values_of_the_mirrored_moves(size):
    board = some_board(size, 2)
    values = search(board, 60).values
    across = {Direction.LEFT: Direction.RIGHT, Direction.RIGHT: Direction.LEFT}
    assert search(mirrored(board), 60).values == pytest.approx(
        {across.get(direction, direction): value for direction, value in values.items()}, rel=1e-12
    )


def test_it_takes_the_merge_that_keeps_it_alive():
    assert search(Board.parse("2 4 8 / 16 2 2 / 8 4 16"), 50).best in (Direction.LEFT, Direction.RIGHT)


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_tables_are_emptied_when_they_are_full_and_find_the_same(monkeypatch):
    wanted = [search(some_board(4, seed), 1).values for seed in range(30)]
    monkeypatch.setattr(prospect, "_WORTHS_MAX", 16)
    monkeypatch.setattr(prospect, "_PUSHES_CELLS_MAX", 64)
    small = ProspectOfLines(4)
    monkeypatch.setattr(solver, "prospect_of", lambda size: small)
    for seed, values in enumerate(wanted):
        assert search(some_board(4, seed), 1).values == values
        assert small.lines_kept <= 16 + 4 * 4


@pytest.mark.parametrize("size", SIZES)
def test_the_largest_tiles_of_a_board_have_worths(size):
    most = size * size + 1
    board = Board.of_cells(size, bytes(range(most, 1, -1)))
    assert search(Board.of_cells(size, bytes([0, *board.cells[1:]])), 1).best in (Direction.UP, Direction.LEFT)


# ── choices that stay ────────────────────────────────────────────────────────────────────────────────────────────

CHOICES = json.loads((Path(__file__).parents[1] / "vectors" / "solver.json").read_text())


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: f"{choice['nodes']} nodes: {choice['board']}")
def test_a_search_chooses_and_looks_at_what_it_always_did(choice):
    """A faster search finds the same: hints, levels and all that was measured with them rest on it."""
    found = search(Board.parse(choice["board"]), choice["nodes"])
    assert found.best is not None
    assert (found.best.name.lower(), found.nodes, found.depth) == (
        choice["best"],
        choice["looked_at"],
        choice["depth"],
    )


# ── whole games ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("size", "exponent", "moves"), [(3, 7, 200), (4, 10, 600), (5, 8, 160), (6, 7, 80), (8, 6, 40)]
)
def test_it_plays_well_on_every_size(size, exponent, moves):
    game = Game(size, SoloDeck(seed_of_text("solver")))
    while game.moves < moves and game.max_exponent < exponent:
        best = search(game.board, 4).best
        assert best is not None
        assert game.move(best) is not None
    assert game.max_exponent == exponent


# ── on every computer ────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_are_worth_the_same_on_every_computer_and_every_python():
    """Powers and sums of floats might round otherwise elsewhere; what is told of it is rounded to integers."""
    digest = sha256()
    for size, exponents in ((4, range(12)), (5, (0, 1, 3, 7, 12)), (6, (0, 2, 5, 11)), (8, (0, 1, 9))):
        heuristic = Heuristic(size)
        for cells in product(exponents, repeat=size):
            digest.update("".join(f"{heuristic.worth(bytes(cells), i)}," for i in (0, 1)).encode())
    assert digest.hexdigest() == "beb0757c75d29244dbf47bbc2baa1bbdda6ec4fe16e62044a9cf9e7cc37bae28"


def test_floats_are_added_one_after_another_which_sum_does_not_do_on_every_python():
    assert _added([1e16, 1.0, 1.0, -1e16]) == 0.0


@pytest.mark.parametrize(
    ("size", "moves"),
    [
        (3, "URUDULRDRLRURUURRDRDRDLRDDRDDURRDRLDRUURDRDRRDLRDLDDRDRLDDDL"),
        (4, "RLUDRRLUDLDDLLDLDULURURDRUDURRRDRRUURDURURURUURRDRURRRRRUUUR"),
        (5, "RRURRULULURLLLURURURRURDURRUURRUDRDDRDDDRDRRDRDRDDRDRDDDRRRR"),
        (6, "RRUUUULUULLULLLDDLLDUDLLDDLDLLLLDLLDLRRDDRDDDDRLDLDDLDLDLLDL"),
        (8, "URDRLRULLURRURDRRDRDDRRDDDRRLUURUULULULLUULLLRLUULURLULUULLD"),
    ],
)
def test_a_budget_finds_these_moves_wherever_it_is_spent(size, moves):
    game = Game(size, SoloDeck(seed_of_text("everywhere")))
    for move in moves:
        best = search(game.board, QUICK_NODES).best
        assert best is not None
        assert best.name[0] == move
        game.move(best)
