"""The home screen on a terminal: carries out what home.py's steps ask for, with what the command line supplies.

Owns what is on the page now. Whoever runs it finds in `words` what the person wants to do, None for nothing.
prompt_toolkit is not imported before the first picture is there (architecture.md 4.4).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from client.config import Preferences

from .canvas import Canvas
from .home import Field, Item, Page, Row, Step, back, click, home_of, paste, press
from .home_paint import line_at, paint_home, settled
from .look import look_of
from .palette import Depth

if TYPE_CHECKING:
    from protocol.messages import TableSettings

    from .terminal import Frame

Words = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplies:
    """What the screen is given by the command line.

    `place` judges what was typed to join or to watch: the words of a command, or what is wrong. `change` writes a
    setting and returns what is wrong with it, else nothing. `records` are (what is shown, path). `around`: tables on
    this network can be listed.
    """

    commands: Collection[str]
    program: str
    preferences: Callable[[], Preferences]
    rows: Callable[[], tuple[Row, ...]]
    change: Callable[[str, str], str]
    records: Callable[[], Sequence[tuple[str, str]]]
    text: Callable[[str], str]
    around: Callable[[], bool]
    usual: Callable[[], TableSettings]
    host: Callable[[TableSettings, int], Words]
    place: Callable[[str, str], tuple[Words, str]]


class HomeScreen:
    """The home screen, as terminal.py shows one. `leave` ends it."""

    def __init__(self, supplies: Supplies, *, chosen: int = 0) -> None:
        self._supplies = supplies
        self._preferences = supplies.preferences()
        self._palette = look_of(os.environ, self._preferences).palette
        self._files: Sequence[tuple[str, str]] = ()
        self._size = (0, 0)
        self.home = replace(home_of(supplies.commands), chosen=chosen)
        self.words: Words | None = None
        self.leave: Callable[[], None] = lambda: None

    @property
    def depth(self) -> Depth:
        """How many colours are drawn with."""
        return self._palette.depth

    def picture(self, columns: int, rows: int) -> Canvas:
        """Returns the screen as it is now."""
        self._size = (columns, rows)
        self.home = settled(self.home, columns, rows)
        return paint_home(self.home, columns, rows, self._palette, self._supplies.program)

    def prepare(self) -> None:
        """Has nothing to load."""

    def draw(self, columns: int, rows: int) -> Frame:
        """Returns the picture for a terminal. While a line of text is typed the mouse is the terminal's: to paste."""
        from .terminal import Frame

        clicks = self._preferences.mouse and self.home.page is not Page.FIELD
        return Frame(self.picture(columns, rows), mouse=clicks)

    def press(self, key: str) -> None:
        """Does what a key does."""
        self._do(press(self.home, key))

    def paste(self, text: str) -> None:
        """Takes in a text that was pasted."""
        self.home = paste(self.home, text)

    def click(self, column: int, row: int) -> None:
        """Does what a click in this cell does, counted from 0."""
        del column
        line = line_at(self.home, *self._size, row)
        if line is not None:
            self._do(click(self.home, line))

    def _do(self, step: Step) -> None:
        self.home = step.home
        if step.leaves:
            self._end(None)
        elif step.opens is not None:
            self._open(step.opens)
        elif step.entered is not None:
            self._enter(step.entered)
        elif step.picked is not None:
            self._end(("replay", self._files[step.picked][1]))
        elif step.changed is not None:
            self._change(*step.changed)
        elif step.hosts:
            assert self.home.form is not None, "the page has a form"
            self._end(self._supplies.host(self.home.form.settings, self.home.bots))

    def _end(self, words: Words | None) -> None:
        self.words = words
        self.leave()

    def _open(self, item: Item) -> None:
        home = replace(self.home, about=item.command, line=0)
        match item.page:
            case None:
                self._end((item.command,))
                return
            case Page.FIELD:
                home = replace(home, page=Page.FIELD, field=Field(), around=self._supplies.around())
            case Page.TEXT:
                home = replace(home, page=Page.TEXT, text=tuple(self._supplies.text(item.command).splitlines()))
            case Page.FILES:
                self._files = self._supplies.records()
                home = replace(home, page=Page.FILES, files=tuple(shown for shown, _ in self._files))
            case Page.SETTINGS:
                home = replace(home, page=Page.SETTINGS, rows=self._supplies.rows())
            case Page.FORM:
                from .choices import Form

                home = replace(home, page=Page.FORM, form=Form(self._supplies.usual()), bots=0)
        self.home = home

    def _enter(self, text: str) -> None:
        """Takes what was typed into a field: a table, or the value of a setting."""
        if self.home.rows:
            self._change(self.home.about, text)
            return
        words, fault = self._supplies.place(self.home.about, text)
        if fault:
            self.home = replace(self.home, message=fault, wrong=True)
        else:
            self._end(words)

    def _change(self, name: str, value: str) -> None:
        fault = self._supplies.change(name, value)
        if fault:
            self.home = replace(self.home, message=fault, wrong=True)
            return
        if self.home.page is Page.FIELD:
            self.home = back(self.home)
        self.home = replace(self.home, rows=self._supplies.rows())
        self._preferences = self._supplies.preferences()
        self._palette = look_of(os.environ, self._preferences).palette
