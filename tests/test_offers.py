"""Draw offers of one who was away, and while the lobby was (rules 4.8, 5.6, 6.3): they are counted by the lobby."""

from __future__ import annotations

from client import actions
from protocol.messages import Phase, TableSettings
from protocol.record import EventKind, Record
from protocol.verdict import verify_record
from tests.world import Client, World

ENDLESS = TableSettings(kind=3, target_exponent=0)


def race(guests: int = 1, delay_ms: int = 0) -> tuple[World, Client, list[Client]]:
    world = World()
    host = world.host(ENDLESS)
    others = [world.join(host, name, delay_ms=delay_ms) for name in ("owl", "hare")[:guests]]
    world.start(host, *others)
    assert host.view(world).phase is Phase.RACING
    return world, host, others


def offered(world: World, host: Client, guest: Client) -> bool:
    """Whether an offer of the guest is taken."""
    world.act(guest, actions.Agree())
    world.run(200)
    return host.view(world).offer is not None


def test_a_client_that_lost_everything_offers_a_draw_where_it_left_off() -> None:
    world, host, (guest,) = race()
    for _ in range(2):
        assert offered(world, host, guest)
        world.act(host, actions.Refuse())
        world.run(11_000)
    world.kill(guest)
    again = world.join(host, "owl again", key="owl")
    world.run(1_000)
    assert offered(world, host, again)


def test_an_offer_that_came_to_nothing_while_its_maker_was_cut_off_is_counted() -> None:
    world, host, (guest, _third) = race(2, delay_ms=50)
    world.act(guest, actions.Agree())
    world.run(60)
    world.cut(guest)  # the tick that tells of the offer is lost with the connection
    world.run(100)
    assert host.view(world).offer is not None
    world.act(host, actions.Refuse())
    world.run(11_000)
    world.mend(guest)
    world.run(5_000)
    assert offered(world, host, guest)


def test_an_offer_made_after_the_lobby_was_away_lapses_after_30_s() -> None:
    world, host, (guest,) = race()
    world.now_ms += 60_000
    world.run(2_000)
    assert offered(world, host, guest)
    world.run(29_000)
    assert host.view(world).offer is not None
    world.run(1_000)
    assert host.view(world).offer is None


def test_an_offer_that_stood_while_the_lobby_was_away_stands_so_much_longer() -> None:
    world, host, (guest,) = race()
    assert offered(world, host, guest)
    world.run(10_000)
    world.now_ms += 60_000
    world.run(19_000)
    assert host.view(world).offer is not None
    world.run(2_500)
    assert host.view(world).offer is None


def test_a_draw_agreed_after_the_lobby_was_away_is_one_for_the_verifier_too() -> None:
    world, host, (guest,) = race()
    assert offered(world, host, guest)
    world.run(10_000)
    world.now_ms += 60_000
    world.run(15_000)
    world.act(host, actions.Agree())
    world.finish(host, guest)
    check = host.view(world).check
    assert check is not None
    assert check.ok, check.reason


def test_a_move_just_after_a_vote_that_came_to_nothing_leaves_a_true_record() -> None:
    """Rules 5.2: t* of a seat never falls, so the record must tell of the vote that the move waited for."""
    world, host, (guest,) = race(delay_ms=120)
    world.run(2_000)
    world.act(guest, actions.Agree())
    world.press(guest, 30, times=3)  # made before the offer has arrived
    world.run(1_000)
    world.act(host, actions.Refuse())
    world.run(1_000)
    world.act(host, actions.Resign())
    world.run_while(lambda: not world.archived)
    verdict = verify_record(world.archived[0].record)
    assert verdict.ok, verdict.reason
    assert [event.kind for event in Record.parse(world.archived[0].record).events] == [
        EventKind.SAID,
        EventKind.RESIGNED,
    ]


def test_a_vote_that_is_refused_moves_nothing() -> None:
    world, host, (guest,) = race(delay_ms=120)
    world.run(2_000)
    assert offered(world, host, guest)
    world.act(host, actions.Refuse())
    world.run(500)
    assert guest.session.race is not None
    world.act(guest, actions.Agree())  # ten seconds too soon
    world.press(guest, 30, times=3)
    world.run(1_000)
    world.act(host, actions.Resign())
    world.run_while(lambda: not world.archived)
    verdict = verify_record(world.archived[0].record)
    assert verdict.ok, verdict.reason
