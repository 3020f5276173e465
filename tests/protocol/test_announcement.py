"""What a network is told of a table, and that whatever else is told there is no table (ux.md §1)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from engine.race import Kind
from protocol.announcement import Announcement, announcement_of, read, written
from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Phase, SeatView, TableSettings, TableView
from protocol.text import SafeText

PIN = "7q4k2m9xb3hd5s8t"
FOX, HARE = b"f" * 32, b"h" * 32
TIMED = TableSettings(size=5, kind=Kind.TIMED, target_exponent=0, time_ms=90_000, idle_ms=0)
ENDLESS = TableSettings(size=8, kind=Kind.ENDLESS, target_exponent=0, seats=2)


def seat(key: bytes, name: str) -> SeatView:
    return SeatView(key=key, name=SafeText(name), computer=False, connected=True, ready=True)


def table(**changes: object) -> TableView:
    values: dict[str, object] = {
        "code": "482913", "watch_code": "550174", "phase": Phase.SEATING, "settings": TableSettings(),
        "seats": (seat(HARE, "hare"), None, seat(FOX, "fox"), None), "host": FOX, "locked": False, "watchers": 3,
    }  # fmt: skip
    return TableView(**values | changes)  # type: ignore[arg-type]


TOLD = announcement_of(table(), PIN)


def as_heard(told: Announcement) -> dict[bytes, bytes | None]:
    return {key.encode(): value for key, value in written(told).items()}


def heard(**changes: bytes | None) -> Announcement | None:
    """What is read when some strings of a good announcement are others; None: they are not there."""
    strings = as_heard(TOLD) | {key.encode(): value for key, value in changes.items()}
    return read({key: value for key, value in strings.items() if value is not None})


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_table_is_told_with_its_host_and_how_many_sit_there() -> None:
    assert (TOLD.code, TOLD.watch_code, TOLD.fingerprint) == ("482913", "550174", PIN)
    assert (TOLD.host, TOLD.taken, TOLD.free, TOLD.phase, TOLD.locked) == ("fox", 2, 2, Phase.SEATING, False)


def test_nothing_is_told_that_would_not_be_on_the_list() -> None:
    strings = written(TOLD)
    assert set(strings) == {
        "v", "code", "watch", "key", "host", "size", "kind", "target", "time", "seats", "taken", "phase", "locked",
    }  # fmt: skip
    everything = b" ".join(strings.values())
    assert b"hare" not in everything
    assert FOX not in everything


def test_the_code_that_seats_people_is_never_the_watch_code() -> None:
    assert written(TOLD)["code"] == b"482913"
    assert written(TOLD)["watch"] == b"550174"


def test_a_host_who_only_watches_has_no_name_here() -> None:
    assert announcement_of(table(host=b"w" * 32), PIN).host == ""


@pytest.mark.parametrize("settings", [TableSettings(), TIMED, ENDLESS, TableSettings(size=3, target_exponent=9)])
@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.RACING, Phase.FINISHED])
def test_what_was_told_is_read_again(settings: TableSettings, phase: Phase) -> None:
    told = announcement_of(table(settings=settings, phase=phase, seats=(seat(FOX, "漢字"), None), locked=True), PIN)
    assert read(as_heard(told)) == told


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=64))
def test_every_string_fits_in_a_txt_record_whatever_the_name(name: str) -> None:
    told = replace(TOLD, host=SafeText(name))
    assert all(len(key) + 1 + len(value) <= 255 for key, value in written(told).items())
    assert read(as_heard(told)) is not None


# ── what is read ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "strings",
    [
        {"code": b"48291"},
        {"code": b"482-913"},
        {"code": "٤٨٢٩١٣".encode()},
        {"code": b"1" * 25},
        {"code": b"\xff\xfe\xfd\xfc\xfb\xfa"},
        {"code": None},
        {"watch": b"482913"},
        {"watch": b"fox"},
        {"watch": None},
        {"key": b"7q4k2m9xb3hd5s8"},
        {"key": b"7q4k2m9xb3hd5s8u"},
        {"key": b"7Q4K2M9XB3HD5S8T"},
        {"key": b"\x1b[2J\x1b]0;x\x07ab"},
        {"key": None},
        {"v": b"0"},
        {"v": b"-1"},
        {"v": b"1.0"},
        {"v": None},
        {"v": b"9" * 200},
        {"size": b"7"},
        {"size": None},
        {"kind": b"4"},
        {"kind": b"0"},
        {"target": b"999"},
        {"target": b"2"},
        {"time": b"90000"},
        {"seats": b"5"},
        {"seats": b"1"},
        {"taken": b"5"},
        {"taken": b"-1"},
        {"taken": None},
        {"phase": b"closed"},
        {"phase": b"nowhere"},
        {"phase": None},
    ],
)
def test_what_no_table_can_be_is_none(strings: dict[str, bytes | None]) -> None:
    assert heard(**strings) is None


def test_nothing_at_all_is_no_table() -> None:
    assert read({}) is None
    assert read({b"code": None, b"v": None}) is None


@pytest.mark.parametrize(
    "name",
    [
        b"\x1b[2J\x1b]52;c;AAAA\x07",
        "\u202egnp.exe".encode(),
        b"a\nb\r\tc",
        b"\x9b31m",
        b"\xff\xfe",
        b"x" * 255,
        b"",
        None,
    ],
)
def test_a_hostile_name_is_inert_and_no_wider_than_a_name(name: bytes | None) -> None:
    told = heard(host=name)
    assert told is not None
    assert isinstance(told.host, SafeText)
    assert told.host.isprintable()
    assert 0 <= wcswidth(told.host) <= 16


@given(st.dictionaries(st.sampled_from([key.encode() for key in written(TOLD)]), st.none() | st.binary(max_size=300)))
def test_whatever_comes_is_read_without_an_error_and_harmless(strings: dict[bytes, bytes | None]) -> None:
    told = read(as_heard(TOLD) | strings)
    if told is not None:
        assert all(text.isascii() and text.isdigit() for text in (told.code, told.watch_code))
        assert len(told.code) <= 24
        assert told.host.isprintable()


def test_strings_that_nobody_knows_are_skipped() -> None:
    assert heard(weather=b"fine") == TOLD


def test_of_a_lobby_of_another_version_only_code_and_key_are_read() -> None:
    told = heard(v=b"9", phase=b"dreaming", size=b"12")
    assert told is not None
    assert (told.protocol, told.code, told.fingerprint, told.host) == (9, "482913", PIN, "fox")
    assert (told.settings, told.phase, told.free) == (None, None, 0)
    assert PROTOCOL_VERSION != 9
    assert read(as_heard(told)) == told
