import json

import pytest
from PIL import Image, ImageSequence

from client.reading import read_record
from docs import film, lettering


def test_the_committed_cast_shows_what_the_program_shows() -> None:
    committed = film.CAST.read_text(encoding="utf-8")
    assert film.digest(film.film()) == film.digest(committed), "docs/race.cast is stale: ./dev pictures"


def test_the_committed_gif_is_of_the_committed_cast() -> None:
    committed = film.CAST.read_text(encoding="utf-8")
    with Image.open(film.GIF) as image:
        assert image.info["comment"].decode() == film.comment(committed), "docs/race.gif is stale: ./dev pictures"


def test_the_race_that_the_film_shows_is_true() -> None:
    verdict = read_record(film.RECORD).verdict
    assert verdict.ok
    assert verdict.outcome is not None


def test_the_film_is_short_and_light() -> None:
    *_, (end_s, _, _) = map(json.loads, film.CAST.read_text(encoding="utf-8").splitlines())
    assert 8 <= end_s <= 12
    assert film.CAST.stat().st_size <= 300_000
    assert film.GIF.stat().st_size <= 1_500_000


def test_a_terminal_that_is_fed_the_cast_shows_the_race_and_its_result() -> None:
    texts = [
        "\n".join("".join(sign for sign, *_ in row) for row in rows)
        for _, rows in film.shots(film.CAST.read_text(encoding="utf-8"))
    ]
    assert all(name in texts[0] for name in ("heron", "lynx", "otter", "vole"))
    assert "the end" not in texts[0]
    assert "the end" in texts[-1]
    assert " first." in texts[-1]


def test_the_gif_shows_every_screen_of_the_cast_as_long_as_a_terminal_does() -> None:
    with Image.open(film.GIF) as image:
        waits = [each.info["duration"] for each in ImageSequence.Iterator(image)]
    assert waits == [wait_ms for wait_ms, _ in film.shots(film.CAST.read_text(encoding="utf-8"))]


def test_a_gif_of_another_cast_says_that_it_is_of_another() -> None:
    cast = '{"version": 2, "width": 80, "height": 24}\n[0.000, "o", "one"]\n[0.100, "o", "two"]\n[1.000, "o", ""]\n'
    made = film.gif(cast)
    assert film.comment(cast).encode() in made
    assert film.comment(film.film()).encode() not in made


@pytest.mark.parametrize("sign", sorted(lettering.STROKES))
@pytest.mark.parametrize("bold", [False, True])
def test_a_letter_leaves_room_to_the_next_and_is_like_no_other(sign: str, bold: bool) -> None:
    pixels = lettering.letter(sign, bold=bold)
    assert pixels
    assert max(x for x, _, _ in pixels) < lettering.WIDTH - 1
    alike = {other for other in lettering.STROKES if lettering.letter(other, bold=bold) == pixels}
    assert alike <= {sign, "−", "–"}, alike
