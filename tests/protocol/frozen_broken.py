"""Broken records to freeze in tests/vectors/records/broken, each with the one thing that is wrong with it.

But for the damaged ones they are signed anew by the lobby, digest and all: a bad lobby can sign whatever it likes, and
only a verifier that derives everything again finds out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from engine.race import Kind
from protocol.deal import document_hash, mix
from protocol.limits import SIGNATURE_BYTES
from protocol.messages import TableSettings
from protocol.record import HEAD, Correction, Gap, SeatLog, Section
from protocol.signing import NO_CONTEXT, Signer
from tests.protocol.races import (
    ENDLESS,
    LOBBY,
    MadeRace,
    secret,
    signed,
    stuck_race,
    target_race,
)

OTHER = Signer(secret("somebody else"))
Sections = list[tuple[int, bytes]]


def split(data: bytes) -> Sections:
    """Returns the sections of a record."""
    sections, offset = [], len(HEAD)
    while offset < len(data):
        length = int.from_bytes(data[offset + 1 : offset + 5], "big")
        sections.append((data[offset], data[offset + 5 : offset + 5 + length]))
        offset += 5 + length
    return sections


def joined(sections: Sections, head: bytes = HEAD) -> bytes:
    """Returns sections as a file."""
    return head + b"".join(bytes([kind]) + len(body).to_bytes(4, "big") + body for kind, body in sections)


def rebuilt(race: MadeRace, change: Callable[[Sections], None]) -> bytes:
    """Returns the record with its sections changed, digested and signed anew."""
    sections = split(race.record())
    change(sections)
    digest = hashlib.sha256(joined(sections[:-1])).digest()
    body = digest + sections[-1][1][32:-SIGNATURE_BYTES]
    return joined([*sections[:-1], (Section.RESULT, body + LOBBY.sign("result", race.mix, body))])


def altered(race: MadeRace, kind: Section, body: Callable[[bytes], bytes]) -> bytes:
    """Returns the record with its first section of a kind changed, digested and signed anew."""

    def change(sections: Sections) -> None:
        place = next(i for i, (number, _) in enumerate(sections) if number == kind)
        sections[place] = (kind, body(sections[place][1]))

    return rebuilt(race, change)


def put(offset: int, byte: int) -> Callable[[bytes], bytes]:
    """Returns a change of the byte at a place."""
    return lambda body: body[:offset] + bytes([byte]) + body[offset + 1 :]


def flipped(data: bytes, offset: int) -> bytes:
    """Returns the bytes with one bit of one changed."""
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]


def logs_with(race: MadeRace, seat: int, **changes: object) -> list[SeatLog]:
    """Returns the logs of a race, that of one seat changed."""
    logs = [racer.seat_log() for racer in race.racers]
    logs[seat] = replace(logs[seat], **changes)  # type: ignore[arg-type]
    return logs


def log_changed(race: MadeRace, seat: int, **changes: object) -> bytes:
    """Returns the record with one log changed."""
    return race.record(logs=logs_with(race, seat, **changes))


def event_changed(race: MadeRace, place: int, **changes: object) -> bytes:
    """Returns the record with one event changed; the outcome stays what it was."""
    outcome = race.outcome()
    results = race.results(outcome)
    event, happened = race.events[place]
    race.events[place] = (replace(event, **changes), happened)  # type: ignore[arg-type]
    return race.record(outcome=outcome, results=results)


def outcome_changed(race: MadeRace, **changes: object) -> bytes:
    """Returns the record whose Result says another outcome."""
    outcome = race.outcome()
    return race.record(outcome=replace(outcome, **changes), results=race.results(outcome))  # type: ignore[arg-type]


def figures_changed(race: MadeRace, **changes: int) -> bytes:
    """Returns the record whose Result says other figures of seat 1."""
    first, second, *more = race.results(race.outcome())
    return race.record(results=[first, replace(second, **changes), *more])  # type: ignore[arg-type]


def restarted(**changes: object) -> bytes:
    """Returns the record of a race whose Start is another."""
    race = target_race()
    return race.record(start=replace(race.start, **changes))  # type: ignore[arg-type]


def deal_changed(offset: int, byte: int) -> bytes:
    """Returns a record whose Deal has another byte somewhere, all of it signed."""
    race = target_race()
    body = bytearray(race.deal.encode())
    body[offset] = byte
    return race.record(deal=signed(LOBBY, "deal", NO_CONTEXT, bytes(body)))


def seats_changed(change: Callable[[bytes], bytes], seats: int = 2) -> bytes:
    """Returns a record whose Seats are other bytes, with a Start made of them."""
    race = target_race(seats=seats)
    document = signed(LOBBY, "seats", race.deal_hash, change(race.seats.encode()))
    race.mix = mix(race.deal_hash, document_hash("seats", document), race.start.nonces)
    return race.record(seats=document, start=replace(race.start, mix=race.mix))


def ready_changed(change: Callable[[bytes], bytes], signer: Signer | None = None) -> bytes:
    """Returns a record in which seat 1 has said Ready in other words."""
    race = target_race()
    first, second = race.seats.readies
    other = signed(signer or race.racers[1].signer, "ready", race.deal_hash, change(second.body))
    race.seats = replace(race.seats, readies=(first, other))
    document = signed(LOBBY, "seats", race.deal_hash, race.seats.encode())
    race.mix = mix(race.deal_hash, document_hash("seats", document), race.start.nonces)
    return race.record(seats=document, start=replace(race.start, mix=race.mix))


def seal_changed(signer: Signer | None = None, **changes: object) -> bytes:
    """Returns a record in which the last seal of seat 1 says something else."""
    race = target_race()
    if signer is not None:
        race.racers[1].signer = signer
    race.racers[1].sign(**changes)  # type: ignore[arg-type]
    return race.record()


def late(claimed_ms: int, arrival_ms: int, back_ms: int, settings: TableSettings = ENDLESS) -> MadeRace:
    """A race in which move 4 of seat 0 arrived at another time than it claims."""
    race = MadeRace(settings)
    race.racers[0].play(3)
    race.racers[0].move(claimed_ms, arrival_ms, back_ms)
    race.racers[0].sign()
    if settings.kind != Kind.TIMED:
        race.resign(1, 9_000)
    return race


def with_gaps(race: MadeRace, *gaps: tuple[int, int]) -> bytes:
    """Returns the record with gaps."""
    race.gaps = [Gap(*gap) for gap in gaps]
    return race.record()


def corrections_of(*corrections: Correction) -> bytes:
    """Returns a record that corrects moves of seat 0."""
    return log_changed(stuck_race(), 0, corrections=corrections)


def directions_of(race: MadeRace, change: Callable[[bytearray], None]) -> bytes:
    """Returns the record with other directions in the log of seat 1."""
    directions = bytearray(race.racers[1].log.directions)
    change(directions)
    return log_changed(race, 1, directions=bytes(directions))
