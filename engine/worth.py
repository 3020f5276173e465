"""What a board is worth: the fixed heuristic of luck test 1, and what each draw makes of it (docs/luck.md).

Owns H, V and V₂. Refuses to know which draw came, whose game it is and what luck is; read on in luck.py. None of these
numbers may ever change, or records would tell another luck than they told before: a better heuristic is luck test 2.

The worth of a line is 4 for each empty cell, 3 for each two neighbouring tiles that are equal, less the differences
of neighbouring tiles (of their exponents; empty cells between tiles do not part neighbours), less twice the smaller
of its total rise and its total fall from cell to cell, where an empty cell is 0. H of a board is the worth of all its
rows and columns. V of a board on which a tile was just dealt is the best H that a legal move makes of it:

    V(board) = max over legal moves of H(after the push), or -100·n² if no move is legal

which is less than any H that a game comes to. V₂ is the best mean of V over the draws that follow:

    V₂(board) = max over legal moves of ⌊1000 · Σ w·V / Σ w⌋, or -100,000·n²

the sums over all cells empty after the push, a 2 there with w = 9 and a 4 with w = 1. Neither knows left from right.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from .board import Board
from .grid import GRIDS, Grid
from .lines import Line, Lines, line_of

WEIGHT_2: Final = 9
WEIGHT_4: Final = 1
MEAN_SCALE: Final = 1_000
_EMPTY_WORTH: Final = 4
_EQUAL_WORTH: Final = 3
_TURN_COST: Final = 2
_STUCK_WORTH: Final = -100  # times n²
_WORTHS_MAX: Final = 65_536
_GROWTHS_MAX: Final = 4_096  # on 8×8 they take some kilobytes each
_CELLS: Final = [bytes([exponent]) for exponent in range(256)]


class _WorthStore(dict[bytes, int]):
    """The worth of a line, by its cells."""

    def __missing__(self, cells: bytes) -> int:
        if len(self) >= _WORTHS_MAX:
            self.clear()
        worth = self[cells] = line_worth(cells)
        return worth


def line_worth(cells: bytes) -> int:
    """The worth of a line of these exponents."""
    tiles = cells.replace(b"\0", b"")
    worth = _EMPTY_WORTH * (len(cells) - len(tiles))
    for tile, neighbour in pairwise(tiles):
        worth += _EQUAL_WORTH if tile == neighbour else -abs(tile - neighbour)
    rise = sum([max(0, cell - before) for before, cell in pairwise(cells)])
    fall = rise + cells[0] - cells[-1]
    return worth - _TURN_COST * min(rise, fall)


class _Grown(NamedTuple):
    """A line that got one more tile and was pushed, against itself pushed without that tile."""

    j: int  # the cell that the tile was put in
    four: int  # 1 if it is a 4, 0 if it is a 2
    moves: bool  # whether the push moves or merges anything in the line
    gain: int  # of worth
    changes: tuple[tuple[int, bytes], ...]  # the cells that differ: where, and what is there now


class _Way(NamedTuple):
    """What a push one way makes of a line: whether it moves as it is, and how it is with each possible tile more."""

    moves: bool
    grown: tuple[_Grown, ...]


class _WayStore(dict[bytes, tuple[_Way, _Way]]):
    """What a push to the start and one to the end make of a line, by its cells."""

    def __missing__(self, cells: bytes) -> tuple[_Way, _Way]:
        if len(self) >= _GROWTHS_MAX:
            self.clear()
        line = line_of(cells)
        tiles = [2 * j + four for j in line.gaps for four in (0, 1)]
        grown = [(tile, line.grown[tile] or line.grow(tile)) for tile in tiles]
        ways = self[cells] = (
            _way(line, line.push_to_start(), [(tile, one, one.push_to_start()) for tile, one in grown]),
            _way(line, line.push_to_end(), [(tile, one, one.push_to_end()) for tile, one in grown]),
        )
        return ways


def _way(line: Line, without: Line, grown: Iterable[tuple[int, Line, Line]]) -> _Way:
    """The way of a line that is `without` after the push, and with a tile more is a line, and a line after the push."""
    found = []
    for tile, one, pushed in grown:
        pairs = enumerate(zip(without.cells, pushed.cells, strict=True))
        changes = [(j, _CELLS[new]) for j, (old, new) in pairs if old != new]
        gain = _WORTHS[pushed.cells] - _WORTHS[without.cells]
        found.append(_Grown(tile // 2, tile % 2, pushed is not one, gain, tuple(changes)))
    return _Way(without is not line, tuple(found))


_WORTHS: Final = _WorthStore()
_WAYS: Final = _WayStore()


def one_ply(slid: Board) -> list[int]:
    """V of a slid board after each draw: for every empty cell, row by row, with a 2 and then with a 4 in it."""
    best = _best_after_draws(slid.rows)
    cells = slid.cells
    return [value for place, value in enumerate(best) if not cells[place // 2]]


def two_ply(slid: Board) -> list[int]:
    """V₂ of a slid board after each draw, in the order of `one_ply`."""
    rows = slid.rows
    grid = GRIDS[len(rows)]
    columns = grid.crossed(rows)
    stuck = MEAN_SCALE * _STUCK_WORTH * len(rows) ** 2
    means: dict[tuple[Line, ...], int] = {}  # of what is pushed: tiles in neighbouring gaps often come to the same
    values = []
    for i, row in enumerate(rows):
        for j in row.gaps:
            for four in (0, 1):
                pushed = _both_ways(rows, i, 2 * j + four, grid) + _both_ways(columns, j, 2 * i + four, grid)
                values.append(max([means.get(tuple(lines)) or _mean(lines, means) for lines in pushed], default=stuck))
    return values


def _both_ways(lines: Lines, i: int, tile: int, grid: Grid) -> list[Lines]:
    """The lines with one more tile in line i, after the push to their starts and to their ends if it is legal."""
    grown = [*lines[:i], lines[i].grown[tile] or lines[i].grow(tile), *lines[i + 1 :]]
    return [slid[0] for slid in (grid.push_to_start(grown), grid.push_to_end(grown)) if slid]


def _mean(lines: Lines, means: dict[tuple[Line, ...], int]) -> int:
    """The mean of V over the next draws, scaled and rounded down, which is noted; lines are rows or columns."""
    best = _best_after_draws(lines)
    gaps = [place for i, line in enumerate(lines) for place in (2 * len(lines) * i + 2 * j for j in line.gaps)]
    total = sum([WEIGHT_2 * best[place] + WEIGHT_4 * best[place + 1] for place in gaps])
    mean = means[tuple(lines)] = MEAN_SCALE * total // ((WEIGHT_2 + WEIGHT_4) * len(gaps))
    return mean


def _best_after_draws(lines: Lines) -> list[int]:
    """V after each draw into an empty cell: into cell j of line i a 2 at 2·(n·i + j), a 4 at the place after."""
    size = len(lines)
    best = [_STUCK_WORTH * size * size] * (2 * size * size)
    _raise_along(lines, best, (size, 1))
    _raise_along(GRIDS[size].crossed(lines), best, (1, size))
    return best


def _raise_along(lines: Lines, best: list[int], strides: tuple[int, int]) -> None:
    """Raises `best` to what the two pushes along these lines make of each draw.

    A new tile changes one line, and so after a push some cells of the lines across: the rest is counted once.
    """
    ways = [_WAYS[line.cells] for line in lines]
    starts = [line.to_start or line.push_to_start() for line in lines]
    ends = [line.to_end or line.push_to_end() for line in lines]
    for pushed, chosen in ((starts, [way for way, _ in ways]), (ends, [way for _, way in ways])):
        across = [line.cells for line in GRIDS[len(lines)].crossed(pushed)]
        worths = [_WORTHS[cells] for cells in across]
        without = sum(worths) + sum([_WORTHS[line.cells] for line in pushed])
        moving = sum([way.moves for way in chosen])
        for i, way in enumerate(chosen):
            others_move = moving > way.moves
            for j, four, moves, gain, changes in way.grown:
                if moves or others_move:
                    value = without + gain
                    for k, cell in changes:
                        value += _WORTHS[across[k][:i] + cell + across[k][i + 1 :]] - worths[k]
                    place = 2 * (strides[0] * i + strides[1] * j) + four
                    if value > best[place]:
                        best[place] = value
