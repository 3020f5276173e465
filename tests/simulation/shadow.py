"""The race beside the race: what crossed the wire, judged by the slow model of rules §4 (tests/lobby/model_race.py).

While a race runs, only what reached the lobby is written down: slices that were acknowledged, acts, lost and found
connections, answered pings. When its record is there, the model reads the whole list and says when the race had to
end, by which clause, for whom, at which moment each move counts and which words about a draw counted. Races in which
the lobby itself was away are left to fold.py: the model knows no gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.race import Kind, Termination
from lobby.events import Disconnected, Event, Received
from protocol import messages
from protocol.deal import Deal, Start
from protocol.layout import LayoutError
from protocol.messages import FromLobby
from protocol.movelog import Act, SealBody
from protocol.tick import Tick
from tests.lobby.model_race import MOVING, NEVER, STUCK, After, Judge, Law, Said, line_of
from tests.simulation.fold import SlowFold

if TYPE_CHECKING:
    from tests.simulation.world import World

CANCEL_MS = 150  # rules 3.5
WORDS = {
    Act.OFFER: "offer", Act.AGREE: "agree", Act.REFUSE: "refuse", Act.WITHDRAW: "withdraw", Act.RESIGN: "resign",
}  # fmt: skip
CLAUSES = {
    "alone": Termination.ALONE, "void": Termination.VOID, "target": Termination.TARGET, "agreed": Termination.DRAW,
    "last mover": Termination.LAST_MOVER, "all stuck": Termination.ALL_STUCK, "bell": Termination.BELL,
}  # fmt: skip
KINDS = {Kind.TARGET: "target", Kind.TIMED: "timed", Kind.ENDLESS: "endless"}


@dataclass
class Entry:
    """One thing that reached the lobby. `moves`: how many of a slice; `taken`: what the lobby made of a word."""

    said: Said
    looked_ms: int
    moves: int = 0
    taken: bool | None = None


@dataclass
class Course:
    """What reached the lobby in one race."""

    start: Start
    deal: Deal
    keys: list[bytes]
    entries: list[Entry] = field(default_factory=list)
    told: dict[int, int] = field(default_factory=dict)  # by number of an offer: the tick that told of it first
    dropping: set[int] = field(default_factory=set)
    lost: dict[int, int] = field(default_factory=dict)  # by seat: since when it has no connection
    opened_ms: int = NEVER  # when the settling opened
    ended: messages.Ended | None = None
    strange: bool = False  # the lobby was away


class Shadow:
    """Writes down what happens, and judges."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.judged = 0
        self._course: Course | None = None
        self._courses: dict[bytes, Course] = {}
        self._current: dict[bytes, int] = {}  # by key: the connection that counts
        self._trips: dict[int, list[tuple[int, int]]] = {}
        self._answers: list[FromLobby] = []
        self._asked: tuple[int, Event] | None = None
        self._handled_ms = self._before_ms = 0  # what fell due up to then had happened before

    def away(self) -> None:
        """The lobby's process is gone."""
        self._current.clear()
        self.pauses()

    def pauses(self) -> None:
        """The lobby is not there: of that the model knows nothing."""
        for course in self._courses.values():
            course.strange = course.strange or course.ended is None

    # ── what happens ─────────────────────────────────────────────────────────────────────────────────────────────

    def arrives(self, number: int, event: Event) -> None:
        """Something is about to be told to the lobby."""
        self._asked, self._answers = (number, event), []
        self._before_ms = max(self.world.now_ms - 1, self._handled_ms)

    def comes_out(self, message: FromLobby, connections: tuple[int, ...]) -> None:
        """The core says this."""
        if self._asked is not None and self._asked[0] in connections:
            self._answers.append(message)
        match message:
            case messages.Started(start):
                self._started(start)
            case messages.Welcome():
                self._arrived(self.world.keys[connections[0]], connections[0])
            case messages.Ticked(tick) if self._course is not None:
                offer = Tick.decode(tick.body).offer
                if offer is not None:
                    self._course.told.setdefault(offer.number, Tick.decode(tick.body).number)
            case messages.Ended() if self._course is not None:
                self._course.ended = message
            case _:
                pass

    def closed(self, number: int) -> None:
        """The core closes a connection."""
        key = self.world.keys[number]
        if self._current.get(key) == number:
            del self._current[key]
            self._lost(key)

    def arrived(self, number: int, event: Event) -> None:
        """It was told, and everything it brings about was said."""
        key = self.world.keys.get(number, b"")
        if self._current.get(key) == number:
            if isinstance(event, Disconnected):
                del self._current[key]
                self._lost(key)
            elif isinstance(event, Received):
                self._heard(number, key, event.message)
        self._asked = None

    def handled(self) -> None:
        """The core has looked at its clock, too."""
        self._handled_ms = self.world.now_ms

    def settles(self) -> None:
        """The table has gone to its settling."""
        if self._course is not None:
            self._course.opened_ms = min(self._course.opened_ms, self.world.now_ms)

    def _started(self, signed: messages.Signed) -> None:
        table = self.world.table
        assert table is not None, "a Start comes from a table"
        assert table.run is not None, "a Start begins a race"
        start, deal = Start.decode(signed.body), table.run.opened.deal
        keys = [track.seat.key for track in table.run.tracks]
        self._course = self._courses[start.mix] = Course(start, deal, keys)
        for key in keys:
            if key not in self._current:
                self._lost(key)

    def _race_ms(self, course: Course) -> int:
        return max(self.world.now_ms - course.start.start_ms, -CANCEL_MS)

    def _looked_ms(self, course: Course) -> int:
        return self._before_ms - course.start.start_ms

    def _note(self, course: Course, said: Said, moves: int = 0, taken: bool | None = None) -> None:
        course.entries.append(Entry(said, self._looked_ms(course), moves, taken))

    def _lost(self, key: bytes) -> None:
        course = self._course
        if course is not None and course.ended is None and key in course.keys:
            seat = course.keys.index(key)
            course.lost[seat] = self._race_ms(course)
            self._note(course, Said(course.lost[seat], seat, "lost"))

    def _arrived(self, key: bytes, number: int) -> None:
        self._current[key] = number
        self._trips[number] = []
        course = self._course
        if course is None or course.ended is not None or key not in course.keys:
            return
        seat = course.keys.index(key)
        course.dropping.discard(seat)
        since_ms = course.lost.pop(seat, None)
        if since_ms is not None:
            at_ms = self._race_ms(course)
            late = since_ms + 60_000 == at_ms and self._looked_ms(course) == at_ms
            self._note(course, Said(at_ms + late, seat, "back"))

    def _heard(self, number: int, key: bytes, message: messages.FromClient) -> None:
        now_ms, course = self.world.now_ms, self._course
        if isinstance(message, messages.Pong):
            if message.stamp_ms <= now_ms:
                self._trips[number].append((now_ms, now_ms - message.stamp_ms))
            return
        if course is None or key not in course.keys or now_ms < course.start.start_ms:
            return
        seat = course.keys.index(key)
        refused = {answer.code for answer in self._answers if isinstance(answer, messages.Refused)}
        if isinstance(message, messages.Resync):
            course.dropping.discard(seat)
        elif isinstance(message, messages.Slice):
            self._slice(course, seat, number, message)
        elif isinstance(message, messages.Seal) and seat not in course.dropping and "seal" not in refused:
            self._seal(course, seat, message.seal, refused)
        if refused & {"slice", "flood", "seal"}:
            course.dropping.add(seat)

    def _slice(self, course: Course, seat: int, number: int, message: messages.Slice) -> None:
        if not any(isinstance(answer, messages.Ack) for answer in self._answers):
            return
        tick_seen, count = int.from_bytes(message.moves[4:12], "big"), message.moves[12]
        known = frozenset(offer for offer, tick in course.told.items() if tick <= tick_seen)
        law = law_of(course)
        line_ms = line_of(self._trips[number], self.world.now_ms, law)
        said = Said(self._race_ms(course), seat, "moves", known=known, line_ms=line_ms)
        self._note(course, said, moves=count)

    def _seal(self, course: Course, seat: int, signed: messages.Signed, refused: set[str]) -> None:
        try:
            body = SealBody.decode(signed.body)
        except LayoutError:
            return
        if body.act not in WORDS:
            return
        known = frozenset(offer for offer, tick in course.told.items() if tick <= body.tick_seen)
        said = Said(self._race_ms(course), seat, WORDS[body.act], offer=body.argument, known=known)
        self._note(course, said, taken="vote" not in refused)

    # ── and what comes of it ─────────────────────────────────────────────────────────────────────────────────────

    def judge(self, fold: SlowFold, mix: bytes) -> None:
        """Compares a finished race with what the model makes of it."""
        course = self._courses.pop(mix, None)
        if course is None or course.strange or course.ended is None or fold.gaps:
            return
        law, said = law_of(course), self._filled(course, fold)
        judge = Judge(law, After(0, 0, full=False), said)
        outcome = fold.result.outcome
        verdict = judge.verdict(NEVER - 1)
        found = None if verdict is None else (CLAUSES[verdict.clause], verdict.winners, verdict.t_ms)
        lobbys = (outcome.termination, outcome.winners, outcome.t_ms)
        assert found == lobbys, f"the lobby says {lobbys}, the rules {found}"
        assert verdict is not None, "just compared"
        order = tuple(judge.standing_order(verdict))
        assert order == course.ended.standing, f"the lobby's standing is {course.ended.standing}, by the rules {order}"
        for seat, story in enumerate(judge.seats):
            moments = [move[0] for move in fold.seats[seat].moves]
            assert story.times == moments, f"the moves of seat {seat} count at {moments}, by the rules at {story.times}"
        self._opened(course, law, said)
        self.judged += 1

    def _opened(self, course: Course, law: Law, said: list[Said]) -> None:
        """5.3: the settling opened with the first event that would end the race, and not before."""
        opened_ms = course.opened_ms - course.start.start_ms
        before = [one for one in said if one.arrival_ms < opened_ms]
        earlier = Judge(law, After(0, 0, full=False), before).verdict(opened_ms - 1)
        assert earlier is None, f"the race was over at {earlier}, and settled at {opened_ms}"
        upto = [one for one in said if one.arrival_ms <= opened_ms]
        then = Judge(law, After(0, 0, full=False), upto).verdict(opened_ms)
        assert then is not None, f"nothing had ended the race when it settled at {opened_ms}"

    def _filled(self, course: Course, fold: SlowFold) -> list[Said]:
        """The list for the model: moves with their claims and boards, words as far as they count."""
        said: list[Said] = []
        places = [0] * len(course.keys)
        for entry in course.entries:
            one = entry.said
            if one.what == "moves":
                first, last = places[one.seat], places[one.seat] + entry.moves
                places[one.seat] = last
                claims = tuple(fold.record.logs[one.seat].times[first:last])
                made = fold.seats[one.seat].moves[first:last]
                one = one._replace(claims=claims, boards=tuple(After(*move[1:]) for move in made))
            elif one.what in WORDS.values():
                one = self._word(course, entry, said)
            said.append(one)
        assert places == [len(log.directions) for log in fold.record.logs], "the record has other moves than were taken"
        return said

    def _word(self, course: Course, entry: Entry, said: list[Said]) -> Said:
        """A word about the race, or only the seal that it came in if it does not count."""
        one = entry.said
        opened_ms = course.opened_ms - course.start.start_ms
        looked_ms = min(entry.looked_ms, opened_ms)
        judge = Judge(law_of(course), After(0, 0, full=False), said)
        if one.what == "resign":
            counts = judge.seats[one.seat].state(one.arrival_ms, looked_ms) in (MOVING, STUCK)
        else:
            counts = judge.hears(one, looked_ms)
        if one.what == "offer":  # its number is a count (deal.md 5.2)
            counts = counts and all(one.offer > each.number for each in judge.offers if each.seat == one.seat)
        if one.arrival_ms > opened_ms:
            return one._replace(what="seal")
        if one.arrival_ms == opened_ms:
            verdict = judge.verdict(opened_ms)
            if verdict is not None and (verdict.clause == "agreed" or one.what not in ("agree", "resign")):
                return one._replace(what="seal")
        agreed = entry.taken in (None, counts) or one.what == "resign"
        assert agreed, f"{one} was {'taken' if entry.taken else 'refused'}, by the rules it is not so"
        return one if counts else one._replace(what="seal")


def law_of(course: Course) -> Law:
    """The law of a race, for the model."""
    settings = course.deal.settings
    return Law(
        kind=KINDS[Kind(settings.kind)], seats=len(course.keys), target=settings.target_exponent,
        bell_ms=settings.time_ms or NEVER, idle_ms=settings.idle_ms, moves_max=8 * course.deal.chain_length - 2,
    )  # fmt: skip
