"""Draws the README's pictures from the program itself: `python -m docs.pictures` writes docs/*.svg and the film.

The views come from real games, played by a fixed rule on one deck, and go through the same `plan` and `paint` as on
a terminal; only the last step, cells to SVG instead of cells to a terminal, is here. tests/client/test_pictures.py
fails when a picture no longer shows what the program draws. The same command makes the film (film.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from client.tui.canvas import Canvas, Cell, columns_of
from client.tui.commands import Ui
from client.tui.paint import paint
from client.tui.palette import CLASSIC, Depth, Ink
from client.tui.plan import plan
from client.view import Check, GamePicture, Line, SeatPicture, SessionView, TallyPicture
from engine.board import Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.race import Outcome, Termination
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

FOLDER = Path(__file__).parent
COLUMNS, ROWS = 80, 24
SEED = "race2048 pictures"
SETTINGS = TableSettings(seats=3, target_exponent=11)

# The players: name, how far they look ahead, and their moves when the pictures are taken (the race; the result).
PLAYERS = (("fox", 3, 929, 941), ("hare", 2, 886, 897), ("owl", 1, 324, 336))

_CELL_WIDTH, _CELL_HEIGHT = 9, 20
_MARGIN, _BAR = 14, 28
_TEXT, _GROUND = "#e8e2d9", "#1d1b19"
_FONT = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"
_TWO_ROWS = ((15, 14, 13, 12, 8, 9, 10, 11), (7, 6, 5, 4, 0, 1, 2, 3))
_SNAKE = tuple(1 << 2 * weight for row in _TWO_ROWS for weight in row)  # large tiles in a row, from a corner


# ── the games ────────────────────────────────────────────────────────────────────────────────────────────────────


def played(ahead: int, moves: int) -> Game:
    """Returns the game of a player who looks so many moves ahead, after so many moves or when stuck."""
    deck = SoloDeck(seed_of_text(SEED))
    game = Game(SETTINGS.size, deck)
    while game.moves < moves and not game.stuck:
        game.move(max(game.board.legal_directions(), key=lambda direction: _worth(game, deck, direction, ahead)))
    return game


def _worth(game: Game, deck: SoloDeck, direction: Direction, ahead: int) -> int:
    return _best(game.board, deck, game.moves + 2, ahead, (direction,))


def _best(board: Board, deck: SoloDeck, draw: int, ahead: int, directions: tuple[Direction, ...]) -> int:
    if ahead == 0:
        return sum(weight << exponent for weight, exponent in zip(_SNAKE, board.cells, strict=True) if exponent)
    best = -1
    for direction in directions:
        slid = board.slide(direction)
        if slid is not None:
            after = slid[0].spawn(*deck.draw(draw))
            best = max(best, _best(after, deck, draw + 1, ahead - 1, tuple(Direction)))
    return best


def _seat(number: int, game: Game) -> SeatPicture:
    return SeatPicture(
        seat=number,
        name=SafeText(PLAYERS[number][0]),
        you=number == 0,
        host=number == 0,
        computer=number == 2,
        connected=True,
        ready=True,
        score=game.score,
        moves=game.moves,
        max_exponent=game.max_exponent,
    )


def race_view() -> SessionView:
    """Returns a race shortly before its end, as its host sees it."""
    games = [played(ahead, moves) for _, ahead, moves, _ in PLAYERS]
    mine = games[0]
    picture = GamePicture(
        board=mine.board,
        score=mine.score,
        moves=mine.moves,
        max_exponent=mine.max_exponent,
        stuck=mine.stuck,
        deck_used_up=False,
        unconfirmed=0,
        waiting=False,
    )
    seats = tuple(_seat(number, game) for number, game in enumerate(games))
    return _view(Phase.RACING, seats, clock_ms=309_000, game=picture)


def result_view() -> SessionView:
    """Returns the same race when it is over."""
    games = [played(ahead, moves) for _, ahead, _, moves in PLAYERS]
    seats = tuple(
        replace(_seat(number, game), board=game.board, place=number + 1, won=number == 0)
        for number, game in enumerate(games)
    )
    tally = tuple(TallyPicture(name=seat.name, wins=2 - seat.seat, draws=0, losses=1) for seat in seats)
    return _view(
        Phase.FINISHED,
        seats,
        clock_ms=313_000,
        outcome=Outcome(Termination.TARGET, (0,), 313_000),
        check=Check(ok=True, reason=""),
        record_path="~/.local/share/race2048/races/2026-11-30-482913.r2048",
        tally=tally,
    )


def _view(
    phase: Phase,
    seats: tuple[SeatPicture, ...],
    *,
    clock_ms: int,
    game: GamePicture | None = None,
    outcome: Outcome | None = None,
    check: Check | None = None,
    record_path: str = "",
    tally: tuple[TallyPicture, ...] = (),
) -> SessionView:
    return SessionView(
        line=Line.ONLINE,
        phase=phase,
        code="482913",
        settings=SETTINGS,
        seats=seats,
        my_seat=0,
        i_am_host=True,
        clock_ms=clock_ms,
        game=game,
        outcome=outcome,
        check=check,
        record_path=record_path,
        tally=tally,
    )


def screen(view: SessionView) -> Canvas:
    """Returns the screen of a view, as a terminal of 80×24 with all colours shows it."""
    layout = plan(COLUMNS, ROWS, view.settings.size, len(PLAYERS))
    return paint(view, layout, CLASSIC[Depth.TRUE], Ui())


# ── cells to SVG ─────────────────────────────────────────────────────────────────────────────────────────────────


def svg(canvas: Canvas, title: str) -> str:
    """Returns a canvas as an SVG of a terminal window. Every word has its own place and width, whatever the font."""
    width = canvas.columns * _CELL_WIDTH + 2 * _MARGIN
    height = canvas.rows * _CELL_HEIGHT + _MARGIN + _BAR
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="9" fill="{_GROUND}"/>',
        *(f'<circle cx="{18 + 16 * dot}" cy="15" r="5" fill="#57514a"/>' for dot in range(3)),
        f'<g font-family="{_FONT}" font-size="15" shape-rendering="crispEdges">',
    ]
    for row, line in enumerate(canvas.lines):
        y = _BAR + row * _CELL_HEIGHT
        parts.extend(_grounds(line, y))
        parts.extend(_texts(line, y))
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _grounds(line: list[Cell], y: int) -> Iterator[str]:
    """Yields the backgrounds of a row, and its half blocks, which are rectangles too."""
    for ink, half, start, stop in _runs(line):
        text, ground = _colours(ink)
        x, width = _MARGIN + start * _CELL_WIDTH, (stop - start) * _CELL_WIDTH
        if ground != _GROUND:
            yield f'<rect x="{x}" y="{y}" width="{width}" height="{_CELL_HEIGHT}" fill="{ground}"/>'
        if half:
            middle = y + _CELL_HEIGHT // 2
            yield f'<rect x="{x}" y="{middle}" width="{width}" height="{_CELL_HEIGHT // 2}" fill="{text}"/>'


def _texts(line: list[Cell], y: int) -> Iterator[str]:
    """Yields the letters of a row, a text for each word."""
    for ink, half, start, stop in _runs(line):
        weight = ' font-weight="bold"' if ink.bold else ""
        for column, word in () if half else _words(line, start, stop):
            x, width = _MARGIN + column * _CELL_WIDTH, columns_of(word) * _CELL_WIDTH
            yield (
                f'<text x="{x}" y="{y + 15}" textLength="{width}" lengthAdjust="spacingAndGlyphs" '
                f'fill="{_colours(ink)[0]}"{weight}>{escape(word)}</text>'
            )


def _words(line: list[Cell], start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yields the words of a stretch of cells, each with the column it begins at."""
    column = start
    for blank, run in groupby(line[start:stop], key=lambda cell: cell[0] == " "):
        cells = list(run)
        if not blank:
            yield column, "".join(shown for shown, _ in cells)
        column += len(cells)


def _runs(line: list[Cell]) -> Iterator[tuple[Ink, bool, int, int]]:
    """Yields stretches of equal looks: ink, whether they are lower half blocks, first column, column after."""
    start = 0
    for (ink, half), run in groupby(line, key=lambda cell: (cell[1], cell[0] == "▄")):
        stop = start + sum(1 for _ in run)
        yield ink, half, start, stop
        start = stop


def _colours(ink: Ink) -> tuple[str, str]:
    text, ground = ink.text or _TEXT, ink.ground or _GROUND
    return (ground, text) if ink.reverse else (text, ground)


# What is to stand in docs/, by file name: how it is drawn.
PICTURES: Mapping[str, Callable[[], str]] = {
    "race.svg": lambda: svg(screen(race_view()), "race2048: a race of three, in a terminal"),
    "result.svg": lambda: svg(screen(result_view()), "race2048: the result, with everyone's board"),
}


if __name__ == "__main__":
    from docs import film

    os.environ["LANGUAGE"] = "en"  # whatever the person's is
    for file_name, drawn in PICTURES.items():
        (FOLDER / file_name).write_text(drawn(), encoding="utf-8")
    film.make()
