"""Why a lobby of this person's own did not start, in their language: the lobby itself speaks English to its log.

It tells by its exit code what went wrong; why it cannot listen is found out here, by trying the same.
"""

from __future__ import annotations

import errno
import socket

from client.child import ChildError
from client.data_home import data_path
from client.language import printable, say

from .exits import DAMAGED, UNREACHED

_ANYWHERE = "0.0.0.0"  # noqa: S104 - what the lobby listens on without --bind


def start_words(error: ChildError, bind: str | None, port: int | None) -> str:
    """Returns why the lobby did not start with these options, and what to do."""
    told = printable(str(error).removeprefix("race2048 lobby: "))
    if error.exit_code == UNREACHED:
        return _listen_words(bind or _ANYWHERE, port) or told
    if error.exit_code == DAMAGED:
        return say(
            "The files of your own lobby cannot be used ({reason}). Make them usable, put a copy back, or choose "
            "another place with RACE2048_DATA: {path}",
            reason=told,
            path=data_path(),
        )
    return say("Your own lobby does not start: {reason}. More is in {path}", reason=told, path=data_path())


def _listen_words(bind: str, port: int | None) -> str:
    """Returns why one cannot listen there; nothing if one can by now, or only at another port of those tried."""
    if port is None and _failure(bind, 0) is None:
        return say("All ports from 2048 on are taken. Give one with --port, or 0 for any.")
    failure = _failure(bind, port or 0)
    if failure is None:
        return ""
    if isinstance(failure, socket.gaierror) or failure.errno == errno.EADDRNOTAVAIL:
        return say("{bind} is no address of this computer. Give another --bind, or none for all.", bind=printable(bind))
    if failure.errno == errno.EADDRINUSE:
        return say(
            "Port {port} on {bind} is taken. Give another --port, or none to take the next free one.",
            port=port,
            bind=bind,
        )
    if failure.errno == errno.EACCES:
        return say("Port {port} is not for everybody to listen on. Give one from 1024 on with --port.", port=port)
    reason = failure.strerror or str(failure)
    return say("{bind} cannot be listened on: {reason}. Give another --bind or --port.", bind=bind, reason=reason)


def _failure(bind: str, port: int) -> OSError | None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()
    except OSError as error:
        return error
    return None
