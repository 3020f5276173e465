"""The peer: 2048 as it is usually written, on lists of lists. Same rules, same draws, nothing remembered.

Used by bench/engine.py alone. It has the part of Board's interface that a replay needs.
"""

Rows = list[list[int]]


class NaiveBoard:
    """Rows of exponents, 0 in an empty cell."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    @classmethod
    def empty(cls, size: int) -> "NaiveBoard":
        return cls([[0] * size for _ in range(size)])

    @property
    def cells(self) -> bytes:
        return bytes([exponent for row in self.rows for exponent in row])

    def slide(self, direction: int) -> "tuple[NaiveBoard, int] | None":
        vertical, backwards = direction in (0, 2), direction in (1, 2)
        lines = transposed(self.rows) if vertical else self.rows
        points, pushed = 0, []
        for line in lines:
            after, gained = push(line[::-1] if backwards else line)
            pushed.append(after[::-1] if backwards else after)
            points += gained
        if pushed == lines:
            return None
        return NaiveBoard(transposed(pushed) if vertical else pushed), points

    def spawn(self, exponent: int, lot: int) -> "NaiveBoard":
        gaps = [(i, j) for i, row in enumerate(self.rows) for j, cell in enumerate(row) if cell == 0]
        row, column = gaps[lot * len(gaps) >> 64]
        rows = [list(cells) for cells in self.rows]
        rows[row][column] = exponent
        return NaiveBoard(rows)

    @property
    def stuck(self) -> bool:
        if any(0 in row for row in self.rows):
            return False
        return all(self.slide(direction) is None for direction in range(4))


def transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def push(line: list[int]) -> tuple[list[int], int]:
    """The line after a push to its first cell, and the points."""
    tiles = [exponent for exponent in line if exponent]
    merged: list[int] = []
    points = i = 0
    while i < len(tiles):
        if i + 1 < len(tiles) and tiles[i] == tiles[i + 1]:
            merged.append(tiles[i] + 1)
            points += 2 << tiles[i]
            i += 2
        else:
            merged.append(tiles[i])
            i += 1
    return merged + [0] * (len(line) - len(merged)), points
