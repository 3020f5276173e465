"""The lobby's door: who comes in, from where, and what those are told who do not.

Joins guard.py, which counts, with aiohttp's requests and sockets (porch.py). Knows no tables: what the core refuses is
refused by the core.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Set

from aiohttp import WSCloseCode, web
from aiohttp.http_exceptions import HttpProcessingError

from lobby import bounds
from lobby.bounds import Network
from lobby.guard import Guard, within
from lobby.metrics import Tally
from lobby.pages import Handler
from lobby.patience import rest
from lobby.porch import Doorstep, Parser, Porch
from protocol import codec
from protocol.messages import Refused
from protocol.refusals import Refusal

log = logging.getLogger(__name__)

requests_log = logging.getLogger("lobby.requests")  # what aiohttp has to say, through `Wordless`

_SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Wordless(logging.Filter):
    """Of a request that cannot be read the words are not logged: the code of a table may be among them.

    And to aiohttp it is an error, which an attack could fill the disk with.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns True; the record of such a request is a warning now, and says only what kind of fault it is."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, HttpProcessingError):
            record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}", None
            record.levelno = min(record.levelno, logging.WARNING)
            record.levelname = logging.getLevelName(record.levelno)
            record.exc_info = None
        return True


requests_log.addFilter(Wordless())


class Door:
    """Everybody passes here. `clock` is the lobby's."""

    def __init__(self, guard: Guard, clock: Callable[[], int], tally: Tally) -> None:
        self._guard = guard
        self._clock = clock
        self._tally = tally
        self._doorstep = Doorstep()
        self._warned = False  # of a proxy that is not trusted

    @property
    def full(self) -> bool:
        """Whether no socket more is taken from anybody."""
        return self._guard.full

    @property
    def unheard(self) -> Set[int]:
        """The connections that have said something which nobody has had the time to read."""
        return self._doorstep.unheard

    @property
    def ended(self) -> int:
        """How many sockets have ended so far."""
        return self._guard.ended

    async def accept(self, listener: socket.socket, parser: Callable[[], Parser]) -> None:
        """Takes sockets until it is cancelled, then closes the listener. A crowd waits with the system, not here."""
        loop = asyncio.get_running_loop()
        with listener:
            listener.listen(bounds.BACKLOG)
            listener.setblocking(False)
            while True:
                try:
                    accepted, _ = await loop.sock_accept(listener)
                    begun = loop.time()
                    await loop.connect_accepted_socket(lambda: self._porch(parser()), accepted)
                    await rest(loop.time() - begun)
                except OSError as error:  # there is no descriptor left, or the peer has gone again
                    if error.errno in _SCARCE:
                        log.warning("a socket could not be taken: %s", error)
                        await asyncio.sleep(bounds.ACCEPT_AGAIN_S)

    def _porch(self, parser: Parser) -> Porch:
        return Porch(parser, self._guard, self._clock, self._doorstep, self._turned_away)

    def address_of(self, request: web.Request) -> str:
        """Returns the address of who really asks."""
        peer, forwarded = request.remote or "", request.headers.getall("X-Forwarded-For", ())
        address = self._guard.address_of(peer, forwarded)
        if forwarded and not self._guard.trusts(peer) and not self._warned:
            self._warned = True
            log.warning("a proxy at %s is not trusted: all who come through it count as one (--trust-proxy)", peer)
        return address

    async def take(
        self, request: web.Request, websocket: web.WebSocketResponse, converse: Callable[[str], Awaitable[None]]
    ) -> web.WebSocketResponse:
        """Converses with a peer, or tells it why it cannot come in; then it has gone."""
        address = self.address_of(request)
        fault = self._guard.enter(address, self._clock())
        if fault is not None:
            await self._turn_away(request, websocket, fault)
            return websocket
        try:
            await converse(address)
        finally:
            self._guard.exit(address)
        return websocket

    def shown_to(self, network: Network, page: Callable[[], tuple[bytes, str]]) -> Handler:
        """Returns a page for those in a network; to others there is no such page."""

        async def show(request: web.Request) -> web.Response:
            if not within(self.address_of(request), (network,)):
                raise web.HTTPNotFound
            body, kind = page()
            return web.Response(body=body, headers={"Content-Type": kind})

        return show

    async def _turn_away(self, request: web.Request, websocket: web.WebSocketResponse, fault: Refusal) -> None:
        await websocket.prepare(request)
        self._tally.refused[fault] += 1
        self._tally.closed[fault] += 1
        await websocket.send_bytes(codec.encode(Refused(fault)))
        await websocket.close(code=WSCloseCode.POLICY_VIOLATION, message=fault.encode())

    def _turned_away(self) -> None:
        self._tally.turned_away += 1
