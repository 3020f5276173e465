"""How far along a game is, against a table of when a good player makes each tile. Pure.

The table is for 4×4, from a published rules page: medians over 40 games of its computer player. Between its rows the
score tells how far a game is, since moves alone do not: whoever merges sooner has more points after as many moves.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

SIZE = 4
MOVES_MIN = 10  # before that chance tells more than play


@dataclass(frozen=True, slots=True)
class Milestone:
    """A tile, and with how many moves and points it is made."""

    exponent: int
    moves: int
    score: int


MILESTONES = (
    Milestone(7, 69, 784),
    Milestone(8, 133, 1_816),
    Milestone(9, 253, 4_104),
    Milestone(10, 507, 9_400),
    Milestone(11, 989, 20_588),
)


@dataclass(frozen=True, slots=True)
class Pace:
    """The next tile to make, at about which move, and how many moves a game is ahead of that (behind: below 0)."""

    exponent: int
    moves: int
    ahead: int


def usual_moves(score: int) -> int:
    """Returns after about how many moves so many points are usual; between two rows in proportion."""
    rows = ((0, 0), *((each.score, each.moves) for each in MILESTONES))
    place = min(bisect_right([points for points, _ in rows], score), len(rows) - 1)
    (score_before, moves_before), (score_after, moves_after) = list(pairwise(rows))[max(place - 1, 0)]
    part = (score - score_before) * (moves_after - moves_before)
    return moves_before + round(part / (score_after - score_before))


def pace_of(size: int, max_exponent: int, moves: int, score: int) -> Pace | None:
    """Returns the pace of a game; None where the table says nothing: on other sizes, at once, after its last tile."""
    coming = next((each for each in MILESTONES if each.exponent > max_exponent), None)
    if size != SIZE or moves < MOVES_MIN or coming is None:
        return None
    return Pace(coming.exponent, coming.moves, usual_moves(score) - moves)
