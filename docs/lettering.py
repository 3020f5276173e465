"""Letters for the film, drawn with a pen: each is a few strokes, so the film needs no font of anybody's.

A stroke is points of a grid, "xy" in hexadecimal: 0 to 4 across, 0 to 8 from the top of a capital to the line that it
stands on, A for the tails below. "~" behind a point rounds that corner; a stroke that begins with a rounded corner ends
where it began. Knows neither cells nor colours.
"""

from __future__ import annotations

from functools import cache

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 10, 20  # of a cell, in pixels
LEVELS = 5  # how much of a pixel is covered, in steps above nothing

_ACROSS, _DOWN, _LEFT, _TOP = 1.5, 1.5, 1.75, 3.25  # the grid, in pixels
_PEN, _BOLD_PEN = 1.35, 2.0
_DOT = 1.3  # so much wider than a stroke is a dot
_ROUND = 2.0  # how far from a corner it begins to be round, in grid steps
_FINE = 8  # so many points a pixel, each way, while drawing
_ARC_STEPS = 6

STROKES = {
    "0": "00~ 40~ 48~ 08~,33 15", "1": "02 20 28,08 48", "2": "01 00~ 40~ 43~ 08 48",
    "3": "00 40~ 44~ 14,24 44~ 48~ 08", "4": "38 30 06 46", "5": "40 00 03 43~ 48~ 08",
    "6": "40 00~ 08~ 48~ 43~ 03", "7": "00 40 18", "8": "00~ 40~ 44~ 04~,04~ 44~ 48~ 08~",
    "9": "45 05~ 00~ 40~ 48~ 08",
    "a": "03 43~ 48,45 05~ 08~ 48", "b": "00 08,03 43~ 48~ 08", "c": "43 03~ 08~ 48", "d": "40 48,43 03~ 08~ 48",
    "e": "05 45 43~ 03~ 08~ 48", "f": "40 20~ 28,03 43", "g": "43 03~ 08~ 48,43 4a~ 0a", "h": "00 08,03 43~ 48",
    "i": "13 23 28,08 48,20 20", "j": "13 33 3a~ 0a,30 30", "k": "00 08,43 06,15 48", "l": "10 20 28~ 48",
    "m": "08 03 43~ 48,23 28", "n": "08 03 43~ 48", "o": "03~ 43~ 48~ 08~", "p": "0a 03 43~ 48~ 08",
    "q": "4a 43 03~ 08~ 48", "r": "08 03,05 03~ 43", "s": "43 03~ 05~ 45~ 48~ 08", "t": "20 28~ 48,03 43",
    "u": "03 08~ 48 43", "v": "03 28 43", "w": "03 18 24 38 43", "x": "03 48,43 08", "y": "03 08~ 48,43 4a~ 0a",
    "z": "03 43 08 48",
    "A": "08 20 48,15 35", "B": "00 08 48~ 44~ 04,00 30~ 34", "C": "40 00~ 08~ 48", "D": "00 40~ 48~ 08 00",
    "E": "40 00 08 48,04 34", "F": "40 00 08,04 34", "G": "40 00~ 08~ 48 44 24", "H": "00 08,40 48,04 44",
    "I": "00 40,20 28,08 48", "J": "10 40 48~ 08~ 06", "K": "00 08,40 04 48", "L": "00 08 48", "M": "08 00 24 40 48",
    "N": "08 00 48 40", "O": "00~ 40~ 48~ 08~", "P": "08 00 40~ 44~ 04", "Q": "00~ 40~ 48~ 08~,26 4a",
    "R": "08 00 40~ 44~ 04,24 48", "S": "40 00~ 04~ 44~ 48~ 08", "T": "00 40,20 28", "U": "00 08~ 48~ 40",
    "V": "00 28 40", "W": "00 18 23 38 40", "X": "00 48,40 08", "Y": "00 24 40,24 28", "Z": "00 40 08 48",
    ".": "28 28", ",": "28 1a", ":": "23 23,28 28", ";": "23 23,28 1a", "!": "20 25,28 28",
    "?": "01 00~ 40~ 44~ 24~ 26,28 28", "'": "20 22", '"': "10 12,30 32", "-": "15 35", "−": "05 45", "–": "05 45",
    "_": "0a 4a", "+": "05 45,23 27", "=": "04 44,06 46", "/": "40 08", "\\": "00 48", "|": "20 2a",
    "(": "30 12 16 38", ")": "10 32 36 18", "[": "30 10 18 38", "]": "10 30 38 18", "<": "42 05 48", ">": "02 45 08",
    "%": "40 08,00 10 12 02 00,36 46 48 38 36", "#": "11 17,31 37,03 43,05 45", "*": "23 27,04 46,44 06",
    "&": "48 11 10 30 31 05 08~ 38~ 46", "@": "48 08~ 00~ 40~ 46 26~ 23~ 43", "~": "05 13 35 43",
    "·": "25 25", "…": "08 08,28 28,48 48", "×": "13 47,43 17", "›": "13 35 17", "‹": "33 15 37",
    "←": "45 05,23 05 27", "→": "05 45,23 45 27", "↑": "22 28,04 22 44", "↓": "22 28,06 28 46",
}  # fmt: skip


@cache
def letter(sign: str, *, bold: bool) -> tuple[tuple[int, int, int], ...]:
    """Returns the pixels of a sign that are covered: column, row and how much, 1 to LEVELS.

    Raises KeyError if nobody has drawn it.
    """
    image = Image.new("L", (WIDTH * _FINE, HEIGHT * _FINE))
    pen = ImageDraw.Draw(image)
    radius = (_BOLD_PEN if bold else _PEN) * _FINE / 2
    for stroke in STROKES[sign].split(","):
        way = [(_FINE * (_LEFT + _ACROSS * x), _FINE * (_TOP + _DOWN * y)) for x, y in _bent(stroke.split())]
        pen.line(way, fill=255, width=round(2 * radius))
        end = radius * _DOT if way[0] == way[-1] and len(way) == 2 else radius
        for x, y in way:
            pen.ellipse((x - end, y - end, x + end, y + end), fill=255)
    small = image.resize((WIDTH, HEIGHT), Image.Resampling.BOX).tobytes()
    levels = [(place, (grey * LEVELS + 127) // 255) for place, grey in enumerate(small)]
    return tuple((place % WIDTH, place // WIDTH, level) for place, level in levels if level)


def _bent(marks: list[str]) -> list[tuple[float, float]]:
    """Returns the points of a stroke, each rounded corner as a short curve."""
    corners = [(float(int(mark[0], 16)), float(int(mark[1], 16))) for mark in marks]
    way: list[tuple[float, float]] = []
    for place, (x, y) in enumerate(corners):
        if not marks[place].endswith("~"):
            way.append((x, y))
            continue
        (x0, y0), (x1, y1) = (_toward((x, y), corners[(place + step) % len(corners)]) for step in (-1, 1))
        for step in range(_ARC_STEPS + 1):
            part = step / _ARC_STEPS
            a, b, c = (1 - part) ** 2, 2 * part * (1 - part), part**2
            way.append((a * x0 + b * x + c * x1, a * y0 + b * y + c * y1))
    return [*way, way[0]] if marks[0].endswith("~") else way


def _toward(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Returns where a corner begins to be round."""
    across, down = other[0] - corner[0], other[1] - corner[1]
    length = max(abs(across), abs(down))
    part = min(_ROUND, length / 2) / length
    return corner[0] + across * part, corner[1] + down * part
