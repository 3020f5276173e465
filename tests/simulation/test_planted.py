"""The oracles see: every bug that is put into the real code on purpose is caught (bugs.py).

Here each is looked for in the worlds in which it is known to show; with RACE2048_LONG=1 in worlds never played before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from tests.simulation.bugs import BUGS
from tests.simulation.stored import STORED
from tests.simulation.world import BrokenError, play

LONG = bool(os.environ.get("RACE2048_LONG"))
WORLDS_MAX, FRESH_WORLDS_MAX = 5, 200


def caught(name: str, seeds: Sequence[int]) -> int | None:
    """The first of these worlds in which the bug shows."""
    for seed in seeds:
        with BUGS[name]():
            try:
                play(seed)
            except BrokenError:
                return seed
    return None


def test_every_bug_has_its_worlds_and_they_are_few() -> None:
    assert STORED.keys() == BUGS.keys()
    assert len(BUGS) >= 15
    assert all(1 <= len(seeds) <= WORLDS_MAX for seeds in STORED.values())


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_caught(name: str) -> None:
    assert caught(name, STORED[name]) is not None


@pytest.mark.parametrize("seed", sorted({seed for seeds in STORED.values() for seed in seeds}))
def test_a_world_in_which_a_bug_shows_is_whole_without_it(seed: int) -> None:
    play(seed)


if LONG:

    @pytest.mark.parametrize("name", BUGS)
    def test_a_planted_bug_is_found_in_fresh_worlds(name: str) -> None:
        first = int.from_bytes(os.urandom(4), "big")
        assert caught(name, range(first, first + FRESH_WORLDS_MAX)) is not None, f"worlds from {first}"
