"""Why a lobby of one's own does not start, said in the person's language with what to do (ux.md §1)."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Sequence

import pytest

from client import cli, language
from client.child import ChildError, LobbyChild
from client.cli import host, listening
from client.cli.exits import DAMAGED, UNREACHED
from client.cli.listening import start_words

ENGLISH = ChildError("race2048 lobby: cannot listen: what the system says", UNREACHED)


def test_a_port_that_was_asked_for_and_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = start_words(ENGLISH, "127.0.0.1", port)
    assert told == f"Port {port} on 127.0.0.1 is taken. Give another --port, or none to take the next free one."


@pytest.mark.parametrize("bind", ["192.0.2.1", "nonsense.invalid"])
@pytest.mark.parametrize("port", [None, 0])
def test_an_address_that_is_not_of_this_computer(bind: str, port: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    failure = OSError(errno.EADDRNOTAVAIL, "x") if bind[0].isdigit() else socket.gaierror(-2, "x")
    monkeypatch.setattr(listening, "_failure", lambda *_: failure)
    assert start_words(ENGLISH, bind, port) == (
        f"{bind} is no address of this computer. Give another --bind, or none for all."
    )


def test_a_port_that_not_everybody_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_failure", lambda *_: PermissionError(errno.EACCES, "Permission denied"))
    assert "one from 1024 on" in start_words(ENGLISH, None, 80)


def test_another_reason_is_told_as_the_system_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_failure", lambda *_: OSError(errno.ENETDOWN, "Network is down"))
    assert "Network is down" in start_words(ENGLISH, "10.0.0.1", 80)


def test_none_of_the_usual_ports_is_free() -> None:
    assert "--port, or 0 for any" in start_words(ENGLISH, "127.0.0.1", None)


def test_what_is_free_again_by_now_is_told_as_the_lobby_said_it() -> None:
    assert start_words(ENGLISH, "127.0.0.1", 0) == "cannot listen: what the system says"


def test_files_that_cannot_be_used_and_anything_else() -> None:
    assert "RACE2048_DATA" in start_words(ChildError("the key is damaged", DAMAGED), None, None)
    assert "does not start: \\x1b[2J" in start_words(ChildError("\x1b[2J", 70), None, None)


def test_host_says_it_in_the_language_of_the_person(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    monkeypatch.setenv("LANGUAGE", "en")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code = cli.main(["--lang", "uk", "host", "--plain", "--bind", "127.0.0.1", "--port", port])
    said = capsys.readouterr().err
    language.forget_language()
    assert code == UNREACHED
    assert f"Порт {port} на 127.0.0.1 зайнято" in said


def test_the_next_free_port_is_taken_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def started(options: Sequence[str], data: object) -> LobbyChild:
        assert "--port" not in options
        return LobbyChild("http://127.0.0.1:2051", "127.0.0.1", 2_051, 1, "", None)  # type: ignore[arg-type]

    monkeypatch.setattr(host, "start_lobby", started)
    house = asyncio.run(host._house(cli.parser_of("host").parse_args([]), None))
    assert house.reach.port == 2_051
    assert capsys.readouterr().err == "Port 2048 is taken; this lobby takes 2051.\n"
