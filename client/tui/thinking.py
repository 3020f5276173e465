"""Lets the solver think between two pictures, so that no key waits for it (field-reports A44).

A turn of the screen's loop thinks for a moment by the clock, since how much that is depends on the machine and on what
else it does. And it keeps Python's collector of cycles from walking through the solver's tables: these and the lines of
boards come to tens of thousands of objects, all in use, and a full pass over them finds nothing and takes a tenth of a
second. So what was made while the solver thought is put where no pass looks; it is let go all the same when its table
is emptied. Knows nothing of what is thought.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TURN_S = 0.008
_YOUNG = 1  # the generations of what was made lately


def think_for_a_turn(think: Callable[[], bool]) -> bool:
    """Calls `think` until it says that nothing is left, or the turn is over; returns whether something is left."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        until_s = time.monotonic() + TURN_S
        while think():
            if time.monotonic() >= until_s:
                return True
        return False
    finally:
        gc.collect(_YOUNG)  # what nobody needs any more must not stay
        gc.freeze()
        if was_on:
            gc.enable()
