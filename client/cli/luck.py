"""What `race2048 verify --luck` adds: everyone's luck, as lines and in JSON (docs/luck.md). Advice, never a verdict."""

from __future__ import annotations

from client.luck import luck_words
from client.words import say
from engine.luck import Luck
from protocol.luck import luck_of, solo_luck_of
from protocol.solo import SoloRecord
from protocol.solo_verdict import SoloVerdict
from protocol.text import SafeText
from protocol.verdict import Verdict


def luck_lines(verdict: Verdict, data: bytes) -> str:
    """Returns a line for each seat of a true record."""
    return "\n".join(_line(seat.name, found) for seat, found in zip(verdict.seats, luck_of(data), strict=True))


def _line(name: SafeText, found: Luck) -> str:
    words = say("too few draws to speak of luck") if found.z is None else luck_words(found.z)
    return say("  {name}: {luck}", name=name, luck=words)


def solo_luck_line(record: SoloRecord) -> str:
    """Returns a line of the player of a true game alone, or why nothing is said."""
    found = solo_luck_of(record)
    if found is None:
        return say("Nothing is said of luck: moves were taken back, and after that the next tile is known.")
    return _line(SafeText.shown(record.opening.name), found)


def with_solo_luck(told: dict[str, object], verdict: SoloVerdict) -> dict[str, object]:
    """Returns a verdict on a game alone in JSON, with its luck if it is true: a number, null where nothing is said."""
    solo = told["solo"]
    if not isinstance(solo, dict) or verdict.record is None:
        return told
    found = solo_luck_of(verdict.record)
    z = None if found is None else found.z
    return told | {"solo": solo | {"luck": None if z is None else z / 1_000}}


def with_luck(told: dict[str, object], verdict: Verdict, data: bytes) -> dict[str, object]:
    """Returns a verdict in JSON, in each seat of a true one its luck: a number, null where nothing is said."""
    if not verdict.ok:
        return told
    seats = told["seats"]
    assert isinstance(seats, list), "verify.py makes it"
    pairs = zip(seats, luck_of(data), strict=True)
    return told | {"seats": [seat | {"luck": None if found.z is None else found.z / 1_000} for seat, found in pairs]}
