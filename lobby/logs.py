"""How the lobby's log is written to stderr: as text for a person, or as one JSON object a line for machines.

Whatever a peer could have a hand in is escaped here, once for all: a line in the log is one line, and inert in a
terminal. That no key and no code of a table gets here is up to those who log; a test looks for them.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from lobby import bounds
from lobby.bucket import Bucket

FIELDS = "fields"  # in `extra`: what a machine wants to find in a record beside its words


def set_up(log_format: str, *, verbose: bool) -> None:
    """Logs to stderr from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Ration())
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.WARNING)


def told(**fields: str | float) -> dict[str, dict[str, str | float]]:
    """Returns the `extra` of a log call: these fields stand in JSON by their names."""
    return {FIELDS: fields}


def inert(text: str) -> str:
    """Returns `text` in which everything that cannot be shown, line ends included, is written as an escape."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else f"\\u{{{ord(each):x}}}" for each in text)


class Ration(logging.Filter):
    """Lets so many lines through and counts the rest; errors, which are our own, always come through."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = Bucket(bounds.LOG_LINES_PER_S, bounds.LOG_LINES_BURST)
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether this record is written; it tells how many before it were not."""
        if record.levelno < logging.ERROR and not self._lines.take(int(record.created * 1_000)):
            self._left_out += 1
            return False
        if self._left_out:
            record.msg, record.args = f"{record.getMessage()} (before this, {self._left_out} lines were left out)", None
            self._left_out = 0
        return True


class TextLines(logging.Formatter):
    """`2026-11-30 15:04:05,678 WARNING lobby.server: …`; the lines of a traceback are indented."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Returns the first line."""
        return inert(super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802 - logging's name
        """Returns the lines after it."""
        lines = super().formatException(ei).splitlines()  # type: ignore[arg-type]
        return "\n".join("  " + inert(line) for line in lines)


class JsonLines(logging.Formatter):
    """An object a line: time (UTC), level, logger, message, and the fields of the call."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line; ASCII only, so everything else is escaped."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update(getattr(record, FIELDS, {}))
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)
