"""The lobby's database: the journals of its tables and the records of finished races, in one SQLite file.

What is submitted is written by one thread in the order in which it came, as much at a time as is waiting (group
commit, a hundred times a second or so at most), and told to be durable only when the disk has it. Knows no tables and
no messages: rows, pictures and records are bytes to it, each with a checksum of our own beside SQLite's. What it reads
back is a clean prefix of what was written, whatever has become of the file's end. A lobby holds its file alone; readers
open it beside it, read-only.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, assert_never

from lobby.events import Archive, Durable, Forget, Keep, Persist, Quarantine, SavedTable
from lobby.times import Moment

log = logging.getLogger(__name__)

VERSION = 1  # of the tables below and of the rows and pictures in them
CHECKSUM_BYTES = 8
BUSY_MS = 5_000
ROWS_AT_ONCE = 4_096  # five values each; SQLite takes 32,766
DROP_ROWS = 4_096  # so often it is seen what can be taken off the beginning of the log
WAL_BYTES_KEPT = 16_777_216  # a log that grew larger is cut again once its pages are in the file
REST_S = 0.008  # from one commit to the next: nobody notices it, and under load it saves an eighth of the processor
CLOSE_S = 1.0  # a disk that hangs must not hang us

# The rows of all tables are one log, to whose end they are added: a tree of them by table would be written all over at
# every commit. Rows that no table needs any more are taken off its beginning.
_SCHEMA = """
CREATE TABLE tables (number INTEGER PRIMARY KEY, place INTEGER, picture BLOB, checksum BLOB, state TEXT, after INTEGER);
CREATE TABLE log (id INTEGER PRIMARY KEY, number INTEGER, place INTEGER, row BLOB, checksum BLOB);
CREATE TABLE broken (number INTEGER, place INTEGER, row BLOB);
CREATE TABLE records (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT, race_number INTEGER, wall_ms INTEGER,
    record BLOB, checksum BLOB);
CREATE TABLE alive (one INTEGER PRIMARY KEY CHECK (one = 1), lobby_ms INTEGER, boot TEXT, boot_ms INTEGER,
    wall_ms INTEGER, epoch INTEGER, last_number INTEGER);
"""
_CLOSED = "closed"
# The disk's fault, or another program's: to whom a full disk is told as a damaged file, moves away what is good.
_FOR_NOW = (
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY,
)  # fmt: skip
_ALIVE = "INSERT OR REPLACE INTO alive VALUES (1, ?, ?, ?, ?, ?, ?)"


class StoreError(Exception):
    """The database cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The lobby was there at this moment; `epoch` is its number among the lobbies on this file."""

    moment: Moment
    epoch: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the lobby before this one left behind. `alive` is None on a new file."""

    alive: Alive | None
    tables: tuple[SavedTable, ...]
    last_number: int


Write = Durable | Alive
_Row = tuple[int, int, int, bytes, bytes]


class Store:
    """The database at `path`, held by this process alone until `close`; raises StoreError."""

    def __init__(self, path: Path, factory: type[sqlite3.Connection] = sqlite3.Connection) -> None:
        self.path = Path(os.path.realpath(path))  # a link's is where SQLite writes, and on the disk that may be full
        self.commits = 0
        self._lock = _locked(self.path)
        try:
            self._database = _opened(self.path, factory)
        except BaseException:
            self._lock.close()
            raise
        self._waiting: list[Write] = []
        self._submitted = 0
        self._last_number = 0
        self._last_row = 0  # of the log
        self._dropped = 0  # up to there the log is empty
        self._look_at_row = DROP_ROWS  # when to see whether more of it can be
        self._needed: dict[int, int] = {}  # by table: the first row of the log that it needs
        self._stirred = threading.Condition()
        self._closing = threading.Event()
        self._writer: threading.Thread | None = None

    def load(self) -> Loaded:
        """Returns what is in the file, and takes out what is damaged: before `start`. Raises StoreError."""
        try:
            return self._load(self._database)
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error

    def _load(self, database: sqlite3.Connection) -> Loaded:
        alive = database.execute("SELECT lobby_ms, boot, boot_ms, wall_ms, epoch, last_number FROM alive").fetchone()
        tables: dict[int, tuple[int, bytes] | None] = {}
        numbers = [0 if alive is None else alive[5]]
        for number, place, picture, checksum, state, after in database.execute("SELECT * FROM tables").fetchall():
            numbers.append(number)
            damaged = state is None and checksum != _checksum(number, place, picture)
            if damaged:
                log.error("table %d of %s is damaged: left out", number, self.path)
                self._put_aside(database, number, "damaged")
            tables[number] = None if damaged or state is not None else (place, picture)
            self._last_row = max(self._last_row, after)
        rows: dict[int, list[bytes]] = {}
        ended: set[int] = set()
        for last, number, place, row, checksum in database.execute("SELECT * FROM log ORDER BY id").fetchall():
            self._last_row = max(self._last_row, last)
            self._dropped = self._dropped or last - 1
            numbers.append(number)
            kept = tables.setdefault(number, (0, b""))
            if kept is None or place <= kept[0] or number in ended:
                continue
            known = rows.setdefault(number, [])
            if place == kept[0] + len(known) + 1 and checksum == _checksum(number, place, row):
                known.append(row)
                self._needed.setdefault(number, last)
            else:
                log.error("the journal of table %d of %s is damaged from row %d on: cut off", number, self.path, place)
                ended.add(number)
        for number in ended:  # or what follows the last good row could not be told from it
            first = (tables[number] or (0, b""))[0] + len(rows.get(number, ())) + 1
            database.execute("DELETE FROM log WHERE number = ? AND place >= ?", (number, first))
        self._last_number = max(numbers)
        found = [SavedTable(n, k[0], k[1], tuple(rows.get(n, ()))) for n, k in tables.items() if k is not None]
        whole = tuple(saved for saved in found if saved.picture or saved.rows)
        return Loaded(None if alive is None else Alive(Moment(*alive[:4]), alive[4]), whole, self._last_number)

    def start(self, durable: Callable[[int], None], failed: Callable[[Exception], None]) -> None:
        """Writes from now on. Both are called on the writer's thread.

        `durable` with the number of the last write that the disk has; `failed`, at most once, with why there will be
        no further one.
        """
        self._writer = threading.Thread(target=self._write_all, args=(durable, failed), name="lobby-store", daemon=True)
        self._writer.start()

    def submit(self, writes: Sequence[Write]) -> int:
        """Takes writes that belong together; returns the number with which `durable` will tell of them."""
        with self._stirred:
            self._waiting += writes
            self._submitted += len(writes)
            self._stirred.notify()
            return self._submitted

    def close(self) -> None:
        """Returns when everything that was submitted is written, or cannot be, and the file is free again."""
        with self._stirred:
            self._closing.set()
            self._stirred.notify()
        if self._writer is not None:
            self._writer.join(CLOSE_S)
            if self._writer.is_alive():
                log.error("the disk of %s does not answer", self.path)
                return
        self._database.close()
        self._lock.close()

    # ── the writer's thread ──

    def _write_all(self, durable: Callable[[int], None], failed: Callable[[Exception], None]) -> None:
        try:
            while (taken := self._take()) is not None:
                rested_s = time.monotonic() + REST_S
                writes, last = taken
                self._commit(writes)
                durable(last)
                self._closing.wait(rested_s - time.monotonic())
        except (sqlite3.Error, OSError) as error:
            failed(error)

    def _take(self) -> tuple[list[Write], int] | None:
        """Returns everything that waits, as soon as there is anything; None at the end."""
        with self._stirred:
            while not self._waiting:
                if self._closing.is_set():
                    return None
                self._stirred.wait()
            writes, self._waiting = self._waiting, []
            return writes, self._submitted

    def _commit(self, writes: Sequence[Write]) -> None:
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        rows: list[_Row] = []
        for write in writes:
            if isinstance(write, Persist):  # nearly always
                self._last_row += 1
                self._needed.setdefault(write.table, self._last_row)
                self._last_number = max(self._last_number, write.table)
                checksum = _checksum(write.table, write.place, write.row)
                rows.append((self._last_row, write.table, write.place, write.row, checksum))
                continue
            _insert(database, rows)
            self._write(database, write)
        _insert(database, rows)
        self._drop(database)
        database.execute("COMMIT")
        self.commits += 1

    def _write(self, database: sqlite3.Connection, write: Write) -> None:
        match write:
            case Persist():
                raise AssertionError("rows are inserted many at a time")
            case Keep(number, place, picture):
                self._needed.pop(number, None)
                kept = (number, place, picture, _checksum(number, place, picture), None, self._last_row)
                database.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?, ?, ?)", kept)
            case Forget(number):
                self._put_aside(database, number, _CLOSED)
            case Quarantine(number, error):
                self._put_aside(database, number, repr(error))
            case Archive(code, race_number, record):
                finished = (code, race_number, time.time_ns() // 1_000_000, record, _checksum(0, race_number, record))
                database.execute("INSERT INTO records VALUES (NULL, ?, ?, ?, ?, ?)", finished)
            case Alive(moment, epoch):
                now = (moment.lobby_ms, moment.boot, moment.boot_ms, moment.wall_ms, epoch, self._last_number)
                database.execute(_ALIVE, now)
            case _:
                assert_never(write)

    def _put_aside(self, database: sqlite3.Connection, number: int, state: str) -> None:
        """The rows of this table are not read again; of one that has failed they are kept for whoever looks for why."""
        if state != _CLOSED:
            database.execute("INSERT INTO broken SELECT number, place, row FROM log WHERE number = ?", (number,))
        self._needed.pop(number, None)
        values = (number, state, self._last_row)
        database.execute("INSERT OR IGNORE INTO tables VALUES (?, 0, x'', x'', ?, ?)", values)
        database.execute("UPDATE tables SET state = ?2, after = ?3 WHERE number = ?1", values)
        if state == _CLOSED:
            database.execute("UPDATE tables SET picture = x'' WHERE number = ?", (number,))

    def _drop(self, database: sqlite3.Connection) -> None:
        """Takes off the beginning of the log what no table needs, once it is worth the while."""
        if self._last_row < self._look_at_row:
            return
        self._look_at_row = self._last_row + DROP_ROWS
        last = min(self._needed.values(), default=self._last_row + 1) - 1
        if last > self._dropped:
            database.execute("DELETE FROM log WHERE id <= ?", (last,))
            database.execute("DELETE FROM tables WHERE state = ? AND after <= ?", (_CLOSED, last))
            self._dropped = last


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A finished race in the database. `whole`: its bytes are those that were written."""

    id: int
    code: str
    race_number: int
    wall_ms: int
    record: bytes
    whole: bool


def records(path: Path, record_id: int | None = None) -> list[StoredRecord]:
    """Returns the finished races in the database, the oldest first, or the one with this id; raises StoreError.

    A lobby may be at work on the file meanwhile.
    """
    if not path.exists():
        raise StoreError(f"there is no database {path}. Name the lobby's with --database.")
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_MS / 1_000)
        try:
            _check_version(database, path)
            wanted = "SELECT * FROM records WHERE ?1 IS NULL OR id = ?1 ORDER BY id"
            found = database.execute(wanted, (record_id,)).fetchall()
        finally:
            database.close()
    except sqlite3.Error as error:
        raise StoreError(f"the database {path} cannot be read: {error}.") from error
    return [
        StoredRecord(number, code, race, wall_ms, record, checksum == _checksum(0, race, record))
        for number, code, race, wall_ms, record, checksum in found
    ]


def _insert(database: sqlite3.Connection, rows: list[_Row]) -> None:
    """Inserts rows and clears the list.

    Python lets go of its lock for every statement, and a busy event loop gives it back late: so there are few of them,
    of few lengths, which SQLite then has prepared already.
    """
    first = 0
    while first < len(rows):
        count = min(ROWS_AT_ONCE, 1 << (len(rows) - first).bit_length() - 1)
        values = ", ".join(["(?, ?, ?, ?, ?)"] * count)
        told = [value for row in rows[first : first + count] for value in row]
        database.execute(f"INSERT INTO log VALUES {values}", told)  # noqa: S608 - nothing but question marks
        first += count
    rows.clear()


def _checksum(number: int, place: int, data: bytes) -> bytes:
    """Returns a checksum that also says whose bytes these are."""
    head = number.to_bytes(8, "big") + place.to_bytes(8, "big")
    return hashlib.sha256(head + data).digest()[:CHECKSUM_BYTES]


def _opened(path: Path, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # keys are in it; SQLite's other files are made alike
        database = sqlite3.connect(
            path, timeout=BUSY_MS / 1_000, isolation_level=None, check_same_thread=False, factory=factory
        )
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"the database {path} cannot be opened: {error}.") from error
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute(f"PRAGMA journal_size_limit = {WAL_BYTES_KEPT}")
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            database.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        _check_version(database, path)
    except sqlite3.Error as error:
        database.close()
        raise _unusable(path, error) from error
    except StoreError:
        database.close()
        raise
    return database


def _unusable(path: Path, error: sqlite3.Error) -> StoreError:
    """Returns what is wrong with the database, and what to do."""
    if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _FOR_NOW:  # the rest says more exactly why
        return StoreError(f"the database {path} cannot be used: {error}. Make room or mend the disk, and start again.")
    what_to_do = "Put a copy back, or move it away and start again."
    return StoreError(f"the database {path} is damaged or none of ours: {error}. {what_to_do}")


def _check_version(database: sqlite3.Connection, path: Path) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise StoreError(
            f"the database {path} is of version {version}, and this program has version {VERSION}. Go on with the "
            "program that made it, or name another with --database."
        )


def _locked(path: Path) -> IO[bytes]:
    """Returns the file that says, as long as it is open, that a lobby is at work on this database."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Not the database itself: closing any handle to that would drop SQLite's own locks.
        file = os.fdopen(os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600), "ab")
    except OSError as error:
        raise StoreError(f"the database {path} cannot be opened: {error}.") from error
    if not _try_lock(file.fileno()):
        file.close()
        raise TakenError(f"another lobby is at work on the database {path}. Stop it, or name another with --database.")
    return file


class TakenError(StoreError):
    """Another lobby holds the file."""


if os.name == "nt":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
