"""A record as a course of time: every board, every state and who leads, at any moment (ux.md 2.3, deal.md 5.5).

`open_timeline` reads what the record says and folds it over engine/race.py, as lobby and verifier do; a screen asks
`at`. It judges nothing: of a false record it tells what that record says, as far as it can be played. What one seat did
is course.py's business. Times are milliseconds since the start; nothing here knows a clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from client.course import Course, Player, moments
from client.happenings import Happened, Happening, Notes, Stand, moment_of
from client.view import Line, OfferPicture, SeatPicture, SessionView
from engine.deck import Chain, DealtDeck
from engine.race import Absent, Left, Offer, RaceEvent, RaceSeat, RaceTerms, SeatState, Voted, standing
from protocol.deal import Deal, Ready, Seats, Start
from protocol.layout import LayoutError
from protocol.messages import Phase
from protocol.moment import fold_with_gaps, moved_by_gaps, void_gap
from protocol.movelog import SealBody
from protocol.record import EventKind, Gap, Record, RecordEvent
from protocol.seatcheck import VOTES
from protocol.text import SafeText


@dataclass(frozen=True, slots=True)
class _Papers:
    deal: Deal
    start: Start
    gaps: tuple[Gap, ...]
    terms: RaceTerms
    readies: tuple[Ready, ...]


class Timeline:
    """A whole race. `outcome` is what it comes to by the rules, None if nothing ends it."""

    def __init__(
        self,
        papers: _Papers,
        courses: Sequence[Course],
        streams: Sequence[Sequence[RaceEvent]],
        said: Sequence[Happening] = (),
    ) -> None:
        self.deal = papers.deal
        self.start = papers.start
        self.gaps = papers.gaps
        self.settings = papers.deal.settings
        self.courses = tuple(courses)
        self.players = tuple(course.player for course in courses)
        void = void_gap(papers.gaps)
        self.outcome, race = fold_with_gaps(papers.terms, streams, void)
        last_ms = max((course.time_of(course.moves) for course in courses), default=0)
        self.end_ms = last_ms if self.outcome is None else self.outcome.t_ms
        notes = Notes(papers.terms)
        notes.take(streams, self.end_ms if void is None else min(self.end_ms, void.from_ms))
        self._stands = notes.stands
        self.leads = tuple(notes.leads)
        gaps = [Happening(gap.from_ms, Happened.GAP, until_ms=gap.to_ms) for gap in papers.gaps]
        told = sorted([*notes.happenings, *said, *gaps], key=lambda each: each.t_ms)
        told = [each for each in told if each.t_ms <= self.end_ms]
        self.happenings = (*told, Happening(self.end_ms, Happened.ENDED))
        self._counted = tuple(seat.moves for seat in race.seats)
        self._lapse_ms = papers.terms.offer_lapse_ms
        self.beats = self._all_beats()

    def moves_at(self, seat: int, t_ms: int) -> int:
        """Returns how many moves of a seat count up to this moment; those after the end do not."""
        return min(self.courses[seat].moves_at(t_ms), self._counted[seat])

    def counted(self, seat: int) -> int:
        """Returns how many moves of a seat count in the result."""
        return self._counted[seat]

    def time_of(self, seat: int, move: int) -> int:
        """Returns t* of a move of a seat, counted from 1; 0 for the start."""
        return self.courses[seat].time_of(move)

    def time_before(self, seat: int, t_ms: int) -> int:
        """Returns t* of the last move of a seat before this moment, 0 if there was none."""
        return self.courses[seat].time_before(t_ms)

    def leader_at(self, t_ms: int) -> int | None:
        """Returns the seat that leads at this moment, None if nobody does."""
        return self.leads[bisect_right(self.leads, t_ms, key=lambda lead: lead.t_ms) - 1].seat

    def beat_after(self, t_ms: int) -> int | None:
        """Returns the next moment at which something changes, None behind the last."""
        place = bisect_right(self.beats, t_ms)
        return self.beats[place] if place < len(self.beats) else None

    def told_until(self, t_ms: int) -> tuple[Happening, ...]:
        """Returns what has happened up to this moment, in order."""
        return self.happenings[: bisect_right(self.happenings, t_ms, key=lambda each: each.t_ms)]

    def at(self, t_ms: int) -> SessionView:
        """Returns the race as it stood at this moment, with everyone's board; at the end with its outcome."""
        over = t_ms >= self.end_ms
        stand = self._stands[bisect_right(self._stands, t_ms, key=lambda stand: stand.t_ms) - 1]
        moves = [self.moves_at(seat, t_ms) for seat in range(len(self.courses))]
        winners = self.outcome.winners if over and self.outcome is not None else ()
        places = standing(self._race_seats(stand, moves), winners)
        seats = tuple(
            self._picture(seat, stand, moves[seat], places.index(seat) + 1, won=seat in winners)
            for seat in range(len(self.courses))
        )
        return SessionView(
            line=Line.ONLINE,
            phase=Phase.FINISHED if over else Phase.RACING,
            settings=self.settings,
            seats=seats,
            may_sit=False,
            clock_ms=min(t_ms, self.end_ms),
            offer=None if over else self._offer(stand.offer, t_ms),
            outcome=self.outcome if over else None,
        )

    def _race_seats(self, stand: Stand, moves: Sequence[int]) -> list[RaceSeat]:
        return [
            RaceSeat(state=state, score=self.courses[seat].score_after(moves[seat]), moves=moves[seat], left_ms=left_ms)
            for seat, (state, left_ms) in enumerate(zip(stand.states, stand.left_ms, strict=True))
        ]

    def _picture(self, seat: int, stand: Stand, moves: int, place: int, *, won: bool) -> SeatPicture:
        course, player = self.courses[seat], self.players[seat]
        state = stand.states[seat]
        return SeatPicture(
            seat=seat,
            name=player.name,
            you=player.you,
            host=False,
            computer=player.computer,
            connected=not stand.absent[seat],
            ready=True,
            state=state,
            score=course.score_after(moves),
            max_exponent=course.max_exponent_after(moves),
            moves=moves,
            deck_used_up=state is SeatState.STUCK and course.deck_used_up,
            place=place,
            won=won,
            board=course.board_after(moves),
        )

    def _offer(self, offer: Offer | None, t_ms: int) -> OfferPicture | None:
        if offer is None:
            return None
        return OfferPicture(
            by_seat=offer.seat,
            by_name=self.players[offer.seat].name,
            by_you=False,
            agreed=False,
            lapse_ms=max(offer.t_ms + self._lapse_ms - t_ms, 0),
            agreed_seats=tuple(sorted(offer.agreed)),
        )

    def _all_beats(self) -> tuple[int, ...]:
        beats = {0, self.end_ms, *(each.t_ms for each in self.happenings)}
        for course, counted in zip(self.courses, self._counted, strict=True):
            beats.update(course.times[:counted])
        return tuple(sorted(beats))


_LEAVING = {EventKind.RESIGNED: SeatState.RESIGNED, EventKind.FORFEITED: SeatState.FORFEITED}


def open_timeline(record: Record, mine: Collection[bytes] = ()) -> Timeline:
    """Returns the timeline of a record; `mine` are the keys of the person who looks.

    Raises:
        LayoutError: not even its Deal, Seats or Start can be read, so the record is false and there is nothing to see.
    """
    papers = _open_papers(record)
    chain = Chain(papers.deal.chain_id, record.last_link, papers.deal.chain_length)
    deck = DealtDeck(chain, papers.deal.deck_mix(papers.start.mix))
    courses, streams, said = [], [], []
    for seat, (ready, log) in enumerate(zip(papers.readies, record.logs, strict=False)):
        events = [event for event in record.events if event.seat == seat]
        player = Player(seat, SafeText.shown(ready.name), ready.key, ready.computer, ready.key in mine)
        course = Course(player, papers.deal.settings.size, deck, log.directions, moments(log, events))
        courses.append(course)
        streams.append(_stream(course, events))
        said += [Happening(event.t_ms, Happened.SAID, seat) for event in events if event.kind is EventKind.SAID]
    return Timeline(papers, courses, streams, said)


def _open_papers(record: Record) -> _Papers:
    deal, start = Deal.decode(record.deal.body), Start.decode(record.start.body)
    readies = tuple(Ready.decode(signed.body) for signed in Seats.decode(record.seats.body).readies)
    count = min(len(readies), len(record.logs))
    gaps = tuple(sorted((Gap.decode(signed.body) for signed in record.gaps), key=lambda gap: gap.from_ms))
    return _Papers(deal, start, gaps, moved_by_gaps(deal.terms(count), gaps), readies[:count])


def _stream(course: Course, events: Sequence[RecordEvent]) -> list[RaceEvent]:
    """Returns what a seat did, in the order of its log, t* never falling, whatever the record says."""
    stream: list[RaceEvent] = []
    done = t_ms = 0
    for event in events:
        stream += course.results[done : event.moves]
        done = max(done, min(event.moves, course.moves))
        t_ms = max(event.t_ms, t_ms, course.time_of(done))
        happened = _event(event, t_ms)
        if happened is not None:
            stream.append(happened)
    stream += course.results[done:]
    return sorted(stream, key=moment_of)


def _event(event: RecordEvent, t_ms: int) -> RaceEvent | None:
    """Returns what an event of the record is in the race; None for one that came to nothing or cannot be read."""
    if event.kind in _LEAVING:
        return Left(t_ms, event.seat, _LEAVING[event.kind])
    if event.kind in (EventKind.ABSENT, EventKind.RETURNED):
        return Absent(t_ms, event.seat, absent=event.kind is EventKind.ABSENT)
    if event.kind is EventKind.SAID or event.seal is None:
        return None
    try:
        seal = SealBody.decode(event.seal.body)
    except LayoutError:
        return None
    return Voted(t_ms, event.seat, VOTES[seal.act], seal.argument, event.tick) if seal.act in VOTES else None
