"""What a lobby says waits for the disk; and what it says when there is none any more."""

from __future__ import annotations

import asyncio
import logging
import shutil
import socket
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace

import aiohttp
import pytest

from lobby import holding, server
from lobby.events import (
    Archive,
    Close,
    Connected,
    Disconnected,
    DiskFailed,
    Drained,
    Effect,
    Persist,
    Quarantine,
    Received,
    Restored,
    SavedTable,
    Send,
    SpaceChanged,
)
from lobby.server import Server
from lobby.store import Alive, Store, Write, records
from lobby.times import LobbyTime
from protocol import codec
from protocol.messages import Drain, Leave, Ping, Refused, Welcome
from protocol.refusals import Refusal
from tests.lobby.test_server import LEAVE, PATIENCE_S, Rig, Script, closing, piece, said
from tests.lobby.test_store import read, rows_of
from tests.lobby.test_table import Tables


class Gate:
    """Commits wait for it while it is shut, and fail when it is broken."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()
        self.error: Exception | None = None

    def connection(self) -> type[sqlite3.Connection]:
        gate = self

        class Gated(sqlite3.Connection):
            def execute(self, sql, *parameters):
                if sql == "COMMIT":
                    assert gate.open.wait(PATIENCE_S)
                    if gate.error is not None:
                        raise gate.error
                return super().execute(sql, *parameters)

        return Gated


@asynccontextmanager
async def serving(core, tmp_path, gate, restored=None, **options):
    store = Store(tmp_path / "lobby.db", gate.connection())
    store.load()
    made = Server(core, store, crash=options.pop("crash", True), **options)

    listener = socket.create_server(("127.0.0.1", 0))
    await made.start(listener, restored)
    async with aiohttp.ClientSession() as session:
        rig = Rig(core, made, listener.getsockname()[1], session)
        try:
            yield rig
        finally:
            gate.open.set()
            async with asyncio.timeout(PATIENCE_S):
                await made.stop()


async def nothing_comes(peer) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await peer.receive()


async def test_what_follows_a_row_is_said_when_the_row_is_on_the_disk(tmp_path):
    core, gate = Script(), Gate()
    core.on(Received, Persist(1, 1, b"row"), Send((1,), piece(1)), Close(1, Refusal.CLOSED))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.open.clear()
        await peer.send_bytes(LEAVE)
        await core.hears(Received(1, Leave()))
        await nothing_comes(peer)
        gate.open.set()
        assert await said(peer) == piece(1)
        assert (await closing(peer))[1] == Refusal.CLOSED
    assert rows_of(tmp_path / "lobby.db") == {1: (0, b"", (b"row",))}


async def test_what_stands_before_a_row_does_not_wait_for_it(tmp_path):
    core, gate = Script(), Gate()
    core.on(Received, Send((1,), Ping(7)), Persist(1, 1, b"row"), Send((1,), piece(1)))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.open.clear()
        await peer.send_bytes(LEAVE)
        assert await said(peer) == Ping(7)
        await nothing_comes(peer)


async def test_a_ping_does_not_overtake_the_first_picture_of_a_table(tmp_path):
    core, gate = Script(), Gate()
    told = [effect.message for effect in Tables().effects if isinstance(effect, Send)]
    welcome = next(message for message in told if isinstance(message, Welcome))
    core.on(Received, Persist(1, 1, b"row"), Send((1,), welcome))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.open.clear()
        await peer.send_bytes(LEAVE)
        await core.hears(Received(1, Leave()))
        core.on(Received, Send((1,), Ping(7)))
        await peer.send_bytes(codec.encode(Ping(1)))
        await core.hears(Received(1, Ping(1)))
        gate.open.set()
        assert [type(await said(peer)) for _ in range(2)] == [Welcome, Ping]
        await peer.send_bytes(codec.encode(Ping(2)))
        assert await said(peer) == Ping(7)


async def test_while_the_disk_works_everybody_is_heard_and_the_order_is_kept(tmp_path):
    core, gate = Script(), Gate()
    place = iter(range(1, 100))

    def answer(event) -> list[Effect]:
        number = next(place)
        return [Persist(1, number, b"row"), Send((1, 2), piece(number))]

    core.answers[Received] = answer
    async with serving(core, tmp_path, gate) as rig:
        peers = [await rig.peer(), await rig.peer()]
        gate.open.clear()
        for stamp in range(3):
            for number, peer in enumerate(peers, 1):
                await peer.send_bytes(codec.encode(Ping(stamp)))
                await core.hears(Received(number, Ping(stamp)))
        gate.open.set()
        for peer in peers:
            assert [await said(peer) for _ in range(6)] == [piece(number) for number in range(1, 7)]


async def test_a_record_is_in_the_database_before_it_is_told_of(tmp_path):
    core, gate = Script(), Gate()
    core.on(Received, Archive("482913", 1, b"record"), Send((1,), piece(1)))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        assert await said(peer) == piece(1)
        assert [stored.record for stored in records(tmp_path / "lobby.db")] == [b"record"]


async def test_what_waits_is_said_before_a_lobby_goes_down(tmp_path):
    core, gate = Script(), Gate()
    core.on(Received, Persist(1, 1, b"row"), Send((1,), piece(1)))
    core.on(Drained, Send((1,), Drain()))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.open.clear()
        await peer.send_bytes(LEAVE)
        await core.hears(Received(1, Leave()))
        stopping = asyncio.create_task(rig.server.stop())
        assert await said(peer) == Drain()
        gate.open.set()
        assert await said(peer) == piece(1)
        assert (await closing(peer))[1] == Refusal.DRAINING
        await stopping


async def test_a_disk_that_hangs_keeps_no_lobby_from_going_down(tmp_path, caplog):
    core, gate = Script(), Gate()
    core.on(Received, Persist(1, 1, b"row"), Send((1,), piece(1)))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.open.clear()
        await peer.send_bytes(LEAVE)
        await core.hears(Received(1, Leave()))
        async with asyncio.timeout(5):
            await rig.server.stop()
        assert (await closing(peer))[1] == Refusal.DRAINING  # and not what the disk does not have
    assert "does not answer" in caplog.text


async def test_it_writes_down_every_second_that_it_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(holding, "BEAT_S", 0.05)
    core, gate, time = Script(), Gate(), LobbyTime(None)
    begin_ms = time.now_ms()
    async with serving(core, tmp_path, gate, time=time, epoch=12):
        await asyncio.sleep(0.4)
    alive = read(tmp_path / "lobby.db").alive
    assert alive is not None
    assert alive.epoch == 12
    assert begin_ms + 200 <= alive.moment.lobby_ms <= time.now_ms()


async def test_what_was_left_behind_is_the_first_thing_the_core_hears(tmp_path):
    core, gate = Script(), Gate()
    restored = Restored((SavedTable(1, 0, b"", (b"row",)),), 5, 1)
    async with serving(core, tmp_path, gate, restored) as rig:
        await rig.peer()
        assert core.heard == [restored, Connected(1, "127.0.0.1")]


async def test_a_lobby_says_that_it_is_there_no_sooner_than_its_absence_is_written_down(tmp_path, monkeypatch):
    """Worlds 9001628, 9002337: of one killed in between, the next would take the absence for time the players had."""
    written: list[type] = []
    submit = Store.submit

    def noted(self: Store, writes: Sequence[Write]) -> int:
        written.extend(map(type, writes))
        return submit(self, writes)

    monkeypatch.setattr(Store, "submit", noted)
    core, gate = Script(), Gate()
    core.on(Restored, Persist(1, 2, b"resumed"))
    async with serving(core, tmp_path, gate, Restored((SavedTable(1, 0, b"", (b"row",)),), 5, 1)) as rig:
        await rig.peer()
        assert written[:2] == [Persist, Alive]


async def test_a_table_that_fails_is_logged_and_kept_for_the_one_who_looks_for_the_bug(tmp_path, caplog):
    core, gate = Script(), Gate()
    core.on(Received, Persist(1, 1, b"row"), Quarantine(1, ZeroDivisionError("planted")), Send((1,), piece(1)))
    async with serving(core, tmp_path, gate, crash=False) as rig:
        peer = await rig.peer()
        await peer.send_bytes(LEAVE)
        assert await said(peer) == piece(1)
        assert not rig.server.over.is_set()
    assert "planted" in caplog.text
    assert rows_of(tmp_path / "lobby.db") == {}


# ── the disk fails ───────────────────────────────────────────────────────────────────────────────────────────────────


async def test_without_a_disk_nothing_is_acknowledged_all_are_told_and_the_lobby_goes_down(
    tmp_path, caplog, monkeypatch
):
    monkeypatch.setattr(server, "FAREWELL_S", 0.3)
    core, gate = Script(), Gate()
    core.on(Received, Persist(1, 1, b"row"), Send((1,), piece(1)))
    core.on(DiskFailed, Send((1,), Refused(Refusal.DISK)))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.error = sqlite3.OperationalError("disk I/O error")
        await peer.send_bytes(LEAVE)
        assert await said(peer) == Refused(Refusal.DISK)
        core.on(Received, Send((1,), piece(2)))  # it may still be asked for what there is
        await peer.send_bytes(LEAVE)
        assert await said(peer) == piece(2)
        core.on(Received, Persist(1, 2, b"row"), Send((1,), piece(3)))
        await peer.send_bytes(LEAVE)
        async with asyncio.timeout(PATIENCE_S):
            await rig.server.over.wait()
        stopping = asyncio.create_task(rig.server.stop())
        assert await closing(peer) == (aiohttp.WSCloseCode.GOING_AWAY, Refusal.DISK)
        await stopping
        assert rig.server.disk_error is gate.error
        assert core.heard.count(DiskFailed()) == 1
        assert Disconnected(1) in core.heard
    assert "disk I/O error" in caplog.text


async def test_the_core_is_told_when_the_disk_gets_full_and_when_it_has_room_again(tmp_path, monkeypatch, caplog):
    free = [100 << 20, 63 << 20, 62 << 20, 65 << 20]
    monkeypatch.setattr(holding, "BEAT_S", 0.02)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free.pop(0) if len(free) > 1 else free[0]))
    core, gate = Script(), Gate()
    with caplog.at_level(logging.WARNING):
        async with serving(core, tmp_path, gate):
            await core.hears(SpaceChanged(scarce=False))
            assert core.heard == [SpaceChanged(scarce=True), SpaceChanged(scarce=False)]
    assert caplog.text.count("nearly full") == 1


async def test_what_is_said_without_a_row_is_said_at_once(tmp_path):
    core, gate = Script(), Gate()
    core.on(Received, Send((1,), piece(1)))
    async with serving(core, tmp_path, gate) as rig:
        peer = await rig.peer()
        gate.open.clear()
        await peer.send_bytes(codec.encode(Leave()))
        assert await said(peer) == piece(1)
