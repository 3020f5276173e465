"""Names drawn by lot, through a real pseudo-terminal: they change nothing outside their cell (architecture.md 5.3)."""

import os
import re
import unicodedata

import pyte

from tests.client.pictures_of import canvas
from tests.system.stage import race_with
from tests.system.test_terminal import Stage, Tty

NAMES = 10_000 if os.environ.get("RACE2048_LONG") else 500
DRAWN = b"\x1b[?2026l"


def test_no_name_changes_anything_outside_its_cell(tmp_path):
    stage, tty = Stage(tmp_path), Tty()
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    try:
        stage.begin("names 2048", tty)
        read = 0
        for number in range(NAMES):
            tty.expect(DRAWN, read)
            stream.feed(tty.written[read:])
            read = len(tty.written)
            wanted = [[shown for shown, _ in line] for line in canvas(race_with("hare", number)).lines]
            seen = [[screen.buffer[y][x].data for x in range(80)] for y in range(24)]
            row = next(y for y, line in enumerate(wanted) if "hare" in "".join(line))
            start, end = "".join(wanted[row]).index("hare"), "".join(wanted[row]).index("21,612")
            for line in (seen[row], wanted[row]):
                line[start:end] = []
            assert seen == wanted, f"name {number}"
            tty.type("w")
        ours = re.compile(rb"\x1b(\[[?0-9;]*[A-Za-z]|>)")
        others = ours.sub(b"", tty.written).decode(errors="surrogateescape").removeprefix("begin\r\r\n")
        assert not [character for character in others if unicodedata.category(character) in ("Cc", "Cf", "Cs")]
    finally:
        tty.close()
        stage.close()
