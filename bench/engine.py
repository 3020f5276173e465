"""Replays of the same games by the engine and by bench/naive.py, interleaved in one run.

A replay is everything a verifier does to a log but hashing it: draws (SHA-256), slides, spawns, the check for stuck.
"Slides" is the same without the draws, which both sides share. Cold: a fresh process, each game replayed once.
Seconds are of processor time, so that others at work on the machine disturb less.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

from bench.naive import NaiveBoard
from engine.board import SIZES, Board, Direction
from engine.deck import Deck, Draw, SoloDeck, seed_of_text
from engine.game import replay

GAMES = 12  # on 4×4; a third on other sizes, where games are longer
MOVES_MAX = 2_000
LOTS = [lot << 61 for lot in (1, 3, 5, 7)]  # where the player expects tiles


class Played(NamedTuple):
    seed: bytes
    log: list[Direction]
    draws: list[Draw]


class Dealt:
    """A deck whose draws are already made."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.draw_count = len(draws) + 1
        self.draw = draws.__getitem__


def weight(board: Board) -> float:
    """The player's taste: large tiles along a snake, the largest at its end."""
    total = 0.0
    for i, row in enumerate(board.rows):
        for exponent in row.cells if i % 2 else reversed(row.cells):
            total = total / 2 + (1 << exponent)
    return total


def prospect(board: Board) -> float:
    """How good the next slide can be, summed over some places for the tile before it."""
    total = 0.0
    for lot in LOTS:
        after = board.spawn(1, lot)
        slides = map(after.slide, Direction)
        total += max([weight(slid[0]) for slid in slides if slid], default=0.0)
    return total


def play(size: int, number: int) -> Played:
    """One game of the player, who sees two slides ahead: on 4×4 mostly to 1024 or 2048."""
    seed = seed_of_text(f"bench/{size}/{number}")
    deck = SoloDeck(seed)
    draws = [deck.draw(d) for d in range(MOVES_MAX + 2)]
    board = Board.empty(size).spawn(*draws[0]).spawn(*draws[1])
    log: list[Direction] = []
    while len(log) < MOVES_MAX and not board.stuck:
        slides = [(slid[0], direction) for direction in Direction if (slid := board.slide(direction))]
        best, direction = max(slides, key=lambda choice: prospect(choice[0]))
        log.append(direction)
        board = best.spawn(*draws[len(log) + 1])
    return Played(seed, log, draws)


def replay_naively(size: int, deck: Deck, log: list[Direction]) -> tuple[bytes, int]:
    board = NaiveBoard.empty(size).spawn(*deck.draw(0)).spawn(*deck.draw(1))
    score = 0
    for d, direction in enumerate(log, 2):
        slid = board.slide(direction)
        if slid is None:
            raise ValueError(f"move {d - 1} is illegal")
        board, points = slid
        score += points
        board = board.spawn(*deck.draw(d))
        if board.stuck and d != len(log) + 1:
            raise ValueError(f"stuck after move {d - 1}")
    return board.cells, score


def replay_here(size: int, deck: Deck, log: list[Direction]) -> tuple[bytes, int]:
    game = replay(size, deck, log)
    return game.board.cells, game.score


Replay = Callable[[int, Deck, list[Direction]], tuple[bytes, int]]
SIDES: dict[str, Replay] = {"engine": replay_here, "naive": replay_naively}


def time_round(size: int, games: Sequence[Played], *, drawn: bool) -> dict[str, float]:
    """Seconds each side takes for all games; the sides take turns game by game."""
    seconds = dict.fromkeys(SIDES, 0.0)
    for game in games:
        ends = []
        for side, run in SIDES.items():
            deck: Deck = SoloDeck(game.seed) if drawn else Dealt(game.draws)
            start = time.process_time()
            ends.append(run(size, deck, game.log))
            seconds[side] += time.process_time() - start
        if ends[0] != ends[1]:
            raise AssertionError(f"the sides disagree on a game of size {size}")
    return seconds


def report(label: str, moves: int, rounds: Sequence[dict[str, float]]) -> None:
    rates = {side: sorted(moves / seconds[side] for seconds in rounds) for side in SIDES}
    ratios = sorted(seconds["naive"] / seconds["engine"] for seconds in rounds)
    columns = [f"{side} {median(rate):9,.0f} ({rate[0]:,.0f}–{rate[-1]:,.0f})" for side, rate in rates.items()]
    print(f"{label:18} {'   '.join(columns)}   ratio {median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})")


def time_cold(size: int, games: Sequence[Played]) -> dict[str, float]:
    """One round in a fresh process, whose stores are empty."""
    plain = json.dumps([[game.seed.hex(), game.log, game.draws] for game in games])
    command = [sys.executable, "-c", "from bench.engine import cold_main; cold_main()", str(size)]
    output = subprocess.run(command, input=plain, capture_output=True, check=True, text=True).stdout
    seconds: dict[str, float] = json.loads(output)
    return seconds


def cold_main() -> None:
    games = [
        Played(bytes.fromhex(seed), [Direction(move) for move in log], [Draw(*draw) for draw in draws])
        for seed, log, draws in json.load(sys.stdin)
    ]
    print(json.dumps(time_round(int(sys.argv[1]), games, drawn=False)))


def main(*, quick: bool) -> None:
    runs = 3 if quick else 11
    print(f"moves/s: median (least–most) of {runs} rounds; ratio: engine over naive, per round")
    for size in (4, *(size for size in SIZES if size != 4)):
        games = [play(size, number) for number in range(GAMES // (1 if size == 4 else 3) // (2 if quick else 1))]
        moves = sum(len(game.log) for game in games)
        print(f"{size}×{size}, {len(games)} games, {moves:,} moves")
        report("  slides, cold", moves, [time_cold(size, games) for _ in range(runs)])
        time_round(size, games, drawn=False)
        report("  slides, warm", moves, [time_round(size, games, drawn=False) for _ in range(runs)])
        report("  replay, warm", moves, [time_round(size, games, drawn=True) for _ in range(runs)])
