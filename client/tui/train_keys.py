"""What a key does in a training game: a pure function of its picture and the state of the screen.

`available` is the one list behind footer, menu, Enter and the letter keys, as solo_keys.py has it for a game alone.
While the computer plays, keys that move tiles move none: they say how to take over. train_screen.py carries out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from client.language import say
from client.training import Judged, TrainingView
from engine.board import Direction

from .footer import Command
from .keys import ARROWS, ON_A_BOARD, keyboard_of, latin, line_after, looked_up, shown_key


class Do(StrEnum):
    """What a person can ask for besides a move."""

    REVIEW = "review"  # the costliest moves
    AGAIN = "again"  # a new game
    UNDO = "undo"
    HINT = "hint"
    COMPUTER = "computer"  # who plays: the person or the computer
    PAUSE = "pause"
    STEP = "step"
    FASTER = "faster"
    SLOWER = "slower"
    MOUSE = "mouse"
    HELP = "help"
    MENU = "menu"
    LEAVE = "leave"


# Pairs, not a dict: a test sees that no key stands twice.
KEYS: tuple[tuple[str, Direction | Do], ...] = (
    *((key, meant) for key, meant in ON_A_BOARD if isinstance(meant, Direction)),
    ("u", Do.UNDO), ("i", Do.HINT), ("c", Do.COMPUTER), (" ", Do.PAUSE), (".", Do.STEP), ("+", Do.FASTER),
    ("-", Do.SLOWER), ("v", Do.REVIEW), ("n", Do.AGAIN), ("m", Do.MOUSE), ("?", Do.HELP), ("escape", Do.MENU),
)  # fmt: skip
_TABLE = dict(KEYS)
_HARMLESS = frozenset({Do.UNDO, Do.HINT, Do.MOUSE, Do.HELP, Do.MENU, Do.LEAVE})
_NO_CHOICE = frozenset({Do.MENU})


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainUi:
    """The state of the screen itself. `menu`, `review`: the chosen line; `asking`: whether a new game shall begin.

    `remark`: MOUSE or UNDO (nothing to take back) has just been asked for, or a move while the computer plays
    (COMPUTER), or the costliest moves while there are none (REVIEW).
    """

    asking: bool = False
    menu: int | None = None
    review: int | None = None
    help: bool = False
    remark: Do | None = None
    mouse: bool = True
    keyboard: str = "latin"


@dataclass(frozen=True, slots=True)
class Step:
    """What a key press comes to: a move, something to do, a move to practise from, or that the person leaves."""

    ui: TrainUi
    move: Direction | None = None
    do: Do | None = None
    practise: Judged | None = None
    left: bool = False


def available(view: TrainingView, ui: TrainUi) -> tuple[Command[Do], ...]:
    """Returns what can be done now, the most likely first; at most one is primary."""
    stuck = view.game.stuck
    commands: list[Command[Do]] = []
    if stuck and view.costliest:
        commands.append(Command(Do.REVIEW, "v", say("your costliest moves"), primary=True))
    elif stuck:
        commands.append(Command(Do.AGAIN, "n", say("new game"), primary=True))
    if view.computer and not stuck:
        commands += _of_computer(view)
    elif not stuck:
        commands.append(Command(Do.HINT, "i", say("hint")))
    if not view.computer and (view.game.undos_left or not stuck):
        commands.append(Command(Do.UNDO, "u", say("undo")))
    if not view.computer and not stuck:
        commands.append(Command(Do.COMPUTER, "c", say("computer plays")))
    if view.costliest and not stuck:
        commands.append(Command(Do.REVIEW, "v", say("review"), in_footer=not view.computer))
    if not stuck or view.costliest:
        commands.append(Command(Do.AGAIN, "n", say("new game"), in_footer=stuck))
    label = say("mouse off: text can be selected") if ui.mouse else say("mouse on: drag to move the tiles")
    commands.append(Command(Do.MOUSE, "m", label, in_footer=False))
    commands.append(Command(Do.HELP, "?", say("keys")))
    commands.append(Command(Do.MENU, "Esc", say("menu")))
    commands.append(Command(Do.LEAVE, "Ctrl-C", say("leave")))
    return tuple(commands)


def _of_computer(view: TrainingView) -> list[Command[Do]]:
    pause = say("pause") if view.running else say("go on")
    return [
        Command(Do.PAUSE, " ", pause),
        Command(Do.STEP, ".", say("one move")),
        Command(Do.COMPUTER, "c", say("play yourself")),
        Command(Do.FASTER, "+", say("faster"), in_footer=False),
        Command(Do.SLOWER, "-", say("slower"), in_footer=False),
    ]


def menu_items(view: TrainingView, ui: TrainUi) -> tuple[Command[Do], ...]:
    """Returns the lines of the menu."""
    return tuple(command for command in available(view, ui) if command.do not in _NO_CHOICE)


def key_words(command: Command[Do], ui: TrainUi) -> str:
    """Returns how a command's key is named on this person's keyboard."""
    if command.primary:
        return say("Enter")
    return say("Space") if command.key == " " else shown_key(command.key, ui.keyboard)


def press(view: TrainingView, ui: TrainUi, key: str, *, fresh: bool = False) -> Step:
    """Returns what a key does: its name ("up", "enter", "escape", "interrupt") or the character it made.

    `fresh`: the game has only just ended: a key that was meant for the board does nothing else.
    """
    ui = replace(ui, remark=None)
    if key == "interrupt":
        return Step(ui, left=True)
    if len(key) == 1:
        ui = replace(ui, keyboard=keyboard_of(key) or ui.keyboard)
    if ui.asking:
        ui = replace(ui, asking=False)
        return Step(ui, do=Do.AGAIN) if latin(key).lower() == "y" else Step(ui)
    if ui.menu is not None:
        return _in_menu(view, ui, key)
    if ui.review is not None:
        return _in_review(view, ui, key)
    if ui.help:
        ui = replace(ui, help=False)
        if key in ("escape", "enter", "?"):
            return Step(ui)
    return _on_board(view, ui, key, fresh=fresh)


def meaning(key: str) -> Direction | Do | None:
    """Returns what a key means, by its place on any keyboard."""
    return ARROWS[key] if key in ARROWS else looked_up(_TABLE, key)


def _on_board(view: TrainingView, ui: TrainUi, key: str, *, fresh: bool) -> Step:
    meant = meaning(key)
    if isinstance(meant, Direction):
        if view.computer and not view.game.stuck:
            return Step(replace(ui, remark=Do.COMPUTER))
        return Step(ui) if view.game.stuck else Step(ui, move=meant)
    commands = available(view, ui)
    chosen = next((each for each in commands if (each.primary if key == "enter" else each.do is meant)), None)
    if chosen is None and meant is Do.REVIEW:
        return Step(replace(ui, remark=meant))
    if chosen is None or (fresh and chosen.do not in _HARMLESS):
        return Step(ui)
    return choose(view, ui, chosen.do)


def choose(view: TrainingView, ui: TrainUi, do: Do) -> Step:
    """Returns what a command does."""
    match do:
        case Do.REVIEW:
            return Step(replace(ui, review=0))
        case Do.AGAIN if view.game.moves and not view.game.stuck:
            return Step(replace(ui, asking=True))
        case Do.UNDO if not view.game.undos_left:
            return Step(replace(ui, remark=do))
        case Do.MOUSE:
            return Step(replace(ui, mouse=not ui.mouse, remark=do))
        case Do.HELP:
            return Step(replace(ui, help=True))
        case Do.MENU:
            return Step(replace(ui, menu=0))
        case Do.LEAVE:
            return Step(ui, left=True)
        case _:
            return Step(ui, do=do)


def _in_menu(view: TrainingView, ui: TrainUi, key: str) -> Step:
    items = menu_items(view, ui)
    chosen = min(ui.menu or 0, len(items) - 1)
    if key in ("up", "down"):
        return Step(replace(ui, menu=line_after(key, chosen, len(items))))
    if key == "enter":
        return choose(view, replace(ui, menu=None), items[chosen].do)
    return Step(replace(ui, menu=None)) if key == "escape" else Step(ui)


def _in_review(view: TrainingView, ui: TrainUi, key: str) -> Step:
    count = len(view.costliest)
    chosen = min(ui.review or 0, max(count - 1, 0))
    if key in ("up", "down") and count:
        return Step(replace(ui, review=line_after(key, chosen, count)))
    if key.isdecimal() and 0 < int(key) <= count:
        return Step(replace(ui, review=None), practise=view.costliest[int(key) - 1])
    if key == "enter" and count:
        return Step(replace(ui, review=None), practise=view.costliest[chosen])
    return Step(replace(ui, review=None)) if key in ("escape", "v", "enter") else Step(ui)
