"""One WebSocket to a lobby, and why it ended; real sockets on the loopback."""

import asyncio
import socket

import aiohttp
import pytest
from aiohttp import web

from client import connection
from client.connection import Connection
from client.events import Connected, Dropped, Received
from protocol import codec
from protocol.limits import LOBBY_FRAME_BYTES_MAX, SUBPROTOCOL
from protocol.messages import Ping, Pong, RecordPiece
from protocol.refusals import Refusal

PATIENCE_S = 10


@pytest.fixture
async def serve():
    """Returns a function that serves a handler at /ws and returns the URL of the server."""
    runners = []

    async def start(handler):
        application = web.Application()
        application.router.add_get("/ws", handler)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        runners.append(runner)
        await runner.setup()
        listener = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(runner, listener).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


def speaks(play, protocols=(SUBPROTOCOL,), **options):
    """Returns a handler that accepts a WebSocket and plays its part."""

    async def handler(request):
        ws = web.WebSocketResponse(protocols=protocols, **options)
        await ws.prepare(request)
        await play(ws)
        return ws

    return handler


async def told(url, act=lambda connection, event: None):
    """Returns the events of a connection until it ends; `act` is called with each as it comes."""
    events = []

    def listen(event):
        events.append(event)
        act(line, event)

    line = Connection(url, listen)
    async with asyncio.timeout(PATIENCE_S):
        await line.run()
    return events


async def test_messages_of_the_lobby_are_heard_in_order(serve):
    async def play(ws):
        await ws.send_bytes(codec.encode(Ping(1)))
        await ws.send_bytes(codec.encode(Ping(2)))

    events = await told(await serve(speaks(play)))
    assert events == [Connected(), Received(Ping(1)), Received(Ping(2)), Dropped("lost")]


async def test_what_was_sent_before_a_close_arrives_in_order(serve):
    heard = []

    async def play(ws):
        heard.extend([codec.decode_from_client(frame.data) async for frame in ws])

    def act(line, event):
        if isinstance(event, Connected):
            line.send(Ping(1))
            line.send(Pong(2, 3))
            line.close()

    events = await told(await serve(speaks(play)), act)
    assert heard == [Ping(1), Pong(2, 3)]
    assert events == [Connected(), Dropped("lost")]


async def test_the_largest_frame_of_a_lobby_is_taken(serve):
    message = RecordPiece(bytes(32), 0, bytes(16_384))

    async def play(ws):
        await ws.send_bytes(codec.encode(message))

    assert Received(message) in await told(await serve(speaks(play)))


@pytest.mark.parametrize("reason", [Refusal.FULL, Refusal.VERSION, Refusal.REPLACED])
async def test_a_refusal_that_closes_the_line_is_the_reason(serve, reason):
    async def play(ws):
        await ws.close(code=1008, message=reason.encode())

    assert (await told(await serve(speaks(play))))[-1] == Dropped(reason)


async def test_a_reason_that_is_no_refusal_is_not_believed(serve):
    async def play(ws):
        await ws.close(code=1000, message="\N{RIGHT-TO-LEFT OVERRIDE}evil".encode())

    assert (await told(await serve(speaks(play))))[-1] == Dropped("lost")


@pytest.mark.parametrize(
    "frame",
    [b"", b"not msgpack", b"\x81" * 2_000, codec.encode(Ping(1))[:-1], bytes(LOBBY_FRAME_BYTES_MAX + 1)],
    ids=["empty", "nonsense", "nested", "truncated", "too-large"],
)
async def test_a_frame_that_is_no_message_ends_it(serve, frame):
    async def play(ws):
        await ws.send_bytes(frame)
        await ws.receive()

    assert await told(await serve(speaks(play))) == [Connected(), Dropped("frame")]


async def test_text_is_no_message(serve):
    async def play(ws):
        await ws.send_str("hello")
        await ws.receive()

    assert await told(await serve(speaks(play))) == [Connected(), Dropped("frame")]


async def test_a_web_page_is_no_lobby(serve):
    async def page(_):
        return web.Response(text="<h1>It works!</h1>", content_type="text/html")

    assert await told(await serve(page)) == [Dropped("not-a-lobby")]


async def test_a_server_that_has_no_such_page_is_no_lobby(serve):
    url = await serve(speaks(None))
    assert await told(f"{url}/somewhere") == [Dropped("not-a-lobby")]


async def test_a_websocket_of_something_else_is_no_lobby(serve):
    async def play(ws):
        await ws.receive()

    assert await told(await serve(speaks(play, protocols=()))) == [Dropped("not-a-lobby")]


async def test_a_lobby_of_another_protocol_is_told_from_no_lobby(serve):
    async def refuse(_):
        return web.Response(status=426, text="This lobby speaks race2048.9.")

    assert await told(await serve(refuse)) == [Dropped("version")]


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_proxy_without_a_lobby_behind_it_is_unreachable(serve, status):
    async def refuse(_):
        return web.Response(status=status)

    assert await told(await serve(refuse)) == [Dropped("unreachable")]


async def test_a_port_where_nobody_listens_is_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert await told(f"http://127.0.0.1:{port}") == [Dropped("unreachable")]


async def test_a_host_that_nobody_knows_is_unreachable(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert await told("http://no.such.host.invalid:2048") == [Dropped("unreachable")]


@pytest.mark.parametrize("host", ["a..b", "x" * 300], ids=["empty-label", "too-long"])
async def test_a_host_that_can_be_none_is_unreachable(host):
    assert await told(f"http://{host}:2048") == [Dropped("unreachable")]


async def test_a_server_of_another_kind_is_no_lobby():
    async def greet(_, writer):
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await told(f"http://127.0.0.1:{port}") == [Dropped("not-a-lobby")]


async def test_a_server_that_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr(connection, "CONNECT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert await told(f"http://127.0.0.1:{silent.getsockname()[1]}") == [Dropped("unreachable")]


async def test_a_lobby_that_falls_silent_is_lost(serve, monkeypatch):
    monkeypatch.setattr(connection, "HEARTBEAT_S", 0.2)
    over = asyncio.Event()

    async def play(_):
        await over.wait()  # answers no ping

    url = await serve(speaks(play, autoping=False))
    events = await told(url)
    over.set()
    assert events == [Connected(), Dropped("lost")]


async def test_a_line_that_breaks_is_lost(serve):
    async def handler(request):
        ws = web.WebSocketResponse(protocols=(SUBPROTOCOL,))
        await ws.prepare(request)
        request.transport.abort()
        return ws

    assert await told(await serve(handler)) == [Connected(), Dropped("lost")]


@pytest.mark.parametrize("error", [aiohttp.ClientConnectionResetError("closing"), BrokenPipeError()], ids=repr)
async def test_a_line_that_is_gone_before_a_ping_on_it_is_answered_is_lost(serve, monkeypatch, error):
    """A lobby that was killed: its last ping has arrived, and nobody hears the answer."""

    async def fail(socket, message=b""):
        raise error

    monkeypatch.setattr(aiohttp.ClientWebSocketResponse, "pong", fail)

    async def play(ws):
        await ws.ping()
        await ws.receive()

    assert await told(await serve(speaks(play))) == [Connected(), Dropped("lost")]


async def test_a_cancelled_connection_says_nothing_more(serve):
    async def play(ws):
        await ws.receive()

    events = []
    connected = asyncio.Event()

    def listen(event):
        events.append(event)
        connected.set()

    running = asyncio.create_task(Connection(await serve(speaks(play)), listen).run())
    await connected.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert events == [Connected()]
