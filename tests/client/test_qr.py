"""The link as a QR code: what is painted is segno's code, dark on light, only where there is room and a use for it."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
import segno

from client.tui.canvas import Canvas, Cell
from client.tui.keys import Verb
from client.tui.palette import Depth
from client.tui.qr import INKS, blocks, can_show, draw_qr, largest_blocks, link_to_scan, shell_lines
from client.view import SessionView
from protocol.messages import Phase

from .pictures_of import LINK, SEATS, UI, canvas, view, watching

FREE = (SEATS[0], replace(SEATS[1], ready=False), None, None)
INVITING = view(Phase.SEATING, seats=FREE)
HOST_UI = replace(UI, lan=True)
IPV6 = "http://[2001:db8:85a3:8d3:1319:8a2e:370:7348]:2048/t/482913#7q4k2m9xb3hd5s8t"
_DARK = {" ": (0, 0), "▄": (0, 1), "▀": (1, 0), "█": (1, 1)}  # upper and lower half


def matrix_of(text: str) -> list[list[int]]:
    return [list(row) for row in segno.make(text, error="l", micro=False).matrix]


def modules_of(rows: list[list[Cell]]) -> list[list[int]]:
    """What a scanner sees in cells: 1 is dark. Blocks are drawn in the foreground, which INKS makes the dark colour."""
    halves = [[_DARK[shown] for shown, _ in row] for row in rows]
    return [[pair[half] for pair in row] for row in halves for half in (0, 1)]


def scanned(painted: Canvas, depth: Depth) -> list[list[int]] | None:
    """The modules within the margin of the one QR code on a screen; None if there is none."""
    places = [(x, y) for y, line in enumerate(painted.lines) for x, (_, ink) in enumerate(line) if ink is INKS[depth]]
    if not places:
        return None
    left, top = min(x for x, _ in places), min(y for _, y in places)
    right, bottom = max(x for x, _ in places), max(y for _, y in places)
    assert len(places) == (right - left + 1) * (bottom - top + 1), "nothing is drawn over it"
    seen = modules_of([line[left : right + 1] for line in painted.lines[top : bottom + 1]])
    margin = next(step for step, row in enumerate(seen) if any(row))
    assert margin >= 2
    side = right - left + 1 - 2 * margin
    assert not any(any(row) for row in seen[margin + side :])
    assert len(seen) - margin - side >= 2
    assert all(not any(row[:margin]) and not any(row[-margin:]) for row in seen)
    return [row[margin:-margin] for row in seen[margin : margin + side]]


# ── the code ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("depth", Depth)
@pytest.mark.parametrize("text", [LINK, IPV6, "https://race.example.org/t/482913#7q4k2m9xb3hd5s8t"])
def test_what_is_painted_is_the_code_of_the_link_at_every_depth(text: str, depth: Depth) -> None:
    painted = Canvas(60, 30)
    draw_qr(painted, 3, 2, blocks(text, 4), depth)
    assert scanned(painted, depth) == matrix_of(text)


def test_dark_is_drawn_on_light_whatever_the_theme() -> None:
    for depth in (Depth.TRUE, Depth.INDEXED):
        assert (INKS[depth].text, INKS[depth].ground) == ("#000000", "#ffffff")
    assert (INKS[Depth.ANSI].text, INKS[Depth.ANSI].ground) == ("ansiblack", "ansigray")
    assert not any(ink.bold for ink in INKS.values())  # many terminals draw bold black as grey


def test_without_colours_the_blocks_are_reversed_so_that_they_are_the_dark_ones() -> None:
    ink = INKS[Depth.MONO]
    assert (ink.reverse, ink.text, ink.ground) == (True, "", "")


@pytest.mark.parametrize("depth", Depth)
def test_in_the_shell_it_is_the_same_code_and_each_line_ends_as_it_began(depth: Depth) -> None:
    lines = shell_lines(blocks(LINK, 2), depth)
    starts = {line.partition("m")[0] for line in lines}
    assert starts == {
        {
            Depth.MONO: "\x1b[7",
            Depth.ANSI: "\x1b[30;47",
            Depth.INDEXED: "\x1b[38;5;16;48;5;231",
            Depth.TRUE: "\x1b[38;2;0;0;0;48;2;255;255;255",
        }[depth]
    }
    assert all(line.endswith("\x1b[0m") for line in lines)
    assert tuple(line.partition("m")[2].removesuffix("\x1b[0m") for line in lines) == blocks(LINK, 2)


def test_the_margin_is_that_of_the_standard_where_it_fits_and_smaller_where_not() -> None:
    assert largest_blocks(LINK, 37, 19) == blocks(LINK, 4)
    assert largest_blocks(LINK, 36, 19) == blocks(LINK, 2)
    assert largest_blocks(LINK, 33, 17) == blocks(LINK, 2)
    assert largest_blocks(LINK, 32, 99) == ()
    assert largest_blocks(LINK, 99, 16) == ()


@pytest.mark.parametrize("text", ["", "x" * 201, "\ud800", "\x1b[2J", "x" * 10_000])
def test_what_is_no_link_has_no_code(text: str) -> None:
    assert blocks(text, 2) == ()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "[::1]"])
def test_a_link_that_works_on_this_computer_only_is_not_to_be_scanned(host: str) -> None:
    assert link_to_scan(f"http://{host}:2048/t/482913") == ""
    assert link_to_scan(LINK) == LINK
    assert link_to_scan("") == ""


# ── where it is shown ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("depth", Depth)
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (100, 30), (60, 50)])
def test_a_host_who_waits_has_the_code_on_the_screen(columns: int, rows: int, depth: Depth) -> None:
    assert scanned(canvas(INVITING, columns, rows, HOST_UI, depth), depth) == matrix_of(LINK)


@pytest.mark.parametrize("depth", Depth)
@pytest.mark.parametrize("picture", [INVITING, view(Phase.RACING), view(Phase.FINISHED), watching(Phase.RACING)])
def test_the_key_for_the_link_shows_the_code_at_any_time(picture: SessionView, depth: Depth) -> None:
    ui = replace(HOST_UI, overlay=Verb.LINK)
    assert scanned(canvas(picture, 80, 24, ui, depth), depth) == matrix_of(LINK)


def test_a_code_never_costs_a_link_a_seat_or_the_hint() -> None:
    for columns, rows in ((80, 24), (120, 40), (100, 30), (60, 50), (80, 23), (70, 24)):
        painted = canvas(INVITING, columns, rows, HOST_UI)
        shown = ["".join(text for text, ink in line if ink is not INKS[Depth.TRUE]) for line in painted.lines]
        everything = "\n".join(shown)
        for words in ("fox you", "hare", "free", "Waiting for hare", "4×4, first to 2048", "race2048 join 482-913"):
            assert words in everything
        assert LINK in "".join(line.strip() for line in shown).replace(" ", "")


@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 20), (60, 24), (24, 9), (20, 5)])
def test_where_there_is_no_room_there_is_no_code(columns: int, rows: int) -> None:
    assert scanned(canvas(INVITING, columns, rows, HOST_UI), Depth.TRUE) is None


@pytest.mark.parametrize(
    "picture",
    [
        view(Phase.SEATING),  # nobody else can sit down
        view(Phase.SEATING, seats=FREE, i_am_host=False),
        view(Phase.RACING),
        view(Phase.FINISHED),
    ],
)
def test_a_code_is_shown_by_itself_only_while_a_host_waits_for_somebody(picture: SessionView) -> None:
    assert scanned(canvas(picture, 120, 40, HOST_UI), Depth.TRUE) is None


def test_a_link_that_nobody_else_can_use_has_no_code_on_the_screen() -> None:
    ui = replace(UI, join="http://127.0.0.1:2048/t/482913#7q4k2m9xb3hd5s8t")
    assert scanned(canvas(INVITING, 120, 40, ui), Depth.TRUE) is None


def test_the_code_of_this_network_is_on_the_screen_only_where_it_was_announced() -> None:
    def shown(ui) -> str:
        return "\n".join("".join(text for text, _ in line) for line in canvas(INVITING, 120, 40, ui).lines)

    assert "race2048 join 482-913   on this network" in shown(HOST_UI)
    assert "on this network" not in shown(UI)


class Terminal(io.StringIO):
    """A stream that says it is a terminal, in some encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "term", "can"),
    [
        (Terminal("utf-8"), "xterm-256color", True),
        (Terminal("UTF-8"), "linux", True),
        (Terminal("ascii"), "xterm", False),
        (Terminal("latin-1"), "xterm", False),
        (Terminal("no-such"), "xterm", False),
        (Terminal("utf-8"), "dumb", False),
        (io.StringIO(), "xterm", False),
        (None, "xterm", False),
    ],
)
def test_a_code_is_printed_only_on_a_terminal_that_can_show_it(out: object, term: str, can: bool) -> None:
    assert can_show(out, {"TERM": term}) is can
    assert not can_show(out, {})
