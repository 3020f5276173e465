"""Changes one entry of a TOML text and leaves every other line as a person wrote it (ux.md §5).

Pure: text in, text out. The text is never written anew: a place for the change is looked for line by line, and the
change is kept only if tomllib then reads exactly what was there before, with this one entry changed. What is found in
a wrong place (in a string of many lines, say) is so found out, and the next place is tried.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Scalar: TypeAlias = str | int | bool

_HEADER = re.compile(r"\s*\[")
_ENTRY = re.compile(r"(?P<key>\s*[\w\s.\"'-]+?\s*=[ \t]*)(?P<rest>.*)", re.DOTALL)
_VALUE = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|[^#\r\n]*?(?=[ \t]*(?:#|\r?\n|$))")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


class TomlError(ValueError):
    """A text that is no TOML: the reason, with line and column."""


class NoPlaceError(ValueError):
    """The entry is written in a way that only a person can change."""


def parsed(text: str) -> dict[str, object]:
    """Returns what a TOML text says; raises TomlError."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TomlError(str(error)) from error


def with_entry(text: str, name: str, value: Scalar) -> str:
    """Returns the text with `name` ("palette", "host.size") set to `value`; raises TomlError or NoPlaceError."""
    wanted = _changed(parsed(text), name.split("."), value)
    lines = _lines(text)
    shown = toml_value(value)
    return _first_that_says(wanted, (*_replaced(lines, name, shown), *_inserted(lines, name, shown)))


def without_entry(text: str, name: str) -> str:
    """Returns the text without `name`; raises TomlError or NoPlaceError."""
    wanted = _changed(parsed(text), name.split("."), None)
    lines = _lines(text)
    found = (number for number, _ in _places(lines, name))
    return _first_that_says(wanted, ("".join(lines[:number] + lines[number + 1 :]) for number in found))


def toml_value(value: Scalar) -> str:
    """Returns a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    shown = "".join(_ESCAPES.get(c, f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c) for c in value)
    return f'"{shown}"'


def _lines(text: str) -> list[str]:
    """Returns the lines with their ends; unlike str.splitlines it breaks only where TOML does."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _first_that_says(wanted: Mapping[str, object], candidates: Iterator[str] | tuple[str, ...]) -> str:
    for candidate in candidates:
        try:
            if _pruned(parsed(candidate)) == wanted:
                return candidate
        except TomlError:
            continue
    raise NoPlaceError


def _changed(said: Mapping[str, object], path: list[str], value: Scalar | None) -> dict[str, object]:
    """Returns what is to be said, without the tables that say nothing."""
    first, *rest = path
    changed = dict(said)
    if rest:
        below = changed.get(first, {})
        changed[first] = _changed(below if isinstance(below, Mapping) else {}, rest, value)
    elif value is None:
        changed.pop(first, None)
    else:
        changed[first] = value
    return _pruned(changed)


def _pruned(said: Mapping[str, object]) -> dict[str, object]:
    below = {name: _pruned(value) if isinstance(value, Mapping) else value for name, value in said.items()}
    return {name: value for name, value in below.items() if value != {}}


# ── places ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _places(lines: list[str], name: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yields the lines that seem to set this entry."""
    table = ""
    for number, line in enumerate(lines):
        if _HEADER.match(line):
            table = _bare(line.partition("#")[0].strip().strip("[]"))
            continue
        found = _ENTRY.match(line)
        if found is not None:
            key = _bare(found["key"].rstrip().removesuffix("="))
            if (f"{table}.{key}" if table else key) == name:
                yield number, found


def _bare(key: str) -> str:
    """Returns a key without the quotes and spaces that it may be written with."""
    return re.sub(r"[\s\"']", "", key)


def _replaced(lines: list[str], name: str, shown: str) -> Iterator[str]:
    for number, found in _places(lines, name):
        value = _VALUE.match(found["rest"])
        assert value is not None, "it matches at least nothing"
        after = found["rest"][value.end() :]
        yield "".join([*lines[:number], found["key"] + shown + after, *lines[number + 1 :]])


def _inserted(lines: list[str], name: str, shown: str) -> Iterator[str]:
    """Yields texts with a new line: below a remark about it, in its table, in a new one, or before all else."""
    table, _, key = name.rpartition(".")
    uncommented = [re.sub(r"^\s*#+\s?", "", line) for line in lines]
    for row in [number + 1 for number, _ in _places(uncommented, name) if lines[number] != uncommented[number]]:
        yield _with_line(lines, row, f"{key} = {shown}")
    headers = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    if table:
        for number in headers:
            if _bare(lines[number].partition("#")[0].strip().strip("[]")) == table:
                end = next((other for other in headers if other > number), len(lines))
                yield _with_line(lines, _last_entry(lines, number, end), f"{key} = {shown}")
        yield _with_table(lines, table, f"{key} = {shown}")
    first = headers[0] if headers else len(lines)
    place = _last_entry(lines, -1, first)
    yield _with_line(lines, place, f"{name} = {shown}")
    yield _with_line(lines, 0, f"{name} = {shown}")


def _last_entry(lines: list[str], above: int, end: int) -> int:
    """Returns the row after the last line between `above` and `end` that is neither blank nor a remark.

    Where there is no such line, remarks at the beginning stay at the beginning.
    """
    for number in range(end - 1, above, -1):
        if lines[number].strip() and not lines[number].lstrip().startswith("#"):
            return number + 1
    if above >= 0:
        return above + 1
    return end if end == len(lines) else 0


def _with_line(lines: list[str], row: int, line: str) -> str:
    end = _end_of(lines)
    before = lines[:row]
    if before and not before[-1].endswith("\n"):
        before[-1] += end
    return "".join([*before, line + end, *lines[row:]])


def _with_table(lines: list[str], table: str, line: str) -> str:
    end = _end_of(lines)
    blank = [end] if lines and lines[-1].strip() else []
    last = [end] if lines and not lines[-1].endswith("\n") else []
    return "".join([*lines, *last, *blank, f"[{table}]{end}", line + end])


def _end_of(lines: list[str]) -> str:
    return "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
