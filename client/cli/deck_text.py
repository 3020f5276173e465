"""The text that a deck is dealt from, as `--seed` takes it."""

from __future__ import annotations

from client.language import say
from protocol.solo import TEXT_BYTES_MAX

from .exits import USAGE, Failure


def checked_text(text: str) -> str:
    """Returns a text that a deck can be dealt from; raises Failure if it is empty, too long, or more than a line."""
    try:
        length = len(text.encode())
    except UnicodeEncodeError:
        length = 0
    if not 0 < length <= TEXT_BYTES_MAX or not text.isprintable():
        raise Failure(USAGE, say("--seed takes a text of one line, of at most {count} bytes.", count=TEXT_BYTES_MAX))
    return text
