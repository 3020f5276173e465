"""A lobby under load: racers and watchers in steps, beside servers that carry the same frames and do nothing else.

Lobby and load run on a core each where there are two. All a racer sends is real: signed, chained, replayed and judged
by the lobby, with its journal on disk. The peers, node's `ws` and Python's `websockets`, answer every frame with one of
the length of an Ack and push a tick a second: transport alone. They take their turns between the lobby's.

What counts is the processor's time: "µs a frame" is that of the server's process for each frame in or out. Times of
acknowledgement are those of a loaded machine, the generator's own work included.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from bench import peers, ratios
from bench.cores import LOAD_CORE, SERVER_CORE, pin

MOVES_PER_S = 3.0
STEPS = (100, 500, 1_000, 2_000, 3_000, 4_000)
QUICK_STEPS = (100, 400)
WATCHERS, QUICK_WATCHERS = (1_000, 4_000), (200,)  # at the first table of so many racers:
WATCHED_RACERS = 100  # so that there is time for those who watch
FRAME_BYTES, ACK_BYTES, TICK_BYTES = 82, 34, 268  # a slice of a move with a seal now and then, as they are on the wire
P99_MS_MAX, RACERS_MIN = 50.0, 2_000  # performance.md
COLUMNS = (
    ("frames/s", 9), ("p50 ms", 8), ("p99 ms", 8), ("max ms", 8), ("late ms", 8), ("cpu", 6), ("µs/frame", 9),
    ("kB each", 8), ("commits/s", 10),
)  # fmt: skip
SECONDS, QUICK_SECONDS = 20.0, 5.0
PEER_RACERS = 1_000
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

Told = dict[str, Any]


class Server(NamedTuple):
    """A server process under load, and where it listens."""

    process: subprocess.Popen[str]
    port: int


class Measured(NamedTuple):
    """One run: what the load tells, and what the server took for it."""

    told: Told
    cpu_s: float
    seconds: float
    kb_each: float
    commits: int  # of the lobby's journal; none of a peer, nor where prometheus_client is not installed

    @property
    def frames(self) -> int:
        return int(self.told["frames_in"] + self.told["frames_out"])

    @property
    def us_a_frame(self) -> float:
        return 1e6 * self.cpu_s / max(1, self.frames)


def main(*, quick: bool) -> int:
    seconds, steps = (QUICK_SECONDS, QUICK_STEPS) if quick else (SECONDS, STEPS)
    print(f"{'':22}" + "".join(f"{head:>{width}}" for head, width in COLUMNS))
    ours = {}
    for racers in steps:
        ours[racers] = _race(racers, 0, seconds)
        _tell(f"lobby, {racers:,} racers", ours[racers])
        if ours[racers].told["p99_ms"] > 10 * P99_MS_MAX:
            print("it is overloaded: no further step is tried")
            break
    for watchers in QUICK_WATCHERS if quick else WATCHERS:
        _tell(f"{WATCHED_RACERS} and {watchers:,} who watch", _race(WATCHED_RACERS, watchers, seconds))
    carried = [racers for racers, run in ours.items() if racers <= PEER_RACERS and run.told["p99_ms"] <= P99_MS_MAX]
    most = max(carried, default=steps[0])  # as near what it can carry as the peers are asked
    commands = _peers()
    found = ratios.concluded("lobby", _compare(commands, most, seconds, 2 if quick else 3))
    for name, command in {} if quick else commands.items():  # what the floor would take of this machine at least
        _tell(f"{name}, {RACERS_MIN:,}", _carry(command, RACERS_MIN, seconds))
    return found


def _peers() -> dict[str, list[str]]:
    """Returns the commands of the peers that there are."""
    sizes = [str(ACK_BYTES), str(TICK_BYTES)]
    node = peers.node()
    commands = (
        {} if node is None else {"node ws": ["node", str(Path(__file__).with_name("echo_ws.mjs")), str(node), *sizes]}
    )
    python = [str(peers.python()), str(Path(__file__).with_name("echo_websockets.py")), *sizes]
    return {**commands, "websockets": python}


def _compare(commands: Mapping[str, Sequence[str]], racers: int, seconds: float, rounds: int) -> list[ratios.Ratio]:
    """Measures the peers and the lobby in turns with as many connections; returns the time that a frame takes."""
    sides: dict[str, Callable[[], Measured]] = {"lobby": lambda: _race(racers, 0, seconds)}
    for name, command in commands.items():
        sides[name] = partial(_carry, command, racers, seconds)
    took: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, measure in sides.items():
            measured = measure()
            took[name].append(measured.us_a_frame)
            _tell(f"{name}, {racers:,}", measured)
    ours = took.pop("lobby")
    return [ratios.of_times(f"a frame against {name}", "µs", ours, name, each) for name, each in took.items()]


def _race(racers: int, watchers: int, seconds: float) -> Measured:
    with tempfile.TemporaryDirectory() as home, _lobby(home) as server:
        order = {
            "host": "127.0.0.1", "port": server.port, "racers": racers, "watchers": watchers,
            "moves_per_s": MOVES_PER_S, "seconds": seconds, "seed": "bench",
        }  # fmt: skip
        return _loaded(server, "bench.racers", order, seconds, racers + watchers)


def _carry(command: Sequence[str], racers: int, seconds: float) -> Measured:
    with _started(command, os.environ, subprocess.DEVNULL) as server:  # each line that ends is a traceback
        order = {
            "port": server.port, "racers": racers, "frames_per_s": MOVES_PER_S, "frame_bytes": FRAME_BYTES,
            "tick_bytes": TICK_BYTES, "seconds": seconds, "seed": "bench",
        }  # fmt: skip
        return _loaded(server, "bench.transport", order, seconds, racers)


@contextmanager
def _lobby(home: str) -> Iterator[Server]:
    command = [sys.executable, "-m", "lobby", "--bind", "127.0.0.1", "--port", "0", "--json", "--data-dir", home]
    command += ["--max-tables", str(STEPS[-1]), "--max-connections", str(2 * STEPS[-1])]
    if find_spec("prometheus_client") is not None:
        command += ["--metrics", "127.0.0.1"]
    with _started(command, {**os.environ, "RACE2048_DATA": home}) as server:
        yield server


@contextmanager
def _started(command: Sequence[str], environment: Mapping[str, str], errors: int | None = None) -> Iterator[Server]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=dict(environment))
    try:
        pin(process.pid, SERVER_CORE)
        assert process.stdout is not None
        said = json.loads(process.stdout.readline() or "{}")
        port = said.get("port")
        if not isinstance(port, int):
            sys.exit(f"bench lobby: {command[0]} did not start")
        yield Server(process, port)
    finally:
        process.terminate()
        process.wait()


def _loaded(server: Server, module: str, order: Mapping[str, object], seconds: float, each: int) -> Measured:
    """Runs a load against a server and returns what it was, with the processor's time of the server meanwhile."""
    before_kb = _rss_kb(server.process.pid)
    load = subprocess.Popen(
        [sys.executable, "-m", module, json.dumps(order)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert load.stdin is not None
    assert load.stdout is not None
    try:
        pin(load.pid, LOAD_CORE)
        _next(load.stdout.readline())
        kb_each = (_rss_kb(server.process.pid) - before_kb) / each
        start_s, commits = _cpu_s(server.process.pid), _commits(server.port)
        _go_on(load.stdin.write, load.stdin.flush)
        told = _next(load.stdout.readline())
        cpu_s, commits = _cpu_s(server.process.pid) - start_s, _commits(server.port) - commits
        _go_on(load.stdin.write, load.stdin.flush)
        load.wait(60)
    finally:
        load.kill()
        load.wait()
        load.stdin.close()
        load.stdout.close()
    return Measured(told, cpu_s, seconds, kb_each, commits)


def _go_on(write: Callable[[str], int], flush: Callable[[], None]) -> None:
    write("\n")
    flush()


def _next(line: str) -> Told:
    if not line:
        sys.exit("bench lobby: the load ended before it was there")
    told: Told = json.loads(line)
    return told


def _cpu_s(pid: int) -> float:
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(int(tick) for tick in ticks) / _TICKS_PER_S


def _commits(port: int) -> int:
    """Returns how often a lobby has written its journal; 0 for a server that does not tell."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
            told = page.read().decode()
    except (OSError, HTTPException):
        return 0
    lines = [line.split() for line in told.splitlines() if line.startswith("race2048_commits_total")]
    return sum(int(float(count)) for _, count in lines)


def _rss_kb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_024


def _tell(name: str, run: Measured) -> None:
    told = run.told
    print(
        f"{name:22}{run.frames / run.seconds:9,.0f}{told['p50_ms']:8.1f}{told['p99_ms']:8.1f}{told['max_ms']:8.1f}"
        f"{told['late_ms']:8.1f}{run.cpu_s / run.seconds:6.0%}{run.us_a_frame:9.1f}{run.kb_each:8.1f}"
        f"{run.commits / run.seconds:10,.0f}",
        f" REFUSED {told['refused']} LOST {told['lost']}" if told["refused"] or told["lost"] else "",
        flush=True,
    )
