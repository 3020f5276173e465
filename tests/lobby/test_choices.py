"""What whoever runs a lobby may choose, and what the system allows (choices.py)."""

from __future__ import annotations

import resource
from ipaddress import ip_network

import pytest

from lobby import bounds, choices, cli
from lobby.bounds import Bounds


def asked(*arguments: str) -> Bounds:
    return choices.admission_of(cli.parser().parse_args(arguments)).most


@pytest.fixture
def limit(monkeypatch):
    """Sets what the system says of descriptors, and returns what it was asked to set."""

    def allow(soft: int, hard: int, refuses: type[Exception] | None = None) -> list[tuple[int, int]]:
        wanted: list[tuple[int, int]] = []

        def setrlimit(_kind: int, pair: tuple[int, int]) -> None:
            if refuses is not None:
                raise refuses
            wanted.append(pair)

        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
        monkeypatch.setattr(resource, "setrlimit", setrlimit)
        return wanted

    return allow


def test_without_options_the_bounds_are_the_usual_ones(limit):
    limit(1_000_000, 1_000_000)
    assert asked() == Bounds()


def test_every_bound_that_has_an_option_can_be_chosen(limit):
    limit(1_000_000, 1_000_000)
    chosen = asked("--max-connections", "10", "--max-tables", "3", "--max-per-address", "500")
    assert (chosen.connections_max, chosen.tables_max, chosen.connections_per_address) == (10, 3, 500)


@pytest.mark.parametrize("option", ["--max-connections", "--max-tables", "--max-per-address"])
@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "٣"])
def test_a_count_is_a_whole_number_above_0(option, text, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.parser().parse_args([f"{option}={text}"])
    assert stop.value.code == 2
    assert "a whole number above 0" in capsys.readouterr().err


def test_a_proxy_is_an_address_or_a_network(capsys):
    for text, trusted in (("10.0.0.0/8", ("10.0.0.0/8",)), ("::1", ("::1/128",)), ("", ())):
        options = cli.parser().parse_args(["--trust-proxy", text] if text else [])
        assert choices.admission_of(options).trusted == tuple(map(ip_network, trusted))
    with pytest.raises(SystemExit):
        cli.parser().parse_args(["--trust-proxy", "nginx"])
    assert "127.0.0.1" in capsys.readouterr().err


def test_all_descriptors_that_the_system_allows_are_taken(limit):
    wanted = limit(1_024, 50_000)
    assert asked() == Bounds()
    assert wanted == [(50_000, 50_000)]


def test_with_few_descriptors_fewer_connections_are_taken_and_it_says_so(limit, caplog):
    limit(1_024, 2_048)
    assert asked().connections_max == 2_048 - bounds.SPARE_SOCKETS - bounds.FILES_SPARE
    assert "2048 files" in caplog.text
    limit(100, 100)
    assert asked().connections_max == 1


def test_fewer_connections_than_the_system_allows_are_nothing_to_talk_about(limit, caplog):
    limit(2_048, 2_048)
    assert asked("--max-connections", "100").connections_max == 100
    assert caplog.text == ""


@pytest.mark.parametrize("refuses", [OSError, ValueError])
def test_where_the_limit_cannot_be_raised_it_stays(limit, refuses):
    limit(4_096, 1_000_000, refuses)
    assert choices.descriptors() == 4_096


def test_a_system_without_a_limit_has_none(limit):
    limit(resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    assert choices.descriptors() is None
    assert asked() == Bounds()


def test_a_system_that_says_nothing_has_none(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "resource", None)
    assert choices.descriptors() is None
