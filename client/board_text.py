"""A board as a person or a program writes it down: rows of tiles, drawn in a frame or not, or JSON.

Owns what is forgiven in it and what to say of the rest. Refuses to know where the text is from.

Rows are lines, or parted by slashes; cells are parted by blanks, commas or upright bars. An empty cell is a dot, 0, -
or _, and between bars or commas nothing at all. JSON is a list of rows of face values, 0 for an empty cell.
"""

from __future__ import annotations

import json
import re

from client.language import later, printable, say
from engine.board import SIZES, Board, largest_exponent

TEXT_BYTES_MAX = 16_384
_TOKEN_MAX = 24  # of what is quoted
_EMPTY = frozenset({"", ".", "0", "-", "_", "·"})
_BARS = str.maketrans("│┃║", "|||")
_RULE = re.compile(r"[\s|+=\-─━═┌┬┐├┼┤└┴┘┏┳┓┣╋┫┗┻┛╔╦╗╠╬╣╚╩╝]*")
_FORM = later("Write its rows as lines of tiles with a dot for an empty cell, or as JSON: [[2, 0, 4], …].")


class BoardFault(ValueError):  # noqa: N818 - what is the matter with the text
    """A text that is no board; its message says what is wrong with it and where, and what to do."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} {say(_FORM)}")


def board_of(data: bytes) -> Board:
    """Returns the board of a text in UTF-8; raises BoardFault."""
    if len(data) > TEXT_BYTES_MAX:
        raise BoardFault(say("That is too long for a board."))
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise BoardFault(say("This is no text: byte {number} is not UTF-8.", number=error.start + 1)) from None
    if not text:
        raise BoardFault(say("There is nothing in it."))
    rows = _rows_of_json(text) if text[0] in "[{" else _rows_of_text(text)
    return _board(rows)


def _rows_of_json(text: str) -> list[list[int]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        message = say("This is no JSON: line {line}, column {column}.", line=error.lineno, column=error.colno)
        raise BoardFault(message) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or lists in lists in lists
        raise BoardFault(say("This JSON is no board.")) from None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise BoardFault(say("This JSON is not a list of rows."))
    return [[_face_of_json(cell, i, j) for j, cell in enumerate(row, 1)] for i, row in enumerate(rows, 1)]


def _face_of_json(cell: object, i: int, j: int) -> int:
    if isinstance(cell, bool) or not isinstance(cell, int):
        raise BoardFault(_no_tile(json.dumps(cell, ensure_ascii=False), i, j))
    return cell


def _rows_of_text(text: str) -> list[list[int]]:
    lines = text.translate(_BARS).replace("/", "\n").splitlines()
    rows = [_tokens(line) for line in lines if not _is_rule(line)]
    return [[_face(token, i, j) for j, token in enumerate(row, 1)] for i, row in enumerate(rows, 1)]


def _is_rule(line: str) -> bool:
    """Returns whether a line is blank or belongs to a frame; "- - -" is a row of empty cells."""
    if not line.strip():
        return True
    return bool(_RULE.fullmatch(line)) and any(mark not in "-|" for mark in line.split()) and not _is_bare_row(line)


def _is_bare_row(line: str) -> bool:
    """Returns whether a line is empty cells between bars."""
    return "|" in line and not line.replace("|", "").strip()


def _tokens(line: str) -> list[str]:
    line = line.strip()
    if "|" in line:
        return [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
    if "," in line:
        return [cell.strip() for cell in line.split(",")]
    return line.split()


def _face(token: str, i: int, j: int) -> int:
    if token in _EMPTY:
        return 0
    if not (token.isascii() and token.isdecimal() and len(token) <= _TOKEN_MAX):
        raise BoardFault(_no_tile(token, i, j))
    return int(token)


def _board(rows: list[list[int]]) -> Board:
    size = len(rows)
    for i, row in enumerate(rows, 1):
        if len(row) != size:
            raise BoardFault(
                say("Row {row} has {cells} cells, but there are {rows} rows.", row=i, cells=len(row), rows=size)
            )
    if size not in SIZES:
        raise BoardFault(say("A board of {size}×{size}: there are 3×3, 4×4, 5×5, 6×6 and 8×8.", size=size))
    largest = 1 << largest_exponent(size)
    for i, row in enumerate(rows, 1):
        for j, face in enumerate(row, 1):
            if face < 0 or face == 1 or face & (face - 1):
                raise BoardFault(_no_tile(_digits(face), i, j))
            if face > largest:
                message = say(
                    "Row {row}, column {column}: {tile} is larger than {largest}, the largest tile on {size}×{size}.",
                    row=i, column=j, tile=_short(_digits(face)), largest=largest, size=size,
                )  # fmt: skip
                raise BoardFault(message)
    if not any(map(any, rows)):
        raise BoardFault(say("There is no tile on it: a game begins with two."))
    return Board.of_cells(size, bytes([face.bit_length() - 1 if face else 0 for row in rows for face in row]))


def _no_tile(token: str, i: int, j: int) -> str:
    return say(
        "Row {row}, column {column}: {token} is no tile; a tile is 2, 4, 8 and so on.",
        row=i, column=j, token=_short(token),
    )  # fmt: skip


def _digits(face: int) -> str:
    """Returns a number as it is written, as far as one would read it: JSON allows thousands of digits."""
    return (
        str(face)
        if face.bit_length() < 256
        else say("a number of {digits} digits", digits=face.bit_length() * 30_103 // 100_000 + 1)
    )


def _short(token: str) -> str:
    return printable(token if len(token) <= _TOKEN_MAX else f"{token[: _TOKEN_MAX - 1]}…")
