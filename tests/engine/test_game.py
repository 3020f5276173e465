"""Tests of engine/game.py."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import SIZES, Board, Direction
from engine.deck import Chain, DealtDeck, Draw, LinkMissing, RaceDeck, SoloDeck
from engine.game import Game, IllegalMove, replay

UP, RIGHT, DOWN, LEFT = Direction
GOLDEN = json.loads((Path(__file__).parents[1] / "vectors" / "games.json").read_text())
LETTERS = dict(zip("URDL", Direction, strict=True))
CHAIN = Chain(b"i" * 16, b"l" * 32, 4)
MIX = b"m" * 32
seeds = st.binary(min_size=32, max_size=32)


class Dealt:
    """A deck of these draws."""

    def __init__(self, draws) -> None:
        self.draw_count = len(draws)
        self.draw = draws.__getitem__


def golden_id(case) -> str:
    return f"{case['size']}-{case['seed'][:8]}"


def figures(game: Game) -> tuple[object, ...]:
    return game.board, game.score, game.moves, game.fours, game.stuck, game.deck_used_up


def play(game: Game, wishes) -> list[Direction]:
    """Makes the moves wished for, and the next legal one when one is not; what was played."""
    played = []
    for wish in wishes:
        for direction in (Direction((wish + i) % 4) for i in range(4)):
            if game.move(direction) is not None:
                played.append(direction)
                break
    return played


@pytest.mark.parametrize("case", GOLDEN, ids=golden_id)
def test_games_go_as_in_the_golden_cases(case) -> None:
    game = Game(case["size"], SoloDeck(bytes.fromhex(case["seed"])))
    assert game.board == Board.of_faces(case["start"])
    marks = {mark["moves"]: mark for mark in case["marks"]}
    for letter in case["log"]:
        assert not game.stuck
        assert game.move(LETTERS[letter]) is not None
        mark = marks.pop(game.moves, None)
        if mark:
            assert (game.score, game.board) == (mark["score"], Board.of_faces(mark["board"]))
    assert marks == {}
    end = case["end"]
    assert (game.moves, game.score, 1 << game.max_exponent) == (end["moves"], end["score"], end["largest"])
    assert (game.stuck, game.board) == (end["stuck"], Board.of_faces(end["board"]))


@pytest.mark.parametrize("case", GOLDEN, ids=golden_id)
def test_replay_gives_the_game_that_was_played(case) -> None:
    deck = SoloDeck(bytes.fromhex(case["seed"]))
    game = replay(case["size"], deck, map(LETTERS.__getitem__, case["log"]))
    assert (game.score, game.board) == (case["end"]["score"], Board.of_faces(case["end"]["board"]))
    assert game.size == case["size"]


@given(st.sampled_from(SIZES), seeds, st.lists(st.integers(0, 3), max_size=200))
def test_replay_equals_play(size, seed, wishes) -> None:
    game = Game(size, SoloDeck(seed))
    played = play(game, wishes)
    assert figures(replay(size, SoloDeck(seed), played)) == figures(game)


@given(st.sampled_from(SIZES), seeds, st.lists(st.integers(0, 3), max_size=200))
def test_score_and_board_add_up(size, seed, wishes) -> None:
    game = Game(size, SoloDeck(seed))
    play(game, wishes)
    tiles = [exponent for exponent in game.board.cells if exponent]
    assert game.score == sum((exponent - 1) << exponent for exponent in tiles) - 4 * game.fours
    twos = game.moves + 2 - game.fours
    assert sum(1 << exponent for exponent in tiles) == 2 * twos + 4 * game.fours


@given(st.sampled_from(SIZES), seeds, st.lists(st.integers(0, 3), max_size=200))
def test_an_illegal_move_changes_nothing(size, seed, wishes) -> None:
    game = Game(size, SoloDeck(seed))
    play(game, wishes)
    for direction in set(Direction) - set(game.board.legal_directions()):
        before = figures(game)
        assert game.move(direction) is None
        assert figures(game) == before


def test_a_game_is_stuck_at_once_with_its_last_tile() -> None:
    case = GOLDEN[0]
    deck = SoloDeck(bytes.fromhex(case["seed"]))
    game = replay(case["size"], deck, map(LETTERS.__getitem__, case["log"]))
    assert game.stuck
    assert not game.deck_used_up
    assert [game.move(direction) for direction in Direction] == [None] * 4


def race_deck(links: int) -> RaceDeck:
    deck = RaceDeck(CHAIN.chain_id, CHAIN.anchor, MIX, CHAIN.length)
    deck.extend(links, CHAIN.link(links))
    return deck


@given(st.sampled_from(SIZES), seeds, st.lists(st.integers(0, 3), max_size=100), st.lists(st.integers(0, 3)))
def test_a_copy_goes_its_own_way(size, seed, wishes, more_wishes) -> None:
    game = Game(size, SoloDeck(seed))
    log = play(game, wishes)
    copy, before = game.copy(), figures(game)
    assert (figures(copy), copy.size, copy.max_exponent) == (before, game.size, game.max_exponent)
    log += play(copy, more_wishes)
    assert figures(game) == before
    assert figures(copy) == figures(replay(size, SoloDeck(seed), log))


@given(st.sampled_from(SIZES), seeds, st.lists(st.integers(0, 3), max_size=200))
def test_a_game_does_what_its_boards_do(size, seed, wishes) -> None:
    deck = SoloDeck(seed)
    game = Game(size, deck)
    board, score = game.board, 0
    for direction in play(game.copy(), wishes):
        slid = board.slide(direction)
        assert slid is not None
        board, points = slid
        board = board.spawn(*deck.draw(game.moves + 2))
        score += points
        assert game.move(direction) == points
        assert (game.board, game.score, game.stuck) == (board, score, board.stuck)
        assert game.max_exponent == board.max_exponent


def test_the_first_4_is_the_max_tile() -> None:
    deck = Dealt([Draw(1, 0), Draw(1, 1 << 63), Draw(2, 0), Draw(1, 0)])
    game = Game(4, deck)
    assert game.max_exponent == 1
    game.move(RIGHT)
    assert (game.max_exponent, game.fours) == (2, 1)


@pytest.mark.parametrize("size", [0, 2, 7])
def test_a_game_of_no_size_is_refused(size) -> None:
    with pytest.raises(ValueError, match=f"a board of size {size}: sizes are 3, 4, 5, 6, 8"):
        Game(size, SoloDeck(MIX))


def test_a_game_without_a_link_cannot_start() -> None:
    with pytest.raises(LinkMissing):
        Game(8, race_deck(0))


def test_a_move_whose_draw_is_not_known_changes_nothing_and_can_be_made_later() -> None:
    deck = race_deck(1)
    game = Game(8, deck)
    play(game, [0, 1, 2, 3, 0, 1])
    assert game.moves == 6
    before = figures(game)
    direction = game.board.legal_directions()[0]
    with pytest.raises(LinkMissing):
        game.move(direction)
    assert figures(game) == before
    deck.extend(2, CHAIN.link(2))
    assert game.move(direction) is not None


def test_an_illegal_move_draws_nothing_and_so_misses_no_link() -> None:
    game = Game(3, race_deck(1))
    play(game, [LEFT] * 6)
    illegal = set(Direction) - set(game.board.legal_directions())
    assert illegal
    assert [game.move(direction) for direction in illegal] == [None] * len(illegal)


def test_a_game_is_stuck_when_its_deck_is_used_up() -> None:
    game = Game(8, DealtDeck(CHAIN, MIX))
    last = 8 * CHAIN.length - 2
    play(game, [0, 1] * (last // 2 - 1) + [0])
    assert (game.moves, game.stuck, game.deck_used_up) == (last - 1, False, False)
    play(game, [1])
    assert (game.moves, game.stuck, game.deck_used_up) == (last, True, True)
    assert not game.board.stuck
    assert [game.move(direction) for direction in Direction] == [None] * 4


def test_an_illegal_move_in_a_replay_is_told_with_number_direction_and_board() -> None:
    case = GOLDEN[0]
    log = [LETTERS[letter] for letter in case["log"]]
    with pytest.raises(IllegalMove) as caught:
        replay(case["size"], SoloDeck(bytes.fromhex(case["seed"])), [*log, LEFT])
    board = Board.of_faces(case["end"]["board"])
    assert str(caught.value) == f"move 23, left, board {board}"
    assert (caught.value.move, caught.value.direction, caught.value.board) == (23, LEFT, board)


def test_a_game_that_is_resumed_goes_on_as_the_one_that_was_saved() -> None:
    deck = SoloDeck(bytes(32))
    game, order = Game(3, deck), 0
    while not game.stuck:
        saved = Game.resumed(deck, game.board, score=game.score, moves=game.moves, fours=game.fours)
        for name in ("size", "score", "moves", "fours", "max_exponent", "stuck", "deck_used_up"):
            assert getattr(saved, name) == getattr(game, name)
        assert saved.board == game.board
        direction = next(d for d in Direction if game.board.slide(d) is not None)
        assert saved.move(direction) == game.move(direction)
        assert saved.board == game.board
        order += 1
    again = Game.resumed(deck, game.board, score=game.score, moves=game.moves, fours=game.fours)
    assert again.stuck
    assert order == game.moves


def test_a_game_that_is_resumed_knows_that_its_deck_is_used_up() -> None:
    deck = DealtDeck(Chain(bytes(16), bytes(32), 1), bytes(32))
    game = Game(4, deck)
    while not game.stuck:
        game.move(next(d for d in Direction if game.board.slide(d) is not None))
    again = Game.resumed(deck, game.board, score=game.score, moves=game.moves, fours=game.fours)
    assert game.deck_used_up
    assert (again.stuck, again.deck_used_up) == (True, True)
