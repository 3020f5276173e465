"""What people say and read on lines at a real table: plain.py and telling.py on real cores, under a virtual clock."""

from __future__ import annotations

import io

import pytest

from client.plain import PlainRace
from client.session import JoinTable
from client.telling import told
from client.tui.choices import Row, with_value
from client.tui.commands import Links
from client.view import SessionView
from client.words import advice
from engine.race import Kind
from protocol.messages import Phase, Role, TableSettings
from tests.world import Client, World

SETTINGS = TableSettings(seats=3, size=3, target_exponent=6)
LOOK_MS = 200


class Person:
    """Somebody at a table who says lines, and to whom everything is read."""

    def __init__(self, world: World, client: Client) -> None:
        self.world, self.client = world, client
        self.lines: list[str] = []
        self._out = io.StringIO()
        self._last: SessionView | None = None
        self._plain = PlainRace(lambda: client.view(world), self._act, Links("", ""), self._out, None)

    def _act(self, action):
        self.world.act(self.client, action)

    def say(self, *lines: str) -> None:
        """Says lines; the answers are read with everything else."""
        for line in lines:
            self._plain.obey(line)
            self.look()
        self.lines += self._out.getvalue().splitlines()
        self._out.seek(0)
        self._out.truncate()

    def look(self) -> None:
        view = self.client.view(self.world)
        self.lines += told(self._last, view)
        self._last = view

    def heard(self) -> list[str]:
        """Returns what was read since this was asked last."""
        lines, self.lines = self.lines, []
        return lines


class Room:
    """People at one table."""

    def __init__(self, settings: TableSettings = SETTINGS) -> None:
        self.world = World()
        self.fox = Person(self.world, self.world.host(settings))
        self.people = [self.fox]
        self.run(1_000)

    def come(self, name: str) -> Person:
        self.people.append(Person(self.world, self.world.join(self.fox.client, name)))
        self.run(1_000)
        return self.people[-1]

    def run(self, duration_ms: int) -> None:
        """Lets time pass; everyone looks now and then."""
        end_ms = self.world.now_ms + duration_ms
        while self.world.now_ms < end_ms:
            self.world.run(LOOK_MS)
            for person in self.people:
                person.look()

    def say(self, person: Person, *lines: str) -> None:
        person.say(*lines)
        self.run(1_000)

    def race(self, *guests: Person) -> None:
        for guest in guests:
            self.say(guest, "ready")
        self.say(self.fox, "start")
        self.run(4_000)
        assert self.fox.client.view(self.world).phase is Phase.RACING
        self.quiet()

    def quiet(self) -> None:
        for person in self.people:
            person.heard()


@pytest.fixture
def room() -> Room:
    return Room()


def test_new_settings_are_read_to_all_and_take_back_ready(room: Room) -> None:
    hare = room.come("hare")
    room.say(hare, "ready")
    room.quiet()
    room.say(room.fox, "settings size 4 target 128")
    for person in (room.fox, hare):
        lines = person.heard()
        assert "New settings: 4×4, first to 128, up to 3 players." in lines
        assert "hare: not ready." in lines


def test_one_who_is_put_out_reads_why_and_sits_again_once_it_is_allowed(room: Room) -> None:
    hare = room.come("hare")
    room.quiet()
    room.say(room.fox, "kick hare", "yes")
    kicked = "The host has freed your seat. You can watch; ask the host to let you back."
    assert kicked in hare.heard()
    assert "hare has left." in room.fox.heard()
    room.say(hare, "sit")
    assert kicked in hare.heard()
    room.say(room.fox, "allow")
    assert "Whoever was put out can sit again." in room.fox.heard()
    room.say(hare, "sit")
    assert "You have a seat." in hare.heard()


def test_at_a_locked_table_one_watches_and_reads_why(room: Room) -> None:
    room.say(room.fox, "lock")
    assert "The table is locked now." in room.fox.heard()
    hare = room.come("hare")
    assert "The host has locked the table. Ask the host to unlock it." in hare.heard()
    room.say(room.fox, "unlock")
    room.say(hare, "sit")
    assert "You have a seat." in hare.heard()


def test_a_draw_is_offered_refused_offered_and_agreed(room: Room) -> None:
    hare = room.come("hare")
    room.race(hare)
    room.say(room.fox, "offer")
    assert "fox offers a draw (30 s)." in hare.heard()
    room.say(hare, "refuse")
    assert "The draw offer is gone: refused, or played on." in room.fox.heard()
    room.say(room.fox, "offer")
    assert "The draw cannot be offered or answered now. Wait ten seconds; five offers a race." in room.fox.heard()
    room.run(10_000)
    room.say(hare, "offer")
    room.say(room.fox, "agree")
    for person in (room.fox, hare):
        lines = person.heard()
        assert "A draw, agreed by all who were in the race." in lines
        assert "You share first place." in lines
        assert "Won so far: fox 0 (1 drawn), hare 0 (1 drawn)" in lines
        assert "2 logs replayed, all agree" in lines


def test_after_a_race_another_is_asked_for_and_dealt_and_resigned(room: Room) -> None:
    hare = room.come("hare")
    room.race(hare)
    room.say(hare, "resign", "yes")
    room.run(3_000)
    assert "You are the only one left: hare resigned." in room.fox.heard()
    assert "fox is the only one left: hare resigned." in hare.heard()
    room.say(hare, "again")
    assert "hare asks for another race." in room.fox.heard()
    assert "You have asked for another race: the host deals it." in hare.heard()
    room.say(room.fox, "again")
    room.run(4_000)
    assert "Go!" in hare.heard()


def test_after_a_race_the_seats_are_open_again_with_the_same_settings(room: Room) -> None:
    hare = room.come("hare")
    room.race(hare)
    room.say(hare, "resign", "yes")
    room.run(3_000)
    owl = room.come("owl")
    assert "A race is on. You can watch, and sit down when it is over." in owl.heard()
    room.say(room.fox, "settings same")
    room.say(owl, "sit")
    assert "You have a seat." in owl.heard()
    assert "owl sits down." in room.fox.heard()


def test_one_who_does_not_move_is_warned_counts_as_away_and_forfeits() -> None:
    room = Room(with_value(SETTINGS, Row.IDLE, 45_000))
    hare = room.come("hare")
    room.race(hare)
    room.world.press(room.fox.client, 9_000, "uldr")
    room.run(16_000)
    assert "Move within 30 s or count as away." in hare.heard()
    room.run(20_000)
    assert "Move within 10 s or count as away." in hare.heard()
    room.run(15_000)
    assert "Away: move within 60 s or forfeit." in hare.heard()
    assert any(line.startswith("hare: away 60 s") for line in room.fox.heard())
    room.run(60_000)
    assert "You are the only one left: hare forfeited." in room.fox.heard()
    assert "fox is the only one left: hare forfeited." in hare.heard()


def test_one_who_moves_again_in_time_is_back() -> None:
    room = Room(with_value(SETTINGS, Row.IDLE, 45_000))
    hare = room.come("hare")
    room.race(hare)
    room.world.press(room.fox.client, 9_000, "uldr")
    room.run(50_000)
    room.quiet()
    room.say(hare, "wasd")
    assert "You are back in the race." in hare.heard()
    assert any(line.startswith("hare: back") for line in room.fox.heard())


def test_a_timed_race_rings_its_bell() -> None:
    room = Room(with_value(with_value(SETTINGS, Row.KIND, Kind.TIMED), Row.TIME, 60_000))
    hare = room.come("hare")
    room.race(hare)
    for person in (room.fox, hare):
        room.world.press(person.client, 2_000, "uldr" if person is hare else "dlur")
    room.run(70_000)
    lines = hare.heard()
    assert "0:30 left." in lines
    assert "0:10 left." in lines
    assert any(line.startswith(("Time is up: ", "All stuck: ")) for line in lines)


def test_who_came_only_to_watch_is_not_offered_a_seat(room: Room) -> None:
    owl = room.world.join(room.fox.client, "owl", role=Role.WATCHER)
    wren = room.world.join(room.fox.client, "wren", code=room.fox.client.view(room.world).watch_code)
    assert not owl.view(room.world).may_sit
    assert not wren.view(room.world).may_sit
    assert room.come("hare").client.view(room.world).may_sit


def test_whoever_opens_the_link_twice_reads_where_it_goes_on(room: Room) -> None:
    hare = room.come("hare")
    room.quiet()
    code = room.fox.client.view(room.world).code
    room.world.client("hare again", JoinTable(code), key="hare")
    room.run(1_000)
    ending = hare.client.view(room.world).ending  # which the command says at last, on whatever screen it was
    assert str(advice(ending)) == "You have connected from another terminal. Go on there."
