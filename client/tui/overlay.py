"""What lies over a screen for a moment: the menu, the keys, the links. Boxes in the middle, drawn last."""

from __future__ import annotations

from collections.abc import Sequence

from client.view import SessionView
from client.words import say

from .canvas import Canvas, Rect, columns_of, wrapped
from .commands import Ui, is_on_board, menu_items
from .keys import shown_key
from .palette import Palette
from .qr import draw_qr, largest_blocks, link_to_scan
from .seating import label_columns, link_lines


def draw_menu(canvas: Canvas, view: SessionView, ui: Ui, palette: Palette) -> None:
    """Draws everything that can be done now, a line each."""
    items = menu_items(view, ui)
    chosen = min(ui.menu or 0, len(items) - 1)
    lines = [(shown_key(item.key, ui.keyboard), item.label) for item in items]
    hint = say("arrows and Enter, Esc to close")
    least = columns_of(hint) - 2  # it may go as far as the box does
    region = draw_box(canvas, say("Menu"), [f"{key:>7}  {label}" for key, label in lines], palette, chosen, least)
    if region.bottom < canvas.rows:
        canvas.text(region.x, region.bottom - 1, f" {hint} ", palette.card, columns=region.width)


def draw_help(canvas: Canvas, view: SessionView, palette: Palette) -> None:
    """Draws which keys there are."""
    moves = [
        say("arrows, or  W A S D,  Z Q S D,  H J K L,  8 4 6 2,  or drag"),
        say("Letters count by their place on any keyboard."),
        "",
    ]
    rest = [
        say("o  offer a draw, or agree to one"),
        say("x  refuse it, or withdraw your own"),
        say("R  then y: resign"),
        say("t  show the link"),
        say("m  mouse on or off"),
        say("Esc  menu with everything"),
        say("Ctrl-C  leave (asks in a race)"),
    ]
    before = [
        say("r  ready, or not yet"),
        say("g  race again"),
        say("p  take a seat"),
        say("w  give it up and watch"),
        say("c  copy the link"),
        say("t  show the link"),
        say("s  start (host)"),
        say("e  settings (host)"),
        say("l  lock or unlock the table (host)"),
        say("1 2 3 4  free that seat (host)"),
        say("Enter  does what is highlighted"),
        say("Esc  menu with everything"),
        say("Ctrl-C  leave"),
    ]
    lines = moves + rest if is_on_board(view) else [*before, "", *moves[:2]]
    draw_box(canvas, say("Keys"), _fitting(lines, canvas), palette)


def _fitting(lines: Sequence[str], canvas: Canvas) -> list[str]:
    """Returns lines that fit in a box; one that is too long for it goes on in the next, if there are rows for it."""
    columns = max(canvas.columns - 4, 1)
    broken = [part for line in lines for part in ([line] if columns_of(line) <= columns else wrapped(line, columns))]
    dense = [line for line in broken if line]
    return next((each for each in (broken, dense) if len(each) + 3 <= canvas.rows), list(lines))


def draw_links(canvas: Canvas, view: SessionView, ui: Ui, palette: Palette) -> None:
    """Draws what friends type to come, or to watch, and the link as a QR code if there is room for it."""
    columns = max(min(canvas.columns - 6, 76), 8)
    labels = label_columns()
    lines = [
        label + " " * (labels - columns_of(label)) + text if columns >= 60 else text
        for label, text in link_lines(view, ui, columns)
    ]
    qr = largest_blocks(link_to_scan(ui.join), canvas.columns - 4, canvas.rows - len(lines) - 3)
    region = draw_box(canvas, say("Link"), [*lines, *([""] * len(qr))], palette)
    if qr:
        draw_qr(canvas, region.x + (region.width - len(qr[0])) // 2, region.y + 1 + len(lines), qr, palette.depth)


def draw_box(
    canvas: Canvas, title: str, lines: Sequence[str], palette: Palette, chosen: int = -1, least: int = 0
) -> Rect:
    """Draws a box, a chosen line highlighted and in sight, and returns where it is.

    `least`: it has room for lines of so many columns, whether there are any or not.
    """
    height = min(len(lines) + 3, canvas.rows)
    width = min(max(*(columns_of(line) for line in lines), columns_of(title), least, 32) + 4, canvas.columns)
    region = Rect((canvas.columns - width) // 2, (canvas.rows - height) // 2, width, height)
    canvas.fill(region, palette.card)
    canvas.text(region.x, region.y, f" {title} ".ljust(width), palette.title, columns=width)
    room = max(height - 2, 1)
    first = min(max(chosen - room + 1, 0), max(len(lines) - room, 0))
    for y, number in enumerate(range(first, min(first + room, len(lines))), region.y + 1):
        ink = palette.card
        if number == chosen:
            ink = palette.primary
            canvas.fill(Rect(region.x, y, width, 1), ink)
        canvas.text(region.x + 2, y, lines[number], ink, columns=width - 4)
    return region
