"""The client's files: identity keys, records, and the name a player goes by.

Owns where they are and that nothing is ever lost or overwritten: a file appears whole under its name or not
at all, and one that is there already stays. Knows nothing of what is in a record.

A key is held under a lock for as long as the process lives (architecture.md 5.5): a second terminal takes the
next key, and a crash frees the lock, so that the same seat is found again.
"""

from __future__ import annotations

import errno
import getpass
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from string import digits

from client.data_home import data_path
from client.events import SaveRecord
from client.locking import try_lock
from protocol.text import SafeText, judge_name

SEED_BYTES = 32
KEYS_MAX = 64  # terminals of one person on one data directory at a time
RECORD_SUFFIX = ".r2048"
TOLD_SUFFIX = ".ticks"
COPIES_MAX = 1_000  # races of one code on one day


class StoreError(Exception):
    """The data directory cannot be used; the message says which path, and why."""


def data_directory() -> Path:
    """Returns where keys and records are."""
    return Path(data_path())


def default_name() -> SafeText:
    """Returns the login name if a player can be called so, else "player"."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError, ImportError):
        login = ""
    return judge_name(login) or SafeText("player")


@dataclass(slots=True)
class Identity:
    """A secret key of this person, held by this process until `release`."""

    number: int
    seed: bytes
    _handle: int

    def release(self) -> None:
        """Lets another process take the key."""
        os.close(self._handle)


def take_identity(data: Path) -> Identity:
    """Takes the first key that no other process holds, made if need be; raises StoreError."""
    directory = data / "keys"
    with _explained(directory):
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(1, KEYS_MAX + 1):
            identity = _take(directory / f"{number}.key", number)
            if identity is not None:
                return identity
    raise StoreError(f"{directory}: all {KEYS_MAX} keys are taken or damaged")


def key_paths(data: Path) -> dict[int, Path]:
    """Returns the keys that are there, by their numbers; raises StoreError."""
    directory = data / "keys"
    with _explained(directory):
        paths = {number: directory / f"{number}.key" for number in range(1, KEYS_MAX + 1)}
        return {number: path for number, path in paths.items() if path.exists()}


def read_key(path: Path) -> tuple[bytes | None, bool]:
    """Returns the seed in this file, None if it is damaged, and whether a process holds it; raises StoreError."""
    with _explained(path):
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            held = not try_lock(handle)
            content = os.read(handle, SEED_BYTES + 1)
        finally:
            os.close(handle)
    return content if len(content) == SEED_BYTES else None, held


def renew_key(path: Path) -> Path:
    """Puts a new key in the place of one; returns where the old one is now. Raises StoreError, too if it is held."""
    with _explained(path):
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            if not try_lock(handle):
                raise StoreError(f"{path}: a race2048 that runs now holds this key")
            mark = sha256(os.read(handle, SEED_BYTES + 1)).hexdigest()[:8]
            old = path.with_name(f"{path.stem}-{mark}.old")
            path.replace(old)  # nothing is lost: a file of this name would have the same content
            sync_directory(path.parent)
        finally:
            os.close(handle)
        made = _take(path, 0)
        if made is not None:
            made.release()
    return old


def _take(path: Path, number: int) -> Identity | None:
    """Takes one key; returns None if it is held elsewhere or is no key. A damaged one is left as it is."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    seed = None
    try:
        if try_lock(handle):
            if sys.platform != "win32":
                os.fchmod(handle, 0o600)
            seed = _read_or_make(handle)
    finally:
        if seed is None:
            os.close(handle)
    return None if seed is None else Identity(number, seed, handle)


def _read_or_make(handle: int) -> bytes | None:
    seed = os.read(handle, SEED_BYTES + 1)
    if not seed:  # new, or made by a process that died before it wrote
        seed = os.urandom(SEED_BYTES)
        os.write(handle, seed)
        os.fsync(handle)
    return seed if len(seed) == SEED_BYTES else None


def save_record(data: Path, effect: SaveRecord) -> str:
    """Keeps a record as races/DATE-CODE.r2048, or with a number behind; returns its path. Raises OSError.

    A copy that is already there, as two players on one computer make it, is not kept twice. A record that
    does not agree with what the client saw gets what the lobby told beside it: each signed thing after its u32 length.
    """
    code = "".join(character for character in effect.code if character in digits)  # it comes from the lobby
    path = _add(data / "races", f"{time.strftime('%Y-%m-%d')}-{code or 'race'}", RECORD_SUFFIX, effect.record)
    if not effect.ok:
        told = b"".join(len(signed).to_bytes(4, "big") + signed for signed in effect.told)
        _add(path.parent, path.stem, TOLD_SUFFIX, told)
    return str(path)


def _add(directory: Path, stem: str, suffix: str, content: bytes) -> Path:
    """Writes a new file, whole or not at all, under the first free name; if it is there already, finds it."""
    directory.mkdir(parents=True, exist_ok=True)
    temporary = directory / f".{os.urandom(8).hex()}.new"
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        for number in range(1, COPIES_MAX + 1):
            path = directory / f"{stem}{suffix if number == 1 else f'-{number}{suffix}'}"
            if _place(temporary, path) or path.read_bytes() == content:
                return path
    finally:
        temporary.unlink(missing_ok=True)
    raise FileExistsError(errno.EEXIST, "too many files of this name", str(path))


def _place(temporary: Path, path: Path) -> bool:
    """Gives a finished file its name; returns False, and changes nothing, if the name is taken."""
    try:
        # Unlike os.replace, a link never takes the place of a file that another process has just made.
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if path.exists():
            return False
        temporary.replace(path)
    sync_directory(path.parent)
    return True


def sync_directory(directory: Path) -> None:
    """Makes a new name last; where directories cannot be opened (Windows), the system does that by itself."""
    with suppress(PermissionError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _explained(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{directory}: {error.strerror or error}") from error
