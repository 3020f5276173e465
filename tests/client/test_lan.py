"""The setting that says whether there is a network around this computer: environment, file, and who heeds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from client import cli
from client.cli.defaults import settings_for
from client.cli.everywhere import leading
from client.cli.home import place_words
from client.lan import Lan, heed_file, lan_setting


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Settings of one's own, and no word about the network in the environment."""
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("RACE2048_LAN", "")
    yield tmp_path / "config.toml"
    heed_file("")


@pytest.mark.parametrize(
    ("value", "meant"),
    [(None, Lan.ON), ("", Lan.ON), ("on", Lan.ON), ("OFF", Lan.OFF), ("loopback", Lan.LOOPBACK), ("maybe", None)],
)
def test_the_environment_says_whether_to_look_at_all(
    value: str | None, meant: Lan | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("RACE2048_LAN")
    else:
        monkeypatch.setenv("RACE2048_LAN", value)
    assert lan_setting() is meant


def test_the_file_says_it_where_the_environment_is_silent(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('lan = "off"\n')
    settings_for(leading([]))
    assert lan_setting() is Lan.OFF
    monkeypatch.setenv("RACE2048_LAN", "loopback")
    assert lan_setting() is Lan.LOOPBACK
    monkeypatch.setenv("RACE2048_LAN", "")
    config.write_text("")
    settings_for(leading([]))
    assert lan_setting() is Lan.ON


@pytest.mark.parametrize("words", [["join", "--plain"], ["watch", "--plain"], ["tables"]])
def test_no_command_looks_around_if_the_file_says_no(
    words: list[str], config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text('lan = "off"\n')
    assert cli.main(words) == 2
    assert "switched off (lan=off)" in capsys.readouterr().err


def test_the_home_screen_asks_for_a_link_then_and_says_why(config: Path) -> None:
    config.write_text('lan = "off"\n')
    settings_for(leading([]))
    words, fault = place_words("join", "")
    assert not words
    assert "switched off (lan=off)" in fault
    os.environ["RACE2048_LAN"] = "off"  # which the fixture takes back
    assert "switched off (RACE2048_LAN=off)" in place_words("join", "")[1]
    assert place_words("join", "race2048 join 482-913") == (("join", "482-913"), "")


def test_the_home_screen_lists_the_tables_around_where_it_may() -> None:
    assert place_words("join", "") == (("join",), "")
