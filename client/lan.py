"""Whether this program has to do with the network around this computer: the setting `lan`, or RACE2048_LAN.

Owns the answer, which discovery.py and who announces a table ask for; knows nothing of networks, and imports nothing
that takes long.
"""

from __future__ import annotations

import os
from enum import StrEnum

SETTING = "RACE2048_LAN"


class Lan(StrEnum):
    """With which network this program has to do."""

    ON = "on"
    OFF = "off"
    LOOPBACK = "loopback"  # with this computer alone: for tests, and to try things out


_of_file: dict[str, str] = {}  # what the person's settings say, once they have been read


def heed_file(value: str) -> None:
    """The person's file says this; nothing if it says nothing."""
    _of_file[SETTING] = value


def set_by() -> str:
    """Returns how what counts is called where it was set: the variable, or the setting."""
    return SETTING if os.environ.get(SETTING) else "lan"


def lan_setting() -> Lan | None:
    """Returns what counts: RACE2048_LAN, then the file, on if neither does; None if that is no value."""
    chosen = os.environ.get(SETTING, "") or _of_file.get(SETTING, "") or Lan.ON
    return next((each for each in Lan if each == chosen.lower()), None)
