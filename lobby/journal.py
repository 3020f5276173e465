"""The journal of a table: what happened to it, in order, and how it is built again from that (architecture.md §3, 4.2).

A table is a pure function of its events, their times and the entropy it drew. So its journal holds these three and
nothing else, and a restarted lobby hands them to the same table.py again: there is no second way to come to a state.
So that the journal of a long race need not be read from its beginning, the table is kept as it stands now and then
(snapshot.py), and only what came after is handed in again. Knows no files; store.py keeps what this module makes.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from engine.deck import Chain
from lobby.entropy import Entropy, Source
from lobby.events import Arrived, Gone, Keep, Persist, Resumed, Said, SavedTable, TableEvent, Woke
from lobby.opening import DealOptions
from lobby.snapshot import frozen, thaw
from lobby.table import Table
from protocol.messages import TableSettings
from protocol.signing import Signer
from protocol.text import SafeText

ROWS_MIN = 96  # since a table was last kept: a hundred tables hand so many in again in a second
BYTES_A_ROW = 512  # the picture of a long race is large, and not worth making for a few rows
LOG_ROWS_MAX = 131_072  # of all tables together: an idle one must not keep the log of the others from being cut


class JournalError(ValueError):
    """A journal that this program cannot read, or that does not lead where it led before."""


class Founded(Struct, frozen=True, array_like=True, tag="founded"):
    """The first row: the table was opened."""

    code: str
    watch_code: str
    settings: TableSettings
    host: bytes
    epoch: int
    options: DealOptions


class Row(Struct, frozen=True, array_like=True):
    """What happened, when on the lobby's clock, and the entropy that was drawn on it."""

    event: Founded | Arrived | Gone | Said | Woke | Resumed
    at_ms: int
    entropy: bytes


def _safe(wanted: type, value: object) -> object:
    if wanted is SafeText and isinstance(value, str):
        return SafeText(value)
    raise TypeError(f"{wanted.__name__} expected")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=str)
_DECODER = msgspec.msgpack.Decoder(Row, dec_hook=_safe)


class Tap:
    """The entropy of one table: notes what is drawn; of a row that is read again it gives the same bytes again."""

    def __init__(self, source: Entropy) -> None:
        self._source = source
        self._drawn = b""
        self._given: bytes | None = None

    def __call__(self, size: int, /) -> bytes:
        """Returns so many bytes."""
        if self._given is None:
            drawn = self._source(size)
            self._drawn += drawn
            return drawn
        if len(self._given) < size:
            raise JournalError("the table draws more than it drew before")
        drawn, self._given = self._given[:size], self._given[size:]
        return drawn

    def chain(self, length: int, /) -> Chain:
        """Returns a new chain, or the same again."""
        if self._given is not None:
            return Source(self).chain(length)
        chain = self._source.chain(length)
        self._drawn += chain.chain_id + chain.link(length)
        return chain

    def take(self) -> bytes:
        """Returns what was drawn since this was last asked."""
        drawn, self._drawn = self._drawn, b""
        return drawn

    def give(self, drawn: bytes) -> None:
        """From now on these bytes are drawn again."""
        if self._given:
            raise JournalError("the table draws less than it drew before")
        self._given = drawn

    def open(self) -> None:
        """From now on new bytes are drawn."""
        self.give(b"")
        self._given = None


class Journal:
    """The rows of one table: what is to be kept of each event. `number` is the table's, and of no other ever."""

    def __init__(
        self, number: int, tap: Tap, place: int = 0, kept: int = 0, picture_bytes: int = 0, *, kept_at: int = 0
    ) -> None:
        self.number = number
        self.tap = tap
        self.kept_at = kept_at  # how many rows the lobby had written when the table was last kept
        self._place = place
        self._kept = kept
        self._picture_bytes = picture_bytes

    def row(self, event: TableEvent | Founded, now_ms: int) -> Persist:
        """Returns what puts this event into the journal, with the entropy that was drawn on it."""
        self._place += 1
        return Persist(self.number, self._place, _ENCODER.encode(Row(event, now_ms, self.tap.take())))

    @property
    def long(self) -> bool:
        """Whether it is time to keep the table as it stands."""
        return self._place - self._kept >= max(ROWS_MIN, self._picture_bytes // BYTES_A_ROW)

    @property
    def whole(self) -> bool:
        """Whether the table is kept as it stands."""
        return self._place == self._kept

    def keep(self, table: Table) -> Keep:
        """Returns what keeps the table as it stands after the last row."""
        picture = frozen(table, self.tap)
        self._kept, self._picture_bytes = self._place, len(picture)
        return Keep(self.number, self._place, picture)


def founded(row: Founded, at_ms: int, signer: Signer, tap: Tap) -> Table:
    """Returns a new table."""
    return Table(
        code=row.code, watch_code=row.watch_code, settings=row.settings, host=row.host, signer=signer, entropy=tap,
        epoch=row.epoch, options=row.options, now_ms=at_ms,
    )  # fmt: skip


def rebuilt(saved: SavedTable, signer: Signer, source: Entropy) -> tuple[Table, Journal]:
    """Returns a table as it stood after its last row, and its journal.

    Raises JournalError, SnapshotError, or what the table raises.
    """
    tap = Tap(source)
    table = thaw(saved.picture, signer, tap) if saved.picture else None
    for data in saved.rows:
        row = _decoded(data)
        tap.give(row.entropy)
        if isinstance(row.event, Founded):
            table = founded(row.event, row.at_ms, signer, tap)
        elif table is None:
            raise JournalError("the journal of this table has lost its beginning")
        else:
            table.handle(row.event, row.at_ms)
    tap.open()
    if table is None:
        raise JournalError("the journal of this table is empty")
    return table, Journal(saved.number, tap, saved.place + len(saved.rows), saved.place, len(saved.picture))


def codes_of(saved: SavedTable) -> tuple[str, ...]:
    """Returns the codes of a table that cannot be built again, as far as its first row or its picture still says."""
    try:
        if not saved.picture:
            row = _decoded(saved.rows[0]).event
            return (row.code, row.watch_code) if isinstance(row, Founded) else ()
        match msgspec.msgpack.decode(saved.picture):
            case ["object", "Table", {"code": str(code), "watch_code": str(watch_code)}, int()]:
                return code, watch_code
    except (JournalError, msgspec.MsgspecError, LookupError):
        pass
    return ()


def _decoded(data: bytes) -> Row:
    try:
        return _DECODER.decode(data)
    except msgspec.MsgspecError as error:
        raise JournalError(f"a row of the journal cannot be read: {error}") from error
