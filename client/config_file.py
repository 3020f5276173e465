"""The file in which a person's settings are: where it is, reading it, and changing one entry of it (ux.md §5).

Owns that the file appears whole or not at all, and that nothing in it is lost, whoever else writes it at the time; one
that cannot be read as TOML is never written. Knows nothing of what the settings mean: that is config.py's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from client.data_home import settings_path
from client.language import say

FILE_BYTES_MAX = 1_000_000


class ConfigError(Exception):
    """The file cannot be used; the message says which, where in it, and what to do."""


def config_path(chosen: str | None, environment: Mapping[str, str]) -> Path:
    """Returns where the settings are: --config, RACE2048_CONFIG, or what is usual on this system."""
    return Path(settings_path(chosen, environment))


def read_config(path: Path) -> dict[str, object]:
    """Returns what the file says, nothing if there is none; raises ConfigError."""
    text = _read(path)
    if not text:
        return {}
    from client.toml_lines import TomlError, parsed

    try:
        return parsed(text)
    except TomlError as error:
        raise _damaged(path, str(error)) from error


def set_entry(path: Path, name: str, value: str | int | bool) -> None:
    """Sets one entry, and makes the file if there is none; raises ConfigError."""
    from client.toml_lines import with_entry

    _change(path, lambda text: with_entry(text, name, value), name)


def unset_entry(path: Path, name: str) -> None:
    """Takes one entry out; raises ConfigError."""
    from client.toml_lines import without_entry

    _change(path, lambda text: without_entry(text, name), name)


def _change(path: Path, change: Callable[[str], str], name: str) -> None:
    """Changes the text of the file, one process after the other: none undoes what another has just done."""
    from client.locking import locked

    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(target.with_name(f".{target.name}.lock")):
            _change_held(path, change, name)
    except OSError as error:
        raise _unusable(path, error) from error


def _change_held(path: Path, change: Callable[[str], str], name: str) -> None:
    from client.toml_lines import NoPlaceError, TomlError

    text = _read(path)
    try:
        changed = change(text)
    except TomlError as error:
        raise _damaged(path, str(error)) from error
    except NoPlaceError as error:
        message = say(
            "{path}: {name} is written there in a way that only you can change. Nothing was changed. "
            "Do it by hand: race2048 config edit",
            path=path,
            name=name,
        )
        raise ConfigError(message) from error
    if changed != text:
        write_config(path, changed)


def write_config(path: Path, text: str) -> None:
    """Puts a whole new file in the place of the old one; raises ConfigError."""
    try:
        target = path.resolve()  # a link to the real file, as people who keep their settings elsewhere have, stays one
        if target.exists() and not target.is_file():
            raise ConfigError(say("{path} is no file: settings cannot be written there.", path=path))
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, text.encode())
    except OSError as error:
        raise _unusable(path, error) from error


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f".{os.urandom(8).hex()}.new")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _read(path: Path) -> str:
    """Returns the text as it is, line ends included; nothing if there is no file."""
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            raise _damaged(path, say("it is longer than a megabyte"))
        return content.decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _damaged(path, say("it is not UTF-8 at byte {place}", place=error.start + 1)) from error
    except OSError as error:
        raise _unusable(path, error) from error


def _damaged(path: Path, reason: str) -> ConfigError:
    return ConfigError(
        say(
            "{path} cannot be understood: {reason}. Nothing was changed. "
            "Mend it (race2048 config edit), or name another file with --config.",
            path=path,
            reason=reason[:1].lower() + reason[1:],
        )
    )


def _unusable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        say(
            "{path} cannot be used: {reason}. Make it usable, or name another file with --config.",
            path=path,
            reason=error.strerror or error,
        )
    )
