"""What `host`, `demo`, `join` and `watch` have in common before anybody is at a table: settings, places, terminals."""

from __future__ import annotations

import argparse
import sys

from client.link import LinkError, LinkFault, LobbyAddress, Place, parse_link, parse_place
from client.words import say
from engine.board import SIZES, largest_exponent
from engine.race import Kind
from protocol.limits import SEATS_MAX, SEATS_MIN
from protocol.messages import TableSettings

from .exits import USAGE, Failure

TARGETS = {3: 256, 4: 2_048, 5: 4_096, 6: 4_096, 8: 8_192}  # rules 2.2
TARGET_MIN = 8
PACE_MIN, PACE_MAX = 0.1, 35.0  # under the lobby's limit of 40 (rules 6.1)

_FAULTS = {
    LinkFault.SHAPE: "“{part}” is neither a link nor a table code nor an address. Give the link as the host sent it.",
    LinkFault.CODE: "“{part}” is no table code: a code has six digits, sometimes more. Check it, or give the link.",
    LinkFault.PORT: "“{part}” has no usable port. Give the link as the host sent it.",
    LinkFault.PIN: "The part after # of the link is cut off or mistyped: “{part}”. Give the whole link, in quotes.",
    LinkFault.TWICE: "“{part}” is one too many. Give one link, or one code and one address.",
}


def add_settings(parser: argparse.ArgumentParser, *, players: int, target: str) -> None:
    """Adds the options for what is raced for (rules 3.2)."""
    parser.add_argument("--size", type=int, choices=SIZES, default=4, help=say("the board's size (%(default)s)"))
    parser.add_argument(
        "--target", type=int, metavar="TILE", help=say("the tile to be made first ({tile})", tile=target)
    )
    parser.add_argument(
        "--players",
        type=int,
        choices=range(SEATS_MIN, SEATS_MAX + 1),
        default=players,
        help=say("the number of seats (%(default)s)"),
    )


def add_place(parser: argparse.ArgumentParser, options: str) -> None:
    """Adds the words that name a table."""
    parser.usage = f"{parser.prog} LINK | CODE ADDRESS  {options}"
    parser.add_argument(
        "table",
        nargs="+",
        metavar="LINK",
        help=say("the link that the host has sent, or the code of the table and the address of its lobby"),
    )


def add_pace(parser: argparse.ArgumentParser, default: float) -> None:
    """Adds the option for how fast computer players move."""
    parser.add_argument(
        "--pace", type=_pace, default=default, metavar="MOVES", help=say("moves a second, 0.1 to 35 (%(default)g)")
    )


def _pace(text: str) -> float:
    pace = float(text)
    if not PACE_MIN <= pace <= PACE_MAX:
        raise argparse.ArgumentTypeError(say("a pace is from 0.1 to 35 moves a second"))
    return pace


def settings_of(options: argparse.Namespace) -> TableSettings:
    """Returns the settings that were asked for; raises Failure if there is no such target on this board."""
    target = TARGETS[options.size] if options.target is None else options.target
    largest = largest_exponent(options.size)
    if target < TARGET_MIN or target.bit_count() != 1 or target > 1 << largest:
        message = say(
            "--target {target} cannot be made on a {size}×{size} board. It is a power of two from {least} to 2^{most}.",
            target=target,
            size=options.size,
            least=TARGET_MIN,
            most=largest,
        )
        raise Failure(USAGE, message)
    return TableSettings(
        seats=options.players, size=options.size, kind=Kind.TARGET, target_exponent=target.bit_length() - 1
    )


def place_of(words: list[str], command: str) -> tuple[LobbyAddress, Place]:
    """Returns the table that these words name, and its lobby; raises Failure if one of the two is missing."""
    try:
        place = parse_place(words)
    except LinkError as error:
        raise Failure(USAGE, say(_FAULTS[error.fault], part=error.part)) from error
    if place.lobby is None:
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
            address=place.lobby.host,
        )
        raise Failure(USAGE, message)
    return place.lobby, place


def lobby_of(text: str) -> LobbyAddress:
    """Returns the lobby that was typed as a URL or HOST[:PORT]; raises Failure."""
    try:
        lobby = parse_link(text).lobby
    except LinkError as error:
        raise Failure(USAGE, say(_FAULTS[error.fault], part=error.part)) from error
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
