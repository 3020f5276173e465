"""The peer of our screen: a minimal Textual application that shows a board and nothing else, of the same colours.

`python textual_board.py SIZE` runs with the peers' Python, which has Textual; the game's rules are ours. A widget that
shows a text is the least that a Textual application can be.
"""

import sys
from pathlib import Path

from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult  # type: ignore[import-not-found]
from textual.widgets import Static  # type: ignore[import-not-found]

sys.path[0] = str(Path(__file__).parents[1])  # instead of this folder, whose engine.py is another one

from bench.playing import Play, cells_of_tiles  # noqa: E402
from engine.board import Direction  # noqa: E402

KEYS = dict(zip(("up", "right", "down", "left"), Direction, strict=True))


def painted(play: Play) -> Text:
    """The board as a text with styles."""
    text = Text()
    for row in cells_of_tiles(play.game.board):
        for shown, ink, ground in row:
            text.append(shown, Style(color=ink, bgcolor=ground, bold=True))
        text.append("\n")
    return text


class Board(App[None]):  # type: ignore[misc]
    """The application."""

    def __init__(self, play: Play) -> None:
        super().__init__()
        self.play = play
        self.board = Static(painted(play))

    def compose(self) -> ComposeResult:
        yield self.board

    def on_key(self, event) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - Textual finds it by its name
        direction = KEYS.get(event.key)
        if direction is not None:
            self.play.push(direction)
            self.board.update(painted(self.play))


if __name__ == "__main__":
    Board(Play(int(sys.argv[1]))).run()
