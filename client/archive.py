"""The records that were saved on this computer: where they are, whose keys are in them, and what came of each.

To verify a race takes as long as to play it again, so what came of it is remembered, by the SHA-256 of the file. That
memory is safe to delete and never believed for another file, nor by a program that judges otherwise: it holds a digest
of the code that judged.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from client.facts import Facts, facts_of
from client.reading import RecordFault, read_bytes
from client.store import RECORD_SUFFIX, SEED_BYTES
from protocol.layout import LayoutError
from protocol.limits import RECORD_BYTES_MAX
from protocol.signing import Signer
from protocol.solo import SOLO_BYTES_MAX, parse_solo

MEMORY_NAME = "races.judged"
_MEMORY_BYTES_MAX = 64 << 20
_DIGEST_BYTES = 32
_STEM = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d+|race)(?:-(\d+))?")
_SOLO_STEM = re.compile(r"(\d{4}-\d{2}-\d{2})-\d+x.*")  # solo_play.py gives these names


@dataclass(frozen=True, slots=True)
class Saved:
    """A record on this computer. `date` is that of its name, else of the file; `code` the table's, if it is known.

    `alone`: of a game alone; `open`: which is not over, so that its file still grows.
    """

    path: Path
    date: str
    code: str
    alone: bool = False
    open: bool = False

    @property
    def id(self) -> str:
        """The name by which it is asked for."""
        return self.path.name.removesuffix(RECORD_SUFFIX)


@dataclass(frozen=True, slots=True)
class Judged:
    """A record with what came of it; `facts` is None if the file could not be read, and `reason` says why."""

    saved: Saved
    facts: Facts | None
    reason: str = ""


def own_keys(data: Path) -> frozenset[bytes]:
    """Returns the public keys of this person, of every terminal that ever played here; takes and makes none."""
    return frozenset(Signer(seed).key for seed in own_seeds(data))


def own_seeds(data: Path) -> list[bytes]:
    """Returns the secret keys of this person, held by a process or not."""
    seeds = []
    for path in sorted((data / "keys").glob("*.key")):
        with suppress(OSError):
            seed = path.read_bytes()
            if len(seed) == SEED_BYTES:
                seeds.append(seed)
    return seeds


def saved_records(data: Path) -> list[Saved]:
    """Returns the records of the races of this computer, the newest first."""
    return _sorted(_race(path) for path in _files(data / "races"))


def saved_games(data: Path) -> list[Saved]:
    """Returns the records of races and of games alone, unfinished ones included, the newest first."""
    solo = data / "solo"
    begun = [path for path in _files(solo) if _is_begun(path)]
    return _sorted(
        [
            *(_race(path) for path in _files(data / "races")),
            *(_alone(path) for path in _files(solo / "games")),
            *(_alone(path, is_open=True) for path in begun),
        ]
    )


def _files(directory: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in directory.iterdir() if path.name.endswith(RECORD_SUFFIX)]
    return []


def _is_begun(path: Path) -> bool:
    """Returns whether anything was done in a game that is not over; one that cannot be told is listed as such."""
    try:
        return bool(parse_solo(read_bytes(path, SOLO_BYTES_MAX)).acts)
    except LayoutError:
        return path.stat().st_size > 0
    except RecordFault:
        return True


def _sorted(found: Iterable[tuple[tuple[str, int, str], Saved]]) -> list[Saved]:
    return [saved for _, saved in sorted(found, key=lambda each: each[0], reverse=True)]


def _race(path: Path) -> tuple[tuple[str, int, str], Saved]:
    """Returns a record and what it is sorted by: the date, then when the file was written."""
    changed_ns = _changed_ns(path)
    named = _STEM.fullmatch(path.name.removesuffix(RECORD_SUFFIX))
    date = named[1] if named else _day(changed_ns)
    code = named[2] if named and named[2] != "race" else ""
    return (date, changed_ns, path.name), Saved(path, date, code)


def _alone(path: Path, *, is_open: bool = False) -> tuple[tuple[str, int, str], Saved]:
    """Returns the record of a game alone; one that is not over is sorted by when it was played last."""
    changed_ns = _changed_ns(path)
    named = None if is_open else _SOLO_STEM.fullmatch(path.name.removesuffix(RECORD_SUFFIX))
    date = named[1] if named else _day(changed_ns)
    return (date, changed_ns, path.name), Saved(path, date, "", alone=True, open=is_open)


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _day(changed_ns: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(changed_ns // 1_000_000_000))


def found_records(saved: list[Saved], named: str) -> list[Saved]:
    """Returns which records are meant by a number (1 is the newest), the beginning of a name, or a table code."""
    if named.isdecimal() and 1 <= int(named) <= len(saved):
        return [saved[int(named) - 1]]
    whole = [each for each in saved if named in (each.id, each.path.name)]
    code = "".join(character for character in named if character not in "- ")
    return whole or [each for each in saved if named and (each.id.startswith(named) or each.code == code)]


def _read(saved: Saved) -> bytes:
    return read_bytes(saved.path, SOLO_BYTES_MAX if saved.alone else RECORD_BYTES_MAX)


class Archive:
    """Judges records and remembers what came of it."""

    def __init__(self, data: Path) -> None:
        self._path = data / MEMORY_NAME
        self._known = _load(self._path)
        self._learnt = False

    def unknown(self, saved: Iterable[Saved]) -> int:
        """Returns how many of these will have to be verified."""
        return sum(not each.open and self._digest(each) not in self._known for each in saved)

    def judged(self, saved: Saved) -> Judged:
        """Returns what came of a record: known, or verified now."""
        try:
            content = _read(saved)
        except RecordFault as fault:
            return Judged(saved, None, fault.reason)
        if saved.open:  # it will be another file with the next move
            return Judged(saved, facts_of(saved.path, content))
        digest = hashlib.sha256(content).hexdigest()
        facts = self._known.get(digest)
        if facts is None:
            facts = self._known[digest] = facts_of(saved.path, content)
            self._learnt = True
        return Judged(saved, facts)

    def all_judged(self, saved: Iterable[Saved]) -> list[Judged]:
        """Returns what came of each of these, and remembers it for the next time."""
        found = [self.judged(each) for each in saved]
        self.remember()
        return found

    def remember(self) -> None:
        """Writes down what is known; a disk that does not take it costs only time."""
        judge = _judge()
        if not self._learnt or not judge:
            return
        temporary = self._path.with_name(f".{os.urandom(8).hex()}.new")
        with suppress(OSError):
            try:
                content = msgspec.json.encode(_Memory(judge=judge, known=self._known))
                temporary.write_bytes(hashlib.sha256(content).digest() + content)
                temporary.replace(self._path)
            finally:
                temporary.unlink(missing_ok=True)
        self._learnt = False

    @staticmethod
    def _digest(saved: Saved) -> str:
        try:
            return hashlib.sha256(_read(saved)).hexdigest()
        except RecordFault:
            return ""


class _Memory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is remembered: the digest of the code that judged, and by the digest of each file what came of it."""

    judge: str
    known: dict[str, Facts]


def _load(path: Path) -> dict[str, Facts]:
    """Returns what is remembered, nothing if it is damaged, or if another program has judged."""
    try:
        with path.open("rb") as file:
            digest, content = file.read(_DIGEST_BYTES), file.read(_MEMORY_BYTES_MAX)
        if hashlib.sha256(content).digest() != digest:
            return {}
        memory = msgspec.json.decode(content, type=_Memory)
    except (OSError, msgspec.MsgspecError):
        return {}
    return memory.known if memory.judge == _judge() else {}


@cache
def _judge() -> str:
    """Returns a digest of all code that has a say in a verdict; empty where it is not in files."""
    digest = hashlib.sha256()
    try:
        for package in ("engine", "protocol", "client"):
            names = ("facts.py", "reading.py", "solo_facts.py") if package == "client" else None
            for entry in sorted(resources.files(package).iterdir(), key=lambda entry: entry.name):
                if entry.name.endswith(".py") and (names is None or entry.name in names):
                    content = entry.read_bytes()
                    digest.update(f"{package}/{entry.name} {len(content)}\n".encode() + content)
    except (OSError, ModuleNotFoundError):
        return ""
    return digest.hexdigest()
