"""`race2048 rules`: the rules of the game and of a race in short; docs/rules.md has them clause by clause."""

from __future__ import annotations

import argparse

from client.language import say

from .exits import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `rules` takes: nothing of its own."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Prints the rules; returns the exit code."""
    del options
    print(rules_text())
    return DONE


def rules_text() -> str:
    """Returns the rules; they fit a screen of 80×24."""
    return say("""\
The game
  Push all tiles up, down, left or right. Two of one number that meet become
  one of twice that number, once in a move, and the score grows by it.
  After every move a 2 falls on an empty cell, one time in ten a 4.

The race
  Everybody has a board, and all boards get the same tiles: your next tile is
  a 4 exactly when everybody's is. Until the end boards are hidden.
  first to a tile   who makes the target first wins
  highest score     the score counts when the time is up
  last one moving   no target and no time

Whatever is raced for
  - The last one who can still move wins once that score is above all others.
  - If everybody is stuck, the highest score wins; equal scores are a draw.
  - A draw can be offered; it needs everybody's word.
  - Who is gone for 60 seconds is out, and who is left alone wins.
  - The lobby's clock counts; a line of up to 150 ms one way costs nothing.

Every record can be checked by anybody: race2048 verify FILE""")
