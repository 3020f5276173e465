"""client/lettering.py: what a terminal that has few characters is shown."""

import ast
import io
import unicodedata
from pathlib import Path

from client.lettering import alike, write_alike

CLIENT = Path(__file__).parents[2] / "client"


def test_every_sign_that_we_write_has_one_in_ascii_that_is_as_wide():
    texts = (
        node.value
        for path in CLIENT.rglob("*.py")
        if path.name != "lettering.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    signs = {sign for text in texts for sign in text if unicodedata.category(sign)[0] not in "LM"} - {"§"}  # docstrings
    assert {sign for sign in signs if alike(sign) == "?"} == {"?", "�"}
    assert {len(alike(sign)) for sign in signs} == {1}


def test_what_is_below_nothing_is_not_shown_as_a_question():
    assert alike("−0.4, ±0.0, 3×3") == "-0.4, ~0.0, 3x3"


def test_what_an_encoding_has_stays_as_it_is():
    written = io.BytesIO()
    stdout = io.TextIOWrapper(written, encoding="latin-1")
    write_alike(stdout)
    stdout.write("3×3 − Їж")
    stdout.flush()
    assert written.getvalue().decode("latin-1") == "3×3 - ??"
