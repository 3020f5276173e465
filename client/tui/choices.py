"""What a host can choose for a table, and what follows from a choice (rules 3.2): pure functions of settings.

The settings screen, the words of `--plain` and the options of the command line all choose here, so that they offer
the same. Which settings a table can have at all is protocol/deal.py's `settings_fault`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from msgspec.structs import replace as with_values

from client.words import duration_words, say
from engine.board import SIZES, largest_exponent
from engine.race import Kind
from engine.solo import TARGET_EXPONENT_MIN, USUAL_TARGETS
from protocol.limits import IDLE_MS_DEFAULT, LEAD_DEFAULT, LEAD_STRICT, SEATS_MAX, SEATS_MIN
from protocol.messages import TableSettings

from .keys import line_after

SECOND_MS, MINUTE_MS = 1_000, 60_000
TARGETS = USUAL_TARGETS
TARGETS_SHOWN = 4  # rules 3.2: 256/512/1024/2048 on 4×4
TIMES_MS = tuple(minutes * MINUTE_MS for minutes in (1, 2, 3, 5, 10))  # rules 3.2
LONG_TIMES_MS = tuple(minutes * MINUTE_MS for minutes in (15, 20, 30, 45, 60))
TIME_MS_MIN, TIME_MS_MAX = 1 * MINUTE_MS, 60 * MINUTE_MS  # rules 3.2
TIME_MS_DEFAULT = 3 * MINUTE_MS
IDLES_MS = (*(minutes * MINUTE_MS for minutes in (1, 2, 3, 5, 10)), 0)
IDLE_MS_MIN = 45 * SECOND_MS  # one is warned 30 s before (rules 4.9), which must not be always
KIND_NAMES = {"target": Kind.TARGET, "timed": Kind.TIMED, "endless": Kind.ENDLESS}
PACE_MIN, PACE_MAX = 0.1, 35.0  # under the lobby's limit of 40 (rules 6.1)
LEADS = (LEAD_DEFAULT, LEAD_STRICT)
_SYNONYMS = {"board": "size", "race": "kind", "players": "seats"}
_DURATION = re.compile(r"(?:(?P<minutes>[0-9]{1,4})m(?:in)?)?(?:(?P<seconds>[0-9]{1,4})s(?:ec)?)?")


class Row(StrEnum):
    """The lines of the settings, by the words that name them in `--plain`."""

    SEATS = "seats"
    SIZE = "size"
    KIND = "kind"
    TARGET = "target"
    TIME = "time"
    IDLE = "idle"
    LEAD = "lead"


@dataclass(frozen=True, slots=True)
class Form:
    """The settings as a host is changing them, and which line is being changed."""

    settings: TableSettings
    row: Row = Row.SIZE


class ChoiceError(ValueError):
    """Words that choose nothing; the message says what they can be."""


def rows(settings: TableSettings) -> tuple[Row, ...]:
    """Returns the lines that mean something for this kind of race."""
    useless = {
        Kind.TARGET: {Row.TIME},
        Kind.TIMED: {Row.TARGET, Row.IDLE},
        Kind.ENDLESS: {Row.TARGET, Row.TIME},
    }[Kind(settings.kind)]
    return tuple(row for row in Row if row not in useless)


def value_of(settings: TableSettings, row: Row) -> int:
    """Returns what is chosen: a number, a kind, an exponent, or milliseconds."""
    return {
        Row.SEATS: settings.seats,
        Row.SIZE: settings.size,
        Row.KIND: settings.kind,
        Row.TARGET: settings.target_exponent,
        Row.TIME: settings.time_ms,
        Row.IDLE: settings.idle_ms,
        Row.LEAD: settings.lead,
    }[row]


def with_value(settings: TableSettings, row: Row, value: int) -> TableSettings:
    """Returns the settings with this choice, and with what must change along with it."""
    match row:
        case Row.SEATS:
            return with_values(settings, seats=value)
        case Row.SIZE:
            return _with_size(settings, value)
        case Row.KIND:
            return _with_kind(settings, Kind(value))
        case Row.TARGET:
            return with_values(settings, target_exponent=value)
        case Row.TIME:
            return with_values(settings, time_ms=value)
        case Row.IDLE:
            return with_values(settings, idle_ms=value)
        case Row.LEAD:
            return with_values(settings, lead=value)


def _with_size(settings: TableSettings, size: int) -> TableSettings:
    target = settings.target_exponent
    if settings.kind == Kind.TARGET and (target == TARGETS[settings.size] or target > largest_exponent(size)):
        target = TARGETS[size]
    return with_values(settings, size=size, target_exponent=target)


def _with_kind(settings: TableSettings, kind: Kind) -> TableSettings:
    """A race has what its kind needs and nothing else; only an untimed one has an idle limit (rules 4.9)."""
    if kind == settings.kind:
        return settings
    idle_ms = 0 if kind is Kind.TIMED else IDLE_MS_DEFAULT if settings.kind == Kind.TIMED else settings.idle_ms
    return with_values(
        settings,
        kind=int(kind),
        target_exponent=TARGETS[settings.size] if kind is Kind.TARGET else 0,
        time_ms=TIME_MS_DEFAULT if kind is Kind.TIMED else 0,
        idle_ms=idle_ms,
    )


def with_seated(settings: TableSettings, seated: int) -> TableSettings:
    """Returns the settings with a seat for everyone who sits."""
    return with_values(settings, seats=max(settings.seats, seated))


# ── one step on the settings screen ──────────────────────────────────────────────────────────────────────────────


def shown(settings: TableSettings, row: Row, seated: int) -> tuple[int, ...]:
    """Returns the choices that are offered on a line, what is chosen among them."""
    presets = {
        Row.SEATS: range(max(SEATS_MIN, seated), SEATS_MAX + 1),
        Row.SIZE: SIZES,
        Row.KIND: tuple(Kind),
        Row.TARGET: range(TARGETS[settings.size] - TARGETS_SHOWN + 1, TARGETS[settings.size] + 1),
        Row.TIME: TIMES_MS,
        Row.IDLE: IDLES_MS,
        Row.LEAD: LEADS,
    }[row]
    return _among(presets, value_of(settings, row))


def stepped(settings: TableSettings, row: Row, step: int, seated: int) -> TableSettings:
    """Returns the settings after so many steps along a line; its ends are its ends."""
    value, choices = value_of(settings, row), shown(settings, row, seated)
    if row is Row.TARGET:  # goes on beyond what is shown to any power of two
        choices = tuple(range(TARGET_EXPONENT_MIN, largest_exponent(settings.size) + 1))
    elif row is Row.TIME:
        choices = _among((*TIMES_MS, *LONG_TIMES_MS), value)
    place = choices.index(value) + step
    return with_value(settings, row, choices[min(max(place, 0), len(choices) - 1)])


def _among(choices: Sequence[int], value: int) -> tuple[int, ...]:
    """Returns the choices with `value` in its place; a time that is off comes last."""
    if value in choices:
        return tuple(choices)
    return tuple(sorted((*choices, value), key=lambda each: (each == 0, each)))


def stepped_form(form: Form, key: str, seated: int) -> Form:
    """Returns the form after an arrow: up and down between the lines, left and right along one."""
    lines = rows(form.settings)
    place = lines.index(form.row) if form.row in lines else 0
    if key in ("up", "down"):
        return replace(form, row=lines[line_after(key, place, len(lines))])
    step = {"left": -1, "right": 1}.get(key, 0)
    return replace(form, settings=stepped(form.settings, lines[place], step, seated)) if step else form


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────


def row_words(row: Row) -> str:
    """Returns what a line is called."""
    return {
        Row.SEATS: say("seats"),
        Row.SIZE: say("board"),
        Row.KIND: say("race"),
        Row.TARGET: say("target"),
        Row.TIME: say("time"),
        Row.IDLE: say("idle"),
        Row.LEAD: say("lead"),
    }[row]


def value_words(row: Row, value: int) -> str:
    """Returns a choice as it stands on the settings screen."""
    match row:
        case Row.SEATS:
            return str(value)
        case Row.SIZE:
            return say("{size}×{size}", size=value)
        case Row.KIND:
            return {
                Kind.TARGET: say("first to a tile"),
                Kind.TIMED: say("highest score"),
                Kind.ENDLESS: say("last one moving"),
            }[Kind(value)]
        case Row.TARGET:
            return str(1 << value)
        case Row.TIME | Row.IDLE:
            return duration_words(value) if value else say("off")
        case Row.LEAD:
            return say("strict") if value == LEAD_STRICT else say("usual") if value == LEAD_DEFAULT else str(value)


def typed_words(settings: TableSettings, row: Row) -> str:
    """Returns what is chosen on a line as it is told beside what can be typed."""
    value = value_of(settings, row)
    if row is Row.KIND:
        return next(name for name, kind in KIND_NAMES.items() if kind == value)
    return value_words(row, value)


def explained(settings: TableSettings, row: Row) -> str:
    """Returns what a line decides, or what is chosen there means."""
    kinds = {
        Kind.TARGET: say("Who makes the tile first wins."),
        Kind.TIMED: say("The highest score at the bell wins."),
        Kind.ENDLESS: say("Who alone can move, and leads, wins."),
    }
    return {
        Row.SEATS: say("So many can play; others watch."),
        Row.SIZE: say("Everyone gets the same tiles."),
        Row.KIND: kinds[Kind(settings.kind)],
        Row.TARGET: say("Any power of two: left and right."),
        Row.TIME: say("The clock stops for nobody."),
        Row.IDLE: say("Not moving for so long is away."),
        Row.LEAD: say("Strict: fewer tiles are known ahead."),
    }[row]


# ── settings as words, for `--plain` and the command line ────────────────────────────────────────────────────────


def chosen(settings: TableSettings, words: Sequence[str], seated: int) -> TableSettings:
    """Returns the settings after words like "kind timed time 3m seats 2"; raises ChoiceError."""
    pending = list(words)
    while pending:
        name = _SYNONYMS.get(pending[0], pending[0])
        del pending[0]
        if name == "strict":
            settings = with_value(settings, Row.LEAD, LEAD_STRICT)
            continue
        if name not in Row.__members__.values():
            raise ChoiceError(say("There is no setting “{name}”.", name=name))
        if not pending:
            raise ChoiceError(say("What shall {name} be?", name=name))
        row = Row(name)
        value = _parsed(settings, row, pending.pop(0), seated)
        if row not in rows(settings):
            raise ChoiceError(say("A race of this kind has no {name}. Choose the kind first.", name=name))
        settings = with_value(settings, row, value)
    return settings


def _parsed(settings: TableSettings, row: Row, word: str, seated: int) -> int:
    if row is Row.KIND and word in KIND_NAMES:
        return int(KIND_NAMES[word])
    if row is Row.TARGET and word.isdecimal() and is_target(int(word), settings.size):
        return int(word).bit_length() - 1
    if row is Row.IDLE and (idle_ms := parse_idle(word)) is not None:
        return idle_ms
    if row is Row.TIME and (time_ms := parse_duration(word, TIME_MS_MIN, TIME_MS_MAX)) is not None:
        return time_ms
    if row is Row.LEAD and word in ("usual", "strict"):
        return LEAD_STRICT if word == "strict" else LEAD_DEFAULT
    size = word.partition("×")[0].partition("x")[0]
    if row in (Row.SEATS, Row.SIZE) and size.isdecimal() and int(size) in shown(settings, row, seated):
        return int(size)
    raise ChoiceError(say("{name} cannot be “{word}”. It can be {choices}.", name=row, word=word,
                          choices=choices_words(settings, row, seated)))  # fmt: skip


def choices_words(settings: TableSettings, row: Row, seated: int) -> str:
    """Returns what a line can be, as it is typed."""
    match row:
        case Row.KIND:
            return say(", ").join(KIND_NAMES)
        case Row.TARGET:
            most = 1 << largest_exponent(settings.size)
            return say("a power of two from {least} to {most}", least=1 << TARGET_EXPONENT_MIN, most=most)
        case Row.TIME:
            return say("1m to 60m")
        case Row.IDLE:
            return say("45s to 60m, or off")
        case Row.LEAD:
            return say("usual, strict")
        case _:
            return say(", ").join(str(value) for value in shown(settings, row, seated))


def is_target(tile: int, size: int) -> bool:
    """Returns whether this tile can be a target on a board of this size (rules 2.2)."""
    return tile.bit_count() == 1 and TARGET_EXPONENT_MIN <= tile.bit_length() - 1 <= largest_exponent(size)


def parse_duration(text: str, least_ms: int, most_ms: int) -> int | None:
    """Returns "3m", "90s" or "1m30s" in milliseconds, None if it is no such time or not within the bounds."""
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        return None
    total_ms = int(found["minutes"] or 0) * MINUTE_MS + int(found["seconds"] or 0) * SECOND_MS
    return total_ms if least_ms <= total_ms <= most_ms else None


def parse_idle(text: str) -> int | None:
    """Returns an idle limit in milliseconds, 0 for "off", None if it is neither."""
    return 0 if text == "off" else parse_duration(text, IDLE_MS_MIN, TIME_MS_MAX)


def parse_pace(text: str) -> float | None:
    """Returns how many moves a second a computer player is to make, None if it is no such number."""
    try:
        pace = float(text)
    except ValueError:
        return None
    return pace if PACE_MIN <= pace <= PACE_MAX else None
