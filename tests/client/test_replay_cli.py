"""`replay`, `history`, `show` and `stats` from outside: what they print, and how they end."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from client.cli import exits
from client.cli import replay as replay_command
from engine.race import Outcome, Termination
from protocol.record import MAGIC, Gap
from tests.protocol.races import ENDLESS, MadeRace, drawn_race, resigned_race, secret, stuck_race, target_race

from .replays_of import HOSTILE, busy_race, eventful_race
from .test_replay_export import OBEYED, Exported

RUN = [sys.executable, "-P", "-m", "client.cli"]
PATIENCE_S = 60


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A data directory with the key of seat 0, and no races yet."""
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path))
    (tmp_path / "races").mkdir()
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "1.key").write_bytes(secret("player", 0))
    return tmp_path


@pytest.fixture
def save(data):
    """Returns a function that saves a record under a name, each an hour after the one before."""
    saved: list[Path] = []

    def write(content, name="2026-11-30-482913.r2048"):
        path = data / "races" / name
        path.write_bytes(content)
        saved.append(path)
        os.utime(path, (3_600 * len(saved),) * 2)
        return path

    return write


def false_record():
    race = resigned_race()
    results = race.results(race.outcome())
    return race.record(results=[results[1], results[0]])


# ── replay ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_terminal_there_is_no_screen_and_the_way_out_is_said(save, run):
    code, out, err = run("replay", save(target_race().record()))
    assert (code, out) == (exits.USAGE, "")
    assert "race2048 replay FILE --plain" in err


def test_plain_tells_what_happened_and_how_it_ended(save, run):
    code, out, err = run("replay", save(eventful_race().record()), "--plain")
    assert (code, err) == (exits.DONE, "")
    lines = out.splitlines()
    assert lines[:2] == ["4×4, last one moving, up to 4 players.", "The record is true."]
    assert "0:02  fox refuses the draw" in lines
    assert "A draw, agreed by all who were in the race." in lines
    assert re.match(r"1\. \w+ [\d,]+ \(\d+\), 12 moves", lines[-3])


def test_plain_at_a_place_has_the_boards_there_and_what_came_after(save, run):
    path = save(eventful_race().record())
    _, out, _ = run("replay", path, "--plain", "--at", "0:02")
    assert "At 0:02:" in out
    assert out.count("·") > 10
    assert "fox refuses the draw" not in out.split("At 0:02:")[1]
    assert "owl resigns" in out
    _, by_move, _ = run("replay", path, "--plain", "--at", "5", "--player", "hare")
    assert "At 0:00:" in by_move
    assert ", 5 moves" in by_move


@pytest.mark.parametrize("form", ["json", "txt", "cast"])
def test_exports_go_to_stdout_and_are_the_same_in_every_process(save, form):
    path = save(busy_race(3, 2).record())
    digests = set()
    for other in ({"PYTHONHASHSEED": "1", "NO_COLOR": "1"}, {"PYTHONHASHSEED": "2", "PYTHONIOENCODING": "ascii"}):
        done = subprocess.run(
            [*RUN, "replay", str(path), "--export", form],
            env=os.environ | other,
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        )
        assert done.stderr == b""
        digests.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(digests) == 1


def test_a_cast_has_the_size_asked_for(save, run):
    path = save(target_race().record())
    assert json.loads(run("replay", path, "--export", "cast")[1].splitlines()[0])["width"] == 80
    header = json.loads(run("replay", path, "--export", "cast", "--screen", "120x40")[1].splitlines()[0])
    assert (header["width"], header["height"]) == (120, 40)
    assert header["title"] == "race2048: fox, owl"


@pytest.mark.parametrize("form", [["--plain"], ["--export", "json"], ["--export", "txt"], ["--export", "cast"]])
def test_a_false_record_is_shown_only_with_a_loud_word_and_ends_with_1(save, run, form):
    path = save(false_record())
    code, out, err = run("replay", path, *form)
    assert code == exits.NO
    assert f"THIS RECORD IS FALSE: {path}: seat 0: the Result says" in err
    assert "the Result says" in out


def test_a_false_record_that_cannot_even_be_opened_is_false_all_the_same(save, run):
    race = target_race()
    code, out, err = run("replay", save(race.record(deal=race.seats_signed)), "--plain")
    assert (code, out) == (exits.NO, "")
    assert "THIS RECORD IS FALSE" in err
    assert "There is nothing to see in it" in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (target_race().record()[:-5], ["is damaged", "cut off"]),
        (b"GIF89a", ["is no record of a race"]),
        (MAGIC + b"\xff", ["was written by a newer race2048", "Update"]),
    ],
    ids=["damaged", "foreign", "newer"],
)
@pytest.mark.parametrize("command", [["replay", "--plain"], ["replay", "--export", "json"]])
def test_what_is_no_record_has_a_message_of_its_own_and_ends_with_6(save, run, content, words, command):
    path = save(content)
    code, out, err = run(command[0], path, *command[1:])
    assert (code, out) == (exits.DAMAGED, "")
    for word in (*words, str(path)):
        assert word in err


def test_a_file_that_is_not_there_ends_with_6(run, data):
    code, _, err = run("replay", data / "nothing.r2048", "--plain")
    assert code == exits.DAMAGED
    assert "cannot be read: No such file or directory" in err


@pytest.mark.parametrize(
    "words",
    [
        ["--at", "1:99"],
        ["--at", "soon"],
        ["--speed", "0.1"],
        ["--speed", "65"],
        ["--speed", "nan"],
        ["--speed", "fast"],
        ["--screen", "80"],
        ["--screen", "10x5"],
        ["--screen", "999x999"],
        ["--export", "gif"],
        ["--plain", "--export", "json"],
        ["--export", "json", "--at", "5"],
        ["--export", "txt", "--player", "1"],
        ["--export", "json", "--speed", "2"],
        ["--export", "json", "--screen", "80x24"],
        ["--plain", "--speed", "2"],
        ["--plain", "--screen", "80x24"],
        ["--plain", "--player", "nobody"],
        ["--plain", "--player", "9"],
        ["--plain", "--player", ""],
        ["--plain", "--player", "0"],
    ],
)
def test_what_makes_no_sense_ends_with_2(save, run, words):
    code, out, err = run("replay", save(target_race().record()), *words)
    assert (code, out) == (exits.USAGE, "")
    assert err


@pytest.mark.parametrize(("named", "seat"), [("1", 0), ("2", 1), ("OWL", 1), ("ow", 1), ("hare", 2)])
def test_a_player_is_named_by_seat_or_name(named, seat):
    from .replays_of import timeline_of

    assert replay_command._named_seat(named, timeline_of(eventful_race())) == seat


def test_the_usual_player_is_you_and_else_the_first_who_need_not_have_won(save):
    from client.archive import own_keys
    from client.store import data_directory
    from client.timeline import open_timeline
    from protocol.record import Record

    record = Record.parse(drawn_race().record())
    assert own_keys(data_directory())
    assert replay_command._usual_seat(open_timeline(record, own_keys(data_directory()))) == 0
    theirs = drawn_race().racers[1].signer.key
    assert replay_command._usual_seat(open_timeline(record, {theirs})) == 1
    assert replay_command._usual_seat(open_timeline(record)) == 0


# ── history ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def three(save):
    save(target_race().record(), "2026-11-28-482913.r2048")
    save(drawn_race().record(), "2026-11-29-550174.r2048")
    save(stuck_race(3).record(), "2026-11-30-111222.r2048")


def test_history_lists_the_newest_first_with_places_and_scores(three, run):
    code, out, err = run("history")
    assert code == exits.DONE
    assert "race2048 show 1" in err
    lines = out.splitlines()
    assert re.match(
        r"  1  2026-11-30  111-222  3×3, last one moving, \d:\d\d  (you won|place \d of 3)  verified", lines[0]
    )
    assert re.match(r"     1\. \S+ \d+  2\. \S+ \d+  3\. \S+ \d+", lines[1])
    assert "  2  2026-11-29  550-174  3×3, last one moving, 0:01  a draw  verified" in lines
    assert "  3  2026-11-28  482-913  3×3, first to 8, 0:00  you won  verified" in lines
    assert max(map(len, lines)) <= 80
    assert re.match(r"     1\. you \d+  2\. owl \d+", lines[5])


def test_history_says_which_are_damaged_false_foreign_newer_or_unreadable(save, run, data):
    save(false_record(), "2026-11-01-1.r2048")
    save(target_race().record()[:-1], "2026-11-02-2.r2048")
    save(b"GIF89a", "2026-11-03-3.r2048")
    save(MAGIC + b"\xff", "2026-11-04-4.r2048")
    (data / "races" / "2026-11-05-5.r2048").mkdir()
    code, out, _ = run("history")
    assert code == exits.DONE
    words = [
        "cannot be read: Is a directory",
        "written by a newer race2048",
        "no record of a race",
        "damaged: ",
        "FALSE: ",
    ]
    for line, word in zip(out.splitlines(), words, strict=True):
        assert word in line


def test_history_says_why_a_race_does_not_count_for_you(save, run, data):
    seeded = MadeRace(seed=bytes(32))
    seeded.resign(1, 900)
    seeded.close()
    save(seeded.record(), "2026-11-01-1.r2048")
    void = MadeRace(ENDLESS)
    void.gaps = [Gap(1_000, 601_001)]
    void.close()
    save(void.record(outcome=Outcome(Termination.VOID, (), 601_001)), "2026-11-02-2.r2048")
    save(target_race().record(), "2026-11-03-3.r2048")
    heads = run("history")[1].splitlines()[::2]
    assert [head.split("  ")[-2] for head in heads] == ["you won", "void", "a demo or a test"]
    (data / "keys" / "1.key").unlink()
    assert run("history", "-n", "1")[1].splitlines()[0].endswith("  you watched  verified")


def test_history_lists_as_many_as_asked_for(three, run):
    assert len(run("history", "-n", "2")[1].splitlines()) == 4
    assert "1 more: race2048 history -n 0" in run("history", "-n", "2")[2]
    assert len(run("history", "-n", "0")[1].splitlines()) == 6
    for count in ("-1", "x", "9999999999"):
        assert run("history", "-n", count)[0] == exits.USAGE


def test_history_in_json_is_a_line_for_each_race(three, run):
    code, out, _ = run("history", "--json")
    assert code == exits.DONE
    entries = [json.loads(line) for line in out.splitlines()]
    assert [entry["number"] for entry in entries] == [1, 2, 3]
    last = entries[2]
    assert (last["id"], last["date"], last["code"]) == ("2026-11-28-482913", "2026-11-28", "482913")
    assert (last["verified"], last["fault"], last["your_place"]) == (True, None, 1)
    assert last["settings"]["target"] == 8
    assert last["outcome"]["winners"] == [0]
    assert [(each["place"], each["name"], each["you"]) for each in last["players"]] == [
        (1, "fox", True),
        (2, "owl", False),
    ]


def test_history_without_races_says_where_they_would_be(run, data):
    code, out, err = run("history")
    assert (code, out) == (exits.DONE, "")
    assert f"No race and no game was saved in {data} yet." in err


# ── show ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_show_has_the_result_all_boards_and_what_to_do_next(three, run, data):
    path = data / "races" / "2026-11-28-482913.r2048"
    for named in ("3", "2026-11-28", "482-913"):
        code, out, err = run("show", named)
        assert (code, err) == (exits.DONE, "")
        assert "3×3, first to 8, up to 4 players." in out
        assert "2026-11-28, after 0:00: You made 8 first." in out
        assert re.search(r"1\. fox \d+ \(8\), \d+ moves\n( +[\d·]+){3}\n", out)
        assert f"  race2048 replay {path}" in out
        assert f"  race2048 verify {path}" in out


def test_show_in_json_has_the_boards_too(three, run):
    code, out, _ = run("show", "3", "--json")
    shown = json.loads(out)
    assert code == exits.DONE
    assert shown["number"] == 3
    assert [len(board) for board in shown["boards"]] == [3, 3]
    assert max(map(max, shown["boards"][0])) == 8


def test_show_of_what_is_not_there_or_not_clear_ends_with_2(three, run):
    code, _, err = run("show", "2025")
    assert (code, "There is no race or game '2025' here" in err) == (exits.USAGE, True)
    code, _, err = run("show", "2026-11-")
    assert (code, "could be 2026-11-30-111222, 2026-11-29-550174" in err) == (exits.USAGE, True)


def test_show_of_a_false_record_says_so_and_ends_with_1(save, run):
    save(false_record())
    code, out, _ = run("show", "1")
    assert code == exits.NO
    assert "THE RECORD IS FALSE: seat 0: the Result says" in out
    race = target_race()
    save(race.record(deal=race.seats_signed))
    code, _, err = run("show", "1")
    assert (code, "is FALSE" in err) == (exits.NO, True)


def test_show_of_a_damaged_record_ends_with_6(save, run):
    save(target_race().record()[:-1])
    code, out, err = run("show", "1")
    assert (code, out) == (exits.DAMAGED, "")
    assert "is damaged" in err


def test_a_path_with_blanks_is_shown_as_a_shell_takes_it(save, run):
    save(target_race().record(), "my race.r2048")
    assert "race2048 replay '" in run("show", "1")[1]


# ── stats ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_stats_sum_up_the_true_races_of_ones_own(three, save, run):
    save(false_record(), "2026-11-27-1.r2048")
    save(busy_race().record(), "2026-11-26-2.r2048")
    code, out, err = run("stats")
    assert (code, err) == (exits.DONE, "")
    lines = out.splitlines()
    assert lines[0] == "Against people"
    assert re.match(r"  all races +4 +\d won +1 drawn +\d lost +\d+ %", lines[1])
    assert any(re.match(r"  owl +3 ", line) for line in lines)
    assert any(re.match(r"  computer players +1 ", line) for line in lines)
    assert any("best score" in line and "moves a second" in line for line in lines)
    assert lines[-1] == "Not counted: 1 not true or not readable."


def test_stats_in_json(three, run):
    code, out, _ = run("stats", "--json")
    stats = json.loads(out)
    assert code == exits.DONE
    assert set(stats) == {"people", "computers", "left_out", "alone"}
    people = stats["people"]
    assert people["races"] == people["wins"] + people["draws"] + people["losses"] == 3
    assert {each["name"] for each in people["opponents"]} == {"owl", "hare"}
    assert sum(each["races"] for each in people["kinds"]) == 3
    assert people["kinds"][0]["settings"].keys() == {"size", "kind", "target", "time_ms"}
    assert stats["left_out"] == {"void": 0, "watched": 0, "seeded": 0, "not_true": 0, "alone": 0}


def test_stats_without_races_say_so(run):
    code, out, _ = run("stats")
    assert (code, out) == (exits.DONE, "There is no race of yours to count yet.\n")


# ── all of them ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_files_are_harmless_in_every_output(save, run, name):
    raw = name.encode()[:255].decode(errors="ignore")
    file = "".join(character for character in name if character not in "/\0")[:40] + ".r2048"
    path = save(busy_race(3, 2, (raw, raw)).record(), file)
    outputs = [
        run("replay", path, "--plain"),
        run("replay", path, "--plain", "--player", "nobody"),
        run("replay", path, "--plain", "--player", name or "x"),
        run("replay", path, "--at", name or "x"),
        run("history"),
        run("history", "--json"),
        run("show", "1"),
        run("show", "1", "--json"),
        run("show", name or "x"),
        run("stats"),
        run("stats", "--json"),
    ]
    path.write_bytes(path.read_bytes()[:-1])
    outputs += [run("replay", path, "--plain"), run("show", "1"), run("history"), run("history", "--json")]
    for _, out, err in outputs:
        assert OBEYED.search(out + err) is None


def test_everything_has_its_help(run):
    for command in ("replay", "history", "show", "stats"):
        code, out, _ = run(command, "--help")
        assert code == 0
        assert f"race2048 {command}" in out
        assert command in run("--help")[1]


def test_an_output_that_nobody_reads_ends_quietly(save):
    path = save(busy_race().record())
    reader = subprocess.Popen(
        [*RUN, "replay", str(path), "--export", "txt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert reader.stdout is not None
    reader.stdout.readline()
    reader.stdout.close()
    assert reader.wait(PATIENCE_S) == exits.PIPE_CLOSED
    assert reader.stderr is not None
    assert reader.stderr.read() == b""
    reader.stderr.close()


def test_exported_json_is_that_of_the_documented_form(save, run):
    import msgspec

    _, out, _ = run("replay", save(eventful_race().record()), "--export", "json")
    assert msgspec.json.decode(out, type=Exported).ok
