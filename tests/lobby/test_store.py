"""The lobby's database: what is told to be durable is there again, and damage leaves a clean prefix."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lobby import store as stores
from lobby.events import Archive, Forget, Keep, Persist, Quarantine
from lobby.store import Alive, Loaded, Store, StoreError, TakenError, Write, records
from lobby.times import Moment
from tests.lobby import damage

PATIENCE_S = 20
ALIVE = Alive(Moment(5_000, "boot", 4_000, 1_700_000_000_000), 9)


class Writing:
    """A store at work, and what it has told."""

    def __init__(self, path: Path, factory: type[sqlite3.Connection] = sqlite3.Connection) -> None:
        self.store = Store(path, factory)
        self.loaded = self.store.load()
        self.durable: list[int] = []
        self.failures: list[Exception] = []
        self._news = threading.Condition()
        self.store.start(self._on_durable, self._on_failure)

    def _on_durable(self, number: int) -> None:
        with self._news:
            self.durable.append(number)
            self._news.notify_all()

    def _on_failure(self, error: Exception) -> None:
        with self._news:
            self.failures.append(error)
            self._news.notify_all()

    def until(self, seen: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(seen, PATIENCE_S)

    def write(self, *writes: Write) -> None:
        """Returns when they are on the disk."""
        number = self.store.submit(writes)
        self.until(lambda: bool(self.durable) and self.durable[-1] >= number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lobby.db"


@pytest.fixture
def writing(path: Path) -> Iterator[Writing]:
    made = Writing(path)
    yield made
    made.store.close()


def read(path: Path) -> Loaded:
    store = Store(path)
    try:
        return store.load()
    finally:
        store.close()


def rows_of(path: Path) -> dict[int, tuple[int, bytes, tuple[bytes, ...]]]:
    return {saved.number: (saved.place, saved.picture, saved.rows) for saved in read(path).tables}


def test_a_new_file_has_nothing_and_is_its_owners_alone(writing, path):
    assert writing.loaded == Loaded(None, (), 0)
    writing.write(Persist(1, 1, b"row"))
    assert {p.name: p.stat().st_mode & 0o777 for p in path.parent.iterdir()} == {
        "lobby.db": 0o600, "lobby.db-wal": 0o600, "lobby.db-shm": 0o600, "lobby.db.lock": 0o600
    }  # fmt: skip


def test_rows_come_back_by_table_in_their_order(writing, path):
    writing.write(Persist(1, 1, b"a"), Persist(2, 1, b"x"), Persist(1, 2, b"b"))
    writing.store.close()
    assert rows_of(path) == {1: (0, b"", (b"a", b"b")), 2: (0, b"", (b"x",))}


def test_a_table_that_was_kept_needs_only_the_rows_after(writing, path):
    writing.write(*(Persist(1, place, b"%d" % place) for place in range(1, 6)), Keep(1, 4, b"picture"))
    writing.write(Persist(1, 6, b"6"))
    writing.store.close()
    assert rows_of(path) == {1: (4, b"picture", (b"5", b"6"))}


def test_a_closed_table_is_forgotten_and_its_number_is_not_given_again(writing, path):
    writing.write(Persist(7, 1, b"a"), Keep(7, 1, b"picture"), Forget(7), ALIVE)
    writing.store.close()
    loaded = read(path)
    assert (loaded.tables, loaded.last_number) == ((), 7)


def test_a_quarantined_table_is_kept_and_never_loaded(writing, path):
    writing.write(Persist(1, 1, b"a"), Persist(2, 1, b"b"), Keep(2, 1, b"p"), Quarantine(1, ValueError("x")))
    writing.write(Quarantine(2, ValueError("y")))
    writing.store.close()
    loaded = read(path)
    assert (loaded.tables, loaded.last_number) == ((), 2)
    kept = sqlite3.connect(path)
    assert kept.execute("SELECT number, place, row FROM broken").fetchall() == [(1, 1, b"a"), (2, 1, b"b")]
    assert [text for (text,) in kept.execute("SELECT state FROM tables")] == ["ValueError('x')", "ValueError('y')"]
    kept.close()


def test_when_the_lobby_was_last_there_comes_back(writing, path):
    writing.write(ALIVE)
    writing.store.close()
    assert read(path).alive == ALIVE


def test_records_can_be_read_while_the_lobby_is_at_work(writing, path):
    writing.write(Archive("482913", 1, b"one"), Archive("482913", 2, b"two"))
    assert [(r.id, r.code, r.race_number, r.record, r.whole) for r in records(path)] == [
        (1, "482913", 1, b"one", True), (2, "482913", 2, b"two", True)
    ]  # fmt: skip
    assert [stored.record for stored in records(path, 2)] == [b"two"]
    assert records(path, 3) == []


def test_what_waits_together_is_written_together(path):
    """Group commit: while one commit is under way, any number of writes wait for the next."""
    commits: list[int] = []
    held, slow = threading.Event(), threading.Event()

    class Slow(sqlite3.Connection):
        def execute(self, sql, *parameters):
            if sql == "COMMIT":
                commits.append(1)
                held.set()
                slow.wait(PATIENCE_S)
            return super().execute(sql, *parameters)

    writing = Writing(path, Slow)
    writing.store.submit([Persist(1, 1, b"first")])
    assert held.wait(PATIENCE_S)
    for place in range(2, 200):
        writing.store.submit([Persist(1, place, b"more")])
    slow.set()
    writing.until(lambda: writing.durable[-1:] == [199])
    writing.store.close()
    assert len(commits) == 2


def test_between_commits_the_disk_rests_and_what_comes_meanwhile_is_one(path, monkeypatch):
    monkeypatch.setattr(stores, "REST_S", 60.0)
    writing = Writing(path)
    writing.write(Persist(1, 1, b"a"))
    for place in (2, 3, 4):
        writing.store.submit([Persist(1, place, b"b")])
    writing.store.close()  # which ends the rest
    assert (writing.durable, writing.store.commits) == ([1, 4], 2)


def test_everything_that_was_submitted_is_written_before_the_file_is_closed(path):
    writing = Writing(path)
    for place in range(1, 1_000):
        writing.store.submit([Persist(1, place, b"row")])
    writing.store.close()
    assert len(rows_of(path)[1][2]) == 999


def test_the_log_is_cut_where_no_table_needs_it_any_more(path, monkeypatch):
    monkeypatch.setattr(stores, "DROP_ROWS", 10)
    writing = Writing(path)
    writing.write(Persist(3, 1, b"closed soon"), Forget(3))
    for place in range(1, 40):
        writing.write(Persist(1, place, b"1"), *([Persist(2, place, b"2")] if place < 30 else []))
        if place % 8 == 0:
            writing.write(Keep(1, place, b"one"))
        if place == 20:
            writing.write(Keep(2, 20, b"two"))
    database = sqlite3.connect(path)
    ((first, last, count),) = database.execute("SELECT min(id), max(id), count(*) FROM log").fetchall()
    assert database.execute("SELECT count(*) FROM tables WHERE number = 3").fetchone() == (0,)
    database.close()
    assert 30 < first < 50
    assert last - first + 1 == count
    for _ in range(2):
        writing.store.close()
        assert rows_of(path) == {1: (32, b"one", (b"1",) * 7), 2: (20, b"two", (b"2",) * 9)}
        writing = Writing(path)
        writing.write(Persist(9, 1, b"x"), Forget(9))
    writing.store.close()


# ── one lobby at a time ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_second_lobby_is_kept_out_until_the_first_has_ended(writing, path):
    with pytest.raises(TakenError, match="another lobby is at work"):
        Store(path)
    writing.store.close()
    Store(path).close()


def test_by_another_name_it_is_the_same_file_and_the_same_disk(writing, path, tmp_path):
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with pytest.raises(TakenError, match="another lobby is at work"):
        Store(link)
    writing.store.close()
    store = Store(link)
    store.close()
    assert store.path == path.resolve()


def test_a_file_of_another_version_is_left_alone(path):
    Store(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(StoreError, match="version 7"):
        Store(path)
    with pytest.raises(StoreError, match="version 7"):
        records(path)


@pytest.mark.parametrize("content", [b"no database" * 500, b"SQLite format 3\0" + bytes(5_000)])
def test_something_else_is_no_database(path, content):
    path.write_bytes(content)
    for what in (lambda: Store(path), lambda: records(path)):
        with pytest.raises(StoreError, match=str(path)):
            what()


def test_records_of_a_database_that_is_not_there_say_so_and_make_none(path):
    with pytest.raises(StoreError, match="no database"):
        records(path)
    assert not path.exists()


def test_a_place_that_cannot_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "file" / "lobby.db")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "folder")


# ── the disk fails ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_full_disk_is_told_once_and_nothing_after_it_is_durable(path):
    writing = Writing(path)
    writing.write(Persist(1, 1, b"kept"))
    writing.store._database.execute("PRAGMA max_page_count = 10")  # what SQLite says of a full disk
    number = writing.store.submit([Persist(1, 2, bytes(1_000_000))])
    writing.store.submit([Persist(1, 3, b"after")])
    writing.until(lambda: bool(writing.failures))
    writing.store.close()
    assert "full" in str(writing.failures[0])
    assert writing.durable[-1] < number
    assert rows_of(path) == {1: (0, b"", (b"kept",))}


@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk I/O error"), OSError(5, "Input/output error")])
def test_an_error_of_the_disk_at_the_commit_ends_the_writing(path, error):
    class Failing(sqlite3.Connection):
        def execute(self, sql, *parameters):
            if sql == "COMMIT" and self.total_changes:
                raise error
            return super().execute(sql, *parameters)

    writing = Writing(path, Failing)
    writing.store.submit([Persist(1, 1, b"lost")])
    writing.until(lambda: bool(writing.failures))
    writing.store.close()
    assert (writing.durable, writing.failures) == ([], [error])
    assert rows_of(path) == {}


# ── damage ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def damaged(path: Path, sql: str) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute(sql)
    database.close()


def ten_rows(path: Path) -> None:
    writing = Writing(path)
    writing.write(*(Persist(number, place, b"row") for number in (1, 2) for place in range(1, 11)))
    writing.store.close()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE log SET row = x'00' WHERE number = 1 AND place = 6",
        "UPDATE log SET checksum = x'00' WHERE number = 1 AND place = 6",
        "DELETE FROM log WHERE number = 1 AND place = 6",
        "UPDATE log SET (row, checksum) = (SELECT row, checksum FROM log WHERE number = 2 AND place = 7) "  # noqa: ISC004
        "WHERE number = 1 AND place = 6",
    ],
    ids=["row", "checksum", "missing", "another's"],
)
def test_a_damaged_row_ends_its_table_before_it_and_no_other(path, sql):
    ten_rows(path)
    damaged(path, sql)
    for _ in range(2):  # what comes after is gone for good, so that new rows follow the last good one
        assert {number: len(rows) for number, (_, _, rows) in rows_of(path).items()} == {1: 5, 2: 10}
    writing = Writing(path)
    writing.write(Persist(1, 6, b"new"))
    writing.store.close()
    assert rows_of(path)[1][2][5] == b"new"


def test_a_damaged_picture_puts_its_table_aside(path):
    writing = Writing(path)
    writing.write(Persist(1, 1, b"a"), Keep(1, 1, b"picture"), Persist(1, 2, b"b"), Persist(2, 1, b"c"))
    writing.store.close()
    damaged(path, "UPDATE tables SET picture = x'00'")
    for _ in range(2):
        assert rows_of(path) == {2: (0, b"", (b"c",))}


def test_a_damaged_record_is_told_to_be(path):
    writing = Writing(path)
    writing.write(Archive("482913", 1, b"one"))
    writing.store.close()
    damaged(path, "UPDATE records SET record = x'00'")
    assert [stored.whole for stored in records(path)] == [False]


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_READONLY])
@pytest.mark.parametrize("statement", ["PRAGMA journal_mode = WAL", "SELECT * FROM tables"])
def test_where_the_disk_is_at_fault_nobody_is_told_to_move_the_database_away(path, code, statement):
    class Faulty(sqlite3.Connection):
        def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
            if sql != statement:
                return super().execute(sql, parameters)  # type: ignore[arg-type]
            error = sqlite3.OperationalError("the disk")
            error.sqlite_errorcode = code
            raise error

    with pytest.raises(StoreError) as told, contextlib.closing(Store(path, Faulty)) as store:
        store.load()
    assert "cannot be used: the disk. Make room or mend the disk, and start again" in str(told.value)
    assert "damaged" not in str(told.value)


def test_a_damaged_page_is_told_with_what_to_do(path):
    ten_rows(path)
    content = bytearray(path.read_bytes())
    content[4_096:] = os.urandom(len(content) - 4_096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        read(path)


@pytest.mark.parametrize("seed", range(200))
def test_whatever_has_become_of_the_end_of_the_log_a_clean_prefix_is_read(log_image, tmp_path, seed):
    """Torn, bit-flipped, zeroed, or with the old file's blocks in it: what is read is what was there after a commit."""
    image, states = log_image
    for name in ("lobby.db", "lobby.db-wal"):
        shutil.copy(image / name, tmp_path / name)
    damage.damage(tmp_path / "lobby.db-wal", random.Random(seed))
    assert rows_of(tmp_path / "lobby.db") in states


@pytest.fixture(scope="module")
def log_image(tmp_path_factory):
    """A database whose log was not yet taken into the file, and what was to be read of it after each commit."""
    home, image = tmp_path_factory.mktemp("log"), tmp_path_factory.mktemp("image")
    return damage.written(home / "lobby.db", image), damage.states()


def test_the_undamaged_image_is_read_to_its_end(log_image, tmp_path):
    image, states = log_image
    for name in ("lobby.db", "lobby.db-wal"):
        shutil.copy(image / name, tmp_path / name)
    assert rows_of(tmp_path / "lobby.db") == states[-1]
    assert stores.VERSION == 1
