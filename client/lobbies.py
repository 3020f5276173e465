"""The lobbies that this person has met: their keys, and when and where each was seen (issue 4; deal.md 5.5, ux.md §1).

Owns lobbies.json in the data directory, and the ruling of when a key is a surprise. It appears whole or not at all, two
processes never lose each other's news, and a file that is damaged or of a newer program is left as it is: then nothing
is known and nothing remembered, and that is said. Pins, proofs and words are not known here.

A key is trusted on first use: the first one met at an address is the one expected there. The ruling:

- Another key at that address is a surprise, once: after the person was told, it is known there like the first.
- A key that the link vouches for (`#…`) is never one, and is known there from then on.
- An address that means this computer (127.0.0.1, ::1, localhost) expects nothing: every `host`, `demo` and tunnel
  takes a port there and leaves it again, and whoever could take one to deceive has the computer already.
- Neither are lobbies of this person's own a surprise anywhere, nor what an address is held to: the own lobby keeps one
  key (`lobby.key`), and when its address on this network goes to a friend's computer that is no change of a key.
- Another port is another lobby: a friend's second table may be served by a second one.

Computer players and demos have throw-away keys, and remember nobody.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from client.data_home import read_file
from client.language import say

if TYPE_CHECKING:
    from pathlib import Path

    from client.link import LobbyAddress

FILE_NAME = "lobbies.json"
FORMAT = 1
FILE_BYTES_MAX = 4_000_000
ADDRESSES_MAX = 32  # of one lobby, the newest: a laptop gets a new one at every place
KEY_BYTES = 32


class LobbiesError(Exception):
    """What was remembered of lobbies cannot be read or written; the message says why and what to do."""


class Acquaintance(NamedTuple):
    """A lobby as it is remembered: its key, when it was first and last seen, and under which addresses, newest last."""

    key: bytes
    first_s: int
    last_s: int
    addresses: tuple[str, ...]
    own: bool = False

    def seen(self, address: str, now_s: int, *, own: bool) -> Acquaintance:
        """Returns the same lobby after one more meeting."""
        addresses = (*(each for each in self.addresses if each != address), address)[-ADDRESSES_MAX:]
        return Acquaintance(self.key, min(self.first_s, now_s), now_s, addresses, self.own or own)


Lobbies = dict[bytes, Acquaintance]  # by key, in the order in which they were met first


def expected_at(lobbies: Lobbies, lobby: LobbyAddress) -> frozenset[bytes]:
    """Returns the keys of which one is expected at an address; none: any may be there."""
    if lobby.this_computer:
        return frozenset()
    there = {known.key for known in lobbies.values() if lobby.address in known.addresses and not known.own}
    return frozenset(there | {known.key for known in lobbies.values() if known.own}) if there else frozenset()


def read_lobbies(data: Path | str) -> Lobbies:
    """Returns what is remembered in this data directory; raises LobbiesError."""
    path = f"{data}/{FILE_NAME}"
    try:
        content = read_file(path, FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise LobbiesError(_unusable(path, error.strerror or str(error))) from error
    if len(content) > FILE_BYTES_MAX:
        raise LobbiesError(_unusable(path, say("it is too long")))
    import json  # only here: most people have no such file yet, and `verify` is to start in no time

    try:
        found = json.loads(content)
        if isinstance(found, dict) and isinstance(found.get("format"), int) and found["format"] > FORMAT:
            raise LobbiesError(_unusable(path, say("a newer race2048 has written it")))
        return _lobbies_of(found)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise LobbiesError(_unusable(path, say("it is damaged"))) from error


def note_lobby(data: Path, key: bytes, address: str, *, own: bool = False) -> None:
    """Remembers that a lobby with this key was met now at this address; raises LobbiesError."""
    from client.locking import locked  # only here: `verify` is to start in no time

    path = data / FILE_NAME
    now_s = int(time.time())
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(path.with_suffix(".lock")):
            lobbies = read_lobbies(data)
            known = lobbies.get(key, Acquaintance(key, now_s, now_s, ()))
            lobbies[key] = known.seen(address, now_s, own=own)
            _write(path, lobbies)
    except OSError as error:
        raise LobbiesError(_unusable(path, error.strerror or str(error))) from error


def day(time_s: int) -> str:
    """Returns the date of a moment here, as 2026-11-30."""
    try:
        return time.strftime("%Y-%m-%d", time.localtime(time_s))
    except (OverflowError, ValueError, OSError):  # a file can hold any number
        return str(time_s)


def _lobbies_of(found: object) -> Lobbies:
    """Returns the lobbies of a file's content; raises ValueError, TypeError or KeyError if it is not what we write."""
    if not isinstance(found, dict) or found["format"] != FORMAT or not isinstance(found["lobbies"], list):
        raise TypeError("not a list of lobbies")
    lobbies: Lobbies = {}
    for entry in found["lobbies"]:
        key, addresses = bytes.fromhex(entry["key"]), entry["addresses"]
        first_s, last_s, own = entry["first_s"], entry["last_s"], entry["own"]
        times = type(first_s) is int and type(last_s) is int and isinstance(own, bool)
        texts = isinstance(addresses, list) and all(isinstance(each, str) for each in addresses)
        if len(key) != KEY_BYTES or key in lobbies or not (times and texts):
            raise TypeError("not a lobby")
        lobbies[key] = Acquaintance(key, first_s, last_s, tuple(addresses), own)
    return lobbies


def _write(path: Path, lobbies: Lobbies) -> None:
    """Puts the file in the place of the one before, whole or not at all."""
    import json

    from client.store import sync_directory

    entries = [{**known._asdict(), "key": known.key.hex()} for known in lobbies.values()]
    content = json.dumps({"format": FORMAT, "lobbies": entries}, indent=1, ensure_ascii=False)
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}.new")
    try:
        temporary.touch(mode=0o600, exist_ok=False)
        with temporary.open("r+", encoding="utf-8") as file:
            file.write(content + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def _unusable(path: Path | str, reason: str) -> str:
    return say(
        "What is known of lobbies cannot be used: {path}: {reason}. It is left as it is; mend it or move it away.",
        path=path,
        reason=reason,
    )
