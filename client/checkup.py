"""What is found when a terminal or a computer is looked at, and what to do about it: the words of `doctor`.

Owns what a finding is, and judges a terminal by the facts about it; terminal_facts.py asks for those, computer.py
looks at the computer. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from client.language import say
from client.tui.palette import Depth
from client.tui.plan import ALL_COLUMNS_MIN, ALL_ROWS_MIN, BOARD_COLUMNS_MIN, BOARD_ROWS_MIN


class Status(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what to do (empty if nothing is to be done)."""

    name: str
    status: Status
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """What is known of a terminal. `widths` are those of SAMPLES as it draws them, None if it does not answer."""

    is_terminal: bool
    columns: int
    rows: int
    term: str
    colorterm: str
    depth: Depth
    encoding: str
    widths: Mapping[str, int] | None
    mouse: bool | None  # None: it does not say


# Characters of the screens, and how many columns they must take; the last is one that names have.
SAMPLES: Mapping[str, int] = {"▄": 1, "×": 1, "…": 1, "─": 1, "漢": 2}


def terminal_findings(facts: TerminalFacts) -> list[Finding]:
    """Returns what is found in a terminal; one finding if it is none."""
    if not facts.is_terminal:
        remedy = say("Run doctor in the terminal that you play in; elsewhere there are --plain and --json.")
        return [Finding("terminal", Status.WARN, say("this is not a terminal"), remedy)]
    return [_size(facts), _kind(facts), _colours(facts), _characters(facts), _widths(facts), _mouse(facts)]


def _size(facts: TerminalFacts) -> Finding:
    found = say("{columns}×{rows}", columns=facts.columns, rows=facts.rows)
    if facts.columns < BOARD_COLUMNS_MIN or facts.rows < BOARD_ROWS_MIN:
        remedy = say("There is room for a line of text only: make the window larger, or its letters smaller.")
        return Finding("size", Status.FAIL, found, remedy)
    if facts.columns < ALL_COLUMNS_MIN or facts.rows < ALL_ROWS_MIN:
        remedy = say("The board fits, the other players do not: from 40×20 on they do.")
        return Finding("size", Status.WARN, found, remedy)
    return Finding("size", Status.OK, found)


def _kind(facts: TerminalFacts) -> Finding:
    if facts.term in ("", "dumb", "unknown"):
        found = say("TERM is {term}", term=facts.term or say("not set"))
        remedy = say("No screen can be drawn: use another terminal, or --plain.")
        return Finding("TERM", Status.FAIL, found, remedy)
    return Finding("TERM", Status.OK, facts.term)


def _colours(facts: TerminalFacts) -> Finding:
    found = {
        Depth.TRUE: say("all colours"),
        Depth.INDEXED: say("256 colours"),
        Depth.ANSI: say("16 colours"),
        Depth.MONO: say("no colours"),
    }[facts.depth]
    if facts.colorterm:
        found = say("{colours} (COLORTERM is {value})", colours=found, value=facts.colorterm)
    return Finding("colours", Status.OK, found)


def _characters(facts: TerminalFacts) -> Finding:
    try:
        "".join(SAMPLES).encode(facts.encoding)
    except (LookupError, UnicodeEncodeError):
        remedy = say("Some characters are shown as ?. Choose a UTF-8 locale: export LANG=C.UTF-8")
        return Finding("characters", Status.WARN, facts.encoding, remedy)
    return Finding("characters", Status.OK, facts.encoding)


def _widths(facts: TerminalFacts) -> Finding:
    if facts.widths is None:
        found = say("the terminal does not say how wide it draws")
        return Finding("widths", Status.WARN, found, say("If rows are out of line, try another terminal."))
    wrong = {text: width for text, width in facts.widths.items() if width != SAMPLES[text]}
    if not wrong:
        return Finding("widths", Status.OK, say("▄ takes one column, 漢 two"))
    found = say(", ").join(say("{text} takes {width}", text=text, width=width) for text, width in wrong.items())
    if all(SAMPLES[text] == 1 for text in wrong):
        remedy = say("Rows will be out of line. Set “ambiguous width” to narrow in the terminal's settings.")
    else:
        remedy = say("Rows will be out of line. Choose a UTF-8 locale and a newer terminal.")
    return Finding("widths", Status.FAIL, found, remedy)


def _mouse(facts: TerminalFacts) -> Finding:
    if facts.mouse is None:
        return Finding("mouse", Status.OK, say("the terminal does not say whether it tells of the mouse"))
    if not facts.mouse:
        remedy = say("Keys do everything, too.")
        return Finding("mouse", Status.WARN, say("the terminal does not tell of the mouse"), remedy)
    return Finding("mouse", Status.OK, say("drags are swipes"))
