"""Settings: the table, what counts when several places say something, and what is told of mistakes (ux.md §5)."""

import re
from pathlib import Path

import pytest

from client.cli.bot import LEVEL, PACE
from client.config import (
    BY_NAME,
    OTHER_VARIABLES,
    SETTINGS,
    Preferences,
    Sort,
    Source,
    allowed_words,
    judged,
    nearest,
    resolve,
    shown,
    wrong_words,
)
from client.level import LEVELS_BY_NAME
from client.tui.choices import KIND_NAMES
from engine.board import SIZES
from protocol.limits import SEATS_MAX, SEATS_MIN

TOP = Path(__file__).parents[2]
FLAG, VARIABLE, FILE = {"palette": "mono"}, {"RACE2048_PALETTE": "high-contrast"}, {"palette": "colour-blind"}


# ── which one counts ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("flags", "environment", "file", "value", "source"),
    [
        (FLAG, VARIABLE, FILE, "mono", Source.FLAG),
        ({}, VARIABLE, FILE, "high-contrast", Source.ENVIRONMENT),
        ({}, {}, FILE, "colour-blind", Source.FILE),
        ({}, {}, {}, "classic", Source.DEFAULT),
        (FLAG, {}, {}, "mono", Source.FLAG),
        ({"palette": None}, {"RACE2048_PALETTE": ""}, FILE, "colour-blind", Source.FILE),
    ],
)
def test_a_flag_counts_more_than_the_environment_that_more_than_the_file(flags, environment, file, value, source):
    settings = resolve(flags, environment, file)
    assert (settings.value("palette"), settings.found["palette"].source) == (value, source)
    assert settings.problems == ()


def test_a_switch_that_a_flag_turns_off_is_off():
    assert resolve({"mouse": False}, {"RACE2048_MOUSE": "on"}, {"mouse": True}).preferences.mouse is False


def test_what_is_only_the_default_is_not_the_persons_own():
    settings = resolve({}, {}, {"host": {"size": 4}})
    assert settings.own("host.size") == 4
    assert settings.own("host.players") is None


def test_a_wrong_value_is_passed_over_for_the_next_one_that_counts():
    settings = resolve({}, {"RACE2048_MOTION": "much"}, {"motion": "off"})
    assert settings.value("motion") == "off"
    assert settings.problems == ("RACE2048_MOTION cannot be “much”. It can be full, reduced or off.",)


def test_preferences_are_what_the_settings_say():
    file = {"palette": "mono", "color": "16", "motion": "off", "plain": True, "mouse": False, "bell": False,
            "title": False, "notify": False, "lang": "uk"}  # fmt: skip
    assert resolve({}, {}, file).preferences == Preferences(
        palette="mono", color="16", motion="off", plain=True, mouse=False, bell=False, title=False, notify=False,
        lang="uk",
    )  # fmt: skip


def test_without_anything_set_the_preferences_are_their_defaults():
    assert resolve({}, {}, {}).preferences == Preferences()


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("file", "near"),
    [
        ({"pallete": "mono"}, "pallete. Did you mean palette?"),
        ({"colour": "16"}, "colour. Did you mean color?"),
        ({"size": 5}, "size. Did you mean host.size?"),
        ({"host": {"seize": 5}}, "host.seize. Did you mean host.size?"),
        ({"qqq": 1}, "qqq. race2048 config list has them all."),
    ],
)
def test_an_unknown_name_in_the_file_is_told_with_the_nearest(file, near):
    assert resolve({}, {}, file).problems == (f"There is no setting {near}",)


def test_a_slip_in_a_variable_is_told_and_foreign_variables_are_not():
    environment = {"RACE2048_PALETT": "mono", "RACE2048_HOST_SIZ": "4", "RACE2048_TEAM_CHANNEL": "x", "HOME": "/"}
    assert resolve({}, environment, {}).problems == (
        "There is no setting RACE2048_HOST_SIZ. Did you mean RACE2048_HOST_SIZE?",
        "There is no setting RACE2048_PALETT. Did you mean RACE2048_PALETTE?",
    )


def test_variables_that_are_no_settings_are_known():
    assert resolve({}, dict.fromkeys(OTHER_VARIABLES, "x"), {}).problems == ()


def test_every_variable_that_the_program_reads_is_known():
    sources = [path for folder in ("client", "lobby") for path in (TOP / folder).rglob("*.py")]
    read = {name for path in sources for name in re.findall(r"\"(RACE2048_[A-Z_]+)\"", path.read_text())}
    assert read - {"RACE2048_"} <= OTHER_VARIABLES | {setting.variable for setting in SETTINGS}


def test_a_hostile_name_in_the_file_is_shown_inert_and_short():
    problems = resolve({}, {}, {"\x1b]0;x\x07" + "a" * 10_000: 1, "palette": "\x1b[2J"}).problems
    assert all(problem.isprintable() for problem in problems)
    assert all(len(problem) < 250 for problem in problems)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_wrong_value_is_told_with_what_is_allowed(setting):
    said = wrong_words(setting, "\N{SNOWMAN} " * 40, setting.name)
    assert said.startswith(f"{setting.name} cannot be “")
    assert said.endswith(f"It can be {allowed_words(setting)}.")
    assert judged(setting, "\N{SNOWMAN} " * 40) is None


@pytest.mark.parametrize("raw", [[1], {"a": {}}, 1.5, None])
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_value_of_a_foreign_type_is_wrong_and_no_crash(setting, raw):
    assert judged(setting, raw) == ("1.5" if raw == 1.5 and setting.sort is Sort.PACE else None)


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("setting", [each for each in SETTINGS if each.default is not None], ids=lambda each: each.name)
def test_every_default_is_allowed_and_comes_back_from_how_it_is_shown(setting):
    assert judged(setting, setting.default) == setting.default
    assert judged(setting, shown(setting.default)) == setting.default


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("palette", "Colour-Blind", "colour-blind"),
        ("palette", "color-blind", "colour-blind"),
        ("color", "truecolor", "true"),
        ("color", 256, "256"),
        ("mouse", "off", False),
        ("bell", "YES", True),
        ("bell", 1, True),
        ("name", " fox ", "fox"),
        ("name", "Лисиця", "Лисиця"),
        ("name", "evil\u202ename", None),
        ("name", "x" * 17, None),
        ("lang", "uk_UA", "uk_UA"),
        ("lang", "../etc", None),
        ("lobby", "https://lobby.example", "https://lobby.example"),
        ("lobby", "192.168.1.23:2048", "192.168.1.23:2048"),
        ("lobby", "http://lobby.example/t/482913", None),
        ("lobby", "ftp://lobby.example", None),
        ("host.size", 5, 5),
        ("host.size", "8", 8),
        ("host.size", 7, None),
        ("host.size", True, None),
        ("host.target", 4096, 4096),
        ("host.target", 100, None),
        ("host.time", "90s", "90s"),
        ("host.time", "5s", None),
        ("host.time", 180, None),
        ("host.idle", "off", "off"),
        ("host.idle", "OFF", "off"),
        ("host.idle", "10s", None),
        ("host.level", "Master", "master"),
        ("host.level", "expert", None),
        ("host.pace", 4, "4"),
        ("host.pace", 2.5, "2.5"),
        ("host.pace", "0.1", "0.1"),
        ("host.pace", "40", None),
        ("host.pace", "fast", None),
        ("host.pace", "nan", None),
        ("host.pace", True, None),
        ("host.size", 4.0, None),
        ("host.port", 2048, 2048),
        ("host.port", 0, None),
        ("host.port", "65536", None),
    ],
)
def test_values_are_taken_as_a_person_writes_them_and_judged(name, raw, value):
    assert judged(BY_NAME[name], raw) == value


def test_the_file_that_edit_begins_with_sets_nothing_even_uncommented():
    empty = {setting.name: "" for setting in SETTINGS if setting.default is None and "." not in setting.name}
    assert resolve({}, {}, empty).problems == ()


def test_nothing_near_is_nothing():
    assert nearest("zzzzzz", BY_NAME) == ""


def test_the_table_offers_what_the_rules_allow():
    assert BY_NAME["host.size"].allowed == SIZES
    assert BY_NAME["host.kind"].allowed == tuple(KIND_NAMES)
    assert BY_NAME["host.level"].allowed == tuple(LEVELS_BY_NAME)
    assert (BY_NAME["host.level"].default, BY_NAME["host.pace"].default) == (LEVEL, f"{PACE:g}")
    assert BY_NAME["host.players"].allowed == tuple(range(SEATS_MIN, SEATS_MAX + 1))


def test_every_setting_has_a_line_of_help_and_a_variable_of_its_own():
    assert all(setting.help and "\n" not in setting.help for setting in SETTINGS)
    assert len({setting.variable for setting in SETTINGS}) == len(SETTINGS)
    assert all(setting.allowed for setting in SETTINGS if setting.sort in (Sort.CHOICE, Sort.NUMBER))
