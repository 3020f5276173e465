"""The screens before a race: connecting, and waiting for everyone (code, links, settings, seats)."""

from __future__ import annotations

from client.view import SeatPicture, SessionView
from client.words import (
    advice,
    code_in_groups,
    ready_words,
    say,
    say_n,
    settings_words,
    tally_words,
    terms_words,
)

from .canvas import Canvas, Rect, columns_of, wrapped
from .commands import Ui, my_picture
from .connecting import draw_connecting
from .keys import Verb
from .palette import PLAIN, Palette
from .panel import draw_name
from .qr import draw_qr, largest_blocks, link_to_scan
from .tiles import big_columns, draw_big

_CONTENT_COLUMNS = 76
_WIDE_COLUMNS = 100  # with a QR code beside it
_BESIDE_COLUMNS_MIN = 36  # what the seats need beside a QR code
_LABEL_COLUMNS_MIN = 8
_LABELLED_COLUMNS_MIN = 60  # below it the commands need all there is


def draw_waiting(canvas: Canvas, region: Rect, view: SessionView, ui: Ui, palette: Palette) -> None:
    """Draws that the lobby is asked, or why that came to nothing."""
    if view.ending:
        y = region.y + max(region.height // 2 - 2, 0)
        told = advice(view.ending)
        lines = [(f" {line} ", palette.warn) for line in wrapped(told.happened, region.width - 2)]
        lines += [(line, PLAIN) for line in wrapped(told.remedy, region.width - 2)]
        for row, (line, ink) in enumerate(lines, y):
            canvas.middle(region.x, row, region.width, line, ink)
        return
    draw_connecting(canvas, region, ui.join, palette)


def draw_seating(canvas: Canvas, region: Rect, view: SessionView, ui: Ui, palette: Palette) -> None:
    """Draws the table as it waits, roomy or tight as the region is, with the link as a QR code where there is room."""
    width = min(region.width - 2, _CONTENT_COLUMNS)
    links = link_lines(view, ui, width)
    inviting = view.i_am_host and any(seat is None for seat in view.seats)
    link = link_to_scan(ui.join) if inviting else ""
    wide = min(region.width - 2, _WIDE_COLUMNS)
    beside = largest_blocks(link, wide - _BESIDE_COLUMNS_MIN - 2, region.height - len(links))
    if beside:
        place = _draw_beside(canvas, region, view, palette, beside, links)
    else:
        y = _draw_alone(canvas, region, view, palette, links)
        beside = largest_blocks(link, region.width, region.bottom - y - 1)
        place = (region.x + (region.width - len(beside[0])) // 2, y + 1) if beside else (0, 0)
    if ui.overlay is not Verb.LINK:  # which has the code itself
        draw_qr(canvas, *place, beside, palette.depth)


def _draw_alone(canvas: Canvas, region: Rect, view: SessionView, palette: Palette, links: list[tuple[str, str]]) -> int:
    """Draws the table from top to bottom; returns the row after it."""
    width = min(region.width - 2, _CONTENT_COLUMNS)
    x = region.x + (region.width - width) // 2
    roomy = region.height >= 9 + len(links) + max(len(view.seats), 1)
    y = region.y + (1 if roomy else 0)
    y = _draw_code(canvas, Rect(x, y, width, 4), view, palette, big=roomy)
    _draw_links(canvas, x, y, links, width)
    y += len(links) + (1 if roomy else 0)
    return _draw_people(canvas, Rect(x, y, width, region.bottom - y), view, palette, roomy=roomy)


def _draw_beside(
    canvas: Canvas,
    region: Rect,
    view: SessionView,
    palette: Palette,
    qr: tuple[str, ...],
    links: list[tuple[str, str]],
) -> tuple[int, int]:
    """Draws the table with room for the QR code at its right and the links below both; returns where the code goes."""
    width = min(region.width - 2, _WIDE_COLUMNS)
    x = region.x + (region.width - width) // 2
    spare = region.height - len(qr) - len(links)
    y = region.y + min(spare // 2, 1)
    left = Rect(x, y, width - len(qr[0]) - 2, len(qr))
    below = _draw_code(canvas, left, view, palette, big=True)
    _draw_people(canvas, Rect(x, below + 1, left.width, left.bottom - below - 1), view, palette, roomy=True)
    _draw_links(canvas, x, y + len(qr) + (1 if spare > 1 else 0), links, width)
    return left.right + 2, y


def _draw_links(canvas: Canvas, x: int, y: int, links: list[tuple[str, str]], width: int) -> None:
    for row, (label, text) in enumerate(links, y):
        if label:
            canvas.text(x, row, label)
        canvas.text(x + (label_columns() if width >= _LABELLED_COLUMNS_MIN else 0), row, text)


def _draw_people(canvas: Canvas, region: Rect, view: SessionView, palette: Palette, *, roomy: bool) -> int:
    """Draws the seats, what everyone waits for, and the tally; returns the row after them."""
    y = region.y
    for number, seat in enumerate(view.seats):
        if y < region.bottom:
            _draw_seat(canvas, Rect(region.x, y, region.width, 1), number, seat, palette)
        y += 1
    y += 1 if roomy else 0
    for ink, text in ((palette.strong, hint_words(view)), (PLAIN, tally_words(view.tally))):
        for line in wrapped(text, region.width):
            if y < region.bottom:
                canvas.text(region.x, y, line, ink, columns=region.width)
                y += 1
    return y


def link_lines(view: SessionView, ui: Ui, columns: int) -> list[tuple[str, str]]:
    """Returns what friends type, as lines of (label, text); too long a link goes on below its beginning."""
    join = ui.join or code_in_groups(view.code)
    lobby, _, _ = ui.join.partition("/t/")  # a guest has been sent one link, and knows both codes by now
    watch = ui.watch or (f"{lobby}/w/{view.watch_code}" if lobby and view.watch_code else "")
    watch = watch or code_in_groups(view.watch_code)
    found = [(say("join"), f"race2048 join {join}" if join else ""),
             (say("watch"), f"race2048 watch {watch}" if watch else "")]  # fmt: skip
    wide = columns >= _LABELLED_COLUMNS_MIN
    room = columns - label_columns() if wide else columns
    if ui.lan and ui.join and view.code:
        command = f"race2048 join {code_in_groups(view.code)}"
        here = say("{command}   on this network", command=command)
        found = [(say("join"), here if columns_of(here) <= room else command), ("", found[0][1]), found[1]]
    lines: list[tuple[str, str]] = []
    for label, text in found:
        starts = range(0, len(text), max(room, 1))
        lines += [(label if wide and start == 0 else "", text[start : start + room]) for start in starts]
    return lines


def label_columns() -> int:
    """Returns how far in a link begins that has its label before it."""
    return max(*(columns_of(label) + 1 for label in (say("join"), say("watch"))), _LABEL_COLUMNS_MIN)


def hint_words(view: SessionView) -> str:
    """Returns what everyone waits for, and what you can do about it."""
    mine = my_picture(view)
    guests = [seat for seat in view.seats if seat is not None and not seat.host]
    unready = [seat.name for seat in guests if not (seat.ready and seat.connected)]
    names = say(", ").join(unready)
    if mine is None:
        return say("You are watching.")
    if view.can_start:
        return say("Everyone is ready: start when you like.")
    if not view.i_am_host and not mine.ready:
        return say("Say that you are ready.")
    if not guests:
        return say("Give your friends the code or the link.")
    if unready:
        return say("Waiting for {names} to be ready.", names=names)
    return say("Waiting for the host to start.")


def _draw_code(canvas: Canvas, region: Rect, view: SessionView, palette: Palette, *, big: bool) -> int:
    """Draws the code, and what is played beside it; returns the row after it."""
    code = code_in_groups(view.code or view.watch_code)
    detail = say_n("{count} seat", "{count} seats", view.settings.seats)
    if view.watchers:
        detail = say_n("{seats}, {count} watching", "{seats}, {count} watching", view.watchers, seats=detail)
    if view.locked:
        detail = say("{detail}, locked", detail=detail)
    played, terms = settings_words(view.settings), terms_words(view)
    beside = region.width - big_columns(code) - 4
    if big and beside >= 24:
        draw_big(canvas, region.x, region.y, code, palette.strong)
        x = region.x + big_columns(code) + 4
        canvas.text(x, region.y, played, palette.strong, columns=beside)
        canvas.text(x, region.y + 1, detail, columns=beside)
        if columns_of(terms) <= beside:
            canvas.text(x, region.y + 2, terms)
            return region.y + 4
        lines = wrapped(terms, region.width)
        for row, line in enumerate(lines, region.y + 3):
            canvas.text(region.x, row, line)
        return region.y + 4 + len(lines)
    if big and big_columns(code) <= region.width:
        draw_big(canvas, region.x, region.y, code, palette.strong)
        if region.height < 6:
            lines = wrapped(_joined(played, terms), region.width)
            for row, line in enumerate(lines, region.y + 3):
                canvas.text(region.x, row, line)
            return region.y + 3 + len(lines)
        canvas.text(region.x, region.y + 3, played, columns=region.width)
        canvas.text(region.x, region.y + 4, detail, columns=region.width)
        canvas.text(region.x, region.y + 5, terms, columns=region.width)
        return region.y + (6 if terms else 5)
    end = canvas.text(region.x, region.y, code, palette.strong)
    canvas.text(end + 2, region.y, _joined(played, terms), columns=region.right - end - 2)
    return region.y + 1


def _joined(settings: str, terms: str) -> str:
    return say("{settings}, {rest}", settings=settings, rest=terms) if terms else settings


def _draw_seat(canvas: Canvas, row: Rect, number: int, seat: SeatPicture | None, palette: Palette) -> None:
    canvas.text(row.x, row.y, f"{number + 1}")
    if seat is None:
        canvas.text(row.x + 3, row.y, say("free"))
        return
    state = ready_words(seat)
    ink = palette.good if seat.ready and seat.connected else palette.warn if not seat.connected else PLAIN
    if seat.host and seat.connected:
        state, ink = say("host"), palette.title
    label = f" {state} "
    column = min(row.x + 32, row.right - columns_of(label))
    canvas.text(column, row.y, label, ink)
    draw_name(canvas, row.x + 3, row.y, column - row.x - 4, seat, palette, mark_you=True)
