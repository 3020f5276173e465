import pytest

from client.tui.canvas import Rect
from client.tui.plan import Arrangement, Gap, plan, side_by_side

SIZES = (3, 4, 5, 6, 8)


def test_four_by_four_on_80x24_has_tiles_of_8x3_and_a_panel_of_30() -> None:
    layout = plan(80, 24, 4, 4)
    assert layout.shape is not None
    assert (layout.shape.width, layout.shape.height, layout.shape.gap) == (8, 3, Gap.ROW)
    assert (layout.board.width, layout.board.height, layout.panel.width) == (42, 17, 30)


@pytest.mark.parametrize(("size", "tile"), [(5, (7, 3)), (6, (7, 3)), (8, (5, 2))])
def test_larger_boards_on_80x24_have_half_row_gaps_beside_a_panel(size: int, tile: tuple[int, int]) -> None:
    layout = plan(80, 24, size, 4)
    assert layout.shape is not None
    assert layout.arrangement is Arrangement.SIDE
    assert (layout.shape.width, layout.shape.height, layout.shape.gap) == (*tile, Gap.HALF)
    assert layout.panel.width >= 22


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("columns", "rows"), [(40, 20), (80, 24), (60, 20), (40, 60), (120, 40), (300, 90)])
def test_from_40x20_up_board_players_and_footer_all_fit_apart(size: int, players: int, columns: int, rows: int) -> None:
    layout = plan(columns, rows, size, players)
    assert layout.arrangement in (Arrangement.SIDE, Arrangement.BELOW)
    assert layout.panel.height >= players
    assert layout.footer == rows - 1
    assert not overlap(layout.board, layout.panel)
    for region in (layout.board, layout.panel):
        assert region.x >= 0
        assert region.y >= 1
        assert region.right <= columns
        assert region.bottom <= rows - 1


@pytest.mark.parametrize("size", SIZES)
def test_between_24x9_and_40x20_there_is_always_a_board(size: int) -> None:
    for columns in range(24, 41):
        for rows in range(9, 21):
            layout = plan(columns, rows, size, 4)
            assert layout.shape is not None
            assert layout.board.right <= columns
            assert layout.board.bottom <= rows


@pytest.mark.parametrize(("columns", "rows"), [(23, 40), (200, 8), (1, 1), (0, 0)])
def test_below_24x9_there_is_one_line(columns: int, rows: int) -> None:
    assert plan(columns, rows, 4, 4).arrangement is Arrangement.LINE


def test_the_players_go_below_the_board_where_that_makes_its_tiles_much_larger() -> None:
    assert plan(60, 40, 4, 4).arrangement is Arrangement.BELOW


def test_four_boards_of_4x4_fit_side_by_side_in_80_columns() -> None:
    row = side_by_side(Rect(0, 0, 80, 10), 4, 4)
    assert row is not None
    assert len(row.places) == 4
    assert row.places[-1].right <= 80


def test_two_boards_of_8x8_fit_side_by_side_on_80x24() -> None:
    row = side_by_side(Rect(0, 4, 80, 16), 8, 4)
    assert row is not None
    assert len(row.places) == 2


def overlap(one: Rect, other: Rect) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom
