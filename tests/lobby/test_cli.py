"""`python -m lobby` as a process: where it listens, what it keeps, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import aiohttp
import pytest

from lobby import cli
from lobby.entropy import Source
from lobby.lobby import Lobby
from lobby.opening import DealOptions
from lobby.server import Server
from protocol import codec, limits
from protocol.limits import Windows
from protocol.messages import Challenge, Drain, Hello
from protocol.signing import Signer, fingerprint
from protocol.text import SafeText

PATIENCE_S = 30  # a loaded machine takes two to import everything; this only ends a test that hangs
STOP_S = 5


@contextmanager
def lobby(data_dir: Path, *arguments: str, stderr: int = subprocess.PIPE) -> Iterator[subprocess.Popen[bytes]]:
    """A lobby on this machine only; whatever happens, it is gone afterwards."""
    command = [sys.executable, "-m", "lobby", "--bind", "127.0.0.1", "--data-dir", str(data_dir), *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr) as process:
        try:
            yield process
        finally:
            process.kill()


def announced(process: subprocess.Popen[bytes]) -> dict[str, object]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"it ended with {process.wait(STOP_S)}: {talk(process)}"
    said = json.loads(line)
    assert isinstance(said, dict)
    return said


def ended(process: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> int:
    process.send_signal(number)
    return process.wait(STOP_S)


def talk(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    return process.stderr.read().decode()


def taken_port() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def test_it_says_where_it_listens_in_one_line_of_json_and_ends_well_on_term(tmp_path):
    with lobby(tmp_path, "--port", "0", "--json") as process:
        said = announced(process)
        assert said["pid"] == process.pid
        assert said["url"] == f"http://127.0.0.1:{said['port']}"
        assert said["public_url"] == ""
        with urllib.request.urlopen(f"{said['url']}/healthz", timeout=PATIENCE_S) as answer:
            assert answer.read() == b"ok\n"
        assert ended(process) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
        assert talk(process) == ""


def test_one_that_announces_its_tables_ends_as_well(tmp_path):
    with lobby(tmp_path, "--port", "0", "--json", "--lan", "127.0.0.1") as process:
        announced(process)
        assert ended(process) == 0
        assert talk(process) == ""


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "224.0.0.251", "fox.local", "192.168.1", ""])
def test_an_address_that_no_computer_has_is_not_announced(address, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.parser().parse_args(["--lan", address])
    assert stop.value.code == 2
    assert "192.168.1.23" in capsys.readouterr().err


def bare_lobby() -> Lobby:
    return Lobby(signer=Signer(bytes(32)), entropy=Source(os.urandom), epoch=1, program="test")


@pytest.mark.parametrize(("bound", "address"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "192.168.1.23")])
async def test_a_lobby_is_announced_where_it_listens_and_on_all_networks_where_it_was_told(bound, address, monkeypatch):
    made = []

    class Announcer:
        def __init__(self, tables, *, fingerprint, address, port):
            made.append((address, port, fingerprint))
            self.stopped = asyncio.Event()
            self.stop = self.stopped.set

        async def run(self):
            await self.stopped.wait()

    monkeypatch.setattr("lobby.announcing.Announcer", Announcer)
    with closing(socket.create_server((bound, 0))) as listener:
        async with cli._announced(bare_lobby(), "192.168.1.23", listener, "7q4k") as withdraw:
            withdraw()
        assert made == [(address, listener.getsockname()[1], "7q4k")]


async def test_a_lobby_that_was_not_asked_to_announces_nothing(monkeypatch):
    monkeypatch.setattr("lobby.announcing.Announcer", None)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        async with cli._announced(bare_lobby(), None, listener, "7q4k") as withdraw:
            withdraw()


def test_it_ends_well_on_ctrl_c(tmp_path):
    with lobby(tmp_path, "--port", "0") as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        assert line.startswith("Lobby open on 127.0.0.1 port ")
        assert ended(process, signal.SIGINT) == 0
        assert talk(process) == ""


async def test_it_greets_a_client_with_its_key_and_says_goodbye(tmp_path):
    with lobby(tmp_path, "--port", "0", "--json") as process:
        said = announced(process)
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{said['url']}/ws", protocols=[limits.SUBPROTOCOL]) as peer,
        ):
            hello = Hello(nonce=bytes(32), protocol=limits.PROTOCOL_VERSION, program=SafeText("test"))
            await peer.send_bytes(codec.encode(hello))
            challenge = codec.decode_from_lobby(await peer.receive_bytes(timeout=PATIENCE_S))
            assert isinstance(challenge, Challenge)
            assert challenge.key == Signer((tmp_path / "lobby.key").read_bytes()).key
            assert said["fingerprint"] == fingerprint(challenge.key)
            process.terminate()
            assert codec.decode_from_lobby(await peer.receive_bytes(timeout=PATIENCE_S)) == Drain()
            goodbye = await peer.receive(timeout=PATIENCE_S)
            assert (goodbye.data, goodbye.extra) == (aiohttp.WSCloseCode.GOING_AWAY, "draining")
        assert process.wait(STOP_S) == 0
        assert talk(process) == ""


def test_a_port_that_was_asked_for_and_is_taken_stops_it(tmp_path):
    with closing(taken_port()) as other:
        port = other.getsockname()[1]
        with lobby(tmp_path, "--port", str(port)) as process:
            assert process.wait(PATIENCE_S) == 3
            assert f"port {port} on 127.0.0.1 is taken" in talk(process)


def test_without_a_port_the_next_free_one_is_taken_and_it_says_so(monkeypatch, capsys):
    with closing(taken_port()) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(cli, "PORT", port)
        with closing(cli.listen("127.0.0.1", None)) as listener:
            chosen = listener.getsockname()[1]
        assert port < chosen < port + cli.PORTS_TRIED
        assert capsys.readouterr().err == f"Port {port} is taken; this lobby takes {chosen}.\n"


def test_where_json_tells_the_port_nothing_else_does(monkeypatch, capsys):
    with closing(taken_port()) as other:
        monkeypatch.setattr(cli, "PORT", other.getsockname()[1])
        with closing(cli.listen("127.0.0.1", None, quiet=True)) as listener:
            assert listener.getsockname()[1] != cli.PORT
        assert capsys.readouterr().err == ""


def test_when_all_usual_ports_are_taken_it_stops(monkeypatch):
    monkeypatch.setattr(cli, "PORTS_TRIED", 1)
    with closing(taken_port()) as other:
        monkeypatch.setattr(cli, "PORT", other.getsockname()[1])
        with pytest.raises(cli.CannotStart, match="are taken") as stop:
            cli.listen("127.0.0.1", None)
        assert stop.value.exit_code == 3


@pytest.mark.parametrize("bind", ["192.0.2.1", "not a host"])
def test_an_address_of_another_machine_stops_it(bind):
    with pytest.raises(cli.CannotStart, match="cannot listen on") as stop:
        cli.listen(bind, 0)
    assert stop.value.exit_code == 3


def test_the_key_is_made_once_for_its_owner_only(tmp_path):
    path = tmp_path / "new" / "lobby.key"
    seed = cli.lobby_seed(path)
    assert len(seed) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert cli.lobby_seed(path) == seed
    assert cli.lobby_seed(tmp_path / "other" / "lobby.key") != seed
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33])
def test_a_damaged_key_stops_it_and_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "lobby.key"
    path.write_bytes(content)
    with lobby(tmp_path, "--port", "0") as process:
        assert process.wait(PATIENCE_S) == 6
        assert "is damaged" in talk(process)
    assert path.read_bytes() == content


def test_a_key_that_cannot_be_read_or_made_stops_it(tmp_path):
    (tmp_path / "lobby.key").mkdir()
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "lobby.key", tmp_path / "file" / "lobby.key"):
        with pytest.raises(cli.CannotStart, match="cannot be read or made") as stop:
            cli.lobby_seed(path)
        assert stop.value.exit_code == 6


def test_data_are_kept_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    assert cli.default_data_dir() == tmp_path
    monkeypatch.setenv("RACE2048_DATA", "")
    assert cli.default_data_dir().name == "race2048"


def test_it_goes_on_when_its_parent_no_longer_reads(tmp_path):
    reading, writing = os.pipe()
    with lobby(tmp_path, "--port", "0", "--json", "-v", stderr=writing) as process:
        said = announced(process)
        assert process.stdout is not None
        process.stdout.close()
        os.close(reading)
        os.close(writing)
        with urllib.request.urlopen(f"{said['url']}/healthz", timeout=PATIENCE_S) as answer:
            assert answer.status == 200
        assert ended(process) == 0


def test_it_starts_when_nobody_reads_where_it_listens(tmp_path):
    port = taken_port()
    number = port.getsockname()[1]
    port.close()
    with lobby(tmp_path, "--port", str(number), "--linger", "0.2") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 0
        assert talk(process) == ""


async def test_it_ends_by_itself_when_nobody_is_there_any_more(tmp_path):
    with lobby(tmp_path, "--port", "0", "--json", "--linger", "2") as process:
        said = announced(process)
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{said['url']}/ws", protocols=[limits.SUBPROTOCOL]) as peer,
        ):
            hello = Hello(nonce=bytes(32), protocol=limits.PROTOCOL_VERSION, program=SafeText("test"))
            await peer.send_bytes(codec.encode(hello))
            await peer.receive_bytes(timeout=PATIENCE_S)
            assert process.poll() is None
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "65536"],
        ["--port", "-1"],
        ["--port", "x"],
        ["--linger", "0"],
        ["--linger", "inf"],
        ["--linger", "nan"],
        ["--public-url", "race.example"],
        ["--public-url", "ftp://race.example"],
        ["--public-url", "https://race.example/#x"],
        ["482913"],
    ],
)
def test_arguments_that_make_no_sense_are_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.parser().parse_args(arguments)
    assert stop.value.code == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("{}", DealOptions()),
        (json.dumps({"seed": "ab" * 32}), DealOptions(seed=b"\xab" * 32)),
        ('{"chain_length": 8}', DealOptions(chain_length=8)),
        ('{"windows": {"away_ms": 1000}}', DealOptions(windows=Windows(away_ms=1_000))),
    ],
)
def test_a_demo_may_have_its_races_dealt_differently(text, options):
    assert cli.parser().parse_args(["--deal", text]).deal == options


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "no race can be dealt like this"),
        ("[]", "a Deal is a JSON object"),
        ('{"sead": ""}', "a Deal has no 'sead'; there are: seed, windows, chain_length"),
        ('{"windows": []}', "windows is a JSON object"),
        ('{"windows": {"away": 1}}', "windows has no 'away'; there are: countdown_ms"),
        ('{"windows": {"away_ms": 1.5}}', "Expected `int`, got `float`"),
        ('{"windows": {"away_ms": -1}}', "no race can be dealt like this"),
        ('{"windows": {"away_ms": 4294967296}}', "no race can be dealt like this"),
        ('{"windows": {"moves_per_s": 0}}', "windows no race can have"),
        ('{"windows": {"offers_max": 8}}', "windows no race can have"),
        ('{"chain_length": 0}', "chain length"),
        ('{"chain_length": 16385}', "chain length"),
        ('{"chain_length": true}', "Expected `int`, got `bool`"),
        ('{"seed": 7}', "a seed is 32 bytes in hex"),
        ('{"seed": "ab"}', "a seed is 32 bytes in hex"),
        ('{"seed": "fox"}', "a seed is 32 bytes in hex"),
    ],
)
def test_a_deal_that_no_race_can_have_is_usage(text, told, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.parser().parse_args(["--deal", text])
    assert stop.value.code == 2
    assert told in capsys.readouterr().err


def test_a_public_address_is_kept_without_its_last_slash():
    options = cli.parser().parse_args(["--public-url", "https://race.example/lobby/"])
    assert options.public_url == "https://race.example/lobby"


def test_without_arguments_it_listens_to_the_whole_network_on_the_usual_port():
    options = cli.parser().parse_args([])
    assert (options.bind, options.port, options.public_url, options.linger) == ("0.0.0.0", None, "", None)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "many"], "a port is a number from 0 to 65535"),
        (["--linger", "long"], "seconds are a number above 0"),
    ],
)
def test_what_is_no_number_is_told_what_it_should_be(arguments, told, capsys):
    with pytest.raises(SystemExit):
        cli.parser().parse_args(arguments)
    assert told in capsys.readouterr().err


def test_ctrl_c_while_it_starts_is_no_traceback(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("lobby", run_name="__main__")
    assert stop.value.code == 130


def test_help_comes_without_the_heavy_imports():
    code = "import sys, lobby.cli; lobby.cli.parser().format_help(); print([n for n in HEAVY if n in sys.modules])"
    code = code.replace("HEAVY", "('aiohttp', 'asyncio', 'msgspec', 'nacl', 'platformdirs')")
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=PATIENCE_S)
    assert answer.stdout == b"[]\n"


# ── the database ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_two_lobbies_on_one_database_are_one_too_many(tmp_path):
    path = tmp_path / "here.db"
    with lobby(tmp_path, "--port", "0", "--json", "--database", str(path)) as first:
        announced(first)
        with lobby(tmp_path, "--port", "0", "--database", str(path)) as second:
            assert second.wait(PATIENCE_S) == 6
            assert f"another lobby is at work on the database {path}" in talk(second)
        assert ended(first) == 0


def test_lobbies_that_were_given_no_database_have_one_each(tmp_path):
    with lobby(tmp_path, "--port", "0", "--json") as first:
        announced(first)
        with lobby(tmp_path, "--port", "0", "--json") as second:
            announced(second)
            assert {path.name for path in tmp_path.glob("*.db")} == {"lobby.db", "lobby-2.db"}
            assert ended(second) == 0
        assert ended(first) == 0


def test_when_all_usual_databases_are_taken_it_stops(tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "DATABASES_TRIED", 1)
    store, _ = cli.database(None, tmp_path)
    with pytest.raises(cli.CannotStart, match="another lobby is at work") as stop:
        cli.database(None, tmp_path)
    assert stop.value.exit_code == 6
    store.close()


async def test_tables_that_come_back_may_become_garbage_later(tmp_path, monkeypatch):
    """What is there when garbage is first looked for is never looked at again."""
    seen = []

    async def start(server: Server, *_: object) -> None:
        seen.append(gc.get_freeze_count() > 0)
        server.over.set()

    monkeypatch.setattr(Server, "start", start)
    monkeypatch.setattr(sys, "setswitchinterval", lambda _: None)
    store, loaded = cli.database(None, tmp_path)
    with cli.listen("127.0.0.1", 0) as listener:
        assert await cli._run(cli.parser().parse_args([]), store, loaded, bytes(32), listener) == 0
    assert seen == [True]


@pytest.mark.parametrize("content", [b"no database" * 500, b"SQLite format 3\0" + bytes(5_000)])
def test_a_damaged_database_stops_it_and_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "lobby.db"
    path.write_bytes(content)
    with pytest.raises(cli.CannotStart, match="damaged") as stop:
        cli.database(None, tmp_path)
    assert stop.value.exit_code == 6
    assert path.read_bytes() == content
