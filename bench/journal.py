"""The lobby's journal: rows acknowledged, what a commit costs; how soon a killed lobby with 100 races is back, and all.

The store is measured as the lobby uses it: each of many tables hands its next row in when its last one is on the disk.
The restart is that of a real process, killed with -9, whose database holds 100 races in full swing.
"""

import asyncio
import json
import os
import queue
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles

from bench.crowd import tables, until
from engine.digest import digest
from lobby import times
from lobby.cli import SWITCH_S
from lobby.entropy import Source
from lobby.events import Keep, Persist
from lobby.journal import Tap
from lobby.snapshot import frozen, thaw
from lobby.store import Alive, Store
from lobby.times import Moment
from protocol.messages import Phase, TableSettings
from protocol.signing import Signer
from tests.world import World

ROW = bytes(90)  # a slice with three moves and what stands around it
CLIENTS = (1, 16, 400, 4_000)
RACES = 100
MOVE_S = 2.0  # between two moves of a real client; 400 of them and their lobby share what processors there are
REST_S = 3.0  # of racing, before the lobby is killed again
SETTINGS = TableSettings(kind=3, target_exponent=0, size=8, seats=4)


def main(*, quick: bool) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("RACE2048_BENCH_DIR")) as scratch:
        home = Path(scratch)
        seconds = 1.0 if quick else 5.0
        _tell_bare(home, seconds)
        for clients in CLIENTS:
            _tell_store(home, clients, seconds)
        for played_s in (20,) if quick else (20, 120):
            _tell_restart(home / f"lobby-{played_s}", played_s, 3 if quick else 7)
        (home / "returned").mkdir()
        asyncio.run(_tell_return(home / "returned", 2 if quick else 5))


def _tell_bare(home: Path, seconds: float) -> None:
    """What SQLite alone does: a row a commit."""
    database = sqlite3.connect(home / "bare.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE rows (place INTEGER PRIMARY KEY, row BLOB)")
    rows, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        database.execute("INSERT INTO rows VALUES (NULL, ?)", (ROW,))
        rows += 1
    database.close()
    print(f"a row a commit, SQLite alone:  {rows / seconds:10,.0f} rows/s", flush=True)


def _tell_store(home: Path, clients: int, seconds: float) -> None:
    sys.setswitchinterval(SWITCH_S)  # as in the lobby
    store = Store(home / f"store-{clients}.db")
    store.load()
    took: list[float] = []
    waiting: deque[tuple[int, float, int]] = deque()  # number of the write, when, whose
    places = [0] * clients
    told: queue.SimpleQueue[int] = queue.SimpleQueue()

    def submit(client: int, at: float) -> None:
        places[client] += 1
        waiting.append((store.submit([Persist(client, places[client], ROW)]), at, client))

    store.start(told.put, _fail)
    end = time.perf_counter() + seconds
    for client in range(clients):
        submit(client, time.perf_counter())
    while waiting:
        number, now = told.get(), time.perf_counter()
        while waiting and waiting[0][0] <= number:
            _, at, client = waiting.popleft()
            took.append(now - at)
            if now < end:
                submit(client, time.perf_counter())
    store.close()
    ms = [1_000 * each for each in quantiles(took, n=100)]
    print(
        f"{clients:5} tables, one row each waits: {len(took) / seconds:10,.0f} rows/s   "
        f"acknowledged after p50 {ms[49]:.2f} ms, p99 {ms[98]:.2f} ms",
        flush=True,
    )


def _fail(error: Exception) -> None:
    print(f"bench journal: {error}", file=sys.stderr)
    os._exit(1)


def _tell_restart(home: Path, played_s: int, rounds: int) -> None:
    home.mkdir()
    rows, size = _races(home, played_s)
    took = [_restart(home) for _ in range(rounds)]
    empty = home / "empty"
    empty.mkdir()
    none = [_restart(empty) for _ in range(rounds)]
    print(
        f"{RACES} races of 4, {played_s} s on ({rows:,} rows to hand in again, {size / 1e6:.1f} MB): listening after "
        f"{median(took):.2f} s ({min(took):.2f}–{max(took):.2f}), with an empty database after {median(none):.2f} s",
        flush=True,
    )


def _races(home: Path, played_s: int) -> tuple[int, int]:
    """Writes a database as it is while 100 races go on: one race under the virtual clock, a hundred times."""
    world = _raced(played_s)
    seed = digest("test", b"lobby")  # the key of a world's lobby
    (home / "lobby.key").write_bytes(seed)
    path = home / "lobby.db"
    store = Store(path)
    store.load()
    store.start(lambda _: None, _fail)
    rows, size = 0, 0
    for number in range(1, RACES + 1):
        saved, tap = world.disk.saved(1), Tap(Source(os.urandom))
        table = thaw(saved.picture, Signer(seed), tap)
        table.code, table.watch_code = f"{number:06}", f"{number + RACES:06}"
        picture = frozen(table, tap)
        store.submit([Keep(number, saved.place, picture)])
        store.submit([Persist(number, saved.place + n, row) for n, row in enumerate(saved.rows, 1)])
        rows, size = rows + len(saved.rows), size + len(picture) + sum(map(len, saved.rows))
    moment = Moment(world.now_ms, times.boot_id(), times.boot_ms(), times.wall_ms())
    store.submit([Alive(moment, world.epoch)])
    store.close()
    return rows, size


def _raced(played_s: int) -> World:
    """Returns a world in which four have raced for so long, four moves a second each."""
    world = World()
    host = world.host(SETTINGS)
    guests = [world.join(host, name) for name in ("owl", "hare", "elk")]
    world.start(host, *guests)
    for player, order in zip((host, *guests), ("uldr", "drul", "lurd", "rdlu"), strict=True):
        world.press(player, 250, order)
    world.run(1_000 * played_s)
    assert all(view.phase is Phase.RACING for view in world.lobby.views()), "the race is over too soon"
    return world


def _restart(home: Path) -> float:
    """Returns after how many seconds a new process listens; it is killed then."""
    begin = time.perf_counter()
    process, _ = _lobby(home)
    took = time.perf_counter() - begin
    _kill(process)
    return took


def _lobby(home: Path, port: int = 0) -> tuple[subprocess.Popen[bytes], int]:
    """Returns a lobby process that listens, and its port."""
    command = [sys.executable, "-P", "-m", "lobby", "--json", "--bind", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "--data-dir", str(home)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())["port"]


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


async def _tell_return(home: Path, rounds: int) -> None:
    """What people notice: 100 races of real clients (bench/crowd.py), the lobby killed and started again."""
    process, port = _lobby(home)
    heard, back, half = [], [], []
    try:
        groups = await tables(f"http://127.0.0.1:{port}", RACES, SETTINGS, Random(2_048), MOVE_S)
        players = [player for group in groups for player in group]
        for _ in range(rounds):
            await until(lambda: all(player.racing for player in players))
            await asyncio.sleep(REST_S)
            _kill(process)
            begin = time.perf_counter()
            process, _ = await asyncio.to_thread(_lobby, home, port)
            heard.append(time.perf_counter() - begin)
            await until(lambda begin=begin: all(p.session.welcomed_s > begin for p in players))  # type: ignore[misc]
            returned = sorted(player.session.welcomed_s - begin for player in players)
            half.append(returned[len(returned) // 2])
            back.append(returned[-1])
        await asyncio.gather(*(player.stop() for player in players))
    finally:
        _kill(process)
    print(
        f"{RACES} races of 4 real clients, killed {rounds} times: listening after {_range(heard)}, half of the players "
        f"back after {_range(half)}, all after {_range(back)}, counted from the start of the new process",
        flush=True,
    )


def _range(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.2f} s ({min(seconds):.2f}–{max(seconds):.2f})"
