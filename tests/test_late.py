"""A lobby whose timer is late, as every timer is: what it tells and what it records stay one story (rules 4.6, 5.1)."""

import pytest

from client.actions import Agree, Resign
from engine.race import SeatState, Termination
from lobby.opening import DealOptions
from protocol.messages import TableSettings
from protocol.verdict import verify_record
from tests.world import Client, World

ENDLESS = TableSettings(seats=4, kind=3, target_exponent=0, idle_ms=0)
AWAY_MS = 60_000


def racing(*names: str, late_ms: int) -> tuple[World, list[Client]]:
    world = World(DealOptions(chain_length=64))
    host = world.host(ENDLESS, delay_ms=5)
    guests = [world.join(host, name, delay_ms=5) for name in names]
    world.start(host, *guests)
    for client in (host, *guests):
        world.press(client, 200, times=5)
    world.run(2_000)
    world.late_ms = late_ms
    return world, [host, *guests]


def ended_as_told(world: World, *clients: Client) -> Termination:
    """Waits for the end; everyone finds the record true and like what the lobby told. Returns how it ended."""
    world.finish(*clients)
    verdict = verify_record(world.archived[0].record)
    assert verdict.ok, verdict.reason
    for client in clients:
        check = client.view(world).check
        assert check is not None
        assert check.ok, (client.name, check)
    assert verdict.outcome is not None
    return verdict.outcome.termination


@pytest.mark.parametrize("late_ms", [0, 1, 40])
def test_two_whose_windows_end_together_leave_together(late_ms):
    world, (fox, owl, hare, carp) = racing("owl", "hare", "carp", late_ms=late_ms)
    world.cut(hare)
    world.cut(carp)
    world.run(AWAY_MS + 2_000)
    world.act(fox, Resign())
    assert ended_as_told(world, fox, owl) is Termination.ALONE
    left = verify_record(world.archived[0].record).seats
    assert [seat.state for seat in left[2:]] == [SeatState.FORFEITED] * 2


@pytest.mark.parametrize("late_ms", [0, 1, 40])
def test_all_whose_windows_end_together_leave_nobody_who_has_won(late_ms):
    world, (fox, owl, hare) = racing("owl", "hare", late_ms=late_ms)
    watcher = world.join(fox, "wren", code=fox.view(world).code)
    for client in (fox, owl, hare):
        world.cut(client)
    world.run(AWAY_MS + 1_000)
    assert ended_as_told(world, watcher) is Termination.VOID


@pytest.mark.parametrize("early_ms", range(-3, 4))
def test_what_is_told_between_the_end_of_a_window_and_a_late_timer_stays_true(early_ms):
    world, (fox, owl, hare) = racing("owl", "hare", late_ms=3)
    world.cut(hare)
    world.run(AWAY_MS - 5 - early_ms)
    world.act(fox, Agree())  # an offer is told at once
    world.run(1_000)
    world.act(owl, Agree())
    assert ended_as_told(world, fox, owl) is Termination.DRAW
