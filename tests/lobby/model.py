"""A table modelled slowly and plainly, from rules.md §3 alone (deal.md §3 for decks that are burnt).

`Model` reads the whole list of what people and time did, from the first event on, each time it is made, and says
how the table then stands. It knows no messages, keys or signatures, and imports nothing of the program: what it
says is compared with the real core by test_model.py. What is said in a race is let in by model_hearing.py and judged
by model_race.py.

Where rules.md leaves a choice open, the one made here is marked "open:".
"""

from __future__ import annotations

from dataclasses import replace

from tests.lobby.model_hearing import Happened, House, Race, Rules
from tests.lobby.model_race import NEVER, Judge, line_of

SEATING, OPENING, COUNTDOWN, RACING = "seating", "opening", "countdown", "racing"
SETTLING, CLOSING, FINISHED, CLOSED = "settling", "closing", "finished", "closed"
BETWEEN = (SEATING, FINISHED)
IN_RACE = (COUNTDOWN, RACING, SETTLING, CLOSING)
EMPTY_MS = 600_000  # 3.10
BURNS_MAX = 3  # deal.md 3.4: a third burn in a row asks the people
DEAL_MS = 1_000  # deal.md 3.4: at most one new Deal a second


class Model:
    """The table after `events`, the first of which is the host's coming. `memo` may be kept for a longer list."""

    def __init__(
        self, house: House, rules: Rules, events: list[Happened], memo: dict[tuple[int, int], Judge] | None = None
    ) -> None:
        self.house, self.rules, self.memo = house, rules, {} if memo is None else memo
        self.phase = SEATING
        self.now_ms = self.dealt_ms = events[0].at_ms
        self.host, self.host_lost_ms, self.vacant = events[0].who, NEVER, False
        self.seats: list[str | None] = [None] * rules.seats
        self.sat_ms: dict[str, int] = {}
        self.ready: set[str] = set()
        self.opened: set[str] = set()
        self.listed: list[str] | None = None  # opening: who is dealt in; None while Readies are gathered (3.7)
        self.locked = False
        self.kicked: set[str] = set()
        self.heard_ms: dict[str, int] = {}  # of everyone who is connected
        self.lost_ms: dict[str, int] = {}
        self.trips: dict[str, list[tuple[int, int]]] = {}
        self.watching: set[str] = set()  # who came by the watch code
        self.computers: set[str] = set()
        self.wants_again: set[str] = set()
        self.tally: dict[str, tuple[int, int, int]] = {}
        self.race: Race | None = None
        self.races = self.burns = 0
        self.ends_ms = NEVER  # when the phase is over by itself
        self.deal_due_ms = NEVER  # when the next Deal comes; NEVER: one stands
        self.owing: set[str] = set()  # who was ready for a burnt Deal and has not answered the next
        self.owing_until_ms = NEVER
        self.empty_ms = NEVER
        self.looked_ms = 0  # what fell due up to then has happened
        for event in events:
            self._happen(event)

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _happen(self, event: Happened) -> None:
        """What comes in the very millisecond in which something falls due comes before it."""
        if self.looked_ms < event.at_ms - 1:
            self._pass(event.at_ms - 1)
        self.now_ms = event.at_ms
        if self.phase != CLOSED and (event.what == "arrived" or event.who in self.heard_ms):
            getattr(self, "_" + event.what)(event)
            if event.who in self.heard_ms:
                self.heard_ms[event.who] = event.at_ms
        self._look_at_race()
        self._look_at_emptiness()
        self._pass(event.at_ms)

    def _pass(self, to_ms: int) -> None:
        """Lets everything happen that falls due up to and with this millisecond."""
        while self.phase != CLOSED and (due := min(self.dues(), default=NEVER)) <= to_ms:
            self.now_ms = max(self.now_ms, due)
            self._due()
            self._look_at_race()
            self._look_at_emptiness()
        self.looked_ms = max(self.looked_ms, to_ms)

    def dues(self) -> list[int]:
        """When something falls due."""
        house, race = self.house, self.race
        dues = [self.empty_ms + EMPTY_MS, self.host_lost_ms + house.away_ms, self.deal_due_ms, self.owing_until_ms]
        dues += [heard + house.silent_ms for heard in self.heard_ms.values()]
        dues.append(self.ends_ms)
        if self.phase not in IN_RACE:
            dues += [self.lost_ms[who] + house.away_ms for who in self.sat_ms if who not in self.heard_ms]
        if self.phase == RACING and race is not None:
            dues += [race.start_ms + t for t in race.judge().future(self.race_ms())]
        return dues

    def _due(self) -> None:
        """Something falls due at `now_ms`: looks at everything that waits for the clock."""
        now_ms, house = self.now_ms, self.house
        for who in [one for one, heard in self.heard_ms.items() if heard + house.silent_ms <= now_ms]:
            self._lose(who)
        if self.host_lost_ms + house.away_ms <= now_ms:
            self._hand_over()
        if self.phase not in IN_RACE:
            for who in [one for one in self.sat_ms if one not in self.heard_ms]:
                if self.lost_ms[who] + house.away_ms <= now_ms:
                    self._free(who)
        self._look_at_deal()
        if self.empty_ms + EMPTY_MS <= now_ms:
            self.phase, self.heard_ms = CLOSED, {}
        elif self.ends_ms <= now_ms:
            self._phase_over()

    def _look_at_deal(self) -> None:
        if self.deal_due_ms <= self.now_ms:
            self.deal_due_ms, self.dealt_ms = NEVER, self.now_ms
            self.owing_until_ms = self.now_ms + self.house.nonce_ms if self.owing else NEVER
        if self.owing_until_ms <= self.now_ms:
            for who in sorted(self.owing):
                self._free(who)
            self.owing, self.owing_until_ms = set(), NEVER

    def _look_at_emptiness(self) -> None:
        persons = [who for who in self.heard_ms if who not in self.computers]
        self.empty_ms = NEVER if persons else min(self.empty_ms, self.now_ms)

    def _phase_over(self) -> None:
        race, self.ends_ms = self.race, NEVER
        if self.phase == OPENING and self.listed is None:
            self._gathered()
        elif self.phase == OPENING:
            self._burn(self.opened & set(self.sat_ms))
        elif self.phase == COUNTDOWN:
            self.phase, self.burns = RACING, 0
        elif self.phase == SETTLING and race is not None:
            race.verdict = race.judge().verdict(self.race_ms())
            self.phase, self.ends_ms = CLOSING, self.now_ms + self.house.closing_ms
        elif self.phase == CLOSING:
            self._finish()

    # ── the race ─────────────────────────────────────────────────────────────────────────────────────────────────

    def race_ms(self) -> int:
        """Now, since the boards came alive."""
        return self.now_ms - (self.race.start_ms if self.race is not None else 0)

    def _look_at_race(self) -> None:
        """5.3: the first event that would end the race opens the settling, which is never restarted."""
        race = self.race
        if race is None:
            return
        if self.phase == RACING and race.over(self.race_ms()):
            self.phase, self.ends_ms = SETTLING, self.now_ms + race.law.settle_ms
        if self.phase == CLOSING and not any(who in self.heard_ms for who in race.unsealed()):
            self._finish()

    def _finish(self) -> None:
        """3.8: the tally has the race, unless it is void. Open: who is lost has the full time to come back."""
        race = self.race
        assert race is not None
        assert race.verdict is not None
        self.phase, self.ends_ms = FINISHED, NEVER
        winners = race.verdict.winners
        for seat, who in enumerate(race.players if winners else []):
            wins, drawn, losses = self.tally.get(who, (0, 0, 0))
            alone, won = len(winners) == 1, seat in winners
            self.tally[who] = (wins + (won and alone), drawn + (won and not alone), losses + (not won))
        self.ready, self.wants_again = set(), set()
        self.lost_ms |= dict.fromkeys(self.sat_ms, self.now_ms)

    def _playing(self, who: str, *phases: str) -> Race | None:
        """The race somebody plays in, if the table is in one of these phases."""
        race = self.race
        return race if race is not None and who in race.players and self.phase in phases else None

    def _moved(self, event: Happened) -> None:
        race = self._playing(event.who, RACING, SETTLING)
        if race is not None and event.said is not None:
            line_ms = line_of(self.trips[event.who], self.now_ms, race.law)
            if race.moved(event.who, event.said._replace(line_ms=line_ms), self.now_ms, self.looked_ms):
                self._lose(event.who)

    def _acted(self, event: Happened) -> None:
        race = self._playing(event.who, RACING, SETTLING, CLOSING)
        if race is not None and event.said is not None:
            race.acted(event.who, event.said, self.now_ms, self.looked_ms)

    def _resynced(self, event: Happened) -> None:
        race = self._playing(event.who, RACING, SETTLING, CLOSING)
        if race is not None:
            race.resynced(event.who, self.now_ms)

    # ── who is here, and who sits (3.3, 3.10) ────────────────────────────────────────────────────────────────────

    def _arrived(self, event: Happened) -> None:
        who = event.who
        (self.computers.add if event.computer else self.computers.discard)(who)
        (self.watching.add if event.value else self.watching.discard)(who)
        lost = who not in self.heard_ms
        self.heard_ms[who], self.trips[who] = self.now_ms, []
        race = self._playing(who, *IN_RACE)
        if race is not None:
            race.back(who, self.now_ms, self.looked_ms, lost=lost)
        self._sit(event)
        self._returned(who)

    def _lose(self, who: str) -> None:
        del self.heard_ms[who]
        self.lost_ms[who] = self.now_ms
        race = self._playing(who, *IN_RACE)
        if race is not None:
            race.lost(who, self.now_ms)
        if who == self.host:
            self.host_lost_ms = self.now_ms

    def _vanished(self, event: Happened) -> None:
        self._lose(event.who)

    def _ponged(self, event: Happened) -> None:
        assert isinstance(event.value, int)
        self.trips[event.who].append((self.now_ms, event.value))

    def _left(self, event: Happened) -> None:
        """Who leaves gives up seat and role; in a race, and at the very end of the countdown, the seat plays on."""
        who = event.who
        stays = self.phase in IN_RACE and not self._cancellable()
        self._lose(who)
        if who == self.host:
            self._hand_over()
        if who in self.sat_ms and not stays:
            self._free(who)
            if self.phase == OPENING and self.listed is None:
                self._look_at_gathering()
            elif self.phase in (OPENING, COUNTDOWN):
                self._burn(set(self.ready))

    def _returned(self, who: str) -> None:
        """Open: a host who finds nobody in charge is host again; else who comes next takes over."""
        if who == self.host:
            self.host_lost_ms, self.vacant = NEVER, False
        elif self.vacant:
            self._hand_over()

    def _hand_over(self) -> None:
        """3.10: the longest-seated connected person is host, now or as soon as there is one."""
        self.host_lost_ms = NEVER
        seated = [who for who in self.seats if who is not None and who != self.host]
        heirs = [who for who in seated if who in self.heard_ms and who not in self.computers]
        self.vacant = not heirs
        self.host = min(heirs, key=lambda who: self.sat_ms[who], default=self.host)

    def _free(self, who: str) -> None:
        """A seat is free again; whoever sat there watches."""
        self.seats[self.seats.index(who)] = None
        del self.sat_ms[who]
        self.ready.discard(who)
        self.opened.discard(who)
        self.wants_again.discard(who)
        self.owing.discard(who)

    def _sit(self, event: Happened) -> None:
        """Open: the lock is not for the host, who may stand up and sit down again."""
        who = event.who
        barred = (self.locked and who != self.host) or who in self.kicked or who in self.watching or who in self.sat_ms
        if self.phase == SEATING and None in self.seats and not barred:
            self.seats[self.seats.index(None)] = who
            self.sat_ms[who] = self.now_ms
            self._returned(who)

    def _stand(self, event: Happened) -> None:
        if self.phase in BETWEEN and event.who in self.sat_ms:
            self._free(event.who)

    # ── ready, start, and the deck (3.4, 3.5, deal.md §3) ────────────────────────────────────────────────────────

    def _readied(self, event: Happened) -> None:
        gathering = self.phase == OPENING and self.listed is None
        if event.who not in self.sat_ms or self.deal_due_ms != NEVER or not (gathering or self.phase == SEATING):
            return
        self.ready.add(event.who)
        self.owing.discard(event.who)
        self.owing_until_ms = self.owing_until_ms if self.owing else NEVER
        if gathering:
            self._look_at_gathering()

    def _unreadied(self, event: Happened) -> None:
        if self.phase == SEATING and event.who in self.sat_ms:
            self.ready.discard(event.who)
            self.owing.discard(event.who)

    def _begin(self, event: Happened) -> None:
        here = all(who in self.ready and who in self.heard_ms for who in self.sat_ms)
        stands = self.deal_due_ms == NEVER
        if event.who == self.host and self.phase == SEATING and stands and len(self.sat_ms) >= 2 and here:
            self._close_seats()

    def _close_seats(self) -> None:
        """deal.md 3.3. Open: the seats close up for a race."""
        self.phase, self.opened, self.ends_ms = OPENING, set(), self.now_ms + self.house.nonce_ms
        self.seats = [who for who in self.seats if who is not None]
        self.listed = [who for who in self.seats if who is not None]

    def _opened(self, event: Happened) -> None:
        if self.phase != OPENING or self.listed is None or event.who not in self.sat_ms:
            return
        self.opened.add(event.who)
        if self.opened == set(self.listed):
            self.phase, self.ends_ms = COUNTDOWN, self.now_ms + self.house.countdown_ms
            law = replace(self.rules.law, seats=len(self.listed))
            self.race = Race(self.races, self.listed, law, self.ends_ms, self.memo)
            self.races += 1
            for who in [one for one in self.listed if one not in self.heard_ms]:
                self.race.lost(who, self.now_ms)

    def _burn(self, ready: set[str]) -> None:
        """deal.md 3.4: the deck is burnt; those who were ready owe the next one an answer."""
        self.burns += 1
        self._to_seating()
        self._new_deal()
        self.owing = ready if self.burns < BURNS_MAX else set()

    def _to_seating(self) -> None:
        self.phase, self.ends_ms, self.race, self.listed = SEATING, NEVER, None, None
        self.ready, self.wants_again = set(), set()
        self.seats += [None] * (self.rules.seats - len(self.seats))

    def _new_deal(self) -> None:
        self.deal_due_ms = max(self.now_ms, self.dealt_ms + DEAL_MS)
        self.owing, self.owing_until_ms = set(), NEVER

    def _cancellable(self) -> bool:
        """3.5: in the last moment of the countdown nothing can be called off."""
        late = self.race is not None and self.race_ms() >= -self.house.cancel_ms
        return self.phase == OPENING or (self.phase == COUNTDOWN and not late)

    def _cancel(self, event: Happened) -> None:
        """Open: what can be called off in the countdown can be before it."""
        if event.who == self.host and self._cancellable():
            self._burn(self.ready & set(self.sat_ms))

    # ── the host, and what comes after a race (3.4, 3.7, 3.9) ────────────────────────────────────────────────────

    def _set(self, event: Happened) -> None:
        """New settings clear every Ready and lead back to seating. Open: those who sit close up."""
        rules = event.value
        assert isinstance(rules, Rules)
        nothing = self.phase == SEATING and rules == self.rules
        if event.who != self.host or self.phase not in BETWEEN or len(self.sat_ms) > rules.seats or nothing:
            return
        seated, self.rules, after_race = [who for who in self.seats if who is not None], rules, self.phase == FINISHED
        self.seats, self.burns = [*seated, *[None] * (rules.seats - len(seated))], 0
        self._to_seating()
        self._new_deal()
        if after_race:
            self.deal_due_ms, self.dealt_ms = NEVER, self.now_ms

    def _put_out(self, event: Happened) -> None:
        assert isinstance(event.value, int)
        who = self.seats[event.value] if event.value < len(self.seats) else None
        if event.who == self.host and self.phase in BETWEEN and who is not None and who != self.host:
            self._free(who)
            self.kicked.add(who)

    def _allow(self, event: Happened) -> None:
        if event.who == self.host and self.phase in BETWEEN:
            self.kicked = set()

    def _lock(self, event: Happened) -> None:
        if event.who == self.host and self.phase in BETWEEN:
            self.locked = bool(event.value)

    def _again(self, event: Happened) -> None:
        """3.7: the host's Again deals to those who are there within 5 s, each one seat on; a guest's is only shown."""
        if self.phase != FINISHED:
            return
        if event.who != self.host:
            self.wants_again |= {event.who} & set(self.sat_ms)
        elif len(self.sat_ms) >= 2:
            taken = [seat for seat, who in enumerate(self.seats) if who is not None]
            people = [self.seats[seat] for seat in taken]
            for index, seat in enumerate(taken):
                self.seats[seat] = people[index - 1]
            self.phase, self.race, self.listed, self.dealt_ms = OPENING, None, None, self.now_ms
            self.ready, self.wants_again, self.ends_ms = set(), set(), self.now_ms + self.house.nonce_ms

    def _gathered(self) -> None:
        """3.7: whoever is missing loses the place; with fewer than two the table is back in seating."""
        for who in [one for one in self.sat_ms if one not in self.ready or one not in self.heard_ms]:
            self._free(who)
        self._look_at_gathering()

    def _look_at_gathering(self) -> None:
        """Open: nobody waits for the end of the gathering once all have answered and are there.

        Open: a deck that too few are left for is burnt like any other, and owed an answer by nobody.
        """
        if len(self.sat_ms) < 2:
            self._burn(set())
        elif all(who in self.ready and who in self.heard_ms for who in self.sat_ms):
            self._close_seats()
