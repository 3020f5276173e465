"""A terminal of 80×24: from a key to the first byte of its picture, and bytes a move, in turns with the peers.

All run in processes of their own on a pty and play the same games: every key is a move. "race" is our screen with
motion off, "sliding" the same with motion full (its bytes are those of all pictures of a move); "alone" is `play`,
which writes every move to the disk before it draws it. The peers are what one writes first, a Textual application
(textual_board.py) and one of prompt_toolkit with a FormattedTextControl, that show the board alone: no players, no
header, no footer. Each key is a round: the ratios are those of the same key on both sides.
"""

import asyncio
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import ColorDepth

from bench import peers, ratios
from bench.playing import Play, cells_of_tiles
from bench.programs import environment, heard, on_a_pty
from bench.ratios import Ratio
from client.actions import Action, Move
from client.solo import Choice, choice_of
from client.solo_play import SoloPlay, Wanted
from client.solo_store import SoloStore
from client.tui.app import Links, RaceApp
from client.tui.first_frame import shown_at_once
from client.tui.look import Look, Motion
from client.tui.palette import CLASSIC, Depth
from client.tui.solo_screen import SoloScreen
from client.view import GamePicture, Line, SeatPicture, SessionView
from engine.board import Board, Direction
from engine.solo import SoloKind
from protocol.messages import Phase, TableSettings
from protocol.solo import Origin
from protocol.text import SafeText

ARROWS = ("\x1b[A", "\x1b[C", "\x1b[B", "\x1b[D")
MOVES, MOVES_QUICK = 400, 40
WARM_UP, WARM_UP_QUICK = 60, 20  # moves until every picture of a tile has been drawn once
START_S = 20.0
QUIET_S = 0.05  # a redraw is over when nothing has come for so long; the pictures of a slide come every 33 ms
QUIET_OF_TEXTUAL_S = 0.2  # it writes a picture in parts, on busy cores far from one another
PAUSE_S = 0.02
PLAYERS = (("fox", 0), ("hare", 1_200), ("owl", -8_408), ("hedgehog", -320))


def picture(play: Play) -> SessionView:
    """A race of four, as its host sees it. Nothing counts down: only a key changes something."""
    game = play.game
    seats = tuple(
        SeatPicture(
            seat=number,
            name=SafeText(name),
            you=number == 0,
            host=number == 0,
            computer=number == 3,
            connected=True,
            ready=True,
            score=20_000 + gap,
            max_exponent=10,
            moves=490,
        )
        for number, (name, gap) in enumerate(PLAYERS)
    )
    mine = GamePicture(
        board=game.board,
        score=game.score,
        moves=game.moves,
        max_exponent=game.max_exponent,
        stuck=False,
        deck_used_up=False,
        unconfirmed=1,
        waiting=False,
    )
    settings = TableSettings(size=play.size)
    return SessionView(
        line=Line.ONLINE, phase=Phase.RACING, code="482913", settings=settings, seats=seats, my_seat=0, game=mine
    )


def run_ours(size: int, motion: Motion = Motion.OFF) -> None:
    play = Play(size)
    base = picture(play)

    def view() -> SessionView:
        assert base.game is not None
        game = play.game
        mine = replace(base.game, board=game.board, score=game.score, moves=game.moves, max_exponent=game.max_exponent)
        return replace(base, game=mine)

    def act(action: Action) -> None:
        if isinstance(action, Move):
            play.push(action.direction)
            app.refresh()

    look = Look(palette=CLASSIC[Depth.TRUE], motion=motion)
    app = RaceApp(view=view, act=act, links=Links("", ""), look=look)
    asyncio.run(app.run())


def run_peer(size: int) -> None:
    play = Play(size)
    bindings = KeyBindings()
    for key, direction in zip(("up", "right", "down", "left"), Direction, strict=True):
        bindings.add(key)(lambda _event, direction=direction: play.push(direction))
    control = FormattedTextControl(lambda: fragments(play.game.board))
    Application[None](
        layout=Layout(Window(control, always_hide_cursor=True)),
        key_bindings=bindings,
        full_screen=True,
        color_depth=ColorDepth.DEPTH_24_BIT,
    ).run()


def fragments(board: Board) -> StyleAndTextTuples:
    """The board as text, tiles as large as on our screen and of the same colours."""
    parts: StyleAndTextTuples = []
    for row in cells_of_tiles(board):
        parts += [(f"fg:{ink} bg:{ground} bold", shown) for shown, ink, ground in row]
        parts.append(("", "\n"))
    return parts


class Alone(SoloScreen):
    """A game alone in which every key is a legal move; a new one begins when it is stuck."""

    def press(self, key: str) -> None:
        game = self.play.game
        if game.solo.game.stuck:
            self.play.begin(choice_of(game.opening), 0)
            return
        legal = [direction.name.lower() for direction in self.play.game.solo.game.board.legal_directions()]
        super().press(key if key in legal else legal[0])


def run_alone(size: int) -> None:
    with tempfile.TemporaryDirectory() as data:
        wanted = Wanted(Choice(size, SoloKind.ENDLESS, 0), Origin.TEXT, f"bench/screen/{size}")
        look = Look(palette=CLASSIC[Depth.TRUE], motion=Motion.OFF)
        shown_at_once(Alone(SoloPlay(SoloStore(Path(data)), wanted), look))


SIDES: dict[str, Callable[[int], None]] = {
    "race": run_ours,
    "alone": run_alone,
    "sliding": lambda size: run_ours(size, Motion.FULL),
    "prompt_toolkit": run_peer,
}
TEXTUAL, OURS, PEERS = "Textual", ("race", "alone", "sliding"), ("Textual", "prompt_toolkit")


def command_of(side: str, size: int) -> list[str]:
    """What runs a side."""
    if side == TEXTUAL:
        return [str(peers.python()), str(Path(__file__).with_name("textual_board.py")), str(size)]
    return [sys.executable, "-c", f"from bench.screen import SIDES; SIDES[{side!r}]({size})"]


class Terminal:
    """One side on a pty."""

    def __init__(self, side: str, size: int, data: str) -> None:
        self.side = side
        self._quiet_s = QUIET_OF_TEXTUAL_S if side == TEXTUAL else QUIET_S
        self.master, self.process = on_a_pty(command_of(side, size), environment(data))
        self.milliseconds: list[float] = []
        self.bytes: list[int] = []
        self._drain(START_S)

    def press(self, key: str, *, counted: bool) -> None:
        """Types one key and takes the time until the first byte of the answer."""
        while heard(self.master, 0):
            pass  # what came late is no answer to this key
        began_s = time.perf_counter()
        os.write(self.master, key.encode())
        if not select.select([self.master], [], [], 5.0)[0]:
            raise RuntimeError(f"{self.side}: a key changed nothing on the screen")
        first_s = time.perf_counter() - began_s
        length = self._drain(self._quiet_s)
        if counted:
            self.milliseconds.append(1_000 * first_s)
            self.bytes.append(length)

    def _drain(self, first_s: float) -> int:
        """Reads until nothing comes any more; waits `first_s` for the first bytes."""
        length, wait_s = 0, first_s
        while more := heard(self.master, wait_s):
            length += len(more)
            wait_s = self._quiet_s
        if not length:
            raise RuntimeError(f"{self.side} has ended, or shows nothing")
        return length

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def measure(size: int, sides: tuple[str, ...], moves: int, warm_up: int) -> list[Ratio]:
    """Plays on all sides in turns; returns what became of ours against each peer."""
    terminals: dict[str, Terminal] = {}
    with tempfile.TemporaryDirectory() as data:
        try:
            for side in sides:
                terminals[side] = Terminal(side, size, f"{data}/{side}")
            for number in range(warm_up + moves):
                for terminal in terminals.values():
                    terminal.press(ARROWS[number * 7 % 4], counted=number >= warm_up)
                    time.sleep(PAUSE_S)
        finally:
            for terminal in terminals.values():
                terminal.close()
    for side, terminal in terminals.items():
        times = terminal.milliseconds
        print(
            f"  {size}×{size} {side:15}p50 {median(times):6.2f} ms   p95 {percentile(times, 0.95):6.2f} ms"
            f"   {median(terminal.bytes):6,.0f} bytes a move (most {max(terminal.bytes):,})",
            flush=True,
        )
    return [ratio for peer in PEERS for ratio in _against(terminals, peer, size)]


def _against(terminals: dict[str, Terminal], peer: str, size: int) -> list[Ratio]:
    theirs, found = terminals[peer], []
    for side in OURS:
        if side in terminals:
            mine, name = terminals[side], f"{size}×{size} {side} against {peer}"
            found.append(ratios.of_times(name, "ms", mine.milliseconds, peer, theirs.milliseconds))
            if peer == TEXTUAL:
                bytes_here, bytes_there = list(map(float, mine.bytes)), list(map(float, theirs.bytes))
                found.append(
                    ratios.of_times(f"{size}×{size} {side}, bytes a move", "bytes", bytes_here, peer, bytes_there)
                )
    return found


def main(*, quick: bool) -> int:
    moves, warm_up = (MOVES_QUICK, WARM_UP_QUICK) if quick else (MOVES, WARM_UP)
    ours = ("race", "alone") if quick else OURS
    found: list[Ratio] = []
    try:
        for size in (4, 8):
            found += measure(size, (*ours, *PEERS), moves, warm_up)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        sys.exit(f"bench screen: {error}")
    return ratios.concluded("screen", found)
