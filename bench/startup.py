"""`race2048 --version`, `--help` and its first picture against a bare `python -c pass` and against term2048, in turns.

term2048 is the best known 2048 in Python for a terminal (argparse and colorama). It is not one of our dependencies:
TERM2048 names its program, which must run on the same Python. Without it only the rest is measured.

Besides the time that passes, the time that the processor works is told: on a machine with other work it says more.
"""

import fcntl
import os
import pty
import resource
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

BARE = "python -c pass"
FIRST_PICTURE = "race2048, first picture"
PATIENCE_S = 30
_SHOWN = b"\x1b[?2026l"  # the end of a picture (client/tui/writing.py)
_SECONDS = tuple[float, float]  # that pass, that the processor works


def timed(run: Callable[[], None]) -> _SECONDS:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run()
    passed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def running(*command: str) -> Callable[[], _SECONDS]:
    def run() -> None:
        subprocess.run(command, check=True, capture_output=True, stdin=terminal)

    master, terminal = pty.openpty()  # term2048 asks its terminal even for --version
    assert master != terminal
    return lambda: timed(run)


def first_picture(program: str, places: Mapping[str, str]) -> Callable[[], _SECONDS]:
    """Returns what measures how long it takes until the home screen is on a terminal of 80×24."""

    def measure() -> _SECONDS:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        start = time.perf_counter()
        process = subprocess.Popen(
            [program], stdin=slave, stdout=slave, stderr=slave, env={**os.environ, **places}, start_new_session=True
        )
        os.close(slave)
        written = b""
        while _SHOWN not in written:
            ready, _, _ = select.select([master], [], [], PATIENCE_S)
            if not ready:
                sys.exit(f"bench startup: no picture within {PATIENCE_S} s")
            written += os.read(master, 65_536)
        passed = time.perf_counter() - start
        with Path(f"/proc/{process.pid}/stat").open() as stat:
            ticks = stat.read().rpartition(")")[2].split()[11:13]
        process.kill()
        process.wait()
        os.close(master)
        return passed, sum(int(tick) for tick in ticks) / os.sysconf("SC_CLK_TCK")

    return measure


def sides_of(program: str, peer: str | None, places: Mapping[str, str]) -> dict[str, Callable[[], _SECONDS]]:
    sides = {
        BARE: running(sys.executable, "-c", "pass"),
        "race2048 --version": running(program, "--version"),
        "race2048 --help": running(program, "--help"),
    }
    if sys.platform == "linux":
        sides[FIRST_PICTURE] = first_picture(program, places)
    if peer is not None:
        sides |= {"term2048 --version": running(peer, "--version"), "term2048 --help": running(peer, "--help")}
    return sides


def main(*, quick: bool) -> None:
    program = str(Path(sys.executable).with_name("race2048"))
    peer = os.environ.get("TERM2048") or shutil.which("term2048")
    with tempfile.TemporaryDirectory() as place:
        places = {"RACE2048_DATA": place, "RACE2048_CONFIG": os.devnull, "TERM": "xterm-256color"}
        sides = sides_of(program, peer, places)
        try:
            for measure in sides.values():
                measure()
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"bench startup: {error}; try ./dev run --version first")
        rounds = [{name: measure() for name, measure in sides.items()} for _ in range(10 if quick else 60)]
    tell(rounds)
    if peer is None:
        print("term2048 was not found. Install it elsewhere with this Python, and name it: TERM2048=PATH")


def tell(rounds: list[dict[str, _SECONDS]]) -> None:
    print(f"{'':26}{'passes ms':>22}{'works ms':>10}   ratio (works)")
    for name in rounds[0]:
        passed = sorted(1_000 * each[name][0] for each in rounds)
        works = median(1_000 * each[name][1] for each in rounds)
        peer = name.replace("race2048", "term2048")
        base = peer if peer in rounds[0] and peer != name else BARE
        ratios = [median(each[name][kind] for each in rounds) / median(each[base][kind] for each in rounds)
                  for kind in (0, 1)]  # fmt: skip
        told = f"{median(passed):8.1f} ({passed[0]:.1f}–{passed[-1]:.1f})"
        print(f"{name:26}{told:>22}{works:10.1f}   {ratios[0]:.2f} ({ratios[1]:.2f}) × {base}")
    print(f"{len(rounds)} rounds, medians (least–most)")
