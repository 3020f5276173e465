"""`race2048 config`: shows what a person has chosen once for all, and changes one choice at a time."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from client.config import (
    BY_NAME,
    SETTINGS,
    Setting,
    Settings,
    Sort,
    Source,
    Value,
    allowed_words,
    entries,
    judged,
    nearest,
    shown,
    unknown_words,
    wrong_words,
)
from client.config_file import ConfigError, config_path, read_config, set_entry, unset_entry, write_config
from client.language import say
from client.toml_lines import toml_value

from .defaults import settings_for, tell_problems
from .exits import DAMAGED, DONE, NO, USAGE, Failure

ACTIONS = ("list", "get", "set", "unset", "path", "edit")
_WORDS = {"get": 1, "set": 2, "unset": 1}  # how many follow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `config` takes."""
    parser.usage = "%(prog)s [list|get|set|unset|path|edit] [NAME [VALUE]]"
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", metavar="ACTION",
        help=say("list them all, get, set or unset one, print the path of the file, or edit it"),
    )  # fmt: skip
    parser.add_argument("name", nargs="?", metavar="NAME", help=say("a setting: race2048 help settings has them all"))
    parser.add_argument("value", nargs="?", metavar="VALUE", help=say("what it shall be"))
    parser.add_argument("--json", action="store_true", help=say("print the list as JSON"))


def run(options: argparse.Namespace) -> int:
    """Does what was asked for; returns the exit code."""
    given = [word for word in (options.name, options.value) if word is not None]
    if len(given) != _WORDS.get(options.action, 0):
        usage = say("race2048 config takes: list, get NAME, set NAME VALUE, unset NAME, path, or edit.")
        raise Failure(USAGE, usage)
    actions: dict[str, Callable[[argparse.Namespace, Path], int]] = {
        "list": _list, "get": _get, "set": _set, "unset": _unset, "path": _path, "edit": _edit,
    }  # fmt: skip
    try:
        return actions[options.action](options, config_path(options.config, os.environ))
    except ConfigError as error:
        raise Failure(DAMAGED, str(error)) from error


def _list(options: argparse.Namespace, path: Path) -> int:
    settings = settings_for(options)
    tell_problems(settings, options)
    if options.json:
        print(json.dumps(_as_json(settings, path), ensure_ascii=False))
        return DONE
    for setting in SETTINGS:
        found = settings.found[setting.name]
        value = shown(found.value) or say("(not set)")
        print(f"{setting.name:13} {value:20} {_source_words(setting, found.source)}".rstrip())
    return DONE


def _as_json(settings: Settings, path: Path) -> dict[str, object]:
    values = {name: {"value": found.value, "source": str(found.source)} for name, found in settings.found.items()}
    return {"path": str(path), "settings": values, "problems": list(settings.problems)}


def _source_words(setting: Setting, source: Source) -> str:
    return {
        Source.FLAG: say("by a flag"),
        Source.ENVIRONMENT: say("by {variable}", variable=setting.variable),
        Source.FILE: say("by your file"),
        Source.DEFAULT: "",
    }[source]


def _known(name: str) -> Setting:
    setting = BY_NAME.get(name)
    if setting is None:
        raise Failure(USAGE, unknown_words(name, nearest(name, BY_NAME)))
    return setting


def _get(options: argparse.Namespace, path: Path) -> int:
    """Prints what counts; nothing, and another exit code, where nothing is set."""
    del path
    setting = _known(options.name)
    value = settings_for(options).value(setting.name)
    if value is None:
        return NO
    print(shown(value))
    return DONE


def _set(options: argparse.Namespace, path: Path) -> int:
    setting = _known(options.name)
    value = change_setting(path, setting, options.value)
    _remark(options, say("{name} is {value} now, in {path}.", name=setting.name, value=shown(value), path=path))
    _remark_variable(options, setting)
    return DONE


def change_setting(path: Path, setting: Setting, text: str) -> Value:
    """Writes a choice into the file and returns it; raises Failure if it is not allowed, and ConfigError."""
    value = judged(setting, text)
    if value is None:
        raise Failure(USAGE, wrong_words(setting, text, setting.name))
    set_entry(path, setting.name, str(value) if isinstance(value, str) else value)
    return value


def _unset(options: argparse.Namespace, path: Path) -> int:
    """Takes a choice out, also one that there is no setting for: a slip of the pen."""
    name = options.name
    if name in dict(entries(read_config(path))):
        unset_entry(path, name)
        _remark(options, say("{name} is no longer set in {path}.", name=name, path=path))
    else:
        _known(name)
        _remark(options, say("{name} was not set in {path}.", name=name, path=path))
    if name in BY_NAME:
        _remark_variable(options, BY_NAME[name])
    return DONE


def _path(options: argparse.Namespace, path: Path) -> int:
    del options
    print(path)
    return DONE


def _edit(options: argparse.Namespace, path: Path) -> int:
    if not path.exists():
        write_config(path, template())
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    try:
        done = subprocess.run([*shlex.split(editor), str(path)], check=False)  # noqa: S603 - the person's own editor
    except (OSError, ValueError) as error:
        message = say("The editor {editor} cannot be started. Set EDITOR, or change {path} with another program.",
                      editor=editor, path=path)  # fmt: skip
        raise Failure(USAGE, message) from error
    if done.returncode != 0:
        raise Failure(NO, say("The editor {editor} ended with code {code}.", editor=editor, code=done.returncode))
    tell_problems(settings_for(options), options)
    return DONE


def template() -> str:
    """Returns a file with every setting in it, none of which is set."""
    lines = [
        say("# Settings of race2048. Take away the # in front of what you want to change."),
        say("# A variable RACE2048_… counts more than what stands here, and a flag most."),
    ]
    table = ""
    for setting in SETTINGS:
        above, _, key = setting.name.rpartition(".")
        if above != table:
            table = above
            lines += ["", f"[{table}]"]
        help_line = f"# {say(setting.help)}"
        choices = "" if setting.sort in (Sort.SWITCH, Sort.NAME) else f": {allowed_words(setting)}"
        lines += [
            "",
            help_line + choices,
            f"# {key} = {toml_value('' if setting.default is None else setting.default)}",
        ]
    return "\n".join([*lines, ""])


def _remark(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)


def _remark_variable(options: argparse.Namespace, setting: Setting) -> None:
    if os.environ.get(setting.variable):
        _remark(options, say("{variable} is set as well, and counts more.", variable=setting.variable))
