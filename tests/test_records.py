"""The record reaches everyone, whatever happens to their line meanwhile (deal.md 5.6)."""

import pytest

from client.actions import Again, Resign
from lobby.opening import DealOptions
from protocol.messages import Phase, TableSettings
from tests.world import World

ENDLESS = TableSettings(seats=3, kind=3, target_exponent=0, idle_ms=0)


@pytest.mark.parametrize("races", [1, 2])
def test_who_lost_its_line_before_the_record_was_announced_gets_it_with_the_next_race(races):
    """After two races the lobby has another record: of the first there is none any more, and nothing false is said."""
    world = World(DealOptions(chain_length=64))
    fox = world.host(ENDLESS, delay_ms=5)
    owl, hare = (world.join(fox, name, delay_ms=delay_ms) for name, delay_ms in (("owl", 5), ("hare", 200)))
    world.start(fox, owl, hare)
    for client in (fox, owl, hare):
        world.press(client, 200, times=5)
    world.run(3_000)
    world.act(fox, Resign())
    world.act(owl, Resign())
    world.run_while(lambda: hare.view(world).outcome is None)
    world.cut(hare)
    world.run(2_000)
    for again in range(races):
        world.act(owl, Again())
        world.act(fox, Again())
        world.run_while(lambda: fox.view(world).phase is not Phase.RACING)
        if again < races - 1:
            world.act(fox, Resign())
            world.run_while(lambda: fox.view(world).phase is not Phase.FINISHED)
    world.mend(hare)
    world.run(15_000)
    assert [record.ok for record in hare.records] == [True] * (races == 1)
    assert hare.view(world).dispute is None
