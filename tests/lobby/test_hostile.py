"""Peers that mean harm, on real sockets: each is closed with the right code, and others notice nothing.

The core behind the sockets is a real lobby, so what is checked is the whole way from the bytes to the refusal. Times
that pass are those of buckets, which a flood empties at once; nothing here waits for a clock. How a lobby fares
under all of it together is measured by `python -m bench hostile`.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import socket
import struct
from ipaddress import ip_network

import aiohttp
import msgpack
import pytest
from aiohttp import WSCloseCode, WSMsgType

from lobby import bounds
from lobby.bounds import Admission, Bounds
from lobby.connection import framed
from lobby.entropy import Source
from lobby.events import BadFrame, Connected, Disconnected, Drained, Effect, Event, Received, Send
from lobby.lobby import Lobby
from lobby.logs import JsonLines
from lobby.opening import DealOptions
from lobby.room import Census
from protocol import codec, limits, messages
from protocol.handshake import proof_body
from protocol.messages import FromClient, Ping, Pong, Refused, Role, Signed, TableSettings, Unready
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer
from protocol.text import SafeText
from tests.lobby.test_server import BAD_FRAMES, PATIENCE_S, Rig, Script, closing, gone, masked, said, serving

PROXY = ip_network("127.0.0.1/32")
EMPTY_PING = bytes((0x80 | WSMsgType.PING, 0x80)) + bytes(4)
NOTHING_MORE_TO_COME = b"\x02\x80" + bytes(4)  # a message in pieces of no bytes begins
AND_NOTHING = b"\x00\x80" + bytes(4)  # and goes on


class RealLobby(Script):
    """A lobby whose events a test can wait for."""

    def __init__(self, most: Bounds | None = None) -> None:
        super().__init__()
        options = DealOptions(chain_length=64)
        self.signer = Signer(os.urandom(32))
        self.lobby = Lobby(signer=self.signer, entropy=Source(os.urandom), epoch=1, program="test", options=options)
        self.lobby.room.most = most or Bounds()

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        super().handle(event, now_ms)
        effects = self.lobby.handle(event, now_ms)
        self.deadline = self.lobby.deadline
        return effects

    def census(self) -> Census:
        return self.lobby.census()


class Person:
    """Somebody with a key on a connection: says what a test wants, and reads the answers."""

    def __init__(self, peer: aiohttp.ClientWebSocketResponse, signer: Signer | None = None) -> None:
        self.peer = peer
        self.signer = signer or Signer(os.urandom(32))

    @classmethod
    async def at(cls, rig: Rig, address: str = "", signer: Signer | None = None) -> Person:
        headers = {"X-Forwarded-For": address} if address else {}
        peer = await rig.session.ws_connect(
            f"{rig.url}/ws", protocols=[limits.SUBPROTOCOL], autoping=False, headers=headers
        )
        return cls(peer, signer)

    async def say(self, *sent: FromClient) -> None:
        for message in sent:
            await self.peer.send_bytes(codec.encode(message))

    async def hello(self) -> messages.Challenge:
        await self.say(messages.Hello(os.urandom(32), limits.PROTOCOL_VERSION, SafeText("hostile")))
        challenge = await said(self.peer)
        assert isinstance(challenge, messages.Challenge)
        return challenge

    def proof(self, challenge: messages.Challenge, key: bytes = b"") -> messages.Proof:
        key = key or self.signer.key
        body = proof_body(challenge.key, challenge.nonce, key, Role.PLAYER, limits.PROTOCOL_VERSION)
        return messages.Proof(key, Role.PLAYER, self.signer.sign("proof", NO_CONTEXT, body))

    async def greet(self) -> Person:
        await self.say(self.proof(await self.hello()))
        return self

    async def open(self, name: str = "fox") -> messages.TableView:
        await self.say(messages.Open(name, TableSettings()))
        welcome = await said(self.peer)
        assert isinstance(welcome, messages.Welcome), welcome
        return welcome.table

    async def pong(self, stamp_ms: int = 7) -> None:
        """Returns when the lobby has answered a ping, whatever else it says meanwhile."""
        await self.say(Ping(stamp_ms))
        while True:
            answer = await said(self.peer)
            if isinstance(answer, Pong) and answer.stamp_ms == stamp_ms:
                return

    async def refused(self) -> tuple[str, int]:
        """The code a person is refused and closed with, and WebSocket's own code for it."""
        answer = await said(self.peer)
        while not isinstance(answer, Refused):
            answer = await said(self.peer)
        code, reason = await closing(self.peer)
        assert reason == answer.code
        return reason, code


# ── bytes and frames ──


@pytest.mark.parametrize("frame", BAD_FRAMES.values(), ids=BAD_FRAMES)
async def test_what_is_no_message_is_closed_with_its_code(tmp_path, frame):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, frame)
        assert await last_words(bare) == (WSCloseCode.POLICY_VIOLATION, "frame")
        assert BadFrame(1) in core.heard


async def last_words(bare: socket.socket) -> tuple[int, str]:
    """The code and reason of the close frame with which a bare socket ends."""
    loop, taken = asyncio.get_running_loop(), b""
    async with asyncio.timeout(PATIENCE_S):
        while piece := await loop.sock_recv(bare, 65_536):
            taken += piece
            frames = list(frames_in(taken))
            if frames and frames[-1][0] == WSMsgType.CLOSE:
                payload = frames[-1][1]
                return struct.unpack("!H", payload[:2])[0], payload[2:].decode()
    raise AssertionError(f"closed without a word: {taken!r}")


def frames_in(stream: bytes):
    at = 0
    while at + 2 <= len(stream):
        opcode, length, at = stream[at] & 15, stream[at + 1], at + 2
        if length == 126:
            length, at = int.from_bytes(stream[at : at + 2], "big"), at + 2
        yield opcode, stream[at : at + length]
        at += length


TOO_MUCH = {
    "larger than a message may be": (masked(2, bytes(4_097)), WSCloseCode.MESSAGE_TOO_BIG),
    "of 2^63 bytes": (b"\x82\xff" + struct.pack("!Q", (1 << 63) - 1) + bytes(4), WSCloseCode.MESSAGE_TOO_BIG),
    "in pieces, too large": (
        b"\x02\xfe\x0f\xff" + bytes(4 + 4_095) + b"\x80\x85" + bytes(9), WSCloseCode.MESSAGE_TOO_BIG,
    ),
    "compressed": (b"\xc2\x81" + bytes(4) + b"x", WSCloseCode.PROTOCOL_ERROR),
    "reserved bits": (b"\xb2\x80" + bytes(4), WSCloseCode.PROTOCOL_ERROR),
    "unmasked": (framed(codec.encode(messages.Leave())), WSCloseCode.PROTOCOL_ERROR),
    "unmasked ping": (framed(b"", WSMsgType.PING), WSCloseCode.PROTOCOL_ERROR),
}  # fmt: skip


@pytest.mark.parametrize(("frame", "code"), TOO_MUCH.values(), ids=TOO_MUCH)
async def test_what_is_no_frame_is_closed_with_websockets_own_code(tmp_path, frame, code):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        neighbour, bare = await Person.at(rig), await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, frame)
        assert (await last_words(bare))[0] == code
        await core.hears(Disconnected(2))
        await neighbour.pong()


async def test_an_unmasked_frame_is_said_to_be_the_fault_and_never_heard(tmp_path):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, framed(codec.encode(messages.Leave())))
        assert await last_words(bare) == (WSCloseCode.PROTOCOL_ERROR, "frame")
        await core.hears(Disconnected(1))
        assert core.heard == [Connected(1, "127.0.0.1"), Disconnected(1)]


DEEP = {
    "lists": b"\x91" * 4_000,
    "maps": b"\x81\xa1x" * 1_300 + b"\xc0",
    "in a field": msgpack.packb({"type": "join"})[:-1] + b"\xa4join" + b"\x91" * 3_000,
    "a bomb of lengths": b"\xdd\xff\xff\xff\xff" * 800,
    "a long string": b"\xdb\xff\xff\xff\xff",
}


@pytest.mark.parametrize("frame", DEEP.values(), ids=DEEP)
async def test_nested_or_boastful_messages_are_no_messages(tmp_path, frame):
    async with serving(RealLobby(), tmp_path) as rig:
        bare = await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, masked(2, frame))
        assert await last_words(bare) == (WSCloseCode.POLICY_VIOLATION, "frame")


FLOODS = {
    "pings": EMPTY_PING,
    "large pings": bytes((0x89, 0xFD)) + bytes(4 + 125),
    "pongs": bytes((0x8A, 0x80)) + bytes(4),
    "messages": masked(2, codec.encode(Ping(1))),
    "large messages": masked(2, bytes(4_096)),
    "a message that never ends": AND_NOTHING,
}


@pytest.mark.parametrize("frame", FLOODS.values(), ids=FLOODS)
async def test_a_flood_is_closed_and_nobody_else_notices(tmp_path, frame):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        neighbour, bare = await Person.at(rig), await rig.raw()
        if frame is AND_NOTHING:
            await asyncio.get_running_loop().sock_sendall(bare, NOTHING_MORE_TO_COME)
        flooding = asyncio.create_task(flood(bare, frame))
        code, reason = await last_words(bare)
        # What is bad besides being too much may be told as either.
        assert (code, reason) in {(1008, "flood"), (1008, "frame")}
        await core.hears(Disconnected(2))
        await flooding
        await neighbour.pong()
        assert len(core.heard) < 2 * bounds.FRAMES_BURST


async def flood(bare: socket.socket, frame: bytes) -> None:
    """Sends on until the other side has closed."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE_S):
        try:
            while True:
                await loop.sock_sendall(bare, frame * 100)
                await asyncio.sleep(0)
        except OSError:
            pass


async def test_pings_that_nobody_reads_the_answers_of_are_a_flood_too(tmp_path):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        bare = await rig.raw(receive_bytes=4_096)
        await flood(bare, bytes((0x89, 0xFD)) + bytes(4 + 125))
        await core.hears(Disconnected(1))


async def test_a_flood_of_plain_requests_is_cut_off(tmp_path):
    async with serving(RealLobby(), tmp_path) as rig:
        loop = asyncio.get_running_loop()
        with socket.socket() as bare:
            bare.setblocking(False)
            await loop.sock_connect(bare, ("127.0.0.1", rig.port))
            flooding = asyncio.create_task(flood(bare, b"GET /healthz HTTP/1.1\r\nHost: lobby\r\n\r\n"))
            await gone(bare)
            await flooding


# ── handshakes ──


@pytest.mark.parametrize("begun", [b"", masked(2, codec.encode(messages.Leave()))[:7]], ids=["nothing", "half a frame"])
async def test_a_peer_that_never_says_hello_is_let_go(tmp_path, monkeypatch, begun):
    monkeypatch.setattr(limits, "HANDSHAKE_MS", 50)
    async with serving(RealLobby(), tmp_path) as rig:
        bare = await rig.raw()
        await asyncio.get_running_loop().sock_sendall(bare, begun)
        assert await last_words(bare) == (WSCloseCode.POLICY_VIOLATION, "silent")


async def test_a_seat_cannot_be_stolen_with_its_owners_key_alone(tmp_path):
    async with serving(RealLobby(), tmp_path) as rig:
        owner = await (await Person.at(rig)).greet()
        table = await owner.open()
        thief = await Person.at(rig)
        await thief.say(thief.proof(await thief.hello(), key=owner.signer.key), messages.Join(table.code, "fox"))
        assert await thief.refused() == ("proof", WSCloseCode.POLICY_VIOLATION)
        await owner.pong()


async def test_a_handshake_that_was_overheard_opens_nothing_again(tmp_path):
    async with serving(RealLobby(), tmp_path) as rig:
        owner = await Person.at(rig)
        overheard = owner.proof(await owner.hello())
        await owner.say(overheard)
        await owner.open()
        thief = await Person.at(rig)
        await thief.hello()
        await thief.say(overheard)
        assert await thief.refused() == ("proof", WSCloseCode.POLICY_VIOLATION)
        await owner.pong()


NAMES = [
    "", " ", "\x1b]8;;http://x\x07fox\x1b]8;;\x07", "\x9b31mfox", "\u202efox", "fox\nowl", "x" * 17, "\u200bfox",
    "a" + "\u0301" * 30,
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
async def test_a_name_that_would_harm_a_terminal_is_refused(tmp_path, name):
    async with serving(RealLobby(), tmp_path) as rig:
        person = await (await Person.at(rig)).greet()
        await person.say(messages.Open(name, TableSettings()))
        assert (await person.refused())[0] == "name"


async def test_codes_are_not_guessed_from_one_address(tmp_path):
    async with serving(RealLobby(), tmp_path, admission=Admission(trusted=(PROXY,))) as rig:

        async def guess(address: str) -> str:
            person = await (await Person.at(rig, address)).greet()
            await person.say(messages.Join("0", "fox"))
            return (await person.refused())[0]

        codes = [await guess("2001:db8::1" if number % 2 else "2001:db8::2") for number in range(11)]
        assert codes == ["no-table"] * 10 + ["guessing"]
        assert await guess("2001:db8:0:1::1") == "no-table"


# ── who comes, and how many ──


async def test_an_address_has_so_many_connections_and_is_told_so(tmp_path):
    core = RealLobby()
    admission = Admission(most=Bounds(connections_per_address=2), trusted=(PROXY,))
    async with serving(core, tmp_path, admission=admission) as rig:
        first, second, third = [await Person.at(rig, "203.0.113.7") for _ in range(3)]
        assert await third.refused() == ("address", WSCloseCode.POLICY_VIOLATION)
        assert [event for event in core.heard if isinstance(event, Connected)] == [
            Connected(1, "203.0.113.7"), Connected(2, "203.0.113.7"),
        ]  # fmt: skip
        await (await Person.at(rig, "203.0.113.8")).pong()
        await first.peer.close()
        await core.hears(Disconnected(1))
        await (await Person.at(rig, "203.0.113.7")).pong()
        await second.pong()


async def test_who_forges_an_address_without_a_trusted_proxy_stays_who_he_is(tmp_path, caplog):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        for _ in range(2):
            await (await Person.at(rig, "203.0.113.7")).pong()
        assert {event.address for event in core.heard if isinstance(event, Connected)} == {"127.0.0.1"}
    assert caplog.text.count("--trust-proxy") == 1


async def test_sockets_beyond_those_of_an_address_are_turned_away_unheard(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "SPARE_SOCKETS_PER_ADDRESS", 0)
    admission = Admission(most=Bounds(connections_per_address=1, exempt=()))
    async with serving(RealLobby(), tmp_path, admission=admission) as rig:
        person = await Person.at(rig)
        with socket.socket() as bare:
            bare.setblocking(False)
            await asyncio.get_running_loop().sock_connect(bare, ("127.0.0.1", rig.port))
            await gone(bare)
        await person.pong()
        assert rig.server._door._guard.sockets == 1


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ECONNABORTED])
async def test_a_socket_that_cannot_be_taken_is_not_the_last(tmp_path, monkeypatch, caplog, number):
    monkeypatch.setattr(bounds, "ACCEPT_AGAIN_S", 0.01)
    loop = asyncio.get_running_loop()
    accept = loop.sock_accept
    failed: list[int] = []

    async def fails_once(listener: socket.socket) -> tuple[socket.socket, object]:
        if not failed:
            failed.append(number)
            raise OSError(number, os.strerror(number))
        return await accept(listener)

    monkeypatch.setattr(loop, "sock_accept", fails_once)
    async with serving(RealLobby(), tmp_path) as rig:
        await (await Person.at(rig)).pong()
    assert failed
    assert ("could not be taken" in caplog.text) == (number == errno.EMFILE)


async def test_all_that_came_and_went_is_counted_down_again(tmp_path):
    core = RealLobby()
    async with serving(core, tmp_path, admission=Admission(trusted=(PROXY,))) as rig:
        for number in range(1, 6):
            person = await Person.at(rig, "203.0.113.7")
            await person.peer.close()
            await core.hears(Disconnected(number))
    guard = rig.server._door._guard
    assert guard.sockets == 0
    assert [caller.connections for caller in guard._callers.values()] == [0]


async def test_many_idle_connections_at_once_keep_nobody_waiting(tmp_path):
    """What a lobby does under five hundred of all kinds is for the bench; here they may not be in the way."""
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        host = await (await Person.at(rig)).greet()
        await host.open()
        idle = [await rig.raw() for _ in range(200)]
        await host.pong()
        for bare in idle:
            bare.close()
        await core.hears(Disconnected(201))


async def test_a_lobby_that_is_full_says_so_and_nobody_at_a_table_notices(tmp_path):
    core = RealLobby(Bounds(tables_max=1, connections_max=2))
    async with serving(core, tmp_path) as rig:
        host = await (await Person.at(rig)).greet()
        table = await host.open()
        opener = await (await Person.at(rig)).greet()
        await opener.say(messages.Open("owl", TableSettings()))
        assert await opener.refused() == ("capacity", WSCloseCode.POLICY_VIOLATION)
        guest = await (await Person.at(rig)).greet()
        await guest.say(messages.Join(table.code, "owl"))
        assert isinstance(await said(guest.peer), messages.Welcome)
        late = await (await Person.at(rig)).greet()
        await late.say(messages.Join(table.code, "hare"))
        assert await late.refused() == ("capacity", WSCloseCode.POLICY_VIOLATION)
        await host.pong()
        await guest.pong()


# ── at a table ──


async def test_one_who_holds_a_key_down_is_told_to_wait_and_stays(tmp_path):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        host = await (await Person.at(rig)).greet()
        await host.open()
        await host.say(*[Unready()] * 3 * bounds.TALK_BURST)
        answer = await said(host.peer)
        while answer != Refused(Refusal.FLOOD):
            answer = await said(host.peer)
        await host.pong()
        heard = core.heard.count(Received(1, Unready()))
        assert bounds.TALK_BURST <= heard < 2 * bounds.TALK_BURST


async def test_one_who_goes_on_all_the_same_is_closed(tmp_path):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        host, other = await (await Person.at(rig)).greet(), await Person.at(rig)
        await host.open()
        offer = messages.Seal(Signed(b"offer", bytes(64)))
        for spam in ([Unready()], [offer], [messages.Begin(), messages.Again()]):
            host.peer._writer.transport.write(masked(2, codec.encode(spam[0])) * bounds.FRAMES_BURST)
        while (answer := await host.peer.receive(PATIENCE_S)).type is WSMsgType.BINARY:
            pass
        assert (answer.data, answer.extra) == (WSCloseCode.POLICY_VIOLATION, "flood")
        await core.hears(Disconnected(1))
        await other.pong()
        assert sum(isinstance(event, Received) for event in core.heard) < 3 * bounds.FRAMES_BURST


async def test_a_watcher_who_does_not_read_is_closed_and_the_table_goes_on(tmp_path, caplog):
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        host = await (await Person.at(rig)).greet()
        await host.open()
        slow = await rig.raw(receive_bytes=4_096)
        filler = messages.RecordPiece(bytes(32), 0, bytes(limits.RECORD_PIECE_BYTES))
        for _ in range(64):  # a megabyte: four times what may wait
            rig.server._send(Send((2,), filler))
            await host.pong()
        await gone(slow)
        await core.hears(Disconnected(2))
        await host.pong()
    assert "does not read" in caplog.text


# ── how the lobby is ──


async def health(rig: Rig) -> tuple[int, str]:
    async with rig.session.get(f"{rig.url}/healthz") as answer:
        return answer.status, await answer.text()


async def test_a_lobby_is_healthy_until_it_is_full(tmp_path):
    core = RealLobby(Bounds(tables_max=1))
    async with serving(core, tmp_path) as rig:
        assert await health(rig) == (200, "ok\n")
        host = await (await Person.at(rig)).greet()
        await host.open()
        assert await health(rig) == (503, "capacity\n")


async def test_a_lobby_without_a_socket_to_spare_is_not_healthy(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "SPARE_SOCKETS", 0)
    async with serving(RealLobby(), tmp_path, admission=Admission(most=Bounds(connections_max=1))) as rig:
        assert await health(rig) == (503, "capacity\n")


async def test_a_lobby_that_goes_down_is_not_healthy(tmp_path):
    core = Script()
    asked: list[tuple[int, str]] = []
    async with serving(core, tmp_path) as rig:
        assert await health(rig) == (200, "ok\n")  # the connection is kept alive
        bare = await rig.raw(receive_bytes=4_096)
        stopping = asyncio.create_task(rig.server.stop())
        await core.hears(Drained())
        asked.append(await health(rig))
        bare.close()
        await stopping
    assert asked == [(503, "draining\n")]


# ── what is logged ──


async def test_no_code_no_key_and_no_raw_name_is_logged(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    core = RealLobby()
    async with serving(core, tmp_path) as rig:
        host = await (await Person.at(rig)).greet()
        table = await host.open("heron")
        guest = await (await Person.at(rig)).greet()
        await guest.say(messages.Join(table.code, "lynx"), messages.Begin(), messages.Kick(0))
        await guest.pong()
        await host.say(messages.Kick(1), messages.Lock(True))
        await host.pong()
        for name, code in (("\x1b[2Jvole", table.code), ("otter", "99999999")):
            other = await (await Person.at(rig)).greet()
            await other.say(messages.Join(code, name))
            await other.refused()
    secrets = [table.code, table.watch_code, "99999999", "heron", "lynx", "vole", "otter"]
    secrets += [key.hex() for key in (host.signer.key, guest.signer.key, core.signer.key)]
    logged = "\n".join(JsonLines().format(record) for record in caplog.records)
    assert [secret for secret in secrets if secret in logged] == []
    lines = [json.loads(line) for line in logged.splitlines()]
    refusals = {line["code"] for line in lines if line["message"].startswith("connection") and "code" in line}
    assert {"kicked", "name", "no-table"} <= refusals
    assert any(line.get("address") == "127.0.0.1" and line.get("connection") == 1 for line in lines)


async def test_of_a_request_that_cannot_be_read_no_word_is_logged_and_it_is_no_error_of_ours(tmp_path, caplog):
    requests = (b"GET /t/314159\x01 HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nCookie: 314159\x01\r\n\r\n")
    async with serving(RealLobby(), tmp_path) as rig:
        for request in requests:
            reader, writer = await asyncio.open_connection("127.0.0.1", rig.port)
            writer.write(request)
            assert b"400 Bad Request" in await reader.read()
            writer.close()
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert "314159" not in str(lines)
    assert [(line["level"], "127.0.0.1" in line["message"]) for line in lines] == [("warning", True)] * len(requests)


async def test_of_an_error_of_ours_while_a_request_is_answered_everything_is_logged(tmp_path, caplog):
    core = RealLobby()
    core.census = lambda: Census(full=None.nothing)  # type: ignore[attr-defined,method-assign]
    async with serving(core, tmp_path) as rig:
        assert (await health(rig))[0] == 500
    (line,) = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert line["level"] == "error"
    assert "AttributeError" in line["error"]
