"""Whole evenings at a lobby under faults, kills and cheats (architecture.md 6.4): whatever happens, the oracles hold.

`python -m tests.simulation --seed N -v` plays one of these worlds again. RACE2048_LONG=1 plays ten times as many, and
others each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.world import play

TOP = Path(__file__).parents[2]
LONG = bool(os.environ.get("RACE2048_LONG"))
BATCH = 30
BATCHES = 100 if LONG else 10
FIRST = int.from_bytes(os.urandom(4), "big") if LONG else 0
RACES_MIN, JUDGED_MIN, KILLS_MIN = 30, 12, 8  # in a batch


@pytest.mark.parametrize("batch", range(BATCHES))
def test_nothing_goes_wrong_whatever_happens(batch: int) -> None:
    races = judged = kills = 0
    for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
        world = play(seed)
        races += len(world.looker.archived)
        judged += world.looker.shadow.judged
        kills += world.process.kills
    assert races >= RACES_MIN
    assert judged >= JUDGED_MIN
    assert kills >= KILLS_MIN


@pytest.mark.parametrize("seed", [2, 9, 24])
def test_a_world_is_the_same_to_the_byte_in_another_process(seed: int) -> None:
    traces = [traced(seed, hash_seed) for hash_seed in ("1", "2")]
    assert traces[0] == traces[1]
    assert traces[0].count(b"\n") > 500


def traced(seed: int, hash_seed: str) -> bytes:
    command = [sys.executable, "-m", "tests.simulation", "--seed", str(seed), "-v"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, cwd=TOP, env=environment, capture_output=True, check=True).stdout
