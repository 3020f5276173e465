"""The best that was reached in games alone: by size, kind, target and where the deck is from (rules 2.6).

Pure: what a game has reached comes from engine/solo.py, and bests are merged here; solo_store.py keeps them. Everything
is kept twice: of games as far as nobody helped, that is before the first undo and the first hint, and of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from engine.board import SIZES
from engine.solo import Peak, Solo, SoloKind, target_fault
from protocol.solo import Opening, Origin

BESTS_VERSION = 1


class Sort(NamedTuple):
    """What is compared with each other: numbers, as they stand in an Opening."""

    size: int
    kind: int
    target_exponent: int
    origin: int


def sort_of(opening: Opening) -> Sort:
    """Returns what a game is compared with."""
    return Sort(opening.size, int(opening.kind), opening.target_exponent, int(opening.origin))


class Best(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The best of each figure, of whichever game; `moves` and `t_ms` to the target are 0 where it was never made.

    A target is at least four moves away, but its time may be 0: `is_made` tells.
    """

    score: int = 0
    max_exponent: int = 0
    moves: int = 0
    t_ms: int = 0

    @property
    def is_made(self) -> bool:
        """Whether the target was ever made."""
        return self.moves > 0

    def with_other(self, other: Best) -> Best:
        """Returns the best of both."""
        made = [best for best in (self, other) if best.is_made]
        return Best(
            score=max(self.score, other.score),
            max_exponent=max(self.max_exponent, other.max_exponent),
            moves=min((best.moves for best in made), default=0),
            t_ms=min((best.t_ms for best in made), default=0),
        )


class Pair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many games there were, the best without undo and hint, and the best of all."""

    games: int = 0
    clean: Best = Best()
    all: Best = Best()

    def with_other(self, other: Pair) -> Pair:
        """Returns both together."""
        return Pair(
            games=self.games + other.games,
            clean=self.clean.with_other(other.clean),
            all=self.all.with_other(other.all),
        )


def pair_of(solo: Solo, before_hints: Best | None = None) -> Pair:
    """Returns what one game has reached so far; `before_hints`: `clean_of` it at the first hint, if there was one."""
    clean = clean_of(solo) if before_hints is None else before_hints
    return Pair(games=1, clean=clean, all=_best(solo.peak, solo.made is not None, solo))


def clean_of(solo: Solo) -> Best:
    """Returns what a game has reached before its first undo."""
    return _best(solo.clean_peak, solo.made is not None and solo.made.undos == 0, solo)


def _best(peak: Peak, counts: bool, solo: Solo) -> Best:
    made = solo.made if counts else None
    moves, t_ms = (made.moves, made.t_ms) if made is not None else (0, 0)
    return Best(score=peak.score, max_exponent=peak.max_exponent, moves=moves, t_ms=t_ms)


@dataclass(slots=True)
class Bests:
    """All bests, and the names of the records that are in them."""

    pairs: dict[Sort, Pair] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)

    def of(self, sort: Sort) -> Pair:
        """Returns the bests of a sort of game; nothing reached if there was none."""
        return self.pairs.get(sort, Pair())

    def take(self, name: str, sort: Sort, pair: Pair) -> None:
        """Counts the game of a record."""
        self.counted.add(name)
        self.add(sort, pair)

    def add(self, sort: Sort, pair: Pair) -> None:
        """Counts a game."""
        self.pairs[sort] = self.of(sort).with_other(pair)

    def with_games(self, games: Iterable[tuple[Sort, Pair]]) -> Mapping[Sort, Pair]:
        """Returns the bests with games that are still being played; nothing is remembered of these."""
        together = dict(self.pairs)
        for sort, pair in games:
            together[sort] = together.get(sort, Pair()).with_other(pair)
        return together


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sort: tuple[int, int, int, int]
    pair: Pair


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    counted: list[str]
    bests: list[_Row]


class _Version(msgspec.Struct, frozen=True):
    version: int


class BestsError(ValueError):
    """A text that no bests can be read from."""


class NewerBestsError(BestsError):
    """Bests that a newer program has written."""


def encode_bests(bests: Bests) -> bytes:
    """Returns bests as a file."""
    rows = [
        _Row((sort.size, sort.kind, sort.target_exponent, sort.origin), pair)
        for sort, pair in sorted(bests.pairs.items())
    ]
    return msgspec.json.format(msgspec.json.encode(_File(BESTS_VERSION, sorted(bests.counted), rows)), indent=1)


def decode_bests(content: bytes) -> Bests:
    """Returns the bests in a file; raises BestsError."""
    try:
        if msgspec.json.decode(content, type=_Version).version > BESTS_VERSION:
            raise NewerBestsError("written by a newer program")
        found = msgspec.json.decode(content, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BestsError(str(error)) from error
    sorts = [Sort(*row.sort) for row in found.bests]
    wrong = next((sort for sort in sorts if not _is_sort(sort)), None)
    if wrong is not None:
        raise BestsError(f"no game is of the sort {tuple(wrong)}")
    return Bests(dict(zip(sorts, (row.pair for row in found.bests), strict=True)), set(found.counted))


def _is_sort(sort: Sort) -> bool:
    known = sort.size in SIZES and sort.kind in SoloKind.__members__.values()
    return (
        known
        and sort.origin in Origin.__members__.values()
        and not target_fault(sort.size, SoloKind(sort.kind), sort.target_exponent)
    )
