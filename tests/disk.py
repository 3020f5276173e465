"""A disk for the lobby of a world: it holds what store.py would hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from lobby.events import Archive, Durable, Forget, Keep, Persist, Quarantine, Restored, SavedTable


@dataclass
class Disk:
    """What is on the disk, by table number."""

    kept: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    rows: dict[int, list[bytes]] = field(default_factory=dict)  # all that ever were, so that any prefix can be told
    broken: set[int] = field(default_factory=set)
    archived: list[Archive] = field(default_factory=list)
    last_number: int = 0
    alive_ms: int = 0

    def write(self, write: Durable) -> None:
        match write:
            case Persist(table, place, row):
                rows = self.rows.setdefault(table, [])
                assert place == len(rows) + 1, "rows follow each other"
                rows.append(row)
                self.last_number = max(self.last_number, table)
            case Keep(table, place, picture):
                assert place == len(self.rows[table]), "a table is kept after its last row"
                self.kept[table] = (place, picture)
            case Forget(table):
                self.rows.pop(table, None)
                self.kept.pop(table, None)
            case Quarantine(table):
                self.broken.add(table)
            case Archive():
                self.archived.append(write)

    def restored(self) -> Restored:
        """What a lobby that starts now finds."""
        return Restored(
            tuple(self.saved(number) for number in self.rows if number not in self.broken),
            self.alive_ms, self.last_number,
        )  # fmt: skip

    def saved(self, number: int, *, whole: bool = False) -> SavedTable:
        """What there is of one table; `whole`: from the beginning, as if it had never been kept."""
        place, picture = (0, b"") if whole else self.kept.get(number, (0, b""))
        return SavedTable(number, place, picture, tuple(self.rows[number][place:]))
