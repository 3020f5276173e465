"""A language that nobody speaks: every message 40 % longer and between ⟦ and ⟧, so that one that is cut shows.

The brackets stand nowhere else: ‹ and › are on the screens themselves.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from client import language
from client.tui.panel import rival_cells

OPEN, CLOSE = "⟦", "⟧"
_GROWTH = 0.4
_PLACEHOLDER = re.compile(r"{[^}]*}")
_LETTERS = re.compile(r"[^\W\d_]")


def pseudo(message: str) -> str:
    """Returns a message as the pseudo-language has it; what has no word in it stays as it is."""
    words = _PLACEHOLDER.sub("", message)
    if not _LETTERS.search(words):
        return message
    more = int(len(words.strip()) * _GROWTH + 0.5)
    # In pieces of at most nine, as words are, so that it can be wrapped like text.
    padding = " ".join("~" * min(8, more - start) for start in range(0, more, 9))
    body = message.strip()
    start = len(message) - len(message.lstrip())
    end = len(message.rstrip())
    glue = " " if " " in body and len(padding) > 2 else ""
    return f"{message[:start]}{OPEN}{body}{glue}{padding}{CLOSE}{message[end:]}"


class PseudoTranslations(gettext.NullTranslations):
    """Translates everything into the pseudo-language."""

    def gettext(self, message: str) -> str:
        return pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return pseudo(msgid1 if n == 1 else msgid2)


class MarkedTranslations(gettext.NullTranslations):
    """Translates into a real language, every message between ⟦ and ⟧."""

    def __init__(self, real: gettext.NullTranslations) -> None:
        super().__init__()
        self._real = real

    def gettext(self, message: str) -> str:
        return _marked(self._real.gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return _marked(self._real.ngettext(msgid1, msgid2, n))

    def info(self) -> dict[str, str]:
        return self._real.info()


def _marked(message: str) -> str:
    return f"{OPEN}{message}{CLOSE}" if _LETTERS.search(_PLACEHOLDER.sub("", message)) else message


@contextmanager
def marked_language(monkeypatch: pytest.MonkeyPatch, code: str) -> Iterator[None]:
    """Speaks a real language inside, so that `cut` finds what is cut."""
    real = gettext.translation(language.DOMAIN, language.LOCALE, languages=[code])
    rival_cells.cache_clear()  # they may be there in the same language without marks
    with monkeypatch.context() as patch:
        patch.setattr(language, "_catalogue", lambda: MarkedTranslations(real))
        yield
    rival_cells.cache_clear()


@contextmanager
def pseudo_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Speaks the pseudo-language inside."""
    rival_cells.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(language, "_catalogue", PseudoTranslations)
        patch.setattr(language, "language", lambda: "en")
        yield
    rival_cells.cache_clear()


def cut(text: str) -> list[str]:
    """Returns the messages in a painted text that have no end, from their beginning."""
    found: list[str] = []
    open_from: list[int] = []
    for place, character in enumerate(text):
        if character == OPEN:
            open_from.append(place)
        elif character == CLOSE:
            if open_from:
                open_from.pop()
            else:
                found.append(text[max(0, place - 30) : place + 1])
    return found + [text[place : place + 60] for place in open_from]
