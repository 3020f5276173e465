"""What a 3×3 board is worth to the solver: how many more moves are to be expected of it, looked up in a taught table.

Owns which parts of a board count and where each stands in the table. Refuses to know slides, draws, how far ahead one
looks, and how the table was taught: that is bench/teach.py. taught.py holds the numbers; read on in three.py.

On so small a board everything is near an edge and large tiles are soon in each other's way, so that what is good there
is not said in a few rules (heuristic.py does for the larger sizes). The parts are the six rows and columns, and the
four squares of 2×2 cells in the corners. Each may look in any way, and for every way there is a number; the worth of a
board is the sum of the ten. Parts that a turned or mirrored board would swap share their numbers: all four rows and
columns at the edge, read from either end, both through the middle, and all four squares, mirrored in their diagonal.
So turned and mirrored boards are worth exactly the same.
"""

import struct
from base64 import b85decode
from collections.abc import Sequence
from functools import cache
from typing import Final

PARTS: Final = 10
UNITS_PER_MOVE: Final = 250  # of the numbers in the table
_LARGEST: Final = 10  # 1024, more than which no game makes; larger tiles count as this
_KINDS: Final = _LARGEST + 1
_PAIRS: Final = _KINDS * (_KINDS + 1) // 2  # of two exponents in either order
_INSIDE_FROM: Final = _PAIRS * _KINDS
_SQUARES_FROM: Final = 2 * _INSIDE_FROM
TABLE_LENGTH: Final = _SQUARES_FROM + _PAIRS * _KINDS * _KINDS


def line_place(cells: Sequence[int], *, inside: bool) -> int:
    """Where in the table a row or column of three exponents stands; `inside` tells the middle ones."""
    first, middle, last = [min(cell, _LARGEST) for cell in cells]
    return inside * _INSIDE_FROM + _pair(first, last) * _KINDS + middle


def square_place(corner: int, beside: int, below: int, centre: int) -> int:
    """Where in the table a square of four exponents stands: the board's corner, its neighbours and the centre."""
    corner, beside, below, centre = [min(cell, _LARGEST) for cell in (corner, beside, below, centre)]
    return _SQUARES_FROM + (_pair(beside, below) * _KINDS + corner) * _KINDS + centre


def _pair(one: int, other: int) -> int:
    low, high = sorted((one, other))
    return high * (high + 1) // 2 + low


def packed(table: Sequence[int]) -> bytes:
    """The table as bytes, 16 bits a number, the lower byte first; struct.error if a number is too large."""
    return struct.pack(f"<{len(table)}h", *table)


def unpacked(data: bytes) -> Sequence[int]:
    """The table of these bytes."""
    return struct.unpack(f"<{len(data) // 2}h", data)


@cache
def taught_table() -> Sequence[int]:
    """The table that the game comes with; read when it is first wanted."""
    from .taught import TABLE

    return unpacked(b85decode(TABLE))
