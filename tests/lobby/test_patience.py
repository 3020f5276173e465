"""Work that can wait leaves the loop to everybody else, but not to nobody."""

import asyncio

import pytest

from lobby import bounds
from lobby.patience import rest


class Busy:
    """Others on the loop, who work for so long in each of its turns; the loop's time is theirs alone."""

    def __init__(self, loop: asyncio.AbstractEventLoop, each_s: float) -> None:
        self.now_s = 0.0
        self.each_s = each_s
        self._loop = loop
        self._next = loop.call_soon(self._work)

    def _work(self) -> None:
        self.now_s += self.each_s
        self._next = self._loop.call_soon(self._work)

    def stop(self) -> None:
        self._next.cancel()


@pytest.fixture
def others(monkeypatch):
    """Makes the others busy, and the loop's clock theirs."""
    made: list[Busy] = []

    def busy(each_s: float) -> Busy:
        loop = asyncio.get_running_loop()
        made.append(Busy(loop, each_s))
        monkeypatch.setattr(loop, "time", lambda: made[0].now_s)
        return made[0]

    yield busy
    for each in made:
        each.stop()


async def test_who_is_busy_has_three_times_as_long(others):
    busy = others(each_s=0.001)
    await rest(0.01)
    assert busy.now_s == pytest.approx(0.03, abs=0.004)


async def test_who_has_nothing_to_do_keeps_nobody_waiting(others):
    busy = others(each_s=0.000_05)
    await rest(0.01)
    assert busy.now_s < bounds.IDLE_S


async def test_what_took_long_still_goes_on_soon(others):
    busy = others(each_s=0.001)
    await rest(60.0)
    assert busy.now_s == pytest.approx(bounds.PAUSE_S_MAX, abs=0.004)
