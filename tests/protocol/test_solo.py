"""protocol/solo.py: the layout of a game alone (SPEC.md, Games alone), and reading what is not whole."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.deck import Chain, DealtDeck, SoloDeck, seed_of_text
from engine.solo import Act, SoloKind
from protocol.layout import LayoutError
from protocol.solo import (
    HEAD,
    OPENING_BYTES_MAX,
    Opening,
    Origin,
    RaceDeckPapers,
    daily_date,
    encode_act,
    encode_seal,
    is_solo,
    parse_solo,
)

KEY = bytes(range(32))
OPENING = Opening(
    size=4, kind=SoloKind.CLASSIC, target_exponent=11, origin=Origin.CHANCE, deck=bytes(32), key=KEY, name="fox"
)
CHAIN = Chain(bytes(16), bytes(32), 8)
PAPERS = RaceDeckPapers(CHAIN.chain_id, 8, CHAIN.link(8), bytes(range(32)))


def body_offset():
    return len(HEAD) + 4


@pytest.mark.parametrize(
    "opening",
    [
        OPENING,
        replace(OPENING, size=8, kind=SoloKind.ENDLESS, target_exponent=0, begun_ms=1_764_500_000_000, name="Їжак"),
        replace(OPENING, origin=Origin.TEXT, text="так", deck=seed_of_text("так")),
        replace(OPENING, origin=Origin.DAILY, text="daily/2026-11-30/4", deck=seed_of_text("daily/2026-11-30/4")),
        replace(OPENING, origin=Origin.GHOST, deck=PAPERS),
        replace(OPENING, origin=Origin.GHOST),
    ],
)
def test_an_opening_is_read_as_it_was_written(opening):
    record = parse_solo(opening.encode())
    assert record.opening == opening
    assert (record.torn, record.acts, record.good_bytes) == (None, b"", len(opening.encode()))


def test_a_seed_is_dealt_as_a_solo_deck():
    assert OPENING.dealt().draw(17) == SoloDeck(bytes(32)).draw(17)


def test_the_deck_of_a_race_is_dealt_as_it_was_there():
    opening = replace(OPENING, origin=Origin.GHOST, deck=PAPERS)
    assert opening.dealt().draw(17) == DealtDeck(CHAIN, PAPERS.mix).draw(17)


def test_against_a_ghost_there_is_no_undo():
    assert replace(OPENING, origin=Origin.GHOST).start().undo_depth == 0
    assert OPENING.start().undo_depth == 5


@pytest.mark.parametrize(
    "opening",
    [
        replace(OPENING, text="a chance has no text"),
        replace(OPENING, deck=PAPERS),
        replace(OPENING, origin=Origin.GHOST, text="nor has a ghost"),
        replace(OPENING, origin=Origin.TEXT, text="another text"),
        replace(OPENING, origin=Origin.TEXT, text="another deck", deck=PAPERS),
        replace(OPENING, origin=Origin.DAILY, text="daily", deck=seed_of_text("daily")),
        replace(OPENING, origin=Origin.DAILY, text="daily/2026-11-30/5", deck=seed_of_text("daily/2026-11-30/5")),
        replace(OPENING, origin=Origin.GHOST, deck=replace(PAPERS, chain_length=0)),
        replace(OPENING, origin=Origin.GHOST, deck=replace(PAPERS, chain_length=16_385)),
        replace(OPENING, target_exponent=2),
        replace(OPENING, target_exponent=18),
        replace(OPENING, kind=SoloKind.ENDLESS),
        replace(OPENING, size=7),
    ],
)
def test_an_opening_that_no_game_can_have_is_refused(opening):
    with pytest.raises(LayoutError):
        parse_solo(opening.encode())


@pytest.mark.parametrize(("place", "value"), [(0, 2), (2, 3), (4, 0), (5, 2)])
def test_a_number_that_means_nothing_is_refused(place, value):
    data = bytearray(OPENING.encode())
    data[body_offset() + place] = value
    with pytest.raises(LayoutError):
        parse_solo(bytes(data))


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(LayoutError, match="UTF-8"):
        parse_solo(OPENING.encode().replace(b"fox", b"f\xffx"))


def test_something_behind_the_opening_that_is_in_its_length_is_refused():
    data = bytearray(OPENING.encode()) + b"\0"
    data[len(HEAD) + 3] += 1
    with pytest.raises(LayoutError, match="too many"):
        parse_solo(bytes(data))


def test_an_opening_longer_than_any_is_refused_before_it_is_read():
    with pytest.raises(LayoutError, match="an opening of"):
        parse_solo(HEAD + (OPENING_BYTES_MAX + 1).to_bytes(4, "big"))


@pytest.mark.parametrize("data", [b"", b"solo2048", b"solo2048\2", b"race2048\1", b"<html>"])
def test_another_file_is_no_record_of_a_game_alone(data):
    with pytest.raises(LayoutError, match="no record"):
        parse_solo(data)


@pytest.mark.parametrize(("data", "wants"), [(HEAD, True), (b"solo2048\x09", True), (b"race2048\1", False)])
def test_the_first_eight_bytes_tell_it_from_the_record_of_a_race(data, wants):
    assert is_solo(data) is wants


def entries(*acts):
    data, before_ms = b"", 0
    for act, t_ms in acts:
        data += encode_act(act, t_ms, before_ms)
        before_ms = t_ms
    return data


def test_entries_are_read_with_their_times_and_seals_with_their_places():
    signature = bytes(range(64))
    start = OPENING.encode() + entries((Act.UP, 5), (Act.UNDO, 500))
    data = start + encode_seal(signature) + encode_act(Act.ENDED, 700, 500)
    record = parse_solo(data)
    assert (list(record.acts), list(record.times)) == ([Act.UP, Act.UNDO, Act.ENDED], [5, 500, 700])
    assert [(seal.offset, seal.acts, seal.signature) for seal in record.seals] == [(len(start), 2, signature)]
    assert record.torn is None


@given(st.integers(0, 200))
def test_a_file_cut_off_anywhere_behind_its_opening_is_read_up_to_the_last_whole_entry(cut):
    start = OPENING.encode()
    data = start + entries((Act.UP, 5), (Act.LEFT, 900), (Act.UNDO, 70_000)) + encode_seal(bytes(64))
    part = data[: len(start) + cut]
    record = parse_solo(part)
    assert record.good_bytes <= len(part)
    assert (record.torn is None) is (record.good_bytes == len(part))
    assert parse_solo(part[: record.good_bytes]).torn is None


@given(st.integers(0, 60))
def test_a_file_cut_off_within_its_opening_is_refused(cut):
    with pytest.raises(LayoutError):
        parse_solo(OPENING.encode()[:cut])


@pytest.mark.parametrize("code", [0, 10, 255])
def test_what_is_no_entry_ends_what_can_be_read(code):
    good = OPENING.encode() + entries((Act.UP, 5))
    record = parse_solo(good + bytes([code, 0]))
    assert record.torn is not None
    assert f"no entry {code}" in record.torn.what
    assert (record.good_bytes, len(record.acts)) == (len(good), 1)


def test_a_time_beyond_49_days_ends_what_can_be_read():
    good = OPENING.encode() + entries((Act.UP, (1 << 32) - 1))
    assert parse_solo(good).torn is None
    torn = parse_solo(good + encode_act(Act.LEFT, 1, 0)).torn
    assert torn is not None
    assert "49 days" in torn.what


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("daily/2026-11-30/4", "2026-11-30"),
        ("daily/2026-11-30/5", None),
        ("daily/2026-11-30", None),
        ("weekly/2026-11-30/4", None),
        ("daily/2026-1-30/4", None),
        ("daily/x026-11-30/4", None),
        ("daily/2026-11-30-1/4", None),
    ],
)
def test_a_daily_text_names_a_date_and_this_size(text, date):
    assert daily_date(text, 4) == date
