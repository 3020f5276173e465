"""The files of games alone: the save that is played, the records of games that are over, and files kept aside.

A save is the record itself (protocol/solo.py) and only ever grows: a move is one `write`, so a killed program loses
nothing. Whatever cannot be read is renamed, never overwritten. A save is held under a lock for as long as it is played;
who finds it held takes the next number. Knows nothing of what is done in a game; solo_play.py does.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path

from client.locking import try_lock
from engine.solo import Solo
from protocol.layout import LayoutError
from protocol.replaying import FalseSoloError, played
from protocol.solo import HEAD, MAGIC, SOLO_BYTES_MAX, SoloRecord, is_solo, parse_solo

SUFFIX = ".r2048"
SLOTS_MAX = 64  # games of one kind that are open at a time
NAMES_MAX = 10_000  # records of one kind of game on one day
_HELD_BYTES_MAX = 1 << 20  # that wait for a disk that takes nothing
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Trouble(Enum):
    """What was wrong with a save that was found."""

    TORN = "torn"  # its end; the game goes on from before
    DAMAGED = "damaged"
    FOREIGN = "foreign"
    NEWER = "newer"


@dataclass(slots=True)
class Save:
    """The file of a game, held until `release`. What a disk does not take is tried again with the next move.

    `good` counts the bytes that are in the file, `error` says why the last write failed.
    """

    path: Path
    handle: int
    good: int
    error: str = ""
    _held: bytes = b""

    def append(self, data: bytes) -> bool:
        """Writes more of the game; returns False, with `error`, if the disk does not take it."""
        self._held += data
        try:
            self._write()
        except OSError as failed:
            self.error = failed.strerror or str(failed)
            return False
        self.error = ""
        return True

    def _write(self) -> None:
        if self.good + len(self._held) > SOLO_BYTES_MAX or len(self._held) > _HELD_BYTES_MAX:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        written = 0
        try:
            os.lseek(self.handle, self.good, os.SEEK_SET)
            while written < len(self._held):
                written += os.write(self.handle, self._held[written:])
        except OSError:
            with suppress(OSError):
                os.ftruncate(self.handle, self.good)  # half an entry must not stay
            raise
        self.good += len(self._held)
        self._held = b""

    def sync(self) -> None:
        """Makes the file last through a power failure, too."""
        with suppress(OSError):
            os.fsync(self.handle)

    def digest(self) -> bytes:
        """Returns the SHA-256 of the whole file as it is now; raises OSError."""
        return sha256(_content(self.handle)).digest()

    def remove(self) -> None:
        """Takes the file away: nothing has been played in it."""
        with suppress(OSError):
            self.path.unlink()
        self.release()

    def release(self) -> None:
        """Lets another process take the file."""
        os.close(self.handle)


@dataclass(frozen=True, slots=True)
class Found:
    """A save that was taken. `record` and `solo` are None if nothing is in it.

    `busy`: another process holds one of this name. `kept`: where the original is, if there was trouble.
    """

    save: Save
    record: SoloRecord | None = None
    solo: Solo | None = None
    busy: bool = False
    trouble: Trouble | None = None
    kept: Path | None = None


class SoloStore:
    """The directory of games alone below a data directory."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.directory = data / "solo"
        self.games = self.directory / "games"

    def take(self, name: str, *, fresh: bool = False) -> Found:
        """Takes the first save of this name that no other process holds: one with a game in it, else an empty one.

        `fresh`: only an empty one. Raises OSError.
        """
        self.games.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = set(os.listdir(self.directory))  # noqa: PTH208 - names
        busy, free = False, None
        for file in _slots(name):
            if free is not None and file not in there:
                continue
            path = self.directory / file
            handle = _held(path)
            if handle is None:
                busy = True
            elif os.fstat(handle).st_size and fresh:
                os.close(handle)
            elif os.fstat(handle).st_size:
                if free is not None:
                    free.remove()
                return _opened(path, handle, busy=busy)
            elif free is None:
                free = Save(path, handle, 0)
            else:
                os.close(handle)
        if free is None:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return Found(free, busy=busy)

    def peek(self, name: str) -> tuple[SoloRecord, Solo] | None:
        """Returns the first game of this name where nothing can be written, None if there is none to be read."""
        with suppress(OSError, LayoutError, FalseSoloError):
            record = parse_solo(read_whole(self.directory / next(_slots(name))))
            return record, played(record)
        return None

    def archive(self, save: Save, stem: str) -> Path:
        """Puts a finished game among the records under the first free name, and lets go of it; returns its path.

        Raises OSError; then the game is where it was.
        """
        save.sync()
        path = _renamed(save.path, (self.games / f"{stem}{number}{SUFFIX}" for number in _numbers()))
        save.release()
        return path

    def open_games(self) -> Iterator[bytes]:
        """Yields the content of every save, held or not: of games that are not over."""
        for path in sorted(self.directory.glob(f"*{SUFFIX}")):
            with suppress(OSError):
                yield read_whole(path)

    def archived(self) -> list[str]:
        """Returns the names of the records of games that are over."""
        try:
            return sorted(name for name in os.listdir(self.games) if name.endswith(SUFFIX))  # noqa: PTH208 - names
        except OSError:
            return []


def read_whole(path: Path) -> bytes:
    """Returns a file's content, as far as a game can be long; raises OSError."""
    with path.open("rb") as file:
        return file.read(SOLO_BYTES_MAX + 1)


def write_whole(path: Path, content: bytes) -> None:
    """Puts a file in the place of another, whole or not at all; raises OSError."""
    temporary = path.with_name(f".{os.urandom(8).hex()}.new")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def put_aside(path: Path, why: str) -> Path:
    """Gives a file that cannot be read a name of its own beside it; returns that. Raises OSError."""
    return _renamed(path, (path.with_name(f"{path.name}.{why}{number}") for number in _numbers()))


def _slots(name: str) -> Iterator[str]:
    yield from (f"{name}{'' if number == 1 else f'-{number}'}{SUFFIX}" for number in range(1, SLOTS_MAX + 1))


def _numbers() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in range(2, NAMES_MAX + 1))


def _renamed(path: Path, names: Iterator[Path]) -> Path:
    """Gives a file the first of these names that is free, and returns it; raises OSError."""
    for name in names:
        try:
            os.link(path, name)  # unlike a rename, never in the place of another file
        except FileExistsError:
            continue
        except OSError:  # a file system without links
            if name.exists():
                continue
            path.rename(name)
            return name
        path.unlink()
        return name
    raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))


def _held(path: Path) -> int | None:
    """Returns a handle of a file that this process now holds, None if another one does. Raises OSError."""
    for _ in range(SLOTS_MAX):
        handle = os.open(path, _FLAGS, 0o600)
        if not try_lock(handle):
            os.close(handle)
            return None
        # Between opening and locking the file may have gone into the archive.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        os.close(handle)
    return None


def _content(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while part := os.read(handle, SOLO_BYTES_MAX + 1):
        parts.append(part)
    return b"".join(parts)


def _opened(path: Path, handle: int, *, busy: bool) -> Found:
    """Returns the game in a save. What is not whole is kept as it was under another name."""
    content = _content(handle)
    try:
        record = parse_solo(content)
        solo = played(record)
    except (LayoutError, FalseSoloError):
        return _put_aside(path, handle, trouble_of(content), busy=busy)
    if record.torn is None:
        return Found(Save(path, handle, len(content)), record, solo, busy=busy)
    kept = path.with_name(f"{path.name}.{Trouble.TORN.value}-{sha256(content).hexdigest()[:8]}")
    write_whole(kept, content)
    os.ftruncate(handle, record.good_bytes)
    return Found(Save(path, handle, record.good_bytes), record, solo, busy=busy, trouble=Trouble.TORN, kept=kept)


def _put_aside(path: Path, handle: int, trouble: Trouble, *, busy: bool) -> Found:
    kept = put_aside(path, trouble.value)
    os.close(handle)
    again = _held(path)
    if again is None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return Found(Save(path, again, 0), busy=busy, trouble=trouble, kept=kept)


def trouble_of(content: bytes) -> Trouble:
    """Returns what is wrong with a file that is no whole game."""
    if not is_solo(content):
        return Trouble.DAMAGED if MAGIC.startswith(content[: len(MAGIC)]) else Trouble.FOREIGN
    return Trouble.NEWER if content[len(MAGIC) : len(HEAD)] > HEAD[-1:] else Trouble.DAMAGED
