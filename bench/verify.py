"""`race2048 verify` in a fresh process against a bare `python -c pass`, and how long the record of a race to 2048 is.

The records are real: lobby and clients play under the virtual clock, on lines that hold everything back now and then.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from engine.race import Kind
from protocol.messages import TableSettings
from protocol.record import Record
from tests.computers import record_of

BARE = [sys.executable, "-c", "pass"]
SEED = "e"  # with the tiles of most seeds these players make 2048; with these after 1,003 moves
PACE = 4.0
MOVES = (3_400, 4_000)  # of all four seats together
JITTERS_MS = (0, 15, 30, 45, 60, 75, 90)
TYPICAL_MS = 10
BYTES_MAX = 16_384


def main(*, quick: bool) -> None:
    for jitter_ms in JITTERS_MS[:1] if quick else JITTERS_MS:
        _tell_size(jitter_ms, record_of(TableSettings(seats=4), jitter_ms=jitter_ms, seed=SEED))
    with tempfile.TemporaryDirectory() as scratch:
        paths = [played(Path(scratch), moves) for moves in MOVES]
        _measure(Path(scratch), paths, 10 if quick else 60)


def _tell_size(jitter_ms: int, record: bytes) -> None:
    logs = Record.parse(record).logs
    moves, corrected = sum(len(log.directions) for log in logs), sum(len(log.corrections) for log in logs)
    over = "" if len(record) <= BYTES_MAX else "  TOO LONG"
    late = f"{corrected / moves:.1%} of them corrected"
    print(f"held back {jitter_ms:2} ms every 50 ms: {len(record):6,} bytes, {moves:,} moves, {late}{over}", flush=True)


def played(scratch: Path, moves: int) -> Path:
    """Returns the record of four players who make about so many moves until the bell."""
    time_ms = round(moves / 4 / PACE * 1_000)
    settings = TableSettings(seats=4, kind=Kind.TIMED, target_exponent=0, time_ms=time_ms, idle_ms=0)
    path = scratch / f"{moves}.r2048"
    path.write_bytes(record_of(settings, jitter_ms=TYPICAL_MS, seed=SEED, paces=(PACE,) * 4))
    return path


def _measure(home: Path, paths: Sequence[Path], rounds: int) -> None:
    """Times everything in turns, as an installed program is started: with its bytecode there, and a home of its own."""
    race2048 = Path(sys.executable).with_name("race2048")
    commands = {f"{path.stem} moves": [str(race2048), "verify", str(path)] for path in paths}
    commands = {"python -c pass": BARE} | commands
    left_out = {"PYTHONDONTWRITEBYTECODE", "RACE2048_DATA", "XDG_DATA_HOME"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out} | {"HOME": str(home)}
    for command in commands.values():
        _seconds_of(command, environment)
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            took[name].append(_seconds_of(command, environment))
    bare = median(took["python -c pass"])
    for name, seconds in took.items():
        least, middle, most = (1_000 * value for value in (min(seconds), median(seconds), max(seconds)))
        print(f"{name:15} {middle:7.1f} ms ({least:.1f}–{most:.1f})  ratio {median(seconds) / bare:5.2f}")
    print(f"{rounds} rounds")


def _seconds_of(command: Sequence[str], environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench verify: {done.stdout}{done.stderr}")
    return time.perf_counter() - start
