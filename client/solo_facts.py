"""What a list tells of a game alone: the figures of its record, without its acts and boards. Pure."""

from __future__ import annotations

import msgspec

from client.solo import Choice
from engine.solo import Solo, SoloKind
from protocol.solo import Opening, Origin
from protocol.text import SafeText


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """When the target was made for the first time, after how many moves and undos."""

    t_ms: int
    moves: int
    undos: int


class Alone(msgspec.Struct, frozen=True, kw_only=True):
    """A game alone as its record has it. `unsigned`: the acts after the last signature; `ended`: by its player."""

    raw_name: str
    key: bytes
    size: int
    kind: SoloKind
    target_exponent: int
    origin: Origin
    text: str
    begun_ms: int
    score: int
    max_exponent: int
    moves: int
    undos: int
    t_ms: int
    stuck: bool
    ended: bool
    made: Target | None
    unsigned: int

    @property
    def name(self) -> SafeText:
        """The name as it can be shown."""
        return SafeText.shown(self.raw_name)

    @property
    def choice(self) -> Choice:
        """What was played."""
        return Choice(self.size, self.kind, self.target_exponent)


def alone_of(opening: Opening, solo: Solo, unsigned: int = 0) -> Alone:
    """Returns what is to be told of a game."""
    made = solo.made
    return Alone(
        raw_name=opening.name,
        key=opening.key,
        size=opening.size,
        kind=opening.kind,
        target_exponent=opening.target_exponent,
        origin=opening.origin,
        text=opening.text,
        begun_ms=opening.begun_ms,
        score=solo.game.score,
        max_exponent=solo.game.max_exponent,
        moves=solo.game.moves,
        undos=solo.undos,
        t_ms=solo.t_ms,
        stuck=solo.game.stuck,
        ended=solo.ended,
        made=None if made is None else Target(t_ms=made.t_ms, moves=made.moves, undos=made.undos),
        unsigned=unsigned,
    )
