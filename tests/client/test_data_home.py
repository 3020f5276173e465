"""Where the files of a person are, and reading one without being kept waiting."""

import os

import platformdirs
import pytest

from client.data_home import data_path, read_file, settings_path


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/home/fox"},
        {"HOME": "/home/fox", "XDG_DATA_HOME": ""},
        {"HOME": "/home/fox", "XDG_DATA_HOME": "/srv/data"},
        {"HOME": "/home/fox", "XDG_DATA_HOME": "not/absolute"},
        {"HOME": "/home/fox/", "XDG_DATA_HOME": "/srv/data/"},
        {"HOME": "/home/fox/"},
        {"HOME": "/"},
        {"HOME": "fox"},
        {},
    ],
)
def test_without_a_choice_files_are_where_platformdirs_says(environment, monkeypatch):
    for name in ("RACE2048_DATA", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert data_path() == platformdirs.user_data_dir("race2048", appauthor=False)


@pytest.mark.parametrize("given", [None, "", "/srv/settings", "not/absolute", "/srv/settings/"])
@pytest.mark.parametrize("home", ["/home/fox", "/home/fox/", "/", "fox", None])
def test_without_a_choice_settings_are_where_platformdirs_says(given, home, monkeypatch):
    for name, value in (("XDG_CONFIG_HOME", given), ("HOME", home)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    usual = platformdirs.user_config_dir("race2048", appauthor=False)
    assert settings_path(None, {}) == f"{usual.rstrip('/')}/config.toml"


def test_a_choice_comes_first(monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", "/somewhere/else")
    assert data_path() == "/somewhere/else"


def test_no_more_is_read_than_was_asked_for(tmp_path):
    (tmp_path / "file").write_bytes(b"abcdef")
    assert read_file(str(tmp_path / "file"), 4) == b"abcd"


def test_a_pipe_that_nobody_writes_to_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a file"):
        read_file(str(tmp_path / "pipe"), 4)


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        read_file(str(tmp_path), 4)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null"])
def test_a_device_is_no_file(path):
    with pytest.raises(OSError, match="not a file"):
        read_file(path, 4)
