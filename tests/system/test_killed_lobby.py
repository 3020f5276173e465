"""A real lobby process that is killed with -9 under play, over and over: not one acknowledged move is lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys

import aiohttp

from lobby.cli import EXIT_FILE
from lobby.store import records
from protocol.record import Record
from protocol.verdict import verify_record
from tests.system.killing import PATIENCE_S, LobbyProcess, Player, seen, tables

LONG = "RACE2048_LONG" in os.environ
KILLS = 200 if LONG else 20
TABLES = 3


async def all_race(players: list[Player]) -> None:
    """Returns when everybody races again; says who does not."""
    try:
        await seen(lambda: all(player.racing for player in players))
    except AssertionError:
        states = [(p.view.line, p.view.phase, p.view.notice, p.session.ending, p.session.welcomes) for p in players]
        raise AssertionError(f"not everybody races again: {states}") from None


async def test_no_acknowledged_move_is_lost_however_often_the_lobby_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("client.session._BACK_OFF_MS", (50,))  # to be killed as often as possible in a minute
    dice = random.Random(2_048)
    lobby = LobbyProcess(tmp_path)
    await lobby.fork()
    pairs = await tables(lobby, TABLES)
    players = [player for pair in pairs for player in pair]
    try:
        for _ in range(KILLS):
            await asyncio.sleep(dice.uniform(0.05, 0.6))
            await lobby.end(signal.SIGKILL)
            await lobby.fork()
            await all_race(players)
            assert [player.session.lost for player in players] == [0] * len(players)
        for _, guest in pairs:
            guest.resign()
        await seen(lambda: all(player.view.check is not None for player in players))
    finally:
        for player in players:
            await player.stop()
        await lobby.close()
    assert [player.session.ending for player in players] == [""] * len(players)
    for player in players:
        check = player.view.check
        assert check is not None
        assert check.ok, check
    kept = records(tmp_path / "lobby.db")
    assert len(kept) == TABLES
    for stored in kept:
        verdict = verify_record(stored.record)
        assert verdict.ok, verdict.reason
        assert min(len(log.directions) for log in Record.parse(stored.record).logs) > KILLS
    assert min(player.session.welcomes for player in players) > KILLS


async def test_a_lobby_that_is_asked_to_stop_says_so_ends_in_five_seconds_and_the_race_goes_on(tmp_path):
    lobby = LobbyProcess(tmp_path)
    await lobby.start()
    pairs = await tables(lobby, 1)
    players = list(pairs[0])
    loop = asyncio.get_running_loop()
    try:
        begin = loop.time()
        os.kill(lobby.pid, signal.SIGTERM)
        await seen(lambda: all(player.session.told == "draining" for player in players), 5)
        assert lobby.process is not None
        assert await lobby.process.wait() == 0
        assert loop.time() - begin < 5
        await lobby.start()
        await seen(lambda: all(player.racing for player in players))
        assert [player.session.lost for player in players] == [0, 0]
    finally:
        for player in players:
            await player.stop()
        await lobby.close()


async def test_a_lobby_whose_disk_is_full_says_so_goes_and_loses_nothing(tmp_path):
    lobby = LobbyProcess(tmp_path)
    await lobby.start(file_bytes=150_000)  # the system lets its files grow no further
    pairs = await tables(lobby, 1)
    players = list(pairs[0])
    loop = asyncio.get_running_loop()
    try:
        await seen(lambda: all(player.session.told == "disk" for player in players))
        begin = loop.time()
        assert lobby.process is not None
        assert await lobby.process.wait() == EXIT_FILE
        assert loop.time() - begin < 10
        assert "could not be written any more" in lobby.complaints
        await lobby.start()
        await seen(lambda: all(player.racing for player in players))
        players[1].resign()
        await seen(lambda: all(player.view.check is not None for player in players))
        assert [player.session.lost for player in players] == [0, 0]
        assert all(player.view.check is not None and player.view.check.ok for player in players)
    finally:
        for player in players:
            await player.stop()
        await lobby.close()


def test_a_demo_races_on_a_lobby_that_is_running(tmp_path):
    environment = os.environ | {"RACE2048_DATA": str(tmp_path / "mine")}
    command = [sys.executable, "-P", "-m", "lobby", "--json", "--bind", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        [*command, "--data-dir", str(tmp_path / "lobby")], stdout=subprocess.PIPE, text=True
    ) as lobby:
        try:
            assert lobby.stdout is not None
            url = json.loads(lobby.stdout.readline())["url"]
            demo = [sys.executable, "-m", "client.cli", "demo", "--players", "2", "--target", "64", "--lobby", url]
            done = subprocess.run(
                demo, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")
            assert "Verified: " in done.stdout
        finally:
            lobby.terminate()
    assert [stored.whole for stored in records(tmp_path / "lobby" / "lobby.db")] == [True]
    refused = subprocess.run([*demo, "--seed", "x"], env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "Leave out --seed or --lobby" in refused.stderr


def test_a_demo_at_a_lobby_whose_disk_is_nearly_full_says_so_and_ends(tmp_path):
    environment = os.environ | {"RACE2048_DATA": str(tmp_path / "mine")}
    crowded = "from lobby import cli, holding; holding.SPACE_BYTES_MIN = 1 << 60; raise SystemExit(cli.main())"
    command = [sys.executable, "-c", crowded, "--json", "--bind", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*command, "--data-dir", str(tmp_path)], stdout=subprocess.PIPE, text=True) as lobby:
        try:
            assert lobby.stdout is not None
            url = json.loads(lobby.stdout.readline())["url"]
            demo = [sys.executable, "-m", "client.cli", "demo", "--players", "2", "--lobby", url]
            done = subprocess.run(
                demo, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
        finally:
            lobby.terminate()
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert "no new race starts" in done.stderr


async def metrics(lobby: LobbyProcess) -> str:
    async with aiohttp.ClientSession() as http, http.get(f"{lobby.url}/metrics") as answer:
        return await answer.text()


async def test_a_demo_whose_lobby_is_killed_in_the_countdown_starts_its_race_again(tmp_path):
    slow = ["--deal", json.dumps({"windows": {"countdown_ms": 10_000}}), "--metrics", "127.0.0.1"]
    lobby = LobbyProcess(tmp_path, *slow)
    await lobby.start()
    command = ["-m", "client.cli", "demo", "--players", "2", "--target", "64", "--lobby", lobby.url]
    demo = await asyncio.create_subprocess_exec(
        sys.executable, *command, env=os.environ | {"RACE2048_DATA": str(tmp_path / "mine")},
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE_S):
            page = ""
            while 'race2048_tables{phase="countdown"} 1.0' not in page:
                await asyncio.sleep(0.05)
                page = await metrics(lobby)
        await lobby.end(signal.SIGKILL)
        await lobby.start()
        talk = asyncio.ensure_future(demo.communicate())
        done, _ = await asyncio.wait({talk}, timeout=2 * PATIENCE_S)
        assert done, f"the demo does not end: {lobby.complaints}\n{await metrics(lobby)}"
        said, _ = talk.result()
    finally:
        if demo.returncode is None:
            demo.kill()
            await demo.wait()
        await lobby.close()
    assert b"Verified: " in said
