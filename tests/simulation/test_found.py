"""What the simulator has found, told again as short stories, whichever side of the line the fault was on."""

from __future__ import annotations

import pytest

from client import actions
from client.actions import Action
from protocol import messages
from protocol.codec import decode_from_client, encode
from protocol.messages import Phase, TableSettings
from protocol.movelog import Act, SealBody
from tests.world import Client, World

TO_8 = TableSettings(target_exponent=3)
SLOW_MS = 120


def finished() -> tuple[World, Client]:
    """A table after a race, whose host is on a slow line."""
    world = World()
    host = world.host(TO_8, delay_ms=SLOW_MS)
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(guest, 100)
    world.finish(host, guest)
    return world, host


@pytest.mark.parametrize(
    "second", [actions.Change(TableSettings(target_exponent=4)), actions.ToggleLock(), actions.Kick(1), actions.Allow()]
)
def test_a_host_who_presses_another_key_right_after_again_is_not_called_out_of_order(second: Action) -> None:
    """World 1091: the second key was pressed before the line could tell that the first had begun something."""
    world, host = finished()
    world.act(host, actions.Again())
    world.act(host, second)
    world.run(2 * SLOW_MS)
    assert host.view(world).phase is not Phase.FINISHED
    assert world.refused == []
    assert host.view(world).notice == ""


def test_a_host_who_locks_the_table_right_after_start_is_not_called_out_of_order() -> None:
    world = World()
    host = world.host(TO_8, delay_ms=SLOW_MS)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Start())
    world.act(host, actions.ToggleLock())
    world.run(4 * SLOW_MS)
    assert host.view(world).phase is Phase.COUNTDOWN
    assert world.refused == []


def test_a_host_who_has_stood_up_and_sits_down_again_can_start() -> None:
    """World 6000042: what it had said on the seat before, the program took for said on this one, and never said it."""
    world = World()
    host = world.host(TO_8)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Stand())
    world.run(1_000)
    assert host.view(world).my_seat is None
    world.act(host, actions.Sit())
    world.run(1_000)
    assert host.view(world).can_start
    world.act(host, actions.Start())
    world.run_while(lambda: host.view(world).phase is not Phase.RACING)
    assert world.refused == []


class GarblingWorld(World):
    """One of the clients has a program whose first slices are not what the lobby expects."""

    def __init__(self, garbled: int) -> None:
        super().__init__()
        self.garbled = garbled
        self.told: list[messages.Refused] = []

    def hears(self, client: Client, frame: bytes) -> bytes:
        message = decode_from_client(frame)
        if client.name == "owl" and self.garbled and isinstance(message, messages.Slice):
            self.garbled -= 1
            return encode(messages.Slice(b"\0\0\0\1" + message.moves[4:], message.seal))
        return frame

    def says(self, client: Client, message: messages.FromLobby) -> tuple[messages.FromLobby, ...]:
        if client.name == "owl" and isinstance(message, messages.Refused):
            self.told.append(message)
        return (message,)


def test_who_is_closed_for_a_slice_is_told_once_and_how_far_the_lobby_has_the_log() -> None:
    """World 7063: a second refusal without the counts made the program forget what it had sealed, and fall over."""
    world = GarblingWorld(garbled=2)
    host = world.host(TableSettings(target_exponent=5))
    guest = world.join(host, "owl", delay_ms=20)
    world.start(host, guest)
    world.act(guest, actions.Agree())  # a seal, which the lobby has from now on
    world.run(500)
    world.press(guest, 100)
    world.finish(host, guest)
    assert [(told.code, told.seals) for told in world.told] == [("slice", 1), ("slice", 1)]
    assert guest.records[0].ok


def test_a_lobby_cannot_make_a_program_fall_over_by_what_it_says_of_its_seals() -> None:
    world = World()
    host = world.host(TableSettings(target_exponent=5))
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(guest, 100, times=1)
    world.run(1_000)
    world.act(guest, actions.Agree())  # a seal over one move
    world._send_down(guest.connection or 0, (false := messages.Refused("slice", 0, 1)), encode(false))
    world.run(1_000)
    assert guest.session.ending == ""


class SpoilingWorld(World):
    """What owl says first on a new connection in a race does not arrive as it was signed."""

    spoiled = 0

    def hears(self, client: Client, frame: bytes) -> bytes:
        message = decode_from_client(frame)
        if client.name != "owl" or self.spoiled or not isinstance(message, messages.Seal):
            return frame
        if SealBody.decode(message.seal.body).act is not Act.RESUME:
            return frame
        self.spoiled += 1
        return encode(messages.Seal(messages.Signed(message.seal.body, bytes(64))))


def test_a_seal_that_resumes_is_said_again_if_it_was_refused() -> None:
    """World 20000224: the lobby refused all that came without it, for ever."""
    world = SpoilingWorld()
    host = world.host(TableSettings(target_exponent=5))
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.act(guest, actions.Agree())  # a seal, which the lobby has from now on
    world.press(guest, 100, times=5)
    world.run(1_500)
    world.cut(guest)
    world.run(500)
    world.mend(guest)
    world.press(guest, 100)
    world.finish(host, guest)
    assert world.spoiled == 1
    assert world.refused == [("owl", "seal")]
    assert guest.records[0].ok
