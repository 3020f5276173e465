"""A client's program: a real session, the connection it has, and what it wrote down.

What client/runner.py does for a session is done here under the virtual clock. A program can be killed and started
again: then the session is new, and its key and the moves it wrote down are the old ones.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING

from client import events
from client.actions import Action
from client.ending import check_record
from client.session import Goal, JoinTable, Session
from engine.digest import digest
from protocol.codec import FrameError, decode_from_lobby, encode
from protocol.signing import Signer
from tests.simulation.network import Wire
from tests.simulation.plan import PersonKnobs

if TYPE_CHECKING:
    from tests.simulation.world import World

CHECK_MS = 30  # how long it takes to check a record
WAKES_MAX = 10


class Program:
    """One person's program, through all its starts."""

    def __init__(self, world: World, knobs: PersonKnobs, goal: Goal, chance: Random) -> None:
        self.world = world
        self.knobs = knobs
        self.name = knobs.name
        self.goal = goal
        self.signer = Signer(digest("test", knobs.name.encode().ljust(16, b"\0")))
        self.clock_ms = knobs.clock_ms
        self.asleep_ms = 0  # until then nothing is done here
        self.wire: Wire | None = None
        self.running = False
        self.cut_until_ms = 0  # it cannot reach the lobby
        self.memory: dict[bytes, dict[int, tuple[int, int]]] = {}
        self.records: list[events.SaveRecord] = []
        self.says: Callable[[bytes], list[bytes]] = lambda frame: [frame]  # what a cheat makes of what it says
        self.chance = chance
        self._armed_ms: int | None = None
        self._life = 0
        self._wakes = (0, 0)
        self._inbox: list[events.Event] = []
        self.session = self._new_session()

    @property
    def here_ms(self) -> int:
        """This machine's clock."""
        return self.world.now_ms + self.clock_ms

    # ── its life ─────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Starts the program."""
        self._life += 1
        self.running, self._armed_ms, self._inbox = True, None, []
        self.session = self._new_session()
        self._perform(self.session.begin(self.here_ms))

    def _new_session(self) -> Session:
        return Session(
            signer=self.signer, name=self.name, goal=self.goal, role=self.knobs.role,
            entropy=self.chance.randbytes, program="simulated",
        )  # fmt: skip

    def kill(self) -> None:
        """Ends the program at once; the system closes its connection."""
        self._life += 1
        self.running = False
        self._hang_up()
        self.world.unreachable(self)

    def act(self, action: Action) -> None:
        """The person does something."""
        if self.running and not self.session.ending:
            self.world.trace(f"{self.name} does {action}")
            self.tell(events.Acted(action))

    def sleep(self, duration_ms: int, *, clock_sleeps: bool) -> None:
        """The machine sleeps, with the clock or without."""
        self.asleep_ms = self.world.now_ms + duration_ms
        self.world.unreachable(self)
        if clock_sleeps:
            self.clock_ms -= duration_ms

    # ── the session ──────────────────────────────────────────────────────────────────────────────────────────────

    def tell(self, event: events.Event) -> None:
        """Something happens to the session; while the machine sleeps, later."""
        if not self.running:
            return
        if self.asleep_ms > self.world.now_ms or self._inbox:
            self._inbox.append(event)
            self._wake_up(self._life)
            return
        self._hear(event)

    def _wake_up(self, life: int) -> None:
        """Hears what came meanwhile, in order, once the machine does not sleep any more."""
        if life != self._life or not self._inbox:
            return
        if self.asleep_ms > self.world.now_ms:
            self.world.later(self.asleep_ms - self.world.now_ms, lambda: self._wake_up(life))
            return
        waiting, self._inbox = self._inbox, []
        for event in waiting:
            self._hear(event)

    def _hear(self, event: events.Event) -> None:
        self._perform(self.session.handle(event, self.here_ms))
        self._arm()

    def _perform(self, effects: list[events.Effect]) -> None:
        life = self._life
        for effect in effects:
            match effect:
                case events.Connect(after_ms):
                    self.world.later(after_ms, lambda: self._connect(life))
                case events.Send(message):
                    self._send(encode(message))
                case events.Disconnect():
                    self._hang_up()
                case events.KeepMove(race, number, direction, t_ms):
                    self.memory.setdefault(race, {})[number] = (direction, t_ms)
                case events.Recall(race):
                    self._recall(race)
                case events.CheckRecord():
                    self._check(effect, life)
                case events.SaveRecord():
                    self.records.append(effect)
                    self.session.saved(sha256(effect.record).digest(), effect.code)

    def _send(self, frame: bytes) -> None:
        wire = self.wire
        if wire is not None:
            for said in self.says(frame):
                wire.say_up(said)

    def _hang_up(self) -> None:
        if self.wire is not None:
            wire, self.wire = self.wire, None
            wire.hang_up()

    def _recall(self, race: bytes) -> None:
        kept = self.memory.get(race, {})
        moves = [kept[number] for number in range(1, len(kept) + 1)]
        found = events.Recalled(race, bytes(move for move, _ in moves), tuple(t_ms for _, t_ms in moves))
        self.tell(found)

    def _check(self, effect: events.CheckRecord, life: int) -> None:
        check = check_record(effect.record, effect.seen)
        checked = events.Checked(effect, check)
        self.world.looker.checked(self, effect, check)
        self.world.later(CHECK_MS, lambda: self.tell(checked) if life == self._life else None)

    def _connect(self, life: int) -> None:
        if life != self._life:
            return
        if self.asleep_ms > self.world.now_ms:
            self.world.later(self.asleep_ms - self.world.now_ms, lambda: self._connect(life))
            return
        if self.world.now_ms < self.cut_until_ms or not self.world.process.up:
            self.tell(events.Dropped("unreachable"))
            return
        wire = self.world.wire_for(self)
        self.wire = wire
        wire.lost_down = lambda reason: self._lost(wire, reason)
        self.world.later(2 * wire.knobs.delay_ms, lambda: self._stands(wire, life))

    def _stands(self, wire: Wire, life: int) -> None:
        if life == self._life and self.wire is wire:
            self.tell(events.Connected())

    def _lost(self, wire: Wire, reason: str) -> None:
        if self.wire is wire:
            self.wire = None
            self.world.unreachable(self)
            self.tell(events.Dropped(reason))

    def hear(self, frame: bytes, wire: Wire) -> None:
        """A frame of the lobby has arrived."""
        if self.wire is wire:
            try:
                message = decode_from_lobby(frame)
            except FrameError as error:
                raise AssertionError(f"the lobby sent {self.name} what is no message") from error
            self.tell(events.Received(message))

    # ── its alarm ────────────────────────────────────────────────────────────────────────────────────────────────

    def _arm(self) -> None:
        due_ms = self.session.deadline if self.running else None
        if due_ms is None:
            self._armed_ms = None
            return
        at_ms = due_ms - self.clock_ms
        if at_ms == self._armed_ms:
            return
        self._armed_ms = at_ms
        life = self._life
        self.world.later(max(0, at_ms - self.world.now_ms), lambda: self._wake(life, at_ms))

    def _wake(self, life: int, at_ms: int) -> None:
        if life != self._life or self._armed_ms != at_ms:
            return
        self._armed_ms = None
        due_ms = self.session.deadline
        if due_ms is not None and due_ms <= self.here_ms:
            when, count = self._wakes
            self._wakes = (self.world.now_ms, count + 1 if when == self.world.now_ms else 1)
            assert self._wakes[1] < WAKES_MAX, f"{self.name}'s deadline stands still"
            self.tell(events.Woke())
        else:
            self._arm()


def joining(code: str) -> Goal:
    """The goal of a guest."""
    return JoinTable(code)
