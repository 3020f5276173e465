"""When everyone at a table is told its new picture (performance.md: public figures at most once a second).

Whatever people act upon is told at once. How many watch is not: a crowd that comes would have each of it told of every
other. What the picture shows is pictures.py's business.
"""

from __future__ import annotations

from protocol.limits import TICK_INTERVAL_MS


class Telling:
    """What is still to be told of one table, and when."""

    def __init__(self, now_ms: int) -> None:
        self._at_once = False
        self._told_ms = now_ms - TICK_INTERVAL_MS
        self.deadline: int | None = None  # when the number of watchers is told, if it has changed

    def changed(self) -> None:
        """The picture has changed: it is told when this event is handled."""
        self._at_once, self.deadline = True, None

    def crowd_changed(self, now_ms: int) -> None:
        """Nothing of it has changed but how many watch."""
        if self.deadline is None and not self._at_once:
            self.deadline = max(now_ms, self._told_ms + TICK_INTERVAL_MS)

    def wake(self, now_ms: int) -> None:
        """Has the number of watchers told if it is time."""
        if self.deadline is not None and now_ms >= self.deadline:
            self.changed()

    def take(self, now_ms: int) -> bool:
        """Returns whether the picture is to be told now; then it has been."""
        told, self._at_once = self._at_once, False
        if told:
            self._told_ms = now_ms
        return told
