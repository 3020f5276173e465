"""What a host is told to pass on, before the screen: code, links, QR code, seats (ux.md §1)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from client.cli import host, invitation, parser_of
from client.cli.invitation import Invitation, invitation_lines, qr_lines
from client.cli.places import lobby_of
from client.lan import Lan
from client.link import LobbyAddress
from client.tui.qr import blocks
from protocol.messages import Phase

from .pictures_of import LINK, SEATS, view

LONG_LINK = "http://192.168.123.123:2048/t/482913#7q4k2m9xb3hd5s8t"
WATCH = "http://192.168.123.123:2048/w/550174"
ALONE = view(Phase.SEATING, seats=(SEATS[0], None, None, None))


def invited(columns: int, address: str = "192.168.1.23", join: str = LONG_LINK, **changes: Any) -> list[str]:
    told = replace(Invitation(join, WATCH, LobbyAddress(address)), **changes)
    return invitation_lines(ALONE, told, columns)


def test_it_is_told_as_the_design_shows_it() -> None:
    ways = "(a friend's lobby, a tunnel, or a forwarded port with --public-url)"
    assert invited(140, lan=True) == [
        "Table 482-913 is open.  4×4, first to 2048, up to 4 players",
        "  on this network   race2048 join 482-913",
        f"  by link           race2048 join {LONG_LINK}",
        f"  just watching     race2048 watch {WATCH}",
        f"  over the internet race2048 help internet   {ways}",
        "  seats             you (host), 3 free",
    ]


def test_a_link_that_does_not_fit_beside_its_label_has_a_line_of_its_own() -> None:
    lines = invited(80)
    assert f"    race2048 join {LONG_LINK}" in lines
    assert all(len(line) <= 80 for line in lines)
    assert "  just watching     race2048 watch http://192.168.123.123:2048/w/550174" in lines
    assert f"race2048 join {LONG_LINK}" in invited(68)
    assert any("by link" in line and LONG_LINK in line for line in invited(120))


def test_the_bare_code_is_told_only_where_it_was_announced() -> None:
    assert not any("on this network" in line for line in invited(80))
    assert any("on this network" in line for line in invited(80, lan=True))


def test_links_that_work_from_everywhere_need_no_help() -> None:
    assert any("race2048 help internet" in line for line in invited(80))
    assert not any("internet" in line for line in invited(80, distant=True))


def test_links_that_work_on_this_computer_only_say_so() -> None:
    assert not any("this computer only" in line for line in invited(80))
    assert any("this computer only" in line for line in invited(80, address="127.0.0.1"))


def test_who_sits_and_who_is_ready_is_told() -> None:
    seats = (SEATS[0], replace(SEATS[1], ready=False), SEATS[2], None)
    told = invitation_lines(view(Phase.SEATING, seats=seats), Invitation(LINK, WATCH, LobbyAddress("h")), 80)
    assert told[-1] == "  seats             you (host), hare (not ready), owl (ready), 1 free"


# ── the QR code ──────────────────────────────────────────────────────────────────────────────────────────────────


def printed(
    columns: int, rows: int, monkeypatch: pytest.MonkeyPatch, link: str = LINK, shows: bool = True
) -> list[str]:
    monkeypatch.setattr(invitation, "can_show", lambda *_: shows)
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in qr_lines(link, columns, rows)]


def test_the_code_is_printed_with_the_margin_that_fits(monkeypatch) -> None:
    assert printed(80, 24, monkeypatch) == list(blocks(LINK, 4))
    assert printed(80, 17, monkeypatch) == list(blocks(LINK, 2))


def test_without_room_a_terminal_or_a_use_for_it_there_is_no_code(monkeypatch) -> None:
    assert printed(80, 16, monkeypatch) == []
    assert printed(30, 50, monkeypatch) == []
    assert printed(80, 24, monkeypatch, shows=False) == []
    assert printed(80, 24, monkeypatch, link="http://127.0.0.1:2048/t/482913") == []


# ── where it is announced ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("bind", "here", "setting", "address"),
    [
        (None, "192.168.1.23", Lan.ON, "192.168.1.23"),
        ("0.0.0.0", "192.168.1.23", Lan.ON, "192.168.1.23"),
        ("::", "fd00::2", Lan.ON, "fd00::2"),
        ("10.0.0.7", "192.168.1.23", Lan.ON, "10.0.0.7"),
        ("127.0.0.1", "192.168.1.23", Lan.ON, ""),
        ("::1", "192.168.1.23", Lan.ON, ""),
        ("localhost", "192.168.1.23", Lan.ON, ""),
        ("fox.local", "192.168.1.23", Lan.ON, ""),
        (None, "127.0.0.1", Lan.ON, ""),
        (None, "192.168.1.23", Lan.OFF, ""),
        (None, "192.168.1.23", Lan.LOOPBACK, "127.0.0.1"),
        ("127.0.0.1", "192.168.1.23", Lan.LOOPBACK, "127.0.0.1"),
    ],
)
def test_a_table_is_announced_where_its_lobby_can_be_reached(bind, here, setting, address) -> None:
    assert host.announced_at(bind, here, setting) == address


class Child:
    """What `host` starts, instead of a lobby: it notes what it was told."""

    def __init__(self, bind: str, port: int = 2_048) -> None:
        self.bind, self.port, self.url, self.remarks = bind, port, f"http://127.0.0.1:{port}", ""
        self.told: list[str] = []


async def house(
    *words: str, here: str, bind: str, monkeypatch: pytest.MonkeyPatch, port: int = 2_048
) -> tuple[Any, list[str]]:
    child = Child(bind, port)

    async def start(arguments, _data):
        child.told = list(arguments)
        return child

    monkeypatch.setattr(host, "start_lobby", start)
    monkeypatch.setattr(host, "lan_address", lambda: here)
    monkeypatch.setenv("RACE2048_LAN", "on")
    options = parser_of("host").parse_args(words)
    public = None if options.public_url is None else lobby_of(options.public_url)
    return await host._house(options, public), child.told


async def test_a_table_is_shown_and_announced_under_the_address_on_the_network(monkeypatch) -> None:
    made, told = await house(here="192.168.1.23", bind="0.0.0.0", monkeypatch=monkeypatch)
    assert (made.shown.url, made.lan, made.distant) == ("http://192.168.1.23:2048", True, False)
    assert told == ["--lan", "192.168.1.23", "--linger", "60"]


async def test_on_a_network_of_ipv6_alone_the_lobby_listens_there(monkeypatch) -> None:
    made, told = await house(here="fd00::2", bind="::", monkeypatch=monkeypatch)
    assert made.shown.url == "http://[fd00::2]:2048"
    assert told[:4] == ["--bind", "::", "--lan", "fd00::2"]


async def test_a_public_address_stands_in_every_link_and_the_network_is_told_all_the_same(monkeypatch) -> None:
    made, told = await house(
        "--public-url", "https://me.example", here="192.168.1.23", bind="0.0.0.0", monkeypatch=monkeypatch
    )
    assert (made.shown.url, made.lan, made.distant) == ("https://me.example", True, True)
    assert told[:4] == ["--public-url", "https://me.example", "--lan", "192.168.1.23"]


async def test_no_lan_announces_nothing(monkeypatch) -> None:
    made, told = await house("--no-lan", here="192.168.1.23", bind="0.0.0.0", monkeypatch=monkeypatch)
    assert not made.lan
    assert "--lan" not in told


async def test_a_table_on_another_lobby_is_not_announced_here(monkeypatch) -> None:
    made, told = await house("--lobby", "https://race.example", here="192.168.1.23", bind="", monkeypatch=monkeypatch)
    assert (made.lan, made.distant, made.child, told) == (False, True, None, [])


async def test_a_port_that_is_taken_is_told_with_the_one_taken_instead(monkeypatch, capsys) -> None:
    made, _ = await house(here="192.168.1.23", bind="0.0.0.0", port=2_049, monkeypatch=monkeypatch)
    assert made.shown.url == "http://192.168.1.23:2049"
    assert capsys.readouterr().err == "Port 2048 is taken; this lobby takes 2049.\n"


async def test_a_port_that_was_asked_for_is_no_news(monkeypatch, capsys) -> None:
    await house("--port", "2049", here="192.168.1.23", bind="0.0.0.0", port=2_049, monkeypatch=monkeypatch)
    await house(here="192.168.1.23", bind="0.0.0.0", monkeypatch=monkeypatch)
    assert capsys.readouterr().err == ""
