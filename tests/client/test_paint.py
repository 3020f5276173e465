import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from wcwidth import wcwidth

from client.tui.canvas import _HIDDEN, _NARROW, Canvas, Cell, Rect, clipped, columns_of, graphemes, text_of
from client.tui.choices import Form
from client.tui.commands import Ui
from client.tui.keys import Verb
from client.tui.paint import changes_in_ms
from client.tui.palette import CLASSIC, PLAIN, Depth
from client.tui.plan import plan
from client.tui.tiles import face
from client.view import Check, GamePicture, Line, OfferPicture, SessionView, TallyPicture
from engine.board import Board
from engine.race import Kind, Outcome, SeatState, Termination
from protocol.messages import Phase, TableSettings
from protocol.text import SafeText

from .pictures_of import SEATS, UI, canvas, game, screen, seat, view, watching

SIZES = (3, 4, 5, 6, 8)
SCREENS = [(80, 24), (40, 20), (120, 40), (24, 9), (39, 19), (23, 8), (20, 5), (2, 2), (1, 1), (0, 0)]
PHASES: list[Phase | None] = [None, *Phase]
HOSTILE = [
    "\x1b[2J\x1b]0;x\x07", "\x9b31m", "a\nb\r\tc", "\u202egnp.exe", "e" + 5 * "\u0301", 8 * "漢",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd",
    "\u2764\ufe0f", "\u200b\u200d\ufeff", "\x00\x7f", "<b>&%s{0}{name}", "\ud800", "\ufdfa", "x" * 10_000, "",
]  # fmt: skip


def offer(**changes: Any) -> OfferPicture:
    values: dict[str, Any] = {"by_you": False, "agreed": False} | changes
    return OfferPicture(by_seat=1, by_name=SafeText("hare"), lapse_ms=24_000, **values)


def on_board(painted: Canvas, size: int, columns: int = 80, rows: int = 24, players: int = 4) -> list[Cell]:
    region = plan(columns, rows, size, players).board
    return [cell for line in painted.lines[region.y : region.bottom] for cell in line[region.x : region.right]]


# ── every screen at every size ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("size", SIZES)
def test_any_phase_is_painted_on_a_screen_of_any_size(phase: Phase | None, size: int) -> None:
    for columns, rows in SCREENS:
        for depth in (Depth.TRUE, Depth.MONO):
            assert_sound(canvas(view(phase, size), columns, rows, UI, depth), columns, rows)


@pytest.mark.parametrize("ui", [replace(UI, menu=2), replace(UI, overlay=Verb.HELP), replace(UI, overlay=Verb.LINK)])
def test_what_lies_over_a_screen_is_painted_on_a_screen_of_any_size(ui: Ui) -> None:
    for columns, rows in SCREENS:
        for phase in (Phase.SEATING, Phase.RACING, Phase.FINISHED):
            assert_sound(canvas(view(phase), columns, rows, ui), columns, rows)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.RACING, Phase.FINISHED])
def test_two_to_four_players_are_painted_with_and_without_a_seat(phase: Phase, players: int) -> None:
    for columns, rows in SCREENS:
        assert_sound(canvas(view(phase, players=players), columns, rows), columns, rows)
        assert_sound(canvas(watching(phase), columns, rows), columns, rows)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("phase", PHASES)
def test_no_name_breaks_a_cell_or_shifts_a_row(phase: Phase | None, name: str) -> None:
    # SafeText would be made by SafeText.shown; the screen must not depend on it.
    told = SafeText(name)
    seats = tuple(replace(each, name=told) for each in SEATS)
    hostile = replace(
        view(phase, line=Line.LOST if phase else Line.OVER, offer=replace(offer(), by_name=told)),
        seats=tuple(replace(each, place=each.seat + 1, wants_again=True) for each in seats),
        notice=name[:32],
        ending=name[:32],
        code=name[:24],
        watch_code=name[:24],
        record_path=name,
        check=Check(ok=False, reason=name),
        tally=tuple(TallyPicture(name=told, wins=1, draws=1, losses=1) for _ in range(4)),
        lobby_program=name,
    )
    shown = [Ui(join=name, watch=name), Ui(menu=0), Ui(overlay=Verb.LINK, join=name), Ui(overlay=Verb.HELP)]
    shown += [Ui(asking=Verb.KICK, about=seats[1]), Ui(form=Form(hostile.settings))]
    for columns, rows in SCREENS:
        for ui in shown:
            assert_sound(canvas(hostile, columns, rows, ui), columns, rows)


def test_a_view_without_seats_in_a_race_is_painted() -> None:
    for phase in Phase:
        assert_sound(canvas(SessionView(line=Line.LOST, phase=phase)), 80, 24)


def assert_sound(painted: Canvas, columns: int, rows: int) -> None:
    """Each row is as wide as the screen, each cell one printable grapheme, or the second half of a wide one."""
    assert len(painted.lines) == rows
    for line in painted.lines:
        assert len(line) == columns
        covered = False
        for shown, _ in line:
            assert (shown == "") == covered
            if "!" <= shown <= "~" or shown == " ":
                covered = False
            elif shown:
                widths = [wcwidth(character) for character in shown]
                assert widths[0] in (1, 2)
                assert set(widths[1:]) <= {0}
                assert len(shown) <= 3
                covered = widths[0] == 2
            else:
                covered = False
        assert not covered, "a wide grapheme hangs over the edge"


# ── what stands on them ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_waiting_screen_has_both_links_whole_and_everyone_at_the_table() -> None:
    seats = (SEATS[0], replace(SEATS[1], ready=False), SEATS[2], None)
    shown = screen(view(Phase.SEATING, seats=seats, watchers=2))
    assert f"race2048 join {UI.join}" in shown
    assert f"race2048 watch {UI.watch}" in shown
    assert "4×4, first to 2048" in shown
    for words in ("fox you", "host", "hare", "not ready", "owl computer", "free", "2 watching"):
        assert words in shown


def test_a_guest_who_knows_one_link_is_shown_both() -> None:
    shown = screen(view(Phase.SEATING), ui=Ui(join=UI.join))
    assert f"race2048 watch {UI.watch}" in shown


def test_the_waiting_screen_at_40x20_has_the_whole_link_in_pieces() -> None:
    shown = screen(view(Phase.SEATING), 40, 20)
    assert UI.join in "".join(line.strip() for line in shown.splitlines())


def test_the_host_is_offered_the_start_once_it_would_be_taken() -> None:
    assert "Enter start the race" not in screen(view(Phase.SEATING))
    assert "Enter start the race" in screen(view(Phase.SEATING, can_start=True))


def test_the_countdown_is_a_large_digit_over_an_empty_board() -> None:
    palette = CLASSIC[Depth.TRUE]
    counting = canvas(view(Phase.COUNTDOWN, countdown_ms=2_001))
    inks = [ink for _, ink in on_board(counting, 4)]
    assert palette.digit in inks
    assert palette.tile(0).face in inks
    assert all(shown == " " for shown, _ in on_board(counting, 4))


def test_the_countdown_shows_three_until_two_seconds_are_left() -> None:
    def counting(left_ms: int) -> list[Cell]:
        return on_board(canvas(view(Phase.COUNTDOWN, countdown_ms=left_ms)), 4)

    assert counting(3_000) == counting(2_001)
    assert counting(2_001) != counting(2_000)


def test_rivals_stand_below_you_the_largest_score_first() -> None:
    shown = screen(view(Phase.RACING))
    assert sorted(("owl", "fox", "hare", "漢字の名前"), key=shown.index) == ["fox", "hare", "漢字の名前", "owl"]


def test_a_rival_has_score_signed_gap_max_tile_moves_and_state() -> None:
    shown = screen(view(Phase.RACING))
    for words in ("21,612", "+1,200", "1024", "490 moves", "racing", "−5,532", "away 43 s", "stuck"):
        assert words in shown


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (120, 40)])
def test_a_computer_player_is_marked(columns: int, rows: int) -> None:
    for phase in (Phase.SEATING, Phase.RACING, Phase.FINISHED):
        for size in (4, 6):
            pages = [screen(view(phase, size, 3), columns, rows, replace(UI, page=page)) for page in range(3)]
            assert any("owl bot" in shown or "owl computer" in shown for shown in pages)


def test_your_own_figures_are_those_of_your_board_not_of_the_last_tick() -> None:
    shown = screen(view(Phase.RACING, game=game(score=99_999, moves=777)))
    assert "99,999" in shown
    assert "777" in shown
    assert "20,412" not in shown


def test_a_timed_race_shows_what_is_left() -> None:
    settings = TableSettings(kind=Kind.TIMED, target_exponent=0, time_ms=180_000)
    assert "1:23" in screen(view(Phase.RACING, settings=settings, clock_ms=82_001))
    assert "0:00" in screen(view(Phase.RACING, settings=settings, clock_ms=0))


def test_a_draw_offer_has_its_line_with_the_keys_that_answer_it() -> None:
    shown = screen(view(Phase.RACING, offer=offer()))
    assert "hare offers a draw (24 s).  [o] agree  [x] refuse" in shown


def test_the_keys_of_an_offer_are_those_of_the_persons_keyboard() -> None:
    shown = screen(view(Phase.RACING, offer=offer()), ui=replace(UI, keyboard="ukrainian"))
    assert "[щ] agree  [ч] refuse" in shown


def test_on_a_narrow_screen_the_keys_of_an_offer_come_first() -> None:
    assert "[o] agree [x] refuse hare" in screen(view(Phase.RACING, offer=offer()), 40, 20)


def test_an_offer_says_how_many_have_agreed_where_more_than_two_are_asked() -> None:
    assert "1 of 4 agree." in screen(view(Phase.RACING, offer=offer(agreed_seats=(1,))))
    assert "agree." not in screen(view(Phase.RACING, players=2, offer=offer(agreed_seats=(1,))))


def test_one_who_does_not_move_is_warned_and_then_told_what_is_left() -> None:
    assert "Move within 22 s or count as away." in screen(view(Phase.RACING, idle_warning_ms=21_500), 40, 20)
    away = (replace(SEATS[0], away_ms=40_000), *SEATS[1:])
    assert "Away: move within 40 s or forfeit." in screen(view(Phase.RACING, seats=away), 40, 20)


def test_a_lost_connection_is_told_with_what_becomes_of_moves() -> None:
    shown = screen(view(Phase.RACING, line=Line.LOST, game=game(unconfirmed=3)))
    assert "your moves are sent when it is back." in " ".join(shown.split())
    assert "3 moves not sent" in shown


def test_a_deck_that_is_not_known_further_is_told() -> None:
    assert "Waiting for the lobby to deal on" in screen(view(Phase.RACING, game=game(waiting=True)))


def test_leaving_a_race_is_asked_with_the_way_back() -> None:
    shown = screen(view(Phase.RACING), ui=replace(UI, asking=Verb.LEAVE))
    assert "Leave? [y] The others go on; you have 60 s to come back: the shell says how." in shown


def test_a_question_has_the_place_of_every_other_message() -> None:
    urgent = view(Phase.RACING, line=Line.LOST, offer=offer())
    shown = screen(urgent, 40, 20, replace(UI, asking=Verb.RESIGN))
    assert "Resign and lose this race? [y] yes" in shown


def test_deciding_is_told_while_the_lobby_settles() -> None:
    for phase in (Phase.SETTLING, Phase.CLOSING):
        assert "Deciding" in screen(view(phase))


def test_while_closing_seals_are_awaited_the_outcome_is_told_already() -> None:
    decided = view(Phase.CLOSING, outcome=Outcome(Termination.TARGET, (1,), 1))
    assert "hare made 2048 first." in screen(decided)


def test_a_guests_wish_for_another_race_is_shown_to_the_host() -> None:
    seats = tuple(replace(each, wants_again=each.seat == 1) for each in view(Phase.FINISHED).seats if each is not None)
    for columns, rows in ((80, 24), (40, 20)):
        assert "Asked for another race: hare." in screen(view(Phase.FINISHED, seats=seats), columns, rows)


def test_the_result_offers_another_race_and_other_settings_to_the_host_alone() -> None:
    for columns, rows in ((80, 24), (40, 20)):
        shown = screen(view(Phase.FINISHED), columns, rows)
        assert "Enter race again" in shown
        assert "change settings" in shown
    guest = screen(view(Phase.FINISHED, i_am_host=False))
    assert "Enter ask for another race" in guest
    assert "settings" not in guest


def test_the_waiting_screen_shows_what_is_not_usual_about_the_table() -> None:
    shown = screen(view(Phase.SEATING, locked=True, settings=TableSettings(idle_ms=60_000, lead=16)))
    assert "4 seats, locked" in shown
    assert "idle limit 1 min, strict" in shown


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 14), (40, 20)])
def test_a_short_lead_and_a_seed_are_shown_however_little_room_there_is(columns: int, rows: int) -> None:
    for changes, words in (({"settings": TableSettings(lead=16)}, "strict"), ({"seeded": True}, "dealt from a seed")):
        assert words in screen(view(Phase.SEATING, **changes), columns, rows)


def test_who_was_put_out_reads_why_on_any_screen() -> None:
    seats = (replace(SEATS[0], you=False), None, None, None)
    kicked = watching(Phase.SEATING, seats=seats, notice="kicked")
    assert "The host has freed your seat. You can watch; ask the host to let you back." in screen(kicked)
    narrow = " ".join(line.strip() for line in screen(kicked, 40, 20).splitlines())
    assert "The host has freed your seat. You can watch; ask the host to let you back." in narrow


def test_a_watcher_sees_everyone_and_no_gap() -> None:
    shown = screen(watching(Phase.RACING))
    for words in ("fox", "hare", "owl", "漢字の名前", "490 moves", "stuck", "away 43 s"):
        assert words in shown
    assert "+1,200" not in shown


def test_the_result_has_all_four_boards_of_4x4_on_80x24() -> None:
    shown = screen(view(Phase.FINISHED))
    assert shown.count("131k") == 0
    for words in (" 1  fox you", " 2  hare", " 3  owl", " 4  漢字の名前"):
        assert words in shown
    assert shown.count("  4  ") >= 4


def test_the_result_says_why_it_ended_and_that_the_record_agrees() -> None:
    tally = (TallyPicture(name=SafeText("fox"), wins=2, draws=1, losses=0),)
    shown = screen(view(Phase.FINISHED, tally=tally))
    for words in ("You made 2048 first", "You have won!", "4 logs replayed, all agree", "fox 2 (1 drawn)", "4:12"):
        assert words in shown
    assert "race2048 verify /home/fox/races/2026-11-30-482913.r2048" in shown


DISPUTE = Check(ok=False, reason="figures", detail="hare")
PATH = "/home/fox/races/2026-11-30-482913.r2048"


def test_a_record_that_does_not_agree_is_told_loudly() -> None:
    disputed = view(Phase.FINISHED, check=DISPUTE, dispute=DISPUTE, dispute_path=PATH)
    for columns, rows in ((80, 24), (120, 40)):
        shown = " ".join(screen(disputed, columns, rows).split())
        assert "THE RECORD DOES NOT AGREE with what you saw: it tells otherwise of hare" in shown
        assert f"Show it to the others: {PATH}" in shown


@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.OPENING, Phase.COUNTDOWN, Phase.FINISHED])
def test_a_record_that_did_not_agree_stays_in_sight_when_the_next_race_is_near(phase: Phase) -> None:
    assert "THE RECORD DOES NOT AGREE" in screen(view(phase, dispute=DISPUTE))


ALARMED: dict[str, Any] = {"alarm": "other-key", "fingerprint": "7q4k2m9xb3hd5s8t"}


@pytest.mark.parametrize("size", [(80, 24), (40, 20), (120, 40)])
@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.FINISHED])
def test_a_lobby_with_another_key_than_before_is_warned_of_at_the_table(phase: Phase, size: tuple[int, int]) -> None:
    shown = " ".join(screen(view(phase, **ALARMED), *size).split())
    assert "WARNING: the lobby at this address had another key before." in shown
    assert "Ask the host" in shown
    assert "7q4k 2m9x b3hd 5s8t" in shown


def test_the_warning_stays_until_the_boards_are_alive() -> None:
    for phase in (Phase.OPENING, Phase.COUNTDOWN):
        assert "WARNING: the lobby" in screen(view(phase, **ALARMED), 120, 40)
    assert "WARNING" not in screen(view(Phase.RACING, **ALARMED), 120, 40)


@pytest.mark.parametrize("size", [(80, 24), (40, 20)])
def test_a_warning_keeps_no_other_message_out_of_sight(size: tuple[int, int]) -> None:
    shown = screen(view(Phase.SEATING, **ALARMED, notice="not-ready"), *size)
    assert "WARNING" in shown
    assert "Not everyone is ready." in shown


def test_tab_leads_round_all_boards_that_do_not_fit() -> None:
    seen = "".join(screen(view(Phase.FINISHED, 8), ui=replace(UI, page=page)) for page in range(3))
    for name in ("fox", "hare", "owl", "漢字の名前"):
        assert name in seen


def test_the_first_page_of_a_result_has_the_winner_and_you() -> None:
    seats = tuple(replace(each, place=4 - each.seat, won=each.seat == 3) for each in view(Phase.FINISHED).seats if each)
    shown = screen(view(Phase.FINISHED, 8, seats=seats, outcome=Outcome(Termination.TARGET, (3,), 1)))
    assert "漢字の名前" in shown
    assert "fox you" in shown


def test_a_session_that_never_came_to_a_table_says_why() -> None:
    shown = screen(SessionView(line=Line.OVER, ending="no-table"))
    assert "There is no table with this code." in shown
    assert "ask the host for the link" in shown


def test_one_line_has_score_and_rival() -> None:
    assert screen(view(Phase.RACING), 23, 5).splitlines()[0] == "20,412  hare 21,612"


def test_the_link_can_be_shown_during_a_race() -> None:
    assert UI.join in screen(view(Phase.RACING), ui=replace(UI, overlay=Verb.LINK))


# ── tiles ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("exponent", "columns", "shown"),
    [(17, 6, "131072"), (17, 5, "131k"), (17, 3, "^17"), (11, 4, "2048"), (11, 3, "2k"), (20, 4, "1M"), (65, 8, "36E")],
)
def test_a_face_is_written_in_full_while_it_fits(exponent: int, columns: int, shown: str) -> None:
    assert face(exponent, columns) == shown


@pytest.mark.parametrize("columns", [4, 5, 6, 7, 8])
def test_no_two_tiles_have_the_same_face(columns: int) -> None:
    faces = [face(exponent, columns) for exponent in range(1, 66)]
    assert len(set(faces)) == 65
    assert all(len(shown) <= columns for shown in faces)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (24, 9), (120, 40)])
def test_every_tile_of_a_board_is_on_the_screen_where_it_stands(size: int, columns: int, rows: int) -> None:
    board = Board.of_cells(size, bytes([3] * (size * size)))
    picture = view(Phase.RACING, size, players=2, game=game(size, board=board, score=0, moves=1, max_exponent=3))
    shown = [shown for shown, _ in on_board(canvas(picture, columns, rows), size, columns, rows, players=2)]
    assert shown.count("8") == size * size


def test_the_largest_tile_is_reversed_in_mono() -> None:
    painted = canvas(view(Phase.RACING, game=game(board=Board.parse("2 4 8 16 / . . . . / . . . . / . . . 256"))),
                     depth=Depth.MONO)  # fmt: skip
    reversed_text = "".join(shown for line in painted.lines[1:20] for shown, ink in line[:45] if ink.reverse)
    assert reversed_text.split() == ["256"]


# ── the canvas ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_wide_grapheme_that_does_not_fit_is_left_out() -> None:
    assert clipped("漢字漢字", 5) == "漢字…"
    assert columns_of(clipped("漢字漢字", 6)) <= 6


def test_writing_over_half_of_a_wide_grapheme_leaves_no_other_half() -> None:
    painted = Canvas(6, 1)
    painted.text(0, 0, "漢字漢")
    painted.text(1, 0, "x")
    painted.fill(Rect(3, 0, 1, 1), PLAIN, "y")
    assert text_of(painted) == [" x y漢"]


def test_writing_outside_changes_nothing() -> None:
    painted = Canvas(4, 2)
    for x, y in ((-9, 0), (0, -1), (4, 0), (0, 2), (99, 99)):
        painted.text(x, y, "漢x")
    painted.fill(Rect(-5, -5, 3, 3), PLAIN, "y")
    assert text_of(painted) == ["", ""]


def test_control_characters_become_a_sign_and_marks_stay_with_their_letter() -> None:
    assert list(graphemes("a\x1be\u0301b")) == [("a", 1), ("�", 1), ("e\u0301", 1), ("b", 1)]


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("picture", "wait_ms"),
    [
        (view(Phase.SEATING, seats=()), None),
        (view(Phase.COUNTDOWN, seats=(), countdown_ms=2_500), 500),
        (view(Phase.COUNTDOWN, seats=(), countdown_ms=2_000), 1_000),
        (view(Phase.RACING, seats=(), clock_ms=83_200), 800),
        (view(Phase.RACING, seats=(seat(1, "hare", away_ms=42_300),), clock_ms=83_200), 300),
        (view(Phase.FINISHED), None),
    ],
)
def test_the_next_redraw_is_due_when_a_count_changes(picture: SessionView, wait_ms: int | None) -> None:
    assert changes_in_ms(picture) == wait_ms


def test_a_seat_state_is_told_in_every_state() -> None:
    for state in SeatState:
        seats = (SEATS[0], replace(SEATS[1], state=state))
        assert "hare" in screen(view(Phase.RACING, seats=seats))


def test_a_game_picture_of_another_size_than_the_table_is_not_drawn_askew() -> None:
    odd: GamePicture = game(3)
    assert_sound(canvas(view(Phase.RACING, 4, game=odd)), 80, 24)


def test_what_is_taken_for_narrow_without_asking_is_narrow() -> None:
    for character in (chr(number) for narrow in _NARROW for number in narrow):
        assert (wcwidth(character), unicodedata.category(character) in _HIDDEN) == (1, False)
