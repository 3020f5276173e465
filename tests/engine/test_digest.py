"""Tests of engine/digest.py."""

from hashlib import sha256

import pytest

from engine.digest import digest, tag_prefix, u8, u32, u64


def test_digest_hashes_the_product_the_tag_a_zero_and_the_parts() -> None:
    assert digest("link", b"ab", b"c") == sha256(b"race2048/1/link\x00abc").digest()


def test_tags_keep_equal_parts_apart() -> None:
    assert digest("solo", b"x") != digest("draw", b"x")


def test_a_tag_prefix_is_what_digest_hashes_first() -> None:
    assert sha256(tag_prefix("mix") + b"part").digest() == digest("mix", b"part")


def test_integers_are_big_endian_and_of_fixed_length() -> None:
    assert (u8(7), u32(258), u64(258)) == (b"\x07", b"\0\0\x01\x02", bytes(6) + b"\x01\x02")


@pytest.mark.parametrize(("encode", "bits"), [(u8, 8), (u32, 32), (u64, 64)])
def test_integers_that_do_not_fit_are_refused(encode, bits) -> None:
    assert encode((1 << bits) - 1) == b"\xff" * (bits // 8)
    for x in (1 << bits, -1):
        with pytest.raises(OverflowError):
            encode(x)
