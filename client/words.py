"""Values of a view in words for a person (ux.md §5): figures, settings, players, and how a race ended.

advice.py has the words for the codes of refusals and endings, language.py how a message finds its translation.
Messages have named placeholders and are never put together from pieces.
"""

from __future__ import annotations

from collections.abc import Sequence

from client.advice import CODES, Advice, advice, exit_code
from client.language import clock, in_fours, later, number, printable, say, say_n
from client.outcomes import ended_words, left_words
from client.view import Line, OfferPicture, SeatPicture, SessionView, TallyPicture
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.limits import IDLE_MS_DEFAULT, LEAD_DEFAULT, LEAD_STRICT
from protocol.messages import Phase, TableSettings

# What is imported above is part of the words, too.
__all__ = [
    "CODES",
    "Advice",
    "advice",
    "clock",
    "exit_code",
    "in_fours",
    "later",
    "number",
    "printable",
    "say",
    "say_n",
]

# ── figures ──────────────────────────────────────────────────────────────────────────────────────────────────────


def signed(value: int) -> str:
    """Returns a difference with its sign: "+1,200", "−8,408", "±0"."""
    if value == 0:
        return "±0"
    return ("+" if value > 0 else "−") + number(abs(value))


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
    if settings.seats == 1:  # a game alone
        target = settings.target_exponent
        return (
            say("{board}, to {target}", board=size, target=1 << target)
            if target
            else say("{board}, endless", board=size)
        )
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
    if settings.seats == 1:
        return settings_words(settings)
    played = say("{settings}, up to {players} players", settings=settings_words(settings), players=settings.seats)
    rest = limits_words(settings)
    return say("{settings}, {rest}", settings=played, rest=rest) if rest else played


# ── players ──────────────────────────────────────────────────────────────────────────────────────────────────────


def state_words(seat: SeatPicture) -> str:
    """Returns how a player stands in the race: "racing", "stuck", "away 43 s"."""
    if not seat.state.in_race:
        return left_words(seat.state)
    if seat.state is SeatState.STUCK:
        return say("deck used up") if seat.deck_used_up else say("stuck")
    if seat.away_ms is not None:
        return say("away {time}", time=seconds_left(seat.away_ms))
    if seat.done:
        return say("finished")
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


def outcome_words(outcome: Outcome, seats: Sequence[SeatPicture | None], settings: TableSettings) -> str:
    """Returns why a race ended and who has won it, in a sentence without its full stop."""
    seated = [seat for seat in seats if seat is not None]
    you = next((seat.seat for seat in seated if seat.you), None)
    return ended_words(outcome, seated, 1 << settings.target_exponent, you)


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
    if not view.check.ok:
        return say("THE RECORD DOES NOT AGREE with what you saw")
    logs = sum(seat is not None for seat in view.seats)
    return say_n(
        "{count} log replayed, it agrees",
        "{count} logs replayed, all agree",
        logs,
    )


# ── when the lobby is not to be believed ─────────────────────────────────────────────────────────────────────────

# What is wrong with a record, by the code of client/ending.py.
_DISPUTES = {
    "false": later("it is false: {detail}"),
    "other-race": later("it is of another race"),
    "other-record": later("it is not the one that the lobby announced"),
    "own-moves": later("it does not hold the moves that you made"),
    "end": later("it tells another end than the lobby told before"),
    "gaps": later("it tells otherwise when the lobby itself was away"),
    "figures": later("it tells otherwise of {detail} than the lobby told during the race"),
}


def dispute_words(view: SessionView) -> str:
    """Returns what is wrong with the record of the last race, or of one before, and what to do; mostly nothing."""
    if view.dispute is None:
        return ""
    detail = printable(view.dispute.detail)
    why = say(_DISPUTES.get(view.dispute.reason, view.dispute.reason), detail=detail)
    warning = say("THE RECORD DOES NOT AGREE with what you saw: {why}.", why=why)
    if not view.dispute_path:
        return warning
    return say(
        "{warning} Show it to the others: {path}, and the file beside it with what the lobby told.",
        warning=warning,
        path=view.dispute_path,
    )


def alarm_words(view: SessionView) -> str:
    """Returns why the lobby may not be the one that you know, and how to find out; mostly nothing."""
    if not view.alarm:
        return ""
    fingerprint = in_fours(view.fingerprint)
    return say("{warning} It is {fingerprint} now.", warning=advice(view.alarm), fingerprint=fingerprint)
