"""The luck test on games of bots: honest ones of every skill, and cheats who see draws ahead.

Honest bots choose by the board alone. A cheat is given the next draws of its deck, and takes the first of the moves
that lead to the board it likes best behind the last draw it sees: of all there are if it sees few draws, else of those
that a beam search keeps. What a cheat likes is its own: none of the four tastes below is the V of the test.

Every game has a deck of its own, and is reproducible: its seed is the text "bench/luck/NAME/NUMBER".
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby, islice, pairwise
from multiprocessing import Pool
from statistics import fmean, pstdev
from typing import NamedTuple

from client.bot import STYLES
from engine.board import Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.digest import digest, u32
from engine.luck import IMPROBABLE, Form, luck

MOVES_MAX = 1_000
BEAM = 24
EXHAUSTIVE_MAX = 4  # draws ahead: every line of play is looked at
SIGHTS = (2, 4, 8, 32)
_UP, _RIGHT, _DOWN, _LEFT = Direction

Chooser = Callable[[Board, int], Direction]  # the direction for a board that is not stuck, before this move
Taste = Callable[[Board, int], float]  # what a board is worth to a cheat, with the points made on the way


# ── honest bots ──────────────────────────────────────────────────────────────────────────────────────────────────────


def choose_any(board: Board, move: int) -> Direction:
    """Any legal move, by a hash of the board instead of dice."""
    legal = board.legal_directions()
    return legal[int.from_bytes(digest("any", u32(move), board.cells)[:8], "big") % len(legal)]


def choose_points(board: Board, move: int) -> Direction:
    """The most points now; of equals, any."""
    slides = [(slid[1], direction) for direction in Direction if (slid := board.slide(direction))]
    most = max(points for points, _ in slides)
    best = [direction for points, direction in slides if points == most]
    return best[int.from_bytes(digest("points", u32(move), board.cells)[:8], "big") % len(best)]


def choose_edge(board: Board, _move: int) -> Direction:
    """Down, else left, else right, else up."""
    return next(direction for direction in (_DOWN, _LEFT, _RIGHT, _UP) if board.slide(direction))


def choose_style(number: int, board: Board, _move: int) -> Direction:
    """As a computer player of this repository does, in the style of this seat."""
    direction = STYLES[number].choose(board)
    assert direction is not None, "only asked for a board that is not stuck"
    return direction


STYLE_NAMES = [style.name for style in STYLES]
HONEST: dict[str, Chooser] = {
    "random": choose_any,
    "greedy": choose_points,
    "edge": choose_edge,
    **{name: partial(choose_style, number) for number, name in enumerate(STYLE_NAMES)},
}
# By size: how many games of each honest bot, so many that the test says something of a thousand. On the large boards
# there are few, and of the quick bots.
HONEST_GAMES = {
    4: dict.fromkeys(("random", "greedy", "edge"), 220) | dict.fromkeys(STYLE_NAMES, 55),
    3: dict.fromkeys(STYLE_NAMES, 25),
    5: dict.fromkeys(("random", "greedy", "edge"), 15),
    6: dict.fromkeys(("random", "greedy", "edge"), 8),
    8: dict.fromkeys(("random", "greedy", "edge"), 3) | {"smooth": 2},
}


# ── what cheats like ─────────────────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=100_000)
def _equal(cells: bytes) -> int:
    return sum(cell for cell, neighbour in pairwise(cells) if cell == neighbour)


@lru_cache(maxsize=100_000)
def _steps(cells: bytes) -> int:
    return sum(abs((1 << cell) - (1 << neighbour)) for cell, neighbour in pairwise(cells) if cell and neighbour)


def _lines(board: Board) -> Iterator[bytes]:
    cells, size = board.cells, board.size
    for i in range(size):
        yield cells[i * size : i * size + size]
        yield cells[i::size]


def pairs(board: Board, points: int) -> float:
    """Points, room, and equal tiles side by side, the larger the better."""
    return points + 30 * board.empties + 8 * sum(map(_equal, _lines(board)))


def even(board: Board, points: int) -> float:
    """Points, room, and no large tile beside a small one."""
    return points + 100 * board.empties - sum(map(_steps, _lines(board)))


def room(board: Board, points: int) -> float:
    """Points and room."""
    return points + 24 * board.empties


def snake(board: Board, _points: int) -> float:
    """Large tiles along a snake, the largest at its end: nothing but where they lie."""
    total = 0.0
    for i, row in enumerate(board.rows):
        for exponent in row.cells if i % 2 else reversed(row.cells):
            total = total / 2 + (1 << exponent if exponent else 0)
    return total


# By taste: how many games for each sight. The goal is for the first two; the others show where the test ends.
TASTES: dict[str, tuple[Taste, int]] = {
    "pairs": (pairs, 25),
    "even": (even, 25),
    "room": (room, 10),
    "snake": (snake, 10),
}


OTHER_SIZES = {3: 20, 5: 6, 6: 4, 8: 4}  # games of a cheat with the first taste who sees 8 draws


class Line(NamedTuple):
    """Moves that a cheat thinks of, and where they lead."""

    moves: tuple[Direction, ...]
    board: Board
    points: int
    worth: float


class Cheat:
    """A chooser who knows the next `sight` draws."""

    def __init__(self, taste: Taste, sight: int, deck: SoloDeck) -> None:
        self._taste = taste
        self._sight = sight
        self._deck = deck
        self._beam = math.inf if sight <= EXHAUSTIVE_MAX else BEAM
        self._lines: list[Line] = []

    def __call__(self, board: Board, move: int) -> Direction:
        if not self._lines:
            self._lines = [Line((), board, 0, 0.0)]
        for ahead in range(len(self._lines[0].moves), self._sight):
            longer = self._longer(move + 1 + ahead)
            if not longer:
                break  # they all end here: the best of them is as good as any
            self._lines = longer
        chosen = max(self._lines, key=lambda line: line.worth).moves[0]
        self._lines = [line._replace(moves=line.moves[1:]) for line in self._lines if line.moves[0] is chosen]
        return chosen

    def _longer(self, d: int) -> list[Line]:
        """Every line with one move more, before draw d, or the best of them."""
        exponent, lot = self._deck.draw(d)
        found: dict[tuple[bytes, Direction], Line] = {}
        for line in self._lines:
            for direction in Direction:
                slid = line.board.slide(direction)
                if slid is None:
                    continue
                board, points = slid[0].spawn(exponent, lot), line.points + slid[1]
                longer = Line((*line.moves, direction), board, points, self._taste(board, points))
                known = found.get((board.cells, longer.moves[0]))
                if known is None or known.worth < longer.worth:
                    found[board.cells, longer.moves[0]] = longer
        lines = sorted(found.values(), key=lambda line: -line.worth)
        return lines if len(lines) <= self._beam else lines[: int(self._beam)]


# ── games ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Job:
    """A game to be played: by an honest bot if it sees no draw ahead."""

    bot: str
    size: int
    sight: int
    number: int


@dataclass(frozen=True)
class Outcome:
    """What came of a game."""

    job: Job
    moves: int
    one_ply: Form
    two_ply: Form
    z: int | None
    test_s: float  # of processor time, for the test alone


def play(job: Job) -> Outcome:
    seed = seed_of_text(f"bench/luck/{job.bot}/{job.size}/{job.sight}/{job.number}")
    deck = SoloDeck(seed)
    choose = Cheat(TASTES[job.bot][0], job.sight, deck) if job.sight else HONEST[job.bot]
    board = Board.empty(job.size).spawn(*deck.draw(0)).spawn(*deck.draw(1))
    log: list[Direction] = []
    while len(log) < MOVES_MAX and not board.stuck:
        log.append(choose(board, len(log) + 1))
        slid = board.slide(log[-1])
        assert slid is not None, "bots make legal moves"
        board = slid[0].spawn(*deck.draw(len(log) + 1))
    start = time.process_time()
    found = luck(job.size, SoloDeck(seed), log, seed, 0)
    return Outcome(job, len(log), found.one_ply, found.two_ply, found.z, time.process_time() - start)


def spread(values: list[int]) -> str:
    """Mean, standard deviation, least and largest of some Z in thousandths."""
    if not values:
        return f"{'–':^27}"
    z = [value / 1_000 for value in values]
    return f"{fmean(z):+6.2f} ±{pstdev(z):5.2f} {min(z):+6.2f} {max(z):+6.2f}"


def report(label: str, outcomes: list[Outcome]) -> None:
    columns = [
        spread([form.z for form in forms if form.z is not None])
        for forms in ([o.one_ply for o in outcomes], [o.two_ply for o in outcomes])
    ]
    told = [o.z for o in outcomes if o.z is not None]
    flagged = sum(z >= IMPROBABLE for z in told)
    rate = f"{flagged}/{len(outcomes)}"
    print(
        f"{label:18} {len(outcomes):5} {fmean(o.moves for o in outcomes):6.0f}"
        f"   {columns[0]}   {columns[1]}   {spread(told)}  {rate:>7} {flagged / len(outcomes):4.0%}",
        flush=True,
    )


HEAD = (
    f"{'':18} {'games':>5} {'moves':>6}   {'one-ply: mean, sd, least, most':27}   {'two-ply':27}   {'the larger':27}"
    f"  {'Z ≥ 5':>7}"
)


def honest(jobs: Sequence[Job], outcomes: Iterator[Outcome]) -> None:
    done = report_rows(jobs, outcomes)
    report("all", done)
    silent = sum(o.z is None for o in done)
    far = sum(o.z is not None and abs(o.z) >= IMPROBABLE for o in done)
    print(f"{silent} games were too short to say anything of; |Z| ≥ 5 in {far} of the other {len(done) - silent}")
    long = [o for o in done if o.job.size == 4 and o.moves >= MOVES_MAX // 2]
    rate = 1_000 * sum(o.test_s for o in long) / sum(o.moves for o in long)
    print(f"the test of {len(long)} long games of 4×4 took {rate:.2f} s of processor time for each 1,000 moves")


def report_rows(jobs: Sequence[Job], outcomes: Iterator[Outcome]) -> list[Outcome]:
    """Prints a row for all jobs of one bot, size and sight, as they come, and returns all outcomes."""
    print(HEAD)
    done = []
    for (bot, size, sight), row in groupby(jobs, key=lambda job: (job.bot, job.size, job.sight)):
        of_row = list(islice(outcomes, sum(1 for _ in row)))
        report(f"{size}×{size} {bot}{f' sees {sight}' if sight else ''}", of_row)
        done += of_row
    return done


def main(*, quick: bool) -> None:
    part = 10 if quick else 1
    honest_jobs = [
        Job(bot, size, 0, number)
        for size, games in HONEST_GAMES.items()
        for bot, count in games.items()
        for number in range(-(-count // part))
    ]
    cheat_jobs = [
        Job(bot, 4, sight, number)
        for bot, (_, count) in TASTES.items()
        for sight in SIGHTS
        for number in range(-(-count // part))
    ]
    cheat_jobs += [
        Job("pairs", size, 8, number) for size, count in OTHER_SIZES.items() for number in range(-(-count // part))
    ]
    start = time.monotonic()
    with Pool(os.cpu_count()) as pool:
        print("honest bots")
        honest(honest_jobs, pool.imap(play, honest_jobs))
        print("cheats")
        report_rows(cheat_jobs, pool.imap(play, cheat_jobs))
    print(f"{time.monotonic() - start:.0f} s in all")
