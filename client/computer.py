"""The checks of `doctor` that look at this computer: program, directories, keys, settings, clock and network.

Each returns a `Finding` or several. They read, try and ask; nothing that they make outlives them.
"""

from __future__ import annotations

import errno
import locale
import os
import platform
import re
import shutil
import socket
import stat
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib import metadata
from pathlib import Path

from client.checkup import Finding, Status
from client.config import Settings
from client.language import say, say_n
from client.link import PORT_DEFAULT, LobbyAddress, lan_address
from client.store import StoreError, key_paths, read_key
from protocol.limits import PROTOCOL_VERSION

PROGRAM_NAME = "race2048"
FREE_BYTES_MIN = 50_000_000  # some thousand records
PORTS_TRIED = 16  # as many as a lobby tries
LOBBY_S = 3.0
RESOLUTION_S_MAX = 0.001
DAY_S = 86_400
_MULTICAST_DNS = "224.0.0.251"  # RFC 6762
_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


# ── the program ──────────────────────────────────────────────────────────────────────────────────────────────────


def program_finding(program: str) -> Finding:
    """Returns the versions."""
    found = say(
        "{program}, protocol {protocol}, Python {python}, {system}",
        program=program,
        protocol=PROTOCOL_VERSION,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
    )
    return Finding("program", Status.OK, found)


def libraries_finding() -> Finding:
    """Returns which versions of what we stand on are installed."""
    try:
        wanted = [each for each in metadata.requires(PROGRAM_NAME) or [] if "extra ==" not in each]
    except metadata.PackageNotFoundError:
        found = say("race2048 is not installed as a package")
        return Finding("libraries", Status.WARN, found, say("Install it: pipx install race2048"))
    versions, missing = [], []
    for requirement in wanted:
        name = _REQUIREMENT.match(requirement)
        assert name is not None, "every requirement begins with a name"
        try:
            versions.append(f"{name[0]} {metadata.version(name[0])}")
        except metadata.PackageNotFoundError:
            missing.append(name[0])
    if missing:
        found = say("missing: {names}", names=say(", ").join(missing))
        return Finding("libraries", Status.FAIL, found, say("Install race2048 anew: pipx reinstall race2048"))
    return Finding("libraries", Status.OK, say(", ").join(versions))


def locale_finding() -> Finding:
    """Returns whether the locale that the environment names is there."""
    named = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    try:
        locale.setlocale(locale.LC_CTYPE, "")
    except locale.Error:
        found = say("{name} is not installed", name=named)
        return Finding("locale", Status.WARN, found, say("Install it, or choose another: export LANG=C.UTF-8"))
    return Finding("locale", Status.OK, named or say("not set"))


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────


def directory_finding(name: str, directory: Path) -> Finding:
    """Returns whether files can be made in a directory, or where it will be made, and whether there is room."""
    there = next((each for each in (directory, *directory.parents) if each.exists()), directory)
    found = str(directory) if there == directory else say("{path} (made when needed)", path=directory)
    remedy = say("Make it writable, or choose another place with RACE2048_DATA or RACE2048_CONFIG.")
    try:
        _try_to_write(there)
        free = shutil.disk_usage(there).free
    except OSError as error:
        reason = say("{path}: {reason}", path=found, reason=error.strerror or error)
        return Finding(name, Status.FAIL, reason, remedy)
    room = say("{path}, {megabytes} MB free", path=found, megabytes=free // 1_000_000)
    if free < FREE_BYTES_MIN:
        return Finding(name, Status.WARN, room, say("Make room: records of races could not be saved."))
    return Finding(name, Status.OK, room)


def _try_to_write(directory: Path) -> None:
    """Makes a file and takes it away again; raises OSError."""
    if not directory.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    trial = directory / f".race2048-{os.urandom(8).hex()}"
    try:
        trial.write_bytes(b"race2048 doctor")
    finally:
        trial.unlink(missing_ok=True)


def keys_finding(data: Path) -> Finding:
    """Returns whether the keys are whole, and whether others can read them."""
    try:
        paths = key_paths(data)
        damaged = [str(path) for path in paths.values() if read_key(path)[0] is None]
        open_to_others = [str(path) for path in paths.values() if os.name == "posix" and _is_open(path)]
    except StoreError as error:
        return Finding("keys", Status.FAIL, str(error), say("Make it usable, or choose another RACE2048_DATA."))
    if damaged:
        found = say("damaged: {paths}", paths=say(", ").join(damaged))
        return Finding(
            "keys", Status.WARN, found, say("Another key is used instead. Move it away, or put a copy back.")
        )
    if open_to_others:
        found = say("others can read {paths}", paths=say(", ").join(open_to_others))
        return Finding(
            "keys", Status.WARN, found, say("Whoever has it can take your seat: chmod 600, or race2048 id new.")
        )
    return Finding("keys", Status.OK, say_n("{count} key", "{count} keys", len(paths)))


def _is_open(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def settings_finding(path: Path, settings: Settings) -> Finding:
    """Returns what is wrong with the settings."""
    if settings.problems:
        remedy = say("Mend it: race2048 config edit, or race2048 config unset NAME")
        return Finding("settings", Status.WARN, " ".join(settings.problems), remedy)
    found = str(path) if path.exists() else say("{path} (none yet)", path=path)
    return Finding("settings", Status.OK, found)


# ── clock and network ────────────────────────────────────────────────────────────────────────────────────────────


def clock_finding() -> Finding:
    """Returns whether the clock can be right, and whether it is fine enough. Races go by the lobby's."""
    now = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(now))
    if now < Path(__file__).stat().st_mtime - DAY_S:
        remedy = say("Set the clock: records are named by the day, and https needs it.")
        return Finding("clock", Status.WARN, say("{time}: before this program was installed", time=shown), remedy)
    if time.get_clock_info("monotonic").resolution > RESOLUTION_S_MAX:
        found = say("{time}; it counts no milliseconds", time=shown)
        return Finding("clock", Status.WARN, found, say("Your moves may be told a little late."))
    return Finding("clock", Status.OK, shown)


def network_finding() -> Finding:
    """Returns whether tables on this network can be found: zeroconf is there, and multicast is let through."""
    address = lan_address()
    if LobbyAddress(address).this_computer:
        remedy = say("Connect to one; on this computer alone, tables work without.")
        return Finding("network", Status.WARN, say("this computer is on no network"), remedy)
    try:
        metadata.version("zeroconf")
        _join_multicast(address)
    except (metadata.PackageNotFoundError, OSError) as error:
        found = say("{address}; tables cannot be found by themselves: {reason}", address=address,
                    reason=getattr(error, "strerror", None) or error)  # fmt: skip
        return Finding("network", Status.WARN, found, say("Give friends the link instead of the code."))
    return Finding("network", Status.OK, say("{address}, multicast is possible", address=address))


def _join_multicast(address: str) -> None:
    """Takes part in the group of multicast DNS for a moment; raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        member = socket.inet_aton(_MULTICAST_DNS) + socket.inet_aton(address)
        probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)


def port_finding(settings: Settings, bind: str = "") -> Finding:
    """Returns whether a lobby of your own can listen."""
    chosen = settings.own("host.port")
    ports = [chosen] if isinstance(chosen, int) else list(range(PORT_DEFAULT, PORT_DEFAULT + PORTS_TRIED))
    for port in ports:
        try:
            _listen(bind, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = say("port {port}: {reason}", port=port, reason=error.strerror or error)
                return Finding(
                    "port", Status.FAIL, reason, say("You can join tables, not host them, until it is allowed.")
                )
            continue
        if port == ports[0]:
            return Finding("port", Status.OK, say("port {port} is free", port=port))
        return Finding("port", Status.OK, say("port {taken} is taken, {port} is free", taken=ports[0], port=port))
    if len(ports) == 1:
        return Finding(
            "port", Status.WARN, say("port {port} is taken", port=ports[0]), say("Choose another host.port.")
        )
    found = say("ports {first} to {last} are taken", first=ports[0], last=ports[-1])
    return Finding("port", Status.WARN, found, say("Give host a --port of its own, or 0 for any."))


def _listen(bind: str, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((bind, port))
        listener.listen()


def lobby_finding(lobby: LobbyAddress | None) -> Finding:
    """Returns whether the lobby of one's settings answers."""
    if lobby is None:
        return Finding("lobby", Status.OK, say("one of your own"))
    connection = (HTTPSConnection if lobby.secure else HTTPConnection)(lobby.host, lobby.port, timeout=LOBBY_S)
    remedy = say("Check your network, and the address: race2048 config get lobby")
    began_s = time.monotonic()
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read(1_024)
    except (OSError, HTTPException) as error:
        reason = say(
            "{url} cannot be reached: {reason}", url=lobby.url, reason=getattr(error, "strerror", None) or error
        )
        return Finding("lobby", Status.FAIL, reason, remedy)
    finally:
        connection.close()
    if (answer.headers["Server"] or "").partition("/")[0] != PROGRAM_NAME:
        return Finding("lobby", Status.FAIL, say("{url} is something else, not a lobby", url=lobby.url), remedy)
    took_ms = round(1_000 * (time.monotonic() - began_s))
    return Finding("lobby", Status.OK, say("{url} answers in {ms} ms", url=lobby.url, ms=took_ms))
