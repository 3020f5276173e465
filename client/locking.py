"""Locks on files, by which processes of one person keep out of each other's way.

A lock ends with its process, however that ends, so that nothing stays locked after a crash. What is locked, and what
comes of it if somebody else holds it, is the business of store.py, lobbies.py and config_file.py.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from client.language import say

_PATIENCE_S = 3.0  # somebody else writes within milliseconds, or is stopped
_PAUSE_S = 0.02

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Returns whether this process now holds the file, until it closes it."""
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # a lock there keeps nobody from reading
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(handle, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Returns whether this process now holds the file, until it closes it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps other processes out meanwhile; `path` is made, and stays. Raises OSError if one keeps us out for long."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        give_up_s = time.monotonic() + _PATIENCE_S
        while not try_lock(handle):
            if time.monotonic() > give_up_s:
                raise OSError(errno.EAGAIN, say("another program holds it"), str(path))
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(handle)
