"""What people type and paste, and the links that are written (ux.md §1)."""

import ipaddress
import socket
from typing import ClassVar

import pytest

from client.link import (
    LinkError,
    LinkFault,
    LobbyAddress,
    Place,
    lan_address,
    parse_code,
    parse_link,
    parse_place,
    table_link,
    watch_link,
)

PIN = "7q4k2m9xb3hd5s8t"
HOME = LobbyAddress("192.168.1.23", 2048)


@pytest.mark.parametrize(
    "typed",
    [
        "482913",
        "482-913",
        "482 913",
        " 48-29-13 ",
        "482\N{EN DASH}913",
        "482\N{MINUS SIGN}913",
        "482\N{NO-BREAK SPACE}913",
        "٤٨٢-٩١٣",
        "४८२९१३",
        "４８２９１３",
    ],
)
def test_a_code_may_be_typed_with_dashes_spaces_and_in_any_digit_script(typed):
    assert parse_code(typed) == "482913"


@pytest.mark.parametrize("typed", ["48291", "1", "1234567890123456789"])
def test_a_code_with_too_few_or_too_many_digits_is_refused(typed):
    with pytest.raises(LinkError) as caught:
        parse_code(typed)
    assert caught.value.fault is LinkFault.CODE


def test_a_longer_code_of_a_fuller_lobby_is_taken():
    assert parse_code("1234-5678") == "12345678"


def test_a_table_link_gives_lobby_code_and_pin():
    assert parse_link(f"http://192.168.1.23:2048/t/482913#{PIN}") == Place("482913", HOME, PIN)


def test_a_watch_link_is_for_watching():
    assert parse_link("http://192.168.1.23:2048/w/550174") == Place("550174", HOME, watch=True)


@pytest.mark.parametrize(
    ("typed", "lobby"),
    [
        ("192.168.1.23", HOME),
        ("192.168.1.23:9000", LobbyAddress("192.168.1.23", 9000)),
        ("Fox.local", LobbyAddress("fox.local")),
        ("[fe80::1]:2048", LobbyAddress("fe80::1")),
        ("http://race.example", LobbyAddress("race.example", 80)),
        ("https://race.example/", LobbyAddress("race.example", 443, secure=True)),
        ("HTTP://192.168.1.23:2048", HOME),
    ],
)
def test_an_address_alone_names_a_lobby(typed, lobby):
    assert parse_link(typed) == Place(lobby=lobby)


def test_a_link_may_be_pasted_without_its_scheme():
    assert parse_link(f"192.168.1.23:2048/t/482913#{PIN}") == Place("482913", HOME, PIN)


@pytest.mark.parametrize("around", ["<{}>", '"{}"', "«{}»", "“{}”", "  {} "])
def test_what_mail_programs_put_around_a_link_is_dropped(around):
    assert parse_place([around.format("http://192.168.1.23:2048/t/482913")]) == Place("482913", HOME)


def test_the_code_of_a_link_may_be_written_with_a_dash():
    assert parse_link("http://192.168.1.23:2048/t/482-913").code == "482913"


def test_letters_that_look_like_digits_are_read_as_such_in_a_pin():
    assert parse_link("h/t/482913#oIl4K2M9XB3HD5S8").pin == "0114k2m9xb3hd5s8"


@pytest.mark.parametrize("pin", ["7q4k2m9", PIN + "x", "7q4k2m9xb3hd5s8u"])
def test_a_pin_that_is_cut_off_or_mistyped_is_refused(pin):
    with pytest.raises(LinkError) as caught:
        parse_link(f"http://h/t/482913#{pin}")
    assert caught.value.fault is LinkFault.PIN


@pytest.mark.parametrize("typed", ["h:0", "h:65536", "h:port", "http://h:-1/t/482913"])
def test_a_port_that_is_none_is_refused(typed):
    with pytest.raises(LinkError) as caught:
        parse_link(typed)
    assert caught.value.fault is LinkFault.PORT


@pytest.mark.parametrize(
    "typed",
    [
        "ssh://h/t/482913",
        "http://",
        "http://h/x/482913",
        "http://h/t/",
        "http://h/t/fox",
        "http://me@h/t/482913",
        "http://h/t/482913?x=1",
        "two words",
    ],
)
def test_what_is_no_link_is_refused(typed):
    with pytest.raises(LinkError) as caught:
        parse_link(typed)
    assert caught.value.fault is LinkFault.SHAPE


@pytest.mark.parametrize(
    "words", [["482", "913", "192.168.1.23"], ["192.168.1.23", "482-913"], ["482913", "192.168.1.23"]]
)
def test_a_code_and_an_address_may_come_in_any_order_and_in_several_words(words):
    assert parse_place(words) == Place("482913", HOME)


def test_a_code_alone_names_no_lobby():
    assert parse_place(["482-913"]) == Place("482913")


@pytest.mark.parametrize("words", [["h", "g"], ["482913", "http://h/t/482913"]])
def test_two_of_a_kind_are_one_too_many(words):
    with pytest.raises(LinkError) as caught:
        parse_place(words)
    assert caught.value.fault is LinkFault.TWICE


@pytest.mark.parametrize("lobby", [HOME, LobbyAddress("::1", 80), LobbyAddress("race.example", 443, secure=True)])
def test_a_written_link_is_read_again(lobby):
    assert parse_link(table_link(lobby, "482913", PIN)) == Place("482913", lobby, PIN)
    assert parse_link(watch_link(lobby, "550174")) == Place("550174", lobby, watch=True)


def test_a_link_is_written_as_documented():
    assert table_link(HOME, "482913", PIN) == f"http://192.168.1.23:2048/t/482913#{PIN}"
    assert watch_link(HOME, "550174") == "http://192.168.1.23:2048/w/550174"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "localhost", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"])
def test_an_address_that_means_the_computer_it_is_typed_on_is_known(host):
    assert LobbyAddress(host).this_computer


@pytest.mark.parametrize("host", ["192.168.1.23", "fox.local", "2001:db8::1"])
def test_other_addresses_mean_another_computer(host):
    assert not LobbyAddress(host).this_computer


def test_the_address_on_the_network_is_one_that_can_be_linked_to():
    address = ipaddress.ip_address(lan_address())
    assert not address.is_unspecified


class Routes:
    """The system's routes, instead of a socket: by family the address that packets would leave from."""

    by_family: ClassVar[dict[int, str]] = {}

    def __init__(self, family, _kind):
        self.family = family

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def connect(self, _):
        if self.family not in self.by_family:
            raise OSError(101, "Network is unreachable")

    def getsockname(self):
        return (self.by_family[self.family], 40_000)


@pytest.mark.parametrize(
    ("routes", "address"),
    [
        ({}, "127.0.0.1"),
        ({socket.AF_INET: "192.168.1.23"}, "192.168.1.23"),
        ({socket.AF_INET: "192.168.1.23", socket.AF_INET6: "2001:db8::23"}, "192.168.1.23"),
        ({socket.AF_INET6: "2001:db8::23"}, "2001:db8::23"),
        ({socket.AF_INET: "0.0.0.0", socket.AF_INET6: "fd00::2"}, "fd00::2"),
        ({socket.AF_INET6: "fe80::1%eth0"}, "127.0.0.1"),
        ({socket.AF_INET: "169.254.7.7"}, "169.254.7.7"),
    ],
)
def test_the_address_on_the_network_is_that_of_the_route_that_leads_on(routes, address, monkeypatch):
    monkeypatch.setattr("client.link.socket.socket", Routes)
    monkeypatch.setattr(Routes, "by_family", routes)
    assert lan_address() == address
