"""engine/solo.py: target, undo and what may count as a best (rules 2; field-reports A02, A03, A06, A07)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import SIZES, Direction, largest_exponent
from engine.deck import SoloDeck, seed_of_text
from engine.game import replay
from engine.solo import UNDO_DEPTH, USUAL_TARGETS, Act, Made, Peak, Solo, SoloKind, act_of, target_fault

DECK = SoloDeck(seed_of_text("solo"))
MOVES = (Act.UP, Act.RIGHT, Act.DOWN, Act.LEFT)


def moved(solo, count, t_ms=0):
    """Makes so many moves, each the first legal one; returns them."""
    made = []
    for _ in range(count):
        act = act_of(solo.game.board.legal_directions()[0])
        assert solo.apply(act, t_ms)
        made.append(act)
    return made


def state(solo):
    game = solo.game
    return game.board, game.score, game.moves, game.fours, game.max_exponent, game.stuck


def until_made(solo, t_ms=0):
    while solo.made is None:
        moved(solo, 1, t_ms)
    return solo


def until_stuck(solo):
    while not solo.game.stuck:
        moved(solo, 1)
    return solo


@pytest.mark.parametrize("direction", Direction)
def test_a_move_is_its_direction_and_one(direction):
    assert act_of(direction).name == direction.name


@pytest.mark.parametrize("size", SIZES)
def test_a_usual_target_can_be_asked_for(size):
    assert not target_fault(size, SoloKind.CLASSIC, USUAL_TARGETS[size])


@pytest.mark.parametrize(("exponent", "wrong"), [(2, True), (3, False), (17, False), (18, True)])
def test_a_target_is_from_8_to_the_largest_tile_of_the_board(exponent, wrong):
    assert largest_exponent(4) == 17
    assert target_fault(4, SoloKind.CLASSIC, exponent) is wrong


@pytest.mark.parametrize(("exponent", "wrong"), [(0, False), (11, True)])
def test_an_endless_game_has_no_target(exponent, wrong):
    assert target_fault(4, SoloKind.ENDLESS, exponent) is wrong


def test_an_illegal_move_changes_nothing_at_all():
    solo = Solo(4, DECK)
    while len(solo.game.board.legal_directions()) == 4:
        moved(solo, 1, 30)
    blocked = next(d for d in Direction if d not in solo.game.board.legal_directions())
    before = (*state(solo), solo.undos_left, solo.t_ms)
    assert not solo.apply(act_of(blocked), 99)
    assert (*state(solo), solo.undos_left, solo.t_ms) == before


def test_undo_brings_back_the_same_tile_after_the_same_move():
    solo = Solo(4, DECK)
    moved(solo, 9)
    (last,) = moved(solo, 1)
    there = state(solo)
    assert solo.apply(Act.UNDO, 0)
    assert solo.apply(last, 0)
    assert state(solo) == there


def test_five_moves_can_be_taken_back_and_no_sixth():
    solo = Solo(4, DECK)
    moved(solo, 4)
    there = state(solo)
    moved(solo, UNDO_DEPTH)
    assert [solo.apply(Act.UNDO, 0) for _ in range(6)] == [True] * 5 + [False]
    assert state(solo) == there
    assert solo.undos == 5


def test_before_the_first_move_there_is_nothing_to_undo():
    assert not Solo(4, DECK).apply(Act.UNDO, 0)


def test_a_game_without_undo_takes_nothing_back():
    solo = Solo(4, DECK, undo_depth=0)
    moved(solo, 3)
    assert solo.undos_left == 0
    assert not solo.apply(Act.UNDO, 0)


def test_a_hundred_moves_taken_back_and_made_again_farm_no_points():
    solo = Solo(4, DECK)
    moves = moved(solo, 30)
    for _ in range(100):
        assert solo.apply(Act.UNDO, 0)
        assert solo.apply(moves[-1], 0)
    assert solo.game.score == replay(4, DECK, [Direction(act - 1) for act in moves]).score
    assert solo.undos == 100


def test_a_stuck_game_can_be_taken_back_and_is_stuck_no_more():
    solo = until_stuck(Solo(3, DECK))
    assert solo.apply(Act.UNDO, 0)
    assert not solo.game.stuck


def test_the_target_is_made_once_with_its_time_and_move():
    solo = until_made(Solo(4, DECK, target_exponent=5), 70)
    made = solo.made
    assert made == Made(70, solo.game.moves, 0)
    moved(solo, 5, 90)
    assert solo.made == made


def test_a_target_that_is_undone_stays_made():
    solo = until_made(Solo(4, DECK, target_exponent=5))
    made = solo.made
    assert solo.apply(Act.UNDO, 0)
    assert solo.game.max_exponent < 5
    assert solo.made == made


def test_a_target_after_an_undo_says_so():
    solo = Solo(4, DECK, target_exponent=5)
    moved(solo, 2)
    assert solo.apply(Act.UNDO, 0)
    made = until_made(solo).made
    assert made is not None
    assert made.undos == 1


def test_an_endless_game_has_nothing_to_make():
    solo = Solo(4, DECK)
    until_stuck(solo)
    assert solo.made is None


def test_a_target_made_by_the_last_possible_move_is_both_won_and_over():
    """Of the largest tile of each of many games, as its target: some are made by the very last move."""
    both = 0
    for number in range(4_000):
        deck = SoloDeck(seed_of_text(f"last/{number}"))
        solo = until_stuck(Solo(3, deck))
        again = Solo(3, deck, target_exponent=solo.game.max_exponent)
        until_made(again)
        if again.game.stuck:
            both += 1
            assert again.made is not None
            assert again.made.moves == again.game.moves
            break
    assert both


def test_going_on_is_said_once_and_not_before_the_target():
    solo = Solo(4, DECK, target_exponent=5)
    moved(solo, 2)
    assert not solo.apply(Act.WENT_ON, 0)
    until_made(solo)
    assert [solo.apply(Act.WENT_ON, 0) for _ in range(2)] == [True, False]


def test_nothing_follows_the_end():
    solo = Solo(4, DECK)
    moved(solo, 3)
    assert solo.apply(Act.ENDED, 5)
    legal = act_of(solo.game.board.legal_directions()[0])
    assert not any(solo.apply(act, 6) for act in (legal, Act.UNDO, Act.LEFT_OFF, Act.ENDED))
    assert solo.t_ms == 5


def test_time_never_runs_backwards():
    solo = Solo(4, DECK)
    moved(solo, 1, 50)
    assert not solo.apply(Act.LEFT_OFF, 49)
    assert solo.apply(Act.LEFT_OFF, 50)


def test_what_was_reached_stays_reached_when_it_is_undone():
    solo = Solo(4, DECK)
    moved(solo, 60)
    there = Peak(solo.game.score, solo.game.max_exponent)
    for _ in range(5):
        assert solo.apply(Act.UNDO, 0)
    assert solo.peak == there
    assert solo.game.score < there.score


def test_what_is_reached_after_an_undo_is_not_clean():
    solo = Solo(4, DECK)
    moved(solo, 10)
    clean = solo.clean_peak
    assert solo.apply(Act.UNDO, 0)
    moved(solo, 50)
    assert solo.clean_peak == clean
    assert solo.peak.score > clean.score


@given(st.sampled_from(SIZES), st.integers(0, 50), st.lists(st.sampled_from((*MOVES, Act.UNDO)), max_size=120))
def test_score_and_tiles_are_the_sums_of_rules_1_5_through_any_undo(size, seed, acts):
    solo = Solo(size, SoloDeck(seed_of_text(f"sums/{seed}")))
    for act in acts:
        solo.apply(act, 0)
        exponents = [exponent for exponent in solo.game.board.cells if exponent]
        fours = solo.game.fours
        assert solo.game.score == sum((e - 1) << e for e in exponents) - 4 * fours
        assert sum(1 << e for e in exponents) == 2 * (solo.game.moves + 2 - fours) + 4 * fours


@given(st.integers(0, 50), st.lists(st.sampled_from((*MOVES, Act.UNDO)), max_size=80))
def test_whatever_is_undone_a_game_is_one_that_could_have_been_played_without(seed, acts):
    deck = SoloDeck(seed_of_text(f"plain/{seed}"))
    solo, standing = Solo(4, deck), list[Act]()
    for act in acts:
        if solo.apply(act, 0):
            standing = standing[:-1] if act is Act.UNDO else [*standing, act]
    game = replay(4, deck, [Direction(act - 1) for act in standing])
    assert state(solo) == (game.board, game.score, game.moves, game.fours, game.max_exponent, game.stuck)
