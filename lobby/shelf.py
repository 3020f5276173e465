"""`race2048 lobby records` and `race2048 lobby export`: the races that have finished in a lobby, from its database.

Reads only, also while a lobby is at work. Who reads a record here is told what it says; `race2048 verify` judges it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from lobby import cli, files
from lobby.store import StoredRecord, StoreError, records
from protocol.deal import Ready, Seats
from protocol.layout import LayoutError
from protocol.record import Record, Result
from protocol.text import SafeText

EXIT_NONE = 1


def main(words: Sequence[str]) -> int:
    """Runs one of the two; returns the exit code."""
    options = _parser(words[0]).parse_args(words[1:])
    path = options.database or (options.data_dir or cli.default_data_dir()) / cli.DATABASE
    try:
        if words[0] == "records":
            return _list(path, as_json=options.json)
        return _export(path, options.id, options.to)
    except (StoreError, OSError) as error:
        print(f"race2048 lobby {words[0]}: {error}", file=sys.stderr)
        return cli.EXIT_FILE


def _parser(command: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=f"race2048 lobby {command}",
        description="Lists the races that have finished in a lobby, the oldest first."
        if command == "records"
        else "Writes the record of a race to a file. race2048 verify judges it, race2048 replay shows it.",
        epilog="Exit codes: 0 done, 1 no such race, 2 usage, 6 the database or the file cannot be used.",
    )
    made.add_argument("--data-dir", type=Path, metavar="DIR", help="where the lobby's database is (RACE2048_DATA)")
    made.add_argument("--database", type=Path, metavar="PATH", help=f"the database itself ({cli.DATABASE} there)")
    if command == "records":
        made.add_argument("--json", action="store_true", help="print a line of JSON for each race")
    else:
        made.add_argument("id", type=int, metavar="ID", help="the number that `race2048 lobby records` lists it under")
        made.add_argument("--to", type=Path, metavar="FILE", help="the new file (DATE-CODE-RACE.r2048, here)")
    return made


def _list(path: Path, *, as_json: bool) -> int:
    listed = records(path)
    for stored in listed:
        names, outcome = _told(stored)
        if as_json:
            print(json.dumps(_json(stored, names, outcome), ensure_ascii=False))
        else:
            moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(stored.wall_ms / 1_000))
            print(f"{stored.id:>6}  {moment}  table {stored.code} race {stored.race_number}  {outcome}")
    if not listed:
        print(f"No race has finished in {path} yet.", file=sys.stderr)
    return 0


def _json(stored: StoredRecord, names: Sequence[str], outcome: str) -> dict[str, object]:
    return {
        "id": stored.id,
        "finished_ms": stored.wall_ms,
        "code": stored.code,
        "race": stored.race_number,
        "players": list(names),
        "outcome": outcome,
        "bytes": len(stored.record),
        "whole": stored.whole,
    }


def _told(stored: StoredRecord) -> tuple[list[str], str]:
    """Returns the names of the players, and in a few words how the race ended."""
    try:
        record = Record.parse(stored.record)
        readies = [Ready.decode(signed.body) for signed in Seats.decode(record.seats.body).readies]
        result = Result.decode(record.result.body).outcome
    except LayoutError as error:
        return [], f"damaged: {error}"
    names: list[str] = [SafeText.shown(ready.name) for ready in readies]
    clause = result.termination.name.lower().replace("_", " ")
    won = " and ".join(names[seat] for seat in result.winners)
    end = "nobody won" if not won else f"{won} won" if len(result.winners) == 1 else f"a draw of {won}"
    return names, f"{', '.join(names)}: {end} ({clause})"


def _export(path: Path, record_id: int, to: Path | None) -> int:
    found = records(path, record_id)
    if not found:
        print(f"race2048 lobby export: no race {record_id}. `race2048 lobby records` lists them.", file=sys.stderr)
        return EXIT_NONE
    (stored,) = found
    if not stored.whole:
        print("race2048 lobby export: the record is damaged; it is written as it is.", file=sys.stderr)
    day = time.strftime("%Y-%m-%d", time.localtime(stored.wall_ms / 1_000))
    target = to or Path(f"{day}-{stored.code}-{stored.race_number}.r2048")
    if not files.keep(target, stored.record):
        print(f"race2048 lobby export: {target} is there already. Name another file with --to.", file=sys.stderr)
        return cli.EXIT_FILE
    print(target)
    return 0
