"""`race2048 doctor`: looks at this terminal, this computer and its network, and says what to do; mends the terminal."""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path

from client.checkup import Finding, Status, terminal_findings
from client.config import resolve
from client.config_file import ConfigError, config_path, read_config
from client.language import say, say_n
from client.link import LinkError, LobbyAddress, parse_link
from client.store import data_directory

from . import PROGRAM
from .exits import DONE, NO, USAGE, Failure

_TEXT_COLUMNS = 60
_LABEL_COLUMNS = 18


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `doctor` takes."""
    parser.add_argument(
        "--reset-terminal", action="store_true", help=say("bring a terminal back to order that a program has left odd")
    )
    parser.add_argument("--json", action="store_true", help=say("print what was found as JSON"))


def run(options: argparse.Namespace) -> int:
    """Says what is found; returns 1 if something is broken."""
    if options.reset_terminal:
        return _reset_terminal()
    findings = [*computer_findings(options), *_terminal_findings()]
    broken = any(finding.status is Status.FAIL for finding in findings)
    if options.json:
        print(json.dumps({"ok": not broken, "findings": [asdict(finding) for finding in findings]}, ensure_ascii=False))
    else:
        print("\n".join(_in_words(findings)))
    return NO if broken else DONE


def computer_findings(options: argparse.Namespace) -> list[Finding]:
    """Returns what is found on this computer, whatever is the matter with it."""
    from client import computer

    path = config_path(options.config, os.environ)
    broken: list[Finding] = []
    try:
        settings = resolve({}, os.environ, read_config(path))
    except ConfigError as error:
        settings = resolve({}, os.environ, {})
        broken = [Finding("settings", Status.FAIL, str(error), say("Mend it: race2048 config edit"))]
    return [
        computer.program_finding(PROGRAM),
        computer.libraries_finding(),
        computer.locale_finding(),
        computer.directory_finding("data", data_directory()),
        computer.directory_finding("config", path.parent),
        computer.directory_finding("state", _state_directory()),
        computer.keys_finding(data_directory()),
        *(broken or [computer.settings_finding(path, settings)]),
        computer.clock_finding(),
        computer.network_finding(),
        computer.port_finding(settings),
        computer.lobby_finding(_lobby(settings.value("lobby"))),
    ]


def _state_directory() -> Path:
    import platformdirs

    return platformdirs.user_state_path("race2048", appauthor=False)


def _lobby(address: object) -> LobbyAddress | None:
    if address is None:
        return None
    try:
        return parse_link(str(address)).lobby
    except LinkError:  # then it is among the problems of the settings
        return None


def _terminal_findings() -> list[Finding]:
    from client.terminal_facts import terminal_facts

    return terminal_findings(terminal_facts(os.environ))


def _in_words(findings: list[Finding]) -> list[str]:
    """Returns a line or more for each finding, and how many are bad."""
    marks = {Status.OK: say("ok"), Status.WARN: say("warn"), Status.FAIL: say("FAIL")}
    lines = []
    for finding in findings:
        label = f"{marks[finding.status]:6}{finding.name:{_LABEL_COLUMNS - 6}}"
        lines += _wrapped(finding.found, label)
        if finding.remedy:
            lines += _wrapped(f"→ {finding.remedy}", " " * _LABEL_COLUMNS)
    faults = sum(finding.status is Status.FAIL for finding in findings)
    warnings = sum(finding.status is Status.WARN for finding in findings)
    if not faults and not warnings:
        return [*lines, "", say("Everything is in order.")]
    counts = [say_n("{count} fault", "{count} faults", faults), say_n("{count} warning", "{count} warnings", warnings)]
    return [*lines, "", say("{faults}, {warnings}.", faults=counts[0], warnings=counts[1])]


def _wrapped(text: str, label: str) -> list[str]:
    """Returns a text as lines behind a label. A path is never broken."""
    return textwrap.wrap(
        text,
        _LABEL_COLUMNS + _TEXT_COLUMNS,
        initial_indent=label,
        subsequent_indent=" " * _LABEL_COLUMNS,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _reset_terminal() -> int:
    """Leaves the alternate screen, switches the mouse off, shows the cursor, and takes lines again."""
    from client.terminal_facts import RESET, cook

    terminal = next((s for s in (sys.stdout, sys.stderr, sys.stdin) if s is not None and s.isatty()), None)
    if terminal is None:
        raise Failure(USAGE, say("This is no terminal: run race2048 doctor --reset-terminal in the one that is odd."))
    os.write(terminal.fileno(), RESET.encode("ascii"))
    cook(terminal.fileno())
    print(say("The terminal is as it should be."))
    return DONE
