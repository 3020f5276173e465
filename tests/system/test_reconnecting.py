"""A line that breaks in a race and comes back, as both sides see it (rules 5.1): real programs, a real wire between."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from itertools import pairwise

import pytest

from tests.system.terminals import Terminal


class Wire:
    """A way to a lobby that can be cut and mended."""

    def __init__(self, lobby: tuple[str, int]) -> None:
        self._lobby = lobby
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._serve, args=(self._door,), daemon=True).start()

    def cut(self) -> None:
        for end in (self._door, *self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def mend(self) -> None:
        self._door = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._serve, args=(self._door,), daemon=True).start()

    def _serve(self, door: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = door.accept()
                far = socket.create_connection(self._lobby)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@pytest.fixture
def lobby(tmp_path):
    command = [sys.executable, "-P", "-m", "lobby", "--json", "--bind", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen([*command, "--data-dir", str(tmp_path / "lobby")], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["url"]
    process.terminate()
    process.wait(10)
    process.stdout.close()


def test_a_line_that_breaks_in_a_race_is_seen_by_both_and_no_move_is_lost(lobby, tmp_path):
    address = re.sub(r"^http://|/$", "", lobby)
    wire = Wire((address.split(":")[0], int(address.split(":")[1])))
    terminals = []

    def start(*arguments, data):
        terminals.append(Terminal(arguments, tmp_path / data))
        return terminals[-1]

    try:
        host = start("host", "--lobby", lobby, "--players", "2", "--kind", "endless", "--name", "fox", data="fox")
        host.expect("Give your friends")
        link = re.findall(r"join (http://\S+)", host.written.decode(errors="replace"))[0]
        guest = start("join", link.replace(address, f"127.0.0.1:{wire.port}"), "--name", "hare", data="hare")
        guest.expect("fox")
        guest.press("r")
        host.expect("Everyone is ready")
        host.press("s")
        guest.expect("0:0")
        for key in "adad":
            guest.press(key)
            guest.read(0.05)
        wire.cut()
        guest.expect("Connection lost, trying again")
        host.expect("away")
        for key in "swsw":
            guest.press(key)
            guest.read(0.05)
        guest.expect("moves not sent", "move not sent")
        guest.settle(0.6)
        rows = guest.text.splitlines()
        made = int(next(after for row, after in pairwise(rows) if "max tile" in row).split()[-1])
        assert made > 0
        wire.mend()
        host.expect("racing")
        host.expect(f"{made} moves")
        while "not sent" in guest.text or "Connection lost" in guest.text:
            assert guest.read(1.0)
    finally:
        for terminal in terminals:
            terminal.close()
        wire.cut()
