"""A program on a terminal of its own: a pty, read through pyte, as a person would see it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyte

PATIENCE_S = 40
RACE2048 = (sys.executable, "-P", "-m", "client.cli")


def end_lobbies(data: Path) -> None:
    """Ends what hosts have left running for others, as it should: lobbies and computer players under this directory."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if str(data).encode() in command and b"lobby" in command:
            os.kill(int(process.name), signal.SIGTERM)


class Terminal:
    """`race2048` with these arguments on an 80×24 terminal, with `data` as its data directory."""

    def __init__(self, arguments: Sequence[str], data: Path, columns: int = 80, rows: int = 24) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=1_000)
        self._stream = pyte.ByteStream(self.screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = os.environ | {"RACE2048_DATA": str(data), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            [*RACE2048, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
        )
        os.close(slave)
        self.written = b""

    @property
    def text(self) -> str:
        """What is on the screen now."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def press(self, keys: str) -> None:
        """Types."""
        os.write(self._master, keys.encode())

    def read(self, seconds: float) -> bool:
        """Takes in what comes within this time; returns False once the program has closed the terminal."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            return False
        self.written += data
        self._stream.feed(data)
        return bool(data)

    def settle(self, quiet_s: float) -> None:
        """Takes in what comes until nothing has come for so long: the last picture of a slide is there."""
        while select.select([self._master], [], [], quiet_s)[0] and self.read(0):
            pass

    def expect(self, *texts: str) -> str:
        """Waits until one of these texts is on the screen; returns which."""
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            seen = next((text for text in texts if text in self.text), None)
            if seen is not None:
                return seen
            if not self.read(0.1):
                break
        raise AssertionError(f"none of {texts} on the screen:\n{self.text}")

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Reads until something is so."""
        until_s = time.monotonic() + PATIENCE_S
        while not done():
            if time.monotonic() > until_s or not self.read(0.05):
                raise AssertionError(f"{what} did not come about:\n{self.text}")

    def play_until(self, *texts: str) -> str:
        """Pushes tiles towards a corner until one of these texts is on the screen."""
        until_s = time.monotonic() + PATIENCE_S
        keys = "adadsdaw"
        while time.monotonic() < until_s:
            for key in keys:
                self.press(key)
                self.read(0.04)
            seen = next((text for text in texts if text in self.text), None)
            if seen is not None:
                return seen
        raise AssertionError(f"none of {texts} after much play:\n{self.text}")

    def end(self) -> int:
        """Waits until the program has ended; returns its exit code."""
        until_s = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < until_s:
            if not self.read(0.1):
                self.process.wait(PATIENCE_S)
        while self.process.returncode is not None and self.read(0) and select.select([self._master], [], [], 0)[0]:
            pass
        assert self.process.returncode is not None, f"it did not end:\n{self.text}"
        return self.process.returncode

    def hang_up(self) -> None:
        """Closes the terminal, as its window would."""
        os.close(self._master)
        self._master = -1

    def close(self) -> None:
        """Takes the program down if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._master >= 0:
            os.close(self._master)
