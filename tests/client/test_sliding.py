from client.tui.canvas import Canvas, Cell, Rect, text_of
from client.tui.look import Look, Motion
from client.tui.palette import CLASSIC, PALETTES, Depth
from client.tui.plan import Gap, Shape
from client.tui.sliding import FRAME_S, SLIDE_S, Fresh, Slide, Slides, draw_slide
from client.tui.tiles import draw_board
from engine.board import Board, Direction
from engine.motion import motions

PALETTE = CLASSIC[Depth.TRUE]
BEFORE = Board.parse("2 . . 2 / . . . . / . 4 . . / . . . .")
AFTER = Board.parse("4 . . . / . . . . / 4 . . . / . . . 2")  # to the left, and a 2 in the corner
ROOMY = Shape(8, 3, 2, Gap.ROW)
TIGHT = Shape(7, 3, 1, Gap.HALF)


def slides(motion: Motion = Motion.FULL) -> Slides:
    made = Slides(Look(palette=PALETTE, motion=motion))
    made.look(BEFORE, 0.0)
    return made


def picture(slide: Slide, shape: Shape = ROOMY) -> list[str]:
    canvas = Canvas(shape.columns(4), shape.rows(4))
    draw_slide(canvas, Rect(0, 0, canvas.columns, canvas.rows), shape, 4, slide, PALETTE)
    return text_of(canvas)


def test_a_move_slides_for_a_tenth_of_a_second_at_thirty_pictures_a_second() -> None:
    shown, now_s, parts = slides(), 5.0, []
    while isinstance(found := shown.look(AFTER, now_s), Slide):
        parts.append(found.part)
        now_s += FRAME_S
    assert found is None
    assert len(parts) == 3
    assert 0 < parts[0] < parts[1] < parts[2] < 1
    assert now_s - 5.0 <= SLIDE_S + 0.001


def test_the_ways_are_those_of_the_move() -> None:
    found = slides().look(AFTER, 1.0)
    assert isinstance(found, Slide)
    assert set(found.ways) == set(motions(BEFORE, Direction.LEFT))


def test_the_next_move_cuts_a_slide_short() -> None:
    shown = slides()
    shown.look(AFTER, 1.0)
    moved = AFTER.slide(Direction.DOWN)
    assert moved is not None
    found = shown.look(moved[0].spawn(1, 0), 1.0 + FRAME_S)
    assert isinstance(found, Slide)
    assert set(found.ways) == set(motions(AFTER, Direction.DOWN))


def test_two_moves_at_once_do_not_slide() -> None:
    assert slides().look(Board.parse("8 . . . / . . . . / . . . . / . . 2 2"), 1.0) is None


def test_the_first_board_and_the_next_game_do_not_slide() -> None:
    shown = Slides(Look(palette=PALETTE))
    assert shown.look(BEFORE, 0.0) is None
    assert shown.look(None, 1.0) is None
    assert shown.look(AFTER, 2.0) is None
    assert shown.look(Board.parse("2 . . / . . . / . . 2"), 3.0) is None


def test_reduced_motion_marks_what_has_come_to_be_until_the_next_move() -> None:
    shown = slides(Motion.REDUCED)
    assert shown.look(AFTER, 1.0) == Fresh(frozenset({0, 15}))
    assert shown.look(AFTER, 60.0) == Fresh(frozenset({0, 15}))


def test_motion_off_shows_boards_as_they_are() -> None:
    assert slides(Motion.OFF).look(AFTER, 1.0) is None


def test_where_there_are_no_colours_nothing_slides() -> None:
    shown = Slides(Look(palette=PALETTES["mono"][Depth.MONO]))
    shown.look(BEFORE, 0.0)
    assert isinstance(shown.look(AFTER, 1.0), Fresh)


def test_a_tile_on_its_way_sideways_is_between_its_places() -> None:
    rows = picture(Slide(motions(Board.parse(". . . . / . . . . / . . . 4 / . . . ."), Direction.LEFT), 0.5))
    assert rows[10].index("4") == 20  # its places are at 5 and 35


def test_a_tile_on_its_way_down_is_drawn_with_half_a_row_of_precision() -> None:
    ways = motions(Board.parse("4 . . . / . . . . / . . . . / . . . ."), Direction.DOWN)
    for part, upper in ((1 / 24, 2 + 1), (2 / 24, 2 + 2), (3 / 24, 2 + 3)):
        canvas = Canvas(ROOMY.columns(4), ROOMY.rows(4))
        draw_slide(canvas, Rect(0, 0, canvas.columns, canvas.rows), ROOMY, 4, Slide(ways, part), PALETTE)
        ground = PALETTE.tile(2).face.ground
        seen = [
            half
            for y, line in enumerate(canvas.lines)
            for half, colour in ((2 * y, line[4][1].ground), (2 * y + 1, _lower(line[4])))
            if colour == ground
        ]
        assert seen == list(range(upper, upper + 6))


def _lower(cell: Cell) -> str:
    return cell[1].text if cell[0] == "▄" else cell[1].ground


def test_the_face_of_a_tile_that_another_passes_over_is_not_seen() -> None:
    rows = picture(Slide(motions(Board.parse("2 2 . . / . . . . / . . . . / . . . ."), Direction.LEFT), 0.9))
    assert rows[2].split() == ["2"]


def test_tiles_that_stay_look_as_on_a_board_that_stands_still() -> None:
    board = Board.parse("2 4 8 16 / . . . . / . . . . / . . . .")
    ways = motions(Board.parse("2 4 8 16 / . 2 . . / . . . . / . . . ."), Direction.LEFT)
    for shape in (ROOMY, TIGHT, Shape(4, 2, 1, Gap.HALF, framed=False), Shape(6, 1, 1, Gap.NOTHING)):
        region = Rect(0, 0, shape.columns(4), shape.rows(4))
        moving, still = Canvas(region.width, region.height), Canvas(region.width, region.height)
        draw_slide(moving, region, shape, 4, Slide(tuple(way for way in ways if way.start < 4), 0.5), PALETTE)
        draw_board(still, region, shape, 4, board, PALETTE)
        assert moving.lines == still.lines


def test_a_new_tile_is_underlined_where_it_is_marked() -> None:
    for depth in Depth:
        palette, region = CLASSIC[depth], Rect(0, 0, ROOMY.columns(4), ROOMY.rows(4))
        canvas = Canvas(region.width, region.height)
        draw_board(canvas, region, ROOMY, 4, AFTER, palette, frozenset({15}))
        underlined = [shown for line in canvas.lines for shown, ink in line if ink.underline]
        assert underlined == ["2"]
