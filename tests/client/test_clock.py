"""The client's idea of the lobby's clock (rules 5.5)."""

from __future__ import annotations

from client.clock import LobbyClock


def test_a_clock_that_was_told_nothing_is_ours() -> None:
    clock = LobbyClock()
    assert (clock.lobby_ms(7), clock.round_trip_ms) == (7, None)


def test_what_the_lobby_says_is_better_than_nothing() -> None:
    clock = LobbyClock()
    clock.told(1_000_000, 400)
    assert clock.lobby_ms(500) == 1_000_100


def test_an_answered_ping_puts_the_lobbys_clock_in_the_middle() -> None:
    clock = LobbyClock()
    clock.sample(1_000, 90_050, 1_100)
    assert clock.lobby_ms(1_100) == 90_100
    assert clock.local_ms(90_100) == 1_100
    assert clock.round_trip_ms == 100


def test_samples_of_more_than_the_least_delay_are_left_out() -> None:
    clock = LobbyClock()
    clock.sample(0, 5_010, 20)
    clock.sample(100, 5_900, 900)
    assert clock.offset_ms == 5_000


def test_the_quickest_samples_are_averaged() -> None:
    clock = LobbyClock()
    clock.sample(0, 5_004, 10)
    clock.sample(100, 5_106, 110)
    assert clock.offset_ms == 5_000


def test_an_answer_to_a_ping_that_was_not_sent_yet_is_left_out() -> None:
    clock = LobbyClock()
    clock.sample(900, 5, 800)
    assert clock.round_trip_ms is None


def test_a_new_line_keeps_the_clock_until_it_has_been_measured() -> None:
    """A race goes on while the connection is made again."""
    clock = LobbyClock()
    clock.sample(0, 5_010, 20)
    clock.restart()
    assert (clock.offset_ms, clock.round_trip_ms) == (5_000, None)


def test_a_slow_first_answer_on_a_new_line_does_not_put_the_clock_wrong() -> None:
    """By half a second here; what is claimed by such a clock is refused."""
    clock = LobbyClock()
    clock.sample(0, 5_010, 20)
    clock.restart()
    clock.sample(1_000, 7_000, 2_000)  # all of the second was on the way there
    assert (clock.offset_ms, clock.round_trip_ms) == (5_000, 1_000)


def test_a_clock_that_has_become_another_is_believed_at_the_first_answer() -> None:
    clock = LobbyClock()
    clock.sample(0, 5_010, 20)
    clock.restart()
    clock.sample(1_000, 1_010, 1_020)
    assert clock.offset_ms == -10


def test_after_our_computer_slept_the_clock_is_no_later_than_it_can_be() -> None:
    """The answer to a ping from before it says little: our clock stood still, and a slow answer looks the same."""
    clock = LobbyClock()
    clock.sample(0, 5_010, 20)
    clock.sample(1_000, 12_000, 3_000)
    assert clock.lobby_ms(3_000) == 12_000


def test_a_clock_that_is_told_to_be_later_than_it_can_be_is_another() -> None:
    clock = LobbyClock()
    clock.sample(0, 5_010, 20)
    clock.restart()
    clock.told(6_500, 1_000)
    assert clock.offset_ms == 5_500


def test_a_clock_that_is_doubted_is_no_later_than_the_lobbys_can_be() -> None:
    clock = LobbyClock()
    clock.sample(0, 5_090, 100)
    clock.sample(2_000, 7_070, 2_060)
    clock.doubt()
    assert clock.lobby_ms(2_060) == 7_070
    clock.restart()
    assert clock.lobby_ms(2_060) == 7_100


def test_what_was_measured_slowly_is_forgotten_with_its_line_and_what_the_lobby_says_is_better() -> None:
    clock = LobbyClock()
    clock.sample(0, 7_000, 3_000)
    clock.restart()
    assert clock.lobby_ms(3_000) == 8_500
    clock.told(7_400, 3_400)
    assert clock.lobby_ms(3_400) == 7_400
