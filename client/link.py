"""What a person types or pastes to name a table, and how a table's links are written (ux.md §1).

Owns the text forms: CODE, LINK and HOST[:PORT]. Knows nothing of what is behind them. Pure, but for
`lan_address`, which asks the system under which address others on this network see this computer.
"""

from __future__ import annotations

import socket
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv6Address, ip_address
from urllib.parse import unquote, urlsplit

PORT_DEFAULT = 2048
WEB_PORTS = {"http": 80, "https": 443}
CODE_DIGITS_MIN = 6
CODE_DIGITS_MAX = 18  # a lobby would need 10^13 tables for that; more is a slip of the paste
PIN_CHARACTERS = 16
CROCKFORD = frozenset("0123456789abcdefghjkmnpqrstvwxyz")
_PIN_TYPED = str.maketrans("oil", "011")  # what Crockford's alphabet reads these letters as
_WRAPPING = "<>«»“”\"'`"  # what mail programs and people put around a link
# RFC 5737 and RFC 3849, addresses for documentation: no packet is sent there, only a route looked up.
_ELSEWHERE = ((socket.AF_INET, ("192.0.2.1", 9)), (socket.AF_INET6, ("2001:db8::1", 9)))


class LinkFault(StrEnum):
    """Why a text names no table."""

    SHAPE = "shape"  # neither a code nor a link nor a host
    CODE = "code"  # a code with too few or too many digits
    PORT = "port"  # no port from 1 to 65535
    PIN = "pin"  # the part after # is cut off or mistyped
    TWICE = "twice"  # two codes or two hosts


class LinkError(ValueError):
    """A text that names no table: the fault, and the part that is wrong."""

    def __init__(self, fault: LinkFault, part: str) -> None:
        super().__init__(f"{fault}: {part!r}")
        self.fault = fault
        self.part = part


@dataclass(frozen=True, slots=True)
class LobbyAddress:
    """Where a lobby listens. `host` is a name or an address, an IPv6 one without brackets."""

    host: str
    port: int = PORT_DEFAULT
    secure: bool = False

    @property
    def url(self) -> str:
        """The address as the beginning of every link; the usual port of the web is left out."""
        scheme = "https" if self.secure else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}" + ("" if self.port == WEB_PORTS[scheme] else f":{self.port}")

    @property
    def address(self) -> str:
        """Host and port, in the one form under which a lobby is remembered."""
        host = self.host.lower()
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    @property
    def this_computer(self) -> bool:
        """Whether the address means this computer, wherever it is typed: from a friend it is of no use."""
        if self.host.lower() == "localhost":
            return True
        try:
            address = ip_address(self.host)
        except ValueError:
            return False
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        return (mapped or address).is_loopback or (mapped or address).is_unspecified


@dataclass(frozen=True, slots=True)
class Place:
    """What was typed: a code, a lobby or both. `pin` is a link's fingerprint, `watch` set by a watch link."""

    code: str = ""
    lobby: LobbyAddress | None = None
    pin: str = ""
    watch: bool = False


def parse_place(words: Sequence[str]) -> Place:
    """Returns what these words name: a code (also in several words), a link, a host; raises LinkError."""
    typed = [word.strip().strip(_WRAPPING) for word in words]
    digits = [word for word in typed if _only_code(word)]
    others = [word for word in typed if word and not _only_code(word)]
    if len(others) > 1:
        raise LinkError(LinkFault.TWICE, others[1])
    place = parse_link(others[0]) if others else Place()
    if not digits:
        return place
    if place.code:
        raise LinkError(LinkFault.TWICE, " ".join(digits))
    return Place(parse_code(" ".join(digits)), place.lobby)


def parse_code(text: str) -> str:
    """Returns the digits of a code, typed in any script and with any dashes or spaces; raises LinkError."""
    if not _only_code(text):
        raise LinkError(LinkFault.SHAPE, text)
    code = "".join(str(unicodedata.decimal(character)) for character in text if character.isdecimal())
    if not CODE_DIGITS_MIN <= len(code) <= CODE_DIGITS_MAX:
        raise LinkError(LinkFault.CODE, text)
    return code


def parse_link(text: str) -> Place:
    """Returns what a link or HOST[:PORT] names; raises LinkError."""
    scheme, separator, _ = text.partition("://")
    scheme = scheme.lower() if separator else ""
    if scheme not in ("", "http", "https"):
        raise LinkError(LinkFault.SHAPE, text)
    try:
        parts = urlsplit(text if separator else f"//{text}")
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise LinkError(LinkFault.PORT, text) from None
    if not host or parts.username is not None or parts.query or any(character.isspace() for character in text):
        raise LinkError(LinkFault.SHAPE, text)
    if port == 0:
        raise LinkError(LinkFault.PORT, text)
    lobby = LobbyAddress(host, port or WEB_PORTS.get(scheme, PORT_DEFAULT), scheme == "https")
    path = parts.path.strip("/")
    if not path:
        return Place(lobby=lobby)
    kind, _, code = path.partition("/")
    if kind not in ("t", "w"):
        raise LinkError(LinkFault.SHAPE, text)
    return Place(parse_code(unquote(code)), lobby, _parse_pin(parts.fragment), kind == "w")


def table_link(lobby: LobbyAddress, code: str, pin: str = "") -> str:
    """Returns the link by which friends join."""
    return f"{lobby.url}/t/{code}" + (f"#{pin}" if pin else "")


def watch_link(lobby: LobbyAddress, watch_code: str) -> str:
    """Returns the link by which anyone may watch, and nothing else."""
    return f"{lobby.url}/w/{watch_code}"


def lan_address() -> str:
    """Returns the address under which this computer is seen on its network, or 127.0.0.1 if it is on none.

    Of several networks it is the one that leads on; an IPv6 address only where there is no IPv4.
    """
    for family, elsewhere in _ELSEWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect(elsewhere)
                address = ip_address(probe.getsockname()[0].partition("%")[0])
        except OSError:
            continue
        # A link cannot say through which interface an IPv6 address of this kind is reached.
        if not (address.is_unspecified or (address.version == 6 and address.is_link_local)):
            return str(address)
    return "127.0.0.1"


def _only_code(text: str) -> bool:
    """Returns whether there are digits, and nothing but digits, dashes and spaces."""
    rest = [c for c in text if not c.isdecimal() and not c.isspace() and unicodedata.category(c) != "Pd"]
    return any(c.isdecimal() for c in text) and all(c == "\N{MINUS SIGN}" for c in rest)


def _parse_pin(fragment: str) -> str:
    pin = fragment.lower().translate(_PIN_TYPED)
    if pin and (len(pin) != PIN_CHARACTERS or not CROCKFORD.issuperset(pin)):
        raise LinkError(LinkFault.PIN, fragment)
    return pin
