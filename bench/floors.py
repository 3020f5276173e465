"""The floors: how many times better than its peer each figure must be, or `./dev bench` ends with 1.

`goal` is the budget of performance.md as such a ratio, `least` is the floor. On a shared machine a ratio of medians
moves by a tenth from run to run, and further while others work: where we pass the goal by more than that, the floor is
the goal, and else it is so far below what is measured that only a real loss falls through it.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Floor(NamedTuple):
    """A goal, the least that a ratio may be, and why it is that."""

    goal: float
    least: float
    why: str


FLOORS: Final[Mapping[str, Mapping[str, Floor]]] = {
    "engine": {
        "4×4 warm, term2048": Floor(
            6, 4.5, "6 × term2048 on the same games; busy cores and full caches take a quarter"
        ),
        "4×4 warm, naive": Floor(4, 3.2, "4 × naive lists of lists, warm, on all sizes"),
        "3×3 warm, naive": Floor(4, 2.5, "games are short and boards full: nine cells are soon looked at"),
        "5×5 warm, naive": Floor(4, 2.5, "passed by a tenth"),
        "6×6 warm, naive": Floor(4, 2.5, "as 5×5"),
        "8×8 warm, naive": Floor(4, 3.0, "4 × naive on all sizes"),
        **{f"{n}×{n} cold, naive": Floor(1, 1.0, "never slower than naive, however cold") for n in (3, 4, 5, 6, 8)},
        "memory of a long game": Floor(1, 0.95, "flat: what is remembered is bounded"),
    },
    "startup": {
        "--version against term2048 --version": Floor(1, 1.0, "no later than term2048's"),
        "--help against term2048 --help": Floor(1, 1.0, "no later than term2048's"),
        "play, first frame against Textual": Floor(1.54, 1.54, "0.65 × a Textual application's first frame"),
        "join, first frame against Textual": Floor(1.54, 1.54, "0.65 × a Textual application's first frame"),
        "home, first frame against Textual": Floor(1.54, 1.54, "as those of the commands"),
        "verify against bare python, work": Floor(
            0.083, 0.05, "12 × a bare python, whose little work fits into any cache"
        ),
    },
    "screen": {
        "4×4 race against Textual": Floor(2, 2.0, "half of Textual's time at most"),
        "4×4 alone against Textual": Floor(
            2, 2.0, "half of Textual's time at most, though it writes every move to disk"
        ),
        "8×8 race against Textual": Floor(2, 2.0, "half of Textual's time at most"),
        "8×8 alone against Textual": Floor(2, 2.0, "half of Textual's time at most"),
        "4×4 race against prompt_toolkit": Floor(0.95, 0.95, "2 ms where this peer took 1.9"),
        "8×8 race against prompt_toolkit": Floor(1.27, 1.27, "3 ms where this peer took 3.8"),
        "4×4 race, bytes a move": Floor(3.3, 3.3, "1.5 kB a move, where Textual sends 5"),
        "8×8 race, bytes a move": Floor(8, 8.0, "1.5 kB a move, where Textual sends 12"),
    },
    "lobby": {
        "a frame against node ws": Floor(
            0.5, 0.2, "missed: half the frame rate of node, which neither reads, checks, judges nor keeps a frame"
        ),
        "a frame against websockets": Floor(0.5, 0.2, "as node"),
    },
    "solver": {
        "4×4, one draw ahead": Floor(
            15, 10.0, "tables instead of slides: what makes a hint of 400 nodes a matter of 60 ms"
        ),
        "5×5, one draw ahead": Floor(30, 20.0, "as 4×4; the naive search grows with the square of the cells"),
        "8×8, one draw ahead": Floor(100, 60.0, "as 5×5"),
    },
}
