"""A running race against players who send what they must not: refused once, and nobody else notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.race import SeatState, Termination, offer_number
from lobby.events import Archive, Close, Effect, Gone, Said
from lobby.events import Send as SendEffect
from lobby.phases import ACCEPTS, CROSSES, MOVES
from protocol import messages
from protocol.limits import WINDOWS, Windows
from protocol.messages import Phase, Role, Signed, TableSettings
from protocol.movelog import Act, MoveSlice, SealBody
from protocol.refusals import Refusal
from protocol.signing import Signer
from protocol.tick import Tick
from protocol.verdict import verify_record
from tests.lobby.racers import ENDLESS, HandRace, Racer
from tests.lobby.test_table import MESSAGES, Player

TO_8 = TableSettings(target_exponent=3)
TIMED = TableSettings(kind=2, target_exponent=0, time_ms=60_000, idle_ms=0)


def two(settings: TableSettings = ENDLESS) -> tuple[HandRace, Racer, Racer]:
    """A race of two, a second old."""
    race = HandRace(settings)
    race.pass_ms(1_000)
    return race, race.racers[0], race.racers[1]


def finish(race: HandRace) -> bool:
    """Everyone else resigns; returns whether the record holds."""
    effects = []
    for racer in race.racers[1:]:
        racer.log = race.run.tracks[racer.number].log  # the lobby's word for it: what was refused is not in it
        racer.seals = race.run.tracks[racer.number].seals
        racer.player.say(messages.Resync(len(racer.log)))
        effects += racer.seal(Act.RESIGN, tick_seen=race.run.tracks[racer.number].tick_seen)
    effects += race.pass_ms(10_000)
    return all(verify_record(effect.record).ok for effect in effects if isinstance(effect, Archive))


# ── slices ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_slice_is_acknowledged_at_once_to_its_owner_alone() -> None:
    race, _host, guest = two()
    guest.move(3)
    effects = guest.slice()
    assert guest.acks(effects) == [3]
    assert race.to_others(effects, guest) == []


def _illegal(guest: Racer) -> MoveSlice:
    still = next(n for n in range(4) if guest.game.board.slide(n) is None)  # type: ignore[arg-type]
    return MoveSlice(0, 0, bytes([still]), (900,))


BAD_SLICES: dict[str, tuple[Callable[[Racer], MoveSlice], Refusal]] = {
    "out of order: a gap": (lambda guest: replace(guest.log.slice(0, 0), first=1), Refusal.SLICE),
    "a tick that was not sent yet": (lambda guest: replace(guest.log.slice(0, 0), tick_seen=1 << 40), Refusal.SLICE),
    "claimed for later than arrival + 100 ms": (
        lambda guest: MoveSlice(0, 0, bytes(guest.log.directions), (1_101,)),
        Refusal.SLICE,
    ),
}


@pytest.mark.parametrize("case", BAD_SLICES)
def test_a_bad_slice_is_refused_whole_and_once_and_nobody_else_notices(case: str) -> None:
    race, _host, guest = two()
    guest.move(1)
    make, code = BAD_SLICES[case]
    effects = guest.send_slice(make(guest))
    assert guest.refusals(effects) == [code]
    assert race.to_others(effects, guest) == []
    assert len(race.run.tracks[1].log) == 0
    assert finish(race)


def test_a_claim_of_exactly_100_ms_ahead_is_taken() -> None:
    _race, _host, guest = two()
    guest.move(1, at_ms=1_100)
    assert guest.acks(guest.slice()) == [1]


def test_an_illegal_move_is_refused() -> None:
    race, _host, guest = two()
    guest.move(4)
    still = [n for n in range(4) if guest.game.board.slide(n) is None]  # type: ignore[arg-type]
    while not still:
        guest.move(1)
        still = [n for n in range(4) if guest.game.board.slide(n) is None]  # type: ignore[arg-type]
    guest.slice()
    effects = guest.send_slice(MoveSlice(len(guest.log), 0, bytes(still[:1]), (guest.log.last_ms,)))
    assert guest.refusals(effects) == [Refusal.SLICE]
    assert len(race.run.tracks[1].log) == len(guest.log)


def test_bytes_that_are_no_slice_are_refused() -> None:
    _race, _host, guest = two()
    assert guest.refusals(guest.player.say(messages.Slice(b"\xff"))) == [Refusal.SLICE]


def test_moves_faster_than_the_bucket_are_a_flood() -> None:
    _race, _host, guest = two()
    guest.move(11, step_ms=1)
    assert guest.refusals(guest.slice()) == [Refusal.FLOOD]


def test_a_burst_of_ten_is_no_flood() -> None:
    _race, _host, guest = two()
    guest.move(10, step_ms=1)
    assert guest.acks(guest.slice()) == [10]


def test_guessing_beyond_the_links_is_refused() -> None:
    """A modified client that has guessed a draw gains nothing by it."""
    race = HandRace(replace_lead(8))
    guest = race.racers[1]
    race.pass_ms(1_000)
    track = race.run.tracks[1]
    limit = 8 * track.link_sent - 2
    guest.move(limit + 1, at_ms=1_000, step_ms=30)
    assert guest.refusals(guest.slice()) == [Refusal.SLICE]


def replace_lead(lead: int) -> TableSettings:
    return TableSettings(kind=3, target_exponent=0, lead=lead)


def test_after_a_refusal_everything_is_dropped_in_silence_until_the_resync() -> None:
    race, _host, guest = two()
    guest.move(2)
    guest.slice(first=1)
    guest.sent = 0
    effects = guest.slice() + guest.seal(Act.RESIGN)
    assert effects == []
    assert race.is_in(Phase.RACING)


def test_after_a_resync_the_log_is_taken_up_where_the_lobby_has_it() -> None:
    _race, _host, guest = two()
    guest.move(2)
    guest.slice()
    guest.move(1)
    guest.slice(first=7)
    guest.sent = 2
    guest.player.say(messages.Resync(2))
    assert guest.acks(guest.slice()) == [3]


def test_a_refusal_says_how_much_the_lobby_has() -> None:
    race, _host, guest = two()
    guest.move(2)
    guest.slice(guest.sign())
    guest.move(1)
    effects = guest.slice(first=9)
    assert race.tables.sent(effects, guest.player, messages.Refused) == [messages.Refused(Refusal.SLICE, 2, 1)]


def test_a_slice_refused_within_60_s_of_a_resync_closes_the_connection_and_the_seat_is_away() -> None:
    race, host, guest = two()
    guest.move(1)
    guest.slice(first=5)
    guest.player.say(messages.Resync(0))
    guest.sent = 0
    effects = guest.slice(first=5)
    assert Close(guest.player.connection, Refusal.SLICE) in effects
    assert race.run.tracks[1].away_until_ms == race.tables.now_ms + WINDOWS.away_ms
    host.see(effects)
    assert host.tick_seen > 0


def test_a_slice_refused_60_s_after_a_resync_is_only_refused() -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.slice(first=5)
    guest.player.say(messages.Resync(0))
    race.pass_ms(60_000)
    guest.sent = 0
    effects = guest.slice(first=5)
    assert guest.refusals(effects) == [Refusal.SLICE]
    assert Close(guest.player.connection, Refusal.SLICE) not in effects


@pytest.mark.parametrize("moves", [1, 7, 1 << 31])
def test_a_resync_that_lies_is_refused_and_nothing_is_taken_up(moves: int) -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.slice(first=5)
    assert guest.refusals(guest.player.say(messages.Resync(moves))) == [Refusal.SLICE]
    guest.sent = 0
    assert guest.slice() == []
    assert finish(race)


def test_another_connection_of_a_player_who_was_refused_starts_anew() -> None:
    """Replaced without having been lost: what was dropped on the old connection is not dropped on the new one."""
    _race, _host, guest = two()
    guest.move(1)
    guest.slice(first=5)
    guest.player.connection = 77
    guest.player.arrive()
    guest.sent = 0
    assert guest.acks(guest.slice()) == [1]


def test_who_only_watches_cannot_move_seal_or_resync() -> None:
    race, _host, _guest = two()
    watcher = race.tables.guest(9, Role.WATCHER)
    for message in (
        messages.Slice(b"x"),
        messages.Seal(Signed(b"", bytes(64))),
        messages.Resync(0),
        messages.AskLog(0),
    ):
        assert race.tables.refusals(watcher.say(message), watcher) == [Refusal.NOT_SEATED]


def test_moves_before_the_start_do_not_exist() -> None:
    race = HandRace()
    race.tables.host.say(messages.Leave())
    fresh = HandRace.__new__(HandRace)
    fresh.tables = race.tables.__class__(ENDLESS)
    guest = fresh.tables.reach(Phase.COUNTDOWN)
    racer = Racer(fresh, guest, 1)
    racer.move(1, at_ms=0)
    assert racer.slice() == []
    assert fresh.run.tracks[1].log.directions == b""


@pytest.mark.parametrize("seals", [False, True])
def test_what_was_said_before_the_start_is_asked_for_again_with_the_next(seals: bool) -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.sent = 1  # and was passed over
    guest.seals += seals
    guest.move(1)
    effects = guest.seal(Act.NONE) if seals else guest.slice()
    (refused,) = race.tables.sent(effects, guest.player, messages.Refused)
    assert isinstance(refused, messages.Refused)
    assert (refused.moves, refused.seals) == (0, 0)


def test_moves_after_the_end_are_dropped_without_a_word() -> None:
    race, host, guest = two()
    guest.move(1)
    guest.slice()
    host.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms)
    assert race.is_in(Phase.CLOSING)
    guest.move(1)
    assert guest.slice() == []
    assert len(race.run.tracks[1].log) == 1


@pytest.mark.parametrize("kind", list(MESSAGES), ids=[kind.__name__ for kind in MESSAGES])
def test_while_seals_are_awaited_a_message_is_out_of_order_exactly_where_the_table_says_so(kind: type) -> None:
    """The one phase that test_table.py's walk does not reach: there nothing is unsealed."""
    race, host, guest = two()
    guest.move(1)
    guest.slice()
    host.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms)
    assert race.is_in(Phase.CLOSING)
    refused = Refusal.ORDER in guest.refusals(guest.player.say(MESSAGES[kind]))
    assert refused == (kind not in ACCEPTS[Phase.CLOSING] + CROSSES[Phase.CLOSING])
    assert race.tables.table.phase in (Phase.CLOSING, *MOVES[Phase.CLOSING])


# ── seals ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _bad_seals(guest: Racer) -> dict[str, Signed]:
    return {
        "of another seat": guest.sign(seat=0),
        "of another signer": guest.sign(signer=Signer(b"x" * 32)),
        "with another head": guest.sign(head=bytes(32)),
        "over fewer moves": guest.sign(moves=0),
        "over more moves": guest.sign(moves=9),
        "with an old number": guest.sign(number=0),
        "of a tick not yet sent": guest.sign(tick_seen=1 << 40),
        "that is none": Signed(b"", bytes(64)),
    }


BAD_SEALS = (
    "of another seat", "of another signer", "with another head", "over fewer moves", "over more moves",
    "with an old number", "of a tick not yet sent", "that is none",
)  # fmt: skip


@pytest.mark.parametrize("case", BAD_SEALS)
def test_a_bad_seal_is_refused_once_and_says_nothing(case: str) -> None:
    race, _host, guest = two()
    guest.move(2)
    guest.slice()
    effects = guest.player.say(messages.Seal(_bad_seals(guest)[case]))
    assert guest.refusals(effects) == [Refusal.SEAL]
    assert race.to_others(effects, guest) == []
    assert race.run.tracks[1].seals == 0


@pytest.mark.parametrize("case", BAD_SEALS)
def test_a_slice_with_a_bad_seal_is_refused_whole(case: str) -> None:
    race, _host, guest = two()
    guest.move(2)
    assert guest.refusals(guest.slice(_bad_seals(guest)[case])) == [Refusal.SEAL]
    assert len(race.run.tracks[1].log) == 0


def test_a_seal_of_another_race_is_refused() -> None:
    _race, _host, guest = two()
    seal = SealBody(1, 1, 0, guest.log.head, 0, Act.RESIGN).sign(guest.player.signer, bytes(32))
    assert guest.refusals(guest.player.say(messages.Seal(seal))) == [Refusal.SEAL]


def test_nobody_can_resign_for_somebody_else() -> None:
    race, host, guest = two()
    forged = host.sign(Act.RESIGN, signer=guest.player.signer)
    guest.player.say(messages.Seal(forged))
    assert race.is_in(Phase.RACING)


def test_a_target_made_without_its_seal_is_refused() -> None:
    _race, _host, guest = two(TO_8)
    while guest.game.max_exponent < 3:
        guest.move(1)
    assert guest.refusals(guest.slice()) == [Refusal.SEAL]


def test_a_target_made_with_its_seal_ends_the_race() -> None:
    race, _host, guest = two(TO_8)
    while guest.game.max_exponent < 3:
        guest.move(1, at_ms=guest.log.last_ms + 30)
    guest.slice(guest.sign(Act.TARGET))
    assert race.is_in(Phase.SETTLING)


def test_slices_are_refused_once_a_move_older_than_8_s_is_unsealed() -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.slice()
    race.pass_ms(8_000)
    guest.move(1)
    assert guest.acks(guest.slice()) == [2]
    race.pass_ms(1)
    guest.move(1)
    assert guest.refusals(guest.slice()) == [Refusal.SEAL]


def test_a_slice_that_was_long_on_its_way_is_not_refused_for_that() -> None:
    """What an outage holds up was made in time: a client seals what it has made every 4 s."""
    race, _host, guest = two()
    guest.move(1)
    guest.slice()
    race.pass_ms(3_900)
    guest.move(1)
    made_at_ms = race.since_start_ms
    race.pass_ms(6_500)
    assert guest.log.last_ms == made_at_ms
    assert guest.acks(guest.slice()) == [2]


def test_a_slice_that_brings_its_own_seal_is_never_refused_for_that() -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.slice()
    race.pass_ms(20_000)
    guest.move(1)
    assert guest.acks(guest.slice(guest.sign())) == [2]


def test_a_long_slice_without_a_seal_cannot_spoil_the_record_of_the_others() -> None:
    """Its own moves count: a tail that no verifier takes must not come into the record."""
    race, host, guest = two()
    race.pass_ms(11_000)
    guest.move(40, step_ms=300)
    assert guest.refusals(guest.slice()) == [Refusal.SEAL]
    effects = host.seal(Act.RESIGN) + race.pass_ms(10_000)
    assert [verify_record(effect.record).ok for effect in effects if isinstance(effect, Archive)] == [True]


def test_the_first_seal_after_a_reconnect_must_say_so() -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.slice(guest.sign())
    race.tables.handle(Gone(guest.player.connection))
    guest.player.arrive()
    assert guest.refusals(guest.seal(Act.RESIGN)) == [Refusal.SEAL]
    guest.player.say(messages.Resync(1))
    assert guest.refusals(guest.seal(Act.RESUME)) == []


def test_numbers_of_seals_may_skip_but_not_repeat() -> None:
    _race, _host, guest = two()
    assert guest.refusals(guest.seal(number=5)) == []
    assert guest.refusals(guest.seal(number=5)) == [Refusal.SEAL]


# ── what is said (rules 4.7, 4.8) ────────────────────────────────────────────────────────────────────────────────────


def test_an_offer_is_told_to_all_at_once() -> None:
    race, host, guest = two()
    effects = guest.seal(Act.OFFER, offer_number(1, 1))
    host.see(effects)
    (tick,) = race.tables.sent(effects, host.player, messages.Ticked)
    assert isinstance(tick, messages.Ticked)
    offer = Tick.decode(tick.tick.body).offer
    assert offer is not None
    assert (offer.seat, offer.agreed) == (1, (1,))


def test_two_offers_at_once_the_second_is_refused() -> None:
    _race, host, guest = two()
    effects = guest.seal(Act.OFFER, offer_number(1, 1))
    host.see(effects)
    effects = host.seal(Act.OFFER, offer_number(0, 1))
    assert host.refusals(effects) == [Refusal.VOTE]


@pytest.mark.parametrize("act", [Act.AGREE, Act.REFUSE, Act.WITHDRAW])
def test_a_vote_on_no_offer_is_refused(act: Act) -> None:
    _race, _host, guest = two()
    assert guest.refusals(guest.seal(act, 9)) == [Refusal.VOTE]


def test_an_offer_in_the_name_of_another_seat_is_refused() -> None:
    _race, _host, guest = two()
    assert guest.refusals(guest.seal(Act.OFFER, offer_number(0, 1))) == [Refusal.VOTE]


def test_agreeing_before_the_offer_could_be_seen_is_refused() -> None:
    """Rules 6.4: the record of a draw that was agreed blindly would be false."""
    race, host, guest = two()
    guest.seal(Act.OFFER, offer_number(1, 1))
    assert host.refusals(host.seal(Act.AGREE, offer_number(1, 1))) == [Refusal.VOTE]
    assert race.is_in(Phase.RACING)


def test_who_agrees_in_the_very_millisecond_of_the_offer_cannot_have_seen_it() -> None:
    """Two in league could know the tick's number before; the fold has no order of seats within a millisecond."""
    race, host, guest = two()
    host.see(guest.seal(Act.OFFER, offer_number(1, 1)))
    assert host.refusals(host.seal(Act.AGREE, offer_number(1, 1))) == [Refusal.VOTE]
    race.pass_ms(1)
    host.seal(Act.AGREE, offer_number(1, 1))
    effects = race.pass_ms(5_000)
    (archive,) = [effect for effect in effects if isinstance(effect, Archive)]
    verdict = verify_record(archive.record)
    assert verdict.ok
    assert verdict.outcome is not None
    assert verdict.outcome.termination is Termination.DRAW


def test_one_who_was_away_agrees_to_an_offer_of_the_millisecond_in_which_it_returned() -> None:
    """In the fold, which takes the seats of a millisecond in their order, nobody was there to be asked."""
    race = HandRace(TableSettings(kind=3, target_exponent=0, size=3, idle_ms=0), guests=1)
    host, guest = race.racers
    stick(race, guest)
    race.tables.handle(Gone(guest.player.connection))
    race.pass_ms(70_000, but=guest)
    assert race.run.live.seats[guest.number].absent
    guest.player.arrive()
    guest.see(host.seal(Act.OFFER, offer_number(host.number, 1)))
    race.pass_ms(2_000)
    guest.seal(Act.RESUME)
    guest.seal(Act.AGREE, offer_number(host.number, 1))
    effects = race.pass_ms(6_000)
    (archive,) = [effect for effect in effects if isinstance(effect, Archive)]
    verdict = verify_record(archive.record)
    assert verdict.ok, verdict.reason
    assert verdict.outcome is not None
    assert verdict.outcome.termination is Termination.DRAW


def test_who_comes_back_in_the_settling_cannot_take_a_draw_back() -> None:
    race = HandRace(TableSettings(kind=3, target_exponent=0, size=3), guests=2)
    host, guest, third = race.racers
    stick(race, third)
    race.tables.handle(Gone(third.player.connection))
    race.pass_ms(60_000, but=third)
    host.tick_seen = 0
    host.see(guest.seal(Act.OFFER, offer_number(1, 1)))
    race.pass_ms(5, but=third)
    host.seal(Act.AGREE, offer_number(1, 1))
    third.player.arrive()
    effects = race.pass_ms(10_000)
    (archive,) = [effect for effect in effects if isinstance(effect, Archive)]
    assert verify_record(archive.record).ok


def test_a_vote_may_come_with_a_slice() -> None:
    race, _host, guest = two()
    guest.move(1)
    guest.slice(guest.sign(Act.RESIGN))
    assert race.is_in(Phase.SETTLING)


def test_resigning_twice_is_resigning_once() -> None:
    race = HandRace(guests=2)
    guest = race.racers[1]
    guest.seal(Act.RESIGN)
    assert guest.seal(Act.RESIGN) == []
    assert race.is_in(Phase.RACING)


def test_one_who_has_resigned_cannot_move_any_more() -> None:
    race = HandRace(guests=2)
    race.pass_ms(500)
    guest = race.racers[1]
    guest.seal(Act.RESIGN)
    guest.move(1)
    assert guest.refusals(guest.slice()) == [Refusal.SLICE]


# ── the settling (rules 5.3) ─────────────────────────────────────────────────────────────────────────────────────────


def test_votes_in_the_settling_of_a_draw_cannot_take_it_back() -> None:
    race, host, guest = two()
    host.see(guest.seal(Act.OFFER, offer_number(1, 1)))
    guest.tick_seen = host.tick_seen
    race.pass_ms(1)
    host.seal(Act.AGREE, offer_number(1, 1))
    assert race.is_in(Phase.SETTLING)
    assert guest.seal(Act.WITHDRAW, offer_number(1, 1)) == []
    assert guest.seal(Act.RESIGN) == []
    effects = race.pass_ms(5_000)
    (ended,) = race.tables.sent(effects, host.player, messages.Ended)
    assert isinstance(ended, messages.Ended)
    assert ended.termination == Termination.DRAW


def test_a_resignation_in_a_slice_of_the_settling_comes_too_late() -> None:
    race, host, guest = two()
    host.seal(Act.RESIGN)
    race.pass_ms(10)
    guest.move(1)
    guest.slice(guest.sign(Act.RESIGN))
    effects = race.pass_ms(5_000)
    (ended,) = race.tables.sent(effects, guest.player, messages.Ended)
    assert isinstance(ended, messages.Ended)
    assert ended.winners == (1,)


def test_agreeing_in_the_bells_millisecond_is_a_draw_by_agreement() -> None:
    """4.8 is asked before 4.5."""
    race, host, guest = two(TIMED)
    race.pass_ms(TIMED.time_ms - 2_000)
    host.see(guest.seal(Act.OFFER, offer_number(1, 1)))
    race.pass_ms(1_000)
    assert race.is_in(Phase.SETTLING)
    host.seal(Act.AGREE, offer_number(1, 1))
    effects = race.pass_ms(5_000)
    (ended,) = race.tables.sent(effects, host.player, messages.Ended)
    assert isinstance(ended, messages.Ended)
    assert ended.termination == Termination.DRAW


def test_the_sample_that_is_due_when_the_race_ends_is_not_told() -> None:
    race, host, guest = two()
    race.pass_ms(999)
    guest.move(1)
    guest.slice()
    race.tables.now_ms += 1
    effects = host.seal(Act.RESIGN)
    assert race.is_in(Phase.SETTLING)
    assert race.tables.sent(effects, guest.player, messages.Ticked) == []


def test_one_whose_connection_is_lost_in_the_settling_is_told_of_to_nobody() -> None:
    race, host, guest = two()
    host.seal(Act.RESIGN)
    effects = race.tables.handle(Gone(guest.player.connection))
    assert race.tables.sent(effects, host.player, messages.Ticked) == []


def test_links_are_not_sent_to_one_who_is_stuck_or_watches() -> None:
    race, _host, _guest = two()
    watcher = race.tables.guest(9, Role.WATCHER)
    effects = race.pass_ms(5_000)
    assert race.tables.sent(effects, watcher, messages.Link) == []


def test_a_seat_that_has_made_the_target_gets_no_more_links() -> None:
    """deal.md 4.2: it is finished, though the race is not quite over."""
    race, _host, guest = two(TableSettings(target_exponent=4, lead=8))
    while guest.game.max_exponent < 4:
        guest.move(1, at_ms=guest.log.last_ms + 30, order="0321")
    effects = guest.slice(guest.sign(Act.TARGET))
    assert race.run.tracks[1].link_allowed(1_000) > race.run.tracks[1].link_sent == 2
    assert race.tables.sent(effects, guest.player, messages.Ack) == [messages.Ack(len(guest.log))]
    guest.player.connection = 9
    (welcome,) = race.tables.sent(guest.player.arrive(), guest.player, messages.Welcome)
    assert isinstance(welcome, messages.Welcome)
    assert welcome.own is not None
    assert welcome.own.link_number == 2


def test_a_newcomer_in_the_settling_sees_a_race_that_still_runs() -> None:
    race, host, _guest = two()
    host.seal(Act.RESIGN)
    watcher = Player(9, race.tables, Role.WATCHER)
    (welcome,) = race.tables.sent(watcher.arrive(), watcher, messages.Welcome)
    assert isinstance(welcome, messages.Welcome)
    assert (welcome.table.phase, welcome.ended) == (Phase.RACING, None)


# ── windows (rules 4.6, 4.9) ─────────────────────────────────────────────────────────────────────────────────────────


def test_one_who_is_idle_and_lost_is_forfeited_by_the_window_that_ends_first() -> None:
    race = HandRace(TableSettings(kind=3, target_exponent=0, idle_ms=10_000), guests=2)
    race.pass_ms(10_000)
    track = race.run.tracks[1]
    idle_until_ms = track.idle_until_ms
    assert idle_until_ms == race.tables.now_ms + WINDOWS.away_ms
    race.pass_ms(5_000)
    race.tables.handle(Gone(2))
    assert track.away_until_ms == idle_until_ms
    race.racers[1].player.arrive()
    assert track.away_until_ms == idle_until_ms


def test_a_stuck_seat_that_is_away_is_only_not_asked_any_more() -> None:
    """4.6: a stuck seat cannot forfeit; 4.8: nor can it hold up a draw."""
    race = HandRace(TableSettings(kind=3, target_exponent=0, size=3), guests=2)
    guest = race.racers[2]
    stick(race, guest)
    race.tables.handle(Gone(guest.player.connection))
    race.pass_ms(60_000, but=guest)
    seat = race.run.live.seats[2]
    assert (seat.state, seat.absent) == (SeatState.STUCK, True)
    guest.player.arrive()
    assert not race.run.live.seats[2].absent


def stick(race: HandRace, racer: Racer) -> None:
    """Plays until nothing moves."""
    acts = {True: Act.STUCK, False: Act.NONE}
    while not racer.game.stuck:
        race.pass_ms(250)
        racer.move(6)
        racer.slice(racer.sign(acts[racer.game.stuck]))


def test_a_stuck_seat_is_told_at_once_and_gets_no_more_links() -> None:
    race = HandRace(TableSettings(kind=3, target_exponent=0, size=3), guests=2)
    stick(race, race.racers[2])
    effects = race.pass_ms(20_000)
    assert race.tables.sent(effects, race.racers[2].player, messages.Link) == []


def test_one_who_returns_after_a_forfeit_watches() -> None:
    race = HandRace(guests=2)
    guest = race.racers[1]
    race.tables.handle(Gone(guest.player.connection))
    race.pass_ms(60_000, but=guest)
    effects = guest.player.arrive()
    assert race.run.live.seats[1].state is SeatState.FORFEITED
    (welcome,) = race.tables.sent(effects, guest.player, messages.Welcome)
    assert isinstance(welcome, messages.Welcome)
    assert welcome.own is not None
    assert race.tables.sent(race.pass_ms(5_000), guest.player, messages.Link) == []


# ── the log of one's own ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_owner_alone_gets_the_own_log_back() -> None:
    race, host, guest = two()
    guest.move(5)
    guest.slice()
    (piece,) = race.tables.sent(guest.player.say(messages.AskLog(2)), guest.player, messages.LogPiece)
    assert piece == messages.LogPiece(2, bytes(guest.log.directions[2:]), tuple(guest.log.times[2:]))
    (other,) = race.tables.sent(host.player.say(messages.AskLog(0)), host.player, messages.LogPiece)
    assert other == messages.LogPiece(0, b"", ())


def test_beyond_the_own_log_there_is_nothing() -> None:
    race, _host, guest = two()
    effects: list[Effect] = guest.player.say(messages.AskLog(1 << 31))
    assert race.tables.sent(effects, guest.player, messages.LogPiece) == [messages.LogPiece(1 << 31, b"", ())]


# ── closing (rules 5.3) ──────────────────────────────────────────────────────────────────────────────────────────────


def test_closing_seals_are_awaited_for_at_most_5_s() -> None:
    race, host, guest = two()
    guest.move(1)
    guest.slice()
    host.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms + WINDOWS.closing_ms - 1)
    assert race.is_in(Phase.CLOSING)
    race.pass_ms(1)
    assert race.is_in(Phase.FINISHED)


def test_the_record_is_there_as_soon_as_all_seals_are_in() -> None:
    race, host, guest = two()
    guest.move(1)
    guest.slice()
    host.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms)
    guest.seal(Act.END)
    assert race.is_in(Phase.FINISHED)


def test_the_seal_of_one_who_was_refused_before_the_end_is_awaited_too() -> None:
    race, host, guest = two()
    guest.move(1)
    guest.slice()
    guest.slice(first=9, directions=b"\x00", times=(1_000,))
    host.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms)
    assert race.is_in(Phase.CLOSING)
    guest.player.say(messages.Resync(1))
    guest.seal(Act.END)
    assert race.is_in(Phase.FINISHED)


def test_one_who_is_not_there_is_not_waited_for() -> None:
    race = HandRace(guests=2)
    race.pass_ms(500)
    host, guest, other = race.racers
    guest.move(1)
    guest.slice()
    race.tables.handle(Gone(guest.player.connection))
    host.seal(Act.RESIGN)
    other.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms, but=guest)
    assert race.is_in(Phase.FINISHED)


def test_a_closing_seal_that_is_false_is_refused_and_the_result_stands_on_the_lobby() -> None:
    race, host, guest = two()
    guest.move(1)
    guest.slice()
    host.seal(Act.RESIGN)
    race.pass_ms(WINDOWS.settle_ms)
    assert guest.refusals(guest.seal(Act.END, head=bytes(32))) == [Refusal.SEAL]
    effects = race.pass_ms(WINDOWS.closing_ms)
    (archive,) = [effect for effect in effects if isinstance(effect, Archive)]
    verdict = verify_record(archive.record)
    assert verdict.ok
    assert [seat.unsealed for seat in verdict.seats] == [0, 1]


def test_what_was_played_after_the_outcome_is_on_no_board() -> None:
    race, host, guest = two(TIMED)
    race.pass_ms(TIMED.time_ms - 1_100)
    guest.move(1)
    guest.slice()
    race.pass_ms(150)
    guest.move(2, step_ms=40)
    guest.slice()
    effects = race.pass_ms(5_000)
    (ended,) = race.tables.sent(effects, host.player, messages.Ended)
    assert isinstance(ended, messages.Ended)
    assert ended.moves == (0, sum(t <= TIMED.time_ms for t in guest.log.times))


def test_a_short_window_of_a_demo_is_the_one_that_counts() -> None:
    race = HandRace(windows=Windows(countdown_ms=600, away_ms=2_000))
    race.tables.handle(Gone(race.racers[1].player.connection))
    race.pass_ms(2_000, but=race.racers[1])
    assert race.is_in(Phase.SETTLING)


def test_the_lobby_says_nothing_to_a_connection_that_it_does_not_know() -> None:
    race, _host, _guest = two()
    effects = race.tables.handle(Said(99, messages.Resync(0)))
    assert [effect for effect in effects if isinstance(effect, SendEffect)] == []
