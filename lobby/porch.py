"""Between the sockets and aiohttp: every socket is counted, and what floods is stopped before anybody parses it.

aiohttp would read a hundred thousand pings before its WebSocket tells of the first. Here bytes and frames are counted
as they come in (guard.py has the numbers and who is counted with whom); what comes after too many is not read at all.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol, cast

from lobby import bounds
from lobby.guard import Allowance, FrameWalk, Guard, Unmasked
from lobby.patience import TURNS, rest
from protocol.refusals import Refusal

log = logging.getLogger(__name__)


class Parser(Protocol):
    """What aiohttp has for a socket: an asyncio.Protocol."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is open."""

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""

    def eof_received(self) -> bool | None:
        """No more bytes will come in; returns whether the socket stays open for writing."""

    def pause_writing(self) -> None:
        """Enough waits to be written."""

    def resume_writing(self) -> None:
        """What waited was written."""


class Doorstep:
    """What strangers have said and nobody has read yet: a little of it is read at a time.

    Otherwise hundreds who come at once would all be served before a player's next move. While any wait, strangers have
    a quarter of the time, and whatever nobody else needs (patience.py). Each stands here once, whatever it has said,
    and those who have begun take turns with those who come: neither can keep the others out.
    """

    def __init__(self) -> None:
        self._asking: deque[Porch] = deque()  # for a page, or for a WebSocket
        self._greeting: deque[Porch] = deque()  # on a WebSocket
        self._serving: asyncio.Task[None] | None = None
        self.unheard: set[int] = set()  # the connections, by number, that have said what nobody has read yet

    def put(self, porch: Porch) -> None:
        """Has read what a porch has unread: at once, if nobody waits."""
        if self._serving is None:
            self._serving = asyncio.get_running_loop().create_task(self._serve())
            porch.read()
        elif porch.upgraded:
            self._greeting.append(porch)
            self.unheard.add(porch.number)
        else:
            self._asking.append(porch)

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._greeting or self._asking:
                begun = loop.time()
                served = []
                for waiting in (self._greeting or self._asking, self._asking or self._greeting):
                    if waiting:
                        porch = waiting.popleft()
                        porch.read()
                        served.append(porch)
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                self.unheard -= {porch.number for porch in served if not porch.unread}
                await rest(loop.time() - begun)
        finally:
            self._serving = None


class Porch(asyncio.Protocol):
    """One socket on its way to `parser`, which never hears of one that is turned away."""

    def __init__(
        self,
        parser: Parser,
        guard: Guard,
        clock: Callable[[], int],
        doorstep: Doorstep,
        turned_away: Callable[[], None],
    ) -> None:
        self.allowance = Allowance(stranger=True)
        self.number = 0  # of its connection, once it is a WebSocket
        self._parser: Parser | None = parser
        self._guard = guard
        self._clock = clock
        self._doorstep = doorstep
        self._turned_away = turned_away
        self._transport: asyncio.Transport | None = None
        self._peer = ""
        self._stranger = True
        self._unread = bytearray()  # lies on the doorstep
        self._frames: FrameWalk | None = None  # once it is a WebSocket
        self._overrun: Callable[[Refusal], None] | None = None
        self._deaf = False

    @property
    def upgraded(self) -> bool:
        """Whether it is a WebSocket."""
        return self._frames is not None

    @property
    def unread(self) -> bool:
        """Whether something of it lies on the doorstep."""
        return bool(self._unread)

    def upgrade(self, number: int, overrun: Callable[[Refusal], None]) -> None:
        """From now on frames come in; `overrun` is told, once, why nothing more is read of them."""
        self.number, self._frames, self._overrun = number, FrameWalk(), overrun
        if self._unread:
            self._doorstep.unheard.add(number)

    def welcome(self) -> None:
        """The peer has come to a table: it waits for no stranger any more, and may say more."""
        if self._stranger:
            self._stranger, self.allowance = False, Allowance()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Counts the socket, or aborts it."""
        self._transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self._peer = peer[0] if isinstance(peer, tuple) else ""  # none if it is gone again
        if self._parser is None or not self._guard.knock(self._peer, self._clock()):
            self._parser = None
            self._turned_away()
            self._transport.abort()
            return
        self._parser.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Gives the place free; what lies on the doorstep is not read any more."""
        if self._parser is not None:
            self._guard.leave(self._peer)
            self._parser.connection_lost(exc)
            self._parser = None
            self._unread.clear()

    def data_received(self, data: bytes) -> None:
        """Has read what may come in: at once, or when it is a stranger's turn."""
        if self._deaf or self._parser is None:
            return
        fault = self._fault(data)
        if fault is not None:
            self._close_ears(fault)
        elif self._unread:
            self._unread += data
        elif self._stranger:
            self._unread += data
            self._doorstep.put(self)
        else:
            self._parser.data_received(data)

    def read(self) -> None:
        """Hands on what lay on the doorstep."""
        data = bytes(self._unread)
        self._unread.clear()
        if self._deaf or self._parser is None or self._transport is None:
            return
        try:
            self._parser.data_received(data)
        except Exception:  # as asyncio does it
            log.exception("what came in could not be read")
            self._transport.abort()

    def eof_received(self) -> bool | None:
        """Hands it on."""
        return None if self._parser is None else self._parser.eof_received()

    def pause_writing(self) -> None:
        """Hands it on."""
        if self._parser is not None:
            self._parser.pause_writing()

    def resume_writing(self) -> None:
        """Hands it on."""
        if self._parser is not None:
            self._parser.resume_writing()

    def _fault(self, data: bytes) -> Refusal | None:
        now_ms = self._clock()
        try:
            kept = self.allowance.bytes_arrived(len(data), now_ms) and (
                self._frames is None or self.allowance.frames_arrived(self._frames.walk(data), now_ms)
            )
        except Unmasked:
            return Refusal.FRAME
        return None if kept else Refusal.FLOOD

    def _close_ears(self, fault: Refusal) -> None:
        """Nothing more is read, but a peer that reads may still learn why."""
        self._deaf = True
        assert self._transport is not None, "bytes come in after connection_made"
        if self._overrun is None:
            self._turned_away()
            self._transport.abort()
        else:
            self._transport.pause_reading()
            self._overrun(fault)
            asyncio.get_running_loop().call_later(bounds.LINGER_S, self._transport.abort)


def porch_of(transport: asyncio.BaseTransport) -> Porch:
    """Returns the porch that a socket came through."""
    porch = cast("asyncio.Transport", transport).get_protocol()
    assert isinstance(porch, Porch), "every socket comes through one"
    return porch
