"""What `race2048 verify --luck` adds: everyone's luck, as lines and in JSON (docs/luck.md). Advice, never a verdict."""

from __future__ import annotations

from client.luck import luck_words
from client.words import say
from protocol.luck import luck_of
from protocol.verdict import Verdict


def luck_lines(verdict: Verdict, data: bytes) -> str:
    """Returns a line for each seat of a true record."""
    lines = []
    for seat, found in zip(verdict.seats, luck_of(data), strict=True):
        words = say("too few draws to speak of luck") if found.z is None else luck_words(found.z)
        lines.append(say("  {name}: {luck}", name=seat.name, luck=words))
    return "\n".join(lines)


def with_luck(told: dict[str, object], verdict: Verdict, data: bytes) -> dict[str, object]:
    """Returns a verdict in JSON, in each seat of a true one its luck: a number, null where nothing is said."""
    if not verdict.ok:
        return told
    seats = told["seats"]
    assert isinstance(seats, list), "verify.py makes it"
    pairs = zip(seats, luck_of(data), strict=True)
    return told | {"seats": [seat | {"luck": None if found.z is None else found.z / 1_000} for seat, found in pairs]}
