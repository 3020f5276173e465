"""The names of the four directions, as all that is said of moves has them."""

from __future__ import annotations

from client.language import later
from engine.board import Direction

DIRECTIONS = {
    Direction.UP: later("up"),
    Direction.RIGHT: later("right"),
    Direction.DOWN: later("down"),
    Direction.LEFT: later("left"),
}
