"""Nothing is cut at 80×24 where every message is 40 % longer than in English, nor in Ukrainian (ux.md §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from client import language
from client.advice import CHEAT, CODES
from client.cli.everywhere import leading
from client.cli.help import keys_text
from client.cli.home import setting_rows
from client.cli.rules import rules_text
from client.tui import overlay
from client.tui.canvas import Canvas, text_of
from client.tui.choices import Form, Row, rows, with_value
from client.tui.commands import Ui, menu_items
from client.tui.form import draw_form
from client.tui.home import ITEMS, Field, Home, Page, home_of
from client.tui.home_paint import paint_home
from client.tui.keys import Verb
from client.tui.paint import messages
from client.tui.palette import CLASSIC, Depth
from client.tui.replay_keys import Show
from client.view import Check, Line, OfferPicture, SessionView, TallyPicture
from client.words import dispute_words
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.limits import LEAD_STRICT
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

from .pictures_of import SEATS, UI, canvas, game, view, watching
from .pseudo import cut, marked_language, pseudo_language
from .replays_of import busy_timeline, eventful_race, replay_canvas, show_of, timeline_of

SIZES = (3, 4, 5, 6, 8)
PLAYERS = (2, 3, 4)
PALETTE = CLASSIC[Depth.TRUE]
TALLY = tuple(TallyPicture(name=seat.name, wins=2, draws=1, losses=3) for seat in SEATS)
# What ends a session, or is told before a race: two sentences of more than 70 columns, which have no room in one.
NO_NOTICES = {"pin", "other-key"}
# A longer one is shortened by words of advice.py, as any text of a lobby is; no screen has to do with it.
WHOLE_CODES = sorted(code for code in CODES if SafeText.shown(code.removeprefix(CHEAT)) == code.removeprefix(CHEAT))
LANGUAGES = ("pseudo", "uk")
_CLIPPED = re.compile(r"[^\s.…]…")  # a message of ours has a space before "…"


@pytest.fixture(params=LANGUAGES)
def tongue(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Speaks another language than English in a test; returns which."""
    spoken: str = request.param
    with pseudo_language(monkeypatch) if spoken == "pseudo" else marked_language(monkeypatch, spoken):
        yield spoken


def faults(painted: Canvas) -> list[str]:
    """Returns the messages on a screen that have lost an end."""
    text = "\n".join(text_of(painted))
    return cut(text) + [text[max(0, found.start() - 30) : found.end()] for found in _CLIPPED.finditer(text)]


def assert_whole(name: str, painted: Canvas) -> None:
    found = faults(painted)
    assert not found, "\n".join([name, *found, *text_of(painted)])


# ── a table ──────────────────────────────────────────────────────────────────────────────────────────────────────


def offer(*, by_you: bool = False, agreed: bool = False) -> OfferPicture:
    return OfferPicture(by_you=by_you, agreed=agreed, by_seat=1, by_name=SafeText("hare"), lapse_ms=24_000)


def with_seat(picture: SessionView, number: int, **changes: object) -> SessionView:
    """Returns a view with one seat changed."""
    seats = list(picture.seats)
    seat = seats[number]
    assert seat is not None
    seats[number] = replace(seat, **changes)  # type: ignore[arg-type]
    return replace(picture, seats=tuple(seats))


def seating(size: int, players: int) -> Iterator[tuple[str, SessionView]]:
    waits = view(Phase.SEATING, size, players)
    yield "host", waits
    yield "can start", replace(waits, can_start=True)
    for kind in Kind:
        settings = with_value(waits.settings, Row.KIND, kind)
        terms = with_value(settings, Row.LEAD, LEAD_STRICT)
        if kind is not Kind.TIMED:
            terms = with_value(terms, Row.IDLE, 600_000)
        yield f"{kind.name}", replace(waits, settings=terms, watchers=2, locked=True)
    tally = TALLY[:players]
    yield "tally", replace(waits, tally=tally)
    guest = replace(waits, i_am_host=False)
    yield "guest", with_seat(with_seat(guest, 0, ready=False, host=False), 1, host=True)
    yield "guest who is ready", with_seat(with_seat(guest, 0, host=False), 1, host=True)
    free = replace(waits, seats=(*waits.seats[: players - 1], None))
    yield "a free seat", free
    yield "alone", replace(waits, seats=(waits.seats[0], None))
    yield "seeded", replace(waits, seeded=True, unusual=True)


def racing(size: int, players: int) -> Iterator[tuple[str, SessionView]]:
    race = view(Phase.RACING, size, players)
    yield "racing", race
    yield "offer", replace(race, offer=offer())
    yield "own offer", replace(race, offer=offer(by_you=True))
    yield "agreed", replace(race, offer=replace(offer(agreed=True), agreed_seats=(0,)))
    yield "idle", replace(race, idle_warning_ms=25_000)
    yield "away", with_seat(race, 0, away_ms=43_000)
    yield "lost", replace(race, line=Line.LOST, game=game(size, unconfirmed=12))
    yield "waiting", replace(race, game=game(size, waiting=True))
    yield "unconfirmed", replace(race, game=game(size, waiting=True, unconfirmed=64))
    yield "stuck", with_seat(replace(race, game=game(size, stuck=True)), 0, state=SeatState.STUCK)
    yield "deck", with_seat(replace(race, game=game(size, deck_used_up=True)), 0, state=SeatState.STUCK)
    for state in SeatState:
        yield f"I am {state.name}", with_seat(race, 0, state=state)
        yield f"the rival is {state.name}", with_seat(race, 1, state=state)
    yield "deck used up", with_seat(race, 1, state=SeatState.STUCK, deck_used_up=True)
    yield "gone", with_seat(race, 1, connected=False, away_ms=None)
    yield "timed", replace(race, settings=with_value(race.settings, Row.KIND, Kind.TIMED), watchers=3)


def others(size: int, players: int) -> Iterator[tuple[str, SessionView]]:
    yield "countdown", view(Phase.COUNTDOWN, size, players)
    yield "opening", view(Phase.OPENING, size, players)
    for phase in (Phase.SETTLING, Phase.CLOSING):
        yield f"{phase.name}", view(phase, size, players)
        outcome = Outcome(Termination.TARGET, (0,), 252_000)
        yield f"{phase.name} decided", view(phase, size, players, outcome=outcome)
    for phase in (Phase.SEATING, Phase.COUNTDOWN, Phase.RACING, Phase.FINISHED):
        yield f"watching {phase.name}", watching(phase, settings=TableSettings(size=size, seats=players))


def finished(size: int, players: int) -> Iterator[tuple[str, SessionView]]:
    over = view(Phase.FINISHED, size, players)
    yield "finished", over
    for termination in Termination:
        for winners in ((0,), (1,), (0, 1)):
            yield f"{termination.name} {winners}", replace(over, outcome=Outcome(termination, winners, 252_000))
    yield "guest", replace(over, i_am_host=False)
    yield "asked", with_seat(replace(over, i_am_host=False), 0, wants_again=True)
    yield "others ask", with_seat(with_seat(over, 1, wants_again=True), players - 1, wants_again=True)
    yield "unchecked", replace(over, check=None, record_path="")
    tally = TALLY[:players]
    yield "tally", replace(over, tally=tally)
    yield "false", replace(over, check=Check(ok=False, reason="false"), dispute=Check(ok=False, reason="own-moves"))
    yield "alarm", replace(over, alarm="other-key", fingerprint="7q4k2m9xb3hd5s8t")
    for state in SeatState:
        yield f"the rival is {state.name}", with_seat(over, 1, state=state)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screens", [seating, racing, others, finished])
def test_no_screen_of_a_table_cuts_a_message(tongue, screens, size, players) -> None:
    for name, picture in screens(size, players):
        assert_whole(name, canvas(picture))


@pytest.mark.parametrize("size", SIZES)
def test_no_question_and_no_remark_is_cut(tongue, size) -> None:
    race, waits = view(Phase.RACING, size), view(Phase.SEATING, size)
    for picture in (race, waits, view(Phase.COUNTDOWN, size)):
        for asking in (Verb.RESIGN, Verb.LEAVE, Verb.KICK):
            assert_whole(f"{asking}", canvas(picture, ui=replace(UI, asking=asking, about=SEATS[1])))
        assert_whole("no way back", canvas(replace(picture, code=""), ui=replace(UI, asking=Verb.LEAVE)))
        for remark in (Verb.ALLOW, Verb.MOUSE, Verb.COPY):
            assert_whole(f"{remark}", canvas(picture, ui=replace(UI, remark=remark)))


def test_before_there_is_a_table_nothing_is_cut(tongue) -> None:
    assert_whole("connecting", canvas(view(None)))
    for code in WHOLE_CODES:
        assert_whole(code, canvas(view(None, line=Line.OVER, ending=code)))


@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.COUNTDOWN, Phase.RACING, Phase.FINISHED])
def test_no_refusal_and_no_ending_is_cut(tongue, phase) -> None:
    for code in WHOLE_CODES:
        if code not in NO_NOTICES and not code.startswith(CHEAT):
            assert_whole(code, canvas(view(phase, notice=code)))
        assert_whole(code, canvas(view(phase, line=Line.OVER, ending=code)))


# ── what lies over a screen: only its own box, what is under it is covered ───────────────────────────────────────


def tables() -> Iterator[tuple[str, SessionView]]:
    """Every screen on which something can be opened."""
    for phase in (Phase.SEATING, Phase.COUNTDOWN, Phase.RACING, Phase.FINISHED):
        host = view(phase)
        yield f"{phase.name} as host", host
        yield f"{phase.name} as guest", with_seat(replace(host, i_am_host=False), 0, ready=False)
        yield f"{phase.name} watching", watching(phase)
    yield "offer", replace(view(Phase.RACING), offer=offer())
    yield "locked", replace(view(Phase.SEATING), locked=True, can_start=True)


def test_nothing_of_the_menu_the_keys_and_the_links_is_cut(tongue) -> None:
    for name, picture in tables():
        for chosen in range(len(menu_items(picture, UI))):
            blank = Canvas(80, 24)
            overlay.draw_menu(blank, picture, replace(UI, menu=chosen, mouse=chosen % 2 == 0), PALETTE)
            assert_whole(f"menu, {name}", blank)
        blank = Canvas(80, 24)
        overlay.draw_help(blank, picture, PALETTE)
        assert_whole(f"keys, {name}", blank)
        for ui in (UI, replace(UI, lan=True), Ui()):
            blank = Canvas(80, 24)
            overlay.draw_links(blank, picture, ui, PALETTE)
            assert_whole(f"links, {name}", blank)


@pytest.mark.parametrize("kind", Kind)
def test_nothing_of_the_form_is_cut(tongue, kind) -> None:
    settings = with_value(TableSettings(seats=4), Row.KIND, kind)
    for phase in (Phase.SEATING, Phase.FINISHED):
        for row in rows(settings):
            for changed in (settings, with_value(settings, Row.LEAD, LEAD_STRICT)):
                blank = Canvas(80, 24)
                draw_form(blank, view(phase), Form(changed, row), PALETTE)
                assert_whole(f"{kind.name} {row}", blank)


def test_the_footer_below_what_lies_over_a_screen_is_whole(tongue) -> None:
    for name, picture in tables():
        for ui in (replace(UI, menu=0), replace(UI, form=Form(picture.settings)), replace(UI, overlay=Verb.HELP)):
            last = Canvas(80, 1)
            last.lines[0] = canvas(picture, ui=ui).lines[-1]
            assert_whole(name, last)


# ── the home screen ──────────────────────────────────────────────────────────────────────────────────────────────


def homes() -> Iterator[tuple[str, Home]]:
    home = home_of({item.command for item in ITEMS})
    for chosen in range(len(ITEMS)):
        yield "menu", replace(home, chosen=chosen)
    for about in ("join", "watch", "name", "lobby", "lang"):
        yield about, replace(home, page=Page.FIELD, about=about, field=Field("x", 1))
    for kind in Kind:
        settings = with_value(TableSettings(), Row.KIND, kind)
        for row in rows(settings):
            yield f"{kind.name} {row}", replace(home, page=Page.FORM, form=Form(settings, row), bots=2)
    yield "no records", replace(home, page=Page.FILES)
    yield "records", replace(home, page=Page.FILES, files=("2026-11-30-482913.r2048",))
    settings_rows = setting_rows(leading([]))
    for line in range(len(settings_rows)):
        yield f"settings {line}", replace(home, page=Page.SETTINGS, rows=settings_rows, line=line)


def test_no_page_of_the_home_screen_is_cut(tongue) -> None:
    for name, home in homes():
        assert_whole(name, paint_home(home, 80, 24, PALETTE, "race2048 0.1.0"))


def test_no_line_of_a_text_on_the_home_screen_is_cut(tongue) -> None:
    home = home_of({item.command for item in ITEMS})
    for text in (rules_text(), keys_text()):
        # High enough for the whole text: it is scrolled through.
        page = replace(home, page=Page.TEXT, text=tuple(text.splitlines()))
        assert_whole("text", paint_home(page, 80, 200, PALETTE, "race2048 0.1.0"))


# ── replays ──────────────────────────────────────────────────────────────────────────────────────────────────────


def box_of(show: Show, below: Show) -> Canvas:
    """Returns what lies over a replay, without what is beside it."""
    over, under = replay_canvas(show), replay_canvas(below)
    changed = [(x, y) for y in range(1, 23) for x in range(80) if over.lines[y][x] != under.lines[y][x]]
    left, right = min(x for x, _ in changed), max(x for x, _ in changed)
    top, bottom = min(y for _, y in changed), max(y for _, y in changed)
    box = Canvas(right - left + 1, bottom - top + 1)
    for y in range(box.rows):
        box.lines[y] = over.lines[top + y][left : right + 1]
    return box


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("size", SIZES)
def test_no_moment_of_a_replay_is_cut(tongue, size, players) -> None:
    timeline = busy_timeline(size, players)
    for t_ms in (0, 2_345, timeline.end_ms):
        for paused in (True, False):
            assert_whole(f"{t_ms}", replay_canvas(show_of(timeline, t_ms, paused=paused, speed=4.0)))


def test_no_event_of_a_replay_is_cut(tongue) -> None:
    timeline = timeline_of(eventful_race())
    for t_ms in (*timeline.beats, timeline.end_ms):
        assert_whole(f"{t_ms}", replay_canvas(show_of(timeline, t_ms)))


def test_nothing_that_lies_over_a_replay_is_cut(tongue) -> None:
    below = show_of(busy_timeline())
    assert_whole("keys", box_of(replace(below, help=True), below))
    reason = "seat 1: a lie"
    noted = replace(below, reason=reason, noted=True)
    assert_whole("false", box_of(replace(noted, noted=False), noted))
    for show in (noted, replace(below, typed="1:2"), replace(below, amiss="1:99")):
        assert_whole("row", replay_canvas(show))


# ── 40×20, where everything is to be there (ux.md 2.1) ───────────────────────────────────────────────────────────


@pytest.fixture(params=["en", "uk"])
def spoken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Speaks a real language as it is: at half the width there is no room for 40 % more and for marks."""
    with monkeypatch.context() as patch:
        patch.setenv("LANGUAGE", request.param)
        language.forget_language()
        yield request.param
    language.forget_language()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_urgent_in_a_race_is_cut_at_40x20(spoken, size) -> None:
    race = view(Phase.RACING, size)
    pictures = [
        (replace(race, line=Line.LOST), UI),
        (replace(race, idle_warning_ms=25_000), UI),
        (with_seat(race, 0, away_ms=43_000), UI),
        (replace(race, offer=offer()), UI),
        (replace(race, line=Line.OVER, ending="lost"), UI),
        *((race, replace(UI, asking=asking)) for asking in (Verb.RESIGN, Verb.LEAVE)),
    ]
    for picture, ui in pictures:
        said, urgent = messages(picture, ui, 38)[0]
        assert urgent
        assert " ".join(said.split()) in " ".join(" ".join(text_of(canvas(picture, 40, 20, ui))).split())


def assert_unclipped(name: str, painted: Canvas) -> None:
    text = "\n".join(text_of(painted))
    assert not _CLIPPED.findall(text), f"{name}\n{text}"


def test_no_page_of_the_home_screen_is_cut_at_40x20(spoken) -> None:
    for name, home in homes():
        assert_unclipped(name, paint_home(home, 40, 20, PALETTE, "race2048 0.1.0"))


def test_no_line_of_a_text_on_the_home_screen_is_cut_at_40x20(tongue) -> None:
    home = home_of({item.command for item in ITEMS})
    for text in (rules_text(), keys_text()):
        page = replace(home, page=Page.TEXT, text=tuple(text.splitlines()))
        assert_whole("text", paint_home(page, 40, 400, PALETTE, "race2048 0.1.0"))


def test_connecting_and_why_it_failed_are_whole_at_40x20(tongue) -> None:
    assert_whole("connecting", canvas(view(None), 40, 20))
    for code in WHOLE_CODES:
        assert_whole(code, canvas(view(None, line=Line.OVER, ending=code), 40, 20))


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screens", [seating, finished])
def test_no_table_is_cut_at_40x20_before_a_race_and_after_it(spoken, screens, size, players) -> None:
    for name, picture in screens(size, players):
        painted = canvas(picture, 40, 20)
        if picture.dispute is None:
            assert_unclipped(name, painted)
        else:  # said twice: beside the boards, where it may be cut, and whole as a warning
            assert dispute_words(picture) in " ".join(" ".join(text_of(painted)).split())


def test_menu_form_and_keys_are_whole_at_40x20(spoken) -> None:
    for name, picture in tables():
        drawn = [Canvas(40, 20) for _ in range(2)]
        overlay.draw_help(drawn[0], picture, PALETTE)
        draw_form(drawn[1], picture, Form(picture.settings), PALETTE)
        if spoken == "en":  # some names of commands are longer in Ukrainian than such a line
            drawn.append(Canvas(40, 20))
            overlay.draw_menu(drawn[2], picture, replace(UI, menu=0), PALETTE)
        for painted in drawn:
            assert_unclipped(name, painted)
