"""`race2048 verify`: plays records again and says whether they are true, and what about them is only somebody's word.

Decides nothing: protocol/verdict.py does. It starts in no time (performance.md), so it imports little.
"""

from __future__ import annotations

import argparse
import sys

from client.data_home import data_path, read_file
from client.language import in_fours, later, number, printable, say, say_n
from client.lobbies import Acquaintance, LobbiesError, day, read_lobbies
from client.outcomes import clause, ended_words
from client.succession import unusual
from engine.race import Kind
from protocol.deal import Deal
from protocol.limits import RECORD_BYTES_MAX
from protocol.record import MAGIC, Record
from protocol.signing import fingerprint
from protocol.verdict import Judgement, SeatVerdict, Trust, Verdict, judge_record

from .exits import DAMAGED, DONE, NO
from .figures import json_line, outcome_json, seat_json, tile

# What rests on the word of whoever ran the lobby, although the record is true (deal.md 5.5).
TRUSTS = {
    Trust.TIMES: later("when moves arrived, and so which of two came first"),
    Trust.LOGS: later("that no player's log was replaced with that player's help"),
    Trust.CORRECTIONS: later("at which time some moves count that came late"),
    Trust.ABSENCES: later("who was away, and for how long"),
    Trust.VOTES: later("in which order draws were offered and refused"),
    Trust.UNSEALED: later("the last moves of a player who has not signed them"),
    Trust.GAPS: later("how long the lobby itself was away"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `verify` takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=say("a record: a file that ends in .r2048"))
    parser.add_argument("--luck", action="store_true", help=say("say how lucky everyone's tiles were; takes longer"))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=say("print a line of JSON for each file"))
    form.add_argument("-q", "--quiet", action="store_true", help=say("print nothing, only end with the exit code"))


def run(options: argparse.Namespace) -> int:
    """Returns 0 if all are true, 1 if one is false, else 6: one is damaged or no record."""
    codes = {_verify(path, options) for path in options.files}
    return NO if NO in codes else max(codes)


def _verify(path: str, options: argparse.Namespace) -> int:
    data = b""
    try:
        data = read_file(path, RECORD_BYTES_MAX + 1)
    except OSError as error:
        judgement = Judgement(Verdict(ok=False, damaged=True, reason=error.strerror or str(error)))
    else:
        if _is_of_a_game_alone(data):
            from .solo_verify import verify_alone

            return verify_alone(path, options)
        judgement = judge_record(data)
    verdict = judgement.verdict
    if options.json:
        told = _as_json(judgement, path if len(options.files) > 1 else None)
        if options.luck:
            from .luck import with_luck

            told = with_luck(told, verdict, data)
        print(json_line(told))
    elif not options.quiet:
        print(_in_words(judgement, path), file=sys.stdout if verdict.ok else sys.stderr)
        if options.luck and verdict.ok:
            from .luck import luck_lines

            print(luck_lines(verdict, data))
    return DONE if verdict.ok else DAMAGED if verdict.damaged else NO


def _is_of_a_game_alone(data: bytes) -> bool:
    if data.startswith(MAGIC):  # a race, whose verifying need not wait for what games alone are made of
        return False
    from protocol.solo import MAGIC as SOLO_MAGIC

    return data.startswith(SOLO_MAGIC)


def _deal_of(record: Record | None) -> Deal:
    assert record is not None, "a true verdict is one on a record"
    return Deal.decode(record.deal.body)


# ── as JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _as_json(judgement: Judgement, path: str | None) -> dict[str, object]:
    """Returns the verdict as it is printed; with the file's name where there are several."""
    told: dict[str, object] = {} if path is None else {"file": path}
    verdict = judgement.verdict
    outcome = verdict.outcome
    told |= {
        "ok": verdict.ok,
        "fault": None if verdict.fault is None else str(verdict.fault),
        "reason": verdict.reason,
        "outcome": None if outcome is None else {**outcome_json(outcome), "clause": clause(outcome, verdict.seats)},
        "seats": [{**seat_json(seat), "computer": seat.computer, "unsealed": seat.unsealed} for seat in verdict.seats],
        "seeded": verdict.seeded,
        "trusts": [str(trust) for trust in verdict.trusts],
        "lobby": _lobby_json(verdict.lobby_key) if verdict.ok else None,
        "race": _race_json(_deal_of(judgement.record)) if verdict.ok else None,
    }
    return told


def _race_json(deal: Deal) -> dict[str, object]:
    settings = deal.settings
    return {
        "number": deal.race_number,
        "burnt": deal.burnt,
        "size": settings.size,
        "kind": Kind(settings.kind).name.lower(),
        "target": tile(settings.target_exponent),
        "time_ms": settings.time_ms,
        "lead": settings.lead,
        "unusual": unusual(deal),
    }


def _lobby_json(key: bytes) -> dict[str, object]:
    known, trouble = _acquaintance(key)
    seen = None if known is None else {
        "first_s": known.first_s, "last_s": known.last_s, "addresses": list(known.addresses), "own": known.own,
    }  # fmt: skip
    lobby: dict[str, object] = {"key": key.hex(), "fingerprint": fingerprint(key), "seen": seen}
    return lobby | ({"trouble": trouble} if trouble else {})


# ── in words ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _in_words(judgement: Judgement, file: str) -> str:
    verdict = judgement.verdict
    path = printable(file) or '""'
    if verdict.damaged:
        return say("{path}: unreadable or damaged: {reason}", path=path, reason=verdict.reason)
    if not verdict.ok or verdict.outcome is None:
        return say("{path}: FALSE: {reason}", path=path, reason=verdict.reason)
    deal = _deal_of(judgement.record)
    ended = ended_words(verdict.outcome, verdict.seats, 1 << deal.settings.target_exponent)
    head = say("{path}: true, BUT SEEDED.", path=path) if verdict.seeded else say("{path}: true.", path=path)
    lines = [head, say("{outcome} (rules {clause}).", outcome=ended, clause=clause(verdict.outcome, verdict.seats))]
    lines += [f"  {_seat_words(seat)}" for seat in verdict.seats]
    if verdict.seeded:
        lines.append(say("The deck was dealt from a seed, and could be known before the race: a demo or a test."))
    lines += [*_deal_words(deal), _lobby_words(verdict.lobby_key)]
    rests = say("; ").join(say(TRUSTS[trust]) for trust in verdict.trusts if trust in TRUSTS)
    return "\n".join([*lines, say("On the lobby's word alone: {rests}.", rests=rests)])


def _deal_words(deal: Deal) -> list[str]:
    """Returns what a Deal says that is not usual: other limits, and decks that came to nothing before it."""
    lines = [say("Its time limits or its deck are not the usual ones.")] if unusual(deal) else []
    if deal.burnt:
        lines.append(
            say_n(
                "{count} deck was put away before it was dealt.",
                "{count} decks were put away before it was dealt.",
                deal.burnt,
            )
        )
    return lines


def _seat_words(seat: SeatVerdict) -> str:
    """Returns what is known of a seat: its moves were made again, and come to this score and this board."""
    name = say("{name} (computer)", name=seat.name) if seat.computer else str(seat.name)
    line = say_n(
        "{name}: {count} move replayed, score and boards agree: {score} ({tile})",
        "{name}: {count} moves replayed, score and boards agree: {score} ({tile})",
        seat.moves,
        name=name,
        score=number(seat.score),
        tile=tile(seat.max_exponent),
    )
    if not seat.unsealed:
        return line
    return say_n("{line}; {count} not signed", "{line}; {count} not signed", seat.unsealed, line=line)


def _lobby_words(key: bytes) -> str:
    """Returns which lobby it was, and whether this person has met it."""
    known, trouble = _acquaintance(key)
    lobby = in_fours(fingerprint(key))
    if trouble:
        return say("Lobby {lobby}. {trouble}", lobby=lobby, trouble=printable(trouble))
    if known is None:
        return say("Lobby {lobby}: never met from here. Ask who ran it whether that is its key.", lobby=lobby)
    if known.own:
        return say("Lobby {lobby}: your own.", lobby=lobby)
    return say(
        "Lobby {lobby}: met since {first}, last on {last}, at {addresses}.",
        lobby=lobby,
        first=day(known.first_s),
        last=day(known.last_s),
        addresses=printable(say(", ").join(known.addresses)),
    )


def _acquaintance(key: bytes) -> tuple[Acquaintance | None, str]:
    """Returns what is remembered of a lobby, and why that cannot be said, if so."""
    try:
        return read_lobbies(data_path()).get(key), ""
    except LobbiesError as error:
        return None, str(error)
