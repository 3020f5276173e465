"""A race from its Start to its outcome: what arrives is judged, acknowledged, told and, in the end, decided.

Owns the tracks of the seats, the live race, the ticks, draw offers and windows (rules §4–§6). It does not know who
sits or watches beyond the connections it is given, and how the record is made is closing.py's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from engine.deck import LINKS_DEALT_FEW, DealtDeck
from engine.game import Game
from engine.race import Absent, Left, Outcome, Race, RaceEvent, SeatState, Termination, Vote, Voted
from lobby.events import Outbox
from lobby.opening import Opened
from lobby.people import Line, Seat
from lobby.ticking import Presence, Ticker
from lobby.track import Arrival, Track, TrackError
from protocol.limits import LOG_PIECE_MOVES
from protocol.messages import Ack, Gapped, Link, LogPiece, OwnGame, RaceView, Seal, Signed, Slice, Ticked
from protocol.moment import GAP_MS_MIN, fold_with_gaps, moved_by_gaps, void_gap
from protocol.movelog import Act, SealBody
from protocol.record import EventKind, Gap, RecordEvent
from protocol.refusals import Refusal
from protocol.signing import Signer

VOTES = {Act.OFFER: Vote.OFFER, Act.AGREE: Vote.AGREE, Act.REFUSE: Vote.REFUSE, Act.WITHDRAW: Vote.WITHDRAW}


class RaceRun:
    """One race. `seats` are the players in seat order; `audience` gives everyone who is to be told."""

    def __init__(
        self,
        opened: Opened,
        seats: Sequence[Seat],
        signer: Signer,
        epoch: int,
        audience: Callable[[], tuple[int, ...]],
    ) -> None:
        self.opened = opened
        self.windows = opened.deal.windows
        self.start_ms = opened.start.start_ms
        self.mix = opened.start.mix
        deck = DealtDeck(opened.chain, opened.deal.deck_mix(self.mix), LINKS_DEALT_FEW)  # a lobby has many
        size = opened.deal.settings.size
        self.tracks = [Track(n, seat, opened.deal, self.mix, Game(size, deck)) for n, seat in enumerate(seats)]
        self.terms = opened.deal.terms(len(seats))
        self.live = Race(self.terms)
        self.ticker = Ticker(signer, self.mix, epoch, self.start_ms, self.live)
        self.happened: list[tuple[RaceEvent, RecordEvent]] = []
        self.gaps: list[Signed] = []
        self.out = Outbox()
        self._audience = audience
        self._signer = signer
        self._void: Gap | None = None  # the lobby was away for too long in sum
        self._settled_ms: int | None = None  # when something ended the race, by arrival
        self._drawn = False  # what ended it was a draw agreed by all
        self._offer = 0  # the number of the draw offer that stood then

    # ── what arrives ────────────────────────────────────────────────────────────────────────────────────────────

    def take_slice(self, track: Track, message: Slice, now_ms: int, line: Line) -> bool:
        """Takes in moves of a seat, acknowledges them and tells what they decided.

        Returns True if the connection must be closed: a slice was refused again soon after a resync (deal.md 5.1).
        """
        if track.dropping:
            return False
        try:
            moves, act = track.take_slice(message.moves, message.seal, self._arrival(now_ms, line))
        except TrackError as fault:
            self._refuse(track, fault.code)
            return track.resynced_ms is not None and now_ms - track.resynced_ms < self.windows.resync_ms
        offer, was_idle = self.live.offer, track.idle_until_ms != 0
        track.idle_until_ms = 0
        for move in moves:
            self.live.apply(move)
        self._acknowledge(track, now_ms)
        stuck = self.live.seats[track.number].state is SeatState.STUCK
        if stuck or was_idle or self.live.offer is not offer:
            self._decided(now_ms, (track.number,) if stuck else ())
        if message.seal is not None and act is not Act.NONE:
            self._act(track, message.seal, now_ms)
        return False

    def take_seal(self, track: Track, message: Seal, now_ms: int) -> None:
        """Takes in a seal on its own, and what it says."""
        if track.dropping:
            return
        try:
            track.take_seal(message.seal)
        except TrackError as fault:
            self._refuse(track, fault.code)
            return
        self._act(track, message.seal, now_ms)

    def resync(self, track: Track, moves: int, now_ms: int) -> None:
        """Takes up slices again where the lobby has the log; one that says otherwise is refused again."""
        track.dropping = False
        track.resynced_ms = now_ms
        if moves != len(track.log):
            self._refuse(track, Refusal.SLICE)

    # ── who comes and goes ──────────────────────────────────────────────────────────────────────────────────────

    def gone(self, track: Track, now_ms: int) -> None:
        """The seat's connection is lost: its window to come back begins, but not long before the race (rules 4.6)."""
        if self.live.seats[track.number].state.in_race:
            from_ms = max(now_ms, self.start_ms - self.windows.cancel_ms)
            track.lost_until_ms = from_ms + self.windows.away_ms
            self._decided(now_ms, ())

    def back(self, track: Track, now_ms: int) -> None:
        """The seat has a connection again, or another one."""
        track.dropping = False
        track.resynced_ms = None
        track.tick_sent = self.ticker.number if self.ticker.last else 0
        if self._may_have_links(track) and now_ms >= self.start_ms:
            track.link_sent = max(track.link_sent, track.link_allowed(now_ms - self.start_ms))
        track.must_resume = track.seals > 0
        if self.live.seats[track.number].absent and self._settled_ms is None:
            self._happened(Absent(track.stamp(now_ms - self.start_ms), track.number, absent=False), EventKind.RETURNED)
        if track.lost_until_ms:
            track.lost_until_ms = 0
            self._decided(now_ms, ())

    def own_game(self, track: Track) -> OwnGame:
        """Returns how far the lobby has this seat, for its owner."""
        number = track.link_sent
        link = self.opened.chain.link(number) if number else b""
        return OwnGame(
            moves=len(track.log),
            head=track.log.head,
            seals=track.seals,
            link_number=number,
            link=link,
            offers=self.live.seats[track.number].offers,
        )

    def log_piece(self, track: Track, first: int) -> LogPiece:
        """Returns a piece of a seat's log, for its owner."""
        part = slice(first, first + LOG_PIECE_MOVES)
        return LogPiece(first, bytes(track.log.directions[part]), tuple(track.log.times[part]))

    def view(self) -> RaceView:
        """Returns what someone who comes in the middle needs."""
        return RaceView(
            seats=self.opened.seats_signed, start=self.opened.start_signed, tick=self.ticker.last, gaps=tuple(self.gaps)
        )

    # ── time ────────────────────────────────────────────────────────────────────────────────────────────────────

    def deadline(self, lines: Callable[[Track], Line | None]) -> int:
        """Returns when `wake` next has something to do while the race runs, on the lobby's clock."""
        times = [self.ticker.deadline]
        if self.live.offer is not None:
            times.append(self.start_ms + self.live.offer.t_ms + self.live.terms.offer_lapse_ms)
        if self.terms.bell_ms:
            times.append(self.start_ms + self.terms.bell_ms)
        for track in self.tracks:
            if (link_ms := self._link_deadline(track, lines)) is not None:
                times.append(link_ms)
            if (window_ms := self._window_deadline(track)) is not None:
                times.append(window_ms)
        return min(times)

    def wake(self, now_ms: int, lines: Callable[[Track], Line | None]) -> None:
        """Does everything whose time has come: windows, lapsed offers, and while it goes on links and the sample."""
        self._look_at_windows(now_ms)
        offer = self.live.offer
        self.live.lapse(now_ms - self.start_ms)
        if self.live.offer is not offer:
            self._decided(now_ms, ())
        if self.would_end(now_ms):
            return
        for track in self.tracks:
            due_ms = self._link_deadline(track, lines)
            if due_ms is not None and now_ms >= due_ms:
                self._send_link(track, now_ms)
        tick = self.ticker.sample(now_ms, self._presences())
        if tick is not None:
            self._tell(tick)

    def asleep(self, from_ms: int, now_ms: int) -> None:
        """The lobby itself was away: it counts against nobody (rules 5.6). Nobody was told anything in between."""
        gap = Gap(max(0, from_ms - self.start_ms), now_ms - self.start_ms)
        if gap.to_ms - gap.from_ms <= GAP_MS_MIN:
            return
        body = gap.encode()
        self.gaps.append(Signed(body, self._signer.sign("gap", self.mix, body)))
        gaps = [Gap.decode(signed.body) for signed in self.gaps]
        terms = self.opened.deal.terms(len(self.tracks))
        self.terms = moved_by_gaps(terms, gaps)
        self.live.terms = replace(terms, bell_ms=self.terms.bell_ms)
        self.live.move_offers(gap.to_ms - gap.from_ms)
        for track in self.tracks:
            track.move_windows(gap.to_ms - gap.from_ms)
            track.bell_ms = self.terms.bell_ms
        self._void = void_gap(gaps)
        self.out.send(self._audience(), Gapped(self.gaps[-1]))

    def resumed(self, epoch: int, alive_ms: int, now_ms: int) -> None:
        """The lobby was restarted, and was last there at `alive_ms`. After the end no time moves any more."""
        self.ticker.resume(epoch)
        if self._settled_ms is None:
            self.asleep(alive_ms, now_ms)

    def would_end(self, now_ms: int) -> bool:
        """Returns whether what has arrived would end the race (rules 5.3), or the lobby was away too long (5.6)."""
        return self._void is not None or self.live.decide(now_ms - self.start_ms) is not None

    def settle(self, now_ms: int) -> None:
        """Something has ended the race: from now on nothing is told, and only what is on its way still counts (5.3)."""
        outcome = self.live.decide(now_ms - self.start_ms)
        self._settled_ms, self._drawn = now_ms, outcome is not None and outcome.termination is Termination.DRAW
        if self.live.offer is not None:
            self._offer = self.live.offer.number

    def outcome(self) -> tuple[Outcome | None, Race]:
        """Returns the fold of everything that has arrived, in the order of t*."""
        decisive = self.decisive()
        return fold_with_gaps(self.terms, [_stream(track, decisive) for track in self.tracks], self._void)

    def decisive(self) -> list[tuple[RaceEvent, RecordEvent]]:
        """Returns what happened beside moves and may have decided the race, in the order of arrival.

        Draw offers that came to nothing are left out: the record does not tell them, and the fold of the record must
        be the fold of the race.
        """
        return [pair for pair in self.happened if not isinstance(pair[0], Voted) or pair[0].offer == self._offer]

    def recorded(self) -> list[RecordEvent]:
        """Returns what the record tells beside moves: what is decisive, and votes that moved t* of the move after."""
        told = []
        for event, kept in self.happened:
            if not isinstance(event, Voted) or event.offer == self._offer:
                told.append(kept)
            elif self.tracks[event.seat].waited_for(kept.moves, event.t_ms):
                told.append(replace(kept, kind=EventKind.SAID, tick=0))
        return told

    # ── inside ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _arrival(self, now_ms: int, line: Line) -> Arrival:
        return Arrival(max(0, now_ms - self.start_ms), line.claim_back_ms(now_ms, self.windows))

    def _refuse(self, track: Track, code: Refusal) -> None:
        track.dropping = True
        assert track.seat.connection is not None, "only a connected seat says anything"
        self.out.refuse(track.seat.connection, code, len(track.log), track.seals)

    def _acknowledge(self, track: Track, now_ms: int) -> None:
        number, link = track.link_allowed(now_ms - self.start_ms), b""
        if number > track.link_sent and self._may_have_links(track):
            track.link_sent, link = number, self.opened.chain.link(number)
        else:
            number = 0
        self._send(track, Ack(len(track.log), number, link))

    def _act(self, track: Track, signed: Signed, now_ms: int) -> None:
        seal = SealBody.decode(signed.body)
        if not self._counts(seal.act, now_ms):
            return
        if seal.act is Act.RESIGN and self.live.seats[track.number].state.in_race:
            t_ms = track.stamp(now_ms - self.start_ms)
            self._happened(Left(t_ms, track.number, SeatState.RESIGNED), EventKind.RESIGNED, signed)
            self._decided(now_ms, (track.number,))
        elif seal.act in VOTES:
            self._vote(track, signed, seal, now_ms)

    def _counts(self, act: Act, now_ms: int) -> bool:
        """Returns whether what is said now may still decide: in a settling only what came in its first millisecond.

        All events of one millisecond count together (rules §4); later ones come after the end. Who has agreed cannot
        take that back: then nothing more counts.
        """
        if self._settled_ms is None:
            return True
        return now_ms == self._settled_ms and not self._drawn and act in (Act.RESIGN, Act.AGREE)

    def _vote(self, track: Track, signed: Signed, seal: SealBody, now_ms: int) -> None:
        vote, t_ms = VOTES[seal.act], max(now_ms - self.start_ms, track.last_moment)
        self.live.lapse(t_ms)
        if not self._may_vote(track, vote, seal, t_ms):
            assert track.seat.connection is not None, "only a connected seat says anything"
            self.out.refuse(track.seat.connection, Refusal.VOTE)
            return
        tick = self.ticker.next_number if vote is Vote.OFFER else 0
        event = Voted(track.stamp(t_ms), track.number, vote, seal.argument, tick)
        self._happened(event, EventKind.VOTE, signed)
        self._decided(now_ms, ())

    def _may_vote(self, track: Track, vote: Vote, seal: SealBody, t_ms: int) -> bool:
        """Returns whether a vote is taken: more is asked than by the fold, which sees only what was taken."""
        offer = self.live.offer
        if vote is Vote.OFFER and not self.live.asks_somebody(track.number):
            return False  # nobody agrees by absence: an offer that only its maker could agree to is a draw at will
        if vote is Vote.AGREE and offer is not None and (seal.tick_seen < offer.tick or t_ms <= offer.t_ms):
            return False  # it had not seen the offer (rules 6.4); within a millisecond the seats have no order
        return self.live.vote_fault(track.number, vote, seal.argument, t_ms) is None

    def _happened(self, event: Voted | Left | Absent, kind: EventKind, seal: Signed | None = None) -> None:
        track = self.tracks[event.seat]
        self.live.apply(event)
        if isinstance(event, Left):
            track.closed, track.lost_until_ms, track.idle_until_ms = True, 0, 0
        tick = event.tick if isinstance(event, Voted) else 0
        self.happened.append((event, RecordEvent(kind, event.seat, event.t_ms, len(track.log), tick, seal)))

    def _decided(self, now_ms: int, seats: Sequence[int]) -> None:
        """Tells a decided event at once, unless it ends the race: of that, nothing is told yet (rules 5.3)."""
        if self._settled_ms is None and not self.would_end(now_ms):
            self._tell(self.ticker.decided(now_ms, self._presences(), seats))

    def _tell(self, tick: Ticked) -> None:
        for track in self.tracks:
            if track.seat.connection is not None:
                track.tick_sent = self.ticker.number
        self.out.send(self._audience(), tick, newest_only=True)

    def _presences(self) -> list[Presence]:
        return [Presence(track.game.deck_used_up, track.away_until_ms) for track in self.tracks]

    def _may_have_links(self, track: Track) -> bool:
        """Returns whether the seat plays on: one that is stuck, out or has made the target gets none (deal.md 4.2)."""
        return self.live.seats[track.number].state is SeatState.MOVING and not track.made_target

    def _link_deadline(self, track: Track, lines: Callable[[Track], Line | None]) -> int | None:
        due_ms = track.link_due_ms()
        if due_ms is None:  # nearly always: links go out with acknowledgements
            return None
        line = lines(track)
        if line is None or not self._may_have_links(track):
            return None
        early_ms = 0 if track.link_sent else line.early_ms(self.start_ms, self.windows)
        return self.start_ms + due_ms - early_ms

    def _send_link(self, track: Track, now_ms: int) -> None:
        number = track.link_allowed(max(now_ms - self.start_ms, 0))
        track.link_sent = max(number, track.link_sent)
        self._send(track, Link(number, self.opened.chain.link(number)))

    def _send(self, track: Track, message: Ack | Link) -> None:
        if track.seat.connection is not None:
            self.out.send((track.seat.connection,), message)

    def _window_deadline(self, track: Track) -> int | None:
        """Returns when this seat's time is up: the end of its window, or its idle limit (rules 4.6, 4.9)."""
        if not self.live.seats[track.number].state.in_race:
            return None
        away_ms, idle_ms = track.away_until_ms, self._idle_from_ms(track)
        return min(away_ms or idle_ms, idle_ms or away_ms) or None

    def _idle_from_ms(self, track: Track) -> int:
        """Returns when a seat that can move will have sat still for too long; 0 for one of which that is not asked."""
        idle_ms = self.opened.deal.settings.idle_ms
        if not idle_ms or track.idle_until_ms or self.live.seats[track.number].state is not SeatState.MOVING:
            return 0
        return self.start_ms + track.moved_ms + idle_ms

    def _look_at_windows(self, now_ms: int) -> None:
        """Who sat still for too long counts as away, who was away for too long is out (rules 4.9, 4.6).

        All whose window ends in one moment leave in that moment, before any of it is told. Where this process was late,
        that is not before the last tick: it has told that they were there.
        """
        for track in self.tracks:
            idle_from_ms = self._idle_from_ms(track)
            if idle_from_ms and now_ms >= idle_from_ms:
                track.idle_until_ms = idle_from_ms + self.windows.away_ms
                self._decided(now_ms, ())
        due = [track for track in self.tracks if self._is_due(track, now_ms)]
        for track in due:
            self._out_of_time(track, max(track.away_until_ms, self.ticker.told_ms))
        if due:
            self._decided(now_ms, [track.number for track in due])

    def _is_due(self, track: Track, now_ms: int) -> bool:
        return self.live.seats[track.number].state.in_race and 0 < track.away_until_ms <= now_ms

    def _out_of_time(self, track: Track, at_ms: int) -> None:
        track.lost_until_ms = track.idle_until_ms = 0
        t_ms = track.stamp(at_ms - self.start_ms)
        if self.live.seats[track.number].state is SeatState.MOVING:
            self._happened(Left(t_ms, track.number, SeatState.FORFEITED), EventKind.FORFEITED)
        else:
            self._happened(Absent(t_ms, track.number, absent=True), EventKind.ABSENT)


def _stream(track: Track, happened: Sequence[tuple[RaceEvent, RecordEvent]]) -> Iterator[RaceEvent]:
    """Yields the events of one seat in the order of its log: its moves, and between them what else it did."""
    others = [(kept.moves, event) for event, kept in happened if event.seat == track.number]
    place = 0
    for moves, event in others:
        yield from track.moved(place, moves)
        place = moves
        yield event
    yield from track.moved(place, len(track.log))
