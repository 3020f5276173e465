"""The players of a race: beside the board, a line each below it, or large for a watcher (ux.md 2.3)."""

from __future__ import annotations

from functools import lru_cache

from client.language import language
from client.view import Line, SeatPicture, SessionView
from client.words import number, say, say_n, signed, state_words
from engine.race import SeatState

from .canvas import Canvas, Cell, Rect, clipped, columns_of, wrapped
from .commands import my_picture
from .palette import PLAIN, Ink, Palette
from .tiles import big_columns, draw_big, draw_tile, face

_CHIP = 6  # the columns of a max tile on a chip
_NAME_MIN = 8


def others(view: SessionView) -> list[SeatPicture]:
    """Returns the rivals, the largest score first."""
    rivals = [seat for seat in view.seats if seat is not None and not seat.you]
    return sorted(rivals, key=lambda seat: (-seat.score, seat.moves, seat.seat))


def my_score(view: SessionView) -> int | None:
    """Returns your score as your own board has it, None for a watcher."""
    if view.game is not None:
        return view.game.score
    mine = my_picture(view)
    return mine.score if mine is not None else None


def mark_words(view: SessionView) -> str:
    """Returns what is known of moves that are not yet with the lobby; empty while all is well."""
    game = view.game
    if game is None:
        return ""
    if game.unconfirmed and (view.line is not Line.ONLINE or game.waiting):
        return say_n("{count} move not sent", "{count} moves not sent", game.unconfirmed)
    return say("waiting") if game.waiting else ""


# ── beside the board ─────────────────────────────────────────────────────────────────────────────────────────────


def draw_side(canvas: Canvas, region: Rect, view: SessionView, palette: Palette) -> None:
    """Draws you on top and the rivals below, as roomy as the region allows."""
    mine, rivals = my_picture(view), others(view)
    y = region.y
    if mine is not None:
        y = _draw_card(canvas, region, view, mine, palette)
    step = next((rows for rows in (4, 3, 2) if rows * len(rivals) - (rows == 4) <= region.bottom - y), 1)
    for rival in rivals:
        if y < region.bottom:
            _draw_rival(canvas, Rect(region.x, y, region.width, step), view, rival, palette)
        y += step


def _draw_card(canvas: Canvas, region: Rect, view: SessionView, mine: SeatPicture, palette: Palette) -> int:
    """Draws your name and figures; returns the row after them and a blank one, which a mark may take that is long."""
    game = view.game
    score, moves, exponent = mine.score, mine.moves, mine.max_exponent
    if game is not None:
        score, moves, exponent = game.score, game.moves, game.max_exponent
    name_end = canvas.text(region.x, region.y, mine.name, palette.strong)
    mark = mark_words(view) or ("" if mine.state is SeatState.MOVING else state_words(mine))
    figures = [
        (say("score"), number(score)),
        (say("max tile"), face(exponent, 7) if exponent else "–"),
        (say("moves"), number(moves)),
    ]
    y = _draw_figures(canvas, Rect(region.x, region.y + 1, region.width, 3), figures, palette)
    if not mark:
        return y + 1
    if columns_of(mark) + 2 <= region.right - name_end - 1:
        canvas.right(region.right, region.y, f" {mark} ", palette.warn)
        return y + 1
    lines = wrapped(mark, region.width - 2)
    for row, line in enumerate(lines, y):
        canvas.right(region.right, row, f" {line} ", palette.warn)
    return y + len(lines)


def _draw_figures(canvas: Canvas, region: Rect, figures: list[tuple[str, str]], palette: Palette) -> int:
    """Draws three figures below their labels, or, where the labels are too long, beside them; returns the row after."""
    wide = [max(columns_of(label), columns_of(value)) for label, value in figures]
    middle = max(region.x + region.width // 2 - 2, region.x + wide[0] + 2)
    if middle + wide[1] + 1 > region.right - 1 - wide[2]:
        canvas.fill(region, palette.card)
        for y, (label, value) in enumerate(figures, region.y):
            start = canvas.right(region.right - 1, y, value, palette.card_strong)
            canvas.text(region.x + 1, y, label, palette.card, columns=start - region.x - 2)
        return region.bottom
    canvas.fill(Rect(region.x, region.y, region.width, 2), palette.card)
    for x, (label, value) in zip((region.x + 1, middle), figures, strict=False):
        canvas.text(x, region.y, label, palette.card)
        canvas.text(x, region.y + 1, value, palette.card_strong)
    label, value = figures[-1]
    canvas.right(region.right - 1, region.y, label, palette.card)
    canvas.right(region.right - 1, region.y + 1, value, palette.card_strong)
    return region.y + 2


def _draw_rival(canvas: Canvas, region: Rect, view: SessionView, rival: SeatPicture, palette: Palette) -> None:
    gap = clipped(_gap(view, rival), region.width) if region.height > 1 else ""
    rows = rival_cells(rival, region.width, region.height, columns_of(gap), palette, language())
    for y, row in enumerate(rows, region.y):
        canvas.paste(region.x, y, row)
    canvas.right(region.right, region.y + 1, gap)


@lru_cache(maxsize=32)
def rival_cells(
    rival: SeatPicture, columns: int, rows: int, gap_columns: int, palette: Palette, _language: str
) -> tuple[tuple[Cell, ...], ...]:
    """Returns the cells of a rival but for the gap to it: rivals change once a second, the own board with every key."""
    canvas = Canvas(columns, min(rows, 3))
    start = canvas.right(columns, 0, number(rival.score), palette.strong)
    draw_name(canvas, 0, 0, start - 1, rival, palette)
    draw_tile(canvas, Rect(0, 1, _CHIP, 1), rival.max_exponent, palette)
    moves = say_n("{count} move", "{count} moves", rival.moves)
    state, ink = state_words(rival), _state_ink(rival, palette)
    ordinary = _is_racing(rival)
    both = columns_of(moves) + columns_of(state) < columns
    if rows < 3:
        canvas.text(_CHIP + 1, 1, moves if ordinary else state, columns=columns - gap_columns - _CHIP - 2)
    else:
        if both or ordinary:
            canvas.text(0, 2, moves)
        if both or not ordinary:
            canvas.right(columns, 2, state, ink)
    return tuple(tuple(line) for line in canvas.lines)


def draw_name(
    canvas: Canvas, x: int, y: int, columns: int, seat: SeatPicture, palette: Palette, *, mark_you: bool = False
) -> None:
    """Draws a name, bold, and its marks: a computer player is marked on every screen (rules 3.10)."""
    mark = say("you") if mark_you and seat.you else ""
    if seat.computer:
        long = say("computer")
        mark = long if columns >= columns_of(seat.name) + 1 + columns_of(long) else say("bot")
    room = columns - columns_of(mark) - 1 if mark else columns
    end = canvas.text(x, y, seat.name, palette.strong, columns=room)
    canvas.text(end + 1, y, mark)


def _gap(view: SessionView, seat: SeatPicture) -> str:
    mine = my_score(view)
    return "" if mine is None else signed(seat.score - mine)


def _state_ink(seat: SeatPicture, palette: Palette) -> Ink:
    return PLAIN if _is_racing(seat) else palette.strong


def _is_racing(seat: SeatPicture) -> bool:
    return seat.state is SeatState.MOVING and seat.connected and seat.away_ms is None and not seat.done


# ── below the board ──────────────────────────────────────────────────────────────────────────────────────────────


def draw_lines(canvas: Canvas, region: Rect, view: SessionView, palette: Palette) -> None:
    """Draws a line for each player: name, score, gap or state, max tile, and moves where there is room."""
    mine = my_picture(view)
    seats = ([mine] if mine is not None else []) + others(view)
    for y, seat in enumerate(seats[: region.height], region.y):
        _draw_line(canvas, region, y, view, seat, palette)


def _draw_line(canvas: Canvas, region: Rect, y: int, view: SessionView, seat: SeatPicture, palette: Palette) -> None:
    game = view.game if seat.you else None
    score, moves, exponent = seat.score, seat.moves, seat.max_exponent
    if game is not None:
        score, moves, exponent = game.score, game.moves, game.max_exponent
    right = region.right - 1
    draw_tile(canvas, Rect(right - _CHIP, y, _CHIP, 1), exponent, palette)
    right -= _CHIP + 1
    racing = _is_racing(seat)
    if region.width >= 50:
        canvas.right(right, y, say_n("{count} move", "{count} moves", moves))
        right -= 12
    if seat.you:
        detail = mark_words(view) or (say("you") if racing else state_words(seat))
    else:
        detail = _gap(view, seat) if racing and view.my_seat is not None else state_words(seat)
    canvas.right(right, y, clipped(detail, 9), _state_ink(seat, palette))
    right -= 10
    start = canvas.right(right, y, number(score), palette.strong)
    draw_name(canvas, region.x + 1, y, start - region.x - 2, seat, palette)


def status_words(view: SessionView) -> str:
    """Returns the race in one line, for a screen that has no more: score, and the best rival."""
    score = my_score(view)
    best = next(iter(others(view)), None)
    parts = [number(score)] if score is not None else []
    if best is not None:
        parts.append(say("{name} {score}", name=best.name, score=number(best.score)))
    return "  ".join(parts)


# ── for a watcher ────────────────────────────────────────────────────────────────────────────────────────────────


def draw_standings(canvas: Canvas, region: Rect, view: SessionView, palette: Palette) -> None:
    """Draws everyone large: the max tile as a tile, the score in big digits, name, moves and state."""
    seats = others(view)
    mine = my_picture(view)
    seats = sorted([*seats, mine], key=lambda seat: -seat.score) if mine is not None else seats
    width = min(region.width - 4, 72)
    x = region.x + (region.width - width) // 2
    roomy = region.height >= 4 * len(seats) + 1
    step = 4 if roomy else 3 if region.height >= 3 * len(seats) else 1
    top = region.y + max((region.height - step * len(seats)) // 3, 0)
    for place, seat in enumerate(seats):
        row = Rect(x, top + step * place, width, min(step, 3))
        if step == 1:
            _draw_line(canvas, Rect(region.x, row.y, region.width, 1), row.y, view, seat, palette)
        else:
            _draw_standing(canvas, row, seat, palette)


def _draw_standing(canvas: Canvas, row: Rect, seat: SeatPicture, palette: Palette) -> None:
    draw_tile(canvas, Rect(row.x, row.y, 8, 3), seat.max_exponent, palette)
    x = row.x + 10
    digits = number(seat.score)
    room = row.right - x - _NAME_MIN
    if big_columns(digits) <= room - 8:
        right = row.right - big_columns(digits)
        draw_big(canvas, right, row.y, digits, palette.strong)
    else:
        right = canvas.right(row.right, row.y, digits, palette.strong)
    draw_name(canvas, x, row.y, right - x - 1, seat, palette)
    canvas.text(x, row.y + 1, say_n("{count} move", "{count} moves", seat.moves), columns=right - x - 1)
    canvas.text(x, row.y + 2, state_words(seat), _state_ink(seat, palette), columns=right - x - 1)
