"""Codes and values in words for a person: what happened, then what to do (ux.md §1, §5).

Every message goes through `say` or `say_n`, so that translations need no other change (xgettext
--keyword=say --keyword=say_n:1,2). Messages have named placeholders and are never put together from pieces.
"""

from __future__ import annotations

import gettext
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from client.view import Line, OfferPicture, SeatPicture, SessionView, TallyPicture
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

DOMAIN = "race2048"


def say(message: str, **values: object) -> str:
    """Returns `message` in the person's language, its placeholders filled in."""
    return _catalogue().gettext(message).format_map(values)


def say_n(one: str, many: str, count: int, **values: object) -> str:
    """Returns `one` or `many`, whichever goes with `count`, which the message names {count}."""
    return _catalogue().ngettext(one, many, count).format_map({"count": number(count), **values})


@cache
def _catalogue() -> gettext.NullTranslations:
    """Returns the translations, found once: looking for them is slow, and a screen asks dozens of times."""
    return gettext.translation(DOMAIN, fallback=True)


def _later(message: str) -> str:
    """Marks a message for translation that `say` gets later (xgettext --keyword=_later)."""
    return message


# ── figures ──────────────────────────────────────────────────────────────────────────────────────────────────────


def number(value: int) -> str:
    """Returns 20412 as "20,412"."""
    return format(value, ",")


def signed(value: int) -> str:
    """Returns a difference with its sign: "+1,200", "−8,408", "±0"."""
    if value == 0:
        return "±0"
    return ("+" if value > 0 else "−") + number(abs(value))


def clock(ms: int) -> str:
    """Returns a duration as "1:23" or "1:02:03", whole seconds that have passed."""
    seconds = max(ms, 0) // 1_000
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def clock_left(ms: int) -> str:
    """Returns what is left of a time as a clock that reaches 0:00 at its very end."""
    return clock(ms + 999)


def clock_words(view: SessionView) -> str:
    """Returns the clock of a race: what is left of a timed one, else what has passed; empty without a clock."""
    if view.clock_ms is None:
        return ""
    return clock_left(view.clock_ms) if view.settings.kind == Kind.TIMED else clock(view.clock_ms)


def seconds_left(ms: int) -> str:
    """Returns what is left of a short window: "43 s"."""
    return say("{seconds} s", seconds=max(-(-ms // 1_000), 0))


def code_in_groups(code: str) -> str:
    """Returns a table code as it is read aloud: "482-913"."""
    if not code.isdigit() or len(code) < 6:
        return code
    middle = (len(code) + 1) // 2
    return f"{code[:middle]}-{code[middle:]}"


def settings_words(settings: TableSettings) -> str:
    """Returns what is played: "4×4, first to 2048"."""
    size = say("{size}×{size}", size=settings.size)
    if settings.kind == Kind.TARGET:
        return say("{board}, first to {target}", board=size, target=1 << settings.target_exponent)
    if settings.kind == Kind.TIMED:
        return say("{board}, highest score in {time}", board=size, time=clock(settings.time_ms))
    return say("{board}, last one moving", board=size)


# ── players ──────────────────────────────────────────────────────────────────────────────────────────────────────


def state_words(seat: SeatPicture) -> str:
    """Returns how a player stands in the race: "racing", "stuck", "away 43 s"."""
    if seat.state is SeatState.RESIGNED:
        return say("resigned")
    if seat.state is SeatState.FORFEITED:
        return say("gone")
    if seat.state is SeatState.STUCK:
        return say("deck used up") if seat.deck_used_up else say("stuck")
    if seat.away_ms is not None:
        return say("away {time}", time=seconds_left(seat.away_ms))
    return say("racing") if seat.connected else say("away")


def ready_words(seat: SeatPicture) -> str:
    """Returns how a player stands before the race."""
    if not seat.connected:
        return say("away {time}", time=seconds_left(seat.away_ms)) if seat.away_ms is not None else say("away")
    return say("ready") if seat.ready else say("not ready")


def tally_words(tally: Sequence[TallyPicture]) -> str:
    """Returns the tally of a table: "Won so far: fox 2, hare 0 (1 drawn)"."""
    if not tally:
        return ""
    entries = [
        say("{name} {wins} ({draws} drawn)", name=each.name, wins=each.wins, draws=each.draws)
        if each.draws
        else say("{name} {wins}", name=each.name, wins=each.wins)
        for each in tally
    ]
    return say("Won so far: {players}", players=say(", ").join(entries))


def offer_words(offer: OfferPicture) -> str:
    """Returns the draw offer that stands and how to answer it, without the keys."""
    time = seconds_left(offer.lapse_ms)
    if offer.by_you:
        return say("You offer a draw ({time}).", time=time)
    if offer.agreed:
        return say("{name} offers a draw ({time}). You have agreed.", name=offer.by_name, time=time)
    return say("{name} offers a draw ({time}).", name=offer.by_name, time=time)


# ── how it ended ─────────────────────────────────────────────────────────────────────────────────────────────────

# By termination: the message for one winner, for yourself, and for several.
_OUTCOMES = {
    Termination.ALONE: (
        _later("{name} is the only one left"),
        _later("You are the only one left"),
        _later("{names} are left: a draw"),
    ),
    Termination.TARGET: (
        _later("{name} made {target} first"),
        _later("You made {target} first"),
        _later("{names} made {target} at the same moment: a draw"),
    ),
    Termination.LAST_MOVER: (
        _later("{name} can still move and leads: everyone else is stuck"),
        _later("You can still move and lead: everyone else is stuck"),
        _later("{names} can still move: a draw"),
    ),
    Termination.ALL_STUCK: (
        _later("All stuck: {name} has the highest score"),
        _later("All stuck: you have the highest score"),
        _later("All stuck: {names} share the highest score, a draw"),
    ),
    Termination.BELL: (
        _later("Time is up: {name} has the highest score"),
        _later("Time is up: you have the highest score"),
        _later("Time is up: {names} share the highest score, a draw"),
    ),
    Termination.DRAW: (
        _later("A draw, agreed by all who were in the race"),
        _later("A draw, agreed by all who were in the race"),
        _later("A draw, agreed by all who were in the race"),
    ),
    Termination.VOID: (
        _later("The race is void: nobody was left in it"),
        _later("The race is void: nobody was left in it"),
        _later("The race is void: nobody was left in it"),
    ),
}


def outcome_words(outcome: Outcome, seats: Sequence[SeatPicture | None], settings: TableSettings) -> str:
    """Returns why a race ended and who has won it, in a sentence without its full stop."""
    winners = [seat for seat in seats if seat is not None and seat.seat in outcome.winners]
    one, you, several = _OUTCOMES[outcome.termination]
    values = {"target": 1 << settings.target_exponent}
    if len(winners) == 1:
        return say(you if winners[0].you else one, name=winners[0].name, **values)
    if not winners and outcome.termination not in (Termination.VOID, Termination.DRAW):
        return say("The race is over")
    return say(several, names=say(", ").join(winner.name for winner in winners), **values)


def place_words(view: SessionView) -> str:
    """Returns how you did: "You have won.", or your place; empty for a watcher."""
    mine = next((seat for seat in view.seats if seat is not None and seat.you), None)
    if mine is None or view.outcome is None:
        return ""
    if view.outcome.termination is Termination.VOID:
        return say("It does not count.")
    if mine.won:
        return say("You share first place.") if len(view.outcome.winners) > 1 else say("You have won!")
    if mine.place is None:
        return ""
    players = sum(seat is not None for seat in view.seats)
    return say("Your place: {place} of {players}.", place=mine.place, players=players)


def check_words(view: SessionView) -> str:
    """Returns what came of comparing the record with what this client saw; empty while it is not here."""
    if view.check is None:
        return say("The record is on its way …") if view.phase is Phase.FINISHED and view.line is not Line.OVER else ""
    if view.check.ok:
        logs = sum(seat is not None for seat in view.seats)
        return say_n(
            "{count} log replayed, it agrees",
            "{count} logs replayed, all agree",
            logs,
        )
    reason = SafeText.shown(view.check.reason)
    return say(
        "THE RECORD DOES NOT AGREE with what you saw ({reason}). Both are kept: show them to the others.", reason=reason
    )


# ── codes ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Advice:
    """What happened, and what to do about it (empty if there is nothing to do)."""

    happened: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.happened} {self.remedy}".strip()


# Every code of protocol.refusals, and those of client.events.Dropped: (what happened, what to do).
_CODES = {
    "frame": (_later("The other side sent something that is no message."), _later("Update race2048 on both sides.")),
    "order": (_later("That cannot be done now."), ""),
    "version": (_later("This lobby speaks another version of the protocol."), _later("Update the older race2048.")),
    "proof": (_later("The lobby could not prove who it is."), _later("Ask the host for a fresh link.")),
    "name": (_later("This name is taken or cannot be used."), _later("Choose another with --name.")),
    "settings": (_later("A table cannot have these settings."), _later("See race2048 host --help.")),
    "no-table": (_later("There is no table with this code."), _later("Check the code, or ask the host for the link.")),
    "guessing": (_later("Too many wrong codes from this address."), _later("Wait a minute, or use the link.")),
    "full": (_later("All seats are taken."), _later("You can watch: a seat may become free.")),
    "locked": (_later("The host has locked the table."), _later("Ask the host to unlock it.")),
    "kicked": (_later("The host has freed your seat."), _later("You can watch; ask the host to let you sit again.")),
    "racing": (_later("A race is on."), _later("You can watch, and sit down when it is over.")),
    "watch-code": (_later("With the watch code one can only watch."), _later("Ask the host for the table code.")),
    "not-host": (_later("Only the host can do that."), ""),
    "not-seated": (_later("You have no seat."), _later("Take a free one first.")),
    "not-ready": (_later("Not everyone is ready."), _later("At least one guest, and every guest, must be ready.")),
    "too-late": (_later("It is too late to stop the countdown."), ""),
    "signature": (_later("The lobby did not accept a signature."), _later("Update race2048; if it stays, report it.")),
    "slice": (_later("The lobby did not accept some moves."), _later("They are sent again by themselves.")),
    "flood": (_later("Too much was sent at once."), _later("Wait a moment.")),
    "seal": (_later("The lobby did not accept a seal."), _later("Update race2048; if it stays, report it.")),
    "vote": (_later("The draw cannot be offered or answered now."), _later("Try again in ten seconds.")),
    "no-record": (_later("The lobby has no record of this race."), ""),
    "silent": (_later("Nothing was heard from you for too long."), _later("Check your network.")),
    "replaced": (_later("You have connected from another terminal."), _later("Go on there.")),
    "closed": (_later("The table is closed."), _later("Open a new one with race2048 host.")),
    "capacity": (_later("This lobby is full."), _later("Try again later, or host your own: race2048 host.")),
    "draining": (_later("This lobby is going down."), _later("Try again in a minute.")),
    "unreachable": (_later("The lobby cannot be reached."), _later("Check the link and your network.")),
    "not-a-lobby": (_later("There is something else at this address, not a lobby."), _later("Check the link.")),
    "lost": (_later("The connection to the lobby was lost."), _later("Come back with race2048 join.")),
}  # fmt: skip

CODES = frozenset(_CODES)

_UNREACHED = frozenset({"unreachable", "not-a-lobby", "lost", "draining", "proof"})
_HARMLESS = frozenset({"", "closed", "replaced", "left"})


def advice(code: str) -> Advice:
    """Returns what to tell a person about a code; one that nobody knows yet is named."""
    known = _CODES.get(code)
    if known is None:
        return Advice(say("The lobby says “{code}”.", code=SafeText.shown(code)))
    happened, remedy = known
    return Advice(say(happened), say(remedy) if remedy else "")


def exit_code(ending: str) -> int:
    """Returns the exit code of a session that ended with this code (ux.md §1)."""
    if ending in _HARMLESS:
        return 0
    if ending in _UNREACHED:
        return 3
    return 5 if ending == "version" else 4
