"""Luck worked out beside a screen: by a real process, that nobody waits for when they leave."""

import asyncio
import hashlib
import os
import sys

import pytest

from client.events import Received, SaveRecord
from client.runner import Runner
from client.weighing import weigh
from protocol.luck import luck_of
from protocol.messages import Ping
from tests.client.test_runner import PATIENCE_S, Script, running, until, wires
from tests.protocol.test_luck import long_race

__all__ = ["wires"]  # a fixture
RECORD = SaveRecord("482913", b"record", ok=True)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def started(monkeypatch):
    """The process numbers of what is started meanwhile."""
    pids = []
    start = asyncio.create_subprocess_exec

    async def noted(*words, **options):
        process = await start(*words, **options)
        pids.append(process.pid)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    return pids


@pytest.fixture
def endless(monkeypatch, tmp_path):
    """The process takes all it is given and never comes to an end."""
    program = tmp_path / "endless"
    program.write_text(f"#!{sys.executable}\nimport sys, time\nsys.stdin.buffer.read()\ntime.sleep(600)\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))


async def test_a_process_tells_what_the_record_says(started):
    record = long_race().record()
    assert await weigh(record) == tuple(found.z for found in luck_of(record))
    assert not is_alive(started[0])


async def test_of_what_is_no_record_nothing_is_told():
    assert await weigh(b"no record") == ()


async def test_without_a_process_nothing_is_told(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert await weigh(b"record") == ()


async def test_who_waits_no_longer_leaves_no_process_behind(started, endless):
    waiting = asyncio.ensure_future(weigh(b"record"))
    await until(lambda: started)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, PATIENCE_S)
    assert not is_alive(started[0])


# ── in the runner ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_luck_of_a_true_record_is_handed_to_the_session(wires):
    async def found(record):
        assert record == RECORD.record
        return (812, None)

    script = Script(Connected=lambda script: [RECORD])
    runner = Runner(script, "http://lobby")
    runner.weigh = found
    runner.on_change = lambda: script.over() if script.luck else None
    await running(runner)
    (told,) = script.luck
    assert told == (hashlib.sha256(b"record").digest(), (812, None))


async def test_a_record_that_does_not_hold_is_not_weighed(wires):
    async def never(record):
        raise AssertionError("not of a false record")

    def speak(script):
        script.over()
        return [SaveRecord("482913", b"record", ok=False)]

    script = Script(Connected=speak)
    runner = Runner(script, "http://lobby")
    runner.weigh = never
    await running(runner)
    assert script.luck == []


async def test_nobody_waits_for_luck_when_the_session_is_over(wires, started, endless):
    script = Script(Connected=lambda script: [RECORD])
    runner = Runner(script, "http://lobby")
    runner.weigh = weigh
    run = running(runner)
    await until(lambda: started)
    script.over()
    runner.stop()
    await run
    assert script.luck == []
    assert not is_alive(started[0])
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_the_next_record_takes_the_place_of_one_that_is_still_weighed(wires):
    cancelled = []

    async def slow(record):
        if record == b"second":
            return (1,)
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled.append(record)
            raise
        return ()

    script = Script(Connected=lambda script: [RECORD], Received=lambda script: [SaveRecord("1", b"second", ok=True)])
    runner = Runner(script, "http://lobby")
    runner.weigh = slow
    runner.on_change = lambda: script.over() if script.luck else None
    run = running(runner)
    await until(lambda: script.heard)
    await asyncio.sleep(0)
    wires[0].listen(Received(Ping(1)))
    await run
    assert cancelled == [b"record"]
    assert [luck for _, luck in script.luck] == [(1,)]
