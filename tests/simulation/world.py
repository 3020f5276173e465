"""One world: a lobby's process, programs, people and lines under a virtual clock, all drawn from one seed.

Nothing waits: the clock jumps from event to event. `play` lets faults happen for a while, then stops them; from then
on every race must end within its bound. Whatever happens is a line of the trace, so that two runs can be compared.
"""

from __future__ import annotations

import heapq
import itertools
import zlib
from collections.abc import Callable
from functools import partial
from hashlib import sha256

from client.session import JoinTable, OpenTable
from client.view import Line
from lobby.events import BadFrame, Close, Connected, Disconnected, Effect, Event, Received, Send
from lobby.opening import DealOptions
from lobby.table import Table
from protocol.codec import FrameError, decode_from_client, encode
from protocol.limits import EMPTY_TABLE_MS
from protocol.messages import Phase, Role
from tests.simulation.cheats import Cheat
from tests.simulation.network import NOTICE_MS_MAX, Wire
from tests.simulation.oracles import Looker
from tests.simulation.people import Person
from tests.simulation.plan import LineKnobs, Plan, dice, drawn
from tests.simulation.process import Process
from tests.simulation.programs import Program

START_MS = 1_000_000
BOUND_MS = 300_000  # once faults have stopped, a race is dealt, played and checked within this time
VOID_MS = 620_000  # without a lobby for so long, a race is void (rules 5.6) and programs give up


class BrokenError(AssertionError):
    """An oracle, or the program itself, says that something is wrong in a world."""

    def __init__(self, seed: int, now_ms: int, reason: str) -> None:
        super().__init__(f"world {seed}, {now_ms} ms: {reason}")
        self.reason = reason


class World:
    """Everything that is played."""

    def __init__(self, plan: Plan, tell: Callable[[str], None] | None = None) -> None:
        self.plan = plan
        self.now_ms = START_MS
        self.looker = Looker(self)
        self.calm = False
        self.calm_since_ms = 0
        self._up_ms = 0  # when the lobby is started again
        self.wires: dict[int, tuple[Wire, Program]] = {}
        self.keys: dict[int, bytes] = {}  # by connection, those that are gone included
        self._tell = tell
        self._digest = sha256()
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._numbers = itertools.count(1)
        self._chance = dice(plan.seed, "world")
        options = DealOptions(chain_length=plan.chain_length)
        self.process = Process(self, plan.disk, options, dice(plan.seed, "lobby"))
        self.programs: dict[str, Program] = {}
        self.people: list[Person] = []
        self.cheats: list[Cheat] = []
        self._dice = {person.name: dice(plan.seed, f"line {person.name}") for person in plan.people}

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def later(self, delay_ms: int, what: Callable[[], None]) -> None:
        """Does something after a while."""
        heapq.heappush(self._queue, (self.now_ms + delay_ms, next(self._order), what))

    def run(self, until_ms: int, enough: Callable[[], bool] = lambda: False) -> bool:
        """Lets time pass up to then; returns whether it was `enough` before."""
        looked_ms = 0
        while self._queue and self._queue[0][0] <= until_ms:
            self.now_ms, _, what = heapq.heappop(self._queue)
            what()
            if self.now_ms >= looked_ms + 100:
                looked_ms = self.now_ms
                if enough():
                    return True
        self.now_ms = max(self.now_ms, until_ms)
        return enough()

    def trace(self, line: str) -> None:
        """Notes what happens."""
        told = f"{self.now_ms - START_MS:7} {line}"
        self._digest.update(told.encode())
        if self._tell is not None:
            self._tell(told)

    def digest(self) -> str:
        """Returns what the whole trace comes to."""
        return self._digest.hexdigest()

    # ── a world from beginning to end ────────────────────────────────────────────────────────────────────────────

    def play(self) -> None:
        """Plays the world; raises BrokenError."""
        try:
            self._begin()
            self.run(START_MS + self.plan.calm_ms)
            self._calm()
            self._settle()
            self._leave()
        except BrokenError:
            raise
        except Exception as error:
            raise BrokenError(self.plan.seed, self.now_ms - START_MS, f"{type(error).__name__}: {error}") from error

    def _begin(self) -> None:
        self.process.start()
        host = self._program(0, OpenTable(self.plan.settings))
        host.start()
        self.run(START_MS + 60_000, lambda: host.session.table is not None)
        assert host.session.table is not None, "the host has no table after a minute"
        host.goal = JoinTable(host.session.table.code)  # if the program is started again
        for place in range(1, len(self.plan.people)):
            guest = self._program(place, JoinTable(host.session.table.code))
            self.later(self._chance.randint(0, 3_000), guest.start)
        self._lines()
        self._disk()

    def _program(self, place: int, goal: OpenTable | JoinTable) -> Program:
        knobs = self.plan.people[place]
        program = Program(self, knobs, goal, dice(self.plan.seed, f"program {knobs.name}"))
        self.programs[knobs.name] = program
        person = Person(self, program, dice(self.plan.seed, f"person {knobs.name}"))
        self.people.append(person)
        person.begin()
        if knobs.tricks:
            self.cheats.append(Cheat(self, program, dice(self.plan.seed, f"cheat {knobs.name}")))
        return program

    def _calm(self) -> None:
        """All faults stop, and everyone who is still there plays on."""
        self.calm, self.calm_since_ms = True, self.now_ms
        self.trace("calm")
        self.process.calm()
        self.process.go_on()
        if not self.process.up and self._up_ms > self.now_ms + VOID_MS // 2:
            self.run(self._up_ms)
        self._restart()
        for person in self.people:
            person.calm = True
            person.program.cut_until_ms = 0
            if not person.program.running and not person.gone:
                person.come_back()
        for cheat in self.cheats:
            cheat.calm()
        self.looker.calm_archives = len(self.looker.archived)

    def _settle(self) -> None:
        """Every race must end, and another one can be dealt."""
        done = self.run(self.now_ms + BOUND_MS, self._settled)
        assert done, f"not over within its bound: {self.table.phase if self.table else 'no table'}"

    def _settled(self) -> bool:
        table = self.table
        if table is None:
            return not any(self.here())
        if table.phase in (Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING, Phase.CLOSING):
            return False
        racers = [program for program in self.here() if program.session.seat is not None]
        # Among computers alone nobody is host, and nobody deals (rules 3.10).
        persons = any(program.knobs.role is Role.PLAYER for program in racers)
        if len(racers) >= 2 and persons and not self.enough_races():
            return False
        return all(program.session.race is None or program.session.race.check is not None for program in self.here())

    def _leave(self) -> None:
        """Everyone goes home, and nothing is left of the table."""
        for person in self.people:
            person.gone = True
            person.program.kill()
        for cheat in self.cheats:
            cheat.stop()
        self.run(self.now_ms + EMPTY_TABLE_MS + 120_000)
        self.looker.finish()

    # ── what people ask ──────────────────────────────────────────────────────────────────────────────────────────

    def here(self) -> list[Program]:
        """The programs that run and are not over."""
        return [program for program in self.programs.values() if program.running and not program.session.ending]

    def wanted(self, seats: int) -> int:
        """How many a host waits for."""
        playing = [p for p in self.here() if p.knobs.role is not Role.WATCHER and p.session.line is Line.ONLINE]
        return min(len(playing), seats)

    def enough_races(self) -> bool:
        """Whether a race was dealt and played after the calm."""
        return len(self.looker.archived) > self.looker.calm_archives

    @property
    def table(self) -> Table | None:
        """The one table, if it is still there."""
        if not self.process.up:
            return None
        return next(iter(self.process.lobby._tables.values()), None)

    # ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _every(self, mean_ms: int, fault: Callable[[], None]) -> None:
        """Lets a fault happen now and then until the calm."""

        def once() -> None:
            if not self.calm:
                fault()
                again()

        def again() -> None:
            self.later(1 + round(self._chance.expovariate(1 / mean_ms)), once)

        if mean_ms:
            again()

    def _lines(self) -> None:
        for program in self.programs.values():
            line = program.knobs.line
            self._every(line.stall_every_ms, partial(self._stall, program))
            self._every(line.break_every_ms, partial(self._break, program))
            self._every(line.hang_every_ms, partial(self._hang, program))
            self._every(program.knobs.sleeps_every_ms, partial(self._sleep, program))

    def _disk(self) -> None:
        self._every(self.plan.disk.stall_every_ms, lambda: self.process.stall(self._chance.randint(20, 1_500)))
        self._every(self.plan.disk.kills_every_ms, self._kill)
        self._every(self.plan.disk.full_every_ms, self.process.fill)
        self._every(self.plan.disk.drains_every_ms, self._drain)
        self._every(self.plan.disk.stops_every_ms, self._stop)

    def _drain(self) -> None:
        self.trace("the lobby is told to end")
        self.process.drain()

    def _stop(self) -> None:
        """The lobby's machine sleeps, or its process is stopped."""
        duration_ms = self._chance.choice((300, 3_000, 6_000, 12_000, 50_000))
        if self.process.up and not self.process.stopped:
            self.trace(f"the lobby is stopped for {duration_ms}")
            self.process.stop(duration_ms)
            self.looker.stops()

    def goes_on(self) -> None:
        """The lobby's process was stopped and runs again."""
        self.trace("the lobby goes on")
        self.looker.goes_on()

    def _stall(self, program: Program) -> None:
        if program.wire is not None:
            duration_ms = self._chance.choice((100, 400, 2_000, 9_000))
            self.trace(f"{program.name}'s line stalls for {duration_ms}")
            program.wire.stall(duration_ms)

    def _break(self, program: Program) -> None:
        """The line breaks; either end learns of it first, and it may be a while until there is another."""
        if program.wire is not None:
            self.trace(f"{program.name}'s line breaks")
            self.unreachable(program)
            program.cut_until_ms = self.now_ms + self._chance.choice((0, 0, 500, 6_000, 70_000))
            ends = (self._chance.choice((0, 50, 3_000)), self._chance.choice((0, 50, 3_000)))
            program.wire.sever(*ends)

    def _hang(self, program: Program) -> None:
        """Half-open: nothing gets through any more, and both ends learn it late."""
        if program.wire is not None:
            self.trace(f"{program.name}'s line hangs")
            self.unreachable(program)
            program.wire.sever(self._chance.randint(5_000, NOTICE_MS_MAX), self._chance.randint(100, NOTICE_MS_MAX))

    def _sleep(self, program: Program) -> None:
        duration_ms = self._chance.choice((300, 3_000, 20_000))
        self.trace(f"{program.name}'s machine sleeps for {duration_ms}")
        program.sleep(duration_ms, clock_sleeps=self._chance.random() < 0.5)

    def _kill(self) -> None:
        if self.process.up:
            self.trace("the lobby is killed")
            self.process.kill()

    # ── the lobby's side ─────────────────────────────────────────────────────────────────────────────────────────

    def wire_for(
        self, program: Program, knobs: LineKnobs | None = None, hear: Callable[[bytes, Wire], None] | None = None,
        key: bytes = b"",
    ) -> Wire:  # fmt: skip
        """Returns a new connection to the lobby; with `hear` and `key` it is one that a cheat has beside its own."""
        number = next(self._numbers)
        chance, knobs, hear = self._dice[program.name], knobs or program.knobs.line, hear or program.hear

        def jitter() -> int:
            return chance.randint(0, knobs.jitter_ms) if knobs.jitter_ms and not self.calm else 0

        wire = Wire(
            self, number, knobs, jitter,
            up=lambda frame: self.arrive(number, frame), down=lambda frame: hear(frame, wire),
        )  # fmt: skip
        wire.lost_up = lambda reason: self._lost_up(number)
        self.wires[number] = (wire, program)
        self.keys[number] = key or program.signer.key
        self.later(knobs.delay_ms, lambda: self._tell_lobby(number, Connected(number, f"10.0.0.{len(program.name)}")))
        return wire

    def arrive(self, number: int, frame: bytes) -> None:
        """A frame has arrived at the lobby."""
        if self.process.stopped:
            self.process.waiting.append(partial(self.arrive, number, frame))
            return
        if number not in self.wires:
            return
        try:
            message = decode_from_client(frame)
            event: Event = Received(number, message)
            kind = type(message).__name__
        except FrameError:
            event, kind = BadFrame(number), "?"
        self.trace(f"{self.wires[number][1].name}/{number} > {kind} {zlib.crc32(frame):08x}")
        self.looker.arrives(number, frame, event)
        self.process.tell(event)
        self.looker.arrived(number, event)

    def _tell_lobby(self, number: int, event: Event) -> None:
        if self.process.stopped:
            self.process.waiting.append(partial(self._tell_lobby, number, event))
        elif number in self.wires:
            self.process.tell(event)

    def _lost_up(self, number: int) -> None:
        if self.process.stopped:
            self.process.waiting.append(partial(self._lost_up, number))
            return
        if number in self.wires:
            self.trace(f"{self.wires[number][1].name}/{number} is gone")
            self.unreachable(self.wires[number][1], number)
            del self.wires[number]
            self.looker.arrives(number, b"", Disconnected(number))
            self.process.tell(Disconnected(number))
            self.looker.arrived(number, Disconnected(number))

    def obey(self, effect: Send | Close) -> None:
        """The lobby says something, or closes a connection."""
        if isinstance(effect, Close):
            if effect.connection in self.wires:
                wire, program = self.wires[effect.connection]
                self.trace(f"{program.name}/{wire.number} is closed: {effect.code}")
                self.looker.closes(program, effect)
                self.unreachable(program, wire.number)
                wire.close_up(effect.code)
            return
        frame = encode(effect.message)
        named = type(effect.message).__name__
        self.looker.says(effect.message, frame, effect.connections)
        for number in effect.connections:
            if number in self.wires:
                wire, program = self.wires[number]
                self.trace(f"{program.name}/{number} < {named} {zlib.crc32(frame):08x}")
                wire.say_down(frame, named if effect.newest_only else "")

    def comes_out(self, effects: list[Effect]) -> None:
        """The core wants this to be done."""
        self.looker.comes_out(effects)

    def told_early(self, effect: Send | Close, event: Event) -> None:
        """Something is carried out before the row of its event is submitted."""
        self.looker.told_early(effect, event)

    def program_of(self, connection: int) -> Program | None:
        """Whose connection this is, if it still stands."""
        found = self.wires.get(connection)
        return None if found is None else found[1]

    def is_own(self, connection: int) -> bool:
        """Whether this is a connection of the program whose it is, and none that a cheat has beside it."""
        program = self.program_of(connection)
        return program is not None and self.keys[connection] == program.signer.key

    def unreachable(self, program: Program, number: int | None = None) -> None:
        """From now on this program cannot be said to be connected, or one of its connections cannot."""
        self.looker.unreachable(program, number)

    def ended(self) -> None:
        """The lobby's process is gone, and all its connections with it."""
        self.trace("the lobby is down")
        self.looker.down()
        wires, self.wires = list(self.wires.values()), {}
        for wire, program in wires:
            self.unreachable(program)
            wire.open_up = wire.alive = False
            self.later(self._chance.choice((0, 5, 300)), partial(wire.end_down, "lost"))
        duration_ms = self._chance.randint(*self.plan.disk.down_ms)
        if self._chance.random() < 0.05 and not self.calm:  # a farewell may end after the calm has begun
            duration_ms = VOID_MS
        self._up_ms = self.now_ms + duration_ms
        self.later(duration_ms, self._restart)

    def _restart(self) -> None:
        if not self.process.up:
            self.trace("the lobby starts")
            self.process.start()
            self.looker.restarted()


def play(seed: int, tell: Callable[[str], None] | None = None) -> World:
    """Plays the world with this seed and returns it; raises BrokenError."""
    world = World(drawn(seed), tell)
    world.play()
    return world
