"""A visit to a lobby as the person will remember it: what is known of the address, and what to say if that changed.

client/lobbies.py owns the file and the ruling, the session raises the alarm; here is what comes before and after.
"""

from __future__ import annotations

from pathlib import Path

from client.link import LobbyAddress
from client.lobbies import Lobbies, LobbiesError, day, expected_at, note_lobby, read_lobbies
from client.words import in_fours, say
from protocol.signing import fingerprint


class Meeting:
    """A visit to a lobby; `own` if it is this person's.

    `trouble` says why nothing is known of lobbies, `failure` why this one could not be remembered; mostly neither.
    """

    def __init__(self, data: Path, lobby: LobbyAddress, *, own: bool = False) -> None:
        self.trouble = self.failure = ""
        self._data = data
        self._lobby = lobby
        self._own = own
        self._known: Lobbies = {}
        try:
            self._known = read_lobbies(data)
        except LobbiesError as error:
            self.trouble = str(error)

    @property
    def expected(self) -> frozenset[bytes]:
        """The keys of which one is expected there; none: any may be."""
        return frozenset() if self._own else expected_at(self._known, self._lobby)

    def note(self, key: bytes) -> None:
        """Remembers that the lobby with this key was there. Takes a moment of the disk: not for an event loop."""
        if self.trouble:
            return
        try:
            note_lobby(self._data, key, self._lobby.address, own=self._own)
        except LobbiesError as error:
            self.failure = str(error)

    def warning(self, key: bytes) -> str:
        """Returns what to say after a visit at which the lobby had another key than before."""
        before = [
            say(
                "  before: {fingerprint}, last seen {date}",
                fingerprint=in_fours(fingerprint(known.key)),
                date=day(known.last_s),
            )
            for known in self._known.values()
            if known.key in self.expected and self._lobby.address in known.addresses
        ]
        return "\n".join(
            [
                say("WARNING: the lobby at {address} had another key before.", address=self._lobby.address),
                say("  now:    {fingerprint}", fingerprint=in_fours(fingerprint(key))),
                *before,
                say(
                    "Another lobby may have this address now, or the lobby has lost its key; or somebody is between "
                    "you and it, and sees and decides everything. Ask the host for the fingerprint (the end of the "
                    "link, after #) on another way than before, or join with the whole link: it names the key."
                ),
            ]
        )
