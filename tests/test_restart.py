"""A lobby that is killed and started again from its journal: everything is back, and nobody loses by it (rules 5.6)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import pytest

from client.actions import Again, Agree, Leave, Resign, SetReady, Start
from client.view import Line
from engine.digest import digest
from engine.race import SeatState, Termination
from lobby.entropy import Source
from lobby.events import Durable, Effect, Event, Persist, Quarantine, Send
from lobby.journal import rebuilt
from lobby.snapshot import frozen, thaw
from protocol.limits import EMPTY_TABLE_MS
from protocol.messages import Phase, Ping, Pong, TableSettings
from protocol.record import Gap, Record
from protocol.signing import Signer
from protocol.tick import EPOCH_SHIFT, Tick
from protocol.verdict import verify_record
from tests.world import Client, World

TIMED = TableSettings(kind=2, target_exponent=0, time_ms=6_000, idle_ms=0)
ENDLESS = TableSettings(kind=3, target_exponent=0)
LOBBY = Signer(digest("test", b"lobby"))


@dataclass
class Evening:
    """Two people who want to race and do what it takes, whatever the lobby does meanwhile."""

    world: World
    host: Client
    guest: Client
    effects: list[list[Effect]] = field(default_factory=list)

    @classmethod
    def begun(cls, settings: TableSettings = TIMED, disk_ms: int = 0) -> Evening:
        world = World()
        world.disk_ms = disk_ms
        host = world.host(settings)
        guest = world.join(host, "owl", delay_ms=20)
        evening = cls(world, host, guest)
        evening._go_on()
        world.press(host, 110)
        world.press(guest, 170, "drul")
        return evening

    def _go_on(self) -> None:
        for client in (self.host, self.guest):
            view = client.view(self.world)
            me = None if view.my_seat is None else view.seats[view.my_seat]
            if view.phase is Phase.SEATING and me is not None and not me.ready and client is self.guest:
                self.world.act(client, SetReady())
            if view.can_start:
                self.world.act(client, Start())
        self.world._later(150, self._go_on)

    def to_phase(self, phase: Phase) -> None:
        self.world.run_while(lambda: self.host.view(self.world).phase is not phase)

    def race(self) -> None:
        """Until the boards are alive."""
        self.world.run_while(lambda: any(c.view(self.world).game is None for c in (self.host, self.guest)))

    def finish(self) -> bytes:
        """Returns the record, which is true and agrees with what both have seen."""
        self.world.finish(self.host, self.guest)
        assert [client.session.ending for client in (self.host, self.guest)] == ["", ""]
        assert all((check := c.view(self.world).check) is not None and check.ok for c in (self.host, self.guest))
        record = self.world.archived[-1].record
        verdict = verify_record(record)
        assert verdict.ok, verdict.reason
        assert SeatState.FORFEITED not in [seat.state for seat in verdict.seats]
        return record


# ── at every moment ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("disk_ms", [0, 35])
@pytest.mark.parametrize("killed_ms", range(0, 10_600, 530))
def test_a_lobby_that_is_killed_at_any_moment_goes_on_and_the_race_ends_true(killed_ms: int, disk_ms: int) -> None:
    evening = Evening.begun(disk_ms=disk_ms)
    evening.world.run(killed_ms)
    acknowledged = [
        0 if client.session.own is None else client.session.own.acked for client in (evening.host, evening.guest)
    ]
    racing = evening.host.view(evening.world).phase is Phase.RACING
    evening.world.restart_lobby(3_000)
    record = Record.parse(evening.finish())
    if racing:
        assert all(len(log.directions) >= moves for log, moves in zip(record.logs, acknowledged, strict=True))


def test_a_race_survives_one_kill_after_the_other() -> None:
    evening = Evening.begun(TableSettings(size=8, kind=2, target_exponent=0, time_ms=20_000, idle_ms=0), disk_ms=10)
    evening.race()
    for away_ms in (100, 2_500, 40_000, 900, 3_000):
        evening.world.run(2_300)
        evening.world.restart_lobby(away_ms)
    gaps = [Gap.decode(signed.body) for signed in Record.parse(evening.finish()).gaps]
    assert len(gaps) == 3
    assert all(gap.to_ms - gap.from_ms > 2_000 for gap in gaps)


# ── what is back ─────────────────────────────────────────────────────────────────────────────────────────────────────


def picture(world: World) -> list[object]:
    return [
        (view.code, view.watch_code, view.phase, view.settings, view.host, view.tally,
         [None if seat is None else (seat.key, seat.name, seat.ready) for seat in view.seats])
        for view in world.lobby.views()
    ]  # fmt: skip


def test_every_table_and_seat_and_the_deal_that_stands_are_back() -> None:
    world = World()
    host = world.host(ENDLESS)
    guest = world.join(host, "owl")
    world.act(guest, SetReady())
    world.host(TIMED, "second")
    world.run(1_000)
    before, deal = picture(world), guest.session.trust and guest.session.trust.signed
    world.restart_lobby()
    assert picture(world) == before
    world.run(5_000)
    assert picture(world) == before
    assert guest.session.trust is not None
    assert guest.session.trust.signed == deal
    world.act(host, Start())
    world.run_while(lambda: guest.view(world).game is None)


def test_the_tally_is_back() -> None:
    evening = Evening.begun()
    evening.finish()
    evening.world.run(100)
    before = picture(evening.world)
    evening.world.restart_lobby()
    assert picture(evening.world) == before


def test_a_draw_offer_is_back_and_lapses_as_much_later() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.run(3_000)
    evening.world.act(evening.guest, Agree())
    evening.world.run(30)
    table = next(iter(evening.world.lobby._tables.values()))
    assert table.run is not None
    before = table.run.live.offer
    assert before is not None
    evening.world.restart_lobby(20_000)
    table = next(iter(evening.world.lobby._tables.values()))
    assert table.run is not None
    offer = table.run.live.offer
    assert offer is not None
    assert (offer.number, offer.agreed) == (before.number, before.agreed)
    assert 18_900 <= offer.t_ms - before.t_ms <= 20_100


def test_the_bell_rings_as_much_later_as_the_lobby_was_away() -> None:
    evening = Evening.begun()
    evening.race()
    evening.world.run(2_000)
    evening.world.restart_lobby(60_000)
    evening.finish()
    outcome = evening.host.view(evening.world).outcome
    assert outcome is not None
    assert outcome.termination is Termination.BELL
    assert 65_000 <= outcome.t_ms <= 66_100


def test_nobody_who_was_away_before_has_less_time_to_come_back() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.cut(evening.guest)
    evening.world.run(50_000)
    evening.world.restart_lobby(100_000)
    evening.world.run(8_000)
    assert evening.host.view(evening.world).phase is Phase.RACING
    evening.world.run_while(lambda: evening.host.view(evening.world).outcome is None, limit_ms=4_000)


def test_one_who_does_not_come_back_has_a_whole_window_from_the_restart_on() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.kill_lobby()
    evening.guest.cut = True
    evening.world.run(5_000)
    evening.world.start_lobby()
    evening.world.run(59_000)
    assert evening.host.view(evening.world).phase is Phase.RACING
    evening.world.run_while(lambda: evening.host.view(evening.world).outcome is None, limit_ms=3_000)


def test_a_lobby_that_was_away_for_more_than_ten_minutes_voids_the_race() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.run(2_000)
    evening.world.kill_lobby()
    evening.world.run(590_000)  # clients give up after ten minutes
    evening.world.now_ms += 20_000
    evening.world.start_lobby()
    evening.world.run_while(lambda: not evening.world.archived)
    verdict = verify_record(evening.world.archived[0].record)
    assert verdict.ok, verdict.reason
    assert verdict.outcome is not None
    assert verdict.outcome.termination is Termination.VOID


def test_ticks_after_a_restart_have_numbers_above_all_before() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.run(2_000)
    evening.world.restart_lobby()
    evening.world.run(6_000)
    race = evening.guest.session.race
    assert race is not None
    numbers = [Tick.decode(tick[:-64]).number for tick in race.ticks]
    assert numbers == sorted(set(numbers))
    assert {number >> EPOCH_SHIFT for number in numbers} == {7, 8}


@pytest.mark.parametrize("phase", [Phase.OPENING, Phase.COUNTDOWN])
def test_a_deck_that_was_being_opened_is_burnt_and_another_is_dealt(phase: Phase) -> None:
    evening = Evening.begun(disk_ms=15)
    evening.to_phase(phase)
    trust = evening.guest.session.trust
    assert trust is not None
    before = trust.signed
    evening.world.restart_lobby()
    assert [view.phase for view in evening.world.lobby.views()] == [Phase.SEATING]
    evening.finish()
    assert trust.signed != before


def test_nobody_loses_the_seat_by_not_answering_a_lobby_that_was_away() -> None:
    evening = Evening.begun()
    evening.to_phase(Phase.OPENING)
    evening.guest.cut = True
    evening.world.restart_lobby()
    evening.world.run(50_000)
    assert [seat is not None for seat in evening.host.view(evening.world).seats][:2] == [True, True]


def test_another_race_that_was_being_gathered_is_run_after_the_restart() -> None:
    evening = Evening.begun()
    evening.finish()
    evening.world.cut(evening.guest)  # or the answers would all be there at once
    evening.world.act(evening.host, Again())
    evening.world.run(300)
    assert evening.host.view(evening.world).phase is Phase.OPENING
    evening.world.mend(evening.guest)
    evening.world.restart_lobby(1_000)
    evening.world.press(evening.host, 110)
    evening.world.run_while(lambda: len(evening.world.archived) < 2)
    assert verify_record(evening.world.archived[1].record).ok


def test_a_lobby_that_is_killed_while_a_race_settles_tells_the_same_end() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.run(2_000)
    evening.world.act(evening.guest, Resign())
    evening.world.run(60)
    assert [table.phase for table in evening.world.lobby._tables.values()][:1] == [Phase.SETTLING]
    evening.world.restart_lobby()
    assert [table.phase for table in evening.world.lobby._tables.values()][:1] == [Phase.SETTLING]
    record = Record.parse(evening.finish())
    assert record.gaps == ()
    outcome = evening.host.view(evening.world).outcome
    assert outcome is not None
    assert (outcome.termination, outcome.winners) == (Termination.ALONE, (0,))


def test_closing_seals_are_waited_for_again() -> None:
    evening = Evening.begun()
    evening.world.run_while(lambda: all(view.phase is not Phase.CLOSING for view in evening.world.lobby.views()))
    evening.world.restart_lobby(1_000)
    record = Record.parse(evening.finish())
    verdict = verify_record(evening.world.archived[0].record)
    assert [seat.unsealed for seat in verdict.seats] == [0, 0]
    assert record.gaps == ()


def test_a_table_that_everybody_has_left_is_taken_up_and_closes_when_its_time_is_up() -> None:
    world = World()
    host = world.host(ENDLESS)
    world.act(host, Leave())
    world.run(100)
    world.restart_lobby()
    assert world.lobby.tables == 1
    world.run(EMPTY_TABLE_MS)
    assert world.lobby.tables == 0
    assert not world.disk.rows


# ── the journal itself ───────────────────────────────────────────────────────────────────────────────────────────────


def tables(world: World) -> list[tuple[int, bytes]]:
    lobby = world.lobby
    return [(j.number, frozen(lobby._tables[code], j.tap)) for code, j in lobby._journals.items()]


@pytest.mark.parametrize("after_ms", range(0, 12_000, 800))
def test_a_table_is_the_fold_of_its_journal_wherever_it_is_taken_up(after_ms: int) -> None:
    """Live, read from the beginning, and from a picture and what came after: the same to the last field."""
    evening = Evening.begun()
    world = evening.world
    world.run(after_ms)
    ((number, live),) = tables(world)
    whole = world.disk.saved(number, whole=True)
    table, journal = rebuilt(whole, LOBBY, Source(os.urandom))
    assert frozen(table, journal.tap) == live
    world.disk.write(journal.keep(table))
    world.run(1_500)
    ((number, later),) = tables(world)
    table, journal = rebuilt(world.disk.saved(number), LOBBY, Source(os.urandom))
    assert frozen(table, journal.tap) == later
    assert frozen(thaw(later, LOBBY, journal.tap), journal.tap) == later


def test_long_journals_are_cut_and_lead_to_the_same_table() -> None:
    evening = Evening.begun(TableSettings(kind=2, target_exponent=0, time_ms=60_000, idle_ms=0))
    evening.world.run(60_000)
    ((number, live),) = tables(evening.world)
    assert number in evening.world.disk.kept
    saved = evening.world.disk.saved(number)
    assert len(saved.rows) <= 96 < len(evening.world.disk.rows[number])
    for each in (saved, evening.world.disk.saved(number, whole=True)):
        table, journal = rebuilt(each, LOBBY, Source(os.urandom))
        assert frozen(table, journal.tap) == live


def test_what_tells_of_something_stands_behind_the_row_that_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening.begun()
    told: list[list[Effect]] = []
    handle = evening.world.lobby.handle

    def noted(event: Event, now_ms: int) -> list[Effect]:
        effects = handle(event, now_ms)
        told.append(list(effects))
        return effects

    monkeypatch.setattr(evening.world.lobby, "handle", noted)
    evening.finish()
    at_table = [effects for effects in told if any(isinstance(effect, Persist) for effect in effects)]
    assert len(at_table) > 100
    for effects in told:
        first = next((n for n, effect in enumerate(effects) if isinstance(effect, Durable)), len(effects))
        for effect in effects[:first]:
            assert isinstance(effect, Send)
            assert isinstance(effect.message, Ping | Pong)


def test_no_move_is_acknowledged_before_the_disk_has_it() -> None:
    evening = Evening.begun(ENDLESS)
    evening.race()
    evening.world.run(2_000)
    own = evening.guest.session.own
    assert own is not None
    evening.world.run(40)
    before = own.acked
    evening.world.disk_ms = 3_000
    evening.world.run(2_900)
    assert own.acked == before < len(own.log)
    evening.world.run(1_000)
    assert own.acked > before


def test_a_table_that_fails_is_put_aside_told_and_never_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening.begun()
    evening.race()
    world = evening.world
    other = world.host(ENDLESS, "second")
    failed: list[Quarantine] = []
    handle = world.lobby.handle

    def caught(event: Event, now_ms: int) -> list[Effect]:
        effects = handle(event, now_ms)
        failed.extend(effect for effect in effects if isinstance(effect, Quarantine))
        for effect in failed:
            world.disk.write(effect)
        return [effect for effect in effects if not isinstance(effect, Quarantine)]

    monkeypatch.setattr(world.lobby, "handle", caught)
    monkeypatch.setattr("lobby.racing.RaceRun.take_slice", lambda *_: 1 // 0)
    world.run(1_000)
    assert [type(effect.error) for effect in failed] == [ZeroDivisionError]
    assert [client.session.ending for client in (evening.host, evening.guest)] == ["broken", "broken"]
    assert other.view(world).line is Line.ONLINE
    assert world.disk.rows[failed[0].table]
    world.restart_lobby()
    assert world.lobby.tables == 1
