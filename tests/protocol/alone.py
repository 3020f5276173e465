"""Records of games alone for tests, true and false: entries as the game allows them, or as no game would."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from engine.board import Direction
from engine.deck import seed_of_text
from engine.digest import u8, u32, u64
from engine.solo import Act, SoloKind, act_of
from protocol.layout import varint
from protocol.signing import Signer
from protocol.solo import HEAD, Opening, Origin, RaceDeckPapers, encode_seal
from protocol.solo_verdict import sign_solo

FOX, OWL = Signer(hashlib.sha256(b"fox alone").digest()), Signer(hashlib.sha256(b"owl alone").digest())
BEGUN_MS = 1_796_050_000_000
UP_FIRST = tuple(Direction)
DOWN_FIRST = UP_FIRST[::-1]
MOVES = frozenset((Act.UP, Act.RIGHT, Act.DOWN, Act.LEFT))


def on_text(text: str, size: int = 3, target_exponent: int = 4, origin: Origin = Origin.TEXT) -> Opening:
    """Returns an opening on the deck of a text, of an endless game if the target is 0."""
    return Opening(
        size=size,
        kind=SoloKind.CLASSIC if target_exponent else SoloKind.ENDLESS,
        target_exponent=target_exponent,
        origin=origin,
        deck=seed_of_text(text),
        key=FOX.key,
        name="fox",
        text=text,
        begun_ms=BEGUN_MS,
    )


def by_chance(size: int = 4, target_exponent: int = 5, name: str = "fox") -> Opening:
    """Returns an opening whose seed is from no text."""
    seed = sha256(f"chance {size}".encode()).digest()
    return replace(on_text("", size, target_exponent), origin=Origin.CHANCE, deck=seed, name=name)


def against_ghost(deck: bytes | RaceDeckPapers, size: int = 4, target_exponent: int = 5) -> Opening:
    """Returns an opening on the deck of a game that was recorded."""
    return replace(by_chance(size, target_exponent), origin=Origin.GHOST, deck=deck)


class Alone:
    """A game alone and its record so far; a thing is done 100 ms after the one before, the first at 0."""

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self.solo = opening.start()
        self.data = opening.encode()
        self.t_ms = 0
        self.has_begun = False

    def do(self, *acts: Act, after_ms: int = 100) -> Alone:
        """Does what can be done."""
        for act in acts:
            self.force(act, after_ms=after_ms)
            assert self.solo.apply(act, self.t_ms), f"{act} cannot be here"
        return self

    def force(self, act: int, after_ms: int = 100) -> Alone:
        """Writes an entry, whether it can be there or not."""
        passed_ms = after_ms if self.has_begun else 0
        self.has_begun = True
        self.t_ms += passed_ms
        self.data += u8(act) + varint(passed_ms)
        return self

    def legal(self, order: Iterable[Direction] = UP_FIRST) -> Act:
        """Returns the first of the moves that is legal."""
        return act_of(next(d for d in order if d in self.solo.game.board.legal_directions()))

    def illegal(self) -> Act:
        """Returns a move that is not."""
        return next(act for act in sorted(MOVES) if act - 1 not in self.solo.game.board.legal_directions())

    def play(self, moves: int = 1_000_000, order: Iterable[Direction] = UP_FIRST) -> Alone:
        """Makes so many moves, or as many as there are."""
        for _ in range(moves):
            if self.solo.game.stuck:
                break
            self.do(self.legal(order))
        return self

    def make(self) -> Alone:
        """Plays until the target is made."""
        while self.solo.made is None:
            self.do(self.legal())
        return self

    def seal(self, signer: Signer = FOX) -> Alone:
        """Signs everything so far."""
        self.data += encode_seal(sign_solo(signer, sha256(self.data).digest()))
        return self

    def add(self, *parts: bytes) -> Alone:
        """Writes bytes, whatever they are."""
        self.data += b"".join(parts)
        return self


def head_of(body: bytes, length: int | None = None) -> bytes:
    """Returns the head of a file and an Opening, or what claims to be one of another length."""
    return HEAD + u32(len(body) if length is None else length) + body


def body_of(opening: Opening, *, text: bytes | None = None, name: bytes | None = None) -> bytes:
    """Returns the body of an Opening, with a text or a name that is perhaps none."""
    text = opening.text.encode() if text is None else text
    name = opening.name.encode() if name is None else name
    deck = u8(0) + opening.deck if isinstance(opening.deck, bytes) else u8(1) + opening.deck.encode()
    numbers = u8(1) + u8(opening.size) + u8(opening.kind) + u8(opening.target_exponent) + u8(opening.origin)
    return numbers + deck + u8(len(text)) + text + u64(opening.begun_ms) + opening.key + u8(len(name)) + name


def resealed(data: bytes, signer: Signer = FOX) -> bytes:
    """Returns bytes with a seal of fox behind them."""
    return data + encode_seal(sign_solo(signer, sha256(data).digest()))
