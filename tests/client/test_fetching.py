"""Fetching a record, and holding it against what was told before (deal.md 5.6)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from client import actions
from client.ending import check_record
from client.fetching import Fetching
from client.race import Race
from engine.digest import digest
from lobby.opening import DealOptions
from protocol.messages import AskRecord, RecordPiece, RecordReady, TableSettings
from protocol.signing import Signer
from protocol.tick import Tick
from tests.client.handmade import msgspec_replace
from tests.world import World

LONG = TableSettings(kind=3, target_exponent=0)
LOBBY = Signer(digest("test", b"lobby"))


def test_a_record_is_asked_for_piece_by_piece() -> None:
    fetching = Fetching(RecordReady(5, bytes(32)))
    assert fetching.ask() == AskRecord(0)
    assert fetching.take(RecordPiece(0, b"abc"))
    assert (fetching.ask(), fetching.whole) == (AskRecord(3), False)
    assert fetching.take(RecordPiece(3, b"de"))
    assert (fetching.data, fetching.whole) == (b"abcde", True)


@pytest.mark.parametrize("piece", [RecordPiece(1, b"a"), RecordPiece(0, b""), RecordPiece(0, b"abcdef")])
def test_a_piece_that_does_not_fit_is_not_taken(piece: RecordPiece) -> None:
    fetching = Fetching(RecordReady(5, bytes(32)))
    assert not fetching.take(piece)
    assert fetching.data == b""


def played(seed: str = "") -> tuple[bytes, Race]:
    """The record of a race that seat 0 won, and the race as the player of seat 1 knows it."""
    world = World(DealOptions(chain_length=64), seed=seed)
    host = world.host(LONG)
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(host, 100)
    world.press(guest, 150)
    world.run(4_000)
    world.act(host, actions.Resign())
    world.finish(host, guest)
    race = guest.session.race
    assert race is not None
    return world.archived[0].record, race


def test_a_record_of_the_race_that_was_seen_is_true() -> None:
    assert check_record(*played()).ok


def _ended(race: Race, **changes: object) -> None:
    assert race.ended is not None
    race.ended = msgspec_replace(race.ended, **changes)


def _tick(race: Race, **figures: int) -> None:
    """The lobby has told this player, and this one alone, other figures."""
    tick = Tick.decode(race.ticks[1][:-64])
    seats = (replace(tick.seats[0], **figures), *tick.seats[1:])  # type: ignore[arg-type]
    body = replace(tick, seats=seats).encode()
    race.ticks[1] = body + LOBBY.sign("tick", race.start.mix, body)


def _other_log(race: Race) -> None:
    assert race.own is not None
    race.own.log.directions[0] ^= 1


def _acked_more(race: Race) -> None:
    assert race.own is not None
    race.own.acked = len(race.own.log) + 1


def _another_race(race: Race) -> None:
    race.deal = played("other")[1].deal


def _announced_otherwise(race: Race) -> None:
    race.fetching = Fetching(RecordReady(5, bytes(32)))


LIES: dict[str, tuple[Callable[[Race], None], str]] = {
    "another race": (_another_race, "the record is of another race"),
    "another digest": (_announced_otherwise, "the record is not the one that was announced"),
    "another log": (_other_log, "the record does not hold the moves that this program made"),
    "fewer moves than acknowledged": (_acked_more, "the record does not hold the moves that this program made"),
    "other winners": (
        lambda race: _ended(race, winners=(0,)),
        "the record tells another end than the lobby told before",
    ),
    "another board": (
        lambda race: _ended(race, boards=(bytes(16), bytes(16))),
        "the record tells another end than the lobby told before",
    ),
    "another score in a tick": (
        lambda race: _tick(race, score=1_000),
        "the record tells other figures of seat 0 than the ticks told",
    ),
    "figures that went back": (
        lambda race: _tick(race, score=0, moves=0, max_exponent=0),
        "the record tells other figures of seat 0 than the ticks told",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_record_that_does_not_agree_with_what_was_told_is_found_out(lie: str) -> None:
    data, race = played()
    change, reason = LIES[lie]
    change(race)
    check = check_record(data, race)
    assert (check.ok, check.reason) == (False, reason)


def test_a_watcher_compares_what_it_was_told() -> None:
    data, race = played()
    race.own = None
    assert check_record(data, race).ok


def test_a_record_without_a_told_end_or_announcement_is_judged_by_itself() -> None:
    data, race = played()
    race.ended = race.fetching = None
    assert check_record(data, race).ok


def test_a_damaged_record_is_not_true() -> None:
    data, race = played()
    assert not check_record(data[:-1], race).ok


def test_the_digest_is_that_of_the_announcement() -> None:
    data, race = played()
    assert race.fetching is not None
    assert race.fetching.sha256 == hashlib.sha256(data).digest()
