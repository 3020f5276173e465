"""The luck of the players of a record: of whom, on which deck, and that the verdict knows nothing of it."""

from dataclasses import fields

from engine.board import Direction
from engine.luck import COUNTED_MIN, luck
from protocol.luck import luck_of
from protocol.verdict import SeatVerdict, Verdict, verify_record
from tests.protocol.races import TIMED, MadeRace, secret, target_race


def long_race(*, seed: bytes = b"") -> MadeRace:
    """Two seats play until a bell, long enough to speak of luck."""
    race = MadeRace(TIMED, seed=seed)
    for racer in race.racers:
        racer.play(COUNTED_MIN + 10 + racer.number, step_ms=60)
    race.close()
    return race


def test_every_seat_has_its_own_luck_on_the_deck_of_the_race() -> None:
    race = long_race()
    assert verify_record(race.record()).ok
    assert luck_of(race.record()) == tuple(
        luck(4, race.deck, map(Direction, racer.log.directions), race.mix, racer.number) for racer in race.racers
    )
    assert all(found.z is not None for found in luck_of(race.record()))


def test_a_deck_dealt_from_a_seed_is_dealt_again_and_the_sample_is_that_of_the_mix() -> None:
    race = long_race(seed=secret("seed"))
    found = luck_of(race.record())
    directions = [Direction(direction) for direction in race.racers[1].log.directions]
    assert found[1] == luck(4, race.deck, directions, race.mix, 1)


def test_of_a_short_race_nothing_is_said() -> None:
    assert [found.z for found in luck_of(target_race().record())] == [None, None]


def test_luck_is_no_part_of_the_verdict() -> None:
    assert not [field.name for kind in (Verdict, SeatVerdict) for field in fields(kind) if "luck" in field.name]
