"""The load generator: racers at a lobby, in a process of its own. `python -m bench.racers JSON` prints its figures.

Each racer is a real client as far as the lobby can tell: client/session.py takes it to the start, client/play.py makes,
slices and seals its moves. During the race only what our program draws and checks for a person is left out. Names,
keys and directions come from the seed. What an acknowledgement takes is measured from the slice's last byte written to
the frame of the Ack read, in this process, which must not be the bottleneck itself: `late_ms` tells by how much it was.
"""

import asyncio
import heapq
import json
import random
import sys
import time
from collections import deque
from hashlib import sha256
from typing import TypedDict

from bench.figures import Figures, now_ms, until
from bench.wire import Wire
from client.actions import SetReady, Start
from client.ending import check_record
from client.events import (
    Acted,
    Checked,
    CheckRecord,
    Connect,
    Connected,
    Effect,
    Event,
    Recall,
    Recalled,
    Received,
    Send,
    Woke,
)
from client.play import OwnRace
from client.session import Goal, JoinTable, OpenTable, Session
from engine.board import Direction
from engine.race import Kind
from protocol import messages
from protocol.codec import decode_from_lobby, encode
from protocol.limits import SUBPROTOCOL
from protocol.messages import Phase, Role, TableSettings
from protocol.signing import Signer
from protocol.tick import Tick

SEATS = 4
OPENING_AT_ONCE = 8  # tables: opening one costs the lobby a chain of 16,384 hashes
BEAT_S = 0.01  # how often each racer is looked at
ORDER = (Direction.UP, Direction.LEFT, Direction.RIGHT, Direction.DOWN)
SETTINGS = TableSettings(seats=SEATS, size=6, kind=int(Kind.ENDLESS), target_exponent=0, idle_ms=0)


class Order(TypedDict):
    """What to do: so many racers and watchers, so many moves a second each, for so long, from this seed."""

    host: str
    port: int
    racers: int
    watchers: int
    moves_per_s: float
    seconds: float
    seed: str


class Racer:
    """One client: a session until its board is alive, then its own game alone."""

    def __init__(self, load: "Load", name: str, goal: Goal, role: Role = Role.PLAYER) -> None:
        seed = sha256(f"{load.order['seed']}/{name}".encode()).digest()
        self.chance = random.Random(seed)
        self.session = Session(
            signer=Signer(seed), name=name, goal=goal, role=role, entropy=self.chance.randbytes, program="bench 1",
        )  # fmt: skip
        self.load = load
        self.wire: Wire | None = None
        self.own: OwnRace | None = None
        self.next_move_ms = 0.0
        self.waiting: deque[tuple[int, float]] = deque()  # moves sent, and when
        self._perform(self.session.begin(now_ms()))

    # ── until the start ──

    def act(self, event: Event) -> None:
        self._perform(self.session.handle(event, now_ms()))

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Connect():
                    self.load.connect(self)
                case Send():
                    if self.wire is not None:
                        self.wire.send(encode(effect.message))
                case Recall():
                    self.act(Recalled(effect.race, b"", ()))
                case CheckRecord():
                    self.act(Checked(effect, check_record(effect.record, effect.seen)))

    def opened(self, wire: Wire) -> None:
        self.wire = wire
        self.act(Connected())

    def heard(self, frame: bytes) -> None:
        message = decode_from_lobby(frame)
        if self.own is None:
            self.act(Received(message))
        else:
            self._hear_in_race(message, self.own)

    # ── in the race ──

    def alive(self) -> bool:
        """Takes the game over from the session once it can be played; returns whether it can."""
        if self.own is None and self.session.deadline is not None and self.session.deadline <= now_ms():
            self.act(Woke())
        own = self.session.own
        ready = own is not None and own.game is not None and self.session.race_ms(now_ms()) > 0
        if ready and self.own is None:
            self.own = own
            self.next_move_ms = now_ms() + self.chance.random() * self.load.pause_ms
        return ready

    def play(self) -> float:
        """Makes the moves whose time has come, and sends what is due; returns when there is something to do again."""
        own, now = self.own, now_ms()
        if own is None or own.game is None or own.done or self.wire is None:
            return now + 1_000.0
        if now >= self.next_move_ms:
            self.load.figures.late_ms.append(now - self.next_move_ms)
            self.next_move_ms += self.load.pause_ms
            self.load.figures.moves += 1
            own.press(next(each for each in ORDER if own.game.board.slide(each) is not None))
        race_ms = self.session.race_ms(now)
        self._send(own.play(race_ms, online=True))
        due_ms = own.deadline(online=True)
        return self.next_move_ms if due_ms is None else min(self.next_move_ms, now + max(1, due_ms - race_ms))

    def _send(self, out: list[messages.FromClient]) -> None:
        assert self.wire is not None, "only a connected racer sends"
        for message in out:
            self.wire.send(encode(message))
            if isinstance(message, messages.Slice):
                assert self.own is not None, "only a racer with a board sends moves"
                self.waiting.append((len(self.own.log), time.perf_counter()))

    def _hear_in_race(self, message: messages.FromLobby, own: OwnRace) -> None:
        figures = self.load.figures
        if isinstance(message, messages.Ack):
            heard_s = time.perf_counter()
            own.acknowledge(message.moves)
            if message.link_number:
                own.extend(message.link_number, message.link)
            while self.waiting and self.waiting[0][0] <= message.moves:
                figures.acks_ms.append(1_000 * (heard_s - self.waiting.popleft()[1]))
        elif isinstance(message, messages.Link):
            own.extend(message.number, message.link)
        elif isinstance(message, messages.Ticked):
            self._send(own.flush(self.session.race_ms(now_ms())))
            own.tick_seen = Tick.decode(message.tick.body).number
        elif isinstance(message, messages.Refused):
            figures.refused += 1
        elif isinstance(message, messages.Ping) and self.wire is not None:
            self.wire.send(encode(messages.Pong(message.stamp_ms, now_ms())))


class Load:
    """All racers and watchers of one run."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.pause_ms = 1_000 / order["moves_per_s"]
        self.racers: list[Racer] = []
        self.watchers: list[Racer] = []
        self.figures = Figures()
        self._due: list[tuple[float, int, Racer]] = []  # when each racer has something to do next
        self._tasks = asyncio.TaskGroup()  # one that fails ends the whole load

    def connect(self, racer: Racer) -> None:
        self._tasks.create_task(self._connect(racer))

    async def _connect(self, racer: Racer) -> None:
        host = self.order["host"]
        loop = asyncio.get_running_loop()
        await loop.create_connection(
            lambda: Wire(host, "/ws", SUBPROTOCOL, racer.opened, racer.heard, self.figures.lose),
            host, self.order["port"],
        )  # fmt: skip

    async def table(self, number: int, gate: asyncio.Semaphore) -> None:
        """Opens a table, fills it, and starts the race."""
        async with gate:
            host = Racer(self, f"h{number}", OpenTable(SETTINGS))
            await until(lambda: host.session.table is not None)
            code = host.session.table.code if host.session.table is not None else ""
            guests = [Racer(self, f"g{number}-{seat}", JoinTable(code)) for seat in range(1, SEATS)]
            await until(lambda: all(guest.session.seat is not None for guest in guests))
            for guest in guests:
                guest.act(Acted(SetReady()))
            await until(lambda: host.session.view(now_ms()).can_start)
            host.act(Acted(Start()))
            everyone = [host, *guests]
            await until(lambda: host.session.table is not None and host.session.table.phase is Phase.COUNTDOWN)
        await until(lambda: all(racer.alive() for racer in everyone))
        for racer in everyone:
            self.racers.append(racer)
            heapq.heappush(self._due, (racer.next_move_ms, len(self.racers), racer))

    async def play(self) -> None:
        """Lets everyone move whose board is alive, each at its own time, while others are on their way to theirs."""
        while True:
            while self._due and self._due[0][0] <= now_ms():
                _, number, racer = heapq.heappop(self._due)
                heapq.heappush(self._due, (racer.play(), number, racer))
            await asyncio.sleep(BEAT_S / 5)

    async def watch(self) -> None:
        """Fills one table with watchers."""
        host = self.racers[0].session.table
        assert host is not None, "the first table stands"
        for number in range(self.order["watchers"]):
            self.watchers.append(Racer(self, f"w{number}", JoinTable(host.watch_code), Role.WATCHER))
            if number % 50 == 49:
                await until(lambda: all(watcher.session.table is not None for watcher in self.watchers))
        await until(lambda: all(watcher.session.table is not None for watcher in self.watchers))

    async def run(self) -> None:
        """Races, and tells what was measured."""
        gate = asyncio.Semaphore(OPENING_AT_ONCE)
        async with self._tasks:
            playing = self._tasks.create_task(self.play())
            await asyncio.gather(*(self.table(number, gate) for number in range(self.order["racers"] // SEATS)))
            if self.order["watchers"]:
                await self.watch()
            wires = [racer.wire for racer in self.racers + self.watchers if racer.wire is not None]
            await self.figures.measure(wires, self.order["seconds"])
            playing.cancel()


if __name__ == "__main__":
    asyncio.run(Load(json.loads(sys.argv[1])).run())
