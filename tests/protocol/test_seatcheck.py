"""What seatcheck.py remembers of a replay: the board after any move, as a replay from the start makes it."""

import pytest

from engine.board import Board, Direction
from engine.deck import Chain, DealtDeck
from engine.game import Game
from engine.race import Kind
from protocol.deal import Deal, Start
from protocol.messages import TableSettings
from protocol.verdict import judge_record
from tests.computers import record_of


@pytest.fixture(scope="module")
def judged():
    settings = TableSettings(seats=2, kind=Kind.TIMED, target_exponent=0, time_ms=45_000, idle_ms=0)
    found = judge_record(record_of(settings, seed="e", paces=(4.0, 4.0)))
    assert found.verdict.ok
    return found


def replayed(deck: DealtDeck, directions: bytes) -> Board:
    game = Game(4, deck)
    for direction in directions:
        game.move(Direction(direction))
    return game.board


@pytest.mark.parametrize("moves", [0, 1, 63, 64, 65, 128, 130])
def test_the_board_after_any_move_is_the_one_of_a_replay(judged, moves):
    record = judged.record
    deal, mix = Deal.decode(record.deal.body), Start.decode(record.start.body).mix
    deck = DealtDeck(Chain(deal.chain_id, record.last_link, deal.chain_length), deal.deck_mix(mix))
    check = judged.checks[0]
    assert len(check.moves) > moves
    assert check.board_after(moves, deck) == replayed(deck, check.log.directions[:moves])
    assert check.board_after(moves, deck) == replayed(deck, check.log.directions[:moves])  # asking changes nothing
