"""Values of a view in words for a person (ux.md §5): figures, settings, players, and how a race ended.

advice.py has the words for the codes of refusals and endings, language.py how a message finds its translation.
Messages have named placeholders and are never put together from pieces.
"""

from __future__ import annotations

from collections.abc import Sequence

from client.advice import CODES, Advice, advice, exit_code
from client.language import later, number, say, say_n
from client.view import Line, OfferPicture, SeatPicture, SessionView, TallyPicture
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.limits import IDLE_MS_DEFAULT, LEAD_DEFAULT, LEAD_STRICT
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

# What is imported above is part of the words, too.
__all__ = ["CODES", "Advice", "advice", "exit_code", "later", "number", "say", "say_n"]

# ── figures ──────────────────────────────────────────────────────────────────────────────────────────────────────


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


def duration_words(ms: int) -> str:
    """Returns a length of time as it is chosen: "3 min", "90 s", "1 min 30 s"."""
    minutes, seconds = divmod(ms // 1_000, 60)
    if not minutes or (minutes == 1 and seconds):
        return say("{seconds} s", seconds=ms // 1_000)
    if not seconds:
        return say("{minutes} min", minutes=minutes)
    return say("{minutes} min {seconds} s", minutes=minutes, seconds=seconds)


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


def limits_words(settings: TableSettings) -> str:
    """Returns what else was chosen, as far as it is not the usual: "idle limit 1 min, strict"; often nothing."""
    parts = []
    if settings.kind != Kind.TIMED and settings.idle_ms != IDLE_MS_DEFAULT:
        time = duration_words(settings.idle_ms)
        parts.append(say("idle limit {time}", time=time) if settings.idle_ms else say("no idle limit"))
    if settings.lead != LEAD_DEFAULT:
        strict = settings.lead == LEAD_STRICT
        parts.append(say("strict") if strict else say("lead {lead}", lead=settings.lead))
    return say(", ").join(parts)


def terms_words(view: SessionView) -> str:
    """Returns what else holds at a table, as far as it is not the usual: what matters most comes first."""
    parts = [
        say("dealt from a seed: no fair race") if view.seeded else "",
        say("unusual time limits or deck") if view.unusual else "",
        limits_words(view.settings),
    ]
    return say(", ").join(part for part in parts if part)


def all_settings_words(settings: TableSettings) -> str:
    """Returns everything that was chosen: "4×4, first to 2048, up to 4 players, strict"."""
    played = say("{settings}, up to {players} players", settings=settings_words(settings), players=settings.seats)
    rest = limits_words(settings)
    return say("{settings}, {rest}", settings=played, rest=rest) if rest else played


# ── players ──────────────────────────────────────────────────────────────────────────────────────────────────────


def state_words(seat: SeatPicture) -> str:
    """Returns how a player stands in the race: "racing", "stuck", "away 43 s"."""
    if seat.state is SeatState.RESIGNED:
        return say("resigned")
    if seat.state is SeatState.FORFEITED:
        return say("forfeited")
    if seat.state is SeatState.STUCK:
        return say("deck used up") if seat.deck_used_up else say("stuck")
    if seat.away_ms is not None:
        return say("away {time}", time=seconds_left(seat.away_ms))
    return say("racing") if seat.connected else say("away")


def wishes_words(view: SessionView) -> str:
    """Returns who would like another race (rules 3.7), once somebody has said so."""
    asked = [seat for seat in view.seats if seat is not None and seat.wants_again and seat.connected]
    others = say(", ").join(seat.name for seat in asked if not seat.you)
    if any(seat.you for seat in asked) and not view.i_am_host:
        return say("You have asked for another race: the host deals it.")
    return say("Asked for another race: {names}.", names=others) if others else ""


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
    """Returns the draw offer that stands, without the keys that answer it."""
    time = seconds_left(offer.lapse_ms)
    if offer.by_you:
        return say("You offer a draw ({time}).", time=time)
    if offer.agreed:
        return say("{name} offers a draw ({time}). You have agreed.", name=offer.by_name, time=time)
    return say("{name} offers a draw ({time}).", name=offer.by_name, time=time)


def votes_words(view: SessionView) -> str:
    """Returns how many of those who are asked have agreed to the draw offer; nothing where one word decides."""
    asked = sum(seat is not None and seat.state.in_race for seat in view.seats)
    if view.offer is None or asked < 3 or not view.offer.agreed_seats:
        return ""
    return say("{count} of {asked} agree.", count=len(view.offer.agreed_seats), asked=asked)


# ── how it ended ─────────────────────────────────────────────────────────────────────────────────────────────────

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


def outcome_words(outcome: Outcome, seats: Sequence[SeatPicture | None], settings: TableSettings) -> str:
    """Returns why a race ended and who has won it, in a sentence without its full stop."""
    seated = [seat for seat in seats if seat is not None]
    winners = [seat for seat in seated if seat.seat in outcome.winners]
    if outcome.termination is Termination.VOID and any(seat.state.in_race for seat in seated):
        return say("The race is void: the lobby could not see it to its end")
    one, you, several = _OUTCOMES[outcome.termination]
    if len(winners) == 1:
        told = say(you if winners[0].you else one, name=winners[0].name, target=1 << settings.target_exponent)
        out = _out_words(seated) if outcome.termination is Termination.ALONE else ""
        return say("{outcome}: {others}", outcome=told, others=out) if out else told
    if not winners and outcome.termination not in (Termination.VOID, Termination.DRAW):
        return say("The race is over")
    names = say(", ").join(winner.name for winner in winners)
    return say(several, names=names, target=1 << settings.target_exponent)


def _out_words(seats: Sequence[SeatPicture]) -> str:
    """Returns how those who are out of the race left it: "hare resigned, owl forfeited"."""
    out = [seat for seat in seats if not seat.state.in_race]
    return say(", ").join(say("{name} {state}", name=seat.name, state=state_words(seat)) for seat in out)


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
