"""A terminal of 80×24: key to first byte, bytes a move, and the first frame of `join`, in turns with a peer.

All run in processes of their own on a pty and play the same games: every key is a move. "ours" is our screen with
motion off, "sliding" the same with motion full (its bytes are those of all four pictures of a move); "alone" is `play`,
which writes every move to the disk before it draws it. The peer is what one writes first: a prompt_toolkit application
with a FormattedTextControl that shows the board alone, no players, no header, no footer.
"""

import asyncio
import fcntl
import os
import pty
import select
import socket
import struct
import subprocess
import sys
import tempfile
import termios
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

from client.actions import Action, Move
from client.solo import Choice, choice_of
from client.solo_play import SoloPlay, Wanted
from client.solo_store import SoloStore
from client.tui.app import Links, RaceApp
from client.tui.first_frame import shown_at_once
from client.tui.look import Look, Motion
from client.tui.palette import CLASSIC, Depth
from client.tui.solo_screen import SoloScreen
from client.tui.tiles import face
from client.view import GamePicture, Line, SeatPicture, SessionView
from engine.board import Board, Direction
from engine.deck import SoloDeck, seed_of_text
from engine.game import Game
from engine.solo import SoloKind
from protocol.messages import Phase, TableSettings
from protocol.solo import Origin
from protocol.text import SafeText

COLUMNS, ROWS = 80, 24
ARROWS = ("\x1b[A", "\x1b[C", "\x1b[B", "\x1b[D")
WARM_UP = 60  # moves until every picture of a tile has been drawn once
QUIET_S = 0.05  # a redraw is over when nothing has come for so long; the pictures of a slide come every 33 ms
PAUSE_S = 0.02
PLAYERS = (("fox", 0), ("hare", 1_200), ("owl", -8_408), ("hedgehog", -320))


class Play:
    """A game in which every key is a legal move; it starts anew when it is stuck."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.games = 0
        self.game = self._deal()

    def _deal(self) -> Game:
        self.games += 1
        return Game(self.size, SoloDeck(seed_of_text(f"bench/screen/{self.size}/{self.games}")))

    def push(self, direction: Direction) -> None:
        legal = tuple(self.game.board.legal_directions())
        self.game.move(direction if direction in legal else legal[0])
        if self.game.stuck:
            self.game = self._deal()


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
    palette = CLASSIC[Depth.TRUE]
    width, height = (8, 3) if board.size <= 4 else (5, 2)
    parts: StyleAndTextTuples = []
    for row in range(board.size):
        cells = board.cells[row * board.size : (row + 1) * board.size]
        for line in range(height):
            for exponent in cells:
                ink = palette.tile(exponent).face
                text = face(exponent, width) if exponent and line == (height - 1) // 2 else ""
                parts += [(f"fg:{ink.text} bg:{ink.ground} bold", text.center(width)), ("bg:#a89a8b", "  ")]
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
    "ours": run_ours,
    "alone": run_alone,
    "sliding": lambda size: run_ours(size, Motion.FULL),
    "peer": run_peer,
}


def on_a_pty(command: list[str], data: str) -> tuple[int, subprocess.Popen[bytes]]:
    """Starts a command on a new terminal; returns our end of that and the process."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PROMPT_TOOLKIT_NO_CPR": "1"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment | {"RACE2048_DATA": data},
        start_new_session=True,
    )
    os.close(slave)
    return master, process


class Terminal:
    """One side on a pty."""

    def __init__(self, side: str, size: int) -> None:
        code = f"from bench.screen import SIDES; SIDES[{side!r}]({size})"
        self.master, self.process = on_a_pty(["-c", code], os.devnull)
        self.milliseconds: list[float] = []
        self.bytes: list[int] = []
        self._drain(20.0)

    def press(self, key: str, *, counted: bool) -> None:
        """Types one key and takes the time until the first byte of the answer."""
        began_s = time.perf_counter()
        os.write(self.master, key.encode())
        if not select.select([self.master], [], [], 5.0)[0]:
            raise AssertionError("a key changed nothing on the screen")
        first_s = time.perf_counter() - began_s
        length = self._drain(QUIET_S)
        if counted:
            self.milliseconds.append(1_000 * first_s)
            self.bytes.append(length)

    def _drain(self, first_s: float) -> int:
        """Reads until nothing comes any more; waits `first_s` for the first bytes."""
        length, wait_s = 0, first_s
        while select.select([self.master], [], [], wait_s)[0]:
            length += len(os.read(self.master, 65_536))
            wait_s = QUIET_S if length else first_s
        return length

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def measure(size: int, moves: int) -> None:
    terminals = {side: Terminal(side, size) for side in SIDES}
    try:
        for number in range(WARM_UP + moves):
            for terminal in terminals.values():
                terminal.press(ARROWS[number * 7 % 4], counted=number >= WARM_UP)
                time.sleep(PAUSE_S)
    finally:
        for terminal in terminals.values():
            terminal.close()
    for side, terminal in terminals.items():
        times = terminal.milliseconds
        print(
            f"{size}×{size} {side:8}p50 {median(times):5.2f} ms   p95 {percentile(times, 0.95):5.2f} ms"
            f"   {median(terminal.bytes):6,.0f} bytes a move (most {max(terminal.bytes):,})"
        )
    peer = terminals["peer"].milliseconds
    for side in ("ours", "alone", "sliding"):
        times = terminals[side].milliseconds
        p50, p95 = median(times) / median(peer), percentile(times, 0.95) / percentile(peer, 0.95)
        print(f"{size}×{size} {side:8}ratio to peer: p50 {p50:.2f}   p95 {p95:.2f}")


MINIMAL = """
from prompt_toolkit.application import Application
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
Application(layout=Layout(Window(FormattedTextControl("Connecting"))), full_screen=True).run()
"""


def measure_first_frame(runs: int) -> None:
    """From the start of a process to the first frame of `join`, whose lobby says nothing, and of `play`."""
    with socket.create_server(("127.0.0.1", 0)) as lobby, tempfile.TemporaryDirectory() as data:
        join = ["-m", "client.cli", "join", "{}:{}/t/482913".format(*lobby.getsockname())]
        sides = {
            "join": (join, b"Connecting"),
            "play": (["-m", "client.cli", "play"], b"undo"),
            "peer": (["-c", MINIMAL], b"Connecting"),
            "bare": (["-c", "print('Connecting')"], b"Connecting"),
        }
        seconds: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(runs):
            for side, (command, text) in sides.items():
                seconds[side].append(seconds_to_frame(command, data, text))
    for side, times in seconds.items():
        print(
            f"first frame {side:5} {median(times):5.3f} s ({min(times):.3f}–{max(times):.3f})"
            f"   ratio of join to it {median(seconds['join']) / median(times):.2f}"
        )


def seconds_to_frame(command: list[str], data: str, text: bytes) -> float:
    began_s = time.perf_counter()
    master, process = on_a_pty(command, data)
    seen = b""
    while text not in seen:
        if not select.select([master], [], [], 20.0)[0]:
            raise AssertionError(f"no first frame: {seen!r}")
        seen += os.read(master, 65_536)
    taken_s = time.perf_counter() - began_s
    process.kill()
    process.wait()
    os.close(master)
    return taken_s


def main(*, quick: bool) -> None:
    moves = 60 if quick else 400
    print(f"key to first byte at {COLUMNS}×{ROWS}, {moves} moves a side, in turns; ratio: ours over peer")
    for size in (4, 8):
        measure(size, moves)
    measure_first_frame(5 if quick else 21)
