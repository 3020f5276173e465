"""Who led a race when, as a small chart over the time axis, and how far through it a replay is.

A row for each player, or one row for all, in which everybody has a colour and a number: no colour tells anything alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from client.happenings import Happened
from client.story import Story
from client.words import clock, say
from protocol.limits import SEATS_MAX

from .canvas import Canvas, Rect, columns_of
from .palette import PLAIN, Ink, Palette
from .replay_plan import Stage

# Players are told apart by the colours of these tiles, far from each other in most palettes; in others the next are
# taken that are not the same.
_SEAT_EXPONENTS = (12, 14, 5, 16, 3, 8, 10, 7, 1, 2, 6, 9, 11, 13)
_NAME_COLUMNS_MAX = 16
_TIME_COLUMNS = 7
_SHARE_COLUMNS = 6


def seat_ink(palette: Palette, seat: int) -> Ink:
    """Returns the ink that stands for a player: no other's, nor the one that highlights."""
    inks = _seat_inks(palette)
    return inks[seat % len(inks)]


@lru_cache(maxsize=16)
def _seat_inks(palette: Palette) -> tuple[Ink, ...]:
    found: dict[str, Ink] = {}
    for exponent in _SEAT_EXPONENTS:
        ink = palette.tile(exponent).face
        if ink.ground != palette.primary.ground or palette.lines:
            found.setdefault(ink.ground, ink)
    return tuple(found.values())[:SEATS_MAX]


@lru_cache(maxsize=64)
def _line_ink(ink: Ink) -> Ink:
    """Returns an ink whose text has the colour that the other has as its ground."""
    return Ink(ink.ground) if ink.ground else PLAIN


def draw_chart(canvas: Canvas, stage: Stage, timeline: Story, t_ms: int, palette: Palette) -> None:
    """Draws who led when: a row for each player, or one row in which everybody has a colour and a number.

    Who plays alone has no such chart.
    """
    if len(timeline.players) == 1:
        return
    axis = _axis(stage, timeline)
    leaders = leaders_by_column(timeline, axis.width)
    now = _column_of(t_ms, timeline.end_ms, axis.width)
    if stage.chart.height == 1 < len(timeline.players):
        _draw_strip(canvas, axis, leaders, now, palette)
        return
    for player in timeline.players:
        y = stage.chart.y + player.seat
        end = canvas.text(stage.chart.x, y, f"{player.seat + 1} ", PLAIN)
        canvas.text(end, y, player.name, PLAIN, columns=axis.x - 1 - end)
        ink = _line_ink(seat_ink(palette, player.seat))
        for column, leader in enumerate(leaders):
            if leader == player.seat:
                canvas.text(axis.x + column, y, "█" if column <= now else "░", ink)
            else:
                canvas.text(axis.x + column, y, "·")
        share = say("{percent} %", percent=_share(timeline, player.seat))
        canvas.right(stage.chart.right, y, share)


def _draw_strip(canvas: Canvas, axis: Rect, leaders: Sequence[int | None], now: int, palette: Palette) -> None:
    before: int | None = None
    for column, leader in enumerate(leaders):
        if leader is None:
            canvas.text(axis.x + column, axis.y, "·")
        else:
            ink = seat_ink(palette, leader)
            past = column <= now
            filler = ("━" if past else "─") if palette.lines else " " if past else "░"
            shown = str(leader + 1) if leader != before else filler
            canvas.text(axis.x + column, axis.y, shown, ink if past else _line_ink(ink))
        before = leader


@lru_cache(maxsize=8)
def leaders_by_column(timeline: Story, columns: int) -> tuple[int | None, ...]:
    """Returns for each column of the time axis who led longest in it."""
    end_ms = max(timeline.end_ms, 1)
    leads = [*((lead.t_ms, lead.seat) for lead in timeline.leads), (end_ms, None)]
    spans: list[dict[int | None, int]] = [{} for _ in range(columns)]
    for (from_ms, seat), (to_ms, _) in pairwise(leads):
        for column in range(_column_of(from_ms, end_ms, columns), _column_of(max(to_ms - 1, 0), end_ms, columns) + 1):
            first_ms, last_ms = column * end_ms // columns, (column + 1) * end_ms // columns
            overlap = min(to_ms, last_ms) - max(from_ms, first_ms)
            spans[column][seat] = spans[column].get(seat, 0) + max(overlap, 0)
    return tuple(max(span, key=span.__getitem__) if span else None for span in spans)


def _share(timeline: Story, seat: int) -> int:
    """Returns for how much of the race a player led, in percent."""
    ends = [lead.t_ms for lead in timeline.leads[1:]] + [timeline.end_ms]
    led_ms = sum(end - lead.t_ms for lead, end in zip(timeline.leads, ends, strict=True) if lead.seat == seat)
    return round(100 * led_ms / max(timeline.end_ms, 1))


def _column_of(t_ms: int, end_ms: int, columns: int) -> int:
    return min(t_ms * columns // max(end_ms, 1), columns - 1)


def _axis(stage: Stage, timeline: Story) -> Rect:
    """Returns the columns of the time axis, which chart and bar share."""
    chart = stage.chart
    names = [columns_of(player.name) for player in timeline.players]
    label = max(_TIME_COLUMNS, min(max(names), _NAME_COLUMNS_MAX) + 2) if chart.height > 1 else _TIME_COLUMNS
    label = min(label, chart.width // 3) + 1
    right = max(_SHARE_COLUMNS, columns_of(clock(timeline.end_ms)) + 1)
    return Rect(chart.x + label, chart.y, chart.width - label - right, chart.height)


def draw_bar(canvas: Canvas, stage: Stage, timeline: Story, t_ms: int, palette: Palette) -> None:
    """Draws the time, how far it is through the race, and where something happened."""
    axis, y = _axis(stage, timeline), stage.bar
    now = _column_of(t_ms, timeline.end_ms, axis.width)
    canvas.text(axis.x, y, "━" * (now + 1), palette.strong)
    canvas.text(axis.x + now + 1, y, "─" * (axis.width - now - 1))
    for happening in timeline.happenings:
        if happening.kind not in (Happened.MADE, Happened.ENDED):
            column = _column_of(happening.t_ms, timeline.end_ms, axis.width)
            canvas.text(axis.x + column, y, "◆", palette.strong)
    canvas.text(axis.x + now, y, "●", palette.strong)
    canvas.text(stage.chart.x, y, clock(t_ms), palette.strong)
    canvas.right(stage.chart.right, y, clock(timeline.end_ms))
