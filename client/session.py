"""A player's life at a table, across connections (architecture.md §3): a pure state machine.

`begin` and `handle` take what happened and return what is to be done; `deadline` is when the session wants to be told
the time; `view` is what a person can see. This module owns the connection's life: handshake, pings, coming back. What
each message and action does is in hearing.py and doing.py; trust.py checks every document of a deal, play.py is the
own game, clock.py knows the lobby's clock, fetching.py gets the record, picture.py draws the view. Sockets, files and
clocks are runner.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client.afterwards import checked
from client.clock import LobbyClock
from client.doing import do
from client.events import (
    Acted,
    Checked,
    Connect,
    Connected,
    Disconnect,
    Dropped,
    Effect,
    Event,
    KeepMove,
    Recalled,
    Received,
    Send,
)
from client.hearing import hear, recalled
from client.picture import draw
from client.play import OwnRace
from client.race import Race
from client.trust import Cheat, Trust
from client.view import Line, SessionView
from engine.deck import ChainBroken
from protocol import limits, messages
from protocol.handshake import challenge_body, proof_body
from protocol.messages import FromClient, Phase, Role, TableSettings
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, fingerprint, verify
from protocol.text import SafeText


@dataclass(frozen=True, slots=True)
class OpenTable:
    """The goal of a host: a new table with these settings."""

    settings: TableSettings


@dataclass(frozen=True, slots=True)
class JoinTable:
    """The goal of a guest or watcher: the table with this code."""

    code: str


Goal = OpenTable | JoinTable

_OTHER_KEY = "other-key"  # the alarm: the lobby at this address had another key before

# With these the lobby ends the session; after everything else a client comes back. At a table it refuses much that
# ends nothing: a key may be pressed a moment too late.
_FINAL = frozenset(
    {
        Refusal.FRAME, Refusal.ORDER, Refusal.VERSION, Refusal.PROOF, Refusal.NAME, Refusal.SETTINGS,
        Refusal.NO_TABLE, Refusal.GUESSING, Refusal.REPLACED, Refusal.CLOSED, Refusal.CAPACITY,
        Refusal.CROWDED, Refusal.ADDRESS, Refusal.BROKEN,
    }
)  # fmt: skip
# Who has been at the table tries again: a race waits a minute, and room comes and goes.
_FINAL_COMING_BACK = _FINAL - {Refusal.CAPACITY, Refusal.CROWDED, Refusal.ADDRESS}
_FINAL_AT_TABLE = frozenset({Refusal.FRAME, Refusal.REPLACED, Refusal.CLOSED, Refusal.BROKEN})
_TIME_MAX_MS = (1 << 32) - 1  # the last time that a move can claim, whatever a lobby says of its clock
# A lobby that was killed is back in two seconds, and then it must not take much longer until everyone is.
_BACK_OFF_MS = (100, 300, 600, 1_000, 1_000, 1_000, 2_000, 2_000, 4_000)
_GIVE_UP_MS = 600_000  # ux.md §1: if a lobby is gone for good, clients give up after 10 minutes
_PINGS = 5  # enough to know a new line
_PING_PAUSE_MS = 200


class Session:
    """One client at one table. `pinned` is the fingerprint of the lobby's key from a link, or empty.

    `expected` are the keys of which one was to be met at this address, none if nothing is known of it: another is not
    refused, but raises `alarm` (lobbies.py). A pin that fits leaves no room for doubt.
    """

    def __init__(
        self, *, signer: Signer, name: str, goal: Goal, role: Role, entropy: Callable[[int], bytes], program: str,
        pinned: str = "", expected: frozenset[bytes] = frozenset(), beat_ms: int = 0,
    ) -> None:  # fmt: skip
        self.line = Line.CONNECTING
        self.lobby: messages.Challenge | None = None
        self.fingerprint = ""  # of the lobby's key, once it has proved it
        self.table: messages.TableView | None = None
        self.seat: int | None = None
        self.race: Race | None = None
        self.fetched: Race | None = None  # the last race that ended: its record is on its way, the next may have begun
        self.checking: dict[bytes, Race] = {}  # whose record is being checked, by its SHA-256
        self.kept: dict[bytes, Race] = {}  # whose record was checked and is being saved, by its SHA-256
        self.disputed: Race | None = None  # the last race whose record tells otherwise than the lobby told before
        self.trust: Trust | None = None
        self.clock = LobbyClock()
        self.notice = ""
        self.alarm = ""  # a code like a notice; but what it says does not pass
        self.ending = ""
        self.signer = signer
        self.role = role
        self.beat_ms = beat_ms
        self.wants_ready = False  # the person has said Ready, and has not taken it back
        self.took_back = False  # the person has taken it back since: the lobby may not have heard
        self.burns = 0  # Deals burnt in a row
        self.pending: messages.OwnGame | None = None  # the lobby has more of the own log than we: it is on its way
        self._name = name
        self._goal = goal
        self._entropy = entropy
        self._program = SafeText.shown(program)
        self._pinned = pinned
        self._expected = expected
        self._nonce = b""
        self._proved = False  # the lobby has proved its key on this connection
        self._lost_ms = 0
        self._tries = 0
        self._pings: list[int] = []  # when the next pings leave
        self._out: list[Effect] = []

    def count_burn(self) -> None:
        """Another Deal came to nothing. After the third in a row the person is asked (deal.md 3.4)."""
        self.burns += 1
        if self.burns >= limits.BURNS_MAX:
            self.wants_ready = False

    @property
    def shown_ready(self) -> bool:
        """Whether the table is shown with us ready at it."""
        seat = None if self.table is None or self.seat is None else self.table.seats[self.seat]
        return seat is not None and seat.ready

    def begin(self, now_ms: int) -> list[Effect]:
        """Returns the first effects."""
        self._lost_ms = now_ms
        return [Connect(0)]

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        """Takes in one event at `now_ms` of this machine's clock; returns what is to be done, in order."""
        self._out = []
        if isinstance(event, Checked):  # its record is kept even if the session is over
            checked(event, self)
            return self._out
        if self.ending:
            return []
        try:
            self._take(event, now_ms)
            self._play(now_ms)
        except Cheat as cheat:
            self.end(f"cheat:{cheat.what}")
        except ChainBroken:
            self.end("cheat:link")
        return self._out

    @property
    def deadline(self) -> int | None:
        """When `handle` next wants to be told the time, on this machine's clock."""
        if self.ending:
            return None
        online = self.line is Line.ONLINE
        times = self._pings[:1] if online else []
        own, race = self.own, self.race
        due_ms = None if own is None else own.deadline(online=online)
        if race is not None and due_ms is not None:
            times.append(self.clock.local_ms(race.start.start_ms + due_ms))
        return min(times, default=None)

    def view(self, now_ms: int) -> SessionView:
        """Returns everything a person can see now."""
        return draw(self, now_ms)

    def saved(self, record_sha256: bytes, path: str) -> None:
        """The record with this hash was saved there; the next race may have begun."""
        if record_sha256 in self.kept:
            self.kept.pop(record_sha256).record_path = path

    def weighed(self, record_sha256: bytes, luck: tuple[int | None, ...]) -> None:
        """The luck of the seats in the record with this hash, in thousandths; nothing in it if it is not known."""
        race = self.race
        if race is not None and race.fetching is not None and race.fetching.sha256 == record_sha256:
            race.luck = luck

    @property
    def lobby_key(self) -> bytes | None:
        """The lobby's key, once it has proved it."""
        return None if self.lobby is None else self.lobby.key

    @property
    def in_race(self) -> bool:
        """Whether the own boards are alive, or about to be."""
        return self.table is not None and self.table.phase in (Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING)

    @property
    def own(self) -> OwnRace | None:
        """The own game while it can be played: not before the log is whole again."""
        return self.race.own if self.race is not None and self.in_race and self.pending is None else None

    # ── for hearing.py and doing.py ─────────────────────────────────────────────────────────────────────────────────

    def send(self, *sent: FromClient) -> None:
        """Sends messages if there is a connection."""
        if self.line is Line.ONLINE:
            self._out += [Send(message) for message in sent]

    def add(self, effect: Effect) -> None:
        """Adds any other effect."""
        self._out.append(effect)

    def end(self, why: str) -> None:
        """The session is over for good."""
        self.ending, self.line = why, Line.OVER
        self.add(Disconnect())

    def race_ms(self, now_ms: int) -> int:
        """Returns the time since the start of the race, below 0 before it."""
        assert self.race is not None, "only asked while there is a race"
        return min(self.clock.lobby_ms(now_ms) - self.race.start.start_ms, _TIME_MAX_MS)

    def ping_often(self, now_ms: int) -> None:
        """Measures the line anew: it is new, or a race is about to start."""
        self._pings = [now_ms + n * _PING_PAUSE_MS for n in range(_PINGS)]

    def say_ready(self) -> None:
        """Answers the Deal that stands, if it deals what the table shows (deal.md 3.2)."""
        assert self.table is not None, "only who is at a table says Ready"
        assert self.trust is not None, "a lobby proves its key before there is a table"
        seat = None if self.seat is None else self.table.seats[self.seat]
        assert seat is not None, "only who sits says Ready"
        ready = self.trust.promise(seat.name, self.table.settings, computer=seat.computer)
        if ready is not None:
            self.send(messages.SayReady(ready))

    def withdraw(self, sent: messages.Unready | messages.Stand) -> None:
        """Says what takes our Ready back. Without a connection nothing is said, and the lobby must still count us."""
        if self.line is Line.ONLINE and self.trust is not None:
            self.trust.take_back()
            self.send(sent)

    # ── the connection ──────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self, event: Event, now_ms: int) -> None:
        match event:
            case Connected():
                self._nonce, self._proved = self._entropy(limits.NONCE_BYTES), False
                self.clock.restart()
                self._out.append(Send(messages.Hello(self._nonce, limits.PROTOCOL_VERSION, self._program)))
            case Received():
                self._receive(event.message, now_ms)
            case Dropped():
                self._dropped(event.reason, now_ms)
            case Recalled():
                recalled(event, self, now_ms)
            case Acted():
                self.notice = ""
                do(event.action, self, now_ms)

    def _receive(self, message: messages.FromLobby, now_ms: int) -> None:
        if isinstance(message, messages.Challenge):
            self._challenged(message)
        elif isinstance(message, messages.Welcome):
            if not self._proved:
                self.end("not-a-lobby")
                return
            self.line = Line.ONLINE
            self._tries = 0
            self.clock.told(message.lobby_ms, now_ms)
            self.ping_often(now_ms)
            if isinstance(self._goal, OpenTable):
                self._goal = JoinTable(message.table.code)
            hear(message, self, now_ms)
        elif isinstance(message, messages.Refused) and message.code in self._final:
            self.end(message.code)
        elif self.line is Line.ONLINE:
            hear(message, self, now_ms)

    @property
    def _final(self) -> frozenset[Refusal]:
        if self.line is Line.ONLINE:
            return _FINAL_AT_TABLE
        return _FINAL if self.table is None else _FINAL_COMING_BACK

    def _challenged(self, challenge: messages.Challenge) -> None:
        """Checks that this is the lobby we mean before anything else is said (architecture.md 5.4)."""
        body = challenge_body(self._nonce, challenge.nonce, challenge.protocol)
        known = self.lobby_key
        if not verify(challenge.key, "challenge", NO_CONTEXT, body, challenge.signature):
            self.end("not-a-lobby")
        elif self._pinned and fingerprint(challenge.key) != self._pinned:
            self.end("pin")
        elif known is not None and known != challenge.key:
            self.end("cheat:lobby-key")
        elif challenge.protocol != limits.PROTOCOL_VERSION:
            self.lobby = challenge
            self.end(Refusal.VERSION)
        else:
            self.lobby, self._proved = challenge, True
            self.fingerprint = fingerprint(challenge.key)
            if self._expected and not self._pinned and challenge.key not in self._expected:
                self.alarm = _OTHER_KEY
            if self.trust is None:
                self.trust = Trust(self.signer, challenge.key, self._entropy)
            self._prove(challenge)

    def _prove(self, challenge: messages.Challenge) -> None:
        key = self.signer.key
        body = proof_body(challenge.key, challenge.nonce, key, self.role, limits.PROTOCOL_VERSION)
        signature = self.signer.sign("proof", NO_CONTEXT, body)
        self._out.append(Send(messages.Proof(key, self.role, signature)))
        if isinstance(self._goal, OpenTable):
            self._out.append(Send(messages.Open(self._name, self._goal.settings)))
        else:
            self._out.append(Send(messages.Join(self._goal.code, self._name)))

    def _dropped(self, reason: str, now_ms: int) -> None:
        """Comes back after a lost connection, unless there is nothing to come back to."""
        if self.line is Line.ONLINE:
            self._lost_ms = now_ms
        if self.table is None or reason in _FINAL_COMING_BACK or now_ms - self._lost_ms > _GIVE_UP_MS:
            self.end(reason)
            return
        self.line = Line.LOST
        pause_ms = _BACK_OFF_MS[min(self._tries, len(_BACK_OFF_MS) - 1)]
        self._tries += 1
        # Many clients lose a lobby at the same moment; they must not all come back at the same moment.
        self.add(Connect(pause_ms + pause_ms * self._entropy(1)[0] // 256))

    def _play(self, now_ms: int) -> None:
        """Does what the time asks for: pings, and the own game."""
        if self.line is Line.ONLINE:
            while self._pings and self._pings[0] <= now_ms:
                del self._pings[0]
                self.send(messages.Ping(now_ms))
            if not self._pings:
                self._pings = [now_ms + limits.PING_INTERVAL_MS]
        own = self.own
        if own is not None and self.race_ms(now_ms) >= 0:
            sent = own.play(self.race_ms(now_ms), online=self.line is Line.ONLINE)
            # A move is written down before it is sent: who is killed in between has lost nothing (rules 6.3).
            self._out += [KeepMove(own.race, n + 1, *own.log.move(n)) for n in range(own.kept, len(own.log))]
            own.kept = len(own.log)
            self.send(*sent)
