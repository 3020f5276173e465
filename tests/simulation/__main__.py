"""Plays one world of the simulator again (--seed N, with -v everything that happens), or many (--worlds, --minutes)."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import nullcontext
from typing import NamedTuple

from tests.simulation.bugs import BUGS
from tests.simulation.plan import drawn
from tests.simulation.world import BrokenError, World, play

WORLDS_MAX, STORED_EACH = 500, 3
BATCH = 10  # worlds handed to a process at a time


def main() -> int:
    """Returns 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the world, or the first of many")
    parser.add_argument("--worlds", type=int, default=1, metavar="N", help="how many")
    parser.add_argument("--minutes", type=float, default=0.0, metavar="M", help="as many as can be played in that time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="in so many processes")
    parser.add_argument("-v", action="store_true", help="show everything that happens")
    parser.add_argument(
        "--bugs", action="store_true", help="look for the worlds in which planted bugs show (stored.py)"
    )
    options = parser.parse_args()
    if options.bugs:
        return _look_for_bugs(options.seed)
    if options.worlds == 1 and not options.minutes:
        return _one(options.seed, verbose=options.v)
    return _many(options.seed, options.worlds, options.minutes * 60, options.jobs)


def _one(seed: int, *, verbose: bool) -> int:
    world = World(drawn(seed), print if verbose else None)
    if verbose:
        print(world.plan)
    try:
        world.play()
    except BrokenError as error:
        print(error)
        if error.__cause__ is not None and verbose:
            raise
        return 1
    print(f"world {seed}: {len(world.looker.archived)} races, {world.process.kills} kills, {world.digest()}")
    return 0


def _many(first: int, worlds_max: int, duration_s: float, jobs: int) -> int:
    """Plays batches of worlds, in so many processes, until there are enough and the time is over."""
    began = time.monotonic()
    total, ends = Counter[str](), Counter[str]()
    with ProcessPoolExecutor(jobs) as pool:
        seeds = itertools.count(first, BATCH)
        running: set[Future[Told]] = set()

        def wanted() -> bool:
            asked = total["worlds"] + BATCH * len(running)
            return asked < worlds_max or time.monotonic() < began + duration_s

        while running or wanted():
            while len(running) < 2 * jobs and wanted():
                left = worlds_max - total["worlds"] - BATCH * len(running)
                running.add(pool.submit(_batch, next(seeds), BATCH if duration_s else min(BATCH, left)))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for told in (future.result() for future in done):
                total.update(told.total)
                ends.update(told.ends)
                for broken in told.broken:
                    print(broken, flush=True)
    rate = total["worlds"] / (time.monotonic() - began)
    print(", ".join(f"{count} {what}" for what, count in sorted(total.items())))
    print(f"{rate:.1f} worlds/s in {jobs} processes; races ended by {dict(sorted(ends.items()))}")
    return 1 if total["broken"] else 0


class Told(NamedTuple):
    """What became of some worlds."""

    total: Counter[str]
    ends: Counter[str]
    broken: list[str]


def _batch(first: int, worlds: int) -> Told:
    told = Told(Counter(), Counter(), [])
    for seed in range(first, first + worlds):
        world = World(drawn(seed))
        try:
            world.play()
        except BrokenError as error:
            told.total["broken"] += 1
            told.broken.append(str(error))
        told.ends.update(world.looker.ends)
        looked = {"races": len(world.looker.archived), "modelled": world.looker.shadow.judged}
        process = world.process
        done = {"kills": process.kills, "drains": process.drains, "stops": process.stops}
        told.total.update({"worlds": 1, "checks": world.looker.checks, **done, **looked})
    return told


def _look_for_bugs(first: int) -> int:
    """Prints the lines of stored.py anew: the program has changed, and what happens in a world with it."""
    missed = 0
    for name in BUGS:
        found: list[int] = []
        for seed in range(first, first + WORLDS_MAX):
            if len(found) < STORED_EACH and not _is_whole(seed, name) and _is_whole(seed):
                found.append(seed)
        missed += not found
        print(f'    "{name}": {tuple(found)},', flush=True)
    return 1 if missed else 0


def _is_whole(seed: int, bug: str = "") -> bool:
    try:
        with BUGS[bug]() if bug else nullcontext():
            play(seed)
    except BrokenError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
