"""A lobby that breaks its word in exactly one way: the double that test_cheating_lobby.py plays against.

It is the real lobby (tests/world.py). A deviation puts something else in the place of one of its steps, or of what it
says, and signs that as rightly as it can; everything else goes on as it would. Without a deviation it is honest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import msgspec

from client.actions import Again, Cancel, SetReady, Start
from engine.digest import digest
from lobby.entropy import Source
from lobby.opening import DealOptions, Opening
from lobby.table import Table
from protocol import messages
from protocol.codec import encode
from protocol.deal import Deal, Ready, Seats, commitment, document_hash, mix
from protocol.deal import Start as StartBody
from protocol.messages import FromLobby, Phase, Role, Signed, TableSettings
from protocol.signing import NO_CONTEXT, Signer
from tests.world import Client, World

LOBBY = Signer(digest("test", b"lobby"))  # the key of the world's lobby
STRANGER = Signer(b"s" * 32)
OPTIONS = DealOptions(chain_length=64)
TO_8 = TableSettings(target_exponent=3)
TO_64 = TableSettings(target_exponent=6)
Deviation = Callable[["CheatingWorld"], None]


class CheatingWorld(World):
    """A table with a host, two guests and a watcher, at a lobby that may come to deviate."""

    def __init__(self, settings: TableSettings = TO_8) -> None:
        super().__init__(OPTIONS)
        self.instead_of: Callable[[Client, FromLobby], tuple[FromLobby, ...]] = lambda client, message: (message,)
        self.fox = self.host(settings)
        self.owl, self.hare = self.join(self.fox, "owl"), self.join(self.fox, "hare")
        self.mole = self.join(self.fox, "mole", role=Role.WATCHER)

    @property
    def everyone(self) -> tuple[Client, ...]:
        return self.fox, self.owl, self.hare, self.mole

    @property
    def table(self) -> Table:
        return self.lobby._tables[self.fox.view(self).code]

    @property
    def opening(self) -> Opening:
        return self.table.dealing.opening

    def says(self, client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
        return self.instead_of(client, message)

    def say(self, *said: FromLobby) -> None:
        """The lobby says something to everyone of its own accord."""
        for message in said:
            for connection in list(self._by_connection):
                self._send_down(connection, message, encode(message))

    def endings(self) -> dict[str, str]:
        """Why each session is over; those that are not are left out."""
        return {client.name: client.session.ending for client in self.everyone if client.session.ending}


# ── up to where it deviates, and what happens then ───────────────────────────────────────────────────────────────────


def seats_close(world: CheatingWorld, deviate: Deviation) -> None:
    """Everyone is ready, and the host starts."""
    _all_ready(world)
    deviate(world)
    world.act(world.fox, Start())
    world.run(8_000)


def a_deck_is_burnt(world: CheatingWorld, deviate: Deviation) -> None:
    """The host calls the countdown off, everyone is ready again, and the host starts once more."""
    _count_down(world)
    deviate(world)
    world.act(world.fox, Cancel())
    world.run(3_000)
    world.act(world.fox, Start())
    world.run(8_000)


def a_race_is_over(world: CheatingWorld, deviate: Deviation) -> None:
    """Somebody has won, and the host deals again."""
    world.start(world.fox, world.owl, world.hare)
    world.press(world.fox, 100)
    world.finish(*world.everyone)
    world.run(200)  # the host's finger is off the key
    deviate(world)
    world.act(world.fox, Again())
    world.run(8_000)


def the_countdown_runs(world: CheatingWorld, deviate: Deviation) -> None:
    """The Start is out."""
    _count_down(world)
    deviate(world)
    world.run(8_000)


def a_race_runs(world: CheatingWorld, deviate: Deviation) -> None:
    """The boards are alive."""
    world.start(world.fox, world.owl, world.hare)
    deviate(world)
    world.run(8_000)


def _all_ready(world: CheatingWorld) -> None:
    for guest in (world.owl, world.hare):
        world.act(guest, SetReady())
    world.run_while(lambda: not world.fox.view(world).can_start)


def _count_down(world: CheatingWorld) -> None:
    _all_ready(world)
    world.act(world.fox, Start())
    world.run_while(lambda: world.table.phase is not Phase.COUNTDOWN)
    world.run(100)


# ── how to deviate ───────────────────────────────────────────────────────────────────────────────────────────────────


def instead(owner: object, name: str, cheat: Callable[..., object]) -> None:
    """Puts `cheat` in the place of a method of one object; it is given the honest one first."""
    setattr(owner, name, partial(cheat, getattr(owner, name)))


def sign(kind: str, context: bytes, body: bytes, signer: Signer = LOBBY) -> Signed:
    return Signed(body, signer.sign(kind, context, body))


def number(name: str, by: int) -> Deviation:
    """The next Deal has another number."""
    return lambda world: setattr(world.opening, name, getattr(world.opening, name) + by)


def other(name: str, size: int = 32) -> Deviation:
    """The next Deal names another document than the one before it, or another table."""
    return lambda world: setattr(world.opening, name, b"x" * size)


def options(**changes: object) -> Deviation:
    """The next Deal is made under other terms."""
    return lambda world: setattr(world.opening, "_options", replace(OPTIONS, **changes))  # type: ignore[arg-type]


def other_settings(world: CheatingWorld) -> None:
    """The next Deal has other settings than the table."""
    instead(world.opening, "_deal", lambda honest, settings: honest(TO_64))


def other_settings_shown_too(world: CheatingWorld) -> None:
    """The next Deal has other settings, and so has the table from then on."""
    world.table.seating.settings = TO_64


def same_chain(world: CheatingWorld) -> None:
    """The next Deal is made of the links of this one, which everyone will know."""
    chain = world.opening.chain
    known = {16: chain.chain_id, 32: chain.link(chain.length)}
    world.opening._entropy = Source(lambda size: known[size])


def same_deal(world: CheatingWorld) -> None:
    """This Deal comes again."""
    instead(world.opening, "_deal", lambda honest, settings: None)


def not_signed(world: CheatingWorld) -> None:
    """The next Deal is signed with another key."""
    world.opening._signer = _Forger(LOBBY.key)


class _Forger(Signer):
    """Signs with a stranger's key in the name of another."""

    def __init__(self, key: bytes) -> None:
        super().__init__(b"s" * 32)
        self.key = key


def drop(kind: type) -> Deviation:
    """A message is not sent."""

    def deviate(world: CheatingWorld) -> None:
        world.instead_of = lambda client, message: () if isinstance(message, kind) else (message,)

    return deviate


def other_burnt_link(world: CheatingWorld) -> None:
    """What is shown of a burnt chain is not its end."""
    instead(world.opening, "burn", lambda honest: bytes([honest()[0] ^ 1]) + honest()[1:])


def two_deals(world: CheatingWorld) -> None:
    """One player is told another Deal than the others."""

    def says(client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
        if isinstance(message, messages.Dealt) and client is world.owl:
            body = replace(Deal.decode(message.deal.body), chain_id=b"o" * 16).encode()
            return (messages.Dealt(sign("deal", NO_CONTEXT, body)),)
        return (message,)

    world.instead_of = says
    instead(world.opening, "ready_holds", lambda honest, signed, seat: True)


# ── Seats ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def seats(change: Callable[[list[Signed], Opening], list[Signed]], signer: Signer = LOBBY) -> Deviation:
    """The list of players is another one; `change` makes it of the Readies that there are."""

    def close(opening: Opening, honest: Callable[[object], Signed], seated: object) -> Signed:
        readies = change(list(Seats.decode(honest(seated).body).readies), opening)
        opening.seats_signed = sign("seats", opening.deal_hash, Seats(tuple(readies)).encode(), signer)
        return opening.seats_signed

    return lambda world: instead(world.opening, "close", partial(close, world.opening))


def altered(readies: list[Signed], opening: Opening) -> list[Signed]:
    """The second player's commitment is another one, under the old signature."""
    body = replace(Ready.decode(readies[1].body), commitment=bytes(32)).encode()
    return [readies[0], Signed(body, readies[1].signature), readies[2]]


def with_a_stranger(readies: list[Signed], opening: Opening) -> list[Signed]:
    """The lobby deals in a player of its own, whom nobody sees at the table."""
    promise = commitment(opening.deal_hash, STRANGER.key, bytes(32))
    body = Ready(STRANGER.key, promise, "cuckoo").encode()
    return [*readies, sign("ready", opening.deal_hash, body, STRANGER)]


def one_who_is_not_ready(world: CheatingWorld) -> None:
    """A guest has taken Ready back, and the race is started without that."""
    world.act(world.owl, SetReady(False))
    world.run(100)
    instead(world.table.seating, "start_fault", lambda honest: None)
    close = world.opening.close
    instead(world.opening, "close", lambda honest, seated: close([seat for seat in seated if seat.ready is not None]))


def two_lists(world: CheatingWorld) -> None:
    """There are two lists for one Deal: the second has the seats in another order."""

    def says(client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
        if not isinstance(message, messages.SeatsClosed):
            return (message,)
        readies = Seats.decode(message.seats.body).readies
        body = Seats((*readies[1:], readies[0])).encode()
        return message, messages.SeatsClosed(sign("seats", world.opening.deal_hash, body))

    world.instead_of = says


def readies_of_the_deal_before(world: CheatingWorld) -> None:
    """The list for the next Deal has the Ready that a player gave for this one."""
    assert world.table.run is not None
    old = Seats.decode(world.table.run.opened.seats_signed.body).readies[1]
    seats(lambda readies, opening: [readies[0], old, readies[2]])(world)


# ── Start ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def start(change: Callable[[StartBody], StartBody], signer: Signer = LOBBY) -> Deviation:
    """The Start says something else."""

    def says(client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
        if not isinstance(message, messages.Started):
            return (message,)
        body = change(StartBody.decode(message.start.body))
        return (messages.Started(sign("start", body.mix, body.encode(), signer)),)

    return lambda world: setattr(world, "instead_of", says)


def start_at_once(*, with_seats: bool) -> Deviation:
    """The race starts when the list of players is closed, with what the lobby makes up, or without such a list.

    Whoever runs the lobby may well have found out somebody's nonce; here it knows them all.
    """

    def deviate(world: CheatingWorld) -> None:
        def says(client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
            if not isinstance(message, messages.SeatsClosed):
                return (message,)
            players = (world.fox, world.owl, world.hare)
            known = tuple(each.session.trust._nonce for each in players if each.session.trust is not None)
            nonces = (bytes(32),) * 3 if with_seats else known
            value = mix(world.opening.deal_hash, document_hash("seats", message.seats), nonces)
            body = StartBody(value, nonces, world.now_ms + 3_000).encode()
            started = messages.Started(sign("start", value, body))
            return (message, started) if with_seats else (started,)

        world.instead_of = says

    return deviate


def another_start(world: CheatingWorld) -> None:
    """There is a second Start, a second later."""
    world.say(messages.Started(_later_start(world)))


def another_start_as_if_nothing_had_been(world: CheatingWorld) -> None:
    """There is a second Start, after the table was shown as if the first had been called off."""
    view = world.table.view()
    world.say(
        messages.TableChanged(msgspec.structs.replace(view, phase=Phase.SEATING), None),
        messages.Started(_later_start(world)),
    )


def _later_start(world: CheatingWorld) -> Signed:
    assert world.table.run is not None
    start = world.table.run.opened.start
    return sign("start", start.mix, replace(start, start_ms=start.start_ms + 1_000).encode())


def after_it_was_burnt(what: str) -> Deviation:
    """The opening of a burnt Deal goes on as if it were not."""

    def deviate(world: CheatingWorld) -> None:
        assert world.table.run is not None
        opened = world.table.run.opened
        late = messages.SeatsClosed(opened.seats_signed) if what == "seats" else messages.Started(opened.start_signed)

        def says(client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
            return (message, late) if isinstance(message, messages.Burnt) else (message,)

        world.instead_of = says

    return deviate


# ── links ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def the_deck_is_shown(world: CheatingWorld) -> None:
    """The chain is burnt while it is raced on."""
    world.say(messages.Burnt(world.opening.chain.link(OPTIONS.chain_length)))


def links(change: Callable[[CheatingWorld, int], tuple[int, bytes]]) -> Deviation:
    """The links that follow are other ones."""

    def deviate(world: CheatingWorld) -> None:
        def says(client: Client, message: FromLobby) -> tuple[FromLobby, ...]:
            if isinstance(message, messages.Link):
                return (messages.Link(*change(world, message.number)),)
            return (message,)

        world.instead_of = says

    return deviate
