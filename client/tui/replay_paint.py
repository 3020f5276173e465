"""A replay as cells: everyone's board at one moment, who led when, what has happened, and the keys.

`paint_replay` is pure and total, as paint.py's `paint` is: any replay, on a screen of any size, gives cells.
"""

from __future__ import annotations

from dataclasses import replace

from client.happenings import Happened, Happening
from client.retelling import end_words, happening_words, speed_words
from client.view import SeatPicture, SessionView
from client.words import clock, number, say, say_n, settings_words, state_words
from engine.race import SeatState

from .canvas import Canvas, Rect, columns_of, wrapped
from .footer import draw_footer
from .keys import shown_key
from .overlay import draw_box
from .palette import PLAIN, Ink, Palette
from .panel import draw_name
from .replay_chart import draw_bar, draw_chart, seat_ink
from .replay_keys import Show
from .replay_plan import Stage
from .tiles import draw_board, draw_tile

_TIME_COLUMNS = 7
_TILE_COLUMNS = 6
_LINE_COLUMNS_MIN = 50  # of a player's line, from which on it has room for moves
_FRESH_MS = 4_000  # of somebody's time, not of the race's


def paint_replay(show: Show, stage: Stage, palette: Palette, now_ms: int) -> Canvas:
    """Returns the screen of a replay as it is now."""
    canvas = Canvas(stage.columns, stage.rows)
    t_ms = show.replay.t_ms(now_ms)
    view = show.replay.timeline.at(t_ms)
    if stage.is_line:
        canvas.text(0, 0, _status_words(show, view, t_ms))
        return canvas
    for seat, place in zip(_shown(show, view, len(stage.places)), stage.places, strict=True):
        _draw_player(canvas, place, stage, show, view, seat, palette)
    if stage.is_alone:
        canvas.text(0, stage.told.y, _status_words(show, view, t_ms), palette.strong)
    else:
        stage = _with_room_to_tell(stage, show, t_ms, palette)
        _draw_header(canvas, show, view, palette)
        _draw_others(canvas, stage, show, view, palette)
        draw_chart(canvas, stage, show.replay.timeline, t_ms, palette)
        draw_bar(canvas, stage, show.replay.timeline, t_ms, palette)
        _draw_told(canvas, stage, show, t_ms, palette)
        _draw_footer(canvas, stage, show, palette, now_ms)
    _draw_over(canvas, stage, show, palette)
    return canvas


def _pictures(view: SessionView) -> list[SeatPicture]:
    return [seat for seat in view.seats if seat is not None]


def _shown(show: Show, view: SessionView, count: int) -> list[SeatPicture]:
    """Returns the seats whose boards are shown: all in their order, else the chosen one and those after it."""
    seats = _pictures(view)
    if count >= len(seats):
        return seats
    first = show.replay.seat
    return [seats[(first + step) % len(seats)] for step in range(count)]


# ── players ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _draw_player(
    canvas: Canvas, place: Rect, stage: Stage, show: Show, view: SessionView, seat: SeatPicture, palette: Palette
) -> None:
    assert stage.shape is not None, "only a stage of one line has no board"
    if stage.caption_rows:
        _draw_caption(canvas, place, stage, show, view, seat, palette)
    width = stage.shape.columns(stage.size)
    region = Rect(place.x, place.y + stage.caption_rows, width, stage.shape.rows(stage.size))
    draw_board(canvas, region, stage.shape, stage.size, seat.board, palette)


def _draw_caption(
    canvas: Canvas, place: Rect, stage: Stage, show: Show, view: SessionView, seat: SeatPicture, palette: Palette
) -> None:
    """Draws who it is and the score; in two rows also moves and state. The score of who leads is highlighted."""
    score_ink = palette.primary if _leads(show, view, seat) else palette.strong
    score = f" {number(seat.score)} "
    x = _draw_mark(canvas, place.x, place.y, show, seat, palette)
    if stage.caption_rows == 1:
        start = canvas.right(place.right, place.y, score, score_ink)
        draw_name(canvas, x, place.y, start - x - 1, seat, palette, mark_you=True)
        return
    draw_name(canvas, x, place.y, place.right - x, seat, palette, mark_you=True)
    end = canvas.text(place.x, place.y + 1, score, score_ink)
    moves = say_n("{count} move", "{count} moves", seat.moves)
    state = "" if seat.state is SeatState.MOVING else state_words(seat)
    for detail in (say("{moves}, {state}", moves=moves, state=state), state) if state else (moves,):
        if columns_of(detail) <= place.right - end - 1:
            canvas.text(end + 1, place.y + 1, detail)
            break


def _leads(show: Show, view: SessionView, seat: SeatPicture) -> bool:
    """Tells whether a player leads; behind the end of a race there are winners instead."""
    return seat.won if _is_over(show, view) else show.replay.timeline.leader_at(view.clock_ms or 0) == seat.seat


def _is_over(show: Show, view: SessionView) -> bool:
    return (view.clock_ms or 0) >= show.replay.timeline.end_ms


def _draw_mark(canvas: Canvas, x: int, y: int, show: Show, seat: SeatPicture, palette: Palette) -> int:
    """Draws the player's number in the player's colour, and whether it is the chosen one; returns the column after."""
    end = canvas.text(x, y, f" {seat.seat + 1} ", _chip_ink(palette, seat.seat))
    chosen = seat.seat == show.replay.seat and len(show.replay.timeline.players) > 1
    canvas.text(end, y, "›" if chosen else " ", palette.strong)
    return end + 1


def _chip_ink(palette: Palette, seat: int) -> Ink:
    return palette.key if palette.lines else seat_ink(palette, seat)


def _draw_others(canvas: Canvas, stage: Stage, show: Show, view: SessionView, palette: Palette) -> None:
    """Draws a line for each player whose board is not shown."""
    shown = {seat.seat for seat in _shown(show, view, len(stage.places))}
    hidden = [seat for seat in _pictures(view) if seat.seat not in shown]
    for y, seat in enumerate(hidden[: stage.lines.height], stage.lines.y):
        _draw_line(canvas, Rect(stage.lines.x + 1, y, stage.lines.width - 2, 1), show, view, seat, palette)


def _draw_line(canvas: Canvas, row: Rect, show: Show, view: SessionView, seat: SeatPicture, palette: Palette) -> None:
    x = _draw_mark(canvas, row.x, row.y, show, seat, palette)
    draw_tile(canvas, Rect(row.right - _TILE_COLUMNS, row.y, _TILE_COLUMNS, 1), seat.max_exponent, palette)
    right = row.right - _TILE_COLUMNS - 1
    if seat.state is not SeatState.MOVING:
        right = canvas.right(right, row.y, state_words(seat)) - 2
    elif row.width >= _LINE_COLUMNS_MIN:
        right = canvas.right(right, row.y, say_n("{count} move", "{count} moves", seat.moves)) - 2
    ink = palette.primary if _leads(show, view, seat) else palette.strong
    start = canvas.right(right, row.y, f" {number(seat.score)} ", ink)
    draw_name(canvas, x, row.y, start - x - 1, seat, palette, mark_you=True)


# ── around ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _draw_header(canvas: Canvas, show: Show, view: SessionView, palette: Palette) -> None:
    speed = speed_words(show.replay.speed)
    state = say(" paused {speed} ", speed=speed) if show.replay.paused else f" {speed} "
    state = say(" the end ") if _is_over(show, view) else state
    end = canvas.text(1, 0, " race2048 ", palette.title)
    right = canvas.right(canvas.columns - 1, 0, state, palette.key)
    for part in (settings_words(view.settings), show.title):
        if not part or end + 2 + columns_of(part) >= right:
            break
        end = canvas.text(end + 2, 0, part)


def _with_room_to_tell(stage: Stage, show: Show, t_ms: int, palette: Palette) -> Stage:
    """Returns the stage, its chart in one row if what happened last needs the others."""
    told = show.replay.timeline.told_until(t_ms)
    needed = len(_told_rows(show, told[-1], t_ms, stage.told.width, palette)) if told else 0
    if needed <= stage.told.height or stage.chart.height == 1:
        return stage
    rows = stage.told.height + stage.chart.height - 1
    return replace(
        stage,
        chart=stage.chart._replace(height=1),
        bar=stage.chart.y + 1,
        told=stage.told._replace(y=stage.told.bottom - rows, height=rows),
    )


def _draw_told(canvas: Canvas, stage: Stage, show: Show, t_ms: int, palette: Palette) -> None:
    """Draws the last things that have happened, each with its time; what is new is bold, the end is highlighted."""
    region = stage.told
    rows: list[tuple[str, str, Ink]] = []
    for happening in reversed(show.replay.timeline.told_until(t_ms)):
        told = _told_rows(show, happening, t_ms, region.width, palette)
        if rows and len(rows) + len(told) > region.height:
            break
        rows = told + rows
    for y, (time, text, ink) in enumerate(rows[: region.height], region.bottom - min(len(rows), region.height)):
        canvas.text(region.x, y, time, palette.strong if ink.ground or ink.reverse else ink)
        cut = y == region.bottom - 1 and len(rows) > region.height
        canvas.text(region.x + _TIME_COLUMNS - 1, y, f"{text}…" if cut else text, ink)


def _told_rows(
    show: Show, happening: Happening, t_ms: int, columns: int, palette: Palette
) -> list[tuple[str, str, Ink]]:
    """Returns what happened in as many rows as it takes: the time, which the first row has, the words and their ink."""
    words = say("{happening}.", happening=happening_words(show.replay.timeline, happening))
    fresh = t_ms - happening.t_ms <= _FRESH_MS * max(show.replay.speed, 1)
    ink = palette.primary if happening.kind is Happened.ENDED else palette.strong if fresh else PLAIN
    lines = wrapped(words, columns - _TIME_COLUMNS - 1)
    times = [f"{clock(happening.t_ms):>{_TIME_COLUMNS - 2}}"] + [""] * (len(lines) - 1)
    return [(time, f" {line} ", ink) for time, line in zip(times, lines, strict=True)]


def _draw_footer(canvas: Canvas, stage: Stage, show: Show, palette: Palette, now_ms: int) -> None:
    y = stage.rows - 1
    if show.typed is not None:
        x = canvas.text(1, y, say("Go to a move or a time:"), palette.strong) + 1
        canvas.text(x, y, f"{show.typed}_")
        return
    if show.amiss:
        text = say("{typed}? A move is 120, a time 1:23.", typed=show.amiss)
        canvas.text(1, y, text, palette.warn)
        return
    first, *rest = _footer(show, now_ms)
    draw_footer(canvas, [(*first, True), *((*each, False) for each in rest)], palette)


def _footer(show: Show, now_ms: int) -> list[tuple[str, str]]:
    """Returns the keys that the footer names, and what they do, the most useful first."""
    replay, keyboard = show.replay, show.keyboard
    go = say("again") if replay.is_over(now_ms) else say("go on") if replay.paused else say("pause")
    return [
        (say("Space"), go),
        ("← →", say("move")),
        (shown_key("q", keyboard), say("leave")),
        ("+ −", say("speed")),
        ("?", say("keys")),
        ("Tab", say("player")),
        (shown_key("n", keyboard), say("next event")),
        ("1:23", say("go there")),
    ]


def _draw_over(canvas: Canvas, stage: Stage, show: Show, palette: Palette) -> None:
    """Draws what lies over the screen, and that the record is false, for as long as it is shown."""
    if show.reason and (stage.notice >= 0 or not show.noted):
        y = max(stage.notice, 0)
        canvas.fill(Rect(0, y, stage.columns, 1), palette.warn)
        canvas.text(1, y, say("FALSE RECORD: {reason}", reason=show.reason), palette.warn, columns=stage.columns - 2)
    if show.reason and not show.noted:
        draw_box(canvas, say("This record is false"), _warning_lines(show, stage), palette)
    elif show.help:
        draw_box(canvas, say("Keys"), _help_lines(show), palette)


def _warning_lines(show: Show, stage: Stage) -> list[str]:
    width = max(min(stage.columns - 6, 64), 8)
    return [
        *wrapped(show.reason, width),
        "",
        *wrapped(say("What you would see is what it says, as far as it can be played. It proves nothing."), width),
        "",
        *wrapped(say("Space: look at it all the same"), width),
        say("{key}: leave", key=shown_key("q", show.keyboard)),
    ]


def _help_lines(show: Show) -> list[str]:
    def key(letter: str) -> str:
        return shown_key(letter, show.keyboard)

    return [
        say("Space  pause, go on"),
        say("+ −  speed, ×0.25 to ×64"),
        say("← →  a move of the player (›)"),
        say("[ ]  ten moves (or Shift ← →)"),
        say(", .  ten seconds (or PgUp PgDn)"),
        say("{next} {before}  the next event, the last", next=key("n"), before=key("p")),
        say("Home End  start, end"),
        say("120 Enter  to move 120"),
        say("1:23 Enter  to that time"),
        say("Tab  the next player"),
        say("{key}  leave", key=key("q")),
        "",
        say("Bars: who had most points when"),
        say("◆ a draw offer, a leave, a gap"),
    ]


def _status_words(show: Show, view: SessionView, t_ms: int) -> str:
    """Returns a replay in one line, for a screen that has no more."""
    if show.reason and not show.noted:
        return say("FALSE RECORD. Space: look all the same")
    if _is_over(show, view):
        return end_words(view)
    ordered = sorted(_pictures(view), key=lambda seat: seat.seat != show.replay.seat)
    scores = "  ".join(say("{name} {score}", name=seat.name, score=number(seat.score)) for seat in ordered)
    return say("{time}  {scores}", time=clock(t_ms), scores=scores)
