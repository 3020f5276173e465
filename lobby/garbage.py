"""When a lobby's Python looks for garbage that refers to itself, so that no player waits for that longer than must be.

Sockets and tables that have ended are such garbage. By itself Python would look through all that lives several
times a minute under load, a tenth of a second each time, remembered lines of boards included. Here it looks by itself
only at what is young, and through everything when enough has ended, once a minute at most.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

YOUNG, YOUNG_TIMES = 1_000, 5  # objects, and how often before the middle-aged are looked at too: 1 and 4 ms
NEVER = 1 << 30
LOOK_S = 60.0  # 100 ms in a minute are not among one in a hundred moves
ENOUGH = 25  # sockets, of some 20 kB: what waits here is what the lobby's memory goes up and down by
LOOKS_MAX = 60  # there may be other garbage


@asynccontextmanager
async def collected(ended: Callable[[], int]) -> AsyncIterator[None]:
    """Looks for garbage meanwhile; `ended` tells how many sockets have ended so far.

    What there is at the beginning is taken for what stays: modules and the like.
    """
    usual = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, YOUNG_TIMES, NEVER)
    collecting = asyncio.create_task(_look_now_and_then(ended))
    try:
        yield
    finally:
        collecting.cancel()
        await asyncio.wait([collecting])
        gc.set_threshold(*usual)
        gc.unfreeze()


async def _look_now_and_then(ended: Callable[[], int]) -> None:
    known, looks = ended(), 0
    while True:
        await asyncio.sleep(LOOK_S)
        looks += 1
        if ended() - known >= ENOUGH or looks >= LOOKS_MAX:
            gc.collect()
            known, looks = ended(), 0
