"""The life of a table, from the first seat to its closing (rules §3; architecture.md §3).

Theory. A table is always in exactly one phase (phases.py). `ACCEPTS` says which messages mean something in it; all
else is refused, except what may have crossed with a change of phase on the line (`CROSSES`), which is dropped without
a word. `MOVES` says which phase may follow which, and why; `enter` lets nothing else happen.

    SEATING    people sit and say Ready for the Deal that stands
    OPENING    Again: Readies for a new Deal are gathered; then Seats is closed and the nonces are awaited
    COUNTDOWN  the Start is out, the boards come alive when it is over
    RACING     moves are judged, ticks are told
    SETTLING   something ended the race; what is on its way still counts
    CLOSING    the outcome is out, closing seals are awaited
    FINISHED   the record is out; Again, changed settings, or nothing
    CLOSED     nobody can come any more

What the parts do is in coming.py (who comes and goes), seating.py (who sits), opening.py (how a deck comes to be),
racing.py (a race), closing.py (its record) and presence.py (who is still there). This module knows when.
"""

from __future__ import annotations

from lobby.closing import Closing
from lobby.coming import arrive, expel, lose
from lobby.dealing import Dealing
from lobby.entropy import Entropy
from lobby.events import Archive, Arrived, Effect, Gone, Outbox, Resumed, Said, TableEvent
from lobby.handing_out import FinishedRecord
from lobby.hearing import hear
from lobby.opening import DealOptions, Opening
from lobby.people import Line
from lobby.phases import ACCEPTS, CROSSES, IN_RACE, MOVES
from lobby.pictures import table_view, tell_table
from lobby.presence import Presence
from lobby.racing import RaceRun
from lobby.resuming import resume
from lobby.seating import Seating
from lobby.telling import Telling
from lobby.track import Track
from protocol import limits, messages
from protocol.messages import Phase, TableSettings, TableView
from protocol.moment import GAP_MS_MIN
from protocol.refusals import Refusal
from protocol.signing import Signer


class Table:
    """One table: `handle` takes an event and returns effects; `deadline` says when it wants to be told the time."""

    def __init__(
        self,
        *,
        code: str,
        watch_code: str,
        settings: TableSettings,
        host: bytes,
        signer: Signer,
        entropy: Entropy,
        epoch: int,
        options: DealOptions,
        now_ms: int,
    ) -> None:
        self.code = code
        self.watch_code = watch_code
        self.phase = Phase.SEATING
        self.seating = Seating(settings, host)
        self.dealing = Dealing(Opening(signer, entropy, options, settings), options.windows.nonce_ms, now_ms)
        self.presence = Presence(options.windows, now_ms)
        self.run: RaceRun | None = None
        self.closing: Closing | None = None
        self.record: FinishedRecord | None = None  # of the last race: some still fetch it when the next one begins
        self._signer = signer
        self.epoch = epoch
        self.windows = options.windows
        self.phase_ends_ms: int | None = None
        self.seen_ms = now_ms  # when anything was last handled: in a race at least once a second
        self.out = Outbox()
        self.telling = Telling(now_ms)
        self.deadline = self._due_ms()  # when `handle` next wants to be told the time, on the lobby's clock

    def handle(self, event: TableEvent, now_ms: int) -> list[Effect]:
        """Takes in one event at `now_ms` of the lobby's clock; returns what is to be done, in order."""
        self.out = out = Outbox()  # the effects of this event
        if self.run is not None:
            self.run.out = out
            if not isinstance(event, Resumed):  # which tells of the gap itself
                self._look_for_gap(self.run, now_ms)
                if self.phase is Phase.COUNTDOWN and now_ms >= self.run.start_ms:
                    self._phase_over(now_ms)  # nobody has told us
        self.seen_ms = now_ms
        match event:
            case Arrived():
                arrive(self, event, now_ms)
            case Gone():
                lose(self, event.connection, now_ms)
            case Said():
                self._hear(event, now_ms)
            case Resumed():
                resume(self, event, now_ms)
        self._look_at_clock(now_ms)
        if self.telling.take(now_ms):
            tell_table(self)
        return out

    @property
    def busy(self) -> bool:
        """Whether a race is going on or somebody is connected."""
        return self.phase in IN_RACE or len(self.presence) > 0

    def seats(self, key: bytes) -> bool:
        """Returns whether this key has a seat here: who comes back to it has not guessed the code."""
        return self.seating.seat_of(key) is not None

    def only_watches(self, key: bytes, *, may_sit: bool) -> bool:
        """Returns whether somebody who comes with this key can never play here on this connection."""
        return not may_sit and not self.seats(key)

    def view(self) -> TableView:
        """Returns the public picture of the table."""
        return table_view(self, with_code=True)

    # ── who sits ────────────────────────────────────────────────────────────────────────────────────────────────

    def free(self, key: bytes) -> None:
        """Frees a seat between races."""
        self.seating.free(key)
        self.dealing.answered(key)
        self.changed()

    def leaving_frees(self, now_ms: int) -> bool:
        """Returns whether who leaves now gives up the seat: not in a race, nor in its last moment before (3.5)."""
        if self.phase is Phase.COUNTDOWN and self.run is not None:
            return now_ms < self.run.start_ms - self.windows.cancel_ms
        return self.phase not in IN_RACE

    # ── a deck comes to be ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def gathering(self) -> bool:
        """Whether Readies for another race are being gathered (rules 3.7)."""
        return self.phase is Phase.OPENING and self.dealing.opening.seats_signed is None

    def settle_down(self, settings: TableSettings, now_ms: int) -> None:
        """Back to seating with these settings, which clears every Ready (rules 3.4, 3.9)."""
        after_race = self.phase is Phase.FINISHED
        if after_race:
            self.run = self.closing = None
            self.seating.reopen()
            self.enter(Phase.SEATING, None)
        self.seating.resize(settings)
        self.seating.clear_ready()
        self.dealing.calm()
        if after_race:
            self.out.send(self.presence.connections(), self.dealing.next_race(settings, now_ms))
        else:
            self.dealing.anew(now_ms, self.presence.connections(), self.out)
        self.changed()

    def close_seats(self, now_ms: int) -> None:
        """Closes the list of who is dealt in; everyone on it has a while to open the nonce (deal.md 3.3)."""
        if self.phase is Phase.SEATING:
            self.enter(Phase.OPENING, now_ms + self.windows.nonce_ms)
        self.phase_ends_ms = now_ms + self.windows.nonce_ms
        self.seating.close_up()
        self.run = self.closing = None
        seats = self.dealing.opening.close(list(self.seating))
        self.out.send(self.presence.connections(), messages.SeatsClosed(seats))

    def start_race(self, now_ms: int) -> None:
        """Everyone has opened: M is fixed and the countdown runs (deal.md 3.6)."""
        seats = list(self.seating)
        nonces = [seat.nonce for seat in seats if seat.nonce is not None]
        opened = self.dealing.opening.start(nonces, now_ms + self.windows.countdown_ms)
        self.run = RaceRun(opened, seats, self._signer, self.epoch, self.presence.connections)
        self.run.out = self.out
        self.presence.hurry(True)
        self.out.send(self.presence.connections(), messages.Started(opened.start_signed))
        self.enter(Phase.COUNTDOWN, opened.start.start_ms)
        for track in self.run.tracks:
            if track.seat.connection is None:
                self.run.gone(track, now_ms)

    def burn(self, now_ms: int) -> None:
        """An opening or a countdown is broken off: its chain is burnt, and those who were ready are asked again."""
        ready = {seat.key for seat in self.seating if seat.ready is not None}
        self.run = None
        self.presence.hurry(False)
        self.seating.reopen()
        self.enter(Phase.SEATING, None)
        self.seating.clear_ready()
        self.dealing.burn(now_ms, ready, self.presence.connections(), self.out)

    def again(self, now_ms: int) -> None:
        """Another race for the same players, one seat on; Readies are gathered for a while (rules 3.7)."""
        self.seating.clear_ready()
        self.seating.rotate()
        self.run = self.closing = None
        self.enter(Phase.OPENING, now_ms + self.windows.nonce_ms)
        self.out.send(self.presence.connections(), self.dealing.next_race(self.seating.settings, now_ms))

    def look_at_gathering(self, now_ms: int) -> None:
        """Deals to those still seated once all have answered; fewer than two are back in seating (rules 3.7)."""
        if len(self.seating) < limits.SEATS_MIN:
            self.seating.clear_ready()
            self.burn(now_ms)
        elif all(seat.ready is not None and seat.connection is not None for seat in self.seating):
            self.close_seats(now_ms)

    # ── the clock ───────────────────────────────────────────────────────────────────────────────────────────────

    def enter(self, phase: Phase, ends_ms: int | None) -> None:
        """Goes to a phase, which ends by itself at `ends_ms`."""
        assert phase in MOVES[self.phase], f"{self.phase} cannot lead to {phase}"
        self.phase = phase
        self.phase_ends_ms = ends_ms
        if phase is not Phase.SETTLING:  # of that nobody is told before it is over (rules 5.3)
            self.changed()

    def _due_ms(self) -> int | None:
        """Returns when something is next due, as everything stands now."""
        if self.phase is Phase.CLOSED:
            return None
        in_race = self.phase in IN_RACE
        times = [
            self.presence.deadline(racing=in_race),
            self.phase_ends_ms,
            self.dealing.deadline(),
            self.telling.deadline,
            self.seating.deadline(self.windows.away_ms, keep=in_race),
        ]
        if self.run is not None and self.phase in (Phase.COUNTDOWN, Phase.RACING):
            times.append(self.run.deadline(self._line))
        return min((time for time in times if time is not None), default=None)

    def _look_at_clock(self, now_ms: int) -> None:
        """Does what is due, and looks ahead. Nearly always nothing is, and to know that what is next will do."""
        self.presence.look(now_ms)
        self.deadline = self._due_ms()
        is_due = self.deadline is not None and self.deadline <= now_ms
        if is_due:
            self._wake(now_ms)
        if self._end_phase(now_ms) or is_due:
            self.deadline = self._due_ms()

    def _wake(self, now_ms: int) -> None:
        self.telling.wake(now_ms)
        for member in self.presence.wake(now_ms, self.out):
            expel(self, member, Refusal.SILENT, now_ms)
        self._look_at_people(now_ms)
        if self.run is not None and self.phase in (Phase.COUNTDOWN, Phase.RACING):
            self.run.wake(now_ms, self._line)

    def _end_phase(self, now_ms: int) -> bool:
        """Ends the phase if it is over, by the clock or by what has happened; returns whether it was."""
        phase = self.phase
        if phase is Phase.RACING and self.run is not None and self.run.would_end(now_ms):
            self.run.settle(now_ms)
            self.enter(Phase.SETTLING, now_ms + self.windows.settle_ms)
        if self.closing is not None and self.phase is Phase.CLOSING and not self.closing.awaited():
            self._finish(self.closing, now_ms)
        elif self.phase_ends_ms is not None and now_ms >= self.phase_ends_ms:
            self._phase_over(now_ms)
        return self.phase is not phase

    def _look_for_gap(self, run: RaceRun, now_ms: int) -> None:
        """In a race a table is woken every second; where it was not, the lobby itself was away (rules 5.6)."""
        gap_ms = now_ms - self.seen_ms
        if gap_ms <= GAP_MS_MIN or self.phase not in (Phase.COUNTDOWN, Phase.RACING):
            return
        self.presence.move(gap_ms)
        self.seating.move(gap_ms)
        run.asleep(self.seen_ms, now_ms)

    def _look_at_people(self, now_ms: int) -> None:
        host = self.seating.host
        for key in self.seating.wake(now_ms - self.windows.away_ms, keep=self.phase in IN_RACE):
            self.free(key)
        if self.seating.host != host:
            self.changed()
        everyone = self.presence.connections()
        for key in self.dealing.wake(now_ms, self.seating.settings, everyone, self.out):
            self.free(key)
        if self.presence.deserted(now_ms, racing=self.phase in IN_RACE) and self.phase is not Phase.CLOSED:
            self._close()

    def _close(self) -> None:
        for member in list(self.presence):
            self.presence.remove(member.connection)
            self.out.close(member.connection, Refusal.CLOSED)
        self.enter(Phase.CLOSED, None)

    def _phase_over(self, now_ms: int) -> None:
        """The time of a phase has run out."""
        match self.phase:
            case Phase.OPENING if self.gathering:
                self._gathered(now_ms)
            case Phase.OPENING:
                for seat in self.seating:
                    if seat.nonce is None:
                        seat.ready = None
                self.burn(now_ms)
            case Phase.COUNTDOWN:
                self.presence.hurry(False)
                self.dealing.calm()
                self.enter(Phase.RACING, None)
            case Phase.SETTLING:
                self._decide(now_ms)
            case _:
                assert self.closing is not None, "only a decided race is closing"
                self._finish(self.closing, now_ms)

    def _gathered(self, now_ms: int) -> None:
        """Whoever has not answered another race's Deal in time has lost the place (rules 3.7)."""
        for seat in list(self.seating):
            if seat.ready is None or seat.connection is None:
                self.free(seat.key)
        self.look_at_gathering(now_ms)

    def _decide(self, now_ms: int) -> None:
        assert self.run is not None, "only a race can settle"
        outcome, race = self.run.outcome()
        assert outcome is not None, "what would end the race in the order of arrival ends it in the order of t*"
        self.closing = Closing(self.run, outcome, race)
        self.out.send(self.presence.connections(), self.closing.ended)
        self.enter(Phase.CLOSING, now_ms + self.windows.closing_ms)
        if not self.closing.awaited():
            self._finish(self.closing, now_ms)

    def _finish(self, closing: Closing, now_ms: int) -> None:
        """The record is complete: it is kept, told, and the next Deal will be tied to it."""
        record = self.record = FinishedRecord(closing.record(self._signer))
        self.out.append(Archive(self.code, closing.race_number, record.data))
        self.out.send(self.presence.connections(), record.ready())
        self.seating.finish(closing.outcome, now_ms)
        self.dealing.opening.played(record.sha256)
        self.enter(Phase.FINISHED, None)

    # ── inside ──────────────────────────────────────────────────────────────────────────────────────────────────

    def changed(self) -> None:
        """Everybody will be told the new picture of the table when this event is handled."""
        self.telling.changed()

    def track_of(self, key: bytes) -> Track | None:
        """Returns the track of a player in the race that runs, or None."""
        if self.run is None or self.phase not in IN_RACE:
            return None
        return next((track for track in self.run.tracks if track.seat.key == key), None)

    def _line(self, track: Track) -> Line | None:
        member = self.presence.get(track.seat.connection)
        return None if member is None else member.line

    def _hear(self, event: Said, now_ms: int) -> None:
        member = self.presence.get(event.connection)
        if member is None:
            return
        member.line.heard_ms = now_ms
        kind = type(event.message)
        if kind in ACCEPTS[self.phase]:
            hear(event.message, self, member, now_ms)
        elif kind not in CROSSES[self.phase]:
            self.out.refuse(member.connection, Refusal.ORDER)
