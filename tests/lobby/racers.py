"""Players of a race whose every message is made by hand: what an honest client never sends can be sent.

A `Racer` plays the real game on the table's own deck, so that what it sends is right until a test makes it wrong.
"""

from __future__ import annotations

from dataclasses import replace

from engine.board import Direction
from engine.deck import DealtDeck
from engine.game import Game
from lobby.events import Effect, Send
from lobby.racing import RaceRun
from protocol import messages
from protocol.limits import Windows
from protocol.messages import FromLobby, Phase, Signed, TableSettings
from protocol.movelog import Act, MoveLog, MoveSlice, SealBody
from protocol.signing import Signer
from protocol.tick import Tick
from tests.lobby.test_table import Player, Tables

ENDLESS = TableSettings(kind=3, target_exponent=0)
DEFAULT_WINDOWS = Windows()


class Racer:
    """One seat of a race, played by hand. `log` and `game` are its own; `sent` is how far the lobby was told."""

    def __init__(self, race: HandRace, player: Player, number: int) -> None:
        run = race.run
        self.race = race
        self.player = player
        self.number = number
        self.log = MoveLog(run.mix, number, player.key)
        deck = DealtDeck(run.opened.chain, run.opened.deal.deck_mix(run.mix))
        self.game = Game(run.opened.deal.settings.size, deck)
        self.sent = 0
        self.seals = 0
        self.tick_seen = 0

    def move(self, count: int = 1, *, at_ms: int | None = None, step_ms: int = 30, order: str = "0123") -> None:
        """Makes moves, the last of them now or at a time since the start; nothing is sent."""
        last_ms = self.race.since_start_ms if at_ms is None else at_ms
        for left in range(count - 1, -1, -1):
            for letter in order:
                if self.game.move(Direction(int(letter))) is not None:
                    self.log.append(int(letter), max(self.log.last_ms, last_ms - left * step_ms))
                    break

    def slice(self, seal: Signed | None = None, **changes: object) -> list[Effect]:
        """Sends the moves that were not sent yet; `changes` are what the slice says instead."""
        part = replace(self.log.slice(self.sent, self.tick_seen), **changes)  # type: ignore[arg-type]
        return self.send_slice(part, seal)

    def send_slice(self, part: MoveSlice, seal: Signed | None = None) -> list[Effect]:
        """Sends any slice."""
        before_ms = self.log.times[self.sent - 1] if self.sent else 0
        self.sent += len(part.directions)
        return self.player.say(messages.Slice(part.encode(before_ms), seal))

    def sign(
        self, act: Act = Act.NONE, argument: int = 0, *, signer: Signer | None = None, **changes: object
    ) -> Signed:
        """Signs the log as it is; `changes` are what the seal says instead."""
        self.seals += 1
        true = SealBody(self.number, self.seals, len(self.log), self.log.head, self.tick_seen, act, argument)
        body: SealBody = replace(true, **changes)  # type: ignore[arg-type]
        return body.sign(signer or self.player.signer, self.race.run.mix)

    def seal(self, act: Act = Act.NONE, argument: int = 0, **changes: object) -> list[Effect]:
        """Sends a seal on its own."""
        return self.player.say(messages.Seal(self.sign(act, argument, **changes)))  # type: ignore[arg-type]

    def see(self, effects: list[Effect]) -> None:
        """Has seen the ticks among the effects."""
        for message in self.race.tables.sent(effects, self.player, messages.Ticked):
            assert isinstance(message, messages.Ticked)
            self.tick_seen = Tick.decode(message.tick.body).number

    def refusals(self, effects: list[Effect]) -> list[str]:
        return self.race.tables.refusals(effects, self.player)

    def acks(self, effects: list[Effect]) -> list[int]:
        sent = self.race.tables.sent(effects, self.player, messages.Ack)
        return [message.moves for message in sent if isinstance(message, messages.Ack)]


class HandRace:
    """A table whose race has just begun, and the racers at it."""

    def __init__(
        self,
        settings: TableSettings = ENDLESS,
        guests: int = 1,
        windows: Windows = DEFAULT_WINDOWS,
        seed: str = "table",
    ) -> None:
        self.tables = Tables(settings, windows, seed)
        players = [self.tables.host, *(self.tables.guest(2 + number) for number in range(guests))]
        for player in players:
            player.ready()
        self.tables.host.say(messages.Begin())
        for player in players:
            player.open_nonce()
        self.racers = [Racer(self, player, number) for number, player in enumerate(players)]
        self.pass_ms(windows.countdown_ms)
        assert self.is_in(Phase.RACING)

    @property
    def run(self) -> RaceRun:
        assert self.tables.table.run is not None
        return self.tables.table.run

    @property
    def since_start_ms(self) -> int:
        return self.tables.now_ms - self.run.start_ms

    def is_in(self, phase: Phase) -> bool:
        return self.tables.table.phase is phase

    def pass_ms(self, duration_ms: int, *, but: Racer | None = None) -> list[Effect]:
        """Lets time pass; everyone is heard of, but one perhaps."""
        alive = tuple(racer.player for racer in self.racers if racer is not but)
        return self.tables.pass_ms(duration_ms, alive=alive)

    def to_others(self, effects: list[Effect], racer: Racer) -> list[FromLobby]:
        """What was sent to anybody else."""
        return [
            effect.message
            for effect in effects
            if isinstance(effect, Send) and set(effect.connections) - {racer.player.connection}
        ]
