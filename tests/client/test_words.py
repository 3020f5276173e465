import inspect
import re
from dataclasses import replace
from pathlib import Path

import pytest

from client import events, words
from client.view import Check, Line, TallyPicture
from client.words import (
    advice,
    alarm_words,
    all_settings_words,
    check_words,
    clock,
    clock_left,
    code_in_groups,
    dispute_words,
    exit_code,
    limits_words,
    number,
    outcome_words,
    place_words,
    say,
    say_n,
    seconds_left,
    settings_words,
    signed,
    state_words,
    tally_words,
    terms_words,
)
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.messages import Phase, TableSettings
from protocol.refusals import Refusal
from protocol.text import SafeText

from .pictures_of import SEATS, seat, view

FOX_YOU, HARE, *_ = SEATS
FOX = replace(FOX_YOU, you=False)
SETTINGS = TableSettings()


@pytest.mark.parametrize("code", [refusal.value for refusal in Refusal])
def test_every_refusal_says_what_happened(code: str) -> None:
    assert code in words.CODES
    assert advice(code).happened.endswith(".")


def test_every_reason_of_a_dropped_connection_has_words() -> None:
    named = set(re.findall(r'"([a-z-]+)"', inspect.getdoc(events.Dropped) or ""))
    assert named
    assert named <= words.CODES


def cheats() -> set[str]:
    """Every code that the client's cores can end a session with when a lobby breaks its word."""
    sources = "".join(path.read_text() for path in Path(words.__file__).parent.glob("*.py"))
    return {"".join(found) for found in re.findall(r'Cheat\("([a-z-]+)"\)|"cheat:([a-z-]+)"', sources)}


def test_every_broken_word_of_a_lobby_says_what_happened_and_not_to_play_there() -> None:
    assert len(cheats()) > 20
    for what in cheats():
        told = advice(f"cheat:{what}")
        assert f"cheat:{what}" in words.CODES
        assert told.happened.startswith("The lobby")
        assert told.remedy.startswith("Do not play there")
    assert "Do not play there" in str(advice("cheat:new"))
    assert "Do not play there" in str(advice("pin"))


def test_nothing_is_said_to_one_who_has_left() -> None:
    assert str(advice("left")) == ""


def test_a_code_that_nobody_knows_is_named_and_harmless() -> None:
    assert str(advice("new-thing")) == "The lobby says “new-thing”."
    assert "\x1b" not in str(advice("\x1b[2J"))
    assert str(advice("{name}")) == "The lobby says “{name}”."


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("", 0),
        ("closed", 0),
        ("replaced", 0),
        ("unreachable", 3),
        ("not-a-lobby", 3),
        ("no-table", 4),
        ("full", 4),
        ("kicked", 4),
        ("version", 5),
        ("something-new", 4),
        ("left", 0),
        ("pin", 1),
        ("cheat:start-mix", 1),
        ("cheat:something-new", 1),
    ],
)
def test_the_exit_code_of_an_ending(ending: str, code: int) -> None:
    assert exit_code(ending) == code


@pytest.mark.parametrize(
    ("termination", "winners", "sentence"),
    [
        (Termination.ALONE, (0,), "fox is the only one left"),
        (Termination.TARGET, (0,), "fox made 2048 first"),
        (Termination.TARGET, (0, 1), "fox, hare made 2048 at the same moment, in as many moves: a dead heat"),
        (Termination.LAST_MOVER, (1,), "hare can still move and leads: everyone else is stuck"),
        (Termination.ALL_STUCK, (0,), "All stuck: fox has the highest score"),
        (Termination.ALL_STUCK, (0, 1), "All stuck: fox, hare share the highest score, a draw"),
        (Termination.BELL, (1,), "Time is up: hare has the highest score"),
        (Termination.DRAW, (0, 1), "A draw, agreed by all who were in the race"),
        (Termination.VOID, (), "The race is void: the lobby could not see it to its end"),
    ],
)
def test_an_outcome_in_words(termination: Termination, winners: tuple[int, ...], sentence: str) -> None:
    assert outcome_words(Outcome(termination, winners, 1), (FOX, HARE), SETTINGS) == sentence


def test_who_is_left_alone_is_told_how_the_others_left() -> None:
    seats = (FOX, replace(HARE, state=SeatState.RESIGNED), replace(SEATS[2], state=SeatState.FORFEITED))
    alone = Outcome(Termination.ALONE, (0,), 1)
    assert outcome_words(alone, seats, SETTINGS) == "fox is the only one left: hare resigned, owl forfeited"


def test_a_race_that_nobody_was_left_in_is_void() -> None:
    seats = tuple(replace(each, state=SeatState.FORFEITED) for each in (FOX, HARE))
    assert outcome_words(Outcome(Termination.VOID, (), 1), seats, SETTINGS).endswith("nobody was left in it")


@pytest.mark.parametrize("termination", Termination)
def test_no_outcome_is_without_words_whoever_won(termination: Termination) -> None:
    for winners in ((), (0,), (1,), (0, 1), (7,)):
        assert outcome_words(Outcome(termination, winners, 1), (FOX_YOU, HARE, None), SETTINGS)


def test_your_own_victory_is_told_as_yours() -> None:
    outcome = Outcome(Termination.TARGET, (0,), 1)
    assert outcome_words(outcome, (FOX_YOU, HARE), SETTINGS) == "You made 2048 first"
    assert place_words(view(Phase.FINISHED)) == "You have won!"


def test_a_loser_is_told_the_place() -> None:
    seats = (replace(FOX_YOU, place=3), *SEATS[1:])
    assert place_words(view(Phase.FINISHED, seats=seats)) == "Your place: 3 of 4."


def test_a_void_race_does_not_count() -> None:
    assert place_words(view(Phase.FINISHED, outcome=Outcome(Termination.VOID, (), 1))) == "It does not count."


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (TableSettings(), "4×4, first to 2048"),
        (TableSettings(size=5, kind=Kind.TIMED, target_exponent=0, time_ms=180_000), "5×5, highest score in 3:00"),
        (TableSettings(size=3, kind=Kind.ENDLESS, target_exponent=0), "3×3, last one moving"),
    ],
)
def test_settings_in_words(settings: TableSettings, sentence: str) -> None:
    assert settings_words(settings) == sentence
    assert all_settings_words(settings).startswith(f"{sentence}, up to 4 players")


def test_what_is_unusual_about_a_deck_is_told_first() -> None:
    strict = view(Phase.SEATING, settings=TableSettings(lead=16))
    assert terms_words(strict) == "strict"
    assert terms_words(replace(strict, seeded=True)) == "dealt from a seed: no fair race, strict"
    assert terms_words(view(Phase.SEATING, unusual=True)) == "unusual time limits or deck"
    assert terms_words(view(Phase.SEATING)) == ""


def test_limits_are_told_only_where_they_are_not_the_usual() -> None:
    timed = TableSettings(kind=Kind.TIMED, target_exponent=0, time_ms=60_000, idle_ms=0)
    assert [limits_words(settings) for settings in (TableSettings(), timed)] == ["", ""]
    assert limits_words(TableSettings(idle_ms=0, lead=16)) == "no idle limit, strict"
    assert limits_words(TableSettings(idle_ms=90_000, lead=40)) == "idle limit 90 s, lead 40"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "racing"),
        ({"connected": False, "away_ms": 42_300}, "away 43 s"),
        ({"away_ms": 42_300}, "away 43 s"),
        ({"state": SeatState.STUCK}, "stuck"),
        ({"state": SeatState.STUCK, "deck_used_up": True}, "deck used up"),
        ({"state": SeatState.RESIGNED}, "resigned"),
        ({"state": SeatState.FORFEITED, "connected": False}, "forfeited"),
    ],
)
def test_a_players_state_in_words(changes: dict[str, object], sentence: str) -> None:
    assert state_words(seat(1, "hare", **changes)) == sentence


def test_a_name_is_never_a_format() -> None:
    assert say("{name} sits down.", name="{0} {score} %s") == "{0} {score} %s sits down."


def test_figures() -> None:
    assert [number(20_412), signed(1_200), signed(-8_408), signed(0)] == ["20,412", "+1,200", "−8,408", "±0"]
    assert [clock(83_999), clock(3_723_000), clock(-5)] == ["1:23", "1:02:03", "0:00"]
    assert [clock_left(1), clock_left(0), clock_left(60_000)] == ["0:01", "0:00", "1:00"]
    assert [seconds_left(42_300), seconds_left(0), seconds_left(-1)] == ["43 s", "0 s", "0 s"]
    assert say_n("{count} move", "{count} moves", 1) == "1 move"
    assert say_n("{count} move", "{count} moves", 1_200) == "1,200 moves"


@pytest.mark.parametrize(
    ("code", "shown"), [("482913", "482-913"), ("4829137", "4829-137"), ("", ""), ("482-913", "482-913")]
)
def test_a_code_is_grouped_to_be_read_aloud(code: str, shown: str) -> None:
    assert code_in_groups(code) == shown


def test_a_check_that_failed_says_so_loudly() -> None:
    assert "DOES NOT AGREE" in check_words(view(Phase.FINISHED, check=Check(ok=False, reason="end")))


def disputes() -> set[str]:
    """Every code of what is wrong with a record."""
    source = Path(words.__file__).with_name("ending.py").read_text()
    return set(re.findall(r'reason="([a-z-]+)"', source))


def test_every_way_in_which_a_record_does_not_agree_has_words() -> None:
    assert len(disputes()) == 7
    for reason in disputes():
        told = dispute_words(view(Phase.SEATING, dispute=Check(ok=False, reason=reason, detail="hare")))
        assert told.startswith("THE RECORD DOES NOT AGREE with what you saw: it ")


def test_what_verify_says_of_a_record_is_told_whole_and_harmless() -> None:
    reason = "seat 1, move 57, left: is not legal on the board \x1b[2J" + " 2" * 16
    told = dispute_words(view(Phase.SEATING, dispute=Check(ok=False, reason="false", detail=reason)))
    assert reason.replace("\x1b", "\\x1b") in told


def test_evidence_is_named_once_it_is_there() -> None:
    disputed = view(Phase.FINISHED, dispute=Check(ok=False, reason="end"))
    assert "Show it" not in dispute_words(disputed)
    assert "Show it to the others: /x.r2048," in dispute_words(replace(disputed, dispute_path="/x.r2048"))


def test_a_lobby_that_is_no_surprise_is_no_word_worth() -> None:
    assert (alarm_words(view(Phase.SEATING)), dispute_words(view(Phase.SEATING))) == ("", "")


def test_a_fingerprint_is_read_in_fours() -> None:
    told = alarm_words(view(Phase.SEATING, alarm="other-key", fingerprint="7q4k2m9xb3hd5s8t"))
    assert told.endswith("It is 7q4k 2m9x b3hd 5s8t now.")


def test_a_record_that_will_not_come_is_not_announced() -> None:
    assert check_words(view(Phase.FINISHED, check=None)) == "The record is on its way …"
    assert check_words(view(Phase.FINISHED, check=None, line=Line.OVER)) == ""


def test_the_tally_names_draws_only_where_there_are_some() -> None:
    tally = [
        TallyPicture(name=SafeText("fox"), wins=2, draws=0, losses=1),
        TallyPicture(name=SafeText("hare"), wins=1, draws=1, losses=2),
    ]
    assert tally_words(tally) == "Won so far: fox 2, hare 1 (1 drawn)"
    assert tally_words([]) == ""
