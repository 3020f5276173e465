"""Tables on this network: found by their code, chosen from a list, and shown in words (ux.md §1).

For `join`, `watch` and `bot`, which are given a code or nothing, and for `tables`. What somebody on the network says
about a table is hearsay: it is shown, and believed only as far as the lobby proves it when one comes.
"""

from __future__ import annotations

import asyncio
import sys
import unicodedata
from collections.abc import Callable, Sequence
from difflib import get_close_matches

from client.discovery import LanTable, NoNetwork, has_code, look_around
from client.lan import Lan, lan_setting, set_by
from client.link import LinkError, LinkFault, LobbyAddress, Place, parse_code, table_link
from client.tui.canvas import columns_of
from client.tui.keys import latin
from client.words import code_in_groups, number, say, say_n, settings_words
from engine.race import Kind
from protocol.announcement import Announcement
from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Phase
from protocol.text import SafeText

from . import PROGRAM
from .exits import UNREACHED, USAGE, Failure
from .figures import tile

_LIKENESS = 0.8  # of six digits one is another one, or two have changed places
_RACE = frozenset({Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING, Phase.CLOSING})


def probably_meant(error: LinkError, words: list[str], command: str) -> str:
    """Returns which table of this network was meant with a code that has a digit too few or too many, if one was."""
    alone = error.fault is LinkFault.CODE and " ".join(words).strip() == error.part
    if not alone or lan_setting() in (Lan.OFF, None):
        return ""
    digits = "".join(str(unicodedata.decimal(digit)) for digit in error.part if digit.isdecimal())
    return _meant_words(digits, looked_around(), command)


def found(place: Place, command: str) -> tuple[LobbyAddress, Place]:
    """Returns the table with this bare code and its lobby, looked for on this network; raises Failure."""
    tables = looked_around(has_code(place.code))
    same = [table for table in tables if has_code(place.code)(table)]
    if not same:
        raise Failure(UNREACHED, _told_with_version(_not_found(place.code, tables, command)))
    if len({table.told.fingerprint for table in same}) > 1:
        message = say(
            "Several tables on this network say that they are {code}. Ask the host for the link: it proves which one "
            "is meant.",
            code=code_in_groups(place.code),
        )
        raise Failure(UNREACHED, message)
    watch = place.code == same[0].told.watch_code
    return same[0].lobby, same[0].place(watch=watch)


def chosen(command: str) -> tuple[LobbyAddress, Place] | None:
    """Returns the table that the person chooses among those on this network; None for none of them.

    Where nobody can be asked, the tables are listed and the Failure says how to name one.
    """
    while True:
        tables = looked_around()
        if not tables:
            raise Failure(UNREACHED, _told_with_version(nobody_words(f"race2048 {command} LINK")))
        print("\n".join([say("Tables on this network:"), *table_lines(tables)]))
        if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
            code = code_in_groups(tables[0].told.code)
            message = say(
                "Nobody can be asked here which one. Name it: race2048 {command} --plain {code}",
                command=command,
                code=code,
            )
            raise Failure(USAGE, message)
        again, table = _asked(tables)
        if not again:
            return None if table is None else (table.lobby, table.place())


def lan_chosen() -> Lan:
    """Returns what RACE2048_LAN says; raises Failure if that does not exist."""
    setting = lan_setting()
    if setting is None:
        values = say(", ").join(Lan)
        raise Failure(USAGE, say("{setting} must be one of: {values}.", setting=set_by(), values=values))
    return setting


def looked_around(wanted: Callable[[LanTable], bool] | None = None) -> tuple[LanTable, ...]:
    """Returns the tables on this network; raises Failure if it cannot be looked for any."""
    setting = lan_chosen()
    if setting is Lan.OFF:
        message = say("Looking on this network is switched off ({setting}=off). Give the link.", setting=set_by())
        raise Failure(USAGE, message)
    if sys.stderr is not None and sys.stderr.isatty():
        print(say("Looking for tables on this network …"), file=sys.stderr)
    try:
        return asyncio.run(look_around(wanted, loopback=setting is Lan.LOOPBACK))
    except NoNetwork as error:
        message = say("This computer cannot ask its network: {reason}. Ask the host for the link.", reason=error)
        raise Failure(UNREACHED, message) from error


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────


def table_lines(tables: Sequence[LanTable]) -> list[str]:
    """Returns a numbered line for each table."""
    rows = [
        (
            f"{count:>3}",
            code_in_groups(table.told.code),
            table.told.host or "–",
            settings_words(table.told.settings) if table.told.settings is not None else "",
            state_words(table.told),
        )
        for count, table in enumerate(tables, 1)
    ]
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(text + " " * (width - columns_of(text)) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def state_words(told: Announcement) -> str:
    """Returns how full a table is and what goes on there."""
    if told.settings is None:
        return say("another version (protocol {protocol})", protocol=told.protocol)
    seats = told.settings.seats
    free = say_n("{count} of {seats} seats free", "{count} of {seats} seats free", told.free, seats=seats)
    parts = [free if told.free else say("all seats taken")]
    if told.phase in _RACE:
        parts.append(say("a race is on"))
    if told.locked:
        parts.append(say("locked"))
    return say(", ").join(parts)


def table_json(table: LanTable) -> dict[str, object]:
    """Returns a table as it stands in JSON."""
    told, settings = table.told, table.told.settings
    return {
        "code": told.code,
        "watch_code": told.watch_code,
        "link": table_link(table.lobby, told.code, told.fingerprint),
        "lobby": table.lobby.url,
        "fingerprint": told.fingerprint,
        "protocol": told.protocol,
        "host": told.host,
        "size": settings.size if settings is not None else None,
        "kind": Kind(settings.kind).name.lower() if settings is not None else None,
        "target": tile(settings.target_exponent) if settings is not None else None,
        "time_ms": settings.time_ms if settings is not None else None,
        "seats": settings.seats if settings is not None else None,
        "taken": told.taken if settings is not None else None,
        "phase": told.phase.value if told.phase is not None else None,
        "locked": told.locked if settings is not None else None,
    }


def nobody_words(command: str) -> str:
    """Returns that there are no tables here, and what to do."""
    return say("No table was found on this network. {remedy}", remedy=_remedy(command))


def _not_found(code: str, tables: Sequence[LanTable], command: str) -> str:
    shown, remedy = code_in_groups(code), _remedy(f"race2048 {command} LINK")
    meant = _meant_words(code, tables, command)
    if meant:
        return say("There is no table {code} on this network. {meant}", code=shown, meant=meant)
    if tables:
        others = say_n("{count} other", "{count} others", len(tables))
        return say(
            "There is no table {code} on this network, but {others}: race2048 tables lists them. {remedy}",
            code=shown,
            others=others,
            remedy=remedy,
        )
    return say("No table with the code {code} was found on this network. {remedy}", code=shown, remedy=remedy)


def _meant_words(code: str, tables: Sequence[LanTable], command: str) -> str:
    """Returns which table of this network was probably meant with these digits; nothing if none looks like it."""
    near = get_close_matches(code, [table.told.code for table in tables], 1, _LIKENESS)
    if not near:
        return ""
    host = next(table.told.host for table in tables if table.told.code == near[0])
    typed = code_in_groups(near[0])
    meant = say("{code}, the table of {host}", code=typed, host=host) if host else typed
    return say("Did you mean {meant}? Then type race2048 {command} {typed}.", meant=meant, command=command, typed=typed)


def _remedy(command: str) -> str:
    return say(
        "Guest Wi-Fi, a VPN or Docker can keep computers from finding each other, and a host can switch it off. "
        "Ask the host for the link, which works there too ({command}).",
        command=command,
    )


def _told_with_version(message: str) -> str:
    version = say("This is {program}, protocol {protocol}.", program=PROGRAM, protocol=PROTOCOL_VERSION)
    return f"{message} {version}"


# ── the question ─────────────────────────────────────────────────────────────────────────────────────────────────


def _asked(tables: Sequence[LanTable]) -> tuple[bool, LanTable | None]:
    """Returns whether to look again, and else the table that is chosen, if one is."""
    if len(tables) == 1:
        question = say("This one? Enter: yes, r: look again, q: leave  ")
    else:
        question = say("Which one? 1 to {count}, Enter: 1, r: look again, q: leave  ", count=number(len(tables)))
    while True:
        try:
            typed = input(question).strip()
        except EOFError:
            print()
            return False, None
        key = latin(typed[:1]).lower()
        if key in ("q", "r"):
            return key == "r", None
        table = _meant(typed, tables)
        if table is not None:
            return False, table
        print(say("“{typed}” is none of them.", typed=SafeText.shown(typed)))


def _meant(typed: str, tables: Sequence[LanTable]) -> LanTable | None:
    """Returns the table with this number or code, the first for an empty line; None if there is no such."""
    if not typed:
        return tables[0]
    if typed.isdecimal() and len(typed) <= len(str(len(tables))):
        return tables[int(typed) - 1] if 1 <= int(typed) <= len(tables) else None
    try:
        code = parse_code(typed)
    except LinkError:
        return None
    return next((table for table in tables if table.told.code == code), None)
