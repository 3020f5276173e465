"""Computer players of a named strength: what they choose, and that thinking holds nothing up."""

from dataclasses import replace

import pytest

from client.actions import Move
from client.bot import Hands, Part, Style
from client.cli import bot, demo, host, parser_of
from client.level import LEVELS, LEVELS_BY_NAME, SLICE_NODES, Level, Thought
from engine.board import SIZES, Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from tests.client.test_bot import GAME, OFFER, RACING, player, scored

BEGINNER, CASUAL, SKILLED, MASTER = LEVELS
DEEP = Level("deep", 400, 0)  # thinks in many slices
STUCK = Board.parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 2")


def thought(board, level, seat=0):
    found = Thought(board, level, seat)
    while not found.go_on():
        pass
    return found.move


def played(level, moves, text, seat=0):
    game = Game(4, SoloDeck(seed_of_text(text)))
    while game.moves < moves and not game.board.stuck:
        direction = thought(game.board, level, seat)
        assert direction is not None
        assert game.move(direction) is not None, "a chosen move is legal"
    return game


def racing(hands, board):
    """Plays the first move at once; returns the picture of a race on this board."""
    view = replace(RACING, game=replace(GAME, board=board))
    hands.decide(view, 0)
    return view


# ── choosing ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_a_level_chooses_the_same_every_time(level):
    assert played(level, 40, "level").board == played(level, 40, "level").board


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_players_of_one_level_on_the_same_deck_have_different_boards(level):
    assert len({played(level, 60, "level", seat).board for seat in range(4)}) == 4


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize("size", SIZES)
def test_every_level_plays_on_every_size(level, size):
    board = Board.empty(size).spawn(1, 0).spawn(1, 1 << 63)
    assert thought(board, level) in board.legal_directions()


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_a_stuck_board_has_no_choice(level):
    assert thought(STUCK, level) is None


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize("seat", range(4))
def test_an_only_move_is_made_whoever_slips(level, seat):
    assert thought(Board.parse(". 2 4 / . 4 8 / . 8 4"), level, seat) is Direction.LEFT


@pytest.mark.parametrize("level", [CASUAL, SKILLED], ids=lambda level: level.name)
def test_who_slips_less_scores_more(level):
    """The long measurement is bench/solver.py's."""
    assert sum(played(level, 500, f"lasting {n}").score for n in range(4)) > 1.3 * sum(
        played(BEGINNER, 500, f"lasting {n}").score for n in range(4)
    )


# ── at the table ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_it_thinks_in_slices_and_lets_everything_else_come_between():
    hands = Hands(1_000, Part(level=DEEP))
    view = racing(hands, GAME.board)
    slices = 0
    while (action := hands.decide(view, 1)) is None:
        assert hands.deadline == 1
        slices += 1
    assert isinstance(action, Move)
    assert slices > 3


def test_a_slice_is_short():
    found = Thought(GAME.board, DEEP, 0)
    found.go_on()
    assert found._search.nodes <= SLICE_NODES + 8


def test_who_is_done_thinking_waits_until_the_move_is_due():
    hands = Hands(4, Part(level=CASUAL))
    view = racing(hands, GAME.board)
    assert hands.decide(view, 100) is None
    assert hands.deadline == 250
    assert hands.decide(view, 250) == Move(thought(GAME.board, CASUAL, 1))


def test_it_thinks_about_the_board_it_has():
    hands = Hands(4, Part(level=CASUAL))
    racing(hands, GAME.board)
    other = Board.parse("4 . . . / 2 . . . / 8 . . . / 2 . 2 .")
    view = replace(RACING, game=replace(GAME, board=other))
    assert hands.decide(view, 250) == Move(thought(other, CASUAL, 1))


def test_on_a_beat_it_has_thought_before_it_is_due():
    hands = Hands(4, Part(level=CASUAL, beat_ms=100))
    view = replace(RACING, clock_ms=50)
    assert hands.decide(view, 50) is None
    assert hands.deadline == 100
    assert hands.decide(replace(view, clock_ms=100), 100) == Move(thought(GAME.board, CASUAL, 1))


def test_it_answers_an_offer_before_it_thinks_on():
    hands = Hands(1_000, Part(level=DEEP))
    view = replace(scored(10, 500), offer=OFFER)
    assert hands.decide(view, 0) is None
    assert hands.deadline is not None
    assert hands.deadline > 0, "it waits, and does not think"


def test_a_style_counts_more_than_a_level():
    always_up = Style("up", (Direction.UP,), lambda board, points: 0)
    hands = Hands(4, Part(level=MASTER, style=always_up))
    view = racing(hands, GAME.board)
    assert thought(GAME.board, MASTER, 1) is not None
    assert hands.decide(view, 250) is None, "up is illegal"


# ── the commands ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", LEVELS_BY_NAME)
def test_the_level_that_is_asked_for_plays(name):
    assert player("--level", name).part == Part(level=LEVELS_BY_NAME[name])


@pytest.mark.parametrize("command", ["bot", "host"])
def test_usually_they_are_casual_and_move_at_a_human_pace(command):
    words = ["482913"] if command == "bot" else []
    options = parser_of(command).parse_args(words)
    assert (options.level, options.pace) == (bot.LEVEL, 4)
    assert bot.LEVEL in LEVELS_BY_NAME


@pytest.mark.parametrize("module", [bot, host, demo])
def test_the_help_names_every_level(module):
    told = parser_of(module.__name__.rpartition(".")[2]).format_help()
    assert all(name in told for name in LEVELS_BY_NAME)
