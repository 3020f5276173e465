"""Noninterference (rules 3.6): what rivals and watchers are sent depends on the public figures alone.

A pair of runs is made on one deck: in every second one player makes as many moves in both, but other ones and at other
times, chosen so that score and max tile agree at the sample. Whoever is not that player must be sent equal bytes, from
the Welcome to the end. The table is driven by hand, without the clients' sessions: 200 pairs take seconds.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import msgspec
import pytest

from engine.board import Direction
from engine.game import Game
from engine.race import offer_number
from lobby.events import Send
from protocol.codec import encode
from protocol.messages import Ended, FromLobby, Role, Ticked
from protocol.movelog import Act
from tests.lobby.racers import HandRace, Racer
from tests.lobby.test_table import Player

PAIRS = 200
SECONDS = 26
QUIET = 3  # seconds without a move: the first one after it must not be told at once
TICKS_MIN = 20
MOVES = 3  # in a second
ENDINGS_MAX_MS = 700  # the last moves of a second come before this, and the sample after it
SCENES_MS = {"offer": 5_377, "withdraw": 7_377, "resign": 10_377}  # ticks among moves, where the figures differ
END_MS = 1_000 * SECONDS + 500

Plan = list[tuple[int, Direction]]  # when, since the start, and where to


def endings(game: Game, left: int = MOVES) -> dict[tuple[int, int], list[tuple[Direction, ...]]]:
    """Every way to make some moves, by the figures it leads to."""
    found: dict[tuple[int, int], list[tuple[Direction, ...]]] = {}
    for direction in Direction:
        played = game.copy()
        if played.move(direction) is None or played.stuck:
            continue
        if left == 1:
            found.setdefault((played.score, played.max_exponent), []).append((direction,))
            continue
        for figures, ways in endings(played, left - 1).items():
            found.setdefault(figures, []).extend((direction, *way) for way in ways)
    return found


def after(game: Game, moves: tuple[Direction, ...]) -> Game:
    played = game.copy()
    for direction in moves:
        played.move(direction)
    return played


def twins(game: Game, chance: random.Random) -> tuple[Plan, Plan, int] | None:
    """Two plans with equal figures after every second, and after how many seconds their boards differ.

    None if they have come to boards from which no moves lead to equal figures.
    """
    games = [game.copy(), game.copy()]
    plans: tuple[Plan, Plan] = ([], [])
    apart = 0
    quiet = chance.sample(range(SECONDS), QUIET)
    for second in [second for second in range(SECONDS) if second not in quiet]:
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
            earliest_ms = 1_000 * second + 50
            times = sorted(chance.sample(range(earliest_ms, 1_000 * second + ENDINGS_MAX_MS, 50), MOVES))
            plan.extend(zip(times, moves, strict=True))
    return *plans, apart


@dataclass
class Run:
    """A race of three in which the first seat plays a plan; the others do the same in every run."""

    race: HandRace
    watchers: list[Player]

    @property
    def everyone(self) -> tuple[Player, ...]:
        return (*(racer.player for racer in self.race.racers), *self.watchers)

    def until(self, t_ms: int) -> None:
        self.race.tables.pass_ms(t_ms - self.race.since_start_ms, alive=self.everyone)

    def do(self, what: object) -> None:
        hidden, rival, third = self.race.racers
        if isinstance(what, Direction):
            make(hidden, what, self.race.since_start_ms)
        elif what == "move":
            rival.move()
            rival.slice(rival.sign())
        elif what == "resign":
            self.watchers.append(self.race.tables.guest(11, Role.WATCHER))  # one who comes in the middle
            third.seal(Act.RESIGN)
        else:
            rival.seal(Act.OFFER if what == "offer" else Act.WITHDRAW, offer_number(rival.number, 1))

    def heard(self, player: Player) -> list[FromLobby]:
        sends = [effect for effect in self.race.tables.effects if isinstance(effect, Send)]
        return [send.message for send in sends if player.connection in send.connections]


def make(racer: Racer, direction: Direction, t_ms: int) -> None:
    assert racer.game.move(direction) is not None
    racer.log.append(direction, t_ms)
    racer.slice(racer.sign())


def shown(seed: int, plan: Plan) -> list[list[bytes]]:
    """Everything that a rival, one who resigned, a watcher from the start and one from the middle are sent."""
    race = HandRace(guests=2, seed=f"hidden {seed}")
    run = Run(race, [race.tables.guest(10, Role.WATCHER)])
    rivals = [(1_000 * second + 333, "move") for second in range(0, SECONDS, 2)]
    scenes: list[tuple[int, object]] = [*plan, *rivals, *((t_ms, name) for name, t_ms in SCENES_MS.items())]
    for t_ms, what in sorted(scenes, key=lambda scene: scene[0]):
        run.until(t_ms)
        run.do(what)
    run.until(END_MS)
    race.racers[1].seal(Act.RESIGN)
    run.until(END_MS + 1_000)
    shown_to = [run.heard(player) for player in run.everyone if player is not race.tables.host]
    assert sum(isinstance(message, Ticked) for message in shown_to[0]) >= TICKS_MIN
    return [to_the_end(heard) for heard in shown_to]


def to_the_end(heard: list[FromLobby]) -> list[bytes]:
    """The frames up to the end, and of the end itself everything but the boards."""
    end = next(place for place, message in enumerate(heard) if isinstance(message, Ended))
    last = heard[end]
    assert isinstance(last, Ended)
    return [*(encode(message) for message in heard[:end]), encode(msgspec.structs.replace(last, boards=()))]


def pair(seed: int) -> tuple[Plan, Plan, int]:
    game = HandRace(guests=2, seed=f"hidden {seed}").racers[0].game
    chance, found = random.Random(seed), None
    while found is None:
        found = twins(game, chance)
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
    for full, short in zip(shown(0, first), shown(0, first[:-1]), strict=True):
        assert full != short
