"""protocol/SPEC.md: what it says is what the code does.

The vectors in it are frozen: a change of the code that changes one of them is a new protocol version.
"""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from engine.board import Direction
from engine.deck import Chain, DealtDeck, draws_of_link, seed_of_text
from engine.digest import digest, u32
from engine.game import Game
from engine.race import Outcome, SeatState, Termination
from engine.solo import Act as SoloAct
from engine.solo import SoloKind, act_of
from protocol import messages
from protocol.codec import encode
from protocol.deal import Deal, Ready, Seats, Start, commitment, document_hash, mix
from protocol.faults import Fault
from protocol.handshake import challenge_body, proof_body
from protocol.limits import PROTOCOL_VERSION, Windows
from protocol.messages import Hello, Role, Signed, Slice, TableSettings
from protocol.movelog import Act, MoveLog, SealBody
from protocol.record import Correction, EventKind, Gap, RecordEvent, SeatLog, SeatResult, build_record
from protocol.refusals import Refusal
from protocol.signing import NO_CONTEXT, Signer, fingerprint
from protocol.solo import Opening, Origin, encode_act, encode_seal
from protocol.solo_verdict import SoloFault, sign_solo, verify_solo
from protocol.text import SafeText
from protocol.tick import OfferFigures, SeatFigures, Tick
from protocol.verdict import Trust, verify_record

SPEC = (Path(__file__).parents[2] / "protocol" / "SPEC.md").read_text(encoding="utf-8")


def run(first: int, length: int = 32) -> bytes:
    """The bytes that the specification calls first … : counting up from `first`."""
    return bytes(range(first, first + length))


LOBBY, FOX, OWL = Signer(run(0x00)), Signer(run(0x20)), Signer(run(0x40))
NONCES = (run(0x60), run(0x80))
CHAIN = Chain(run(0xA0, 16), run(0xC0), 8)
CLIENT_NONCE, LOBBY_NONCE = run(0xE0), run(0x10)
SETTINGS = TableSettings(seats=2, size=3, kind=1, target_exponent=3)
DEAL = Deal(
    lobby_key=LOBBY.key,
    table_id=run(0xB0, 16),
    race_number=1,
    chain_id=CHAIN.chain_id,
    anchor=CHAIN.anchor,
    chain_length=8,
    settings=SETTINGS,
)


def stated() -> dict[str, str]:
    """The vectors that stand in the specification."""
    vectors: dict[str, str] = {}
    name = ""
    for block in re.findall(r"^```vectors\n(.*?)^```", SPEC, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith(" "):
                vectors[name] += line.strip()
            else:
                name, _, value = line.partition(" = ")
                vectors[name] = value
    return vectors


def tables(heading: str) -> list[list[str]]:
    """The rows of all tables in the section with this heading, each as its cells."""
    section = SPEC.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    assert rows, heading
    return rows


class Player:
    """A seat of the race in the vectors: always the first legal of up, right, down, left."""

    def __init__(self, seat: int, signer: Signer, m: bytes, deck: DealtDeck) -> None:
        self.seat, self.signer, self.mix = seat, signer, m
        self.log = MoveLog(m, seat, signer.key)
        self.heads = [self.log.head]
        self.game = Game(3, deck)

    def move(self, t_ms: int) -> None:
        direction = next(d for d in Direction if self.game.move(d) is not None)
        self.log.append(direction, t_ms)
        self.heads.append(self.log.head)

    def seal(self, act: Act, number: int = 1) -> Signed:
        return SealBody(self.seat, number, len(self.log), self.log.head, 1 << 32 | 1, act).sign(self.signer, self.mix)


def opened() -> tuple[dict[str, bytes], Signed, Signed, Signed, bytes]:
    """The documents of the race: Deal, Readies, Seats, Start."""
    deal = Signed(DEAL.encode(), LOBBY.sign("deal", NO_CONTEXT, DEAL.encode()))
    deal_hash = document_hash("deal", deal)
    promises = [commitment(deal_hash, signer.key, nonce) for signer, nonce in zip((FOX, OWL), NONCES, strict=True)]
    bodies = [Ready(FOX.key, promises[0], "fox").encode(), Ready(OWL.key, promises[1], "owl", computer=True).encode()]
    readies = [
        Signed(body, signer.sign("ready", deal_hash, body)) for signer, body in zip((FOX, OWL), bodies, strict=True)
    ]
    seats_body = Seats(tuple(readies)).encode()
    seats = Signed(seats_body, LOBBY.sign("seats", deal_hash, seats_body))
    m = mix(deal_hash, document_hash("seats", seats), NONCES)
    start_body = Start(m, NONCES, 1_000_000).encode()
    start = Signed(start_body, LOBBY.sign("start", m, start_body))
    vectors = {
        "deal": deal.body,
        "deal.signature": deal.signature,
        "deal.hash": deal_hash,
        "fox.commitment": promises[0],
        "fox.ready": readies[0].body,
        "fox.ready.signature": readies[0].signature,
        "owl.ready": readies[1].body,
        "owl.ready.signature": readies[1].signature,
        "seats": seats.body,
        "seats.signature": seats.signature,
        "seats.hash": document_hash("seats", seats),
        "mix": m,
        "start": start.body,
        "start.signature": start.signature,
    }
    return vectors, deal, seats, start, m


def played() -> dict[str, bytes]:
    """The race: fox makes an 8, owl has made two moves, the second of which came late."""
    documents, deal, seats, start, m = opened()
    deck = DealtDeck(CHAIN, m)
    fox, owl = Player(0, FOX, m, deck), Player(1, OWL, m, deck)
    owl.move(130)
    owl.move(140)
    while fox.game.max_exponent < 3:
        fox.move(fox.log.last_ms + 100)
    target, end = fox.seal(Act.TARGET), owl.seal(Act.END)
    logs = [
        SeatLog(bytes(fox.log.directions), tuple(fox.log.times), (), target),
        SeatLog(bytes(owl.log.directions), tuple(owl.log.times), (Correction(2, 550, 400),), end),
    ]
    results = [
        SeatResult(SeatState.MOVING, player.game.score, player.game.max_exponent, len(player.log), 0)
        for player in (fox, owl)
    ]
    record = build_record(
        deal=deal,
        seats=seats,
        start=start,
        logs=logs,
        last_link=CHAIN.link(8),
        outcome=Outcome(Termination.TARGET, (0,), fox.log.last_ms),
        results=results,
        signer=LOBBY,
    )
    key = digest("draw", m, u32(1), CHAIN.link(1))
    gap = Gap(1_000, 4_000).encode()
    return documents | {
        "link.8": CHAIN.link(8),
        "link.7": CHAIN.link(7),
        "anchor": CHAIN.anchor,
        "key.1": key,
        "draws.0-3": b"".join(bytes([d.exponent]) + d.lot.to_bytes(8, "big") for d in draws_of_link(key, 1)[:4]),
        "fox.directions": bytes(fox.log.directions),
        "fox.head.0": fox.heads[0],
        "fox.head.1": fox.heads[1],
        "fox.head.2": fox.heads[2],
        "fox.slice": fox.log.slice(0, 1 << 32 | 1).encode(0),
        "fox.seal": target.body,
        "fox.seal.signature": target.signature,
        "event": RecordEvent(EventKind.FORFEITED, 1, 61_000, 2).encode(),
        "event.with-seal": RecordEvent(EventKind.RESIGNED, 0, 900, 4, 0, fox.seal(Act.RESIGN, 2)).encode(),
        "owl.log": logs[1].encode(),
        "gap": gap,
        "gap.signature": LOBBY.sign("gap", m, gap),
        "record": record,
    }


def told() -> dict[str, bytes]:
    """The handshake, a tick, and a few frames."""
    m = opened()[-1]
    challenge = challenge_body(CLIENT_NONCE, LOBBY_NONCE, PROTOCOL_VERSION)
    proof = proof_body(LOBBY.key, LOBBY_NONCE, FOX.key, Role.PLAYER, PROTOCOL_VERSION)
    figures = (SeatFigures(SeatState.MOVING, 12, 3, 3), SeatFigures(SeatState.STUCK, 4, 2, 2, True, 2_000_000))
    tick = Tick(1 << 32 | 1, 1_001_000, figures).encode()
    offer = Tick(1 << 32 | 2, 1_001_500, figures, OfferFigures(9, 1, (1,), 1_031_500)).encode()
    return {
        "lobby.key": LOBBY.key,
        "fox.key": FOX.key,
        "owl.key": OWL.key,
        "challenge": challenge,
        "challenge.signature": LOBBY.sign("challenge", NO_CONTEXT, challenge),
        "proof": proof,
        "proof.signature": FOX.sign("proof", NO_CONTEXT, proof),
        "tick": tick,
        "tick.signature": LOBBY.sign("tick", m, tick),
        "tick.with-offer": offer,
        "frame.hello": encode(Hello(CLIENT_NONCE, PROTOCOL_VERSION, SafeText("spec"))),
        "frame.slice": encode(Slice(b"\x00\x01", Signed(b"\x02", bytes(64)))),
        "frame.stand": encode(messages.Stand()),
        "hash.text": digest("text", u32(5), b"hello"),
    }


def played_alone() -> dict[str, bytes]:
    """The game of fox alone: an 8 is made, taken back, and made again."""
    opening = Opening(
        size=3,
        kind=SoloKind.CLASSIC,
        target_exponent=3,
        origin=Origin.TEXT,
        deck=seed_of_text("spec"),
        key=FOX.key,
        name="fox",
        text="spec",
    )
    solo, data = opening.start(), opening.encode()

    def do(act: SoloAct, t_ms: int) -> None:
        nonlocal data
        before_ms = solo.t_ms
        assert solo.apply(act, t_ms)
        data += encode_act(act, t_ms, before_ms)

    t_ms = 0
    last = SoloAct.UP
    while solo.made is None:
        last = act_of(solo.game.board.legal_directions()[0])
        do(last, t_ms)
        t_ms += 100
    for act in (SoloAct.UNDO, last, SoloAct.WENT_ON):
        do(act, t_ms)
        t_ms += 100
    do(SoloAct.LEFT_OFF, t_ms + 900)
    return {"solo.record": data + encode_seal(sign_solo(FOX, sha256(data).digest()))}


def vectors() -> dict[str, str]:
    """The vectors as the code makes them."""
    made = {name: value.hex() for name, value in (told() | played() | played_alone()).items()}
    return made | {"lobby.fingerprint": fingerprint(LOBBY.key)}


VECTORS = vectors()


@pytest.mark.parametrize("name", VECTORS)
def test_a_vector_is_what_the_code_makes(name):
    assert stated()[name] == VECTORS[name]


def test_the_specification_has_no_other_vectors():
    assert stated().keys() == VECTORS.keys()


def test_the_record_of_the_specification_is_true():
    verdict = verify_record(bytes.fromhex(stated()["record"]))
    assert verdict.ok, verdict.reason
    assert verdict.outcome is not None
    assert (verdict.outcome.termination, verdict.outcome.winners) == (Termination.TARGET, (0,))
    assert verdict.trusts == (Trust.TIMES, Trust.LOGS, Trust.CORRECTIONS)


@pytest.mark.parametrize(
    ("heading", "union"),
    [("Messages from the client", messages.FromClient), ("Messages from the lobby", messages.FromLobby)],
)
def test_every_message_is_listed_with_its_fields(heading, union):
    listed = {row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in tables(heading)}
    types = {message.__struct_config__.tag: list(message.__struct_fields__) for message in union.__args__}
    assert listed == types


@pytest.mark.parametrize(
    "struct",
    [
        messages.TableSettings,
        messages.TableView,
        messages.SeatView,
        messages.TallyView,
        messages.RaceView,
        messages.OwnGame,
    ],
)
def test_every_part_of_a_message_is_listed_with_its_fields(struct):
    listed = {row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in tables("Parts of messages")}
    assert listed[struct.__name__] == list(struct.__struct_fields__)


def test_every_refusal_is_listed():
    assert [row[0].strip("`") for row in tables("Refusals")] == [code.value for code in Refusal]


def test_the_windows_are_listed_in_their_order_with_their_defaults():
    listed = {row[0].strip("`"): int(row[1].replace(",", "")) for row in tables("Windows")}
    assert list(listed.items()) == [(name, getattr(Windows(), name)) for name in Windows.__struct_fields__]


def test_every_trust_is_listed():
    section = SPEC.split("\n### What rests on the lobby's word\n", 1)[1].split("\n## ", 1)[0]
    assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == [trust.value for trust in Trust]


def test_every_fault_has_its_step():
    section = SPEC.split("\n## Verifying a record\n", 1)[1].split("\n**Pace.**", 1)[0]
    steps = [row.split("|")[2] for row in section.splitlines() if row.startswith("|")]
    listed = {code for step in steps for code in re.findall(r"`([a-z-]+)`", step)}
    assert listed == {fault.value for fault in Fault}


def test_the_game_alone_of_the_specification_is_true_and_signed_to_its_end():
    verdict = verify_solo(bytes.fromhex(stated()["solo.record"]))
    assert (verdict.ok, verdict.unsigned) == (True, 0), verdict.reason
    assert verdict.solo is not None
    assert (verdict.solo.undos, verdict.solo.game.max_exponent) == (1, 3)


def test_every_fault_of_a_game_alone_has_its_step():
    section = SPEC.split("\n### Verifying a game alone\n", 1)[1].split("\n## ", 1)[0]
    rows = [row.strip("| ").split("|")[-1].strip(" `") for row in section.splitlines() if row.startswith("|")]
    assert rows[2:] == [fault.value for fault in SoloFault]
