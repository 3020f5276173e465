"""The lobby: connections on their way to a table, and the tables (architecture.md §3, 5.4).

Owns handshakes, codes and the list of tables. What happens at a table is table.py's business; sockets, files and
clocks are server.py's. Time and entropy are handed in.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatchmethod

from lobby.events import (
    Arrived,
    BadFrame,
    Close,
    Connected,
    Disconnected,
    Drained,
    Effect,
    Event,
    Gone,
    Outbox,
    Received,
    Said,
    Woke,
)
from lobby.opening import DealOptions, Entropy
from lobby.table import Table
from protocol import limits, messages
from protocol.deal import settings_fault
from protocol.handshake import challenge_body, proof_body
from protocol.messages import Phase, Role
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, verify
from protocol.text import SafeText, judge_name


@dataclass(slots=True)
class _Visitor:
    """A connection: how far its handshake is, and at which table it is."""

    connection: int
    address: str
    since_ms: int
    nonce: bytes | None = None  # the lobby's challenge; None before the Hello
    key: bytes | None = None  # proved; None before the Proof
    role: Role = Role.PLAYER
    table: Table | None = None


class Lobby:
    """All tables of one lobby: `handle` takes an event and returns effects, `deadline` is when it wants to be woken.

    `epoch` stands in front of the numbers of ticks: it must be higher after every start (deal.md 5.3).
    """

    def __init__(
        self, *, signer: Signer, entropy: Entropy, epoch: int, program: str, options: DealOptions | None = None
    ) -> None:
        self._signer = signer
        self._entropy = entropy
        self._epoch = epoch
        self._program = SafeText.shown(program)
        self._options = options or DealOptions()
        self._visitors: dict[int, _Visitor] = {}
        self._waiting: dict[int, _Visitor] = {}  # those not at a table yet, oldest first
        self._tables: dict[str, Table] = {}  # by both codes
        self._alarms: list[tuple[int, str]] = []  # a heap of (time, code); an alarm may be out of date
        self._guesses: dict[str, deque[int]] = {}  # wrong codes by address: when they came, the latest address last
        self._draining = False
        self._out = Outbox()

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        """Takes in one event at `now_ms` of the lobby's clock; returns what is to be done, in order."""
        self._out = Outbox()
        match event:
            case Connected():
                visitor = _Visitor(event.connection, event.address, now_ms)
                self._visitors[event.connection] = self._waiting[event.connection] = visitor
            case Received():
                self._receive(event, now_ms)
            case BadFrame():
                self._refuse_and_close(event.connection, Refusal.FRAME, now_ms)
            case Disconnected():
                self._forget(event.connection, now_ms)
            case Drained():
                self._draining = True
                self._out.send(self._visitors, messages.Drain())
        self._look_at_clock(now_ms)
        return self._out

    @property
    def deadline(self) -> int | None:
        """When `handle` next wants to be told the time, on the lobby's clock."""
        first = next(iter(self._waiting.values()), None)
        greeted_ms = [] if first is None else [first.since_ms + limits.HANDSHAKE_MS]
        return min([*greeted_ms, *(self._alarms[0][:1] if self._alarms else ())], default=None)

    @property
    def busy(self) -> bool:
        """Whether anybody is connected, or a race goes on that somebody may come back to."""
        return bool(self._visitors) or any(table.busy for table in self._tables.values())

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return len(self._tables) // 2

    def views(self) -> Iterator[messages.TableView]:
        """Yields the public picture of each table, the oldest first."""
        return (table.view() for code, table in self._tables.items() if code == table.code)

    # ── the clock ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _look_at_clock(self, now_ms: int) -> None:
        while self._waiting:
            visitor = next(iter(self._waiting.values()))
            if now_ms < visitor.since_ms + limits.HANDSHAKE_MS:
                break
            self._refuse_and_close(visitor.connection, Refusal.SILENT, now_ms)
        due = set()
        while self._alarms and self._alarms[0][0] <= now_ms:
            due.add(heapq.heappop(self._alarms)[1])
        for table in [self._tables[code] for code in sorted(due) if code in self._tables]:
            table.alarm_ms = None
            if table.deadline is not None and table.deadline <= now_ms:
                self._pass_on(table, Woke(), now_ms)
            else:
                self._set_alarm(table)

    def _pass_on(self, table: Table, event: Arrived | Gone | Said | Woke, now_ms: int) -> None:
        effects = table.handle(event, now_ms)
        self._out.extend(effects)
        for effect in effects:
            if isinstance(effect, Close):  # what it may still say is not heard
                self._visitors.pop(effect.connection, None)
        if table.phase is Phase.CLOSED:
            del self._tables[table.code], self._tables[table.watch_code]
        else:
            self._set_alarm(table)

    def _set_alarm(self, table: Table) -> None:
        deadline_ms = table.deadline
        if deadline_ms is not None and deadline_ms != table.alarm_ms:
            table.alarm_ms = deadline_ms
            heapq.heappush(self._alarms, (deadline_ms, table.code))

    # ── connections ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _receive(self, event: Received, now_ms: int) -> None:
        visitor = self._visitors.get(event.connection)
        if visitor is None:
            return
        if visitor.table is not None:
            self._pass_on(visitor.table, Said(event.connection, event.message), now_ms)
        elif not self._greet(event.message, visitor, now_ms):
            self._refuse_and_close(event.connection, Refusal.ORDER, now_ms)

    def _forget(self, connection: int, now_ms: int) -> None:
        visitor = self._visitors.pop(connection, None)
        self._waiting.pop(connection, None)
        if visitor is not None and visitor.table is not None:
            self._pass_on(visitor.table, Gone(connection), now_ms)

    def _refuse_and_close(self, connection: int, code: Refusal, now_ms: int) -> None:
        if connection in self._visitors:
            self._forget(connection, now_ms)
            self._out.close(connection, code)

    @singledispatchmethod
    def _greet(self, message: messages.FromClient, visitor: _Visitor, now_ms: int) -> bool:  # noqa: ARG002
        """Takes in a message from somebody who is not at a table; returns False if it has no meaning there."""
        return False

    @_greet.register
    def _hello(self, message: messages.Hello, visitor: _Visitor, now_ms: int) -> bool:
        if visitor.nonce is not None:
            return False
        visitor.nonce = self._entropy(limits.NONCE_BYTES)
        body = challenge_body(message.nonce, visitor.nonce, limits.PROTOCOL_VERSION)
        signature = self._signer.sign("challenge", NO_CONTEXT, body)
        challenge = messages.Challenge(
            visitor.nonce, self._signer.key, signature, limits.PROTOCOL_VERSION, self._program
        )
        self._out.send((visitor.connection,), challenge)
        if message.protocol != limits.PROTOCOL_VERSION:
            self._refuse_and_close(visitor.connection, Refusal.VERSION, now_ms)
        return True

    @_greet.register
    def _proof(self, message: messages.Proof, visitor: _Visitor, now_ms: int) -> bool:
        if visitor.nonce is None or visitor.key is not None:
            return False
        body = proof_body(self._signer.key, visitor.nonce, message.key, message.role, limits.PROTOCOL_VERSION)
        if not verify(message.key, "proof", NO_CONTEXT, body, message.signature):
            self._refuse_and_close(visitor.connection, Refusal.PROOF, now_ms)
            return True
        visitor.key, visitor.role = message.key, message.role
        return True

    @_greet.register
    def _ping(self, message: messages.Ping, visitor: _Visitor, now_ms: int) -> bool:
        self._out.send((visitor.connection,), messages.Pong(message.stamp_ms, now_ms))
        return True

    @_greet.register
    def _open(self, message: messages.Open, visitor: _Visitor, now_ms: int) -> bool:
        if visitor.key is None:
            return False
        fault = None
        if self._draining:
            fault = Refusal.DRAINING
        elif settings_fault(message.settings) is not None:
            fault = Refusal.SETTINGS
        elif judge_name(message.name) is None:
            fault = Refusal.NAME
        elif visitor.role is not Role.PLAYER:
            fault = Refusal.ORDER
        if fault is not None:
            self._refuse_and_close(visitor.connection, fault, now_ms)
            return True
        table = self._new_table(message.settings, visitor.key, now_ms)
        self._seat(visitor, table, message.name, may_sit=True, now_ms=now_ms)
        return True

    @_greet.register
    def _join(self, message: messages.Join, visitor: _Visitor, now_ms: int) -> bool:
        if visitor.key is None:
            return False
        table = self._tables.get(message.code)
        if (table is None or not table.seats(visitor.key)) and self._is_guessing(visitor.address, now_ms):
            self._refuse_and_close(visitor.connection, Refusal.GUESSING, now_ms)
            return True
        if table is None:
            self._guessed(visitor.address, now_ms)
            self._refuse_and_close(visitor.connection, Refusal.NO_TABLE, now_ms)
            return True
        if visitor.role is not Role.WATCHER and judge_name(message.name) is None:
            self._refuse_and_close(visitor.connection, Refusal.NAME, now_ms)
            return True
        self._seat(visitor, table, message.name, may_sit=message.code == table.code, now_ms=now_ms)
        return True

    def _seat(self, visitor: _Visitor, table: Table, name: str, *, may_sit: bool, now_ms: int) -> None:
        assert visitor.key is not None, "only who has proved a key comes to a table"
        visitor.table = table
        self._waiting.pop(visitor.connection, None)
        self._pass_on(table, Arrived(visitor.connection, visitor.key, visitor.role, name, may_sit), now_ms)

    def _new_table(self, settings: messages.TableSettings, host: bytes, now_ms: int) -> Table:
        table = Table(
            code=self._free_code(),
            watch_code="",
            settings=settings,
            host=host,
            signer=self._signer,
            entropy=self._entropy,
            epoch=self._epoch,
            options=self._options,
            now_ms=now_ms,
        )
        self._tables[table.code] = table
        table.watch_code = self._free_code()
        self._tables[table.watch_code] = table
        return table

    def _free_code(self) -> str:
        """Returns a code nobody has: six digits, more as the lobby fills (ux.md §1: a guess in 100,000)."""
        digits = max(limits.CODE_DIGITS_MIN, len(str(len(self._tables) * limits.CODE_SPARSITY)))
        while True:
            number = int.from_bytes(self._entropy(16), "big") % 10**digits
            code = f"{number:0{digits}d}"
            if code not in self._tables:
                return code

    def _guessed(self, address: str, now_ms: int) -> None:
        """Notes a wrong code, and forgets the addresses that have stopped."""
        times_ms = self._guesses.pop(address, deque(maxlen=limits.GUESSES_MAX))
        times_ms.append(now_ms)
        self._guesses[address] = times_ms
        while next(iter(self._guesses.values()))[-1] <= now_ms - limits.GUESS_WINDOW_MS:
            del self._guesses[next(iter(self._guesses))]

    def _is_guessing(self, address: str, now_ms: int) -> bool:
        times_ms = self._guesses.get(address)
        if times_ms is None or len(times_ms) < limits.GUESSES_MAX:
            return False
        return times_ms[0] > now_ms - limits.GUESS_WINDOW_MS
