"""The translations: complete, in step with the program, and right where numbers are."""

import ast
import json
import re
import subprocess
import sys
from string import Formatter

import pytest
from babel.messages.catalog import Message

from client import language
from client.language import decimal, number, say, say_n
from client.tui.canvas import columns_of
from docs.translations import (
    ARGPARSE,
    KEYWORDS,
    TOP,
    _path,
    catalogue_of,
    compiled,
    languages,
    merged,
    template,
    text_of,
)

LANGUAGES = languages()
RUN = [sys.executable, "-m", "client.cli"]


@pytest.fixture
def ukrainian(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "uk")
    language.forget_language()
    yield
    monkeypatch.undo()
    language.forget_language()


def forms(message: Message) -> list[tuple[str, str]]:
    """Each translation of a message with what it translates."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    one, many = message.id
    assert isinstance(message.string, tuple), "plurals have several forms"
    return [(one if place == 0 else many, form) for place, form in enumerate(message.string)]


def placeholders(text: str, original: str) -> list[str]:
    """What is filled in, sorted."""
    if original in ARGPARSE:
        return sorted(re.findall(r"%(?:\(\w+\))?[srd]", text))
    return sorted(f"{name}!{conversion}:{spec}" for _, name, spec, conversion in Formatter().parse(text) if name)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_message_is_translated(code):
    missing = [message.id for message in merged(code) if message.id and not all(form for _, form in forms(message))]
    assert missing == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_nothing_is_translated_that_nobody_says_and_nothing_is_uncertain(code):
    known = {str(message.id) for message in template()}
    catalogue = catalogue_of(code)
    assert {str(message.id) for message in catalogue} == known
    assert not [message.id for message in catalogue if message.id and message.fuzzy]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_catalogue_is_as_the_tool_writes_it_and_the_compiled_one_is_made_of_it(code):
    catalogue = merged(code)
    assert _path(code, "po").read_bytes() == text_of(catalogue)
    assert _path(code, "mo").read_bytes() == compiled(catalogue)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_placeholder_is_in_every_form_of_its_translation(code):
    differ = [
        (original, form)
        for message in catalogue_of(code)
        if message.id
        for original, form in forms(message)
        if set(placeholders(form, original)) != set(placeholders(original, original))
    ]
    assert differ == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_spaces_at_the_ends_and_the_number_of_lines_are_kept(code):
    def shape(text):
        return (text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], text.count("\n"))

    differ = [
        (original, form)
        for message in catalogue_of(code)
        if message.id
        for original, form in forms(message)
        if shape(original) != shape(form)
    ]
    assert differ == []


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 хід"), (2, "2 ходи"), (5, "5 ходів"), (11, "11 ходів"), (21, "21 хід"), (112, "112 ходів")],
)
def test_plurals_are_right_in_ukrainian(ukrainian, count, words):
    assert say_n("{count} move", "{count} moves", count) == words


def test_numbers_are_written_as_the_language_has_them(ukrainian):
    assert number(20_412) == "20\u00a0412"
    assert decimal(1.25) == "1,2"


def test_numbers_are_written_as_english_has_them():
    assert (number(20_412), decimal(0.8)) == ("20,412", "0.8")


def test_a_language_that_is_not_there_is_english(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "tlh")
    language.forget_language()
    assert say("Settings") == "Settings"
    monkeypatch.undo()
    language.forget_language()


@pytest.mark.parametrize(
    ("words", "environment"),
    [(["--lang", "uk", "--help"], {}), (["--lang=uk", "help"], {}), (["--help"], {"RACE2048_LANG": "uk"}),
     (["--help"], {"LANGUAGE": "uk_UA"})],
)  # fmt: skip
def test_the_command_line_speaks_the_language_that_was_chosen(words, environment):
    assert re.search("[їієґ]", ran(*words, **environment))


def test_the_language_in_the_settings_counts_less_than_a_flag(tmp_path):
    settings = tmp_path / "config.toml"
    settings.write_text('lang = "uk"\n')
    assert re.search("[їієґ]", ran("--config", str(settings), "help", "commands"))
    assert "Race your friends" in ran("--lang", "en", "--config", str(settings), "help", "commands")


def test_what_argparse_says_is_translated_too():
    done = subprocess.run(
        [*RUN, "--lang", "uk", "verify"], capture_output=True, text=True, check=False, timeout=60, env=env()
    )
    assert done.returncode == 2
    assert "the following arguments" not in done.stderr


def test_the_first_help_fits_a_screen_in_every_language():
    for code in LANGUAGES:
        lines = ran("--lang", code, "--help").splitlines()
        assert len(lines) <= 25
        assert max(map(columns_of, lines)) <= 80


def test_json_is_the_same_in_every_language():
    told = [json.loads(ran("--lang", code, "config", "list", "--json")) for code in ("en", "uk")]
    assert [sorted(map(str, each)) for each in told] == [sorted(map(str, told[0]))] * 2


def env(**more: str) -> dict[str, str]:
    import os

    return {**os.environ, "LANGUAGE": "en", **more}


def ran(*words: str, **environment: str) -> str:
    done = subprocess.run(
        [*RUN, *words], capture_output=True, text=True, check=True, timeout=60, env=env(**environment)
    )
    return done.stdout


def test_no_message_stands_inside_an_f_string_where_the_collector_does_not_look():
    inside = []
    for path in sorted((TOP / "client").rglob("*.py")):
        for string in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            calls = ast.walk(string) if isinstance(string, ast.JoinedStr) else iter(())
            inside += [
                f"{path.relative_to(TOP)}:{call.lineno}"
                for call in calls
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in KEYWORDS
                and isinstance(call.args[0], ast.Constant)
            ]
    assert inside == []
