"""protocol/layout.py: reading fixed layouts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.layout import LayoutError, Reader, pack_directions, unpack_directions, unzigzag, varint, zigzag


def test_fields_are_taken_one_after_another():
    reader = Reader(b"\x01\x02\x03abc")
    assert (reader.uint(1), reader.uint(2), reader.take(3)) == (1, 0x0203, b"abc")
    reader.end()


def test_a_layout_that_is_cut_off_says_where_and_how_much_is_missing():
    with pytest.raises(LayoutError, match="byte 3: cut off: 1 bytes missing") as caught:
        Reader(b"abc").uint(4)
    assert caught.value.offset == 3


def test_a_layout_with_something_left_is_refused():
    reader = Reader(b"abc")
    reader.take(1)
    with pytest.raises(LayoutError, match="byte 1: 2 bytes too many"):
        reader.end()


@given(st.integers(0, (1 << 32) - 1))
def test_a_varint_is_read_as_it_was_written(value):
    reader = Reader(varint(value))
    assert reader.varint() == value
    reader.end()


def test_zigzag_puts_small_numbers_of_either_sign_first():
    assert [zigzag(value) for value in (0, -1, 1, -2, 2)] == [0, 1, 2, 3, 4]


@given(st.integers())
def test_zigzag_is_undone(value):
    assert unzigzag(zigzag(value)) == value


@pytest.mark.parametrize("data", [b"\x80\x00", b"\xff\xff\xff\xff\x1f", b"\xff\xff\xff\xff\xff\x01", b"\x80"])
def test_a_varint_too_long_too_large_or_cut_off_is_refused(data):
    with pytest.raises(LayoutError):
        Reader(data).varint()


def test_a_varint_that_never_ends_is_refused_at_its_fifth_byte():
    reader = Reader(b"\xff" * 100_000)
    with pytest.raises(LayoutError, match="byte 5: a varint too large"):
        reader.varint()


@given(st.binary())
def test_a_varint_has_one_form(data):
    reader = Reader(data)
    try:
        value = reader.varint()
    except LayoutError:
        return
    assert varint(value) == data[: reader.offset]


def test_directions_are_packed_from_the_high_bits():
    assert pack_directions(bytes([1, 2, 3, 0, 2])) == bytes([0b01_10_11_00, 0b10_00_00_00])


@given(st.lists(st.integers(0, 3)).map(bytes))
def test_directions_are_unpacked_as_they_were_packed(directions):
    reader = Reader(pack_directions(directions))
    assert unpack_directions(reader, len(directions)) == directions
    reader.end()


def test_unused_bits_of_the_directions_must_be_zero():
    with pytest.raises(LayoutError, match="unused bits"):
        unpack_directions(Reader(b"\x01"), 3)
