"""A visit to a table: a session at work, shown on a screen or in lines, and what is said after it.

The order is that of a person's visit: `running` around everything, `until` to wait for something, `show` for the
screen, and at last `farewell`, which returns the exit code.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from client.actions import Leave
from client.link import LobbyAddress, table_link
from client.memory import MoveMemory
from client.runner import Runner
from client.session import Goal, Session
from client.signals import hold, let_go
from client.store import StoreError, data_directory, default_name, save_record, take_identity
from client.view import Line, SessionView
from client.weighing import weigh
from client.words import advice, dispute_words, exit_code, number, say
from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Phase, Role
from protocol.signing import Signer, fingerprint
from protocol.text import judge_name

from . import PROGRAM
from .exits import DAMAGED, HANGUP, INTERRUPTED, NO, REFUSED, TERMINATED, USAGE, Failure, mute
from .figures import tile
from .meeting import Meeting

if TYPE_CHECKING:
    from client.tui.first_frame import Opening

_LIVE = frozenset({Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING})
LEAVE_S = 4.0
_NO_SEAT = frozenset({"full", "racing", "locked", "kicked", "watch-code", "name"})
_UNANSWERED = frozenset({"unreachable", "not-a-lobby", "pin", "no-table"})


class Screen(Protocol):
    """What shows a table: the full screen, or plain lines."""

    async def run(self) -> int:
        """Shows until the person leaves or the session is over; returns 0, or the code of a signal."""

    def refresh(self) -> None:
        """Shows what has changed."""


def run_loop(work: Coroutine[Any, Any, int]) -> int:
    """Runs the work of a command; TERM and HUP end it as Ctrl-C does, with the exit code that belongs to them."""
    hold()  # while the loop is half made, an interrupt would come out as an error of asyncio's
    try:
        return asyncio.run(_until_signalled(work))
    finally:
        let_go()


async def _until_signalled(work: Coroutine[Any, Any, int]) -> int:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "a coroutine that runs has a task"
    received: list[int] = []

    def stop(number: int) -> None:
        received.append(number)
        task.cancel()

    for name in ("SIGTERM", "SIGHUP"):
        signalled = getattr(signal, name, None)
        if signalled is None or signal.getsignal(signalled) is signal.SIG_IGN:  # Windows; nohup
            continue
        with suppress(NotImplementedError):  # Windows: the process just ends
            loop.add_signal_handler(signalled, stop, signalled)
    let_go()
    try:
        return await work
    except asyncio.CancelledError:
        if received:
            return 128 + received[0]
        raise


def person_session(
    goal: Goal, role: Role, name: str | None, pin: str = "", expected: frozenset[bytes] = frozenset()
) -> Session:
    """Returns the session of the person at this terminal, with a key of theirs if they may sit; raises Failure."""
    known = default_name() if name is None else judge_name(name)
    if known is None:
        raise Failure(USAGE, say("{name} cannot be used as a name. Choose another with --name.", name=ascii(name)))
    try:
        # A watcher needs no key that lasts: it is not to be found again, and must not take one away from a player.
        seed = os.urandom(32) if role is Role.WATCHER else _own_seed(data_directory())
    except StoreError as error:
        remedy = say("Make it usable, or choose another place with RACE2048_DATA.")
        raise Failure(DAMAGED, f"{error}. {remedy}") from error
    return session_of(seed, goal, role, known, pin, expected)


@cache
def _own_seed(data: Path) -> bytes:
    """Returns the seed of the key that this process holds until it ends, at every table."""
    return take_identity(data).seed


def session_of(
    seed: bytes, goal: Goal, role: Role, name: str, pin: str = "", expected: frozenset[bytes] = frozenset()
) -> Session:
    """Returns a session of this program with the key of this seed."""
    return Session(
        signer=Signer(seed),
        name=name,
        goal=goal,
        role=role,
        entropy=os.urandom,
        program=PROGRAM,
        pinned=pin,
        expected=expected,
    )


def meet(lobby: LobbyAddress, *, own: bool = False, opening: Opening | None = None) -> Meeting:
    """Returns what is known of a lobby; tells at once if that cannot be read, not under a first picture."""
    meeting = Meeting(data_directory(), lobby, own=own)
    if meeting.trouble:
        if opening is not None:
            opening.take_away()
        print(f"race2048: {meeting.trouble}", file=sys.stderr)
    return meeting


class Visit:
    """A session at work on a lobby, which is remembered if there is a `meeting`.

    With `keep` False records are kept only as evidence: if they do not agree with what was seen (deal.md 5.6).
    """

    def __init__(
        self, session: Session, lobby: LobbyAddress, *, meeting: Meeting | None = None, keep: bool = True
    ) -> None:
        data = data_directory()
        self.session = session
        self.lobby = lobby
        self.meeting = meeting
        self.runner = Runner(
            session,
            lobby.url,
            keep=lambda effect: save_record(data, effect) if keep or not effect.ok else "",
            memory=MoveMemory(data / "moves") if keep else None,
        )
        self._noting: asyncio.Task[None] | None = None
        self.no_seat = ""  # why one who came to play had to watch
        self._asked = session.role is not Role.WATCHER
        self._cut_off = False
        self._changed = asyncio.Event()
        self._refresh: Callable[[], None] = self._changed.set
        self.runner.on_change = self._on_change

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Runs the session meanwhile; at the end it leaves the table, if it has not."""
        self._task = asyncio.ensure_future(self.runner.run())
        self._task.add_done_callback(lambda _: self._changed.set())
        try:
            yield
            await self._leave()
        finally:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            if self._noting is not None:
                await self._noting

    async def until(self, seen: Callable[[SessionView], bool]) -> SessionView:
        """Returns the first picture in which this is seen, or the last one of the session."""
        while True:
            self._changed.clear()
            view = self.runner.view()
            if seen(view) or view.line is Line.OVER:
                return view
            await self._changed.wait()
            if self._task.done():
                self._task.result()  # our bug, if it is one, comes out here

    async def next(self) -> SessionView:
        """Returns the picture after the next change."""
        pictures = 0

        def second(_: SessionView) -> bool:
            nonlocal pictures
            pictures += 1
            return pictures > 1

        return await self.until(second)

    async def show(self, screen: Screen) -> int:
        """Shows the table until the person leaves it, or it is over; returns 0, or the code of a signal."""
        self._refresh = screen.refresh
        self.runner.weigh = weigh
        shown = asyncio.ensure_future(screen.run())
        try:
            await asyncio.wait((shown, self._task), return_when=asyncio.FIRST_COMPLETED)
            if self._task.done():
                self._task.result()  # our bug, if it is one, comes out here
            code = await shown
        finally:
            self._refresh = self._changed.set
            shown.cancel()
            await asyncio.gather(shown, return_exceptions=True)
        if code in (HANGUP, TERMINATED):
            # Nobody has left: the seat is kept for a while, as after a crash (rules 4.6; field report A19).
            self._cut_off = True
            self.runner.stop()
        if code == HANGUP:
            mute()
        return code

    async def _leave(self) -> None:
        if not self._task.done():
            if not self._cut_off and self.runner.view().line is not Line.OVER:
                self.runner.act(Leave())
            await asyncio.wait((self._task,), timeout=LEAVE_S)
        if self._task.done():
            self._task.result()

    def _on_change(self) -> None:
        self._note_lobby()
        if self._asked:
            view = self.runner.view()
            self.no_seat = view.notice if view.my_seat is None and view.notice in _NO_SEAT else ""
            self._asked = view.phase is None or (view.my_seat is None and not self.no_seat)
        self._refresh()

    def _note_lobby(self) -> None:
        """Remembers a lobby that has proved its key, once; one that is a surprise only when that was told."""
        key, meeting = self.session.lobby_key, self.meeting
        if meeting is None or key is None or self._noting is not None:
            return
        if self.session.fingerprint and not self.session.alarm:
            self._noting = asyncio.ensure_future(asyncio.to_thread(meeting.note, key))


def farewell(visit: Visit, shown: int) -> int:
    """Says how it ended, and returns the exit code."""
    view = visit.runner.view()
    if view.outcome is not None:
        print(_places(view))
    if view.record_path and view.check is not None and view.check.ok:
        print(say("Verified and saved: {path}", path=view.record_path))
    if visit.runner.unchecked:
        print(say("Saved, not checked yet: {path}. Check it with race2048 verify.", path=visit.runner.unchecked))
    if view.dispute is not None:
        print(dispute_words(view), file=sys.stderr)
    if visit.runner.save_error:
        print(say("The record could not be saved: {reason}.", reason=visit.runner.save_error), file=sys.stderr)
    if shown != HANGUP:
        _say_way_back(visit, view)
        _say_of_lobby(visit)
    if shown in (HANGUP, INTERRUPTED, TERMINATED):
        return shown
    left = view.ending in ("", "left")
    ending = visit.no_seat if left else view.ending
    if ending:
        print(f"race2048: {ending_words(ending, visit.lobby, view)}", file=sys.stderr)
    if view.dispute is not None:
        return NO
    return REFUSED if left and ending else exit_code(view.ending)


def _say_way_back(visit: Visit, view: SessionView) -> None:
    """Tells a player who left a running race how to come back: the screen with the link is gone."""
    mine = None if view.my_seat is None else view.seats[view.my_seat]
    if view.ending not in ("", "left") or view.phase not in _LIVE or mine is None or not mine.state.in_race:
        return
    key = visit.session.lobby_key
    link = table_link(visit.lobby, view.code, "" if key is None else fingerprint(key))
    print(say("The others go on. You have 60 s to come back:"))
    print(f"  race2048 join {link}")


def _say_of_lobby(visit: Visit) -> None:
    """Warns of a lobby that may not be the one that is known; who was at a table there all the same knows it now."""
    key, meeting = visit.session.lobby_key, visit.meeting
    if meeting is None or key is None:
        return
    if visit.session.alarm:
        print(meeting.warning(key), file=sys.stderr)
        if visit.session.table is not None:
            meeting.note(key)
    if meeting.failure:
        print(f"race2048: {meeting.failure}", file=sys.stderr)


def ending_words(ending: str, lobby: LobbyAddress, view: SessionView) -> str:
    """Returns why a session is over and what to do; whoever could not join is told both versions."""
    parts = [str(advice(ending))]
    if ending in _UNANSWERED and lobby.this_computer:
        parts.append(
            say(
                "{host} means this computer itself. If the link is from a friend, ask for the other one: "
                "it has the address of the friend's computer.",
                host=lobby.host,
            )
        )
    if view.phase is None:
        parts.append(say("This is {program}, protocol {protocol}.", program=PROGRAM, protocol=PROTOCOL_VERSION))
        if view.lobby_program:
            lobby_words = say(
                "The lobby is {program}, protocol {protocol}.",
                program=view.lobby_program,
                protocol=view.lobby_protocol,
            )
            parts.append(lobby_words)
    return " ".join(parts)


def _places(view: SessionView) -> str:
    """Returns the result in one line: "Race over.  1. fox 20,412 (2048)  2. you 14,880 (1024)"."""
    seats = sorted((seat for seat in view.seats if seat is not None), key=lambda seat: seat.place or 0)
    places = [
        say(
            "{place}. {name} {score} ({tile})",
            place=seat.place,
            name=say("you") if seat.you else seat.name,
            score=number(seat.score),
            tile=tile(seat.max_exponent),
        )
        for seat in seats
    ]
    return "  ".join([say("Race over."), *places])
