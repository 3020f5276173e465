"""An honest lobby is never called a cheat, whatever people do and however bad their lines are (deal.md §3).

The other half of test_cheating_lobby.py: checks that are too strict would end races of people who trust each other.
People press what they like at any time; lines are slow, stall, drop what a newer message replaces, and break.
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest

from client import actions
from client.actions import Action
from client.view import Line
from lobby.opening import DealOptions
from protocol.limits import Windows
from protocol.messages import Phase, Role, TableSettings
from tests.world import Client, World

RUNS = 400 if os.environ.get("RACE2048_LONG") else 8
STEPS = 100
# Short ones, so that much happens: places are lost and taken, and races end.
WINDOWS = Windows(countdown_ms=800, nonce_ms=1_500, silent_ms=4_000, away_ms=6_000)
SETTINGS = (
    TableSettings(target_exponent=3),
    TableSettings(target_exponent=4, seats=3),
    TableSettings(target_exponent=3, size=3),
)
EVER: tuple[Action, ...] = (
    actions.SetReady(), actions.SetReady(False), actions.Start(), actions.Cancel(), actions.Sit(), actions.Stand(),
    actions.Again(),
    actions.Kick(1), actions.Kick(2), actions.Allow(), actions.ToggleLock(), actions.Agree(), actions.Resign(),
    *(actions.Change(settings) for settings in SETTINGS),
)  # fmt: skip


class Party:
    """Four people and a watcher at one table, who do something by chance again and again."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.world = World(DealOptions(chain_length=64, windows=WINDOWS), seed=str(seed))
        self.fox = self.world.host(SETTINGS[0])
        delays = [self.chance.choice((0, 5, 60, 400)) for _ in range(4)]
        guests = [
            self.world.join(self.fox, name, delay_ms=d)
            for name, d in zip(("owl", "hare", "carp"), delays, strict=False)
        ]
        self.people = [self.fox, *guests, self.world.join(self.fox, "mole", role=Role.WATCHER, delay_ms=delays[3])]
        self.seen: Counter[str] = Counter()

    def step(self) -> None:
        client, what = self.chance.choice(self.people), self.chance.random()
        if client.cut:
            self.world.mend(client)
        elif what < 0.06:
            self.world.stall(client, self.chance.choice((300, 2_000, 5_000)))
        elif what < 0.1:
            self.world.cut(client)
        elif what < 0.3:
            self.world.act(client, self.chance.choice(EVER))
        else:
            self.go_on()
        self.world.run(self.chance.choice((0, 0, 1, 30, 200, 900, 1_500)))
        self.seen[str(self.fox.view(self.world).phase)] += 1

    def go_on(self) -> None:
        """Everyone does what leads to the next race."""
        for client in self.people:
            view = client.view(self.world)
            mine = None if view.my_seat is None else view.seats[view.my_seat]
            if view.phase is Phase.SEATING and view.may_sit and mine is None:
                self.world.act(client, actions.Sit())
            elif view.phase is Phase.SEATING and mine is not None and not mine.ready and not view.i_am_host:
                self.world.act(client, actions.SetReady())
            elif view.i_am_host and view.phase is Phase.SEATING:
                self.world.act(client, actions.Start())
            elif view.i_am_host and view.phase is Phase.FINISHED:
                self.world.act(client, actions.Again())
            elif view.phase is Phase.RACING:
                self.world.press(client, 60, times=12)


def cheats(*clients: Client) -> list[str]:
    return [client.session.ending for client in clients if client.session.ending.startswith("cheat")]


@pytest.mark.parametrize("seed", range(RUNS))
def test_an_honest_lobby_is_never_called_a_cheat(seed: int) -> None:
    party = Party(seed)
    for _ in range(STEPS):
        party.step()
        assert cheats(*party.people) == []
    assert party.seen["countdown"] + party.seen["racing"] > STEPS // 20


# ── what such runs have found, and what is rare in them ──────────────────────────────────────────────────────────────


def gathered(*, hare_ms: int = 0) -> tuple[World, list[Client]]:
    """A table of three at which the guests are ready."""
    world = World(DealOptions(chain_length=64))
    host = world.host(TableSettings(target_exponent=3))
    players = [host, world.join(host, "owl"), world.join(host, "hare", delay_ms=hare_ms)]
    for guest in players[1:]:
        world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    return world, players


def test_who_says_ready_and_loses_the_place_while_away_watches_the_race() -> None:
    world, (fox, owl, hare) = gathered(hare_ms=400)
    world.act(fox, actions.Start())
    world.run_while(lambda: fox.view(world).phase is not Phase.RACING)
    world.press(fox, 100)
    world.finish(fox, owl, hare)
    world.act(fox, actions.Again())
    world.run(100)
    assert world.lobby._tables[fox.view(world).code].gathering
    world.cut(owl)
    world.run_while(lambda: fox.view(world).phase is not Phase.COUNTDOWN)
    world.mend(owl)
    world.run(6_000)
    assert cheats(fox, owl, hare) == []
    assert owl.view(world).my_seat is None
    assert [seat.name for seat in owl.view(world).seats if seat] == ["hare", "fox"]


def test_who_is_put_out_on_a_line_that_stalls_hears_of_the_race_before_the_table_is_shown() -> None:
    world, (fox, owl, hare) = gathered()
    world.stall(owl, 2_000)
    world.act(fox, actions.Kick(1))
    world.run(100)
    world.act(fox, actions.Start())
    world.run(4_000)
    assert cheats(fox, owl, hare) == []
    assert (owl.view(world).my_seat, owl.view(world).notice) == (None, "kicked")


def test_who_stands_up_on_a_line_that_stalls_then_does_so_too() -> None:
    world, (fox, owl, hare) = gathered()
    world.act(owl, actions.Stand())
    world.stall(owl, 2_000)
    world.run(100)
    world.act(fox, actions.Start())
    world.run(4_000)
    assert cheats(fox, owl, hare) == []
    assert owl.view(world).my_seat is None


@pytest.mark.parametrize("who", ["is new", "was away when it was burnt", "has heard that it was burnt"])
def test_who_comes_while_no_deal_stands_answers_the_next(who: str) -> None:
    world, (fox, owl, hare) = gathered()
    world.act(fox, actions.Start())
    world.run_while(lambda: fox.view(world).phase is not Phase.COUNTDOWN)
    if who == "was away when it was burnt":
        world.cut(owl)
    world.act(fox, actions.Cancel())
    world.run(1)
    if who == "has heard that it was burnt":
        world.cut(owl)
    world.mend(owl)
    table = world.lobby._tables[fox.view(world).code]
    newcomer = world.join(fox, "carp") if who == "is new" else owl
    world.run_while(lambda: newcomer.session.line is not Line.ONLINE)
    assert not table.dealing.stands
    if newcomer is not owl:
        world.act(newcomer, actions.SetReady())
    world.run(2_000)
    assert cheats(fox, owl, hare, newcomer) == []
    assert fox.view(world).can_start
