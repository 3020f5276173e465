"""χ² of race decks (deal.md 1.2, 1.3): values, and cells for every number of empty cells a board can have.

The draws are always the same ones, of eight whole decks, so these tests always pass or always fail. Every statistic is
turned into its exact p-value, which must not be within 10^-7 of either end. Were the draws chosen anew, the 150 of
them would refuse honest decks once in 30,000 times; they refuse what is too even to be chance as well. What else they
refuse is shown by draws that are wrong.

A lot picks the ⌊lot·m / 2^64⌋-th cell, so each cell of m has one interval of lots. The lots are sorted once, and then
every m from 1 to 64 costs a search per cell; test_a_lot_picks_the_cell_of_its_interval holds the board to that.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from engine.board import Board
from engine.deck import CHAIN_LENGTH, Chain, DealtDeck
from engine.digest import digest, u32

DECKS = 8
DRAWS = DECKS * 8 * CHAIN_LENGTH  # 1,048,576
LOTS = 1 << 64
EMPTY_MAX = 64  # the cells of an 8 × 8 board
P_MIN = 1e-7
PARTS = 16  # into so many equal parts lots are cut where two of them are compared
NEIGHBOURS = (1, 2, 3, 7, 8, 9, 16)  # of the same link, of the next, and of the one after that


@cache
def draws() -> tuple[list[bool], list[int]]:
    """A million draws of whole decks, each of its own chain and mix: whether each is a four, and its lot."""
    fours, lots = [], []
    for number in range(DECKS):
        seed = digest("test", u32(number))
        deck = DealtDeck(Chain(seed[:16], digest("test", seed)), digest("test", seed, seed))
        for exponent, lot in map(deck.draw, range(deck.draw_count)):
            fours.append(exponent == 2)
            lots.append(lot)
    return fours, lots


@cache
def sorted_lots() -> tuple[list[int], list[int]]:
    """The lots of twos, and those of fours."""
    return of_value(*draws(), wanted=False), of_value(*draws(), wanted=True)


@cache
def parts() -> list[int]:
    """Of every draw its part of all lots, doubled, and one more for a four."""
    return [2 * (lot * PARTS >> 64) + four for four, lot in zip(*draws(), strict=True)]


def of_value(fours: Sequence[bool], lots: Sequence[int], *, wanted: bool) -> list[int]:
    return sorted(lot for four, lot in zip(fours, lots, strict=True) if four is wanted)


def first_lot(cell: int, empty: int) -> int:
    """The least lot that picks this cell of so many."""
    return -(-cell * LOTS // empty)


def cells(lots: Sequence[int], empty: int) -> list[int]:
    """How often each of so many cells is picked by these lots, which are sorted."""
    places = [bisect_left(lots, first_lot(cell, empty)) for cell in range(empty)] + [len(lots)]
    return [after - before for before, after in pairwise(places)]


# ── χ² ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def upper_tail(statistic: float, freedom: int) -> float:
    """The chance of a χ² of so many degrees of freedom that is at least as large: the incomplete gamma function.

    By its series up to its mean, by its continued fraction (Lentz) beyond.
    """
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        return 1 - scale * total
    b, c, d = x + 1 - a, 1e300, 1 / (x + 1 - a)
    fraction = d
    for i in range(1, 10_000):
        b += 2
        d = 1 / (-i * (i - a) * d + b)
        c = b - i * (i - a) / c
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return scale * fraction


def fits(counts: Sequence[int], shares: Sequence[float]) -> bool:
    """Whether counts are what chance makes of these shares."""
    total = sum(counts)
    statistic = sum((count - total * share) ** 2 / (total * share) for count, share in zip(counts, shares, strict=True))
    return len(counts) == 1 or plausible(statistic, len(counts) - 1)


def independent(table: Sequence[Sequence[int]]) -> bool:
    """Whether rows and columns of counts have nothing to do with each other."""
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total = sum(rows)
    statistic = 0.0
    for row, row_sum in zip(table, rows, strict=True):
        for count, column_sum in zip(row, columns, strict=True):
            expected = row_sum * column_sum / total
            statistic += (count - expected) ** 2 / expected
    return plausible(statistic, (len(rows) - 1) * (len(columns) - 1))


def plausible(statistic: float, freedom: int) -> bool:
    return P_MIN < upper_tail(statistic, freedom) < 1 - P_MIN


def table_of(pairs: Iterable[tuple[int, int]], rows: int, columns: int) -> list[list[int]]:
    counts = Counter(pairs)
    return [[counts[row, column] for column in range(columns)] for row in range(rows)]


def apart(items: Sequence[int], lag: int) -> Iterable[tuple[int, int]]:
    """Pairs that stand so far apart, each item in one pair at most: else the pairs would not be independent."""
    for start in range(lag):
        yield from zip(items[start :: 2 * lag], items[start + lag :: 2 * lag], strict=False)


def coarser(table: Sequence[Sequence[int]], of: Callable[[int], int]) -> list[list[int]]:
    """The table with rows and columns put together that are the same by `of`."""
    kinds = 1 + max(map(of, range(len(table))))
    found = [[0] * kinds for _ in range(kinds)]
    for row, counts in enumerate(table):
        for column, count in enumerate(counts):
            found[of(row)][of(column)] += count
    return found


@pytest.mark.parametrize(
    ("statistic", "freedom", "tail"),
    [(3.841459, 1, 0.05), (10.827566, 1, 0.001), (28.373987, 1, 1e-7), (82.528727, 63, 0.05), (26.1093, 63, 0.99999),
     (225.0, 225, 0.4875), (7.81473, 3, 0.05), (0.0, 5, 1.0)],
)  # fmt: skip
def test_the_tail_of_chi_squared_is_as_in_the_tables(statistic: float, freedom: int, tail: float) -> None:
    assert upper_tail(statistic, freedom) == pytest.approx(tail, rel=2e-3)


# ── what the decks deal ──────────────────────────────────────────────────────────────────────────────────────────────


def test_one_draw_in_ten_of_a_million_is_a_four() -> None:
    twos, fours = map(len, sorted_lots())
    assert twos + fours == DRAWS > 1_000_000
    assert fits((twos, fours), (0.9, 0.1))


def test_every_empty_cell_is_as_likely_as_any_other_whatever_their_number() -> None:
    twos, fours = sorted_lots()
    lots = sorted(twos + fours)
    assert [m for m in range(1, EMPTY_MAX + 1) if not fits(cells(lots, m), [1 / m] * m)] == []


def test_value_and_cell_have_nothing_to_do_with_each_other_whatever_the_number_of_cells() -> None:
    twos, fours = sorted_lots()
    assert [m for m in range(2, EMPTY_MAX + 1) if not independent([cells(twos, m), cells(fours, m)])] == []


@pytest.mark.parametrize("lag", NEIGHBOURS)
def test_draws_near_each_other_have_nothing_to_do_with_each_other(lag: int) -> None:
    table = table_of(apart(parts(), lag), 2 * PARTS, 2 * PARTS)
    assert independent(table)
    assert independent(coarser(table, lambda part: part >> 1))  # their cells alone
    assert independent(coarser(table, lambda part: part & 1))  # their values alone


def test_no_place_in_a_link_is_dealt_otherwise_than_the_others() -> None:
    places = table_of(((d % 8, part) for d, part in enumerate(parts())), 8, 2 * PARTS)
    assert independent(places)
    assert independent([[sum(row[0::2]), sum(row[1::2])] for row in places])


def test_the_same_draw_of_two_decks_has_nothing_to_do_with_each_other() -> None:
    half = DRAWS // 2
    assert independent(table_of(zip(parts()[:half], parts()[half:], strict=True), 2 * PARTS, 2 * PARTS))


@pytest.mark.parametrize("empty", range(1, EMPTY_MAX + 1))
def test_a_lot_picks_the_cell_of_its_interval(empty: int) -> None:
    """The board itself, at both ends of every interval that the statistics above count in."""
    full = EMPTY_MAX - empty
    board = Board.of_cells(8, bytes([60] * full + [0] * empty))
    for cell in range(empty):
        for lot in (first_lot(cell, empty), first_lot(cell + 1, empty) - 1):
            assert board.spawn(1, lot).cells[full + cell] == 1


# ── what the statistics see ──────────────────────────────────────────────────────────────────────────────────────────

CHANCE = Random(2048)
HONEST = [CHANCE.random() < 0.1 for _ in range(100_000)], [CHANCE.getrandbits(64) for _ in range(100_000)]


def all_right(fours: Sequence[bool], lots: Sequence[int]) -> bool:
    """Whether these draws pass for those of a deck, by the statistics above."""
    of_twos, of_fours = of_value(fours, lots, wanted=False), of_value(fours, lots, wanted=True)
    ordered, cut = sorted(lots), [lot * PARTS >> 64 for lot in lots]
    return (
        fits((len(of_twos), len(of_fours)), (0.9, 0.1))
        and all(fits(cells(ordered, m), [1 / m] * m) for m in range(2, EMPTY_MAX + 1))
        and all(independent([cells(of_twos, m), cells(of_fours, m)]) for m in range(2, EMPTY_MAX + 1))
        and all(independent(table_of(apart(cut, lag), PARTS, PARTS)) for lag in NEIGHBOURS)
    )


def _same_bytes(four: bool, lot: int) -> tuple[bool, int]:
    return lot < LOTS // 10, lot


def _one_cell_a_little_more(four: bool, lot: int) -> tuple[bool, int]:
    return four, lot if lot % 50 else lot % (LOTS // 37)


def _one_in_nine(four: bool, lot: int) -> tuple[bool, int]:
    return four or lot % 90 == 0, lot


WRONG: dict[str, Callable[[bool, int], tuple[bool, int]]] = {
    "value and lot are made of the same bytes": _same_bytes,
    "one cell is a little more likely": _one_cell_a_little_more,
    "one in nine is a four": _one_in_nine,
}


def test_draws_that_are_right_pass() -> None:
    assert all_right(*HONEST)


@pytest.mark.parametrize("how", WRONG)
def test_draws_that_are_wrong_do_not(how: str) -> None:
    wrong = [WRONG[how](four, lot) for four, lot in zip(*HONEST, strict=True)]
    assert not all_right([four for four, _ in wrong], [lot for _, lot in wrong])


@pytest.mark.parametrize("lag", NEIGHBOURS)
def test_draws_that_follow_from_others_do_not(lag: int) -> None:
    """One in twenty repeats the lot of the one so many before."""
    fours, lots = HONEST[0], list(HONEST[1])
    for place in range(lag, len(lots), 20):
        lots[place] = lots[place - lag]
    assert not all_right(fours, lots)


def test_draws_that_are_too_even_do_not() -> None:
    """As a shuffled list of all cells would be: no count is far off, and that is what gives it away."""
    even = [place * (LOTS // len(HONEST[1])) for place in range(len(HONEST[1]))]
    CHANCE.shuffle(even)
    assert not all_right(HONEST[0], even)
