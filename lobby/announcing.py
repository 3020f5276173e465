"""Tells the local network which tables a lobby has, by multicast DNS, for as long as it has them (ux.md §1).

The lobby does this and not the host's screen: the lobby knows every change first, lives exactly as long as its tables,
and goes on when the screen is closed, stopped with Ctrl-Z or killed, so that a guest finds the way back by the code.
Only one address is told, on the network that it belongs to: virtual networks beside it learn nothing. What is said
stands in protocol/announcement.py. Nothing is read from the network here but the questions, by zeroconf.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING

from protocol.announcement import SERVICE, announcement_of, written
from protocol.messages import TableView

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

log = logging.getLogger(__name__)

INTERVAL_S = 0.5  # how soon a change is told, and how often at most
TABLES_MAX = 16  # what a list can show and a network should carry; further ones are joined by their links
HOST_TTL_S, OTHER_TTL_S = 120, 120  # a lobby that was killed is forgotten after that


class Announcer:
    """Announces the tables of a lobby that is reached at `address` and `port`, until it is stopped."""

    def __init__(
        self,
        tables: Callable[[], Iterable[TableView]],
        *,
        fingerprint: str,
        address: str,
        port: int,
        service: str = SERVICE,
    ) -> None:
        self._tables = tables
        self._fingerprint = fingerprint
        self._family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._address = address
        self._port = port
        self._service = service
        self._stopped = asyncio.Event()
        self._zeroconf: AsyncZeroconf | None = None
        self._announced: dict[str, AsyncServiceInfo] = {}  # by table code
        self._repeated: dict[str, asyncio.Future[None]] = {}  # what is still being said, by table code

    @property
    def announced(self) -> tuple[str, ...]:
        """The codes of the tables that are announced now."""
        return tuple(self._announced)

    @property
    def at_work(self) -> bool:
        """Whether there has been anything to announce, so that the network is listened to."""
        return self._zeroconf is not None

    def stop(self) -> None:
        """Asks `run` to withdraw everything and to end."""
        self._stopped.set()

    async def run(self) -> None:
        """Announces until `stop`. A network that takes no multicast is logged, and left alone."""
        try:
            while not self._stopped.is_set():
                await self._follow()
                try:
                    async with asyncio.timeout(INTERVAL_S):
                        await self._stopped.wait()
                except TimeoutError:
                    continue
        except OSError as error:
            log.warning("the tables cannot be announced on the network of %s: %s", self._address, error)
        except Exception:  # whatever it is, people race on
            log.exception("the tables are not announced any more")
        finally:
            for saying in self._repeated.values():
                saying.cancel()
            if self._zeroconf is not None:
                await self._zeroconf.async_close()  # says goodbye for whatever is left

    async def _follow(self) -> None:
        """Announces what is new, tells what has changed, withdraws what is gone."""
        wanted = {table.code: table for table in islice(self._tables(), TABLES_MAX)}
        if self._zeroconf is None:
            if not wanted:
                return
            self._zeroconf = await self._opened()
        for code in self._announced.keys() - wanted.keys():
            self._repeat(code, await self._zeroconf.async_unregister_service(self._announced.pop(code)))
        for code, table in wanted.items():
            info, before = self._info(table), self._announced.get(code)
            if before is None:
                # Nobody else has a name with our fingerprint and code in it, so nobody need be asked (RFC 6762 §8.1).
                self._repeat(code, await self._zeroconf.async_register_service(info, cooperating_responders=True))
            elif before.text != info.text:
                self._repeat(code, await self._zeroconf.async_update_service(info))
            self._announced[code] = info

    async def _opened(self) -> AsyncZeroconf:
        """Returns zeroconf at work; it is imported only once there is something to announce."""
        with socket.socket(self._family, socket.SOCK_DGRAM) as probe:
            probe.bind((self._address, 0))  # or it is none of ours
        await asyncio.to_thread(import_module, "zeroconf.asyncio")
        from zeroconf.asyncio import AsyncZeroconf

        logging.getLogger("zeroconf").setLevel(logging.ERROR)  # it warns of whatever strangers send
        return AsyncZeroconf(interfaces=[self._address])

    def _info(self, table: TableView) -> AsyncServiceInfo:
        from zeroconf.asyncio import AsyncServiceInfo

        name = f"{table.code}-{self._fingerprint}"
        return AsyncServiceInfo(
            self._service,
            f"{name}.{self._service}",
            addresses=[socket.inet_pton(self._family, self._address)],
            port=self._port,
            properties=written(announcement_of(table, self._fingerprint)),
            server=f"race2048-{name}.local.",
            host_ttl=HOST_TTL_S,
            other_ttl=OTHER_TTL_S,
        )

    def _repeat(self, code: str, saying: object) -> None:
        """Lets zeroconf repeat what it says of a table, and no longer what it said before."""
        assert isinstance(saying, asyncio.Future), "zeroconf gives a task"
        earlier = self._repeated.pop(code, None)
        if earlier is not None:
            earlier.cancel()
        self._repeated[code] = saying
