"""A replay as frames, for cast.py: the screens that a person would see who only watched, at their times.

Pure: the pictures are paint_replay's, the times those of the record at the replay's speed. Where nothing happens for
longer than `PAUSE_MS_MAX`, the rest of that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from client.replay import Replay

from .canvas import Canvas
from .palette import Palette
from .replay_keys import Show
from .replay_paint import paint_replay
from .replay_plan import plan_replay

PAUSE_MS_MAX = 2_000
FRAMES_PER_S = 30


def frames(show: Show, columns: int, rows: int, palette: Palette) -> Iterator[tuple[int, Canvas]]:
    """Yields the time of each frame, in milliseconds since the first, and its screen, from where the replay stands."""
    timeline = show.replay.timeline
    stage = plan_replay(columns, rows, timeline.settings.size, len(timeline.players), notice=bool(show.reason))
    for at_ms, t_ms in _thinned(moments(show.replay)):
        here = replace(show.replay, from_ms=t_ms, since_ms=0, paused=False)
        yield at_ms, paint_replay(replace(show, replay=here, noted=True), stage, palette, 0)


def moments(replay: Replay) -> Iterator[tuple[int, int]]:
    """Yields when something looks different, in milliseconds of somebody's time, and the moment of the race then."""
    timeline, beat_ms = replay.timeline, replay.from_ms
    at_ms = 0.0
    yield 0, beat_ms
    while (next_ms := timeline.beat_after(beat_ms)) is not None:
        wait_ms = (next_ms - beat_ms) / replay.speed
        second_ms = (beat_ms // 1_000 + 1) * 1_000
        while second_ms < next_ms and (second_ms - beat_ms) / replay.speed < PAUSE_MS_MAX:
            yield round(at_ms + (second_ms - beat_ms) / replay.speed), second_ms
            second_ms += 1_000
        at_ms += min(wait_ms, PAUSE_MS_MAX)
        beat_ms = next_ms
        yield round(at_ms), beat_ms


def _thinned(moments_: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields the last moment of each thirtieth of a second."""
    last: tuple[int, int] | None = None
    for moment in moments_:
        if last is not None and moment[0] * FRAMES_PER_S // 1_000 > last[0] * FRAMES_PER_S // 1_000:
            yield last
        last = moment
    if last is not None:
        yield last
