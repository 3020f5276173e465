"""Five hundred hostile connections at once, of every kind: `python -m bench.attacks PORT`, for bench/hostile.py.

Each comes from one of sixteen addresses of this computer that are not exempt (127.0.1.1 and on, which Linux has by
itself), does its harm, and waits until the lobby ends it; then it comes again. A line on stdin with a number of seconds
begins a round; a line of JSON on stdout tells how each kind ended.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import struct
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import msgpack

from protocol import codec, limits, messages
from protocol.handshake import proof_body
from protocol.messages import FromClient, Role, TableSettings
from protocol.signing import NO_CONTEXT, Signer
from protocol.text import SafeText

AT_ONCE = 500
ADDRESSES = 16
PATIENCE_S = 30.0  # after that the lobby has not ended it
BURST_BYTES, BURST_S = 65_536, 0.05  # of one that floods; together they fill a line of 1 Gbit/s
PAUSE_S = 1.0  # of one that was turned away before it could do anything
_CLOSE, _BINARY, _PING = 8, 2, 9


@dataclass
class Line:
    """One hostile connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    signer: Signer = field(default_factory=lambda: Signer(os.urandom(32)))
    challenge: messages.Challenge | None = None

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def say(self, *sent: FromClient) -> None:
        await self.send(b"".join(masked(_BINARY, codec.encode(message)) for message in sent))

    async def flood(self, data: bytes) -> None:
        burst = data * max(1, BURST_BYTES // len(data))
        while True:
            await self.send(burst)
            await asyncio.sleep(BURST_S)

    async def frames(self) -> AsyncIterator[tuple[int, bytes]]:
        while True:
            first, length = await self.reader.readexactly(2)
            if length >= 126:
                length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
            yield first & 15, await self.reader.readexactly(length)

    async def hear(self) -> messages.FromLobby:
        async for opcode, payload in self.frames():
            if opcode == _BINARY:
                return codec.decode_from_lobby(payload)
            if opcode == _CLOSE:
                raise Ended(reason_of(payload))
        raise AssertionError

    async def hello(self) -> messages.Challenge:
        await self.say(messages.Hello(os.urandom(32), limits.PROTOCOL_VERSION, SafeText("hostile")))
        answer = await self.hear()
        if not isinstance(answer, messages.Challenge):
            raise Ended(getattr(answer, "code", "?"))
        self.challenge = answer
        return answer

    def proof(self, challenge: messages.Challenge, key: bytes = b"") -> messages.Proof:
        key = key or self.signer.key
        body = proof_body(challenge.key, challenge.nonce, key, Role.PLAYER, limits.PROTOCOL_VERSION)
        return messages.Proof(key, Role.PLAYER, self.signer.sign("proof", NO_CONTEXT, body))

    async def greet(self) -> None:
        await self.say(self.proof(await self.hello()))

    async def open(self, name: str = "fox") -> None:
        await self.greet()
        await self.say(messages.Open(name, TableSettings()))

    async def sit(self) -> None:
        await self.open()
        answer = await self.hear()
        if not isinstance(answer, messages.Welcome):
            raise Ended(getattr(answer, "code", "?"))


class Ended(Exception):  # noqa: N818 - says how
    """The lobby has ended it, with this code."""


def masked(opcode: int, payload: bytes) -> bytes:
    size = len(payload)
    head = bytes((0x80 | size,)) if size < 126 else b"\xfe" + struct.pack("!H", size)
    return bytes((0x80 | opcode,)) + head + bytes(4) + payload


def reason_of(payload: bytes) -> str:
    return payload[2:].decode() or str(int.from_bytes(payload[:2], "big"))


# ── kinds ──


async def _nothing(line: Line) -> None:
    """Says nothing at all."""


def _sends(data: bytes) -> Callable[[Line], Awaitable[None]]:
    return lambda line: line.send(data)


def _floods(data: bytes) -> Callable[[Line], Awaitable[None]]:
    return lambda line: line.flood(data)


def _says_over_and_over(*sent: FromClient) -> Callable[[Line], Awaitable[None]]:
    return _floods(b"".join(masked(_BINARY, codec.encode(message)) for message in sent))


async def _guess(line: Line) -> None:
    await line.say(messages.Join(f"{int.from_bytes(os.urandom(3), 'big') % 10**6:06}", "fox"))


async def _steal(line: Line) -> None:
    assert line.challenge is not None
    await line.say(line.proof(line.challenge, key=Signer(bytes(32)).key))


async def _replay(line: Line) -> None:
    await line.say(_OVERHEARD)


async def _open_and_leave(line: Line) -> None:
    await line.say(messages.Open("fox", TableSettings()), messages.Leave())


def _opens_as(name: str) -> Callable[[Line], Awaitable[None]]:
    return lambda line: line.say(messages.Open(name, TableSettings()))


_OVERHEARD = messages.Proof(Signer(bytes(32)).key, Role.PLAYER, bytes(64))
_SEAL = messages.Seal(messages.Signed(b"offer", bytes(64)))


@dataclass(frozen=True)
class Kind:
    """A way to do harm: what goes before, the deed, how it may end, and within what time."""

    deed: Callable[[Line], Awaitable[None]]
    ends: tuple[str, ...]
    before: Callable[[Line], Awaitable[object]] = _nothing
    upgrade: bool = True
    headers: str = ""
    limit_s: float = 1.0


_NO_MESSAGE = ("frame",)
KINDS = {
    "header never finished": Kind(_sends(b"GET /ws HTTP/1.1\r\nHost:"), ("closed",), upgrade=False, limit_s=5.0),
    "connection that says nothing": Kind(_nothing, ("closed",), upgrade=False, limit_s=5.0),
    "no hello": Kind(_nothing, ("silent",), limit_s=5.0),
    "half a hello": Kind(_sends(masked(_BINARY, bytes(90))[:40]), ("silent",), limit_s=5.0),
    "hello and no more": Kind(_nothing, ("silent",), before=Line.hello, limit_s=5.0),
    "frame too large": Kind(_sends(masked(_BINARY, bytes(4_097))), ("1009",)),
    "frame of 2^63 bytes": Kind(_sends(b"\x82\xff" + struct.pack("!Q", (1 << 63) - 1) + bytes(8)), ("1009",)),
    "message without an end": Kind(_floods(b"\x00\x80" + bytes(4)), ("flood",), before=_sends(b"\x02\x80" + bytes(4))),
    "compressed": Kind(_sends(b"\xc2\x81" + bytes(4) + b"x"), ("1002",)),
    "unmasked": Kind(_sends(b"\x82\x01x"), _NO_MESSAGE),
    "nested 4,000 deep": Kind(_sends(masked(_BINARY, b"\x91" * 4_000)), _NO_MESSAGE),
    "lists that say they are long": Kind(_sends(masked(_BINARY, b"\xdc\x10\x00" * 1_365)), _NO_MESSAGE),
    "text": Kind(_sends(masked(1, b"{}")), _NO_MESSAGE),
    "not msgpack": Kind(_sends(masked(_BINARY, b"\xc1" * 100)), _NO_MESSAGE),
    "unknown message": Kind(_sends(masked(_BINARY, msgpack.packb({"type": "shout"}))), _NO_MESSAGE),
    "ping flood": Kind(_floods(masked(_PING, b"")), ("flood",)),
    "message flood": Kind(_floods(masked(_BINARY, codec.encode(messages.Ping(1)))), ("flood",)),
    "byte flood": Kind(_floods(masked(_PING, bytes(125))), ("flood",)),
    "another origin": Kind(_nothing, ("403",), headers="Origin: https://evil.example\r\n"),
    "another protocol version": Kind(
        lambda line: line.say(messages.Hello(bytes(32), 99, SafeText("x"))), ("version",)
    ),
    "out of order": Kind(lambda line: line.say(messages.Leave()), ("order",), before=Line.hello),
    "codes guessed": Kind(_guess, ("no-table", "guessing"), before=Line.greet),
    "seat theft": Kind(_steal, ("proof",), before=Line.hello),
    "handshake replayed": Kind(_replay, ("proof",), before=Line.hello),
    "name with a control sequence": Kind(_opens_as("\x1b[2Jfox"), ("name",), before=Line.greet),
    "name of blanks": Kind(_opens_as("\u200b\u2800"), ("name",), before=Line.greet),
    "ready spam": Kind(_says_over_and_over(messages.Unready()), ("flood",), before=Line.sit),
    "offer spam": Kind(_says_over_and_over(_SEAL), ("flood",), before=Line.sit),
    # Those that may be opened are left, and that ends the connection as well.
    "tables without limit": Kind(_open_and_leave, ("address", "flood", "closed"), before=Line.greet),
}  # fmt: skip


@dataclass
class Result:
    """How the attempts of a kind ended."""

    seconds: list[float] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    turned_away: int = 0


# ── one attempt ──


async def attempt(kind: Kind, port: int, address: str, result: Result) -> None:
    """Comes, does harm, and notes how and when it was ended."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            line = Line(reader, writer)
            try:
                early = await _come(kind, line)
                if early in ("address", "closed", "capacity"):
                    raise ConnectionError
                begun = time.perf_counter()
                code = early or await _harm(kind, line)
            finally:
                writer.close()
    except (OSError, asyncio.IncompleteReadError):
        result.turned_away += 1
        await asyncio.sleep(PAUSE_S)
        return
    except TimeoutError:
        code, begun = "never", time.perf_counter() - PATIENCE_S
    result.seconds.append(time.perf_counter() - begun)
    result.codes[code] = result.codes.get(code, 0) + 1


async def _come(kind: Kind, line: Line) -> str:
    """Returns how it was ended before it could do any harm, if it was."""
    try:
        if kind.upgrade:
            status = await _upgrade(line, kind.headers)
            if status != "101":
                return status
        await kind.before(line)
    except Ended as ended:
        return str(ended)
    return ""


async def _upgrade(line: Line, headers: str) -> str:
    key = base64.b64encode(os.urandom(16)).decode()
    await line.send(
        f"GET /ws HTTP/1.1\r\nHost: lobby\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{headers}"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
        f"Sec-WebSocket-Protocol: {limits.SUBPROTOCOL}\r\n\r\n".encode()
    )
    return (await line.reader.readuntil(b"\r\n\r\n")).decode().split(" ")[1]


async def _harm(kind: Kind, line: Line) -> str:
    """Returns the code with which the lobby ended it: its reason, else WebSocket's number, else "closed"."""
    deed = asyncio.ensure_future(kind.deed(line))
    try:
        async for opcode, payload in line.frames():
            if opcode == _CLOSE:
                return reason_of(payload)
    except (OSError, asyncio.IncompleteReadError):
        pass
    except Ended as ended:
        return str(ended)
    finally:
        deed.cancel()
        await asyncio.wait([deed])
        if not deed.cancelled():
            deed.exception()  # a line that is cut says so here, too
    return "closed"


async def storm(port: int, seconds: float) -> dict[str, Result]:
    """Goes on for so long with so many at once, the kinds in turns."""
    results = {name: Result() for name in KINDS}
    names = list(KINDS)

    async def again(number: int) -> None:
        address = f"127.0.1.{1 + number % ADDRESSES}"
        while True:
            name = names[number % len(names)]
            number += 1
            await attempt(KINDS[name], port, address, results[name])

    tasks = [asyncio.ensure_future(again(number)) for number in range(AT_ONCE)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            raise outcome
    return results


def main(port: int) -> None:
    os.nice(19)  # these stand for other machines: they should not take the processor from those who are measured
    for line in sys.stdin:
        results = asyncio.run(storm(port, float(line)))
        told = {name: [each.seconds, each.codes, each.turned_away] for name, each in results.items()}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
