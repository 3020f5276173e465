"""The load of bench/racers.py without its content: frames of the same size at the same pace, for the peers.

`python -m bench.transport JSON` prints what bench.racers prints. The frames are zeros: a peer only carries them.
"""

import asyncio
import heapq
import json
import random
import sys
import time
from collections import deque
from typing import TypedDict

from bench.figures import Figures, now_ms, until
from bench.wire import Wire

CONNECTING_AT_ONCE = 50
BEAT_S = 0.002


class Order(TypedDict):
    """So many connections to this port, so many frames of so many bytes a second each, for so long."""

    port: int
    racers: int
    frames_per_s: float
    frame_bytes: int
    tick_bytes: int
    seconds: float
    seed: str


class Line:
    """One connection."""

    def __init__(self, figures: Figures, tick_bytes: int) -> None:
        self.wire: Wire | None = None
        self._figures = figures
        self._tick_bytes = tick_bytes
        self._waiting: deque[float] = deque()

    def opened(self, wire: Wire) -> None:
        self.wire = wire

    def heard(self, frame: bytes) -> None:
        if len(frame) != self._tick_bytes:
            self._figures.acks_ms.append(1_000 * (time.perf_counter() - self._waiting.popleft()))

    def send(self, frame: bytes) -> None:
        assert self.wire is not None, "only an open line carries frames"
        self._waiting.append(time.perf_counter())
        self.wire.send(frame)


async def run(order: Order) -> None:
    figures, loop = Figures(), asyncio.get_running_loop()
    lines: list[Line] = []
    for _ in range(order["racers"]):
        line = Line(figures, order["tick_bytes"])
        lines.append(line)
        await loop.create_connection(
            lambda line=line: Wire("127.0.0.1", "/", "", line.opened, line.heard, figures.lose),  # type: ignore[misc]
            "127.0.0.1",
            order["port"],
        )
        if len(lines) % CONNECTING_AT_ONCE == 0:
            await until(lambda: all(line.wire is not None for line in lines[-CONNECTING_AT_ONCE:]))
    await until(lambda: all(line.wire is not None for line in lines))
    playing = asyncio.ensure_future(_play(order, lines, figures))
    await figures.measure([line.wire for line in lines if line.wire is not None], order["seconds"])
    playing.cancel()


async def _play(order: Order, lines: list[Line], figures: Figures) -> None:
    chance, pause_ms = random.Random(order["seed"]), 1_000 / order["frames_per_s"]
    frame = bytes(order["frame_bytes"])
    due = [(now_ms() + chance.random() * pause_ms, number) for number in range(len(lines))]
    heapq.heapify(due)
    while True:
        while due[0][0] <= now_ms():
            due_ms, number = due[0]
            figures.late_ms.append(now_ms() - due_ms)
            lines[number].send(frame)
            figures.moves += 1
            heapq.heapreplace(due, (due_ms + pause_ms, number))
        await asyncio.sleep(BEAT_S)


if __name__ == "__main__":
    asyncio.run(run(json.loads(sys.argv[1])))
