"""client/training.py: who plays, what is judged when, and practice from a position."""

import pytest

from client.hinting import SLICE_NODES, Thought
from client.mistakes import Mistake
from client.training import COSTLY_MAX, PACES_MS, Judged, Training, training_opening
from engine.board import Direction
from engine.solver import HINT_NODES, search

OPENING = training_opening(4, "abc", b"")
UP, RIGHT, DOWN, LEFT = Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT


def thought_out(training):
    while training.think():
        pass


def last_of(training: Training) -> Judged:
    last = training.view(0).last
    assert last is not None, "the last move is judged"
    return last


def hint_of(training: Training) -> Thought:
    hint = training.view(0).hint
    assert hint is not None, "there was a hint"
    return hint


def push(training, count, now_ms=0, ways=(LEFT, DOWN, RIGHT, UP)):
    """Makes so many moves, the first legal one of `ways` each time."""
    for _ in range(count):
        assert any(training.push(way, now_ms) for way in ways)


def careless(now_ms=0):
    """A game of 40 moves in all directions, judged."""
    training = Training(OPENING, now_ms)
    for number in range(40):
        push(training, 1, now_ms, [Direction((number * 7 + turn * 3) % 4) for turn in range(4)])
    thought_out(training)
    return training


def test_a_move_is_judged_as_the_solver_that_gives_hints_does():
    training = Training(OPENING, 0)
    push(training, 12)
    board = training.game.solo.game.board
    push(training, 1, ways=(UP, RIGHT, DOWN))
    thought_out(training)
    said = last_of(training).verdict
    found = search(board, HINT_NODES)
    assert said.best is found.best
    assert said.cells > 0 or said.made is said.best


def test_nothing_is_said_of_a_move_before_the_solver_is_done_with_it():
    training = Training(OPENING, 0)
    push(training, 1)
    view = training.view(0)
    assert (view.last, view.judging) == (None, True)
    thought_out(training)
    assert (last_of(training).move, training.view(0).judging) == (1, False)


def test_what_the_solver_has_thought_is_kept_no_longer_than_it_is_needed():
    training = Training(OPENING, 0)
    push(training, 10)
    assert all(made.thought is not None for made in training._line)
    thought_out(training)
    assert all(made.thought is None for made in training._line)


def test_where_moves_come_faster_than_the_solver_the_last_one_is_judged_first():
    training = Training(OPENING, 0)
    push(training, 20)
    first: Judged | None = None
    while training.think():
        first = first or training.view(0).last
        assert training._line[0].judged is None or first is not None
    assert first is not None
    assert first.move == 20
    assert [made.judged.move for made in training._line if made.judged is not None] == list(range(1, 21))


def test_the_costliest_moves_are_the_clearly_worse_ones_the_worst_first():
    costliest = careless().costliest
    losses = [each.verdict.cells for each in costliest]
    assert len(costliest) == COSTLY_MAX
    assert losses == sorted(losses, reverse=True)
    assert all(each.verdict.clear for each in costliest)


def test_what_was_taken_back_is_no_mistake_any_more():
    training, number = Training(OPENING, 0), 0
    while not training.costliest:
        number += 1
        push(training, 1, ways=[Direction((number * 7 + turn * 3) % 4) for turn in range(4)])
        thought_out(training)
    assert training.undo(0)
    assert training.costliest == ()


def test_an_undone_move_is_not_judged():
    training = Training(OPENING, 0)
    push(training, 2)
    assert training.undo(0)
    thought_out(training)
    assert last_of(training).move == 1
    assert training.undo(0)
    assert not training.undo(0)
    assert training.view(0).last is None


def test_practice_begins_on_the_board_before_the_move_and_the_same_tile_comes():
    training = careless()
    worst = training.costliest[0]
    training.practise(worst, 5_000)
    view = training.view(5_000)
    assert view.game.board == worst.verdict.board
    assert (view.practice, view.game.moves, view.game.t_ms) == (worst.move, worst.move - 1, 0)
    again = careless()
    training.push(worst.verdict.made, 5_000)
    replayed = Training(OPENING, 0)
    for made in again._line[: worst.move]:
        replayed.push(made.direction, 0)
    assert training.game.solo.game.board == replayed.game.solo.game.board


def test_practice_after_an_undo_finds_its_board_too():
    training = careless()
    training.undo(0)
    training.undo(0)
    for way in (RIGHT, UP, RIGHT, UP, DOWN, UP, LEFT, UP, RIGHT, DOWN, RIGHT, UP):
        training.push(way, 0)
    thought_out(training)
    for each in training.costliest:
        training.practise(each, 0)
        assert training.game.solo.game.board == each.verdict.board


def test_in_practice_the_moves_of_the_game_it_is_from_stay_to_be_practised():
    training = careless()
    costliest = training.costliest
    training.practise(costliest[0], 0)
    push(training, 5, ways=(UP, RIGHT, DOWN, LEFT))
    thought_out(training)
    assert training.costliest == costliest
    training.practise(costliest[2], 0)
    assert training.game.solo.game.board == costliest[2].verdict.board


def test_a_new_game_forgets_the_old_one():
    training = careless()
    training.practise(training.costliest[0], 0)
    training.begin(training_opening(3, "", bytes(32)), 0)
    view = training.view(0)
    assert (view.practice, view.costliest, view.last, view.hints, view.game.choice.size) == (0, (), None, 0, 3)


def test_how_long_the_board_was_looked_at_counts_as_haste():
    pictures: dict[int, list[Mistake | None]] = {}
    for wait_ms in (10, 5_000):
        training, now_ms = Training(training_opening(3, "hasty", b""), 0), 0
        for _ in range(100):
            now_ms += wait_ms
            if training.game.solo.game.stuck or not any(training.push(way, now_ms) for way in (LEFT, UP, RIGHT, DOWN)):
                break
        thought_out(training)
        pictures[wait_ms] = [made.judged.verdict.mistake for made in training._line if made.judged is not None]
    assert Mistake.HURRY in pictures[10]
    assert Mistake.HURRY not in pictures[5_000]


# ── hints ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_hint_is_counted_once_a_board_and_gone_with_it():
    training = Training(OPENING, 0)
    training.ask()
    training.ask()
    assert training.view(0).hints == 1
    thought_out(training)
    assert hint_of(training).move is search(training.game.solo.game.board, HINT_NODES).best
    push(training, 1)
    assert training.view(0).hint is None


def test_a_hint_does_not_wait_for_verdicts():
    training = Training(training_opening(8, "abc", b""), 0)
    push(training, 30)
    training.ask()
    while not hint_of(training).done:
        assert training.think()
    assert all(made.judged is None for made in training._line)


def test_while_the_computer_plays_there_is_no_hint():
    training = Training(OPENING, 0, computer=True)
    training.ask()
    assert (training.view(0).hint, training.view(0).hints) == (None, 0)


# ── the computer ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_computer_makes_the_solvers_move_when_it_is_due_and_not_before():
    training = Training(OPENING, 1_000, computer=True)
    board = training.game.solo.game.board
    thought_out(training)
    pace_ms = training.view(0).pace_ms
    assert not training.play(1_000 + pace_ms - 1)
    assert training.play(1_000 + pace_ms)
    thought_out(training)
    said = last_of(training).verdict
    assert (training.view(0).by_computer, said.made) == (True, search(board, HINT_NODES).best)
    assert said.mistake is None


def test_the_computer_waits_until_its_move_is_found():
    training = Training(OPENING, 0, computer=True)
    assert not training.play(1_000_000)


def test_it_pauses_steps_and_goes_on():
    training = Training(OPENING, 0, computer=True)
    training.pause(0)
    thought_out(training)
    assert training.due_ms is None
    assert not training.play(1_000_000)
    training.step()
    assert training.play(0)
    assert not training.play(1_000_000)
    training.pause(7_000)
    assert training.due_ms == 7_000 + training.view(0).pace_ms


def test_its_pace_has_ends():
    training = Training(OPENING, 0, computer=True)
    paces = []
    for step in [1] * 6 + [-1] * 8:
        training.hurry(step)
        paces.append(training.view(0).pace_ms)
    assert (min(paces), max(paces), paces[-1]) == (PACES_MS[-1], PACES_MS[0], PACES_MS[0])


def test_who_plays_can_change_at_any_time_and_only_that_one_moves():
    training = Training(OPENING, 0, computer=True)
    assert not any(training.push(way, 0) for way in Direction)
    training.hand_over(0)
    assert training.view(0).running is False
    training.step()
    thought_out(training)
    assert not training.play(1_000_000)
    push(training, 1)
    training.hand_over(0)
    assert training.view(0).running


def test_the_computers_moves_are_not_the_players_costliest():
    training = Training(OPENING, 0, computer=True)
    for _ in range(30):
        training.step()
        while not training.play(0):
            training.think()
    assert training.costliest == ()


# ── a key waits for no thought ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", [4, 8])
def test_a_turn_of_the_loop_thinks_for_a_slice_and_hardly_more(size):
    training = Training(training_opening(size, "abc", b""), 0)
    push(training, 6)
    while training.view(0).judging:
        thoughts = [*(made.thought for made in training._unjudged if made.thought is not None), training.thought]
        before = sum(each.search.nodes for each in thoughts)
        training.think()
        assert sum(each.search.nodes for each in thoughts) - before <= SLICE_NODES + 7
