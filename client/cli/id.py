"""`race2048 id`: the keys by which lobbies know a person, and the name that goes with them.

A key is 32 secret bytes. It is never printed, never overwritten and never deleted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from client.config import BY_NAME
from client.config_file import ConfigError, config_path
from client.language import say
from client.store import StoreError, data_directory, default_name, key_paths, read_key, renew_key, take_identity
from protocol.signing import Signer, fingerprint

from .config import change_setting
from .defaults import settings_for
from .exits import DAMAGED, DONE, NO, USAGE, Failure

ACTIONS = ("show", "name", "export", "new")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `id` takes."""
    parser.usage = "%(prog)s [show | name [NAME] | export FILE | new] [--key N]"
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="show", metavar="ACTION",
        help=say("show the keys, tell or set the name, export a secret key, or make a new one"),
    )  # fmt: skip
    parser.add_argument("argument", nargs="?", metavar="NAME", help=say("the name, or the file to export to"))
    parser.add_argument("--key", type=int, default=1, metavar="N", help=say("which key, where there are several (1)"))
    parser.add_argument("--json", action="store_true", help=say("show them as JSON"))


def run(options: argparse.Namespace) -> int:
    """Does what was asked for; returns the exit code."""
    takes = {"show": (None,), "new": (None,), "export": ("FILE",), "name": (None, "NAME")}[options.action]
    if (options.argument is None) not in [word is None for word in takes]:
        raise Failure(USAGE, say("race2048 id takes: show, name, name NAME, export FILE, or new."))
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "show": _show, "name": _name, "export": _export, "new": _new,
    }  # fmt: skip
    try:
        return actions[options.action](options)
    except ConfigError as error:
        raise Failure(DAMAGED, str(error)) from error
    except StoreError as error:
        remedy = say("Make it usable, or choose another place with RACE2048_DATA.")
        raise Failure(DAMAGED, f"{error}. {remedy}") from error


def _show(options: argparse.Namespace) -> int:
    name, chosen = _known_as(options)
    keys = [(number, path, *read_key(path)) for number, path in key_paths(data_directory()).items()]
    if options.json:
        found = [
            {"key": number, "fingerprint": seed and _fingerprint(seed), "in_use": held, "path": str(path)}
            for number, path, seed, held in keys
        ]
        print(json.dumps({"name": name, "chosen": chosen, "keys": found}, ensure_ascii=False))
        return DONE
    print(say("name   {name}", name=name) if chosen else say("name   {name}   (your login name)", name=name))
    key_word = say("key")
    for number, path, seed, held in keys:
        shown = say("damaged: {path}", path=path) if seed is None else _fingerprint(seed)
        print(f"{key_word} {number:<2} {shown}" + (say("   (in use)") if held else ""))
    if not keys:
        print(say("No key yet: one is made when you first take a seat."))
    return DONE


def _known_as(options: argparse.Namespace) -> tuple[str, bool]:
    """Returns the name a player goes by, and whether it was chosen."""
    name = settings_for(options).value("name")
    return (str(name), True) if name is not None else (default_name(), False)


def _fingerprint(seed: bytes) -> str:
    return fingerprint(Signer(seed).key)


def _name(options: argparse.Namespace) -> int:
    if options.argument is None:
        print(_known_as(options)[0])
        return DONE
    path = config_path(options.config, os.environ)
    change_setting(path, BY_NAME["name"], options.argument)
    _remark(options, say("You are called {name} from the next table on ({path}).", name=options.argument, path=path))
    return DONE


def _chosen_key(options: argparse.Namespace) -> Path:
    data = data_directory()
    paths = key_paths(data)
    if not paths and options.key == 1:  # as when one first takes a seat
        take_identity(data).release()
        paths = key_paths(data)
    if options.key not in paths:
        numbers = say(", ").join(str(number) for number in paths)
        raise Failure(
            USAGE, say("There is no key {number}. There are: {numbers}.", number=options.key, numbers=numbers)
        )
    return paths[options.key]


def _export(options: argparse.Namespace) -> int:
    """Writes a secret key to a new file that only its owner can read, or into a pipe; never to a terminal."""
    key = _chosen_key(options)
    seed, _ = read_key(key)
    if seed is None:
        raise Failure(DAMAGED, say("{path} is damaged: it is no key. Nothing was written.", path=key))
    if options.argument == "-":
        if sys.stdout.isatty():
            raise Failure(USAGE, say("A secret key is not shown on a terminal. Name a file, or send it into a pipe."))
        sys.stdout.buffer.write(seed)
        sys.stdout.buffer.flush()
    else:
        _write_secret(Path(options.argument), seed)
    told = say(
        "{place} has the secret key {fingerprint} now, 32 bytes. Whoever has it can take your seat in your name: "
        "give it to nobody. On another computer it belongs into the data directory as keys/1.key.",
        place=say("The pipe") if options.argument == "-" else options.argument,
        fingerprint=_fingerprint(seed),
    )
    _remark(options, told)
    return DONE


def _write_secret(path: Path, seed: bytes) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise Failure(USAGE, say("{path} is there already. Nothing was written; name another.", path=path)) from error
    except OSError as error:
        message = say("{path} cannot be written: {reason}.", path=path, reason=error.strerror or error)
        raise Failure(DAMAGED, message) from error
    with os.fdopen(handle, "wb") as file:
        file.write(seed)
        file.flush()
        os.fsync(file.fileno())


def _new(options: argparse.Namespace) -> int:
    path = _chosen_key(options)
    _, held = read_key(path)
    if held:
        message = say("Key {number} is in use by a race2048 that runs now. Leave the table first.", number=options.key)
        raise Failure(NO, message)
    old = renew_key(path)
    seed, _ = read_key(path)
    assert seed is not None, "it has just been made"
    print(_fingerprint(seed))
    told = say(
        "Lobbies will take you for somebody else from now on: a seat that is kept for you is not found again. "
        "The old key is {old}; put it back as {path} if you want it.",
        old=old,
        path=path,
    )
    _remark(options, told)
    return DONE


def _remark(options: argparse.Namespace, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)
