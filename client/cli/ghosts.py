"""The recordings that `play --ghost` names: FILE, FILE:SEAT, FILE#NAME or best, all of one deck."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from client.archive import own_keys
from client.best_store import last_choice
from client.data_home import data_path
from client.ghost import GHOSTS_MAX, Course, Ghost, race_course, race_ghost, solo_course, solo_ghost, usual_seat
from client.reading import RecordFault, is_solo_file, read_record, read_solo, shown_path
from client.solo import choice_of
from client.solo_store import SoloStore
from client.solo_timeline import SoloTimeline
from client.solo_words import about_words
from client.timeline import Timeline, open_timeline
from client.words import say
from protocol.layout import LayoutError

from .exits import DAMAGED, NO, USAGE, Failure

BEST = "best"


def read_ghosts(named: Sequence[str]) -> tuple[Course, tuple[Ghost, ...]]:
    """Returns the deck and the players that were named; raises Failure."""
    if len(named) > GHOSTS_MAX:
        raise Failure(USAGE, say("At most {count} ghosts at a time. Leave one out.", count=GHOSTS_MAX))
    found = [_read(each) for each in named]
    course = found[0][0]
    for (other, _), name in zip(found[1:], named[1:], strict=True):
        if other != course:
            message = say("{file} is of another deck than {first}. Ghosts race on one deck.", file=name, first=named[0])
            raise Failure(USAGE, message)
    return course, tuple(ghost for _, ghost in found)


def _read(named: str) -> tuple[Course, Ghost]:
    path, seat = (_best(), "") if named == BEST and not Path(named).exists() else _place(named)
    try:
        if is_solo_file(path):
            return _solo(path, seat)
        reading = read_record(path)
    except RecordFault as fault:
        raise Failure(DAMAGED, str(fault)) from fault
    _need_true(path, reading.verdict.ok, reading.verdict.reason)
    try:
        timeline = open_timeline(reading.record)
    except LayoutError as error:  # a true record can always be opened
        raise Failure(NO, str(error)) from error
    return race_course(reading.record, timeline), race_ghost(timeline, _seat(path, seat, timeline))


def _best() -> Path:
    """Returns the record of the best game of one's own of what was played last: the soonest target, else points."""
    store = SoloStore(Path(data_path()))
    choice, keys = last_choice(store), own_keys(store.data)
    found: list[tuple[bool, int, int, Path]] = []
    for name in store.archived():
        path = store.games / name
        with suppress(RecordFault):
            verdict = read_solo(path).verdict
            if not verdict.ok or verdict.record is None or verdict.solo is None:
                continue
            opening, solo = verdict.record.opening, verdict.solo
            if choice_of(opening) == choice and opening.key in keys:
                made_ms = 0 if solo.made is None else solo.made.t_ms
                found.append((solo.made is not None, -made_ms, solo.game.score, path))
    if not found:
        message = say("There is no finished game of yours yet: {game}. Play one first.", game=about_words(choice))
        raise Failure(NO, message)
    return max(found)[-1]


def _solo(path: Path, seat: str) -> tuple[Course, Ghost]:
    reading = read_solo(path)
    _need_true(path, reading.verdict.ok, reading.verdict.reason)
    if seat not in ("", "1"):
        raise Failure(
            USAGE, say("{file} is of a game alone: it has no player {seat}.", file=shown_path(path), seat=seat)
        )
    return solo_course(reading.record), solo_ghost(SoloTimeline(reading.record))


def _place(named: str) -> tuple[Path, str]:
    """Returns the file, and what follows the last : or # if the whole is no file."""
    whole = Path(named)
    if whole.exists():
        return whole, ""
    for mark in ("#", ":"):
        before, found, after = named.rpartition(mark)
        if found and Path(before).exists():
            return Path(before), after
    return whole, ""


def _seat(path: Path, named: str, timeline: Timeline) -> int:
    """Returns the seat of this number, counted from 1, or of the player of this name; the winner's if none is named."""
    players = timeline.players
    if not named:
        return usual_seat(timeline)
    if named.isdecimal() and 1 <= int(named) <= len(players):
        return int(named) - 1
    found = [player.seat for player in players if player.name.casefold() == named.casefold()]
    if len(found) != 1:
        names = say(", ").join(f"{player.seat + 1} {player.name}" for player in players)
        raise Failure(USAGE, say("{file}: there is no one player {name}. Say which of {names}.",
                                 file=shown_path(path), name=ascii(named), names=names))  # fmt: skip
    return found[0]


def _need_true(path: Path, ok: bool, reason: str) -> None:
    if not ok:
        message = say("{file} is FALSE: {reason}. Nobody races against it.", file=shown_path(path), reason=reason)
        raise Failure(NO, message)
