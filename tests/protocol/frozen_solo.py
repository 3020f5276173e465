"""True records of games alone to freeze in tests/vectors/records/solo/true, of every sort, and what is found in them.

The broken ones are frozen_solo_broken.py's.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

from engine.solo import Act
from protocol.solo import Origin, RaceDeckPapers
from protocol.solo_verdict import SoloVerdict
from tests.protocol.alone import (
    DOWN_FIRST,
    OWL,
    Alone,
    against_ghost,
    body_of,
    by_chance,
    head_of,
    on_text,
    resealed,
)
from tests.protocol.races import TARGET_8, MadeRace, secret

HOSTILE = "\x1b[2J\u202efox\0"
COMPOSED = unicodedata.normalize("NFC", "Їжак, größer, 각")


def found_alone(verdict: SoloVerdict) -> dict[str, object]:
    """Returns a verdict as it stands in expected.json."""
    if verdict.record is None or verdict.solo is None or not verdict.ok:
        return {"fault": str(verdict.fault)}
    opening, solo = verdict.record.opening, verdict.solo
    made = solo.made
    return {
        "fault": "",
        "size": opening.size,
        "kind": int(opening.kind),
        "target": opening.target_exponent,
        "origin": int(opening.origin),
        "t_ms": solo.t_ms,
        "score": solo.game.score,
        "max_exponent": solo.game.max_exponent,
        "moves": solo.game.moves,
        "undos": solo.undos,
        "made": made and {"t_ms": made.t_ms, "moves": made.moves, "undos": made.undos},
        "goes_on": solo.went_on,
        "stuck": solo.game.stuck,
        "ended": solo.ended,
        "unsealed": verdict.unsigned,
        "board": solo.game.board.cells.hex(),
    }


def race_papers(seed: bytes = b"", links: int = 32) -> RaceDeckPapers:
    """Returns what the deck of a race is dealt from, of a seeded one if there is a seed."""
    race = MadeRace(TARGET_8, seed=seed, links=links)
    chain = race.chain
    return RaceDeckPapers(chain.chain_id, chain.length, chain.link(chain.length), race.deal.deck_mix(race.mix))


def made_by_the_last_move() -> Alone:
    """The move that makes the target leaves no other (rules 2.3)."""
    game = Alone(on_text("last 23", target_exponent=6)).play()
    assert game.solo.made is not None
    assert game.solo.made.moves == game.solo.game.moves
    return game.seal()


def undone_to_five() -> Alone:
    """Five moves back and on another way, one by one back and on, and five of nine back at the end."""
    game = Alone(on_text("undo")).play(12)
    game.do(*[Act.UNDO] * 5).play(3, DOWN_FIRST).do(*[Act.UNDO] * 3)
    for _ in range(7):
        game.play(1, DOWN_FIRST).do(Act.UNDO)
    return game.play(9, DOWN_FIRST).do(*[Act.UNDO] * 5).seal()


def undone_when_stuck() -> Alone:
    """Stuck, and on from three moves before, another way; stuck again and taken back again."""
    game = Alone(on_text("stuck and back", target_exponent=0)).play()
    game.do(*[Act.UNDO] * 3).play(order=DOWN_FIRST)
    assert game.solo.game.stuck
    return game.do(Act.UNDO).seal()


def target_taken_back() -> Alone:
    """The target is made and taken back; the player goes on without it, makes it again and ends the game."""
    game = Alone(on_text("taken back")).make().do(Act.UNDO, Act.WENT_ON)
    assert game.solo.game.max_exponent < 4
    return game.play(30).do(Act.ENDED).seal()


def left_off_often() -> Alone:
    """Left off before the first move, twice in a row, after an undo, with a seal each time and without."""
    game = Alone(by_chance(5)).do(Act.LEFT_OFF).seal().seal()
    game.play(20).do(Act.LEFT_OFF, after_ms=5_000).do(Act.LEFT_OFF).seal()
    game.play(3).do(Act.UNDO, Act.LEFT_OFF).play(40)
    return game.do(Act.LEFT_OFF, after_ms=3_600_000).seal()


def last_moment() -> Alone:
    """A move at the last moment that a record can tell of, and another in the same."""
    game = Alone(on_text("slow")).play(1)
    return game.do(game.legal(), after_ms=(1 << 32) - 1).do(Act.UNDO, after_ms=0).seal()


def deck_used_up() -> Alone:
    """A ghost's race had a deck of one link: after six moves nothing more is dealt."""
    game = Alone(against_ghost(race_papers(links=1), size=3, target_exponent=0)).play()
    assert game.solo.game.deck_used_up
    return game.do(Act.ENDED).seal()


def written_apart() -> bytes:
    """The text is not in NFC as it stands; the deck is that of its NFC."""
    apart = unicodedata.normalize("NFD", COMPOSED).encode()
    assert apart != COMPOSED.encode()
    return resealed(head_of(body_of(on_text(COMPOSED), text=apart)))


def chosen(text: str, moves: int = 5) -> bytes:
    """A game on the deck of a text."""
    return Alone(on_text(text, 8, 13)).play(moves).seal().data


def seal_after_end() -> bytes:
    """Two seals behind the end."""
    return Alone(on_text("ended")).play(10).do(Act.ENDED).seal().seal().data


TRUE_ALONE: dict[str, Callable[[], bytes]] = {
    "classic-made-by-the-last-move": lambda: made_by_the_last_move().data,
    "classic-made-and-ended": lambda: Alone(on_text("ended", 4, 6)).make().do(Act.ENDED).seal().data,
    "classic-not-made-and-stuck": lambda: Alone(on_text("not made", target_exponent=10)).play().seal().data,
    "endless-stuck": lambda: Alone(on_text("endless 2", target_exponent=0)).play().seal().data,
    "endless-long-8x8": lambda: Alone(by_chance(8, 0)).play(600).do(Act.LEFT_OFF).seal().data,
    "undone-to-five": lambda: undone_to_five().data,
    "undone-when-stuck": lambda: undone_when_stuck().data,
    "target-taken-back": lambda: target_taken_back().data,
    "goes-on": lambda: Alone(on_text("on", 4)).make().do(Act.WENT_ON).play(50).do(Act.LEFT_OFF).seal().data,
    "goes-on-much-later": lambda: Alone(on_text("later", 6)).make().play(50).do(Act.WENT_ON).seal().data,
    "plays-on-without-a-word": lambda: Alone(on_text("mute", 5)).make().play(50).seal().data,
    "left-off-often": lambda: left_off_often().data,
    "last-moment": lambda: last_moment().data,
    "ended-before-the-first-move": lambda: Alone(by_chance()).do(Act.ENDED).seal().data,
    "ended-though-stuck": lambda: Alone(on_text("over")).play().do(Act.ENDED).seal().data,
    "sealed-after-the-end": seal_after_end,
    "unsealed-tail": lambda: Alone(by_chance()).play(30).seal().play(7).do(Act.UNDO).data,
    "never-sealed": lambda: Alone(by_chance()).play(30).data,
    "nothing-but-an-opening": lambda: Alone(by_chance()).data,
    "nothing-but-a-seal": lambda: Alone(by_chance()).seal().data,
    "false-seal-before-the-last": lambda: Alone(by_chance()).play(9).seal(OWL).play(9).seal().data,
    "ghost-of-a-race": lambda: Alone(against_ghost(race_papers())).play(100).seal().data,
    "ghost-of-a-seeded-race": lambda: Alone(against_ghost(race_papers(secret("seed")))).play(100).seal().data,
    "ghost-of-a-game-alone": lambda: Alone(against_ghost(sha256(b"ghost").digest())).play(20).seal().data,
    "ghost-with-its-deck-used-up": lambda: deck_used_up().data,
    "daily": lambda: Alone(on_text("daily/2026-11-30/4", 4, 11, Origin.DAILY)).play(60).seal().data,
    "daily-of-no-day": lambda: Alone(on_text("daily/0000-99-99/3", origin=Origin.DAILY)).play(9).seal().data,
    "text": lambda: chosen("Їжак, größer", 40),
    "text-that-reads-daily": lambda: chosen("daily/2026-11-30/4"),
    "text-of-nothing": lambda: chosen(""),
    "text-of-255-bytes": lambda: chosen("x" * 255),
    "text-not-in-nfc": written_apart,
    "hostile-name": lambda: Alone(by_chance(name=HOSTILE)).play(9).seal().data,
    "no-name": lambda: Alone(by_chance(name="")).play(9).seal().data,
    "name-of-255-bytes": lambda: Alone(by_chance(name="x" * 255)).play(9).seal().data,
    "begun-at-the-end-of-time": lambda: Alone(replace(by_chance(), begun_ms=(1 << 64) - 1)).seal().data,
    "key-that-signs-nothing": lambda: Alone(replace(by_chance(), key=bytes(32))).play(9).data,
}
