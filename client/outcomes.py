"""How a race ended, in words, and by which clause of the rules: for every screen, and for `race2048 verify`.

Reads an outcome and who sat where; decides nothing (engine/race.py does). It knows no session and no view, since
`verify` is to start in no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from client.language import later, say
from engine.race import Outcome, SeatState, Termination
from protocol.text import SafeText


class Racer(Protocol):
    """A seat of a race, of a running one or of a record."""

    @property
    def seat(self) -> int: ...  # noqa: D102
    @property
    def name(self) -> SafeText: ...  # noqa: D102
    @property
    def state(self) -> SeatState: ...  # noqa: D102


# By termination: the message for one winner, for yourself, and for several.
_OUTCOMES = {
    Termination.ALONE: (
        later("{name} is the only one left"),
        later("You are the only one left"),
        later("{names} are left: a draw"),
    ),
    Termination.TARGET: (
        later("{name} made {target} first"),
        later("You made {target} first"),
        later("{names} made {target} at the same moment, in as many moves: a dead heat"),
    ),
    Termination.LAST_MOVER: (
        later("{name} can still move and leads: everyone else is stuck"),
        later("You can still move and lead: everyone else is stuck"),
        later("{names} can still move: a draw"),
    ),
    Termination.ALL_STUCK: (
        later("All stuck: {name} has the highest score"),
        later("All stuck: you have the highest score"),
        later("All stuck: {names} share the highest score, a draw"),
    ),
    Termination.BELL: (
        later("Time is up: {name} has the highest score"),
        later("Time is up: you have the highest score"),
        later("Time is up: {names} share the highest score, a draw"),
    ),
    Termination.DRAW: (later("A draw, agreed by all who were in the race"),) * 3,
    Termination.VOID: (later("The race is void: nobody was left in it"),) * 3,
}


def ended_words(outcome: Outcome, seats: Sequence[Racer], target: int, you: int | None = None) -> str:
    """Returns why a race ended and who has won it, in a sentence without its full stop; `you` is your own seat."""
    winners = [seat for seat in seats if seat.seat in outcome.winners]
    if outcome.termination is Termination.VOID and _left_unfinished(seats):
        return say("The race is void: the lobby could not see it to its end")
    one, yours, several = _OUTCOMES[outcome.termination]
    if len(winners) == 1:
        told = say(yours if winners[0].seat == you else one, name=winners[0].name, target=target)
        out = _out_words(seats) if outcome.termination is Termination.ALONE else ""
        return say("{outcome}: {others}", outcome=told, others=out) if out else told
    if not winners and outcome.termination not in (Termination.VOID, Termination.DRAW):
        return say("The race is over")
    names = say(", ").join(winner.name for winner in winners)
    return say(several, names=names, target=target)


def clause(outcome: Outcome, seats: Sequence[Racer]) -> str:
    """Returns the clause of the rules that ended the race: "4.2"."""
    if outcome.termination is Termination.VOID:
        return "5.6" if _left_unfinished(seats) else "4.1"
    if outcome.termination is Termination.TARGET and len(outcome.winners) > 1:
        return "5.3"
    return f"4.{outcome.termination}"


def left_words(state: SeatState) -> str:
    """Returns how somebody left a race: "resigned"."""
    return say("resigned") if state is SeatState.RESIGNED else say("forfeited")


def _left_unfinished(seats: Sequence[Racer]) -> bool:
    """Returns whether somebody is still in a race that is void: then the lobby was away for too long (rules 5.6)."""
    return any(seat.state.in_race for seat in seats)


def _out_words(seats: Sequence[Racer]) -> str:
    """Returns how those who are out of the race left it: "hare resigned, owl forfeited"."""
    out = [seat for seat in seats if not seat.state.in_race]
    return say(", ").join(say("{name} {state}", name=seat.name, state=left_words(seat.state)) for seat in out)
