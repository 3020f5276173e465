"""Tests of engine/deck.py."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import Board
from engine.deck import (
    CHAIN_LENGTH,
    Chain,
    ChainBroken,
    DealtDeck,
    Draw,
    LinkMissing,
    RaceDeck,
    SoloDeck,
    daily_text,
    draws_of_link,
    link_before,
    seed_of_text,
    seeded_chain,
)
from engine.digest import digest, u32

GOLDEN = json.loads((Path(__file__).parents[1] / "vectors" / "decks.json").read_text())
RACE = GOLDEN["race"]
CHAIN_ID, LAST, ANCHOR, MIX = (bytes.fromhex(RACE[name]) for name in ("chain_id", "last", "anchor", "mix"))
LENGTH = RACE["length"]
SEED = bytes(range(32))


def golden_draws(deck: str) -> list[Draw]:
    return [Draw({2: 1, 4: 2}[value], int(lot, 16)) for value, lot in GOLDEN[deck]["draws"]]


def golden_chain() -> Chain:
    return Chain(CHAIN_ID, LAST, LENGTH)


def race_deck() -> RaceDeck:
    return RaceDeck(CHAIN_ID, ANCHOR, MIX, LENGTH)


def test_a_solo_deck_deals_the_golden_draws() -> None:
    deck = SoloDeck(bytes.fromhex(GOLDEN["solo"]["seed"]))
    assert [deck.draw(d) for d in range(256)] == golden_draws("solo")


def test_a_dealt_race_deck_deals_the_golden_draws() -> None:
    deck = DealtDeck(golden_chain(), MIX)
    assert [deck.draw(d) for d in range(256)] == golden_draws("race")


def test_a_race_deck_deals_the_golden_draws() -> None:
    deck = race_deck()
    deck.extend(32, golden_chain().link(32))
    assert [deck.draw(d) for d in range(256)] == golden_draws("race")


def test_draws_do_not_depend_on_the_order_they_are_asked_for() -> None:
    deck = SoloDeck(bytes.fromhex(GOLDEN["solo"]["seed"]))
    assert [deck.draw(d) for d in range(255, -1, -1)] == golden_draws("solo")[::-1]


def test_a_chain_has_the_golden_links() -> None:
    chain = golden_chain()
    links = [bytes.fromhex(link) for link in RACE["links"]]
    assert [chain.link(i) for i in range(len(links))] == links
    assert (chain.anchor, chain.link(LENGTH)) == (ANCHOR, LAST)


def test_a_link_yields_the_one_before() -> None:
    chain = golden_chain()
    assert [link_before(CHAIN_ID, i, chain.link(i)) for i in (1, 17, 64)] == [chain.link(i) for i in (0, 16, 63)]


@given(st.lists(st.integers(0, 400), min_size=1))
def test_links_do_not_depend_on_the_order_they_are_asked_for(wanted) -> None:
    chain = Chain(CHAIN_ID, LAST, 400)
    link, links = LAST, {400: LAST}
    for i in range(400, 0, -1):
        links[i - 1] = link = link_before(CHAIN_ID, i, link)
    assert [chain.link(i) for i in wanted] == [links[i] for i in wanted]


@pytest.mark.parametrize("i", [-1, 65])
def test_a_chain_has_no_link_outside(i) -> None:
    with pytest.raises(ValueError, match=f"link {i} of a chain of 64 links"):
        golden_chain().link(i)


@pytest.mark.parametrize("d", [-1, 512])
def test_a_deck_has_no_draw_outside(d) -> None:
    with pytest.raises(ValueError, match=f"draw {d} of a deck of 512 draws"):
        DealtDeck(golden_chain(), MIX).draw(d)


def test_a_dealt_deck_knows_all_its_draws() -> None:
    deck = DealtDeck(golden_chain(), MIX)
    assert deck.known_draws == deck.draw_count == 512


def test_a_race_deck_holds_as_many_draws_as_the_rules_say() -> None:
    assert RaceDeck(CHAIN_ID, ANCHOR, MIX).draw_count == 131_072


def test_a_race_deck_knows_eight_draws_a_link() -> None:
    deck = race_deck()
    assert deck.known_draws == 0
    deck.extend(3, golden_chain().link(3))
    assert deck.known_draws == 24
    assert deck.draw(23) == golden_draws("race")[23]
    with pytest.raises(LinkMissing, match="link 4 is not known, only 3 of 64 are"):
        deck.draw(24)


@given(st.lists(st.integers(0, LENGTH), min_size=1))
def test_a_race_deck_deals_as_far_as_its_highest_link_however_it_came(order) -> None:
    chain, deck = golden_chain(), race_deck()
    for i in order:
        deck.extend(i, chain.link(i))
        assert deck.known_draws % 8 == 0
    assert deck.known_draws == 8 * max(order)
    dealt = DealtDeck(chain, MIX)
    known = range(deck.known_draws)
    assert [deck.draw(d) for d in known] == [dealt.draw(d) for d in known]


@pytest.mark.parametrize("i", [0, 1, 19, 20, 21, 64])
def test_a_link_of_another_chain_is_refused_and_changes_nothing(i) -> None:
    deck = race_deck()
    deck.extend(20, golden_chain().link(20))
    with pytest.raises(ChainBroken, match=f"link {i} does not lead to link {min(i, 20)}"):
        deck.extend(i, b"x" * 32)
    assert deck.known_draws == 160
    deck.extend(64, LAST)
    assert deck.known_draws == 512


def test_a_link_under_another_number_is_refused() -> None:
    with pytest.raises(ChainBroken):
        race_deck().extend(5, golden_chain().link(4))


@pytest.mark.parametrize(("i", "link"), [(-1, LAST), (65, LAST), (1 << 40, LAST), (64, LAST + b"x"), (64, b"")])
def test_what_cannot_be_a_link_is_refused_before_it_is_hashed(i, link) -> None:
    with pytest.raises(ChainBroken, match="no link of a chain of 64"):
        race_deck().extend(i, link)


def test_a_seeded_race_can_be_dealt_again_from_its_seed() -> None:
    chain = seeded_chain(SEED, 64)
    assert chain.link(64) == SEED
    assert chain.chain_id == digest("chain", SEED)[:16]
    key = digest("draw", SEED, u32(3), chain.link(3))
    assert DealtDeck(chain, SEED).draw(17) == draws_of_link(key, 3)[1]


def test_a_text_is_the_same_seed_however_its_accents_are_written() -> None:
    assert seed_of_text("ré") == seed_of_text("re\u0301") == digest("text", u32(3), b"r\xc3\xa9")


def test_the_daily_deck_has_a_text() -> None:
    assert daily_text("2025-07-01", 4) == "daily/2025-07-01/4"


@pytest.mark.parametrize(
    "make",
    [
        lambda: SoloDeck(b"short"),
        lambda: Chain(b"short", LAST),
        lambda: Chain(CHAIN_ID, b"short"),
        lambda: seeded_chain(b"short"),
        lambda: DealtDeck(golden_chain(), b"short"),
        lambda: RaceDeck(b"short", ANCHOR, MIX),
        lambda: RaceDeck(CHAIN_ID, b"short", MIX),
        lambda: RaceDeck(CHAIN_ID, ANCHOR, b"short"),
    ],
)
def test_secrets_of_a_wrong_length_are_refused(make) -> None:
    with pytest.raises(ValueError, match="of 5 bytes"):
        make()


def test_one_draw_in_ten_is_a_four() -> None:
    """χ² of one degree of freedom over 100,000 draws, at 0.9999."""
    deck = SoloDeck(b"value of a tile, chi squared ...")
    fours = sum(deck.draw(d).exponent == 2 for d in range(100_000))
    assert (fours - 10_000) ** 2 / 10_000 + (fours - 10_000) ** 2 / 90_000 < 15.14


def test_values_do_not_depend_on_the_cells_that_are_empty() -> None:
    deck, other_deck = SoloDeck(SEED), SoloDeck(SEED)
    roomy, crowded = Board.empty(8), Board.parse("2 4 8 / 2 4 8 / 2 . .")
    values = [max(roomy.spawn(*deck.draw(d)).cells) for d in range(10_000)]
    others = [sum(crowded.spawn(*other_deck.draw(d)).cells) - sum(crowded.cells) for d in range(10_000)]
    assert values == others


def test_draws_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from engine.deck import SoloDeck, seed_of_text\n"
        "deck = SoloDeck(seed_of_text('daily/2025-07-01/4'))\n"
        "print([tuple(deck.draw(d)) for d in range(1000)])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4294967295")
    }
    deck = SoloDeck(seed_of_text("daily/2025-07-01/4"))
    assert outputs == {f"{[tuple(deck.draw(d)) for d in range(1000)]}\n".encode()}


def test_a_whole_race_deck_takes_little_memory() -> None:
    chain = Chain(CHAIN_ID, LAST)
    deck = RaceDeck(CHAIN_ID, chain.anchor, MIX)
    tracemalloc.start()
    for i in range(1, CHAIN_LENGTH + 1, 13):
        deck.extend(i, chain.link(i))
        deck.draw(8 * (i - 1))
    used_bytes = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used_bytes < 300_000


@pytest.mark.parametrize("length", [1, 127, 128, 129, 1_000])
def test_a_chain_that_is_resumed_is_the_one_that_was_kept(length: int) -> None:
    chain = Chain(bytes(range(16)), bytes(range(32)), length)
    again = Chain.resumed(chain.chain_id, chain.length, chain.kept)
    assert len(chain.kept) == 32 * (length // 128 + 2)
    assert (again.chain_id, again.length, again.anchor, again.kept) == (
        chain.chain_id, chain.length, chain.anchor, chain.kept
    )  # fmt: skip
    assert [again.link(i) for i in range(length + 1)] == [chain.link(i) for i in range(length + 1)]


@pytest.mark.parametrize("length", [1, 127, 128, 129, 1_000])
def test_a_chain_made_in_pieces_is_the_one_made_in_one_go(length: int) -> None:
    whole = Chain(bytes(16), bytes(32), length)
    *waits, made = Chain.in_pieces(bytes(16), bytes(32), length)
    assert waits == [None] * -(-length // 128)
    assert made is not None
    assert (made.chain_id, made.length, made.anchor, made.kept) == (
        whole.chain_id, whole.length, whole.anchor, whole.kept
    )  # fmt: skip
