"""Replays of the same games by the engine, by bench/naive.py and by term2048, game by game in turns.

A replay is everything a verifier does to a log but hashing it and making the draws (SHA-256), which cost all sides the
same: slides, spawns, the check for stuck. "With draws" is with them. All sides replay in a process that does nothing
else, as a verifier and a lobby do: cold is its first round, warm are those after it.
term2048 is the best known 2048 in Python; it is told where to put each tile, and plays on 4×4 as it is installed.
Seconds are of processor time, so that others at work on the machine disturb less.

Last comes what remembering costs: the memory of a process that plays 200,000 moves on 8×8.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench import peers, ratios
from bench.naive import NaiveBoard
from bench.ratios import Ratio
from engine.board import SIZES, Direction
from engine.deck import Deck, Draw, SoloDeck, seed_of_text
from engine.game import Game, replay
from engine.lines import LINES, LINES_MAX
from engine.solver import search

GAMES, GAMES_QUICK = 12, 4  # on 3×3, where they are short, and 4×4; on the other sizes a third
MOVES_MAX, MOVES_QUICK = 2_000, 1_000
NODES = {4: 4}  # of the player, who else looks no draw ahead; on 4×4 it mostly makes 1024 or 2048
ROUNDS, ROUNDS_QUICK = 11, 5
LONG_MOVES = 200_000
LONG_PARTS = 4


class Played(NamedTuple):
    seed: bytes
    log: list[Direction]
    draws: list[Draw]


class Dealt:
    """A deck whose draws are already made."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.draw_count = len(draws) + 1
        self.draw = draws.__getitem__


def play(size: int, number: int, moves: int) -> Played:
    """One game of a computer player, up to so many moves."""
    seed = seed_of_text(f"bench/{size}/{number}")
    deck = SoloDeck(seed)
    game = Game(size, deck)
    log: list[Direction] = []
    while not game.stuck and game.moves < moves:
        direction = search(game.board, NODES.get(size, 0)).best
        assert direction is not None, "the game is not stuck"
        log.append(direction)
        game.move(direction)
    return Played(seed, log, [deck.draw(d) for d in range(len(log) + 2)])


# ── the sides ────────────────────────────────────────────────────────────────────────────────────────────────────


def replay_here(size: int, deck: Deck, log: list[Direction]) -> bytes:
    return replay(size, deck, log).board.cells


def replay_naively(size: int, deck: Deck, log: list[Direction]) -> bytes:
    board = NaiveBoard.empty(size).spawn(*deck.draw(0)).spawn(*deck.draw(1))
    for d, direction in enumerate(log, 2):
        slid = board.slide(direction)
        if slid is None:
            raise ValueError(f"move {d - 1} is illegal")
        board = slid[0].spawn(*deck.draw(d))
        if board.stuck and d != len(log) + 1:
            raise ValueError(f"stuck after move {d - 1}")
    return board.cells


def replay_by_term2048(size: int, deck: Deck, log: list[Direction]) -> bytes:
    from term2048.board import Board  # type: ignore[import-not-found]  # a peer: sides_of has made it importable

    ways = (Board.UP, Board.RIGHT, Board.DOWN, Board.LEFT)
    board = Board(goal=1 << 30, size=size)
    board.cells = [[0] * size for _ in range(size)]

    def spawn(d: int) -> None:
        exponent, lot = deck.draw(d)
        gaps = [(x, y) for y in range(size) for x in range(size) if board.getCell(x, y) == 0]
        x, y = gaps[lot * len(gaps) >> 64]
        board.setCell(x, y, 1 << exponent)

    spawn(0)
    spawn(1)
    for d, direction in enumerate(log, 2):
        board.move(ways[direction], add_tile=False)
        spawn(d)
        if not board.canMove() and d != len(log) + 1:
            raise ValueError(f"stuck after move {d - 1}")
    return bytes([face.bit_length() - 1 if face else 0 for row in board.cells for face in row])


Replay = Callable[[int, Deck, list[Direction]], bytes]


def sides_of(size: int) -> dict[str, Replay]:
    """The sides that replay games of a size, ours first."""
    sides: dict[str, Replay] = {"engine": replay_here, "naive": replay_naively}
    if size == 4:
        found = str(peers.site_packages())
        if found not in sys.path:
            sys.path.append(found)  # last: what is there twice is the product's
        sides["term2048"] = replay_by_term2048
    return sides


# ── measuring ────────────────────────────────────────────────────────────────────────────────────────────────────


def time_round(size: int, games: Sequence[Played], *, drawn: bool = False) -> dict[str, float]:
    """Moves a second of each side; the sides take turns game by game."""
    sides = sides_of(size)
    seconds = dict.fromkeys(sides, 0.0)
    for game in games:
        ends = set()
        for side, run in sides.items():
            deck: Deck = SoloDeck(game.seed) if drawn else Dealt(game.draws)
            start = time.process_time()
            ends.add(run(size, deck, game.log))
            seconds[side] += time.process_time() - start
        if len(ends) > 1:
            raise AssertionError(f"the sides disagree on a game of size {size}")
    moves = sum(len(game.log) for game in games)
    return {side: moves / taken for side, taken in seconds.items()}


def time_rounds(size: int, games: Sequence[Played], rounds: int, *, drawn: bool = False) -> list[dict[str, float]]:
    """So many rounds in a fresh process, whose stores are empty before the first."""
    plain = [[game.seed.hex(), game.log, game.draws] for game in games]
    told = json.dumps({"size": size, "games": plain, "rounds": rounds, "drawn": drawn})
    rates: list[dict[str, float]] = json.loads(_elsewhere("rounds", told=told))
    return rates


def main_rounds() -> None:
    order = json.load(sys.stdin)
    games = [
        Played(bytes.fromhex(seed), [Direction(move) for move in log], [Draw(*draw) for draw in draws])
        for seed, log, draws in order["games"]
    ]
    print(json.dumps([time_round(order["size"], games, drawn=order["drawn"]) for _ in range(order["rounds"])]))


def main_long() -> None:
    """Plays on 8×8, one game after the other as they come to their ends, and tells memory and lines on the way."""
    part, number, made = LONG_MOVES // LONG_PARTS, 0, 0
    turns = (Direction.DOWN, Direction.LEFT, Direction.RIGHT, Direction.UP)
    game = Game(8, SoloDeck(seed_of_text("bench/long/0")))
    told: list[tuple[int, float, int, int]] = []
    most = 0
    while len(told) < LONG_PARTS:
        for direction in turns:  # the first that is legal: dull, and each game takes some thousand moves
            if game.move(direction) is not None:
                break
        made += 1
        most = max(most, len(LINES))
        if game.stuck:
            number += 1
            game = Game(8, SoloDeck(seed_of_text(f"bench/long/{number}")))
        if made % part == 0:
            told.append((made, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024, most, number + 1))
    print(json.dumps(told))


def _elsewhere(what: str, told: str = "") -> str:
    """What `main_…` prints in a fresh process."""
    command = [sys.executable, "-c", f"from bench.engine import main_{what} as run; run()"]
    return subprocess.run(command, input=told, stdout=subprocess.PIPE, check=True, text=True).stdout


def compare(name: str, rounds: Sequence[dict[str, float]]) -> list[Ratio]:
    """The ratios of some rounds: ours against every peer."""
    names = [side for side in rounds[0] if side != "engine"]
    ours = [each["engine"] for each in rounds]
    return [
        ratios.of_rates(f"{name}, {peer}", "moves/s", ours, peer, [each[peer] for each in rounds]) for peer in names
    ]


def memory_of_a_long_game() -> Ratio:
    """How much of its memory a process had at the half of all moves: 1 if it takes no more from there on."""
    told: list[tuple[int, float, int, int]] = json.loads(_elsewhere("long"))
    for made, megabytes, lines, games in told:
        print(f"  {made:,} moves on 8×8 in {games} games: {megabytes:.1f} MB, most {lines:,} of {LINES_MAX:,} lines")
    half, end = told[LONG_PARTS // 2 - 1][1], told[-1][1]
    return ratios.of_times("memory of a long game", "MB", [end], "at its half", [half])


def main(*, quick: bool) -> int:
    rounds, moves = (ROUNDS_QUICK, MOVES_QUICK) if quick else (ROUNDS, MOVES_MAX)
    found: list[Ratio] = []
    for size in (4, *(size for size in SIZES if size != 4)):
        count = (GAMES_QUICK if quick else GAMES) // (1 if size <= 4 else 3) or 1
        games = [play(size, number, moves) for number in range(count)]
        print(f"  {size}×{size}: {len(games)} games, {sum(len(game.log) for game in games):,} moves", flush=True)
        cold = [time_rounds(size, games, 1)[0] for _ in range((3 if quick else rounds) - 1)]
        first, *warm = time_rounds(size, games, 1 + rounds)
        found += compare(f"{size}×{size} cold", [*cold, first])
        found += compare(f"{size}×{size} warm", warm)
        if size == 4:
            found += compare("4×4 with draws", time_rounds(size, games, 1 + rounds, drawn=True)[1:])
    found.append(memory_of_a_long_game())
    return ratios.concluded("engine", found)
