"""`play`, and what `verify`, `replay` and `stats` say of games alone, from outside."""

import hashlib
import io
import itertools
import json
import re
import sys
import time

import pytest

from client.cli import exits
from client.cli.ghosts import read_ghosts
from client.solo_timeline import SoloTimeline
from engine.deck import daily_text, seed_of_text
from engine.race import SeatState
from engine.solo import Act
from protocol.signing import Signer
from protocol.solo import Origin, parse_solo
from tests.client.alone import ENDLESS, SMALL, Played, with_key
from tests.client.replays_of import HOSTILE
from tests.protocol.races import target_race


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    texts = map(str, itertools.count())  # chance would deal boards now and then on which the first words move nothing
    monkeypatch.setattr("client.solo_play.chance_deck", lambda: seed_of_text(next(texts)))
    return with_key(tmp_path)


@pytest.fixture
def plays(run, monkeypatch):
    """Returns a function that plays in lines."""

    def play(lines, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
        return run("play", "--plain", *words)

    return play


@pytest.fixture
def save(tmp_path):
    """Returns a function that writes a record to a file."""

    def write(content, name="game.r2048"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def slot(data, name="game"):
    return parse_solo((data / "solo" / f"{name}.r2048").read_bytes())


# ── play ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_terminal_there_is_code_2_and_what_to_do(run):
    code, _, err = run("play")
    assert code == exits.USAGE
    assert "--plain" in err


def test_in_lines_moves_are_made_and_told(plays, data):
    code, out, _ = plays(["left", "up", "board", "quit"], "--seed", "x", "--size", 3)
    assert code == exits.DONE
    assert "3×3, to 256, deck “x”." in out
    assert "move 2" in out
    assert "Saved: race2048 play goes on with it." in out
    assert [act for act in slot(data).acts if act <= Act.LEFT] == [Act.LEFT, Act.UP]


def test_in_lines_a_move_is_taken_back_and_there_is_not_always_one(plays):
    _, out, _ = plays(["undo", "left", "undo"], "--seed", "x")
    assert "There is nothing to take back." in out
    assert out.count("0 points, move 0, 0:00.") == 2


def test_in_lines_a_hint_names_a_move_and_why(plays):
    _, out, _ = plays(["left", "hint", "hint"], "--seed", "x")
    assert re.search(r"^Hint 1: (up|down|left|right); .+\.$", out, re.MULTILINE)
    assert "Hint 2: " in out


def test_in_lines_there_is_no_hint_against_a_ghost_and_none_at_the_end(plays, save):
    path = save(Played(SMALL, 40).sealed())
    _, out, _ = plays(["hint"], "--ghost", path)
    assert "There is no hint in a race." in out
    _, out, _ = plays([*["left", "up", "right", "down"] * 150, "hint"], "--seed", "x", "--size", 3, "--target", 16)
    assert "Hint" not in out


def test_in_lines_a_word_that_means_nothing_gets_the_words(plays):
    _, out, _ = plays(["dance", ""], "--seed", "x")
    assert out.count("Words: up, down") == 2


def test_in_lines_a_new_game_is_asked_about_once(plays, data):
    _, out, _ = plays(["left", "up", "new", "no", "left", "new", "yes", "quit"], "--seed", "x")
    assert out.count("Give it up") == 2
    assert slot_is_gone(data)
    assert len(list((data / "solo" / "games").iterdir())) == 1


def slot_is_gone(data):
    return not list((data / "solo").glob("*.r2048"))


def test_in_lines_a_game_is_played_to_its_end(plays):
    words = ["left", "up", "right", "down"] * 150
    _, out, _ = plays(words, "--seed", "x", "--size", 3, "--target", 16)
    assert out.count("You have made 16 at move") == 1
    assert "Won, with 16, and over" in out
    assert "The record: " in out


def test_in_lines_a_ghost_is_told_of(plays, save):
    path = save(Played(SMALL, 40).sealed())
    _, out, _ = plays(["left", "undo", "up"], "--ghost", path)
    assert "ghost race" in out
    assert "fox 0" in out
    assert "There is no undo in a race." in out


def test_another_size_asks_about_the_unfinished_game(plays, data):
    plays(["left", "up"], "--size", 4)
    _, out, _ = plays(["left"], "--size", 3)
    assert "There is an unfinished game: 4×4, to 2048" in out
    assert slot(data).opening.size == 4


def test_the_last_choice_is_what_comes_next(plays, data):
    plays(["left", "right"], "--size", 3, "--kind", "endless")
    _, out, _ = plays(["yes", "left"], "--new")
    assert out.count("3×3, endless.") == 2


def test_the_daily_deck_is_made_from_the_date_and_the_size_alone(plays, data):
    before = time.strftime("%Y-%m-%d", time.gmtime())
    plays(["left", "up"], "--daily", "--size", 4)
    after = time.strftime("%Y-%m-%d", time.gmtime())
    opening = slot(data, "daily").opening
    assert opening.text in {daily_text(date, 4) for date in (before, after)}
    assert (opening.deck, opening.origin) == (seed_of_text(opening.text), Origin.DAILY)


def test_the_name_stands_in_the_record(plays, data):
    plays(["left", "up"], "--name", "Їжак")
    assert slot(data).opening.name == "Їжак"


@pytest.mark.parametrize(
    "words",
    [
        ("--size", "7"),
        ("--target", "100"),
        ("--target", "4"),
        ("--target", "2048", "--size", "3"),
        ("--target", "-8"),
        ("--target", "64", "--kind", "endless"),
        ("--seed", ""),
        ("--seed", "x" * 256),
        ("--seed", "a\nb"),
        ("--seed", "\udcff"),
        ("--seed", "x", "--daily"),
        ("--ghost", "x", "--size", "4"),
        ("--name", "x" * 300),
        ("--name", "\x1b[2J"),
    ],
)
def test_what_makes_no_sense_gets_code_2_and_touches_nothing(plays, data, words):
    code, _, err = plays(["left"], *words)
    assert code == exits.USAGE
    assert err
    assert not (data / "solo").exists() or slot_is_gone(data)


# ── ghosts ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def race(save):
    return save(target_race().record(), "race.r2048")


def test_the_winner_of_a_race_is_its_ghost_unless_another_is_named(race):
    names = [read_ghosts([f"{race}{named}"])[1][0].name for named in ("", ":1", ":2")]
    assert names[0] == names[1] != names[2]
    assert read_ghosts([f"{race}#{names[2].upper()}"])[1][0].name == names[2]


def test_up_to_three_ghosts_of_one_deck_race_together(race):
    _, ghosts = read_ghosts([str(race), f"{race}:2", f"{race}:1"])
    assert len(ghosts) == 3


def test_each_ghost_that_is_named_races_once(race, plays):
    code, out, _ = plays(["quit"], "--ghost", race, "--ghost", f"{race}:2", "--ghost", f"{race}:1")
    assert code == exits.DONE
    assert [line.split()[-1] for line in out.splitlines()].count("0") == 3


def test_best_is_ones_own_game_with_the_soonest_target_of_what_was_played_last(data, plays):
    code, _, err = plays([], "--ghost", "best")
    assert (code, "Play one first" in err) == (exits.NO, True)
    plays(["quit"], "--size", 3, "--target", 16)
    games = data / "solo" / "games"
    slow, fast, other = Played(SMALL, 60), Played(SMALL, 60, "b"), Played(ENDLESS)
    for name, game in {"slow": slow, "fast": fast, "other": other}.items():
        (games / f"{name}.r2048").write_bytes(game.sealed())
    made = {name: game.game.solo.made.t_ms for name, game in {"slow": slow, "fast": fast}.items()}  # type: ignore[union-attr]
    assert read_ghosts(["best"])[1][0].made_ms == min(made.values())


@pytest.mark.parametrize("named", [":3", ":0", "#nobody"])
def test_a_seat_that_is_not_there_gets_the_names_of_those_that_are(race, plays, named):
    code, _, err = plays([], "--ghost", f"{race}{named}")
    assert code == exits.USAGE
    assert "Say which of 1 " in err


def test_ghosts_of_two_decks_or_too_many_do_not_race(race, save, plays):
    other = save(Played(SMALL, 5).sealed())
    assert plays([], "--ghost", race, "--ghost", other)[0] == exits.USAGE
    assert plays([], *["--ghost", race] * 4)[0] == exits.USAGE
    assert plays([], "--ghost", f"{other}:2")[0] == exits.USAGE


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"rubbish", exits.DAMAGED),
        (b"solo2048\x09", exits.DAMAGED),
        (Played(SMALL, 5).data[:-1], exits.DAMAGED),
        (Played(SMALL, 5).data + b"\5\0" * 9, exits.NO),
        (target_race().record()[:-90], exits.DAMAGED),
    ],
)
def test_a_file_that_is_no_true_record_is_no_ghost(save, plays, content, code):
    found, _, err = plays([], "--ghost", save(content))
    assert found == code
    assert "game.r2048" in err


def test_a_file_that_is_not_there_is_said_so(plays, tmp_path):
    assert plays([], "--ghost", tmp_path / "none.r2048:2")[0] == exits.DAMAGED


# ── verify ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_true_game_is_said_to_be_true_and_on_whose_word_what_rests(run, save):
    played = Played(SMALL, 30)
    played.do(Act.UNDO)
    code, out, _ = run("verify", save(played.sealed()))
    assert code == exits.DONE
    assert ": true." in out
    assert "A game alone: 3×3, to 16, deck “alone”." in out
    assert "fox: 29 moves replayed" in out
    assert ", 1 undo" in out
    assert "On the player's word alone" in out
    assert "not signed" not in out


def test_an_unsigned_end_is_said(run, save):
    assert "the last 7 acts are not signed" in run("verify", save(Played(SMALL, 7).data))[1]


@pytest.mark.parametrize(
    ("content", "code", "fault"),
    [
        (Played(SMALL, 5).data[:-1], exits.DAMAGED, "layout"),
        (b"solo2048\x09", exits.DAMAGED, "version"),
        (Played(SMALL, 5).data + b"\5\0" * 9, exits.NO, "act"),
        (Played(SMALL, 5).sealed(Signer(bytes(32))), exits.NO, "seal"),
    ],
)
def test_a_game_that_is_not_true_has_its_code_and_its_fault(run, save, content, code, fault):
    path = save(content)
    found, _, err = run("verify", path)
    assert found == code
    assert str(path) in err
    assert json.loads(run("verify", "--json", path)[1])["fault"] == fault
    assert run("verify", "-q", path) == (code, "", "")


def test_a_verdict_in_json_has_the_figures(run, save, race):
    played = Played(SMALL, 30)
    lines = run("verify", "--json", save(played.sealed()), race)[1].splitlines()
    told = json.loads(lines[0])
    assert told["ok"] is True
    assert told["solo"]["score"] == played.game.solo.game.score
    assert told["solo"]["unsigned"] == 0
    assert "solo" not in json.loads(lines[1])


@pytest.mark.parametrize("name", [name for name in HOSTILE if "x" * 99 not in name and "\u0301" * 9 not in name])
def test_no_name_and_no_text_reaches_the_terminal_as_more_than_text(run, save, name):
    played = Played(SMALL, 3, text=name or "x", name=name)
    path = save(played.sealed())
    for words in (("verify",), ("replay", "--plain"), ("replay", "--export", "txt")):
        out = run(*words, path)[1]
        assert all(character.isprintable() or character == "\n" for character in out)


# ── replay ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def undone():
    """A game with an undo in it, played to its end."""
    played = Played(ENDLESS, 20)
    played.do(Act.UNDO)
    while not played.game.solo.game.stuck:
        played.push()
    return played


def test_a_replay_in_json_is_the_game_step_by_step(run, save, undone):
    told = json.loads(run("replay", "--export", "json", save(undone.sealed()))[1])
    assert (told["form"], told["ok"], told["sha256"]) == (
        "race2048-solo", True, hashlib.sha256(undone.sealed()).hexdigest()
    )  # fmt: skip
    assert told["game"]["score"] == told["log"][-1]["score"] == undone.game.solo.game.score
    assert told["log"][20] == {"t_ms": 2_000, "act": "undo", "moves": 19, "score": told["log"][18]["score"]}
    board = [list(row) for row in told["start"]]
    assert sum(map(sum, told["board"])) == sum(map(sum, undone.game.solo.game.board.faces()))
    assert sum(map(sum, board)) in (4, 6, 8)


def test_a_replay_as_text_has_every_step_and_how_it_ended(run, save, undone):
    out = run("replay", "--export", "txt", save(undone.sealed()))[1]
    assert "undo: back to move 19" in out
    assert "No move is left, with" in out
    assert out.count(", move ") == undone.game.solo.game.moves + 1


def test_a_replay_in_lines_tells_undos_and_from_a_place_on_the_board_there(run, save, undone):
    path = save(undone.sealed())
    assert "fox takes a move back" in run("replay", "--plain", path)[1]
    out = run("replay", "--plain", "--at", "10", path)[1]
    assert "At 0:00:" in out
    assert run("replay", "--plain", "--player", "fox", path)[0] == exits.USAGE


def test_a_replay_as_a_film_is_an_asciicast(run, save, undone):
    lines = run("replay", "--export", "cast", "--speed", 64, save(undone.sealed()))[1].splitlines()
    assert json.loads(lines[0])["version"] in (2, 3)
    assert len(lines) > 3


def test_a_false_game_is_shown_with_a_warning_and_code_1(run, save):
    code, _, err = run("replay", "--plain", save(Played(SMALL, 5).data + b"\5\0" * 9))
    assert code == exits.NO
    assert "FALSE" in err


def test_a_damaged_game_is_not_shown(run, save):
    code, _, err = run("replay", "--plain", save(Played(SMALL, 5).data[:-1]))
    assert code == exits.DAMAGED
    assert "damaged" in err


def test_a_timeline_shows_the_board_of_every_moment(undone):
    timeline = SoloTimeline(parse_solo(undone.data))
    (seat,) = timeline.at(timeline.end_ms).seats
    assert seat is not None
    assert (seat.board, seat.state) == (undone.game.solo.game.board, SeatState.STUCK)
    (before,) = timeline.at(1_900).seats
    (after,) = timeline.at(2_000).seats
    assert before is not None
    assert after is not None
    assert (before.moves, after.moves) == (20, 19)
    assert timeline.board_after(21) == timeline.board_after(19)
    assert timeline.undos_after(timeline.steps) == 1
    assert timeline.time_before(0, 150) == timeline.time_of(0, 2)
    assert timeline.leader_at(0) is None
    assert timeline.beat_after(timeline.end_ms) is None


# ── stats ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_stats_tell_the_best_of_games_alone_with_and_without_undo(run, plays):
    plays(["left", "up", "right", "down"] * 20 + ["undo", "left", "up", "right", "down"], "--size", 3)
    out = run("stats")[1]
    assert "Alone" in out
    assert "3×3, to 256: 1 game" in out
    (told,) = json.loads(run("stats", "--json")[1])["alone"]
    assert told["with_undo"]["score"] >= told["without_undo"]["score"] > 0
    assert told["with_undo"]["moves"] is None


def test_bests_of_chosen_decks_are_apart(run, plays):
    plays(["left", "up", "right", "down"] * 5, "--size", 3)
    plays(["yes", *["left", "up", "right", "down"] * 5], "--size", 3, "--seed", "x")
    told = json.loads(run("stats", "--json")[1])["alone"]
    assert [each["deck"] for each in told] == ["chance", "text"]
    assert "chosen decks" in run("stats")[1]
