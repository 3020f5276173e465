"""`race2048 --version` against a bare `python -c pass`, in interleaved pairs."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

BARE = [sys.executable, "-c", "pass"]


def seconds_of(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main(*, quick: bool) -> None:
    command = Path(sys.executable).with_name("race2048")
    try:
        seconds_of([str(command), "--version"])
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"bench startup: {error}; try ./dev run --version first")
    pairs = [(seconds_of([str(command), "--version"]), seconds_of(BARE)) for _ in range(10 if quick else 60)]
    ours, bare = (sorted(side) for side in zip(*pairs, strict=True))
    for name, seconds in (("race2048 --version", ours), ("python -c pass", bare)):
        least, middle, most = (1000 * value for value in (seconds[0], median(seconds), seconds[-1]))
        print(f"{name:20} {middle:7.1f} ms ({least:.1f}–{most:.1f})")
    print(f"ratio of medians {median(ours) / median(bare):.2f}, {len(pairs)} pairs")
