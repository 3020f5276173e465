"""Lobbies that were met: trusted on first use, a surprise only where they should be, and never lost (issue 4)."""

import json
import os
import stat
import subprocess
import sys
import time

import pytest

from client import lobbies, locking
from client.link import LobbyAddress
from client.lobbies import Acquaintance, LobbiesError, day, expected_at, note_lobby, read_lobbies

LAN = LobbyAddress("192.168.1.23", 2048)
OLD, NEW, OWN = b"o" * 32, b"n" * 32, b"m" * 32
NOW_S = 1_764_500_000
NOTE = """
import sys
from pathlib import Path
from client.lobbies import note_lobby
for number in range(10):
    note_lobby(Path(sys.argv[1]), bytes([int(sys.argv[2]), number]) + bytes(30), "h:1")
"""
# Ends as kill -9 does in the n-th call of one function of `os`.
NOTE_AND_DIE = """
import os, signal, sys
from pathlib import Path
name, count, directory = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
real, calls = getattr(os, name), 0
def deadly(*args, **kwargs):
    global calls
    calls += 1
    if calls == count:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)
from client.lobbies import note_lobby
import client.store, json
setattr(os, name, deadly)
note_lobby(directory, b"n" * 32, "192.168.1.23:2048")
"""


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The time of day, which a test can set."""
    clock = {"s": NOW_S}
    monkeypatch.setattr(time, "time", lambda: clock["s"])
    return clock


def test_a_lobby_is_remembered_with_its_times_and_addresses(tmp_path, clock):
    note_lobby(tmp_path, OLD, "192.168.1.23:2048")
    clock["s"] += 60
    note_lobby(tmp_path, OLD, "lobby.example:2048")
    addresses = ("192.168.1.23:2048", "lobby.example:2048")
    assert read_lobbies(tmp_path) == {OLD: Acquaintance(OLD, NOW_S, NOW_S + 60, addresses)}


def test_nobody_is_known_at_first(tmp_path):
    assert read_lobbies(tmp_path) == {}


def test_a_clock_that_was_set_back_moves_the_first_meeting_too(tmp_path, clock):
    note_lobby(tmp_path, OLD, "h:1")
    clock["s"] -= 1_000
    note_lobby(tmp_path, OLD, "h:1")
    (known,) = read_lobbies(tmp_path).values()
    assert (known.first_s, known.last_s) == (NOW_S - 1_000, NOW_S - 1_000)


def test_the_newest_addresses_of_a_lobby_are_kept(tmp_path):
    for number in range(lobbies.ADDRESSES_MAX + 3):
        note_lobby(tmp_path, OLD, f"h:{number}")
    note_lobby(tmp_path, OLD, "h:5")
    (known,) = read_lobbies(tmp_path).values()
    assert len(known.addresses) == lobbies.ADDRESSES_MAX
    assert (known.addresses[0], known.addresses[-1]) == ("h:3", "h:5")


def test_only_the_person_can_read_where_they_have_played(tmp_path):
    note_lobby(tmp_path / "data", OLD, "h:1")
    assert stat.S_IMODE((tmp_path / "data" / "lobbies.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


# ── what is expected where ───────────────────────────────────────────────────────────────────────────────────────


def met(key, *addresses, own=False):
    return {key: Acquaintance(key, 1, 2, addresses, own)}


def test_at_an_address_that_nobody_was_met_at_nothing_is_expected():
    assert expected_at(met(OLD, "lobby.example:2048"), LAN) == frozenset()


def test_at_a_known_address_its_keys_are_expected():
    known = met(OLD, LAN.address) | met(NEW, "h:1", LAN.address)
    assert expected_at(known, LAN) == {OLD, NEW}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.7", "0.0.0.0"])
def test_on_this_computer_lobbies_come_and_go(host):
    here = LobbyAddress(host, 2048)
    assert expected_at(met(OLD, here.address), here) == frozenset()


def test_an_own_lobby_is_no_surprise_anywhere():
    assert OWN in expected_at(met(OLD, LAN.address) | met(OWN, "127.0.0.1:2048", own=True), LAN)


def test_an_address_that_only_an_own_lobby_had_is_not_held_to_it():
    assert expected_at(met(OWN, LAN.address, own=True), LAN) == frozenset()


def test_another_port_is_another_lobby():
    assert expected_at(met(OLD, LAN.address), LobbyAddress("192.168.1.23", 2049)) == frozenset()


def test_an_address_is_the_same_however_it_is_written():
    assert LobbyAddress("Lobby.Example", 2048, secure=True).address == LobbyAddress("lobby.example").address
    assert LobbyAddress("FE80::1").address == "[fe80::1]:2048"


def test_once_own_a_lobby_stays_own(tmp_path):
    note_lobby(tmp_path, OWN, "127.0.0.1:2048", own=True)
    note_lobby(tmp_path, OWN, LAN.address)
    assert read_lobbies(tmp_path)[OWN].own


# ── never lost, never written over ───────────────────────────────────────────────────────────────────────────────


def test_two_processes_at_once_lose_nothing_of_each_other(tmp_path):
    processes = [subprocess.Popen([sys.executable, "-c", NOTE, str(tmp_path), str(n)]) for n in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert len(read_lobbies(tmp_path)) == 30


@pytest.mark.parametrize(("function", "call"), [("fsync", 1), ("replace", 1), ("unlink", 1), ("fsync", 2)], ids=str)
def test_a_crash_at_any_moment_leaves_what_was_there_or_what_is_new(tmp_path, function, call):
    note_lobby(tmp_path, OLD, LAN.address)
    command = [sys.executable, "-c", NOTE_AND_DIE, function, str(call), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -9
    assert list(read_lobbies(tmp_path)) in ([OLD], [OLD, NEW])
    note_lobby(tmp_path, NEW, LAN.address)
    assert list(read_lobbies(tmp_path)) == [OLD, NEW]


def test_a_full_disk_leaves_what_was_there_and_nothing_behind(tmp_path, monkeypatch):
    note_lobby(tmp_path, OLD, LAN.address)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LobbiesError, match="No space left"):
        note_lobby(tmp_path, NEW, LAN.address)
    assert list(read_lobbies(tmp_path)) == [OLD]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lobbies.json", "lobbies.lock"]


def entry(**changes):
    true = {"key": OLD.hex(), "first_s": 1, "last_s": 2, "addresses": ["h:1"], "own": False}
    return json.dumps({"format": 1, "lobbies": [true | changes]}).encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "damaged"),
        (b"{", "damaged"),
        (b"\xff\xfe", "damaged"),
        (b"[" * 100_000, "damaged"),
        (b"[]", "damaged"),
        (b"{}", "damaged"),
        (b'{"format": 1}', "damaged"),
        (b'{"format": 1, "lobbies": {}}', "damaged"),
        (b'{"format": 1, "lobbies": [7]}', "damaged"),
        (b'{"format": "1", "lobbies": []}', "damaged"),
        (entry(key="6f"), "damaged"),
        (entry(key=None), "damaged"),
        (entry(first_s="1"), "damaged"),
        (entry(own=0), "damaged"),
        (entry(addresses="h:1"), "damaged"),
        (entry(addresses=[1]), "damaged"),
        (b'{"format": 2, "people": []}', "a newer race2048"),
        (b" " * 5_000_000, "too long"),
    ],
)  # fmt: skip
def test_a_file_that_is_damaged_or_newer_is_said_and_left_as_it_is(tmp_path, content, why):
    path = tmp_path / "lobbies.json"
    path.write_bytes(content)
    with pytest.raises(LobbiesError, match=why):
        read_lobbies(tmp_path)
    with pytest.raises(LobbiesError, match=str(path)):
        note_lobby(tmp_path, NEW, LAN.address)
    assert path.read_bytes() == content


def test_a_key_twice_is_damage(tmp_path):
    content = json.loads(entry())
    content["lobbies"] *= 2
    (tmp_path / "lobbies.json").write_text(json.dumps(content))
    with pytest.raises(LobbiesError, match="damaged"):
        read_lobbies(tmp_path)


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(tmp_path):
    os.mkfifo(tmp_path / "lobbies.json")
    with pytest.raises(LobbiesError, match="not a file"):
        read_lobbies(tmp_path)


def test_one_who_holds_the_file_for_ever_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(locking, "_PATIENCE_S", 0.05)
    monkeypatch.setattr(locking, "try_lock", lambda _: False)
    with pytest.raises(LobbiesError, match="another program"):
        note_lobby(tmp_path, NEW, LAN.address)


def test_a_date_is_that_of_the_place_and_any_number_has_one():
    assert day(NOW_S)[:4] == "2025"
    assert day(1 << 80) == str(1 << 80)
