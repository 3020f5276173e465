"""Keys under locks, and records that are never lost or overwritten (architecture.md 5.5; field reports A08)."""

import os
import stat
import subprocess
import sys
import time

import pytest

from client.events import SaveRecord
from client.store import (
    KEYS_MAX,
    StoreError,
    data_directory,
    default_name,
    save_record,
    take_identity,
)

HOLD = """
import sys
from pathlib import Path
from client.store import take_identity
identity = take_identity(Path(sys.argv[1]))
print(identity.number, identity.seed.hex(), flush=True)
sys.stdin.read()
"""
# Ends as kill -9 does in the n-th call of one function of `os`.
SAVE_AND_DIE = """
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
from client.events import SaveRecord
from client.store import save_record
setattr(os, name, deadly)
save_record(directory, SaveRecord("482913", b"record" * 1000, True))
"""


class Holder:
    """Another process that holds a key."""

    def __init__(self, data):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        number, seed = self.process.stdout.readline().split()
        self.number, self.seed = int(number), bytes.fromhex(seed)

    def end(self, how):
        how()
        self.process.communicate()


@pytest.fixture
def holder(tmp_path):
    holder = Holder(tmp_path)
    yield holder
    if holder.process.returncode is None:
        holder.end(holder.process.kill)


def today():
    return time.strftime("%Y-%m-%d")


def test_a_key_is_made_at_the_first_start_and_found_again(tmp_path):
    first = take_identity(tmp_path)
    first.release()
    second = take_identity(tmp_path)
    second.release()
    assert (first.number, len(first.seed)) == (1, 32)
    assert second.seed == first.seed


def test_a_key_is_readable_by_its_owner_only(tmp_path):
    take_identity(tmp_path).release()
    assert stat.S_IMODE((tmp_path / "keys" / "1.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_a_key_that_others_could_read_is_closed_to_them(tmp_path):
    take_identity(tmp_path).release()
    (tmp_path / "keys" / "1.key").chmod(0o644)
    take_identity(tmp_path).release()
    assert stat.S_IMODE((tmp_path / "keys" / "1.key").stat().st_mode) == 0o600


def test_two_processes_never_hold_the_same_key(tmp_path, holder):
    mine = take_identity(tmp_path)
    mine.release()
    assert (holder.number, mine.number) == (1, 2)
    assert holder.seed != mine.seed


def test_a_crash_frees_the_key_so_that_the_same_seat_is_found_again(tmp_path, holder):
    holder.end(holder.process.kill)
    again = take_identity(tmp_path)
    again.release()
    assert again.seed == holder.seed


def test_a_second_key_within_one_process_is_another_one(tmp_path):
    one, two = take_identity(tmp_path), take_identity(tmp_path)
    one.release()
    two.release()
    assert one.seed != two.seed


def test_a_key_is_not_held_by_the_children_of_its_process(tmp_path):
    identity = take_identity(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity.release()
    again = take_identity(tmp_path)
    again.release()
    child.communicate(b"\n")
    assert again.number == identity.number


def test_a_damaged_key_is_left_alone_and_the_next_one_taken(tmp_path):
    take_identity(tmp_path).release()
    damaged = tmp_path / "keys" / "1.key"
    damaged.write_bytes(b"short")
    identity = take_identity(tmp_path)
    identity.release()
    assert identity.number == 2
    assert damaged.read_bytes() == b"short"


def test_a_key_file_that_a_crash_left_empty_is_filled(tmp_path):
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "1.key").touch()
    identity = take_identity(tmp_path)
    identity.release()
    assert (tmp_path / "keys" / "1.key").read_bytes() == identity.seed


def test_a_data_directory_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "keys").write_text("a file where a directory belongs")
    with pytest.raises(StoreError, match="keys"):
        take_identity(tmp_path)


def test_there_is_a_limit_to_the_number_of_keys(tmp_path):
    (tmp_path / "keys").mkdir()
    for number in range(1, KEYS_MAX + 1):
        (tmp_path / "keys" / f"{number}.key").write_bytes(b"short")
    with pytest.raises(StoreError, match="taken or damaged"):
        take_identity(tmp_path)


def test_a_record_is_kept_under_its_date_and_code(tmp_path):
    path = save_record(tmp_path, SaveRecord("482913", b"record", ok=True))
    assert path == str(tmp_path / "races" / f"{today()}-482913.r2048")
    assert (tmp_path / "races" / f"{today()}-482913.r2048").read_bytes() == b"record"


def test_a_second_record_of_the_same_table_does_not_take_the_place_of_the_first(tmp_path):
    save_record(tmp_path, SaveRecord("482913", b"first", ok=True))
    path = save_record(tmp_path, SaveRecord("482913", b"second", ok=True))
    assert path.endswith("-482913-2.r2048")
    assert (tmp_path / "races" / f"{today()}-482913.r2048").read_bytes() == b"first"


def test_two_players_on_one_computer_keep_their_common_record_once(tmp_path):
    first = save_record(tmp_path, SaveRecord("482913", b"record", ok=True))
    assert save_record(tmp_path, SaveRecord("482913", b"record", ok=True)) == first
    assert len(list((tmp_path / "races").iterdir())) == 1


def test_a_code_from_a_hostile_lobby_leads_nowhere_else(tmp_path):
    path = save_record(tmp_path, SaveRecord("../../.profile", b"record", ok=True))
    assert path == str(tmp_path / "races" / f"{today()}-race.r2048")


def test_a_record_that_does_not_agree_gets_the_ticks_beside_it(tmp_path):
    path = save_record(tmp_path, SaveRecord("482913", b"record", ok=False, told=(b"ab", b"c")))
    ticks = (tmp_path / "races" / f"{today()}-482913.ticks").read_bytes()
    assert path.endswith("-482913.r2048")
    assert ticks == b"\0\0\0\2ab\0\0\0\1c"


def test_a_file_system_without_links_keeps_records_too(tmp_path, monkeypatch):
    def unlinkable(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", unlinkable)
    save_record(tmp_path, SaveRecord("482913", b"first", ok=True))
    save_record(tmp_path, SaveRecord("482913", b"second", ok=True))
    kept = sorted((tmp_path / "races").iterdir())
    assert [path.read_bytes() for path in kept] == [b"second", b"first"]


@pytest.mark.parametrize(("function", "call"), [("fsync", 1), ("link", 1), ("fsync", 2), ("unlink", 1)], ids=str)
def test_a_crash_at_any_moment_leaves_a_whole_record_or_none(tmp_path, function, call):
    command = [sys.executable, "-c", SAVE_AND_DIE, function, str(call), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -9
    assert [path.read_bytes() for path in (tmp_path / "races").glob("*.r2048")] in ([], [b"record" * 1_000])


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_record(tmp_path, SaveRecord("482913", b"record", ok=True))
    assert list((tmp_path / "races").iterdir()) == []


def test_the_data_directory_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path / "data"))
    assert data_directory() == tmp_path / "data"


def test_without_a_choice_the_data_directory_is_the_usual_one(monkeypatch):
    monkeypatch.delenv("RACE2048_DATA", raising=False)
    assert data_directory().name == "race2048"


def test_a_player_is_called_by_the_login_name(monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "fox")
    assert default_name() == "fox"


@pytest.mark.parametrize("login", ["", "evil\u202ename", "a very long login name"])
def test_a_login_name_that_cannot_be_shown_becomes_player(monkeypatch, login):
    monkeypatch.setattr("getpass.getuser", lambda: login)
    assert default_name() == "player"


def test_somebody_without_a_login_name_is_called_player(monkeypatch):
    def nobody():
        raise OSError("no username set in the environment")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert default_name() == "player"
