"""What a host can choose, and what follows from it."""

from itertools import pairwise

import pytest

from client.tui.choices import (
    KIND_NAMES,
    ChoiceError,
    Form,
    Row,
    chosen,
    explained,
    parse_duration,
    parse_idle,
    row_words,
    rows,
    shown,
    stepped,
    stepped_form,
    value_of,
    value_words,
    with_seated,
    with_value,
)
from engine.board import SIZES
from engine.race import Kind
from protocol.deal import settings_fault
from protocol.messages import TableSettings

USUAL = TableSettings()
TIMED = with_value(USUAL, Row.KIND, Kind.TIMED)
ENDLESS = with_value(USUAL, Row.KIND, Kind.ENDLESS)


def words_of(settings: TableSettings, row: Row, seated: int = 1) -> list[str]:
    return [value_words(row, value) for value in shown(settings, row, seated)]


def test_each_kind_has_the_lines_that_mean_something_for_it() -> None:
    assert Row.TARGET in rows(USUAL)
    assert Row.TIME not in rows(USUAL)
    assert {Row.TARGET, Row.IDLE}.isdisjoint(rows(TIMED))
    assert {Row.TARGET, Row.TIME}.isdisjoint(rows(ENDLESS))


def test_the_presets_are_those_of_the_rules() -> None:
    assert words_of(USUAL, Row.TARGET) == ["256", "512", "1024", "2048"]
    assert words_of(TIMED, Row.TIME) == ["1 min", "2 min", "3 min", "5 min", "10 min"]
    assert words_of(USUAL, Row.SIZE) == ["3×3", "4×4", "5×5", "6×6", "8×8"]
    assert words_of(USUAL, Row.IDLE)[-1] == "off"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", Kind)
def test_whatever_is_stepped_to_is_something_that_a_table_can_have(size: int, kind: Kind) -> None:
    settings = with_value(with_value(USUAL, Row.SIZE, size), Row.KIND, kind)
    for row in rows(settings):
        for step in (-1, 1):
            changed = settings
            for _ in range(70):
                assert settings_fault(changed) is None
                changed = stepped(changed, row, step, 2)
            assert changed == stepped(changed, row, step, 2), "a line has an end"


def test_any_power_of_two_is_reached_beyond_the_presets() -> None:
    reached = {1 << value_of(settings, Row.TARGET) for settings in steps(USUAL, Row.TARGET)}
    assert reached == {1 << exponent for exponent in range(3, 18)}


def steps(settings: TableSettings, row: Row) -> list[TableSettings]:
    for _ in range(70):
        settings = stepped(settings, row, -1, 2)
    found = [settings]
    while (after := stepped(found[-1], row, 1, 2)) != found[-1]:
        found.append(after)
    return found


def test_longer_times_follow_the_presets() -> None:
    times = [settings.time_ms // 60_000 for settings in steps(TIMED, Row.TIME)]
    assert times == [1, 2, 3, 5, 10, 15, 20, 30, 45, 60]


def test_a_value_that_is_no_preset_stands_in_its_place() -> None:
    assert words_of(with_value(TIMED, Row.TIME, 240_000), Row.TIME)[3] == "4 min"
    assert words_of(with_value(USUAL, Row.TARGET, 13), Row.TARGET) == ["256", "512", "1024", "2048", "8192"]
    assert words_of(with_value(USUAL, Row.IDLE, 240_000), Row.IDLE)[-3:] == ["4 min", "5 min", "10 min", "off"][-3:]


def test_there_are_seats_for_everyone_who_sits() -> None:
    assert shown(USUAL, Row.SEATS, 3) == (3, 4)
    assert with_seated(with_value(USUAL, Row.SEATS, 2), 3).seats == 3


def test_the_usual_target_goes_with_the_board_and_a_chosen_one_stays_while_it_can_be_made() -> None:
    assert with_value(USUAL, Row.SIZE, 5).target_exponent == 12
    assert with_value(with_value(USUAL, Row.TARGET, 9), Row.SIZE, 5).target_exponent == 9
    assert with_value(with_value(USUAL, Row.TARGET, 14), Row.SIZE, 3).target_exponent == 8


def test_only_an_untimed_race_has_an_idle_limit() -> None:
    assert TIMED.idle_ms == 0
    assert with_value(TIMED, Row.KIND, Kind.TARGET) == USUAL
    never = with_value(USUAL, Row.IDLE, 0)
    assert with_value(never, Row.KIND, Kind.ENDLESS).idle_ms == 0


def test_arrows_go_round_the_lines_and_along_one() -> None:
    form = Form(USUAL, Row.SIZE)
    assert stepped_form(form, "down", 2).row is Row.KIND
    assert stepped_form(form, "up", 2).row is Row.SEATS
    assert stepped_form(Form(USUAL, Row.LEAD), "down", 2).row is Row.SEATS
    assert stepped_form(form, "right", 2).settings.size == 5
    assert stepped_form(form, "w", 2) == form


def test_a_line_that_has_gone_with_its_kind_leaves_the_form_on_one_that_is_there() -> None:
    form = stepped_form(Form(TIMED, Row.TARGET), "right", 2)
    assert form.settings.seats == 4
    assert stepped_form(form, "down", 2).row is Row.SIZE


def test_every_line_and_choice_has_words() -> None:
    for settings in (USUAL, TIMED, ENDLESS):
        for row in rows(settings):
            assert row_words(row)
            assert len(explained(settings, row)) <= 36, "it must fit on a narrow screen"
            texts = words_of(settings, row)
            assert len(set(texts)) == len(texts)
            assert all(one != other for one, other in pairwise(texts))


@pytest.mark.parametrize(
    ("text", "ms"),
    [("3m", 180_000), ("90s", 90_000), ("1m30s", 90_000), ("2MIN", 120_000), ("60m", 3_600_000), ("61m", None),
     ("30s", None), ("3", None), ("", None), ("m", None), ("3h", None), ("-3m", None), ("3m3m", None), ("٣m", None)],
)  # fmt: skip
def test_a_time_is_written_with_its_unit(text: str, ms: int | None) -> None:
    assert parse_duration(text, 60_000, 3_600_000) == ms


def test_an_idle_limit_may_be_off() -> None:
    assert [parse_idle(text) for text in ("off", "45s", "44s", "no")] == [0, 45_000, None, None]


@pytest.mark.parametrize(
    ("line", "row", "value"),
    [
        ("size 5", Row.SIZE, 5),
        ("board 5x5", Row.SIZE, 5),
        ("seats 3", Row.SEATS, 3),
        ("target 256", Row.TARGET, 8),
        ("kind endless", Row.KIND, Kind.ENDLESS),
        ("kind timed time 90s", Row.TIME, 90_000),
        ("idle off", Row.IDLE, 0),
        ("strict", Row.LEAD, 16),
        ("lead strict size 3", Row.LEAD, 16),
    ],
)
def test_settings_are_chosen_with_words(line: str, row: Row, value: int) -> None:
    settings = chosen(USUAL, line.split(), 2)
    assert settings_fault(settings) is None
    assert value_of(settings, row) == value


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("size 7", "3, 4, 5, 6, 8"),
        ("seats 2", "3, 4"),
        ("target 100", "power of two"),
        ("target 262144", "from 8 to 131072"),
        ("kind solo", ", ".join(KIND_NAMES)),
        ("time 3m", "Choose the kind first"),
        ("kind timed time 3", "1m to 60m"),
        ("idle 1s", "or off"),
        ("lead long", "strict"),
        ("size", "What shall size be?"),
        ("colour red", "no setting “colour”"),
    ],
)
def test_words_that_choose_nothing_are_answered_with_what_they_can_be(line: str, hint: str) -> None:
    with pytest.raises(ChoiceError) as error:
        chosen(USUAL, line.split(), 3)
    assert hint in str(error.value)
