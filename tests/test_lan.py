"""A lobby that announces and a client that looks around, back to back: real multicast, on the loopback alone.

Each test has a service type of its own, so that it meets nothing but itself. Nothing here leaves this computer.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from client.discovery import LanTable, has_code, look_around
from client.link import LobbyAddress
from lobby import announcing
from lobby.announcing import Announcer
from protocol.announcement import announcement_of, written
from protocol.messages import Phase, SeatView, TableSettings, TableView
from protocol.text import SafeText

PIN = "7q4k2m9xb3hd5s8t"
FOX = b"f" * 32
PATIENCE_S = 20
LONG_S = 10.0  # nothing here takes so long; only what is broken ends by it


def table(code: str = "482913", watch_code: str = "550174") -> TableView:
    seats = (SeatView(key=FOX, name=SafeText("fox"), computer=False, connected=True, ready=True), None, None, None)
    return TableView(
        code=code, watch_code=watch_code, phase=Phase.SEATING, settings=TableSettings(), seats=seats, host=FOX,
        locked=False, watchers=0,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcing, "INTERVAL_S", 0.02)


@pytest.fixture
def service() -> str:
    return f"_r{secrets.token_hex(5)}._tcp.local."


class House:
    """A lobby as the announcer sees it: a list of tables."""

    def __init__(self, service: str, *tables: TableView) -> None:
        self.tables = list(tables)
        self.announcer = Announcer(self._look, fingerprint=PIN, address="127.0.0.1", port=2_048, service=service)
        self._looked = asyncio.Event()

    def _look(self) -> list[TableView]:
        self._looked.set()
        return self.tables

    async def followed(self) -> None:
        """Waits until whatever the tables are now has been announced."""
        async with asyncio.timeout(PATIENCE_S):
            for _ in range(2):  # the first look may have begun before
                self._looked.clear()
                await self._looked.wait()


@asynccontextmanager
async def open_house(service: str, *tables: TableView) -> AsyncIterator[House]:
    house = House(service, *tables)
    running = asyncio.create_task(house.announcer.run())
    try:
        yield house
    finally:
        house.announcer.stop()
        async with asyncio.timeout(PATIENCE_S):
            await running


async def seen(service: str, wanted: Callable[[LanTable], bool]) -> LanTable:
    """The first table on this network that is wanted."""
    found = await look_around(wanted, loopback=True, limit_s=LONG_S, service=service)
    return next(filter(wanted, found))


async def test_a_table_that_is_announced_is_found_with_everything_on_its_card(service: str) -> None:
    async with open_house(service, table()):
        found = await seen(service, has_code("482913"))
    assert found.lobby == LobbyAddress("127.0.0.1", 2_048)
    assert (found.told.code, found.told.host, found.told.fingerprint) == ("482913", "fox", PIN)
    assert (found.told.settings, found.told.phase, found.told.free) == (TableSettings(), Phase.SEATING, 3)


async def test_a_table_is_found_by_its_watch_code_too(service: str) -> None:
    async with open_house(service, table()):
        assert (await seen(service, has_code("550174"))).told.code == "482913"


async def test_when_somebody_sits_or_a_race_begins_who_looks_is_told(service: str) -> None:
    async with open_house(service, table()) as house:

        def two_sit(found: LanTable) -> bool:
            view = house.tables[0]
            house.tables[0] = msgspec.structs.replace(
                view, phase=Phase.RACING, seats=(view.seats[0], view.seats[0], None, None)
            )
            return found.told.taken == 2

        assert (await seen(service, two_sit)).told.phase is Phase.RACING


async def test_a_table_that_closes_is_withdrawn_and_another_one_stays(service: str) -> None:
    async with open_house(service, table(), table("771204", "112233")) as house:
        await seen(service, has_code("482913"))
        del house.tables[0]
        found: tuple[LanTable, ...] = ()
        async with asyncio.timeout(PATIENCE_S):
            while [each.told.code for each in found] != ["771204"]:  # an answer on its way may come yet
                found = await look_around(loopback=True, quiet_s=0.3, limit_s=LONG_S, service=service)


async def test_a_lobby_that_stops_tells_who_looks_that_its_tables_are_gone(service: str) -> None:
    async with open_house(service, table()) as house:

        def stops(found: LanTable) -> bool:
            house.announcer.stop()
            return False

        assert await look_around(stops, loopback=True, limit_s=1.0, service=service) == ()


async def test_a_lobby_without_tables_asks_nothing_of_the_network(service: str) -> None:
    async with open_house(service) as house:
        await house.followed()
        assert not house.announcer.at_work


async def test_no_more_tables_are_announced_than_a_list_can_show(service: str) -> None:
    tables = [table(f"{100_000 + number}", f"{200_000 + number}") for number in range(40)]
    async with open_house(service, *tables) as house:
        await house.followed()
        assert house.announcer.announced == tuple(view.code for view in tables[: announcing.TABLES_MAX])


@pytest.mark.parametrize("address", ["198.51.100.7", "2001:db8::7"])
async def test_an_address_that_this_computer_has_not_is_logged_and_harms_nobody(
    service: str, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    announcer = Announcer(lambda: [table()], fingerprint=PIN, address=address, port=2_048, service=service)
    async with asyncio.timeout(PATIENCE_S):
        await announcer.run()
    assert address in caplog.text


async def test_a_mistake_of_ours_is_logged_and_ends_the_announcing_alone(
    service: str, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> list[TableView]:
        raise LookupError("seat 9")

    async with asyncio.timeout(PATIENCE_S):
        await Announcer(broken, fingerprint=PIN, address="127.0.0.1", port=1, service=service).run()
    assert "seat 9" in caplog.text


async def strangers(service: str, *announced: tuple[str, dict[str, bytes], str, int]) -> AsyncZeroconf:
    """Somebody else on this network: names, strings, addresses and ports as they like."""
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"])
    for name, strings, address, port in announced:
        info = AsyncServiceInfo(
            service, f"{name}.{service}", addresses=[socket.inet_aton(address)], port=port, properties=strings,
            server=f"{name[:8]}.local.",
        )  # fmt: skip
        await zeroconf.async_register_service(info, cooperating_responders=True, strict=False)
    return zeroconf


async def test_what_strangers_announce_is_inert_or_nothing(service: str) -> None:
    good = written(announcement_of(table(), PIN))
    hostile = good | {"code": b"771204", "host": b"\x1b[2J\x1b]52;c;QUFB\x07\xe2\x80\xae"}
    zeroconf = await strangers(
        service,
        ("a", hostile, "127.0.0.1", 2_048),
        ("b", good | {"code": b"\x1b[31m"}, "127.0.0.1", 2_048),
        ("c", good | {"code": b"111111"}, "192.0.2.66", 2_048),
        ("d", good | {"code": b"222222"}, "127.0.0.1", 0),
        ("e", {"x" * 9: b"\xff" * 240}, "127.0.0.1", 2_048),
        ("f", {}, "127.0.0.1", 2_048),
    )
    try:
        async with open_house(service, table()):
            found = await look_around(loopback=True, limit_s=LONG_S, service=service)
    finally:
        await zeroconf.async_close()
    assert [each.told.code for each in found] == ["482913", "771204"]
    assert found[1].told.host.isprintable()
    assert len(found[1].told.host) <= 16


async def test_where_nobody_announces_the_search_ends_with_its_limit(service: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        assert await look_around(loopback=True, limit_s=0.2, service=service) == ()


async def test_a_code_that_is_not_there_is_waited_for_to_the_end_beside_others(service: str) -> None:
    async with open_house(service, table()):
        found = await look_around(has_code("999999"), loopback=True, limit_s=1.0, service=service)
    assert [each.told.code for each in found] == ["482913"]
