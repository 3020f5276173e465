"""client/tui/solo_paint.py: a game alone on a screen of any size."""

from dataclasses import replace

import pytest

from client.bests import Best
from client.ghost import solo_ghost
from client.solo import Choice
from client.solo_timeline import SoloTimeline
from client.tui.canvas import text_of
from client.tui.palette import CLASSIC, PALETTES, Depth
from client.tui.plan import plan
from client.tui.solo_keys import Do, Form, Row, SoloUi
from client.tui.solo_paint import SoloPicture, messages, paint_solo
from engine.solo import Made, SoloKind
from protocol.solo import Origin, parse_solo
from tests.client.alone import SMALL, Played

SIZES = [(40, 20), (80, 24), (120, 40)]
VIEW = replace(Played(SMALL, 30).game.view(0), t_ms=83_000)
BEST = Best(score=20_412, max_exponent=11, moves=989, t_ms=754_000)
PICTURE = SoloPicture(view=VIEW, best=BEST)
UI = SoloUi()
GHOST = solo_ghost(SoloTimeline(parse_solo(Played(SMALL, 30, name="hare").data)))


def shown(picture=PICTURE, ui=UI, columns=80, rows=24, palette=CLASSIC[Depth.TRUE]):
    layout = plan(columns, rows, picture.view.choice.size, 2 + len(picture.rivals))
    return "\n".join(text_of(paint_solo(picture, layout, palette, ui)))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_score_best_max_tile_moves_time_and_undos_are_all_there(columns, rows):
    text = shown(columns=columns, rows=rows)
    for figure in (f"{VIEW.score}", "20,412", f"{1 << VIEW.max_exponent}", "30", "1:23", "undo"):
        assert figure in text
    assert "3×3, to 16" in text


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("size", [3, 4, 5, 6, 8])
def test_every_board_fits_with_its_footer(columns, rows, size):
    view = Played(Choice(size, SoloKind.ENDLESS, 0), 60).game.view(0)
    text = shown(SoloPicture(view=view, best=BEST), columns=columns, rows=rows)
    assert f"{size}×{size}, endless" in text
    assert "new game" in text.splitlines()[-1]
    assert "…" not in text


@pytest.mark.parametrize("rows", [*range(1, 12), 19, 30])
@pytest.mark.parametrize("columns", [1, 10, 23, 24, 39, 41, 100])
@pytest.mark.parametrize("palette", PALETTES.values(), ids=list(PALETTES))
def test_no_size_is_too_small(columns, rows, palette):
    for ui in (UI, SoloUi(help=True), SoloUi(menu=1), SoloUi(form=Form(SMALL, Row.KIND)), SoloUi(asking=SMALL)):
        picture = replace(PICTURE, rivals=(GHOST.picture(1, 0),), notices=("a long notice " * 9,))
        lines = shown(picture, ui, columns, rows, palette[Depth.MONO]).splitlines()
        assert len(lines) <= rows
        assert all(len(line) <= columns for line in lines)


def test_below_24x9_there_is_one_line_of_figures():
    text = shown(columns=23, rows=8)
    assert text.split("\n")[0].startswith(f"{VIEW.score}")


def test_the_win_is_told_with_what_can_be_done():
    view = replace(VIEW, banner=True, made=Made(83_000, 28, 0))
    text = shown(replace(PICTURE, view=view))
    assert "You have made 16!" in text
    assert "Enter play on" in text
    assert "16 at move 28, 1:23" in text


def test_where_the_message_takes_the_footers_row_it_says_what_enter_does():
    view = replace(VIEW, banner=True, made=Made(83_000, 28, 0))
    assert "You have made 16! [Enter] play on" in shown(replace(PICTURE, view=view), columns=40, rows=20)
    text = " ".join(shown(replace(PICTURE, view=replace(view, stuck=True)), columns=40, rows=20).split())
    assert "[Enter] play again" in text


def test_a_game_that_is_won_and_over_says_both():
    view = replace(VIEW, banner=True, stuck=True, made=Made(83_000, 30, 0))
    assert messages(replace(PICTURE, view=view), UI)[0][0].startswith("Won, with 16, and over: ")


def test_a_lost_game_says_so_and_what_enter_does():
    text = shown(replace(PICTURE, view=replace(VIEW, stuck=True, made=None)))
    assert "No move is left" in text
    assert "Enter play again" in text


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_question_is_shown_whole(columns, rows):
    picture = replace(PICTURE, offered=True)
    text = " ".join(shown(picture, SoloUi(asking=Choice()), columns, rows).split())
    assert "unfinished game" in text
    assert "[y] yes" in text
    assert "with it" in text


def test_a_rival_is_shown_as_in_a_race():
    picture = replace(PICTURE, view=replace(VIEW, origin=Origin.GHOST, text=""), rivals=(GHOST.picture(1, 500),))
    for columns, rows in SIZES:
        text = shown(picture, columns=columns, rows=rows)
        assert "hare" in text
        assert "20,412" in text


def test_a_remark_tells_why_nothing_was_undone():
    assert "nothing to take back" in shown(ui=SoloUi(remark=Do.UNDO))
    assert "no undo in a race" in shown(replace(PICTURE, view=replace(VIEW, may_undo=False)), SoloUi(remark=Do.UNDO))
    assert "The mouse" in shown(ui=SoloUi(remark=Do.MOUSE))


def test_where_the_deck_is_from_is_in_the_header():
    daily = replace(VIEW, origin=Origin.DAILY, text="daily/2026-11-30/3")
    assert "daily 2026-11-30" in shown(replace(PICTURE, view=daily)).splitlines()[0]
    assert "deck “alone”" in shown().splitlines()[0]


def test_menu_form_and_help_lie_over_the_board():
    assert "mouse off" in shown(ui=SoloUi(menu=0))
    assert "‹ 16 ›" in shown(ui=SoloUi(form=Form(SMALL)))
    assert "take a move back" in shown(ui=SoloUi(help=True))
    assert "board ‹ 3×3 ›" in " ".join(shown(ui=SoloUi(form=Form(SMALL)), columns=23, rows=8).split())


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_hint_is_shown_whole_and_counted(columns, rows):
    hint = "Hint 3: left; it keeps 512 in the corner; it merges 64 and 64."
    text = " ".join(shown(replace(PICTURE, hint=hint, hints=3), columns=columns, rows=rows).split())
    assert hint in text
    if columns >= 80:
        assert "3 hints" in text


def test_in_a_race_there_is_no_hint():
    view = replace(VIEW, origin=Origin.GHOST, may_undo=False)
    assert messages(replace(PICTURE, view=view), SoloUi(remark=Do.HINT)) == [("There is no hint in a race.", False)]
