"""Again, with people who leave or are missing (rules 3.7; field report A30), played by whole clients."""

from __future__ import annotations

import pytest

from client import actions
from engine.race import Termination
from protocol.messages import Phase, TableSettings
from protocol.verdict import verify_record
from tests.world import Client, World

TO_8 = TableSettings(target_exponent=3)


def finished() -> tuple[World, list[Client]]:
    """Three players after a race that the host has won."""
    world = World()
    host = world.host(TO_8)
    players = [host]
    for name in ("owl", "hare"):
        players.append(world.join(host, name))
        world.run(10)
    world.start(*players)
    world.press(host, 100)
    world.finish(*players)
    world.run(200)  # the host's finger is off the key
    return world, players


def names(world: World, client: Client) -> list[str]:
    return [seat.name for seat in client.view(world).seats if seat]


@pytest.mark.parametrize("after_ms", [0, 20, 50, 200])
@pytest.mark.parametrize("slow_ms", [0, 100], ids=["all-quick", "one-slow"])
def test_one_who_leaves_while_another_race_is_gathered_breaks_nothing_off(after_ms: int, slow_ms: int) -> None:
    """A30: with the others there is a race, or a table at which the host can start one."""
    world, (host, owl, hare) = finished()
    hare.delay_ms = slow_ms
    world.act(host, actions.Again())
    world.run(after_ms)
    world.act(owl, actions.Leave())
    world.run(12_000)
    assert names(world, host) == names(world, hare)
    assert sorted(names(world, host)) == ["fox", "hare"]
    assert [host.session.ending, hare.session.ending] == ["", ""]
    if host.view(world).phase is not Phase.RACING:
        world.act(host, actions.Start())
        world.run(5_000)
    assert host.view(world).phase is Phase.RACING


def test_a_table_that_got_smaller_while_it_was_gathered_is_raced_at_and_its_record_holds() -> None:
    world, (host, owl, hare) = finished()
    hare.delay_ms = 100
    world.act(host, actions.Again())
    world.run(50)
    world.act(owl, actions.Leave())
    world.run_while(lambda: hare.view(world).phase is not Phase.RACING, limit_ms=6_000)
    world.run(500)
    world.press(hare, 100)
    world.run_while(lambda: len(world.archived) < 2, limit_ms=60_000)
    world.run(10)
    outcome = host.view(world).outcome
    assert outcome is not None
    assert outcome.termination is Termination.TARGET
    assert verify_record(world.archived[1].record).ok


def test_a_host_who_leaves_while_another_race_is_gathered_leaves_a_host_behind() -> None:
    world, (host, owl, hare) = finished()
    hare.delay_ms = 100
    world.act(host, actions.Again())
    world.run(50)
    world.act(host, actions.Leave())
    world.run_while(lambda: hare.view(world).phase is not Phase.RACING, limit_ms=6_000)
    assert (owl.view(world).i_am_host, hare.view(world).i_am_host) == (True, False)


@pytest.mark.parametrize("back_ms", [1_000, 4_000, 8_000])
def test_one_who_is_back_within_5_s_is_dealt_in_and_one_who_is_not_watches(back_ms: int) -> None:
    world, (host, owl, hare) = finished()
    world.cut(owl)
    world.act(host, actions.Again())
    world.run(back_ms)
    world.mend(owl)
    world.run_while(lambda: host.view(world).phase is not Phase.RACING, limit_ms=20_000)
    world.run(5_000)
    in_time = back_ms < 5_000
    assert names(world, hare) == (["hare", "fox", "owl"] if in_time else ["hare", "fox"])
    assert owl.view(world).phase is Phase.RACING
    assert (owl.view(world).my_seat is not None) == in_time


def test_without_its_host_nobody_deals_another_race_until_there_is_a_new_one() -> None:
    world, (host, owl, hare) = finished()
    world.cut(host)
    world.act(owl, actions.Again())
    world.act(hare, actions.Again())
    world.run(59_000)
    assert owl.view(world).phase is Phase.FINISHED
    world.run(2_000)
    assert owl.view(world).i_am_host
    world.act(owl, actions.Again())
    world.run_while(lambda: hare.view(world).phase is not Phase.RACING, limit_ms=20_000)
    assert sorted(names(world, hare)) == ["hare", "owl"]
