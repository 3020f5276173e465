"""The luck test in words for a person: advice, never a verdict (docs/luck.md). Pure."""

from __future__ import annotations

from client.language import decimal, say
from client.view import SeatPicture, SessionView
from engine.luck import IMPROBABLE


def luck_words(z: int) -> str:
    """Returns luck, in thousandths, as it is told: "luck +0.8", from 5 on "improbable luck +6.3"."""
    if is_improbable(z):
        return say("improbable luck {luck}", luck=tenths(z))
    return say("luck {luck}", luck=tenths(z))


def is_improbable(z: int | None) -> bool:
    """Tells whether luck is more than chance is likely to give in a great many games."""
    return z is not None and z >= IMPROBABLE


def tenths(z: int) -> str:
    """Returns thousandths as "+0.8", "−1.2" or "±0.0", cut off, so that 4.999 is not shown as 5."""
    sign = "±" if abs(z) < 100 else "+" if z > 0 else "−"
    return sign + decimal(abs(z) // 100 / 10)


def all_luck_words(view: SessionView) -> str:
    """Returns everyone's luck in a line, who had too much of it first; empty while it is not known."""
    known = [seat for seat in view.seats if seat is not None and seat.luck is not None]
    much = [seat for seat in known if is_improbable(seat.luck)]
    usual = [seat for seat in known if not is_improbable(seat.luck)]
    parts = []
    if much:
        parts.append(say("Improbable luck: {players}.", players=_each(much)))
    if usual:
        parts.append(say("Luck: {players}.", players=_each(usual)))
    return " ".join(parts)


def _each(seats: list[SeatPicture]) -> str:
    return say(", ").join(say("{name} {luck}", name=seat.name, luck=tenths(seat.luck or 0)) for seat in seats)
