"""The screen after a race: why it ended, everyone's board, the tally, and what came of checking the record."""

from __future__ import annotations

from dataclasses import dataclass

from client.luck import all_luck_words, is_improbable
from client.view import SeatPicture, SessionView
from client.words import check_words, number, outcome_words, place_words, say, say_n, state_words, tally_words
from engine.race import SeatState, Termination

from .canvas import Canvas, Rect, clipped_left, columns_of, wrapped
from .commands import Ui
from .palette import PLAIN, Palette
from .panel import draw_name
from .plan import Gap, Row, side_by_side
from .tiles import draw_board, face

_ROOMY = 4  # rows above the names, so that the headline stands free
BOARDS_ROWS_MIN = 14  # a screen of fewer rows lists the standing only


@dataclass(frozen=True, slots=True)
class _Frame:
    """How many rows stand above the names and below the boards, and how the boards fit between."""

    above: int
    below: int
    row: Row | None


def by_place(view: SessionView) -> list[SeatPicture]:
    """Returns the seats as they are placed, those without a place last."""
    seats = [seat for seat in view.seats if seat is not None]
    return sorted(seats, key=lambda seat: (seat.place or len(seats) + 1, -seat.score, seat.seat))


def draw_result(canvas: Canvas, region: Rect, view: SessionView, ui: Ui, palette: Palette) -> None:
    """Draws the result in a region between header and the row for messages."""
    seats = by_place(view)
    if region.height < BOARDS_ROWS_MIN or not seats:
        _draw_list(canvas, region, view, seats, palette)
        return
    told, tally = _headline_rows(region, view), _tally_rows(region, view)
    frame = _frame(region, view.settings.size, len(seats), max(len(told) - 1, 0), max(len(tally) - 1, 0))
    _draw_headline(canvas, region, view, palette, roomy=frame.above == _ROOMY)
    if frame.row is None:
        _draw_list(canvas, region, view, seats, palette)
        return
    shown = _page(seats, len(frame.row.places), ui.page)
    for place, seat in zip(frame.row.places, shown, strict=True):
        _draw_player(canvas, place, frame.row, view, seat, palette)
    _draw_facts(canvas, Rect(region.x, region.bottom - frame.below, region.width, frame.below), view, palette)
    if len(shown) < len(seats):
        # In the row below, which is for messages: after a race there are hardly any.
        canvas.right(region.right - 1, region.bottom, say(" Tab: the next boards "), palette.key)


def _frame(region: Rect, size: int, count: int, more_above: int, more_below: int) -> _Frame:
    """Returns the roomiest frame, unless a tighter one shows more boards or better ones.

    `more_above`, `more_below`: the rows that the headline and the tally take beyond their first.
    """
    best = _Frame(1, 2, None)
    for above, below in ((_ROOMY, 5), (1 + more_above, 3 + more_below), (1 + more_above, 2)):
        top = region.y + above + 2
        row = side_by_side(Rect(region.x, top, region.width, region.bottom - below - top), size, count)
        if row is not None and (best.row is None or _worth(row) > _worth(best.row)):
            best = _Frame(above, below, row)
    return best


def _worth(row: Row) -> tuple[bool, int]:
    return row.shape.gap is not Gap.NOTHING, len(row.places)


def _page(seats: list[SeatPicture], count: int, page: int) -> list[SeatPicture]:
    """Returns the seats whose boards are shown: the winner and you first, then round with every Tab."""
    if count >= len(seats):
        return seats
    ordered = seats[:1] + [seat for seat in seats[1:] if seat.you] + [seat for seat in seats[1:] if not seat.you]
    start = page * count % len(ordered)
    return [ordered[(start + step) % len(ordered)] for step in range(count)]


def headline(view: SessionView) -> str:
    """Returns why the race ended, in a line."""
    if view.outcome is None:
        return say("The race is over")
    return outcome_words(view.outcome, view.seats, view.settings)


def _headline_rows(region: Rect, view: SessionView) -> list[str]:
    return wrapped(headline(view), region.width - 4)


def _tally_rows(region: Rect, view: SessionView) -> list[str]:
    return wrapped(tally_words(view.tally), region.width - 2)


def _draw_headline(canvas: Canvas, region: Rect, view: SessionView, palette: Palette, *, roomy: bool) -> None:
    mine = next((seat for seat in view.seats if seat is not None and seat.you), None)
    won = mine is not None and mine.won
    void = view.outcome is not None and view.outcome.termination is Termination.VOID
    ink = palette.primary if won else palette.warn if void else palette.title
    lines = _headline_rows(region, view)
    place = place_words(view)
    if roomy:
        for y, line in enumerate(lines[:2], region.y + 2 - len(lines[:2])):
            canvas.middle(region.x, y, region.width, f" {line} ", ink)
        canvas.middle(region.x, region.y + 2, region.width, place)
        return
    end = region.x + 1
    for y, line in enumerate(lines, region.y):
        end = canvas.text(region.x + 1, y, f" {line} ", ink)
    if len(lines) == 1 and end + 1 + columns_of(place) < region.right:
        canvas.text(end + 1, region.y, place)


def _draw_player(canvas: Canvas, place: Rect, row: Row, view: SessionView, seat: SeatPicture, palette: Palette) -> None:
    size = view.settings.size
    if seat.place is not None:
        end = canvas.text(place.x, place.y - 2, f" {seat.place} ", palette.primary if seat.won else palette.key)
    else:
        end = place.x - 1
    draw_name(canvas, end + 1, place.y - 2, place.right - end - 1, seat, palette, mark_you=True)
    end = canvas.text(place.x, place.y - 1, number(seat.score), palette.strong)
    moves = say_n("{count} move", "{count} moves", seat.moves)
    state = "" if seat.state is SeatState.MOVING else state_words(seat)
    details = (say("{moves}, {state}", moves=moves, state=state), state) if state else (moves,)
    for detail in details:
        if columns_of(detail) <= place.right - end - 2:
            canvas.text(end + 2, place.y - 1, detail)
            break
    board = Rect(place.x, place.y, row.shape.columns(size), row.shape.rows(size))
    draw_board(canvas, board, row.shape, size, seat.board, palette)


def _draw_facts(canvas: Canvas, region: Rect, view: SessionView, palette: Palette) -> None:
    """Draws the last rows: the check of the record, where it is and how to check it again, and the tally."""
    x, width = region.x + 1, region.width - 2
    y = region.y + (1 if region.height >= 5 else 0)
    bad = view.check is not None and not view.check.ok
    end = canvas.text(x, y, check_words(view), palette.warn if bad else palette.strong, columns=width)
    spare = Rect(x, y + 3, width, region.bottom - y - 3)
    _draw_luck(canvas, Rect(end + 2, y, x + width - end - 2, 1), spare, view, palette)
    if view.record_path:
        path, command = view.record_path, say("race2048 verify {path}", path=view.record_path)
        canvas.text(x, y + 1, command if columns_of(command) <= width else clipped_left(path, width), columns=width)
    for row, line in enumerate(_tally_rows(region, view), y + 2):
        if row < region.bottom:
            canvas.text(x, row, line, columns=width)


def _draw_luck(canvas: Canvas, beside: Rect, spare: Rect, view: SessionView, palette: Palette) -> None:
    """Draws everyone's luck beside the check of the record, or on a spare row if there is one and it is too long."""
    words = all_luck_words(view)
    place = spare if spare.height > 0 and columns_of(words) > beside.width else beside
    much = any(seat is not None and is_improbable(seat.luck) for seat in view.seats)
    canvas.text(place.x, place.y, words, palette.warn if much else PLAIN, columns=place.width)


def _draw_list(canvas: Canvas, region: Rect, view: SessionView, seats: list[SeatPicture], palette: Palette) -> None:
    canvas.text(region.x + 1, region.y, headline(view), palette.strong, columns=region.width - 2)
    rows = Rect(region.x + 1, region.y + 1, region.width - 2, max(region.height - 2, 0))
    for y, seat in enumerate(seats[: rows.height], rows.y):
        place = f"{seat.place}" if seat.place is not None else "–"
        canvas.text(rows.x, y, place)
        largest = face(seat.max_exponent, 6) if seat.max_exponent else ""
        figures = f"{number(seat.score)} {largest:>6}"
        start = canvas.right(rows.right, y, figures, palette.strong)
        draw_name(canvas, rows.x + 3, y, start - rows.x - 4, seat, palette, mark_you=True)
    y = region.bottom - 1
    end = canvas.text(region.x + 1, y, check_words(view), columns=region.width - 2)
    spare = Rect(rows.x, y - 1, rows.width, rows.height - len(seats))
    _draw_luck(canvas, Rect(end + 2, y, region.right - end - 3, 1), spare, view, palette)
