"""The words that name a table or a lobby on the command line, and what is wrong with those that name none.

For `join`, `watch`, `bot`, `tables` and the home screen; client/link.py reads them, nearby.py looks for a bare code.
Imports nothing that takes long: `join` shows its first picture with what is here (architecture.md 4.4).
"""

from __future__ import annotations

import argparse

from client.lan import Lan, lan_setting
from client.language import later, say
from client.link import LinkError, LinkFault, LobbyAddress, Place, parse_link, parse_place

from .exits import USAGE, Failure

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
        return _found(place, command)
    if not place.code:
        message = say(
            "Which table there? Give the link, or the code beside the address: race2048 {command} CODE {address}",
            command=command,
            address=place.lobby.url,
        )
        raise Failure(USAGE, message)
    return place.lobby, place


def _found(place: Place, command: str) -> tuple[LobbyAddress, Place]:
    """Returns the table with this bare code; raises Failure, also where it must not be looked for."""
    if place.code and lan_setting() is not Lan.OFF:
        from .nearby import found, lan_chosen

        lan_chosen()
        return found(place, command)
    message = say(
        "Where is the table with this code? Give the link, or the address beside the code: "
        "race2048 {command} {code} ADDRESS",
        command=command,
        code=place.code or "CODE",
    )
    raise Failure(USAGE, message)


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
