"""A training game as cells: the board, its figures, what the coach says, and the keys.

`paint_train` is pure and total, as solo_paint.py's `paint_solo` is: any game, on a screen of any size, gives cells.
"""

from __future__ import annotations

from client.language import decimal, number, say, say_n
from client.milestones import pace_of
from client.solo_words import deck_words, end_words
from client.training import TrainingView

from .canvas import Canvas, Rect, columns_of, wrapped
from .footer import Command, draw_footer
from .keys import shown_key
from .overlay import draw_box
from .palette import PLAIN, Ink, Palette
from .plan import Arrangement, Layout, plan
from .sliding import Fresh, Slide, draw_moving
from .tiles import face
from .train_keys import Do, TrainUi, available, key_words, menu_items

ROWS_BELOW = 5  # of the panel where it is below the board: a row of figures, and what the coach says
_FIGURE_ROWS = 4
_ROOMY_ROWS = 20  # of a panel beside the board: from there on sentences stand apart


def plan_train(columns: int, rows: int, size: int) -> Layout:
    """Returns the layout: a panel below the board has more rows than a game's, as far as there is room."""
    for panel_rows in range(ROWS_BELOW, 1, -1):
        layout = plan(columns, rows, size, panel_rows)
        if layout.arrangement is not Arrangement.BELOW or (layout.shape is not None and layout.shape.width > 2):
            return layout
    return plan(columns, rows, size, 2)


def paint_train(
    view: TrainingView, layout: Layout, palette: Palette, ui: TrainUi, moving: Slide | Fresh | None = None
) -> Canvas:
    """Returns the screen; `moving`: how the tiles are on their way."""
    canvas = Canvas(layout.columns, layout.rows)
    if layout.arrangement is Arrangement.LINE:
        canvas.text(0, 0, _one_line(view, ui))
        return canvas
    draw_moving(canvas, layout, view.game.board, palette, moving)
    if layout.arrangement is Arrangement.ALONE:
        told = messages(view, ui)
        canvas.text(0, layout.rows - 1, _one_line(view, ui), palette.warn if told and told[0][1] else palette.strong)
    else:
        _draw_header(canvas, view, palette)
        _draw_panel(canvas, layout, view, palette)
        commands = _footer(view, ui)
        draw_footer(canvas, ((key_words(each, ui), each.label, each.primary) for each in commands), palette)
        _draw_messages(canvas, layout, view, ui, palette)
    _draw_over(canvas, view, ui, palette)
    return canvas


def _one_line(view: TrainingView, ui: TrainUi) -> str:
    told = messages(view, ui)
    coach = coach_lines(view)
    if told:
        return told[0][0]
    return coach[0][0] if coach else say("{score} points", score=number(view.game.score))


def _draw_header(canvas: Canvas, view: TrainingView, palette: Palette) -> None:
    end = canvas.text(1, 0, " race2048 ", palette.title)
    right = canvas.right(canvas.columns - 1, 0, f" {who_words(view)} ", palette.key)
    title = say("practice from move {move}", move=number(view.practice)) if view.practice else say("training")
    board = say("{size}×{size}", size=view.game.choice.size)
    for part in (title, board, deck_words(view.game.origin, view.game.text)):
        if part and end + 2 + columns_of(part) < right:
            end = canvas.text(end + 2, 0, part)


def who_words(view: TrainingView) -> str:
    """Returns who plays, and how fast if it is the computer."""
    if not view.computer:
        return say("you play")
    if not view.running:
        return say("paused")
    digits = next(digits for digits in (0, 1, 2) if view.pace_ms % 10 ** (3 - digits) == 0)
    return say("computer, {seconds} s", seconds=decimal(view.pace_ms / 1_000, digits))


# ── figures and the coach ────────────────────────────────────────────────────────────────────────────────────────


def _draw_panel(canvas: Canvas, layout: Layout, view: TrainingView, palette: Palette) -> None:
    region = layout.panel
    if layout.arrangement is Arrangement.SIDE:
        y = _draw_card(canvas, region, view, palette)
    else:
        y = _draw_row(canvas, region, view, palette)
    apart = layout.arrangement is Arrangement.SIDE and region.height > _ROOMY_ROWS
    for place, (text, urgent) in enumerate(coach_lines(view)):
        lines = wrapped(text, region.width)
        if place and y + len(lines) > region.bottom:  # half a sentence helps nobody; a shorter one may fit
            continue
        for line in lines[: region.bottom - y]:
            canvas.text(region.x, y, line, palette.strong if urgent else PLAIN)
            y += 1
        y += apart


def _draw_card(canvas: Canvas, region: Rect, view: TrainingView, palette: Palette) -> int:
    """Draws the figures below their labels, two side by side; returns the row after them."""
    game = view.game
    counted = ((say("score"), number(game.score)), (say("max tile"), face(game.max_exponent, 7)),
               (say("moves"), number(game.moves)), (say("hints"), number(view.hints)))  # fmt: skip
    canvas.fill(Rect(region.x, region.y, region.width, min(_FIGURE_ROWS, region.height)), palette.card)
    for place, (label, value) in enumerate(counted):
        y = region.y + 2 * (place // 2)
        if place % 2:
            canvas.right(region.right - 1, y, label, palette.card)
            canvas.right(region.right - 1, y + 1, value, palette.card_strong)
        else:
            canvas.text(region.x + 1, y, label, palette.card)
            canvas.text(region.x + 1, y + 1, value, palette.card_strong)
    return region.y + _FIGURE_ROWS + 1


def _draw_row(canvas: Canvas, region: Rect, view: TrainingView, palette: Palette) -> int:
    """Draws the most important figures in a row; returns the row after it."""
    game = view.game
    canvas.fill(Rect(region.x, region.y, region.width, 1), palette.card)
    canvas.text(region.x + 1, region.y, number(game.score), palette.card_strong)
    moves = say_n("{count} move", "{count} moves", game.moves)
    canvas.right(region.right - 1, region.y, moves, palette.card)
    return region.y + 1


def coach_lines(view: TrainingView) -> list[tuple[str, bool]]:
    """Returns what the coach says, and whether it is about a mistake: the hint or the last move, then the pace."""
    from client.training_words import hint_words, pace_words, verdict_words

    lines: list[tuple[str, bool]] = []
    if view.hint is not None:
        lines.append((hint_words(view.hint, view.hints), True))
    elif view.last is not None:
        verdict = view.last.verdict
        bad = verdict.clear and not view.by_computer
        lines += [(text, bad and not row) for row, text in
                  enumerate(verdict_words(verdict, by_computer=view.by_computer))]  # fmt: skip
    elif view.game.moves > 0 and view.judging:
        lines.append((say("The solver is thinking about your move …"), False))
    else:
        lines.append((intro_words(view), False))
    pace = pace_of(view.game.choice.size, view.game.max_exponent, view.game.moves, view.game.score)
    if pace is not None:
        lines.append((pace_words(pace, computer=view.computer), False))
    return lines


def intro_words(view: TrainingView) -> str:
    """Returns what this is, before the first move."""
    if view.computer:
        return say("The computer plays and says why. Training changes no bests.")
    return say("You play, and are told when a move was clearly worse. Training changes no bests.")


# ── messages and keys ────────────────────────────────────────────────────────────────────────────────────────────


def messages(view: TrainingView, ui: TrainUi) -> list[tuple[str, bool]]:
    """Returns what is to be told now, the most urgent first, and whether it is urgent."""
    told = []
    if ui.asking:
        yes = shown_key("y", ui.keyboard)
        told.append((say("Begin a new training game? [{yes}] yes, any other key: no", yes=yes), True))
    if view.game.stuck:
        told.append((end_words(view.game), False))
    match ui.remark:
        case Do.UNDO:
            told.append((say("There is nothing to take back."), False))
        case Do.COMPUTER:
            key = shown_key("c", ui.keyboard)
            told.append((say("The computer plays. [{key}] play yourself", key=key), False))
        case Do.REVIEW:
            text = say("The solver is still at it.") if view.judging else say("No move of yours was clearly worse.")
            told.append((text, False))
        case Do.MOUSE:
            text = say("The mouse moves the tiles now.") if ui.mouse else say("The mouse is your terminal's again.")
            told.append((text, False))
        case _:
            pass
    return told


def _draw_messages(canvas: Canvas, layout: Layout, view: TrainingView, ui: TrainUi, palette: Palette) -> None:
    region = layout.messages
    told = messages(view, ui)
    if not told or ui.review is not None or ui.menu is not None:  # then Enter means something else
        return
    text, urgent = told[0]
    if region.y >= layout.footer:  # it takes the footer's row
        primary = next((each for each in available(view, ui) if each.primary), None)
        if primary is not None:
            text = say("{text} [{key}] {what}", text=text, key=say("Enter"), what=primary.label)
    lines = wrapped(text, max(region.width - 2, 1))
    top = region.bottom - len(lines)
    for y, line in enumerate(lines, top):
        ink: Ink = palette.warn if urgent else palette.primary
        canvas.fill(Rect(region.x, y, region.width, 1), ink)
        canvas.text(region.x, y, f" {line} ", ink, columns=region.width)


def _footer(view: TrainingView, ui: TrainUi) -> list[Command[Do]]:
    if ui.review is not None:
        return [Command(Do.REVIEW, "", say("play on from there"), primary=True), Command(Do.MENU, "Esc", say("back"))]
    if ui.menu is not None:
        return [Command(Do.MENU, "", say("do it"), primary=True), Command(Do.MENU, "Esc", say("close"))]
    return [command for command in available(view, ui) if command.in_footer]


# ── over the board ───────────────────────────────────────────────────────────────────────────────────────────────


def _draw_over(canvas: Canvas, view: TrainingView, ui: TrainUi, palette: Palette) -> None:
    if ui.menu is not None:
        items = menu_items(view, ui)
        lines = [f"{key_words(item, ui):>7}  {item.label}" for item in items]
        draw_box(canvas, say("Menu"), lines, palette, min(ui.menu, len(items) - 1))
    elif ui.review is not None:
        _draw_review(canvas, view, ui.review, palette)
    elif ui.help:
        draw_box(canvas, say("Keys"), _help_lines(canvas, ui), palette)


def _draw_review(canvas: Canvas, view: TrainingView, chosen: int, palette: Palette) -> None:
    """Draws the costliest moves, each in as many lines as it needs; the chosen one is highlighted by its first."""
    from client.training_words import costly_words

    room = max(min(canvas.columns, 76) - 8, 8)
    lines: list[str] = []
    first = 0
    for place, each in enumerate(view.costliest):
        if place == chosen:
            first = len(lines)
        parts = wrapped(costly_words(each), room)
        lines += [f"{place + 1}. {parts[0]}", *(f"   {part}" for part in parts[1:])]
    draw_box(canvas, say("Your costliest moves"), lines, palette, first)


def _help_lines(canvas: Canvas, ui: TrainUi) -> list[str]:
    def key(letter: str) -> str:
        return shown_key(letter, ui.keyboard)

    lines = [
        say("arrows, or  W A S D,  Z Q S D,  H J K L,  8 4 6 2,  or drag"),
        say("Letters count by their place on any keyboard."),
        say("{key}  a hint: what the solver would do", key=key("i")),
        say("{key}  take a move back, up to five", key=key("u")),
        say("{key}  the computer plays, or you", key=key("c")),
        say("Space  stop the computer, or let it go on"),
        say("{key}  one move of the computer", key="."),
        say("+ -  make it faster or slower"),
        say("{key}  your costliest moves, to play on from there", key=key("v")),
        say("{key}  a new game", key=key("n")),
        say("{key}  mouse on or off", key=key("m")),
        say("Esc  menu with everything"),
        say("Ctrl-C  leave"),
    ]
    return [part for line in lines for part in wrapped(line, max(canvas.columns - 4, 1))]
