"""Computer players at work: a session each, with bot.py's hands and a throw-away key (architecture.md 5.5).

One that is told to vanish is cut off as by a crash. It comes back as a program that was started again would, with the
same key and nothing else: the lobby gives it its log back (rules 6.3).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass, field, replace

from client.bot import NAMES, Hands, Part, Vanish
from client.runner import Runner, now_ms
from client.session import JoinTable, Session
from client.view import SessionView
from protocol.messages import Role
from protocol.signing import Signer


def names_for(players: int) -> list[str]:
    """Returns names for so many computer players, each another one."""
    return sorted(NAMES, key=lambda _: os.urandom(8))[:players]


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A computer player: for which table, under which name and key, and how it plays."""

    url: str
    code: str
    pin: str
    program: str
    pace: float
    name: str = field(default_factory=lambda: names_for(1)[0])
    part: Part = field(default_factory=Part)
    return_after_s: float | None = None  # after it has vanished; None: never
    signer: Signer = field(default_factory=lambda: Signer(os.urandom(32)))

    def called(self, name: str) -> Player:
        """Returns the same player under this name."""
        return replace(self, name=name)

    def session(self) -> Session:
        """Returns its session, for its first visit to the table or another."""
        return Session(
            signer=self.signer,
            name=self.name,
            goal=JoinTable(self.code),
            role=Role.COMPUTER,
            entropy=os.urandom,
            program=self.program,
            pinned=self.pin,
            beat_ms=self.part.beat_ms,
        )


async def play(player: Player) -> tuple[SessionView, str]:
    """Plays until the session is over or the player has vanished for good.

    Returns the last picture, and the code of why it left by itself, empty if there is nothing to say about that.
    """
    hands = Hands(player.pace, player.part)
    while True:
        view, vanished = await _visit(Runner(player.session(), player.url), hands)
        if not vanished or player.return_after_s is None:
            return view, hands.refusal
        await asyncio.sleep(player.return_after_s)


async def _visit(runner: Runner, hands: Hands) -> tuple[SessionView, bool]:
    """Returns the last picture of a session, and whether the player has vanished from it."""
    stirred = asyncio.Event()
    runner.on_change = stirred.set
    running = asyncio.ensure_future(runner.run())
    running.add_done_callback(lambda _: stirred.set())
    vanished = False
    try:
        while not (running.done() or vanished):
            stirred.clear()
            action = hands.decide(runner.view(), now_ms())
            if isinstance(action, Vanish):
                vanished = True
                runner.stop()
            elif action is not None:
                runner.act(action)
                await asyncio.sleep(0)
            else:
                await _until(stirred, hands.deadline)
        return await running, vanished
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _until(stirred: asyncio.Event, deadline_ms: int | None) -> None:
    """Returns when something has happened, or at the deadline."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(None if deadline_ms is None else max(0, deadline_ms - now_ms()) / 1_000):
            await stirred.wait()
