"""The luck test: its arithmetic done again with fractions, what it looks at, and what it tells apart."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import cycle, pairwise
from math import isqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import luck as luck_module
from engine.board import Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.digest import digest
from engine.game import Game, IllegalMove
from engine.luck import COUNTED_MIN, Form, Luck, combined, deviation, luck
from engine.worth import one_ply, two_ply

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "luck.json").read_text())
MIX = bytes(range(32))
Choose = Callable[[Game, SoloDeck], Direction]


def in_turns(size: int, seed: bytes, moves_max: int) -> list[Direction]:
    """The log of one who tries the directions in turns."""
    game = Game(size, SoloDeck(seed))
    turns = cycle(Direction)
    log: list[Direction] = []
    while len(log) < moves_max and not game.stuck:
        direction = next(turns)
        if game.move(direction) is not None:
            log.append(direction)
    return log


def played(seed: bytes, moves: int, choose: Choose) -> list[Direction]:
    deck = SoloDeck(seed)
    game = Game(4, deck)
    log: list[Direction] = []
    while len(log) < moves and not game.stuck:
        log.append(choose(game, deck))
        game.move(log[-1])
    return log


def liked(board: Board, points: int) -> int:
    """Points, room, and equal tiles side by side."""
    cells = board.cells
    rows = [cells[i : i + 4] for i in range(0, 16, 4)] + [cells[i::4] for i in range(4)]
    return points + 30 * board.empties + sum(8 * a for row in rows for a, b in pairwise(row) if a == b)


def honest(game: Game, deck: SoloDeck) -> Direction:
    """What is liked best before the draw."""
    return max(game.board.legal_directions(), key=lambda direction: liked(*(game.board.slide(direction) or ())))


def cheat(game: Game, deck: SoloDeck) -> Direction:
    """What leads to what is liked best after this draw and the next."""

    def best(game: Game, ahead: int, points: int) -> int:
        if not ahead or game.stuck:
            return liked(game.board, points)
        afters = [(after, gained) for d in Direction if (gained := (after := game.copy()).move(d)) is not None]
        return max(best(after, ahead - 1, points + gained) for after, gained in afters)

    worths = {}
    for direction in game.board.legal_directions():
        after = game.copy()
        points = after.move(direction)
        assert points is not None, "it is legal"
        worths[direction] = best(after, 1, points)
    return max(worths, key=worths.__getitem__)


def test_a_draw_counted_by_hand() -> None:
    """W = 10, S1 = -8115, W·S2 - S1² = 2655²: a 4 is 7965 above, a 2 is 885 below, so z is 3 and -1/3."""
    assert deviation([-900, -15], 1) == 3_000_000
    assert deviation([-900, -15], 0) == -333_333


@given(st.lists(st.integers(-2_000, 200), min_size=2, max_size=40).filter(lambda v: len(v) % 2 == 0), st.data())
def test_z_is_the_deviation_over_the_standard_deviation_cut_off_at_a_millionth(values: list[int], data: Any) -> None:
    came = data.draw(st.integers(0, len(values) - 1))
    weights = [Fraction(1 if i % 2 else 9, 5 * len(values)) for i in range(len(values))]
    mean = sum(w * v for w, v in zip(weights, values, strict=True))
    variance = sum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True))
    z = deviation(values, came)
    if not variance:
        assert z is None
        return
    assert z is not None
    square = (values[came] - mean) ** 2 / variance
    assert Fraction(z * z, 10**12) <= square < Fraction((abs(z) + 1) ** 2, 10**12)
    assert z == 0 or (z > 0) == (values[came] > mean)


@given(st.lists(st.integers(-(10**7), 10**7), min_size=1))
def test_z_of_a_game_is_the_sum_over_the_root_of_their_number_cut_off_at_a_thousandth(deviations: list[int]) -> None:
    z = combined(deviations)
    square = Fraction(sum(deviations), 10**6) ** 2 / len(deviations)
    assert Fraction(z * z, 10**6) <= square < Fraction((abs(z) + 1) ** 2, 10**6)
    assert z == 0 or (z > 0) == (sum(deviations) > 0)


@given(st.lists(st.integers(-500, 100), min_size=4, max_size=40).filter(lambda v: len(v) % 2 == 0))
def test_over_all_draws_z_has_mean_0_and_variance_1(values: list[int]) -> None:
    found = [deviation(values, came) for came in range(len(values))]
    if None in found:
        assert len(set(values)) == 1
        return
    weights = [1 if i % 2 else 9 for i in range(len(values))]
    total = sum(w * (z or 0) for w, z in zip(weights, found, strict=True))
    squares = sum(w * (z or 0) ** 2 for w, z in zip(weights, found, strict=True))
    assert abs(total) <= sum(weights)  # in millionths: each is cut off by less than one
    assert squares / sum(weights) == pytest.approx(10**12, rel=1e-4)


def test_a_draw_that_nothing_could_be_better_or_worse_than_is_not_counted() -> None:
    assert deviation([7, 7, 7, 7], 2) is None
    size, seed = 3, seed_of_text("luck/4")
    log = in_turns(size, seed, 200)
    board, equal = Board.empty(size).spawn(*SoloDeck(seed).draw(0)).spawn(*SoloDeck(seed).draw(1)), 0
    for d, direction in enumerate(log, 2):
        slid = board.slide(direction)
        assert slid is not None
        equal += len(set(one_ply(slid[0]))) == 1
        board = slid[0].spawn(*SoloDeck(seed).draw(d))
    assert equal > 0
    assert luck(size, SoloDeck(seed), log, MIX, 0).one_ply.counted == len(log) - equal


def test_with_too_few_draws_nothing_is_said() -> None:
    seed = seed_of_text("luck/0")
    log = in_turns(4, seed, COUNTED_MIN)
    assert len(log) == COUNTED_MIN
    enough, short = (luck(4, SoloDeck(seed), some, MIX, 0) for some in (log, log[:-1]))
    assert enough.one_ply.z is not None
    assert short.one_ply == Form(None, COUNTED_MIN - 1)
    assert luck(4, SoloDeck(seed), [], MIX, 0) == Luck(Form(None, 0), Form(None, 0))


def test_the_larger_of_the_two_forms_counts() -> None:
    assert Luck(Form(1_200, 100), Form(-300, 70)).z == 1_200
    assert Luck(Form(-1_200, 100), Form(-300, 70)).z == -300
    assert Luck(Form(-1_200, 100), Form(None, 60)).z == -1_200
    assert Luck(Form(None, 10), Form(None, 0)).z is None


def test_a_long_game_is_sampled_by_the_hash_of_mix_seat_and_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck_module, "ONE_PLY_DRAWS", {4: 70})
    monkeypatch.setattr(luck_module, "TWO_PLY_DRAWS", {4: 64})
    seed = seed_of_text("luck/5")
    log = in_turns(4, seed, 1_000)
    found = luck(4, SoloDeck(seed), log, MIX, 2)
    deck, board = SoloDeck(seed), Board.empty(4).spawn(*SoloDeck(seed).draw(0)).spawn(*SoloDeck(seed).draw(1))
    all_z: dict[int, int | None] = {}
    narrow_z: dict[int, int | None] = {}
    for move, direction in enumerate(log, 1):
        slid = board.slide(direction)
        assert slid is not None
        draw = deck.draw(move + 1)
        came = 2 * (draw.lot * slid[0].empties >> 64) + draw.exponent - 1
        all_z[move] = deviation(one_ply(slid[0]), came)
        if slid[0].empties <= 6:
            narrow_z[move] = deviation(two_ply(slid[0]), came)
        board = slid[0].spawn(*draw)

    def of_first(z: dict[int, int | None], count: int) -> Form:
        order = sorted(z, key=lambda move: digest("luck", MIX, bytes([2]), move.to_bytes(4, "big")))
        counted = [one for move in order[:count] if (one := z[move]) is not None]
        total = sum(counted)
        root = isqrt(total * total // (10**6 * len(counted)))
        return Form(root if total > 0 else -root, len(counted))

    assert found == Luck(of_first(all_z, 70), of_first(narrow_z, 64))


def test_another_mix_or_seat_looks_at_other_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck_module, "ONE_PLY_DRAWS", {4: 70})
    seed = seed_of_text("luck/6")
    log = in_turns(4, seed, 1_000)
    found = {luck(4, SoloDeck(seed), log, mix, seat).one_ply.z for mix, seat in ((MIX, 0), (MIX, 1), (seed, 0))}
    assert len(found) == 3


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_numbers_of_luck_test_1_never_change(vector: dict[str, Any]) -> None:
    moves = [Direction("URDL".index(letter)) for letter in vector["moves"]]
    found = luck(vector["size"], SoloDeck(seed_of_text(vector["deck"])), moves, MIX, vector["seat"])
    told = {"one_ply": [found.one_ply.z, found.one_ply.counted], "two_ply": [found.two_ply.z, found.two_ply.counted]}
    assert told == {form: vector[form] for form in told}


def test_an_illegal_move_is_told_as_by_a_replay() -> None:
    with pytest.raises(IllegalMove, match="move 12, left, board 8 2"):
        luck(3, SoloDeck(seed_of_text("luck/0")), 20 * [Direction.LEFT], MIX, 0)


def test_one_who_sees_two_draws_ahead_is_told_from_one_who_does_not() -> None:
    seed = seed_of_text("luck/cheat")
    cheated, fair = (luck(4, SoloDeck(seed), played(seed, 400, choose), seed, 0) for choose in (cheat, honest))
    assert (cheated.z or 0) >= luck_module.IMPROBABLE
    assert abs(fair.z or 9_999) < 3_000
