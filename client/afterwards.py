"""What a session does with the record of a race that is over (deal.md 5.6): it is fetched, checked and kept.

The next race may have begun meanwhile. Whether a record agrees with what was seen is ending.py's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from client.events import Checked, CheckRecord, SaveRecord
from client.fetching import Fetching
from client.trust import Cheat
from protocol import messages
from protocol.deal import Deal

if TYPE_CHECKING:
    from client.session import Session


def announced(message: messages.RecordReady, session: Session) -> None:
    """The lobby has the record: asks for it."""
    race = session.race
    if race is None:
        return
    if session.trust is not None:
        session.trust.played(message.sha256)
    if race.check is None and message.sha256 not in session.checking:
        session.fetched, race.fetching = race, Fetching(message)
        session.send(race.fetching.ask())


def fetch_late(record: messages.RecordReady, session: Session) -> None:
    """Asks for the record of the last race, or the rest of it, though the next race is near or has begun.

    The connection was lost before the record was here whole. Which race it is of, the Deal that stands says: it names
    the record before it, and the races of a table are numbered (deal.md 3.1).
    """
    race, trust = session.fetched, session.trust
    deal = None if trust is None else trust.deal
    if race is None or race.check is not None or record.sha256 in session.checking or deal is None:
        return
    if deal.previous_record != record.sha256 or deal.race_number != Deal.decode(race.deal.body).race_number + 1:
        return
    if race.fetching is None:
        race.fetching = Fetching(record)
    if race.fetching.sha256 == record.sha256:
        session.send(race.fetching.ask())


def took(message: messages.RecordPiece, session: Session) -> None:
    """A piece is here: asks for the next, or has the whole checked.

    One of another record was asked for before this one was announced.
    """
    race = session.fetched
    if race is None or race.fetching is None or session.table is None or race.fetching.sha256 != message.sha256:
        return
    if race.check is not None or race.fetching.sha256 in session.checking:
        return
    if not race.fetching.take(message):
        raise Cheat("record")
    if not race.fetching.whole:
        session.send(race.fetching.ask())
        return
    session.checking[race.fetching.sha256] = race
    code = session.table.code or session.table.watch_code
    session.add(CheckRecord(code, race.fetching.data, race.seen(), race.told()))


def checked(event: Checked, session: Session) -> None:
    """The record was held against what was seen: keeps it, and if it does not agree, what the lobby told beside it."""
    asked, check = event.asked, event.check
    sha256 = asked.seen.record_sha256 or b""
    race = session.kept[sha256] = session.checking.pop(sha256)
    race.check = check
    if not check.ok:
        session.disputed = race
    session.add(SaveRecord(asked.code, asked.record, check.ok, () if check.ok else asked.told))
