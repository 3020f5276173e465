"""client/hint_store.py and what hints do to bests: a game with help is apart, as one with undos is (rules 2.4, 2.6)."""

from dataclasses import replace
from pathlib import Path

import pytest

from client.best_store import BestStore, before_hints, open_pairs
from client.hint_store import HintStore
from client.solo_play import SoloPlay, Wanted
from client.solo_store import SoloStore
from engine.solo import Act
from protocol.solo import Origin, parse_solo
from tests.client.alone import FOX, SMALL, Played, legal, opening, with_key


@pytest.fixture
def store(tmp_path):
    return SoloStore(with_key(tmp_path))


def started(store):
    play = SoloPlay(store, Wanted(SMALL, Origin.TEXT, "alone"))
    play.prepare()
    return play


def moved(play, moves):
    for _ in range(moves):
        assert play.push(legal(play.game), 0)
    return play


# ── the notes ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_game_has_its_own_hints_in_the_order_of_its_acts(tmp_path):
    hints = HintStore(tmp_path)
    other = replace(opening(), begun_ms=1)
    hints.note(opening(), 7)
    hints.note(other, 3)
    hints.note(opening(), 2)
    assert (hints.of(opening()), hints.of(other)) == ([2, 7], [3])
    assert hints.of(opening(text="b")) == []


def test_where_there_are_no_notes_there_are_no_hints(tmp_path):
    assert HintStore(tmp_path / "none").all() == {}


@pytest.mark.parametrize(
    "torn", [b"", b"\n", b"rubbish\n", b"\xff\xfe\n", b"0" * 64, b"0" * 64 + b" 1", b"0" * 64 + b" x\n"]
)
def test_what_is_no_note_costs_no_other_one(tmp_path, torn):
    (tmp_path / "hints").write_bytes(torn)
    hints = HintStore(tmp_path)
    hints.note(opening(), 7)
    (tmp_path / "hints").write_bytes((tmp_path / "hints").read_bytes() + torn)
    hints.note(opening(), 8)
    assert hints.of(opening()) == [7, 8]


def test_a_disk_that_takes_no_note_stops_nobody(tmp_path):
    (tmp_path / "hints").mkdir()
    hints = HintStore(tmp_path)
    hints.note(opening(), 7)
    assert hints.of(opening()) == []


# ── what they do to bests ────────────────────────────────────────────────────────────────────────────────────────


def test_after_a_hint_nothing_more_counts_as_without_help(store):
    play = moved(started(store), 6)
    before = play.best()
    play.take_hint()
    moved(play, 8)
    assert play.best().score > before.score
    play.begin(SMALL, 0)
    play.leave(0)
    bests = BestStore(store)
    bests.catch_up(frozenset({FOX.key}))
    (pair,) = bests.bests.pairs.values()
    assert pair.clean == before
    assert pair.all.score > before.score


def test_an_undo_before_the_first_hint_counts_as_the_first_help(store):
    play = moved(started(store), 6)
    before = play.best()
    assert play.do(Act.UNDO, 0)
    moved(play, 3)
    play.take_hint()
    moved(play, 3)
    play.leave(0)
    ((_, pair),) = open_pairs(store)
    assert pair.clean == before


def test_a_target_made_before_the_first_hint_counts_and_one_after_it_does_not(store):
    for early in (True, False):
        play = started(store)
        if not early:
            play.take_hint()
        while play.game.solo.made is None:
            moved(play, 1)
        if early:
            play.take_hint()
        ((_, pair),) = open_pairs(store)
        assert (pair.clean.is_made, pair.all.is_made) == (early, True)
        play.begin(SMALL, 0)
        play.leave(0)


def test_a_killed_game_with_hints_is_still_one_when_it_is_resumed(store):
    play = moved(started(store), 6)
    before = play.best()
    play.take_hint()
    moved(play, 4)
    play.take_hint()
    play._save.release()  # the program is gone without a word
    again = SoloPlay(store, Wanted())
    again.prepare()
    assert again.hints == 2
    assert again.best().score == play.best().score
    moved(again, 1)
    again.leave(0)
    ((_, pair),) = open_pairs(store)
    assert pair.clean == before


def test_a_new_game_begins_without_hints(store):
    play = moved(started(store), 3)
    play.take_hint()
    play.begin(SMALL, 0)
    assert play.hints == 0
    moved(play, 3)
    play.leave(0)
    ((_, pair),) = open_pairs(store)
    assert pair.clean == pair.all


def test_a_hint_is_placed_by_acts_so_that_going_on_after_the_target_moves_nothing(store):
    play = started(store)
    while play.game.solo.made is None:
        moved(play, 1)
    moved(play, 1)  # two acts: that it goes on, and the move
    play.take_hint()
    record = parse_solo((store.directory / "game.r2048").read_bytes())
    assert HintStore(store.directory).of(record.opening) == [len(record.acts)]
    play.leave(0)


def test_notes_beyond_what_was_saved_count_from_its_end(store):
    played = Played(SMALL, 8)
    HintStore(store.directory.parent).note(played.game.opening, 99)
    record = parse_solo(played.data)
    found = before_hints(record, HintStore(Path(store.directory.parent)))
    assert found is not None
    assert found.score == played.game.solo.game.score
