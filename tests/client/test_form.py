"""The settings screen: what is drawn, and what its keys do."""

from dataclasses import replace

import pytest

from client.actions import Action, Change
from client.tui.choices import Form, Row, with_value
from client.tui.commands import Ui, kept, press
from client.tui.palette import CLASSIC, Depth
from client.view import Line, SessionView
from engine.race import Kind
from protocol.messages import Phase, TableSettings

from .pictures_of import SEATS, UI, canvas, screen, view
from .test_paint import SCREENS, assert_sound

SETTINGS = TableSettings()
TABLE = view(Phase.SEATING, seats=(*SEATS[:2], None, None))
OPEN = replace(UI, form=Form(SETTINGS))


def pressed(picture: SessionView, ui: Ui, *keys: str) -> tuple[Ui, list[Action]]:
    actions: list[Action] = []
    for key in keys:
        step = press(picture, ui, key)
        ui, actions = step.ui, [*actions, *step.actions]
    return ui, actions


@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.FINISHED])
def test_e_opens_the_settings_for_the_host_between_races(phase: Phase) -> None:
    assert press(view(phase), UI, "e").ui.form == Form(SETTINGS)
    assert press(view(phase), UI, "у").ui.form == Form(SETTINGS)
    assert press(view(phase, i_am_host=False), UI, "e").ui.form is None
    assert press(view(Phase.RACING), UI, "e").ui.form is None


def test_what_is_chosen_is_taken_with_enter_and_left_with_escape() -> None:
    ui, actions = pressed(TABLE, OPEN, "right", "enter")
    assert (ui.form, actions) == (None, [Change(with_value(SETTINGS, Row.SIZE, 5))])
    assert pressed(TABLE, OPEN, "right", "escape") == (UI, [])


def test_the_same_settings_again_do_not_clear_ready_before_a_race_and_lead_to_the_seats_after_one() -> None:
    assert pressed(TABLE, OPEN, "enter")[1] == []
    assert pressed(view(Phase.FINISHED), OPEN, "enter")[1] == [Change(SETTINGS)]


def test_no_other_key_does_anything_while_the_settings_are_open() -> None:
    start = replace(TABLE, can_start=True)
    assert pressed(start, OPEN, *"srlwgxp12", "tab") == (OPEN, [])


def test_the_settings_close_when_the_table_goes_on_or_the_host_is_another() -> None:
    for picture in (view(Phase.OPENING), view(Phase.SEATING, i_am_host=False), view(Phase.SEATING, line=Line.OVER)):
        assert kept(picture, OPEN).form is None
    assert kept(TABLE, OPEN).form is not None


def test_somebody_who_sits_down_meanwhile_has_a_seat_in_what_is_chosen() -> None:
    two = replace(OPEN, form=Form(with_value(SETTINGS, Row.SEATS, 2)))
    form = kept(replace(TABLE, seats=SEATS[:3]), two).form
    assert form is not None
    assert form.settings.seats == 3


def test_every_line_stands_on_the_screen_with_its_choices_and_what_a_change_does() -> None:
    shown = screen(TABLE, ui=OPEN)
    for words in (
        "seats     2  3  4",
        "› board     3×3  4×4  5×5  6×6  8×8",
        "first to a tile  highest score  last one moving",
        "256  512  1024  2048",
        "1 min  2 min  3 min  5 min  10 min  off",
        "usual  strict",
        "A change clears every Ready.",
        "Enter take these",
        "Esc  leave as it was",
    ):
        assert words in shown
    assert "the tally stays" in screen(view(Phase.FINISHED), ui=OPEN)


def test_what_is_chosen_is_highlighted() -> None:
    palette = CLASSIC[Depth.TRUE]
    cells = [cell for line in canvas(TABLE, ui=OPEN).lines for cell in line]
    assert "".join(shown for shown, ink in cells if ink is palette.primary).split() == ["4×4", "Enter", "take", "these"]
    chosen = "".join(shown for shown, ink in cells if ink is palette.key).split()
    assert chosen[:9] == ["4", "first", "to", "a", "tile", "2048", "3", "min", "usual"]


def test_on_a_narrow_screen_the_choice_stands_where_not_all_have_room() -> None:
    shown = screen(TABLE, 40, 20, OPEN)
    for words in ("‹ first to a tile ›", "256  512  1024  2048", "‹ 3 min ›", "A change clears every Ready."):
        assert words in shown


def test_where_there_is_one_line_it_is_the_one_that_is_being_changed() -> None:
    timed = replace(OPEN, form=Form(with_value(SETTINGS, Row.KIND, Kind.TIMED), Row.TIME))
    assert screen(TABLE, 20, 3, timed).startswith("time ‹ 3 min ›")


@pytest.mark.parametrize("kind", Kind)
def test_the_settings_are_painted_on_a_screen_of_any_size(kind: Kind) -> None:
    for columns, rows in SCREENS:
        for row in Row:
            for depth in (Depth.TRUE, Depth.MONO):
                ui = replace(OPEN, form=Form(with_value(SETTINGS, Row.KIND, kind), row))
                assert_sound(canvas(TABLE, columns, rows, ui, depth), columns, rows)
