"""The lobby's clock: milliseconds that never go back, over sleep, kill and reboot (rules 5.1, 5.6).

While the computer is not booted anew, the system's own clock since boot is asked. Over a boot, or where the system
cannot tell that there was one, the wall clock tells how long the lobby was away; if somebody has set that back, it was
no time at all.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment on all clocks: the lobby's, the one since boot, and the wall's. `boot` names the boot, if it can."""

    lobby_ms: int
    boot: str
    boot_ms: int
    wall_ms: int


def boot_ms() -> int:
    """Returns a clock that never goes back and, where the system has such a one, goes on while it sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    if hasattr(time, "CLOCK_MONOTONIC"):  # on macOS this one goes on, unlike time.monotonic
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000
    return time.monotonic_ns() // 1_000_000


def wall_ms() -> int:
    """Returns the wall clock, which anybody may set."""
    return time.time_ns() // 1_000_000


def boot_id() -> str:
    """Returns what is another after every boot, or nothing where the system does not tell."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


class LobbyTime:
    """The lobby's clock of this process, which goes on from the `last` moment that another one wrote down."""

    def __init__(self, last: Moment | None) -> None:
        self._boot = boot_id()
        now_ms = boot_ms()
        if last is None:
            self._ahead_ms = 0
        elif self._boot and self._boot == last.boot and now_ms >= last.boot_ms:
            self._ahead_ms = last.lobby_ms - last.boot_ms
        else:
            self._ahead_ms = last.lobby_ms + max(0, wall_ms() - last.wall_ms) - now_ms

    def now_ms(self) -> int:
        """Returns the time now."""
        return boot_ms() + self._ahead_ms

    def moment(self) -> Moment:
        """Returns what another process needs to go on from here."""
        since_boot_ms = boot_ms()
        return Moment(since_boot_ms + self._ahead_ms, self._boot, since_boot_ms, wall_ms())
