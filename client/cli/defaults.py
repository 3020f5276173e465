"""What a person's settings fill in where no flag was given.

Owns which option of which command a setting stands for; the settings themselves are config.py's.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from client.config import Settings, Source, Value, resolve
from client.config_file import ConfigError, config_path, read_config
from client.lan import heed_file
from client.language import say

from .everywhere import own_actions
from .exits import DAMAGED, USAGE, Failure

# command: {option: setting}. Only what no other option of the command can contradict.
_FILLS = {
    "play": {"name": "name"},
    "host": {
        "name": "name",
        "size": "host.size",
        "players": "host.players",
        "level": "host.level",
        "pace": "host.pace",
    },
    "join": {"name": "name"},
}


def with_defaults(
    command: str, parser: argparse.ArgumentParser, words: Sequence[str], options: argparse.Namespace
) -> argparse.Namespace:
    """Returns the options with `settings` and `preferences`, and with what is chosen there in the place of defaults.

    Says on stderr what is wrong with the settings; raises Failure if their file cannot be read.
    """
    settings = settings_for(options)
    tell_problems(settings, options)
    words_of_its_own = {
        action.dest
        for action in own_actions(parser)
        if not action.option_strings or isinstance(vars(options).get(action.dest), list)  # or each would be there twice
    }
    filled = {name: value for name, value in vars(options).items() if name not in words_of_its_own}
    for option, name in _FILLS.get(command, {}).items():
        filled[option] = settings.own(name)
    if command == "host" and filled["pace"] is not None:
        filled["pace"] = float(str(filled["pace"]))
    given = parser.parse_intermixed_args(
        words, argparse.Namespace(**{k: v for k, v in filled.items() if v is not None})
    )
    given.settings, given.preferences = settings, settings.preferences
    given.plain = given.preferences.plain and not (vars(given).get("json") or vars(given).get("export"))
    if command == "host":
        _fill_host(given, settings)
    return given


def settings_for(options: argparse.Namespace) -> Settings:
    """Returns the settings that count with these flags; from then on `lan` is heeded (client/lan.py).

    Raises Failure if their file cannot be read.
    """
    named = vars(options).get("config")
    path = config_path(named, os.environ)
    if named and not path.exists():
        raise Failure(USAGE, say("There is no file {path}. Check what --config says.", path=path))
    try:
        file = read_config(path)
    except ConfigError as error:
        raise Failure(DAMAGED, str(error)) from error
    settings = resolve(_flags(options), os.environ, file)
    lan = settings.found["lan"]
    heed_file(str(lan.value) if lan.source is Source.FILE else "")
    return settings


def tell_problems(settings: Settings, options: argparse.Namespace) -> None:
    """Says on stderr what is wrong with the settings, if the person wants to be told."""
    if not vars(options).get("quiet"):
        for problem in settings.problems:
            print(f"race2048: {problem}", file=sys.stderr)


def _flags(options: argparse.Namespace) -> dict[str, Value]:
    given = vars(options)
    flags: dict[str, Value] = {name: given.get(name) for name in ("lang", "color", "palette", "motion", "mouse")}
    return flags | {"plain": given.get("plain") or None}


def _fill_host(options: argparse.Namespace, settings: Settings) -> None:
    """Fills in what depends on other options: a flag for one kind of race must not meet settings for another."""
    from client.tui.choices import KIND_NAMES, is_target, parse_duration, parse_idle
    from engine.race import Kind
    from protocol.limits import TIME_MS_MAX, TIME_MS_MIN

    if options.lobby == "":  # a lobby of one's own after all
        options.lobby = None
    elif all(vars(options).get(name) is None for name in ("lobby", "bind", "port", "public_url")):
        options.lobby = settings.own("lobby")
    if options.lobby is None and options.port is None:
        options.port = settings.own("host.port")
    if options.kind is None and options.time_ms is None and options.target is None:
        options.kind = settings.own("host.kind")
    timed = options.time_ms is not None if options.kind is None else KIND_NAMES[options.kind] is Kind.TIMED
    target, time, idle = (settings.own(f"host.{name}") for name in ("target", "time", "idle"))
    if timed and options.time_ms is None and time is not None:
        options.time_ms = parse_duration(str(time), TIME_MS_MIN, TIME_MS_MAX)
    if not timed and options.idle_ms is None and idle is not None:
        options.idle_ms = parse_idle(str(idle))
    is_race_to_a_tile = not timed and options.kind in (None, "target")
    meant = options.size == settings.value("host.size")  # a target is meant for the usual board
    if is_race_to_a_tile and options.target is None and meant and isinstance(target, int):
        options.target = target if is_target(target, options.size) else None
