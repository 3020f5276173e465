"""client/solo_store.py: saves that survive anything, and files that are never overwritten (field-reports A08)."""

import os
from pathlib import Path

import pytest

from client.solo_store import SoloStore, Trouble, put_aside, write_whole
from protocol.solo import HEAD
from tests.client.alone import SMALL, Played


@pytest.fixture
def store(tmp_path):
    return SoloStore(tmp_path)


def slot(store, name="game"):
    store.directory.mkdir(parents=True, exist_ok=True)
    return store.directory / f"{name}.r2048"


def test_a_first_save_is_empty_and_its_directory_is_made(store):
    found = store.take("game")
    assert (found.record, found.busy, found.trouble) == (None, False, None)
    assert found.save.path == store.directory / "game.r2048"
    found.save.release()


def test_what_is_appended_is_there_at_once_and_is_found_again(store):
    played = Played(SMALL, 20)
    save = store.take("game").save
    assert save.append(played.data)
    assert slot(store).read_bytes() == played.data
    save.release()
    again = store.take("game")
    assert again.solo is not None
    assert again.solo.game.board == played.game.solo.game.board
    again.save.release()


def test_a_save_that_is_held_is_left_alone_and_the_next_one_is_taken(store):
    first = store.take("game")
    assert first.save.append(Played(SMALL, 5).data)
    second = store.take("game")
    assert second.busy
    assert second.record is None
    assert second.save.path.name == "game-2.r2048"
    second.save.release()
    first.save.release()


def test_a_game_in_a_later_save_is_found_before_a_new_one_is_made(store):
    slot(store, "game-2").write_bytes(Played(SMALL, 5).data)
    found = store.take("game")
    assert found.save.path.name == "game-2.r2048"
    assert not slot(store).exists()
    found.save.release()


def test_a_fresh_save_is_never_one_with_a_game_in_it(store):
    slot(store).write_bytes(Played(SMALL, 5).data)
    found = store.take("game", fresh=True)
    assert (found.save.path.name, found.record) == ("game-2.r2048", None)
    found.save.release()


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        (b"<html>", Trouble.FOREIGN),
        (b"race2048\1", Trouble.FOREIGN),
        (b"solo2048\7" + bytes(90), Trouble.NEWER),
        (b"solo", Trouble.DAMAGED),
        (HEAD + bytes(3), Trouble.DAMAGED),
        (Played(SMALL, 5).game.opening.encode() + b"\5\0", Trouble.DAMAGED),  # an undo of nothing
    ],
)
def test_a_save_that_cannot_be_read_is_kept_under_another_name(store, content, trouble):
    slot(store).write_bytes(content)
    found = store.take("game")
    assert (found.record, found.trouble) == (None, trouble)
    assert found.kept is not None
    assert found.kept.read_bytes() == content
    assert found.save.append(b"new")
    assert slot(store).read_bytes() == b"new"
    found.save.release()


def test_a_second_damaged_save_does_not_take_the_place_of_the_first(store):
    kept = []
    for content in (b"one", b"two"):
        slot(store).write_bytes(content)
        found = store.take("game")
        found.save.release()
        assert found.kept is not None
        kept.append(found.kept.read_bytes())
    assert kept == [b"one", b"two"]
    assert len(list(store.directory.glob("game.r2048.foreign*"))) == 2


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_save_cut_off_anywhere_goes_on_from_its_last_whole_entry(store, cut):
    played = Played(SMALL, 10)
    content = played.data[:-cut]
    slot(store).write_bytes(content)
    found = store.take("game")
    assert found.solo is not None
    assert 10 - cut <= found.solo.game.moves < 10
    if found.trouble is Trouble.TORN:
        assert found.kept is not None
        assert found.kept.read_bytes() == content
    assert content.startswith(slot(store).read_bytes())
    assert found.save.good == len(slot(store).read_bytes())
    found.save.release()


def test_a_tail_of_zeros_as_a_power_failure_leaves_it_is_no_move(store):
    played = Played(SMALL, 10)
    slot(store).write_bytes(played.data + bytes(40))
    found = store.take("game")
    assert found.trouble is Trouble.TORN
    assert found.solo is not None
    assert found.solo.game.moves == 10
    assert slot(store).read_bytes() == played.data
    found.save.release()


def test_half_a_write_leaves_no_half_an_entry_and_is_made_up_for_later(store, monkeypatch):
    save = store.take("game").save
    assert save.append(b"begun")
    real = os.write

    def full(handle, data):
        if len(data) > 2:
            return real(handle, data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    assert not save.append(b"four")
    assert save.error == "No space left on device"
    assert slot(store).read_bytes() == b"begun"
    monkeypatch.setattr(os, "write", real)
    assert save.append(b"more")
    assert (slot(store).read_bytes(), save.error) == (b"begunfourmore", "")
    save.release()


def test_a_finished_game_gets_the_first_free_name_among_the_records(store):
    paths = []
    for content in (b"one", b"two"):
        save = store.take("game").save
        save.append(content)
        paths.append(store.archive(save, "2026-11-30-3x3-16"))
    assert [path.name for path in paths] == ["2026-11-30-3x3-16.r2048", "2026-11-30-3x3-16-2.r2048"]
    assert [path.read_bytes() for path in paths] == [b"one", b"two"]
    assert not slot(store).exists()
    assert store.archived() == sorted(path.name for path in paths)


def test_without_links_files_are_renamed_and_still_never_overwritten(store, monkeypatch, tmp_path):
    def no_links(*_):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    for content in (b"one", b"two"):
        (tmp_path / "f").write_bytes(content)
        put_aside(tmp_path / "f", "damaged")
    assert (tmp_path / "f.damaged").read_bytes() == b"one"
    assert (tmp_path / "f.damaged-2").read_bytes() == b"two"


def test_a_save_in_which_nothing_was_played_can_be_taken_away(store):
    store.take("game").save.remove()
    assert not slot(store).exists()


def test_games_that_are_not_over_are_read_whoever_holds_them(store):
    found = store.take("game")
    found.save.append(b"held")
    slot(store, "daily").write_bytes(b"daily")
    assert sorted(store.open_games()) == [b"daily", b"held"]
    found.save.release()


def test_a_directory_that_cannot_be_made_is_an_error_of_the_system(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        SoloStore(tmp_path / "file").take("game")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "bests.json"
    write_whole(path, b"before")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert [entry.name for entry in Path(tmp_path).iterdir()] == ["bests.json"]
