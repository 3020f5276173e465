"""What a line is worth to the solver, and so a board: the sum over its rows and columns.

Owns the features of a line and their weights, the same for every size but 3×3 (parts.py). Refuses to know slides, draws
and how far ahead one looks. Read on in prospect.py, then solver.py. These are weights for playing well and may become
better ones; worth.py has those of the luck test, which must not change.

A line is the better the more cells of it are empty and the more equal neighbours it has, and the worse the more its
tiles go up and down, the more their neighbours differ and the more tiles there are. How much of each depends on
whether the line is at the edge of the board, where the large tiles should be, or inside. The weights come from an
evolution strategy (CMA-ES) that let each choice play some thousands of games with a look-ahead of one draw.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

SCALE: Final = 1_000  # worths are integers, so that they are the same on every computer


class LineWeights(NamedTuple):
    """What counts how much in a line; a tile of exponent e counts e^p in `turn`, e^q in `tile` and `end`."""

    empty: float  # for each empty cell
    equal: float  # for each tile that equals the tile before it, empty cells between them or not
    turn: float  # against the smaller of the total rise and the total fall from cell to cell
    tile: float  # against each tile
    step: float  # against each difference of exponents from one tile to the next
    end: float  # for the largest tile, if it stands at an end


class Weights(NamedTuple):
    """The weights of all lines."""

    edge: LineWeights
    inside: LineWeights
    turn_power: float
    tile_power: float
    alive: float  # for a board that is not stuck


WEIGHTS: Final = Weights(
    LineWeights(0.93739, 0.74595, 0.067236, 0.00068832, 0.095914, 0.016309),
    LineWeights(0.50133, 1.4991, 0.11546, 0.0098298, 0.12633, 0.0023636),
    2.3193,
    1.7624,
    5195.1,
)


class Heuristic:
    """Worths of lines on boards of one size. The worth of a stuck board is 0."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kinds = (WEIGHTS.edge, WEIGHTS.inside)
        self._alive = WEIGHTS.alive / (2 * size)
        self._turns = [exponent**WEIGHTS.turn_power if exponent else 0.0 for exponent in range(128)]
        self._tiles = [exponent**WEIGHTS.tile_power if exponent else 0.0 for exponent in range(128)]

    def worth(self, cells: bytes, i: int) -> int:
        """The worth of a line of these exponents that is the i-th row or column."""
        weights = self._kinds[0 < i < self._size - 1]
        tiles = cells.replace(b"\0", b"")
        worth = self._alive + weights.empty * (len(cells) - len(tiles))
        for tile, neighbour in pairwise(tiles):
            worth += weights.equal if tile == neighbour else -weights.step * abs(tile - neighbour)
        worth -= weights.tile * _added(self._tiles[tile] for tile in tiles)
        heights = [self._turns[cell] for cell in cells]
        rise = _added(max(0.0, b - a) for a, b in pairwise(heights))
        fall = _added(max(0.0, a - b) for a, b in pairwise(heights))
        worth -= weights.turn * min(rise, fall)
        largest = max(cells)
        if largest in (cells[0], cells[-1]):
            worth += weights.end * self._tiles[largest]
        return round(SCALE * worth)


def _added(values: Iterable[float]) -> float:
    """The sum, one after another: `sum` itself rounds otherwise from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total
