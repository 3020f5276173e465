"""client/solo.py: the clock of a game alone, and what each act adds to its save."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.solo import TIME_MS_MAX, Choice, SoloGame, choice_of, targets_of, usual_choice
from engine.board import Direction
from engine.solo import Act, SoloKind
from protocol.replaying import played
from protocol.solo import Origin, parse_solo
from tests.client.alone import ENDLESS, SMALL, Played, legal, opening


def test_the_usual_choice_has_the_usual_target_and_an_endless_one_none():
    assert usual_choice(5, SoloKind.CLASSIC) == Choice(5, SoloKind.CLASSIC, 12)
    assert usual_choice(5, SoloKind.ENDLESS) == Choice(5, SoloKind.ENDLESS, 0)


def test_targets_go_from_8_to_the_largest_tile():
    assert (targets_of(3)[0], targets_of(3)[-1]) == (3, 10)


def test_the_clock_stands_until_the_first_move():
    game = SoloGame(opening())
    assert (game.t_ms(50_000), game.wait_ms(50_000)) == (0, None)
    game.push(legal(game), 60_000)
    assert game.t_ms(61_250) == 1_250
    assert game.wait_ms(61_250) == 750


def test_a_key_that_moves_nothing_starts_no_clock_and_saves_nothing():
    game = SoloGame(opening())
    while len(game.solo.game.board.legal_directions()) == 4:
        game.push(legal(game), 0)
    blocked = next(d for d in Direction if d not in game.solo.game.board.legal_directions())
    twin = SoloGame(game.opening, game.solo)
    assert twin.push(blocked, 9_000) == b""
    assert twin.wait_ms(9_000) is None


def test_the_clock_stands_while_the_program_is_left_and_until_the_next_move():
    game = SoloGame(opening())
    game.push(legal(game), 0)
    game.do(Act.LEFT_OFF, 4_000)
    assert game.t_ms(99_000) == 4_000
    game.push(legal(game), 100_000)
    assert game.t_ms(100_500) == 4_500


def test_the_clock_stands_when_the_game_is_stuck_and_runs_again_after_an_undo():
    played_out = Played(ENDLESS)
    game, t_ms = played_out.game, played_out.game.solo.t_ms
    assert game.t_ms(played_out.now_ms + 60_000) == t_ms
    assert game.do(Act.UNDO, played_out.now_ms + 60_000)
    game.push(legal(game), played_out.now_ms + 70_000)
    assert game.solo.t_ms == t_ms


def test_a_clock_never_goes_beyond_what_a_record_can_hold():
    game = SoloGame(opening())
    game.push(legal(game), 0)
    assert game.t_ms(TIME_MS_MAX + 5_000) == TIME_MS_MAX
    assert game.push(legal(game), TIME_MS_MAX + 5_000)


def test_a_clock_that_is_set_back_does_not_run_backwards():
    game = SoloGame(opening())
    game.push(legal(game), 10_000)
    assert game.push(legal(game), 4_000)
    assert game.solo.t_ms == 0


def test_the_banner_is_there_from_the_target_until_it_is_answered():
    game = SoloGame(opening())
    while not game.banner:
        game.push(legal(game), 0)
    assert game.view(0).banner
    assert game.do(Act.WENT_ON, 0)
    assert not game.view(0).banner
    assert game.do(Act.WENT_ON, 0) == b""


@pytest.mark.parametrize("answered", [True, False])
def test_a_resumed_game_tells_of_its_target_only_if_that_was_not_answered(answered):
    played_on = Played(SMALL, 0)
    while not played_on.game.banner:
        played_on.push()
    if answered:
        played_on.do(Act.WENT_ON)
    played_on.do(Act.UNDO)
    resumed = SoloGame(played_on.game.opening, played(parse_solo(played_on.data)))
    assert resumed.banner is not answered


def test_a_move_answers_the_banner_and_an_illegal_one_does_not():
    game = SoloGame(opening(replace(SMALL, target_exponent=3)))
    while not game.banner:
        game.push(legal(game), 0)
    entries = game.push(legal(game), 0)
    assert entries[0] == Act.WENT_ON
    assert len(entries) == 4


def test_a_game_before_its_first_move_or_without_a_move_left_loses_nothing_by_a_new_one():
    assert not SoloGame(opening()).is_unfinished
    assert Played(SMALL, 3).game.is_unfinished
    assert not Played(ENDLESS).game.is_unfinished


def test_the_picture_has_everything_of_the_game():
    game = Played(SMALL, 7).game
    view = game.view(0)
    assert (view.score, view.moves, view.board) == (game.solo.game.score, 7, game.solo.game.board)
    assert (view.choice, view.origin, view.text, view.undos_left) == (SMALL, Origin.TEXT, "alone", 5)
    assert choice_of(game.opening) == SMALL


@given(st.lists(st.integers(0, 8), max_size=60), st.integers(0, 30), st.integers(0, 59))
def test_saved_cut_off_and_resumed_it_is_the_same_game_as_it_was_at_that_entry(acts, seed, cut):
    """Sums, undo, draw number and clock through save and resume (rules 1.5, 2.4, 2.5)."""
    game = SoloGame(opening(text=f"resume/{seed}"))
    parts = [game.opening.encode()]
    states = [(game.solo.game.board, 0, 0, 0)]
    for number, code in enumerate(acts):
        act = list(Act)[code % 5]
        part = game.push(Direction(act - 1), 100 * number) if act <= Act.LEFT else game.do(act, 100 * number)
        if part:
            parts.append(part)
            states.append((game.solo.game.board, game.solo.game.score, game.solo.game.moves, game.solo.undos))
    cut = min(cut, len(parts) - 1)
    record = parse_solo(b"".join(parts[: cut + 1]) + b"\1")
    solo = played(record)
    assert (solo.game.board, solo.game.score, solo.game.moves, solo.undos) == states[cut]
    exponents = [exponent for exponent in solo.game.board.cells if exponent]
    assert solo.game.score == sum((e - 1) << e for e in exponents) - 4 * solo.game.fours


def test_a_resumed_game_goes_on_exactly_as_the_one_that_was_never_left():
    left = Played(SMALL, 30)
    resumed = SoloGame(left.game.opening, played(parse_solo(left.data)))
    for _ in range(20):
        direction = legal(left.game)
        left.push()
        resumed.push(direction, 0)
    assert resumed.solo.game.board == left.game.solo.game.board
    assert resumed.solo.undos_left == left.game.solo.undos_left
