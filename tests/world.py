"""A lobby and its clients joined back to back under a virtual clock (architecture.md 6.3).

The real cores, codec and signatures; only sockets, clocks and people are played. Every message is encoded and decoded
on its way and takes the delay of its connection. Nothing waits: `run_until` jumps from event to event.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from client import events as client_events
from client.actions import Action
from client.session import Goal, JoinTable, OpenTable, Session
from client.view import SessionView
from lobby import events as lobby_events
from lobby.lobby import Lobby
from lobby.opening import DealOptions
from protocol.codec import FrameError, decode_from_client, decode_from_lobby, encode
from protocol.messages import Role, TableSettings
from protocol.signing import Signer
from engine.digest import digest, u32


def entropy_of(seed: str) -> Callable[[int], bytes]:
    """Returns a source of bytes that is the same in every run."""
    count = itertools.count()

    def entropy(size: int) -> bytes:
        out = b""
        while len(out) < size:
            out += digest("test", seed.encode().ljust(32, b"\0"), u32(next(count)))
        return out[:size]

    return entropy


@dataclass
class Client:
    """A session, the connection it has, and what the world knows of its line and its clock."""

    name: str
    session: Session
    delay_ms: int = 0
    clock_ms: int = 0  # what its clock is ahead of the world's
    connection: int | None = None
    cut: bool = False  # it cannot reach the lobby
    records: list[client_events.SaveRecord] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    alarm: int | None = None

    def view(self, world: World) -> SessionView:
        return self.session.view(world.now_ms + self.clock_ms)


class World:
    """The lobby, the clients, and everything that is on its way between them."""

    def __init__(self, options: DealOptions | None = None, start_ms: int = 1_000_000) -> None:
        self.now_ms = start_ms
        self.lobby = Lobby(
            signer=Signer(digest("test", b"lobby")),
            entropy=entropy_of("lobby"),
            epoch=7,
            program="test 1",
            options=options,
        )
        self.clients: dict[str, Client] = {}
        self.archived: list[lobby_events.Archive] = []
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._connections = itertools.count(1)
        self._by_connection: dict[int, Client] = {}
        self._last_arrival: dict[tuple[int, bool], int] = {}

    # ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def client(
        self, name: str, goal: Goal, *, role: Role = Role.PLAYER, delay_ms: int = 0, clock_ms: int = 0, key: str = ""
    ) -> Client:
        """Starts a client; `delay_ms` is one way."""
        session = Session(
            signer=Signer(digest("test", (key or name).encode().ljust(16, b"\0"))),
            name=name,
            goal=goal,
            role=role,
            entropy=entropy_of(f"{name}-{len(self.clients)}"),
            program="test 1",
        )
        client = Client(name, session, delay_ms, clock_ms)
        self.clients[name] = client
        self._perform_client(client, session.begin(self._client_ms(client)))
        return client

    def host(self, settings: TableSettings, name: str = "fox", **line: int) -> Client:
        """Starts a client that opens a table, and waits until it stands."""
        host = self.client(name, OpenTable(settings), **line)
        self.run_while(lambda: host.session.table is None)
        return host

    def join(self, host: Client, name: str, **line: int) -> Client:
        """Starts a client that joins the host's table, and waits until it is there."""
        guest = self.client(name, JoinTable(host.view(self).code), **line)
        self.run_while(lambda: guest.session.table is None)
        return guest

    def act(self, client: Client, action: Action) -> None:
        """A person does something now."""
        self._perform_client(client, client.session.handle(client_events.Acted(action), self._client_ms(client)))

    def cut(self, client: Client) -> None:
        """Breaks the connection of a client; both sides notice at once, and it cannot come back until `mend`."""
        client.cut = True
        if client.connection is not None:
            self._break(client, "lost")

    def mend(self, client: Client) -> None:
        """The client can reach the lobby again."""
        client.cut = False

    # ── time ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def run(self, duration_ms: int) -> None:
        """Lets that much time pass."""
        self.run_until(self.now_ms + duration_ms)

    def run_until(self, until_ms: int) -> None:
        """Lets everything happen that happens up to then."""
        while (moment := self._next_ms()) is not None and moment <= until_ms:
            self._step(moment)
        self.now_ms = max(self.now_ms, until_ms)

    def run_while(self, condition: Callable[[], bool], limit_ms: int = 600_000) -> None:
        """Lets time pass as long as the condition holds; fails if that is longer than `limit_ms`."""
        end_ms = self.now_ms + limit_ms
        while condition():
            moment = self._next_ms()
            assert moment is not None and moment <= end_ms, "the condition still holds"
            self._step(moment)

    def _next_ms(self) -> int | None:
        times = [self._queue[0][0]] if self._queue else []
        if self.lobby.deadline is not None:
            times.append(self.lobby.deadline)
        for client in self.clients.values():
            if client.session.deadline is not None:
                times.append(client.session.deadline - client.clock_ms)
        return max(self.now_ms, min(times)) if times else None

    def _step(self, moment: int) -> None:
        self.now_ms = moment
        if self._queue and self._queue[0][0] <= moment:
            heapq.heappop(self._queue)[2]()
            return
        if self.lobby.deadline is not None and self.lobby.deadline <= moment:
            before = self.lobby.deadline
            self._to_lobby(lobby_events.Woke())
            assert self.lobby.deadline is None or self.lobby.deadline > before or self._queue, "a deadline stands still"
            return
        for client in list(self.clients.values()):
            due_ms = client.session.deadline
            if due_ms is not None and due_ms <= self._client_ms(client):
                self._perform_client(client, client.session.handle(client_events.Woke(), self._client_ms(client)))
                after_ms = client.session.deadline
                assert after_ms is None or after_ms > due_ms, f"{client.name}'s deadline stands still"

    def _client_ms(self, client: Client) -> int:
        return self.now_ms + client.clock_ms

    def _later(self, delay_ms: int, what: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (self.now_ms + delay_ms, next(self._order), what))

    # ── the network ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _to_lobby(self, event: lobby_events.Event) -> None:
        for effect in self.lobby.handle(event, self.now_ms):
            match effect:
                case lobby_events.Send():
                    frame = encode(effect.message)
                    for connection in effect.connections:
                        self._carry_down(connection, frame)
                case lobby_events.Close():
                    self._close_down(effect.connection, effect.code)
                case lobby_events.Archive():
                    self.archived.append(effect)

    def _carry_down(self, connection: int, frame: bytes) -> None:
        client = self._by_connection.get(connection)
        if client is None:
            return

        def arrive() -> None:
            if client.connection == connection:
                client.heard.append(frame)
                self._tell_client(client, client_events.Received(decode_from_lobby(frame)))

        self._later(client.delay_ms, arrive)

    def _close_down(self, connection: int, code: str) -> None:
        client = self._by_connection.pop(connection, None)
        if client is None:
            return

        def arrive() -> None:
            if client.connection == connection:
                client.connection = None
                self._tell_client(client, client_events.Dropped(code))

        self._later(client.delay_ms, arrive)
        self._later(0, lambda: self._to_lobby(lobby_events.Disconnected(connection)))

    def _tell_client(self, client: Client, event: client_events.Event) -> None:
        self._perform_client(client, client.session.handle(event, self._client_ms(client)))

    def _perform_client(self, client: Client, effects: list[client_events.Effect]) -> None:
        for effect in effects:
            match effect:
                case client_events.Connect():
                    self._later(effect.after_ms, lambda: self._connect(client))
                case client_events.Send():
                    self._carry_up(client, encode(effect.message))
                case client_events.Disconnect():
                    if client.connection is not None:
                        self._break(client, "")
                case client_events.SaveRecord():
                    client.records.append(effect)
                    client.session.saved(f"{effect.code}.r2048")

    def _connect(self, client: Client) -> None:
        if client.cut:
            self._tell_client(client, client_events.Dropped("unreachable"))
            return
        client.connection = next(self._connections)
        self._by_connection[client.connection] = client
        self._to_lobby(lobby_events.Connected(client.connection, "127.0.0.1"))
        self._tell_client(client, client_events.Connected())

    def _carry_up(self, client: Client, frame: bytes) -> None:
        connection = client.connection
        if connection is None:
            return

        def arrive() -> None:
            if connection not in self._by_connection:
                return
            try:
                event: lobby_events.Event = lobby_events.Received(connection, decode_from_client(frame))
            except FrameError:
                event = lobby_events.BadFrame(connection)
            self._to_lobby(event)

        self._later(client.delay_ms, arrive)

    def _break(self, client: Client, reason: str) -> None:
        connection, client.connection = client.connection, None
        assert connection is not None, "only a connection can break"
        self._later(client.delay_ms, lambda: self._lost(connection))
        if reason:
            self._tell_client(client, client_events.Dropped(reason))

    def _lost(self, connection: int) -> None:
        if self._by_connection.pop(connection, None) is not None:
            self._to_lobby(lobby_events.Disconnected(connection))
