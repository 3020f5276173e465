"""The lobby's process and its disk: the real core, and around it what lobby/holding.py and store.py do to it.

What is to be written is durable a while after it was submitted, in order; what stands behind it in the effects waits
until then. A kill loses what was not durable, but for a prefix of it: a torn tail. A full disk stops the process after
a while. This is the one seam between the simulator and the lobby's journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Protocol

from engine.digest import digest
from lobby.entropy import Source
from lobby.events import Close, DiskFailed, Drained, Durable, Effect, Event, Quarantine, Send, Woke
from lobby.lobby import Lobby
from lobby.opening import DealOptions
from protocol.signing import Signer
from tests.disk import Disk
from tests.simulation.plan import DiskKnobs

BEAT_MS = 1_000  # rules 5.6
FAREWELL_MS = 5_000  # without a disk: so long there is still something to read
WAKES_MAX = 10  # in one millisecond
SIGNER = Signer(digest("test", b"lobby"))


class Surroundings(Protocol):
    """What the process needs of the world."""

    now_ms: int

    def later(self, delay_ms: int, what: Callable[[], None]) -> None:
        """Does something after a while."""

    def obey(self, effect: Send | Close) -> None:
        """The process says something, or closes a connection."""

    def comes_out(self, effects: list[Effect]) -> None:
        """The core wants this to be done."""

    def told_early(self, effect: Send | Close, event: Event) -> None:
        """Something is carried out before the row of its event is submitted."""

    def ended(self) -> None:
        """The process is gone, and all its connections with it."""

    def goes_on(self) -> None:
        """The process was stopped and runs again."""


class Process:
    """One lobby process after the other, on one disk."""

    def __init__(self, world: Surroundings, knobs: DiskKnobs, options: DealOptions, chance: Random) -> None:
        self.disk = Disk()
        self.disk.alive_ms = world.now_ms
        self.knobs = knobs
        self.epoch = 100
        self.kills = 0
        self.up = False
        self.up_since_ms = 0
        self.still = False  # its disk has failed
        self.stopped = False  # and will go on
        self.draining = False  # it is on its way out
        self.waiting: list[Callable[[], None]] = []  # what has happened to it while it was stopped
        self.drains = self.stops = 0
        self.lobby: Lobby
        self._world = world
        self._options = options
        self._chance = chance
        self._entropy = Random(chance.randrange(1 << 60))
        self._life = 0
        self._pending: deque[Durable] = deque()  # submitted, not durable
        self._held: deque[tuple[int, Send | Close]] = deque()
        self._submitted = self._durable = 0
        self._stalled_ms = self._last_ms = 0
        self._armed_ms: int | None = None
        self._wakes = (0, 0)

    # ── its life ─────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """A process begins, with what the disk has."""
        self._life += 1
        self.epoch += 1
        self.up, self.still, self.up_since_ms = True, False, self._world.now_ms
        self.draining = False
        self._pending.clear()
        self._held.clear()
        self._submitted = self._durable = 0
        self._last_ms = self._world.now_ms
        self._armed_ms = None
        self.lobby = Lobby(
            signer=SIGNER,
            entropy=Source(self._entropy.randbytes),
            epoch=self.epoch,
            program="simulated",
            options=self._options,
        )
        left_behind = self.disk.restored() if self._life > 1 else None
        if left_behind is not None:
            self.tell(left_behind)
        self._beat(self._life)

    def kill(self) -> None:
        """Ends the process at once. Some of what was submitted may have reached the disk; nobody was told of it."""
        if not self.up:
            return
        self.kills += 1
        for _ in range(self._chance.randint(0, len(self._pending))):
            self.disk.write(self._pending.popleft())
        self._end()

    def fill(self) -> None:
        """The disk is full: nothing can be written any more, and the process leaves after its farewell."""
        if not self.up or self.still or self.stopped:
            return
        self.still = True
        self._pending.clear()
        self._held.clear()
        self.tell(DiskFailed())
        life = self._life
        self._world.later(FAREWELL_MS, lambda: self._end() if life == self._life and self.up else None)

    def drain(self) -> None:
        """Tells the process to end: it says goodbye, and goes when everything is written (lobby/server.py's stop)."""
        if not (self.up and not self.still and not self.stopped and not self.draining):
            return
        self.draining = True
        self.drains += 1
        self.tell(Drained())
        self._leave(self._life)

    def _leave(self, life: int) -> None:
        if life != self._life or self.still:  # its disk has failed meanwhile
            return
        if self._pending:
            self._world.later(max(1, self._last_ms - self._world.now_ms), lambda: self._leave(life))
            return
        kept = {number: place for number, (place, _) in self.disk.kept.items()}
        behind = [number for number, rows in self.disk.rows.items() if kept.get(number) != len(rows)]
        assert set(behind) <= self.disk.broken, "a table was not kept as it stood when the lobby went"
        self._end()

    def stop(self, duration_ms: int) -> None:
        """Stops the process for a while: whatever happens to it waits, and the clock does not."""
        if not (self.up and not self.still and not self.stopped and not self.draining):
            return
        self.stops += 1
        self.stopped = True
        life = self._life
        self._world.later(duration_ms, lambda: self.go_on() if life == self._life else None)

    def go_on(self) -> None:
        """A process that was stopped runs again: it hears what came in, in order, then it looks at its clock."""
        if not self.stopped:
            return
        self.stopped = False
        self._world.goes_on()
        waiting, self.waiting = self.waiting, []
        life = self._life
        for what in waiting:
            if life == self._life:
                what()
        self._armed_ms = None
        self._arm()

    def stall(self, duration_ms: int) -> None:
        """The disk takes its time."""
        self._stalled_ms = self._world.now_ms + duration_ms

    def _end(self) -> None:
        self.up = self.stopped = False
        self.waiting.clear()
        self._life += 1
        self._pending.clear()
        self._held.clear()
        self._world.ended()

    def _beat(self, life: int) -> None:
        if self.stopped:
            self.waiting.append(lambda: self._beat(life))
        elif life == self._life and self.up and not self.still:
            if not self._pending:  # it is written in its turn
                self.disk.alive_ms = self._world.now_ms
            self._world.later(BEAT_MS, lambda: self._beat(life))

    # ── what it is told, and what comes of it ────────────────────────────────────────────────────────────────────

    def tell(self, event: Event) -> None:
        """Something happens to the lobby."""
        if self.up:
            effects = self.lobby.handle(event, self._world.now_ms)
            self._world.comes_out(effects)
            self._take(effects, event)
            self._arm()

    def calm(self) -> None:
        """The disk is a good one from now on."""
        self.knobs = replace(self.knobs, write_ms=min(self.knobs.write_ms, 5))
        self._stalled_ms = 0

    def _take(self, effects: list[Effect], event: Event) -> None:
        writes = [effect for effect in effects if isinstance(effect, Durable)]
        for write in writes:
            if isinstance(write, Quarantine):
                raise write.error
        if writes and not self.still:
            self._submit(writes)
        waits = False
        for effect in effects:
            if isinstance(effect, Durable):
                waits = True
            elif not waits:
                if writes:
                    self._world.told_early(effect, event)
                self._world.obey(effect)
            elif self.still:
                pass  # it never happened
            elif self._durable == self._submitted and not self._held:
                self._world.obey(effect)
            else:
                self._held.append((self._submitted, effect))

    @property
    def behind(self) -> bool:
        """Whether something was submitted that the disk does not have yet."""
        return bool(self._pending)

    def _submit(self, writes: list[Durable]) -> None:
        self._submitted += len(writes)
        if not self.knobs.write_ms and self._stalled_ms <= self._world.now_ms and not self._pending:
            for write in writes:
                self.disk.write(write)
            self._durable = self._submitted
            return
        self._pending.extend(writes)
        self._last_ms = max(self._last_ms, self._stalled_ms, self._world.now_ms + self.knobs.write_ms)
        life, number = self._life, self._submitted
        self._world.later(self._last_ms - self._world.now_ms, lambda: self._written(life, number))

    def _written(self, life: int, number: int) -> None:
        if self.stopped:
            self.waiting.append(lambda: self._written(life, number))
            return
        if life != self._life or self.still or number <= self._durable:
            return
        while self._durable < number:
            self.disk.write(self._pending.popleft())
            self._durable += 1
        while self._held and self._held[0][0] <= number:
            self._world.obey(self._held.popleft()[1])

    # ── its alarm ────────────────────────────────────────────────────────────────────────────────────────────────

    def _arm(self) -> None:
        due_ms = self.lobby.deadline if self.up else None
        if due_ms is None or due_ms == self._armed_ms:
            return
        self._armed_ms = due_ms
        life = self._life
        self._world.later(max(0, due_ms - self._world.now_ms), lambda: self._wake(life, due_ms))

    def _wake(self, life: int, due_ms: int) -> None:
        if life != self._life or self._armed_ms != due_ms or not self.up or self.stopped:
            return
        self._armed_ms = None
        when, count = self._wakes
        self._wakes = (self._world.now_ms, count + 1 if when == self._world.now_ms else 1)
        assert self._wakes[1] < WAKES_MAX, "a deadline of the lobby stands still"
        self.tell(Woke())
