"""Which games alone had hints: noted beside their records, which have no place for them (SPEC.md, Games alone).

A line for each hint: the digest of the game's Opening, and how many acts were before it. Lines are only ever added, in
one write each, so that a killed program and two at once lose nothing. It is a player's own word, as the times in a
record are: a note that is lost makes a game one without hints. What a hint costs is best_store.py's business.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from protocol.solo import Opening

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_BYTES_MAX = 16_777_216  # more than two hundred thousand hints; what is beyond is not read
_LINE = re.compile(rb"([0-9a-f]{64}) ([0-9]{1,8})")


class HintStore:
    """The notes of hints in a directory."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "hints"

    def note(self, opening: Opening, acts: int) -> None:
        """Notes a hint after so many acts; on a disk that takes nothing, nothing."""
        with suppress(OSError):
            handle = os.open(self._path, _FLAGS, 0o600)
            try:
                os.write(handle, f"\n{_digest(opening)} {acts}\n".encode())  # a line that was cut off before ends here
            finally:
                os.close(handle)

    def of(self, opening: Opening) -> list[int]:
        """Returns how many acts were before each hint of a game, the first hint first."""
        return self.all().get(_digest(opening), [])

    def all(self) -> dict[str, list[int]]:
        """Returns the same of all games, by the digest of their Openings; what is no note is passed over."""
        found: dict[str, list[int]] = {}
        with suppress(OSError), self._path.open("rb") as file:
            for line in file.read(_BYTES_MAX).split(b"\n")[:-1]:
                note = _LINE.fullmatch(line)
                if note is not None:
                    found.setdefault(note[1].decode(), []).append(int(note[2]))
        return {digest: sorted(acts) for digest, acts in found.items()}


def _digest(opening: Opening) -> str:
    return sha256(opening.encode()).hexdigest()
