import pytest

from client.tui.keys import (
    COMPOSED,
    ELSEWHERE,
    KEYBOARDS,
    ON_A_BOARD,
    Verb,
    keyboard_of,
    latin,
    meaning,
    shown_key,
)
from engine.board import Direction

UP, RIGHT, DOWN, LEFT = Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT


@pytest.mark.parametrize("table", [ON_A_BOARD, ELSEWHERE])
def test_no_key_stands_twice_in_a_table(table: tuple[tuple[str, Direction | Verb], ...]) -> None:
    keys = [key for key, _ in table]
    assert len(keys) == len(set(keys))


def test_no_letter_of_any_keyboard_stands_at_two_positions() -> None:
    found: dict[str, str] = dict(COMPOSED)
    for letters in KEYBOARDS.values():
        for letter, position in zip(letters, "qwertyuiopasdfghjklzxcvbnm", strict=True):
            if letter != " ":
                assert found.setdefault(letter, position) == position, letter


def test_a_capital_means_on_a_board_what_its_small_letter_means_but_for_r() -> None:
    for key, meant in ON_A_BOARD:
        if len(key) == 1 and key.isalpha() and key.islower():
            assert meaning(key.upper(), on_board=True) is meant
    assert meaning("r", on_board=True) is None
    assert meaning("R", on_board=True) is Verb.RESIGN


@pytest.mark.parametrize(
    "keys",
    [
        ["up", "left", "down", "right"],
        "wasd", "zqsd", "khjl", "8426", "WASD", "ｗａｓｄ",
        "цфів", "цфыв", "ЦФІВ", "ЦФЫВ", "лрод", "ЛРОД",
        "صشسي", "نات" + "م", "٨٤٢٦", "ưasđ", "ƯASĐ", "ςασδ",
    ],
)  # fmt: skip
def test_every_keyboard_moves_up_left_down_right(keys: list[str] | str) -> None:
    assert [meaning(key, on_board=True) for key in keys] == [UP, LEFT, DOWN, RIGHT]


@pytest.mark.parametrize("key", ["q", "d", "a", "h", "й", "в", "ф", "р"])
def test_on_a_board_the_letters_that_move_mean_nothing_else(key: str) -> None:
    assert isinstance(meaning(key, on_board=True), Direction)


@pytest.mark.parametrize(
    ("key", "verb"), [("щ", Verb.AGREE), ("ч", Verb.REFUSE), ("К", Verb.RESIGN), ("خ", Verb.AGREE)]
)
def test_commands_work_by_position_on_other_keyboards(key: str, verb: Verb) -> None:
    assert meaning(key, on_board=True) is verb


def test_resigning_on_a_board_takes_a_capital_on_every_keyboard() -> None:
    assert meaning("к", on_board=True) is None
    assert meaning("\N{ARABIC DAMMATAN}", on_board=True) is Verb.RESIGN


def test_letters_and_arrows_do_not_move_tiles_elsewhere() -> None:
    assert not any(isinstance(meaning(key, on_board=False), Direction) for key in ["up", "w", "a", "s", "d", "8"])


@pytest.mark.parametrize(("key", "verb"), [("r", Verb.READY), ("к", Verb.READY), ("s", Verb.START), ("g", Verb.AGAIN)])
def test_elsewhere_letters_are_commands(key: str, verb: Verb) -> None:
    assert meaning(key, on_board=False) is verb


def test_the_footer_names_the_character_that_the_keyboard_makes() -> None:
    assert shown_key("o", keyboard_of("ц")) == "щ"
    assert shown_key("R", keyboard_of("ц")) == "К"
    assert shown_key("Esc", "ukrainian") == "Esc"
    assert shown_key("o", keyboard_of("w")) == "o"


@pytest.mark.parametrize("key", ["", " ", "é", "漢", "\N{COMBINING ACUTE ACCENT}", "ﬃ", "½"])
def test_a_character_that_no_key_makes_means_nothing(key: str) -> None:
    assert meaning(key, on_board=True) is None
    assert isinstance(latin(key), str)
