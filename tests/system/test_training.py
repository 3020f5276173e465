"""Training and hints on a terminal: what a person sees, and that no key waits for the solver."""

import re

import pytest

from tests.system.terminals import Terminal

HELP = "Letters count by their place"


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text('motion = "off"\n')


@pytest.fixture
def terminal(tmp_path):
    made = []

    def start(*words, columns=80, rows=24):
        made.append(Terminal(words, tmp_path / "data", columns, rows))
        return made[-1]

    yield start
    for each in made:
        each.close()


def answered(screen):
    """Waits until all that was typed has been answered: keys are taken in order, and these two show themselves."""
    screen.press("?")
    screen.expect(HELP)
    screen.press("\r")
    screen.until(lambda: HELP not in screen.text, "the board")


def test_on_8x8_keys_are_answered_while_a_hint_is_thought_about_and_a_move_takes_it_back(terminal):
    """How soon is measured by `python -m bench hinted`."""
    screen = terminal("play", "--size", "8", "--kind", "endless", "--seed", "x")
    screen.expect("new game")
    for key in "asdw" * 15:
        screen.press(key)
        screen.read(0.02)
    answered(screen)
    for count in range(1, 9):
        screen.press("i")
        screen.expect(f"Hint {count}: ")
        screen.press("?")
        screen.expect(HELP)
        for key in "asdw":
            screen.press(key)
        answered(screen)
        screen.until(lambda: "Hint" not in screen.text, "no hint any more")


def test_a_hint_is_there_after_a_moment(terminal):
    screen = terminal("play", "--seed", "x")
    screen.expect("new game")
    screen.press("asdwi")
    screen.expect("Hint 1: up;", "Hint 1: down;", "Hint 1: left;", "Hint 1: right;")
    assert "1 hint" in screen.text
    screen.press("\x03")
    assert screen.end() == 0


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_a_move_is_judged_and_ctrl_c_leaves_the_terminal_as_it_was(terminal, columns, rows):
    screen = terminal("train", "--seed", "x", columns=columns, rows=rows)
    screen.expect("training")
    screen.press("a")
    screen.expect("the best move", "nearly as good")
    screen.press("\x03")
    assert screen.end() == 0
    assert screen.written.rfind(b"\x1b[?1049l") > screen.written.rfind(b"\x1b[?1049h")


def test_the_computer_plays_explains_and_can_be_taken_over_from(terminal, tmp_path):
    screen = terminal("train", "--watch", "--seed", "x")
    screen.expect("computer, 2 s")
    screen.press("+++")
    screen.expect("computer, 0.25 s")
    said = re.compile(r"(Up|Down|Left|Right): (it|no|most|every)")
    screen.until(lambda: said.search(screen.text) is not None, "a reason")
    screen.press("c")
    screen.expect("you play")
    screen.press("asdw")
    screen.expect("the best move", "nearly as good", "clearly worse")
    screen.press("\x03")
    assert screen.end() == 0
    assert not (tmp_path / "data" / "solo").exists()


def test_the_home_screen_leads_to_it(terminal):
    screen = terminal()
    screen.expect("settings")
    screen.press("t")
    screen.expect("Training changes no bests.")
