"""Makes real records: real decks, seats, nonces, logs and seals, everything signed by who must sign it.

A `MadeRace` is played by the test, seat by seat, and asked for its `record`. It plays no lobby: it believes what it is
told, so that a test can also have it write what no lobby would. Every part of a record can be given anew, and is then
signed like the true one: a record that only `verify` can tell from a true one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.board import Direction
from engine.deck import Chain, DealtDeck, seeded_chain_id
from engine.digest import digest
from engine.game import Game
from engine.race import Absent, Kind, Left, Moved, Outcome, RaceEvent, SeatState, Voted, fold, offer_number
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.limits import WINDOWS, Windows
from protocol.messages import Signed, TableSettings
from protocol.moment import moment
from protocol.movelog import Act, MoveLog, SealBody
from protocol.record import Correction, EventKind, Gap, RecordEvent, SeatLog, SeatResult, build_record
from protocol.seatcheck import VOTES
from protocol.signing import NO_CONTEXT, Signer

LINKS = 32  # a short chain: 254 moves are more than most games on 3×3 last
NAMES = ("fox", "owl", "hare", "carp")
STEP_MS = 100
OFFER_TICK = 1 << 32 | 7


def secret(*words: object) -> bytes:
    """Returns 32 bytes that look random and are the same in every run."""
    return digest("test", repr(words).encode())


LOBBY = Signer(secret("lobby"))
TARGET_8 = TableSettings(seats=4, size=3, kind=Kind.TARGET, target_exponent=3)
ENDLESS = TableSettings(seats=4, size=3, kind=Kind.ENDLESS, target_exponent=0)
TIMED = TableSettings(seats=4, size=4, kind=Kind.TIMED, target_exponent=0, time_ms=5_000, idle_ms=0)


def signed(signer: Signer, kind: str, context: bytes, body: bytes) -> Signed:
    """Returns a body with its signature."""
    return Signed(body, signer.sign(kind, context, body))


class Racer:
    """One seat: plays its game, keeps its log and signs its seals."""

    def __init__(self, number: int, computer: bool) -> None:
        self.number = number
        self.order = number  # which directions it tries first; seats of one order make the same moves
        self.name = NAMES[number]
        self.computer = computer
        self.signer = Signer(secret("player", number))
        self.nonce = secret("nonce", number)
        self.moments: list[int] = []
        self.moves: list[Moved] = []
        self.corrections: list[Correction] = []
        self.seals = 0
        self.sealed = 0
        self.seal: Signed | None = None
        self.last_ms = 0
        self.tick_seen = 0

    def begin(self, m: bytes, size: int, deck: DealtDeck) -> None:
        """Sits the player down before the two tiles of the start."""
        self.mix = m
        self.log = MoveLog(m, self.number, self.signer.key)
        self.game = Game(size, deck)

    def move(self, claimed_ms: int, arrival_ms: int | None = None, back_ms: int = 0) -> bool:
        """Makes the first legal move in the seat's order; returns False if there is none."""
        for step in range(4):
            direction = Direction((self.order + step * (3 if self.order & 1 else 1)) % 4)
            if self.game.move(direction) is not None:
                break
        else:
            return False
        arrival_ms = max(claimed_ms, self.last_ms) if arrival_ms is None else arrival_ms
        t_ms = moment(claimed_ms, arrival_ms, back_ms, self.last_ms)
        if t_ms != claimed_ms:
            self.corrections.append(Correction(len(self.log) + 1, arrival_ms, back_ms))
        self.log.append(direction, claimed_ms)
        self.moments.append(t_ms)
        self.last_ms = t_ms
        game = self.game
        self.moves.append(Moved(t_ms, self.number, game.score, game.moves, game.max_exponent, game.stuck))
        return True

    def play(self, moves: int = 10_000, *, step_ms: int = STEP_MS) -> None:
        """Makes so many moves, or all there are until the game is stuck."""
        for _ in range(moves):
            if not self.move(self.log.last_ms + step_ms):
                break

    def play_to(self, exponent: int) -> None:
        """Makes moves until there is such a tile."""
        while self.game.max_exponent < exponent:
            assert self.move(self.log.last_ms + STEP_MS), "stuck before the target"

    def sign(self, act: Act = Act.NONE, argument: int = 0, **changes: object) -> Signed:
        """Signs the log as it is; `changes` are what the seal says instead."""
        self.seals += 1
        true = SealBody(self.number, self.seals, len(self.log), self.log.head, self.tick_seen, act, argument)
        self.seal = replace(true, **changes).sign(self.signer, self.mix)  # type: ignore[arg-type]
        self.sealed = len(self.log)
        return self.seal

    def seat_log(self) -> SeatLog:
        """Returns the log for the record."""
        return SeatLog(bytes(self.log.directions), tuple(self.log.times), tuple(self.corrections), self.seal)


class MadeRace:
    """A race from its Deal on. `racers` play, then `record` writes it all down."""

    def __init__(
        self,
        settings: TableSettings = TARGET_8,
        seats: int = 2,
        *,
        windows: Windows = WINDOWS,
        links: int = LINKS,
        seed: bytes = b"",
        computers: Sequence[int] = (),
        names: Sequence[str] = NAMES,
    ) -> None:
        chain_id = seeded_chain_id(seed) if seed else secret("chain")[:16]
        self.chain = Chain(chain_id, seed or secret("last link"), links)
        self.racers = [Racer(number, number in computers) for number in range(seats)]
        for racer, name in zip(self.racers, names, strict=False):
            racer.name = name
        self.deal = Deal(
            lobby_key=LOBBY.key,
            table_id=secret("table")[:16],
            race_number=1,
            chain_id=chain_id,
            anchor=self.chain.anchor,
            chain_length=links,
            settings=settings,
            windows=windows,
            seed=seed,
        )
        self.events: list[tuple[RecordEvent, RaceEvent]] = []
        self.gaps: list[Gap] = []
        self.open()

    def open(self) -> None:
        """Signs Deal, Readies, Seats and Start, and deals the boards."""
        self.deal_signed = signed(LOBBY, "deal", NO_CONTEXT, self.deal.encode())
        self.deal_hash = document_hash("deal", self.deal_signed)
        self.seats = Seats(tuple(self.ready(racer) for racer in self.racers))
        self.seats_signed = signed(LOBBY, "seats", self.deal_hash, self.seats.encode())
        nonces = tuple(racer.nonce for racer in self.racers)
        self.mix = mix(self.deal_hash, document_hash("seats", self.seats_signed), nonces)
        self.start = Start(self.mix, nonces, 1_000_000)
        self.deck = DealtDeck(self.chain, self.deal.deck_mix(self.mix))
        for racer in self.racers:
            racer.begin(self.mix, self.deal.settings.size, self.deck)

    def ready(self, racer: Racer) -> Signed:
        """Returns a player's Ready."""
        promise = commitment(self.deal_hash, racer.signer.key, racer.nonce)
        body = Ready(racer.signer.key, promise, racer.name, racer.computer).encode()
        return signed(racer.signer, "ready", self.deal_hash, body)

    def vote(self, seat: int, t_ms: int, act: Act, offer: int, *, tick: int = 0) -> None:
        """A seat says something about a draw."""
        seal = self.racers[seat].sign(act, offer)
        event = Voted(t_ms, seat, VOTES[act], offer, tick)
        self.happen(event, EventKind.VOTE, tick=tick, seal=seal)

    def offer(self, seat: int, t_ms: int, count: int = 1) -> int:
        """A seat offers a draw; everyone sees the tick that tells of it. Returns the offer's number."""
        number = offer_number(seat, count)
        tick = max(OFFER_TICK, 1 + max(racer.tick_seen for racer in self.racers))
        self.vote(seat, t_ms, Act.OFFER, number, tick=tick)
        for racer in self.racers:
            racer.tick_seen = tick
        return number

    def resign(self, seat: int, t_ms: int) -> None:
        """A seat resigns."""
        seal = self.racers[seat].sign(Act.RESIGN)
        self.happen(Left(t_ms, seat, SeatState.RESIGNED), EventKind.RESIGNED, seal=seal)

    def forfeit(self, seat: int, t_ms: int) -> None:
        """A seat was away for too long."""
        self.happen(Left(t_ms, seat, SeatState.FORFEITED), EventKind.FORFEITED)

    def absent(self, seat: int, t_ms: int, *, absent: bool = True) -> None:
        """A stuck seat is away for too long, or back."""
        self.happen(Absent(t_ms, seat, absent), EventKind.ABSENT if absent else EventKind.RETURNED)

    def happen(self, event: RaceEvent, kind: EventKind, *, tick: int = 0, seal: Signed | None = None) -> None:
        """Notes an event for the record and for the fold."""
        racer = self.racers[event.seat]
        racer.last_ms = max(racer.last_ms, event.t_ms)
        self.events.append((RecordEvent(kind, event.seat, event.t_ms, len(racer.log), tick, seal), event))

    def close(self) -> None:
        """Everyone signs the closing seal."""
        for racer in self.racers:
            racer.sign(Act.END)

    def outcome(self) -> Outcome:
        """Returns how the race ended by the rules."""
        outcome, _ = fold(self.deal.terms(len(self.racers)), [self._stream(racer) for racer in self.racers])
        assert outcome is not None, "this race is not over"
        return outcome

    def results(self, outcome: Outcome) -> list[SeatResult]:
        """Returns the seats at the moment of the outcome, counted anew from their games."""
        results = []
        for racer in self.racers:
            counted = sum(t_ms <= outcome.t_ms for t_ms in racer.moments)
            game = Game(self.deal.settings.size, self.deck)
            for direction in racer.log.directions[:counted]:
                game.move(Direction(direction))
            events = [e for _, e in self.events if e.seat == racer.number and e.t_ms <= outcome.t_ms]
            left = [event.state for event in events if isinstance(event, Left)]
            state = left[0] if left else SeatState.STUCK if game.stuck else SeatState.MOVING
            unsealed = len(racer.log) - racer.sealed
            results.append(SeatResult(state, game.score, game.max_exponent, counted, unsealed))
        return results

    def record(
        self,
        *,
        deal: Signed | None = None,
        seats: Signed | None = None,
        start: Start | None = None,
        logs: Sequence[SeatLog] | None = None,
        last_link: bytes | None = None,
        outcome: Outcome | None = None,
        results: Sequence[SeatResult] | None = None,
        signer: Signer = LOBBY,
    ) -> bytes:
        """Returns the record; what is given stands in the place of what is true, and is signed like it."""
        outcome = self.outcome() if outcome is None else outcome
        start = start or self.start
        return build_record(
            deal=deal or self.deal_signed,
            seats=seats or self.seats_signed,
            start=signed(LOBBY, "start", start.mix, start.encode()),
            logs=[racer.seat_log() for racer in self.racers] if logs is None else logs,
            events=[event for event, _ in self.events],
            gaps=[signed(LOBBY, "gap", self.mix, gap.encode()) for gap in self.gaps],
            last_link=last_link or self.chain.link(self.chain.length),
            outcome=outcome,
            results=self.results(outcome) if results is None else results,
            signer=signer,
        )

    def _stream(self, racer: Racer) -> list[RaceEvent]:
        stream: list[RaceEvent] = list(racer.moves)
        for record_event, event in reversed([pair for pair in self.events if pair[1].seat == racer.number]):
            stream.insert(record_event.moves, event)
        return stream


def target_race(**options: object) -> MadeRace:
    """Seat 0 makes an 8 on 3×3 after seat 1 has made some moves; all is sealed."""
    race = MadeRace(TARGET_8, **options)  # type: ignore[arg-type]
    race.racers[1].play(3, step_ms=130)
    race.racers[0].play_to(3)
    race.racers[0].sign(Act.TARGET)
    race.close()
    return race


def stuck_race(seats: int = 2, **options: object) -> MadeRace:
    """Everyone plays on 3×3 until nothing moves; the highest score wins, by the last mover or with all stuck."""
    race = MadeRace(ENDLESS, seats, **options)  # type: ignore[arg-type]
    for racer in race.racers:
        racer.play()
        racer.sign(Act.STUCK)
    race.close()
    return race


def all_stuck_race() -> MadeRace:
    """Both play until nothing moves, who has more points faster: the other one cannot win as the last mover."""
    played = stuck_race()
    first = int(played.racers[1].game.score > played.racers[0].game.score)
    race = MadeRace(ENDLESS)
    for racer in race.racers:
        racer.play(step_ms=100 if racer.number == first else 500)
        racer.sign(Act.STUCK)
    return race


def timed_race(**options: object) -> MadeRace:
    """Two play beyond the bell."""
    race = MadeRace(TIMED, **options)  # type: ignore[arg-type]
    race.racers[0].play(24, step_ms=230)
    race.racers[1].play(20, step_ms=260)
    race.close()
    return race


def resigned_race() -> MadeRace:
    """Seat 1 resigns after five moves."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(7)
    race.racers[1].play(5)
    race.resign(1, 900)
    race.racers[0].sign(Act.END)
    return race


def forfeited_race() -> MadeRace:
    """Seat 0 is lost after four moves and forfeits a minute later."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(4)
    race.racers[1].play(9)
    race.forfeit(0, 61_000)
    race.racers[1].sign(Act.END)
    return race


def drawn_race() -> MadeRace:
    """Seat 1 offers a draw, seat 0 agrees."""
    race = MadeRace(ENDLESS)
    for racer in race.racers:
        racer.play(6)
    offer = race.offer(1, 800)
    race.vote(0, 1_900, Act.AGREE, offer)
    race.close()
    return race
