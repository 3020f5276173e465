"""How long a key waits while the solver thinks about a hint on 8×8, and how long without: in turns, on a real terminal.

`race2048 play` in a process of its own on a pty. The time is that from a key to the first byte of its picture; the keys
are `?`, which opens the list of keys, and a move, which closes it and takes the hint back.
"""

import os
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from tests.system.terminals import Terminal

KEYS, KEYS_QUICK = 200, 40
GOAL_MS = 100.0  # issue 6 and field-reports A44
HELP = "Letters count by their place"


def main(*, quick: bool) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "config.toml").write_text('motion = "off"\n')
        os.environ["RACE2048_CONFIG"] = str(home / "config.toml")
        words = ("play", "--size", "8", "--kind", "endless", "--seed", "x")
        screen = Terminal(words, home / "data", 80, 24)
        try:
            waits = _measured(screen, KEYS_QUICK if quick else KEYS)
        finally:
            screen.close()
    for name, ms in (("without a hint", waits[False]), ("while it thinks", waits[True])):
        print(
            f"{name}: {median(ms):.1f} ms, p95 {quantiles(ms, n=20)[-1]:.1f}, most {max(ms):.1f} "
            f"of {len(ms)} keys (goal: {GOAL_MS:.0f})"
        )
    print(f"ratio of the medians: {median(waits[True]) / median(waits[False]):.2f}")


def _measured(screen: Terminal, keys: int) -> dict[bool, list[float]]:
    """Returns milliseconds, by whether a hint was being thought about."""
    waits: dict[bool, list[float]] = {False: [], True: []}
    screen.expect("new game")
    _press(screen, "asdw" * 15)
    hints = 0
    for count in range(keys):
        hinted = count % 2 == 1
        if hinted:
            hints += 1
            screen.press("i")
            screen.expect(f"Hint {hints}: ")
        waits[hinted].append(_waited_ms(screen, "?"))
        waits[hinted].append(_waited_ms(screen, "asdw"[count // 2 % 4]))
        _press(screen, "asdw")
    return waits


def _waited_ms(screen: Terminal, key: str) -> float:
    written, begin_s = len(screen.written), time.monotonic()
    screen.press(key)
    while len(screen.written) == written:
        screen.read(1)
    return 1_000 * (time.monotonic() - begin_s)


def _press(screen: Terminal, keys: str) -> None:
    """Presses keys, and waits until all are answered: they are taken in order, and the last two show themselves."""
    for key in keys:
        screen.press(key)
        screen.read(0.02)
    screen.press("?")
    screen.expect(HELP)
    screen.press("\r")
    screen.until(lambda: HELP not in screen.text, "the board")
