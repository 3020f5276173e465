"""A lobby whose every message is made by hand: it can say what no honest lobby says.

It signs everything rightly until a test makes it wrong, and plays no race by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import msgspec

from client import actions
from client.ending import check_record
from client.events import (
    Acted,
    Checked,
    CheckRecord,
    Connect,
    Connected,
    Disconnect,
    Effect,
    Event,
    Recall,
    Recalled,
    Received,
    Send,
)  # fmt: skip
from client.session import Goal, JoinTable, Session
from engine.deck import Chain
from engine.race import SeatState
from protocol import limits, messages
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.handshake import challenge_body
from protocol.messages import FromClient, FromLobby, Phase, Role, SeatView, Signed, TableSettings, TableView
from protocol.signing import NO_CONTEXT, Signer
from protocol.text import SafeText
from protocol.tick import SeatFigures, Tick
from tests.world import entropy_of

StructT = TypeVar("StructT", bound=msgspec.Struct)
SETTINGS = TableSettings(kind=3, target_exponent=0)
LINKS = 64


class HandLobby:
    """One session and the lobby it talks to. `sent` is what the session has said since it was last looked at."""

    def __init__(
        self,
        *,
        role: Role = Role.PLAYER,
        pinned: str = "",
        expected: frozenset[bytes] = frozenset(),
        goal: Goal | None = None,
    ) -> None:
        self.now_ms = 5_000
        self.signer = Signer(b"l" * 32)
        self.rival = Signer(b"r" * 32)
        self.me = Signer(b"m" * 32)
        self.session = Session(
            signer=self.me,
            name="owl",
            goal=goal or JoinTable("123456"),
            role=role,
            entropy=entropy_of("session"),
            program="test",
            pinned=pinned,
            expected=expected,
        )
        self.chain = Chain(b"c" * 16, b"e" * 32, LINKS)
        self.deal = Deal(
            lobby_key=self.signer.key,
            table_id=b"t" * 16,
            race_number=1,
            chain_id=b"c" * 16,
            anchor=self.chain.anchor,
            chain_length=LINKS,
            settings=SETTINGS,
        )
        self.deal_signed = self.sign("deal", NO_CONTEXT, self.deal.encode())
        self.rival_nonce = b"q" * 32
        self.tick_number = 1 << 32
        self.effects: list[Effect] = []
        self.session.begin(self.now_ms)

    # ── to the session ──

    def handle(self, event: Event) -> list[Effect]:
        self.effects = self.session.handle(event, self.now_ms)
        for effect in self.effects:
            if isinstance(effect, Recall):  # nothing was written down
                self.effects = self.effects + self.session.handle(Recalled(effect.race, b"", ()), self.now_ms)
            if isinstance(effect, CheckRecord):
                answer = Checked(effect, check_record(effect.record, effect.seen))
                self.effects = self.effects + self.session.handle(answer, self.now_ms)
        return self.effects

    def say(self, message: FromLobby) -> list[FromClient]:
        """Says something; returns what the session answers."""
        return self.answers(self.handle(Received(message)))

    def act(self, action: actions.Action) -> list[FromClient]:
        return self.answers(self.handle(Acted(action)))

    @staticmethod
    def answers(effects: list[Effect]) -> list[FromClient]:
        return [effect.message for effect in effects if isinstance(effect, Send)]

    # ── what a lobby says ──

    def sign(self, kind: str, context: bytes, body: bytes, signer: Signer | None = None) -> Signed:
        return Signed(body, (signer or self.signer).sign(kind, context, body))

    @property
    def deal_hash(self) -> bytes:
        return document_hash("deal", self.deal_signed)

    def connect(self, signer: Signer | None = None, protocol: int = limits.PROTOCOL_VERSION) -> list[FromClient]:
        """Answers the session's Hello with a challenge; returns what it says to that."""
        (hello,) = self.answers(self.handle(Connected()))
        assert isinstance(hello, messages.Hello)
        signer = signer or self.signer
        body = challenge_body(hello.nonce, b"y" * 32, protocol)
        signature = signer.sign("challenge", NO_CONTEXT, body)
        return self.say(messages.Challenge(b"y" * 32, signer.key, signature, protocol, SafeText.shown("hand")))

    def next_deal(self, **changes: object) -> Signed:
        """The Deal after this one, which was burnt unless the changes say otherwise; it stands from now on."""
        chain_id = bytes([self.deal.chain_id[0] ^ 1]) * 16
        self.chain = Chain(chain_id, bytes([self.deal.burnt]) * 32, LINKS)
        numbers: dict[str, object] = {"burnt": self.deal.burnt + 1, "previous_deal": self.deal_hash}
        numbers |= {"chain_id": chain_id, "anchor": self.chain.anchor}
        self.deal = replace(self.deal, **{**numbers, **changes})  # type: ignore[arg-type]
        self.deal_signed = self.sign("deal", NO_CONTEXT, self.deal.encode())
        return self.deal_signed

    def view(self, phase: Phase = Phase.SEATING, **changes: object) -> TableView:
        seats = (self.seat(self.rival, "fox"), self.seat(self.me, "owl"))
        view = TableView(
            code="123456", watch_code="654321", phase=phase, settings=SETTINGS, seats=seats, host=self.rival.key,
            locked=False, watchers=0,
        )  # fmt: skip
        return msgspec_replace(view, **changes)

    @staticmethod
    def seat(signer: Signer, name: str, *, ready: bool = False) -> SeatView:
        return SeatView(key=signer.key, name=SafeText.shown(name), computer=False, connected=True, ready=ready)

    def welcome(self, table: TableView | None = None, **changes: object) -> list[FromClient]:
        welcome = messages.Welcome(
            table=table or self.view(), seat=1, lobby_ms=self.now_ms, deal=self.deal_signed, race=messages.RaceView()
        )
        return self.say(msgspec_replace(welcome, **changes))

    def ready(self) -> Signed:
        """Brings the session to its Ready; returns it."""
        self.connect()
        self.welcome()
        (ready,) = [m for m in self.act(actions.SetReady()) if isinstance(m, messages.SayReady)]
        return ready.ready

    def rival_ready(self, **changes: object) -> Signed:
        body = replace(
            Ready(self.rival.key, commitment(self.deal_hash, self.rival.key, self.rival_nonce), "fox"),
            **changes,  # type: ignore[arg-type]
        ).encode()
        return self.sign("ready", self.deal_hash, body, self.rival)

    def seats(self, *readies: Signed) -> Signed:
        return self.sign("seats", self.deal_hash, Seats(readies).encode())

    def opened(self) -> tuple[Signed, bytes]:
        """Brings the session to its opened nonce; returns the Seats and the nonce."""
        seats = self.seats(self.rival_ready(), self.ready())
        answers = self.say(messages.SeatsClosed(seats))
        (nonce,) = [m.nonce for m in answers if isinstance(m, messages.OpenNonce)]
        return seats, nonce

    def start(self, seats: Signed, *nonces: bytes, start_ms: int = 0, **changes: object) -> Signed:
        value = mix(self.deal_hash, document_hash("seats", seats), nonces)
        start: Start = replace(
            Start(value, nonces, start_ms or self.now_ms + 3_000),
            **changes,  # type: ignore[arg-type]
        )
        return self.sign("start", start.mix, start.encode())

    def race(self) -> None:
        """Brings the session into a race whose boards are alive; the first links are there."""
        seats, nonce = self.opened()
        start = self.start(seats, self.rival_nonce, nonce)
        self.mix = Start.decode(start.body).mix
        self.say(messages.Started(start))
        self.say(messages.TableChanged(self.view(Phase.COUNTDOWN), 1))
        self.say(messages.Link(12, self.chain.link(12)))
        self.now_ms += 3_000
        self.say(messages.TableChanged(self.view(Phase.RACING), 1))

    def tick(self, number: int = 1, *, signer: Signer | None = None, seats: int = 2, **figures: int) -> messages.Ticked:
        shown = tuple(SeatFigures(SeatState.MOVING, 0, 0, 0) for _ in range(seats - 1))
        last = SeatFigures(SeatState(figures.get("state", 0)), figures.get("score", 0), 0, 0)
        body = Tick((1 << 32) + number, self.now_ms, (*shown, last)).encode()
        return messages.Ticked(self.sign("tick", self.mix, body, signer))

    def over(self) -> bool:
        """Whether the session has ended, says nothing more and has hung up."""
        return (
            bool(self.session.ending)
            and isinstance(self.effects[-1], Disconnect)
            and not self.answers(self.effects)
            and self.session.deadline is None
            and self.handle(Connected()) == []
        )


def msgspec_replace(struct: StructT, **changes: object) -> StructT:
    """Returns a copy of a message with other fields."""
    return msgspec.structs.replace(struct, **changes)


def connects(effects: list[Effect]) -> list[int]:
    return [effect.after_ms for effect in effects if isinstance(effect, Connect)]
