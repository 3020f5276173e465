"""Fuzzes the decoders with atheris: they raise the one declared error or nothing, and take little memory and time.

`python -m tests.fuzz` makes five million inputs in all; `python -m tests.fuzz record --inputs 100000` those of one.
atheris is libFuzzer for Python: it keeps an input that takes a new branch, and goes on from there. What it stops at it
prints in base64; that becomes a unit test. Without --seed every run makes others.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INPUTS = 5_000_000
NAMES = ("frame", "slice", "tick", "record")
SPARE_BYTES = 64 << 20  # that a process may grow by while it decodes, its collection of inputs included
PATIENCE_S = 10  # for one input


def main() -> int:
    """Returns 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("decoder", nargs="?", choices=NAMES, help="this one alone")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="how many in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the fuzzer's randomness, to make the same inputs again")
    options = parser.parse_args()
    if options.decoder is not None:
        _fuzz(options.decoder, options.inputs, options.seed)
    if importlib.util.find_spec("atheris") is None:
        print("fuzz: atheris is not here; it comes with ./dev test --long, for Linux on x86-64 only", file=sys.stderr)
        return int((sys.platform, platform.machine()) == ("linux", "x86_64"))
    for name in NAMES:
        begun = time.monotonic()
        command = [sys.executable, "-m", "tests.fuzz", name, "--inputs", str(options.inputs), "--seed"]
        done = subprocess.run([*command, str(options.seed)], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            print(done.stderr, f"fuzz: {name} has failed", sep="\n", file=sys.stderr)
            return 1
        counted = next(line for line in done.stderr.splitlines() if line.startswith("Done "))
        print(f"{name}: {counted}, {time.monotonic() - begun:.0f} s with the start", flush=True)
    return 0


def _fuzz(name: str, inputs: int, seed: int) -> None:
    """Fuzzes one decoder in this process; the fuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["protocol"]):
        from tests.fuzz.decoders import DECODERS
    decoder = DECODERS[name]
    limited: list[int] = []

    def take(data: bytes) -> None:
        if not limited:  # the fuzzer has begun by now, and has what it needs
            limited.append(_limit_memory())
        decoder.take(data)

    with tempfile.TemporaryDirectory() as home:
        for number, sample in enumerate(decoder.seeds()):
            (Path(home) / f"{number:03}").write_bytes(sample)
        options = {
            "runs": inputs * decoder.share // 1_000, "max_len": decoder.bytes_max, "seed": seed,
            "timeout": PATIENCE_S, "artifact_prefix": f"{home}/", "verbosity": 1, "print_final_stats": 1,
        }  # fmt: skip
        atheris.Setup([sys.argv[0], *(f"-{key}={value}" for key, value in options.items()), home], take)
        atheris.Fuzz()


def _limit_memory() -> int:
    """Lets this process grow a little further only: beyond that Python raises MemoryError, which is not declared."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return most


if __name__ == "__main__":
    sys.exit(main())
