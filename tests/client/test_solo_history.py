"""`history` and `show` of games alone: listed among the races, shown with the board, and never believed untested."""

import json
import os
import re

import pytest

from client.archive import MEMORY_NAME, Archive, saved_games, saved_records
from client.cli import exits
from client.cli.home import records
from client.solo import Choice
from engine.solo import Act, SoloKind
from protocol.signing import Signer
from tests.client.alone import ENDLESS, SMALL, Played, with_key
from tests.client.replays_of import HOSTILE
from tests.protocol.races import target_race


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    monkeypatch.setenv("RACE2048_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "solo" / "games").mkdir(parents=True)
    (tmp_path / "races").mkdir()
    return with_key(tmp_path)


@pytest.fixture
def save(data):
    """Returns a function that saves a file below the data directory, each an hour after the one before."""
    saved = []

    def write(name, content):
        path = data / name
        path.write_bytes(content)
        saved.append(path)
        os.utime(path, (3_600 * len(saved),) * 2)
        return path

    return write


def won():
    played = Played(SMALL, 30)
    played.do(Act.UNDO)
    played.do(Act.ENDED)
    return played


def given_up():
    played = Played(ENDLESS, 5)
    played.do(Act.ENDED)
    return played


GAME = "solo/games/2026-11-30-3x3-16-text.r2048"


def test_games_alone_are_listed_among_the_races_by_their_dates(save, run):
    save("races/2026-11-29-482913.r2048", target_race().record())
    save(GAME, won().sealed())
    save("solo/games/2026-11-28-3x3-endless.r2048", given_up().sealed())
    code, out, err = run("history")
    assert code == exits.DONE
    assert "race2048 show 1" in err
    lines = out.splitlines()
    assert re.fullmatch(r"  1  2026-11-30  alone, 3×3, to 16, deck “alone”, 0:03  won  verified", lines[0])
    assert re.fullmatch(r"     you \d+ \(\d+\), 29 moves, 1 undo", lines[1])
    assert lines[2].startswith("  2  2026-11-29  482-913")
    assert re.fullmatch(r"  3  2026-11-28  alone, 3×3, endless, deck “alone”, 0:00  given up  verified", lines[4])


def test_a_game_that_is_not_over_is_listed_as_such_and_one_not_begun_is_not(save, run):
    save("solo/game.r2048", Played(SMALL, 8).data)
    save("solo/daily.r2048", Played(SMALL, 0).data)
    save("solo/ghost.r2048", b"")
    lines = run("history")[1].splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("  not over  verified")
    (entry,) = [json.loads(line) for line in run("history", "--json")[1].splitlines()]
    assert (entry["solo"]["over"], entry["solo"]["unsigned"]) == (False, 8)


def test_a_game_that_is_stuck_is_said_to_be(save, run):
    save(GAME, Played(ENDLESS).sealed())
    assert run("history")[1].splitlines()[0].endswith("  stuck  verified")


def test_a_game_of_somebody_else_has_its_name(save, run, data):
    (data / "keys" / "1.key").unlink()
    save(GAME, won().sealed())
    assert run("history")[1].splitlines()[1].startswith("     fox ")


@pytest.mark.parametrize(
    ("content", "said", "fault"),
    [
        (b"rubbish", "no record", "foreign"),
        (b"solo2048\x09", "newer", "newer"),
        (Played(SMALL, 5).data[:-1], "damaged: ", "damaged-solo"),
        (b"solo2048", "damaged: ", "damaged-solo"),
        (Played(SMALL, 5).data + b"\5\0" * 9, "FALSE: ", "false"),
        (Played(SMALL, 5).sealed(Signer(bytes(32))), "FALSE: ", "false"),
    ],
)
@pytest.mark.parametrize("name", [GAME, "solo/game.r2048"])
def test_what_is_no_true_game_is_listed_with_why(save, run, name, content, said, fault):
    save(name, content)
    code, out, _ = run("history")
    assert code == exits.DONE
    assert said in out
    assert "verified" not in out
    assert json.loads(run("history", "--json")[1])["fault"] == fault


def test_history_in_json_has_the_figures_of_a_game_and_null_for_those_of_a_race(save, run):
    save("races/2026-11-29-482913.r2048", target_race().record())
    played = won()
    save(GAME, played.sealed())
    game, race = [json.loads(line) for line in run("history", "--json")[1].splitlines()]
    assert set(race) | {"solo"} == set(game)
    assert "solo" not in race
    assert (game["number"], game["id"], game["verified"]) == (1, "2026-11-30-3x3-16-text", True)
    assert (game["settings"], game["outcome"], game["players"]) == (None, None, [])
    solo = game["solo"]
    assert (solo["score"], solo["moves"], solo["undos"]) == (played.game.solo.game.score, 29, 1)
    assert (solo["you"], solo["over"], solo["target"]) == (True, True, 16)


def test_show_has_the_board_and_what_to_do_next(save, run):
    played = won()
    path = save(GAME, played.sealed())
    for named in ("1", "2026-11-30-3x3", "2026-11-30-3x3-16-text"):
        code, out, _ = run("show", named)
        assert code == exits.DONE
    assert "A game alone: 3×3, to 16, deck “alone”." in out
    assert "The record is true." in out
    assert "16 at move " in out
    assert "fox: 29 moves, 1 undo" in out
    assert f"  race2048 replay {path}" in out
    tiles = [
        int(word) for line in out.splitlines() if re.fullmatch(r"[\d· ]+", line) for word in line.split() if word != "·"
    ]
    assert sorted(tiles) == sorted(face for row in played.game.solo.game.board.faces() for face in row if face)


def test_show_of_a_game_that_is_not_over_says_what_goes_on_with_it(save, run):
    save("solo/game.r2048", Played(SMALL, 8).data)
    assert "\n  race2048 play\n" in run("show", "game")[1]


def test_show_in_json_has_the_board(save, run):
    played = won()
    save(GAME, played.sealed())
    code, out, _ = run("show", "1", "--json")
    assert code == exits.DONE
    shown = json.loads(out)
    assert shown["boards"] == [[list(row) for row in played.game.solo.game.board.faces()]]
    assert shown["solo"]["moves"] == 29


def test_show_of_a_false_or_damaged_game_ends_as_that_of_a_race_does(save, run):
    path = save(GAME, Played(SMALL, 5).data + b"\5\0" * 9)
    code, out, _ = run("show", "1")
    assert (code, "FALSE" in out) == (exits.NO, True)
    path.write_bytes(Played(SMALL, 5).data[:-1])
    assert run("show", "1")[0] == exits.DAMAGED


def test_the_home_screen_offers_records_of_games_that_are_over_among_those_of_races(save):
    race = save("races/2026-11-29-482913.r2048", target_race().record())
    game = save(GAME, won().sealed())
    save("solo/game.r2048", Played(SMALL, 8).data)
    assert [path for _, path in records()] == [str(game), str(race)]


# ── luck ─────────────────────────────────────────────────────────────────────────────────────────────────────────


LONG = Choice(4, SoloKind.ENDLESS, 0)


def test_verify_tells_the_luck_of_a_game_alone_when_it_is_asked_to(save, run):
    path = save(GAME, Played(LONG, 90).sealed())
    assert "fox: luck" not in run("verify", path)[1]
    code, out, _ = run("verify", "--luck", path)
    assert code == exits.DONE
    assert re.search(r"^  fox: luck [+−±]\d\.\d$", out, re.MULTILINE)
    luck = json.loads(run("verify", "--luck", "--json", path)[1])["solo"]["luck"]
    assert f"{abs(luck):.3f}"[:3] in out


def test_of_a_short_game_or_one_with_undos_it_says_why_it_says_nothing(save, run):
    path = save(GAME, Played(SMALL, 10).sealed())
    assert "fox: too few draws to speak of luck" in run("verify", "--luck", path)[1]
    assert json.loads(run("verify", "--luck", "--json", path)[1])["solo"]["luck"] is None
    played = Played(LONG, 90)
    played.do(Act.UNDO)
    path.write_bytes(played.sealed())
    assert "Nothing is said of luck: moves were taken back" in run("verify", "--luck", path)[1]
    assert json.loads(run("verify", "--luck", "--json", path)[1])["solo"]["luck"] is None


def test_a_false_or_damaged_game_has_no_luck(save, run):
    for content in (Played(SMALL, 5).data + b"\5\0" * 9, Played(SMALL, 5).data[:-1]):
        path = save(GAME, content)
        assert run("verify", "--luck", path)[1] == ""
        assert json.loads(run("verify", "--luck", "--json", path)[1])["solo"] is None


# ── what is remembered, and what it is not to be taken for ───────────────────────────────────────────────────────


def test_what_came_of_a_game_is_remembered_unless_it_still_grows(save, data):
    save(GAME, won().sealed())
    save("solo/game.r2048", Played(SMALL, 8).data)
    found = Archive(data).all_judged(saved_games(data))
    assert len(Archive(data)._known) == 1
    assert (data / MEMORY_NAME).exists()
    assert Archive(data).all_judged(saved_games(data)) == found
    assert Archive(data).unknown(saved_games(data)) == 0


def test_a_game_among_the_races_is_told_as_one_and_counted_in_no_sum(save, run, data):
    save("races/2026-11-29-482913.r2048", won().sealed())
    assert "alone, 3×3" in run("history")[1]
    assert run("show", "1")[0] == exits.DONE
    assert json.loads(run("stats", "--json")[1])["left_out"]["not_true"] == 1
    assert len(saved_records(data)) == 1


@pytest.mark.parametrize("name", [name for name in HOSTILE if "x" * 99 not in name and "\u0301" * 9 not in name])
def test_no_name_and_no_text_reaches_the_terminal_as_more_than_text(save, run, data, name):
    (data / "keys" / "1.key").unlink()
    path = save(GAME, Played(SMALL, 3, text=name or "x", name=name).sealed())
    listed = [("history",), ("show", "1"), ("history", "--json"), ("show", "1", "--json")]
    for words in [*listed, ("verify", "--json", path), ("replay", "--export", "json", path)]:
        out = run(*words)[1]
        assert "verified" in out or "true" in out
        if words[-1] is path:
            told = json.loads(out)
            assert (told.get("solo") or told["game"])["name"] == name
        assert all(character.isprintable() or character == "\n" for character in out)
