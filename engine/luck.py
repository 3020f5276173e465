"""The luck test: whether a player's tiles came better than tiles do (docs/luck.md says what that shows, and what not).

Owns which draws are looked at, and the arithmetic. Refuses to know what a board is worth: that is worth.py's. This is
luck test 1. None of its numbers and roundings may ever change.

A draw is independent of all that an honest player can know. So for a draw after a move, into one of m empty cells,
with V of the board after it (worth.py), the sums over all possible draws S1 = Σ w·V and S2 = Σ w·V², a 2 having
w = 9 and a 4 having w = 1, and W = Σ w = 10·m,

    z = (V·W - S1) / √(W·S2 - S1²)

has mean 0 and variance 1 whatever the skill, and Z = Σ z / √(draws counted) is close to standard normal. A draw with
W·S2 = S1², which nothing could be better or worse than, is not counted. One who knows the draws to come has more of
the good ones. Z is taken with V, and with V₂ in its place; the larger one counts.

In integers: z in millionths is ⌊√⌊(V·W - S1)²·10¹² / (W·S2 - S1²)⌋⌋ with the sign of V·W - S1, and Z in thousandths is
⌊√⌊(Σz)² / (10⁶·counted)⌋⌋ with the sign of Σz: both are rounded towards 0. With fewer than 64 draws counted nothing is
said: then luck of 5 and more is not improbable enough.

Long games and large boards are sampled. The order of the moves is that of H("luck", M, u8 seat, u32 move), the least
first, moves counted from 1; M is the mix of the race. V looks at the first 2048, 2048, 1024, 1024 and 512 on boards of
size 3, 4, 5, 6 and 8; V₂ at the first 128, 128, 128, 96 and 64 of those with at most 6 empty cells after the push.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final, NamedTuple

from .board import Board, Direction
from .deck import Deck
from .digest import digest, u8, u32
from .game import IllegalMove
from .worth import WEIGHT_2, WEIGHT_4, one_ply, two_ply

COUNTED_MIN: Final = 64
IMPROBABLE: Final = 5_000  # from this luck on, in thousandths: by chance one time in some hundred thousand
ONE_PLY_DRAWS: Final = {3: 2_048, 4: 2_048, 5: 1_024, 6: 1_024, 8: 512}
TWO_PLY_DRAWS: Final = {3: 128, 4: 128, 5: 128, 6: 96, 8: 64}
TWO_PLY_EMPTIES_MAX: Final = 6
_Z_SCALE: Final = 10**6


@dataclass(frozen=True, slots=True)
class Form:
    """Z of one form of the test in thousandths, None where nothing is said; and how many draws were counted."""

    z: int | None
    counted: int


@dataclass(frozen=True, slots=True)
class Luck:
    """What the luck test says of one player's game."""

    one_ply: Form
    two_ply: Form

    @property
    def z(self) -> int | None:
        """The larger Z, in thousandths; None where nothing is said."""
        return max([form.z for form in (self.one_ply, self.two_ply) if form.z is not None], default=None)


class _Drawn(NamedTuple):
    """A slid board, and which of its draws came, by the order of `worth.one_ply`."""

    slid: Board
    came: int


def luck(size: int, deck: Deck, directions: Iterable[Direction], mix: bytes, seat: int) -> Luck:
    """The luck of a game.

    Raises:
        IllegalMove: one of the moves is illegal.
        LinkMissing: the deck does not reach so far yet.
    """
    drawn = _replay(size, deck, directions)
    order = sorted(range(len(drawn)), key=lambda i: digest("luck", mix, u8(seat), u32(i + 1)))
    narrow = [i for i in order if drawn[i].slid.empties <= TWO_PLY_EMPTIES_MAX]
    return Luck(
        _form(one_ply, [drawn[i] for i in order[: ONE_PLY_DRAWS[size]]]),
        _form(two_ply, [drawn[i] for i in narrow[: TWO_PLY_DRAWS[size]]]),
    )


def _replay(size: int, deck: Deck, directions: Iterable[Direction]) -> list[_Drawn]:
    board = Board.empty(size).spawn(*deck.draw(0)).spawn(*deck.draw(1))
    drawn = []
    for move, direction in enumerate(directions, 1):
        pushed = board.slide(direction)
        if pushed is None:
            raise IllegalMove(move, Direction(direction), board)
        slid, _ = pushed
        exponent, lot = deck.draw(move + 1)
        drawn.append(_Drawn(slid, 2 * (lot * slid.empties >> 64) + exponent - 1))
        board = slid.spawn(exponent, lot)
    return drawn


def _form(worth_after: Callable[[Board], Sequence[int]], drawn: Sequence[_Drawn]) -> Form:
    found = [deviation(worth_after(slid), came) for slid, came in drawn]
    counted = [z for z in found if z is not None]
    return Form(combined(counted) if len(counted) >= COUNTED_MIN else None, len(counted))


def deviation(values: Sequence[int], came: int) -> int | None:
    """The z in millionths of the draw that came, given V after each, with 2 and 4 in turns; None if all are equal."""
    twos, fours = values[::2], values[1::2]
    weight = (WEIGHT_2 + WEIGHT_4) * len(twos)
    first = WEIGHT_2 * sum(twos) + WEIGHT_4 * sum(fours)
    second = WEIGHT_2 * sum([v * v for v in twos]) + WEIGHT_4 * sum([v * v for v in fours])
    variance = weight * second - first * first
    if not variance:
        return None
    difference = values[came] * weight - first
    return _signed_root(difference, difference**2 * _Z_SCALE**2 // variance)


def combined(deviations: Sequence[int]) -> int:
    """Z in thousandths of some z in millionths, at least one."""
    total = sum(deviations)
    return _signed_root(total, total**2 // (_Z_SCALE * len(deviations)))


def _signed_root(sign: int, square: int) -> int:
    return isqrt(square) if sign > 0 else -isqrt(square)
