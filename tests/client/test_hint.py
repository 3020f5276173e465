"""`race2048 hint`: boards as people and programs write them, what is said of the rest, and the answer."""

import io
import json
import os
import sys

import pytest

from client import cli
from client.board_text import TEXT_BYTES_MAX, BoardFault, board_of
from client.cli import exits
from client.cli.hint import STDIN
from engine.board import Board
from engine.solver import HINT_NODES, search

BOARD = Board.parse("2 4 8 / . 2 . / . . 16")
STUCK = "2 4 2\n4 2 4\n2 4 2\n"


@pytest.fixture
def run(capsys, monkeypatch):
    """Returns a function that runs `hint` with this on standard input; returns exit code, stdout and stderr."""

    def command(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli.main(["hint", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


# ── boards ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "2 4 8\n. 2 .\n. . 16\n",
        "2 4 8 / . 2 . / . . 16",
        "2 4 8\n0 2 0\n0 0 16",
        "  2  4  8\n\n  -  2  -\n  _  ·  16  \n\n",
        "2,4,8\n,2,\n,,16",
        "2, 4, 8\r\n0, 2, 0\r\n0, 0, 16\r\n",
        "| 2 | 4 | 8 |\n|   | 2 |   |\n|   |   | 16 |",
        "2 | 4 | 8\n--+---+--\n. | 2 | .\n--+---+--\n. | . | 16",
        "+--+--+--+\n| 2| 4| 8|\n+--+--+--+\n|  | 2|  |\n+--+--+--+\n|  |  |16|\n+--+--+--+",
        "┌──┬──┬──┐\n│2 │4 │8 │\n├──┼──┼──┤\n│  │2 │  │\n├──┼──┼──┤\n│  │  │16│\n└──┴──┴──┘",
        "[[2, 4, 8], [0, 2, 0], [0, 0, 16]]",
        "\ufeff [[2,4,8],\n[0,2,0],\n[0,0,16]]\n",
    ],
)
def test_a_board_may_be_written_in_many_ways(text):
    assert board_of(text.encode()) == BOARD


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("- - -\n- 2 -\n- - 2", ". . . / . 2 . / . . 2"),
        ("| | | |\n| | 2 | |\n| | | 2 |", ". . . / . 2 . / . . 2"),
    ],
)
def test_a_row_of_empty_cells_is_no_part_of_a_frame(text, board):
    assert board_of(text.encode()) == Board.parse(board)


def test_what_a_board_says_of_itself_can_be_read():
    assert board_of(str(BOARD).encode()) == BOARD


def test_the_largest_tile_of_a_size_is_allowed():
    assert board_of(b"1024 . . / . . . / . . .").max_exponent == 10
    assert board_of(json.dumps([[1 << 65] + [0] * 7] + [[0] * 8] * 7).encode()).max_exponent == 65


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "There is nothing in it."),
        (b" \n\t\n", "There is nothing in it."),
        (b"\xff\xfe2 4", "byte 1 is not UTF-8"),
        (b"2 4 8\n. \xe9 .", "byte 9 is not UTF-8"),
        (b"2 4 8\n. 2\n. . .", "Row 2 has 2 cells, but there are 3 rows."),
        (b"2 4 8 2 4 8 2 4 8", "Row 1 has 9 cells, but there are 1 rows."),
        (b"2 4 / . .", "A board of 2×2"),
        (b"\n".join([b". . . . . . ."] * 7), "A board of 7×7"),
        (b"2 4 8\n. 3 .\n. . .", "Row 2, column 2: 3 is no tile"),
        (b"2 4 8\n. . 1\n. . .", "Row 2, column 3: 1 is no tile"),
        (b"2 4 8\n. . -2\n. . .", "Row 2, column 3: -2 is no tile"),
        (b"2 4 8\n. . 2.0\n. . .", "Row 2, column 3: 2.0 is no tile"),
        ("2 4 8\n. ٢ .\n. . .".encode(), "Row 2, column 2: ٢ is no tile"),
        (b"2 4 8\n. \x1b[2J .\n. . .", r"Row 2, column 2: \x1b[2J is no tile"),
        (b"x" * 40, "xxxxxxxxxxxxxxxxxxxxxxx… is no tile"),
        (b"2048 . . / . . . / . . .", "2048 is larger than 1024, the largest tile on 3×3."),
        (b"[[2, 4, 8], [0, 2, 0], [0, 0, 2048]]", "Row 3, column 3: 2048 is larger than 1024"),
        (b"[[2, 4, 8], [0, true, 0], [0, 0, 2]]", "Row 2, column 2: true is no tile"),
        (b"[[2, 4, 8], [0, -2, 0], [0, 0, 2]]", "Row 2, column 2: -2 is no tile"),
        (b'[[2, 4, "8"], [0, 2, 0], [0, 0, 2]]', 'Row 1, column 3: "8" is no tile'),
        (b"[[2, 4, 8.0], [0, 2, 0], [0, 0, 2]]", "Row 1, column 3: 8.0 is no tile"),
        (b"[[2, 4, null], [0, 2, 0], [0, 0, 2]]", "Row 1, column 3: null is no tile"),
        (b"[[2, 4, 8],\n [0, 2, 0],", "This is no JSON: line 2, column"),
        (b"[2, 4, 8]", "This JSON is not a list of rows."),
        (b'{"board": [[2, 4, 8]]}', "This JSON is not a list of rows."),
        (b"[]", "A board of 0×0"),
        (b"[[]]", "Row 1 has 0 cells"),
        (b"[" * 10_000, "This JSON is no board."),
        (b"[[" + b"9" * 5_000 + b"]]", "This JSON is no board."),
        (b"[[0, 0, 0], [0, 0, 0], [0, 0, 0]]", "There is no tile on it"),
        (b". . .\n. . .\n. . .\n", "There is no tile on it"),
        (f"[[{3 << 300}, 0, 0], [0, 0, 0], [0, 0, 0]]".encode(), "a number of 91 digits is no tile"),
        (b" " * TEXT_BYTES_MAX + b"2", "That is too long for a board."),
    ],
)
def test_what_is_no_board_is_told_what_is_wrong_and_where(text, said):
    with pytest.raises(BoardFault, match=r"Write its rows as lines of tiles") as raised:
        board_of(text)
    assert said in str(raised.value)


# ── the command ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_best_move_stands_first_and_every_legal_one_has_a_value(run, tmp_path):
    path = tmp_path / "board.txt"
    path.write_text(str(BOARD))
    code, out, err = run(path)
    values = search(BOARD, HINT_NODES).values
    ranked = [direction.name.lower() for direction in sorted(values, key=values.__getitem__, reverse=True)]
    assert (code, err) == (exits.DONE, "")
    assert out.splitlines()[0] == f"Best: {ranked[0]}"
    assert [line.split()[0] for line in out.splitlines()[1:]] == ranked
    assert [line.split()[1] for line in out.splitlines()[1:]] == [
        f"{round(values[d]):,}" for d in sorted(values, key=values.__getitem__, reverse=True)
    ]


@pytest.mark.parametrize("words", [(), (STDIN,)])
def test_a_board_can_come_from_standard_input(run, words):
    code, out, _ = run(*words, "--json", stdin=str(BOARD).encode())
    found = search(BOARD, HINT_NODES)
    assert found.best is not None
    assert code == exits.DONE
    assert json.loads(out) == {
        "move": found.best.name.lower(),
        "values": {direction.name.lower(): value for direction, value in found.values.items()},
    }


def test_only_legal_moves_have_values(run):
    _, out, _ = run("--json", stdin=b". 2 4 / . 4 8 / . 8 4")
    told = json.loads(out)
    assert told["move"] == "left"
    assert list(told["values"]) == ["left"]


def test_a_stuck_board_is_an_answer_and_the_answer_is_no(run):
    assert run(stdin=STUCK.encode()) == (exits.NO, "No move is legal: the board is stuck.\n", "")
    assert run("--json", stdin=STUCK.encode()) == (exits.NO, '{"move": null, "values": {}}\n', "")


def test_rubbish_ends_with_6_and_names_where_it_came_from(run, tmp_path):
    path = tmp_path / "rubbish"
    path.write_bytes(b"2 4 8\n. 3 .\n. . .")
    code, out, err = run(path)
    assert (code, out) == (exits.DAMAGED, "")
    assert err.startswith(f"race2048: {path}: Row 2, column 2: 3 is no tile")
    assert run(stdin=b"")[2].startswith("race2048: standard input: There is nothing in it.")


def test_a_file_that_cannot_be_read_ends_with_6(run, tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        code, out, err = run(path)
        assert (code, out) == (exits.DAMAGED, "")
        assert f"{path} cannot be read: " in err


def test_a_name_cannot_write_to_the_terminal(run, tmp_path):
    assert "\x1b" not in run(tmp_path / "\x1b[2J")[2]
    path = tmp_path / "\x1b[2J.txt"
    path.write_text("nothing")
    assert "\x1b" not in run(path)[2]


def test_without_a_board_at_a_terminal_it_says_how_to_give_one(run, monkeypatch):
    terminal, ours = os.openpty()
    try:
        with open(ours, closefd=False) as stream:
            monkeypatch.setattr(sys, "stdin", stream)
            assert cli.main(["hint"]) == exits.USAGE
    finally:
        os.close(terminal)
        os.close(ours)


def test_a_closed_standard_input_holds_no_board(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(["hint"]) == exits.DAMAGED
    assert "There is nothing in it." in capsys.readouterr().err
