"""The five measurements together: engine, lobby, startup, screen, solver. What `./dev bench` runs without a name.

Each runs in a process of its own, so that none warms another up, prints its tables, and ends with 0 if all its ratios
were measured and are above their floors (floors.py). Anything else, a crash and silence too, is no success.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Timer

from bench.ratios import BELOW, UNMEASURED

PARTS = ("engine", "lobby", "startup", "screen", "solver")
PATIENCE_S, PATIENCE_QUICK_S = 3_600.0, 150.0  # for each


def run(*, quick: bool) -> int:
    """Runs all; returns 1 if anything is below its floor or was not measured, and says what."""
    begin, found = time.monotonic(), []
    for part in PARTS:
        print(f"\n== {part}", flush=True)
        command = [sys.executable, "-m", "bench", part, *(["--quick"] if quick else [])]
        found += faults_of(part, command, PATIENCE_QUICK_S if quick else PATIENCE_S)
    print(f"\n== {(time.monotonic() - begin) / 60:.1f} minutes; ", end="")
    print("nothing is below its floor" if not found else "\n".join(["not as it should be:", *found]), flush=True)
    return 1 if found else 0


def faults_of(part: str, command: Sequence[str], patience_s: float) -> list[str]:
    """Runs a part, shows what it prints, and returns what is wrong with it, by name. It is ended if it takes longer."""
    said: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        limit = Timer(patience_s, _end, (process.pid,))
        limit.start()
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                if BELOW in line or UNMEASURED in line:
                    said.append(line.strip())
            code = process.wait()
        finally:
            limit.cancel()
            _end(process.pid)
    if code == -signal.SIGKILL:
        said.append(f"{part}: {UNMEASURED}: it took longer than {patience_s:g} s")
    if code == 0:
        return said
    return said or [f"{part}: {UNMEASURED}: it ended with {code}"]


def _end(leader: int) -> None:
    """Ends a part with all that it has started: servers, load, terminals."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
