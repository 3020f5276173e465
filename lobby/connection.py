"""One socket of the lobby: the bounded queue of frames that wait for its peer, and how it ends.

Knows no messages and no other connections. Whoever waits for a peer here is a task of that peer's own.
"""

from __future__ import annotations

import asyncio
import logging
import struct
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from aiohttp import WSCloseCode, WSMsgType, web

from lobby.bounds import CLOSE_S, QUEUE_BYTES_MAX, QUEUE_FRAMES_MAX, WRITE_AHEAD_BYTES
from lobby.logs import told

log = logging.getLogger(__name__)


def framed(payload: bytes, opcode: int = WSMsgType.BINARY) -> bytes:
    """Returns a WebSocket frame (RFC 6455 §5.2). A server masks nothing, so one serves all recipients."""
    length = len(payload)
    if length < 126:
        return bytes((0x80 | opcode, length)) + payload
    if length < 1 << 16:
        return struct.pack("!BBH", 0x80 | opcode, 126, length) + payload
    return struct.pack("!BBQ", 0x80 | opcode, 127, length) + payload


class Connection:
    """A socket's sending side.

    While the peer takes what it is sent, frames go straight to the transport; a task is there only while it
    is behind. (A task and a `send_bytes` for every recipient cost a broadcast twice as much.)
    """

    __slots__ = (
        "_drain",
        "_ending",
        "_newest",
        "_pumping",
        "_puts",
        "_transport",
        "_waiting",
        "_waiting_bytes",
        "_websocket",
        "address",
        "in_turn",
        "refusals",
        "slow",
        "welcomed",
    )

    def __init__(
        self,
        address: str,
        websocket: web.WebSocketResponse,
        transport: asyncio.Transport,
        drain: Callable[[], Awaitable[None]],
    ) -> None:
        self.address = address
        self.in_turn = False  # waits for its slice of a broadcast
        self.refusals: set[str] = set()  # what it was refused for, and that is logged
        self.welcomed: Callable[[], None] = lambda: None  # what is done when its peer has come to a table
        self.slow = False  # closed since its peer did not read
        self._websocket = websocket
        self._transport = transport
        self._drain = drain
        self._waiting: OrderedDict[int, bytes] = OrderedDict()  # by the number of the put
        self._waiting_bytes = 0
        self._puts = 0
        self._newest: dict[str, int] = {}  # by kind: the put that a newer one of that kind replaces
        self._pumping: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        transport.set_write_buffer_limits(high=WRITE_AHEAD_BYTES, low=WRITE_AHEAD_BYTES // 4)

    @property
    def ending(self) -> bool:
        """Whether nothing more is said or heard here."""
        return self._ending is not None or self._websocket.closed or self._transport.is_closing()

    def put(self, frame: bytes, *, newest_of: str = "") -> None:
        """Adds a frame at the end; an earlier one that is `newest_of` the same and still waits is dropped."""
        if self.ending:
            return
        if newest_of:
            self._waiting_bytes -= len(self._waiting.pop(self._newest.get(newest_of, -1), b""))
            self._newest[newest_of] = self._puts
        self._waiting[self._puts] = frame
        self._waiting_bytes += len(frame)
        self._puts += 1
        if len(self._waiting) > QUEUE_FRAMES_MAX or self._waiting_bytes > QUEUE_BYTES_MAX:
            self.slow = True
            log.warning("%s does not read what it is sent: closed", self.address, extra=told(address=self.address))
            self.abort()

    def flush(self) -> None:
        """Writes what waits, as far as the peer takes it now; the rest follows by itself."""
        if self._pumping is None and not self._write():
            self._pumping = asyncio.create_task(self._pump())

    def close(self, reason: str, code: int = WSCloseCode.POLICY_VIOLATION) -> None:
        """Closes the connection after everything that was put before."""
        if not self.ending:
            self.flush()
            self._ending = asyncio.create_task(self._end(reason, code))

    def abort(self) -> None:
        """Closes at once; what waits is lost."""
        self._waiting.clear()
        self._transport.abort()

    async def ended(self) -> None:
        """Returns when nothing of this connection is left."""
        if self._ending is not None:
            await self._ending
        if self._transport.get_write_buffer_size():
            self.abort()  # closing alone would wait until the peer has taken the rest, perhaps for ever
        if self._pumping is not None:
            await self._pumping

    def _write(self) -> bool:
        """Returns whether nothing waits any more."""
        while self._waiting:
            if self._transport.is_closing():
                self._waiting.clear()
            elif self._transport.get_write_buffer_size() > WRITE_AHEAD_BYTES:
                return False
            else:
                _, frame = self._waiting.popitem(last=False)
                self._waiting_bytes -= len(frame)
                self._transport.write(frame)
        return True

    async def _pump(self) -> None:
        try:
            while not self._write():
                await self._drain()
        except ConnectionError:
            self._waiting.clear()
        finally:
            self._pumping = None

    async def _end(self, reason: str, code: int) -> None:
        try:
            async with asyncio.timeout(CLOSE_S):
                if self._pumping is not None:
                    await asyncio.shield(self._pumping)
            # aiohttp limits how long it waits for the peer's answer, but not for room to write.
            async with asyncio.timeout(2 * CLOSE_S):
                await self._websocket.close(code=code, message=reason.encode())
        except TimeoutError:
            self.abort()
