"""What may follow a Deal at its table (deal.md 3.1, 3.4), in a row of Deals made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from client.succession import Succession, unusual
from protocol.deal import Deal
from protocol.limits import Windows
from protocol.messages import TableSettings

FIRST = Deal(
    lobby_key=b"l" * 32,
    table_id=b"t" * 16,
    race_number=1,
    chain_id=b"c" * 16,
    anchor=b"a" * 32,
    settings=TableSettings(),
)
HASH, RECORD, OTHER = b"h" * 32, b"r" * 32, b"o" * 32
# The fourth Deal for the third race: there is something before it on every count.
LATER = replace(FIRST, race_number=3, burnt=3, previous_deal=b"p" * 32, previous_record=b"q" * 32)


def after(deal: Deal = LATER, fate: str = "burnt") -> Succession:
    """A row whose last Deal has this fate."""
    row = Succession()
    row.take(deal, HASH)
    if fate == "burnt":
        row.burn()
    elif fate == "played":
        row.play()
    elif fate == "recorded":
        row.play(RECORD)
    return row


def following(**changes: object) -> Deal:
    """The Deal that follows LATER when that was burnt."""
    numbers: dict[str, object] = {"burnt": 4, "previous_deal": HASH, "anchor": b"b" * 32, "chain_id": b"d" * 16}
    return replace(LATER, **{**numbers, **changes})  # type: ignore[arg-type]


def next_race(**changes: object) -> Deal:
    """The Deal that follows LATER when that was raced on."""
    return following(**{"race_number": 4, "burnt": 0, "previous_record": RECORD, **changes})


@pytest.mark.parametrize(
    ("deal", "fits"),
    [
        (FIRST, True),
        (LATER, True),
        (replace(FIRST, burnt=1, previous_deal=OTHER), True),
        (replace(FIRST, race_number=2, previous_deal=OTHER, previous_record=OTHER), True),
        (replace(FIRST, previous_deal=OTHER), False),
        (replace(FIRST, previous_record=OTHER), False),
        (replace(FIRST, burnt=1), False),
        (replace(FIRST, race_number=2), False),
        (replace(FIRST, race_number=0, previous_deal=OTHER), False),
    ],
)
def test_the_first_deal_that_is_seen_has_something_before_it_exactly_if_it_says_so(deal: Deal, fits: bool) -> None:
    for missed in (False, True):
        assert Succession().fault(deal, missed=missed) == ("" if fits else "deal-order")


def test_after_a_burnt_deal_comes_the_next_for_the_same_race() -> None:
    assert after().fault(following(), missed=False) == ""


@pytest.mark.parametrize("fate", ["played", "recorded"])
def test_after_one_that_was_raced_on_comes_the_first_for_the_next_race(fate: str) -> None:
    assert after(fate=fate).fault(next_race(), missed=False) == ""


def test_a_deal_that_stands_is_followed_by_none_that_we_are_there_to_see() -> None:
    assert after(fate="stands").fault(following(), missed=False) == "deal-unburnt"
    assert after(fate="stands").fault(next_race(), missed=False) == "deal-unburnt"


@pytest.mark.parametrize("changes", [{"burnt": 5}, {"race_number": 4, "burnt": 0}, {"race_number": 4, "burnt": 1}])
def test_a_number_may_be_left_out_only_while_we_are_away(changes: dict[str, object]) -> None:
    assert after().fault(following(**changes), missed=False) == "deal-order"
    assert after().fault(following(**changes), missed=True) == ""
    assert after(fate="stands").fault(following(**changes), missed=True) == ""


@pytest.mark.parametrize("fate", ["burnt", "stands", "recorded"])
@pytest.mark.parametrize("changes", [{"burnt": 3}, {"burnt": 2}, {"race_number": 2, "burnt": 9}])
def test_a_deal_that_goes_back_or_stands_beside_another_is_refused_even_then(
    fate: str, changes: dict[str, object]
) -> None:
    assert after(fate=fate).fault(following(**changes), missed=True) == "deal-order"


def test_a_race_that_is_over_is_dealt_no_more_even_while_we_are_away() -> None:
    assert after(fate="recorded").fault(following(), missed=True) == "deal-order"


@pytest.mark.parametrize("missed", [False, True])
def test_the_next_deal_names_the_one_before(missed: bool) -> None:
    assert after().fault(following(previous_deal=OTHER), missed=missed) == "deal-order"
    assert after(fate="recorded").fault(next_race(previous_deal=OTHER), missed=missed) == "deal-order"


@pytest.mark.parametrize("burnt", [4, 6])
def test_every_deal_for_a_race_names_the_same_record(burnt: int) -> None:
    deal = following(burnt=burnt, previous_record=OTHER)
    assert after().fault(deal, missed=True) == "deal-order"
    assert after(fate="stands").fault(deal, missed=True) == "deal-order"


@pytest.mark.parametrize("burnt", [0, 2])
def test_every_deal_after_a_race_names_its_record_once_that_is_known(burnt: int) -> None:
    deal = next_race(burnt=burnt, previous_record=OTHER)
    assert after(fate="recorded").fault(deal, missed=True) == "deal-order"
    assert after(fate="played").fault(deal, missed=True) == ""


def test_of_one_race_no_second_record_is_announced() -> None:
    row = after(fate="played")
    assert row.play(RECORD)
    assert row.play(RECORD)
    assert not row.play(OTHER)


@pytest.mark.parametrize(
    "changes",
    [{"table_id": b"u" * 16}, {"windows": Windows(away_ms=5_000)}, {"chain_length": 8}, {"seed": b"s" * 32}],
)
def test_nothing_but_people_changes_the_terms_of_a_table(changes: dict[str, object]) -> None:
    for missed in (False, True):
        assert after().fault(following(**changes), missed=missed) == "deal-terms"


def test_other_settings_are_noticed_and_are_no_fault_of_the_row() -> None:
    other = following(settings=TableSettings(size=5))
    assert after().fault(other, missed=False) == ""
    assert after().changes_settings(other)
    assert not after().changes_settings(following())
    assert not Succession().changes_settings(FIRST)


@pytest.mark.parametrize("fate", ["burnt", "recorded"])
def test_a_deck_that_everybody_knows_is_dealt_no_more_however_long_ago_it_was(fate: str) -> None:
    row = after(fate=fate)
    later = next_race() if fate == "recorded" else following()
    row.take(later, OTHER)
    row.burn()
    again = replace(later, burnt=later.burnt + 1, previous_deal=OTHER, anchor=LATER.anchor)
    assert row.fault(again, missed=False) == "deal-again"


def test_a_deck_from_a_seed_may_come_again_since_it_was_never_a_secret() -> None:
    seeded = replace(LATER, seed=b"s" * 32)
    row = after(seeded)
    assert row.fault(replace(seeded, burnt=4, previous_deal=HASH), missed=False) == ""


def test_a_deal_under_the_usual_limits_is_not_unusual() -> None:
    assert not unusual(FIRST)
    assert unusual(replace(FIRST, windows=Windows(nonce_ms=1)))
    assert unusual(replace(FIRST, chain_length=64))
