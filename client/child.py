"""Child processes: the lobby that `host` and `demo` bring with them, and the computer players of `host --bots`.

Each runs in a session of its own, so that neither Ctrl-C nor a closed terminal reaches it: a race goes on without
its host, and both end by themselves when nobody needs them. Only a lobby whose start fails is taken down here.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

START_S = 20.0  # a Raspberry Pi with a cold disk needs five
STOP_S = 8.0  # a lobby says goodbye within five
LINGER_S = 60
LOG_BYTES_MAX = 1_000_000
EXIT_BUG = 70


class ChildError(Exception):
    """A child did not start: what it said, and the exit code it ended with."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class LobbyChild:
    """A lobby that runs: where it listens, and what it had to say at its start (a port that was taken)."""

    url: str
    bind: str
    port: int
    pid: int
    remarks: str
    _process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """Asks the lobby to end and waits until it has. Takes up to eight seconds: not for an event loop."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


async def start_lobby(options: Sequence[str], data: Path) -> LobbyChild:
    """Starts `python -m lobby` with these options and `data` as its directory; raises ChildError."""
    command = ["lobby", "--json", "--data-dir", str(data), *options]
    try:
        log = _open_log(data / "lobby.log")
    except OSError as error:
        raise ChildError(f"{data}: {error.strerror}", 6) from error
    with log:
        begin = log.seek(0, os.SEEK_END)
        process = _spawn(command, stdout=subprocess.PIPE, stderr=log)
        try:
            return await _greeted(process, log, begin)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            assert process.stdout is not None, "it was made with a pipe"
            process.stdout.close()


def start_bot(link: str, data: Path, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Starts a computer player, which sits down by itself; what it has to complain about goes to bots.log.

    `options` are those of `race2048 bot`.
    """
    with _open_log(data / "bots.log") as log:
        return _spawn(["client.cli", "bot", link, *options], stdout=subprocess.DEVNULL, stderr=log)


def _spawn(module: Sequence[str], *, stdout: int, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    # -P: a folder called "lobby" where the person happens to be is not ours to run.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", *module],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


async def _greeted(process: subprocess.Popen[bytes], log: IO[bytes], begin: int) -> LobbyChild:
    """Returns the lobby once it has said where it listens."""
    assert process.stdout is not None, "it was made with a pipe"
    try:
        async with asyncio.timeout(START_S):
            line = await asyncio.to_thread(process.stdout.readline)
    except TimeoutError:
        raise ChildError(f"the lobby did not start within {START_S:.0f} seconds", EXIT_BUG) from None
    log.seek(begin)
    remarks = log.read(LOG_BYTES_MAX).decode(errors="replace").strip()
    if not line:
        exit_code = process.wait()
        raise ChildError(remarks or f"the lobby ended with code {exit_code}", exit_code if exit_code > 0 else EXIT_BUG)
    said = json.loads(line)
    return LobbyChild(said["url"], said["bind"], said["port"], said["pid"], remarks, process)


def _open_log(path: Path) -> IO[bytes]:
    """Opens a log to be added to; one that has grown too long is begun anew, its last self kept beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > LOG_BYTES_MAX:
        path.replace(path.with_suffix(".log.old"))
    return path.open("a+b")
