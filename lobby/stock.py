"""Chains made ahead, while nobody waits, so that a table that is dealt holds up no other (deal.md 2.2).

Owns the chains that lie ready, and when more are made. What a chain is good for is opening.py's business.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from engine.deck import CHAIN_ID_BYTES, CHAIN_LENGTH, SECRET_BYTES, Chain
from lobby.entropy import Source
from lobby.patience import rest

STOCK = 8  # chains of 20 kB: ten or more are made in a second, and strangers may use one (bounds.OPENINGS_PER_S)


class Stock(Source):
    """Entropy of which some chains, of the usual length, lie ready."""

    def __init__(self, draw: Callable[[int], bytes]) -> None:
        super().__init__(draw)
        self._ready: deque[Chain] = deque()
        self._taken = asyncio.Event()

    def chain(self, length: int, /) -> Chain:
        """Returns a chain that lay ready, or else a new one."""
        if length != CHAIN_LENGTH or not self._ready:
            return super().chain(length)
        self._taken.set()
        return self._ready.popleft()

    @asynccontextmanager
    async def kept_full(self) -> AsyncIterator[None]:
        """Makes what is wanting, meanwhile."""
        keeping = asyncio.create_task(self._keep_full())
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])

    async def _keep_full(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._taken.clear()
            while len(self._ready) < STOCK:
                begun = loop.time()
                for chain in Chain.in_pieces(self(CHAIN_ID_BYTES), self(SECRET_BYTES), CHAIN_LENGTH):
                    if chain is not None:
                        self._ready.append(chain)
                    await rest(loop.time() - begun)
                    begun = loop.time()
            await self._taken.wait()
