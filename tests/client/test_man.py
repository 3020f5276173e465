"""The manual page: it has what the parsers have, and roff understands it."""

import re
import shutil
import subprocess
from functools import cache

import pytest

from client import cli
from client.cli.everywhere import own_actions
from client.cli.man import _escaped, page
from client.cli.whole import commands_of, whole_parser
from client.config import SETTINGS

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "SETTINGS", "KEYS", "RULES", "EXIT STATUS",
            "ENVIRONMENT"]  # fmt: skip
PATIENCE_S = 60
CHECKS = [
    command
    for command in (
        ["groff", "-man", "-ww", "-K", "utf8", "-T", "utf8"],
        ["man", "--warnings", "-l", "-"],
        ["mandoc", "-T", "lint", "-W", "warning"],
    )
    if shutil.which(command[0])
]


@cache
def whole_page():
    return page(whole_parser())


def test_the_sections_are_those_of_a_manual_page_in_their_order():
    assert re.findall(r"^\.SH (.+)$", whole_page(), re.MULTILINE) == SECTIONS
    assert whole_page().startswith('.TH RACE2048 1 "" "race2048 ')


def test_every_command_has_an_entry_with_all_its_options():
    text = whole_page()
    for command, parser in commands_of(whole_parser()).items():
        assert f".TP\n\\fB{command}\\fR\n" in text
        for action in own_actions(parser):
            assert all(rf"\fB{_escaped(flag)}\fR" in text for flag in action.option_strings)


def test_options_that_every_command_takes_are_told_once():
    assert whole_page().count(r"\fB\-\-palette\fR") == 1


def test_every_setting_has_an_entry_with_its_default():
    text = whole_page()
    assert all(f".TP\n\\fB{setting.name}\\fR\n" in text for setting in SETTINGS)
    assert "Usually classic." in text


def test_no_line_of_text_is_taken_for_a_request():
    known = re.compile(r"\.(TH|SH|SS|PP|TP|RS|RE|nf|fi)\b")
    assert [line for line in whole_page().splitlines() if line[:1] in (".", "'") and not known.match(line)] == []


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("--size", r"\-\-size"),
        (".so /etc/passwd", r"\&.so /etc/passwd"),
        ("'quoted'", r"\&'quoted'"),
        (r"a\fBb", r"a\efBb"),
        ('"x"', r"\(dqx\(dq"),
        ("one\n.two", "one\n\\&.two"),
    ],
)
def test_text_cannot_give_orders_to_roff(text, roff):
    assert _escaped(text) == roff


if CHECKS:

    @pytest.mark.parametrize("command", CHECKS, ids=lambda command: command[0])
    def test_roff_understands_it_without_a_warning(command):
        done = subprocess.run(
            command, input=whole_page(), capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MANPAGER": "cat"},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")


def test_the_page_is_printed(capsys):
    assert cli.main(["man"]) == 0
    assert capsys.readouterr().out == f"{whole_page()}\n"
