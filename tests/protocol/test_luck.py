"""The luck of the players of a record: of whom, on which deck, and that the verdict knows nothing of it."""

from dataclasses import fields, replace

from engine.board import Direction
from engine.deck import SoloDeck
from engine.luck import COUNTED_MIN, luck
from engine.solo import Act, Solo, SoloKind
from protocol.luck import luck_of, solo_luck_of
from protocol.solo import Opening, Origin, RaceDeckPapers, SoloRecord, parse_solo
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


# ── games alone ──────────────────────────────────────────────────────────────────────────────────────────────────


def played_alone(opening: Opening, moves: int, *more: Act) -> SoloRecord:
    solo = opening.start()
    data = opening.encode()
    acts = [*(Act(solo_direction(solo, number) + 1) for number in range(moves)), *more]
    for act in more:
        assert solo.apply(act, 0)
    return parse_solo(data + b"".join(bytes([act, 0]) for act in acts))


def solo_direction(solo: Solo, number: int) -> Direction:
    legal = solo.game.board.legal_directions()
    direction = legal[number % len(legal)]
    assert solo.apply(Act(direction + 1), 0)
    return direction


ALONE = Opening(
    size=4,
    kind=SoloKind.ENDLESS,
    target_exponent=0,
    origin=Origin.CHANCE,
    deck=bytes(range(32)),
    key=bytes(32),
    name="x",
)


def test_a_game_alone_is_counted_as_seat_0_with_the_seed_of_its_deck_as_the_mix() -> None:
    record = played_alone(ALONE, COUNTED_MIN + 20, Act.LEFT_OFF)
    directions = [Direction(act - 1) for act in record.acts if act <= Act.LEFT]
    assert solo_luck_of(record) == luck(4, SoloDeck(bytes(range(32))), directions, bytes(range(32)), 0)
    found = solo_luck_of(record)
    assert found is not None
    assert found.z is not None


def test_one_on_the_deck_of_a_race_with_its_mix() -> None:
    deal = long_race()
    papers = RaceDeckPapers(deal.deal.chain_id, deal.deal.chain_length, secret("last link"), deal.mix)
    record = played_alone(replace(ALONE, origin=Origin.GHOST, deck=papers), COUNTED_MIN + 20)
    directions = [Direction(act - 1) for act in record.acts]
    assert solo_luck_of(record) == luck(4, deal.deck, directions, deal.mix, 0)


def test_of_one_in_which_moves_were_taken_back_nothing_is_said() -> None:
    assert solo_luck_of(played_alone(ALONE, COUNTED_MIN + 20, Act.UNDO)) is None
