import asyncio
import io
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import fields, replace
from typing import Any

import pytest

from client.actions import (
    Action,
    Again,
    Agree,
    Allow,
    Cancel,
    Change,
    Kick,
    Leave,
    Move,
    Refuse,
    Resign,
    SetReady,
    Sit,
    Stand,
    Start,
    ToggleLock,
)
from client.plain import PlainRace, stdin_lines
from client.telling import figure_lines, move_words, told
from client.tui.commands import Links
from client.view import Check, Line, OfferPicture, SessionView, TallyPicture
from engine.board import Board, Direction
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

from .pictures_of import LINK, SEATS, game, view, watching

PATIENCE_S = 10.0
NO_LINKS = Links("", "")
OFFER = OfferPicture(by_seat=1, by_name=SafeText("hare"), by_you=False, agreed=False, lapse_ms=24_000)
BOARD = Board.parse("2 4 8 16 / . . . . / . . . . / . . . 2048")


def changed(before: SessionView, **changes: Any) -> list[str]:
    return told(before, replace(before, **changes))


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_first_picture_tells_the_table_and_who_sits_there() -> None:
    lines = told(None, view(Phase.SEATING, seats=(SEATS[0], replace(SEATS[1], ready=False), None)))
    assert lines == [
        "Table 482-913: 4×4, first to 2048.",
        "You have a seat.",
        "hare sits down.",
        "Waiting for hare to be ready.",
    ]


def test_the_first_picture_tells_of_a_short_lead_and_of_a_seed() -> None:
    strict = view(Phase.SEATING, settings=TableSettings(lead=16), seeded=True)
    (table, *_) = told(None, strict)
    assert table == "Table 482-913: 4×4, first to 2048. Also: dealt from a seed: no fair race, strict."


def test_nothing_is_told_when_nothing_has_happened() -> None:
    for phase in Phase:
        assert changed(view(phase)) == []


def test_somebody_gets_ready() -> None:
    before = view(Phase.SEATING, seats=(SEATS[0], replace(SEATS[1], ready=False)))
    assert changed(before, seats=SEATS[:2], can_start=True) == [
        "hare: ready.",
        "Everyone is ready: start when you like.",
    ]


def test_somebody_leaves_the_table() -> None:
    assert "hare has left." in changed(view(Phase.SEATING), seats=(SEATS[0], None, *SEATS[2:]))


def test_the_countdown_is_counted_once_a_second() -> None:
    before = view(Phase.COUNTDOWN, countdown_ms=2_500)
    assert changed(before, countdown_ms=2_100) == []
    assert changed(before, countdown_ms=2_000) == ["2"]


def test_the_start_tells_the_board() -> None:
    started = view(Phase.RACING, seats=SEATS, game=game(board=BOARD))
    lines = told(view(Phase.COUNTDOWN), started)
    assert lines[0] == "Go!"
    assert lines[-1].split() == [".", ".", ".", "2048"]


def test_a_rivals_score_alone_is_not_told() -> None:
    seats = (SEATS[0], replace(SEATS[1], score=22_000, moves=495), *SEATS[2:])
    assert changed(view(Phase.RACING), seats=seats) == []


def test_a_rivals_new_max_tile_is_told() -> None:
    seats = (SEATS[0], replace(SEATS[1], max_exponent=11), *SEATS[2:])
    assert changed(view(Phase.RACING), seats=seats) == ["hare has made 2048, 21,612."]


def test_a_rivals_new_state_is_told_and_a_computer_is_marked() -> None:
    seats = (*SEATS[:2], replace(SEATS[2], state=SeatState.RESIGNED), SEATS[3])
    assert changed(view(Phase.RACING), seats=seats) == ["owl (computer): resigned, 9,004."]


def test_the_seconds_of_one_who_is_away_are_not_counted_aloud() -> None:
    seats = (*SEATS[:3], replace(SEATS[3], away_ms=41_000))
    assert changed(view(Phase.RACING), seats=seats) == []


def test_an_offer_is_told_when_it_comes_and_when_it_goes() -> None:
    offer = OfferPicture(by_seat=1, by_name=SafeText("hare"), by_you=False, agreed=False, lapse_ms=24_000)
    before = view(Phase.RACING)
    assert changed(before, offer=offer) == ["hare offers a draw (24 s)."]
    assert changed(replace(before, offer=offer), offer=replace(offer, lapse_ms=23_000)) == []
    assert changed(replace(before, offer=offer), offer=None) == ["The draw offer is gone: refused, or played on."]
    late = replace(offer, lapse_ms=900)
    assert changed(replace(before, offer=late), offer=None) == ["The draw offer has lapsed."]


def test_the_last_ten_seconds_are_announced_once() -> None:
    settings = TableSettings(kind=Kind.TIMED, target_exponent=0, time_ms=60_000)
    before = view(Phase.RACING, settings=settings, clock_ms=10_400)
    assert changed(before, clock_ms=9_900) == ["0:10 left."]
    assert changed(replace(before, clock_ms=9_900), clock_ms=8_000) == []


def test_the_connection_is_told_when_it_breaks_and_when_it_is_back() -> None:
    assert changed(view(Phase.RACING), line=Line.LOST) == ["Connection lost, trying again."]
    assert changed(view(Phase.RACING, line=Line.LOST), line=Line.ONLINE) == ["Connected again."]


def test_the_result_is_told_with_places_and_then_the_check() -> None:
    lines = told(view(Phase.CLOSING), view(Phase.FINISHED))
    assert lines[:2] == ["You made 2048 first.", "You have won!"]
    assert lines[2:4] == ["1. fox 20,412", "2. hare 21,612"]
    assert "4 logs replayed, all agree" in lines
    assert lines[-1] == "Saved: /home/fox/races/2026-11-30-482913.r2048. Check it with race2048 verify."


def test_after_a_move_the_new_tile_is_named_with_its_place() -> None:
    before = Board.parse("2 . . 2 / . . . . / . 4 . . / . . . .")
    after = Board.parse("4 . . . / . . . . / 4 . . . / . . . 2")
    shown = view(Phase.RACING, game=game(board=after, score=1_204))
    assert move_words(before, shown) == "Score 1,204. New: 2 in row 4, column 4."
    assert move_words(None, shown) == "Score 1,204."


def test_a_move_that_waits_for_the_deck_is_not_said_to_change_nothing() -> None:
    waiting = view(Phase.RACING, game=game(waiting=True))
    assert obeying(waiting, "w")[1] == ["Waiting for the lobby to deal on …"]


def test_why_it_is_over_is_left_to_the_command_that_says_goodbye() -> None:
    assert changed(view(Phase.SEATING), line=Line.OVER, ending="kicked") == []


def test_settings_that_have_changed_are_told_whole() -> None:
    before = view(Phase.SEATING)
    lines = changed(before, settings=TableSettings(size=5, target_exponent=9, lead=16))
    assert lines == ["New settings: 5×5, first to 512, up to 4 players, strict."]


def test_a_lock_a_new_host_and_watchers_are_told() -> None:
    before = view(Phase.SEATING, i_am_host=False, seats=(replace(SEATS[0], host=False), replace(SEATS[1], host=True)))
    assert changed(before, locked=True) == ["The table is locked now."]
    assert changed(before, watchers=2) == ["2 are watching."]
    seats = (replace(SEATS[0], host=True), replace(SEATS[1], host=False))
    assert "You are the host now." in changed(before, i_am_host=True, seats=seats)
    back = changed(replace(before, seats=seats, i_am_host=True), i_am_host=False, seats=before.seats)
    assert "hare is the host now." in back


def test_seats_that_close_up_or_move_on_are_nobody_coming_or_going() -> None:
    waiting = view(Phase.SEATING, seats=(SEATS[0], None, SEATS[1]))
    assert told(waiting, view(Phase.OPENING, seats=SEATS[:2])) == ["Dealing."]
    finished = view(Phase.FINISHED, seats=SEATS[:2])
    moved = (replace(SEATS[1], seat=0), replace(SEATS[0], seat=1))
    assert told(finished, view(Phase.OPENING, seats=moved)) == ["Dealing."]


def test_one_who_was_put_out_is_told_so() -> None:
    lines = changed(view(Phase.SEATING), seats=(None, *SEATS[1:]), my_seat=None, notice="kicked")
    assert "You have no seat any more; you watch." in lines
    assert "The host has freed your seat. You can watch; ask the host to let you back." in lines


def test_a_start_that_is_broken_off_is_told() -> None:
    assert "The start was broken off." in told(view(Phase.COUNTDOWN), view(Phase.SEATING))


def test_an_absence_is_told_as_it_begins_as_it_nears_its_end_and_when_it_is_over() -> None:
    def with_away(away_ms: int | None, **changes: Any) -> SessionView:
        seat = replace(SEATS[1], away_ms=away_ms, connected=away_ms is None, **changes)
        return view(Phase.RACING, seats=(SEATS[0], seat, *SEATS[2:]))

    assert told(with_away(None), with_away(60_000)) == ["hare: away 60 s, 21,612."]
    assert told(with_away(31_000), with_away(30_000)) == ["hare: away 30 s."]
    assert told(with_away(30_000), with_away(29_000)) == []
    assert told(with_away(9_000), with_away(None)) == ["hare: back, 21,612."]
    assert told(with_away(1_000), with_away(None, state=SeatState.FORFEITED)) == ["hare: forfeited, 21,612."]


def test_one_who_does_not_move_is_warned_counts_as_away_and_is_back() -> None:
    before = view(Phase.RACING)
    warned = replace(before, idle_warning_ms=30_000)
    away = replace(before, seats=(replace(SEATS[0], away_ms=60_000), *SEATS[1:]))
    assert told(before, warned) == ["Move within 30 s or count as away."]
    assert told(warned, replace(warned, idle_warning_ms=29_000)) == []
    assert told(warned, replace(warned, idle_warning_ms=9_900)) == ["Move within 10 s or count as away."]
    assert told(warned, away) == ["Away: move within 60 s or forfeit."]
    assert told(away, before) == ["You are back in the race."]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"state": SeatState.RESIGNED}, "You have resigned. The others go on."),
        ({"state": SeatState.FORFEITED}, "You were away too long: your seat is out of this race."),
        ({"state": SeatState.STUCK}, "You are stuck; your score stands while the others play on."),
        ({"state": SeatState.STUCK, "deck_used_up": True}, "Your deck is used up; your score stands."),
    ],
)
def test_what_becomes_of_your_own_seat_is_told(changes: dict[str, Any], line: str) -> None:
    seats = (replace(SEATS[0], **changes), *SEATS[1:])
    assert changed(view(Phase.RACING), seats=seats) == [line]


def test_who_agrees_to_an_offer_is_told() -> None:
    offer = OfferPicture(
        by_seat=1, by_name=SafeText("hare"), by_you=False, agreed=False, lapse_ms=24_000, agreed_seats=(1,)
    )
    before = view(Phase.RACING, offer=offer)
    assert told(view(Phase.RACING), before) == ["hare offers a draw (24 s)."]
    assert changed(before, offer=replace(offer, agreed_seats=(1, 2))) == ["owl agrees to the draw."]
    assert changed(before, offer=replace(offer, agreed=True, agreed_seats=(0, 1))) == ["You agree to the draw."]


def test_scores_are_told_now_and_then_and_only_if_they_have_changed() -> None:
    before = view(Phase.RACING, seats=SEATS[:2])
    seats = (SEATS[0], replace(SEATS[1], score=22_000))
    assert figure_lines(before, replace(before, seats=seats, clock_ms=90_000)) == []
    assert figure_lines(before, replace(before, clock_ms=99_000)) == []
    assert figure_lines(before, replace(before, seats=seats, clock_ms=99_000)) == [
        "Scores: you 20,412, hare 22,000.",
    ]
    watched = watching(Phase.RACING, seats=(replace(SEATS[0], you=False), seats[1]), clock_ms=88_000)
    assert figure_lines(watching(Phase.RACING), watched) == ["Scores: hare 22,000, fox 20,412."]
    assert figure_lines(view(Phase.COUNTDOWN), before) == []


def test_after_a_race_who_asks_for_another_and_who_goes_is_told() -> None:
    before = view(Phase.FINISHED)
    assert before.seats[1] is not None
    asked = (before.seats[0], replace(before.seats[1], wants_again=True), *before.seats[2:])
    gone = (before.seats[0], replace(before.seats[1], connected=False), *before.seats[2:])
    assert changed(before, seats=asked) == ["hare asks for another race."]
    assert changed(before, seats=gone) == ["hare has gone."]


def test_the_outcome_is_told_at_once_and_the_places_when_all_is_signed() -> None:
    decided = view(Phase.CLOSING, outcome=Outcome(Termination.TARGET, (1,), 1))
    assert told(view(Phase.SETTLING), decided) == ["hare made 2048 first."]
    finished = told(decided, view(Phase.FINISHED, outcome=decided.outcome))
    assert "hare made 2048 first." not in finished
    assert "1. fox 20,412" in finished
    assert "3. owl (computer) 9,004, stuck" in finished
    assert "Say again for another race, settings to change them, or help." in finished


# ── a session on lines ───────────────────────────────────────────────────────────────────────────────────────────


class Session:
    """A session that does what a test says, and the lines that were written about it."""

    def __init__(self, picture: SessionView, links: Links = NO_LINKS) -> None:
        self.picture = picture
        self.actions: list[Action] = []
        self.out = io.StringIO()
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.plain = PlainRace(lambda: self.picture, self.act, links, self.out, self._read())

    def act(self, action: Action) -> None:
        self.actions.append(action)
        if isinstance(action, Move) and action.direction is Direction.UP:
            assert self.picture.game is not None
            moved = replace(self.picture.game, board=BOARD, moves=self.picture.game.moves + 1, score=30_000)
            self.picture = replace(self.picture, game=moved)

    def change(self, **changes: Any) -> None:
        self.picture = replace(self.picture, **changes)
        self.plain.refresh()

    def told(self) -> list[str]:
        lines = self.out.getvalue().splitlines()
        self.out.seek(0)
        self.out.truncate()
        return lines

    async def _read(self) -> AsyncIterator[str]:
        while (line := await self.lines.get()) is not None:
            yield line


def obeying(picture: SessionView, *lines: str, links: Links = NO_LINKS) -> tuple[list[Action], list[str]]:
    session = Session(picture, links)
    for line in lines:
        session.plain.obey(line)
    return session.actions, session.told()


def test_letters_on_a_line_are_moves_in_order() -> None:
    actions, _ = obeying(view(Phase.RACING), "asd w")
    directions = [Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.UP]
    assert actions == [Move(direction) for direction in directions]


def test_words_are_moves_too() -> None:
    assert obeying(view(Phase.RACING), "left up")[0] == [Move(Direction.LEFT), Move(Direction.UP)]


def test_after_moves_the_board_and_the_score_are_told_once() -> None:
    _, lines = obeying(view(Phase.RACING), "www")
    assert lines[-1] == "Score 30,000."
    assert len(lines) == 5
    assert lines[3].split() == [".", ".", ".", "2048"]


def test_a_move_that_changes_nothing_is_told() -> None:
    assert obeying(view(Phase.RACING), "s")[1] == ["Nothing moves that way."]


def test_an_empty_line_does_what_enter_does() -> None:
    seats = (replace(SEATS[0], you=False), replace(SEATS[1], you=True, ready=False))
    assert obeying(view(Phase.SEATING, seats=seats, my_seat=1, i_am_host=False), "")[0] == [SetReady()]
    assert obeying(view(Phase.SEATING, can_start=True), "")[0] == [Start()]


def test_an_empty_line_in_a_race_tells_how_everyone_stands() -> None:
    actions, lines = obeying(view(Phase.RACING, game=game(board=BOARD)), "")
    assert actions == []
    assert "You: 20,412, 512 moves." in lines
    assert "hare: 21,612 (+1,200), max tile 1024, 490 moves, racing." in lines


@pytest.mark.parametrize(("line", "action"), [("start", Start()), ("s", Start())])
def test_commands_are_words_or_letters(line: str, action: Action) -> None:
    assert obeying(view(Phase.SEATING, can_start=True), line)[0] == [action]


def test_each_thing_that_can_be_done_has_a_word_and_the_word_does_it() -> None:
    hosting = view(Phase.SEATING, seats=(*SEATS[:2], None, None), can_start=True)
    assert obeying(hosting, "lock", "allow", "stand", "start")[0] == [ToggleLock(), Allow(), Stand(), Start()]
    guest = tuple(replace(each, you=each.seat == 1, ready=False) for each in SEATS[:2])
    assert obeying(view(Phase.SEATING, seats=guest, my_seat=1, i_am_host=False), "ready")[0] == [SetReady()]
    assert obeying(watching(Phase.SEATING, seats=(SEATS[1], None)), "sit")[0] == [Sit()]
    assert obeying(view(Phase.COUNTDOWN), "cancel")[0] == [Cancel()]
    assert obeying(view(Phase.FINISHED), "again")[0] == [Again()]
    assert obeying(view(Phase.RACING, offer=OFFER), "agree", "accept", "refuse")[0] == [Agree(), Agree(), Refuse()]
    assert obeying(view(Phase.RACING, offer=replace(OFFER, by_you=True)), "withdraw")[0] == [Refuse()]


@pytest.mark.parametrize(
    ("picture", "word"),
    [
        (view(Phase.SEATING, locked=True), "lock"),
        (view(Phase.SEATING), "unlock"),
        (view(Phase.SEATING, my_seat=1, i_am_host=False), "ready"),
        (view(Phase.RACING, offer=OFFER), "offer"),
        (view(Phase.RACING), "agree"),
        (view(Phase.SEATING), "kick 1"),
        (view(Phase.SEATING, i_am_host=False), "kick 2"),
    ],
)
def test_a_word_never_does_its_opposite(picture: SessionView, word: str) -> None:
    if word == "ready":
        seats = (replace(SEATS[0], you=False), replace(SEATS[1], you=True, ready=True))
        picture = replace(picture, seats=seats)
    actions, lines = obeying(picture, word)
    assert actions == []
    assert lines == ["That cannot be done now. Say help to see what can."]


@pytest.mark.parametrize("word", ["kick 2", "kick hare", "KICK Hare"])
def test_a_seat_is_freed_by_number_or_name_after_a_yes(word: str) -> None:
    actions, lines = obeying(view(Phase.SEATING), word, "yes")
    assert actions == [Kick(1)]
    assert lines == ["Free the seat of hare? [y] yes, any other key: no"]
    assert obeying(view(Phase.SEATING), word, "no")[0] == []


def test_a_word_instead_of_an_answer_is_no_answer_and_is_done() -> None:
    assert obeying(view(Phase.SEATING), "kick hare", "lock", "yes")[0] == [ToggleLock()]
    assert obeying(view(Phase.RACING), "resign", "left", "yes")[0] == [Move(Direction.LEFT)]


def test_a_yes_that_nobody_has_asked_for_presses_no_keys() -> None:
    for picture in (view(Phase.SEATING, can_start=True), view(Phase.RACING)):
        assert obeying(picture, "yes") == ([], ["Nothing was asked."])


@pytest.mark.parametrize("line", ["hello", "start now", "wasdx", "settle"])
def test_a_line_that_is_no_command_does_nothing(line: str) -> None:
    for picture in (view(Phase.SEATING), view(Phase.RACING)):
        actions, lines = obeying(picture, line)
        assert actions == []
        assert "help" in lines[-1]


def test_the_settings_are_told_with_what_they_can_be() -> None:
    _, lines = obeying(view(Phase.SEATING, seats=(*SEATS[:2], None, None)), "settings")
    assert "size 4×4: it can be 3, 4, 5, 6, 8." in lines
    assert "target 2048: it can be a power of two from 8 to 131072." in lines
    assert lines[-1] == "A change clears every Ready."
    assert obeying(view(Phase.SEATING), "e")[1][-1] == lines[-1]


def test_settings_are_changed_with_words() -> None:
    actions, _ = obeying(view(Phase.SEATING), "settings size 5 target 512 idle off")
    assert actions == [Change(TableSettings(size=5, target_exponent=9, idle_ms=0))]
    actions, lines = obeying(view(Phase.SEATING), "settings size 7", "settings size 4")
    assert actions == []
    assert lines == ["size cannot be “7”. It can be 3, 4, 5, 6, 8.", "These are the settings already."]


def test_after_a_race_the_same_settings_lead_back_to_the_seats() -> None:
    assert obeying(view(Phase.FINISHED), "settings same")[0] == [Change(TableSettings())]
    assert obeying(view(Phase.SEATING), "settings same")[0] == []


def test_who_is_not_host_may_ask_what_the_settings_are() -> None:
    guest = view(Phase.SEATING, i_am_host=False)
    assert obeying(guest, "settings")[1] == ["4×4, first to 2048, up to 4 players."]
    assert obeying(guest, "settings size 5") == ([], ["Only the host chooses the settings, between races."])


@pytest.mark.parametrize("phase", [None, *Phase])
def test_every_word_that_help_lists_can_be_said(phase: Phase | None) -> None:
    for picture in (view(phase), view(phase, i_am_host=False), watching(phase) if phase else view(phase)):
        listed = [line.partition(":")[0] for line in obeying(picture, "help")[1]]
        words = [word for word in listed if word not in ("board", "Moves")]
        assert "leave" in words
        for word in words:
            assert not any("cannot be done" in line or "What is" in line for line in obeying(picture, word)[1])


def test_resigning_is_asked() -> None:
    actions, lines = obeying(view(Phase.RACING), "resign", "yes")
    assert actions == [Resign()]
    assert lines == ["Resign and lose this race? [y] yes, any other key: no"]
    assert obeying(view(Phase.RACING), "resign", "no")[0] == []


def test_a_draw_is_offered_with_a_word() -> None:
    assert obeying(view(Phase.RACING), "offer")[0] == [Agree()]


def test_a_command_that_makes_no_sense_now_says_so() -> None:
    actions, lines = obeying(view(Phase.RACING), "start")
    assert actions == []
    assert lines == ["That cannot be done now. Say help to see what can."]


def test_help_lists_what_can_be_done_now() -> None:
    _, lines = obeying(view(Phase.SEATING, can_start=True), "help")
    assert "start: start the race" in lines
    assert not any("resign" in line for line in lines)


def test_the_link_can_be_asked_for() -> None:
    assert f"race2048 join {LINK}" in obeying(view(Phase.RACING), "link", links=Links(LINK, ""))[1]


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\u202eevil", "\ud800"])
async def test_nothing_but_printable_text_is_written(name: str) -> None:
    seats = (SEATS[0], replace(SEATS[1], name=SafeText(name)))
    session = Session(view(Phase.SEATING, seats=seats, notice=name))
    running = asyncio.ensure_future(session.plain.run())
    session.lines.put_nowait(None)
    await asyncio.sleep(0)
    written = session.out.getvalue()
    assert all(line.isprintable() for line in written.splitlines())
    assert "sits down." in written
    session.change(line=Line.OVER)
    assert await running == 0


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("name", ["\x1b]52;c;AA\x07", "\x9b2J", "a\nb\rc", "\u202eevil\u2066", "\u200b\ufeff", "\x00"])
async def test_no_name_is_more_than_printable_text_in_any_phase(phase: Phase, name: str) -> None:
    told = SafeText(name)
    offer = OfferPicture(by_seat=1, by_name=told, by_you=False, agreed=False, lapse_ms=9_000)
    hostile: dict[str, Any] = {
        "seats": tuple(replace(each, name=told, wants_again=True) for each in SEATS),
        "tally": (TallyPicture(name=told, wins=1, draws=1, losses=1),),
        "notice": name, "ending": name, "code": name, "watch_code": name, "record_path": name,
        "check": Check(ok=False, reason=name), "offer": offer,
    }  # fmt: skip
    session = Session(view(None))
    running = asyncio.ensure_future(session.plain.run())
    await asyncio.sleep(0)
    session.change(**{f.name: getattr(view(phase, **hostile), f.name) for f in fields(SessionView)})
    session.change(line=Line.LOST)
    for line in ("score", "board", "help", "link", "settings", "kick 2", "n"):
        session.plain.obey(line)
    written = session.out.getvalue()
    assert written
    assert set(written) <= {"\n"} | {character for character in written if character.isprintable()}
    session.change(line=Line.OVER)
    assert await running == 0


async def test_a_race_is_told_from_its_start_to_its_end() -> None:
    session = Session(view(Phase.SEATING), Links(LINK, ""))
    running = asyncio.ensure_future(session.plain.run())
    await asyncio.sleep(0)
    assert f"race2048 join {LINK}" in session.told()
    session.change(phase=Phase.COUNTDOWN, countdown_ms=3_000)
    session.change(phase=Phase.RACING, game=game(board=BOARD), countdown_ms=None)
    assert session.told()[:2] == ["3", "Go!"]
    session.change(phase=Phase.FINISHED, outcome=Outcome(Termination.TARGET, (1,), 1), game=None)
    assert "hare made 2048 first." in session.told()
    session.change(line=Line.OVER)
    assert await running == 0


async def test_leaving_ends_it() -> None:
    session = Session(view(Phase.SEATING))
    session.lines.put_nowait("leave")
    async with asyncio.timeout(PATIENCE_S):
        assert await session.plain.run() == 0
    assert session.actions == [Leave()]


async def test_when_the_commands_end_the_race_is_told_to_its_end() -> None:
    session = Session(view(Phase.RACING))
    running = asyncio.ensure_future(session.plain.run())
    session.lines.put_nowait("w")
    session.lines.put_nowait(None)
    session.change(phase=Phase.FINISHED, outcome=Outcome(Termination.TARGET, (0,), 1))
    session.change(check=Check(ok=True, reason=""))
    async with asyncio.timeout(PATIENCE_S):
        assert await running == 0


def test_a_lobby_with_another_key_than_before_is_told_once() -> None:
    alarmed = view(Phase.SEATING, alarm="other-key", fingerprint="7q4k2m9xb3hd5s8t")
    assert any(line.startswith("WARNING: the lobby at this address had another key") for line in told(None, alarmed))
    assert changed(alarmed, locked=True) == ["The table is locked now."]


def test_a_record_that_does_not_agree_is_told_whatever_goes_on() -> None:
    dispute = Check(ok=False, reason="end")
    finished = view(Phase.FINISHED, check=None, record_path="")
    for before, changes in ((finished, {"check": dispute}), (view(Phase.RACING), {}), (view(Phase.SEATING), {})):
        (line,) = changed(before, dispute=dispute, **changes)
        assert line.startswith("THE RECORD DOES NOT AGREE with what you saw: it tells another end")


async def test_ctrl_c_in_a_race_asks_first() -> None:
    session = Session(view(Phase.RACING))
    running = asyncio.ensure_future(session.plain.run())
    asked = asyncio.Event()
    session.out.flush = asked.set  # type: ignore[method-assign]
    await asyncio.sleep(0)
    asked.clear()
    os.kill(os.getpid(), signal.SIGINT)
    async with asyncio.timeout(PATIENCE_S):
        await asked.wait()
        assert "60 s to come back" in session.told()[-1]
        os.kill(os.getpid(), signal.SIGINT)
        assert await running == 130
    assert session.actions == [Leave()]


async def test_a_signal_ends_it_with_its_code() -> None:
    session = Session(view(Phase.RACING))
    running = asyncio.ensure_future(session.plain.run())
    await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(PATIENCE_S):
        assert await running == 143
    assert session.actions == []


async def test_a_closed_pipe_ends_it() -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    plain = PlainRace(lambda: watching(Phase.RACING), lambda action: None, NO_LINKS, Closed(), None)
    async with asyncio.timeout(PATIENCE_S):
        assert await plain.run() == 141


async def test_an_exception_of_the_session_comes_out() -> None:
    def fail(action: Action) -> None:
        raise RuntimeError("session")

    async def lines() -> AsyncIterator[str]:
        yield "w"

    plain = PlainRace(lambda: view(Phase.RACING), fail, NO_LINKS, io.StringIO(), lines())
    with pytest.raises(RuntimeError, match="session"):
        async with asyncio.timeout(PATIENCE_S):
            await plain.run()


async def test_standard_input_is_read_line_by_line_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    monkeypatch.setattr("client.plain._STDIN", reading)
    os.write(writing, "wasd\nцфів\nlast".encode())
    os.close(writing)
    async with asyncio.timeout(PATIENCE_S):
        assert [line async for line in stdin_lines()] == ["wasd", "цфів", "last"]
    os.close(reading)
