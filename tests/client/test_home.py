"""The home screen: what keys, clicks and pastes do on each page, and how the pages look at every size."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.cli.help import keys_text
from client.cli.rules import rules_text
from client.tui.canvas import Canvas, columns_of, text_of
from client.tui.choices import Form
from client.tui.home import (
    FIELD_CHARACTERS_MAX,
    ITEMS,
    Field,
    Home,
    Item,
    Page,
    Row,
    Step,
    back,
    click,
    home_of,
    paste,
    press,
    typed,
)
from client.tui.home_paint import footer, home_plan, line_at, paint_home, settled
from client.tui.palette import CLASSIC, Depth
from engine.race import Kind
from protocol.messages import TableSettings
from tests.client.test_paint import HOSTILE, SCREENS, assert_sound

EVERYTHING = {item.command for item in ITEMS}
MENU = home_of(EVERYTHING)
SIZES = [(80, 24), (40, 20), (120, 40)]
LINK = "http://192.168.1.23:2048/t/482913#7q4k2m9xb3hd5s8t"
ROWS = (
    Row("name", "", (), "how the others see you (your login name)"),
    Row("palette", "classic", ("classic", "colour-blind", "mono"), "the colours of the tiles"),
    Row("mouse", "true", ("true", "false"), "a drag of the mouse is a swipe, a click chooses"),
)
FIELD = replace(MENU, page=Page.FIELD, about="join", field=Field(LINK, len(LINK)))
FORM = replace(MENU, page=Page.FORM, form=Form(TableSettings()))
FILES = replace(MENU, page=Page.FILES, files=tuple(f"2026-11-{day:02}-482913.r2048" for day in range(30, 0, -1)))
SETTINGS = replace(MENU, page=Page.SETTINGS, rows=ROWS)
TEXT = replace(MENU, page=Page.TEXT, text=tuple(rules_text().splitlines()))
PAGES = [MENU, FIELD, FORM, FILES, replace(FILES, files=()), SETTINGS, TEXT]


def pressed(home: Home, *keys: str) -> Step:
    step = Step(home)
    for key in keys:
        step = press(step.home, key)
    return step


def painted(home: Home, columns: int = 80, rows: int = 24, depth: Depth = Depth.TRUE) -> Canvas:
    return paint_home(home, columns, rows, CLASSIC[depth], "race2048 0.1.0")


def shown(home: Home, columns: int = 80, rows: int = 24) -> str:
    return "\n".join(text_of(painted(home, columns, rows)))


# ── the menu ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_what_the_program_can_do_is_offered() -> None:
    assert [item.command for item in home_of({"host", "help"}).items] == ["host", "help", "quit"]


def test_no_key_and_no_command_stands_twice() -> None:
    assert len({item.key for item in ITEMS}) == len({item.command for item in ITEMS}) == len(ITEMS)
    assert len(ITEMS) - 1 <= 9  # each but the last, to quit, has a digit
    assert ITEMS[-1].command == "quit"


@pytest.mark.parametrize(
    ("number", "item"), list(enumerate(ITEMS[:-1])), ids=lambda value: getattr(value, "command", None)
)
def test_an_entry_is_opened_by_its_letter_its_number_and_by_enter(number: int, item: Item) -> None:
    assert press(MENU, item.key).opens is item
    assert press(MENU, str(number + 1)).opens is item
    assert pressed(MENU, *["down"] * number, "enter").opens is item
    assert click(MENU, number).opens is item


def test_the_arrows_go_round_and_home_and_end_to_the_ends() -> None:
    assert press(MENU, "up").home.chosen == len(ITEMS) - 1
    assert pressed(MENU, "up", "down").home.chosen == 0
    assert pressed(MENU, "end", "home").home.chosen == 0


@pytest.mark.parametrize("key", ["q", "Q", "escape", "interrupt", "й"])
def test_q_escape_and_ctrl_c_leave(key: str) -> None:
    assert press(MENU, key).leaves


@pytest.mark.parametrize(("key", "command"), [("р", "host"), ("о", "join"), ("H", "host"), ("٣", "join")])
def test_letters_and_digits_of_other_keyboards_count_by_their_place(key: str, command: str) -> None:
    opened = press(MENU, key).opens
    assert opened is not None
    assert opened.command == command


@pytest.mark.parametrize("key", ["x", "~", "tab", "漢", "page-up"])
def test_other_keys_do_nothing(key: str) -> None:
    step = press(MENU, key)
    assert step == Step(replace(MENU, keyboard=step.home.keyboard))


def test_the_letters_that_are_shown_are_those_of_the_keyboard() -> None:
    assert " h   host a table" in shown(MENU)
    assert " р   host a table" in shown(press(MENU, "і").home)


@pytest.mark.parametrize("home", [FIELD, FORM, FILES, SETTINGS, TEXT])
def test_escape_goes_back_to_the_entry_one_came_from(home: Home) -> None:
    step = press(replace(home, rows=() if home.page is Page.FIELD else home.rows, chosen=3), "escape")
    assert step == Step(replace(MENU, chosen=3, keyboard=home.keyboard))


@pytest.mark.parametrize("home", [FIELD, FORM, FILES, SETTINGS, TEXT])
def test_ctrl_c_leaves_from_everywhere(home: Home) -> None:
    assert press(home, "interrupt").leaves


# ── a line of text ───────────────────────────────────────────────────────────────────────────────────────────────


def test_characters_are_taken_as_they_are_in_a_field() -> None:
    step = pressed(replace(FIELD, field=Field()), "q", "й", "?", "9", "漢", " ")
    assert step.home.field.text == "qй?9漢 "
    assert not step.leaves


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        (["backspace"], "ab", 2),
        (["left", "backspace"], "ac", 1),
        (["home", "delete"], "bc", 0),
        (["home", "backspace"], "abc", 0),
        (["end", "delete"], "abc", 3),
        (["left", "left", "x"], "axbc", 2),
        (["right", "right"], "abc", 3),
        (["home", "left"], "abc", 0),
        (["up", "tab", "\x00", "\x1b"], "abc", 3),
    ],
)
def test_a_line_is_edited(keys: list[str], text: str, cursor: int) -> None:
    line = Field("abc", 3)
    for key in keys:
        line = typed(line, key)
    assert line == Field(text, cursor)


def test_a_paste_goes_into_the_line_without_line_ends_and_controls() -> None:
    home = paste(replace(FIELD, field=Field("ab", 1)), f"  race2048 join\r\n{LINK}\x1b[31m\n")
    assert home.field == Field(f"arace2048 join {LINK} [31mb", 1 + len(f"race2048 join {LINK} [31m"))


@pytest.mark.parametrize("home", [MENU, FORM, FILES, SETTINGS, TEXT])
def test_a_paste_gives_no_orders_elsewhere(home: Home) -> None:
    assert paste(home, "q\rjhw") == home


def test_a_line_does_not_grow_without_end() -> None:
    home = paste(replace(FIELD, field=Field()), "x" * 10_000)
    assert len(home.field.text) == FIELD_CHARACTERS_MAX
    assert typed(home.field, "y") == home.field


def test_enter_hands_in_what_was_typed() -> None:
    assert press(replace(FIELD, field=Field("  482-913 ", 3)), "enter").entered == "482-913"


def test_a_message_goes_with_the_next_key() -> None:
    assert press(replace(FIELD, message="no such code", wrong=True), "x").home.message == ""


@given(st.lists(st.sampled_from(["left", "right", "home", "end", "backspace", "delete", "a", "漢", "é"]), max_size=30))
def test_the_cursor_never_leaves_the_line(keys: list[str]) -> None:
    line = Field("start", 2)
    for key in keys:
        line = typed(line, key)
        assert 0 <= line.cursor <= len(line.text)


# ── a table, files, settings, text ───────────────────────────────────────────────────────────────────────────────


def test_the_form_changes_with_the_arrows_and_enter_opens_the_table() -> None:
    step = pressed(FORM, "right", "down", "right")
    assert step.home.form is not None
    assert (step.home.form.settings.size, step.home.form.settings.kind) == (5, Kind.TIMED)
    assert press(step.home, "enter").hosts


@pytest.mark.parametrize("key", ["b", "и", "B"])
def test_b_seats_computer_players_as_long_as_there_are_seats(key: str) -> None:
    counts = [step.home.bots for step in (pressed(FORM, *[key] * times) for times in range(6))]
    assert counts == [0, 1, 2, 3, 0, 1]


def test_with_fewer_seats_fewer_computer_players_sit() -> None:
    home = pressed(FORM, "b", "b", "b", "up", "left", "left").home
    assert home.form is not None
    assert (home.form.settings.seats, home.bots) == (2, 1)


def test_a_file_is_picked_with_arrows_and_enter_or_a_click() -> None:
    assert pressed(FILES, "down", "down", "enter").picked == 2
    assert click(FILES, 5).picked == 5
    assert press(FILES, "up").home.line == len(FILES.files) - 1


@pytest.mark.parametrize("key", ["enter", "up", "down", "home"])
def test_without_files_nothing_is_picked(key: str) -> None:
    step = press(replace(FILES, files=()), key)
    assert step.picked is None
    assert click(step.home, 0) == Step(step.home)


def test_a_setting_changes_with_left_and_right_and_goes_round() -> None:
    home = replace(SETTINGS, line=1)
    assert press(home, "right").changed == ("palette", "colour-blind")
    assert press(home, "left").changed == ("palette", "mono")
    assert press(home, "enter").changed == ("palette", "colour-blind")
    assert click(SETTINGS, 2).changed == ("mouse", "false")


def test_a_setting_of_text_is_typed_and_escape_goes_back_to_the_settings() -> None:
    home = press(SETTINGS, "enter").home
    assert (home.page, home.about) == (Page.FIELD, "name")
    assert press(home, "escape").home == replace(back(home), message="")
    assert press(home, "escape").home.page is Page.SETTINGS
    assert click(SETTINGS, 0).home.page is Page.FIELD


def test_a_text_is_scrolled_and_no_further_than_there_is_text() -> None:
    assert press(TEXT, "up").home.line == 0
    assert pressed(TEXT, "down", "down").home.line == 2
    assert settled(press(TEXT, "end").home, 80, 24).line == len(TEXT.text) - 20
    assert settled(press(TEXT, "end").home, 120, 40).line == 0
    assert pressed(TEXT, " ", "page-up").home.line == 0
    assert press(TEXT, "q").home.page is Page.MENU


@pytest.mark.parametrize("home", PAGES)
@pytest.mark.parametrize("key", ["up", "down", "left", "right", "enter", "home", "end", "tab", " ", "x", "delete", "1"])
def test_no_key_fails_on_any_page(home: Home, key: str) -> None:
    assert_sound(painted(press(home, key).home), 80, 24)


# ── how it looks ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("home", PAGES)
def test_any_page_is_painted_on_a_screen_of_any_size(home: Home) -> None:
    for columns, rows in SCREENS:
        for depth in (Depth.TRUE, Depth.MONO):
            assert_sound(painted(settled(home, columns, rows), columns, rows, depth), columns, rows)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_cell_or_shifts_a_row(text: str) -> None:
    hostile = [
        replace(FIELD, field=Field(text[:200], min(len(text), 7)), message=text, wrong=True),
        replace(FILES, files=(text, text)),
        replace(SETTINGS, rows=(Row(text, text, (), text),)),
        replace(TEXT, text=(text, text)),
    ]
    for home in hostile:
        for columns, rows in SCREENS:
            assert_sound(painted(settled(home, columns, rows), columns, rows), columns, rows)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_whole_menu_is_there_uncut_from_40x20_on(columns: int, rows: int) -> None:
    lines = shown(MENU, columns, rows).splitlines()
    for number, item in enumerate(ITEMS, 1):
        digit = number if item.command != "quit" else " "
        (line,) = [line for line in lines if f" {digit}   {item.key}   " in line]
        assert item.label in line
        assert line.rstrip().endswith(item.about if columns >= 76 else item.label)
    assert "…" not in "\n".join(lines)
    assert "race2048" in lines[0]
    assert lines[0].endswith("0.1.0")
    assert all(label in lines[-1] for _, label in footer(MENU))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("text", [rules_text(), keys_text()])
def test_no_word_of_a_text_is_lost_when_it_is_scrolled_through(columns: int, rows: int, text: str) -> None:
    home, seen = replace(TEXT, text=tuple(text.splitlines())), []
    while True:
        home = settled(home, columns, rows)
        seen += text_of(painted(home, columns, rows))[2 : rows - 2]
        after = settled(press(home, "page-down").home, columns, rows)
        if after.line == home.line:
            break
        home = after
    assert set(text.split()) <= set(" ".join(seen).split())


def test_a_text_that_fits_stands_as_it_was_written() -> None:
    lines = text_of(painted(TEXT, 120, 40))
    indent = min(len(line) - len(line.lstrip()) for line in lines[2:20] if line)
    assert [line[indent:] for line in lines[2 : 2 + len(TEXT.text)]] == list(TEXT.text)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_every_setting_and_what_it_is_about_is_there_uncut(columns: int, rows: int) -> None:
    for line, row in enumerate(ROWS):
        text = shown(replace(SETTINGS, line=line), columns, rows)
        assert all(f"{each.name:9} ‹ " in text for each in ROWS)
        assert set(row.about.split()) <= set(text.split())


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_message_is_there_whole(columns: int, rows: int) -> None:
    message = "“x” is neither a link nor a table code nor an address. Give the link as the host sent it."
    text = shown(replace(FIELD, message=message, wrong=True), columns, rows)
    assert set(message.split()) <= set(text.split())


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("cursor", [0, 25, len(LINK)])
def test_the_place_where_one_types_is_in_sight(columns: int, rows: int, cursor: int) -> None:
    home = replace(FIELD, field=Field(LINK, cursor))
    canvas = painted(home, columns, rows)
    cells = [cell for line in canvas.lines for cell in line if cell[1] is CLASSIC[Depth.TRUE].primary]
    assert [text for text, _ in cells] == [(LINK + " ")[cursor]]


@pytest.mark.parametrize("depth", Depth)
def test_what_is_chosen_looks_different_in_every_depth(depth: Depth) -> None:
    rows = {line: painted(replace(MENU, chosen=line), depth=depth) for line in (0, 1)}
    y = home_plan(80, 24, len(ITEMS)).menu.y
    assert [ink for _, ink in rows[0].lines[y]] != [ink for _, ink in rows[1].lines[y]]


@pytest.mark.parametrize(("columns", "rows"), [*SIZES, (24, 9), (39, 19)])
@pytest.mark.parametrize("home", [MENU, FILES, SETTINGS])
@pytest.mark.parametrize("last", [False, True])
def test_a_click_means_the_line_that_is_shown_there(columns: int, rows: int, home: Home, last: bool) -> None:
    count = {Page.MENU: len(ITEMS), Page.FILES: len(FILES.files), Page.SETTINGS: len(ROWS)}[home.page]
    line = count - 1 if last else 0
    home = replace(home, chosen=line) if home.page is Page.MENU else replace(home, line=line)
    canvas = painted(home, columns, rows)
    wanted = {
        y for y, row in enumerate(canvas.lines[1:-1], 1) if CLASSIC[Depth.TRUE].primary in [ink for _, ink in row]
    }
    assert {y for y in range(rows) if line_at(home, columns, rows, y) == line} == wanted


@pytest.mark.parametrize("home", [FIELD, FORM, TEXT])
def test_on_other_pages_a_click_means_nothing(home: Home) -> None:
    assert {line_at(home, 80, 24, y) for y in range(24)} == {None}


@pytest.mark.parametrize("home", PAGES)
def test_on_a_tiny_screen_there_is_one_line_that_says_where_one_is(home: Home) -> None:
    (line, *rest) = text_of(painted(home, 80, 8))
    assert line
    assert "".join(rest) == ""
    assert columns_of(line) <= 80
