"""`race2048 verify`: plays a record again and says whether it is true."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from client.words import number, outcome_words, say
from protocol.deal import Deal
from protocol.limits import RECORD_BYTES_MAX
from protocol.record import Record
from protocol.verdict import Trust, Verdict, verify_record

from .exits import DAMAGED, DONE, NO
from .standings import outcome_json, pictures, seat_json, tile

# What rests on the word of whoever ran the lobby, although the record is true (deal.md 5.5).
TRUSTS = {
    Trust.TIMES: "when moves arrived, and so which of two came first",
    Trust.LOGS: "that no player's log was replaced with that player's help",
    Trust.CORRECTIONS: "at which time some moves count that came late",
    Trust.ABSENCES: "who was away, and for how long",
    Trust.VOTES: "in which order draws were offered and refused",
    Trust.UNSEALED: "the last moves of a player who has not signed them",
    Trust.GAPS: "how long the lobby itself was away",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `verify` takes."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=say("a record: a file that ends in .r2048"))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=say("print a line of JSON for each file"))
    form.add_argument("-q", "--quiet", action="store_true", help=say("print nothing, only end with the exit code"))


def run(options: argparse.Namespace) -> int:
    """Returns 0 if all are true, 6 if one is damaged or no record, else 1."""
    codes = [_verify(path, options) for path in options.files]
    return max(codes)


def _verify(path: Path, options: argparse.Namespace) -> int:
    data = b""
    try:
        with path.open("rb") as file:
            data = file.read(RECORD_BYTES_MAX + 1)
    except OSError as error:
        verdict = Verdict(ok=False, damaged=True, reason=error.strerror or str(error))
    else:
        verdict = verify_record(data)
    if options.json:
        print(json.dumps(_as_json(verdict, path if len(options.files) > 1 else None), ensure_ascii=False))
    elif not options.quiet:
        print(_in_words(verdict, path, data), file=sys.stdout if verdict.ok else sys.stderr)
    return DONE if verdict.ok else DAMAGED if verdict.damaged else NO


def _as_json(verdict: Verdict, path: Path | None) -> dict[str, object]:
    """Returns the verdict as it is printed; with the file's name where there are several."""
    named: dict[str, object] = {} if path is None else {"file": str(path)}
    return named | {
        "ok": verdict.ok,
        "reason": verdict.reason,
        "outcome": outcome_json(verdict.outcome),
        "seats": [seat_json(seat) for seat in verdict.seats],
    }


def _shown(path: Path) -> str:
    """Returns a file's name with what a terminal would obey written as escapes."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in str(path))


def _in_words(verdict: Verdict, file: Path, data: bytes) -> str:
    path = _shown(file)
    if verdict.damaged:
        return say("{path}: unreadable or damaged: {reason}", path=path, reason=verdict.reason)
    if not verdict.ok or verdict.outcome is None:
        return say("{path}: FALSE: {reason}", path=path, reason=verdict.reason)
    settings = Deal.decode(Record.parse(data).deal.body).settings
    seats = pictures(verdict.seats, verdict.outcome)
    logs = say("{path}: true. {count} logs replayed.", path=path, count=number(len(seats)))
    lines = [logs, say("{outcome}.", outcome=outcome_words(verdict.outcome, seats, settings))]
    lines += [
        say(
            "  {name} {score} ({tile}), {moves} moves",
            name=seat.name,
            score=number(seat.score),
            tile=tile(seat.max_exponent),
            moves=number(seat.moves),
        )
        for seat in seats
    ]
    if verdict.seeded:
        lines.append(say("The deck was dealt from a seed, and could be known before the race: a demo or a test."))
    rests = say("; ").join(say(TRUSTS[trust]) for trust in verdict.trusts if trust in TRUSTS)
    return "\n".join([*lines, say("On the lobby's word alone: {rests}.", rests=rests)])
