"""`race2048` alone: the home screen, and what is chosen there, again and again until the person has enough.

Runs the chosen command in this process, as if it had been typed. In the way of --plain the menu is a few lines.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from client.config import BY_NAME, SETTINGS, Preferences, Sort, shown
from client.config_file import ConfigError, config_path, unset_entry
from client.lan import Lan, lan_setting, set_by
from client.language import printable, say
from client.tui.home import ITEMS, Row
from client.tui.home_screen import HomeScreen, Supplies, Words

from . import COMMANDS, PROGRAM, main, top_help
from .defaults import settings_for, tell_problems
from .exits import DONE, HANGUP, INTERRUPTED, TERMINATED, USAGE, Failure, mute

if TYPE_CHECKING:
    from protocol.messages import TableSettings

_Listed = TypeVar("_Listed")

RECORDS_MAX = 500
RECORDS_LISTED = 9  # in lines, where each is read aloud
_SIGNALLED = frozenset({HANGUP, INTERRUPTED, TERMINATED})
# The settings that the home screen offers; those of a table are asked when one is opened.
OFFERED = tuple(setting.name for setting in SETTINGS if "." not in setting.name)


def run(options: argparse.Namespace) -> int:
    """Shows the home screen until the person leaves; returns the exit code."""
    settings = settings_for(options)
    tell_problems(settings, options)
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        print(top_help(), file=sys.stderr)
        return USAGE
    show = _in_lines if settings.preferences.plain or os.environ.get("TERM", "dumb") == "dumb" else _on_screen
    return show(options)


def _on_screen(options: argparse.Namespace) -> int:
    from client.tui.first_frame import shown_at_once

    chosen = 0
    while True:
        screen = HomeScreen(supplies(options), chosen=chosen)
        code = shown_at_once(screen)
        if code == HANGUP:
            mute()
        if code or screen.words is None:
            return code
        chosen = screen.home.chosen
        code = _carried_out(options, screen.words)
        if code in _SIGNALLED or not _goes_on():
            return code


def _carried_out(options: argparse.Namespace, words: Words) -> int:
    """Runs a command as if it had been typed, with the options that were given before."""
    try:
        return main([*_given(options), *words])
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else DONE


def _given(options: argparse.Namespace) -> list[str]:
    """Returns the options that `race2048` itself was called with, for the commands that it starts."""
    given = vars(options)
    words = [f"--{name}={given[name]}" for name in ("lang", "color", "palette", "motion", "config") if name in given]
    flags = {"--plain": given.get("plain"), "--no-mouse": given.get("mouse") is False,
             "--verbose": given.get("verbose"), "--quiet": given.get("quiet")}  # fmt: skip
    return [*words, *(flag for flag, is_given in flags.items() if is_given)]


def _goes_on() -> bool:
    """Waits until the person has read what the command has said; returns whether they want to go on."""
    try:
        return input(say("[Enter] back to the home screen, q and Enter: quit ")).strip().lower() not in ("q", "quit")
    except (EOFError, KeyboardInterrupt):
        print()
        return False


def _in_lines(options: argparse.Namespace) -> int:
    """The menu as lines that are read and typed, for screen readers; the settings are for `config`."""
    items = [item for item in ITEMS if item.command in COMMANDS]
    while True:
        for number, item in enumerate(items, 1):
            print(say("{number}. {entry}", number=number, entry=say(item.label)))
        try:
            typed = input(say("Which? A number, or q to quit: ")).strip()
            if typed in ("q", "quit"):
                return DONE
            chosen = _numbered(items, typed)
            words = None if chosen is None else _asked_in_lines(chosen.command)
        except (EOFError, KeyboardInterrupt):
            print()
            return DONE
        if words is not None and _carried_out(options, words) in _SIGNALLED:
            return INTERRUPTED


def _asked_in_lines(command: str) -> Words | None:
    """Returns the words of a command, None if what it needs was not told."""
    if command == "replay":
        return _record_asked_in_lines()
    if command not in ("join", "watch"):
        return (command,)
    around = say("The code or the link; nothing for the tables on this network: ")
    words, fault = place_words(command, input(around if looks_around() else say("The code or the link: ")).strip())
    if fault:
        print(fault)
    return words or None


def _record_asked_in_lines() -> Words | None:
    """Returns the words that replay a record of a short list, or one whose file was typed."""
    newest = records()[:RECORDS_LISTED]
    for number, (name, _) in enumerate(newest, 1):
        print(say("{number}. {entry}", number=number, entry=printable(name)))
    if newest:
        typed = input(say("Which? A number, or the file of a record: ")).strip()
    else:
        typed = input(say("No records yet: play first. The file of another one: ")).strip()
    record = _numbered(newest, typed)
    if record is not None:
        return ("replay", record[1])
    return ("replay", typed) if typed else None


def _numbered(listed: Sequence[_Listed], typed: str) -> _Listed | None:
    """Returns the one of this number, counted from 1; None if there is no such."""
    place = int(typed) if typed.isdecimal() and len(typed) < 6 else 0
    return listed[place - 1] if 0 < place <= len(listed) else None


def looks_around() -> bool:
    """Tells whether the tables on this network can be looked for."""
    return lan_setting() not in (Lan.OFF, None)


# ── what the screen is supplied with ─────────────────────────────────────────────────────────────────────────────


def supplies(options: argparse.Namespace) -> Supplies:
    """Returns what the home screen needs of the command line."""

    def preferences() -> Preferences:
        return settings_for(options).preferences

    return Supplies(
        commands=COMMANDS,
        program=PROGRAM,
        preferences=preferences,
        rows=lambda: setting_rows(options),
        change=lambda name, value: change(options, name, value),
        records=records,
        text=lambda _: _text(),
        around=looks_around,
        usual=lambda: usual_table(options),
        host=host_words,
        place=place_words,
    )


def setting_rows(options: argparse.Namespace) -> tuple[Row, ...]:
    """Returns the settings that can be changed on the screen."""
    settings = settings_for(options)
    rows = []
    for name in OFFERED:
        setting = BY_NAME[name]
        choices = ("true", "false") if setting.sort is Sort.SWITCH else tuple(str(each) for each in setting.allowed)
        rows.append(Row(name, shown(settings.value(name)), choices, say(setting.help)))
    return tuple(rows)


def change(options: argparse.Namespace, name: str, value: str) -> str:
    """Writes a setting into the file, or takes it out if it is empty; returns what is wrong, else nothing."""
    from .config import change_setting

    path = config_path(vars(options).get("config"), os.environ)
    try:
        if value:
            change_setting(path, BY_NAME[name], value)
        else:
            unset_entry(path, name)
    except (Failure, ConfigError) as error:
        return str(error)
    if os.environ.get(BY_NAME[name].variable):
        return say("{variable} is set as well, and counts more.", variable=BY_NAME[name].variable)
    return ""


def records() -> Sequence[tuple[str, str]]:
    """Returns the records of one's own races and of games alone that are over, the newest first, and their paths."""
    from client.store import RECORD_SUFFIX, data_directory

    found = []
    data = data_directory()
    for directory in (data / "races", data / "solo" / "games"):
        for path in directory.glob(f"*{RECORD_SUFFIX}"):
            with suppress(OSError):  # gone by now
                found.append((path.stat().st_mtime, path))
    newest = sorted(found, reverse=True)[:RECORDS_MAX]
    return [(path.name, str(path)) for _, path in newest]


def _text() -> str:
    from .help import keys_text
    from .rules import rules_text

    return "\n\n".join([keys_text(), rules_text(), say("In a shell, race2048 --help tells what can be typed.")])


def usual_table(options: argparse.Namespace) -> TableSettings:
    """Returns what a table of this person is like before anything is chosen."""
    from . import parser_of
    from .defaults import with_defaults
    from .table import settings_of

    parser = parser_of("host")
    words = [*_given(options), "--quiet"]
    return settings_of(with_defaults("host", parser, words, parser.parse_args(words)))


def host_words(settings: TableSettings, bots: int) -> Words:
    """Returns the words that open such a table."""
    from client.tui.choices import KIND_NAMES
    from engine.race import Kind
    from protocol.limits import LEAD_STRICT

    kind = next(name for name, each in KIND_NAMES.items() if each is Kind(settings.kind))
    words = ["host", "--players", str(settings.seats), "--size", str(settings.size), "--kind", kind]
    if settings.kind == Kind.TARGET:
        words += ["--target", str(1 << settings.target_exponent)]
    if settings.kind == Kind.TIMED:
        words += ["--time", f"{settings.time_ms // 1_000}s"]
    else:
        words += ["--idle", f"{settings.idle_ms // 1_000}s" if settings.idle_ms else "off"]
    if settings.lead == LEAD_STRICT:
        words.append("--strict")
    return [*words, "--bots", str(bots)] if bots else words


def place_words(command: str, typed: str) -> tuple[Words, str]:
    """Returns the words that join or watch what was typed, and what is wrong with it if it names no table.

    The whole command of an invitation may have been pasted. Nothing at all means one of the tables on this network.
    """
    from client.link import LinkError, parse_place

    from .places import fault_words

    parts = typed.split()
    while parts and parts[0] in ("race2048", "join", "watch"):
        parts = parts[1:]
    if not parts and not looks_around():
        return (), say("Looking on this network is switched off ({setting}=off). Give the link.", setting=set_by())
    try:
        if parts:
            parse_place(parts)
    except LinkError as error:
        return (), fault_words(error)
    return (command, *parts), ""
