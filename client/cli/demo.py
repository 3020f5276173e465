"""`race2048 demo`: computer players race over real sockets on this computer, and the record is verified.

They are clients like any other. The table is opened by a host who gives the seat up at once and watches, since a
computer player never hosts (rules 3.10).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from client.actions import Stand, Start
from client.bot import NAMES, Hands
from client.child import LINGER_S, ChildError, start_lobby
from client.link import LobbyAddress, parse_link
from client.players import computer_session, play
from client.runner import Runner
from client.session import OpenTable, Session
from client.view import Line, SessionView
from client.words import say, settings_words
from engine.deck import seed_of_text
from protocol.limits import SEATS_MAX
from protocol.messages import Role, TableSettings
from protocol.signing import fingerprint
from protocol.verdict import verify_record

from . import PROGRAM
from .exits import BUG, DAMAGED, DONE, NO, Failure
from .standings import Standings, outcome_json, seat_json
from .table import add_pace, add_settings, settings_of
from .visit import Visit, ending_words, run_loop, session_of

PACE = 30.0  # 256 is made in about 140 moves: in five seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `demo` takes."""
    add_settings(parser, players=SEATS_MAX, target="256")
    parser.set_defaults(target=256)
    parser.add_argument("--seed", metavar="TEXT", help=say("deal from this text: the same tiles every time"))
    add_pace(parser, PACE)
    parser.add_argument("--json", action="store_true", help=say("a line of JSON for each thing that happens"))


def run(options: argparse.Namespace) -> int:
    """Holds a race; returns 0 if its record is true."""
    settings = settings_of(options)
    seed = None if options.seed is None else seed_of_text(options.seed)
    live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    standings = Standings(sys.stdout, as_json=options.json, live=live)
    return run_loop(_demo(settings, seed, options.pace, standings))


async def _demo(settings: TableSettings, seed: bytes | None, pace: float, standings: Standings) -> int:
    arguments = ["--bind", "127.0.0.1", "--port", "0", "--linger", str(LINGER_S)]
    if seed is not None:
        arguments += ["--deal-seed", seed.hex()]
    with tempfile.TemporaryDirectory(prefix="race2048-") as scratch:
        try:
            child = await start_lobby(arguments, Path(scratch))
        except ChildError as error:
            raise Failure(error.exit_code, str(error)) from error
        lobby = parse_link(child.url).lobby
        assert lobby is not None, "a link always names a lobby"
        try:
            path = await _race(settings, lobby, pace, standings)
        except BaseExceptionGroup as group:  # of a player's task: the first error says it all
            raise group.exceptions[0] from group
        finally:
            await asyncio.to_thread(child.stop)
    return _verify(path, standings)


async def _race(settings: TableSettings, lobby: LobbyAddress, pace: float, standings: Standings) -> Path:
    """Holds one race at `lobby`; returns where its record was saved."""
    visit = Visit(session_of(os.urandom(32), OpenTable(settings), Role.PLAYER, "demo"), lobby)
    async with visit.running(), asyncio.TaskGroup() as group:
        view = await _until(visit, lambda view: view.code != "")
        standings.event("table", url=lobby.url, code=view.code, watch_code=view.watch_code)
        standings.line(
            say("{settings}: {players} computer players.", settings=settings_words(settings), players=settings.seats)
        )
        visit.runner.act(Stand())
        await _until(visit, lambda view: view.my_seat is None)
        pin = fingerprint(visit.session.lobby_key or b"")
        players = []
        for seat in range(settings.seats):  # one after the other, so that a seed deals everyone the same again
            session = computer_session(view.code, pin, PROGRAM, NAMES[seat])
            players.append(group.create_task(_computer(session, lobby, pace)))
            await _until(visit, lambda view: sum(each is not None for each in view.seats) == len(players))
        await _until(visit, lambda view: view.can_start)
        visit.runner.act(Start())
        path = await _follow(visit, standings)
        for player in players:
            player.cancel()
    return path


async def _computer(session: Session, lobby: LobbyAddress, pace: float) -> None:
    view = await play(Runner(session, lobby.url), Hands(pace))
    raise Failure(BUG, ending_words(view.ending, lobby, view))


async def _until(visit: Visit, seen: Callable[[SessionView], bool]) -> SessionView:
    """Returns the first picture in which this is seen; raises Failure if the lobby is gone."""
    view = await visit.until(lambda view: view.line is Line.LOST or seen(view))
    if view.line is Line.LOST or view.ending:
        raise Failure(BUG, ending_words(view.ending or "lost", visit.lobby, view))
    return view


async def _follow(visit: Visit, standings: Standings) -> Path:
    """Shows the race until its record is saved; returns where."""

    def seen(view: SessionView) -> bool:
        standings.show(view)
        return bool(view.record_path or visit.runner.save_error)

    view = await _until(visit, seen)
    if not view.record_path:
        message = say("The record could not be saved: {reason}.", reason=visit.runner.save_error)
        raise Failure(DAMAGED, message)
    return Path(view.record_path)


def _verify(path: Path, standings: Standings) -> int:
    """Verifies the record as it stands on the disk."""
    verdict = verify_record(path.read_bytes())
    if verdict.ok:
        standings.line(say("Verified: {path}", path=path))
    else:
        standings.line(say("FALSE: {reason}: {path}", reason=verdict.reason, path=path))
    standings.event(
        "verified",
        ok=verdict.ok,
        record=str(path),
        outcome=outcome_json(verdict.outcome),
        seats=[seat_json(seat) for seat in verdict.seats],
    )
    return DONE if verdict.ok else NO
