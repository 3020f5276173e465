"""A record being looked at: where it stands, how fast it runs, and whose moves are stepped through.

A pure state machine: every change returns a new `Replay`, and the time is handed in. What there is to see at a moment
is timeline.py's business, what a key means tui/replay_keys.py's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import ceil

from client.story import Story

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
SPEED_MIN, SPEED_MAX = SPEEDS[0], SPEEDS[-1]

_TIME = re.compile(r"(?:(?P<hours>\d{1,4}):(?=\d+:))?(?P<minutes>\d{1,4}):(?P<seconds>\d{2})(?:\.(?P<part>\d{1,3}))?")
_SECONDS = 60  # there are fewer behind the colon
_MOVE = re.compile(r"\d{1,7}")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a race that somebody has named: a move of the chosen player, or a time; the other is None."""

    move: int | None = None
    t_ms: int | None = None


def parse_spot(text: str) -> Spot | None:
    """Returns what is meant by "120" (a move), "1:23", "1:02:03" or "1:23.456" (times), None by anything else."""
    text = text.strip()
    if _MOVE.fullmatch(text):
        return Spot(move=int(text))
    found = _TIME.fullmatch(text)
    if found is None or int(found["seconds"]) >= _SECONDS:
        return None
    minutes = 60 * int(found["hours"] or 0) + int(found["minutes"])
    seconds = _SECONDS * minutes + int(found["seconds"])
    return Spot(t_ms=1_000 * seconds + int((found["part"] or "").ljust(3, "0")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Where a replay stands: at `from_ms` of the race when it was `since_ms`, and from there on at `speed`.

    `seat` is the chosen player: its moves are stepped through, its board is shown where there is room for one.
    """

    timeline: Story
    seat: int = 0
    speed: float = 1.0
    paused: bool = True
    from_ms: int = 0
    since_ms: int = 0

    def t_ms(self, now_ms: int) -> int:
        """Returns the moment of the race that is shown now."""
        if self.paused:
            return self.from_ms
        passed_ms = int((now_ms - self.since_ms) * self.speed)
        return min(self.from_ms + max(passed_ms, 0), self.timeline.end_ms)

    def is_over(self, now_ms: int) -> bool:
        """Tells whether the end of the race is shown."""
        return self.t_ms(now_ms) >= self.timeline.end_ms

    def wait_ms(self, now_ms: int) -> int | None:
        """Returns in how many milliseconds something looks different, a second of the clock included; None: never."""
        t_ms = self.t_ms(now_ms)
        if self.paused or t_ms >= self.timeline.end_ms:
            return None
        second_ms = (t_ms // 1_000 + 1) * 1_000
        beat_ms = self.timeline.beat_after(t_ms)
        next_ms = second_ms if beat_ms is None else min(second_ms, beat_ms)
        return max(ceil((next_ms - self.from_ms) / self.speed) - (now_ms - self.since_ms), 1)

    def toggled(self, now_ms: int) -> Replay:
        """Pauses, or goes on; from the start, if the end is shown."""
        if self.is_over(now_ms):
            return replace(self, paused=False, from_ms=0, since_ms=now_ms)
        return replace(self, paused=not self.paused, from_ms=self.t_ms(now_ms), since_ms=now_ms)

    def faster(self, now_ms: int, steps: int = 1) -> Replay:
        """Takes the next speed, or with negative steps the one before."""
        if steps > 0:
            speed = next((speed for speed in SPEEDS if speed > self.speed), SPEED_MAX)
        else:
            speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), SPEED_MIN)
        return replace(self, speed=speed, from_ms=self.t_ms(now_ms), since_ms=now_ms)

    def sought(self, t_ms: int, now_ms: int) -> Replay:
        """Goes to a moment of the race; what ran runs on from there."""
        return replace(self, from_ms=min(max(t_ms, 0), self.timeline.end_ms), since_ms=now_ms)

    def skipped(self, ms: int, now_ms: int) -> Replay:
        """Goes so far on, or back."""
        return self.sought(self.t_ms(now_ms) + ms, now_ms)

    def stepped(self, moves: int, now_ms: int) -> Replay:
        """Goes so many moves of the chosen player on or back, and stays there; behind the last move is the end."""
        timeline, here_ms = self.timeline, self.t_ms(now_ms)
        made = timeline.moves_at(self.seat, here_ms) + moves
        if made > timeline.counted(self.seat):
            there_ms = timeline.end_ms
        else:
            there_ms = timeline.time_of(self.seat, max(made, 0))
            if moves < 0 and there_ms >= here_ms:  # all the moves of one millisecond are made at once
                there_ms = timeline.time_before(self.seat, here_ms)
        return replace(self.sought(there_ms, now_ms), paused=True)

    def at_spot(self, spot: Spot, now_ms: int) -> Replay:
        """Goes to a named place and stays there."""
        if spot.move is None:
            return replace(self.sought(spot.t_ms or 0, now_ms), paused=True)
        move = min(spot.move, self.timeline.counted(self.seat))
        return replace(self.sought(self.timeline.time_of(self.seat, move), now_ms), paused=True)

    def to_happening(self, step: int, now_ms: int) -> Replay:
        """Goes to the next happening that is told, or to the one before; what ran runs on from there."""
        here_ms = self.t_ms(now_ms)
        told = self.timeline.happenings
        if step > 0:
            there = next((each.t_ms for each in told if each.t_ms > here_ms), self.timeline.end_ms)
        else:
            there = next((each.t_ms for each in reversed(told) if each.t_ms < here_ms), 0)
        return self.sought(there, now_ms)

    def next_seat(self, step: int = 1) -> Replay:
        """Chooses the next player."""
        return replace(self, seat=(self.seat + step) % len(self.timeline.players))
