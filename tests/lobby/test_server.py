"""The lobby's sockets, with a scripted core behind them: what it hears, and what peers get of what it says."""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import socket
import struct
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import msgpack
import pytest
from aiohttp import WSMsgType

from lobby import bounds, files
from lobby import connection as queueing
from lobby.bounds import Admission
from lobby.events import (
    Archive,
    BadFrame,
    Close,
    Connected,
    Disconnected,
    Drained,
    Effect,
    Event,
    Received,
    Send,
    Unheard,
    Woke,
)
from lobby.room import Census
from lobby.server import Server
from lobby.store import Store, records
from lobby.times import boot_ms
from protocol import codec, limits
from protocol.messages import Drain, FromLobby, Leave, Ping, Pong, RecordPiece, Refused
from protocol.refusals import Refusal

PATIENCE_S = 10  # nothing here takes a tenth of this; it only ends a test that hangs
LEAVE = codec.encode(Leave())


class Script:
    """A core that notes what it is told and answers as a test says."""

    def __init__(self) -> None:
        self.heard: list[Event] = []
        self.times: list[int] = []
        self.answers: dict[type[Event], Callable[[Event], list[Effect]]] = {}
        self.deadline: int | None = None
        self.busy = True
        self._news = asyncio.Event()

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        self.heard.append(event)
        self.times.append(now_ms)
        self._news.set()
        return self.answers[type(event)](event) if type(event) in self.answers else []

    def census(self) -> Census:
        return Census()

    def on(self, kind: type[Event], *effects: Effect) -> None:
        self.answers[kind] = lambda _: list(effects)

    async def hears(self, event: Event) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while event not in self.heard:
                self._news.clear()
                await self._news.wait()


class Rig:
    """A server on a port of its own, and peers of it."""

    def __init__(self, core: Script, server: Server, port: int, session: aiohttp.ClientSession) -> None:
        self.core, self.server, self.port, self.session = core, server, port, session
        self.url = f"http://127.0.0.1:{port}"
        self.sockets: list[socket.socket] = []

    async def peer(self) -> aiohttp.ClientWebSocketResponse:
        """A peer that behaves; returns when the core knows it."""
        number = self._numbers() + 1
        peer = await self.session.ws_connect(f"{self.url}/ws", protocols=[limits.SUBPROTOCOL], autoping=False)
        await self.core.hears(Connected(number, "127.0.0.1"))
        return peer

    async def raw(self, receive_bytes: int = 0) -> socket.socket:
        """A bare socket after the handshake, for what a library would not send, or not read."""
        number = self._numbers() + 1
        bare = socket.socket()
        self.sockets.append(bare)
        if receive_bytes:
            bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        bare.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(bare, ("127.0.0.1", self.port))
        key = base64.b64encode(os.urandom(16)).decode()
        await loop.sock_sendall(
            bare,
            f"GET /ws HTTP/1.1\r\nHost: lobby\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Protocol: {limits.SUBPROTOCOL}\r\n\r\n".encode(),
        )
        await self.core.hears(Connected(number, "127.0.0.1"))
        answer = await loop.sock_recv(bare, 4_096)
        assert answer.startswith(b"HTTP/1.1 101 "), answer
        return bare

    def _numbers(self) -> int:
        return sum(isinstance(event, Connected) for event in self.core.heard)


@asynccontextmanager
async def serving(
    core: Script, tmp_path: Path, *, heartbeat_s: float = 10.0, linger_s: float | None = None,
    public_url: str = "", origins: frozenset[str] = frozenset(), crash: bool = True,
    admission: Admission | None = None,
) -> AsyncIterator[Rig]:  # fmt: skip
    server = Server(
        core, Store(tmp_path / "lobby.db"), heartbeat_s=heartbeat_s, linger_s=linger_s,
        public_url=public_url, origins=origins, crash=crash,
        admission=admission,
    )  # fmt: skip
    listener = socket.create_server(("127.0.0.1", 0))
    await server.start(listener)
    async with aiohttp.ClientSession() as session:
        rig = Rig(core, server, listener.getsockname()[1], session)
        try:
            yield rig
        finally:
            for bare in rig.sockets:
                bare.close()
            async with asyncio.timeout(PATIENCE_S):
                await server.stop()


def masked(opcode: int, payload: bytes, length: int | None = None) -> bytes:
    """A client's frame; `length` may lie about the payload."""
    claimed = len(payload) if length is None else length
    head = bytes((0x80 | opcode, 0x80 | 126)) + struct.pack("!H", claimed)
    return head + bytes(4) + payload


def piece(number: int, size: int = 0) -> RecordPiece:
    return RecordPiece(sha256=bytes(32), offset=number, data=bytes(size))


async def said(peer: aiohttp.ClientWebSocketResponse) -> FromLobby:
    async with asyncio.timeout(PATIENCE_S):
        message = await peer.receive()
    assert message.type is WSMsgType.BINARY, message
    return codec.decode_from_lobby(message.data)


async def closing(peer: aiohttp.ClientWebSocketResponse) -> tuple[int, str]:
    async with asyncio.timeout(PATIENCE_S):
        message = await peer.receive()
    assert message.type is WSMsgType.CLOSE, message
    return message.data, message.extra or ""


async def gone(bare: socket.socket) -> None:
    """Returns when the server has closed this socket."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE_S):
        try:
            while await loop.sock_recv(bare, 65_536):
                pass
        except ConnectionError:
            pass


# ── what comes in ──


async def test_the_core_hears_of_a_connection_its_messages_and_its_end(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        await peer.send_bytes(codec.encode(Ping(stamp_ms=7)))
        await peer.send_bytes(LEAVE)
        await core.hears(Received(1, Leave()))
        await peer.close()
        await core.hears(Disconnected(1))
        assert core.heard == [
            Connected(1, "127.0.0.1"),
            Received(1, Ping(stamp_ms=7)),
            Received(1, Leave()),
            Disconnected(1),
        ]


async def test_a_connection_number_is_never_given_again(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        for number in (1, 2, 3):
            await (await rig.peer()).close()
            await core.hears(Disconnected(number))


async def test_times_are_whole_milliseconds_of_a_clock_that_does_not_go_back(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        before = boot_ms()
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        await core.hears(Received(1, Leave()))
        times = [before, *core.times, boot_ms()]
        assert times == sorted(times)
        assert all(type(now_ms) is int for now_ms in times)


BAD_FRAMES = {
    "text": masked(WSMsgType.TEXT, b"{}"),
    "empty": masked(WSMsgType.BINARY, b""),
    "not msgpack": masked(WSMsgType.BINARY, b"\xc1"),
    "half a message": masked(WSMsgType.BINARY, LEAVE[:-1]),
    "a message and more": masked(WSMsgType.BINARY, LEAVE + b"\x00"),
    "nested": masked(WSMsgType.BINARY, b"\x91" * 4_000),
    "an unknown message": masked(WSMsgType.BINARY, msgpack.packb({"type": "shout"})),
    "a lobby's message": masked(WSMsgType.BINARY, codec.encode(Drain())),
    "the largest frame": masked(WSMsgType.BINARY, bytes(limits.CLIENT_FRAME_BYTES_MAX)),
}


@pytest.mark.parametrize("frame", BAD_FRAMES.values(), ids=BAD_FRAMES)
async def test_what_is_no_message_becomes_a_bad_frame_and_nobody_else_notices(tmp_path, frame):
    core = Script()
    core.on(BadFrame, Close(2, Refusal.FRAME))
    core.on(Received, Send((1, 2), piece(1)))
    async with serving(core, tmp_path) as rig:
        neighbour, bare = await rig.peer(), await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, frame)
        await core.hears(BadFrame(2))
        await gone(bare)
        await core.hears(Disconnected(2))
        await neighbour.send_bytes(LEAVE)
        assert await said(neighbour) == piece(1)


BROKEN_FRAMES = {
    "one byte too large": masked(WSMsgType.BINARY, bytes(limits.CLIENT_FRAME_BYTES_MAX + 1)),
    "of 2^63 bytes": b"\x82\xff" + struct.pack("!Q", (1 << 63) - 1) + bytes(4),
    "reserved bits": b"\xf2\x80" + bytes(4),
    "unknown opcode": masked(3, b""),
    "fragmented ping": b"\x09\x80" + bytes(4),
    "continuation of nothing": masked(0, b"x"),
    "text that is not UTF-8": masked(WSMsgType.TEXT, b"\xff"),
    "compressed": b"\xc2\x81" + bytes(4) + b"x",
}


@pytest.mark.parametrize("frame", BROKEN_FRAMES.values(), ids=BROKEN_FRAMES)
async def test_what_is_no_frame_closes_its_connection_and_nobody_else_notices(tmp_path, frame):
    core = Script()
    core.on(Received, Send((1, 2), piece(1)))
    async with serving(core, tmp_path) as rig:
        neighbour, bare = await rig.peer(), await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, frame)
        await gone(bare)
        await core.hears(Disconnected(2))
        await neighbour.send_bytes(LEAVE)
        assert await said(neighbour) == piece(1)
        assert not any(isinstance(event, BadFrame) for event in core.heard)


async def test_a_frame_that_breaks_off_is_only_a_disconnection(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, masked(WSMsgType.BINARY, b"abc", length=2_000))
        bare.close()
        await core.hears(Disconnected(1))
        assert core.heard == [Connected(1, "127.0.0.1"), Disconnected(1)]


async def test_a_ping_of_websocket_is_answered_without_the_core(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        await peer.ping(b"are you there")
        async with asyncio.timeout(PATIENCE_S):
            message = await peer.receive()
        assert (message.type, message.data) == (WSMsgType.PONG, b"are you there")
        assert core.heard == [Connected(1, "127.0.0.1")]


async def test_a_flood_from_one_peer_lets_others_have_their_turn(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        flooder, other = await rig.raw(), await rig.raw()
        frames, more = masked(WSMsgType.BINARY, LEAVE) * 1_000, masked(WSMsgType.BINARY, LEAVE)
        assert flooder.send(frames) == len(frames)
        assert other.send(more) == len(more)
        await core.hears(Received(2, Leave()))
        assert core.heard.count(Received(1, Leave())) < 1_000


# ── who may come in ──


@pytest.mark.parametrize("path", ["/", "/healthz", "/t/482913", "/ws", "/nothing"])
async def test_a_request_of_a_web_page_is_refused(tmp_path, path):
    core = Script()
    async with (
        serving(core, tmp_path) as rig,
        rig.session.get(rig.url + path, headers={"Origin": rig.url}) as answer,
    ):
        assert answer.status == 403


async def test_a_websocket_of_a_web_page_is_refused_unless_its_origin_is_configured(tmp_path):
    core = Script()
    async with serving(core, tmp_path, origins=frozenset({"https://good.example"})) as rig:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            await rig.session.ws_connect(f"{rig.url}/ws", protocols=[limits.SUBPROTOCOL], origin="https://bad.example")
        assert refusal.value.status == 403
        assert core.heard == []
        await rig.session.ws_connect(f"{rig.url}/ws", protocols=[limits.SUBPROTOCOL], origin="https://good.example")
        await core.hears(Connected(1, "127.0.0.1"))


@pytest.mark.parametrize("offered", [[], ["race2048.2"], ["chat", "race2048.10"]])
async def test_a_client_of_another_protocol_is_refused_and_told_ours(tmp_path, offered):
    core = Script()
    async with serving(core, tmp_path) as rig:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            await rig.session.ws_connect(f"{rig.url}/ws", protocols=offered)
        assert refusal.value.status == 426
        async with rig.session.get(f"{rig.url}/ws") as answer:
            assert limits.SUBPROTOCOL in await answer.text()
        assert core.heard == []


async def test_our_protocol_is_chosen_among_several_and_nothing_is_compressed(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        peer = await rig.session.ws_connect(f"{rig.url}/ws", protocols=["race2048.2", limits.SUBPROTOCOL], compress=15)
        assert (peer.protocol, peer.compress) == (limits.SUBPROTOCOL, 0)


async def test_a_connection_that_never_asks_for_anything_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr("lobby.server.KEEPALIVE_S", 0.05)
    core = Script()
    async with serving(core, tmp_path) as rig:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", rig.port)
            writer.write(b"GET /ws HTTP/1.1\r\nHost:")
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()


# ── what goes out ──


async def test_effects_leave_in_their_order(tmp_path):
    core = Script()
    core.on(Received, *(Send((1,), piece(number)) for number in range(300)), Close(1, Refusal.CLOSED))
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        assert [await said(peer) for _ in range(300)] == [piece(number) for number in range(300)]
        assert await closing(peer) == (aiohttp.WSCloseCode.POLICY_VIOLATION, "closed")
        await core.hears(Disconnected(1))


async def test_a_close_comes_after_everything_that_a_slow_peer_has_yet_to_take(tmp_path):
    size = limits.RECORD_PIECE_BYTES
    core = Script()
    core.on(Received, *(Send((1,), piece(number, size)) for number in range(15)), Close(1, Refusal.DRAINING))
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw(receive_bytes=4_096)
        await asyncio.get_running_loop().sock_sendall(bare, masked(WSMsgType.BINARY, LEAVE))
        await core.hears(Received(1, Leave()))
        expected = b"".join(queueing.framed(codec.encode(piece(number, size))) for number in range(15))
        expected += queueing.framed(struct.pack("!H", 1_001) + b"draining", WSMsgType.CLOSE)
        taken = b""
        async with asyncio.timeout(PATIENCE_S):
            while len(taken) < len(expected):
                taken += await asyncio.get_running_loop().sock_recv(bare, 65_536)
        assert taken == expected


async def test_a_close_comes_after_what_could_still_have_been_replaced(tmp_path):
    core = Script()
    core.on(Received, Send((1,), piece(1), newest_only=True), Close(1, Refusal.CLOSED))
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        assert await said(peer) == piece(1)
        assert await closing(peer) == (aiohttp.WSCloseCode.POLICY_VIOLATION, "closed")


async def test_after_a_close_nothing_is_heard_or_sent_any_more(tmp_path):
    core = Script()
    core.on(Received, Close(1, Refusal.FLOOD), Send((1,), piece(1)), Close(1, Refusal.ORDER))
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        for _ in range(3):
            await peer.send_bytes(LEAVE)
        assert await closing(peer) == (aiohttp.WSCloseCode.POLICY_VIOLATION, "flood")
        await core.hears(Disconnected(1))
        assert core.heard == [Connected(1, "127.0.0.1"), Received(1, Leave()), Disconnected(1)]


async def test_a_peer_that_does_not_answer_a_close_is_closed_all_the_same(tmp_path):
    core = Script()
    core.on(Received, Close(1, Refusal.FLOOD))
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, masked(WSMsgType.BINARY, LEAVE))
        await gone(bare)
        await core.hears(Disconnected(1))


async def test_what_is_sent_to_a_connection_that_is_gone_is_dropped(tmp_path):
    core = Script()
    core.on(Disconnected, Send((1,), piece(0)), Close(1, Refusal.ORDER))
    core.on(Received, Send((1, 2, 99), piece(1)), Close(1, Refusal.ORDER), Close(99, Refusal.ORDER))
    async with serving(core, tmp_path) as rig:
        first, second = await rig.peer(), await rig.peer()
        await first.close()
        await core.hears(Disconnected(1))
        await second.send_bytes(LEAVE)
        assert await said(second) == piece(1)


async def test_a_message_is_encoded_once_for_all_its_recipients(tmp_path, monkeypatch):
    encoded: list[FromLobby] = []
    encode = codec.encode

    def note(message: FromLobby) -> bytes:
        encoded.append(message)
        return encode(message)

    monkeypatch.setattr("lobby.server.codec.encode", note)
    core = Script()
    async with serving(core, tmp_path) as rig:
        peers = [await rig.peer() for _ in range(5)]
        core.on(Woke, Send((1, 2, 3, 4, 5), piece(1)))
        rig.server.tell(Woke())
        assert [await said(peer) for peer in peers] == [piece(1)] * 5
        assert encoded == [piece(1)]


async def test_of_messages_that_replace_each_other_only_the_newest_is_sent(tmp_path):
    core = Script()
    core.on(
        Received,
        Send((1,), piece(1), newest_only=True),
        Send((1,), piece(2)),
        Send((1,), piece(3), newest_only=True),
        Send((1,), piece(4), newest_only=True),
    )
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        first = await said(peer)
        rest = [await said(peer) for _ in range(1 + (first == piece(1)))]
        assert [first, *rest][-2:] == [piece(2), piece(4)]


async def test_a_message_never_takes_the_place_of_one_of_another_type(tmp_path):
    core = Script()
    core.on(
        Received,
        Send((1,), piece(1), newest_only=True),
        Send((1,), Pong(1, 2), newest_only=True),
    )
    async with serving(core, tmp_path) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        assert [await said(peer) for _ in range(2)] == [piece(1), Pong(1, 2)]


async def test_a_broadcast_in_slices_reaches_everyone_and_keeps_the_order(tmp_path, monkeypatch):
    monkeypatch.setattr("lobby.server.SLICE_CONNECTIONS", 2)
    core = Script()
    everyone = (1, 2, 3, 4, 5)
    core.on(
        Woke,
        Send(everyone, piece(1)),
        Send((1, 5), piece(2)),
        Send(everyone, piece(3), newest_only=True),
        Send((5,), piece(4)),
    )
    async with serving(core, tmp_path) as rig:
        peers = [await rig.peer() for _ in everyone]
        rig.server.tell(Woke())
        got = [[await said(peer) for _ in range(count)] for peer, count in zip(peers, (3, 2, 2, 2, 4), strict=True)]
        expected = [[1, 2, 3], [1, 3], [1, 3], [1, 3], [1, 2, 3, 4]]
        assert got == [[piece(number) for number in numbers] for numbers in expected]


async def test_a_peer_that_is_behind_gets_only_the_newest_of_what_it_missed(tmp_path):
    core = Script()
    size = 4_096
    async with serving(core, tmp_path) as rig:
        bare, other = await rig.raw(receive_bytes=4_096), await rig.peer()
        for number in range(1_000):  # 4 MB: sixteen times what may wait for one peer
            core.on(Woke, Send((1, 2), piece(number, size), newest_only=True))
            rig.server.tell(Woke())
            assert await said(other) == piece(number, size)
        assert Disconnected(1) not in core.heard
        last = queueing.framed(codec.encode(piece(999, size)))
        taken = b""
        async with asyncio.timeout(PATIENCE_S):
            while not taken.endswith(last):
                taken += await asyncio.get_running_loop().sock_recv(bare, 65_536)
        assert len(taken) < 500_000


async def test_a_peer_that_does_not_read_is_closed_and_nobody_waits_for_it(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(bounds, "STRANGER_FRAMES_BURST", bounds.FRAMES_BURST)  # nobody comes to a table here
    core = Script()
    core.on(Received, Send((1, 2), piece(0, limits.RECORD_PIECE_BYTES)))
    async with serving(core, tmp_path) as rig:
        bare, other = await rig.raw(receive_bytes=4_096), await rig.peer()
        rounds = 0
        while Disconnected(1) not in core.heard:
            await other.send_bytes(LEAVE)
            await said(other)
            rounds += 1
            assert rounds < 100
        await gone(bare)
        await other.send_bytes(LEAVE)
        await said(other)
    assert "does not read" in caplog.text


@pytest.mark.parametrize("frames", [0, 12], ids=["idle", "with frames under way"])
async def test_a_dead_line_is_found_by_the_heartbeat(tmp_path, frames):
    """The peer's machine is gone: nothing is read, nothing answered, nothing closed (field report A35)."""
    core = Script()
    core.on(Connected, *(Send((1,), piece(number, limits.RECORD_PIECE_BYTES)) for number in range(frames)))
    async with serving(core, tmp_path, heartbeat_s=0.1) as rig:
        await rig.raw(receive_bytes=4_096)
        readers = list(rig.server._readers)
        await core.hears(Disconnected(1))
        _, waiting = await asyncio.wait(readers, timeout=PATIENCE_S)
        assert not waiting, "the socket is kept open for what the peer will never take"


# ── time ──


async def test_the_core_is_woken_at_its_deadline_and_not_before(tmp_path):
    core = Script()

    def wake(_: Event) -> list[Effect]:
        core.deadline = None
        return []

    core.answers[Woke] = wake
    async with serving(core, tmp_path) as rig:
        core.deadline = due_ms = boot_ms() + 30
        await rig.peer()
        await core.hears(Woke())
        assert core.times[-1] >= due_ms
        assert core.heard.count(Woke()) == 1


async def test_a_deadline_that_comes_nearer_is_kept(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        core.deadline = boot_ms() + 60_000
        await rig.peer()
        core.deadline = boot_ms() + 20
        await rig.peer()
        async with asyncio.timeout(0.9):  # before the timer looks at the clock anyway
            await core.hears(Woke())


async def test_after_a_stall_what_has_arrived_is_heard_before_the_time(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw()
        core.deadline = boot_ms() + 20
        rig.server.tell(BadFrame(1))  # something that arms the timer
        bare.send(masked(WSMsgType.BINARY, LEAVE))
        time.sleep(0.05)  # noqa: ASYNC251 - the stall
        await core.hears(Woke())
        assert core.heard.index(Received(1, Leave())) < core.heard.index(Woke())


async def test_before_the_time_it_is_told_whose_words_lie_on_the_doorstep(tmp_path):
    core = Script()
    async with serving(core, tmp_path) as rig:
        rig.server._door._doorstep.unheard.add(1)
        core.deadline = boot_ms() + 20
        rig.server.tell(BadFrame(1))  # something that arms the timer
        await core.hears(Woke())
        assert core.heard.index(Unheard(frozenset({1}))) < core.heard.index(Woke())


async def test_a_lobby_that_nobody_needs_ends_by_itself(tmp_path):
    core = Script()

    def rest(_: Event) -> list[Effect]:
        core.busy = False
        return []

    core.answers[Disconnected] = rest
    async with serving(core, tmp_path, linger_s=0.05) as rig:
        peer = await rig.peer()
        assert not rig.server.over.is_set()
        await peer.close()
        async with asyncio.timeout(PATIENCE_S):
            await rig.server.over.wait()


async def test_a_lobby_that_is_needed_again_does_not_end(tmp_path):
    core = Script()
    core.busy = False
    async with serving(core, tmp_path, linger_s=0.2) as rig:
        core.busy = True
        await rig.peer()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.4):
                await rig.server.over.wait()


# ── records ──


async def test_records_are_kept_in_the_database_and_none_is_written_over(tmp_path):
    core = Script()
    core.on(Connected, Archive("482913", 2, b"one" * 100_000), Archive("482913", 2, b"two"))
    async with serving(core, tmp_path) as rig:
        await rig.peer()
    kept = records(tmp_path / "lobby.db")
    assert [stored.record for stored in kept] == [b"one" * 100_000, b"two"]
    assert {(stored.code, stored.race_number, stored.whole) for stored in kept} == {("482913", 2, True)}


@pytest.mark.parametrize("links", [True, False], ids=["with hard links", "without"])
def test_a_file_appears_whole_and_is_never_written_over(tmp_path, monkeypatch, links):
    if not links:

        def refuse(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / "new" / "file"
    assert files.keep(path, b"first")
    assert not files.keep(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(path.parent.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600


# ── our own bugs, and the end ──


def raising(_: Event) -> list[Effect]:
    raise ZeroDivisionError("planted")


async def test_what_no_honest_client_says_is_logged_once_a_connection_and_reason(tmp_path, caplog):
    core = Script()
    codes = (Refusal.FLOOD, Refusal.FULL, Refusal.SEAL)
    async with serving(core, tmp_path) as rig:
        for number in (1, 2):
            core.on(BadFrame, *(Send((number,), Refused(code)) for code in codes))
            peer = await rig.peer()
            for _ in range(3):
                await peer.send_str("x")
                for _ in codes:
                    await peer.receive_bytes()
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == [f"connection {number} was refused: {code}" for number in (1, 2) for code in ("flood", "seal")]


async def test_an_error_of_the_core_is_logged_and_closes_one_connection_only(tmp_path, caplog):
    core = Script()
    core.answers[Received] = raising
    core.on(BadFrame, Send((1,), piece(1)))
    async with serving(core, tmp_path, crash=False) as rig:
        other, peer = await rig.peer(), await rig.peer()
        await peer.send_bytes(LEAVE)
        assert await closing(peer) == (aiohttp.WSCloseCode.INTERNAL_ERROR, "")
        await core.hears(Disconnected(2))
        await other.send_str("")
        assert await said(other) == piece(1)
    assert "ZeroDivisionError: planted" in caplog.text


async def test_an_error_at_a_deadline_does_not_keep_the_processor_busy(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "STRANGER_FRAMES_BURST", bounds.FRAMES_BURST)  # nobody comes to a table here
    core = Script()
    core.answers[Woke] = raising
    async with serving(core, tmp_path, crash=False) as rig:
        core.deadline = boot_ms()
        peer = await rig.peer()
        await core.hears(Woke())
        for number in range(20):
            await peer.send_bytes(codec.encode(Ping(stamp_ms=number)))
            await core.hears(Received(1, Ping(stamp_ms=number)))
        assert core.heard.count(Woke()) == 1


async def over_after_a_message(core: Script, tmp_path: Path) -> None:
    async with serving(core, tmp_path, crash=True) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        async with asyncio.timeout(PATIENCE_S):
            await rig.server.over.wait()


async def test_an_error_of_the_core_ends_a_test_run_loudly(tmp_path):
    core = Script()
    core.answers[Received] = raising
    with pytest.raises(ZeroDivisionError, match="planted"):
        await over_after_a_message(core, tmp_path)


async def test_an_error_in_the_decoder_is_no_less_loud(tmp_path, monkeypatch):
    monkeypatch.setattr("lobby.server.codec.decode_from_client", raising)
    with pytest.raises(ZeroDivisionError, match="planted"):
        await over_after_a_message(Script(), tmp_path)


async def test_a_stop_is_told_to_the_core_and_its_last_words_are_sent(tmp_path):
    core = Script()
    core.on(Drained, Send((1, 2), Drain()), Close(1, Refusal.DRAINING))
    async with serving(core, tmp_path) as rig:
        peers = [await rig.peer(), await rig.peer()]
        stopping = asyncio.create_task(rig.server.stop())
        for peer in peers:  # the core forgot to close the second
            assert await said(peer) == Drain()
            assert await closing(peer) == (aiohttp.WSCloseCode.GOING_AWAY, "draining")
        await stopping
        with pytest.raises(aiohttp.ClientConnectorError):
            await rig.peer()


async def test_a_stop_does_not_wait_for_peers_that_do_not_read(tmp_path):
    core = Script()
    core.on(Drained, *(Send((1, 2, 3), piece(number, limits.RECORD_PIECE_BYTES)) for number in range(14)))
    async with serving(core, tmp_path) as rig:
        for _ in range(3):
            await rig.raw(receive_bytes=4_096)
        async with asyncio.timeout(5):
            await rig.server.stop()
        assert {Disconnected(1), Disconnected(2), Disconnected(3)} <= set(core.heard)


# ── pages ──


@pytest.mark.parametrize(("path", "words"), [("/", "race"), ("/healthz", "ok")])
async def test_plain_pages(tmp_path, path, words):
    async with serving(Script(), tmp_path) as rig, rig.session.get(rig.url + path) as answer:
        assert (answer.status, answer.content_type) == (200, "text/plain")
        text = await answer.text()
        assert words in text
        assert text.count("\n") == 1


async def test_an_invitation_says_how_to_install_and_what_to_type(tmp_path):
    async with serving(Script(), tmp_path) as rig:
        async with rig.session.get(f"{rig.url}/t/482913") as answer:
            text = await answer.text()
            assert "pipx install race2048" in text
            assert f"race2048 join {rig.url}/t/482913" in text
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert "aiohttp" not in answer.headers["Server"]
        async with rig.session.get(f"{rig.url}/w/550174") as answer:
            assert f"race2048 watch {rig.url}/w/550174" in await answer.text()


async def test_an_invitation_shows_the_public_address(tmp_path):
    async with (
        serving(Script(), tmp_path, public_url="https://race.example") as rig,
        rig.session.get(f"{rig.url}/t/482913", headers={"Host": "evil.example"}) as answer,
    ):
        assert "race2048 join https://race.example/t/482913\n" in (await answer.text()).replace("<", "\n<")


@pytest.mark.parametrize("code", ["%3Cscript%3E", "'%22%26", "%1b[31m", "x" * 2_000, "%E2%80%AE", "..%2f"])
@pytest.mark.parametrize("host", ["lobby", "<b>&\"'"])
async def test_whatever_is_asked_for_an_invitation_is_inert(tmp_path, code, host):
    async with serving(Script(), tmp_path) as rig, asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", rig.port)
        request = f"GET /t/{code} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        writer.write(request.encode())
        answer = (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
        for harmful in ("<script", "<b>", "\x1b", "\u202e"):
            assert harmful not in answer


def test_pongs_and_pings_of_the_protocol_are_frames_of_every_length() -> None:
    for length in (0, 125, 126, 65_535, 65_536):
        frame = queueing.framed(bytes(length))
        assert frame[0] == 0x82
        assert len(frame) - length == (2 if length < 126 else 4 if length < 65_536 else 10)
    assert queueing.framed(codec.encode(Pong(stamp_ms=1, clock_ms=2)))[0] == 0x82
