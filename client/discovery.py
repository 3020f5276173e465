"""Finds the tables that lobbies announce on the local network: an adapter on zeroconf (ux.md §1).

Owns the sockets and the patience of a search. What an announcement says is read by protocol/announcement.py; who
announces is the lobby's business (lobby/announcing.py). Anybody on the network can answer: no more is kept than
TABLES_MAX, only addresses that can be another computer's, and nothing is believed of what it says before the lobby
there has proved its key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

from client.link import LobbyAddress, Place
from protocol.announcement import SERVICE, Announcement, read

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncZeroconf

LOOPBACK = "127.0.0.1"
LIMIT_S = 3.0  # ux.md §1
QUIET_S = 1.2  # nobody new for so long: asked again after one second, everybody has answered by then
AMBIGUOUS_S = 0.25  # once the table is there: another one may say the same of itself
TABLES_MAX = 64


class NoNetwork(Exception):  # noqa: N818 - it is the computer's state, not this program's error
    """This computer cannot ask its network; the message is the system's."""


@dataclass(frozen=True, slots=True)
class LanTable:
    """A table on this network: where its lobby is, and what was announced of it."""

    lobby: LobbyAddress
    told: Announcement

    def place(self, *, watch: bool = False) -> Place:
        """Returns the table as its link would name it; for one who may only watch with the watch code."""
        code = self.told.watch_code if watch else self.told.code
        return Place(code, self.lobby, self.told.fingerprint, watch)


def has_code(code: str) -> Callable[[LanTable], bool]:
    """Returns the test for a table with this code, or with this watch code."""
    return lambda table: code in (table.told.code, table.told.watch_code)


async def look_around(
    wanted: Callable[[LanTable], bool] | None = None,
    *,
    loopback: bool = False,
    limit_s: float = LIMIT_S,
    quiet_s: float = QUIET_S,
    service: str = SERVICE,
) -> tuple[LanTable, ...]:
    """Returns the tables that are announced on this network, in the order of their codes; raises NoNetwork.

    With `wanted` it returns soon after such a table was found; without, when nobody new answers. Then, or at last
    after `limit_s`, it has all that answered.
    """
    await asyncio.to_thread(import_module, "zeroconf.asyncio")
    from zeroconf import DNSQuestionType
    from zeroconf.asyncio import AsyncServiceBrowser

    zeroconf = _opened(loopback=loopback)
    search = _Search(service, loopback=loopback)
    # An answer to us alone would reach whichever program on this computer has port 5353 too, often Avahi.
    question = DNSQuestionType.QM
    browser = AsyncServiceBrowser(zeroconf.zeroconf, service, handlers=[search.changed], question_type=question)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await search.settled(wanted, quiet_s)
    finally:
        await browser.async_cancel()
        search.cancel()
        await zeroconf.async_close()
    return search.tables()


def _opened(*, loopback: bool) -> AsyncZeroconf:
    """Returns zeroconf on every network of this computer, or on none but loopback."""
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncZeroconf

    try:
        if loopback:
            return AsyncZeroconf(interfaces=[LOOPBACK])
        with suppress(OSError, RuntimeError):  # a system without IPv6
            return AsyncZeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.All)
        return AsyncZeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.V4Only)
    except (OSError, RuntimeError) as error:
        raise NoNetwork(getattr(error, "strerror", None) or str(error)) from error


class _Search:
    """What has answered so far, by the names of the services."""

    def __init__(self, service: str, *, loopback: bool) -> None:
        self._service = service
        self._loopback = loopback
        self._found: dict[str, LanTable | None] = {}  # None: asked, and not known yet or no table
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._news = asyncio.Event()

    def tables(self) -> tuple[LanTable, ...]:
        """Returns the tables, each once."""
        tables = {table for table in self._found.values() if table is not None}
        return tuple(sorted(tables, key=lambda table: (table.told.code, table.lobby.url, table.told.fingerprint)))

    async def settled(self, wanted: Callable[[LanTable], bool] | None, quiet_s: float) -> None:
        """Waits until what is wanted has been found, or until nothing new has come for a while."""
        while True:
            self._news.clear()
            tables = self.tables()
            enough = tables if wanted is None else [table for table in tables if wanted(table)]
            wait_s = (quiet_s if wanted is None else AMBIGUOUS_S) if enough else None
            try:
                async with asyncio.timeout(wait_s):
                    await self._news.wait()
            except TimeoutError:
                return

    def cancel(self) -> None:
        """Asks nobody any more."""
        for task in self._asking.values():
            task.cancel()

    def changed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        """Takes in that a service has come, changed or gone: zeroconf's handler, called by these names."""
        from zeroconf import ServiceStateChange

        if state_change is ServiceStateChange.Removed:
            if self._found.pop(name, None) is not None:
                self._news.set()
        elif service_type == self._service and (name in self._found or len(self._found) < TABLES_MAX):
            self._found.setdefault(name, None)
            if name not in self._asking:
                self._asking[name] = asyncio.get_running_loop().create_task(self._ask(zeroconf, name))

    async def _ask(self, zeroconf: Zeroconf, name: str) -> None:
        """Asks for what belongs to a service, if it has not come along with its name."""
        from zeroconf import Error
        from zeroconf.asyncio import AsyncServiceInfo

        try:
            with suppress(Error):  # a name that is none
                info = AsyncServiceInfo(self._service, name)
                if await info.async_request(zeroconf, LIMIT_S * 1_000):
                    table = table_of(info.properties, info.parsed_addresses(), info.port, loopback=self._loopback)
                    if name in self._found and table != self._found[name]:
                        self._found[name] = table
                        self._news.set()
        finally:
            del self._asking[name]


def table_of(
    strings: dict[bytes, bytes | None], addresses: Sequence[str], port: int | None, *, loopback: bool = False
) -> LanTable | None:
    """Returns the table that a service announces, or None if it announces none that can be joined."""
    told = read(strings)
    usable = [address for address in map(ip_address, addresses) if _is_usable(address, loopback=loopback)]
    if told is None or not usable or port is None or not 0 < port < 1 << 16:
        return None
    address = min(usable, key=lambda address: address.version)
    return LanTable(LobbyAddress(str(address), port), told)


def _is_usable(address: IPv4Address | IPv6Address, *, loopback: bool) -> bool:
    """Tells whether a lobby can be reached at this address: nobody on the network is to send us to ourselves."""
    if isinstance(address, IPv6Address) and (address.is_link_local or address.ipv4_mapped is not None):
        return False  # the first is of no use without an interface, which no link can name
    if address.is_unspecified or address.is_multicast or address == IPv4Address("255.255.255.255"):
        return False
    return address.is_loopback == loopback
