"""What a damaged log leaves of a real race is a table as it once stood, to the byte: never one that never was."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from client.actions import Again
from engine.digest import digest
from lobby.entropy import Source
from lobby.events import Forget, Keep, Persist, SavedTable
from lobby.journal import rebuilt
from lobby.snapshot import frozen
from lobby.store import Store
from protocol.messages import Phase, TableSettings
from protocol.signing import Signer
from tests.lobby import damage
from tests.world import World

SIGNER = Signer(digest("test", b"lobby"))  # of a world's lobby
IMAGES = 200 if os.environ.get("RACE2048_LONG") else 40
COMMIT_ROWS, KEEP_EVERY = 5, 48  # rows


@Source
def no_entropy(size: int) -> bytes:
    raise AssertionError("a table that is built again draws what it drew before")


def stood(saved: SavedTable) -> bytes:
    """How the table stands that is built from this."""
    table, journal = rebuilt(saved, SIGNER, no_entropy)
    return frozen(table, journal.tap)


@pytest.fixture(scope="module")
def rows() -> tuple[bytes, ...]:
    """The journal of a table at which one race is over and another goes on."""
    world = World()
    host = world.host(TableSettings(target_exponent=5))
    guest = world.join(host, "owl", delay_ms=20)
    world.start(host, guest)
    world.press(guest, 150)
    world.finish(host, guest)
    world.act(host, Again())
    world.run_while(lambda: host.view(world).phase is not Phase.RACING)
    world.press(host, 120)
    world.press(guest, 110, "drul")
    world.run(2_000)
    return world.disk.saved(1, whole=True).rows


@pytest.fixture(scope="module")
def image(rows, tmp_path_factory) -> Path:
    """The database of a lobby that was killed: nothing of its log is in the file yet."""
    commits: list[list[Persist | Keep | Forget]] = []
    for place in range(1, len(rows) + 1):
        if place % COMMIT_ROWS == 1:
            commits.append([])
        commits[-1].append(Persist(1, place, rows[place - 1]))
        if place % KEEP_EVERY == 0:
            table, journal = rebuilt(SavedTable(1, 0, b"", rows[:place]), SIGNER, no_entropy)
            commits[-1].append(journal.keep(table))
    home, made = tmp_path_factory.mktemp("log"), tmp_path_factory.mktemp("image")
    return damage.written(home / "lobby.db", made, commits)


@pytest.mark.parametrize("seed", range(IMAGES))
def test_whatever_has_become_of_the_log_the_table_stands_as_it_stood_after_one_of_its_rows(rows, image, tmp_path, seed):
    for name in ("lobby.db", "lobby.db-wal"):
        shutil.copy(image / name, tmp_path / name)
    damage.damage(tmp_path / "lobby.db-wal", random.Random(seed))
    store = Store(tmp_path / "lobby.db")
    try:
        tables = store.load().tables
    finally:
        store.close()
    for saved in tables:
        last = saved.place + len(saved.rows)
        assert stood(saved) == stood(SavedTable(1, 0, b"", rows[:last]))


def test_the_undamaged_log_leads_to_the_last_row(rows, image, tmp_path):
    for name in ("lobby.db", "lobby.db-wal"):
        shutil.copy(image / name, tmp_path / name)
    store = Store(tmp_path / "lobby.db")
    try:
        (saved,) = store.load().tables
    finally:
        store.close()
    assert 0 < saved.place <= saved.place + len(saved.rows) == len(rows)
    assert stood(saved) == stood(SavedTable(1, 0, b"", rows))
