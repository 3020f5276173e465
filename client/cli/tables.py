"""`race2048 tables`: lists the tables on this network, and asks whether there is a lobby at an address.

A lobby lists its tables to nobody: a code is what lets one in, so whoever could list them could sit at them all. Of a
lobby (`--lobby`) it is therefore only said whether it is one, and whether its version and ours go together. On the own
network it is otherwise: there the hosts themselves announce their tables, unless they do not want to.
"""

from __future__ import annotations

import argparse
import json
import sys

from client.greeting import Greeting, greet
from client.link import LobbyAddress
from client.view import Line, SessionView
from client.words import exit_code, say

from . import PROGRAM
from .exits import DONE
from .nearby import looked_around, nobody_words, table_json, table_lines
from .places import lobby_of
from .visit import ending_words, run_loop


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `tables` takes."""
    parser.add_argument(
        "--lan", action="store_true", help=say("list the tables on this network (without --lobby, too)")
    )
    parser.add_argument("--lobby", metavar="URL", help=say("say whether there is a lobby, and of which version"))
    parser.add_argument("--json", action="store_true", help=say("a line of JSON for each table, and for the lobby"))


def run(options: argparse.Namespace) -> int:
    """Lists what was asked for; returns 0, or for a lobby that one cannot play at the code that says why."""
    if options.lobby is None:
        return _list_tables(as_json=options.json)
    lobby = lobby_of(options.lobby)
    code = run_loop(_check(lobby, as_json=options.json))
    if options.lan:
        _list_tables(as_json=options.json)
    return code


def _list_tables(*, as_json: bool) -> int:
    tables = looked_around()
    if as_json:
        for table in tables:
            print(json.dumps(table_json(table), ensure_ascii=False))
    elif tables:
        print("\n".join(table_lines(tables)))
        print(say("Sit down with race2048 join and the code."))
    else:
        print(nobody_words("race2048 join LINK"), file=sys.stderr)
    return DONE


async def _check(lobby: LobbyAddress, *, as_json: bool) -> int:
    found = await greet(lobby.url, PROGRAM)
    if as_json:
        print(json.dumps(_lobby_json(lobby, found), ensure_ascii=False))
    elif found.reason:
        view = SessionView(line=Line.OVER, lobby_program=found.program, lobby_protocol=found.protocol)
        print(f"race2048: {ending_words(found.reason, lobby, view)}", file=sys.stderr)
    else:
        answer = say(
            "{url} is a lobby: {program}, protocol {protocol}, key {key}.",
            url=lobby.url,
            program=found.program,
            protocol=found.protocol,
            key=found.fingerprint,
        )
        print(answer)
        print(say("It lists its tables to nobody: a code is what lets one in. Ask the host for it, or for the link."))
    return exit_code(found.reason)


def _lobby_json(lobby: LobbyAddress, found: Greeting) -> dict[str, object]:
    return {
        "lobby": lobby.url,
        "ok": not found.reason,
        "reason": found.reason,
        "program": found.program or None,
        "protocol": found.protocol or None,
        "fingerprint": found.fingerprint or None,
    }
