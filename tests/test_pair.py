"""Whole races between a lobby and its clients under a virtual clock (architecture.md 6.3)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from client import actions
from client.clock import LobbyClock
from client.session import JoinTable
from client.view import Line, SessionView
from engine.board import Direction
from engine.race import Outcome, SeatState, Termination
from lobby.opening import DealOptions
from protocol.codec import decode_from_lobby
from protocol.limits import Windows
from protocol.messages import Ended, FromLobby, Phase, Role, TableSettings, Ticked, Welcome
from protocol.tick import Tick
from protocol.verdict import Verdict, verify_record
from tests.world import Client, World

HOUR_MS = 3_600_000
TO_64 = TableSettings(target_exponent=6)
TO_8 = TableSettings(target_exponent=3)
ENDLESS = TableSettings(kind=3, target_exponent=0, size=3)
LONG = TableSettings(kind=3, target_exponent=0)
TIMED = TableSettings(kind=2, target_exponent=0, time_ms=60_000, idle_ms=0)


def racing(
    settings: TableSettings = LONG, guests: int = 1, *, options: DealOptions | None = None, delay_ms: int = 0
) -> tuple[World, list[Client]]:
    """A race whose boards have just come alive."""
    world = World(options or DealOptions(chain_length=2_048))
    host = world.host(settings, delay_ms=delay_ms)
    players = [host, *(world.join(host, name, delay_ms=delay_ms) for name in ("owl", "hare", "carp")[:guests])]
    world.start(*players)
    return world, players


def outcome(world: World, *clients: Client) -> tuple[Termination, tuple[int, ...]]:
    """Waits for the end, checks that the record holds and everyone agrees, and returns how the race ended."""
    world.finish(*clients)
    told = {client.view(world).outcome for client in clients}
    assert len(told) == 1
    for client in clients:
        view = client.view(world)
        assert view.check is not None
        assert view.check.ok, view.check.reason
    (only,) = told
    assert isinstance(only, Outcome)
    verdict = verdict_of(world)
    assert verdict.ok, verdict.reason
    assert verdict.outcome == only
    return only.termination, only.winners


def verdict_of(world: World) -> Verdict:
    return verify_record(world.archived[-1].record)


def unsealed(world: World) -> list[int]:
    return [seat.unsealed for seat in verdict_of(world).seats]


def heard(client: Client, kind: type) -> list[FromLobby]:
    """Every message of a type that a client was sent."""
    return [message for frame in client.heard if isinstance(message := decode_from_lobby(frame), kind)]


def me(view: SessionView) -> tuple[object, ...]:
    """What must be the same after a reconnect: seat, board, score, move number."""
    assert view.game is not None
    return view.my_seat, view.game.board, view.game.score, view.game.moves


# ── a race, from its start to its record ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("delays", [(0, 0), (100, 100), (0, 100), (100, 0)])
@pytest.mark.parametrize("skew_ms", [0, HOUR_MS, -HOUR_MS])
def test_boards_come_alive_together_whatever_the_lines_and_clocks(delays: tuple[int, int], skew_ms: int) -> None:
    """A26, A27: a client's own clock decides nothing, and no absolute time is compared with it."""
    world = World(DealOptions(chain_length=64), start_ms=2 * HOUR_MS)
    host = world.host(TO_64, delay_ms=delays[0])
    guest = world.join(host, "owl", delay_ms=delays[1], clock_ms=skew_ms)
    alive: dict[str, int] = {}
    for player in (guest,):
        world.act(player, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Start())
    world.run_while(lambda: host.session.race is None)
    assert host.session.race is not None
    start_ms = host.session.race.start.start_ms
    for moment in range(start_ms - 300, start_ms + 300):
        world.run_until(moment)
        for player in (host, guest):
            view = player.view(world)
            if view.phase is Phase.RACING and view.game is not None:
                alive.setdefault(player.name, moment)
    assert all(abs(moment - start_ms) <= 15 for moment in alive.values())
    assert len(alive) == 2


def test_everyone_is_dealt_the_same_deck() -> None:
    _world, (host, guest) = racing()
    games = [player.session.own for player in (host, guest)]
    assert games[0] is not None
    assert games[1] is not None
    assert [games[0].deck.draw(d) for d in range(90)] == [games[1].deck.draw(d) for d in range(90)]


def test_each_sees_the_own_board_and_the_others_figures_alone() -> None:
    world, (host, guest) = racing()
    world.press(host, 100)
    world.run(5_100)
    view = guest.view(world)
    rival = view.seats[0]
    assert rival is not None
    assert rival.board is None
    assert rival.score > 0
    assert rival.moves > 30
    assert view.game is not None
    assert view.game.moves == 0


def test_the_first_to_the_target_wins_and_both_see_both_boards() -> None:
    world, (host, guest) = racing(TO_64)
    world.press(host, 100)
    world.press(guest, 300)
    assert outcome(world, host, guest) == (Termination.TARGET, (0,))
    boards = [[seat.board for seat in player.view(world).seats if seat] for player in (host, guest)]
    assert boards[0] == boards[1]
    assert None not in boards[0]


@pytest.mark.parametrize("delay_ms", [0, 20, 100, 300])
def test_nothing_is_unsealed_at_the_end_when_everyone_is_connected(delay_ms: int) -> None:
    world, players = racing(TO_64, 3, delay_ms=delay_ms)
    for number, player in enumerate(players):
        world.press(player, 90 + 7 * number)
    outcome(world, *players)
    assert unsealed(world) == [0, 0, 0, 0]


def test_nothing_is_unsealed_when_the_end_crosses_with_a_slice_and_its_seal() -> None:
    """The rival's slice of every 4 s, with its seal, meets the end on the way: the seal was for nothing."""
    for lead_ms in range(0, 1_000, 250):
        world, (host, guest) = racing(TIMED, delay_ms=400)
        world.press(guest, 100)
        world.run(7_000 + lead_ms)
        world.act(host, actions.Resign())
        outcome(world, host, guest)
        assert unsealed(world) == [0, 0]


def test_an_honest_race_is_never_refused_anything() -> None:
    world, players = racing(TO_64, 3, delay_ms=60)
    for number, player in enumerate(players):
        world.press(player, 60 + 13 * number)
    outcome(world, *players)
    assert world.refused == []


@pytest.mark.parametrize("ahead_ms", [120, 280])
def test_who_takes_the_clock_to_be_later_keeps_the_line_and_every_move(
    ahead_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers to pings that were slow one way are enough for that; what is claimed too early is said again."""
    answered = LobbyClock.sample
    monkeypatch.setattr(
        LobbyClock, "sample", lambda clock, sent_ms, *answer: answered(clock, sent_ms - 2 * ahead_ms, *answer)
    )
    world, players = racing(TO_64)
    lines = [player.connection for player in players]
    for player in players:
        world.press(player, 70)
    outcome(world, *players)
    assert {code for _, code in world.refused} <= {"slice"}
    assert [player.connection for player in players] == lines


def test_the_record_is_saved_by_every_client() -> None:
    world, (host, guest) = racing(TO_8)
    world.press(host, 100)
    outcome(world, host, guest)
    assert [record.record for record in host.records] == [world.archived[0].record]
    assert host.records == guest.records
    assert host.view(world).record_path.endswith(".r2048")


def test_a_watcher_sees_the_race_and_checks_its_record() -> None:
    world, (host, guest) = racing(TO_64)
    watcher = world.join(host, "mole", role=Role.WATCHER)
    world.press(host, 100)
    assert outcome(world, host, guest, watcher) == (Termination.TARGET, (0,))


# ── every ending (rules §4) ──────────────────────────────────────────────────────────────────────────────────────────


def test_alone_who_is_left_when_the_others_resign_wins() -> None:
    world, (host, guest) = racing()
    world.press(guest, 100)
    world.run(1_000)
    world.act(guest, actions.Resign())
    assert outcome(world, host, guest) == (Termination.ALONE, (0,))


def test_of_three_one_may_resign_and_the_others_go_on() -> None:
    world, players = racing(LONG, 2)
    world.act(players[1], actions.Resign())
    world.run(1_000)
    seat = players[0].view(world).seats[1]
    assert seat is not None
    assert seat.state is SeatState.RESIGNED
    assert players[0].view(world).phase is Phase.RACING


def test_who_has_resigned_moves_no_more_and_is_refused_nothing() -> None:
    world, players = racing(LONG, 2)
    world.press(players[1], 30)
    world.run(1_000)
    world.act(players[1], actions.Resign())
    world.act(players[1], actions.Move(Direction.UP))
    world.run(2_000)
    world.act(players[2], actions.Resign())
    assert outcome(world, *players) == (Termination.ALONE, (0,))
    assert world.refused == []


def test_dead_heat_two_targets_in_one_millisecond_after_as_many_moves_are_a_draw() -> None:
    world, (host, guest) = racing(TO_8)
    world.press(host, 100)
    world.press(guest, 100)
    assert outcome(world, host, guest) == (Termination.TARGET, (0, 1))


def test_two_targets_in_one_millisecond_the_one_with_fewer_moves_wins() -> None:
    moves = {}
    for order in ("ludr", "drul"):
        probe, players = racing(TO_8)
        probe.press(players[0], 100, order)
        outcome(probe, *players)
        seat = players[0].view(probe).seats[0]
        assert seat is not None
        moves[order] = seat.moves
    few, many = sorted(moves, key=lambda order: moves[order])
    assert moves[few] < moves[many]
    world, (host, guest) = racing(TO_8)
    world.press(guest, 100, many)
    world.run(100 * (moves[many] - moves[few]))
    world.press(host, 100, few)
    assert outcome(world, host, guest) == (Termination.TARGET, (0,))
    assert [seat.max_exponent for seat in host.view(world).seats if seat] == [3, 3]


def test_last_mover_who_leads_a_stuck_rival_wins_at_once() -> None:
    world, (host, guest) = racing(ENDLESS)
    world.press(host, 40, "ulrd")
    world.press(guest, 400, "urdl")
    termination, winners = outcome(world, host, guest)
    assert termination in (Termination.LAST_MOVER, Termination.ALL_STUCK)
    assert len(winners) == 1


def test_all_stuck_with_equal_scores_is_a_draw_among_them() -> None:
    """A31: who joined first does not matter."""
    world, players = racing(ENDLESS, 3)
    for player in players:
        world.press(player, 100)
    assert outcome(world, *players) == (Termination.ALL_STUCK, (0, 1, 2, 3))


def test_bell_the_highest_score_wins_a_timed_race() -> None:
    world, (host, guest) = racing(TIMED)
    world.press(host, 2_000)
    world.press(guest, 500)
    assert outcome(world, host, guest) == (Termination.BELL, (1,))
    assert host.view(world).outcome == Outcome(Termination.BELL, (1,), TIMED.time_ms)


def test_bell_with_equal_scores_is_a_draw() -> None:
    world, (host, guest) = racing(TIMED)
    assert outcome(world, host, guest) == (Termination.BELL, (0, 1))


def test_bell_a_move_just_before_it_counts_on_a_slow_line() -> None:
    world, (host, guest) = racing(TIMED, delay_ms=140)
    world.run_until(start_of(guest) + TIMED.time_ms - 30)
    world.press(guest, 1, times=1)
    world.run(100)
    outcome(world, host, guest)
    seat = host.view(world).seats[1]
    assert seat is not None
    assert seat.moves == 1


def test_bell_moves_after_it_do_not_count() -> None:
    world, (host, guest) = racing(TIMED, delay_ms=70)
    world.press(guest, 70)
    outcome(world, host, guest)
    own = guest.session.race.own if guest.session.race else None
    assert own is not None
    seat = host.view(world).seats[1]
    assert seat is not None
    assert seat.moves == sum(time <= TIMED.time_ms for time in own.log.times)


def start_of(client: Client) -> int:
    assert client.session.race is not None
    return client.session.race.start.start_ms


def test_away_who_comes_back_within_60_s_plays_on() -> None:
    """A22, A32: at 59.9 s of the lobby's clock."""
    world, (host, guest) = racing(LONG)
    world.press(guest, 100, times=30)
    world.run(5_000)
    before = me(guest.view(world))
    lost_ms = world.now_ms
    world.cut(guest)
    world.kill(guest)
    world.run_until(lost_ms + 59_900)
    again = world.join(host, "owl again", key="owl")
    world.run(1_000)
    assert me(again.view(world)) == before
    assert host.view(world).phase is Phase.RACING


def test_away_who_comes_back_at_60_s_is_forfeited() -> None:
    """A32: told to all seats, and by the lobby's clock alone."""
    world, (host, guest) = racing(LONG)
    world.run(1_000)
    lost_ms = world.now_ms
    world.cut(guest)
    world.run_until(lost_ms + 60_000)
    world.mend(guest)
    assert outcome(world, host) == (Termination.ALONE, (0,))
    seat = host.view(world).seats[1]
    assert seat is not None
    assert seat.state is SeatState.FORFEITED


def test_away_the_others_play_on_meanwhile() -> None:
    world, players = racing(LONG, 2)
    world.press(players[0], 200, times=50)
    world.cut(players[1])
    world.run(61_000)
    view = players[0].view(world)
    seat = view.seats[1]
    assert view.phase is Phase.RACING
    assert seat is not None
    assert seat.state is SeatState.FORFEITED


def test_away_one_who_was_forfeited_watches_when_it_returns_and_plays_no_more() -> None:
    """Moves that were made while the window ended are not sent over and over."""
    world, players = racing(LONG, 2)
    guest = players[1]
    world.press(guest, 100, times=40)
    world.run(2_050)
    world.cut(guest)
    world.run(62_000)
    world.mend(guest)
    world.run(20_000)
    assert guest.session.line is Line.ONLINE
    assert world.refused == []
    world.act(players[2], actions.Resign())
    assert outcome(world, *players) == (Termination.ALONE, (0,))


def test_void_when_the_windows_of_all_end_in_the_same_instant() -> None:
    world, (host, guest) = racing(LONG)
    watcher = world.join(host, "mole", role=Role.WATCHER)
    world.cut(host)
    world.cut(guest)
    assert outcome(world, watcher) == (Termination.VOID, ())
    assert watcher.view(world).tally == ()


def test_draw_agreed_by_all() -> None:
    world, players = racing(LONG, 2)
    world.act(players[1], actions.Agree())
    world.run(100)
    world.act(players[0], actions.Agree())
    world.run(100)
    world.act(players[2], actions.Agree())
    assert outcome(world, *players) == (Termination.DRAW, (0, 1, 2))


def test_draw_agreed_at_the_last_moment_of_the_offer_still_stands() -> None:
    """What lapses in the settling cannot take the end away again."""
    world, (host, guest) = racing(LONG)
    world.act(guest, actions.Agree())
    world.run(29_740)
    world.press(guest, 10)
    world.run(230)
    world.act(host, actions.Agree())
    assert outcome(world, host, guest) == (Termination.DRAW, (0, 1))


def test_draw_refused_is_gone_and_may_not_be_offered_again_for_10_s() -> None:
    world, (host, guest) = racing(LONG)
    world.act(guest, actions.Agree())
    world.run(100)
    offer = host.view(world).offer
    assert offer is not None
    assert (offer.by_seat, offer.by_you, offer.agreed) == (1, False, False)
    world.act(host, actions.Refuse())
    world.run(9_000)
    world.act(guest, actions.Agree())
    world.run(100)
    assert guest.view(world).notice == "vote"
    assert host.view(world).offer is None


def test_a_deck_used_up_by_the_deciding_move_is_shown_as_the_reason() -> None:
    """Rules 4.10: of the deciding move no tick tells."""
    world, (host, guest) = racing(LONG, options=DealOptions(chain_length=6))
    world.press(host, 60)
    world.press(guest, 90)
    world.run_while(lambda: host.view(world).outcome is None)
    assert [seat.deck_used_up for seat in host.view(world).seats if seat] == [True, True]


def test_draw_offers_pressed_too_soon_are_not_used_up() -> None:
    world, (host, guest) = racing(LONG)
    world.act(guest, actions.Agree())
    world.run(100)
    world.act(host, actions.Refuse())
    world.run(100)
    for _ in range(8):
        world.act(guest, actions.Agree())
        world.run(100)
    world.run(10_000)
    world.act(guest, actions.Agree())
    world.run(100)
    assert host.view(world).offer is not None


def test_draw_a_move_of_one_who_has_not_agreed_cancels_it() -> None:
    """A29: the offerer's own moves do not, and a key that moves nothing is no move."""
    world, (host, guest) = racing(LONG)
    world.act(guest, actions.Agree())
    world.run(100)
    world.press(guest, 10, times=3)
    world.run(500)
    assert host.view(world).offer is not None
    world.press(host, 10, times=1)
    world.run(500)
    assert guest.view(world).offer is None


def test_draw_a_move_made_before_the_offer_could_be_seen_does_not_cancel_it() -> None:
    world, (host, guest) = racing(LONG, delay_ms=100)
    world.act(guest, actions.Agree())
    world.run(150)
    world.press(host, 10, times=1)
    world.run(1_000)
    assert host.view(world).offer is not None


def test_draw_is_looked_at_again_when_the_one_who_has_not_voted_leaves() -> None:
    """A28: at that moment, by resigning."""
    world, players = racing(LONG, 2)
    world.act(players[0], actions.Agree())
    world.run(100)
    world.act(players[1], actions.Agree())
    world.run(100)
    world.act(players[2], actions.Resign())
    assert outcome(world, *players) == (Termination.DRAW, (0, 1))


def test_draw_is_looked_at_again_when_the_one_who_has_not_voted_is_forfeited() -> None:
    """A28: at that moment, by 4.6."""
    world, players = racing(LONG, 2)
    world.cut(players[2])
    world.run(50_000)
    world.act(players[0], actions.Agree())
    world.run(100)
    world.act(players[1], actions.Agree())
    assert outcome(world, *players[:2]) == (Termination.DRAW, (0, 1))


def test_draw_the_offer_is_gone_when_its_maker_leaves() -> None:
    world, players = racing(LONG, 2)
    world.act(players[0], actions.Agree())
    world.run(100)
    world.act(players[0], actions.Resign())
    world.run(100)
    assert players[1].view(world).offer is None


def test_draw_may_be_withdrawn() -> None:
    world, (host, guest) = racing(LONG)
    world.act(host, actions.Agree())
    world.run(100)
    world.act(host, actions.Refuse())
    world.run(100)
    assert guest.view(world).offer is None


def test_draw_lapses_after_30_s() -> None:
    world, (host, guest) = racing(LONG)
    world.act(host, actions.Agree())
    world.run(29_900)
    assert guest.view(world).offer is not None
    world.run(200)
    assert guest.view(world).offer is None


def test_idle_who_does_not_move_is_treated_as_away_until_it_moves() -> None:
    settings = TableSettings(kind=3, target_exponent=0, idle_ms=20_000)
    world, (host, guest) = racing(settings)
    world.press(host, 1_000)
    world.run(20_100)
    seat = host.view(world).seats[1]
    assert seat is not None
    assert seat.away_ms is not None
    world.press(guest, 1, times=1)
    world.run(1_000)
    seat = host.view(world).seats[1]
    assert seat is not None
    assert seat.away_ms is None


def test_idle_who_does_not_move_at_all_forfeits() -> None:
    settings = TableSettings(kind=3, target_exponent=0, idle_ms=20_000)
    world, (host, guest) = racing(settings)
    world.press(host, 1_000)
    assert outcome(world, host, guest) == (Termination.ALONE, (0,))
    ended = host.view(world).outcome
    assert ended is not None
    assert ended.t_ms == 80_000


def test_idle_who_resigns_meanwhile_has_no_window_any_more() -> None:
    settings = TableSettings(kind=3, target_exponent=0, idle_ms=20_000)
    world, (host, guest, hare) = racing(settings, 2)
    for client in (host, hare):
        world.press(client, 1_000)
    world.run(22_000)
    world.act(guest, actions.Resign())
    world.run(2_000)
    seat = host.view(world).seats[1]
    assert seat is not None
    assert (seat.state, seat.away_ms) == (SeatState.RESIGNED, None)


def test_idle_the_window_begins_at_the_limit_though_the_connection_is_lost_then() -> None:
    settings = TableSettings(kind=3, target_exponent=0, idle_ms=20_000)
    world, (host, guest) = racing(settings)
    world.press(host, 1_000)
    start_ms = world.now_ms
    world.run(10_000)
    world.cut(guest)
    world.run(20_000)
    world.mend(guest)
    world.run_while(lambda: host.view(world).outcome is None)
    assert 79_000 <= world.now_ms - start_ms <= 81_000


def test_idle_a_lost_connection_that_is_mended_does_not_end_the_idle_window() -> None:
    settings = TableSettings(kind=3, target_exponent=0, idle_ms=20_000)
    world, (host, guest) = racing(settings)
    world.press(host, 1_000)
    world.run(30_000)
    world.cut(guest)
    world.run(5_000)
    world.mend(guest)
    outcome(world, host, guest)
    ended = host.view(world).outcome
    assert ended is not None
    assert ended.t_ms == 80_000


def test_deck_used_up_counts_as_stuck() -> None:
    world, (host, guest) = racing(LONG, options=DealOptions(chain_length=6))
    world.press(host, 50)
    world.press(guest, 100, "rdlu")
    termination, _winners = outcome(world, host, guest)
    assert termination in (Termination.LAST_MOVER, Termination.ALL_STUCK)
    seat = host.view(world).seats[0]
    assert seat is not None
    assert (seat.moves, seat.deck_used_up) == (8 * 6 - 2, True)


def test_a_connection_lost_in_the_countdown_has_its_minute_from_the_start() -> None:
    """Else its forfeit would come sooner than any verifier believes."""
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Start())
    world.run(1_000)
    world.cut(guest)
    assert outcome(world, host) == (Termination.ALONE, (0,))


# ── the settling (rules 5.3) ─────────────────────────────────────────────────────────────────────────────────────────


def test_settling_the_earlier_target_wins_though_it_arrives_later() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(TO_8, delay_ms=140)
    guest = world.join(host, "owl")
    world.start(host, guest)
    world.press(host, 100)
    world.run(60)
    world.press(guest, 100)
    assert outcome(world, host, guest) == (Termination.TARGET, (0,))


def test_settling_nothing_about_the_race_is_sent_but_acknowledgements() -> None:
    world, (host, guest) = racing(TO_8)
    watcher = world.join(host, "mole", role=Role.WATCHER)
    world.run(1_000)  # how many watch is told once a second
    world.press(host, 100)
    world.run_while(lambda: host.session.own is None or not host.session.own.done)
    world.run(1)
    before = len(watcher.heard), len(guest.heard)
    world.run(140)
    assert (len(watcher.heard), len(guest.heard)) == before


def test_settling_two_who_resign_in_one_millisecond_leave_nobody() -> None:
    """Rules §4: all events of one millisecond are applied before the clauses are asked."""
    world, (host, guest) = racing()
    world.act(host, actions.Resign())
    world.act(guest, actions.Resign())
    assert outcome(world, host, guest) == (Termination.VOID, ())


def test_settling_one_who_resigns_a_millisecond_later_has_won() -> None:
    world, (host, guest) = racing()
    world.act(host, actions.Resign())
    world.run(1)
    world.act(guest, actions.Resign())
    assert outcome(world, host, guest) == (Termination.ALONE, (1,))


# ── coming back (rules 6.3, architecture.md 5.5) ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("delay_ms", [0, 100])
def test_a_cut_client_plays_on_within_the_lead_and_the_log_is_continued(delay_ms: int) -> None:
    world, (host, guest) = racing(LONG, delay_ms=delay_ms)
    world.press(guest, 200)
    world.run(3_000)
    world.cut(guest)
    world.run(5_000)
    played = me(guest.view(world))
    assert isinstance(played[3], int)
    assert played[3] > 35
    world.mend(guest)
    world.run(20_000)
    seat = host.view(world).seats[1]
    assert guest.session.line is Line.ONLINE
    assert seat is not None
    assert seat.moves > played[3]
    assert world.refused == []
    world.act(host, actions.Resign())
    outcome(world, host, guest)


def test_a_key_pressed_while_coming_back_is_claimed_for_the_lobbys_time() -> None:
    """A26: clocks an hour apart, and a move between the new connection and its Welcome."""
    world = World(DealOptions(chain_length=2_048))
    host = world.host(LONG)
    guest = world.join(host, "owl", delay_ms=200, clock_ms=HOUR_MS)
    world.start(host, guest)
    world.press(guest, 50)
    world.run(2_000)
    world.cut(guest)
    world.mend(guest)
    world.run(10_000)
    own = guest.session.own
    assert own is not None
    assert own.log.last_ms <= world.now_ms - start_of(guest) + 10
    assert world.refused == []


@pytest.mark.parametrize("skew_ms", [0, HOUR_MS, -HOUR_MS])
def test_who_comes_back_sees_the_time_that_is_left(skew_ms: int) -> None:
    """A27: within 200 ms of what the others see, whatever the own clock shows."""
    world = World(DealOptions(chain_length=256), start_ms=2 * HOUR_MS)
    host = world.host(TableSettings(kind=2, target_exponent=0, time_ms=60_000, idle_ms=0))
    guest = world.join(host, "owl", delay_ms=80, clock_ms=skew_ms)
    world.start(host, guest)
    world.run(20_000)
    world.kill(guest)
    world.run(9_000)
    again = world.join(host, "owl again", key="owl", delay_ms=80, clock_ms=skew_ms)
    left_ms, seen_ms = host.view(world).clock_ms, again.view(world).clock_ms
    assert left_ms is not None
    assert seen_ms is not None
    assert abs(seen_ms - left_ms) <= 200


def test_a_resignation_on_a_connection_that_is_lost_is_said_again() -> None:
    world, (host, guest) = racing(LONG, delay_ms=100)
    world.press(guest, 90)
    world.run(3_000)
    world.act(guest, actions.Resign())
    world.cut(guest)
    world.mend(guest)
    assert outcome(world, host, guest) == (Termination.ALONE, (0,))


def test_a_resignation_while_away_is_said_on_coming_back() -> None:
    world, (host, guest) = racing(LONG)
    world.cut(guest)
    world.run(1_000)
    world.act(guest, actions.Resign())
    world.mend(guest)
    world.run(10_000)
    assert outcome(world, host, guest) == (Termination.ALONE, (0,))


def test_a_client_that_lost_everything_gets_its_log_back_and_goes_on() -> None:
    world, (host, guest) = racing(LONG, delay_ms=50)
    world.press(guest, 60)
    world.run(10_000)
    world.kill(guest)
    again = world.join(host, "owl again", key="owl", delay_ms=50)
    world.press(again, 50, "drlu")
    world.run(10_000)
    world.act(host, actions.Resign())
    assert outcome(world, host, again) == (Termination.ALONE, (1,))
    assert unsealed(world) == [0, 0]
    assert world.refused == []


def test_a_key_pressed_before_the_log_is_back_does_not_spoil_it() -> None:
    world, (host, guest) = racing(LONG, delay_ms=100)
    world.press(guest, 100)
    world.run(5_000)
    world.kill(guest)
    world.memory.clear()  # its disk is lost too
    world.run(1_000)
    again = world.client("owl again", JoinTable(host.view(world).code), key="owl", delay_ms=100)
    world.run_while(lambda: again.session.pending is None)
    world.act(again, actions.Move(Direction.UP))
    world.run(5_000)
    assert again.session.pending is None
    game = again.view(world).game
    assert game is not None
    assert game.moves > 30
    assert world.refused == []


def test_a_client_that_was_killed_goes_on_at_the_very_move_it_was_killed_at() -> None:
    """Rules 6.3: a move is written down before it is sent."""
    world, (host, guest) = racing(LONG, delay_ms=100)
    world.press(guest, 60)
    world.run(2_050)
    before = guest.view(world).game
    assert before is not None
    assert before.unconfirmed > 0
    world.kill(guest)
    again = world.client("owl again", JoinTable(host.view(world).code), key="owl", delay_ms=100)
    world.run_while(lambda: again.view(world).game is None or again.session.pending is not None)
    after = again.view(world).game
    assert after is not None
    assert (after.board, after.score, after.moves) == (before.board, before.score, before.moves)
    world.run(1_000)
    confirmed = again.view(world).game
    assert confirmed is not None
    assert confirmed.unconfirmed == 0
    assert world.refused == []


def test_a_client_that_was_killed_before_its_first_slice_left_loses_nothing() -> None:
    world, (host, guest) = racing(LONG, delay_ms=100)
    world.press(guest, 20, times=3)
    world.run(100)
    world.kill(guest)
    again = world.client("owl again", JoinTable(host.view(world).code), key="owl", delay_ms=100)
    world.run(2_000)
    game = again.view(world).game
    assert game is not None
    assert (game.moves, game.unconfirmed) == (3, 0)


def test_a_client_whose_notes_are_not_what_the_lobby_has_takes_the_lobbys_log() -> None:
    world, (host, guest) = racing(LONG, delay_ms=100)
    world.press(guest, 40, times=60)
    world.run(9_000)
    before = guest.view(world).game
    assert before is not None
    assert before.unconfirmed == 0
    world.kill(guest)
    for moves in world.memory.values():
        moves[1] = (moves[1][0], moves[1][1] + 1)
    again = world.client("owl again", JoinTable(host.view(world).code), key="owl", delay_ms=100)
    world.run(3_000)
    after = again.view(world).game
    assert after is not None
    assert (after.board, after.moves) == (before.board, before.moves)
    assert world.refused == []


def test_a_record_still_on_its_way_when_again_is_pressed_arrives_all_the_same() -> None:
    world, (host, guest) = racing(LONG, delay_ms=200)
    world.act(guest, actions.Resign())
    world.run_while(lambda: host.view(world).phase is not Phase.FINISHED)
    world.act(host, actions.Again())
    world.run(10_000)
    assert [len(client.records) for client in (host, guest)] == [1, 1]
    assert host.records[0].ok
    assert host.view(world).phase is Phase.RACING


def test_the_newest_connection_wins_and_the_old_one_does_not_come_back() -> None:
    world, (host, guest) = racing(LONG)
    newer = world.join(host, "owl again", key="owl")
    world.run(5_000)
    assert guest.session.ending == "replaced"
    assert newer.session.line is Line.ONLINE
    assert newer.view(world).my_seat == 1


def test_a_cut_while_the_nonces_are_opened_does_not_break_the_opening() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl", delay_ms=100)
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Start())
    world.run(50)
    world.stall(guest, 60_000)
    world.run(100)
    world.cut(guest)
    guest.stalled_until_ms = 0
    world.mend(guest)
    world.run(3_000)
    assert host.view(world).phase is Phase.COUNTDOWN


def test_a_ready_that_was_lost_with_its_connection_is_said_again() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl", delay_ms=100)
    world.stall(guest, 60_000)
    world.act(guest, actions.SetReady())
    world.cut(guest)
    guest.stalled_until_ms = 0
    world.mend(guest)
    world.run(3_000)
    assert host.view(world).can_start


def test_settings_changed_while_a_guest_is_away_clear_its_ready() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run(100)
    world.cut(guest)
    world.act(host, actions.Change(TO_64))
    world.run(2_000)
    world.mend(guest)
    world.run(5_000)
    seat = host.view(world).seats[1]
    assert seat is not None
    assert (seat.connected, seat.ready) == (True, False)


# ── watchers and newcomers in every phase (A25, A34) ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("after_ms", [0, 50, 1_500, 2_999, 3_000, 3_001, 5_000, 12_000])
def test_a_watcher_gets_a_complete_picture_first_in_every_phase(after_ms: int) -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(TO_64)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Start())
    world.press(host, 100)
    world.run(after_ms)
    watcher = world.join(host, "mole", role=Role.WATCHER)
    first = decode_from_lobby(watcher.heard[1])
    assert isinstance(first, Welcome)
    assert watcher.view(world).phase is host.view(world).phase
    assert [seat.name for seat in watcher.view(world).seats if seat] == ["fox", "owl"]
    assert watcher.session.ending == ""


def test_a_watcher_that_comes_during_a_vote_is_told_of_the_offer() -> None:
    world, (host, _guest) = racing(LONG)
    world.act(host, actions.Agree())
    world.run(100)
    watcher = world.join(host, "mole", role=Role.WATCHER)
    assert watcher.view(world).offer is not None


@pytest.mark.parametrize("after_ms", [-1, 0, 1])
def test_a_third_who_joins_around_the_start_sits_or_watches(after_ms: int) -> None:
    """A25: a racer with everything or a watcher with everything, never neither."""
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    third = world.client("hare", JoinTable(host.view(world).code), delay_ms=10)
    world.run_until(world.now_ms + 20 + after_ms + 10)
    world.act(host, actions.Start())
    world.run(5_000)
    view = third.view(world)
    assert view.phase is host.view(world).phase
    if view.phase is Phase.RACING:
        assert view.my_seat is None
        assert [seat.name for seat in view.seats if seat] == ["fox", "owl"]
    else:
        assert view.my_seat == 2


# ── after a race (rules 3.7-3.10) ────────────────────────────────────────────────────────────────────────────────────


def finished(guests: int = 1) -> tuple[World, list[Client]]:
    world, players = racing(TO_8, guests)
    world.press(players[0], 100)
    outcome(world, *players)
    world.run(200)
    return world, players


def test_again_deals_at_once_to_the_same_players_one_seat_on() -> None:
    world, (host, guest) = finished()
    world.act(host, actions.Again())
    world.run_while(lambda: guest.view(world).phase is not Phase.RACING)
    assert (host.view(world).my_seat, guest.view(world).my_seat) == (1, 0)
    world.press(guest, 100)
    assert outcome(world, host, guest) == (Termination.TARGET, (0,))
    assert {row.name: row.wins for row in host.view(world).tally} == {"fox": 1, "owl": 1}


def test_again_two_presses_deal_one_race() -> None:
    """A24."""
    world, (host, guest) = finished()
    world.act(host, actions.Again())
    world.act(host, actions.Again())
    world.run_while(lambda: guest.view(world).phase is not Phase.RACING)
    world.press(guest, 100)
    outcome(world, host, guest)
    assert [archive.race_number for archive in world.archived] == [1, 2]


def test_again_that_is_broken_off_is_answered_by_itself() -> None:
    """deal.md 3.4: nobody loses the place because the host cancelled."""
    world, (host, guest) = finished()
    world.act(host, actions.Again())
    world.run_while(lambda: guest.view(world).phase is not Phase.COUNTDOWN)
    world.act(host, actions.Cancel())
    world.run(10_000)
    assert host.view(world).can_start


def test_settings_may_be_changed_after_a_race_and_nobody_is_called_a_cheat() -> None:
    world, (host, guest) = finished()
    world.act(host, actions.Change(TO_64))
    world.run(1_000)
    world.start(host, guest)
    assert [client.session.ending for client in (host, guest)] == ["", ""]
    assert guest.view(world).settings == TO_64


def test_a_ready_was_for_one_race_and_not_for_the_one_after_it() -> None:
    world, (host, guest) = finished()
    world.act(host, actions.Change(TO_8))
    world.run(2_000)
    assert host.view(world).phase is Phase.SEATING
    assert not host.view(world).can_start
    world.start(host, guest)


def test_settings_that_no_table_can_have_do_not_end_the_hosts_session() -> None:
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    for name in ("owl", "hare"):
        world.join(host, name)
    world.act(host, actions.Change(TableSettings(kind=3, target_exponent=0, seats=2)))
    world.run(100)
    assert (host.session.ending, host.view(world).notice) == ("", "settings")


@pytest.mark.parametrize(
    "action",
    [
        actions.Start(), actions.Cancel(), actions.Again(), actions.Sit(), actions.Stand(), actions.Kick(1),
        actions.Allow(), actions.ToggleLock(), actions.Change(TO_64), actions.SetReady(),
    ],
)  # fmt: skip
def test_a_key_pressed_a_moment_too_late_ends_nobodys_session(action: actions.Action) -> None:
    world, (host, guest) = racing(LONG)
    world.act(host, action)
    world.act(guest, action)
    world.run(1_000)
    assert (host.session.line, guest.session.line) == (Line.ONLINE, Line.ONLINE)


def test_two_starts_begin_one_race() -> None:
    """A24."""
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl")
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    for _ in range(3):
        world.act(host, actions.Start())
    world.run(5_000)
    assert host.view(world).phase is Phase.RACING
    assert host.session.ending == ""


@pytest.mark.parametrize("action", [actions.SetReady(False), actions.Leave(), actions.Stand()])
@pytest.mark.parametrize("after_ms", [0, 1, 10, 100])
def test_start_against_a_guest_who_takes_it_back(action: actions.Action, after_ms: int) -> None:
    """A24: Start crosses with Unready, Leave or Stand; there is one race, or the table is back in seating."""
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl", delay_ms=5)
    world.act(guest, actions.SetReady())
    world.run_while(lambda: not host.view(world).can_start)
    world.act(host, actions.Start())
    world.run(after_ms)
    world.act(guest, action)
    world.run(15_000)
    assert host.view(world).phase in (Phase.RACING, Phase.SEATING)
    assert host.session.ending == ""


def host_of(world: World, *clients: Client) -> list[str]:
    """Who is host, as everyone sees it: must be one and the same."""
    seen = {tuple(seat.name for seat in client.view(world).seats if seat and seat.host) for client in clients}
    assert len(seen) == 1
    return list(seen.pop())


@pytest.mark.parametrize("moment", ["seating", "countdown", "race", "result"])
@pytest.mark.parametrize("how", ["leaves", "is lost"])
def test_a_host_who_goes_leaves_exactly_one_with_working_powers(moment: str, how: str) -> None:
    """A23."""
    world = World(DealOptions(chain_length=256))
    host = world.host(TableSettings(target_exponent=6))
    guests = [world.join(host, "owl"), world.join(host, "hare")]
    if moment != "seating":
        for guest in guests:
            world.act(guest, actions.SetReady())
        world.run_while(lambda: not host.view(world).can_start)
        world.act(host, actions.Start())
        world.run(1_000)
    if moment in ("race", "result"):
        world.run(3_000)
    if moment == "result":
        world.press(host, 100)
        outcome(world, host, *guests)
    if how == "leaves":
        world.act(host, actions.Leave())
    else:
        world.cut(host)
    world.run(63_000)
    assert guests[0].view(world).i_am_host
    assert not guests[1].view(world).i_am_host
    if guests[0].view(world).phase is Phase.RACING:
        world.act(guests[1], actions.Resign())
        world.act(guests[0], actions.Resign())
        world.finish(*guests)
    world.act(guests[0], actions.Change(TO_8))
    world.run(1_000)
    world.start(*guests)


def test_who_comes_back_to_a_table_without_a_host_takes_over() -> None:
    """A23: everyone was lost, the host for good."""
    world, (host, guest) = racing(LONG)
    world.cut(host)
    world.run(5_000)
    world.cut(guest)
    world.run(56_000)
    world.mend(guest)
    world.run(20_000)
    assert guest.view(world).i_am_host


def test_a_connection_closed_for_its_slices_is_away_at_once() -> None:
    world, (host, guest) = racing(LONG)
    world.press(guest, 100, times=20)
    world.run(3_000)
    own = guest.session.own
    assert own is not None
    own.log.directions[3] ^= 1  # a program gone wrong: what it sends makes no sense any more
    own._heads[-1] = bytes(32)
    own._sent = 3
    world.run(1)
    world.press(guest, 100, times=20)
    world.run(1_500)
    assert ("owl", "slice") in world.refused
    seat = host.view(world).seats[1]
    assert seat is not None


# ── dropping, leaving and expiring (A21) ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("steps", ["dle", "del", "lde", "led", "edl", "eld"])
def test_a_seat_is_freed_exactly_once_in_every_order_of_drop_leave_and_expiry(steps: str) -> None:
    """A21: d drops the connection, l leaves, e lets the minute pass."""
    world = World(DealOptions(chain_length=64))
    host = world.host(LONG)
    guest = world.join(host, "owl")
    for step in steps:
        if step == "d" and guest.connection is not None:
            world.cut(guest)
        elif step == "l":
            world.mend(guest)
            world.run(1_000)
            world.act(guest, actions.Leave())
        elif step == "e":
            world.run(61_000)
    world.run(61_000)
    assert [seat.name for seat in host.view(world).seats if seat] == ["fox"]
    world.join(host, "hare")
    world.run(10)
    assert [seat.name for seat in host.view(world).seats if seat] == ["fox", "hare"]


def test_who_comes_back_during_a_vote_finds_everything_as_before() -> None:
    """A22: score, board, moves, stuck flag, vote and offer."""
    world, players = racing(LONG, 2)
    guest = players[1]
    world.press(guest, 100, times=25)
    world.run(4_000)
    world.cut(guest)
    world.run(30_000)
    world.act(players[0], actions.Agree())
    world.run(100)
    world.act(players[2], actions.Agree())
    before = guest.view(world)
    world.run(15_000)
    world.mend(guest)
    world.run_while(lambda: guest.session.line is not Line.ONLINE)
    after = guest.view(world)
    assert me(after) == me(before)
    assert after.offer is not None
    assert not after.offer.agreed


# ── hidden boards (rules 3.6) ────────────────────────────────────────────────────────────────────────────────────────


def test_no_frame_before_the_end_shows_anything_of_a_board() -> None:
    """A33: rivals and watchers are sent ticks, the table and pings; links, acks and logs to their owner alone."""
    world, players = racing(TO_64, 2)
    watcher = world.join(players[0], "mole", role=Role.WATCHER)
    world.press(players[1], 100)
    world.run_while(lambda: not heard(watcher, Ended))
    kinds = {type(message).__name__ for message in heard(watcher, object)}
    assert kinds <= {"Challenge", "Welcome", "Ping", "Pong", "TableChanged", "Ticked", "Ended", "RecordReady"}
    rival = {type(message).__name__ for message in heard(players[0], object)}
    assert "Ack" not in rival
    assert "LogPiece" not in rival


def test_public_figures_change_at_most_once_a_second() -> None:
    world, players = racing(LONG, 2)
    watcher = world.join(players[0], "mole", role=Role.WATCHER)
    world.press(players[1], 70)
    world.press(players[0], 110)
    world.run(3_333)
    world.act(players[2], actions.Agree())
    world.run(10_000)
    ticks = [Tick.decode(message.tick.body) for message in heard(watcher, Ticked) if isinstance(message, Ticked)]
    changed = {seat: start_of(watcher) for seat in range(3)}
    for before, after in pairwise(ticks):
        for seat, (old, new) in enumerate(zip(before.seats, after.seats, strict=True)):
            if (old.score, old.max_exponent, old.moves) != (new.score, new.max_exponent, new.moves):
                assert after.lobby_ms - changed[seat] >= 1_000 or old.state is not new.state
                changed[seat] = after.lobby_ms
    assert changed[0] > start_of(watcher) + 10_000


def test_a_tick_does_not_tell_when_within_its_second_somebody_moved() -> None:
    world, (host, guest) = racing(LONG)
    world.run(5_300)
    world.press(host, 1, times=1)
    world.run(3_000)
    ticks = [Tick.decode(m.tick.body) for m in heard(guest, Ticked) if isinstance(m, Ticked)]
    assert [(tick.lobby_ms - start_of(host)) % 1_000 for tick in ticks] == [0]


def test_windows_of_a_demo_hold() -> None:
    options = DealOptions(chain_length=64, windows=Windows(away_ms=2_000, countdown_ms=500))
    world, (host, guest) = racing(LONG, options=options)
    world.cut(guest)
    assert outcome(world, host) == (Termination.ALONE, (0,))
