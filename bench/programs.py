"""Programs as they are when they are installed: how they are started for a measurement, and what is read off them.

An installed program has its bytecode on the disk. Where Python is told to write none (PYTHONDONTWRITEBYTECODE, as in
many containers) every start would compile ours anew and not the peers', whom pip has compiled: so all bytecode goes to
a folder of the bench, and every side is started once before it is measured.
"""

import fcntl
import os
import pty
import resource
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench import peers

COLUMNS, ROWS = 80, 24
PATIENCE_S = 20.0
RACE2048 = str(Path(sys.executable).with_name("race2048"))
Measured = tuple[float, float]  # milliseconds that pass, and that the processor works


def environment(data: str) -> dict[str, str]:
    """The environment of a program that is measured, with a data directory of its own."""
    left_out = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "XDG_DATA_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {
        "PYTHONPYCACHEPREFIX": str(peers.HOME / "bytecode"),
        "RACE2048_DATA": data,
        "RACE2048_CONFIG": os.devnull,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }


def on_a_pty(command: Sequence[str], around: Mapping[str, str]) -> tuple[int, subprocess.Popen[bytes]]:
    """Starts a command on a new terminal; returns our end of that and the process."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=dict(around), start_new_session=True
    )
    os.close(slave)
    return master, process


def heard(master: int, patience_s: float) -> bytes:
    """The next bytes from a terminal; nothing if none come, or the process has gone."""
    if not select.select([master], [], [], patience_s)[0]:
        return b""
    try:
        return os.read(master, 65_536)
    except OSError:  # how Linux says that nobody has the other end any more
        return b""


def until_it_ends(command: Sequence[str], around: Mapping[str, str]) -> Callable[[], Measured]:
    """Returns what measures a command from its start to its end; its stdin is a terminal, which term2048 asks for."""

    def measure() -> Measured:
        master, terminal = pty.openpty()
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, stdin=terminal, env=dict(around))
        passed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        os.close(master)
        os.close(terminal)
        return 1_000 * passed, 1_000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    return measure


def until_it_shows(command: Sequence[str], text: bytes, around: Mapping[str, str]) -> Callable[[], Measured]:
    """Returns what measures a command from its start until a text is on its terminal; then it is ended."""

    def measure() -> Measured:
        start = time.perf_counter()
        master, process = on_a_pty(command, around)
        seen = b""
        try:
            while text not in seen:
                more = heard(master, PATIENCE_S)
                if not more:
                    raise RuntimeError(f"{' '.join(command)} shows no {text!r}, but {seen[-600:]!r}")
                seen += more
            passed = time.perf_counter() - start
            worked = _worked_s(process.pid)
        finally:
            process.kill()
            process.wait()
            os.close(master)
        return 1_000 * passed, 1_000 * worked

    return measure


def _worked_s(pid: int) -> float:
    """How long the processor has worked for a process; no number where the system does not say."""
    place = Path(f"/proc/{pid}/stat")
    if not place.exists():
        return float("nan")
    ticks = place.read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
