"""Text from somebody else, made harmless before anything shows it (architecture.md 5.3).

`SafeText` is the only type in which remote text travels through the program. The lobby *judges* a name
(`judge_name`): it says no to what it does not like. Everyone else *shows* it (`SafeText.shown`): what cannot be
shown is escaped, since a record or a table must not become unreadable because of a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from protocol.limits import NAME_CHARACTERS_MAX, NAME_COLUMNS_MAX

# Control, format (bidi and zero-width among them), surrogate, private, unassigned, line and paragraph breaks.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs by category, but nothing is seen of them
_MARKS = frozenset({"Mn", "Me", "Mc"})
_MARKS_MAX = 2  # on one letter: written languages need two, Zalgo needs more


class SafeText(str):
    """Text that is safe to put on a terminal: no control or hidden characters, at most 16 columns."""

    __slots__ = ()

    @classmethod
    def shown(cls, raw: str) -> SafeText:
        """Returns `raw` with everything that cannot be shown written as an escape, cut to 16 columns."""
        # Twice what can be kept is plenty: normalising ten thousand characters for sixteen is work for nothing.
        folded = " ".join(unicodedata.normalize("NFC", raw[: 2 * NAME_CHARACTERS_MAX]).split())
        return cls(_cut(_visible(folded)))


def judge_name(raw: str) -> SafeText | None:
    """Returns the name a player will be known by, or None if it is not usable (empty, hidden characters, too wide)."""
    if len(raw) > NAME_CHARACTERS_MAX:
        return None
    name = " ".join(unicodedata.normalize("NFC", raw).split(" ")).strip()
    name = " ".join(name.split())
    if not name or any(unicodedata.category(character) in _HIDDEN for character in raw):
        return None
    if _visible(name) != name or not 0 < _columns(name) <= NAME_COLUMNS_MAX:
        return None
    return SafeText(name)


def distinct_name(name: SafeText, taken: Iterable[str]) -> SafeText:
    """Returns `name`, or "name (2)" and so on if it looks like one of `taken` (after NFKC and casefold)."""
    known = {_likeness(other) for other in taken}
    candidate, number = name, 1
    while _likeness(candidate) in known:
        number += 1
        suffix = f" ({number})"
        candidate = SafeText(_cut(name, NAME_COLUMNS_MAX - len(suffix)) + suffix)
    return candidate


def _likeness(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _visible(text: str) -> str:
    """Returns `text` with hidden characters and marks without a letter written as escapes."""
    return text if _plain(text) else "".join(_escaped(text))


def _escaped(text: str) -> Iterable[str]:
    from wcwidth import wcwidth

    marks = _MARKS_MAX
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in _MARKS else 0
        if category in _HIDDEN or character in _BLANK or marks > _MARKS_MAX or wcwidth(character) < 0:
            yield f"\\u{{{ord(character):x}}}"
            marks = 0
        else:
            yield character


def _cut(text: str, columns: int = NAME_COLUMNS_MAX) -> str:
    """Returns the longest beginning of `text` that fits, with no space at its end."""
    if _columns(text) <= columns:
        return text
    length = 0
    while _columns(text[: length + 1]) < columns:
        length += 1
    return text[:length].rstrip() + "…"


def _columns(text: str) -> int:
    """Returns how wide `text` is on a terminal."""
    if _plain(text):
        return len(text)
    from wcwidth import wcswidth

    return wcswidth(text)


def _plain(text: str) -> bool:
    """Returns whether there is nothing to ask wcwidth, whose tables take longer to load than a record to verify."""
    return text.isascii() and text.isprintable()
