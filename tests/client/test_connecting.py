"""The first picture of `join`: what the screen itself would show, there before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from client.tui.canvas import text_of
from client.tui.connecting import paint_connecting
from client.tui.palette import CLASSIC, Depth

from .pictures_of import LINK, canvas, view

HEAVY = {"aiohttp", "prompt_toolkit", "asyncio", "msgspec", "msgpack", "nacl", "zeroconf", "engine", "lobby"}


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20), (39, 19), (24, 9), (23, 8), (1, 1)])
@pytest.mark.parametrize("depth", Depth)
def test_it_is_what_the_screen_shows_then_but_for_the_keys(size: tuple[int, int], depth: Depth) -> None:
    first = paint_connecting(*size, LINK, CLASSIC[depth])
    shown = canvas(view(None), *size, depth=depth)
    if size[1] >= 9:
        assert text_of(shown)[-1] != ""  # the keys
        shown.lines[-1] = first.lines[-1]
    assert shown.lines == first.lines
    assert "Connecting" in "\n".join(text_of(first)) or size == (1, 1)


def test_it_is_there_before_anything_heavy_is_imported() -> None:
    code = f"""
import sys
from client.tui import first_frame
def shown(picture, depth):
    print(len(picture(80, 24).lines))
    print(*sys.modules)
    sys.stdout.flush()
    raise SystemExit
first_frame._show = shown
import client.cli.screen
client.cli.screen.need_terminal = lambda command: None
from client.cli import main
import contextlib
first_frame._quiet_keys = contextlib.nullcontext
main(["join", {LINK!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, modules = done.stdout.splitlines()
    assert rows == "24"
    assert {name.partition(".")[0] for name in modules.split()} & HEAVY == set()
