"""The command line: start-up, usage, and every way in which somebody cannot join (ux.md §1)."""

import asyncio
import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from aiohttp import web

from client import cli
from client.cli import exits, screen, standings, table
from client.language import in_fours
from client.link import parse_link
from client.lobbies import note_lobby, read_lobbies
from client.tui.canvas import columns_of
from engine.race import Kind, Outcome, SeatState, Termination
from protocol import codec, messages
from protocol.deal import settings_fault
from protocol.handshake import challenge_body
from protocol.limits import PROTOCOL_VERSION, SUBPROTOCOL
from protocol.messages import Phase, TableSettings
from protocol.movelog import Act
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, fingerprint
from protocol.text import SafeText
from tests.client.pictures_of import SEATS, view
from tests.protocol.races import (
    LOBBY,
    MadeRace,
    all_stuck_race,
    drawn_race,
    forfeited_race,
    resigned_race,
    secret,
    target_race,
    timed_race,
)

RUN = [sys.executable, "-m", "client.cli"]
PATIENCE_S = 30
FULL = Path("/dev/full")
HEAVY = {
    "aiohttp",
    "argparse",
    "dataclasses",
    "typing",
    "pathlib",
    "tomllib",
    "asyncio",
    "msgspec",
    "nacl",
    "platformdirs",
    "prompt_toolkit",
    "segno",
    "zeroconf",
    "engine",
    "protocol",
}
PIN = "7q4k2m9xb3hd5s8t"


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A data directory of its own, also for the processes that are started."""
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


async def race2048(*words, until=b"", then=b"", run=RUN):
    """Runs the command line in a process; returns exit code, stdout and stderr.

    Once it has written a line with `until`, it is told `then`.
    """
    process = await asyncio.create_subprocess_exec(
        *run, *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    lines = b""
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            while until not in lines and (line := await process.stdout.readline()):
                lines += line
            out, err = await process.communicate(then)
            out = lines + out
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, out.decode(), err.decode()


class Hosted:
    """A table with two seats, both taken: by a host on lines and by a computer player."""

    def __init__(self, data):
        self.process = subprocess.Popen(
            [*RUN, "host", "--plain", "--players", "2", "--bots", "1", "--port", "0", "--name", "fox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"RACE2048_DATA": str(data)},
        )
        self.said = ""
        self.hear("sits down")
        links = re.findall(r"http://\S+", self.said)
        self.join, self.watch = parse_link(links[0]), parse_link(links[1])
        assert self.join.lobby is not None
        self.address = f"127.0.0.1:{self.join.lobby.port}"

    def hear(self, text):
        assert self.process.stdout is not None
        limit = threading.Timer(PATIENCE_S, self.process.kill)
        limit.start()
        while text not in self.said and (line := self.process.stdout.readline()):
            self.said += line
        limit.cancel()
        assert text in self.said

    def close(self):
        self.process.communicate("leave\n", timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    hosted = Hosted(tmp_path_factory.mktemp("hosted"))
    yield hosted
    hosted.close()
    assert hosted.process.returncode == 0


@pytest.fixture
async def serve():
    """Returns a function that serves a handler at /ws and returns the address."""
    runners = []

    async def start(handler):
        application = web.Application()
        application.router.add_get("/ws", handler)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        runners.append(runner)
        await runner.setup()
        listener = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(runner, listener).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for runner in runners:
        await runner.cleanup()


# ── start-up and usage ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["nonsense"], []])
def test_what_only_prints_a_few_lines_imports_nothing_heavy(words):
    code = f"import sys\nfrom client.cli import main\ntry:\n    main({words!r})\nfinally:\n    print(*sys.modules)"
    usual = {name: value for name, value in os.environ.items() if not name.startswith("RACE2048_")}
    done = subprocess.run([sys.executable, "-S", "-c", code], env=usual, capture_output=True, text=True, check=False)
    loaded = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "client" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize(
    "module",
    ["client.cli.host", "client.cli.join", "client.cli.watch", "client.cli.verify", "client.cli.nearby"],
)
def test_a_command_is_imported_without_what_it_needs_only_later(module):
    code = f"import sys, {module}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    later = {"aiohttp", "prompt_toolkit", "segno", "zeroconf"} | ({"asyncio"} if module.endswith("verify") else set())
    assert later & set(done.stdout.split()) == set()


def test_lines_without_a_screen_do_not_pay_for_one():
    code = "import sys, client.cli.screen as s, client.plain\ns.screen_for(R, join='', watch='', preferences=P)"
    runner = "from client.config import Preferences\nR = type('R', (), {'view': None, 'act': None})"
    runner = f"{runner}\nP = Preferences(plain=True)"
    program = f"{runner}\n{code}\nprint('prompt_toolkit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_everything_is_imported_with_stdin_closed():
    """Field report SA1."""
    names = ", ".join(f"client.cli.{name}" for name in cli.COMMANDS)
    code = f"import client.tui.app, client.plain, {names}"
    done = subprocess.run(["sh", "-c", '"$0" -c "$1" <&-', sys.executable, code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_version_is_that_of_the_package(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"race2048 {metadata.version('race2048')}\n"


@pytest.mark.parametrize("words", [["-v", "--version"], ["host", "--version"], ["--plain", "--version", "host"]])
def test_the_version_is_told_wherever_it_is_asked_for(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{cli.PROGRAM}\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_lacks_a_character_is_shown_something_else(encoding):
    process = subprocess.run(
        [*RUN, "--help"],
        env=os.environ | {"PYTHONIOENCODING": f"{encoding}:strict"},
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, b"")
    assert ("COMMAND …" if encoding == "utf-8" else "COMMAND .") in process.stdout.decode(encoding)


def test_a_seed_that_is_no_text_is_usage(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["demo", "--seed", "\udcff"])
    assert stop.value.code == 2
    assert "UTF-8" in capsys.readouterr().err


def test_help_lists_every_command_and_every_exit_code(capsys):
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    codes = [value for name, value in vars(exits).items() if name.isupper()]
    assert [name for name in cli.COMMANDS if not re.search(rf"^.{{16,}}\b{name}\b", shown, re.MULTILINE)] == []
    assert [code for code in codes if not re.search(rf"(  |: ){code} [a-z]", shown)] == []


@pytest.mark.parametrize("command", sorted(cli.COMMANDS.keys() - {"lobby"}))
def test_every_command_has_help_that_fits_a_screen(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    shown = capsys.readouterr().out.splitlines()
    assert ended.value.code == 0
    assert f"race2048 {command}" in shown[0]
    assert len(shown) <= 24
    assert [line for line in shown if columns_of(line) > 79] == []


def test_without_a_command_the_help_is_shown(capsys):
    assert cli.main([]) == 2
    assert "race2048 [COMMAND" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "meant"), [("hots", "host"), ("vreify", "verify"), ("xyzzy", "--help")])
def test_an_unknown_command_gets_a_hint(typed, meant, capsys):
    assert cli.main([typed]) == 2
    assert meant in capsys.readouterr().err


def failing(monkeypatch, error):
    def run(_):
        raise error

    monkeypatch.setattr("client.cli.verify.run", run)


def test_a_bug_is_owned_up_to_without_a_traceback(monkeypatch, capsys):
    failing(monkeypatch, LookupError("seat 9"))
    assert cli.main(["verify", "x"]) == 70
    said = capsys.readouterr().err
    assert "bug: LookupError: seat 9" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("words", [["-v", "verify", "x"], ["verify", "x", "-v"]])
def test_with_v_a_bug_says_where_it_happened(words, monkeypatch, capsys):
    failing(monkeypatch, LookupError("seat 9"))
    assert cli.main(words) == 70
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_is_no_bug(monkeypatch, capsys):
    failing(monkeypatch, KeyboardInterrupt())
    assert cli.main(["verify", "x"]) == 130
    assert capsys.readouterr().err == ""


def test_a_reader_who_goes_away_is_no_bug(tmp_path):
    record = tmp_path / "race.r2048"
    record.write_bytes(target_race().record())
    line = f"{sys.executable} -m client.cli verify {' '.join([str(record)] * 400)} | head -1"
    done = subprocess.run(["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) in ((141, b""), (0, b""))


@pytest.mark.parametrize("command", [["host"], ["join", "127.0.0.1/t/482913"], ["watch", "127.0.0.1/t/482913"]])
async def test_without_a_terminal_the_way_without_a_screen_is_shown(command):
    code, out, err = await race2048(*command)
    assert (code, out) == (2, "")
    assert "not a terminal" in err
    assert f"race2048 {command[0]} --plain" in err


def test_a_terminal_that_cannot_place_text_is_told_of_the_way_without_a_screen(monkeypatch):
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr(sys, "stdout", sys.stdin)
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(exits.Failure, match="race2048 join --plain") as failed:
        screen.need_terminal("join")
    assert failed.value.exit_code == 2


def test_with_stdin_closed_it_is_no_terminal_either():
    done = subprocess.run(["sh", "-c", f"{' '.join(RUN)} host <&-"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "not a terminal" in done.stderr


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--target", "100"], "power of two"),
        (["--target", "4"], "power of two"),
        (["--size", "3", "--target", "2048"], "3×3"),
        (["--players", "2", "--bots", "2"], "no seat for you"),
        (["--kind", "timed", "--target", "64"], "no --target"),
        (["--kind", "target", "--time", "3m"], "no --time"),
        (["--time", "3m", "--idle", "1m"], "no --idle"),
        (["--lobby", "lobby.example", "--port", "2048"], "--port"),
        (["--lobby", "lobby.example", "--public-url", "http://me.example"], "--public-url"),
        (["--public-url", "ftp://me.example"], "neither a link"),
        (["--lobby", "ftp://lobby.example"], "neither a link"),
        (["--name", "evil\u202ename"], "--name"),
    ],
)
def test_settings_that_no_table_can_have_are_refused_at_once(options, hint, capsys):
    assert cli.main(["host", "--plain", *options]) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--size", "7"],
        ["--players", "5"],
        ["--bots", "4"],
        ["--kind", "solo"],
        ["--time", "30s"],
        ["--time", "3"],
        ["--time", "61m"],
        ["--idle", "never"],
        ["--idle", "5s"],
    ],
)
def test_values_that_do_not_exist_are_refused(options):
    with pytest.raises(SystemExit) as ended:
        cli.main(["host", *options])
    assert ended.value.code == 2


@pytest.mark.parametrize("pace", ["0", "36", "nan", "fast"])
def test_a_pace_that_no_lobby_takes_is_refused(pace):
    with pytest.raises(SystemExit) as ended:
        cli.main(["bot", "h/t/482913", "--pace", pace])
    assert ended.value.code == 2


@pytest.mark.parametrize("size", ["3", "4", "5", "6", "8"])
def test_every_board_has_a_usual_target(size):
    options = cli.parser_of("host").parse_args(["--size", size])
    assert table.settings_of(options).target_exponent == {3: 8, 4: 11, 5: 12, 6: 12, 8: 13}[int(size)]


def settings_of(*words):
    return table.settings_of(cli.parser_of("host").parse_args(words))


def test_what_is_raced_for_is_chosen_with_options():
    timed = settings_of("--kind", "timed", "--time", "90s", "--size", "5")
    assert (timed.kind, timed.time_ms, timed.target_exponent, timed.idle_ms) == (Kind.TIMED, 90_000, 0, 0)
    endless = settings_of("--kind", "endless", "--idle", "off", "--strict")
    assert (endless.kind, endless.target_exponent, endless.idle_ms, endless.lead) == (Kind.ENDLESS, 0, 0, 16)
    assert settings_of() == TableSettings()
    assert settings_of("--idle", "1m").idle_ms == 60_000


def test_a_time_means_a_timed_race_and_a_timed_race_has_a_usual_time():
    assert settings_of("--time", "5m") == settings_of("--kind", "timed", "--time", "5m")
    assert settings_of("--kind", "timed").time_ms == 180_000


@pytest.mark.parametrize("words", [[], ["--kind", "timed"], ["--kind", "endless"], ["--time", "1m", "--strict"]])
@pytest.mark.parametrize("size", ["3", "8"])
def test_whatever_the_options_say_is_something_that_a_table_can_have(words, size):
    assert settings_fault(settings_of("--size", size, *words)) is None


def test_a_demo_may_ring_sooner_and_leaves_a_target_where_there_is_none():
    options = cli.parser_of("demo").parse_args(["--time", "5s"])
    settings = table.settings_of(options)
    assert (settings.time_ms, settings.target_exponent) == (5_000, 0)


async def test_a_locked_table_seats_the_computer_players_of_its_host_and_nobody_else(data):
    host = await asyncio.create_subprocess_exec(
        *RUN, "host", "--plain", "--lock", "--bots", "1", "--port", "0", "--bind", "127.0.0.1",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert host.stdout is not None
    said = b""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while b"locked" not in said:
                said += await host.stdout.readline()
            link = re.findall(rb"http://\S+", said)[0].decode()
            code, _, err = await race2048("join", link, "--plain", until=b"has locked", then=b"leave\n")
            rest, _ = await host.communicate(b"leave\n")
    finally:
        if host.returncode is None:
            host.kill()
            await host.wait()
    assert (code, host.returncode) == (4, 0)
    assert "The host has locked the table." in err
    assert b"(computer) sits down." in said + rest


def test_a_loop_that_takes_no_signal_handlers_is_no_hindrance(monkeypatch, capsys):
    """Field report A20."""

    def refuse(*_):
        raise NotImplementedError

    monkeypatch.setattr(asyncio.SelectorEventLoop, "add_signal_handler", refuse)
    assert cli.main(["join", f"127.0.0.1:{unused_port()}/t/482913", "--plain"]) == 3
    assert "cannot be reached" in capsys.readouterr().err


def test_an_unusable_data_directory_is_named_with_what_to_do(data, capsys):
    data.write_text("a file where a directory belongs")
    assert cli.main(["join", "127.0.0.1:1/t/482913", "--plain"]) == 6
    said = capsys.readouterr().err
    assert str(data) in said
    assert "RACE2048_DATA" in said


# ── cannot join ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["482-913"], "482913 ADDRESS"),
        (["48291"], "six digits"),
        (["192.168.1.23"], "CODE http://192.168.1.23:2048"),
        (["http://127.0.0.1:23481"], "CODE http://127.0.0.1:23481"),
        (["http://192.168.1.23:2048/x/482913"], "neither a link"),
        (["192.168.1.23:99999/t/482913"], "port"),
        ([f"192.168.1.23/t/482913#{PIN[:-3]}"], "cut off"),
        (["482-913", "h", "g"], "one too many"),
    ],
)
def test_what_names_no_table_is_explained(words, hint, capsys):
    assert cli.main(["join", *words, "--plain"]) == 2
    assert hint in capsys.readouterr().err


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


async def test_an_unreachable_host_is_said_with_our_version():
    code, _, err = await race2048("join", f"localhost:{unused_port()}/t/482913", "--plain")
    assert code == 3
    assert "cannot be reached" in err
    assert f"race2048 {metadata.version('race2048')}, protocol {PROTOCOL_VERSION}" in err


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
async def test_a_link_to_ones_own_computer_from_a_friend_is_explained(host):
    code, _, err = await race2048("join", f"{host}:{unused_port()}/t/482913", "--plain")
    assert code == 3
    assert f"{host} means this computer itself" in err


async def test_a_web_page_is_no_lobby(serve):
    async def page(_):
        return web.Response(text="<h1>It works!</h1>", content_type="text/html")

    code, _, err = await race2048("join", f"{await serve(page)}/t/482913", "--plain")
    assert code == 3
    assert "not a lobby" in err


async def test_a_lobby_of_another_protocol_is_a_matter_of_versions(serve):
    async def refuse(_):
        return web.Response(status=426, text="This lobby speaks race2048.9.")

    code, _, err = await race2048("join", f"{await serve(refuse)}/t/482913", "--plain")
    assert code == 5
    assert "another version" in err
    assert f"protocol {PROTOCOL_VERSION}" in err


async def test_with_a_lobby_of_another_version_both_versions_are_told(serve):
    async def greet(request):
        ws = web.WebSocketResponse(protocols=(SUBPROTOCOL,))
        await ws.prepare(request)
        hello = codec.decode_from_client((await ws.receive()).data)
        assert isinstance(hello, messages.Hello)
        lobby, nonce = Signer(bytes(32)), bytes(32)
        signature = lobby.sign("challenge", NO_CONTEXT, challenge_body(hello.nonce, nonce, 9))
        await ws.send_bytes(codec.encode(messages.Challenge(nonce, lobby.key, signature, 9, SafeText("race2048 7.0"))))
        await ws.close(code=1008, message=Refusal.VERSION.encode())
        return ws

    code, _, err = await race2048("join", f"{await serve(greet)}/t/482913", "--plain")
    assert code == 5
    assert f"race2048 {metadata.version('race2048')}, protocol {PROTOCOL_VERSION}" in err
    assert "race2048 7.0, protocol 9" in err


async def test_an_unknown_code_is_refused(hosted):
    wrong = f"{(int(hosted.join.code) + 1) % 1_000_000:06d}"
    code, _, err = await race2048("join", wrong, hosted.address, "--plain")
    assert code == 4
    assert "no table with this code" in err


async def test_a_full_table_is_watched_instead_and_told_by_the_exit_code(hosted):
    code, out, err = await race2048(
        "join", hosted.join.code, hosted.address, "--plain", until=b"taken", then=b"leave\n"
    )
    assert code == 4
    assert "All seats are taken." in err
    assert "fox" in out


async def test_a_lobby_with_another_key_than_the_link_says_is_not_played_at(hosted):
    code, _, err = await race2048("join", f"{hosted.address}/t/{hosted.join.code}#{PIN}", "--plain")
    assert code == 1
    assert "not the lobby that the link names" in err
    assert "Do not play there" in err


async def test_a_watch_link_is_watched_even_with_join(hosted):
    link = f"{hosted.address}/w/{hosted.watch.code}"
    code, _, err = await race2048("join", link, "--plain", until=b"fox", then=b"leave\n")
    assert code == 0
    assert "for watching only" in err


async def test_a_bot_that_finds_no_seat_says_so(hosted):
    code, _, err = await race2048("bot", hosted.join.code, hosted.address)
    assert code == 4
    assert "All seats are taken." in err


async def test_a_port_that_is_taken_stops_who_asked_for_it():
    with socket.create_server(("0.0.0.0", 0)) as other:
        port = str(other.getsockname()[1])
        code, out, err = await race2048("host", "--plain", "--port", port)
    assert (code, out) == (3, "")
    assert f"{port}" in err
    assert "taken" in err


async def test_a_host_whose_own_lobby_cannot_be_reached_is_told():
    code, _, err = await race2048("host", "--plain", "--lobby", f"localhost:{unused_port()}")
    assert code == 3
    assert "cannot be reached" in err


# ── lobbies that were met ────────────────────────────────────────────────────────────────────────────────────────

KNOWN = Signer(b"k" * 32)
NAME = "lobby.test"  # another computer, as far as anybody can tell
# Runs the command line where that name is this computer's.
NAMED = f"""
import socket, sys
real = socket.getaddrinfo
def named(host, *args, **kwargs):
    return real("127.0.0.1" if host == "{NAME}" else host, *args, **kwargs)
socket.getaddrinfo = named
from client.cli import main
sys.exit(main())
"""


async def away(*words, **how):
    """Runs the command line on another computer than the lobby's."""
    return await race2048(*words, run=[sys.executable, "-c", NAMED], **how)


@pytest.fixture
async def fake(serve):
    """A lobby that proves a key and knows no table; returns its port on this computer."""

    async def greet(request):
        ws = web.WebSocketResponse(protocols=(SUBPROTOCOL,))
        await ws.prepare(request)
        hello = codec.decode_from_client((await ws.receive()).data)
        assert isinstance(hello, messages.Hello)
        lobby, nonce = Signer(bytes(32)), bytes(32)
        signature = lobby.sign("challenge", NO_CONTEXT, challenge_body(hello.nonce, nonce, PROTOCOL_VERSION))
        challenge = messages.Challenge(nonce, lobby.key, signature, PROTOCOL_VERSION, SafeText("race2048 7.0"))
        await ws.send_bytes(codec.encode(challenge))
        await ws.receive()
        await ws.receive()
        await ws.close(code=1008, message=Refusal.NO_TABLE.encode())
        return ws

    return (await serve(greet)).rpartition(":")[2]


def remembered(data):
    return {known.key: known.addresses for known in read_lobbies(data).values()}


async def test_a_lobby_is_remembered_by_its_key(fake, data):
    address = f"{NAME}:{fake}"
    _, _, err = await away("join", f"{address}/t/482913", "--plain")
    assert "WARNING" not in err
    assert remembered(data) == {Signer(bytes(32)).key: (address,)}


async def test_a_lobby_with_another_key_than_before_is_warned_of_until_one_was_at_a_table_there(fake, data):
    address = f"{NAME}:{fake}"
    note_lobby(data, KNOWN.key, address)
    now, before = (in_fours(fingerprint(Signer(seed).key)) for seed in (bytes(32), b"k" * 32))
    code, _, err = await away("join", f"{address}/t/482913", "--plain")
    assert code == 4
    assert f"WARNING: the lobby at {address} had another key before." in err
    assert f"now:    {now}" in err
    assert f"before: {before}, last seen 20" in err
    assert "Ask the host" in err
    _, _, err = await away("join", f"{address}/t/482913", "--plain")
    assert "WARNING" in err, "nobody has sat down there: it may be anybody's"
    assert set(remembered(data)) == {KNOWN.key}


async def test_a_link_that_names_the_new_key_leaves_no_doubt(fake, data):
    address = f"{NAME}:{fake}"
    note_lobby(data, KNOWN.key, address)
    pin = fingerprint(Signer(bytes(32)).key)
    _, _, err = await away("join", f"{address}/t/482913#{pin}", "--plain")
    assert "WARNING" not in err
    assert len(remembered(data)) == 2


async def test_a_link_that_names_another_key_is_refused_and_nothing_is_remembered(fake, data):
    code, _, err = await away("join", f"{NAME}:{fake}/t/482913#{PIN}", "--plain")
    assert code == 1
    assert "not the lobby that the link names" in err
    assert remembered(data) == {}


async def test_on_this_computer_other_keys_are_no_surprise(fake, data):
    note_lobby(data, KNOWN.key, f"127.0.0.1:{fake}")
    _, _, err = await race2048("join", f"127.0.0.1:{fake}/t/482913", "--plain")
    assert "WARNING" not in err


async def test_a_table_opened_on_another_lobby_is_warned_of_too(fake, data):
    note_lobby(data, KNOWN.key, f"{NAME}:{fake}")
    _, _, err = await away("host", "--plain", "--lobby", f"{NAME}:{fake}")
    assert "had another key before" in err


async def test_a_damaged_list_of_lobbies_is_said_at_once_and_left_alone(fake, data):
    data.mkdir()
    (data / "lobbies.json").write_text("{")
    _, _, err = await away("join", f"{NAME}:{fake}/t/482913", "--plain")
    assert err.startswith("race2048: What is known of lobbies cannot be used:")
    assert err.count("lobbies.json") == 1
    assert (data / "lobbies.json").read_text() == "{"


async def test_a_lobby_that_cannot_be_remembered_is_said(fake, data):
    data.mkdir()
    (data / "lobbies.lock").mkdir()
    _, _, err = await away("join", f"{NAME}:{fake}/t/482913", "--plain")
    assert "What is known of lobbies cannot be used" in err


async def test_the_warning_stands_on_the_table_too(hosted, data):
    address = f"{NAME}:{hosted.join.lobby.port}"
    note_lobby(data, KNOWN.key, address)
    code, out, err = await away("watch", hosted.watch.code, address, "--plain", until=b"WARNING", then=b"leave\n")
    assert code == 0
    assert f"It is {in_fours(hosted.join.pin)} now." in out
    assert "had another key before" in err


async def test_an_own_lobby_keeps_its_key_and_is_remembered_as_ones_own(data):
    for _ in range(2):
        code, _, err = await race2048("host", "--plain", "--port", "0", until=b"by link", then=b"leave\n")
        assert (code, err) == (0, "")
    (known,) = read_lobbies(data).values()
    assert known.own
    assert len(known.addresses) == 2


# ── lobby ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_lobby_alone_says_where_it_listens_and_stops_on_term(data):
    process = await asyncio.create_subprocess_exec(
        *RUN, "lobby", "--port", "0", "--bind", "127.0.0.1", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    said = json.loads(await process.stdout.readline())
    assert said["url"].startswith("http://127.0.0.1:")
    assert said["pid"] == process.pid  # so a signal to us is a signal to it
    process.terminate()
    out, err = await process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"")


# ── verify ───────────────────────────────────────────────────────────────────────────────────────────────────────


LOBBY_IN_FOURS = in_fours(fingerprint(LOBBY.key))


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "race.r2048"
    path.write_bytes(target_race(computers=[1]).record())
    return path


RACE = target_race(computers=[1])
MOVES = [seat.moves for seat in RACE.results(RACE.outcome())]


def test_a_true_record_is_told_with_its_result(record, capsys):
    assert cli.main(["verify", str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{record}: true."
    assert lines[1] == "fox made 8 first (rules 4.2)."
    assert lines[2].startswith(f"  fox: {MOVES[0]} moves replayed, score and boards agree: ")
    assert lines[3].startswith(f"  owl (computer): {MOVES[1]} moves replayed, score and boards agree: ")
    assert lines[4] == "Its time limits or its deck are not the usual ones."  # the chain of tests is short
    assert lines[5] == f"Lobby {LOBBY_IN_FOURS}: never met from here. Ask who ran it whether that is its key."
    assert lines[6].startswith("On the lobby's word alone: when moves arrived")


def test_a_true_record_in_json(record, capsys):
    assert cli.main(["verify", "--json", str(record)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said) == {"race", "ok", "fault", "reason", "outcome", "seats", "seeded", "trusts", "lobby"}
    assert (said["ok"], said["reason"], said["seeded"]) == (True, "", False)
    assert said["outcome"] == {
        "termination": "target", "winners": [0], "t_ms": said["outcome"]["t_ms"], "clause": "4.2",
    }  # fmt: skip
    assert set(said["seats"][0]) == {
        "seat", "name", "score", "max_tile", "moves", "state", "computer", "unsealed",
    }  # fmt: skip
    assert [(seat["name"], seat["computer"], seat["unsealed"]) for seat in said["seats"]] == [
        ("fox", False, 0),
        ("owl", True, 0),
    ]
    assert said["seats"][0]["max_tile"] == 8
    assert said["trusts"] == ["times", "logs"]
    assert said["lobby"] == {"key": LOBBY.key.hex(), "fingerprint": fingerprint(LOBBY.key), "seen": None}


def test_decks_that_were_put_away_and_unusual_limits_are_told(tmp_path, capsys):
    race = MadeRace()
    race.deal = replace(race.deal, burnt=3)
    race.open()
    race.racers[0].play_to(3)
    race.racers[0].sign(Act.TARGET)
    path = tmp_path / "race.r2048"
    path.write_bytes(race.record())
    assert cli.main(["verify", str(path)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "3 decks were put away before it was dealt." in told
    assert "Its time limits or its deck are not the usual ones." in told  # the chain of tests is short
    assert cli.main(["verify", "--json", str(path)]) == 0
    said = json.loads(capsys.readouterr().out)["race"]
    assert (said["burnt"], said["unusual"], said["kind"], said["target"]) == (3, True, "target", 8)


def test_a_file_without_a_name_is_shown_as_such(capsys):
    assert cli.main(["verify", ""]) == exits.DAMAGED
    assert capsys.readouterr().err.startswith('"": unreadable or damaged: ')


@pytest.mark.skipif(not FULL.exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize("words", [("--version",), ("verify", "{record}"), ("rules",)])
def test_an_output_that_is_full_is_no_bug(record, words):
    command = [*RUN, *(word.format(record=record) for word in words)]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    told = "race2048: cannot write: No space left on device. Make room there, or write somewhere else.\n"
    assert (done.returncode, done.stderr) == (exits.DAMAGED, told)


def test_a_record_of_a_lobby_that_was_met_says_when_and_where(record, data, capsys):
    note_lobby(data, LOBBY.key, "192.168.1.23:2048")
    note_lobby(data, LOBBY.key, "lobby.example:2048")
    assert cli.main(["verify", str(record)]) == 0
    today = time.strftime("%Y-%m-%d")
    where = "192.168.1.23:2048, lobby.example:2048"
    met = f"Lobby {LOBBY_IN_FOURS}: met since {today}, last on {today}, at {where}."
    assert met in capsys.readouterr().out.splitlines()
    assert cli.main(["verify", "--json", str(record)]) == 0
    seen = json.loads(capsys.readouterr().out)["lobby"]["seen"]
    assert seen == {
        "first_s": seen["first_s"], "last_s": seen["last_s"], "own": False,
        "addresses": ["192.168.1.23:2048", "lobby.example:2048"],
    }  # fmt: skip


def test_a_record_of_the_own_lobby_says_so(record, data, capsys):
    note_lobby(data, LOBBY.key, "127.0.0.1:2048", own=True)
    assert cli.main(["verify", str(record)]) == 0
    assert f"Lobby {LOBBY_IN_FOURS}: your own." in capsys.readouterr().out.splitlines()


def test_a_damaged_list_of_lobbies_keeps_no_record_from_being_true(record, data, capsys):
    data.mkdir()
    (data / "lobbies.json").write_text("{")
    assert cli.main(["verify", str(record)]) == 0
    assert "What is known of lobbies cannot be used" in capsys.readouterr().out
    assert cli.main(["verify", "--json", str(record)]) == 0
    lobby = json.loads(capsys.readouterr().out)["lobby"]
    assert lobby["seen"] is None
    assert "lobbies.json" in lobby["trouble"]


def written(tmp_path, race):
    path = tmp_path / "race.r2048"
    path.write_bytes(race.record())
    return str(path)


def test_a_seeded_record_is_true_and_says_that_its_deck_was_chosen(tmp_path, capsys):
    path = written(tmp_path, target_race(seed=secret("seed")))
    assert cli.main(["verify", path]) == 0
    said = capsys.readouterr().out
    assert f"{path}: true, BUT SEEDED." in said
    assert "could be known before the race" in said
    assert cli.main(["verify", "--json", path]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["ok"], said["seeded"]) == (True, True)
    assert "seeded" in said["trusts"]


@pytest.mark.parametrize(
    ("race", "told", "clause"),
    [
        (resigned_race, "fox is the only one left: owl resigned", "4.1"),
        (forfeited_race, "owl is the only one left: fox forfeited", "4.1"),
        (timed_race, "Time is up: ", "4.5"),
        (drawn_race, "A draw, agreed by all who were in the race", "4.8"),
        (all_stuck_race, "All stuck: ", "4.4"),
    ],
)
def test_each_ending_names_the_clause_that_made_it(race, told, clause, tmp_path, capsys):
    path = written(tmp_path, race())
    assert cli.main(["verify", path]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith(told)
    assert line.endswith(f" (rules {clause}).")
    assert cli.main(["verify", "--json", path]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"]["clause"] == clause


def test_moves_that_nobody_has_signed_are_counted(tmp_path, capsys):
    race = resigned_race()
    race.racers[0].play(2)
    path = written(tmp_path, race)
    assert cli.main(["verify", path]) == 0
    said = capsys.readouterr().out
    assert "; 2 not signed" in said
    assert "the last moves of a player who has not signed them" in said


def test_a_false_record_says_who_and_why(tmp_path, capsys):
    race = target_race()
    outcome = replace(race.outcome(), winners=(1,))
    path = tmp_path / "false.r2048"
    path.write_bytes(race.record(outcome=outcome))
    assert cli.main(["verify", "--json", str(path)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert not said["ok"]
    assert "won by 1" in said["reason"]
    assert (said["outcome"], said["seats"]) == (None, [])


def damaged(change):
    def damage(record):
        return change(record.read_bytes())

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        damaged(lambda data: data[:-1]),
        damaged(lambda data: data[:100]),
        damaged(lambda data: data + b"\0"),
        damaged(lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:]),
        damaged(lambda data: b""),
        damaged(lambda data: b"PNG and so on"),
        damaged(lambda data: bytes(5_000_000)),
    ],
    ids=["cut-off", "much-cut-off", "too-long", "changed", "empty", "foreign", "huge"],
)
def test_a_damaged_or_foreign_record_is_told_from_a_false_one(record, tmp_path, damage, capsys):
    path = tmp_path / "damaged.r2048"
    path.write_bytes(damage(record))
    assert cli.main(["verify", str(path)]) == 6
    assert "damaged" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["missing.r2048", ".", "pipe"])
def test_a_record_that_cannot_be_read_is_told(path, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    assert cli.main(["verify", str(tmp_path / path)]) == 6
    assert str(tmp_path / path) in capsys.readouterr().err


def test_of_several_records_the_worst_counts_and_each_has_its_line(record, tmp_path, capsys):
    assert cli.main(["verify", "--json", str(record), str(tmp_path / "missing")]) == 6
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["file"], line["ok"]) for line in lines] == [(str(record), True), (str(tmp_path / "missing"), False)]


def test_a_bad_file_among_good_ones_keeps_none_from_being_verified(record, tmp_path, capsys):
    race = target_race()
    lie, pipe = tmp_path / "false.r2048", tmp_path / "pipe"
    lie.write_bytes(race.record(outcome=replace(race.outcome(), winners=(1,))))
    os.mkfifo(pipe)
    files = [str(path) for path in (record, lie, pipe, tmp_path, record)]
    assert cli.main(["verify", *files]) == 1  # a false one counts more than what is none
    out, err = capsys.readouterr()
    assert out.count(f"{record}: true.") == 2
    assert [line.partition(": ")[0] for line in err.splitlines()] == [str(lie), str(pipe), str(tmp_path)]
    assert cli.main(["verify", str(record), str(lie), str(record)]) == 1


def test_quiet_says_it_with_the_exit_code_alone(record, tmp_path, capsys):
    assert cli.main(["verify", "-q", str(record)]) == 0
    assert cli.main(["verify", "-q", str(tmp_path / "missing")]) == 6
    assert capsys.readouterr() == ("", "")


# ── standings ────────────────────────────────────────────────────────────────────────────────────────────────────

RACING = view(Phase.RACING)
ENDED = replace(RACING, outcome=Outcome(Termination.TARGET, (0,), 83_000))


def test_standings_are_written_when_they_change_and_only_then():
    page = io.StringIO()
    lines = standings.Standings(page)
    for seen in (RACING, RACING, replace(RACING, clock_ms=84_000)):
        lines.show(seen)
    assert page.getvalue().count("fox") == 1
    assert page.getvalue().startswith("1:23  fox 20,412 (2048), racing")


def test_before_the_race_there_are_no_standings():
    page = io.StringIO()
    standings.Standings(page).show(view(Phase.SEATING))
    assert page.getvalue() == ""


def test_the_end_is_told_once():
    page = io.StringIO()
    lines = standings.Standings(page)
    for seen in (RACING, ENDED, ENDED):
        lines.show(seen)
    assert page.getvalue().count("made") == 1


def test_json_lines_hold_the_figures():
    page = io.StringIO()
    lines = standings.Standings(page, as_json=True)
    lines.show(ENDED)
    events = [json.loads(line) for line in page.getvalue().splitlines()]
    assert [event["event"] for event in events] == ["standings", "ended"]
    assert events[0]["seats"][2] == {
        "seat": 2, "name": "owl", "score": 9_004, "max_tile": 512, "moves": 301, "state": "stuck",
    }  # fmt: skip
    assert events[1]["outcome"] == {"termination": "target", "winners": [0], "t_ms": 83_000}


@pytest.mark.parametrize("away", [{"away_ms": 42_300}, {"connected": False}])
def test_json_tells_who_is_away_from_who_moves(away):
    page = io.StringIO()
    lines = standings.Standings(page, as_json=True)
    lines.show(replace(RACING, seats=(SEATS[0], replace(SEATS[1], **away))))
    lines.show(replace(RACING, seats=(SEATS[0], replace(SEATS[1], **away, score=30_000, state=SeatState.STUCK))))
    states = [[seat["state"] for seat in json.loads(line)["seats"]] for line in page.getvalue().splitlines()]
    assert states == [["moving", "away"], ["moving", "stuck"]]


def test_in_json_a_second_that_passes_is_no_news():
    page = io.StringIO()
    lines = standings.Standings(page, as_json=True)
    for left_ms in (42_300, 41_300):
        lines.show(replace(RACING, seats=(SEATS[0], replace(SEATS[1], away_ms=left_ms))))
    assert len(page.getvalue().splitlines()) == 1


async def test_a_failed_join_in_lines_says_why_once():
    code, out, err = await race2048("join", f"localhost:{unused_port()}/t/482913", "--plain")
    assert code == 3
    assert out == ""
    assert err.count("race2048:") == 1


def test_on_a_terminal_the_standings_are_painted_over():
    page = io.StringIO()
    lines = standings.Standings(page, live=True)
    lines.show(RACING)
    lines.show(replace(RACING, seats=RACING.seats[:2]))
    assert page.getvalue().count("\x1b[5F\x1b[J") == 1
