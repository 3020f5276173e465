"""What must hold in every world, whatever happens: the `Looker` sees all that the lobby says, and says what is wrong.

It judges by what is on the wire and by what the world did to lines and processes; only where a secret must be known to
be looked for (links, boards) does it look into the lobby. secrecy.py looks at every byte, fold.py judges records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from client.events import CheckRecord
from client.view import Check
from engine.race import SeatState
from lobby.events import Archive, Close, Effect, Event, Send
from protocol import messages
from protocol.codec import encode
from protocol.deal import Start
from protocol.messages import FromLobby, Phase
from protocol.record import EventKind, Gap
from protocol.tick import Tick
from tests.simulation.fold import Folded, SlowFold
from tests.simulation.people import UNBEGUN
from tests.simulation.secrecy import Secrets
from tests.simulation.shadow import Shadow

if TYPE_CHECKING:
    from tests.simulation.programs import Program
    from tests.simulation.world import World

AWAY_MS, SETTLE_MS, TICK_MS, GAP_MS_MIN = 60_000, 150, 1_000, 2_000
NEVER = 1 << 60
GIVE_UP_MS = 600_000
SLACK_MS = 3_000  # how exactly the lobby can know how long it was away: a heartbeat a second, twice
EARLY = (messages.Ping, messages.Pong, messages.Drain)
TELLING = (messages.Ticked, messages.Link, messages.Ended, messages.Gapped, messages.RecordReady)
HANDSHAKE = (messages.Challenge,)
ENDINGS = ("", "left", "closed", "replaced")  # how an honest session may be over
WRONG = ("frame", "order", "proof", "signature", "slice", "flood", "seal", "guessing", "version")
UNSURE_MS = 200  # of a round trip: half of it is how far a clock may be ahead, and 100 ms are borne (rules 5.2)
SIZES_MAX = (1, 40, 200, 40)  # tables, visitors, alarms, those not at a table yet


@dataclass
class Told:
    """What the lobby has told of one race."""

    start: Start
    ticks: dict[int, bytes] = field(default_factory=dict)
    last: Tick | None = None
    seen: messages.Signed | None = None  # that tick as it was signed
    changed_ms: dict[int, int] = field(default_factory=dict)
    acked: dict[bytes, int] = field(default_factory=dict)  # by key: moves that the lobby has said it has
    gaps: dict[bytes, Gap] = field(default_factory=dict)
    ended: messages.Ended | None = None
    ended_ms: int = 0
    record_sha256: bytes = b""
    moved_ms: dict[bytes, int] = field(default_factory=dict)  # when a move was last acknowledged


class Looker:
    """Looks on; raises AssertionError."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.races: dict[bytes, Told] = {}  # by mix
        self.race: Told | None = None
        self.archived: list[bytes] = []
        self.calm_archives = 0
        self.checks = 0
        self.secrets = Secrets(world)
        self.shadow = Shadow(world)
        self._reach: dict[str, list[list[int]]] = {}  # from when to when somebody could be heard
        self._downs: list[list[int]] = []
        self._phase: Phase | None = None
        self._phase_ms = 0
        self._tally: dict[bytes, list[int]] = {}
        self._before: object = None
        self._false = ""  # what is false about what is being told
        self._seen_archives = 0
        self.ends: dict[str, int] = {}
        self._at_tables: set[int] = set()  # connections that came to one

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────

    def arrives(self, number: int, frame: bytes, event: Event) -> None:
        """Something is about to be told to the lobby."""
        program = self.world.program_of(number)
        self._false = next((c.falsehood(frame) for c in self.world.cheats if c.program is program), "")
        self._before = self._logs() if self._false else None
        self.shadow.arrives(number, event)

    def arrived(self, number: int, event: Event) -> None:
        """It was told."""
        if self._before is not None and self.world.process.up:
            assert self._before == self._logs(), f"a false frame was taken: {self._false}"
        self._look_at_phase()
        if self.world.process.up:
            lobby = self.world.process.lobby
            sizes = (lobby.tables, len(lobby._visitors), len(lobby._alarms), len(lobby._waiting))
            assert all(size <= most for size, most in zip(sizes, SIZES_MAX, strict=True)), f"grown to {sizes}"
        self.shadow.arrived(number, event)

    def _logs(self) -> object:
        table = self.world.table
        if table is None or table.run is None:
            return []
        tracks = table.run.tracks
        return [(len(track.log), track.log.head, track.seals, track.closed) for track in tracks]

    # ── what is said ─────────────────────────────────────────────────────────────────────────────────────────────

    def told_early(self, effect: Send | Close, event: Event) -> None:
        """Something is carried out before the row of its event is submitted: it must tell nothing of it."""
        quiet = isinstance(effect, Send) and isinstance(effect.message, (*EARLY, *HANDSHAKE))
        told = effect.connections if isinstance(effect, Send) else (effect.connection,)
        quiet = quiet or self._at_tables.isdisjoint(told)  # who is at no table is told nothing that is written
        assert quiet, f"told before it was written: {effect} on {type(event).__name__}"

    def comes_out(self, effects: Sequence[Effect]) -> None:
        """The core wants this to be done; whether the disk lets it is another matter."""
        table = self.world.table
        settling = table is not None and table.phase is Phase.SETTLING
        begins = self._phase is not Phase.SETTLING
        for effect in effects:
            if isinstance(effect, Send):
                if isinstance(effect.message, messages.Welcome):
                    self._at_tables.update(effect.connections)
                told = settling and isinstance(effect.message, TELLING)
                # The event that began it may have shown first that the lobby was away.
                told = told and not (begins and isinstance(effect.message, messages.Gapped))
                assert not told, f"{type(effect.message).__name__} in a settling (rules 5.3)"
                self.secrets.look(effect.message, encode(effect.message), effect.connections)
                self.shadow.comes_out(effect.message, effect.connections)
            elif isinstance(effect, Close):
                self.shadow.closed(effect.connection)
        self.shadow.handled()
        self._look_at_ticker()
        self._look_at_phase()

    def says(self, message: FromLobby, frame: bytes, connections: tuple[int, ...]) -> None:
        """The lobby says this to all of them."""
        self._look_at_archive()
        match message:
            case messages.Started():
                self._started(message.start)
            case messages.Ticked():
                self._ticked(message.tick)
            case messages.Ended():
                self._ended(message)
            case messages.Gapped():
                self._gap(message.gap)
            case messages.RecordReady():
                self._record(message)
            case _:
                pass
        for connection in connections:
            program = self.world.program_of(connection)
            if program is not None and self.world.is_own(connection):
                self._says_to(program, connection, message)
        self._look_at_phase()

    def _says_to(self, program: Program, connection: int, message: FromLobby) -> None:
        key = program.signer.key
        if isinstance(message, messages.Ack) and self.race is not None:
            self.race.acked[key] = max(self.race.acked.get(key, 0), message.moves)
            self.race.moved_ms[key] = self.world.now_ms
        elif isinstance(message, messages.Refused):
            # Its moves came too late, too; what a lobby that was stopped says now may be of a phase that is over.
            late = message.code == "seal" and self.race is not None and self.race.ended is not None
            # A line that was slow whenever it was measured puts a clock wrong; nobody can know, and it is said again.
            unsure = message.code == "slice" and (program.session.clock.round_trip_ms or UNSURE_MS) >= UNSURE_MS
            wrong = message.code in WRONG and program.knobs.honest and not late and not unsure
            assert not wrong, f"{program.name} is honest and was refused: {message.code}"
        elif isinstance(message, messages.Welcome):
            self._welcome(program, connection, message)

    def _welcome(self, program: Program, connection: int, welcome: messages.Welcome) -> None:
        if program.wire is not None and program.wire.number == connection and program.wire.alive:
            self._reach.setdefault(program.name, []).append([self.world.now_ms, NEVER, connection])
        if welcome.race.start is not None:
            told = self._started(welcome.race.start)
            for gap in welcome.race.gaps:
                self._gap(gap)
            if welcome.race.tick is not None:
                self._ticked(welcome.race.tick)
            if welcome.own is not None:
                had = told.acked.get(program.signer.key, 0)
                kept = told.acked[program.signer.key] = welcome.own.moves
                assert kept >= had, f"{program.name} had {had} moves acknowledged, and {kept} are kept"
        if welcome.ended is not None:
            self._ended(welcome.ended)
        if welcome.record is not None and welcome.table.phase is Phase.FINISHED:
            self._record(welcome.record)
        elif welcome.record is not None:  # of a race before
            assert welcome.record.sha256 in {race.record_sha256 for race in self.races.values()}, "a record of no race"

    def closes(self, program: Program, effect: Close) -> None:
        """The lobby closes a connection."""
        wrong = effect.code in WRONG and program.knobs.honest
        assert not wrong, f"{program.name} is honest and was closed: {effect.code}"

    # ── a race ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _started(self, signed: messages.Signed) -> Told:
        start = Start.decode(signed.body)
        if start.mix not in self.races:
            self.races[start.mix] = Told(start)
        self.race = self.races[start.mix]
        return self.race

    def _ticked(self, signed: messages.Signed) -> None:
        told, tick = self.race, Tick.decode(signed.body)
        assert told is not None, "a tick without a race"
        known = told.ticks.get(tick.number)
        assert known in (None, signed.body), f"two ticks have the number {tick.number}"
        if known is not None:
            return
        assert tick.number > max(told.ticks, default=0), f"tick {tick.number} comes after {max(told.ticks)}"
        told.ticks[tick.number] = signed.body

    def _look_at_ticker(self) -> None:
        """Looks at every tick that is made, though there may be nobody to be told."""
        table = self.world.table
        run = None if table is None else table.run
        told = None if run is None else self.races.get(run.mix)
        if run is None or told is None or run.ticker.last is None or run.ticker.last is told.seen:
            return
        told.seen = run.ticker.last
        tick = Tick.decode(run.ticker.last.body)
        if told.last is None or tick.number != told.last.number:
            self._figures(told, tick)
            told.last = tick

    def _figures(self, told: Told, tick: Tick) -> None:
        """Public figures change at most once a second, but for a seat whose state is decided (rules 3.6)."""
        before = told.last
        if tick.offer is not None:
            maker = tick.seats[tick.offer.seat]
            assert maker.state.in_race, (
                f"the offer of seat {tick.offer.seat} outlives it: {maker.state.name} (rules 4.8)"
            )
        for place, seat in enumerate(tick.seats):
            was = None if before is None else before.seats[place]
            figures = (seat.score, seat.max_exponent, seat.moves)
            old = (0, 0, 0) if was is None else (was.score, was.max_exponent, was.moves)
            if figures == old:
                continue
            decided = seat.state != (SeatState.MOVING if was is None else was.state)
            since_ms = tick.lobby_ms - told.changed_ms.get(place, told.start.start_ms)
            was_ms = told.changed_ms.get(place, told.start.start_ms)
            restarted = bool(self._downs) and self._downs[-1][1] > was_ms - TICK_MS  # a sample came late then
            assert decided or restarted or since_ms >= TICK_MS, f"seat {place} is told anew after {since_ms} ms"
            told.changed_ms[place] = tick.lobby_ms

    def _ended(self, ended: messages.Ended) -> None:
        told = self.race
        assert told is not None, "an end without a race"
        assert told.ended in (None, ended), "one race has two ends"
        if told.ended is None:
            told.ended, told.ended_ms = ended, self.world.now_ms

    def _gap(self, signed: messages.Signed) -> None:
        assert self.race is not None, "a gap without a race"
        self.race.gaps[signed.body] = Gap.decode(signed.body)

    def _record(self, ready: messages.RecordReady) -> None:
        assert self.race is not None, "a record without a race"
        assert self.race.record_sha256 in (b"", ready.sha256), "one race has two records"
        self.race.record_sha256 = ready.sha256

    def _look_at_phase(self) -> None:
        """5.3: a settling lasts 150 ms and is never restarted; nothing about the race is told before it is over."""
        table = self.world.table
        phase = None if table is None else table.phase
        now_ms = self.world.now_ms
        if phase is not self._phase:
            self._phase, self._phase_ms = phase, now_ms
            if phase is Phase.SETTLING:
                self.shadow.settles()
        down = bool(self._downs) and self._downs[-1][-1] >= self._phase_ms
        if phase is Phase.SETTLING and not down and not self.world.process.still:
            assert now_ms <= self._phase_ms + SETTLE_MS, f"a settling of {now_ms - self._phase_ms} ms"

    # ── records ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _look_at_archive(self) -> None:
        while self._seen_archives < len(self.world.process.disk.archived):
            archive = self.world.process.disk.archived[self._seen_archives]
            self._seen_archives += 1
            self._archive(archive)

    def _archive(self, archive: Archive) -> None:
        fold = SlowFold(archive.record)
        told = self.races[fold.start.mix]
        digest = sha256(archive.record).digest()
        assert told.record_sha256 in (b"", digest), "another record was announced"
        assert archive.record not in self.archived, "a race is archived twice"
        told.record_sha256 = digest
        self.archived.append(archive.record)
        found, result = fold.outcome(), fold.result
        said = Folded(
            result.outcome.termination, result.outcome.winners, result.outcome.t_ms,
            tuple((seat.state, seat.score, seat.moves) for seat in result.seats),
        )  # fmt: skip
        assert found == said, f"the Result says {said}, the record {found}"
        self.ends[result.outcome.termination.name] = self.ends.get(result.outcome.termination.name, 0) + 1
        ended = told.ended
        if ended is not None:
            states = tuple(zip(ended.states, ended.scores, ended.moves, strict=True))
            assert (ended.termination, ended.winners, ended.t_ms, states) == (
                said.termination, said.winners, said.t_ms, said.seats,
            ), f"told was {ended}, the record says {said}"  # fmt: skip
            for place, cells in enumerate(ended.boards):
                self._board(fold, place, cells, ended.moves[place])
        self._own_moves(fold, told)
        self._forfeits(fold, told)
        self._gaps_told(fold, told)
        self._count(fold)
        self.shadow.judge(fold, told.start.mix)

    def _board(self, fold: SlowFold, place: int, cells: bytes, moves: int) -> None:
        board = fold.seats[place].board
        assert board is not None, "every log has a board"
        if board.moves == moves:
            assert bytes(board.cells) == cells, f"seat {place} was shown another board"

    def _own_moves(self, fold: SlowFold, told: Told) -> None:
        """Acknowledged ⊆ record, and nothing in it that its player has not made."""
        for program in self.world.programs.values():
            if program.signer.key not in fold.keys:
                continue
            log = fold.record.logs[fold.keys.index(program.signer.key)]
            count, acked = len(log.directions), told.acked.get(program.signer.key, 0)
            assert count >= acked, f"{program.name} had {acked} moves acknowledged, and the record has {count}"
            if program.knobs.honest:
                kept = program.memory.get(fold.start.mix, {})
                made = [kept[number] for number in range(1, count + 1)]
                assert made == list(zip(log.directions, log.times, strict=True)), f"not {program.name}'s moves"

    def _forfeits(self, fold: SlowFold, told: Told) -> None:
        """Nobody who could be heard is forfeited, and nobody through the lobby's own absence."""
        for event in fold.record.events:
            if event.kind is not EventKind.FORFEITED:
                continue
            assert fold.seats[event.seat].at(event.t_ms - 1)[0] == SeatState.MOVING, "a stuck seat is forfeited"
            name = next(p.name for p in self.world.programs.values() if p.signer.key == fold.keys[event.seat])
            at_ms = told.start.start_ms + event.t_ms
            away_ms = self._away_ms(name, at_ms)
            idle_ms = fold.deal.settings.idle_ms
            moved_ms = told.moved_ms.get(fold.keys[event.seat], told.start.start_ms)
            idled = idle_ms and self._up_ms(moved_ms, at_ms) >= idle_ms + AWAY_MS - SLACK_MS
            assert idled or away_ms >= AWAY_MS - SLACK_MS, f"{name} was forfeited after only {away_ms} ms away"

    def _gaps_told(self, fold: SlowFold, told: Told) -> None:
        """5.6: in the record stands every time in which the lobby was away while the race went on."""
        for begin_ms, end_ms in self._downs:
            from_ms, to_ms = begin_ms - told.start.start_ms, end_ms - told.start.start_ms
            if to_ms - from_ms <= GAP_MS_MIN or from_ms < 0 or to_ms > fold.result.outcome.t_ms:
                continue
            spans = any(gap.from_ms <= from_ms + 1 and gap.to_ms >= to_ms for gap in fold.gaps)
            assert spans, f"the lobby was away from {from_ms} to {to_ms}, the record says {fold.gaps}"

    def _away_ms(self, name: str, at_ms: int) -> int:
        """How long somebody could not be heard before, the lobby's own absence not counted."""
        spans = [span for span in self._reach.get(name, ()) if span[0] < at_ms]
        return self._up_ms(min(at_ms, spans[-1][1]) if spans else 0, at_ms)

    def _up_ms(self, from_ms: int, to_ms: int) -> int:
        """How long the lobby was there in between; what is not longer than two seconds is no gap (rules 5.6)."""
        gaps = [(begin, end) for begin, end in self._downs if end - begin > GAP_MS_MIN]
        down_ms = sum(max(0, min(to_ms, end) - max(from_ms, begin)) for begin, end in gaps)
        return to_ms - from_ms - down_ms

    def _count(self, fold: SlowFold) -> None:
        """3.8: the tally is what the races come to."""
        winners = fold.result.outcome.winners
        for place, key in enumerate(fold.keys if winners else ()):
            mine = self._tally.setdefault(key, [0, 0, 0])
            mine[(0 if len(winners) == 1 else 1) if place in winners else 2] += 1
        table = self.world.table
        if table is not None and table.phase is Phase.FINISHED and not self.world.process.behind:
            counted = {key: [tally.wins, tally.draws, tally.losses] for key, tally in table.seating.tally.items()}
            assert counted == self._tally, f"the tally is {counted}, and should be {self._tally}"

    # ── programs ─────────────────────────────────────────────────────────────────────────────────────────────────

    def checked(self, program: Program, asked: CheckRecord, check: Check) -> None:
        """A program has held a record against what it saw."""
        self.checks += 1
        assert check.ok, f"{program.name} does not believe the record: {check.reason} {check.detail}"
        assert asked.record in self.archived, f"{program.name} got another record than was archived"

    def unreachable(self, program: Program, connection: int | None = None) -> None:
        """From now on this one cannot be heard, at least not on this connection."""
        for span in self._reach.get(program.name, ())[-1:]:
            if connection in (None, span[2]):
                span[1] = min(span[1], self.world.now_ms)
        ending = program.session.ending
        early = ending in UNBEGUN and (program.session.table is None or self._gave_up())
        honest = not program.knobs.honest or ending in ENDINGS or early or self.world.table is None
        assert honest, f"{program.name}'s session ended: {ending}"

    def _gave_up(self) -> bool:
        """Whether there was no lobby for so long that programs do not wait any more (ux.md §1)."""
        return any(end - begin >= GIVE_UP_MS for begin, end in self._downs)

    def down(self) -> None:
        """The lobby's process is gone."""
        self.stops()
        self.shadow.away()

    def stops(self) -> None:
        """The lobby is not there for a while, though its process may be."""
        if not self._downs or self._downs[-1][1] < NEVER:
            self._downs.append([self.world.now_ms, NEVER])
        self.shadow.pauses()

    def goes_on(self) -> None:
        """It is there again."""
        self._downs[-1][1] = self.world.now_ms

    def restarted(self) -> None:
        """There is another."""
        self._downs[-1][1] = self.world.now_ms
        self._phase = None
        table = self.world.table
        opening = table is not None and table.phase in (Phase.OPENING, Phase.COUNTDOWN)
        assert not opening, "an opening goes on after a restart (deal.md 3.4)"

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────

    def finish(self) -> None:
        """Everyone has left: nothing is left behind."""
        self._look_at_archive()
        lobby, disk = self.world.process.lobby, self.world.process.disk
        assert lobby.tables == 0, "an empty table does not close"
        assert lobby.deadline is None, "a lobby without tables waits for something"
        assert not disk.rows, "the journal of a closed table is kept"
        assert not lobby._visitors, "visitors are left"
        for program in self.world.programs.values():
            honest = program.knobs.honest
            ending = program.session.ending
            early = ending in UNBEGUN and (program.session.table is None or self._gave_up())
            assert not honest or early or ending in ENDINGS, f"{program.name}'s session ended: {ending}"
