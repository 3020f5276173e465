"""A table as bytes and back: what a restarted lobby begins with, instead of reading a long journal from its beginning.

A picture is made by walking over the table, field by field; so nothing of it can be forgotten, and a class that is not
named here cannot slip in. It is read without running anything that stands in it (pickle would). A picture never says
more than the journal up to its row: a test compares the two after every event. Games, decks and chains are told by
what they are made of, since engine/ keeps them in forms of its own.

A field that this version has and the picture has not takes its default; without one, the table cannot be read.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import MethodType

import msgspec
from msgspec import Struct

from engine import race
from engine.board import Board
from engine.deck import LINKS_DEALT_FEW, Chain, DealtDeck
from engine.game import Game
from lobby import (
    closing,
    dealing,
    events,
    handing_out,
    opening,
    people,
    presence,
    racing,
    seating,
    telling,
    ticking,
    track,
)
from lobby.table import Table
from protocol import deal, limits, messages, movelog, record, refusals
from protocol.signing import Signer
from protocol.text import SafeText

_PLAIN = frozenset({type(None), bool, int, str, bytes})
_CLASSES = (
    Table, telling.Telling, seating.Seating, people.Seat, people.Tally, dealing.Dealing, opening.Opening,
    opening.DealOptions, opening.Opened, presence.Presence, people.Member, people.Line, racing.RaceRun, track.Track,
    ticking.Ticker, closing.Closing, race.Race, race.RaceSeat, race.RaceTerms, race.Outcome, movelog.MoveLog, deal.Deal,
    deal.Start, record.Gap, record.RecordEvent, record.Correction, handing_out.FinishedRecord,
)  # fmt: skip
_TUPLES = (race.Moved, race.Left, race.Voted, race.Absent, race.Offer)
_STRUCTS = (
    messages.Signed, messages.TableSettings, messages.Burnt, messages.Ended, messages.TallyView, messages.Ticked,
    limits.Windows,
)  # fmt: skip
_ENUMS = (
    messages.Phase, messages.Role, race.Kind, race.SeatState, race.Termination, race.Vote, record.EventKind,
    refusals.Refusal, movelog.Act,
)  # fmt: skip
_KINDS: dict[str, type] = {kind.__name__: kind for kind in (*_CLASSES, *_TUPLES, *_STRUCTS, *_ENUMS)}
_COLLECTIONS: dict[str, type] = {
    kind.__name__: kind for kind in (list, tuple, set, frozenset, dict, array, bytearray, deque)
}

Node = object  # what msgpack can hold: a plain value, or a list that begins with what it is


class SnapshotError(ValueError):
    """A table holds something that cannot be kept, or a picture something that cannot be read."""


def frozen(table: Table, entropy: object) -> bytes:
    """Returns the picture of a table whose entropy comes from there."""
    return msgspec.msgpack.encode(_Freezer(entropy).node(table))


def thaw(picture: bytes, signer: Signer, entropy: object) -> Table:
    """Returns the table of a picture; raises SnapshotError."""
    try:
        table = _Thawer(signer, entropy).value(msgspec.msgpack.decode(picture))
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
        raise SnapshotError(f"a table that was kept cannot be read: {error}") from error
    if not isinstance(table, Table):
        raise SnapshotError("a table that was kept is none")
    return table


class _Freezer:
    def __init__(self, entropy: object) -> None:
        self._entropy = entropy
        self._known: dict[int, int] = {}  # the number of an object, by its id
        self._alive: list[object] = []  # or an id could be given again

    def node(self, value: object) -> Node:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind in (list, tuple, set, frozenset):
            return self._items(value)  # type: ignore[arg-type]
        if isinstance(value, dict):
            return ["dict", [[self.node(key), self.node(each)] for key, each in value.items()]]
        if isinstance(value, array):
            return ["array", value.typecode, value.tobytes()]
        if isinstance(value, bytearray):
            return ["bytearray", bytes(value)]
        if isinstance(value, deque):
            return ["deque", value.maxlen, self._nodes(value)]
        if isinstance(value, SafeText):
            return ["text", str.__str__(value)]
        if isinstance(value, Enum) and kind in _ENUMS:
            return ["enum", kind.__name__, value.value]
        return self._object(value, kind)

    def _items(self, value: list[object] | tuple[object, ...] | set[object] | frozenset[object]) -> Node:
        # The order of a set is none: it must not depend on hashes (architecture.md 3.6).
        items = sorted(value) if isinstance(value, set | frozenset) else value  # type: ignore[type-var]
        return [type(value).__name__, self._nodes(items)]

    def _object(self, value: object, kind: type) -> Node:
        if value is self._entropy:
            return ["entropy"]
        if isinstance(value, Signer):
            return ["signer"]
        if isinstance(value, events.Outbox):
            return ["outbox"]
        if isinstance(value, MethodType):
            return ["method", self.node(value.__self__), value.__func__.__name__]
        if kind in _TUPLES:
            return ["named", kind.__name__, self._nodes(value)]  # type: ignore[arg-type]
        if isinstance(value, Struct) and kind in _STRUCTS:
            return ["struct", kind.__name__, self._fields(value, value.__struct_fields__)]
        if id(value) in self._known:
            return ["known", self._known[id(value)]]
        number = self._known[id(value)] = len(self._known)
        self._alive.append(value)
        return [*self._whole(value, kind), number]

    def _whole(self, value: object, kind: type) -> list[Node]:
        if isinstance(value, Chain):
            return ["chain", value.chain_id, value.length, value.kept]
        if isinstance(value, DealtDeck):
            return ["deck", self.node(getattr(value, "_chain")), getattr(value, "_mix")]  # noqa: B009
        if isinstance(value, Game):
            deck = self.node(getattr(value, "_deck"))  # noqa: B009
            return ["game", deck, value.size, value.board.cells, value.score, value.moves, value.fours]
        if kind not in _CLASSES:
            raise SnapshotError(f"a {kind.__name__} cannot be kept")
        return ["object", kind.__name__, self._fields(value, _names(value))]

    def _nodes(self, items: Iterable[object]) -> list[Node]:
        # Nearly everything is plain, and a picture is made while nobody is served.
        return [item if type(item) in _PLAIN else self.node(item) for item in items]

    def _fields(self, value: object, names: Collection[str]) -> dict[str, Node]:
        return dict(zip(names, self._nodes([getattr(value, name) for name in names]), strict=True))


class _Thawer:
    def __init__(self, signer: Signer, entropy: object) -> None:
        self._outside = {"signer": signer, "entropy": entropy}
        self._known: dict[int, object] = {}

    def value(self, node: Node) -> object:
        if not isinstance(node, list):
            return node
        match node:
            case ["signer" | "entropy" as name]:
                return self._outside[name]
            case ["outbox"]:
                return events.Outbox()
            case ["method", owner, name]:
                return getattr(self.value(owner), name)
            case ["known", number]:
                return self._known[number]
            case ["text", text]:
                return SafeText(text)
            case [name, *_] if name in _COLLECTIONS:
                return self._collection(node)
            case _:
                return self._typed(node)

    def _collection(self, node: list[Node]) -> object:
        match node:
            case ["list" | "tuple" | "set" | "frozenset" as name, list(items)]:
                return _COLLECTIONS[name](map(self.value, items))
            case ["dict", list(items)]:
                return {self.value(key): self.value(each) for key, each in items}
            case ["array", str(code), bytes(data)]:
                return array(code, data)
            case ["bytearray", bytes(data)]:
                return bytearray(data)
            case ["deque", int() | None as length, list(items)]:
                return deque(map(self.value, items), length)
        raise SnapshotError(f"nothing is {node[:1]}")

    def _typed(self, node: list[Node]) -> object:
        match node:
            case ["enum", name, value]:
                return _KINDS[str(name)](value)
            case ["named", name, list(items)]:
                return _KINDS[str(name)](*map(self.value, items))
            case ["struct", name, dict(told)]:
                return _KINDS[str(name)](**{field: self.value(each) for field, each in told.items()})
            case ["object", name, dict(told), int(number)]:
                return self._object(_KINDS[str(name)], told, number)
            case [*_, int(number)]:
                self._known[number] = self._whole(node)
                return self._known[number]
        raise SnapshotError(f"nothing is {node[:1]}")

    def _object(self, kind: type, told: dict[str, Node], number: int) -> object:
        made: object = object.__new__(kind)
        self._known[number] = made  # before its fields, which may lead back to it
        for name, node in told.items():
            object.__setattr__(made, name, self.value(node))
        if is_dataclass(kind):
            for field in fields(kind):
                if field.name not in told and field.default is not MISSING:
                    object.__setattr__(made, field.name, field.default)
        return made

    def _whole(self, node: list[Node]) -> object:
        match node:
            case ["chain", bytes(chain_id), int(length), bytes(kept), _]:
                return Chain.resumed(chain_id, length, kept)
            case ["deck", chain, bytes(mix), _]:
                made = self.value(chain)
                assert isinstance(made, Chain), "a deck is dealt from a chain"
                return DealtDeck(made, mix, LINKS_DEALT_FEW)
            case ["game", deck, int(size), bytes(cells), int(score), int(moves), int(fours), _]:
                dealt = self.value(deck)
                assert isinstance(dealt, DealtDeck), "a game of a race is played on a dealt deck"
                return Game.resumed(dealt, Board.of_cells(size, cells), score=score, moves=moves, fours=fours)
        raise SnapshotError(f"nothing is {node[:1]}")


def _names(value: object) -> list[str]:
    """Returns the names of all fields of an object, wherever its class keeps them."""
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [name for name in (*names, *getattr(value, "__dict__", ())) if hasattr(value, name)]
