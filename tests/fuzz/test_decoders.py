"""The fuzzer's own checks see what they are to see; the fuzzing itself is `python -m tests.fuzz`, in --long."""

from __future__ import annotations

import pytest

from protocol.movelog import MoveSlice
from protocol.record import HEAD, SECTION_HEAD_BYTES, Record, RecordError
from protocol.tick import Tick
from tests.fuzz import decoders
from tests.fuzz.decoders import DECODERS


@pytest.mark.parametrize("name", DECODERS)
def test_what_the_fuzzer_begins_with_is_taken_and_fits(name):
    decoder = DECODERS[name]
    assert len(decoder.seeds()) >= 4
    for seed in decoder.seeds():
        assert len(seed) <= decoder.bytes_max
        decoder.take(seed)


def test_the_shares_are_the_whole():
    assert sum(decoder.share for decoder in DECODERS.values()) == 1_000


@pytest.mark.parametrize(
    ("name", "owner", "attribute"),
    [("slice", MoveSlice, "decode"), ("tick", Tick, "decode"), ("record", Record, "parse")],
)
@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), KeyError("x"), ValueError("x")], ids=repr)
def test_an_error_that_is_not_declared_is_noticed(monkeypatch, name, owner, attribute, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr(owner, attribute, fail)
    with pytest.raises(type(error)):
        DECODERS[name].take(bytes(20))


def test_an_error_of_a_frame_that_is_not_declared_is_noticed(monkeypatch):
    monkeypatch.setattr(decoders, "decode_from_lobby", lambda frame: vars(decoders)["nothing"])
    with pytest.raises(KeyError):
        DECODERS["frame"].take(b"")


def test_a_record_in_which_something_was_changed_is_given_the_digest_that_it_would_have():
    """Or it would be refused before anything behind the digest is looked at."""
    data = bytearray(DECODERS["record"].seeds()[0])
    data[40] ^= 1  # inside the Deal
    with pytest.raises(RecordError, match="digest"):
        Record.parse(bytes(data))
    assert Record.parse(decoders._with_digest(bytes(data))).deal.body[40 - len(HEAD) - SECTION_HEAD_BYTES] == data[40]
