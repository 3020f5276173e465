"""Drives one Session in real time: its connection, its one timer, its clock, and the disk for its records.

Decides nothing. Effects are carried out in the order in which they come; what the session wants to know (a
message, the time, an act of the person) is handed in. An exception out of the session is our bug and comes
out of `run` or `act` as it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar

from client.actions import Action
from client.ending import check_record
from client.events import (
    Acted,
    Checked,
    CheckRecord,
    Connect,
    Connected,
    Disconnect,
    Dropped,
    Effect,
    Event,
    KeepMove,
    Recall,
    Recalled,
    SaveRecord,
    Send,
    Woke,
)
from client.memory import MoveMemory
from client.view import Line, SessionView

if TYPE_CHECKING:
    from client.connection import Connection

TIMER_S_MAX = 1.0  # the loop's timers stand still while the computer sleeps: the clock is looked at this often
FAREWELL_S = 2.0  # to say goodbye and to finish writing; then we leave all the same

T = TypeVar("T")
Keep = Callable[[SaveRecord], str]
Weigh = Callable[[bytes], Coroutine[None, None, tuple[int | None, ...]]]
# On macOS, which has no CLOCK_BOOTTIME, this CLOCK_MONOTONIC runs during sleep, unlike time.monotonic.
_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


def now_ms() -> int:
    """Returns milliseconds of a clock that never goes back and, where there is one, runs during sleep."""
    return (time.monotonic_ns() if _CLOCK is None else time.clock_gettime_ns(_CLOCK)) // 1_000_000


async def _in_background(work: Callable[[], T]) -> T:
    """Returns what `work` returns, or raises what it raises, from a thread that does not outlive the program.

    asyncio.to_thread would hold up the end of the program until the work is done.
    """
    done: Future[T] = Future()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it comes out where the result is waited for
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(done)


class Core(Protocol):
    """What is driven: client/session.py's Session (architecture.md 3)."""

    def begin(self, now_ms: int) -> list[Effect]:
        """Returns the first effects."""

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        """Takes in one event; returns what is to be done, in order."""

    @property
    def deadline(self) -> int | None:
        """When `handle` next wants to be told the time."""

    def view(self, now_ms: int) -> SessionView:
        """Returns everything a person can see now."""

    def saved(self, record_sha256: bytes, path: str) -> None:
        """The record with this hash was saved there."""

    def weighed(self, record_sha256: bytes, luck: tuple[int | None, ...]) -> None:
        """This is the luck of the players in that record."""


class Runner:
    """A session at work on the lobby at `url`.

    `keep` writes a record and returns its path; without it records are not kept. `memory` writes moves down.
    `weigh` tells the luck of the players in a record that was found true; nobody waits for it when the session ends.
    `on_change` is called after everything that may have changed the view.
    """

    def __init__(self, session: Core, url: str, keep: Keep | None = None, memory: MoveMemory | None = None) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self.weigh: Weigh | None = None
        self.save_error = ""  # why the last record could not be kept
        self.unchecked = ""  # where a record was kept that nobody waited for to be checked
        self._session = session
        self._url = url
        self._keep = keep
        self._memory = memory
        self._attempt = 0  # the number of the connection that counts; what others tell is ignored
        self._carrier: asyncio.Task[None] | None = None
        self._connection: Connection | None = None  # once it stands
        self._weighing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None
        self._stopped = False
        self._stirred = asyncio.Event()

    def act(self, action: Action) -> None:
        """Hands in what the person did."""
        self._feed(Acted(action))

    def view(self) -> SessionView:
        """Returns the picture of the session now."""
        return self._session.view(now_ms())

    def stop(self) -> None:
        """Ends `run` as if the program had been cut off: no word to the lobby."""
        self._stopped = True
        self._stirred.set()

    async def run(self) -> SessionView:
        """Runs the session until it is over for good; returns the last picture."""
        try:
            self._perform(self._session.begin(now_ms()))
            while not (self._stopped or self.view().line is Line.OVER):
                await self._next()
            if self._weighing is not None:
                self._weighing.cancel()
            if not self._stopped:
                self._disconnect()
                await self._finish()
            self._raise_failure()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        return self.view()

    async def _finish(self) -> None:
        """Lets end what has begun, and what that begins: a record that was checked is saved."""
        end_s = time.monotonic() + FAREWELL_S
        while self._tasks and (left_s := end_s - time.monotonic()) > 0:
            await asyncio.wait(self._tasks, timeout=left_s)

    async def _next(self) -> None:
        """Waits until something has happened or the deadline has come; the session is told of the latter."""
        self._stirred.clear()
        deadline = self._session.deadline
        wait_s = TIMER_S_MAX if deadline is None else max(0.0, (deadline - now_ms()) / 1_000)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(wait_s, TIMER_S_MAX)):
                await self._stirred.wait()
        self._raise_failure()
        deadline = self._session.deadline
        if deadline is not None and now_ms() >= deadline:
            self._feed(Woke())

    def _feed(self, event: Event) -> None:
        self._perform(self._session.handle(event, now_ms()))

    def _perform(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case Connect():
                    self._attempt += 1
                    self._carrier = self._start(self._carry(self._attempt, effect.after_ms))
                case Send():
                    if self._connection is not None:
                        self._connection.send(effect.message)
                case Disconnect():
                    self._disconnect()
                case KeepMove():
                    self._remember(effect)
                case Recall():
                    self._recall(effect.race)
                case CheckRecord():
                    self._start(self._check(effect))
                case SaveRecord():
                    self._take_record(effect)
        self._stirred.set()
        self.on_change()

    def _remember(self, move: KeepMove) -> None:
        """Writes a move down. A disk that fails takes nothing from the race, but is told once (rules 6.3)."""
        if self._memory is None:
            return
        try:
            self._memory.keep(move)
        except OSError as error:
            self._memory, self.save_error = None, error.strerror or str(error)

    def _recall(self, race: bytes) -> None:
        directions: bytes = b""
        times: tuple[int, ...] = ()
        if self._memory is not None:
            with contextlib.suppress(OSError):  # as good as never kept: the lobby has the log
                directions, times = self._memory.recall(race)
        self._feed(Recalled(race, directions, times))

    def _disconnect(self) -> None:
        self._attempt += 1
        if self._connection is not None:
            self._connection.close()
        elif self._carrier is not None:
            self._carrier.cancel()
        self._connection = self._carrier = None

    async def _carry(self, attempt: int, after_ms: int) -> None:
        """Makes a connection and carries its messages until it ends."""
        if "client.connection" not in sys.modules:
            # aiohttp takes longer to import than the first picture to paint: in a thread the loop goes on.
            await asyncio.to_thread(import_module, "client.connection")
        from client.connection import Connection

        await asyncio.sleep(after_ms / 1_000)
        connection = Connection(self._url, lambda event: self._hear(attempt, connection, event))
        await connection.run()

    def _hear(self, attempt: int, connection: Connection, event: Event) -> None:
        if attempt != self._attempt:
            return
        if isinstance(event, Connected):
            self._connection = connection
        elif isinstance(event, Dropped):
            self._connection = self._carrier = None
        self._feed(event)

    async def _check(self, effect: CheckRecord) -> None:
        """Has a record checked while the session goes on; if nobody waits for that any more, keeps it unchecked."""
        try:
            check = await _in_background(lambda: check_record(effect.record, effect.seen))
        except asyncio.CancelledError:
            if self._keep is not None:
                self._keep_unchecked(effect, self._keep)
            raise
        self._feed(Checked(effect, check))

    def _keep_unchecked(self, effect: CheckRecord, keep: Keep) -> None:
        try:
            self.unchecked = keep(SaveRecord(effect.code, effect.record, ok=False, told=effect.told))
        except OSError as error:
            self.save_error = error.strerror or str(error)

    def _take_record(self, effect: SaveRecord) -> None:
        if self._keep is not None:
            self._start(self._save(effect, self._keep))
        if self.weigh is not None and effect.ok:
            if self._weighing is not None:
                self._weighing.cancel()  # that race is no longer on the screen
            self._weighing = self._start(self._tell_luck(effect.record, self.weigh))

    async def _save(self, effect: SaveRecord, keep: Keep) -> None:
        try:
            path = await asyncio.to_thread(keep, effect)
        except OSError as error:
            self.save_error = error.strerror or str(error)
        else:
            self.save_error = ""
            self._session.saved(hashlib.sha256(effect.record).digest(), path)
        self._stirred.set()
        self.on_change()

    async def _tell_luck(self, record: bytes, weigh: Weigh) -> None:
        self._session.weighed(hashlib.sha256(record).digest(), await weigh(record))
        self._stirred.set()
        self.on_change()

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
            self._stirred.set()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
