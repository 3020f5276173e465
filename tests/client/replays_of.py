"""Replays for the tests of their screens and of what is written out: real records of any size and number of players."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace as with_

from client.reading import Reading, open_record
from client.replay import Replay
from client.timeline import Timeline, open_timeline
from client.tui.canvas import Canvas, text_of
from client.tui.palette import CLASSIC, Depth
from client.tui.replay_keys import Show
from client.tui.replay_paint import paint_replay
from client.tui.replay_plan import plan_replay
from protocol.movelog import Act
from protocol.record import Record
from protocol.verdict import verify_record
from tests.protocol.races import ENDLESS, NAMES, TIMED, MadeRace

END_MS = 5_000
HOSTILE = [
    "\x1b[2J\x1b]0;x\x07", "\x1b]52;c;eA==\x07", "\x9b31m", "\u0090q\u009c", "a\nb\r\tc\u2028d", "\u202egnp.exe",
    "\u2066x\u2069", "\u200b\u200d\ufeff", "\x00\x7f", "{name}%s<b>&\"'\\", "e" + 40 * "\u0301", 21 * "漢",
    "\U0001f468\u200d\U0001f469", "x" * 255, "",
]  # fmt: skip


def busy_race(size: int = 4, players: int = 4, names: Sequence[str] = NAMES) -> MadeRace:
    """A race against the clock in which everyone moves at another pace; some go on beyond the bell."""
    race = MadeRace(with_(TIMED, size=size, seats=4), players, names=names, computers=(1,))
    for racer in race.racers:
        racer.play(80, step_ms=55 + 17 * racer.number)
    race.close()
    return race


def eventful_race(names: Sequence[str] = NAMES) -> MadeRace:
    """Three players: an offer that is refused and one that lapses, a gap, somebody resigns, the last two draw."""
    race = MadeRace(with_(ENDLESS, size=4), 3, names=names)
    for racer in race.racers:
        racer.play(12, step_ms=100 + racer.number)
    offer = race.offer(1, 1_500)
    race.vote(0, 2_000, Act.REFUSE, offer)
    race.offer(2, 3_000)
    race.resign(1, 40_000)
    offer = race.offer(0, 41_000)
    race.vote(2, 42_000, Act.AGREE, offer)
    race.close()
    return race


def timeline_of(race: MadeRace, **false: Any) -> Timeline:
    """Returns the timeline of a made race, whose parts may be given anew."""
    return open_timeline(Record.parse(race.record(**false)))


def reading_of(data: bytes, path: str = "race.r2048") -> Reading:
    """Returns a record as it is read from a file."""
    return Reading(Path(path), data, open_record(Path(path), data), verify_record(data))


@cache
def busy_timeline(size: int = 4, players: int = 4) -> Timeline:
    """Returns the timeline of a busy race; made once."""
    return timeline_of(busy_race(size, players))


def show_of(timeline: Timeline, t_ms: int = 2_345, **changes: Any) -> Show:
    """Returns a replay on a screen, paused at a moment."""
    show = {name: changes.pop(name) for name in list(changes) if name in Show.__dataclass_fields__}
    return Show(replay=Replay(timeline=timeline, from_ms=t_ms, **changes), **show)


def replay_canvas(show: Show, columns: int = 80, rows: int = 24, depth: Depth = Depth.TRUE, now_ms: int = 0) -> Canvas:
    """Returns the screen of a replay."""
    timeline = show.replay.timeline
    stage = plan_replay(columns, rows, timeline.settings.size, len(timeline.players), notice=bool(show.reason))
    return paint_replay(show, stage, CLASSIC[depth], now_ms)


def replay_screen(show: Show, columns: int = 80, rows: int = 24, **options: Any) -> str:
    """Returns the screen of a replay as text."""
    return "\n".join(text_of(replay_canvas(show, columns, rows, **options)))
