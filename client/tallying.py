"""What somebody has won and lost: the sums over many races. Pure; which races there are is archive.py's business.

Only true records of races that the person sat in count, and no seeded deck, which could be known before. Races against
computer players alone are counted apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from client.facts import Facts, Finisher
from engine.race import Termination
from protocol.messages import TableSettings
from protocol.text import SafeText


@dataclass(slots=True)
class Sum:
    """Races, and how many of them were won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def races(self) -> int:
        """How many there were."""
        return self.wins + self.draws + self.losses

    @property
    def percent(self) -> int:
        """How many of a hundred were won; a drawn one counts half."""
        return round((100 * self.wins + 50 * self.draws) / self.races) if self.races else 0

    def add(self, result: int) -> None:
        """Takes in a race that was won (1), drawn (0) or lost (-1)."""
        if result > 0:
            self.wins += 1
        elif result < 0:
            self.losses += 1
        else:
            self.draws += 1


@dataclass(slots=True)
class Opponent:
    """Somebody who was raced against; `name` is the latest of this key."""

    key: bytes
    name: SafeText
    sum: Sum = field(default_factory=Sum)


@dataclass(slots=True)
class Tally:
    """The sums over the races of one sort: against people, or against computer players alone.

    `streak` is how many of the latest races in a row were won (or lost, below 0).
    """

    sum: Sum = field(default_factory=Sum)
    by_settings: dict[TableSettings, Sum] = field(default_factory=dict)
    best_score: int = 0
    max_exponent: int = 0
    moves: int = 0
    moving_ms: int = 0
    most_moves_per_s: float = 0.0
    streak: int = 0
    longest_streak: int = 0
    opponents: dict[bytes, Opponent] = field(default_factory=dict)
    computers: Sum = field(default_factory=Sum)  # against each computer player in these races

    @property
    def moves_per_s(self) -> float:
        """How many moves a second, over all races."""
        return 1_000 * self.moves / self.moving_ms if self.moving_ms else 0.0

    def ranked_opponents(self) -> list[Opponent]:
        """Returns who was raced against, most often first."""
        return sorted(self.opponents.values(), key=lambda each: (-each.sum.races, each.name, each.key))


@dataclass(slots=True)
class Stats:
    """What there is to tell. The last four count what was left out of the sums."""

    people: Tally = field(default_factory=Tally)
    computers: Tally = field(default_factory=Tally)
    void: int = 0
    watched: int = 0
    seeded: int = 0
    untrue: int = 0
    alone: int = 0  # nobody else sat there but another key of one's own


def tally(races: Iterable[Facts | None], mine: Collection[bytes]) -> Stats:
    """Returns the sums over these races, given from the oldest to the newest; None is a file that cannot be read."""
    stats = Stats()
    for facts in races:
        if facts is None or facts.fault or facts.alone is not None:  # no true record of a race
            stats.untrue += 1
        elif not any(each.key in mine for each in facts.finishers):
            stats.watched += 1
        elif facts.seeded:
            stats.seeded += 1
        elif facts.termination is Termination.VOID:
            stats.void += 1
        elif all(each.key in mine for each in facts.finishers):
            stats.alone += 1
        else:
            people = any(not each.computer and each.key not in mine for each in facts.finishers)
            _count(stats.people if people else stats.computers, facts, mine)
    return stats


def _count(into: Tally, facts: Facts, mine: Collection[bytes]) -> None:
    # Two of one's own keys at one table are two terminals of one person: the better one counts.
    me = next(each for each in facts.finishers if each.key in mine)
    result = 0 if me.won and sum(each.won for each in facts.finishers) > 1 else 1 if me.won else -1
    into.sum.add(result)
    assert facts.settings is not None, "a true record has settings"
    into.by_settings.setdefault(_kind_of(facts.settings), Sum()).add(result)
    into.best_score = max(into.best_score, me.score)
    into.max_exponent = max(into.max_exponent, me.max_exponent)
    into.moves += me.moves
    into.moving_ms += me.last_ms
    if me.last_ms:
        into.most_moves_per_s = max(into.most_moves_per_s, 1_000 * me.moves / me.last_ms)
    won = result > 0
    into.streak = (max(into.streak, 0) + 1 if won else min(into.streak, 0) - 1) if result else 0
    into.longest_streak = max(into.longest_streak, into.streak)
    for other in facts.finishers:
        if other.key not in mine:
            _sum_against(into, other).add(_against(me, other))


def _kind_of(settings: TableSettings) -> TableSettings:
    """Returns the settings as far as races are compared by them: size, kind, and what it is raced for."""
    return TableSettings(
        size=settings.size,
        kind=settings.kind,
        target_exponent=settings.target_exponent,
        time_ms=settings.time_ms,
    )


def _sum_against(into: Tally, other: Finisher) -> Sum:
    if other.computer:
        return into.computers
    opponent = into.opponents.setdefault(other.key, Opponent(other.key, other.name))
    opponent.name = other.name
    return opponent.sum


def _against(me: Finisher, other: Finisher) -> int:
    """Returns who of two was placed before the other; two winners are equal."""
    if me.won and other.won:
        return 0
    return 1 if me.place < other.place else -1
