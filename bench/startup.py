"""From the start of a process to its answer or its first picture, in turns with the peers.

`--version` and `--help` against term2048's (argparse, colorama); the first frame of `play`, of `join` (whose lobby says
nothing) and of the home screen, on a terminal of 80×24, against a minimal Textual application that shows a board, and
beside a minimal one of prompt_toolkit; `verify` of the record of four players and 4,000 moves against a bare Python.
The ratios are of the time that passes, which is what a person waits; but that of `verify` is of the processor's work,
since on busy cores a bare Python is over before others get their turn. The work of all is told besides.
"""

import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from bench import peers, ratios
from bench.programs import RACE2048, Measured, environment, until_it_ends, until_it_shows
from bench.ratios import Ratio
from bench.verify import played

ROUNDS, ROUNDS_QUICK = 40, 8
BARE, TEXTUAL, TERM2048, MINIMAL = "bare python", "Textual", "term2048", "prompt_toolkit"
MOVES = 4_000
_SHOWN = b"\x1b[?2026l"  # the end of a picture (client/tui/writing.py)
_MINIMAL = """
from prompt_toolkit.application import Application
from prompt_toolkit.layout import Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
Application(layout=Layout(Window(FormattedTextControl("Connecting"))), full_screen=True).run()
"""

# ours, and the peer that it is measured against
COMPARED = (
    ("--version", "term2048 --version"),
    ("--help", "term2048 --help"),
    ("play, first frame", TEXTUAL),
    ("join, first frame", TEXTUAL),
    ("home, first frame", TEXTUAL),
    ("play, first frame", MINIMAL),
    ("play, first frame", BARE),
)


def sides_of(data: str, lobby: str, record: Path) -> dict[str, Callable[[], Measured]]:
    """What is measured, by its name."""
    around = environment(data)
    term2048 = str(peers.program("term2048"))
    board = str(Path(__file__).with_name("textual_board.py"))
    return {
        BARE: until_it_ends([sys.executable, "-c", "pass"], around),
        "--version": until_it_ends([RACE2048, "--version"], around),
        "term2048 --version": until_it_ends([term2048, "--version"], around),
        "--help": until_it_ends([RACE2048, "--help"], around),
        "term2048 --help": until_it_ends([term2048, "--help"], around),
        "play, first frame": until_it_shows([RACE2048, "play"], b"undo", around),
        "join, first frame": until_it_shows([RACE2048, "join", f"{lobby}/t/482913"], b"Connecting", around),
        "home, first frame": until_it_shows([RACE2048], _SHOWN, around),
        TEXTUAL: until_it_shows([str(peers.python()), board, "4"], b"\x1b[48;2", around),
        MINIMAL: until_it_shows([sys.executable, "-c", _MINIMAL], b"Connecting", around),
        "verify": until_it_ends([RACE2048, "verify", str(record)], around),
    }


def main(*, quick: bool) -> int:
    with socket.create_server(("127.0.0.1", 0)) as lobby, tempfile.TemporaryDirectory() as scratch:
        address = "{}:{}".format(*lobby.getsockname())
        sides = sides_of(f"{scratch}/data", address, played(Path(scratch), MOVES))
        try:
            for measure in sides.values():
                measure()  # from here on there is bytecode of everything
            rounds = [
                {name: measure() for name, measure in sides.items()} for _ in range(ROUNDS_QUICK if quick else ROUNDS)
            ]
        except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
            sys.exit(f"bench startup: {error}; try ./dev run --version first")
    tell_work(rounds)
    found = [compared(rounds, f"{ours} against {peer}", ours, peer, 0) for ours, peer in COMPARED]
    return ratios.concluded("startup", [*found, compared(rounds, f"verify against {BARE}, work", "verify", BARE, 1)])


def compared(rounds: Sequence[Mapping[str, Measured]], name: str, ours: str, peer: str, which: int) -> Ratio:
    """The ratio of one of what is measured."""
    return ratios.of_times(
        name, "ms", [each[ours][which] for each in rounds], peer, [each[peer][which] for each in rounds]
    )


def tell_work(rounds: Sequence[Mapping[str, Measured]]) -> None:
    """Prints what the processor works for each."""
    print(f"  {len(rounds)} rounds; the processor works, ms (median):")
    print("  " + ", ".join(f"{name} {median(each[name][1] for each in rounds):.0f}" for name in rounds[0]))
