"""What a host is told to pass on: code, links and QR code, as lines before the screen (ux.md §1)."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from client.link import LobbyAddress
from client.tui.canvas import columns_of
from client.tui.palette import depth_of
from client.tui.qr import can_show, largest_blocks, link_to_scan, shell_lines
from client.view import SessionView
from client.words import all_settings_words, code_in_groups, ready_words, say, say_n

_LABEL_COLUMNS = 17


@dataclass(frozen=True, slots=True)
class Invitation:
    """The links of a table and where they work. `lan`: this network knows the code; `distant`: the links work anywhere.

    `lobby` is the address that stands in the links.
    """

    join: str
    watch: str
    lobby: LobbyAddress
    lan: bool = False
    distant: bool = False


def invitation_lines(view: SessionView, invitation: Invitation, columns: int) -> list[str]:
    """Returns what friends are told. A link is one word: it is not to be broken where there is a line for it."""
    code, settings = code_in_groups(view.code), all_settings_words(view.settings)
    lines = [say("Table {code} is open.  {settings}", code=code, settings=settings)]
    if invitation.lan:
        lines += _command_lines(say("on this network"), f"race2048 join {code}", columns)
    lines += _command_lines(say("by link"), f"race2048 join {invitation.join}", columns)
    lines += _command_lines(say("just watching"), f"race2048 watch {invitation.watch}", columns)
    if not invitation.distant:
        lines += _distance_lines(columns)
    if invitation.lobby.this_computer:
        lines.append(say("  These links work on this computer only (no network, or --bind says so)."))
    return [*lines, *_seat_lines(view)]


def qr_lines(link: str, columns: int, rows: int) -> list[str]:
    """Returns the link as a QR code, if it can be scanned and this terminal can show it; else nothing."""
    if not can_show(sys.stdout, os.environ):
        return []
    return shell_lines(largest_blocks(link_to_scan(link), columns, rows), depth_of(os.environ))


def _distance_lines(columns: int) -> list[str]:
    (line,) = _command_lines(say("over the internet"), "race2048 help internet", max(columns, 60))
    ways = say("(a friend's lobby, a tunnel, or a forwarded port with --public-url)")
    return [f"{line}   {ways}"] if columns_of(line) + 3 + columns_of(ways) <= columns else [line]


def _seat_lines(view: SessionView) -> list[str]:
    """Returns who sits and who is ready, as far as there is anybody yet."""
    seated = [
        say("{name} (host)", name=say("you") if seat.you else seat.name)
        if seat.host
        else say("{name} ({state})", name=seat.name, state=ready_words(seat))
        for seat in view.seats
        if seat is not None
    ]
    free = sum(seat is None for seat in view.seats)
    label, comma = say("seats"), say(", ")
    seated.append(say_n("{count} free", "{count} free", free))
    return [f"  {label:<{_LABEL_COLUMNS}} {comma.join(seated)}"]


def _command_lines(label: str, command: str, columns: int) -> list[str]:
    line = f"  {label:<{_LABEL_COLUMNS}} {command}"
    if columns_of(line) <= columns:
        return [line]
    return [f"  {label}", f"    {command}" if columns_of(command) + 4 <= columns else command]
