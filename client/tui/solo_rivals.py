"""The players of a ghost race, drawn as those of a race are (panel.py): you on top, recordings below."""

from __future__ import annotations

from client.language import number, say
from client.view import GamePicture, Line, SeatPicture, SessionView
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

from .canvas import Canvas, Rect
from .palette import Palette
from .panel import draw_lines, draw_side
from .plan import Arrangement, Layout
from .solo_paint import SoloPicture


def draw_rivals(canvas: Canvas, layout: Layout, picture: SoloPicture, palette: Palette) -> None:
    """Draws everyone in the place of the figures, and your best below, or above where a row is all there is."""
    region, view = layout.panel, race_view(picture)
    best = say("best {score}", score=number(picture.best.score))
    if layout.arrangement is Arrangement.SIDE:
        draw_side(canvas, Rect(region.x, region.y, region.width, region.height - 1), view, palette)
        canvas.right(region.right, region.bottom - 1, best)
    else:
        canvas.right(region.right - 1, region.y, best)
        draw_lines(canvas, Rect(region.x, region.y + 1, region.width, region.height - 1), view, palette)


def race_view(picture: SoloPicture) -> SessionView:
    """Returns a ghost race as a race is seen from a seat."""
    view = picture.view
    me = SeatPicture(
        seat=0,
        name=SafeText.shown(view.name) or SafeText(say("you")),
        you=True,
        host=False,
        computer=False,
        connected=True,
        ready=True,
        score=view.score,
        max_exponent=view.max_exponent,
        moves=view.moves,
    )
    game = GamePicture(
        board=view.board,
        score=view.score,
        moves=view.moves,
        max_exponent=view.max_exponent,
        stuck=view.stuck,
        deck_used_up=view.deck_used_up,
        unconfirmed=0,
        waiting=False,
    )
    return SessionView(
        line=Line.ONLINE,
        phase=Phase.RACING,
        settings=TableSettings(size=view.choice.size),
        seats=(me, *picture.rivals),
        my_seat=0,
        clock_ms=view.t_ms,
        game=game,
    )
