"""A session as lines of text: no alternate screen, no cursor movement, a line per event (ux.md 2.7).

Good enough to race with a screen reader, and to follow a race in a log. telling.py says what has happened; commands
come as lines: words ("ready", "kick 2", "settings target 512"), or as many moves at once as one likes ("wwas"). An
empty line does what Enter does on the screen.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from typing import TextIO

from client.actions import Action, Change, Kick, Move, SetReady
from client.telling import board_lines, figure_lines, move_words, score_lines, settings_lines, told
from client.tui.canvas import graphemes
from client.tui.choices import ChoiceError, chosen
from client.tui.commands import Command, Links, Step, Ui, available, choose, is_on_board, kept, press
from client.tui.keys import Verb, meaning
from client.tui.paint import changes_in_ms, question_words, remark_words
from client.tui.seating import link_lines
from client.view import Line, SessionView
from client.words import all_settings_words, say
from engine.board import Board, Direction
from protocol.messages import Phase

_STDIN = 0
_READ_BYTES = 4_096
_LINE_CHARACTERS_MAX = 1_000
_RECORD_WAIT_S = 10.0  # when nobody gives commands any more, for the record after a race
_SIGPIPE = 13
_ARROWS = frozenset({"up", "right", "down", "left"})
_UNTOLD = frozenset({Verb.MENU, Verb.COPY, Verb.NEXT, Verb.MOUSE})  # what has no meaning on lines
_SYNONYMS = {
    "accept": "agree", "draw": "offer", "watch": "stand", "quit": "leave", "exit": "leave", "copy": "link",
    "menu": "help", "?": "help",
}  # fmt: skip
_KNOWN = frozenset(
    {verb.value for verb in Verb} | {"unready", "unlock", "offer", "withdraw", "board", "score"} | _SYNONYMS.keys()
)


class PlainRace:
    """A session on lines. With `lines` None it only tells; `stdin_lines()` reads the keyboard."""

    def __init__(
        self,
        view: Callable[[], SessionView],
        act: Callable[[Action], None],
        links: Links,
        out: TextIO,
        lines: AsyncIterator[str] | None,
    ) -> None:
        self._view = view
        self._act = act
        self._ui = Ui(join=links.join, watch=links.watch, lan=links.lan)
        self._out = out
        self._lines = lines
        self._unread = False  # there were commands, and there will be no more
        self._last: SessionView | None = None
        self._figures: SessionView | None = None  # when the scores were told last
        self._result: asyncio.Future[int] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> int:
        """Tells the session until the person has left or it is over; returns 0, or 128 + n for signal n.

        When the commands end, it goes on to the end of the race, so that a race can be driven through a pipe.
        """
        loop = asyncio.get_running_loop()
        self._result = loop.create_future()
        caught = self._catch_signals(loop)
        reader = loop.create_task(self._read())
        reader.add_done_callback(self._read_all)
        try:
            self.refresh()
            return await self._result
        finally:
            reader.cancel()
            if self._timer is not None:
                self._timer.cancel()
            for caught_one in caught:
                loop.remove_signal_handler(caught_one)

    def refresh(self) -> None:
        """Tells what has changed."""
        if self._result is None or self._result.done():
            return
        view = self._view()
        asked = self._ui.asking
        self._ui = kept(view, self._ui)
        lines, first = told(self._last, view), self._last is None or self._last.phase is None
        self._last = view
        if first and view.phase is Phase.SEATING:
            lines += self._link_texts(view)
        figures = figure_lines(self._figures, view)
        if figures or self._figures is None or view.phase is not Phase.RACING:
            self._figures = view
        self._say(*lines, *figures)
        if asked is not None and self._ui.asking is None:
            self._say(say("The race is over before you answered."))
        self._wait(view)

    def _wait(self, view: SessionView) -> None:
        """Ends what is over, and arms the timer for what counts down."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        finished = self._unread and view.phase is Phase.FINISHED
        if view.line is Line.OVER or (finished and view.check is not None):
            self._finish(0)
        elif finished and not view.checking:
            self._timer = loop.call_later(_RECORD_WAIT_S, self._finish, 0)
        elif (wait_ms := changes_in_ms(view)) is not None:
            self._timer = loop.call_later(wait_ms / 1_000, self.refresh)

    def _say(self, *lines: str) -> None:
        """Writes lines; whatever is in them, only printable characters and our own line ends go out."""
        try:
            for line in lines:
                self._out.write("".join(shown for shown, _ in graphemes(line)) + "\n")
            if lines:
                self._out.flush()
        except BrokenPipeError:
            self._finish(128 + _SIGPIPE)

    def _finish(self, code: int) -> None:
        if self._result is not None and not self._result.done():
            self._result.set_result(code)

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _read(self) -> None:
        if self._lines is None:
            return
        async for line in self._lines:
            self.obey(line[:_LINE_CHARACTERS_MAX].strip())
        self._unread = True
        self.refresh()

    def _read_all(self, reader: asyncio.Task[None]) -> None:
        if not reader.cancelled() and reader.exception() is not None and self._result is not None:
            error = reader.exception()
            if error is not None and not self._result.done():
                self._result.set_exception(error)

    def obey(self, line: str) -> None:
        """Does what a line says."""
        words = line.lower().split()
        if self._ui.asking is not None:
            yes = words[:1] in (["y"], [say("yes")])
            self._press("y" if yes else "n")
            if yes or not words or words[0] in ("n", say("no")):
                self.refresh()
                return
        self._obey(self._view(), words, line)
        self.refresh()

    def _obey(self, view: SessionView, words: list[str], line: str) -> None:
        if not words:
            self._enter(view)
        elif words == ["board"]:
            self._say(*self._board_texts(view))
        elif words == ["score"]:
            self._say(*score_lines(view))
        elif words[0] == "settings":
            self._settings(view, words[1:])
        elif all(word in _ARROWS for word in words):
            self._keys(view, words)
        elif command := self._command(view, words):
            self._step(choose(view, self._ui, command))
        elif len(line) == 1 or (is_on_board(view) and _only_moves(words)):
            self._keys(view, [key for word in line.split() for key in word])
        elif words[0] in ("y", "n", "yes", "no"):
            self._say(say("Nothing was asked."))
        elif words[0] in _KNOWN:
            self._say(say("That cannot be done now. Say help to see what can."))
        else:
            self._say(say("What is “{word}”? Say help to see what can be done.", word=words[0]))

    def _enter(self, view: SessionView) -> None:
        if any(command.primary for command in available(view, self._ui)):
            self._press("enter")
        else:
            self._say(*self._board_texts(view), *score_lines(view))

    def _command(self, view: SessionView, words: list[str]) -> Command | None:
        """Returns the command that can be done now and has this word; a player is named by seat or by name."""
        wanted = " ".join([_SYNONYMS.get(words[0], words[0]), *words[1:]])
        if words[0] == "kick":
            named = (s for s in view.seats if s is not None and s.name.lower() == " ".join(words[1:]))
            wanted = next((f"kick {seat.seat + 1}" for seat in named), wanted)
        commands = available(view, self._ui)
        return next((command for command in commands if word_of(command, view) == wanted), None)

    def _settings(self, view: SessionView, words: list[str]) -> None:
        """Tells the settings, or takes those that are named."""
        may = any(command.verb is Verb.SETTINGS for command in available(view, self._ui))
        if not words:
            self._say(*(settings_lines(view) if may else [f"{all_settings_words(view.settings)}."]))
            return
        if not may:
            self._say(say("Only the host chooses the settings, between races."))
            return
        seated = sum(seat is not None for seat in view.seats)
        try:
            settings = view.settings if words == ["same"] else chosen(view.settings, words, seated)
        except ChoiceError as error:
            self._say(str(error))
            return
        if settings == view.settings and view.phase is Phase.SEATING:
            self._say(say("These are the settings already."))
        else:
            self._act(Change(settings))

    def _keys(self, view: SessionView, keys: list[str]) -> None:
        """Presses keys one after the other, then shows the board once if there were moves among them."""
        boards, moved = [], False
        for key in keys:
            boards.append(self._board())
            moved = self._press(key) or moved
        after = self._view()
        if after.game is None or not moved:
            return
        if after.game.waiting:
            self._say(say("Waiting for the lobby to deal on …"))
        elif view.game is not None and view.game.moves == after.game.moves:
            self._say(say("Nothing moves that way."))
        else:
            last = next((board for board in reversed(boards) if board != after.game.board), None)
            self._say(*self._board_texts(after), move_words(last, after))

    def _board(self) -> Board | None:
        game = self._view().game
        return game.board if game is not None else None

    def _press(self, key: str) -> bool:
        """Presses a key and tells whether it was a move."""
        return self._step(press(self._view(), self._ui, key))

    def _step(self, step: Step) -> bool:
        """Carries out what a key or a word comes to, and tells whether it was a move."""
        self._ui = replace(step.ui, menu=None, overlay=None, form=None, remark=None)
        for action in step.actions:
            self._act(action)
        view = self._view()
        self._tell_step(step, view)
        return any(isinstance(action, Move) for action in step.actions)

    def _tell_step(self, step: Step, view: SessionView) -> None:
        if step.ui.overlay is Verb.HELP or step.ui.menu is not None:
            self._say(*self._help_texts(view))
        elif step.ui.overlay is Verb.LINK or step.copied:
            self._say(*self._link_texts(view))
        elif step.ui.form is not None:
            self._say(*settings_lines(view))
        elif step.ui.asking is not None:
            self._say(question_words(view, step.ui))
        elif step.ui.remark is not None:
            self._say(remark_words(step.ui))
        if step.left:
            self._finish(0)

    def _board_texts(self, view: SessionView) -> list[str]:
        return board_lines(view.game.board) if view.game is not None else []

    def _help_texts(self, view: SessionView) -> list[str]:
        lines = []
        if view.phase in (Phase.RACING, Phase.FINISHED):
            lines.append(say("board: your tiles. score: how everyone stands. An empty line: both."))
        if is_on_board(view):
            lines.append(say("Moves: up, right, down, left, or W D S A, as many on a line as you like."))
        longer = {
            Verb.HELP: say("these lines"),
            Verb.SETTINGS: say("what is raced for, and how to change it"),
            Verb.LEAVE: say("leave the table"),
        }
        commands = (command for command in available(view, self._ui) if command.verb not in _UNTOLD)
        for command in commands:
            what = longer.get(command.verb, command.label)
            lines.append(say("{word}: {what}", word=word_of(command, view), what=what))
        return lines

    def _link_texts(self, view: SessionView) -> list[str]:
        return [text for _, text in link_lines(view, self._ui, _LINE_CHARACTERS_MAX)]

    # ── signals ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _catch_signals(self, loop: asyncio.AbstractEventLoop) -> list[signal.Signals]:
        caught = []
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            found = getattr(signal, name, None)  # Windows has no SIGHUP
            with suppress(NotImplementedError, RuntimeError, ValueError):
                if found is not None:
                    loop.add_signal_handler(found, self._signalled, found)
                    caught.append(found)
        return caught

    def _signalled(self, caught: signal.Signals) -> None:
        """Ctrl-C asks first in a race; the other signals mean that we have to go."""
        step = press(self._view(), self._ui, "interrupt") if caught == signal.SIGINT else None
        if step is not None and not step.left:
            self._ui = step.ui
            self._say(question_words(self._view(), self._ui))
            return
        for action in step.actions if step is not None else ():
            self._act(action)
        self._finish(128 + caught)


def word_of(command: Command, view: SessionView) -> str:
    """Returns the word that a command has on lines; what a key takes back has a word of its own."""
    match command.verb:
        case Verb.READY:
            return "ready" if command.action == SetReady() else "unready"
        case Verb.LOCK:
            return "unlock" if view.locked else "lock"
        case Verb.AGREE:
            return "offer" if view.offer is None else "agree"
        case Verb.REFUSE:
            return "withdraw" if view.offer is not None and view.offer.by_you else "refuse"
        case Verb.KICK:
            place = next(seat.seat for seat in view.seats if seat is not None and command.action == Kick(seat.seat))
            return f"kick {place + 1}"
        case _:
            return command.verb.value


def _only_moves(words: list[str]) -> bool:
    return all(isinstance(meaning(key, on_board=True), Direction) for word in words for key in word)


async def stdin_lines() -> AsyncIterator[str]:
    """Yields the lines of standard input, whatever it is: a terminal, a pipe, a file.

    A thread reads them, since not every kind can be waited for; it is left behind in its read at the end, so it must
    not use sys.stdin, whose lock the interpreter wants when it exits.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        pending = b""
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            while data := _read_some():
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(queue.put_nowait, line.decode(errors="replace"))
                pending = pending[-_READ_BYTES:]
            if pending:
                loop.call_soon_threadsafe(queue.put_nowait, pending.decode(errors="replace"))
            loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line


def _read_some() -> bytes:
    try:
        return os.read(_STDIN, _READ_BYTES)
    except OSError:
        return b""
