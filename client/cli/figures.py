"""The figures of a race as JSON: for whatever prints some, of a running race or of a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from engine.race import Outcome, SeatState
from protocol.text import SafeText


class Figures(Protocol):
    """What a seat's line is made of: of a running race or of a verdict."""

    @property
    def seat(self) -> int: ...  # noqa: D102 - see client.view.SeatPicture
    @property
    def name(self) -> SafeText: ...  # noqa: D102
    @property
    def score(self) -> int: ...  # noqa: D102
    @property
    def max_exponent(self) -> int: ...  # noqa: D102
    @property
    def moves(self) -> int: ...  # noqa: D102
    @property
    def state(self) -> SeatState: ...  # noqa: D102


def json_line(told: Mapping[str, object]) -> str:
    """Returns a line of JSON in which nothing is that a terminal would obey: such characters stand as escapes."""
    import json  # who reads words need not wait for it

    text = json.dumps(told, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def tile(exponent: int) -> int:
    """Returns the face value of a tile, 0 for none."""
    return 1 << exponent if exponent else 0


def seat_json(seat: Figures) -> dict[str, object]:
    """Returns a seat as it stands in JSON."""
    return {
        "seat": seat.seat,
        "name": seat.name,
        "score": seat.score,
        "max_tile": tile(seat.max_exponent),
        "moves": seat.moves,
        "state": seat.state.name.lower(),
    }


def outcome_json(outcome: Outcome) -> dict[str, object]:
    """Returns an outcome as it stands in JSON."""
    return {
        "termination": outcome.termination.name.lower().replace("_", "-"),
        "winners": list(outcome.winners),
        "t_ms": outcome.t_ms,
    }
