"""The screen of a session that has no table yet: that the lobby is asked.

Imports nothing that takes long: it is the first picture of `join`, there before the session is (architecture.md 4.4).
"""

from __future__ import annotations

from client.language import say

from .canvas import Canvas, Rect
from .palette import Palette
from .plan import Arrangement, plan


def connecting_words() -> str:
    """Returns that the lobby is asked."""
    return say("Connecting to the lobby …")


def draw_connecting(canvas: Canvas, region: Rect, link: str, palette: Palette) -> None:
    """Draws that the lobby is asked, and with which link."""
    y = region.y + max(region.height // 2 - 2, 0)
    canvas.middle(region.x, y, region.width, connecting_words(), palette.strong)
    room = max(region.width - 2, 1)
    for row, start in enumerate(range(0, len(link), room), y + 1):  # whole, so that it can be copied
        canvas.middle(region.x, row, region.width, link[start : start + room])


def draw_name(canvas: Canvas, palette: Palette) -> int:
    """Draws what program this is at the left end of the header; returns the column after it."""
    return canvas.text(1, 0, " race2048 ", palette.title)


def paint_connecting(columns: int, rows: int, link: str, palette: Palette) -> Canvas:
    """Returns what paint.py makes of a session that has just begun, without the footer: no key is read yet."""
    canvas = Canvas(columns, rows)
    layout = plan(columns, rows, 4, 2)
    if layout.arrangement is Arrangement.LINE:
        canvas.text(0, 0, connecting_words())
        return canvas
    draw_name(canvas, palette)
    body = layout.body
    draw_connecting(canvas, Rect(body.x, body.y, body.width, max(body.height - 1, 0)), link, palette)
    return canvas
