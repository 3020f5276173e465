"""Garbage is looked for when enough has ended, and by Python itself only among what is young."""

import asyncio
import gc

import pytest

from lobby import garbage


class Looks:
    """How often everything was looked through."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        self.count += phase == "start" and info["generation"] == 2


@pytest.fixture
def looks(monkeypatch):
    monkeypatch.setattr(garbage, "LOOK_S", 0.0)
    monkeypatch.setattr(garbage, "LOOKS_MAX", 1_000)
    made = Looks()
    gc.callbacks.append(made)
    yield made
    gc.callbacks.remove(made)


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_everything_is_looked_through_when_enough_has_ended_and_then_not_again(looks):
    ended = 0
    async with garbage.collected(lambda: ended):
        await turns(2)
        at_first = looks.count
        ended = garbage.ENOUGH - 1
        await turns(10)
        assert looks.count == at_first
        ended = garbage.ENOUGH
        await turns(100)
        assert looks.count == at_first + 1


async def test_everything_is_looked_through_now_and_then_though_nothing_ends(looks, monkeypatch):
    monkeypatch.setattr(garbage, "LOOKS_MAX", 5)
    async with garbage.collected(lambda: 0):
        at_first = looks.count
        await turns(100)
        assert looks.count > at_first + 5


async def test_python_by_itself_looks_at_what_is_young_and_as_before_afterwards(looks):
    usual, frozen = gc.get_threshold(), gc.get_freeze_count()
    async with garbage.collected(lambda: 0):
        at_first = looks.count
        kept = [[number] for number in range(100_000)]
        assert looks.count == at_first
        assert gc.get_freeze_count() > frozen
    assert len(kept) == 100_000
    assert (gc.get_threshold(), gc.get_freeze_count()) == (usual, 0)
