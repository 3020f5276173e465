"""`race2048 demo`: computer players race over real sockets on this computer, and the record is verified.

They are clients like any other. The table is opened by a host who gives the seat up at once and watches, since a
computer player never hosts (rules 3.10). With `--script` the race must have the end that scripts.py says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from client.actions import Stand, Start
from client.bot import NAMES, RETRY_MS
from client.child import LINGER_S, ChildError, start_lobby
from client.link import LobbyAddress, Place, parse_link
from client.players import Player, play
from client.runner import now_ms
from client.session import OpenTable
from client.view import Line, SessionView
from client.words import say, settings_words
from engine.deck import seed_of_text
from protocol.limits import SEATS_MAX
from protocol.messages import Role, TableSettings
from protocol.refusals import Refusal
from protocol.signing import fingerprint
from protocol.verdict import Verdict, verify_record

from .bot import add_level, add_manner, player_of
from .exits import BUG, DAMAGED, DONE, NO, REFUSED, USAGE, Failure
from .figures import outcome_json, seat_json
from .listening import start_words
from .places import lobby_of
from .scripts import SCRIPTS, SCRIPTS_BY_NAME, Script
from .standings import Standings
from .table import add_pace, add_settings, settings_of
from .visit import Visit, ending_words, run_loop, session_of

PACE = 30.0  # 256 is made in about 140 moves: in five seconds
LIST = "list"
_OWN = {
    "size": 4,
    "target": 256,
    "players": SEATS_MAX,
    "seed": None,
    "pace": PACE,
    "level": None,
}  # what a script has its own of


@dataclass(frozen=True, slots=True)
class Programme:
    """What is shown: the race, how it is dealt where not as usual, and the flags of each bot."""

    settings: TableSettings
    deal: Mapping[str, object]
    bots: Sequence[str]
    script: Script | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `demo` takes."""
    add_settings(parser, players=SEATS_MAX, target="256")
    parser.add_argument(
        "--seed", type=_seed, metavar="TEXT", help=say("deal from this text: the same tiles every time")
    )
    add_pace(parser, PACE)
    add_level(parser)
    parser.set_defaults(**_OWN)
    parser.add_argument(
        "--script",
        choices=[*SCRIPTS_BY_NAME, LIST],
        metavar="NAME",
        help=say("show one way in which a race can end; the name {list} lists them", list=LIST),
    )
    parser.add_argument("--lobby", metavar="URL", help=say("race on a lobby that is running, not on one of its own"))
    parser.add_argument("--json", action="store_true", help=say("a line of JSON for each thing that happens"))


def _seed(text: str) -> str:
    try:
        seed_of_text(text)
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(say("a seed is text: this is not UTF-8")) from None
    return text


def run(options: argparse.Namespace) -> int:
    """Holds a race; returns 0 if its record is true, and its end the one of the script."""
    live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    standings = Standings(sys.stdout, as_json=options.json, live=live)
    if options.script is None:
        deal = {} if options.seed is None else {"seed": seed_of_text(options.seed).hex()}
        settings = settings_of(options)
        flags = f"--pace {options.pace}" + ("" if options.level is None else f" --level {options.level}")
        programme = Programme(settings, deal, (flags,) * settings.seats)
        return run_loop(_demo(programme, standings, _given(options, deal)))
    given = next((name for name, usual in _OWN.items() if getattr(options, name) != usual), None)
    if given is not None:
        raise Failure(USAGE, say("A script has its own settings. Leave out --{option}.", option=given))
    if options.script == LIST:
        return _list(standings)
    _given(options, options.script)
    return run_loop(_demo(_scripted(SCRIPTS_BY_NAME[options.script]), standings))


def _given(options: argparse.Namespace, deal: object) -> LobbyAddress | None:
    """Returns the lobby to race on, None for one of our own; another one deals as it always does."""
    if options.lobby is None:
        return None
    if deal:
        option = "--seed" if options.script is None else "--script"
        raise Failure(USAGE, say("Another lobby deals its own decks. Leave out {option} or --lobby.", option=option))
    return lobby_of(options.lobby)


def _scripted(script: Script) -> Programme:
    deal = {"chain_length": script.chain_length, "windows": msgspec.to_builtins(script.windows)}
    if script.seed is not None:
        deal["seed"] = seed_of_text(script.seed).hex()
    return Programme(script.settings, deal, script.bots, script)


def _list(standings: Standings) -> int:
    width = max(map(len, SCRIPTS_BY_NAME))
    for script in SCRIPTS:
        standings.line(f"{script.name:{width}}  {say(script.explanation)}")
        standings.event("script", script=script.name, explanation=say(script.explanation))
    return DONE


async def _demo(programme: Programme, standings: Standings, given: LobbyAddress | None = None) -> int:
    if given is not None:
        return _verify(await _raced(programme, given, standings, patient=True), programme.script, standings)
    arguments = ["--bind", "127.0.0.1", "--port", "0", "--linger", str(LINGER_S)]
    if programme.deal:
        arguments += ["--deal", json.dumps(programme.deal)]
    with tempfile.TemporaryDirectory(prefix="race2048-") as scratch:
        try:
            child = await start_lobby(arguments, Path(scratch))
        except ChildError as error:
            raise Failure(error.exit_code, start_words(error, "127.0.0.1", 0)) from error
        lobby = parse_link(child.url).lobby
        assert lobby is not None, "a link always names a lobby"
        try:
            path = await _raced(programme, lobby, standings)
        finally:
            await asyncio.to_thread(child.stop)
    return _verify(path, programme.script, standings)


async def _raced(programme: Programme, lobby: LobbyAddress, standings: Standings, *, patient: bool = False) -> Path:
    """Holds one race at `lobby`; returns where its record was saved. `patient`: that lobby may be gone for a while."""
    try:
        return await _race(programme, lobby, standings, patient=patient)
    except BaseExceptionGroup as group:  # of a player's task: the first error says it all
        raise group.exceptions[0] from group


async def _race(programme: Programme, lobby: LobbyAddress, standings: Standings, *, patient: bool) -> Path:
    visit = Visit(session_of(os.urandom(32), OpenTable(programme.settings), Role.PLAYER, "demo"), lobby)
    async with visit.running(), asyncio.TaskGroup() as group:
        view = await _until(visit, patient, lambda view: view.code != "")
        standings.event("table", url=lobby.url, code=view.code, watch_code=view.watch_code)
        _announce(programme, standings)
        await _stood_up(visit, patient)
        place = Place(code=view.code, lobby=lobby, pin=fingerprint(visit.session.lobby_key or b""))
        tasks = []
        for name, flags in zip(NAMES, programme.bots, strict=False):
            tasks.append(group.create_task(_computer(_player(name, flags, lobby, place), lobby)))
            # One after the other, so that a seed deals everyone the same again.
            await _until(visit, patient, lambda view: sum(each is not None for each in view.seats) >= len(tasks))
        path = await _follow(visit, standings, patient=patient)
        for task in tasks:
            task.cancel()
    return path


def _announce(programme: Programme, standings: Standings) -> None:
    script, settings = programme.script, programme.settings
    if script is not None:
        standings.event("script", script=script.name, explanation=say(script.explanation))
        standings.line(say("{script}: {explanation}.", script=script.name, explanation=say(script.explanation)))
    standings.line(
        say("{settings}: {players} computer players.", settings=settings_words(settings), players=settings.seats)
    )


def _player(name: str, flags: str, lobby: LobbyAddress, place: Place) -> Player:
    """Returns the player that `race2048 bot` with these flags would be."""
    parser = argparse.ArgumentParser()
    add_manner(parser, PACE)
    return player_of(parser.parse_args(["--name", name, *flags.split()]), lobby, place)


async def _computer(player: Player, lobby: LobbyAddress) -> None:
    view, _ = await play(player)
    if view.line is Line.OVER:  # else it has vanished, as the script says
        # Without a reason it has given up: nothing was heard of the lobby for a minute.
        raise Failure(BUG, ending_words(view.ending or "lost", lobby, view))


async def _until(visit: Visit, patient: bool, seen: Callable[[SessionView], bool]) -> SessionView:
    """Returns the first picture in which this is seen; raises Failure if the lobby is gone, for good if `patient`."""
    view = await visit.until(lambda view: (view.line is Line.LOST and not patient) or seen(view))
    if (view.line is Line.LOST and not patient) or view.ending:
        raise Failure(BUG, ending_words(view.ending or "lost", visit.lobby, view))
    return view


class Asking:
    """When the host asks for something: at once, and again if it was not done after a while.

    A lobby that is killed may lose what was said, or deal anew what was counting down; and it refuses a Start that
    crosses with a player who is not ready any more. Not each of these can be seen in the pictures: some nobody draws.
    """

    def __init__(self) -> None:
        self._asked_ms: int | None = None

    def due(self, view: SessionView, now_ms: int, *, wanted: bool) -> bool:
        """Returns whether to ask now, if it is still wanted. Called every few seconds: so often a lobby is heard."""
        if view.line is not Line.ONLINE:
            self._asked_ms = None
        elif wanted and (self._asked_ms is None or now_ms >= self._asked_ms + RETRY_MS):
            self._asked_ms = now_ms
            return True
        return False


async def _stood_up(visit: Visit, patient: bool) -> None:
    """Gives up the host's own seat."""
    asking = Asking()

    def seen(view: SessionView) -> bool:
        if asking.due(view, now_ms(), wanted=view.my_seat is not None):
            visit.runner.act(Stand())
        return view.my_seat is None

    await _until(visit, patient, seen)


async def _follow(visit: Visit, standings: Standings, *, patient: bool) -> Path:
    """Starts the race as soon as it can be, and shows it until its record is saved; returns where."""
    asking = Asking()

    def seen(view: SessionView) -> bool:
        standings.show(view)
        if asking.due(view, now_ms(), wanted=view.can_start):
            visit.runner.act(Start())
        return bool(view.record_path or visit.runner.save_error or view.notice == Refusal.SPACE)

    view = await _until(visit, patient, seen)
    if view.notice == Refusal.SPACE:
        raise Failure(REFUSED, ending_words(view.notice, visit.lobby, view))
    if not view.record_path:
        message = say("The record could not be saved: {reason}.", reason=visit.runner.save_error)
        raise Failure(DAMAGED, message)
    return Path(view.record_path)


def _verify(path: Path, script: Script | None, standings: Standings) -> int:
    """Verifies the record as it stands on the disk, and that the race ended as its script says."""
    verdict = verify_record(path.read_bytes())
    otherwise = _otherwise(verdict, script)
    if not verdict.ok:
        standings.line(say("FALSE: {reason}: {path}", reason=verdict.reason, path=path))
    else:
        standings.line(say("Verified: {path}", path=path))
    standings.event(
        "verified",
        ok=verdict.ok and not otherwise,
        record=str(path),
        outcome=None if verdict.outcome is None else outcome_json(verdict.outcome),
        seats=[seat_json(seat) for seat in verdict.seats],
        **({} if script is None else {"script": script.name}),
    )
    if otherwise:
        print(f"race2048: {otherwise}", file=sys.stderr)
    return DONE if verdict.ok and not otherwise else NO


def _otherwise(verdict: Verdict, script: Script | None) -> str:
    """Returns what to say of a race that did not end as its script says, empty if it did."""
    if script is None or verdict.outcome is None:
        return ""
    difference = script.difference(verdict.outcome, verdict.seats)
    return difference and say(
        "The script {script} went wrong: {difference}.", script=script.name, difference=difference
    )
