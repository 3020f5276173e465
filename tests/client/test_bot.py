"""Computer players: how they choose, and their manners at the table."""

import argparse
from dataclasses import replace

import pytest

from client.actions import Again, Agree, Leave, Move, Refuse, Resign, SetReady
from client.bot import (
    AGAIN_MS,
    ALONE_MS,
    ANSWER_MS,
    CLUMSY,
    NAMES,
    RETRY_MS,
    STYLES,
    STYLES_BY_NAME,
    Answer,
    Hands,
    Part,
    Vanish,
)
from client.cli import bot, demo, parser_of
from client.cli.exits import USAGE, Failure
from client.link import LobbyAddress, Place
from client.view import GamePicture, Line, OfferPicture, SeatPicture, SessionView
from engine.board import SIZES, Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.race import Kind, SeatState
from protocol.messages import Phase, Role, TableSettings
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
    assert hands.decide(SEATING, 0) == SetReady()
    assert hands.decide(SEATING, 10) is None
    assert hands.deadline == RETRY_MS
    assert hands.decide(SEATING, RETRY_MS) == SetReady()


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


# ── a part to play ───────────────────────────────────────────────────────────────────────────────────────────────


def moved(moves, **changes):
    return replace(RACING, clock_ms=0, game=replace(GAME, moves=moves), **changes)


def test_who_plays_clumsy_is_stuck_sooner_than_everyone_else():
    def moves(style):
        game = Game(3, SoloDeck(seed_of_text("clumsy")))
        while (direction := style.choose(game.board)) is not None:
            game.move(direction)
        return game.moves

    assert moves(CLUMSY) < min(moves(style) for style in STYLES)


def test_it_moves_in_the_style_it_is_told():
    hands = Hands(4, Part(style=CLUMSY))
    hands.decide(RACING, 0)
    chosen = CLUMSY.choose(BOARD)
    assert chosen is not None
    assert chosen != STYLES[1].choose(BOARD)
    assert hands.decide(RACING, 250) == Move(chosen)


@pytest.mark.parametrize(
    ("part", "action"),
    [
        (Part(offer_after=7), Agree()),
        (Part(resign_after=7), Resign()),
        (Part(vanish_after=7), Vanish()),
    ],
)
def test_a_cue_is_taken_after_so_many_moves_and_once(part, action):
    hands = Hands(4, part)
    assert hands.decide(moved(6), 0) is None
    assert hands.decide(moved(7), 10) == action
    assert hands.decide(moved(7), 20) is None


def test_a_cue_that_was_passed_over_is_taken_all_the_same():
    assert Hands(4, Part(resign_after=7)).decide(moved(8), 0) == Resign()


def test_a_cue_before_the_first_move_is_taken_at_once():
    assert Hands(4, Part(resign_after=0)).decide(moved(0), 0) == Resign()


def test_it_offers_no_draw_while_another_offer_stands():
    hands = Hands(4, Part(offer_after=7, answer=Answer.REFUSE))
    assert hands.decide(moved(7, offer=OFFER), 0) is None
    assert hands.decide(moved(7, offer=OFFER), ANSWER_MS) == Refuse()
    assert hands.decide(moved(7), ANSWER_MS + 10) == Agree()


def test_who_has_vanished_comes_back_to_the_same_race_and_stays():
    hands = Hands(4, Part(vanish_after=7))
    hands.decide(moved(7), 0)
    hands.decide(SessionView(line=Line.CONNECTING), 500)
    hands.decide(moved(7), 1_000)
    assert isinstance(hands.decide(moved(7), 2_000), Move)


def test_it_takes_its_cues_again_in_the_next_race():
    hands = Hands(4, Part(resign_after=7))
    hands.decide(moved(7), 0)
    hands.decide(FINISHED, 1_000)
    assert hands.decide(moved(7), 2_000) == Resign()


def test_who_has_left_the_race_does_nothing_more():
    hands = Hands(4, Part(offer_after=0))
    resigned = replace(RACING, seats=(PERSON, replace(ME, state=SeatState.RESIGNED)))
    assert [hands.decide(resigned, now) for now in range(0, 2_000, 50)] == [None] * 40
    assert hands.deadline is None


def test_it_sits_still_after_so_many_moves():
    hands = Hands(4, Part(stop_after=7))
    hands.decide(moved(6), 0)
    assert isinstance(hands.decide(moved(6), 250), Move)
    assert [hands.decide(moved(7), now) for now in range(250, 3_000, 50)] == [None] * 55


@pytest.mark.parametrize(
    ("answer", "action"), [(Answer.AGREE, Agree()), (Answer.REFUSE, Refuse()), (Answer.NOTHING, None)]
)
@pytest.mark.parametrize("mine", [10, 500])
def test_it_answers_what_it_is_told_whether_it_leads_or_not(answer, action, mine):
    hands = Hands(4, Part(answer=answer))
    view = scored(mine, 100)
    assert hands.decide(view, 0) is None
    assert hands.decide(view, ANSWER_MS) == action


def test_who_answers_nothing_does_not_move_either_while_the_offer_stands():
    hands = Hands(10, Part(answer=Answer.NOTHING))
    hands.decide(RACING, 0)
    assert [hands.decide(scored(10, 500), now) for now in range(100, 20_000, 100)] == [None] * 199
    assert isinstance(hands.decide(RACING, 20_000), Move)


# ── on a beat ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_on_a_beat_it_waits_for_the_next_whole_multiple_since_the_start():
    hands = Hands(4, Part(beat_ms=40))
    view = replace(moved(2), clock_ms=95)
    assert hands.decide(view, 1_095) is None
    assert hands.deadline == 1_120
    assert isinstance(hands.decide(replace(view, clock_ms=120), 1_120), Move)


def test_on_a_beat_in_a_timed_race_the_clock_runs_down():
    hands = Hands(4, Part(beat_ms=40))
    timed = TableSettings(kind=Kind.TIMED, target_exponent=0, time_ms=5_000, idle_ms=0)
    assert hands.decide(replace(moved(2), settings=timed, clock_ms=4_905), 1_095) is None
    assert hands.deadline == 1_120


def test_on_a_beat_it_presses_once_for_each_move_however_late():
    hands = Hands(4, Part(beat_ms=40))
    late = replace(moved(2), clock_ms=1_000)
    assert isinstance(hands.decide(late, 1_000), Move)
    assert hands.decide(late, 1_001) is None
    assert isinstance(hands.decide(replace(moved(3), clock_ms=1_002), 1_002), Move)


# ── the flags of `race2048 bot` ──────────────────────────────────────────────────────────────────────────────────


def player(*flags):
    parser = argparse.ArgumentParser()
    bot.add_manner(parser, bot.PACE)
    lobby = LobbyAddress("127.0.0.1", 2_048)
    return bot.player_of(parser.parse_args(flags), lobby, Place(code="482913", lobby=lobby, pin="pin"))


def test_without_flags_it_just_plays():
    made = player()
    assert (made.url, made.code, made.pin, made.pace) == ("http://127.0.0.1:2048", "482913", "pin", 4)
    assert (made.part, made.return_after_s) == (Part(), None)
    assert made.name in NAMES


def test_every_flag_tells_it_a_part():
    flags = "--style clumsy --beat 40 --stop-after 9 --offer-after 1 --answer nothing --resign-after 2 --name fox"
    made = player(*flags.split(), "--vanish-after", "3", "--return-after", "0.5", "--pace", "10")
    assert made.part == Part(
        style=STYLES_BY_NAME["clumsy"],
        beat_ms=40,
        stop_after=9,
        offer_after=1,
        answer=Answer.NOTHING,
        resign_after=2,
        vanish_after=3,
    )
    assert (made.name, made.pace, made.return_after_s) == ("fox", 10, 0.5)


def test_each_player_has_a_key_of_its_own_and_keeps_it_when_it_comes_back():
    fox, hare = player("--name", "fox", "--beat", "40"), player()
    assert fox.signer.key != hare.signer.key
    assert fox.session().signer is fox.session().signer is fox.signer
    assert (fox.session().role, fox.session().beat_ms) == (Role.COMPUTER, 40)


@pytest.mark.parametrize(
    "flags",
    [
        ["--style", "wild"],
        ["--beat", "24"],
        ["--beat", "60001"],
        ["--beat", "x"],
        ["--stop-after", "-1"],
        ["--offer-after", "x"],
        ["--answer", "perhaps"],
        ["--resign-after", "-1"],
        ["--vanish-after", "-1"],
        ["--vanish-after", "1", "--return-after", "-1"],
        ["--vanish-after", "1", "--return-after", "nan"],
    ],
    ids=" ".join,
)
def test_flags_that_make_no_sense_are_usage(flags, capsys):
    with pytest.raises(SystemExit) as stop:
        player(*flags)
    assert stop.value.code == USAGE
    assert flags[-2] in capsys.readouterr().err


def test_only_who_vanishes_can_come_back():
    with pytest.raises(Failure, match="--vanish-after") as failure:
        player("--return-after", "1")
    assert failure.value.exit_code == USAGE


def test_a_name_that_cannot_be_used_is_usage():
    with pytest.raises(Failure, match="cannot be used as a name") as failure:
        player("--name", "\x1b")
    assert failure.value.exit_code == USAGE


def test_the_help_tells_of_every_flag():
    told = parser_of("bot").format_help()
    flags = ["name", "style", "beat", "stop-after", "offer-after", "answer", "resign-after", "vanish-after"]
    assert all(f"--{flag}" in told for flag in [*flags, "return-after", "pace", "level"])


async def test_a_demo_says_when_its_players_have_heard_nothing_of_the_lobby_for_a_minute(monkeypatch):
    async def play(_: object) -> tuple[SessionView, int]:
        return replace(RACING, line=Line.OVER), 0

    monkeypatch.setattr(demo, "play", play)
    lobby = LobbyAddress("127.0.0.1", 2_048)
    player = demo._player("heron", "", lobby, Place(code="482913", lobby=lobby, pin="pin"))
    with pytest.raises(Failure, match="The connection to the lobby was lost"):
        await demo._computer(player, lobby)
