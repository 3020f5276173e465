"""Players at many tables in one process: each a real client, as `race2048 join` has it, but for screen and disk.

They race, and race again; now and then all leave a table and open another. Whether they play well is no matter.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable

from client.actions import Again, Leave, Move, SetReady, Start
from client.events import Effect, Event, Received
from client.runner import Runner
from client.session import Goal, JoinTable, OpenTable, Session
from client.view import Line
from engine.board import Direction
from protocol.messages import Phase, Role, TableSettings, Welcome
from protocol.signing import Signer

ORDER = (Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.UP)
LOOK_S = 0.5  # how often somebody looks who has nothing to press
OPENING_AT_ONCE = 4  # tables


class Noted(Session):
    """A session that notes when it was last welcomed."""

    welcomed_s = 0.0

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        if isinstance(event, Received) and isinstance(event.message, Welcome):
            self.welcomed_s = time.perf_counter()
        return super().handle(event, now_ms)


class Player:
    """Somebody at a table, who presses a key every `pause_s` on average."""

    def __init__(self, url: str, name: str, goal: Goal, chance: random.Random, pause_s: float) -> None:
        self.session = Noted(
            signer=Signer(os.urandom(32)), name=name, goal=goal, role=Role.PLAYER, entropy=os.urandom, program="bench"
        )  # fmt: skip
        self.races = 0
        self._runner = Runner(self.session, url)
        self._chance = chance
        self._pause_s = pause_s
        self._over: object = None  # the race whose end was seen
        self._asked: object = None
        self._tasks = [asyncio.create_task(self._runner.run()), asyncio.create_task(self._play())]

    @property
    def racing(self) -> bool:
        """Whether it is at the lobby, and its board is alive."""
        table = self.session.table
        online = self.session.line is Line.ONLINE and table is not None and table.phase is Phase.RACING
        return online and self.session.own is not None

    async def leave(self) -> None:
        """Leaves the table for good; raises what went wrong in the program."""
        self._runner.act(Leave())
        await asyncio.wait([self._tasks[0]], timeout=5)
        await self.stop()

    async def stop(self) -> None:
        """Ends the program without a word; raises what went wrong in it."""
        self._runner.stop()
        self._tasks[1].cancel()
        for outcome in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    async def _play(self) -> None:
        while not self.session.ending:
            await asyncio.sleep(self._pause_s * self._chance.uniform(0.5, 1.5) if self.racing else LOOK_S)
            self._press()

    def _press(self) -> None:
        session = self.session
        table, race, own = session.table, session.race, session.own
        if table is None or session.line is not Line.ONLINE or session.ending:
            return
        host = table.host == session.signer.key
        if table.phase is Phase.SEATING and session.seat is not None:
            seated = [seat for seat in table.seats if seat is not None]
            if host and len(seated) == len(table.seats) and all(s.connected and s.ready for s in seated):
                self._runner.act(Start())
            elif not host and not session.wants_ready:
                self._runner.act(SetReady())
        elif table.phase is Phase.RACING and own is not None and own.game is not None and not own.done:
            board = own.game.board
            key = next((each for each in ORDER if board.slide(each) is not None), None)
            if key is not None:
                self._runner.act(Move(key))
        elif table.phase is Phase.FINISHED and race is not None and race.check is not None:
            self._finished(race, host=host)

    def _finished(self, race: object, *, host: bool) -> None:
        if self._over is not race:
            self._over = race
            self.races += 1
        elif self._asked is not race or host:
            self._asked = race
            self._runner.act(Again())


async def seated(url: str, name: str, settings: TableSettings, chance: random.Random, pause_s: float) -> list[Player]:
    """Returns the players of a new table, the host first, as soon as all sit."""
    host = Player(url, f"{name} h", OpenTable(settings), chance, pause_s)
    code = await _code(host)
    guests = [Player(url, f"{name} {n}", JoinTable(code), chance, pause_s) for n in range(1, settings.seats)]
    await until(lambda: all(guest.session.seat is not None or guest.session.ending for guest in guests))
    for guest in guests:
        _check(guest)
    return [host, *guests]


async def _code(host: Player) -> str:
    await until(lambda: host.session.table is not None or bool(host.session.ending))
    _check(host)
    assert host.session.table is not None, "just waited for"
    return host.session.table.code


def _check(player: Player) -> None:
    if player.session.ending:
        raise RuntimeError(f"the lobby did not let a player in: {player.session.ending}")


async def tables(
    url: str, count: int, settings: TableSettings, chance: random.Random, pause_s: float
) -> list[list[Player]]:
    """Returns so many tables at which everybody sits."""
    gate = asyncio.Semaphore(OPENING_AT_ONCE)

    async def one(number: int) -> list[Player]:
        async with gate:
            return await seated(url, f"t{number}", settings, chance, pause_s)

    return list(await asyncio.gather(*(one(number) for number in range(count))))


async def until(happened: Callable[[], bool], patience_s: float = 300.0) -> None:
    """Waits until something has happened."""
    async with asyncio.timeout(patience_s):
        while not happened():  # noqa: ASYNC110 - it is only looked at now and then
            await asyncio.sleep(0.02)
