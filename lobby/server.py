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
from time import perf_counter

from aiohttp import WSCloseCode, WSMsgType, web

from lobby import events, metrics, pages
from lobby.bounds import (
    BURST_FRAMES,
    CLOSE_S,
    HEARTBEAT_S,
    KEEPALIVE_S,
    SLICE_CONNECTIONS,
    SOCKET_BUFFER_BYTES,
    Admission,
)
from lobby.connection import Connection, framed
from lobby.core import Core
from lobby.door import Door, requests_log
from lobby.guard import Guard
from lobby.holding import Holding
from lobby.logs import told
from lobby.porch import Porch, porch_of
from lobby.store import Store
from lobby.times import LobbyTime
from protocol import codec, limits
from protocol.messages import Refused, Welcome
from protocol.refusals import Refusal

log = logging.getLogger(__name__)

STOP_S = 2.0  # for all connections together when the process stops: five seconds with what the disk may take
FAREWELL_S = 5.0  # without a disk: so long everyone may still read what there is
WAKE_MS_MIN = 1
WAKE_MS_MAX = 1_000  # the loop's timers stand still while the machine sleeps: look at the clock this often
WAKE_AFTER_ERROR_MS = 1_000  # a deadline that makes the core raise must not keep the processor busy
# What our own client is never refused, unless votes cross on the line: whoever runs a lobby may want to know.
WRONG = frozenset(
    {
        Refusal.FRAME, Refusal.ORDER, Refusal.PROOF, Refusal.GUESSING, Refusal.SIGNATURE, Refusal.SLICE,
        Refusal.FLOOD, Refusal.SEAL, Refusal.VOTE, Refusal.ADDRESS,
    }
)  # fmt: skip


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
        admission: Admission | None = None,
    ) -> None:
        self.over = asyncio.Event()
        self.disk_error: Exception | None = None  # why the journal could not be written any more
        self._core = core
        self._store = store
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
        self._tally = metrics.Tally()
        admission = admission or Admission()
        self._door = Door(Guard(admission.most, trusted=admission.trusted), self._clock, self._tally)
        self._listening: asyncio.Task[None] | None = None
        self._runner = self._runner_of(public_url, origins, admission)

    def _runner_of(self, public_url: str, origins: frozenset[str], admission: Admission) -> web.AppRunner:
        made = pages.application(self._serve, public_url=public_url, origins=origins, health=self._health)
        if admission.metrics_for is not None:
            page = metrics.page(self._tally, self._census)
            made.router.add_get("/metrics", self._door.shown_to(admission.metrics_for, page))
        return web.AppRunner(
            made,
            access_log=None,
            logger=requests_log,
            keepalive_timeout=KEEPALIVE_S,
            lingering_time=CLOSE_S,
            shutdown_timeout=CLOSE_S / 2,
        )

    async def start(self, listener: socket.socket, restored: events.Restored | None = None) -> None:
        """Serves on a bound socket from now on, and goes on with what was `restored`."""
        self._holding.start()
        if restored is not None:
            self.tell(restored)
        self._holding.beat()
        # Accepted sockets inherit it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER_BYTES)
        await self._runner.setup()
        assert self._runner.server is not None, "setup has made it"
        self._listening = asyncio.create_task(self._door.accept(listener, self._runner.server))
        self._look_ahead()

    async def stop(self) -> None:
        """Takes nobody new, lets the core say goodbye, and returns when all is sent, closed and kept."""
        self._stopping = True
        log.info("stopping with %d connections", len(self._connections))
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
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

    @property
    def ended(self) -> int:
        """How many sockets have ended so far, whether they were on their way to a table or not."""
        return self._door.ended

    # ── the core ──

    def tell(self, event: events.Event, now_ms: int | None = None) -> None:
        """Hands an event to the core and obeys what it answers; `now_ms` unless the clock is to be asked."""
        if self._failure is not None:
            return
        now_ms, begun = self._clock() if now_ms is None else now_ms, perf_counter()
        try:
            effects = self._core.handle(event, now_ms)
            self._holding.take(effects)
            for effect in effects:
                if isinstance(effect, events.Quarantine):
                    self._failed(effect.error, None)
        except Exception as error:  # noqa: BLE001 - logged and accounted for in _failed
            self._not_before_ms = now_ms + WAKE_AFTER_ERROR_MS
            self._failed(error, getattr(event, "connection", None))
        self._tally.took(perf_counter() - begun)
        self._look_ahead()

    def _failed(self, error: Exception, number: int | None) -> None:
        """Our bug: written down, and paid for by the connection that brought it about."""
        log.error("the lobby failed", exc_info=error)
        self._tally.failures += 1
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
            self._tally.closed[effect.code] += 1
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
            if isinstance(send.message, Welcome):
                connection.welcomed()
            elif isinstance(send.message, Refused):
                self._note(number, connection, send.message.code)
            connection.put(frame, newest_of=newest_of)
            if send.newest_only or len(send.connections) > SLICE_CONNECTIONS:
                self._queue_up(connection)
            else:
                connection.flush()

    def _note(self, number: int, connection: Connection, code: str) -> None:
        """Logs why a connection was refused something, each reason once: a flood must not fill the log too."""
        self._tally.refused[code] += 1
        if code not in connection.refusals:
            connection.refusals.add(code)
            level = logging.WARNING if code in WRONG else logging.INFO
            log.log(level, "connection %d was refused: %s", number, code, extra=told(connection=number, code=str(code)))

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
        deadline_ms, now_ms = self._core.deadline, self._clock()
        if deadline_ms is not None and now_ms >= max(deadline_ms, self._not_before_ms):
            # Both at the same time: in between nobody may become late.
            if unheard := self._door.unheard:
                self.tell(events.Unheard(unheard), now_ms)
            self.tell(events.Woke(), now_ms)
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
        return await self._door.take(request, websocket, lambda address: self._converse(request, websocket, address))

    async def _converse(self, request: web.Request, websocket: web.WebSocketResponse, address: str) -> None:
        """Hears a peer that may come in until it goes."""
        self._last_number += 1
        number, transport, task = self._last_number, request.transport, asyncio.current_task()
        if transport is not None:  # before anything can come in
            porch = porch_of(transport)
            porch.upgrade(number, lambda fault: self._overrun(number, fault))
        stream = await websocket.prepare(request)
        if transport is None or task is None:  # gone again
            return
        connection = Connection(address, websocket, transport, stream.drain)
        connection.welcomed = porch.welcome
        self._connections[number] = connection
        self._tally.connections += 1
        log.info("connection %d from %s", number, address, extra=told(connection=number, address=address))
        self._readers.add(task)
        try:
            self.tell(events.Connected(number, address))
            await self._read(number, websocket, connection, porch)
        except Exception as error:  # noqa: BLE001 - logged and accounted for in _failed
            self._failed(error, number)
        finally:
            self.tell(events.Disconnected(number))
            await connection.ended()
            del self._connections[number]
            self._tally.slow += connection.slow
            log.info("connection %d ended", number, extra=told(connection=number))
            self._readers.discard(task)

    async def _read(self, number: int, websocket: web.WebSocketResponse, connection: Connection, porch: Porch) -> None:
        frames = 0
        while True:
            message = await websocket.receive()
            if connection.ending:  # what comes after a Close is not heard
                return
            match message.type:
                case WSMsgType.BINARY:
                    self._tally.messages += 1
                    self._hear(number, _event(number, message.data), porch)
                case WSMsgType.TEXT:
                    self.tell(events.BadFrame(number))
                case WSMsgType.PING:
                    connection.put(framed(message.data, WSMsgType.PONG))
                    connection.flush()
                case WSMsgType.PONG:
                    pass
                case _:
                    self._tally.closed[Refusal.FRAME] += message.type is WSMsgType.ERROR
                    return
            frames += 1
            if frames % BURST_FRAMES == 0:
                await asyncio.sleep(0)

    def _hear(self, number: int, event: events.Received | events.BadFrame, porch: Porch) -> None:
        if isinstance(event, events.BadFrame) or porch.allowance.heard(event.message, self._clock()):
            self.tell(event)
        else:  # a person who holds a key down may read this; who goes on all the same is closed by the porch
            self._send(events.Send((number,), Refused(Refusal.FLOOD)))

    def _overrun(self, number: int, fault: Refusal) -> None:
        """The porch reads nothing more of this peer."""
        connection = self._connections.get(number)
        if connection is not None:
            self._send(events.Send((number,), Refused(fault)))
            self._tally.closed[fault] += 1
            wrong = WSCloseCode.PROTOCOL_ERROR if fault is Refusal.FRAME else WSCloseCode.POLICY_VIOLATION
            connection.close(fault, wrong)

    # ── how the lobby is ──

    def _health(self) -> str:
        """Returns why nobody should be sent here now; empty if all is well."""
        if self._stopping or self._failure is not None:
            return Refusal.DRAINING
        return Refusal.CAPACITY if self._door.full or self._core.census().full else ""

    def _census(self) -> metrics.Census:
        core = self._core.census()
        return metrics.Census(len(self._connections), core.at_tables, core.tables, self._store.commits)


def _event(number: int, frame: bytes) -> events.Received | events.BadFrame:
    try:
        return events.Received(number, codec.decode_from_client(frame))
    except codec.FrameError:
        return events.BadFrame(number)
