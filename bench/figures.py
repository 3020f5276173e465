"""What a load generator tells of its run: how long acknowledgements took, and how many frames there were."""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.wire import Wire

LOOK_S = 0.01


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


async def until(happened: Callable[[], bool], patience_s: float = 300.0) -> None:
    """Waits until something has happened."""
    async with asyncio.timeout(patience_s):
        while not happened():  # noqa: ASYNC110 - what happens are frames of many lines
            await asyncio.sleep(LOOK_S)


@dataclass
class Figures:
    """What was measured, in milliseconds; `late_ms`: by how much the generator itself was behind its plan."""

    acks_ms: list[float] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)
    moves: int = 0
    refused: int = 0
    lost: int = 0
    over: bool = False

    def lose(self) -> None:
        """A line was lost before the end."""
        self.lost += not self.over

    async def measure(self, wires: Sequence[Wire], seconds: float) -> None:
        """Says that the load is there, waits to be told to measure, says what was measured, and waits to be ended."""
        print(json.dumps({"event": "racing"}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        frames_in, frames_out = _frames(wires)
        self.acks_ms, self.late_ms, self.moves = [], [], 0
        await asyncio.sleep(seconds)
        heard, sent = _frames(wires)
        self.over = True
        told = {"moves": self.moves, "refused": self.refused, "lost": self.lost, "acks": len(self.acks_ms)}
        told |= {"frames_in": heard - frames_in, "frames_out": sent - frames_out}
        print(json.dumps({"event": "done", **told, **_spread(self.acks_ms), "late_ms": _p99(self.late_ms)}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)


def _frames(wires: Sequence[Wire]) -> tuple[int, int]:
    return sum(wire.frames_in for wire in wires), sum(wire.frames_out for wire in wires)


def _spread(acks_ms: Sequence[float]) -> dict[str, float]:
    ordered = sorted(acks_ms) or [0.0]
    return {"p50_ms": ordered[len(ordered) // 2], "p99_ms": _p99(ordered), "max_ms": ordered[-1]}


def _p99(values: Sequence[float]) -> float:
    ordered = sorted(values) or [0.0]
    return ordered[len(ordered) * 99 // 100]
