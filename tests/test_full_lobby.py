"""A lobby that is full: it says so, and to those who race there it is as if nobody had asked (issue 8, 7)."""

from __future__ import annotations

from client.session import JoinTable, OpenTable
from engine.race import Termination
from lobby.bounds import Bounds
from lobby.opening import DealOptions
from protocol.messages import TableSettings
from protocol.refusals import Refusal
from protocol.verdict import verify_record
from tests.world import World

TO_64 = TableSettings(target_exponent=6)


def raced(*, asked: int) -> tuple[list[bytes], list[str]]:
    """A race in a full lobby, at which so many people ask for a place.

    Returns all that the racers were sent from its start on, and what the others were told.
    """
    world = World(DealOptions(chain_length=1_024))
    world.lobby.room.most = Bounds(tables_max=1, connections_max=2)
    host = world.host(TO_64)
    guest = world.join(host, "owl")
    world.start(host, guest)
    before = len(host.heard), len(guest.heard)
    world.press(host, 150)
    world.press(guest, 230, "ldru")
    for number in range(asked):
        goal = OpenTable(TO_64) if number % 2 else JoinTable(host.view(world).code)
        world.client(f"late{number}", goal)
        world.run(100)
    world.finish(host, guest)
    verdict = verify_record(world.archived[-1].record)
    assert verdict.ok, verdict.reason
    assert verdict.outcome is not None
    assert verdict.outcome.termination is Termination.TARGET
    told = [code for name, code in world.refused if name.startswith("late")]
    assert not [name for name, _ in world.refused if not name.startswith("late")]
    return host.heard[before[0] :] + guest.heard[before[1] :], told


def test_who_races_in_a_full_lobby_is_sent_the_same_frames_whether_others_are_turned_away_or_not() -> None:
    alone, nobody = raced(asked=0)
    beside, told = raced(asked=20)
    assert nobody == []
    assert len(told) >= 20
    assert set(told) == {Refusal.CAPACITY}
    assert beside == alone
