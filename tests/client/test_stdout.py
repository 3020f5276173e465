"""What screens write arrives whole, also where Python writes without a buffer (PYTHONUNBUFFERED)."""

from __future__ import annotations

import io
import sys

import pytest

from client.tui.stdout import screen_stdout


class Interrupted(io.RawIOBase):
    """Takes a little at a time, as a terminal does when a signal comes."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        taken = bytes(memoryview(content)[:7])  # type: ignore[arg-type]
        self.taken += taken
        return len(taken)


class Unbuffered(io.TextIOWrapper):
    """Writes to a raw file, as sys.stdout does then."""

    def __init__(self, raw: Interrupted) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.raw_file = raw

    @property
    def buffer(self) -> Interrupted:  # type: ignore[override]
        return self.raw_file


def test_all_of_a_picture_arrives_whatever_a_write_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = Interrupted()
    monkeypatch.setattr(sys, "stdout", Unbuffered(raw))
    picture = "\x1b[48;5;113m▄▄▄▄ 2048 " * 500
    stdout = screen_stdout()
    stdout.write(picture)
    stdout.flush()
    assert raw.taken.decode() == picture


def test_one_that_has_a_buffer_is_written_to_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = io.TextIOWrapper(io.BufferedWriter(Interrupted()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", usual)
    assert screen_stdout() is usual
