"""What there is to learn from a move: why the best one is the best, and how much worse another one was.

Pure: the values come from a search of the solver that is handed in, the reasons from what is on the board. A reason is
named only if it is true of the move and not of every other move, so that it tells something. training_words.py says it.

A value's unit means nothing to a person. An empty cell is worth a known part of it, so a loss is told in cells; when a
loss comes from boards on which the game is over, it is told as the chance of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from engine.board import Board, Direction
from engine.prospect import prospect_of
from engine.solver import Search

from .board_sights import Hold, hold_after, largest_pair, lines_in_order, merged, points, slid
from .mistakes import Mistake, mistake_of

# What a move must lose to be called clearly worse: such a part of the board's cells, and so many (bench/coaching.py).
CLEARLY_PART, CLEARLY_CELLS_MIN = 1 / 8, 2.0
EVEN_PART = 1 / 64  # moves that lose less are as good as each other
RISK_MIN = 0.01  # of the game; smaller chances are told as cells
OPENING_TILES = 3  # with so few a board is as good as another
REASONS_MAX = 2
_PAIR_EXPONENT_MIN = 4


class Reason(Enum):
    """What speaks for a move."""

    ONLY = "only"  # no other one is legal
    SURVIVES = "survives"  # every other one is more likely to end the game soon
    CORNER = "corner"  # keeps the largest tile where it is, which another one does not
    MERGES = "merges"  # for the most points
    PAIR = "pair"  # brings two equal tiles together
    ORDER = "order"  # leaves the most lines that only rise or only fall
    ROOM = "room"  # leaves the most empty cells
    EVEN = "even"  # all moves are as good
    AHEAD = "ahead"  # none of these: it comes out best a few tiles ahead


@dataclass(frozen=True, slots=True)
class Why:
    """A reason, with the exponent of the tiles or the count that it is about."""

    reason: Reason
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be said of a move. `cells`: what it loses against the best one, in empty cells; `risk`: of the game.

    `clear`: it was clearly worse; `mistake` is then the classic one that it was, if it was one.
    """

    board: Board
    made: Direction
    best: Direction
    cells: float
    risk: float
    clear: bool
    mistake: Mistake | None
    why: tuple[Why, ...]  # the best one is best


def clearly_cells(size: int) -> float:
    """Returns how many empty cells a move must lose to be called clearly worse."""
    return max(CLEARLY_CELLS_MIN, CLEARLY_PART * size * size)


def judged(board: Board, made: Direction, search: Search, think_ms: int | None = None) -> Verdict:
    """Returns the verdict on a legal move by a search of its board that is done."""
    best = search.best
    assert best is not None, "there was a move"
    loss = search.values[best] - search.values[made]
    prospect = prospect_of(board.size)
    cells, risk = loss / prospect.cell_worth, loss / prospect.game_worth
    tiles = len(board.cells) - board.empties
    clear = cells >= clearly_cells(board.size) and tiles > OPENING_TILES
    return Verdict(
        board=board,
        made=made,
        best=best,
        cells=cells,
        risk=risk if risk >= RISK_MIN else 0.0,
        clear=clear,
        mistake=mistake_of(board, made, best, think_ms) if clear else None,
        why=reasons(board, best, search.values, search.depth),
    )


def reasons(board: Board, move: Direction, values: Mapping[Direction, float], depth: int) -> tuple[Why, ...]:
    """Returns what speaks for the best move, the most telling first; `depth`: how many tiles ahead was looked."""
    others = [way for way in values if way is not move]
    if not others:
        return (Why(Reason.ONLY),)
    second = max(values[way] for way in others)
    worst = min(values[way] for way in others)
    if values[move] - worst < EVEN_PART * len(board.cells) * prospect_of(board.size).cell_worth:
        return (Why(Reason.EVEN),)
    found = []
    if values[move] - second >= RISK_MIN * prospect_of(board.size).game_worth:
        found.append(Why(Reason.SURVIVES))
    found += _seen(board, move, others)
    return tuple(found[:REASONS_MAX]) or (Why(Reason.AHEAD, depth),)


def _seen(board: Board, move: Direction, others: list[Direction]) -> list[Why]:
    """Returns the reasons that are on the board."""
    found = []
    worst = max(hold_after(board, way) for way in others)
    if worst > hold_after(board, move) != Hold.LOST:
        found.append(Why(Reason.CORNER, board.max_exponent))
    after, rest = slid(board, move), [slid(board, way) for way in others]
    gained = [points(board, way) for way in others]
    if points(board, move) >= max(gained) and points(board, move) > min(gained):
        found.append(Why(Reason.MERGES, merged(board, move)[0]))
    pair, pairs = largest_pair(after), [largest_pair(each) for each in rest]
    if pair >= _PAIR_EXPONENT_MIN and pair > max(largest_pair(board), min(pairs)) and pair >= max(pairs):
        found.append(Why(Reason.PAIR, pair))
    order = lines_in_order(after)
    if order > max(lines_in_order(each) for each in rest):
        found.append(Why(Reason.ORDER, order))
    room = [each.empties for each in rest]
    if after.empties >= max(room) and after.empties > min(room):
        found.append(Why(Reason.ROOM, after.empties))
    return found
