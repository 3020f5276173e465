"""Computer players at work: a session each, with bot.py's hands and a throw-away key (architecture.md 5.5)."""

from __future__ import annotations

import asyncio
import contextlib
import os

from client.bot import NAMES, Hands
from client.runner import Runner, now_ms
from client.session import JoinTable, Session
from client.view import SessionView
from protocol.messages import Role
from protocol.signing import Signer


def computer_session(code: str, pin: str, program: str, name: str = "") -> Session:
    """Returns the session of a new computer player, for the table with this code; by itself it finds a name."""
    return Session(
        signer=Signer(os.urandom(32)),
        name=name or NAMES[os.urandom(1)[0] % len(NAMES)],
        goal=JoinTable(code),
        role=Role.COMPUTER,
        entropy=os.urandom,
        program=program,
        pinned=pin,
    )


async def play(runner: Runner, hands: Hands) -> SessionView:
    """Plays until the session is over; returns its last picture."""
    stirred = asyncio.Event()
    runner.on_change = stirred.set
    running = asyncio.ensure_future(runner.run())
    running.add_done_callback(lambda _: stirred.set())
    try:
        while not running.done():
            stirred.clear()
            action = hands.decide(runner.view(), now_ms())
            if action is not None:
                runner.act(action)
                await asyncio.sleep(0)
            else:
                await _until(stirred, hands.deadline)
        return running.result()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _until(stirred: asyncio.Event, deadline_ms: int | None) -> None:
    """Returns when something has happened, or at the deadline."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(None if deadline_ms is None else max(0, deadline_ms - now_ms()) / 1_000):
            await stirred.wait()
