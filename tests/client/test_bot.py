"""Computer players: how they choose, and their manners at the table."""

from dataclasses import replace

import pytest

from client.actions import Again, Agree, Leave, Move, Refuse, ToggleReady
from client.bot import AGAIN_MS, ALONE_MS, ANSWER_MS, NAMES, RETRY_MS, STYLES, Hands
from client.view import GamePicture, Line, OfferPicture, SeatPicture, SessionView
from engine.board import SIZES, Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.race import SeatState
from protocol.messages import Phase
from protocol.text import SafeText, judge_name

BOARD = Board.parse("2 2 . . / . . . . / . . . . / . . . .")
PERSON = SeatPicture(seat=0, name=SafeText("fox"), you=False, host=True, computer=False, connected=True, ready=True)
ME = replace(PERSON, seat=1, name=SafeText("heron"), you=True, host=False, computer=True)
GAME = GamePicture(
    board=BOARD, score=0, moves=0, max_exponent=1, stuck=False, deck_used_up=False, unconfirmed=0, waiting=False
)
SEATING = SessionView(line=Line.ONLINE, phase=Phase.SEATING, seats=(PERSON, replace(ME, ready=False)), my_seat=1)
RACING = replace(SEATING, phase=Phase.RACING, seats=(PERSON, ME), game=GAME)
FINISHED = replace(RACING, phase=Phase.FINISHED)
OFFER = OfferPicture(by_seat=0, by_name=PERSON.name, by_you=False, agreed=False, lapse_ms=30_000)


def played(style, moves, text="style"):
    game = Game(4, SoloDeck(seed_of_text(text)))
    for _ in range(moves):
        direction = style.choose(game.board)
        if direction is None:
            break
        assert game.move(direction) is not None, "a chosen move is legal"
    return game


# ── choosing ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_players_on_the_same_deck_have_different_boards():
    boards = [played(style, 30).board for style in STYLES]
    assert len(set(boards)) == len(STYLES) == 4


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_a_style_chooses_the_same_every_time(style):
    assert played(style, 40).board == played(style, 40).board


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_every_style_makes_128_on_a_usual_deck(style):
    assert played(style, 1_000).max_exponent >= 7


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize("size", SIZES)
def test_every_style_plays_on_every_size(style, size):
    board = Board.empty(size).spawn(1, 0).spawn(1, 1 << 63)
    assert style.choose(board) in board.legal_directions()


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_a_stuck_board_has_no_choice(style):
    assert style.choose(Board.parse("2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 2")) is None


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_one_of_the_few_legal_moves_of_a_crowded_board_is_chosen(style):
    assert style.choose(Board.parse("2 4 8 / 4 8 16 / 8 16 .")) in (Direction.RIGHT, Direction.DOWN)


def test_their_names_are_usable():
    assert [judge_name(name) for name in NAMES] == list(NAMES)


# ── between races ────────────────────────────────────────────────────────────────────────────────────────────────


def test_it_readies_by_itself_and_presses_only_once_while_the_answer_is_on_its_way():
    hands = Hands(4)
    assert hands.decide(SEATING, 0) == ToggleReady()
    assert hands.decide(SEATING, 10) is None
    assert hands.deadline == RETRY_MS
    assert hands.decide(SEATING, RETRY_MS) == ToggleReady()


def test_who_is_ready_does_nothing():
    assert Hands(4).decide(replace(SEATING, seats=(PERSON, ME)), 0) is None


def test_it_wants_another_race_after_a_look_at_the_result():
    hands = Hands(4)
    assert hands.decide(FINISHED, 0) is None
    assert hands.deadline == AGAIN_MS
    assert hands.decide(FINISHED, AGAIN_MS) == Again()


def test_it_asks_for_another_race_once():
    wants = replace(FINISHED, seats=(PERSON, replace(ME, wants_again=True)))
    assert Hands(4).decide(wants, AGAIN_MS) is None


def test_it_does_nothing_before_it_is_welcomed():
    assert Hands(4).decide(SessionView(line=Line.CONNECTING), 0) is None


def test_it_leaves_when_there_is_no_seat_for_it_and_says_why():
    hands = Hands(4)
    unseated = replace(SEATING, seats=(PERSON, PERSON), my_seat=None)
    assert hands.decide(unseated, 0) is None
    assert hands.decide(replace(unseated, notice="full"), 1) == Leave()
    assert hands.refusal == "full"


def test_it_leaves_without_a_reason_if_none_comes():
    hands = Hands(4)
    unseated = replace(SEATING, my_seat=None)
    assert hands.decide(unseated, 0) is None
    assert hands.deadline == RETRY_MS
    assert hands.decide(unseated, RETRY_MS) == Leave()
    assert hands.refusal == "not-seated"


@pytest.mark.parametrize(
    "alone",
    [
        replace(SEATING, seats=(None, ME)),
        replace(SEATING, seats=(replace(PERSON, computer=True), ME)),
        replace(SEATING, seats=(replace(PERSON, connected=False), ME)),
        replace(SEATING, seats=(PERSON, ME), line=Line.LOST),
        replace(FINISHED, seats=(None, replace(ME, wants_again=True))),
        replace(RACING, line=Line.LOST, game=replace(GAME, waiting=True)),
    ],
    ids=["nobody", "computers", "away", "no-line", "after-a-race", "no-line-in-a-race"],
)
def test_it_leaves_after_a_minute_without_a_person(alone):
    hands = Hands(4)
    assert hands.decide(alone, 0) is None
    assert hands.deadline == ALONE_MS
    assert hands.decide(alone, ALONE_MS) == Leave()


def test_a_person_who_comes_back_is_waited_for_anew():
    hands = Hands(4)
    alone = replace(SEATING, seats=(None, ME))
    hands.decide(alone, 0)
    hands.decide(replace(SEATING, seats=(PERSON, ME)), ALONE_MS - 1)
    assert hands.decide(alone, ALONE_MS) is None


def test_it_does_not_leave_while_somebody_watches():
    hands = Hands(4)
    watched = replace(SEATING, seats=(None, ME), watchers=1)
    hands.decide(watched, 0)
    assert hands.decide(watched, ALONE_MS) is None


def test_it_plays_a_race_to_its_end_though_nobody_is_left():
    hands = Hands(4)
    deserted = replace(RACING, seats=(replace(PERSON, connected=False), ME))
    hands.decide(deserted, 0)
    assert isinstance(hands.decide(deserted, ALONE_MS), Move)


def test_it_is_awake_when_the_countdown_ends():
    hands = Hands(4)
    assert hands.decide(replace(RACING, phase=Phase.COUNTDOWN, countdown_ms=1_500, game=None), 100) is None
    assert hands.deadline == 1_600


# ── in a race ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_it_moves_at_its_pace():
    hands = Hands(4)
    moved = [now for now in range(0, 2_001, 10) if hands.decide(RACING, now) is not None]
    assert moved == list(range(250, 2_001, 250))


def test_it_asks_to_be_called_when_the_next_move_is_due():
    hands = Hands(4)
    hands.decide(RACING, 1_000)
    assert hands.deadline == 1_250


def test_a_small_delay_does_not_slow_it_down():
    hands = Hands(10)
    hands.decide(RACING, 0)
    assert isinstance(hands.decide(RACING, 130), Move)
    assert isinstance(hands.decide(RACING, 200), Move)


def test_what_was_missed_in_a_long_delay_is_not_rushed_after():
    hands = Hands(10)
    hands.decide(RACING, 0)
    moves = [hands.decide(RACING, 10_000) for _ in range(10)]
    assert sum(move is not None for move in moves) <= 4


def test_it_moves_in_the_style_of_its_seat():
    hands = Hands(4)
    hands.decide(RACING, 0)
    chosen = STYLES[1].choose(BOARD)
    assert chosen is not None
    assert hands.decide(RACING, 250) == Move(chosen)


@pytest.mark.parametrize("change", [{"stuck": True}, {"waiting": True}])
def test_it_does_not_move_when_it_cannot(change):
    hands = Hands(4)
    still = replace(RACING, game=replace(GAME, **change))
    hands.decide(still, 0)
    assert hands.decide(still, 1_000) is None


def scored(mine, theirs):
    seats = (replace(PERSON, score=theirs), replace(ME, score=mine))
    return replace(RACING, seats=seats, game=replace(GAME, score=mine), offer=OFFER)


@pytest.mark.parametrize(("mine", "theirs", "answer"), [(10, 500, Agree()), (500, 10, Refuse()), (8, 8, Agree())])
def test_it_agrees_to_a_draw_unless_it_leads(mine, theirs, answer):
    hands = Hands(4)
    assert hands.decide(scored(mine, theirs), 0) is None
    assert hands.decide(scored(mine, theirs), ANSWER_MS) == answer


def test_it_does_not_move_while_it_thinks_about_an_offer():
    hands = Hands(10)
    hands.decide(RACING, 0)
    answers = [hands.decide(scored(10, 500), now) for now in range(100, 100 + ANSWER_MS, 50)]
    assert set(answers) == {None}


def test_it_plays_on_while_others_think_about_an_offer_it_has_agreed_to():
    hands = Hands(4)
    agreed = replace(RACING, offer=replace(OFFER, agreed=True))
    hands.decide(agreed, 0)
    assert isinstance(hands.decide(agreed, 250), Move)


def test_it_answers_an_offer_once_and_plays_on():
    hands = Hands(4)
    hands.decide(scored(500, 10), 0)
    assert hands.decide(scored(500, 10), ANSWER_MS) == Refuse()
    later = [hands.decide(scored(500, 10), now) for now in range(ANSWER_MS + 1, ANSWER_MS + 1_000, 50)]
    assert any(isinstance(action, Move) for action in later)
    assert Refuse() not in later


def test_it_answers_the_next_offer_too():
    hands = Hands(4)
    hands.decide(scored(500, 10), 0)
    hands.decide(scored(500, 10), ANSWER_MS)
    hands.decide(replace(scored(500, 10), offer=None), ANSWER_MS + 10)
    hands.decide(scored(500, 10), 20_000)
    assert hands.decide(scored(500, 10), 20_000 + ANSWER_MS) == Refuse()


def test_the_score_of_who_has_left_the_race_does_not_count():
    left = replace(scored(10, 500), seats=(replace(PERSON, score=500, state=SeatState.RESIGNED), replace(ME, score=10)))
    hands = Hands(4)
    hands.decide(left, 0)
    assert hands.decide(left, ANSWER_MS) == Refuse()


def test_a_stuck_player_answers_too():
    hands = Hands(4)
    stuck = replace(scored(10, 500), game=replace(GAME, score=10, stuck=True))
    hands.decide(stuck, 0)
    assert hands.decide(stuck, ANSWER_MS) == Agree()
