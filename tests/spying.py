"""Clients who try to see further than they may, at a real lobby, and a wire on which every byte is looked at.

A `Spy` keeps to the protocol only where that gets it further: it plays as fast as it is let, and it can be told to
lie, to come and go, and to ask for anything. The `Wire` knows the chain and looks for every link of it, and for every
nonce, in all that anybody is sent; what deal.md §4 allows is worked out here anew, from the time, and from the moves
that the lobby has taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from engine.board import Direction
from engine.deck import LinkMissing, RaceDeck
from engine.game import Game
from engine.race import Kind, SeatState
from lobby.events import Close, Connected, Disconnected, Event, Received, Send, Woke
from lobby.lobby import Lobby
from lobby.opening import DealOptions
from lobby.table import Table
from lobby.track import Track
from protocol import limits, messages
from protocol.codec import encode
from protocol.deal import Deal, Ready, Start, commitment, document_hash
from protocol.handshake import proof_body
from protocol.messages import FromClient, FromLobby, Phase, Role, Signed, TableSettings
from protocol.movelog import Act, MoveLog, MoveSlice, SealBody
from protocol.pace import free_ms, paced
from protocol.record import Gap
from protocol.signing import NO_CONTEXT, Signer
from protocol.text import SafeText
from protocol.tick import Tick
from tests.world import entropy_of

LINKS = 1_024
EARLY_MS_MAX = 150  # deal.md 4.1
SECRET_BYTES = 32
WAKES_MAX = 10  # in one millisecond


class Wire:
    """A lobby with one table, its clock, and everything it says to anybody."""

    def __init__(self, settings: TableSettings) -> None:
        self.now_ms = 1_000_000
        self.lobby = Lobby(
            signer=Signer(b"l" * 32), entropy=entropy_of("wire"), epoch=1, program="test",
            options=DealOptions(chain_length=LINKS),
        )  # fmt: skip
        self.spies: dict[int, Spy] = {}  # by connection
        self.code = self.watch_code = ""
        self.connections = 0
        self.frames = 0
        self._events: deque[Event] = deque()
        self._links: dict[bytes, int] = {}
        self._chain_id = b""
        self._nonces: set[bytes] = set()  # of players, until they are opened

    @property
    def table(self) -> Table:
        return self.lobby._tables[self.code]

    @property
    def start_ms(self) -> int:
        assert self.table.run is not None, "only asked in a race"
        return self.table.run.start_ms

    def tell(self, event: Event) -> None:
        """Something happens; whatever the lobby says is heard at once, and what is said to that comes after it."""
        self._events.append(event)
        if len(self._events) > 1:  # it is being heard
            return
        while self._events:
            for effect in self.lobby.handle(self._events[0], self.now_ms):
                if isinstance(effect, Send):
                    self._carry(effect)
                elif isinstance(effect, Close) and effect.connection in self.spies:
                    self.spies.pop(effect.connection).connection = None
                    self._events.append(Disconnected(effect.connection))
            self._events.popleft()

    def pass_ms(self, duration_ms: int, each_ms: int = 10, then: Callable[[], None] = lambda: None) -> None:
        """Lets time pass; `then` is done every so often. The lobby is told the time to the millisecond."""
        end_ms, next_ms = self.now_ms + duration_ms, self.now_ms + each_ms
        while self.now_ms < end_ms:
            due_ms = self.lobby.deadline
            self.now_ms = min(end_ms, next_ms, max(self.now_ms, due_ms if due_ms is not None else end_ms))
            for _ in range(WAKES_MAX):
                if (due_ms := self.lobby.deadline) is None or due_ms > self.now_ms:
                    break
                self.tell(Woke())
            else:
                raise AssertionError("a deadline of the lobby stands still")
            if self.now_ms == next_ms:
                next_ms += each_ms
                then()

    # ── every byte ──

    def promised(self, nonce: bytes) -> None:
        """Somebody has committed to this nonce: nobody may see it before all are opened."""
        self._nonces.add(nonce)

    def _carry(self, send: Send) -> None:
        frame = encode(send.message)
        secrets = self._secrets_in(frame, send.message)
        for connection in send.connections:
            spy = self.spies.get(connection)
            if spy is None:
                continue
            self.frames += 1
            for number in secrets:
                self._judge(spy, number, send.message)
            spy.hear(send.message)

    def _secrets_in(self, frame: bytes, message: FromLobby) -> list[int]:
        """The numbers of all links that stand anywhere in a frame, but the anchor."""
        if not self.code:
            return []
        chain = self.table.dealing.opening.chain
        if chain.chain_id != self._chain_id:
            self._chain_id = chain.chain_id
            self._links |= {chain.link(number): number for number in range(1, LINKS + 1)}
        windows = [frame[place : place + SECRET_BYTES] for place in range(len(frame) - SECRET_BYTES + 1)]
        if not isinstance(message, messages.Started | messages.Welcome | messages.RecordPiece):
            assert self._nonces.isdisjoint(windows), f"a nonce in {type(message).__name__}"
        return [self._links[window] for window in windows if window in self._links]

    def _judge(self, spy: Spy, number: int, message: FromLobby) -> None:
        """Fails if this link may not be shown to this one now (deal.md 4.1, 4.2)."""
        where = f"link {number} in {type(message).__name__}, to {spy.name}"
        if isinstance(message, messages.Burnt):
            assert not self.table.dealing.stands, where
            return
        if self.table.phase is Phase.FINISHED:
            assert isinstance(message, messages.RecordPiece), where
            return
        track = self.table.track_of(spy.key)
        assert track is not None, f"{where}, who has no seat"
        moves, since_ms, lead = len(track.log), self.now_ms - self.start_ms, self.table.seating.settings.lead
        last_draw = 8 * number - 1
        assert last_draw <= moves + lead + 8, f"{where}, after {moves} moves"
        from_ms = 25 * (8 * number - lead) + self._gaps_ms()
        first = 8 * number <= lead
        assert since_ms >= (-EARLY_MS_MAX if first else from_ms), f"{where}, at {since_ms} ms"
        if number > spy.furthest:
            assert self._plays_on(track), f"{where}, who has finished"

    def _gaps_ms(self) -> int:
        run = self.table.run
        gaps = [] if run is None else [Gap.decode(signed.body) for signed in run.gaps]
        return sum(gap.to_ms - gap.from_ms for gap in gaps)

    def _plays_on(self, track: Track) -> bool:
        assert self.table.run is not None, "only asked in a race"
        settings, game = self.table.seating.settings, track.game
        made = settings.kind == Kind.TARGET and game.max_exponent >= settings.target_exponent
        return not (made or game.stuck or self.table.run.live.seats[track.number].state is not SeatState.MOVING)


class Spy:
    """One key, and what it finds out. `links` are the numbers of those it was given, with the time since the start."""

    def __init__(
        self, wire: Wire, name: str, role: Role = Role.PLAYER, *, settings: TableSettings | None = None
    ) -> None:
        self.wire = wire
        self.name = name
        self.role = role
        self.signer = Signer(name.encode().ljust(32, b"."))
        self.nonce = name.encode().ljust(32, b"!")
        self.opens = settings
        self.code = ""
        self.connection: int | None = None
        self.links: list[tuple[int, int]] = []
        self.furthest = 0
        self.lie_ms = 0  # added to every round trip
        self.ahead_ms = 0  # how far ahead times are claimed
        self.plays = True
        self.last_ms = self.moves_max = 1 << 40  # no move is made later than this, since the start, nor after so many
        self.deal: Deal | None = None
        self.log: MoveLog | None = None
        self.game: Game | None = None
        self._deck: RaceDeck | None = None
        self._mix = b""
        self._deal_hash = b""
        self._sent = self._seals = self._tick = self._full_ms = 0
        self._heads: list[bytes] = []
        self._resume = False

    @property
    def key(self) -> bytes:
        return self.signer.key

    # ── coming and going ──

    def connect(self, code: str = "") -> None:
        """Comes (again) to a table, on a new connection."""
        self.vanish()
        self.code = code or self.code or self.wire.code
        self.wire.connections += 1
        self.connection = self.wire.connections
        self.wire.spies[self.connection] = self
        self.wire.tell(Connected(self.connection, "127.0.0.1"))
        self.say(messages.Hello(bytes(32), limits.PROTOCOL_VERSION, SafeText.shown("spy")))

    def vanish(self) -> None:
        """The connection is cut."""
        if self.connection is not None:
            connection, self.connection = self.connection, None
            del self.wire.spies[connection]
            self.wire.tell(Disconnected(connection))

    def say(self, *said: FromClient) -> None:
        for message in said:
            if self.connection is not None:
                self.wire.tell(Received(self.connection, message))

    # ── what it hears ──

    def hear(self, message: FromLobby) -> None:
        match message:
            case messages.Challenge():
                self._prove(message)
            case messages.Welcome():
                self._welcome(message)
            case messages.Dealt():
                self._dealt(message.deal)
            case messages.SeatsClosed():
                self.say(messages.OpenNonce(self.nonce))
            case messages.Started():
                self._begin(message.start)
            case messages.Ping():
                self.say(messages.Pong(max(0, message.stamp_ms - self.lie_ms), 0))
            case _:
                self._hear_in_a_race(message)

    def _hear_in_a_race(self, message: FromLobby) -> None:
        match message:
            case messages.Link():
                self._take(message.number, message.link)
            case messages.Ack() if message.link_number:
                self._take(message.link_number, message.link)
            case messages.Ticked():
                self._tick = Tick.decode(message.tick.body).number
            case messages.Refused() if message.code in ("slice", "flood", "seal"):
                self._go_back(message.moves, message.seals)
                self.say(messages.Resync(message.moves))
            case _:
                pass

    def _prove(self, challenge: messages.Challenge) -> None:
        body = proof_body(challenge.key, challenge.nonce, self.key, self.role, limits.PROTOCOL_VERSION)
        self.say(messages.Proof(self.key, self.role, self.signer.sign("proof", NO_CONTEXT, body)))
        if self.opens is not None and not self.wire.code:
            self.say(messages.Open(self.name, self.opens))
        else:
            self.say(messages.Join(self.code, self.name))

    def _welcome(self, welcome: messages.Welcome) -> None:
        self.wire.code, self.wire.watch_code = self.wire.code or welcome.table.code, welcome.table.watch_code
        self._dealt(welcome.deal)
        if welcome.own is None or welcome.race.start is None:
            return
        if self.log is None:
            self._begin(welcome.race.start)
        if welcome.race.tick is not None:
            self._tick = Tick.decode(welcome.race.tick.body).number
        self._go_back(welcome.own.moves, welcome.own.seals)
        self._resume = welcome.own.seals > 0
        if welcome.own.link_number:
            self._take(welcome.own.link_number, welcome.own.link)

    def _dealt(self, signed: Signed) -> None:
        deal_hash = document_hash("deal", signed)
        if deal_hash == self._deal_hash:
            return
        self.deal, self._deal_hash = Deal.decode(signed.body), deal_hash
        self.log = None

    def ready(self) -> None:
        """Says Ready for the Deal that stands."""
        self.wire.promised(self.nonce)
        body = Ready(self.key, commitment(self._deal_hash, self.key, self.nonce), self.name).encode()
        self.say(messages.SayReady(Signed(body, self.signer.sign("ready", self._deal_hash, body))))

    def _begin(self, signed: Signed) -> None:
        assert self.deal is not None, "a race has a Deal"
        track = self.wire.table.track_of(self.key)
        if track is None:
            return
        self._mix = Start.decode(signed.body).mix
        self.log = MoveLog(self._mix, track.number, self.key)
        self._deck = RaceDeck(self.deal.chain_id, self.deal.anchor, self.deal.deck_mix(self._mix), LINKS)
        self.game, self.furthest, self.links = None, 0, []
        self._sent = self._seals = self._full_ms = 0
        self._heads = [self.log.head]

    def _take(self, number: int, link: bytes) -> None:
        assert self._deck is not None, "links come in a race"
        assert self.deal is not None, "a race has a Deal"
        self._deck.extend(number, link)
        self.links.append((self.wire.now_ms - self.wire.start_ms, number))
        self.furthest = max(self.furthest, number)
        self.game = self.game or Game(self.deal.settings.size, self._deck)

    # ── how it plays ──

    def _go_back(self, moves: int, seals: int) -> None:
        self._sent, self._seals = moves, seals

    def play(self) -> None:
        """Makes every move that pace, deck and claims allow, and sends them all with a seal."""
        if self.log is None or self.game is None or self.connection is None or not self.plays:
            return
        assert self.deal is not None, "a race has a Deal"
        since_ms = min(self.wire.now_ms - self.wire.start_ms, self.last_ms)
        while not self.game.stuck and not self.finished and len(self.log) < self.moves_max:
            t_ms = max(self.log.last_ms, free_ms(self._full_ms, self.deal.windows), 0)
            if t_ms > since_ms + self.ahead_ms or not self._move(t_ms):
                break
        while self._sent < len(self.log):
            self._slice(self.log.slice(self._sent, self._tick))

    @property
    def finished(self) -> bool:
        assert self.deal is not None, "a race has a Deal"
        assert self.game is not None, "only asked in a game"
        settings = self.deal.settings
        return settings.kind == Kind.TARGET and self.game.max_exponent >= settings.target_exponent

    def _move(self, t_ms: int) -> bool:
        assert self.deal is not None, "a race has a Deal"
        assert self.log is not None, "a move goes into the log"
        assert self.game is not None, "a move is made on a board"
        for direction in Direction:
            try:
                if self.game.move(direction) is None:
                    continue
            except LinkMissing:
                return False
            self._full_ms = paced(self._full_ms, t_ms, self.deal.windows) or self._full_ms
            self.log.append(direction, t_ms)
            self._heads.append(self.log.head)
            return True
        return False

    def _slice(self, part: MoveSlice) -> None:
        assert self.log is not None, "a slice is of the log"
        if self._resume:
            self.say(messages.Seal(self._seal(self._sent, Act.RESUME)))
        before_ms = self.log.times[self._sent - 1] if self._sent else 0
        self._sent += len(part.directions)
        self.say(messages.Slice(part.encode(before_ms), self._seal(self._sent, Act.NONE)))

    def _seal(self, moves: int, act: Act) -> Signed:
        assert self.log is not None, "a seal is of the log"
        self._seals, self._resume = self._seals + 1, False
        body = SealBody(self._number, self._seals, moves, self._heads[moves], self._tick, act)
        return body.sign(self.signer, self._mix)

    @property
    def _number(self) -> int:
        track = self.wire.table.track_of(self.key)
        assert track is not None, "only asked in a race"
        return track.number

    # ── how it asks for more ──

    def guess(self) -> None:
        """Sends moves on draws that it cannot know, in every direction."""
        assert self.log is not None, "only in a race"
        for direction in range(4):
            last_ms = self.log.last_ms
            part = MoveSlice(self._sent, self._tick, bytes([direction] * 64), (last_ms,) * 64)
            self.say(messages.Slice(part.encode(last_ms)))

    def ask_for_everything(self) -> None:
        """Says every message that there is, whether it means something now or not."""
        record = bytes(32) if self.wire.table.record is None else self.wire.table.record.sha256
        said: list[FromClient] = [
            messages.AskLog(0), messages.AskLog(len(self.log or ())), messages.AskLog((1 << 32) - 1),
            messages.AskRecord(record, 0), messages.AskRecord(record, 1),
            messages.Resync(0), messages.Resync(self._sent),
            messages.Sit(), messages.Unready(), messages.Begin(), messages.Again(), messages.Allow(),
            messages.OpenNonce(self.nonce), messages.OpenNonce(bytes(32)), messages.Ping(0), messages.Kick(0),
            messages.Pong(0, 0), messages.Pong(self.wire.now_ms, 0), messages.Lock(locked=False),
            messages.ChangeSettings(TableSettings()), messages.SayReady(Signed(b"", bytes(64))),
            messages.Join(self.code, self.name), messages.Seal(Signed(b"", bytes(64))), messages.Slice(b""),
        ]  # fmt: skip
        for message in said:
            if self.connection is None:
                self.connect()
            self.say(message)


def race(wire: Wire, host: Spy, *guests: Spy) -> None:
    """Everyone comes and is ready, the host starts; returns when the countdown has begun."""
    host.connect()
    for spy in guests:
        spy.connect()
    for spy in (host, *guests):
        spy.ready()
    host.say(messages.Begin())
    assert wire.table.phase is Phase.COUNTDOWN
