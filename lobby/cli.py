"""`python -m lobby`: one lobby in one process, for `race2048 host` and for servers.

Owns the arguments, the lobby's key file and how the process begins and ends. Knows no tables and no frames.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from lobby import choices, logs
from lobby.deal_json import deal_options

if TYPE_CHECKING:
    import asyncio

    from lobby.lobby import Lobby
    from lobby.store import Loaded, Store

EVERYWHERE = "0.0.0.0"  # noqa: S104 - friends on the network are to find it; this machine only is --bind 127.0.0.1
PORT = 2048
PORTS_TRIED = 16  # without --port: so many lobbies on one machine find a place by themselves
KEY_BYTES = 32
SWITCH_S = 0.001  # or the thread that writes to the disk would wait five times as long for a busy event loop
DATABASE = "lobby.db"
DATABASES_TRIED = PORTS_TRIED  # without --database: each lobby on one machine has one of its own
EXIT_CONNECT, EXIT_FILE = 3, 6  # ux.md §1


class CannotStart(Exception):  # noqa: N818 - what happened and what to do, for a person
    """Why the lobby does not start, and the exit code that says so."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a lobby until it is told to stop; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in ("records", "export"):
        from lobby import shelf

        return shelf.main(words)
    options = parser().parse_args(words)
    logs.set_up(options.log_format, verbose=options.verbose)
    try:
        data_dir = options.data_dir or default_data_dir()
        seed = lobby_seed(data_dir / "lobby.key")
        store, loaded = database(options.database, data_dir)
        listener = listen(options.bind, options.port, quiet=options.json)
    except CannotStart as reason:
        print(f"race2048 lobby: {reason}", file=sys.stderr)
        return reason.exit_code
    import asyncio

    return asyncio.run(_run(options, store, loaded, seed, listener))


def parser() -> argparse.ArgumentParser:
    """Returns the parser; help and completion are made from it."""
    made = argparse.ArgumentParser(
        prog="race2048 lobby",
        description="Runs a lobby: tables where people race. It stops cleanly on TERM and Ctrl-C.",
        epilog="race2048 lobby records lists the races that have finished here, race2048 lobby export ID writes one to "
        "a file. Exit codes: 0 done, 2 usage, 3 cannot listen there, 6 key or database cannot be used.",
    )
    made.add_argument(
        "--bind",
        default=EVERYWHERE,
        metavar="ADDRESS",
        help="listen on this address only (%(default)s: on all)",
    )
    made.add_argument("--port", type=_port, help=f"the port; 0 takes any that is free ({PORT}, or the next free one)")
    made.add_argument("--public-url", type=_url, default="", metavar="URL", help="how others reach this lobby")
    made.add_argument(
        "--lan",
        type=_address,
        metavar="ADDRESS",
        help="announce the tables on the local network that this address of this computer belongs to (nowhere)",
    )
    made.add_argument("--data-dir", type=Path, metavar="DIR", help="keys and the database (RACE2048_DATA)")
    made.add_argument(
        "--database", type=Path, metavar="PATH", help=f"tables and finished races ({DATABASE} there, or the next one)"
    )
    made.add_argument(
        "--linger", type=_seconds, metavar="SECONDS", help="end after so long without a race or anybody here"
    )
    made.add_argument(
        "--deal",
        type=deal_options,
        metavar="JSON",
        help='deal every race like this, for demos and tests: {"seed": 64 hex digits, "chain_length": links, '
        '"windows": {name: milliseconds}}, each where it differs from the usual',
    )
    choices.add_arguments(made)
    made.add_argument("--json", action="store_true", help="say where it listens as one line of JSON")
    return made


def default_data_dir() -> Path:
    """Returns where saves, keys and records are kept on this system."""
    if chosen := os.environ.get("RACE2048_DATA"):
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_data_dir("race2048"))


def lobby_seed(path: Path) -> bytes:
    """Returns the seed of the lobby's Ed25519 key, made at the first start and never written again."""
    from lobby import files

    try:
        if not path.exists():
            files.keep(path, os.urandom(KEY_BYTES))  # or another lobby was faster: then its key is ours too
        seed = path.read_bytes()
    except OSError as error:
        raise CannotStart(f"the lobby's key cannot be read or made: {error}", EXIT_FILE) from error
    if len(seed) != KEY_BYTES:
        raise CannotStart(
            f"the lobby's key {path} is damaged: {len(seed)} bytes where {KEY_BYTES} belong. Put a copy back, or "
            "move it away and start again; links that were given out before will then be refused.",
            EXIT_FILE,
        )
    return seed


def database(path: Path | None, data_dir: Path) -> tuple[Store, Loaded]:
    """Returns the database at `path`, or else the first in `data_dir` that no other lobby holds, and its content.

    So the lobby of the next `race2048 host` finds the tables again that one left behind when it was killed.
    """
    from lobby.store import Store, StoreError, TakenError

    stem, suffix = DATABASE.split(".")
    names = [DATABASE, *(f"{stem}-{number}.{suffix}" for number in range(2, DATABASES_TRIED + 1))]
    tried = [data_dir / name for name in names] if path is None else [path]
    reason: StoreError | None = None
    for candidate in tried:
        try:
            store = Store(candidate)
        except TakenError as error:
            reason = error
            continue
        except StoreError as error:
            raise CannotStart(str(error), EXIT_FILE) from error
        try:
            return store, store.load()
        except StoreError as error:
            store.close()
            raise CannotStart(str(error), EXIT_FILE) from error
    raise CannotStart(str(reason), EXIT_FILE)


def listen(bind: str, port: int | None, *, quiet: bool = False) -> socket.socket:
    """Returns a socket bound to `port`, or without one to the first of the usual ports that is free.

    With `quiet` it is not said that this is another port: the line of JSON tells it, and `host` its person.
    """
    tried = [port] if port is not None else range(PORT, PORT + PORTS_TRIED)
    for candidate in tried:
        try:
            listener = _bound(bind, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CannotStart(
                    f"cannot listen on {bind} port {candidate}: {error.strerror}", EXIT_CONNECT
                ) from error
            continue
        if port is None and candidate != PORT and not quiet:
            print(f"Port {PORT} is taken; this lobby takes {candidate}.", file=sys.stderr)
        return listener
    if port is not None:
        raise CannotStart(
            f"port {port} on {bind} is taken. Give another --port, or none to take the next free one.",
            EXIT_CONNECT,
        )
    raise CannotStart(f"ports {PORT} to {tried[-1]} are taken. Give a --port, or 0 for any.", EXIT_CONNECT)


def _bound(bind: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would let two lobbies share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()  # on some systems only this finds the port taken
    except OSError:
        listener.close()
        raise
    return listener


async def _run(options: argparse.Namespace, store: Store, loaded: Loaded, seed: bytes, listener: socket.socket) -> int:
    import time
    from importlib import metadata

    from lobby.events import Restored
    from lobby.garbage import collected
    from lobby.lobby import Lobby
    from lobby.server import Server
    from lobby.stock import Stock
    from lobby.times import LobbyTime
    from protocol import signing

    version = metadata.version("race2048")
    signer, alive = signing.Signer(seed), loaded.alive
    epoch = int(time.time()) if alive is None else max(int(time.time()), alive.epoch + 1)
    stock = Stock(os.urandom)
    core = Lobby(signer=signer, entropy=stock, epoch=epoch, program=f"race2048 {version}", options=options.deal)
    core.room.most = (admission := choices.admission_of(options)).most
    clock = LobbyTime(None if alive is None else alive.moment)
    server = Server(
        core, store, epoch=epoch, time=clock, public_url=options.public_url, linger_s=options.linger,
        admission=admission,
    )  # fmt: skip
    restored = None if alive is None else Restored(loaded.tables, alive.moment.lobby_ms, loaded.last_number)
    sys.setswitchinterval(SWITCH_S)
    _end_on_signals(server.over)
    fingerprint = signing.fingerprint(signer.key)
    announced = _announced(core, options.lan, listener, fingerprint)
    async with collected(lambda: server.ended):  # before the tables are back: they may end, and are garbage then
        await server.start(listener, restored)
        _greet(options, listener, fingerprint, version)
        async with stock.kept_full(), announced as withdraw:
            await server.over.wait()
            withdraw()
            await server.stop()
    return 0 if server.disk_error is None else _disk_failed(store, server.disk_error)


def _end_on_signals(over: asyncio.Event) -> None:
    import asyncio
    import signal

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, over.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(over.set))


def _disk_failed(store: Store, error: Exception) -> int:
    print(
        f"race2048 lobby: the database {store.path} could not be written any more: {error}. All that was acknowledged "
        "is in it. Make room or mend the disk, and start again: all races go on.",
        file=sys.stderr,
    )
    return EXIT_FILE


@asynccontextmanager
async def _announced(
    core: Lobby, lan: str | None, listener: socket.socket, fingerprint: str
) -> AsyncIterator[Callable[[], None]]:
    """Announces the tables meanwhile, if that was asked for; yields what ends it."""
    import asyncio

    from lobby.announcing import Announcer

    if lan is None:
        yield lambda: None
        return
    host, port = listener.getsockname()[:2]
    address = lan if ip_address(host).is_unspecified else host  # one who listens on one address is on no other
    announcer = Announcer(core.views, fingerprint=fingerprint, address=address, port=port)
    announcing = asyncio.create_task(announcer.run())
    try:
        yield announcer.stop
    finally:
        announcer.stop()
        await announcing


def _greet(options: argparse.Namespace, listener: socket.socket, fingerprint: str, version: str) -> None:
    host, port = listener.getsockname()[:2]
    here = {EVERYWHERE: "127.0.0.1", "::": "::1"}.get(host, host)
    url = f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"
    line = f"Lobby open on {host} port {port}; on this computer: {url}   Ctrl-C closes it."
    if options.json:
        line = json.dumps(
            {
                "url": url,
                "pid": os.getpid(),
                "bind": host,
                "port": port,
                "public_url": options.public_url,
                "fingerprint": fingerprint,
                "version": version,
            }
        )
    try:
        print(line, flush=True)
    except OSError:  # nobody listens, which must not stop the lobby now, nor spoil its exit code at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= port < 1 << 16:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("seconds are a number above 0")
    return seconds


def _address(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        address = None
    if address is None or address.is_unspecified or address.is_multicast:
        raise argparse.ArgumentTypeError("an address of this computer on the network, such as 192.168.1.23")
    return str(address)


def _url(text: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(text)
    wrong = parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment
    if text and wrong:
        raise argparse.ArgumentTypeError("a URL begins with http:// or https:// and a host")
    return text.rstrip("/")
