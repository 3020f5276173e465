"""Where this person's files are on this system, and reading one of them without being kept waiting.

What is in them is the business of store.py, memory.py, lobbies.py and config_file.py. Nothing here imports pathlib:
`race2048 verify` and `--help` are to start in no time.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from client.language import say

TYPE_CHECKING = False  # typing takes long to import
if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS_NAME = "config.toml"


def data_path() -> str:
    """Returns the directory of keys and records: RACE2048_DATA, or what is usual on this system."""
    return os.environ.get("RACE2048_DATA") or _plain_path("XDG_DATA_HOME", ".local/share") or _usual_data_path()


def read_file(path: str, bytes_max: int) -> bytes:
    """Returns a file's bytes, but no more than so many. Raises OSError, also for what is no file.

    A pipe could keep us waiting for ever, and so is not read.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, say("not a file; save it to one first"))
        return file.read(bytes_max)


def settings_path(chosen: str | None, environment: Mapping[str, str]) -> str:
    """Returns where the settings are: --config, RACE2048_CONFIG, or what is usual on this system."""
    named = chosen or environment.get("RACE2048_CONFIG")
    if named:
        return os.path.expanduser(named)  # noqa: PTH111 - as below
    directory = _plain_path("XDG_CONFIG_HOME", ".config")
    if not directory:
        import platformdirs

        directory = platformdirs.user_config_dir("race2048", appauthor=False)
    return os.path.join(directory, SETTINGS_NAME)  # noqa: PTH118


def _plain_path(variable: str, usual: str) -> str:
    """Returns what the XDG specification says where it says it plainly, else nothing.

    It is what platformdirs says, too, which takes half as long to import as all the rest of `verify` or `--help`.
    """
    given, home = os.environ.get(variable, ""), os.environ.get("HOME", "")
    if sys.platform != "linux" or not (given or home).startswith("/"):
        return ""
    base = given or f"{home.rstrip('/')}/{usual}"
    return f"{base.rstrip('/')}/race2048"


def _usual_data_path() -> str:
    import platformdirs

    return platformdirs.user_data_dir("race2048", appauthor=False)
