import random
from dataclasses import replace
from statistics import median
from unicodedata import normalize

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.playing import Play
from bench.screen import picture
from client.tui.canvas import Canvas, Rect
from client.tui.commands import Ui
from client.tui.look import Look
from client.tui.paint import paint
from client.tui.palette import CLASSIC, PLAIN, Depth, Ink
from client.tui.plan import plan
from client.tui.sliding import FRAME_S, Slides
from client.tui.writing import Writing, change, colour
from engine.board import Direction

COLUMNS, ROWS = 24, 4
INKS = (
    PLAIN,
    Ink(bold=True),
    Ink(reverse=True),
    Ink("#ff0000"),
    Ink("#ff0000", "#00ff00", bold=True),
    Ink("", "#00ff00"),
)
TEXTS = ("a", "fox", "漢字", "漢", " ", "é", "▄▄▄", "one two", "Zalgo\u0301\u0302", "x漢y")

texts = st.tuples(
    st.integers(-2, COLUMNS), st.integers(-1, ROWS), st.sampled_from(TEXTS), st.integers(0, len(INKS) - 1)
)
pictures = st.lists(st.lists(texts, max_size=6), min_size=1, max_size=6)


class Terminal:
    def __init__(self, depth: Depth = Depth.TRUE, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self.writing = Writing(depth)
        self.screen = pyte.Screen(columns, rows)
        self.screen.reset_mode(pyte.modes.DECAWM)
        self._stream = pyte.Stream(self.screen)

    def show(self, canvas: Canvas) -> str:
        sent = self.writing.update(canvas.lines)
        self._stream.feed(sent)
        return sent

    def cells(self) -> list[list[tuple[str, str, str, bool, bool]]]:
        return [
            [(c.data, c.fg, c.bg, c.bold, c.reverse) for c in (row[x] for x in range(self.screen.columns))]
            for row in (self.screen.buffer[y] for y in range(self.screen.lines))
        ]


def drawn(picture: list[tuple[int, int, str, int]]) -> Canvas:
    canvas = Canvas(COLUMNS, ROWS)
    for x, y, text, ink in picture:
        canvas.text(x, y, text, INKS[ink])
    return canvas


@settings(max_examples=100, deadline=None)
@given(pictures)
def test_whatever_was_there_before_a_terminal_shows_what_one_shows_that_was_blank(
    found: list[list[tuple[int, int, str, int]]],
) -> None:
    used = Terminal()
    for picture_ in found:
        canvas, fresh = drawn(picture_), Terminal()
        used.show(canvas)
        fresh.show(canvas)
        assert used.cells() == fresh.cells()
        for y, line in enumerate(canvas.lines):
            assert [cell[0] for cell in used.cells()[y]] == [normalize("NFC", shown) for shown, _ in line]


def test_what_has_not_changed_is_not_sent() -> None:
    terminal = Terminal()
    assert terminal.show(drawn([(0, 0, "fox", 0)])) != ""
    assert terminal.show(drawn([(0, 0, "fox", 0)])) == ""


def test_one_cell_that_has_changed_is_all_that_is_sent() -> None:
    terminal = Terminal()
    terminal.show(drawn([(0, 1, "fox 1", 0)]))
    assert terminal.show(drawn([(0, 1, "fox 2", 0)])) == "\x1b[?2026h\x1b[2;5H2\x1b[m\x1b[?2026l"


def test_a_colour_is_named_once_for_all_its_cells() -> None:
    terminal = Terminal()
    canvas = Canvas(COLUMNS, ROWS)
    for y in range(ROWS):
        canvas.fill(Rect(2, y, 3, 1), INKS[4])
        canvas.fill(Rect(8, y, 3, 1), INKS[3], "x")
    assert terminal.show(canvas).count("38;2;255;0;0") == 1  # the second ink has the same colour of text


def test_a_screen_that_was_forgotten_is_sent_whole() -> None:
    terminal = Terminal()
    canvas = drawn([(0, 0, "fox", 0)])
    whole = terminal.show(canvas)
    terminal.writing.forget()
    assert terminal.show(canvas) == whole
    assert "\x1b[2J" in whole


def test_a_screen_of_another_size_is_sent_whole() -> None:
    terminal = Terminal()
    terminal.show(Canvas(COLUMNS, ROWS))
    assert "\x1b[2J" in terminal.show(Canvas(COLUMNS - 1, ROWS))


@pytest.mark.parametrize(
    ("name", "first", "depth", "parameters"),
    [
        ("", 30, Depth.TRUE, "39"),
        ("", 40, Depth.TRUE, "49"),
        ("#a89a8b", 40, Depth.TRUE, "48;2;168;154;139"),
        ("#ff875f", 40, Depth.INDEXED, "48;5;209"),
        ("#949494", 30, Depth.INDEXED, "38;5;246"),
        ("#ffffff", 30, Depth.INDEXED, "38;5;231"),
        ("ansired", 40, Depth.ANSI, "41"),
        ("ansiwhite", 30, Depth.ANSI, "97"),
        ("ansibrightblack", 40, Depth.ANSI, "100"),
        ("#a89a8b", 40, Depth.MONO, "49"),
    ],
)
def test_colours_are_named_as_a_terminal_of_that_depth_knows_them(
    name: str, first: int, depth: Depth, parameters: str
) -> None:
    assert colour(name, first, depth) == parameters


def test_only_what_is_different_about_an_ink_is_sent() -> None:
    assert change(INKS[4], Ink("#ff0000", "#0000ff", bold=True), Depth.TRUE) == "\x1b[48;2;0;0;255m"
    assert change(INKS[4], Ink("#ff0000", "#00ff00"), Depth.TRUE) == "\x1b[22m"
    assert change(INKS[4], PLAIN, Depth.TRUE) == "\x1b[m"


@pytest.mark.parametrize(("size", "most"), [(4, 1_000), (8, 1_500)])
def test_a_move_takes_no_more_bytes_than_the_budget(size: int, most: int) -> None:
    """performance.md, Screen: at most 1.5 kB a move without animation."""
    play, writing, directions = Play(size), Writing(Depth.TRUE), random.Random(2048)
    layout, sent = plan(80, 24, size, 4), []
    for _ in range(300):
        play.push(directions.choice(tuple(Direction)))
        sent.append(len(writing.update(paint(picture_of(play), layout, CLASSIC[Depth.TRUE], Ui()).lines).encode()))
    assert median(sent) <= most
    assert max(sent[1:]) <= 2_500  # a game that begins anew changes nearly every cell


def picture_of(play: Play):
    base, game = picture(play), play.game
    assert base.game is not None
    mine = replace(base.game, board=game.board, score=game.score, moves=game.moves, max_exponent=game.max_exponent)
    return replace(base, game=mine)


def test_a_slide_shows_in_the_end_what_would_be_shown_without_it() -> None:
    play, layout, palette = Play(4), plan(80, 24, 4, 4), CLASSIC[Depth.TRUE]
    sliding, still = Terminal(columns=80, rows=24), Terminal(columns=80, rows=24)
    slides, now_s = Slides(Look(palette=palette)), 0.0
    for number in range(40):
        play.push(tuple(Direction)[number % 4])
        view = picture_of(play)
        assert view.game is not None
        while (moving := slides.look(view.game.board, now_s)) is not None:
            sliding.show(paint(view, layout, palette, Ui(), moving))
            now_s += FRAME_S
        sliding.show(paint(view, layout, palette, Ui()))
        still.show(paint(view, layout, palette, Ui()))
        assert sliding.cells() == still.cells()
        now_s += 1
