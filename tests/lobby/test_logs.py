"""How the lobby's log is written: one line a record, inert in a terminal, and readable by machines (logs.py)."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys

import pytest

from lobby import bounds, cli, logs
from lobby.choices import LOG_FORMATS

NASTY = "fox\x1b]52;c;eA==\x07\u202e\n2026-01-01 CRITICAL root: forged\x9b"


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("lobby.server", logging.WARNING, __file__, 1, message, args, None)
    made.__dict__.update(logs.told(**extra))  # type: ignore[arg-type]
    return made


def fail() -> None:
    raise ValueError(NASTY)


def failed() -> logging.LogRecord:
    made = record("the lobby failed")
    try:
        fail()
    except ValueError:
        made.exc_info = sys.exc_info()
    return made


def test_text_is_one_line_and_harmless():
    line = logs.TextLines().format(record("hello %s", NASTY))
    assert line.isprintable()
    assert line.endswith(
        r"WARNING lobby.server: hello fox\u{1b}]52;c;eA==\u{7}\u{202e}\u{a}2026-01-01 CRITICAL root: forged\u{9b}"
    )


def test_what_can_be_shown_is_shown():
    assert logs.inert("лисиця 狐 é") == "лисиця 狐 é"


def test_the_lines_of_a_traceback_can_be_told_from_those_of_the_log():
    first, *rest = logs.TextLines().format(failed()).split("\n")
    assert first.endswith("the lobby failed")
    assert len(rest) > 3
    assert all(line.startswith("  ") and line.isprintable() for line in rest)


def test_json_is_an_object_a_line_with_the_fields_of_the_call():
    line = logs.JsonLines().format(record("connection %d was refused: %s", 7, "flood", connection=7, code="flood"))
    said = json.loads(line)
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "warning", "logger": "lobby.server", "message": "connection 7 was refused: flood",
        "connection": 7, "code": "flood",
    }  # fmt: skip


def test_json_is_ascii_whatever_is_in_it():
    for made in (record("hello %s", NASTY, name=NASTY), failed()):
        line = logs.JsonLines().format(made)
        assert line.isascii()
        assert line.isprintable()
    assert NASTY in json.loads(line)["error"]


def test_an_attack_does_not_fill_the_disk_and_our_own_errors_are_told_all_the_same():
    ration, written = logs.Ration(), []

    def log(at_s: float, level: int = logging.WARNING) -> None:
        made = record("connection %d was refused", 7)
        made.created, made.levelno = at_s, level
        if ration.filter(made):
            written.append(made.getMessage())

    for _ in range(10_000):
        log(1.0)
    assert len(written) == bounds.LOG_LINES_BURST
    log(1.0, logging.ERROR)
    assert written[-1] == "connection 7 was refused (before this, 9500 lines were left out)"
    log(1.1)
    assert written[-1] == "connection 7 was refused"


@pytest.mark.parametrize("log_format", LOG_FORMATS)
@pytest.mark.parametrize("verbose", [True, False])
def test_it_goes_to_stderr_and_says_more_if_asked(monkeypatch, log_format, verbose):
    stderr = io.StringIO()
    root = logging.RootLogger(logging.NOTSET)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(logging, "root", root)
    logs.set_up(log_format, verbose=verbose)
    root.info("chat")
    root.warning("news")
    told = stderr.getvalue().splitlines()
    assert len(told) == 1 + verbose
    assert all(line.startswith("{") == (log_format == "json") for line in told)


def test_a_lobby_logs_json_if_asked(tmp_path):
    command = [sys.executable, "-m", "lobby", "--bind", "127.0.0.1", "--port", "0", "--data-dir", str(tmp_path)]
    command += ["--log-format", "json", "-v", "--linger", "0.1"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert "stopping with 0 connections" in [line["message"] for line in lines]


def test_another_format_is_usage(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.parser().parse_args(["--log-format", "xml"])
    assert stop.value.code == 2
    assert "xml" in capsys.readouterr().err
