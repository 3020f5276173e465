"""Messages in the person's language (ux.md §5): gettext, with named placeholders and plurals.

Every message of this program goes through `say` or `say_n`, so that translations need no other change (xgettext
--keyword=say --keyword=say_n:1,2 --keyword=later).
"""

from __future__ import annotations

import gettext
from functools import cache

DOMAIN = "race2048"


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
    return format(value, ",")


@cache
def _catalogue() -> gettext.NullTranslations:
    """Returns the translations, found once: looking for them is slow, and a screen asks dozens of times."""
    return gettext.translation(DOMAIN, fallback=True)
