"""protocol/tick.py: what everyone may know of a running race."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.race import SeatState
from protocol.layout import LayoutError
from protocol.tick import EPOCH_SHIFT, NO_SEAT, OfferFigures, SeatFigures, Tick

FIGURES = (
    SeatFigures(SeatState.MOVING, 20_412, 11, 1_105),
    SeatFigures(SeatState.STUCK, 14_880, 10, 903, deck_used_up=True, away_until_ms=99_000),
)
OFFER = OfferFigures(9, 1, (1,), 42_000)
TICK = Tick(3 << EPOCH_SHIFT | 7, 12_345, FIGURES)

seats = st.builds(
    SeatFigures,
    st.sampled_from(SeatState),
    st.integers(0, 2**32 - 1),
    st.integers(0, 65),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.integers(0, 2**64 - 1),
)
offers = st.builds(
    OfferFigures,
    st.integers(0, 255),
    st.integers(0, 1),
    st.sets(st.integers(0, 1)).map(sorted).map(tuple),
    st.integers(0, 2**64 - 1),
)


@given(st.lists(seats, min_size=2, max_size=4).map(tuple), st.none() | offers)
def test_a_tick_is_read_as_it_was_written(figures, offer):
    tick = Tick(1, 2, figures, offer)
    assert Tick.decode(tick.encode()) == tick


def test_a_tick_holds_numbers_and_nothing_else():
    assert len(TICK.encode()) == 17 + 2 * 19 + 1


@pytest.mark.parametrize("count", [1, 5])
def test_a_tick_of_one_or_five_seats_is_refused(count):
    with pytest.raises(LayoutError, match=f"byte 16: {count} seats"):
        Tick.decode(Tick(1, 2, (FIGURES[0],) * count).encode())


def test_an_unknown_state_is_refused():
    body = bytearray(TICK.encode())
    body[17] = 4
    with pytest.raises(LayoutError, match="no seat state 4"):
        Tick.decode(bytes(body))


def test_a_flag_that_is_neither_0_nor_1_is_refused():
    body = bytearray(TICK.encode())
    body[17 + 10] = 2
    with pytest.raises(LayoutError, match="byte 27: 2 in the place of 0 or 1"):
        Tick.decode(bytes(body))


def test_an_offer_of_a_seat_that_is_not_there_is_refused():
    body = Tick(1, 2, FIGURES, OfferFigures(17, 2, (), 0)).encode()
    with pytest.raises(LayoutError, match="an offer of seat 2"):
        Tick.decode(body)


def test_an_agreement_of_a_seat_that_is_not_there_is_refused():
    body = Tick(1, 2, FIGURES, OfferFigures(9, 1, (1, 2), 0)).encode()
    with pytest.raises(LayoutError, match="agreed 0b110, of 2 seats"):
        Tick.decode(body)


def test_no_offer_is_the_seat_that_nobody_has():
    assert TICK.encode()[-1] == NO_SEAT


@given(st.binary(max_size=120))
def test_reading_a_tick_raises_nothing_but_layout_errors(body):
    try:
        tick = Tick.decode(body)
    except LayoutError:
        return
    assert tick.encode() == body
