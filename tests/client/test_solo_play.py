"""client/solo_play.py and best_store.py: which game is resumed, what becomes of the one before, and what is a best."""

import json
from pathlib import Path

import pytest

from client.best_store import BestStore, last_choice, open_pairs, remember_choice
from client.bests import decode_bests
from client.solo import Choice
from client.solo_play import SoloPlay, Tell, Wanted, wanted_choice
from client.solo_store import SoloStore
from engine.solo import Act, SoloKind
from protocol.solo import Origin, parse_solo
from protocol.solo_verdict import verify_solo
from tests.client.alone import ENDLESS, FOX, SMALL, Played, legal, with_key

OTHER = Choice(3, SoloKind.CLASSIC, 5)


@pytest.fixture
def store(tmp_path):
    return SoloStore(with_key(tmp_path))


def started(store, wanted=None):
    play = SoloPlay(store, Wanted(SMALL, Origin.TEXT, "alone") if wanted is None else wanted)
    play.prepare()
    return play


def moved(play, moves):
    for _ in range(moves):
        assert play.push(legal(play.game), 0)
    return play


def told(play):
    return [each.what for each in play.told]


def records(store):
    return sorted(store.games.iterdir())


def put(store, played, name="game"):
    store.games.mkdir(parents=True, exist_ok=True)
    (store.directory / f"{name}.r2048").write_bytes(played.data)


def test_a_new_game_is_written_with_the_players_key_and_name(store):
    play = started(store)
    assert play.game.opening.key == FOX.key
    assert play.game.opening.name
    assert parse_solo((store.directory / "game.r2048").read_bytes()).opening == play.game.opening
    play.leave(0)


def test_a_killed_game_is_resumed_without_a_word(store):
    put(store, Played(SMALL, 9))
    play = started(store, Wanted())
    assert (play.game.solo.game.moves, told(play), play.offered) == (9, [], None)
    play.leave(0)


def test_a_game_that_was_left_is_signed_and_resumed(store):
    moved(started(store), 4).leave(700)
    assert verify_solo((store.directory / "game.r2048").read_bytes()).unsigned == 0
    play = started(store)
    assert play.game.solo.game.moves == 4
    play.leave(0)


def test_a_game_in_which_nothing_was_done_leaves_nothing(store):
    started(store).leave(0)
    assert list(store.directory.glob("*.r2048")) == []
    assert records(store) == []


def test_a_stuck_game_that_is_left_is_over_and_among_the_records(store):
    play = started(store, Wanted(ENDLESS, Origin.TEXT, "alone"))
    while not play.game.solo.game.stuck:
        moved(play, 1)
    play.leave(0)
    (record,) = records(store)
    assert play.finished == [str(record)]
    assert record.name.endswith("-3x3-endless-text.r2048")
    verdict = verify_solo(record.read_bytes())
    assert (verdict.ok, verdict.unsigned) == (True, 0)


def test_a_stuck_game_of_a_killed_program_is_still_there_and_can_be_taken_back(store):
    put(store, Played(ENDLESS))
    play = started(store, Wanted())
    assert play.game.solo.game.stuck
    assert play.do(Act.UNDO, 0)
    play.leave(0)


def test_another_game_than_the_unfinished_one_is_only_offered(store):
    put(store, Played(SMALL, 9))
    play = started(store, Wanted(OTHER))
    assert play.offered == OTHER
    assert play.game.solo.game.moves == 9
    play.go_on()
    assert play.offered is None
    play.leave(0)
    assert records(store) == []


def test_who_takes_the_offer_gets_the_new_game_and_the_old_one_is_a_record(store):
    put(store, Played(SMALL, 9))
    play = started(store, Wanted(OTHER, Origin.TEXT, "another"))
    play.begin(OTHER, 0)
    assert (play.game.opening.target_exponent, play.game.opening.text, play.game.solo.game.moves) == (5, "another", 0)
    (record,) = records(store)
    verdict = verify_solo(record.read_bytes())
    assert verdict.ok
    assert verdict.solo is not None
    assert verdict.solo.ended
    moved(play, 2).leave(0)
    assert parse_solo((store.directory / "game.r2048").read_bytes()).opening.text == "another"


@pytest.mark.parametrize("moves", [0, 10_000])
def test_nobody_is_asked_about_a_game_that_has_not_begun_or_has_no_move_left(store, moves):
    put(store, Played(ENDLESS, moves))
    play = started(store, Wanted(OTHER))
    assert (play.offered, play.game.opening.target_exponent, play.game.solo.game.moves) == (None, 5, 0)
    play.leave(0)


def test_a_game_that_was_ended_but_not_put_away_is_put_away_now(store):
    played = Played(SMALL, 5)
    played.do(Act.ENDED)
    put(store, played)
    play = started(store, Wanted())
    assert play.game.solo.game.moves == 0
    assert len(records(store)) == 1
    play.leave(0)


def test_new_asks_about_the_very_same_game_too(store):
    put(store, Played(SMALL, 9))
    play = started(store, Wanted(SMALL, Origin.TEXT, "alone", new=True))
    assert play.offered == SMALL
    play.leave(0)


def test_a_chosen_deck_is_resumed_only_if_it_is_the_same(store):
    put(store, Played(SMALL, 9))
    play = started(store, Wanted(None, Origin.TEXT, "another"))
    assert play.offered is not None
    play.leave(0)


def test_the_daily_game_has_a_save_of_its_own_and_the_same_deck_for_everyone(store):
    put(store, Played(SMALL, 9))
    play = started(store, Wanted(SMALL, Origin.DAILY, "2026-11-30"))
    assert play.game.opening.text == "daily/2026-11-30/3"
    assert (play.offered, play.game.solo.game.moves) == (None, 0)
    moved(play, 2).leave(0)
    next_day = started(store, Wanted(SMALL, Origin.DAILY, "2026-12-01"))
    assert next_day.offered == SMALL
    next_day.leave(0)
    assert len(parse_solo((store.directory / "game.r2048").read_bytes()).acts) == 9


def test_a_ghost_race_is_on_the_ghosts_deck_and_without_undo(store):
    deck = Played(SMALL).game.opening.deck
    play = started(store, Wanted(SMALL, Origin.GHOST, deck=deck))
    assert play.is_on_wanted_deck
    moved(play, 2)
    assert not play.do(Act.UNDO, 0)
    play.leave(0)
    again = started(store, Wanted(SMALL, Origin.GHOST, deck=bytes(32)))
    assert not again.is_on_wanted_deck
    again.leave(0)


def test_a_game_open_in_another_terminal_is_told_of_and_left_alone(store):
    first = moved(started(store), 3)
    second = started(store)
    assert Tell.BUSY in told(second)
    assert second.game.solo.game.moves == 0
    moved(second, 1)
    second.leave(0)
    moved(first, 1).leave(0)
    assert started(store).game.solo.game.moves == 4


def test_a_damaged_save_is_told_of_with_its_new_place(store):
    put(store, Played(SMALL, 9))
    (store.directory / "game.r2048").write_bytes(b"solo2048\1rubbish")
    play = started(store)
    (each,) = play.told
    assert each.what is Tell.DAMAGED
    assert Path(each.detail).read_bytes() == b"solo2048\1rubbish"
    play.leave(0)


def test_where_nothing_can_be_saved_play_goes_on_and_it_is_told_once(tmp_path):
    (tmp_path / "data").write_text("a file in the place of the directory")
    play = SoloPlay(SoloStore(tmp_path / "data"), Wanted(SMALL, Origin.TEXT, "alone"))
    play.prepare()
    moved(play, 5)
    assert told(play) == [Tell.UNSAVED]
    assert play.unsaved
    play.begin(OTHER, 0)
    moved(play, 5)
    assert told(play) == [Tell.UNSAVED]
    play.leave(0)


def test_a_disk_that_is_full_for_a_while_costs_nothing_but_a_word(store, monkeypatch):
    play = moved(started(store), 3)
    with monkeypatch.context() as patch:
        patch.setattr("client.solo_store.os.write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
        moved(play, 3)
        assert (told(play), play.unsaved) == ([Tell.UNSAVED], "No space left")
    moved(play, 1)
    assert told(play) == [Tell.UNSAVED, Tell.SAVED_AGAIN]
    assert len(parse_solo((store.directory / "game.r2048").read_bytes()).acts) == 7
    play.leave(0)


def test_a_key_that_is_gone_leaves_a_game_unsigned(store):
    played = Played(SMALL, 5)
    (store.data / "keys" / "1.key").write_bytes(bytes(32))
    put(store, played)
    moved(started(store), 1).leave(0)
    verdict = verify_solo((store.directory / "game.r2048").read_bytes())
    assert (verdict.ok, verdict.unsigned) == (True, 7)


def test_where_nothing_can_be_written_the_saved_game_is_still_played_on(store, monkeypatch):
    put(store, Played(SMALL, 9))
    content = (store.directory / "game.r2048").read_bytes()
    monkeypatch.setattr("client.solo_store.os.open", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only")))
    play = started(store, Wanted())
    assert (play.game.solo.game.moves, told(play), play.unsaved) == (9, [Tell.UNSAVED], "Read-only")
    moved(play, 2).leave(0)
    assert (store.directory / "game.r2048").read_bytes() == content


def test_again_after_another_ghost_race_was_kept_is_about_what_the_ghosts_race_for(store):
    started(store, Wanted(SMALL, Origin.GHOST, deck=bytes(32))).leave(0)
    moved(started(store, Wanted(SMALL, Origin.GHOST, deck=bytes(32))), 3).leave(0)
    play = started(store, Wanted(OTHER, Origin.GHOST, deck=bytes(31) + b"x"))
    play.go_on()
    play.begin(SMALL, 0)
    assert play.game.opening.target_exponent == OTHER.target_exponent
    play.leave(0)


# ── bests and the last choice ────────────────────────────────────────────────────────────────────────────────────


def test_a_best_counts_however_the_game_ended_and_while_it_runs(store):
    play = moved(started(store), 20)
    score = play.game.solo.game.score
    assert play.best().score == score
    play.begin(SMALL, 0)
    assert play.best().score == score
    play.bests.catch_up(frozenset({FOX.key}))
    assert play.best().score == score
    assert [pair.games for pair in play.bests.bests.pairs.values()] == [1]
    play.leave(0)


def test_the_best_of_a_game_that_cannot_be_saved_counts_while_the_program_runs(tmp_path):
    (tmp_path / "solo").write_bytes(b"")  # no directory
    play = moved(started(SoloStore(tmp_path)), 20)
    score = play.game.solo.game.score
    play.begin(SMALL, 0)
    assert play.best().score == score
    play.leave(0)


def test_a_game_that_just_ended_is_counted_once_by_whoever_counts(store):
    play = moved(started(store), 20)
    play.begin(SMALL, 0)
    (record,) = records(store)
    play.bests.count(record.name, *next(iter(play.bests.bests.pairs.items())))
    other = BestStore(store)
    other.catch_up(frozenset({FOX.key}))
    assert [pair.games for pair in other.bests.pairs.values() or play.bests.bests.pairs.values()] == [1]
    play.leave(0)


def test_the_best_shown_is_without_undo_until_there_is_one(store):
    play = moved(started(store), 20)
    clean = play.best()
    assert play.do(Act.UNDO, 0)
    moved(play, 1)
    assert play.best().score >= clean.score
    assert play.game.solo.undos == 1
    play.leave(0)


def test_a_killed_game_that_is_never_resumed_still_counts(store):
    played = Played(SMALL, 20)
    put(store, played)
    ((_, pair),) = open_pairs(store)
    assert pair.clean.score == played.game.solo.game.score


def test_only_true_records_of_ones_own_are_counted_and_each_once(store):
    own, other = Played(SMALL, 30), Played(SMALL, 40, "b")
    store.games.mkdir(parents=True)
    (store.games / "own.r2048").write_bytes(own.sealed())
    (store.games / "false.r2048").write_bytes(own.data + b"\5\0" * 9)
    (store.games / "rubbish.r2048").write_bytes(b"rubbish")
    bests = BestStore(store)
    bests.catch_up(frozenset({FOX.key}))
    bests.catch_up(frozenset({FOX.key}))
    (store.games / "other.r2048").write_bytes(other.sealed())
    bests.catch_up(frozenset({bytes(32)}))
    assert [pair.games for pair in bests.bests.pairs.values()] == [1]
    assert decode_bests(bests.path.read_bytes()) == bests.bests


def test_damaged_bests_are_kept_and_counted_anew_from_the_records(store):
    store.games.mkdir(parents=True)
    own = Played(SMALL, 30)
    (store.games / "own.r2048").write_bytes(own.sealed())
    (store.directory / "bests.json").write_bytes(b'{"version": 1, "cou')
    play = started(store)
    assert told(play) == [Tell.BESTS]
    assert play.best().score == own.game.solo.game.score
    assert (store.directory / "bests.json.damaged").read_bytes() == b'{"version": 1, "cou'
    play.leave(0)


def test_bests_of_a_newer_program_are_left_alone(store):
    store.games.mkdir(parents=True)
    (store.games / "own.r2048").write_bytes(Played(SMALL, 30).sealed())
    (store.directory / "bests.json").write_bytes(b'{"version": 9}')
    started(store).leave(0)
    assert (store.directory / "bests.json").read_bytes() == b'{"version": 9}'


def test_the_last_choice_is_remembered_and_rubbish_is_the_usual_game(store):
    store.games.mkdir(parents=True)
    assert last_choice(store) == Choice()
    remember_choice(store, OTHER)
    assert last_choice(store) == OTHER
    for content in ("", "[]", json.dumps({"size": 7, "kind": 1, "target_exponent": 4}), '{"size":4,"kind":7}'):
        (store.directory / "choice.json").write_text(content)
        assert last_choice(store) == Choice()


def test_a_new_game_of_chance_is_the_last_choice_and_one_of_a_chosen_deck_is_not(store):
    started(store, Wanted(OTHER)).leave(0)
    started(store).leave(0)
    assert last_choice(store) == OTHER


@pytest.mark.parametrize(
    ("size", "kind", "exponent", "choice"),
    [
        (None, None, None, None),
        (5, None, None, Choice(5, SoloKind.CLASSIC, 12)),
        (None, SoloKind.ENDLESS, None, Choice(3, SoloKind.ENDLESS, 0)),
        (None, None, 9, Choice(3, SoloKind.CLASSIC, 9)),
        (4, SoloKind.CLASSIC, 9, Choice(4, SoloKind.CLASSIC, 9)),
    ],
)
def test_what_is_not_said_is_as_last_time(size, kind, exponent, choice):
    assert wanted_choice(OTHER, size, kind, exponent) == choice
