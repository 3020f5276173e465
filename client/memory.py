"""The moves of a running race on disk, so that a program that was killed loses nothing (rules 6.3).

One file a race, named by its mix: five bytes a move, the direction and the claimed time, in order. A file is only ever
added to; a last move that was cut off by a crash is not counted. Whether what is found here is what the lobby has is
decided by the session, which compares heads.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from client.events import KeepMove

_MOVE_BYTES = 5
_KEPT_S = 24 * 3_600  # no race is longer, and a record has everything in the end


class MoveMemory:
    """The files of running races in `directory`. All methods raise OSError when the disk does not let them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._race = b""
        self._file: BinaryIO | None = None

    def keep(self, move: KeepMove) -> None:
        """Writes a move down; it is with the system when this returns."""
        if self._file is None or self._race != move.race:
            self.close()
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._forget_old()
            path = self._path(move.race)
            self._file, self._race = path.open("r+b" if path.exists() else "w+b"), move.race
        self._file.seek((move.number - 1) * _MOVE_BYTES)
        self._file.truncate()
        self._file.write(bytes((move.direction,)) + move.t_ms.to_bytes(4, "big"))
        self._file.flush()

    def recall(self, race: bytes) -> tuple[bytes, tuple[int, ...]]:
        """Returns the directions and times that were kept of a race; nothing if there are none."""
        try:
            data = self._path(race).read_bytes()
        except FileNotFoundError:
            return b"", ()
        starts = range(0, len(data) - len(data) % _MOVE_BYTES, _MOVE_BYTES)
        times = tuple(int.from_bytes(data[start + 1 : start + _MOVE_BYTES], "big") for start in starts)
        return bytes(data[start] for start in starts), times

    def _forget_old(self) -> None:
        """Removes the files of races that can no longer be running."""
        before = time.time() - _KEPT_S
        for path in self._directory.glob("*.moves"):
            with suppress(OSError):  # another process was faster, or it is not ours: no reason to lose a move
                if path.stat().st_mtime < before:
                    path.unlink()

    def close(self) -> None:
        """Lets go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _path(self, race: bytes) -> Path:
        return self._directory / f"{race.hex()}.moves"
