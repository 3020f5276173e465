"""The lobby itself was away: that counts against nobody (rules 5.6)."""

from __future__ import annotations

from client.actions import Move, SetReady, Start
from engine.race import SeatState, Termination
from lobby.opening import DealOptions
from protocol.limits import Windows
from protocol.messages import Phase, TableSettings
from protocol.record import Gap, Record
from protocol.verdict import Trust, verify_record
from tests.world import Client, World

TIMED = TableSettings(kind=2, target_exponent=0, time_ms=20_000, idle_ms=0, size=4)
ENDLESS = TableSettings(kind=3, target_exponent=0, size=4)


def race(settings: TableSettings, options: DealOptions | None = None) -> tuple[World, Client, Client]:
    """Two players whose boards are alive."""
    world = World(options)
    host = world.host(settings)
    guest = world.join(host, "owl", delay_ms=20)
    world.act(guest, SetReady())
    world.run(1_000)
    world.act(host, Start())
    world.run_while(lambda: host.view(world).game is None or guest.view(world).phase is not Phase.RACING)
    return world, host, guest


def play(world: World, client: Client, moves: int) -> None:
    """Makes legal moves, one every 100 ms."""
    for _ in range(moves):
        game = client.view(world).game
        assert game is not None
        world.act(client, Move(game.board.legal_directions()[0]))
        world.run(100)


def sleep(world: World, duration_ms: int) -> None:
    """The lobby's machine sleeps: time passes, and nobody is told."""
    world.now_ms += duration_ms


def test_the_bell_moves_by_the_time_the_lobby_was_away() -> None:
    world, host, _guest = race(TIMED)
    play(world, host, 20)
    sleep(world, 60_000)
    world.run_while(lambda: host.view(world).outcome is None)
    outcome = host.view(world).outcome
    assert outcome is not None
    assert outcome.termination is Termination.BELL
    assert 79_000 <= outcome.t_ms <= 80_000


def test_a_gap_stands_signed_in_the_record_and_the_record_verifies() -> None:
    world, host, _guest = race(TIMED)
    play(world, host, 20)
    sleep(world, 60_000)
    world.run_while(lambda: not world.archived)
    (signed,) = Record.parse(world.archived[0].record).gaps
    gap = Gap.decode(signed.body)
    verdict = verify_record(world.archived[0].record)
    assert 59_000 <= gap.to_ms - gap.from_ms <= 60_000
    assert verdict.ok, verdict.reason
    assert Trust.GAPS in verdict.trusts


def test_nobody_is_forfeited_for_the_time_the_lobby_was_away() -> None:
    world, host, guest = race(ENDLESS)
    play(world, host, 5)
    sleep(world, 300_000)
    world.run(5_000)
    assert [seat.state for seat in guest.view(world).seats if seat] == [SeatState.MOVING, SeatState.MOVING]
    assert guest.view(world).phase is Phase.RACING


def test_the_window_of_a_player_who_is_away_moves_too() -> None:
    world, host, guest = race(ENDLESS)
    world.cut(guest)
    world.run(30_000)
    sleep(world, 100_000)
    world.run(29_000)
    assert host.view(world).phase is Phase.RACING
    world.run_while(lambda: host.view(world).outcome is None, limit_ms=3_000)


def test_a_pause_of_two_seconds_is_no_gap() -> None:
    world, host, _guest = race(TIMED)
    play(world, host, 5)
    sleep(world, 900)
    world.run_while(lambda: not world.archived)
    assert Record.parse(world.archived[0].record).gaps == ()


def test_more_than_ten_minutes_in_sum_and_the_race_is_void() -> None:
    world, host, guest = race(ENDLESS)
    for _ in range(3):
        play(world, host, 5)
        sleep(world, 250_000)
        world.run(2_000)
    world.run(10_000)
    outcome = guest.view(world).outcome
    assert outcome is not None
    assert outcome.termination is Termination.VOID
    verdict = verify_record(world.archived[0].record)
    assert verdict.ok, verdict.reason


def test_moves_made_while_the_lobby_was_away_count() -> None:
    world, host, guest = race(ENDLESS)
    play(world, host, 5)
    before = host.view(world).game
    assert before is not None
    sleep(world, 4_000)
    for _ in range(10):
        game = guest.view(world).game
        assert game is not None
        world.act(guest, Move(game.board.legal_directions()[0]))
    world.run(2_000)
    assert [seat.moves for seat in host.view(world).seats if seat] == [5, 10]


def test_links_wait_for_the_time_the_lobby_was_away() -> None:
    world, host, _guest = race(ENDLESS)
    sleep(world, 60_000)
    world.run(100)
    assert host.session.race is not None
    assert host.session.race.own is not None
    assert host.session.race.own.deck.known_draws <= 8 * 15


def test_a_race_that_starts_while_the_lobby_sleeps_is_raced_when_it_wakes() -> None:
    world = World(DealOptions(windows=Windows()))
    host = world.host(TIMED)
    guest = world.join(host, "owl")
    world.act(guest, SetReady())
    world.run(1_000)
    world.act(host, Start())
    world.run(1_000)
    sleep(world, 30_000)
    world.run(3_000)
    assert guest.view(world).phase is Phase.RACING
    world.run_while(lambda: not world.archived)
    assert verify_record(world.archived[0].record).ok
    assert host.session.ending == guest.session.ending == ""
