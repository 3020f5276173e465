"""protocol/text.py: names from somebody else."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from protocol.text import SafeText, distinct_name, judge_name

HIDDEN = [
    "\x1b[2J",
    "a\nb",
    "\u202eevil",
    "a\u200bb",
    "\ud800",
    "\ue000",
    "\u0378",
    "\u2028",
    "a\tb",
    "\x9b1m",
    "\u3164",
    "a\u2800",
]


@pytest.mark.parametrize("name", ["fox", "Žofie", "ユキ", "Ольга", "a b", "x" * 16, "क्षि"])
def test_an_ordinary_name_is_taken(name):
    assert judge_name(name) == name


def test_a_name_is_composed_and_its_spaces_are_folded():
    assert judge_name("  Zoe\u0308   Fox ") == "Zoë Fox"


@pytest.mark.parametrize("name", [*HIDDEN, "", "   ", "x" * 17, "ユ" * 9, "x" * 65, "a" + "\u0301" * 5])
def test_a_name_that_is_empty_hidden_or_too_wide_is_not_taken(name):
    assert judge_name(name) is None


@pytest.mark.parametrize("raw", HIDDEN)
def test_what_cannot_be_shown_is_escaped(raw):
    shown = SafeText.shown(raw)
    assert shown.isprintable()
    assert shown.isascii()


def test_an_escape_names_the_character():
    assert SafeText.shown("a\u200bb") == "a\\u{200b}b"


def test_marks_piled_on_one_letter_are_escaped():
    assert SafeText.shown("a" + "\u035c" * 4) == "a\u035c\u035c\\u{35c}\u035c"


def test_a_mark_without_a_letter_is_shown_nowhere_near_the_next_column():
    assert wcswidth(SafeText.shown("\u0301")) >= 0


def test_text_too_wide_is_cut_with_an_ellipsis():
    assert SafeText.shown("x" * 17) == "x" * 15 + "…"


def test_text_is_not_cut_after_a_space():
    assert SafeText.shown("x" * 14 + " yz") == "x" * 14 + "…"


@given(st.text())
def test_shown_text_is_safe_whatever_it_was(raw):
    shown = SafeText.shown(raw)
    assert 0 <= wcswidth(shown) <= 16
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"} for character in shown)


@given(st.text())
def test_a_name_that_was_taken_is_shown_as_it_is(raw):
    name = judge_name(raw)
    assert name is None or SafeText.shown(name) == name


def test_a_name_nobody_has_is_kept():
    assert distinct_name(SafeText("fox"), ["owl"]) == "fox"


@pytest.mark.parametrize("taken", ["fox", "FOX", "ｆｏｘ"])
def test_a_name_that_looks_like_another_gets_a_number(taken):
    assert distinct_name(SafeText("fox"), [taken]) == "fox (2)"


def test_numbers_go_on():
    assert distinct_name(SafeText("fox"), ["fox", "fox (2)"]) == "fox (3)"


def test_a_numbered_name_still_fits():
    name = distinct_name(SafeText("x" * 16), ["x" * 16])
    assert name == "x" * 11 + "… (2)"
    assert wcswidth(name) == 16
