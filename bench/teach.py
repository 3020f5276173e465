"""Teaches the table of engine/parts.py by playing 3×3, and writes engine/taught.py: `python -m bench.teach`.

The player takes the move after which the table expects the most further moves. From each of its moves it learns: what
the table said of the board after the last move should have been one more than what it says of the board after this
one, or 0 if there is none (temporal-difference learning on boards after a slide). The difference is shared among the
ten parts of the board. Each number goes that way the more freely the more its corrections so far have agreed with each
other (temporal coherence, Beal and Smith 1999), and in the second half of the games all take smaller and smaller steps.
At the start every board is thought to be as good as most turn out to be.

Everything is integers and the tiles come from one solo deck, so every machine writes the same bytes. The games take two
minutes of processor time. In experiments twice as many played hardly better, and a much higher hope at the start worse.
"""

import argparse
import time
from base64 import b85encode
from hashlib import sha256
from pathlib import Path
from typing import Final

from engine.deck import SoloDeck, seed_of_text
from engine.lines import line_of
from engine.parts import PARTS, TABLE_LENGTH, UNITS_PER_MOVE, line_place, packed, square_place

DECK_TEXT: Final = "teach 3×3"
GAMES: Final = 20_000
HOPE_MOVES: Final = 150  # what every board is thought to promise at first
_MOVE: Final = 1 << 24  # one move, in what the teacher reckons in: coarser, the tables that were taught played worse
_STEP: Final = 1 << 10  # a whole step
TAUGHT: Final = Path(__file__).parents[1] / "engine" / "taught.py"

# A line is a number of four bits a cell here, the first cell lowest: small enough for lists of all lines.
_BITS: Final = 4
_LINE: Final = 12
_ALL: Final = 1 << _LINE
_CELLS: Final = [(line & 15, line >> 4 & 15, line >> 8) for line in range(_ALL)]


def _code(cells: bytes) -> int:
    return cells[0] | cells[1] << _BITS | cells[2] << 2 * _BITS


_START: Final = [_code(line_of(bytes(cells)).push_to_start().cells) & _ALL - 1 for cells in _CELLS]
_END: Final = [_code(line_of(bytes(cells)).push_to_end().cells) & _ALL - 1 for cells in _CELLS]
_CROSS: Final = [a | b << _LINE | c << 2 * _LINE for a, b, c in _CELLS]  # a row's cells as parts of three columns
_GAPS: Final = [tuple([_BITS * j for j in range(3) if not cells[j]]) for cells in _CELLS]
_EDGE: Final = [line_place(cells, inside=False) for cells in _CELLS]
_INSIDE: Final = [line_place(cells, inside=True) for cells in _CELLS]
_LEFT: Final = [(a | b << _BITS) << 8 for a, b, _ in _CELLS]
_RIGHT: Final = [(c | b << _BITS) << 8 for _, b, c in _CELLS]
_SQUARE: Final = [square_place(a & 15, a >> 4, b & 15, b >> 4) for a in range(256) for b in range(256)]
Rows = tuple[int, int, int]

LINE_LENGTH: Final = 110
HEAD: Final = '''"""The table of parts.py, in base 85. Not to be edited: `python -m bench.teach` writes this file.

It was taught in {games:,} games of {moves:,} moves. SHA-256 of the bytes:
{digest}
"""

from typing import Final

TABLE: Final = (
{lines}
)
'''


def places(a: int, b: int, c: int, p: int, q: int, r: int) -> tuple[int, ...]:
    """Where the ten parts of a board stand in the table, by its rows and columns."""
    left, right = _LEFT[b] >> 8, _RIGHT[b] >> 8
    return (
        _EDGE[a],
        _EDGE[c],
        _EDGE[p],
        _EDGE[r],
        _INSIDE[b],
        _INSIDE[q],
        _SQUARE[_LEFT[a] | left],
        _SQUARE[_RIGHT[a] | right],
        _SQUARE[_LEFT[c] | left],
        _SQUARE[_RIGHT[c] | right],
    )


class Teacher:
    """A table that is being taught."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._deck = SoloDeck(seed_of_text(DECK_TEXT))
        self._draws = 0
        self._worths = [HOPE_MOVES * _MOVE // PARTS] * TABLE_LENGTH
        self._sums = [0] * TABLE_LENGTH  # of the corrections that each number was told of
        self._sizes = [0] * TABLE_LENGTH  # of the same without their signs
        self.moves = 0

    def teach(self) -> None:
        """Plays all games."""
        for game in range(self._games):
            left = self._games - game
            self._play(min(_STEP, 2 * _STEP * left // self._games))

    def table(self) -> list[int]:
        """The numbers for the game: what was never met is worth nothing."""
        half = _MOVE // 2
        return [
            (worth * UNITS_PER_MOVE + half) // _MOVE if size else 0
            for worth, size in zip(self._worths, self._sizes, strict=True)
        ]

    def _play(self, step: int) -> None:
        rows = self._spawn(*self._spawn(0, 0, 0))
        before: tuple[int, ...] = ()  # the parts of the board after the last move
        said = 0
        while True:
            slid, parts, best = self._choose(*rows)
            if before:
                self._correct(before, (best + _MOVE if parts else 0) - said, step)
            if not parts:
                return
            before = parts
            said = sum([self._worths[place] for place in parts])
            rows = self._spawn(*slid)
            self.moves += 1

    def _choose(self, a: int, b: int, c: int) -> tuple[Rows, tuple[int, ...], int]:
        """The best board after a slide, its parts, and its worth; no parts if the board is stuck."""
        worths = self._worths
        cross = _CROSS[a] | _CROSS[b] << _BITS | _CROSS[c] << 2 * _BITS
        p, q, r = cross & 4095, cross >> 12 & 4095, cross >> 24
        chosen: tuple[Rows, tuple[int, ...], int] = ((a, b, c), (), 0)
        for push in (_START, _END):
            for along, one, two, three in ((True, a, b, c), (False, p, q, r)):
                first, middle, last = push[one], push[two], push[three]
                if first == one and middle == two and last == three:
                    continue
                cross = _CROSS[first] | _CROSS[middle] << _BITS | _CROSS[last] << 2 * _BITS
                pushed = (first, middle, last)
                across = (cross & 4095, cross >> 12 & 4095, cross >> 24)
                slid, columns = (pushed, across) if along else (across, pushed)
                parts = places(*slid, *columns)
                worth = sum([worths[place] for place in parts])
                if not chosen[1] or worth > chosen[2]:
                    chosen = (slid, parts, worth)
        return chosen

    def _correct(self, parts: tuple[int, ...], error: int, step: int) -> None:
        worths, sums, sizes = self._worths, self._sums, self._sizes
        share = error // PARTS
        stride = share * step // _STEP
        for place in parts:
            size = sizes[place]
            worths[place] += stride * abs(sums[place]) // size if size else stride
            sums[place] += share
            sizes[place] = size + abs(share)

    def _spawn(self, a: int, b: int, c: int) -> Rows:
        """The rows with the next tile of the deck."""
        exponent, lot = self._deck.draw(self._draws)
        self._draws += 1
        gaps_a, gaps_b, gaps_c = _GAPS[a], _GAPS[b], _GAPS[c]
        gap = lot * (len(gaps_a) + len(gaps_b) + len(gaps_c)) >> 64
        if gap < len(gaps_a):
            return a | exponent << gaps_a[gap], b, c
        gap -= len(gaps_a)
        if gap < len(gaps_b):
            return a, b | exponent << gaps_b[gap], c
        return a, b, c | exponent << gaps_c[gap - len(gaps_b)]


def module(table: list[int], games: int, moves: int) -> str:
    """The text of engine/taught.py."""
    data = packed(table)
    text = b85encode(data).decode()
    lines = "\n".join(f'    b"{text[i : i + LINE_LENGTH]}"' for i in range(0, len(text), LINE_LENGTH))
    return HEAD.format(games=games, moves=moves, digest=sha256(data).hexdigest(), lines=lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.teach", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help=f"so many games ({GAMES} if not given)")
    parser.add_argument("--out", type=Path, default=TAUGHT, help="where the module goes")
    options = parser.parse_args()
    begin, begin_worked = time.monotonic(), time.process_time()
    teacher = Teacher(options.games)
    teacher.teach()
    table = teacher.table()
    options.out.write_text(module(table, options.games, teacher.moves))
    took, worked = time.monotonic() - begin, time.process_time() - begin_worked
    print(f"{options.games} games, {teacher.moves} moves in {took:.0f} s, {worked:.0f} s of processor time")
    print(f"SHA-256 of the table: {sha256(packed(table)).hexdigest()}")


if __name__ == "__main__":
    main()
