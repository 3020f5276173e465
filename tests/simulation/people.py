"""What people do at their programs: keen, slow, idle, quitting; they press twice, offer, refuse, agree, resign.

A person looks at the session now and then and does one thing. `calm` is when faults are over: then everyone who is
still there plays on, so that every race comes to its end.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from client import actions
from client.actions import Action
from engine.board import Direction
from protocol.messages import Phase, Role
from tests.simulation.plan import dice
from tests.simulation.programs import Program

if TYPE_CHECKING:
    from tests.simulation.world import World

DIRECTIONS = {"u": Direction.UP, "r": Direction.RIGHT, "d": Direction.DOWN, "l": Direction.LEFT}
IDLE_MS = (4_000, 45_000)
QUIT_MS = (300, 90_000)
UNBEGUN = ("lost", "unreachable", "draining", "silent")  # it never was at a table: its person tries again
HURRY_MS, QUICK_MS = 90_000, 150  # in the end even the slow ones come to an end
LOOK_MS = 250  # how often somebody looks who has nothing to press


class Person:
    """Somebody at a program."""

    def __init__(self, world: World, program: Program, chance: Random) -> None:
        self.world = world
        self.program = program
        self.knobs = program.knobs
        self.chance = chance
        self.calm = False
        self.gone = False  # for good
        self._idle_until_ms = 0
        self._order = [DIRECTIONS[letter] for letter in self.knobs.order]
        self._seen_end: object = None
        self._doubts = dice(world.plan.seed, f"doubts {self.knobs.name}")

    def begin(self) -> None:
        """Looks at the screen from now on."""
        self.world.later(self.chance.randint(1, LOOK_MS), self._look)

    def _look(self) -> None:
        if self.gone:
            return
        pause_ms = LOOK_MS
        if self.program.running and self.program.session.ending in UNBEGUN:
            self.program.start()  # there was no table to come back to by itself
            pause_ms = 1_000
        elif self.program.running and self.program.asleep_ms <= self.world.now_ms and not self.program.session.ending:
            pause_ms = self._do()
        self.world.later(pause_ms, self._look)

    def _do(self) -> int:
        """Does one thing; returns after how long to look again."""
        session = self.program.session
        table = session.table
        if table is None or self.knobs.role is Role.WATCHER:
            return LOOK_MS
        if table.phase in (Phase.RACING, Phase.COUNTDOWN, Phase.SETTLING) and session.own is not None:
            if table.phase is Phase.COUNTDOWN and session.race_ms(self.program.here_ms) < 0:
                return self._count_down()
            return self._race()
        if table.phase is Phase.SEATING:
            self._sit_and_start()
        elif table.phase is Phase.FINISHED:
            self._go_on()
        return LOOK_MS

    def press(self, action: Action) -> None:
        """Presses a key, perhaps twice."""
        self.program.act(action)
        if self.knobs.double and not self.calm and self.chance.random() < self.knobs.double:
            self.program.act(action)

    # ── between races ────────────────────────────────────────────────────────────────────────────────────────────

    def _sit_and_start(self) -> None:
        session = self.program.session
        table, seat = session.table, session.seat
        assert table is not None, "only asked at a table"
        if seat is None:
            if any(place is None for place in table.seats):
                self.press(actions.Sit())
            return
        seated = [place for place in table.seats if place is not None]
        if table.host == session.signer.key:
            ready = len(seated) >= 2 and all(each.ready and each.connected for each in seated)
            enough = len(seated) >= self.world.wanted(len(table.seats))
            if ready and enough and (self.calm or self.chance.random() < 0.7):
                self.press(actions.Start())
        elif not session.wants_ready and (self.calm or self.chance.random() < 0.5):
            self.press(actions.SetReady())
        elif session.wants_ready and not self.calm and self._doubts.random() < 0.05:
            self.program.act(actions.SetReady(False))

    def _count_down(self) -> int:
        session = self.program.session
        assert session.table is not None, "only asked at a table"
        host = session.table.host == session.signer.key
        if not self.calm and host and self.knobs.cancels and self.chance.random() < self.knobs.cancels / 10:
            self.press(actions.Cancel())
        if session.race is not None and session.race_ms(self.program.here_ms) > -100:
            return max(1, -session.race_ms(self.program.here_ms))
        return 100

    def _go_on(self) -> None:
        session = self.program.session
        table, race = session.table, session.race
        assert table is not None, "only asked at a table"
        if race is None or race.check is None:
            return
        if self.calm and self.world.enough_races():
            return
        if table.host == session.signer.key:  # who may have lost the seat, and deals to the others all the same
            if self.chance.random() < (0.2 if self.calm else 0.05):
                self.press(actions.Change(table.settings))
            elif self.chance.random() < 0.5:
                self.press(actions.Again())
        elif session.seat is not None and self._seen_end is not race:
            self._seen_end = race
            self.press(actions.Again())

    # ── in a race ────────────────────────────────────────────────────────────────────────────────────────────────

    def _race(self) -> int:
        session, knobs = self.program.session, self.knobs
        own, race = session.own, session.race
        assert own is not None, "only asked with a game"
        assert race is not None, "a game is one of a race"
        if race.ended is not None:
            return LOOK_MS
        if not self.calm:
            if self.world.now_ms < self._idle_until_ms:
                return LOOK_MS
            if self._moods():
                return knobs.pace_ms
        self._vote()
        if own.done or own.game is None:
            if own.game is not None and own.game.stuck and self.world.plan.slow and self.chance.random() < 0.05:
                self._quit()  # there is nothing left to press
            return LOOK_MS
        board = own.game.board
        order = self._order
        if self.chance.random() < 0.15:
            order = order[2:] + order[:2]
        key = next((each for each in order if board.slide(each) is not None), None)
        if key is not None:
            self.press(actions.Move(key))
        hurried = self.calm and self.world.now_ms > self.world.calm_since_ms + HURRY_MS
        pace_ms = min(knobs.pace_ms, QUICK_MS) if hurried else knobs.pace_ms
        return max(10, round(pace_ms * self.chance.uniform(0.5, 1.5)))

    def _moods(self) -> bool:
        """Whether something other than playing was done."""
        knobs, chance = self.knobs, self.chance
        a_second = knobs.pace_ms / 1_000
        if knobs.style == "idle" and chance.random() < 0.15 * a_second:
            self._idle_until_ms = self.world.now_ms + chance.randint(*IDLE_MS)
            return True
        if knobs.style == "quitting" and chance.random() < 0.1 * a_second:
            self._quit()
            return True
        if knobs.resigns and chance.random() < knobs.resigns * a_second:
            self.press(actions.Resign())
            return True
        if knobs.leaves and chance.random() < knobs.leaves * a_second:
            self.gone = True
            self.program.act(actions.Leave())
            return True
        return False

    def _quit(self) -> None:
        """The program is killed; it is started again a while later, or not at all."""
        self.world.trace(f"{self.program.name} quits")
        self.program.kill()
        if self.chance.random() < 0.3:
            self.gone = True
        else:
            self.world.later(self.chance.randint(*QUIT_MS), self.come_back)

    def come_back(self) -> None:
        """Starts the program again."""
        if not self.program.running and not self.gone:
            self.program.start()

    def _vote(self) -> None:
        session, knobs, chance = self.program.session, self.knobs, self.chance
        race, own = session.race, session.own
        assert race is not None, "only asked in a race"
        assert own is not None, "only asked with a game"
        offer = None if race.tick is None else race.tick.offer
        if offer is None:
            if not self.calm and knobs.offers and chance.random() < knobs.offers * knobs.pace_ms / 1_000:
                self.press(actions.Agree())
        elif own.seat not in offer.agreed and not self.calm:
            roll = chance.random()
            if roll < knobs.agrees * 0.3:
                self.press(actions.Agree())
            elif roll < 0.35:
                self.press(actions.Refuse())
        elif offer.seat == own.seat and not self.calm:
            roll = chance.random()
            if roll < 0.02:
                self.press(actions.Refuse())
            elif roll > 0.9 and knobs.resigns:  # nobody answers: then not at all
                self.press(actions.Resign())
