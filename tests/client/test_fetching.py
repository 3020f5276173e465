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
from engine.race import SeatState
from lobby.opening import DealOptions
from protocol.messages import AskRecord, RecordPiece, RecordReady, TableSettings
from protocol.record import Gap
from protocol.signing import Signer
from protocol.tick import Tick
from tests.client.handmade import msgspec_replace
from tests.world import World

LONG = TableSettings(kind=3, target_exponent=0)
LOBBY = Signer(digest("test", b"lobby"))


def test_a_record_is_asked_for_piece_by_piece() -> None:
    fetching = Fetching(RecordReady(5, bytes(32)))
    assert fetching.ask() == AskRecord(bytes(32), 0)
    assert fetching.take(RecordPiece(bytes(32), 0, b"abc"))
    assert (fetching.ask(), fetching.whole) == (AskRecord(bytes(32), 3), False)
    assert fetching.take(RecordPiece(bytes(32), 3, b"de"))
    assert (fetching.data, fetching.whole) == (b"abcde", True)


@pytest.mark.parametrize(
    "piece", [RecordPiece(bytes(32), 1, b"a"), RecordPiece(bytes(32), 0, b""), RecordPiece(bytes(32), 0, b"abcdef")]
)
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
    data, race = played()
    assert check_record(data, race.seen()).ok


def _ended(race: Race, **changes: object) -> None:
    assert race.ended is not None
    race.ended = msgspec_replace(race.ended, **changes)


def ticks(race: Race) -> list[Tick]:
    return [Tick.decode(signed[:-64]) for signed in race.ticks]


def _signed(race: Race, tick: Tick) -> bytes:
    body = tick.encode()
    return body + LOBBY.sign("tick", race.start.mix, body)


def _tick(race: Race, **figures: int) -> None:
    """The lobby has told this player, and this one alone, other figures."""
    tick = ticks(race)[1]
    seats = (replace(tick.seats[0], **figures), *tick.seats[1:])  # type: ignore[arg-type]
    race.ticks[1] = _signed(race, replace(tick, seats=seats))


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


def _too_soon(race: Race) -> None:
    """The lobby told of moves at a time before they count."""
    tick = Tick.decode(race.ticks[-1][:-64])
    race.ticks[-1:] = [_signed(race, replace(tick, lobby_ms=race.start.start_ms + 1_000))]


def _untold_absence(race: Race) -> None:
    """The lobby told of an absence that the record does not know."""
    race.gaps.append(Gap(1, 2_500))


LIES: dict[str, tuple[Callable[[Race], None], str, str]] = {
    "another race": (_another_race, "other-race", ""),
    "another digest": (_announced_otherwise, "other-record", ""),
    "another log": (_other_log, "own-moves", ""),
    "fewer moves than acknowledged": (_acked_more, "own-moves", ""),
    "other winners": (lambda race: _ended(race, winners=(0,)), "end", ""),
    "another board": (lambda race: _ended(race, boards=(bytes(16), bytes(16))), "end", ""),
    "an absence of the lobby that was told": (_untold_absence, "gaps", ""),
    "another score in a tick": (lambda race: _tick(race, score=1_000), "figures", "fox"),
    "another max tile in a tick": (lambda race: _tick(race, max_exponent=9), "figures", "fox"),
    "more moves in a tick than were made": (lambda race: _tick(race, moves=1_000), "figures", "fox"),
    "figures that went back": (lambda race: _tick(race, score=0, moves=0, max_exponent=0), "figures", "fox"),
    "moves before they were made": (_too_soon, "figures", "fox"),
    "somebody stuck who was not": (lambda race: _tick(race, state=SeatState.STUCK), "figures", "fox"),
    "somebody resigned too soon": (lambda race: _tick(race, state=SeatState.RESIGNED), "figures", "fox"),
    "somebody forfeited who did not": (lambda race: _tick(race, state=SeatState.FORFEITED), "figures", "fox"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_record_that_does_not_agree_with_what_was_told_is_found_out(lie: str) -> None:
    data, race = played()
    change, reason, detail = LIES[lie]
    change(race)
    check = check_record(data, race.seen())
    assert (check.ok, check.reason, check.detail) == (False, reason, detail)


def test_a_seat_that_had_left_cannot_have_been_told_to_move_on() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guests = [world.join(host, name) for name in ("owl", "hare")]
    world.start(host, *guests)
    for client, after_ms in ((host, 2_000), (guests[1], 3_000)):
        world.run(after_ms)
        world.act(client, actions.Resign())
    world.finish(host, *guests)
    data, race = world.archived[0].record, guests[0].session.race
    assert race is not None
    resigned = next(tick for tick in ticks(race) if tick.seats[0].state is SeatState.RESIGNED)
    moving = replace(resigned.seats[0], state=SeatState.MOVING)
    later = replace(resigned, number=resigned.number + 1, lobby_ms=resigned.lobby_ms + 5_000)
    assert check_record(data, race.seen()).ok
    race.ticks.append(_signed(race, replace(later, seats=(moving, *later.seats[1:]))))
    assert check_record(data, race.seen()).reason == "figures"


def test_a_record_with_an_absence_in_which_the_lobby_told_something_is_found_out() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(host, 100, times=20)
    world.run(2_500)
    world.now_ms += 60_000  # the lobby's machine sleeps
    world.run(4_000)
    world.act(host, actions.Resign())
    world.finish(host, guest)
    data, race = world.archived[0].record, guest.session.race
    assert race is not None
    assert check_record(data, race.seen()).ok
    (gap,) = race.gaps
    tick = ticks(race)[0]
    within = replace(tick, lobby_ms=race.start.start_ms + gap.from_ms + 1)
    race.ticks.append(_signed(race, within))
    assert check_record(data, race.seen()).reason == "gaps"


def test_a_stuck_seat_may_be_told_stuck_before_its_last_figures_are_due() -> None:
    """The state in a tick is that of the moment, the figures are those of the last full second (rules 3.6)."""
    world = World(DealOptions(chain_length=64))
    host = world.host(TableSettings(size=3, kind=3, target_exponent=0))
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(host, 30)
    world.press(guest, 170)
    world.finish(host, guest)
    race = guest.session.race
    assert race is not None
    assert any(tick.seats[0].state is SeatState.STUCK for tick in ticks(race))
    assert race.check is not None
    assert race.check.ok, race.check


def test_a_watcher_compares_what_it_was_told() -> None:
    data, race = played()
    race.own = None
    assert check_record(data, race.seen()).ok


def test_a_record_without_a_told_end_or_announcement_is_judged_by_itself() -> None:
    data, race = played()
    race.ended = race.fetching = None
    assert check_record(data, race.seen()).ok


def test_a_damaged_record_is_not_true() -> None:
    data, race = played()
    assert not check_record(data[:-1], race.seen()).ok


def test_the_digest_is_that_of_the_announcement() -> None:
    data, race = played()
    assert race.fetching is not None
    assert race.fetching.sha256 == hashlib.sha256(data).digest()
