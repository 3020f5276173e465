"""In which language the command line speaks: chosen before the first message, since help is made of messages too.

What counts is `--lang`, then RACE2048_LANG, then `lang` in the settings, then the system's. It is put into LANGUAGE,
where gettext looks first: argparse's own words and the programs that we start follow it as well.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Sequence

from client.language import DOMAIN, LOCALE, forget_language


def choose_language(words: Sequence[str]) -> None:
    """Lets all messages be in the language that these words, the environment or the settings name."""
    gettext.bindtextdomain(DOMAIN, LOCALE)
    gettext.textdomain(DOMAIN)  # argparse asks for its words without naming a domain
    chosen = _flag(words, "--lang") or os.environ.get("RACE2048_LANG", "") or _of_settings(_flag(words, "--config"))
    if chosen:
        os.environ["LANGUAGE"] = chosen
    forget_language()


def _flag(words: Sequence[str], flag: str) -> str:
    """Returns what was given for a flag, "" if it is not there."""
    for place, word in enumerate(words):
        if word == flag:
            return next(iter(words[place + 1 : place + 2]), "")
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
    return ""


def _of_settings(named: str) -> str:
    """Returns the language in the settings; whatever is wrong with their file is told elsewhere."""
    from client.data_home import settings_path

    path = settings_path(named or None, os.environ)
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib takes long to import
        return ""
    from pathlib import Path  # only who has settings pays for reading them

    from client.config_file import ConfigError, read_config

    try:
        return str(read_config(Path(path)).get("lang", ""))
    except (ConfigError, OSError):
        return ""
