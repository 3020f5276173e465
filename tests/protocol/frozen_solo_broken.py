"""Broken records of games alone to freeze in tests/vectors/records/solo/broken, each with the one thing that is wrong.

Those that a player could have made are sealed by their player all the same.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from engine.solo import Act, SoloKind
from protocol.signing import NO_CONTEXT, Signer
from protocol.solo import MAGIC, Opening, Origin, encode_seal
from protocol.solo_verdict import SoloFault
from tests.protocol.alone import (
    FOX,
    OWL,
    Alone,
    against_ghost,
    body_of,
    by_chance,
    head_of,
    on_text,
    resealed,
)
from tests.protocol.frozen_solo import COMPOSED, race_papers
from tests.protocol.races import secret

GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493


def opened(opening: Opening, *, text: bytes | None = None, name: bytes | None = None) -> bytes:
    """Returns a record of no moves, sealed, whose opening is perhaps none."""
    return resealed(head_of(body_of(opening, text=text, name=name)))


def opening_with(place: int, value: int, opening: Opening | None = None) -> bytes:
    """Returns one in whose opening a byte is another."""
    body = bytearray(body_of(opening or by_chance()))
    body[place] = value
    return resealed(head_of(bytes(body)))


def deck_of_no_sort() -> bytes:
    """A race's deck that says it is of sort 2."""
    return opening_with(5, 2, against_ghost(RACE))


def with_behind(extra: bytes) -> bytes:
    """Returns one with bytes where the next entry would be, and a seal behind them."""
    return resealed(Alone(by_chance()).play(9).data + extra)


def too_long_an_opening() -> bytes:
    """Its length says 1,025 bytes, which are there."""
    return resealed(head_of(body_of(by_chance()).ljust(1_025, b"\0")))


def hashed_apart() -> bytes:
    """The deck is that of the text as it stands, not of its NFC."""
    apart = unicodedata.normalize("NFD", COMPOSED).encode()
    seed = hashlib.sha256(b"race2048/1/text\0" + len(apart).to_bytes(4, "big") + apart).digest()
    return opened(replace(on_text(COMPOSED), deck=seed), text=apart)


def six_undos() -> Alone:
    """Eight moves, of which six are taken back."""
    return Alone(by_chance()).play(8).do(*[Act.UNDO] * 5).force(Act.UNDO)


def undone_below_the_stack() -> Alone:
    """Five are taken back, one is made: what can be taken back is that one."""
    return Alone(by_chance()).play(8).do(*[Act.UNDO] * 5).play(1).do(Act.UNDO).force(Act.UNDO)


def moved_from_what_was_undone() -> Alone:
    """A move that was legal only on the board that was taken back."""
    for number in range(1_000):
        game = Alone(on_text(f"undone {number}")).play(20)
        after = set(game.solo.game.board.legal_directions())
        game.do(Act.UNDO)
        for direction in sorted(after - set(game.solo.game.board.legal_directions())):
            return game.force(direction + 1)
    raise AssertionError("no such game")


def gone_on_twice() -> Alone:
    """The target is made, taken back and made again, and each time the player goes on."""
    game = Alone(on_text("twice")).make().do(Act.WENT_ON, Act.UNDO).play(1)
    return game.force(Act.WENT_ON)


def after_end(code: int) -> Alone:
    """An entry after the end."""
    return Alone(on_text("after")).make().do(Act.ENDED).force(code)


def signed_as(kind: str, context: bytes = NO_CONTEXT, *, whole: bool = False) -> bytes:
    """Returns one whose seal is of another kind or context, or over the bytes themselves."""
    data = Alone(by_chance()).play(9).data
    body = data if whole else hashlib.sha256(data).digest()
    return data + encode_seal(FOX.sign(kind, context, body))


def stretched() -> bytes:
    """The seal with S + the order of the group, which says the same and is not the one canonical form."""
    data = Alone(by_chance()).play(9).seal().data
    scalar = int.from_bytes(data[-32:], "little") + GROUP_ORDER
    return data[:-32] + scalar.to_bytes(32, "little")


def signed_by_nobody() -> bytes:
    """A key of small order, with a signature that holds for it whatever is signed: R is the neutral point, S is 0."""
    key = b"\x01" + bytes(31)
    return Alone(replace(by_chance(), key=key)).play(9).data + encode_seal(key + bytes(32))


def retimed() -> bytes:
    """A move at another time than the one that was signed."""
    data = bytearray(Alone(by_chance()).play(9).seal().data)
    data[-66] += 1
    return bytes(data)


def cut_before_its_seal() -> bytes:
    """The last move is cut out, the seal over it stays."""
    data = Alone(by_chance()).play(9).seal().data
    return data[:-67] + data[-65:]


def of_another_game() -> bytes:
    """A seal of the same player, of another game."""
    return Alone(by_chance()).play(9).data + Alone(by_chance()).play(8).seal().data[-65:]


def forced_illegal(moves: int, *, has_seal: bool = False) -> Alone:
    """An illegal move after so many, in the first game that has one there; `has_seal`: behind a seal."""
    for number in range(1_000):
        game = Alone(on_text(f"illegal {number}", 4)).play(moves)
        if len(game.solo.game.board.legal_directions()) < 4:
            return (game.seal() if has_seal else game).force(game.illegal())
    raise AssertionError("no such game")


def past_the_deck() -> Alone:
    """A move that the board would allow, after the last that the deck has."""
    game = Alone(against_ghost(race_papers(links=1), size=3, target_exponent=0)).play()
    assert game.solo.game.deck_used_up
    return game.force(game.legal())


def moved_after_end() -> Alone:
    """A legal move after the end."""
    game = Alone(on_text("after")).play(9).do(Act.ENDED)
    return game.force(game.legal())


def sealed(make: Callable[[], Alone]) -> Callable[[], bytes]:
    """Returns what makes the record with a seal of fox at its end."""
    return lambda: make().seal().data


CHANCE = by_chance()
DAILY = Origin.DAILY
RACE = race_papers()
NOT, VERSION, LAYOUT = SoloFault.NOT_A_RECORD, SoloFault.VERSION, SoloFault.LAYOUT
ACT, SEAL = SoloFault.ACT, SoloFault.SEAL

BROKEN_ALONE: dict[str, tuple[SoloFault, Callable[[], bytes]]] = {
    "another-file": (NOT, lambda: b"Solo2048" + Alone(CHANCE).seal().data[8:]),
    "half-a-head": (NOT, lambda: MAGIC[:4]),
    "version-0": (VERSION, lambda: resealed(MAGIC + b"\0" + Alone(CHANCE).data[9:])),
    "version-2": (VERSION, lambda: resealed(MAGIC + b"\2" + Alone(CHANCE).data[9:])),
    "head-without-a-version": (LAYOUT, lambda: MAGIC),
    "head-alone": (LAYOUT, lambda: MAGIC + b"\1"),
    "cut-off-in-the-opening": (LAYOUT, lambda: Alone(CHANCE).data[:-1]),
    "cut-off-in-a-move": (LAYOUT, lambda: Alone(CHANCE).play(9).data[:-1]),
    "cut-off-in-a-time": (LAYOUT, lambda: Alone(CHANCE).play(9).do(Act.LEFT_OFF, after_ms=200).data[:-1]),
    "cut-off-in-a-seal": (LAYOUT, lambda: Alone(CHANCE).play(9).seal().data[:-1]),
    "opening-of-1025-bytes": (LAYOUT, too_long_an_opening),
    "opening-with-more-behind": (LAYOUT, lambda: resealed(head_of(body_of(CHANCE) + b"\0"))),
    "opening-too-short": (LAYOUT, lambda: resealed(head_of(body_of(CHANCE), len(body_of(CHANCE)) - 1))),
    "opening-of-rules-2": (LAYOUT, lambda: opening_with(0, 2)),
    "opening-of-size-7": (LAYOUT, lambda: opening_with(1, 7)),
    "opening-of-kind-3": (LAYOUT, lambda: opening_with(2, 3)),
    "opening-of-kind-0": (LAYOUT, lambda: opening_with(2, 0)),
    "opening-of-kind-3-without-a-target": (LAYOUT, lambda: opening_with(2, 3, by_chance(4, 0))),
    "opening-of-target-2": (LAYOUT, lambda: opening_with(3, 2)),
    "opening-of-target-18-on-4x4": (LAYOUT, lambda: opening_with(3, 18)),
    "opening-of-endless-with-a-target": (LAYOUT, lambda: opened(replace(CHANCE, kind=SoloKind.ENDLESS))),
    "opening-of-classic-without-a-target": (LAYOUT, lambda: opening_with(3, 0)),
    "opening-of-origin-0": (LAYOUT, lambda: opening_with(4, 0)),
    "opening-of-origin-5": (LAYOUT, lambda: opening_with(4, 5)),
    "deck-of-sort-2": (LAYOUT, lambda: opening_with(5, 2)),
    "deck-of-sort-2-of-a-race": (LAYOUT, deck_of_no_sort),
    "deck-of-a-race-by-chance": (LAYOUT, lambda: opened(replace(CHANCE, deck=RACE))),
    "deck-of-a-race-from-a-text": (LAYOUT, lambda: opened(replace(on_text("race"), deck=RACE))),
    "deck-of-no-links": (LAYOUT, lambda: opened(against_ghost(replace(RACE, chain_length=0)))),
    "deck-of-16385-links": (LAYOUT, lambda: opened(against_ghost(replace(RACE, chain_length=16_385)))),
    "chance-with-a-text": (LAYOUT, lambda: opened(replace(CHANCE, text="chance"))),
    "ghost-with-a-text": (LAYOUT, lambda: opened(replace(against_ghost(RACE), text="ghost"))),
    "text-of-another-deck": (LAYOUT, lambda: opened(replace(on_text("this"), text="that"))),
    "text-hashed-not-in-nfc": (LAYOUT, hashed_apart),
    "text-that-is-no-text": (LAYOUT, lambda: opened(on_text("text"), text=b"\xc3")),
    "name-that-is-no-text": (LAYOUT, lambda: opened(CHANCE, name=b"f\xff")),
    "name-with-half-a-pair": (LAYOUT, lambda: opened(CHANCE, name=b"\xed\xa0\x80")),
    "name-written-too-long": (LAYOUT, lambda: opened(CHANCE, name=b"\xc1\xa6ox")),
    "daily-of-another-size": (LAYOUT, lambda: opened(on_text("daily/2026-11-30/5", 4, 11, DAILY))),
    "daily-without-a-size": (LAYOUT, lambda: opened(on_text("daily/2026-11-30", origin=DAILY))),
    "daily-of-a-short-month": (LAYOUT, lambda: opened(on_text("daily/2026-1-130/3", origin=DAILY))),
    "daily-in-other-digits": (LAYOUT, lambda: opened(on_text("daily/2026-11-3\u0660/3", origin=DAILY))),
    "daily-with-more-before": (LAYOUT, lambda: opened(on_text("a daily/2026-11-30/3", origin=DAILY))),
    "daily-of-a-long-year": (LAYOUT, lambda: opened(on_text("daily/12026-11-30/3", origin=DAILY))),
    "daily-with-a-line-end": (LAYOUT, lambda: opened(on_text("daily/2026-11-30/3\n", origin=DAILY))),
    "entry-0": (LAYOUT, lambda: with_behind(b"\x00\x00")),
    "entry-10": (LAYOUT, lambda: with_behind(b"\x0a\x00")),
    "long-varint": (LAYOUT, lambda: with_behind(b"\x06\x80\x00")),
    "varint-of-33-bits": (LAYOUT, lambda: with_behind(b"\x06\x80\x80\x80\x80\x10")),
    "varint-of-six-bytes": (LAYOUT, lambda: with_behind(b"\x06\x80\x80\x80\x80\x80\x01")),
    "time-in-50-days": (LAYOUT, lambda: with_behind(b"\x06\xff\xff\xff\xff\x0f")),
    "illegal-move-and-cut-off": (LAYOUT, lambda: after_end(1).add(b"\x09").data),
    "illegal-move": (ACT, sealed(lambda: forced_illegal(9))),
    "illegal-first-move": (ACT, sealed(lambda: forced_illegal(0))),
    "move-when-stuck": (ACT, sealed(lambda: Alone(on_text("stuck")).play().force(Act.UP))),
    "move-on-a-deck-used-up": (ACT, sealed(past_the_deck)),
    "move-from-what-was-undone": (ACT, sealed(moved_from_what_was_undone)),
    "undo-of-nothing": (ACT, sealed(lambda: Alone(CHANCE).force(Act.UNDO))),
    "undo-of-a-sixth": (ACT, sealed(six_undos)),
    "undo-of-what-fell-out": (ACT, sealed(undone_below_the_stack)),
    "undo-against-a-ghost": (ACT, sealed(lambda: Alone(against_ghost(RACE)).play(9).force(Act.UNDO))),
    "undo-against-a-ghost-alone": (
        ACT,
        sealed(lambda: Alone(against_ghost(secret("ghost"))).play(9).force(Act.UNDO)),
    ),
    "goes-on-before-the-target": (ACT, sealed(lambda: Alone(on_text("soon")).play(3).force(Act.WENT_ON))),
    "goes-on-in-an-endless-game": (
        ACT,
        sealed(lambda: Alone(on_text("endless 2", target_exponent=0)).play(40).force(Act.WENT_ON)),
    ),
    "goes-on-twice": (ACT, sealed(gone_on_twice)),
    "move-after-the-end": (ACT, sealed(moved_after_end)),
    "undo-after-the-end": (ACT, sealed(lambda: after_end(Act.UNDO))),
    "left-off-after-the-end": (ACT, sealed(lambda: after_end(Act.LEFT_OFF))),
    "goes-on-after-the-end": (ACT, sealed(lambda: after_end(Act.WENT_ON))),
    "ended-twice": (ACT, sealed(lambda: after_end(Act.ENDED))),
    "illegal-move-behind-a-true-seal": (ACT, lambda: forced_illegal(9, has_seal=True).data),
    "illegal-move-under-a-false-seal": (ACT, lambda: forced_illegal(9).seal(OWL).data),
    "seal-by-another-key": (SEAL, lambda: Alone(CHANCE).play(9).seal(OWL).data),
    "seal-by-another-key-alone": (SEAL, lambda: Alone(CHANCE).seal(OWL).data),
    "seal-by-another-key-before-a-tail": (SEAL, lambda: Alone(CHANCE).play(9).seal(OWL).play(9).data),
    "false-seal-after-a-true-one": (SEAL, lambda: Alone(CHANCE).play(9).seal().play(9).seal(OWL).data),
    "seal-of-another-game": (SEAL, of_another_game),
    "seal-of-another-kind": (SEAL, lambda: signed_as("seal")),
    "seal-in-another-context": (SEAL, lambda: signed_as("solo", secret("context"))),
    "seal-over-the-bytes-themselves": (SEAL, lambda: signed_as("solo", whole=True)),
    "seal-not-canonical": (SEAL, stretched),
    "seal-by-a-key-of-small-order": (SEAL, signed_by_nobody),
    "move-retimed": (SEAL, retimed),
    "move-cut-out": (SEAL, cut_before_its_seal),
    "key-of-somebody-else": (SEAL, lambda: Alone(replace(CHANCE, key=Signer(secret("key")).key)).play(9).seal().data),
}
