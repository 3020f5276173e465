"""Broken records that take more than one step to make; frozen_faults.py lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec

from engine.board import Direction
from engine.game import Game
from engine.race import Outcome, Termination, offer_number
from protocol.layout import varint
from protocol.limits import Windows
from protocol.movelog import Act
from protocol.record import Gap, Section
from protocol.signing import NO_CONTEXT
from tests.protocol.frozen_broken import (
    OTHER,
    Sections,
    altered,
    directions_of,
    event_changed,
    log_changed,
    outcome_changed,
    rebuilt,
)
from tests.protocol.races import (
    ENDLESS,
    LOBBY,
    OFFER_TICK,
    TARGET_8,
    MadeRace,
    drawn_race,
    resigned_race,
    secret,
    signed,
    stuck_race,
    target_race,
)

DRAWN = Outcome(Termination.DRAW, (0, 1), 0)


def gapped_draw() -> MadeRace:
    """A draw, before which the lobby was away."""
    race = drawn_race()
    race.gaps = [Gap(1_900, 4_000)]
    return race


def gaps_first(sections: Sections) -> None:
    """Puts the gap before the events."""
    place = next(i for i, (kind, _) in enumerate(sections) if kind == Section.EVENT)
    gap = next(section for section in sections if section[0] == Section.GAP)
    sections.remove(gap)
    sections.insert(place, gap)


def unused_bits(body: bytes) -> bytes:
    """Sets a bit behind the directions of seven moves."""
    return body[:5] + bytes([body[5] | 1]) + body[6:]


def _first_time(new: bytes) -> Callable[[bytes], bytes]:
    """Returns a change of the first time in the log of seven moves."""
    return lambda body: body[:6] + new + body[7:]


LONG_VARINT = _first_time(b"\xe4\0")
HUGE_VARINT = _first_time(varint(2**32 - 1)[:-1] + b"\x1f")


def deal_with(**changes: object) -> bytes:
    """Returns the record of a race with another Deal."""
    race = MadeRace(ENDLESS)
    race.deal = replace(race.deal, **changes)  # type: ignore[arg-type]
    race.open()
    race.resign(1, 900)
    return race.record()


def deal_by_another_key() -> bytes:
    """Returns a record whose Deal names the lobby and is signed by somebody else."""
    race = target_race()
    return race.record(deal=signed(OTHER, "deal", NO_CONTEXT, race.deal.encode()))


def long_start() -> bytes:
    """Returns a record whose Start has a byte too many."""
    race = target_race()
    body = race.start.encode() + b"\0"
    return altered(race, Section.START, lambda _: body + LOBBY.sign("start", race.mix, body))


def result_of_another_race() -> bytes:
    """Returns a record whose Result is signed in the context of another race."""
    race = target_race()
    race.mix = secret("another mix")
    return rebuilt(race, lambda _: None)


def seed_with_another_chain() -> bytes:
    """Returns a seeded record whose chain is not the one of the seed."""
    race = MadeRace(ENDLESS, seed=secret("seed"))
    race.deal = replace(race.deal, chain_id=secret("chain")[:16])
    race.open()
    race.resign(1, 900)
    return race.record()


def seed_of_another_deck() -> bytes:
    """Returns a seeded record whose last link is not the seed."""
    return target_race(seed=secret("seed")).record(last_link=secret("another"))


def too_many_seats() -> bytes:
    """Returns the record of three at a table for two."""
    race = MadeRace(ENDLESS, 3)
    race.deal = replace(race.deal, settings=msgspec.structs.replace(race.deal.settings, seats=2))
    race.open()
    race.resign(1, 900)
    race.resign(2, 900)
    return race.record()


def one_key_twice() -> bytes:
    """Returns the record of one player on two seats."""
    race = MadeRace(ENDLESS)
    race.racers[1].signer = race.racers[0].signer
    race.open()
    race.resign(1, 900)
    return race.record()


def log_missing() -> bytes:
    """Returns a record with one log for two seats."""
    race = target_race()
    return race.record(logs=[race.racers[0].seat_log()])


def log_too_many() -> bytes:
    """Returns a record with three logs for two seats."""
    race = target_race()
    return race.record(logs=[*(racer.seat_log() for racer in race.racers), race.racers[1].seat_log()])


def result_too_many() -> bytes:
    """Returns a record with three seats in its Result, of two."""
    race = target_race()
    results = race.results(race.outcome())
    return race.record(results=[*results, results[1]])


def another_mix() -> bytes:
    """Returns a record whose mix is made of nothing."""
    race = target_race()
    race.mix = secret("another mix")
    return race.record(start=replace(race.start, mix=race.mix))


def move_before_vote() -> bytes:
    """Returns a record in which a move after a vote counts before it."""
    race = drawn_race()
    outcome = race.outcome()
    results = race.results(outcome)
    race.racers[1].play(1)
    race.racers[1].corrections.clear()
    return race.record(outcome=outcome, results=results)


def too_fast() -> bytes:
    """Returns a record with eleven moves at once."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(11, step_ms=0)
    race.racers[0].sign()
    race.resign(1, 9_000)
    return race.record()


def illegal() -> bytes:
    """Returns a record whose first move moves nothing."""
    race = target_race()
    board = MadeRace(TARGET_8).racers[1].game.board
    still = next(direction for direction in Direction if board.slide(direction) is None)
    return directions_of(race, lambda directions: directions.__setitem__(0, still))


def move_when_stuck() -> bytes:
    """Returns a record with a move after nothing moved any more."""
    race = stuck_race()
    log = race.racers[1].seat_log()
    return log_changed(race, 1, directions=log.directions + b"\0", times=(*log.times, log.times[-1] + 100))


def late_target() -> bytes:
    """Returns a record in which the deciding move is believed as long as any other."""
    race = MadeRace(TARGET_8)
    racer = race.racers[0]
    while racer.game.max_exponent < 3:
        racer.move(racer.log.last_ms + 100, racer.log.last_ms + 400, 250)
    racer.sign(Act.TARGET)
    return race.record()


def move_after_resigning() -> bytes:
    """Returns a record in which seat 1 moves after it has resigned."""
    race = resigned_race()
    outcome = race.outcome()
    results = race.results(outcome)
    race.racers[1].play(1, step_ms=900)
    return race.record(outcome=outcome, results=results)


def event_after_resigning() -> bytes:
    """Returns a record in which seat 1 is absent after it has resigned."""
    race = resigned_race()
    race.absent(1, 70_000)
    return race.record()


def forfeited_without_a_move() -> bytes:
    """Returns a record in which seat 0 is lost a millisecond too soon after the start."""
    race = MadeRace(ENDLESS)
    race.forfeit(0, 59_849)
    return race.record()


def stuck_forfeits() -> bytes:
    """Returns a record in which a stuck seat forfeits."""
    race = MadeRace(ENDLESS, 3)
    race.racers[1].play()
    race.racers[1].sign(Act.STUCK)
    race.forfeit(1, 90_000)
    race.forfeit(0, 90_000)
    return race.record()


def mover_absent() -> bytes:
    """Returns a record in which a seat that can move is absent."""
    race = MadeRace(ENDLESS)
    race.absent(1, 90_000)
    race.forfeit(0, 90_000)
    return race.record()


def offer_told_too_soon() -> bytes:
    """Returns a record in which an offer is told in the last tick that its player had seen before."""
    race = MadeRace(ENDLESS)
    race.racers[1].tick_seen = OFFER_TICK
    offer = offer_number(1, 1)
    race.vote(1, 800, Act.OFFER, offer, tick=OFFER_TICK)
    race.racers[0].tick_seen = OFFER_TICK
    race.vote(0, 1_900, Act.AGREE, offer)
    race.close()
    return race.record()


def forfeited_with_a_seal() -> bytes:
    """Returns a record in which a seat signs that it forfeits."""
    race = MadeRace(ENDLESS)
    race.forfeit(0, 61_000)
    return event_changed(race, 0, seal=race.racers[0].sign(Act.RESIGN))


def resigned_by_none() -> bytes:
    """Returns a record in which a seal that says nothing stands for a resignation."""
    race = resigned_race()
    return event_changed(race, 0, seal=race.racers[1].sign(Act.NONE))


def resigned_later() -> bytes:
    """Returns a record in which a resignation stands a move later than its seal."""
    race = MadeRace(ENDLESS)
    race.racers[1].play(2)
    race.resign(1, 900)
    race.racers[1].last_ms = 0
    race.racers[1].play(1)
    return event_changed(race, 0, moves=3)


def vote_unseen() -> bytes:
    """Returns a record in which seat 0 agrees to an offer before it can have seen it."""
    race = MadeRace(ENDLESS)
    number = race.offer(1, 800)
    race.racers[0].tick_seen = OFFER_TICK - 1
    race.vote(0, 900, Act.AGREE, number)
    return race.record()


def seal_of_another_race() -> bytes:
    """Returns a record with a seal from a race of the same players."""
    race, other = target_race(), MadeRace(windows=Windows(settle_ms=151))
    other.racers[1].play(2)
    return log_changed(race, 1, seal=other.racers[1].sign())


def seal_of_another_seat() -> bytes:
    """Returns a record in which the seal of seat 0 stands for seat 1 as well."""
    race = target_race()
    return log_changed(race, 1, seal=race.racers[0].seal)


def moves_dropped() -> bytes:
    """Returns a record without the last two moves of seat 1, whose seal vouches for them."""
    race = stuck_race()
    log = race.racers[1].seat_log()
    return log_changed(race, 1, directions=log.directions[:-2], times=log.times[:-2])


def moves_swapped() -> bytes:
    """Returns a record in which two moves of seat 1 change places, and all are legal all the same."""
    race = stuck_race()
    for place in range(len(race.racers[1].log) - 1):
        directions = bytearray(race.racers[1].log.directions)
        directions[place : place + 2] = directions[place : place + 2][::-1]
        if directions != race.racers[1].log.directions and _legal(race, directions):
            return log_changed(race, 1, directions=bytes(directions))
    raise AssertionError("no two moves of this race can be swapped")


def _legal(race: MadeRace, directions: bytes | bytearray) -> bool:
    game = Game(race.deal.settings.size, race.deck)
    return all(not game.stuck and game.move(Direction(direction)) is not None for direction in directions)


def moves_retimed() -> bytes:
    """Returns a record in which one move of seat 1 is claimed a millisecond later."""
    race = stuck_race()
    times = list(race.racers[1].log.times)
    times[4] += 1
    return log_changed(race, 1, times=tuple(times))


def closing(**changes: object) -> bytes:
    """Returns a record whose closing seal of seat 1 follows on the one of its resignation."""
    race = MadeRace(ENDLESS)
    race.racers[1].tick_seen = 4
    race.racers[1].play(2)
    race.resign(1, 900)
    race.racers[1].sign(Act.END, **changes)  # type: ignore[arg-type]
    return race.record()


def long_tail() -> bytes:
    """Returns a record with a tail of moves without a seal that is a millisecond too long."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(5)
    race.racers[0].sign()
    race.racers[0].move(1_000)
    race.racers[0].move(9_101)
    race.resign(1, 20_000)
    return race.record()


def no_seal_at_all() -> bytes:
    """Returns a record with a log of nine seconds without any seal."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(10, step_ms=1_000)
    race.resign(1, 20_000)
    return race.record()


def not_over() -> bytes:
    """Returns a record in which everyone can still move and nothing has happened."""
    race = MadeRace(ENDLESS)
    race.racers[0].play(3)
    outcome = Outcome(Termination.ALONE, (0,), 300)
    return race.record(outcome=outcome)


def drawn_by(*counts: int) -> bytes:
    """Returns a record in which seat 1's offers of these counts are withdrawn, and the last is agreed to."""
    race = MadeRace(ENDLESS)
    t_ms = 1_000
    for count in counts[:-1]:
        race.vote(1, t_ms + 100, Act.WITHDRAW, race.offer(1, t_ms, count))
        t_ms += 30_000
    race.vote(0, t_ms + 100, Act.AGREE, race.offer(1, t_ms, counts[-1]))
    return race.record(outcome=replace(DRAWN, t_ms=t_ms + 100))


def void_though_won() -> bytes:
    """Returns a record that says void of a race that was won."""
    return outcome_changed(target_race(), termination=Termination.VOID, winners=())


def target_unsealed() -> bytes:
    """Returns a record whose winner has sealed all but the last move."""
    race = target_race()
    racer = race.racers[0]
    racer.seal, racer.sealed = None, 0
    return race.record()


def replayed_event() -> bytes:
    """Returns a record in which an offer of the same number stands twice."""
    race = drawn_race()
    event, happened = race.events[0]
    race.events.insert(1, (event, happened))
    outcome = Outcome(Termination.DRAW, (0, 1), 1_900)
    return race.record(outcome=outcome, results=race.results(outcome))
