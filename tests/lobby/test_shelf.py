"""`race2048 lobby records` and `export`: what has finished in a lobby, from its database."""

from __future__ import annotations

import json

import pytest

from lobby import cli
from lobby.events import Archive
from protocol.verdict import verify_record
from tests.lobby.test_store import Writing, damaged
from tests.protocol.races import target_race


@pytest.fixture
def record():
    return target_race().record()


@pytest.fixture
def home(tmp_path, record, monkeypatch):
    """A directory with a lobby's database in which two races have finished, as the current one."""
    writing = Writing(tmp_path / "lobby.db")
    writing.write(Archive("482913", 1, record), Archive("482913", 2, b"no record"))
    writing.store.close()
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_races_are_listed_with_who_ran_them_and_how_they_ended(home, capsys):
    assert cli.main(["records"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    names = [seat.name for seat in verify_record(target_race().record()).seats]
    assert first.split()[0] == "1"
    assert "table 482913 race 1" in first
    assert ", ".join(names) in first
    assert "race 2  damaged: " in second


def test_races_are_listed_as_json(home, record, capsys):
    assert cli.main(["records", "--json", "--database", str(home / "lobby.db")]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["id"], first["code"], first["race"], first["bytes"]) == (1, "482913", 1, len(record))
    assert first["whole"] is True
    assert second["players"] == []


def test_a_record_is_written_to_a_new_file_and_is_still_true(home, record, capsys):
    assert cli.main(["export", "1"]) == 0
    path = home / capsys.readouterr().out.strip()
    assert path.name.endswith("-482913-1.r2048")
    assert path.read_bytes() == record
    assert cli.main(["export", "1"]) == 6
    assert "is there already" in capsys.readouterr().err
    assert cli.main(["export", "1", "--to", str(home / "other.r2048")]) == 0
    assert (home / "other.r2048").read_bytes() == record


def test_a_damaged_record_is_told_and_written_as_it_is(home, capsys):
    damaged(home / "lobby.db", "UPDATE records SET record = x'00' WHERE id = 1")
    assert cli.main(["export", "1", "--to", "x"]) == 0
    assert "is damaged" in capsys.readouterr().err
    assert (home / "x").read_bytes() == b"\0"


def test_a_race_that_is_not_there_is_no(home, capsys):
    assert cli.main(["export", "7"]) == 1
    assert "no race 7" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["records"], ["export", "1"]])
def test_without_a_database_it_says_so(tmp_path, capsys, words):
    assert cli.main([*words, "--data-dir", str(tmp_path)]) == 6
    assert "there is no database" in capsys.readouterr().err


def test_a_lobby_in_which_nothing_has_finished_says_so(tmp_path, capsys):
    Writing(tmp_path / "lobby.db").store.close()
    assert cli.main(["records", "--data-dir", str(tmp_path)]) == 0
    assert "No race has finished" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_says_so(home, capsys):
    assert cli.main(["export", "1", "--to", "lobby.db/x"]) == 6
    assert "lobby export" in capsys.readouterr().err
