"""Programs on terminals of their own, started quickly: one process that has imported everything, forked for each.

`python -m tests.system.stage FD` serves: a line "PLAY TTY" on its socket is answered by the pid of a new process that
plays this on that terminal, and later by its exit code. See test_terminal.py for what is played.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random

import client.cli.join
import client.connection  # noqa: F401 - imported here, so that no play has to
from client.actions import Action, Agree, Move
from client.cli import main
from client.tui.app import Links, RaceApp
from client.tui.look import Look, Motion
from client.tui.palette import CLASSIC, Depth
from client.view import SessionView
from protocol.messages import Phase
from protocol.text import SafeText
from tests.client.pictures_of import LINK, SEATS, game, view

_SEQUENCES = (
    "\x1b[2J", "\x1b[H", "\x1b]0;x\x07", "\x1b]52;c;AAAA\x07", "\x1b]8;;http://x\x1b\\", "\x9b31m", "\x9d0;x\x9c",
    "\u202e", "\u2066", "\u200b", "\ufeff", "\n", "\r", "\t", "\b", "\x7f", "\x00", "\u0301", "\ufe0f", "\u20e3",
    "\U0001f468\u200d\U0001f469", "\U0001f1fa\U0001f1e6", "\U0001f44d\U0001f3fd", "漢", "ﷺ", "\u1100\u1161", "ก็็็",
    "\ud800", "\x90",
)  # fmt: skip


def race() -> int:
    """A race that never changes, in which Leave ends the screen and `o` is a bug."""

    def act(action: Action) -> None:
        if isinstance(action, Agree):
            raise RuntimeError("a bug of ours")  # noqa: TRY004

    app = RaceApp(view=lambda: view(Phase.RACING), act=act, links=Links("", ""))
    return asyncio.run(app.run())


def names(seed: str) -> int:
    """A race in which every move is a rival's new name, drawn by lot (`random_name`)."""
    lots, shown = Random(seed), [race_with("hare", 0)]

    def act(action: Action) -> None:
        if isinstance(action, Move):
            shown.append(race_with(random_name(lots), len(shown)))

    look = Look(palette=CLASSIC[Depth.INDEXED], motion=Motion.OFF, title=False)
    app = RaceApp(view=lambda: shown[-1], act=act, links=Links("", ""), look=look)
    return asyncio.run(app.run())


def race_with(name: str, moves: int) -> SessionView:
    """Returns a race with a rival of this name; the moves, at least, look different every time."""
    seats = (SEATS[0], replace(SEATS[1], name=SafeText(name)), *SEATS[2:])
    return view(Phase.RACING, seats=seats, game=game(moves=moves), clock_ms=None)


def random_name(lots: Random) -> str:
    """Returns text as somebody who means harm could send it, or what the decoder makes of it."""
    parts = []
    for _ in range(lots.randrange(1, 12)):
        kind = lots.randrange(4)
        if kind == 0:
            parts.append(lots.choice(_SEQUENCES))
        elif kind == 1:
            parts.append(chr(lots.randrange(0x20, 0x7F)))
        else:
            parts.append(chr(lots.choice((lots.randrange(0x3000), lots.randrange(0x11_0000)))))
    raw = "".join(parts)
    return raw if lots.random() < 0.5 else SafeText.shown(raw)


def table(phase: str) -> int:
    """A table in this phase, in which a move only makes the score one higher; Leave ends the screen."""
    pictures = [view(Phase[phase])]

    def act(action: Action) -> None:
        mine = pictures[-1].game
        if isinstance(action, Move) and mine is not None:
            score = mine.score + 1
            seats = (replace(SEATS[0], score=score), *SEATS[1:])
            pictures.append(replace(pictures[-1], game=replace(mine, score=score), seats=seats))

    look = Look(palette=CLASSIC[Depth.INDEXED], motion=Motion.OFF, title=False)
    app = RaceApp(view=lambda: pictures[-1], act=act, links=Links(LINK, ""), look=look)
    return asyncio.run(app.run())


def deaf(phase: str) -> int:
    """The same for one who started it with nohup: a hangup is no signal then."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return table(phase)


def program(*words: str) -> int:
    """`race2048` with these words."""
    return main(list(words))


def join(address: str) -> int:
    """`race2048 join` at a lobby."""
    return main(["join", f"http://{address}/t/482913"])


PLAYS: dict[str, Callable[..., int]] = {
    "race": race, "join": join, "names": names, "table": table, "deaf": deaf, "program": program,
}  # fmt: skip


def _play(words: list[str], tty: str) -> int:
    os.setsid()
    terminal = os.open(tty, os.O_RDWR)  # the first terminal that a session opens is the one that controls it
    for number in range(3):
        os.dup2(terminal, number)
    os.close(terminal)
    os.write(1, b"begin\r\n")  # from here on no signal is lost any more, as it can be by a process that was just forked
    try:
        return PLAYS[words[0]](*words[1:])
    except RuntimeError:
        return 70
    except KeyboardInterrupt:
        return 130


def serve(connection: socket.socket) -> None:
    """Forks for every line."""
    with connection.makefile("rw") as lines:
        for line in lines:
            *words, tty = line.split()
            pid = os.fork()
            if pid == 0:
                os._exit(_play(words, tty))
            print(pid, file=lines, flush=True)
            _, status = os.waitpid(pid, os.WUNTRACED)
            print(os.waitstatus_to_exitcode(status), file=lines, flush=True)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
