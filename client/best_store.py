"""The bests of games alone and the last choice, on the disk.

Bests come from the records of games that are over and could always be counted anew: a record that is not yet in the
file is counted at the next look, so a program that is killed in between loses none. A file that cannot be read is put
aside, one of a newer program is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from client.bests import (
    Best,
    Bests,
    BestsError,
    NewerBestsError,
    Pair,
    Sort,
    clean_of,
    decode_bests,
    encode_bests,
    pair_of,
    sort_of,
)  # fmt: skip
from client.hint_store import HintStore
from client.locking import try_lock
from client.solo import Choice
from client.solo_store import SoloStore, put_aside, read_whole, write_whole
from engine.board import SIZES
from engine.solo import SoloKind, target_fault
from protocol.solo import SoloRecord

CATCH_UP_MAX = 64  # records that are counted at one look: a second's work at most


@dataclass(slots=True)
class BestStore:
    """The bests as they are known to this process.

    `kept`: where a file is that could not be read; `newer`: it is of a newer program, and nothing is written.
    """

    store: SoloStore
    bests: Bests = field(default_factory=Bests)
    kept: Path | None = None
    newer: bool = False

    @property
    def path(self) -> Path:
        """The file of the bests."""
        return self.store.directory / "bests.json"

    def load(self) -> None:
        """Reads the file."""
        try:
            content = self.path.read_bytes()
        except OSError:
            return
        try:
            self.bests = decode_bests(content)
        except NewerBestsError:
            self.newer = True
        except BestsError:
            with suppress(OSError):
                self.kept = put_aside(self.path, "damaged")

    def catch_up(self, keys: frozenset[bytes]) -> None:
        """Counts records of games that are over and not yet counted, if they are true and by one of these keys."""
        if set(self.store.archived()) - self.bests.counted:
            self._alone(lambda: self._count(keys))

    def count(self, name: str, sort: Sort, pair: Pair) -> None:
        """Counts the game that this process has just put among the records."""
        self._alone(lambda: self._take(name, sort, pair))

    def _alone(self, act: Callable[[], None]) -> None:
        with suppress(OSError):
            handle = os.open(self.path.with_name("bests.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if try_lock(handle):  # else whoever holds it counts
                    act()
            finally:
                os.close(handle)

    def _take(self, name: str, sort: Sort, pair: Pair) -> None:
        self.load()  # another process may have counted meanwhile
        if name not in self.bests.counted:
            self.bests.take(name, sort, pair)
            self._write()

    def _count(self, keys: frozenset[bytes]) -> None:
        from protocol.solo_verdict import verify_solo

        self.load()  # another process may have counted meanwhile
        hints = HintStore(self.store.directory)
        new = sorted(set(self.store.archived()) - self.bests.counted, reverse=True)[:CATCH_UP_MAX]
        for name in new:
            with suppress(OSError):
                verdict = verify_solo(read_whole(self.store.games / name))
                if verdict.record is None or verdict.solo is None or not verdict.ok:
                    self.bests.counted.add(name)
                elif verdict.record.opening.key in keys:
                    pair = pair_of(verdict.solo, before_hints(verdict.record, hints))
                    self.bests.take(name, sort_of(verdict.record.opening), pair)
                else:
                    self.bests.counted.add(name)
        if new:
            self._write()

    def _write(self) -> None:
        if not self.newer:
            write_whole(self.path, encode_bests(self.bests))


def open_pairs(store: SoloStore) -> list[tuple[Sort, Pair]]:
    """Returns what the games have reached that are not over, those of killed programs included."""
    from protocol.layout import LayoutError
    from protocol.replaying import FalseSoloError, played
    from protocol.solo import parse_solo

    hints = HintStore(store.directory)
    pairs = []
    for content in store.open_games():
        with suppress(LayoutError, FalseSoloError):
            record = parse_solo(content)
            solo = played(record)
            if solo.peak.score:
                pairs.append((sort_of(record.opening), pair_of(solo, before_hints(record, hints))))
    return pairs


def before_hints(record: SoloRecord, hints: HintStore) -> Best | None:
    """Returns what a true game had reached without help when its player had the first hint; None if there was none."""
    from protocol.replaying import played

    acts = hints.of(record.opening)
    if not acts:
        return None
    first = min(acts[0], len(record.acts))
    return clean_of(played(replace(record, acts=record.acts[:first], times=record.times[:first])))


class _Chosen(msgspec.Struct, frozen=True):
    size: int
    kind: int
    target_exponent: int


def last_choice(store: SoloStore) -> Choice:
    """Returns what was played last, the usual game if that cannot be told."""
    try:
        found = msgspec.json.decode((store.directory / "choice.json").read_bytes(), type=_Chosen)
        choice = Choice(found.size, SoloKind(found.kind), found.target_exponent)
    except (OSError, msgspec.MsgspecError, ValueError):
        return Choice()
    if choice.size not in SIZES or target_fault(choice.size, choice.kind, choice.target_exponent):
        return Choice()
    return choice


def remember_choice(store: SoloStore, choice: Choice) -> None:
    """Remembers what is played for the next time; a disk that does not take it costs nothing else."""
    chosen = _Chosen(choice.size, int(choice.kind), choice.target_exponent)
    if choice != last_choice(store):
        with suppress(OSError):
            write_whole(store.directory / "choice.json", msgspec.json.encode(chosen))
