"""The real table against a slow and obvious model of rules.md §3 and §4 (model.py, model_race.py).

A hypothesis state machine lets people come, go, sit, play, offer draws and time pass at one `Table`, tells the model
the same, and compares the two after every rule; every finished race is also verified from its record. The moves are
made by real games on the dealt deck and sealed by real keys. Boards, decks and windows are small, so that everything
happens often; time passes by amounts that end just before, at and just after whatever falls due.

RACE2048_LONG=1 makes ten times as many steps, others each time.
"""

from __future__ import annotations

import os
from copy import copy
from dataclasses import dataclass, field
from random import Random

from hypothesis import HealthCheck, Phase, settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from engine.board import Direction
from engine.deck import DealtDeck
from engine.game import Game
from engine.race import Kind, SeatState, Termination
from lobby import events as lobby_events
from lobby.opening import DealOptions
from lobby.racing import RaceRun
from lobby.table import Table
from protocol import messages
from protocol.deal import Ready, commitment
from protocol.limits import Windows
from protocol.messages import FromClient, Role, Signed, TableSettings
from protocol.movelog import Act, MoveLog, MoveSlice, SealBody
from protocol.signing import Signer
from protocol.tick import Tick
from protocol.verdict import verify_record
from tests.lobby import model
from tests.lobby.model import Happened, House, Model, Rules
from tests.lobby.model_race import NEVER, After, Judge, Law, Said
from tests.world import entropy_of

LONG = bool(os.environ.get("RACE2048_LONG"))
EXAMPLES, STEPS = int(os.environ.get("EX", 0)) or (10_200 if LONG else 1_020), 50
STEPS_MIN = 500_000 if LONG else 50_000

WINDOWS = Windows(
    countdown_ms=600, nonce_ms=900, silent_ms=7_000, away_ms=3_000, idle_warning_ms=500, offer_lapse_ms=2_000,
    offer_wait_ms=700, offers_max=3, closing_ms=800, unsealed_ms=2_500, resync_ms=2_000,
)  # fmt: skip
HOUSE = House(countdown_ms=600, nonce_ms=900, silent_ms=7_000, away_ms=3_000, closing_ms=800)
WATCH_CODE, PERSONS = "w", "abcdefg"  # f and g are computers
COMPUTERS = "fg"
KINDS = {"target": Kind.TARGET, "timed": Kind.TIMED, "endless": Kind.ENDLESS}
CLAUSES = {
    "alone": Termination.ALONE, "void": Termination.VOID, "target": Termination.TARGET, "agreed": Termination.DRAW,
    "last mover": Termination.LAST_MOVER, "all stuck": Termination.ALL_STUCK, "bell": Termination.BELL,
}  # fmt: skip
ACTS = {
    "seal": Act.NONE, "offer": Act.OFFER, "agree": Act.AGREE, "refuse": Act.REFUSE, "withdraw": Act.WITHDRAW,
    "resign": Act.RESIGN,
}  # fmt: skip

VOTES = ("offer", "agree", "refuse", "withdraw")
WAKES_MAX = 3  # what falls due by something that fell due in the same millisecond

# Differences that are reported and not settled yet: there the model takes the core's way (model: `as_core`).
KNOWN: frozenset[str] = frozenset(os.environ.get("KNOWN", "record,leave,agree,empty,resign,idle").split(","))


@dataclass
class Own:
    """What a player's program holds of the race that goes on."""

    run: RaceRun
    seat: int
    game: Game
    log: MoveLog
    seals: int = 0
    tick_seen: int = 0  # the last it has named
    resume: bool = False


@dataclass
class Person:
    """Somebody who may come to the table."""

    name: str
    signer: Signer
    role: Role
    nonce: bytes
    connection: int | None = None
    hung: bool = False  # connected, but nothing is heard any more
    trip_ms: int = 0
    tick: int = 0  # the newest it was sent
    own: Own | None = None


def drawn_rules(dice: Random, chain_length: int) -> tuple[TableSettings, Rules]:
    """Settings for a table, and what they mean to the model."""
    kind = dice.choice(list(KINDS))
    target = dice.choice((3, 4, 4, 5)) if kind == "target" else 0
    bell_ms = dice.choice((5_000, 5_500)) if kind == "timed" else 0
    idle_ms = dice.choice((0, 0, 1_000, 2_500)) if kind != "timed" else 0
    seats = dice.choice((2, 2, 3, 3, 4))
    core = TableSettings(
        seats=seats, size=3, kind=KINDS[kind], target_exponent=target, time_ms=bell_ms, idle_ms=idle_ms
    )  # fmt: skip
    law = Law(
        kind=kind, seats=seats, target=target, bell_ms=bell_ms or NEVER, idle_ms=idle_ms,
        moves_max=8 * chain_length - 2, away_ms=3_000, lapse_ms=2_000, wait_ms=700, offers_max=3,
        unsealed_ms=2_500, resync_ms=2_000, as_core=KNOWN,
    )  # fmt: skip
    return core, Rules(seats, law)


numbers = strategies.integers(0, (1 << 32) - 1)


class TableMachine(RuleBasedStateMachine):
    """One table and whoever comes to it. Every rule draws one number, and all else from it."""

    steps = 0

    @initialize(number=numbers)
    def opens(self, number: int) -> None:
        dice = Random(number)
        self.now_ms = 1_000_000
        chain_length = dice.choice((1, 1, 2, 2, 3, 12))
        self.chain_length = chain_length
        core, self.first_rules = drawn_rules(dice, chain_length)
        self.people = {
            name: Person(
                name,
                Signer(name.encode() * 32),
                Role.COMPUTER if name in COMPUTERS else Role.PLAYER,
                name.encode() * 32,
            )
            for name in PERSONS
        }
        self.by_key = {person.signer.key: name for name, person in self.people.items()}
        self.connections: dict[int, Person] = {}
        self.told: dict[int, int] = {}  # by number of a draw offer: the tick that told of it first
        self.events: list[Happened] = []
        self.memo: dict[tuple[int, int], Judge] = {}
        self.verified: bytes | None = None
        self.over = False
        self.read = 0  # how many events `now` is made of
        self.table = Table(
            code="123456", watch_code="654321", settings=core, host=self.people["a"].signer.key,
            signer=Signer(b"l" * 32), entropy=entropy_of("table"), epoch=1,
            options=DealOptions(windows=WINDOWS, chain_length=chain_length), now_ms=self.now_ms,
        )  # fmt: skip
        self.arrive(self.people["a"], by_watch_code=False)
        for name in dice.sample("bcdf", dice.randrange(4)):
            self.arrive(self.people[name], by_watch_code=False)
        if dice.random() < 0.8:
            self.push_on(dice)
        self.check()

    @property
    def ended(self) -> bool:
        """Whether nothing more can happen: the table is closed (or what comes would say nothing)."""
        return self.over or self.table.phase == model.CLOSED

    # ── both are told ────────────────────────────────────────────────────────────────────────────────────────────

    def handle(self, event: lobby_events.TableEvent) -> None:
        """Tells the table something, and the time as often as it asks for it at once."""
        for _ in range(WAKES_MAX):
            for effect in self.table.handle(event, self.now_ms):
                if isinstance(effect, lobby_events.Close):
                    self.close(effect.connection)
                elif isinstance(effect, lobby_events.Send):
                    self.carry(effect.connections, effect.message)
            if self.table.deadline is None or self.table.deadline > self.now_ms:
                return
            event = lobby_events.Woke()
        raise AssertionError(self.told_of("the deadline stands still", self.table.deadline, self.now_ms))

    def close(self, connection: int) -> None:
        person = self.connections.pop(connection, None)
        if person is not None and person.connection == connection:
            person.connection = None

    def carry(self, connections: tuple[int, ...], message: messages.FromLobby) -> None:
        signed = message.tick if isinstance(message, messages.Ticked) else None
        if isinstance(message, messages.Welcome):
            signed = message.race.tick
        if isinstance(message, messages.Started):
            self.told = {}
            for person in self.people.values():
                person.tick = 0
        if signed is None:
            return
        tick = Tick.decode(signed.body)
        if tick.offer is not None:
            self.told.setdefault(tick.offer.number, tick.number)
        for connection in connections:
            self.connections[connection].tick = max(self.connections[connection].tick, tick.number)

    def say(
        self, person: Person, message: FromClient, what: str, value: object = None, said: Said | None = None
    ) -> None:
        """Somebody who is connected says something to the core, and the model is told what it means."""
        if person.connection is not None and not self.ended:
            self.events.append(Happened(self.now_ms, person.name, what, value, said))
            self.handle(lobby_events.Said(person.connection, message))

    def arrive(self, person: Person, *, by_watch_code: bool) -> None:
        if self.ended:  # the lobby does not know it any more
            return
        old, person.connection = person.connection, max(self.connections, default=0) + 1 + self.now_ms
        if old is not None:
            del self.connections[old]
        self.connections[person.connection] = person
        person.hung = False
        if person.own is not None:
            person.own.resume = person.own.seals > 0
        computer = person.role is Role.COMPUTER
        self.events.append(Happened(self.now_ms, person.name, "arrived", by_watch_code, computer=computer))
        key = person.signer.key
        self.handle(lobby_events.Arrived(person.connection, key, person.role, person.name, not by_watch_code))

    def vanish(self, person: Person) -> None:
        connection, person.connection = person.connection, None
        if connection is not None:
            del self.connections[connection]
            self.events.append(Happened(self.now_ms, person.name, "vanished"))
            self.handle(lobby_events.Gone(connection))

    def ready(self, person: Person) -> None:
        opening, seat = self.table.dealing.opening, self.table.seating.seat_of(person.signer.key)
        promise = commitment(opening.deal_hash, person.signer.key, person.nonce)
        name = person.name if seat is None else seat.name
        body = Ready(person.signer.key, promise, name, person.role is Role.COMPUTER).encode()
        signed = Signed(body, person.signer.sign("ready", opening.deal_hash, body))
        self.say(person, messages.SayReady(signed), "readied")

    def open_nonce(self, person: Person) -> None:
        if self.table.dealing.opening.seats_signed is not None:  # or there is nothing that could be opened
            self.say(person, messages.OpenNonce(person.nonce), "opened")

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def wait(self, duration_ms: int, *, woken: bool = True) -> None:
        """Lets time pass; at its end the table is told the time, or not yet."""
        if self.ended:
            return
        end_ms = self.now_ms + duration_ms
        heard_ms = self.now_ms
        while True:
            due_ms = self.table.deadline
            next_ms = min(end_ms, end_ms if due_ms is None else due_ms, heard_ms + 3_000)
            self.now_ms = max(self.now_ms, next_ms)
            if self.now_ms == end_ms and not woken:
                return
            if self.now_ms >= heard_ms + 3_000 and duration_ms < 20_000:
                heard_ms = self.now_ms
                self.pong()
            elif self.now_ms >= heard_ms + 3_000:
                heard_ms = end_ms
            if self.table.deadline is not None and self.table.deadline <= self.now_ms:
                self.handle(lobby_events.Woke())
            if self.now_ms == end_ms:
                break
        self.events.append(Happened(self.now_ms, "", "woke"))
        self.handle(lobby_events.Woke())

    def pong(self) -> None:
        for person in self.people.values():
            if person.connection is not None and not person.hung:
                pong = messages.Pong(self.now_ms - person.trip_ms, 0)
                self.say(person, pong, "ponged", person.trip_ms)

    def edges(self, now: Model) -> list[int]:
        """How long it is until whatever falls due next."""
        moments = [due for due in now.dues() if due < NEVER // 2]
        race = now.race
        if race is not None:
            moments += [race.start_ms, race.start_ms - HOUSE.cancel_ms]
            for offer in now.judge(race).offers[-1:]:
                moments += [race.start_ms + offer.made_ms + 2_000, race.start_ms + offer.over_ms + 700]
            if race.law.bell_ms < NEVER:
                moments += [race.start_ms + race.law.bell_ms - 1_000]
        return sorted(m - self.now_ms for m in moments if 0 < m - self.now_ms < 20_000)

    @rule(number=numbers)
    def waits(self, number: int) -> None:
        dice = Random(number)
        edges = self.edges(self.modelled())
        if edges and dice.random() < 0.7:
            edge = edges[0] if dice.random() < 0.6 else dice.choice(edges)
            self.wait(max(0, edge + dice.choice((-1, -1, 0, 0, 1, -10, -150))), woken=dice.random() < 0.6)
        else:
            self.wait(dice.choice((0, 1, 5, 25, 100, 149, 150, 151, 250, 400, 1_000, 1_900)))
        self.check()

    @precondition(lambda self: not self.connections)
    @rule(number=numbers)
    def waits_for_long(self, number: int) -> None:
        self.wait(Random(number).choice((3_000, 599_000, 600_000, 610_000)))
        self.check()

    # ── people ───────────────────────────────────────────────────────────────────────────────────────────────────

    def push_on(self, dice: Random) -> None:
        """Everybody does what leads to the next race."""
        table = self.table
        if self.ended:
            return
        if table.phase == model.FINISHED:
            self.say(self.host(), messages.Again(), "again")
            self.wait(dice.choice((0, 100)))
        if table.phase == model.SEATING:
            self.wait(0 if table.dealing.stands else 1_000)
        if table.phase in (model.SEATING, model.OPENING):
            for person in self.seated():
                self.ready(person)
            self.say(self.host(), messages.Begin(), "begin")
            self.compare()
            for person in self.seated():
                self.open_nonce(person)
        if table.phase == model.COUNTDOWN:
            self.pong()
            self.wait(max(0, HOUSE.countdown_ms + dice.choice((-151, -150, -1, 0, 1, 0, 30))))

    def host(self) -> Person:
        return self.people[self.by_key[self.table.seating.host]]

    def seated(self) -> list[Person]:
        return [self.people[self.by_key[seat.key]] for seat in self.table.seating]

    @rule(number=numbers)
    def comes(self, number: int) -> None:
        dice = Random(number)
        away = [person for person in self.people.values() if person.connection is None]
        seated = [person for person in self.seated() if person.connection is None]
        people = list(self.people.values()) if dice.random() < 0.1 else seated if dice.random() < 0.8 else away
        if people:
            person = dice.choice(people)
            person.trip_ms = dice.choice((0, 0, 1, 40, 280, 281, 400, 900))
            self.arrive(person, by_watch_code=dice.random() < 0.1)
            if dice.random() < 0.5:
                self.pong()
        self.check()

    @rule(number=numbers)
    def goes(self, number: int) -> None:
        dice = Random(number)
        here = list(self.connections.values())
        if here:
            person = dice.choice(here)
            way = dice.random()
            if way < 0.5:
                self.vanish(person)
            elif way < 0.7:
                self.say(person, messages.Leave(), "left")
            elif way < 0.8:
                person.hung = True
            elif way < 0.85 and self.table.phase in model.IN_RACE:
                for other in here:
                    self.vanish(other)
        self.check()

    @rule(number=numbers)
    def asks(self, number: int) -> None:
        """Somebody at the table wants something that anybody may ask for."""
        dice = Random(number)
        here = list(self.connections.values())
        if here:
            person = dice.choice(here)
            ways = ["sit", "stand", "ready", "ready", "unready", "nonce", "nonce", "again", "resync"]
            way = dice.choice(ways)
            if way == "ready":
                self.ready(person)
            elif way == "nonce":
                self.open_nonce(person)
            elif way == "resync":
                self.resync(person)
            else:
                plain = {
                    "sit": messages.Sit(), "stand": messages.Stand(), "unready": messages.Unready(),
                    "again": messages.Again(),
                }  # fmt: skip
                self.say(person, plain[way], {"unready": "unreadied"}.get(way, way))
        self.check()

    @rule(number=numbers)
    def orders(self, number: int) -> None:
        """Somebody, mostly the host, wants something that only the host may."""
        dice = Random(number)
        person = self.host()
        if dice.random() < 0.15 and self.connections:
            person = dice.choice(list(self.connections.values()))
        way = dice.choice(("set", "set", "kick", "allow", "lock", "begin", "cancel", "again"))
        if way == "set":
            core, rules = drawn_rules(dice, self.chain_length)
            self.say(person, messages.ChangeSettings(core), "set", rules)
        elif way == "kick":
            seat = dice.randrange(4)
            self.say(person, messages.Kick(seat), "put_out", seat)
        elif way == "lock":
            locked = dice.random() < 0.4
            self.say(person, messages.Lock(locked=locked), "lock", locked)
        else:
            plain: dict[str, FromClient] = {
                "allow": messages.Allow(), "begin": messages.Begin(), "cancel": messages.Cancel(), "again": messages.Again()
            }  # fmt: skip
            self.say(person, plain[way], way)
        self.check()

    @precondition(lambda self: self.table.phase not in (model.RACING, model.SETTLING, model.CLOSED))
    @rule(number=numbers)
    def goes_on(self, number: int) -> None:
        dice = Random(number)
        if dice.random() < 0.5 and self.table.phase == model.SEATING:
            for name in dice.sample("abcdf", 3):
                if self.people[name].connection is None:
                    self.arrive(self.people[name], by_watch_code=False)
        self.push_on(dice)
        self.check()

    # ── a race ───────────────────────────────────────────────────────────────────────────────────────────────────

    def own(self, person: Person) -> Own | None:
        """What this person's program knows of the race, if it plays in it."""
        run = self.table.run
        seats = [] if run is None else [track.number for track in run.tracks if track.seat.key == person.signer.key]
        if run is None or not seats:
            return None
        if person.own is None or person.own.run is not run:
            deck = DealtDeck(run.opened.chain, run.mix)
            log = MoveLog(run.mix, seats[0], person.signer.key)
            person.own = Own(run, seats[0], Game(3, deck), log)
        return person.own

    def racers(self) -> list[tuple[Person, Own]]:
        """Everybody connected who plays in the race."""
        pairs = [(person, self.own(person)) for person in self.connections.values()]
        return [(person, own) for person, own in pairs if own is not None]

    def seal(self, person: Person, own: Own, act: Act, argument: int = 0) -> Signed:
        body = SealBody(own.seat, own.seals + 1, len(own.log), own.log.head, own.tick_seen, act, argument)
        return body.sign(person.signer, own.run.mix)

    def known(self, own: Own) -> frozenset[int]:
        return frozenset(number for number, tick in self.told.items() if tick <= own.tick_seen)

    def act(self, person: Person, own: Own, what: str, offer: int = 0) -> None:
        act = Act.RESUME if own.resume else ACTS[what]
        said = Said(0, own.seat, "seal" if own.resume else what, known=self.known(own), offer=offer)
        signed = self.seal(person, own, act, offer)
        track = own.run.tracks[own.seat]
        before = track.seals
        self.say(person, messages.Seal(signed), "acted", None, said)
        if track.seals != before:
            own.seals, own.resume = own.seals + 1, False

    def resync(self, person: Person) -> None:
        own = self.own(person)
        if own is not None and self.table.phase not in (model.COUNTDOWN, model.FINISHED):
            self.say(person, messages.Resync(len(own.log)), "resynced")

    def claims(self, dice: Random, own: Own, count: int) -> list[int]:
        """Claimed times for so many moves: all at once, spread out, or at an edge of what is believed."""
        race_ms, last_ms = self.now_ms - own.run.start_ms, own.log.last_ms
        way = dice.randrange(10)
        if way < 4:
            first = max(last_ms, race_ms - dice.choice((50, 400, 1_000)))
            times = [first + (race_ms - first) * place // count for place in range(1, count + 1)]
        elif way < 6:
            times = [race_ms] * count
        elif way < 9:
            edge = dice.choice((0, 1, 9, 10, 11, 149, 150, 151, 160, 250, 251, 260, 261, 399, 400, 401))
            times = [race_ms - edge] * count
        else:
            times = [race_ms + dice.choice((99, 100, 100, 101))] * count
        return [max(last_ms, 0, t) for t in times]

    def play(self, dice: Random, own: Own) -> tuple[Game, bytes, list[After]]:
        """Moves on the own board: the game after them, the directions, and every board."""
        game, directions, boards = copy(own.game), bytearray(), []
        wanted = 14 if dice.random() < 0.04 else dice.choice((1, 2, 3, 4, 6))
        target = own.run.terms.target_exponent
        while len(directions) < wanted and not game.stuck:
            order = dice.sample(range(4), 4)
            direction = next(d for d in order if game.board.slide(Direction(d)) is not None)
            game.move(Direction(direction))
            directions.append(direction)
            boards.append(After(game.score, game.max_exponent, game.stuck and not game.deck_used_up))
            if 0 < target <= game.max_exponent and dice.random() < 0.95:
                break
        return game, bytes(directions), boards

    @precondition(lambda self: self.table.phase in (model.RACING, model.SETTLING, model.CLOSING))
    @rule(number=numbers)
    def moves(self, number: int) -> None:
        dice = Random(number)
        racers = self.racers()
        if racers:
            for person, own in dice.sample(racers, len(racers) if dice.random() < 0.3 else 1):
                self.move(dice, person, own)
        self.check()

    moves_again = moves_once_more = moves

    def move(self, dice: Random, person: Person, own: Own) -> None:
        """A player makes some moves and sends them in a slice, mostly with a seal."""
        game, directions, boards = self.play(dice, own)
        if not directions:
            return
        if own.resume:
            self.act(person, own, "seal")
        times = self.claims(dice, own, len(directions))
        future = dice.random() < 0.02
        tick = person.tick if dice.random() < 0.8 else own.tick_seen
        before = (own.log, own.tick_seen)
        own.tick_seen = max(own.run.ticker.number, own.tick_seen) + 1 if future else max(own.tick_seen, tick)
        own.log = copy_of(own.log)
        for direction, t_ms in zip(directions, times, strict=True):
            own.log.append(direction, t_ms)
        body = MoveSlice(len(before[0]), own.tick_seen, directions, tuple(times)).encode(before[0].last_ms)
        sealed = dice.random() < 0.8
        act = Act.STUCK if game.stuck else Act.NONE
        seal = self.seal(person, own, act) if sealed else None
        said = Said(
            0, own.seat, "moves", tuple(times), tuple(boards), self.known(own), sealed=sealed, from_future=future
        )  # fmt: skip
        track = own.run.tracks[own.seat]
        self.say(person, messages.Slice(body, seal), "moved", None, said)
        if len(track.log) == len(own.log) > len(before[0]):
            own.game, own.seals = game, own.seals + sealed
        else:
            own.log, own.tick_seen = before
            if dice.random() < 0.7:
                self.resync(person)

    @precondition(lambda self: self.table.phase in (model.RACING, model.SETTLING, model.CLOSING))
    @rule(number=numbers)
    def votes(self, number: int) -> None:
        """A player says something about a draw, resigns, or vouches for the moves made so far."""
        dice = Random(number)
        racers = self.racers()
        for person, own in dice.sample(racers, min(len(racers), dice.choice((1, 1, 2, 3, 4)))):
            own.tick_seen = max(own.tick_seen, person.tick if dice.random() < 0.9 else 0)
            if own.resume:
                self.act(person, own, "seal")
            self.vote(dice, person, own)
        self.check()

    def vote(self, dice: Random, person: Person, own: Own) -> None:
        now = self.modelled()
        race = now.race
        offers = [] if race is None else now.judge(race).offers
        offer = None if race is None else now.judge(race).standing(now.race_ms())
        mine = 8 * own.seat + 1 + sum(one.seat == own.seat for one in offers)
        if offer is None:
            what = dice.choice(("offer", "offer", "offer", "offer", "agree", "seal", "resign"))
            number = mine if what == "offer" else offers[-1].number if offers else 9
        else:
            what = dice.choice(("agree", "agree", "agree", "agree", "refuse", "withdraw", "offer", "seal", "resign"))
            number = mine if what == "offer" else offer.number if dice.random() < 0.95 else 8 * own.seat + 1
        idle = race is not None and now.judge(race).seats[own.seat].idle_from_ms <= now.race_ms()
        if "resign" in KNOWN and what == "resign" and idle:
            what = "seal"
        if "agree" in KNOWN and what == "agree" and offer is not None and offer.made_ms == now.race_ms():
            self.wait(1)
        self.act(person, own, what, number)

    # ── both are asked ───────────────────────────────────────────────────────────────────────────────────────────

    def modelled(self) -> Model:
        if len(self.events) != self.read:
            self.now, self.read = Model(HOUSE, self.first_rules, self.events, self.memo), len(self.events)
        return self.now

    def check(self) -> None:
        """Compares the table with the model, unless something has fallen due that the table was not told yet."""
        type(self).steps += 1
        self.compare()

    def compare(self) -> None:
        if self.events[-1].at_ms < self.now_ms:
            return
        now = self.modelled()
        late = now.phase == model.CLOSED and self.now_ms <= now.empty_ms + model.EMPTY_MS + HOUSE.away_ms
        if "empty" in KNOWN and late:
            self.over = self.over or bool(self.connections)
        if self.over or ("empty" in KNOWN and late):
            return
        for name, (core, wanted) in self.pictures(now).items():
            assert core == wanted, self.told_of(name, core, wanted)
        record = self.table.record
        if record is not None and record is not self.verified:
            self.verified = record
            verdict = verify_record(record)
            votes = any(event.said is not None and event.said.what in VOTES for event in self.events)
            assert verdict.ok or ("record" in KNOWN and votes), self.told_of("record", verdict.reason, "true")

    def told_of(self, name: str, core: object, wanted: object) -> str:
        lines = [f"{name}: the table says {core!r}, the rules {wanted!r}; {self.first_rules}", *map(repr, self.events)]
        return "\n".join(lines)

    def pictures(self, now: Model) -> dict[str, tuple[object, object]]:
        """By name, what the core and what the model says."""
        table, names = self.table, self.by_key
        seating = table.seating
        seats = list(seating)
        found: dict[str, tuple[object, object]] = {
            "phase": (str(table.phase), now.phase),
            "host": (names[seating.host], now.host),
            "seats": ([None if seat is None else names[seat.key] for seat in seating.seats], now.seats),
            "connected": ({names[member.key] for member in table.presence}, set(now.heard_ms)),
            "ready": ({names[s.key] for s in seats if s.ready is not None and table.run is None}, now.shown_ready()),
            "wants again": ({names[seat.key] for seat in seats if seat.wants_again}, now.wants_again),
            "locked": (seating.locked, now.locked),
            "put out": ({names[key] for key in seating.kicked}, now.kicked),
            "a Deal stands": (table.dealing.stands, now.deal_due_ms == NEVER),
            "tally": ({names[k]: (t.wins, t.draws, t.losses) for k, t in seating.tally.items()}, now.tally),
        }
        race, run = now.race, table.run
        found["race"] = (run is not None, race is not None)
        if run is not None and race is not None and now.phase == table.phase:
            found |= self.race_pictures(now, run)
        return found

    def race_pictures(self, now: Model, run: RaceRun) -> dict[str, tuple[object, object]]:
        table, race = self.table, now.race
        assert race is not None
        judge, race_ms = now.judge(race), now.race_ms()
        found: dict[str, tuple[object, object]] = {"start": (run.start_ms, race.start_ms)}
        if now.phase in (model.RACING, model.SETTLING):
            live = [(seat.score, seat.max_exponent, seat.moves) for seat in run.live.seats]
            found["figures"] = (live, [seat.figures(race_ms) for seat in judge.seats])
        if now.phase == model.RACING:
            offer = run.live.offer
            found["states"] = (
                [SeatState(seat.state).name.lower() for seat in run.live.seats],
                [seat.state(race_ms) for seat in judge.seats],
            )
            core = (0, ()) if offer is None else (offer.number, tuple(sorted(offer.agreed)))
            found["offer"] = (core, judge.agreed(race_ms))
            ends = [max(0, track.away_until_ms - run.start_ms) for track in run.tracks]
            found["windows"] = (ends, [seat.away_until(race_ms) for seat in judge.seats])
        if table.closing is not None and race.verdict is not None:
            outcome, verdict, ended = table.closing.outcome, race.verdict, table.closing.ended
            core_outcome = (
                outcome.termination,
                outcome.winners,
                outcome.t_ms,
                ended.standing,
                ended.scores,
                ended.moves,
            )
            figures = [seat.figures(verdict.t_ms) for seat in judge.seats]
            found["outcome"] = (
                core_outcome,
                (
                    CLAUSES[verdict.clause], verdict.winners, verdict.t_ms, tuple(judge.standing_order(verdict)),
                    tuple(figure[0] for figure in figures), tuple(figure[2] for figure in figures),
                ),
            )  # fmt: skip
        return found


def copy_of(log: MoveLog) -> MoveLog:
    """A log that can be taken back."""
    twin = copy(log)
    twin.directions, twin.times = log.directions[:], log.times[:]
    return twin


def test_the_table_does_what_the_rules_say_whatever_people_and_time_do() -> None:
    TableMachine.steps = 0
    run_state_machine_as_test(
        TableMachine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=not LONG,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert TableMachine.steps >= STEPS_MIN
