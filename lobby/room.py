"""Whether there is room: for another table, at a table, and for another wrong code.

Pure, and asked by lobby.py before it does what cannot be undone; says why not as a Refusal. Connections are counted by
guard.py, before there is anything to be said about tables.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lobby import bounds
from lobby.bounds import Bounds
from lobby.bucket import Bucket
from lobby.entropy import Entropy
from lobby.guard import network_of, within
from lobby.table import Table
from protocol import limits
from protocol.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Census:
    """How many connections are at tables, how many tables there are by phase, and whether that is all there may be."""

    at_tables: int = 0
    tables: Mapping[str, int] = field(default_factory=dict)
    full: bool = False


class Room:
    """What there still is room for in a lobby whose `tables` are kept by both codes."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.most = Bounds()
        self._tables = tables
        self._opened: dict[str, list[Table]] = {}  # by the address they were opened from
        self._unclaimed: set[str] = set()  # codes of restored tables that count for nobody's address yet
        self._broken: dict[str, int] = {}  # by either code: when a table failed, the latest last
        self._openings = Bucket(bounds.OPENINGS_PER_S, bounds.OPENINGS_BURST)
        self._guesses: dict[str, deque[int]] = {}  # wrong codes by address: when they came, the latest address last

    def census(self, at_tables: int) -> Census:
        """Returns how many of everything there are, with so many connections at tables."""
        phases: Counter[str] = Counter(table.phase for code, table in self._tables.items() if code == table.code)
        return Census(at_tables, phases, self.full(at_tables))

    def full(self, at_tables: int) -> bool:
        """Returns whether nobody new can play here, with so many connections at tables."""
        return at_tables >= self.most.connections_max or len(self._tables) // 2 >= self.most.tables_max

    def free_code(self, entropy: Entropy) -> str:
        """Returns a code nobody has: six digits, more as the lobby fills (ux.md §1: a guess in 100,000)."""
        digits = max(limits.CODE_DIGITS_MIN, len(str(len(self._tables) * limits.CODE_SPARSITY)))
        while True:
            number = int.from_bytes(entropy(16), "big") % 10**digits
            code = f"{number:0{digits}d}"
            if code not in self._tables and code not in self._broken:
                return code

    def open_fault(self, address: str, at_tables: int, now_ms: int) -> Refusal | None:
        """Returns why nobody may open a table from this address now, or None; then it is counted as an opening."""
        if self.full(at_tables):
            return Refusal.CAPACITY
        if within(address, self.most.exempt):
            return None
        if len(self._standing(address)) >= self.most.tables_per_address:
            return Refusal.ADDRESS
        return None if self._openings.take(now_ms) else Refusal.FLOOD

    def opened(self, address: str, table: Table) -> None:
        """A table was opened from this address."""
        if len(self._opened) > len(self._tables) // 2:  # then of some address no table stands any more
            self._opened = {each: tables for each in self._opened if (tables := self._standing(each))}
        self._opened[network_of(address)] = [*self._standing(address), table]
        self._unclaimed.discard(table.code)

    def restored(self, table: Table) -> None:
        """A table is back after a restart. From where it was opened was not kept: addresses are not written down."""
        self._unclaimed.add(table.code)

    def came(self, address: str, key: bytes, table: Table) -> None:
        """Somebody has come to a table: a restored one counts for the first of its players who comes back."""
        if table.code in self._unclaimed and table.seats(key):
            self.opened(address, table)

    def _standing(self, address: str) -> list[Table]:
        """Returns the tables that were opened from this address and are not closed."""
        return [t for t in self._opened.get(network_of(address), ()) if self._tables.get(t.code) is t]

    def join_fault(self, table: Table, key: bytes, at_tables: int, *, watches: bool) -> Refusal | None:
        """Returns why somebody may not come to this table now, or None. Who has a seat there always may."""
        if table.seats(key):
            return None
        if at_tables >= self.most.connections_max:
            return Refusal.CAPACITY
        comers = 0 if watches else bounds.COMERS_MAX
        crowd = len(table.presence) - len(table.seating)
        return Refusal.CROWDED if crowd >= self.most.watchers_per_table + comers else None

    # ── tables that have failed ──

    def broke(self, codes: Iterable[str], now_ms: int) -> None:
        """A table with these codes has failed: who comes back to it is told so, for as long as programs try."""
        for code in codes:
            self._broken[code] = now_ms
        for code in [*self._broken]:
            if self._broken[code] > now_ms - limits.EMPTY_TABLE_MS and len(self._broken) <= bounds.BROKEN_MAX:
                break
            del self._broken[code]

    def missing(self, address: str, code: str, now_ms: int) -> Refusal:
        """Returns what is said of a code that no table has. One that none ever had is a wrong guess."""
        if self._broken.get(code, -limits.EMPTY_TABLE_MS) > now_ms - limits.EMPTY_TABLE_MS:
            return Refusal.BROKEN
        self._guessed(address, now_ms)
        return Refusal.NO_TABLE

    # ── wrong codes ──

    def _guessed(self, address: str, now_ms: int) -> None:
        """Notes a wrong code, and forgets the addresses that have stopped."""
        network = network_of(address)
        times_ms = self._guesses.pop(network, deque(maxlen=limits.GUESSES_MAX))
        times_ms.append(now_ms)
        self._guesses[network] = times_ms
        while next(iter(self._guesses.values()))[-1] <= now_ms - limits.GUESS_WINDOW_MS:
            del self._guesses[next(iter(self._guesses))]

    def is_guessing(self, address: str, now_ms: int) -> bool:
        """Returns whether there were too many wrong codes from this address in the last minute."""
        times_ms = self._guesses.get(network_of(address))
        if times_ms is None or len(times_ms) < limits.GUESSES_MAX:
            return False
        return times_ms[0] > now_ms - limits.GUESS_WINDOW_MS
