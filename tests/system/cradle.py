"""Lobby processes that start quickly: one process that has imported everything, forked for each.

`python -m tests.system.cradle` serves: a line of JSON {"arguments": […], "said": PATH} on its input is answered with
the pid of a new process that is a lobby with these arguments, and writes what it says to that file.
"""

from __future__ import annotations

import json
import os
import signal
import sys

import aiohttp.web  # noqa: F401 - imported here, so that no lobby has to

import lobby.lobby
import lobby.server  # noqa: F401
from lobby.cli import main


def serve() -> None:
    """Forks for every line."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they have ended
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            said = os.open(asked["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(said, 1)
            os.setsid()
            os._exit(main(asked["arguments"]))
        print(pid, flush=True)


if __name__ == "__main__":
    serve()
