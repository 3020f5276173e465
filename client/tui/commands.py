"""What a person can do now, and what a key press does: pure functions of a view and the state of the screen.

`available` is the one list behind footer, menu, Enter and the letter keys, so they cannot disagree. `press` turns a
key into actions for the session and a new state of the screen; app.py only carries it out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from client.actions import (
    Action,
    Again,
    Agree,
    Allow,
    Cancel,
    Change,
    Kick,
    Leave,
    Move,
    Refuse,
    Resign,
    SetReady,
    Sit,
    Stand,
    Start,
    ToggleLock,
)
from client.view import Line, SeatPicture, SessionView
from client.words import say
from engine.board import Direction
from protocol.messages import Phase

from .choices import Form, stepped_form, with_seated
from .keys import Verb, keyboard_of, latin, line_after, meaning

RACE_PHASES = frozenset({Phase.RACING, Phase.SETTLING, Phase.CLOSING})
_HARMLESS = frozenset({Verb.HELP, Verb.MENU, Verb.LINK, Verb.COPY, Verb.NEXT, Verb.MOUSE, Verb.LEAVE})
BOARD_PHASES = RACE_PHASES | {Phase.OPENING, Phase.COUNTDOWN}


@dataclass(frozen=True, slots=True)
class Links:
    """The full links that a table can be shown with; either may be empty. `lan`: its code is known on this network."""

    join: str
    watch: str
    lan: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ui:
    """The state of the screen itself, which the session need not know.

    `asking`: RESIGN, LEAVE or KICK waits for a yes; `about`: who would be put out. `menu`: the chosen line of the
    menu, None when it is closed. `form`: the settings screen, None when it is closed. `overlay`: HELP or LINK is
    shown. `remark`: COPY, ALLOW or MOUSE has just been done. `mouse`: swipes move tiles on a board. `page`: how often
    Tab was pressed on the result. `keyboard`: see keys.py. `join`, `watch`, `lan`: see Links.
    """

    asking: Verb | None = None
    about: SeatPicture | None = None
    menu: int | None = None
    form: Form | None = None
    overlay: Verb | None = None
    remark: Verb | None = None
    mouse: bool = True
    page: int = 0
    keyboard: str = "latin"
    join: str = ""
    watch: str = ""
    lan: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be done now. `primary`: Enter does it; `in_footer`: else it is in the menu only."""

    verb: Verb
    key: str
    label: str
    action: Action | None = None
    primary: bool = False
    in_footer: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """What a key press comes to."""

    ui: Ui
    actions: tuple[Action, ...] = ()
    left: bool = False
    copied: bool = False


def my_picture(view: SessionView) -> SeatPicture | None:
    """Returns your own seat, None for a watcher."""
    return next((seat for seat in view.seats if seat is not None and seat.you), None)


def is_on_board(view: SessionView) -> bool:
    """Tells whether letters move tiles: you sit, and the boards are there or about to come."""
    return view.my_seat is not None and view.phase in BOARD_PHASES and view.line is not Line.OVER


def is_in_race(view: SessionView) -> bool:
    """Tells whether leaving now would leave a race that you are in."""
    mine = my_picture(view)
    running = view.phase in RACE_PHASES or view.phase is Phase.COUNTDOWN
    return running and mine is not None and mine.state.in_race and view.line is not Line.OVER


def available(view: SessionView, ui: Ui) -> tuple[Command, ...]:
    """Returns what can be done now, the most likely first; at most one is primary."""
    if view.line is Line.OVER:
        return (Command(Verb.LEAVE, "Ctrl-C", say("leave"), primary=True),)
    commands: list[Command] = []
    if view.phase is Phase.SEATING:
        commands += _seating(view)
    elif view.phase in (Phase.OPENING, Phase.COUNTDOWN) and view.i_am_host:
        commands.append(Command(Verb.CANCEL, "x", say("stop the countdown"), Cancel()))
    elif view.phase is Phase.RACING:
        commands += _racing(view)
    elif view.phase is Phase.FINISHED:
        commands += _finished(view)
    if ui.join:
        shown = view.phase is Phase.SEATING
        commands.append(Command(Verb.COPY, "c", say("copy the link"), in_footer=shown))
        commands.append(Command(Verb.LINK, "t", say("show the link"), in_footer=False))
    if is_on_board(view):
        label = say("mouse off, to select text") if ui.mouse else say("mouse on, to drag the tiles")
        commands.append(Command(Verb.MOUSE, "m", label, in_footer=False))
    commands.append(Command(Verb.HELP, "?", say("keys")))
    commands.append(Command(Verb.MENU, "Esc", say("menu")))
    commands.append(Command(Verb.LEAVE, "Ctrl-C", say("leave")))
    if view.phase is Phase.COUNTDOWN or is_on_board(view):
        return tuple(command for command in commands if command.verb is not Verb.COPY)
    return tuple(commands)


def _seating(view: SessionView) -> list[Command]:
    commands = []
    mine = my_picture(view)
    if view.can_start:
        commands.append(Command(Verb.START, "s", say("start the race"), Start(), primary=True))
    open_to_me = view.may_sit and (view.i_am_host or not view.locked)
    if mine is None and open_to_me and any(seat is None for seat in view.seats):
        commands.append(Command(Verb.SIT, "p", say("take a seat"), Sit(), primary=not view.can_start))
    if mine is not None and not view.i_am_host:
        ready = mine.ready or view.wants_ready  # what was said counts, before the lobby has shown it
        label = say("not ready yet") if ready else say("ready")
        commands.append(Command(Verb.READY, "r", label, SetReady(not ready), primary=not ready))
    if view.i_am_host:
        commands.append(Command(Verb.SETTINGS, "e", say("settings")))
    if mine is not None:
        commands.append(Command(Verb.STAND, "w", say("give up the seat and watch"), Stand(), in_footer=False))
    return commands + _hosting(view)


def _hosting(view: SessionView) -> list[Command]:
    """Returns what a host can do between races besides starting one."""
    if not view.i_am_host:
        return []
    seating = view.phase is Phase.SEATING  # after a race stray keys come, so all this is in the menu only
    label = say("unlock the table") if view.locked else say("lock the table")
    commands = [Command(Verb.LOCK, "l" if seating else "", label, ToggleLock(), in_footer=False)]
    for seat in view.seats:
        if seat is not None and not seat.you and (seating or seat.connected):
            key, label = str(seat.seat + 1) if seating else "", say("free the seat of {name}", name=seat.name)
            commands.append(Command(Verb.KICK, key, label, Kick(seat.seat), in_footer=False))
    label = say("let back who was put out")
    return [*commands, Command(Verb.ALLOW, "", label, Allow(), in_footer=False)]


def _racing(view: SessionView) -> list[Command]:
    mine = my_picture(view)
    if mine is None or not mine.state.in_race:
        return []
    offer = view.offer
    commands = []
    if offer is None:
        commands.append(Command(Verb.AGREE, "o", say("offer a draw"), Agree()))
    elif not offer.by_you and not offer.agreed:
        commands.append(Command(Verb.AGREE, "o", say("agree to the draw"), Agree()))
    if offer is not None:
        label = say("withdraw the offer") if offer.by_you else say("refuse the draw")
        commands.append(Command(Verb.REFUSE, "x", label, Refuse()))
    commands.append(Command(Verb.RESIGN, "R", say("resign")))
    return commands


def _finished(view: SessionView) -> list[Command]:
    mine = my_picture(view)
    alone = not any(seat is not None and seat.connected and not seat.you for seat in view.seats)
    commands = []
    if view.i_am_host:
        commands.append(Command(Verb.AGAIN, "g", say("race again"), Again(), primary=not alone))
        commands.append(Command(Verb.SETTINGS, "e", say("change settings"), primary=alone))
    elif mine is not None and not mine.wants_again:
        commands.append(Command(Verb.AGAIN, "g", say("ask for another race"), Again(), primary=True))
    if mine is not None:
        commands.append(Command(Verb.STAND, "", say("give up the seat and watch"), Stand(), in_footer=False))
    commands.append(Command(Verb.NEXT, "Tab", say("next board"), in_footer=False))
    return commands + _hosting(view)


def kept(view: SessionView, ui: Ui) -> Ui:
    """Returns the screen's state without what a change of the session has made pointless."""
    if ui.asking is Verb.KICK:
        # Seats may have closed up: the yes must not hit somebody else.
        now = ui.about and next((seat for seat in view.seats if seat is not None and seat.seat == ui.about.seat), None)
        asked = _can_host(view) and ui.about is not None and now is not None and now.name == ui.about.name
    else:
        asked = is_in_race(view)
    if ui.asking is not None and not asked:
        ui = replace(ui, asking=None, about=None)
    if ui.form is not None:
        settings = with_seated(ui.form.settings, sum(seat is not None for seat in view.seats))
        ui = replace(ui, form=replace(ui.form, settings=settings) if _can_host(view) else None)
    if ui.page and view.phase is not Phase.FINISHED:
        ui = replace(ui, page=0)
    return ui


def _can_host(view: SessionView) -> bool:
    return view.i_am_host and view.phase in (Phase.SEATING, Phase.FINISHED) and view.line is not Line.OVER


def press(view: SessionView, ui: Ui, key: str, *, fresh: bool = False) -> Step:
    """Returns what a key does: its name ("up", "enter", "escape", "tab", "interrupt") or the character it made.

    `fresh`: the board has only just gone, so a key that was meant for it must not start or give up anything.
    """
    ui = replace(ui, remark=None)
    if key == "interrupt":
        return _interrupt(view, ui)
    ui = replace(ui, keyboard=keyboard_of(key) or ui.keyboard) if len(key) == 1 else ui
    if ui.asking is not None:
        if latin(key).lower() == "y":
            return _confirmed(ui)
        ui = replace(ui, asking=None, about=None)
        if key in ("escape", "enter") or latin(key).lower() == "n":
            return Step(ui)
    if ui.menu is not None:
        return _in_menu(view, ui, key)
    if ui.form is not None:
        return _in_form(view, ui, ui.form, key)
    if ui.overlay is not None:
        ui = replace(ui, overlay=None)
        if key in ("escape", "enter"):
            return Step(ui)
    return _elsewhere(view, ui, key, fresh=fresh)


def _elsewhere(view: SessionView, ui: Ui, key: str, *, fresh: bool) -> Step:
    commands = available(view, ui)
    if key == "enter":
        chosen = next((command for command in commands if command.primary), None)
    else:
        meant = meaning(key, on_board=is_on_board(view))
        if isinstance(meant, Direction):
            return Step(ui, (Move(meant),) if view.phase is Phase.RACING else ())
        if meant is Verb.REFUSE and view.phase in (Phase.OPENING, Phase.COUNTDOWN):
            meant = Verb.CANCEL
        chosen = next((command for command in commands if command.verb is meant and _has_key(command, key)), None)
    if chosen is None or (fresh and chosen.verb not in _HARMLESS):
        return Step(ui)
    return choose(view, ui, chosen)


def _has_key(command: Command, key: str) -> bool:
    """Tells whether this key means this command: some are in the menu only, and each seat has its own."""
    return command.key != "" and (command.verb is not Verb.KICK or latin(key) == command.key)


def _in_form(view: SessionView, ui: Ui, form: Form, key: str) -> Step:
    if key == "escape":
        return Step(replace(ui, form=None))
    if key != "enter":
        return Step(replace(ui, form=stepped_form(form, key, sum(seat is not None for seat in view.seats))))
    # The same settings again are a way back to the seats after a race; before one they would only clear Ready.
    same = form.settings == view.settings and view.phase is Phase.SEATING
    return Step(replace(ui, form=None), () if same else (Change(form.settings),))


def _in_menu(view: SessionView, ui: Ui, key: str) -> Step:
    items = menu_items(view, ui)
    chosen = min(ui.menu or 0, len(items) - 1)
    if key in ("up", "down"):
        return Step(replace(ui, menu=line_after(key, chosen, len(items))))
    if key == "enter":
        return choose(view, replace(ui, menu=None), items[chosen])
    return Step(replace(ui, menu=None)) if key == "escape" else Step(ui)


def menu_items(view: SessionView, ui: Ui) -> tuple[Command, ...]:
    """Returns the lines of the menu: everything that can be done now."""
    return tuple(command for command in available(view, ui) if command.verb is not Verb.MENU)


def choose(view: SessionView, ui: Ui, command: Command) -> Step:
    """Returns what a command does that was chosen by its key, in the menu, or by its word."""
    match command.verb:
        case Verb.RESIGN:
            return Step(replace(ui, asking=Verb.RESIGN))
        case Verb.KICK:
            about = next((seat for seat in view.seats if seat is not None and command.action == Kick(seat.seat)), None)
            return Step(replace(ui, asking=Verb.KICK, about=about))
        case Verb.SETTINGS:
            return Step(replace(ui, form=Form(view.settings)))
        case Verb.LEAVE:
            return _interrupt(view, ui)
        case Verb.HELP | Verb.LINK:
            return Step(replace(ui, overlay=command.verb))
        case Verb.MENU:
            return Step(replace(ui, menu=0))
        case Verb.NEXT:
            return Step(replace(ui, page=ui.page + 1))
        case Verb.MOUSE:
            return Step(replace(ui, mouse=not ui.mouse, remark=Verb.MOUSE))
        case Verb.COPY:
            return Step(replace(ui, remark=Verb.COPY), copied=True)
        case _:
            remark = command.verb if command.verb is Verb.ALLOW else None
            return Step(replace(ui, remark=remark), (command.action,) if command.action is not None else ())


def _confirmed(ui: Ui) -> Step:
    actions: dict[Verb, Action] = {Verb.LEAVE: Leave(), Verb.RESIGN: Resign()}
    if ui.about is not None:
        actions[Verb.KICK] = Kick(ui.about.seat)
    asked = ui.asking
    done = (actions[asked],) if asked in actions else ()
    return Step(replace(ui, asking=None, about=None), done, left=asked is Verb.LEAVE)


def _interrupt(view: SessionView, ui: Ui) -> Step:
    """Ctrl-C: asks first in a race; a second one does not ask again."""
    if is_in_race(view) and ui.asking is not Verb.LEAVE:
        return Step(replace(ui, asking=Verb.LEAVE, about=None, menu=None, form=None, overlay=None))
    return Step(replace(ui, asking=None, about=None), (Leave(),) if view.line is not Line.OVER else (), left=True)
