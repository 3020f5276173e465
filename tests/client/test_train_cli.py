"""`race2048 train`, from outside, and with --plain."""

import io
import sys

import pytest

from client import cli
from client.cli import exits
from client.cli.deck_text import checked_text
from tests.client.alone import with_key


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    return with_key(tmp_path)


@pytest.fixture
def trains(capsys, monkeypatch):
    """Returns a function that trains in lines and returns what was said."""

    def train(lines, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
        assert cli.main(["train", "--plain", "--seed", "abc", *words]) == 0
        return capsys.readouterr().out

    return train


def test_without_a_terminal_there_is_code_2_and_what_to_do(capsys):
    assert cli.main(["train"]) == exits.USAGE
    assert "--plain" in capsys.readouterr().err


def test_a_move_is_shown_judged_and_saved_nowhere(trains, data):
    said = trains(["left", "down", "sideways", "quit", "left"])
    assert "Training changes no bests." in said
    assert "move 2." in said
    assert "move 3." not in said
    assert any(f"Down: {words}" in said for words in ("the best move", "nearly as good"))
    assert said.count("Words: ") == 2
    assert not (data / "solo").exists()


def test_a_clearly_worse_move_is_told_and_practised_from(trains):
    careless = ["left", "up", "right", "down", "down"] * 12
    said = trains([*careless, "review", "practise 1", "board"])
    assert "was clearly worse than" in said
    assert "cells less room" in said
    assert "1. move " in said
    place = said.index("1. move ") + len("1. move ")
    move = said[place : said.index(":", place)]
    assert f"Practice from move {move}." in said
    assert f"move {int(move) - 1}." in said[said.index("Practice from") :]


def test_the_pace_is_told_now_and_then(trains):
    said = trains(["left", "up", "right", "down"] * 10)
    assert "128 at about move 69; you are" in said
    assert said.count("at about move") == 1


def test_an_empty_line_is_the_computers_next_move(trains):
    said = trains(["", "", "next 10"], "--watch", "--size", "3")
    assert "An empty line is the computer's next move." in said
    assert said.count(": ") >= 12
    assert "move 12." in said


def test_without_watch_an_empty_line_is_nothing_and_next_is_a_move_of_the_computer(trains):
    said = trains(["", "next", "left", "up"])
    assert "An empty line" not in said
    assert "move 3." in said


def test_a_hint_is_asked_for_and_a_move_taken_back(trains):
    said = trains(["hint", "undo", "left", "undo", "undo", "review", "practise 1"])
    assert "Hint 1: " in said
    assert said.count("nothing to take back") == 2
    assert said.count("No move of yours was clearly worse.") == 2


def test_the_end_is_told_with_the_costliest_moves_and_then_a_new_game_begins(trains):
    said = trains(["next 10000", "left", "hint", "next", "new", "board"], "--size", "3")
    assert said.count("No move is left: ") == 4
    assert said.count("Training changes no bests.") == 2


def test_that_nothing_moves_is_said(trains):
    assert "Nothing moves that way." in trains(["left", "left", "left", "left", "left"] * 3)


@pytest.mark.parametrize("text", ["", "two\nlines", "x" * 256, "\udcff"])
def test_a_text_that_no_deck_can_be_dealt_from_is_refused(text):
    with pytest.raises(exits.Failure, match="one line"):
        checked_text(text)
