"""Which Deal stands at a table, when the next may come, and who owes it an answer (deal.md 3.4).

Owns the `Opening` and the pause between Deals. That a broken opening burns its chain is decided by table.py; here it
is done. A burnt chain is shown to everyone at once, before anything else is: whoever sees a Deal sees one that stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from lobby.events import Outbox
from lobby.opening import Opening
from protocol import limits, messages
from protocol.messages import TableSettings


class Dealing:
    """The Deal of a table. `answers` are the keys of those who were ready for a burnt Deal and have not answered."""

    def __init__(self, opening: Opening, answer_ms: int, now_ms: int) -> None:
        self.opening = opening
        self.answers: set[bytes] = set()
        self.burnt: messages.Burnt | None = None  # what was told of the last Deal, as long as there is no new one
        self._answer_ms = answer_ms
        self._answer_by_ms: int | None = None
        self._dealt_ms = now_ms
        self._due_ms: int | None = None
        self._burns = 0  # in a row

    @property
    def stands(self) -> bool:
        """Whether there is a Deal that can be answered."""
        return self.burnt is None

    def burn(self, now_ms: int, ready: Iterable[bytes], everyone: tuple[int, ...], out: Outbox) -> None:
        """The Deal that stands was broken off; those who were `ready` owe the next one an answer.

        After the third in a row nobody does: somebody at this table does not want to play, and people are asked.
        """
        self._burns += 1
        self.anew(now_ms, everyone, out)
        self.answers = set(ready) if self._burns < limits.BURNS_MAX else set()

    def anew(self, now_ms: int, everyone: tuple[int, ...], out: Outbox) -> None:
        """Another Deal takes the place of the one that stands, as soon as one may come."""
        if self.burnt is None:
            self.burnt = messages.Burnt(self.opening.burn())
            out.send(everyone, self.burnt)
        self.answers = set()
        self._answer_by_ms = None
        self._due_ms = max(now_ms, self._dealt_ms + limits.DEAL_INTERVAL_MS)

    def next_race(self, settings: TableSettings, now_ms: int) -> messages.Dealt:
        """Makes the Deal for the next race; returns what tells everyone of it."""
        self.opening.deal_next(settings)
        self._dealt_ms = now_ms
        return messages.Dealt(self.opening.deal_signed)

    def resume(self, gap_ms: int) -> None:
        """The lobby was away: who owed an answer could not give it, and owes none any more (rules 5.6)."""
        self.answers = set()
        self._answer_by_ms = None
        self._dealt_ms += gap_ms
        self._due_ms = None if self._due_ms is None else self._due_ms + gap_ms

    def calm(self) -> None:
        """The row of burnt Deals is over: a race has started, or the host has changed the settings."""
        self._burns = 0

    def answered(self, key: bytes) -> None:
        """A seat has said Ready, or that it is not, or is gone."""
        self.answers.discard(key)
        if not self.answers:
            self._answer_by_ms = None

    def deadline(self) -> int | None:
        """Returns when `wake` next has something to do."""
        return min((time for time in (self._due_ms, self._answer_by_ms) if time is not None), default=None)

    def wake(self, now_ms: int, settings: TableSettings, everyone: tuple[int, ...], out: Outbox) -> list[bytes]:
        """Deals if it is time; returns the keys of those who owed an answer for too long, in a fixed order."""
        if self._due_ms is not None and now_ms >= self._due_ms:
            self._due_ms = self.burnt = None
            self._answer_by_ms = now_ms + self._answer_ms if self.answers else None
            out.send(everyone, self.next_race(settings, now_ms))
        if self._answer_by_ms is None or now_ms < self._answer_by_ms:
            return []
        late = sorted(self.answers)
        self.answers.clear()
        self._answer_by_ms = None
        return late
