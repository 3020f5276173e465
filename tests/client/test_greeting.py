"""Who answers at an address, and `race2048 tables --lobby` (ux.md §1); real sockets on the loopback."""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from client import cli, greeting
from client.greeting import Greeting, greet
from protocol import codec, messages
from protocol.handshake import challenge_body
from protocol.limits import PROTOCOL_VERSION, SUBPROTOCOL
from protocol.messages import Challenge, Hello
from protocol.signing import NO_CONTEXT, Signer, fingerprint
from protocol.text import SafeText

LOBBY = Signer(b"l" * 32)
PIN = fingerprint(LOBBY.key)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture
async def serve() -> Any:
    """Returns a function that serves a handler at /ws and returns the URL of the server."""
    runners = []

    async def start(handler: Handler) -> str:
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


def answers(answer: Callable[[Hello], messages.FromLobby | None]) -> Handler:
    """A lobby that answers a hello like this, and then waits."""

    async def handler(request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse(protocols=(SUBPROTOCOL,))
        await ws.prepare(request)
        hello = codec.decode_from_client((await ws.receive()).data)
        assert isinstance(hello, Hello)
        said = answer(hello)
        if said is not None:
            await ws.send_bytes(codec.encode(said))
        await ws.receive()
        return ws

    return handler


def challenge(hello: Hello, protocol: int = PROTOCOL_VERSION, signer: Signer = LOBBY) -> Challenge:
    body = challenge_body(hello.nonce, bytes(32), protocol)
    return Challenge(bytes(32), LOBBY.key, signer.sign("challenge", NO_CONTEXT, body), protocol, SafeText("race2048 7"))


async def test_a_lobby_says_which_program_it_is_and_proves_its_key(serve) -> None:
    url = await serve(answers(challenge))
    assert await greet(url, "race2048 test") == Greeting("", SafeText("race2048 7"), PROTOCOL_VERSION, PIN)


async def test_a_lobby_of_another_version_is_told_with_it(serve) -> None:
    url = await serve(answers(lambda hello: challenge(hello, protocol=9)))
    assert await greet(url, "test") == Greeting("version", SafeText("race2048 7"), 9, PIN)


async def test_one_that_cannot_prove_its_key_is_no_lobby(serve) -> None:
    url = await serve(answers(lambda hello: challenge(hello, signer=Signer(b"x" * 32))))
    assert (await greet(url, "test")).reason == "not-a-lobby"


async def test_one_that_says_something_else_first_is_no_lobby(serve) -> None:
    url = await serve(answers(lambda _: messages.Ping(1)))
    assert (await greet(url, "test")).reason == "not-a-lobby"


async def test_one_that_says_nothing_is_given_up(serve, monkeypatch) -> None:
    monkeypatch.setattr(greeting, "ANSWER_S", 0.1)
    url = await serve(answers(lambda _: None))
    assert (await greet(url, "test")).reason == "lost"


async def test_a_mistake_of_ours_comes_out_as_it_is(monkeypatch) -> None:
    async def run(_: object) -> None:
        raise LookupError("seat 9")

    monkeypatch.setattr("client.greeting.Connection.run", run)
    with pytest.raises(LookupError, match="seat 9"):
        await greet("http://127.0.0.1:1", "test")


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


async def test_where_nobody_listens_there_is_no_lobby() -> None:
    assert (await greet(f"http://127.0.0.1:{unused_port()}", "test")).reason == "unreachable"


# ── race2048 tables --lobby ──────────────────────────────────────────────────────────────────────────────────────


def found(monkeypatch: pytest.MonkeyPatch, greeted: Greeting) -> None:
    async def greets(_url: str, _program: str) -> Greeting:
        return greeted

    monkeypatch.setattr("client.cli.tables.greet", greets)


GOOD = Greeting("", SafeText("race2048 7"), PROTOCOL_VERSION, PIN)


def test_a_lobby_is_told_with_its_version_and_that_it_lists_no_tables(monkeypatch, capsys) -> None:
    found(monkeypatch, GOOD)
    assert cli.main(["tables", "--lobby", "race.example"]) == 0
    said = capsys.readouterr().out
    assert f"http://race.example:2048 is a lobby: race2048 7, protocol {PROTOCOL_VERSION}, key {PIN}." in said
    assert "It lists its tables to nobody" in said


@pytest.mark.parametrize(
    ("greeted", "code", "words"),
    [
        (Greeting("unreachable"), 3, "cannot be reached"),
        (Greeting("not-a-lobby"), 3, "not a lobby"),
        (Greeting("version", SafeText("race2048 7"), 9, PIN), 5, "The lobby is race2048 7, protocol 9."),
    ],
)
def test_what_is_no_lobby_for_us_says_why_with_the_code_that_belongs_to_it(
    greeted: Greeting, code: int, words: str, monkeypatch, capsys
) -> None:
    found(monkeypatch, greeted)
    assert cli.main(["tables", "--lobby", "192.0.2.7"]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert f"protocol {PROTOCOL_VERSION}." in captured.err


def test_a_lobby_in_json_is_one_line(monkeypatch, capsys) -> None:
    found(monkeypatch, GOOD)
    assert cli.main(["tables", "--lobby", "race.example", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "lobby": "http://race.example:2048", "ok": True, "reason": "", "program": "race2048 7",
        "protocol": PROTOCOL_VERSION, "fingerprint": PIN,
    }  # fmt: skip
    found(monkeypatch, Greeting("unreachable"))
    assert cli.main(["tables", "--lobby", "race.example", "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert (said["ok"], said["reason"], said["program"], said["fingerprint"]) == (False, "unreachable", None, None)


def test_a_lobby_that_is_no_address_is_usage(capsys) -> None:
    assert cli.main(["tables", "--lobby", "ftp://race.example"]) == 2
    assert "neither a link" in capsys.readouterr().err
