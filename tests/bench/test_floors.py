"""What `./dev bench` makes of a table: a ratio below its floor, or one that is not there, is no success."""

import sys

import pytest

from bench import ratios, whole
from bench.floors import FLOORS, Floor

FLOOR = Floor(4, 2.0, "for the test")


def ratio(name, *rounds):
    return ratios.Ratio(name, "ms", (1.0,), "the peer", (2.0,), rounds)


@pytest.fixture
def floors(monkeypatch):
    monkeypatch.setattr(ratios, "FLOORS", {"speed": {"run": FLOOR}})


def test_a_ratio_at_its_floor_is_success(floors, capsys):
    assert ratios.concluded("speed", [ratio("run", 1.0, 2.0, 9.0)]) == 0
    assert ratios.BELOW not in capsys.readouterr().out


def test_a_ratio_below_its_floor_ends_with_1_and_is_named(floors, capsys):
    assert ratios.concluded("speed", [ratio("run", 1.0, 1.99, 9.0)]) == 1
    assert "speed: BELOW ITS FLOOR: run: 1.99 × the peer, floor 2" in capsys.readouterr().out


def test_a_ratio_that_is_not_there_ends_with_1_and_is_named(floors, capsys):
    assert ratios.concluded("speed", [ratio("walk", 9.0)]) == 1
    assert "speed: NOT MEASURED: run" in capsys.readouterr().out


def test_a_ratio_without_rounds_is_not_measured(floors):
    assert ratios.faults([ratio("run")], {"run": FLOOR}) == ["NOT MEASURED: run"]


def test_a_ratio_that_is_no_number_is_below_its_floor(floors):
    assert ratios.concluded("speed", [ratio("run", float("nan"))]) == 1


def test_of_times_the_smaller_one_is_the_better():
    assert ratios.of_times("run", "ms", [2.0, 4.0], "the peer", [6.0, 2.0]).rounds == [3.0, 0.5]


def test_of_rates_the_larger_one_is_the_better():
    assert ratios.of_rates("run", "moves/s", [6.0, 2.0], "the peer", [2.0, 4.0]).rounds == [3.0, 0.5]


def test_no_floor_is_above_its_goal_and_each_says_why():
    floors = [floor for bench in FLOORS.values() for floor in bench.values()]
    assert all(0 < floor.least <= floor.goal and floor.why for floor in floors)


# ── all together ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def parts(monkeypatch):
    """Makes the parts of the whole short programs, by name."""

    def use(**programs):
        monkeypatch.setattr(whole, "PARTS", tuple(programs))
        real = whole.faults_of
        run = [sys.executable, "-c"]
        monkeypatch.setattr(whole, "faults_of", lambda part, _, most_s: real(part, [*run, programs[part]], most_s))

    return use


def test_the_whole_is_success_if_all_parts_are(parts, capsys):
    parts(engine="print('a table')", screen="print('another')")
    assert whole.run(quick=True) == 0
    told = capsys.readouterr().out
    assert "a table" in told
    assert "another" in told
    assert "nothing is below its floor" in told


def test_the_whole_names_what_is_below_its_floor_after_all_parts_have_run(parts, capsys):
    parts(engine="print('engine: BELOW ITS FLOOR: 4×4'); exit(1)", screen="print('the last table')")
    assert whole.run(quick=True) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "engine: BELOW ITS FLOOR: 4×4"


def test_a_part_that_ends_without_a_word_is_not_taken_for_success(parts, capsys):
    parts(lobby="exit(3)")
    assert whole.run(quick=True) == 1
    assert "lobby: NOT MEASURED: it ended with 3" in capsys.readouterr().out


def test_a_part_that_does_not_end_is_ended_and_not_taken_for_success(parts, monkeypatch, capsys):
    monkeypatch.setattr(whole, "PATIENCE_QUICK_S", 1.0)
    parts(lobby="import time; time.sleep(600)")
    assert whole.run(quick=True) == 1
    assert "lobby: NOT MEASURED: it took longer than 1 s" in capsys.readouterr().out


def test_every_part_has_floors():
    assert set(whole.PARTS) == set(FLOORS)
