"""The real table against a slow and obvious model of rules.md §3 and §4 (model.py, model_hearing.py, model_race.py).

A hypothesis state machine lets people come, go, sit, play, offer draws and time pass at one `Table`, tells the model
the same, and compares the two after every rule (both.py); every finished race is also verified from its record. The
moves are made by real games on the dealt deck and sealed by real keys. Boards, decks and windows are small, so that
everything happens often; time passes by amounts that end just before, at and just after whatever falls due.

RACE2048_LONG=1 makes ten times as many steps, others each time.
"""

from __future__ import annotations

import os
from collections import Counter
from copy import copy
from random import Random
from typing import ClassVar

from hypothesis import HealthCheck, Phase, settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from engine.board import Direction
from engine.deck import DealtDeck
from engine.game import Game
from protocol import messages
from protocol.messages import FromClient, Signed
from protocol.movelog import Act, MoveLog, MoveSlice, SealBody
from tests.lobby import model
from tests.lobby.both import CLAUSES, HOUSE, Both, Own, Person, drawn_rules
from tests.lobby.model_race import After, Said

LONG = bool(os.environ.get("RACE2048_LONG"))
EXAMPLES, STEPS = (11_200 if LONG else 1_120), 50
STEPS_MIN = 500_000 if LONG else 50_000
ENDED_MIN = 20  # races by each clause

ACTS = {
    "seal": Act.NONE, "offer": Act.OFFER, "agree": Act.AGREE, "refuse": Act.REFUSE, "withdraw": Act.WITHDRAW,
    "resign": Act.RESIGN,
}  # fmt: skip

numbers = strategies.binary(min_size=4, max_size=4).map(int.from_bytes)  # evenly, unlike integers()


class TableMachine(RuleBasedStateMachine):
    """One table and whoever comes to it. Every rule draws one number, and all else from it."""

    steps = 0
    ended: ClassVar[Counter[str]] = Counter()  # how often a race ended by each clause

    @initialize(number=numbers)
    def opens(self, number: int) -> None:
        dice = self.dice(number)
        chain_length = dice.choice((1, 1, 2, 2, 3, 12))
        self.both = Both(*drawn_rules(dice, chain_length), chain_length)
        self.both.arrive(self.both.people["a"], by_watch_code=False)
        for name in dice.sample("bcdf", dice.randrange(4)):
            self.both.arrive(self.both.people[name], by_watch_code=False)
        if dice.random() < 0.8:
            self.push_on(dice)
        self.check()

    def dice(self, number: int) -> Random:
        """The choices of one rule. Its place counts too, since hypothesis likes to repeat its numbers."""
        self.rules_run = getattr(self, "rules_run", 0) + 1
        return Random(number << 8 | self.rules_run)

    def check(self) -> None:
        """Ends every rule: it counts, and the table does what the model says."""
        type(self).steps += not self.both.ended
        self.both.compare()
        self.ended.update(self.both.ended_by)
        self.both.ended_by.clear()

    @rule(number=numbers)
    def waits(self, number: int) -> None:
        dice = self.dice(number)
        edges = self.both.edges(self.both.modelled())
        if not self.both.connections and dice.random() < 0.2:
            self.both.wait(dice.choice((3_000, 599_000, 600_000, 610_000)))
        elif edges and dice.random() < 0.7:
            edge = edges[0] if dice.random() < 0.6 else dice.choice(edges)
            self.both.wait(max(0, edge + dice.choice((-1, -1, 0, 0, 1, -10, -150))), woken=dice.random() < 0.6)
        else:
            self.both.wait(dice.choice((0, 1, 5, 25, 100, 149, 150, 151, 250, 400, 1_000, 1_900)))
        self.check()

    # ── people ───────────────────────────────────────────────────────────────────────────────────────────────────

    def push_on(self, dice: Random) -> None:
        """Everybody does what leads to the next race."""
        table = self.both.table
        if self.both.ended:
            return
        if table.phase == model.FINISHED:
            self.both.say(self.both.host(), messages.Again(), "again")
            self.both.wait(dice.choice((0, 100)))
        if table.phase == model.SEATING:
            self.both.wait(0 if table.dealing.stands else 1_000)
        if table.phase in (model.SEATING, model.OPENING):
            for person in self.both.seated():
                self.both.ready(person)
            self.both.say(self.both.host(), messages.Begin(), "begin")
            self.both.compare()
            for person in self.both.seated():
                self.both.open_nonce(person)
        if table.phase == model.COUNTDOWN:
            self.both.pong()
            self.both.wait(max(0, HOUSE.countdown_ms + dice.choice((-151, -150, -1, 0, 1, 0, 30))))

    @rule(number=numbers)
    def comes(self, number: int) -> None:
        dice = self.dice(number)
        away = [person for person in self.both.people.values() if person.connection is None]
        seated = [person for person in self.both.seated() if person.connection is None]
        people = list(self.both.people.values()) if dice.random() < 0.1 else seated if dice.random() < 0.8 else away
        if people:
            person = dice.choice(people)
            person.trip_ms = dice.choice((0, 0, 1, 40, 280, 281, 400, 900))
            self.both.arrive(person, by_watch_code=dice.random() < 0.1)
            if dice.random() < 0.5:
                self.both.pong()
        self.check()

    @rule(number=numbers)
    def goes(self, number: int) -> None:
        dice = self.dice(number)
        here = list(self.both.connections.values())
        if here:
            person = dice.choice(here)
            way = dice.random()
            if way < 0.5:
                self.both.vanish(person)
            elif way < 0.7:
                self.both.say(person, messages.Leave(), "left")
            elif way < 0.8:
                person.hung = True
            elif way < 0.85 and self.both.table.phase in model.IN_RACE:
                for other in here:
                    self.both.vanish(other)
        self.check()

    @rule(number=numbers)
    def asks(self, number: int) -> None:
        """Somebody at the table wants something that anybody may ask for."""
        dice = self.dice(number)
        here = list(self.both.connections.values())
        if here:
            person = dice.choice(here)
            ways = ["sit", "stand", "ready", "ready", "unready", "nonce", "nonce", "again", "resync"]
            way = dice.choice(ways)
            if way == "ready":
                self.both.ready(person)
            elif way == "nonce":
                self.both.open_nonce(person)
            elif way == "resync":
                self.resync(person)
            else:
                plain: dict[str, FromClient] = {
                    "sit": messages.Sit(), "stand": messages.Stand(), "unready": messages.Unready(),
                    "again": messages.Again(),
                }  # fmt: skip
                self.both.say(person, plain[way], {"unready": "unreadied"}.get(way, way))
        self.check()

    @rule(number=numbers)
    def orders(self, number: int) -> None:
        """Somebody, mostly the host, wants something that only the host may."""
        dice = self.dice(number)
        person = self.both.host()
        if dice.random() < 0.15 and self.both.connections:
            person = dice.choice(list(self.both.connections.values()))
        way = dice.choice(("set", "set", "kick", "allow", "lock", "begin", "cancel", "again"))
        if way == "set":
            core, rules = drawn_rules(dice, self.both.chain_length)
            self.both.say(person, messages.ChangeSettings(core), "set", rules)
        elif way == "kick":
            seat = dice.randrange(4)
            self.both.say(person, messages.Kick(seat), "put_out", seat)
        elif way == "lock":
            locked = dice.random() < 0.4
            self.both.say(person, messages.Lock(locked=locked), "lock", locked)
        else:
            plain: dict[str, FromClient] = {
                "allow": messages.Allow(), "begin": messages.Begin(), "cancel": messages.Cancel(),
                "again": messages.Again(),
            }  # fmt: skip
            self.both.say(person, plain[way], way)
        self.check()

    @rule(number=numbers)
    def plays(self, number: int) -> None:
        """What is most to be done in this phase: bringing a race about, or playing it."""
        dice = self.dice(number)
        if self.both.table.phase not in (model.RACING, model.SETTLING, model.CLOSING):
            self.go_on(dice)
        elif dice.random() < 0.3:
            self.votes(dice)
        elif dice.random() < 0.3:
            self.rush(dice)
        else:
            self.moves(dice)
        self.check()

    plays_on = keeps_playing = plays  # so often among the rules

    def go_on(self, dice: Random) -> None:
        if dice.random() < 0.5 and self.both.table.phase == model.SEATING:
            for name in dice.sample("abcdf", 3):
                if self.both.people[name].connection is None:
                    self.both.arrive(self.both.people[name], by_watch_code=False)
        if dice.random() < 0.1:
            self.dither(dice)
        else:
            self.push_on(dice)

    def dither(self, dice: Random) -> None:
        """The host starts and calls it off, again and again (deal.md 3.4: the third time in a row people are asked)."""
        for _ in range(dice.choice((1, 2, 3, 3, 4))):
            if self.both.table.phase == model.SEATING:
                self.both.wait(0 if self.both.table.dealing.stands else 1_000)
                for person in self.both.seated():
                    self.both.ready(person)
                self.both.say(self.both.host(), messages.Begin(), "begin")
            self.both.say(self.both.host(), messages.Cancel(), "cancel")
        self.both.wait(dice.choice((0, 999, 1_000, 1_899, 1_900)))

    # ── a race ───────────────────────────────────────────────────────────────────────────────────────────────────

    def own(self, person: Person) -> Own | None:
        """What this person's program knows of the race, if it plays in it."""
        run = self.both.table.run
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
        pairs = [(person, self.own(person)) for person in self.both.connections.values()]
        return [(person, own) for person, own in pairs if own is not None]

    def seal(self, person: Person, own: Own, act: Act, argument: int = 0) -> Signed:
        offered = argument if act in (Act.OFFER, Act.AGREE, Act.REFUSE, Act.WITHDRAW) else 0
        body = SealBody(own.seat, own.seals + 1, len(own.log), own.log.head, own.tick_seen, act, offered)
        return body.sign(person.signer, own.run.mix)

    def known(self, own: Own) -> frozenset[int]:
        return frozenset(number for number, tick in self.both.told.items() if tick <= own.tick_seen)

    def act(self, person: Person, own: Own, what: str, offer: int = 0) -> None:
        act = Act.RESUME if own.resume else ACTS[what]
        said = Said(0, own.seat, "seal" if own.resume else what, known=self.known(own), offer=offer)
        signed = self.seal(person, own, act, offer)
        track = own.run.tracks[own.seat]
        before = track.seals
        self.both.say(person, messages.Seal(signed), "acted", None, said)
        if track.seals != before:
            own.seals, own.resume = own.seals + 1, False

    def resync(self, person: Person) -> None:
        own = self.own(person)
        if own is not None and self.both.table.phase not in (model.COUNTDOWN, model.FINISHED):
            self.both.say(person, messages.Resync(len(own.log)), "resynced")

    def claims(self, dice: Random, own: Own, count: int) -> list[int]:
        """Claimed times for so many moves: all at once, spread out, or at an edge of what is believed."""
        race_ms, last_ms = self.both.now_ms - own.run.start_ms, own.log.last_ms
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

    def play(self, dice: Random, own: Own, most: int) -> tuple[Game, bytes, list[After]]:
        """Moves on the own board: the game after them, the directions, and every board."""
        game, directions, boards = own.game.copy(), bytearray(), []
        wanted = 14 if dice.random() < 0.04 else dice.choice((1, 2, 3, 6, 6, 8))
        target = own.run.terms.target_exponent
        while len(directions) < min(wanted, most) and not game.stuck:
            order = dice.sample(range(4), 4)
            direction = next(d for d in order if game.board.slide(Direction(d)) is not None)
            game.move(Direction(direction))
            directions.append(direction)
            boards.append(seen(game))
            if 0 < target <= game.max_exponent and dice.random() < 0.95:
                break
        return game, bytes(directions), boards

    def moves(self, dice: Random) -> None:
        racers = self.racers()
        for person, own in dice.sample(racers, min(len(racers), dice.choice((1, 1, 2, 4)))):
            self.move(dice, person, own)

    def rush(self, dice: Random) -> None:
        """All but one play until they are stuck, if that is not far; the one stops short of it."""
        racers, last = self.racers(), 8 * self.both.chain_length - 2
        dice.shuffle(racers)
        for turn in range(2 * self.both.chain_length if self.both.chain_length <= 2 else 1):
            for person, own in racers[turn % 2 :]:
                self.move(dice, person, own, last - 1 - len(own.log) if own is racers[0][1] else last)
            self.both.wait(dice.choice((0, 150, 250)))

    def move(self, dice: Random, person: Person, own: Own, most: int = 99) -> None:
        """A player makes some moves and sends them in a slice, mostly with a seal."""
        game, directions, boards = self.play(dice, own, most)
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
        self.both.say(person, messages.Slice(body, seal), "moved", None, said)
        if len(track.log) == len(own.log) > len(before[0]):
            own.game, own.seals = game, own.seals + sealed
        else:
            own.log, own.tick_seen = before
            if dice.random() < 0.7:
                self.resync(person)

    def votes(self, dice: Random) -> None:
        """Players say something about a draw, resign, or vouch for the moves made so far."""
        racers = self.racers()
        for person, own in dice.sample(racers, min(len(racers), dice.choice((1, 1, 2, 3, 4)))):
            own.tick_seen = max(own.tick_seen, person.tick if dice.random() < 0.9 else 0)
            if own.resume:
                self.act(person, own, "seal")
            self.vote(dice, person, own)

    def vote(self, dice: Random, person: Person, own: Own) -> None:
        race = self.both.modelled().race
        offers = [] if race is None else race.judge().offers
        race_ms = 0 if race is None else self.both.now_ms - race.start_ms
        offer = None if race is None else race.judge().standing(race_ms)
        mine = 8 * own.seat + 1 + sum(one.seat == own.seat for one in offers)
        if offer is None:
            what = dice.choice((*("offer",) * 6, "agree", *("seal",) * 5, "resign"))
            number = mine if what == "offer" else offers[-1].number if offers else 9
        else:
            what = dice.choice((*("agree",) * 6, "refuse", "refuse", "withdraw", "offer", "seal", "resign"))
            number = mine if what == "offer" else offer.number if dice.random() < 0.95 else 8 * own.seat + 1
        if what == "agree" and offer is not None and offer.made_ms == race_ms and dice.random() < 0.9:
            self.both.wait(1)  # in the offer's own millisecond nobody can agree, and most would not try
        self.act(person, own, what, number)


def seen(game: Game) -> After:
    """What a move has made of the board. That a deck is used up the model finds out by itself (rules 4.10)."""
    return After(game.score, game.max_exponent, full=game.stuck and not game.deck_used_up)


def copy_of(log: MoveLog) -> MoveLog:
    """A log that can be taken back."""
    twin: MoveLog = copy(log)
    twin.directions, twin.times = log.directions[:], log.times[:]
    return twin


def test_the_table_does_what_the_rules_say_whatever_people_and_time_do() -> None:
    TableMachine.steps, TableMachine.ended = 0, Counter()
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
    assert TableMachine.steps >= STEPS_MIN, TableMachine.steps
    rarely = {clause: count for clause, count in TableMachine.ended.items() if count < ENDED_MIN}
    assert (set(TableMachine.ended), rarely) == (set(CLAUSES), {}), TableMachine.ended
