"""Help that fits a screen: topics, commands, rules, and every exit code (ux.md §1)."""

import re

import pytest

from client import cli
from client.cli import exits
from client.cli.help import TOPICS, overview, text_about
from client.cli.rules import rules_text
from client.config import SETTINGS
from client.tui.canvas import columns_of

CODES = sorted(value for name, value in vars(exits).items() if name.isupper())


def assert_fits(text):
    lines = text.splitlines()
    assert len(lines) <= 24
    assert [line for line in lines if columns_of(line) > 79] == []


def test_the_first_help_fits_a_screen_and_has_every_command_and_exit_code():
    shown = cli.top_help()
    assert_fits(shown)
    assert all(re.search(rf"\b{name}\b", shown) for name in cli.COMMANDS)
    assert [int(code) for code in re.findall(r"(?:  |: )(\d+) [a-z]", shown[shown.index("exit codes") :])] == CODES


def test_a_new_command_is_one_row(monkeypatch):
    monkeypatch.setitem(cli.GROUPS, "afterwards", {"verify": "check", "replay": "play a race again"})
    monkeypatch.setitem(cli.COMMANDS, "replay", "play a race again")
    assert re.search(r"^ {16}replay +play a race again$", cli.top_help(), re.MULTILINE)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_fits_a_screen(topic, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["help", topic]) == 0
    assert_fits(capsys.readouterr().out)


def test_without_a_topic_all_topics_and_commands_are_listed(capsys):
    assert cli.main(["help"]) == 0
    shown = capsys.readouterr().out
    assert_fits(shown)
    assert all(f"  {name} " in shown for name in TOPICS)
    assert set(cli.COMMANDS) <= set(shown.split())
    assert shown == f"{overview()}\n"


@pytest.mark.parametrize("command", sorted(cli.COMMANDS.keys() - {"lobby"}))
def test_help_on_a_command_is_what_its_own_help_says(command, capsys):
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    of_its_own = capsys.readouterr().out
    assert cli.main(["help", command]) == 0
    assert capsys.readouterr().out == of_its_own


def test_help_on_the_lobby_has_the_options_of_a_lobby():
    assert "--public-url URL" in text_about("lobby")


@pytest.mark.parametrize(("topic", "near"), [("exit-code", "exit-codes"), ("hots", "host"), ("xyzzy", "race2048 help")])
def test_help_on_nothing_is_usage_with_what_was_meant(topic, near, capsys):
    assert cli.main(["help", topic]) == 2
    assert near in capsys.readouterr().err


def test_every_exit_code_is_explained():
    codes = re.findall(r"^ *(\d+)  \S", text_about("exit-codes"), re.MULTILINE)
    assert [int(code) for code in codes] == CODES


def test_every_setting_is_explained():
    shown = text_about("settings")
    assert all(re.search(rf"^  {re.escape(setting.name)} ", shown, re.MULTILINE) for setting in SETTINGS)


def test_the_rules_fit_a_screen(capsys):
    assert cli.main(["rules"]) == 0
    assert capsys.readouterr().out == f"{rules_text()}\n"
    assert_fits(rules_text())


@pytest.mark.parametrize("purpose", [*cli.COMMANDS.values()])
def test_what_a_command_is_for_is_one_short_line(purpose):
    assert columns_of(purpose) <= 62
    assert purpose[:1].islower()
    assert not purpose.endswith(".")
