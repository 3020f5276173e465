"""A table of the core and the model of it, told the same and compared: what test_model.py lets people do things to.

`Both` owns the clock, the people's connections and the list of events. Whatever is done to the table is written down
for the model in the model's words; `compare` asks both how things stand. It never looks into the core to tell the
model something that the model must find out by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from engine.game import Game
from engine.race import Kind, SeatState, Termination
from lobby import events as lobby_events
from lobby.opening import DealOptions
from lobby.racing import RaceRun
from lobby.snapshot import frozen, thaw
from lobby.table import Table
from protocol import messages
from protocol.deal import Ready, commitment
from protocol.limits import Windows
from protocol.messages import FromClient, Role, Signed, TableSettings
from protocol.movelog import MoveLog
from protocol.signing import Signer
from protocol.tick import Tick
from protocol.verdict import verify_record
from tests.lobby import model
from tests.lobby.model import Model
from tests.lobby.model_hearing import Happened, House, Rules
from tests.lobby.model_race import NEVER, Judge, Law, Said
from tests.world import entropy_of

WINDOWS = Windows(
    countdown_ms=600, nonce_ms=900, silent_ms=7_000, away_ms=3_000, idle_warning_ms=500, offer_lapse_ms=2_000,
    offer_wait_ms=700, offers_max=2, closing_ms=800, unsealed_ms=2_500, resync_ms=2_000,
)  # fmt: skip
HOUSE = House(countdown_ms=600, nonce_ms=900, silent_ms=7_000, away_ms=3_000, closing_ms=800)
WATCH_CODE, PERSONS = "w", "abcdefg"  # f and g are computers
COMPUTERS = "fg"
KINDS = {"target": Kind.TARGET, "timed": Kind.TIMED, "endless": Kind.ENDLESS}
CLAUSES = {
    "alone": Termination.ALONE, "void": Termination.VOID, "target": Termination.TARGET, "agreed": Termination.DRAW,
    "last mover": Termination.LAST_MOVER, "all stuck": Termination.ALL_STUCK, "bell": Termination.BELL,
}  # fmt: skip
REBUILT_EVERY = 32  # comparisons: each costs as much as all of them
WAKES_MAX = 3  # what falls due by something that fell due in the same millisecond


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
        moves_max=8 * chain_length - 2, away_ms=3_000, lapse_ms=2_000, wait_ms=700, offers_max=2,
        unsealed_ms=2_500, resync_ms=2_000,
    )  # fmt: skip
    return core, Rules(seats, law)


def person_called(name: str) -> Person:
    """Somebody with a key and a nonce of their own."""
    role = Role.COMPUTER if name in COMPUTERS else Role.PLAYER
    return Person(name, Signer(name.encode() * 32), role, name.encode() * 32)


class Both:
    """A table, whoever comes to it, and what the model is told."""

    def __init__(self, settings: TableSettings, rules: Rules, chain_length: int) -> None:
        self.now_ms = 1_000_000
        self.chain_length, self.first_rules = chain_length, rules
        self.people = {name: person_called(name) for name in PERSONS}
        self.by_key = {person.signer.key: name for name, person in self.people.items()}
        self.connections: dict[int, Person] = {}
        self.connected = 0  # how many connections there have been
        self.told: dict[int, int] = {}  # by number of a draw offer: the tick that told of it first
        self.events: list[Happened] = []
        self.memo: dict[tuple[int, int], Judge] = {}
        self.verified: bytes | None = None
        self.ended_by: list[str] = []  # the clauses by which races ended
        self.now: Model | None = None
        self.read = 0  # how many events `now` is made of
        self.entropy = entropy_of("table")
        self.compared = 0
        self.table = Table(
            code="123456", watch_code="654321", settings=settings, host=self.people["a"].signer.key,
            signer=Signer(b"l" * 32), entropy=self.entropy, epoch=1,
            options=DealOptions(windows=WINDOWS, chain_length=chain_length), now_ms=self.now_ms,
        )  # fmt: skip

    @property
    def ended(self) -> bool:
        """Whether the table is closed: the lobby does not know it any more, and nothing can happen to it."""
        return self.table.phase == model.CLOSED

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

    def rebuild(self) -> None:
        """The table is kept as a restarted lobby would find it, and read again: nobody may notice."""
        table = thaw(frozen(self.table, self.entropy), Signer(b"l" * 32), self.entropy)
        for person in self.people.values():
            if person.own is not None and person.own.run is self.table.run and table.run is not None:
                person.own.run = table.run
        self.table = table

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
        if self.ended:
            return
        self.connected += 1
        old, person.connection = person.connection, self.connected
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

    def host(self) -> Person:
        return self.people[self.by_key[self.table.seating.host]]

    def seated(self) -> list[Person]:
        return [self.people[self.by_key[seat.key]] for seat in self.table.seating]

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
            for offer in race.judge().offers[-1:]:
                moments += [race.start_ms + offer.made_ms + 2_000, race.start_ms + offer.over_ms + 700]
            if race.law.bell_ms < NEVER:
                moments += [race.start_ms + race.law.bell_ms - 1_000]
        return sorted(m - self.now_ms for m in moments if 0 < m - self.now_ms < 20_000)

    # ── both are asked ───────────────────────────────────────────────────────────────────────────────────────────

    def modelled(self) -> Model:
        if self.now is None or len(self.events) != self.read:
            self.now, self.read = Model(HOUSE, self.first_rules, self.events, self.memo), len(self.events)
        return self.now

    def compare(self) -> None:
        """Compares the table with the model, unless something has fallen due that the table was not told yet."""
        if self.events[-1].at_ms < self.now_ms:
            return
        self.compared += 1
        if self.compared % REBUILT_EVERY == 0:
            self.rebuild()
        now = self.modelled()
        for name, (core, wanted) in self.pictures(now).items():
            assert core == wanted, self.told_of(name, core, wanted)
        record = None if self.table.record is None else self.table.record.data
        if record is not None and record != self.verified:
            self.verified = record
            self.ended_by += [now.race.verdict.clause] if now.race is not None and now.race.verdict is not None else []
            verdict = verify_record(record)
            assert verdict.ok, self.told_of("record", verdict.reason, "true")

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
            "ready": (
                {names[s.key] for s in seats if s.ready is not None and table.run is None},
                now.ready if now.race is None else set(),
            ),
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
        judge, race_ms = race.judge(), now.race_ms()
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
