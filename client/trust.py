"""What a client believes of a deal, and when it stops believing (deal.md §3).

A lobby could choose the deck if anyone let it. So every document is checked as it comes, against the ones before and
against what the lobby shows of the table; the first that does not fit raises `Cheat`, and the session refuses to play
and says why. How Deals follow each other is in succession.py. Nothing is sent from here.
"""

from __future__ import annotations

from collections.abc import Callable

from client.succession import Succession, unusual
from engine.deck import ChainBroken, RaceDeck
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.layout import LayoutError
from protocol.messages import Phase, Signed, TableSettings, TableView
from protocol.signing import NO_CONTEXT, Signer, verify

_DEALT_IN = (Phase.OPENING, Phase.COUNTDOWN, Phase.RACING, Phase.SETTLING, Phase.CLOSING)
_RACED = (Phase.RACING, Phase.SETTLING, Phase.CLOSING, Phase.FINISHED)


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
        self._succession = Succession()
        self._nonce = b""
        self._name = ""
        self._own: Signed | None = None
        self._said = False  # and on the seat that we have now
        self._counted = False  # the lobby has shown that it has our Ready for the Deal that stands
        self._taken_back = False  # we have said that we are not ready, and the lobby has not shown that it knows
        self.signed: Signed | None = None
        self.deal: Deal | None = None
        self._new_kind = False  # it has other settings than the Deal before it
        self._hash = bytes(32)
        self._burnt: Signed | None = None
        self._seats: Signed | None = None
        self._start: Signed | None = None
        self._raced = False  # the lobby has shown that the boards are alive
        self.players: tuple[Ready, ...] = ()

    # ── the Deal ────────────────────────────────────────────────────────────────────────────────────────────────

    def dealt(self, signed: Signed, *, missed: bool = False) -> None:
        """Takes a Deal; what was promised for the one before is void. The one that stands changes nothing.

        `missed`: it comes in a Welcome, so that there may have been others in between. Then it may also be one that
        was burnt, which the lobby shows as long as it has no other: it is not answered.
        """
        self._counted = self._counted and not missed  # our seat may be gone by now
        if signed == self.signed and (missed or self._start is None):
            return
        if missed and signed == self._burnt:
            return
        if not verify(self._lobby_key, "deal", NO_CONTEXT, signed.body, signed.signature):
            raise Cheat("deal-signature")
        try:
            deal = Deal.decode(signed.body)
        except LayoutError:
            raise Cheat("deal-layout") from None
        if deal.lobby_key != self._lobby_key:
            raise Cheat("deal-key")
        fault = self._succession.fault(deal, missed=missed)
        if fault:
            raise Cheat(fault)
        self._new_kind = not missed and self._succession.changes_settings(deal)
        self.signed, self.deal, self._hash = signed, deal, document_hash("deal", signed)
        self._succession.take(deal, self._hash)
        self._forget_promises()

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
        if self._raced:
            raise Cheat("burnt-late")
        # Everybody knows this deck now: whatever may come for it is not answered.
        self._burnt, self.signed, self.deal = self.signed, None, None
        self._succession.burn()
        self._forget_promises()

    def played(self, record: bytes = bytes(32)) -> None:
        """The Deal that stands has been raced on; `record` is SHA-256 of its record, once it is announced."""
        if self._start is not None and not self._succession.play(record):
            raise Cheat("record")

    @property
    def seeded(self) -> bool:
        """Whether the Deal that stands is dealt from a seed: a demo or a test (deal.md 2.1)."""
        return self.deal is not None and self.deal.seeded

    @property
    def unusual(self) -> bool:
        """Whether the Deal that stands has other windows than the rules say, or a shorter deck."""
        return self.deal is not None and unusual(self.deal)

    # ── our Ready ───────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def answered(self) -> bool:
        """Whether we have said Ready for the Deal that stands, on the seat that we have."""
        return self._said

    def promise(self, name: str, shown: TableSettings, *, computer: bool) -> Signed | None:
        """Returns our Ready for the Deal that stands, or None if it does not deal what the table shows."""
        if self.deal is None or self.deal.settings != shown:
            return None
        if self._own is None or self._name != name:
            self._nonce, self._name = self._entropy(32), name
            key = self._signer.key
            body = Ready(key, commitment(self._hash, key, self._nonce), name, computer).encode()
            self._own = Signed(body, self._signer.sign("ready", self._hash, body))
        self._said = True
        return self._own

    def unseated(self) -> None:
        """We have no seat: what we have said for one counts for none that we may get."""
        self._said = False

    def take_back(self) -> None:
        """We are not ready any more, or have no seat: the lobby may go on without us."""
        self._counted, self._taken_back = False, True

    # ── what the lobby shows ────────────────────────────────────────────────────────────────────────────────────

    def settings_fit(self, table: TableView) -> None:
        """Holds the settings that a picture shows against the Deal that stands when it is drawn."""
        if self.deal is not None and self.deal.settings != table.settings:
            raise Cheat("deal-settings")

    def shown(self, table: TableView, *, ready: bool) -> None:
        """Holds a picture of the table against the documents; `ready`: it shows that we are."""
        if self._seats is None and table.phase is Phase.OPENING and self._new_kind:
            raise Cheat("deal-settings")  # Again deals the same kind of race (rules 3.7)
        if self._seats is not None and table.phase in _DEALT_IN:
            sitting = [None if seat is None else seat.key for seat in table.seats]
            if sitting != [player.key for player in self.players]:
                raise Cheat("seats-table")
        self._raced = self._raced or (self._start is not None and table.phase in _RACED)
        self._taken_back = self._taken_back and ready
        self._counted = ready and self.answered and not self._taken_back

    # ── Seats and Start ─────────────────────────────────────────────────────────────────────────────────────────

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
        except LayoutError:
            raise Cheat("seats-layout") from None
        try:
            self.players = seats.players(self._hash)
        except LayoutError:
            raise Cheat("seats-ready") from None
        keys = [player.key for player in self.players]
        if len(set(keys)) < len(keys):
            raise Cheat("seats-double")
        if len(keys) > self.deal.settings.seats:
            raise Cheat("seats-many")
        if self._counted and self._signer.key not in keys:
            raise Cheat("seats-missing")
        dealt_in = self._signer.key in keys
        # A program that was started again has forgotten its Ready; the signature shows that it once gave it.
        if dealt_in and self._own is not None and self._own not in seats.readies:
            raise Cheat("seats-other-ready")
        self._seats = signed
        return self._nonce if dealt_in and self._own is not None else b""

    def started(self, signed: Signed, *, again: bool = False) -> Start:
        """Takes the Start: the mix must be made of exactly the nonces that were promised.

        `again`: it comes in a Welcome, and may be the one that we know. There is no other to a Deal.
        """
        if self.deal is None:
            raise Cheat("start-without-deal")
        if self._start is not None and not (again and signed == self._start):
            raise Cheat("start-twice")
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
        self._start = signed
        return start

    def _forget_promises(self) -> None:
        self._own, self._seats, self._start, self.players = None, None, None, ()
        self._said = self._counted = self._taken_back = self._raced = False
