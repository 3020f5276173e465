"""Whether there is room for another table, or at one: what is refused, and who is let in all the same (room.py)."""

from __future__ import annotations

from lobby.bounds import COMERS_MAX, Bounds
from lobby.events import Disconnected, Persist, Restored, SavedTable, Woke
from protocol import limits, messages
from protocol.messages import Phase, Role
from protocol.refusals import Refusal
from tests.lobby.test_lobby import Caller, Doors, refused_and_closed, table_of


def doors(**most) -> Doors:
    made = Doors()
    made.lobby.room.most = Bounds(**most)
    return made


def opens(where: Doors, secret: bytes, address: str = "10.0.0.1", pause_ms: int = 1_000) -> str | None:
    where.now_ms += pause_ms
    caller = where.caller(secret, address).greet()
    effects = caller.open()
    return None if caller.welcome(effects) is not None else refused_and_closed(caller, effects)


def joins(where: Doors, secret: bytes, code: str, role: Role = Role.PLAYER) -> tuple[Caller, str | None]:
    caller = where.caller(secret).greet(role)
    effects = caller.join(code)
    return caller, None if caller.welcome(effects) is not None else refused_and_closed(caller, effects)


def test_a_lobby_has_so_many_tables_and_then_says_that_it_is_full():
    where = doors(tables_max=2)
    assert [opens(where, bytes([n]), f"10.0.0.{n}") for n in (1, 2, 3)] == [None, None, Refusal.CAPACITY]
    assert where.lobby.census().full


def test_an_address_has_so_many_tables_and_others_have_their_own():
    where = doors(tables_per_address=2)
    assert [opens(where, bytes([n])) for n in (1, 2, 3)] == [None, None, Refusal.ADDRESS]
    assert opens(where, b"x", "10.0.0.2") is None
    assert not where.lobby.census().full


def test_all_addresses_of_a_household_open_tables_as_one():
    where = doors(tables_per_address=1)
    assert opens(where, b"a", "2001:db8:1:2::1") is None
    assert opens(where, b"b", "2001:db8:1:2::2") == Refusal.ADDRESS


def test_this_computer_opens_as_many_tables_as_it_likes():
    where = doors(tables_per_address=1)
    assert [opens(where, bytes([n]), "127.0.0.1") for n in (1, 2, 3)] == [None] * 3


def test_after_a_restart_a_table_counts_for_the_address_of_the_first_of_its_players_who_comes_back():
    """Addresses are not written down; who still has a table there must not have as many again."""
    before = Doors()
    host = before.caller(b"h").greet()
    rows = tuple(effect.row for effect in host.open() if isinstance(effect, Persist))
    where = doors(tables_per_address=1)
    where.handle(Restored((SavedTable(1, 0, b"", rows),), where.now_ms, 1))
    (table,) = where.lobby.views()
    assert joins(where, b"w", table.code, Role.WATCHER)[1] is None  # who only watches has opened nothing
    where.caller(b"h", "10.0.0.2").greet().join(table.code)
    assert opens(where, b"x", "10.0.0.2") == Refusal.ADDRESS
    assert opens(where, b"y", "10.0.0.1") is None


def test_a_table_that_is_closed_makes_room_for_another():
    where = doors(tables_per_address=1)
    host = where.caller(b"h").greet()
    host.open()
    where.handle(Disconnected(host.number))
    assert opens(where, b"i") == Refusal.ADDRESS
    where.now_ms += limits.EMPTY_TABLE_MS + 60_000
    where.handle(Woke())
    assert where.lobby.tables == 0
    assert opens(where, b"i") is None


def test_tables_are_not_opened_too_quickly_by_all_together():
    where = doors()
    assert opens(where, b"a", "10.0.0.1", 0) is None
    assert opens(where, b"b", "10.0.0.2", 0) is None
    assert opens(where, b"c", "10.0.0.3", 0) == Refusal.FLOOD
    assert opens(where, b"h", "127.0.0.1", 0) is None, "who is exempt waits for nobody"
    assert opens(where, b"c", "10.0.0.3", 1_000) is None
    assert opens(where, b"d", "10.0.0.4", 0) == Refusal.FLOOD


def test_addresses_whose_tables_are_closed_are_forgotten():
    where = doors()
    for number in range(50):
        host = where.caller(b"h", f"10.0.1.{number}").greet()
        host.open()
        where.handle(Disconnected(host.number))
        where.now_ms += limits.EMPTY_TABLE_MS + 60_000
        where.handle(Woke())
    assert where.lobby.tables == 0
    assert len(where.lobby.room._opened) <= 2


def test_a_lobby_has_so_many_people_at_tables_and_whoever_has_a_seat_comes_back():
    where = doors(connections_max=2)
    host, table = table_of(where)
    guest, fault = joins(where, b"g", table.code)
    assert fault is None
    full = [where.lobby.census().full]
    assert joins(where, b"x", table.code)[1] == Refusal.CAPACITY
    assert opens(where, b"y") == Refusal.CAPACITY
    where.handle(Disconnected(guest.number))
    assert [*full, where.lobby.census().full] == [True, False]
    assert joins(where, b"x", table.code)[1] is None
    assert joins(where, b"g", table.code)[1] is None, "the seat is still the guest's"
    assert host.sent(host.say(messages.Ping(1))) == [messages.Pong(1, where.now_ms)]


def test_a_table_has_so_many_watchers_and_they_keep_no_friend_out():
    where = doors(watchers_per_table=2)
    _, table = table_of(where)
    for number in (1, 2):
        assert joins(where, bytes([number]), table.watch_code, Role.WATCHER)[1] is None
    assert joins(where, b"x", table.watch_code, Role.WATCHER)[1] == Refusal.CROWDED
    assert joins(where, b"y", table.code, Role.WATCHER)[1] == Refusal.CROWDED
    assert joins(where, b"z", table.watch_code)[1] == Refusal.CROWDED
    assert joins(where, b"f", table.code)[1] is None


def test_even_by_the_table_code_not_everybody_can_come():
    where = doors(watchers_per_table=1)
    _, table = table_of(where)
    came = 0
    while joins(where, bytes([came]), table.code)[1] is None:
        came += 1
        assert came < 100
    seats = 3  # of four, one is the host's
    assert came == 1 + COMERS_MAX + seats


def test_the_lobby_tells_how_many_tables_are_in_which_phase():
    where = doors()
    table_of(where)
    opens(where, b"o")
    assert where.lobby.census().tables == {Phase.SEATING: 2}
    assert where.lobby.at_tables == 2
