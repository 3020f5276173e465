"""In which order sockets are heard, and what is handed on of them (porch.py); the sockets are made up."""

from __future__ import annotations

import asyncio
from typing import Any

from lobby import bounds
from lobby.bounds import Bounds
from lobby.guard import FrameWalk, Guard
from lobby.porch import Doorstep, Porch

PATIENCE_S = 10


class Heard:
    """What a porch hands its bytes to, noting them."""

    def __init__(self, name: str, said: list[str]) -> None:
        self.name, self.said = name, said

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.said.append(f"{self.name} came")

    def connection_lost(self, exc: Exception | None) -> None:
        self.said.append(f"{self.name} went")

    def data_received(self, data: bytes) -> None:
        self.said.append(f"{self.name} {data.decode()}")

    def eof_received(self) -> bool | None:
        self.said.append(f"{self.name} ended")
        return None

    def pause_writing(self) -> None:
        self.said.append(f"{self.name} is behind")

    def resume_writing(self) -> None:
        self.said.append(f"{self.name} goes on")


class Wire(asyncio.Transport):
    """A transport to nowhere."""

    def __init__(self) -> None:
        super().__init__({"peername": ("203.0.113.7", 4_711)})
        self.aborted = self.paused = False

    def abort(self) -> None:
        self.aborted = True

    def pause_reading(self) -> None:
        self.paused = True


class Street:
    """Porches in a row, with one doorstep, and what is heard of them."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.guard = Guard()
        self.doorstep = Doorstep()
        self.away = 0

    def comes(self, name: str, *, upgraded: bool = False, at_table: bool = False) -> Any:
        porch = Porch(Heard(name, self.said), self.guard, lambda: 0, self.doorstep, self._turned_away)
        porch.connection_made(Wire())
        if upgraded or at_table:
            porch.upgrade(ord(name), lambda fault: self.said.append(f"{name} {fault}"))
            porch._frames = Uncounted()
        if at_table:
            porch.welcome()
        self.said.clear()
        return porch

    def _turned_away(self) -> None:
        self.away += 1

    async def quiet(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self.doorstep._serving is not None:  # noqa: ASYNC110 - it ends by itself
                await asyncio.sleep(0)


class Uncounted(FrameWalk):
    """The bytes of these tests are no frames."""

    def walk(self, data: bytes) -> int:
        return 0


async def test_a_stranger_alone_is_heard_at_once():
    street = Street()
    street.comes("a").data_received(b"1")
    assert street.said == ["a 1"]
    await street.quiet()


async def test_who_is_at_a_table_waits_for_no_stranger_and_who_has_begun_takes_turns_with_who_comes():
    street = Street()
    strangers = [street.comes(name) for name in "abc"]
    begun, player = [street.comes(name, upgraded=True) for name in "defg"], street.comes("p", at_table=True)
    for porch in (*strangers, *begun, player):
        porch.data_received(b"1")
    assert street.said == ["a 1", "p 1"]
    await street.quiet()
    assert street.said == ["a 1", "p 1", "d 1", "b 1", "e 1", "c 1", "f 1", "g 1"]


async def test_who_says_it_in_many_small_pieces_has_no_more_turns_than_others():
    street = Street()
    first, chatty, other = (street.comes(name) for name in "abc")
    first.data_received(b"1")
    for piece in (b"1", b"2", b"3"):
        chatty.data_received(piece)
    other.data_received(b"1")
    await street.quiet()
    chatty.data_received(b"4")
    await street.quiet()
    assert street.said == ["a 1", "b 123", "c 1", "b 4"]


async def test_what_a_stranger_said_before_the_welcome_is_heard_before_what_it_says_after():
    street = Street()
    crowd, player = street.comes("a"), street.comes("p", upgraded=True)
    crowd.data_received(b"1")
    player.data_received(b"1")
    player.welcome()
    player.welcome()
    player.data_received(b"2")
    await street.quiet()
    player.data_received(b"3")
    assert street.said == ["a 1", "p 12", "p 3"]


async def test_what_those_said_who_have_gone_is_not_heard_any_more():
    street = Street()
    first, second = street.comes("a"), street.comes("b")
    first.data_received(b"1")
    second.data_received(b"1")
    second.connection_lost(None)
    await street.quiet()
    assert street.said == ["a 1", "b went"]
    assert street.guard.sockets == 1


async def test_a_stranger_that_breaks_the_parser_is_cut_and_keeps_nobody_out(caplog):
    street = Street()
    crowd = [street.comes(name) for name in "abc"]
    for porch in crowd:
        porch.data_received(b"\xff" if porch is crowd[1] else b"1")
    await street.quiet()
    assert street.said == ["a 1", "c 1"]
    assert [porch._transport.aborted for porch in crowd] == [False, True, False]
    assert "could not be read" in caplog.text


async def test_a_flood_before_the_upgrade_is_cut_and_after_it_is_told():
    street = Street()
    plain, socket_peer = street.comes("a"), street.comes("b", upgraded=True)
    for porch in (plain, socket_peer):
        porch.data_received(bytes(bounds.STRANGER_BYTES_BURST + 1))
        porch.data_received(b"more")
    assert (plain._transport.aborted, socket_peer._transport.aborted) == (True, False)
    assert socket_peer._transport.paused
    assert street.said == ["b flood"]
    assert street.away == 1


def test_what_the_transport_tells_is_handed_on_unless_the_peer_was_turned_away():
    street = Street()
    porch = street.comes("a")
    porch.pause_writing()
    porch.resume_writing()
    assert porch.eof_received() is None
    assert street.said == ["a is behind", "a goes on", "a ended"]
    full = Guard(Bounds(connections_max=1))
    full.sockets = 1 + bounds.SPARE_SOCKETS
    away = Porch(Heard("z", street.said), full, lambda: 0, street.doorstep, street._turned_away)
    away.connection_made(Wire())
    away.data_received(b"1")
    away.pause_writing()
    away.resume_writing()
    assert away.eof_received() is None
    away.connection_lost(None)
    assert street.said == ["a is behind", "a goes on", "a ended"]
    assert full.sockets == 1 + bounds.SPARE_SOCKETS


async def test_who_has_greeted_and_was_not_heard_yet_is_known():
    street = Street()
    crowd, here, silent = street.comes("a"), street.comes("b", upgraded=True), street.comes("c", upgraded=True)
    street.comes("p", at_table=True).data_received(b"1")
    for porch in (crowd, here):
        porch.data_received(b"1")
    assert street.doorstep.unheard == {here.number}
    assert silent.number not in street.doorstep.unheard
    await street.quiet()
    assert street.doorstep.unheard == set()


async def test_what_was_said_before_the_upgrade_and_not_read_yet_is_unheard():
    street = Street()
    crowd, early = street.comes("a"), street.comes("b")
    for porch in (crowd, early):
        porch.data_received(b"1")
    early.upgrade(7, street.said.append)
    assert street.doorstep.unheard == {7}
    await street.quiet()
    assert street.doorstep.unheard == set()
