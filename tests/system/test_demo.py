"""The demo: computer players over real sockets, and a record that is true (issue 2, point 4)."""

import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from client.cli.exits import TERMINATED
from engine.deck import seed_of_text
from protocol.deal import Deal
from protocol.record import Record
from protocol.verdict import verify_record
from tests.system.terminals import PATIENCE_S, RACE2048, Terminal

DEMO = (*RACE2048, "demo")


@pytest.fixture
def environment(tmp_path):
    return os.environ | {"RACE2048_DATA": str(tmp_path / "data"), "TMPDIR": str(tmp_path)}


def demo(environment, *options):
    done = subprocess.run([*DEMO, *options], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_four_players_race_to_256_and_the_record_is_true(environment, tmp_path):
    code, lines = demo(environment, "--players", "4", "--size", "4", "--target", "256", "--json")
    events = [json.loads(line) for line in lines]
    last = events[-1]
    assert code == 0
    assert set(last) == {"event", "ok", "record", "outcome", "seats"}
    assert (last["event"], last["ok"]) == ("verified", True)
    assert [set(seat) for seat in last["seats"]] == [{"seat", "name", "score", "max_tile", "moves", "state"}] * 4
    assert [seat["seat"] for seat in last["seats"]] == [0, 1, 2, 3]
    assert max(seat["max_tile"] for seat in last["seats"]) == 256
    assert Path(last["record"]).parent == tmp_path / "data" / "races"
    standings = [event for event in events if event["event"] == "standings"]
    assert len(standings) >= 3
    assert len({seat["score"] for seat in standings[-2]["seats"]}) > 1, "players do not all play alike"
    verdict = verify_record(Path(last["record"]).read_bytes())
    assert verdict.ok
    assert not verdict.seeded
    assert all(seat.computer for seat in verdict.seats)


def test_without_a_terminal_it_writes_plain_lines(environment):
    code, lines = demo(environment, "--players", "2", "--target", "64")
    assert code == 0
    assert lines[0] == "4×4, first to 64: 2 computer players."
    assert lines[1].startswith("0:00  heron 0 (0), racing")
    assert "made 64 first." in lines[-2]
    assert lines[-1].startswith("Verified: /")
    assert "\x1b" not in "".join(lines)


def test_a_seed_deals_the_same_again_and_the_record_says_so(environment):
    decks = []
    for _ in range(2):
        code, lines = demo(environment, "--players", "2", "--size", "3", "--target", "32", "--seed", "fox", "--json")
        data = Path(json.loads(lines[-1])["record"]).read_bytes()
        deal = Deal.decode(Record.parse(data).deal.body)
        decks.append((code, deal.seed, verify_record(data).seeded))
    assert decks == [(0, seed_of_text("fox"), True)] * 2


def test_on_a_terminal_the_standings_are_painted_in_place(tmp_path):
    terminal = Terminal(["demo", "--players", "2", "--target", "64"], tmp_path / "data")
    try:
        assert terminal.end() == 0
        assert "Verified:" in terminal.text
        assert terminal.text.count(", racing") == 2  # one line a player: those of before were painted over
    finally:
        terminal.close()


def test_a_demo_that_is_terminated_takes_its_lobby_with_it(environment, tmp_path):
    process = subprocess.Popen(
        [*DEMO, "--json", "--target", "2048"], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = json.loads(process.stdout.readline())["url"]
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == TERMINATED
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url)
    assert list(tmp_path.glob("race2048-*")) == []
