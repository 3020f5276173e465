"""protocol/movelog.py: logs, slices, seals."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.layout import LayoutError, varint
from protocol.movelog import Act, MoveLog, MoveSlice, SealBody, first_head, next_head, open_seal
from protocol.signing import Signer
from tests.protocol.races import secret

MIX = secret("mix")
PLAYER = Signer(secret("player"))
SEAL = SealBody(1, 3, 40, secret("head"), 1 << 33, Act.OFFER, 9)

moves = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60_000)), min_size=1, max_size=64)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def log_of(played):
    """A log of these directions at these differences of time."""
    log = MoveLog(MIX, 1, PLAYER.key)
    for direction, step_ms in played:
        log.append(direction, log.last_ms + step_ms)
    return log


def test_the_first_head_names_race_seat_and_player():
    assert first_head(MIX, 1, PLAYER.key) == sha256(b"race2048/1/log\0", MIX, b"\1", PLAYER.key)


def test_a_head_chains_direction_and_time():
    head = secret("head")
    assert next_head(head, 2, 258) == sha256(b"race2048/1/move\0", head, b"\2\0\0\1\2")


def test_a_log_ends_with_the_head_of_its_last_move():
    log = log_of([(1, 100), (3, 0)])
    assert log.head == next_head(next_head(first_head(MIX, 1, PLAYER.key), 1, 100), 3, 100)
    assert (len(log), log.last_ms) == (2, 100)


def test_a_move_before_the_last_one_is_not_taken():
    log = log_of([(1, 100)])
    with pytest.raises(ValueError, match="move 2 at 99 ms is before the one at 100 ms"):
        log.append(1, 99)


def test_an_empty_log_has_no_last_move():
    assert log_of([]).last_ms == 0


@given(moves)
def test_a_slice_is_read_as_it_was_written(played):
    log = log_of(played)
    first = len(log) // 2
    before_ms = log.times[first - 1] if first else 0
    part = log.slice(first, 7)
    assert MoveSlice.decode(part.encode(before_ms), before_ms) == part


def test_a_slice_has_at_most_64_moves():
    log = log_of([(1, 100)] * 70)
    assert log.slice(2, 0).times == tuple(log.times[2:66])


@pytest.mark.parametrize("count", [0, 65])
def test_a_slice_of_no_or_too_many_moves_is_refused(count):
    body = bytes(4) + bytes(8) + bytes([count]) + bytes((count + 3) // 4) + bytes(count)
    with pytest.raises(LayoutError, match=f"byte 12: {count} moves"):
        MoveSlice.decode(body, 0)


def test_a_slice_beyond_32_bits_of_time_is_refused():
    body = MoveSlice(0, 0, b"\1", (0,)).encode(0)[:-1] + varint((1 << 32) - 1)
    assert MoveSlice.decode(body, 0).times == ((1 << 32) - 1,)
    with pytest.raises(LayoutError, match="49 days"):
        MoveSlice.decode(body, 1)


@given(st.binary(max_size=100))
def test_reading_a_slice_raises_nothing_but_layout_errors(body):
    try:
        part = MoveSlice.decode(body, 0)
    except LayoutError:
        return
    assert part.encode(0) == body


def test_a_seal_is_read_as_it_was_written():
    assert SealBody.decode(SEAL.encode()) == SEAL


def test_a_seal_has_one_length():
    for body in (SEAL.encode()[:-1], SEAL.encode() + b"\0"):
        with pytest.raises(LayoutError):
            SealBody.decode(body)


def test_an_unknown_act_is_refused():
    body = SEAL.encode()[:-2] + b"\x0a\0"
    with pytest.raises(LayoutError, match="byte 49: no act 10"):
        SealBody.decode(body)


def test_a_seal_is_opened_by_who_signed_it_in_this_race():
    assert open_seal(SEAL.sign(PLAYER, MIX), PLAYER.key, MIX) == SEAL


@pytest.mark.parametrize(
    ("key", "mix"), [(Signer(secret("other")).key, MIX), (PLAYER.key, secret("other mix"))], ids=["player", "race"]
)
def test_a_seal_of_another_player_or_race_is_false(key, mix):
    with pytest.raises(LayoutError, match="the signature of the seal is false"):
        open_seal(SEAL.sign(PLAYER, MIX), key, mix)
