"""The solver: what each legal move of a board is worth, by expectimax.

Owns how far ahead it looks. Refuses to know time, moves already made, and who asks. prospect.py is what makes it fast,
heuristic.py says what is good, and on 3×3 three.py and parts.py do.

With a budget of 0 a move is worth what the board is after it. Else a search looks one draw ahead, then two, and so on
as far as its budget goes, which is counted in nodes: slid boards that it had to look at. So it finds the same on every
computer, whatever time that takes, and in whatever slices.

    search = Search(board, HINT_NODES)
    while not search.step(50):
        ...  # whatever else there is to do; or drop the search
    search.best
"""

from collections.abc import Generator
from typing import Final

from .board import Board, Direction
from .prospect import Codes, codes_of, grown, prospect_of

QUICK_NODES: Final = 65  # on 4×4 about a millisecond a move
HINT_NODES: Final = 400  # in no more than 60 milliseconds
_CHANCE_MIN: Final = 1e-3  # what is less likely is looked at no further
_GROWTH_FIRST: Final = 5  # the second look-ahead takes about so many times the size times the nodes of the first
_GROWTH_LEFT: Final = 0.75  # of what a look-ahead took more than the one before, the next takes so much more again
_DRAWS: Final = ((1, 0.9), (2, 0.1))
_NONE_LEFT: Final = object()


class Search:
    """The search for the best move on one board, step by step.

    Attributes:
        values: of each legal move, as far as the search has come: what the board promises after it. 0 is a stuck
            board; on 3×3 they are thousandths of the moves that are to be expected, else only how they compare means
            something (prospect.py says what an empty cell is worth).
        depth: how many draws ahead these values look; 0 before the first `step`.
        nodes: how many slid boards were looked at.
        done: whether this is all that the budget allows.
    """

    def __init__(self, board: Board, budget: int) -> None:
        self.values: dict[Direction, float] = {}
        self.depth = 0
        self.nodes = 0
        self.done = False
        self._size = board.size
        self._budget = budget
        self._prospect = prospect_of(board.size)
        self._move_worth = self._prospect.move_worth
        self._known: dict[tuple[Codes, int], float] = {}  # promises by rows and depth
        self._work = self._deepen(*codes_of(board))

    @property
    def best(self) -> Direction | None:
        """The best move as far as the search has come, the first of equals; None if none is legal."""
        return max(self.values, key=self.values.__getitem__, default=None)

    def step(self, nodes: int) -> bool:
        """Looks at so many more nodes, or a few more than that; returns whether the search is done."""
        until = self.nodes + nodes
        while not self.done and self.nodes < until:
            spent = next(self._work, _NONE_LEFT) is _NONE_LEFT
            self.done = spent or (self.nodes >= self._budget and self.depth > 0)
        return self.done

    def _deepen(self, rows: Codes, columns: Codes) -> Generator[None, None, None]:
        slides = self._prospect.slides(rows, columns)
        if not self._budget:
            self.values = {Direction(direction): self._prospect.worth(*slid) for direction, *slid in slides}
            return
        depth = before = 0
        while True:
            depth += 1
            begin = self.nodes
            values = {}
            for direction, slid_rows, slid_columns in slides:
                values[Direction(direction)] = yield from self._promise(slid_rows, slid_columns, depth, 1.0)
            self.values, self.depth = values, depth
            used = self.nodes - begin
            expected = _GROWTH_LEFT * used * used / before if before else used * _GROWTH_FIRST * self._size
            before = used
            if len(slides) < 2 or not used or self.nodes + expected > self._budget:
                return

    def _promise(self, rows: Codes, columns: Codes, depth: int, chance: float) -> Generator[None, None, float]:
        """What a slid board promises, so many draws ahead; `chance` is how likely play comes to it."""
        if depth == 1 or chance < _CHANCE_MIN:
            return self._glance(rows, columns)
        known = self._known.get((rows, depth))
        if known is not None:
            return known
        gaps = self._prospect.gaps(rows)
        total = 0.0
        for i, j in gaps:
            for exponent, weight in _DRAWS:
                grown_rows, grown_columns = grown(rows, i, j, exponent), grown(columns, j, i, exponent)
                best = 0.0
                for _, slid_rows, slid_columns in self._prospect.slides(grown_rows, grown_columns):
                    if depth == 2:
                        value = self._glance(slid_rows, slid_columns)
                    else:
                        value = yield from self._promise(
                            slid_rows, slid_columns, depth - 1, chance * weight / len(gaps)
                        )
                    best = max(best, value + self._move_worth)
                total += weight * best
                yield
        promise = self._known[rows, depth] = total / len(gaps)
        return promise

    def _glance(self, rows: Codes, columns: Codes) -> float:
        """The same, one draw ahead."""
        known = self._known.get((rows, 1))
        if known is None:
            self.nodes += 1
            known = self._known[rows, 1] = self._prospect.mean(rows, columns)
        return known


def search(board: Board, budget: int) -> Search:
    """A search that is done: every legal move's value, and the best; none of both if the board is stuck."""
    found = Search(board, budget)
    found.step(budget + 1)
    return found
