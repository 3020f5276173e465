"""What a key does while one plays alone: a pure function of the game's picture and the state of the screen.

`available` is the one list behind footer, menu, Enter and the letter keys, as commands.py has it for a race. A new kind
of help on a board, as a hint, is one `Do`, one key in `KEYS` and one line in `available`. solo_screen.py carries out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from client.language import say
from client.solo import Choice, SoloView, targets_of, usual_choice
from engine.board import SIZES, Direction
from engine.solo import Act, SoloKind
from protocol.solo import Origin

from .footer import Command
from .keys import ARROWS, ON_A_BOARD, keyboard_of, latin, line_after, looked_up


class Do(StrEnum):
    """What a person can ask for besides a move."""

    GO_ON = "go-on"  # after the target is made
    AGAIN = "again"  # a new game like this one
    UNDO = "undo"
    HINT = "hint"
    NEW = "new"
    MOUSE = "mouse"
    HELP = "help"
    MENU = "menu"
    LEAVE = "leave"


_MOVES = tuple((key, meant) for key, meant in ON_A_BOARD if isinstance(meant, Direction))
# Pairs, not a dict: a test sees that no key stands twice.
KEYS: tuple[tuple[str, Direction | Do], ...] = (
    *_MOVES,
    ("u", Do.UNDO), ("i", Do.HINT), ("n", Do.NEW), ("m", Do.MOUSE), ("?", Do.HELP), ("escape", Do.MENU),
)  # fmt: skip
_TABLE = dict(KEYS)
_HARMLESS = frozenset({Do.UNDO, Do.HINT, Do.MOUSE, Do.HELP, Do.MENU, Do.LEAVE})


class Row(StrEnum):
    """The lines of the form."""

    SIZE = "size"
    KIND = "kind"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class Form:
    """What shall be played, as it is being chosen, and which line is being changed."""

    choice: Choice
    row: Row = Row.SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloUi:
    """The state of the screen itself. `asking`: a new game of this choice waits for a yes. `menu`: its chosen line.

    `remark`: UNDO (nothing to take back), HINT (there is none in a race) or MOUSE has just been asked for.
    """

    asking: Choice | None = None
    menu: int | None = None
    form: Form | None = None
    help: bool = False
    remark: Do | None = None
    mouse: bool = True
    keyboard: str = "latin"


@dataclass(frozen=True, slots=True)
class Step:
    """What a key press comes to: a move, an act, a hint, a new game, that the old one is kept, or that one leaves."""

    ui: SoloUi
    move: Direction | None = None
    act: Act | None = None
    hint: bool = False
    begins: Choice | None = None
    declined: bool = False
    left: bool = False


def available(view: SoloView, ui: SoloUi) -> tuple[Command[Do], ...]:
    """Returns what can be done now, the most likely first; at most one is primary."""
    commands: list[Command[Do]] = []
    if view.banner and not view.stuck:
        commands.append(Command(Do.GO_ON, "", say("play on"), primary=True))
    if view.stuck:
        commands.append(Command(Do.AGAIN, "", say("play again"), primary=True))
    if view.may_undo and (view.undos_left or not view.stuck):
        commands.append(Command(Do.UNDO, "u", say("undo")))
    if view.origin is not Origin.GHOST:
        commands.append(Command(Do.NEW, "n", say("new game")))
        if not view.stuck:
            commands.append(Command(Do.HINT, "i", say("hint")))
    elif not view.stuck:
        commands.append(Command(Do.AGAIN, "n", say("begin again")))
    label = say("mouse off: text can be selected") if ui.mouse else say("mouse on: drag to move the tiles")
    commands.append(Command(Do.MOUSE, "m", label, in_footer=False))
    commands.append(Command(Do.HELP, "?", say("keys")))
    commands.append(Command(Do.MENU, "Esc", say("menu")))
    commands.append(Command(Do.LEAVE, "Ctrl-C", say("leave")))
    return tuple(commands)


def menu_items(view: SoloView, ui: SoloUi) -> tuple[Command[Do], ...]:
    """Returns the lines of the menu."""
    return tuple(command for command in available(view, ui) if command.do is not Do.MENU)


def press(view: SoloView, ui: SoloUi, key: str, *, fresh: bool = False) -> Step:
    """Returns what a key does: its name ("up", "enter", "escape", "interrupt") or the character it made.

    `fresh`: the game has only just ended or made its target: a key that was meant for the board does nothing else.
    """
    ui = replace(ui, remark=None)
    if key == "interrupt":
        return Step(ui, left=True)
    if len(key) == 1:
        ui = replace(ui, keyboard=keyboard_of(key) or ui.keyboard)
    if ui.asking is not None:
        return _answered(view, ui, key)
    if ui.menu is not None:
        return _in_menu(view, ui, key)
    if ui.form is not None:
        return _in_form(view, ui, ui.form, key)
    if ui.help:
        ui = replace(ui, help=False)
        if key in ("escape", "enter", "?"):
            return Step(ui)
    return _on_board(view, ui, key, fresh=fresh)


def meaning(key: str) -> Direction | Do | None:
    """Returns what a key means on a board, by its place on any keyboard."""
    return ARROWS[key] if key in ARROWS else looked_up(_TABLE, key)


def _on_board(view: SoloView, ui: SoloUi, key: str, *, fresh: bool) -> Step:
    commands = available(view, ui)
    meant = meaning(key)
    if isinstance(meant, Direction):
        waits = view.banner or view.stuck  # what is told then must not be swept away by a key too many
        return Step(ui) if waits else Step(ui, move=meant)
    if key == "enter":
        chosen = next((command for command in commands if command.primary), None)
    else:
        shown = "Esc" if key == "escape" else latin(key).lower()
        chosen = next((each for each in commands if each.do is meant or (each.key == shown and meant)), None)
    if chosen is None and (meant is Do.UNDO or (meant is Do.HINT and not view.stuck)):
        return Step(replace(ui, remark=meant))
    if chosen is None or (fresh and chosen.do not in _HARMLESS):
        return Step(ui)
    return choose(view, ui, chosen.do)


def choose(view: SoloView, ui: SoloUi, do: Do) -> Step:
    """Returns what a command does."""
    match do:
        case Do.GO_ON:
            return Step(ui, act=Act.WENT_ON)
        case Do.UNDO if view.undos_left:
            return Step(ui, act=Act.UNDO)
        case Do.UNDO:
            return Step(replace(ui, remark=do))
        case Do.HINT:
            return Step(ui, hint=True)
        case Do.AGAIN:
            return asked(view, ui, view.choice)
        case Do.NEW:
            return Step(replace(ui, form=Form(view.choice)))
        case Do.LEAVE:
            return Step(ui, left=True)
        case Do.HELP | Do.MENU | Do.MOUSE:
            return Step(_switched(ui, do))


def _switched(ui: SoloUi, do: Do) -> SoloUi:
    """Returns the screen with something laid over it, or the mouse switched."""
    if do is Do.MOUSE:
        return replace(ui, mouse=not ui.mouse, remark=do)
    return replace(ui, help=True) if do is Do.HELP else replace(ui, menu=0)


def asked(view: SoloView, ui: SoloUi, choice: Choice) -> Step:
    """Returns a new game, or the question whether the unfinished one shall be given up for it (rules 2.5)."""
    if view.moves and not view.stuck:
        return Step(replace(ui, asking=choice))
    return Step(ui, begins=choice)


def _answered(view: SoloView, ui: SoloUi, key: str) -> Step:
    choice, ui = ui.asking, replace(ui, asking=None)
    if latin(key).lower() == "y":
        return Step(ui, begins=choice)
    if key in ("escape", "enter") or latin(key).lower() == "n":
        return Step(ui, declined=True)
    return replace(_on_board(view, ui, key, fresh=True), declined=True)


def _in_menu(view: SoloView, ui: SoloUi, key: str) -> Step:
    items = menu_items(view, ui)
    chosen = min(ui.menu or 0, len(items) - 1)
    if key in ("up", "down"):
        return Step(replace(ui, menu=line_after(key, chosen, len(items))))
    if key == "enter":
        return choose(view, replace(ui, menu=None), items[chosen].do)
    return Step(replace(ui, menu=None)) if key == "escape" else Step(ui)


# ── the form ─────────────────────────────────────────────────────────────────────────────────────────────────────


def rows(choice: Choice) -> tuple[Row, ...]:
    """Returns the lines that mean something."""
    return tuple(Row) if choice.kind is SoloKind.CLASSIC else (Row.SIZE, Row.KIND)


def _in_form(view: SoloView, ui: SoloUi, form: Form, key: str) -> Step:
    if key == "escape":
        return Step(replace(ui, form=None))
    if key == "enter":
        return asked(view, replace(ui, form=None), form.choice)
    meant = meaning(key)
    lines = rows(form.choice)
    here = lines.index(form.row) if form.row in lines else 0
    if meant in (Direction.UP, Direction.DOWN):
        step = 1 if meant is Direction.DOWN else -1
        return Step(replace(ui, form=Form(form.choice, lines[(here + step) % len(lines)])))
    if meant in (Direction.LEFT, Direction.RIGHT):
        step = 1 if meant is Direction.RIGHT else -1
        return Step(replace(ui, form=Form(_stepped(form.choice, lines[here], step), lines[here])))
    return Step(ui)


def _stepped(choice: Choice, row: Row, step: int) -> Choice:
    if row is Row.SIZE:
        size = SIZES[(SIZES.index(choice.size) + step) % len(SIZES)]
        return usual_choice(size, choice.kind)
    if row is Row.KIND:
        other = SoloKind.ENDLESS if choice.kind is SoloKind.CLASSIC else SoloKind.CLASSIC
        return usual_choice(choice.size, other)
    exponents = targets_of(choice.size)
    exponent = min(max(choice.target_exponent + step, exponents[0]), exponents[-1])
    return replace(choice, target_exponent=exponent)
