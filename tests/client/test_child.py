"""The lobby as a child process: it starts, says where it is, outlives us if it should, and is never left behind."""

import asyncio
import os
import signal
import socket
import subprocess
import sys

import pytest

from client import child
from client.child import ChildError, start_bot, start_lobby

HERE = ["--bind", "127.0.0.1", "--port", "0"]


@pytest.fixture
def spawned(monkeypatch):
    """Lets the test say what is run instead of a lobby; returns the processes."""
    processes = []

    def instead(code):
        def spawn(module, *, stdout, stderr):
            process = subprocess.Popen([sys.executable, "-c", code], stdout=stdout, stderr=stderr)
            processes.append(process)
            return process

        monkeypatch.setattr(child, "_spawn", spawn)
        return processes

    yield instead
    for process in processes:
        process.kill()
        process.wait()


async def test_a_lobby_starts_and_says_where_it_listens(tmp_path):
    lobby = await start_lobby(HERE, tmp_path)
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", lobby.port)
        writer.write(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert b" 200 OK" in await reader.readline()
        writer.close()
        assert lobby.url == f"http://127.0.0.1:{lobby.port}"
        assert (lobby.bind, lobby.remarks) == ("127.0.0.1", "")
    finally:
        await asyncio.to_thread(lobby.stop)


async def test_a_lobby_has_a_session_of_its_own_so_that_ctrl_c_does_not_reach_it(tmp_path):
    lobby = await start_lobby(HERE, tmp_path)
    try:
        assert os.getsid(lobby.pid) == lobby.pid != os.getsid(0)
    finally:
        await asyncio.to_thread(lobby.stop)


async def test_a_lobby_that_is_stopped_is_gone(tmp_path):
    lobby = await start_lobby(HERE, tmp_path)
    await asyncio.to_thread(lobby.stop)
    with pytest.raises(ProcessLookupError):
        os.kill(lobby.pid, 0)


async def test_a_lobby_that_does_not_stop_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(child, "STOP_S", 0.2)
    lobby = await start_lobby(HERE, tmp_path)
    os.kill(lobby.pid, signal.SIGSTOP)
    await asyncio.to_thread(lobby.stop)
    with pytest.raises(ProcessLookupError):
        os.kill(lobby.pid, 0)


async def test_a_port_that_is_taken_is_reported_with_its_exit_code(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ChildError, match=f"{port}.*taken") as caught:
            await start_lobby(["--bind", "127.0.0.1", "--port", str(port)], tmp_path)
    assert caught.value.exit_code == 3


async def test_what_a_lobby_said_at_an_earlier_start_is_not_said_again(tmp_path):
    (tmp_path / "lobby.log").write_text("an old complaint\n")
    lobby = await start_lobby(HERE, tmp_path)
    await asyncio.to_thread(lobby.stop)
    assert lobby.remarks == ""


async def test_what_a_lobby_remarks_at_its_start_is_passed_on(tmp_path, spawned):
    said = '{"url": "http://h:1", "bind": "h", "port": 1, "pid": 1}'
    spawned(f"import sys; print('port taken', file=sys.stderr); print('{said}')")
    assert (await start_lobby([], tmp_path)).remarks == "port taken"


async def test_a_lobby_that_does_not_start_in_time_is_not_left_behind(tmp_path, monkeypatch, spawned):
    monkeypatch.setattr(child, "START_S", 0.2)
    processes = spawned("import time; time.sleep(600)")
    with pytest.raises(ChildError, match="did not start"):
        await start_lobby([], tmp_path)
    assert processes[0].returncode == -signal.SIGKILL


async def test_a_start_that_is_interrupted_leaves_nothing_behind(tmp_path, spawned):
    processes = spawned("import time; time.sleep(600)")
    start = asyncio.create_task(start_lobby([], tmp_path))
    while not processes:  # noqa: ASYNC110 - until the process is there
        await asyncio.sleep(0)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert processes[0].returncode == -signal.SIGKILL


async def test_a_lobby_that_ends_at_once_is_reported_with_what_it_said(tmp_path, spawned):
    spawned("import sys; sys.exit('the key is damaged')")
    with pytest.raises(ChildError, match="the key is damaged") as caught:
        await start_lobby([], tmp_path)
    assert caught.value.exit_code == 1


async def test_a_lobby_that_is_killed_by_a_signal_is_a_bug(tmp_path, spawned):
    spawned("import os; os.kill(os.getpid(), 9)")
    with pytest.raises(ChildError) as caught:
        await start_lobby([], tmp_path)
    assert caught.value.exit_code == 70


async def test_a_lobby_that_says_nonsense_is_not_left_behind(tmp_path, spawned):
    processes = spawned("import time; print('hello', flush=True); time.sleep(600)")
    with pytest.raises(ValueError, match="Expecting value"):
        await start_lobby([], tmp_path)
    assert processes[0].returncode == -signal.SIGKILL


async def test_a_data_directory_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "data").write_text("a file where a directory belongs")
    with pytest.raises(ChildError, match="data") as caught:
        await start_lobby(HERE, tmp_path / "data")
    assert caught.value.exit_code == 6


async def test_a_folder_called_lobby_where_we_happen_to_be_is_not_run(tmp_path, monkeypatch):
    foreign = tmp_path / "lobby"
    foreign.mkdir()
    (foreign / "__init__.py").touch()
    (foreign / "__main__.py").write_text("raise SystemExit('foreign')")
    monkeypatch.chdir(tmp_path)
    lobby = await start_lobby(HERE, tmp_path / "data")
    await asyncio.to_thread(lobby.stop)


async def test_a_log_that_has_grown_too_long_is_begun_anew(tmp_path, monkeypatch, spawned):
    monkeypatch.setattr(child, "LOG_BYTES_MAX", 10)
    (tmp_path / "lobby.log").write_text("more than ten bytes")
    spawned("import sys; sys.exit('short')")
    with pytest.raises(ChildError, match="short"):
        await start_lobby([], tmp_path)
    assert (tmp_path / "lobby.log").read_text() == "short\n"
    assert (tmp_path / "lobby.log.old").read_text() == "more than ten bytes"


def test_a_computer_player_says_why_it_could_not_sit_in_its_log(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    bot = start_bot(f"http://127.0.0.1:{port}/t/482913", tmp_path)
    assert bot.wait() == 3
    assert "cannot be reached" in (tmp_path / "bots.log").read_text()
