"""client/ghost.py and ghost_words.py: recordings as rivals (rules 3.6, ux.md `--ghost`)."""

from dataclasses import replace

import pytest

from client.ghost import Figures, Ghost, race_course, race_ghost, solo_course, solo_ghost, usual_seat
from client.ghost_words import verdict_words
from client.solo_timeline import SoloTimeline
from client.timeline import open_timeline
from client.words import state_words
from engine.race import SeatState
from engine.solo import Made, SoloKind
from protocol.record import Record
from protocol.solo import Opening, Origin, parse_solo
from protocol.text import SafeText
from tests.client.alone import ENDLESS, SMALL, Played
from tests.protocol.races import stuck_race, target_race

STEPS = (Figures(0, 0, 1, 0), Figures(400, 4, 2, 1), Figures(1_900, 12, 3, 2), Figures(2_600, 28, 4, 3))
GHOST = Ghost(SafeText("hare"), computer=False, steps=STEPS, end_ms=2_600, state=SeatState.STUCK, made_ms=2_600)
VIEW = replace(Played(SMALL, 9).game.view(0), t_ms=0)


def solo(played):
    return solo_ghost(SoloTimeline(parse_solo(played.data)))


@pytest.mark.parametrize(("t_ms", "score"), [(0, 0), (999, 0), (1_000, 4), (1_950, 4), (2_000, 12), (2_599, 12)])
def test_figures_change_once_a_second_as_in_a_race(t_ms, score):
    assert GHOST.picture(1, t_ms).score == score


def test_its_end_is_shown_at_once_with_its_last_figures():
    picture = GHOST.picture(1, 2_600)
    assert (picture.score, picture.moves, picture.state, picture.done) == (28, 3, SeatState.STUCK, True)
    assert not GHOST.picture(1, 2_599).done


def test_one_that_only_stopped_is_called_finished():
    stopped = replace(GHOST, state=SeatState.MOVING)
    assert [state_words(stopped.picture(1, t_ms)) for t_ms in (2_599, 2_600)] == ["racing", "finished"]


def test_nobody_sees_a_ghosts_board():
    assert GHOST.picture(1, 3_000).board is None


def test_a_game_alone_is_a_ghost_with_its_undos_and_its_target():
    played = Played(SMALL)
    ghost = solo(played)
    assert played.game.solo.made is not None
    assert ghost.made_ms == played.game.solo.made.t_ms
    assert ghost.at(10**9).score == played.game.solo.game.score
    assert ghost.state is SeatState.STUCK
    assert solo(Played(SMALL, 5)).state is SeatState.MOVING


def test_the_course_of_a_game_alone_is_its_deck_and_what_it_was_about():
    record = parse_solo(Played(ENDLESS, 5).data)
    course = solo_course(record)
    assert (course.choice, course.deck) == (ENDLESS, record.opening.deck)


@pytest.mark.parametrize("made", [target_race(), stuck_race()], ids=["target", "stuck"])
def test_a_seat_of_a_race_plays_again_what_it_played_on_the_same_deck(made):
    record = Record.parse(made.record())
    timeline = open_timeline(record)
    course = race_course(record, timeline)
    opening = Opening(
        size=course.choice.size,
        kind=course.choice.kind,
        target_exponent=course.choice.target_exponent,
        origin=Origin.GHOST,
        deck=course.deck,
        key=bytes(32),
        name="fox",
    )
    assert parse_solo(opening.encode()).opening == opening
    assert opening.start().game.board == timeline.courses[0].board_after(0)
    for seat in range(len(timeline.players)):
        ghost = race_ghost(timeline, seat)
        last = timeline.at(timeline.end_ms).seats[seat]
        picture = ghost.picture(seat, timeline.end_ms)
        assert last is not None
        assert (picture.score, picture.moves, picture.state) == (last.score, last.moves, last.state)


def test_a_race_to_a_tile_is_a_classic_game_and_the_winner_the_usual_ghost():
    record = Record.parse(target_race().record())
    timeline = open_timeline(record)
    assert race_course(record, timeline).choice.kind is SoloKind.CLASSIC
    seat = usual_seat(timeline)
    assert timeline.outcome is not None
    assert timeline.outcome.winners == (seat,)
    assert race_ghost(timeline, seat).made_ms == timeline.outcome.t_ms


def won(t_ms):
    return replace(VIEW, made=Made(t_ms, 9, 0), t_ms=t_ms)


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (VIEW, ""),
        (won(2_599), "You have won the ghost race."),
        (won(2_600), "A dead heat with hare."),
        (won(64_600), "hare was 1:02 faster."),
        (replace(VIEW, t_ms=2_600), "hare has made 16 at 0:02 and won."),
        (replace(VIEW, stuck=True), "hare has made 16 at 0:02 and won."),
    ],
)
def test_who_makes_the_target_first_has_won(view, words):
    assert verdict_words(view, [GHOST]) == words


@pytest.mark.parametrize(
    ("score", "words"),
    [(29, "You have won the ghost race."), (28, "A draw with hare."), (27, "hare has won with 28 points.")],
)
def test_where_nobody_makes_a_target_the_score_decides_at_the_end(score, words):
    view = replace(VIEW, stuck=True, score=score)
    other = replace(GHOST, made_ms=None)
    assert verdict_words(view, [other]) == words
    assert verdict_words(replace(view, stuck=False), [other]) == ""
