"""How a race ends, clause by clause of rules §4."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pytest

from engine.race import (
    Absent,
    Kind,
    Left,
    Moved,
    Outcome,
    Race,
    RaceEvent,
    RaceTerms,
    SeatState,
    Termination,
    Vote,
    Voted,
    VoteFault,
    fold,
    offer_number,
    standing,
)

TARGET = 7
BELL_MS = 60_000


def terms(seats: int, kind: Kind = Kind.ENDLESS) -> RaceTerms:
    return RaceTerms(
        seats=seats,
        kind=kind,
        target_exponent=TARGET if kind is Kind.TARGET else 0,
        bell_ms=BELL_MS if kind is Kind.TIMED else 0,
    )


@dataclass
class Script:
    """Events of one race written shortly: `move(seat, t, score)`; moves are counted by themselves."""

    seats: int
    kind: Kind = Kind.ENDLESS
    events: list[RaceEvent] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)

    def move(
        self, seat: int, t_ms: int, score: int, *, exponent: int = 5, stuck: bool = False, tick: int = 0
    ) -> "Script":
        self.counts[seat] = self.counts.get(seat, 0) + 1
        self.events.append(Moved(t_ms, seat, score, self.counts[seat], exponent, stuck, tick))
        return self

    def stuck(self, seat: int, t_ms: int, score: int) -> "Script":
        return self.move(seat, t_ms, score, stuck=True)

    def target(self, seat: int, t_ms: int, score: int = 100, *, stuck: bool = False) -> "Script":
        return self.move(seat, t_ms, score, exponent=TARGET, stuck=stuck)

    def resign(self, seat: int, t_ms: int) -> "Script":
        self.events.append(Left(t_ms, seat, SeatState.RESIGNED))
        return self

    def forfeit(self, seat: int, t_ms: int) -> "Script":
        self.events.append(Left(t_ms, seat, SeatState.FORFEITED))
        return self

    def vote(self, seat: int, t_ms: int, vote: Vote, offer: int, tick: int = 1) -> "Script":
        self.events.append(Voted(t_ms, seat, vote, offer, tick))
        return self

    def offer(self, seat: int, t_ms: int, count: int = 1, tick: int = 1) -> "Script":
        return self.vote(seat, t_ms, Vote.OFFER, offer_number(seat, count), tick)

    def agree(self, seat: int, t_ms: int, offer: int) -> "Script":
        return self.vote(seat, t_ms, Vote.AGREE, offer)

    def absent(self, seat: int, t_ms: int, *, absent: bool = True) -> "Script":
        self.events.append(Absent(t_ms, seat, absent))
        return self

    def streams(self) -> list[list[RaceEvent]]:
        return [[event for event in self.events if event.seat == seat] for seat in range(self.seats)]

    def outcome(self) -> Outcome | None:
        return fold(terms(self.seats, self.kind), self.streams())[0]


def won(termination: Termination, seat: int, t_ms: int) -> Outcome:
    return Outcome(termination, (seat,), t_ms)


def drawn(termination: Termination, seats: Sequence[int], t_ms: int) -> Outcome:
    return Outcome(termination, tuple(seats), t_ms)


@pytest.mark.parametrize("seats", [2, 3, 4])
class TestClauses:
    """Every clause of §4 that ends a race, for 2, 3 and 4 seats. Seat 0 is the one the clause is about."""

    def others(self, seats: int) -> range:
        return range(1, seats)

    def test_4_1_the_only_seat_left_has_won(self, seats: int) -> None:
        script = Script(seats)
        for seat in self.others(seats):
            script.resign(seat, 100 * seat)
        assert script.outcome() == won(Termination.ALONE, 0, 100 * (seats - 1))

    def test_4_1_the_only_seat_left_has_won_even_when_it_is_stuck(self, seats: int) -> None:
        script = Script(seats).stuck(0, 50, 4)
        for seat in self.others(seats):
            script.move(seat, 60, 4).forfeit(seat, 60_000)
        assert script.outcome() == won(Termination.ALONE, 0, 60_000)

    def test_4_1_windows_that_end_in_the_same_instant_leave_nobody_and_the_race_is_void(self, seats: int) -> None:
        script = Script(seats)
        for seat in range(seats):
            script.forfeit(seat, 60_000)
        assert script.outcome() == Outcome(Termination.VOID, (), 60_000)

    def test_4_2_who_makes_the_target_has_won(self, seats: int) -> None:
        script = Script(seats, Kind.TARGET).target(0, 900)
        for seat in self.others(seats):
            script.move(seat, 800, 5_000)
        assert script.outcome() == won(Termination.TARGET, 0, 900)

    def test_4_2_the_target_made_by_the_last_possible_move_has_won(self, seats: int) -> None:
        script = Script(seats, Kind.TARGET).target(0, 900, stuck=True)
        for seat in self.others(seats):
            script.stuck(seat, 800, 5_000)
        assert script.outcome() == won(Termination.TARGET, 0, 900)

    def test_4_2_the_target_comes_before_resigning_in_the_same_millisecond(self, seats: int) -> None:
        assert Script(seats, Kind.TARGET).target(0, 900).resign(0, 900).outcome() == won(Termination.TARGET, 0, 900)

    def test_4_2_no_tile_ends_a_race_without_a_target(self, seats: int) -> None:
        assert Script(seats, Kind.ENDLESS).target(0, 900).outcome() is None

    def test_5_3_two_targets_in_one_millisecond_are_decided_by_fewer_moves(self, seats: int) -> None:
        script = Script(seats, Kind.TARGET).move(1, 10, 4).target(1, 900).target(0, 900)
        assert script.outcome() == won(Termination.TARGET, 0, 900)

    def test_5_3_two_targets_in_one_millisecond_with_equal_moves_are_a_dead_heat(self, seats: int) -> None:
        assert Script(seats, Kind.TARGET).target(1, 900).target(0, 900).outcome() == drawn(
            Termination.TARGET, (0, 1), 900
        )

    def test_4_3_the_last_who_can_move_and_leads_has_won(self, seats: int) -> None:
        script = Script(seats).move(0, 10, 200)
        for seat in self.others(seats):
            script.stuck(seat, 100 * seat, 100)
        assert script.outcome() == won(Termination.LAST_MOVER, 0, 100 * (seats - 1))

    def test_4_3_the_last_mover_wins_when_the_score_passes_every_stuck_score(self, seats: int) -> None:
        script = Script(seats).move(0, 10, 96)
        for seat in self.others(seats):
            script.stuck(seat, 100, 100)
        script.move(0, 500, 100).move(0, 600, 104)
        assert script.outcome() == won(Termination.LAST_MOVER, 0, 600)

    def test_4_3_an_equal_score_is_not_greater(self, seats: int) -> None:
        script = Script(seats).move(0, 10, 100)
        for seat in self.others(seats):
            script.stuck(seat, 100, 100)
        assert script.outcome() is None

    def test_4_3_scores_of_those_who_left_do_not_count(self, seats: int) -> None:
        if seats == 2:
            assert Script(2).move(1, 5, 900).resign(1, 50).outcome() == won(Termination.ALONE, 0, 50)
            return
        script = Script(seats).move(0, 10, 200).move(1, 11, 900).resign(1, 50)
        for seat in range(2, seats):
            script.stuck(seat, 100, 100)
        assert script.outcome() == won(Termination.LAST_MOVER, 0, 100)

    def test_4_4_when_all_are_stuck_the_highest_score_has_won(self, seats: int) -> None:
        script = Script(seats).stuck(0, 100, 100)
        for seat in self.others(seats):
            script.move(seat, 150, 0)
        for seat in self.others(seats):
            script.stuck(seat, 200, 300 if seat == 1 else 40)
        assert script.outcome() == won(Termination.ALL_STUCK, 1, 200)

    def test_4_4_equal_scores_at_the_top_are_a_draw_among_exactly_those(self, seats: int) -> None:
        script = Script(seats)
        for seat in range(seats):
            script.move(seat, 10, 0)
        for seat in range(seats):
            script.stuck(seat, 500, 300 if seat < 2 else 40)
        assert script.outcome() == drawn(Termination.ALL_STUCK, (0, 1), 500)

    def test_4_5_at_the_bell_the_highest_score_of_those_in_the_race_has_won(self, seats: int) -> None:
        script = Script(seats, Kind.TIMED).move(0, 100, 8)
        for seat in self.others(seats):
            script.move(seat, 100, 4)
        assert script.outcome() == won(Termination.BELL, 0, BELL_MS)

    def test_4_5_a_tie_at_the_bell_is_a_draw_among_all_at_the_top(self, seats: int) -> None:
        assert Script(seats, Kind.TIMED).outcome() == drawn(Termination.BELL, range(seats), BELL_MS)

    def test_4_5_a_move_in_the_bells_millisecond_comes_before_it(self, seats: int) -> None:
        assert Script(seats, Kind.TIMED).move(0, BELL_MS, 8).outcome() == won(Termination.BELL, 0, BELL_MS)

    def test_4_5_a_move_after_the_bell_does_not_count(self, seats: int) -> None:
        script = Script(seats, Kind.TIMED).move(0, BELL_MS + 1, 8)
        assert script.outcome() == drawn(Termination.BELL, range(seats), BELL_MS)

    def test_4_6_a_stuck_seat_may_still_win_when_the_others_forfeit(self, seats: int) -> None:
        script = Script(seats).stuck(0, 100, 4)
        for seat in self.others(seats):
            script.forfeit(seat, 700)
        assert script.outcome() == won(Termination.ALONE, 0, 700)

    def test_4_7_resigning_takes_a_seat_out_at_once(self, seats: int) -> None:
        script = Script(seats)
        for seat in self.others(seats):
            script.resign(seat, 400)
        assert script.outcome() == won(Termination.ALONE, 0, 400)

    def test_4_8_a_draw_needs_all_who_are_in_the_race(self, seats: int) -> None:
        script = Script(seats).offer(0, 100)
        for seat in self.others(seats):
            assert script.outcome() is None
            script.agree(seat, 100 + seat, 1)
        assert script.outcome() == drawn(Termination.DRAW, range(seats), 100 + seats - 1)

    def test_4_8_stuck_seats_are_asked_too(self, seats: int) -> None:
        script = Script(seats).move(0, 5, 1).stuck(1, 10, 90).offer(0, 100)
        for seat in range(2, seats):
            script.agree(seat, 200, 1)
        assert script.outcome() is None
        assert script.agree(1, 300, 1).outcome() == drawn(Termination.DRAW, range(seats), 300)

    def test_4_8_a_refusal_cancels_the_offer(self, seats: int) -> None:
        script = Script(seats).offer(0, 100).vote(1, 150, Vote.REFUSE, 1)
        for seat in self.others(seats):
            script.agree(seat, 200, 1)
        assert script.outcome() is None

    def test_4_8_a_move_by_who_has_not_agreed_cancels_the_offer_it_could_see(self, seats: int) -> None:
        script = Script(seats).offer(0, 100, tick=5).move(1, 150, 4, tick=5)
        for seat in self.others(seats):
            script.agree(seat, 200, 1)
        assert script.outcome() is None

    def test_4_8_a_move_made_before_its_player_saw_the_offer_cancels_nothing(self, seats: int) -> None:
        script = Script(seats).offer(0, 100, tick=5).move(1, 150, 4, tick=4)
        for seat in self.others(seats):
            script.agree(seat, 200, 1)
        assert script.outcome() == drawn(Termination.DRAW, range(seats), 200)

    def test_4_8_moves_of_those_who_agreed_cancel_nothing(self, seats: int) -> None:
        script = Script(seats).offer(0, 100, tick=5).move(0, 150, 4, tick=5)
        for seat in self.others(seats):
            script.agree(seat, 200, 1)
        assert script.outcome() == drawn(Termination.DRAW, range(seats), 200)

    def test_4_8_the_offerer_may_withdraw(self, seats: int) -> None:
        script = Script(seats).offer(0, 100).vote(0, 150, Vote.WITHDRAW, 1)
        for seat in self.others(seats):
            script.agree(seat, 200, 1)
        assert script.outcome() is None

    def test_4_8_an_offer_lapses_after_thirty_seconds(self, seats: int) -> None:
        script = Script(seats).offer(0, 100)
        for seat in self.others(seats):
            script.agree(seat, 30_100, 1)
        assert script.outcome() is None

    def test_4_8_if_the_offerer_leaves_the_offer_is_gone(self, seats: int) -> None:
        script = Script(seats).offer(0, 100).resign(0, 150)
        for seat in self.others(seats):
            script.agree(seat, 200, 1)
        expected = won(Termination.ALONE, 1, 150) if seats == 2 else None
        assert script.outcome() == expected

    def test_4_10_a_deck_used_up_counts_as_stuck(self, seats: int) -> None:
        script = Script(seats)
        for seat in range(seats):
            script.stuck(seat, 100 + seat, 50 + seat)
        assert script.outcome() is not None

    def test_4_11_losers_stand_by_score_then_fewer_moves_and_leavers_last(self, seats: int) -> None:
        script = Script(seats, Kind.TARGET)
        for seat in range(2, seats):
            script.resign(seat, 100 * seat)
        script.move(1, 850, 5_000).target(0, 900)
        outcome, race = fold(terms(seats, Kind.TARGET), script.streams())
        assert outcome is not None
        assert standing(race.seats, outcome.winners) == (0, 1, *range(seats - 1, 1, -1))


def test_4_8_the_vote_is_looked_at_again_when_the_last_who_had_not_voted_leaves() -> None:
    script = Script(3).offer(0, 100).agree(1, 200, 1)
    assert script.outcome() is None
    assert script.resign(2, 300).outcome() == drawn(Termination.DRAW, (0, 1), 300)


def test_4_8_the_vote_is_looked_at_again_when_the_last_who_had_not_voted_is_away_too_long() -> None:
    script = Script(3).move(0, 1, 5).move(1, 1, 9).stuck(2, 10, 100).offer(0, 100).agree(1, 200, 1)
    assert script.absent(2, 300).outcome() == drawn(Termination.DRAW, (0, 1, 2), 300)


def test_4_8_a_stuck_seat_that_comes_back_is_asked_again() -> None:
    script = Script(3).move(0, 1, 5).move(1, 1, 9).stuck(2, 10, 100).absent(2, 20).absent(2, 90, absent=False)
    assert script.offer(0, 100).agree(1, 200, 1).outcome() is None


def test_4_11_equal_scores_stand_by_fewer_moves() -> None:
    script = Script(3, Kind.TARGET).move(2, 10, 96).move(1, 20, 90).move(1, 30, 96).target(0, 900)
    outcome, race = fold(terms(3, Kind.TARGET), script.streams())
    assert outcome is not None
    assert standing(race.seats, outcome.winners) == (0, 2, 1)


def test_the_first_clause_in_order_of_time_ends_the_race_and_what_came_later_is_not_applied() -> None:
    script = Script(2, Kind.TARGET).target(0, 900).resign(0, 950).target(1, 910)
    outcome, race = fold(terms(2, Kind.TARGET), script.streams())
    assert outcome == won(Termination.TARGET, 0, 900)
    assert race.seats[1].moves == 0


def simultaneous() -> Iterable[tuple[str, Script]]:
    """Pairs of events in one millisecond by different seats; the order in which seats are numbered must not matter."""
    yield "targets", Script(2, Kind.TARGET).target(0, 500).target(1, 500)
    yield "stuck and stuck", Script(2).stuck(0, 500, 8).stuck(1, 500, 8)
    yield "target and resign", Script(2, Kind.TARGET).target(0, 500).resign(1, 500)
    yield "resign and resign", Script(2).resign(0, 500).resign(1, 500)
    yield "forfeit and stuck", Script(2).forfeit(0, 500).stuck(1, 500, 8)
    yield "move and stuck", Script(2).move(0, 500, 100).stuck(1, 500, 8)
    yield "resign and stuck of three", Script(3).resign(0, 500).stuck(1, 500, 8)
    yield "agree and resign", Script(3).offer(2, 100).agree(0, 500, 17).resign(1, 500)
    yield "agree and refuse", Script(3).offer(2, 100).agree(0, 500, 17).vote(1, 500, Vote.REFUSE, 17)
    yield "agree and target", Script(2, Kind.TARGET).offer(0, 100).agree(1, 500, 1).target(0, 500)


@pytest.mark.parametrize(("name", "script"), list(simultaneous()), ids=[name for name, _ in simultaneous()])
def test_two_events_in_one_millisecond_end_a_race_alike_in_both_orders(name: str, script: Script) -> None:
    def applied(order: Iterable[RaceEvent]) -> Outcome | None:
        race = Race(terms(script.seats, script.kind))
        for event in script.events:
            if event.t_ms < 500:
                race.apply(event)
        for event in order:
            race.apply(event)
        return race.decide(500)

    last = [event for event in script.events if event.t_ms == 500]
    outcomes = {applied(order) for order in itertools.permutations(last)}
    assert outcomes == {script.outcome()}


@pytest.mark.parametrize(
    ("script", "vote", "fault"),
    [
        (Script(2).resign(0, 5), Voted(10, 0, Vote.OFFER, 1), VoteFault.NOT_IN_RACE),
        (Script(2).offer(1, 5), Voted(10, 0, Vote.OFFER, 1), VoteFault.OFFER_STANDS),
        (Script(2).offer(0, 5).vote(0, 6, Vote.WITHDRAW, 1), Voted(10_005, 0, Vote.OFFER, 2), VoteFault.TOO_SOON),
        (Script(2), Voted(10, 0, Vote.OFFER, 0), VoteFault.NO_SUCH_OFFER),
        (Script(2), Voted(10, 0, Vote.OFFER, 6), VoteFault.NO_SUCH_OFFER),
        (Script(2), Voted(10, 1, Vote.AGREE, 1), VoteFault.NO_SUCH_OFFER),
        (Script(2).offer(0, 5), Voted(10, 1, Vote.AGREE, 2), VoteFault.NO_SUCH_OFFER),
        (Script(2).offer(0, 5), Voted(10, 0, Vote.AGREE, 1), VoteFault.ALREADY_AGREED),
        (Script(2).offer(0, 5), Voted(10, 1, Vote.WITHDRAW, 1), VoteFault.NO_SUCH_OFFER),
        (Script(3).offer(0, 5).agree(1, 6, 1), Voted(10, 1, Vote.REFUSE, 1), VoteFault.ALREADY_AGREED),
    ],
)
def test_a_vote_that_the_rules_do_not_take_is_named_and_changes_nothing(
    script: Script, vote: Voted, fault: VoteFault
) -> None:
    race = Race(terms(script.seats))
    for event in script.events:
        race.apply(event)
    before = race.offer
    assert race.vote_fault(vote.seat, vote.vote, vote.offer, vote.t_ms) is fault
    race.apply(vote)
    assert race.offer == before


def test_a_seat_has_five_offers_a_race() -> None:
    race = Race(terms(2))
    for count in range(1, 6):
        race.apply(Voted(count * 50_000, 0, Vote.OFFER, offer_number(0, count), 1))
        race.apply(Voted(count * 50_000 + 1, 1, Vote.REFUSE, offer_number(0, count)))
    assert race.vote_fault(0, Vote.OFFER, offer_number(0, 6), 900_000) is VoteFault.OFFERS_USED


def test_what_a_seat_does_after_it_has_left_changes_nothing() -> None:
    race = Race(terms(3))
    race.apply(Left(5, 0, SeatState.RESIGNED))
    race.apply(Left(6, 0, SeatState.FORFEITED))
    race.apply(Moved(7, 0, 50, 1, 4, stuck=False))
    assert (race.seats[0].state, race.seats[0].score, race.seats[0].left_ms) == (SeatState.RESIGNED, 0, 5)


def test_a_race_that_goes_on_has_no_outcome() -> None:
    assert Script(2).move(0, 5, 4).outcome() is None
