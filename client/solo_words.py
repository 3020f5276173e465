"""What is said of a game alone: what it is about, how it ended, and what is to be told of its save.

Shared by the screen, plain lines and the commands; imports little, since the screen is to be there at once.
"""

from __future__ import annotations

from client.language import clock, later, number, say, say_n
from client.solo import Choice, SoloView
from client.solo_play import Tell, Told
from engine.solo import Made, SoloKind
from protocol.solo import Origin

COMMANDS = {  # what goes on with a game
    Origin.CHANCE: "race2048 play",
    Origin.TEXT: "race2048 play",
    Origin.DAILY: "race2048 play --daily",
    Origin.GHOST: "race2048 play --ghost FILE",
}
_TOLD = {
    Tell.UNSAVED: later("This game cannot be saved: {detail}. You can play on."),
    Tell.SAVED_AGAIN: later("The game is saved again."),
    Tell.BUSY: later("Your game is open in another terminal. This one is another game, and saved apart."),
    Tell.TORN: later("The end of the saved game was damaged: it goes on from before. The original is kept: {detail}"),
    Tell.DAMAGED: later("The saved game is damaged. This is a new one; the original is kept: {detail}"),
    Tell.FOREIGN: later("The saved game is another program's file. This is a new game; the file is kept: {detail}"),
    Tell.NEWER: later("The saved game is of a newer race2048. This is a new one; the original is kept: {detail}"),
    Tell.BESTS: later("The best scores were damaged and are counted anew. The original is kept: {detail}"),
}


def told_words(told: Told) -> str:
    """Returns what is to be told, as a sentence or two."""
    return say(_TOLD[told.what], detail=told.detail)


def about_words(choice: Choice) -> str:
    """Returns what is played: "4×4, to 2048" or "5×5, endless"."""
    board = say("{size}×{size}", size=choice.size)
    if choice.kind is SoloKind.ENDLESS:
        return say("{board}, endless", board=board)
    return say("{board}, to {target}", board=board, target=1 << choice.target_exponent)


def game_words(choice: Choice, origin: Origin, text: str) -> str:
    """Returns what is played and on which deck."""
    about, deck = about_words(choice), deck_words(origin, text)
    return say("{game}, {deck}", game=about, deck=deck) if deck else about


def deck_words(origin: Origin, text: str) -> str:
    """Returns where the deck is from; nothing for one of chance."""
    match origin:
        case Origin.DAILY:
            return say("daily {date}", date=text.split("/")[1])
        case Origin.TEXT:
            return say("deck “{text}”", text=text)
        case Origin.GHOST:
            return say("ghost race")
        case Origin.CHANCE:
            return ""


def made_words(choice: Choice, made: Made) -> str:
    """Returns when the target was made: "2048 at move 989, 12:34"."""
    tile = 1 << choice.target_exponent
    return say("{tile} at move {move}, {time}", tile=tile, move=number(made.moves), time=clock(made.t_ms))


def end_words(view: SoloView) -> str:
    """Returns how a game has ended: a target that was made in it is won, whatever came after (rules 2.3)."""
    if view.deck_used_up:
        return say("The deck is used up: {score} points.", score=number(view.score))
    if view.made is not None:
        tile = 1 << view.choice.target_exponent
        return say("Won, with {tile}, and over: {score} points.", tile=tile, score=number(view.score))
    return say("No move is left: {score} points.", score=number(view.score))


def summary_words(view: SoloView) -> str:
    """Returns a game in a line, for the shell."""
    return say_n(
        "{game}: {score} points, max tile {tile}, {count} move, {time}",
        "{game}: {score} points, max tile {tile}, {count} moves, {time}",
        view.moves,
        game=about_words(view.choice),
        score=number(view.score),
        tile=1 << view.max_exponent,
        time=clock(view.t_ms),
    )
