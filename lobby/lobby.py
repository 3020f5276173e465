"""The lobby: connections on their way to a table, and the tables (architecture.md §3, 5.4).

Owns handshakes, codes and the list of tables. What happens at a table is table.py's business; sockets, files and
clocks are server.py's. Time and entropy are handed in. Whatever happens to a table goes into its journal (journal.py),
and every `Persist` stands before the `Send`s that tell of what it persists.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import singledispatchmethod

from msgspec.structs import replace

from lobby.entropy import Entropy
from lobby.events import (
    Arrived,
    BadFrame,
    Close,
    Connected,
    Disconnected,
    Drained,
    Effect,
    Event,
    Forget,
    Gone,
    Outbox,
    Quarantine,
    Received,
    Restored,
    Resumed,
    Said,
    Send,
    SpaceChanged,
    TableEvent,
    Unheard,
    Woke,
)
from lobby.handing_out import answer
from lobby.journal import LOG_ROWS_MAX, Founded, Journal, Tap, codes_of, founded, rebuilt
from lobby.opening import DealOptions
from lobby.room import Census, Room
from lobby.table import Table
from lobby.visitor import Visitor, Waiting
from protocol import limits, messages
from protocol.deal import settings_fault
from protocol.handshake import challenge_body, proof_body
from protocol.messages import Phase, Role
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, verify
from protocol.text import SafeText, judge_name

# They tell nothing that was persisted, and a line is measured by them: a disk must not seem to be a slow line.
_AT_ONCE = (messages.Ping, messages.Pong)


def _tells_nothing(effect: Effect) -> bool:
    return isinstance(effect, Send) and isinstance(effect.message, _AT_ONCE)


class Lobby:
    """All tables of one lobby: `handle` takes an event and returns effects, `deadline` is when it wants to be woken.

    `epoch` stands in front of the numbers of ticks: it must be higher after every start (deal.md 5.3). Once it is
    `still`, drained or without a disk, nothing happens at any table any more; only what stands can be read.
    """

    def __init__(
        self, *, signer: Signer, entropy: Entropy, epoch: int, program: str, options: DealOptions | None = None
    ) -> None:
        self._signer = signer
        self._entropy = entropy
        self._epoch = epoch
        self._program = SafeText.shown(program)
        self._options = options or DealOptions()
        self._visitors: dict[int, Visitor] = {}
        self._waiting = Waiting()
        self._tables: dict[str, Table] = {}  # by both codes
        self._journals: dict[str, Journal] = {}  # by table code, the one first that was kept longest ago
        self._rows = 0  # of all journals together
        self._last_number = 0  # of a table in the journal
        self._alarms: list[tuple[int, str]] = []  # a heap of (time, code); an alarm may be out of date
        self._alarm_ms: dict[str, int] = {}  # by table code: the deadline that we know
        self.room = Room(self._tables)
        self._still = False
        self._scarce = False  # the disk is nearly full
        self._out = Outbox()

    def handle(self, event: Event, now_ms: int) -> list[Effect]:
        """Takes in one event at `now_ms` of the lobby's clock; returns what is to be done, in order."""
        self._out = Outbox()
        match event:
            case Connected() | Received() | BadFrame() | Disconnected():
                self._hear(event, now_ms)
            case Unheard():
                self._waiting.excuse(event.connections, now_ms)
            case Woke():  # no earlier: by now all that came in before is heard
                for visitor in self._waiting.late(now_ms):
                    self._refuse_and_close(visitor.connection, Refusal.SILENT, now_ms)
            case Drained():
                self._drain(forever=event.forever)
            case Restored():
                self._restore(event, now_ms)
            case SpaceChanged():
                self._scarce = event.scarce
            case _:  # DiskFailed
                self._still = True
                self._out.send(self._visitors, messages.Refused(Refusal.DISK))
        self._look_at_clock(now_ms)
        return self._out

    def _hear(self, event: Connected | Received | BadFrame | Disconnected, now_ms: int) -> None:
        match event:
            case Connected():
                visitor = Visitor(event.connection, event.address, now_ms, now_ms + limits.HANDSHAKE_MS)
                self._visitors[event.connection] = visitor
                self._waiting.add(visitor)
            case Received():
                self._receive(event, now_ms)
            case BadFrame():
                self._refuse_and_close(event.connection, Refusal.FRAME, now_ms)
            case _:  # Disconnected
                self._forget(event.connection, now_ms)

    @property
    def deadline(self) -> int | None:
        """When `handle` next wants to be told the time, on the lobby's clock."""
        times = (self._waiting.deadline, self._alarms[0][0] if self._alarms and not self._still else None)
        return min((time for time in times if time is not None), default=None)

    @property
    def busy(self) -> bool:
        """Whether anybody is connected, or a race goes on that somebody may come back to."""
        return bool(self._visitors) or any(table.busy for table in self._tables.values())

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return len(self._tables) // 2

    @property
    def at_tables(self) -> int:
        """How many connections are at a table."""
        return len(self._visitors) - len(self._waiting)

    def census(self) -> Census:
        """Returns how many of everything there are now."""
        return self.room.census(self.at_tables)

    def views(self) -> Iterator[messages.TableView]:
        """Yields the public picture of each table, the oldest first."""
        return (table.view() for code, table in self._tables.items() if code == table.code)

    # ── what stays when the process ends ────────────────────────────────────────────────────────────────────────────

    def _drain(self, *, forever: bool) -> None:
        self._still = True
        self._out.send(self._visitors, messages.Drain())
        for code, journal in list(self._journals.items()):
            if forever:
                self._out.append(Forget(journal.number))
            else:
                self._keep(self._tables[code])

    def _restore(self, event: Restored, now_ms: int) -> None:
        """Takes up every table where the process before this one left it (rules 5.6)."""
        self._last_number = event.last_number
        back: list[tuple[Table, Journal]] = []
        for saved in event.tables:
            try:
                back.append(rebuilt(saved, self._signer, self._entropy))
            except Exception as error:  # noqa: BLE001 - a bug of ours, which the effect tells of
                self._out.append(Quarantine(saved.number, error))
                self.room.broke(codes_of(saved), now_ms)
        alive_ms = max([event.alive_ms, *(table.seen_ms for table, _ in back)])
        for table, journal in back:
            if table.phase is Phase.CLOSED:
                self._out.append(Forget(journal.number))
                continue
            self._tables[table.code] = self._tables[table.watch_code] = table
            self._journals[table.code] = journal
            self.room.restored(table)
            self._pass_on(table, Resumed(alive_ms, self._epoch), now_ms)
        # All connections are lost: what is said to their numbers must not reach others who get them anew.
        self._out[:] = [effect for effect in self._out if not isinstance(effect, Send | Close)]

    def _quarantine(self, table: Table, error: Exception, now_ms: int) -> None:
        """A table made its core raise. Nobody races on with what is half done: the race is void, and all are told.

        By that word alone: an Ended would vouch for boards, and for a record, that this lobby has lost hold of.
        """
        self.room.broke((table.code, table.watch_code), now_ms)
        self._out.append(Quarantine(self._journals[table.code].number, error))
        for visitor in [visitor for visitor in self._visitors.values() if visitor.table is table]:
            del self._visitors[visitor.connection]
            self._out.close(visitor.connection, Refusal.BROKEN)
        self._remove(table)

    def _remove(self, table: Table) -> None:
        del self._tables[table.code], self._tables[table.watch_code], self._journals[table.code]
        self._alarm_ms.pop(table.code, None)

    # ── the clock ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _look_at_clock(self, now_ms: int) -> None:
        due = set()
        while not self._still and self._alarms and self._alarms[0][0] <= now_ms:
            due.add(heapq.heappop(self._alarms)[1])
        for table in [self._tables[code] for code in sorted(due) if code in self._tables]:
            self._alarm_ms.pop(table.code, None)
            if table.deadline is not None and table.deadline <= now_ms:
                self._pass_on(table, Woke(), now_ms)
            else:
                self._set_alarm(table)

    def _pass_on(self, table: Table, event: TableEvent, now_ms: int) -> None:
        journal = self._journals[table.code]
        try:
            effects = table.handle(event, now_ms)
        except Exception as error:  # noqa: BLE001 - a bug of ours, which the effect tells of
            self._out.append(journal.row(event, now_ms))
            self._quarantine(table, error, now_ms)
            return
        at_once: list[Effect] = []
        if not isinstance(event, Arrived):  # a newcomer gets the complete picture first
            at_once = [effect for effect in effects if _tells_nothing(effect)]
        later = [effect for effect in effects if not _tells_nothing(effect)] if at_once else effects
        self._out += [*at_once, journal.row(event, now_ms), *later]
        for effect in later:
            if isinstance(effect, Close):  # what it may still say is not heard
                self._visitors.pop(effect.connection, None)
        if table.phase is Phase.CLOSED:
            self._out.append(Forget(journal.number))
            self._remove(table)
            return
        self._rows += 1
        if journal.long:
            self._keep(table)
        oldest = next(iter(self._journals))
        if self._rows - self._journals[oldest].kept_at > LOG_ROWS_MAX:
            self._keep(self._tables[oldest])
        self._set_alarm(table)

    def _keep(self, table: Table) -> None:
        """Keeps a table as it stands, which makes it the last in the row of those to be kept."""
        journal = self._journals[table.code] = self._journals.pop(table.code)
        journal.kept_at = self._rows
        if not journal.whole:
            self._out.append(journal.keep(table))

    def _set_alarm(self, table: Table) -> None:
        deadline_ms = table.deadline
        if deadline_ms is not None and deadline_ms != self._alarm_ms.get(table.code):
            self._alarm_ms[table.code] = deadline_ms
            heapq.heappush(self._alarms, (deadline_ms, table.code))

    # ── connections ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _receive(self, event: Received, now_ms: int) -> None:
        visitor = self._visitors.get(event.connection)
        if visitor is None:
            return
        if visitor.table is not None:
            self._say(visitor, visitor.table, event.message, now_ms)
        elif not self._greet(event.message, visitor, now_ms):
            self._refuse_and_close(event.connection, Refusal.ORDER, now_ms)

    def _say(self, visitor: Visitor, table: Table, message: messages.FromClient, now_ms: int) -> None:
        begins = isinstance(message, messages.Begin | messages.Again) and table.seating.host == visitor.key
        # Of those who only watch nothing hangs on the line: thousands of their pings are not worth a row each.
        if self._still or (visitor.only_watches and isinstance(message, _AT_ONCE)):
            self._read(visitor.connection, table, message, now_ms)
        elif begins and self._scarce:
            self._out.refuse(visitor.connection, Refusal.SPACE)
        else:
            self._pass_on(table, Said(visitor.connection, message), now_ms)

    def _read(self, connection: int, table: Table, message: messages.FromClient, now_ms: int) -> None:
        """Answers what changes nothing; everything else is not heard, so that nobody takes it for kept."""
        if isinstance(message, messages.Ping):
            self._out.send((connection,), messages.Pong(message.stamp_ms, now_ms))
        elif isinstance(message, messages.AskRecord):
            self._out.send((connection,), answer(message, table.record))

    def _forget(self, connection: int, now_ms: int) -> None:
        visitor = self._visitors.pop(connection, None)
        self._waiting.remove(connection)
        if visitor is not None and visitor.table is not None and not self._still:
            self._pass_on(visitor.table, Gone(connection), now_ms)

    def _refuse_and_close(self, connection: int, code: Refusal, now_ms: int) -> None:
        if connection in self._visitors:
            self._forget(connection, now_ms)
            self._out.close(connection, code)

    @singledispatchmethod
    def _greet(self, message: messages.FromClient, visitor: Visitor, now_ms: int) -> bool:  # noqa: ARG002
        """Takes in a message from somebody who is not at a table; returns False if it has no meaning there."""
        return False

    @_greet.register
    def _hello(self, message: messages.Hello, visitor: Visitor, now_ms: int) -> bool:
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
    def _proof(self, message: messages.Proof, visitor: Visitor, now_ms: int) -> bool:
        if visitor.nonce is None or visitor.key is not None:
            return False
        body = proof_body(self._signer.key, visitor.nonce, message.key, message.role, limits.PROTOCOL_VERSION)
        if not verify(message.key, "proof", NO_CONTEXT, body, message.signature):
            self._refuse_and_close(visitor.connection, Refusal.PROOF, now_ms)
            return True
        visitor.key, visitor.role = message.key, message.role
        return True

    @_greet.register
    def _ping(self, message: messages.Ping, visitor: Visitor, now_ms: int) -> bool:
        self._out.send((visitor.connection,), messages.Pong(message.stamp_ms, now_ms))
        return True

    @_greet.register
    def _open(self, message: messages.Open, visitor: Visitor, now_ms: int) -> bool:
        if visitor.key is None:
            return False
        if self._still:
            fault: Refusal | None = Refusal.DRAINING
        elif settings_fault(message.settings) is not None:
            fault = Refusal.SETTINGS
        elif judge_name(message.name) is None:
            fault = Refusal.NAME
        elif visitor.role is not Role.PLAYER:
            fault = Refusal.ORDER
        else:
            fault = self.room.open_fault(visitor.address, self.at_tables, now_ms)
        if fault is not None:
            self._refuse_and_close(visitor.connection, fault, now_ms)
            return True
        table = self._new_table(message.settings, visitor.key, now_ms)
        self.room.opened(visitor.address, table)
        self._seat(visitor, table, message.name, may_sit=True, now_ms=now_ms)
        return True

    @_greet.register
    def _join(self, message: messages.Join, visitor: Visitor, now_ms: int) -> bool:
        if visitor.key is None:
            return False
        table = self._tables.get(message.code)
        fault = self._join_fault(message, visitor, visitor.key, table, now_ms)
        if table is None or fault is not None:
            self._refuse_and_close(visitor.connection, fault or Refusal.NO_TABLE, now_ms)
        else:
            self._seat(visitor, table, message.name, may_sit=message.code == table.code, now_ms=now_ms)
        return True

    def _join_fault(
        self, message: messages.Join, visitor: Visitor, key: bytes, table: Table | None, now_ms: int
    ) -> Refusal | None:
        if self._still:
            return Refusal.DRAINING
        if (table is None or not table.seats(key)) and self.room.is_guessing(visitor.address, now_ms):
            return Refusal.GUESSING
        if table is None:
            return self.room.missing(visitor.address, message.code, now_ms)
        if visitor.role is not Role.WATCHER and judge_name(message.name) is None:
            return Refusal.NAME
        watches = visitor.role is Role.WATCHER or message.code != table.code
        return self.room.join_fault(table, key, self.at_tables, watches=watches)

    def _seat(self, visitor: Visitor, table: Table, name: str, *, may_sit: bool, now_ms: int) -> None:
        assert visitor.key is not None, "only who has proved a key comes to a table"
        visitor.table = table
        visitor.only_watches = table.only_watches(visitor.key, may_sit=may_sit)
        self.room.came(visitor.address, visitor.key, table)
        self._waiting.remove(visitor.connection)
        self._pass_on(table, Arrived(visitor.connection, visitor.key, visitor.role, name, may_sit), now_ms)

    def _new_table(self, settings: messages.TableSettings, host: bytes, now_ms: int) -> Table:
        row = Founded(self.room.free_code(self._entropy), "", settings, host, self._epoch, self._options)
        tap = Tap(self._entropy)
        table = founded(row, now_ms, self._signer, tap)
        self._tables[table.code] = table
        table.watch_code = watch_code = self.room.free_code(self._entropy)
        self._tables[watch_code] = table
        self._last_number += 1
        self._journals[table.code] = journal = Journal(self._last_number, tap, kept_at=self._rows)
        self._out.append(journal.row(replace(row, watch_code=watch_code), now_ms))
        return table
