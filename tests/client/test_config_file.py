"""The file of a person's settings: found, read, and changed whole or not at all."""

import os
import stat
import subprocess
import sys
import threading

import platformdirs
import pytest

from client import locking, toml_lines
from client.config_file import ConfigError, config_path, read_config, set_entry, unset_entry, write_config

PATIENCE_S = 40
DAMAGED = 'palette = "mono"\nmotion =\n'


@pytest.fixture
def path(tmp_path):
    return tmp_path / "race2048" / "config.toml"


def test_a_flag_names_the_file_before_the_environment_and_that_before_the_system(tmp_path):
    environment = {"RACE2048_CONFIG": str(tmp_path / "b.toml")}
    usual = platformdirs.user_config_path("race2048", appauthor=False) / "config.toml"
    assert config_path(str(tmp_path / "a.toml"), environment) == tmp_path / "a.toml"
    assert config_path(None, environment) == tmp_path / "b.toml"
    assert config_path(None, {}) == usual


def test_a_file_that_is_not_there_says_nothing(path):
    assert read_config(path) == {}


def test_the_first_entry_makes_the_file_and_its_directory(path):
    set_entry(path, "palette", "mono")
    assert path.read_text() == 'palette = "mono"\n'


def test_remarks_and_unknown_entries_are_kept_to_the_byte(path):
    path.parent.mkdir()
    path.write_bytes(b'# mine\r\nfuture = 1 # kept\r\npalette = "classic"\r\n')
    set_entry(path, "palette", "mono")
    set_entry(path, "host.size", 5)
    unset_entry(path, "host.size")
    assert path.read_bytes() == b'# mine\r\nfuture = 1 # kept\r\npalette = "mono"\r\n\r\n[host]\r\n'


def test_the_same_value_again_does_not_touch_the_file(path):
    set_entry(path, "palette", "mono")
    before = path.stat()
    set_entry(path, "palette", "mono")
    assert path.stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (DAMAGED.encode(), "line 2, column 9"),
        (b'name = "\xff"\n', "not UTF-8 at byte 9"),
        (b"#" * 1_000_001, "longer than a megabyte"),
    ],
)
@pytest.mark.parametrize("act", [read_config, lambda path: set_entry(path, "palette", "mono")])
def test_a_damaged_file_is_told_with_the_place_and_never_written(path, content, where, act):
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(ConfigError) as told:
        act(path)
    assert str(path) in str(told.value)
    assert where in str(told.value)
    assert "race2048 config edit" in str(told.value)
    assert path.read_bytes() == content


def test_an_entry_that_only_a_person_can_change_is_told_and_left(path):
    path.parent.mkdir()
    path.write_text("host = {size = 4}\n")
    with pytest.raises(ConfigError, match=r"host\.size is written there in a way that only you can change"):
        set_entry(path, "host.size", 5)
    assert path.read_text() == "host = {size = 4}\n"


def test_a_link_to_the_file_stays_a_link(path, tmp_path):
    real = tmp_path / "dotfiles.toml"
    real.write_text("# from my dotfiles\n")
    path.parent.mkdir()
    path.symlink_to(real)
    set_entry(path, "palette", "mono")
    assert path.is_symlink()
    assert real.read_text() == '# from my dotfiles\npalette = "mono"\n'


def test_the_rights_of_the_file_stay(path):
    set_entry(path, "palette", "mono")
    path.chmod(0o600)
    set_entry(path, "palette", "classic")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("target", [os.devnull, "."])
def test_what_is_no_file_is_never_replaced(target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError):
        write_config(config_path(target, {}), 'palette = "mono"\n')
    assert not config_path(target, {}).is_file()


def test_a_directory_in_the_place_of_the_file_is_told(path):
    path.mkdir(parents=True)
    with pytest.raises(ConfigError, match="cannot be used: Is a directory"):
        read_config(path)


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be used"):
        write_config(tmp_path / "file" / "config.toml", "")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    set_entry(path, "palette", "mono")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        set_entry(path, "palette", "classic")
    assert {each.name for each in path.parent.iterdir()} <= {"config.toml", ".config.toml.lock"}
    assert path.read_text() == 'palette = "mono"\n'


def test_two_who_change_it_at_once_lose_nothing(path, monkeypatch):
    """The second begins in the middle of the first one's change; it is kept out until that is done."""
    kept_out, done = threading.Event(), threading.Event()
    try_lock, with_entry = locking.try_lock, toml_lines.with_entry

    def watched(handle: int) -> bool:
        held = try_lock(handle)
        if not held:
            kept_out.set()
        return held

    def second() -> None:
        set_entry(path, "motion", "off")
        kept_out.set()
        done.set()

    def in_the_middle(text: str, name: str, value: str) -> str:
        if name == "palette":
            threading.Thread(target=second).start()
            assert kept_out.wait(PATIENCE_S)
        return with_entry(text, name, value)

    monkeypatch.setattr(locking, "try_lock", watched)
    monkeypatch.setattr(toml_lines, "with_entry", in_the_middle)
    set_entry(path, "palette", "mono")
    assert done.wait(PATIENCE_S)
    assert read_config(path) == {"palette": "mono", "motion": "off"}


def test_processes_that_change_it_at_once_lose_nothing(path):
    settings = {"palette": "mono", "motion": "off", "bell": "false", "title": "false", "mouse": "false"}
    words = [sys.executable, "-P", "-m", "client.cli", "--config", str(path), "config", "set"]
    path.parent.mkdir()
    path.touch()
    running = [subprocess.Popen([*words, *setting], stderr=subprocess.DEVNULL) for setting in settings.items()]
    assert [process.wait(PATIENCE_S) for process in running] == [0] * len(settings)
    assert {name: str(value).lower() for name, value in read_config(path).items()} == settings


def test_one_who_is_kept_out_for_long_is_told_so(path, monkeypatch):
    monkeypatch.setattr(locking, "try_lock", lambda _handle: False)
    monkeypatch.setattr(locking, "_PATIENCE_S", 0.0)
    with pytest.raises(ConfigError, match="another program holds it"):
        set_entry(path, "palette", "mono")
    assert not path.exists()
