"""A lobby and its clients joined back to back under a virtual clock (architecture.md 6.3).

The real cores, codec and signatures; only sockets, clocks and people are played. Every message is encoded and decoded
on its way and takes the delay of its connection. Nothing waits: `run_until` jumps from event to event.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from client import events as client_events
from client.actions import Action, Move, SetReady, Start
from client.ending import check_record
from client.session import Goal, JoinTable, OpenTable, Session
from client.view import SessionView
from engine.board import Direction
from engine.digest import digest, u32
from lobby import events as lobby_events
from lobby.entropy import Source
from lobby.lobby import Lobby
from lobby.opening import DealOptions
from protocol.codec import FrameError, decode_from_client, decode_from_lobby, encode
from protocol.messages import FromLobby, Phase, Refused, Role, TableSettings
from protocol.signing import Signer
from tests.disk import Disk

DIRECTIONS = {"u": Direction.UP, "r": Direction.RIGHT, "d": Direction.DOWN, "l": Direction.LEFT}


def entropy_of(seed: str) -> Source:
    """Returns entropy that is the same in every run."""
    count = itertools.count()

    def entropy(size: int) -> bytes:
        out = b""
        while len(out) < size:
            out += digest("test", seed.encode().ljust(32, b"\0"), u32(next(count)))
        return out[:size]

    return Source(entropy)


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
    stalled_until_ms: int = 0
    newest: dict[str, int] = field(default_factory=dict)  # by kind: what still waits for a line that stalls

    def view(self, world: World) -> SessionView:
        return self.session.view(world.now_ms + self.clock_ms)


class World:
    """The lobby, the clients, and everything that is on its way between them."""

    def __init__(self, options: DealOptions | None = None, *, start_ms: int = 1_000_000, seed: str = "") -> None:
        self.now_ms = start_ms
        self.epoch = 7
        self.disk = Disk(alive_ms=start_ms)
        self.disk_ms = 0  # how long a write takes
        self._entropy = entropy_of(f"lobby{seed}")
        self._options = options
        self._running = 0  # the number of the lobby process
        self.lobby = self._new_lobby()
        self.clients: dict[str, Client] = {}
        self.memory: dict[tuple[bytes, bytes], dict[int, tuple[int, int]]] = {}
        self.archived: list[lobby_events.Archive] = []
        self.refused: list[tuple[str, str]] = []  # who was refused, and with which code
        self.late_ms = 0  # by how much the lobby's timer is late
        self._still = 0
        self._down = False
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._connections = itertools.count(1)
        self._frames = itertools.count()
        self._replaced: set[int] = set()  # frames that a newer one has taken the place of while they waited
        self._by_connection: dict[int, Client] = {}

    def _new_lobby(self) -> Lobby:
        signer = Signer(digest("test", b"lobby"))
        return Lobby(
            signer=signer, entropy=self._entropy, epoch=self.epoch, program="test 1", options=self._options
        )  # fmt: skip

    # ── a lobby that is killed ──────────────────────────────────────────────────────────────────────────────────────

    def kill_lobby(self) -> None:
        """The lobby's process ends at once: what is not on its disk is lost, and all connections break."""
        self._running += 1
        self.disk.alive_ms = max(self.disk.alive_ms, self.now_ms // 1_000 * 1_000)  # a heartbeat a second
        self.lobby = Lobby(signer=Signer(bytes(32)), entropy=self._entropy, epoch=1, program="nobody")
        self._down = True
        for client in list(self._by_connection.values()):
            connection, client.connection = client.connection, None
            if connection is not None:
                self._tell_client(client, client_events.Dropped("lost"))
        self._by_connection.clear()

    def start_lobby(self) -> None:
        """A new process takes up what the disk has."""
        self._down = False
        self.epoch += 1
        self.lobby = self._new_lobby()
        self._to_lobby(self.disk.restored())

    def restart_lobby(self, away_ms: int = 5_000) -> None:
        """Kills the lobby, and starts it again a while later; time goes on meanwhile."""
        self.kill_lobby()
        self.run(away_ms)
        self.start_lobby()

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

    def host(self, settings: TableSettings, name: str = "fox", *, delay_ms: int = 0, clock_ms: int = 0) -> Client:
        """Starts a client that opens a table, and waits until it stands."""
        host = self.client(name, OpenTable(settings), delay_ms=delay_ms, clock_ms=clock_ms)
        self.run_while(lambda: host.session.table is None)
        return host

    def join(
        self,
        host: Client,
        name: str,
        *,
        role: Role = Role.PLAYER,
        delay_ms: int = 0,
        clock_ms: int = 0,
        key: str = "",
        code: str = "",
    ) -> Client:
        """Starts a client that joins the host's table, and waits until it is there."""
        goal = JoinTable(code or host.view(self).code)
        guest = self.client(name, goal, role=role, delay_ms=delay_ms, clock_ms=clock_ms, key=key)
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

    def stall(self, client: Client, duration_ms: int) -> None:
        """Nothing gets through on the client's connection for a while; then all of it does, in order."""
        client.stalled_until_ms = max(client.stalled_until_ms, self.now_ms + duration_ms)  # it keeps the order

    def kill(self, client: Client) -> None:
        """Ends a client's program at once; whatever was under way from it still arrives."""
        del self.clients[client.name]
        if client.connection is not None:
            self._break(client, "")

    def press(self, client: Client, every_ms: int, order: str = "uldr", *, times: int = 1_000_000) -> None:
        """A person presses a key every so often while there is a game: the first direction that moves anything."""

        def once(left: int) -> None:
            own, race = client.session.own, client.session.race
            over = client.session.ending or (race is not None and race.ended is not None)
            if over or client.name not in self.clients or not left:
                return
            if own is not None and own.game is not None and client.session.race_ms(self._client_ms(client)) >= 0:
                keys = [DIRECTIONS[letter] for letter in order]
                key = next((key for key in keys if own.game.board.slide(key) is not None), None)
                if key is not None and not own.done:
                    self.act(client, Move(key))
                    left -= 1
            self._later(every_ms, lambda: once(left))

        self._later(every_ms, lambda: once(times))

    def start(self, host: Client, *guests: Client) -> None:
        """Everyone presses Ready, the host Start; returns when the boards are alive."""
        for guest in guests:
            self.act(guest, SetReady())
        self.run_while(lambda: not host.view(self).can_start)
        self.act(host, Start())
        racers = (host, *guests)
        self.run_while(lambda: any((v := c.view(self)).phase is not Phase.RACING or v.game is None for c in racers))

    def finish(self, *clients: Client) -> None:
        """Waits until everyone has the record and has checked it."""
        self.run_while(lambda: any(client.view(self).check is None for client in clients))

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
            assert moment is not None, "the condition still holds, and nothing happens any more"
            assert moment <= end_ms, "the condition still holds"
            self._step(moment)

    def _next_ms(self) -> int | None:
        times = [self._queue[0][0]] if self._queue else []
        if self.lobby.deadline is not None:
            times.append(self.lobby.deadline + self.late_ms)
        for client in self.clients.values():
            due_ms = client.session.deadline
            times += [] if due_ms is None else [due_ms - client.clock_ms]
        return max(self.now_ms, min(times)) if times else None

    def _step(self, moment: int) -> None:
        self.now_ms = moment
        if self._queue and self._queue[0][0] <= moment:
            heapq.heappop(self._queue)[2]()
            return
        if self._is_due(moment):
            self._to_lobby(lobby_events.Woke())
            self._still = self._still + 1 if self._is_due(moment) else 0
            assert self._still < 10, "a deadline of the lobby stands still"
            return
        for client in list(self.clients.values()):
            due_ms = client.session.deadline
            if due_ms is not None and due_ms <= self._client_ms(client):
                self._perform_client(client, client.session.handle(client_events.Woke(), self._client_ms(client)))
                assert self._later_than(client, due_ms), f"{client.name}'s deadline stands still"

    def _is_due(self, moment: int) -> bool:
        due_ms = self.lobby.deadline
        return due_ms is not None and due_ms + self.late_ms <= moment

    def _later_than(self, client: Client, due_ms: int) -> bool:
        after_ms = client.session.deadline
        return after_ms is None or after_ms > due_ms

    def _client_ms(self, client: Client) -> int:
        return self.now_ms + client.clock_ms

    def _later(self, delay_ms: int, what: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (self.now_ms + delay_ms, next(self._order), what))

    # ── the network ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _to_lobby(self, event: lobby_events.Event) -> None:
        effects, running = self.lobby.handle(event, self.now_ms), self._running
        for effect in effects:
            if isinstance(effect, lobby_events.Quarantine):
                raise effect.error
        ahead = next((n for n, e in enumerate(effects) if isinstance(e, lobby_events.Durable)), len(effects))
        self._obey(effects[:ahead])

        def written() -> None:
            if running == self._running:
                self.disk.alive_ms = self.now_ms
                self._obey(effects[ahead:])

        if self.disk_ms and ahead < len(effects):
            self._later(self.disk_ms, written)
        else:
            written()

    def _obey(self, effects: list[lobby_events.Effect]) -> None:
        for effect in effects:
            match effect:
                case lobby_events.Send():
                    frame = encode(effect.message)
                    for connection in effect.connections:
                        self._send_down(connection, effect.message, frame, newest_only=effect.newest_only)
                case lobby_events.Close():
                    self._close_down(effect.connection, effect.code)
                case lobby_events.Archive():
                    self.archived.append(effect)
                    self.disk.write(effect)
                case _:
                    self.disk.write(effect)

    def hears(self, client: Client, frame: bytes) -> bytes:
        """What a client really sends where the honest one sends this frame: for doubles of clients that lie."""
        return frame

    def says(self, client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
        """What the lobby says to a client where the honest one says `message`: for doubles of lobbies that cheat."""
        return (message,)

    def _send_down(self, connection: int, message: FromLobby, frame: bytes, *, newest_only: bool = False) -> None:
        client = self._by_connection.get(connection)
        if client is None:
            return
        if isinstance(message, Refused):
            self.refused.append((client.name, message.code))
        for said in self.says(client, message):
            kind = type(said).__name__ if newest_only else ""
            self._carry_down(client, connection, frame if said is message else encode(said), kind)

    def _carry_down(self, client: Client, connection: int, frame: bytes, newest_of: str) -> None:
        """Brings a frame to a client; on a line that lets nothing through, the newest of a kind takes another's place.

        That is what lobby/connection.py does for a peer that does not read.
        """
        number = next(self._frames)
        if newest_of and self.now_ms < client.stalled_until_ms:
            self._replaced.add(client.newest.get(newest_of, -1))
            client.newest[newest_of] = number
        else:
            client.newest.pop(newest_of, None)

        def arrive() -> None:
            if client.connection == connection and number not in self._replaced:
                client.heard.append(frame)
                self._tell_client(client, client_events.Received(decode_from_lobby(frame)))

        self._carry(client, arrive)

    def _close_down(self, connection: int, code: str) -> None:
        client = self._by_connection.pop(connection, None)
        if client is None:
            return

        def arrive() -> None:
            if client.connection == connection:
                client.connection = None
                self._tell_client(client, client_events.Dropped(code))

        self._carry(client, arrive)
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
                case client_events.KeepMove():
                    moves = self.memory.setdefault((client.session.signer.key, effect.race), {})
                    moves[effect.number] = (effect.direction, effect.t_ms)
                case client_events.Recall():
                    moves = self.memory.get((client.session.signer.key, effect.race), {})
                    kept = [moves[number] for number in sorted(moves)]
                    directions, times = bytes(d for d, _ in kept), tuple(t for _, t in kept)
                    self._tell_client(client, client_events.Recalled(effect.race, directions, times))
                case client_events.CheckRecord():
                    check = check_record(effect.record, effect.seen)
                    self._tell_client(client, client_events.Checked(effect, check))
                case client_events.SaveRecord():
                    client.records.append(effect)
                    client.session.saved(sha256(effect.record).digest(), f"{effect.code}.r2048")

    def _connect(self, client: Client) -> None:
        if client.cut or self._down:
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
                event: lobby_events.Event = lobby_events.Received(
                    connection, decode_from_client(self.hears(client, frame))
                )
            except FrameError:
                event = lobby_events.BadFrame(connection)
            self._to_lobby(event)

        self._carry(client, arrive)

    def _carry(self, client: Client, arrive: Callable[[], None]) -> None:
        """Something is on its way for the delay of the line, and until it lets anything through again."""
        self._later(max(0, client.stalled_until_ms - self.now_ms) + client.delay_ms, arrive)

    def _break(self, client: Client, reason: str) -> None:
        connection, client.connection = client.connection, None
        assert connection is not None, "only a connection can break"
        self._later(client.delay_ms, lambda: self._lost(connection))
        if reason:
            self._tell_client(client, client_events.Dropped(reason))

    def _lost(self, connection: int) -> None:
        if self._by_connection.pop(connection, None) is not None:
            self._to_lobby(lobby_events.Disconnected(connection))
