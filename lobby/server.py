"""The lobby's sockets: frames in and out, and one timer.

Owns all connections, their numbers, and the order in which effects leave the process. Refuses to know what a
message means: whatever comes in goes to the core (lobby.py) as an event, and what comes out is obeyed, after
the disk has what it tells of (holding.py). connection.py has one socket's queue, pages.py what a browser sees.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from typing import Protocol

from aiohttp import WSCloseCode, WSMsgType, web

from lobby import events, pages
from lobby.connection import CLOSE_S, Connection, framed
from lobby.holding import Holding
from lobby.store import Store
from lobby.times import LobbyTime
from protocol import codec, limits
from protocol.messages import Refused
from protocol.refusals import Refusal

log = logging.getLogger(__name__)

HEARTBEAT_S = 10.0  # a missing answer is noticed half of this later, so within two heartbeats
KEEPALIVE_S = 5.0  # for a plain request: how long its headers may take, and how long it may idle afterwards
STOP_S = 2.0  # for all connections together when the process stops: five seconds with what the disk may take
FAREWELL_S = 5.0  # without a disk: so long everyone may still read what there is
SOCKET_BUFFER_BYTES = 65_536  # or the kernel would keep up to 4 MB of old ticks for a peer that stalls
BACKLOG = 1_024  # a whole lobby's clients come back at once after a restart
BURST_FRAMES = 16  # read from one peer before the others have their turn
SLICE_CONNECTIONS = 64  # of a broadcast written before the others have their turn
WAKE_MS_MIN = 1
WAKE_MS_MAX = 1_000  # the loop's timers stand still while the machine sleeps: look at the clock this often
WAKE_AFTER_ERROR_MS = 1_000  # a deadline that makes the core raise must not keep the processor busy
# What our own client is never refused, unless votes cross on the line: whoever runs a lobby may want to know.
WRONG = frozenset(
    {
        Refusal.FRAME, Refusal.ORDER, Refusal.PROOF, Refusal.GUESSING, Refusal.SIGNATURE, Refusal.SLICE,
        Refusal.FLOOD, Refusal.SEAL, Refusal.VOTE,
    }
)  # fmt: skip


class Core(Protocol):
    """What the server needs of the lobby's state machine (architecture.md 3)."""

    def handle(self, event: events.Event, now_ms: int) -> list[events.Effect]:
        """Returns the effects of an event, in order."""

    @property
    def deadline(self) -> int | None:
        """When the core next wants a Woke."""

    @property
    def busy(self) -> bool:
        """Whether a race is running or somebody is connected."""


class Server:
    """Runs a core on a listening socket until told to stop.

    `over` is set when the process should end: after `linger_s` in which the core was never busy, or when the
    core has raised and `crash` asks for that; `stop` then raises the same error. Without `crash`, an error of
    the core's costs the connection that brought it about, and no other.
    """

    def __init__(
        self,
        core: Core,
        store: Store,
        *,
        epoch: int = 1,
        time: LobbyTime | None = None,
        public_url: str = "",
        origins: frozenset[str] = frozenset(),
        linger_s: float | None = None,
        heartbeat_s: float = HEARTBEAT_S,
        crash: bool = False,
    ) -> None:
        self.over = asyncio.Event()
        self.disk_error: Exception | None = None  # why the journal could not be written any more
        self._core = core
        self._linger_s = linger_s
        self._heartbeat_s = heartbeat_s
        time = time or LobbyTime(None)
        self._clock = time.now_ms
        self._holding = Holding(store, time, epoch, obey=self._obey, tell=self.tell, failed=self._lose_disk)
        self._crash = crash
        self._failure: Exception | None = None
        self._stopping = False
        self._last_number = 0
        self._connections: dict[int, Connection] = {}
        self._readers: set[asyncio.Task[object]] = set()
        self._turns: deque[Connection] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._linger: asyncio.TimerHandle | None = None
        self._lingered = False  # nobody needs this lobby any more
        self._not_before_ms = 0
        self._runner = web.AppRunner(
            pages.application(self._serve, public_url=public_url, origins=origins),
            access_log=None,
            keepalive_timeout=KEEPALIVE_S,
            lingering_time=CLOSE_S,
            shutdown_timeout=CLOSE_S / 2,
        )

    async def start(self, listener: socket.socket, restored: events.Restored | None = None) -> None:
        """Serves on a bound socket from now on, and goes on with what was `restored`."""
        self._holding.start()
        if restored is not None:
            self.tell(restored)
        # Accepted sockets inherit it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER_BYTES)
        await self._runner.setup()
        await web.SockSite(self._runner, listener, backlog=BACKLOG).start()
        self._look_ahead()

    async def stop(self) -> None:
        """Takes nobody new, lets the core say goodbye, and returns when all is sent, closed and kept."""
        self._stopping = True
        log.info("stopping with %d connections", len(self._connections))
        for site in self._runner.sites:
            await site.stop()
        self.tell(events.Drained(forever=self._lingered))
        await self._holding.flush()
        for connection in self._connections.values():
            connection.close(Refusal.DRAINING if self.disk_error is None else Refusal.DISK, WSCloseCode.GOING_AWAY)
        if self._readers:
            await asyncio.wait(self._readers, timeout=STOP_S)
        for connection in self._connections.values():
            connection.abort()
        for handle in (self._timer, self._linger):
            if handle is not None:
                handle.cancel()
        await self._runner.cleanup()
        await self._holding.stop()
        if self._failure is not None:
            raise self._failure

    # ── the core ──

    def tell(self, event: events.Event) -> None:
        """Hands an event to the core and obeys what it answers."""
        if self._failure is not None:
            return
        now_ms = self._clock()
        try:
            effects = self._core.handle(event, now_ms)
            self._holding.take(effects)
            for effect in effects:
                if isinstance(effect, events.Quarantine):
                    self._failed(effect.error, None)
        except Exception as error:  # noqa: BLE001 - logged and accounted for in _failed
            self._not_before_ms = now_ms + WAKE_AFTER_ERROR_MS
            self._failed(error, getattr(event, "connection", None))
        self._look_ahead()

    def _failed(self, error: Exception, number: int | None) -> None:
        """Our bug: written down, and paid for by the connection that brought it about."""
        log.error("the lobby failed", exc_info=error)
        if self._crash:
            self._failure = error
            self.over.set()
        elif number is not None:
            self._connections[number].close("", WSCloseCode.INTERNAL_ERROR)

    def _lose_disk(self, error: Exception) -> None:
        """Without a disk nothing can be promised: everyone has been told, and may read for a moment."""
        self.disk_error = error
        asyncio.get_running_loop().call_later(FAREWELL_S, self.over.set)

    def _obey(self, effect: events.Send | events.Close) -> None:
        if isinstance(effect, events.Send):
            self._send(effect)
        elif effect.connection in self._connections:
            draining = effect.code == Refusal.DRAINING
            self._connections[effect.connection].close(
                effect.code, WSCloseCode.GOING_AWAY if draining else WSCloseCode.POLICY_VIOLATION
            )

    def _send(self, send: events.Send) -> None:
        frame = framed(codec.encode(send.message))
        newest_of = type(send.message).__name__ if send.newest_only else ""
        for number in send.connections:
            connection = self._connections.get(number)
            if connection is None:
                continue
            if isinstance(send.message, Refused):
                self._note(number, connection, send.message.code)
            connection.put(frame, newest_of=newest_of)
            if send.newest_only or len(send.connections) > SLICE_CONNECTIONS:
                self._queue_up(connection)
            else:
                connection.flush()

    def _note(self, number: int, connection: Connection, code: str) -> None:
        """Logs why a connection was refused something, each reason once: a flood must not fill the log too."""
        if code not in connection.refusals:
            connection.refusals.add(code)
            log.log(logging.WARNING if code in WRONG else logging.INFO, "connection %d was refused: %s", number, code)

    def _queue_up(self, connection: Connection) -> None:
        if not connection.in_turn:
            connection.in_turn = True
            self._turns.append(connection)
            if len(self._turns) == 1:
                asyncio.get_running_loop().call_soon(self._take_turns)

    def _take_turns(self) -> None:
        """Writes a slice of a broadcast: thousands of watchers must not hold up those who race."""
        for _ in range(min(SLICE_CONNECTIONS, len(self._turns))):
            connection = self._turns.popleft()
            connection.in_turn = False
            connection.flush()
        if self._turns:
            asyncio.get_running_loop().call_soon(self._take_turns)

    # ── time ──

    def _look_ahead(self) -> None:
        """Arms the timer for the core's deadline, and the one that ends a lobby nobody needs."""
        loop = asyncio.get_running_loop()
        deadline_ms = self._core.deadline
        if deadline_ms is not None:
            wait_ms = max(deadline_ms, self._not_before_ms) - self._clock()
            due = loop.time() + min(max(wait_ms, WAKE_MS_MIN), WAKE_MS_MAX) / 1_000
            # A timer that rings too early only looks again; only one that would be late is set anew.
            if self._timer is None or due < self._timer.when() - 0.001:
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = loop.call_at(due, self._ring)
        if self._linger_s is None:
            return
        if not self._core.busy:
            self._linger = self._linger or loop.call_later(self._linger_s, self._end)
        elif self._linger is not None:
            self._linger.cancel()
            self._linger = None

    def _end(self) -> None:
        """Nobody has needed this lobby for long: its tables go with it."""
        self._lingered = True
        self.over.set()

    def _ring(self) -> None:
        # One turn later: frames that arrived in a stall are heard before the time is told. Otherwise a peer
        # would be called silent because this process slept.
        self._timer = None
        asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        deadline_ms = self._core.deadline
        if deadline_ms is not None and self._clock() >= max(deadline_ms, self._not_before_ms):
            self.tell(events.Woke())
        else:
            self._look_ahead()

    # ── connections ──

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        """Serves one peer from its first frame to its last."""
        offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
        if limits.SUBPROTOCOL not in [name.strip() for name in offered]:
            return web.Response(status=426, text=f"This lobby speaks {limits.SUBPROTOCOL}.\n")
        if self._stopping:
            return web.Response(status=503, text="This lobby is going down.\n")
        websocket = web.WebSocketResponse(
            protocols=(limits.SUBPROTOCOL,),
            heartbeat=self._heartbeat_s,
            autoping=False,  # a peer that pings and never reads would bring its own reader to a stop
            compress=False,
            max_msg_size=limits.CLIENT_FRAME_BYTES_MAX + 1,  # aiohttp refuses what is as long as this
            timeout=CLOSE_S,
        )
        stream = await websocket.prepare(request)
        transport, task = request.transport, asyncio.current_task()
        if transport is None or task is None:  # gone again
            return websocket
        self._last_number += 1
        number = self._last_number
        address = request.remote or ""
        connection = Connection(address, websocket, transport, stream.drain)
        self._connections[number] = connection
        log.info("connection %d from %s", number, address)
        self._readers.add(task)
        try:
            self.tell(events.Connected(number, address))
            await self._read(number, websocket, connection)
        except Exception as error:  # noqa: BLE001 - logged and accounted for in _failed
            self._failed(error, number)
        finally:
            self.tell(events.Disconnected(number))
            await connection.ended()
            del self._connections[number]
            log.info("connection %d ended", number)
            self._readers.discard(task)
        return websocket

    async def _read(self, number: int, websocket: web.WebSocketResponse, connection: Connection) -> None:
        frames = 0
        while True:
            message = await websocket.receive()
            if connection.ending:  # what comes after a Close is not heard
                return
            match message.type:
                case WSMsgType.BINARY:
                    self.tell(_event(number, message.data))
                case WSMsgType.TEXT:
                    self.tell(events.BadFrame(number))
                case WSMsgType.PING:
                    connection.put(framed(message.data, WSMsgType.PONG))
                    connection.flush()
                case WSMsgType.PONG:
                    pass
                case _:
                    return
            frames += 1
            if frames % BURST_FRAMES == 0:
                await asyncio.sleep(0)


def _event(number: int, frame: bytes) -> events.Event:
    try:
        return events.Received(number, codec.decode_from_client(frame))
    except codec.FrameError:
        return events.BadFrame(number)
