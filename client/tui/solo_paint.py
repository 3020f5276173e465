"""A game alone as cells: the board, its figures beside or below it, what is to be told, and the keys.

`paint_solo` is pure and total, as paint.py's `paint` is: any game, on a screen of any size, gives cells. Rivals from
recordings are solo_rivals.py's, which is imported only where there are some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from client.bests import Best
from client.language import clock, number, say, say_n
from client.solo import SoloView
from client.solo_words import about_words, deck_words, end_words, made_words

from .canvas import Canvas, Rect, columns_of, wrapped
from .footer import Command, draw_footer
from .keys import shown_key
from .palette import Ink, Palette
from .plan import Arrangement, Layout
from .sliding import Fresh, Slide, draw_moving
from .solo_keys import Do, SoloUi, available
from .tiles import face

if TYPE_CHECKING:
    from client.view import SeatPicture

_FIGURE_ROWS = 6
_MESSAGE_ROWS_MAX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloPicture:
    """Everything that is shown. `notices` are told until the next key; `rivals` are recordings that are raced against.

    `verdict`: what came of the race against them, empty while it runs. `hint`: what the solver says, if it was asked;
    `hints`: how often it was, in this game.
    """

    view: SoloView
    best: Best
    notices: Sequence[str] = ()
    rivals: Sequence[SeatPicture] = ()
    verdict: str = ""
    hint: str = ""
    hints: int = 0
    offered: bool = False  # the unfinished game was found, and another one was asked for


def paint_solo(
    picture: SoloPicture, layout: Layout, palette: Palette, ui: SoloUi, moving: Slide | Fresh | None = None
) -> Canvas:
    """Returns the screen; `moving`: how the tiles are on their way."""
    canvas = Canvas(layout.columns, layout.rows)
    if layout.arrangement is Arrangement.LINE:
        canvas.text(0, 0, line_words(picture, ui))
        return canvas
    draw_moving(canvas, layout, picture.view.board, palette, moving)
    if layout.arrangement is Arrangement.ALONE:
        told = messages(picture, ui, keys=True)
        ink = palette.warn if told and told[0][1] else palette.strong
        canvas.text(0, layout.rows - 1, told[0][0] if told else status_words(picture), ink)
    else:
        _draw_header(canvas, picture.view, palette)
        _draw_panel(canvas, layout, picture, palette)
        commands = _footer(picture.view, ui)
        draw_footer(canvas, ((key_words(each, ui), each.label, each.primary) for each in commands), palette)
        _draw_messages(canvas, layout, picture, ui, palette)
    if ui.menu is not None or ui.form is not None or ui.help:
        from .solo_overlay import draw_over

        draw_over(canvas, picture.view, ui, palette)
    return canvas


def _draw_header(canvas: Canvas, view: SoloView, palette: Palette) -> None:
    end = canvas.text(1, 0, " race2048 ", palette.title)
    right = canvas.right(canvas.columns - 1, 0, f" {clock(view.t_ms)} ", palette.key)
    for part in (about_words(view.choice), deck_words(view.origin, view.text)):
        if part and end + 2 + columns_of(part) < right:
            end = canvas.text(end + 2, 0, part)


# ── figures ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _draw_panel(canvas: Canvas, layout: Layout, picture: SoloPicture, palette: Palette) -> None:
    region = layout.panel
    if picture.rivals:
        from .solo_rivals import draw_rivals

        draw_rivals(canvas, layout, picture, palette)
    elif layout.arrangement is Arrangement.SIDE:
        _draw_card(canvas, region, picture, palette)
    else:
        _draw_rows(canvas, region, picture, palette)


def figures(picture: SoloPicture) -> tuple[tuple[str, str], ...]:
    """Returns what is counted, with its labels, two by two."""
    view = picture.view
    return (
        (say("score"), number(view.score)),
        (say("best"), number(picture.best.score)),
        (say("max tile"), face(view.max_exponent, 7)),
        (say("moves"), number(view.moves)),
        (say("time"), clock(view.t_ms)),
        (say("undos"), number(view.undos)),
    )


def _draw_card(canvas: Canvas, region: Rect, picture: SoloPicture, palette: Palette) -> None:
    """Draws a figure below its label, two side by side; below the card what was reached."""
    counted = figures(picture)
    height = min(_FIGURE_ROWS, region.height)
    canvas.fill(Rect(region.x, region.y, region.width, height), palette.card)
    for place, (label, value) in enumerate(counted):
        y = region.y + 2 * (place // 2)
        if y + 1 >= region.bottom:
            break
        if place % 2:
            canvas.right(region.right - 1, y, label, palette.card)
            canvas.right(region.right - 1, y + 1, value, palette.card_strong)
        else:
            canvas.text(region.x + 1, y, label, palette.card)
            canvas.text(region.x + 1, y + 1, value, palette.card_strong)
    y = region.y + height + 1
    for text in best_lines(picture):
        for line in wrapped(text, region.width):
            if y < region.bottom:
                canvas.text(region.x, y, line)
            y += 1


def best_lines(picture: SoloPicture) -> list[str]:
    """Returns when the target was made in this game, the best so far, and how many hints there were."""
    view, best = picture.view, picture.best
    lines = []
    if view.made is not None:
        lines.append(made_words(view.choice, view.made))
    if best.is_made:
        moves = say_n("{count} move", "{count} moves", best.moves)
        lines.append(say("best so far: {moves}, {time}", moves=moves, time=clock(best.t_ms)))
    if picture.hints:
        lines.append(say_n("{count} hint", "{count} hints", picture.hints))
    return lines


def _draw_rows(canvas: Canvas, region: Rect, picture: SoloPicture, palette: Palette) -> None:
    """Draws the figures in two rows, each beside its label."""
    view = picture.view
    left = ((say("score"), number(view.score)), (say("best"), number(picture.best.score)))
    right = (
        (say("max tile"), face(view.max_exponent, 7)),
        (say_n("{count} move", "{count} moves", view.moves), say_n("{count} undo", "{count} undos", view.undos)),
    )
    for y, ((label, value), (label2, value2)) in enumerate(zip(left, right, strict=True), region.y):
        canvas.fill(Rect(region.x, y, region.width, 1), palette.card)
        end = canvas.text(region.x + 1, y, label, palette.card)
        canvas.text(max(end + 1, region.x + 8), y, value, palette.card_strong)
        start = canvas.right(region.right - 1, y, value2, palette.card_strong)
        canvas.right(start - 2, y, label2, palette.card)


def status_words(picture: SoloPicture) -> str:
    """Returns the game in one line, for a screen that has no more."""
    view = picture.view
    parts = [number(view.score), say("best {score}", score=number(picture.best.score)), clock(view.t_ms)]
    if picture.rivals:
        best = max(picture.rivals, key=lambda rival: rival.score)
        parts[1] = say("{name} {score}", name=best.name, score=number(best.score))
    return "  ".join(parts)


def line_words(picture: SoloPicture, ui: SoloUi) -> str:
    """Returns the screen in one line of text."""
    if ui.form is not None:
        from .solo_overlay import form_words

        return form_words(ui.form)
    told = messages(picture, ui, keys=True)
    return told[0][0] if told else status_words(picture)


# ── messages and keys ────────────────────────────────────────────────────────────────────────────────────────────


def messages(picture: SoloPicture, ui: SoloUi, *, keys: bool = False) -> list[tuple[str, bool]]:
    """Returns what is to be told now, the most urgent first, and whether it is urgent.

    `keys`: there is no footer beside it that says what Enter does.
    """
    view = picture.view
    told = [(question_words(picture, ui), True), *((text, True) for text in picture.notices)]
    if view.stuck:
        told.append((_with_enter(end_words(view), view, ui, keys=keys), False))
    elif view.banner:
        text = say("You have made {tile}!", tile=1 << view.choice.target_exponent)
        told.append((_with_enter(text, view, ui, keys=keys), False))
    told += [(picture.verdict, False), (picture.hint, False)]
    if ui.remark is Do.UNDO:
        text = say("There is no undo in a race.") if not view.may_undo else say("There is nothing to take back.")
        told.append((text, False))
    elif ui.remark is Do.HINT:
        told.append((say("There is no hint in a race."), False))
    elif ui.remark is Do.MOUSE:
        text = say("The mouse moves the tiles now.") if ui.mouse else say("The mouse is your terminal's again.")
        told.append((text, False))
    return [(text, urgent) for text, urgent in told if text]


def _with_enter(text: str, view: SoloView, ui: SoloUi, *, keys: bool) -> str:
    primary = next((command for command in available(view, ui) if command.primary), None)
    if primary is None or not keys:
        return text
    return say("{text} [{key}] {what}", text=text, key=say("Enter"), what=primary.label)


def question_words(picture: SoloPicture, ui: SoloUi) -> str:
    """Returns the question that waits for a yes, or nothing."""
    if ui.asking is None:
        return ""
    view, yes = picture.view, shown_key("y", ui.keyboard)
    if picture.offered:
        return say(
            "There is an unfinished game: {game}, {score} points. Give it up for {other}? [{yes}] yes, any other key: "
            "go on with it",
            game=about_words(view.choice), score=number(view.score), other=about_words(ui.asking), yes=yes,
        )  # fmt: skip
    return say("Give up this game and begin a new one? [{yes}] yes, any other key: no", yes=yes)


def _draw_messages(canvas: Canvas, layout: Layout, picture: SoloPicture, ui: SoloUi, palette: Palette) -> None:
    region = layout.messages
    told = messages(picture, ui, keys=region.y >= layout.footer)
    room = max(region.width - 2, 1)
    lines = [(line, urgent) for text, urgent in told for line in wrapped(text, room)]
    rows = region.height
    if told:  # the first is shown whole, over the board if need be
        rows = max(rows, min(len(wrapped(told[0][0], room)), _MESSAGE_ROWS_MAX))
    for y, (text, urgent) in enumerate(lines[:rows], region.bottom - min(len(lines), rows)):
        _draw_message(canvas, Rect(region.x, y, region.width, 1), text, palette.warn if urgent else palette.primary)


def _draw_message(canvas: Canvas, row: Rect, text: str, ink: Ink) -> None:
    canvas.fill(row, ink)
    canvas.text(row.x, row.y, f" {text} ", ink, columns=row.width)


def _footer(view: SoloView, ui: SoloUi) -> list[Command[Do]]:
    if ui.form is not None:
        return [Command(Do.NEW, "", say("begin"), primary=True), Command(Do.MENU, "Esc", say("back"))]
    if ui.menu is not None:
        return [Command(Do.MENU, "", say("do it"), primary=True), Command(Do.MENU, "Esc", say("close"))]
    return [command for command in available(view, ui) if command.in_footer]


def key_words(command: Command[Do], ui: SoloUi) -> str:
    """Returns how a command's key is named on this person's keyboard."""
    return say("Enter") if command.primary else shown_key(command.key, ui.keyboard)
