"""`race2048 history`: the races and the games alone that were saved on this computer, the newest first."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from client.archive import Archive, Judged, Saved, own_keys, saved_games
from client.facts import FALSE, Facts, Finisher
from client.reading import Fault, shown_path
from client.store import data_directory
from client.words import clock, code_in_groups, later, number, say, settings_words
from engine.race import Kind, Termination

from .exits import DONE
from .export import settings_json
from .figures import json_line, outcome_json, tile
from .solo_history import alone_entry, alone_lines

LISTED = 20
_TELLING_FROM = 5  # so many records to verify take a second: say that something is going on
_FAULTS = {
    FALSE: later("FALSE: {reason}"),
    Fault.DAMAGED.value: later("damaged: {reason}"),
    Fault.DAMAGED_SOLO.value: later("damaged: {reason}"),
    Fault.FOREIGN.value: later("no record of a race"),
    Fault.NEWER.value: later("written by a newer race2048"),
    Fault.UNREADABLE.value: later("cannot be read: {reason}"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `history` takes."""
    parser.add_argument(
        "-n", type=_count, default=LISTED, metavar="N", dest="count", help=say("how many, 0 for all (%(default)s)")
    )
    parser.add_argument("--json", action="store_true", help=say("print a line of JSON for each"))


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(say("{text} is no number of races", text=ascii(text)))
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Lists races and games; returns 0, also if some are damaged or false: they are listed as such."""
    data = data_directory()
    saved = saved_games(data)
    listed = saved[: options.count or len(saved)]
    mine = own_keys(data)
    races = judged_records(listed)
    for place, judged in enumerate(races, 1):
        if options.json:
            print(json_line(entry_json(place, judged, mine)))
        else:
            print("\n".join(_lines(place, judged, mine)))
    if not saved:
        print(say("No race and no game was saved in {path} yet.", path=shown_path(data)), file=sys.stderr)
    elif len(listed) < len(saved):
        more = say("{count} more: race2048 history -n 0", count=number(len(saved) - len(listed)))
        print(more, file=sys.stderr)
    elif not options.json:
        print(say("race2048 show 1, or the beginning of a name, shows one of them."), file=sys.stderr)
    return DONE


def judged_records(saved: list[Saved]) -> list[Judged]:
    """Returns what came of each of these records; those not seen before are verified now, which takes a while."""
    archive = Archive(data_directory())
    unknown = archive.unknown(saved)
    if unknown >= _TELLING_FROM and sys.stderr.isatty():
        print(say("Verifying {count} records …", count=number(unknown)), file=sys.stderr)
    return archive.all_judged(saved)


def fault_words(judged: Judged) -> str:
    """Returns what is wrong with a record; nothing if it is true."""
    facts = judged.facts
    if facts is None:
        return say(_FAULTS[Fault.UNREADABLE.value], reason=judged.reason)
    return say(_FAULTS[facts.fault], reason=facts.reason) if facts.fault else ""


def entry_json(place: int, judged: Judged, mine: frozenset[bytes]) -> dict[str, object]:
    """Returns a race or a game alone as JSON; what is not known of it is null."""
    saved, facts = judged.saved, judged.facts
    fault = Fault.UNREADABLE.value if facts is None else facts.fault
    known = None if fault else facts
    race = known if known is not None and known.alone is None else None
    entry: dict[str, object] = {
        "number": place,
        "id": shown_path(Path(saved.id)),
        "file": shown_path(saved.path),
        "date": saved.date,
        "code": saved.code,
        "verified": known is not None,
        "fault": fault or None,
        "reason": judged.reason if facts is None else facts.reason,
        "settings": settings_json(race.settings) if race and race.settings else None,
        "outcome": outcome_json(race.outcome) if race else None,
        "seeded": race.seeded if race else None,
        "your_place": your_place(race, mine) if race else None,
        "players": [_player_json(each, mine) for each in race.finishers] if race else [],
    }
    return entry if known is None or known.alone is None else entry | alone_entry(saved, known.alone, mine)


def _player_json(player: Finisher, mine: frozenset[bytes]) -> dict[str, object]:
    return {
        "place": player.place,
        "seat": player.seat,
        "name": player.name,
        "key": player.key.hex(),
        "you": player.key in mine,
        "computer": player.computer,
        "won": player.won,
        "score": player.score,
        "max_tile": tile(player.max_exponent),
        "moves": player.moves,
        "state": player.state.name.lower(),
    }


def your_place(facts: Facts, mine: frozenset[bytes]) -> int | None:
    """Returns your place, the best of them if several seats were yours; None if you did not sit there."""
    return min((each.place for each in facts.finishers if each.key in mine), default=None)


def _lines(place: int, judged: Judged, mine: frozenset[bytes]) -> list[str]:
    """Returns a race or a game in two lines: when, what and how it was for you; then everyone with place and score."""
    saved, facts = judged.saved, judged.facts
    shown = code_in_groups(saved.code) if saved.code else shown_path(Path(saved.id))
    head = f"{place:>3}  {saved.date}  {shown}"
    fault = fault_words(judged)
    if facts is not None and facts.alone is not None:
        return alone_lines(f"{place:>3}  {saved.date}", saved, facts.alone, mine)
    if fault or facts is None or facts.settings is None:
        return [f"{head}  {fault}"]
    played = settings_words(facts.settings)
    if facts.settings.kind != Kind.TIMED:
        played = say("{settings}, {time}", settings=played, time=clock(facts.t_ms))
    parts = [f"{head}  {played}", _your_words(facts, mine), say("verified")]
    return ["  ".join(part for part in parts if part), f"     {_players_words(facts, mine)}"]


def _your_words(facts: Facts, mine: frozenset[bytes]) -> str:
    """Returns how it was for you, or why it does not count."""
    if facts.seeded:
        return say("a demo or a test")
    me = next((each for each in facts.finishers if each.key in mine), None)
    if me is None:
        return say("you watched")
    if facts.termination is Termination.VOID:
        return say("void")
    if me.won:
        return say("you won") if len(facts.outcome.winners) == 1 else say("a draw")
    return say("place {place} of {players}", place=me.place, players=len(facts.finishers))


def _players_words(facts: Facts, mine: frozenset[bytes]) -> str:
    players = [
        say(
            "{place}. {name} {score}",
            place=each.place,
            name=say("you") if each.key in mine else each.name,
            score=number(each.score),
        )
        for each in facts.finishers
    ]
    return "  ".join(players)
