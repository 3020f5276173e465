"""The life of a table: every phase and message, and the rules of §3 between races."""

from __future__ import annotations

import msgspec
import pytest

from engine.deck import Chain
from engine.race import Outcome, Termination
from lobby import bounds
from lobby.events import Arrived, Close, Effect, Gone, Said, Send, Woke
from lobby.opening import DealOptions
from lobby.people import Seat
from lobby.phases import ACCEPTS, CROSSES, MOVES
from lobby.seating import Seating
from lobby.table import Table
from protocol import limits, messages
from protocol.deal import Ready, commitment
from protocol.limits import Windows
from protocol.messages import FromClient, Phase, Role, Signed, TableSettings
from protocol.refusals import Refusal
from protocol.signing import Signer
from protocol.text import SafeText
from tests.world import entropy_of

SETTINGS = TableSettings(target_exponent=6)
MESSAGES: dict[type, FromClient] = {
    type(message): message
    for message in (
        messages.Ping(5), messages.Pong(5, 6), messages.Hello(bytes(32), 1, SafeText.shown("x")),
        messages.Proof(bytes(32), Role.PLAYER, bytes(64)), messages.Open("x", SETTINGS), messages.Join("1", "x"),
        messages.Sit(), messages.Stand(), messages.Leave(), messages.ChangeSettings(TableSettings(size=5)),
        messages.SayReady(Signed(b"", bytes(64))), messages.Unready(), messages.Kick(1), messages.Allow(),
        messages.Lock(locked=True), messages.Begin(), messages.Cancel(), messages.OpenNonce(bytes(32)),
        messages.Slice(b"x"), messages.Seal(Signed(b"", bytes(64))), messages.Resync(0), messages.AskLog(0),
        messages.Again(), messages.AskRecord(bytes(32), 0),
    )
}  # fmt: skip


class Player:
    """Somebody at a table, who knows how to answer a Deal."""

    def __init__(self, number: int, table: Tables, role: Role = Role.PLAYER) -> None:
        self.connection = number
        self.role = role
        self.signer = Signer(bytes([number]) * 32)
        self.nonce = bytes([number]) * 32
        self.table = table

    @property
    def key(self) -> bytes:
        return self.signer.key

    def arrive(self, *, may_sit: bool = True, name: str = "") -> list[Effect]:
        event = Arrived(self.connection, self.key, self.role, name or f"p{self.connection}", may_sit)
        return self.table.handle(event)

    def say(self, message: FromClient) -> list[Effect]:
        return self.table.handle(Said(self.connection, message))

    def ready(self) -> list[Effect]:
        return self.say(self.ready_said())

    def ready_said(self) -> messages.SayReady:
        opening = self.table.table.dealing.opening
        seat = self.table.table.seating.seat_of(self.key)
        assert seat is not None
        promise = commitment(opening.deal_hash, self.key, self.nonce)
        body = Ready(self.key, promise, seat.name, self.role is Role.COMPUTER).encode()
        return messages.SayReady(Signed(body, self.signer.sign("ready", opening.deal_hash, body)))

    def open_nonce(self) -> list[Effect]:
        return self.say(messages.OpenNonce(self.nonce))

    @property
    def seat(self) -> int | None:
        return self.table.table.seating.place_of(self.key)


class Tables:
    """One table, its clock and its people."""

    def __init__(
        self, settings: TableSettings = SETTINGS, windows: Windows = limits.WINDOWS, seed: str = "table"
    ) -> None:
        self.now_ms = 1_000_000
        self.effects: list[Effect] = []  # all there were
        self.host = Player(1, self)
        self.table = Table(
            code="123456",
            watch_code="654321",
            settings=settings,
            host=self.host.key,
            signer=Signer(b"l" * 32),
            entropy=entropy_of(seed),
            epoch=1,
            options=DealOptions(windows=windows, chain_length=512),
            now_ms=self.now_ms,
        )
        self.host.arrive()

    def handle(self, event: Arrived | Gone | Said | Woke) -> list[Effect]:
        effects = self.table.handle(event, self.now_ms)
        self.effects += effects
        return effects

    def guest(self, number: int = 2, role: Role = Role.PLAYER) -> Player:
        player = Player(number, self, role)
        player.arrive()
        return player

    def pass_ms(self, duration_ms: int, *, alive: tuple[Player, ...] = ()) -> list[Effect]:
        """Lets time pass; those `alive` are heard of all the time."""
        out: list[Effect] = []
        end_ms = self.now_ms + duration_ms
        while self.now_ms < end_ms:
            due_ms = self.table.deadline
            self.now_ms = min(end_ms, max(self.now_ms, due_ms) if due_ms is not None else end_ms, self.now_ms + 5_000)
            for player in alive:
                out += self.handle(Said(player.connection, messages.Pong(self.now_ms, 0)))
            out += self.handle(Woke())
            assert self.table.deadline is None or self.table.deadline > self.now_ms, "the deadline stands still"
        return out

    def reach(self, phase: Phase) -> Player:
        """Brings the table to a phase in the ordinary way; returns the guest."""
        guest = self.guest()
        if phase is Phase.SEATING:
            return guest
        self.host.ready()
        guest.ready()
        self.host.say(messages.Begin())
        if phase is Phase.OPENING:
            return guest
        self.host.open_nonce()
        guest.open_nonce()
        if phase is Phase.COUNTDOWN:
            return guest
        self.pass_ms(limits.WINDOWS.countdown_ms, alive=(self.host, guest))
        if phase is Phase.RACING:
            return guest
        self.end_race(guest, phase)
        return guest

    def end_race(self, guest: Player, phase: Phase) -> None:
        """The guest's connection is lost for good; the host wins alone."""
        self.handle(Gone(guest.connection))
        windows = limits.WINDOWS
        while self.table.phase is Phase.RACING:
            self.pass_ms(100, alive=(self.host,))
        if phase is Phase.SETTLING:
            return
        self.pass_ms(windows.settle_ms, alive=(self.host,))
        if phase is Phase.CLOSED:
            self.handle(Gone(self.host.connection))
            self.pass_ms(limits.EMPTY_TABLE_MS)

    def sent(self, effects: list[Effect], player: Player, kind: type) -> list[messages.FromLobby]:
        """The messages of one type to one player."""
        return [
            effect.message
            for effect in effects
            if isinstance(effect, Send) and player.connection in effect.connections and isinstance(effect.message, kind)
        ]

    def refusals(self, effects: list[Effect], player: Player) -> list[str]:
        return [m.code for m in self.sent(effects, player, messages.Refused) if isinstance(m, messages.Refused)]


REACHABLE = [phase for phase in Phase if phase is not Phase.CLOSING]  # nothing is unsealed in these races


@pytest.mark.parametrize("phase", REACHABLE)
def test_every_phase_is_reached_in_the_ordinary_way(phase: Phase) -> None:
    tables = Tables()
    tables.reach(phase)
    assert tables.table.phase is phase


@pytest.mark.parametrize("kind", list(MESSAGES), ids=[kind.__name__ for kind in MESSAGES])
@pytest.mark.parametrize("phase", REACHABLE)
def test_a_message_is_refused_as_out_of_order_exactly_where_the_table_says_so(phase: Phase, kind: type) -> None:
    tables = Tables()
    guest = tables.reach(phase)
    speaker = guest if phase not in (Phase.SETTLING, Phase.FINISHED) else tables.host
    refused = Refusal.ORDER in tables.refusals(speaker.say(MESSAGES[kind]), speaker)
    known = kind in ACCEPTS[phase] or kind in CROSSES[phase]
    assert refused == (not known and phase is not Phase.CLOSED)


@pytest.mark.parametrize("kind", list(MESSAGES), ids=[kind.__name__ for kind in MESSAGES])
@pytest.mark.parametrize("phase", REACHABLE)
def test_no_message_of_the_host_makes_a_table_raise_or_move_where_it_may_not(phase: Phase, kind: type) -> None:
    tables = Tables()
    tables.reach(phase)
    tables.host.say(MESSAGES[kind])
    assert tables.table.phase is phase or tables.table.phase in MOVES[phase]


HELD_UP = [
    (phase, kind)
    for phase in (Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING, Phase.FINISHED)
    for kind in (messages.SayReady, messages.Unready, messages.Begin, messages.Again, messages.OpenNonce)
    if (phase, kind) != (Phase.FINISHED, messages.Again)  # it begins the next race
]


@pytest.mark.parametrize(("phase", "kind"), HELD_UP, ids=[f"{phase}-{kind.__name__}" for phase, kind in HELD_UP])
def test_what_a_line_held_up_since_before_the_race_is_passed_over(phase: Phase, kind: type) -> None:
    """Worlds 9003519 and 9003807: an honest player was called out of order, five seconds and more after the key."""
    tables = Tables()
    guest = tables.reach(phase)
    speaker = guest if phase in (Phase.COUNTDOWN, Phase.RACING) else tables.host
    assert tables.refusals(speaker.say(MESSAGES[kind]), speaker) == []


def test_a_type_is_never_both_accepted_and_passed_over_in_a_phase() -> None:
    assert not any(set(ACCEPTS[phase]) & set(CROSSES[phase]) for phase in Phase)


def test_every_phase_has_its_row_in_every_table() -> None:
    assert set(ACCEPTS) == set(CROSSES) == set(MOVES) == set(Phase)


# ── who sits (rules 3.3, 3.4) ────────────────────────────────────────────────────────────────────────────────────────


def test_whoever_opens_the_link_sits_down_if_there_is_a_free_seat() -> None:
    assert Tables().guest().seat == 1


def test_whoever_finds_no_free_seat_watches_and_is_told() -> None:
    tables = Tables(TableSettings(seats=2))
    tables.guest(2)
    late = Player(3, tables)
    assert tables.refusals(late.arrive(), late) == [Refusal.FULL]
    assert late.seat is None


def test_who_came_by_the_watch_code_cannot_sit() -> None:
    tables = Tables()
    watcher = Player(3, tables)
    watcher.arrive(may_sit=False)
    assert tables.refusals(watcher.say(messages.Sit()), watcher) == [Refusal.WATCH_CODE]


def test_who_came_by_the_watch_code_is_never_told_the_table_code() -> None:
    tables = Tables()
    watcher = Player(3, tables)
    welcome = tables.sent(watcher.arrive(may_sit=False), watcher, messages.Welcome)[0]
    assert isinstance(welcome, messages.Welcome)
    assert welcome.table.code == ""


def test_a_watcher_by_the_table_code_may_sit_once_a_seat_is_free() -> None:
    tables = Tables(TableSettings(seats=2))
    guest, late = tables.guest(2), tables.guest(3)
    guest.say(messages.Stand())
    late.say(messages.Sit())
    assert (guest.seat, late.seat) == (None, 1)


def test_sitting_twice_changes_nothing() -> None:
    tables = Tables()
    guest = tables.guest()
    guest.say(messages.Sit())
    assert guest.seat == 1


def test_four_players_of_one_name_are_told_apart() -> None:
    tables = Tables()
    for number in (2, 3, 4):
        Player(number, tables).arrive(name="P1")
    assert [seat.name for seat in tables.table.seating] == ["p1", "P1 (2)", "P1 (3)", "P1 (4)"]


def test_a_name_that_cannot_be_used_does_not_sit() -> None:
    tables = Tables()
    player = Player(2, tables)
    assert tables.refusals(player.arrive(name="a\x1b[2J"), player) == [Refusal.NAME]


def test_a_freed_seats_key_may_not_sit_again_until_allowed() -> None:
    tables = Tables()
    guest = tables.guest()
    assert tables.refusals(tables.host.say(messages.Kick(1)), guest) == [Refusal.KICKED]
    assert tables.refusals(guest.say(messages.Sit()), guest) == [Refusal.KICKED]
    tables.host.say(messages.Allow())
    guest.say(messages.Sit())
    assert guest.seat == 1


def test_the_host_cannot_free_the_own_seat_an_empty_one_or_none() -> None:
    tables = Tables(TableSettings(seats=3))
    for seat in (0, 2, 3):
        tables.host.say(messages.Kick(seat))
    assert [seat is not None for seat in tables.table.seating.seats] == [True, False, False]


def test_a_locked_table_seats_nobody_new() -> None:
    tables = Tables()
    tables.host.say(messages.Lock(locked=True))
    player = Player(2, tables)
    assert tables.refusals(player.arrive(), player) == [Refusal.LOCKED]


@pytest.mark.parametrize(
    "message",
    [
        messages.Kick(0),
        messages.Allow(),
        messages.Lock(locked=True),
        messages.ChangeSettings(SETTINGS),
        messages.Begin(),
    ],
)
def test_what_only_the_host_may_is_refused_to_a_guest(message: FromClient) -> None:
    tables = Tables()
    guest = tables.guest()
    assert tables.refusals(guest.say(message), guest) == [Refusal.NOT_HOST]


@pytest.mark.parametrize("phase", [Phase.OPENING, Phase.COUNTDOWN])
def test_a_guest_cannot_cancel(phase: Phase) -> None:
    tables = Tables()
    guest = tables.reach(phase)
    assert tables.refusals(guest.say(messages.Cancel()), guest) == [Refusal.NOT_HOST]


def test_a_watcher_has_nothing_to_be_ready_for() -> None:
    tables = Tables()
    watcher = Player(3, tables, Role.WATCHER)
    watcher.arrive()
    assert tables.refusals(watcher.say(messages.Unready()), watcher) == [Refusal.NOT_SEATED]


def test_the_newest_connection_of_a_key_wins_and_the_old_one_is_told_why() -> None:
    tables = Tables()
    guest = tables.guest()
    again = Player(2, tables)
    again.connection = 9
    effects = again.arrive()
    assert tables.refusals(effects, guest) == [Refusal.REPLACED]
    assert Close(guest.connection, Refusal.REPLACED) in effects
    assert again.seat == 1


# ── ready and start (rules 3.4) ──────────────────────────────────────────────────────────────────────────────────────


def test_start_needs_a_guest() -> None:
    tables = Tables()
    tables.host.ready()
    assert tables.refusals(tables.host.say(messages.Begin()), tables.host) == [Refusal.NOT_READY]


def test_start_needs_every_guest_to_be_ready() -> None:
    tables = Tables()
    tables.guest()
    tables.host.ready()
    assert tables.refusals(tables.host.say(messages.Begin()), tables.host) == [Refusal.NOT_READY]


def test_start_needs_every_guest_to_be_connected() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.host.ready()
    guest.ready()
    tables.handle(Gone(guest.connection))
    assert tables.refusals(tables.host.say(messages.Begin()), tables.host) == [Refusal.NOT_READY]


def test_ready_may_be_taken_back() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.host.ready()
    guest.ready()
    guest.say(messages.Unready())
    assert tables.refusals(tables.host.say(messages.Begin()), tables.host) == [Refusal.NOT_READY]


def test_a_ready_for_another_deal_is_refused() -> None:
    tables = Tables()
    guest = tables.guest()
    body = Ready(guest.key, bytes(32), "p2").encode()
    forged = Signed(body, guest.signer.sign("ready", bytes(32), body))
    assert tables.refusals(guest.say(messages.SayReady(forged)), guest) == [Refusal.SIGNATURE]


def test_what_is_said_after_the_start_is_said_in_the_race_though_the_clock_is_late() -> None:
    """World 2: the lobby's machine had slept over the start, and heard what came in before it looked at its clock."""
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    start_ms = tables.table.phase_ends_ms
    assert start_ms is not None
    tables.pass_ms(start_ms - tables.now_ms - 100, alive=(tables.host, guest))
    tables.now_ms = start_ms + 1
    assert tables.refusals(guest.say(messages.Resync(0)), guest) == []
    assert tables.table.phase is Phase.RACING


def test_a_ready_that_crosses_with_a_new_deal_is_passed_over() -> None:
    """World 5000575: it was answered before it could be known that another had taken the Deal's place."""
    tables = Tables()
    guest = tables.guest()
    late = [guest.ready_said()]
    for size in (5, 6, 4):
        tables.host.say(messages.ChangeSettings(TableSettings(size=size)))
        tables.pass_ms(limits.DEAL_INTERVAL_MS, alive=(guest, tables.host))
        late.append(guest.ready_said())
    seat = tables.table.seating.seat_of(guest.key)
    assert seat is not None
    for ready in late[:-1]:
        assert tables.refusals(guest.say(ready), guest) == []
        assert seat.ready is None
    guest.say(late[-1])
    assert seat.ready is not None


def test_a_ready_in_another_name_is_refused() -> None:
    tables = Tables()
    guest = tables.guest()
    deal_hash = tables.table.dealing.opening.deal_hash
    body = Ready(guest.key, bytes(32), "p1").encode()
    other = Signed(body, guest.signer.sign("ready", deal_hash, body))
    assert tables.refusals(guest.say(messages.SayReady(other)), guest) == [Refusal.SIGNATURE]


def test_changed_settings_clear_every_ready_and_burn_the_deal() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.host.ready()
    guest.ready()
    tables.pass_ms(2_000, alive=(tables.host, guest))
    effects = tables.host.say(messages.ChangeSettings(TableSettings(size=5, target_exponent=6)))
    assert all(seat.ready is None for seat in tables.table.seating)
    assert len(tables.sent(effects, guest, messages.Burnt)) == 1
    assert len(tables.sent(effects, guest, messages.Dealt)) == 1


def test_a_burnt_chain_is_shown_at_once_though_the_next_deal_must_wait() -> None:
    tables = Tables()
    guest = tables.guest()
    deal = tables.table.dealing.opening.deal
    effects = tables.host.say(messages.ChangeSettings(TableSettings(size=5, target_exponent=6)))
    (burnt,) = tables.sent(effects, guest, messages.Burnt)
    assert isinstance(burnt, messages.Burnt)
    assert Chain(deal.chain_id, burnt.last_link, deal.chain_length).anchor == deal.anchor
    assert tables.sent(effects, guest, messages.Dealt) == []
    effects = tables.host.say(messages.ChangeSettings(TableSettings(size=6, target_exponent=6)))
    effects += tables.pass_ms(1_000, alive=(tables.host, guest))
    assert tables.sent(effects, guest, messages.Burnt) == []
    assert len(tables.sent(effects, guest, messages.Dealt)) == 1


def test_who_comes_while_no_deal_stands_is_shown_that_the_last_is_burnt() -> None:
    tables = Tables()
    tables.host.say(messages.ChangeSettings(TableSettings(size=5, target_exponent=6)))
    guest = Player(2, tables)
    effects = guest.arrive()
    assert [type(effect.message) for effect in effects if isinstance(effect, Send)][:2] == [
        messages.Welcome,
        messages.Burnt,
    ]
    guest.ready()
    assert tables.table.seating.seats[1] is not None
    assert tables.table.seating.seats[1].ready is None


def test_settings_that_are_those_already_change_nothing() -> None:
    tables = Tables()
    guest = tables.guest()
    guest.ready()
    tables.pass_ms(2_000, alive=(tables.host, guest))
    effects = tables.host.say(messages.ChangeSettings(SETTINGS))
    effects += tables.pass_ms(2_000, alive=(tables.host, guest))
    seat = tables.table.seating.seat_of(guest.key)
    assert seat is not None
    assert seat.ready is not None
    assert tables.sent(effects, guest, messages.Dealt) == []


def test_at_most_one_new_deal_a_second() -> None:
    tables = Tables()
    effects: list[Effect] = []
    for size in (5, 6, 5, 6, 5):
        effects += tables.host.say(messages.ChangeSettings(TableSettings(size=size, target_exponent=6)))
    effects += tables.pass_ms(900, alive=(tables.host,))
    assert len(tables.sent(effects, tables.host, messages.Dealt)) == 0
    assert len(tables.sent(tables.pass_ms(200, alive=(tables.host,)), tables.host, messages.Dealt)) == 1


def test_settings_with_fewer_seats_than_people_are_refused() -> None:
    tables = Tables()
    tables.guest(2)
    tables.guest(3)
    effects = tables.host.say(messages.ChangeSettings(TableSettings(seats=2)))
    assert tables.refusals(effects, tables.host) == [Refusal.SETTINGS]


def test_settings_no_table_can_have_are_refused() -> None:
    tables = Tables()
    effects = tables.host.say(messages.ChangeSettings(TableSettings(size=7)))
    assert tables.refusals(effects, tables.host) == [Refusal.SETTINGS]


# ── opening and countdown (rules 3.5, deal.md 3.4) ───────────────────────────────────────────────────────────────────


def test_a_nonce_not_opened_unreadies_that_seat_and_burns_the_chain() -> None:
    tables = Tables()
    guest = tables.reach(Phase.OPENING)
    tables.host.open_nonce()
    effects = tables.pass_ms(limits.WINDOWS.nonce_ms + 1_000, alive=(tables.host, guest))
    assert tables.table.phase is Phase.SEATING
    assert len(tables.sent(effects, guest, messages.Burnt)) == 1
    assert tables.table.dealing.answers == {tables.host.key}


def test_a_false_nonce_is_refused() -> None:
    tables = Tables()
    guest = tables.reach(Phase.OPENING)
    assert tables.refusals(guest.say(messages.OpenNonce(bytes(32))), guest) == [Refusal.SIGNATURE]


def test_who_does_not_answer_the_deal_after_a_burnt_one_loses_the_place() -> None:
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    tables.host.say(messages.Cancel())
    tables.pass_ms(1_000, alive=(tables.host, guest))
    tables.host.ready()
    tables.pass_ms(limits.WINDOWS.nonce_ms, alive=(tables.host, guest))
    assert (tables.host.seat, guest.seat) == (0, None)


def test_who_answers_the_deal_after_a_burnt_one_keeps_the_place() -> None:
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    tables.host.say(messages.Cancel())
    tables.pass_ms(1_000, alive=(tables.host, guest))
    tables.host.ready()
    guest.ready()
    tables.pass_ms(2 * limits.WINDOWS.nonce_ms, alive=(tables.host, guest))
    assert (tables.host.seat, guest.seat) == (0, 1)


def test_a_third_burn_in_a_row_asks_the_people() -> None:
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    for _ in range(2):
        tables.host.say(messages.Cancel())
        tables.pass_ms(1_000, alive=(tables.host, guest))
        tables.host.ready()
        guest.ready()
        tables.host.say(messages.Begin())
    tables.host.say(messages.Cancel())
    tables.pass_ms(20_000, alive=(tables.host, guest))
    assert (tables.host.seat, guest.seat) == (0, 1)


def test_cancel_in_the_last_moment_of_the_countdown_is_refused() -> None:
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    tables.pass_ms(limits.WINDOWS.countdown_ms - 100, alive=(tables.host, guest))
    assert tables.refusals(tables.host.say(messages.Cancel()), tables.host) == [Refusal.TOO_LATE]
    assert tables.table.phase is Phase.COUNTDOWN


def test_leaving_in_the_countdown_returns_to_seating_and_burns_the_deck() -> None:
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    guest.say(messages.Leave())
    assert tables.table.phase is Phase.SEATING
    assert guest.seat is None


def test_leaving_in_the_last_moment_of_the_countdown_is_as_in_the_race() -> None:
    tables = Tables()
    guest = tables.reach(Phase.COUNTDOWN)
    tables.pass_ms(limits.WINDOWS.countdown_ms - 100, alive=(tables.host, guest))
    guest.say(messages.Leave())
    assert tables.table.phase is Phase.COUNTDOWN
    assert guest.seat == 1


def test_a_watcher_leaving_breaks_nothing_off() -> None:
    tables = Tables()
    tables.reach(Phase.COUNTDOWN)
    watcher = tables.guest(3)
    watcher.say(messages.Leave())
    assert tables.table.phase is Phase.COUNTDOWN


def test_a_connection_lost_in_the_opening_is_away_when_the_race_starts() -> None:
    tables = Tables()
    guest = tables.reach(Phase.OPENING)
    guest.open_nonce()
    tables.handle(Gone(guest.connection))
    tables.host.open_nonce()
    assert tables.table.run is not None
    assert (
        tables.table.run.tracks[1].away_until_ms
        == tables.table.run.start_ms - limits.WINDOWS.cancel_ms + limits.WINDOWS.away_ms
    )


# ── after a race (rules 3.7-3.9) ─────────────────────────────────────────────────────────────────────────────────────


def finished() -> tuple[Tables, Player]:
    """A table after a race that the host won; the guest is back."""
    tables = Tables()
    guest = tables.reach(Phase.FINISHED)
    guest.arrive()
    return tables, guest


def test_again_deals_to_the_same_players_one_seat_on() -> None:
    tables, guest = finished()
    tables.host.say(messages.Again())
    tables.host.ready()
    guest.ready()
    assert tables.table.dealing.opening.seats_signed is not None
    assert (tables.host.seat, guest.seat) == (1, 0)


def test_a_guests_again_is_shown_to_the_host() -> None:
    tables, guest = finished()
    guest.say(messages.Again())
    seat = tables.table.view().seats[1]
    assert seat is not None
    assert seat.wants_again
    assert tables.table.phase is Phase.FINISHED


def test_whoever_is_missing_at_again_loses_the_place() -> None:
    tables, guest = finished()
    third = tables.guest(3)
    assert third.seat is None
    tables.host.say(messages.Again())
    tables.host.ready()
    tables.pass_ms(limits.WINDOWS.nonce_ms, alive=(tables.host, guest))
    assert tables.table.phase is Phase.SEATING
    assert guest.seat is None


def test_again_goes_on_without_the_missing_if_two_are_left() -> None:
    tables = Tables()
    third = tables.guest(3)
    third.ready()
    guest = tables.reach(Phase.OPENING)
    for player in (tables.host, guest, third):
        player.open_nonce()
    tables.pass_ms(limits.WINDOWS.countdown_ms, alive=(tables.host, guest, third))
    tables.handle(Gone(third.connection))
    tables.end_race(guest, Phase.FINISHED)
    third.arrive()
    tables.host.say(messages.Again())
    tables.host.ready()
    third.ready()
    tables.pass_ms(limits.WINDOWS.nonce_ms, alive=(tables.host, third))
    assert tables.table.dealing.opening.seats_signed is not None
    assert len(tables.table.seating) == 2


def gathering() -> tuple[Tables, Player, Player]:
    """The host of three has pressed Again; nobody has answered the new Deal yet."""
    tables = Tables()
    third = tables.guest(3)
    third.ready()
    guest = tables.reach(Phase.OPENING)
    for player in (tables.host, guest, third):
        player.open_nonce()
    everyone = (tables.host, guest, third)
    tables.pass_ms(limits.WINDOWS.countdown_ms, alive=everyone)
    tables.handle(Gone(guest.connection))
    tables.handle(Gone(third.connection))
    tables.end_race(guest, Phase.FINISHED)
    guest.arrive()
    third.arrive()
    tables.host.say(messages.Again())
    assert tables.table.gathering
    return tables, guest, third


def test_a_guest_who_leaves_while_another_race_is_gathered_makes_the_table_smaller() -> None:
    """A30: the others asked for a race, and two are enough for one."""
    tables, guest, third = gathering()
    tables.host.ready()
    third.ready()
    guest.say(messages.Leave())
    assert tables.table.phase is Phase.OPENING
    assert tables.table.dealing.opening.seats_signed is not None
    assert [seat.key for seat in tables.table.seating] == [tables.host.key, third.key]


def test_who_has_not_answered_is_still_waited_for_when_another_leaves() -> None:
    tables, guest, third = gathering()
    tables.host.ready()
    guest.say(messages.Leave())
    assert tables.table.gathering
    third.ready()
    assert tables.table.dealing.opening.seats_signed is not None


def test_a_host_who_leaves_while_another_race_is_gathered_hands_it_over() -> None:
    tables, guest, third = gathering()
    guest.ready()
    third.ready()
    tables.host.say(messages.Leave())
    assert tables.table.dealing.opening.seats_signed is not None
    assert tables.table.seating.host in (guest.key, third.key)


def test_a_watcher_who_leaves_while_another_race_is_gathered_changes_nothing() -> None:
    tables, _guest, _third = gathering()
    watcher = tables.guest(9, Role.WATCHER)
    watcher.say(messages.Leave())
    assert tables.table.gathering


def test_with_fewer_than_two_left_the_gathering_is_over_at_once() -> None:
    tables, guest = finished()
    tables.host.say(messages.Again())
    tables.host.ready()
    guest.say(messages.Leave())
    assert tables.table.phase is Phase.SEATING
    assert tables.table.seating.start_fault() is not None


def test_one_who_is_left_alone_while_another_race_is_gathered_is_not_dealt_in_alone() -> None:
    """The other's minute to come back ends within the five seconds of the gathering."""
    tables, guest = finished()
    watcher = tables.guest(9, Role.WATCHER)
    tables.handle(Gone(guest.connection))
    tables.pass_ms(limits.WINDOWS.away_ms - 1_000, alive=(tables.host, watcher))
    tables.host.say(messages.Again())
    tables.pass_ms(2_000, alive=(tables.host, watcher))
    assert guest.seat is None
    watcher.say(messages.Leave())
    assert tables.table.gathering
    tables.host.ready()
    assert tables.table.dealing.opening.seats_signed is None
    tables.pass_ms(5_000, alive=(tables.host,))
    assert tables.table.phase is Phase.SEATING


def test_again_with_fewer_than_two_is_refused() -> None:
    tables = Tables()
    guest = tables.reach(Phase.FINISHED)
    tables.host.say(messages.Kick(1))
    assert guest.seat is None
    assert tables.refusals(tables.host.say(messages.Again()), tables.host) == [Refusal.NOT_READY]


def test_nobody_new_sits_after_a_race_until_the_settings_are_changed() -> None:
    tables, _guest = finished()
    late = Player(5, tables)
    assert tables.refusals(late.arrive(), late) == [Refusal.RACING]
    tables.host.say(messages.ChangeSettings(TableSettings(size=5, target_exponent=6)))
    late.say(messages.Sit())
    assert late.seat == 2


def test_the_tally_of_very_many_forgets_who_has_not_raced_for_longest() -> None:
    """All of it goes out with every change of the table: a frame has an end."""
    seating = Seating(SETTINGS, b"h")
    for number in range(1_000):
        pair = [b"always", b"%d" % number]
        seating.seats = [Seat(key, SafeText.shown("x"), computer=False, since_ms=0, connection=1) for key in pair]
        seating.finish(Outcome(Termination.ALONE, (0,), 0), 0)
    assert len(seating.tally) == bounds.TALLY_MAX
    assert seating.tally[b"always"].wins == 1_000
    assert [key for key in seating.tally if key != b"always"] == [
        b"%d" % n for n in range(1_001 - bounds.TALLY_MAX, 1_000)
    ]
    most = (1 << 32) - 1
    row = messages.TallyView(key=bytes(32), name=SafeText.shown("中" * 8), wins=most, draws=most, losses=most)
    assert len(msgspec.msgpack.encode(row, enc_hook=str)) * bounds.TALLY_MAX < limits.LOBBY_FRAME_BYTES_MAX // 4


def test_of_very_many_who_were_put_out_the_first_may_sit_again() -> None:
    tables = Tables()
    guests = [Player(number, tables) for number in range(2, 6)]
    tables.table.seating.kicked.extend(b"%d" % n for n in range(bounds.KICKED_MAX - 2))
    for guest in guests[:3]:
        guest.arrive()
        tables.host.say(messages.Kick(1))
    assert len(tables.table.seating.kicked) == bounds.KICKED_MAX
    assert b"0" not in tables.table.seating.kicked
    assert [guest.key in tables.table.seating.kicked for guest in guests] == [True, True, True, False]


def test_the_tally_is_kept_through_changed_settings() -> None:
    tables, _guest = finished()
    tables.host.say(messages.ChangeSettings(TableSettings(size=5, target_exponent=6)))
    assert [(row.name, row.wins, row.losses) for row in tables.table.view().tally] == [("p1", 1, 0), ("p2", 0, 1)]


def test_a_newcomer_after_the_race_is_shown_its_end_and_record() -> None:
    tables, _guest = finished()
    late = Player(5, tables)
    welcome = tables.sent(late.arrive(), late, messages.Welcome)[0]
    assert isinstance(welcome, messages.Welcome)
    assert welcome.ended is not None
    assert welcome.record is not None


def test_the_record_is_handed_out_in_pieces_and_nothing_behind_its_end() -> None:
    tables, guest = finished()
    record = tables.table.record
    assert record is not None
    piece = tables.sent(guest.say(messages.AskRecord(record.sha256, 0)), guest, messages.RecordPiece)[0]
    assert isinstance(piece, messages.RecordPiece)
    assert record.data.startswith(piece.data)
    assert tables.refusals(guest.say(messages.AskRecord(record.sha256, 10_000_000)), guest) == [Refusal.NO_RECORD]


def test_a_record_that_is_no_longer_the_last_is_not_taken_for_it() -> None:
    tables, guest = finished()
    assert tables.refusals(guest.say(messages.AskRecord(bytes(32), 0)), guest) == [Refusal.NO_RECORD]


# ── the host and the end of a table (rules 3.10) ─────────────────────────────────────────────────────────────────────


def test_a_host_who_leaves_hands_the_table_to_the_longest_seated_person() -> None:
    tables = Tables()
    computer = tables.guest(4, Role.COMPUTER)
    guest, _other = tables.guest(2), tables.guest(3)
    tables.host.say(messages.Leave())
    assert computer.seat is not None
    assert tables.table.seating.host == guest.key


def test_a_host_who_is_disconnected_keeps_the_table_for_a_minute() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.handle(Gone(tables.host.connection))
    tables.pass_ms(59_900, alive=(guest,))
    assert tables.table.seating.host == tables.host.key
    tables.pass_ms(200, alive=(guest,))
    assert tables.table.seating.host == guest.key


def test_a_host_who_returns_in_time_is_still_host() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.handle(Gone(tables.host.connection))
    tables.pass_ms(30_000, alive=(guest,))
    tables.host.arrive()
    tables.pass_ms(60_000, alive=(guest, tables.host))
    assert tables.table.seating.host == tables.host.key


def test_a_host_who_returns_later_is_a_guest() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.handle(Gone(tables.host.connection))
    tables.pass_ms(61_000, alive=(guest,))
    tables.host.arrive()
    assert tables.host.seat is not None
    assert tables.table.seating.host == guest.key


def test_a_table_without_persons_is_handed_to_the_next_who_sits() -> None:
    tables = Tables()
    tables.guest(4, Role.COMPUTER)
    tables.host.say(messages.Leave())
    guest = tables.guest(2)
    assert tables.table.seating.host == guest.key


def test_a_guest_who_is_disconnected_between_races_keeps_the_seat_for_a_minute() -> None:
    tables = Tables()
    guest = tables.guest()
    tables.handle(Gone(guest.connection))
    tables.pass_ms(59_900, alive=(tables.host,))
    assert guest.seat == 1
    tables.pass_ms(200, alive=(tables.host,))
    assert guest.seat is None


def test_a_connection_that_is_silent_for_fifteen_seconds_is_closed() -> None:
    tables = Tables()
    guest = tables.guest()
    effects = tables.pass_ms(limits.WINDOWS.silent_ms, alive=(tables.host,))
    assert Close(guest.connection, Refusal.SILENT) in effects


def test_an_empty_table_closes_after_ten_minutes() -> None:
    tables = Tables()
    tables.handle(Gone(tables.host.connection))
    tables.pass_ms(limits.EMPTY_TABLE_MS - 100)
    assert tables.table.deadline is not None
    tables.pass_ms(200)
    assert tables.table.phase is Phase.CLOSED


def test_computer_players_do_not_keep_a_table_open() -> None:
    tables = Tables()
    computer = tables.guest(4, Role.COMPUTER)
    tables.host.say(messages.Leave())
    effects = tables.pass_ms(limits.EMPTY_TABLE_MS + 100, alive=(computer,))
    assert Close(computer.connection, Refusal.CLOSED) in effects
    assert tables.table.deadline is None


def test_what_a_stranger_says_is_not_heard() -> None:
    tables = Tables()
    assert tables.handle(Said(99, messages.Ping(1))) == []
    assert tables.handle(Gone(99)) == []


def test_a_ping_is_answered_with_the_lobbys_clock() -> None:
    tables = Tables()
    effects = tables.host.say(messages.Ping(77))
    assert tables.sent(effects, tables.host, messages.Pong) == [messages.Pong(77, tables.now_ms)]


def test_a_host_who_leaves_in_a_race_hands_the_table_over_at_once() -> None:
    tables = Tables()
    guest = tables.reach(Phase.RACING)
    tables.host.say(messages.Leave())
    assert tables.table.seating.host == guest.key


def test_who_vanishes_after_saying_ready_for_again_loses_the_place() -> None:
    tables, guest = finished()
    third = tables.guest(3)
    tables.host.say(messages.Again())
    guest.ready()
    tables.handle(Gone(guest.connection))
    tables.host.ready()
    assert tables.table.dealing.opening.seats_signed is None
    tables.pass_ms(limits.WINDOWS.nonce_ms, alive=(tables.host, third))
    assert guest.seat is None


def test_a_table_deserted_in_a_race_closes_ten_minutes_after_it_was_left() -> None:
    tables = Tables()
    guest = tables.reach(Phase.RACING)
    tables.handle(Gone(guest.connection))
    tables.handle(Gone(tables.host.connection))
    phases = []
    for duration_ms in (limits.EMPTY_TABLE_MS - 100, 200):
        tables.pass_ms(duration_ms)
        phases.append(tables.table.phase)
    assert phases == [Phase.FINISHED, Phase.CLOSED]
