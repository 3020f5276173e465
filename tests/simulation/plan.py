"""The knobs of one world, all drawn from its seed before anything happens.

Every part of a world has dice of its own (`dice`), so that a change in one does not shake all the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from engine.race import Kind
from protocol.messages import Role, TableSettings

CALM_MS_MAX = 45_000  # how long faults last at most, of virtual time


def dice(seed: int, what: str) -> Random:
    """Returns the dice of one part of a world; text seeds do not depend on PYTHONHASHSEED."""
    return Random(f"{seed}/{what}")


@dataclass(frozen=True)
class LineKnobs:
    """How a line behaves; the times between faults are means, 0 for never."""

    delay_ms: int = 10  # one way
    jitter_ms: int = 0
    stall_every_ms: int = 0
    break_every_ms: int = 0
    hang_every_ms: int = 0  # half-open


@dataclass(frozen=True)
class PersonKnobs:
    """How somebody plays, and what they do beside that."""

    name: str
    role: Role
    pace_ms: int
    order: str  # the keys in the order in which they are tried
    line: LineKnobs
    clock_ms: int
    style: str = "steady"  # steady, idle, quitting
    double: float = 0.0  # how often a key is pressed twice
    offers: float = 0.0  # a second
    agrees: float = 0.3
    resigns: float = 0.0  # a second
    leaves: float = 0.0  # a second
    cancels: float = 0.0
    sleeps_every_ms: int = 0
    tricks: tuple[str, ...] = ()

    @property
    def honest(self) -> bool:
        """Whether this one plays by the program."""
        return not self.tricks


@dataclass(frozen=True)
class DiskKnobs:
    """How the lobby's disk behaves, and how often its process is killed."""

    write_ms: int = 0
    stall_every_ms: int = 0
    kills_every_ms: int = 0
    full_every_ms: int = 0
    drains_every_ms: int = 0  # it is told to end, politely
    stops_every_ms: int = 0  # the machine sleeps, or the process is stopped: the clock goes on without it
    down_ms: tuple[int, int] = (200, 8_000)


@dataclass(frozen=True)
class Plan:
    """Everything about a world that is settled before it begins."""

    seed: int
    settings: TableSettings
    chain_length: int
    people: tuple[PersonKnobs, ...]  # the first is the host
    disk: DiskKnobs
    calm_ms: int  # after so long all faults stop
    slow: bool = False  # most are in no hurry, so that a minute runs out before a race does

    def racers(self) -> list[PersonKnobs]:
        """Those who come to play."""
        return [person for person in self.people if person.role is not Role.WATCHER]


TRICKS = (
    "false-seal", "stranger-seal", "replay", "old-seal", "future", "flood", "standstill", "future-tick", "out-of-order",
    "wrong-head", "theft", "peek", "ping-flood", "garbage", "slow-pong", "claims-ahead", "claims-back", "watch-too",
)  # fmt: skip


def drawn(seed: int) -> Plan:
    """Returns the plan of the world with this seed."""
    dip = dice(seed, "plan")
    settings = _settings(dip)
    length = dip.choice((4, 12, 40)) if settings.kind == Kind.ENDLESS else dip.choice((40, 64, 128))
    mood = dip.choice(("kind", "rough", "rough", "wild"))
    seats = dip.choice([count for count in (2, 2, 3, 3, 4) if count <= settings.seats])
    people = [_person(dip, mood, place) for place in range(seats)]
    if dip.random() < 0.35:
        people.append(_watcher(dip, mood, len(people)))
    if dip.random() < 0.45:
        place = dip.randrange(1, len(people))
        people[place] = _cheat(dip, people[place])
    plan = Plan(seed, settings, length, tuple(people), _disk(dip, mood), dip.randrange(8_000, CALM_MS_MAX))
    plan = plan if mood == "kind" else _interrupted(plan, dice(seed, "interruptions"))
    return _slow(plan, dice(seed, "tempo"))


def _interrupted(plan: Plan, dip: Random) -> Plan:
    """In some worlds the lobby's process is stopped for a while, or told to end."""
    disk = plan.disk
    roll = dip.random()
    if roll < 0.12:
        disk = replace(disk, drains_every_ms=dip.choice((6_000, 12_000)))
    elif roll < 0.36:
        disk = replace(disk, stops_every_ms=dip.choice((3_000, 6_000)))
    return replace(plan, disk=disk)


def _slow(plan: Plan, tempo: Random) -> Plan:
    """In some worlds races are long, and whoever is stuck early goes away meanwhile."""
    if plan.settings.kind is Kind.TIMED or tempo.random() > 0.18:
        return plan
    people = [replace(person, pace_ms=tempo.choice((150, 1_100, 1_800))) for person in plan.people]
    settings = TableSettings(seats=plan.settings.seats, size=4, kind=Kind.ENDLESS, target_exponent=0, idle_ms=0)
    calm_ms = plan.calm_ms + 30_000
    plan = replace(plan, settings=settings, chain_length=64, people=tuple(people), calm_ms=calm_ms, slow=True)
    if tempo.random() < 0.4:
        return plan
    # Somebody comes and goes, and so does the lobby: windows that run are moved by gaps.
    people[-1] = replace(people[-1], style="quitting")
    return replace(plan, people=tuple(people), disk=replace(plan.disk, kills_every_ms=20_000, down_ms=(3_000, 40_000)))


def _settings(dip: Random) -> TableSettings:
    kind = dip.choice((Kind.TARGET, Kind.TARGET, Kind.TIMED, Kind.ENDLESS, Kind.ENDLESS))
    size = dip.choice((3, 3, 4)) if kind is not Kind.ENDLESS else 3
    return TableSettings(
        seats=dip.choice((2, 3, 4, 4)),
        size=size,
        kind=kind,
        target_exponent=dip.choice((4, 5, 6) if size == 4 else (4, 5)) if kind is Kind.TARGET else 0,
        time_ms=dip.choice((5_000, 8_000, 15_000)) if kind is Kind.TIMED else 0,
        lead=dip.choice((16, 32, 96)),
        idle_ms=dip.choice((0, 30_000)) if kind is not Kind.TIMED else 0,
    )


def _line(dip: Random, mood: str) -> LineKnobs:
    delay_ms = dip.choice((0, 1, 4, 20, 40, 120))
    if mood == "kind":
        return LineKnobs(delay_ms, dip.choice((0, 0, 5)))
    wild = mood == "wild"
    return LineKnobs(
        delay_ms,
        dip.choice((0, 3, 30, 120)),
        dip.choice((0, 3_000, 9_000)),
        dip.choice((0, 6_000) if wild else (0, 0, 15_000)),
        dip.choice((0, 8_000) if wild else (0, 0, 0, 20_000)),
    )


def _person(dip: Random, mood: str, place: int) -> PersonKnobs:
    order = "".join(dip.sample("urdl", 4))
    style = dip.choice(("steady", "steady", "steady", "idle", "quitting")) if mood != "kind" else "steady"
    return PersonKnobs(
        name=("fox", "owl", "hare", "mole", "carp")[place],
        role=Role.PLAYER if place == 0 or dip.random() < 0.85 else Role.COMPUTER,
        pace_ms=dip.choice((30, 90, 140, 200, 330)),
        order=order,
        line=_line(dip, mood),
        clock_ms=dip.choice((0, 0, 5_000_000, -700_000)),
        style=style,
        double=dip.choice((0.0, 0.05, 0.3)),
        offers=dip.choice((0.0, 0.0, 0.1, 0.4)),
        agrees=dip.choice((0.1, 0.5, 0.9)),
        resigns=dip.choice((0.0, 0.0, 0.01, 0.05)),
        leaves=dip.choice((0.0, 0.0, 0.0, 0.01)),
        cancels=dip.choice((0.0, 0.0, 0.2)),
        sleeps_every_ms=dip.choice((0, 0, 20_000)) if mood != "kind" else 0,
    )


def _watcher(dip: Random, mood: str, place: int) -> PersonKnobs:
    order = "urdl"
    return PersonKnobs("lynx", Role.WATCHER, 1_000, order, _line(dip, mood), dip.choice((0, 3_000_000)))


def _cheat(dip: Random, person: PersonKnobs) -> PersonKnobs:
    tricks = tuple(dip.sample(TRICKS, dip.choice((1, 3, 6))))
    kept = {name: getattr(person, name) for name in ("name", "role", "pace_ms", "order", "line", "clock_ms")}
    return PersonKnobs(**kept, tricks=tricks, offers=person.offers)


def _disk(dip: Random, mood: str) -> DiskKnobs:
    if mood == "kind":
        return DiskKnobs(dip.choice((0, 1)))
    return DiskKnobs(
        write_ms=dip.choice((0, 1, 5, 40)),
        stall_every_ms=dip.choice((0, 0, 5_000)),
        kills_every_ms=dip.choice((0, 9_000, 20_000) if mood == "rough" else (0, 5_000, 12_000)),
        full_every_ms=dip.choice((0, 0, 0, 20_000)),
        down_ms=dip.choice(((200, 2_000), (200, 8_000), (2_500, 30_000))),
    )
