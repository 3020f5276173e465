"""The adapter around a session: effects in order, one timer, one connection that counts."""

import asyncio
import threading
from dataclasses import replace
from typing import ClassVar

import pytest

from client import connection as connection_module
from client import runner as runner_module
from client.actions import Leave, SetReady
from client.events import (
    Acted,
    Checked,
    CheckRecord,
    Connect,
    Connected,
    Disconnect,
    Dropped,
    Event,
    Received,
    SaveRecord,
    Send,
    Woke,
)  # fmt: skip
from client.race import Seen
from client.runner import Runner, now_ms
from client.view import Check, Line, SessionView
from protocol.deal import Start
from protocol.messages import Ping, Signed

ONLINE = SessionView(line=Line.ONLINE)
PATIENCE_S = 10


class Script:
    """A session that does what the test says: `answers` maps an event's type to what returns effects."""

    def __init__(self, **answers):
        self.answers = answers
        self.heard: list[tuple[Event, int]] = []
        self.deadline: int | None = None
        self.picture = ONLINE
        self.paths: list[str] = []
        self.luck: list[tuple[bytes, tuple[int | None, ...]]] = []

    def begin(self, now):
        return [Connect(0)]

    def handle(self, event, now):
        self.heard.append((event, now))
        answer = self.answers.get(type(event).__name__)
        return list(answer(self) or ()) if answer else []

    def view(self, now):
        return self.picture

    def saved(self, record_sha256, path):
        self.paths.append(path)

    def weighed(self, record_sha256, luck):
        self.luck.append((record_sha256, luck))

    def over(self):
        self.picture = replace(ONLINE, line=Line.OVER)

    @property
    def events(self):
        return [event for event, _ in self.heard]


class Wire:
    """Stands in for client.connection.Connection. It stands at once, and ends when it is closed or dropped."""

    made: ClassVar[list["Wire"]] = []

    def __init__(self, url, listen):
        self.url, self.listen, self.sent, self.ended = url, listen, [], asyncio.Event()
        Wire.made.append(self)

    def send(self, message):
        self.sent.append(message)

    def close(self):
        self.sent.append("close")
        self.ended.set()

    async def run(self):
        self.listen(Connected())
        await self.ended.wait()
        self.listen(Dropped("lost"))


@pytest.fixture(autouse=True)
def wires(monkeypatch):
    monkeypatch.setattr(connection_module, "Connection", Wire)
    Wire.made = []
    return Wire.made


async def until(happened):
    """Lets the loop run until something has happened."""
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110 - the session has no event to wait for, and needs none
            await asyncio.sleep(0)


def running(runner):
    return asyncio.create_task(asyncio.wait_for(runner.run(), PATIENCE_S))


async def test_it_connects_to_the_lobby_and_tells_the_session(wires):
    script = Script(Connected=Script.over)
    await running(Runner(script, "http://lobby"))
    assert wires[0].url == "http://lobby"
    assert script.events == [Connected()]


async def test_effects_are_carried_out_in_order(wires):
    def speak(script):
        script.over()
        return [Send(Ping(1)), Send(Ping(2)), Disconnect()]

    script = Script(Connected=speak)
    await running(Runner(script, "http://lobby"))
    assert wires[0].sent == [Ping(1), Ping(2), "close"]


async def test_what_is_received_is_handed_in(wires):
    script = Script(Received=Script.over)
    run = running(Runner(script, "http://lobby"))
    await until(lambda: script.heard)
    wires[0].listen(Received(Ping(7)))
    await run
    assert script.events == [Connected(), Received(Ping(7))]


async def test_an_act_is_handed_in_at_once(wires):
    script = Script(Acted=Script.over)
    runner = Runner(script, "http://lobby")
    run = running(runner)
    await asyncio.sleep(0)
    runner.act(SetReady())
    assert script.events[-1] == Acted(SetReady())
    await run


async def test_the_clock_is_handed_in_and_never_goes_back(wires):
    script = Script(Connected=Script.over)
    before = now_ms()
    await running(Runner(script, "http://lobby"))
    assert [now for _, now in script.heard] == sorted(now for _, now in script.heard)
    assert before <= script.heard[0][1] <= now_ms()


async def test_the_session_is_woken_at_its_deadline_and_not_before(wires):
    script = Script(Woke=Script.over)
    due_ms = script.deadline = now_ms() + 50
    await running(Runner(script, "http://lobby"))
    woke = [now for event, now in script.heard if event == Woke()]
    assert len(woke) == 1
    assert woke[0] >= due_ms


async def test_a_deadline_that_comes_nearer_is_kept(wires):
    def hurry(script):
        script.deadline = now_ms() + 20

    script = Script(Connected=hurry, Woke=Script.over)
    script.deadline = now_ms() + 60_000
    await running(Runner(script, "http://lobby"))
    assert script.events == [Connected(), Woke()]


async def test_a_computer_that_slept_is_noticed_though_the_loop_slept_too(wires, monkeypatch):
    monkeypatch.setattr(runner_module, "TIMER_S_MAX", 0.05)
    script = Script(Woke=Script.over)
    script.deadline = now_ms() + 3_600_000
    run = running(Runner(script, "http://lobby"))
    await until(lambda: script.heard)
    monkeypatch.setattr(runner_module, "now_ms", lambda: script.deadline)
    await run
    assert script.events[-1] == Woke()


async def test_a_lost_connection_is_made_again_after_the_pause(wires):
    def again(script):
        return [Connect(30)]

    script = Script(Dropped=again, Connected=lambda script: script.over() if len(wires) == 2 else None)
    run = running(Runner(script, "http://lobby"))
    await until(lambda: script.heard)
    wires[0].ended.set()
    await run
    dropped, connected = script.heard[-2:]
    assert (dropped[0], connected[0]) == (Dropped("lost"), Connected())
    assert connected[1] - dropped[1] >= 29


async def test_a_connection_that_was_given_up_is_not_heard_any_more(wires):
    def leave(script):
        return [Disconnect(), Connect(0)] if len(wires) == 1 else script.over()

    script = Script(Connected=leave)
    await running(Runner(script, "http://lobby"))
    assert wires[0].ended.is_set()
    assert script.events == [Connected(), Connected()]


async def test_a_pause_before_a_connection_ends_when_the_session_does(wires, monkeypatch):
    script = Script(Dropped=lambda script: [Connect(60_000)], Acted=Script.over)
    runner = Runner(script, "http://lobby")
    run = running(runner)
    await until(lambda: script.heard)
    wires[0].ended.set()
    await until(lambda: len(script.heard) == 2)
    runner.act(Leave())
    await run
    assert len(wires) == 1


async def test_a_record_is_kept_and_its_path_told(wires):
    effect = SaveRecord("482913", b"record", ok=True)
    script = Script(Connected=lambda script: [effect])
    kept = []

    def keep(saved):
        kept.append(saved)
        return "/races/1"

    runner = Runner(script, "http://lobby", keep)
    runner.on_change = lambda: script.over() if script.paths else None
    await running(runner)
    assert (kept, script.paths) == ([effect], ["/races/1"])


async def test_a_record_that_cannot_be_kept_ends_nothing(wires):
    def full(effect):
        raise OSError(28, "No space left on device")

    script = Script(Connected=lambda script: [SaveRecord("482913", b"record", ok=True)])
    runner = Runner(script, "http://lobby", full)
    runner.on_change = lambda: script.over() if runner.save_error else None
    await running(runner)
    assert runner.save_error == "No space left on device"
    assert script.paths == []


SEEN = Seen(
    deal=Signed(b"", b""), start_signed=Signed(b"", b""), start=Start(bytes(32), (), 0), players=(), ended=None,
    record_sha256=None, ticks=(), gaps=(), own=None,
)  # fmt: skip
CHECK = CheckRecord("482913", b"record", SEEN, (b"told",))


async def test_what_came_of_a_check_is_handed_in(wires):
    script = Script(Connected=lambda script: [CHECK], Checked=Script.over)
    await running(Runner(script, "http://lobby"))
    answer = script.events[-1]
    assert (answer.asked, answer.check.ok, answer.check.reason) == (CHECK, False, "false")


@pytest.fixture
def slow_check(monkeypatch):
    """A check that takes until the test has ended it."""
    finish = threading.Event()

    def wait(data, seen):
        finish.wait(PATIENCE_S)
        return Check(ok=True, reason="")

    monkeypatch.setattr(runner_module, "check_record", wait)
    yield finish
    finish.set()


async def test_the_session_goes_on_while_a_record_is_checked(wires, slow_check):
    script = Script(Connected=lambda script: [CHECK], Checked=Script.over)
    run = running(Runner(script, "http://lobby"))
    await until(lambda: script.heard)
    wires[0].listen(Received(Ping(1)))
    assert script.events == [Connected(), Received(Ping(1))]
    slow_check.set()
    await run
    assert script.events[-1] == Checked(CHECK, Check(ok=True, reason=""))


async def test_a_record_that_nobody_waits_for_is_kept_unchecked(wires, slow_check, monkeypatch):
    monkeypatch.setattr(runner_module, "FAREWELL_S", 0.01)
    kept = []

    def keep(effect):
        kept.append(effect)
        return "/races/1"

    script = Script(Connected=lambda script: [CHECK])
    runner = Runner(script, "http://lobby", keep)
    run = running(runner)
    await until(lambda: script.heard)
    script.over()
    wires[0].listen(Received(Ping(1)))
    await run
    assert kept == [SaveRecord("482913", b"record", ok=False, told=(b"told",))]
    assert runner.unchecked == "/races/1"


async def test_a_record_that_was_checked_is_saved_though_the_session_is_over(wires, slow_check):
    script = Script(Connected=lambda script: [CHECK], Checked=lambda script: [SaveRecord("482913", b"record", ok=True)])
    runner = Runner(script, "http://lobby", lambda effect: "/races/1")
    run = running(runner)
    await until(lambda: script.heard)
    script.over()
    wires[0].listen(Received(Ping(1)))
    await asyncio.sleep(0)
    slow_check.set()
    await run
    assert script.paths == ["/races/1"]


async def test_a_bug_in_the_check_of_a_record_comes_out_of_run(wires, monkeypatch):
    def fail(data, seen):
        raise LookupError("our bug")

    monkeypatch.setattr(runner_module, "check_record", fail)
    with pytest.raises(LookupError, match="our bug"):
        await running(Runner(Script(Connected=lambda script: [CHECK]), "http://lobby"))


async def test_who_keeps_no_records_is_not_asked_to(wires):
    def speak(script):
        script.over()
        return [SaveRecord("482913", b"record", ok=True)]

    script = Script(Connected=speak)
    await running(Runner(script, "http://lobby"))
    assert script.paths == []


async def test_every_change_is_told(wires):
    changes = []
    script = Script(Connected=Script.over)
    runner = Runner(script, "http://lobby")
    runner.on_change = lambda: changes.append(len(script.heard))
    await running(runner)
    assert changes == [0, 1]


async def test_a_bug_of_the_session_in_a_message_comes_out_of_run(wires):
    def fail(script):
        raise LookupError("our bug")

    with pytest.raises(LookupError, match="our bug"):
        await running(Runner(Script(Connected=fail), "http://lobby"))


async def test_a_bug_of_the_session_in_an_act_comes_out_of_act(wires):
    def fail(script):
        raise LookupError("our bug")

    runner = Runner(Script(Acted=fail), "http://lobby")
    run = running(runner)
    await asyncio.sleep(0)
    with pytest.raises(LookupError, match="our bug"):
        runner.act(Leave())
    runner.stop()
    await run


async def test_stopping_says_nothing_to_the_lobby(wires):
    script = Script()
    runner = Runner(script, "http://lobby")
    run = running(runner)
    await until(lambda: script.heard)
    runner.stop()
    await run
    assert wires[0].sent == []
    assert script.events == [Connected()]


async def test_a_cancelled_run_leaves_no_task_behind(wires):
    script = Script()
    run = running(Runner(script, "http://lobby"))
    await until(lambda: script.heard)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert asyncio.all_tasks() == {asyncio.current_task()}
