"""Finding a table by its code, and choosing one from a list: what is shown, asked and said (ux.md §1)."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from typing import Any

import pytest
from wcwidth import wcswidth

from client import cli
from client.cli import nearby, tables
from client.cli.exits import UNREACHED, USAGE, Failure
from client.cli.nearby import chosen, found, table_lines
from client.cli.places import table_of
from client.discovery import LanTable, NoNetwork
from client.link import LobbyAddress, Place
from engine.race import Kind
from protocol.announcement import Announcement
from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

PIN = "7q4k2m9xb3hd5s8t"
TIMED = TableSettings(size=5, kind=Kind.TIMED, target_exponent=0, time_ms=180_000, idle_ms=0)


def lan_table(code: str = "482913", host: str = "fox", **changes: Any) -> LanTable:
    values: dict[str, Any] = {
        "watch_code": f"9{code[1:]}", "fingerprint": PIN, "settings": TableSettings(), "phase": Phase.SEATING,
        "taken": 1,
    } | changes  # fmt: skip
    return LanTable(LobbyAddress("192.168.1.23"), Announcement(code=code, host=SafeText(host), **values))


FOX = lan_table()
MIA = lan_table("771204", "mia", settings=TIMED, phase=Phase.RACING, taken=4)


class Network:
    """What is found on the network, search after search; the last is found again and again."""

    def __init__(self) -> None:
        self.searches: list[list[LanTable]] = [[]]
        self.error: NoNetwork | None = None
        self.looked = 0

    async def look_around(self, wanted: object = None, **options: object) -> tuple[LanTable, ...]:
        self.looked += 1
        if self.error is not None:
            raise self.error
        return tuple(self.searches.pop(0) if len(self.searches) > 1 else self.searches[0])


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    made = Network()
    monkeypatch.setenv("RACE2048_LAN", "on")
    monkeypatch.setattr(nearby, "look_around", made.look_around)
    return made


class Keyboard(io.StringIO):
    """What somebody types on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets the test say what is typed: both ends are a terminal then."""

    def types(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", Keyboard(text))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    return types


# ── by its code ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", [["482913"], ["482-913"], ["482", "913"], ["٤٨٢-٩١٣"], ["４８２９１３"]])
def test_a_code_in_any_script_finds_its_table_with_lobby_and_key(words: list[str], network: Network) -> None:
    network.searches = [[MIA, FOX]]
    assert table_of(words, "join") == (FOX.lobby, Place("482913", FOX.lobby, PIN))


def test_a_watch_code_finds_its_table_for_watching_only(network: Network) -> None:
    network.searches = [[FOX]]
    assert found(Place("982913"), "join") == (FOX.lobby, Place("982913", FOX.lobby, PIN, watch=True))


def test_a_link_or_an_address_is_not_looked_for(network: Network) -> None:
    place = Place("482913", LobbyAddress("10.0.0.1"))
    assert table_of(["482913", "10.0.0.1"], "join") == (place.lobby, place)
    assert network.looked == 0


def failure(place: Place, command: str = "join") -> Failure:
    with pytest.raises(Failure) as caught:
        table_of([place.code], command)
    return caught.value


def test_a_code_that_is_not_here_says_why_that_may_be_and_asks_for_the_link() -> None:
    failed = failure(Place("482913"))
    assert failed.exit_code == UNREACHED
    told = str(failed)
    for words in ("482-913", "was found on this network", "Guest Wi-Fi", "VPN", "Docker"):
        assert words in told
    assert "Ask the host for the link" in told
    assert "race2048 join LINK" in told
    assert f"protocol {PROTOCOL_VERSION}" in told


@pytest.mark.parametrize("typo", ["482914", "482931", "842913", "4829133"])
def test_a_mistyped_code_is_asked_back_with_the_command_to_type(typo: str, network: Network) -> None:
    network.searches = [[MIA, FOX]]
    told = str(failure(Place(typo), "watch"))
    assert "Did you mean 482-913, the table of fox?" in told
    assert "race2048 watch 482-913" in told


@pytest.mark.parametrize("typo", [["48291"], ["٤٨٢٩١"], ["4-8-2-9-1"], ["48", "291"]])
def test_a_code_with_too_few_digits_is_asked_back_if_one_here_is_like_it(
    typo: list[str], network: Network, capsys
) -> None:
    network.searches = [[MIA, FOX]]
    assert cli.main(["join", *typo, "--plain"]) == 2
    said = capsys.readouterr().err
    assert "six digits" in said
    assert "Did you mean 482-913, the table of fox? Then type race2048 join 482-913." in said


def test_what_is_wrong_in_another_way_is_not_looked_for(network: Network) -> None:
    assert cli.main(["join", "fox://482913", "--plain"]) == 2
    assert cli.main(["join", "48291", "192.168.1.23", "--plain"]) == 2
    assert network.looked == 0


@pytest.mark.parametrize("command", ["join", "watch", "bot"])
def test_an_empty_word_names_nothing(command: str, network: Network, capsys) -> None:
    assert cli.main([command, "", *(["--plain"] if command != "bot" else [])]) == USAGE
    assert "CODE ADDRESS" in capsys.readouterr().err
    assert network.looked == 0


def test_a_table_whose_host_is_not_there_is_meant_by_its_code_alone(network: Network) -> None:
    network.searches = [[lan_table(host="")]]
    assert "Did you mean 482-913? " in str(failure(Place("482914")))


def test_a_code_like_no_other_is_told_that_there_are_others(network: Network) -> None:
    network.searches = [[MIA, FOX]]
    told = str(failure(Place("135790")))
    assert "no table 135-790 on this network, but 2 others" in told
    assert "race2048 tables" in told
    assert "Did you mean" not in told


def test_nobody_is_ever_sent_to_a_table_beyond_this_network() -> None:
    assert "Did you mean" not in str(failure(Place("482914")))


def test_two_lobbies_with_one_code_are_not_chosen_between(network: Network) -> None:
    network.searches = [[FOX, lan_table(fingerprint="0" * 16)]]
    failed = failure(Place("482913"))
    assert failed.exit_code == UNREACHED
    assert "Several tables" in str(failed)
    assert "link" in str(failed)


def test_one_lobby_that_is_announced_twice_is_one(network: Network) -> None:
    network.searches = [[FOX, replace(FOX, lobby=LobbyAddress("10.0.0.1"))]]
    assert found(Place("482913"), "join")[0] == FOX.lobby


def test_a_computer_that_cannot_ask_its_network_says_so(network: Network) -> None:
    network.error = NoNetwork("Address already in use")
    failed = failure(Place("482913"))
    assert failed.exit_code == UNREACHED
    assert "cannot ask its network: Address already in use" in str(failed)


def test_where_looking_is_switched_off_an_address_is_asked_for(network: Network, monkeypatch) -> None:
    monkeypatch.setenv("RACE2048_LAN", "off")
    failed = failure(Place("482913"))
    assert failed.exit_code == USAGE
    assert "482913 ADDRESS" in str(failed)
    assert network.looked == 0


@pytest.mark.parametrize("words", [["join", "--plain"], ["watch", "--plain"], ["tables"]])
def test_where_looking_is_switched_off_there_is_no_list(
    words: list[str], network: Network, monkeypatch, capsys
) -> None:
    monkeypatch.setenv("RACE2048_LAN", "off")
    assert cli.main(words) == USAGE
    assert "switched off (RACE2048_LAN=off)" in capsys.readouterr().err
    assert network.looked == 0


def test_a_setting_that_does_not_exist_is_named_with_those_that_do(monkeypatch) -> None:
    monkeypatch.setenv("RACE2048_LAN", "maybe")
    failed = failure(Place("482913"))
    assert failed.exit_code == USAGE
    assert "RACE2048_LAN must be one of: on, off, loopback" in str(failed)


# ── from a list ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answers", "table"),
    [
        ("\n", FOX),
        ("1\n", FOX),
        ("2\n", MIA),
        ("٢\n", MIA),
        ("771-204\n", MIA),
        ("3\n2\n", MIA),
        ("0\nfox\n123456\n\n", FOX),
        ("q\n", None),
        ("й\n", None),
        ("", None),
    ],
)
def test_one_is_chosen_by_number_by_code_or_with_enter(
    answers: str, table: LanTable | None, network: Network, typed, capsys
) -> None:
    network.searches = [[FOX, MIA]]
    typed(answers)
    assert chosen("join") == (None if table is None else (table.lobby, table.place()))
    shown = capsys.readouterr().out
    assert "  1  482-913  fox" in shown
    assert "  2  771-204  mia" in shown
    assert "Which one? 1 to 2" in shown


def test_a_single_table_is_asked_about_all_the_same(network: Network, typed, capsys) -> None:
    network.searches = [[FOX]]
    typed("\n")
    assert chosen("join") == (FOX.lobby, FOX.place())
    assert "This one? Enter: yes" in capsys.readouterr().out


def test_one_can_look_again(network: Network, typed) -> None:
    network.searches = [[FOX], [FOX, MIA]]
    typed("r\n2\n")
    assert chosen("watch") == (MIA.lobby, MIA.place())
    assert network.looked == 2


def test_what_was_typed_is_shown_inert(network: Network, typed, capsys) -> None:
    network.searches = [[FOX]]
    typed("\x1b[2J\u202e" + "x" * 10_000 + "\n\n")
    chosen("join")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert len(shown) < 400


def test_where_nobody_can_be_asked_the_list_is_printed_with_how_to_name_one(network: Network, capsys) -> None:
    network.searches = [[FOX, MIA]]
    with pytest.raises(Failure) as caught:
        chosen("join")
    assert caught.value.exit_code == USAGE
    assert "race2048 join --plain 482-913" in str(caught.value)
    assert "  2  771-204  mia" in capsys.readouterr().out


def test_where_there_are_no_tables_nothing_is_asked(typed) -> None:
    typed("\n")
    with pytest.raises(Failure) as caught:
        chosen("join")
    assert caught.value.exit_code == UNREACHED
    assert "No table was found on this network. Guest Wi-Fi" in str(caught.value)


@pytest.mark.parametrize("command", ["join", "watch"])
def test_who_chooses_none_is_done(command: str, network: Network, typed) -> None:
    network.searches = [[FOX]]
    typed("q\n")
    assert cli.main([command, "--plain"]) == 0


def test_a_list_for_a_pipe_ends_with_the_code_for_usage(network: Network, capsys) -> None:
    network.searches = [[FOX]]
    assert cli.main(["watch", "--json"]) == 2
    captured = capsys.readouterr()
    assert "482-913" in captured.out
    assert "race2048 watch --plain 482-913" in captured.err


# ── how a table is shown ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_line_has_code_host_what_is_raced_for_and_whether_there_is_a_seat() -> None:
    assert table_lines([FOX, MIA]) == [
        "  1  482-913  fox  4×4, first to 2048          3 of 4 seats free",
        "  2  771-204  mia  5×5, highest score in 3:00  all seats taken, a race is on",
    ]


def test_a_locked_table_and_one_of_another_version_say_so() -> None:
    locked = lan_table(locked=True)
    other = lan_table("123456", settings=None, phase=None, protocol=9)
    lines = table_lines([locked, other])
    assert lines[0].endswith("3 of 4 seats free, locked")
    assert lines[1].endswith("another version (protocol 9)")


def test_lines_stay_in_columns_whatever_the_names_are() -> None:
    names = ["fox", "漢字の名前", SafeText.shown("\x1b[2J\x1b]52;c;A\x07"), SafeText.shown("\u202egnp.exe"), ""]
    lines = table_lines([lan_table(host=name) for name in names])
    starts = {wcswidth(line[: line.index("4×4")]) for line in lines}
    assert len(starts) == 1
    assert all(line.isprintable() for line in lines)


# ── race2048 tables ──────────────────────────────────────────────────────────────────────────────────────────────


def test_tables_lists_what_is_here(network: Network, capsys) -> None:
    network.searches = [[FOX, MIA]]
    assert cli.main(["tables", "--lan"]) == 0
    shown = capsys.readouterr().out
    assert "482-913" in shown
    assert "771-204" in shown


def test_tables_in_json_is_a_line_for_each_with_its_link(network: Network, capsys) -> None:
    network.searches = [[FOX, MIA, lan_table("123456", settings=None, phase=None, protocol=9)]]
    assert cli.main(["tables", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {
        "code": "482913", "watch_code": "982913", "link": f"http://192.168.1.23:2048/t/482913#{PIN}",
        "lobby": "http://192.168.1.23:2048", "fingerprint": PIN, "protocol": 1, "host": "fox", "size": 4,
        "kind": "target", "target": 2048, "time_ms": 0, "seats": 4, "taken": 1, "phase": "seating", "locked": False,
    }  # fmt: skip
    assert (lines[1]["kind"], lines[1]["target"], lines[1]["time_ms"]) == ("timed", 0, 180_000)
    assert (lines[2]["protocol"], lines[2]["size"], lines[2]["phase"], lines[2]["locked"]) == (9, None, None, None)
    assert all(line.keys() == lines[0].keys() for line in lines)


def test_no_tables_are_no_error_and_no_line_of_json(capsys) -> None:
    assert cli.main(["tables", "--json"]) == 0
    assert capsys.readouterr().out == ""
    assert cli.main(["tables"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "No table was found" in captured.err


def test_with_a_lobby_and_lan_both_are_told(network: Network, capsys, monkeypatch) -> None:
    async def checked(lobby: LobbyAddress, *, as_json: bool) -> int:
        print("lobby", lobby.url)
        return 3

    network.searches = [[FOX]]
    monkeypatch.setattr(tables, "_check", checked)
    assert cli.main(["tables", "--lobby", "h", "--lan"]) == 3
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()][:2] == ["lobby", "1"]
