"""What a client believes of a deal, and when it stops believing (deal.md §3).

A lobby could choose the deck if anyone let it. So every document is checked as it comes, against the ones before;
the first that does not fit raises `Cheat`, and the session refuses to play and says why. Nothing is sent from here.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.deck import ChainBroken, RaceDeck
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.layout import LayoutError
from protocol.messages import Signed, TableSettings
from protocol.signing import NO_CONTEXT, Signer, verify


class Cheat(Exception):  # noqa: N818 - it is not this program's error
    """The lobby did what an honest one never does; `what` is a short code."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Trust:
    """The Deal that stands, as one player sees it, and what was promised for it."""

    def __init__(self, signer: Signer, lobby_key: bytes, entropy: Callable[[int], bytes]) -> None:
        self._signer = signer
        self._lobby_key = lobby_key
        self._entropy = entropy
        self._nonce = b""
        self._name = ""
        self._own: Signed | None = None
        self.signed: Signed | None = None
        self.deal: Deal | None = None
        self._hash = bytes(32)
        self._burnt: Signed | None = None
        self._seats: Signed | None = None
        self.players: tuple[Ready, ...] = ()

    def dealt(self, signed: Signed) -> Deal:
        """Takes a new Deal; what was promised for the one before is void. The same Deal again changes nothing."""
        if self.deal is not None and signed == self.signed:
            return self.deal
        if signed == self._burnt:
            raise Cheat("deal-again")
        if not verify(self._lobby_key, "deal", NO_CONTEXT, signed.body, signed.signature):
            raise Cheat("deal-signature")
        try:
            deal = Deal.decode(signed.body)
        except LayoutError:
            raise Cheat("deal-layout") from None
        if deal.lobby_key != self._lobby_key:
            raise Cheat("deal-key")
        self.signed, self.deal, self._hash = signed, deal, document_hash("deal", signed)
        self._own, self._seats, self.players = None, None, ()
        return deal

    @property
    def answered(self) -> bool:
        """Whether we have said Ready for the Deal that stands."""
        return self._own is not None

    def burnt(self, last_link: bytes) -> None:
        """The Deal that stands is not played: the link that is published must be the end of its chain (3.4)."""
        if self.deal is None:
            return
        length, chain_id = self.deal.chain_length, self.deal.chain_id
        deck = RaceDeck(chain_id, self.deal.anchor, bytes(32), length)
        try:
            deck.extend(length, last_link)
        except ChainBroken:
            raise Cheat("burnt-link") from None
        # Everybody knows this deck now: whatever may come for it is not answered.
        self._burnt, self.signed, self.deal, self._own = self.signed, None, None, None

    def promise(self, name: str, shown: TableSettings, *, computer: bool) -> Signed | None:
        """Returns our Ready for the Deal that stands, or None if it does not deal what the table shows."""
        if self.deal is None or self.deal.settings != shown:
            return None
        if self._own is None or self._name != name:
            self._nonce, self._name = self._entropy(32), name
            key = self._signer.key
            body = Ready(key, commitment(self._hash, key, self._nonce), name, computer).encode()
            self._own = Signed(body, self._signer.sign("ready", self._hash, body))
        return self._own

    def closed(self, signed: Signed) -> bytes:
        """Takes the Seats; returns the nonce to open, or nothing for one who is not dealt in.

        There is one list to a Deal: a lobby that knew our nonce could try others until it likes the mix.
        """
        if self.deal is None:
            raise Cheat("seats-without-deal")
        if self._seats is not None and self._seats != signed:
            raise Cheat("seats-twice")
        if not verify(self._lobby_key, "seats", self._hash, signed.body, signed.signature):
            raise Cheat("seats-signature")
        try:
            seats = Seats.decode(signed.body)
            self.players = seats.players(self._hash)
        except LayoutError:
            raise Cheat("seats-layout") from None
        keys = [player.key for player in self.players]
        if len(set(keys)) < len(keys):
            raise Cheat("seats-double")
        dealt_in = self._signer.key in keys
        # A program that was started again has forgotten its Ready; the signature shows that it once gave it.
        if dealt_in and self._own is not None and self._own not in seats.readies:
            raise Cheat("seats-other-ready")
        self._seats = signed
        return self._nonce if dealt_in and self._own is not None else b""

    def started(self, signed: Signed) -> Start:
        """Takes the Start: the mix must be made of exactly the nonces that were promised."""
        try:
            start = Start.decode(signed.body)
        except LayoutError:
            raise Cheat("start-layout") from None
        if not verify(self._lobby_key, "start", start.mix, signed.body, signed.signature):
            raise Cheat("start-signature")
        if self._seats is None or len(start.nonces) != len(self.players):
            raise Cheat("start-nonces")
        for player, nonce in zip(self.players, start.nonces, strict=True):
            if player.commitment != commitment(self._hash, player.key, nonce):
                raise Cheat("start-nonces")
        if start.mix != mix(self._hash, document_hash("seats", self._seats), start.nonces):
            raise Cheat("start-mix")
        return start
