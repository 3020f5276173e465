"""Signals that are to end us, held back while nobody is ready for them; they come when they are let go.

Raised in the middle of an import, or of making an event loop, they would be swallowed or come out as an error.
"""

from __future__ import annotations

import signal

_HELD = frozenset(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)


def hold() -> None:
    """Keeps back interrupt, termination and hangup. Windows cannot."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)


def let_go() -> None:
    """Lets in what was kept back, and all that comes from now on."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
