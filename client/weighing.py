"""Works out the luck of a record's players in a process of its own, so that a screen never waits for it.

A thread would not do: the work is all Python, and would take turns with the screen. The process is as nice as can be
and lives no longer than whoever waits for it: it is ended when the waiting is cancelled.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

NICENESS = 19


async def weigh(record: bytes) -> tuple[int | None, ...]:
    """Returns the luck of every seat of a true record in thousandths, None where nothing is said of it.

    Nothing at all where the system gives us no process, or ends it: luck is only advice.
    """
    try:
        # -P: a folder called "client" where the person happens to be is not ours to run.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "client.weighing",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
    except OSError:
        return ()
    try:
        said, _ = await process.communicate(record)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    return tuple(json.loads(said)) if process.returncode == 0 else ()


def main() -> None:
    """Reads a record and prints the luck of its seats, as JSON."""
    os.nice(NICENESS)
    from protocol.luck import luck_of

    print(json.dumps([luck.z for luck in luck_of(sys.stdin.buffer.read())]))


if __name__ == "__main__":
    main()
