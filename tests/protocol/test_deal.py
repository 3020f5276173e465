"""protocol/deal.py: the documents that open a race."""

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.deck import seeded_chain_id
from engine.race import Kind
from protocol import limits
from protocol.deal import (
    Deal,
    Ready,
    Seats,
    Start,
    commitment,
    document_hash,
    mix,
    settings_fault,
)
from protocol.layout import LayoutError
from protocol.messages import Signed, TableSettings
from tests.protocol.races import ENDLESS, TARGET_8, TIMED, MadeRace, secret

RACE = MadeRace(seats=3, computers=[2])
DEAL = RACE.deal
BODY = DEAL.encode()
WINDOWS_AT = 2 + 32 + 16 + 4 + 16 + 32 + 4 + 4 + 12


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def with_windows(**changes: int) -> bytes:
    """The body of a Deal with other windows."""
    return MadeRace(windows=msgspec.structs.replace(limits.WINDOWS, **changes)).deal.encode()


@pytest.mark.parametrize("settings", [TARGET_8, ENDLESS, TIMED])
def test_a_deal_is_read_as_it_was_written(settings):
    deal = MadeRace(settings).deal
    assert Deal.decode(deal.encode()) == deal


def test_a_seeded_deal_says_so_and_names_its_seed():
    deal = MadeRace(seed=secret("seed")).deal
    assert Deal.decode(deal.encode()) == deal
    assert deal.seeded
    assert not DEAL.seeded


def test_the_seed_stands_in_place_of_the_mix():
    assert MadeRace(seed=secret("seed")).deal.deck_mix(secret("mix")) == secret("seed")
    assert DEAL.deck_mix(secret("mix")) == secret("mix")


@pytest.mark.parametrize("version", [b"\0\1", b"\2\1", b"\1\2"])
def test_a_deal_of_another_version_is_refused(version):
    with pytest.raises(LayoutError, match="version this program does not know"):
        Deal.decode(version + BODY[2:])


def test_a_deal_that_is_cut_off_or_too_long_is_refused():
    for body in (BODY[:-1], BODY + b"\0", b""):
        with pytest.raises(LayoutError):
            Deal.decode(body)


@pytest.mark.parametrize("chain_length", [0, 16_385])
def test_a_chain_of_no_or_too_many_links_is_refused(chain_length):
    body = bytearray(BODY)
    body[102:106] = chain_length.to_bytes(4, "big")
    with pytest.raises(LayoutError, match="chain length"):
        Deal.decode(bytes(body))


def test_an_unknown_flag_is_refused():
    with pytest.raises(LayoutError, match="a flag"):
        Deal.decode(BODY[:-1] + b"\2")


@pytest.mark.parametrize("changes", [{"offers_max": 8}, {"moves_per_s": 0}, {"moves_per_s": 1_001}])
def test_windows_no_race_can_have_are_refused(changes):
    with pytest.raises(LayoutError, match="windows"):
        Deal.decode(with_windows(**changes))


def test_settings_no_table_can_have_are_refused():
    body = bytearray(BODY)
    body[107] = 7
    with pytest.raises(LayoutError, match="settings no table can have: size"):
        Deal.decode(bytes(body))


@pytest.mark.parametrize(
    ("fault", "changes"),
    [
        ("seats", {"seats": 1}),
        ("seats", {"seats": 5}),
        ("size", {"size": 7}),
        ("kind", {"kind": 4, "target_exponent": 0}),
        ("target", {"target_exponent": 2}),
        ("target", {"target_exponent": 18}),
        ("target", {"kind": Kind.ENDLESS}),
        ("time", {"time_ms": 60_000}),
        ("time", {"kind": Kind.TIMED, "target_exponent": 0, "time_ms": 4_999, "idle_ms": 0}),
        ("time", {"kind": Kind.TIMED, "target_exponent": 0, "time_ms": 3_600_001, "idle_ms": 0}),
        ("lead", {"lead": 7}),
        ("idle", {"idle_ms": 999}),
        ("idle", {"kind": Kind.TIMED, "target_exponent": 0, "time_ms": 60_000}),
    ],
)
def test_the_first_wrong_setting_is_named(fault, changes):
    assert settings_fault(msgspec.structs.replace(TableSettings(), **changes)) == fault


@pytest.mark.parametrize("settings", [TableSettings(), TARGET_8, ENDLESS, TIMED, TableSettings(idle_ms=0)])
def test_right_settings_have_no_fault(settings):
    assert settings_fault(settings) is None


def test_a_deal_gives_the_terms_of_its_race():
    terms = Deal.decode(MadeRace(TIMED).deal.encode()).terms(2)
    assert (terms.seats, terms.kind, terms.bell_ms, terms.target_exponent) == (2, Kind.TIMED, 5_000, 0)
    assert (terms.offer_lapse_ms, terms.offer_wait_ms, terms.offers_max) == (30_000, 10_000, 5)


def test_a_document_hash_covers_length_body_and_signature():
    document = Signed(b"body", bytes(64))
    assert document_hash("deal", document) == sha256(b"race2048/1/deal\0", b"\0\0\0\4", b"body", bytes(64))


def test_a_commitment_covers_deal_player_and_nonce():
    assert commitment(b"D" * 32, b"K" * 32, b"N" * 32) == sha256(b"race2048/1/nonce\0", b"D" * 32, b"K" * 32, b"N" * 32)


def test_a_mix_covers_deal_seats_and_all_nonces_in_order():
    parts = [b"D" * 32, b"S" * 32, b"0" * 32, b"1" * 32]
    assert mix(parts[0], parts[1], parts[2:]) == sha256(b"race2048/1/mix\0", *parts)


def test_the_chain_id_of_a_seed_is_half_a_hash():
    assert seeded_chain_id(b"S" * 32) == sha256(b"race2048/1/chain\0", b"S" * 32)[:16]


@given(st.binary(min_size=32, max_size=32), st.text(max_size=60), st.booleans())
def test_a_ready_is_read_as_it_was_written(key, name, computer):
    ready = Ready(key, secret("promise"), name, computer)
    assert Ready.decode(ready.encode()) == ready


def test_a_ready_with_an_unknown_flag_is_refused():
    body = bytearray(RACE.seats.readies[0].body)
    body[64] = 2
    with pytest.raises(LayoutError, match="unknown flag"):
        Ready.decode(bytes(body))


def test_a_name_that_is_not_utf_8_is_refused():
    body = RACE.seats.readies[0].body
    with pytest.raises(LayoutError, match="not UTF-8"):
        Ready.decode(body[:-1] + b"\xff")


def test_seats_are_read_as_they_were_written():
    assert Seats.decode(RACE.seats.encode()) == RACE.seats


@pytest.mark.parametrize("count", [1, 5])
def test_seats_are_two_to_four(count):
    ready = RACE.seats.readies[0]
    with pytest.raises(LayoutError, match=f"{count} seats"):
        Seats.decode(Seats((ready,) * count).encode())


def test_the_players_stand_in_seat_order():
    players = RACE.seats.players(RACE.deal_hash)
    assert [(player.name, player.computer) for player in players] == [("fox", False), ("owl", False), ("hare", True)]


def test_a_ready_for_another_deal_is_false():
    with pytest.raises(LayoutError, match="seat 0: the signature of its Ready is false"):
        RACE.seats.players(bytes(32))


def test_a_start_is_read_as_it_was_written():
    assert Start.decode(RACE.start.encode()) == RACE.start


@given(st.binary(max_size=300))
def test_reading_a_document_raises_nothing_but_layout_errors(body):
    for document in (Deal, Ready, Seats, Start):
        try:
            read = document.decode(body)
        except LayoutError:
            continue
        assert read.encode() == body


@given(st.integers(0, len(BODY) - 1), st.integers(0, 255))
def test_a_deal_with_any_byte_changed_is_refused_or_read_as_it_stands(place, byte):
    body = BODY[:place] + bytes([byte]) + BODY[place + 1 :]
    try:
        deal = Deal.decode(body)
    except LayoutError:
        return
    assert deal.encode() == body
