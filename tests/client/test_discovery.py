"""What is made of what a network answers: bounded, checked, and never longer than it should take (ux.md §1).

zeroconf is a double here; tests/test_lan.py has the real one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from client import discovery
from client.discovery import (
    TABLES_MAX,
    LanTable,
    NoNetwork,
    has_code,
    look_around,
    table_of,
)
from client.link import LobbyAddress, Place
from protocol.announcement import SERVICE, Announcement, written
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

PIN = "7q4k2m9xb3hd5s8t"
OTHER_PIN = "0000000000000000"
PATIENCE_S = 10


def announcement(code: str = "482913", pin: str = PIN, host: str = "fox") -> Announcement:
    return Announcement(
        code=code, watch_code=f"9{code[1:]}", fingerprint=pin, host=SafeText(host), settings=TableSettings(),
        phase=Phase.SEATING, taken=1,
    )  # fmt: skip


def strings(told: Announcement) -> dict[bytes, bytes | None]:
    return {key.encode(): value for key, value in written(told).items()}


GOOD = strings(announcement())


# ── one answer ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_table_is_where_its_announcement_says() -> None:
    assert table_of(GOOD, ["192.168.1.23"], 2_048) == LanTable(LobbyAddress("192.168.1.23", 2_048), announcement())


def test_a_table_is_named_as_by_its_link_and_by_its_watch_link() -> None:
    found = LanTable(LobbyAddress("192.168.1.23"), announcement())
    assert found.place() == Place("482913", found.lobby, PIN)
    assert found.place(watch=True) == Place("982913", found.lobby, PIN, watch=True)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.3.2.1", "::1", "0.0.0.0", "::", "224.0.0.251", "ff02::fb", "255.255.255.255",
        "fe80::fc:ff:fe00:1", "::ffff:127.0.0.1",
    ],
)  # fmt: skip
def test_nobody_on_the_network_can_send_us_to_ourselves_or_nowhere(address: str) -> None:
    assert table_of(GOOD, [address], 2_048) is None


def test_of_several_addresses_a_usable_one_is_taken_ipv4_first() -> None:
    found = table_of(GOOD, ["fe80::1", "fd00::2", "127.0.0.1", "192.168.1.23"], 2_048)
    assert found is not None
    assert found.lobby.host == "192.168.1.23"
    found = table_of(GOOD, ["fe80::1", "fd00::2"], 2_048)
    assert found is not None
    assert found.lobby.host == "fd00::2"


def test_on_the_loopback_only_the_loopback_counts() -> None:
    assert table_of(GOOD, ["192.168.1.23"], 2_048, loopback=True) is None
    assert table_of(GOOD, ["192.168.1.23", "127.0.0.1"], 2_048, loopback=True) is not None


@pytest.mark.parametrize("port", [None, 0, -1, 65_536])
def test_a_port_that_is_none_is_no_table(port: int | None) -> None:
    assert table_of(GOOD, ["192.168.1.23"], port) is None


def test_no_address_or_no_announcement_is_no_table() -> None:
    assert table_of(GOOD, [], 2_048) is None
    assert table_of({}, ["192.168.1.23"], 2_048) is None


# ── a network in memory ──────────────────────────────────────────────────────────────────────────────────────────


class Network:
    """What a network answers, and in `later` what happens once somebody looks."""

    def __init__(self) -> None:
        self.services: dict[str, tuple[dict[bytes, bytes | None], list[str], int]] = {}
        self.handlers: list[Any] = []
        self.later: Callable[[], None] = lambda: None
        self.errors: list[Exception] = []  # of the next attempts to listen
        self.closed = 0
        self.opened: list[dict[str, object]] = []
        self.asked: list[str] = []

    def add(self, name: str, told: dict[bytes, bytes | None], address: str = "192.168.1.23", port: int = 2_048) -> None:
        self.services[f"{name}.{SERVICE}"] = (told, [address], port)

    def tell(self, name: str, change: str, service: str = SERVICE) -> None:
        for handler in self.handlers:
            handler(zeroconf=self, service_type=service, name=f"{name}.{SERVICE}", state_change=change)


NET = Network()


class BadNameError(Exception):
    """zeroconf.Error."""


class Info:
    """zeroconf.asyncio.AsyncServiceInfo."""

    def __init__(self, service: str, name: str) -> None:
        if not name.isprintable():
            raise BadNameError(name)
        self.name = name
        self.properties: dict[bytes, bytes | None] = {}
        self.addresses: list[str] = []
        self.port: int | None = None

    async def async_request(self, _zeroconf: object, _timeout_ms: float) -> bool:
        NET.asked.append(self.name)
        if self.name not in NET.services:
            await asyncio.Event().wait()
        self.properties, self.addresses, self.port = NET.services[self.name]
        return True

    def parsed_addresses(self) -> list[str]:
        return self.addresses


class AsyncZeroconf:
    """zeroconf.asyncio.AsyncZeroconf."""

    def __init__(self, **options: object) -> None:
        if NET.errors:
            raise NET.errors.pop(0)
        NET.opened.append(options)
        self.zeroconf = self

    async def async_close(self) -> None:
        NET.closed += 1


class Browser:
    """zeroconf.asyncio.AsyncServiceBrowser."""

    def __init__(self, _zeroconf: object, service: str, handlers: list[Any], question_type: object) -> None:
        NET.handlers += handlers
        for name in list(NET.services):
            NET.tell(name.removesuffix(f".{service}"), "added")
        asyncio.get_running_loop().call_soon(NET.later)

    async def async_cancel(self) -> None:
        NET.handlers.clear()


TOP: dict[str, object] = {
    "Error": BadNameError,
    "InterfaceChoice": SimpleNamespace(All="all"),
    "IPVersion": SimpleNamespace(All="both", V4Only="v4"),
    "DNSQuestionType": SimpleNamespace(QM="qm"),
    "ServiceStateChange": SimpleNamespace(Removed="removed"),
}
INNER: dict[str, object] = {"AsyncZeroconf": AsyncZeroconf, "AsyncServiceBrowser": Browser, "AsyncServiceInfo": Info}


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    """A network that is there instead of the modules zeroconf and zeroconf.asyncio."""
    NET.__init__()  # type: ignore[misc]
    for name, content in {"zeroconf": TOP, "zeroconf.asyncio": INNER}.items():
        module = ModuleType(name)
        for each, value in content.items():
            setattr(module, each, value)
        monkeypatch.setitem(sys.modules, name, module)
    return NET


async def looked(wanted: Any = None, **options: Any) -> list[str]:
    """The codes that are found, and how long at most it takes."""
    async with asyncio.timeout(PATIENCE_S):
        found = await look_around(wanted, **{"limit_s": 5.0, "quiet_s": 0.05, **options})
    return [each.told.code for each in found]


async def test_everybody_who_answers_is_listed_in_the_order_of_the_codes(network: Network) -> None:
    network.add("b", strings(announcement("771204")))
    network.add("a", strings(announcement("482913")))
    assert await looked() == ["482913", "771204"]
    assert (network.closed, network.handlers) == (1, [])


async def test_what_is_wanted_ends_the_search_and_everything_else_does_not(network: Network) -> None:
    network.add("a", strings(announcement("482913")))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    assert await looked(has_code("482913")) == ["482913"]
    assert loop.time() - begun < 2.0
    assert await looked(has_code("999999"), limit_s=0.1) == ["482913"]


async def test_another_table_that_says_the_same_of_itself_is_heard_too(network: Network) -> None:
    network.add("a", strings(announcement("482913")))

    def wanted(found: LanTable) -> bool:
        if len(network.services) == 1:  # it answers only once the first one is known
            network.add("b", strings(announcement("482913", OTHER_PIN)), "192.168.1.66")
            asyncio.get_running_loop().call_soon(network.tell, "b", "added")
        return found.told.code == "482913"

    assert await looked(wanted) == ["482913", "482913"]


async def test_a_network_on_which_nobody_answers_ends_the_search_at_its_limit(network: Network) -> None:
    assert await looked(limit_s=0.05) == []
    assert network.closed == 1


async def test_one_that_is_named_and_never_answers_holds_nobody_up(network: Network) -> None:
    network.add("good", strings(announcement()))
    network.later = lambda: network.tell("silent", "added")
    assert await looked() == ["482913"]
    assert network.asked == [f"good.{SERVICE}", f"silent.{SERVICE}"]


async def test_a_name_that_is_none_and_other_services_are_passed_over(network: Network) -> None:
    network.add("good", strings(announcement()))

    def strange() -> None:
        network.tell("\x1b[2J", "added")
        network.tell("printer", "added", "_http._tcp.local.")

    network.later = strange
    assert await looked() == ["482913"]
    assert network.asked == [f"good.{SERVICE}"]


async def test_what_announces_no_table_is_not_listed(network: Network) -> None:
    network.add("good", strings(announcement()))
    network.add("evil", strings(announcement("111111")), "127.0.0.1")
    network.add("odd", {b"code": b"\xff" * 300, b"host": b"\x1b]0;x\x07"})
    assert await looked() == ["482913"]


async def test_a_flood_of_names_is_bounded(network: Network) -> None:
    for number in range(10 * TABLES_MAX):
        network.add(f"n{number}", strings(announcement(f"{100_000 + number}")))
    assert len(await looked()) == TABLES_MAX
    assert len(network.asked) == TABLES_MAX


async def test_the_same_table_under_many_names_is_listed_once(network: Network) -> None:
    for number in range(5):
        network.add(f"n{number}", GOOD)
    assert await looked() == ["482913"]


async def test_a_table_that_goes_while_we_look_is_not_listed(network: Network) -> None:
    network.add("a", strings(announcement("482913")))
    network.add("b", strings(announcement("771204")))

    def goes(found: LanTable) -> bool:
        if found.told.code == "482913":
            network.tell("a", "removed")
        return False

    assert await looked(goes, limit_s=0.3) == ["771204"]


async def test_a_table_that_changes_while_we_look_is_listed_as_it_is_now(network: Network) -> None:
    network.add("a", strings(announcement(host="fox")))

    def changes(found: LanTable) -> bool:
        network.add("a", strings(announcement(host="owl")))
        network.tell("a", "updated")
        return found.told.host == "owl"

    found = await look_around(changes, limit_s=PATIENCE_S)
    assert [each.told.host for each in found] == ["owl"]


async def test_a_system_without_ipv6_is_asked_over_ipv4(network: Network) -> None:
    network.errors = [OSError(97, "Address family not supported by protocol")]
    network.add("a", GOOD)
    assert await looked() == ["482913"]
    assert network.opened == [{"interfaces": "all", "ip_version": "v4"}]


async def test_a_computer_that_cannot_ask_its_network_says_why(network: Network) -> None:
    network.errors = [RuntimeError("no interfaces"), OSError(98, "Address already in use")]
    with pytest.raises(NoNetwork, match=r"^Address already in use$"):
        await looked()


async def test_on_the_loopback_no_other_network_is_asked(network: Network) -> None:
    network.add("a", GOOD, "127.0.0.1")
    assert await looked(loopback=True) == ["482913"]
    assert network.opened == [{"interfaces": ["127.0.0.1"]}]


def test_zeroconf_is_imported_only_to_look() -> None:
    assert "zeroconf" not in vars(discovery)
