"""A record from a file: read, verified, and if it is none, why not, in words.

Every command that takes a record reads it here, so that all say the same of a file that is damaged, foreign or newer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from client.language import later
from client.words import say
from protocol.deal import FORMAT_VERSION
from protocol.limits import RECORD_BYTES_MAX, RULES_VERSION
from protocol.record import MAGIC, Record, RecordError
from protocol.solo import MAGIC as SOLO_MAGIC
from protocol.solo import SOLO_BYTES_MAX, SoloRecord, is_solo, parse_solo
from protocol.solo_verdict import SoloFault, SoloVerdict, verify_solo
from protocol.verdict import Verdict, verify_record


class Fault(Enum):
    """Why a file cannot be looked at as a record."""

    UNREADABLE = "unreadable"
    FOREIGN = "foreign"
    NEWER = "newer"
    DAMAGED = "damaged"
    DAMAGED_SOLO = "damaged-solo"  # there is no other copy of it


_WORDS = {
    Fault.UNREADABLE: later("{path} cannot be read: {reason}. race2048 history lists the records that there are."),
    Fault.FOREIGN: later("{path} is no record of a race. race2048 history lists those of yours."),
    Fault.NEWER: later("{path} was written by a newer race2048 than this one. Update race2048 to read it."),
    Fault.DAMAGED: later("{path} is damaged: {reason}. The others who were in the race have the same record."),
    Fault.DAMAGED_SOLO: later("{path} is damaged: {reason}. Nothing in it can be relied on."),
}


class RecordFault(Exception):  # noqa: N818 - what is the matter with the file
    """A file that is no whole record; its message is for a person."""

    def __init__(self, fault: Fault, path: Path, reason: str = "") -> None:
        super().__init__(say(_WORDS[fault], path=shown_path(path), reason=reason))
        self.fault = fault
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole record and what came of checking it: it may still be false."""

    path: Path
    data: bytes
    record: Record
    verdict: Verdict


def read_bytes(path: Path, bytes_max: int = RECORD_BYTES_MAX) -> bytes:
    """Returns what is in a file, as far as a record can be long; raises RecordFault."""
    try:
        with path.open("rb") as file:
            return file.read(bytes_max + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        raise RecordFault(Fault.UNREADABLE, path, getattr(error, "strerror", None) or str(error)) from error


def open_record(path: Path, data: bytes) -> Record:
    """Returns the record in a file's bytes, not yet believed; raises RecordFault if it is none or not whole."""
    if not MAGIC.startswith(data[: len(MAGIC)]):  # of a file that is cut off so early the beginning is right
        raise RecordFault(Fault.FOREIGN, path)
    if data[len(MAGIC) : len(MAGIC) + 1] > bytes([FORMAT_VERSION]):
        raise RecordFault(Fault.NEWER, path)
    try:
        record = Record.parse(data)
    except RecordError as error:
        raise RecordFault(Fault.DAMAGED, path, str(error)) from error
    if record.deal.body[:1] == bytes([FORMAT_VERSION]) and record.deal.body[1:2] > bytes([RULES_VERSION]):
        raise RecordFault(Fault.NEWER, path)
    return record


def read_record(path: Path) -> Reading:
    """Returns a verified record; raises RecordFault if the file is none. Looks whether `Reading.verdict` is ok!"""
    data = read_bytes(path)
    return Reading(path, data, open_record(path, data), verify_record(data))


def is_solo_file(path: Path) -> bool:
    """Returns whether a file wants to be the record of a game alone; one that cannot be read does not."""
    try:
        with path.open("rb") as file:
            return is_solo(file.read(len(SOLO_MAGIC)))
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class SoloReading:
    """A whole record of a game alone and what came of checking it: it may still be false."""

    path: Path
    data: bytes
    record: SoloRecord
    verdict: SoloVerdict


def read_solo(path: Path) -> SoloReading:
    """Returns a verified record of a game alone; raises RecordFault if the file is none."""
    data = read_bytes(path, SOLO_BYTES_MAX)
    verdict = verify_solo(data)
    fault = solo_fault(path, verdict)
    if fault is not None:
        raise fault
    return SoloReading(path, data, parse_solo(data), verdict)


def solo_fault(path: Path, verdict: SoloVerdict) -> RecordFault | None:
    """Returns why a file is no whole record of a game alone, None if it is one."""
    if verdict.fault is SoloFault.NOT_A_RECORD:
        return RecordFault(Fault.FOREIGN, path)
    if verdict.fault is SoloFault.VERSION:
        return RecordFault(Fault.NEWER, path)
    return RecordFault(Fault.DAMAGED_SOLO, path, verdict.reason) if verdict.damaged else None


def shown_path(path: Path) -> str:
    """Returns a file's name with what a terminal would obey written as escapes."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in str(path))
