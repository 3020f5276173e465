"""The races of this computer: found, judged once, listed, and summed up."""

import os
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.archive import MEMORY_NAME, Archive, found_records, own_keys, saved_records
from client.facts import FALSE, Facts, Finisher, facts_of
from client.reading import Fault, RecordFault, read_record, shown_path
from client.tallying import tally
from engine.race import Kind, SeatState, Termination
from protocol.deal import FORMAT_VERSION
from protocol.limits import RECORD_BYTES_MAX, RULES_VERSION
from protocol.messages import TableSettings
from protocol.record import HEAD, MAGIC
from protocol.signing import Signer
from protocol.verdict import verify_record
from tests.protocol.races import (
    LOBBY,
    MadeRace,
    drawn_race,
    forfeited_race,
    resigned_race,
    secret,
    signed,
    stuck_race,
    target_race,
    timed_race,
)

from .replays_of import HOSTILE, busy_race


@pytest.fixture
def data(tmp_path):
    (tmp_path / "races").mkdir()
    return tmp_path


def save(data: Path, name: str, content: bytes, changed_s: int = 0) -> Path:
    path = data / "races" / name
    path.write_bytes(content)
    os.utime(path, (changed_s, changed_s))
    return path


def newer_rules(race: MadeRace) -> bytes:
    """A whole record of rules that this program does not know."""
    body = race.deal.encode()
    deal = signed(LOBBY, "deal", bytes(32), bytes([body[0], RULES_VERSION + 1]) + body[2:])
    return race.record(deal=deal)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"\x89PNG\r\n", Fault.FOREIGN),
        (b"#!/bin/sh\n" * 900_000, Fault.FOREIGN),
        (b"", Fault.DAMAGED),
        (MAGIC[:5], Fault.DAMAGED),
        (HEAD, Fault.DAMAGED),
        (target_race().record()[:-1], Fault.DAMAGED),
        (target_race().record() + b"x", Fault.DAMAGED),
        (MAGIC + bytes(RECORD_BYTES_MAX), Fault.DAMAGED),
        (MAGIC + bytes([FORMAT_VERSION + 1]) + b"whatever", Fault.NEWER),
        (newer_rules(target_race()), Fault.NEWER),
    ],
    ids=["png", "long", "empty", "cut", "head", "cut at its end", "more", "too long", "newer format", "newer rules"],
)
def test_a_file_that_is_no_record_says_why(tmp_path, content, fault):
    path = tmp_path / "a.r2048"
    path.write_bytes(content)
    with pytest.raises(RecordFault) as raised:
        read_record(path)
    assert raised.value.fault is fault
    assert str(path) in str(raised.value)
    assert facts_of(path, content).fault == fault.value


def test_a_file_that_is_not_there_or_no_file_is_unreadable(tmp_path):
    for path in (tmp_path / "none", tmp_path, Path("a\0b")):
        with pytest.raises(RecordFault) as raised:
            read_record(path)
        assert raised.value.fault is Fault.UNREADABLE


def test_a_name_of_a_file_is_shown_without_what_a_terminal_obeys():
    assert shown_path(Path("/a\x1b[2J\u202eb/\udcff.r2048")) == "/a\\x1b[2J\\u202eb/\\udcff.r2048"


# ── which there are ──────────────────────────────────────────────────────────────────────────────────────────────


def test_records_come_newest_first_by_name_and_time(data):
    save(data, "2026-11-29-111111.r2048", b"1", 900)
    save(data, "2026-11-30-222222.r2048", b"2", 100)
    save(data, "2026-11-30-333333-2.r2048", b"3", 200)
    save(data, "copied.r2048", b"4", 86_400 * 365 * 90)
    (data / "races" / "2026-11-30-222222.ticks").write_bytes(b"")
    (data / "races" / ".abc.new").write_bytes(b"")
    saved = saved_records(data)
    assert [each.id for each in saved] == [
        "copied", "2026-11-30-333333-2", "2026-11-30-222222", "2026-11-29-111111",
    ]  # fmt: skip
    assert [each.code for each in saved] == ["", "333333", "222222", "111111"]
    assert saved[0].date.startswith("20")


def test_without_a_directory_there_are_no_records(tmp_path):
    assert saved_records(tmp_path / "nowhere") == []
    assert own_keys(tmp_path / "nowhere") == frozenset()


def test_a_record_is_meant_by_number_beginning_code_or_name(data):
    for name in ("2026-11-29-111111", "2026-11-30-222222", "2026-11-30-222222-2", "2026-12-01-race"):
        save(data, f"{name}.r2048", b"")
    saved = saved_records(data)

    def meant(named):
        return [each.id for each in found_records(saved, named)]

    assert meant("1") == ["2026-12-01-race"]
    assert meant("4") == ["2026-11-29-111111"]
    assert meant("2026-11-29") == ["2026-11-29-111111"]
    assert meant("2026-11-30-222222") == ["2026-11-30-222222"]
    assert meant("2026-11-30-222222-2.r2048") == ["2026-11-30-222222-2"]
    assert meant("111-111") == meant("111111") == ["2026-11-29-111111"]
    assert len(meant("222 222")) == 2
    assert meant("") == meant("5") == meant("0") == meant("x") == []


def test_own_keys_are_all_that_ever_played_here_and_none_is_made(data):
    (data / "keys").mkdir()
    (data / "keys" / "1.key").write_bytes(secret("player", 0))
    (data / "keys" / "2.key").write_bytes(secret("player", 1))
    (data / "keys" / "3.key").write_bytes(b"short")
    (data / "keys" / "4.key").mkdir()
    assert own_keys(data) == {Signer(secret("player", 0)).key, Signer(secret("player", 1)).key}
    assert sorted(path.name for path in (data / "keys").iterdir()) == ["1.key", "2.key", "3.key", "4.key"]


# ── what came of them ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("make", [target_race, stuck_race, timed_race, resigned_race, forfeited_race, busy_race])
def test_facts_are_those_of_the_verdict_in_the_order_of_places(make):
    data = make().record()
    verdict, facts = verify_record(data), facts_of(Path("a"), data)
    assert facts.fault == ""
    assert facts.outcome == verdict.outcome
    assert [each.place for each in facts.finishers] == list(range(1, len(verdict.seats) + 1))
    for each in facts.finishers:
        seat = verdict.seats[each.seat]
        assert (each.name, each.score, each.moves, each.state) == (seat.name, seat.score, seat.moves, seat.state)
    assert [each.seat for each in facts.finishers if each.won] == [facts.finishers[0].seat]


def test_who_left_last_is_placed_before_who_left_first():
    race = MadeRace(replace(TableSettings(), size=3, kind=Kind.ENDLESS, target_exponent=0), 4)
    for seat, t_ms in ((2, 500), (0, 900), (3, 950)):
        race.resign(seat, t_ms)
    race.close()
    assert [each.seat for each in facts_of(Path("a"), race.record()).finishers] == [1, 3, 0, 2]


def test_a_false_record_is_a_fault_and_nothing_else_is_told():
    race = resigned_race()
    results = race.results(race.outcome())
    facts = facts_of(Path("a"), race.record(results=[results[1], results[0]]))
    assert (facts.fault, facts.finishers) == (FALSE, ())
    assert "the Result says" in facts.reason


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_harmless_in_facts_and_in_memory(data, name):
    raw = name.encode()[:255].decode(errors="ignore")
    save(data, "a.r2048", busy_race(3, 2, (raw, "owl")).record())
    for _ in range(2):
        (judged,) = Archive(data).all_judged(saved_records(data))
        assert judged.facts is not None
        assert all(each.name.isprintable() for each in judged.facts.finishers)


# ── the memory ───────────────────────────────────────────────────────────────────────────────────────────────────


def counted(monkeypatch):
    """Returns a list that gets longer with every record that is verified."""
    verified: list[Path] = []

    def facts(path: Path, content: bytes) -> Facts:
        verified.append(path)
        return facts_of(path, content)

    monkeypatch.setattr("client.archive.facts_of", facts)
    return verified


def test_a_record_is_verified_once(data, monkeypatch):
    verified = counted(monkeypatch)
    save(data, "a.r2048", target_race().record())
    save(data, "b.r2048", b"no record")
    first = Archive(data).all_judged(saved_records(data))
    again = Archive(data).all_judged(saved_records(data))
    assert first == again
    assert len(verified) == 2


def test_a_file_that_has_changed_is_verified_again_under_the_same_name_and_time(data, monkeypatch):
    verified = counted(monkeypatch)
    save(data, "a.r2048", target_race().record(), 5)
    Archive(data).all_judged(saved_records(data))
    save(data, "a.r2048", target_race().record()[:-1], 5)
    (judged,) = Archive(data).all_judged(saved_records(data))
    assert judged.facts is not None
    assert judged.facts.fault == "damaged"
    assert len(verified) == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(re.sub(rb'"score":\d', b'"score":9', path.read_bytes())),
        lambda path: path.write_bytes(b"\xff" * 100),
    ],
    ids=["gone", "empty", "cut", "changed", "noise"],
)
def test_a_memory_that_is_damaged_is_not_believed(data, monkeypatch, spoil):
    save(data, "a.r2048", target_race().record())
    first = Archive(data).all_judged(saved_records(data))
    spoil(data / MEMORY_NAME)
    verified = counted(monkeypatch)
    assert Archive(data).all_judged(saved_records(data)) == first
    assert len(verified) == 1


def test_what_another_program_has_judged_is_not_believed(data, monkeypatch):
    save(data, "a.r2048", target_race().record())
    monkeypatch.setattr("client.archive._judge", lambda: "another")
    Archive(data).all_judged(saved_records(data))
    monkeypatch.undo()
    verified = counted(monkeypatch)
    Archive(data).all_judged(saved_records(data))
    assert len(verified) == 1


def test_a_program_that_does_not_know_its_own_code_remembers_nothing(data, monkeypatch):
    monkeypatch.setattr("client.archive._judge", lambda: "")
    save(data, "a.r2048", target_race().record())
    Archive(data).all_judged(saved_records(data))
    assert not (data / MEMORY_NAME).exists()


def test_a_directory_that_cannot_be_written_costs_only_time(data):
    save(data, "a.r2048", target_race().record())
    (data / MEMORY_NAME).mkdir()  # nothing can take this name
    (judged,) = Archive(data).all_judged(saved_records(data))
    assert judged.facts is not None
    assert judged.facts.fault == ""
    assert [path.name for path in data.iterdir() if path.name.endswith(".new")] == []


def test_a_file_that_cannot_be_read_is_listed_with_its_reason(data):
    (data / "races" / "a.r2048").mkdir()
    (judged,) = Archive(data).all_judged(saved_records(data))
    assert judged.facts is None
    assert judged.reason


def test_what_will_take_time_is_known_before(data):
    save(data, "a.r2048", target_race().record())
    save(data, "b.r2048", drawn_race().record())
    assert Archive(data).unknown(saved_records(data)) == 2
    Archive(data).all_judged(saved_records(data)[:1])
    assert Archive(data).unknown(saved_records(data)) == 1


# ── sums ─────────────────────────────────────────────────────────────────────────────────────────────────────────

ME, ME_TOO, HARE, OWL, BOT = (bytes([number]) * 32 for number in range(5))
MINE = {ME, ME_TOO}
SETTINGS = TableSettings()


def finisher(key: bytes, place: int, *, won: bool | None = None, **changes) -> Finisher:
    names = {ME: "fox", ME_TOO: "fox (2)", HARE: "hare", OWL: "owl", BOT: "lynx"}
    values = {
        "seat": place - 1, "raw_name": names[key], "key": key, "computer": key == BOT, "place": place,
        "won": place == 1 if won is None else won, "score": 1_000 * (5 - place), "max_exponent": 8, "moves": 100,
        "state": SeatState.MOVING, "last_ms": 50_000,
    }  # fmt: skip
    return Finisher(**{**values, **changes})


def race_of(*keys: bytes, settings: TableSettings = SETTINGS, winners: int = 1, **changes) -> Facts:
    """A race with these players in the order of their places, the first of whom have won."""
    finishers = tuple(finisher(key, place, won=place <= winners) for place, key in enumerate(keys, 1))
    return Facts(settings=settings, termination=Termination.TARGET, t_ms=60_000, finishers=finishers, **changes)


def counts(sums):
    return sums.wins, sums.draws, sums.losses


def test_wins_draws_and_losses_are_counted():
    races = [race_of(ME, HARE), race_of(HARE, ME), race_of(ME, HARE, winners=2), race_of(OWL, HARE, ME)]
    people = tally(races, MINE).people
    assert counts(people.sum) == (1, 1, 2)
    assert people.sum.races == 4
    assert people.sum.percent == 38


def test_each_opponent_is_counted_by_key_under_the_latest_name():
    renamed = race_of(ME, HARE)
    renamed = replace(renamed, finishers=(renamed.finishers[0], finisher(HARE, 2, raw_name="rabbit")))
    people = tally([race_of(ME, HARE, OWL), race_of(HARE, ME, OWL), renamed], MINE).people
    hare, owl = people.ranked_opponents()
    assert (hare.name, counts(hare.sum)) == ("rabbit", (2, 0, 1))
    assert (owl.name, counts(owl.sum)) == ("owl", (2, 0, 0))


def test_two_winners_are_equal_and_beat_the_others():
    people = tally([race_of(ME, HARE, OWL, winners=2)], MINE).people
    assert {each.name: counts(each.sum) for each in people.ranked_opponents()} == {"hare": (0, 1, 0), "owl": (1, 0, 0)}


def test_races_against_computer_players_alone_are_apart():
    stats = tally([race_of(BOT, ME), race_of(ME, BOT), race_of(ME, BOT, HARE)], MINE)
    assert counts(stats.computers.sum) == (1, 0, 1)
    assert counts(stats.people.sum) == (1, 0, 0)
    assert counts(stats.people.computers) == (1, 0, 0)
    assert [each.name for each in stats.people.ranked_opponents()] == ["hare"]
    assert stats.computers.ranked_opponents() == []


def test_kinds_and_sizes_are_told_apart_and_seats_are_not():
    timed = TableSettings(kind=Kind.TIMED, target_exponent=0, time_ms=60_000)
    races = [
        race_of(ME, HARE),
        race_of(ME, HARE, settings=TableSettings(seats=2, idle_ms=60_000)),
        race_of(HARE, ME, settings=timed),
        race_of(ME, HARE, settings=TableSettings(size=5, target_exponent=12)),
    ]
    by_settings = tally(races, MINE).people.by_settings
    assert [(kind.size, kind.kind, counts(sums)) for kind, sums in by_settings.items()] == [
        (4, Kind.TARGET, (2, 0, 0)),
        (4, Kind.TIMED, (0, 0, 1)),
        (5, Kind.TARGET, (1, 0, 0)),
    ]


def test_bests_and_pace_are_those_of_all_races():
    quick = Facts(
        settings=SETTINGS,
        t_ms=9,
        termination=Termination.TARGET,
        finishers=(finisher(ME, 1, moves=40, last_ms=5_000, score=9_999, max_exponent=11), finisher(HARE, 2)),
    )
    idle = replace(quick, finishers=(finisher(HARE, 1), finisher(ME, 2, moves=0, last_ms=0)))
    people = tally([race_of(ME, HARE), quick, idle], MINE).people
    assert (people.best_score, people.max_exponent) == (9_999, 11)
    assert people.moves_per_s == pytest.approx(140 / 55)
    assert people.most_moves_per_s == 8.0


def test_streaks_are_counted_from_the_oldest_race_on():
    won, lost, drawn = race_of(ME, HARE), race_of(HARE, ME), race_of(ME, HARE, winners=2)
    assert tally([won, won, won, lost, won, won], MINE).people.streak == 2
    assert tally([won, won, won, lost, won, won], MINE).people.longest_streak == 3
    assert tally([won, lost, lost], MINE).people.streak == -2
    assert tally([won, won, drawn], MINE).people.streak == 0
    assert tally([won, drawn, won], MINE).people.longest_streak == 1


def test_what_cannot_count_is_left_out_and_counted():
    stats = tally(
        [
            None,
            Facts(fault=FALSE),
            Facts(fault="damaged"),
            race_of(HARE, OWL),
            race_of(ME, HARE, seeded=True),
            replace(race_of(ME, HARE), termination=Termination.VOID),
            race_of(ME, ME_TOO),
        ],
        MINE,
    )
    assert stats.people.sum.races == stats.computers.sum.races == 0
    assert (stats.untrue, stats.watched, stats.seeded, stats.void, stats.alone) == (3, 1, 1, 1, 1)


def test_of_two_keys_of_ones_own_the_better_place_counts():
    people = tally([race_of(HARE, ME_TOO, OWL, ME)], MINE).people
    assert counts(people.sum) == (0, 0, 1)
    assert people.best_score == 3_000
    assert {each.name: counts(each.sum) for each in people.ranked_opponents()} == {"hare": (0, 0, 1), "owl": (1, 0, 0)}


def test_no_races_at_all_are_no_error():
    stats = tally([], MINE)
    assert stats.people.sum.percent == 0
    assert stats.people.moves_per_s == 0.0


def test_a_seeded_race_is_known_as_such():
    race = MadeRace(seed=bytes(32))
    race.resign(1, 900)
    race.close()
    assert facts_of(Path("a"), race.record()).seeded
