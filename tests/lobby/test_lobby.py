"""The lobby's door: handshakes, codes, and what is refused there (architecture.md 5.4)."""

from __future__ import annotations

import msgspec
import pytest

from lobby.entropy import Source
from lobby.events import (
    BadFrame,
    Close,
    Connected,
    Disconnected,
    DiskFailed,
    Drained,
    Effect,
    Event,
    Forget,
    Keep,
    Persist,
    Quarantine,
    Received,
    Restored,
    SavedTable,
    Send,
    SpaceChanged,
    Unheard,
    Woke,
)
from lobby.handing_out import FinishedRecord
from lobby.lobby import Lobby
from lobby.opening import DealOptions
from lobby.table import Table
from protocol import limits, messages
from protocol.handshake import challenge_body, proof_body
from protocol.messages import FromClient, Role, TableSettings
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, verify
from protocol.text import SafeText
from tests.world import entropy_of

SETTINGS = TableSettings(target_exponent=6)
LOBBY = Signer(b"l" * 32)


class Doors:
    """A lobby and the raw connections to it."""

    def __init__(self, signer: Signer = LOBBY, seed: str = "door") -> None:
        self.now_ms = 1_000_000
        options = DealOptions(chain_length=64)
        self.lobby = Lobby(signer=signer, entropy=entropy_of(seed), epoch=1, program="test", options=options)
        self.last = 0

    def handle(self, event: Event) -> list[Effect]:
        return self.lobby.handle(event, self.now_ms)

    def caller(self, secret: bytes = b"c", address: str = "10.0.0.1") -> Caller:
        self.last += 1
        return Caller(self, self.last, Signer(secret * 32), address)


class Caller:
    """A raw client: it says what a test wants it to say."""

    def __init__(self, doors: Doors, number: int, signer: Signer, address: str) -> None:
        self.doors = doors
        self.number = number
        self.signer = signer
        self.challenge: messages.Challenge | None = None
        doors.handle(Connected(number, address))

    def say(self, message: FromClient) -> list[Effect]:
        return self.doors.handle(Received(self.number, message))

    def hello(self, protocol: int = limits.PROTOCOL_VERSION) -> list[Effect]:
        effects = self.say(messages.Hello(b"n" * 32, protocol, SafeText.shown("raw")))
        self.challenge = next((m for m in self.sent(effects) if isinstance(m, messages.Challenge)), None)
        return effects

    def proof(self, role: Role = Role.PLAYER, challenge: messages.Challenge | None = None) -> messages.Proof:
        challenge = challenge or self.challenge
        assert challenge is not None
        body = proof_body(challenge.key, challenge.nonce, self.signer.key, role, limits.PROTOCOL_VERSION)
        return messages.Proof(self.signer.key, role, self.signer.sign("proof", NO_CONTEXT, body))

    def greet(self, role: Role = Role.PLAYER) -> Caller:
        self.hello()
        self.say(self.proof(role))
        return self

    def open(self, settings: TableSettings = SETTINGS, name: str = "fox") -> list[Effect]:
        return self.say(messages.Open(name, settings))

    def join(self, code: str, name: str = "owl") -> list[Effect]:
        return self.say(messages.Join(code, name))

    def sent(self, effects: list[Effect]) -> list[messages.FromLobby]:
        return [e.message for e in effects if isinstance(e, Send) and self.number in e.connections]

    def refusals(self, effects: list[Effect]) -> list[str]:
        return [message.code for message in self.sent(effects) if isinstance(message, messages.Refused)]

    def closed(self, effects: list[Effect]) -> str | None:
        return next((e.code for e in effects if isinstance(e, Close) and e.connection == self.number), None)

    def welcome(self, effects: list[Effect]) -> messages.Welcome | None:
        return next((m for m in self.sent(effects) if isinstance(m, messages.Welcome)), None)


def table_of(doors: Doors) -> tuple[Caller, messages.TableView]:
    host = doors.caller(b"h").greet()
    welcome = host.welcome(host.open())
    assert welcome is not None
    return host, welcome.table


def refused_and_closed(caller: Caller, effects: list[Effect]) -> str | None:
    """The one code that a caller was refused and closed with."""
    assert caller.refusals(effects) == [caller.closed(effects)]
    return caller.closed(effects)


# ── the handshake ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_lobby_proves_its_key_over_the_callers_nonce() -> None:
    caller = Doors().caller()
    caller.hello()
    challenge = caller.challenge
    assert challenge is not None
    body = challenge_body(b"n" * 32, challenge.nonce, limits.PROTOCOL_VERSION)
    assert verify(LOBBY.key, "challenge", NO_CONTEXT, body, challenge.signature)


def test_whoever_has_proved_a_key_may_open_a_table_and_is_its_host() -> None:
    host, table = table_of(Doors())
    assert table.host == host.signer.key
    assert len(table.code) == limits.CODE_DIGITS_MIN


def test_another_protocol_version_is_told_the_lobbys_and_closed() -> None:
    caller = Doors().caller()
    effects = caller.hello(protocol=99)
    assert caller.challenge is not None
    assert refused_and_closed(caller, effects) == Refusal.VERSION


@pytest.mark.parametrize(
    "message",
    [
        messages.Join("123456", "x"), messages.Open("x", SETTINGS), messages.Begin(), messages.Slice(b""),
        messages.Proof(bytes(32), Role.PLAYER, bytes(64)), messages.Leave(),
    ],
)  # fmt: skip
def test_whatever_comes_before_the_hello_closes_the_connection(message: FromClient) -> None:
    caller = Doors().caller()
    assert refused_and_closed(caller, caller.say(message)) == Refusal.ORDER


@pytest.mark.parametrize("message", [messages.Join("123456", "x"), messages.Open("x", SETTINGS), messages.Begin()])
def test_whatever_comes_before_the_proof_closes_the_connection(message: FromClient) -> None:
    caller = Doors().caller()
    caller.hello()
    assert refused_and_closed(caller, caller.say(message)) == Refusal.ORDER


def test_a_second_hello_closes_the_connection() -> None:
    caller = Doors().caller()
    caller.hello()
    assert refused_and_closed(caller, caller.hello()) == Refusal.ORDER


def test_a_second_proof_closes_the_connection() -> None:
    caller = Doors().caller().greet()
    assert refused_and_closed(caller, caller.say(caller.proof())) == Refusal.ORDER


def test_a_forged_proof_closes_the_connection() -> None:
    caller = Doors().caller()
    caller.hello()
    forged = messages.Proof(Signer(b"v" * 32).key, Role.PLAYER, caller.proof().signature)
    assert refused_and_closed(caller, caller.say(forged)) == Refusal.PROOF


def test_a_proof_for_another_role_is_forged() -> None:
    caller = Doors().caller()
    caller.hello()
    honest = caller.proof(Role.COMPUTER)
    forged = messages.Proof(honest.key, Role.PLAYER, honest.signature)
    assert refused_and_closed(caller, caller.say(forged)) == Refusal.PROOF


def test_an_old_handshake_cannot_be_replayed() -> None:
    doors = Doors()
    first = doors.caller()
    first.hello()
    old = first.proof()
    second = doors.caller()
    second.hello()
    assert refused_and_closed(second, second.say(old)) == Refusal.PROOF


def test_a_handshake_with_another_lobby_cannot_be_replayed_here() -> None:
    elsewhere = Doors(Signer(b"e" * 32)).caller()
    elsewhere.hello()
    here = Doors().caller()
    here.hello()
    assert refused_and_closed(here, here.say(here.proof(challenge=elsewhere.challenge))) == Refusal.PROOF


def test_a_connection_that_does_not_come_to_a_table_is_closed_after_5_s() -> None:
    doors = Doors()
    caller = doors.caller().greet()
    assert doors.lobby.deadline == doors.now_ms + limits.HANDSHAKE_MS
    doors.now_ms += limits.HANDSHAKE_MS
    assert refused_and_closed(caller, doors.handle(Woke())) == Refusal.SILENT


def test_who_has_said_something_that_was_not_read_yet_is_not_called_silent() -> None:
    """A crowd that comes at once, as after a restart, may have to wait for longer than a handshake may take."""
    doors = Doors()
    unheard, silent = doors.caller(b"u").greet(), doors.caller(b"s").greet()
    doors.now_ms += limits.HANDSHAKE_MS
    assert doors.handle(Unheard(frozenset({unheard.number}))) == []
    assert refused_and_closed(silent, doors.handle(Woke())) == Refusal.SILENT
    assert doors.lobby.deadline == doors.now_ms + limits.HANDSHAKE_MS
    doors.now_ms += limits.HANDSHAKE_MS
    assert refused_and_closed(unheard, doors.handle(Woke())) == Refusal.SILENT


def test_who_was_unheard_for_a_moment_has_no_more_time_for_it() -> None:
    doors = Doors()
    caller = doors.caller().greet()
    doors.now_ms += limits.HANDSHAKE_MS - 1
    doors.handle(Unheard(frozenset({caller.number})))
    doors.now_ms += 1
    assert refused_and_closed(caller, doors.handle(Woke())) == Refusal.SILENT


def test_who_is_never_heard_is_closed_in_the_end() -> None:
    doors = Doors()
    caller = doors.caller().greet()
    for _ in range(limits.HANDSHAKE_LATE_MS // limits.HANDSHAKE_MS - 1):
        doors.now_ms += limits.HANDSHAKE_MS
        doors.handle(Unheard(frozenset({caller.number})))
        assert doors.handle(Woke()) == []
    doors.now_ms += limits.HANDSHAKE_MS
    doors.handle(Unheard(frozenset({caller.number})))
    assert refused_and_closed(caller, doors.handle(Woke())) == Refusal.SILENT


def test_what_comes_in_before_the_time_is_told_is_heard_however_late_it_is() -> None:
    doors = Doors()
    caller = doors.caller()
    doors.now_ms += limits.HANDSHAKE_MS + 1
    assert caller.sent(caller.say(messages.Ping(7))) == [messages.Pong(7, doors.now_ms)]


def test_whoever_is_unheard_at_a_table_or_gone_is_nobody_to_wait_for() -> None:
    doors = Doors()
    host, _ = table_of(doors)
    before = doors.lobby.deadline
    assert doors.handle(Unheard(frozenset({host.number, 999}))) == []
    assert doors.lobby.deadline == before


def test_a_ping_is_answered_before_any_table() -> None:
    doors = Doors()
    caller = doors.caller()
    assert caller.sent(caller.say(messages.Ping(7))) == [messages.Pong(7, doors.now_ms)]


def test_a_frame_that_is_no_message_closes_the_connection() -> None:
    doors = Doors()
    caller = doors.caller()
    assert refused_and_closed(caller, doors.handle(BadFrame(caller.number))) == Refusal.FRAME


def test_a_frame_that_is_no_message_costs_a_seated_player_the_connection_alone() -> None:
    doors = Doors()
    host, table = table_of(doors)
    guest = doors.caller(b"g").greet()
    guest.join(table.code)
    effects = doors.handle(BadFrame(guest.number))
    assert guest.closed(effects) == Refusal.FRAME
    changed = [m for m in host.sent(effects) if isinstance(m, messages.TableChanged)]
    assert [seat.connected for seat in changed[-1].table.seats if seat] == [True, False]


def test_what_comes_after_a_close_is_not_heard() -> None:
    doors = Doors()
    caller = doors.caller()
    doors.handle(BadFrame(caller.number))
    assert caller.hello() == []
    assert doors.handle(BadFrame(caller.number)) == []
    assert doors.handle(Disconnected(caller.number)) == []


def test_what_comes_after_a_leave_is_not_heard() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    guest = doors.caller(b"g").greet()
    guest.join(table.code)
    assert guest.closed(guest.say(messages.Leave())) == Refusal.CLOSED
    assert guest.join(table.code) == []


# ── tables and codes ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_who_is_at_a_table_cannot_open_or_join_another() -> None:
    doors = Doors()
    host, table = table_of(doors)
    assert host.refusals(host.open()) == [Refusal.ORDER]
    assert host.refusals(host.join(table.code)) == [Refusal.ORDER]
    assert doors.lobby.tables == 1


@pytest.mark.parametrize("code", ["", "000000", "12345", "abc", "1" * 24])
def test_a_wrong_code_is_refused(code: str) -> None:
    doors = Doors()
    table_of(doors)
    caller = doors.caller().greet()
    assert refused_and_closed(caller, caller.join(code)) == Refusal.NO_TABLE


def test_after_ten_wrong_codes_in_a_minute_an_address_is_refused_even_a_right_one() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    for _ in range(limits.GUESSES_MAX):
        doors.caller().greet().join("000000")
    caller = doors.caller().greet()
    assert refused_and_closed(caller, caller.join(table.code)) == Refusal.GUESSING


def test_another_address_is_not_refused_for_it() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    for _ in range(limits.GUESSES_MAX):
        doors.caller().greet().join("000000")
    caller = doors.caller(address="10.0.0.2").greet()
    assert caller.welcome(caller.join(table.code)) is not None


def test_a_minute_later_the_address_may_try_again() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    for _ in range(limits.GUESSES_MAX):
        doors.caller().greet().join("000000")
    doors.now_ms += limits.GUESS_WINDOW_MS
    caller = doors.caller().greet()
    assert caller.welcome(caller.join(table.code)) is not None


def test_who_has_a_seat_comes_back_though_somebody_guesses_from_the_same_address() -> None:
    """Behind one proxy all have one address: a stranger's guessing must not cost a player the race."""
    doors = Doors()
    _host, table = table_of(doors)
    doors.caller(b"g").greet().join(table.code)
    for _ in range(limits.GUESSES_MAX):
        doors.caller().greet().join("000000")
    again = doors.caller(b"g").greet()
    assert again.welcome(again.join(table.code)) is not None


def test_addresses_that_have_stopped_guessing_are_forgotten() -> None:
    doors = Doors()
    for number in range(20):
        doors.caller(address=f"10.0.1.{number}").greet().join("000000")
    doors.now_ms += limits.GUESS_WINDOW_MS
    doors.caller(address="10.0.2.1").greet().join("000000")
    assert len(doors.lobby.room._guesses) == 1


@pytest.mark.parametrize("name", ["", "   ", "a\x1b[2Jb", "\u202egnp", "x" * 40])
def test_a_name_that_cannot_be_used_opens_no_table_and_joins_none(name: str) -> None:
    doors = Doors()
    _host, table = table_of(doors)
    opener, joiner = doors.caller(b"o").greet(), doors.caller(b"j").greet()
    assert refused_and_closed(opener, opener.open(name=name)) == Refusal.NAME
    assert refused_and_closed(joiner, joiner.join(table.code, name=name)) == Refusal.NAME


def test_a_watcher_needs_no_name() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    watcher = doors.caller(b"w").greet(Role.WATCHER)
    assert watcher.welcome(watcher.join(table.watch_code, name="")) is not None


@pytest.mark.parametrize(
    "settings",
    [TableSettings(size=7), TableSettings(target_exponent=2), TableSettings(kind=2, time_ms=1), TableSettings(lead=0)],
)
def test_settings_no_table_can_have_open_none(settings: TableSettings) -> None:
    caller = Doors().caller().greet()
    assert refused_and_closed(caller, caller.open(settings)) == Refusal.SETTINGS


@pytest.mark.parametrize("role", [Role.WATCHER, Role.COMPUTER])
def test_only_a_person_who_plays_opens_a_table(role: Role) -> None:
    caller = Doors().caller().greet(role)
    assert refused_and_closed(caller, caller.open()) == Refusal.ORDER


def test_the_line_of_one_who_only_watches_is_not_worth_a_row() -> None:
    doors = Doors()
    _, table = table_of(doors)
    watcher = doors.caller(b"w").greet(Role.WATCHER)
    watcher.join(table.watch_code, name="")
    assert watcher.sent(watcher.say(messages.Ping(7))) == [messages.Pong(7, doors.now_ms)]
    assert watcher.say(messages.Pong(7, 0)) == []
    assert [type(effect) for effect in watcher.say(messages.Leave())].count(Persist) == 1


def test_who_comes_back_to_a_seat_by_the_watch_code_is_measured_as_every_player() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    again = doors.caller(b"h").greet()
    assert again.welcome(again.join(table.watch_code)) is not None
    assert Persist in [type(effect) for effect in again.say(messages.Pong(7, 0))]


def test_a_lobby_that_goes_down_tells_everyone_and_opens_no_table() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    assert host.sent(doors.handle(Drained())) == [messages.Drain()]
    caller = doors.caller().greet()
    assert refused_and_closed(caller, caller.open()) == Refusal.DRAINING


def test_no_two_tables_have_a_code_in_common() -> None:
    doors = Doors()
    codes: list[str] = []
    for number in range(30):
        caller = doors.caller(bytes([number]), address=f"10.0.0.{number}").greet()
        doors.now_ms += 1_000
        welcome = caller.welcome(caller.open())
        assert welcome is not None
        codes += [welcome.table.code, welcome.table.watch_code]
    assert len(set(codes)) == len(codes) == 60
    assert doors.lobby.tables == 30


def test_a_code_that_is_taken_is_drawn_again() -> None:
    doors = Doors()
    taken, free = (7).to_bytes(16, "big"), (8).to_bytes(16, "big")
    draws = [taken, taken, free, free, (9).to_bytes(16, "big")]
    doors.lobby._entropy = Source(lambda size: draws.pop(0) if size == 16 and len(draws) else b"e" * size)
    doors.lobby._tables["000007"] = doors.lobby._tables["x"] = None  # type: ignore[assignment]
    assert doors.lobby.room.free_code(doors.lobby._entropy) == "000008"


def test_codes_grow_as_the_lobby_fills() -> None:
    """A guess must hit a table less than once in 100,000."""
    doors = Doors()
    for number in range(20):
        doors.lobby._tables[str(number)] = None  # type: ignore[assignment]
    assert len(doors.lobby.room.free_code(doors.lobby._entropy)) == 7


def test_a_table_that_closed_is_gone_with_both_its_codes() -> None:
    doors = Doors()
    host, table = table_of(doors)
    doors.handle(Disconnected(host.number))
    doors.now_ms += limits.EMPTY_TABLE_MS
    doors.handle(Woke())
    assert doors.lobby.tables == 0
    assert doors.lobby.deadline is None
    for code in (table.code, table.watch_code):
        caller = doors.caller().greet()
        assert refused_and_closed(caller, caller.join(code)) == Refusal.NO_TABLE


def test_an_alarm_that_is_out_of_date_wakes_nobody() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    first_ms = doors.lobby.deadline
    assert first_ms is not None
    host.say(messages.Leave())
    doors.now_ms = first_ms
    assert doors.handle(Woke()) == []


def test_a_lobby_is_busy_as_long_as_somebody_is_connected() -> None:
    doors = Doors()
    busy = [doors.lobby.busy]
    host, _table = table_of(doors)
    busy.append(doors.lobby.busy)
    doors.handle(Disconnected(host.number))
    busy.append(doors.lobby.busy)
    assert busy == [False, True, False]


# ── what it shows of its tables ──────────────────────────────────────────────────────────────────────────────────────


def test_the_pictures_of_all_tables_are_shown_each_once_the_oldest_first() -> None:
    doors = Doors()
    assert list(doors.lobby.views()) == []
    _, first = table_of(doors)
    second = doors.caller(b"o").greet()
    welcome = second.welcome(second.open(name="owl"))
    assert welcome is not None
    assert [view.code for view in doors.lobby.views()] == [first.code, welcome.table.code]
    assert next(doors.lobby.views()) == first


# ── what it keeps, and a disk that fails ─────────────────────────────────────────────────────────────────────────────


def test_what_happens_to_a_table_is_kept_before_it_is_told() -> None:
    doors = Doors()
    host = doors.caller(b"h").greet()
    effects = host.open()
    kept = [place for place, effect in enumerate(effects) if isinstance(effect, Persist)]
    told = [place for place, effect in enumerate(effects) if isinstance(effect, Send)]
    assert [(effect.table, effect.place) for effect in effects if isinstance(effect, Persist)] == [(1, 1), (1, 2)]
    assert kept == [0, 1]
    assert min(told) > 1


def test_pings_do_not_wait_for_the_disk() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    effects = host.say(messages.Ping(5))
    assert [type(effect) for effect in effects] == [Send, Persist]


def test_a_table_that_closed_is_forgotten_by_the_journal() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    doors.handle(Disconnected(host.number))
    doors.now_ms += limits.EMPTY_TABLE_MS
    assert doors.handle(Woke())[-1] == Forget(1)


def test_a_lobby_that_stops_keeps_its_tables_and_hears_nothing_of_them_any_more() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    effects = doors.handle(Drained())
    assert [type(effect) for effect in effects] == [Send, Keep]
    assert host.say(messages.Lock(locked=True)) == []
    assert host.say(messages.Leave()) == []
    assert doors.handle(Disconnected(host.number)) == []
    doors.now_ms += 10 * limits.EMPTY_TABLE_MS
    assert doors.handle(Woke()) == []
    assert doors.lobby.deadline is None


def test_a_lobby_that_nobody_needs_forgets_its_tables() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    doors.handle(Disconnected(host.number))
    assert doors.handle(Drained(forever=True)) == [Forget(1)]


def test_a_lobby_that_stops_takes_nobody_to_a_table() -> None:
    doors = Doors()
    _host, table = table_of(doors)
    doors.handle(Drained())
    caller = doors.caller().greet()
    assert refused_and_closed(caller, caller.join(table.code)) == Refusal.DRAINING


def test_without_a_disk_all_are_told_and_only_what_changes_nothing_is_answered() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    assert host.sent(doors.handle(DiskFailed())) == [messages.Refused(Refusal.DISK)]
    assert host.say(messages.Lock(locked=True)) == []
    assert host.sent(host.say(messages.Ping(5))) == [messages.Pong(5, doors.now_ms)]
    assert host.sent(host.say(messages.AskRecord(bytes(32), 0))) == [messages.Refused(Refusal.NO_RECORD)]
    record = doors.lobby._tables[_table.code].record = FinishedRecord(b"record")
    asked = messages.AskRecord(record.sha256, 2)
    assert host.sent(host.say(asked)) == [messages.RecordPiece(record.sha256, 2, b"cord")]


@pytest.mark.parametrize("message", [messages.Begin(), messages.Again()])
def test_on_a_disk_that_is_nearly_full_the_host_starts_no_race(message: FromClient) -> None:
    doors = Doors()
    host, _table = table_of(doors)
    doors.handle(SpaceChanged(scarce=True))
    assert host.say(message) == [Send((host.number,), messages.Refused(Refusal.SPACE))]
    doors.handle(SpaceChanged(scarce=False))
    assert Refusal.SPACE not in host.refusals(host.say(message))


def test_on_a_disk_that_is_nearly_full_everything_else_goes_on() -> None:
    doors = Doors()
    host, _table = table_of(doors)
    doors.handle(SpaceChanged(scarce=True))
    assert host.refusals(host.say(messages.Lock(locked=True))) == []


def saved(effects: list[Effect]) -> SavedTable:
    rows = tuple(effect.row for effect in effects if isinstance(effect, Persist))
    return SavedTable(1, 0, b"", rows)


def test_a_lobby_that_is_started_again_has_its_tables_and_gives_new_numbers() -> None:
    doors = Doors()
    host = doors.caller(b"h").greet()
    table = saved(host.open())
    again = Doors(seed="another")
    effects = again.handle(Restored((table,), again.now_ms, 5))
    assert [type(effect) for effect in effects] == [Persist]
    assert [view.code for view in again.lobby.views()] == [view.code for view in doors.lobby.views()]
    other = again.caller(b"o").greet()
    assert {effect.table for effect in other.open() if isinstance(effect, Persist)} == {6}


@pytest.mark.parametrize("row", [b"", b"\xc1", b"nothing", msgspec.msgpack.encode([["woke"], 5, b""])])
def test_a_table_that_cannot_be_read_is_put_aside_and_the_others_are_there(row: bytes) -> None:
    doors = Doors()
    host = doors.caller(b"h").greet()
    table = saved(host.open())
    again = Doors(seed="another")
    effects = again.handle(Restored((SavedTable(2, 0, b"", (row,)), table), again.now_ms, 2))
    assert [effect.table for effect in effects if isinstance(effect, Quarantine)] == [2]
    assert again.lobby.tables == 1


@pytest.mark.parametrize("picture", [b"\xc1", b"\x01", msgspec.msgpack.encode(["object", "Rogue", {}, 0])])
def test_a_picture_that_cannot_be_read_puts_its_table_aside(picture: bytes) -> None:
    effects = Doors().handle(Restored((SavedTable(1, 5, picture, ()),), 5, 1))
    assert [type(effect) for effect in effects] == [Quarantine]


def test_a_journal_that_leads_elsewhere_puts_its_table_aside() -> None:
    """Entropy that is drawn more or less often than it was before: the program is not the one that wrote this."""
    doors = Doors()
    host = doors.caller(b"h").greet()
    rows = saved(host.open()).rows
    for entropy in (b"", b"e" * 1_000):
        event, at_ms, _ = msgspec.msgpack.decode(rows[0])
        first = msgspec.msgpack.encode([event, at_ms, entropy])
        effects = Doors().handle(Restored((SavedTable(1, 0, b"", (first, rows[1])),), 5, 1))
        assert [type(effect) for effect in effects] == [Quarantine]


def test_an_empty_journal_puts_its_table_aside() -> None:
    effects = Doors().handle(Restored((SavedTable(1, 0, b"", ()),), 5, 1))
    assert [type(effect) for effect in effects] == [Quarantine]


def test_a_table_that_had_closed_is_not_taken_up() -> None:
    doors = Doors()
    host = doors.caller(b"h").greet()
    effects = host.open()
    effects += doors.handle(Disconnected(host.number))
    doors.now_ms += limits.EMPTY_TABLE_MS
    effects += doors.handle(Woke())
    again = Doors(seed="another")
    assert again.handle(Restored((saved(effects),), doors.now_ms, 1)) == [Forget(1)]
    assert again.lobby.tables == 0


def test_a_table_that_everybody_has_left_is_taken_up_while_it_would_have_stood() -> None:
    """Whoever has its code finds it for ten minutes, killed lobby or not (rules 3.10)."""
    doors = Doors()
    host = doors.caller(b"h").greet()
    effects = host.open()
    (code,) = [view.code for view in doors.lobby.views()]
    effects += host.say(messages.Leave())
    again = Doors(seed="another")
    again.now_ms = doors.now_ms + 1_000
    again.handle(Restored((saved(effects),), doors.now_ms, 1))
    assert [view.code for view in again.lobby.views()] == [code]


def test_a_table_that_fails_is_put_aside_and_everybody_at_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    doors = Doors()
    host, table = table_of(doors)
    guest = doors.caller(b"g").greet()
    guest.join(table.code)
    other = doors.caller(b"o").greet()
    other.open()
    monkeypatch.setattr("lobby.hearing.leave", lambda *_: 1 // 0)
    effects = guest.say(messages.Leave())
    assert [type(effect) for effect in effects[:2]] == [Persist, Quarantine]
    for caller in (host, guest):
        assert refused_and_closed(caller, effects) == Refusal.BROKEN
    assert other.sent(effects) == []
    assert doors.lobby.tables == 1
    assert host.say(messages.Ping(1)) == []


def test_who_was_away_when_the_table_failed_is_told_so_as_long_as_programs_try_and_has_not_guessed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    doors = Doors()
    host, table = table_of(doors)
    monkeypatch.setattr("lobby.hearing.leave", lambda *_: 1 // 0)
    host.say(messages.Leave())
    for code in (table.code, table.watch_code) * limits.GUESSES_MAX:
        caller = doors.caller().greet()
        assert refused_and_closed(caller, caller.join(code)) == Refusal.BROKEN
    doors.now_ms += limits.EMPTY_TABLE_MS
    caller = doors.caller().greet()
    assert refused_and_closed(caller, caller.join(table.code)) == Refusal.NO_TABLE


def kept_table(doors: Doors) -> tuple[SavedTable, SavedTable, Table]:
    """A table's journal, the same as a picture with rows behind it, and the table."""
    host = doors.caller(b"h").greet()
    rows = saved(host.open()).rows
    (table,) = {table.code: table for table in doors.lobby._tables.values()}.values()
    picture = doors.lobby._journals[table.code].keep(table).picture
    return SavedTable(1, 0, b"", (*rows, b"?")), SavedTable(1, len(rows), picture, (b"?",)), table


@pytest.mark.parametrize("kept", [0, 1], ids=["rows", "picture"])
def test_who_comes_back_to_a_table_that_could_not_be_built_again_is_told_that_it_has_failed(kept: int) -> None:
    *journals, table = kept_table(Doors())
    again = Doors(seed="another")
    effects = again.handle(Restored((journals[kept],), again.now_ms, 1))
    assert [type(effect) for effect in effects] == [Quarantine]
    for code in (table.code, table.watch_code):
        caller = again.caller(b"h").greet()
        assert refused_and_closed(caller, caller.join(code)) == Refusal.BROKEN


def test_a_journal_without_its_beginning_does_not_say_whose_it_was() -> None:
    rows = saved(Doors().caller(b"h").greet().open()).rows
    again = Doors(seed="another")
    assert [type(effect) for effect in again.handle(Restored((SavedTable(1, 0, b"", rows[1:]),), 5, 1))] == [Quarantine]


def test_a_lobby_remembers_so_many_failed_tables_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobby.bounds.BROKEN_MAX", 4)
    room = Doors().lobby.room
    for number in range(4):
        room.broke((f"{number}", f"{number}w"), 1_000)
    assert [room.missing("", f"{number}", 1_000) for number in range(4)] == ["no-table", "no-table", "broken", "broken"]


def test_a_table_at_which_little_happens_does_not_hold_up_the_log_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lobby.lobby.LOG_ROWS_MAX", 20)
    doors = Doors()
    quiet = doors.caller(b"q").greet()
    quiet.open()
    busy = doors.caller(b"h").greet()
    effects = busy.open()
    for number in range(60):
        effects += busy.say(messages.Lock(locked=number % 2 == 0))
    assert [effect.table for effect in effects if isinstance(effect, Keep)] == [1, 2, 2]
