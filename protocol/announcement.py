"""What a lobby tells its own network about a table, and how that is read: the TXT record of a DNS-SD service.

Pure: the sockets are lobby/announcing.py's and client/discovery.py's. Anybody on a network can announce anything, so
what is read is hearsay until the lobby has proved its key: `read` lets through what has the right form, bounded and
harmless, and nothing else. Unlike in a frame, keys that nobody knows are skipped: a network is shared by versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.race import Kind
from protocol.deal import settings_fault
from protocol.limits import CODE_CHARACTERS_MAX, CODE_DIGITS_MIN, IDLE_MS_DEFAULT, PROTOCOL_VERSION
from protocol.messages import Phase, TableSettings, TableView
from protocol.signing import CROCKFORD, FINGERPRINT_CHARACTERS
from protocol.text import SafeText

SERVICE = "_race2048._tcp.local."
_NAME_BYTES_MAX = 200  # a TXT string has 255, the key and its = among them
_DIGITS_MAX = 8  # of a figure: an hour in milliseconds has seven
_NOBODY = SafeText("")
_OPEN = frozenset(Phase) - {Phase.CLOSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """A table as its network knows it. `settings` and `phase` are None where the lobby speaks another protocol.

    Of the settings only what is raced for is told (board, kind, target, time, seats); the rest is as usual.
    """

    code: str
    watch_code: str
    fingerprint: str
    protocol: int = PROTOCOL_VERSION
    host: SafeText = _NOBODY
    settings: TableSettings | None = None
    phase: Phase | None = None
    taken: int = 0
    locked: bool = False

    @property
    def free(self) -> int:
        """How many seats are free."""
        return 0 if self.settings is None else self.settings.seats - self.taken


def announcement_of(table: TableView, fingerprint: str) -> Announcement:
    """Returns what is told of a table: of its players only the host's name, and how many they are."""
    seats = [seat for seat in table.seats if seat is not None]
    return Announcement(
        code=table.code,
        watch_code=table.watch_code,
        fingerprint=fingerprint,
        host=next((seat.name for seat in seats if seat.key == table.host), _NOBODY),
        settings=table.settings,
        phase=table.phase,
        taken=len(seats),
        locked=table.locked,
    )


def written(table: Announcement) -> dict[str, bytes]:
    """Returns the strings of the TXT record."""
    values: dict[str, object] = {
        "v": table.protocol,
        "code": table.code,
        "watch": table.watch_code,
        "key": table.fingerprint,
        "host": table.host,
    }
    if table.settings is not None and table.phase is not None:
        values |= {
            "size": table.settings.size,
            "kind": table.settings.kind,
            "target": table.settings.target_exponent,
            "time": table.settings.time_ms,
            "seats": table.settings.seats,
            "taken": table.taken,
            "phase": table.phase.value,
            "locked": int(table.locked),
        }
    return {key: str(value).encode()[:_NAME_BYTES_MAX] for key, value in values.items()}


def read(strings: Mapping[bytes, bytes | None]) -> Announcement | None:
    """Returns what a TXT record announces, or None if that can be no table."""
    code, watch_code, key = (_text(strings, name) for name in ("code", "watch", "key"))
    protocol = _number(strings, "v")
    if not (_is_code(code) and _is_code(watch_code) and code != watch_code and _is_fingerprint(key) and protocol):
        return None
    host = SafeText.shown(_text(strings, "host"))
    if protocol != PROTOCOL_VERSION:
        return Announcement(code=code, watch_code=watch_code, fingerprint=key, protocol=protocol, host=host)
    settings, taken = _settings(strings), _number(strings, "taken")
    phase = next((phase for phase in _OPEN if phase == _text(strings, "phase")), None)
    if settings is None or phase is None or taken is None or taken > settings.seats:
        return None
    return Announcement(
        code=code,
        watch_code=watch_code,
        fingerprint=key,
        host=host,
        settings=settings,
        phase=phase,
        taken=taken,
        locked=_text(strings, "locked") == "1",
    )


def _settings(strings: Mapping[bytes, bytes | None]) -> TableSettings | None:
    figures = [_number(strings, name) for name in ("seats", "size", "kind", "target", "time")]
    seats, size, kind, target_exponent, time_ms = (-1 if figure is None else figure for figure in figures)
    settings = TableSettings(
        seats=seats,
        size=size,
        kind=kind,
        target_exponent=target_exponent,
        time_ms=time_ms,
        idle_ms=0 if kind == Kind.TIMED else IDLE_MS_DEFAULT,
    )
    return settings if settings_fault(settings) is None else None


def _text(strings: Mapping[bytes, bytes | None], name: str) -> str:
    return (strings.get(name.encode()) or b"")[:_NAME_BYTES_MAX].decode(errors="replace")


def _number(strings: Mapping[bytes, bytes | None], name: str) -> int | None:
    text = _text(strings, name)
    return int(text) if _is_digits(text) and len(text) <= _DIGITS_MAX else None


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_code(text: str) -> bool:
    return _is_digits(text) and CODE_DIGITS_MIN <= len(text) <= CODE_CHARACTERS_MAX


def _is_fingerprint(text: str) -> bool:
    return len(text) == FINGERPRINT_CHARACTERS and set(CROCKFORD).issuperset(text)
