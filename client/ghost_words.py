"""What came of a race against recordings, in words: by target first, else by the score at the end (rules 4.2, 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from client.ghost import Ghost
from client.language import clock, number, say
from client.solo import SoloView


def verdict_words(view: SoloView, ghosts: Sequence[Ghost]) -> str:
    """Returns who has won, as soon as that can be said; nothing before."""
    made = [(ghost.made_ms, ghost) for ghost in ghosts if ghost.made_ms is not None]
    first_ms, first = min(made, key=lambda each: each[0], default=(0, None))
    if view.made is not None:
        if first is None or view.made.t_ms < first_ms:
            return say("You have won the ghost race.")
        if view.made.t_ms == first_ms:
            return say("A dead heat with {name}.", name=first.name)
        return say("{name} was {time} faster.", name=first.name, time=clock(view.made.t_ms - first_ms))
    if first is not None and (view.stuck or view.t_ms >= first_ms):
        tile = 1 << view.choice.target_exponent
        return say("{name} has made {tile} at {time} and won.", name=first.name, tile=tile, time=clock(first_ms))
    return _by_score(view, ghosts) if view.stuck else ""


def _by_score(view: SoloView, ghosts: Sequence[Ghost]) -> str:
    best = max(ghosts, key=lambda ghost: ghost.steps[-1].score)
    score = best.steps[-1].score
    if view.score > score:
        return say("You have won the ghost race.")
    if view.score == score:
        return say("A draw with {name}.", name=best.name)
    return say("{name} has won with {score} points.", name=best.name, score=number(score))
