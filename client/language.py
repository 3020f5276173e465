"""Messages in the person's language (ux.md §5): gettext, with named placeholders and plurals.

Every message of this program goes through `say` or `say_n`, so that translations need no other change;
docs/translations.py collects them. Which language it is stands in LANGUAGE, LC_ALL, LC_MESSAGES or LANG, as gettext has
it: cli/tongue.py puts there what the person has chosen.
"""

from __future__ import annotations

import gettext
import os
from functools import cache

DOMAIN = "race2048"
LOCALE = os.path.join(os.path.dirname(__file__), "locale")  # noqa: PTH118, PTH120 - pathlib takes long to import
NO_BREAK_SPACE = "\u00a0"
_THOUSANDS = {"uk": NO_BREAK_SPACE}  # what stands between thousands, where it is not a comma
_POINTS = {"uk": ","}  # what stands before tenths, where it is not a point


def say(message: str, **values: object) -> str:
    """Returns `message` in the person's language, its placeholders filled in."""
    return _catalogue().gettext(message).format_map(values)


def say_n(one: str, many: str, count: int, **values: object) -> str:
    """Returns `one` or `many`, whichever goes with `count`, which the message names {count}."""
    return _catalogue().ngettext(one, many, count).format_map({"count": number(count), **values})


def later(message: str) -> str:
    """Marks a message for translation that `say` gets later."""
    return message


def number(value: int) -> str:
    """Returns 20412 as "20,412"."""
    return format(value, ",").replace(",", _THOUSANDS.get(language(), ","))


def decimal(value: float, digits: int = 1) -> str:
    """Returns 1.25 as "1.2": so many digits after the point, or what stands for it."""
    return format(value, f".{digits}f").replace(".", _POINTS.get(language(), "."))


def clock(ms: int) -> str:
    """Returns a duration as "1:23" or "1:02:03", whole seconds that have passed."""
    seconds = max(ms, 0) // 1_000
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def language() -> str:
    """Returns the code of the language that messages are in: "en" where there is no translation."""
    return str(_catalogue().info().get("language", "en")).partition("_")[0]


def forget_language() -> None:
    """The person has chosen a language, or the environment has changed: the next message looks again."""
    _catalogue.cache_clear()


def in_fours(fingerprint: str) -> str:
    """Returns a fingerprint as it is read aloud: "7q4k 2m9x b3hd 5s8t"."""
    return " ".join(fingerprint[start : start + 4] for start in range(0, len(fingerprint), 4))


def printable(text: str) -> str:
    """Returns a text of any length with what a terminal would obey written as escapes."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


@cache
def _catalogue() -> gettext.NullTranslations:
    """Returns the translations, found once: looking for them is slow, and a screen asks dozens of times."""
    return gettext.translation(DOMAIN, LOCALE, fallback=True)
