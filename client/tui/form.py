"""The settings screen: a line for each thing that a host chooses, what it means, and what a change brings about."""

from __future__ import annotations

from client.view import SessionView
from client.words import say
from protocol.messages import Phase

from .canvas import Canvas, Rect, columns_of, wrapped
from .choices import Form, Row, explained, row_words, rows, shown, value_of, value_words
from .palette import Palette

_WIDTH = 66
_LABEL_COLUMNS_MIN = 9
_ROWS_ROOMY = 3  # blank lines that make it easier to read, where there is room


def draw_form(canvas: Canvas, view: SessionView, form: Form, palette: Palette) -> None:
    """Draws the settings of a table as they are being changed, over what is on the screen."""
    seated = sum(seat is not None for seat in view.seats)
    draw_choices(canvas, form, palette, seated, consequence(view))


def draw_choices(canvas: Canvas, form: Form, palette: Palette, seated: int, last: str) -> None:
    """Draws what can be chosen for a table with so many people at it, and a last line of text."""
    lines = rows(form.settings)
    width = min(_WIDTH, canvas.columns)
    chosen = form.row if form.row in lines else lines[0]
    about = [line for text in (explained(form.settings, chosen), last) for line in wrapped(text, max(width - 4, 1))]
    needed = 1 + len(lines) + len(about)
    roomy = canvas.rows >= needed + _ROWS_ROOMY + 2
    height = min(needed + (_ROWS_ROOMY if roomy else 0), canvas.rows)
    box = Rect((canvas.columns - width) // 2, (canvas.rows - height) // 2, width, height)
    canvas.fill(box, palette.card)
    title = say("Settings")
    canvas.text(box.x, box.y, f" {title} ".ljust(width), palette.title, columns=width)
    y = box.y + (2 if roomy else 1)
    labels = max(*(columns_of(row_words(row)) + 1 for row in Row), _LABEL_COLUMNS_MIN)
    for row in lines:
        if y < box.bottom:
            _draw_row(canvas, Rect(box.x, y, width, 1), form, row, seated, palette, labels)
        y += 1
    y += 1 if roomy else 0
    for text in about:
        if y < box.bottom:
            canvas.text(box.x + 2, y, text, palette.card, columns=width - 4)
        y += 1


def consequence(view: SessionView) -> str:
    """Returns what taking other settings brings about (rules 3.4, 3.9)."""
    if view.phase is Phase.FINISHED:
        return say("New people can sit; the tally stays.")
    return say("A change clears every Ready.")


def form_words(form: Form) -> str:
    """Returns the line that is being changed, for a screen that has no more: "board ‹ 4×4 ›"."""
    lines = rows(form.settings)
    row = form.row if form.row in lines else lines[0]
    return say("{name} ‹ {value} ›", name=row_words(row), value=value_words(row, value_of(form.settings, row)))


def _draw_row(canvas: Canvas, region: Rect, form: Form, row: Row, seated: int, palette: Palette, labels: int) -> None:
    """Draws a line: all its choices where they fit beside `labels` columns, else the one that is taken."""
    here = row is form.row
    ink = palette.card_strong if here else palette.card
    canvas.text(region.x + 1, region.y, "›" if here else " ", ink)
    canvas.text(region.x + 3, region.y, row_words(row), ink, columns=labels - 1)
    x, taken = region.x + 3 + labels, value_of(form.settings, row)
    texts = [(f" {value_words(row, value)} ", value == taken) for value in shown(form.settings, row, seated)]
    if sum(columns_of(text) for text, _ in texts) > region.right - x - 1:
        texts = [(f" ‹ {value_words(row, taken)} › ", True)]
    for text, chosen in texts:
        chip = palette.primary if chosen and here else palette.key if chosen else palette.card
        x = canvas.text(x, region.y, text, chip, columns=region.right - x)
