"""client/tui/thinking.py: a turn is over in time, and no full pass of the collector walks through what it made."""

import gc

import pytest

from client.hinting import Thought
from client.solo import Choice
from client.solo_play import SoloPlay, Wanted
from client.solo_store import SoloStore
from client.training import training_opening
from client.tui import thinking
from client.tui.look import Look, Motion
from client.tui.solo_screen import SoloScreen
from client.tui.thinking import TURN_S, think_for_a_turn
from client.tui.train_screen import TrainScreen
from engine.board import SIZES
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.lines import Line
from engine.solo import SoloKind
from engine.solver import search
from protocol.solo import Origin
from tests.client.alone import legal, with_key

LOOK = Look(motion=Motion.OFF)


@pytest.fixture(autouse=True)
def _collector():
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.enable()
    gc.unfreeze()


@pytest.fixture
def walked():
    """What each full pass had to walk through."""
    passes: list[int] = []

    def note(phase, info):
        if phase == "start" and info["generation"] == 2:
            passes.append(sum(isinstance(each, Line) for each in gc.get_objects()))

    gc.callbacks.append(note)
    yield passes
    gc.callbacks.remove(note)


def lines_left():
    return sum(isinstance(each, Line) for each in gc.get_objects())


class Clock:
    """A clock that goes on by so much with every look."""

    def __init__(self, step_s):
        self.now_s, self.step_s = 50.0, step_s

    def monotonic(self):
        self.now_s += self.step_s
        return self.now_s


@pytest.mark.parametrize(("step_s", "calls"), [(TURN_S, 1), (TURN_S / 3.5, 4), (1.0, 1)])
def test_a_turn_is_over_with_the_first_slice_that_ends_after_its_time(monkeypatch, step_s, calls):
    monkeypatch.setattr(thinking, "time", Clock(step_s))
    made = []

    def think():
        made.append(1)
        return True

    assert think_for_a_turn(think)
    assert len(made) == calls


def test_a_turn_in_which_nothing_is_left_is_over_at_once(monkeypatch):
    monkeypatch.setattr(thinking, "time", Clock(0.0))
    left = [True, True, False, True]
    assert not think_for_a_turn(lambda: left.pop(0))
    assert left == [True]


@pytest.mark.parametrize("size", SIZES)
def test_a_slice_of_a_hint_is_a_few_nodes(size):
    """How long a key may wait: for one of these."""
    game = Game(size, SoloDeck(seed_of_text("slices")))
    for number in range(60):
        if number % 20 == 19:
            thought = Thought(game.board)
            done = False
            while not done:
                before = thought.search.nodes
                done = thought.go_on()
                assert thought.search.nodes - before <= (4 if before else 8)
        best = search(game.board, 0).best
        if best is None:
            break
        game.move(best)


def test_there_is_no_full_pass_while_something_is_thought_whatever_it_makes(walked):
    gc.set_threshold(1, 1, 1)
    kept: list[list[int]] = []

    before: list[int] = []

    def think():
        before.append(len(walked))
        kept.extend([] for _ in range(10_000))
        before.append(len(walked))
        return False

    think_for_a_turn(think)
    assert before[0] == before[1]
    assert gc.isenabled()


def test_what_was_made_is_walked_through_no_more_and_what_nobody_needs_is_gone():
    class Loop:
        def __init__(self):
            self.self = self

    kept = []

    def think():
        Loop()
        kept.append(Loop())
        return False

    assert think_for_a_turn(think) is False
    assert not [each for each in gc.get_objects() if isinstance(each, Loop)]
    gc.unfreeze()
    assert [each for each in gc.get_objects() if isinstance(each, Loop)] == kept


def test_a_collector_that_is_off_stays_off_and_errors_come_through():
    def fail() -> bool:
        raise ZeroDivisionError

    gc.disable()
    with pytest.raises(ZeroDivisionError):
        think_for_a_turn(fail)
    assert not gc.isenabled()


def test_a_hint_on_8x8_leaves_none_of_its_lines_to_a_full_pass(tmp_path):
    with_key(tmp_path)
    big = Wanted(Choice(8, SoloKind.ENDLESS, 0), Origin.TEXT, "alone")
    screen = SoloScreen(SoloPlay(SoloStore(tmp_path), big), LOOK)
    screen.prepare()
    for _ in range(20):
        screen.press(legal(screen.play.game).name.lower())
    screen.press("i")
    screen.draw(80, 24)
    for _ in range(8):
        screen.draw(80, 24)
        assert lines_left() == 0
    screen.close()


def test_nor_does_the_coach(tmp_path):
    screen = TrainScreen(lambda: training_opening(8, "x", b""), LOOK)
    for _ in range(8):
        screen.draw(80, 24)
        assert lines_left() == 0
