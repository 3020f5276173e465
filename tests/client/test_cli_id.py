"""`race2048 id`: keys are shown by their fingerprints, exported with care, and never lost."""

import json
import os
import pty
import stat
import subprocess
import sys

import pytest

from client import cli
from client.store import take_identity
from protocol.signing import Signer, fingerprint

RUN = [sys.executable, "-m", "client.cli"]
PATIENCE_S = 30


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A data directory and settings of one's own."""
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("LOGNAME", "vixen")
    return tmp_path / "data"


@pytest.fixture
def seed(data):
    identity = take_identity(data)
    identity.release()
    return identity.seed


def fingerprint_of(seed):
    return fingerprint(Signer(seed).key)


# ── show and name ────────────────────────────────────────────────────────────────────────────────────────────────


def test_keys_are_shown_by_their_fingerprints(seed, capsys):
    assert cli.main(["id"]) == 0
    said = capsys.readouterr().out
    assert fingerprint_of(seed) in said
    assert "vixen   (your login name)" in said
    assert "in use" not in said


def test_a_key_that_is_held_is_in_use(data, capsys):
    identity = take_identity(data)
    try:
        assert cli.main(["id", "show", "--json"]) == 0
    finally:
        identity.release()
    said = json.loads(capsys.readouterr().out)
    assert said["keys"] == [
        {"key": 1, "fingerprint": fingerprint_of(identity.seed), "in_use": True, "path": str(data / "keys" / "1.key")}
    ]


def test_before_the_first_race_there_is_no_key_and_none_is_made(data, capsys):
    assert cli.main(["id", "show"]) == 0
    assert "No key yet" in capsys.readouterr().out
    assert not data.exists()


def test_a_damaged_key_is_shown_as_such(seed, data, capsys):
    (data / "keys" / "1.key").write_bytes(b"short")
    assert cli.main(["id", "show"]) == 0
    assert "damaged" in capsys.readouterr().out


def test_a_name_is_set_and_told(capsys):
    assert cli.main(["id", "name", "Лис"]) == 0
    assert "You are called Лис" in capsys.readouterr().err
    assert cli.main(["id", "name"]) == 0
    assert capsys.readouterr().out == "Лис\n"
    assert cli.main(["config", "get", "name"]) == 0
    assert cli.main(["id", "show"]) == 0
    assert "login name" not in capsys.readouterr().out


def test_a_name_that_cannot_be_used_is_refused(capsys):
    assert cli.main(["id", "name", "evil\u202ename"]) == 2
    said = capsys.readouterr().err
    assert "16 columns" in said
    assert "\u202e" not in said


def test_a_variable_names_a_person_too(monkeypatch, capsys):
    monkeypatch.setenv("RACE2048_NAME", "owl")
    assert cli.main(["id", "name"]) == 0
    assert capsys.readouterr().out == "owl\n"


@pytest.mark.parametrize("words", [["show", "x"], ["new", "x"], ["export"]])
def test_too_few_or_too_many_words_are_usage(words, capsys):
    assert cli.main(["id", *words]) == 2
    assert "export FILE" in capsys.readouterr().err


def test_keys_that_cannot_be_read_are_told_with_what_to_do(data, capsys):
    data.write_text("a file where a directory belongs")
    assert cli.main(["id", "export", "x"]) == 6
    said = capsys.readouterr().err
    assert str(data) in said
    assert "RACE2048_DATA" in said


# ── export ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_secret_key_is_exported_to_a_file_that_only_its_owner_reads(seed, tmp_path, capsys):
    path = tmp_path / "secret"
    before = os.umask(0)
    try:
        assert cli.main(["id", "export", str(path)]) == 0
    finally:
        os.umask(before)
    assert path.read_bytes() == seed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    said = capsys.readouterr()
    assert said.out == ""
    assert "secret key" in said.err
    assert fingerprint_of(seed) in said.err
    assert seed.hex() not in said.err


def test_an_exported_key_is_the_same_person_on_another_computer(seed, tmp_path, monkeypatch):
    other = tmp_path / "other"
    (other / "keys").mkdir(parents=True)
    cli.main(["id", "export", str(other / "keys" / "1.key")])
    assert take_identity(other).seed == seed


def test_a_file_that_is_there_is_not_overwritten(seed, tmp_path, capsys):
    path = tmp_path / "secret"
    path.write_text("mine")
    assert cli.main(["id", "export", str(path)]) == 2
    assert "there already" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_told(seed, tmp_path, capsys):
    assert cli.main(["id", "export", str(tmp_path / "nowhere" / "secret")]) == 6
    assert "cannot be written" in capsys.readouterr().err


def test_a_damaged_key_is_not_exported(seed, data, tmp_path, capsys):
    (data / "keys" / "1.key").write_bytes(b"short")
    assert cli.main(["id", "export", str(tmp_path / "secret")]) == 6
    assert not (tmp_path / "secret").exists()
    assert "Nothing was written" in capsys.readouterr().err


def test_a_pipe_may_take_a_secret_key(seed):
    done = subprocess.run([*RUN, "id", "export", "-"], capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, seed)


def test_a_secret_key_is_never_shown_on_a_terminal(seed):
    master, slave = pty.openpty()
    done = subprocess.run(
        [*RUN, "id", "export", "-"], stdout=slave, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False
    )
    os.set_blocking(master, False)
    os.close(slave)
    assert done.returncode == 2
    assert "not shown on a terminal" in done.stderr
    with pytest.raises(OSError):  # noqa: PT011 - nothing was written: the other end is closed
        os.read(master, 1)
    os.close(master)


@pytest.mark.parametrize("device", ["/dev/stdout", "/dev/tty"])
def test_a_terminal_is_no_file_to_export_to(seed, device, capsys):
    assert cli.main(["id", "export", device]) == 2
    assert capsys.readouterr().out == ""


def test_a_key_that_is_not_there_is_told_with_those_that_are(seed, capsys):
    assert cli.main(["id", "export", "x", "--key", "7"]) == 2
    assert "There is no key 7. There are: 1." in capsys.readouterr().err


# ── new ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_new_key_is_another_one_and_the_old_one_is_kept(seed, data, capsys):
    assert cli.main(["id", "new"]) == 0
    said = capsys.readouterr()
    new = (data / "keys" / "1.key").read_bytes()
    (old,) = (data / "keys").glob("*.old")
    assert new != seed
    assert said.out == f"{fingerprint_of(new)}\n"
    assert old.read_bytes() == seed
    assert stat.S_IMODE((data / "keys" / "1.key").stat().st_mode) == 0o600
    assert str(old) in said.err
    assert "not found again" in said.err


def test_every_old_key_is_kept(seed, data):
    seeds = [seed]
    for _ in range(3):
        assert cli.main(["id", "new", "-q"]) == 0
        seeds.append((data / "keys" / "1.key").read_bytes())
    kept = {path.read_bytes() for path in (data / "keys").iterdir()}
    assert kept == set(seeds)


def test_a_damaged_key_makes_place_for_a_new_one_and_is_kept_too(seed, data):
    (data / "keys" / "1.key").write_bytes(b"short")
    assert cli.main(["id", "new"]) == 0
    assert len((data / "keys" / "1.key").read_bytes()) == 32
    assert [path.read_bytes() for path in (data / "keys").glob("*.old")] == [b"short"]


def test_a_key_in_use_is_not_exchanged(data, capsys):
    identity = take_identity(data)
    try:
        assert cli.main(["id", "new"]) == 1
    finally:
        identity.release()
    assert "in use" in capsys.readouterr().err
    assert (data / "keys" / "1.key").read_bytes() == identity.seed
    assert not list((data / "keys").glob("*.old"))


def test_the_new_key_is_the_one_that_is_taken(seed, data):
    cli.main(["id", "new"])
    identity = take_identity(data)
    assert (identity.number, identity.seed) == (1, (data / "keys" / "1.key").read_bytes())
    identity.release()
