"""A picture of a session as cells: which screen it is, its header, messages, footer, and what lies over it.

`paint` is pure and total: any view, on a screen of any size, gives cells. It decides nothing about the race.
"""

from __future__ import annotations

from client.view import Line, SessionView
from client.words import (
    advice,
    alarm_words,
    clock,
    clock_words,
    code_in_groups,
    dispute_words,
    offer_words,
    say,
    say_n,
    seconds_left,
    settings_words,
    votes_words,
    wishes_words,
)
from engine.race import Kind, SeatState
from protocol.messages import Phase

from . import overlay
from .canvas import Canvas, Rect, columns_of, wrapped
from .commands import RACE_PHASES, Command, Ui, available, my_picture
from .connecting import connecting_words, draw_name
from .footer import draw_footer
from .form import draw_form, form_words
from .keys import Verb, shown_key
from .palette import Ink, Palette
from .panel import draw_lines, draw_side, draw_standings, status_words
from .plan import Arrangement, Layout
from .result import draw_result, headline
from .seating import draw_seating, draw_waiting, hint_words
from .sliding import Fresh, Slide, draw_moving
from .tiles import draw_blocks

_SOON_MS = 10_000  # a timed race's clock is marked for its last ten seconds
_MESSAGE_ROWS_MAX = 6
_GAME_PHASES = RACE_PHASES | {Phase.OPENING, Phase.COUNTDOWN}


def paint(view: SessionView, layout: Layout, palette: Palette, ui: Ui, moving: Slide | Fresh | None = None) -> Canvas:
    """Returns the screen for a view; `moving`: how the tiles of the own board are on their way."""
    canvas = Canvas(layout.columns, layout.rows)
    if layout.arrangement is Arrangement.LINE:
        canvas.text(0, 0, line_words(view, ui))
        return canvas
    with_board = has_board(view)
    if with_board and layout.arrangement is Arrangement.ALONE:
        _draw_race(canvas, layout, view, palette, moving)
        _draw_status(canvas, layout, view, ui, palette)
    else:
        _draw_header(canvas, view, palette)
        commands = _footer(view, ui)
        draw_footer(canvas, ((key_words(each, ui), each.label, each.primary) for each in commands), palette)
        _draw_body(canvas, layout, view, ui, palette, moving)
        _draw_messages(canvas, layout, view, ui, palette)
    if ui.menu is not None:
        overlay.draw_menu(canvas, view, ui, palette)
    elif ui.form is not None:
        draw_form(canvas, view, ui.form, palette)
    elif ui.overlay is Verb.HELP:
        overlay.draw_help(canvas, view, palette)
    elif ui.overlay is Verb.LINK:
        overlay.draw_links(canvas, view, ui, palette)
    return canvas


def has_board(view: SessionView) -> bool:
    """Tells whether the screen is a board of your own."""
    waiting = view.phase in (Phase.OPENING, Phase.COUNTDOWN)
    return view.my_seat is not None and view.phase in _GAME_PHASES and (waiting or view.game is not None)


def _draw_body(
    canvas: Canvas, layout: Layout, view: SessionView, ui: Ui, palette: Palette, moving: Slide | Fresh | None
) -> None:
    body = layout.body
    inner = Rect(body.x, body.y, body.width, max(body.height - 1, 0))  # the last row is for a message
    if has_board(view):
        _draw_race(canvas, layout, view, palette, moving)
    elif view.phase in _GAME_PHASES:
        draw_standings(canvas, inner, view, palette)
        _draw_countdown(canvas, inner, view, palette)
    elif view.phase is Phase.SEATING:
        draw_seating(canvas, inner, view, ui, palette)
    elif view.phase is Phase.FINISHED:
        draw_result(canvas, inner, view, ui, palette)
    else:
        draw_waiting(canvas, inner, view, ui, palette)


def _draw_race(
    canvas: Canvas, layout: Layout, view: SessionView, palette: Palette, moving: Slide | Fresh | None
) -> None:
    draw_moving(canvas, layout, None if view.game is None else view.game.board, palette, moving)
    _draw_countdown(canvas, layout.board, view, palette)
    if layout.arrangement is Arrangement.SIDE:
        draw_side(canvas, layout.panel, view, palette)
    elif layout.arrangement is Arrangement.BELOW:
        draw_lines(canvas, layout.panel, view, palette)


def _draw_countdown(canvas: Canvas, region: Rect, view: SessionView, palette: Palette) -> None:
    if view.phase is Phase.COUNTDOWN and view.countdown_ms is not None:
        digit = min(max(-(-view.countdown_ms // 1_000), 1), 9)
        draw_blocks(canvas, region, str(digit), palette.digit)


# ── header and footer ────────────────────────────────────────────────────────────────────────────────────────────


def _draw_header(canvas: Canvas, view: SessionView, palette: Palette) -> None:
    end = draw_name(canvas, palette)
    right = _draw_clock(canvas, view, palette)
    if view.phase is None:
        return
    parts = [settings_words(view.settings)] if view.phase is not Phase.SEATING else []
    code = code_in_groups(view.code or view.watch_code)
    if code:
        parts.append(say("table {code}", code=code))
    if view.watchers:
        parts.append(say_n("{count} watching", "{count} watching", view.watchers))
    for part in parts:
        if end + 2 + columns_of(part) >= right:
            break
        end = canvas.text(end + 2, 0, part)


def _draw_clock(canvas: Canvas, view: SessionView, palette: Palette) -> int:
    """Draws the clock at the right end and returns where it begins."""
    if view.phase is Phase.FINISHED and view.outcome is not None:
        return canvas.right(canvas.columns - 1, 0, f" {clock(view.outcome.t_ms)} ", palette.key)
    if view.clock_ms is None or view.phase not in RACE_PHASES:
        return canvas.columns
    soon = view.settings.kind == Kind.TIMED and view.clock_ms <= _SOON_MS
    ink = palette.warn if soon else palette.key
    return canvas.right(canvas.columns - 1, 0, f" {clock_words(view)} ", ink)


def _footer(view: SessionView, ui: Ui) -> list[Command]:
    """Returns what the footer names; what lies over the screen takes the keys."""
    if ui.form is not None:
        take = Command(Verb.SETTINGS, "", say("take these"), primary=True)
        return [take, Command(Verb.MENU, "Esc", say("leave as it was"))]
    if ui.menu is not None:
        return [Command(Verb.MENU, "", say("do it"), primary=True), Command(Verb.MENU, "Esc", say("close"))]
    return [command for command in available(view, ui) if command.in_footer]


def key_words(command: Command, ui: Ui) -> str:
    """Returns how a command's key is named on this person's keyboard."""
    return say("Enter") if command.primary else shown_key(command.key, ui.keyboard)


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────


def messages(view: SessionView, ui: Ui, columns: int = 80) -> list[tuple[str, bool]]:
    """Returns what is to be told now, the most urgent first, and whether it is urgent."""
    told = [(question_words(view, ui), True), (_line_words(view), True)]
    told += [(text, True) for text in standing_warnings(view)]
    if view.offer is not None and view.phase is Phase.RACING:
        told.append((_offer_line(view, ui, columns), not view.offer.by_you and not view.offer.agreed))
    told += [(idle_words(view), True), (_own_words(view), False)]
    if view.notice:
        told.append((str(advice(view.notice)), False))
    told.append((remark_words(ui), False))
    if view.phase is Phase.FINISHED:
        told.append((wishes_words(view), False))
    return [(text, urgent) for text, urgent in told if text]


def standing_warnings(view: SessionView) -> list[str]:
    """Returns what is wrong with the lobby: it stays in sight before a race and after it, whatever else is told."""
    return [text for text in (alarm_words(view), dispute_words(view)) if text and view.phase not in RACE_PHASES]


def question_words(view: SessionView, ui: Ui) -> str:
    """Returns the question that waits for a yes, or nothing."""
    yes = shown_key("y", ui.keyboard)
    if ui.asking is Verb.RESIGN:
        return say("Resign and lose this race? [{yes}] yes, any other key: no", yes=yes)
    if ui.asking is Verb.KICK and ui.about is not None:
        return say("Free the seat of {name}? [{yes}] yes, any other key: no", name=ui.about.name, yes=yes)
    if ui.asking is not Verb.LEAVE:
        return ""
    if not view.code:
        return say("Leave? [{yes}] The others go on.", yes=yes)
    return say("Leave? [{yes}] The others go on; you have 60 s to come back: the shell says how.", yes=yes)


def remark_words(ui: Ui) -> str:
    """Returns that something was done which shows nowhere else."""
    if ui.remark is Verb.ALLOW:
        return say("Whoever was put out can sit again.")
    if ui.remark is Verb.MOUSE:
        return say("The mouse moves the tiles now.") if ui.mouse else say("The mouse is your terminal's again.")
    return say("The link is on the clipboard, if your terminal allows it.") if ui.remark is Verb.COPY else ""


def idle_words(view: SessionView) -> str:
    """Returns the warning to one who does not move (rules 4.9), or that it is too late for it."""
    mine = my_picture(view)
    if view.phase is not Phase.RACING or mine is None:
        return ""
    if mine.away_ms is not None and mine.state is SeatState.MOVING:
        return say("Away: move within {time} or forfeit.", time=seconds_left(mine.away_ms))
    if view.idle_warning_ms is not None:
        return say("Move within {time} or count as away.", time=seconds_left(view.idle_warning_ms))
    return ""


def _line_words(view: SessionView) -> str:
    if view.line is Line.OVER:
        return str(advice(view.ending)) if view.ending and view.phase is not None else ""
    if view.line is not Line.LOST:
        return ""
    if view.phase is Phase.RACING and view.game is not None:
        return say("Connection lost, trying again … Play on: your moves are sent when it is back.")
    return say("Connection lost, trying again …")


def _offer_line(view: SessionView, ui: Ui, columns: int) -> str:
    """Returns the offer and the keys that answer it; the keys come first where the rest may be cut off."""
    assert view.offer is not None, "only asked while an offer stands"
    answers = {Verb.AGREE: say("agree"), Verb.REFUSE: say("withdraw") if view.offer.by_you else say("refuse")}
    keys = [
        say("[{key}] {what}", key=shown_key(command.key, ui.keyboard), what=answers[command.verb])
        for command in available(view, ui)
        if command.verb in answers
    ]
    words = " ".join(part for part in (offer_words(view.offer), votes_words(view)) if part)
    long = "  ".join((words, *keys))
    return long if columns_of(long) + 2 <= columns else "  ".join((" ".join(keys), words))


def _own_words(view: SessionView) -> str:
    """Returns what your own game waits for."""
    if view.phase is Phase.OPENING:
        return say("Dealing …")
    if view.phase in (Phase.SETTLING, Phase.CLOSING):
        return say("{outcome}.", outcome=headline(view)) if view.outcome is not None else say("Deciding …")
    mine = my_picture(view)
    if view.phase is not Phase.RACING or mine is None:
        return ""
    game = view.game
    if mine.state is SeatState.RESIGNED:
        return say("You have resigned. The others go on.")
    if mine.state is SeatState.FORFEITED:
        return say("You were away too long: your seat is out of this race.")
    if game is not None and (game.stuck or game.deck_used_up):
        stuck = say("You are stuck; your score stands while the others play on.")
        return say("Your deck is used up; your score stands.") if game.deck_used_up else stuck
    return say("Waiting for the lobby to deal on …") if game is not None and game.waiting else ""


def _draw_messages(canvas: Canvas, layout: Layout, view: SessionView, ui: Ui, palette: Palette) -> None:
    region = layout.messages
    if not has_board(view):
        region = Rect(1, layout.rows - 2, layout.columns - 2, 1)
    told = messages(view, ui, region.width)
    if has_board(view):
        rows = region.height
        if told and (told[0][1] or view.line is Line.OVER):  # it counts more than the players under it
            rows = max(rows, min(len(wrapped(told[0][0], region.width - 2)), _MESSAGE_ROWS_MAX))
        told = _in_rows(told, region.width - 2, rows)
    else:  # there is room for a whole message, however narrow the screen
        told = told[: 1 + len(standing_warnings(view))]
        told = [(line, urgent) for text, urgent in told for line in wrapped(text, region.width - 2)][:_MESSAGE_ROWS_MAX]
    for y, (text, urgent) in enumerate(told, region.bottom - len(told)):
        _draw_message(canvas, Rect(region.x, y, region.width, 1), text, palette.warn if urgent else palette.strong)


def _in_rows(told: list[tuple[str, bool]], columns: int, rows: int) -> list[tuple[str, bool]]:
    """Returns messages as so many rows: only the first may lose its end, another that has no room is left out."""
    lines: list[tuple[str, bool]] = []
    for text, urgent in told:
        parts = [text] if columns_of(text) <= columns else wrapped(text, columns)
        if len(lines) + len(parts) > rows:
            if lines or rows < 1:
                break
            parts = [*parts[: rows - 1], " ".join(parts[rows - 1 :])] if rows > 1 else [text]
        lines += [(part, urgent) for part in parts]
    return lines


def _draw_message(canvas: Canvas, row: Rect, text: str, ink: Ink) -> None:
    canvas.fill(row, ink)
    canvas.text(row.x, row.y, f" {text} " if ink.ground or ink.reverse else text, ink, columns=row.width)


def _draw_status(canvas: Canvas, layout: Layout, view: SessionView, ui: Ui, palette: Palette) -> None:
    """Draws the one line that is left where the board stands alone."""
    told = messages(view, ui, layout.columns)
    if told:
        text, urgent = told[0]
        canvas.text(0, layout.rows - 1, text, palette.warn if urgent else palette.strong)
        return
    right = canvas.columns
    if view.clock_ms is not None:
        right = canvas.right(right, layout.rows - 1, clock_words(view))
    canvas.text(0, layout.rows - 1, status_words(view), palette.strong, columns=right - 1)


def line_words(view: SessionView, ui: Ui) -> str:
    """Returns a session in one line of text, for a screen that has no room for a board."""
    told = messages(view, ui, 20)
    if ui.form is not None:
        return form_words(ui.form)
    if told and told[0][1]:
        return told[0][0]
    if view.phase is None:
        return str(advice(view.ending)) if view.ending else connecting_words()
    if view.phase is Phase.SEATING:
        return f"{code_in_groups(view.code)} {hint_words(view)}"
    if view.phase is Phase.FINISHED:
        return headline(view)
    if view.phase is Phase.COUNTDOWN and view.countdown_ms is not None:
        return str(max(-(-view.countdown_ms // 1_000), 1))
    return status_words(view)


def changes_in_ms(view: SessionView) -> int | None:
    """Returns in how many milliseconds something that is counted in seconds looks different; None: never."""
    falling = [view.countdown_ms, view.idle_warning_ms, view.offer.lapse_ms if view.offer is not None else None]
    falling += [seat.away_ms for seat in view.seats if seat is not None]
    if view.settings.kind == Kind.TIMED:
        falling.append(view.clock_ms)
    changes = [(ms - 1) % 1_000 + 1 for ms in falling if ms is not None and ms > 0]
    if view.settings.kind != Kind.TIMED and view.clock_ms is not None:
        changes.append(1_000 - view.clock_ms % 1_000)
    return min(changes, default=None) if view.phase is not Phase.FINISHED else None
