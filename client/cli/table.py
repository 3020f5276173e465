"""What `host`, `demo`, `join` and `watch` have in common before anybody is at a table: settings, places, terminals."""

from __future__ import annotations

import argparse
import os
import sys

from client.language import later
from client.link import LinkError, LinkFault, LobbyAddress, Place, parse_link, parse_place
from client.tui.choices import (
    KIND_NAMES,
    TARGET_EXPONENT_MIN,
    TARGETS,
    TIME_MS_DEFAULT,
    is_target,
    parse_duration,
    parse_idle,
)
from client.words import duration_words, say
from engine.board import SIZES, largest_exponent
from engine.race import Kind
from protocol.limits import IDLE_MS_DEFAULT, LEAD_DEFAULT, LEAD_STRICT, SEATS_MAX, SEATS_MIN, TIME_MS_MAX, TIME_MS_MIN
from protocol.messages import TableSettings

from .exits import USAGE, Failure

PACE_MIN, PACE_MAX = 0.1, 35.0  # under the lobby's limit of 40 (rules 6.1)

_FAULTS = {
    LinkFault.SHAPE: later(
        "“{part}” is neither a link nor a table code nor an address. Give the link as the host sent it."
    ),
    LinkFault.CODE: later(
        "“{part}” is no table code: a code has six digits, sometimes more. Check it, or give the link."
    ),
    LinkFault.PORT: later("“{part}” has no usable port. Give the link as the host sent it."),
    LinkFault.PIN: later(
        "The part after # of the link is cut off or mistyped: “{part}”. Give the whole link, in quotes."
    ),
    LinkFault.TWICE: later("“{part}” is one too many. Give one link, or one code and one address."),
}


def add_settings(parser: argparse.ArgumentParser, *, players: int, target: str, time_ms_min: int = TIME_MS_MIN) -> None:
    """Adds the options for what is raced for (rules 3.2)."""
    parser.add_argument("--size", type=int, choices=SIZES, default=4, help=say("the board's size (%(default)s)"))
    parser.add_argument(
        "--kind",
        choices=list(KIND_NAMES),
        metavar="KIND",
        help=say("target, timed or endless: first to make the target, highest score in a time, or last one moving"),
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


def add_place(parser: argparse.ArgumentParser, *, may_choose: bool = False) -> None:
    """Adds the words that name a table; with `may_choose` there may be none of them."""
    words, rest = "LINK | CODE [ADDRESS]", say("[OPTION]…")
    parser.usage = f"{parser.prog} {f'[{words}]' if may_choose else words}  {rest}"
    about = say(
        "the link that the host has sent; or the code of a table on this network, or with the address of its lobby "
        "anywhere"
    )
    chosen = say("none: choose among the tables on this network")
    parser.add_argument(
        "table",
        nargs="*" if may_choose else "+",
        metavar="LINK",
        help=say("{about}; {chosen}", about=about, chosen=chosen) if may_choose else about,
    )


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
    try:
        pace = float(text)
    except ValueError:
        pace = 0.0
    if not PACE_MIN <= pace <= PACE_MAX:
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


def table_of(words: list[str], command: str) -> tuple[LobbyAddress, Place] | None:
    """Returns the table that these words name, and its lobby; raises Failure.

    A bare code is looked for on this network, and without words the person chooses there: None for no table.
    """
    if not words:
        from .nearby import chosen  # only who looks around pays for it

        return chosen(command)
    try:
        place = parse_place(words)
    except LinkError as error:
        from .nearby import probably_meant

        raise Failure(USAGE, f"{fault_words(error)} {probably_meant(error, words, command)}".strip()) from error
    if place.lobby is None:
        from client.discovery import Lan

        from .nearby import found, lan_chosen

        if place.code and lan_chosen() is not Lan.OFF:
            return found(place, command)
        message = say(
            "Where is the table with this code? Give the link, or the address beside the code: "
            "race2048 {command} {code} ADDRESS",
            command=command,
            code=place.code or "CODE",
        )
        raise Failure(USAGE, message)
    if not place.code:
        message = say(
            "Which table there? Give the link, or the code beside the address: race2048 {command} CODE {address}",
            command=command,
            address=place.lobby.url,
        )
        raise Failure(USAGE, message)
    return place.lobby, place


def fault_words(error: LinkError) -> str:
    """Returns what is wrong with what was typed, and what to give instead."""
    return say(_FAULTS[error.fault], part=error.part)


def lobby_of(text: str) -> LobbyAddress:
    """Returns the lobby that was typed as a URL or HOST[:PORT]; raises Failure."""
    try:
        lobby = parse_link(text).lobby
    except LinkError as error:
        raise Failure(USAGE, fault_words(error)) from error
    assert lobby is not None, "a link always names a lobby"
    return lobby


def need_terminal(command: str) -> None:
    """Raises Failure if there is no terminal to draw on and to read keys from (ux.md 4.4)."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        message = say(
            "this is not a terminal, so there is nothing to draw on or to read keys from. "
            "Run it in a terminal, or without a screen: race2048 {command} --plain",
            command=command,
        )
        raise Failure(USAGE, message)
    if os.environ.get("TERM") == "dumb":
        message = say(
            "this terminal says that it can only write line after line (TERM=dumb). "
            "Use another one, or go without a screen: race2048 {command} --plain",
            command=command,
        )
        raise Failure(USAGE, message)
