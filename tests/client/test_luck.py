"""Luck as a person is told of it: in words, on the result screen, on lines, and by verify --luck."""

import json
from dataclasses import replace

import pytest

from client import cli
from client.cli import luck as luck_command
from client.luck import all_luck_words, luck_words, tenths
from client.session import Session
from client.telling import told
from client.tui.canvas import text_of
from client.tui.palette import CLASSIC, PLAIN, Depth
from client.view import SeatPicture, SessionView
from engine.luck import Form, Luck
from protocol import messages
from protocol.messages import Phase
from tests.client.handmade import HandLobby
from tests.client.pictures_of import canvas, screen, view
from tests.protocol.races import target_race
from tests.protocol.test_luck import long_race


def lucky(*lucks: int | None, players: int = 4) -> SessionView:
    """The result of a race whose players had this luck, in thousandths."""
    shown = view(Phase.FINISHED, players=players)
    seats: list[SeatPicture | None] = [
        replace(seat, luck=luck) for seat, luck in zip(shown.seats, lucks, strict=True) if seat is not None
    ]
    return replace(shown, seats=tuple(seats))


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("z", "shown"),
    [(812, "+0.8"), (-1_250, "−1.2"), (0, "±0.0"), (-99, "±0.0"), (4_999, "+4.9"), (12_345, "+12.3"), (-100, "−0.1")],
)
def test_luck_is_told_in_tenths_that_are_cut_off(z: int, shown: str) -> None:
    assert tenths(z) == shown


def test_luck_of_five_and_more_is_improbable() -> None:
    assert luck_words(4_999) == "luck +4.9"
    assert luck_words(5_000) == "improbable luck +5.0"
    assert luck_words(-7_000) == "luck −7.0"


def test_in_a_line_who_had_too_much_stands_first_and_who_is_not_known_nowhere() -> None:
    assert (
        all_luck_words(lucky(812, 6_300, None, -99)) == "Improbable luck: hare +6.3. Luck: fox +0.8, 漢字の名前 ±0.0."
    )
    assert all_luck_words(lucky(5_000, None, None, None)) == "Improbable luck: fox +5.0."
    assert all_luck_words(lucky(None, None, None, None)) == ""


# ── the result screen ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_result_shows_luck_beside_the_check_of_the_record() -> None:
    rows = screen(lucky(812, -300, players=2)).splitlines()
    assert any("2 logs replayed, all agree" in row and "Luck: fox +0.8, hare −0.3." in row for row in rows)


def test_luck_that_is_too_long_for_that_row_has_one_of_its_own() -> None:
    rows = screen(lucky(812, 6_300, 1_000, -200), columns=80, rows=30).splitlines()
    (row,) = [row for row in rows if "luck" in row.lower()]
    assert "agree" not in row
    assert row.strip() == "Improbable luck: hare +6.3. Luck: fox +0.8, owl +1.0, 漢字の名前 −0.2."


def test_a_list_of_the_places_has_luck_below_as_far_as_there_is_room() -> None:
    shown = screen(lucky(812, 6_300, 1_000, -200), columns=50, rows=14).splitlines()
    assert " Improbable luck: hare +6.3. Luck: fox +0.8, owl…" in [row.rstrip() for row in shown]
    assert any("4 logs replayed, all agree  Impr" in row for row in screen(lucky(6_300, 1, 1, 1), 50, 9).splitlines())


def test_improbable_luck_stands_out() -> None:
    palette = CLASSIC[Depth.TRUE]
    for luck, ink in ((4_999, PLAIN), (5_000, palette.warn)):
        drawn = canvas(lucky(luck, None, players=2))
        row = next(y for y, text in enumerate(text_of(drawn)) if "uck: fox" in text)
        column = text_of(drawn)[row].index("uck: fox")
        assert drawn.lines[row][column][1] == ink


def test_nothing_is_shown_of_luck_that_is_not_known() -> None:
    assert "luck" not in screen(view(Phase.FINISHED)).lower()


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_luck_is_told_on_lines_once_it_is_known_by_place() -> None:
    before = lucky(None, None, None, None)
    now = lucky(812, 6_300, None, -200)
    assert told(before, now) == ["fox: luck +0.8.", "hare: improbable luck +6.3.", "漢字の名前: luck −0.2."]
    assert told(now, now) == []


# ── the session ──────────────────────────────────────────────────────────────────────────────────────────────────


def racing() -> HandLobby:
    lobby = HandLobby()
    lobby.race()
    return lobby


def fetched(sha256: bytes) -> Session:
    """A session that has been told that its record has this hash."""
    lobby = racing()
    lobby.say(messages.RecordReady(10, sha256))
    return lobby.session


def test_a_session_takes_the_luck_of_its_own_race_and_of_no_other() -> None:
    session = fetched(b"\1" * 32)
    session.weighed(b"\2" * 32, (5, 6))
    assert [seat.luck for seat in session.view(0).seats if seat is not None] == [None, None]
    session.weighed(b"\1" * 32, (5, None))
    assert [seat.luck for seat in session.view(0).seats if seat is not None] == [5, None]


def test_luck_that_comes_when_there_is_no_record_or_no_race_any_more_is_left() -> None:
    session = racing().session
    session.weighed(b"\1" * 32, (5, 6))
    assert [seat.luck for seat in session.view(0).seats if seat is not None] == [None, None]
    session.race = None
    session.weighed(b"\1" * 32, (5, 6))
    assert all(seat is None or seat.luck is None for seat in session.view(0).seats)


# ── verify --luck ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def record(tmp_path, monkeypatch):
    monkeypatch.setenv("RACE2048_DATA", str(tmp_path / "data"))
    path = tmp_path / "race.r2048"
    path.write_bytes(long_race().record())
    return path


def with_luck_of(monkeypatch, *zs):
    found = tuple(Luck(Form(z, 100), Form(None, 0)) for z in zs)
    monkeypatch.setattr(luck_command, "luck_of", lambda data: found)


def test_verify_tells_the_luck_of_every_seat_when_it_is_asked_to(record, capsys, monkeypatch):
    assert cli.main(["verify", "--luck", str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[-2:]] == ["  fox", "  owl"]
    assert all(": luck " in line for line in lines[-2:])
    with_luck_of(monkeypatch, 6_280, None)
    assert cli.main(["verify", "--luck", str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["  fox: improbable luck +6.2", "  owl: too few draws to speak of luck"]


def test_verify_tells_luck_in_json_as_a_number_or_null(record, capsys, monkeypatch):
    with_luck_of(monkeypatch, -1_250, None)
    assert cli.main(["verify", "--luck", "--json", str(record)]) == 0
    seats = json.loads(capsys.readouterr().out)["seats"]
    assert [seat["luck"] for seat in seats] == [-1.25, None]


def test_improbable_luck_does_not_make_a_record_false(record, capsys, monkeypatch):
    with_luck_of(monkeypatch, 9_000, 9_000)
    assert cli.main(["verify", "--luck", str(record)]) == 0
    assert "true." in capsys.readouterr().out


def test_verify_does_not_work_luck_out_unasked_or_of_a_false_record(record, tmp_path, capsys, monkeypatch):
    def never(data):
        raise AssertionError("nobody wants to know")

    monkeypatch.setattr(luck_command, "luck_of", never)
    race = target_race()
    false = tmp_path / "false.r2048"
    false.write_bytes(race.record(outcome=replace(race.outcome(), winners=(1,))))
    assert cli.main(["verify", str(record)]) == 0
    assert cli.main(["verify", "--json", str(record)]) == 0
    assert cli.main(["verify", "-q", "--luck", str(record)]) == 0
    assert '"luck"' not in capsys.readouterr().out
    assert cli.main(["verify", "--luck", str(false)]) == 1
    assert cli.main(["verify", "--luck", "--json", str(false)]) == 1
    assert '"luck"' not in capsys.readouterr().out
