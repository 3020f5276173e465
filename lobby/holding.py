"""What a lobby says waits here until the disk has what it tells of (architecture.md 3.2, 4.2).

Owns the store's place in the event loop: what is to be written is handed to its thread, and the effects behind it are
carried out, in order, once that is durable. Nothing blocks meanwhile. Also the heartbeat by which a later process
knows how long there was no lobby, a look at the space that is left, and what follows when the disk fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from collections import deque
from collections.abc import Callable, Sequence

from lobby.events import (
    Archive,
    Close,
    DiskFailed,
    Effect,
    Event,
    Forget,
    Keep,
    Persist,
    Quarantine,
    Send,
    SpaceChanged,
)
from lobby.store import Alive, Store
from lobby.times import LobbyTime
from protocol.messages import Welcome

log = logging.getLogger(__name__)

BEAT_S = 1.0  # rules 5.6
SPACE_BYTES_MIN = 64 << 20  # below it no new race starts: those that run need some of it
FLUSH_S = 2.0
_DURABLE = (Persist, Keep, Forget, Quarantine, Archive)


class Holding:
    """Holds back what `obey` is to do until it may. `tell` hears what the disk is like, `failed` why it is gone."""

    def __init__(
        self,
        store: Store,
        time: LobbyTime,
        epoch: int,
        *,
        obey: Callable[[Send | Close], None],
        tell: Callable[[Event], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._store = store
        self._time = time
        self._epoch = epoch
        self._obey = obey
        self._tell = tell
        self._failed = failed
        self._held: deque[tuple[int, Send | Close]] = deque()
        self._expecting: set[int] = set()  # connections whose Welcome is held back
        self._submitted = 0
        self._durable = 0
        self._scarce = False
        self._lost = False  # nothing can be written any more
        self._beating: asyncio.TimerHandle | None = None
        self._news = asyncio.Event()

    def start(self) -> None:
        """Writes from now on."""
        loop = asyncio.get_running_loop()
        self._store.start(
            lambda number: _call(loop, self._on_durable, number), lambda error: _call(loop, self._on_failure, error)
        )

    def beat(self) -> None:
        """Writes that this lobby is there, once a second from now on.

        What the time before has changed must be handed in earlier: or a lobby that is killed in between leaves word
        that it was there all that time, and players are forfeited for its absence (rules 5.6).
        """
        self._submitted = self._store.submit([Alive(self._time.moment(), self._epoch)])
        self._look_at_space()
        self._beating = asyncio.get_running_loop().call_later(BEAT_S, self.beat)

    def take(self, effects: Sequence[Effect]) -> None:
        """Carries effects out in order; those behind something durable only when that is on the disk."""
        writes = [effect for effect in effects if isinstance(effect, _DURABLE)]
        if writes and not self._lost:
            self._submitted = self._store.submit(writes)
        waits = False
        for effect in effects:
            if isinstance(effect, _DURABLE):
                waits = True
            elif not (waits or self._is_expected(effect)):
                self._obey(effect)
            elif not self._lost:
                self._hold(effect)

    def _hold(self, effect: Send | Close) -> None:
        self._held.append((self._submitted, effect))
        if isinstance(effect, Send) and isinstance(effect.message, Welcome):
            self._expecting.update(effect.connections)

    def _is_expected(self, effect: Send | Close) -> bool:
        """Returns whether it goes to somebody who has not got the complete picture yet, which comes first."""
        return isinstance(effect, Send) and not self._expecting.isdisjoint(effect.connections)

    async def flush(self) -> None:
        """Returns when nothing is held back any more, or after two seconds."""
        with contextlib.suppress(TimeoutError):  # what was not written is not said either
            async with asyncio.timeout(FLUSH_S):
                while self._durable < self._submitted and not self._lost:
                    self._news.clear()
                    await self._news.wait()

    async def stop(self) -> None:
        """Ends the writing and frees the file."""
        if self._beating is not None:
            self._beating.cancel()
        await asyncio.to_thread(self._store.close)
        self._lost = True

    def _look_at_space(self) -> None:
        scarce = shutil.disk_usage(self._store.path.parent).free < SPACE_BYTES_MIN
        if scarce != self._scarce:
            self._scarce = scarce
            log.warning("the disk of %s is %s", self._store.path, "nearly full" if scarce else "not full any more")
            self._tell(SpaceChanged(scarce))

    def _on_durable(self, number: int) -> None:
        self._durable = number
        while self._held and self._held[0][0] <= number:
            effect = self._held.popleft()[1]
            if self._expecting and isinstance(effect, Send) and isinstance(effect.message, Welcome):
                self._expecting.difference_update(effect.connections)
            self._obey(effect)
        self._news.set()

    def _on_failure(self, error: Exception) -> None:
        """What is not on the disk was never said, and never happened; the peers will say theirs again."""
        self._lost = True
        self._held.clear()
        self._expecting.clear()
        self._news.set()
        if self._beating is not None:
            self._beating.cancel()
        log.error("the database %s cannot be written: %s", self._store.path, error)
        self._tell(DiskFailed())
        self._failed(error)


def _call(loop: asyncio.AbstractEventLoop, what: Callable[..., None], value: object) -> None:
    """Calls on the loop's thread, if there still is a loop: at the very end nobody waits for the answer."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(what, value)
