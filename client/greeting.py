"""Who answers at an address: a lobby's hello and nothing more, for `race2048 tables --lobby`.

The first two messages of the handshake, on a connection of their own. No key of ours is shown and no code is tried, so
a lobby cannot tell who asked, and no guess is counted against anybody.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from client.connection import LOST, NOT_A_LOBBY, Connection
from client.events import Connected, Dropped, Event, Received
from protocol.handshake import challenge_body
from protocol.limits import NONCE_BYTES, PROTOCOL_VERSION
from protocol.messages import Challenge, Hello
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, fingerprint, verify
from protocol.text import SafeText

ANSWER_S = 5.0  # after the connection stands
_UNKNOWN = SafeText("")


@dataclass(frozen=True, slots=True)
class Greeting:
    """What was found at an address. `reason` is empty for a lobby that one can play at, else a code of advice.py."""

    reason: str
    program: SafeText = _UNKNOWN
    protocol: int = 0
    fingerprint: str = ""


async def greet(url: str, program: str) -> Greeting:
    """Returns who answers at the lobby's address `url`."""
    nonce = os.urandom(NONCE_BYTES)
    answer: asyncio.Future[Greeting] = asyncio.get_running_loop().create_future()

    def hear(event: Event) -> None:
        if answer.done():
            return
        if isinstance(event, Connected):
            connection.send(Hello(nonce, PROTOCOL_VERSION, SafeText.shown(program)))
            asyncio.get_running_loop().call_later(ANSWER_S, hear, Dropped(LOST))
        elif isinstance(event, Received):
            answer.set_result(_answered(event.message, nonce))
        elif isinstance(event, Dropped):
            answer.set_result(Greeting(event.reason))

    connection = Connection(url, hear)
    carried = asyncio.create_task(connection.run())
    try:
        await asyncio.wait((carried, answer), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            carried.result()  # our bug, if it is one, comes out here
        return await answer
    finally:
        carried.cancel()
        await asyncio.gather(carried, return_exceptions=True)


def _answered(message: object, nonce: bytes) -> Greeting:
    """Returns what the first message of a lobby says; only a signed challenge is one."""
    if not isinstance(message, Challenge):
        return Greeting(NOT_A_LOBBY)
    body = challenge_body(nonce, message.nonce, message.protocol)
    if not verify(message.key, "challenge", NO_CONTEXT, body, message.signature):
        return Greeting(NOT_A_LOBBY)
    reason = "" if message.protocol == PROTOCOL_VERSION else Refusal.VERSION
    return Greeting(str(reason), message.program, message.protocol, fingerprint(message.key))
