"""Pictures one after the other as an asciicast (version 2), which asciinema plays and other tools make a GIF of.

Pure, and the same to the last byte whenever the pictures are: no clock, no environment, nothing of this computer. Knows
only canvases and times; which pictures of a replay, is replay_cast.py's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from .canvas import Canvas
from .palette import Depth
from .writing import Writing

HOLD_MS = 3_000  # so long the last picture stays
_BEGIN = "\x1b[?25l\x1b[?7l"  # no cursor, no wrapping
_END = "\x1b[?7h\x1b[?25h"


def cast(
    frames: Iterable[tuple[int, Canvas]], columns: int, rows: int, title: str, depth: Depth = Depth.TRUE
) -> Iterator[str]:
    """Yields the lines of an asciicast; `frames` are times in milliseconds, rising, and what is shown from then on.

    A canvas must not be changed afterwards.
    """
    header = {"version": 2, "width": columns, "height": rows, "title": title, "env": {"TERM": "xterm-256color"}}
    yield json.dumps(header, ensure_ascii=False)
    writing, before, last_ms = Writing(depth), _BEGIN, 0
    for t_ms, canvas in frames:
        sent = before + writing.update(canvas.lines)
        before, last_ms = "", t_ms
        if sent:
            yield _event(t_ms, sent)
    yield _event(last_ms + HOLD_MS, _END)


def _event(t_ms: int, sent: str) -> str:
    return f'[{t_ms // 1_000}.{t_ms % 1_000:03}, "o", {json.dumps(sent, ensure_ascii=False)}]'
