"""What a lobby counts of itself, and how Prometheus reads it (metrics.py)."""

from __future__ import annotations

import importlib.util
from ipaddress import ip_network

import pytest
from prometheus_client.parser import text_string_to_metric_families

from lobby import cli, metrics
from lobby.bounds import Admission, Bounds
from lobby.events import Disconnected
from lobby.metrics import HANDLE_S, Census, Tally
from protocol.messages import Join, Phase
from tests.lobby.test_hostile import PROXY, Person, RealLobby
from tests.lobby.test_server import Script, serving

HERE = ip_network("127.0.0.1/32")


def read(text: str) -> dict[str, float]:
    """The samples of a page, by name and labels."""
    return {
        sample.name + "".join(f"[{value}]" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def page_of(tally: Tally, census: Census) -> dict[str, float]:
    body, kind = metrics.page(tally, lambda: census)()
    assert kind.startswith("text/plain; version=0.0.4")
    return read(body.decode())


def test_every_figure_is_on_the_page():
    tally = Tally(connections=5, turned_away=4, messages=3, slow=2, failures=1)
    tally.refused["flood"] += 7
    tally.closed["silent"] += 6
    page = page_of(tally, Census(connections=9, at_tables=8, tables={Phase.RACING: 2}))
    expected = {
        "race2048_connections": 9, "race2048_at_tables": 8, "race2048_tables[racing]": 2,
        "race2048_connections_opened_total": 5, "race2048_sockets_turned_away_total": 4,
        "race2048_messages_total": 3, "race2048_slow_readers_total": 2, "race2048_failures_total": 1,
        "race2048_refused_total[flood]": 7, "race2048_closed_total[silent]": 6,
    }  # fmt: skip
    assert {name: page[name] for name in expected} == expected


def test_how_long_an_event_took_is_a_histogram():
    tally = Tally()
    for seconds in (0.0001, 0.0002, 0.003, 5.0):
        tally.took(seconds)
    page = page_of(tally, Census(0, 0, {}))
    assert page["race2048_handle_seconds_count"] == 4
    assert page["race2048_handle_seconds_sum"] == pytest.approx(5.0033)
    ends = {"0.0001": 1, "0.00025": 2, "0.0025": 2, "0.005": 3, "1.0": 3, "+Inf": 4}
    assert {end: page[f"race2048_handle_seconds_bucket[{end}]"] for end in ends} == ends
    assert sum(name.startswith("race2048_handle_seconds_bucket") for name in page) == len(HANDLE_S) + 1


async def test_what_happens_in_a_lobby_is_counted(tmp_path):
    core = RealLobby(Bounds(tables_max=1))
    async with serving(core, tmp_path, admission=Admission(metrics_for=HERE)) as rig:
        host = await (await Person.at(rig)).greet()
        await host.open()
        other = await (await Person.at(rig)).greet()
        await other.say(Join("0", "owl"))
        await other.refused()
        await other.peer.close()
        await core.hears(Disconnected(2))
        async with rig.session.get(f"{rig.url}/metrics") as answer:
            assert answer.status == 200
            page = read(await answer.text())
    assert page["race2048_connections_opened_total"] == 2
    assert page["race2048_connections"] == 1
    assert page["race2048_at_tables"] == 1
    assert page["race2048_tables[seating]"] == 1
    assert page["race2048_messages_total"] == 6
    assert page["race2048_commits_total"] >= 1
    assert page["race2048_refused_total[no-table]"] == 1
    assert page["race2048_closed_total[no-table]"] == 1
    assert page["race2048_handle_seconds_count"] >= 8


async def test_no_code_no_key_no_name_and_no_address_is_on_the_page(tmp_path):
    core = RealLobby()
    async with serving(core, tmp_path, admission=Admission(trusted=(PROXY,), metrics_for=HERE)) as rig:
        host = await (await Person.at(rig, "203.0.113.7")).greet()
        table = await host.open("heron")
        async with rig.session.get(f"{rig.url}/metrics") as answer:
            text = await answer.text()
    secrets = [table.code, table.watch_code, "heron", "203.0.113.7", host.signer.key.hex(), core.signer.key.hex()]
    assert [secret for secret in secrets if secret in text] == []


async def test_figures_are_for_those_who_were_named_even_through_a_proxy(tmp_path):
    admission = Admission(trusted=(PROXY,), metrics_for=ip_network("10.0.0.0/8"))
    async with serving(Script(), tmp_path, admission=admission) as rig:
        for address, status in (("10.1.2.3", 200), ("203.0.113.7", 404), ("10.1.2.3, 203.0.113.7", 404)):
            async with rig.session.get(f"{rig.url}/metrics", headers={"X-Forwarded-For": address}) as answer:
                assert answer.status == status


async def test_unless_asked_for_there_is_no_page(tmp_path):
    async with serving(Script(), tmp_path) as rig, rig.session.get(f"{rig.url}/metrics") as answer:
        assert answer.status == 404


def test_without_its_package_the_option_says_what_to_install(monkeypatch, capsys):
    found = importlib.util.find_spec
    monkeypatch.setattr("lobby.metrics.find_spec", lambda name: None if name == "prometheus_client" else found(name))
    with pytest.raises(SystemExit) as stop:
        cli.parser().parse_args(["--metrics", "127.0.0.1"])
    assert stop.value.code == 2
    assert "pip install prometheus_client" in capsys.readouterr().err
    assert cli.parser().parse_args([]).metrics is None


def test_with_its_package_the_option_takes_a_network():
    assert cli.parser().parse_args(["--metrics", "10.0.0.0/8"]).metrics == ip_network("10.0.0.0/8")
