"""`race2048 host`: opens a table for friends, on a lobby of its own or on another one, and plays at it."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address

from client.actions import ToggleLock
from client.child import LINGER_S, ChildError, LobbyChild, start_bot, start_lobby
from client.discovery import LOOPBACK
from client.lan import Lan
from client.link import PORT_DEFAULT, LobbyAddress, lan_address, parse_link, table_link, watch_link
from client.session import OpenTable, Session
from client.store import data_directory
from client.tui.choices import TIME_MS_MIN
from client.view import SessionView
from client.words import say
from protocol.limits import SEATS_MAX
from protocol.messages import Phase, Role
from protocol.signing import fingerprint

from .bot import LEVEL, PACE, add_level
from .exits import USAGE, Failure
from .invitation import Invitation, invitation_lines, qr_lines
from .listening import start_words
from .meeting import Meeting
from .nearby import lan_chosen
from .places import lobby_of
from .screen import need_terminal, screen_for
from .table import add_fine_settings, add_pace, add_settings, need_sense, settings_of
from .visit import Visit, farewell, meet, person_session, run_loop

_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
_BOTS_S = 10.0  # a computer player sits down in less than a second
_UNDER_WAY = frozenset({Phase.OPENING, Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING, Phase.CLOSING})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `host` takes."""
    usual = say("the usual one of the board")
    add_settings(parser, players=SEATS_MAX, target=usual, time_ms_min=TIME_MS_MIN)
    add_fine_settings(parser)
    parser.add_argument("--lock", action="store_true", help=say("seat nobody else until you unlock the table"))
    parser.add_argument(
        "--bots", type=int, default=0, choices=range(SEATS_MAX), help=say("so many computer players sit down at once")
    )
    add_level(parser)
    add_pace(parser, PACE)
    parser.set_defaults(level=LEVEL)
    parser.add_argument("--name", help=say("how the others see you (your login name)"))
    parser.add_argument("--lobby", metavar="URL", help=say("open the table on this lobby instead of an own one"))
    parser.add_argument("--bind", metavar="ADDRESS", help=say("listen on this address only (on all)"))
    parser.add_argument("--port", type=_port, help=say("listen on this port (2048, or the next that is free)"))
    parser.add_argument("--public-url", metavar="URL", help=say("how friends elsewhere reach it (help internet)"))
    parser.add_argument("--no-lan", action="store_true", help=say("do not announce the table on this network"))
    parser.add_argument("--plain", action="store_true", help=say("no screen: a line for each thing that happens"))


def run(options: argparse.Namespace) -> int:
    """Hosts a table until the person leaves; returns the exit code."""
    need_sense(options)
    settings = settings_of(options)
    if options.bots >= settings.seats:
        message = say(
            "--bots {bots} leaves no seat for you: --players {players}.", bots=options.bots, players=settings.seats
        )
        raise Failure(USAGE, message)
    own = {"--bind": options.bind, "--port": options.port, "--public-url": options.public_url}
    option = next((name for name, value in own.items() if value is not None), None)
    if options.lobby is not None and option is not None:
        raise Failure(USAGE, say("{option} is for a lobby of your own, not for one given with --lobby.", option=option))
    public = None if options.public_url is None else lobby_of(options.public_url)
    if not options.plain:
        need_terminal("host")
    given = None if options.lobby is None else meet(lobby_of(options.lobby))
    expected = frozenset() if given is None else given.expected
    session = person_session(OpenTable(settings), Role.PLAYER, options.name, expected=expected)
    return run_loop(_host(session, options, public, given))


@dataclass(slots=True)
class _House:
    """The lobby that the table is on. `reach` is how this computer, `shown` how friends reach it.

    `lan`: it announces the table on this network; `distant`: its links work from everywhere.
    """

    reach: LobbyAddress
    shown: LobbyAddress
    child: LobbyChild | None = None
    lan: bool = False
    distant: bool = False
    bots: list[subprocess.Popen[bytes]] = field(default_factory=list)

    async def tidy(self, view: SessionView) -> None:
        """Ends an own lobby that nobody else is at; it ends by itself when the others are done with it."""
        if self.child is None:
            return
        if not _others_are_here(view):
            for bot in self.bots:
                bot.terminate()
            await asyncio.to_thread(self.child.stop)
        elif view.phase in _UNDER_WAY:
            print(
                say("This computer is the lobby of the others: it goes on serving until their race is over."),
                file=sys.stderr,
            )


def _others_are_here(view: SessionView) -> bool:
    me_watching = view.my_seat is None
    guests = any(s is not None and s.connected and not s.computer and not s.you for s in view.seats)
    return guests or view.watchers > me_watching


async def _host(
    session: Session, options: argparse.Namespace, public: LobbyAddress | None, given: Meeting | None
) -> int:
    house = await _house(options, public)
    visit = Visit(session, house.reach, meeting=given or meet(house.reach, own=True))
    view = visit.runner.view()
    try:
        async with visit.running():
            view = await visit.until(lambda view: view.code != "")
            shown = 0
            if view.code:
                shown = await _at_the_table(visit, view, house, options)
            view = visit.runner.view()
    finally:
        await house.tidy(view)
    return farewell(visit, shown)


async def _at_the_table(visit: Visit, view: SessionView, house: _House, options: argparse.Namespace) -> int:
    key = visit.session.lobby_key
    assert key is not None, "a table is only shown by a lobby that has proved its key"
    pin = fingerprint(key)
    join, watch = table_link(house.shown, view.code, pin), watch_link(house.shown, view.watch_code)
    size = shutil.get_terminal_size()
    invitation = Invitation(join, watch, house.shown, lan=house.lan, distant=house.distant)
    lines = invitation_lines(view, invitation, size.columns)
    print("\n".join(lines), flush=True)
    if not options.plain:
        for line in qr_lines(join, size.columns, size.lines - 1):
            print(line, flush=True)
    _seat_bots(house, table_link(house.reach, view.code, pin), options)
    if options.lock:
        await _lock(visit, options.bots)
    return await visit.show(
        screen_for(visit.runner, join=join, watch=watch, preferences=options.preferences, lan=house.lan)
    )


def _seat_bots(house: _House, link: str, options: argparse.Namespace) -> None:
    from client.players import names_for  # and with it what they think with

    for name in names_for(options.bots):
        manner = ["--level", options.level, "--pace", str(options.pace), "--name", name]
        house.bots.append(start_bot(link, data_directory(), manner))


async def _lock(visit: Visit, bots: int) -> None:
    """Locks the table once the computer players of this host sit; one that never comes does not keep it open."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_BOTS_S):
            await visit.until(lambda view: sum(seat is not None and seat.computer for seat in view.seats) >= bots)
    visit.runner.act(ToggleLock())


def _port(text: str) -> int:
    port = int(text) if text.isdecimal() else -1
    if not 0 <= port < 1 << 16:
        raise argparse.ArgumentTypeError(say("{port!r} is no port: a port is a number from 0 to 65535", port=text))
    return port


async def _house(options: argparse.Namespace, public: LobbyAddress | None) -> _House:
    """Returns the lobby to use: a given one, or a child of this process."""
    if options.lobby is not None:
        lobby = lobby_of(options.lobby)
        return _House(lobby, lobby, distant=True)
    here = lan_address()
    bind = "::" if options.bind is None and ":" in here else options.bind  # a network of IPv6 alone
    lan = "" if options.no_lan else announced_at(bind, here, lan_chosen())
    told = {
        "--bind": bind,
        "--port": options.port,
        "--public-url": None if public is None else public.url,
        "--lan": lan or None,
        "--linger": LINGER_S,
    }
    try:
        child = await start_lobby(
            [word for name, value in told.items() if value is not None for word in (name, str(value))],
            data_directory(),
        )
    except ChildError as error:
        raise Failure(error.exit_code, start_words(error, bind, options.port)) from error
    if options.port is None and child.port != PORT_DEFAULT:
        message = say("Port {usual} is taken; this lobby takes {port}.", usual=PORT_DEFAULT, port=child.port)
        print(message, file=sys.stderr)
    if child.remarks:
        print(child.remarks, file=sys.stderr)
    reach = parse_link(child.url).lobby
    assert reach is not None, "a link always names a lobby"
    shown = LobbyAddress(here, child.port) if child.bind in _EVERYWHERE else reach
    return _House(reach, public or shown, child, lan=bool(lan), distant=public is not None)


def announced_at(bind: str | None, here: str, setting: Lan) -> str:
    """Returns at which address of this computer the table is announced; nothing if it is announced nowhere.

    A lobby that others cannot reach is not announced, unless RACE2048_LAN asks for just that, to try it out.
    """
    if setting is Lan.OFF:
        return ""
    if setting is Lan.LOOPBACK:
        return LOOPBACK
    address = here if bind is None or bind in _EVERYWHERE else bind
    try:
        ip_address(address)
    except ValueError:
        return ""  # a name: which address it stands for is the lobby's business
    return "" if LobbyAddress(address).this_computer else address
