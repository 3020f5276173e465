import xml.etree.ElementTree as ET

import pytest

from client.tui.canvas import Canvas
from client.tui.palette import PLAIN
from docs.pictures import FOLDER, PICTURES, svg


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_the_committed_picture_shows_what_the_program_draws(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == PICTURES[name](), f"docs/{name} is stale: python -m docs.pictures"


def test_a_picture_is_well_formed_whatever_stands_on_the_screen() -> None:
    canvas = Canvas(20, 2)
    canvas.text(0, 0, '<a href="x">&漢字▄')
    canvas.text(0, 1, "]]>--", PLAIN)
    root = ET.fromstring(svg(canvas, "<title>"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["<a", 'href="x">&漢字', "]]>--"]
