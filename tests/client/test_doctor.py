"""`race2048 doctor`: each check with what is well and what is not, and a terminal that is brought back to order."""

import http.server
import json
import shutil
import socket
import threading
import time
from dataclasses import replace
from importlib import metadata
from types import SimpleNamespace

import pytest

from client import cli, computer
from client.checkup import SAMPLES, Finding, Status, TerminalFacts, terminal_findings
from client.config import resolve
from client.link import LobbyAddress
from client.store import take_identity
from client.terminal_facts import RESET, questions, terminal_facts, understood
from client.tui.palette import Depth

GOOD = TerminalFacts(
    is_terminal=True, columns=80, rows=24, term="xterm-256color", colorterm="truecolor", depth=Depth.TRUE,
    encoding="utf-8", widths=dict(SAMPLES), mouse=True,
)  # fmt: skip


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """Directories of one's own, and no network but this computer."""
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"RACE2048_{name}", str(tmp_path / name.lower() / ("c.toml" if name == "CONFIG" else "")))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(computer, "_join_multicast", lambda address: None)
    monkeypatch.setattr(computer, "lan_address", lambda: "192.168.1.23")
    return tmp_path


def found(findings, name):
    (finding,) = [finding for finding in findings if finding.name == name]
    return finding


# ── the terminal ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_good_terminal_is_well():
    assert {finding.status for finding in terminal_findings(GOOD)} == {Status.OK}


@pytest.mark.parametrize(
    ("changes", "name", "status", "hint"),
    [
        ({"columns": 39, "rows": 20}, "size", Status.WARN, "40×20"),
        ({"columns": 23, "rows": 24}, "size", Status.FAIL, "larger"),
        ({"columns": 80, "rows": 8}, "size", Status.FAIL, "larger"),
        ({"term": ""}, "TERM", Status.FAIL, "--plain"),
        ({"term": "dumb"}, "TERM", Status.FAIL, "--plain"),
        ({"encoding": "latin-1"}, "characters", Status.WARN, "UTF-8"),
        ({"encoding": "no such encoding"}, "characters", Status.WARN, "UTF-8"),
        ({"widths": None}, "widths", Status.WARN, "another terminal"),
        ({"widths": {**SAMPLES, "▄": 2}}, "widths", Status.FAIL, "ambiguous width"),
        ({"widths": {**SAMPLES, "漢": 1}}, "widths", Status.FAIL, "UTF-8 locale"),
        ({"mouse": False}, "mouse", Status.WARN, "Keys"),
    ],
)
def test_what_is_bad_about_a_terminal_is_told_with_what_to_do(changes, name, status, hint):
    finding = found(terminal_findings(replace(GOOD, **changes)), name)
    assert finding.status is status
    assert hint in finding.remedy


@pytest.mark.parametrize("depth", Depth)
def test_any_depth_is_well_and_named(depth):
    finding = found(terminal_findings(replace(GOOD, depth=depth, colorterm="")), "colours")
    assert (finding.status, "colours" in finding.found) == (Status.OK, True)


def test_what_is_no_terminal_is_one_finding():
    (finding,) = terminal_findings(replace(GOOD, is_terminal=False))
    assert (finding.status, "--plain" in finding.remedy) == (Status.WARN, True)


def test_answers_are_understood_in_their_order():
    places = "".join(f"\x1b[1;{width + 1}R" for width in SAMPLES.values())
    assert understood(f"\x1b[?1006;2$y{places}".encode()) == (dict(SAMPLES), True)
    assert understood(f"\x1b[?1006;0$y{places}".encode()) == (dict(SAMPLES), False)
    assert understood(places.encode()) == (dict(SAMPLES), None)


@pytest.mark.parametrize("answers", [b"", b"garbage\x1b[", b"\x1b[1;2R", b"\x1b[1;2R" * 99])
def test_what_is_no_answer_is_nothing(answers):
    assert understood(answers) == (None, None)


def test_the_questions_leave_nothing_on_the_line():
    assert questions(["▄"]).endswith("\r▄\x1b[6n\r\x1b[K".encode())


def test_outside_a_terminal_nothing_is_asked():
    assert terminal_facts({"TERM": "xterm"}).is_terminal is False


# ── the program and its files ────────────────────────────────────────────────────────────────────────────────────


def test_the_versions_are_told():
    said = computer.program_finding(cli.PROGRAM).found
    assert all(word in said for word in (cli.PROGRAM, "protocol 1", "Python 3."))


def test_every_library_that_we_ask_for_is_told_with_its_version():
    said = computer.libraries_finding()
    assert said.status is Status.OK
    assert f"aiohttp {metadata.version('aiohttp')}" in said.found
    assert "pytest" not in said.found


def missing(name):
    def version(asked):
        if asked == name:
            raise metadata.PackageNotFoundError(asked)
        return "1"

    return version


def test_a_library_that_is_missing_is_broken(monkeypatch):
    monkeypatch.setattr(metadata, "version", missing("msgspec"))
    said = computer.libraries_finding()
    assert (said.status, said.found) == (Status.FAIL, "missing: msgspec")


def test_a_program_that_is_not_installed_says_how(monkeypatch):
    def requires(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert "pipx install" in computer.libraries_finding().remedy


def test_a_locale_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    said = computer.locale_finding()
    assert (said.status, said.found) == (Status.WARN, "xx_XX.UTF-8 is not installed")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert computer.locale_finding() == Finding("locale", Status.OK, "C.UTF-8")


def test_a_directory_is_tried_and_left_as_it_was(tmp_path):
    said = computer.directory_finding("data", tmp_path)
    assert (said.status, "MB free" in said.found) == (Status.OK, True)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_will_be_made_is_not_made_now(tmp_path):
    said = computer.directory_finding("data", tmp_path / "a" / "b")
    assert said.status is Status.OK
    assert "made when needed" in said.found
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_directory_is_broken(tmp_path):
    (tmp_path / "file").write_text("")
    said = computer.directory_finding("data", tmp_path / "file")
    assert said.status is Status.FAIL
    assert "Not a directory" in said.found
    assert "RACE2048_DATA" in said.remedy


def test_a_disk_without_room_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000))
    assert computer.directory_finding("data", tmp_path).status is Status.WARN


def test_keys_are_counted(tmp_path):
    assert computer.keys_finding(tmp_path).found == "0 keys"
    take_identity(tmp_path).release()
    assert computer.keys_finding(tmp_path) == Finding("keys", Status.OK, "1 key")


def test_a_damaged_key_is_told(tmp_path):
    take_identity(tmp_path).release()
    (tmp_path / "keys" / "1.key").write_bytes(b"x")
    said = computer.keys_finding(tmp_path)
    assert (said.status, "damaged" in said.found) == (Status.WARN, True)


def test_a_key_that_others_can_read_is_told(tmp_path):
    take_identity(tmp_path).release()
    (tmp_path / "keys" / "1.key").chmod(0o644)
    said = computer.keys_finding(tmp_path)
    assert (said.status, "chmod 600" in said.remedy) == (Status.WARN, True)


def test_keys_that_cannot_be_read_are_broken(tmp_path):
    (tmp_path / "keys" / "1.key").mkdir(parents=True)
    assert computer.keys_finding(tmp_path).status is Status.FAIL


# ── clock, network, port, lobby ──────────────────────────────────────────────────────────────────────────────────


def test_a_clock_before_the_program_was_made_is_told(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 0.0)
    said = computer.clock_finding()
    assert (said.status, said.found.startswith("1970-01-01")) == (Status.WARN, True)
    monkeypatch.undo()
    assert computer.clock_finding().status is Status.OK


def test_a_computer_without_a_network_is_told(monkeypatch):
    monkeypatch.setattr(computer, "lan_address", lambda: "127.0.0.1")
    assert computer.network_finding().found == "this computer is on no network"


def test_a_network_without_multicast_says_to_give_the_link(monkeypatch):
    def refuse(address):
        raise OSError(19, "No such device")

    monkeypatch.setattr(computer, "_join_multicast", refuse)
    said = computer.network_finding()
    assert said.status is Status.WARN
    assert "No such device" in said.found
    assert "link" in said.remedy


def test_a_network_with_multicast_is_well():
    assert computer.network_finding().found == "192.168.1.23, multicast is possible"


def settings(**host):
    return resolve({}, {}, {"host": host})


def test_a_port_that_is_free_is_told_and_is_free_afterwards():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for _ in range(2):
        assert computer.port_finding(settings(port=port), "127.0.0.1").found == f"port {port} is free"


def test_the_port_of_ones_own_that_is_taken_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        said = computer.port_finding(settings(port=listener.getsockname()[1]), "127.0.0.1")
    assert (said.status, "host.port" in said.remedy) == (Status.WARN, True)


def taken(ports):
    def listen(bind, port):
        if port in ports:
            raise OSError(98, "Address already in use")

    return listen


def test_the_next_port_is_told_when_the_usual_one_is_taken(monkeypatch):
    monkeypatch.setattr(computer, "_listen", taken({2048, 2049}))
    said = computer.port_finding(settings())
    assert (said.status, said.found) == (Status.OK, "port 2048 is taken, 2050 is free")


def test_all_ports_taken_is_told(monkeypatch):
    monkeypatch.setattr(computer, "_listen", taken(range(2048, 2100)))
    assert computer.port_finding(settings()).status is Status.WARN


def test_not_being_allowed_to_listen_is_broken(monkeypatch):
    def refuse(bind, port):
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(computer, "_listen", refuse)
    said = computer.port_finding(settings())
    assert (said.status, said.found) == (Status.FAIL, "port 2048: Permission denied")


class Page(http.server.BaseHTTPRequestHandler):
    server_name = "race2048"

    def do_GET(self):
        self.send_response_only(200)
        self.send_header("Server", self.server_name)
        self.end_headers()

    def log_message(self, *_):
        pass


class OtherPage(Page):
    server_name = "nginx"


@pytest.fixture(params=[Page, OtherPage])
def page(request):
    server = http.server.HTTPServer(("127.0.0.1", 0), request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield request.param, LobbyAddress("127.0.0.1", server.server_address[1])
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_lobby_that_answers_is_told_from_something_else(page):
    kind, address = page
    said = computer.lobby_finding(address)
    assert said.status is (Status.OK if kind is Page else Status.FAIL)
    assert ("answers in" if kind is Page else "something else") in said.found


def test_a_lobby_that_cannot_be_reached_is_broken():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    said = computer.lobby_finding(LobbyAddress("127.0.0.1", port))
    assert said.status is Status.FAIL
    assert "cannot be reached: Connection refused" in said.found


def test_without_a_lobby_of_the_settings_there_is_nothing_to_reach():
    assert computer.lobby_finding(None).status is Status.OK


# ── the command ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_computer_that_is_well_ends_with_0(capsys):
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "0 faults, 1 warning." in said  # not a terminal
    assert "→ Run doctor in the terminal that you play in" in said


def test_json_has_every_finding(capsys):
    assert cli.main(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is True
    assert [finding["name"] for finding in said["findings"]] == [
        "program", "libraries", "locale", "data", "config", "state", "keys", "settings", "clock", "network", "port",
        "lobby", "terminal",
    ]  # fmt: skip
    assert set(said["findings"][0]) == {"name", "status", "found", "remedy"}


def test_something_broken_ends_with_1(places, capsys):
    (places / "data").write_text("a file where a directory belongs")
    assert cli.main(["doctor", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["ok"], found_in(said, "data")["status"]) == (False, "fail")


def found_in(said, name):
    (finding,) = [finding for finding in said["findings"] if finding["name"] == name]
    return finding


def test_a_damaged_settings_file_is_a_finding_and_no_end(places, capsys):
    (places / "config").mkdir()
    (places / "config" / "c.toml").write_text("palette =")
    assert cli.main(["doctor", "--json"]) == 1
    said = found_in(json.loads(capsys.readouterr().out), "settings")
    assert said["status"] == "fail"
    assert "c.toml cannot be understood" in said["found"]


def test_unknown_settings_are_a_finding(places, capsys):
    (places / "config").mkdir()
    (places / "config" / "c.toml").write_text("pallete = 1")
    assert cli.main(["doctor"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "There is no setting pallete. Did you mean palette?" in said


def test_a_long_path_is_never_broken(places, monkeypatch, capsys):
    path = places / ("x" * 120)
    monkeypatch.setenv("RACE2048_DATA", str(path))
    cli.main(["doctor"])
    assert str(path) in capsys.readouterr().out


def test_resetting_what_is_no_terminal_is_usage(capsys):
    assert cli.main(["doctor", "--reset-terminal"]) == 2
    assert "no terminal" in capsys.readouterr().err


def test_the_reset_switches_off_whatever_a_screen_may_have_switched_on():
    off = {"1049", "1000", "1002", "1003", "1006", "2004", "1004", "2026", "1"}
    assert all(f"\x1b[?{mode}l" in RESET for mode in off)
    assert all(f"\x1b[?{mode}h" in RESET for mode in ("7", "25"))
