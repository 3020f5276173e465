"""What a coach says: why a move is good, how much worse another one was, which mistake it was, and a game's pace."""

from __future__ import annotations

from client.coaching import Reason, Verdict, Why
from client.directions import DIRECTIONS
from client.hinting import Thought
from client.language import decimal, later, number, say, say_n
from client.milestones import Pace
from client.mistakes import Mistake
from client.training import Judged
from engine.board import Direction

_PERCENT_MAX = 99
_MISTAKES = {
    Mistake.DIRECTIONS: later("all four directions used freely"),
    Mistake.BOXED: later("a small tile is boxed in"),
    Mistake.MERGES: later("chasing every merge"),
    Mistake.HURRY: later("hurrying on a nearly full board"),
}
_LESSONS = {
    Mistake.DIRECTIONS: later("You pushed away from the corner of your largest tile, which need not be."),
    Mistake.BOXED: later("A small tile now stands among much larger ones, and nothing near can merge with it."),
    Mistake.MERGES: later("It makes more points now, but what comes after is worse: not every merge must be taken."),
    Mistake.HURRY: later("With so little room left, look twice at each move."),
}
_REASONS = {
    Reason.ONLY: later("it is the only legal move"),
    Reason.SURVIVES: later("every other one risks the game more"),
    Reason.CORNER: later("it keeps {tile} in the corner"),
    Reason.MERGES: later("it merges {tile} and {tile}"),
    Reason.PAIR: later("it brings {tile} beside {tile}"),
    Reason.EVEN: later("no move is much better than another here"),
}


def direction_words(way: Direction) -> str:
    """Returns the name of a direction."""
    return say(DIRECTIONS[way])


def why_words(why: Why) -> str:
    """Returns a reason, to stand behind a move and a colon."""
    if why.reason is Reason.ROOM:
        return say_n("it leaves most room, {count} empty cell", "it leaves most room, {count} empty cells", why.number)
    if why.reason is Reason.ORDER:
        return say_n(
            "most rows and columns are in order then, {count} of them",
            "most rows and columns are in order then, {count} of them",
            why.number,
        )
    if why.reason is Reason.AHEAD:
        return say_n(
            "it promises most, {count} new tile ahead", "it promises most, {count} new tiles ahead", why.number
        )
    return say(_REASONS[why.reason], tile=1 << why.number)


def whys_words(whys: tuple[Why, ...]) -> str:
    """Returns all reasons."""
    return "; ".join(why_words(why) for why in whys)


def hint_words(thought: Thought, count: int) -> str:
    """Returns a hint, with its number; that it is being thought about until it is found."""
    if thought.move is None:
        return say("Hint {count}: the solver is thinking …", count=number(count))
    return say("Hint {count}: {move}; {why}.", count=number(count), move=direction_words(thought.move),
               why=whys_words(thought.why))  # fmt: skip


def loss_words(verdict: Verdict) -> str:
    """Returns how much worse a move was than the best one, in terms that mean something to a player."""
    if verdict.risk:
        percent = min(max(round(100 * verdict.risk), 1), _PERCENT_MAX)
        return say("it risks the game: about {percent} in 100", percent=percent)
    return say("as bad as {cells} cells less room", cells=decimal(verdict.cells))


def mistake_words(mistake: Mistake) -> str:
    """Returns the name of a mistake."""
    return say(_MISTAKES[mistake])


def verdict_words(verdict: Verdict, *, by_computer: bool) -> list[str]:
    """Returns what is to be said of a move, a sentence each; of one that was nearly as good as the best, little."""
    made, best = direction_words(verdict.made), direction_words(verdict.best)
    if by_computer or verdict.made is verdict.best:
        why = whys_words(verdict.why)
        if by_computer:
            return [say("{move}: {why}.", move=_capital(made), why=why)]
        return [say("{move}: the best move; {why}.", move=_capital(made), why=why)]
    if not verdict.clear:
        return [say("{move}: nearly as good as {best}.", move=_capital(made), best=best)]
    told = [
        say("{move} was clearly worse than {best}: {loss}.", move=_capital(made), best=best, loss=loss_words(verdict))
    ]
    if verdict.mistake is not None:
        told.append(say("Mistake: {mistake}.", mistake=mistake_words(verdict.mistake)))
        told.append(say(_LESSONS[verdict.mistake]))
    told.append(say("For {best} speaks: {why}.", best=best, why=whys_words(verdict.why)))
    return told


def _capital(word: str) -> str:
    return f"{word[:1].upper()}{word[1:]}"


def costly_words(judged: Judged) -> str:
    """Returns one of the costliest moves in a line."""
    verdict = judged.verdict
    line = say("move {move}: {made}, better {best}; {loss}", move=number(judged.move),
               made=direction_words(verdict.made), best=direction_words(verdict.best),
               loss=loss_words(verdict))  # fmt: skip
    return line if verdict.mistake is None else f"{line}; {mistake_words(verdict.mistake)}"


def pace_words(pace: Pace, *, computer: bool = False) -> str:
    """Returns how far along a game is: "2048 at about move 989; you are 40 moves ahead"."""
    about = say("{tile} at about move {move}", tile=1 << pace.exponent, move=number(pace.moves))
    if not pace.ahead:
        return say("{about}; just on pace", about=about)
    if computer:
        if pace.ahead > 0:
            return say_n("{about}; {count} move ahead", "{about}; {count} moves ahead", pace.ahead, about=about)
        return say_n("{about}; {count} move behind", "{about}; {count} moves behind", -pace.ahead, about=about)
    if pace.ahead > 0:
        return say_n(
            "{about}; you are {count} move ahead", "{about}; you are {count} moves ahead", pace.ahead, about=about
        )
    return say_n(
        "{about}; you are {count} move behind", "{about}; you are {count} moves behind", -pace.ahead, about=about
    )
