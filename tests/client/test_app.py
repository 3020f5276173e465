import asyncio
import io
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyte
import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from client.actions import Action, Again, Leave, Move, Resign, SetReady
from client.tui.app import Links, RaceApp
from client.tui.canvas import text_of
from client.tui.commands import Ui
from client.tui.look import Look, Motion
from client.tui.palette import CLASSIC, Depth
from client.tui.terminal import REFRESH_S
from client.view import Line, SessionView
from engine.board import Board, Direction
from engine.deck import SoloDeck
from engine.game import Game
from protocol.messages import Phase
from protocol.text import SafeText

from .pictures_of import LINK, SEATS, canvas, game, view, watching

PATIENCE_S = 10.0
MODES = {"alternate screen": "1049", "bracketed paste": "2004", "mouse": "1000", "places of the mouse": "1006"}


class Written(io.StringIO):
    """What a program writes on a terminal; every flush is an event."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed = asyncio.Event()

    def flush(self) -> None:
        self.flushed.set()


class Terminal:
    """A terminal without a computer: a RaceApp's input and output, and a session that does what a test says."""

    def __init__(
        self, keyboard: PipeInput, picture: SessionView, columns: int, rows: int, look: Look | None = None
    ) -> None:
        self.keyboard = keyboard
        self.picture = picture
        self.columns, self.rows = columns, rows
        self.written = Written()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self._fed = 0
        self.actions: list[Action] = []
        self.views = 0
        self.obey: Callable[[Action], None] = lambda action: None
        output = Vt100_Output(self.written, lambda: Size(rows=self.rows, columns=self.columns), term="xterm")
        links = Links(LINK, "")
        self.app = RaceApp(view=self.view, act=self.act, links=links, look=look, input=keyboard, output=output)
        self.running: asyncio.Task[int]

    def view(self) -> SessionView:
        self.views += 1
        return self.picture

    def act(self, action: Action) -> None:
        self.actions.append(action)
        self.written.flushed.set()
        self.obey(action)

    def type(self, text: str) -> None:
        self.keyboard.send_text(text)

    def change(self, picture: SessionView) -> None:
        self.picture = picture
        self.app.refresh()

    def screen(self) -> pyte.Screen:
        if (self._screen.columns, self._screen.lines) != (self.columns, self.rows):
            self._screen.resize(self.rows, self.columns)
        written = self.written.getvalue()
        self._stream.feed(written[self._fed :])
        self._fed = len(written)
        return self._screen

    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen().display)

    def column_of(self, text: str) -> int:
        """Returns the column that a text begins at; wide characters before it count as the two cells they take."""
        screen = self.screen()
        for row in range(self.rows):
            cells = [screen.buffer[row][column].data for column in range(self.columns)]
            for column in range(self.columns):
                if "".join(cells[column : column + len(text)]) == text:
                    return column
        raise AssertionError(f"{text} is not on the screen")

    async def until(self, seen: Callable[[], bool]) -> None:
        """Waits until something is so, looking after every flush and every turn of the loop that brings one."""
        async with asyncio.timeout(PATIENCE_S):
            while not seen():
                if self.running.done():
                    self.running.result()
                    raise AssertionError("the app has ended")
                self.written.flushed.clear()
                flushed = asyncio.ensure_future(self.written.flushed.wait())
                await asyncio.wait((flushed, self.running), return_when=asyncio.FIRST_COMPLETED)
                flushed.cancel()

    async def until_shown(self, text: str) -> None:
        await self.until(lambda: text in self.shown())

    async def until_painted(self) -> None:
        painted = canvas(self.picture, self.columns, self.rows, Ui(join=LINK))
        await self.until(lambda: self.shown() == "\n".join(text_of(painted)))

    async def end(self) -> int:
        async with asyncio.timeout(PATIENCE_S):
            return await self.running

    def assert_restored(self) -> None:
        written = self.written.getvalue()
        for name, mode in MODES.items():
            assert written.rfind(f"\x1b[?{mode}h") < written.rfind(f"\x1b[?{mode}l"), name
        assert written.rfind("\x1b[?25l") < written.rfind("\x1b[?25h"), "the cursor is hidden"
        assert written.rfind("\x1b[?7l") < written.rfind("\x1b[?7h"), "lines do not wrap"


@asynccontextmanager
async def terminal(
    picture: SessionView, columns: int = 80, rows: int = 24, look: Look | None = None
) -> AsyncIterator[Terminal]:
    with create_pipe_input() as keyboard:
        made = Terminal(keyboard, picture, columns, rows, look)
        made.running = asyncio.ensure_future(made.app.run())
        try:
            await made.until(lambda: "race2048" in made.shown() or made.columns < 24)
            yield made
        finally:
            made.running.cancel()
            await asyncio.gather(made.running, return_exceptions=True)


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_arrows_and_letters_become_moves() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.type("\x1b[A\x1b[C\x1bOBhщd")
        await screen.until(lambda: len(screen.actions) == 6)
    directions = [action.direction for action in screen.actions if isinstance(action, Move)]
    assert directions == [Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT, Direction.RIGHT]


async def test_500_pasted_arrows_are_500_moves_in_order() -> None:
    arrows = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[C"] * 100
    wanted = [Direction.UP, Direction.DOWN, Direction.RIGHT, Direction.LEFT, Direction.RIGHT] * 100
    async with terminal(view(Phase.RACING)) as screen:
        screen.type("".join(arrows))
        await screen.until(lambda: len(screen.actions) >= 500)
    assert screen.actions == [Move(direction) for direction in wanted]


async def test_500_arrows_in_a_bracketed_paste_are_500_moves_in_order() -> None:
    arrows = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[C"] * 100
    wanted = [Direction.UP, Direction.DOWN, Direction.RIGHT, Direction.LEFT, Direction.RIGHT] * 100
    async with terminal(view(Phase.RACING)) as screen:
        screen.type("\x1b[200~" + "".join(arrows) + "\x1b[201~")
        await screen.until(lambda: len(screen.actions) >= 500)
    assert screen.actions == [Move(direction) for direction in wanted]


async def test_500_arrows_typed_while_tiles_slide_are_500_moves_and_the_last_board_is_shown() -> None:
    race = Game(4, SoloDeck(bytes(32)))

    def obey(action: Action) -> None:
        assert isinstance(action, Move)
        race.move(action.direction)
        board = game(board=race.board, score=race.score, moves=race.moves, max_exponent=race.max_exponent)
        screen.change(replace(screen.picture, game=board))

    async with terminal(view(Phase.RACING, clock_ms=None)) as screen:
        screen.obey = obey
        for number in range(500):
            screen.type("\x1b[A\x1b[B\x1b[C\x1b[D"[3 * (number % 4) :][:3])
            if number % 7 == 0:
                await asyncio.sleep(0)
        await screen.until(lambda: len(screen.actions) >= 500)
        await screen.until_painted()
    assert len(screen.actions) == 500


async def test_a_drag_of_the_mouse_over_a_board_is_a_move() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        await screen.until(lambda: "\x1b[?1006h" in screen.written.getvalue())
        screen.type("\x1b[<0;20;10M\x1b[<0;8;11m")
        await screen.until(lambda: screen.actions == [Move(Direction.LEFT)])


async def test_m_gives_the_mouse_back_to_the_terminal_and_takes_it_again() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.type("m")
        await screen.until_shown("The mouse is your terminal's again.")
        assert screen.written.getvalue().rindex("\x1b[?1000l") > screen.written.getvalue().rindex("\x1b[?1000h")
        screen.type("m")
        await screen.until_shown("The mouse moves the tiles now.")
        assert screen.written.getvalue().rindex("\x1b[?1000l") < screen.written.getvalue().rindex("\x1b[?1000h")


@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.FINISHED])
async def test_where_there_is_no_board_to_move_on_links_can_be_selected(phase: Phase) -> None:
    async with terminal(view(phase)) as screen:
        assert "\x1b[?1000h" not in screen.written.getvalue()


@pytest.mark.parametrize("key", ["t", "\x1b"])
async def test_what_lies_over_a_board_can_be_selected(key: str) -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.type(key)
        await screen.until(lambda: screen.written.getvalue().count("\x1b[?1000l") == 1)
        screen.type("\x1b")
        await screen.until(lambda: screen.written.getvalue().count("\x1b[?1000h") == 2)


async def test_after_a_race_the_mouse_is_the_terminals_again() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        await screen.until(lambda: "\x1b[?1000h" in screen.written.getvalue())
        screen.change(view(Phase.FINISHED))
        await screen.until_shown("You made 2048 first")
        assert screen.written.getvalue().rindex("\x1b[?1000l") > screen.written.getvalue().rindex("\x1b[?1000h")


async def test_no_move_is_made_after_the_race_is_over() -> None:
    async with terminal(view(Phase.RACING)) as screen:

        def obey(action: Action) -> None:
            if len(screen.actions) == 100:
                screen.change(view(Phase.FINISHED))

        screen.obey = obey
        screen.type("\x1b[A" * 500)
        await screen.until_shown("You made 2048 first")
    assert len(screen.actions) == 100


async def test_a_key_is_drawn_without_waiting_for_the_next_refresh() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        moved = replace(screen.picture, game=game(score=4_444, board=Board.parse("2 2 2 2 / " * 3 + "2 2 2 2")))

        def obey(action: Action) -> None:
            screen.change(moved)

        screen.obey = obey
        screen.type("\x1b[A")
        await screen.until_shown("4,444")


async def test_escape_opens_the_menu_without_the_usual_half_second() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        screen.type("\x1b")
        await screen.until_shown("Menu")
        assert loop.time() - began_s < 0.4  # prompt_toolkit's own would be 504 ms (field report A16)


async def test_enter_does_the_highlighted_action() -> None:
    seats = (replace(SEATS[0], you=False), replace(SEATS[1], you=True, ready=False))
    async with terminal(view(Phase.SEATING, seats=seats, my_seat=1, i_am_host=False)) as screen:
        await screen.until_shown("Enter ready")
        screen.type("\r")
        await screen.until(lambda: screen.actions == [SetReady()])


async def test_resigning_takes_a_yes() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.type("R")
        await screen.until_shown("Resign and lose this race? [y] yes")
        assert screen.actions == []
        screen.type("y")
        await screen.until(lambda: screen.actions == [Resign()])


async def test_keys_that_no_binding_knows_are_ignored() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.type("\x1b[15~\x1b[200~wasd\x1b[201~\x01\x7f\x1b[5~é")
        screen.type("w")
        await screen.until(lambda: bool(screen.actions))
        assert screen.actions == [Move(Direction.UP)]


async def test_a_stray_key_cannot_start_another_race() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.change(view(Phase.FINISHED))
        screen.type("g\r")
        screen.type("?")
        await screen.until_shown("Keys")
        assert screen.actions == []


async def test_half_a_second_after_the_result_g_is_another_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.tui.app.RESULT_S", 0.0)
    async with terminal(view(Phase.FINISHED)) as screen:
        screen.type("g")
        await screen.until(lambda: screen.actions == [Again()])


async def test_c_puts_the_link_on_the_clipboard() -> None:
    async with terminal(view(Phase.SEATING)) as screen:
        screen.type("c")
        await screen.until(lambda: "\x1b]52;c;aHR0cDovLzE5Mi4xNjguMS4yMzoyMDQ4" in screen.written.getvalue())


# ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_board_is_on_the_terminal() -> None:
    async with terminal(
        view(Phase.RACING, game=game(board=Board.parse("2 4 8 16 / " * 3 + "32 64 128 2048")))
    ) as screen:
        await screen.until_shown("2048")
        rows = [line.split()[:4] for line in screen.shown().splitlines()]
        assert ["2", "4", "8", "16"] in rows
        assert ["32", "64", "128", "2048"] in rows


async def test_a_refresh_shows_what_has_changed() -> None:
    async with terminal(view(Phase.SEATING)) as screen:
        screen.change(view(Phase.COUNTDOWN))
        await screen.until_shown("score")
        screen.change(view(Phase.FINISHED))
        await screen.until_shown("4 logs replayed, all agree")


async def test_a_thousand_refreshes_are_a_few_redraws() -> None:
    async with terminal(view(Phase.SEATING)) as screen:
        loop = asyncio.get_running_loop()
        began_s, before = loop.time(), screen.views
        for number in range(1_000):
            seats = (replace(SEATS[0], name=SafeText(f"fox {number}")), *SEATS[1:])
            screen.change(view(Phase.SEATING, seats=seats))
        calls = screen.views - before
        await screen.until_shown("fox 999")
        redraws = screen.views - before - calls
        assert redraws <= 2 + (loop.time() - began_s) / REFRESH_S


async def test_a_countdown_goes_on_without_news_from_the_lobby() -> None:
    async with terminal(view(Phase.COUNTDOWN, countdown_ms=20)) as screen:
        screen.picture = view(Phase.RACING)
        await screen.until_shown("offer a draw")


async def test_nothing_is_redrawn_while_nothing_counts() -> None:
    async with terminal(view(Phase.SEATING, seats=SEATS[:2])) as screen:
        assert screen.app._terminal._again_timer is None


async def test_a_terminal_that_changes_its_size_in_a_race_gets_a_new_layout_and_counts_moves() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        for columns, rows, sign in ((1, 1, "…"), (20, 5, "20,412"), (40, 20, "offer a draw"), (120, 40, "Ctrl-C")):
            screen.columns, screen.rows = columns, rows
            os.kill(os.getpid(), signal.SIGWINCH)
            screen.type("w")
            await screen.until_shown(sign)
        await screen.until(lambda: len(screen.actions) == 4)


@pytest.mark.parametrize(
    ("picture", "keys"),
    [
        (SessionView(line=Line.CONNECTING), ""),
        (view(Phase.SEATING), ""),
        (view(Phase.SEATING), "e"),
        (view(Phase.SEATING), "t"),
        (view(Phase.OPENING), ""),
        (view(Phase.COUNTDOWN), ""),
        (view(Phase.RACING, size=8), ""),
        (view(Phase.RACING), "?"),
        (view(Phase.RACING), "\x1b"),
        (view(Phase.CLOSING), ""),
        (view(Phase.FINISHED), ""),
        (watching(Phase.RACING), ""),
    ],
    ids=[
        "connecting", "seating", "settings", "link", "opening", "countdown", "racing", "help", "menu", "closing",
        "finished", "watching",
    ],
)  # fmt: skip
async def test_a_terminal_can_change_its_size_in_every_screen(picture: SessionView, keys: str) -> None:
    async with terminal(replace(picture, clock_ms=None, countdown_ms=None)) as screen:
        screen.type(keys)
        for columns, rows in ((40, 20), (24, 9), (23, 8), (1, 1), (200, 60), (80, 24)):
            screen.columns, screen.rows = columns, rows
            sent = len(screen.written.getvalue())
            os.kill(os.getpid(), signal.SIGWINCH)
            await screen.until(lambda sent=sent: "\x1b[2J" in screen.written.getvalue()[sent:])  # type: ignore[misc]
        await screen.until(lambda: "race2048" in screen.shown())
        painted = canvas(screen.picture, 80, 24, screen.app._ui)
        await screen.until(lambda: screen.shown() == "\n".join(text_of(painted)))


async def test_where_there_are_no_signals_a_changed_size_is_seen_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, which has neither SIGWINCH nor jobs, and whose loop takes no signals."""

    def refuse(*_: object) -> None:
        raise NotImplementedError

    few = SimpleNamespace(SIGINT=signal.SIGINT, SIGTERM=signal.SIGTERM, getsignal=signal.getsignal)
    monkeypatch.setattr("client.tui.terminal.signal", few)
    monkeypatch.setattr("client.tui.terminal.SIZE_POLL_S", 0.01)
    monkeypatch.setattr(asyncio.get_running_loop(), "add_signal_handler", refuse)
    async with terminal(view(Phase.RACING, clock_ms=None)) as screen:
        screen.type("\x1a")
        screen.columns, screen.rows = 40, 20
        await screen.until_painted()
        screen.type("\x03\x03")
        assert await screen.end() == 0
    screen.assert_restored()


async def test_after_many_redraws_the_terminal_shows_exactly_what_is_painted() -> None:
    race, sizes = Game(4, SoloDeck(bytes(32))), {20: (100, 30), 40: (30, 12), 60: (80, 24)}
    look = Look(palette=CLASSIC[Depth.INDEXED], motion=Motion.OFF)
    async with terminal(view(Phase.RACING, clock_ms=None), look=look) as screen:
        for step in range(80):
            if step in sizes:
                screen.columns, screen.rows = sizes[step]
                os.kill(os.getpid(), signal.SIGWINCH)
            race.move(Direction(step % 4))
            board = game(board=race.board, score=race.score, moves=race.moves, max_exponent=race.max_exponent)
            screen.change(replace(screen.picture, game=board))
            await screen.until_painted()


async def test_a_guest_who_sits_down_rings_and_the_window_says_how_many_are_there() -> None:
    async with terminal(view(Phase.SEATING, seats=(SEATS[0], None))) as screen:
        assert screen.written.getvalue().count("\x07") == 1
        assert "\x1b[22;2t\x1b]2;race2048: table 482-913, 1 player\x07" in screen.written.getvalue()
        screen.change(view(Phase.SEATING, seats=SEATS[:2]))
        await screen.until(lambda: "\x07\x1b]2;race2048: table 482-913, 2 players\x07" in screen.written.getvalue())
        screen.type("\x03")
        await screen.end()
    assert screen.written.getvalue().endswith("\x1b[23;2t")  # the title that was there before


async def test_bell_and_title_can_be_switched_off() -> None:
    look = Look(palette=CLASSIC[Depth.INDEXED], bell=False, title=False, notify=False)
    async with terminal(view(Phase.SEATING, seats=(SEATS[0], None)), look=look) as screen:
        screen.change(view(Phase.SEATING, seats=SEATS[:2]))
        await screen.until_shown("hare")
        screen.change(view(Phase.COUNTDOWN))
        await screen.until_shown("score")
        assert "\x07" not in screen.written.getvalue()


async def test_a_hostile_name_sends_no_control_sequence_to_the_terminal() -> None:
    name = SafeText("\x1b]52;c;AAAA\x07\x1b[3J\u202e")
    seats = (SEATS[0], replace(SEATS[1], name=name))
    async with terminal(view(Phase.RACING, seats=seats)) as screen:
        await screen.until_shown("]52;c;")
        for harmful in ("\x1b]52", "AAAA\x07", "\x1b[3J", "\u202e"):
            assert harmful not in screen.written.getvalue()


async def test_after_a_wide_name_the_row_goes_on_in_its_column() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        await screen.until_shown("14,880")
        columns = {score: screen.column_of(score) for score in ("14,880", "21,612")}
        assert columns["14,880"] == columns["21,612"]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}])
async def test_no_color_means_no_colour(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    async with terminal(view(Phase.RACING)) as screen:
        await screen.until_shown("2048")
        assert "38;2" not in screen.written.getvalue()
        assert "48;" not in screen.written.getvalue()


async def test_colorterm_means_all_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    async with terminal(view(Phase.RACING)) as screen:
        await screen.until(lambda: "48;2;168;154;139" in screen.written.getvalue())


# ── leaving, and how the terminal is left ────────────────────────────────────────────────────────────────────────


async def test_ctrl_c_before_a_race_leaves() -> None:
    async with terminal(view(Phase.SEATING)) as screen:
        screen.type("\x03")
        assert await screen.end() == 0
    assert screen.actions == [Leave()]
    screen.assert_restored()


async def test_ctrl_c_in_a_race_asks_first() -> None:
    async with terminal(view(Phase.RACING), columns=100) as screen:
        screen.type("\x03")
        await screen.until_shown("60 s to come back: the shell says how")
        assert screen.actions == []
        screen.type("\x03")
        assert await screen.end() == 0
    assert screen.actions == [Leave()]
    screen.assert_restored()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_a_signal_ends_the_app_with_its_code_and_does_not_leave_the_table(number: signal.Signals) -> None:
    async with terminal(view(Phase.RACING)) as screen:
        os.kill(os.getpid(), number)
        assert await screen.end() == 128 + number
    assert screen.actions == []
    screen.assert_restored()


async def test_an_exception_of_the_session_comes_out_on_a_restored_terminal() -> None:
    def fail(action: Action) -> None:
        raise RuntimeError("session")

    async with terminal(view(Phase.RACING)) as screen:
        screen.obey = fail
        screen.type("w")
        with pytest.raises(RuntimeError, match="session"):
            await screen.end()
    screen.assert_restored()


async def test_an_exception_while_drawing_comes_out_on_a_restored_terminal() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.change(replace(screen.picture, seats=("not a seat",)))  # type: ignore[arg-type]
        with pytest.raises(AttributeError):
            await screen.end()
    screen.assert_restored()


async def test_an_exception_that_nobody_caught_in_the_loop_comes_out_on_a_restored_terminal() -> None:
    def fail() -> None:
        raise RuntimeError("elsewhere")

    async with terminal(view(Phase.RACING)) as screen:
        asyncio.get_running_loop().call_soon(fail)
        with pytest.raises(RuntimeError, match="elsewhere"):
            await screen.end()
    screen.assert_restored()


async def test_an_app_that_is_cancelled_restores_the_terminal() -> None:
    async with terminal(view(Phase.RACING)) as screen:
        screen.running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await screen.end()
    screen.assert_restored()


async def test_afterwards_the_loop_has_its_own_handlers_again() -> None:
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    async with terminal(view(Phase.SEATING)) as screen:
        screen.type("\x03")
        await screen.end()
    assert loop.get_exception_handler() is before
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


async def test_a_session_that_never_came_to_a_table_is_not_shown() -> None:
    with create_pipe_input() as keyboard:
        over = Terminal(keyboard, SessionView(line=Line.OVER, ending="no-table"), 80, 24)
        assert await over.app.run() == 0
        assert over.written.getvalue() == ""


async def test_a_session_that_fails_before_there_is_a_table_ends_the_app() -> None:
    async with terminal(SessionView(line=Line.CONNECTING)) as screen:
        screen.change(SessionView(line=Line.OVER, ending="no-table"))
        assert await screen.end() == 0
    screen.assert_restored()


async def test_a_session_that_is_over_at_a_table_stays_on_the_screen_until_enter() -> None:
    async with terminal(view(Phase.FINISHED)) as screen:
        screen.change(view(Phase.FINISHED, line=Line.OVER, ending="closed"))
        await screen.until_shown("The table is closed.")
        screen.type("\r")
        assert await screen.end() == 0
    assert screen.actions == []


# ── a real terminal ──────────────────────────────────────────────────────────────────────────────────────────────

PROGRAM = """
    import asyncio, os, sys
    tty = os.open(sys.argv[1], os.O_RDWR)  # the first terminal that a session opens is the one that controls it
    for number in range(3):
        os.dup2(tty, number)
    os.close(tty)
    from client.tui.app import Links, RaceApp
    from protocol.messages import Phase
    from tests.client.pictures_of import view
    app = RaceApp(view=lambda: view(Phase.RACING), act=lambda action: None, links=Links("", ""))
    sys.exit(asyncio.run(app.run()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_closed_terminal_ends_the_process_at_once() -> None:
    master, slave = os.openpty()
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), os.ttyname(slave)],
        cwd=Path(__file__).parents[2],
        start_new_session=True,
        env=os.environ | {"TERM": "xterm-256color"},
    )
    try:
        seen = b""
        while b"race2048" not in seen:
            seen += os.read(master, 65_536)
        os.close(slave)
        os.close(master)
        assert program.wait(timeout=PATIENCE_S) == 128 + signal.SIGHUP
    finally:
        program.kill()
        program.wait()
