"""True records to freeze in tests/vectors/records/true: every way a race can end, and whatever a record can hold.

Those whose names begin with "played" come out of a real lobby and its clients under the virtual clock; the others are
made seat by seat, for endings that are hard to play.
"""

from __future__ import annotations

from collections.abc import Callable

from client.actions import Agree, Resign
from engine.race import Kind, Outcome, Termination, Vote, Voted
from protocol.limits import Windows
from protocol.messages import TableSettings
from protocol.movelog import Act
from protocol.record import EventKind, Gap
from tests.protocol.races import (
    ENDLESS,
    TARGET_8,
    TIMED,
    MadeRace,
    all_stuck_race,
    drawn_race,
    forfeited_race,
    resigned_race,
    secret,
    stuck_race,
    target_race,
    timed_race,
)
from tests.world import Client, World

HOSTILE = ("\x1b[2Jfox", "o\u202ewl", "", "x" * 255)


def dead_heat() -> MadeRace:
    """Two push the same way on the same deck, and make the tile in one millisecond."""
    race = MadeRace(TARGET_8)
    for racer in race.racers:
        racer.order = 0
        racer.play_to(3)
        racer.sign(Act.TARGET)
    return race


def fewer_moves_race() -> MadeRace:
    """Two make the target in one millisecond; seat 1 has needed fewer moves, since seat 0 pushes in another order."""
    slow = MadeRace(TARGET_8)
    for racer in slow.racers:
        racer.play_to(3)
    counts = [len(racer.log) for racer in slow.racers]
    assert counts[0] != counts[1], "these two need as many moves"
    race = MadeRace(TARGET_8)
    for racer, count in zip(race.racers, counts, strict=True):
        racer.play(count - 1, step_ms=50)
        racer.move(2_000)
        racer.sign(Act.TARGET)
    return race


def stuck_alike() -> MadeRace:
    """Two push the same way on the same deck until nothing moves: equal scores."""
    race = MadeRace(ENDLESS)
    for racer in race.racers:
        racer.order = 0
        racer.play()
        racer.sign(Act.STUCK)
    return race


def absent_draw() -> MadeRace:
    """A stuck seat has been away, back and away again; the others agree without it."""
    race = MadeRace(ENDLESS, 3)
    race.racers[2].play()
    race.racers[2].sign(Act.STUCK)
    race.absent(2, 70_000)
    race.absent(2, 71_000, absent=False)
    race.absent(2, 140_000)
    race.vote(0, 150_000, Act.AGREE, race.offer(1, 149_000))
    return race


def nobody_left() -> MadeRace:
    """Both windows end in one millisecond: void."""
    race = MadeRace(ENDLESS)
    race.forfeit(0, 61_000)
    race.forfeit(1, 61_000)
    return race


def bell_tie() -> MadeRace:
    """Nobody has moved when the bell rings."""
    race = MadeRace(TIMED, 4)
    race.close()
    return race


def gap_at_the_bell() -> tuple[MadeRace, Outcome]:
    """The lobby was away twice; the bell rings as much later."""
    race = timed_race()
    race.gaps = [Gap(2_000, 4_100), Gap(6_000, 9_000)]
    return race, Outcome(Termination.BELL, (0,), 10_100)


def void_by_gaps() -> tuple[MadeRace, Outcome]:
    """The lobby was away for more than ten minutes in sum."""
    race = MadeRace(ENDLESS)
    for racer in race.racers:
        racer.play(3)
    race.close()
    race.gaps = [Gap(10_000, 310_000), Gap(320_000, 620_001)]
    return race, Outcome(Termination.VOID, (), 620_001)


def corrected_moves() -> MadeRace:
    """Moves of seat 0 arrive late, early, and after an offer; seat 1 resigns."""
    race = MadeRace(ENDLESS)
    racer = race.racers[0]
    racer.move(100, 900, 400)
    racer.play(2, step_ms=700)
    race.offer(0, 3_000)
    racer.move(2_900, 3_100, 400)
    racer.move(3_250, 3_180, 100)
    racer.sign()
    race.resign(1, 9_000)
    return race


def said_and_unsealed() -> MadeRace:
    """An answer to an offer that is not in the record counts as said; the last moves of seat 0 are not sealed."""
    race = MadeRace(ENDLESS, 3)
    racer = race.racers[0]
    racer.play(4)
    race.happen(Voted(1_000, 0, Vote.REFUSE, 9), EventKind.SAID, seal=racer.sign(Act.REFUSE, 9))
    racer.move(900, 1_100, 250)
    racer.play(3)
    race.resign(1, 2_000)
    race.resign(2, 2_100)
    return race


def offers_with_fates() -> MadeRace:
    """Offers refused, withdrawn, lapsed, too soon; in the end all agree."""
    race = MadeRace(ENDLESS, 2)
    race.vote(0, 900, Act.REFUSE, race.offer(1, 800))
    race.vote(0, 1_100, Act.WITHDRAW, race.offer(0, 1_000))
    race.offer(1, 2_000, 2)  # too soon after the first
    race.offer(1, 20_000, 3)
    race.vote(1, 52_000, Act.AGREE, race.offer(0, 51_000, 2))  # the other has lapsed at 50,000
    return race


def played(settings: TableSettings, end: Callable[[World, list[Client]], None], times: int = 1_000_000) -> bytes:
    """The record of a race of four in the world: everyone presses keys at an own pace, `end` says how it ends."""
    world = World(seed=repr(settings))
    host = world.host(settings, delay_ms=12)
    guests = [world.join(host, name, delay_ms=30 * (1 + place)) for place, name in enumerate(("owl", "hare", "carp"))]
    racers = [host, *guests]
    world.start(*racers)
    for place, racer in enumerate(racers):
        world.press(racer, 110 + 17 * place, ("ruld", "dlur", "lurd", "urdl")[place], times=times)
    end(world, racers)
    world.finish(*racers)
    return host.records[0].record


def _wait(world: World, racers: list[Client]) -> None:
    """The race ends by itself."""


def _resign(world: World, racers: list[Client]) -> None:
    world.run(5_000)
    for racer in racers[1:]:
        world.act(racer, Resign())
        world.run(300)


def _draw(world: World, racers: list[Client]) -> None:
    world.run(3_000)
    for racer in racers:
        world.act(racer, Agree())
        world.run(200)


def _away(world: World, racers: list[Client]) -> None:
    world.run(2_000)
    for racer in racers[1:]:
        world.cut(racer)
    world.run(75_000)
    for racer in racers[1:]:
        world.mend(racer)


def four(size: int, kind: Kind, **more: int) -> TableSettings:
    """Settings of a table of four."""
    return TableSettings(seats=4, size=size, kind=kind, **{"target_exponent": 0, **more})


def made(race: MadeRace, outcome: Outcome | None = None) -> bytes:
    """The record of a made race."""
    return race.record(outcome=outcome)


TRUE: dict[str, Callable[[], bytes]] = {
    "target": lambda: made(target_race()),
    "target-dead-heat": lambda: made(dead_heat()),
    "target-fewer-moves": lambda: made(fewer_moves_race()),
    "last-mover": lambda: made(stuck_race()),
    "last-mover-of-three": lambda: made(stuck_race(3)),
    "all-stuck": lambda: made(all_stuck_race()),
    "all-stuck-tie": lambda: made(stuck_alike()),
    "bell": lambda: made(timed_race()),
    "bell-tie": lambda: made(bell_tie()),
    "bell-after-gaps": lambda: made(*gap_at_the_bell()),
    "alone-resigned": lambda: made(resigned_race()),
    "alone-forfeited": lambda: made(forfeited_race()),
    "draw": lambda: made(drawn_race()),
    "draw-absent": lambda: made(absent_draw()),
    "draw-after-other-offers": lambda: made(offers_with_fates()),
    "void-nobody-left": lambda: made(nobody_left()),
    "void-gaps": lambda: made(*void_by_gaps()),
    "deck-used-up": lambda: made(stuck_race(links=2)),
    "corrections": lambda: made(corrected_moves()),
    "said-and-unsealed": lambda: made(said_and_unsealed()),
    "seeded": lambda: made(target_race(seed=secret("seed"), seats=3)),
    "computers": lambda: made(target_race(computers=[1])),
    "hostile-names": lambda: made(target_race(names=HOSTILE, seats=4)),
    "short-windows": lambda: made(timed_race(windows=Windows(claim_ahead_ms=0, moves_per_s=1_000, moves_burst=1))),
    "played-target-4x4": lambda: played(four(4, Kind.TARGET, target_exponent=8), _wait),
    "played-target-5x5": lambda: played(four(5, Kind.TARGET, target_exponent=7), _wait),
    "played-endless-3x3": lambda: played(four(3, Kind.ENDLESS), _wait),
    "played-bell-8x8": lambda: played(four(8, Kind.TIMED, time_ms=20_000, idle_ms=0), _wait),
    "played-resigned-6x6": lambda: played(four(6, Kind.ENDLESS), _resign),
    "played-draw-4x4": lambda: played(four(4, Kind.ENDLESS), _draw, times=10),
    "played-forfeited-5x5": lambda: played(four(5, Kind.ENDLESS), _away),
}
