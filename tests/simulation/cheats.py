"""Players with a modified program: it says what no honest one says, beside what the honest one would say.

A `Cheat` sits between a real session and its line. `falsehood` says of which frames the lobby must not take anything:
the oracles see to it that none leaves a trace in anybody's log. Other tricks only lie as far as the
rules let everybody lie, or look for what they must not see; then it is the oracles of bytes and of results that judge.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from client.play import OwnRace
from engine.board import Direction
from engine.deck import LinkMissing
from protocol import limits, messages
from protocol.codec import decode_from_client, decode_from_lobby, encode
from protocol.handshake import proof_body
from protocol.layout import LayoutError
from protocol.messages import FromClient, Role, Signed
from protocol.movelog import Act, MoveSlice, SealBody, next_head
from protocol.signing import NO_CONTEXT, Signer
from protocol.text import SafeText
from tests.simulation.network import Wire
from tests.simulation.plan import LineKnobs

if TYPE_CHECKING:
    from tests.simulation.programs import Program
    from tests.simulation.world import World

STRANGER = Signer(b"s" * 32)
FUTURE_MS = 600_000  # no stall lasts so long
OFTEN = 0.25
PEEK_MS = 900


class Cheat:
    """The modified part of one program."""

    def __init__(self, world: World, program: Program, chance: Random) -> None:
        self.world = world
        self.program = program
        self.over = False
        self._chance = chance
        self._calm = False
        self._sent: deque[tuple[bytes, str]] = deque()  # on their way, with what is false about them
        self._spies: list[Spy] = []
        program.says = self._says
        if {"theft", "peek", "ping-flood", "garbage", "watch-too"} & set(program.knobs.tricks):
            world.later(PEEK_MS, self._peek)

    def calm(self) -> None:
        """From now on it plays by the rules, so that its races end."""
        self._calm = True
        for spy in self._spies:
            spy.wire.hang_up()

    def falsehood(self, frame: bytes) -> str:
        """Returns what is false about a frame that arrives now: they arrive in the order in which they were said."""
        if all(frame != sent for sent, _ in self._sent):
            return ""
        while True:
            sent, what = self._sent.popleft()  # those before it were lost
            if sent == frame:
                return what

    def stop(self) -> None:
        """It leaves, with all that it has sent in."""
        self.over = True
        for spy in self._spies:
            spy.wire.hang_up()

    # ── beside what the honest program says ──────────────────────────────────────────────────────────────────────

    def _says(self, frame: bytes) -> list[bytes]:
        if self._calm:
            return [frame]
        message = decode_from_client(frame)
        out = [(self._lie(message, frame), "")]
        for trick in self.program.knobs.tricks:
            forge = FORGERIES.get(trick)
            forged = None if forge is None or self._chance.random() > OFTEN else forge(self, message, frame)
            if forged is not None:
                out.insert(len(out) if trick == "replay" else 0, (forged, trick))
        if isinstance(message, messages.Hello):
            self._sent.clear()  # what was under way on the line before is lost
        self._sent.extend(out)
        return [said for said, _ in out]

    def _lie(self, message: FromClient, frame: bytes) -> bytes:
        """What is said instead, within what the rules cannot forbid."""
        if isinstance(message, messages.Pong) and "slow-pong" in self.program.knobs.tricks:
            return encode(messages.Pong(max(0, message.stamp_ms - 5_000), message.clock_ms))
        return frame

    @property
    def own(self) -> OwnRace | None:
        """The own game."""
        return self.program.session.own

    def seal(self, body: SealBody, signer: Signer | None = None) -> Signed:
        """Returns a seal, signed."""
        own = self.own
        assert own is not None, "only forged in a race"
        return body.sign(signer or self.program.signer, own.race)

    def moves(self, message: FromClient) -> MoveSlice | None:
        """The moves of a slice that the honest program is about to send."""
        own = self.own
        if own is None or not isinstance(message, messages.Slice):
            return None
        first = int.from_bytes(message.moves[:4], "big")
        before_ms = own.log.times[first - 1] if first else 0
        try:
            return MoveSlice.decode(message.moves, before_ms)
        except LayoutError:
            return None

    def again(self, part: MoveSlice, seal: Signed | None = None) -> bytes:
        """Returns the frame of a slice, made of changed moves."""
        own = self.own
        assert own is not None, "only forged in a race"
        before_ms = own.log.times[part.first - 1] if 0 < part.first <= len(own.log) else 0
        return encode(messages.Slice(part.encode(before_ms), seal))

    # ── on connections of its own ────────────────────────────────────────────────────────────────────────────────

    def _peek(self) -> None:
        if self.over or self._calm:
            return
        trick = self._chance.choice(self.program.knobs.tricks)
        table, process = self.program.session.table, self.world.process
        if table is not None and process.up:
            if trick == "theft":
                others = [program for program in self.world.programs.values() if program is not self.program]
                victim = self._chance.choice(others)
                self._spies.append(Spy(self, victim.signer.key, Role.PLAYER, table.code))
            elif trick == "watch-too" and len(self._spies) < 8:
                code = self._chance.choice((table.code, table.watch_code))
                self._spies.append(Spy(self, None, self._chance.choice((Role.WATCHER, Role.COMPUTER)), code))
            elif self.program.wire is not None:
                self._ask(trick)
        self.world.later(self._chance.randint(PEEK_MS // 3, 2 * PEEK_MS), self._peek)

    def _ask(self, trick: str) -> None:
        wire = self.program.wire
        assert wire is not None, "only asked with a connection"
        if trick == "ping-flood":
            for _ in range(100):
                wire.say_up(encode(messages.Ping(self.program.here_ms)))
        elif trick == "garbage":
            wire.say_up(self._chance.randbytes(self._chance.randint(0, 400)))
        elif trick == "peek":
            race = self.program.session.fetched
            record = bytes(32) if race is None or race.fetching is None else race.fetching.sha256
            asked: tuple[FromClient, ...] = (
                messages.AskLog(0), messages.AskLog(3), messages.AskRecord(record, 0), messages.Resync(0),
                messages.Again(), messages.Begin(), messages.Kick(0), messages.Lock(locked=True),
                messages.OpenNonce(bytes(32)), messages.AskLog((1 << 32) - 1), messages.Cancel(), messages.Sit(),
                messages.Pong(0, 0),
            )  # fmt: skip
            for message in self._chance.sample(asked, 4):
                wire.say_up(encode(message))


class Spy:
    """A connection beside the player's own: with a stolen key, or with another one."""

    def __init__(self, cheat: Cheat, stolen: bytes | None, role: Role, code: str) -> None:
        self.cheat = cheat
        self.signer = STRANGER if stolen else Signer(cheat._chance.randbytes(32))
        self.key = stolen or self.signer.key
        self.stolen = stolen is not None
        self.role, self.code = role, code
        self.wire = cheat.world.wire_for(cheat.program, LineKnobs(5), self.hear, self.key)
        cheat.world.later(10, lambda: self._say(messages.Hello(bytes(32), limits.PROTOCOL_VERSION, SafeText("spy"))))

    def _say(self, message: FromClient) -> None:
        self.wire.say_up(encode(message))

    def hear(self, frame: bytes, wire: Wire) -> None:
        """Goes through the handshake, and then asks for everything."""
        message = decode_from_lobby(frame)
        if isinstance(message, messages.Challenge):
            body = proof_body(message.key, message.nonce, self.key, self.role, limits.PROTOCOL_VERSION)
            self._say(messages.Proof(self.key, self.role, self.signer.sign("proof", NO_CONTEXT, body)))
            self._say(messages.Join(self.code, "spy"))
        elif isinstance(message, messages.Welcome):
            assert not self.stolen, "somebody without the key was let in"
            record = bytes(32) if message.record is None else message.record.sha256
            for asked in (messages.AskLog(0), messages.AskRecord(record, 0), messages.Sit(), messages.Begin()):
                self._say(asked)
        elif isinstance(message, messages.Ping):
            self._say(messages.Pong(message.stamp_ms, 0))


# ── what must not be taken ───────────────────────────────────────────────────────────────────────────────────────────


def _false_seal(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """The signature is none."""
    if isinstance(message, messages.Seal) and cheat.own is not None:
        signed = message.seal
        return encode(messages.Seal(Signed(signed.body, bytes([signed.signature[0] ^ 1]) + signed.signature[1:])))
    return _sealed_by(cheat, message, None)


def _stranger_seal(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """The signature is another's."""
    return _sealed_by(cheat, message, STRANGER)


def _sealed_by(cheat: Cheat, message: FromClient, signer: Signer | None) -> bytes | None:
    part, own = cheat.moves(message), cheat.own
    if part is None or own is None:
        return None
    last = part.first + len(part.directions)
    body = SealBody(own.seat, len(own._said) + 9, last, own._heads[last], part.tick_seen, Act.NONE)
    seal = cheat.seal(body, signer)
    if signer is None:
        seal = Signed(seal.body, bytes(64))
    return cheat.again(part, seal)


def _wrong_head(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """The seal is over another log."""
    part, own = cheat.moves(message), cheat.own
    if part is None or own is None:
        return None
    last = part.first + len(part.directions)
    head = next_head(own._heads[last - 1], (part.directions[-1] + 1) % 4, part.times[-1])
    body = SealBody(own.seat, len(own._said) + 9, last, head, part.tick_seen, Act.NONE)
    return cheat.again(part, cheat.seal(body))


def _old_seal(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """A seal whose number was used before (deal.md 5.2)."""
    part, own = cheat.moves(message), cheat.own
    if part is None or own is None or len(own._said) < 2:
        return None
    first, second = own._said[:2]
    if not first.moves < second.moves <= own.acked:  # else the lobby may not have them yet
        return None
    body = SealBody(own.seat, 1, part.first, own._heads[part.first], part.tick_seen, Act.NONE)
    return encode(messages.Seal(cheat.seal(body)))


def _replay(cheat: Cheat, message: FromClient, frame: bytes) -> bytes | None:
    """It was said before, just now."""
    return frame if isinstance(message, messages.Slice | messages.Seal) and cheat.own is not None else None


def _future(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """The moves are claimed for a time that is not yet."""
    part, own = cheat.moves(message), cheat.own
    if part is None or own is None:
        return None
    late = tuple(t_ms + FUTURE_MS for t_ms in part.times)
    head = own._heads[part.first]
    for direction, t_ms in zip(part.directions, late, strict=True):
        head = next_head(head, direction, t_ms)
    body = SealBody(own.seat, len(own._said) + 9, part.first + len(late), head, part.tick_seen, Act.NONE)
    return cheat.again(replace(part, times=late), cheat.seal(body))


def _flood(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """More moves in an instant than a hand can make (rules 6.1)."""
    part, own = cheat.moves(message), cheat.own
    if part is None or own is None or part.first + len(part.directions) != len(own.log) or own.game is None:
        return None
    game, more = own.game.copy(), bytearray(part.directions)
    while len(more) < 30 and not game.stuck:
        try:
            made = next((each for each in Direction if game.board.slide(each) is not None), None)
            if made is None or game.move(made) is None:
                return None
        except LinkMissing:
            return None
        more.append(made)
    times = (*part.times, *[part.times[-1]] * (len(more) - len(part.directions)))
    # A bucket of ten, and what forty a second let in meanwhile.
    if len(times) - len(part.times) < 12:
        return None
    head = own._heads[part.first]
    for direction, t_ms in zip(more, times, strict=True):
        head = next_head(head, direction, t_ms)
    body = SealBody(own.seat, len(own._said) + 9, part.first + len(times), head, part.tick_seen, Act.NONE)
    return cheat.again(MoveSlice(part.first, part.tick_seen, bytes(more), times), cheat.seal(body))


def _standstill(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """A move that changes nothing."""
    part, own = cheat.moves(message), cheat.own
    if part is None or own is None or own.game is None or part.first + len(part.directions) != len(own.log):
        return None
    still = next((each for each in Direction if own.game.board.slide(each) is None), None)
    if still is None or len(part.directions) >= limits.SLICE_MOVES_MAX:
        return None
    return cheat.again(replace(part, directions=part.directions + bytes([still]), times=(*part.times, part.times[-1])))


def _future_tick(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """It has seen a tick that was not sent yet (rules 6.2)."""
    part = cheat.moves(message)
    return None if part is None else cheat.again(replace(part, tick_seen=part.tick_seen + (1 << 40)))


def _out_of_order(cheat: Cheat, message: FromClient, _frame: bytes) -> bytes | None:
    """A slice that leaves a move out."""
    part = cheat.moves(message)
    if part is None or len(part.directions) < 2:
        return None
    return cheat.again(replace(part, first=part.first + 1, directions=part.directions[1:], times=part.times[1:]))


FORGERIES: dict[str, Callable[[Cheat, FromClient, bytes], bytes | None]] = {
    "false-seal": _false_seal, "stranger-seal": _stranger_seal, "wrong-head": _wrong_head, "replay": _replay,
    "old-seal": _old_seal,
    "future": _future, "flood": _flood, "standstill": _standstill, "future-tick": _future_tick,
    "out-of-order": _out_of_order,
}  # fmt: skip
