"""A table on this network, with real programs: announced by `host`, found by a bare code (ux.md §1). Loopback alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.tui.qr import blocks

from .terminals import RACE2048, Terminal, end_lobbies

PATIENCE_S = 40


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACE2048_LAN", "loopback")


class Lines:
    """The program on lines."""

    def __init__(self, *words: str, data: Path) -> None:
        self.process = subprocess.Popen(
            [*RACE2048, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | {"RACE2048_DATA": str(data), "RACE2048_LAN": "loopback"},
        )  # fmt: skip
        self.said = ""

    def hear(self, text: str) -> None:
        assert self.process.stdout is not None
        limit = threading.Timer(PATIENCE_S, self.process.kill)
        limit.start()
        while text not in self.said and (line := self.process.stdout.readline()):
            self.said += line
        limit.cancel()
        assert text in self.said

    def leave(self) -> int:
        self.process.communicate("leave\n", timeout=PATIENCE_S)
        return self.process.returncode

    def close(self) -> None:
        """Takes the program down if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE_S)


class Host(Lines):
    """A host whose table is open, on a lobby of its own."""

    def __init__(self, data: Path) -> None:
        super().__init__("host", "--plain", "--name", "fox", "--bind", "127.0.0.1", "--port", "0", data=data)
        self.data = data
        try:
            self.hear("/w/")
        except AssertionError:
            self.close()
            raise
        found = re.search(r"Table (\d{3}-\d{3}) is open", self.said)
        assert found is not None, self.said
        self.code = found[1]
        self.watch_code = self.said.rpartition("/w/")[2].strip()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    data = tmp_path_factory.mktemp("host")
    made = Host(data)
    yield made
    made.close()
    end_lobbies(data)


def listed(code: str, data: Path) -> dict[str, object] | None:
    """The table with this code as `tables --json` tells it."""
    done = subprocess.run(
        [*RACE2048, "tables", "--json"], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        env=os.environ | {"RACE2048_DATA": str(data)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    tables = [json.loads(line) for line in done.stdout.splitlines()]
    return next((table for table in tables if table["code"] == code.replace("-", "")), None)


def test_a_guest_sits_down_with_the_bare_code(host: Host, tmp_path: Path) -> None:
    assert f"on this network   race2048 join {host.code}" in host.said
    guest = Lines("join", host.code, "--plain", "--name", "owl", data=tmp_path)
    try:
        guest.hear("You have a seat.")
        assert guest.leave() == 0
    finally:
        guest.close()


def test_a_watcher_finds_the_table_by_its_watch_code(host: Host, tmp_path: Path) -> None:
    watcher = Lines("watch", host.watch_code, "--plain", data=tmp_path)
    try:
        watcher.hear("fox")
        assert watcher.leave() == 0
    finally:
        watcher.close()


def test_on_a_terminal_one_is_chosen_from_the_list(host: Host, tmp_path: Path) -> None:
    guest = Terminal(["join", "--name", "owl"], tmp_path)
    try:
        guest.expect("look again")
        assert f"{host.code}  fox" in guest.text
        guest.press(f"{host.code}\r")  # others may be on the list, on a computer that runs many tests
        guest.expect("Say that you are ready.")
        guest.press("\x03")
        assert guest.end() == 0
    finally:
        guest.close()


def test_a_killed_host_leaves_the_table_on_the_list_for_as_long_as_its_lobby_lives(tmp_path: Path) -> None:
    """Why the lobby announces and not the screen: whoever was at the table finds the way back."""
    host = Host(tmp_path / "host")
    try:
        host.process.kill()
        table = listed(host.code, tmp_path)
        assert table is not None
        assert (table["host"], table["seats"], table["phase"]) == ("fox", 4, "seating")
        assert str(table["link"]) in host.said
        end_lobbies(host.data)
        until_s = time.monotonic() + PATIENCE_S
        while listed(host.code, tmp_path) is not None:
            assert time.monotonic() < until_s
    finally:
        host.close()
        end_lobbies(host.data)


def test_the_host_has_the_link_as_a_qr_code_before_the_screen_and_on_it(tmp_path: Path) -> None:
    screen = Terminal(
        ["host", "--bind", "127.0.0.1", "--port", "0", "--public-url", "https://me.example"], tmp_path, 100, 50
    )
    try:
        screen.expect("Give your friends")
        link = re.search(r"https://me\.example/t/\S+", screen.text)
        assert link is not None
        rows = blocks(link[0], 4)
        for row in rows[2:-2]:
            screen.expect(row.strip())
        before = screen.written.partition(b"\x1b[?1049h")[0].decode()
        for row in rows:
            assert f"m{row}\x1b[0m" in before
        screen.press("\x03")
        assert screen.end() == 0
    finally:
        screen.close()
