"""Records of format version 1 that were frozen: this program finds in them what it found when they were made."""

import os
import random
from collections.abc import Iterator

import pytest

from engine.race import Termination
from protocol.faults import Fault
from protocol.record import HEAD, Record
from protocol.solo_verdict import SoloFault, verify_solo
from protocol.verdict import Trust, verify_record
from tests.protocol.frozen import RECORDS, SOLO_RECORDS, expected, found
from tests.protocol.frozen_solo import found_alone
from tests.protocol.races import ENDLESS, TIMED, MadeRace

EXPECTED = expected()
TRUE = {name: says for name, says in EXPECTED.items() if not says["fault"]}
EXPECTED_ALONE = expected(SOLO_RECORDS)
TRUE_ALONE = {name: says for name, says in EXPECTED_ALONE.items() if not says["fault"]}
# One of each ending: every byte of these is changed.
ONE_OF_EACH = {str(says["termination"]): name for name, says in sorted(TRUE.items(), key=lambda item: -len(item[0]))}
LONG = bool(os.environ.get("RACE2048_LONG"))


def data_of(name: str) -> bytes:
    return (RECORDS / name).read_bytes()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_frozen_record_is_found_to_be_what_it_was(name):
    assert found(verify_record(data_of(name))) == EXPECTED[name]


def test_every_frozen_record_is_expected_and_there():
    there = {path.relative_to(RECORDS).as_posix() for path in RECORDS.glob("*/*.r2048")}
    assert there == EXPECTED.keys()


def test_every_ending_is_among_them():
    assert {says["termination"] for says in TRUE.values()} == {int(termination) for termination in Termination}


def test_every_fault_is_among_them():
    assert {says["fault"] for says in EXPECTED.values()} == {str(fault) for fault in Fault} | {""}


def test_everything_that_can_rest_on_the_lobbys_word_is_among_them():
    assert {trust for says in TRUE.values() for trust in says["trusts"]} == {str(trust) for trust in Trust}  # type: ignore[attr-defined]


def test_a_fault_of_the_file_is_told_apart_from_a_lie():
    for name, says in EXPECTED.items():
        verdict = verify_record(data_of(name))
        assert verdict.damaged is (says["fault"] in {"not-a-record", "version", "layout", "digest"}), name


@pytest.mark.parametrize("name", sorted(ONE_OF_EACH.values()))
def test_no_byte_of_a_record_can_be_changed(name):
    data = data_of(name)
    assert all(not verify_record(changed).ok for changed in every_byte_changed(data))


@pytest.mark.parametrize("seed", range(50 if LONG else 2))
def test_no_byte_of_any_record_can_be_changed(seed):
    data = random_race(random.Random(seed)).record()
    assert verify_record(data).ok
    assert all(not verify_record(changed).ok for changed in every_byte_changed(data))


def every_byte_changed(data: bytes) -> Iterator[bytes]:
    """Yields the record with one byte changed, for every byte; each is changed in another way."""
    for offset, byte in enumerate(data):
        yield data[:offset] + bytes([byte ^ (1 + offset * 37 % 255)]) + data[offset + 1 :]


def random_race(source: random.Random) -> MadeRace:
    """A race that nobody has thought of: moves at odd times, late arrivals, resignations."""
    race = MadeRace(source.choice([ENDLESS, TIMED]), source.randint(2, 4))
    for racer in race.racers:
        arrival_ms = 0
        for _ in range(source.randint(0, 40)):
            claimed_ms = racer.log.last_ms + source.randint(30, 250)
            arrival_ms = max(arrival_ms, claimed_ms + source.choice([0, 0, 0, 300]))
            racer.move(claimed_ms, arrival_ms, 100)
        racer.sign()
    for racer in race.racers[1:]:
        race.resign(racer.number, 20_000 + racer.last_ms)
    return race


def test_the_head_of_a_record_is_that_of_version_1():
    assert HEAD == b"race2048\1"


def test_a_record_is_read_without_being_encoded_again():
    """Every byte that was signed is kept as it came."""
    data = data_of("true/played-target-4x4.r2048")
    record = Record.parse(data)
    for signed in (record.deal, record.seats, record.start, record.result):
        assert signed.body + signed.signature in data


@pytest.mark.parametrize("name", EXPECTED_ALONE)
def test_a_frozen_game_alone_is_found_to_be_what_it_was(name):
    assert found_alone(verify_solo((SOLO_RECORDS / name).read_bytes())) == EXPECTED_ALONE[name]


def test_every_frozen_game_alone_is_expected_and_there():
    there = {path.relative_to(SOLO_RECORDS).as_posix() for path in SOLO_RECORDS.glob("*/*.r2048")}
    assert there == EXPECTED_ALONE.keys()


def test_every_fault_of_a_game_alone_is_among_them():
    assert {says["fault"] for says in EXPECTED_ALONE.values()} == {str(fault) for fault in SoloFault} | {""}


def test_a_broken_game_alone_lies_below_broken_and_a_true_one_below_true():
    assert all(name.startswith("broken/") is bool(says["fault"]) for name, says in EXPECTED_ALONE.items())


def test_games_alone_of_every_size_kind_origin_and_ending_are_among_them():
    assert {says["size"] for says in TRUE_ALONE.values()} == {3, 4, 5, 6, 8}
    assert {(says["kind"], says["origin"]) for says in TRUE_ALONE.values()} >= {
        (kind, origin) for kind in (1, 2) for origin in (1, 2, 4)
    } | {(1, 3)}
    assert {(says["stuck"], says["ended"]) for says in TRUE_ALONE.values()} == {
        (stuck, ended) for stuck in (False, True) for ended in (False, True)
    }


@pytest.mark.parametrize("name", ["undone-to-five", "classic-made-by-the-last-move", "ghost-of-a-race"])
def test_no_byte_of_a_sealed_game_alone_can_be_changed(name):
    data = (SOLO_RECORDS / f"true/{name}.r2048").read_bytes()
    assert all(not verify_solo(changed).ok for changed in every_byte_changed(data))
