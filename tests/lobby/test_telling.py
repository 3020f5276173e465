"""When everyone at a table is told its new picture: a crowd that comes is told of once a second."""

from __future__ import annotations

from lobby.events import Effect, Gone, Said, Send
from protocol import messages
from protocol.limits import TICK_INTERVAL_MS
from protocol.messages import Phase, Role
from tests.lobby.test_table import Player, Tables


def told(tables: Tables, effects: list[Effect]) -> list[int]:
    """Returns the numbers of watchers that the host was told."""
    news = tables.sent(effects, tables.host, messages.TableChanged)
    return [message.table.watchers for message in news if isinstance(message, messages.TableChanged)]


def crowded(count: int) -> tuple[Tables, list[Player], list[int]]:
    """A race, a second old, to which so many watchers come in one moment; also what the host was told of that."""
    tables = Tables()
    guest = tables.reach(Phase.RACING)
    tables.pass_ms(TICK_INTERVAL_MS, alive=(tables.host, guest))
    tables.effects.clear()
    crowd = [tables.guest(10 + number, Role.WATCHER) for number in range(count)]
    return tables, crowd, told(tables, tables.effects)


def test_the_first_watcher_is_told_of_at_once_and_a_crowd_once_a_second() -> None:
    tables, crowd, at_once = crowded(50)
    assert at_once == [1]
    later = tables.pass_ms(TICK_INTERVAL_MS - 1, alive=(tables.host, *crowd))
    assert told(tables, later) == []
    assert told(tables, tables.pass_ms(1, alive=(tables.host,))) == [50]
    assert told(tables, tables.pass_ms(3 * TICK_INTERVAL_MS, alive=(tables.host, *crowd))) == []


def test_a_crowd_that_goes_is_told_of_once_a_second() -> None:
    tables, crowd, _ = crowded(5)
    tables.pass_ms(3 * TICK_INTERVAL_MS, alive=(tables.host,))
    gone = [tables.handle(Gone(watcher.connection)) for watcher in crowd[:3]]
    left = tables.handle(Said(crowd[3].connection, messages.Leave()))
    assert [told(tables, effects) for effects in (*gone, left)] == [[4], [], [], []]
    assert told(tables, tables.pass_ms(TICK_INTERVAL_MS, alive=(tables.host,))) == [1]


def test_what_people_act_upon_is_told_at_once_and_the_crowd_with_it() -> None:
    tables = Tables()
    guest = tables.guest()
    crowd = [tables.guest(10 + number, Role.WATCHER) for number in range(3)]
    assert told(tables, guest.say(messages.Stand())) == [4]
    assert told(tables, tables.pass_ms(2 * TICK_INTERVAL_MS, alive=(tables.host, guest, *crowd))) == []


def test_a_newcomer_is_shown_the_crowd_as_it_is() -> None:
    tables, _, _ = crowded(7)
    newcomer = Player(99, tables, Role.WATCHER)
    effects = newcomer.arrive()
    (welcome,) = (e.message for e in effects if isinstance(e, Send) and isinstance(e.message, messages.Welcome))
    assert welcome.table.watchers == 8
