"""The moves of a running race on disk."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.events import KeepMove
from client.memory import MoveMemory

RACE = b"m" * 32
OTHER = b"o" * 32


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MoveMemory]:
    opened = MoveMemory(tmp_path / "moves")
    yield opened
    opened.close()


def keep(memory: MoveMemory, *moves: tuple[int, int], race: bytes = RACE, first: int = 1) -> None:
    for number, (direction, t_ms) in enumerate(moves, first):
        memory.keep(KeepMove(race, number, direction, t_ms))


def test_what_was_kept_is_recalled_by_another_process(memory: MoveMemory, tmp_path: Path) -> None:
    keep(memory, (3, 10), (0, 1_000_000))
    assert MoveMemory(tmp_path / "moves").recall(RACE) == (b"\x03\x00", (10, 1_000_000))


def test_nothing_is_recalled_of_a_race_that_was_not_played(memory: MoveMemory) -> None:
    assert memory.recall(RACE) == (b"", ())


def test_races_are_kept_apart(memory: MoveMemory) -> None:
    keep(memory, (1, 10))
    keep(memory, (2, 20), race=OTHER)
    keep(memory, (3, 30), first=2)
    assert memory.recall(RACE) == (b"\x01\x03", (10, 30))


def test_a_move_cut_off_by_a_crash_is_not_counted(memory: MoveMemory, tmp_path: Path) -> None:
    keep(memory, (1, 10), (2, 20))
    memory.close()
    (path,) = (tmp_path / "moves").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert memory.recall(RACE) == (b"\x01", (10,))


def test_a_move_kept_again_takes_the_place_of_what_followed(memory: MoveMemory) -> None:
    keep(memory, (1, 10), (2, 20), (3, 30))
    keep(memory, (0, 25), first=2)
    assert memory.recall(RACE) == (b"\x01\x00", (10, 25))


def test_old_races_are_forgotten_and_new_ones_are_not(memory: MoveMemory, tmp_path: Path) -> None:
    keep(memory, (1, 10))
    keep(memory, (2, 20), race=OTHER)
    memory.close()
    os.utime(tmp_path / "moves" / f"{RACE.hex()}.moves", (1, 1))
    keep(memory, (3, 30), race=b"n" * 32)  # a new race is begun
    assert memory.recall(RACE) == (b"", ())
    assert memory.recall(OTHER) == (b"\x02", (20,))
