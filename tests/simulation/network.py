"""A connection between a program and the lobby's process, as TCP gives it: in order, late, and sometimes not at all.

A `Wire` carries frames both ways. Its faults are those of WebSocket over TCP: delay, stall, a break that loses what
was under way, a half-open connection of which either end learns late. What may wait at the lobby for a peer that does
not read is bounded, as lobby/connection.py bounds it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from tests.simulation.plan import LineKnobs

QUEUE_FRAMES_MAX = 512  # lobby/connection.py
QUEUE_BYTES_MAX = 262_144
NOTICE_MS_MAX = 15_000  # half-open: a missing answer to a heartbeat of 10 s


class Clock(Protocol):
    """What a wire needs of the world."""

    now_ms: int

    def later(self, delay_ms: int, what: Callable[[], None]) -> None:
        """Does something after a while."""


@dataclass
class _Way:
    """One direction."""

    deliver: Callable[[bytes], None]
    last_ms: int = 0  # nothing overtakes
    held_ms: int = 0  # nothing arrives before
    waiting: dict[int, int] = field(default_factory=dict)  # by number: bytes that have not arrived
    replaced: set[int] = field(default_factory=set)
    newest: dict[str, int] = field(default_factory=dict)
    count: int = 0


class Wire:
    """One connection. `lost_up` and `lost_down` are called once, when that end learns that it is gone."""

    def __init__(
        self,
        clock: Clock,
        number: int,
        knobs: LineKnobs,
        jitter: Callable[[], int],
        *,
        up: Callable[[bytes], None],
        down: Callable[[bytes], None],
    ) -> None:
        self.number = number
        self.knobs = knobs
        self.alive = True  # something can still get through
        self.open_up = self.open_down = True  # the lobby's, the program's end
        self.lost_up: Callable[[str], None] = lambda reason: None
        self.lost_down: Callable[[str], None] = lambda reason: None
        self.queued_max = 0
        self._clock = clock
        self._jitter = jitter
        self._up, self._down = _Way(up), _Way(down)

    # ── what is said ─────────────────────────────────────────────────────────────────────────────────────────────

    def say_up(self, frame: bytes) -> None:
        """The program sends a frame."""
        if self.open_down:
            self._carry(self._up, frame, "")

    def say_down(self, frame: bytes, newest_of: str = "") -> None:
        """The lobby sends a frame; of a kind that is `newest_of`, one that still waits is dropped for it."""
        if not self.open_up:
            return
        self._carry(self._down, frame, newest_of)
        self.queued_max = max(self.queued_max, len(self._down.waiting))
        behind = len(self._down.waiting) > QUEUE_FRAMES_MAX or sum(self._down.waiting.values()) > QUEUE_BYTES_MAX
        if behind:
            self.sever(0, 0)

    def _carry(self, way: _Way, frame: bytes, newest_of: str) -> None:
        now_ms = self._clock.now_ms
        number, way.count = way.count, way.count + 1
        if newest_of and way.held_ms > now_ms:
            before = way.newest.get(newest_of, -1)
            if way.waiting.pop(before, None) is not None:
                way.replaced.add(before)
            way.newest[newest_of] = number
        way.waiting[number] = len(frame)
        way.last_ms = max(way.last_ms, way.held_ms, now_ms + self.knobs.delay_ms + self._jitter())

        def arrive() -> None:
            if number in way.replaced:
                way.replaced.discard(number)
            elif self.alive or number not in way.waiting:
                way.waiting.pop(number, None)
                if self.alive:
                    way.deliver(frame)

        self._clock.later(way.last_ms - now_ms, arrive)

    # ── what goes wrong ──────────────────────────────────────────────────────────────────────────────────────────

    def stall(self, duration_ms: int) -> None:
        """Nothing arrives for a while; then all of it does, in order."""
        for way in (self._up, self._down):
            way.held_ms = max(way.held_ms, self._clock.now_ms + duration_ms)

    def sever(self, up_ms: int, down_ms: int, reason: str = "lost") -> None:
        """What is under way is lost; the lobby's end learns of it after `up_ms`, the program's after `down_ms`."""
        self.alive = False
        self._clock.later(up_ms, lambda: self.end_up(reason))
        self._clock.later(down_ms, lambda: self.end_down(reason))

    def hang_up(self) -> None:
        """The program closes its end; what it has sent before still arrives, and then the lobby knows."""
        if self.open_down:
            self.open_down = False
            delay_ms = max(0, self._up.last_ms - self._clock.now_ms) + self.knobs.delay_ms
            self._clock.later(delay_ms if self.alive else NOTICE_MS_MAX, lambda: self.end_up("closed"))

    def close_up(self, reason: str) -> None:
        """The lobby closes its end, after what it has said; it is told the next moment, as the adapter tells it."""
        if self.open_up:
            delay_ms = max(0, self._down.last_ms - self._clock.now_ms) + self.knobs.delay_ms
            self._clock.later(delay_ms if self.alive else NOTICE_MS_MAX, lambda: self.end_down(reason))
            self._clock.later(0, lambda: self.end_up(reason))

    def end_up(self, reason: str) -> None:
        """The lobby's end learns that the connection is gone."""
        if self.open_up:
            self.open_up = False
            self.lost_up(reason)

    def end_down(self, reason: str) -> None:
        """The program's end learns that the connection is gone."""
        if self.open_down:
            self.open_down = False
            self.alive = False
            self.lost_down(reason)
