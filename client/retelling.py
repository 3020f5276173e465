"""What happened in a race, in words: for the replay's screen, its lines, and what it writes out as text.

telling.py tells a race while it runs, from a player's side; here it is told afterwards, from nobody's.
"""

from __future__ import annotations

from client.happenings import Happened, Happening
from client.language import later
from client.story import Story
from client.view import SessionView
from client.words import clock, number, outcome_words, say
from engine.race import SeatState

_TOLD = {
    Happened.OFFERED: later("{name} offers a draw"),
    Happened.AGREED: later("{name} agrees to the draw"),
    Happened.REFUSED: later("{name} refuses the draw"),
    Happened.WITHDRAWN: later("{name} withdraws the draw offer"),
    Happened.LAPSED: later("the draw offer of {name} lapses"),
    Happened.DROPPED: later("the draw offer of {name} is gone"),
    Happened.SAID: later("{name} says something about a draw, which comes to nothing"),
    Happened.RESIGNED: later("{name} resigns"),
    Happened.FORFEITED: later("{name} was away too long and forfeits"),
    Happened.AWAY: later("{name} is stuck and away"),
    Happened.BACK: later("{name} is back"),
    Happened.STUCK: later("{name} is stuck"),
    Happened.MADE: later("{name} makes {tile}"),
    Happened.UNDONE: later("{name} takes a move back"),
    Happened.GAP: later("the lobby itself was away until {until}"),
}


def happening_words(timeline: Story, happening: Happening) -> str:
    """Returns what happened, without its time and without a full stop."""
    if happening.kind is Happened.ENDED:
        return end_words(timeline.at(timeline.end_ms))
    name = timeline.players[happening.seat].name if happening.seat >= 0 else ""
    return say(_TOLD[happening.kind], name=name, tile=1 << happening.exponent, until=clock(happening.until_ms))


def end_words(view: SessionView) -> str:
    """Returns how a race ended; of a false record, that it does not end."""
    if view.settings.seats == 1:
        return solo_end_words(view)
    if view.outcome is None:
        return say("Nothing in the record ends this race")
    return outcome_words(view.outcome, view.seats, view.settings)


def solo_end_words(view: SessionView) -> str:
    """Returns how a game alone ended, or as far as it has come."""
    seat = next(seat for seat in view.seats if seat is not None)
    if seat.deck_used_up:
        return say("The deck is used up, with {score} points", score=number(seat.score))
    if seat.state is SeatState.STUCK:
        return say("No move is left, with {score} points", score=number(seat.score))
    return say("It stops here, with {score} points", score=number(seat.score))


def moment_words(t_ms: int) -> str:
    """Returns a moment to the millisecond: "1:23.456"."""
    return f"{clock(t_ms)}.{t_ms % 1_000:03}"


def speed_words(speed: float) -> str:
    """Returns how fast a replay runs: "×4", "×0.25"."""
    return f"×{speed:g}"
