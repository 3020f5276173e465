"""A soak: a hundred tables of four at a real lobby process, for half an hour; does its memory grow, do its files?

All players are real clients in this process (bench/crowd.py). They race to a small target, again and again; now and
then a table is left and another opened, so that all that a lobby does in its life happens many times. Looked at are the
lobby's resident memory and open descriptors, and its log: any line in that is a warning or worse. The slope is that of
the straight line with the least squares through what was seen after the warm-up; its error is what its residuals give.
A table that everybody has left stands for ten minutes (rules 3.11), so the warm-up is longer than the first tables last
and those ten minutes together: before that nothing can be flat.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.crowd import Player, seated, tables
from engine.race import Kind
from protocol.messages import TableSettings

TABLES, QUICK_TABLES = 100, 10
MINUTES, QUICK_MINUTES = 10.0, 2.0  # after the warm-up
WARM_UP_MINUTES, QUICK_WARM_UP_MINUTES = 17.0, 1.0
PAUSE_S = (
    2.0  # between two moves of a player: a hundred tables at the pace of people are more than a core of ours bears
)
RACES_A_TABLE = (1, 7)  # at least and at most; then all leave it, and open another
LOOK_S = 2.0
TABLES_MAX = 1_000  # those that were left stand for ten minutes: they are twice as many as those that race
SLOPE_MB_A_HOUR = 1.0
SETTINGS = TableSettings(seats=4, size=4, kind=Kind.TARGET, target_exponent=5)


def main(*, quick: bool, minutes: float | None = None, pause: float | None = None, at: int | None = None) -> None:
    count = at or (QUICK_TABLES if quick else TABLES)
    with tempfile.TemporaryDirectory() as scratch:
        complaints = Path(scratch) / "log"
        lobby = subprocess.Popen(
            [
                sys.executable, "-m", "lobby", "--bind", "127.0.0.1", "--port", "0", "--json", "--data-dir", scratch,
                "--log-format", "json", "--max-tables", str(TABLES_MAX),
            ],
            stdout=subprocess.PIPE, stderr=complaints.open("wb"),
        )  # fmt: skip
        try:
            assert lobby.stdout is not None
            url = json.loads(lobby.stdout.readline())["url"]
            soak = Soak(url, lobby.pid, count, pause or PAUSE_S)
            warm_up, usual = (QUICK_WARM_UP_MINUTES, QUICK_MINUTES) if quick else (WARM_UP_MINUTES, MINUTES)
            asyncio.run(soak.run(60 * warm_up, 60 * (minutes or usual)))
        finally:
            alive = lobby.poll() is None
            lobby.terminate()
            code = lobby.wait()
            _tell_log(complaints.read_text().splitlines(), code, alive=alive)
        soak.tell()


def _tell_log(lines: Sequence[str], code: int, *, alive: bool) -> None:
    """Prints what the lobby had to say, also when the soak was broken off."""
    levels = Counter(json.loads(line)["level"] if line.startswith("{") else "none" for line in lines)
    ended = "went on to the end" if alive else "HAS ENDED"
    print(f"the lobby {ended}, exit code {code}; lines in its log: {dict(levels)}")
    for line in lines[:5]:
        print(line[:2_000])


class Soak:
    """A hundred tables, and what is seen of their lobby."""

    def __init__(self, url: str, pid: int, count: int, pause_s: float) -> None:
        self._url, self._pid, self._count, self._pause_s = url, pid, count, pause_s
        self._chance = random.Random(2_048)
        self._seen: list[tuple[float, int, int]] = []  # seconds, bytes, descriptors; after the warm-up
        self._cpu_s = self._warm_s = self._end_s = 0.0
        self.races = self.opened = 0

    async def run(self, warm_up_s: float, duration_s: float) -> None:
        """Plays for so long after a warm-up; raises what goes wrong in a client."""
        groups = await tables(self._url, self._count, SETTINGS, self._chance, self._pause_s)
        self.opened = len(groups)
        self._warm_s = time.perf_counter() + warm_up_s
        self._end_s = self._warm_s + duration_s
        async with asyncio.TaskGroup() as group:
            for number, players in enumerate(groups):
                group.create_task(self._table(number, players))
            group.create_task(self._look())

    async def _table(self, number: int, players: list[Player]) -> None:
        wanted = self._chance.randint(*RACES_A_TABLE)
        while time.perf_counter() < self._end_s:
            await asyncio.sleep(self._chance.uniform(1, 3))
            if any(player.session.ending for player in players):
                raise RuntimeError(f"a player of table {number} was ended: {[p.session.ending for p in players]}")
            if min(player.races for player in players) >= wanted:
                self.races += wanted
                wanted = self._chance.randint(*RACES_A_TABLE)
                await asyncio.gather(*(player.leave() for player in players))
                players = await seated(self._url, f"t{number}", SETTINGS, self._chance, self._pause_s)
                self.opened += 1
        self.races += min(player.races for player in players)
        await asyncio.gather(*(player.stop() for player in players))

    async def _look(self) -> None:
        while (now := time.perf_counter()) < self._end_s:
            if now >= self._warm_s:
                if not self._seen:
                    self._cpu_s = -cpu_s(self._pid)
                self._seen.append((now - self._warm_s, rss_bytes(self._pid), descriptors(self._pid)))
            await asyncio.sleep(LOOK_S)
        self._cpu_s += cpu_s(self._pid)

    def tell(self) -> None:
        """Prints what was seen."""
        seconds = [seen[0] for seen in self._seen]
        memory = [seen[1] / 1e6 for seen in self._seen]
        slope, error = line(seconds, memory)
        files = [seen[2] for seen in self._seen]
        third = max(1, len(files) // 3)
        print(
            f"{self._count} tables of {SETTINGS.seats}, a move every {self._pause_s:g} s each: {self.races} races, "
            f"{self.opened} tables opened, the lobby at {self._cpu_s / max(1.0, seconds[-1]):.0%} of a core\n"
            f"memory {memory[0]:.1f} MB after the warm-up, {memory[-1]:.1f} at the end "
            f"({min(memory):.1f}–{max(memory):.1f}): "
            f"{3_600 * slope:+.2f} ± {3_600 * error:.2f} MB/h (goal: under {SLOPE_MB_A_HOUR:g})\n"
            f"descriptors {min(files)}–{max(files)}, in the first third {mean(files[:third]):.1f}, in the last "
            f"{mean(files[-third:]):.1f}"
        )


def line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Returns the slope of the straight line through these points, and its standard error."""
    middle_x, middle_y = mean(xs), mean(ys)
    spread = sum((x - middle_x) ** 2 for x in xs)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True)) / spread
    left = sum((y - middle_y - slope * (x - middle_x)) ** 2 for x, y in zip(xs, ys, strict=True))
    return slope, math.sqrt(left / max(1, len(xs) - 2) / spread)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def rss_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def cpu_s(pid: int) -> float:
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(int(tick) for tick in ticks) / os.sysconf("SC_CLK_TCK")
