r"""`race2048 man`: prints the manual page, made from the parsers, so that it says what the program does.

`race2048 man | man -l -` shows it. Owns how things look in roff: what a person wrote never becomes a request, since
every line that could be one begins with the empty character \&.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from client.config import SETTINGS, Sort, allowed_words, shown
from client.language import say

from . import ABOUT, GROUPS, PROGRAM, _
from .exits import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `man` takes: nothing of its own."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Prints the page; returns the exit code."""
    del options
    from .whole import whole_parser

    print(page(whole_parser()))
    return DONE


def page(parser: argparse.ArgumentParser) -> str:
    """Returns the manual page of the whole program."""
    return "\n".join(_lines(parser))


def _lines(whole: argparse.ArgumentParser) -> Iterator[str]:
    from .everywhere import own_actions
    from .help import exit_codes_text, keys_text
    from .rules import rules_text
    from .whole import commands_of

    commands = commands_of(whole)
    everywhere = [action for action in own_actions(whole) if action.option_strings]
    manual = say("User Commands")
    yield f'.TH RACE2048 1 "" "{_escaped(PROGRAM)}" "{_escaped(manual)}"'
    yield from _section(say("NAME"), rf"race2048 \- {_escaped(_lower(_(ABOUT)))}")
    yield from _section(say("SYNOPSIS"), r"\fBrace2048\fR [\fICOMMAND\fR …]")
    yield from _section(say("DESCRIPTION"), _escaped(say("Without a command, it shows the home screen.")))
    yield from _section(say("COMMANDS"))
    known = {name for action in everywhere for name in action.option_strings}
    for group, names in GROUPS.items():
        yield from (f".SS {_escaped(_(group))}", ".PP")
        for name in names:
            yield from _command(name, commands[name], known)
    yield from _section(say("OPTIONS"), _escaped(say("Every command takes these, before its name or after it.")))
    for action in everywhere:
        yield from _entry(_invocation(action), _help_of(action))
    yield from _settings()
    yield from _literal(say("KEYS"), keys_text())
    yield from _literal(say("RULES"), rules_text())
    yield from _literal(say("EXIT STATUS"), exit_codes_text())
    yield from _environment()


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _section(title: str, *lines: str) -> Iterator[str]:
    yield f".SH {_escaped(title)}"
    yield from lines


def _command(name: str, parser: argparse.ArgumentParser, everywhere: set[str]) -> Iterator[str]:
    from .everywhere import own_actions

    yield from _entry(rf"\fB{_escaped(name)}\fR", parser.description or "")
    own = [action for action in own_actions(parser) if not everywhere.issuperset(action.option_strings)
           or not action.option_strings]  # fmt: skip
    if own:
        yield ".RS"
        for action in own:
            yield from _entry(_invocation(action), _help_of(action))
        yield ".RE"


def _entry(label: str, text: str) -> Iterator[str]:
    yield from (".TP", label, _escaped(text))


def _invocation(action: argparse.Action) -> str:
    """Returns how an argument is given: in bold what is typed as it stands, in italics what stands for something."""
    takes = action.nargs != 0
    if not action.option_strings:
        return rf"\fI{_escaped(_value_words(action))}\fR" + {"?": "", "+": " …", "*": " …"}.get(str(action.nargs), "")
    names = ", ".join(rf"\fB{_escaped(name)}\fR" for name in action.option_strings)
    return rf"{names} \fI{_escaped(_value_words(action))}\fR" if takes else names


def _value_words(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return "|".join(str(choice) for choice in action.choices) if action.choices is not None else action.dest.upper()


def _help_of(action: argparse.Action) -> str:
    values = {key: value for key, value in vars(action).items() if value is not argparse.SUPPRESS}
    return (action.help or "") % values


def _settings() -> Iterator[str]:
    about = say(
        "race2048 config shows and changes them. A flag counts more than the environment, that more than the file."
    )
    yield from _section(say("SETTINGS"), _escaped(about))
    for setting in SETTINGS:
        usual = say(" Usually {value}.", value=shown(setting.default)) if setting.default is not None else ""
        choices = f": {allowed_words(setting)}." if setting.sort is not Sort.NAME else "."
        yield from _entry(rf"\fB{_escaped(setting.name)}\fR", f"{say(setting.help)}{choices}{usual}")


def _environment() -> Iterator[str]:
    yield from _section(say("ENVIRONMENT"))
    variables = {
        "RACE2048_CONFIG": say("the file of your settings"),
        "RACE2048_DATA": say("the directory of keys and records"),
        "RACE2048_…": say("any setting: RACE2048_PALETTE, RACE2048_HOST_SIZE and so on"),
        "NO_COLOR": say("if it is set, no colours are used (no-color.org)"),
        "COLORTERM": say("truecolor or 24bit: the terminal has all colours"),
        "VISUAL, EDITOR": say("what race2048 config edit starts"),
    }
    for name, meaning in variables.items():
        yield from _entry(rf"\fB{_escaped(name)}\fR", meaning)


def _literal(title: str, text: str) -> Iterator[str]:
    """Yields a section whose lines stay as they are."""
    yield from _section(title, ".nf")
    yield from (_escaped(line) for line in text.splitlines())
    yield ".fi"


def _escaped(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())
