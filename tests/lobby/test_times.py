"""The lobby's clock never goes back, whatever the computer and its owner do (rules 5.1, 5.6)."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lobby import times
from lobby.times import LobbyTime, Moment


@pytest.fixture
def computer(monkeypatch):
    """A computer whose clocks stand still until they are set."""
    clocks = {"boot": "one", "boot_ms": 50_000, "wall_ms": 1_700_000_000_000}
    monkeypatch.setattr(times, "boot_id", lambda: clocks["boot"])
    monkeypatch.setattr(times, "boot_ms", lambda: clocks["boot_ms"])
    monkeypatch.setattr(times, "wall_ms", lambda: clocks["wall_ms"])
    return clocks


def test_the_first_lobby_counts_from_the_boot(computer):
    assert LobbyTime(None).now_ms() == 50_000


def test_while_the_computer_runs_the_wall_clock_is_not_asked(computer):
    last = LobbyTime(None).moment()
    computer |= {"boot_ms": 53_000, "wall_ms": 5}
    assert LobbyTime(last).now_ms() == 53_000


def test_over_a_boot_the_wall_clock_says_how_long_it_was(computer):
    last = LobbyTime(None).moment()
    computer |= {"boot": "two", "boot_ms": 900, "wall_ms": computer["wall_ms"] + 70_000}
    clock = LobbyTime(last)
    assert clock.now_ms() == 120_000
    computer["boot_ms"] += 500
    assert clock.now_ms() == 120_500
    computer["boot_ms"] += 500
    assert LobbyTime(clock.moment()).now_ms() == 121_000


def test_a_wall_clock_that_was_set_back_is_no_time_at_all(computer):
    last = LobbyTime(None).moment()
    computer |= {"boot": "two", "boot_ms": 900, "wall_ms": 0}
    assert LobbyTime(last).now_ms() == 50_000


def test_a_computer_that_does_not_tell_of_its_boots_goes_by_the_wall_clock(computer):
    computer["boot"] = ""
    last = LobbyTime(None).moment()
    computer |= {"boot_ms": 51_000, "wall_ms": computer["wall_ms"] + 2_000}
    assert LobbyTime(last).now_ms() == 52_000


def test_a_moment_tells_all_clocks(computer):
    assert LobbyTime(Moment(7_000, "one", 40_000, 5)).moment() == Moment(17_000, "one", 50_000, 1_700_000_000_000)


@pytest.mark.parametrize("missing", [(), ("CLOCK_BOOTTIME",), ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC")])
def test_the_clock_since_boot_does_not_go_back_on_any_system(monkeypatch, missing):
    for name in missing:
        monkeypatch.delattr(time, name)
    read = [times.boot_ms() for _ in range(100)]
    assert read == sorted(read)
    assert read[0] > 0


def test_a_system_that_tells_of_no_boot_is_asked_in_vain(monkeypatch):
    monkeypatch.setattr(times, "_BOOT_ID", Path("/nowhere/boot_id"))
    assert times.boot_id() == ""
