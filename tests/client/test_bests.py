"""client/bests.py: what counts as a best, of which games (rules 2.6; field-reports A05)."""

import pytest

from client.bests import (
    Best,
    Bests,
    BestsError,
    NewerBestsError,
    Pair,
    Sort,
    decode_bests,
    encode_bests,
    pair_of,
    sort_of,
)
from engine.solo import Act
from tests.client.alone import ENDLESS, SMALL, Played, opening

SORT = Sort(3, 1, 4, 2)


def test_games_are_compared_by_size_kind_target_and_deck():
    assert sort_of(opening()) == SORT
    assert sort_of(opening(ENDLESS)) != SORT


def test_a_game_without_undo_counts_in_both():
    played = Played(SMALL)
    pair = pair_of(played.game.solo)
    made = played.game.solo.made
    assert made is not None
    assert pair.clean == pair.all == Best(
        score=played.game.solo.game.score,
        max_exponent=played.game.solo.game.max_exponent,
        moves=made.moves,
        t_ms=made.t_ms,
    )  # fmt: skip


def test_after_an_undo_nothing_more_counts_as_without_one():
    played = Played(SMALL, 6)
    before = pair_of(played.game.solo).clean
    played.do(Act.UNDO)
    while played.game.solo.made is None:
        played.push()
    pair = pair_of(played.game.solo)
    assert pair.clean == before
    assert pair.all.is_made
    assert not pair.clean.is_made


def test_a_target_made_before_the_first_undo_counts_without():
    played = Played(SMALL, 6)
    while played.game.solo.made is None:
        played.push()
    played.do(Act.UNDO)
    assert pair_of(played.game.solo).clean.is_made


def test_the_best_of_two_is_the_best_of_each_figure():
    one, other = Best(score=10, max_exponent=5, moves=70, t_ms=900), Best(score=9, max_exponent=6, moves=80, t_ms=0)
    assert one.with_other(other) == Best(score=10, max_exponent=6, moves=70, t_ms=0)


def test_a_game_that_never_made_its_target_takes_no_record_of_speed():
    made = Best(score=1, max_exponent=4, moves=70, t_ms=900)
    assert made.with_other(Best(score=10, max_exponent=3)) == Best(score=10, max_exponent=4, moves=70, t_ms=900)


def test_each_record_is_counted_with_its_sort():
    bests = Bests()
    pair = pair_of(Played(SMALL).game.solo)
    bests.take("a.r2048", SORT, pair)
    bests.take("b.r2048", SORT, pair)
    assert bests.of(SORT).games == 2
    assert bests.counted == {"a.r2048", "b.r2048"}
    assert bests.of(SORT._replace(size=4)) == Pair()


def test_games_that_are_not_over_count_but_are_not_remembered():
    bests = Bests()
    pair = pair_of(Played(SMALL, 5).game.solo)
    assert bests.with_games([(SORT, pair)])[SORT].games == 1
    assert bests.of(SORT).games == 0


def test_bests_are_read_as_they_were_written():
    bests = Bests()
    bests.take("a.r2048", SORT, pair_of(Played(SMALL).game.solo))
    assert decode_bests(encode_bests(bests)) == bests


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"version": 1}',
        b'{"version": 1, "counted": [], "bests": [{"sort": [7, 1, 4, 2], "pair": {}}]}',
        b'{"version": 1, "counted": [], "bests": [{"sort": [3, 1, 40, 2], "pair": {}}]}',
        b'{"version": 1, "counted": [], "bests": [{"sort": [3, 9, 4, 2], "pair": {}}]}',
        b'{"version": 1, "counted": [], "bests": [{"sort": [3, 1, 4, 9], "pair": {}}]}',
    ],
)
def test_what_are_no_bests_is_refused(content):
    with pytest.raises(BestsError):
        decode_bests(content)


def test_bests_of_a_newer_program_are_told_apart():
    with pytest.raises(NewerBestsError):
        decode_bests(b'{"version": 2, "anything": 1}')
