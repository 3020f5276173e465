"""A replay's position, speed and steps, and what its keys do: pure, with the time handed in."""

import random

import pytest

from client.replay import SPEEDS, Replay, Spot, parse_spot
from client.tui.replay_keys import KEYS, Do, Show, meaning_of, press_replay
from tests.protocol.races import ENDLESS, MadeRace, timed_race

from .replays_of import busy_timeline, eventful_race, show_of, timeline_of

TIMELINE = busy_timeline()


def paused(t_ms=0, **changes):
    return Replay(timeline=TIMELINE, from_ms=t_ms, **changes)


def pressed(show, *keys, now_ms=0):
    for key in keys:
        show = press_replay(show, key, now_ms)
    return show


def at(show, now_ms=0):
    return show.replay.t_ms(now_ms)


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("speed", SPEEDS)
def test_time_passes_at_the_speed_and_stops_at_the_end(speed):
    replay = paused(1_000, speed=speed).toggled(50)
    assert replay.t_ms(50) == 1_000
    assert replay.t_ms(54) == 1_000 + int(4 * speed)
    assert replay.t_ms(10_000_000) == TIMELINE.end_ms
    assert replay.is_over(10_000_000)


def test_what_is_paused_stands_still():
    assert paused(1_234).t_ms(99_999) == 1_234
    assert paused(1_234).wait_ms(5) is None


def test_a_clock_that_steps_back_does_not_turn_the_race_back():
    assert paused(1_000).toggled(500).t_ms(400) == 1_000


def test_pausing_keeps_the_moment_and_going_on_takes_it_up():
    replay = paused().toggled(0).toggled(700)
    assert (replay.paused, replay.t_ms(5_000)) == (True, 700)
    assert replay.toggled(5_000).t_ms(5_100) == 800


def test_at_the_end_it_begins_again():
    replay = paused().toggled(0).toggled(60_000)
    assert (replay.paused, replay.t_ms(60_000), replay.t_ms(60_010)) == (False, 0, 10)


def test_another_speed_counts_from_now_on():
    replay = paused().toggled(0).faster(1_000).faster(1_500)
    assert replay.speed == 4.0
    assert replay.t_ms(1_600) == 1_000 + 2 * 500 + 4 * 100


def test_speeds_end_at_a_quarter_and_at_64():
    slow = fast = paused()
    for _ in range(20):
        slow, fast = slow.faster(0, -1), fast.faster(0)
    assert (slow.speed, fast.speed) == (0.25, 64.0)
    assert paused(speed=3.0).faster(0).speed == 4.0
    assert paused(speed=3.0).faster(0, -1).speed == 2.0


def test_the_next_picture_is_due_at_the_next_move_or_second():
    replay = Replay(timeline=timeline_of(timed_race()), from_ms=0).toggled(0)
    assert replay.wait_ms(0) == 230
    assert replay.sought(4_990, 0).wait_ms(0) == 10
    assert replay.sought(700, 0).wait_ms(0) == 80  # three moves of 260
    assert replay.sought(5_000, 0).wait_ms(0) is None
    assert Replay(timeline=replay.timeline, speed=4.0, paused=False).wait_ms(0) == 58


@pytest.mark.parametrize("speed", [0.25, 1.0, 3.7, 64.0])
def test_when_a_picture_is_due_it_is_another_one(speed):
    replay, now_ms = paused(speed=speed).toggled(0), 0
    seen = [replay.t_ms(0)]
    while (wait_ms := replay.wait_ms(now_ms)) is not None:
        assert wait_ms >= 1
        now_ms += wait_ms
        seen.append(replay.t_ms(now_ms))
    assert seen[-1] == TIMELINE.end_ms
    assert seen == sorted(set(seen))
    if speed <= 1:
        passed = {beat for beat in TIMELINE.beats if beat > 0}
        assert all(any(t_ms >= beat and t_ms - beat <= 1 for t_ms in seen) for beat in passed)


# ── going somewhere ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seat", range(4))
def test_stepping_visits_every_move_of_the_chosen_player(seat):
    replay, seen = paused(seat=seat), []
    for _ in range(TIMELINE.counted(seat)):
        replay = replay.stepped(1, 0)
        seen.append(replay.t_ms(0))
    assert seen == TIMELINE.courses[seat].times[: TIMELINE.counted(seat)]
    assert replay.stepped(1, 0).t_ms(0) == TIMELINE.end_ms
    back = [replay.t_ms(0)]
    while back[-1]:
        replay = replay.stepped(-1, 0)
        back.append(replay.t_ms(0))
    assert back == [*reversed(seen), 0]


def test_moves_of_one_millisecond_do_not_hold_a_step_back_up():
    race = MadeRace(ENDLESS)
    for t_ms in (100, 100, 100, 200, 200):
        race.racers[0].move(t_ms)
    race.resign(1, 900)
    replay = Replay(timeline=timeline_of(race), from_ms=900)
    seen = []
    for _ in range(4):
        replay = replay.stepped(-1, 0)
        seen.append(replay.t_ms(0))
    assert seen == [200, 100, 0, 0]


def test_a_step_stops_what_runs():
    assert paused(speed=2.0).toggled(0).stepped(1, 400).paused


def test_between_two_moves_a_step_back_takes_the_last_one_back():
    times = TIMELINE.courses[0].times
    assert paused(times[4] + 5).stepped(-1, 0).t_ms(0) == times[3]


def test_ten_moves_at_once():
    times = TIMELINE.courses[2].times
    replay = paused(seat=2).stepped(10, 0)
    assert replay.t_ms(0) == times[9]
    assert replay.stepped(-10, 0).t_ms(0) == 0
    assert replay.stepped(10_000, 0).t_ms(0) == TIMELINE.end_ms


def test_a_seek_lands_where_playing_would_have_come():
    played = paused().toggled(0)
    for t_ms in random.Random(2).sample(range(TIMELINE.end_ms), 60):
        sought = paused(4_999).sought(t_ms, 0)
        assert TIMELINE.at(sought.t_ms(0)) == TIMELINE.at(played.t_ms(t_ms))


def test_a_seek_stays_within_the_race():
    assert paused().sought(-5, 0).t_ms(0) == 0
    assert paused().skipped(99_999, 0).t_ms(0) == TIMELINE.end_ms
    assert paused(300).skipped(-1_000, 0).t_ms(0) == 0


def test_a_seek_leaves_running_what_runs():
    replay = paused().toggled(0).sought(1_000, 77)
    assert replay.t_ms(87) == 1_010


def test_happenings_are_gone_to_one_after_the_other():
    timeline = timeline_of(eventful_race())
    replay, seen = Replay(timeline=timeline), []
    while not replay.is_over(0):
        replay = replay.to_happening(1, 0)
        seen.append(replay.t_ms(0))
    assert seen == [1_500, 2_000, 3_000, 33_000, 40_000, 41_000, 42_000]
    back = []
    while replay.t_ms(0):
        replay = replay.to_happening(-1, 0)
        back.append(replay.t_ms(0))
    assert back == [*reversed(seen[:-1]), 0]


@pytest.mark.parametrize(
    ("text", "spot"),
    [
        ("120", Spot(move=120)),
        (" 0 ", Spot(move=0)),
        ("1:23", Spot(t_ms=83_000)),
        ("0:00.5", Spot(t_ms=500)),
        ("1:02:03.456", Spot(t_ms=3_723_456)),
        ("90:00", Spot(t_ms=5_400_000)),
        ("٣:٠٥", Spot(t_ms=185_000)),
    ],
)
def test_a_place_is_a_move_or_a_time(text, spot):
    assert parse_spot(text) == spot


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "1:99", "1:2:3", "1:", ":30", "1.5", "1:23:", "1:23.4567", "9" * 40, "²"]
)
def test_anything_else_is_no_place(text):
    assert parse_spot(text) is None


def test_a_move_behind_the_last_is_the_last():
    replay = paused(seat=1).at_spot(Spot(move=9_999), 0)
    assert replay.t_ms(0) == TIMELINE.courses[1].times[TIMELINE.counted(1) - 1]
    assert replay.paused
    assert paused(500).at_spot(Spot(move=0), 0).t_ms(0) == 0


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_key_stands_twice():
    keys = [key for key, _ in KEYS]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("do", [do for do in Do if do is not Do.LEAVE])
def test_everything_has_a_key_and_leaves_the_replay_whole(do):
    key = next(key for key, meant in KEYS if meant is do)
    show = pressed(show_of(TIMELINE), key)
    assert not show.left
    assert 0 <= at(show) <= TIMELINE.end_ms


def test_arrows_and_brackets_step():
    times = TIMELINE.courses[0].times
    assert at(pressed(show_of(TIMELINE, 0), "right", "right")) == times[1]
    assert at(pressed(show_of(TIMELINE, 0), "shift-right")) == times[9]
    assert at(pressed(show_of(TIMELINE, 0), "]", "[")) == 0
    assert at(pressed(show_of(TIMELINE, 0), "]", "left")) == times[8]


def test_time_keys_go_through_the_race():
    timeline = timeline_of(eventful_race())
    assert at(pressed(show_of(timeline, 0), "page-down", ".", ",")) == 10_000
    assert at(pressed(show_of(timeline, 15_000), "page-up")) == 5_000
    assert at(pressed(show_of(timeline, 0), "end")) == timeline.end_ms
    assert at(pressed(show_of(timeline, 900), "home")) == 0
    assert at(pressed(show_of(timeline, 0), "n", "n", "p")) == 1_500


def test_space_pauses_and_plus_is_faster():
    show = pressed(show_of(TIMELINE, 0), " ", "+", "+", "-")
    assert (show.replay.paused, show.replay.speed) == (False, 2.0)
    assert pressed(show, " ", now_ms=100).replay.t_ms(9_999) == 200


def test_tab_leads_round_the_players():
    show = show_of(TIMELINE)
    seats = []
    for _ in range(5):
        show = pressed(show, "tab")
        seats.append(show.replay.seat)
    assert seats == [1, 2, 3, 0, 1]
    assert pressed(show, "back-tab").replay.seat == 0


def test_a_move_is_typed():
    show = pressed(show_of(TIMELINE, 0), "2", "4")
    assert show.typed == "24"
    assert at(show) == 0
    show = pressed(show, "enter")
    assert (show.typed, at(show)) == (None, TIMELINE.courses[0].times[23])


def test_a_time_is_typed_and_corrected():
    show = pressed(show_of(TIMELINE, 0), "0", ":", "0", "9", "backspace", "3", ".", "5", "enter")
    assert at(show) == 3_500


def test_typing_ends_with_escape_or_its_last_character():
    assert pressed(show_of(TIMELINE, 700), "2", "escape").typed is None
    assert pressed(show_of(TIMELINE, 700), "2", "backspace").typed is None
    assert not pressed(show_of(TIMELINE, 700), "2", "escape").left


def test_what_is_typed_and_no_place_is_said_and_changes_nothing():
    show = pressed(show_of(TIMELINE, 700), "1", ":", "9", "9", "enter")
    assert (show.amiss, at(show)) == ("1:99", 700)
    assert pressed(show, "tab").amiss == ""


def test_while_typing_other_keys_do_nothing():
    show = pressed(show_of(TIMELINE, 700), "1", " ", "q", "x", "right", "tab")
    assert (show.typed, show.left, at(show), show.replay.paused) == ("1", False, 700, True)
    assert len(pressed(show, *("5" * 40)).typed or "") <= 12


def test_help_closes_again():
    show = pressed(show_of(TIMELINE), "?")
    assert show.help
    assert not pressed(show, "escape").help
    assert not pressed(show, "escape").left
    assert not pressed(show, "right").help


@pytest.mark.parametrize("key", ["q", "escape", "interrupt", "й", "Q"])
def test_leaving(key):
    assert pressed(show_of(TIMELINE), key).left


@pytest.mark.parametrize(
    ("key", "do"), [("т", Do.NEXT_HAPPENING), ("х", Do.TEN_BACK), ("ї", Do.TEN_ON), ("ю", Do.SKIP_ON)]
)
def test_keys_count_by_their_place_on_any_keyboard(key, do):
    assert meaning_of(key) is do


@pytest.mark.parametrize("key", ["", "f1", "delete", "é", "漢", "\x1b", "\u202e"])
def test_a_key_that_means_nothing_changes_nothing(key):
    show = show_of(TIMELINE)
    assert pressed(show, key).replay == show.replay


def test_digits_of_any_script_are_digits():
    assert pressed(show_of(TIMELINE), "٢").typed == "2"


def test_a_false_record_is_shown_only_to_who_has_taken_note():
    show = show_of(TIMELINE, 0, reason="seat 1: a lie")
    for key in ("right", "end", "tab", "?", "5", "+"):
        assert pressed(show, key) == show
    noted = pressed(show, " ")
    assert (noted.noted, noted.replay.paused) == (True, False)
    assert pressed(show, "q").left
    assert pressed(show, "interrupt").left
    assert at(pressed(noted, "end")) == TIMELINE.end_ms


def test_the_state_of_the_screen_is_a_value():
    assert show_of(TIMELINE) == Show(replay=paused(2_345))
