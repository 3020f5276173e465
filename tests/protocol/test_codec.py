"""protocol/codec.py: frames from anybody become messages, or one kind of error."""

import base64
import tracemalloc

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import limits, messages
from protocol.codec import FrameError, decode_from_client, decode_from_lobby, encode
from protocol.messages import (
    Join,
    OpenNonce,
    Phase,
    RaceView,
    Role,
    SeatView,
    Signed,
    TableSettings,
    TableView,
    Welcome,
)
from protocol.text import SafeText

FROM_CLIENT = messages.FromClient.__args__
FROM_LOBBY = messages.FromLobby.__args__
SIGNED = Signed(b"body", bytes(64))
TABLE = TableView(
    code="482913",
    watch_code="",
    phase=Phase.SEATING,
    settings=TableSettings(),
    seats=(
        SeatView(key=bytes(32), name=SafeText("fox"), computer=False, connected=True, ready=False),
        None,
    ),
    host=bytes(32),
    locked=False,
    watchers=0,
)

WELCOME = Welcome(table=TABLE, seat=None, lobby_ms=5, deal=SIGNED, race=RaceView(tick=SIGNED))
FIELDS = {
    messages.Ping: (7,),
    messages.Gapped: (SIGNED,),
    messages.Pong: (7, 8),
    messages.Hello: (bytes(32), 1, SafeText("race2048 0.1.0")),
    messages.Proof: (bytes(32), Role.COMPUTER, bytes(64)),
    messages.Open: ("fox", TableSettings(kind=2, target_exponent=0, time_ms=60_000, idle_ms=0)),
    messages.Join: ("482-913", "fox"),
    messages.ChangeSettings: (TableSettings(),),
    messages.SayReady: (SIGNED,),
    messages.Kick: (3,),
    messages.Lock: (True,),
    messages.OpenNonce: (bytes(32),),
    messages.Slice: (b"moves", SIGNED),
    messages.Seal: (SIGNED,),
    messages.Resync: (7,),
    messages.AskLog: (7,),
    messages.AskRecord: (bytes(32), 7),
    messages.Challenge: (bytes(32), bytes(32), bytes(64), 1, SafeText("race2048")),
    messages.TableChanged: (TABLE, 0),
    messages.Dealt: (SIGNED,),
    messages.Burnt: (bytes(32),),
    messages.SeatsClosed: (SIGNED,),
    messages.Started: (SIGNED,),
    messages.Link: (1, bytes(32)),
    messages.Ack: (3, 2, bytes(32)),
    messages.Ticked: (SIGNED,),
    messages.Ended: (2, (0,), 5, (0, 1), (0, 1), (4, 8), (3, 3), (5, 6), (bytes(9), bytes(9))),
    messages.RecordReady: (7, bytes(32)),
    messages.LogPiece: (0, bytes(limits.LOG_PIECE_MOVES), (4_294_967_295,) * limits.LOG_PIECE_MOVES),
    messages.RecordPiece: (bytes(32), 0, bytes(limits.RECORD_PIECE_BYTES)),
    messages.Refused: ("slice", 7),
}


def example(message_type):
    """A message of this type. Whoever adds a type with fields adds an example of them."""
    return WELCOME if message_type is Welcome else message_type(*FIELDS.get(message_type, ()))


def raw(**fields):
    """A frame of these fields, whatever they are."""
    return msgpack.packb(fields)


@pytest.mark.parametrize("message_type", FROM_CLIENT)
def test_a_client_message_is_read_as_it_was_written(message_type):
    message = example(message_type)
    assert decode_from_client(encode(message)) == message


@pytest.mark.parametrize("message_type", FROM_LOBBY)
def test_a_lobby_message_is_read_as_it_was_written(message_type):
    message = example(message_type)
    assert decode_from_lobby(encode(message)) == message


def test_what_can_be_left_out_has_a_default():
    assert decode_from_client(raw(type="slice", moves=b"moves")) == messages.Slice(b"moves")


def test_every_message_carries_its_class_in_lower_case():
    assert msgpack.unpackb(encode(OpenNonce(bytes(32)))) == {"type": "opennonce", "nonce": bytes(32)}


def test_messages_have_types_of_their_own():
    for union in (FROM_CLIENT, FROM_LOBBY):
        assert len({message.__struct_config__.tag for message in union}) == len(union)


def test_a_name_from_the_lobby_is_made_safe():
    program = decode_from_lobby(encode(messages.Challenge(bytes(32), bytes(32), bytes(64), 1, SafeText("\x1b[2J"))))
    assert isinstance(program, messages.Challenge)
    assert program.program == "\\u{1b}[2J"
    assert isinstance(program.program, SafeText)


def test_a_frame_that_is_too_large_is_not_even_looked_at():
    with pytest.raises(FrameError, match="4097 bytes, more than 4096"):
        decode_from_client(bytes(4_097))


def test_a_lobby_frame_may_be_larger_but_not_much():
    with pytest.raises(FrameError, match="more than 65536"):
        decode_from_lobby(bytes(65_537))


HOSTILE = {
    "empty": b"",
    "not msgpack": b"\xc1",
    "nested deep": b"\x91" * 4_000,
    "nested deep maps": b"\x81\xa1a" * 1_000,
    "an array": msgpack.packb(["ping", 7]),
    "a number": b"\x07",
    "no type": raw(stamp_ms=7),
    "an unknown type": raw(type="pingg", stamp_ms=7),
    "a type that is no text": raw(type=7, stamp_ms=7),
    "a lobby's message": raw(type="drain"),
    "a field missing": raw(type="ping"),
    "an unknown field": raw(type="ping", stamp_ms=7, more=1),
    "a key twice": b"\x83\xa4type\xa4ping\xa8stamp_ms\x07\xa8stamp_ms\x08",
    "a key that is no text": b"\x82\xa4type\xa4ping\x01\x07",
    "text for a number": raw(type="ping", stamp_ms="7"),
    "a fraction for a number": raw(type="ping", stamp_ms=7.5),
    "a boolean for a number": raw(type="ping", stamp_ms=True),
    "a number below its bounds": raw(type="ping", stamp_ms=-1),
    "a number above its bounds": raw(type="ping", stamp_ms=1 << 63),
    "a number for a program": raw(type="hello", nonce=bytes(32), protocol=1, program=7),
    "null for bytes": raw(type="opennonce", nonce=None),
    "base64 for bytes": raw(type="opennonce", nonce=base64.b64encode(bytes(32)).decode()),
    "text for bytes": raw(type="opennonce", nonce="x" * 32),
    "too few bytes": raw(type="opennonce", nonce=bytes(31)),
    "too many bytes": raw(type="opennonce", nonce=bytes(33)),
    "an ext type": b"\x82\xa4type\xa9opennonce\xa5nonce" + msgpack.packb(msgpack.ExtType(5, bytes(32))),
    "an empty ext type": b"\x82\xa4type\xa4ping\xa8stamp_ms\xc7\x00\x05",
    "a timestamp": b"\x82\xa4type\xa4ping\xa8stamp_ms\xd6\xff\x00\x00\x00\x00",
    "text that is not UTF-8": b"\x83\xa4type\xa4join\xa4code\xa1\xff\xa4name\xa3fox",
    "a code too long": raw(type="join", code="1" * 25, name="fox"),
    "a role that is none": raw(type="proof", key=bytes(32), role=4, signature=bytes(64)),
    "a signed thing with a third part": raw(type="seal", seal=[b"body", bytes(64), 1]),
    "a signed thing as a map": raw(type="seal", seal={"body": b"body", "signature": bytes(64)}),
    "a body too long": raw(type="seal", seal=[bytes(2_049), bytes(64)]),
    "settings beyond their bounds": raw(type="changesettings", settings={"seats": 5}),
    "something after the message": raw(type="stand") + b"\x00",
    "a map said to be huge": b"\xdf\xff\xff\xff\xff",
    "bytes said to be huge": b"\xc6\xff\xff\xff\xff",
}


@pytest.mark.parametrize("frame", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_frame_is_refused(frame):
    with pytest.raises(FrameError):
        decode_from_client(frame)


def test_a_frame_nested_ten_thousand_deep_is_refused():
    with pytest.raises(FrameError):
        decode_from_lobby(b"\x91" * 10_000)


NESTED = {
    "lists of three": b"\x93",
    "lists of many": b"\xdc\xff\xff",
    "as many as a client may send bytes": b"\xdc\x10\x00",
    "as many as a log piece has moves": b"\xdc\x04\x00",
    "lists of four billion": b"\xdd\xff\xff\xff\xff",
    "maps of as many keys as there may be": b"\xde\x00\x20\xa1a",
    "maps in lists": b"\x92\x81\xa1a",
    "empty lists": b"\x90",
    "empty maps": b"\x80",
}


@pytest.mark.parametrize("piece", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize(
    ("decode", "frame_max", "taken_max"),
    [
        (decode_from_client, limits.CLIENT_FRAME_BYTES_MAX, 1_000_000),
        (decode_from_lobby, limits.LOBBY_FRAME_BYTES_MAX, 16_000_000),
    ],
    ids=["client", "lobby"],
)
@pytest.mark.parametrize("head", [b"", b"\x92", b"\xdc\x04\x00"], ids=["alone", "in a pair", "in a long list"])
def test_no_frame_takes_much_memory_to_refuse(piece, decode, frame_max, taken_max, head):
    """A parser that makes room for what a list says it has, at every depth, took 34 MB for 4 kB from a client."""
    frame = (head + piece * frame_max)[:frame_max]
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            decode(frame)
        assert tracemalloc.get_traced_memory()[1] < taken_max
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=200))
def test_the_decoders_raise_nothing_but_frame_errors(frame):
    for decode in (decode_from_client, decode_from_lobby):
        try:
            decode(frame)
        except FrameError:
            continue


@given(
    st.recursive(st.none() | st.integers(-1, (1 << 64) - 1) | st.text() | st.binary(), st.lists, max_leaves=5),
    st.data(),
)
def test_fields_of_any_kind_raise_nothing_but_frame_errors(value, data):
    message = data.draw(st.sampled_from(FROM_CLIENT))
    field = data.draw(st.sampled_from(["settings", "seal", "name", "nonce", *message.__struct_fields__]))
    frame = msgpack.packb({"type": message.__struct_config__.tag, field: value})
    try:
        decode_from_client(frame)
    except FrameError:
        return


@pytest.mark.parametrize("cut", range(40))
def test_a_frame_that_is_cut_off_is_refused(cut):
    frame = encode(Join("482913", "fox and owl, a pair"))
    with pytest.raises(FrameError):
        decode_from_client(frame[: min(cut, len(frame) - 1)])
