"""The peer of the solver: the same expectimax as one writes it down, on the naive boards of naive.py.

It looks one draw ahead and finds the same values to the last bit; nothing is remembered from one board to the next.
"""

from bench.naive import NaiveBoard, transposed
from engine.board import Board
from engine.heuristic import Heuristic

DRAWS = ((1, 9), (2, 1))  # in tenths


def values_of(board: Board) -> dict[int, float]:
    """What each legal move promises, one draw ahead, by its direction."""
    heuristic = Heuristic(board.size)
    size, cells = board.size, board.cells
    naive = NaiveBoard([list(cells[i : i + size]) for i in range(0, size * size, size)])
    slides = {direction: naive.slide(direction) for direction in range(4)}
    return {direction: _promise(slid[0], heuristic) for direction, slid in slides.items() if slid}


def _promise(slid: NaiveBoard, heuristic: Heuristic) -> float:
    total = 0
    gaps = [(i, j) for i, row in enumerate(slid.rows) for j, cell in enumerate(row) if not cell]
    for i, j in gaps:
        for exponent, weight in DRAWS:
            rows = [list(row) for row in slid.rows]
            rows[i][j] = exponent
            slides = map(NaiveBoard(rows).slide, range(4))
            total += weight * max([0, *(_worth(after[0], heuristic) for after in slides if after)])
    return total / (10 * len(gaps))


def _worth(board: NaiveBoard, heuristic: Heuristic) -> int:
    lines = (board.rows, transposed(board.rows))
    return sum(heuristic.worth(bytes(line), i) for side in lines for i, line in enumerate(side))
