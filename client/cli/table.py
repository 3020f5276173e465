"""What `host`, `demo`, `bot` and the home screen have in common before anybody is at a table: what is raced for."""

from __future__ import annotations

import argparse

from client.tui.choices import (
    KIND_NAMES,
    TARGETS,
    TIME_MS_DEFAULT,
    is_target,
    parse_duration,
    parse_idle,
    parse_pace,
)
from client.words import duration_words, say
from engine.board import SIZES, largest_exponent
from engine.race import Kind
from engine.solo import TARGET_EXPONENT_MIN
from protocol.limits import IDLE_MS_DEFAULT, LEAD_DEFAULT, LEAD_STRICT, SEATS_MAX, SEATS_MIN, TIME_MS_MAX, TIME_MS_MIN
from protocol.messages import TableSettings

from .exits import USAGE, Failure


def add_settings(parser: argparse.ArgumentParser, *, players: int, target: str, time_ms_min: int = TIME_MS_MIN) -> None:
    """Adds the options for what is raced for (rules 3.2)."""
    parser.add_argument("--size", type=int, choices=SIZES, default=4, help=say("the board's size (%(default)s)"))
    parser.add_argument(
        "--kind",
        choices=list(KIND_NAMES),
        metavar="KIND",
        help=say("what wins: target, timed (highest score) or endless"),
    )
    parser.add_argument(
        "--target", type=int, metavar="TILE", help=say("the tile to be made first ({tile})", tile=target)
    )
    parser.add_argument(
        "--time",
        type=lambda text: _time(text, time_ms_min),
        dest="time_ms",
        metavar="3m",
        help=say("how long a timed race lasts ({time})", time=duration_words(TIME_MS_DEFAULT)),
    )
    parser.add_argument(
        "--players",
        type=int,
        choices=range(SEATS_MIN, SEATS_MAX + 1),
        default=players,
        help=say("the number of seats (%(default)s)"),
    )


def add_fine_settings(parser: argparse.ArgumentParser) -> None:
    """Adds the options for what most people leave as it is."""
    parser.add_argument(
        "--idle",
        type=_idle,
        dest="idle_ms",
        metavar="3m|off",
        help=say("not moving for so long counts as away ({time})", time=duration_words(IDLE_MS_DEFAULT)),
    )
    parser.add_argument("--strict", action="store_true", help=say("fewer tiles are known ahead; wants a quick line"))


def add_pace(parser: argparse.ArgumentParser, default: float) -> None:
    """Adds the option for how fast computer players move."""
    parser.add_argument(
        "--pace", type=_pace, default=default, metavar="MOVES", help=say("moves a second, 0.1 to 35 (%(default)g)")
    )


def _time(text: str, least_ms: int) -> int:
    time_ms = parse_duration(text, least_ms, TIME_MS_MAX)
    if time_ms is None:
        least, most = duration_words(least_ms), duration_words(TIME_MS_MAX)
        message = say("{text} is no time from {least} to {most}: write 3m or 90s", text=text, least=least, most=most)
        raise argparse.ArgumentTypeError(message)
    return time_ms


def _idle(text: str) -> int:
    idle_ms = parse_idle(text)
    if idle_ms is None:
        raise argparse.ArgumentTypeError(say("{text} is neither off nor a time: write 3m or 90s", text=text))
    return idle_ms


def _pace(text: str) -> float:
    pace = parse_pace(text)
    if pace is None:
        raise argparse.ArgumentTypeError(say("a pace is from 0.1 to 35 moves a second"))
    return pace


def settings_of(options: argparse.Namespace) -> TableSettings:
    """Returns the settings that were asked for; raises Failure if there is no such target on this board."""
    given = vars(options)
    kind = _kind_of(options)
    return TableSettings(
        seats=options.players,
        size=options.size,
        kind=int(kind),
        target_exponent=_target_of(options) if kind is Kind.TARGET else 0,
        time_ms=0 if kind is not Kind.TIMED else TIME_MS_DEFAULT if options.time_ms is None else options.time_ms,
        lead=LEAD_STRICT if given.get("strict") else LEAD_DEFAULT,
        idle_ms=0 if kind is Kind.TIMED else _or(given.get("idle_ms"), IDLE_MS_DEFAULT),
    )


def _kind_of(options: argparse.Namespace) -> Kind:
    """Returns the kind that was named, or that the other options mean."""
    if options.kind is None:
        return Kind.TARGET if options.time_ms is None else Kind.TIMED
    return KIND_NAMES[options.kind]


def _or(value: int | None, usual: int) -> int:
    return usual if value is None else value


def _target_of(options: argparse.Namespace) -> int:
    if options.target is None:
        return TARGETS[options.size]
    if not is_target(options.target, options.size):
        message = say(
            "--target {target} cannot be made on a {size}×{size} board. It is a power of two from {least} to 2^{most}.",
            target=options.target,
            size=options.size,
            least=1 << TARGET_EXPONENT_MIN,
            most=largest_exponent(options.size),
        )
        raise Failure(USAGE, message)
    exponent: int = options.target.bit_length() - 1
    return exponent


def need_sense(options: argparse.Namespace) -> None:
    """Raises Failure if something was asked for that a race of this kind does not have."""
    kind = _kind_of(options)
    useless = {
        "--target": options.target is not None and kind is not Kind.TARGET,
        "--time": options.time_ms is not None and kind is not Kind.TIMED,
        "--idle": options.idle_ms is not None and kind is Kind.TIMED,
    }
    option = next((name for name, given in useless.items() if given), None)
    if option is not None:
        name = next(name for name, each in KIND_NAMES.items() if each is kind)
        message = say("A race of the kind {kind} has no {option}. Leave it out, or choose another --kind.",
                      kind=name, option=option)  # fmt: skip
        raise Failure(USAGE, message)
