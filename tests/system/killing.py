"""A lobby process that is killed under play, and people in this process who play on it all the time."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sys
from pathlib import Path

from client.actions import Move, Resign, SetReady, Start
from client.events import Effect, Event, Received
from client.runner import Runner
from client.session import Goal, JoinTable, OpenTable, Session
from client.view import Line, SessionView
from engine.race import SeatState
from protocol.messages import Drain, Phase, Refused, Role, TableSettings, Welcome
from protocol.signing import Signer

SETTINGS = TableSettings(seats=2, size=8, kind=3, target_exponent=0)  # a board that is never full in this time
PATIENCE_S = 60
MOVE_S = 0.04


class LobbyProcess:
    """A lobby on one port and one database, for as many lives as it takes: `python -m lobby`, or a fork of it."""

    def __init__(self, home: Path, *options: str) -> None:
        self._home = home
        self._options = options
        self._cradle: asyncio.subprocess.Process | None = None
        self.port = 0
        self.pid = 0
        self.process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self, file_bytes: int = 0) -> float:
        """Returns after how many seconds it listened. `file_bytes`: no file of its may grow larger."""

        def limit() -> None:
            if file_bytes:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

        loop = asyncio.get_running_loop()
        begin = loop.time()
        command = [sys.executable, "-P", "-m", "lobby", *self._arguments()]
        with (self._home / "complaints").open("wb") as complaints:
            self.process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, stderr=complaints, preexec_fn=limit
            )
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = await self.process.stdout.readline()
        assert line, "the lobby did not start"
        self._greeted(line)
        return loop.time() - begin

    @property
    def complaints(self) -> str:
        return (self._home / "complaints").read_text()

    async def fork(self) -> float:
        """The same, in a tenth of the time."""
        if self._cradle is None:
            self._cradle = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.system.cradle",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        assert self._cradle.stdin is not None
        assert self._cradle.stdout is not None
        loop = asyncio.get_running_loop()
        said, begin = self._home / "said", loop.time()
        said.unlink(missing_ok=True)
        self._cradle.stdin.write(json.dumps({"arguments": self._arguments(), "said": str(said)}).encode() + b"\n")
        self.pid = int(await self._cradle.stdout.readline())
        await seen(lambda: said.exists() and said.read_bytes().endswith(b"\n"))
        self._greeted(said.read_bytes())
        return loop.time() - begin

    async def end(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal, and returns when the process is gone."""
        os.kill(self.pid, number)
        if self.process is not None:
            await self.process.wait()
        await seen(lambda: not _is_there(self.pid))
        self.pid = 0

    async def close(self) -> None:
        """Whatever is left of it ends."""
        if self.pid and _is_there(self.pid):
            await self.end()
        if self._cradle is not None and self._cradle.stdin is not None:
            self._cradle.stdin.close()
            await self._cradle.wait()

    def _arguments(self) -> list[str]:
        where = ["--bind", "127.0.0.1", "--port", str(self.port), "--data-dir", str(self._home)]
        return ["--json", *where, *self._options]

    def _greeted(self, line: bytes) -> None:
        said = json.loads(line)
        self.port, self.pid = said["port"], said["pid"]


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Watchful(Session):
    """A session that notes when the lobby, back again, has less of the own log than it had acknowledged."""

    lost = 0
    welcomes = 0
    told = ""  # the last that the lobby said about itself; the next move clears the notice on the screen

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        if isinstance(event, Received) and isinstance(event.message, Welcome):
            self.welcomes += 1
            own, told = self.own, event.message.own
            if own is not None and told is not None and told.moves < own.acked:
                self.lost += own.acked - told.moves
        if isinstance(event, Received) and isinstance(event.message, Drain):
            self.told = "draining"
        if isinstance(event, Received) and isinstance(event.message, Refused):
            self.told = event.message.code
        return super().handle(event, now_ms)


class Player:
    """Somebody who races as soon as it is possible and never stops."""

    def __init__(self, lobby: LobbyProcess, name: str, goal: Goal) -> None:
        self.session = Watchful(
            signer=Signer(os.urandom(32)), name=name, goal=goal, role=Role.PLAYER, entropy=os.urandom, program="test"
        )  # fmt: skip
        self.runner = Runner(self.session, lobby.url, keep=lambda effect: "kept")
        self.records: list[bytes] = []
        self.moves = True
        self._running = [asyncio.create_task(self.runner.run()), asyncio.create_task(self._play())]

    @property
    def view(self) -> SessionView:
        return self.runner.view()

    @property
    def racing(self) -> bool:
        """Whether it is at the lobby, and its race goes on."""
        view = self.view
        return view.line is Line.ONLINE and view.phase is Phase.RACING and self.session.own is not None

    async def _play(self) -> None:
        while not self.session.ending:
            await asyncio.sleep(MOVE_S)
            view = self.view
            me = None if view.my_seat is None else view.seats[view.my_seat]
            if me is None:
                continue
            if view.can_start:
                self.runner.act(Start())
            elif view.phase is Phase.SEATING and not me.ready and not me.host and view.line is Line.ONLINE:
                self.runner.act(SetReady())
            elif self.moves and view.phase is Phase.RACING and view.game is not None and me.state is SeatState.MOVING:
                self.runner.act(Move(view.game.board.legal_directions()[0]))

    def resign(self) -> None:
        self.moves = False
        self.runner.act(Resign())

    async def stop(self) -> None:
        self.runner.stop()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)


async def seen(what, patience_s: float = PATIENCE_S) -> float:
    """Returns after how many seconds this was so."""
    loop = asyncio.get_running_loop()
    begin = loop.time()
    while not what():
        assert loop.time() - begin < patience_s, "it was never so"
        await asyncio.sleep(0.02)
    return loop.time() - begin


async def tables(lobby: LobbyProcess, count: int, settings: TableSettings = SETTINGS) -> list[tuple[Player, Player]]:
    """Returns so many pairs of players whose races are on."""
    pairs = []
    for number in range(count):
        host = Player(lobby, f"fox{number}", OpenTable(settings))
        await seen(lambda host=host: host.view.code != "")
        pairs.append((host, Player(lobby, f"owl{number}", JoinTable(host.view.code))))
    await seen(lambda: all(player.racing for pair in pairs for player in pair))
    return pairs
