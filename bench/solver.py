"""How well the solver plays, in how much time, and whether each level of computer player beats the one below it.

Games are dealt from the texts 0, 1, 2 … as `play --seed` deals them, so everybody's machine plays the same games to the
last move; only the milliseconds are this machine's. They are of processor time, so that others at work on the machine
disturb less. `--part` measures one table alone, `--games` takes fewer or more games, `--from` other ones.

The ratio is that to the same search one draw ahead as one writes it down (naive_solver.py), on the same boards.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import NamedTuple

from bench import ratios
from bench.naive_solver import values_of
from bench.ratios import Ratio
from client.level import LEVELS, Level, Thought
from engine.board import Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.solver import HINT_NODES, QUICK_NODES, search

GOALS = {7: (69, 784), 8: (133, 1_816), 9: (253, 4_104), 10: (507, 9_400), 11: (989, 20_588)}  # of the FR page
OPTIMUM_OF_THREE = {7: 1.0, 8: 0.995710, 9: 0.736774}  # exact, each for who plays for nothing else
SCORE_OF_THREE = 5_468  # the exact best mean
RACE_MOVES = 720  # three minutes at four moves a second, the usual timed race
TARGET = 11
BOARDS, BOARDS_QUICK = 160, 40  # of a size, divided by it: naively a large one takes long
STRIDE, ROUNDS = 25, 5  # moves between two boards; times that each is searched


class Played(NamedTuple):
    """A game: its max exponent, and by exponent the move and the score at which that tile was made first."""

    max_exponent: int
    score: int
    first: dict[int, tuple[int, int]]
    times_ms: list[float]


def play(size: int, number: int, choose: Callable[[Board], Direction | None], stop: int = 99) -> Played:
    """The game dealt from a number's text, to its end or until a tile of exponent `stop` is made."""
    game = Game(size, SoloDeck(seed_of_text(str(number))))
    first: dict[int, tuple[int, int]] = {}
    times_ms = []
    while not game.board.stuck and game.max_exponent < stop:
        begin = time.process_time_ns()
        direction = choose(game.board)
        times_ms.append((time.process_time_ns() - begin) / 1e6)
        assert direction is not None, "the board is not stuck"
        game.move(direction)
        first.setdefault(game.max_exponent, (game.moves, game.score))
    return Played(game.max_exponent, game.score, first, times_ms)


def by_solver(nodes: int) -> Callable[[Board], Direction | None]:
    """Chooses what a search of so many nodes finds best."""
    return lambda board: search(board, nodes).best


def share(games: Sequence[Played], exponent: int) -> float:
    """The share of games that made a tile."""
    return sum(game.max_exponent >= exponent for game in games) / len(games)


def report_times(games: Iterable[Played]) -> str:
    """Milliseconds a move."""
    times_ms = sorted(time_ms for game in games for time_ms in game.times_ms)
    p50, p95 = (times_ms[int(len(times_ms) * part)] for part in (0.5, 0.95))
    return f"{sum(times_ms) / len(times_ms):.2f} ms a move (p50 {p50:.2f}, p95 {p95:.2f})"


def report_table(numbers: range) -> None:
    """Medians of moves and points at which a tile is made first, beside the table of the FR page."""
    games = [play(4, number, by_solver(QUICK_NODES), TARGET) for number in numbers]
    print(f"4×4, {QUICK_NODES} nodes, {len(games)} games up to 2048: {report_times(games)}")
    for exponent, (moves_goal, points_goal) in GOALS.items():
        made = [game.first[exponent] for game in games if exponent in game.first]
        if not made:
            print(f"  {1 << exponent:5}  made in no game")
            continue
        moves, points = median(move for move, _ in made), median(points for _, points in made)
        print(
            f"  {1 << exponent:5}  made in {len(made) / len(games):6.1%}"
            f"  move {moves:6g} (goal {moves_goal}: {moves / moves_goal - 1:+.1%})"
            f"  points {points:7g} (goal {points_goal}: {points / points_goal - 1:+.1%})"
        )


def report_hint(numbers: range) -> None:
    """How often a player who always follows the hint makes 2048."""
    games = [play(4, number, by_solver(HINT_NODES), TARGET) for number in numbers]
    print(f"4×4, {HINT_NODES} nodes, {len(games)} games: 2048 in {share(games, TARGET):.1%}; {report_times(games)}")


def report_three(numbers: range) -> None:
    """What is made on 3×3, beside the exact optimum: with the strongest setting that there is, and the quick one."""
    for nodes in (HINT_NODES, QUICK_NODES):
        games = [play(3, number, by_solver(nodes)) for number in numbers]
        made = [f"{1 << e} in {share(games, e):.1%} (optimum {best:.1%})" for e, best in OPTIMUM_OF_THREE.items()]
        print(f"3×3, {nodes} nodes, {len(games)} games: {', '.join(made)}")
        scores = sum(game.score for game in games) / len(games)
        print(f"  mean score {scores:,.0f} (optimum {SCORE_OF_THREE:,}); {report_times(games)}", flush=True)


def raced(level: Level, seat: int, number: int) -> int:
    """The score of a computer player in a timed race, every seat with as many moves."""
    game = Game(4, SoloDeck(seed_of_text(str(number))))
    while not game.board.stuck and game.moves < RACE_MOVES:
        thought = Thought(game.board, level, seat)
        while not thought.go_on():
            pass
        assert thought.move is not None, "the board is not stuck"
        game.move(thought.move)
    return game.score


def report_levels(numbers: range) -> None:
    """Races of each level against the one below it, on the same decks."""
    print(f"levels, {len(numbers)} timed races of {RACE_MOVES} moves")
    scores = [[raced(level, i % 2, number) for number in numbers] for i, level in enumerate(LEVELS)]
    for i, level in enumerate(LEVELS):
        line = f"  {level.name:9} median score {median(scores[i]):7g}"
        if i:
            pairs = list(zip(scores[i], scores[i - 1], strict=True))
            won, drawn = sum(a > b for a, b in pairs), sum(a == b for a, b in pairs)
            line += f"  beats {LEVELS[i - 1].name} in {won} races, {drawn} drawn"
        print(line)


def some_boards(size: int, count: int) -> list[Board]:
    """Boards of a game, from its beginning to where there are large tiles."""
    game = Game(size, SoloDeck(seed_of_text("bench/solver")))
    boards: list[Board] = []
    while not game.stuck and len(boards) < count:
        if game.moves % STRIDE == STRIDE - 1:
            boards.append(game.board)
        direction = search(game.board, 0).best
        assert direction is not None, "the game is not stuck"
        game.move(direction)
    return boards


def compare(size: int, boards: Sequence[Board], rounds: int) -> Ratio:
    """Both searches, one draw ahead, on these boards in turns; they must find the same values to the last bit."""
    ours, theirs = [], []
    for _ in range(rounds):
        spent = [0, 0]
        for board in boards:
            moments = [time.process_time_ns()]
            here = search(board, 1)
            moments.append(time.process_time_ns())
            there = values_of(board)
            moments.append(time.process_time_ns())
            if (here.depth, here.values) != (1, there):
                raise AssertionError(f"the searches disagree on {board}")
            spent = [total + end - begin for total, begin, end in zip(spent, moments, moments[1:], strict=False)]
        ours.append(spent[0] / 1e6 / len(boards))
        theirs.append(spent[1] / 1e6 / len(boards))
    return ratios.of_times(f"{size}×{size}, one draw ahead", "ms a board", ours, "naive", theirs)


PARTS: dict[str, tuple[Callable[[range], None], int, int]] = {  # what, games, games of --quick
    "table": (report_table, 1_000, 1),
    "hint": (report_hint, 100, 0),
    "three": (report_three, 400, 0),
    "levels": (report_levels, 100, 0),
}


def main(*, quick: bool, games: int | None = None, begin: int = 0, part: str | None = None) -> int:
    for name, (report, usual, few) in PARTS.items():
        count = games or (max(few, part is not None) if quick else usual)  # in a moment only one of them says anything
        if part in (None, name) and count:
            report(range(begin, begin + count))
    if part is not None:
        return 0
    boards = {size: some_boards(size, (BOARDS_QUICK if quick else BOARDS) // size) for size in (4, 5, 8)}
    return ratios.concluded("solver", [compare(size, found, ROUNDS) for size, found in boards.items()])
