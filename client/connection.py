"""One WebSocket to a lobby: messages in, messages out, and why it ended.

Turns everything that can go wrong on the way into the few reasons of `events.Dropped`. Knows no session and
never tries again: when and whether to connect anew is session.py's decision. What waits to be sent is bounded
by the heartbeat: a line that takes nothing for 15 seconds is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import aiohttp

from client.events import Connected, Dropped, Event, Received
from protocol.codec import FrameError, decode_from_lobby, encode
from protocol.limits import LOBBY_FRAME_BYTES_MAX, SUBPROTOCOL
from protocol.messages import FromClient
from protocol.refusals import Refusal

UNREACHABLE, NOT_A_LOBBY, FRAME, LOST = "unreachable", "not-a-lobby", "frame", "lost"
CONNECT_S = 10.0
CLOSE_S = 1.0  # a lobby that does not answer a close within that is left
HEARTBEAT_S = 10.0
_GATEWAYS = frozenset({502, 503, 504})  # a lobby that goes down, or a proxy in front of one that is not there
_UPGRADE_REQUIRED = 426  # a lobby that does not speak our subprotocol
_ENDS = frozenset({aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSING, aiohttp.WSMsgType.CLOSED})


class Connection:
    """A connection to the lobby at `url`; `listen` hears Connected, then Received, and last one Dropped."""

    def __init__(self, url: str, listen: Callable[[Event], None]) -> None:
        self._url = f"{url}/ws"
        self._listen = listen
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, message: FromClient) -> None:
        """Sends a message after those before it."""
        self._waiting.put_nowait(encode(message))

    def close(self) -> None:
        """Closes the connection after what was sent before."""
        self._waiting.put_nowait(None)

    async def run(self) -> None:
        """Connects and carries messages until the connection is gone."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S)
        async with aiohttp.ClientSession(timeout=timeout) as http:
            try:
                socket = await self._open(http)
            except (aiohttp.ClientError, OSError, ValueError) as error:  # ValueError: no URL after all
                self._listen(Dropped(_reason_of(error)))
                return
            try:
                reason = await self._carry(socket)
            finally:
                with contextlib.suppress(aiohttp.ClientError, OSError):
                    await socket.close()
        self._listen(Dropped(reason))

    async def _open(self, http: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
        async with asyncio.timeout(CONNECT_S):
            return await http.ws_connect(
                self._url,
                protocols=(SUBPROTOCOL,),
                max_msg_size=LOBBY_FRAME_BYTES_MAX + 1,  # aiohttp refuses this size itself
                heartbeat=HEARTBEAT_S,
                compress=0,
                timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_S),
            )

    async def _carry(self, socket: aiohttp.ClientWebSocketResponse) -> str:
        """Returns why it ended."""
        if socket.protocol != SUBPROTOCOL:
            return NOT_A_LOBBY
        self._listen(Connected())
        writer = asyncio.create_task(self._write(socket))
        try:
            return await self._read(socket)
        finally:
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError, aiohttp.ClientError, OSError):
                await writer

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> str:
        while True:
            try:
                frame = await socket.receive()
            except (aiohttp.ClientError, OSError):  # a ping was read, and the line is gone by now
                return LOST
            if frame.type in _ENDS or frame.type is aiohttp.WSMsgType.ERROR:
                return _reason_in(frame)
            if frame.type is not aiohttp.WSMsgType.BINARY:
                return FRAME
            try:
                message = decode_from_lobby(frame.data)
            except FrameError:
                return FRAME
            self._listen(Received(message))

    async def _write(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while (frame := await self._waiting.get()) is not None:
            await socket.send_bytes(frame)
        await socket.close()


def _reason_in(frame: aiohttp.WSMessage) -> str:
    if frame.type is aiohttp.WSMsgType.CLOSE and frame.extra in Refusal.__members__.values():
        return str(frame.extra)
    return FRAME if isinstance(frame.data, aiohttp.WebSocketError) else LOST


def _reason_of(error: Exception) -> str:
    """Returns why no connection could be made."""
    if not isinstance(error, aiohttp.ClientResponseError) or error.status in _GATEWAYS:
        return UNREACHABLE
    return Refusal.VERSION if error.status == _UPGRADE_REQUIRED else NOT_A_LOBBY
