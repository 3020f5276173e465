"""A record written out: complete, the same to the last byte, and harmless whatever is in it."""

import hashlib
import json
import re
from itertools import pairwise
from typing import Literal

import msgspec
import pyte
import pytest

from client.cli.export import replay_json, replay_text
from client.reading import Reading
from client.replay import Replay
from client.timeline import Timeline, open_timeline
from client.tui.canvas import Canvas, text_of
from client.tui.cast import HOLD_MS, cast
from client.tui.palette import CLASSIC, Depth, Ink
from client.tui.replay_cast import FRAMES_PER_S, PAUSE_MS_MAX, frames, moments
from client.tui.replay_keys import Show
from engine.board import Board
from tests.protocol.races import (
    ENDLESS,
    MadeRace,
    drawn_race,
    forfeited_race,
    resigned_race,
    stuck_race,
    target_race,
    timed_race,
)

from .replays_of import HOSTILE, busy_race, eventful_race, reading_of, replay_screen, show_of, timeline_of

PALETTE = CLASSIC[Depth.TRUE]
# Whatever a terminal would obey, and whatever is not seen or turns what is around it.
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    seats: int
    size: int
    kind: Literal["target", "timed", "endless"]
    target: int | None
    time_ms: int | None
    lead: int
    idle_ms: int | None


class Ending(msgspec.Struct, forbid_unknown_fields=True):
    termination: Literal["alone", "target", "last-mover", "all-stuck", "bell", "draw", "void"]
    winners: list[int]
    t_ms: int


class Span(msgspec.Struct, forbid_unknown_fields=True):
    from_ms: int
    to_ms: int


class Led(msgspec.Struct, forbid_unknown_fields=True):
    t_ms: int
    seat: int | None


class Event(msgspec.Struct, forbid_unknown_fields=True):
    t_ms: int
    event: str
    seat: int | None = None
    tile: int | None = None
    until_ms: int | None = None


class Move(msgspec.Struct, forbid_unknown_fields=True):
    move: int
    t_ms: int
    direction: Literal["up", "right", "down", "left"]
    points: int
    score: int
    tile: Literal[2, 4]
    cell: int


class Seat(msgspec.Struct, forbid_unknown_fields=True):
    seat: int
    name: str
    key: str
    computer: bool
    place: int
    won: bool
    state: Literal["moving", "stuck", "resigned", "forfeited"]
    score: int
    max_tile: int
    moves: int
    start: list[list[int]]
    board: list[list[int]]
    log: list[Move]


class Exported(msgspec.Struct, forbid_unknown_fields=True):
    """docs/replay-json.md, as types."""

    form: Literal["race2048-replay"]
    version: Literal[1]
    sha256: str
    ok: bool
    reason: str
    trusts: list[str]
    lobby_key: str
    table_id: str
    race_number: int
    seeded: bool
    settings: Settings
    outcome: Ending | None
    end_ms: int
    gaps: list[Span]
    leads: list[Led]
    events: list[Event]
    seats: list[Seat]


RACES = [target_race, stuck_race, timed_race, resigned_race, forfeited_race, drawn_race, busy_race, eventful_race]


def opened(race: MadeRace, **false: object) -> tuple[Reading, Timeline]:
    reading = reading_of(race.record(**false))  # type: ignore[arg-type]
    return reading, open_timeline(reading.record)


def exported(race: MadeRace, **false: object) -> Exported:
    text = json.dumps(replay_json(*opened(race, **false)), ensure_ascii=False)
    return msgspec.json.decode(text, type=Exported)


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("make", RACES)
def test_json_has_what_is_documented_and_no_more(make):
    told = exported(make())
    assert told.ok
    assert told.outcome is not None
    assert told.end_ms == told.outcome.t_ms
    assert told.sha256 == hashlib.sha256(make().record()).hexdigest()
    assert told.events[-1].event == "ended"


@pytest.mark.parametrize("make", RACES)
def test_the_moves_in_json_play_the_race_again(make):
    race = make()
    for seat, racer in zip(exported(race).seats, race.racers, strict=True):
        assert [move.t_ms for move in seat.log] == racer.moments
        board, score = Board.of_faces(seat.start), 0
        for move in seat.log:
            if move.move == seat.moves + 1:
                assert (board.faces(), score) == (tuple(map(tuple, seat.board)), seat.score)
            slid = board.slide({"up": 0, "right": 1, "down": 2, "left": 3}[move.direction])  # type: ignore[arg-type]
            assert slid is not None
            cells = bytearray(slid[0].cells)
            cells[move.cell] = move.tile.bit_length() - 1
            board, score = Board.of_cells(board.size, bytes(cells)), score + move.points
            assert score == move.score
        if len(seat.log) == seat.moves:
            assert board.faces() == tuple(map(tuple, seat.board))


def test_moves_after_the_end_are_in_json_and_do_not_count():
    seats = exported(busy_race()).seats
    assert any(len(seat.log) > seat.moves for seat in seats)


def test_every_member_of_json_is_documented():
    from docs.pictures import FOLDER

    documented = (FOLDER / "replay-json.md").read_text(encoding="utf-8")
    for struct in (Settings, Ending, Span, Led, Event, Move, Seat, Exported):
        for name in struct.__struct_fields__:
            assert f"`{name}`" in documented, name


def test_a_false_record_is_said_to_be_false_in_json():
    race = resigned_race()
    results = race.results(race.outcome())
    told = exported(race, results=[results[1], results[0]])
    assert not told.ok
    assert "the Result says" in told.reason


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def text_of_race(race: MadeRace) -> str:
    return "\n".join(replay_text(*opened(race)))


def test_text_tells_every_move_that_counts_with_the_board_after_it():
    race = target_race()
    text = text_of_race(race)
    timeline = timeline_of(race)
    for course in timeline.courses:
        for move in list(course.played())[: timeline.counted(course.player.seat)]:
            told = f"{course.player.name}, move {move.number}: {move.direction.name.lower()}, {move.points} points"
            after = text[text.index(told) :].splitlines()[1:4]
            shown = [line.replace("·", "0").split() for line in after]
            assert [[int(face) for face in row] for row in shown] == [list(row) for row in move.board.faces()]
    assert "fox made 8 first." in text.splitlines()


def test_text_is_in_the_order_of_time():
    text = text_of_race(eventful_race())
    times = [tuple(map(float, found)) for found in re.findall(r"^(\d+):([\d.]+)  ", text, re.MULTILINE)]
    assert times == sorted(times)
    assert "0:02.000  * fox refuses the draw" in text
    assert "0:40.000  * owl resigns" in text


def test_text_of_a_false_record_says_so_first():
    race = resigned_race()
    results = race.results(race.outcome())
    text = "\n".join(replay_text(*opened(race, results=[results[1], results[0]])))
    assert "THE RECORD IS FALSE: seat 0: the Result says" in text[:200]


# ── the cast ─────────────────────────────────────────────────────────────────────────────────────────────────────


def cast_of(timeline: Timeline, columns: int = 80, rows: int = 24, **changes: object) -> list[str]:
    show = Show(replay=Replay(timeline=timeline, **changes))  # type: ignore[arg-type]
    return list(cast(frames(show, columns, rows, PALETTE), columns, rows, "title"))


def played_cast(lines: list[str], until_s: float = 1e9) -> pyte.Screen:
    """A terminal that was shown a cast up to a moment, as asciinema would."""
    header = json.loads(lines[0])
    screen = pyte.Screen(header["width"], header["height"])
    stream = pyte.Stream(screen)
    for line in lines[1:]:
        t_s, kind, sent = json.loads(line)
        assert kind == "o"
        if t_s <= until_s:
            stream.feed(sent.replace("\x1b[?2026h", "").replace("\x1b[?2026l", ""))
    return screen


def rows_of(screen: pyte.Screen) -> str:
    return "\n".join(line.rstrip() for line in screen.display)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_a_cast_shows_the_screen_of_its_moment(columns, rows):
    timeline = timeline_of(eventful_race())
    lines = cast_of(timeline, columns, rows)
    end = replay_screen(show_of(timeline, timeline.end_ms, paused=False, noted=True), columns, rows)
    assert rows_of(played_cast(lines)) == end
    early = replay_screen(show_of(timeline, 1_224, paused=False), columns, rows)  # owl's last move is at 1,212
    assert rows_of(played_cast(lines, 1.23)) == early


def test_a_cast_has_the_form_of_an_asciicast():
    header, *events = cast_of(timeline_of(timed_race()))
    assert json.loads(header) == {
        "version": 2, "width": 80, "height": 24, "title": "title", "env": {"TERM": "xterm-256color"},
    }  # fmt: skip
    times = [json.loads(line)[0] for line in events]
    assert times[0] == 0
    assert times == sorted(times)
    assert all(re.match(r"\[\d+\.\d{3}, \"o\", \"", line) for line in events)
    assert times[-1] == times[-2] + HOLD_MS / 1_000


def test_a_cast_has_the_times_of_the_record_at_the_speed_asked_for():
    timeline = timeline_of(timed_race())
    for speed in (0.5, 1.0, 4.0):
        last = json.loads(cast_of(timeline, speed=speed)[-1])[0]
        assert last == pytest.approx((timeline.end_ms / speed + HOLD_MS) / 1_000, abs=0.05)


def test_a_cast_begins_where_the_replay_stands():
    timeline = timeline_of(timed_race())
    lines = cast_of(timeline, from_ms=4_000)
    shown = rows_of(played_cast(lines, 0.0))
    assert shown == replay_screen(show_of(timeline, 4_000, paused=False))


def test_long_pauses_are_capped_in_a_cast():
    timeline = timeline_of(forfeited_race())  # the last move at 900 ms, the end at a minute
    times = [json.loads(line)[0] for line in cast_of(timeline)[1:]]
    assert times[-1] == pytest.approx((900 + PAUSE_MS_MAX + HOLD_MS) / 1_000)
    waits = [later - earlier for earlier, later in pairwise(times)]
    assert max(waits[:-1]) <= PAUSE_MS_MAX / 1_000


def test_a_cast_has_no_more_frames_than_a_screen_draws():
    timeline = timeline_of(busy_race())
    times = [json.loads(line)[0] for line in cast_of(timeline, speed=16.0)[1:]]
    assert len(times) <= times[-2] * FRAMES_PER_S + 3


def test_every_move_and_second_has_its_moment():
    timeline = timeline_of(busy_race())
    shown = [t_ms for _, t_ms in moments(Replay(timeline=timeline))]
    assert set(timeline.beats) | set(range(0, timeline.end_ms + 1, 1_000)) == set(shown)


def test_cells_become_a_cast_whatever_they_are():
    one, other = Canvas(12, 2), Canvas(12, 2)
    one.text(0, 0, '漢字 <"\\>')
    other.text(1, 0, "x漢", Ink("#ff0000", "#00ff00", bold=True))
    lines = list(cast([(0, one), (40, one), (70, other)], 12, 2, 'a "title"\x1b'))
    assert [json.loads(line)[0] for line in lines[1:]] == [0.0, 0.07, 3.07]
    assert json.loads(lines[0])["title"] == 'a "title"\x1b'
    assert "\x1b" not in lines[0]
    assert rows_of(played_cast(lines, 0.05)).splitlines()[0].replace(" ", "") == "".join(text_of(one)).replace(" ", "")


# ── all of them ──────────────────────────────────────────────────────────────────────────────────────────────────


def everything(names: tuple[str, ...]) -> dict[str, str]:
    reading, timeline = opened(busy_race(3, 2, names))
    show = Show(replay=Replay(timeline=timeline, speed=8.0))
    title = ", ".join(player.name for player in timeline.players)
    return {
        "json": json.dumps(replay_json(reading, timeline), ensure_ascii=False),
        "txt": "\n".join(replay_text(reading, timeline)),
        "cast": "\n".join(cast(frames(show, 80, 24, PALETTE), 80, 24, title)),
    }


def test_the_same_record_gives_the_same_bytes():
    assert everything(("fox", "owl")) == everything(("fox", "owl"))


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_gets_out_of_what_is_written(name):
    hostile = name.encode()[:255].decode(errors="ignore")
    written = everything((hostile, "owl"))
    for form in ("json", "txt"):
        assert OBEYED.search(written[form]) is None, form
    msgspec.json.decode(written["json"], type=Exported)
    ours = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
    for line in written["cast"].splitlines():
        assert OBEYED.search(line) is None
    for line in written["cast"].splitlines()[1:]:
        assert OBEYED.search(ours.sub("", json.loads(line)[2])) is None


def test_a_pause_in_which_only_the_clock_moves_is_shown_as_far_as_it_is_kept():
    race = MadeRace(ENDLESS)
    race.racers[0].play(1)
    race.resign(1, 10_000)
    shown = list(moments(Replay(timeline=timeline_of(race))))
    assert shown == [(0, 0), (100, 100), (1_000, 1_000), (2_000, 2_000), (2_100, 10_000)]
