"""The scripts of the demo: every ending of rules §4 over real sockets, as its record tells it (issue 3)."""

import io
import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from client.cli import main
from client.cli.demo import _verify as verify
from client.cli.exits import DONE, NO, USAGE
from client.cli.scripts import SCRIPTS, SCRIPTS_BY_NAME
from client.cli.standings import Standings
from engine.race import Outcome, SeatState, Termination
from protocol.deal import Deal
from protocol.record import Record
from protocol.verdict import verify_record
from tests.protocol.races import target_race
from tests.system.terminals import RACE2048, Terminal, end_lobbies

PATIENCE_S = 60  # a script takes five to twelve seconds; this only ends one that hangs
# What each must end as: the reason, and the states of its seats in any order.
ENDINGS = {
    "alone": ("alone", ["forfeited", "resigned", "stuck"]),
    "target": ("target", ["moving"] * 4),
    "dead-heat": ("target", ["moving"] * 3),
    "last-mover": ("last-mover", ["moving", "stuck"]),
    "all-stuck": ("all-stuck", ["stuck"] * 3),
    "all-stuck-tie": ("all-stuck", ["stuck"] * 3),
    "bell": ("bell", ["moving"] * 3),
    "bell-tie": ("bell", ["moving"] * 3),
    "away": ("alone", ["forfeited", "forfeited", "moving"]),
    "resign": ("alone", ["moving", "resigned", "resigned"]),
    "draw": ("draw", ["moving"] * 3),
    "idle": ("alone", ["forfeited", "moving"]),
    "deck-used-up": ("all-stuck", ["stuck"] * 2),
    "void": ("void", ["forfeited"] * 2),
}
TIES = {"dead-heat", "all-stuck-tie", "bell-tie"}
WORDS = {  # these are shown in lines, all others as JSON
    "away": [", away ", "lynx is the only one left"],
    "draw": ["heron offers a draw (", "A draw, agreed by all who were in the race"],
    "void": ["The race is void: nobody was left in it"],
}


def demo(data, *options):
    environment = os.environ | {"RACE2048_DATA": str(data)}
    return subprocess.run(
        [*RACE2048, "demo", *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def path_of(name, out):
    """Returns where the record is; what was said around it must be right."""
    if name in WORDS:
        assert all(words in out for words in WORDS[name])
        assert out.startswith(f"{name}: {SCRIPTS_BY_NAME[name].explanation}.\n")
        return Path(out.splitlines()[-1].removeprefix("Verified: "))
    events = [json.loads(line) for line in out.splitlines()]
    last = events[-1]
    assert set(last) == {"event", "ok", "record", "outcome", "seats", "script"}
    assert (last["event"], last["ok"], last["script"]) == ("verified", True, name)
    assert last["outcome"] == events[-2]["outcome"], "what was told at the end is what the record says"
    return Path(last["record"])


@pytest.mark.parametrize("name", ENDINGS)
def test_a_script_ends_as_it_says_and_its_record_is_true(name, tmp_path):
    shown = demo(tmp_path / "data", "--script", name, *([] if name in WORDS else ["--json"]))
    assert (shown.returncode, shown.stderr) == (DONE, "")
    data = path_of(name, shown.stdout).read_bytes()
    verdict, deal = verify_record(data), Deal.decode(Record.parse(data).deal.body)
    assert verdict.ok
    assert verdict.outcome is not None
    states = sorted(seat.state.name.lower() for seat in verdict.seats)
    assert (verdict.outcome.termination.name.lower().replace("_", "-"), states) == ENDINGS[name]
    script = SCRIPTS_BY_NAME[name]
    dealt = (deal.windows, deal.chain_length, deal.settings, deal.seeded)
    assert dealt == (script.windows, script.chain_length, script.settings, script.seed is not None)
    winners = [verdict.seats[winner] for winner in verdict.outcome.winners]
    if name in TIES:
        assert len(winners) == 2
        assert len({(seat.score, seat.moves) for seat in winners}) == 1
        assert len(verdict.seats) == 3, "and there is one who has lost"
    elif name not in ("draw", "void"):
        assert len(winners) == 1
    if name == "away":
        assert winners[0].moves > 10, "it vanished after ten moves, came back and went on"
    if name == "deck-used-up":
        assert {seat.moves for seat in verdict.seats} == {8 * deal.chain_length - 2}
        assert all(seat.board.legal_directions() for seat in verdict.seats), "they are not stuck for want of room"


def test_the_list_names_every_ending_with_a_line_of_explanation(capsys):
    assert main(["demo", "--script", "list"]) == DONE
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(ENDINGS)
    assert all(len(line.split()) > 4 for line in lines)
    assert main(["demo", "--script", "list", "--json"]) == DONE
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(each["script"], each["explanation"]) for each in told] == [(s.name, s.explanation) for s in SCRIPTS]


def test_a_script_that_there_is_not_is_usage(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--script", "dawn"])
    assert stop.value.code == USAGE
    assert "dead-heat" in capsys.readouterr().err, "those that there are are named"


@pytest.mark.parametrize("option", [["--size", "3"], ["--target", "64"], ["--players", "2"], ["--seed", "fox"]])
def test_a_script_takes_no_other_settings(option, capsys):
    assert main(["demo", "--script", "draw", *option]) == USAGE
    assert f"Leave out {option[0]}." in capsys.readouterr().err


def test_a_computer_player_that_vanishes_is_gone_without_a_word(tmp_path):
    host = Terminal(["host", "--players", "2", "--port", "0"], tmp_path)
    try:
        host.expect("Give your friends", "Not everyone", "ready")
        link = re.findall(r"join (http://\S+)", host.written.decode(errors="replace"))[0]
        bot = subprocess.Popen([*RACE2048, "bot", link, "--name", "moth", "--vanish-after", "0"])
        host.expect("Everyone is ready")
        host.press("s")
        assert bot.wait(PATIENCE_S) == DONE
        host.expect("away")
        assert "moth" in host.text
    finally:
        host.close()
        end_lobbies(tmp_path)


def test_a_true_record_of_another_ending_is_a_no(tmp_path, capsys):
    race = target_race()
    verdict = verify_record(race.record())
    assert verdict.outcome is not None
    states = tuple(seat.state for seat in verdict.seats)
    right = replace(SCRIPTS_BY_NAME["target"], winners=verdict.outcome.winners, states=states)
    path = tmp_path / "race.r2048"
    path.write_bytes(race.record())
    told = io.StringIO()
    assert verify(path, right, Standings(told, as_json=True)) == DONE
    assert capsys.readouterr().err == ""
    assert verify(path, replace(right, winners=(1,)), Standings(told, as_json=True)) == NO
    assert "The script target went wrong: target won by (0,), moving" in capsys.readouterr().err
    assert [json.loads(line)["ok"] for line in told.getvalue().splitlines()] == [True, False]


@pytest.mark.parametrize(
    "otherwise",
    [
        {"termination": Termination.BELL},
        {"winners": (0,)},
        {"winners": (1, 0)},
        {"states": (SeatState.STUCK, SeatState.MOVING)},
        {"moves": 5},
    ],
    ids=lambda otherwise: next(iter(otherwise)),
)
def test_a_script_sees_every_difference(otherwise):
    verdict = verify_record(target_race().record())
    states = tuple(seat.state for seat in verdict.seats)
    script = replace(SCRIPTS_BY_NAME["target"], termination=Termination.TARGET, winners=(0, 1), states=states)
    outcome = Outcome(Termination.TARGET, (0, 1), 0)
    assert script.difference(outcome, verdict.seats) == ""
    assert replace(script, **otherwise).difference(outcome, verdict.seats) != ""
