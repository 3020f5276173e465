"""Whole races of computer players on uneven lines, under the virtual clock: real records of real length, in seconds.

World.press plays by a fixed order of keys, which is stuck long before 2048; these look ahead as `race2048 bot` does.
Their lines hold everything back now and then, as Wi-Fi does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from client.actions import Move
from client.bot import STYLES_BY_NAME
from engine.board import Board, Direction
from protocol.messages import TableSettings
from tests.world import Client, World

DELAYS_MS = (4, 15, 25, 40)  # one way, by seat
PACES = (4.0, 3.9, 4.1, 3.8)  # moves a second, which is a quick person
HELD_BACK_EVERY_MS = 50


@cache
def best(board: Board) -> Direction | None:
    """The move of the computer player that is best on 4×4. All boards of a race are alike as long as all play so."""
    return STYLES_BY_NAME["snake"].choose(board)


def record_of(settings: TableSettings, *, jitter_ms: int = 0, seed: str = "", paces: Sequence[float] = PACES) -> bytes:
    """The record of a race of as many players as there are paces; `jitter_ms` is by how much a line is held back."""
    world = World(seed=seed)
    chance = random.Random(seed)
    host = world.host(settings, delay_ms=DELAYS_MS[0])
    guests = [world.join(host, f"p{n}", delay_ms=DELAYS_MS[n], clock_ms=1_000 * n) for n in range(1, len(paces))]
    for client in (host, *guests):
        if jitter_ms:
            hold_back(world, client, jitter_ms, chance)
    world.start(host, *guests)
    for client, pace in zip((host, *guests), paces, strict=True):
        play(world, client, pace, chance)
    race = host.session.race
    assert race is not None
    world.run_while(lambda: race.check is None, limit_ms=3_600_000)
    assert race.check is not None
    assert race.check.ok, race.check
    return world.archived[0].record


def hold_back(world: World, client: Client, jitter_ms: int, chance: random.Random) -> None:
    """Holds the client's line back now and then, from now on, for `jitter_ms` on average; nothing overtakes."""
    until_ms = world.now_ms + round(chance.expovariate(1 / jitter_ms))
    client.stalled_until_ms = max(client.stalled_until_ms, until_ms)
    pause_ms = 1 + round(chance.expovariate(1 / HELD_BACK_EVERY_MS))
    world._later(pause_ms, lambda: hold_back(world, client, jitter_ms, chance))


def play(world: World, client: Client, pace: float, chance: random.Random) -> None:
    """Makes a move now and then until the race is over: as evenly as a person does."""
    own, race = client.session.own, client.session.race
    if race is None or race.ended is not None:
        return
    if own is not None and own.game is not None and not own.done:
        direction = best(own.game.board)
        if direction is not None:
            world.act(client, Move(direction))
    world._later(round(1_000 / pace * chance.uniform(0.5, 1.5)), lambda: play(world, client, pace, chance))
