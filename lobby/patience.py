"""How work that can wait leaves the event loop to everybody else: strangers, sockets to accept, chains made ahead."""

from __future__ import annotations

import asyncio

from lobby import bounds

TURNS = 3  # of the loop: then the tasks that were woken have done what there was to do


async def rest(busy_s: float) -> None:
    """Leaves the loop to everybody else, after it was busy for so long with what could wait.

    They have three times as long, but no longer than they have something to do.
    """
    loop = asyncio.get_running_loop()
    end_s = loop.time() + min(bounds.PAUSES * busy_s, bounds.PAUSE_S_MAX)
    idle = False
    while not idle and (begun := loop.time()) < end_s:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        idle = loop.time() - begun < bounds.IDLE_S
