"""A lobby under five hundred hostile connections: when each is ended, and what the players at its tables notice.

Twenty players race at ten tables, over real sockets, with the real client; the time from a slice to its
acknowledgement is what they notice. Rounds without and with the attack (bench/attacks.py, a process of its own) take
turns, so that what else the machine does falls on both. The lobby has a core to itself where there are two: players and
attack, which stand for other machines, share the other, and the players go first.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.attacks import ADDRESSES, AT_ONCE, KINDS
from bench.cores import LOAD_CORE, SERVER_CORE, pin
from client.actions import Move, SetReady, Start
from client.events import Dropped, Effect, Event, Received, Send
from client.runner import Runner
from client.session import Goal, JoinTable, OpenTable, Session
from client.view import SessionView
from engine.board import Direction
from engine.race import Kind
from protocol.messages import Ack, Phase, Role, Slice, TableSettings
from protocol.signing import Signer

TABLES, SEATS = 10, 2
PACE = 4.0  # moves a second, a quick person
SETTINGS = TableSettings(seats=SEATS, size=8, kind=Kind.TIMED, target_exponent=0, time_ms=3_600_000, idle_ms=0)
ROUND_S, REST_S = 10.0, 6.0  # a rest lets what is half-open run out
ORDER = (Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.DOWN, Direction.LEFT, Direction.UP)


class Measured:
    """A session that notes how long acknowledgements take; `latencies` is where, while there is such a place."""

    latencies: list[float] | None = None
    dropped: int = 0

    def __init__(self, goal: Goal, name: str) -> None:
        self._session = Session(
            signer=Signer(os.urandom(32)), name=name, goal=goal, role=Role.PLAYER, entropy=os.urandom, program="bench"
        )
        self._sent: deque[float] = deque()

    def begin(self, now_ms: int) -> list[Effect]:
        return self._session.begin(now_ms)

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        if isinstance(event, Received) and isinstance(event.message, Ack) and self._sent:
            latency = time.perf_counter() - self._sent.popleft()
            if Measured.latencies is not None:
                Measured.latencies.append(latency)
        elif isinstance(event, Dropped):
            Measured.dropped += 1
            self._sent.clear()
        effects = self._session.handle(event, now_ms)
        slices = sum(isinstance(effect, Send) and isinstance(effect.message, Slice) for effect in effects)
        self._sent.extend([time.perf_counter()] * slices)
        return effects

    @property
    def deadline(self) -> int | None:
        return self._session.deadline

    def view(self, now_ms: int) -> SessionView:
        return self._session.view(now_ms)

    def saved(self, record_sha256: bytes, path: str) -> None:
        self._session.saved(record_sha256, path)

    def weighed(self, record_sha256: bytes, luck: tuple[int | None, ...]) -> None:
        self._session.weighed(record_sha256, luck)


async def race(url: str) -> list[Runner]:
    """Returns the players of a table that races."""
    host = Runner(Measured(OpenTable(SETTINGS), "fox"), url)
    runners, tasks = [host], [_started(host.run())]
    await _until(lambda: host.view().phase is Phase.SEATING)
    for _ in range(SEATS - 1):
        guest = Runner(Measured(JoinTable(host.view().code), "owl"), url)
        runners.append(guest)
        tasks.append(_started(guest.run()))
    await _until(lambda: sum(seat is not None for seat in host.view().seats) == SEATS)
    for runner in runners:
        runner.act(SetReady())
    await _until(lambda: host.view().can_start)
    host.act(Start())
    await _until(lambda: host.view().phase is Phase.RACING)
    _RUNNING.update(tasks)
    return runners


_RUNNING: set[asyncio.Future[object]] = set()


def _started(work: Coroutine[None, None, object]) -> asyncio.Future[object]:
    return asyncio.get_running_loop().create_task(work)


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it is only looked at now and then
            await asyncio.sleep(0.02)


async def press(runner: Runner, chance: random.Random) -> None:
    """Presses keys for ever, whether they move anything or not."""
    for count in range(1 << 30):
        await asyncio.sleep(chance.expovariate(PACE))
        runner.act(Move(ORDER[count % len(ORDER)]))


@dataclass
class Round:
    """What was measured in one."""

    latencies: list[float]
    results: dict[str, tuple[list[float], dict[str, int], int]] = field(default_factory=dict)

    def at(self, share: float) -> float:
        """Returns a quantile of the latencies, in milliseconds."""
        ordered = sorted(self.latencies)
        return 1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main(*, quick: bool) -> None:
    if sys.platform != "linux":
        sys.exit("bench hostile: the attack comes from addresses 127.0.1.1 and on, which only Linux has by itself")
    with tempfile.TemporaryDirectory() as scratch:
        lobby = subprocess.Popen(
            [sys.executable, "-m", "lobby", "--bind", "127.0.0.1", "--port", "0", "--json", "--data-dir", scratch],
            stdout=subprocess.PIPE, stderr=(Path(scratch) / "log").open("wb"),
        )  # fmt: skip
        attack: subprocess.Popen[bytes] | None = None
        try:
            pin(lobby.pid, SERVER_CORE)
            pin(0, LOAD_CORE)  # the attack inherits it
            assert lobby.stdout is not None
            said = json.loads(lobby.stdout.readline())
            attack = subprocess.Popen(
                [sys.executable, "-m", "bench.attacks", str(said["port"])],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
            rounds = asyncio.run(measure(said["url"], attack, 2 if quick else 6))
            alive = lobby.poll() is None
        finally:
            for process in (attack, lobby):
                if process is not None:
                    process.kill()
                    process.wait()
        tell(rounds)
        print(f"the lobby {'goes on' if alive else 'HAS ENDED'}; players lost their line {Measured.dropped} times")


async def measure(url: str, attack: subprocess.Popen[bytes], pairs: int) -> list[tuple[Round, Round]]:
    tables = await asyncio.gather(*(race(url) for _ in range(TABLES)))
    players = [runner for table in tables for runner in table]
    keys = [_started(press(runner, random.Random(n))) for n, runner in enumerate(players)]
    rounds = []
    await asyncio.sleep(REST_S)
    for _ in range(pairs):
        quiet = Round(await listen(ROUND_S))
        assert attack.stdin is not None
        assert attack.stdout is not None
        attack.stdin.write(f"{ROUND_S}\n".encode())
        attack.stdin.flush()
        hostile = Round(await listen(ROUND_S))
        hostile.results = json.loads(await asyncio.to_thread(attack.stdout.readline))
        rounds.append((quiet, hostile))
        await asyncio.sleep(REST_S)
    ending: list[asyncio.Future[object]] = [*keys, *_RUNNING]
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
    return rounds


async def listen(seconds: float) -> list[float]:
    heard: list[float] = []
    Measured.latencies = heard
    await asyncio.sleep(seconds)
    Measured.latencies = None
    return heard


def tell(rounds: Sequence[tuple[Round, Round]]) -> None:
    print(f"{AT_ONCE} hostile connections at once from {ADDRESSES} addresses, {len(rounds)} rounds of {ROUND_S:.0f} s")
    print(f"\n{'':32}{'ended':>7}{'s, median':>11}{'most':>7}{'limit':>7}   codes")
    for name, kind in KINDS.items():
        results = [hostile.results[name] for _, hostile in rounds]
        seconds = [each for result in results for each in result[0]]
        codes: dict[str, int] = {}
        for result in results:
            for code, count in result[1].items():
                codes[code] = codes.get(code, 0) + count
        wrong = "" if set(codes) <= {*kind.ends} else "  UNEXPECTED"
        late = "" if not seconds or max(seconds) <= kind.limit_s + 0.5 else "  LATE"
        told = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
        middle, most = (median(seconds), max(seconds)) if seconds else (0.0, 0.0)
        print(f"{name:32}{len(seconds):7}{middle:11.2f}{most:7.2f}{kind.limit_s:7.0f}   {told}{wrong}{late}")
    turned = sum(result[2] for _, hostile in rounds for result in hostile.results.values())
    print(f"\nturned away before they could do anything: {turned}")
    print("\nacknowledgements of honest players, ms (median of rounds, least–most)")
    for share, name in ((0.5, "p50"), (0.99, "p99")):
        quiet = [each.at(share) for each, _ in rounds]
        hostile = [each.at(share) for _, each in rounds]
        ratio = median(b / a for a, b in zip(quiet, hostile, strict=True))
        print(f"{name}: quiet {_range(quiet)}, under attack {_range(hostile)}, ratio {ratio:.2f}")
    print(f"acknowledgements: {sum(len(each.latencies) for pair in rounds for each in pair)}")


def _range(values: Sequence[float]) -> str:
    return f"{median(values):.1f} ({min(values):.1f}–{max(values):.1f})"
