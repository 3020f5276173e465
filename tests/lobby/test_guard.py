"""Who may connect from where, and how much may be said: guard.py, under a clock that only the test moves."""

from __future__ import annotations

import random
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobby import bounds
from lobby.bounds import Bounds
from lobby.bucket import Bucket
from lobby.connection import framed
from lobby.guard import Allowance, FrameWalk, Guard, Unmasked, forwarded_for, network_of, within
from protocol import codec, limits, messages
from protocol.messages import FromClient, Seal, Signed, Slice, Unready
from protocol.refusals import Refusal
from tests.lobby.test_server import masked

ADDRESS = "203.0.113.7"
SIGNED = Signed(b"x", bytes(64))


# ── buckets ──


def test_a_bucket_gives_its_burst_and_then_its_rate():
    bucket = Bucket(per_s=4, burst=3)
    assert [bucket.take(0) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(249)
    assert bucket.take(250)
    assert not bucket.take(250)


def test_what_a_bucket_refuses_costs_nothing():
    bucket = Bucket(per_s=1, burst=2)
    assert bucket.take(0)
    for _ in range(100):
        assert not bucket.take(0, 2)
    assert bucket.take(0)


def test_more_than_the_burst_is_never_there():
    assert not Bucket(per_s=10, burst=5).take(1_000_000, 6)


def test_a_bucket_that_rests_is_full_again_and_no_fuller():
    bucket = Bucket(per_s=2, burst=4)
    assert bucket.take(0, 4)
    assert not bucket.full(1_999)
    assert bucket.full(2_000)
    assert bucket.take(3_600_000, 4)
    assert not bucket.take(3_600_000)


# ── addresses ──


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_one_person_has_an_address_of_ipv4_or_64_bits_of_ipv6(address, network):
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([], ""),
        (["203.0.113.7"], "203.0.113.7"),
        (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        (["198.51.100.1", "198.51.100.2,203.0.113.7 "], "203.0.113.7"),
        (["203.0.113.7:4711"], "203.0.113.7"),
        (["2001:db8::1"], "2001:db8::1"),
        (["[2001:db8::1]:443"], "2001:db8::1"),
        (["[2001:db8::1]"], "2001:db8::1"),
        (["unknown"], ""),
        (["203.0.113.7,"], ""),
        (["\x1b[2J"], ""),
    ],
)
def test_of_forwarded_addresses_only_the_last_counts(headers, address):
    assert forwarded_for(headers) == address


def test_only_a_trusted_proxy_is_believed():
    guard = Guard(trusted=[ip_network("10.0.0.0/8")])
    assert guard.address_of("10.1.2.3", [ADDRESS]) == ADDRESS
    assert guard.address_of("10.1.2.3", ["nonsense"]) == "10.1.2.3"
    assert guard.address_of("10.1.2.3") == "10.1.2.3"
    assert guard.address_of("198.51.100.1", [ADDRESS]) == "198.51.100.1"
    assert Guard().address_of("127.0.0.1", [ADDRESS]) == "127.0.0.1"


def test_this_computer_is_exempt_but_not_everything_that_looks_like_it():
    exempt = Bounds().exempt
    assert within("127.0.0.1", exempt)
    assert within("::1", exempt)
    assert within("::ffff:127.0.0.1", exempt)
    assert not within("127.0.0.2", exempt)
    assert not within("", exempt)


# ── counting ──


def guard(*, connections: int = 2, spare: int | None = None, **options: object) -> Guard:
    return Guard(Bounds(connections_per_address=connections), **options)  # type: ignore[arg-type]


def test_an_address_has_so_many_connections_and_another_has_its_own():
    door = guard()
    assert [door.enter(ADDRESS, 0) for _ in range(3)] == [None, None, Refusal.ADDRESS]
    assert door.enter("203.0.113.8", 0) is None


def test_whoever_goes_makes_room():
    door = guard()
    for now_ms in range(0, 60_000, 1_000):
        assert door.enter(ADDRESS, now_ms) is None
        door.exit(ADDRESS)


def test_all_addresses_of_a_household_are_counted_as_one():
    door = guard()
    answers = [door.enter(f"2001:db8:1:2::{number}", 0) for number in range(1, 4)]
    assert answers == [None, None, Refusal.ADDRESS]
    assert door.enter("2001:db8:1:3::1", 0) is None


def test_an_address_that_comes_too_quickly_is_refused_until_it_calms_down():
    door = guard()

    def comes(now_ms: int) -> bool:
        if door.enter(ADDRESS, now_ms) is not None:
            return False
        door.exit(ADDRESS)
        return True

    burst = bounds.ARRIVALS_MIN
    assert sum(comes(0) for _ in range(100)) == burst
    assert sum(comes(1_000) for _ in range(100)) == burst // bounds.ARRIVALS_S
    assert sum(comes(1_000 + 1_000 * bounds.ARRIVALS_S) for _ in range(100)) == burst


def test_this_computer_has_as_many_as_it_likes():
    door = guard()
    for _ in range(1_000):
        assert door.enter("127.0.0.1", 0) is None
        assert door.knock("::1", 0)


def test_sockets_have_a_little_more_room_than_connections():
    door = guard(connections=32)
    most = 32 + bounds.SPARE_SOCKETS_PER_ADDRESS
    assert [door.knock(ADDRESS, 0) for _ in range(most + 1)] == [True] * most + [False]
    door.leave(ADDRESS)
    assert door.knock(ADDRESS, 0)


def test_sockets_that_come_too_quickly_are_turned_away():
    door, taken = guard(), 0
    for _ in range(100):
        if door.knock(ADDRESS, 0):
            taken += 1
            door.leave(ADDRESS)
    assert taken == bounds.ARRIVALS_MIN


def test_sockets_of_a_proxy_are_not_counted_as_one_persons():
    door = guard(trusted=[ip_network("10.0.0.1/32")])
    assert all(door.knock("10.0.0.1", 0) for _ in range(1_000))


def test_a_full_lobby_takes_no_socket_even_of_this_computer():
    door = Guard(Bounds(connections_max=1))
    assert all(door.knock("127.0.0.1", 0) for _ in range(1 + bounds.SPARE_SOCKETS))
    told = [door.full]
    assert not door.knock("127.0.0.1", 0)
    door.leave("127.0.0.1")
    assert [*told, door.full] == [True, False]
    assert door.knock("127.0.0.1", 0)


def test_every_socket_that_has_ended_is_counted_also_one_that_was_turned_away():
    guard = Guard(Bounds(connections_max=1))
    taken = [guard.knock(f"192.0.2.{number % 100}", 0) for number in range(bounds.SPARE_SOCKETS + 3)]
    assert guard.ended == taken.count(False) == 2
    guard.leave("192.0.2.1")
    assert guard.ended == 3


def test_addresses_that_have_gone_are_forgotten_and_the_quick_ones_remembered():
    door = guard()
    for number in range(10_000):
        address = f"10.{number >> 8 & 255}.{number & 255}.1"
        assert door.knock(address, 10 * number)
        door.leave(address)
    assert len(door._callers) <= 1_000  # those of the last bucketful of time
    stays = guard()
    for number in range(1_000):
        assert stays.knock(f"10.{number >> 8}.{number & 255}.1", 0)
    assert len(stays._callers) == 1_000


# ── what is said ──


def test_frames_and_bytes_have_a_burst_and_a_rate():
    allowance = Allowance()
    for arrived, burst, per_s in (
        (allowance.frames_arrived, bounds.FRAMES_BURST, bounds.FRAMES_PER_S),
        (allowance.bytes_arrived, bounds.BYTES_BURST, bounds.BYTES_PER_S),
    ):
        assert arrived(burst, 0)
        assert not arrived(1, 0)
        assert arrived(per_s, 1_000)
        assert not arrived(1, 1_000)


def test_a_stranger_says_what_takes_it_to_a_table_and_little_more_in_the_time_it_has():
    allowance = Allowance(stranger=True)
    said = sum(allowance.frames_arrived(1, now_ms) for now_ms in range(limits.HANDSHAKE_MS))
    assert 16 <= said < 40


def test_an_honest_player_is_never_near_the_limits():
    """An hour of a quick player on a bad line: slices at once for the last second of every minute, all else too."""
    allowance = Allowance()
    assert allowance.frames_arrived(256, 0)  # a record of the greatest length is fetched
    for now_ms in range(0, 3_600_000, 25):
        near_the_bell = now_ms % 60_000 >= 59_000
        frames = (near_the_bell or now_ms % 200 == 0) + (now_ms % 500 == 0) + 5 * (now_ms % 10_000 == 0)
        assert allowance.frames_arrived(frames, now_ms)
        assert allowance.bytes_arrived(frames * 350, now_ms)
        if now_ms % 4_000 == 0:
            assert allowance.heard(Slice(b"x", SIGNED), now_ms)


def test_talk_has_a_rate_of_its_own_and_moves_do_not_suffer_from_it():
    allowance = Allowance()
    assert [allowance.heard(Unready(), 0) for _ in range(bounds.TALK_BURST + 1)] == [True] * bounds.TALK_BURST + [False]
    assert all(allowance.heard(Slice(b"x", None), 0) for _ in range(100))
    assert all(allowance.heard(messages.OpenNonce(bytes(32)), 0) for _ in range(100))
    assert allowance.heard(Unready(), 1_000)


def test_seals_have_a_rate_whether_they_come_alone_or_with_a_slice():
    allowance = Allowance()
    said: list[FromClient] = [Seal(SIGNED), Slice(b"x", SIGNED)] * bounds.SEALS_BURST
    assert sum(allowance.heard(message, 0) for message in said) == bounds.SEALS_BURST


# ── walking over frames ──

FRAMES = st.lists(
    st.one_of(
        st.binary(max_size=300).map(lambda payload: masked(2, payload)),
        st.binary(max_size=125).map(lambda payload: bytes((0x89, 0x80 | len(payload))) + bytes(4) + payload),
        st.binary(max_size=100).map(lambda p: b"\x82\xff" + len(p).to_bytes(8, "big") + bytes(4) + p),
        st.just(b"\x00\x80" + bytes(4)),
    ),
    max_size=20,
)


@given(FRAMES, st.randoms(use_true_random=False))
def test_frames_are_counted_however_the_stream_is_cut(frames: list[bytes], chance: random.Random):
    stream = b"".join(frames)
    walk, count, at = FrameWalk(), 0, 0
    while at < len(stream):
        size = chance.choice([1, 2, 3, 7, 50, 1_000])
        count += walk.walk(stream[at : at + size])
        at += size
    assert count == len(frames)


@given(FRAMES, st.binary(max_size=60))
def test_a_frame_without_a_mask_is_found_wherever_it_stands(frames: list[bytes], payload: bytes):
    stream = b"".join(frames) + framed(payload)
    with pytest.raises(Unmasked):
        FrameWalk().walk(stream)


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_whatever_comes_in_walking_takes_no_memory(pieces: list[bytes]):
    walk = FrameWalk()
    try:
        for piece in pieces:
            walk.walk(piece)
    except Unmasked:
        return
    assert len(walk._head) < 14


def test_walking_over_a_flood_ends_where_it_is_one():
    assert FrameWalk().walk((b"\x89\x80" + bytes(4)) * 40_000) == bounds.FRAMES_BURST + 1


def test_our_own_frames_are_frames():
    assert FrameWalk().walk(masked(2, codec.encode(messages.Leave()))) == 1
