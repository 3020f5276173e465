"""The home screen as values: its pages, what a key does on each, and nothing of how it looks.

Pure. home_paint.py draws it, home_screen.py carries out what a `Step` asks for. An entry of the menu is one row of
ITEMS; it is offered if the program has the command. Letters count by their place on any keyboard, but in a field.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from client.language import later

from .keys import keyboard_of, latin, line_after

if TYPE_CHECKING:
    from .choices import Form  # it takes long to import, and is needed on one page only

FIELD_CHARACTERS_MAX = 256
_FAR = 10_000  # lines; no text has so many, however narrow the screen


class Page(Enum):
    """What fills the screen."""

    MENU = auto()
    FORM = auto()  # what shall be raced for
    FIELD = auto()  # a line of text
    FILES = auto()  # records to choose from
    SETTINGS = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of the menu. `command` is what it runs, in the end, or "quit"; `page` what is asked before."""

    command: str
    key: str
    label: str
    about: str
    page: Page | None = None


ITEMS = (
    Item("play", "p", later("play alone"), later("go on where you left off, or begin a new game")),
    Item("host", "h", later("host a table"), later("for your friends; this computer is the lobby"), Page.FORM),
    Item("join", "j", later("join a table"), later("with the code or the link that you were sent"), Page.FIELD),
    Item("watch", "w", later("watch a race"), later("scores and largest tiles, live"), Page.FIELD),
    Item("train", "t", later("train"), later("with a coach, or watch the computer explain")),
    Item("history", "y", later("history"), later("the races and games that you have played")),
    Item("replay", "v", later("replay"), later("see a race again, all boards side by side"), Page.FILES),
    Item("help", "?", later("rules and help"), later("which keys there are, and how a race ends"), Page.TEXT),
    Item("config", "s", later("settings"), later("your name, colours, motion and so on"), Page.SETTINGS),
    Item("quit", "q", later("quit"), ""),
)


@dataclass(frozen=True, slots=True)
class Field:
    """A line of text that is being typed, and where the next character goes."""

    text: str = ""
    cursor: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the settings: its name there, its value as text, and what it can be (empty: any text)."""

    name: str
    value: str
    choices: tuple[str, ...]
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The state of the home screen. `about` is the command or the setting that a field is for."""

    items: tuple[Item, ...]
    page: Page = Page.MENU
    chosen: int = 0  # a line of the menu
    line: int = 0  # a line of files, settings or text
    about: str = ""
    field: Field = field(default_factory=Field)
    form: Form | None = None
    around: bool = True  # nothing typed means the tables on this network
    bots: int = 0  # computer players who sit down at the table of the form
    files: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    text: tuple[str, ...] = ()
    message: str = ""
    wrong: bool = False  # the message is about a mistake
    keyboard: str = "latin"


@dataclass(frozen=True, slots=True)
class Step:
    """What a key comes to: a new state, and what is to be done.

    `opens`: this entry was chosen; `entered`: this was typed into the field; `picked`: this file was chosen;
    `changed`: a setting and its new value; `hosts`: the form is as it shall be; `leaves`: the person goes.
    """

    home: Home
    opens: Item | None = None
    entered: str | None = None
    picked: int | None = None
    changed: tuple[str, str] | None = None
    hosts: bool = False
    leaves: bool = False


def home_of(commands: Collection[str]) -> Home:
    """Returns the menu of a program that has these commands."""
    return Home(items=tuple(item for item in ITEMS if item.command in commands or item.command == "quit"))


def press(home: Home, key: str) -> Step:
    """Returns what a key does: a name ("up", "enter", "escape", "backspace" …) or the character it made."""
    if key == "interrupt":
        return Step(home, leaves=True)
    home = replace(home, message="", wrong=False)
    if len(key) == 1 and home.page is not Page.FIELD:
        home = replace(home, keyboard=keyboard_of(key) or home.keyboard)
    if key == "escape" and home.page is not Page.MENU:
        return Step(back(home))
    return _PRESSES[home.page](home, key)


def back(home: Home) -> Home:
    """Returns the page before this one: the settings for a field that is one of them, else the menu."""
    if home.page is Page.FIELD and home.rows:
        return replace(home, page=Page.SETTINGS, field=Field())
    return Home(items=home.items, chosen=home.chosen, keyboard=home.keyboard)


def paste(home: Home, text: str) -> Home:
    """Returns the field with a text that was pasted; elsewhere a paste gives no orders."""
    if home.page is not Page.FIELD:
        return home
    kept = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return replace(home, field=_with(home.field, kept), message="", wrong=False)


def click(home: Home, line: int) -> Step:
    """Returns what a click on a line of the menu, the files or the settings does."""
    if home.page is Page.MENU and 0 <= line < len(home.items):
        return _opened(replace(home, chosen=line))
    if home.page is Page.FILES and 0 <= line < len(home.files):
        return Step(home, picked=line)
    if home.page is Page.SETTINGS and 0 <= line < len(home.rows):
        return _next_value(replace(home, line=line), 1)
    return Step(home)


# ── what a key does on each page ─────────────────────────────────────────────────────────────────────────────────


def _in_menu(home: Home, key: str) -> Step:
    if key in ("up", "down", "home", "end"):
        return Step(replace(home, chosen=_moved(home.chosen, key, len(home.items))))
    if key == "enter":
        return _opened(home)
    if key == "escape":
        return Step(home, leaves=True)
    wanted = latin(key) if len(key) == 1 else key
    for number, item in enumerate(home.items):
        if wanted in (str(number + 1), item.key) or wanted.lower() == item.key:
            return _opened(replace(home, chosen=number))
    return Step(home)


def _opened(home: Home) -> Step:
    item = home.items[home.chosen]
    return Step(home, leaves=True) if item.command == "quit" else Step(home, opens=item)


def _moved(place: int, key: str, count: int) -> int:
    """Returns the line after an arrow: up from the first is the last."""
    if key in ("home", "end"):
        return 0 if key == "home" else count - 1
    return line_after(key, place, max(count, 1))


def _in_field(home: Home, key: str) -> Step:
    if key == "enter":
        return Step(home, entered=home.field.text.strip())
    return Step(replace(home, field=typed(home.field, key)))


def typed(line: Field, key: str) -> Field:
    """Returns a field after a key."""
    text, cursor = line.text, line.cursor
    match key:
        case "backspace":
            return Field(text[: max(cursor - 1, 0)] + text[cursor:], max(cursor - 1, 0))
        case "delete":
            return Field(text[:cursor] + text[cursor + 1 :], cursor)
        case "left" | "right":
            return replace(line, cursor=min(max(cursor + (1 if key == "right" else -1), 0), len(text)))
        case "home" | "end":
            return replace(line, cursor=0 if key == "home" else len(text))
        case _:
            return _with(line, key) if len(key) == 1 and key.isprintable() else line


def _with(line: Field, text: str) -> Field:
    room = FIELD_CHARACTERS_MAX - len(line.text)
    text = text[: max(room, 0)]
    return Field(line.text[: line.cursor] + text + line.text[line.cursor :], line.cursor + len(text))


def _in_form(home: Home, key: str) -> Step:
    from .choices import stepped_form

    assert home.form is not None, "the page has a form"
    if key == "enter":
        return Step(home, hosts=True)
    if len(key) == 1 and latin(key).lower() == "b":
        return Step(replace(home, bots=(home.bots + 1) % home.form.settings.seats))
    form = stepped_form(home.form, key, 1)
    return Step(replace(home, form=form, bots=min(home.bots, form.settings.seats - 1)))


def _in_files(home: Home, key: str) -> Step:
    if key == "enter" and home.files:
        return Step(home, picked=home.line)
    if key in ("up", "down", "home", "end"):
        return Step(replace(home, line=_moved(home.line, key, len(home.files))))
    return Step(home)


def _in_settings(home: Home, key: str) -> Step:
    row = home.rows[home.line]
    if key in ("up", "down", "home", "end"):
        return Step(replace(home, line=_moved(home.line, key, len(home.rows))))
    if key == "enter" and not row.choices:
        return Step(replace(home, page=Page.FIELD, about=row.name, field=Field(row.value, len(row.value))))
    if key in ("left", "right", "enter"):
        return _next_value(home, -1 if key == "left" else 1)
    return Step(home)


def _next_value(home: Home, step: int) -> Step:
    row = home.rows[home.line]
    if not row.choices:
        return Step(replace(home, page=Page.FIELD, about=row.name, field=Field(row.value, len(row.value))))
    place = row.choices.index(row.value) if row.value in row.choices else 0
    return Step(home, changed=(row.name, row.choices[(place + step) % len(row.choices)]))


def _in_text(home: Home, key: str) -> Step:
    steps = {
        "up": -1,
        "down": 1,
        "page-up": -10,
        "page-down": 10,
        " ": 10,
        "home": -_FAR,
        "end": _FAR,
    }
    if key in steps:  # how many lines there are depends on the screen: home_paint.settled keeps us within them
        return Step(replace(home, line=min(max(home.line + steps[key], 0), _FAR)))
    return Step(back(home)) if key in ("enter", "q") else Step(home)


_PRESSES = {
    Page.MENU: _in_menu,
    Page.FORM: _in_form,
    Page.FIELD: _in_field,
    Page.FILES: _in_files,
    Page.SETTINGS: _in_settings,
    Page.TEXT: _in_text,
}
