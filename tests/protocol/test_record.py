"""protocol/record.py: the layout of a record."""

import hashlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.race import Outcome, SeatState, Termination
from protocol.deal import FORMAT_VERSION
from protocol.layout import LayoutError
from protocol.limits import RECORD_BYTES_MAX
from protocol.messages import Signed
from protocol.record import (
    SECTIONS_MAX,
    Correction,
    EventKind,
    Gap,
    Record,
    RecordError,
    RecordEvent,
    Result,
    SeatLog,
    SeatResult,
)
from tests.protocol.races import LOBBY, drawn_race, secret, signed, target_race

RACE = target_race()
DATA = RACE.record()
HEAD = b"race2048" + bytes([FORMAT_VERSION])
SIGNED = Signed(b"s" * 51, b"S" * 64)

u32s = st.integers(0, 2**32 - 1)
seals = st.none() | st.builds(Signed, st.binary(min_size=51, max_size=51), st.binary(min_size=64, max_size=64))


@st.composite
def seat_logs(draw):
    directions = bytes(draw(st.lists(st.integers(0, 3), max_size=40)))
    times = sorted(draw(st.lists(u32s, min_size=len(directions), max_size=len(directions))))
    moves = sorted(draw(st.sets(st.integers(1, len(directions))))) if directions else []
    arrivals = sorted(draw(st.lists(u32s, min_size=len(moves), max_size=len(moves))))
    corrections = tuple(
        Correction(move, arrival_ms, draw(st.integers(0, 65_535)))
        for move, arrival_ms in zip(moves, arrivals, strict=True)
    )
    return SeatLog(directions, tuple(times), corrections, draw(seals))


events = st.builds(
    RecordEvent, st.sampled_from(EventKind), st.integers(0, 3), u32s, u32s, st.integers(0, 2**64 - 1), seals
)
seat_results = st.builds(SeatResult, st.sampled_from(SeatState), u32s, st.integers(0, 65), u32s, u32s)
outcomes = st.builds(Outcome, st.sampled_from(Termination), st.sets(st.integers(0, 1)).map(sorted).map(tuple), u32s)


def section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + len(body).to_bytes(4, "big") + body


def split(data: bytes) -> list[bytes]:
    """The sections of a record, heads included."""
    sections, offset = [], len(HEAD)
    while offset < len(data):
        end = offset + 5 + int.from_bytes(data[offset + 1 : offset + 5], "big")
        sections.append(data[offset:end])
        offset = end
    return sections


def whole(sections: list[bytes]) -> bytes:
    """A record of these sections with a right digest, signed by the lobby."""
    before = HEAD + b"".join(sections[:-1])
    body = hashlib.sha256(before).digest() + sections[-1][5 + 32 : -64]
    return before + section(8, body + LOBBY.sign("result", RACE.mix, body))


SECTIONS = split(DATA)


def test_the_tools_of_this_test_make_the_same_record():
    assert whole(SECTIONS) == DATA


def test_a_record_is_read_as_it_was_built():
    race = drawn_race()
    race.gaps = [Gap(700, 3_000)]
    record = Record.parse(race.record())
    assert (record.deal, record.seats) == (race.deal_signed, race.seats_signed)
    assert record.start == signed(LOBBY, "start", race.mix, race.start.encode())
    assert record.logs == tuple(racer.seat_log() for racer in race.racers)
    assert record.events == tuple(event for event, _ in race.events)
    assert record.gaps == (signed(LOBBY, "gap", race.mix, Gap(700, 3_000).encode()),)
    assert record.last_link == race.chain.link(32)
    result = Result.decode(record.result.body)
    assert (result.outcome, list(result.seats)) == (race.outcome(), race.results(race.outcome()))


def test_the_result_begins_with_the_digest_of_all_before_it():
    result = SECTIONS[-1]
    assert result[0] == 8
    assert result[5:37] == hashlib.sha256(DATA[: -len(result)]).digest()


@given(seat_logs())
def test_a_log_is_read_as_it_was_written(log):
    assert SeatLog.decode(log.encode()) == log


@given(events)
def test_an_event_is_read_as_it_was_written(event):
    assert RecordEvent.decode(event.encode()) == event


@given(st.builds(Gap, u32s, u32s))
def test_a_gap_is_read_as_it_was_written(gap):
    assert Gap.decode(gap.encode()) == gap


@given(st.binary(min_size=32, max_size=32), outcomes, st.lists(seat_results, min_size=2, max_size=4).map(tuple))
def test_a_result_is_read_as_it_was_written(digest, outcome, seats):
    result = Result(digest, outcome, seats)
    assert Result.decode(result.encode()) == result


@given(st.binary(max_size=200))
def test_reading_a_section_raises_nothing_but_layout_errors(body):
    for layout in (SeatLog, RecordEvent, Gap, Result):
        try:
            content = layout.decode(body)
        except LayoutError:
            continue
        assert content.encode() == body


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"<!doctype html>", b"race2049" + bytes(40)])
def test_another_file_is_not_a_record(data):
    with pytest.raises(RecordError, match="byte 0: not a record"):
        Record.parse(data)


def test_a_record_of_another_format_version_says_so():
    with pytest.raises(RecordError, match="byte 8: a record of format version 7"):
        Record.parse(b"race2048\x07" + DATA[9:])


def test_a_file_too_long_is_not_a_record():
    with pytest.raises(RecordError, match="too long"):
        Record.parse(DATA.ljust(RECORD_BYTES_MAX + 1, b"\0"))


def test_a_record_cut_off_anywhere_says_where():
    for length in range(len(DATA)):
        with pytest.raises(RecordError, match=f"byte {length}: cut off"):
            Record.parse(DATA[:length])


def test_nothing_may_follow_a_record():
    with pytest.raises(RecordError, match=f"byte {len(DATA)}: no section 0 can stand here"):
        Record.parse(DATA + b"\0")


@pytest.mark.parametrize("missing", [0, 1, 2, 5])
def test_every_section_of_a_record_is_needed(missing):
    with pytest.raises(RecordError, match="can stand here"):
        Record.parse(whole(SECTIONS[:missing] + SECTIONS[missing + 1 :]))


def test_a_record_has_a_log():
    with pytest.raises(RecordError, match="no section 7 can stand here"):
        Record.parse(whole(SECTIONS[:3] + SECTIONS[5:]))


def test_sections_stand_in_their_order():
    with pytest.raises(RecordError, match="byte 9: no section 2 can stand here"):
        Record.parse(whole([SECTIONS[1], SECTIONS[0], *SECTIONS[2:]]))


def test_a_section_that_does_not_exist_is_refused():
    with pytest.raises(RecordError, match="no section 9 can stand here"):
        Record.parse(whole([*SECTIONS[:5], section(9, b""), *SECTIONS[5:]]))


def test_a_record_unlike_its_digest_says_so():
    changed = bytearray(DATA)
    changed[40] ^= 1
    with pytest.raises(RecordError, match=f"byte {len(DATA) - len(SECTIONS[-1])}: the record is unlike its own digest"):
        Record.parse(bytes(changed))


def test_a_section_that_cannot_be_read_is_refused_at_its_byte():
    log = section(4, RACE.racers[0].seat_log().encode()[:-1])
    offset = len(HEAD) + sum(map(len, SECTIONS[:3])) + len(log)
    with pytest.raises(RecordError, match=f"byte {offset}: cut off"):
        Record.parse(whole([*SECTIONS[:3], log, *SECTIONS[4:]]))


@pytest.mark.parametrize("body", [b"", bytes(63)])
def test_a_signed_section_too_short_for_its_signature_is_refused(body):
    with pytest.raises(RecordError, match="cut off"):
        Record.parse(whole([section(1, body), *SECTIONS[1:]]))


@pytest.mark.parametrize("body", [bytes(31), bytes(33)])
def test_a_link_has_32_bytes(body):
    with pytest.raises(RecordError):
        Record.parse(whole([*SECTIONS[:5], section(7, body), SECTIONS[6]]))


def test_a_result_too_short_for_a_digest_and_a_signature_is_cut_off():
    with pytest.raises(RecordError, match="no digest and signature"):
        Record.parse(HEAD + b"".join(SECTIONS[:-1]) + section(8, bytes(95)))


@pytest.mark.parametrize("kind", [5, 6])
def test_a_record_has_a_bounded_number_of_events_and_gaps(kind):
    body = RecordEvent(EventKind.ABSENT, 0, 0, 0).encode() if kind == 5 else bytes(72)
    many = [section(kind, body)] * (SECTIONS_MAX + 1)
    with pytest.raises(RecordError, match="more than 1024 events or gaps"):
        Record.parse(whole([*SECTIONS[:5], *many, *SECTIONS[5:]]))


def test_corrections_stand_in_order():
    log = SeatLog(b"\0\1", (5, 6), (Correction(2, 9, 0), Correction(2, 9, 0)))
    with pytest.raises(LayoutError, match="a correction of move 2 of 2"):
        SeatLog.decode(log.encode())


def test_a_correction_of_a_move_that_was_not_made_is_refused():
    with pytest.raises(LayoutError, match="a correction of move 3 of 2"):
        SeatLog.decode(SeatLog(b"\0\1", (5, 6), (Correction(3, 9, 0),)).encode())


@pytest.mark.parametrize("back_ms", [-1, 65_536])
def test_how_far_back_a_claim_was_believed_has_16_bits(back_ms):
    log = SeatLog(b"\0\1", (5, 6), (Correction(1, 9, 0), Correction(2, 9, back_ms)))
    with pytest.raises(LayoutError, match=f"an arrival at 9 ms, believed {back_ms} ms before"):
        SeatLog.decode(log.encode())


def test_an_arrival_has_32_bits():
    log = SeatLog(b"\0\1", (5, 6), (Correction(1, 1 << 31, 0), Correction(2, 1 << 32, 0)))
    with pytest.raises(LayoutError, match="an arrival at 4294967296 ms, believed 0 ms before"):
        SeatLog.decode(log.encode())


def test_a_seal_is_there_or_not():
    body = SeatLog(b"", ()).encode()
    with pytest.raises(LayoutError, match="byte 8: 2 in the place of 0 or 1"):
        SeatLog.decode(body[:-1] + b"\2")


def test_an_unknown_event_is_refused():
    with pytest.raises(LayoutError, match="no event 7"):
        RecordEvent.decode(b"\7" + RecordEvent(EventKind.VOTE, 0, 1, 2, 3, SIGNED).encode()[1:])


@pytest.mark.parametrize(
    ("place", "byte", "reason"),
    [
        (32, 9, "no termination 9"),
        (33, 4, "winners 0b100 of 2 seats"),
        (38, 5, "of 5 seats"),
        (39, 4, "no seat state 4"),
    ],
)
def test_a_result_that_makes_no_sense_is_refused(place, byte, reason):
    seat = SeatResult(SeatState.MOVING, 0, 1, 0, 0)
    body = bytearray(Result(secret("digest"), Outcome(Termination.TARGET, (0,), 5), (seat, seat)).encode())
    body[place] = byte
    with pytest.raises(LayoutError, match=reason):
        Result.decode(bytes(body))


@given(st.binary(max_size=200).map(lambda tail: HEAD + tail) | st.binary(max_size=200))
def test_reading_a_record_raises_nothing_but_record_errors(data):
    with pytest.raises(RecordError):
        Record.parse(data)


@given(st.integers(0, len(SECTIONS) - 2), st.binary(max_size=120))
def test_a_record_with_any_section_replaced_raises_nothing_but_record_errors(place, body):
    sections = [*SECTIONS]
    sections[place] = section(sections[place][0], body)
    with suppress(RecordError):
        Record.parse(whole(sections))
