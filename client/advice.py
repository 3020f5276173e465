"""What to tell a person about a code: what happened, then what to do (ux.md §1).

The codes are those of protocol.refusals, of a dropped connection (client.events.Dropped), of a session that doubts its
lobby ("other-key"), and of one that has stopped believing it: "pin", and "cheat:…" with what trust.py, hearing.py and
session.py found.
"""

from __future__ import annotations

from dataclasses import dataclass

from client.language import later, say
from protocol.text import SafeText

CHEAT = "cheat:"


@dataclass(frozen=True, slots=True)
class Advice:
    """What happened, and what to do about it (empty if there is nothing to do)."""

    happened: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.happened} {self.remedy}".strip()


_CODES = {
    "frame": (later("The other side sent something that is no message."), later("Update race2048 on both sides.")),
    "order": (later("That cannot be done now."), ""),
    "version": (later("This lobby speaks another version of the protocol."), later("Update the older race2048.")),
    "proof": (later("The lobby could not prove who it is."), later("Ask the host for a fresh link.")),
    "name": (later("This name is taken or cannot be used."), later("Choose another with --name.")),
    "settings": (later("A table cannot have these settings."), later("Choose others: race2048 host --help has them.")),
    "no-table": (later("There is no table with this code."), later("Check the code, or ask the host for the link.")),
    "guessing": (later("Too many wrong codes from this address."), later("Wait a minute, or use the link.")),
    "full": (later("All seats are taken."), later("You can watch: a seat may become free.")),
    "locked": (later("The host has locked the table."), later("Ask the host to unlock it.")),
    "kicked": (later("The host has freed your seat."), later("You can watch; ask the host to let you back.")),
    "racing": (later("A race is on."), later("You can watch, and sit down when it is over.")),
    "watch-code": (later("With the watch code one can only watch."), later("Ask the host for the table code.")),
    "not-host": (later("Only the host can do that."), ""),
    "not-seated": (later("You have no seat."), later("Take a free one first.")),
    "not-ready": (later("Not everyone is ready."), later("At least one guest, and every guest, must be ready.")),
    "too-late": (later("It is too late to stop the countdown."), ""),
    "signature": (later("The lobby did not accept a signature."), later("Update race2048; if it stays, report it.")),
    "slice": (later("The lobby did not accept some moves."), later("They are sent again by themselves.")),
    "flood": (later("Too much was sent at once."), later("Wait a moment.")),
    "seal": (later("The lobby did not accept a seal."), later("Update race2048; if it stays, report it.")),
    "vote": (later("The draw cannot be offered or answered now."), later("Wait ten seconds; five offers a race.")),
    "no-record": (later("The lobby has no record of this race."), ""),
    "silent": (later("Nothing was heard from you for too long."), later("Check your network.")),
    "replaced": (later("You have connected from another terminal."), later("Go on there.")),
    "closed": (later("The table is closed."), later("Open a new one with race2048 host.")),
    "capacity": (later("This lobby is full."), later("Try again later, or host your own: race2048 host.")),
    "crowded": (later("This table has as many watchers as it can."), later("Try again later.")),
    "address": (later("Too much from your network."), later("Close some of it, or wait a few minutes.")),
    "draining": (later("This lobby is going down."), later("Try again in a minute.")),
    "disk": (later("The lobby's disk has failed: it takes no moves."), later("Yours are kept.")),
    "space": (later("The lobby's disk is full: no new race starts."), later("Tell whoever runs it.")),
    "broken": (later("The lobby has failed: the race is void."), later("Open another table.")),
    "unreachable": (later("The lobby cannot be reached."), later("Check the link and your network.")),
    "not-a-lobby": (later("There is something else at this address, not a lobby."), later("Check the link.")),
    "lost": (later("The connection to the lobby was lost."), later("Come back with race2048 join.")),
    "left": ("", ""),  # you know that you have left
    "other-key": (
        later("WARNING: the lobby at this address had another key before."),
        later("Ask the host for the link with #, or for the fingerprint."),
    ),
    "pin": (
        later("This is not the lobby that the link names: its key is another."),
        later("Do not play there. Ask the host for the link again, on another way than before."),
    ),
}  # fmt: skip

# What a lobby did that an honest one never does (deal.md §3), by the code after "cheat:".
_CHEATS = {
    "ack": later("The lobby says that it has moves which you have not made."),
    "burnt-link": later("The lobby shows another deck than the one it had promised and burnt."),
    "burnt-late": later("The lobby shows the whole deck of a race that is being run."),
    "deal-again": later("The lobby deals a deck again that everybody knows already."),
    "deal-key": later("The lobby deals in the name of another one."),
    "deal-layout": later("The lobby deals under terms that no race can have."),
    "deal-order": later("The lobby's decks do not follow each other as they must: one is missing or was changed."),
    "deal-settings": later("The lobby deals a race of another kind than the table shows."),
    "deal-signature": later("The lobby has not signed the deck that it deals."),
    "deal-terms": later("The lobby has changed the limits of its races, which nobody has asked for."),
    "deal-unburnt": later("The lobby has put a deck away without showing it."),
    "ended": later("The lobby tells an end that no race can have."),
    "gap-layout": later("The lobby's word about its own absence cannot be read."),
    "gap-signature": later("The lobby has not signed its word about its own absence."),
    "gap-told": later("The lobby says that it was away at a time at which it told something."),
    "link": later("The lobby deals other tiles than the deck it had promised."),
    "link-early": later("The lobby shows the deck further ahead than the players have agreed."),
    "lobby-key": later("The lobby has another key than before the connection was lost."),
    "log": later("The lobby gives back moves as yours that cannot be made."),
    "record": later("The lobby sends a record that is not the one it announced."),
    "seats-double": later("The lobby deals one player in twice."),
    "seats-layout": later("The lobby's list of players cannot be read."),
    "seats-many": later("The lobby deals in more players than the table has seats for."),
    "seats-missing": later("The lobby leaves you out of a race that it had you down for."),
    "seats-other-ready": later("The lobby says that you are ready for something you have not agreed to."),
    "seats-ready": later("The lobby has somebody on its list of players who has not signed for this race."),
    "seats-signature": later("The lobby has not signed its list of players."),
    "seats-table": later("The lobby deals in other players than the table shows."),
    "seats-twice": later("The lobby shows two lists of players for one deck."),
    "seats-without-deal": later("The lobby names players before it has promised a deck."),
    "start-layout": later("The lobby's start of the race cannot be read."),
    "start-mix": later("The lobby mixes the deck otherwise than was agreed."),
    "start-nonces": later("The lobby mixes the deck with other numbers than the players have promised."),
    "start-signature": later("The lobby has not signed the start of the race."),
    "start-twice": later("The lobby starts one race twice."),
    "start-without-deal": later("The lobby starts a race without having promised a deck."),
    "table": later("The lobby shows a table that cannot be."),
    "tick-layout": later("The lobby's figures of the race cannot be read."),
    "tick-order": later("The lobby's figures of the race contradict each other."),
    "tick-signature": later("The lobby has not signed its figures of the race."),
}  # fmt: skip

CODES = frozenset(_CODES) | {CHEAT + what for what in _CHEATS}

_UNREACHED = frozenset({"unreachable", "not-a-lobby", "lost", "draining", "disk", "broken", "proof"})
_HARMLESS = frozenset({"", "closed", "replaced", "left"})


def advice(code: str) -> Advice:
    """Returns what to tell a person about a code; one that nobody knows yet is named."""
    if code.startswith(CHEAT):
        return _cheat(code.removeprefix(CHEAT))
    known = _CODES.get(code)
    if known is None:
        return Advice(say("The lobby says “{code}”.", code=SafeText.shown(code)))
    happened, remedy = known
    return Advice(say(happened) if happened else "", say(remedy) if remedy else "")


def _cheat(what: str) -> Advice:
    remedy = say("Do not play there, and show the others what this says ({what}).", what=SafeText.shown(what))
    known = _CHEATS.get(what)
    return Advice(say(known) if known is not None else say("The lobby has broken its word."), remedy)


def exit_code(ending: str) -> int:
    """Returns the exit code of a session that ended with this code (ux.md §1)."""
    if ending in _HARMLESS:
        return 0
    if ending == "pin" or ending.startswith(CHEAT):
        return 1
    if ending in _UNREACHED:
        return 3
    return 5 if ending == "version" else 4
