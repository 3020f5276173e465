"""What lies over the board of a game alone: the menu, the keys, and what the next game shall be."""

from __future__ import annotations

from client.language import say
from client.solo import Choice, SoloView
from engine.solo import SoloKind
from protocol.solo import Origin

from .canvas import Canvas, columns_of
from .keys import shown_key
from .overlay import draw_box
from .palette import Palette
from .solo_keys import Form, Row, SoloUi, menu_items, rows

_LABEL_COLUMNS_MIN = 8


def draw_over(canvas: Canvas, view: SoloView, ui: SoloUi, palette: Palette) -> None:
    """Draws the one of them that is open."""
    if ui.menu is not None:
        items = menu_items(view, ui)
        enter = say("Enter")
        lines = [f"{shown_key(item.key, ui.keyboard) or enter:>7}  {item.label}" for item in items]
        draw_box(canvas, say("Menu"), lines, palette, min(ui.menu, len(items) - 1))
    elif ui.form is not None:
        _draw_form(canvas, ui.form, palette)
    elif ui.help:
        draw_box(canvas, say("Keys"), _help_lines(view, ui), palette)


def _draw_form(canvas: Canvas, form: Form, palette: Palette) -> None:
    lines = rows(form.choice)
    labels = max(*(columns_of(_row_words(row)) + 2 for row in Row), _LABEL_COLUMNS_MIN)
    texts = [_row_words(row) + " " * (labels - columns_of(_row_words(row))) + _shown(form, row) for row in lines]
    chosen = lines.index(form.row) if form.row in lines else 0
    draw_box(canvas, say("New game"), texts, palette, chosen)


def form_words(form: Form) -> str:
    """Returns the line that is being changed, for a screen that has no more."""
    lines = rows(form.choice)
    row = form.row if form.row in lines else lines[0]
    return f"{_row_words(row)} {_shown(form, row)}"


def _shown(form: Form, row: Row) -> str:
    return f"‹ {value_words(form.choice, row)} ›"


def _row_words(row: Row) -> str:
    return {Row.SIZE: say("board"), Row.KIND: say("kind"), Row.TARGET: say("target")}[row]


def value_words(choice: Choice, row: Row) -> str:
    """Returns what is chosen in a line."""
    match row:
        case Row.SIZE:
            return say("{size}×{size}", size=choice.size)
        case Row.KIND:
            return say("to a target") if choice.kind is SoloKind.CLASSIC else say("endless")
        case Row.TARGET:
            return str(1 << choice.target_exponent)


def _help_lines(view: SoloView, ui: SoloUi) -> list[str]:
    def key(letter: str) -> str:
        return shown_key(letter, ui.keyboard)

    undo = [say("{key}  take a move back, up to five", key=key("u"))] if view.may_undo else []
    hint = [say("{key}  a hint: what the solver would do", key=key("i"))] if view.origin is not Origin.GHOST else []
    return [
        say("arrows, or  W A S D,  Z Q S D,  H J K L,  8 4 6 2,  or drag"),
        say("Letters count by their place on any keyboard."),
        "",
        *undo,
        *hint,
        say("{key}  a new game", key=key("n")),
        say("{key}  mouse on or off", key=key("m")),
        say("Esc  menu with everything"),
        say("Ctrl-C  leave: the game is saved"),
    ]
