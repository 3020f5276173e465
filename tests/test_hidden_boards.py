"""Noninterference (rules 3.6): what rivals and watchers are sent depends on the public figures alone.

A pair of runs is made on one deck: in every second one player makes as many moves in both, but other ones and at other
times, chosen so that score and max tile agree at the sample. Whoever is not that player must be sent equal bytes.
"""

from __future__ import annotations

import os
import random
from copy import copy
from itertools import product

import pytest

from client.actions import Move, Resign
from engine.board import Direction
from engine.game import Game
from lobby.opening import DealOptions
from protocol.codec import decode_from_lobby
from protocol.messages import Ended, Role, TableSettings
from tests.world import Client, World

PAIRS = 200 if os.environ.get("RACE2048_LONG") else 12
SECONDS = 24
IDLE = 0.15  # seconds without a move: the first one after it must not be told at once
MOVES = 3  # in a second
MIDDLE_MS = 10_900  # after the moves of its second, before the sample
LONG = TableSettings(kind=3, target_exponent=0)

Plan = list[tuple[int, Direction]]  # when, since the start, and where to


def racing(seed: int) -> tuple[World, Client, Client, Client]:
    world = World(DealOptions(chain_length=64), seed=str(seed))
    host = world.host(LONG)
    rivals = world.join(host, "owl"), world.join(host, "hare")
    world.start(host, *rivals)
    return world, host, *rivals


def endings(game: Game) -> dict[tuple[int, int], list[tuple[Direction, ...]]]:
    """Every way to make some moves, by the figures it leads to."""
    found: dict[tuple[int, int], list[tuple[Direction, ...]]] = {}
    for moves in product(Direction, repeat=MOVES):
        played = copy(game)
        if all(played.move(direction) is not None for direction in moves) and not played.stuck:
            found.setdefault((played.score, played.max_exponent), []).append(moves)
    return found


def after(game: Game, moves: tuple[Direction, ...]) -> Game:
    played = copy(game)
    for direction in moves:
        played.move(direction)
    return played


def twins(game: Game, chance: random.Random) -> tuple[Plan, Plan, int] | None:
    """Two plans with equal figures after every second, and after how many seconds their boards differ.

    None if they have come to boards from which no moves lead to equal figures.
    """
    games = [copy(game), copy(game)]
    plans: tuple[Plan, Plan] = ([], [])
    apart = 0
    for second in range(SECONDS):
        if chance.random() < IDLE:
            continue
        ways = [endings(each) for each in games]
        common = sorted(ways[0].keys() & ways[1].keys())
        if not common:
            return None
        figures = chance.choice(common)
        chosen = [chance.choice(way[figures]) for way in ways]
        others = [
            moves for moves in ways[1][figures] if after(games[1], moves).board != after(games[0], chosen[0]).board
        ]
        chosen[1] = chance.choice(others or [chosen[1]])
        games = [after(each, moves) for each, moves in zip(games, chosen, strict=True)]
        apart += games[0].board != games[1].board
        for plan, moves in zip(plans, chosen, strict=True):
            times = sorted(chance.sample(range(1_000 * second + 50, 1_000 * second + 700, 50), MOVES))
            plan.extend(zip(times, moves, strict=True))
    return *plans, apart


def shown(seed: int, plan: Plan) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Everything that a rival, a watcher from the start and one from the middle are sent before the end."""
    world, host, rival, resigning = racing(seed)
    assert host.session.race is not None
    start_ms = host.session.race.start.start_ms
    watcher = world.join(host, "mole", role=Role.WATCHER)
    for t_ms, direction in plan:
        if t_ms > MIDDLE_MS > world.now_ms - start_ms:
            world.run_until(start_ms + MIDDLE_MS)
            late = world.join(host, "newt", role=Role.WATCHER)
            world.act(resigning, Resign())  # a tick between two samples
        world.run_until(start_ms + t_ms)
        world.act(host, Move(direction))
    world.run_until(start_ms + 1_000 * SECONDS + 500)
    assert host.session.own is not None
    assert len(host.session.own.log) == len(plan)
    return before_end(rival), before_end(watcher), before_end(late)


def before_end(client: Client) -> list[bytes]:
    frames = []
    for frame in client.heard:
        if isinstance(decode_from_lobby(frame), Ended):
            break
        frames.append(frame)
    return frames


def pair(seed: int) -> tuple[Plan, Plan, int]:
    _world, host, _rival, _resigning = racing(seed)
    assert host.session.own is not None
    assert host.session.own.game is not None
    chance, found = random.Random(seed), None
    while found is None:
        found = twins(host.session.own.game, chance)
    return found


@pytest.mark.parametrize("seed", range(PAIRS))
def test_different_boards_with_equal_figures_are_shown_by_equal_bytes(seed: int) -> None:
    first, second, apart = pair(seed)
    assert apart >= SECONDS // 2, "the boards hardly differ"
    assert first != second
    assert shown(seed, first) == shown(seed, second)


def test_other_figures_are_shown_by_other_bytes() -> None:
    """The test can see: a run with a move fewer is not the same."""
    first, _second, _apart = pair(0)
    assert shown(0, first)[0] != shown(0, first[:-1])[0]
