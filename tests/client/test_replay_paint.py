"""The screen of a replay at every size: nothing cut, nothing over another thing, no name that breaks a cell."""

from itertools import combinations, product

import pytest

from client.replay import Replay
from client.tui.canvas import Rect, text_of
from client.tui.palette import CLASSIC, Depth
from client.tui.replay_chart import leaders_by_column, seat_ink
from client.tui.replay_plan import Stage, plan_replay
from client.tui.tiles import face
from engine.race import Outcome, Termination
from protocol.record import Gap
from protocol.text import SafeText
from tests.protocol.races import ENDLESS, MadeRace, forfeited_race, resigned_race, stuck_race, timed_race

from .replays_of import (
    HOSTILE,
    busy_race,
    busy_timeline,
    eventful_race,
    replay_canvas,
    replay_screen,
    show_of,
    timeline_of,
)
from .test_paint import SCREENS, SIZES, assert_sound

PLAYERS = (2, 3, 4)
BIG_SCREENS = [(40, 20), (80, 24), (120, 40), (60, 20), (100, 30), (200, 60), (40, 60), (300, 20)]
TIMELINE = busy_timeline()


def regions(stage: Stage) -> dict[str, Rect]:
    """Everything that has a place on a screen."""
    found = {f"place {number}": place for number, place in enumerate(stage.places)}
    found |= {"header": Rect(0, 0, stage.columns, 1), "footer": Rect(0, stage.rows - 1, stage.columns, 1)}
    found |= {"chart": stage.chart, "lines": stage.lines, "told": stage.told}
    found["bar"] = Rect(0, stage.bar, stage.columns, 1)
    if stage.notice >= 0:
        found["notice"] = Rect(0, stage.notice, stage.columns, 1)
    return found


def overlap(one: Rect, other: Rect) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


# ── where things are ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("columns", "rows"), BIG_SCREENS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("notice", [False, True])
def test_nothing_lies_over_another_thing_or_beside_the_screen(columns, rows, size, notice):
    for players in (1, *PLAYERS):
        stage = plan_replay(columns, rows, size, players, notice=notice)
        placed = regions(stage)
        for name, region in placed.items():
            assert region.x >= 0, name
            assert region.y >= 0, name
            assert region.right <= columns, name
            assert region.bottom <= rows, name
        for (name, one), (other_name, other) in combinations(placed.items(), 2):
            assert not overlap(one, other), f"{name} and {other_name}"
        assert len(stage.places) + stage.lines.height == players
        assert stage.chart.height in (1, players)
        assert stage.told.height >= 1


@pytest.mark.parametrize(("size", "players"), list(product(SIZES, PLAYERS)))
def test_at_120x40_all_boards_are_there(size, players):
    assert len(plan_replay(120, 40, size, players).places) == players


@pytest.mark.parametrize("players", PLAYERS)
def test_at_80x24_all_boards_of_4x4_are_there_and_two_of_8x8(players):
    assert len(plan_replay(80, 24, 4, players).places) == players
    assert len(plan_replay(80, 24, 8, players).places) == 2


@pytest.mark.parametrize(("size", "players"), list(product(SIZES, (3, 4))))
def test_at_40x20_there_is_one_board_and_a_line_for_each_other(size, players):
    stage = plan_replay(40, 20, size, players)
    assert (len(stage.places), stage.lines.height) == (1, players - 1)


@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 24), (120, 40)])
@pytest.mark.parametrize(("size", "players"), list(product(SIZES, PLAYERS)))
def test_every_tile_of_every_board_is_where_it_stands(columns, rows, size, players):
    timeline = busy_timeline(size, players)
    stage = plan_replay(columns, rows, size, players)
    painted = replay_canvas(show_of(timeline), columns, rows)
    assert stage.shape is not None
    boards = [seat.board for seat in timeline.at(2_345).seats if seat is not None]
    for place, board in zip(stage.places, boards, strict=False):
        assert board is not None
        rows_of = painted.lines[place.y + stage.caption_rows : place.bottom]
        shown = [cell[0] for line in rows_of for cell in line[place.x : place.right]]
        words = "".join(shown).replace("▄", " ").split()
        assert words == [face(exponent, stage.shape.width) for exponent in board.cells if exponent]


# ── every screen at every size ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", PLAYERS)
def test_any_moment_is_painted_on_a_screen_of_any_size(size, players):
    timeline = busy_timeline(size, players)
    for (columns, rows), depth in product(SCREENS, (Depth.TRUE, Depth.MONO)):
        for t_ms in (0, 2_345, timeline.end_ms):
            assert_sound(replay_canvas(show_of(timeline, t_ms), columns, rows, depth), columns, rows)


@pytest.mark.parametrize(
    "changes",
    [
        {"help": True},
        {"typed": "1:2"},
        {"amiss": "1:99"},
        {"reason": "seat 1, move 3, left: is not legal on the board 2 4 . / . . . / . . ."},
        {"reason": "x" * 300, "noted": True},
        {"title": "漢" * 90},
    ],
    ids=["help", "typed", "amiss", "false", "false and noted", "long title"],
)
def test_what_lies_over_a_screen_is_painted_on_a_screen_of_any_size(changes):
    for columns, rows in SCREENS:
        assert_sound(replay_canvas(show_of(TIMELINE, **changes), columns, rows), columns, rows)


@pytest.mark.parametrize("make", [stuck_race, resigned_race, forfeited_race, eventful_race, timed_race])
def test_every_way_to_end_is_painted(make):
    timeline = timeline_of(make())
    for (columns, rows), t_ms in product(SCREENS, (*timeline.beats[::7], timeline.end_ms)):
        assert_sound(replay_canvas(show_of(timeline, t_ms), columns, rows), columns, rows)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_a_cell_or_shifts_a_row(name):
    hostile = timeline_of(busy_race(4, 4, (name.encode()[:255].decode(errors="ignore"),) * 4))
    for columns, rows in SCREENS:
        for t_ms in (0, hostile.end_ms):
            assert_sound(replay_canvas(show_of(hostile, t_ms, title=name, reason=name), columns, rows), columns, rows)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_screen_does_not_depend_on_names_being_made_harmless(name):
    timeline = timeline_of(busy_race(3, 2))
    for course in timeline.courses:
        object.__setattr__(course.player, "name", SafeText(name))
    for columns, rows in SCREENS:
        assert_sound(replay_canvas(show_of(timeline), columns, rows), columns, rows)


def test_a_race_that_nothing_ends_says_so_at_its_last_move():
    race = MadeRace(ENDLESS)
    race.racers[0].play(3)
    race.close()
    unfinished = timeline_of(race, outcome=Outcome(Termination.ALONE, (0,), 300))
    assert "Nothing in the record ends this race." in replay_screen(show_of(unfinished, 300))


def test_a_record_with_one_player_is_painted():
    race = stuck_race()
    timeline = timeline_of(race, logs=[race.racers[0].seat_log()])
    for columns, rows in SCREENS:
        assert_sound(replay_canvas(show_of(timeline, 1_000), columns, rows), columns, rows)


# ── what stands on them ──────────────────────────────────────────────────────────────────────────────────────────


def test_each_player_has_name_score_moves_and_number():
    shown = replay_screen(show_of(TIMELINE))
    for seat in TIMELINE.at(2_345).seats:
        assert seat is not None
        for words in (f" {seat.seat + 1} ", seat.name, f"{seat.score:,}", f"{seat.moves} moves"):
            assert words in shown
    assert "owl computer" in shown


def test_the_chosen_player_is_marked_and_shown_where_one_board_fits():
    for seat, name in enumerate(("fox", "owl", "hare", "carp")):
        assert f"›{name}" in replay_screen(show_of(TIMELINE, seat=seat))
        first = replay_screen(show_of(TIMELINE, seat=seat), 40, 20).splitlines()[1]
        assert name in first


def test_the_leaders_score_is_highlighted_and_at_the_end_the_winners():
    primary = CLASSIC[Depth.TRUE].primary
    leader, outcome = TIMELINE.leader_at(2_345), TIMELINE.outcome
    assert leader is not None
    assert outcome is not None
    for t_ms, seat in ((2_345, leader), (TIMELINE.end_ms, outcome.winners[0])):
        score = TIMELINE.courses[seat].score_after(TIMELINE.moves_at(seat, t_ms))
        lit = [
            "".join(shown for shown, ink in line if ink is primary)
            for line in replay_canvas(show_of(TIMELINE, t_ms)).lines[:8]
        ]
        assert f"{score:,}" in "".join(lit)


def test_the_header_says_what_was_raced_for_which_file_and_how_fast():
    shown = replay_screen(show_of(TIMELINE, title="2026-11-30-482913.r2048", speed=4.0)).splitlines()[0]
    for words in ("race2048", "4×4, highest score in 0:05", "2026-11-30-482913.r2048", "paused ×4"):
        assert words in shown
    assert "paused" not in replay_screen(show_of(TIMELINE, paused=False)).splitlines()[0]
    assert "the end" in replay_screen(show_of(TIMELINE, 5_000)).splitlines()[0]


@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 24), (120, 40)])
def test_what_happened_is_told_at_its_time_and_the_end_at_the_end(columns, rows):
    timeline = timeline_of(eventful_race())
    assert "offers a draw" not in replay_screen(show_of(timeline, 1_499), columns, rows)
    assert "0:01  owl offers a draw." in replay_screen(show_of(timeline, 1_500), columns, rows)
    assert "0:02  fox refuses the draw." in replay_screen(show_of(timeline, 2_500), columns, rows)
    assert "0:40  owl resigns." in replay_screen(show_of(timeline, 40_500), columns, rows)
    assert "0:42  A draw, agreed by all" in replay_screen(show_of(timeline, 42_000), columns, rows)


def test_the_bar_shows_the_time_and_where_something_happened():
    timeline = timeline_of(eventful_race())
    stage = plan_replay(80, 24, 4, 3)
    bar = replay_screen(show_of(timeline, 21_000)).splitlines()[stage.bar]
    assert bar.split()[0] == "0:21"
    assert bar.split()[-1] == "0:42"
    assert "●" in bar
    assert bar.count("◆") >= 3
    start, end = (replay_screen(show_of(timeline, t_ms)).splitlines()[stage.bar] for t_ms in (0, 42_000))
    assert start.index("●") < bar.index("●") < end.index("●")


def test_the_chart_shows_who_led_in_each_column():
    race = MadeRace(ENDLESS)
    race.racers[0].play(10, step_ms=100)
    race.racers[1].play(20, step_ms=500)
    race.resign(0, 20_000)
    timeline = timeline_of(race)
    columns = 50
    leaders = leaders_by_column(timeline, columns)
    assert len(leaders) == columns
    middles = [timeline.leader_at((2 * column + 1) * timeline.end_ms // (2 * columns)) for column in range(columns)]
    assert sum(leader == middle for leader, middle in zip(leaders, middles, strict=True)) >= columns - 4
    assert {0, 1} <= set(leaders)


def test_shares_of_the_lead_stand_beside_the_chart():
    timeline = timeline_of(timed_race())
    led = [0, 0]
    for t_ms in range(timeline.end_ms):
        leader = timeline.leader_at(t_ms)
        if leader is not None:
            led[leader] += 1
    shown = replay_screen(show_of(timeline))
    for ms in led:
        assert f"{round(ms / 50)} %" in shown


@pytest.mark.parametrize("depth", Depth)
def test_players_have_colours_of_their_own_and_where_there_are_none_numbers(depth):
    palette = CLASSIC[depth]
    inks = [seat_ink(palette, seat) for seat in range(4)]
    if not palette.lines:
        assert len({ink.ground for ink in inks}) == 4
        assert palette.primary.ground not in {ink.ground for ink in inks}
    strip = plan_replay(40, 20, 4, 4).chart
    assert strip.height == 1
    row = text_of(replay_canvas(show_of(TIMELINE), 40, 20, depth))[strip.y]
    led = {leader for leader in leaders_by_column(TIMELINE, 24) if leader is not None}
    assert {str(leader + 1) for leader in led} & set(row)


def test_the_footer_names_the_keys_of_the_persons_keyboard():
    assert "Space go on" in replay_screen(show_of(TIMELINE))
    assert "Space pause" in replay_screen(show_of(TIMELINE, paused=False))
    assert "Space again" in replay_screen(show_of(TIMELINE, 5_000))
    assert " й  leave" in replay_screen(show_of(TIMELINE, keyboard="ukrainian"))
    assert " q  leave" in replay_screen(show_of(TIMELINE), 40, 20)


def test_what_is_typed_is_shown_and_what_was_wrong_with_it():
    assert "Go to a move or a time: 1:2_" in replay_screen(show_of(TIMELINE, typed="1:2"))
    assert "1:99? A move is 120, a time 1:23." in replay_screen(show_of(TIMELINE, amiss="1:99"))


@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 24), (120, 40)])
def test_a_false_record_says_so_all_the_time(columns, rows):
    show = show_of(TIMELINE, reason="seat 1: a lie")
    asked = replay_screen(show, columns, rows)
    assert "FALSE RECORD: seat 1: a lie" in asked
    assert "Space: look at it all the same" in asked
    noted = replay_screen(show_of(TIMELINE, reason="seat 1: a lie", noted=True), columns, rows)
    assert "FALSE RECORD: seat 1: a lie" in noted.splitlines()[1]


@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 24), (120, 40)])
def test_help_names_every_key_and_nothing_of_it_is_cut(columns, rows):
    shown = replay_screen(show_of(TIMELINE, help=True), columns, rows)
    for words in ("Space", "speed", "ten moves", "ten seconds", "next event", "start, end", "move 120", "next player"):
        assert words in shown
    assert "…" not in shown


@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 24), (120, 40)])
def test_what_is_told_takes_as_many_rows_as_it_needs(columns, rows):
    timeline = timeline_of(eventful_race())
    shown = " ".join(replay_screen(show_of(timeline, 42_000), columns, rows).split())
    assert "A draw, agreed by all who were in the race." in shown
    race = MadeRace(ENDLESS)
    race.gaps = [Gap(1_000, 601_001)]
    void = timeline_of(race, outcome=Outcome(Termination.VOID, (), 601_001))
    shown = " ".join(replay_screen(show_of(void, 601_001), columns, rows).split())
    assert "The race is void: the lobby could not see it to its end." in shown


def test_below_40x20_the_chosen_players_board_stands_alone():
    shown = replay_screen(show_of(TIMELINE, seat=2), 30, 12)
    assert shown.splitlines()[-1].startswith("0:02  hare")
    one_line = replay_screen(show_of(TIMELINE, seat=2), 60, 5).splitlines()
    assert one_line[0].startswith("0:02  hare")
    assert set(one_line[1:]) <= {""}


def test_a_small_screen_says_that_a_record_is_false():
    assert "FALSE RECORD" in replay_screen(show_of(TIMELINE, reason="a lie"), 23, 5)
    assert "This record is false" in replay_screen(show_of(TIMELINE, reason="a lie"), 30, 12)
    assert "FALSE" in replay_screen(show_of(TIMELINE, reason="a lie", noted=True), 30, 12)


def test_what_runs_is_painted_as_of_now():
    replay = Replay(timeline=TIMELINE).toggled(1_000)
    show = show_of(TIMELINE)
    running = type(show)(replay=replay)
    assert replay_screen(running, now_ms=3_345).splitlines()[1:20] == replay_screen(show).splitlines()[1:20]
