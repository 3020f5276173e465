"""The home screen as cells: where its parts go at any size, and how its pages look. Pure, and total as paint.py is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from client.language import say, say_n

from .canvas import Canvas, Rect, clipped, columns_of, wrapped
from .connecting import draw_name
from .footer import draw_footer
from .home import Home, Item, Page
from .keys import shown_key
from .palette import PLAIN, Palette
from .plan import ALL_COLUMNS_MIN, BOARD_COLUMNS_MIN, BOARD_ROWS_MIN
from .tiles import draw_big

_TITLE = (("2", 1), ("0", 0), ("4", 2), ("8", 3))  # the tiles 2, 4 and 8; what is empty is 0
_TILE_COLUMNS, _TILE_ROWS = 8, 3
_DIGITS = 9  # so many entries have one
_TITLE_COLUMNS = 4 * _TILE_COLUMNS + 3
_ABOUT_COLUMNS_MIN = 76  # from here on there is room for what each entry is about
_LABEL_COLUMNS_MIN = 18
_BOX_COLUMNS = 66
_MESSAGE_ROWS_MAX = 4
_FULL_COLUMNS = 62  # a line of a text that is so long may go on in the next


@dataclass(frozen=True, slots=True)
class HomeLayout:
    """Where the parts are. `title` has no cells where there is no room; `step` is how many rows an entry takes."""

    title: Rect
    menu: Rect
    step: int
    with_about: bool


def home_plan(columns: int, rows: int, entries: int) -> HomeLayout:
    """Returns the layout of the menu on a screen of this size."""
    with_about = columns >= _ABOUT_COLUMNS_MIN
    width = min(columns - 2, 72 if with_about else 36)
    room = rows - 3  # between the header and the footer, a row of which is for a message
    with_title = columns >= ALL_COLUMNS_MIN and room >= entries + _TILE_ROWS + 1
    above = _TILE_ROWS + 1 if with_title else 0
    step = 2 if room >= above + 2 * entries + 6 else 1
    if with_title and room >= above + step * entries + 2:
        above += 1
    height = min(above + step * entries, room)
    top = 1 + max((room - height) // 3, 0)
    x = (columns - width) // 2
    title = Rect(x, top, _TITLE_COLUMNS, _TILE_ROWS if with_title else 0)
    return HomeLayout(title, Rect(x, top + above, width, height - above), step, with_about)


def paint_home(home: Home, columns: int, rows: int, palette: Palette, program: str) -> Canvas:
    """Returns the screen; `program` is its name and version."""
    canvas = Canvas(columns, rows)
    if columns < BOARD_COLUMNS_MIN or rows < BOARD_ROWS_MIN:
        canvas.text(0, 0, line_words(home))
        return canvas
    draw_name(canvas, palette)
    version = program.rpartition(" ")[2]
    canvas.right(columns - 1, 0, version)
    _PAGES[home.page](canvas, home, palette)
    draw_footer(canvas, ((key, label, False) for key, label in footer(home)), palette)
    if home.message:
        lines = wrapped(home.message, columns - 4)[-_MESSAGE_ROWS_MAX:]
        for y, line in enumerate(lines, rows - 1 - len(lines)):
            ink = palette.warn if home.wrong else palette.strong
            canvas.text(1, y, f" {line} ", ink, columns=columns - 2)
    return canvas


def line_words(home: Home) -> str:
    """Returns the page in one line of text, for a screen that has no room for more."""
    if home.message:
        return home.message
    match home.page:
        case Page.MENU:
            return say("race2048: {entry}", entry=say(home.items[home.chosen].label))
        case Page.FIELD:
            return f"› {home.field.text}"
        case Page.FORM:
            from .form import form_words

            assert home.form is not None, "the page has a form"
            return form_words(home.form)
        case Page.SETTINGS:
            row = home.rows[home.line]
            return say("{name} ‹ {value} ›", name=row.name, value=row.value)
        case Page.FILES:
            return home.files[home.line] if home.files else say("No records yet.")
        case Page.TEXT:
            return home.text[home.line] if home.line < len(home.text) else ""


def line_at(home: Home, columns: int, rows: int, y: int) -> int | None:
    """Returns which entry of the menu, line of the files or of the settings is in this row; None if there is none."""
    if home.page is Page.MENU:
        layout = home_plan(columns, rows, len(home.items))
        line, rest = divmod(y - layout.menu.y, layout.step)
        line += _first(home.chosen, len(home.items), layout.menu.height // layout.step)
        return line if y >= layout.menu.y and rest == 0 and line < len(home.items) else None
    if home.page in (Page.FILES, Page.SETTINGS):
        box = _box(columns, rows, _list_rows(home))
        shown = box.height - _rows_around(home)
        line = y - box.y - 1
        return line + _first(home.line, _list_rows(home) - _rows_around(home), shown) if 0 <= line < shown else None
    return None


def settled(home: Home, columns: int, rows: int) -> Home:
    """Returns the page with no more scrolled away than there is text for."""
    if home.page is not Page.TEXT:
        return home
    most = max(len(_text_lines(home, columns)) - _text_rows(rows), 0)
    return replace(home, line=min(home.line, most))


# ── the pages ────────────────────────────────────────────────────────────────────────────────────────────────────


def _draw_menu(canvas: Canvas, home: Home, palette: Palette) -> None:
    layout = home_plan(canvas.columns, canvas.rows, len(home.items))
    if layout.title.height:
        _draw_title(canvas, layout.title, palette)
    shown = layout.menu.height // layout.step
    first = _first(home.chosen, len(home.items), shown)
    about_x = layout.menu.x + 9 + max(*(columns_of(say(item.label)) + 2 for item in home.items), _LABEL_COLUMNS_MIN)
    room = layout.menu.right - about_x
    beside = layout.with_about and all(columns_of(say(item.about)) <= room for item in home.items if item.about)
    for place, number in enumerate(range(first, min(first + shown, len(home.items)))):
        item, y = home.items[number], layout.menu.y + place * layout.step
        row = Rect(layout.menu.x, y, layout.menu.width, 1)
        chosen = number == home.chosen
        if chosen:
            canvas.fill(row, palette.primary)
        ink = palette.primary if chosen else palette.strong
        key = shown_key(item.key, home.keyboard)
        if number < _DIGITS:
            canvas.text(row.x + 1, y, f"{number + 1}", palette.primary if chosen else PLAIN)
        canvas.text(row.x + 4, y, f" {key} ", palette.key)
        canvas.text(row.x + 9, y, say(item.label), ink, columns=row.right - row.x - 9)
        if beside and item.about:
            canvas.text(about_x, y, say(item.about), palette.primary if chosen else PLAIN)
    if layout.with_about and not beside and not home.message:
        _draw_about(canvas, layout.menu, home.items[home.chosen])


def _draw_about(canvas: Canvas, menu: Rect, item: Item) -> None:
    """Draws what the chosen entry is about below the menu: beside it there is no room for all of them."""
    lines = wrapped(say(item.about), menu.width - 9) if item.about else []
    if menu.bottom + 1 + len(lines) < canvas.rows:
        for y, line in enumerate(lines, menu.bottom + 1):
            canvas.text(menu.x + 9, y, line)


def _draw_title(canvas: Canvas, region: Rect, palette: Palette) -> None:
    if palette.lines:
        draw_big(canvas, region.x, region.y, "2048", palette.strong)
        return
    for number, (digit, exponent) in enumerate(_TITLE):
        ink = palette.tile(exponent).face
        tile = Rect(region.x + number * (_TILE_COLUMNS + 1), region.y, _TILE_COLUMNS, _TILE_ROWS)
        canvas.fill(tile, ink)
        canvas.middle(tile.x, tile.y + 1, tile.width, digit, ink)


def _draw_form(canvas: Canvas, home: Home, palette: Palette) -> None:
    from .form import draw_choices

    assert home.form is not None, "the page has a form"
    last = say_n("b: {count} computer player sits down.", "b: {count} computer players sit down.", home.bots)
    draw_choices(canvas, home.form, palette, 1, last)


def _draw_field(canvas: Canvas, home: Home, palette: Palette) -> None:
    prompt = wrapped(field_prompt(home), min(_BOX_COLUMNS, canvas.columns) - 4)
    box = _draw_box(canvas, field_title(home), 3 + len(prompt), palette)
    for row, line in enumerate(prompt, box.y + 1):
        canvas.text(box.x + 2, row, line, palette.card)
    y, x, width = box.y + 1 + len(prompt), box.x + 2, box.width - 6
    text, cursor = home.field.text, home.field.cursor
    start = 0
    while columns_of(text[start:cursor]) >= width:
        start += 1
    canvas.text(x, y, "›", palette.card_strong)
    end = canvas.text(x + 2, y, text[start:cursor], palette.card_strong)
    under = text[cursor : cursor + 1] or " "
    after = canvas.text(end, y, under, palette.primary)
    rest = text[cursor + 1 :]
    room = x + 2 + width - after
    canvas.text(after, y, rest if columns_of(rest) <= room else clipped(rest, room), palette.card_strong)


def field_title(home: Home) -> str:
    """Returns what a field is for."""
    titles = {"join": say("Join a table"), "watch": say("Watch a race")}
    return titles.get(home.about, say("Settings"))


def field_prompt(home: Home) -> str:
    """Returns what is to be typed into the field."""
    if home.about in ("join", "watch"):
        around = say("The code or the link; nothing for the tables on this network:")
        return around if home.around else say("The code or the link:")
    prompts = {
        "name": say("How shall others see you?"),
        "lobby": say("The address of the lobby:"),
        "lang": say("The code of the language, as uk:"),
    }
    return prompts.get(home.about, home.about)


def _draw_files(canvas: Canvas, home: Home, palette: Palette) -> None:
    box = _draw_box(canvas, say("Replay"), _list_rows(home), palette)
    if not home.files:
        canvas.text(box.x + 2, box.y + 1, say("No records yet: play first."), palette.card)
        return
    _draw_lines(canvas, box, home.files, home.line, box.height - _rows_around(home), palette)


def _draw_settings(canvas: Canvas, home: Home, palette: Palette) -> None:
    box = _draw_box(canvas, say("Settings"), _list_rows(home), palette)
    values = [row.value or say("(not set)") for row in home.rows]
    lines = [f"{row.name:9} ‹ {value} ›" for row, value in zip(home.rows, values, strict=True)]
    shown = box.height - _rows_around(home)
    _draw_lines(canvas, box, lines, home.line, shown, palette)
    about = wrapped(home.rows[home.line].about, box.width - 4)[: _rows_around(home) - 2]
    for y, text in enumerate(about, box.y + shown + 2):
        canvas.text(box.x + 2, y, text, palette.card, columns=box.width - 4)


def _draw_lines(
    canvas: Canvas, box: Rect, lines: tuple[str, ...] | list[str], chosen: int, shown: int, palette: Palette
) -> None:
    first = _first(chosen, len(lines), shown)
    for y, number in enumerate(range(first, min(first + shown, len(lines))), box.y + 1):
        ink = palette.card
        if number == chosen:
            ink = palette.primary
            canvas.fill(Rect(box.x, y, box.width, 1), ink)
        canvas.text(box.x + 2, y, lines[number], ink, columns=box.width - 4)


def _draw_text(canvas: Canvas, home: Home, palette: Palette) -> None:
    del palette
    lines = _text_lines(home, canvas.columns)
    room = _text_rows(canvas.rows)
    width = max((columns_of(line) for line in lines), default=0)
    x = max((canvas.columns - width) // 2, 1)
    for y, line in enumerate(lines[home.line : home.line + room], 2):
        canvas.text(x, y, line, columns=canvas.columns - x)
    if home.line + room < len(lines):
        canvas.middle(0, canvas.rows - 2, canvas.columns, "▾")


def _text_lines(home: Home, columns: int) -> list[str]:
    """Returns the text in lines that fit. Where the screen is too narrow, paragraphs are wrapped anew."""
    if all(columns_of(line) <= columns - 2 for line in home.text):
        return list(home.text)
    paragraphs = list(_paragraphs(home.text))
    names = max((columns_of(name) for each in paragraphs for name, _ in _pairs(each)), default=0)
    lines: list[str] = []
    for paragraph in paragraphs:
        indent = len(paragraph) - len(paragraph.lstrip())
        pairs = _pairs(paragraph)
        for name, about in pairs:
            first, *rest = wrapped(about, max(columns - 4 - indent - names, 1)) or [""]
            lines.append(f"{' ' * indent}{name}{' ' * (names - columns_of(name))}  {first}".rstrip())
            lines += [" " * (indent + names + 2) + line for line in rest]
        if pairs:
            continue
        mark = 2 if paragraph.lstrip().startswith("- ") else 0
        first, *rest = wrapped(paragraph, max(columns - 2 - indent - mark, 1)) or [""]
        lines += [" " * indent + first, *(" " * (indent + mark) + line for line in rest)]
    return lines


def _pairs(line: str) -> list[tuple[str, str]]:
    """Returns what stands in columns in a line, as a key and what it does; nothing of a line of prose."""
    parts = [part for part in line.split("  ") if part.strip()]
    columns = [part.strip() for part in parts]
    return list(zip_longest(columns[::2], columns[1::2], fillvalue="")) if len(columns) > 1 else []


def _paragraphs(text: Sequence[str]) -> Iterator[str]:
    """Yields the lines of a text; one that goes on in the next, as far in and with no mark of its own, with it."""
    paragraph = ""
    for line in text:
        indent = len(line) - len(line.lstrip())
        goes_on = len(paragraph) >= _FULL_COLUMNS and indent == len(paragraph) - len(paragraph.lstrip())
        if (
            goes_on
            and not _pairs(line)
            and not _pairs(paragraph)
            and line.strip()
            and not line.lstrip().startswith("-")
        ):
            paragraph = f"{paragraph} {line.lstrip()}"
        else:
            yield from [paragraph] if paragraph or line is not text[0] else []
            paragraph = line
    yield paragraph


def _text_rows(rows: int) -> int:
    return max(rows - 4, 1)


# ── boxes and the footer ─────────────────────────────────────────────────────────────────────────────────────────


def _list_rows(home: Home) -> int:
    """Returns how many rows a list would like to have inside its box."""
    entries = max(len(home.files), 1) if home.page is Page.FILES else len(home.rows)
    return entries + _rows_around(home)


def _rows_around(home: Home) -> int:
    """Returns the rows of a box that are not for its list: title and end, and what a setting is about."""
    return 2 if home.page is Page.FILES else 5


def _box(columns: int, rows: int, height: int) -> Rect:
    width, height = min(_BOX_COLUMNS, columns), min(height, rows - 2)
    return Rect((columns - width) // 2, 1 + (rows - 2 - height) // 2, width, height)


def _draw_box(canvas: Canvas, title: str, height: int, palette: Palette) -> Rect:
    box = _box(canvas.columns, canvas.rows, height)
    canvas.fill(box, palette.card)
    canvas.text(box.x, box.y, f" {title} ".ljust(box.width), palette.title, columns=box.width)
    return box


def _first(chosen: int, count: int, shown: int) -> int:
    """Returns the first line of a list that is shown, so that the chosen one is in sight."""
    return min(max(chosen - shown + 1, 0), max(count - shown, 0))


def footer(home: Home) -> list[tuple[str, str]]:
    """Returns the keys that the footer names, the most useful first."""
    enter, escape, leave = say("Enter"), ("Esc", say("back")), ("Ctrl-C", say("leave"))
    match home.page:
        case Page.MENU:
            return [(enter, say("choose")), ("↑ ↓", say("move")), (shown_key("q", home.keyboard), say("quit"))]
        case Page.FORM:
            return [(enter, say("open the table")), escape, ("← →", say("change")), leave]
        case Page.FIELD:
            return [(enter, say("take it")), escape, leave]
        case Page.SETTINGS:
            return [("← →", say("change")), escape, ("↑ ↓", say("move")), leave]
        case Page.FILES:
            return [(enter, say("replay")), escape, ("↑ ↓", say("move")), leave]
        case Page.TEXT:
            return [("↑ ↓", say("scroll")), escape, leave]


_PAGES = {
    Page.MENU: _draw_menu,
    Page.FORM: _draw_form,
    Page.FIELD: _draw_field,
    Page.FILES: _draw_files,
    Page.SETTINGS: _draw_settings,
    Page.TEXT: _draw_text,
}
