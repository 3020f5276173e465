"""Files that appear whole or not at all and are never written over. Knows no names and no formats."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def keep(path: Path, content: bytes) -> bool:
    """Returns whether `path` is now a new file with this content, on the disk and readable by its owner only.

    False, and nothing is touched, if there is something of that name already.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return _claim(path, temporary)
    finally:
        temporary.unlink(missing_ok=True)


def _claim(path: Path, temporary: Path) -> bool:
    try:
        path.hardlink_to(temporary)  # unlike a rename, this refuses a name that is taken
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if path.exists():
            return False
        temporary.replace(path)
    return True
